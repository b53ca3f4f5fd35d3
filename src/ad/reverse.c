/* What reverse mode is made of: adding to adjoints, values that the way back needs, and calls. */
#include "config.h"

#include "ad/inside.h"

void
reverse_refuse(Reverse *r, Span at, const char *what, const char *instead)
{
    if (r->is_trial)
        return;
    Diag *d = diag(r->forward.ad->c, E0706, at, "reverse mode does not take back %s", what);
    if (r->block)
        diag_note(d, r->block->span, "the block is here");
    if (instead)
        diag_fix(d, "%s", instead);
}

TStmts *
reverse_into(Reverse *r, TStmts *list)
{
    TStmts *outer = r->forward.out;
    r->forward.out = list;
    return outer;
}

void
reverse_append(Reverse *r, TStmts *to, const TStmts *from)
{
    for (int i = 0; i < from->count; i++)
        vec_push(r->forward.ad->c->arena, to, from->items[i]);
}

/* ---- what the way back needs ---- */

static void
use_expr(Reverse *r, const TExpr *e)
{
    if (!e)
        return;
    if (e->kind == TX_VAR) {
        const char *origin = map_get(&r->origins, (const char *)e->var);
        if (origin)
            r->is_used[origin - (const char *)NULL - 1] = true;
    }
    use_expr(r, e->a);
    use_expr(r, e->b);
    use_expr(r, e->c);
    for (int i = 0; i < e->args.count; i++)
        use_expr(r, e->args.items[i]);
}

static void
use_list(Reverse *r, const TExprs *list)
{
    for (int i = 0; i < list->count; i++)
        use_expr(r, list->items[i]);
}

void
reverse_use_source(Reverse *r, const TExpr *e)
{
    if (!e)
        return;
    if (e->kind == TX_VAR)
        r->is_used[e->var->id] = true;
    if (e->kind == TX_FIELD && !r->on_host)
        r->is_used[field_number(r, e->field)] = true;
    reverse_use_source(r, e->a);
    reverse_use_source(r, e->b);
    reverse_use_source(r, e->c);
    for (int i = 0; i < e->args.count; i++)
        reverse_use_source(r, e->args.items[i]);
}

void
reverse_use(Reverse *r, const TStmts *stmts)
{
    for (int i = 0; i < stmts->count; i++) {
        const TStmt *st = stmts->items[i];
        use_expr(r, st->value);
        use_expr(r, st->target);
        use_list(r, &st->from);
        use_list(r, &st->to);
        use_list(r, &st->step);
        use_list(r, &st->args);
        reverse_use(r, &st->stmts);
        if (st->body)
            reverse_use(r, &st->body->stmts);
        if (st->orelse)
            reverse_use(r, &st->orelse->stmts);
    }
}

void
reverse_origin(Reverse *r, const Var *made, int id)
{
    map_put(&r->origins, (const char *)made, (char *)NULL + id + 1);
}

bool
reverse_needs(const Reverse *r, int id)
{
    return r->is_trial || r->on_host || r->is_needed[id];
}

int
field_number(const Reverse *r, const Field *f)
{
    return r->from->vars.count + f->id;
}

/* ---- variables ---- */

/* Declares a variable where both ways see it. */
Var *
reverse_declare(Reverse *r, const char *name, const Type *type, Span span)
{
    Forward *f = &r->forward;
    Var *v = forward_var(f, VAR_LOCAL, name, type, span);
    TStmts *outer = f->out;
    v->is_mutable = true;
    f->out = r->top;
    forward_declare(f, v, type->kind == TYPE_ARRAY ? NULL : new_zero(f->ad, type, span), span);
    f->out = outer;
    return v;
}

/* What stands for a variable that is read, and for its adjoint. */
Var *
reverse_var(Reverse *r, const Var *v)
{
    Forward *f = &r->forward;
    if (f->values[v->id])
        return f->values[v->id];
    f->values[v->id] = reverse_declare(r, v->name, v->type, v->span);
    reverse_origin(r, f->values[v->id], v->id);
    if (f->active->is_active[v->id] && !v->is_stopped) {
        const char *name = arena_printf(f->ad->c->arena, "d%s", v->name);
        f->tangents[v->id] = reverse_declare(r, name, v->type, v->span);
        f->tangents[v->id]->is_tangent = true;
    }
    return f->values[v->id];
}

