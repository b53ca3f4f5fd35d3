/* nbody.c - all pairs by hand: four bodies at a time against STREAM_WIDTH others. The root and the
 * division are exact. Argument: repeats. */
#include "bench.h"
#include "stream.h"

#include <math.h>

enum { N = 16384, TOGETHER = 4 };

static float x[N] __attribute__((aligned(64))), y[N] __attribute__((aligned(64))),
    z[N] __attribute__((aligned(64)));
static float acceleration[N][3];

static float
part_of_sequence(long k, double step)
{
    double t = 0.5 + (double)k * step;
    return (float)(t - floor(t));
}

static inline Lanes
root(Lanes v)
{
#if defined __AVX512F__
    return _mm512_sqrt_ps(v);
#elif defined __AVX__
    return _mm256_sqrt_ps(v);
#else
    for (int k = 0; k < STREAM_WIDTH; k++)
        v[k] = sqrtf(v[k]);
    return v;
#endif
}

static void
accelerate_some(long i)
{
    Lanes sx[TOGETHER] = {{0}}, sy[TOGETHER] = {{0}}, sz[TOGETHER] = {{0}};
    for (long j = 0; j < N; j += STREAM_WIDTH)
#pragma GCC unroll 4
        for (int q = 0; q < TOGETHER; q++) {
            Lanes dx = load(x + j) - x[i + q], dy = load(y + j) - y[i + q],
                  dz = load(z + j) - z[i + q];
            Lanes w = 1.0f / root(dx * dx + (dy * dy + (dz * dz + 1e-4f)));
            Lanes k = w * w * w;
            sx[q] += dx * k;
            sy[q] += dy * k;
            sz[q] += dz * k;
        }
    for (int q = 0; q < TOGETHER; q++) {
        float *a = acceleration[i + q];
        a[0] = a[1] = a[2] = 0;
        for (int k = 0; k < STREAM_WIDTH; k++) {
            a[0] += sx[q][k];
            a[1] += sy[q][k];
            a[2] += sz[q][k];
        }
    }
}

static void
accelerate(void)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < N; i += TOGETHER)
        accelerate_some(i);
}

int
main(int argc, char **argv)
{
    long repeats = argument(argc, argv, 1, 5);
    double sum = 0;
    for (long i = 0; i < N; i++) {
        x[i] = part_of_sequence(i, 0.8191725133961645);
        y[i] = part_of_sequence(i, 0.6710436067037893);
        z[i] = part_of_sequence(i, 0.5497004779019703);
    }
    printf("work %g flops\n", 20e-9 * N * N);
    MEASURE(1, repeats, "")
        accelerate();
    for (long i = 0; i < N; i++)
        for (int d = 0; d < 3; d++)
            sum += (double)acceleration[i][d] * acceleration[i][d];
    printf("checksum %.9e\n", sum);
    return 0;
}
