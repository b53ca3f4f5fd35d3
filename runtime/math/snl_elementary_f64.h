/* snl_elementary_f64.h - the functions of snl_elementary.h for f64.
 *
 * What is rounded off is kept where it matters: sums of two numbers with their error as (high,
 * low). Errors stay below one unit in the last place.
 */
#ifndef SNL_MATH_SNL_ELEMENTARY_F64_H
#define SNL_MATH_SNL_ELEMENTARY_F64_H

#include "snl_elementary.h"

/* A number of about 106 bits: the sum of both. */
typedef struct {
    double high, low;
} SnlPair;

/* a + b, |a| >= |b| or a = 0. */
SNL_INLINE SnlPair snl_sum_ordered(double a, double b)
{
    SnlPair s;
    s.high = a + b;
    s.low = b - (s.high - a);
    return s;
}

/* a + b in any order. */
SNL_INLINE SnlPair snl_sum_pair(double a, double b)
{
    SnlPair s;
    s.high = a + b;
    double of_b = s.high - a;
    s.low = (a - (s.high - of_b)) + (b - of_b);
    return s;
}

/* a b. */
SNL_INLINE SnlPair snl_product_pair(double a, double b)
{
    SnlPair p;
    p.high = a * b;
    p.low = fma(a, b, -p.high);
    return p;
}

/* ---- sin, cos, tan ---- */

/* Beyond this arguments are reduced by the C library, number by number: a vector with such a number
 * takes longer. */
#define SNL_FAR 0x1p30

/* What the C library gives for far arguments and NaNs, and -0, which changes no sum, for others.
 * gcc makes versions that take vectors, so that the loop around stays one of vectors. */
#if defined(__GNUC__) && !defined(__clang__)
#define SNL_BY_VECTOR static __attribute__((noinline, const, unused, simd("notinbranch"))) double
#else
#define SNL_BY_VECTOR SNL_INLINE double
#endif
SNL_BY_VECTOR snl_far_sin(double x) { return fabs(x) <= SNL_FAR ? -0.0 : sin(x); }
SNL_BY_VECTOR snl_far_cos(double x) { return fabs(x) <= SNL_FAR ? -0.0 : cos(x); }
SNL_BY_VECTOR snl_far_tan(double x) { return fabs(x) <= SNL_FAR ? -0.0 : tan(x); }

/* x less the nearest number of quarter turns, which is *n; pi/2 has three parts. */
SNL_INLINE SnlPair snl_less_turns(double x, double *n)
{
    *n = rint(x * 0x1.45f306dc9c883p-1);
    double r = fma(-*n, 0x1.921fb54442d18p0, x); /* exact */
    SnlPair second = snl_product_pair(-*n, 0x1.1a62633145c07p-54);
    SnlPair s = snl_sum_pair(r, second.high);
    return snl_sum_ordered(s.high, fma(-*n, -0x1.f1976b7ed8fbcp-110, s.low + second.low));
}

/* The sine of r, |r| <= pi/4. */
SNL_INLINE SnlPair snl_sin_pair(SnlPair r)
{
    double z = r.high * r.high;
    double p = fma(z, 0x1.5e10ca3296809p-33, -0x1.ae601ea3c2302p-26);
    p = fma(z, p, 0x1.71de37af4367p-19);
    p = fma(z, p, -0x1.a01a019e9f0f4p-13);
    p = fma(z, p, 0x1.1111111110c7ap-7);
    p = fma(z, p, -0x1.5555555555555p-3);
    return snl_sum_ordered(r.high, fma(r.high * z, p, fma(-0.5 * z, r.low, r.low)));
}

/* Its cosine: 1 - z/2 + ..., where the error of z/2 and of its difference from 1 are kept. */
SNL_INLINE SnlPair snl_cos_pair(SnlPair r)
{
    double z = r.high * r.high, half = 0.5 * z;
    double p = fma(z, -0x1.907383bc9c27dp-37, 0x1.1eeb57d13d298p-29);
    p = fma(z, p, -0x1.27e4fa02e2694p-22);
    p = fma(z, p, 0x1.a01a019f38385p-16);
    p = fma(z, p, -0x1.6c16c16c168cap-10);
    p = fma(z, p, 0x1.5555555555555p-5);
    SnlPair c = snl_sum_ordered(1.0, -half);
    double error = -0.5 * fma(r.high, r.high, -z);
    return snl_sum_ordered(c.high, fma(z * z, p, fma(-r.high, r.low, c.low + error)));
}

