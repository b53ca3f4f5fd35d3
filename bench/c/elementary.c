/* elementary.c - elementary functions of 1 M elements by the C library. Argument: repeats. */
#include "bench.h"

#include <math.h>

enum { N = 1 << 20 };

static double
sum_of_floats(const float *x)
{
    double s = 0;
    for (long i = 0; i < N; i++)
        s += (double)x[i];
    return s;
}

static double
sum_of_doubles(const double *x)
{
    double s = 0;
    for (long i = 0; i < N; i++)
        s += x[i];
    return s;
}

/* Times y[i] = VALUE, for all i. */
#define EACH(NAME, SUM, Y, VALUE)                                                              \
    MEASURE(2, repeats, NAME)                                                                  \
    {                                                                                          \
        _Pragma("omp parallel for simd schedule(static)") for (long i = 0; i < N; i++)(Y)[i] = \
            VALUE;                                                                             \
    }                                                                                          \
    printf("checksum %.9e " NAME "\n", SUM(Y))

int
main(int argc, char **argv)
{
    long repeats = argument(argc, argv, 1, 7);
    float *restrict x = pages(4L * N), *restrict y = pages(4L * N);
    double *restrict u = pages(8L * N), *restrict v = pages(8L * N);
    for (long i = 0; i < N; i++) {
        x[i] = (float)(i & 4095) * (1.0f / 512) + 0.125f;
        u[i] = (double)(i & 4095) * (1.0 / 512) + 0.125;
    }
    EACH("sin_f32", sum_of_floats, y, sinf(x[i]));
    EACH("exp_f32", sum_of_floats, y, expf(-x[i]));
    EACH("log_f32", sum_of_floats, y, logf(x[i]));
    EACH("pow_f32", sum_of_floats, y, powf(x[i], 1.4f));
    EACH("atan2_f32", sum_of_floats, y, atan2f(x[i] - 4, 2 - x[i]));
    EACH("tanh_f32", sum_of_floats, y, tanhf(x[i] - 4));
    EACH("rsqrt_f32", sum_of_floats, y, 1 / sqrtf(x[i]));
    EACH("sin_f64", sum_of_doubles, v, sin(u[i]));
    EACH("exp_f64", sum_of_doubles, v, exp(-u[i]));
    EACH("log_f64", sum_of_doubles, v, log(u[i]));
    EACH("tanh_f64", sum_of_doubles, v, tanh(u[i] - 4));
    return 0;
}
