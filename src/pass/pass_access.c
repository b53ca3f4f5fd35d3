/* Cells by coordinates become look-ups level by level. For x in `b: pointer i[4] { dense i[8] { place x; } }`, x[i + 1]:
 *     $2 = cell S2dense $1                          $3 = cast i64 $1
 *     $9 = in cell x $2                    →        $4 = root container S1pointer
 *                                                   $5 = lookup S1pointer $4 [$3 >> 3]
 *                                                   $6 = child S2dense $5
 *                                                   $2 = lookup S2dense $6 [$3 & 7]
 *                                                   $9 = in cell x $2
 * Where a loop over cells reads or writes the element of its own index, the walk starts at the cell that the loop is at, which is
 * known to be active: `loop cell S2dense`. Needed by every emitter: it cannot be switched off. */
#include "config.h"

#include "ir/inst_info.h"
#include "ir/lower.h"
#include "pass/index.h"
#include "pass/pass.h"

/* A loop over cells around the code, or node NULL. */
typedef struct {
    Node *node;
    const Node *listed;  /* cells at or below it are at hand; NULL: all of the path */
    Var *const *vars;    /* coordinates by ascending axis */
} Around;

typedef struct {
    Lower l;
    const Ir *ir;
    Around around;
    const Task *task;   /* or NULL */
    Indices *indices;
} Expansion;

/* Field indices along an axis that a cell of `n` spans, on the way down to `leaf`; 1 for the leaf itself. */
static int64_t
below(const Node *n, const Node *leaf, int axis)
{
    int64_t product = 1;
    for (; leaf != n; leaf = leaf->parent)
        for (int k = 0; k < leaf->axis_count; k++)
            if (leaf->axes[k] == axis)
                product *= leaf->sizes[k];
    return product;
}