SNL_INLINE double snl_own_sin_f64(double x)
{
    double n, far = snl_far_sin(x);
    SnlPair r = snl_less_turns(fabs(x), &n);
    uint64_t q = snl_low_bits(n);
    double v = q & 1 ? snl_cos_pair(r).high : snl_sin_pair(r).high;
    v = snl_times_sign(snl_from_bits(snl_bits_of(v) ^ (q & 2) << 62), x);
    return (fabs(x) <= SNL_FAR ? v : -0.0) + far;
}

SNL_INLINE double snl_own_cos_f64(double x)
{
    double n, far = snl_far_cos(x);
    SnlPair r = snl_less_turns(fabs(x), &n);
    uint64_t q = snl_low_bits(n) + 1;
    double v = q & 1 ? snl_cos_pair(r).high : snl_sin_pair(r).high;
    v = snl_from_bits(snl_bits_of(v) ^ (q & 2) << 62);
    return (fabs(x) <= SNL_FAR ? v : -0.0) + far;
}

/* a / b, to about 70 bits before it is rounded. */
SNL_INLINE double snl_quotient(SnlPair a, SnlPair b)
{
    double reciprocal = 1.0 / b.high, q = a.high * reciprocal;
    return fma(fma(-q, b.high, a.high) + fma(-q, b.low, a.low), reciprocal, q);
}

SNL_INLINE double snl_own_tan_f64(double x)
{
    double n, far = snl_far_tan(x);
    SnlPair r = snl_less_turns(fabs(x), &n), s = snl_sin_pair(r), c = snl_cos_pair(r), above, below;
    bool odd = snl_low_bits(n) & 1;
    above.high = odd ? -c.high : s.high;
    above.low = odd ? -c.low : s.low;
    below.high = odd ? s.high : c.high;
    below.low = odd ? s.low : c.low;
    double v = snl_times_sign(snl_quotient(above, below), x);
    return (fabs(x) <= SNL_FAR ? v : -0.0) + far;
}

/* ---- exp and what is made of it ---- */

/* r with e^x = 2^n e^r, and r^2 times the result is e^r - 1 - r; |x| < 800. */
SNL_INLINE double snl_exp_parts(double x, SnlPair *r, double *n)
{
    *n = rint(x * 0x1.71547652b82fep0);
    double first = fma(-*n, 0x1.62e42fefa39efp-1, x); /* exact */
    *r = snl_sum_ordered(first, -*n * 0x1.abc9e3b39803fp-56);
    double h = r->high;
    double p = fma(h, 0x1.1f32fdef89389p-29, 0x1.af4ebdd5a3ce8p-26);
    p = fma(h, p, 0x1.27e500d823b28p-22);
    p = fma(h, p, 0x1.71de01b36cf44p-19);
    p = fma(h, p, 0x1.a01a0197bf4edp-16);
    p = fma(h, p, 0x1.a01a01ac1be5cp-13);
    p = fma(h, p, 0x1.6c16c16c1892ep-10);
    p = fma(h, p, 0x1.1111111110054p-7);
    p = fma(h, p, 0x1.5555555555552p-5);
    p = fma(h, p, 0x1.5555555555557p-3);
    return fma(h, p, 0.5);
}

/* p 2^n, where that may not be a normal number. */
SNL_INLINE double snl_scale(double p, double n)
{
    double half = rint(0.5 * n);
    return p * snl_power_of_two(half) * snl_power_of_two(n - half);
}

SNL_INLINE double snl_own_exp_f64(double x)
{
    double n;
    SnlPair r;
    double p = snl_exp_parts(snl_within(x, -750.0, 750.0), &r, &n);
    SnlPair sum = snl_sum_ordered(1.0, r.high);
    return snl_scale(sum.high + (sum.low + fma(r.high * r.high, p, r.low)), n);
}

