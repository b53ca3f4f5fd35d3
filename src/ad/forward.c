/* Forward mode of expressions: an expression becomes its value and its tangent. What both need is
 * computed once, in a temporary before the statement. */
#include "config.h"

#include <string.h>

#include "ad/inside.h"

/* ---- what is written ---- */

Var *
forward_var(Forward *f, VarKind kind, const char *name, const Type *type, Span span)
{
    Var *v = ARENA_NEW(f->ad->c->arena, Var);
    v->kind = kind;
    v->name = intern_str(f->ad->c->intern, name);
    v->type = type;
    v->span = span;
    v->mode = PARAM_VALUE;
    v->kernel_level = f->to->kind == FUNC_KERNEL && !f->loops && kind == VAR_LOCAL;
    v->id = f->to->vars.count;
    vec_push(f->ad->c->arena, &f->to->vars, v);
    return v;
}

Var *
forward_var_of(Forward *f, const Var *v)
{
    Var *known = v->id < f->count ? f->values[v->id] : NULL;
    return known ? known : (Var *)v;
}

/* The tangent of a variable, or NULL. */
static Var *
tangent_of(const Forward *f, const Var *v)
{
    return v->id < f->count && !f->only_values && !v->is_stopped ? f->tangents[v->id] : NULL;
}

void
forward_emit(Forward *f, TStmt *st)
{
    vec_push(f->ad->c->arena, f->out, st);
}

void
forward_assign(Forward *f, TExpr *target, TExpr *value, Span span)
{
    TStmt *st = new_stmt(f->ad, TS_ASSIGN, span);
    st->target = target;
    st->value = value;
    forward_emit(f, st);
}

/* A variable that is set where it is declared. */
static TExpr *
declare(Forward *f, const char *name, TExpr *value)
{
    Var *v = forward_var(f, VAR_LOCAL, name, value->type, value->span);
    v->is_let = true;
    TStmt *st = new_stmt(f->ad, TS_DECL, value->span);
    st->var = v;
    st->value = value;
    forward_emit(f, st);
    return new_use(f->ad, v, value->span);
}

/* May it be computed again at no cost? */
static bool
is_simple(const TExpr *e)
{
    switch (e->kind) {
    case TX_CONST: case TX_VAR: case TX_PARAM: return true;
    case TX_MEMBER: case TX_SWIZZLE: return is_simple(e->a);
    case TX_ELEM: return texprs_are_constant(&e->args) && is_simple(e->a);
    default: return false;
    }
}

TExpr *
forward_keep(Forward *f, TExpr *e)
{
    return !e || is_simple(e) ? e : declare(f, "t", e);
}

/* ---- parts ---- */

static TExpr *
copy_without_parts(Forward *f, const TExpr *e)
{
    TExpr *copy = ARENA_NEW(f->ad->c->bodies, TExpr);
    *copy = *e;
    copy->args = (TExprs){0};
    return copy;
}

TExpr *
forward_value(Forward *f, const TExpr *e)
{
    bool outer = f->only_values;
    f->only_values = true;
    TExpr *value = forward_expr(f, e).value;
    f->only_values = outer;
    return value;
}

/* A copy with the values of all parts. */
static TExpr *
copy_with_values(Forward *f, const TExpr *e)
{
    TExpr *copy = copy_without_parts(f, e);
    copy->a = e->a ? forward_value(f, e->a) : NULL;
    copy->b = e->b ? forward_value(f, e->b) : NULL;
    copy->c = e->c ? forward_value(f, e->c) : NULL;
    for (int i = 0; i < e->args.count; i++)
        vec_push(f->ad->c->arena, &copy->args, forward_value(f, e->args.items[i]));
    return copy;
}

static TExpr *
tangent_or_zero(Forward *f, TExpr *tangent, const Type *type, Span span)
{
    return tangent ? tangent : new_zero(f->ad, type, span);
}

/* ---- places ---- */

/* The same part of something else. */
static TExpr *
part_of(Forward *f, const TExpr *part, TExpr *whole, const TExprs *indices)
{
    TExpr *copy = copy_without_parts(f, part);
    copy->a = whole;
    for (int i = 0; i < indices->count; i++)
        vec_push(f->ad->c->arena, &copy->args, indices->items[i]);
    return copy;
}

