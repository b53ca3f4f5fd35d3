/* Reverse mode of host code. Calls of kernels and of host functions are taken apart where they
 * stand; parallel loops become kernels of their own, whole fields go on the tape before they are
 * overwritten. */
#include "config.h"

#include "ad/inside.h"

enum { DEPTH_MOST = 64 };

static void
emit_to(Reverse *r, TStmts *list, TStmt *st)
{
    vec_push(r->forward.ad->c->arena, list, st);
}

static TExpr *
use(Reverse *r, Var *v, Span span)
{
    return new_use(r->forward.ad, v, span);
}

/* ---- results of calls ---- */

/* A variable that stands for a value in the code that is read. */
static Var *
stand_in(Reverse *r, const Type *type, bool is_active, Span span)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    Var *v = ARENA_NEW(ad->c->arena, Var);
    *v = (Var){.kind = VAR_LOCAL,
               .name = intern_str(ad->c->intern, "r"),
               .type = type,
               .id = r->from->vars.count + r->extra++,
               .span = span,
               .is_mutable = true};
    f->active->is_active[v->id] = is_active && type_has_float(type);
    reverse_var(r, v);
    return v;
}

/* `v = value`, where the value is one of another function. */
static void
give(Reverse *to, const Var *v, Reverse *from, const TExpr *value, TStmts *ahead, TStmts *back)
{
    Var *made = reverse_var(to, v), *adjoint = to->forward.tangents[v->id];
    TStmts list = {0}, *outer = reverse_into(to, ahead), *outer_from = from->forward.out;
    const Span span = value->span;
    tape_keep(to, use(to, made, span));
    reverse_into(from, ahead);
    TExpr *copy = forward_value(&from->forward, value);
    reverse_into(to, ahead);
    forward_assign(&to->forward, use(to, made, span), copy, span);
    TStmts own = {0};
    if (adjoint) {
        reverse_into(from, &list);
        Dual d = forward_expr(&from->forward, value);
        reverse_into(from, &own);
        transpose_begin(from, &list);
        TExpr *g = reverse_take(from, use(to, adjoint, span));
        transpose_end(from, &list, d.tangent, g);
    }
    reverse_into(to, &own);
    tape_take(to, use(to, made, span));
    reverse_append(to, back, &own);
    to->forward.out = outer;
    from->forward.out = outer_from;
}

/* ---- calls ---- */

/* Does it give another value each time it is computed? */
static bool
is_read_once(const TExpr *e)
{
    return e->kind == TX_CLOCK || e->kind == TX_MEASURE || e->kind == TX_MEMORY ||
           (e->kind == TX_BUILTIN && e->builtin >= BUILTIN_RANDOM && e->builtin <= BUILTIN_RANDN);
}

static int
count_calls(const TExpr *e)
{
    if (!e)
        return 0;
    int count = e->kind == TX_CALL || is_read_once(e);
    for (int i = 0; i < e->args.count; i++)
        count += count_calls(e->args.items[i]);
    return count + count_calls(e->a) + count_calls(e->b) + count_calls(e->c);
}

/* How many variables host code may need to stand for values. */
static int
count_stand_ins(const TStmt *st)
{
    if (!st)
        return 0;
    int count = 1 + count_calls(st->value) + count_calls(st->target) + count_calls(st->path);
    const TExprs *lists[] = {&st->from, &st->to, &st->step, &st->args};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < lists[k]->count; i++)
            count += count_calls(lists[k]->items[i]);
    for (int i = 0; i < st->stmts.count; i++)
        count += count_stand_ins(st->stmts.items[i]);
    return count + count_stand_ins(st->body) + count_stand_ins(st->orelse);
}

/* Begins to read a function, or a block of it, from host code. */
void
host_begin(Reverse *r, Ad *ad, const Func *from, Func *to, Active *active, const TStmt *body)
{
    const int count = from->vars.count + count_stand_ins(body);
    r->from = from;
    r->on_host = true;
    active->ad = ad;
    active->is_active = ARENA_ARRAY(ad->c->scratch, bool, count);
    active->count = count;
    active->with_fields = true;
    r->forward = (Forward){.ad = ad, .reverse = r, .to = to, .active = active, .count = count};
    r->forward.values = ARENA_ARRAY(ad->c->scratch, Var *, count);
    r->forward.tangents = ARENA_ARRAY(ad->c->scratch, Var *, count);
    r->is_used = ARENA_ARRAY(ad->c->scratch, bool, count);
    map_init(&r->origins, ad->c->scratch);
}