SNL_INLINE double snl_own_exp2_f64(double x)
{
    double within = snl_within(x, -1080.0, 1030.0), n = rint(within), r = within - n;
    double p = fma(r, 0x1.b45c0ad8eb713p-36, 0x1.e9d6b18c98b3bp-32);
    p = fma(r, p, 0x1.e4da3b533cef7p-28);
    p = fma(r, p, 0x1.b524f9415b6bbp-24);
    p = fma(r, p, 0x1.62c01f7a1241ap-20);
    p = fma(r, p, 0x1.ffcbfc67bec1p-17);
    p = fma(r, p, 0x1.430912f906cf5p-13);
    p = fma(r, p, 0x1.5d87fe78a509fp-10);
    p = fma(r, p, 0x1.3b2ab6fba4cbfp-7);
    p = fma(r, p, 0x1.c6b08d704a0c2p-5);
    p = fma(r, p, 0x1.ebfbdff82c58fp-3);
    SnlPair first = snl_product_pair(r, 0x1.62e42fefa39efp-1),
            sum = snl_sum_ordered(1.0, first.high);
    first.low += r * 0x1.abc9e3b39803fp-56;
    return snl_scale(sum.high + (sum.low + fma(r * r, p, first.low)), n);
}

/* (e^x - ONE) / 4 for x from 0 to 710.6; ONE is 1 or 0. */
SNL_INLINE SnlPair snl_exp_quarter(double x, double one)
{
    double n;
    SnlPair r;
    double p = snl_exp_parts(x, &r, &n), s = snl_power_of_two(n - 2.0);
    SnlPair e = snl_sum_ordered(r.high, fma(r.high * r.high, p, r.low)),
            sum = snl_sum_ordered(s, s * e.high), all;
    all = snl_sum_pair(sum.high, -0.25 * one);
    return snl_sum_ordered(all.high, all.low + fma(s, e.low, sum.low));
}

SNL_INLINE double snl_own_sinh_f64(double x)
{
    SnlPair e = snl_exp_quarter(snl_within(fabs(x), 0.0, 710.6), 1.0);
    SnlPair above = e, below;
    above.high = snl_within(e.high, 0.0, 0x1p100); /* beyond this it does not matter, but must not
                                                    * overflow */
    below = snl_sum_pair(4.0 * above.high, 1.0);
    below.low += 4.0 * e.low;
    SnlPair sum = snl_sum_ordered(e.high, snl_quotient(above, below));
    double r = 2.0 * (sum.high + (sum.low + e.low));
    return fabs(x) < 0x1p-30 ? x : snl_times_sign(r, x);
}

SNL_INLINE double snl_own_cosh_f64(double x)
{
    SnlPair e = snl_exp_quarter(snl_within(fabs(x), 0.0, 710.6), 0.0);
    return 2.0 * (e.high + (e.low + 0.0625 / e.high));
}

SNL_INLINE double snl_own_tanh_f64(double x)
{
    SnlPair e = snl_exp_quarter(2.0 * snl_within(fabs(x), 0.0, 22.0), 1.0),
            below = snl_sum_pair(e.high, 0.5);
    below.low += e.low;
    double r = snl_times_sign(snl_quotient(e, below), x);
    return fabs(x) < 0x1p-30 ? x : r;
}

/* ---- logarithms and pow ---- */

/* x times a power of two so that it is normal, and what that adds to the exponent. */
SNL_INLINE double snl_normal(double x, double *k)
{
    bool small = x < 0x1p-1022;
    *k = small ? -54.0 : 0.0;
    return small ? x * 0x1p54 : x;
}

