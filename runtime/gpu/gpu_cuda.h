/* gpu_cuda.h - what gpu.h needs of CUDA: memory that both sides see, streams, launches.
 *
 * Memory is managed: it lies where it was used last, pages appear when they are touched, and one
 * address serves both sides; that of pools is not where gpu_vmm.h can make it. Functions that give
 * text say what went wrong, or NULL.
 */
#ifndef SNL_GPU_GPU_CUDA_H
#define SNL_GPU_GPU_CUDA_H

#include <cuda.h>
#include <cuda_runtime.h>

#include "../core/address_space.h"

/* CUDA keeps the last error of each thread. This forgets one of ours, which other code of the
 * process shall not find, and leaves what that code has not asked for yet. */
static inline bool snl_gpu_succeeds(cudaError_t error)
{
    if (error != cudaSuccess)
        cudaGetLastError();
    return error == cudaSuccess;
}

/* NULL, or CUDA's text of the error, which is forgotten. */
static inline const char *snl_gpu_trouble(cudaError_t error)
{
    return snl_gpu_succeeds(error) ? NULL : cudaGetErrorString(error);
}

/* A function of the driver; false where it is too old. */
static inline bool snl_gpu_driver_find(const char *name, void *function)
{
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    return snl_gpu_succeeds(cudaGetDriverEntryPointByVersion(name, (void **)function, 12000,
                                                             cudaEnableDefault, &found)) &&
           found == cudaDriverEntryPointSuccess;
}

/* True where the thread uses a device. */
static inline bool snl_gpu_in_use(void)
{
    decltype(&cuCtxGetCurrent) current;
    CUcontext context = NULL;
    return snl_gpu_driver_find("cuCtxGetCurrent", &current) && current(&context) == CUDA_SUCCESS &&
           context;
}

/* Makes a device the one that calls of this thread mean, while it lives. A thread that uses another
 * one finds that again; where it uses none, to go back would be to use a device in vain. */
struct SnlGpuDevice {
    int before;
    bool returns;
    cudaError_t error;
    explicit SnlGpuDevice(int device) : before(0), returns(false), error(cudaGetDevice(&before))
    {
        if (error == cudaSuccess && before == device)
            return;
        returns = error == cudaSuccess && snl_gpu_in_use();
        error = cudaSetDevice(device);
    }
    SnlGpuDevice(const SnlGpuDevice &) = delete;
    ~SnlGpuDevice()
    {
        if (returns)
            snl_gpu_succeeds(cudaSetDevice(before));
    }
};

/* Calls functions of CUDA, which give an error, for a device; NULL, or what went wrong. All calls
 * that mean a device are made by this or have an SnlGpuDevice of their own. */
template <typename Call>
static inline const char *snl_gpu_call(int device, const Call &call)
{
    const SnlGpuDevice chosen(device);
    return snl_gpu_trouble(chosen.error == cudaSuccess ? call() : chosen.error);
}

/* A kernel that every program has, to ask whether it has code for the device. */
template <typename = void>
__global__ void snl_gpu_nothing() {}

/* The devices that there are; trouble where CUDA finds none. */
static inline const char *snl_gpu_count(int *count)
{
    int version = 0;
    cudaError_t error = cudaGetDeviceCount(count);
    const char *trouble = snl_gpu_trouble(error);
    if (error == cudaErrorInsufficientDriver && cudaDriverGetVersion(&version) == cudaSuccess &&
        version == 0)
        return "there is no driver";
    if (error == cudaErrorNoDevice || (error == cudaSuccess && *count == 0))
        return "there is no device";
    return trouble;
}

/* Trouble where the program has no code for the device. */
static inline const char *snl_gpu_has_code(void)
{
    cudaFuncAttributes about;
    cudaError_t error = cudaFuncGetAttributes(&about, (const void *)snl_gpu_nothing<>);
    const char *trouble = snl_gpu_trouble(error);
    if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction)
        return "the program was built for others; --arch names the one to build for";
    return trouble;
}

