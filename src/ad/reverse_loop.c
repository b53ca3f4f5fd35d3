/* Reverse mode of loops inside of kernels and functions. Iterations are taken back from the last to
 * the first. What an iteration found is computed again, from copies of the variables that the loop
 * carries on: a stack of fixed size holds some of them, at iterations that halve the way to the one
 * at hand, or all of the way where there is room. While n is small against 2 to the room of the
 * stack, n iterations cost about n log2(n) / 2 more. */
#include "config.h"

#include "ad/inside.h"

enum { STACK_BYTES = 4096, STACK_LEAST = 8, STACK_MOST = 64 };

/* One loop variable, or all of a `while` (from is NULL). */
typedef struct {
    const TStmt *st;
    int level; /* number of the variable */
    TExpr *from[8], *to[8], *step[8];
    TExpr *count; /* of iterations, on the way back */
} Looped;

typedef VEC(TExpr *) Places;

static void reverse_level(Reverse *r, Looped l, TStmts *ahead, TStmts *back);

/* ---- small parts ---- */

static TExpr *
wide(Reverse *r, int64_t value, Span span)
{
    Ad *ad = r->forward.ad;
    TExpr *e = new_zero(ad, type_scalar(ad->p->types, SCALAR_I64), span);
    e->value.leaves[0].i = value;
    return e;
}

static TExpr *
number_like(Reverse *r, const TExpr *like, int64_t value)
{
    TExpr *e = new_zero(r->forward.ad, like->type, like->span);
    e->value.leaves[0].i = value;
    return e;
}

static TExpr *
binary(Reverse *r, Op op, TExpr *a, TExpr *b)
{
    return new_binary(r->forward.ad, op, a, b);
}

static TExpr *
declare(Reverse *r, const char *name, const Type *type, Span span)
{
    return new_use(r->forward.ad, reverse_declare(r, name, type, span), span);
}

static TExpr *
yes(Reverse *r, Span span)
{
    TExpr *e = new_zero(r->forward.ad, type_scalar(r->forward.ad->p->types, SCALAR_BOOL), span);
    e->value.leaves[0].i = 1;
    return e;
}

static void
emit_while(Reverse *r, TExpr *cond, TStmts body, Span span)
{
    Ad *ad = r->forward.ad;
    TStmt *st = new_stmt(ad, TS_WHILE, span);
    st->value = cond;
    st->body = new_stmt(ad, TS_BLOCK, span);
    st->body->stmts = body;
    forward_emit(&r->forward, st);
}

static void
emit_range(Reverse *r, Var *v, TExpr *from, TExpr *to, TExpr *step, TStmts body)
{
    Ad *ad = r->forward.ad;
    TStmt *st = new_stmt(ad, TS_RANGE, v->span);
    vec_push(ad->c->arena, &st->vars, v);
    vec_push(ad->c->arena, &st->from, from);
    vec_push(ad->c->arena, &st->to, to);
    vec_push(ad->c->arena, &st->step, step);
    st->body = new_stmt(ad, TS_BLOCK, v->span);
    st->body->stmts = body;
    forward_emit(&r->forward, st);
}

/* ---- what a loop changes ---- */

typedef struct {
    bool *is_set, *is_own; /* variables by id: changed; declared inside */
    bool *is_stored;       /* fields by id */
    bool *is_read;         /* by functions that are called */
    Ad *ad;
} Changes;

static void
change_place(Changes *c, const TExpr *place)
{
    const TExpr *root = root_of(place);
    if (root->kind == TX_VAR)
        c->is_set[root->var->id] = true;
    else
        c->is_stored[root->field->id] = true;
}

