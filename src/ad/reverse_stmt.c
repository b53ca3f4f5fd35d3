/* Reverse mode of statements. The way ahead goes through them in order, and keeps what a statement
 * overwrites; the way back goes through them from the last to the first, and gives each the values
 * that it found. */
#include "config.h"

#include "ad/inside.h"

static void reverse_one(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back);

/* ---- lists ---- */

static TStmt *
block_of(Ad *ad, TStmts stmts, Span span)
{
    TStmt *block = new_stmt(ad, TS_BLOCK, span);
    block->stmts = stmts;
    return block;
}

/* ---- keeping ---- */

/* Copies a value of any type; arrays element by element. */
void
copy_value(Reverse *r, TExpr *to, TExpr *from)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    const Type *t = to->type;
    if (t->kind != TYPE_ARRAY) {
        forward_assign(f, to, from, to->span);
        return;
    }
    TStmt *loop = new_stmt(ad, TS_RANGE, to->span);
    TExpr *a = new_expr(ad, TX_ELEM, t->elem, to->span),
          *b = new_expr(ad, TX_ELEM, t->elem, to->span);
    a->a = to;
    b->a = from;
    for (int d = 0; d < t->dim_count; d++) {
        Var *i = forward_var(f, VAR_INDEX, "i", type_scalar(ad->p->types, SCALAR_I32), to->span);
        vec_push(ad->c->arena, &loop->vars, i);
        vec_push(ad->c->arena, &loop->from, new_integer(ad, 0, to->span));
        vec_push(ad->c->arena, &loop->to, new_integer(ad, t->dims[d], to->span));
        vec_push(ad->c->arena, &loop->step, NULL);
        vec_push(ad->c->arena, &a->args, new_use(ad, i, to->span));
        vec_push(ad->c->arena, &b->args, new_use(ad, i, to->span));
    }
    loop->body = new_stmt(ad, TS_BLOCK, to->span);
    TStmts *outer = reverse_into(r, &loop->body->stmts);
    forward_assign(f, a, from->kind == TX_CONST ? new_zero(ad, t->elem, to->span) : b, to->span);
    f->out = outer;
    forward_emit(f, loop);
}

/* The value, and then what its indices are. */
static void
keep_on_tape(Reverse *r, TExpr *place, TStmts *ahead, TStmts *back)
{
    TExprs indices = {0};
    for (const TExpr *e = place; e->kind == TX_ELEM || e->kind == TX_MEMBER; e = e->a)
        for (int i = 0; i < e->args.count; i++)
            if (e->args.items[i]->kind == TX_VAR)
                vec_push(r->forward.ad->c->scratch, &indices, e->args.items[i]);
    TStmts *outer = reverse_into(r, ahead);
    tape_keep(r, place);
    for (int i = 0; i < indices.count; i++)
        tape_keep(r, indices.items[i]);
    reverse_into(r, back);
    for (int i = indices.count - 1; i >= 0; i--)
        tape_take(r, indices.items[i]);
    tape_take(r, place);
    r->forward.out = outer;
}

/* Keeps what is at a place, on the way ahead, and gives it back on the way back. Indices of the
 * place must not change. */
void
keep_place(Reverse *r, TExpr *place, TStmts *ahead, TStmts *back)
{
    Ad *ad = r->forward.ad;
    if (r->on_host) {
        keep_on_tape(r, place, ahead, back);
        return;
    }
    Var *kept = reverse_declare(r, "kept", place->type, place->span);
    TStmts *outer = reverse_into(r, ahead);
    copy_value(r, new_use(ad, kept, place->span), place);
    reverse_into(r, back);
    copy_value(r, place, new_use(ad, kept, place->span));
    r->forward.out = outer;
}