/* A part of something that has a value and maybe a tangent. */
static Dual
forward_part(Forward *f, const TExpr *e, Dual whole)
{
    TExprs indices = {0};
    for (int i = 0; i < e->args.count; i++) {
        TExpr *index = forward_value(f, e->args.items[i]);
        vec_push(f->ad->c->arena, &indices, whole.tangent ? forward_keep(f, index) : index);
    }
    Dual d = {part_of(f, e, whole.value, &indices), NULL};
    if (!whole.tangent || !type_has_float(e->type))
        return d;
    d.tangent = part_of(f, e, whole.tangent, &indices);
    if (whole.tangent->type != whole.value->type) /* f32 of f16 */
        d.tangent->type =
            type_with_scalar(f->ad->p->types, e->type, whole.tangent->type->scalar);
    return d;
}

/* The element of a field, and that of its adjoint. */
static Dual
forward_element(Forward *f, const TExpr *e)
{
    Dual d = {copy_with_values(f, e), NULL};
    Field *adjoint = e->field->adjoint;
    TExpr *held = f->reverse ? reverse_held(f->reverse, e) : NULL, *element = d.value;
    d.value = held ? held : d.value;
    if (!f->active->with_fields || !adjoint || f->only_values)
        return d;
    d.tangent = new_expr(f->ad, TX_FIELD, adjoint->type, e->span);
    d.tangent->field = adjoint;
    for (int i = 0; i < element->args.count; i++) {
        TExpr *index = element->args.items[i] = forward_keep(f, element->args.items[i]);
        vec_push(f->ad->c->arena, &d.tangent->args, index);
    }
    return d;
}

static Dual
forward_param(Forward *f, const TExpr *e)
{
    Dual d = {copy_with_values(f, e), NULL};
    Field *adjoint = e->param->adjoint;
    if (!f->active->with_fields || !adjoint || f->only_values)
        return d;
    d.tangent = new_expr(f->ad, TX_FIELD, adjoint->type, e->span);
    d.tangent->field = adjoint;
    d.tangent = new_cast(f->ad, e->type, d.tangent);
    return d;
}

Dual
forward_place(Forward *f, const TExpr *e)
{
    if (e->kind == TX_VAR) {
        TExpr *copy = copy_without_parts(f, e);
        copy->var = forward_var_of(f, e->var);
        Var *tangent = tangent_of(f, e->var);
        return (Dual){copy, tangent ? new_use(f->ad, tangent, e->span) : NULL};
    }
    if (e->kind == TX_FIELD)
        return forward_element(f, e);
    return forward_part(f, e, forward_place(f, e->a));
}

/* A variable, a field or a part of one that is read. */
static Dual
forward_read(Forward *f, const TExpr *e)
{
    Dual d = forward_place(f, e);
    if (d.tangent && d.tangent->type != e->type)
        d.tangent = new_cast(f->ad, e->type, d.tangent);
    const TExpr *root = root_of(e);
    bool may_change = root->kind == TX_FIELD || !root->var->is_let;
    if (!f->is_careful || !may_change || e->type->kind == TYPE_ARRAY ||
        e->type->kind == TYPE_EXTERN)
        return d;
    d.value = declare(f, "t", d.value);
    d.tangent = d.tangent ? declare(f, "dt", d.tangent) : NULL;
    return d;
}

/* ---- operators ---- */

static Dual
forward_fma(Forward *f, const TExpr *e)
{
    Ad *ad = f->ad;
    Dual a = forward_expr(f, e->a), b = forward_expr(f, e->b), c = forward_expr(f, e->c);
    TExpr *value = copy_without_parts(f, e), *tangent = c.tangent;
    if (a.tangent)
        b.value = forward_keep(f, b.value);
    if (b.tangent)
        a.value = forward_keep(f, a.value);
    value->a = a.value;
    value->b = b.value;
    value->c = c.value;
    if (b.tangent)
        tangent = tangent ? new_fma(ad, b.tangent, a.value, tangent)
                          : new_product(ad, b.tangent, a.value);
    if (a.tangent)
        tangent = tangent ? new_fma(ad, a.tangent, b.value, tangent)
                          : new_product(ad, a.tangent, b.value);
    return (Dual){value, tangent};
}

