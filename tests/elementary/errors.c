/* errors.c - sin, exp, log and their like (runtime/math/snl_elementary.h) against the C library
 * with more bits. Prints TAP, and for each function its greatest error in units in the last place
 * and a number made of the bits of all results, which must be the same however this file is
 * compiled. Argument: every how manieth float is tried. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SNL_FUSED
#include "math/snl_elementary.h"

enum { BLOCK = 4096, SAMPLES = 100 * BLOCK };

typedef struct {
    const char *name;
    double limit;
    double worst, where;
    uint64_t bits, wrong;       /* of all results; zeros, infinities and NaNs that are not as they
                                 * should be */
} Report;

static uint64_t
mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Takes note of one result. UNIT is that of the last place where WANT lies. NEAREST is WANT in the
 * type of the result. */
static void
note(Report *r, double x, double got, long double want, double nearest, double unit)
{
    bool same = isnan(nearest) ? isnan(got) : !signbit(got) == !signbit(nearest);
    if (!isfinite(nearest) || nearest == 0)
        same = same && (isnan(nearest) || fabs(got - nearest) <= unit || got == nearest);
    else if (isfinite(got)) {
        double error = (double)(fabsl((long double)got - want) / (long double)unit);
        if (error > r->worst)
            r->worst = error, r->where = x;
    } else
        same = false;
    r->wrong += !same;
    r->bits = mix(r->bits + (isnan(got) ? 1 : snl_bits_of(got)));
}

static double
float_unit(double want)
{
    int e;
    frexp(want, &e);
    return ldexp(1, (e < -125 ? -125 : e) - 24);
}

static double
double_unit(long double want)
{
    int e;
    frexpl(want, &e);
    return ldexp(1, (e < -1021 ? -1021 : e) - 53);
}

static float
float_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* Numbers of every size, and more of them where functions change. */
static double
number(uint64_t n)
{
    uint64_t u = mix(n + 0x9e3779b97f4a7c15u);
    switch (u % 5) {
    case 0: return snl_from_bits(mix(u));
    case 1: return (double)(int64_t)mix(u) * 0x1p-63 * 40;
    case 2: return (double)(int64_t)mix(u) * 0x1p-63;
    case 3: return ldexp((double)(int64_t)mix(u) * 0x1p-63, (int)(u >> 8 & 63) - 32);
    default: return 1 + ldexp((double)(int64_t)mix(u) * 0x1p-63, -(int)(u >> 8 & 31));
    }
}

static const double ends[] = {
    0.0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    2,
    -2,
    3,
    -3,
    1.5,
    -1.5,
    INFINITY,
    -INFINITY,
    NAN,
    0x1p-149,
    -0x1p-149,
    0x1p-126,
    0x1p-1074,
    -0x1p-1074,
    0x1p-1022,
    0x1.fffffep127,
    -0x1.fffffep127,
    0x1.fffffffffffffp1023,
    -0x1.fffffffffffffp1023,
    0x1p46,
    0x1p68,
    0x1p90,
    0x1p112,
    0x1p120,
    0x1p30,
    0x1.921fb54442d18p0,
    0x1.8p900,
    16777217,
    9007199254740993.0,
    710.5,
    -745.2,
    88.8,
    -103.98,
    1024,
    -1075,
    128,
    -150,
};
enum { ENDS = sizeof ends / sizeof *ends };

#define FLOATS_1(X)                                                                         \
    X(sin, 0.501)                                                                           \
    X(cos, 0.501) X(tan, 0.501) X(asin, 0.501) X(acos, 0.501) X(atan, 0.51) X(sinh, 0.51)   \
        X(cosh, 0.51) X(tanh, 0.51) X(exp, 0.51) X(exp2, 0.51) X(log, 0.501) X(log2, 0.501) \
            X(log10, 0.501) X(cbrt, 0.501)
#define FLOATS_2(X) X(atan2, 0.51) X(pow, 0.51)
#define DOUBLES_1(X)                                                                         \
    X(sin, 0.8)                                                                              \
    X(cos, 0.8) X(tan, 0.9) X(asin, 0.7) X(acos, 0.7) X(atan, 0.7) X(sinh, 1.2) X(cosh, 0.9) \
        X(tanh, 1.0) X(exp, 0.7) X(exp2, 0.7) X(log, 0.7) X(log2, 0.7) X(log10, 0.7) X(cbrt, 0.51)
#define DOUBLES_2(X) X(atan2, 0.9)

/* Loops without anything else, which compilers vectorise. */
#define FLOAT_LOOPS(F, LIMIT)                        \
    static void F##_floats(const float *x, float *y) \
    {                                                \
        for (int i = 0; i < BLOCK; i++)              \
            y[i] = snl_own_##F##_f32(x[i]);          \
    }
#define FLOAT_LOOPS_2(F, LIMIT) \
    static void F##_floats(const float *x, const float *z, float *y) \
    { \
        for (int i = 0; i < BLOCK; i++) \
            y[i] = snl_own_##F##_f32(x[i], z[i]); \
    }
#define DOUBLE_LOOPS(F, LIMIT)                          \
    static void F##_doubles(const double *x, double *y) \
    {                                                   \
        for (int i = 0; i < BLOCK; i++)                 \
            y[i] = snl_own_##F##_f64(x[i]);             \
    }
