/* instance.h - one running program: memory, threads, random numbers, the error record, print.
 *
 * An SnlInstance belongs to whoever runs the program; generated code embeds it.  There are no
 * globals: several instances may live in one process.  The library never prints, aborts or exits;
 * a function that fails records the error in the instance.  The first error wins and stays until
 * snl_clear_error.  All memory of trees is zeroed, aligned to 64 bytes and counted in bytes_used.
 */
#ifndef SNL_CORE_INSTANCE_H
#define SNL_CORE_INSTANCE_H

#include "../field/copy_nest.h"
#include "platform.h"
#include "../snl_api.h"
#include "../program/snl_format.h"
#include "../math/snl_random.h"
#include "../math/snl_scalar.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SNL_MESSAGE = 1024, SNL_ALIGN = 64 };

/* The first error since the record was cleared. */
typedef struct {
    int status;                 /* a snl_status; set first: who fails too, or asks, stops */
    int taken;                  /* set by the thread that writes the record */
    int thread;                 /* its number in the loop, from 1 on; 0: none */
    const char *file;           /* of the program, or NULL */
    int line;
    char text[SNL_MESSAGE];
    char message[SNL_MESSAGE + 256];    /* "file:line: text" */
} SnlErrorRecord;

/* Whether loops of an instance that was given no number of threads pay on several; parallel.c.
 * Times are in seconds. */
typedef struct {
    bool automatic;
    int calm;                   /* loops that are not timed after a good one */
    int until_look;             /* loops until one is timed again */
    double credit;              /* that threads may still lose, against one */
    double worked;              /* in the loop that began the last rest */
    double rest;                /* that loops still work on one thread */
    double rest_length;         /* of the next rest, at least */
} SnlPace;

/* How strips of large arrays are stored; stream_store.h. */
typedef enum { SNL_STORE_THROUGH, SNL_STORE_PAST, SNL_STORE_WAYS } SnlStoreWay;

/* What parts of a loop measured; several threads write it. */
typedef struct {
    int64_t parts;              /* that began so far */
    int64_t least[SNL_STORE_WAYS];      /* nanoseconds for 256 KB, 0: not measured */
} SnlStores;

/* Loops that measure apart from each other: a copy and a fill may be faster in other ways. */
enum { SNL_STORES_APART = 32 };

/* Addresses that were mapped for blocks of one huge page and are not in use yet. */
typedef struct {
    char *next;
    size_t left;                /* bytes */
    int lock;
} SnlMapped;

struct SnlInstance;
struct SnlPool;

/* What a module keeps in an instance, and how it is released. */
typedef struct {
    /* Gives back copies that no loop uses; true if there were any.  NULL: it has none. */
    bool (*give_back)(struct SnlInstance *rt);
    /* Releases the rest where the instance ends.  NULL: there is none. */
    void (*end)(struct SnlInstance *rt);
} SnlOwner;

enum { SNL_OWNERS = 8 }; /* more than modules keep something */

typedef struct SnlInstance {
    SnlAllocator allocator;
    uint64_t memory_limit;      /* bytes, 0: none */
    uint64_t machine_bytes;     /* that the system's allocator can give at most, 0: not known */
    uint64_t bytes_used;
    SnlMapped mapped;
    int threads;                /* at least 1 */
    SnlPace pace;
    SnlStores stores[SNL_STORES_APART];
    bool alone;                 /* no loop runs on several threads */
    int loops;                  /* that run, one inside of the other */
    uint64_t seed;
    uint64_t launch;            /* parallel loops started so far, the first is number 1 */
    SnlRandom random;           /* of host code: launch 0, last iteration */
    SnlPrintSink print;         /* NULL: standard output */
    void *print_context;
    int print_lock;             /* of the thread of a loop that prints */
    struct SnlProgress *bar;    /* that lines stand above on a terminal, or NULL; see snl_main.h */
    struct SnlRaces *races;     /* stores of the loop that runs, or NULL; see races.h */
    struct SnlScatter *scatter; /* copies that threads add to, or NULL; see privatize.h */
    struct SnlLine *line;       /* memory for a copy of lists, or NULL; see packed_lists.h */
    struct SnlKeptOrder *orders; /* of iterations, see reorder.h */
    const SnlOwner *owned[SNL_OWNERS]; /* the modules that keep something here */
    /* finds memory where there is none, see snl_find_memory; NULL: there are no trees yet */
    bool (*finder)(struct SnlInstance *, const struct SnlPool *but);
    int copies_lock;            /* of `owned`, and of who gives copies back */
    int copies_freed;           /* how often they were */
    const char *kernel;         /* that runs, or NULL: host code; for who reports a crash */
    struct SnlStats *stats;     /* records of calls, or NULL; see stats.h */
    struct SnlTape *tape;       /* what derivatives need, or NULL; see tape.h */
    struct SnlMeasure *measure; /* of a benchmark, or NULL: its loop runs once; see bench_timer.h */
    bool measured;              /* the loop without one has run */
    const struct SnlProgramDesc *program;       /* of a compiled program, or NULL; see program.h */
    struct SnlTree **trees;     /* its trees by number, NULL for one that does not exist now */
    struct SnlGpu *gpu;         /* of a program for a GPU, for the CPU alone; see gpu.h */
    struct SnlGpuNotes *notes;  /* there: what lanes tell the CPU; see gpu_errors.h */
    const int64_t *graph_starts;        /* there: how often the launches of an iteration were
                                         * started as a whole */
    int64_t lanes;              /* there: how many run at a time at most, 0: not known */
    const struct SnlRangeMaker *ranges; /* there: how addresses for pools are reserved, or NULL; see
                                         * address_space.h */
    /* there: who runs nests, where true is given; see gpu_field_copy.h */
    bool (*mover)(struct SnlInstance *, const SnlNest *, char *to, const char *from,
                  SnlOutside outside);
    /* there: zeroes a block of the allocator, where true is given */
    bool (*zeroer)(struct SnlInstance *, void *block, size_t bytes);
    /* there: is told of blocks that the CPU leaves alone while loops run, and of those that are
     * released; NULL: nobody is */
    void (*marker)(struct SnlInstance *, void *block, size_t bytes, bool of_loops);
    SnlErrorRecord error;
} SnlInstance;

