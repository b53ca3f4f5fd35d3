/* node_bitmasked.h - verbs of bitmasked nodes: dense storage, one bit of activity for each cell.
 *
 * Included by tree.h.  Memory of a cell whose bit is clear holds the ambient value.
 */
#ifndef SNL_NODE_BITMASKED_H
#define SNL_NODE_BITMASKED_H

#ifdef __cplusplus
extern "C" {
#endif

/* The mask words of a container. */
SNL_FN uint64_t *snl_bitmasked_mask(const SnlTree *tree, int node, void *container)
{
    return (uint64_t *)(void *)((char *)container + tree->nodes[node].mask_offset);
}

/* Number of the lowest bit that is set; one is. */
SNL_FN int64_t snl_first_bit(uint64_t bits)
{
    return __builtin_ctzll(bits);
}

/* True if the bit of a cell is set. */
SNL_FN bool snl_mask_has(const uint64_t *mask, int64_t cell)
{
    return SNL_LOAD(&mask[cell >> 6]) >> (cell & 63) & 1;
}

/* The same, where no thread changes the mask. */
SNL_FN bool snl_mask_bit(const uint64_t *mask, int64_t cell)
{
    return mask[cell >> 6] >> (cell & 63) & 1;
}

/* Sets the bit of a cell. */
SNL_FN void snl_mask_set(SnlTree *tree, int node, uint64_t *mask, int64_t cell)
{
    uint64_t bit = (uint64_t)1 << (cell & 63);
    if (!(SNL_LOAD(&mask[cell >> 6]) & bit)) {
        SNL_OR(&mask[cell >> 6], bit);
        snl_node_changed(&tree->nodes[node]);
    }
}

/* True if the cell is active. */
SNL_FN bool snl_bitmasked_is_active(const SnlTree *tree, int node, void *container, int64_t cell)
{
    return snl_mask_has(snl_bitmasked_mask(tree, node, container), cell);
}

/* The cell, to read: its memory is ambient where it is not active. */
SNL_FN void *snl_bitmasked_lookup(const SnlTree *tree, int node, void *container, int64_t cell)
{
    const SnlNode *n = &tree->nodes[node];
    if (!snl_bitmasked_is_active(tree, node, container, cell))
        return (void *)(uintptr_t)n->ambient;
    return (char *)container + cell * n->desc.cell_bytes;
}

/* Activates the cell and gives it. */
SNL_FN void *snl_bitmasked_activate(SnlTree *tree, int node, void *container, int64_t cell)
{
    snl_mask_set(tree, node, snl_bitmasked_mask(tree, node, container), cell);
    return (char *)container + cell * tree->nodes[node].desc.cell_bytes;
}

/* Deactivates the cell; it and everything below are ambient at once. */
SNL_CORE void snl_bitmasked_deactivate(SnlTree *tree, int node, void *container, int64_t cell);

#ifdef __cplusplus
}
#endif

#endif
