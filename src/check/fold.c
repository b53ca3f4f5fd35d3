/* Constant folding on the checked program. */
#include "config.h"

#include <string.h>

#include "check/check.h"
#include "check/leaf.h"

static bool
is_const(const TExpr *e)
{
    return !e || e->kind == TX_CONST;
}

static TExpr *
const_of(Checker *k, const TExpr *e, Leaf *leaves)
{
    TExpr *v = ARENA_NEW(k->c->arena, TExpr);
    v->kind = TX_CONST;
    v->type = e->type;
    v->span = e->span;
    v->value = (Value){e->type, leaves};
    return v;
}

static void
fold_component(const TExpr *e, Leaf *out, int i)
{
    const Leaf *a = e->a ? e->a->value.leaves : NULL, *b = e->b ? e->b->value.leaves : NULL, *c = e->c ? e->c->value.leaves : NULL;
    switch (e->kind) {
    case TX_UNARY: out[i] = leaf_unary(e->op, e->a->type->scalar, a[i]); break;
    case TX_BINARY: out[i] = leaf_binary(e->op, e->a->type->scalar, a[i], b[i], e->b->type->scalar); break;
    case TX_CAST: out[i] = leaf_cast(e->a->type->scalar, e->type->scalar, a[i]); break;
    case TX_BITCAST: out[i] = leaf_bitcast(e->a->type->scalar, e->type->scalar, a[i]); break;
    case TX_SPLAT: out[i] = a[0]; break;
    case TX_FMA: out[i] = leaf_fma(e->type->scalar, a[i], b[i], c[i]); break;
    case TX_BUILTIN: {
        Leaf args[3];
        for (int n = 0; n < e->args.count; n++)
            args[n] = e->args.items[n]->value.leaves[i];
        out[i] = leaf_builtin(e->builtin, e->args.items[0]->type->scalar, args);
        break;
    }
    case TX_SWIZZLE: out[i] = a[e->swizzle[i]]; break;
    case TX_MEMBER: out[i] = a[e->a->type->members[e->member].leaf + i]; break;
    default: break;
    }
}

/* First leaf of an element with constant indices; -1 when out of range. */
static int
element_leaf(const TExpr *e)
{
    const Type *t = e->a->type;
    int64_t at = 0;
    for (int i = 0; i < e->args.count; i++) {
        int64_t size = t->kind == TYPE_ARRAY ? t->dims[i] : i ? t->cols : t->rows, n = e->args.items[i]->value.leaves[0].i;
        if (n < 0 || n >= size)
            return -1;
        at = at * size + n;
    }
    return (int)at * e->type->leaf_count;
}

static TExpr *
fold_element(Checker *k, TExpr *e)
{
    const Leaf *from = e->a->kind == TX_CONST ? e->a->value.leaves : e->a->kind == TX_TABLE ? e->a->table->value.leaves : NULL;
    for (int i = 0; i < e->args.count; i++)
        if (e->args.items[i]->kind != TX_CONST)
            return e;
    int at = from ? element_leaf(e) : -1;
    if (at < 0)
        return e;
    Leaf *leaves = ARENA_ARRAY(k->c->arena, Leaf, e->type->leaf_count);
    memcpy(leaves, from + at, sizeof(Leaf) * (size_t)e->type->leaf_count);
    return const_of(k, e, leaves);
}

static TExpr *
fold_make(Checker *k, TExpr *e)
{
    if (e->type->kind == TYPE_ARRAY)
        return e;
    Leaf *leaves = ARENA_ARRAY(k->c->arena, Leaf, e->type->leaf_count);
    int at = 0;
    for (int i = 0; i < e->args.count; i++) {
        const TExpr *p = e->args.items[i];
        memcpy(leaves + at, p->value.leaves, sizeof(Leaf) * (size_t)p->type->leaf_count);
        at += p->type->leaf_count;
    }
    return const_of(k, e, leaves);
}

TExpr *
fold(Checker *k, TExpr *e)
{
    if (e->type->kind == TYPE_ERROR || e->kind == TX_CONST)
        return e;
    if (e->kind == TX_ELEM)
        return fold_element(k, e);
    if (e->kind == TX_COND && is_const(e->a) && e->a->type->kind != TYPE_ERROR)
        return e->a->value.leaves[0].i ? e->b : e->c;
    switch (e->kind) {
    case TX_UNARY: case TX_BINARY: case TX_CAST: case TX_BITCAST: case TX_SPLAT: case TX_FMA: case TX_BUILTIN: case TX_SWIZZLE:
    case TX_MEMBER: case TX_MAKE: break;
    default: return e;
    }
    if (!is_const(e->a) || !is_const(e->b) || !is_const(e->c))
        return e;
    for (int i = 0; i < e->args.count; i++)
        if (!is_const(e->args.items[i]))
            return e;
    if (e->kind == TX_MAKE)
        return fold_make(k, e);
    if ((e->kind == TX_BUILTIN && !builtin_is_componentwise(e->builtin)) || (e->kind == TX_BINARY && e->op == OP_MATMUL))
        return e;
    if (e->kind == TX_BINARY && (e->op == OP_DIV || e->op == OP_MOD) && type_is_integer(e->type))
        for (int i = 0; i < e->b->type->leaf_count; i++)
            if (!e->b->value.leaves[i].i)
                return e; /* reported when it runs under --check */
    Leaf *leaves = ARENA_ARRAY(k->c->arena, Leaf, e->type->leaf_count);
    for (int i = 0; i < e->type->leaf_count; i++)
        fold_component(e, leaves, i);
    return const_of(k, e, leaves);
}
