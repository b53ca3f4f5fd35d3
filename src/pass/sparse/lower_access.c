/* Access lowering. A cell named by coordinates becomes look-ups, level by level. For x in `b:
 * pointer i[4] { dense i[8] { place x; } }`, x[i + 1]:
 *     $2 = cell S2dense $1                          $3 = cast i64 $1
 *     $9 = in cell x $2                    →        $4 = root container S1pointer
 *                                                   $5 = lookup S1pointer $4 [$3 >> 3]
 *                                                   $6 = child S2dense $5
 *                                                   $2 = lookup S2dense $6 [$3 & 7]
 *                                                   $9 = in cell x $2
 * A loop over cells that reads or writes the element of its own index starts at the cell it is at,
 * which is known to be active: `loop cell S2dense`. Every emitter needs this pass, so it cannot be
 * switched off. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"
#include "pass/delinearize.h"

/* A loop over cells around the code, or node NULL. */
typedef struct {
    Node *node;
    const Node *listed;  /* cells at or below it are at hand; NULL: all of the path */
    Var *const *vars;    /* coordinates by ascending axis */
} Around;

typedef struct {
    Delinearizer digits;
    const Ir *ir;
    Around around;
} Expansion;

static Inst *
i64(Lower *l, int64_t v)
{
    return lower_integer(l, SCALAR_I64, v);
}

/* Does all that is below the cells of n lie in them? */
static bool
holds_all_below(const Node *n)
{
    for (int k = 0; k < n->children.count; k++)
        if (!node_is_inline(n->children.items[k]->kind) || !holds_all_below(n->children.items[k]))
            return false;
    return true;
}

/* How a cell of n is looked up: the memory of inactive bitmasked cells is ambient, so reading them
 * needs no test. */
static Access
access_in(const Node *n, Access access)
{
    if (n->kind == NODE_DENSE)
        return ACCESS_KNOWN;
    if (n->kind == NODE_BITMASKED)
        return access == ACCESS_READ && holds_all_below(n) ? ACCESS_ADDRESS : access;
    return access == ACCESS_ADDRESS ? ACCESS_READ : access;
}

/* The cell of n that the coordinates lie in; `into` becomes the last look-up. */
static Inst *
look_up(Delinearizer *d, Node *n, const Node *leaf, Inst *const *index, Inst *container,
        Access access, Inst *into)
{
    Lower *l = &d->lower;
    Inst *i = into ? into : ir_new(l->c, INST_LOOKUP, NULL, l->span);
    i->args = (Insts){0};
    i->kind = n->kind == NODE_HASH ? INST_LOOKUP_HASH : INST_LOOKUP;
    i->node = n;
    i->access = access_in(n, access);
    ir_arg(l->c, i, container);
    if (n->kind != NODE_HASH)
        ir_arg(l->c, i, delinearize_number(d, n, leaf, index));
    for (int k = 0; n->kind == NODE_HASH && k < n->axis_count; k++)
        ir_arg(l->c, i, delinearize_index(d, n, leaf, k, index[n->axes[k]]));
    block_add(l->c, l->block, i);
    return i;
}

/* Does the k-th index of the cell equal the loop's coordinate of that axis? */
static bool
is_loop_index(const Around *a, const Inst *index, int axis)
{
    return index->kind == INST_LOAD && index->args.items[0]->kind == INST_VAR &&
           index->args.items[0]->var == a->vars[node_axis_rank(a->node, axis)];
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
    while (index->kind == INST_BINARY && (index->op == OP_ADD || index->op == OP_SUB) &&
           index->args.items[1]->kind == INST_CONST)
        index = index->args.items[0];
    return is_loop_index(a, index, axis);
}

/* Does the cell of n that the element lies in hold the loop's own cell too, as long as neighbours
 * stay in its block? */
static bool
is_near(const Around *a, const Node *n, const At *at)
{
    if (!a->node || !node_is_within(a->node->parent, n))
        return false;
    for (int k = 0; k < at->count; k++) {
        int axis = at->axes[k];
        if ((n->path_axes & 1 << axis) &&
            (!is_near_index(a, at->indices[k], axis) ||
             affine_node_span(n, at->leaf, axis) != affine_node_span(n, a->node, axis)))
            return false;
    }
    return true;
}