/* ---- elements that an iteration holds ---- */

static const TExpr *
without_cast(const TExpr *e)
{
    while (e->kind == TX_CAST && type_is_integer(e->a->type))
        e = e->a;
    return e;
}

bool
is_same_index(const TExpr *a, const TExpr *b)
{
    a = without_cast(a);
    b = without_cast(b);
    if (a->kind == TX_CONST && b->kind == TX_CONST)
        return a->value.leaves[0].i == b->value.leaves[0].i;
    return a->kind == TX_VAR && b->kind == TX_VAR && a->var == b->var && a->var->kind == VAR_INDEX;
}

bool
is_same_element(const TExpr *a, const TExpr *b)
{
    if (!a || !b || a->field != b->field)
        return false;
    for (int i = 0; i < a->args.count; i++)
        if (!is_same_index(a->args.items[i], b->args.items[i]))
            return false;
    return true;
}

TExpr *
reverse_held(Reverse *r, const TExpr *e)
{
    const Field *f = e->field;
    if (!r->has_stored || !r->has_stored[f->id])
        return NULL;
    const FieldUse *u = &r->uses[f->id];
    if (r->is_task && !u->is_moving && !u->is_added && is_same_element(e, u->stored)) {
        Var **held = &r->held[f->id];
        if (!*held) {
            *held = reverse_declare(r, f->name, f->type, e->span);
            reverse_origin(r, *held, field_number(r, f));
        }
        return new_use(r->forward.ad, *held, e->span);
    }
    if (e == r->target)
        return NULL;
    reverse_refuse(r, e->span,
                   arena_printf(r->forward.ad->c->arena,
                                "what reads '%s' where the same loop or function has stored to it "
                                "at other indices",
                                f->name),
                   "a loop of its own for what reads it, or a local variable");
    return NULL;
}

/* ---- adding ---- */

/* What stands for an adjoint of all iterations: a variable that they add up. */
static Var *
sum_of(Reverse *r, const TExpr *root)
{
    if (root->kind == TX_VAR)
        return NULL;
    if (!r->is_task || root->field->axis_count)
        return NULL;
    Var **sum = &r->sums[root->field->id];
    if (!*sum) {
        *sum =
            forward_var(&r->forward, VAR_LOCAL, root->field->name, root->field->type, root->span);
        (*sum)->is_mutable = (*sum)->kernel_level = (*sum)->shared = true;
    }
    return *sum;
}

/* The place with another root. */
static TExpr *
with_root(Ad *ad, const TExpr *place, TExpr *root)
{
    if (place->kind == TX_VAR || place->kind == TX_FIELD)
        return root;
    TExpr *copy = ARENA_NEW(ad->c->bodies, TExpr);
    *copy = *place;
    copy->a = with_root(ad, place->a, root);
    return copy;
}

static const FieldUse *
use_of_adjoint(const Reverse *r, const Field *adjoint)
{
    return r->uses && adjoint->primal ? &r->uses[adjoint->primal->id] : NULL;
}

/* May other iterations reach the same element? */
static bool
is_shared(const Reverse *r, const TExpr *root)
{
    const FieldUse *u = use_of_adjoint(r, root->field);
    return r->on_host ? false : !r->is_task || !u || u->is_far;
}

static bool
is_in_cells_of_loop(const Reverse *r, const TExpr *element)
{
    const FieldUse *u = use_of_adjoint(r, element->field);
    return r->loop && r->loop->kind == TS_CELLS && element->field->primal &&
           r->loop->node == element->field->primal->node && u && !u->is_far;
}

static TExpr *
wide(Ad *ad, int64_t value, Span span)
{
    TExpr *e = new_zero(ad, type_scalar(ad->p->types, SCALAR_I64), span);
    e->value.leaves[0].i = value;
    return e;
}

static TExpr *
extent_of(Ad *ad, Field *f, int axis, Span span)
{
    if (f->extents[axis])
        return wide(ad, f->extents[axis], span);
    TExpr *e = new_expr(ad, TX_EXTENT, type_scalar(ad->p->types, SCALAR_I64), span);
    e->field = f;
    e->axis = axis;
    return e;
}

/* The index that a read with a boundary mode is of, or NULL and a condition under which it is the
 * one at hand. */