/* A place whose indices are computed once, for both ways; the tape keeps them with the value. */
static TExpr *
fix_indices(Reverse *r, TExpr *place, TStmts *ahead)
{
    Ad *ad = r->forward.ad;
    if (place->kind == TX_VAR || place->kind == TX_FIELD)
        return place;
    TExpr *copy = ARENA_NEW(ad->c->bodies, TExpr);
    *copy = *place;
    copy->a = fix_indices(r, place->a, ahead);
    if (place->kind != TX_ELEM || texprs_are_constant(&place->args))
        return copy;
    copy->args = (TExprs){0};
    for (int i = 0; i < place->args.count; i++) {
        TExpr *index = place->args.items[i];
        Var *v = reverse_declare(r, "at", index->type, index->span);
        TExpr *use = new_use(ad, v, index->span);
        TStmts *outer = reverse_into(r, ahead);
        forward_assign(&r->forward, use, index, index->span);
        r->forward.out = outer;
        vec_push(ad->c->arena, &copy->args, use);
    }
    return copy;
}

/* ---- assignments ---- */

/* Adds to what the value depends on; the target is a place of the program that is read. */
void
back_assignment(Reverse *r, const TStmt *st, const TExpr *target, Op op, TStmts *back)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    TStmts list = {0}, made = {0};
    TStmts *outer = reverse_into(r, &list);
    Dual d = {NULL, NULL};
    r->target = op == OP_NONE || op == OP_ADD || op == OP_SUB ? root_of(target) : NULL;
    Dual place = forward_place(f, target);
    r->target = NULL;
    if (place.tangent) {
        if (st->value)
            d = forward_expr(f, st->value);
        TExpr *tangent = d.tangent;
        const bool adds = op == OP_ADD || op == OP_SUB;
        if (op != OP_NONE && !adds)
            tangent = forward_compound(f, op, place, &d);
        reverse_into(r, &made);
        transpose_begin(r, &list);
        TExpr *g = NULL;
        if (!adds)
            g = reverse_take(r, place.tangent);
        else if (tangent)
            g = reverse_read(r, place.tangent);
        if (g && op == OP_SUB)
            g = new_unary(ad, OP_NEG, g);
        if (g)
            g = forward_keep(f, new_cast(ad, target->type, g));
        transpose_end(r, &list, tangent, g);
        reverse_use(r, &made);
        reverse_append(r, back, &made);
    }
    f->out = outer;
}

/* What is assigned, without tangents. */
static void
ahead_assignment(Reverse *r, TExpr *target, const TExpr *value, Op op, Span span)
{
    Forward *f = &r->forward;
    TStmt *st = new_stmt(f->ad, TS_ASSIGN, span);
    st->target = target;
    st->value = forward_value(f, value);
    if (op != OP_SHL && op != OP_SHR)
        st->value = new_cast(f->ad, target->type, st->value);
    st->op = op;
    forward_emit(f, st);
}

static void
assign_to_place(Reverse *r, const TStmt *st, int number, TStmts *ahead, TStmts *back)
{
    Forward *f = &r->forward;
    if (reverse_needs(r, number) && ahead) {
        TStmts *outer = reverse_into(r, ahead);
        TExpr *place = fix_indices(r, forward_place(f, st->target).value, ahead);
        if (back)
            keep_place(r, place, ahead, back);
        ahead_assignment(r, place, st->value, st->op, st->span);
        f->out = outer;
    }
    if (back)
        back_assignment(r, st, st->target, st->op, back);
}

static void
reverse_assignment(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    const TExpr *root = root_of(st->target);
    if (root->kind == TX_VAR && root->var->type->kind == TYPE_EXTERN) {
        reverse_refuse(r, st->span, "a store to an array of the caller", "a field");
        return;
    }
    if (root->kind == TX_VAR && r->is_task && root->var->shared) {
        if (!st->is_reduction)
            reverse_refuse(r, st->span,
                           "a store to a variable from outside of the loop, which "
                           "all iterations share",
                           "a sum");
        if (back)
            back_assignment(r, st, st->target, st->op, back);
        return;
    }
    if (root->kind == TX_VAR) {
        reverse_var(r, root->var);
        assign_to_place(r, st, root->var->id, ahead, back);
        return;
    }
    if (r->on_host) {
        host_store(r, st, ahead, back);
        return;
    }
    /* before the store, the value and the adjoint are those that it found */
    TStmts own = {0};
    if (back)
        back_assignment(r, st, st->target, st->op, &own);
    const FieldUse *u = &r->uses[root->field->id];
    bool *has_stored = &r->has_stored[root->field->id];
    const bool is_held = r->is_task && !u->is_moving && !u->is_added;
    const bool before = *has_stored;
    *has_stored = true;
    if (is_held && reverse_needs(r, field_number(r, root->field))) {
        TStmts *outer = reverse_into(r, ahead);
        TExpr *place = fix_indices(r, forward_place(&r->forward, st->target).value, ahead);
        if (back)
            keep_place(r, place, ahead, back);
        *has_stored = before;
        const TExpr *value = st->value;
        ahead_assignment(r, place, value, st->op, st->span);
        *has_stored = true;
        r->forward.out = outer;
    }
    if (back)
        reverse_append(r, back, &own);
}

