/* Which variables a derivative goes through: those that are active, and all that get a float which
 * depends on one. A variable that is active somewhere is so everywhere; where it is not, its
 * tangent is 0. */
#include "config.h"

#include "ad/inside.h"

bool
type_has_float(const Type *t)
{
    switch (t->kind) {
    case TYPE_SCALAR: case TYPE_VECTOR: case TYPE_MATRIX: return type_is_float(t);
    case TYPE_ARRAY: case TYPE_EXTERN: return type_has_float(t->elem);
    case TYPE_STRUCT:
        for (int i = 0; i < t->member_count; i++)
            if (type_has_float(t->members[i].type))
                return true;
        return false;
    case TYPE_ERROR: case TYPE_VOID: case TYPE_STRING: return false;
    }
    return false;
}

const TExpr *
root_of(const TExpr *place)
{
    while (place->kind == TX_ELEM || place->kind == TX_MEMBER || place->kind == TX_SWIZZLE)
        place = place->a;
    return place->kind == TX_VAR || place->kind == TX_FIELD ? place : NULL;
}

static bool
any_is_active(const Active *a, const TExprs *list)
{
    for (int i = 0; i < list->count; i++)
        if (expr_is_active(a, list->items[i]))
            return true;
    return false;
}

bool
expr_is_active(const Active *a, const TExpr *e)
{
    if (!e || !type_has_float(e->type))
        return false;
    switch (e->kind) {
    case TX_VAR: return a->is_active[e->var->id] && !e->var->is_stopped;
    case TX_ELEM: case TX_MEMBER: case TX_SWIZZLE: case TX_UNARY: case TX_CAST: case TX_SPLAT:
    case TX_BITCAST:
        return expr_is_active(a, e->a);
    case TX_BINARY: return expr_is_active(a, e->a) || expr_is_active(a, e->b);
    case TX_COND: return expr_is_active(a, e->b) || expr_is_active(a, e->c);
    case TX_FMA:
        return expr_is_active(a, e->a) || expr_is_active(a, e->b) || expr_is_active(a, e->c);
    case TX_MAKE: case TX_BUILTIN: return any_is_active(a, &e->args);
    case TX_CALL: return call_is_active(a, e);
    case TX_FIELD: return a->with_fields && e->field->adjoint;
    case TX_PARAM: return a->with_fields && e->param->adjoint;
    case TX_ATOMIC: return expr_is_active(a, e->a) || any_is_active(a, &e->args);
    case TX_ERROR: case TX_CONST: case TX_STRING: case TX_TABLE: case TX_IS_ACTIVE:
    case TX_LENGTH: case TX_APPEND: case TX_EXTENT: case TX_ADDRESS: case TX_CLOCK: case TX_TAKE:
    case TX_MEASURE: case TX_MEMORY: case TX_ACTIVE: case TX_FORMAT:
        return false;
    }
    return false;
}

bool
call_is_active(const Active *a, const TExpr *call)
{
    return any_is_active(a, &call->args) ||
           (a->with_fields && func_touches_fields(a->ad, call->func));
}

/* True when the variable of a place was not active before. */
static bool
mark(Active *a, const TExpr *place)
{
    const TExpr *root = root_of(place);
    if (!root || root->kind != TX_VAR || root->var->is_stopped || !type_has_float(root->type) ||
        a->is_active[root->var->id])
        return false;
    return a->is_active[root->var->id] = true;
}

/* A call with an active argument may make what it is given as a place active. */
static bool
spread_call(Active *a, const TExpr *e)
{
    bool changed = false;
    if (!call_is_active(a, e))
        return false;
    for (int i = 0; i < e->args.count; i++) {
        const Var *p = e->func->params.items[i];
        if (p->mode == PARAM_INOUT || p->type->kind == TYPE_EXTERN)
            changed |= mark(a, e->args.items[i]);
    }
    return changed;
}

static bool
spread_expr(Active *a, const TExpr *e)
{
    if (!e)
        return false;
    bool changed = spread_expr(a, e->a) | spread_expr(a, e->b) | spread_expr(a, e->c);
    for (int i = 0; i < e->args.count; i++)
        changed |= spread_expr(a, e->args.items[i]);
    if (e->kind == TX_APPEND)
        for (int i = 0; i < e->values.count; i++)
            changed |= spread_expr(a, e->values.items[i]);
    if (e->kind == TX_CALL)
        changed |= spread_call(a, e);
    if (e->kind == TX_ATOMIC && any_is_active(a, &e->args))
        changed |= mark(a, e->a);
    return changed;
}

