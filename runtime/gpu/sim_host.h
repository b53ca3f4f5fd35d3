/* sim_host.h - what gpu.h needs, without a GPU: the functions of gpu_cuda.h on sim_lanes.h. */
#ifndef SNL_GPU_SIM_HOST_H
#define SNL_GPU_SIM_HOST_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim_lanes.h"
#include "sim_trap.h"
#include "../core/address_space.h"

static inline const char *snl_gpu_choose(int device)
{
    return device == 0 ? NULL : "there is no device of that number";
}

/* New memory holds anything: what is read before it is written to shall show. */
static inline void *snl_sim_poison(void *block, size_t bytes)
{
    enum { POISONED = 1 << 20 };        /* bytes, of large blocks that are not used as a whole */
    return memset(block, 0xa5, bytes < POISONED ? bytes : POISONED);
}

static inline void *snl_gpu_memory_get(int device, size_t bytes)
{
    void *block;
    (void)device;
    if (!snl_sim_traps())
        return aligned_alloc(64, (bytes + 63) / 64 * 64);
    block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : snl_sim_poison(block, bytes);
}

static inline void snl_gpu_memory_put(int, void *block, size_t bytes)
{
    if (snl_sim_traps())
        munmap(block, bytes);
    else
        free(block);
}

/* Bytes of a kernel that are arguments: few, so that larger ones are tested. */
enum { SNL_GPU_ARGUMENTS = 1024 };

/* Bytes that are worth zeroing by the GPU; it cannot be told who did it. */
enum { SNL_GPU_ZERO_LEAST = 1 << 12 };

static inline bool snl_gpu_memory_zero(SnlGpu *, void *block, size_t bytes)
{
    memset(block, 0, bytes);
    return true;
}

/* All but single elements is worth it, to be tested. */
enum { SNL_GPU_MOVE_LEAST = 128 };

static inline void *
snl_gpu_block_get(int device, size_t bytes)
{
    return snl_gpu_memory_get(device, bytes);
}

static inline void snl_gpu_block_put(int device, void *block, size_t bytes)
{
    if (block)
        snl_gpu_memory_put(device, block, bytes);
}

static inline void *
snl_gpu_pinned_get(int device, size_t bytes)
{
    return snl_gpu_memory_get(device, bytes);
}

static inline void
snl_gpu_pinned_put(int device, void *block, size_t bytes)
{
    snl_gpu_block_put(device, block, bytes);
}

static inline bool
snl_gpu_copy_in(const SnlGpu *, void *block, const void *from, size_t bytes)
{
    memcpy(block, from, bytes);
    return true;
}

static inline bool
snl_gpu_copy_out(const SnlGpu *, void *to, const void *block, size_t bytes)
{
    memcpy(to, block, bytes);
    return true;
}

