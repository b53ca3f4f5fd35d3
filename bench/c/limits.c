/* limits.c - what the machine can do: prints "limit NAME RATE", the best of several runs.
 * Bandwidths in GB/s: reading, writing, copying (stores past the caches), reading two arrays and
 * writing one of them (mix), reading from the last cache (l3); fused multiply-adds of f32 in
 * Gflop/s (flops). */
#include "bench.h"
#include "stream.h"

#include <omp.h>

enum { N = 32 << 20, REPEATS = 7, IN_CACHE = 1 << 20, CHAINS = 12, STEPS = 4000000 };

#define LIMIT(name, amount) \
    for (double best_ = 0, begun_ = seconds(), r_ = 0; r_ < REPEATS || (report(name, best_), 0); \
         best_ = better(best_, (amount), begun_), begun_ = seconds(), r_++)

static void
report(const char *name, double best)
{
    printf("limit %s %.3f\n", name, best);
}

static double
better(double best, double amount, double begun)
{
    double rate = amount / (seconds() - begun);
    return rate > best ? rate : best;
}

static double
sum(const float *x, long count)
{
    Lanes s[4] = {{0}, {0}, {0}, {0}};
    double all = 0;
    for (long i = 0; i < count; i += 4 * STREAM_WIDTH)
        for (int k = 0; k < 4; k++)
            s[k] += load(x + i + k * STREAM_WIDTH);
    s[0] += s[1] + s[2] + s[3];
    for (int k = 0; k < STREAM_WIDTH; k++)
        all += (double)s[0][k];
    return all;
}

static double
read_array(const float *x)
{
    double all = 0;
#pragma omp parallel for reduction(+ : all) schedule(static)
    for (long i = 0; i < N; i += 1 << 16)
        all += sum(x + i, 1 << 16);
    return all;
}

static double
read_cache(const float *x, int times)
{
    double all = 0;
#pragma omp parallel reduction(+ : all)
    for (int r = 0; r < times; r++)
        all += sum(x + omp_get_thread_num() % (N / IN_CACHE) * IN_CACHE, IN_CACHE);
    return all;
}

static void
write_array(float *x)
{
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < N; i++)
        x[i] = 1;
}

static void
copy_array(const float *x, float *y)
{
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (long i = 0; i < N; i += STREAM_WIDTH)
            stream(y + i, load(x + i));
        stream_end();
    }
}

static void
mix_arrays(const float *restrict x, float *restrict y)
{
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < N; i++)
        y[i] = 0.5f * x[i] + y[i];
}

/* Chains of fused multiply-adds, enough of them to hide their latency. */
static double
multiply_add(void)
{
    double all = 0;
#pragma omp parallel reduction(+ : all)
    {
        Lanes x[CHAINS], a = {0}, b = {0};
        a += 0.999999f;
        b += 1e-6f;
        for (int k = 0; k < CHAINS; k++)
            x[k] = b * (float)k;
        for (long s = 0; s < STEPS; s++)
#pragma GCC unroll 12
            for (int k = 0; k < CHAINS; k++)
                x[k] = x[k] * a + b;
        for (int k = 0; k < CHAINS; k++)
            all += (double)x[k][0];
    }
    return all;
}

int
main(void)
{
    float *x = pages(4L * N), *y = pages(4L * N);
    double sink = 0, threads = omp_get_max_threads();
#pragma omp parallel for schedule(static)
    for (long i = 0; i < N; i++)
        x[i] = y[i] = 1;
    LIMIT("read", N * 4e-9)
        sink += read_array(x);
    LIMIT("l3", IN_CACHE * 4e-9 * threads * 50)
        sink += read_cache(x, 50);
    LIMIT("write", N * 4e-9)
        write_array(y);
    LIMIT("copy", N * 8e-9)
        copy_array(x, y);
    LIMIT("mix", N * 12e-9)
        mix_arrays(x, y);
    LIMIT("flops", 2e-9 * STEPS * CHAINS * STREAM_WIDTH * threads)
        sink += multiply_add();
    return sink < 0;
}
