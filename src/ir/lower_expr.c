/* Expressions to instructions. */
#include "config.h"

#include <string.h>

#include "check/leaf.h"
#include "ir/lower.h"

/* The value in a new variable that later code may load again. */
static Var *
keep(Lower *l, const char *name, Inst *value)
{
    Var *v = lower_temp(l, name, value->type);
    lower_declare(l, v, value);
    return v;
}

static Inst *
load_var(Lower *l, Var *v)
{
    return lower_add(l, INST_LOAD, v->type, lower_var(l, v), NULL, NULL);
}

static Inst *
get(Lower *l, Inst *v, int component)
{
    if (v->kind == INST_MAKE && v->type->kind != TYPE_ARRAY)
        return v->args.items[component];
    Inst *i = lower_add(l, INST_GET, lower_scalar(l, v->type->scalar), v, NULL, NULL);
    i->index = component;
    return i;
}

/* ---- checks of --check ---- */

static bool
checks(const Lower *l)
{
    return l->c->options.check & CHECK_BOUNDS;
}

static Inst *
check_divisor(Lower *l, Inst *b)
{
    if (!checks(l) || !type_is_integer(b->type))
        return b;
    return lower_add(l, INST_CHECK_DIV, b->type, b, NULL, NULL);
}

/* Does --check look at results of this type? */
static bool
may_overflow(const Lower *l, const Type *t)
{
    return (l->c->options.check & CHECK_OVERFLOW) && type_is_arith(t) &&
           scalar_info(t->scalar)->kind == KIND_INT;
}

/* a op b, after the test that it fits. */
static Inst *
check_overflow(Lower *l, Op op, Inst *a, Inst *b, const Type *type)
{
    Inst *i = lower_add(l, INST_CHECK_OVERFLOW, type, a, b, NULL);
    i->op = op;
    return i;
}

/* May a quotient by this overflow? Only by -1. */
static bool
may_be_minus_one(const Inst *b)
{
    return b->kind != INST_CONST || b->type->kind != TYPE_SCALAR || b->value.leaves[0].i == -1;
}

static Inst *
checked_binary(Lower *l, Op op, Inst *a, Inst *b, const Type *type)
{
    bool fits =
        may_overflow(l, a->type) ? (op == OP_DIV || op == OP_MOD) && !may_be_minus_one(b) : true;
    if (op == OP_DIV || op == OP_MOD)
        b = check_divisor(l, b);
    if ((op == OP_SHL || op == OP_SHR) && checks(l)) {
        b = lower_add(l, INST_CHECK_SHIFT, b->type, b, NULL, NULL);
        b->index = 8 * scalar_info(a->type->scalar)->bytes;
        b->to = a->type->scalar;
    }
    if (!fits && (op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_DIV || op == OP_MOD))
        return check_overflow(l, op, a, b, type);
    Inst *i = lower_add(l, INST_BINARY, type, a, b, NULL);
    i->op = op;
    return i;
}

Inst *
lower_operation(Lower *l, Op op, Inst *a, Inst *b)
{
    return checked_binary(l, op, a, b, a->type);
}

/* ---- operators ---- */

static Inst *
lower_in_block(Lower *l, const TExpr *e, Block **out)
{
    Block *old;
    *out = lower_enter(l, &old);
    (*out)->result = lower_expr(l, e);
    lower_leave(l, old);
    return (*out)->result;
}

static Inst *
expr_binary(Lower *l, const TExpr *e)
{
    Inst *a = lower_expr(l, e->a);
    if (e->a->type->kind == TYPE_STRING) {
        Inst *same = lower_add(l, INST_SAME_TEXT, e->type, a, lower_expr(l, e->b), NULL);
        if (e->op == OP_EQ)
            return same;
        same = lower_add(l, INST_UNARY, e->type, same, NULL, NULL);
        same->op = OP_NOT;
        return same;
    }
    if ((e->op == OP_LAND || e->op == OP_LOR) && e->type->kind == TYPE_SCALAR) {
        Block *right;
        lower_in_block(l, e->b, &right);
        Inst *i = lower_add(l, INST_LOGIC, e->type, a, NULL, NULL);
        i->op = e->op;
        i->blocks[0] = right;
        return i;
    }
    return checked_binary(l, e->op, a, lower_expr(l, e->b), e->type);
}

