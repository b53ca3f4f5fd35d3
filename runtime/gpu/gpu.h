/* gpu.h - programs for CUDA: memory, parallel loops on the GPU, waiting for it.
 *
 * Included by snlrt.h where SNL_GPU is defined, into C++.  An instance, its trees and all they own
 * lie in memory that both sides see.  Loops are queued on the stream of the instance; the CPU waits
 * (snl_gpu_wait) before it touches what loops may use, and takes over their errors and prints then.
 * The number of lanes depends on the number of iterations alone, so results are the same on every
 * GPU and on the stand-in.
 */
#ifndef SNL_GPU_GPU_H
#define SNL_GPU_GPU_H

#include <stdlib.h>

/* Of so many bytes of a device those that the program may take: SNL_DEVICE_MEMORY at most, where
 * that is set, as for several programs that share one. */
static inline uint64_t snl_gpu_share_of(uint64_t bytes)
{
    const char *set = getenv("SNL_DEVICE_MEMORY");
    const uint64_t most = set ? strtoull(set, NULL, 10) : 0;
    return most && most < bytes ? most : bytes;
}

#ifdef __CUDACC__
#include "gpu_cuda.h"
#else
#include "sim_host.h"
#endif
#include "../core/core_cell.h"
#include "../core/core_gc.h"
#include "../core/core_listgen.h"
#include "../core/core_races.h"

/* A table of constants for both sides, and its name where code may run on either. */
#ifdef __CUDACC__
#define SNL_TABLE(cpu, gpu, ...) \
    [[maybe_unused]] static const cpu = __VA_ARGS__; \
    [[maybe_unused]] static __device__ const gpu = __VA_ARGS__
#else
#define SNL_TABLE(cpu, gpu, ...) [[maybe_unused]] static const cpu = __VA_ARGS__
#endif
#ifdef __CUDA_ARCH__
#define SNL_ON_SIDE(table) table##_gpu
#else
#define SNL_ON_SIDE(table) table
#endif

/* Lanes of a loop at most; of one for which fewer are no use: it has no sums to join and takes no
 * memory. More than run at a time, so that all parts of a GPU end at about the same time. */
enum { SNL_GPU_LANES = 1 << 18, SNL_GPU_LANES_FREE = 1 << 22 };

/* Bytes for results of the loops that run; more are scratch memory. */
enum { SNL_GPU_RESULTS = 256 << 10 };

/* A piece of scratch memory. */
typedef struct SnlGpuBlock {
    struct SnlGpuBlock *next;
    uint64_t bytes;
    uint64_t unused[6];         /* what follows is aligned as all memory of trees */
} SnlGpuBlock;

/* ---- memory ---- */

static inline void *snl_gpu_alloc(void *ctx, size_t bytes, size_t align)
{
    (void)align;                /* pages */
    return snl_gpu_memory_get((int)(intptr_t)ctx, bytes);
}

static inline void snl_gpu_release(void *ctx, void *block, size_t bytes)
{
    snl_gpu_memory_put((int)(intptr_t)ctx, block, bytes);
}

/* Lets *memory, unless the caller gave an allocator, be memory that the device sees.  NULL, or what
 * is wrong with the device. */
static inline const char *snl_gpu_memory(SnlAllocator *memory, int device)
{
    const char *trouble = snl_gpu_choose(device);
    if (!trouble && !memory->alloc)
        *memory = (SnlAllocator){snl_gpu_alloc, snl_gpu_release, (void *)(intptr_t)device};
    return trouble;
}

/* ---- the stream ---- */

/* Says that the stream of the caller cannot be used now. */
static inline snl_status snl_gpu_stream_unfit(SnlInstance *rt, const char *trouble)
{
    return (snl_fail)(rt, SNL_EINVAL, NULL, 0, "the stream for GPU %d cannot be used: %s",
                      rt->gpu->device, trouble);
}

/* Before something is started: false where the caller uses the stream for what loops cannot be part
 * of, which is an error. */
static inline bool snl_gpu_may_start(SnlInstance *rt)
{
    SnlGpu *gpu = rt->gpu;
    const bool asks = !gpu->busy && !gpu->copying && !gpu->own_stream && !gpu->stopped;
    const char *trouble = asks ? snl_gpu_stream_trouble(gpu) : NULL;
    if (trouble)
        snl_gpu_stream_unfit(rt, trouble);
    return !trouble;
}

/* ---- opening ---- */

