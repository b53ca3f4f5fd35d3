/* Trees of the runtime in which the same is active as in those of the interpreter. Where memory is
 * limited each tree has one, which takes as much memory as in a compiled program. */
#include "config.h"

#include <string.h>

#include "check/layout/tree_desc.h"
#include "interp/inside.h"

void
ledger_give_up(Interp *in, SnlInstance *rt, SnlTree *tree, const SnlIoError *error, Span at)
{
    char text[SNL_MESSAGE];
    snprintf(text, sizeof text, "%s", error ? error->text : snl_message(rt));
    snl_tree_destroy(tree);
    snl_clear_error(rt);
    interp_fail(in, at, "%s", text);
}

SnlTree *
ledger_make_tree(Interp *in, SnlInstance *rt, const Layout *l, Span at)
{
    int64_t(*sizes)[SNL_AXES] =
        (int64_t(*)[SNL_AXES])ARENA_ARRAY(in->c->arena, int64_t, (l->nodes.count + 1) * SNL_AXES);
    SnlTree *tree;
    for (int i = 0; i < l->nodes.count; i++)
        memcpy(sizes[i], in->trees[l->id].stored[i], sizeof sizes[i]);
    if (snl_tree_create(rt, tree_desc_make(in->c, l), sizes[0], &tree) != SNL_OK)
        ledger_give_up(in, rt, NULL, NULL, at);
    return tree;
}

/* Activates in the tree what is active. */
static void
copy_activity(Interp *in, SnlTree *tree, const Node *n)
{
    const KeyMap *set = &in->trees[n->layout->id].nodes[n->id - 1].active;
    int skip = shape_own_axis(n);
    for (int64_t i = 0; i < set->room; i++) {
        int64_t c[AXIS_MAX];
        if (set->state[i] != 1 || (skip >= 0 && set->words[i].i == 0))
            continue;
        shape_coords(in, n, set->keys[i], skip, c);
        if (skip >= 0)
            c[skip] = set->words[i].i - 1;
        snl_cell_at(tree, n->id - 1, c, SNL_ACTIVATE);
    }
}

SnlTree *
ledger_copy_tree(Interp *in, SnlInstance *rt, const Layout *l, Span at)
{
    SnlTree *tree = ledger_make_tree(in, rt, l, at);
    for (int i = 0; i < l->nodes.count; i++)
        if (node_has_activity(l->nodes.items[i]->kind))
            copy_activity(in, tree, l->nodes.items[i]);
    if (snl_failed(rt))
        ledger_give_up(in, rt, tree, NULL, at);
    return tree;
}

void
ledger_renew(Interp *in, const Layout *l, Span at)
{
    SnlTree **ledger = &in->trees[l->id].ledger;
    if (!in->ledgers.memory_limit)
        return;
    snl_tree_destroy(*ledger);
    *ledger = NULL;
    *ledger = ledger_copy_tree(in, &in->ledgers, l, at);
}

void
ledger_activate(Interp *in, const Node *n, const int64_t *c, Span at)
{
    SnlTree *ledger = in->trees[n->layout->id].ledger;
    if (!ledger)
        return;
    snl_cell_at(ledger, n->id - 1, c, SNL_ACTIVATE);
    if (snl_failed(&in->ledgers))
        ledger_give_up(in, &in->ledgers, NULL, NULL, at);
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