/* The deepest node whose cell around the element is the one that the loop is at; NULL: none. */
static Node *
shared_cell(const Around *a, const At *at, Node *from)
{
    for (Node *n = from; a->node && n; n = n->parent) {
        if (!node_is_within(a->node, n) || (a->listed && n->depth < a->listed->depth))
            continue;
        bool same = true;
        for (int k = 0; k < at->count; k++) {
            int axis = at->axes[k];
            if (n->path_axes & 1 << axis)
                same = same && is_loop_index(a, at->indices[k], axis) &&
                       affine_node_span(n, at->leaf, axis) == affine_node_span(n, a->node, axis);
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
        index[at->axes[i]] =
            at->offsets[i] ? lower_binary(l, OP_SUB, x, i64(l, at->offsets[i])) : x;
    }
}

/* Walks down from the loop's own cell, or from the top, to the cell of `to`, which may be NULL;
 * `last` becomes the last look-up. */
static Inst *
walk_down(Expansion *k, const At *at, Inst *const *index, Node *to, Access access, Inst *last)
{
    Lower *l = &k->digits.lower;
    Node *start = shared_cell(&k->around, at, to);
    Inst *cell = NULL;
    int depth;
    Node **path = node_path(l->c->scratch, start, to, &depth);
    if (start) {
        cell = lower_add(l, INST_LOOP_CELL, NULL, NULL, NULL, NULL);
        cell->node = start;
    }
    for (int i = 0; i < depth; i++) {
        Node *n = path[i];
        Inst *container = lower_add(l, cell ? INST_CHILD : INST_ROOT, NULL, cell, NULL, NULL);
        container->node = n;
        cell =
            look_up(&k->digits, n, at->leaf, index, container, access, i + 1 < depth ? NULL : last);
        cell->neighbour = is_near(&k->around, n, at);
    }
    return cell;
}

static void
expand(Expansion *k, Inst *cell)
{
    Lower *l = &k->digits.lower;
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
    if (!cell->like) {
        walk_down(k, &at, index, cell->node, cell->access, cell);
        return;
    }
    Inst *above = cell->node->parent
                      ? walk_down(k, &at, index, cell->node->parent, cell->access, NULL)
                      : NULL;
    Inst *container = lower_add(l, above ? INST_CHILD : INST_ROOT, NULL, above, NULL, NULL);
    Inst *number =
        lower_add(l, INST_LOOP_NUMBER, type_scalar(l->p->types, SCALAR_I64), NULL, NULL, NULL);
    container->node = cell->node;
    number->node = cell->like;
    cell->kind = INST_LOOKUP;
    cell->args = (Insts){0};
    cell->like = NULL;
    ir_arg(l->c, cell, container);
    ir_arg(l->c, cell, number);
    block_add(l->c, l->block, cell);
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
        at.offsets[at.count++] = node_first(n, axis);
    }
    return at;
}

/* Is the index always one of from ... from + extent - 1? */
static bool
stays_inside(const Expansion *k, const Inst *index, int64_t from, int64_t extent)
{
    int64_t min, max;
    return delinearize_bounds(&k->digits, index, &min, &max) && min >= from && max < from + extent;
}

/* A test that the coordinates are those of a cell; NULL: they always are. */
static Inst *
inside_test(Expansion *k, const At *at)
{
    Lower *l = &k->digits.lower;
    Inst *test = NULL;
    for (int a = 0; a < at->count; a++) {
        const Node *n = at->leaf;
        int64_t from = at->offsets[a], extent = n->coord_extent[at->axes[a]];
        bool own = n->kind == NODE_DYNAMIC && at->axes[a] == n->axes[0]; /* its verbs test that */
        if (own || stays_inside(k, at->indices[a], from, extent))
            continue;
        Inst *x = lower_cast(l, at->indices[a], SCALAR_I64);
        Inst *low = lower_binary(l, OP_GE, x, i64(l, from)),
             *high = lower_binary(l, OP_LT, x, i64(l, from + extent));
        Inst *both = lower_binary(l, OP_LAND, low, high);
        test = test ? lower_binary(l, OP_LAND, test, both) : both;
    }
    return test;
}

