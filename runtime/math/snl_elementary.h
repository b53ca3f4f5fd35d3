/* snl_elementary.h - sin, exp, log, pow and their like without branches, so that loops over them
 * vectorise.
 *
 * snl_own_<function>_<type> for f32 (here) and f64 (snl_elementary_f64.h). All are pure and take
 * any argument; NaN, infinities, zeros with their signs and subnormal numbers come out as C's Annex
 * F has it. They consist of additions, multiplications, divisions, square roots and fused
 * multiply-adds alone, all rounded as IEEE 754 says: the result has the same bits in the
 * interpreter, in constants, in vectors of any width and in the rest of a loop. SNL_ELEMENTARY is
 * defined where they are used instead of the C library: on processors with fused multiply-adds and
 * in the compiler itself (SNL_FUSED); not on a GPU, whose own functions are as fast, nor under
 * -ffast-math, which would undo the steps that keep what was rounded off, and lets C compilers call
 * vector functions of their own.
 *
 * Functions of f32 are computed in f64 and rounded once, so nearly all results are the nearest
 * float. tests/elementary/errors.c measures the errors, of f32 over all floats.
 *
 * Algorithms: W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980 (reducing
 * an argument by a constant of several parts); M. Payne and R. Hanek, Radian reduction for
 * trigonometric functions, 1983 (only the bits of 2/pi that matter); P. T. P. Tang, Table-driven
 * implementation of the exponential function, 1989 (exp as 2^n e^r; here without tables, by a
 * polynomial of higher degree); log x = 2 artanh((m - 1) / (m + 1)) + k ln 2; T. J. Dekker and D.
 * Knuth (sums and products with their errors). Polynomials are minimax, of relative error, with
 * coefficients that are doubles, found by a Remez iteration.
 */
#ifndef SNL_MATH_SNL_ELEMENTARY_H
#define SNL_MATH_SNL_ELEMENTARY_H

#include "snl_scalar.h"

/* SNL_LIBM: the C library after all, for comparing. */
#if !defined(__FAST_MATH__) && !defined(__CUDA_ARCH__) && !defined(SNL_LIBM) && \
    (defined(SNL_HAS_FMA) || defined(SNL_FUSED))
#define SNL_ELEMENTARY 1
#endif

#ifdef SNL_ELEMENTARY

/* ---- bits ---- */

SNL_INLINE uint64_t snl_bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

SNL_INLINE double snl_from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

#define SNL_SIGN_BIT 0x8000000000000000u

/* x with the sign of s on top of its own. */
SNL_INLINE double snl_times_sign(double x, double s)
{
    return snl_from_bits(snl_bits_of(x) ^ (snl_bits_of(s) & SNL_SIGN_BIT));
}

/* The low bits of a whole number n, |n| < 2^51, as two's complement. */
SNL_INLINE uint64_t snl_low_bits(double n) { return snl_bits_of(n + 0x1.8p52); }

/* 2^n for whole n from -1022 to 1023. */
SNL_INLINE double
snl_power_of_two(double n)
{
    return snl_from_bits(snl_bits_of(n + (0x1.8p52 + 1023.0)) << 52);
}

/* m and k with x = m 2^k, m from sqrt(1/2) to sqrt(2), of a positive normal number. */
SNL_INLINE double snl_split(double x, double *k)
{
    uint64_t u = snl_bits_of(x) - 0x3fe6a09e667f3bcdu + (2048ull << 52);    /* never below zero */
    uint64_t high = u >> 52;
    *k = snl_from_bits(0x4330000000000000u | high) - (0x1p52 + 2048.0);
    return snl_from_bits(snl_bits_of(x) - ((high - 2048u) << 52));
}

/* ---- f32 ---- */

/* The quarter turns nearest to x radians in *n, and what is left of it, in quarter turns. For large
 * x only the bits of 2/pi count that do not make whole turns: x is a multiple of a power of two. */
SNL_INLINE double snl_quarter_turns(double x, double *n)
{
    double high = 0x1.45f306dc9c883p-1, low = -0x1.6b01ec5417056p-55;
    high = x < 0x1p46 ? high : 0x1.b727220a94fe1p-23;
    low = x < 0x1p46 ? low : 0x1.d5f47d4d37703p-78;
    high = x < 0x1p68 ? high : 0x1.054a7f09d5f48p-46;
    low = x < 0x1p68 ? low : -0x1.596447e493ad5p-101;
    high = x < 0x1p90 ? high : -0x1.ec54170565912p-71;
    low = x < 0x1p90 ? low : 0x1.b6c52b3278872p-129;
    high = x < 0x1p112 ? high : -0x1.70565911f924fp-91;
    low = x < 0x1p112 ? low : 0x1.2b32788720840p-145;
    *n = rint(x * high);
    return fma(x, low, fma(x, high, -*n));
}