static Inst *
expr_cond(Lower *l, const TExpr *e)
{
    Inst *a = lower_expr(l, e->a);
    Block *yes, *no;
    lower_in_block(l, e->b, &yes);
    lower_in_block(l, e->c, &no);
    Inst *i = lower_add(l, INST_COND, e->type, a, NULL, NULL);
    i->blocks[0] = yes;
    i->blocks[1] = no;
    return i;
}

static Inst *
expr_cast(Lower *l, const TExpr *e)
{
    Inst *a = lower_expr(l, e->a);
    ScalarKind to = scalar_info(e->type->scalar)->kind;
    if (checks(l) && scalar_info(a->type->scalar)->kind == KIND_FLOAT && to != KIND_FLOAT &&
        to != KIND_BOOL) {
        a = lower_add(l, INST_CHECK_CAST, a->type, a, NULL, NULL);
        a->to = e->type->scalar;
    }
    return lower_add(l, INST_CAST, e->type, a, NULL, NULL);
}

static Inst *
expr_args(Lower *l, const TExpr *e, InstKind kind)
{
    int n = e->args.count;
    Inst **list = ARENA_ARRAY(l->c->arena, Inst *, n);
    for (int i = 0; i < n; i++)
        list[i] = lower_expr(l, e->args.items[i]);
    Inst *i = ir_new(l->c, kind, e->type, l->span);
    for (int k = 0; k < n; k++)
        ir_arg(l->c, i, list[k]);
    i->node = e->node;
    i->builtin = e->builtin;
    block_add(l->c, l->block, i);
    return i;
}

static Inst *
expr_swizzle(Lower *l, const TExpr *e)
{
    Inst *a = lower_expr(l, e->a), *parts[4];
    for (int i = 0; i < e->swizzle_count; i++)
        parts[i] = get(l, a, e->swizzle[i]);
    Inst *make = ir_new(l->c, INST_MAKE, e->type, l->span);
    for (int i = 0; i < e->swizzle_count; i++)
        ir_arg(l->c, make, parts[i]);
    block_add(l->c, l->block, make);
    return make;
}

static Inst *
expr_builtin(Lower *l, const TExpr *e)
{
    if (!e->args.count) {
        Inst *i = lower_add(l, INST_RANDOM, e->type, NULL, NULL, NULL);
        i->builtin = e->builtin;
        l->f->uses_random = true;
        return i;
    }
    Inst *i = expr_args(l, e, INST_BUILTIN);
    bool divides = e->builtin == BUILTIN_FLOORDIV || e->builtin == BUILTIN_FLOORMOD;
    if ((divides || e->builtin == BUILTIN_ABS) && type_is_integer(e->type)) {
        Insts *a = &i->args;
        bool fits = !may_overflow(l, e->type) || (divides && !may_be_minus_one(a->items[1]));
        l->block->insts.count--;
        if (divides)
            a->items[1] = check_divisor(l, a->items[1]);
        if (!fits && divides)
            check_overflow(l, OP_DIV, a->items[0], a->items[1], e->type);
        else if (!fits)
            check_overflow(l, OP_SUB, lower_zero(l, e->type), a->items[0], e->type);
        block_add(l->c, l->block, i);
    }
    return i;
}

/* ---- places read ---- */

static bool
is_place(const TExpr *e)
{
    while (e->kind == TX_ELEM || e->kind == TX_MEMBER)
        e = e->a;
    return e->kind == TX_VAR || e->kind == TX_TABLE || e->kind == TX_FIELD;
}

/* Number of the element that constant indices select, or -1: they are not constant, or it has
 * none. */
static int64_t
constant_element(const Type *t, const TExpr *row, const TExpr *column)
{
    if (row->kind != TX_CONST || (column && column->kind != TX_CONST))
        return -1;
    const int64_t r = row->value.leaves[0].i, c = column ? column->value.leaves[0].i : 0;
    const int64_t rows = column ? t->rows : t->leaf_count, cols = column ? t->cols : 1;
    return r >= 0 && r < rows && c >= 0 && c < cols ? r * cols + c : -1;
}

