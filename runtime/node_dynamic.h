/* node_dynamic.h - verbs of dynamic nodes: a list of cells that grows, in chunks.
 *
 * Included by tree.h.  The length never exceeds the size.  A block is published once; emptying the
 * list takes it away as a whole, so that an append that still runs goes into the old one.
 */
#ifndef SNL_NODE_DYNAMIC_H
#define SNL_NODE_DYNAMIC_H

#ifdef __cplusplus
extern "C" {
#endif

/* Number of cells. */
SNL_FN int64_t snl_dynamic_length(const SnlTree *tree, int node, void *container)
{
    const SnlDynamicBlock *block = SNL_LOAD(&((SnlDynamic *)container)->block);
    (void)tree;
    (void)node;
    return block ? SNL_LOAD(&block->length) : 0;
}

/* The cells k * chunk ... of the list, or NULL where they have no memory. */
SNL_FN void *snl_dynamic_chunk(const SnlTree *tree, int node, void *container, int64_t k)
{
    SnlDynamicBlock *block = SNL_LOAD(&((SnlDynamic *)container)->block);
    (void)tree;
    (void)node;
    return block ? SNL_LOAD(&block->chunks[k]) : NULL;
}

/* True if the list has that cell. */
SNL_FN bool snl_dynamic_is_active(const SnlTree *tree, int node, void *container, int64_t cell)
{
    return cell >= 0 && cell < snl_dynamic_length(tree, node, container);
}

/* The cell, to read; the ambient image past the end. */
SNL_FN void *snl_dynamic_lookup(const SnlTree *tree, int node, void *container, int64_t cell)
{
    const SnlNode *n = &tree->nodes[node];
    SnlDynamicBlock *block = SNL_LOAD(&((SnlDynamic *)container)->block);
    if (block && (uint64_t)cell < (uint64_t)SNL_LOAD(&block->length)) {
        char *chunk = (char *)SNL_LOAD(&block->chunks[cell / n->desc.chunk]);
        if (chunk)
            return chunk + cell % n->desc.chunk * n->desc.cell_bytes;
    }
    return (void *)(uintptr_t)n->ambient;
}

/* Appends an ambient cell: its index, with *cell set; -1 and the scratch cell where it is full. */
int64_t snl_dynamic_append(SnlTree *tree, int node, void *container, void **cell);

/* The cell, to write; makes the list longer where needed, the gap is ambient. */
void *snl_dynamic_activate(SnlTree *tree, int node, void *container, int64_t cell);

/* Empties the list. */
void snl_dynamic_deactivate(SnlTree *tree, int node, void *container);

#ifdef __cplusplus
}
#endif

#endif