/* Has a large block zeroed where loops will use it; false: the caller shall do it. */
static inline bool snl_gpu_zero(SnlInstance *rt, void *block, size_t bytes)
{
    return bytes >= SNL_GPU_ZERO_LEAST && snl_gpu_may_start(rt) &&
           snl_gpu_memory_zero(rt->gpu, block, bytes);
}

/* Lets pools reserve addresses, where the device offers that. */
static inline void snl_gpu_open_ranges(SnlInstance *rt)
{
    SnlRangeMaker maker, *kept;
    if (!snl_gpu_ranges(rt->gpu, &maker))
        return;
    kept = (SnlRangeMaker *)snl_memory_get(rt, sizeof *kept);
    if (kept)
        *kept = maker;
    rt->ranges = rt->gpu->ranges = kept;
}

static inline bool snl_gpu_move(SnlInstance *rt, const SnlNest *n, char *to, const char *from,
                                SnlOutside outside);

/* Takes the stream of the caller, or makes one (NULL). */
static inline snl_status snl_gpu_open_stream(SnlInstance *rt, void *stream)
{
    SnlGpu *gpu = rt->gpu;
    const char *trouble;
    gpu->stream = stream;
    if (stream) {
        trouble = snl_gpu_stream_trouble(gpu);
        return trouble ? snl_gpu_stream_unfit(rt, trouble) : SNL_OK;
    }
    trouble = snl_gpu_stream_new(gpu->device, &gpu->stream);
    gpu->own_stream = !trouble;
    return trouble ? (snl_fail)(rt, SNL_EDEVICE, NULL, 0, "GPU %d has no stream: %s", gpu->device,
                                trouble)
                   : SNL_OK;
}

/* Prepares the instance; trouble is what snl_gpu_memory gave, stream may be NULL. */
static inline snl_status snl_gpu_open(SnlInstance *rt, int device, void *stream,
                                      const char *trouble)
{
    SnlGpu *gpu = trouble ? NULL : (SnlGpu *)calloc(1, sizeof *gpu);
    const char *seed = getenv("SNL_SIM_SEED");
    if (trouble)
        return (snl_fail)(rt, SNL_EDEVICE, NULL, 0, "GPU %d cannot be used: %s", device, trouble);
    rt->notes = gpu ? (SnlGpuNotes *)snl_memory_get(rt, sizeof *rt->notes) : NULL;
    if (!rt->notes) {
        free(gpu);
        return snl_fail_memory(rt, "the GPU", sizeof *rt->notes);
    }
    rt->gpu = gpu;
    rt->graph_starts = &gpu->graph_starts;
    rt->lanes = SNL_GPU_AT_ONCE;
    gpu->device = device;
    gpu->version = 1;
    gpu->seed = seed ? strtoull(seed, NULL, 10) : 1;
    if (snl_gpu_open_stream(rt, stream))
        return snl_status_of(rt);
    if (rt->allocator.alloc == snl_gpu_alloc) {
        rt->machine_bytes = snl_gpu_device_bytes(device);
        snl_gpu_watch(rt);
        snl_gpu_open_ranges(rt);
        rt->mover = snl_gpu_move;
        rt->zeroer = snl_gpu_zero;
    }
    return SNL_OK;
}

/* Memory for the loops that are started next, zeroed, until others are started when these have
 * ended; NULL after an error. */
static inline void *snl_gpu_scratch(SnlInstance *rt, uint64_t bytes)
{
    SnlGpuBlock *block = (SnlGpuBlock *)snl_memory_get(rt, sizeof *block + bytes);
    if (!block) {
        snl_fail_memory(rt, "a loop", bytes);
        return NULL;
    }
    block->bytes = sizeof *block + bytes;
    block->next = rt->gpu->scratch;
    rt->gpu->scratch = block;
    return block + 1;
}

/* The loops that had scratch memory have ended. */
static inline void snl_gpu_scratch_ends(SnlGpu *gpu)
{
    while (gpu->scratch) {
        SnlGpuBlock *block = gpu->scratch;
        gpu->scratch = block->next;
        block->next = gpu->read;
        gpu->read = block;
    }
}

/* What they made of it was read. */
static inline void snl_gpu_scratch_free(SnlInstance *rt)
{
    SnlGpu *gpu = rt->gpu;
    while (gpu->read) {
        SnlGpuBlock *block = gpu->read;
        gpu->read = block->next;
        snl_memory_put(rt, block, block->bytes);
    }
}

/* The same for what loops only write to: it lies where the CPU will read it, so that no page
 * wanders. */
