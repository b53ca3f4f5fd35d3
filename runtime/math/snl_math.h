/* snl_math.h - scalar operators and functions of SNL, one function a type: snl_<op>_<type>.
 *
 * All functions are pure, work on plain values and have no undefined behaviour for any argument:
 * integers wrap, a division by zero gives 0, shift counts are taken modulo the width, a float that
 * does not fit an integer saturates and a NaN becomes 0.  They are branch free where that lets a
 * loop vectorise.  Casts are snl_cast_<from>_<to>, bit casts snl_bitcast_<from>_<to>.
 *
 *   integers  add sub mul div mod neg and or xor not shl shr floordiv floormod abs sign min max
 *             clamp pow popcount clz ctz, add_overflows sub_overflows mul_overflows div_overflows
 *   floats    add sub mul div mod neg floordiv floormod abs sign min max clamp mix step smoothstep
 *             fract fma sqrt rsqrt cbrt pow exp exp2 log log2 log10 sin cos tan asin acos atan
 *             atan2 sinh cosh tanh floor ceil round trunc isnan isinf
 *   casts     every pair of types; snl_cast_fits_<float>_<integer> tells whether the value fits
 */
#ifndef SNL_MATH_SNL_MATH_H
#define SNL_MATH_SNL_MATH_H

#include "snl_elementary.h"


/*      suffix  type    unsigned  computed in  bits */
#define SNL_SIGNED_INTEGERS(X) \
    X(i8,  int8_t,   uint8_t,  uint32_t, 8)  \
    X(i16, int16_t,  uint16_t, uint32_t, 16) \
    X(i32, int32_t,  uint32_t, uint32_t, 32) \
    X(i64, int64_t,  uint64_t, uint64_t, 64)
#define SNL_UNSIGNED_INTEGERS(X) \
    X(u8,  uint8_t,  uint8_t,  uint32_t, 8)  \
    X(u16, uint16_t, uint16_t, uint32_t, 16) \
    X(u32, uint32_t, uint32_t, uint32_t, 32) \
    X(u64, uint64_t, uint64_t, uint64_t, 64)

/* Set bits of 64 bits. */
SNL_FN int snl_bits_popcount(uint64_t x)
{
#if defined(__CUDA_ARCH__)
    return __popcll(x);
#elif defined(__POPCNT__)
    return __builtin_popcountll(x);
#else
    x = x - (x >> 1 & 0x5555555555555555u);
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)(x * 0x0101010101010101u >> 56);
#endif
}

/* Leading zeros of 64 bits, 64 of 0. */
SNL_FN int snl_bits_clz(uint64_t x)
{
#if defined(__CUDA_ARCH__)
    return __clzll((long long)x);
#else
    return x ? __builtin_clzll(x) : 64;
#endif
}

/* Trailing zeros of 64 bits, 64 of 0. */
SNL_FN int snl_bits_ctz(uint64_t x)
{
#if defined(__CUDA_ARCH__)
    return x ? __ffsll((long long)x) - 1 : 64;
#else
    return x ? __builtin_ctzll(x) : 64;
#endif
}

/* The same of 32 bits, of which C compilers make vectors of as many lanes as the numbers have. */
SNL_FN int snl_bits_popcount32(uint32_t x)
{
#if defined(__CUDA_ARCH__)
    return __popc(x);
#elif defined(__POPCNT__)
    return __builtin_popcount(x);
#else
    return snl_bits_popcount(x);
#endif
}

SNL_FN int snl_bits_clz32(uint32_t x)
{
#if defined(__CUDA_ARCH__)
    return __clz((int)x);
#elif defined(__TINYC__)
    return snl_bits_clz(x) - 32;
#else
    return x ? __builtin_clz(x) : 32;
#endif
}

/* ---- integers: what is the same for both signs ---- */

