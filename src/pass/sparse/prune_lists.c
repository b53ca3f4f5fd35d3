/* List pruning: which lists of active cells the loops need. The cells of pointer and hash nodes are
 * allocated one by one. Dense and bitmasked nodes above and between them are visited without a
 * list, as are dense, bitmasked and dynamic nodes below them:
 *   $0 = offloaded clear_list S1dense
 *   $1 = offloaded listgen S0root->S1dense
 *   $2 = offloaded clear_list S2bitmasked               →    $0 = offloaded struct_for(S2bitmasked)
 *   $3 = offloaded listgen S1dense->S2bitmasked
 *   $4 = offloaded struct_for(S2bitmasked) use_list
 * A loop that may change which of its own cells are active must not see these changes. It runs over
 * a list made before it starts (use_list). On a CPU, if the cells are in masks right below listed
 * cells, it runs over copies of the masks instead (Task.masks): a bit for each cell, not an entry
 * for each active one. Any other loop runs over the cells of the nearest listed ancestor and walks
 * on from there. A list is made once, as long as nothing changes what is active. */
#include "config.h"

#include "pass/pass.h"

/* May the loop change what of its own cells a walk from the listed ancestor would find? What it
 * drops of its own does not: it is there already. */
static bool
changes_own_cells(const Task *t)
{
    const Node *listed = t->node ? node_list_ancestor(t->node) : NULL;
    for (const Node *n = t->node; n && n != listed; n = n->parent)
        if (nodes_have(&t->effects.may_activate, n) ||
            (nodes_have(&t->effects.may_deactivate, n) && !t->drops_own))
            return true;
    return false;
}

/* The node of whose masks copies serve the loop, or NULL. In large ones few cells may be active,
 * which a list has. */
static Node *
node_of_masks(const Compile *c, const Task *t)
{
    enum { CELLS_LEAST = 1024 /* of a mask at the top */, CELLS_MOST = 1 << 22 };
    Node *n = t->node;
    while (n && n->kind == NODE_DENSE)
        n = n->parent;
    const bool suits = n && n->kind == NODE_BITMASKED && n->parent == node_list_ancestor(n) &&
                       n->cell_count <= CELLS_MOST &&
                       n->cell_count >= (n->parent ? 1 : CELLS_LEAST);
    return suits && !c->options.gpu && !task_is_bounded(t) ? n : NULL;
}

/* Is the list of n needed by the loop? */
static bool
needs_list(const Task *loop, const Node *n)
{
    return !node_is_walked(n) || (loop->use_list && !loop->masks && n == loop->node);
}

/* Lists that a change of activity in the task leaves as they are. */
static void
forget_changed(Nodes *made, const Effects *e)
{
    int kept = 0;
    for (int i = 0; i < made->count; i++) {
        bool changed = false;
        for (const Node *n = made->items[i]; n; n = n->parent)
            changed |= nodes_have(&e->may_activate, n) || nodes_have(&e->may_deactivate, n);
        if (!changed)
            made->items[kept++] = made->items[i];
    }
    made->count = kept;
}

/* The list tasks that come before a loop: kept where it needs the list and it is not there yet. */
static void
keep_lists(Compile *c, const Tasks *waiting, const Task *loop, Nodes *made, Tasks *out)
{
    for (int k = 0; k < waiting->count; k++) {
        Task *t = waiting->items[k];
        if (!needs_list(loop, t->node) || nodes_have(made, t->node))
            continue;
        vec_push(c->arena, out, t);
        if (t->kind == TASK_LISTGEN)
            vec_push(c->arena, made, t->node);
    }
}

static void
lists_of_tasks(Compile *c, Tasks *tasks)
{
    Tasks kept = {0}, waiting = {0};
    Nodes made = {0};
    for (int i = 0; i < tasks->count; i++) {
        Task *t = tasks->items[i];
        if (t->kind == TASK_CLEAR_LIST || t->kind == TASK_LISTGEN) {
            vec_push(c->arena, &waiting, t);
            continue;
        }
        if (t->kind == TASK_STRUCT_FOR)
            t->use_list = changes_own_cells(t);
        t->masks = t->use_list ? node_of_masks(c, t) : NULL;
        keep_lists(c, &waiting, t, &made, &kept);
        waiting.count = 0;
        vec_push(c->arena, &kept, t);
        lists_of_tasks(c, &t->tasks);
        lists_of_tasks(c, &t->orelse);
        if (t->kind == TASK_IF)
            made.count = 0;
        else
            forget_changed(&made, &t->effects);
    }
    *tasks = kept;
}

void
pass_prune_lists(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    lists_of_tasks(c, &f->tasks);
}
