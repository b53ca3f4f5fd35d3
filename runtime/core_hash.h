/* core_hash.h - verbs of hash nodes, on either side; see core.h.
 */
#ifndef SNL_CORE_HASH_H
#define SNL_CORE_HASH_H

#include "core_node.h"

enum { SNL_HASH_FIRST = 16 };   /* entries of a new table */

/* Hash of indices; never 0. */
SNL_FN uint64_t
hash_coord(const int64_t *coord, int n)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int a = 0; a < n; a++) {
        h = (h ^ (uint64_t)coord[a]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h | 1;
}

/* Zeroed memory for a table that is made on a GPU, or NULL. */
SNL_FN SnlHashTable *
spare_table(SnlTree *tree, int64_t bytes)
{
    SnlSpare *spare = tree->spare;
    int64_t at = spare ? SNL_ADD(&spare->used, (bytes + 63) / 64 * 64) : 0;
    SnlHashTable *table;
    if (!spare || at + bytes > spare->bytes)
        return NULL;
    table = (SnlHashTable *)(void *)((char *)spare + at);
    memset(table, 0, (size_t)bytes);
    table->spare = true;
    return table;
}

/* An empty table, or NULL without memory. */
SNL_FN SnlHashTable *
table_new(SnlTree *tree, int64_t capacity)
{
    size_t bytes = snl_hash_table_bytes(capacity);
    SnlHashTable *table = SNL_SPLIT(spare_table(tree, (int64_t)bytes),
                                    (SnlHashTable *)snl_memory_get(tree->rt, bytes));
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

/* Puts a table aside: others may still read it. */
SNL_FN void
table_retire(SnlTree *tree, SnlHashTable *table)
{
    snl_store_push(tree->rt, &tree->retired, table);    /* else it is freed with the tree */
    set_pending(tree);
}

/* Number of the entry with those indices, or -1. */
SNL_FN int64_t
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
        if (element && snl_same(element, coord, (size_t)n * sizeof *coord))
            return (int64_t)at;
    }
}

SNL_CORE void *
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
SNL_FN void
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

/* A table with room for more cells, the lock being held; NULL without memory. */
SNL_FN SnlHashTable *
table_with_room(SnlTree *tree, SnlHash *map, int64_t more)
{
    SnlHashTable *table = map->table, *larger;
    int64_t capacity = SNL_HASH_FIRST;
    if (table && (table->used + more) * 3 <= table->capacity * 2)
        return table;
    while (((table ? table->live : 0) + more) * 2 > capacity)
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

SNL_CORE void
snl_hash_make_room(SnlTree *tree, SnlHash *map, int64_t more)
{
    table_with_room(tree, map, more);
}

SNL_CORE void *
snl_hash_activate(SnlTree *tree, int node, void *container, const int64_t *coord, int n)
{
    SnlNode *nd = &tree->nodes[node];
    SnlHash *map = (SnlHash *)container;
    SnlHashTable *table;
    char *element;
    void *found = snl_hash_find(tree, node, container, coord, n);
    if (found)
        return found;
    element = (char *)snl_pool_take(tree->rt, &nd->cells);  /* not while others wait: it may be written */
    snl_lock(&map->lock);
    found = snl_hash_find(tree, node, container, coord, n);
    table = element && !found ? table_with_room(tree, map, 1) : NULL;
    if (table) {
        memcpy(element, coord, (size_t)n * sizeof *coord);
        table_put(table, hash_coord(coord, n), element);
        found = element + nd->key_bytes;
        snl_node_changed(nd);
    }
    snl_unlock(&map->lock);
    if (element && !table)      /* another thread was first, or memory is short */
        snl_pool_untake(tree->rt, &nd->cells, element);
    return found ? found : snl_node_out_of_memory(tree, node);
}

SNL_CORE void
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

SNL_CORE_ONCE void
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

#endif
