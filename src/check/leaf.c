/* Arithmetic on single scalars, on the functions of the runtime. */
#include "config.h"

#include "check/leaf.h"

#include <float.h>
#include <string.h>

#include "math/snl_math.h"

Leaf
leaf_load(Scalar s, const void *from)
{
    Leaf v = {.i = 0};
    switch (s) {
#define LOAD(NAME, T, member)                  \
    case SCALAR_##NAME: {                      \
        T x;                                   \
        memcpy(&x, from, sizeof x);            \
        v.member = x;                          \
        break;                                 \
    }
    LOAD(BOOL, bool, i)
    LOAD(I8, int8_t, i)
    LOAD(I16, int16_t, i)
    LOAD(I32, int32_t, i)
    LOAD(I64, int64_t, i)
    LOAD(U8, uint8_t, u)
    LOAD(U16, uint16_t, u)
    LOAD(U32, uint32_t, u)
    LOAD(U64, uint64_t, u)
    LOAD(F32, float, f)
    LOAD(F64, double, f)
#undef LOAD
    case SCALAR_F16: {
        snl_f16 x;
        memcpy(&x, from, sizeof x);
        v.f = snl_f16_to_f64(x);
        break;
    }
    case SCALAR_COUNT: break;
    }
    return v;
}

void
leaf_store(Scalar s, void *to, Leaf v)
{
    switch (s) {
#define STORE(NAME, T, member)                 \
    case SCALAR_##NAME: {                      \
        T x = (T)v.member;                     \
        memcpy(to, &x, sizeof x);              \
        break;                                 \
    }
    STORE(BOOL, bool, i)
    STORE(I8, int8_t, i)
    STORE(I16, int16_t, i)
    STORE(I32, int32_t, i)
    STORE(I64, int64_t, i)
    STORE(U8, uint8_t, u)
    STORE(U16, uint16_t, u)
    STORE(U32, uint32_t, u)
    STORE(U64, uint64_t, u)
    STORE(F32, float, f)
    STORE(F64, double, f)
#undef STORE
    case SCALAR_F16: {
        snl_f16 x = snl_f64_to_f16(v.f);
        memcpy(to, &x, sizeof x);
        break;
    }
    case SCALAR_COUNT: break;
    }
}

static Leaf
bool_leaf(bool b)
{
    return (Leaf){.i = b};
}