/* ---- declarations ---- */

/* A statement of its own for each element of an array. */
static void
reverse_elements(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    Ad *ad = r->forward.ad;
    TStmts list = {0};
    for (int i = 0; i < st->value->args.count; i++) {
        TStmt *one = new_stmt(ad, TS_ASSIGN, st->span);
        one->target = element_number(ad, new_use(ad, st->var, st->span), i);
        one->value = st->value->args.items[i];
        vec_push(ad->c->arena, &list, one);
    }
    reverse_stmts(r, &list, ahead, back);
}

static void
reverse_decl(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    Var *v = reverse_var(r, st->var);
    const bool is_array = v->type->kind == TYPE_ARRAY;
    if (is_array && st->value && st->value->kind == TX_MAKE) {
        reverse_elements(r, st, ahead, back);
        return;
    }
    if (r->on_host && back && reverse_needs(r, st->var->id))
        keep_place(r, new_use(ad, v, st->span), ahead, back);
    TStmts *outer = reverse_into(r, ahead);
    f->is_stopped = st->var->is_stopped;
    if (ahead && reverse_needs(r, st->var->id)) {
        if (!st->value || st->value->kind == TX_CONST)
            copy_value(r, new_use(ad, v, st->span),
                       st->value ? (TExpr *)st->value : new_zero(ad, v->type, st->span));
        else
            forward_assign(f, new_use(ad, v, st->span), forward_value(f, st->value), st->span);
    }
    f->is_stopped = false;
    f->out = outer;
    Var *adjoint = f->tangents[st->var->id];
    if (!back || !adjoint)
        return;
    if (is_array || !st->value) {
        outer = reverse_into(r, back);
        copy_value(r, new_use(ad, adjoint, st->span), new_zero(ad, v->type, st->span));
        f->out = outer;
        return;
    }
    TExpr *target = new_use(ad, st->var, st->span);
    back_assignment(r, st, target, OP_NONE, back);
}

/* ---- calls that change something ---- */

static bool
gives_places(const TExpr *e)
{
    for (int i = 0; e && e->kind == TX_CALL && i < e->args.count; i++)
        if (e->func->params.items[i]->mode == PARAM_INOUT ||
            e->func->params.items[i]->type->kind == TYPE_EXTERN)
            return true;
    return false;
}

/* The way ahead through a call: what it changes is kept. */
static void
ahead_call(Reverse *r, const TExpr *e, const TExpr *target, TStmts *ahead, TStmts *back)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    bool is_needed = target && reverse_needs(r, root_of(target)->var->id);
    for (int i = 0; i < e->args.count; i++) {
        const TExpr *root = root_of(e->args.items[i]);
        if (e->func->params.items[i]->mode == PARAM_INOUT && root->kind == TX_VAR)
            is_needed = is_needed || reverse_needs(r, root->var->id);
    }
    if (!is_needed)
        return;
    Effect effect = func_effect(ad, e->func);
    if (effect.what)
        reverse_refuse(r, e->span,
                       arena_printf(ad->c->arena,
                                    "a call of '%s', which %s and gives what is "
                                    "needed on the way back",
                                    e->func->name, effect.what),
                       "one function for what it gives and one for what it does");
    TStmts *outer = reverse_into(r, ahead);
    TExpr *call = new_expr(ad, TX_CALL, e->type, e->span);
    call->func = e->func;
    for (int i = 0; i < e->args.count; i++) {
        const bool is_place = e->func->params.items[i]->mode == PARAM_INOUT;
        TExpr *arg = is_place ? fix_indices(r, forward_place(f, e->args.items[i]).value, ahead)
                              : forward_value(f, e->args.items[i]);
        if (is_place && back)
            keep_place(r, arg, ahead, back);
        vec_push(ad->c->arena, &call->args, arg);
    }
    if (target) {
        TExpr *place = forward_place(f, target).value;
        if (back)
            keep_place(r, place, ahead, back);
        forward_assign(f, place, call, e->span);
    } else {
        TStmt *made = new_stmt(ad, TS_EXPR, e->span);
        made->value = call;
        forward_emit(f, made);
    }
    f->out = outer;
}

