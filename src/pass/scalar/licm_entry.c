/* Loop-invariant code motion to the entry of a list. A loop over listed blocks may reach, at its
 * own indices, cells of other trees with blocks of the same shape. Such a block is looked up once
 * for each entry of the list, not for each cell. C compilers can then vectorise the rest.
 *
 *     struct_for(L0.S2dense) {                     struct_for(L0.S2dense) {
 *         $9 = load i                                  $30 = load i
 *         $19 = $9 >> 3                          →     $32 = $30 >> 3
 *         $20 = lookup S1pointer $17[$19] activate     $20 = lookup S1pointer $31[$32] activate
 *         ...                                      } entry {
 *                                                      ...
 * A look-up that activates the block leaves only if all iterations activate it, and each entry has
 * an iteration. A look-up that reads stays if the loop itself may activate such blocks. It also
 * stays if only some iterations read and the other tree may have fewer indices. In loops over the
 * cells of a mask, any number of iterations may run for an entry. There, only reads and blocks
 * known to be active (pass bulk_activate) leave. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"

typedef struct {
    Compile *c;
    const Task *t;
    const Node *listed;
    Block *entry;
    bool *moves; /* by instruction of the function; NULL before the first loop that may have such */
    bool jumped; /* an iteration may have ended */
} Entry;

/* ---- what is the same for a whole entry ---- */

/* Are all cells below those of the list walked, but for a mask of the last ones? */
static bool
is_dense_below(const Task *t, const Node *listed)
{
    for (const Node *n = t->node; n != listed; n = n->parent)
        if ((n->kind != NODE_DENSE && (n->kind != NODE_BITMASKED || n != t->node)) || n->has_offset)
            return false;
    return t->node != listed;
}

/* Indices along an axis that a cell of the list spans. */
static int64_t
span_of(const Entry *e, int axis)
{
    int64_t span = 1;
    for (const Node *n = e->t->node; n != e->listed; n = n->parent)
        for (int k = 0; k < n->axis_count; k++)
            if (n->axes[k] == axis)
                span *= n->sizes[k];
    return span;
}

/* A loop variable without the digits below the list. */
static bool
is_number_of_entry(const Entry *e, const Inst *i)
{
    const Inst *x = i->args.items[0], *by = i->args.items[1];
    if ((i->op != OP_SHR && i->op != OP_DIV) || by->kind != INST_CONST)
        return false;
    const int64_t n = by->value.leaves[0].i;
    if (x->kind == INST_CAST && x->type->kind == TYPE_SCALAR)
        x = x->args.items[0];
    if (x->kind != INST_LOAD || x->args.items[0]->kind != INST_VAR)
        return false;
    for (int axis = 0; axis < AXIS_MAX; axis++) {
        const int rank = node_axis_rank(e->t->node, axis);
        if (e->t->node->path_axes & 1 << axis && e->listed->path_axes & 1 << axis &&
            e->t->vars.items[rank] == x->args.items[0]->var)
            return span_of(e, axis) == (i->op == OP_SHR ? (int64_t)1 << n : n);
    }
    return false;
}

static bool
holds(const Entry *e, const Inst *i)
{
    if (i->kind == INST_CONST || i->kind == INST_ROOT)
        return true;
    if (inst_is_lookup(i) && i->node->kind != NODE_DENSE)
        return e->moves[i->id];
    if (i->kind == INST_BINARY && is_number_of_entry(e, i))
        return true;
    if (i->kind != INST_BINARY && i->kind != INST_CHILD && i->kind != INST_LOOKUP)
        return false;
    for (int a = 0; a < i->args.count; a++)
        if (!holds(e, i->args.items[a]))
            return false;
    return true;
}

/* ---- what leaves ---- */

/* The value again, before the look-up that needs it. */
static Inst *
copy_value(Entry *e, Inst *i)
{
    if (e->moves[i->id])
        return i;
    Inst *copy = ARENA_NEW(e->c->arena, Inst);
    *copy = *i;
    copy->args = (Insts){0};
    for (int a = 0; a < i->args.count; a++)
        ir_arg(e->c, copy, copy_value(e, i->args.items[a]));
    block_add(e->c, e->entry, copy);
    return copy;
}

/* Indices of fields along an axis, where the cells of a node span so many on all paths below;
 * 0: that is known at run time. */
static __int128
extent_of(const Node *n, int axis)
{
    return (__int128)n->coord_extent[axis] * n->cell_extent[axis];
}

/* Does the tree of a node certainly have all indices that the loop has? */
static bool
has_indices_of_loop(const Entry *e, const Node *n)
{
    for (const Node *below = n; below->children.count; below = below->children.items[0])
        if (below->children.count > 1)
            return false;
    for (int axis = 0; axis < AXIS_MAX; axis++)
        if ((n->path_axes & 1 << axis) &&
            (!extent_of(e->listed, axis) || extent_of(n, axis) < extent_of(e->listed, axis)))
            return false;
    return true;
}

/* What only some iterations look up may be outside of its tree for others. */
static bool
may_leave(const Entry *e, const Inst *i, bool certain)
{
    const Effects *did = &e->t->effects;
    if (!inst_is_lookup(i) || !node_has_activity(i->node->kind) || i->node->kind == NODE_DYNAMIC ||
        nodes_have(&did->may_deactivate, i->node))
        return false;
    for (int a = 0; a < i->args.count; a++)
        if (!holds(e, i->args.items[a]))
            return false;
    certain &= !e->jumped;
    if (i->access == ACCESS_KNOWN)
        return i->node->kind == NODE_POINTER;
    if (i->access == ACCESS_ACTIVATE)
        return certain;
    return i->access == ACCESS_READ && !nodes_have(&did->may_activate, i->node) &&
           (certain || has_indices_of_loop(e, i->node));
}

static void
take_from(Entry *e, Block *b, bool certain)
{
    int kept = 0;
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        if (may_leave(e, i, certain)) {
            e->moves[i->id] = true;
            for (int a = 0; a < i->args.count; a++)
                i->args.items[a] = copy_value(e, i->args.items[a]);
            block_add(e->c, e->entry, i);
            continue;
        }
        b->insts.items[kept++] = i;
        e->jumped |= i->kind == INST_CONTINUE || i->kind == INST_ASSERT;
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                take_from(e, i->blocks[k], false);
    }
    b->insts.count = kept;
}

static void
look_at_task(Entry *e, IrFunc *f, Task *t)
{
    const Node *listed = t->kind == TASK_STRUCT_FOR && t->node ? node_list_ancestor(t->node) : NULL;
    if (!listed || t->use_list || t->inside || t->fetches || t->goes_abreast ||
        !is_dense_below(t, listed))
        return;
    if (!e->moves)
        e->moves = ARENA_ARRAY(e->c->scratch, bool, ir_number(f));
    *e = (Entry){.c = e->c, .t = t, .listed = listed, .entry = ARENA_NEW(e->c->arena, Block),
                 .moves = e->moves};
    take_from(e, t->body, !task_is_bounded(t) && t->node->kind == NODE_DENSE);
    if (e->entry->insts.count)
        t->entry = e->entry;
}

void
pass_licm_entry(Compile *c, Ir *ir, IrFunc *f)
{
    Entry e = {.c = c};
    (void)ir;
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        look_at_task(&e, f, loops.items[n]);
}