/* log m for x = m 2^k, m from sqrt(1/2) to sqrt(2). */
SNL_INLINE SnlPair snl_log_parts(double x, double *k)
{
    double more, f = snl_split(snl_normal(x, &more), k) - 1.0, s = f / (2.0 + f), z = s * s,
                 half = 0.5 * f * f;
    *k += more;
    double p = fma(z, 0x1.2b5949adf63e6p-3, 0x1.39fe4eb86e98ap-3);
    p = fma(z, p, 0x1.7462b50a83df3p-3);
    p = fma(z, p, 0x1.c71c62e54201bp-3);
    p = fma(z, p, 0x1.2492492defb05p-2);
    p = fma(z, p, 0x1.999999999531cp-2);
    p = fma(z, p, 0x1.5555555555558p-1);
    /* log(1 + f) = f - f^2/2 + s (f^2/2 + z p) */
    SnlPair l = snl_sum_ordered(f, -half);
    l.low = fma(s, fma(z, p, half), l.low - fma(0.5 * f, f, -half));
    return l;
}

/* A logarithm of another base: k HIGH + k LOW + l / log(base), where k HIGH is exact. */
SNL_INLINE double
snl_log_of_base(double k, double high, double low, SnlPair l, double factor, double factor_low)
{
    SnlPair p = snl_product_pair(l.high, factor), sum = snl_sum_ordered(k * high, p.high);
    return sum.high + (sum.low + fma(k, low, p.low + fma(l.high, factor_low, l.low * factor)));
}

SNL_INLINE double snl_own_log_f64(double x)
{
    double k;
    SnlPair l = snl_log_parts(x, &k), sum = snl_sum_ordered(k * 0x1.62e42fefa3p-1, l.high);
    return snl_log_ends(x, sum.high + (sum.low + fma(k, 0x1.3de6af278ece6p-42, l.low)));
}

SNL_INLINE double snl_own_log2_f64(double x)
{
    double k;
    SnlPair l = snl_log_parts(x, &k);
    return snl_log_ends(
        x, snl_log_of_base(k, 1.0, 0.0, l, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56));
}

SNL_INLINE double snl_own_log10_f64(double x)
{
    double k;
    SnlPair l = snl_log_parts(x, &k);
    return snl_log_ends(x, snl_log_of_base(k, 0x1.34413509f6p-2, 0x1.9fef311f12b36p-42, l,
                                           0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57));
}

/* ---- inverse functions ---- */

/* (atan(t) - t) / t^3, z = t^2 <= 0.1716. */
SNL_INLINE double snl_atan_rest(double z)
{
    double p = fma(z, -0x1.3aea25bd16a93p-6, 0x1.41b489825785ep-5);
    p = fma(z, p, -0x1.a0b89fb7e8d67p-5);
    p = fma(z, p, 0x1.dfecd9be6d4a3p-5);
    p = fma(z, p, -0x1.10fae45480ff7p-4);
    p = fma(z, p, 0x1.3b126bdb387d3p-4);
    p = fma(z, p, -0x1.745d0b9b37a7ep-4);
    p = fma(z, p, 0x1.c71c7188b436ap-4);
    p = fma(z, p, -0x1.249249243d6b8p-3);
    p = fma(z, p, 0x1.999999999942ap-3);
    return fma(z, p, -0x1.5555555555555p-2);
}

/* eighths pi/4 + sign (t + more). */
SNL_INLINE double snl_from_eighths(double eighths, double sign, double t, double more)
{
    SnlPair base = snl_product_pair(eighths, 0x1.921fb54442d18p-1),
            sum = snl_sum_ordered(base.high, sign * t);
    return sum.high + (sum.low + fma(sign, more, fma(eighths, 0x1.1a62633145c07p-55, base.low)));
}