/* The arguments of a call with their tangents; a '1' in the mask for each that has one. */
static Dual *
call_arguments(Reverse *r, const TExpr *e, char *mask, bool *is_active)
{
    Forward *f = &r->forward;
    Dual *args = ARENA_ARRAY(f->ad->c->scratch, Dual, e->args.count);
    *is_active = f->active->with_fields && func_touches_fields(f->ad, e->func);
    for (int i = 0; i < e->args.count; i++) {
        const bool is_place = e->func->params.items[i]->mode == PARAM_INOUT;
        args[i] = is_place ? forward_place(f, e->args.items[i]) : forward_expr(f, e->args.items[i]);
        args[i].value = is_place ? args[i].value : forward_keep(f, args[i].value);
        mask[i] = args[i].tangent ? '1' : '0';
        *is_active = *is_active || args[i].tangent;
        if (is_place && args[i].tangent && root_of(args[i].tangent)->kind == TX_FIELD)
            reverse_refuse(r, e->span,
                           "an element of a field that a function changes as an inout argument",
                           "a variable");
    }
    return args;
}

/* What the adjoint of an argument is added to: itself, where the function changes it. */
static TExpr *
argument_adjoint(Reverse *r, const TExpr *e, int i, TExpr *tangent)
{
    Forward *f = &r->forward;
    if (e->func->params.items[i]->mode == PARAM_INOUT)
        return tangent;
    Var *v = forward_var(f, VAR_LOCAL, "da", e->args.items[i]->type, e->span);
    v->is_mutable = true;
    forward_declare(f, v, new_zero(f->ad, v->type, e->span), e->span);
    return new_use(f->ad, v, e->span);
}

/* Calls the adjoint of the function. */
static void
emit_back_call(Reverse *r, const TExpr *e, const Dual *args, const char *mask, TExpr *place)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    TExpr *call = new_expr(ad, TX_CALL, type_void(ad->p->types), e->span);
    TExpr **adjoints = ARENA_ARRAY(ad->c->scratch, TExpr *, e->args.count);
    for (int i = 0; i < e->args.count; i++)
        vec_push(ad->c->arena, &call->args, args[i].value);
    if (type_has_float(e->type))
        vec_push(ad->c->arena, &call->args,
                 place ? new_cast(ad, e->type, reverse_take(r, place))
                       : new_zero(ad, e->type, e->span));
    for (int i = 0; i < e->args.count; i++)
        if (mask[i] == '1') {
            adjoints[i] = argument_adjoint(r, e, i, args[i].tangent);
            vec_push(ad->c->arena, &call->args, adjoints[i]);
        }
    call->func = reverse_func(f->active, e->func, mask, e->span);
    if (!call->func)
        return;
    TStmt *st = new_stmt(ad, TS_EXPR, e->span);
    st->value = call;
    forward_emit(f, st);
    for (int i = e->args.count - 1; i >= 0; i--)
        if (mask[i] == '1' && e->func->params.items[i]->mode != PARAM_INOUT)
            transpose_tangent(r, args[i].tangent, adjoints[i]);
}