static void
changes_of_expr(Changes *c, const TExpr *e)
{
    if (!e)
        return;
    for (int i = 0; i < e->args.count; i++) {
        if (e->kind == TX_CALL && e->func->params.items[i]->mode == PARAM_INOUT)
            change_place(c, e->args.items[i]);
        changes_of_expr(c, e->args.items[i]);
    }
    if (e->kind == TX_ATOMIC)
        change_place(c, e->a);
    if (e->kind == TX_CALL && e->func->body)
        func_fields(c->ad, e->func, c->is_read, c->is_stored);
    changes_of_expr(c, e->a);
    changes_of_expr(c, e->b);
    changes_of_expr(c, e->c);
}

static void
changes_of(Changes *c, const TStmt *st)
{
    if (!st)
        return;
    if (st->kind == TS_DECL)
        c->is_set[st->var->id] = c->is_own[st->var->id] = true;
    if (st->kind == TS_ASSIGN)
        change_place(c, st->target);
    for (int i = 0; i < st->vars.count; i++)
        c->is_own[st->vars.items[i]->id] = true;
    changes_of_expr(c, st->value);
    for (int i = 0; i < st->stmts.count; i++)
        changes_of(c, st->stmts.items[i]);
    changes_of(c, st->body);
    changes_of(c, st->orelse);
}

/* What goes from one iteration to the next and is needed on the way back. Marks fields that the
 * loop stores to. */
static Places
carried(Reverse *r, const TStmt *st)
{
    Ad *ad = r->forward.ad;
    const int vars = r->from->vars.count, fields = ad->p->fields.count;
    Changes c = {.ad = ad};
    c.is_set = ARENA_ARRAY(ad->c->scratch, bool, vars);
    c.is_own = ARENA_ARRAY(ad->c->scratch, bool, vars);
    c.is_stored = ARENA_ARRAY(ad->c->scratch, bool, fields);
    c.is_read = ARENA_ARRAY(ad->c->scratch, bool, fields);
    Places places = {0};
    changes_of(&c, st->body);
    changes_of_expr(&c, st->value);
    for (int i = 0; i < vars; i++) {
        const Var *v = r->from->vars.items[i];
        if (c.is_set[i] && !c.is_own[i] && !(r->is_task && v->shared) && reverse_needs(r, i))
            vec_push(ad->c->arena, &places, new_use(ad, reverse_var(r, v), st->span));
    }
    for (int i = 0; i < fields; i++) {
        if (!c.is_stored[i])
            continue;
        r->has_stored[i] = true;
        const FieldUse *u = r->uses ? &r->uses[i] : NULL;
        if (r->is_task && u->stored && !u->is_moving && !u->is_added &&
            reverse_needs(r, vars + i)) {
            TExpr *held = reverse_held(r, u->stored);
            if (held)
                vec_push(ad->c->arena, &places, held);
        }
    }
    return places;
}

/* ---- the stack ---- */

typedef struct {
    Places places;
    TExpr **kept, **slots; /* of each place: before the loop; on the stack */
    TExpr *top, *at;       /* the last one of the stack; iterations that they are of */
    int room;
} Stack;

static int64_t
stack_room(const Places *places)
{
    int64_t bytes = 0;
    for (int i = 0; i < places->count; i++)
        bytes += places->items[i]->type->bytes;
    const int64_t room = STACK_BYTES / (bytes ? bytes : 1);
    return room < STACK_LEAST ? STACK_LEAST : room > STACK_MOST ? STACK_MOST : room;
}

static const Type *
slots_type(Ad *ad, const Type *t, int64_t room)
{
    int64_t dims[8] = {room};
    const int more = t->kind == TYPE_ARRAY ? t->dim_count : 0;
    for (int d = 0; d < more; d++)
        dims[d + 1] = t->dims[d];
    return type_array(ad->p->types, more ? t->elem : t, more + 1, dims);
}

