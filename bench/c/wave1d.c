/* wave1d.c - the wave equation as one writes it by hand: two arrays, or pairs; one parallel region
 * holds all steps, and a barrier ends each. Arguments: N, steps, 1 for pairs, repeats. */
#include "bench.h"

#include <omp.h>

/* b = 2 a - b + (a's neighbours - 2 a) / 4 for lo <= i < hi. */
static void
update(const float *restrict a, float *restrict b, long lo, long hi)
{
    for (long i = lo; i < hi; i++)
        b[i] = 2 * a[i] - b[i] + 0.25f * (a[i - 1] - 2 * a[i] + a[i + 1]);
}

/* The same on pairs: element `from` of each pair is read, the other one is written. */
static void
update_pairs(float *p, int from, long lo, long hi)
{
    const float *a = p + from;
    float *b = p + 1 - from;
#pragma omp simd
    for (long i = lo; i < hi; i++)
        b[2 * i] = 2 * a[2 * i] - b[2 * i] + 0.25f * (a[2 * i - 2] - 2 * a[2 * i] + a[2 * i + 2]);
}

static void
start(float *u, float *v, long n, long stride)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) {
        float t = (float)(i % 1024) * (1.0f / 1024);
        u[i * stride] = v[i * stride] = t * (1 - t);
    }
}

int
main(int argc, char **argv)
{
    long n = argument(argc, argv, 1, 200000), steps = argument(argc, argv, 2, 500);
    long pairs = argument(argc, argv, 3, 0), repeats = argument(argc, argv, 4, 5);
    float *u = pages((size_t)n * 8), *v = pairs ? u + 1 : pages((size_t)n * 4);
    double sum = 0;
    for (long r = -1; r < repeats; r++) {
        start(u, v, n, pairs ? 2 : 1);
        double begun = seconds();
#pragma omp parallel
        {
            long id = omp_get_thread_num(), threads = omp_get_num_threads();
            long lo = 1 + (n - 2) * id / threads, hi = 1 + (n - 2) * (id + 1) / threads;
            for (long s = 0; s < steps; s++) {
                if (pairs)
                    update_pairs(u, (int)(s & 1), lo, hi);
                else
                    update(s & 1 ? v : u, s & 1 ? u : v, lo, hi);
#pragma omp barrier
            }
        }
        if (r >= 0)
            printf("seconds %.9f\n", seconds() - begun);
    }
    for (long i = 0; i < n; i++)
        sum += (double)u[i * (pairs ? 2 : 1)] * u[i * (pairs ? 2 : 1)];
    printf("checksum %.9e\n", sum);
    return 0;
}