static Inst *
expr_place(Lower *l, const TExpr *e)
{
    if (is_place(e)) {
        LowPlace p = lower_place(l, e, ACCESS_READ);
        lower_check_init(l, &p);
        return lower_load(l, &p);
    }
    if (e->kind == TX_ELEM && e->a->type->kind == TYPE_ARRAY) {
        LowPlace p = lower_place(l, e, ACCESS_READ);
        return lower_load(l, &p);
    }
    Inst *a = lower_expr(l, e->a);
    if (e->kind == TX_MEMBER) {
        Inst *i = lower_add(l, INST_GET, e->type, a, NULL, NULL);
        i->index = e->member;
        return i;
    }
    const TExpr *row = e->args.items[0], *column = e->args.count > 1 ? e->args.items[1] : NULL;
    const int64_t n = constant_element(a->type, row, column);
    if (n >= 0)
        return get(l, a, (int)n);
    Inst *indices[2] = {NULL, NULL};
    lower_element_indices(l, e, NULL, indices);
    return lower_add(l, INST_GET_AT, e->type, a, indices[0], indices[1]);
}

/* ---- calls ---- */

/* An argument, and the place of one that is inout. */
typedef struct {
    LowPlace place;
    Insts given; /* to the function; none yet: the component is chosen at run time */
    Var *copy; /* stored back after the call, or NULL */
    bool apart; /* given scalar by scalar */
    FlagCopy flags;
} Argument;

/* The place of an inout argument. What lies apart is given scalar by scalar, or through a copy:
 * where only this iteration comes to it, since a call with variables can be inlined, and to C. */
static void
inout_argument(Lower *l, const Func *to, int param, const TExpr *e, Argument *out)
{
    out->place = lower_place(l, e, ACCESS_ACTIVATE);
    Inst *place = lower_place_inst(l, &out->place);
    if (!place && lower_is_given_apart(l, to, param, &out->place)) {
        out->apart = !out->place.component;
        if (out->apart)
            lower_give_apart(l, &out->place, &out->given);
        return;
    }
    if (!place) {
        out->copy = keep(l, "copy", lower_load(l, &out->place));
        place = lower_var(l, out->copy);
    }
    vec_push(l->c->arena, &out->given, place);
}

/* An array that the function may fill. */
static void
array_argument(Lower *l, const TExpr *e, Argument *out)
{
    out->place = lower_place(l, e, ACCESS_ACTIVATE);
    vec_push(l->c->arena, &out->given, out->place.place);
}

/* The call with all arguments. */
static Inst *
add_call(Lower *l, const TExpr *e, Argument *args)
{
    const int n = e->args.count;
    uint64_t apart = 0;
    Inst *call = ir_new(l->c, INST_CALL, e->func->result, l->span);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < args[i].given.count; k++)
            ir_arg(l->c, call, args[i].given.items[k]);
        if (args[i].apart)
            apart |= (uint64_t)1 << i;
    }
    call->func = apart ? lower_apart_func(l, e->func, apart) : e->func;
    for (int i = 0; i < n; i++)
        if (!args[i].apart)
            lower_give_flags(l, call, e->func->params.items[i], &args[i].place, &args[i].flags);
    lower_note_given(l, call);
    block_add(l->c, l->block, call);
    for (int i = 0; i < n; i++) {
        if (args[i].copy)
            lower_store(l, &args[i].place, load_var(l, args[i].copy));
        if (!args[i].apart)
            lower_take_flags(l, e->func->params.items[i], &args[i].place, &args[i].flags);
    }
    return call;
}

/* A call with a component chosen at run time, of what lies apart. */
typedef struct {
    const TExpr *e;
    const Argument *args;
    int at;
    Var *result; /* NULL: none */
} ComponentCall;

static Inst *finish_call(Lower *l, const TExpr *e, Argument *args, int from);