/* Copies a place to the last slot, or from there. */
static void
copy_slot(Reverse *r, const Stack *s, int number, bool to_slot)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    TExpr *place = s->places.items[number];
    const Type *t = place->type;
    const Span span = place->span;
    const bool is_array = t->kind == TYPE_ARRAY;
    TExpr *slot = new_expr(ad, TX_ELEM, is_array ? t->elem : t, span);
    slot->a = s->slots[number];
    vec_push(ad->c->arena, &slot->args, s->top);
    if (!is_array) {
        forward_assign(f, to_slot ? slot : place, to_slot ? place : slot, span);
        return;
    }
    TStmt *loop = new_stmt(ad, TS_RANGE, span);
    TExpr *element = new_expr(ad, TX_ELEM, t->elem, span);
    element->a = place;
    for (int d = 0; d < t->dim_count; d++) {
        Var *i = forward_var(f, VAR_INDEX, "i", type_scalar(ad->p->types, SCALAR_I32), span);
        vec_push(ad->c->arena, &loop->vars, i);
        vec_push(ad->c->arena, &loop->from, new_integer(ad, 0, span));
        vec_push(ad->c->arena, &loop->to, new_integer(ad, t->dims[d], span));
        vec_push(ad->c->arena, &loop->step, NULL);
        vec_push(ad->c->arena, &slot->args, new_use(ad, i, span));
        vec_push(ad->c->arena, &element->args, new_use(ad, i, span));
    }
    loop->body = new_stmt(ad, TS_BLOCK, span);
    TStmts *outer = reverse_into(r, &loop->body->stmts);
    forward_assign(f, to_slot ? slot : element, to_slot ? element : slot, span);
    f->out = outer;
    forward_emit(f, loop);
}

static TExpr *
top_at(Reverse *r, const Stack *s)
{
    return new_element(r->forward.ad, s->at, s->top, NULL);
}

/* Keeps what the loop carries on as it was before the loop. */
static Stack
stack_make(Reverse *r, Places places, TStmts *ahead, Span span)
{
    Ad *ad = r->forward.ad;
    const int64_t room = stack_room(&places);
    const Type *i64 = type_scalar(ad->p->types, SCALAR_I64);
    Stack s = {.places = places, .room = (int)room};
    s.kept = ARENA_ARRAY(ad->c->scratch, TExpr *, places.count);
    s.slots = ARENA_ARRAY(ad->c->scratch, TExpr *, places.count);
    if (!places.count)
        return s;
    s.top = declare(r, "top", type_scalar(ad->p->types, SCALAR_I32), span);
    s.at = declare(r, "at", type_array(ad->p->types, i64, 1, &room), span);
    TStmts *outer = reverse_into(r, ahead);
    for (int i = 0; i < places.count; i++) {
        const Type *t = places.items[i]->type;
        s.kept[i] = declare(r, "kept", t, span);
        s.slots[i] = declare(r, "slots", slots_type(ad, t, room), span);
        copy_value(r, s.kept[i], places.items[i]);
    }
    r->forward.out = outer;
    return s;
}

/* Puts what the loop carries on back to what it was before the loop. */
static void
stack_restore(Reverse *r, const Stack *s)
{
    for (int i = 0; i < s->places.count; i++)
        copy_value(r, s->places.items[i], s->kept[i]);
}

static void
stack_begin(Reverse *r, const Stack *s, Span span)
{
    forward_assign(&r->forward, s->top, number_like(r, s->top, 0), span);
    forward_assign(&r->forward, top_at(r, s), wide(r, 0, span), span);
    stack_restore(r, s);
    for (int i = 0; i < s->places.count; i++)
        copy_slot(r, s, i, true);
}