static bool
may_inline(Reverse *r, const TExpr *e)
{
    int depth = 0;
    for (const Reverse *c = r; c; c = c->caller)
        depth++;
    if (depth > DEPTH_MOST) {
        reverse_refuse(r, e->span, "a host function that calls itself", "a loop");
        return false;
    }
    if (!e->func->body || !expand_func(r->forward.ad, e->func)) {
        reverse_refuse(r, e->span, "a call of an extern function in host code", "a func");
        return false;
    }
    for (int i = 0; i < e->args.count; i++)
        if (e->func->params.items[i]->mode == PARAM_INOUT ||
            e->func->params.items[i]->type->kind == TYPE_EXTERN ||
            e->func->params.items[i]->type->kind == TYPE_STRING) {
            reverse_refuse(r, e->args.items[i]->span,
                           "an inout argument, an array of the caller or a string that is given to "
                           "a host function or kernel",
                           "a field");
            return false;
        }
    return true;
}

/* What a call does, in its place; what stands for its result, or NULL. */
static Var *
inline_call(Reverse *r, const TExpr *e, TStmts *ahead, TStmts *back)
{
    Ad *ad = r->forward.ad;
    if (!may_inline(r, e))
        return NULL;
    Func *from = structured(ad, e->func);
    Reverse callee = {.block = r->block, .caller = r, .top = r->top};
    Active active;
    host_begin(&callee, ad, from, r->forward.to, &active, from->body);
    for (int i = 0; i < from->params.count; i++)
        active.is_active[from->params.items[i]->id] =
            expr_is_active(r->forward.active, e->args.items[i]);
    active_spread(&active, &from->body->stmts, NULL);
    VEC(TStmts) pieces = {0};
    for (int i = 0; i < from->params.count; i++) {
        TStmts piece = {0};
        give(&callee, from->params.items[i], r, e->args.items[i], ahead, &piece);
        vec_push(ad->c->scratch, &pieces, piece);
    }
    Var *result = NULL;
    if (e->type->kind != TYPE_VOID)
        result = stand_in(r, e->type, call_is_active(r->forward.active, e), e->span);
    callee.returned = result;
    TStmts body = {0};
    reverse_stmts(&callee, &from->body->stmts, ahead, &body);
    reverse_append(r, back, &body);
    for (int i = pieces.count - 1; i >= 0; i--)
        reverse_append(r, back, &pieces.items[i]);
    return result;
}

/* A variable that holds what was read. */
static Var *
read_once(Reverse *r, TExpr *e, TStmts *ahead, TStmts *back)
{
    Var *v = stand_in(r, e->type, false, e->span);
    TExpr *place = use(r, reverse_var(r, v), e->span);
    TStmts own = {0}, *outer;
    keep_place(r, place, ahead, &own);
    outer = reverse_into(r, ahead);
    forward_assign(&r->forward, place, e, e->span);
    r->forward.out = outer;
    reverse_append(r, &own, back);
    *back = own;
    return v;
}

/* Calls of host functions and kernels in an expression are done before it. */
static TExpr *
without_calls(Reverse *r, const TExpr *e, TStmts *ahead, TStmts *back)
{
    Ad *ad = r->forward.ad;
    if (!e || !count_calls(e))
        return (TExpr *)e;
    const bool is_logic = e->kind == TX_BINARY && (e->op == OP_LAND || e->op == OP_LOR);
    const bool chooses = e->kind == TX_COND || is_logic;
    if (chooses && (count_calls(e->b) || count_calls(e->c)))
        reverse_refuse(r, e->span, "a call in a part of an expression that may not be computed",
                       "an if");
    TExpr *copy = ARENA_NEW(ad->c->bodies, TExpr);
    *copy = *e;
    copy->args = (TExprs){0};
    copy->a = without_calls(r, e->a, ahead, back);
    copy->b = without_calls(r, e->b, ahead, back);
    copy->c = without_calls(r, e->c, ahead, back);
    for (int i = 0; i < e->args.count; i++)
        vec_push(ad->c->arena, &copy->args, without_calls(r, e->args.items[i], ahead, back));
    if (is_read_once(e))
        return new_use(ad, read_once(r, copy, ahead, back), e->span);
    if (e->kind != TX_CALL || (e->func->kind != FUNC_KERNEL && e->func->kind != FUNC_HOST))
        return copy;
    TStmts own = {0};
    Var *result = inline_call(r, copy, ahead, &own);
    reverse_append(r, &own, back);
    *back = own;
    return result ? new_use(ad, result, e->span) : NULL;
}

