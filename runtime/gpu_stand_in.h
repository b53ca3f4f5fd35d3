/* gpu_stand_in.h - what gpu.h needs, without a GPU: the functions of gpu_cuda.h on gpu_sim.h. */
#ifndef SNL_GPU_STAND_IN_H
#define SNL_GPU_STAND_IN_H

#include <stdlib.h>

#include "gpu_sim.h"

static inline const char *snl_gpu_choose(int device)
{
    return device == 0 ? NULL : "there is no device of that number";
}

static inline void *snl_gpu_memory_get(int device, size_t bytes)
{
    (void)device;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static inline void snl_gpu_memory_put(void *block) { free(block); }

static inline const char *snl_gpu_stream_new(void **stream)
{
    *stream = NULL;
    return NULL;
}

static inline void snl_gpu_stream_free(void *stream) { (void)stream; }

static inline const char *snl_gpu_stream_wait(void *stream)
{
    (void)stream;
    return NULL;
}

/* A number that code on the GPU makes, for the CPU that does not wait: here it is known, so that no lane
 * starts in vain. */
static inline int64_t snl_gpu_peek(const int64_t *number, int64_t most)
{
    return *number < most ? *number : most;
}

static inline int64_t snl_lane_block(void) { return snl_sim_place()->block; }
static inline int64_t snl_lane_blocks(void) { return snl_sim_place()->blocks; }
static inline int snl_lane_thread(void) { return snl_sim_place()->thread; }
static inline int snl_lane_threads(void) { return snl_sim_place()->threads; }
static inline void snl_lane_barrier(void) { snl_sim_barrier(); }

#define SNL_READ(place) (place)

/* Blocks run one after another. */
#define SNL_SHARED static thread_local

/* What every lane runs. */
template <typename Kernel>
static void snl_gpu_start(void *kernel)
{
    Kernel copy = *(Kernel *)kernel;
    copy();
}

template <typename Kernel>
static inline const char *snl_gpu_launch(uint64_t seed, int device, void *stream, int64_t blocks,
                                         const Kernel &kernel)
{
    Kernel copy = kernel;
    (void)device;
    (void)stream;
    return snl_sim_run(seed, blocks, Kernel::THREADS, snl_gpu_start<Kernel>, &copy)
               ? NULL
               : "lanes of the stand-in wait for each other for ever, or memory is out";
}

#endif