/* Goes to what iteration k found. `one` is an iteration, number j. */
static void
stack_go(Reverse *r, const Stack *s, TExpr *j, TExpr *k, TStmts one, Span span)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    TStmts pop = {0}, go = {0}, run = one, push = {0}, *outer = reverse_into(r, &pop);
    TExpr *next = declare(r, "next", j->type, span);
    forward_assign(f, s->top, binary(r, OP_SUB, s->top, number_like(r, s->top, 1)), span);
    reverse_into(r, &run);
    forward_assign(f, j, binary(r, OP_ADD, j, wide(r, 1, span)), span);
    reverse_into(r, &push);
    forward_assign(f, s->top, binary(r, OP_ADD, s->top, number_like(r, s->top, 1)), span);
    forward_assign(f, top_at(r, s), j, span);
    for (int i = 0; i < s->places.count; i++)
        copy_slot(r, s, i, true);
    reverse_into(r, &go);
    TExpr *left = forward_keep(
        f, new_cast(ad, j->type, binary(r, OP_SUB, number_like(r, s->top, s->room - 1), s->top)));
    TExpr *way = forward_keep(f, binary(r, OP_SUB, k, j));
    TExpr *half = binary(r, OP_SHR, binary(r, OP_ADD, way, wide(r, 1, span)), wide(r, 1, span));
    TExpr *stride = new_choice(ad, binary(r, OP_LE, way, left), wide(r, 1, span), half);
    stride = new_choice(ad, binary(r, OP_EQ, left, wide(r, 0, span)), way, stride);
    forward_assign(f, next, binary(r, OP_ADD, j, stride), span);
    emit_while(r, binary(r, OP_LT, j, next), run, span);
    TStmt *st = new_stmt(ad, TS_IF, span);
    st->value = binary(r, OP_LT, next, k);
    st->body = new_stmt(ad, TS_BLOCK, span);
    st->body->stmts = push;
    forward_emit(f, st);
    f->out = outer;
    emit_while(r, binary(r, OP_GT, top_at(r, s), k), pop, span);
    for (int i = 0; i < s->places.count; i++)
        copy_slot(r, s, i, false);
    forward_assign(f, j, top_at(r, s), span);
    emit_while(r, binary(r, OP_LT, j, k), go, span);
}

/* ---- iterations ---- */

/* The variable of iteration number k, set where statements go. */
static void
set_variable(Reverse *r, const Looped *l, TExpr *k)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    if (l->st->kind == TS_WHILE)
        return;
    const Var *from = l->st->vars.items[l->level];
    TExpr *step = l->step[l->level], *moved = new_cast(ad, from->type, k);
    if (step)
        moved = binary(r, OP_MUL, moved, step);
    Var *v = forward_var(f, VAR_LOCAL, from->name, from->type, from->span);
    v->is_let = true;
    f->values[from->id] = v;
    reverse_origin(r, v, from->id);
    forward_declare(f, v, binary(r, OP_ADD, l->from[l->level], moved), from->span);
}

/* What an iteration does, after its variable is set. */
static void
inner(Reverse *r, Looped l, TStmts *ahead, TStmts *back)
{
    const bool is_last = l.st->kind == TS_WHILE || l.level + 1 == l.st->vars.count;
    l.level++;
    if (is_last)
        reverse_statement(r, l.st->body, ahead, back);
    else
        reverse_level(r, l, ahead, back);
}

static TExpr *
trips(Reverse *r, const Looped *l)
{
    Ad *ad = r->forward.ad;
    const Type *i64 = type_scalar(ad->p->types, SCALAR_I64);
    TExpr *from = new_cast(ad, i64, l->from[l->level]), *to = new_cast(ad, i64, l->to[l->level]);
    const Span at = from->span;
    TExpr *zero = wide(r, 0, at), *one = wide(r, 1, at);
    if (!l->step[l->level])
        return new_call(ad, BUILTIN_MAX, i64, binary(r, OP_SUB, to, from), zero);
    TExpr *step = new_cast(ad, i64, l->step[l->level]);
    TExpr *up =
        binary(r, OP_DIV,
               binary(r, OP_ADD, binary(r, OP_SUB, to, from), binary(r, OP_SUB, step, one)), step);
    TExpr *down = binary(
        r, OP_DIV, binary(r, OP_SUB, binary(r, OP_SUB, from, to), binary(r, OP_ADD, step, one)),
        new_unary(ad, OP_NEG, step));
    TExpr *n = new_choice(ad, binary(r, OP_GT, step, zero), up, down);
    return new_call(ad, BUILTIN_MAX, i64, n, zero);
}