static inline void *snl_gpu_results(SnlInstance *rt, uint64_t bytes)
{
    SnlGpu *gpu = rt->gpu;
    uint64_t taken = (bytes + SNL_ALIGN - 1) / SNL_ALIGN * SNL_ALIGN;
    char *results;
    if (!gpu->results)
        gpu->results = (char *)snl_gpu_pinned_get(gpu->device, SNL_GPU_RESULTS);
    if (!gpu->results || taken > SNL_GPU_RESULTS - gpu->results_used)
        return snl_gpu_scratch(rt, bytes);
    results = gpu->results + gpu->results_used;
    gpu->results_used += taken;
    return memset(results, 0, taken);
}

/* ---- notes of the GPU ---- */

SNL_ON_GPU static inline int64_t snl_gpu_lane(void)
{
    return snl_lane_block() * snl_lane_threads() + snl_lane_thread() + 1;
}

/* The parts of a note. */
typedef struct {
    SnlGpuNote note;
    const char *file, *format;
    const SnlArg *args;
} SnlGpuText;

static inline void snl_gpu_read(const void *from, SnlGpuText *text)
{
    const char *at = (const char *)from;
    memcpy(&text->note, at, sizeof text->note);
    at += sizeof text->note;
    text->file = at;
    at += (strlen(at) + 8) / 8 * 8;
    text->format = at;
    at += (strlen(at) + 8) / 8 * 8;
    text->args = (const SnlArg *)(const void *)at;
}

/* Formats as printf does; every conversion has the value that its letters ask for. */
static inline void snl_gpu_printf(char *out, size_t room, const SnlGpuText *text)
{
    size_t used = 0;
    int next = 0;
    for (const char *s = text->format; *s && used + 1 < room;) {
        size_t plain = strcspn(s, "%"), spec;
        char one[32];
        int written;
        if (plain || s[1] == '%') {
            written = snprintf(out + used, room - used, "%.*s", (int)(plain ? plain : 1), s);
            s += plain ? plain : 2;
        } else {
            const SnlArg *a = &text->args[next++];
            spec = strcspn(s, "diugxs") + 1;
            snprintf(one, sizeof one, "%.*s", (int)spec, s);
            if (a->tag == SNL_STRING)
                written = snprintf(out + used, room - used, one, (const char *)a->data);
            else if (a->tag == SNL_F64)
                written = snprintf(out + used, room - used, one, *(const double *)a->data);
            else if (strstr(one, "ll"))
                written = snprintf(out + used, room - used, one, *(const long long *)a->data);
            else
                written = snprintf(out + used, room - used, one, (int)*(const int64_t *)a->data);
            s += spec;
        }
        used += (size_t)written < room - used ? (size_t)written : room - used;
    }
}

static inline void snl_gpu_take_prints(SnlInstance *rt)
{
    SnlGpuNotes *notes = rt->notes;
    uint64_t end = notes->printed < SNL_GPU_PRINT ? notes->printed : SNL_GPU_PRINT;
    for (uint64_t at = 0; at + sizeof(SnlGpuNote) <= end;) {
        const uint64_t *note = notes->prints + at / 8;
        SnlGpuText text;
        if (!((const SnlGpuNote *)(const void *)note)->bytes)   /* it had no room */
            break;
        snl_gpu_read(note, &text);
        snl_print_line(rt, text.format, text.note.count, text.args);
        at += (uint64_t)text.note.bytes;
    }
    if (notes->lost) {
        SnlArg lost = {SNL_U64, 0, 0, &notes->lost};
        snl_print_line(rt, "... and {} lines that had no room", 1, &lost);
    }
    memset(notes->prints, 0, end);
    notes->printed = notes->lost = 0;
}

/* Where the device could not run a loop, that is the error. */
static inline void snl_gpu_take_error(SnlInstance *rt)
{
    SnlGpuNotes *notes = rt->notes;
    SnlGpuText text;
    char plain[SNL_MESSAGE];
    if (!notes->taken || snl_status_of(rt) == SNL_EDEVICE)
        return;
    snl_gpu_read(notes->error, &text);
    snl_clear_error(rt);
    bool placed = text.note.placed || notes->later_line;
    const char *file = text.note.placed ? text.file : placed ? notes->later_file : NULL;
    int line = text.note.placed ? text.note.line : notes->later_line;
    if (file) {                 /* the record keeps the address */
        snprintf(rt->gpu->file, sizeof rt->gpu->file, "%s", file);
        file = rt->gpu->file;
    }
    if (text.note.plain) {
        snl_gpu_printf(plain, sizeof plain, &text);
        (snl_fail)(rt, (snl_status)text.note.status, file, line, "%s", plain);
    } else
        (snl_fail_format)(rt, (snl_status)text.note.status, file, line, text.format,
                          text.note.count, text.args);
    notes->taken = notes->later_line = 0;
    notes->lane = 0;
}

