/* Bulk activation. A loop over the cells of a mask writes to the same cells of another tree of the
 * same shape, as two trees do that take turns. All these cells are activated before the loop, by
 * words of the masks. The loop then asks for none.
 *
 *     $0 = offloaded struct_for(L0.S2bitmasked) {       $0 = offloaded serial {
 *         $5 = load i                                       $1 = activate as L1.S2bitmasked ...
 *         $6 = cell L1.S2bitmasked of b[$5] activate  →  }
 *         ...                                           $1 = offloaded struct_for(L0.S2bitmasked) {
 *                                                           $6 = cell L1.S2bitmasked of b[$5]
 *                                                           ...
 *
 * Each iteration must write to such a cell, and none may ask what is active. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"

typedef struct {
    Compile *c;
    const Task *t;
    bool fails;
    Node *twin;         /* the node at hand, of another tree */
    bool activates;     /* something else of its tree */
} Twins;

/* ---- shapes ---- */

static bool
same_level(const Node *a, const Node *b)
{
    bool same = a->kind == b->kind && a->axis_count == b->axis_count && !a->has_offset &&
                !b->has_offset;
    for (int k = 0; same && k < a->axis_count; k++)
        same = a->axes[k] == b->axes[k] && a->sizes[k] == b->sizes[k] && a->sizes[k] &&
               a->stored[k] == b->stored[k];
    return same;
}

static bool
same_shape(const Node *a, const Node *b)
{
    for (; a && b; a = a->parent, b = b->parent)
        if (!same_level(a, b))
            return false;
    return !a && !b;
}

/* A cell of another tree at the loop's own indices? */
static bool
is_twin_cell(const Task *t, const Inst *i)
{
    if (i->kind != INST_CELL || i->node->layout == t->node->layout || !same_shape(i->node, t->node))
        return false;
    for (int k = 0; k < i->args.count; k++) {
        const Inst *x = i->args.items[k];
        if (x->kind != INST_LOAD || x->args.items[0]->kind != INST_VAR ||
            x->args.items[0]->var != t->vars.items[k])
            return false;
    }
    return i->args.count == t->vars.count;
}

/* ---- loops ---- */

static void
note_inst(Inst *i, void *arg)
{
    Twins *k = arg;
    switch ((int)i->kind) {
    case INST_LOAD: case INST_STORE: case INST_ATOMIC: case INST_CELL: case INST_IN_CELL:
    case INST_IF: case INST_FOR: case INST_WHILE: case INST_LOGIC: case INST_COND: case INST_BREAK:
    case INST_REDUCE:
        break;
    default: k->fails |= inst_info(i->kind)->effects != 'P' || inst_may_fail(i);
    }
}

static void
make_known(Inst *i, void *arg)
{
    Twins *k = arg;
    if (i->kind != INST_CELL || i->node->layout != k->twin->layout)
        return;
    if (i->node == k->twin && is_twin_cell(k->t, i)) {
        i->access = ACCESS_KNOWN;
        i->like = k->t->node;
    }
    k->activates |= i->access == ACCESS_ACTIVATE;
}

/* Moves what may be activated in the tree of a node from one task to another. */
static void
move_effects(Twins *k, Effects *from, Effects *to)
{
    int kept = 0;
    for (int n = 0; n < from->may_activate.count; n++) {
        Node *node = from->may_activate.items[n];
        if (node->layout == k->twin->layout)
            vec_push(k->c->arena, &to->may_activate, node);
        if (node->layout != k->twin->layout || k->activates)
            from->may_activate.items[kept++] = node;
    }
    from->may_activate.count = kept;
}

static Task *
activation(Twins *k, Task *t, Span span)
{
    Task *before = ARENA_NEW(k->c->arena, Task);
    Inst *i = ir_new(k->c, INST_ACTIVATE_AS, NULL, span);
    i->node = k->twin;
    i->like = t->node;
    before->kind = TASK_SERIAL;
    before->span = t->span;
    before->body = ARENA_NEW(k->c->arena, Block);
    block_add(k->c, before->body, i);
    move_effects(k, &t->effects, &before->effects);
    return before;
}

static bool
is_fit(const Task *t)
{
    const Node *n = t->kind == TASK_STRUCT_FOR ? t->node : NULL;
    return n && n->kind == NODE_BITMASKED && !t->use_list && !task_is_bounded(t) &&
           !t->effects.may_deactivate.count && node_list_ancestor(n) == n->parent;
}

static void
look_at_task(Compile *c, Task *t, Tasks *out)
{
    Twins k = {.c = c, .t = t};
    if (!is_fit(t))
        return;
    block_walk(t->body, note_inst, &k);
    for (int n = 0; !k.fails && n < t->body->insts.count; n++) {
        const Inst *i = t->body->insts.items[n];
        if (i->kind != INST_CELL || i->access != ACCESS_ACTIVATE || !is_twin_cell(t, i))
            continue;
        k.twin = i->node;
        k.activates = false;
        block_walk(t->body, make_known, &k);
        vec_push(c->arena, out, activation(&k, t, i->span));
    }
}

static void
look_at_tasks(Compile *c, Tasks *tasks)
{
    Tasks out = {0};
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        look_at_tasks(c, &t->tasks);
        look_at_tasks(c, &t->orelse);
        if (t->body)
            look_at_task(c, t, &out);
        vec_push(c->arena, &out, t);
    }
    *tasks = out;
}

void
pass_bulk_activate(Compile *c, Ir *ir, IrFunc *f)
{
    if (ir->needs_indices && !c->options.check)
        look_at_tasks(c, &f->tasks);
}