static bool
is_power(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static int
log2_of(int64_t n)
{
    return 63 - __builtin_clzll((unsigned long long)n);
}

static Inst *
i64(Lower *l, int64_t v)
{
    return lower_integer(l, SCALAR_I64, v);
}

/* x / by and x % by of an index that is not negative. */
static Inst *
quotient(Lower *l, Inst *x, int64_t by)
{
    if (by == 1)
        return x;
    return is_power(by) ? lower_binary(l, OP_SHR, x, i64(l, log2_of(by))) : lower_binary(l, OP_DIV, x, i64(l, by));
}

static Inst *
remainder_of(Lower *l, Inst *x, int64_t by)
{
    return is_power(by) ? lower_binary(l, OP_AND, x, i64(l, by - 1)) : lower_binary(l, OP_MOD, x, i64(l, by));
}

/* Index of the cell of n along its k-th axis, in its container. */
static Inst *
digit(Lower *l, const Node *n, const Node *leaf, int k, Inst *index)
{
    int axis = n->axes[k];
    Inst *x = quotient(l, index, below(n, leaf, axis));
    return n->parent && (n->parent->path_axes & 1 << axis) ? remainder_of(l, x, n->sizes[k]) : x;
}

static Inst *
stored_size(Lower *l, const Node *n, int k)
{
    if (n->stored[k])
        return i64(l, n->stored[k]);
    Inst *e = lower_add(l, INST_EXTENT, type_scalar(l->p->types, SCALAR_I64), NULL, NULL, NULL);
    e->node = (Node *)n;
    e->axis = k;
    return e;
}

/* Number of the cell in its container. */
static Inst *
linear(Lower *l, const Node *n, const Node *leaf, Inst *const *index)
{
    Inst *sum = NULL;
    for (int k = 0; k < n->axis_count; k++) {
        Inst *d = digit(l, n, leaf, k, index[n->axes[k]]);
        if (sum)
            sum = lower_binary(l, OP_MUL, sum, stored_size(l, n, k));
        sum = sum ? lower_binary(l, OP_ADD, sum, d) : d;
    }
    return sum;
}

/* The cell of n that the coordinates lie in; `into` becomes the last look-up. */
static Inst *
look_up(Lower *l, Node *n, const Node *leaf, Inst *const *index, Inst *container, Access access, Inst *into)
{
    Inst *i = into ? into : ir_new(l->c, INST_LOOKUP, NULL, l->span);
    i->args = (Insts){0};
    i->kind = n->kind == NODE_HASH ? INST_LOOKUP_HASH : INST_LOOKUP;
    i->node = n;
    i->access = n->kind == NODE_DENSE ? ACCESS_KNOWN : access;
    ir_arg(l->c, i, container);
    if (n->kind != NODE_HASH)
        ir_arg(l->c, i, linear(l, n, leaf, index));
    for (int k = 0; n->kind == NODE_HASH && k < n->axis_count; k++)
        ir_arg(l->c, i, digit(l, n, leaf, k, index[n->axes[k]]));
    block_add(l->c, l->block, i);
    return i;
}

/* Does the k-th index of the cell equal the loop's coordinate of that axis? */
static bool
is_loop_index(const Around *a, const Inst *index, int axis)
{
    return index->kind == INST_LOAD && index->args.items[0]->kind == INST_VAR && index->args.items[0]->var == a->vars[node_axis_rank(a->node, axis)];
}

/* An element or a cell by its coordinates. */
typedef struct {
    Node *leaf;             /* the node that they count cells of, or that holds the element */
    int count, axes[AXIS_MAX];
    int64_t offsets[AXIS_MAX];
    Inst *const *indices;
} At;

/* Is the index the loop's coordinate of that axis, plus a constant? */
static bool
is_near_index(const Around *a, const Inst *index, int axis)
{
    while (index->kind == INST_BINARY && (index->op == OP_ADD || index->op == OP_SUB) && index->args.items[1]->kind == INST_CONST)
        index = index->args.items[0];
    return is_loop_index(a, index, axis);
}

/* Does the cell of n that the element lies in hold the loop's own cell too, as long as neighbours stay in its block? */
static bool
is_near(const Around *a, const Node *n, const At *at)
{
    const Node *down = a->node ? a->node->parent : NULL;
    while (down && down != n)
        down = down->parent;
    if (!down)
        return false;
    for (int k = 0; k < at->count; k++) {
        int axis = at->axes[k];
        if ((n->path_axes & 1 << axis) && (!is_near_index(a, at->indices[k], axis) || below(n, at->leaf, axis) != below(n, a->node, axis)))
            return false;
    }
    return true;
}

/* The deepest node whose cell around the element is the one that the loop is at; NULL: none. */
static Node *
shared_cell(const Around *a, const At *at, Node *from)
{
    for (Node *n = from; a->node && n; n = n->parent) {
        const Node *down = a->node;
        while (down && down != n)
            down = down->parent;
        if (!down || (a->listed && n->depth < a->listed->depth))
            continue;
        bool same = true;
        for (int k = 0; k < at->count; k++) {
            int axis = at->axes[k];
            if (n->path_axes & 1 << axis)
                same = same && is_loop_index(a, at->indices[k], axis) && below(n, at->leaf, axis) == below(n, a->node, axis);
        }
        if (same)
            return n;
    }
    return NULL;
}

/* The indices by axis, from 0 on, as 64-bit numbers. */
static void
zero_based(Lower *l, const At *at, Inst **index)
{
    for (int i = 0; i < at->count; i++) {
        Inst *x = lower_cast(l, at->indices[i], SCALAR_I64);
        index[at->axes[i]] = at->offsets[i] ? lower_binary(l, OP_SUB, x, i64(l, at->offsets[i])) : x;
    }
}

/* Walks down from the loop's own cell, or from the top, to the cell of `to`, which may be NULL; `last` becomes the last look-up. */
static Inst *
walk_down(Expansion *k, const At *at, Inst *const *index, Node *to, Access access, Inst *last)
{
    Lower *l = &k->l;
    Node *path[64], *start = shared_cell(&k->around, at, to);
    Inst *cell = NULL;
    int depth = 0;
    for (Node *n = to; n != start && depth < 64; n = n->parent)
        path[depth++] = n;
    if (start) {
        cell = lower_add(l, INST_LOOP_CELL, NULL, NULL, NULL, NULL);
        cell->node = start;
    }
    while (depth > 0) {
        Node *n = path[--depth];
        Inst *container = lower_add(l, cell ? INST_CHILD : INST_ROOT, NULL, cell, NULL, NULL);
        container->node = n;
        cell = look_up(l, n, at->leaf, index, container, access, depth ? NULL : last);
        cell->near = is_near(&k->around, n, at);
    }
    return cell;
}

static void
expand(Expansion *k, Inst *cell)
{
    Lower *l = &k->l;
    Field *f = cell->field;
    Inst *index[AXIS_MAX] = {NULL}, *indices[AXIS_MAX] = {NULL};
    At at = {.leaf = cell->node, .count = f->axis_count, .indices = indices};
    l->span = cell->span;
    for (int i = 0; i < f->axis_count; i++) {
        indices[i] = cell->args.items[i];
        at.axes[i] = f->axes[i];
        at.offsets[i] = f->offsets[i];
    }
    if (shared_cell(&k->around, &at, cell->node) == cell->node) {
        cell->kind = INST_LOOP_CELL;
        cell->args = (Insts){0};
        block_add(l->c, l->block, cell);
        return;
    }
    zero_based(l, &at, index);
    walk_down(k, &at, index, cell->node, cell->access, cell);
}

/* ---- activity ---- */

/* The coordinates of an operation on a node's cells: `own` with the axis of a list itself. */
static At
coordinates(const Inst *i, bool own, Inst *const *indices)
{
    Node *n = i->node;
    At at = {.leaf = n, .indices = indices};
    for (int axis = 0; axis < AXIS_MAX; axis++) {
        if (!(n->path_axes & 1 << axis) || (!own && axis == n->axes[0]))
            continue;
        at.axes[at.count] = axis;
        at.offsets[at.count++] = n->cell_extent[axis] ? n->offset[axis] / n->cell_extent[axis] : 0;
    }
    return at;
}

/* Bounds of a variable of the loop around; false where they are not known. */
static bool
loop_bounds(const Task *t, const Var *v, int64_t *min, int64_t *max)
{
    for (int k = 0, axis = -1; k < t->vars.count; k++) {
        if (t->kind == TASK_STRUCT_FOR)
            do axis++; while (!(t->node->path_axes & 1 << axis));
        if (t->vars.items[k] != v)
            continue;
        if (t->kind == TASK_STRUCT_FOR) {
            *min = t->node->cell_extent[axis] ? t->node->offset[axis] / t->node->cell_extent[axis] : 0;
            *max = *min + t->node->coord_extent[axis] - 1;
            return t->node->coord_extent[axis] > 0;
        }
        const Inst *from = t->from.items[k], *to = t->to.items[k], *step = t->step.items[k];
        if (from->kind != INST_CONST || to->kind != INST_CONST || (step && (step->kind != INST_CONST || step->value.leaves[0].i < 1)))
            return false;
        *min = from->value.leaves[0].i;
        *max = to->value.leaves[0].i - 1;
        return true;
    }
    return false;
}

/* Is the index always one of from ... from + extent - 1? */
static bool
stays_inside(const Expansion *k, const Inst *index, int64_t from, int64_t extent)
{
    static const Task none;
    Index x = indices_of(k->indices, k->task ? k->task : &none, index);
    int64_t min = 0, max = 0;
    if (!x.known || (x.var && !loop_bounds(k->task, x.var, &min, &max)))
        return false;
    return !__builtin_add_overflow(min, x.min, &min) && !__builtin_add_overflow(max, x.max, &max) && min >= from && max < from + extent;
}

/* A test that the coordinates are those of a cell; NULL: they always are. */
static Inst *
inside_test(Expansion *k, const At *at)
{
    Lower *l = &k->l;
    Inst *test = NULL;
    for (int a = 0; a < at->count; a++) {
        const Node *n = at->leaf;
        int64_t from = at->offsets[a], extent = n->coord_extent[at->axes[a]];
        bool own = n->kind == NODE_DYNAMIC && at->axes[a] == n->axes[0]; /* its verbs test that */
        if (own || stays_inside(k, at->indices[a], from, extent))
            continue;
        Inst *x = lower_cast(l, at->indices[a], SCALAR_I64);
        Inst *low = lower_binary(l, OP_GE, x, i64(l, from)), *high = lower_binary(l, OP_LT, x, i64(l, from + extent));
        Inst *both = lower_binary(l, OP_LAND, low, high);
        test = test ? lower_binary(l, OP_LAND, test, both) : both;
    }
    return test;
}

/* May the task activate or deactivate cells of the node? */
static bool
changes_activity(const Task *t, const Node *n)
{
    const Nodes *lists[] = {&t->effects.may_activate, &t->effects.may_deactivate};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < lists[k]->count; i++)
            if (lists[k]->items[i] == n)
                return true;
    return false;
}