/* ---- running ---- */

#include "gpu_array.h"
#include "gpu_graph.h"

/* Waits for the loops that were started, if any; takes over their prints and error. A device that
 * has stopped stays so. */
static inline void snl_gpu_finish(SnlInstance *rt)
{
    SnlGpu *gpu = rt->gpu;
    if (!gpu->busy && !gpu->copying && !gpu->stopped)
        return;
    snl_gpu_flush(rt);
    gpu->busy = gpu->copying = false;
    gpu->results_used = 0;
    snl_gpu_scratch_ends(gpu);
    if (!gpu->stopped)
        gpu->stopped = snl_gpu_stream_wait(gpu);
    snl_gpu_arrays_end(gpu);
    if (gpu->stopped)
        (snl_fail)(rt, SNL_EDEVICE, NULL, 0, "GPU %d stopped: %s", gpu->device, gpu->stopped);
    else {
        snl_gpu_take_prints(rt);
        snl_gpu_take_error(rt);
    }
}

/* The same, and releases scratch memory; the CPU may go on with the trees. */
static inline void snl_gpu_wait(SnlInstance *rt)
{
    SnlGpu *gpu = rt->gpu;
    if (!gpu)
        return;
    snl_gpu_finish(rt);
    gpu->version++;             /* the CPU may change activity now */
    snl_gpu_scratch_ends(gpu);
    snl_gpu_scratch_free(rt);
}

/* Sets the seed of all random numbers that follow. */
static inline void snl_gpu_seed(SnlInstance *rt, uint64_t seed)
{
    snl_instance_seed(rt, seed);
    rt->gpu->launch = 0;
}

/* Ends the use of the GPU by the instance. */
static inline void snl_gpu_close(SnlInstance *rt)
{
    SnlGpu *gpu = rt->gpu;
    if (!gpu)
        return;
    snl_gpu_wait(rt);
    snl_gpu_graphs_free(rt);
    snl_gpu_arrays_end(gpu);
    snl_gpu_arrays_free(gpu);
    snl_gpu_pinned_put(gpu->device, gpu->results, SNL_GPU_RESULTS);
    snl_memory_put(rt, gpu->ranges, sizeof *gpu->ranges);
    rt->ranges = NULL;
    snl_gpu_unwatch(rt);
    if (gpu->own_stream)
        snl_gpu_stream_free(gpu->device, gpu->stream);
    snl_memory_put(rt, rt->notes, sizeof *rt->notes);
    rt->gpu = NULL;
    rt->notes = NULL;
    rt->graph_starts = NULL;
    free(gpu);
}

/* Who does an iteration of a loop: each lane those of its own, or all lanes of a block together. */
typedef enum { SNL_EACH_LANE, SNL_EACH_BLOCK } SnlGpuWork;

/* Blocks of a loop with so many iterations, which has so many lanes at most. */
SNL_FN int64_t snl_gpu_blocks(SnlGpuWork work, int threads, int64_t lanes, int64_t iterations)
{
    int64_t blocks = work == SNL_EACH_BLOCK ? iterations : (iterations + threads - 1) / threads;
    int64_t most = snl_gpu_blocks_most(lanes / threads);
    return blocks < most ? blocks : most;
}

/* What stands for an index that is less than an extent beyond 0 or `last`: as far from the other
 * end, or as far inside; some index inside for those farther away. */
SNL_FN int64_t snl_gpu_wrapped(int64_t at, int64_t last)
{
    const int64_t x = at < 0 ? at + last + 1 : at > last ? at - last - 1 : at;
    return snl_min_i64(snl_max_i64(x, 0), last);
}

SNL_FN int64_t snl_gpu_mirrored(int64_t at, int64_t last)
{
    const int64_t x = at < 0 ? -1 - at : at > last ? 2 * last + 1 - at : at;
    return snl_min_i64(snl_max_i64(x, 0), last);
}

/* A part of a loop: from, from + step, ... below to. */
typedef void (*SnlGpuLoop)(void *args, int64_t from, int64_t to, int64_t step);

