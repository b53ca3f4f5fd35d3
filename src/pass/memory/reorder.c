/* Iteration reordering. Particles in no order reach a dozen lines of a grid each, and these lines
 * have left the caches when the next particle of the same place comes. If no result depends on the
 * order of iterations, the loop may take any. A second body, as in pass prefetch, only
 * finds one of the cells: the numbers that lead to it are the key of the iteration.
 *
 *     struct_for(x) quads {                             struct_for(x) quads ordered {
 *         $9 = lookup S1pointer $1[$7] activate     →       (the same)
 *         $11 = lookup S2dense $10[$8] known            } fetches {
 *         ...                                               key $38, $37
 *     }                                                 }
 * Loops of gather and defer_scatter compute side by side what many iterations need, as vectors. */
#include "config.h"

#include "pass/pass.h"

#include "pass/memory/slice.h"

enum {
    CELLS_LEAST = 8, /* that an iteration reaches, and for each line of its own: */
    CELLS_TO_LINE = 4,
    BYTES_LEAST = 1 << 20, /* of the array or tree, also where there are vectors to lose: */
    VECTOR_BYTES_LEAST = 1 << 23,
    LINE = 64
};

/* ---- may the iterations have any order? ---- */

typedef struct {
    const Ir *ir;
    bool *own; /* by variable: declared in the body */
    bool may;
} AnyOrder;

/* Does an instruction change a variable that all iterations have in common? */
static bool
changes_common(const AnyOrder *o, const Inst *i)
{
    if (i->kind != INST_STORE && i->kind != INST_ATOMIC)
        return false;
    const Inst *root = inst_place_root(i->args.items[0]);
    if (root->kind != INST_VAR)
        return false;
    o->own[root->var->id] |= i->kind == INST_STORE && i->defines;
    return !o->own[root->var->id];
}

static void
look_at_inst(Inst *i, void *arg)
{
    AnyOrder *o = arg;
    switch (i->kind) {
    case INST_APPEND:
    case INST_PRINT:
    case INST_ASSERT: o->may = false; break;
    case INST_ATOMIC: o->may &= !i->uses && !changes_common(o, i); break;
    case INST_STORE: o->may &= !changes_common(o, i); break;
    case INST_CALL: o->may = o->may && slice_is_arithmetic(o->ir, i->func); break;
    default: break;
    }
}

/* Does the loop store to elements only at its own index? */
static bool
stores_own(const Task *t)
{
    for (int k = 0; k < t->effects.writes.count; k++)
        if (!footprint_is_own(&t->effects.writes.items[k]))
            return false;
    return true;
}

static bool
may_have_any_order(Compile *c, const Ir *ir, const IrFunc *f, const Task *t)
{
    AnyOrder o = {.ir = ir, .own = ARENA_ARRAY(c->scratch, bool, ir_var_limit(f))};
    o.may = !t->reductions.count && !t->effects.may_deactivate.count && stores_own(t);
    block_walk(t->body, look_at_inst, &o);
    return o.may;
}

/* ---- does it pay? ---- */

static bool
is_large(const Node *n, const Task *t)
{
    const int64_t least = t->simd || t->batches ? VECTOR_BYTES_LEAST : BYTES_LEAST;
    int64_t bytes = n->cell_bytes;
    for (; n && bytes < least; n = n->parent)
        bytes *= n->cell_count;
    return bytes >= least;
}

/* Is there a number for each level that leads to the cell, and one for all of them together? */
static bool
has_key(const Inst *cell)
{
    int64_t cells = 1;
    for (const Inst *i = cell;; i = i->args.items[0]->args.items[0]) {
        if (i->kind != INST_LOOKUP || !i->node->cell_count ||
            __builtin_mul_overflow(cells, i->node->cell_count, &cells))
            return false;
        if (i->args.items[0]->kind != INST_CHILD)
            return i->args.items[0]->kind == INST_ROOT;
    }
}

/* Cells that every iteration looks up in the node that has most of them, and the first of these. */
static int
count_cells(const Task *t, Inst **first)
{
    int most = 0;
    const Insts *all = &t->body->insts;
    for (int n = 0; n < all->count; n++) {
        Inst *i = all->items[n];
        int count = 0;
        if (i->kind != INST_LOOKUP || i->node->children.count || !has_key(i) ||
            !is_large(i->node, t))
            continue;
        for (int m = n; m < all->count; m++)
            count += all->items[m]->kind == INST_LOOKUP && all->items[m]->node == i->node;
        if (count > most) {
            most = count;
            *first = i;
        }
    }
    return most;
}

/* Lies the cell with an index where the index says? */
static bool
is_plain_array(const Node *n)
{
    return n->kind == NODE_DENSE && !n->parent && n->axis_count == 1 && !n->has_offset;
}

static void
note_own(Compile *c, Task *t, const Footprints *uses)
{
    for (int n = 0; n < uses->count; n++) {
        const Field *f = uses->items[n].field;
        const int leaves = footprint_is_own(&uses->items[n]) ? f->type->leaf_count : 0;
        for (int leaf = 0; leaf < leaves; leaf++)
            if (!nodes_have(&t->order_own, f->leaves[leaf].node))
                vec_push(c->arena, &t->order_own, f->leaves[leaf].node);
    }
}

/* Notes the arrays with what an iteration uses at its own index; gives the number of lines of the
 * caches that hold that. */
static int64_t
note_own_arrays(Compile *c, Task *t)
{
    int64_t lines = 0;
    int arrays = 0;
    note_own(c, t, &t->effects.reads);
    note_own(c, t, &t->effects.writes);
    for (int n = 0; n < t->order_own.count; n++) {
        Node *own = t->order_own.items[n];
        lines += (own->cell_bytes + LINE - 1) / LINE;
        if (is_plain_array(own))
            t->order_own.items[arrays++] = own;
    }
    t->order_own.count = arrays;
    return lines;
}

/* Is the loop over one range, or over the cells of an array, and written as it stands? */
static bool
fits(const Task *t)
{
    return t->body && task_has_one_index(t) && !t->fetches && !t->rows && !t->inside &&
           !t->before && !t->goes_abreast && !t->words && !task_is_by_blocks(t) && !t->packed &&
           !t->tiny;
}

static void
look_at_loop(Compile *c, Ir *ir, IrFunc *f, Task *t)
{
    Inst *cell = NULL;
    if (!fits(t))
        return;
    const int cells = count_cells(t, &cell);
    if (cells >= CELLS_LEAST && cells >= CELLS_TO_LINE * note_own_arrays(c, t) &&
        may_have_any_order(c, ir, f, t) && slice_target(c, ir, f, t, cell))
        t->order = cell->node;
}

void
pass_reorder(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        look_at_loop(c, ir, f, loops.items[n]);
}