#define SNL_INTEGER_COMMON(S, T, U, W, BITS) \
    SNL_FN T snl_add_##S(T a, T b) { return (T)(U)((W)(U)a + (W)(U)b); } \
    SNL_FN T snl_sub_##S(T a, T b) { return (T)(U)((W)(U)a - (W)(U)b); } \
    SNL_FN T snl_mul_##S(T a, T b) { return (T)(U)((W)(U)a * (W)(U)b); } \
    SNL_FN T snl_neg_##S(T a) { return (T)(U)((W)0 - (W)(U)a); } \
    SNL_FN T snl_and_##S(T a, T b) { return (T)(a & b); } \
    SNL_FN T snl_or_##S(T a, T b) { return (T)(a | b); } \
    SNL_FN T snl_xor_##S(T a, T b) { return (T)(a ^ b); } \
    SNL_FN T snl_not_##S(T a) { return (T)~a; } \
    SNL_FN T snl_shl_##S(T a, T n) { return (T)(U)((W)(U)a << ((U)n & (BITS - 1))); } \
    SNL_FN T snl_shr_##S(T a, T n) { return (T)(a >> ((U)n & (BITS - 1))); } \
    SNL_FN T snl_min_##S(T a, T b) { return a < b ? a : b; } \
    SNL_FN T snl_max_##S(T a, T b) { return a > b ? a : b; } \
    SNL_FN T snl_clamp_##S(T x, T lo, T hi) { return snl_min_##S(snl_max_##S(x, lo), hi); } \
    SNL_FN int32_t snl_popcount_##S(T a) \
    { \
        return BITS > 32 ? snl_bits_popcount((U)a) : snl_bits_popcount32((uint32_t)(U)a); \
    } \
    SNL_FN int32_t snl_clz_##S(T a) \
    { \
        return BITS > 32 ? snl_bits_clz((U)a) : snl_bits_clz32((uint32_t)(U)a) - (32 - BITS); \
    } \
    SNL_FN int32_t snl_ctz_##S(T a) \
    { \
        int n = snl_bits_ctz((U)a); \
        return n < BITS ? n : BITS; \
    }
SNL_SIGNED_INTEGERS(SNL_INTEGER_COMMON)
SNL_UNSIGNED_INTEGERS(SNL_INTEGER_COMMON)
#undef SNL_INTEGER_COMMON

/* ---- signed integers ---- */

/* The absolute value is an operation that C compilers know, of which they know that small numbers
 * stay small. */
#if defined(SNL_GPU)
#define SNL_WRAPPED_NEG(S, a) snl_neg_##S(a)
#else
#define SNL_WRAPPED_NEG(S, a) -(a)
#endif

/* Division by 0 gives 0 and by -1 the wrapping negative, so no operand traps. */
#define SNL_INTEGER_SIGNED(S, T, U, W, BITS) \
    SNL_FN T snl_div_##S(T a, T b) \
    { \
        return b == 0 ? (T)0 : b == -1 ? snl_neg_##S(a) : (T)(a / b); \
    } \
    SNL_FN T snl_mod_##S(T a, T b) { return b == 0 || b == -1 ? (T)0 : (T)(a % b); } \
    SNL_FN T snl_floordiv_##S(T a, T b) \
    { \
        T q = snl_div_##S(a, b); \
        T r = snl_mod_##S(a, b); \
        return (T)(q - (T)(r != 0 && (r ^ b) < 0)); \
    } \
    SNL_FN T snl_floormod_##S(T a, T b) \
    { \
        T r; \
        if (b > 0 && (b & (b - 1)) == 0) /* most sizes are powers of two, */ \
            return (T)(a & (b - 1)); \
        if (a >= 0 && a < b) /* and most indices in range: no division */ \
            return a; \
        r = snl_mod_##S(a, b); \
        return r != 0 && (r ^ b) < 0 ? snl_add_##S(r, b) : r; \
    } \
    /* The same by a positive number that C compilers know, without branches: they take it out of \
     * loops that do not change it. */ \
    SNL_FN T snl_floormod_by_##S(T a, T b) \
    { \
        const T r = (T)(a % b); \
        return (T)(r + (b & (T)-(r < 0))); \
    } \
    SNL_FN T snl_abs_##S(T a) { return (T)(a < 0 ? SNL_WRAPPED_NEG(S, a) : a); } \
    SNL_FN T snl_sign_##S(T a) { return (T)((a > 0) - (a < 0)); } \
    SNL_FN T snl_pow_##S(T a, T n) \
    { \
        T p = 1; \
        if (n < 0) \
            return a == 1 ? (T)1 : a == -1 ? ((n & 1) ? (T)-1 : (T)1) : (T)0; \
        for (; n; n = (T)(n >> 1)) { \
            if (n & 1) \
                p = snl_mul_##S(p, a); \
            a = snl_mul_##S(a, a); \
        } \
        return p; \
    } \
    SNL_FN bool snl_add_overflows_##S(T a, T b) \
    { \
        T s = snl_add_##S(a, b); \
        return ((a ^ s) & (b ^ s)) < 0; \
    } \
    SNL_FN bool snl_sub_overflows_##S(T a, T b) \
    { \
        T s = snl_sub_##S(a, b); \
        return ((a ^ b) & (a ^ s)) < 0; \
    } \
    SNL_FN bool snl_mul_overflows_##S(T a, T b) \
    { \
        T p = snl_mul_##S(a, b); \
        if (sizeof(T) < sizeof(int64_t)) \
            return (int64_t)a * (int64_t)b != (int64_t)p; \
        if (a == 0 || b == 0) \
            return false; \
        return snl_div_##S(p, b) != a || (b == -1 && a < 0 && p < 0); \
    } \
    SNL_FN bool snl_div_overflows_##S(T a, T b) { return b == -1 && a != 0 && a == snl_neg_##S(a); }
