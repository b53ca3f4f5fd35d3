/* node_hash.h - verbs of hash nodes: as pointer nodes, for extents too large for a slot a cell.
 *
 * Included by tree.h.  Cells are found by their n indices in the container, in storage order.  A
 * table has stripes, by the hash of the indices; those who change one hold its lock, and then look
 * whether the table is still that of the container.  Who makes a larger table in its place, or takes
 * it away, holds the lock of the container and then those of all stripes.  Look-ups take no lock: an
 * entry is complete before its hash is seen, and an old table stays until the collection.
 */
#ifndef SNL_NODE_HASH_H
#define SNL_NODE_HASH_H

#ifdef __cplusplus
extern "C" {
#endif

/* The cell, or NULL where it is not active. */
SNL_CORE void *snl_hash_find(const SnlTree *tree, int node, void *container, const int64_t *coord, int n);

/* Makes room for more cells in a table, while nobody else uses it; false without memory. */
SNL_CORE bool snl_hash_make_room(SnlTree *tree, int node, SnlHash *map, int64_t more);

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

/* A cell that one place of a loop found. */
typedef struct {
    const void *container;      /* NULL: none so far */
    void *cell;
    int64_t coord[SNL_AXES];
} SnlHashFound;

/* The two cells that it found last, as a loop over the cells of a block goes to and fro between it and the next one.  The
 * loop deactivates nothing, so they are still there. */
typedef struct {
    SnlHashFound last, other;
} SnlHashNear;

/* True if that is the cell. */
SNL_FN bool snl_hash_is_that(const SnlHashFound *found, const void *container, const int64_t *coord, int n)
{
    bool same = found->container == container;
    for (int a = 0; a < n; a++)
        same = same && found->coord[a] == coord[a];
    return same;
}

/* The cell, if it is one of these, else NULL. */
SNL_FN void *snl_hash_recall(SnlHashNear *near, const void *container, const int64_t *coord, int n)
{
    if (SNL_LIKELY(snl_hash_is_that(&near->last, container, coord, n)))
        return near->last.cell;
    if (snl_hash_is_that(&near->other, container, coord, n)) {
        SnlHashFound found = near->other;
        near->other = near->last;
        near->last = found;
        return found.cell;
    }
    return NULL;
}

/* Keeps a cell that was found. */
SNL_FN void *snl_hash_keep(SnlHashNear *near, const void *container, const int64_t *coord, int n, void *cell)
{
    near->other = near->last;
    near->last.container = container;
    near->last.cell = cell;
    for (int a = 0; a < n; a++)
        near->last.coord[a] = coord[a];
    return cell;
}

/* As snl_hash_lookup, for a place of a loop; an inactive cell is looked for again. */
SNL_FN void *snl_hash_lookup_near(const SnlTree *tree, int node, void *container, const int64_t *coord, int n,
                                  SnlHashNear *near)
{
    void *cell = snl_hash_recall(near, container, coord, n);
    if (SNL_LIKELY(cell != NULL))
        return cell;
    cell = snl_hash_find(tree, node, container, coord, n);
    return cell ? snl_hash_keep(near, container, coord, n, cell) : (void *)(uintptr_t)tree->nodes[node].ambient;
}

/* As snl_hash_activate, for a place of a loop. */
SNL_FN void *snl_hash_activate_near(SnlTree *tree, int node, void *container, const int64_t *coord, int n,
                                    SnlHashNear *near)
{
    void *cell = snl_hash_recall(near, container, coord, n);
    if (SNL_LIKELY(cell != NULL))
        return cell;
    return snl_hash_keep(near, container, coord, n, snl_hash_activate(tree, node, container, coord, n));
}

#ifdef __cplusplus
}
#endif

#endif