static void
back_call(Reverse *r, const TExpr *e, const TExpr *target, TStmts *back)
{
    Forward *f = &r->forward;
    TStmts list = {0}, made = {0};
    TStmts *outer = reverse_into(r, &list);
    char *mask = arena_alloc(f->ad->c->scratch, (size_t)e->args.count + 1);
    bool is_active;
    Dual *args = call_arguments(r, e, mask, &is_active);
    mask[e->args.count] = 0;
    TExpr *place = target ? forward_place(f, target).tangent : NULL;
    reverse_into(r, &made);
    if (is_active || place) {
        transpose_begin(r, &list);
        if (is_active)
            emit_back_call(r, e, args, mask, place);
        else
            reverse_take(r, place);
        transpose_end(r, &list, NULL, NULL);
        reverse_use(r, &made);
        reverse_append(r, back, &made);
    }
    f->out = outer;
}

static void
reverse_call_stmt(Reverse *r, const TExpr *e, const TExpr *target, TStmts *ahead, TStmts *back)
{
    if (!e->func->body) {
        reverse_refuse(r, e->span, "a call of an extern function that changes its arguments", NULL);
        return;
    }
    for (int i = 0; i < e->args.count; i++)
        if (e->func->params.items[i]->type->kind == TYPE_EXTERN ||
            e->args.items[i]->type->kind == TYPE_ARRAY)
            reverse_refuse(r, e->span, "an array that is given to a function",
                           "a struct or matrix");
    if (target)
        reverse_var(r, root_of(target)->var);
    Ad *ad = r->forward.ad;
    bool *is_stored = ARENA_ARRAY(ad->c->scratch, bool, ad->p->fields.count);
    reverse_enter(r, e, is_stored);
    ahead_call(r, e, target, ahead, back);
    if (back)
        back_call(r, e, target, back);
    for (int i = 0; r->has_stored && i < ad->p->fields.count; i++)
        r->has_stored[i] = r->has_stored[i] || is_stored[i];
}

/* ---- conditions ---- */

static void
reverse_if(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    TStmts on[2] = {{0}, {0}}, off[2] = {{0}, {0}};
    const TStmt *sides[2] = {st->body, st->orelse};
    for (int side = 0; side < 2; side++)
        if (sides[side])
            reverse_one(r, sides[side], &on[side], back ? &off[side] : NULL);
    const bool goes_back = off[0].count || off[1].count;
    if (!on[0].count && !on[1].count && !goes_back)
        return;
    Var *taken = reverse_declare(r, "taken", st->value->type, st->span);
    TExpr *use = new_use(ad, taken, st->span);
    TStmts *outer = reverse_into(r, ahead);
    TExpr *cond = forward_value(f, st->value);
    if (goes_back)
        reverse_use_source(r, st->value);
    forward_assign(f, use, cond, st->span);
    TStmt *made = new_stmt(ad, TS_IF, st->span);
    made->value = use;
    made->body = block_of(ad, on[0], st->span);
    made->orelse = block_of(ad, on[1], st->span);
    if (on[0].count || on[1].count)
        forward_emit(f, made);
    if (r->on_host && goes_back)
        tape_keep(r, use);
    if (goes_back) {
        reverse_into(r, back);
        if (r->on_host)
            tape_take(r, use);
        TStmt *reversed = new_stmt(ad, TS_IF, st->span);
        reversed->value = use;
        reversed->body = block_of(ad, off[0], st->span);
        reversed->orelse = block_of(ad, off[1], st->span);
        forward_emit(f, reversed);
    }
    f->out = outer;
}

/* ---- all of them ---- */