/* Operators of one integer type. */
#define INTEGER_BINARY(NAME, S, T, member)                                                  \
    static Leaf binary_##S(Op op, Leaf x, Leaf y)                                           \
    {                                                                                       \
        T a = (T)x.member, b = (T)y.member;                                                 \
        switch (op) {                                                                       \
        case OP_ADD: return (Leaf){.member = snl_add_##S(a, b)};                            \
        case OP_SUB: return (Leaf){.member = snl_sub_##S(a, b)};                            \
        case OP_MUL: return (Leaf){.member = snl_mul_##S(a, b)};                            \
        case OP_DIV: return (Leaf){.member = snl_div_##S(a, b)};                            \
        case OP_MOD: return (Leaf){.member = snl_mod_##S(a, b)};                            \
        case OP_AND: return (Leaf){.member = (T)(a & b)};                                   \
        case OP_OR: return (Leaf){.member = (T)(a | b)};                                    \
        case OP_XOR: return (Leaf){.member = (T)(a ^ b)};                                   \
        case OP_SHL: return (Leaf){.member = snl_shl_##S(a, b)};                            \
        case OP_SHR: return (Leaf){.member = snl_shr_##S(a, b)};                            \
        case OP_EQ: return bool_leaf(a == b);                                               \
        case OP_NE: return bool_leaf(a != b);                                               \
        case OP_LT: return bool_leaf(a < b);                                                \
        case OP_LE: return bool_leaf(a <= b);                                               \
        case OP_GT: return bool_leaf(a > b);                                                \
        case OP_GE: return bool_leaf(a >= b);                                               \
        default: return (Leaf){.i = 0};                                                     \
        }                                                                                   \
    }
INTEGER_BINARY(I8, i8, int8_t, i)
INTEGER_BINARY(I16, i16, int16_t, i)
INTEGER_BINARY(I32, i32, int32_t, i)
INTEGER_BINARY(I64, i64, int64_t, i)
INTEGER_BINARY(U8, u8, uint8_t, u)
INTEGER_BINARY(U16, u16, uint16_t, u)
INTEGER_BINARY(U32, u32, uint32_t, u)
INTEGER_BINARY(U64, u64, uint64_t, u)

static Leaf
binary_bool(Op op, Leaf a, Leaf b)
{
    bool x = a.i != 0, y = b.i != 0;
    switch (op) {
    case OP_EQ: return bool_leaf(x == y);
    case OP_NE: case OP_XOR: return bool_leaf(x != y);
    case OP_AND: case OP_LAND: return bool_leaf(x && y);
    case OP_OR: case OP_LOR: return bool_leaf(x || y);
    default: return bool_leaf(false);
    }
}

static Leaf
compare_floats(Op op, double a, double b)
{
    switch (op) {
    case OP_EQ: return bool_leaf(a == b);
    case OP_NE: return bool_leaf(a != b);
    case OP_LT: return bool_leaf(a < b);
    case OP_LE: return bool_leaf(a <= b);
    case OP_GT: return bool_leaf(a > b);
    case OP_GE: return bool_leaf(a >= b);
    default: return bool_leaf(false);
    }
}

static Leaf
half_leaf(float v)
{
    return (Leaf){.f = snl_f16_to_f64(snl_f32_to_f16(v))};
}

static Leaf
binary_float(Op op, Scalar s, double a, double b)
{
    float x = (float)a, y = (float)b;
    bool wide = s == SCALAR_F64;
    Leaf v;
    switch (op) {
    case OP_ADD: v.f = wide ? a + b : (double)(x + y); break;
    case OP_SUB: v.f = wide ? a - b : (double)(x - y); break;
    case OP_MUL: v.f = wide ? a * b : (double)(x * y); break;
    case OP_DIV: v.f = wide ? a / b : (double)(x / y); break;
    case OP_MOD: v.f = wide ? fmod(a, b) : (double)fmodf(x, y); break;
    default: return compare_floats(op, a, b);
    }
    return s == SCALAR_F16 ? half_leaf((float)v.f) : v;
}

Leaf
leaf_binary(Op op, Scalar s, Leaf a, Leaf b, Scalar count_type)
{
    if (op == OP_SHL || op == OP_SHR)
        b = leaf_cast(count_type, s, b);
    switch (s) {
    case SCALAR_BOOL: return binary_bool(op, a, b);
    case SCALAR_I8: return binary_i8(op, a, b);
    case SCALAR_I16: return binary_i16(op, a, b);
    case SCALAR_I32: return binary_i32(op, a, b);
    case SCALAR_I64: return binary_i64(op, a, b);
    case SCALAR_U8: return binary_u8(op, a, b);
    case SCALAR_U16: return binary_u16(op, a, b);
    case SCALAR_U32: return binary_u32(op, a, b);
    case SCALAR_U64: return binary_u64(op, a, b);
    case SCALAR_F16: case SCALAR_F32: case SCALAR_F64: return binary_float(op, s, a.f, b.f);
    case SCALAR_COUNT: break;
    }
    return a;
}

bool
leaf_overflows(Op op, Scalar s, Leaf a, Leaf b)
{
    const bool divides = op == OP_DIV || op == OP_MOD;
    if (scalar_info(s)->kind != KIND_INT)
        return false;
    __int128 exact = op == OP_ADD           ? (__int128)a.i + b.i
                     : op == OP_SUB         ? (__int128)a.i - b.i
                     : op == OP_MUL         ? (__int128)a.i * b.i
                     : divides && b.i == -1 ? -(__int128)a.i
                                            : 0;
    return (int64_t)exact != exact ||
           leaf_cast(SCALAR_I64, s, (Leaf){.i = (int64_t)exact}).i != exact;
}

Leaf
leaf_unary(Op op, Scalar s, Leaf a)
{
    Leaf zero = {.i = 0}, ones = {.i = -1};
    bool is_float = scalar_info(s)->kind == KIND_FLOAT;
    switch (op) {
    case OP_NEG: return is_float ? (Leaf){.f = -a.f} : leaf_binary(OP_SUB, s, zero, a, s);
    case OP_NOT: return bool_leaf(!a.i);
    case OP_COMPL: return leaf_binary(OP_XOR, s, a, leaf_cast(SCALAR_I64, s, ones), s);
    default: return a;
    }
}

/* A float to an integer type, by the runtime's rule for what does not fit. */
static Leaf
float_to_integer(Scalar to, double v)
{
    switch (to) {
    case SCALAR_I8: return (Leaf){.i = snl_cast_f64_i8(v)};
    case SCALAR_I16: return (Leaf){.i = snl_cast_f64_i16(v)};
    case SCALAR_I32: return (Leaf){.i = snl_cast_f64_i32(v)};
    case SCALAR_I64: return (Leaf){.i = snl_cast_f64_i64(v)};
    case SCALAR_U8: return (Leaf){.u = snl_cast_f64_u8(v)};
    case SCALAR_U16: return (Leaf){.u = snl_cast_f64_u16(v)};
    case SCALAR_U32: return (Leaf){.u = snl_cast_f64_u32(v)};
    case SCALAR_U64: return (Leaf){.u = snl_cast_f64_u64(v)};
    default: return bool_leaf(v != 0);
    }
}

static Leaf
integer_to_float(Scalar from, Scalar to, Leaf v)
{
    bool is_unsigned = scalar_info(from)->kind == KIND_UINT;
    switch (to) {
    case SCALAR_F64: return (Leaf){.f = is_unsigned ? (double)v.u : (double)v.i};
    case SCALAR_F32: return (Leaf){.f = (double)(is_unsigned ? (float)v.u : (float)v.i)};
    default:
        return (Leaf){
            .f = snl_f16_to_f64(is_unsigned ? snl_cast_u64_f16(v.u) : snl_cast_i64_f16(v.i))};
    }
}

static Leaf
wrap_integer(Scalar to, Leaf v)
{
    switch (to) {
    case SCALAR_BOOL: return bool_leaf(v.i != 0);
    case SCALAR_I8: return (Leaf){.i = (int8_t)v.u};
    case SCALAR_I16: return (Leaf){.i = (int16_t)v.u};
    case SCALAR_I32: return (Leaf){.i = (int32_t)v.u};
    case SCALAR_U8: return (Leaf){.u = (uint8_t)v.u};
    case SCALAR_U16: return (Leaf){.u = (uint16_t)v.u};
    case SCALAR_U32: return (Leaf){.u = (uint32_t)v.u};
    default: return v;
    }
}

Leaf
leaf_cast(Scalar from, Scalar to, Leaf v)
{
    if (from == to)
        return v;
    bool from_float = scalar_info(from)->kind == KIND_FLOAT,
         to_float = scalar_info(to)->kind == KIND_FLOAT;
    if (from_float && !to_float)
        return float_to_integer(to, v.f);
    if (!from_float && to_float)
        return integer_to_float(from, to, v);
    if (!from_float)
        return wrap_integer(to, v);
    if (to == SCALAR_F32)
        v.f = (double)(float)v.f;
    else if (to == SCALAR_F16)
        v.f = snl_f16_to_f64(snl_f64_to_f16(v.f));
    return v;
}

bool
leaf_cast_fits(Scalar from, Leaf v, Scalar to)
{
    const ScalarInfo *t = scalar_info(to);
    if (scalar_info(from)->kind != KIND_FLOAT || t->kind == KIND_FLOAT || t->kind == KIND_BOOL)
        return true;
    int bits = 8 * t->bytes;
    double end = (double)((__int128)1 << (t->kind == KIND_INT ? bits - 1 : bits));
    double low = t->kind == KIND_INT ? -end : 0, whole = trunc(v.f);
    return whole >= low && whole < end;
}

/* What there is to ask of a type of numbers. */
static bool
find_trait(const ScalarInfo *info, const char *name, Scalar *of, Leaf *v)
{
    *of = SCALAR_BOOL;
    if (!strcmp(name, "bits")) {
        *of = SCALAR_I32;
        v->i = 8 * info->bytes;
    } else if (!strcmp(name, "components")) {
        *of = SCALAR_I32;
        v->i = 1;
    } else if (!strcmp(name, "is_float")) {
        v->i = info->kind == KIND_FLOAT;
    } else if (!strcmp(name, "is_signed")) {
        v->i = info->kind != KIND_UINT;
    } else {
        return false;
    }
    return true;
}

bool
leaf_limit(Scalar s, const char *name, Scalar *of, Leaf *v)
{
    const ScalarInfo *info = scalar_info(s);
    if (info->kind != KIND_BOOL && find_trait(info, name, of, v))
        return true;
    *of = s;
    bool lowest = !strcmp(name, "min"), highest = !strcmp(name, "max");
    bool smallest = info->kind == KIND_FLOAT && !strcmp(name, "epsilon");
    if (info->kind == KIND_BOOL || (!lowest && !highest && !smallest))
        return false;
    if (info->kind == KIND_FLOAT) {
        double max = s == SCALAR_F16 ? 65504 : s == SCALAR_F32 ? (double)FLT_MAX : DBL_MAX;
        double epsilon = s == SCALAR_F16   ? 0x1p-10
                         : s == SCALAR_F32 ? (double)FLT_EPSILON
                                           : DBL_EPSILON;
        v->f = lowest ? -max : highest ? max : epsilon;
        return true;
    }
    const int bits = 8 * info->bytes;
    const bool is_signed = info->kind == KIND_INT;
    const uint64_t top = (is_signed ? (uint64_t)INT64_MAX : UINT64_MAX) >> (64 - bits);
    v->i = highest ? (int64_t)top : is_signed ? -(int64_t)top - 1 : 0;
    return true;
}

Leaf
leaf_bitcast(Scalar from, Scalar to, Leaf v)
{
    unsigned char bytes[8] = {0};
    leaf_store(from, bytes, v);
    return leaf_load(to, bytes);
}

Leaf
leaf_fma(Scalar s, Leaf a, Leaf b, Leaf c)
{
    if (s == SCALAR_F64)
        return (Leaf){.f = fma(a.f, b.f, c.f)};
    if (s == SCALAR_F32)
        return (Leaf){.f = (double)fmaf((float)a.f, (float)b.f, (float)c.f)};
    return (Leaf){.f = snl_f16_to_f64(
                      snl_fma_f16(snl_f64_to_f16(a.f), snl_f64_to_f16(b.f), snl_f64_to_f16(c.f)))};
}

typedef enum {
    CLASS_F1,
    CLASS_F2,
    CLASS_F3,
    CLASS_N1,
    CLASS_N2,
    CLASS_N3,
    CLASS_I1,
    CLASS_P1,
    CLASS_V,
    CLASS_R
} BuiltinClass;

static const struct {
    BuiltinClass kind;
} builtin_table[] = {
#define BUILTIN(name, spelling, class, arguments) {CLASS_##class},
#include "check/builtins.def"
#undef BUILTIN
};

bool
builtin_is_componentwise(Builtin b)
{
    return builtin_table[b].kind < CLASS_V;
}

/* The functions of one float type; f16 goes through f32. */
#define FLOAT_BUILTIN(S, T)                                                 \
    static Leaf builtin_##S(Builtin f, const Leaf *x)                       \
    {                                                                       \
        T a = (T)x[0].f;                                                    \
        switch (f) {                                                        \
        case BUILTIN_SIN: return (Leaf){.f = snl_sin_##S(a)};               \
        case BUILTIN_COS: return (Leaf){.f = snl_cos_##S(a)};               \
        case BUILTIN_TAN: return (Leaf){.f = snl_tan_##S(a)};               \
        case BUILTIN_ASIN: return (Leaf){.f = snl_asin_##S(a)};             \
        case BUILTIN_ACOS: return (Leaf){.f = snl_acos_##S(a)};             \
        case BUILTIN_ATAN: return (Leaf){.f = snl_atan_##S(a)};             \
        case BUILTIN_ATAN2: return (Leaf){.f = snl_atan2_##S(a, (T)x[1].f)}; \
        case BUILTIN_SINH: return (Leaf){.f = snl_sinh_##S(a)};             \
        case BUILTIN_COSH: return (Leaf){.f = snl_cosh_##S(a)};             \
        case BUILTIN_TANH: return (Leaf){.f = snl_tanh_##S(a)};             \
        case BUILTIN_EXP: return (Leaf){.f = snl_exp_##S(a)};               \
        case BUILTIN_EXP2: return (Leaf){.f = snl_exp2_##S(a)};             \
        case BUILTIN_LOG: return (Leaf){.f = snl_log_##S(a)};               \
        case BUILTIN_LOG2: return (Leaf){.f = snl_log2_##S(a)};             \
        case BUILTIN_LOG10: return (Leaf){.f = snl_log10_##S(a)};           \
        case BUILTIN_POW: return (Leaf){.f = snl_pow_##S(a, (T)x[1].f)};    \
        case BUILTIN_SQRT: return (Leaf){.f = snl_sqrt_##S(a)};             \
        case BUILTIN_RSQRT: return (Leaf){.f = snl_rsqrt_##S(a)};           \
        case BUILTIN_CBRT: return (Leaf){.f = snl_cbrt_##S(a)};             \
        case BUILTIN_FLOOR: return (Leaf){.f = snl_floor_##S(a)};           \
        case BUILTIN_CEIL: return (Leaf){.f = snl_ceil_##S(a)};             \
        case BUILTIN_ROUND: return (Leaf){.f = snl_round_##S(a)};           \
        case BUILTIN_TRUNC: return (Leaf){.f = snl_trunc_##S(a)};           \
        case BUILTIN_FRACT: return (Leaf){.f = snl_fract_##S(a)};           \
        case BUILTIN_FMA: return (Leaf){.f = snl_fma_##S(a, (T)x[1].f, (T)x[2].f)}; \
        case BUILTIN_MIX: return (Leaf){.f = snl_mix_##S(a, (T)x[1].f, (T)x[2].f)}; \
        case BUILTIN_STEP: return (Leaf){.f = snl_step_##S(a, (T)x[1].f)};  \
        case BUILTIN_SMOOTHSTEP: return (Leaf){.f = snl_smoothstep_##S(a, (T)x[1].f, (T)x[2].f)}; \
        case BUILTIN_ABS: return (Leaf){.f = snl_abs_##S(a)};               \
        case BUILTIN_SIGN: return (Leaf){.f = snl_sign_##S(a)};             \
        case BUILTIN_MIN: return (Leaf){.f = snl_min_##S(a, (T)x[1].f)};    \
        case BUILTIN_MAX: return (Leaf){.f = snl_max_##S(a, (T)x[1].f)};    \
        case BUILTIN_CLAMP: return (Leaf){.f = snl_clamp_##S(a, (T)x[1].f, (T)x[2].f)}; \
        case BUILTIN_FLOORDIV: return (Leaf){.f = snl_floordiv_##S(a, (T)x[1].f)}; \
        case BUILTIN_FLOORMOD: return (Leaf){.f = snl_floormod_##S(a, (T)x[1].f)}; \
        case BUILTIN_ISNAN: return bool_leaf(snl_isnan_##S(a));             \
        case BUILTIN_ISINF: return bool_leaf(snl_isinf_##S(a));             \
        default: return x[0];                                               \
        }                                                                   \
    }
FLOAT_BUILTIN(f32, float)
FLOAT_BUILTIN(f64, double)

#define INTEGER_BUILTIN(S, T, member)                                                        \
    static Leaf builtin_##S(Builtin f, const Leaf *x)                                        \
    {                                                                                        \
        T a = (T)x[0].member;                                                                \
        switch (f) {                                                                         \
        case BUILTIN_ABS: return (Leaf){.member = snl_abs_##S(a)};                           \
        case BUILTIN_SIGN: return (Leaf){.member = snl_sign_##S(a)};                         \
        case BUILTIN_MIN: return (Leaf){.member = snl_min_##S(a, (T)x[1].member)};           \
        case BUILTIN_MAX: return (Leaf){.member = snl_max_##S(a, (T)x[1].member)};           \
        case BUILTIN_CLAMP:                                                                  \
            return (Leaf){.member = snl_clamp_##S(a, (T)x[1].member, (T)x[2].member)};       \
        case BUILTIN_FLOORDIV: return (Leaf){.member = snl_floordiv_##S(a, (T)x[1].member)}; \
        case BUILTIN_FLOORMOD: return (Leaf){.member = snl_floormod_##S(a, (T)x[1].member)}; \
        case BUILTIN_POPCOUNT: return (Leaf){.i = snl_popcount_##S(a)};                      \
        case BUILTIN_CLZ: return (Leaf){.i = snl_clz_##S(a)};                                \
        case BUILTIN_CTZ: return (Leaf){.i = snl_ctz_##S(a)};                                \
        default: return x[0];                                                                \
        }                                                                                    \
    }
INTEGER_BUILTIN(i8, int8_t, i)
INTEGER_BUILTIN(i16, int16_t, i)
INTEGER_BUILTIN(i32, int32_t, i)
INTEGER_BUILTIN(i64, int64_t, i)
INTEGER_BUILTIN(u8, uint8_t, u)
INTEGER_BUILTIN(u16, uint16_t, u)
INTEGER_BUILTIN(u32, uint32_t, u)
INTEGER_BUILTIN(u64, uint64_t, u)

Leaf
leaf_builtin(Builtin b, Scalar s, const Leaf *args)
{
    switch (s) {
    case SCALAR_I8: return builtin_i8(b, args);
    case SCALAR_I16: return builtin_i16(b, args);
    case SCALAR_I32: return builtin_i32(b, args);
    case SCALAR_I64: return builtin_i64(b, args);
    case SCALAR_U8: return builtin_u8(b, args);
    case SCALAR_U16: return builtin_u16(b, args);
    case SCALAR_U32: return builtin_u32(b, args);
    case SCALAR_U64: return builtin_u64(b, args);
    case SCALAR_F64: return builtin_f64(b, args);
    case SCALAR_F32: return builtin_f32(b, args);
    case SCALAR_F16: {
        Leaf v = builtin_f32(b, args);
        return builtin_table[b].kind == CLASS_P1 ? v : half_leaf((float)v.f);
    }
    case SCALAR_BOOL: case SCALAR_COUNT: break;
    }
    return args[0];
}

Leaf
leaf_from_double(Scalar s, double v)
{
    Leaf leaf = {.f = v};
    if (s == SCALAR_F32)
        leaf.f = (double)(float)v;
    else if (s == SCALAR_F16)
        leaf.f = snl_f16_to_f64(snl_f64_to_f16(v));
    return leaf;
}

Leaf
leaf_from_integer(Scalar s, __int128 v)
{
    Leaf leaf = {.i = (int64_t)v};
    switch (s) {
    case SCALAR_BOOL: leaf.i = v != 0; break;
    case SCALAR_I8: leaf.i = (int8_t)leaf.i; break;
    case SCALAR_I16: leaf.i = (int16_t)leaf.i; break;
    case SCALAR_I32: leaf.i = (int32_t)leaf.i; break;
    case SCALAR_U8: leaf.u = (uint8_t)leaf.u; break;
    case SCALAR_U16: leaf.u = (uint16_t)leaf.u; break;
    case SCALAR_U32: leaf.u = (uint32_t)leaf.u; break;
    case SCALAR_I64:
    case SCALAR_U64: break;
    case SCALAR_F32: leaf.f = (double)(float)v; break;
    case SCALAR_F16:
    case SCALAR_F64: leaf = leaf_from_double(s, (double)v); break;
    case SCALAR_COUNT: break;
    }
    return leaf;
}