/* Says why a device cannot be used, or NULL. */
static inline const char *snl_gpu_choose(int device)
{
    int count = 0, shares = 0;
    const char *trouble = snl_gpu_count(&count);
    if (trouble)
        return trouble;
    if (device < 0 || device >= count)
        return "there is no device of that number";
    const SnlGpuDevice chosen(device);
    trouble = snl_gpu_trouble(chosen.error);
    if (!trouble)
        trouble = snl_gpu_has_code();
    if (!trouble)
        trouble = snl_gpu_trouble(
            cudaDeviceGetAttribute(&shares, cudaDevAttrConcurrentManagedAccess, device));
    if (!trouble && !shares)
        return "the CPU cannot use its memory while it runs (no concurrent managed access)";
    return trouble;
}

/* Where memory shall lie. */
#if CUDART_VERSION >= 13000
static inline cudaMemLocation snl_gpu_place(int device)
{
    cudaMemLocation where = {};
    where.type = cudaMemLocationTypeDevice;
    where.id = device;
    return where;
}
#else
static inline int snl_gpu_place(int device) { return device; }
#endif

/* Tells how memory will be used, which nothing depends on but speed. */
static inline void snl_gpu_advise(int device, void *block, size_t bytes, cudaMemoryAdvise advice)
{
    snl_gpu_succeeds(cudaMemAdvise(block, bytes, advice, snl_gpu_place(device)));
}

/* Has the pages of memory made on the device at once, which lanes that touch them first would wait
 * for one after another. */
static inline void snl_gpu_populate(const SnlGpu *gpu, void *block, size_t bytes)
{
    const SnlGpuDevice in_use(gpu->device);
    cudaStream_t stream = (cudaStream_t)gpu->stream;
#if CUDART_VERSION >= 13000
    snl_gpu_succeeds(cudaMemPrefetchAsync(block, bytes, snl_gpu_place(gpu->device), 0, stream));
#else
    snl_gpu_succeeds(cudaMemPrefetchAsync(block, bytes, snl_gpu_place(gpu->device), stream));
#endif
}

/* Bytes of a kernel that CUDA takes as arguments, with some left for its own. */
enum { SNL_GPU_ARGUMENTS = 32000 };

/* Bytes that are worth zeroing by the GPU: their pages are made there. */
enum { SNL_GPU_ZERO_LEAST = 1 << 20 };

/* What moves from one side to the other at once: no two blocks lie in one of these. */
enum { SNL_GPU_PAGE = 1 << 16 };

static inline size_t snl_gpu_pages(size_t bytes)
{
    return (bytes + SNL_GPU_PAGE - 1) / SNL_GPU_PAGE * SNL_GPU_PAGE;
}

/* Memory for both sides, not zeroed, or NULL. Of a small block, an instance or the description of a
 * tree, each side keeps a copy until the other one writes to it: while neither does, no page
 * wanders. */
static inline void *snl_gpu_memory_get(int device, size_t bytes)
{
    void *block = NULL;
    if (snl_gpu_call(device, [&] { return cudaMallocManaged(&block, snl_gpu_pages(bytes)); }))
        return NULL;
    if (bytes < SNL_GPU_ZERO_LEAST)
        snl_gpu_advise(device, block, snl_gpu_pages(bytes), cudaMemAdviseSetReadMostly);
    return block;
}

static inline void snl_gpu_memory_put(int device, void *block, size_t)
{
    if (block)
        snl_gpu_call(device, [block] { return cudaFree(block); });
}

/* Lanes that run at a time: all of a loop, as far as is known. */
enum { SNL_GPU_AT_ONCE = 1 << 18 };

/* Waits for all that was started on the stream. */
static inline const char *snl_gpu_stream_wait(SnlGpu *gpu)
{
    return snl_gpu_call(gpu->device,
                        [gpu] { return cudaStreamSynchronize((cudaStream_t)gpu->stream); });
}

/* Zeroes new memory for both sides; false where that fails. */
static inline bool snl_gpu_memory_zero(SnlGpu *gpu, void *block, size_t bytes)
{
    return !snl_gpu_call(gpu->device,
                         [=] {
                             return cudaMemsetAsync(block, 0, bytes, (cudaStream_t)gpu->stream);
                         }) &&
           !snl_gpu_stream_wait(gpu);
}

/* Bytes that are worth moving by the GPU: for fewer a page or two may wander. */
enum { SNL_GPU_MOVE_LEAST = 1 << 16 };

