/* node.c - the verbs of cells that are not on the fast path, and resetting cells. */
#include "tree.h"

#include <stdio.h>

enum { HASH_FIRST = 16 };       /* entries of a new table */

void *
snl_node_out_of_memory(SnlTree *tree, int node)
{
    const SnlNode *n = &tree->nodes[node];
    char what[300], layout[160];
    snprintf(what, sizeof what, "activating a cell of '%.80s' in %s",
             n->desc.label ? n->desc.label : n->desc.name,
             snl_layout_title(tree->desc, layout, sizeof layout));
    snl_fail_memory(tree->rt, what, snl_pool_block_bytes(&n->cells));
    return n->scratch;
}

/* Says that memory waits for the collector. */
static void
set_pending(SnlTree *tree)
{
    if (!SNL_LOAD_RELAXED(&tree->pending))
        SNL_STORE_RELAXED(&tree->pending, 1);
}

/* Puts an element of a node aside. */
static void
recycle(SnlTree *tree, SnlPool *pool, void *element)
{
    snl_pool_recycle(tree->rt, pool, &element, 1);
    set_pending(tree);
}

/* ---- bitmasked ---- */

void
snl_bitmasked_deactivate(SnlTree *tree, int node, void *container, int64_t cell)
{
    SnlNode *n = &tree->nodes[node];
    uint64_t *word = &snl_bitmasked_mask(tree, node, container)[cell >> 6];
    uint64_t bit = (uint64_t)1 << (cell & 63);
    if (!(SNL_LOAD(word) & bit) || !(SNL_AND(word, ~bit) & bit))
        return;
    snl_node_changed(n);
    snl_cell_reset(tree, node, (char *)container + cell * n->desc.cell_bytes);
    if (tree->rt->threads > 1) {        /* another thread may be about to write to it */
        int64_t index = snl_store_reserve(tree->rt, &n->resets, 1);
        if (index >= 0)
            *(SnlReset *)snl_store_at(&n->resets, index) = (SnlReset){ container, cell };
        set_pending(tree);
    }
}

/* Deactivates the cells from ... to-1 of a bitmasked container; from is a multiple of 64. */
static void
bitmasked_clear(SnlTree *tree, int node, void *container, int64_t from, int64_t to)
{
    SnlNode *n = &tree->nodes[node];
    uint64_t *mask = snl_bitmasked_mask(tree, node, container);
    for (int64_t w = from / 64; w * 64 < to; w++) {
        uint64_t bits = SNL_LOAD(&mask[w]) ? SNL_EXCHANGE(&mask[w], (uint64_t)0) : 0;
        if (bits)
            snl_node_changed(n);
        for (; bits; bits &= bits - 1) {
            int64_t cell = w * 64 + __builtin_ctzll(bits);
            snl_cell_reset(tree, node, (char *)container + cell * n->desc.cell_bytes);
        }
    }
}

/* ---- pointer ---- */

void *
snl_pointer_make(SnlTree *tree, int node, void **slot)
{
    SnlNode *n = &tree->nodes[node];
    void *found = NULL;
    void *made = snl_pool_take(tree->rt, &n->cells);
    if (!made)
        return snl_node_out_of_memory(tree, node);
    if (!SNL_CAS(slot, &found, made)) {
        snl_pool_untake(tree->rt, &n->cells, made);
        return found;
    }
    snl_node_changed(n);
    return made;
}

void *
snl_pointer_fill(SnlTree *tree, int node, void *container, int64_t cell)
{
    SnlNode *n = &tree->nodes[node];
    void *made = snl_pointer_make(tree, node, &((void **)container)[cell]);
    if (made != n->scratch)
        SNL_OR(&snl_node_mask(n, container)[cell >> 6], (uint64_t)1 << (cell & 63));
    return made;
}

