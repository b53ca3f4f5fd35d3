/* Statements to instructions. Parallel loops are tasks: lower.c. */
#include "config.h"

#include <string.h>

#include "ir/lower.h"

static void
stmt_decl(Lower *l, const TStmt *s)
{
    if (s->value) {
        lower_declare(l, s->var, lower_expr(l, s->value));
        return;
    }
    lower_declare(l, s->var, lower_zero(l, s->var->type));
    if (s->var->no_init)
        lower_declare_flags(l, s->var);
}

/* ---- assignment ---- */

static AtomicOp
atomic_of(Op op)
{
    switch (op) {
    case OP_ADD: return ATOMIC_ADD;
    case OP_SUB: return ATOMIC_SUB;
    case OP_AND: return ATOMIC_AND;
    case OP_OR: return ATOMIC_OR;
    case OP_XOR: return ATOMIC_XOR;
    default: return ATOMIC_EXCHANGE;
    }
}

/* A compound assignment that other iterations may run on the same element: component by
 * component. */
static void
assign_atomic(Lower *l, const TStmt *s, const LowPlace *where, Inst *value)
{
    LowPlace p = *where;
    const Type *t = p.type;
    p.place = lower_place_inst(l, where);
    if (t->kind == TYPE_SCALAR) {
        if (p.place)
            lower_atomic_at(l, p.place, atomic_of(s->op), true, value, NULL);
        return;
    }
    for (int i = 0; i < t->leaf_count; i++) {
        LowPlace part = lower_part(l, &p, i, lower_scalar(l, t->scalar));
        Inst *v = lower_add(l, INST_GET, part.type, value, NULL, NULL);
        v->index = i;
        lower_atomic_at(l, lower_place_inst(l, &part), atomic_of(s->op), true, v, NULL);
    }
}

/* What an atomic compound assignment needs for each component of a vector that lies apart. */
typedef struct {
    const TStmt *stmt;
    Inst *value;
} AtomicAssign;

static void
assign_component(Lower *l, const LowPlace *part, void *arg)
{
    const AtomicAssign *a = arg;
    assign_atomic(l, a->stmt, part, a->value);
}

static void
assign_compound(Lower *l, const TStmt *s, LowPlace p, Inst *value)
{
    Inst *place = lower_place_inst(l, &p);
    if (place)
        p.place = place;
    Inst *old = lower_load(l, &p);
    lower_store(l, &p, lower_operation(l, s->op, old, value));
}

static void
stmt_assign(Lower *l, const TStmt *s)
{
    Inst *value = lower_expr(l, s->value);
    if (s->is_reduction) {
        AtomicOp op = atomic_of(s->op);
        LowPlace p = lower_place(l, s->target, ACCESS_READ);
        lower_reduce(l, lower_place_inst(l, &p), op, value);
        return;
    }
    LowPlace p = lower_place(l, s->target, ACCESS_ACTIVATE);
    if (s->op != OP_NONE)
        lower_check_init(l, &p);
    if (s->op != OP_NONE && s->is_atomic && lower_is_reached(s->target) &&
        atomic_of(s->op) != ATOMIC_EXCHANGE) {
        AtomicAssign assign = {s, value};
        if (p.component)
            lower_each_component(l, &p, assign_component, &assign);
        else
            assign_atomic(l, s, &p, value);
    } else if (s->op != OP_NONE)
        assign_compound(l, s, p, value);
    else
        lower_store(l, &p, value);
    lower_set_flag(l, &p);
}

/* ---- control flow ---- */

static Block *
block_of(Lower *l, const TStmt *s)
{
    Block *old, *b;
    if (!s)
        return NULL;
    b = lower_enter(l, &old);
    lower_stmt(l, s);
    lower_leave(l, old);
    return b;
}

static void
stmt_if(Lower *l, const TStmt *s)
{
    Inst *i = lower_add(l, INST_IF, NULL, lower_expr(l, s->value), NULL, NULL);
    i->blocks[0] = block_of(l, s->body);
    i->blocks[1] = block_of(l, s->orelse);
}

static void
stmt_while(Lower *l, const TStmt *s)
{
    Block *old;
    Inst *i = lower_add(l, INST_WHILE, NULL, NULL, NULL, NULL);
    i->blocks[0] = lower_enter(l, &old);
    i->blocks[0]->result = lower_expr(l, s->value);
    lower_leave(l, old);
    i->blocks[1] = block_of(l, s->body);
}

static bool
is_constant(const Inst *i)
{
    return i->kind == INST_CONST;
}

