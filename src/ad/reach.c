/* What a block of derivatives reaches, through all functions that it calls: which fields get active
 * values, and what cannot be in a block. */
#include "config.h"

#include "ad/inside.h"

typedef struct {
    Ad *ad;
    const TStmt *block;
    Map seen;        /* functions with their active parameters, as text */
    bool *mentioned; /* fields, by id */
    bool has_changed;
} Reach;

static void reach_stmt(Reach *r, const Active *a, const TStmt *st);

/* ---- what a block cannot hold ---- */

static void
refuse(Reach *r, Span at, const char *what, const char *instead)
{
    Diag *d = diag(r->ad->c, E0705, at, "a block of derivatives %s", what);
    diag_note(d, r->block->span, "the block begins here");
    if (instead)
        diag_fix(d, "%s", instead);
}

bool
field_is_adjoint(const Ad *ad, const Field *f)
{
    for (int i = 0; i < ad->p->params.count; i++)
        if (ad->p->params.items[i]->adjoint == f)
            return true;
    return f->primal;
}

static void
mention(Reach *r, const Field *f, Span at)
{
    if (f->id < r->ad->p->fields.count)
        r->mentioned[f->id] = true;
    if (field_is_adjoint(r->ad, f))
        refuse(r, at, "names no adjoints", NULL);
}

static void
mention_layout(Reach *r, const Layout *l)
{
    for (int i = 0; l && i < l->fields.count; i++)
        r->mentioned[l->fields.items[i]->id] = true;
}

/* ---- expressions ---- */

static void
get_adjoint(Reach *r, Field *f, Span at)
{
    if (hidden_adjoint(r->ad, f, at))
        r->has_changed = true;
}

/* A place that gets an active value. */
static void
get_adjoint_of_place(Reach *r, const TExpr *place)
{
    const TExpr *root = root_of(place);
    if (root && root->kind == TX_FIELD && type_has_float(place->type))
        get_adjoint(r, root->field, place->span);
}

static void
reach_func(Reach *r, Func *f, const char *mask)
{
    Ad *ad = r->ad;
    const char *key = intern_str(ad->c->intern,
                                 arena_printf(ad->c->arena, "%p %s", (const void *)f, mask));
    if (!f->body || map_get(&r->seen, key))
        return;
    map_put(&r->seen, key, f);
    Active a = {ad, ARENA_ARRAY(ad->c->scratch, bool, f->vars.count), f->vars.count, true};
    for (int i = 0; i < f->params.count; i++)
        a.is_active[f->params.items[i]->id] = mask[i] == '1';
    active_spread(&a, &f->body->stmts, NULL);
    reach_stmt(r, &a, f->body);
}

static void
reach_call(Reach *r, const Active *a, const TExpr *e)
{
    const bool is_active = call_is_active(a, e);
    char *mask = arena_alloc(r->ad->c->scratch, (size_t)e->args.count + 1);
    for (int i = 0; i < e->args.count; i++) {
        const Var *p = e->func->params.items[i];
        mask[i] = expr_is_active(a, e->args.items[i]) ? '1' : '0';
        if (is_active && p->mode == PARAM_INOUT)
            get_adjoint_of_place(r, e->args.items[i]);
    }
    reach_func(r, e->func, mask);
}

static void
reach_expr(Reach *r, const Active *a, const TExpr *e)
{
    if (!e)
        return;
    reach_expr(r, a, e->a);
    reach_expr(r, a, e->b);
    reach_expr(r, a, e->c);
    for (int i = 0; i < e->args.count; i++)
        reach_expr(r, a, e->args.items[i]);
    if (e->kind == TX_FIELD)
        mention(r, e->field, e->span);
    if (e->kind == TX_CALL)
        reach_call(r, a, e);
    if (e->kind == TX_ATOMIC && expr_is_active(a, e->args.items[0]))
        get_adjoint_of_place(r, e->a);
    if (e->kind != TX_APPEND)
        return;
    for (int i = 0; i < e->values.count; i++) {
        Field *f = e->node->places.items[i].field;
        reach_expr(r, a, e->values.items[i]);
        if (!f->primal && expr_is_active(a, e->values.items[i]))
            get_adjoint(r, f, e->span);
    }
}