/* The operation by its container: that of the node which holds the cell. */
static void
expand_in_container(Expansion *k, const At *at, Inst *i)
{
    Lower *l = &k->l;
    Node *n = i->node;
    bool makes = i->kind == INST_ACTIVATE || i->kind == INST_APPEND, list = n->kind == NODE_DYNAMIC && i->kind != INST_ACTIVATE && i->kind != INST_IS_ACTIVE;
    Inst *index[AXIS_MAX] = {NULL};
    Insts operands = i->args;
    zero_based(l, at, index);
    if (i->kind == INST_ACTIVATE) {
        walk_down(k, at, index, n, ACCESS_ACTIVATE, NULL);
        return;
    }
    Inst *parent = n->parent ? walk_down(k, at, index, n->parent, makes ? ACCESS_ACTIVATE : ACCESS_READ, NULL) : NULL;
    Inst *container = lower_add(l, parent ? INST_CHILD : INST_ROOT, NULL, parent, NULL, NULL);
    container->node = n;
    i->args = (Insts){0};
    i->quiet = k->task && !changes_activity(k->task, n);
    ir_arg(l->c, i, container);
    if (!list && n->kind != NODE_HASH)
        ir_arg(l->c, i, linear(l, n, n, index));
    for (int a = 0; n->kind == NODE_HASH && a < n->axis_count; a++)
        ir_arg(l->c, i, digit(l, n, n, a, index[n->axes[a]]));
    for (int v = i->arg_split; i->kind == INST_APPEND && v < operands.count; v++)
        ir_arg(l->c, i, operands.items[v]);
    if (i->kind == INST_APPEND)
        i->arg_split = 1;
    block_add(l->c, l->block, i);
}