static TExpr *
boundary_index(Reverse *r, Field *f, int axis, TExpr *index, TExpr **inside)
{
    Ad *ad = r->forward.ad;
    const Span at = index->span;
    const Type *i64 = type_scalar(ad->p->types, SCALAR_I64);
    TExpr *n = extent_of(ad, f, axis, at), *lo = wide(ad, f->offsets[axis], at);
    TExpr *i = forward_keep(&r->forward, new_binary(ad, OP_SUB, new_cast(ad, i64, index), lo));
    TExpr *zero = wide(ad, 0, at), *last = new_binary(ad, OP_SUB, n, wide(ad, 1, at));
    if (f->boundary == BOUNDARY_AMBIENT) {
        TExpr *test =
            new_binary(ad, OP_LAND, new_binary(ad, OP_GE, i, zero), new_binary(ad, OP_LT, i, n));
        *inside = *inside ? new_binary(ad, OP_LAND, *inside, test) : test;
        return index;
    }
    if (f->boundary == BOUNDARY_CLAMP) {
        i = new_call(ad, BUILTIN_MAX, i64, i, zero);
        i = new_call(ad, BUILTIN_MIN, i64, i, last);
    } else if (f->boundary == BOUNDARY_PERIODIC) {
        i = new_call(ad, BUILTIN_FLOORMOD, i64, i, n);
    } else {
        TExpr *twice = new_binary(ad, OP_ADD, n, n);
        i = forward_keep(&r->forward, new_call(ad, BUILTIN_FLOORMOD, i64, i, twice));
        TExpr *mirrored = new_binary(ad, OP_SUB, new_binary(ad, OP_SUB, twice, wide(ad, 1, at)), i);
        i = new_choice(ad, new_binary(ad, OP_LT, i, n), i, mirrored);
    }
    return new_binary(ad, OP_ADD, i, lo);
}

/* The element of an adjoint that a read of the primal at these indices is of. */
static TExpr *
element_read(Reverse *r, const TExpr *element, TExpr **inside)
{
    Ad *ad = r->forward.ad;
    Field *f = element->field;
    TExpr *copy = ARENA_NEW(ad->c->bodies, TExpr);
    *copy = *element;
    if (f->boundary == BOUNDARY_NONE || is_in_cells_of_loop(r, element))
        return copy;
    copy->args = (TExprs){0};
    for (int i = 0; i < element->args.count; i++)
        vec_push(ad->c->arena, &copy->args,
                 boundary_index(r, f, i, element->args.items[i], inside));
    return copy;
}

/* Is every node on the way to a field dense? */
bool
field_is_dense(const Field *f)
{
    for (int leaf = 0; leaf < f->type->leaf_count; leaf++)
        for (const Node *n = f->leaves[leaf].node; n; n = n->parent)
            if (n->kind != NODE_DENSE)
                return false;
    return true;
}

static void
emit_add(Reverse *r, TExpr *place, TExpr *value, bool is_atomic, bool is_reduction)
{
    TStmt *st = new_stmt(r->forward.ad, TS_ASSIGN, value->span);
    st->target = place;
    st->op = OP_ADD;
    st->value = new_cast(r->forward.ad, place->type, value);
    st->is_atomic = is_atomic;
    st->is_reduction = is_reduction;
    forward_emit(&r->forward, st);
}

/* Components of a place, one by one. */
static void
add_components(Reverse *r, const TExpr *place, TExpr *value)
{
    Ad *ad = r->forward.ad;
    for (int i = 0; i < place->swizzle_count; i++)
        reverse_add(
            r, new_element(ad, place->a, new_integer(ad, place->swizzle[i], place->span), NULL),
            new_component(ad, value, i));
}

/* The members of a struct and the elements of an array, one by one. */
static void
add_parts(Reverse *r, const TExpr *place, TExpr *value)
{
    Ad *ad = r->forward.ad;
    const Type *t = place->type;
    TExpr *to = (TExpr *)place;
    if (t->kind == TYPE_STRUCT) {
        for (int i = 0; i < t->member_count; i++)
            if (type_has_float(t->members[i].type))
                reverse_add(r, new_member(ad, to, i), new_member(ad, value, i));
        return;
    }
    int64_t count = 1;
    for (int d = 0; d < t->dim_count; d++)
        count *= t->dims[d];
    for (int64_t i = 0; i < count; i++)
        reverse_add(r, element_number(ad, to, i), element_number(ad, value, i));
}

