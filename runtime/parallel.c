/* parallel.c - loops over threads, by OpenMP where the compiler has it. */
#define _POSIX_C_SOURCE 200809L
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

/* True where the chunks are to run one after another in the caller. */
static bool
is_serial(const SnlInstance *rt, int64_t chunk_count)
{
#ifdef _OPENMP
    return rt->threads <= 1 || chunk_count <= 1 || omp_in_parallel();
#else
    (void)rt;
    (void)chunk_count;
    return true;
#endif
}

void
snl_parallel_for(SnlInstance *rt, int64_t n, int64_t chunk_count, SnlLoopFn fn, void *args)
{
    if (n <= 0 || chunk_count <= 0)
        return;
    if (is_serial(rt, chunk_count)) {
        for (int64_t chunk = 0; chunk < chunk_count; chunk++)
            run_chunk(n, chunk_count, chunk, fn, args);
        return;
    }
#ifdef _OPENMP
    {
        int threads = rt->threads < chunk_count ? rt->threads : (int)chunk_count;
        /* Chunks may differ in cost, as those of lists of cells do. */
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
        for (int64_t chunk = 0; chunk < chunk_count; chunk++)
            run_chunk(n, chunk_count, chunk, fn, args);
    }
#endif
}