static bool
is_activity(const Inst *i)
{
    bool is = i->kind == INST_ACTIVATE || i->kind == INST_DEACTIVATE || i->kind == INST_IS_ACTIVE || i->kind == INST_LENGTH || i->kind == INST_APPEND;
    return is && !i->in_row && node_has_activity(i->node->kind) && !node_has_runtime_size(i->node);
}

/* Outside of the node there is nothing: activating is an error, which the runtime reports, is_active false, the rest does nothing. */
static void
expand_activity(Expansion *k, Inst *i)
{
    Lower *l = &k->l;
    bool list = i->kind == INST_LENGTH || i->kind == INST_APPEND || (i->kind == INST_DEACTIVATE && i->node->kind == NODE_DYNAMIC);
    Inst *indices[AXIS_MAX];
    At at = coordinates(i, !list, indices);
    for (int a = 0; a < at.count; a++)
        indices[a] = i->args.items[a];
    l->span = i->span;
    Inst *test = list ? NULL : inside_test(k, &at);
    if (!test) {
        expand_in_container(k, &at, i);
        return;
    }
    Inst *choice = i;
    Block *outer;
    if (i->kind == INST_IS_ACTIVE) {
        Inst *inner = ir_new(l->c, INST_IS_ACTIVE, i->type, i->span);
        inner->node = i->node;
        i->kind = INST_LOGIC;
        i->op = OP_LAND;
        i->args = (Insts){0};
        ir_arg(l->c, i, test);
        i->node = NULL;
        block_add(l->c, l->block, i);
        i->blocks[0] = lower_enter(l, &outer);
        expand_in_container(k, &at, inner);
        i->blocks[0]->result = inner;
    } else {
        choice = lower_add(l, INST_IF, NULL, test, NULL, NULL);
        choice->blocks[0] = lower_enter(l, &outer);
        expand_in_container(k, &at, i);
        if (i->kind == INST_ACTIVATE) {
            choice->blocks[1] = ARENA_NEW(l->c->arena, Block);
            block_add(l->c, choice->blocks[1], i);
        }
    }
    lower_leave(l, outer);
}

static void expand_block(Expansion *k, Block *b);

/* Goes into the blocks of a loop over cells, whose own cells are at hand. */
static void
expand_cells(Expansion *k, Inst *i)
{
    Around outer = k->around;
    k->around = (Around){i->node, i->node, i->vars.items};
    if (i->node && !node_is_sparse(i->node))
        k->around.listed = NULL;
    if (i->node && ir_deactivates(k->l.c, k->ir, i->blocks[0], i->node->layout))
        k->around.node = NULL;
    expand_block(k, i->blocks[0]);
    k->around = outer;
}

static void
expand_block(Expansion *k, Block *b)
{
    Block *outer = k->l.block;
    Insts old = block_take(b);
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        k->l.block = b;
        if (i->kind == INST_FOR_CELLS)
            expand_cells(k, i);
        else
            for (int s = 0; s < 2; s++)
                if (i->blocks[s])
                    expand_block(k, i->blocks[s]);
        k->l.block = b;
        if (i->kind == INST_CELL)
            expand(k, i);
        else if (is_activity(i))
            expand_activity(k, i);
        else
            block_add(k->l.c, b, i);
    }
    insts_free(k->l.c, &old);
    k->l.block = outer;
}

static void
expand_tasks(Expansion *k, const Tasks *tasks)
{
    for (int i = 0; i < tasks->count; i++) {
        Task *t = tasks->items[i];
        k->around = (Around){0};
        if (t->setup)
            expand_block(k, t->setup);
        if (t->kind == TASK_STRUCT_FOR && t->node && !ir_deactivates(k->l.c, k->ir, t->body, t->node->layout))
            k->around = (Around){t->node, t->use_list ? t->node : node_list_ancestor(t->node), t->vars.items};
        k->task = t;
        if (t->body)
            expand_block(k, t->body);
        k->task = NULL;
        k->around = (Around){0};
        expand_tasks(k, &t->tasks);
        expand_tasks(k, &t->orelse);
    }
}

void
pass_access(Compile *c, Ir *ir, IrFunc *f)
{
    Expansion k = {.l = {.c = c, .p = ir->prog, .f = f}, .ir = ir};
    if (ir->has_activity)
        k.indices = indices_new(c, f);
    if (f->body)
        expand_block(&k, f->body);
    expand_tasks(&k, &f->tasks);
}
