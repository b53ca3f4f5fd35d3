/* What only the runtime knows of trees: files of whole layouts, and how much memory one takes. A
 * tree is copied into one of the runtime, or out of it. */
#include "config.h"

#include <string.h>

#include "check/layout/tree_desc.h"
#include "interp/inside.h"

/* Calls fn for each leaf of a field that lies in the layout. */
static void
each_leaf(Interp *in, const Layout *l, SnlTree *tree,
          void (*fn)(Interp *, SnlTree *, const Field *, int))
{
    for (int i = 0; i < l->fields.count; i++)
        for (int leaf = 0; leaf < l->fields.items[i]->type->leaf_count; leaf++)
            if (l->fields.items[i]->leaves[leaf].layout == l)
                fn(in, tree, l->fields.items[i], leaf);
}

/* The memory of a leaf in the tree: in the cell with that key, or in the root cell. */
static char *
leaf_at(Interp *in, SnlTree *tree, const LeafPlace *where, Key key)
{
    int64_t c[AXIS_MAX];
    if (!where->node)
        return tree->root_cell + where->cell_offset;
    shape_coords(in, where->node, key, -1, c);
    return (char *)snl_cell_at(tree, where->node->id - 1, c, SNL_READ) + where->cell_offset;
}

static int64_t
element_count(Interp *in, const LeafPlace *where)
{
    int64_t count = 1;
    for (int a = 0; where->node && a < AXIS_MAX; a++)
        count *= where->node->path_axes >> a & 1 ? shape_node_extent(in, where->node, a) : 1;
    return count;
}

/* ---- memory and saving ---- */

static void
save_leaf(Interp *in, SnlTree *tree, const Field *f, int leaf)
{
    const LeafPlace *where = &f->leaves[leaf];
    const LeafState *state = &in->fields[f->id][leaf];
    int64_t count = state->flat ? element_count(in, where) : 0;
    const Scalar s = state->scalar;
    for (int64_t i = 0; i < count; i++)
        leaf_store(s, leaf_at(in, tree, where, (Key)i),
                   leaf_load(s, state->flat + i * state->bytes));
    for (int64_t i = 0; i < state->some.room; i++)
        if (state->some.state[i] == 1)
            leaf_store(s, leaf_at(in, tree, where, state->some.keys[i]), state->some.words[i]);
}

int64_t
tree_copy_memory(Interp *in, const Layout *l, Span at)
{
    if (!in->trees[l->id].exists)
        return 0;
    if (in->trees[l->id].ledger)
        return snl_tree_memory(in->trees[l->id].ledger);
    SnlTree *tree = ledger_copy_tree(in, &in->memory, l, at);
    int64_t bytes = snl_tree_memory(tree);
    snl_tree_destroy(tree);
    return bytes;
}

void
tree_copy_save(Interp *in, const Layout *l, const char *path, Span at)
{
    SnlIoError error;
    tree_require(in, l, at);
    SnlTree *tree = ledger_copy_tree(in, &in->memory, l, at);
    each_leaf(in, l, tree, save_leaf);
    if (!snl_tree_save(tree, path, &error))
        ledger_give_up(in, &in->memory, tree, &error, at);
    snl_tree_destroy(tree);
}

/* ---- loading ---- */

static void
adopt_activity(Interp *in, SnlTree *tree, const Node *n)
{
    KeyMap *set = &in->trees[n->layout->id].nodes[n->id - 1].active;
    const SnlList *list = snl_tree_list(tree, n->id - 1);
    int skip = shape_own_axis(n);
    keymap_free(set);
    for (int64_t k = 0; k < list->count; k++) {
        const int64_t *c = list->entries[k].coord;
        Leaf *word = keymap_add(set, shape_key(in, n, c, skip), (Leaf){.i = skip < 0 ? 1 : 0});
        if (skip >= 0 && c[skip] >= word->i)
            word->i = c[skip] + 1;
    }
}

static void
load_leaf(Interp *in, SnlTree *tree, const Field *f, int leaf)
{
    const LeafPlace *where = &f->leaves[leaf];
    LeafState *state = &in->fields[f->id][leaf];
    const Scalar s = state->scalar;
    if (state->flat) {
        int64_t count = element_count(in, where);
        for (int64_t i = 0; i < count; i++)
            leaf_store(s, state->flat + i * state->bytes,
                       leaf_load(s, leaf_at(in, tree, where, (Key)i)));
        return;
    }
    const SnlList *list = snl_tree_list(tree, where->node->id - 1);
    keymap_free(&state->some);
    for (int64_t k = 0; k < list->count; k++) {
        Leaf v = leaf_load(s, list->entries[k].cell + where->cell_offset);
        *keymap_add(&state->some, shape_key(in, where->node, list->entries[k].coord, -1), v) = v;
    }
}

/* Makes the lists that loading goes through, so that nothing can fail after the first change. */
static bool
make_lists(const Layout *l, SnlTree *tree)
{
    for (int i = 0; i < l->nodes.count; i++)
        if (node_is_sparse(l->nodes.items[i]))
            snl_tree_list(tree, i);
    return !snl_failed(tree->rt);
}

void
tree_copy_load(Interp *in, const Layout *l, const char *path, Span at)
{
    SnlIoError error;
    tree_require(in, l, at);
    SnlTree *tree = ledger_make_tree(in, &in->memory, l, at);
    if (!snl_tree_load(tree, path, &error))
        ledger_give_up(in, &in->memory, tree, &error, at);
    if (!make_lists(l, tree))
        ledger_give_up(in, &in->memory, tree, NULL, at);
    for (int i = 0; i < l->nodes.count; i++)
        if (node_has_activity(l->nodes.items[i]->kind))
            adopt_activity(in, tree, l->nodes.items[i]);
    each_leaf(in, l, tree, load_leaf);
    snl_tree_destroy(tree);
    ledger_renew(in, l, at);
}