SNL_SIGNED_INTEGERS(SNL_INTEGER_SIGNED)
#undef SNL_INTEGER_SIGNED
#undef SNL_WRAPPED_NEG

/* Of what a loop does not change: C compilers take calls of such functions out of it, but not
 * branches, which would keep it from being vectorised. */
#define SNL_STEADY(name, S, T)                                                        \
    static __attribute__((noinline, const, unused)) T snl_##name##_steady_##S(T a, T b) \
    {                                                                                 \
        return snl_##name##_##S(a, b);                                                \
    }
SNL_STEADY(floormod, i32, int32_t)
SNL_STEADY(floormod, i64, int64_t)
SNL_STEADY(mod, i32, int32_t)
SNL_STEADY(mod, i64, int64_t)
#undef SNL_STEADY

/* ---- unsigned integers ---- */

#define SNL_INTEGER_UNSIGNED(S, T, U, W, BITS) \
    SNL_FN T snl_div_##S(T a, T b) { return b == 0 ? (T)0 : (T)(a / b); } \
    SNL_FN T snl_mod_##S(T a, T b) { return b == 0 ? (T)0 : (T)(a % b); } \
    SNL_FN T snl_floordiv_##S(T a, T b) { return snl_div_##S(a, b); } \
    SNL_FN T snl_floormod_##S(T a, T b) { return snl_mod_##S(a, b); } \
    SNL_FN T snl_abs_##S(T a) { return a; } \
    SNL_FN T snl_sign_##S(T a) { return (T)(a != 0); } \
    SNL_FN T snl_pow_##S(T a, T n) \
    { \
        T p = 1; \
        for (; n; n = (T)(n >> 1)) { \
            if (n & 1) \
                p = snl_mul_##S(p, a); \
            a = snl_mul_##S(a, a); \
        } \
        return p; \
    } \
    SNL_FN bool snl_add_overflows_##S(T a, T b) { return snl_add_##S(a, b) < a; } \
    SNL_FN bool snl_sub_overflows_##S(T a, T b) { return a < b; } \
    SNL_FN bool snl_mul_overflows_##S(T a, T b) \
    { \
        return b != 0 && snl_div_##S(snl_mul_##S(a, b), b) != a; \
    }
SNL_UNSIGNED_INTEGERS(SNL_INTEGER_UNSIGNED)
#undef SNL_INTEGER_UNSIGNED

/* ---- f32 and f64 ---- */

/*      suffix  type   suffix of libm */
#define SNL_WIDE_FLOATS(X) \
    X(f32, float,  f) \
    X(f64, double, )

/* Least and greatest of floats are the number where one operand is a NaN, and do not depend on the
 * order of zeros. Of two that are equal one comparison gives b, the other a: the bits of both make
 * -0 or 0. Both give b where a is a NaN; where b is one, a comes last. So compilers have vectors of
 * few instructions for it, and a chain of such waits for four of them. Under -ffast-math signs of
 * zeros do not count. */
#ifdef __FAST_MATH__
#define SNL_LEAST_FLOATS(S, T, U)                                            \
    SNL_FN T snl_min_##S(T a, T b) { return a < b || b != b ? a : b; }       \
    SNL_FN T snl_max_##S(T a, T b) { return a > b || b != b ? a : b; }
#else
#define SNL_LEAST_FLOATS(S, T, U)                          \
    SNL_FN T snl_min_##S(T a, T b)                         \
    {                                                      \
        T least = a < b ? a : b, other = a <= b ? a : b;   \
        U x, y;                                            \
        memcpy(&x, &least, sizeof x);                      \
        memcpy(&y, &other, sizeof y);                      \
        x |= y;                                            \
        memcpy(&least, &x, sizeof least);                  \
        return b == b ? least : a;                         \
    }                                                      \
    SNL_FN T snl_max_##S(T a, T b)                         \
    {                                                      \
        T most = a > b ? a : b, other = a >= b ? a : b;    \
        U x, y;                                            \
        memcpy(&x, &most, sizeof x);                       \
        memcpy(&y, &other, sizeof y);                      \
        x &= y;                                            \
        memcpy(&most, &x, sizeof most);                    \
        return b == b ? most : a;                          \
    }
#endif
SNL_LEAST_FLOATS(f32, float, uint32_t)
SNL_LEAST_FLOATS(f64, double, uint64_t)
#undef SNL_LEAST_FLOATS