/* A value that is computed in one of two blocks. */
static TExpr *
set_in_blocks(Forward *f, TStmts *blocks[2], TExpr *values[2])
{
    Ad *ad = f->ad;
    const Type *type = values[0]->type;
    Span span = values[0]->span;
    Var *v = forward_var(f, VAR_LOCAL, "t", type, span);
    v->is_mutable = true;
    TStmt *decl = new_stmt(ad, TS_DECL, span), *set;
    decl->var = v;
    decl->value = new_zero(ad, type, span);
    forward_emit(f, decl);
    for (int side = 0; side < 2; side++) {
        set = new_stmt(ad, TS_ASSIGN, span);
        set->target = new_use(ad, v, span);
        set->value = values[side];
        vec_push(ad->c->arena, blocks[side], set);
    }
    return new_use(ad, v, span);
}

static TStmt *
block_of(Ad *ad, TStmts stmts, Span span)
{
    TStmt *block = new_stmt(ad, TS_BLOCK, span);
    block->stmts = stmts;
    return block;
}

/* One of two values by a condition, with what has to be done for each. */
static Dual
choose(Forward *f, TExpr *cond, TStmts own[2], Dual sides[2], const Type *type, Span span)
{
    Ad *ad = f->ad;
    bool is_active = sides[0].tangent || sides[1].tangent;
    TExpr *values[2] = {sides[0].value, sides[1].value}, *tangents[2] = {NULL, NULL};
    for (int side = 0; side < 2 && is_active; side++)
        tangents[side] = tangent_or_zero(f, sides[side].tangent, type, span);
    if (!own[0].count && !own[1].count) {
        cond = is_active ? forward_keep(f, cond) : cond;
        return (Dual){new_choice(ad, cond, values[0], values[1]),
                      is_active ? new_choice(ad, cond, tangents[0], tangents[1]) : NULL};
    }
    TStmts *blocks[2] = {&own[0], &own[1]};
    Dual d = {set_in_blocks(f, blocks, values), NULL};
    if (is_active)
        d.tangent = set_in_blocks(f, blocks, tangents);
    TStmt *st = new_stmt(ad, TS_IF, span);
    st->value = cond;
    st->body = block_of(ad, own[0], span);
    st->orelse = block_of(ad, own[1], span);
    forward_emit(f, st);
    return d;
}

/* An expression whose temporaries go to a list of their own. */
static Dual
forward_aside(Forward *f, const TExpr *e, TStmts *own)
{
    TStmts *outer = f->out;
    f->out = own;
    Dual d = forward_expr(f, e);
    f->out = outer;
    return d;
}

static Dual
forward_cond(Forward *f, const TExpr *e)
{
    TStmts own[2] = {{0}, {0}};
    TExpr *cond = forward_value(f, e->a);
    if (f->is_careful)
        cond = forward_keep(f, cond);
    Dual sides[2] = {forward_aside(f, e->b, &own[0]), forward_aside(f, e->c, &own[1])};
    return choose(f, cond, own, sides, e->type, e->span);
}

/* Scalar && and ||, whose right side is computed only where it is needed. */
static TExpr *
forward_logic(Forward *f, const TExpr *e)
{
    TStmts own[2] = {{0}, {0}};
    bool is_and = e->op == OP_LAND;
    TExpr *a = forward_value(f, e->a);
    if (f->is_careful)
        a = forward_keep(f, a);
    TExpr *b = forward_aside(f, e->b, &own[is_and ? 0 : 1]).value;
    if (!own[0].count && !own[1].count) {
        TExpr *copy = copy_without_parts(f, e);
        copy->a = a;
        copy->b = b;
        return copy;
    }
    TExpr *known = new_zero(f->ad, e->type, e->span);
    known->value.leaves[0].i = !is_and;
    Dual sides[2] = {{is_and ? b : known, NULL}, {is_and ? known : b, NULL}};
    return choose(f, a, own, sides, e->type, e->span).value;
}

