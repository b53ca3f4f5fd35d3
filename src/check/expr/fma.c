/* Fused multiply-adds. A product that is a direct operand of + or - is fused with it; of two
 * products the left one. */
#include "config.h"

#include "check/check_func.h"

static bool
can_fuse(const Checker *k, const Type *type)
{
    return !k->c->options.no_fma && type_is_arith(type) &&
           (type->scalar == SCALAR_F32 || type->scalar == SCALAR_F64);
}

/* The product that is an operand, or NULL; of constants too, because what is known must not change
 * a result. */
static const TExpr *
product_of(const TExpr *e)
{
    if (e->kind == TX_SPLAT)
        e = e->a;
    if (e->kind == TX_CONST)
        return e->product;
    return e->kind == TX_BINARY && e->op == OP_MUL ? e : NULL;
}

static TExpr *
factor(Checker *k, const TExpr *operand, bool second)
{
    const TExpr *product = product_of(operand);
    TExpr *part = second ? product->b : product->a;
    return product->type == operand->type ? part : tx_splat(k, part, operand->type);
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

bool
is_fused(const Checker *k, Op op, const Type *type, const TExpr *a, const TExpr *b)
{
    return (op == OP_ADD || op == OP_SUB) && can_fuse(k, type) && (product_of(a) || product_of(b));
}

TExpr *
fuse(Checker *k, Op op, const Type *type, TExpr *a, TExpr *b)
{
    if (!is_fused(k, op, type, a, b))
        return tx_binary(k, op, type, a, b);
    Span span = span_join(a->span, b->span);
    if (product_of(a))
        return make_fma(k, factor(k, a, false), factor(k, a, true),
                        op == OP_SUB ? tx_unary(k, OP_NEG, b) : b, span);
    TExpr *first = factor(k, b, false);
    return make_fma(k, op == OP_SUB ? tx_unary(k, OP_NEG, first) : first, factor(k, b, true), a,
                    span);
}

TExpr *
fuse_update(Checker *k, Op op, TExpr *target, TExpr *value)
{
    if ((op != OP_ADD && op != OP_SUB) || !can_fuse(k, target->type) || !product_of(value))
        return NULL;
    return fuse(k, op, target->type, target, value);
}