/* ---- parallel loops ---- */

static void
add_call(Reverse *r, TExpr *call, TStmts *list, Var **result)
{
    Forward *f = &r->forward;
    TStmts *outer = reverse_into(r, list);
    if (call->type->kind == TYPE_VOID) {
        TStmt *st = new_stmt(f->ad, TS_EXPR, call->span);
        st->value = call;
        forward_emit(f, st);
    } else {
        *result = forward_var(f, VAR_LOCAL, "sums", call->type, call->span);
        (*result)->is_let = true;
        forward_declare(f, *result, call, call->span);
    }
    f->out = outer;
}

static TExpr *
new_kernel_call(Ad *ad, Func *g, Span span)
{
    TExpr *call = new_expr(ad, TX_CALL, g->result, span);
    call->func = g;
    return call;
}

static void
keep_fields(Reverse *r, const TaskLoop *t, TStmts *ahead, TStmts *back, Span span)
{
    Ad *ad = r->forward.ad;
    TStmts takes = {0};
    for (int i = 0; i < ad->p->fields.count; i++) {
        const FieldUse *u = &t->uses[i];
        if (!u->is_added && !u->is_stored)
            continue;
        emit_to(r, ahead, tape_field(ad, TS_KEEP, ad->p->fields.items[i], 0, span));
        emit_to(r, &takes, tape_field(ad, TS_TAKE, ad->p->fields.items[i], 0, span));
    }
    for (int i = takes.count - 1; i >= 0; i--)
        emit_to(r, back, takes.items[i]);
}

static void
host_task(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    const Span span = st->span;
    TaskLoop t = {0};
    Var *sums = NULL, *adjoints = NULL;
    task_make(r, st, &t);
    keep_fields(r, &t, ahead, back, span);
    TExpr *call = new_kernel_call(ad, t.ahead, span);
    for (int i = 0; i < t.outer.count; i++)
        vec_push(ad->c->arena, &call->args, use(r, reverse_var(r, t.outer.items[i]), span));
    for (int i = 0; i < t.sums.count; i++)
        vec_push(ad->c->arena, &call->args, use(r, reverse_var(r, t.sums.items[i]), span));
    add_call(r, call, ahead, &sums);
    TStmts takes = {0};
    for (int i = 0; i < t.sums.count; i++) {
        TExpr *place = use(r, reverse_var(r, t.sums.items[i]), span);
        TStmts one = {0};
        keep_place(r, place, ahead, &one);
        TStmts *outer = reverse_into(r, ahead);
        TExpr *part = t.sums.count > 1 ? new_member(ad, use(r, sums, span), i) : use(r, sums, span);
        forward_assign(f, place, part, span);
        f->out = outer;
        reverse_append(r, &one, &takes);
        takes = one;
    }
    reverse_append(r, back, &takes);
    if (t.is_idle)
        return;
    call = new_kernel_call(ad, t.back, span);
    for (int i = 0; i < t.outer.count; i++)
        vec_push(ad->c->arena, &call->args, use(r, reverse_var(r, t.outer.items[i]), span));
    for (int i = 0; i < t.sums.count; i++)
        if (f->tangents[t.sums.items[i]->id])
            vec_push(ad->c->arena, &call->args, use(r, f->tangents[t.sums.items[i]->id], span));
    add_call(r, call, back, &adjoints);
    int number = 0, count = 0;
    for (int i = 0; i < t.outer.count; i++)
        count += f->tangents[t.outer.items[i]->id] != NULL;
    TStmts *outer = reverse_into(r, back);
    for (int i = 0; i < t.outer.count; i++) {
        Var *adjoint = f->tangents[t.outer.items[i]->id];
        if (!adjoint)
            continue;
        TExpr *whole = use(r, adjoints, span);
        reverse_add(r, use(r, adjoint, span), count > 1 ? new_member(ad, whole, number++) : whole);
    }
    f->out = outer;
}