/* The loop on the way ahead. */
static void
ahead_range(Reverse *r, Looped l, TStmts *ahead)
{
    Forward *f = &r->forward;
    const Var *from = l.st->vars.items[l.level];
    TStmts body = {0};
    f->loops++;
    Var *v = forward_var(f, VAR_INDEX, from->name, from->type, from->span);
    v->is_let = true;
    f->values[from->id] = v;
    reverse_origin(r, v, from->id);
    inner(r, l, &body, NULL);
    f->loops--;
    if (!body.count)
        return;
    TStmts *outer = reverse_into(r, ahead);
    emit_range(r, v, l.from[l.level], l.to[l.level], l.step[l.level], body);
    f->out = outer;
}

/* Iterations that carry nothing on are taken back in a loop that runs down. */
static bool
back_plain(Reverse *r, const Looped *l, TStmts *back)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    const Span span = l->st->span;
    TStmts body = {0}, made = {0};
    TStmts *outer = reverse_into(r, &body);
    f->loops++;
    const bool is_simple = l->st->kind == TS_RANGE && !l->step[l->level];
    Var *k = forward_var(f, VAR_INDEX, is_simple ? l->st->vars.items[l->level]->name : "k",
                         is_simple ? l->st->vars.items[l->level]->type
                                   : type_scalar(ad->p->types, SCALAR_I64),
                         span);
    k->is_let = true;
    if (is_simple) {
        f->values[l->st->vars.items[l->level]->id] = k;
        reverse_origin(r, k, l->st->vars.items[l->level]->id);
    } else {
        set_variable(r, l, new_use(ad, k, span));
    }
    inner(r, *l, &body, &made);
    f->loops--;
    f->out = outer;
    if (!made.count)
        return false;
    for (int i = 0; i < made.count; i++)
        vec_push(ad->c->arena, &body, made.items[i]);
    outer = reverse_into(r, back);
    TExpr *down = new_zero(ad, k->type, span);
    down->value.leaves[0].i = -1;
    TExpr *last = is_simple ? l->to[l->level] : l->count;
    last = binary(r, OP_ADD, last, number_like(r, last, -1));
    TExpr *end = is_simple ? l->from[l->level] : wide(r, 0, span);
    emit_range(r, k, last, binary(r, OP_ADD, end, number_like(r, end, -1)), down, body);
    f->out = outer;
    return true;
}

/* Iterations that carry something on: it is computed again, from the stack. */
static bool
back_carried(Reverse *r, const Looped *l, const Stack *s, TStmts *back)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    const Span span = l->st->span;
    TStmts one = {0}, body = {0}, made = {0}, replay = {0};
    TExpr *j = declare(r, "j", type_scalar(ad->p->types, SCALAR_I64), span);
    f->loops++;
    Var *k = forward_var(f, VAR_INDEX, "k", j->type, span);
    k->is_let = true;
    TStmts *outer = reverse_into(r, &one);
    set_variable(r, l, j);
    inner(r, *l, &one, NULL);
    reverse_into(r, &replay);
    set_variable(r, l, new_use(ad, k, span));
    inner(r, *l, &replay, &made);
    reverse_into(r, &body);
    if (made.count)
        stack_go(r, s, j, new_use(ad, k, span), one, span);
    f->loops--;
    f->out = outer;
    if (!made.count)
        return false;
    for (int i = 0; i < replay.count; i++)
        vec_push(ad->c->arena, &body, replay.items[i]);
    for (int i = 0; i < made.count; i++)
        vec_push(ad->c->arena, &body, made.items[i]);
    outer = reverse_into(r, back);
    stack_begin(r, s, span);
    emit_range(r, k, binary(r, OP_SUB, l->count, wide(r, 1, span)), wide(r, -1, span),
               wide(r, -1, span), body);
    stack_restore(r, s);
    f->out = outer;
    return true;
}

