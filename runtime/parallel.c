/* parallel.c - loops over threads, by OpenMP where the compiler has it. */
#include "parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

int
snl_processor_count(void)
{
#ifdef _OPENMP
    int count = omp_get_num_procs();
#else
    int count = 1;
#endif
    return count > 0 ? count : 1;
}

int
snl_thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

int64_t
snl_chunk_count(int64_t n, int64_t minimum)
{
    int64_t count;
    if (n <= 0)
        return 0;
    count = minimum > 1 ? n / minimum : n;
    return count < 1 ? 1 : count > SNL_CHUNKS_MAX ? SNL_CHUNKS_MAX : count;
}

int64_t
snl_chunk_start(int64_t n, int64_t chunk_count, int64_t chunk)
{
    int64_t length = n / chunk_count, rest = n % chunk_count;
    return length * chunk + (chunk < rest ? chunk : rest);
}

/* Runs one chunk. */
static void
run_chunk(int64_t n, int64_t chunk_count, int64_t chunk, SnlLoopFn fn, void *args)
{
    int64_t from = snl_chunk_start(n, chunk_count, chunk);
    int64_t to = snl_chunk_start(n, chunk_count, chunk + 1);
    if (from < to)
        fn(args, chunk, from, to);
}

#ifdef _OPENMP
enum { THREADS_MAX = SNL_CHUNKS_MAX };

/* A loop that runs: thread t owns the chunks from t * chunk_count / threads on. */
typedef struct {
    int64_t n, chunk_count;
    int threads;
    SnlLoopFn fn;
    void *args;
    struct {
        int64_t next, end;
        char pad[48];           /* a line of the cache for each thread */
    } part[THREADS_MAX];
} Loop;

/* True where the chunks are to run one after another in the caller. */
static bool
is_serial(const SnlInstance *rt, int64_t chunk_count)
{
    return rt->threads <= 1 || chunk_count <= 1 || omp_in_parallel();
}

/* Runs the part of a thread; then helps the others, for chunks may differ in cost.  That a thread
 * starts with the same chunks every time keeps them in its cache. */
static void
run_thread(Loop *loop, int thread)
{
    for (int k = 0; k < loop->threads; k++) {
        int part = (thread + k) % loop->threads;
        for (;;) {
            int64_t chunk = SNL_ADD(&loop->part[part].next, 1);
            if (chunk >= loop->part[part].end)
                break;
            run_chunk(loop->n, loop->chunk_count, chunk, loop->fn, loop->args);
        }
    }
}

/* Runs the chunks on threads. */
static void
run_threads(const SnlInstance *rt, int64_t n, int64_t chunk_count, SnlLoopFn fn, void *args)
{
    Loop loop = { .n = n, .chunk_count = chunk_count, .fn = fn, .args = args };
    int wanted = rt->threads < THREADS_MAX ? rt->threads : THREADS_MAX;
    loop.threads = wanted < chunk_count ? wanted : (int)chunk_count;
    for (int t = 0; t < loop.threads; t++) {
        loop.part[t].next = snl_chunk_start(chunk_count, loop.threads, t);
        loop.part[t].end = snl_chunk_start(chunk_count, loop.threads, t + 1);
    }
#pragma omp parallel num_threads(loop.threads)
    run_thread(&loop, omp_get_thread_num());
}
#endif

void
snl_parallel_for(SnlInstance *rt, int64_t n, int64_t chunk_count, SnlLoopFn fn, void *args)
{
    if (n <= 0 || chunk_count <= 0)
        return;
#ifdef _OPENMP
    if (!is_serial(rt, chunk_count)) {
        run_threads(rt, n, chunk_count, fn, args);
        return;
    }
#else
    (void)rt;
#endif
    for (int64_t chunk = 0; chunk < chunk_count; chunk++)
        run_chunk(n, chunk_count, chunk, fn, args);
}