static void
reach_list(Reach *r, const Active *a, const TExprs *list)
{
    for (int i = 0; i < list->count; i++)
        reach_expr(r, a, list->items[i]);
}

/* ---- statements ---- */

static void
reach_host(Reach *r, const Active *a, const TStmt *st)
{
    if (st->field)
        mention(r, st->field, st->span);
    if (st->field2)
        mention(r, st->field2, st->span);
    if (st->kind == TS_FILL && expr_is_active(a, st->value))
        get_adjoint(r, st->field, st->span);
    if (st->kind == TS_COPY && st->field2->adjoint)
        get_adjoint(r, st->field, st->span);
    for (int i = 0; i < st->fields.count; i++)
        mention(r, st->fields.items[i], st->span);
    if (st->kind == TS_SWAP) {
        mention_layout(r, st->layout);
        mention_layout(r, st->layout2);
    }
    if (st->kind == TS_CREATE || st->kind == TS_DESTROY || st->kind == TS_TRIM ||
        (st->kind == TS_LOAD && st->layout))
        refuse(r, st->span, "does not create, destroy, trim or load a layout",
               "before the block, or behind it");
}

static void
reach_stmt(Reach *r, const Active *a, const TStmt *st)
{
    if (!st)
        return;
    switch ((int)st->kind) {
    case TS_ASSIGN:
        if (expr_is_active(a, st->value))
            get_adjoint_of_place(r, st->target);
        break;
    case TS_DERIVE:
        refuse(r, st->span, "does not run another one, also not through calls", NULL);
        return;
    case TS_CREATE: case TS_DESTROY: case TS_TRIM: case TS_FILL: case TS_COPY: case TS_SWAP:
    case TS_SAVE: case TS_LOAD: case TS_IMAGE:
        reach_host(r, a, st);
        break;
    default: break;
    }
    for (int i = 0; i < st->stmts.count; i++)
        reach_stmt(r, a, st->stmts.items[i]);
    reach_expr(r, a, st->value);
    reach_expr(r, a, st->target);
    reach_list(r, a, &st->from);
    reach_list(r, a, &st->to);
    reach_list(r, a, &st->step);
    reach_list(r, a, &st->args);
    reach_stmt(r, a, st->body);
    reach_stmt(r, a, st->orelse);
}

/* ---- a block ---- */

static Reach
reach(Ad *ad, const Func *f, const TStmt *block)
{
    Reach r = {.ad = ad, .block = block};
    map_init(&r.seen, ad->c->scratch);
    r.mentioned = ARENA_ARRAY(ad->c->scratch, bool, ad->p->fields.count);
    Active a = {ad, ARENA_ARRAY(ad->c->scratch, bool, f->vars.count), f->vars.count, true};
    active_spread(&a, &block->body->stmts, NULL);
    reach_stmt(&r, &a, block->body);
    return r;
}

bool
reach_block(Ad *ad, const Func *f, const TStmt *block)
{
    return reach(ad, f, block).has_changed;
}

bool *
reach_mentioned(Ad *ad, const Func *f, const TStmt *block)
{
    return reach(ad, f, block).mentioned;
}

void
reach_hidden(Ad *ad, const Func *f, const TStmt *block, TStmts *fills)
{
    const Reach r = reach(ad, f, block);
    for (int i = 0; i < ad->hidden.count; i++) {
        Field *adjoint = ad->hidden.items[i];
        if (r.mentioned[adjoint->primal->id])
            vec_push(ad->c->arena, fills, new_fill(ad, adjoint, NULL, block->span));
    }
}