static Dual
forward_binary(Forward *f, const TExpr *e)
{
    if ((e->op == OP_LAND || e->op == OP_LOR) && e->type->kind == TYPE_SCALAR)
        return (Dual){forward_logic(f, e), NULL};
    Dual a = forward_expr(f, e->a), b = forward_expr(f, e->b);
    TExpr *value = copy_without_parts(f, e);
    Dual d = {value, NULL};
    if (a.tangent || b.tangent)
        d.tangent = rule_binary(f, e, &a, &b, &d.value);
    value->a = a.value;
    value->b = b.value;
    return d;
}

/* One operand, on which what is computed depends linearly. */
static Dual
forward_linear(Forward *f, const TExpr *e)
{
    Dual a = forward_expr(f, e->a), d = {copy_without_parts(f, e), NULL};
    d.value->a = a.value;
    if (a.tangent) {
        d.tangent = copy_without_parts(f, e);
        d.tangent->a = a.tangent;
    }
    return d;
}

static Dual
forward_make(Forward *f, const TExpr *e)
{
    Dual d = {copy_without_parts(f, e), NULL};
    TExprs tangents = {0};
    bool is_active = false;
    for (int i = 0; i < e->args.count; i++) {
        const TExpr *arg = e->args.items[i];
        Dual part = forward_expr(f, arg);
        is_active = is_active || part.tangent;
        vec_push(f->ad->c->arena, &d.value->args, part.value);
        vec_push(f->ad->c->arena, &tangents,
                 tangent_or_zero(f, part.tangent, arg->type, arg->span));
    }
    if (is_active)
        d.tangent = new_make(f->ad, e->type, tangents, e->span);
    return d;
}

static Dual
forward_bits(Forward *f, const TExpr *e)
{
    if (!f->is_stopped && type_has_float(e->a->type) && expr_is_active(f->active, e->a))
        diag_fix(diag(f->ad->c, E0703, e->span,
                      "the bits of a float have no derivative with respect to it"),
                 "stop(…) around the value makes it a constant");
    return (Dual){copy_with_values(f, e), NULL};
}

/* ---- calls ---- */

static Dual
forward_builtin(Forward *f, const TExpr *e)
{
    Rule r = {.f = f, .e = e, .value = copy_without_parts(f, e)};
    bool is_active = false;
    for (int i = 0; i < e->args.count; i++) {
        Dual d = forward_expr(f, e->args.items[i]);
        r.x[i] = d.value;
        r.dx[i] = d.tangent;
        is_active = is_active || d.tangent;
    }
    for (int i = 0; i < e->args.count; i++) {
        if (is_active)
            r.x[i] = forward_keep(f, r.x[i]);
        vec_push(f->ad->c->arena, &r.value->args, r.x[i]);
    }
    TExpr *tangent = is_active ? rule_builtin(&r) : NULL;
    return (Dual){r.value, tangent};
}

/* Is it given to the function as a place, which the function may change? */
static bool
is_given_as_place(const TExpr *call, int i)
{
    const Var *p = call->func->params.items[i];
    return p->mode == PARAM_INOUT || p->type->kind == TYPE_EXTERN;
}

/* Values and tangents of arguments; a '1' in the mask for each that has a tangent. */
static bool
forward_arguments(Forward *f, const TExpr *e, Dual *args, char *mask)
{
    bool is_active = false;
    for (int i = 0; i < e->args.count; i++)
        if (is_given_as_place(e, i) && expr_is_active(f->active, e->args.items[i]))
            f->only_values = false; /* what the function changes is needed */
    for (int i = 0; i < e->args.count; i++) {
        const TExpr *arg = e->args.items[i];
        args[i] = is_given_as_place(e, i) ? forward_place(f, arg) : forward_expr(f, arg);
        mask[i] = args[i].tangent ? '1' : '0';
        is_active = is_active || args[i].tangent;
    }
    if (f->active->with_fields && func_touches_fields(f->ad, e->func))
        return true;
    return is_active;
}

/* A call of a function that computes tangents. */
static Dual
call_forward(Forward *f, const TExpr *e, Func *g, const Dual *args)
{
    Ad *ad = f->ad;
    TExpr *call = new_expr(ad, TX_CALL, g->result, e->span);
    call->func = g;
    for (int i = 0; i < e->args.count; i++) {
        vec_push(ad->c->arena, &call->args, args[i].value);
        if (args[i].tangent)
            vec_push(ad->c->arena, &call->args, args[i].tangent);
    }
    if (e->type->kind == TYPE_VOID)
        return (Dual){call, NULL};
    TExpr *result = declare(f, "r", call);
    return g->result == e->type ? (Dual){result, NULL}
                                : (Dual){new_member(ad, result, 0), new_member(ad, result, 1)};
}