static bool
spread_list(Active *a, const TExprs *list)
{
    bool changed = false;
    for (int i = 0; i < list->count; i++)
        changed |= spread_expr(a, list->items[i]);
    return changed;
}

static bool
spread_stmt(Active *a, const TStmt *st)
{
    bool changed = false;
    if (!st)
        return false;
    for (int i = 0; i < st->stmts.count; i++)
        changed |= spread_stmt(a, st->stmts.items[i]);
    changed |= spread_expr(a, st->value) | spread_expr(a, st->target);
    changed |= spread_list(a, &st->from) | spread_list(a, &st->to) | spread_list(a, &st->step) |
               spread_list(a, &st->args);
    if (st->kind == TS_ASSIGN && expr_is_active(a, st->value))
        changed |= mark(a, st->target);
    if (st->kind == TS_DECL && expr_is_active(a, st->value) && !st->var->is_stopped &&
        !a->is_active[st->var->id])
        changed = a->is_active[st->var->id] = true;
    return changed | spread_stmt(a, st->body) | spread_stmt(a, st->orelse);
}

void
active_spread(Active *a, const TStmts *stmts, const TExpr *value)
{
    bool changed;
    do {
        changed = spread_expr(a, value);
        for (int i = 0; i < stmts->count; i++)
            changed |= spread_stmt(a, stmts->items[i]);
    } while (changed);
}

/* ---- fields ---- */

/* States of functions in Ad.touching. */
static char touches, touches_not;

/* What of a program has been looked at. */
typedef struct {
    VEC(const Func *) seen;
    Arena *arena;
    bool found;
} Touch;

static void touch_stmt(Touch *t, const TStmt *st);

static void
touch_func(Touch *t, const Func *f)
{
    for (int i = 0; i < t->seen.count; i++)
        if (t->seen.items[i] == f)
            return;
    vec_push(t->arena, &t->seen, f);
    touch_stmt(t, f->body);
}

static void
touch_expr(Touch *t, const TExpr *e)
{
    if (!e || t->found)
        return;
    if ((e->kind == TX_FIELD && e->field->adjoint) || (e->kind == TX_PARAM && e->param->adjoint))
        t->found = true;
    if (e->kind == TX_APPEND)
        for (int i = 0; i < e->node->places.count; i++)
            t->found = t->found || e->node->places.items[i].field->adjoint;
    touch_expr(t, e->a);
    touch_expr(t, e->b);
    touch_expr(t, e->c);
    for (int i = 0; i < e->args.count; i++)
        touch_expr(t, e->args.items[i]);
    if (e->kind == TX_APPEND)
        for (int i = 0; i < e->values.count; i++)
            touch_expr(t, e->values.items[i]);
    if (e->kind == TX_CALL && !t->found)
        touch_func(t, e->func);
}

static void
touch_list(Touch *t, const TExprs *list)
{
    for (int i = 0; i < list->count; i++)
        touch_expr(t, list->items[i]);
}

static void
touch_stmt(Touch *t, const TStmt *st)
{
    if (!st || t->found)
        return;
    const bool changes = st->kind == TS_FILL || st->kind == TS_COPY || st->kind == TS_LOAD;
    if (changes && st->field && st->field->adjoint)
        t->found = true;
    for (int i = 0; changes && i < st->fields.count; i++)
        t->found = t->found || st->fields.items[i]->adjoint;
    for (int i = 0; i < st->stmts.count; i++)
        touch_stmt(t, st->stmts.items[i]);
    touch_expr(t, st->value);
    touch_expr(t, st->target);
    touch_list(t, &st->from);
    touch_list(t, &st->to);
    touch_list(t, &st->step);
    touch_list(t, &st->args);
    touch_stmt(t, st->body);
    touch_stmt(t, st->orelse);
}

bool
func_touches_fields(Ad *ad, const Func *f)
{
    const char *key = (const char *)f, *known = map_get(&ad->touching, key);
    if (known)
        return known == &touches;
    Touch t = {.arena = ad->c->scratch};
    touch_func(&t, f);
    map_put(&ad->touching, key, t.found ? &touches : &touches_not);
    return t.found;
}

void
touching_reset(Ad *ad)
{
    map_init(&ad->touching, ad->c->arena);
}
