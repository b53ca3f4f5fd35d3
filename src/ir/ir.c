/* IR: constructors, properties of instructions, numbering. */
#include "config.h"

#include "ir/ir.h"
#include "ir/inst_info.h"

static const InstInfo inst_table[] = {
#define INST(name, text, operands, result, effects) {text, operands, #result[0], #effects[0]},
#include "ir/insts.def"
#undef INST
};

const InstInfo *
inst_info(InstKind kind)
{
    return &inst_table[kind];
}

Inst *
ir_new(Compile *c, InstKind kind, const Type *type, Span span)
{
    Inst *i = ARENA_NEW(c->arena, Inst);
    i->kind = kind;
    i->type = type;
    i->span = span;
    return i;
}

Inst *
ir_integer(Compile *c, const Type *type, Span span, int64_t value)
{
    Inst *i = ir_new(c, INST_CONST, type, span);
    i->value = (Value){type, ARENA_ARRAY(c->arena, Leaf, 1)};
    i->value.leaves[0].i = value;
    return i;
}

Inst *
ir_binary(Compile *c, Op op, const Type *type, Span span, Inst *a, Inst *b)
{
    Inst *i = ir_new(c, INST_BINARY, type, span);
    i->op = op;
    ir_arg(c, i, a);
    ir_arg(c, i, b);
    return i;
}

void
ir_arg(Compile *c, Inst *i, Inst *operand)
{
    if (!i->args.room) { /* most have one or two */
        i->args.items = ARENA_ARRAY(c->arena, Inst *, 2);
        i->args.room = 2;
    }
    vec_push(c->arena, &i->args, operand);
}

void
block_add(Compile *c, Block *b, Inst *i)
{
    if (b->insts.count == b->insts.room)
        b->insts.items =
            vec_grow_own(c->arena, b->insts.items, b->insts.count, &b->insts.room, sizeof(Inst *));
    vec_push(c->arena, &b->insts, i);
}

Inst *
ir_add(Compile *c, Block *to, InstKind kind, const Type *type, Span span, Inst *a, Inst *b)
{
    Inst *i = ir_new(c, kind, type, span);
    if (a)
        ir_arg(c, i, a);
    if (b)
        ir_arg(c, i, b);
    block_add(c, to, i);
    return i;
}

Op
atomic_operator(AtomicOp op)
{
    switch (op) {
    case ATOMIC_ADD: return OP_ADD;
    case ATOMIC_SUB: return OP_SUB;
    case ATOMIC_AND: return OP_AND;
    case ATOMIC_OR: return OP_OR;
    case ATOMIC_XOR: return OP_XOR;
    default: return OP_NONE;
    }
}

Insts
block_take(Block *b)
{
    Insts old = b->insts;
    b->insts = (Insts){0};
    return old;
}

void
insts_free(Compile *c, Insts *list)
{
    if (list->room)
        arena_release(c->arena, list->items, (size_t)list->room * sizeof *list->items);
    *list = (Insts){0};
}

bool
fields_have(Field *const *list, int count, const Field *f)
{
    for (int k = 0; k < count; k++)
        if (list[k] == f)
            return true;
    return false;
}

bool
node_box(const Node *n, int64_t *box)
{
    static const int64_t shapes[3][3] = {{1024}, {16, 64}, {4, 8, 32}};
    int64_t cells = 1;
    if (n->kind != NODE_DENSE || n->parent || n->axis_count < 1 || n->axis_count > 3)
        return false;
    for (int k = 0; k < n->axis_count; k++) {
        int64_t size = n->sizes[k], most = shapes[n->axis_count - 1][k];
        if (!size || size > INT32_MAX / cells)
            return false;
        cells *= size;
        box[k] = size < most ? size : most;
    }
    return true;
}

bool
scalar_can_be_summed(Scalar s)
{
    return s == SCALAR_F32 || s == SCALAR_F64 || s == SCALAR_I32 || s == SCALAR_I64 ||
           s == SCALAR_U32 || s == SCALAR_U64;
}

bool
nodes_have(const Nodes *nodes, const Node *n)
{
    for (int i = 0; i < nodes->count; i++)
        if (nodes->items[i] == n)
            return true;
    return false;
}

Var *
ir_new_var(Compile *c, IrFunc *f, const char *name, const Type *type, Span span)
{
    Var *v = ARENA_NEW(c->arena, Var);
    *v = (Var){.kind = VAR_LOCAL,
               .name = name,
               .type = type,
               .id = f->vars.count,
               .span = span,
               .is_mutable = true};
    vec_push(c->arena, &f->vars, v);
    return v;
}