static Dual
forward_call(Forward *f, const TExpr *e)
{
    Ad *ad = f->ad;
    const bool outer = f->only_values;
    if (f->reverse)
        return reverse_of_call(f->reverse, e);
    Dual *args = ARENA_ARRAY(ad->c->scratch, Dual, e->args.count);
    char *mask = arena_alloc(ad->c->scratch, (size_t)e->args.count + 1);
    if (forward_arguments(f, e, args, mask)) {
        Func *g = forward_func(f->active, e->func, mask, e->span);
        if (g) {
            Dual d = call_forward(f, e, g, args);
            return outer ? (Dual){d.value, NULL} : d;
        }
    }
    TExpr *call = copy_without_parts(f, e);
    for (int i = 0; i < e->args.count; i++)
        vec_push(ad->c->arena, &call->args, args[i].value);
    if (f->is_careful && e->type->kind != TYPE_VOID)
        call = forward_keep(f, call);
    return (Dual){call, NULL};
}

/* ---- atomic operations ---- */

static TExpr *
atomic_on(Forward *f, const TExpr *e, TExpr *place, TExpr *operand)
{
    TExpr *copy = copy_without_parts(f, e);
    copy->a = place;
    copy->type = place->type;
    vec_push(f->ad->c->arena, &copy->args, new_cast(f->ad, place->type, operand));
    return copy;
}

/* The operation without tangents. */
static TExpr *
plain_atomic(Forward *f, const TExpr *e, TExpr *place)
{
    TExpr *copy = copy_without_parts(f, e);
    copy->a = place;
    for (int i = 0; i < e->args.count; i++)
        vec_push(f->ad->c->arena, &copy->args, forward_value(f, e->args.items[i]));
    return copy;
}

/* Can it be differentiated? Additions can; what one gives depends on the order of iterations, where
 * others add to the same place. */
static bool
may_be_atomic(Forward *f, const TExpr *e, bool is_used)
{
    const bool adds = e->atomic == ATOMIC_ADD || e->atomic == ATOMIC_SUB;
    if (adds && !(is_used && e->is_shared))
        return true;
    Diag *d = diag(f->ad->c, E0703, e->span,
                   "'atomic_%s' of what a derivative goes through has no derivative here",
                   atomic_name(e->atomic));
    if (adds)
        diag_fix(d, "a statement of its own: the value that it gives depends on the order of "
                    "iterations");
    else
        diag_fix(d, "an if around an assignment, where no other iteration reaches the place");
    return false;
}

static Dual
forward_atomic(Forward *f, const TExpr *e)
{
    if (f->reverse)
        reverse_refuse(f->reverse, e->span, "the value of an atomic operation",
                       "a statement of its own, whose value nothing takes");
    Dual place = forward_place(f, e->a);
    if (f->reverse)
        place.tangent = NULL;
    if (!place.tangent || !may_be_atomic(f, e, true)) {
        TExpr *plain = plain_atomic(f, e, place.value);
        return (Dual){f->is_careful ? declare(f, "t", plain) : plain, NULL};
    }
    Dual operand = forward_expr(f, e->args.items[0]);
    TExpr *zero = tangent_or_zero(f, operand.tangent, e->type, e->span);
    TExpr *tangent = declare(f, "t", atomic_on(f, e, place.tangent, zero));
    return (Dual){declare(f, "t", atomic_on(f, e, place.value, operand.value)),
                  new_cast(f->ad, e->type, tangent)};
}

static void
emit_atomic(Forward *f, const TStmt *st, TExpr *atomic)
{
    TStmt *made = new_stmt(f->ad, TS_EXPR, st->span);
    made->value = atomic;
    forward_emit(f, made);
}

