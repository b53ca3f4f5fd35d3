/* Array privatisation. A loop may do nothing to a dense array but add to elements of it, by indices
 * of any kind. Each thread then adds to a copy of its own, and the copies are joined after the
 * loop. No addition is atomic.
 *
 *     range_for(i32 p in 0..1000) {            range_for(i32 p in 0..1000) scatter(S1dense) {
 *         $9 = atomic add $8 <- $7        →        (the same)
 *
 * The array may lie in blocks under a pointer node at the top. A copy then has the blocks to which
 * its thread adds. At each call the runtime decides whether the array is small enough against the
 * number of additions. On a GPU the lanes of a block share one copy, so the array must be small. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"

enum { ARRAYS_MOST = 4, DEPTH_MAX = 16, SHARED_BYTES = 16 << 10 };

typedef struct {
    Compile *c;
    const Ir *ir;
    Nodes tops;         /* top nodes whose containers are added to */
    int updates;
    int depth;          /* of calls */
    bool fits;
} Search;

static bool
is_on_path(const Inst *i)
{
    return i->kind == INST_ELEM || i->kind == INST_MEMBER || i->kind == INST_IN_CELL ||
           i->kind == INST_CHILD || i->kind == INST_LOOKUP;
}

/* A pointer node at the top, whose cells are blocks of dense nodes. */
static bool
has_blocks(const Node *n)
{
    return n->kind == NODE_POINTER && !n->parent;
}

/* The top node of the dense path, which may begin with blocks, that a place or a cell lies on, or
 * NULL. */
static const Inst *
root_of(const Inst *i)
{
    while (is_on_path(i)) {
        if ((i->kind == INST_CHILD || i->kind == INST_LOOKUP) && i->node->kind != NODE_DENSE &&
            !has_blocks(i->node))
            return NULL;
        i = i->args.items[0];
    }
    return i->kind == INST_ROOT && (i->node->kind == NODE_DENSE || has_blocks(i->node)) ? i : NULL;
}

/* Are the blocks that it lies in activated, where it has some? */
static bool
activates(const Inst *i)
{
    for (; is_on_path(i); i = i->args.items[0])
        if (i->kind == INST_LOOKUP && has_blocks(i->node))
            return i->access == ACCESS_ACTIVATE;
    return true;
}

/* Does the container hold nothing but scalars of this type? */
static bool
holds_only(const Node *n, Scalar scalar)
{
    if (n->kind != NODE_DENSE && !has_blocks(n))
        return false;
    for (int k = 0; k < n->places.count; k++) {
        const Place *p = &n->places.items[k];
        for (int l = p->first_leaf; l < p->first_leaf + p->leaf_count; l++)
            if (type_leaf(p->field->type, l, NULL) != scalar)
                return false;
    }
    for (int k = 0; k < n->children.count; k++)
        if (!holds_only(n->children.items[k], scalar))
            return false;
    return n->places.count || n->children.count;
}

/* Collects what is added to; anything else that threads could meet at makes the loop unfit. */
static void
find_updates(Inst *i, void *arg)
{
    Search *s = arg;
    if (i->kind == INST_APPEND || i->kind == INST_ACTIVE || i->kind == INST_DEACTIVATE_ALL ||
        (i->in_row && i->kind != INST_IS_ACTIVE))
        s->fits = false;
    if (!s->fits || i->kind != INST_ATOMIC || i->plain)
        return;
    const Inst *root = root_of(i->args.items[0]);
    bool adds = i->atomic_op == ATOMIC_ADD || i->atomic_op == ATOMIC_SUB;
    s->fits = adds && !i->uses && root && scalar_can_be_summed(i->type->scalar) &&
              holds_only(root->node, i->type->scalar);
    if (s->fits && has_blocks(root->node))
        s->fits = activates(i->args.items[0]) && !s->c->options.gpu;
    if (s->fits && !nodes_have(&s->tops, root->node))
        vec_push(s->c->arena, &s->tops, root->node);
    s->updates++;
}

/* What else is done to these containers is not to be seen in a copy. */
static void
find_others(Inst *i, void *arg)
{
    Search *s = arg;
    bool update = i->kind == INST_ATOMIC && !i->plain;
    for (int a = 0; a < i->args.count && s->fits; a++) {
        const Inst *root =
            (update && a == 0) || (is_on_path(i) && a == 0) ? NULL : root_of(i->args.items[a]);
        s->fits = !root || !nodes_have(&s->tops, root->node);
    }
    if (i->kind == INST_FOR_CELLS && i->node && nodes_have(&s->tops, node_top(i->node)))
        s->fits = false;
    if (s->depth && i->kind == INST_ROOT && nodes_have(&s->tops, i->node))
        s->fits = false;
    if (i->kind != INST_CALL || i->func->kind != FUNC_DEVICE || !s->fits)
        return;
    if (++s->depth > DEPTH_MAX)
        s->fits = false;
    else
        block_walk(ir_func(s->ir, i->func)->body, find_others, s);
    s->depth--;
}

/* Is the field in one of the containers? */
static bool
lies_in(const Nodes *tops, const Field *f)
{
    for (int l = 0; l < f->type->leaf_count; l++) {
        const Node *n = node_top(f->leaves[l].node);
        if (n && nodes_have(tops, n))
            return true;
    }
    return false;
}

/* Keeps the containers whose copies have a place in the memory that a block of lanes of a GPU
 * shares, those first that @block_local asks for; halos have it before them. */
static void
keep_small(Compile *c, const Task *t, Nodes *tops)
{
    Nodes kept = {0};
    int64_t bytes = 0;
    for (int asked = 1; asked >= 0 && !t->halos.count; asked--)
        for (int k = 0; k < tops->count; k++) {
            Nodes one = {.items = &tops->items[k], .count = 1};
            int64_t own = tops->items[k]->container_bytes;
            bool named = false;
            for (int f = 0; f < t->block_local.count; f++)
                named |= lies_in(&one, t->block_local.items[f]);
            if (named != asked || !own || own > SHARED_BYTES - bytes)
                continue;
            bytes += own;
            vec_push(c->arena, &kept, tops->items[k]);
        }
    *tops = kept;
}

static void
look_at_task(Compile *c, const Ir *ir, Task *t)
{
    Search s = {.c = c, .ir = ir, .fits = true};
    block_walk(t->body, find_updates, &s);
    if (!s.fits || !s.tops.count || s.tops.count > ARRAYS_MOST || t->windows.count)
        return;
    block_walk(t->body, find_others, &s);
    const Node *top = t->kind == TASK_STRUCT_FOR ? node_top(t->node) : NULL;
    if (top && nodes_have(&s.tops, top))
        return;
    for (int h = 0; h < t->halos.count; h++)
        s.fits = s.fits && !lies_in(&s.tops, t->halos.items[h]->field);
    if (!s.fits || (t->stream && lies_in(&s.tops, t->stream)))
        return;
    if (c->options.gpu)
        keep_small(c, t, &s.tops);
    t->scatter = s.tops;
    t->updates = s.updates;
}

void
pass_privatize(Compile *c, Ir *ir, IrFunc *f)
{
    if (!f->tasks.count)
        return;
    ir_number(f);
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        if (loops.items[n]->effects.accumulates.count)
            look_at_task(c, ir, loops.items[n]);
}