/* ---- loops of host code ---- */

/* Counts iterations on the way ahead, and takes as many back. */
static void
count_back(Reverse *r, TExpr *n, TStmts *ahead, TStmts one, TStmts *back, Span span)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    TStmts *outer = reverse_into(r, ahead);
    tape_keep(r, n);
    reverse_into(r, back);
    tape_take(r, n);
    TStmt *loop = new_stmt(ad, TS_RANGE, span);
    TExpr *zero = new_zero(ad, n->type, span);
    Var *k = forward_var(f, VAR_INDEX, "k", n->type, span);
    k->is_let = true;
    vec_push(ad->c->arena, &loop->vars, k);
    vec_push(ad->c->arena, &loop->from, zero);
    vec_push(ad->c->arena, &loop->to, n);
    vec_push(ad->c->arena, &loop->step, NULL);
    loop->body = new_stmt(ad, TS_BLOCK, span);
    loop->body->stmts = one;
    forward_emit(f, loop);
    f->out = outer;
}

static TExpr *
new_counter(Reverse *r, TStmts *ahead, Span span)
{
    Forward *f = &r->forward;
    const Type *i64 = type_scalar(f->ad->p->types, SCALAR_I64);
    TExpr *n = use(r, reverse_declare(r, "trips", i64, span), span);
    TStmts *outer = reverse_into(r, ahead);
    forward_assign(f, n, new_zero(f->ad, i64, span), span);
    f->out = outer;
    return n;
}

static void
count_one(Reverse *r, TExpr *n, TStmts *body)
{
    Forward *f = &r->forward;
    TExpr *one = new_zero(f->ad, n->type, n->span);
    TStmts *outer = reverse_into(r, body);
    one->value.leaves[0].i = 1;
    forward_assign(f, n, new_binary(f->ad, OP_ADD, n, one), n->span);
    f->out = outer;
}

static void
host_range(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    TStmts body = {0}, one = {0}, takes = {0};
    TExpr *n = new_counter(r, ahead, st->span);
    TStmts *outer = reverse_into(r, ahead);
    TStmt *made = forward_copy(f, st);
    made->vars.items = NULL;
    made->vars.count = made->vars.room = 0;
    f->loops++;
    for (int i = 0; i < st->vars.count; i++) {
        const Var *v = st->vars.items[i];
        Var *index = forward_var(f, VAR_INDEX, v->name, v->type, v->span);
        index->is_let = true;
        vec_push(ad->c->arena, &made->vars, index);
        TExpr *place = use(r, reverse_var(r, v), v->span);
        TStmts take = {0};
        keep_place(r, place, &body, &take);
        reverse_into(r, &body);
        forward_assign(f, place, use(r, index, v->span), v->span);
        reverse_append(r, &take, &takes);
        takes = take;
    }
    reverse_stmts(r, &st->body->stmts, &body, &one);
    reverse_append(r, &one, &takes);
    count_one(r, n, &body);
    f->loops--;
    made->body = new_stmt(ad, TS_BLOCK, st->span);
    made->body->stmts = body;
    emit_to(r, ahead, made);
    f->out = outer;
    count_back(r, n, ahead, one, back, st->span);
}

/* while (c) { … } is: go = true; while (go) { go = c; if (go) { … } } */
static void
host_while(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    const Span span = st->span;
    TStmts body = {0}, one = {0}, list = {0};
    TExpr *n = new_counter(r, ahead, span);
    Var *go = stand_in(r, st->value->type, false, span);
    TStmt *set = new_stmt(ad, TS_ASSIGN, span), *inner = new_stmt(ad, TS_IF, span);
    set->target = new_use(ad, go, span);
    set->value = st->value;
    inner->value = new_use(ad, go, span);
    inner->body = st->body;
    vec_push(ad->c->arena, &list, set);
    vec_push(ad->c->arena, &list, inner);
    f->loops++;
    reverse_stmts(r, &list, &body, &one);
    count_one(r, n, &body);
    f->loops--;
    TExpr *yes = new_zero(ad, st->value->type, span);
    yes->value.leaves[0].i = 1;
    TExpr *made_go = use(r, reverse_var(r, go), span);
    TStmts take = {0};
    keep_place(r, made_go, ahead, &take);
    TStmts *outer = reverse_into(r, ahead);
    forward_assign(f, made_go, yes, span);
    TStmt *loop = new_stmt(ad, TS_WHILE, span);
    loop->value = made_go;
    loop->body = new_stmt(ad, TS_BLOCK, span);
    loop->body->stmts = body;
    forward_emit(f, loop);
    f->out = outer;
    count_back(r, n, ahead, one, back, span);
    reverse_append(r, back, &take);
}