void
forward_atomic_stmt(Forward *f, const TStmt *st)
{
    const TExpr *e = st->value;
    Dual place = forward_place(f, e->a);
    if (!place.tangent || !may_be_atomic(f, e, false)) {
        emit_atomic(f, st, plain_atomic(f, e, place.value));
        return;
    }
    Dual operand = forward_expr(f, e->args.items[0]);
    if (operand.tangent)
        emit_atomic(f, st, atomic_on(f, e, place.tangent, operand.tangent));
    emit_atomic(f, st, atomic_on(f, e, place.value, operand.value));
}

/* ---- lists ---- */

/* The tangent of the value for a place, whose adjoint is at another place. */
static TExpr *
appended_tangent(Forward *f, const TExpr *e, const Dual *duals, const Place *adjoint)
{
    const Place *places = e->node->places.items;
    for (int i = 0; i < e->values.count; i++)
        if (places[i].field == adjoint->field->primal &&
            places[i].first_leaf == adjoint->first_leaf && duals[i].tangent)
            return new_cast(f->ad, adjoint->type, duals[i].tangent);
    return new_zero(f->ad, adjoint->type, e->span);
}

/* A cell that is appended gets the tangents of its values. */
static TExpr *
forward_append(Forward *f, const TExpr *e)
{
    Ad *ad = f->ad;
    const bool outer = f->only_values;
    if (f->reverse)
        reverse_refuse(f->reverse, e->span, "'append'", "jvp { … }");
    TExpr *copy = copy_without_parts(f, e);
    Dual *duals = ARENA_ARRAY(ad->c->scratch, Dual, e->values.count);
    copy->values = (TExprs){0};
    for (int i = 0; i < e->args.count; i++)
        vec_push(ad->c->arena, &copy->args, forward_value(f, e->args.items[i]));
    f->only_values = !f->active->with_fields;
    for (int i = 0; i < e->values.count; i++)
        duals[i] = forward_expr(f, e->values.items[i]);
    f->only_values = outer;
    for (int i = 0; i < e->values.count; i++) {
        const Place *p = &e->node->places.items[i];
        const bool is_adjoint = f->active->with_fields && p->field->primal;
        vec_push(ad->c->arena, &copy->values,
                 is_adjoint ? appended_tangent(f, e, duals, p) : duals[i].value);
    }
    return copy;
}

/* ---- all of them ---- */

static Dual
forward_kind(Forward *f, const TExpr *e)
{
    switch (e->kind) {
    case TX_VAR: case TX_FIELD: return forward_read(f, e);
    case TX_ELEM: case TX_MEMBER: case TX_SWIZZLE:
        return root_of(e) ? forward_read(f, e) : forward_part(f, e, forward_expr(f, e->a));
    case TX_UNARY: case TX_CAST: case TX_SPLAT: return forward_linear(f, e);
    case TX_BINARY: return forward_binary(f, e);
    case TX_COND: return forward_cond(f, e);
    case TX_BITCAST: return forward_bits(f, e);
    case TX_MAKE: return forward_make(f, e);
    case TX_FMA: return forward_fma(f, e);
    case TX_BUILTIN:
        if (f->reverse && e->builtin >= BUILTIN_RANDOM && e->builtin <= BUILTIN_RANDN)
            reverse_refuse(f->reverse, e->span, "a random number that is needed on the way back",
                           "a field that a loop before fills with random numbers");
        return forward_builtin(f, e);
    case TX_CALL: return forward_call(f, e);
    case TX_ATOMIC: return forward_atomic(f, e);
    case TX_PARAM: return forward_param(f, e);
    case TX_APPEND: return (Dual){forward_append(f, e), NULL};
    case TX_ERROR: case TX_CONST: case TX_STRING: case TX_TABLE: case TX_IS_ACTIVE: case TX_LENGTH:
    case TX_EXTENT: case TX_ADDRESS: case TX_CLOCK: case TX_TAKE: case TX_MEASURE: case TX_MEMORY:
    case TX_ACTIVE: case TX_FORMAT:
        return (Dual){copy_with_values(f, e), NULL};
    }
    return (Dual){NULL, NULL};
}

Dual
forward_expr(Forward *f, const TExpr *e)
{
    bool outer = f->only_values;
    f->only_values = outer || !type_has_float(e->type);
    if (e->type->kind == TYPE_VOID)
        f->only_values = outer;
    Dual d = forward_kind(f, e);
    f->only_values = outer;
    return d;
}