/* Memory of the device alone, or NULL; NULL is ignored. */
static inline void *snl_gpu_block_get(int device, size_t bytes)
{
    void *block = NULL;
    return snl_gpu_call(device, [&] { return cudaMalloc(&block, bytes); }) ? NULL : block;
}

static inline void snl_gpu_block_put(int device, void *block, size_t bytes)
{
    snl_gpu_memory_put(device, block, bytes);
}

/* Memory of the CPU that the device reaches where it lies, or NULL; NULL is ignored. */
static inline void *snl_gpu_pinned_get(int device, size_t bytes)
{
    void *block = NULL;
    return snl_gpu_call(device, [&] { return cudaMallocHost(&block, bytes); }) ? NULL : block;
}

static inline void snl_gpu_pinned_put(int device, void *block, size_t)
{
    if (block)
        snl_gpu_call(device, [block] { return cudaFreeHost(block); });
}

/* Copies to memory of the device alone, before what is started next on the stream, and from it when
 * all has ended; false where that fails. */
static inline bool
snl_gpu_copy_in(const SnlGpu *gpu, void *block, const void *from, size_t bytes)
{
    return !snl_gpu_call(gpu->device, [=] {
        return cudaMemcpyAsync(block, from, bytes, cudaMemcpyHostToDevice,
                               (cudaStream_t)gpu->stream);
    });
}

static inline bool
snl_gpu_copy_out(SnlGpu *gpu, void *to, const void *block, size_t bytes)
{
    return !snl_gpu_call(gpu->device,
                         [=] {
                             return cudaMemcpyAsync(to, block, bytes, cudaMemcpyDeviceToHost,
                                                    (cudaStream_t)gpu->stream);
                         }) &&
           !snl_gpu_stream_wait(gpu);
}

#include "gpu_vmm.h"

/* Bytes of the device that nobody uses, SNL_DEVICE_MEMORY at most where that is set; 0: not known.
 * More could be had, by moving pages back and forth, but not with any speed. */
static inline uint64_t snl_gpu_device_bytes(int device)
{
    size_t left = 0, all = 0;
    return snl_gpu_call(device, [&] { return cudaMemGetInfo(&left, &all); })
               ? 0
               : snl_gpu_share_of(left);
}

static inline const char *snl_gpu_stream_new(int device, void **stream)
{
    return snl_gpu_call(device, [=] {
        return cudaStreamCreateWithFlags((cudaStream_t *)stream, cudaStreamNonBlocking);
    });
}

static inline void snl_gpu_stream_free(int device, void *stream)
{
    snl_gpu_call(device, [stream] { return cudaStreamDestroy((cudaStream_t)stream); });
}

/* What is wrong with a stream of the caller, or NULL: what loops do, memory and waiting, cannot be
 * part of a graph that it is captured into. */
static inline const char *snl_gpu_stream_trouble(const SnlGpu *gpu)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    const char *trouble = snl_gpu_call(gpu->device, [&] {
        return cudaStreamIsCapturing((cudaStream_t)gpu->stream, &capture);
    });
    return !trouble && capture != cudaStreamCaptureStatusNone ? "it is being captured" : trouble;
}

/* An instance has its memory populated as long as it has no more than this share of the device's:
 * more than loops use may be made for them. */
enum { SNL_GPU_POPULATED = 8 };

/* Memory that loops write belongs to the device. */
static inline void snl_gpu_mark(SnlInstance *rt, void *block, size_t bytes, bool of_loops)
{
    if (!of_loops)
        return;
    if (bytes < SNL_GPU_ZERO_LEAST)
        snl_gpu_advise(rt->gpu->device, block, snl_gpu_pages(bytes), cudaMemAdviseUnsetReadMostly);
    snl_gpu_advise(rt->gpu->device, block, snl_gpu_pages(bytes), cudaMemAdviseSetPreferredLocation);
    if (rt->gpu->own_stream && rt->bytes_used <= rt->machine_bytes / SNL_GPU_POPULATED)
        snl_gpu_populate(rt->gpu, block, snl_gpu_pages(bytes));
}

static inline void snl_gpu_watch(SnlInstance *rt) { rt->marker = snl_gpu_mark; }

/* The stand-in watches for code that does not wait. */
static inline void snl_gpu_watch_on(SnlGpu *) {}
static inline void snl_gpu_unwatch(SnlInstance *rt) { rt->marker = NULL; }