static void
call_with_component(Lower *l, const LowPlace *part, void *arg)
{
    const ComponentCall *c = arg;
    const int n = c->e->args.count;
    Argument *args = ARENA_ARRAY(l->c->arena, Argument, n);
    memcpy(args, c->args, (size_t)n * sizeof *args);
    args[c->at].place = *part;
    vec_push(l->c->arena, &args[c->at].given, lower_place_inst(l, part));
    Inst *call = finish_call(l, c->e, args, c->at + 1);
    if (c->result)
        lower_add(l, INST_STORE, NULL, lower_var(l, c->result), call, NULL);
}

/* The call, once the components of the arguments from a number on are chosen. */
static Inst *
finish_call(Lower *l, const TExpr *e, Argument *args, int from)
{
    ComponentCall c = {.e = e, .args = args, .at = from};
    while (c.at < e->args.count && args[c.at].given.count)
        c.at++;
    if (c.at == e->args.count)
        return add_call(l, e, args);
    if (e->func->result->kind != TYPE_VOID)
        c.result = keep(l, "result", lower_zero(l, e->func->result));
    lower_each_component(l, &args[c.at].place, call_with_component, &c);
    return c.result ? load_var(l, c.result) : NULL;
}

static Inst *
expr_call(Lower *l, const TExpr *e)
{
    const int n = e->args.count;
    Argument *args = ARENA_ARRAY(l->c->arena, Argument, n);
    for (int i = 0; i < n; i++) {
        const Var *v = e->func->params.items[i];
        if (v->type->kind == TYPE_EXTERN)
            array_argument(l, e->args.items[i], &args[i]);
        else if (v->mode == PARAM_INOUT)
            inout_argument(l, e->func, i, e->args.items[i], &args[i]);
        else
            vec_push(l->c->arena, &args[i].given, lower_expr(l, e->args.items[i]));
    }
    return finish_call(l, e, args, 0);
}

/* ---- atomics ---- */

Inst *
lower_atomic_at(Lower *l, Inst *place, AtomicOp op, bool shared, Inst *value, Inst *next)
{
    Inst *i = lower_add(l, INST_ATOMIC, place->type, place, value, next);
    i->atomic_op = op;
    i->plain = !shared;
    if ((op == ATOMIC_ADD || op == ATOMIC_SUB) && may_overflow(l, place->type))
        check_overflow(l, op == ATOMIC_ADD ? OP_ADD : OP_SUB, i, value, place->type);
    return i;
}

/* An operation on a value; on a constant, its result. */
static Inst *
unary(Lower *l, Op op, Inst *a)
{
    if (a->kind != INST_CONST) {
        Inst *i = lower_add(l, INST_UNARY, a->type, a, NULL, NULL);
        i->op = op;
        return i;
    }
    Value v = {a->type, ARENA_ARRAY(l->c->arena, Leaf, a->type->leaf_count)};
    for (int i = 0; i < a->type->leaf_count; i++)
        v.leaves[i] = leaf_unary(op, a->type->scalar, a->value.leaves[i]);
    return lower_value(l, v);
}

static void
add_reduce(Lower *l, Inst *place, AtomicOp op, Inst *value)
{
    lower_add(l, INST_REDUCE, NULL, place, value, NULL)->atomic_op = op;
}

void
lower_reduce(Lower *l, Inst *place, AtomicOp op, Inst *value)
{
    if (op != ATOMIC_SUB) {
        add_reduce(l, place, op, value);
    } else if (!may_overflow(l, value->type)) {
        add_reduce(l, place, ATOMIC_ADD, unary(l, OP_NEG, value));
    } else { /* -x may not fit where the sum does: ~x + 1, each of which does */
        Inst *minus_one = unary(l, OP_COMPL, lower_zero(l, value->type));
        add_reduce(l, place, ATOMIC_ADD, unary(l, OP_COMPL, value));
        add_reduce(l, place, ATOMIC_ADD, unary(l, OP_NEG, minus_one));
    }
}

