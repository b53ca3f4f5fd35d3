/* bench.h - what the hand-written programs share: a clock, memory, and the lines bench/run reads.
 *
 * A program runs its work to warm up, then prints "seconds S [MEASURE]" for each repeat and
 * "checksum C [MEASURE]", and where a limit of the machine holds, "work AMOUNT LIMIT [MEASURE]": GB
 * moved or Gflop done in a repeat, and a name that limits.c prints.
 */
#ifndef BENCH_H
#define BENCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Seconds since some moment. */
static inline double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Memory that starts at a page, a large one where the system has them; ends the program when there
 * is none. */
static inline void *
pages(size_t bytes)
{
    size_t page = bytes >= 1 << 21 ? 1 << 21 : 4096;
    void *p = aligned_alloc(page, (bytes + page - 1) / page * page);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
#ifdef MADV_HUGEPAGE
    madvise(p, bytes, MADV_HUGEPAGE);
#endif
    return p;
}

/* Repeats what follows: `warm` times unseen, then `repeats` times with a line for each. */
#define MEASURE(warm, repeats, name) \
    for (Measure m_ = {-(warm), seconds()}; m_.round < (repeats); measured(&m_, name))

typedef struct {
    long round;
    double begun;
} Measure;

static inline void
measured(Measure *m, const char *name)
{
    if (m->round >= 0)
        printf("seconds %.9f %s\n", seconds() - m->begun, name);
    m->round++;
    m->begun = seconds();
}

/* Text argument k, or what stands for it. */
static inline const char *
word(int argc, char **argv, int k, const char *otherwise)
{
    return argc > k ? argv[k] : otherwise;
}

/* The number given as argument k, or what stands for it. */
static inline long
argument(int argc, char **argv, int k, long otherwise)
{
    return argc > k ? atol(argv[k]) : otherwise;
}

#endif
