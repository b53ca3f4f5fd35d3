/* What an expression changes: `diff` computes one as often as it needs to, which nobody may see. */
#include "config.h"

#include "ad/inside.h"

/* A walk through what an expression computes and calls. Variables of its own may change. */
typedef struct {
    Ad *ad;
    Effect found;
    VEC(const Var *) own;    /* declared by the statements before the expression, or by functions */
    VEC(const Func *) seen;
} Walk;

static void look_at_stmts(Walk *w, const TStmts *stmts);

static void
found(Walk *w, Span at, const char *what)
{
    if (!w->found.what)
        w->found = (Effect){at, what};
}

static bool
is_own(const Walk *w, const Var *v)
{
    for (int i = 0; i < w->own.count; i++)
        if (w->own.items[i] == v)
            return true;
    return false;
}

/* A place that is changed. */
static void
look_at_place(Walk *w, const TExpr *place, Span at)
{
    const TExpr *root = root_of(place);
    if (root && root->kind == TX_FIELD)
        found(w, at, "stores to a field");
    else if (root && !is_own(w, root->var))
        found(w, at, root->type->kind == TYPE_EXTERN ? "stores to an array of its caller"
                                                     : "changes a variable outside of it");
}

/* All variables of a function are its own: what its parameters reach is looked at where it is
 * called. */
static void
look_at_func(Walk *w, const Func *f)
{
    for (int i = 0; i < w->seen.count; i++)
        if (w->seen.items[i] == f)
            return;
    vec_push(w->ad->c->scratch, &w->seen, f);
    for (int i = 0; i < f->vars.count; i++)
        vec_push(w->ad->c->scratch, &w->own, f->vars.items[i]);
    if (f->body)
        look_at_stmts(w, &f->body->stmts);
}

static void
look_at_expr(Walk *w, const TExpr *e)
{
    if (!e)
        return;
    look_at_expr(w, e->a);
    look_at_expr(w, e->b);
    look_at_expr(w, e->c);
    for (int i = 0; i < e->args.count; i++)
        look_at_expr(w, e->args.items[i]);
    if (e->kind == TX_ATOMIC)
        look_at_place(w, e->a, e->span);
    else if (e->kind == TX_APPEND)
        found(w, e->span, "appends to a list");
    else if (e->kind == TX_BUILTIN && e->builtin >= BUILTIN_RANDOM && e->builtin <= BUILTIN_RANDN)
        found(w, e->span, "draws a random number");
    if (e->kind != TX_CALL)
        return;
    for (int i = 0; i < e->args.count; i++) {
        const Var *p = e->func->params.items[i];
        if (p->mode == PARAM_INOUT || p->type->kind == TYPE_EXTERN)
            look_at_place(w, e->args.items[i], e->args.items[i]->span);
    }
    look_at_func(w, e->func);
}

static void
look_at_list(Walk *w, const TExprs *list)
{
    for (int i = 0; i < list->count; i++)
        look_at_expr(w, list->items[i]);
}

static void
look_at_stmt(Walk *w, const TStmt *st)
{
    if (!st)
        return;
    switch ((int)st->kind) {
    case TS_DECL: vec_push(w->ad->c->scratch, &w->own, st->var); break;
    case TS_ASSIGN: look_at_place(w, st->target, st->span); break;
    case TS_PRINT: found(w, st->span, "prints"); break;
    case TS_ACTIVATE: case TS_DEACTIVATE: case TS_DEACTIVATE_ALL:
        found(w, st->span, "changes what is active");
        break;
    default: break;
    }
    look_at_expr(w, st->value);
    look_at_list(w, &st->from);
    look_at_list(w, &st->to);
    look_at_list(w, &st->step);
    look_at_list(w, &st->args);
    look_at_stmts(w, &st->stmts);
    look_at_stmt(w, st->body);
    look_at_stmt(w, st->orelse);
}

static void
look_at_stmts(Walk *w, const TStmts *stmts)
{
    for (int i = 0; i < stmts->count; i++)
        look_at_stmt(w, stmts->items[i]);
}

Effect
expr_effect(Ad *ad, const TStmts *before, const TExpr *value)
{
    Walk w = {.ad = ad};
    look_at_stmts(&w, before);
    look_at_expr(&w, value);
    return w.found;
}

Effect
func_effect(Ad *ad, const Func *f)
{
    Walk w = {.ad = ad};
    look_at_func(&w, f);
    return w.found;
}

bool
expr_changes(const Active *a, const TExpr *e)
{
    if (!e)
        return false;
    if (e->kind == TX_ATOMIC || e->kind == TX_APPEND)
        return true;
    for (int i = 0; e->kind == TX_CALL && i < e->args.count; i++) {
        const Var *p = e->func->params.items[i];
        if (p->mode == PARAM_INOUT || p->type->kind == TYPE_EXTERN)
            return true;
    }
    if (e->kind == TX_CALL && a->with_fields && func_touches_fields(a->ad, e->func))
        return true;
    for (int i = 0; i < e->args.count; i++)
        if (expr_changes(a, e->args.items[i]))
            return true;
    return expr_changes(a, e->a) || expr_changes(a, e->b) || expr_changes(a, e->c);
}
