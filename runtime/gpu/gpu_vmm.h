/* gpu_vmm.h - memory of pools by CUDA's virtual memory management; included by gpu_cuda.h.
 *
 * Trees are read and written by both sides. This is therefore for machines on which the CPU reaches
 * the memory of the GPU by the page tables of both (Grace Hopper and its like); there it is tried
 * with one granule. On all others pools are made of managed memory, which is reserved as addresses
 * anyway and gets its pages where it is touched. The functions are those of the driver. They are
 * looked up, so that programs need not be linked with it.
 */
#ifndef SNL_GPU_GPU_VMM_H
#define SNL_GPU_GPU_VMM_H

/* The functions of the driver. */
typedef struct {
    decltype(&cuMemAddressReserve) reserve;
    decltype(&cuMemAddressFree) free;
    decltype(&cuMemCreate) create;
    decltype(&cuMemRelease) release;
    decltype(&cuMemMap) map;
    decltype(&cuMemUnmap) unmap;
    decltype(&cuMemSetAccess) set_access;
    decltype(&cuMemGetAllocationGranularity) granularity;
} SnlGpuDriver;

/* Finds all of them; false where the driver is too old. */
static inline bool snl_gpu_driver(SnlGpuDriver *d)
{
    return snl_gpu_driver_find("cuMemAddressReserve", &d->reserve) &&
           snl_gpu_driver_find("cuMemAddressFree", &d->free) &&
           snl_gpu_driver_find("cuMemCreate", &d->create) &&
           snl_gpu_driver_find("cuMemRelease", &d->release) &&
           snl_gpu_driver_find("cuMemMap", &d->map) &&
           snl_gpu_driver_find("cuMemUnmap", &d->unmap) &&
           snl_gpu_driver_find("cuMemSetAccess", &d->set_access) &&
           snl_gpu_driver_find("cuMemGetAllocationGranularity", &d->granularity);
}

static inline CUmemAllocationProp snl_gpu_vmm_kind(void *ctx)
{
    CUmemAllocationProp kind = {};
    kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    kind.location.id = (int)(intptr_t)ctx;
    return kind;
}

static inline void *snl_gpu_vmm_reserve(void *, size_t bytes)
{
    SnlGpuDriver d;
    CUdeviceptr start = 0;
    return snl_gpu_driver(&d) && d.reserve(&start, bytes, 0, 0, 0) == CUDA_SUCCESS
               ? (void *)(uintptr_t)start
               : NULL;
}

static inline void snl_gpu_vmm_give_back(void *, void *start, size_t bytes)
{
    SnlGpuDriver d;
    if (snl_gpu_driver(&d))
        d.unmap((CUdeviceptr)(uintptr_t)start, bytes);
}

/* Memory of the device at these addresses, for both sides; it is gone when nothing maps it any
 * more. */
static inline bool snl_gpu_vmm_make(void *ctx, void *start, size_t bytes)
{
    const CUdeviceptr at = (CUdeviceptr)(uintptr_t)start;
    const CUmemAllocationProp kind = snl_gpu_vmm_kind(ctx);
    CUmemGenericAllocationHandle memory;
    CUmemAccessDesc access[2] = {};
    SnlGpuDriver d;
    bool mapped;
    if (!snl_gpu_driver(&d) || d.create(&memory, bytes, &kind, 0) != CUDA_SUCCESS)
        return false;
    mapped = d.map(at, bytes, 0, memory, 0) == CUDA_SUCCESS;
    d.release(memory);
    if (!mapped)
        return false;
    access[0].location = kind.location;
    access[1].location.type = CU_MEM_LOCATION_TYPE_HOST;
    access[0].flags = access[1].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (d.set_access(at, bytes, access, 2) == CUDA_SUCCESS)
        return true;
    d.unmap(at, bytes);
    return false;
}

static inline void snl_gpu_vmm_release(void *, void *start, size_t bytes)
{
    SnlGpuDriver d;
    if (snl_gpu_driver(&d))
        d.free((CUdeviceptr)(uintptr_t)start, bytes);
}

/* Fills in how pools get addresses, each as many as the device has bytes; false where they
 * cannot. */
static inline bool snl_gpu_ranges(const SnlGpu *gpu, SnlRangeMaker *m)
{
    void *const ctx = (void *)(intptr_t)gpu->device;
    const CUmemAllocationProp kind = snl_gpu_vmm_kind(ctx);
    size_t granule = 0, left = 0, all = 0;
    int coherent = 0;
    const SnlGpuDevice in_use(gpu->device);
    SnlGpuDriver d;
    void *start;
    bool works;
    if (!snl_gpu_succeeds(in_use.error) ||
        !snl_gpu_succeeds(cudaDeviceGetAttribute(
            &coherent, cudaDevAttrPageableMemoryAccessUsesHostPageTables, gpu->device)) ||
        !coherent || !snl_gpu_driver(&d) || !snl_gpu_succeeds(cudaMemGetInfo(&left, &all)) ||
        d.granularity(&granule, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM) != CUDA_SUCCESS ||
        granule == 0)
        return false;
    *m = SnlRangeMaker{(int64_t)(all / granule * granule),
                       (int64_t)granule,
                       ctx,
                       snl_gpu_vmm_reserve,
                       snl_gpu_vmm_make,
                       snl_gpu_vmm_give_back,
                       snl_gpu_vmm_release};
    start = snl_gpu_vmm_reserve(ctx, granule);
    works = start && snl_gpu_vmm_make(ctx, start, granule);
    if (works)
        snl_gpu_vmm_give_back(ctx, start, granule);
    if (start)
        snl_gpu_vmm_release(ctx, start, granule);
    return works;
}

#endif
