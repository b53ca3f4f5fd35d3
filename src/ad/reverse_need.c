/* Which values the way back needs. What it uses itself is seen when it is written a first time;
 * what that is computed from is needed too. */
#include "config.h"

#include <string.h>

#include "ad/inside.h"

static bool
mark(Reverse *r, int id)
{
    const bool is_new = !r->is_needed[id];
    r->is_needed[id] = true;
    return is_new;
}

/* Marks all that an expression reads. */
static bool
mark_expr(Reverse *r, const TExpr *e)
{
    bool changed = false;
    if (!e)
        return false;
    if (e->kind == TX_VAR)
        changed = mark(r, e->var->id);
    if (e->kind == TX_FIELD)
        changed = mark(r, field_number(r, e->field));
    changed |= mark_expr(r, e->a) | mark_expr(r, e->b) | mark_expr(r, e->c);
    for (int i = 0; i < e->args.count; i++)
        changed |= mark_expr(r, e->args.items[i]);
    return changed;
}

static bool
is_needed(const Reverse *r, const TExpr *place)
{
    const TExpr *root = root_of(place);
    return r->is_needed[root->kind == TX_VAR ? root->var->id : field_number(r, root->field)];
}

/* Does a call change what is needed? */
static bool
changes_needed(const Reverse *r, const TExpr *e)
{
    for (int i = 0; e && e->kind == TX_CALL && i < e->args.count; i++)
        if (e->func->params.items[i]->mode == PARAM_INOUT && is_needed(r, e->args.items[i]))
            return true;
    return false;
}

static bool spread_stmt(Reverse *r, const TStmt *st, bool *sets);

static bool
spread_list(Reverse *r, const TStmts *stmts, bool *sets)
{
    bool changed = false;
    for (int i = 0; i < stmts->count; i++)
        changed |= spread_stmt(r, stmts->items[i], sets);
    return changed;
}

/* `sets` tells whether something inside sets what is needed. */
static bool
spread_stmt(Reverse *r, const TStmt *st, bool *sets)
{
    bool changed = false, inside = false;
    if (!st)
        return false;
    if (st->kind == TS_DECL)
        inside = r->is_needed[st->var->id];
    if (st->kind == TS_ASSIGN)
        inside = is_needed(r, st->target);
    inside = inside || changes_needed(r, st->value);
    if (inside)
        changed |= mark_expr(r, st->value) | mark_expr(r, st->target);
    changed |= spread_list(r, &st->stmts, &inside);
    changed |= spread_stmt(r, st->body, &inside);
    changed |= spread_stmt(r, st->orelse, &inside);
    if (inside && (st->kind == TS_IF || st->kind == TS_WHILE))
        changed |= mark_expr(r, st->value);
    *sets = *sets || inside;
    return changed;
}

void
reverse_spread_needs(Reverse *r, const TStmts *stmts)
{
    bool sets = false;
    while (spread_list(r, stmts, &sets)) {
    }
}

void
reverse_twice(Reverse *r, const TStmts *stmts, void (*write)(Reverse *, const TStmts *))
{
    Ad *ad = r->forward.ad;
    const int count = r->from->vars.count, fields = ad->p->fields.count;
    const int before = r->forward.to->vars.count;
    r->is_needed = ARENA_ARRAY(ad->c->scratch, bool, count + fields);
    for (int pass = 0; pass < 2; pass++) {
        r->is_trial = pass == 0;
        r->is_used = ARENA_ARRAY(ad->c->scratch, bool, count + fields);
        r->has_stored = ARENA_ARRAY(ad->c->scratch, bool, fields);
        r->held = ARENA_ARRAY(ad->c->scratch, Var *, fields);
        r->sums = ARENA_ARRAY(ad->c->scratch, Var *, fields);
        r->forward.values = ARENA_ARRAY(ad->c->scratch, Var *, count);
        r->forward.tangents = ARENA_ARRAY(ad->c->scratch, Var *, count);
        map_init(&r->origins, ad->c->scratch);
        r->forward.to->vars.count = before;
        write(r, stmts);
        if (pass)
            return;
        memcpy(r->is_needed, r->is_used, (size_t)(count + fields) * sizeof *r->is_needed);
        if (!r->on_host)
            reverse_spread_needs(r, stmts);
    }
}