static void
host_if(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    TStmts on[2] = {{0}, {0}}, off[2] = {{0}, {0}};
    const TStmt *sides[2] = {st->body, st->orelse};
    TExpr *taken = use(r, reverse_declare(r, "taken", st->value->type, st->span), st->span);
    TStmts *outer = reverse_into(r, ahead);
    forward_assign(f, taken, forward_value(f, st->value), st->span);
    for (int side = 0; side < 2; side++)
        if (sides[side]) {
            TStmts alone = {0};
            vec_push(ad->c->arena, &alone, (TStmt *)sides[side]);
            reverse_stmts(r, &alone, &on[side], &off[side]);
            reverse_into(r, &on[side]);
        }
    /* which side it was is known again behind it */
    TStmt *made = new_stmt(ad, TS_IF, st->span), *reversed = new_stmt(ad, TS_IF, st->span);
    TStmt **blocks[] = {&made->body, &made->orelse, &reversed->body, &reversed->orelse};
    for (int i = 0; i < 4; i++)
        *blocks[i] = new_stmt(ad, TS_BLOCK, st->span);
    for (int side = 0; side < 2; side++) {
        TExpr *value = new_zero(ad, st->value->type, st->span);
        value->value.leaves[0].i = !side;
        reverse_into(r, &on[side]);
        forward_assign(f, taken, value, st->span);
    }
    made->value = reversed->value = taken;
    made->body->stmts = on[0];
    made->orelse->stmts = on[1];
    reversed->body->stmts = off[0];
    reversed->orelse->stmts = off[1];
    reverse_into(r, ahead);
    forward_emit(f, made);
    tape_keep(r, taken);
    reverse_into(r, back);
    tape_take(r, taken);
    forward_emit(f, reversed);
    f->out = outer;
}

/* ---- whole fields ---- */

static void
keep_whole(Reverse *r, Field *field, TStmts *ahead, TStmts *back, Span span)
{
    emit_to(r, ahead, tape_field(r->forward.ad, TS_KEEP, field, 0, span));
    emit_to(r, back, tape_field(r->forward.ad, TS_TAKE, field, 0, span));
}

static void
emit_copy(Reverse *r, const TStmt *st, TStmts *ahead)
{
    TStmts *outer = reverse_into(r, ahead);
    TStmt *made = forward_copy(&r->forward, st);
    if (st->path)
        made->path = forward_value(&r->forward, st->path);
    forward_emit(&r->forward, made);
    r->forward.out = outer;
}