/* The operation by its container: that of the node which holds the cell. */
static void
expand_in_container(Expansion *k, const At *at, Inst *i)
{
    Lower *l = &k->digits.lower;
    Node *n = i->node;
    bool makes = i->kind == INST_ACTIVATE || i->kind == INST_APPEND,
         list = n->kind == NODE_DYNAMIC && i->kind != INST_ACTIVATE && i->kind != INST_IS_ACTIVE;
    Inst *index[AXIS_MAX] = {NULL};
    Insts operands = i->args;
    zero_based(l, at, index);
    if (i->kind == INST_ACTIVATE) {
        walk_down(k, at, index, n, ACCESS_ACTIVATE, NULL);
        return;
    }
    Inst *parent =
        n->parent ? walk_down(k, at, index, n->parent, makes ? ACCESS_ACTIVATE : ACCESS_READ, NULL)
                  : NULL;
    Inst *container = lower_add(l, parent ? INST_CHILD : INST_ROOT, NULL, parent, NULL, NULL);
    container->node = n;
    i->args = (Insts){0};
    i->relaxed = i->kind == INST_IS_ACTIVE && k->digits.task && task_leaves(k->digits.task, n);
    ir_arg(l->c, i, container);
    if (!list && n->kind != NODE_HASH)
        ir_arg(l->c, i, delinearize_number(&k->digits, n, n, index));
    for (int a = 0; n->kind == NODE_HASH && a < n->axis_count; a++)
        ir_arg(l->c, i, delinearize_index(&k->digits, n, n, a, index[n->axes[a]]));
    for (int v = i->arg_split; i->kind == INST_APPEND && v < operands.count; v++)
        ir_arg(l->c, i, operands.items[v]);
    if (i->kind == INST_APPEND)
        i->arg_split = 1;
    block_add(l->c, l->block, i);
}

static bool
is_activity(const Inst *i)
{
    bool is = i->kind == INST_ACTIVATE || i->kind == INST_DEACTIVATE || i->kind == INST_IS_ACTIVE ||
              i->kind == INST_LENGTH || i->kind == INST_APPEND;
    return is && !i->in_row && node_has_activity(i->node->kind) && !node_has_runtime_size(i->node);
}

/* Outside of the node there is nothing: activating is an error, which the runtime reports,
 * is_active false, the rest does nothing. */
static void
expand_activity(Expansion *k, Inst *i)
{
    Lower *l = &k->digits.lower;
    bool list = i->kind == INST_LENGTH || i->kind == INST_APPEND ||
                (i->kind == INST_DEACTIVATE && i->node->kind == NODE_DYNAMIC);
    Inst *indices[AXIS_MAX] = {0};
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

static void
find_move(Inst *i, void *arg)
{
    bool *found = arg;
    *found = *found || inst_moves_trees(i);
}

/* May code of the block let cells of a layout lie elsewhere, or end them? */
static bool
may_move_cells(const Expansion *k, Block *b, const Layout *layout)
{
    bool moves = false;
    block_walk(b, find_move, &moves);
    return moves || ir_deactivates(k->digits.lower.c, k->ir, b, layout);
}

/* Goes into the blocks of a loop over cells, whose own cells are at hand as long as they stay where
 * they are. */
static void
expand_cells(Expansion *k, Inst *i)
{
    Around outer = k->around;
    k->around = (Around){i->node, i->node, i->vars.items};
    if (i->node && !node_is_sparse(i->node))
        k->around.listed = NULL;
    if (i->node && may_move_cells(k, i->blocks[0], i->node->layout))
        k->around.node = NULL;
    expand_block(k, i->blocks[0]);
    k->around = outer;
}

static void
expand_block(Expansion *k, Block *b)
{
    Block *outer = k->digits.lower.block;
    Insts old = block_take(b);
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        k->digits.lower.block = b;
        if (i->kind == INST_FOR_CELLS)
            expand_cells(k, i);
        else
            for (int s = 0; s < 2; s++)
                if (i->blocks[s])
                    expand_block(k, i->blocks[s]);
        k->digits.lower.block = b;
        if (i->kind == INST_CELL)
            expand(k, i);
        else if (is_activity(i))
            expand_activity(k, i);
        else
            block_add(k->digits.lower.c, b, i);
    }
    insts_free(k->digits.lower.c, &old);
    k->digits.lower.block = outer;
}

/* All code of a function that is not in tasks, or a part of a task. */
static void
expand_whole(Expansion *k, Block *b)
{
    k->digits.home = b;
    if (b)
        expand_block(k, b);
}

static void
expand_task(Task *t, void *arg)
{
    Expansion *k = arg;
    expand_whole(k, t->setup);
    if (t->kind == TASK_STRUCT_FOR && t->node &&
        (t->drops_own || !ir_deactivates(k->digits.lower.c, k->ir, t->body, t->node->layout)))
        k->around = (Around){t->node, task_listed(t), t->vars.items};
    k->digits.task = t;
    expand_whole(k, t->body);
    k->digits.task = NULL;
    k->around = (Around){0};
}

void
pass_lower_access(Compile *c, Ir *ir, IrFunc *f)
{
    Expansion k = {.digits.lower = {.c = c, .p = ir->prog, .f = f}, .ir = ir};
    if (ir->needs_indices)
        k.digits.indices = affine_new(c, f);
    expand_whole(&k, f->body);
    tasks_walk(&f->tasks, expand_task, &k);
}