/* ---- loops ---- */

/* On the way back variables are what they were before the loop. */
static void
back_loop(Reverse *r, const Looped *l, const Stack *s, TStmts *back)
{
    Forward *f = &r->forward;
    const bool goes_back = s->places.count ? back_carried(r, l, s, back) : back_plain(r, l, back);
    if (goes_back || !s->places.count)
        return;
    TStmts *outer = reverse_into(r, back);
    stack_restore(r, s);
    f->out = outer;
}

static void
reverse_level(Reverse *r, Looped l, TStmts *ahead, TStmts *back)
{
    Forward *f = &r->forward;
    if (!back) {
        ahead_range(r, l, ahead);
        return;
    }
    Places places = carried(r, l.st);
    Stack s = stack_make(r, places, ahead, l.st->span);
    ahead_range(r, l, ahead);
    TStmts *outer = reverse_into(r, back);
    if (places.count || l.step[l.level])
        l.count = forward_keep(f, trips(r, &l));
    f->out = outer;
    back_loop(r, &l, &s, back);
}

static TExpr *
bound(Reverse *r, const TExpr *e, TStmts *ahead)
{
    TStmts *outer = reverse_into(r, ahead);
    TExpr *value = forward_value(&r->forward, e);
    reverse_use_source(r, e);
    if (value->kind != TX_CONST) {
        TExpr *kept = declare(r, "bound", value->type, value->span);
        forward_assign(&r->forward, kept, value, value->span);
        value = kept;
    }
    r->forward.out = outer;
    return value;
}

static void
reverse_range(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    Looped l = {.st = st};
    for (int i = 0; i < st->vars.count; i++) {
        l.from[i] = bound(r, st->from.items[i], ahead);
        l.to[i] = bound(r, st->to.items[i], ahead);
        l.step[i] = st->step.items[i] ? bound(r, st->step.items[i], ahead) : NULL;
    }
    reverse_level(r, l, ahead, back);
}

/* The loop on the way ahead, which counts iterations. */
static void
ahead_while(Reverse *r, const TStmt *st, TExpr *count, TStmts *ahead)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    TStmts body = {0}, *outer = reverse_into(r, &body);
    f->loops++;
    TExpr *cond = forward_value(f, st->value);
    reverse_use_source(r, st->value);
    TStmt *leave = new_stmt(ad, TS_IF, st->span);
    leave->value = new_unary(ad, OP_NOT, cond);
    leave->body = new_stmt(ad, TS_BLOCK, st->span);
    vec_push(ad->c->arena, &leave->body->stmts, new_stmt(ad, TS_BREAK, st->span));
    forward_emit(f, leave);
    inner(r, (Looped){.st = st}, &body, NULL);
    forward_assign(f, count, binary(r, OP_ADD, count, wide(r, 1, st->span)), st->span);
    f->loops--;
    reverse_into(r, ahead);
    forward_assign(f, count, wide(r, 0, st->span), st->span);
    emit_while(r, yes(r, st->span), body, st->span);
    f->out = outer;
}

static void
reverse_while(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    Ad *ad = r->forward.ad;
    TExpr *count = declare(r, "trips", type_scalar(ad->p->types, SCALAR_I64), st->span);
    if (!back) {
        ahead_while(r, st, count, ahead);
        return;
    }
    Looped l = {.st = st, .count = count};
    Places places = carried(r, st);
    Stack s = stack_make(r, places, ahead, st->span);
    ahead_while(r, st, count, ahead);
    back_loop(r, &l, &s, back);
}

void
reverse_loop(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back)
{
    if (st->kind == TS_CELLS)
        reverse_refuse(r, st->span, "a loop over cells that is not parallel", "a parallel loop");
    else if (st->kind == TS_WHILE)
        reverse_while(r, st, ahead, back);
    else
        reverse_range(r, st, ahead, back);
}
