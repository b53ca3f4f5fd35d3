/* diff(e, v) becomes a block that computes its value: in a loop over the components of v. */
#include "config.h"

#include "ad/inside.h"

/* States of functions in Ad.expanded. */
static char being_expanded, is_expanded;

static void expand_stmts(Ad *ad, Func *f, TStmts *stmts, int loops);

/* ---- one diff ---- */

static bool
may_differentiate(Ad *ad, const TStmt *st)
{
    Effect effect = expr_effect(ad, &st->stmts, st->value);
    if (!effect.what)
        return true;
    Diag *d = diag(ad->c, E0702, st->value->span,
                   "an expression whose derivative is taken changes nothing, but this %s",
                   effect.what);
    diag_note(d, effect.at, "here");
    return false;
}

/* The tangent of the variable: 1 in the component at hand. */
static Var *
declare_direction(Forward *f, const TStmt *st, Vars *indices)
{
    Ad *ad = f->ad;
    const Span span = st->span;
    Var *v = forward_var(f, VAR_LOCAL, arena_printf(ad->c->arena, "d%s", st->var->name),
                         st->var->type, span);
    TStmt *decl = new_stmt(ad, TS_DECL, span);
    const bool is_scalar = v->type->kind == TYPE_SCALAR;
    v->is_mutable = !is_scalar;
    decl->var = v;
    decl->value = new_number(ad, v->type, is_scalar ? 1 : 0, span);
    forward_emit(f, decl);
    if (is_scalar)
        return v;
    TExpr *i = new_use(ad, indices->items[0], span),
          *j = indices->count > 1 ? new_use(ad, indices->items[1], span) : NULL;
    forward_assign(f, new_element(ad, new_use(ad, v, span), i, j),
                   new_number(ad, scalar_of(ad, v->type), 1, span), span);
    return v;
}

/* What the derivative in one direction is computed by. */
static void
expand_direction(Forward *f, const TStmt *st, Vars *indices)
{
    Ad *ad = f->ad;
    const Span span = st->span;
    f->tangents[st->var->id] = declare_direction(f, st, indices);
    forward_stmts(f, &st->stmts);
    f->is_careful = expr_changes(f->active, st->value);
    Dual d = forward_expr(f, st->value);
    TExpr *target = new_use(ad, st->target->var, span);
    if (indices->count)
        target = new_element(ad, target, new_use(ad, indices->items[0], span),
                             indices->count > 1 ? new_use(ad, indices->items[1], span) : NULL);
    if (d.tangent)
        forward_assign(f, target, new_cast(ad, target->type, d.tangent), span);
}

/* A loop over the components of a vector or matrix, or no loop. */
static TStmt *
component_loop(Forward *f, const TStmt *st, Vars *indices)
{
    Ad *ad = f->ad;
    const Type *t = st->var->type, *index = type_scalar(ad->p->types, SCALAR_I32);
    const int sizes[] = {t->rows, t->cols};
    if (t->kind == TYPE_SCALAR)
        return NULL;
    TStmt *loop = new_stmt(ad, TS_RANGE, st->span);
    f->loops++;
    for (int axis = 0; axis < (t->kind == TYPE_MATRIX ? 2 : 1); axis++) {
        Var *v = forward_var(f, VAR_INDEX, axis ? "j" : "i", index, st->span);
        vec_push(ad->c->arena, indices, v);
        vec_push(ad->c->arena, &loop->vars, v);
        vec_push(ad->c->arena, &loop->from, new_integer(ad, 0, st->span));
        vec_push(ad->c->arena, &loop->to, new_integer(ad, sizes[axis], st->span));
        vec_push(ad->c->arena, &loop->step, NULL);
    }
    return loop;
}

/* In place of diff(e, v): a block that sets its target. */
static TStmt *
expand_diff(Ad *ad, Func *f, const TStmt *st, int loops)
{
    TStmt *block = new_stmt(ad, TS_BLOCK, st->span);
    if (!may_differentiate(ad, st))
        return block;
    const int count = f->vars.count;
    Active active = {ad, ARENA_ARRAY(ad->c->arena, bool, count), count, false};
    active.is_active[st->var->id] = true;
    active_spread(&active, &st->stmts, st->value);
    Forward forward = {.ad = ad, .to = f, .active = &active, .count = count, .loops = loops};
    forward.values = ARENA_ARRAY(ad->c->arena, Var *, count);
    forward.tangents = ARENA_ARRAY(ad->c->arena, Var *, count);
    Vars indices = {0};
    TStmt *loop = component_loop(&forward, st, &indices);
    if (loop) {
        loop->body = new_stmt(ad, TS_BLOCK, st->span);
        vec_push(ad->c->arena, &block->stmts, loop);
    }
    forward.out = loop ? &loop->body->stmts : &block->stmts;
    expand_direction(&forward, st, &indices);
    return block;
}

/* ---- functions ---- */

static void
expand_stmt(Ad *ad, Func *f, TStmt **place, int loops)
{
    TStmt *st = *place;
    if (!st)
        return;
    if (st->kind == TS_WHILE || st->kind == TS_RANGE || st->kind == TS_CELLS)
        loops++;
    expand_stmts(ad, f, &st->stmts, loops);
    expand_stmt(ad, f, &st->body, loops);
    expand_stmt(ad, f, &st->orelse, loops);
    if (st->kind == TS_DIFF)
        *place = expand_diff(ad, f, st, loops);
}

static void
expand_stmts(Ad *ad, Func *f, TStmts *stmts, int loops)
{
    for (int i = 0; i < stmts->count; i++)
        expand_stmt(ad, f, &stmts->items[i], loops);
}

bool
expand_func(Ad *ad, Func *f)
{
    const char *key = (const char *)f, *state = map_get(&ad->expanded, key);
    if (state)
        return state == &is_expanded;
    map_put(&ad->expanded, key, &being_expanded);
    expand_stmt(ad, f, &f->body, 0);
    map_put(&ad->expanded, key, &is_expanded);
    return true;
}
