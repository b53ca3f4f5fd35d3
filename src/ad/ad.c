/* The entry. Each `diff` is taken apart first, then blocks of derivatives: what they reach decides
 * which fields have adjoints, and so where all fields lie. */
#include "config.h"

#include "ad/inside.h"

/* Does something for each block of derivatives in a function; true when it did for one. */
typedef bool (*OnBlock)(Ad *ad, Func *f, TStmt **block);

static bool
each_block(Ad *ad, Func *f, TStmt **place, OnBlock on_block)
{
    TStmt *st = *place;
    bool any = false;
    if (!st)
        return false;
    if (st->kind == TS_DERIVE)
        return on_block(ad, f, place);
    for (int i = 0; i < st->stmts.count; i++)
        any |= each_block(ad, f, &st->stmts.items[i], on_block);
    any |= each_block(ad, f, &st->body, on_block);
    return any | each_block(ad, f, &st->orelse, on_block);
}

static bool
reach_one(Ad *ad, Func *f, TStmt **block)
{
    return reach_block(ad, f, *block);
}

static bool
expand_one(Ad *ad, Func *f, TStmt **block)
{
    const bool is_forward = (*block)->derive == DERIVE_JVP;
    *block = is_forward ? expand_jvp(ad, f, *block) : expand_reverse(ad, f, *block);
    return true;
}

/* The functions of a program that it has written itself. */
static void
list_functions(Ad *ad, Funcs *all)
{
    Prog *p = ad->p;
    for (int i = 0; i < p->funcs.count; i++)
        vec_push(ad->c->arena, all, p->funcs.items[i]);
    for (int i = 0; i < p->tests.count; i++)
        vec_push(ad->c->arena, all, p->tests.items[i]);
    if (p->main)
        vec_push(ad->c->arena, all, p->main);
}

static bool
in_all(Ad *ad, const Funcs *all, OnBlock on_block)
{
    bool any = false;
    for (int i = 0; i < all->count; i++)
        any |= each_block(ad, all->items[i], &all->items[i]->body, on_block);
    return any;
}

void
ad_expand(Compile *c, Prog *p)
{
    Ad ad = {.c = c, .p = p};
    Funcs all = {0};
    unique_init(&ad.names, c->arena);
    map_init(&ad.expanded, c->arena);
    map_init(&ad.forwards, c->arena);
    map_init(&ad.duals, c->arena);
    map_init(&ad.touching, c->arena);
    list_functions(&ad, &all);
    for (int i = 0; i < all.count; i++)
        unique_take(&ad.names, c->intern, all.items[i]->unique);
    for (int i = 0; i < all.count; i++)
        expand_func(&ad, all.items[i]);
    while (in_all(&ad, &all, reach_one)) {
    }
    hidden_place(&ad);
    if (!diag_error_count(c))
        in_all(&ad, &all, expand_one);
    arena_reset(c->scratch);
}