/* Addresses of 4 GiB for each pool; what is not made cannot be touched. */
static inline void *snl_sim_reserve(void *, size_t bytes)
{
    void *start = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

static inline bool snl_sim_make(void *trap, void *start, size_t bytes)
{
    if (mprotect(start, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    if (snl_sim_traps())
        snl_sim_poison(start, bytes);
    if (trap)
        snl_sim_trap_add((SnlSimTrap *)trap, start, bytes);
    return true;
}

static inline void snl_sim_give_back(void *trap, void *start, size_t bytes)
{
    if (trap)
        snl_sim_trap_remove((SnlSimTrap *)trap, start, bytes);
    madvise(start, bytes, MADV_DONTNEED);
    mprotect(start, bytes, PROT_NONE);
}

static inline void snl_sim_release(void *, void *start, size_t bytes) { munmap(start, bytes); }

/* Fills in how pools get addresses; false where they cannot. */
static inline bool snl_gpu_ranges(const SnlGpu *gpu, SnlRangeMaker *m)
{
    *m = SnlRangeMaker{(int64_t)1 << 32, 1 << 16,           gpu->trap,      snl_sim_reserve,
                       snl_sim_make,     snl_sim_give_back, snl_sim_release};
    return true;
}

/* Bytes of the device: those of the machine. */
static inline uint64_t snl_gpu_device_bytes(int device)
{
    (void)device;
    return snl_gpu_share_of((uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
}

static inline const char *snl_gpu_stream_new(int, void **stream)
{
    *stream = NULL;
    return NULL;
}

static inline void snl_gpu_stream_free(int, void *) {}

static inline const char *snl_gpu_stream_trouble(const SnlGpu *) { return NULL; }

static inline const char *snl_gpu_stream_wait(SnlGpu *gpu)
{
    snl_sim_trap_set(gpu, false);
    return NULL;
}

/* With SNL_SIM_BLIND=ENTRIES the CPU knows no more than it would of a GPU, and has room for so many
 * entries of a list before it asks. Read before main, as lanes do not see the environment. */
static inline int64_t snl_sim_blind(void)
{
    const char *entries = getenv("SNL_SIM_BLIND");
    return entries ? strtoll(entries, NULL, 10) : 0;
}

static const int64_t snl_sim_entries = snl_sim_blind();

static inline int64_t snl_gpu_entries(void)
{
    return snl_sim_entries > 0 ? snl_sim_entries : (int64_t)1 << 20;
}

/* A number that code on the GPU makes, for the CPU that does not wait: here it is known, so that no
 * lane starts in vain, unless that code still waits in the queue. */
static inline int64_t snl_gpu_peek(const SnlGpu *gpu, const int64_t *number, int64_t most)
{
    return !gpu->repeating && snl_sim_entries == 0 && *number < most ? *number : most;
}

static inline int64_t snl_lane_block(void) { return snl_sim_place()->block; }
static inline int64_t snl_lane_blocks(void) { return snl_sim_place()->blocks; }
static inline int snl_lane_thread(void) { return snl_sim_place()->thread; }
static inline int snl_lane_threads(void) { return snl_sim_place()->threads; }
/* One in each line. */
#define snl_lane_barrier() snl_sim_barrier(__LINE__)

#define SNL_READ(place) (place)

/* Blocks run one after another; each finds anything in memory that its lanes share. */
#define SNL_SHARED(name, extents, ...) \
    static thread_local __VA_ARGS__ name extents; \
    static thread_local uint64_t name##_block; \
    if (snl_sim_share(&name##_block, sizeof name)) \
        (void)snl_sim_poison(&name, sizeof name)

/* Lanes that run at a time. */
enum { SNL_GPU_AT_ONCE = SNL_SIM_BLOCK_MAX };

/* Blocks of a loop: SNL_SIM_BLOCKS at most, so that loops of few iterations go on to a next one in
 * each block. Read before main: lanes do not see the environment. */
static inline int64_t snl_sim_blocks(void)
{
    const char *most = getenv("SNL_SIM_BLOCKS");
    return most ? strtoll(most, NULL, 10) : INT64_MAX;
}

static const int64_t snl_sim_blocks_most = snl_sim_blocks();

static inline int64_t snl_gpu_blocks_most(int64_t most)
{
    return most < snl_sim_blocks_most ? most : snl_sim_blocks_most;
}

/* What every lane runs. */
template <typename Kernel>
static void snl_gpu_start(void *kernel)
{
    Kernel copy = *(Kernel *)kernel;
    copy();
}

template <typename Kernel>
static inline const void *snl_gpu_code(void)
{
    return (const void *)snl_gpu_start<Kernel>;
}

static inline const char *snl_gpu_launch(SnlGpu *gpu, const SnlGpuLaunch *l, void *kernel)
{
    bool ended;
    snl_sim_trap_set(gpu, false);
    if (snl_sim_alone())
        ended = snl_sim_run_alone(gpu->seed++, l->blocks, l->threads, (void (*)(void *))l->code,
                                  kernel, (size_t)l->bytes);
    else
        ended = snl_sim_run(gpu->seed++, l->blocks, l->threads, (void (*)(void *))l->code, kernel);
    snl_sim_trap_set(gpu, true);
    return ended ? NULL
                 : "lanes of the stand-in wait for each other for ever, or at different "
                   "barriers, or share too much; or memory is out";
}

/* A graph runs what it was made of, whatever has become of that. */
typedef struct {
    int64_t bytes;
    alignas(16) char data[1];
} SnlSimGraph;

static inline void *snl_gpu_graph_new(int, const char *data, int64_t bytes)
{
    SnlSimGraph *graph =
        (SnlSimGraph *)aligned_alloc(16, sizeof *graph + (size_t)(bytes + 15) / 16 * 16);
    if (graph) {
        graph->bytes = bytes;
        memcpy(graph->data, data, (size_t)bytes);
    }
    return graph;
}

static inline const char *snl_gpu_graph_run(SnlGpu *gpu, void *graph)
{
    SnlSimGraph *g = (SnlSimGraph *)graph;
    return snl_gpu_each_launch(g->data, g->bytes, [gpu](const SnlGpuLaunch *l, void *kernel) {
        return snl_gpu_launch(gpu, l, kernel);
    });
}

static inline void snl_gpu_graph_free(int, void *graph) { free(graph); }

#endif
