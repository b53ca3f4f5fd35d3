/* Blocks of derivatives in host code: gradient, vjp and jvp. */
#include "config.h"

#include "check/check_func.h"

/* The field that an element is of; NULL: it is of none. */
static const Field *
field_of(const TExpr *e)
{
    while (e->kind == TX_ELEM || e->kind == TX_MEMBER)
        e = e->a;
    return e->kind == TX_FIELD && !e->is_value ? e->field : NULL;
}

/* What a gradient is of: a number in a field that has an adjoint. */
static TExpr *
check_target(Checker *k, Scope *s, const Expr *target)
{
    TExpr *e = check_expr(k, s, target, NULL);
    if (e->kind == TX_ERROR)
        return e;
    const Field *f = field_of(e);
    if (f && f->adjoint && e->type->kind == TYPE_SCALAR && type_is_float(e->type))
        return e;
    Diag *d = diag(k->c, E0701, target->span,
                   "a gradient is of one number in a @grad field, such as loss[]");
    if (f && !f->adjoint)
        diag_note(d, f->span, "'%s' is declared here, without @grad", f->name);
    return tx_error(k, target->span);
}

void
check_derive(Checker *k, Scope *s, const Stmt *st)
{
    FuncState *fs = k->func;
    const char *word = derive_word(st->derive);
    const Stmt *outer = fs->derive;
    Loop *loop = fs->loop;
    TStmt *t = stmt_new(k, TS_DERIVE, st->span);
    check_attributes(k, &st->attrs, "", "a block of derivatives");
    if (!require_host(k, st->span, arena_printf(k->c->arena, "'%s'", word)))
        return;
    if (outer)
        diag_note(diag(k->c, E0705, st->span, "blocks of derivatives do not stand in each other"),
                  outer->span, "this one is around it");
    if (st->derive == DERIVE_GRADIENT)
        t->target = check_target(k, s, st->target);
    fs->derive = st;
    fs->loop = NULL; /* that break could leave */
    t->derive = st->derive;
    t->body = check_branch(k, s, st->body);
    fs->loop = loop;
    fs->derive = outer;
    stmt_add(k, t);
}