void
reverse_add(Reverse *r, const TExpr *place, TExpr *value)
{
    Ad *ad = r->forward.ad;
    Forward *f = &r->forward;
    const TExpr *root = root_of(place);
    if (place->kind == TX_SWIZZLE) {
        add_components(r, place, value);
        return;
    }
    if (place->type->kind == TYPE_STRUCT || place->type->kind == TYPE_ARRAY) {
        add_parts(r, place, value);
        return;
    }
    Var *sum = sum_of(r, root);
    if (sum || root->kind == TX_VAR) {
        const bool is_sum = sum || root->var->shared;
        TExpr *to = sum ? with_root(ad, place, new_use(ad, sum, root->span)) : (TExpr *)place;
        emit_add(r, to, value, false, is_sum);
        return;
    }
    if (!field_is_dense(root->field) && !is_in_cells_of_loop(r, root)) {
        const Field *primal = root->field->primal ? root->field->primal : root->field;
        reverse_refuse(r, place->span,
                       arena_printf(ad->c->arena,
                                    "what reads '%s', which lies in a sparse node, elsewhere than "
                                    "in the cell of its loop",
                                    primal->name),
                       "a dense layout, or jvp { … }");
        return;
    }
    TExpr *inside = NULL, *element = element_read(r, root, &inside);
    TStmts *outer = f->out;
    TStmt *st = NULL;
    if (inside) {
        st = new_stmt(ad, TS_IF, place->span);
        st->value = inside;
        st->body = new_stmt(ad, TS_BLOCK, place->span);
        f->out = &st->body->stmts;
    }
    emit_add(r, with_root(ad, place, element), value, is_shared(r, root), false);
    f->out = outer;
    if (st)
        forward_emit(f, st);
}

/* The value that an element of an adjoint had, which becomes 0, in one step. */
static TExpr *
exchange_for_zero(Reverse *r, const TExpr *place)
{
    Ad *ad = r->forward.ad;
    if (place->type->kind == TYPE_SCALAR) {
        TExpr *e = new_expr(ad, TX_ATOMIC, place->type, place->span);
        e->atomic = ATOMIC_EXCHANGE;
        e->is_shared = true;
        e->a = (TExpr *)place;
        vec_push(ad->c->arena, &e->args, new_zero(ad, place->type, place->span));
        return forward_keep(&r->forward, e);
    }
    TExprs parts = {0};
    if (place->type->kind == TYPE_STRUCT)
        for (int i = 0; i < place->type->member_count; i++)
            vec_push(ad->c->arena, &parts, exchange_for_zero(r, new_member(ad, (TExpr *)place, i)));
    else
        for (int i = 0; i < place->type->leaf_count; i++)
            vec_push(ad->c->arena, &parts,
                     exchange_for_zero(r, new_component(ad, (TExpr *)place, i)));
    return new_make(ad, place->type, parts, place->span);
}

/* A copy of the value at a place. */
TExpr *
reverse_read(Reverse *r, const TExpr *place)
{
    Forward *f = &r->forward;
    Var *v = forward_var(f, VAR_LOCAL, "g", place->type, place->span);
    v->is_let = true;
    forward_declare(f, v, (TExpr *)place, place->span);
    return new_use(f->ad, v, place->span);
}

TExpr *
reverse_take(Reverse *r, const TExpr *place)
{
    Ad *ad = r->forward.ad;
    const TExpr *root = root_of(place);
    if (place->kind == TX_SWIZZLE) {
        TExprs parts = {0};
        for (int i = 0; i < place->swizzle_count; i++) {
            TExpr *at = new_integer(ad, place->swizzle[i], place->span);
            vec_push(ad->c->arena, &parts, reverse_take(r, new_element(ad, place->a, at, NULL)));
        }
        return forward_keep(&r->forward, new_make(ad, place->type, parts, place->span));
    }
    if (root->kind == TX_FIELD && is_shared(r, root))
        return forward_keep(&r->forward, exchange_for_zero(r, place));
    TExpr *g = reverse_read(r, place);
    forward_assign(&r->forward, (TExpr *)place, new_zero(ad, place->type, place->span),
                   place->span);
    return g;
}

/* ---- calls ---- */