/* The sine of t quarter turns, |t| <= 1/2. */
SNL_INLINE double snl_sin_turns(double t)
{
    double z = t * t;
    double p = fma(z, 0x1.4bc1da21291a3p-13, -0x1.32ca8399c22a4p-8);
    p = fma(z, p, 0x1.466bba884ea9ap-4);
    p = fma(z, p, -0x1.4abbce5647df9p-1);
    return t * fma(z, p, 0x1.921fb5443af1ep0);
}

/* Its cosine. */
SNL_INLINE double snl_cos_turns(double t)
{
    double z = t * t;
    double p = fma(z, -0x1.a0d8093a64b21p-16, 0x1.e1e75e40ca7b9p-11);
    p = fma(z, p, -0x1.55d3b96da9a31p-6);
    p = fma(z, p, 0x1.03c1f073c71b5p-2);
    p = fma(z, p, -0x1.3bd3cc9bd08d9p0);
    return fma(z, p, 0x1.ffffffffffdafp-1);
}

SNL_INLINE float snl_own_sin_f32(float x)
{
    double n, t = snl_quarter_turns(fabs((double)x), &n);
    uint64_t q = snl_low_bits(n);
    double v = q & 1 ? snl_cos_turns(t) : snl_sin_turns(t);
    return (float)snl_times_sign(snl_from_bits(snl_bits_of(v) ^ (q & 2) << 62), (double)x);
}

SNL_INLINE float snl_own_cos_f32(float x)
{
    double n, t = snl_quarter_turns(fabs((double)x), &n);
    uint64_t q = snl_low_bits(n) + 1;
    double v = q & 1 ? snl_cos_turns(t) : snl_sin_turns(t);
    return (float)snl_from_bits(snl_bits_of(v) ^ (q & 2) << 62);
}

SNL_INLINE float snl_own_tan_f32(float x)
{
    double n, t = snl_quarter_turns(fabs((double)x), &n);
    uint64_t odd = snl_low_bits(n) & 1;
    double s = snl_sin_turns(t), c = snl_cos_turns(t);
    double v = (odd ? -c : s) / (odd ? s : c);
    return (float)snl_times_sign(v, (double)x);
}

/* e^x = 2^n (1 + result), |x| < 700. */
SNL_INLINE double snl_exp_parts_f32(double x, double *n)
{
    *n = rint(x * 0x1.71547652b82fep0);
    double r = fma(-*n, 0x1.62e42fefa39efp-1, x);
    double p = fma(r, 0x1.a019e89417632p-13, 0x1.6d7492e357a9ap-10);
    p = fma(r, p, 0x1.1111a684a530cp-7);
    p = fma(r, p, 0x1.5554ada48f589p-5);
    p = fma(r, p, 0x1.555554c5f2e26p-3);
    p = fma(r, p, 0x1.00000028195d6p-1);
    return r * fma(r, p, 0x1.0000000022547p0);
}

/* e^x, |x| < 700. */
SNL_INLINE double snl_exp_of_f32(double x)
{
    double n, p = snl_exp_parts_f32(x, &n), s = snl_power_of_two(n);
    return fma(s, p, s);
}

/* e^x - 1. */
SNL_INLINE double snl_expm1_of_f32(double x)
{
    double n, p = snl_exp_parts_f32(x, &n), s = snl_power_of_two(n);
    return fma(s, p, s - 1.0);
}

/* 2^x, |x| < 1000. */
SNL_INLINE double snl_exp2_of_f32(double x)
{
    double n = rint(x), r = x - n, s = snl_power_of_two(n);
    double p = fma(r, 0x1.ffcbdd82462f5p-17, 0x1.443f81c4f5d0ep-13);
    p = fma(r, p, 0x1.5d88bdd8599f2p-10);
    p = fma(r, p, 0x1.3b2a1c16bda55p-7);
    p = fma(r, p, 0x1.c6b08cb12d94ep-5);
    p = fma(r, p, 0x1.ebfbe04547a9p-3);
    p = fma(r, p, 0x1.62e42fefd33f9p-1);
    return fma(s, r * p, s);
}

