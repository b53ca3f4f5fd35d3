/* Makes trees: evaluates the sizes of nodes and gives elements their first values. */
#include "config.h"

#include <stdlib.h>

#include "interp/inside.h"

/* The extents of a node, whose sizes are known. */
static void
multiply_sizes(Interp *in, const Node *n)
{
    TreeState *t = &in->trees[n->layout->id];
    int64_t *extents = t->extents[n->id - 1];
    for (int a = 0; a < AXIS_MAX; a++)
        extents[a] = n->parent ? shape_node_extent(in, n->parent, a) : 1;
    for (int i = 0; i < n->axis_count; i++)
        extents[n->axes[i]] *= t->stored[n->id - 1][i];
}

/* The size of a node along an axis, which may not wrap. */
static int64_t
evaluate_size(Interp *in, const Node *n, int a)
{
    const unsigned check = in->c->options.check;
    in->c->options.check |= CHECK_SIZES;
    const int64_t size = n->size_expr[a] ? eval_integer(in, n->size_expr[a]) : n->sizes[a];
    in->c->options.check = check;
    return size;
}

static void
evaluate_sizes(Interp *in, const Layout *l)
{
    TreeState *t = &in->trees[l->id];
    for (int i = 0; i < l->nodes.count; i++) {
        const Node *n = l->nodes.items[i];
        for (int a = 0; a < n->axis_count; a++) {
            t->stored[i][a] = evaluate_size(in, n, a);
            if (t->stored[i][a] < 1)
                interp_fail(in, n->span, "the size '%s' of a node must be positive, not %lld",
                            n->size_text[a], (long long)t->stored[i][a]);
            if (n->size_expr[a] && t->stored[i][a] > node_size_max(n, a))
                interp_fail(in, n->span,
                            "the size '%s' is %lld, at most %lld where indices are i32; a param of "
                            "type i64 makes them i64",
                            n->size_text[a], (long long)t->stored[i][a],
                            (long long)node_size_max(n, a));
        }
        multiply_sizes(in, n);
        Key cells = 1;
        for (int a = 0; a < AXIS_MAX; a++)
            if (__builtin_mul_overflow(cells, (Key)shape_node_extent(in, n, a), &cells))
                interp_fail(in, n->span,
                            "the interpreter can number at most 2^128 cells of a node");
    }
}

static void
make_values(Interp *in, const Layout *l)
{
    for (int f = 0; f < in->p->fields.count; f++) {
        const Field *field = in->p->fields.items[f];
        for (int leaf = 0; leaf < field->type->leaf_count; leaf++) {
            const LeafPlace *where = &field->leaves[leaf];
            if (where->layout != l || (where->node && node_is_sparse(where->node)))
                continue;
            int64_t count = 1;
            for (int i = 0; i < field->axis_count; i++)
                count *= shape_field_extent(in, field, i);
            LeafState *state = &in->fields[f][leaf];
            state->flat = calloc((size_t)count, (size_t)state->bytes);
            if (!state->flat)
                interp_fail(in, l->span, "out of memory: field '%s' has %lld elements", field->name,
                            (long long)count);
            for (int64_t i = 0; field->ambient && i < count; i++)
                leaf_store(state->scalar, state->flat + i * state->bytes,
                           tree_ambient(field, leaf));
        }
    }
}

void
tree_create(Interp *in, Layout *l, Span at)
{
    TreeState *t = &in->trees[l->id];
    if (t->exists)
        interp_fail(in, at, "layout '%s' exists already", l->name ? l->name : "layout");
    t->base = (uint64_t)(l->id + 1) << 44;
    evaluate_sizes(in, l);
    ledger_renew(in, l, at);
    t->exists = true;
    make_values(in, l);
}

/* States of a field without values. */
static LeafState *
leaf_states(const Type *t)
{
    LeafState *states = interp_memory((size_t)t->leaf_count + 1, sizeof *states);
    for (int leaf = 0; leaf < t->leaf_count; leaf++) {
        int64_t at;
        states[leaf].scalar = type_leaf(t, leaf, &at);
        states[leaf].bytes = scalar_info(states[leaf].scalar)->bytes;
    }
    return states;
}

void
tree_create_all(Interp *in)
{
    const Prog *p = in->p;
    in->trees = interp_memory((size_t)p->layouts.count + 1, sizeof *in->trees);
    in->fields = interp_memory((size_t)p->fields.count + 1, sizeof *in->fields);
    for (int i = 0; i < p->fields.count; i++)
        in->fields[i] = leaf_states(p->fields.items[i]->type);
    for (int i = 0; i < p->layouts.count; i++) {
        int count = p->layouts.items[i]->nodes.count;
        in->trees[i].nodes = interp_memory((size_t)count + 1, sizeof(NodeState));
        in->trees[i].stored = interp_memory((size_t)count + 1, sizeof(int64_t[AXIS_MAX]));
        in->trees[i].extents = interp_memory((size_t)count + 1, sizeof(int64_t[AXIS_MAX]));
    }
    for (int i = 0; i < p->layouts.count; i++)
        if (!p->layouts.items[i]->manual)
            tree_create(in, p->layouts.items[i], p->layouts.items[i]->span);
}
