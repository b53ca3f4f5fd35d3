/* node_pointer.h - verbs of pointer nodes: a slot for each cell, memory when it is activated.
 *
 * Included by tree.h. A slot is published once, by compare-and-swap. Its bit in the mask is set
 * after that, and cleared before the slot is emptied. While no verb runs, a slot that is not empty
 * therefore has its bit set, and a search for active cells passes over 64 empty slots at once. A
 * bit may be set without need, after one thread activated what another one deactivated.
 */
#ifndef SNL_TREE_NODE_POINTER_H
#define SNL_TREE_NODE_POINTER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates what an empty slot points to and publishes it, unless another thread was first. */
SNL_CORE void *snl_pointer_make(SnlTree *tree, int node, void **slot) SNL_COLD;

/* Activates the cell of an empty slot. */
SNL_CORE void *snl_pointer_fill(SnlTree *tree, int node, void *container, int64_t cell) SNL_COLD;

/* True if the cell is active. */
SNL_FN bool snl_pointer_is_active(const SnlTree *tree, int node, void *container, int64_t cell)
{
    (void)tree;
    (void)node;
    return SNL_LOAD(&((void **)container)[cell]) != NULL;
}

/* The same, where no thread changes activity. */
SNL_FN bool
snl_pointer_is_active_still(const SnlTree *tree, int node, void *container, int64_t cell)
{
    (void)tree;
    (void)node;
    return ((void **)container)[cell] != NULL;
}

/* The cell, to read; the ambient image where it is not active. */
SNL_FN void *snl_pointer_lookup(const SnlTree *tree, int node, void *container, int64_t cell)
{
    void *found = SNL_LOAD(&((void **)container)[cell]);
    return found ? found : (void *)(uintptr_t)tree->nodes[node].ambient;
}

/* The same, where no thread changes activity: a GPU need not forget what it has read before. */
SNL_FN void *
snl_pointer_lookup_still(const SnlTree *tree, int node, void *container, int64_t cell)
{
    void *found = ((void **)container)[cell];
    return found ? found : (void *)(uintptr_t)tree->nodes[node].ambient;
}

/* Activates the cell and gives it. */
SNL_FN void *snl_pointer_activate(SnlTree *tree, int node, void *container, int64_t cell)
{
    void *found = SNL_LOAD(&((void **)container)[cell]);
    return SNL_LIKELY(found != NULL) ? found : snl_pointer_fill(tree, node, container, cell);
}

/* Deactivates the cell; its memory goes to the collector. */
SNL_CORE void snl_pointer_deactivate(SnlTree *tree, int node, void *container, int64_t cell);

#ifdef __cplusplus
}
#endif

#endif