static Inst *
expr_reduce(Lower *l, const TExpr *e)
{
    LowPlace p = lower_place(l, e->a, ACCESS_READ);
    Inst *value = lower_expr(l, e->args.items[0]);
    lower_reduce(l, lower_place_inst(l, &p), e->atomic, value);
    return NULL;
}

/* An atomic operation on a run-time component of a vector that lies apart. */
typedef struct {
    const TExpr *expr;
    Inst *value, *next;
    Var *old;
} AtomicParts;

static void
atomic_component(Lower *l, const LowPlace *part, void *arg)
{
    const AtomicParts *a = arg;
    Inst *got = lower_atomic_at(l, lower_place_inst(l, part), a->expr->atomic, a->expr->is_shared,
                                a->value, a->next);
    lower_add(l, INST_STORE, NULL, lower_var(l, a->old), got, NULL);
}

static Inst *
expr_atomic(Lower *l, const TExpr *e)
{
    if (e->reduction)
        return expr_reduce(l, e);
    const bool shared = e->is_shared && lower_is_reached(e->a);
    LowPlace p = lower_place(l, e->a, ACCESS_ACTIVATE);
    Inst *value = lower_expr(l, e->args.items[0]);
    Inst *next = e->atomic == ATOMIC_CAS ? lower_expr(l, e->args.items[1]) : NULL;
    Inst *place = lower_place_inst(l, &p);
    lower_check_init(l, &p);
    if (place)
        return lower_atomic_at(l, place, e->atomic, shared, value, next);
    AtomicParts parts = {e, value, next, keep(l, "old", lower_zero(l, e->type))};
    lower_each_component(l, &p, atomic_component, &parts);
    return load_var(l, parts.old);
}

/* ---- trees ---- */

static Inst *
expr_append(Lower *l, const TExpr *e)
{
    Inst **list = ARENA_ARRAY(l->c->arena, Inst *, e->args.count + e->values.count);
    int n = 0;
    for (; n < e->args.count; n++)
        list[n] = lower_expr(l, e->args.items[n]);
    lower_check_coordinates(l, e->node, true, list);
    for (int i = 0; i < e->values.count; i++)
        list[n++] = lower_expr(l, e->values.items[i]);
    Inst *i = ir_new(l->c, INST_APPEND, e->type, l->span);
    i->node = e->node;
    i->arg_split = e->args.count;
    for (int k = 0; k < n; k++)
        ir_arg(l->c, i, list[k]);
    block_add(l->c, l->block, i);
    return i;
}

static Inst *
expr_cell(Lower *l, const TExpr *e)
{
    bool length = e->kind == TX_LENGTH;
    Inst *i = expr_args(l, e, length ? INST_LENGTH : INST_IS_ACTIVE);
    l->block->insts.count--;
    lower_check_coordinates(l, e->node, length, i->args.items);
    block_add(l->c, l->block, i);
    return i;
}

static void
address_component(Lower *l, const LowPlace *part, void *arg)
{
    Inst *address = lower_add(l, INST_ADDRESS, lower_scalar(l, SCALAR_I64),
                              lower_place_inst(l, part), NULL, NULL);
    lower_add(l, INST_STORE, NULL, lower_var(l, arg), address, NULL);
}

static Inst *
expr_address(Lower *l, const TExpr *e)
{
    LowPlace p = lower_place(l, e->a, ACCESS_ADDRESS);
    p.inside = NULL;
    Inst *place = lower_place_inst(l, &p);
    if (!place && p.component) {
        Var *address = keep(l, "address", lower_zero(l, e->type));
        lower_each_component(l, &p, address_component, address);
        return load_var(l, address);
    }
    while (!place) { /* lies apart: its first part */
        p = lower_part(l, &p, 0,
                       p.type->kind == TYPE_STRUCT ? p.type->members[0].type
                                                   : lower_scalar(l, p.type->scalar));
        place = lower_place_inst(l, &p);
    }
    return lower_add(l, INST_ADDRESS, e->type, place, NULL, NULL);
}

