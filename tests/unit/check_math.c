/* check_math.c - scalar functions, half precision, random numbers and small matrices. */
#include <float.h>
#include <stdlib.h>

#include "math/snl_linalg.h"
#include "math/snl_random.h"
#include "suite.h"

START_TEST(half_round_trip)
{
    for (uint32_t h = 0; h < 0x10000u; h++) {
        float f = snl_f16_to_f32((snl_f16)h);
        if (snl_isnan_f16((snl_f16)h)) {
            ck_assert(f != f);
            ck_assert(snl_isnan_f16(snl_f32_to_f16(f)));
            continue;
        }
        ck_assert_uint_eq(snl_f32_to_f16(f), h);
        ck_assert_uint_eq(snl_f64_to_f16((double)f), h);
    }
}
END_TEST

/* Between two neighbouring halves: the nearer, at the middle the even one. */
START_TEST(half_rounds_to_nearest_even)
{
    for (uint32_t h = 0; h < 0x7bffu; h++) {
        double low = snl_f16_to_f64((snl_f16)h);
        double high = snl_f16_to_f64((snl_f16)(h + 1));
        double middle = 0.5 * (low + high);
        ck_assert_uint_eq(snl_f64_to_f16(middle), h + (h & 1));
        ck_assert_uint_eq(snl_f64_to_f16(nextafter(middle, 0)), h);
        ck_assert_uint_eq(snl_f64_to_f16(nextafter(middle, 1e9)), h + 1);
        ck_assert_uint_eq(snl_f32_to_f16((float)middle), h + (h & 1));
        ck_assert_uint_eq(snl_f32_to_f16(nextafterf((float)middle, 0)), h);
        ck_assert_uint_eq(snl_f32_to_f16(-nextafterf((float)middle, 1e9f)), 0x8000u + h + 1);
    }
    ck_assert_uint_eq(snl_f64_to_f16(65519.9), 0x7bffu);
    ck_assert_uint_eq(snl_f64_to_f16(65520.0), 0x7c00u);
    ck_assert_uint_eq(snl_f32_to_f16(65519.9f), 0x7bffu);
    ck_assert_uint_eq(snl_f32_to_f16(-1e30f), 0xfc00u);
    ck_assert_uint_eq(snl_f64_to_f16(-1e300), 0xfc00u);
    ck_assert_uint_eq(snl_f64_to_f16(1e-300), 0);
}
END_TEST

START_TEST(half_arithmetic)
{
    snl_f16 a = snl_f64_to_f16(0.1), b = snl_f64_to_f16(3);
    ck_assert_uint_eq(snl_add_f16(a, b), snl_f32_to_f16(snl_f16_to_f32(a) + 3.0f));
    ck_assert(snl_lt_f16(a, b) && !snl_eq_f16(a, b) && snl_ge_f16(b, b));
    ck_assert_uint_eq(snl_abs_f16(snl_neg_f16(b)), b);
    ck_assert_uint_eq(snl_fma_f16(b, b, b), snl_f64_to_f16(12));
    ck_assert_int_eq(snl_cast_f16_i32(snl_neg_f16(b)), -3);
    ck_assert(snl_isinf_f16(snl_cast_i32_f16(70000)));
}
END_TEST

START_TEST(integers_wrap)
{
    ck_assert_int_eq(snl_add_i32(INT32_MAX, 1), INT32_MIN);
    ck_assert_int_eq(snl_mul_i16(-32768, -32768), 0);
    ck_assert_uint_eq(snl_mul_u16(65535, 65535), 1);
    ck_assert_int_eq(snl_neg_i8(-128), -128);
    ck_assert_int_eq(snl_abs_i64(INT64_MIN), INT64_MIN);
    ck_assert_int_eq(snl_div_i32(INT32_MIN, -1), INT32_MIN);
    ck_assert_int_eq(snl_mod_i32(INT32_MIN, -1), 0);
    ck_assert_int_eq(snl_div_i64(5, 0), 0);
    ck_assert_int_eq(snl_mod_i64(5, 0), 0);
    ck_assert_uint_eq(snl_div_u8(5, 0), 0);
    ck_assert_int_eq(snl_div_i8(-128, -1), -128);
    ck_assert_int_eq(snl_floordiv_i32(INT32_MIN, -1), INT32_MIN);
    ck_assert_int_eq(snl_floordiv_i32(7, 0), 0);
    ck_assert_int_eq(snl_pow_i64(3, 39), 4052555153018976267);
    ck_assert_int_eq(snl_pow_i32(-1, -3), -1);
    ck_assert_int_eq(snl_pow_i32(2, -1), 0);
    ck_assert_uint_eq(snl_pow_u8(2, 9), 0);
}
END_TEST

