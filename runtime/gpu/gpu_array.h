/* gpu_array.h - arrays and variables of the CPU that loops use.
 *
 * Included by gpu.h. A loop gets a copy in memory of the device. The copy goes through memory that
 * the device reaches by itself, so the caller may change its own at once, and no page wanders. Both
 * blocks stay with the instance, for the arrays of the next calls, up to SNL_GPU_KEPT. Larger
 * arrays are copied to memory that both sides see. An SnlGpu owns the copies that loops may be
 * using, and the free ones.
 */
#ifndef SNL_GPU_GPU_ARRAY_H
#define SNL_GPU_GPU_ARRAY_H

/* Bytes of all copies that loops use, about, and of those that are kept while nobody does; what a
 * block may have more than twice what is needed. */
enum { SNL_GPU_KEPT = 64 << 20, SNL_GPU_MORE = 64 << 10 };

/* Where a loop finds a copy, and what it goes through. */
typedef struct SnlGpuArray {
    struct SnlGpuArray *next;
    uint64_t bytes;
    void *block, *stage;
} SnlGpuArray;

/* NULL blocks are ignored. */
static inline void snl_gpu_array_free(int device, SnlGpuArray *a)
{
    snl_gpu_block_put(device, a->block, (size_t)a->bytes);
    snl_gpu_pinned_put(device, a->stage, (size_t)a->bytes);
    free(a);
}

/* Frees those that are kept. */
static inline void snl_gpu_arrays_free(SnlGpu *gpu)
{
    while (gpu->free_arrays) {
        SnlGpuArray *a = gpu->free_arrays;
        gpu->free_arrays = a->next;
        snl_gpu_array_free(gpu->device, a);
    }
    gpu->free_array_bytes = 0;
}

/* Blocks for so many bytes, or NULL. */
static inline SnlGpuArray *snl_gpu_array_new(const SnlGpu *gpu, uint64_t bytes)
{
    SnlGpuArray *a = (SnlGpuArray *)calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->bytes = (bytes + SNL_ALIGN) / SNL_ALIGN * SNL_ALIGN;
    a->block = snl_gpu_block_get(gpu->device, (size_t)a->bytes);
    a->stage = a->block ? snl_gpu_pinned_get(gpu->device, (size_t)a->bytes) : NULL;
    if (a->stage)
        return a;
    snl_gpu_array_free(gpu->device, a);
    return NULL;
}

/* The same, one that is kept if it is not much larger; it is off the list. */
static inline SnlGpuArray *snl_gpu_array_get(SnlGpu *gpu, uint64_t bytes)
{
    for (SnlGpuArray **at = &gpu->free_arrays; *at; at = &(*at)->next) {
        SnlGpuArray *a = *at;
        if (a->bytes < bytes || a->bytes > 2 * bytes + SNL_GPU_MORE)
            continue;
        *at = a->next;
        gpu->free_array_bytes -= a->bytes;
        return a;
    }
    return snl_gpu_array_new(gpu, bytes);
}

/* The loops that used copies have ended: these are kept. */
static inline void snl_gpu_arrays_end(SnlGpu *gpu)
{
    while (gpu->arrays) {
        SnlGpuArray *a = gpu->arrays;
        gpu->arrays = a->next;
        a->next = gpu->free_arrays;
        gpu->free_arrays = a;
        gpu->free_array_bytes += a->bytes;
    }
    gpu->array_bytes = 0;
}

/* Frees all, where they are more than are kept. */
static inline void snl_gpu_arrays_trim(SnlGpu *gpu)
{
    if (gpu->free_array_bytes > SNL_GPU_KEPT)
        snl_gpu_arrays_free(gpu);
}

/* A copy for the loops that are started next, or NULL. */
static inline void *snl_gpu_array_put(SnlInstance *rt, const void *what, uint64_t bytes)
{
    SnlGpu *gpu = rt->gpu;
    SnlGpuArray *a;
    snl_gpu_arrays_trim(gpu);
    /* no wait here: the loop may have other copies */
    a = gpu->array_bytes + bytes <= SNL_GPU_KEPT ? snl_gpu_array_get(gpu, bytes) : NULL;
    if (!a)
        return NULL;
    gpu->array_bytes += a->bytes;
    a->next = gpu->arrays;
    gpu->arrays = a;
    gpu->copying = true;
    memcpy(a->stage, what, bytes);
    return snl_gpu_copy_in(gpu, a->block, a->stage, bytes) ? a->block : NULL;
}

/* Takes back what loops made of a copy, which have ended; false where it is none of these. */
static inline bool
snl_gpu_array_take(SnlInstance *rt, void *what, const void *copy, uint64_t bytes)
{
    SnlGpu *gpu = rt->gpu;
    SnlGpuArray *a = gpu->free_arrays;
    while (a && a->block != copy)
        a = a->next;
    if (!a || gpu->stopped)
        return a;
    if (snl_gpu_copy_out(gpu, a->stage, a->block, bytes))
        memcpy(what, a->stage, bytes);
    else
        (snl_fail)(rt, SNL_EDEVICE, NULL, 0, "GPU %d gives nothing back", gpu->device);
    return true;
}

#endif