static void
reverse_effect(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    const TExpr *e = st->value;
    if (e->kind == TX_CALL) {
        reverse_call_stmt(r, e, NULL, ahead, back);
        return;
    }
    if (e->kind != TX_ATOMIC) {
        if (e->kind == TX_APPEND)
            reverse_refuse(r, st->span, "'append'", "jvp { … }");
        return;
    }
    if (!expr_is_active(r->forward.active, e->a)) {
        if (root_of(e->a)->kind == TX_FIELD)
            r->has_stored[root_of(e->a)->field->id] = true;
        return;
    }
    if (e->atomic != ATOMIC_ADD && e->atomic != ATOMIC_SUB) {
        diag_fix(diag(r->forward.ad->c, E0703, e->span,
                      "'atomic_%s' of what a derivative goes through has no derivative here",
                      atomic_name(e->atomic)),
                 "an if around an assignment, where no other iteration reaches the place");
        return;
    }
    TStmt *sum = new_stmt(r->forward.ad, TS_ASSIGN, st->span);
    sum->target = e->a;
    sum->value = e->args.items[0];
    sum->op = e->atomic == ATOMIC_ADD ? OP_ADD : OP_SUB;
    sum->is_atomic = e->is_shared;
    sum->is_reduction = e->reduction;
    reverse_assignment(r, sum, ahead, back);
}

static void
reverse_return(Reverse *r, const TStmt *st, TStmts *back)
{
    Forward *f = &r->forward;
    if (!st->value || !back || !r->result)
        return;
    TStmts list = {0}, made = {0}, *outer = reverse_into(r, &list);
    Dual d = forward_expr(f, st->value);
    reverse_into(r, &made);
    transpose_begin(r, &list);
    transpose_end(r, &list, d.tangent, new_use(f->ad, r->result, st->span));
    reverse_use(r, &made);
    reverse_append(r, back, &made);
    f->out = outer;
}

static void
reverse_one(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    const TExpr *call = (st->kind == TS_DECL || st->kind == TS_ASSIGN) && gives_places(st->value)
                            ? st->value
                            : NULL;
    if (call &&
        root_of(st->kind == TS_DECL ? new_use(r->forward.ad, st->var, st->span) : st->target)
                ->kind == TX_VAR &&
        (st->kind == TS_DECL || st->op == OP_NONE)) {
        reverse_call_stmt(
            r, call, st->kind == TS_DECL ? new_use(r->forward.ad, st->var, st->span) : st->target,
            ahead, back);
        return;
    }
    switch (st->kind) {
    case TS_BLOCK: reverse_stmts(r, &st->stmts, ahead, back); break;
    case TS_DECL: reverse_decl(r, st, ahead, back); break;
    case TS_ASSIGN: reverse_assignment(r, st, ahead, back); break;
    case TS_EXPR: reverse_effect(r, st, ahead, back); break;
    case TS_IF: reverse_if(r, st, ahead, back); break;
    case TS_WHILE:
    case TS_RANGE:
    case TS_CELLS: reverse_loop(r, st, ahead, back); break;
    case TS_RETURN: reverse_return(r, st, back); break;
    case TS_PRINT:
    case TS_ASSERT: break;
    case TS_ACTIVATE:
    case TS_DEACTIVATE:
    case TS_DEACTIVATE_ALL:
        reverse_refuse(r, st->span, "what changes which cells are active", "jvp { … }");
        break;
    case TS_BREAK:
    case TS_CONTINUE:
    case TS_DIFF:
    case TS_DERIVE: break; /* taken apart before */
    case TS_CREATE:
    case TS_DESTROY:
    case TS_TRIM:
    case TS_FILL:
    case TS_COPY:
    case TS_SWAP:
    case TS_SAVE:
    case TS_LOAD:
    case TS_IMAGE:
    case TS_KEEP:
    case TS_TAKE: break; /* of hosts */
    }
}

void
reverse_stmts(Reverse *r, const TStmts *stmts, TStmts *ahead, TStmts *back)
{
    Ad *ad = r->forward.ad;
    VEC(TStmts) pieces = {0};
    for (int i = 0; i < stmts->count; i++) {
        TStmts piece = {0};
        if (r->on_host)
            host_stmt(r, stmts->items[i], ahead, back ? &piece : NULL);
        else
            reverse_one(r, stmts->items[i], ahead, back ? &piece : NULL);
        vec_push(ad->c->scratch, &pieces, piece);
    }
    for (int i = pieces.count - 1; i >= 0; i--)
        if (pieces.items[i].count)
            vec_push(ad->c->arena, back, block_of(ad, pieces.items[i], stmts->items[i]->span));
}

void
reverse_statement(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    reverse_one(r, st, ahead, back);
}