/* A step of 0 is an error. */
static void
check_step(Lower *l, Inst *step)
{
    if (is_constant(step))
        return;
    Inst *test = lower_binary(l, OP_NE, step, lower_integer(l, step->type->scalar, 0));
    Inst *i = lower_add(l, INST_ASSERT, NULL, test, NULL, NULL);
    i->string = "the step of a range is 0";
    i->string_bytes = strlen(i->string);
    i->blocks[0] = ARENA_NEW(l->c->arena, Block);
}

void
lower_bounds(Lower *l, const TStmt *s, Insts *from, Insts *to, Insts *step)
{
    Span outer = l->span;
    l->span = s->span;
    for (int a = 0; a < s->vars.count; a++) {
        Scalar type = s->vars.items[a]->type->scalar;
        const TExpr *by = a < s->step.count ? s->step.items[a] : NULL;
        vec_push(l->c->arena, from, lower_cast(l, lower_expr(l, s->from.items[a]), type));
        vec_push(l->c->arena, to, lower_cast(l, lower_expr(l, s->to.items[a]), type));
        vec_push(l->c->arena, step,
                 by ? lower_cast(l, lower_expr(l, by), type) : lower_integer(l, type, 1));
        check_step(l, vec_last(step));
    }
    l->span = outer;
}

static void
stmt_range(Lower *l, const TStmt *s)
{
    Insts from = {0}, to = {0}, step = {0};
    lower_bounds(l, s, &from, &to, &step);
    Inst *i = ir_new(l->c, INST_FOR, NULL, s->span);
    for (int a = 0; a < s->vars.count; a++) {
        ir_arg(l->c, i, from.items[a]);
        ir_arg(l->c, i, to.items[a]);
        ir_arg(l->c, i, step.items[a]);
        vec_push(l->c->arena, &i->vars, s->vars.items[a]);
    }
    i->progress = s->progress;
    i->blocks[0] = block_of(l, s->body);
    block_add(l->c, l->block, i);
}

static void
stmt_cells(Lower *l, const TStmt *s)
{
    Inst *i = ir_new(l->c, INST_FOR_CELLS, NULL, s->span);
    i->node = s->node;
    i->field = s->field;
    for (int a = 0; a < s->vars.count; a++)
        vec_push(l->c->arena, &i->vars, s->vars.items[a]);
    const TStmt *outer = l->cells;
    l->cells = s;
    i->blocks[0] = block_of(l, s->body);
    l->cells = outer;
    block_add(l->c, l->block, i);
}

static void
stmt_return(Lower *l, const TStmt *s)
{
    lower_add(l, INST_RETURN, NULL, s->value ? lower_expr(l, s->value) : NULL, NULL, NULL);
}

/* ---- print and assert ---- */

static void
lower_args(Lower *l, const TExprs *args, Insts *out)
{
    for (int i = 0; i < args->count; i++)
        vec_push(l->c->arena, out, lower_expr(l, args->items[i]));
}

static void
stmt_print(Lower *l, const TStmt *s)
{
    Insts args = {0};
    lower_args(l, &s->args, &args);
    Inst *i = lower_add(l, INST_PRINT, NULL, NULL, NULL, NULL);
    i->args = args;
    i->string = s->string;
    i->string_bytes = s->string_bytes;
}

/* "assertion failed: TEXT" as a format string. */
static const char *
condition_format(Lower *l, const char *text)
{
    if (!text || !*text)
        return "assertion failed";
    Text t;
    text_init(&t, l->c->arena);
    text_raw(&t, "assertion failed: ", strlen("assertion failed: "));
    for (const char *s = text; *s; s++) {
        if (*s == '{' || *s == '}')
            text_raw(&t, s, 1);
        text_raw(&t, s, 1);
    }
    return t.data;
}

static void
stmt_assert(Lower *l, const TStmt *s)
{
    if (l->c->options.no_assert)
        return;
    Block *old;
    Inst *i = lower_add(l, INST_ASSERT, NULL, lower_expr(l, s->value), NULL, NULL);
    i->string = s->has_format && (s->args.count || s->string_bytes)
                    ? s->string
                    : condition_format(l, s->has_format ? NULL : s->string);
    i->string_bytes = strlen(i->string);
    i->blocks[0] = lower_enter(l, &old);
    lower_args(l, &s->args, &i->assert_args);
    lower_leave(l, old);
}

/* ---- trees and files ---- */

static InstKind
activity_kind(TStmtKind k)
{
    return k == TS_ACTIVATE     ? INST_ACTIVATE
           : k == TS_DEACTIVATE ? INST_DEACTIVATE
                                : INST_DEACTIVATE_ALL;
}

