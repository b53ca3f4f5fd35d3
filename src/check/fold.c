/* Constant folding with the arithmetic of the run time: the same functions of runtime/snl_math.h. */
#include "config.h"

#include <string.h>

#include "check/check_func.h"
#include "snl_math.h"

/* ---- leaves as values of their C types ---- */

/* What a leaf holds, by C type; f16 travels as its bits. */
#define LEAF_READERS(X) \
    X(I8, i8, int8_t, (int8_t)x.i) X(I16, i16, int16_t, (int16_t)x.i) X(I32, i32, int32_t, (int32_t)x.i) X(I64, i64, int64_t, x.i) \
    X(U8, u8, uint8_t, (uint8_t)x.u) X(U16, u16, uint16_t, (uint16_t)x.u) X(U32, u32, uint32_t, (uint32_t)x.u) X(U64, u64, uint64_t, x.u) \
    X(F16, f16, snl_f16, snl_f64_to_f16(x.f)) X(F32, f32, float, (float)x.f) X(F64, f64, double, x.f)
#define INTEGERS(X) X(I8, i8) X(I16, i16) X(I32, i32) X(I64, i64) X(U8, u8) X(U16, u16) X(U32, u32) X(U64, u64)
#define FLOATS(X) X(F16, f16) X(F32, f32) X(F64, f64)
#define NUMBERS(X) INTEGERS(X) FLOATS(X)

#define READER(tag, suffix, ctype, expr) \
    static ctype get_##suffix(Leaf x) { return expr; }
LEAF_READERS(READER)

static bool
get_bool(Leaf x)
{
    return x.i != 0;
}

static Leaf put_i8(int8_t v) { return (Leaf){.i = v}; }
static Leaf put_i16(int16_t v) { return (Leaf){.i = v}; }
static Leaf put_i32(int32_t v) { return (Leaf){.i = v}; }
static Leaf put_i64(int64_t v) { return (Leaf){.i = v}; }
static Leaf put_u8(uint8_t v) { return (Leaf){.u = v}; }
static Leaf put_u16(uint16_t v) { return (Leaf){.u = v}; }
static Leaf put_u32(uint32_t v) { return (Leaf){.u = v}; }
static Leaf put_u64(uint64_t v) { return (Leaf){.u = v}; }
static Leaf put_f16(snl_f16 v) { return (Leaf){.f = snl_f16_to_f64(v)}; }
static Leaf put_f32(float v) { return (Leaf){.f = (double)v}; }
static Leaf put_f64(double v) { return (Leaf){.f = v}; }
static Leaf put_bool(bool v) { return (Leaf){.i = v}; }

/* ---- one scalar ---- */

static bool
fold_unary_leaf(Op op, Scalar s, Leaf a, Leaf *out)
{
    if (op == OP_PLUS) {
        *out = a;
        return true;
    }
    if (op == OP_NOT) {
        *out = put_bool(!get_bool(a));
        return s == SCALAR_BOOL;
    }
    switch (s) {
#define CASE(tag, suffix) \
    case SCALAR_##tag: *out = op == OP_NEG ? put_##suffix(snl_neg_##suffix(get_##suffix(a))) : put_##suffix(snl_not_##suffix(get_##suffix(a))); return true;
        INTEGERS(CASE)
#undef CASE
#define CASE(tag, suffix) \
    case SCALAR_##tag: *out = put_##suffix(snl_neg_##suffix(get_##suffix(a))); return op == OP_NEG;
        FLOATS(CASE)
#undef CASE
    default: return false;
    }
}

/* Comparison of two doubles that equal the values, or of integers. */
static bool
fold_compare(Op op, Scalar s, Leaf a, Leaf b, Leaf *out)
{
    bool less, equal;
    switch (scalar_info(s)->kind) {
    case KIND_FLOAT: less = a.f < b.f; equal = a.f == b.f; break;
    case KIND_UINT: less = a.u < b.u; equal = a.u == b.u; break;
    default: less = a.i < b.i; equal = a.i == b.i; break;
    }
    bool nan = scalar_info(s)->kind == KIND_FLOAT && (a.f != a.f || b.f != b.f);
    switch (op) {
    case OP_EQ: *out = put_bool(equal); return true;
    case OP_NE: *out = put_bool(!equal); return true;
    case OP_LT: *out = put_bool(less); return true;
    case OP_LE: *out = put_bool(less || equal); return true;
    case OP_GT: *out = put_bool(!nan && !less && !equal); return true;
    case OP_GE: *out = put_bool(!nan && !less); return true;
    default: return false;
    }
}

