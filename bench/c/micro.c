/* micro.c - streams of 64 M elements by hand. Argument: repeats. */
#include "bench.h"
#include "stream.h"

enum { N = 64 << 20 };
static const double gb = N * 4e-9;

static void
start(float *x, float *y, double *z)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < N; i++) {
        x[i] = (float)(i & 1023) * (1.0f / 1024);
        y[i] = 1;
        z[i] = (double)(i & 1023) * (1.0 / 1024);
    }
}

static double
sum_of_floats(const float *x)
{
    double s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
    for (long i = 0; i < N; i++)
        s += x[i];
    return s;
}

static double
sum_of_doubles(const double *z)
{
    double s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
    for (long i = 0; i < N; i++)
        s += z[i];
    return s;
}

static void
saxpy(float a, const float *restrict x, float *restrict y)
{
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < N; i++)
        y[i] = a * x[i] + y[i];
}

static void
fill(float *x, float value)
{
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < N; i++)
        x[i] = value;
}

static void
copy(const float *x, float *y)
{
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (long i = 0; i < N; i += STREAM_WIDTH)
            stream(y + i, load(x + i));
        stream_end();
    }
}

int
main(int argc, char **argv)
{
    long repeats = argument(argc, argv, 1, 7);
    float *x = pages(4L * N), *y = pages(4L * N);
    double *z = pages(8L * N), s = 0;
    start(x, y, z);
    printf("work %g mix saxpy\nwork %g read sum_f32\nwork %g read sum_f64_of_f32\n", 3 * gb, gb,
           gb);
    printf("work %g read sum_f64\nwork %g write fill\nwork %g copy copy\n", 2 * gb, gb, 2 * gb);
    MEASURE(2, repeats, "saxpy")
        saxpy(0.5f, x, y);
    printf("checksum %.9e saxpy\n", sum_of_floats(y));
    MEASURE(2, repeats, "sum_f32")
        s = sum_of_floats(x);
    printf("checksum %.9e sum_f32\n", s);
    MEASURE(2, repeats, "sum_f64_of_f32")
        s = sum_of_floats(x);
    printf("checksum %.9e sum_f64_of_f32\n", s);
    MEASURE(2, repeats, "sum_f64")
        s = sum_of_doubles(z);
    printf("checksum %.9e sum_f64\n", s);
    MEASURE(2, repeats, "fill")
        fill(x, 1.5f);
    MEASURE(2, repeats, "copy")
        copy(x, y);
    printf("checksum %.9e copy\n", sum_of_floats(y));
    return 0;
}
