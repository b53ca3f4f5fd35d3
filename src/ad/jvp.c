/* jvp { … } becomes its statements in forward mode: the adjoints of fields and params are their
 * tangents while it runs. */
#include "config.h"

#include "ad/inside.h"

static void
find_declared(const TStmt *st, bool *is_declared)
{
    if (!st)
        return;
    if (st->kind == TS_DECL)
        is_declared[st->var->id] = true;
    for (int i = 0; i < st->stmts.count; i++)
        find_declared(st->stmts.items[i], is_declared);
    find_declared(st->body, is_declared);
    find_declared(st->orelse, is_declared);
}

/* Variables that are there before the block have the tangent 0 when it begins. */
static void
declare_outer(Forward *f, const Func *func, const TStmt *st)
{
    Ad *ad = f->ad;
    bool *is_declared = ARENA_ARRAY(ad->c->scratch, bool, f->count);
    find_declared(st->body, is_declared);
    for (int i = 0; i < f->count; i++) {
        const Var *v = func->vars.items[i];
        if (!f->active->is_active[i] || is_declared[i])
            continue;
        if (v->type->kind == TYPE_EXTERN) {
            Diag *d = diag(ad->c, E0705, st->span,
                           "a derivative goes through the array '%s' of the caller", v->name);
            diag_fix(d, "a field that it is copied to");
            continue;
        }
        const char *name = arena_printf(ad->c->arena, "d%s", v->name);
        Var *tangent = f->tangents[i] = forward_var(f, VAR_LOCAL, name, v->type, st->span);
        tangent->is_mutable = true;
        forward_declare(f, tangent, new_zero(ad, v->type, st->span), st->span);
    }
}

TStmt *
expand_jvp(Ad *ad, Func *f, const TStmt *st)
{
    const int count = f->vars.count;
    Active active = {ad, ARENA_ARRAY(ad->c->arena, bool, count), count, true};
    active_spread(&active, &st->body->stmts, NULL);
    Forward forward = {.ad = ad, .to = f, .active = &active, .count = count};
    forward.values = ARENA_ARRAY(ad->c->arena, Var *, count);
    forward.tangents = ARENA_ARRAY(ad->c->arena, Var *, count);
    TStmt *block = new_stmt(ad, TS_BLOCK, st->span);
    forward.out = &block->stmts;
    reach_hidden(ad, f, st, &block->stmts);
    declare_outer(&forward, f, st);
    forward_stmts(&forward, &st->body->stmts);
    return block;
}
