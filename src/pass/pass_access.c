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
    int at = 0;
    for (int letter = 0; letter < axis; letter++)
        at += a->node->path_axes >> letter & 1;
    return index->kind == INST_LOAD && index->args.items[0]->kind == INST_VAR && index->args.items[0]->var == a->vars[at];
}

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
is_near(const Around *a, const Node *n, const Field *f, const Node *leaf, Inst *const *indices)
{
    const Node *down = a->node ? a->node->parent : NULL;
    while (down && down != n)
        down = down->parent;
    if (!down)
        return false;
    for (int k = 0; k < f->axis_count; k++) {
        int axis = f->axes[k];
        if ((n->path_axes & 1 << axis) && (!is_near_index(a, indices[k], axis) || below(n, leaf, axis) != below(n, a->node, axis)))
            return false;
    }
    return true;
}

/* The deepest node whose cell around the element is the one that the loop is at; NULL: none. */
static Node *
shared_cell(const Around *a, const Field *f, const Inst *cell)
{
    Node *leaf = cell->node;
    for (Node *n = leaf; a->node && n; n = n->parent) {
        const Node *down = a->node;
        while (down && down != n)
            down = down->parent;
        if (!down || (a->listed && n->depth < a->listed->depth))
            continue;
        bool same = true;
        for (int k = 0; k < f->axis_count; k++) {
            int axis = f->axes[k];
            if (n->path_axes & 1 << axis)
                same = same && is_loop_index(a, cell->args.items[k], axis) && below(n, leaf, axis) == below(n, a->node, axis);
        }
        if (same)
            return n;
    }
    return NULL;
}

static void
expand(Expansion *k, Inst *cell)
{
    Lower *l = &k->l;
    Field *f = cell->field;
    Node *leaf = cell->node, *path[64], *start = shared_cell(&k->around, f, cell);
    Inst *index[AXIS_MAX] = {NULL}, *at = NULL, *indices[AXIS_MAX] = {NULL};
    int depth = 0;
    l->span = cell->span;
    if (start == leaf) {
        cell->kind = INST_LOOP_CELL;
        cell->args = (Insts){0};
        block_add(l->c, l->block, cell);
        return;
    }
    for (int i = 0; i < f->axis_count; i++)
        indices[i] = cell->args.items[i];
    for (int i = 0; i < f->axis_count; i++) {
        Inst *x = lower_cast(l, indices[i], SCALAR_I64);
        index[f->axes[i]] = f->offsets[i] ? lower_binary(l, OP_SUB, x, i64(l, f->offsets[i])) : x;
    }
    for (Node *n = leaf; n != start && depth < 64; n = n->parent)
        path[depth++] = n;
    if (start) {
        at = lower_add(l, INST_LOOP_CELL, NULL, NULL, NULL, NULL);
        at->node = start;
    }
    while (depth > 0) {
        Node *n = path[--depth];
        Inst *container = lower_add(l, at ? INST_CHILD : INST_ROOT, NULL, at, NULL, NULL);
        container->node = n;
        at = look_up(l, n, leaf, index, container, cell->access, depth ? NULL : cell);
        at->near = is_near(&k->around, n, f, leaf, indices);
    }
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
    Insts old = b->insts;
    b->insts = (Insts){0};
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
        else
            block_add(k->l.c, b, i);
    }
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
        if (t->body)
            expand_block(k, t->body);
        k->around = (Around){0};
        expand_tasks(k, &t->tasks);
        expand_tasks(k, &t->orelse);
    }
}

void
pass_access(Compile *c, Ir *ir, IrFunc *f)
{
    Expansion k = {.l = {.c = c, .p = ir->prog, .f = f}, .ir = ir};
    if (f->body)
        expand_block(&k, f->body);
    expand_tasks(&k, &f->tasks);
}
