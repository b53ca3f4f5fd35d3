/* node_bitmasked.h - verbs of bitmasked nodes: dense storage, one bit of activity for each cell.
 *
 * Included by tree.h.  Memory of a cell whose bit is clear holds the ambient value.
 */
#ifndef SNL_TREE_NODE_BITMASKED_H
#define SNL_TREE_NODE_BITMASKED_H

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

/* The bits of a row of at most 64 cells, from that of this number on; any bits after these. */
SNL_FN uint64_t snl_mask_bits_from(const uint64_t *mask, int64_t first, int count)
{
    const int shift = (int)(first & 63);
    const uint64_t bits = mask[first >> 6] >> shift;
    return shift + count > 64 ? bits | mask[(first >> 6) + 1] << (64 - shift) : bits;
}

/* Number of the active cell that comes `steps` after the first one of `bits`, what is left of word
 * number `w` of a mask of `count` words; the last one where there are not so many. */
SNL_FN int64_t
snl_mask_ahead(const uint64_t *mask, int64_t count, int64_t w, uint64_t bits, int steps)
{
    int64_t at = w;
    for (uint64_t next = bits & (bits - 1); steps-- > 0; next = bits & (bits - 1)) {
        while (!next && ++at < count)
            next = mask[at];
        if (!next)
            break;
        bits = next, w = at;
    }
    return w * 64 + snl_first_bit(bits);
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

/* The same, where no thread changes activity: a GPU need not forget what it has read before. */
SNL_FN bool
snl_bitmasked_is_active_still(const SnlTree *tree, int node, void *container, int64_t cell)
{
    return snl_mask_bit(snl_bitmasked_mask(tree, node, container), cell);
}

/* The cell, to read: its memory is ambient where it is not active. */
SNL_FN void *snl_bitmasked_lookup(const SnlTree *tree, int node, void *container, int64_t cell)
{
    const SnlNode *n = &tree->nodes[node];
    if (!snl_bitmasked_is_active(tree, node, container, cell))
        return (void *)(uintptr_t)n->ambient;
    return (char *)container + cell * n->desc.cell_bytes;
}

/* The same, where no thread changes activity. */
SNL_FN void *
snl_bitmasked_lookup_still(const SnlTree *tree, int node, void *container, int64_t cell)
{
    const SnlNode *n = &tree->nodes[node];
    if (!snl_bitmasked_is_active_still(tree, node, container, cell))
        return (void *)(uintptr_t)n->ambient;
    return (char *)container + cell * n->desc.cell_bytes;
}

/* Activates the cell and gives it. */
SNL_FN void *snl_bitmasked_activate(SnlTree *tree, int node, void *container, int64_t cell)
{
    snl_mask_set(tree, node, snl_bitmasked_mask(tree, node, container), cell);
    return (char *)container + cell * tree->nodes[node].desc.cell_bytes;
}

/* ---- rows of blocks: bitmasked nodes with `rows` rows of `size` cells, which words hold whole, in
 * the cells of a dense node, `across` of them along the rows, whose masks lie `mask_at` bytes in
 * ---- */

/* The word with the row of cell (i, j), and the number of its first bit. */
SNL_INLINE uint64_t *snl_mask_word(void *cells, size_t cell_bytes, size_t mask_at, int64_t across,
                                   int64_t rows, int64_t size, int64_t i, int64_t j, int *shift)
{
    uint64_t block = (uint64_t)i / (uint64_t)rows * (uint64_t)across + (uint64_t)j / (uint64_t)size;
    uint64_t first = (uint64_t)i % (uint64_t)rows * (uint64_t)size;
    *shift = (int)(first & 63);
    return (uint64_t *)(void *)((char *)cells + block * cell_bytes + mask_at) + (first >> 6);
}

/* Bits of the cells (i, j - 1) ... (i, j + size), the first of them lowest; j is a multiple of
 * size, and what lies outside of the extent reads as 0. */
SNL_INLINE uint32_t snl_mask_row(void *cells, size_t cell_bytes, size_t mask_at, int64_t across,
                                 int64_t rows, int64_t size, int64_t extent, int64_t i, int64_t j)
{
    int shift;
    const uint64_t *word = snl_mask_word(cells, cell_bytes, mask_at, across, rows, size, i, j,
                                         &shift);
    uint64_t all = ((uint64_t)1 << size) - 1, bits = (*word >> shift & all) << 1;
    const char *at = (const char *)word;
    if (j > 0)
        bits |= *(const uint64_t *)(const void *)(at - cell_bytes) >> shift >> (size - 1) & 1;
    if (j + size < extent)
        bits |= (*(const uint64_t *)(const void *)(at + cell_bytes) >> shift & 1) << (size + 1);
    return (uint32_t)bits;
}

/* Bits of the cells j ... j + size - 1 that lie in from ... to-1. */
SNL_FN uint32_t snl_row_part(int64_t j, int64_t size, int64_t from, int64_t to)
{
    uint32_t all = (uint32_t)(((uint64_t)1 << size) - 1);
    if (j < from)
        all &= all << (from - j);
    return j + size > to ? all & (uint32_t)(((uint64_t)1 << (to - j)) - 1) : all;
}

/* Activates and deactivates cells of a row, where nothing else writes to them. */
SNL_INLINE void snl_mask_put(SnlTree *tree, int node, void *cells, size_t cell_bytes,
                             size_t mask_at, int64_t across, int64_t rows, int64_t size, int64_t i,
                             int64_t j, uint32_t on, uint32_t off, bool alone)
{
    SnlNode *n = &tree->nodes[node];
    int shift;
    uint64_t *word = snl_mask_word(cells, cell_bytes, mask_at, across, rows, size, i, j, &shift);
    uint64_t old = SNL_LOAD_RELAXED(word), set = ((uint64_t)on << shift) & ~old;
    uint64_t clear = ((uint64_t)off << shift) & old;
    if (!(set | clear))
        return;
    if (alone)
        *word = (old | set) & ~clear;
    else {
        if (set)
            SNL_OR(word, set);
        if (clear)
            SNL_AND(word, ~clear);
    }
    snl_node_changed(n);
    for (; clear; clear &= clear - 1) {
        int64_t before = i % rows * size / 64;
        char *container = (char *)(word - before) - n->mask_offset;
        snl_cell_reset(tree, node,
                       container + (before * 64 + snl_first_bit(clear)) * n->desc.cell_bytes);
    }
}

/* Deactivates the cell; it and everything below are ambient at once. */
SNL_CORE void snl_bitmasked_deactivate(SnlTree *tree, int node, void *container, int64_t cell);

#ifdef __cplusplus
}
#endif

#endif