void
snl_pointer_deactivate(SnlTree *tree, int node, void *container, int64_t cell)
{
    SnlNode *n = &tree->nodes[node];
    void **slot = &((void **)container)[cell];
    void *taken;
    if (!SNL_LOAD(slot))
        return;
    SNL_AND(&snl_node_mask(n, container)[cell >> 6], ~((uint64_t)1 << (cell & 63)));
    taken = SNL_EXCHANGE(slot, (void *)NULL);
    if (!taken)
        return;
    snl_node_changed(n);
    recycle(tree, &n->cells, taken);
}

/* Deactivates the cells from ... to-1 of a pointer container; from is a multiple of 64. */
static void
pointer_clear(SnlTree *tree, int node, void *container, int64_t from, int64_t to)
{
    enum { BATCH = 512 };
    SnlNode *n = &tree->nodes[node];
    void **slots = (void **)container, *taken[BATCH];
    uint64_t *mask = snl_node_mask(n, container);
    int64_t count = 0;
    for (int64_t w = from / 64; w * 64 < to; w++) {
        uint64_t bits = SNL_LOAD(&mask[w]) ? SNL_EXCHANGE(&mask[w], (uint64_t)0) : 0;
        for (; bits; bits &= bits - 1) {
            taken[count] = SNL_EXCHANGE(&slots[w * 64 + __builtin_ctzll(bits)], (void *)NULL);
            count += taken[count] != NULL;
        }
        if (count > BATCH - 64 || (count > 0 && (w + 1) * 64 >= to)) {
            snl_pool_recycle(tree->rt, &n->cells, taken, count);
            snl_node_changed(n);
            set_pending(tree);
            count = 0;
        }
    }
}

/* ---- dynamic ---- */

/* The block of a list, made where there is none; NULL without memory. */
static SnlDynamicBlock *
dynamic_block(SnlTree *tree, int node, SnlDynamic *list)
{
    SnlNode *n = &tree->nodes[node];
    SnlDynamicBlock *block = SNL_LOAD(&list->block), *made;
    if (block)
        return block;
    made = (SnlDynamicBlock *)snl_pool_take(tree->rt, &n->blocks);
    if (made && SNL_CAS(&list->block, &block, made))
        return made;
    if (made)
        snl_pool_untake(tree->rt, &n->blocks, made);
    else
        snl_node_out_of_memory(tree, node);
    return block;
}

/* The memory of a cell of a block, made where there is none. */
static void *
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

int64_t
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
    if (*cell == n->scratch) {      /* out of memory; where others came after it, a cell without any is left */
        SNL_CAS(&block->length, &next, at);
        return -1;
    }
    snl_node_changed(n);
    return at;
}

int64_t
snl_dynamic_append(SnlTree *tree, int node, void *container, void **cell)
{
    SnlDynamicBlock *block = dynamic_block(tree, node, (SnlDynamic *)container);
    *cell = tree->nodes[node].scratch;
    if (!block)
        return -1;
    return snl_dynamic_append_at(tree, node, block, SNL_ADD(&block->length, 1), cell);
}

/* Sets cells of a chunk to ambient. */
static void
reset_chunk(const SnlNode *n, char *cells, int64_t from)
{
    size_t start = (size_t)(from * n->desc.cell_bytes);
    size_t bytes = (size_t)(n->desc.chunk * n->desc.cell_bytes) - start;
    if (n->chunk_image)
        memcpy(cells + start, n->chunk_image + start, bytes);
    else
        memset(cells + start, 0, bytes);
}

