/* gpu_stack.h - stacks of lanes, for programs with functions that call themselves; included by
 * gpu.h.
 *
 * For all others the compiler knows how much memory a lane needs. The size of a stack is set once
 * for the device, by the memory it has; where stacks begin is looked at on it.
 */
#ifndef SNL_GPU_GPU_STACK_H
#define SNL_GPU_GPU_STACK_H

#ifdef __CUDACC__
/* Bytes of a stack, at least and at most, and what functions that do not ask have at the end of it;
 * all stacks together get one part in so many of the memory of the device. */
enum {
    SNL_GPU_STACK_LEAST = 4096,
    SNL_GPU_STACK_MOST = 65536,
    SNL_GPU_STACK_RESERVE = 1024,
    SNL_GPU_STACK_PART = 32
};

/* Has the stacks made so large as the device can afford; gives the bytes of one. */
static inline const char *snl_gpu_stack_make(int device, size_t *bytes)
{
    const SnlGpuDevice chosen(device);
    int blocks = 0, lanes = 0;
    size_t wanted;
    const char *trouble =
        snl_gpu_trouble(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device));
    if (!trouble)
        trouble = snl_gpu_trouble(
            cudaDeviceGetAttribute(&lanes, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    if (!trouble)
        trouble = snl_gpu_trouble(cudaDeviceGetLimit(bytes, cudaLimitStackSize));
    if (trouble || blocks <= 0 || lanes <= 0)
        return trouble;
    wanted = snl_gpu_device_bytes(device) / SNL_GPU_STACK_PART / (size_t)blocks / (size_t)lanes /
             1024 * 1024;
    wanted = wanted < SNL_GPU_STACK_LEAST ? SNL_GPU_STACK_LEAST : wanted;
    wanted = wanted > SNL_GPU_STACK_MOST ? SNL_GPU_STACK_MOST : wanted;
    if (*bytes >= wanted)
        return NULL;
    *bytes = wanted;
    return snl_gpu_trouble(cudaDeviceSetLimit(cudaLimitStackSize, wanted));
}

/* Tells where a stack begins. */
struct SnlGpuStackTop {
    enum { THREADS = 32 };
    uint32_t *top;
    int64_t blocks() const { return 1; }
    SNL_ON_GPU void operator()() const
    {
        if (snl_lane_thread() == 0)
            *top = snl_gpu_stack_here();
    }
};

/* Prepares the instance of such a program; a template, so that others have none of it. */
template <typename = void>
static inline snl_status snl_gpu_recurse(SnlInstance *rt)
{
    const SnlGpu *gpu = rt->gpu;
    uint32_t *low = &rt->notes->stack_low;
    size_t bytes = 0;
    const char *trouble = snl_gpu_stack_make(gpu->device, &bytes);
    if (trouble)
        return (snl_fail)(rt, SNL_EDEVICE, NULL, 0, "GPU %d has no stacks: %s", gpu->device,
                          trouble);
    snl_gpu_run(rt, SnlGpuStackTop{low});
    snl_gpu_wait(rt);
    *low = (*low > bytes ? (uint32_t)(*low - bytes) : 0) + SNL_GPU_STACK_RESERVE;
    return snl_status_of(rt);
}
#else
/* The lanes of the stand-in have large stacks, whose ends it knows. */
static inline snl_status snl_gpu_recurse(SnlInstance *rt) { return snl_status_of(rt); }
#endif

#endif
