/* Fused multiply-adds. A product that is a direct operand of + or - is fused with it; of two products the left one. */
#include "config.h"

#include "check/check_func.h"

static bool
can_fuse(const Checker *k, const Type *type)
{
    return !k->c->options.no_fma && type_is_arith(type) && (type->scalar == SCALAR_F32 || type->scalar == SCALAR_F64);
}

static bool
is_product(const TExpr *e)
{
    if (e->kind == TX_SPLAT)
        e = e->a;
    return e->kind == TX_BINARY && e->op == OP_MUL;
}

static TExpr *
factor(Checker *k, const TExpr *product, bool second)
{
    if (product->kind != TX_SPLAT)
        return second ? product->b : product->a;
    TExpr *part = second ? product->a->b : product->a->a;
    return tx_splat(k, part, product->type);
}

static TExpr *
make_fma(Checker *k, TExpr *a, TExpr *b, TExpr *c, Span span)
{
    TExpr *e = tx_new(k, TX_FMA, c->type, span);
    e->a = a;
    e->b = b;
    e->c = c;
    return fold(k, e);
}

TExpr *
fuse(Checker *k, Op op, const Type *type, TExpr *a, TExpr *b)
{
    if ((op != OP_ADD && op != OP_SUB) || !can_fuse(k, type))
        return tx_binary(k, op, type, a, b);
    Span span = span_join(a->span, b->span);
    if (is_product(a))
        return make_fma(k, factor(k, a, false), factor(k, a, true), op == OP_SUB ? tx_unary(k, OP_NEG, b) : b, span);
    if (is_product(b)) {
        TExpr *first = factor(k, b, false);
        return make_fma(k, op == OP_SUB ? tx_unary(k, OP_NEG, first) : first, factor(k, b, true), a, span);
    }
    return tx_binary(k, op, type, a, b);
}

TExpr *
fuse_update(Checker *k, Op op, TExpr *target, TExpr *value)
{
    if ((op != OP_ADD && op != OP_SUB) || !can_fuse(k, target->type) || !is_product(value))
        return NULL;
    return fuse(k, op, target->type, target, value);
}
