/* node_hash.h - verbs of hash nodes: as pointer nodes, for extents too large for a slot a cell.
 *
 * Included by tree.h.  Cells are found by their n indices in the container, in storage order.
 * Those who change a table hold the lock of its container; look-ups take none: an entry is
 * complete before its element is seen, and an old table stays until the collection.
 */
#ifndef SNL_NODE_HASH_H
#define SNL_NODE_HASH_H

#ifdef __cplusplus
extern "C" {
#endif

/* The cell, or NULL where it is not active. */
SNL_CORE void *snl_hash_find(const SnlTree *tree, int node, void *container, const int64_t *coord, int n);

/* Makes room for more cells in a table, while nobody else uses it. */
SNL_CORE void snl_hash_make_room(SnlTree *tree, SnlHash *map, int64_t more);

/* Activates the cell and gives it. */
SNL_CORE void *snl_hash_activate(SnlTree *tree, int node, void *container, const int64_t *coord, int n);

/* Deactivates the cell; its memory goes to the collector. */
SNL_CORE void snl_hash_deactivate(SnlTree *tree, int node, void *container, const int64_t *coord, int n);

/* Deactivates all cells. */
SNL_CORE void snl_hash_clear(SnlTree *tree, int node, void *container);

/* True if the cell is active. */
SNL_FN bool snl_hash_is_active(const SnlTree *tree, int node, void *container,
                               const int64_t *coord, int n)
{
    return snl_hash_find(tree, node, container, coord, n) != NULL;
}

/* The cell, to read; the ambient image where it is not active. */
SNL_FN void *snl_hash_lookup(const SnlTree *tree, int node, void *container,
                             const int64_t *coord, int n)
{
    void *found = snl_hash_find(tree, node, container, coord, n);
    return found ? found : (void *)(uintptr_t)tree->nodes[node].ambient;
}

#ifdef __cplusplus
}
#endif

#endif