/* The part of a loop that a lane does, of a block of N lanes, which all come here. */
template <SnlGpuLoop loop, SnlGpuWork WORK, int N, typename Args>
SNL_ON_GPU static inline void
snl_gpu_part(Args *args, int64_t block, int64_t blocks, int64_t iterations)
{
    if (WORK == SNL_EACH_BLOCK)
        loop(args, block, iterations, blocks);
    else
        loop(args, block * N + snl_lane_thread(), iterations, blocks * N);
}

/* Runs a part of a loop on each lane of blocks of N. */
template <SnlGpuLoop loop, SnlGpuWork WORK, int N, int LANES, typename Args>
struct SnlGpuFor {
    enum { THREADS = N };
    Args args;
    int64_t iterations;
    int64_t blocks() const { return snl_gpu_blocks(WORK, N, LANES, iterations); }
    SNL_ON_GPU void operator()()
    {
        snl_gpu_part<loop, WORK, N>(&args, snl_lane_block(), snl_lane_blocks(), iterations);
    }
};

/* A copy of something of the CPU for the loops that are started next, in memory that both sides
 * see. */
static inline void *snl_gpu_share_near(SnlInstance *rt, const void *what, uint64_t bytes)
{
    void *copy = snl_gpu_scratch(rt, bytes ? bytes : 1);
    if (copy)
        memcpy(copy, what, bytes);
    return copy;
}

/* The same in memory of the device, where there is some. */
static inline void *snl_gpu_share(SnlInstance *rt, const void *what, uint64_t bytes)
{
    const bool may = !snl_failed(rt) && snl_gpu_may_start(rt);
    void *copy = may ? snl_gpu_array_put(rt, what, bytes) : NULL;
    return copy ? copy : snl_gpu_share_near(rt, what, bytes);
}

/* A kernel that is too large to be an argument, in memory that lanes see. */
template <typename Kernel>
struct SnlGpuFar {
    enum { THREADS = Kernel::THREADS };
    Kernel *kernel;
    int64_t count;              /* of blocks */
    int64_t blocks() const { return count; }
    SNL_ON_GPU void operator()() const { (*kernel)(); }
};

/* Starts a kernel that is an argument, now or with what the loop of host code around it starts. */
template <typename Kernel>
static inline void snl_gpu_run_near(SnlInstance *rt, Kernel kernel)
{
    static_assert(alignof(Kernel) <= alignof(SnlGpuLaunch), "kernels lie behind launches");
    SnlGpuLaunch launch = {snl_gpu_code<Kernel>(), kernel.blocks(), Kernel::THREADS,
                           (int)sizeof kernel};
    const char *trouble;
    if (launch.blocks <= 0 || snl_failed(rt) || !snl_gpu_may_start(rt))
        return;
    snl_gpu_scratch_free(rt);
    rt->gpu->busy = true;
    snl_gpu_watch_on(rt->gpu);
    snl_gpu_clear_padding(&kernel); /* the queue is compared by bytes */
    if (snl_gpu_put(rt, &launch, &kernel))
        return;
    trouble = snl_gpu_launch(rt->gpu, &launch, &kernel);
    if (trouble)
        snl_gpu_launch_failed(rt, trouble);
}

/* Starts a kernel; one that is too large to be an argument is copied. */
template <typename Kernel>
static inline void snl_gpu_run(SnlInstance *rt, const Kernel &kernel)
{
    if constexpr (sizeof(Kernel) > SNL_GPU_ARGUMENTS) {
        void *copy = kernel.blocks() > 0 ? snl_gpu_share_near(rt, &kernel, sizeof kernel) : NULL;
        if (copy)
            snl_gpu_run_near(rt, SnlGpuFar<Kernel>{(Kernel *)copy, kernel.blocks()});
    } else
        snl_gpu_run_near(rt, kernel);
}

/* Starts a loop. */
template <SnlGpuLoop loop, SnlGpuWork WORK, int N, int LANES = SNL_GPU_LANES, typename Args>
static inline void snl_gpu_for(SnlInstance *rt, int64_t iterations, const Args &args)
{
    snl_gpu_run(rt, SnlGpuFor<loop, WORK, N, LANES, Args>{args, iterations});
}

/* Waits, and takes back what loops made of a copy. */
static inline void snl_gpu_unshare(SnlInstance *rt, void *what, const void *copy, uint64_t bytes)
{
    snl_gpu_finish(rt);
    if (copy && !snl_gpu_array_take(rt, what, copy, bytes))
        memcpy(what, copy, bytes);
}

#include "gpu_field_copy.h"
#include "gpu_scatter.h"
#include "gpu_stack.h"
#include "gpu_tree.h"

#endif