const Footprint *
footprint_of(const Footprints *list, const Field *f)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].field == f)
            return &list->items[i];
    return NULL;
}

bool
task_has_one_index(const Task *t)
{
    const Node *n = t->kind == TASK_STRUCT_FOR && !t->use_list ? t->node : NULL;
    return (t->kind == TASK_RANGE_FOR && t->vars.count == 1) ||
           (n && n->kind == NODE_DENSE && !n->parent && n->axis_count == 1);
}

static bool
is_by_ones(const Inst *step)
{
    return !step || (step->kind == INST_CONST && step->value.leaves[0].i == 1);
}

const Node *
task_rows(const Task *t)
{
    const Node *n = t->kind == TASK_STRUCT_FOR ? t->node : NULL;
    return n && n->kind == NODE_DENSE && !n->parent && !n->has_offset && !t->use_list ? n : NULL;
}

int
task_last_index(const Task *t)
{
    if (t->kind == TASK_RANGE_FOR)
        return is_by_ones(t->step.items[t->vars.count - 1]) ? t->vars.count - 1 : -1;
    const Node *n = task_rows(t);
    return n ? node_axis_rank(n, n->axes[n->axis_count - 1]) : -1;
}

bool
task_sums_floats(const Task *t)
{
    for (int r = 0; r < t->reductions.count; r++)
        if (type_is_float(t->reductions.items[r].var->type))
            return true;
    return false;
}

/* Does nothing but halos say how the innermost loop is written? */
static bool
is_free(const Task *t)
{
    return !t->stream && !t->rows && !t->fetches;
}

bool
task_is_loop(const Task *t)
{
    return t->kind == TASK_RANGE_FOR || t->kind == TASK_STRUCT_FOR;
}

bool
task_is_plain(const Task *t)
{
    return t->body && t->vars.count && is_free(t) && !task_is_by_blocks(t) &&
           task_last_index(t) >= 0;
}

bool
task_is_by_blocks(const Task *t)
{
    return t->halos.count || t->windows.count;
}

int
task_row_index(const Task *t)
{
    const Node *n = t->node;
    if (!task_is_by_blocks(t) || t->kind != TASK_STRUCT_FOR || !is_free(t) ||
        n->kind != NODE_DENSE)
        return -1;
    const int axis = n->axes[n->axis_count - 1];
    return n->coord_extent[axis] > 0 && n->cell_extent[axis] > 0 ? node_axis_rank(n, axis) : -1;
}

bool
task_is_bounded(const Task *t)
{
    return t->kind == TASK_STRUCT_FOR && t->from.count > 0;
}

const Node *
task_listed(const Task *t)
{
    return t->use_list && !t->masks ? t->node : node_list_ancestor(t->node);
}

int
task_var_number(const Task *t, const Var *v)
{
    for (int k = 0; k < t->vars.count; k++)
        if (t->vars.items[k] == v)
            return k;
    return -1;
}

bool
task_has_var(const Task *t, const Var *v)
{
    return task_var_number(t, v) >= 0;
}

bool
footprint_is_at_indices(const Footprint *p)
{
    bool own = p->own_index;
    for (int k = 0; k < p->field->axis_count; k++)
        own = own && p->var[k] == k && p->offset_min[k] == 0 && p->offset_max[k] == 0;
    return own;
}

bool
footprint_is_own(const Footprint *p)
{
    return p->field->axis_count == 1 && p->own[0] && !p->var[0] && !p->offset_min[0] &&
           !p->offset_max[0];
}

/* The loop variables that an index gives back: the same in all accesses, which are `f` and those of
 * `g` (or NULL). */
static unsigned
fixed_variables(const Footprint *f, const Footprint *g)
{
    unsigned variables = 0;
    for (int k = 0; k < f->field->axis_count; k++) {
        bool fixed = f->own[k] && f->offset_min[k] == f->offset_max[k];
        if (g)
            fixed = fixed && g->own[k] && g->var[k] == f->var[k] &&
                    g->offset_min[k] == f->offset_min[k] && g->offset_max[k] == f->offset_min[k];
        if (fixed)
            variables |= 1u << f->var[k];
    }
    return variables;
}

unsigned
task_variables(const Task *t)
{
    return (1u << t->vars.count) - 1;
}

