/* Typed expressions: nodes, and questions about them. */
#include "config.h"

#include "check/check_func.h"

TExpr *
tx_new(Checker *k, TExprKind kind, const Type *type, Span span)
{
    TExpr *e = ARENA_NEW(k->checked, TExpr);
    e->kind = kind;
    e->type = type;
    e->span = span;
    return e;
}

TExpr *
tx_error(Checker *k, Span span)
{
    return tx_new(k, TX_ERROR, type_error(k->prog->types), span);
}

bool
tx_is_error(const TExpr *e)
{
    return e->type->kind == TYPE_ERROR;
}

TExpr *
tx_value(Checker *k, Span span, Value v)
{
    TExpr *e = tx_new(k, TX_CONST, v.type, span);
    e->value = v;
    return e;
}

TExpr *
tx_var(Checker *k, Var *v, Span span)
{
    TExpr *e = tx_new(k, TX_VAR, v->type, span);
    e->var = v;
    return e;
}

const char *
source_text(Checker *k, Span span)
{
    const Source *f = source_find(&k->c->sources, span.from);
    if (!f || span.to <= span.from)
        return "…";
    return arena_strndup(k->c->arena, f->text + (span.from - f->base), span.to - span.from);
}

Span
span_before(Span span)
{
    return (Span){span.from, span.from};
}

bool
has_value(Checker *k, const TExpr *e)
{
    if (e->type->kind == TYPE_ERROR)
        return false;
    if (e->type->kind != TYPE_VOID)
        return true;
    diag(k->c, E0310, e->span, "this has no value");
    return false;
}

const TExpr *
place_root(const TExpr *e)
{
    while ((e->kind == TX_ELEM || e->kind == TX_MEMBER) && !e->is_value)
        e = e->a;
    return (e->kind == TX_VAR || e->kind == TX_FIELD) && !e->is_value ? e : NULL;
}