/* Fills in an instance; allocator may be NULL, threads 0 means as many as there are processors,
 * memory_limit 0 none. */
void snl_instance_init(SnlInstance *rt, const SnlAllocator *allocator, int threads, uint64_t seed,
                       uint64_t memory_limit);

/* Ends an instance; its trees must have been destroyed. */
void snl_instance_free(SnlInstance *rt);

/* Notes that a module keeps something in the instance, at its first use. */
void snl_own(SnlInstance *rt, const SnlOwner *owner);

/* Gives back copies that loops made and that are kept for the next ones, but for those of the loop
 * that runs. */
void snl_copies_free(SnlInstance *rt);

/* Zeroed memory for the instance of a program, from the allocator or the system; NULL without. */
void *snl_instance_new(size_t bytes, const SnlAllocator *allocator);

/* Releases it; *allocator may lie in it. */
void snl_instance_delete(void *program, size_t bytes, const SnlAllocator *allocator);

/* Sets the seed of all random numbers that follow. */
void snl_instance_seed(SnlInstance *rt, uint64_t seed);

/* Records an error unless there is one; returns the status of the record.  file may be NULL. */
snl_status snl_fail(SnlInstance *rt, snl_status status, const char *file, int line,
                    const char *format, ...) SNL_PRINTF(5, 6);

/* Records an error with a text in the format of print. */
snl_status snl_fail_format(SnlInstance *rt, snl_status status, const char *file, int line,
                           const char *format, int count, const SnlArg *args);

/* Records that so many bytes for something could not be had. */
snl_status snl_fail_memory(SnlInstance *rt, const char *what, uint64_t bytes);

/* Records an error, SNL_EINVAL, where an array argument has an extent below 0 or above `most`, or
 * elements and no place.  The extents are int64_t. */
snl_status snl_check_array(SnlInstance *rt, const char *name, const void *array, int64_t most,
                           int axes, ...);

/* Names the place of a recorded error that has none; in a loop on several threads only that of the
 * calling one. */
void snl_error_place(SnlInstance *rt, const char *file, int line) SNL_COLD;

/* Forgets the error that was recorded. */
void snl_forget_error(SnlInstance *rt) SNL_COLD;

/* Forgets the error, if there is one: each kernel begins so, on the CPU. */
static inline void snl_clear_error(SnlInstance *rt)
{
    if (SNL_UNLIKELY(SNL_LOAD(&rt->error.taken)))
        snl_forget_error(rt);
}

/* Prints a line through the sink of the instance. */
void snl_print_line(SnlInstance *rt, const char *format, int count, const SnlArg *args);

#ifdef __cplusplus
}
#endif
#ifdef SNL_GPU
#include "../gpu/gpu_errors.h"
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* The index, when it is among the extent indices from first on; else records an error with the
 * name of what is indexed and the number of the axis, and gives first. */
SNL_FN int64_t snl_check_index(SnlInstance *rt, const char *file, int line, const char *what,
                               int axis, int64_t index, int64_t first, int64_t extent)
{
    if (SNL_LIKELY((uint64_t)index - (uint64_t)first < (uint64_t)extent))
        return index;
    snl_fail(rt, SNL_ERANGE, file, line,
             "index %lld is out of range: %s has %lld to %lld along axis %d", (long long)index,
             what, (long long)first, (long long)(first + extent - 1), axis);
    return first;
}

/* The same for an index that was a u64, and so is none below 0. */
SNL_FN int64_t snl_check_index_u64(SnlInstance *rt, const char *file, int line, const char *what,
                                   int axis, int64_t index, int64_t first, int64_t extent)
{
    if (SNL_LIKELY(index >= 0))
        return snl_check_index(rt, file, line, what, axis, index, first, extent);
    snl_fail(rt, SNL_ERANGE, file, line,
             "index %llu is out of range: %s has %lld to %lld along axis %d",
             (unsigned long long)index, what, (long long)first, (long long)(first + extent - 1),
             axis);
    return first;
}