bool
task_owns(const Task *t, const Field *f)
{
    const Footprint *added = footprint_of(&t->effects.accumulates, f);
    const Footprint *written = footprint_of(&t->effects.writes, f);
    const Footprint *first = added ? added : written;
    return first && fixed_variables(first, added ? written : NULL) == task_variables(t);
}

bool
task_changes(const Task *t, const Field *f)
{
    return footprint_of(&t->effects.writes, f) || footprint_of(&t->effects.accumulates, f);
}

bool
task_leaves(const Task *t, const Node *n)
{
    for (; n; n = n->parent)
        if (nodes_have(&t->effects.may_activate, n) || nodes_have(&t->effects.may_deactivate, n))
            return false;
    return true;
}

const Inst *
inst_place_root(const Inst *place)
{
    while (place->kind == INST_ELEM || place->kind == INST_MEMBER)
        place = place->args.items[0];
    return place;
}

const Inst *
inst_as_f32(const Inst *value)
{
    if (value->kind == INST_CAST && value->type->scalar == SCALAR_F64)
        value = value->args.items[0];
    const bool is_f32 = value->type->kind == TYPE_SCALAR && value->type->scalar == SCALAR_F32;
    return is_f32 ? value : NULL;
}

Field *
inst_place_field(const Inst *place)
{
    const Inst *root = inst_place_root(place);
    return root->kind == INST_IN_CELL || root->kind == INST_ROOT_PLACE ? root->field : NULL;
}

bool
var_is_own(const Var *v)
{
    return v->kind == VAR_LOCAL && !v->shared;
}

bool
var_is_fixed(const Var *v)
{
    /* which may change */
    bool has_elements = v->type->kind == TYPE_ARRAY || v->type->kind == TYPE_EXTERN;
    return v->kind == VAR_INDEX ||
           (!v->is_mutable && v->mode != PARAM_INOUT && !has_elements && !v->shared);
}

bool
inst_is_fixed_load(const Inst *i)
{
    return i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR &&
           var_is_fixed(i->args.items[0]->var);
}

bool
inst_is_lookup(const Inst *i)
{
    return i->kind == INST_LOOKUP || i->kind == INST_LOOKUP_HASH;
}

bool
inst_has_container(const Inst *i)
{
    return i->args.count &&
           (i->args.items[0]->kind == INST_ROOT || i->args.items[0]->kind == INST_CHILD ||
            i->args.items[0]->kind == INST_FETCHED);
}

static void
note_fetch(Inst *i, void *arg)
{
    const Inst **fetch = arg;
    if (i->kind == INST_FETCH)
        *fetch = i;
}

const Inst *
task_fetch(const Task *t)
{
    const Inst *fetch = NULL;
    block_walk(t->fetches, note_fetch, &fetch);
    return fetch;
}

const Inst *
task_list(const Task *t, const Inst *append)
{
    const Inst *list = append->args.items[0];
    return list->kind == INST_FETCHED ? task_fetch(t)->args.items[0] : list;
}

bool
inst_takes_memory(const Inst *i)
{
    const Inst *to = i->kind == INST_STORE && i->defines ? i->args.items[0] : NULL;
    return to && to->kind == INST_VAR && to->var->type->kind == TYPE_ARRAY &&
           to->var->type->bytes > STACK_ARRAY_BYTES;
}

bool
inst_may_fail(const Inst *i)
{
    switch (i->kind) {
    case INST_STORE: return inst_takes_memory(i);
    case INST_CELL: return i->access == ACCESS_ACTIVATE && node_is_sparse(i->node);
    case INST_LOOKUP: case INST_LOOKUP_HASH:
        return i->access == ACCESS_ACTIVATE && !node_is_inline(i->node->kind);
    case INST_WINDOW: return i->window->window->activates;
    case INST_ACTIVATE: return !i->in_row;
    case INST_APPEND: case INST_ASSERT: return true;
    case INST_CHECK_INDEX: case INST_CHECK_DIV: case INST_CHECK_SHIFT: case INST_CHECK_CAST:
    case INST_CHECK_OVERFLOW: case INST_CHECK_RACE:
    case INST_CHECK_INIT: case INST_CHECK_STACK:
        return true;
    default: return false;
    }
}

void
block_walk(Block *b, void (*fn)(Inst *i, void *arg), void *arg)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        fn(i, arg);
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                block_walk(i->blocks[k], fn, arg);
    }
}

/* Effects by their strength. */
enum { STRENGTH_P, STRENGTH_R, STRENGTH_F, STRENGTH_W, STRENGTH_X };