START_TEST(small_divisions)
{
    for (int a = -128; a < 128; a++) {
        for (int b = -128; b < 128; b++) {
            int8_t x = (int8_t)a, y = (int8_t)b;
            ck_assert_int_eq(snl_add_overflows_i8(x, y), a + b != (int8_t)(a + b));
            ck_assert_int_eq(snl_sub_overflows_i8(x, y), a - b != (int8_t)(a - b));
            ck_assert_int_eq(snl_mul_overflows_i8(x, y), a * b != (int8_t)(a * b));
            uint8_t u = (uint8_t)a, v = (uint8_t)b;
            ck_assert_int_eq(snl_add_overflows_u8(u, v), u + v > 255);
            ck_assert_int_eq(snl_sub_overflows_u8(u, v), u < v);
            ck_assert_int_eq(snl_mul_overflows_u8(u, v), u * v > 255);
            if (b == 0)
                continue;
            int down = (int)floor((double)a / b);
            ck_assert_int_eq(snl_div_i8(x, y), (int8_t)(a / b));
            ck_assert_int_eq(snl_floordiv_i8(x, y), (int8_t)down);
            ck_assert_int_eq(snl_floormod_i8(x, y), a - down * b);
        }
    }
    ck_assert(snl_mul_overflows_i32(INT32_MIN, -1) && snl_mul_overflows_i32(-1, INT32_MIN));
    ck_assert(!snl_mul_overflows_i64(INT64_MIN, 1) && snl_mul_overflows_i64(1LL << 32, 1LL << 31));
}
END_TEST

START_TEST(shifts_and_bits)
{
    ck_assert_int_eq(snl_shl_i32(1, 33), 2);
    ck_assert_int_eq(snl_shl_i32(-1, 31), INT32_MIN);
    ck_assert_uint_eq(snl_shl_u8(200, 9), 144);
    ck_assert_uint_eq(snl_shr_u8(200, 9), 100);
    ck_assert_int_eq(snl_shr_i16(-256, 4), -16);
    ck_assert_int_eq(snl_shr_i64(INT64_MIN, -1), -1);
    ck_assert_uint_eq(snl_shl_u64(1, 65), 2);
    ck_assert_int_eq(snl_popcount_i8(-1), 8);
    ck_assert_uint_eq(snl_popcount_u64(UINT64_MAX), 64);
    ck_assert_int_eq(snl_clz_i32(0), 32);
    ck_assert_int_eq(snl_ctz_i16(0), 16);
    ck_assert_int_eq(snl_clz_i8(-1), 0);
    ck_assert_int_eq(snl_clz_i8(1), 7);
    ck_assert_uint_eq(snl_ctz_u64(0), 64);
    ck_assert_uint_eq(snl_ctz_u32(96), 5);
}
END_TEST