void
reverse_enter(Reverse *r, const TExpr *call, bool *is_stored)
{
    Ad *ad = r->forward.ad;
    const int count = ad->p->fields.count;
    bool *is_read = ARENA_ARRAY(ad->c->scratch, bool, count);
    if (!r->has_stored || !call->func->body)
        return;
    func_fields(ad, call->func, is_read, is_stored);
    for (int i = 0; i < count; i++)
        if (is_read[i] && r->has_stored[i])
            reverse_refuse(r, call->span,
                           arena_printf(ad->c->arena,
                                        "a call of '%s', which reads '%s' where the same loop or "
                                        "function has stored to it",
                                        call->func->name, ad->p->fields.items[i]->name),
                           "a loop of its own for what reads it");
}

Dual
reverse_of_call(Reverse *r, const TExpr *e)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    TExpr *call = new_expr(ad, TX_CALL, e->type, e->span),
          *marker = new_expr(ad, TX_CALL, e->type, e->span);
    bool is_active = f->active->with_fields && func_touches_fields(ad, e->func);
    call->func = marker->func = e->func;
    reverse_enter(r, e, ARENA_ARRAY(ad->c->scratch, bool, ad->p->fields.count));
    if (e->func->body) {
        Effect effect = func_effect(ad, e->func);
        if (effect.what)
            reverse_refuse(r, e->span,
                           arena_printf(ad->c->arena,
                                        "a call of '%s', which %s, inside of an "
                                        "expression",
                                        e->func->name, effect.what),
                           "a statement of its own");
    }
    for (int i = 0; i < e->args.count; i++) {
        const Var *p = e->func->params.items[i];
        if (p->mode == PARAM_INOUT || p->type->kind == TYPE_EXTERN)
            reverse_refuse(r, e->span, "an inout argument or an array of the caller",
                           "a func that returns what it computes");
        Dual d = forward_expr(f, e->args.items[i]);
        d.value = forward_keep(f, d.value);
        vec_push(ad->c->arena, &call->args, d.value);
        vec_push(ad->c->arena, &marker->args, d.value);
        vec_push(ad->c->arena, &marker->values, d.tangent);
        is_active = is_active || d.tangent;
    }
    TExpr *value = forward_keep(f, call);
    if (!is_active || f->only_values || !type_has_float(e->type))
        return (Dual){value, NULL};
    if (!e->func->body) {
        diag_fix(diag(ad->c, E0703, e->span,
                      "'%s' is an extern function: its derivative is not known", e->func->name),
                 "a func of the same values; or stop(…) around what is constant");
        return (Dual){value, NULL};
    }
    Var *tangent = forward_var(f, VAR_LOCAL, "dr", e->type, e->span);
    tangent->is_tangent = true;
    forward_declare(f, tangent, marker, e->span);
    return (Dual){value, new_use(ad, tangent, e->span)};
}

void
reverse_call(Reverse *r, const TStmt *st)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    const TExpr *e = st->value;
    char *mask = arena_alloc(ad->c->scratch, (size_t)e->args.count + 1);
    Var **adjoints = ARENA_ARRAY(ad->c->scratch, Var *, e->args.count);
    TExpr *call = new_expr(ad, TX_CALL, type_void(ad->p->types), e->span);
    for (int i = 0; i < e->args.count; i++) {
        mask[i] = e->values.items[i] ? '1' : '0';
        vec_push(ad->c->arena, &call->args, e->args.items[i]);
    }
    mask[e->args.count] = 0;
    vec_push(ad->c->arena, &call->args, new_use(ad, st->var, st->span));
    for (int i = 0; i < e->args.count; i++) {
        if (mask[i] == '0')
            continue;
        adjoints[i] = forward_var(f, VAR_LOCAL, "da", e->args.items[i]->type, e->span);
        adjoints[i]->is_mutable = true;
        forward_declare(f, adjoints[i], new_zero(ad, adjoints[i]->type, e->span), e->span);
        vec_push(ad->c->arena, &call->args, new_use(ad, adjoints[i], e->span));
    }
    call->func = reverse_func(f->active, e->func, mask, e->span);
    if (!call->func)
        return;
    TStmt *made = new_stmt(ad, TS_EXPR, e->span);
    made->value = call;
    forward_emit(f, made);
    for (int i = e->args.count - 1; i >= 0; i--)
        if (mask[i] == '1')
            transpose_tangent(r, e->values.items[i], new_use(ad, adjoints[i], e->span));
}
