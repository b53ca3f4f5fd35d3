/* Linear algebra of values, by the functions of the runtime: folds constants, and serves the
 * interpreter. */
#include "config.h"

#include "check/leaf.h"
#include "math/snl_linalg.h"

enum { LARGEST = 256 }; /* components of a matrix */

/* A value in its C representation. */
static void
to_memory(Scalar s, const Leaf *v, int n, void *out)
{
    for (int i = 0; i < n; i++)
        leaf_store(s, (char *)out + i * scalar_info(s)->bytes, v[i]);
}

static void
from_memory(Scalar s, const void *v, int n, Leaf *out)
{
    for (int i = 0; i < n; i++)
        out[i] = leaf_load(s, (const char *)v + i * scalar_info(s)->bytes);
}

/* Every component type of a function that the runtime has for all numbers. */
#define FOR_NUMBERS(X)                                                                         \
    X(I8, i8, int8_t)                                                                          \
    X(I16, i16, int16_t) X(I32, i32, int32_t) X(I64, i64, int64_t) X(U8, u8, uint8_t)          \
        X(U16, u16, uint16_t) X(U32, u32, uint32_t) X(U64, u64, uint64_t) X(F16, f16, snl_f16) \
            X(F32, f32, float) X(F64, f64, double)
#define FOR_REALS(X) X(F16, f16, snl_f16) X(F32, f32, float) X(F64, f64, double)

void
leaf_matmul(const Type *a, const Type *b, const Leaf *x, const Leaf *y, Leaf *out)
{
    double ma[LARGEST], mb[LARGEST], mc[LARGEST];
    int rows = a->rows, inner = a->cols, cols = b->kind == TYPE_VECTOR ? 1 : b->cols;
    to_memory(a->scalar, x, a->leaf_count, ma);
    to_memory(b->scalar, y, b->leaf_count, mb);
    switch (a->scalar) {
#define MATMUL(NAME, S, T) \
    case SCALAR_##NAME: snl_matmul_##S(rows, inner, cols, (T *)ma, (T *)mb, (T *)mc); break;
        FOR_NUMBERS(MATMUL)
#undef MATMUL
    case SCALAR_BOOL: case SCALAR_COUNT: break;
    }
    from_memory(a->scalar, mc, rows * cols, out);
}

static void
any_all(const TExpr *e, const Leaf *v, Leaf *out)
{
    out->i = e->builtin == BUILTIN_ALL;
    for (int i = 0; i < e->args.items[0]->type->leaf_count; i++)
        out->i = e->builtin == BUILTIN_ALL ? out->i && v[i].i : out->i || v[i].i;
}

/* Functions that exist for every number type: x, y in C representation, z the result. */
static void
vector_function(const TExpr *e, void *x, void *y, void *z)
{
    const Type *t = e->args.items[0]->type;
    int n = t->leaf_count, m = e->args.count > 1 ? e->args.items[1]->type->leaf_count : 0;
    switch (t->scalar) {
#define VECTOR(NAME, S, T)                                                                  \
    case SCALAR_##NAME:                                                                     \
        switch (e->builtin) {                                                               \
        case BUILTIN_DOT: *(T *)z = snl_dot_##S(n, (T *)x, (T *)y); break;                  \
        case BUILTIN_NORM_SQR: *(T *)z = snl_norm_sqr_##S(n, (T *)x); break;                \
        case BUILTIN_OUTER: snl_outer_##S(n, m, (T *)x, (T *)y, (T *)z); break;             \
        case BUILTIN_TRANSPOSE: snl_transpose_##S(t->rows, t->cols, (T *)x, (T *)z); break; \
        case BUILTIN_TRACE: *(T *)z = snl_trace_##S(t->rows, (T *)x); break;                \
        case BUILTIN_CROSS: snl_cross_##S((T *)x, (T *)y, (T *)z); break;                   \
        default: break;                                                                     \
        }                                                                                   \
        break;
        FOR_NUMBERS(VECTOR)
#undef VECTOR
    case SCALAR_BOOL: case SCALAR_COUNT: break;
    }
}

static void
length_function(const TExpr *e, void *x, void *z)
{
    const Type *t = e->args.items[0]->type;
    int n = t->leaf_count;
    switch (t->scalar) {
#define LENGTH(NAME, S, T)                              \
    case SCALAR_##NAME:                                 \
        if (e->builtin == BUILTIN_NORM)                 \
            *(T *)z = snl_norm_##S(n, (T *)x);          \
        else                                            \
            snl_normalize_##S(n, (T *)x, (T *)z);       \
        break;
    FOR_REALS(LENGTH)
#undef LENGTH
    default: break;
    }
}

/* Functions of matrices of floats; results of several members lie one after another. */
static void
matrix_function(const TExpr *e, void *x, void *y, void *z)
{
    const Type *t = e->args.items[0]->type;
    int n = t->rows, nn = n * n;
    switch (t->scalar) {
#define MATRIX(NAME, S, T)                                                                     \
    case SCALAR_##NAME:                                                                        \
        switch (e->builtin) {                                                                  \
        case BUILTIN_DETERMINANT: *(T *)z = snl_determinant_##S(n, (T *)x); break;             \
        case BUILTIN_INVERSE: snl_inverse_##S(n, (T *)x, (T *)z); break;                       \
        case BUILTIN_SOLVE: snl_solve_##S(n, (T *)x, (T *)y, (T *)z); break;                   \
        case BUILTIN_SVD: snl_svd_##S(n, (T *)x, (T *)z, (T *)z + nn, (T *)z + 2 * nn); break; \
        case BUILTIN_POLAR: snl_polar_##S(n, (T *)x, (T *)z, (T *)z + nn); break;              \
        case BUILTIN_EIG_SYM: snl_eig_sym_##S(n, (T *)x, (T *)z, (T *)z + n); break;           \
        default: break;                                                                        \
        }                                                                                      \
        break;
        FOR_REALS(MATRIX)
#undef MATRIX
    default: break;
    }
}

void
leaf_vector_builtin(const TExpr *e, const Leaf *x, const Leaf *y, Leaf *out)
{
    double memory[3][3 * LARGEST];
    const Type *t = e->args.items[0]->type;
    if (e->builtin == BUILTIN_ANY || e->builtin == BUILTIN_ALL) {
        any_all(e, x, out);
        return;
    }
    to_memory(t->scalar, x, t->leaf_count, memory[0]);
    if (y)
        to_memory(e->args.items[1]->type->scalar, y, e->args.items[1]->type->leaf_count, memory[1]);
    switch (e->builtin) {
    case BUILTIN_NORM: case BUILTIN_NORMALIZE: length_function(e, memory[0], memory[2]); break;
    case BUILTIN_DETERMINANT: case BUILTIN_INVERSE: case BUILTIN_SOLVE: case BUILTIN_SVD:
    case BUILTIN_POLAR: case BUILTIN_EIG_SYM:
        matrix_function(e, memory[0], memory[1], memory[2]);
        break;
    default: vector_function(e, memory[0], memory[1], memory[2]); break;
    }
    from_memory(t->scalar, memory[2], e->type->leaf_count, out);
}