#define FIVE(suffix) \
    case OP_ADD: *out = put_##suffix(snl_add_##suffix(get_##suffix(a), get_##suffix(b))); return true; \
    case OP_SUB: *out = put_##suffix(snl_sub_##suffix(get_##suffix(a), get_##suffix(b))); return true; \
    case OP_MUL: *out = put_##suffix(snl_mul_##suffix(get_##suffix(a), get_##suffix(b))); return true;

static bool
fold_binary_leaf(Op op, Scalar s, Leaf a, Leaf b, Leaf *out)
{
    if (op >= OP_EQ && op <= OP_GE)
        return fold_compare(op, s, a, b, out);
    switch (s) {
#define CASE(tag, suffix) \
    case SCALAR_##tag: \
        if ((op == OP_DIV || op == OP_MOD) && get_##suffix(b) == 0) \
            return false; /* said at run time under --check */ \
        switch (op) { \
            FIVE(suffix) \
        case OP_DIV: *out = put_##suffix(snl_div_##suffix(get_##suffix(a), get_##suffix(b))); return true; \
        case OP_MOD: *out = put_##suffix(snl_mod_##suffix(get_##suffix(a), get_##suffix(b))); return true; \
        case OP_AND: *out = put_##suffix(snl_and_##suffix(get_##suffix(a), get_##suffix(b))); return true; \
        case OP_OR: *out = put_##suffix(snl_or_##suffix(get_##suffix(a), get_##suffix(b))); return true; \
        case OP_XOR: *out = put_##suffix(snl_xor_##suffix(get_##suffix(a), get_##suffix(b))); return true; \
        default: return false; \
        }
        INTEGERS(CASE)
#undef CASE
#define CASE(tag, suffix) \
    case SCALAR_##tag: \
        switch (op) { \
            FIVE(suffix) \
        case OP_DIV: *out = put_##suffix(snl_div_##suffix(get_##suffix(a), get_##suffix(b))); return true; \
        case OP_MOD: *out = put_##suffix(snl_mod_##suffix(get_##suffix(a), get_##suffix(b))); return true; \
        default: return false; \
        }
        FLOATS(CASE)
#undef CASE
    case SCALAR_BOOL:
        *out = put_bool(op == OP_LAND ? get_bool(a) && get_bool(b) : get_bool(a) || get_bool(b));
        return op == OP_LAND || op == OP_LOR;
    default: return false;
    }
}

/* The count may have another type; outside of 0 … width - 1 a --check build says so at run time. */
static bool
fold_shift_leaf(Op op, Scalar s, Leaf a, Scalar count_type, Leaf count, bool strict, Leaf *out)
{
    int width = 8 * scalar_info(s)->bytes;
    bool negative = scalar_info(count_type)->kind == KIND_INT && count.i < 0;
    if (strict && (negative || count.u >= (uint64_t)width))
        return false;
    int64_t n = (int64_t)(count.u & (uint64_t)(width - 1));
    switch (s) {
#define CASE(tag, suffix) \
    case SCALAR_##tag: \
        *out = op == OP_SHL ? put_##suffix(snl_shl_##suffix(get_##suffix(a), get_##suffix((Leaf){.i = n}))) \
                            : put_##suffix(snl_shr_##suffix(get_##suffix(a), get_##suffix((Leaf){.i = n}))); \
        return true;
        INTEGERS(CASE)
#undef CASE
    default: return false;
    }
}

/* ---- casts ---- */

#define TO_ALL(from) \
    switch (to) { \
    case SCALAR_BOOL: return put_bool(snl_cast_##from##_bool(v)); \
    case SCALAR_I8: return put_i8(snl_cast_##from##_i8(v)); \
    case SCALAR_I16: return put_i16(snl_cast_##from##_i16(v)); \
    case SCALAR_I32: return put_i32(snl_cast_##from##_i32(v)); \
    case SCALAR_I64: return put_i64(snl_cast_##from##_i64(v)); \
    case SCALAR_U8: return put_u8(snl_cast_##from##_u8(v)); \
    case SCALAR_U16: return put_u16(snl_cast_##from##_u16(v)); \
    case SCALAR_U32: return put_u32(snl_cast_##from##_u32(v)); \
    case SCALAR_U64: return put_u64(snl_cast_##from##_u64(v)); \
    case SCALAR_F16: return put_f16(snl_cast_##from##_f16(v)); \
    case SCALAR_F32: return put_f32(snl_cast_##from##_f32(v)); \
    case SCALAR_F64: return put_f64(snl_cast_##from##_f64(v)); \
    case SCALAR_COUNT: break; \
    } \
    break;

static Leaf
fold_cast_leaf(Scalar from, Leaf x, Scalar to)
{
    switch (from) {
#define CASE(tag, suffix, ctype, expr) \
    case SCALAR_##tag: { \
        ctype v = get_##suffix(x); \
        TO_ALL(suffix) \
    }
        LEAF_READERS(CASE)
#undef CASE
    case SCALAR_BOOL: {
        bool v = get_bool(x);
        TO_ALL(bool)
    }
    case SCALAR_COUNT: break;
    }
    return x;
}

/* True when a float has a value in the integer type. */
static bool
cast_fits(Scalar from, Leaf x, Scalar to)
{
    const ScalarInfo *t = scalar_info(to);
    if (scalar_info(from)->kind != KIND_FLOAT || t->kind == KIND_FLOAT || t->kind == KIND_BOOL)
        return true;
    int bits = 8 * t->bytes;
    double end = (double)((__int128)1 << (t->kind == KIND_INT ? bits - 1 : bits));
    double low = t->kind == KIND_INT ? -end : 0, whole = trunc(x.f);
    return whole >= low && whole < end;
}

static uint64_t
leaf_bits(Scalar s, Leaf x)
{
    uint64_t bits = 0;
    if (s == SCALAR_F16)
        bits = get_f16(x);
    else if (s == SCALAR_F32)
        bits = snl_bitcast_f32_u32(get_f32(x));
    else if (s == SCALAR_F64)
        bits = snl_bitcast_f64_u64(x.f);
    else
        bits = x.u;
    int width = 8 * scalar_info(s)->bytes;
    return width == 64 ? bits : bits & (((uint64_t)1 << width) - 1);
}

static Leaf
leaf_of_bits(Scalar s, uint64_t bits)
{
    switch (s) {
    case SCALAR_F16: return put_f16((snl_f16)bits);
    case SCALAR_F32: return put_f32(snl_bitcast_u32_f32((uint32_t)bits));
    case SCALAR_F64: return put_f64(snl_bitcast_u64_f64(bits));
    default: return leaf_from_integer(s, (__int128)(int64_t)bits);
    }
}

/* ---- built-in functions ---- */

#define F1_LIST(X) \
    X(SIN, sin) X(COS, cos) X(TAN, tan) X(ASIN, asin) X(ACOS, acos) X(ATAN, atan) X(SINH, sinh) X(COSH, cosh) X(TANH, tanh) \
    X(EXP, exp) X(EXP2, exp2) X(LOG, log) X(LOG2, log2) X(LOG10, log10) X(SQRT, sqrt) X(RSQRT, rsqrt) X(CBRT, cbrt) \
    X(FLOOR, floor) X(CEIL, ceil) X(ROUND, round) X(TRUNC, trunc) X(FRACT, fract)
#define F2_LIST(X) X(ATAN2, atan2) X(POW, pow) X(STEP, step)
#define F3_LIST(X) X(FMA, fma) X(MIX, mix) X(SMOOTHSTEP, smoothstep)
#define N1_LIST(X) X(ABS, abs) X(SIGN, sign)
#define N2_LIST(X) X(MIN, min) X(MAX, max)
#define DIVISIONS(X) X(FLOORDIV, floordiv) X(FLOORMOD, floormod)
#define I1_LIST(X) X(POPCOUNT, popcount) X(CLZ, clz) X(CTZ, ctz)
#define P1_LIST(X) X(ISNAN, isnan) X(ISINF, isinf)

#define CALL1(S, name, fn) case BUILTIN_##name: *out = put_##S(snl_##fn##_##S(get_##S(a[0]))); return true;
#define CALL2(S, name, fn) case BUILTIN_##name: *out = put_##S(snl_##fn##_##S(get_##S(a[0]), get_##S(a[1]))); return true;
#define CALL3(S, name, fn) case BUILTIN_##name: *out = put_##S(snl_##fn##_##S(get_##S(a[0]), get_##S(a[1]), get_##S(a[2]))); return true;

#define FLOAT_FUNCTION(S) \
    static bool fold_calls_##S(Builtin b, const Leaf *a, Leaf *out) \
    { \
        switch (b) { \
            F1_LIST(F1_##S) F2_LIST(F2_##S) F3_LIST(F3_##S) N1_LIST(F1_##S) N2_LIST(F2_##S) DIVISIONS(F2_##S) \
            P1_LIST(P1_##S) \
        case BUILTIN_CLAMP: *out = put_##S(snl_clamp_##S(get_##S(a[0]), get_##S(a[1]), get_##S(a[2]))); return true; \
        default: return false; \
        } \
    }
#define F1_f16(n, f) CALL1(f16, n, f)
#define F2_f16(n, f) CALL2(f16, n, f)
#define F3_f16(n, f) CALL3(f16, n, f)
#define P1_f16(n, f) case BUILTIN_##n: *out = put_bool(snl_##f##_f16(get_f16(a[0]))); return true;
#define F1_f32(n, f) CALL1(f32, n, f)
#define F2_f32(n, f) CALL2(f32, n, f)
#define F3_f32(n, f) CALL3(f32, n, f)
#define P1_f32(n, f) case BUILTIN_##n: *out = put_bool(snl_##f##_f32(get_f32(a[0]))); return true;
#define F1_f64(n, f) CALL1(f64, n, f)
#define F2_f64(n, f) CALL2(f64, n, f)
#define F3_f64(n, f) CALL3(f64, n, f)
#define P1_f64(n, f) case BUILTIN_##n: *out = put_bool(snl_##f##_f64(get_f64(a[0]))); return true;
FLOAT_FUNCTION(f16)
FLOAT_FUNCTION(f32)
FLOAT_FUNCTION(f64)

#define INTEGER_FUNCTION(tag, S) \
    static bool fold_calls_##S(Builtin b, const Leaf *a, Leaf *out) \
    { \
        if ((b == BUILTIN_FLOORDIV || b == BUILTIN_FLOORMOD) && get_##S(a[1]) == 0) \
            return false; \
        switch (b) { \
        case BUILTIN_ABS: *out = put_##S(snl_abs_##S(get_##S(a[0]))); return true; \
        case BUILTIN_SIGN: *out = put_##S(snl_sign_##S(get_##S(a[0]))); return true; \
        case BUILTIN_MIN: *out = put_##S(snl_min_##S(get_##S(a[0]), get_##S(a[1]))); return true; \
        case BUILTIN_MAX: *out = put_##S(snl_max_##S(get_##S(a[0]), get_##S(a[1]))); return true; \
        case BUILTIN_FLOORDIV: *out = put_##S(snl_floordiv_##S(get_##S(a[0]), get_##S(a[1]))); return true; \
        case BUILTIN_FLOORMOD: *out = put_##S(snl_floormod_##S(get_##S(a[0]), get_##S(a[1]))); return true; \
        case BUILTIN_CLAMP: *out = put_##S(snl_clamp_##S(get_##S(a[0]), get_##S(a[1]), get_##S(a[2]))); return true; \
        case BUILTIN_POPCOUNT: *out = put_i32(snl_popcount_##S(get_##S(a[0]))); return true; \
        case BUILTIN_CLZ: *out = put_i32(snl_clz_##S(get_##S(a[0]))); return true; \
        case BUILTIN_CTZ: *out = put_i32(snl_ctz_##S(get_##S(a[0]))); return true; \
        default: return false; \
        } \
    }
INTEGERS(INTEGER_FUNCTION)

static bool
fold_builtin_leaf(Builtin b, Scalar s, const Leaf *a, Leaf *out)
{
    switch (s) {
#define CASE(tag, suffix) case SCALAR_##tag: return fold_calls_##suffix(b, a, out);
        NUMBERS(CASE)
#undef CASE
    default: return false;
    }
}

/* ---- expressions ---- */

static Value
new_value(Checker *k, const Type *type)
{
    return (Value){type, ARENA_ARRAY(k->c->arena, Leaf, type->leaf_count)};
}

static bool
fold_arith(Checker *k, const TExpr *e, Value *v)
{
    bool strict = (k->c->options.check & CHECK_BOUNDS) != 0;
    for (int i = 0; i < e->type->leaf_count; i++) {
        Leaf *out = &v->leaves[i];
        Scalar from = e->a->type->scalar;
        const Leaf *a = e->a->value.leaves;
        bool fine = true;
        if (e->kind == TX_UNARY)
            fine = fold_unary_leaf(e->op, from, a[i], out);
        else if (e->kind == TX_CAST && strict && !cast_fits(from, a[i], e->type->scalar))
            fine = false;
        else if (e->kind == TX_CAST)
            *out = fold_cast_leaf(from, a[i], e->type->scalar);
        else if (e->kind == TX_BITCAST)
            *out = leaf_of_bits(e->type->scalar, leaf_bits(from, a[i]));
        else if (e->kind == TX_SPLAT)
            *out = a[0];
        else if (e->op == OP_SHL || e->op == OP_SHR)
            fine = fold_shift_leaf(e->op, from, a[i], e->b->type->scalar, e->b->value.leaves[i], strict, out);
        else
            fine = fold_binary_leaf(e->op, from, a[i], e->b->value.leaves[i], out);
        if (!fine)
            return false;
    }
    return true;
}

static bool
fold_product(const TExpr *e, Value *v)
{
    const Type *a = e->a->type, *b = e->b->type;
    Scalar s = e->type->scalar;
    int cols = b->cols ? b->cols : 1;
    for (int r = 0; r < a->rows; r++)
        for (int c = 0; c < cols; c++) {
            Leaf sum = {0};
            for (int n = 0; n < a->cols; n++) {
                Leaf product;
                if (!fold_binary_leaf(OP_MUL, s, e->a->value.leaves[r * a->cols + n], e->b->value.leaves[n * cols + c], &product) ||
                    (n > 0 && !fold_binary_leaf(OP_ADD, s, sum, product, &product)))
                    return false;
                sum = product;
            }
            v->leaves[r * cols + c] = sum;
        }
    return true;
}

static bool
all_constant(const TExprs *args)
{
    for (int i = 0; i < args->count; i++)
        if (args->items[i]->kind != TX_CONST)
            return false;
    return true;
}

static bool
fold_make(const TExpr *e, Value *v)
{
    int n = 0;
    for (int i = 0; i < e->args.count; i++) {
        const Value *part = &e->args.items[i]->value;
        for (int j = 0; j < part->type->leaf_count; j++)
            v->leaves[n++] = part->leaves[j];
    }
    return n == e->type->leaf_count;
}

/* Bool vectors and plain sums need no rounding rules of their own. */
static bool
fold_vector_builtin(const TExpr *e, Value *v)
{
    const Value *a = &e->args.items[0]->value;
    if (e->builtin == BUILTIN_TRANSPOSE) {
        for (int r = 0; r < a->type->rows; r++)
            for (int c = 0; c < a->type->cols; c++)
                v->leaves[c * a->type->rows + r] = a->leaves[r * a->type->cols + c];
        return true;
    }
    if (e->builtin != BUILTIN_ANY && e->builtin != BUILTIN_ALL)
        return false;
    bool any = false, all = true;
    for (int i = 0; i < a->type->leaf_count; i++) {
        any = any || a->leaves[i].i;
        all = all && a->leaves[i].i;
    }
    v->leaves[0] = put_bool(e->builtin == BUILTIN_ANY ? any : all);
    return true;
}

static bool
fold_builtin(const TExpr *e, Value *v)
{
    if (!e->args.count)
        return false;
    if (!builtin_per_component(e->builtin))
        return fold_vector_builtin(e, v);
    for (int i = 0; i < e->type->leaf_count; i++) {
        Leaf a[3];
        for (int n = 0; n < e->args.count && n < 3; n++)
            a[n] = e->args.items[n]->value.leaves[i];
        if (!fold_builtin_leaf(e->builtin, e->args.items[0]->type->scalar, a, &v->leaves[i]))
            return false;
    }
    return true;
}

/* Number of the first leaf an index list picks; -1 when an index is outside. */
static int64_t
element_leaf(const TExpr *e, const Type *base)
{
    int64_t n = 0;
    for (int i = 0; i < e->args.count; i++) {
        int64_t at = e->args.items[i]->value.leaves[0].i;
        int64_t size = base->kind == TYPE_ARRAY ? base->dims[i] : i == 0 ? base->rows : base->cols;
        if (at < 0 || at >= size)
            return -1;
        n = n * size + at;
    }
    return n * e->type->leaf_count;
}

static bool
fold_element(const TExpr *e, Value *v)
{
    const Value *base = e->a->kind == TX_TABLE ? &e->a->table->value : &e->a->value;
    int64_t from = element_leaf(e, base->type);
    if (from < 0)
        return false;
    memcpy(v->leaves, base->leaves + from, sizeof(Leaf) * (size_t)e->type->leaf_count);
    return true;
}

static bool
fold_fma(const TExpr *e, Value *v)
{
    for (int i = 0; i < e->type->leaf_count; i++) {
        Leaf a[3] = {e->a->value.leaves[i], e->b->value.leaves[i], e->c->value.leaves[i]};
        if (!fold_builtin_leaf(BUILTIN_FMA, e->type->scalar, a, &v->leaves[i]))
            return false;
    }
    return true;
}

static bool
is_const(const TExpr *e)
{
    return e && e->kind == TX_CONST;
}

/* The value of e when its operands are constants. */
static bool
fold_value(Checker *k, const TExpr *e, Value *v)
{
    switch (e->kind) {
    case TX_UNARY: case TX_CAST: case TX_BITCAST: case TX_SPLAT:
        return is_const(e->a) && fold_arith(k, e, v);
    case TX_BINARY:
        return is_const(e->a) && is_const(e->b) && (e->op == OP_MATMUL ? fold_product(e, v) : fold_arith(k, e, v));
    case TX_FMA: return is_const(e->a) && is_const(e->b) && is_const(e->c) && fold_fma(e, v);
    case TX_MAKE: return all_constant(&e->args) && fold_make(e, v);
    case TX_BUILTIN: return all_constant(&e->args) && fold_builtin(e, v);
    case TX_ELEM:
        return (is_const(e->a) || e->a->kind == TX_TABLE) && all_constant(&e->args) && fold_element(e, v);
    case TX_MEMBER:
        if (!is_const(e->a))
            return false;
        memcpy(v->leaves, e->a->value.leaves + e->a->type->members[e->member].leaf, sizeof(Leaf) * (size_t)e->type->leaf_count);
        return true;
    case TX_SWIZZLE:
        for (int i = 0; is_const(e->a) && i < e->swizzle_count; i++)
            v->leaves[i] = e->a->value.leaves[e->swizzle[i]];
        return is_const(e->a);
    default: return false;
    }
}

/* `true && x` is x, `false && x` is false, and so on; NULL when nothing is known. */
static TExpr *
fold_choice(TExpr *e)
{
    if (e->kind == TX_COND && is_const(e->a))
        return e->a->value.leaves[0].i ? e->b : e->c;
    if (e->kind != TX_BINARY || (e->op != OP_LAND && e->op != OP_LOR) || e->type->kind != TYPE_SCALAR || !is_const(e->a))
        return NULL;
    bool yes = e->a->value.leaves[0].i != 0;
    return yes == (e->op == OP_LAND) ? e->b : e->a;
}

TExpr *
fold(Checker *k, TExpr *e)
{
    switch (e->kind) { /* no memory for what cannot fold */
    case TX_UNARY: case TX_CAST: case TX_BITCAST: case TX_SPLAT: case TX_BINARY: case TX_FMA: case TX_MAKE: case TX_BUILTIN:
    case TX_ELEM: case TX_MEMBER: case TX_SWIZZLE: case TX_COND: break;
    default: return e;
    }
    if (tx_is_error(e) || (e->a && tx_is_error(e->a)) || (e->b && tx_is_error(e->b)) || (e->c && tx_is_error(e->c)))
        return e;
    TExpr *choice = fold_choice(e);
    if (choice)
        return choice;
    if ((e->a && e->a->kind != TX_CONST && e->a->kind != TX_TABLE) || e->type->kind == TYPE_STRING || e->type->kind == TYPE_VOID)
        return e;
    Value v = new_value(k, e->type);
    if (!fold_value(k, e, &v))
        return e;
    return tx_value(k, e->span, v);
}
