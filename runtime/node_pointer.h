/* node_pointer.h - verbs of pointer nodes: a slot for each cell, memory when it is activated.
 *
 * Included by tree.h.  A slot is published once, by compare-and-swap.
 */
#ifndef SNL_NODE_POINTER_H
#define SNL_NODE_POINTER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates the cell of an empty slot and publishes it, unless another thread was first. */
void *snl_pointer_make(SnlTree *tree, int node, void **slot) SNL_COLD;

/* True if the cell is active. */
SNL_FN bool snl_pointer_is_active(const SnlTree *tree, int node, void *container, int64_t cell)
{
    (void)tree;
    (void)node;
    return SNL_LOAD(&((void **)container)[cell]) != NULL;
}

/* The cell, to read; the ambient image where it is not active. */
SNL_FN void *snl_pointer_lookup(const SnlTree *tree, int node, void *container, int64_t cell)
{
    void *found = SNL_LOAD(&((void **)container)[cell]);
    return found ? found : (void *)(uintptr_t)tree->nodes[node].ambient;
}

/* Activates the cell and gives it. */
SNL_FN void *snl_pointer_activate(SnlTree *tree, int node, void *container, int64_t cell)
{
    void **slot = &((void **)container)[cell];
    void *found = SNL_LOAD(slot);
    return SNL_LIKELY(found != NULL) ? found : snl_pointer_make(tree, node, slot);
}

/* Deactivates the cell; its memory goes to the collector. */
void snl_pointer_deactivate(SnlTree *tree, int node, void *container, int64_t cell);

#ifdef __cplusplus
}
#endif

#endif