/* x, or the limit it lies beyond; a NaN stays. */
SNL_INLINE double snl_within(double x, double low, double high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

SNL_INLINE float
snl_own_exp_f32(float x)
{
    return (float)snl_exp_of_f32(snl_within((double)x, -110.0, 90.0));
}

SNL_INLINE float
snl_own_exp2_f32(float x)
{
    return (float)snl_exp2_of_f32(snl_within((double)x, -160.0, 130.0));
}

/* log x as base * ln 2 + the result, where x is positive, finite, and not a subnormal double. */
SNL_INLINE double snl_log_parts_f32(double x, double *base)
{
    double f = snl_split(x, base) - 1.0, s = f / (2.0 + f), z = s * s;
    double p = fma(z, 0x1.58f491cc89978p-3, 0x1.73203bb4c78e5p-3);
    p = fma(z, p, 0x1.c722e7b18c3d9p-3);
    p = fma(z, p, 0x1.2492407d48f0bp-2);
    p = fma(z, p, 0x1.999999a4b37f5p-2);
    p = fma(z, p, 0x1.55555555529b8p-1);
    return s * fma(z, p, 2.0);
}

/* A logarithm where it is one, else what stands for it: of 0, of infinity, of what is below 0 or a
 * NaN. */
SNL_INLINE double snl_log_ends(double x, double result)
{
    double r = x == (double)INFINITY ? x : result;
    r = x == 0 ? -(double)INFINITY : r;
    return x >= 0 ? r : (double)NAN;
}

SNL_INLINE float snl_own_log_f32(float x)
{
    double k, l = snl_log_parts_f32((double)x, &k);
    return (float)snl_log_ends((double)x, fma(k, 0x1.62e42fefa39efp-1, l));
}

SNL_INLINE double snl_log2_of_f32(double x)
{
    double k, l = snl_log_parts_f32(x, &k);
    return snl_log_ends(x, fma(l, 0x1.71547652b82fep0, k));
}

SNL_INLINE float snl_own_log2_f32(float x) { return (float)snl_log2_of_f32((double)x); }

SNL_INLINE float snl_own_log10_f32(float x)
{
    double k, l = snl_log_parts_f32((double)x, &k);
    return (float)snl_log_ends((double)x, fma(k, 0x1.34413509f79ffp-2, l * 0x1.bcb7b1526e50ep-2));
}

/* 2^(y log2 |x|), with the sign of x for odd y; below 0 only whole powers are numbers. What depends
 * on y alone, which is often the same for a whole loop, is made a number: gcc vectorises no choice
 * by a condition that does not change. */
SNL_INLINE float snl_own_pow_f32(float x, float y)
{
    double t = (double)y * snl_log2_of_f32(fabs((double)x));
    float r = (float)snl_exp2_of_f32(snl_within(t, -160.0, 130.0)), size = fabsf(x),
          whole = rintf(y), half = 0.5f * y;
    float below = whole == y ? 0.0f : INFINITY;
    bool is_odd = (whole == y) & (rintf(half) != half), undefined;
    uint32_t odd = is_odd ? 0x80000000u : 0u, sign, bits;
    r = size == 1 ? 1.0f : r; /* whatever y is */
    r = y == 0 ? 1.0f : r;
    memcpy(&sign, &x, sizeof sign);
    memcpy(&bits, &r, sizeof bits);
    bits ^= sign & odd;
    memcpy(&r, &bits, sizeof r);
    undefined = (x < 0) & (size < below);
    return undefined ? (float)NAN : r;
}

SNL_INLINE float snl_own_sinh_f32(float x)
{
    double e = snl_expm1_of_f32(snl_within(fabs((double)x), 0.0, 100.0));
    return (float)snl_times_sign(0.5 * (e + e / (e + 1.0)), (double)x);
}

SNL_INLINE float snl_own_cosh_f32(float x)
{
    double e = snl_exp_of_f32(snl_within(fabs((double)x), 0.0, 100.0));
    return (float)(0.5 * (e + 1.0 / e));
}

SNL_INLINE float snl_own_tanh_f32(float x)
{
    double e = snl_expm1_of_f32(2.0 * snl_within(fabs((double)x), 0.0, 12.0));
    return (float)snl_times_sign(e / (e + 2.0), (double)x);
}

/* The angle of the point (x, y); both zeros and both infinities count as equal. */
SNL_INLINE double snl_atan2_of_f32(double y, double x)
{
    double across = fabs(x), up = fabs(y);
    bool steep = up > across;
    double low = steep ? across : up, high = steep ? up : across;
    double t = low / (high == 0 ? 1.0 : high), z;
    t = low == (double)INFINITY ? 1.0 : t;
    z = t * t;
    double p = fma(z, 0x1.1e078471ef26ep-10, -0x1.d7d1f9971b7a3p-8);
    p = fma(z, p, 0x1.6cf1952a11a59p-6);
    p = fma(z, p, -0x1.6b607dd801a34p-5);
    p = fma(z, p, 0x1.1317836e70071p-4);
    p = fma(z, p, -0x1.6865d1668dd1dp-4);
    p = fma(z, p, 0x1.c4cad8eb26a85p-4);
    p = fma(z, p, -0x1.246feba32d342p-3);
    p = fma(z, p, 0x1.999786f3982d4p-3);
    p = fma(z, p, -0x1.55554f06c13cdp-2);
    double a = t * fma(z, p, 0x1.fffffffcce787p-1);
    a = steep ? 0x1.921fb54442d18p0 - a : a;
    a = snl_bits_of(x) & SNL_SIGN_BIT ? 0x1.921fb54442d18p1 - a : a;
    a = snl_times_sign(a, y);
    bool numbers = (x == x) & (y == y);
    return numbers ? a : (double)NAN;
}

SNL_INLINE float
snl_own_atan2_f32(float y, float x)
{
    return (float)snl_atan2_of_f32((double)y, (double)x);
}

SNL_INLINE float snl_own_atan_f32(float x) { return (float)snl_atan2_of_f32((double)x, 1.0); }

/* The arc sine of s, s = sqrt(z), z <= 1/4. */
SNL_INLINE double snl_asin_of_f32(double s, double z)
{
    double p = fma(z, 0x1.1e52c8988014dp-5, 0x1.d96b4d67586eap-8);
    p = fma(z, p, 0x1.94dfc22848f23p-6);
    p = fma(z, p, 0x1.ed07de222c41ep-6);
    p = fma(z, p, 0x1.6ddf13d1e69efp-5);
    p = fma(z, p, 0x1.33328d4d92165p-4);
    p = fma(z, p, 0x1.55555658c08c5p-3);
    return s * fma(z, p, 0x1.ffffffffdecd3p-1);
}

SNL_INLINE float snl_own_asin_f32(float x)
{
    double size = fabs((double)x);
    bool far = size > 0.5;
    double z = far ? 0.5 - 0.5 * size : size * size;
    double a = snl_asin_of_f32(far ? sqrt(z) : size, z);
    return (float)snl_times_sign(far ? 0x1.921fb54442d18p0 - 2.0 * a : a, (double)x);
}

SNL_INLINE float snl_own_acos_f32(float x)
{
    double size = fabs((double)x);
    bool far = size > 0.5;
    double z = far ? 0.5 - 0.5 * size : size * size;
    double a = snl_times_sign(snl_asin_of_f32(far ? sqrt(z) : size, z), (double)x);
    return (float)(far ? (x < 0 ? 0x1.921fb54442d18p1 : 0.0) + 2.0 * a : 0x1.921fb54442d18p0 - a);
}

/* 1 / cbrt(m), m from 1 to 8, to 50 bits. */
SNL_INLINE double snl_reciprocal_cbrt(double m)
{
    double y = fma(m, 0x1.1d2ccab675f53p-15, -0x1.13639af16331ap-10);
    y = fma(m, y, 0x1.b1fba15f8ba95p-7);
    y = fma(m, y, -0x1.68965532b0eb8p-4);
    y = fma(m, y, 0x1.5706b46cab2b2p-2);
    y = fma(m, y, -0x1.869f6e475f06dp-1);
    y = fma(m, y, 0x1.80a0ab0222afdp0);
    /* twice: the error becomes 0.2 times the third power of three errors */
    double h = fma(-m * y, y * y, 1.0);
    y = fma(y * h, fma(h, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), y);
    h = fma(-m * y, y * y, 1.0);
    return fma(y * h, fma(h, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), y);
}

/* The third root of a positive normal number: m (1 to 8) and 2^q with x = m 2^(3 q). */
SNL_INLINE double snl_split_cbrt(double x, double *power)
{
    double e = snl_from_bits(0x4330000000000000u | snl_bits_of(x) >> 52) - (0x1p52 + 1023.0);
    double q = rint(e * 0x1.5555555555555p-2 - 0x1.5555555555555p-2);
    *power = snl_power_of_two(q);
    return snl_from_bits((snl_bits_of(x) & 0x000fffffffffffffu) | 0x3ff0000000000000u) *
           snl_power_of_two(e - 3.0 * q);
}

SNL_INLINE float snl_own_cbrt_f32(float x)
{
    double size = fabs((double)x), power, m = snl_split_cbrt(size, &power),
           y = snl_reciprocal_cbrt(m);
    double r = m * y * y * power;
    bool regular = (size > 0) & (size < (double)INFINITY);
    return (float)snl_times_sign(regular ? r : size, (double)x);
}

#include "snl_elementary_f64.h"

#endif
#endif