int64_t
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
        if (!block->chunks[k]) {    /* those before it stay, as the memory of cells that are not active */
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
static bool
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

void *
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

void
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

/* ---- hash ---- */

/* Hash of indices; never 0. */
static uint64_t
hash_coord(const int64_t *coord, int n)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int a = 0; a < n; a++) {
        h = (h ^ (uint64_t)coord[a]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h | 1;
}

/* Bytes of a table. */
static size_t
table_bytes(int64_t capacity)
{
    const SnlHashTable *none = NULL;
    return sizeof *none + (size_t)capacity * sizeof none->entries[0];
}

/* An empty table, or NULL without memory. */
static SnlHashTable *
table_new(SnlTree *tree, int64_t capacity)
{
    SnlHashTable *table = (SnlHashTable *)snl_memory_get(tree->rt, table_bytes(capacity));
    if (!table)
        return NULL;
    table->capacity = capacity;
    snl_lock(&tree->table_lock);
    table->next = tree->tables;
    if (table->next)
        table->next->prev = table;
    tree->tables = table;
    snl_unlock(&tree->table_lock);
    return table;
}

void
snl_hash_table_free(SnlTree *tree, SnlHashTable *table)
{
    snl_lock(&tree->table_lock);
    if (table->prev)
        table->prev->next = table->next;
    else
        tree->tables = table->next;
    if (table->next)
        table->next->prev = table->prev;
    snl_unlock(&tree->table_lock);
    snl_memory_put(tree->rt, table, table_bytes(table->capacity));
}

/* Puts a table aside: others may still read it. */
static void
table_retire(SnlTree *tree, SnlHashTable *table)
{
    snl_store_push(tree->rt, &tree->retired, table);    /* else it is freed with the tree */
    set_pending(tree);
}

/* Number of the entry with those indices, or -1. */
static int64_t
table_find(const SnlHashTable *table, uint64_t hash, const int64_t *coord, int n)
{
    uint64_t mask = (uint64_t)table->capacity - 1;
    for (uint64_t at = hash >> 1 & mask;; at = (at + 1) & mask) {
        uint64_t found = SNL_LOAD(&table->entries[at].hash);
        const void *element;
        if (found == 0)
            return -1;
        if (found != hash)
            continue;
        element = SNL_LOAD(&table->entries[at].element);
        if (element && memcmp(element, coord, (size_t)n * sizeof *coord) == 0)
            return (int64_t)at;
    }
}

void *
snl_hash_find(const SnlTree *tree, int node, void *container, const int64_t *coord, int n)
{
    const SnlHashTable *table = SNL_LOAD(&((SnlHash *)container)->table);
    const char *element;
    int64_t at = table ? table_find(table, hash_coord(coord, n), coord, n) : -1;
    if (at < 0)
        return NULL;
    element = (const char *)SNL_LOAD(&table->entries[at].element);
    return element ? (void *)(uintptr_t)(element + tree->nodes[node].key_bytes) : NULL;
}

/* Puts an element that is not there into a table with room. */
static void
table_put(SnlHashTable *table, uint64_t hash, void *element)
{
    uint64_t mask = (uint64_t)table->capacity - 1, at = hash >> 1 & mask;
    while (table->entries[at].hash)
        at = (at + 1) & mask;
    SNL_STORE(&table->entries[at].element, element);
    SNL_STORE(&table->entries[at].hash, hash);
    table->live++;
    table->used++;
}

/* A table with room for one more cell, the lock being held; NULL without memory. */
static SnlHashTable *
table_with_room(SnlTree *tree, SnlHash *map)
{
    SnlHashTable *table = map->table, *larger;
    int64_t capacity = HASH_FIRST;
    if (table && (table->used + 1) * 3 <= table->capacity * 2)
        return table;
    while (table && (table->live + 1) * 2 > capacity)
        capacity *= 2;
    larger = table_new(tree, capacity);
    if (!larger)
        return NULL;
    for (int64_t k = 0; table && k < table->capacity; k++)
        if (table->entries[k].element)
            table_put(larger, table->entries[k].hash, table->entries[k].element);
    SNL_STORE(&map->table, larger);
    if (table)
        table_retire(tree, table);
    return larger;
}

void *
snl_hash_activate(SnlTree *tree, int node, void *container, const int64_t *coord, int n)
{
    SnlNode *nd = &tree->nodes[node];
    SnlHash *map = (SnlHash *)container;
    SnlHashTable *table;
    char *element = NULL;
    void *found = snl_hash_find(tree, node, container, coord, n);
    if (found)
        return found;
    snl_lock(&map->lock);
    found = snl_hash_find(tree, node, container, coord, n);
    if (!found) {
        table = table_with_room(tree, map);
        element = table ? (char *)snl_pool_take(tree->rt, &nd->cells) : NULL;
    }
    if (element) {
        memcpy(element, coord, (size_t)n * sizeof *coord);
        table_put(table, hash_coord(coord, n), element);
        found = element + nd->key_bytes;
        snl_node_changed(nd);
    }
    snl_unlock(&map->lock);
    return found ? found : snl_node_out_of_memory(tree, node);
}

void
snl_hash_deactivate(SnlTree *tree, int node, void *container, const int64_t *coord, int n)
{
    SnlNode *nd = &tree->nodes[node];
    SnlHash *map = (SnlHash *)container;
    void *element = NULL;
    int64_t at;
    if (!SNL_LOAD(&map->table))
        return;
    snl_lock(&map->lock);
    at = map->table ? table_find(map->table, hash_coord(coord, n), coord, n) : -1;
    if (at >= 0) {
        element = SNL_EXCHANGE(&map->table->entries[at].element, (void *)NULL);
        map->table->live--;
    }
    snl_unlock(&map->lock);
    if (!element)
        return;
    snl_node_changed(nd);
    recycle(tree, &nd->cells, element);
}

void
snl_hash_clear(SnlTree *tree, int node, void *container)
{
    SnlNode *n = &tree->nodes[node];
    SnlHash *map = (SnlHash *)container;
    SnlHashTable *table;
    if (!SNL_LOAD(&map->table))
        return;
    snl_lock(&map->lock);
    table = map->table;
    SNL_STORE(&map->table, (SnlHashTable *)NULL);
    snl_unlock(&map->lock);
    if (!table)
        return;
    for (int64_t k = 0; k < table->capacity; k++)
        if (table->entries[k].element)
            recycle(tree, &n->cells, table->entries[k].element);
    table_retire(tree, table);
    snl_node_changed(n);
}

/* ---- all kinds ---- */

/* Resets all cells of a dense container, which are always active. */
static void
dense_clear(SnlTree *tree, int node, void *container)
{
    const SnlNode *n = &tree->nodes[node];
    if (n->flat && n->zero) {
        memset(container, 0, (size_t)n->desc.container_bytes);
        return;
    }
    for (int64_t cell = 0; cell < n->desc.cell_count; cell++)
        snl_cell_reset(tree, node, (char *)container + cell * n->desc.cell_bytes);
}

void
snl_container_clear_part(SnlTree *tree, int node, void *container, int64_t from, int64_t to)
{
    if (tree->nodes[node].desc.kind == SNL_BITMASKED)
        bitmasked_clear(tree, node, container, from, to);
    else
        pointer_clear(tree, node, container, from, to);
}

void
snl_container_clear(SnlTree *tree, int node, void *container)
{
    const SnlNodeDesc *d = &tree->nodes[node].desc;
    switch (d->kind) {
    case SNL_DENSE: dense_clear(tree, node, container); break;
    case SNL_BITMASKED:
    case SNL_POINTER: snl_container_clear_part(tree, node, container, 0, d->cell_count); break;
    case SNL_DYNAMIC: snl_dynamic_deactivate(tree, node, container); break;
    default: snl_hash_clear(tree, node, container); break;
    }
}

void
snl_cell_reset(SnlTree *tree, int node, void *cell)
{
    const SnlNode *n = &tree->nodes[node];
    const SnlTreeDesc *desc = tree->desc;
    if (n->flat && n->zero) {
        memset(cell, 0, (size_t)n->desc.cell_bytes);
        return;
    }
    if (n->flat) {
        memcpy(cell, n->ambient, (size_t)n->desc.cell_bytes);
        return;
    }
    for (int k = 0; k < desc->leaf_count; k++) {
        const SnlLeafDesc *leaf = &desc->leaves[k];
        if (leaf->node == node)
            memcpy((char *)cell + leaf->offset, n->ambient + leaf->offset,
                   (size_t)(leaf->count * snl_scalar_bytes(leaf->tag)));
    }
    for (int child = n->first_child; child >= 0; child = tree->nodes[child].next_sibling)
        snl_container_clear(tree, child, (char *)cell
                            + tree->nodes[child].desc.container_offset);
}