/* The same where compilers make no vectors of it: a comparison, and a jump to what is rare, a NaN
 * and zeros. */
#define SNL_LEAST_ALONE(S, T)                        \
    SNL_FN T snl_min_alone_##S(T a, T b)             \
    {                                                \
        T least = a < b ? a : b;                     \
        if (!SNL_LIKELY(least < 0 || least > 0)) {   \
            if (b != b)                              \
                least = a;                           \
            else if (a == least)                     \
                least = snl_min_##S(a, b);           \
        }                                            \
        return least;                                \
    }                                                \
    SNL_FN T snl_max_alone_##S(T a, T b)             \
    {                                                \
        T most = a > b ? a : b;                      \
        if (!SNL_LIKELY(most < 0 || most > 0)) {     \
            if (b != b)                              \
                most = a;                            \
            else if (a == most)                      \
                most = snl_max_##S(a, b);            \
        }                                            \
        return most;                                 \
    }
SNL_LEAST_ALONE(f32, float)
SNL_LEAST_ALONE(f64, double)
#undef SNL_LEAST_ALONE

/* Floats as integers of the same order, for the least and the greatest of many: one step each. Such
 * an integer turns around where its float is negative, so -0 comes just before 0; NaN lie beyond
 * infinities at both ends, and are moved to the end that does not count, around the other. No
 * number at all gives a NaN. */
