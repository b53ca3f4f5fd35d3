/* Loops over a mask that deactivate the cells they are at, and do nothing with them after that:
 *
 *     for i, j in x { x[i, j] -= 1.0; if (x[i, j] < 0.0) { deactivate(m[i, j]); } }
 *
 * A word of the mask is read before the cells in it are visited, and an iteration takes away no bit
 * but its own: what is visited does not change, and no list of it has to be made before. */
#include "config.h"

#include "analysis/self_deactivate.h"

#include "ir/inst_info.h"

typedef struct {
    const Ir *ir;
    const AffineFacts *indices;
    const Task *t;
    const Layout *layout;
    bool any, only_own;    /* deactivations in the layout */
    bool touches;
} Drops;

static bool
is_own(const Drops *d, const Inst *i)
{
    const Node *n = i->node;
    if (i->kind != INST_DEACTIVATE || n != d->t->node)
        return false;
    for (int axis = 0, k = 0; axis < AXIS_MAX; axis++) {
        if (!(n->path_axes >> axis & 1))
            continue;
        const Affine at = affine_of(d->indices, d->t, i->args.items[k++]);
        if (!at.known || at.var != d->t->vars.items[node_axis_rank(n, axis)] || at.min || at.max)
            return false;
    }
    return true;
}

static bool
is_drop(const Drops *d, const Inst *i)
{
    return (i->kind == INST_DEACTIVATE || i->kind == INST_DEACTIVATE_ALL) &&
           i->node->layout == d->layout;
}

static void
look_for_drops(Inst *i, void *arg)
{
    Drops *d = arg;
    if (is_drop(d, i)) {
        d->any = true;
        d->only_own = d->only_own && is_own(d, i);
    }
    if (i->kind != INST_CALL)
        return;
    const IrFunc *f = ir_func(d->ir, i->func);
    for (int n = 0; n < f->collect.count; n++)
        d->only_own = d->only_own && f->collect.items[n] != d->layout;
}

static bool
lies_in(const Layout *layout, const Field *f)
{
    return f && f->node && f->node->layout == layout;
}

/* Does the instruction have to do with the layout, as far as can be told? */
static void
look_for_touch(Inst *i, void *arg)
{
    Drops *d = arg;
    switch (i->kind) {
    case INST_REQUIRE: case INST_MEMORY: case INST_CALL: d->touches = true; return;
    case INST_LOAD: case INST_STORE: case INST_ATOMIC:
        d->touches |= lies_in(d->layout, inst_place_field(i->args.items[0]));
        return;
    default: break;
    }
    d->touches |= lies_in(d->layout, i->field) || (i->node && i->node->layout == d->layout);
}

static bool
goes_on(const Block *b)
{
    return b->insts.count == 0 || b->insts.items[b->insts.count - 1]->kind != INST_CONTINUE;
}

/* Is nothing done in the layout after a drop, in the block? `dropped`: one came before; is set
 * where one may have come before what follows the block. */
static bool
comes_last(Drops *d, const Block *b, bool *dropped)
{
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        if (*dropped) {
            look_for_touch(i, d);
            for (int k = 0; k < 2; k++)
                block_walk(i->blocks[k], look_for_touch, d);
            if (d->touches)
                return false;
            continue;
        }
        if (is_drop(d, i)) {
            *dropped = true;
            continue;
        }
        bool after = false;
        for (int k = 0; k < 2; k++) {
            bool in_block = false;
            if (!i->blocks[k])
                continue;
            if (!comes_last(d, i->blocks[k], &in_block) || (in_block && inst_is_loop(i)))
                return false;
            after |= in_block && goes_on(i->blocks[k]);
        }
        *dropped = after;
    }
    return true;
}

bool
self_deactivate_only(const Ir *ir, const AffineFacts *indices, const Task *t)
{
    if (t->kind != TASK_STRUCT_FOR || !t->node || t->node->kind != NODE_BITMASKED)
        return false;
    Drops d = {
        .ir = ir, .indices = indices, .t = t, .layout = t->node->layout, .only_own = true};
    block_walk(t->body, look_for_drops, &d);
    bool dropped = false;
    return d.any && d.only_own && comes_last(&d, t->body, &dropped);
}