#define DOUBLE_LOOPS_2(F, LIMIT) \
    static void F##_doubles(const double *x, const double *z, double *y) \
    { \
        for (int i = 0; i < BLOCK; i++) \
            y[i] = snl_own_##F##_f64(x[i], z[i]); \
    }
FLOATS_1(FLOAT_LOOPS)
FLOATS_2(FLOAT_LOOPS_2)
DOUBLES_1(DOUBLE_LOOPS)
DOUBLES_2(DOUBLE_LOOPS_2)

static float xs[BLOCK], zs[BLOCK], ys[BLOCK];
static double xd[BLOCK], zd[BLOCK], yd[BLOCK];

static void
try_floats(Report *r, uint64_t step, void (*loop)(const float *, float *), double (*right)(double))
{
    for (uint64_t next = 0; next < (1ull << 32); next += BLOCK * step) {
        for (int i = 0; i < BLOCK; i++)
            xs[i] = next == 0 && i < ENDS ? (float)ends[i]
                                          : float_of((uint32_t)(next + (uint64_t)i * step));
        loop(xs, ys);
        for (int i = 0; i < BLOCK; i++) {
            double want = right((double)xs[i]);
            note(r, (double)xs[i], (double)ys[i], want, (double)(float)want, float_unit(want));
        }
    }
}

static void
try_floats_2(Report *r, void (*loop)(const float *, const float *, float *),
             double (*right)(double, double))
{
    for (uint64_t next = 0; next < SAMPLES; next += BLOCK) {
        for (uint64_t i = 0; i < BLOCK; i++) {
            bool end = next + i < ENDS * ENDS;
            xs[i] = (float)(end ? ends[(next + i) / ENDS] : number(2 * (next + i)));
            zs[i] = (float)(end ? ends[(next + i) % ENDS] : number(2 * (next + i) + 1));
        }
        loop(xs, zs, ys);
        for (int i = 0; i < BLOCK; i++) {
            double want = right((double)xs[i], (double)zs[i]);
            note(r, (double)xs[i], (double)ys[i], want, (double)(float)want, float_unit(want));
        }
    }
}

static void
try_doubles(Report *r, void (*loop)(const double *, double *), long double (*right)(long double))
{
    for (uint64_t next = 0; next < SAMPLES; next += BLOCK) {
        for (uint64_t i = 0; i < BLOCK; i++)
            xd[i] = next + i < ENDS ? ends[i] : number(next + i);
        loop(xd, yd);
        for (int i = 0; i < BLOCK; i++) {
            long double want = right((long double)xd[i]);
            note(r, xd[i], yd[i], want, (double)want, double_unit(want));
        }
    }
}

static void
try_doubles_2(Report *r, void (*loop)(const double *, const double *, double *),
              long double (*right)(long double, long double))
{
    for (uint64_t next = 0; next < SAMPLES; next += BLOCK) {
        for (uint64_t i = 0; i < BLOCK; i++) {
            bool end = next + i < ENDS * ENDS;
            xd[i] = end ? ends[(next + i) / ENDS] : number(2 * (next + i));
            zd[i] = end ? ends[(next + i) % ENDS] : number(2 * (next + i) + 1);
        }
        loop(xd, zd, yd);
        for (int i = 0; i < BLOCK; i++) {
            long double want = right((long double)xd[i], (long double)zd[i]);
            note(r, xd[i], yd[i], want, (double)want, double_unit(want));
        }
    }
}

static int count;

static void
print_report(const Report *r, const char *type)
{
    bool good = r->worst <= r->limit && r->wrong == 0;
    printf("%sok %d - %s of %s: %.4f units in the last place at most\n", good ? "" : "not ",
           ++count, r->name, type, r->worst);
    printf("# bits %s %s %016llx\n", r->name, type, (unsigned long long)r->bits);
    if (!good)
        printf("# at %a; %llu of the wrong sign or kind\n", r->where, (unsigned long long)r->wrong);
}

int
main(int argc, char **argv)
{
    uint64_t step = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
#define TRY_FLOATS(F, LIMIT)                 \
    {                                        \
        Report r = {#F, LIMIT, 0, 0, 0, 0};  \
        try_floats(&r, step, F##_floats, F); \
        print_report(&r, "f32");             \
    }
#define TRY_FLOATS_2(F, LIMIT)              \
    {                                       \
        Report r = {#F, LIMIT, 0, 0, 0, 0}; \
        try_floats_2(&r, F##_floats, F);    \
        print_report(&r, "f32");            \
    }
#define TRY_DOUBLES(F, LIMIT)               \
    {                                       \
        Report r = {#F, LIMIT, 0, 0, 0, 0}; \
        try_doubles(&r, F##_doubles, F##l); \
        print_report(&r, "f64");            \
    }
#define TRY_DOUBLES_2(F, LIMIT)               \
    {                                         \
        Report r = {#F, LIMIT, 0, 0, 0, 0};   \
        try_doubles_2(&r, F##_doubles, F##l); \
        print_report(&r, "f64");              \
    }
    FLOATS_1(TRY_FLOATS)
    FLOATS_2(TRY_FLOATS_2)
    if (sizeof(long double) > sizeof(double)) {
        DOUBLES_1(TRY_DOUBLES)
        DOUBLES_2(TRY_DOUBLES_2)
    }
    printf("1..%d\n", count);
    return 0;
}