START_TEST(casts_never_trap)
{
    static const float odd[] = { NAN, INFINITY, -INFINITY, 3e9f, -3e9f, 1e30f, -1e30f, -0.5f };
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        double d = (double)odd[k];
        snl_cast_f32_i32(odd[k]);
        snl_cast_f32_u32(odd[k]);
        ck_assert_int_eq(snl_cast_f32_u8(odd[k]), snl_cast_f64_u8(d));
        ck_assert_int_eq(snl_cast_f32_i16(odd[k]), snl_cast_f64_i16(d));
        snl_cast_f32_u64(odd[k]);
        snl_cast_f64_i64(d);
    }
    ck_assert_int_eq(snl_cast_f32_i32(NAN), 0);
    ck_assert_int_eq(snl_cast_f64_i32(1e300), INT32_MAX);
    ck_assert_int_eq(snl_cast_f64_i32(-2147483648.5), INT32_MIN);
    ck_assert(snl_cast_fits_f64_i32(-2147483648.5) && !snl_cast_fits_f64_i32(-2147483649.0));
    ck_assert(snl_cast_fits_f32_i32(-2147483648.0f) && !snl_cast_fits_f32_i32(2147483648.0f));
    ck_assert(!snl_cast_fits_f32_i32(NAN) && snl_cast_fits_f32_u8(255.9f));
    ck_assert(snl_cast_fits_f32_u8(-0.9f) && snl_cast_f32_u8(-0.9f) == 0);
    ck_assert_uint_eq(snl_cast_f32_u8(255.9f), 255);
    ck_assert_int_eq(snl_cast_f32_i8(-128.9f), -128);
    ck_assert_uint_eq(snl_cast_f32_u32(4e9f), 4000000000u);
    ck_assert_uint_eq(snl_cast_f64_u64(1e19), 10000000000000000000u);
    ck_assert_int_eq(snl_cast_i32_u8(300), 44);
    ck_assert_int_eq(snl_cast_i8_i64(-1), -1);
    ck_assert(snl_cast_f32_bool(0.5f) && !snl_cast_f64_bool(0));
    ck_assert_uint_eq(snl_bitcast_f32_u32(1.0f), 0x3f800000u);
    ck_assert(snl_bitcast_u64_f64(0xc000000000000000u) == -2.0);
}
END_TEST

/* The C library rounds halves away from zero as well. A step that has no factor with 2^32 meets
 * floats of every size; those around halves are what a sum with one half gets wrong. */
START_TEST(rounding_is_that_of_c)
{
    enum { STEP = 4099, HALVES = 1 << 16 };
    for (uint64_t bits = 0; bits >> 32 == 0; bits += STEP) {
        const float x = snl_bitcast_u32_f32((uint32_t)bits), want = roundf(x);
        ck_assert(isnan(x) ? isnan(snl_round_f32(x))
                           : snl_bitcast_f32_u32(snl_round_f32(x)) == snl_bitcast_f32_u32(want));
    }
    for (int n = -HALVES; n <= HALVES; n++) {
        const float half = (float)n + 0.5f;
        for (float x = nextafterf(half, -INFINITY); x <= nextafterf(half, INFINITY);
             x = nextafterf(x, INFINITY))
            ck_assert(snl_round_f32(x) == roundf(x));
        const double middle = ldexp(n, n & 31) + 0.5;
        for (double x = nextafter(middle, -INFINITY); x <= nextafter(middle, INFINITY);
             x = nextafter(x, INFINITY))
            ck_assert(snl_round_f64(x) == round(x));
    }
    ck_assert(snl_round_f64(0x1.fffffffffffffp-2) == 0 && signbit(snl_round_f64(-0.25)));
    ck_assert(snl_round_f64(4503599627370497.0) == 4503599627370497.0);
}
END_TEST

START_TEST(float_functions)
{
    ck_assert(snl_min_f32(NAN, 2) == 2 && snl_min_f32(2, NAN) == 2);
    ck_assert(snl_isnan_f32(snl_min_f32(NAN, NAN)));
    ck_assert(snl_max_f64(NAN, 2) == 2 && snl_max_f64(2, NAN) == 2);
    ck_assert(snl_round_f32(1.5f) == 2 && snl_round_f32(-1.5f) == -2);
    ck_assert(snl_round_f32(0.49999997f) == 0);
    ck_assert(signbit(snl_round_f32(-0.25f)) && snl_round_f64(INFINITY) == INFINITY);
    ck_assert(snl_round_f32(8388609.0f) == 8388609.0f);
    ck_assert(snl_floormod_f64(-1, 3) == 2 && snl_floormod_f64(1, -3) == -2);
    ck_assert(snl_mod_f64(-1, 3) == -1);
    ck_assert(snl_floordiv_f32(-7, 2) == -4);
    ck_assert(snl_step_f32(0.5f, 0.25f) == 0 && snl_step_f32(0.25f, 0.25f) == 1);
    ck_assert(snl_smoothstep_f32(0, 1, 2) == 1 && snl_smoothstep_f32(0, 1, -1) == 0);
    ck_assert(fabsf(snl_smoothstep_f32(0, 1, 0.25f) - 0.15625f) < 1e-7f);
    ck_assert(snl_mix_f32(2, 6, 0.25f) == 3 && snl_fract_f32(2.75f) == 0.75f);
    ck_assert(snl_sign_f32(-0.5f) == -1 && snl_sign_f64(0) == 0 && snl_clamp_f32(9, 0, 1) == 1);
    ck_assert(snl_isinf_f32(-INFINITY) && !snl_isinf_f64(NAN));
}
END_TEST