SNL_INLINE double snl_own_atan2_f64(double y, double x)
{
    double across = fabs(x), up = fabs(y);
    bool steep = up > across;
    double low = steep ? across : up, high = steep ? up : across;
    /* no overflow or underflow below: infinities and zeros become numbers, others are scaled */
    double scale = high > 0x1p900 ? 0x1p-100 : low < 0x1p-900 ? 0x1p100 : 1.0;
    bool infinite = high == (double)INFINITY;
    low = infinite ? (low == high ? 1.0 : 0.0) : low * scale;
    high = infinite ? 1.0 : high == 0 ? 1.0 : high * scale;
    /* atan(low / high) is atan(above / below), + pi/4 where it is more than half of that */
    bool middle = low > 0x1.a827999fcef32p-2 * high;
    double above = middle ? low - high : low, below = middle ? low + high : high;
    double above_low = middle ? low - (above + high) : 0.0,
           below_low = middle ? low - (below - high) : 0.0;
    double reciprocal = 1.0 / below, t = above * reciprocal;
    double t_low = (fma(-t, below, above) + fma(-t, below_low, above_low)) * reciprocal;
    double z = t * t, more = fma(t * z, snl_atan_rest(z), fma(-z, t_low, t_low));
    double eighths = middle ? 1.0 : 0.0, sign = steep ? -1.0 : 1.0;
    eighths = steep ? 2.0 - eighths : eighths;
    bool left = (snl_bits_of(x) & SNL_SIGN_BIT) != 0;
    eighths = left ? 4.0 - eighths : eighths;
    double a = snl_times_sign(snl_from_eighths(eighths, left ? -sign : sign, t, more), y);
    bool numbers = (x == x) & (y == y);
    return numbers ? a : (double)NAN;
}

SNL_INLINE double snl_own_atan_f64(double x) { return snl_own_atan2_f64(x, 1.0); }

/* asin(s) = s + *more, s = sqrt(z), z <= 1/4; LOW is what s lacks. */
SNL_INLINE double snl_asin_rest(double s, double z, double low)
{
    double p = fma(z, 0x1.dabb95bd07201p-6, -0x1.f16fdbf05087fp-7);
    p = fma(z, p, 0x1.20a9e67cadd2cp-6);
    p = fma(z, p, 0x1.603768559894ap-8);
    p = fma(z, p, 0x1.52eb6f7858fefp-7);
    p = fma(z, p, 0x1.780afe31da649p-7);
    p = fma(z, p, 0x1.c9d1fdd5e128p-7);
    p = fma(z, p, 0x1.1c4d1a72c68a6p-6);
    p = fma(z, p, 0x1.6e8bb30e1c1e7p-6);
    p = fma(z, p, 0x1.f1c71c1478d82p-6);
    p = fma(z, p, 0x1.6db6db6e442c1p-5);
    p = fma(z, p, 0x1.3333333332dc8p-4);
    p = fma(z, p, 0x1.5555555555556p-3);
    return fma(s * z, p, low);
}

/* Near 0 the arc sine of SIZE is s + *more; far from it it is pi/2 - 2 (s + *more). */
SNL_INLINE double snl_asin_parts(double size, double *more)
{
    bool far = size > 0.5;
    double z = far ? 0.5 - 0.5 * size : size * size, root = sqrt(z);
    double low = z > 0 ? fma(-root, root, z) * 0.5 / root : 0.0, s = far ? root : size;
    *more = snl_asin_rest(s, z, far ? low : 0.0);
    return s;
}

SNL_INLINE double snl_own_asin_f64(double x)
{
    double size = fabs(x), more, s = snl_asin_parts(size, &more);
    bool far = size > 0.5;
    return snl_times_sign(snl_from_eighths(far ? 2.0 : 0.0, far ? -2.0 : 1.0, s, more), x);
}

SNL_INLINE double snl_own_acos_f64(double x)
{
    double size = fabs(x), more, s = snl_asin_parts(size, &more);
    bool far = size > 0.5, left = x < 0;
    return snl_from_eighths(far ? (left ? 4.0 : 0.0) : 2.0,
                            (far ? 2.0 : 1.0) * (far != left ? 1.0 : -1.0), s, more);
}

SNL_INLINE double snl_own_cbrt_f64(double x)
{
    double size = fabs(x), more, power, m, y, c;
    m = snl_split_cbrt(snl_normal(size, &more), &power);
    y = snl_reciprocal_cbrt(m);
    c = m * y * y;
    SnlPair square = snl_product_pair(c, c), cube = snl_product_pair(square.high, c);
    double missing = (m - cube.high) - fma(square.low, c, cube.low);
    c = fma(missing * 0x1.5555555555555p-2, y * y, c) * power * (more < 0 ? 0x1p-18 : 1.0);
    bool regular = (size > 0) & (size < (double)INFINITY);
    return snl_times_sign(regular ? c : size, x);
}

#endif
