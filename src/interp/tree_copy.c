/* What only the runtime knows of trees: files of whole layouts, and how much memory one takes. A
 * tree is copied into one of the runtime, or out of it. */
#include "config.h"

#include <string.h>

#include "check/layout/tree_desc.h"
#include "interp/inside.h"

/* Ends the run with the error that the runtime or `error` has, after the tree was released. */
static _Noreturn void
give_up(Interp *in, SnlInstance *rt, SnlTree *tree, const SnlIoError *error, Span at)
{
    char text[SNL_MESSAGE];
    snprintf(text, sizeof text, "%s", error ? error->text : snl_message(rt));
    snl_tree_destroy(tree);
    snl_clear_error(rt);
    interp_fail(in, at, "%s", text);
}

/* An empty tree of that layout, in the sizes it has now, with the memory of an instance. */
static SnlTree *
make_tree(Interp *in, SnlInstance *rt, const Layout *l, Span at)
{
    int64_t(*sizes)[SNL_AXES] =
        (int64_t(*)[SNL_AXES])ARENA_ARRAY(in->c->arena, int64_t, (l->nodes.count + 1) * SNL_AXES);
    SnlTree *tree;
    for (int i = 0; i < l->nodes.count; i++)
        memcpy(sizes[i], in->trees[l->id].stored[i], sizeof sizes[i]);
    if (snl_tree_create(rt, tree_desc_make(in->c, l), sizes[0], &tree) != SNL_OK)
        give_up(in, rt, NULL, NULL, at);
    return tree;
}

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
    tree_coords(in, where->node, key, -1, c);
    return (char *)snl_cell_at(tree, where->node->id - 1, c, SNL_READ) + where->cell_offset;
}

static int64_t
element_count(Interp *in, const LeafPlace *where)
{
    int64_t count = 1;
    for (int a = 0; where->node && a < AXIS_MAX; a++)
        count *= where->node->path_axes >> a & 1 ? node_extent(in, where->node, a) : 1;
    return count;
}

/* ---- memory and saving ---- */

/* Activates in the tree what is active. */
static void
copy_activity(Interp *in, SnlTree *tree, const Node *n)
{
    const KeyMap *set = &in->trees[n->layout->id].nodes[n->id - 1].active;
    int skip = tree_own_axis(n);
    for (int64_t i = 0; i < set->room; i++) {
        int64_t c[AXIS_MAX];
        if (set->state[i] != 1 || (skip >= 0 && set->words[i].i == 0))
            continue;
        tree_coords(in, n, set->keys[i], skip, c);
        if (skip >= 0)
            c[skip] = set->words[i].i - 1;
        snl_cell_at(tree, n->id - 1, c, SNL_ACTIVATE);
    }
}

/* A tree of the runtime in which the same is active; its values are ambient. */
static SnlTree *
copy_tree(Interp *in, SnlInstance *rt, const Layout *l, Span at)
{
    SnlTree *tree = make_tree(in, rt, l, at);
    for (int i = 0; i < l->nodes.count; i++)
        if (node_has_activity(l->nodes.items[i]->kind))
            copy_activity(in, tree, l->nodes.items[i]);
    if (snl_failed(rt))
        give_up(in, rt, tree, NULL, at);
    return tree;
}

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
tree_memory(Interp *in, const Layout *l, Span at)
{
    if (!in->trees[l->id].exists)
        return 0;
    if (in->trees[l->id].ledger)
        return snl_tree_memory(in->trees[l->id].ledger);
    SnlTree *tree = copy_tree(in, &in->memory, l, at);
    int64_t bytes = snl_tree_memory(tree);
    snl_tree_destroy(tree);
    return bytes;
}

void
tree_save(Interp *in, const Layout *l, const char *path, Span at)
{
    SnlIoError error;
    tree_require(in, l, at);
    SnlTree *tree = copy_tree(in, &in->memory, l, at);
    each_leaf(in, l, tree, save_leaf);
    if (!snl_tree_save(tree, path, &error))
        give_up(in, &in->memory, tree, &error, at);
    snl_tree_destroy(tree);
}

/* ---- loading ---- */

static void
adopt_activity(Interp *in, SnlTree *tree, const Node *n)
{
    KeyMap *set = &in->trees[n->layout->id].nodes[n->id - 1].active;
    const SnlList *list = snl_tree_list(tree, n->id - 1);
    int skip = tree_own_axis(n);
    keymap_free(set);
    for (int64_t k = 0; k < list->count; k++) {
        const int64_t *c = list->entries[k].coord;
        Leaf *word = keymap_add(set, tree_key(in, n, c, skip), (Leaf){.i = skip < 0 ? 1 : 0});
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
        *keymap_add(&state->some, tree_key(in, where->node, list->entries[k].coord, -1), v) = v;
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
tree_load(Interp *in, const Layout *l, const char *path, Span at)
{
    SnlIoError error;
    tree_require(in, l, at);
    SnlTree *tree = make_tree(in, &in->memory, l, at);
    if (!snl_tree_load(tree, path, &error))
        give_up(in, &in->memory, tree, &error, at);
    if (!make_lists(l, tree))
        give_up(in, &in->memory, tree, NULL, at);
    for (int i = 0; i < l->nodes.count; i++)
        if (node_has_activity(l->nodes.items[i]->kind))
            adopt_activity(in, tree, l->nodes.items[i]);
    each_leaf(in, l, tree, load_leaf);
    snl_tree_destroy(tree);
    ledger_renew(in, l, at);
}

/* ---- the limit of memory ---- */

void
ledger_renew(Interp *in, const Layout *l, Span at)
{
    SnlTree **ledger = &in->trees[l->id].ledger;
    if (!in->ledgers.memory_limit)
        return;
    snl_tree_destroy(*ledger);
    *ledger = NULL;
    *ledger = copy_tree(in, &in->ledgers, l, at);
}

void
ledger_activate(Interp *in, const Node *n, const int64_t *c, Span at)
{
    SnlTree *ledger = in->trees[n->layout->id].ledger;
    if (!ledger)
        return;
    snl_cell_at(ledger, n->id - 1, c, SNL_ACTIVATE);
    if (snl_failed(&in->ledgers))
        give_up(in, &in->ledgers, NULL, NULL, at);
}

void
ledger_deactivate(Interp *in, const Node *n, const int64_t *c)
{
    SnlTree *ledger = in->trees[n->layout->id].ledger;
    if (!ledger)
        return;
    if (c)
        snl_cell_deactivate(ledger, n->id - 1, c);
    else
        snl_tree_deactivate_all(ledger, n->id - 1);
    ledger_collect(in);
}

void
ledger_collect(Interp *in)
{
    for (int i = 0; i < in->p->layouts.count && in->ledgers.memory_limit && !in->sums; i++)
        if (in->trees[i].ledger)
            snl_tree_gc(in->trees[i].ledger);
}