static void
stmt_activity(Lower *l, const TStmt *s)
{
    Insts args = {0};
    lower_args(l, &s->args, &args);
    if (s->kind != TS_DEACTIVATE_ALL)
        lower_check_coordinates(
            l, s->node, s->kind == TS_DEACTIVATE && s->node->kind == NODE_DYNAMIC, args.items);
    Inst *i = lower_add(l, activity_kind(s->kind), NULL, NULL, NULL, NULL);
    i->args = args;
    i->node = s->node;
    if (s->kind != TS_ACTIVATE)
        lower_layouts_add(l->c->arena, &l->f->collect, s->node->layout);
}

static InstKind
host_kind(TStmtKind k)
{
    switch (k) {
    case TS_CREATE: return INST_CREATE;
    case TS_DESTROY: return INST_DESTROY;
    case TS_TRIM: return INST_TRIM;
    case TS_FILL: return INST_FILL;
    case TS_COPY: return INST_COPY;
    case TS_SWAP: return INST_SWAP;
    case TS_SAVE: return INST_SAVE;
    case TS_LOAD: return INST_LOADFILE;
    default: return INST_IMAGE;
    }
}

static void
stmt_host(Lower *l, const TStmt *s)
{
    Insts args = {0};
    if (s->path)
        vec_push(l->c->arena, &args, lower_expr(l, s->path));
    if (s->kind == TS_FILL)
        vec_push(l->c->arena, &args, lower_expr(l, s->value));
    if (s->kind == TS_IMAGE) {
        vec_push(l->c->arena, &args, lower_cast(l, lower_expr(l, s->from.items[0]), SCALAR_F64));
        vec_push(l->c->arena, &args, lower_cast(l, lower_expr(l, s->to.items[0]), SCALAR_F64));
    }
    Inst *i = lower_add(l, host_kind(s->kind), NULL, NULL, NULL, NULL);
    i->args = args;
    i->layout = s->layout;
    i->field = s->field;
    if (s->kind == TS_COPY)
        i->field2 = s->field2;
    else
        i->layout2 = s->layout2;
    for (int k = 0; k < s->fields.count; k++)
        vec_push(l->c->arena, &i->fields, s->fields.items[k]);
}

static void
stmt_tape(Lower *l, const TStmt *s)
{
    Insts args = {0};
    if (s->value)
        vec_push(l->c->arena, &args, lower_expr(l, s->value));
    Inst *i = lower_add(l, s->kind == TS_KEEP ? INST_KEEP : INST_GIVE, NULL, NULL, NULL, NULL);
    i->args = args;
    i->field = s->value ? NULL : s->field;
    i->index = s->tape;
}

/* ---- all of them ---- */

void
lower_stmt(Lower *l, const TStmt *s)
{
    Span outer = l->span;
    l->span = s->span;
    l->statement_count++;
    switch (s->kind) {
    case TS_BLOCK:
        for (int i = 0; i < s->stmts.count; i++)
            lower_stmt(l, s->stmts.items[i]);
        break;
    case TS_DECL: stmt_decl(l, s); break;
    case TS_ASSIGN: stmt_assign(l, s); break;
    case TS_EXPR: lower_expr(l, s->value); break;
    case TS_IF: stmt_if(l, s); break;
    case TS_WHILE: stmt_while(l, s); break;
    case TS_RANGE: stmt_range(l, s); break;
    case TS_CELLS: stmt_cells(l, s); break;
    case TS_BREAK: lower_add(l, INST_BREAK, NULL, NULL, NULL, NULL); break;
    case TS_CONTINUE: lower_add(l, INST_CONTINUE, NULL, NULL, NULL, NULL); break;
    case TS_RETURN: stmt_return(l, s); break;
    case TS_PRINT: stmt_print(l, s); break;
    case TS_ASSERT: stmt_assert(l, s); break;
    case TS_ACTIVATE: case TS_DEACTIVATE: case TS_DEACTIVATE_ALL: stmt_activity(l, s); break;
    case TS_DIFF: case TS_DERIVE: break; /* taken apart before */
    case TS_CREATE: case TS_DESTROY: case TS_TRIM: case TS_FILL: case TS_COPY: case TS_SWAP:
    case TS_SAVE: case TS_LOAD: case TS_IMAGE:
        stmt_host(l, s);
        break;
    case TS_KEEP: case TS_TAKE: stmt_tape(l, s); break;
    }
    l->span = outer;
}
