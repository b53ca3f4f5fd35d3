/* node_dynamic.h - verbs of dynamic nodes: a list of cells that grows, in chunks.
 *
 * Included by tree.h. A block is published once. Emptying the list takes the block away as a whole,
 * so an append that still runs goes into the old one. An append takes its index first, by one
 * atomic addition, and then makes the chunk if there is none. The length therefore counts cells
 * that are about to be written. For a moment it also counts cells that do not fit, which readers do
 * not see.
 */
#ifndef SNL_TREE_NODE_DYNAMIC_H
#define SNL_TREE_NODE_DYNAMIC_H

#ifdef __cplusplus
extern "C" {
#endif

/* Number of cells. */
SNL_FN int64_t snl_dynamic_length(const SnlTree *tree, int node, void *container)
{
    const SnlDynamicBlock *block = SNL_LOAD(&((SnlDynamic *)container)->block);
    int64_t length = block ? SNL_LOAD(&block->length) : 0, most = tree->nodes[node].desc.sizes[0];
    return length < most ? length : most;
}

/* The cells k * chunk ... of the list, or NULL where they have no memory. */
SNL_FN void *snl_dynamic_chunk(const SnlTree *tree, int node, void *container, int64_t k)
{
    SnlDynamicBlock *block = SNL_LOAD(&((SnlDynamic *)container)->block);
    (void)tree;
    (void)node;
    return block ? SNL_LOAD(&block->chunks[k]) : NULL;
}

/* The same two, where no thread changes the list: a GPU need not forget what it has read before. */
SNL_FN int64_t snl_dynamic_length_still(const SnlTree *tree, int node, void *container)
{
    const SnlDynamicBlock *block = ((const SnlDynamic *)container)->block;
    int64_t length = block ? block->length : 0, most = tree->nodes[node].desc.sizes[0];
    return length < most ? length : most;
}

SNL_FN void *snl_dynamic_chunk_still(const SnlTree *tree, int node, void *container, int64_t k)
{
    const SnlDynamicBlock *block = ((const SnlDynamic *)container)->block;
    (void)tree;
    (void)node;
    return block ? block->chunks[k] : NULL;
}

/* Lets the first cells, of so many bytes a chunk, of a list further on come into the cache, and the
 * block of one still further; the containers lie side by side in cells of so many bytes, of which
 * `left` are left from that one on. */
SNL_FN void
snl_dynamic_fetch(const void *container, uint64_t cell_bytes, int64_t left, uint64_t chunk_bytes)
{
    enum { LISTS = 4 };         /* further on */
    const uint64_t bytes_most = 256;
    const char *next = (const char *)container + LISTS * cell_bytes;
    const SnlDynamicBlock *block;
    if (left <= 2 * LISTS)
        return;
    snl_fetch(SNL_LOAD(&((const SnlDynamic *)(const void *)(next + LISTS * cell_bytes))->block),
              64);
    block = SNL_LOAD(&((const SnlDynamic *)(const void *)next)->block);
    if (block)
        snl_fetch(SNL_LOAD(&block->chunks[0]), chunk_bytes < bytes_most ? chunk_bytes : bytes_most);
}

/* Lists that are fetched at a time. */
enum { SNL_FETCHED = 64 };

/* Lets what appends to these lists, of at most so many cells, are going to change come into the
 * caches: containers, then blocks, then the cells after the last. */
SNL_FN void
snl_dynamic_fetch_ends(SnlDynamic *const *lists, int64_t count, int64_t most, int64_t chunk,
                       int64_t cell_bytes)
{
    SnlDynamicBlock *blocks[SNL_FETCHED];
    for (int64_t k = 0; k < count; k++)
        snl_fetch_to_write(lists[k]);
    for (int64_t k = 0; k < count; k++) {
        blocks[k] = SNL_LOAD(&lists[k]->block);
        snl_fetch_to_write(blocks[k]);
    }
    for (int64_t k = 0; k < count; k++) {
        int64_t at = blocks[k] ? SNL_LOAD_RELAXED(&blocks[k]->length) : most;
        if (at < most)
            snl_fetch_to_write((char *)SNL_LOAD_RELAXED(&blocks[k]->chunks[at / chunk]) +
                               at % chunk * cell_bytes);
    }
}

/* Number of cells in the chunk that cell `begin` begins; 0 where it has no memory. */
SNL_FN int64_t snl_dynamic_count(const void *cells, int64_t length, int64_t begin, int64_t chunk)
{
    int64_t rest = length - begin;
    return !cells ? 0 : rest < chunk ? rest : chunk;
}

/* Chunks with cells of a list at the top of a tree. */
SNL_FN int64_t snl_dynamic_chunks(const SnlTree *tree, int node, int64_t chunk)
{
    return (snl_dynamic_length(tree, node, tree->root[node]) + chunk - 1) / chunk;
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
    if (snl_dynamic_is_active(tree, node, container, cell)) {
        char *chunk = (char *)snl_dynamic_chunk(tree, node, container, cell / n->desc.chunk);
        if (chunk)
            return chunk + cell % n->desc.chunk * n->desc.cell_bytes;
    }
    return (void *)(uintptr_t)n->ambient;
}

/* Appends an ambient cell: its index, with *cell set; -1 and the scratch cell where it is full. */
SNL_CORE int64_t snl_dynamic_append(SnlTree *tree, int node, void *container, void **cell);

/* Makes the list longer by `count` cells that the caller is going to write, all of them: the index
 * of the first; -1, and nothing has changed, where it would be full or memory is short. */
SNL_CORE int64_t snl_dynamic_reserve(SnlTree *tree, int node, void *container, int64_t count);

/* The cells from `at` on that lie side by side; *count becomes how many, at most `most`. */
SNL_FN void *snl_dynamic_run(const SnlTree *tree, int node, void *container, int64_t chunk,
                             int64_t cell_bytes, int64_t at, int64_t most, int64_t *count)
{
    char *cells = (char *)snl_dynamic_chunk(tree, node, container, at / chunk);
    int64_t rest = chunk - at % chunk;
    *count = rest < most ? rest : most;
    return cells + at % chunk * cell_bytes;
}

/* Ends an append whose index is taken but has no memory yet, or is past the end. */
SNL_CORE int64_t snl_dynamic_append_at(SnlTree *tree, int node, SnlDynamicBlock *block, int64_t at,
                              void **cell) SNL_COLD;

/* As snl_dynamic_append, where it is known how many cells a chunk has and how large they are;
 * `alone` when no other thread appends. */
SNL_INLINE int64_t snl_dynamic_push(SnlTree *tree, int node, void *container, int64_t chunk,
                                    int64_t cell_bytes, bool alone, void **cell)
{
    SnlNode *n = &tree->nodes[node];
    SnlDynamicBlock *block = SNL_LOAD(&((SnlDynamic *)container)->block);
    int64_t at;
    uint64_t part;              /* the chunk */
    char *cells;
    void *made;                 /* so that *cell stays in a register where this is inlined */
    if (SNL_UNLIKELY(!block)) {
        at = snl_dynamic_append(tree, node, container, &made);
        *cell = made;
        return at;
    }
    at = alone ? block->length++
               : SNL_SPLIT(snl_warp_increment(&block->length), SNL_ADD(&block->length, 1));
    part = (uint64_t)at / (uint64_t)chunk;
    cells = at < n->desc.sizes[0] ? (char *)SNL_LOAD(&block->chunks[part]) : NULL;
    if (SNL_UNLIKELY(!cells)) {
        at = snl_dynamic_append_at(tree, node, block, at, &made);
        *cell = made;
        return at;
    }
    snl_node_changed(n);
    *cell = cells + (at - (int64_t)part * chunk) * cell_bytes;
    return at;
}

/* Where the last append of a run went: others to the same list follow without a look at it. */
typedef struct {
    const void *list;           /* container; NULL: none */
    SnlDynamicBlock *block;
    int64_t length;
    char *next, *end;           /* cells of the chunk that are left */
} SnlDynamicEnd;

/* The cell of an append to the same list as the last, by the only thread that appends to it; its
 * length is right at any time. NULL: it is another list, or the chunk is full. */
SNL_INLINE void *snl_dynamic_follow(const void *container, int64_t cell_bytes, SnlDynamicEnd *last)
{
    char *cell = last->next;
    if (container != last->list || cell == last->end)
        return NULL;
    last->next = cell + cell_bytes;
    last->block->length = ++last->length;
    return cell;
}

/* As snl_dynamic_push, and gives the cell, which others may follow where `alone`. */
SNL_INLINE void *snl_dynamic_lead(SnlTree *tree, int node, void *container, int64_t chunk,
                                  int64_t cell_bytes, bool alone, SnlDynamicEnd *last)
{
    int64_t at, rest, room;
    void *cell;
    at = snl_dynamic_push(tree, node, container, chunk, cell_bytes, alone, &cell);
    last->list = NULL;
    if (!alone || at < 0)
        return cell;
    rest = chunk - 1 - at % chunk;
    room = tree->nodes[node].desc.sizes[0] - 1 - at;
    last->list = container;
    last->block = ((SnlDynamic *)container)->block;
    last->length = at + 1;
    last->next = (char *)cell + cell_bytes;
    last->end = last->next + (rest < room ? rest : room) * cell_bytes;
    return cell;
}

/* The cell, to write; makes the list longer where needed, the gap is ambient. */
SNL_CORE void *snl_dynamic_activate(SnlTree *tree, int node, void *container, int64_t cell);

/* The cell, or NULL where the list has none or no memory for it; it is known how many cells a
 * chunk has and how large they are. */
SNL_INLINE void *snl_dynamic_cell(const SnlTree *tree, int node, void *container, int64_t chunk,
                                  int64_t cell_bytes, int64_t cell)
{
    if (SNL_LIKELY(snl_dynamic_is_active(tree, node, container, cell))) {
        uint64_t at = (uint64_t)cell, part = (uint64_t)chunk;
        char *cells = (char *)snl_dynamic_chunk(tree, node, container, (int64_t)(at / part));
        if (SNL_LIKELY(cells != NULL))
            return cells + at % part * (uint64_t)cell_bytes;
    }
    return NULL;
}

/* As snl_dynamic_lookup. */
SNL_INLINE void *snl_dynamic_get(const SnlTree *tree, int node, void *container, int64_t chunk,
                                 int64_t cell_bytes, int64_t cell)
{
    void *found = snl_dynamic_cell(tree, node, container, chunk, cell_bytes, cell);
    return SNL_LIKELY(found != NULL) ? found : (void *)(uintptr_t)tree->nodes[node].ambient;
}

/* The same, where no thread changes the list. */
SNL_INLINE void *snl_dynamic_get_still(const SnlTree *tree, int node, void *container,
                                       int64_t chunk, int64_t cell_bytes, int64_t cell)
{
    const uint64_t at = (uint64_t)cell, part = (uint64_t)chunk;
    const char *cells = NULL;
    if (cell >= 0 && cell < snl_dynamic_length_still(tree, node, container))
        cells = (const char *)snl_dynamic_chunk_still(tree, node, container, (int64_t)(at / part));
    return (void *)(uintptr_t)(cells ? cells + at % part * (uint64_t)cell_bytes
                                     : tree->nodes[node].ambient);
}

/* As snl_dynamic_activate. */
SNL_INLINE void *snl_dynamic_put(SnlTree *tree, int node, void *container, int64_t chunk,
                                 int64_t cell_bytes, int64_t cell)
{
    void *found = snl_dynamic_cell(tree, node, container, chunk, cell_bytes, cell);
    return SNL_LIKELY(found != NULL) ? found : snl_dynamic_activate(tree, node, container, cell);
}

/* Empties the list. */
SNL_CORE void snl_dynamic_deactivate(SnlTree *tree, int node, void *container);

#ifdef __cplusplus
}
#endif

#endif
