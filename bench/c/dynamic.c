/* dynamic.c - 16 M values into lists, or out of them, by hand. Arguments: what to do, as in
 * dynamic.snl, and repeats. One list is an array of which each thread reserves runs. Each of many
 * lists is a row of an array and a length; where they are appended to in no order, each thread
 * scans all values and appends to its own part of the lists. */
#include "bench.h"

#include <omp.h>

/* rows that do not share sets of the cache */
enum { N = 1 << 24, LISTS = 1 << 16, RUN = 4096, STRIDE = 1040 };

static long
append_one(int *data)
{
    long length = 0;
#pragma omp parallel
    {
        long at = 0, end = 0;
#pragma omp for schedule(static)
        for (long p = 0; p < N; p++) {
            if (at == end) {
                at = __atomic_fetch_add(&length, RUN, __ATOMIC_RELAXED);
                end = at + RUN;
            }
            data[at++] = (int)(p & 1023);
        }
    }
    return length;
}

static void
append_in_order(int *rows, int *lengths)
{
#pragma omp parallel for schedule(static)
    for (long p = 0; p < N; p++) {
        long l = p >> 8;
        rows[l * STRIDE + __atomic_fetch_add(&lengths[l], 1, __ATOMIC_RELAXED)] = (int)(p & 1023);
    }
}

static void
append_hashed(int *rows, int *lengths)
{
#pragma omp parallel
    {
        long threads = omp_get_num_threads(), me = omp_get_thread_num();
        unsigned low = (unsigned)(LISTS * me / threads),
                 count = (unsigned)(LISTS * (me + 1) / threads) - low;
        for (unsigned p = 0; p < N; p++) {
            unsigned l = (p * 40503u + (p >> 16) * 7919u) & (LISTS - 1);
            if (l - low < count)
                rows[(long)l * STRIDE + lengths[l]++] = (int)(p & 1023);
        }
    }
}

static long
sum_one(const int *data)
{
    long sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (long p = 0; p < N; p++)
        sum += data[p];
    return sum;
}

static long
sum_many(const int *rows, const int *lengths)
{
    long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (long l = 0; l < LISTS; l++) {
        const int *row = rows + l * STRIDE;
        long part = 0;
        for (int k = 0; k < lengths[l]; k++)
            part += row[k];
        sum += part;
    }
    return sum;
}

int
main(int argc, char **argv)
{
    long work = argument(argc, argv, 1, 0), repeats = argument(argc, argv, 2, 7), sum = 0;
    size_t room = work < 2 ? (size_t)N + 256 * RUN : (size_t)LISTS * STRIDE;
    int *data = pages(room * sizeof *data), *lengths = pages(LISTS * sizeof *lengths);
    memset(data, 0, room * sizeof *data);
    memset(lengths, 0, LISTS * sizeof *lengths);
    if (work == 1)
        append_one(data);
    if (work == 4)
        append_hashed(data, lengths);
    for (long r = -2; r < repeats; r++) {
        if (work == 2 || work == 3)
            memset(lengths, 0, LISTS * sizeof *lengths);
        double begun = seconds();
        switch (work) {
        case 0: append_one(data); break;
        case 1: sum = sum_one(data); break;
        case 2: append_in_order(data, lengths); break;
        case 3: append_hashed(data, lengths); break;
        default: sum = sum_many(data, lengths); break;
        }
        if (r >= 0)
            printf("seconds %.9f\n", seconds() - begun);
    }
    if (work == 0)
        sum = sum_one(data);
    if (work == 2 || work == 3)
        sum = sum_many(data, lengths);
    printf("checksum %ld\n", sum);
    return 0;
}