/* grad(from) += grad(to), by position, in a kernel. */
static void
add_adjoint(Reverse *r, Field *to, Field *from, TStmts *back, Span span)
{
    Ad *ad = r->forward.ad;
    const Type *i64 = type_scalar(ad->p->types, SCALAR_I64);
    Func *g = ARENA_NEW(ad->c->arena, Func);
    *g = (Func){.kind = FUNC_KERNEL,
                .name = "copy",
                .id = ad->p->funcs.count,
                .span = span,
                .is_generic = true,
                .doc_args = "taken back",
                .result = type_void(ad->p->types)};
    g->unique = unique_take(&ad->names, ad->c->intern,
                            arena_printf(ad->c->arena, "copy_%s_back", to->name));
    vec_push(ad->c->arena, &ad->p->funcs, g);
    g->body = new_stmt(ad, TS_BLOCK, span);
    Reverse own = {.forward = {.ad = ad, .to = g, .active = r->forward.active}};
    TExpr *a = new_expr(ad, TX_FIELD, to->type, span),
          *b = new_expr(ad, TX_FIELD, from->type, span);
    TStmt *loop = new_stmt(ad, TS_RANGE, span), *add = new_stmt(ad, TS_ASSIGN, span);
    a->field = to;
    b->field = from;
    loop->parallel = true;
    for (int k = 0; k < to->axis_count; k++) {
        TExpr *lo = new_zero(ad, i64, span), *n = new_zero(ad, i64, span),
              *apart = new_zero(ad, i64, span);
        Var *v = forward_var(&own.forward, VAR_INDEX, "i", i64, span);
        v->is_let = true;
        lo->value.leaves[0].i = to->offsets[k];
        apart->value.leaves[0].i = from->offsets[k] - to->offsets[k];
        n->value.leaves[0].i = to->extents[k];
        if (!to->extents[k]) {
            n = new_expr(ad, TX_EXTENT, i64, span);
            n->field = to;
            n->axis = k;
        }
        vec_push(ad->c->arena, &loop->vars, v);
        vec_push(ad->c->arena, &loop->from, lo);
        vec_push(ad->c->arena, &loop->to, new_binary(ad, OP_ADD, lo, n));
        vec_push(ad->c->arena, &loop->step, NULL);
        vec_push(ad->c->arena, &a->args, new_use(ad, v, span));
        vec_push(ad->c->arena, &b->args, new_binary(ad, OP_ADD, new_use(ad, v, span), apart));
    }
    add->target = b;
    add->op = OP_ADD;
    add->value = a;
    loop->body = new_stmt(ad, TS_BLOCK, span);
    vec_push(ad->c->arena, &loop->body->stmts, add);
    vec_push(ad->c->arena, &g->body->stmts, to->axis_count ? loop : add);
    TStmt *call = new_stmt(ad, TS_EXPR, span);
    call->value = new_kernel_call(ad, g, span);
    emit_to(r, back, call);
}

static void
host_copy(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    Ad *ad = r->forward.ad;
    Field *to = st->field, *from = st->field2;
    keep_whole(r, to, ahead, back, st->span);
    emit_copy(r, st, ahead);
    if (!field_is_dense(to) || !field_is_dense(from))
        reverse_refuse(r, st->span, "a copy of a field in a sparse node", "a dense layout");
    if (to->adjoint && from->adjoint && to != from)
        add_adjoint(r, to->adjoint, from->adjoint, back, st->span);
    if (to->adjoint && to != from)
        emit_to(r, back, new_fill(ad, to->adjoint, NULL, st->span));
}

static void
host_fill(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    keep_whole(r, st->field, ahead, back, st->span);
    emit_copy(r, st, ahead);
    if (st->field->adjoint && expr_is_active(r->forward.active, st->value))
        reverse_refuse(r, st->span, "a fill with a value that a derivative goes through",
                       "a kernel that stores it");
    if (st->field->adjoint)
        emit_to(r, back, new_fill(r->forward.ad, st->field->adjoint, NULL, st->span));
}

static void
host_load(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    for (int i = 0; i < st->fields.count; i++)
        keep_whole(r, st->fields.items[i], ahead, back, st->span);
    emit_copy(r, st, ahead);
    for (int i = 0; i < st->fields.count; i++)
        if (st->fields.items[i]->adjoint)
            emit_to(r, back, new_fill(r->forward.ad, st->fields.items[i]->adjoint, NULL, st->span));
}

/* ---- statements ---- */

void
host_store(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    const TExpr *root = root_of(st->target);
    if (!field_is_dense(root->field))
        reverse_refuse(r, st->span, "a store of host code to a field in a sparse node",
                       "a dense layout");
    TStmts *outer = reverse_into(r, ahead);
    TExpr *element = ARENA_NEW(ad->c->bodies, TExpr);
    *element = *forward_place(f, root).value;
    TExprs indices = {0}, fixed = {0};
    for (int i = 0; i < element->args.count; i++) {
        TExpr *index = element->args.items[i];
        if (index->kind == TX_CONST) {
            vec_push(ad->c->arena, &indices, index);
            continue;
        }
        TExpr *at = use(r, reverse_declare(r, "at", index->type, index->span), index->span);
        forward_assign(f, at, index, index->span);
        vec_push(ad->c->arena, &indices, at);
        vec_push(ad->c->arena, &fixed, at);
    }
    element->args = indices;
    tape_keep(r, element);
    for (int i = 0; i < fixed.count; i++)
        tape_keep(r, fixed.items[i]);
    reverse_into(r, back);
    for (int i = fixed.count - 1; i >= 0; i--)
        tape_take(r, fixed.items[i]);
    tape_take(r, element);
    reverse_into(r, ahead);
    TStmt *made = forward_copy(f, st);
    made->target = forward_place(f, st->target).value;
    forward_emit(f, made);
    f->out = outer;
    back_assignment(r, st, st->target, st->op, back);
}

