/* Which lists of active cells the loops need. Above the nodes whose cells are allocated one by one (pointer, hash,
 * dynamic) and between them lie dense and bitmasked ones, which a walk visits without a list:
 *     $0 = offloaded clear_list S1dense
 *     $1 = offloaded listgen S0root->S1dense
 *     $2 = offloaded clear_list S2bitmasked                    →      $0 = offloaded struct_for(S2bitmasked)
 *     $3 = offloaded listgen S1dense->S2bitmasked
 *     $4 = offloaded struct_for(S2bitmasked) use_list
 * A loop that may change which of its own cells are active runs over a list of them, made before it starts (use_list);
 * one that may not runs over the cells of the nearest ancestor that is listed, and walks on from there. */
#include "config.h"

#include "pass/pass.h"

static bool
has_node(const Nodes *nodes, const Node *n)
{
    for (int i = 0; i < nodes->count; i++)
        if (nodes->items[i] == n)
            return true;
    return false;
}

/* May the loop change what of its own cells a walk from the listed ancestor would find? */
static bool
changes_own_cells(const Task *t)
{
    const Node *listed = t->node ? node_list_ancestor(t->node) : NULL;
    for (const Node *n = t->node; n && n != listed; n = n->parent)
        if (has_node(&t->effects.may_activate, n) || has_node(&t->effects.may_deactivate, n))
            return true;
    return false;
}

/* Is the list of n needed by the loop? */
static bool
needs_list(const Task *loop, const Node *n)
{
    return !node_is_inline(n->kind) || (loop->use_list && n == loop->node);
}

static bool
is_list_task(const Task *t)
{
    return t->kind == TASK_CLEAR_LIST || t->kind == TASK_LISTGEN;
}

static void
lists_of_tasks(Compile *c, Tasks *tasks)
{
    Tasks kept = {0}, waiting = {0};
    for (int i = 0; i < tasks->count; i++) {
        Task *t = tasks->items[i];
        if (is_list_task(t)) { /* until the loop it is for */
            vec_push(c->arena, &waiting, t);
            continue;
        }
        if (t->kind == TASK_STRUCT_FOR)
            t->use_list = changes_own_cells(t);
        for (int k = 0; k < waiting.count; k++)
            if (needs_list(t, waiting.items[k]->node))
                vec_push(c->arena, &kept, waiting.items[k]);
        waiting.count = 0;
        vec_push(c->arena, &kept, t);
        lists_of_tasks(c, &t->tasks);
        lists_of_tasks(c, &t->orelse);
    }
    *tasks = kept;
}

void
pass_lists(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    lists_of_tasks(c, &f->tasks);
}