/* Is it what snl(5) says of min (or max) of a and b, to the sign of zeros? */
static bool
is_least(double least, double a, double b, bool max)
{
    const bool takes_b = isnan(a)   ? true
                         : isnan(b) ? false
                         : a == b   ? !!signbit(a) == max
                                    : (b > a) == max;
    const double want = takes_b ? b : a;
    return isnan(want) ? isnan(least) : least == want && signbit(least) == signbit(want);
}

START_TEST(least_and_greatest_of_all_pairs)
{
    static const double special[] = { NAN, -NAN, -INFINITY, INFINITY, -0.0, 0.0, -1.5, 1.5, 1e-40,
                                      -1e-40, 2e-45, FLT_MAX, -FLT_MAX, 3 };
    enum { COUNT = sizeof special / sizeof *special };
    for (int n = 0; n < COUNT * COUNT; n++) {
        const double a = special[n / COUNT], b = special[n % COUNT];
        const float x = (float)a, y = (float)b;
        ck_assert_msg(is_least(snl_min_f32(x, y), x, y, false), "min(%g, %g)", a, b);
        ck_assert_msg(is_least(snl_max_f32(x, y), x, y, true), "max(%g, %g)", a, b);
        ck_assert_msg(is_least(snl_min_f64(a, b), a, b, false), "min(%g, %g)", a, b);
        ck_assert_msg(is_least(snl_max_f64(a, b), a, b, true), "max(%g, %g)", a, b);
        ck_assert_msg(is_least(snl_min_alone_f32(x, y), x, y, false), "min(%g, %g)", a, b);
        ck_assert_msg(is_least(snl_max_alone_f32(x, y), x, y, true), "max(%g, %g)", a, b);
        ck_assert_msg(is_least(snl_min_alone_f64(a, b), a, b, false), "min(%g, %g)", a, b);
        ck_assert_msg(is_least(snl_max_alone_f64(a, b), a, b, true), "max(%g, %g)", a, b);
    }
}
END_TEST

/* The known answers of the paper's authors for Philox4x32-10. */
START_TEST(philox_known_answers)
{
    uint32_t zero[4] = { 0, 0, 0, 0 };
    uint32_t ones[4] = { 0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu };
    uint32_t pi[4] = { 0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u };
    snl_random_philox(zero, 0, 0);
    ck_assert_uint_eq(zero[0], 0x6627e8d5u);
    ck_assert_uint_eq(zero[1], 0xe169c58du);
    ck_assert_uint_eq(zero[2], 0xbc57ac4cu);
    ck_assert_uint_eq(zero[3], 0x9b00dbd8u);
    snl_random_philox(ones, 0xffffffffu, 0xffffffffu);
    ck_assert_uint_eq(ones[0], 0x408f276du);
    snl_random_philox(pi, 0xa4093822u, 0x299f31d0u);
    ck_assert_uint_eq(pi[0], 0xd16cfe09u);
    ck_assert_uint_eq(pi[1], 0x94fdccebu);
    ck_assert_uint_eq(pi[2], 0x5001e420u);
    ck_assert_uint_eq(pi[3], 0x24126ea1u);
}
END_TEST

START_TEST(random_moments)
{
    double m1 = 0, m2 = 0, n1 = 0, n2 = 0, d1 = 0;
    enum { COUNT = 200000 };
    for (int i = 0; i < COUNT; i++) {
        SnlRandom r;
        snl_random_init(&r, 7, 3, (uint64_t)i);
        double u = (double)snl_random_f32(&r), n = (double)snl_random_randn(&r);
        double d = snl_random_f64(&r);
        ck_assert(u >= 0 && u < 1 && d >= 0 && d < 1);
        m1 += u;
        m2 += u * u;
        n1 += n;
        n2 += n * n;
        d1 += d;
    }
    ck_assert(fabs(m1 / COUNT - 0.5) < 0.003 && fabs(m2 / COUNT - 1.0 / 3) < 0.003);
    ck_assert(fabs(n1 / COUNT) < 0.01 && fabs(n2 / COUNT - 1) < 0.02);
    ck_assert(fabs(d1 / COUNT - 0.5) < 0.003);
}
END_TEST