static const unsigned char strengths[] = {
#define INST(name, text, operands, result, effects) STRENGTH_##effects,
#include "ir/insts.def"
#undef INST
};

static void
raise_strength(Inst *i, void *arg)
{
    int *most = arg, own = strengths[i->kind];
    if (i->kind == INST_LOOKUP || i->kind == INST_LOOKUP_HASH || i->kind == INST_CELL)
        own = i->access == ACCESS_ACTIVATE ? STRENGTH_W : STRENGTH_R;
    *most = own > *most ? own : *most;
}

/* The strongest effect of an instruction and the blocks in it. */
static int
whole_strength(const Inst *i)
{
    int most = STRENGTH_P;
    raise_strength((Inst *)i, &most);
    if (i->kind == INST_LOGIC || i->kind == INST_COND)
        most = STRENGTH_P;
    for (int k = 0; k < 2; k++)
        if (i->blocks[k])
            block_walk(i->blocks[k], raise_strength, &most);
    return most;
}

static bool
is_same_constant(const Inst *a, const Inst *b)
{
    for (int i = 0; i < a->type->leaf_count; i++)
        if (a->value.leaves[i].u != b->value.leaves[i].u)
            return false;
    return true;
}

/* `var` and `window` share a place, so that equal ones are told before. */
static bool
is_same_window(const Inst *a, const Inst *b)
{
    if (a->kind != INST_WINDOW && a->kind != INST_WINDOW_COPY)
        return a->var == b->var;
    for (int axis = 0; axis < AXIS_MAX; axis++)
        if (a->window->offset[axis] != b->window->offset[axis])
            return false;
    return a->window->window == b->window->window;
}

bool
inst_is_alike(const Inst *a, const Inst *b)
{
    if (a->kind != b->kind || a->type != b->type || a->args.count != b->args.count)
        return false;
    if (a->kind == INST_CONST)
        return is_same_constant(a, b);
    return a->op == b->op && a->builtin == b->builtin && a->node == b->node &&
           a->index == b->index && a->to == b->to && is_same_window(a, b) &&
           (a->field == b->field || inst_is_lookup(a)) &&
           (a->kind != INST_STRING || a->string == b->string);
}

bool
inst_is_loop(const Inst *i)
{
    return i->kind == INST_FOR || i->kind == INST_WHILE || i->kind == INST_FOR_CELLS ||
           i->kind == INST_LOOP || i->kind == INST_INSIDE;
}

bool
inst_moves_trees(const Inst *i)
{
    if (i->kind == INST_CALL)
        return i->func->kind == FUNC_HOST;
    return i->kind == INST_SWAP || i->kind == INST_GIVE || i->kind == INST_LOADFILE ||
           i->kind == INST_CREATE || i->kind == INST_DESTROY || i->kind == INST_TRIM;
}

bool
inst_is_pure(const Inst *i)
{
    return whole_strength(i) == STRENGTH_P;
}

bool
inst_writes(const Inst *i)
{
    return whole_strength(i) >= STRENGTH_W;
}

typedef struct {
    int next;
} Numbering;

static void
count_uses(const Insts *list)
{
    for (int a = 0; a < list->count; a++)
        if (list->items[a])
            list->items[a]->uses++;
}

/* Operands come before what uses them, so that one walk numbers and counts. */
static void
number_insts(Block *b, Numbering *n)
{
    for (int k = 0; k < b->insts.count; k++) {
        Inst *i = b->insts.items[k];
        i->id = n->next++;
        i->uses = 0;
        count_uses(&i->args);
        for (int s = 0; s < 2; s++)
            if (i->blocks[s])
                number_insts(i->blocks[s], n);
        if (i->kind == INST_ASSERT)
            count_uses(&i->assert_args);
    }
    if (b->result)
        b->result->uses++;
}

void
tasks_walk(const Tasks *tasks, void (*fn)(Task *t, void *arg), void *arg)
{
    for (int n = 0; n < tasks->count; n++) {
        fn(tasks->items[n], arg);
        tasks_walk(&tasks->items[n]->tasks, fn, arg);
        tasks_walk(&tasks->items[n]->orelse, fn, arg);
    }
}

typedef struct {
    Compile *c;
    Tasks found;
} Collection;

static void
collect_task(Task *t, void *arg)
{
    Collection *k = arg;
    vec_push(k->c->scratch, &k->found, t);
}

static void
collect_loop(Task *t, void *arg)
{
    if (task_is_loop(t))
        collect_task(t, arg);
}