/* An expression for what it does, after calls in it were taken out. */
static void
host_effect(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    const TExpr *e = st->value;
    if (e->kind == TX_VAR)
        return; /* the result of a call that nothing takes */
    if (e->kind != TX_ATOMIC || (e->atomic != ATOMIC_ADD && e->atomic != ATOMIC_SUB)) {
        reverse_refuse(r, st->span, "this statement of host code", NULL);
        return;
    }
    TStmt *sum = new_stmt(r->forward.ad, TS_ASSIGN, st->span);
    sum->target = e->a;
    sum->value = e->args.items[0];
    sum->op = e->atomic == ATOMIC_ADD ? OP_ADD : OP_SUB;
    reverse_statement(r, sum, ahead, back);
}

static void
host_one(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    switch (st->kind) {
    case TS_BLOCK: reverse_stmts(r, &st->stmts, ahead, back); break;
    case TS_EXPR: host_effect(r, st, ahead, back); break;
    case TS_DECL:
    case TS_ASSIGN: reverse_statement(r, st, ahead, back); break;
    case TS_IF: host_if(r, st, ahead, back); break;
    case TS_WHILE: host_while(r, st, ahead, back); break;
    case TS_RANGE:
        if (st->parallel)
            host_task(r, st, ahead, back);
        else
            host_range(r, st, ahead, back);
        break;
    case TS_CELLS:
        if (st->parallel)
            host_task(r, st, ahead, back);
        else
            reverse_refuse(r, st->span, "a loop over cells that is not parallel",
                           "a parallel loop");
        break;
    case TS_RETURN:
        if (st->value && r->returned)
            give(r->caller, r->returned, r, st->value, ahead, back);
        break;
    case TS_PRINT:
    case TS_ASSERT:
    case TS_SAVE:
    case TS_IMAGE: emit_copy(r, st, ahead); break;
    case TS_FILL: host_fill(r, st, ahead, back); break;
    case TS_COPY: host_copy(r, st, ahead, back); break;
    case TS_LOAD: host_load(r, st, ahead, back); break;
    case TS_SWAP:
        emit_copy(r, st, ahead);
        emit_copy(r, st, back);
        break;
    case TS_ACTIVATE:
    case TS_DEACTIVATE:
    case TS_DEACTIVATE_ALL:
        reverse_refuse(r, st->span, "what changes which cells are active", "jvp { … }");
        break;
    case TS_BREAK:
    case TS_CONTINUE:
    case TS_DIFF:
    case TS_DERIVE:
    case TS_CREATE:
    case TS_DESTROY:
    case TS_TRIM:
    case TS_KEEP:
    case TS_TAKE: break; /* taken apart before, or refused */
    }
}

/* Calls first, then the statement without them. */
void
host_stmt(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    Ad *ad = r->forward.ad;
    TStmts calls = {0};
    TStmt *made = ARENA_NEW(ad->c->bodies, TStmt);
    *made = *st;
    if (st->kind != TS_WHILE && !st->parallel) {
        const bool is_effect = st->kind == TS_EXPR;
        made->value = without_calls(r, st->value, ahead, &calls);
        TExprs *lists[] = {&made->from, &made->to, &made->step, &made->args};
        for (int k = 0; k < 4; k++) {
            TExprs old = *lists[k];
            *lists[k] = (TExprs){0};
            for (int i = 0; i < old.count; i++)
                vec_push(ad->c->arena, lists[k], without_calls(r, old.items[i], ahead, &calls));
        }
        if (is_effect && !made->value) {
            reverse_append(r, back, &calls);
            return;
        }
    }
    host_one(r, made, ahead, back);
    reverse_append(r, back, &calls);
}