#define SNL_RANKS(S, T, I, U, BITS, INFINITE, ALL)                                        \
    SNL_FN U snl_turned_##S(U x) { return x ^ ((U)((I)x >> (BITS - 1)) >> 1); }           \
    SNL_FN T snl_unranked_##S(U x)                                                        \
    {                                                                                     \
        T y;                                                                              \
        x = snl_turned_##S(x);                                                            \
        memcpy(&y, &x, sizeof y);                                                         \
        return y == y ? y : (T)NAN;                                                       \
    }                                                                                     \
    SNL_FN I snl_rank_max_##S(T x)                                                        \
    {                                                                                     \
        U bits;                                                                           \
        memcpy(&bits, &x, sizeof bits);                                                   \
        return (I)(snl_turned_##S(bits) + (ALL - INFINITE));                              \
    }                                                                                     \
    SNL_FN I snl_rank_min_##S(T x)                                                        \
    {                                                                                     \
        U bits;                                                                           \
        memcpy(&bits, &x, sizeof bits);                                                   \
        return (I)(snl_turned_##S(bits) - (ALL - INFINITE));                              \
    }                                                                                     \
    SNL_FN T snl_ranked_max_##S(I rank) { return snl_unranked_##S((U)rank - (ALL - INFINITE)); } \
    SNL_FN T snl_ranked_min_##S(I rank) { return snl_unranked_##S((U)rank + (ALL - INFINITE)); }
SNL_RANKS(f32, float, int32_t, uint32_t, 32, 0x7f800000u, 0x7fffffffu)
SNL_RANKS(f64, double, int64_t, uint64_t, 64, 0x7ff0000000000000u, 0x7fffffffffffffffu)
#undef SNL_RANKS

/* Functions of snl_elementary.h, or else of the C library. */
#ifdef SNL_ELEMENTARY
#define SNL_OWN(function, S, L) snl_own_##function##_##S
#else
#define SNL_OWN(function, S, L) function##L
#endif

/* The greatest number below one half. With it a sum reaches the next integer from one half on, and
 * not before, however it is rounded; with one half, what is just below that would. */
#define SNL_BELOW_HALF_f32 0x1.fffffep-2f
#define SNL_BELOW_HALF_f64 0x1.fffffffffffffp-2

/* Rounding goes away from zero at halves; the sign of a NaN is 0. `at_most` is min where the limit
 * is a number other than 0, `at_least` max where it is one other than -0: one instruction each of
 * vectors, if compilers do not know the limit. `up_to` is min where the limit is a number other
 * than -0, `down_to` max where it is one other than 0: two instructions. */
#define SNL_FLOAT_FUNCTIONS(S, T, L) \
    SNL_FN T snl_add_##S(T a, T b) { return a + b; } \
    SNL_FN T snl_sub_##S(T a, T b) { return a - b; } \
    SNL_FN T snl_mul_##S(T a, T b) { return a * b; } \
    SNL_FN T snl_div_##S(T a, T b) { return a / b; } \
    SNL_FN T snl_mod_##S(T a, T b) { return fmod##L(a, b); } \
    SNL_FN T snl_neg_##S(T a) { return -a; } \
    SNL_FN T snl_abs_##S(T a) { return fabs##L(a); } \
    SNL_FN T snl_sign_##S(T a) { return (T)((a > 0) - (a < 0)); } \
    SNL_FN T snl_clamp_##S(T x, T lo, T hi) { return snl_min_##S(snl_max_##S(x, lo), hi); } \
    SNL_FN T snl_clamp_alone_##S(T x, T lo, T hi) \
    { \
        return snl_min_alone_##S(snl_max_alone_##S(x, lo), hi); \
    } \
    SNL_FN T snl_at_most_##S(T x, T limit) { return x < limit ? x : limit; } \
    SNL_FN T snl_at_least_##S(T x, T limit) { return x > limit ? x : limit; } \
    SNL_FN T snl_up_to_##S(T x, T limit) { return x <= limit ? x : limit; } \
    SNL_FN T snl_down_to_##S(T x, T limit) { return x >= limit ? x : limit; } \
    SNL_FN T snl_limit_##S(T limit) { SNL_UNKNOWN(limit); return limit; } \
    SNL_FN T snl_floor_##S(T a) { return floor##L(a); } \
    SNL_FN T snl_ceil_##S(T a) { return ceil##L(a); } \
    SNL_FN T snl_trunc_##S(T a) { return trunc##L(a); } \
    SNL_FN T snl_round_##S(T a) { return trunc##L(a + copysign##L(SNL_BELOW_HALF_##S, a)); } \
    SNL_FN T snl_fract_##S(T a) { return a - floor##L(a); } \
    SNL_FN T snl_floordiv_##S(T a, T b) { return floor##L(a / b); } \
    SNL_FN T snl_floormod_##S(T a, T b) \
    { \
        T r = fmod##L(a, b); \
        return r != 0 && (r < 0) != (b < 0) ? r + b : r; \
    } \
    SNL_FN T snl_mix_##S(T a, T b, T t) { return a + (b - a) * t; } \
    SNL_FN T snl_step_##S(T edge, T x) { return x < edge ? (T)0 : (T)1; } \
    SNL_FN T snl_smoothstep_##S(T lo, T hi, T x) \
    { \
        T t = snl_clamp_##S((x - lo) / (hi - lo), (T)0, (T)1); \
        return t * t * ((T)3 - (T)2 * t); \
    } \
    SNL_FN T snl_fma_##S(T a, T b, T c) { return fma##L(a, b, c); } \
    SNL_FN T snl_sqrt_##S(T a) { return sqrt##L(a); } \
    SNL_FN T snl_rsqrt_##S(T a) { return (T)1 / sqrt##L(a); } \
    SNL_INLINE T snl_cbrt_##S(T a) { return SNL_OWN(cbrt, S, L)(a); } \
    SNL_INLINE T snl_exp_##S(T a) { return SNL_OWN(exp, S, L)(a); } \
    SNL_INLINE T snl_exp2_##S(T a) { return SNL_OWN(exp2, S, L)(a); } \
    SNL_INLINE T snl_log_##S(T a) { return SNL_OWN(log, S, L)(a); } \
    SNL_INLINE T snl_log2_##S(T a) { return SNL_OWN(log2, S, L)(a); } \
    SNL_INLINE T snl_log10_##S(T a) { return SNL_OWN(log10, S, L)(a); } \
    SNL_INLINE T snl_sin_##S(T a) { return SNL_OWN(sin, S, L)(a); } \
    SNL_INLINE T snl_cos_##S(T a) { return SNL_OWN(cos, S, L)(a); } \
    SNL_INLINE T snl_tan_##S(T a) { return SNL_OWN(tan, S, L)(a); } \
    SNL_INLINE T snl_asin_##S(T a) { return SNL_OWN(asin, S, L)(a); } \
    SNL_INLINE T snl_acos_##S(T a) { return SNL_OWN(acos, S, L)(a); } \
    SNL_INLINE T snl_atan_##S(T a) { return SNL_OWN(atan, S, L)(a); } \
    SNL_INLINE T snl_atan2_##S(T a, T b) { return SNL_OWN(atan2, S, L)(a, b); } \
    SNL_INLINE T snl_sinh_##S(T a) { return SNL_OWN(sinh, S, L)(a); } \
    SNL_INLINE T snl_cosh_##S(T a) { return SNL_OWN(cosh, S, L)(a); } \
    SNL_INLINE T snl_tanh_##S(T a) { return SNL_OWN(tanh, S, L)(a); } \
    SNL_FN bool snl_isnan_##S(T a) { return a != a; } \
    SNL_FN bool snl_isinf_##S(T a) { return fabs##L(a) == (T)INFINITY; }
SNL_WIDE_FLOATS(SNL_FLOAT_FUNCTIONS)
#undef SNL_FLOAT_FUNCTIONS

/* The power of f64 is that of the C library: with as many bits as it takes, a loop would gain next
 * to nothing by vectors. */
SNL_INLINE float snl_pow_f32(float a, float b) { return SNL_OWN(pow, f32, f)(a, b); }
SNL_FN double snl_pow_f64(double a, double b) { return pow(a, b); }
#undef SNL_OWN

/* ---- f16: computed in float, rounded after every operation ---- */

#define SNL_HALF_1(op) \
    SNL_FN snl_f16 snl_##op##_f16(snl_f16 a) \
    { \
        return snl_f32_to_f16(snl_##op##_f32(snl_f16_to_f32(a))); \
    }
#define SNL_HALF_2(op) \
    SNL_FN snl_f16 snl_##op##_f16(snl_f16 a, snl_f16 b) \
    { \
        return snl_f32_to_f16(snl_##op##_f32(snl_f16_to_f32(a), snl_f16_to_f32(b))); \
    }
#define SNL_HALF_3(op) \
    SNL_FN snl_f16 snl_##op##_f16(snl_f16 a, snl_f16 b, snl_f16 c) \
    { \
        return snl_f32_to_f16( \
            snl_##op##_f32(snl_f16_to_f32(a), snl_f16_to_f32(b), snl_f16_to_f32(c))); \
    }
#define SNL_HALF_COMPARE(op, sign) \
    SNL_FN bool snl_##op##_f16(snl_f16 a, snl_f16 b) \
    { \
        return snl_f16_to_f32(a) sign snl_f16_to_f32(b); \
    }
SNL_HALF_2(add) SNL_HALF_2(sub) SNL_HALF_2(mul) SNL_HALF_2(div) SNL_HALF_2(mod)
SNL_HALF_2(min) SNL_HALF_2(max) SNL_HALF_2(floordiv) SNL_HALF_2(floormod) SNL_HALF_2(step)
SNL_HALF_2(pow) SNL_HALF_2(atan2)
SNL_HALF_3(clamp) SNL_HALF_3(mix) SNL_HALF_3(smoothstep)
SNL_HALF_1(sign) SNL_HALF_1(floor) SNL_HALF_1(ceil) SNL_HALF_1(trunc) SNL_HALF_1(round)
SNL_HALF_1(fract) SNL_HALF_1(sqrt) SNL_HALF_1(rsqrt) SNL_HALF_1(cbrt) SNL_HALF_1(exp)
SNL_HALF_1(exp2) SNL_HALF_1(log) SNL_HALF_1(log2) SNL_HALF_1(log10) SNL_HALF_1(sin)
SNL_HALF_1(cos) SNL_HALF_1(tan) SNL_HALF_1(asin) SNL_HALF_1(acos) SNL_HALF_1(atan)
SNL_HALF_1(sinh) SNL_HALF_1(cosh) SNL_HALF_1(tanh)
SNL_HALF_COMPARE(eq, ==) SNL_HALF_COMPARE(ne, !=) SNL_HALF_COMPARE(lt, <)
SNL_HALF_COMPARE(le, <=) SNL_HALF_COMPARE(gt, >) SNL_HALF_COMPARE(ge, >=)
#undef SNL_HALF_1
#undef SNL_HALF_2
#undef SNL_HALF_3
#undef SNL_HALF_COMPARE

/* The negative of a half: the sign bit changes, also of a NaN. */
SNL_FN snl_f16 snl_neg_f16(snl_f16 a) { return (snl_f16)(a ^ 0x8000u); }

/* The magnitude of a half. */
SNL_FN snl_f16 snl_abs_f16(snl_f16 a) { return (snl_f16)(a & 0x7fffu); }

/* True for a NaN. */
SNL_FN bool snl_isnan_f16(snl_f16 a) { return (a & 0x7fffu) > 0x7c00u; }

/* True for both infinities. */
SNL_FN bool snl_isinf_f16(snl_f16 a) { return (a & 0x7fffu) == 0x7c00u; }

/* Fused multiply-add of halves: the product is exact in double. */
SNL_FN snl_f16 snl_fma_f16(snl_f16 a, snl_f16 b, snl_f16 c)
{
    return snl_f64_to_f16(snl_f16_to_f64(a) * snl_f16_to_f64(b) + snl_f16_to_f64(c));
}

/* a * b + c as the compiler of programs forms it: rounded once where the target can do so fast. */
#if defined(SNL_HAS_FMA) || defined(__CUDA_ARCH__)
SNL_FN float snl_muladd_f32(float a, float b, float c) { return fmaf(a, b, c); }
SNL_FN double snl_muladd_f64(double a, double b, double c) { return fma(a, b, c); }
#else
SNL_FN float snl_muladd_f32(float a, float b, float c) { return a * b + c; }
SNL_FN double snl_muladd_f64(double a, double b, double c) { return a * b + c; }
#endif

/* ---- casts ---- */

/* between integers, and from bool: wraps */
#define SNL_CAST_FROM_INTEGER(S, T) \
    SNL_FN bool snl_cast_##S##_bool(T x) { return x != 0; } \
    SNL_FN int8_t snl_cast_##S##_i8(T x) { return (int8_t)x; } \
    SNL_FN int16_t snl_cast_##S##_i16(T x) { return (int16_t)x; } \
    SNL_FN int32_t snl_cast_##S##_i32(T x) { return (int32_t)x; } \
    SNL_FN int64_t snl_cast_##S##_i64(T x) { return (int64_t)x; } \
    SNL_FN uint8_t snl_cast_##S##_u8(T x) { return (uint8_t)x; } \
    SNL_FN uint16_t snl_cast_##S##_u16(T x) { return (uint16_t)x; } \
    SNL_FN uint32_t snl_cast_##S##_u32(T x) { return (uint32_t)x; } \
    SNL_FN uint64_t snl_cast_##S##_u64(T x) { return (uint64_t)x; } \
    SNL_FN snl_f16 snl_cast_##S##_f16(T x) { return snl_f64_to_f16((double)x); } \
    SNL_FN float snl_cast_##S##_f32(T x) { return (float)x; } \
    SNL_FN double snl_cast_##S##_f64(T x) { return (double)x; }
SNL_CAST_FROM_INTEGER(bool, bool)
SNL_CAST_FROM_INTEGER(i8, int8_t)
SNL_CAST_FROM_INTEGER(i16, int16_t)
SNL_CAST_FROM_INTEGER(i32, int32_t)
SNL_CAST_FROM_INTEGER(i64, int64_t)
SNL_CAST_FROM_INTEGER(u8, uint8_t)
SNL_CAST_FROM_INTEGER(u16, uint16_t)
SNL_CAST_FROM_INTEGER(u32, uint32_t)
SNL_CAST_FROM_INTEGER(u64, uint64_t)
#undef SNL_CAST_FROM_INTEGER

/* From float to integer.  LO and HI are floats whose truncation is the least and the greatest value
 * of the type, VIA the type the hardware converts to; what fits is ABOVE and below END.  A NaN
 * compares false with everything and becomes 0. */
#define SNL_CAST_TO_INTEGER(S, F, D, T, VIA, LO, HI, ABOVE, END) \
    SNL_FN T snl_cast_##S##_##D(F x) \
    { \
        F low = x > (F)(LO) ? x : (F)(LO); \
        F fit = low < (F)(HI) ? low : (F)(HI); \
        return (T)(VIA)(x == x ? fit : (F)0); \
    } \
    SNL_FN bool snl_cast_fits_##S##_##D(F x) { return x ABOVE && x < (F)(END); }
#define SNL_CAST_TO_NARROW(S, F) \
    SNL_CAST_TO_INTEGER(S, F, i8, int8_t, int32_t, -128, 127, > -129, 128) \
    SNL_CAST_TO_INTEGER(S, F, i16, int16_t, int32_t, -32768, 32767, > -32769, 32768) \
    SNL_CAST_TO_INTEGER(S, F, u8, uint8_t, int32_t, 0, 255, > -1, 256) \
    SNL_CAST_TO_INTEGER(S, F, u16, uint16_t, int32_t, 0, 65535, > -1, 65536)
SNL_CAST_TO_NARROW(f32, float)
SNL_CAST_TO_NARROW(f64, double)
SNL_CAST_TO_INTEGER(f32, float, i32, int32_t, int32_t, -2147483648.0, 2147483520.0,
                    >= -2147483648.0f, 2147483648.0)
SNL_CAST_TO_INTEGER(f32, float, u32, uint32_t, int64_t, 0, 4294967040.0, > -1, 4294967296.0)
SNL_CAST_TO_INTEGER(f32, float, i64, int64_t, int64_t, -9223372036854775808.0,
                    9223371487098961920.0, >= -9223372036854775808.0f, 9223372036854775808.0)
SNL_CAST_TO_INTEGER(f32, float, u64, uint64_t, uint64_t, 0, 18446742974197923840.0, > -1,
                    18446744073709551616.0)
SNL_CAST_TO_INTEGER(f64, double, i32, int32_t, int32_t, -2147483648.0, 2147483647.0,
                    > -2147483649.0, 2147483648.0)
SNL_CAST_TO_INTEGER(f64, double, u32, uint32_t, int64_t, 0, 4294967295.0, > -1, 4294967296.0)
SNL_CAST_TO_INTEGER(f64, double, i64, int64_t, int64_t, -9223372036854775808.0,
                    9223372036854774784.0, >= -9223372036854775808.0, 9223372036854775808.0)
SNL_CAST_TO_INTEGER(f64, double, u64, uint64_t, uint64_t, 0, 18446744073709549568.0, > -1,
                    18446744073709551616.0)
#undef SNL_CAST_TO_INTEGER
#undef SNL_CAST_TO_NARROW

/* From half: exact as float, then as from float. */
#define SNL_CAST_FROM_HALF(D, T) \
    SNL_FN T snl_cast_f16_##D(snl_f16 x) { return snl_cast_f32_##D(snl_f16_to_f32(x)); } \
    SNL_FN bool snl_cast_fits_f16_##D(snl_f16 x) \
    { \
        return snl_cast_fits_f32_##D(snl_f16_to_f32(x)); \
    }
SNL_CAST_FROM_HALF(i8, int8_t)
SNL_CAST_FROM_HALF(i16, int16_t)
SNL_CAST_FROM_HALF(i32, int32_t)
SNL_CAST_FROM_HALF(i64, int64_t)
SNL_CAST_FROM_HALF(u8, uint8_t)
SNL_CAST_FROM_HALF(u16, uint16_t)
SNL_CAST_FROM_HALF(u32, uint32_t)
SNL_CAST_FROM_HALF(u64, uint64_t)
#undef SNL_CAST_FROM_HALF

SNL_FN bool snl_cast_f16_bool(snl_f16 x) { return (x & 0x7fffu) != 0; }
SNL_FN bool snl_cast_f32_bool(float x) { return x != 0; }
SNL_FN bool snl_cast_f64_bool(double x) { return x != 0; }
SNL_FN snl_f16 snl_cast_f16_f16(snl_f16 x) { return x; }
SNL_FN float snl_cast_f16_f32(snl_f16 x) { return snl_f16_to_f32(x); }
SNL_FN double snl_cast_f16_f64(snl_f16 x) { return snl_f16_to_f64(x); }
SNL_FN snl_f16 snl_cast_f32_f16(float x) { return snl_f32_to_f16(x); }
SNL_FN float snl_cast_f32_f32(float x) { return x; }
SNL_FN double snl_cast_f32_f64(float x) { return (double)x; }
SNL_FN snl_f16 snl_cast_f64_f16(double x) { return snl_f64_to_f16(x); }
SNL_FN float snl_cast_f64_f32(double x) { return (float)x; }
SNL_FN double snl_cast_f64_f64(double x) { return x; }

/* ---- the bits of a value as another type of the same size ---- */

#define SNL_BITCAST(FROM, A, TO, B) \
    SNL_FN B snl_bitcast_##FROM##_##TO(A x) \
    { \
        B y; \
        memcpy(&y, &x, sizeof y); \
        return y; \
    }
#define SNL_BITCAST_3(S1, T1, S2, T2, S3, T3) \
    SNL_BITCAST(S1, T1, S1, T1) SNL_BITCAST(S1, T1, S2, T2) SNL_BITCAST(S1, T1, S3, T3) \
    SNL_BITCAST(S2, T2, S1, T1) SNL_BITCAST(S2, T2, S2, T2) SNL_BITCAST(S2, T2, S3, T3) \
    SNL_BITCAST(S3, T3, S1, T1) SNL_BITCAST(S3, T3, S2, T2) SNL_BITCAST(S3, T3, S3, T3)
SNL_BITCAST_3(i16, int16_t, u16, uint16_t, f16, snl_f16)
SNL_BITCAST_3(i32, int32_t, u32, uint32_t, f32, float)
SNL_BITCAST_3(i64, int64_t, u64, uint64_t, f64, double)
SNL_BITCAST(i8, int8_t, u8, uint8_t)
SNL_BITCAST(u8, uint8_t, i8, int8_t)
SNL_BITCAST(i8, int8_t, i8, int8_t)
SNL_BITCAST(u8, uint8_t, u8, uint8_t)
#undef SNL_BITCAST
#undef SNL_BITCAST_3

/* -x, where x may be a product that is fused with a sum. Of -fma(a, b, c) gcc makes an instruction
 * for -(a * b) - c, which gives 0 where it is -0. */
#if defined __GNUC__ && !defined __clang__ && !defined __CUDACC__
SNL_FN float snl_negate_f32(float x)
{
    return snl_bitcast_u32_f32(snl_bitcast_f32_u32(x) ^ 0x80000000u);
}
SNL_FN double snl_negate_f64(double x)
{
    return snl_bitcast_u64_f64(snl_bitcast_f64_u64(x) ^ 0x8000000000000000u);
}
#else
SNL_FN float snl_negate_f32(float x) { return -x; }
SNL_FN double snl_negate_f64(double x) { return -x; }
#endif

#endif
