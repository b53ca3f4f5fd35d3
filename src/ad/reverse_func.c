/* Reverse mode of functions: the adjoint of a function gets the values of its parameters and the
 * adjoint of its result, computes again what it needs, and adds to the adjoints of parameters and
 * fields. There is one for each set of active parameters. */
#include "config.h"

#include "ad/inside.h"

static Func *
new_func(Ad *ad, const Func *f)
{
    Func *g = ARENA_NEW(ad->c->arena, Func);
    g->kind = f->kind;
    g->name = f->name;
    g->unique =
        unique_take(&ad->names, ad->c->intern, arena_printf(ad->c->arena, "%s_adjoint", f->unique));
    g->id = ad->p->funcs.count;
    g->span = f->span;
    g->is_generic = true;
    g->doc_args = "taken back";
    g->result = type_void(ad->p->types);
    vec_push(ad->c->arena, &ad->p->funcs, g);
    return g;
}

static Var *
add_param(Reverse *r, const char *name, const Type *type, ParamKind mode, Span span)
{
    Var *v = forward_var(&r->forward, VAR_ARG, name, type, span);
    v->mode = mode;
    v->is_mutable = mode == PARAM_INOUT;
    v->is_tangent = false;
    vec_push(r->forward.ad->c->arena, &r->forward.to->params, v);
    return v;
}

/* A parameter of the function that is read, as a variable of its own: it may be changed. */
static void
add_values(Reverse *r, Vars *given)
{
    Ad *ad = r->forward.ad;
    for (int i = 0; i < r->from->params.count; i++) {
        const Var *p = r->from->params.items[i];
        Var *v = add_param(r, p->name, p->type, PARAM_VALUE, p->span);
        vec_push(ad->c->scratch, given, v);
        if (p->is_mutable || p->mode == PARAM_INOUT)
            continue;
        r->forward.values[p->id] = v;
        reverse_origin(r, v, p->id);
    }
}

/* The adjoints of parameters, to which the function adds. What an inout one left is overwritten by
 * what it found. */
static void
add_adjoints(Reverse *r, const char *mask)
{
    const Func *f = r->from;
    Ad *ad = r->forward.ad;
    if (type_has_float(f->result))
        r->result = add_param(r, "dresult", f->result, PARAM_VALUE, f->span);
    for (int i = 0; i < f->params.count; i++) {
        const Var *p = f->params.items[i];
        if (mask[i] == '0')
            continue;
        Var *v =
            add_param(r, arena_printf(ad->c->arena, "d%s", p->name), p->type, PARAM_INOUT, p->span);
        v->is_tangent = true;
        r->forward.tangents[p->id] = v;
    }
}

/* Parameters that the function changes begin with what was given. */
static void
set_values(Reverse *r, const Vars *given)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    for (int i = 0; i < r->from->params.count; i++) {
        const Var *p = r->from->params.items[i];
        if (f->values[p->id])
            continue;
        Var *adjoint = f->tangents[p->id];
        f->values[p->id] = reverse_declare(r, p->name, p->type, p->span);
        reverse_origin(r, f->values[p->id], p->id);
        if (!adjoint && f->active->is_active[p->id]) {
            adjoint = reverse_declare(r, p->name, p->type, p->span);
            adjoint->is_tangent = true;
            f->tangents[p->id] = adjoint;
        }
        TStmts *outer = f->out;
        f->out = r->top;
        copy_value(r, new_use(ad, f->values[p->id], p->span),
                   new_use(ad, given->items[i], p->span));
        f->out = outer;
    }
}

typedef struct {
    Reverse reverse;
    const char *mask;
} FuncReverse;

static void
write_func(Reverse *r, const TStmts *stmts)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    Vars given = {0};
    TStmts ahead = {0}, back = {0};
    f->to->params.count = 0;
    f->to->body = new_stmt(ad, TS_BLOCK, r->from->body->span);
    r->top = &f->to->body->stmts;
    f->out = r->top;
    add_values(r, &given);
    add_adjoints(r, ((FuncReverse *)r)->mask);
    set_values(r, &given);
    reverse_stmts(r, stmts, &ahead, &back);
    for (int i = 0; i < ahead.count; i++)
        vec_push(ad->c->arena, r->top, ahead.items[i]);
    for (int i = 0; i < back.count; i++)
        vec_push(ad->c->arena, r->top, back.items[i]);
}

/* Can it be differentiated? False after a report. */
static bool
has_adjoint(Ad *ad, Func *f, Span at)
{
    if (f->body && expand_func(ad, f))
        return true;
    Diag *d = f->body ? diag(ad->c, E0703, at,
                             "'%s' takes a derivative of itself, which would never end", f->name)
                      : diag(ad->c, E0703, at,
                             "'%s' is an extern function: its derivative is not known", f->name);
    diag_note(d, f->span, "'%s' is declared here", f->name);
    return false;
}

Func *
reverse_func(const Active *from, Func *f, const char *mask, Span at)
{
    Ad *ad = from->ad;
    const char *key =
        intern_str(ad->c->intern, arena_printf(ad->c->arena, "%p %s%s back", (const void *)f, mask,
                                               from->with_fields ? " with fields" : ""));
    Func *known = map_get(&ad->forwards, key);
    if (known || !has_adjoint(ad, f, at))
        return known;
    Func *g = new_func(ad, f), *read = structured(ad, f);
    map_put(&ad->forwards, key, g);
    Active active = {ad, ARENA_ARRAY(ad->c->scratch, bool, read->vars.count), read->vars.count,
                     from->with_fields};
    for (int i = 0; i < f->params.count; i++)
        active.is_active[f->params.items[i]->id] = mask[i] == '1';
    active_spread(&active, &read->body->stmts, NULL);
    FuncReverse own = {.mask = mask};
    Reverse *r = &own.reverse;
    r->from = read;
    r->forward =
        (Forward){.ad = ad, .reverse = r, .to = g, .active = &active, .count = read->vars.count};
    r->uses = ARENA_ARRAY(ad->c->scratch, FieldUse, ad->p->fields.count);
    reverse_twice(r, &read->body->stmts, write_func);
    return g;
}