/* The greatest element of a - b. */
static double
distance(int count, const double *a, const double *b)
{
    double worst = 0;
    for (int k = 0; k < count; k++)
        worst = fabs(a[k] - b[k]) > worst ? fabs(a[k] - b[k]) : worst;
    return worst;
}

/* How far the columns of m are from orthonormal. */
static double
skewness(int n, const double *m)
{
    double t[256], p[256], e[256];
    snl_transpose_f64(n, n, m, t);
    snl_matmul_f64(n, n, n, t, m, p);
    snl_identity_f64(n, e);
    return distance(n * n, p, e);
}

/* Checks svd and polar of m to the tolerance, relative to the size of m. */
static void
check_decompositions(int n, const double *m, double scale)
{
    double u[9], s[9], v[9], vt[9], us[9], back[9], r[9], p[9];
    snl_svd_f64(n, m, u, s, v);
    snl_transpose_f64(n, n, v, vt);
    snl_matmul_f64(n, n, n, u, s, us);
    snl_matmul_f64(n, n, n, us, vt, back);
    ck_assert(distance(n * n, back, m) <= 4e-15 * scale);
    ck_assert(skewness(n, u) < 4e-15 && skewness(n, v) < 4e-15);
    for (int k = 0; k < n; k++) {
        ck_assert(s[k * n + k] >= 0);
        ck_assert(k == 0 || s[k * n + k] <= s[(k - 1) * n + k - 1]);
    }
    snl_polar_f64(n, m, r, p);
    snl_matmul_f64(n, n, n, r, p, back);
    ck_assert(distance(n * n, back, m) <= 6e-15 * scale);
    ck_assert(skewness(n, r) < 6e-15);
    if (snl_determinant_f64(n, m) == 0)
        ck_assert(n == 2 || snl_determinant_f64(n, r) > -2);
}