/* The status of the recorded error, or SNL_OK. */
SNL_FN snl_status snl_status_of(const SnlInstance *rt)
{
    return (snl_status)SNL_LOAD(&rt->error.status);
}

/* True once an error was recorded. */
SNL_FN bool snl_failed(const SnlInstance *rt)
{
    return SNL_UNLIKELY(SNL_LOAD_RELAXED(&rt->error.status) != SNL_OK);
}

/* True if the calling thread has used up its stack but for a reserve and that many bytes. */
bool snl_stack_is_low(size_t bytes);

/* The lower end of the thread's stack, and how many bytes above it are the reserve: all that
 * addresses reach, until snl_stack_is_low has asked the system. */
typedef struct {
    uintptr_t low, reserve;
} SnlStack;
#define SNL_STACK_UNKNOWN (UINTPTR_MAX / 2)

/* The same on either side. Code for the CPU alone looks itself, and asks where it seems so; tcc has
 * no variables of threads. */
#if defined SNL_GPU || defined __TINYC__
#define SNL_STACK_IS_LOW(rt, bytes)                                                              \
    SNL_SPLIT(SNL_GPU_STACK_IS_LOW(rt, bytes), snl_stack_is_low(bytes))
#else
extern __thread SnlStack snl_stack;
#define SNL_STACK_IS_LOW(rt, bytes)                                                              \
    ((void)(rt),                                                                                 \
     SNL_UNLIKELY((uintptr_t)__builtin_frame_address(0) - snl_stack.low <                        \
                  snl_stack.reserve + (bytes)) &&                                                \
         snl_stack_is_low(bytes))
#endif

/* Names the place of a recorded error, if there is one that has none; in a loop only that of an
 * error of the calling thread. */
SNL_FN void snl_error_at(SnlInstance *rt, const char *file, int line)
{
    if (SNL_UNLIKELY(snl_failed(rt)))
        snl_error_place(rt, file, line);
}

/* Zeroed memory, aligned to SNL_ALIGN, or NULL; large blocks get their pages when touched. */
void *snl_memory_get(SnlInstance *rt, size_t bytes);

/* The same above the limit too: for what is needed for a moment to give memory back. */
void *snl_memory_above(SnlInstance *rt, size_t bytes);

/* The same as snl_memory_get, but not zeroed where zeroing would touch it on the wrong side: in
 * memory of an allocator. */
void *snl_memory_raw(SnlInstance *rt, size_t bytes);

/* A block that the CPU does not touch while loops run; released as others are. */
void *snl_memory_of_loops(SnlInstance *rt, size_t bytes, bool zeroed);

/* Has the pages of a block, which starts and ends with one, made at once: to touch them one by one
 * takes longer. Nothing happens where the system does not offer it. */
void snl_memory_populate(const SnlInstance *rt, void *block, size_t bytes);

/* Are there so many bytes for something that is of use but not needed? Half of a limit is left to
 * the program. */
bool snl_can_spare(const SnlInstance *rt, double bytes);

/* Returns memory of snl_memory_get; NULL is ignored. */
void snl_memory_put(SnlInstance *rt, void *ptr, size_t bytes);

/* The memory of a local array that is too large for a stack. */
typedef struct {
    SnlInstance *rt;
    void *at;                   /* zeros; NULL: there was none, which is recorded */
    size_t bytes;
} SnlLocal;
SnlLocal snl_local_get(SnlInstance *rt, const char *name, size_t bytes);
void snl_local_put(SnlLocal *local);
/* Behind a variable: what its address is given to where its block is left. */
#define SNL_AT_END(function) __attribute__((cleanup(function)))

/* Zeroed memory that is not expected to be written: large blocks cost address space only and are
 * not counted in bytes_used. */
void *snl_memory_lazy(SnlInstance *rt, size_t bytes);

/* Returns memory of snl_memory_lazy; NULL is ignored. */
void snl_memory_lazy_put(SnlInstance *rt, void *ptr, size_t bytes);

/* Zeroed memory that is not written before memory has run out: large blocks cost address space
 * only, with an allocator too, but not in a program for a GPU, whose lanes see only what the
 * allocator gives. */
void *snl_memory_idle(SnlInstance *rt, size_t bytes);

/* Returns memory of snl_memory_idle; NULL is ignored. */
void snl_memory_idle_put(SnlInstance *rt, void *ptr, size_t bytes);

/* What the machine, or the group of processes this one runs in, can hold; 0 where that is not
 * known.  The system promises memory it does not have: without this, a program that asks for too
 * much would be killed later instead of getting an error now. */
uint64_t snl_memory_of_machine(void);

/* Counts bytes of memory that is not one of these functions'; false where that is above a limit. */
bool snl_memory_claim(SnlInstance *rt, size_t bytes);

/* Counts them no longer. */
void snl_memory_unclaim(SnlInstance *rt, size_t bytes);

/* Seconds from some start on. */
double snl_clock(void);

/* snl_print_line from where the code runs. */
#ifdef SNL_GPU
#define snl_print snl_both_print
#else
#define snl_print snl_print_line
#endif

#ifdef __cplusplus
}
#endif

#endif
