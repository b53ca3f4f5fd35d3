/* Constant folding with the arithmetic of the run time: check/leaf.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "check/check_func.h"
#include "check/leaf.h"

/* ---- one scalar ---- */

/* What a --check build reports at run time is left for the run time; so is a division by zero. */
static bool
fold_binary_leaf(Op op, Scalar s, Leaf a, Leaf b, Leaf *out)
{
    bool integer = scalar_info(s)->kind != KIND_FLOAT;
    if ((op == OP_DIV || op == OP_MOD) && integer && b.u == 0)
        return false;
    *out = leaf_binary(op, s, a, b, s);
    return true;
}

static bool
fold_shift_leaf(Op op, Scalar s, Leaf a, Scalar count_type, Leaf count, bool strict, Leaf *out)
{
    bool negative = scalar_info(count_type)->kind == KIND_INT && count.i < 0;
    if (strict && (negative || count.u >= (uint64_t)(8 * scalar_info(s)->bytes)))
        return false;
    *out = leaf_binary(op, s, a, count, count_type);
    return true;
}

static bool
fold_builtin_leaf(Builtin b, Scalar s, const Leaf *a, Leaf *out)
{
    bool integer = scalar_info(s)->kind != KIND_FLOAT;
    if ((b == BUILTIN_FLOORDIV || b == BUILTIN_FLOORMOD) && integer && a[1].u == 0)
        return false;
    *out = leaf_builtin(b, s, a);
    return true;
}

/* ---- expressions ---- */

static Value
new_value(Checker *k, const Type *type)
{
    return (Value){type, ARENA_ARRAY(k->c->arena, Leaf, type->leaf_count)};
}

/* Is it told at run time where integers overflow? Such operations stay. */
static bool
tells_overflow(const Checker *k)
{
    return (k->c->options.check & CHECK_OVERFLOW) && k->func;
}

/* The least signed integer, whose negative does not fit. */
static bool
is_least(Scalar s, Leaf a)
{
    return leaf_overflows(OP_SUB, s, (Leaf){0}, a);
}

static bool
fold_arith(Checker *k, const TExpr *e, Value *v)
{
    bool strict = (k->c->options.check & CHECK_BOUNDS) != 0;
    bool overflow = tells_overflow(k);
    for (int i = 0; i < e->type->leaf_count; i++) {
        Leaf *out = &v->leaves[i];
        Scalar from = e->a->type->scalar;
        const Leaf *a = e->a->value.leaves;
        bool fine = true;
        if (e->kind == TX_UNARY && overflow && e->op == OP_NEG && is_least(from, a[i]))
            fine = false;
        else if (e->kind == TX_UNARY)
            *out = leaf_unary(e->op, from, a[i]);
        else if (e->kind == TX_CAST && strict && !leaf_cast_fits(from, a[i], e->type->scalar))
            fine = false;
        else if (e->kind == TX_CAST)
            *out = leaf_cast(from, e->type->scalar, a[i]);
        else if (e->kind == TX_BITCAST)
            *out = leaf_bitcast(from, e->type->scalar, a[i]);
        else if (e->kind == TX_SPLAT)
            *out = a[0];
        else if (e->op == OP_SHL || e->op == OP_SHR)
            fine = fold_shift_leaf(e->op, from, a[i], e->b->type->scalar, e->b->value.leaves[i],
                                   strict, out);
        else
            fine = !(overflow && leaf_overflows(e->op, from, a[i], e->b->value.leaves[i])) &&
                   fold_binary_leaf(e->op, from, a[i], e->b->value.leaves[i], out);
        if (!fine)
            return false;
    }
    return true;
}

bool
texprs_are_constant(const TExprs *args)
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

static bool
fold_builtin(const Checker *k, const TExpr *e, Value *v)
{
    const bool overflow = tells_overflow(k) && e->builtin == BUILTIN_ABS;
    if (!e->args.count)
        return false;
    if (!builtin_is_componentwise(e->builtin)) {
        leaf_vector_builtin(e, e->args.items[0]->value.leaves,
                            e->args.count > 1 ? e->args.items[1]->value.leaves : NULL, v->leaves);
        return true;
    }
    for (int i = 0; i < e->type->leaf_count; i++) {
        Leaf a[3] = {{0}};
        for (int n = 0; n < e->args.count && n < 3; n++)
            a[n] = e->args.items[n]->value.leaves[i];
        if (overflow && is_least(e->type->scalar, a[0]))
            return false;
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
        v->leaves[i] = leaf_fma(e->type->scalar, e->a->value.leaves[i], e->b->value.leaves[i],
                                e->c->value.leaves[i]);
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
        if (!is_const(e->a) || !is_const(e->b))
            return false;
        if (e->op != OP_MATMUL)
            return fold_arith(k, e, v);
        leaf_matmul(e->a->type, e->b->type, e->a->value.leaves, e->b->value.leaves, v->leaves);
        return true;
    case TX_FMA: return is_const(e->a) && is_const(e->b) && is_const(e->c) && fold_fma(e, v);
    case TX_MAKE: return texprs_are_constant(&e->args) && fold_make(e, v);
    case TX_BUILTIN: return texprs_are_constant(&e->args) && fold_builtin(k, e, v);
    case TX_ELEM:
        return (is_const(e->a) || e->a->kind == TX_TABLE) && texprs_are_constant(&e->args) &&
               fold_element(e, v);
    case TX_MEMBER:
        if (!is_const(e->a))
            return false;
        memcpy(v->leaves, e->a->value.leaves + e->a->type->members[e->member].leaf,
               sizeof(Leaf) * (size_t)e->type->leaf_count);
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
    if (e->kind != TX_BINARY || (e->op != OP_LAND && e->op != OP_LOR) ||
        e->type->kind != TYPE_SCALAR || !is_const(e->a))
        return NULL;
    bool yes = e->a->value.leaves[0].i != 0;
    return yes == (e->op == OP_LAND) ? e->b : e->a;
}

TExpr *
fold(Checker *k, TExpr *e)
{
    switch (e->kind) { /* no memory for what cannot fold */
    case TX_UNARY: case TX_CAST: case TX_BITCAST: case TX_SPLAT: case TX_BINARY: case TX_FMA:
    case TX_MAKE: case TX_BUILTIN:
    case TX_ELEM: case TX_MEMBER: case TX_SWIZZLE: case TX_COND: break;
    default: return e;
    }
    if (tx_is_error(e) || (e->a && tx_is_error(e->a)) || (e->b && tx_is_error(e->b)) ||
        (e->c && tx_is_error(e->c)))
        return e;
    TExpr *choice = fold_choice(e);
    if (choice)
        return choice;
    if ((e->a && e->a->kind != TX_CONST && e->a->kind != TX_TABLE) ||
        e->type->kind == TYPE_STRING || e->type->kind == TYPE_VOID)
        return e;
    Value v = new_value(k, e->type);
    if (!fold_value(k, e, &v))
        return e;
    TExpr *folded = tx_value(k, e->span, v);
    if (e->kind == TX_BINARY && e->op == OP_MUL)
        folded->product = e;
    else if (e->kind == TX_SPLAT)
        folded->product = e->a->product;
    return folded;
}