/* Entries of a list that room is made for without asking how many there are. */
static inline int64_t snl_gpu_entries(void) { return (int64_t)1 << 20; }

/* A number that code on the GPU makes, for the CPU that does not wait: at most this. */
static inline int64_t snl_gpu_peek(const SnlGpu *gpu, const int64_t *number, int64_t most)
{
    (void)gpu;
    (void)number;
    return most;
}

/* The lane's place, and what the lanes of a block or warp do together. */
__device__ static inline int64_t snl_lane_block(void) { return blockIdx.x; }
__device__ static inline int64_t snl_lane_blocks(void) { return gridDim.x; }
__device__ static inline int snl_lane_thread(void) { return (int)threadIdx.x; }
__device__ static inline int snl_lane_threads(void) { return (int)blockDim.x; }
__device__ static inline void snl_lane_barrier(void) { __syncthreads(); }

/* Where the caller stands on the stack of its lane, which grows downwards. */
__device__ static inline uint32_t snl_gpu_stack_here(void)
{
    char here;
    return (uint32_t)__cvta_generic_to_local(&here);
}

/* Blocks of a loop of which there may be so many. */
SNL_FN int64_t snl_gpu_blocks_most(int64_t most) { return most; }

/* A number that nothing changes while the loop runs. */
#define SNL_READ(place) __ldg(&(place))

/* Declares a variable of a type that the lanes of a block share, in its fast memory. */
#define SNL_SHARED(name, extents, ...) __shared__ __VA_ARGS__ name extents

template <typename Kernel>
__global__ void __launch_bounds__(Kernel::THREADS, 1) snl_gpu_start(Kernel kernel)
{
    kernel();
}

/* What a launch of a kernel names. */
template <typename Kernel>
static inline const void *snl_gpu_code(void)
{
    return (const void *)snl_gpu_start<Kernel>;
}

/* Starts a launch with its kernel, which is copied. */
static inline const char *snl_gpu_launch(SnlGpu *gpu, const SnlGpuLaunch *l, void *kernel)
{
    return snl_gpu_call(gpu->device, [=] {
        void *args[1] = {kernel};
        return cudaLaunchKernel(l->code, dim3((unsigned)l->blocks), dim3((unsigned)l->threads),
                                args, 0, (cudaStream_t)gpu->stream);
    });
}

/* Makes nodes of launches that lie one after another with their kernels. */
static inline const char *snl_gpu_graph_fill(cudaGraph_t graph, const char *data, int64_t bytes)
{
    cudaGraphNode_t node = NULL;
    return snl_gpu_each_launch(data, bytes, [graph, &node](const SnlGpuLaunch *l, void *kernel) {
        const cudaGraphNode_t before = node;
        cudaKernelNodeParams params = {};
        params.func = (void *)l->code;
        params.gridDim = dim3((unsigned)l->blocks);
        params.blockDim = dim3((unsigned)l->threads);
        params.kernelParams = &kernel;
        return snl_gpu_trouble(
            cudaGraphAddKernelNode(&node, graph, &before, before != NULL, &params));
    });
}

/* A graph of them, or NULL. */
static inline void *snl_gpu_graph_new(int device, const char *data, int64_t bytes)
{
    const SnlGpuDevice chosen(device);
    cudaGraph_t graph;
    cudaGraphExec_t made = NULL;
    if (!snl_gpu_succeeds(chosen.error) || !snl_gpu_succeeds(cudaGraphCreate(&graph, 0)))
        return NULL;
    if (snl_gpu_graph_fill(graph, data, bytes) ||
        !snl_gpu_succeeds(cudaGraphInstantiateWithFlags(&made, graph, 0)))
        made = NULL;
    snl_gpu_succeeds(cudaGraphDestroy(graph));
    return made;
}

/* Starts all of it. */
static inline const char *snl_gpu_graph_run(SnlGpu *gpu, void *graph)
{
    return snl_gpu_call(gpu->device, [=] {
        return cudaGraphLaunch((cudaGraphExec_t)graph, (cudaStream_t)gpu->stream);
    });
}

/* NULL is ignored. */
static inline void snl_gpu_graph_free(int device, void *graph)
{
    if (graph)
        snl_gpu_call(device, [graph] { return cudaGraphExecDestroy((cudaGraphExec_t)graph); });
}

#endif