START_TEST(decompositions_of_special_matrices)
{
    static const double cases[][9] = {
        { 0, 0, 0, 0, 0, 0, 0, 0, 0 },
        { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
        { 1, 1, 1, 1, 1, 1, 1, 1, 1 },
        { -1, 0, 0, 0, -1, 0, 0, 0, -1 },
        { 0, 1, 0, 1, 0, 0, 0, 0, 2 },
        { 1, 2, 3, 2, 4, 6, 3, 6, 9 },
        { 1, 2, 3, 4, 5, 6, 7, 8, 9 },
        { 0, 0, 0, 0, 0, 0, 0, 0, 5 },
        { 1, 0, 0, 0, 1e-20, 0, 0, 0, 1e-40 },
        { 1, 1e-10, 0, 0, 1, 1e-17, 0, 0, 1 },
        { 0, 0, 1, 0, 0, 1, 0, 0, 1 },
        { 1e-160, 0, 0, 0, 1, 0, 1e-170, 0, 1e-200 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        check_decompositions(3, cases[k], 20);
        check_decompositions(2, cases[k], 10);
    }
}
END_TEST

START_TEST(decompositions_of_random_matrices)
{
    for (int i = 0; i < 20000; i++) {
        SnlRandom r;
        double m[9], scale = 0;
        snl_random_init(&r, 1, 2, (uint64_t)i);
        double unit = i % 4 == 0 ? 1e-200 : i % 4 == 1 ? 1e150 : 1;
        for (int k = 0; k < 9; k++) {
            m[k] = unit * (double)snl_random_randn(&r);
            if (i % 5 == 0 && k >= 6)
                m[k] = m[k - 6] + 1e-9 * m[k];
            scale = fabs(m[k]) > scale ? fabs(m[k]) : scale;
        }
        check_decompositions(3, m, 4 * scale);
        check_decompositions(2, m, 4 * scale);
    }
}
END_TEST

START_TEST(decompositions_end_with_nan)
{
    double m[9] = { NAN, 1, 2, 3, INFINITY, 5, 6, 7, 8 }, u[9], s[9], v[9], w[3];
    snl_svd_f64(3, m, u, s, v);
    snl_polar_f64(2, m, u, s);
    snl_eig_sym_f64(3, m, w, v);
    float f[4] = { NAN, NAN, 0, 0 }, g[4], h[4], e[4];
    snl_svd_f32(2, f, g, h, e);
}
END_TEST

START_TEST(eigenvalues_of_symmetric_matrices)
{
    for (int i = 0; i < 20000; i++) {
        SnlRandom r;
        snl_random_init(&r, 1, 5, (uint64_t)i);
        int n = 2 + i % 2;
        double m[9], values[3], q[9], mq[9], ql[9];
        double unit = i % 3 == 0 ? 1e200 : i % 3 == 1 ? 1e-200 : 1;
        for (int a = 0; a < n; a++)
            for (int b = a; b < n; b++)
                m[a * n + b] = m[b * n + a] =
                    unit * (i % 7 == 0 ? floor(3 * snl_random_f64(&r))
                                       : (double)snl_random_randn(&r));
        snl_eig_sym_f64(n, m, values, q);
        ck_assert(skewness(n, q) < 4e-15);
        snl_matmul_f64(n, n, n, m, q, mq);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                ql[a * n + b] = q[a * n + b] * values[b];
        ck_assert(distance(n * n, mq, ql) < 4e-14 * unit);
        for (int k = 1; k < n; k++)
            ck_assert(values[k - 1] <= values[k]);
    }
}
END_TEST

START_TEST(inverse_and_solve_of_every_size)
{
    for (int n = 1; n <= SNL_MATRIX_SIDE_MAX; n++) {
        SnlRandom r;
        double m[256], inv[256], p[256], e[256], b[16], x[16], back[16];
        snl_random_init(&r, 1, 9, (uint64_t)n);
        for (int k = 0; k < n * n; k++)
            m[k] = snl_random_f64(&r) + (k % (n + 1) == (n > 1) ? 2.0 * n : 0.0);
        for (int k = 0; k < n; k++)
            b[k] = snl_random_f64(&r);
        snl_inverse_f64(n, m, inv);
        snl_matmul_f64(n, n, n, m, inv, p);
        snl_identity_f64(n, e);
        ck_assert(distance(n * n, p, e) < 1e-11);
        snl_solve_f64(n, m, b, x);
        snl_matmul_f64(n, n, 1, m, x, back);
        ck_assert(distance(n, back, b) < 1e-12);
        double d = snl_determinant_f64(n, m) * snl_determinant_f64(n, inv);
        ck_assert(fabs(d - 1) < 1e-9);
        snl_inverse_f64(n, m, m);
        ck_assert(distance(n * n, m, inv) == 0);
    }
    float a[9] = { 2, 0, 1, 1, 3, 2, 1, 1, 4 };
    ck_assert(fabsf(snl_determinant_f32(3, a) - 18) < 1e-5f);
    int32_t k2[4] = { 1, 2, 3, 4 }, k3[4];
    snl_matmul_i32(2, 2, 2, k2, k2, k3);
    ck_assert(k3[0] == 7 && k3[1] == 10 && k3[2] == 15 && k3[3] == 22);
    ck_assert(snl_trace_i32(2, k2) == 5 && snl_dot_i32(4, k2, k2) == 30);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("math");
    TCase *group = tcase_create("all");
    tcase_set_timeout(group, 60);
    tcase_add_test(group, half_round_trip);
    tcase_add_test(group, half_rounds_to_nearest_even);
    tcase_add_test(group, half_arithmetic);
    tcase_add_test(group, integers_wrap);
    tcase_add_test(group, small_divisions);
    tcase_add_test(group, shifts_and_bits);
    tcase_add_test(group, casts_never_trap);
    tcase_add_test(group, rounding_is_that_of_c);
    tcase_add_test(group, float_functions);
    tcase_add_test(group, least_and_greatest_of_all_pairs);
    tcase_add_test(group, philox_known_answers);
    tcase_add_test(group, random_moments);
    tcase_add_test(group, decompositions_of_special_matrices);
    tcase_add_test(group, decompositions_of_random_matrices);
    tcase_add_test(group, decompositions_end_with_nan);
    tcase_add_test(group, eigenvalues_of_symmetric_matrices);
    tcase_add_test(group, inverse_and_solve_of_every_size);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
