/* What must hold of the IR between any two passes. Words: an operand is *in scope* when its
 * instruction comes before, in the same block or in one around it; the setup of a task and its body
 * see nothing of each other. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/inst_info.h"
#include "ir/ir.h"

typedef struct {
    Compile *c;
    const IrFunc *f;
    const Task *task;          /* whose body is being checked, or NULL */
    const Node *cells;         /* what the innermost loop over cells runs over, or NULL */
    int loops;                 /* sequential loops around */
    const char *error;         /* the first one */
} Verify;

static void verify_block(Verify *v, const Block *b, const Inst *owner);

static void broken(Verify *v, const Inst *i, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void
broken(Verify *v, const Inst *i, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    if (v->error)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const char *name = v->f->func->unique ? v->f->func->unique : v->f->func->name;
    if (i)
        v->error = arena_printf(v->c->arena, "%s: $%d (%s): %s", name ? name : "?", i->id,
                                inst_info(i->kind)->text, text);
    else
        v->error = arena_printf(v->c->arena, "%s: %s", name ? name : "?", text);
}

/* Reports unless `holds`. */
#define REQUIRE(holds, ...)                \
    do {                                   \
        if (!(holds))                      \
            broken(v, i, __VA_ARGS__);     \
    } while (0)

/* ---- types ---- */

static const char *
type_text(const Type *t)
{
    return t ? t->name : "no type";
}

static bool
is_scalar_of(const Type *t, ScalarKind a, ScalarKind b)
{
    if (!t || t->kind != TYPE_SCALAR)
        return false;
    ScalarKind kind = scalar_info(t->scalar)->kind;
    return kind == a || kind == b;
}

static bool
is_index(const Type *t)
{
    return is_scalar_of(t, KIND_INT, KIND_UINT);
}

static bool
is_condition(const Type *t)
{
    return is_scalar_of(t, KIND_BOOL, KIND_BOOL);
}

static bool
same_shape(const Type *a, const Type *b)
{
    return a && b && type_is_arith(a) && type_is_arith(b) && a->rows == b->rows &&
           a->cols == b->cols;
}

static const Type *
arg_type(const Inst *i, int k)
{
    return k < i->args.count ? i->args.items[k]->type : NULL;
}

static void
verify_same(Verify *v, const Inst *i, const Type *a, const Type *b)
{
    REQUIRE(a && a == b, "types differ: %s and %s", type_text(a), type_text(b));
}

static void
verify_indices(Verify *v, const Inst *i, int first, int end)
{
    for (int k = first; k < end; k++)
        REQUIRE(is_index(arg_type(i, k)), "operand %d is an index of type %s", k,
                type_text(arg_type(i, k)));
}

static void
verify_binary(Verify *v, const Inst *i)
{
    const Type *a = arg_type(i, 0), *b = arg_type(i, 1);
    if (i->op == OP_MATMUL)
        return;
    if (i->op == OP_SHL || i->op == OP_SHR)
        REQUIRE(same_shape(a, b), "shapes differ: %s and %s", type_text(a), type_text(b));
    else
        verify_same(v, i, a, b);
    if (op_is_comparison(i->op))
        REQUIRE(same_shape(i->type, a) && type_is_bool(i->type), "result is %s",
                type_text(i->type));
    else
        verify_same(v, i, i->type, a);
}

static void
verify_parts(Verify *v, const Inst *i)
{
    const Type *t = i->kind == INST_MAKE ? i->type : arg_type(i, 0);
    if (!t) {
        broken(v, i, "no type");
        return;
    }
    int count = t->kind == TYPE_STRUCT ? t->member_count : t->leaf_count;
    if (t->kind == TYPE_ARRAY && t->elem->leaf_count)
        count = t->leaf_count / t->elem->leaf_count;
    if (i->kind == INST_MAKE) {
        REQUIRE(i->args.count == count, "%d operands for %s", i->args.count, t->name);
        return;
    }
    REQUIRE(i->index >= 0 && i->index < count, "part %d of %s", i->index, t->name);
    if (t->kind == TYPE_STRUCT && i->index >= 0 && i->index < count)
        verify_same(v, i, i->type, t->members[i->index].type);
}

/* ---- operands ---- */

/* Takes the function of that name a place as its argument k? */
static bool
argument_is_place(const Func *f, int k)
{
    const Var *p = k < f->params.count ? f->params.items[k] : NULL;
    return p && (p->mode == PARAM_INOUT || p->type->kind == TYPE_EXTERN);
}

/* What operand k has to be: V, P or C. */
static char
operand_kind(const Inst *i, int k)
{
    switch (i->kind) {
    case INST_LOAD: case INST_STORE: case INST_ATOMIC: case INST_REDUCE: case INST_ADDRESS:
    case INST_ELEM: case INST_MEMBER: case INST_EXTENT: case INST_CHECK_RACE:
        return k == 0 ? 'P' : 'V';
    case INST_IN_CELL: case INST_CHILD: case INST_LOOKUP: case INST_LOOKUP_HASH: case INST_FETCH:
        return k == 0 ? 'C' : 'V';
    case INST_DEACTIVATE: case INST_IS_ACTIVE: case INST_LENGTH: case INST_APPEND:
        return k == 0 && inst_has_container(i) ? 'C' : 'V';
    case INST_FOR: return k == 3 && i->vars.count == 1 ? 'C' : 'V';
    case INST_CALL: return argument_is_place(i->func, k) ? 'P' : 'V';
    default: return 'V';
    }
}

static void
verify_operand(Verify *v, const Inst *i, const Inst *x, char kind)
{
    REQUIRE(x->in_scope, "operand $%d (%s) is not in scope", x->id, inst_info(x->kind)->text);
    REQUIRE(inst_info(x->kind)->result == kind, "operand $%d (%s) is a %c, not a %c", x->id,
            inst_info(x->kind)->text, inst_info(x->kind)->result, kind);
    REQUIRE(kind != 'V' || (x->type && x->type->kind != TYPE_VOID), "operand $%d has no value",
            x->id);
}

static void
verify_operands(Verify *v, const Inst *i)
{
    int wanted = inst_info(i->kind)->operands;
    REQUIRE(wanted < 0 || i->args.count == wanted, "%d operands", i->args.count);
    for (int k = 0; k < i->args.count; k++)
        REQUIRE(i->args.items[k], "operand %d is missing", k);
    if (i->kind == INST_CALL)
        REQUIRE(i->func && i->func->params.count == i->args.count, "%d arguments", i->args.count);
    for (int k = 0; k < i->args.count && !v->error; k++)
        verify_operand(v, i, i->args.items[k], operand_kind(i, k));
}

/* ---- places and cells ---- */

static void
verify_var(Verify *v, const Inst *i, const Var *var)
{
    /* mostly it stands there */
    bool known =
        var && var->id >= 0 && var->id < v->f->vars.count && v->f->vars.items[var->id] == var;
    for (int k = 0; k < v->f->vars.count && !known; k++)
        known = v->f->vars.items[k] == var;
    REQUIRE(known, "variable %s is not of this function", var ? var->name : "(none)");
}

static void
verify_run(Verify *v, const Inst *i)
{
    const Field *f = i->field;
    if (!f || !i->type || i->leaf < 0 || i->leaf + i->type->leaf_count > f->type->leaf_count) {
        broken(v, i, "no such leaves");
        return;
    }
    const Node *node = i->kind == INST_IN_CELL  ? i->args.items[0]->node
                       : i->kind == INST_HALO   ? i->halo->halo->node
                       : i->kind == INST_WINDOW_COPY ? i->window->window->node
                       : i->kind == INST_STREAM ? f->node
                                                : NULL;
    REQUIRE(f->leaves[i->leaf].node == node, "%s is not in that cell", f->name);
}

/* An operation on activity that names its container. */
static void
verify_in_container(Verify *v, const Inst *i)
{
    const Node *n = i->node;
    bool list = n->kind == NODE_DYNAMIC && i->kind != INST_IS_ACTIVE;
    int values = i->args.count - i->arg_split;
    REQUIRE(i->args.items[0]->node == n, "not a container of that node");
    if (i->kind == INST_APPEND)
        REQUIRE(i->arg_split == 1 && (!values || values == n->places.count), "%d values", values);
    else {
        REQUIRE(i->args.count == (list                   ? 1
                                  : n->kind == NODE_HASH ? 1 + n->axis_count
                                                         : 2),
                "%d operands", i->args.count);
        verify_indices(v, i, 1, i->args.count);
    }
}

/* A node that an operation on cells names, and its coordinates. */
static void
verify_cell(Verify *v, const Inst *i)
{
    const Node *n = i->node;
    if (!n) {
        broken(v, i, "no node");
        return;
    }
    int axes = node_axis_rank(n, AXIS_MAX), first = 0, count = i->args.count;
    bool list = n->kind == NODE_DYNAMIC;
    if (inst_has_container(i) && !inst_is_lookup(i)) {
        verify_in_container(v, i);
        return;
    }
    switch (i->kind) {
    case INST_LOOKUP: case INST_LOOKUP_HASH: first = 1; break;
    case INST_LENGTH: REQUIRE(list && count == axes - 1, "%d coordinates", count); break;
    case INST_APPEND:
        count = i->arg_split;
        REQUIRE(list && count == axes - 1, "%d coordinates", count);
        REQUIRE(i->args.count == count || i->args.count - count == n->places.count,
                "%d values", i->args.count - count);
        break;
    case INST_DEACTIVATE: REQUIRE(count == axes - list, "%d coordinates", count); break;
    case INST_CHILD: REQUIRE(i->args.items[0]->node == n->parent, "not the parent's cell"); return;
    default: REQUIRE(count == axes, "%d coordinates", count);
    }
    if (first)
        REQUIRE(i->args.items[0]->node == n, "not a container of that node");
    verify_indices(v, i, first, count);
}

static void
verify_loop_cell(Verify *v, const Inst *i)
{
    const Node *n = v->cells;
    if (i->var) {
        REQUIRE(i->node->kind == NODE_DYNAMIC, "a cell of no list");
        return;
    }
    while (n && n != i->node)
        n = n->parent;
    REQUIRE(i->node && n, "the loop does not run over such cells");
}

/* ---- control flow ---- */

static void
verify_loop(Verify *v, const Inst *i)
{
    int n = i->vars.count;
    for (int k = 0; k < n; k++)
        verify_var(v, i, i->vars.items[k]);
    if (i->kind == INST_FOR_CELLS) {
        REQUIRE(n == (i->node ? node_axis_rank(i->node, AXIS_MAX) : 0), "%d variables", n);
        return;
    }
    bool list = n == 1 && i->args.count == 4;
    REQUIRE(n > 0 && i->args.count == 3 * n + list, "%d operands for %d variables", i->args.count,
            n);
    for (int k = 0; k < 3 * n && !v->error; k++)
        verify_same(v, i, arg_type(i, k), i->vars.items[k / 3]->type);
}

static const Type *
result_type(const Block *b)
{
    return b && b->result ? b->result->type : NULL;
}

/* The blocks that an instruction must have, and their results. */
static void
verify_blocks(Verify *v, const Inst *i)
{
    const Type *a = result_type(i->blocks[0]), *b = result_type(i->blocks[1]);
    switch (i->kind) {
    case INST_LOGIC: REQUIRE(is_condition(a) && !i->blocks[1], "no right side"); break;
    case INST_COND:
        verify_same(v, i, a, i->type);
        verify_same(v, i, b, i->type);
        break;
    case INST_IF: REQUIRE(i->blocks[0] && !a && !b, "blocks"); break;
    case INST_ABREAST:
        REQUIRE(i->blocks[0] && !a && !i->blocks[1] && v->task && v->task->goes_abreast, "blocks");
        break;
    case INST_WHILE: REQUIRE(is_condition(a) && i->blocks[1] && !b, "blocks"); break;
    case INST_FOR: case INST_FOR_CELLS:
        REQUIRE(!i->packed ||
                    (i->args.count == 4 && v->task && v->task->packed == i->args.items[3]->node),
                "list");
        REQUIRE(i->blocks[0] && !a && !i->blocks[1], "blocks");
        break;
    case INST_LOOP: case INST_INSIDE:
        REQUIRE(i->blocks[0] && !a && !i->blocks[1] && v->task, "blocks"); break;
    case INST_ASSERT: REQUIRE(!a && !i->blocks[1], "blocks"); break;
    default: REQUIRE(!i->blocks[0] && !i->blocks[1], "it has no blocks");
    }
}

static void
verify_return(Verify *v, const Inst *i)
{
    const Type *result = v->f->func->result;
    if (i->args.count)
        verify_same(v, i, arg_type(i, 0), result);
    REQUIRE(i->args.count < 2, "%d operands", i->args.count);
}

static void
verify_jump(Verify *v, const Inst *i)
{
    bool in_task = v->task && task_is_loop(v->task);
    REQUIRE(v->loops || (in_task && i->kind == INST_CONTINUE), "outside a loop");
}

static void
verify_reduce(Verify *v, const Inst *i)
{
    const Inst *place = inst_place_root(i->args.items[0]);
    bool known = false;
    for (int k = 0; v->task && k < v->task->reductions.count; k++)
        known |= place->kind == INST_VAR && v->task->reductions.items[k].var == place->var &&
                 v->task->reductions.items[k].op == i->atomic_op;
    REQUIRE(known, "not a reduction of the task");
    verify_same(v, i, arg_type(i, 0), arg_type(i, 1));
}

/* ---- all instructions ---- */

static void
verify_value(Verify *v, const Inst *i)
{
    const Type *a = arg_type(i, 0);
    switch (i->kind) {
    case INST_CONST: verify_same(v, i, i->type, i->value.type); break;
    case INST_PARAM: verify_same(v, i, i->type, i->param ? i->param->type : NULL); break;
    case INST_UNARY: case INST_CHECK_DIV: case INST_CHECK_SHIFT: case INST_CHECK_CAST:
        verify_same(v, i, i->type, a);
        break;
    case INST_CHECK_OVERFLOW:
        if (i->args.count == 2)
            verify_binary(v, i);
        break;
    case INST_BINARY: verify_binary(v, i); break;
    case INST_CAST:
        REQUIRE(same_shape(i->type, a), "%s from %s", type_text(i->type), type_text(a));
        break;
    case INST_BITCAST:
        REQUIRE(same_shape(i->type, a) && i->type->bytes == a->bytes, "%s from %s",
                type_text(i->type), type_text(a));
        break;
    case INST_SPLAT:
        REQUIRE(a && a->kind == TYPE_SCALAR && i->type && i->type->scalar == a->scalar,
                "%s from %s", type_text(i->type), type_text(a));
        break;
    case INST_MAKE: case INST_GET: verify_parts(v, i); break;
    case INST_FMA:
        for (int k = 0; k < 3; k++)
            verify_same(v, i, i->type, arg_type(i, k));
        break;
    case INST_SELECT:
        REQUIRE(is_condition(a), "condition is %s", type_text(a));
        verify_same(v, i, i->type, arg_type(i, 1));
        verify_same(v, i, i->type, arg_type(i, 2));
        break;
    case INST_LOGIC: case INST_COND: case INST_IF: case INST_ASSERT:
        REQUIRE(is_condition(a), "condition is %s", type_text(a));
        break;
    case INST_CHECK_INDEX:
        verify_indices(v, i, 0, 3);
        verify_same(v, i, a, arg_type(i, 1));
        verify_same(v, i, a, arg_type(i, 2));
        break;
    default: break;
    }
}

/* What an instruction names has to be there. */
static void
verify_named(Verify *v, const Inst *i)
{
    switch (i->kind) {
    case INST_REQUIRE: case INST_MEMORY: case INST_CREATE: case INST_DESTROY: case INST_TRIM:
        REQUIRE(i->layout, "no layout");
        break;
    case INST_SWAP: REQUIRE(i->layout && i->layout2, "no layout"); break;
    case INST_FILL:
        REQUIRE(i->field, "no field");
        verify_same(v, i, arg_type(i, 0), i->field ? i->field->type : NULL);
        break;
    case INST_COPY: REQUIRE(i->field && i->field2, "no field"); break;
    case INST_SAVE: case INST_LOADFILE: case INST_IMAGE:
        REQUIRE(i->layout || i->fields.count, "nothing to save or load");
        break;
    case INST_PRINT: case INST_ASSERT: case INST_FORMAT: case INST_STRING: case INST_CHECK_INDEX:
    case INST_CHECK_RACE: case INST_CHECK_INIT:
        REQUIRE(i->string, "no text");
        break;
    case INST_ACTIVE: case INST_DEACTIVATE_ALL: REQUIRE(i->node, "no node"); break;
    case INST_ACTIVATE_AS: REQUIRE(i->node && i->like, "no node"); break;
    default: break;
    }
}

static void
verify_memory(Verify *v, const Inst *i)
{
    switch (i->kind) {
    case INST_VAR: verify_var(v, i, i->var); break;
    case INST_ELEM:
        REQUIRE(i->args.count > 1, "no index");
        verify_indices(v, i, 1, i->args.count);
        break;
    case INST_GET_AT: verify_indices(v, i, 1, i->args.count); break;
    case INST_MEMBER: verify_parts(v, i); break;
    case INST_IN_CELL: case INST_ROOT_PLACE: case INST_HALO: case INST_WINDOW_COPY:
    case INST_STREAM:
        verify_run(v, i);
        break;
    case INST_WINDOW: REQUIRE(i->node == i->window->window->node, "not of that node"); break;
    case INST_LOAD: verify_same(v, i, i->type, arg_type(i, 0)); break;
    case INST_STORE: verify_same(v, i, arg_type(i, 0), arg_type(i, 1)); break;
    case INST_CHECK_RACE:
        REQUIRE(i->args.count > 1, "no value");
        verify_same(v, i, arg_type(i, 0), arg_type(i, 1));
        verify_indices(v, i, 2, i->args.count);
        break;
    case INST_ATOMIC:
        REQUIRE(i->args.count == (i->atomic_op == ATOMIC_CAS ? 3 : 2), "%d operands",
                i->args.count);
        for (int k = 1; k < i->args.count; k++)
            verify_same(v, i, i->joined ? i->type : arg_type(i, 0), arg_type(i, k));
        break;
    case INST_REDUCE: verify_reduce(v, i); break;
    case INST_LOOP_CELL: case INST_LOOP_NUMBER: verify_loop_cell(v, i); break;
    case INST_CELL: case INST_CHILD: case INST_LOOKUP: case INST_LOOKUP_HASH: case INST_ACTIVATE:
    case INST_DEACTIVATE: case INST_IS_ACTIVE: case INST_LENGTH: case INST_APPEND:
        verify_cell(v, i);
        break;
    case INST_ROOT: REQUIRE(i->node && !i->node->parent, "not a node at the top"); break;
    case INST_PATCH:
        REQUIRE(v->task && v->task->patch && v->task->patch->node == i->node, "no patch of it");
        break;
    case INST_PATCH_AT: case INST_PATCH_NOTE:
        REQUIRE(v->task && v->task->patch, "no patch");
        break;
    case INST_FETCH:
        REQUIRE(i->args.items[0]->node == i->node, "not a container of that node");
        REQUIRE(i->args.count == 1 + (i->node->kind == NODE_HASH ? i->node->axis_count : 0),
                "%d operands", i->args.count);
        break;
    case INST_KEY:
        REQUIRE(v->task && i->node == v->task->order && i->args.count == i->node->depth + 1,
                "%d numbers", i->args.count);
        break;
    case INST_FOR: case INST_FOR_CELLS: verify_loop(v, i); break;
    case INST_LOOP: case INST_INDEX: case INST_INSIDE:
        verify_var(v, i, i->var);
        verify_indices(v, i, 0, 2);
        break;
    case INST_AT_CELL:
        REQUIRE(v->task && v->task->node == i->node, "the loop does not run over such cells");
        verify_indices(v, i, 0, 1);
        break;
    case INST_CHUNK: REQUIRE(v->task && (i->index == 0 || i->index == 1), "no chunk"); break;
    case INST_BOUND:
        REQUIRE(v->task && v->task->kind == TASK_RANGE_FOR && i->index < v->task->vars.count,
                "no such range");
        break;
    case INST_BREAK: case INST_CONTINUE: verify_jump(v, i); break;
    case INST_RETURN: verify_return(v, i); break;
    default: break;
    }
}

static void
verify_inst(Verify *v, const Inst *i)
{
    const bool loop = inst_is_loop(i);
    const Node *outer = v->cells;
    REQUIRE(i->type || inst_info(i->kind)->result != 'V', "no type");
    verify_operands(v, i);
    if (v->error)
        return;
    verify_value(v, i);
    verify_memory(v, i);
    verify_named(v, i);
    verify_blocks(v, i);
    v->loops += loop;
    if (i->kind == INST_FOR_CELLS)
        v->cells = i->node;
    verify_block(v, i->blocks[0], i);
    verify_block(v, i->blocks[1], NULL);
    v->loops -= loop;
    v->cells = outer;
}

/* The values that an assertion prints may be computed in its block. */
static void
verify_asserted(Verify *v, const Inst *i)
{
    for (int k = 0; i->kind == INST_ASSERT && k < i->assert_args.count && !v->error; k++)
        verify_operand(v, i, i->assert_args.items[k], 'V');
}

/* Gives the number of instructions that are in scope now. */
static int
begin_scope(Verify *v, const Block *b)
{
    int k = 0;
    for (; b && k < b->insts.count && !v->error; k++) {
        Inst *i = b->insts.items[k];
        REQUIRE(!i->in_scope, "it stands in two blocks");
        verify_inst(v, i);
        i->in_scope = true;
    }
    return k;
}

static void
end_scope(const Block *b, int count)
{
    while (count > 0)
        b->insts.items[--count]->in_scope = false;
}

/* `owner`: the instruction that the block belongs to, or NULL. */
static void
verify_block(Verify *v, const Block *b, const Inst *owner)
{
    if (v->error || (!b && (!owner || owner->kind != INST_ASSERT)))
        return;
    const int count = begin_scope(v, b);
    if (owner && owner->kind == INST_ASSERT && !v->error)
        verify_asserted(v, owner);
    if (b && b->result && !v->error)
        verify_operand(v, b->result, b->result, 'V');
    end_scope(b, count);
}

/* ---- tasks ---- */

/* Bounds of ranges, in the scope of the setup. */
static void
verify_bounds(Verify *v, const Task *t)
{
    const Inst *i = NULL;
    int n = t->vars.count;
    REQUIRE(n > 0 && t->from.count == n && t->to.count == n && t->step.count == n,
            "ranges: %d variables, %d bounds", n, t->from.count);
    for (int k = 0; k < n && !v->error; k++) {
        const Inst *bounds[] = {t->from.items[k], t->to.items[k], t->step.items[k]};
        for (int e = 0; e < 3 && !v->error; e++) {
            if (e == 2 && !bounds[e])
                continue;
            bool found = false;
            for (int m = 0; t->setup && m < t->setup->insts.count; m++)
                found |= t->setup->insts.items[m] == bounds[e];
            REQUIRE(found && (bounds[e]->type == t->vars.items[k]->type || task_is_bounded(t)),
                    "ranges: a bound of %s is not in the setup, or not %s",
                    t->vars.items[k]->name, t->vars.items[k]->type->name);
        }
    }
}

static void verify_tasks(Verify *v, const Tasks *tasks);

static void
verify_task(Verify *v, const Task *t)
{
    const Inst *i = NULL;
    bool listed = t->kind == TASK_CLEAR_LIST || t->kind == TASK_LISTGEN || t->kind == TASK_GC;
    bool runs = t->kind == TASK_SERIAL || task_is_loop(t);
    REQUIRE(!listed || t->node, "a task of lists has no node");
    REQUIRE(runs == (t->body != NULL), "a task has no body, or one too many");
    for (int k = 0; k < t->vars.count; k++)
        verify_var(v, NULL, t->vars.items[k]);
    verify_block(v, t->setup, NULL);
    if (t->kind == TASK_RANGE_FOR || task_is_bounded(t))
        verify_bounds(v, t);
    if (t->kind == TASK_STRUCT_FOR)
        REQUIRE(t->vars.count == (t->node ? node_axis_rank(t->node, AXIS_MAX) : 0),
                "struct_for: %d variables", t->vars.count);
    if (t->kind == TASK_IF) {
        REQUIRE(is_condition(result_type(t->setup)), "a task has no condition");
        verify_tasks(v, &t->tasks);
        verify_tasks(v, &t->orelse);
    }
    v->task = t;
    v->cells = t->kind == TASK_STRUCT_FOR ? t->node : NULL;
    verify_block(v, t->code, NULL);
    const int entry = begin_scope(v, t->entry), before = begin_scope(v, t->before);
    verify_block(v, t->body, NULL);
    end_scope(t->before, before);
    end_scope(t->entry, entry);
    verify_block(v, t->inside_from, NULL);
    verify_block(v, t->inside_to, NULL);
    REQUIRE(!t->stride || t->inside, "no inside");
    verify_block(v, t->stride ? t->stride->sum : NULL, NULL);
    verify_block(v, t->stride ? t->stride->rest : NULL, NULL);
    verify_block(v, t->inside, NULL);
    verify_block(v, t->fetches, NULL);
    v->task = NULL;
    v->cells = NULL;
}

static void
verify_tasks(Verify *v, const Tasks *tasks)
{
    for (int i = 0; i < tasks->count && !v->error; i++)
        verify_task(v, tasks->items[i]);
}

const char *
ir_verify(Compile *c, const IrFunc *f)
{
    Verify state = {.c = c, .f = f}, *v = &state;
    const Inst *i = NULL;
    bool kernel = f->func->kind == FUNC_KERNEL;
    REQUIRE(!kernel || !f->body, "a kernel has a body");
    REQUIRE(kernel || !f->tasks.count, "tasks outside a kernel");
    verify_block(v, f->body, NULL);
    verify_tasks(v, &f->tasks);
    return state.error;
}