Tasks
ir_tasks(Compile *c, const IrFunc *f)
{
    Collection k = {.c = c};
    tasks_walk(&f->tasks, collect_task, &k);
    return k.found;
}

Tasks
ir_loops(Compile *c, const IrFunc *f)
{
    Collection k = {.c = c};
    tasks_walk(&f->tasks, collect_loop, &k);
    return k.found;
}

void
task_each_block(const Task *t, BlockFn fn, void *arg)
{
    Block *const blocks[] = {
        t->setup, t->code, t->entry, t->before, t->body, t->inside_from, t->inside_to,
        t->stride ? t->stride->sum : NULL, t->stride ? t->stride->rest : NULL,
        t->inside, t->fetches,
    };
    const size_t count = t->code ? 2 : sizeof blocks / sizeof *blocks; /* the rest is in it */
    for (size_t n = 0; n < count; n++)
        if (blocks[n])
            fn(blocks[n], arg);
}

typedef struct {
    BlockFn fn;
    void *arg;
} BlockCall;

static void
walk_blocks_of(Task *t, void *arg)
{
    const BlockCall *call = arg;
    task_each_block(t, call->fn, call->arg);
}

void
ir_walk_blocks(IrFunc *f, BlockFn fn, void *arg)
{
    if (f->body)
        fn(f->body, arg);
    tasks_walk(&f->tasks, walk_blocks_of, &(BlockCall){fn, arg});
}

typedef struct {
    Compile *c;
    IrFunc *f;
    Map many;       /* of those of functions that call many */
} Calls;

enum { CALLS_FEW = 16 };

static bool
is_noted(Calls *k, const Func *func)
{
    const void *key = func;
    if (k->f->calls.count > CALLS_FEW)
        return map_get(&k->many, key) != NULL;
    for (int n = 0; n < k->f->calls.count; n++)
        if (k->f->calls.items[n] == func)
            return true;
    return false;
}

/* Puts the last call on the map; all of them when they have become many. */
static void
note_many(Calls *k)
{
    int count = k->f->calls.count;
    for (int n = count == CALLS_FEW + 1 ? 0 : count - 1; n < count; n++) {
        const void *key = k->f->calls.items[n];
        map_put(&k->many, key, k);
    }
}

static void
note_call(Inst *i, void *arg)
{
    Calls *k = arg;
    if (i->kind != INST_CALL)
        return;
    if (is_noted(k, i->func))
        return;
    vec_push(k->c->arena, &k->f->calls, i->func);
    if (k->f->calls.count > CALLS_FEW)
        note_many(k);
}

static void
note_calls_in(Block *b, void *arg)
{
    block_walk(b, note_call, arg);
}

void
ir_note_calls(Compile *c, IrFunc *f)
{
    Calls k = {.c = c, .f = f};
    map_init(&k.many, c->arena);
    f->calls.count = 0;
    ir_walk_blocks(f, note_calls_in, &k);
}

static void
number_block(Block *b, void *arg)
{
    number_insts(b, arg);
}

static void
note_declared(Inst *i, void *arg)
{
    bool *declared = arg;
    if (i->kind == INST_STORE && i->defines)
        declared[i->args.items[0]->var->id] = true;
    for (int v = 0; i->kind == INST_FOR && v < i->vars.count; v++)
        declared[i->vars.items[v]->id] = true;
}

void
block_note_declared(Block *b, bool *declared)
{
    block_walk(b, note_declared, declared);
}

int
block_number(Block *b)
{
    Numbering n = {0};
    number_insts(b, &n);
    return n.next;
}

static void
number_task(Task *t, void *arg)
{
    t->id = ((Numbering *)arg)->next++;
}

static void
count_bounds(Task *t, void *arg)
{
    (void)arg;
    count_uses(&t->from);
    count_uses(&t->to);
    count_uses(&t->step);
}

int
ir_var_limit(const IrFunc *f)
{
    int limit = 0;
    for (int i = 0; i < f->vars.count; i++)
        limit = f->vars.items[i]->id >= limit ? f->vars.items[i]->id + 1 : limit;
    return limit;
}

int
ir_number(IrFunc *f)
{
    Numbering n = {0};
    tasks_walk(&f->tasks, number_task, &n);
    ir_walk_blocks(f, number_block, &n);
    tasks_walk(&f->tasks, count_bounds, NULL);
    f->inst_count = n.next;
    f->arithmetic = 0;
    f->work.known = false;
    return n.next;
}
