/* Expressions and statements of the checked program, made. */
#include "config.h"

#include "ad/inside.h"

TExpr *
new_expr(Ad *ad, TExprKind kind, const Type *type, Span span)
{
    TExpr *e = ARENA_NEW(ad->c->bodies, TExpr);
    e->kind = kind;
    e->type = type;
    e->span = span;
    e->op = OP_NONE;
    return e;
}

TStmt *
new_stmt(Ad *ad, TStmtKind kind, Span span)
{
    TStmt *st = ARENA_NEW(ad->c->bodies, TStmt);
    st->kind = kind;
    st->span = span;
    st->op = OP_NONE;
    return st;
}

TExpr *
new_number(Ad *ad, const Type *type, double value, Span span)
{
    TExpr *e = new_expr(ad, TX_CONST, type, span);
    e->value = (Value){type, ARENA_ARRAY(ad->c->arena, Leaf, type->leaf_count)};
    for (int i = 0; i < type->leaf_count; i++)
        e->value.leaves[i].f = value;
    return e;
}

TExpr *
new_zero(Ad *ad, const Type *type, Span span)
{
    TExpr *e = new_expr(ad, TX_CONST, type, span);
    e->value = (Value){type, ARENA_ARRAY(ad->c->arena, Leaf, type->leaf_count)};
    return e;
}

TExpr *
new_integer(Ad *ad, int64_t value, Span span)
{
    TExpr *e = new_zero(ad, type_scalar(ad->p->types, SCALAR_I32), span);
    e->value.leaves[0].i = value;
    return e;
}

const Type *
scalar_of(Ad *ad, const Type *type)
{
    return type_scalar(ad->p->types, type->scalar);
}

TExpr *
new_use(Ad *ad, Var *v, Span span)
{
    TExpr *e = new_expr(ad, TX_VAR, v->type, span);
    e->var = v;
    return e;
}

TExpr *
new_unary(Ad *ad, Op op, TExpr *a)
{
    TExpr *e = new_expr(ad, TX_UNARY, a->type, a->span);
    e->op = op;
    e->a = a;
    return e;
}

TExpr *
new_binary(Ad *ad, Op op, TExpr *a, TExpr *b)
{
    const Type *type =
        op_is_comparison(op) ? type_with_scalar(ad->p->types, a->type, SCALAR_BOOL) : a->type;
    TExpr *e = new_expr(ad, TX_BINARY, type, a->span);
    e->op = op;
    e->a = a;
    e->b = b;
    return e;
}

TExpr *
new_product(Ad *ad, TExpr *a, TExpr *b)
{
    if (a->type != b->type && b->type->kind == TYPE_SCALAR)
        b = new_splat(ad, a->type, b);
    else if (a->type != b->type && a->type->kind == TYPE_SCALAR)
        a = new_splat(ad, b->type, a);
    return new_binary(ad, OP_MUL, a, b);
}

TExpr *
new_fma(Ad *ad, TExpr *a, TExpr *b, TExpr *c)
{
    if (ad->c->options.no_fma || c->type->scalar == SCALAR_F16)
        return new_binary(ad, OP_ADD, new_product(ad, a, b), c);
    TExpr *e = new_expr(ad, TX_FMA, c->type, c->span);
    e->a = a->type == c->type ? a : new_splat(ad, c->type, a);
    e->b = b->type == c->type ? b : new_splat(ad, c->type, b);
    e->c = c;
    return e;
}

TExpr *
new_choice(Ad *ad, TExpr *cond, TExpr *a, TExpr *b)
{
    TExpr *e = new_expr(ad, TX_COND, a->type, a->span);
    e->a = cond;
    e->b = a;
    e->c = b;
    return e;
}

TExpr *
new_cast(Ad *ad, const Type *type, TExpr *a)
{
    if (a->type == type)
        return a;
    TExpr *e = new_expr(ad, TX_CAST, type, a->span);
    e->a = a;
    return e;
}

TExpr *
new_splat(Ad *ad, const Type *type, TExpr *a)
{
    if (a->type == type)
        return a;
    TExpr *e = new_expr(ad, TX_SPLAT, type, a->span);
    e->a = a;
    return e;
}

TExpr *
new_make(Ad *ad, const Type *type, TExprs parts, Span span)
{
    TExpr *e = new_expr(ad, TX_MAKE, type, span);
    e->args = parts;
    return e;
}

TExpr *
new_call(Ad *ad, Builtin b, const Type *type, TExpr *x, TExpr *y)
{
    TExpr *e = new_expr(ad, TX_BUILTIN, type, x->span);
    e->builtin = b;
    vec_push(ad->c->arena, &e->args, x);
    if (y)
        vec_push(ad->c->arena, &e->args, y);
    return e;
}

TExpr *
new_member(Ad *ad, TExpr *a, int member)
{
    TExpr *e = new_expr(ad, TX_MEMBER, a->type->members[member].type, a->span);
    e->a = a;
    e->member = member;
    return e;
}

TExpr *
new_element(Ad *ad, TExpr *a, TExpr *i, TExpr *j)
{
    TExpr *e = new_expr(ad, TX_ELEM, a->type->elem ? a->type->elem : scalar_of(ad, a->type),
                        a->span);
    e->a = a;
    vec_push(ad->c->arena, &e->args, i);
    if (j)
        vec_push(ad->c->arena, &e->args, j);
    return e;
}

TExpr *
element_number(Ad *ad, TExpr *a, int64_t i)
{
    const Type *t = a->type;
    TExpr *e = new_expr(ad, TX_ELEM, t->elem, a->span);
    int64_t after = 1;
    e->a = a;
    for (int d = 1; d < t->dim_count; d++)
        after *= t->dims[d];
    for (int d = 0; d < t->dim_count; d++) {
        vec_push(ad->c->arena, &e->args, new_integer(ad, i / after % t->dims[d], a->span));
        after /= d + 1 < t->dim_count ? t->dims[d + 1] : 1;
    }
    return e;
}

TExpr *
new_component(Ad *ad, TExpr *a, int i)
{
    const Type *t = a->type;
    if (t->kind == TYPE_SCALAR)
        return a;
    if (t->kind == TYPE_VECTOR)
        return new_element(ad, a, new_integer(ad, i, a->span), NULL);
    return new_element(ad, a, new_integer(ad, i / t->cols, a->span),
                       new_integer(ad, i % t->cols, a->span));
}

TExpr *
new_sum(Ad *ad, TExpr *a, TExpr *b)
{
    return !a ? b : !b ? a : new_binary(ad, OP_ADD, a, b);
}

TExpr *
new_difference(Ad *ad, TExpr *a, TExpr *b)
{
    return !b ? a : !a ? new_unary(ad, OP_NEG, b) : new_binary(ad, OP_SUB, a, b);
}