static Inst *
expr_extent(Lower *l, const TExpr *e)
{
    if (e->node)
        return lower_cast(l, lower_cell_count(l, e->node, e->axis), e->type->scalar);
    Inst *i = lower_add(l, INST_EXTENT, lower_scalar(l, SCALAR_I64),
                        e->field ? NULL : lower_var(l, e->a->var), NULL, NULL);
    i->field = e->field;
    i->axis = e->axis;
    return lower_cast(l, i, e->type->scalar);
}

static Inst *
expr_host(Lower *l, const TExpr *e, InstKind kind)
{
    Inst *i = lower_add(l, kind, e->type, NULL, NULL, NULL);
    if (kind == INST_ACTIVE)
        i->node = e->node;
    else
        i->layout = e->layout;
    return i;
}

static Inst *
expr_text(Lower *l, const TExpr *e)
{
    Inst *i = e->kind == TX_FORMAT ? expr_args(l, e, INST_FORMAT)
                                   : lower_add(l, INST_STRING, e->type, NULL, NULL, NULL);
    i->string = e->string;
    i->string_bytes = e->string_bytes;
    return i;
}

/* ---- all of them ---- */

static Inst *
expr_simple(Lower *l, const TExpr *e, InstKind kind)
{
    return lower_add(l, kind, e->type, lower_expr(l, e->a), NULL, NULL);
}

static Inst *
expr_kind(Lower *l, const TExpr *e)
{
    Inst *i;
    switch (e->kind) {
    case TX_CONST: return lower_value(l, e->value);
    case TX_PARAM:
        i = lower_add(l, INST_PARAM, e->type, NULL, NULL, NULL);
        i->param = e->param;
        return i;
    case TX_VAR: case TX_TABLE: case TX_FIELD: case TX_ELEM: case TX_MEMBER:
        return expr_place(l, e);
    case TX_SWIZZLE: return expr_swizzle(l, e);
    case TX_UNARY:
        if (e->op == OP_PLUS)
            return lower_expr(l, e->a);
        if (e->op == OP_NEG && may_overflow(l, e->type)) {
            i = lower_expr(l, e->a);
            return check_overflow(l, OP_SUB, lower_zero(l, e->type), i, e->type);
        }
        i = expr_simple(l, e, INST_UNARY);
        i->op = e->op;
        return i;
    case TX_BINARY: return expr_binary(l, e);
    case TX_COND: return expr_cond(l, e);
    case TX_CAST: return expr_cast(l, e);
    case TX_BITCAST: return expr_simple(l, e, INST_BITCAST);
    case TX_SPLAT: return expr_simple(l, e, INST_SPLAT);
    case TX_MAKE: return expr_args(l, e, INST_MAKE);
    case TX_FMA: {
        Inst *a = lower_expr(l, e->a), *b = lower_expr(l, e->b);
        return lower_add(l, INST_FMA, e->type, a, b, lower_expr(l, e->c));
    }
    case TX_BUILTIN: return expr_builtin(l, e);
    case TX_CALL: return expr_call(l, e);
    case TX_ATOMIC: return expr_atomic(l, e);
    case TX_IS_ACTIVE: case TX_LENGTH: return expr_cell(l, e);
    case TX_APPEND: return expr_append(l, e);
    case TX_EXTENT: return expr_extent(l, e);
    case TX_ADDRESS: return expr_address(l, e);
    case TX_CLOCK: return expr_host(l, e, INST_CLOCK);
    case TX_TAKE: return lower_add(l, INST_TAKE, e->type, NULL, NULL, NULL);
    case TX_MEASURE: return lower_add(l, INST_MEASURE, e->type, lower_expr(l, e->a), NULL, NULL);
    case TX_MEMORY: return expr_host(l, e, INST_MEMORY);
    case TX_ACTIVE: return expr_host(l, e, INST_ACTIVE);
    case TX_STRING: case TX_FORMAT: return expr_text(l, e);
    case TX_ERROR: break;
    }
    return NULL;
}

Inst *
lower_expr(Lower *l, const TExpr *e)
{
    Span outer = l->span;
    if (e->span.from)
        l->span = e->span;
    Inst *i = expr_kind(l, e);
    l->span = outer;
    return i;
}
