/* Forward mode of functions: beside each active parameter its tangent; with a float result a struct
 * of the result and its tangent. There is one such function for each set of active parameters. */
#include "config.h"

#include "ad/inside.h"

const Type *
dual_type(Ad *ad, const Type *type)
{
    Type *known = map_get(&ad->duals, (const char *)type);
    if (known)
        return known;
    Member *members = ARENA_ARRAY(ad->c->arena, Member, 2);
    members[0] = (Member){.name = intern_str(ad->c->intern, "value"), .type = type};
    members[1] = (Member){.name = intern_str(ad->c->intern, "tangent"), .type = type};
    const Type *made = type_struct(
        ad->p->types, intern_str(ad->c->intern, arena_printf(ad->c->arena, "dual_%s", type->name)),
        members, 2);
    map_put(&ad->duals, (const char *)type, (void *)made);
    return made;
}

/* The function without its body. */
static Func *
new_func(Ad *ad, const Func *f)
{
    Func *g = ARENA_NEW(ad->c->arena, Func);
    g->kind = f->kind;
    g->name = f->name;
    g->unique = unique_take(&ad->names, ad->c->intern,
                            arena_printf(ad->c->arena, "%s_tangent", f->unique));
    g->id = ad->p->funcs.count;
    g->span = f->span;
    g->is_generic = true;
    g->doc_args = "with tangents";
    g->moves.items = f->moves.items;
    g->moves.count = f->moves.count;
    g->moves.room = f->moves.room;
    vec_push(ad->c->arena, &ad->p->funcs, g);
    return g;
}

/* Parameters, and behind each active one its tangent. One that only the function makes active has
 * a variable for it, which is 0 at first. */
static void
add_params(Forward *f, const Func *from, const char *mask)
{
    for (int i = 0; i < from->params.count; i++) {
        const Var *p = from->params.items[i];
        vec_push(f->ad->c->arena, &f->to->params, forward_make_var(f, p));
        if (mask[i] == '1')
            vec_push(f->ad->c->arena, &f->to->params, f->tangents[p->id]);
    }
    for (int i = 0; i < from->params.count; i++) {
        Var *tangent = f->tangents[from->params.items[i]->id];
        if (!tangent || mask[i] == '1')
            continue;
        tangent->kind = VAR_LOCAL;
        forward_declare(f, tangent, new_zero(f->ad, tangent->type, tangent->span), tangent->span);
    }
}

/* Can it be differentiated? False after a report. */
static bool
has_tangent(Ad *ad, Func *f, Span at)
{
    Diag *d;
    if (!f->body) {
        d = diag(ad->c, E0703, at, "'%s' is an extern function: its derivative is not known",
                 f->name);
        diag_fix(d, "a func of the same values; or stop(…) around what is constant");
    } else if (!expand_func(ad, f)) {
        d = diag(ad->c, E0703, at, "'%s' takes a derivative of itself, which would never end",
                 f->name);
    } else {
        return true;
    }
    diag_note(d, f->span, "'%s' is declared here", f->name);
    return false;
}

Func *
forward_func(const Active *from, Func *f, const char *mask, Span at)
{
    Ad *ad = from->ad;
    const char *text = arena_printf(ad->c->arena, "%p %s%s", (const void *)f, mask,
                                    from->with_fields ? " with fields" : "");
    const char *key = intern_str(ad->c->intern, text);
    Func *known = map_get(&ad->forwards, key);
    if (known || !has_tangent(ad, f, at))
        return known;
    Func *g = new_func(ad, f);
    map_put(&ad->forwards, key, g);
    Active active = {ad, ARENA_ARRAY(ad->c->arena, bool, f->vars.count), f->vars.count,
                     from->with_fields};
    for (int i = 0; i < f->params.count; i++)
        active.is_active[f->params.items[i]->id] = mask[i] == '1';
    active_spread(&active, &f->body->stmts, NULL);
    Forward forward = {.ad = ad, .to = g, .active = &active, .count = f->vars.count};
    forward.values = ARENA_ARRAY(ad->c->arena, Var *, f->vars.count);
    forward.tangents = ARENA_ARRAY(ad->c->arena, Var *, f->vars.count);
    g->body = new_stmt(ad, TS_BLOCK, f->body->span);
    forward.out = &g->body->stmts;
    add_params(&forward, f, mask);
    g->result = f->result;
    if (type_has_float(f->result))
        g->result = forward.dual = dual_type(ad, f->result);
    forward_stmts(&forward, &f->body->stmts);
    return g;
}
