/* snl_scalar.h - the scalar types of SNL: tags, sizes, C types, and half precision.
 *
 * Everything here works on plain values and owns no memory.  The order of SNL_SCALARS is fixed:
 * generated code passes tags to the library.  A f16 is kept as its 16 bits; arithmetic on it is
 * done in float and rounded after every operation.
 */
#ifndef SNL_MATH_SNL_SCALAR_H
#define SNL_MATH_SNL_SCALAR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../snl_api.h"

#if defined(__has_include)
#if __has_include("../core/platform.h")
#include "../core/platform.h"
#endif
#endif

/* The processor rounds a * b + c once, as fast as a product. Programs that are compiled with it for
 * others have the same bits, but slowly; so have those for GPUs, all of which do so, in what the
 * CPU does. */
#if !defined SNL_HAS_FMA && \
    (defined __FMA__ || defined __ARM_FEATURE_FMA || defined __FP_FAST_FMAF || defined SNL_GPU)
#define SNL_HAS_FMA
#endif

#ifndef SNL_FN      /* in the compiler, which has no platform.h */
#define SNL_FN static inline
#define SNL_UNKNOWN(variable) ((void)(variable))
#endif

/*      tag    suffix  C type    bytes */
#define SNL_SCALARS(X) \
    X(BOOL, bool, bool,     1)  \
    X(I8,   i8,   int8_t,   1)  \
    X(I16,  i16,  int16_t,  2)  \
    X(I32,  i32,  int32_t,  4)  \
    X(I64,  i64,  int64_t,  8)  \
    X(U8,   u8,   uint8_t,  1)  \
    X(U16,  u16,  uint16_t, 2)  \
    X(U32,  u32,  uint32_t, 4)  \
    X(U64,  u64,  uint64_t, 8)  \
    X(F16,  f16,  snl_f16,  2)  \
    X(F32,  f32,  float,    4)  \
    X(F64,  f64,  double,   8)

/* The tag of a scalar type: SNL_BOOL, SNL_I8, ... SNL_F64. */
typedef enum {
#define SNL_SCALAR_TAG(tag, suffix, ctype, bytes) SNL_##tag,
    SNL_SCALARS(SNL_SCALAR_TAG)
#undef SNL_SCALAR_TAG
    SNL_SCALAR_COUNT
} SnlScalar;

/* Bytes of one value of the type. */
SNL_FN int snl_scalar_bytes(int tag)
{
    switch (tag) {
#define SNL_SCALAR_CASE(tag_, suffix, ctype, bytes) case SNL_##tag_: return bytes;
    SNL_SCALARS(SNL_SCALAR_CASE)
#undef SNL_SCALAR_CASE
    default: return 0;
    }
}

/* The name of the type as it is written in SNL. */
SNL_FN const char *snl_scalar_name(int tag)
{
    switch (tag) {
#define SNL_SCALAR_CASE(tag_, suffix, ctype, bytes) case SNL_##tag_: return #suffix;
    SNL_SCALARS(SNL_SCALAR_CASE)
#undef SNL_SCALAR_CASE
    default: return "?";
    }
}

/* True for f16, f32 and f64. */
SNL_FN bool snl_scalar_is_float(int tag) { return tag >= SNL_F16 && tag <= SNL_F64; }

/* True for the signed integers. */
SNL_FN bool snl_scalar_is_signed(int tag) { return tag >= SNL_I8 && tag <= SNL_I64; }

/* True for the unsigned integers. */
SNL_FN bool snl_scalar_is_unsigned(int tag) { return tag >= SNL_U8 && tag <= SNL_U64; }

/* True for every integer type; bool is none. */
SNL_FN bool snl_scalar_is_integer(int tag) { return tag >= SNL_I8 && tag <= SNL_U64; }

/* gcc turns conversions of _Float16 into the vector instructions where the machine has them. */
#if defined(__F16C__) && !defined(__clang__) && !defined(__cplusplus) && __GNUC__ >= 12
#define SNL_HAVE_FLOAT16 1
#endif

/* The value of a half as float; exact. */
SNL_FN float snl_f16_to_f32(snl_f16 h)
{
#ifdef SNL_HAVE_FLOAT16
    _Float16 value;
    memcpy(&value, &h, sizeof value);
    return (float)value;
#else
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t rest = h & 0x7fffu;
    uint32_t bits;
    float f;
    if (rest < 0x0400u) {
        f = (float)rest * 5.9604644775390625e-8f;       /* 2^-24, the unit of subnormal halves */
        memcpy(&bits, &f, sizeof bits);
    } else if (rest < 0x7c00u) {
        bits = (rest << 13) + 0x38000000u;              /* exponent bias 15 becomes 127 */
    } else {
        bits = 0x7f800000u | (rest & 0x03ffu) << 13 | (rest > 0x7c00u ? 0x00400000u : 0u);
    }
    bits |= sign;
    memcpy(&f, &bits, sizeof f);
    return f;
#endif
}

/* The half nearest to a float, ties to even; too large gives infinity. */
SNL_FN snl_f16 snl_f32_to_f16(float f)
{
#ifdef SNL_HAVE_FLOAT16
    _Float16 value = (_Float16)f;
    snl_f16 h;
    memcpy(&h, &value, sizeof h);
    return h;
#else
    uint32_t bits, sign, rest, half;
    memcpy(&bits, &f, sizeof bits);
    sign = bits >> 16 & 0x8000u;
    rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u) {
        half = 0x7e00u | (rest >> 13 & 0x03ffu);
    } else if (rest >= 0x477ff000u) {                   /* 65520 and more round to infinity */
        half = 0x7c00u;
    } else if (rest < 0x38800000u) {    /* below 2^-14: adding 0.5 rounds to units of 2^-24 */
        float magnitude;
        memcpy(&magnitude, &rest, sizeof magnitude);
        magnitude += 0.5f;
        memcpy(&half, &magnitude, sizeof half);
        half -= 0x3f000000u;
    } else {
        half = (rest - 0x38000000u + 0x0fffu + (rest >> 13 & 1u)) >> 13;
    }
    return (snl_f16)(sign | half);
#endif
}

/* The half nearest to a double; rounds once. */
SNL_FN snl_f16 snl_f64_to_f16(double d)
{
    uint64_t bits, rest, half;
    memcpy(&bits, &d, sizeof bits);
    rest = bits & 0x7fffffffffffffffu;
    if (rest > 0x7ff0000000000000u) {
        half = 0x7e00u | (rest >> 42 & 0x03ffu);
    } else if (rest >= 0x40effe0000000000u) {           /* 65520 */
        half = 0x7c00u;
    } else if (rest < 0x3f10000000000000u) {    /* adding 2^28 rounds to units of 2^-24 */
        double magnitude;
        memcpy(&magnitude, &rest, sizeof magnitude);
        magnitude += 268435456.0;
        memcpy(&half, &magnitude, sizeof half);
        half -= 0x41b0000000000000u;
    } else {
        half = (rest - 0x3f00000000000000u + 0x1ffffffffffu + (rest >> 42 & 1u)) >> 42;
    }
    return (snl_f16)((bits >> 48 & 0x8000u) | half);
}

/* The value of a half as double; exact. */
SNL_FN double snl_f16_to_f64(snl_f16 h) { return (double)snl_f16_to_f32(h); }

#endif
