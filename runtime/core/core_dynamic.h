/* core_dynamic.h - verbs of dynamic nodes that are not on the fast path, on either side; see
 * core.h.
 */
#ifndef SNL_CORE_CORE_DYNAMIC_H
#define SNL_CORE_CORE_DYNAMIC_H

#include "core_node.h"

/* The block of a list, made where there is none; NULL without memory. */
SNL_FN SnlDynamicBlock *
dynamic_block(SnlTree *tree, int node, SnlDynamic *list)
{
    SnlDynamicBlock *block = SNL_LOAD(&list->block);
    if (block || is_scratch(tree, node, list))
        return block;
    return (SnlDynamicBlock *)slot_make(tree, node, &tree->nodes[node].blocks,
                                        (void **)(void *)&list->block);
}

/* The memory of a cell of a block, made where there is none. */
SNL_FN void *
dynamic_cell(SnlTree *tree, int node, SnlDynamicBlock *block, int64_t cell)
{
    SnlNode *n = &tree->nodes[node];
    void **slot = &block->chunks[cell / n->desc.chunk];
    char *chunk = (char *)SNL_LOAD(slot);
    if (!chunk)
        chunk = (char *)snl_pointer_make(tree, node, slot);
    if (chunk == n->scratch)
        return chunk;
    return chunk + cell % n->desc.chunk * n->desc.cell_bytes;
}

SNL_CORE int64_t
snl_dynamic_append_at(SnlTree *tree, int node, SnlDynamicBlock *block, int64_t at, void **cell)
{
    SnlNode *n = &tree->nodes[node];
    int64_t next = at + 1;
    *cell = n->scratch;
    if (at >= n->desc.sizes[0]) {
        SNL_SUB(&block->length, 1);
        snl_fail(tree->rt, SNL_EFULL, NULL, 0, "list '%s' is full: it holds at most %lld cells",
                 n->desc.label ? n->desc.label : n->desc.name, (long long)n->desc.sizes[0]);
        return -1;
    }
    *cell = dynamic_cell(tree, node, block, at);
    /* out of memory; where others came after it, a cell without any is left */
    if (*cell == n->scratch) {
        SNL_CAS(&block->length, &next, at);
        return -1;
    }
    snl_node_changed(n);
    return at;
}

SNL_CORE int64_t
snl_dynamic_append(SnlTree *tree, int node, void *container, void **cell)
{
    SnlDynamicBlock *block = dynamic_block(tree, node, (SnlDynamic *)container);
    int64_t at;
    *cell = tree->nodes[node].scratch;
    if (!block)
        return -1;
    at = is_alone(tree) ? block->length++
                        : SNL_SPLIT(snl_warp_increment(&block->length), SNL_ADD(&block->length, 1));
    return snl_dynamic_append_at(tree, node, block, at, cell);
}

/* Sets cells of a chunk to ambient. */
SNL_FN void
reset_chunk(const SnlNode *n, char *cells, int64_t from)
{
    size_t start = (size_t)(from * n->desc.cell_bytes);
    size_t bytes = (size_t)(n->desc.chunk * n->desc.cell_bytes) - start;
    if (n->chunk_image)
        snl_bytes_copy(cells + start, n->chunk_image + start, bytes);
    else
        snl_bytes_zero(cells + start, bytes);
}

SNL_CORE int64_t
snl_dynamic_reserve(SnlTree *tree, int node, void *container, int64_t count)
{
    SnlNode *n = &tree->nodes[node];
    SnlDynamic *list = (SnlDynamic *)container;
    int64_t first = list->block ? list->block->length : 0, chunk = n->desc.chunk;
    SnlDynamicBlock *block;
    if (count <= 0 || count > n->desc.sizes[0] - first)
        return count <= 0 ? first : -1;
    block = dynamic_block(tree, node, list);
    if (!block)
        return -1;
    for (int64_t k = first / chunk; k <= (first + count - 1) / chunk; k++) {
        if (block->chunks[k])
            continue;
        block->chunks[k] = snl_pool_take_raw(tree->rt, &n->cells);
        /* those before it stay, as the memory of cells that are not active */
        if (!block->chunks[k]) {
            while (--k >= (first + chunk - 1) / chunk)
                reset_chunk(n, (char *)block->chunks[k], 0);
            return -1;
        }
    }
    if ((first + count) % chunk)
        reset_chunk(n, (char *)block->chunks[(first + count) / chunk], (first + count) % chunk);
    block->length = first + count;
    snl_node_changed(n);
    return first;
}

/* Makes the list as long as it takes to have that cell; false without memory. */
SNL_FN bool
dynamic_grow(SnlTree *tree, int node, SnlDynamicBlock *block, int64_t cell)
{
    SnlNode *n = &tree->nodes[node];
    int64_t chunk = n->desc.chunk, length = SNL_LOAD(&block->length);
    if (length > cell)
        return true;
    for (int64_t k = length / chunk; k <= cell / chunk; k++)        /* the gap needs memory too */
        if (dynamic_cell(tree, node, block, k * chunk) == n->scratch)
            return false;
    while (length <= cell && !SNL_CAS(&block->length, &length, cell + 1))
        ;
    snl_node_changed(n);
    return true;
}

SNL_CORE void *
snl_dynamic_activate(SnlTree *tree, int node, void *container, int64_t cell)
{
    SnlNode *n = &tree->nodes[node];
    SnlDynamicBlock *block;
    if (cell < 0 || cell >= n->desc.sizes[0]) {
        snl_fail(tree->rt, SNL_ERANGE, NULL, 0,
                 "index %lld is out of range: list '%s' holds at most %lld cells",
                 (long long)cell, n->desc.label ? n->desc.label : n->desc.name,
                 (long long)n->desc.sizes[0]);
        return n->scratch;
    }
    block = dynamic_block(tree, node, (SnlDynamic *)container);
    if (!block || !dynamic_grow(tree, node, block, cell))
        return n->scratch;
    return dynamic_cell(tree, node, block, cell);
}

SNL_CORE void
snl_dynamic_deactivate(SnlTree *tree, int node, void *container)
{
    SnlNode *n = &tree->nodes[node];
    SnlDynamic *list = (SnlDynamic *)container;
    SnlDynamicBlock *block = SNL_LOAD(&list->block)
                             ? SNL_EXCHANGE(&list->block, (SnlDynamicBlock *)NULL) : NULL;
    if (!block)
        return;
    snl_node_changed(n);
    recycle(tree, &n->blocks, block);
}

#endif
