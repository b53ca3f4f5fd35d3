/* bench.h - what the hand-written programs share: a clock, memory, and the lines bench/run reads.
 *
 * A program runs its work once to warm up, then prints "seconds S" for each repeat and "checksum C".
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Seconds since some moment. */
static inline double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Memory that starts at a page; ends the program when there is none. */
static inline void *
pages(size_t bytes)
{
    void *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return p;
}

/* The number given as argument k, or what stands for it. */
static inline long
argument(int argc, char **argv, int k, long otherwise)
{
    return argc > k ? atol(argv[k]) : otherwise;
}

#endif
