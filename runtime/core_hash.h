/* core_hash.h - verbs of hash nodes, on either side; see core.h.
 */
#ifndef SNL_CORE_HASH_H
#define SNL_CORE_HASH_H

#include "core_node.h"

/* Entries of the first table; eighths of a stripe that are used at most, so that every search ends, and in a new table,
 * which thus has room. */
enum { SNL_HASH_FIRST = 16, SNL_HASH_FULL = 6, SNL_HASH_NEW = 5 };

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
    table->spare = spare;
    return table;
}

/* An empty table that is not on the list of the tree, or NULL without memory. */
SNL_FN SnlHashTable *
table_make(SnlTree *tree, int node, int64_t capacity)
{
    size_t bytes = snl_hash_table_bytes(capacity);
    SnlHashTable *table = SNL_SPLIT(spare_table(tree, (int64_t)bytes),
                                    (SnlHashTable *)snl_memory_of_loops(tree->rt, bytes, true));
    if (!table)
        return NULL;
    table->node = node;
    table->capacity = capacity;
    table->stripe_count = snl_hash_stripe_count(capacity);
    table->stripe_entries = capacity / table->stripe_count;
    table->entries = (SnlHashEntry *)(void *)&table->stripes[table->stripe_count];
    return table;
}

/* Puts a table on the list of the tree. */
SNL_FN void
table_link(SnlTree *tree, SnlHashTable *table)
{
    snl_lock(&tree->table_lock);
    table->prev = NULL;
    table->next = tree->tables;
    if (table->next)
        table->next->prev = table;
    tree->tables = table;
    if (table->spare)
        table->spare->tables++;
    snl_unlock(&tree->table_lock);
}

/* Puts a table aside: others may still read it. */
SNL_FN void
table_retire(SnlTree *tree, SnlHashTable *table)
{
    table->next_retired = SNL_LOAD_RELAXED(&tree->retired);
    while (!SNL_CAS(&tree->retired, &table->next_retired, table))
        ;
    set_pending(tree);
}

/* The first entry where a hash may stand, and the one after an entry, in the same stripe. */
SNL_FN int64_t
table_start(const SnlHashTable *table, uint64_t hash)
{
    return (int64_t)(hash >> 1) & (table->capacity - 1);
}

SNL_FN int64_t
table_next(const SnlHashTable *table, int64_t at)
{
    int64_t mask = table->stripe_entries - 1;
    return (at & ~mask) | ((at + 1) & mask);
}

/* The stripe of a hash. */
SNL_FN SnlHashStripe *
table_stripe(SnlHashTable *table, uint64_t hash)
{
    return &table->stripes[table_start(table, hash) / table->stripe_entries];
}

/* True if an element has those indices. */
SNL_FN bool
is_at(const void *element, const int64_t *coord, int n)
{
    const int64_t *own = (const int64_t *)element;
    bool same = true;
    for (int a = 0; a < n; a++)
        same = same && own[a] == coord[a];
    return same;
}

/* Number of the entry with those indices, or -1. */
SNL_FN int64_t
table_find(const SnlHashTable *table, uint64_t hash, const int64_t *coord, int n)
{
    for (int64_t at = table_start(table, hash);; at = table_next(table, at)) {
        uint64_t found = SNL_LOAD(&table->entries[at].hash);
        const void *element;
        if (found == 0)
            return -1;
        if (found != hash)
            continue;
        element = SNL_LOAD(&table->entries[at].element);
        if (element && is_at(element, coord, n))
            return at;
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

/* Puts an element that is not there into a stripe; false if that would be fuller than so many eighths. */
SNL_FN bool
table_put(SnlHashTable *table, uint64_t hash, void *element, int eighths)
{
    SnlHashStripe *stripe = table_stripe(table, hash);
    int64_t at = table_start(table, hash);
    if ((stripe->used + 1) * 8 > table->stripe_entries * eighths)
        return false;
    while (table->entries[at].hash)
        at = table_next(table, at);
    SNL_STORE(&table->entries[at].element, element);
    SNL_STORE(&table->entries[at].hash, hash);
    stripe->live++;
    stripe->used++;
    return true;
}

/* A table of at least that capacity with the cells of another, or NULL without memory.  What a GPU tried in vain stays
 * in the spare memory. */
SNL_FN SnlHashTable *
table_copy(SnlTree *tree, int node, const SnlHashTable *from, int64_t capacity)
{
    for (;; capacity *= 2) {
        SnlHashTable *table = table_make(tree, node, capacity);
        bool fits = true;
        if (!table)
            return NULL;
        for (int64_t k = 0; from && fits && k < from->capacity; k++)
            if (from->entries[k].element)
                fits = table_put(table, from->entries[k].hash, from->entries[k].element,
                                 SNL_HASH_NEW);
        if (fits)
            return table;
        SNL_SPLIT((void)0, snl_memory_put(tree->rt, table, snl_hash_table_bytes(capacity)));
    }
}

/* Takes the locks of all stripes, or gives them back. */
SNL_FN void
stripes_lock(SnlHashTable *table)
{
    for (int64_t s = 0; table && s < table->stripe_count; s++)
        snl_lock(&table->stripes[s].lock);
}

SNL_FN void
stripes_unlock(SnlHashTable *table)
{
    for (int64_t s = 0; table && s < table->stripe_count; s++)
        snl_unlock(&table->stripes[s].lock);
}

/* Puts a table with room for more cells in the place of one that has too little, unless another thread was first;
 * false without memory. */
SNL_FN bool
table_grow(SnlTree *tree, int node, SnlHash *map, SnlHashTable *full, int64_t more)
{
    SnlHashTable *larger = NULL;
    int64_t capacity = SNL_HASH_FIRST;
    bool first;
    snl_lock(&map->lock);
    first = map->table == full;
    if (first) {
        stripes_lock(full);
        while ((snl_hash_live(full) + more) * 2 > capacity)
            capacity *= 2;
        larger = table_copy(tree, node, full, capacity);
        if (larger) {
            table_link(tree, larger);
            SNL_STORE(&map->table, larger);
        }
        stripes_unlock(full);
    }
    snl_unlock(&map->lock);
    if (larger && full)
        table_retire(tree, full);
    return !first || larger;
}

SNL_CORE bool
snl_hash_make_room(SnlTree *tree, int node, SnlHash *map, int64_t more)
{
    int64_t used = 0;
    for (int64_t s = 0; map->table && s < map->table->stripe_count; s++)
        used += map->table->stripes[s].used;
    return (map->table && (used + more) * 2 <= map->table->capacity)
           || table_grow(tree, node, map, map->table, more);
}

/* The stripe of a hash in the table of a container, with its lock, and the table; NULL where there is no table. */
SNL_FN SnlHashStripe *
stripe_lock(SnlHash *map, uint64_t hash, SnlHashTable **table)
{
    SnlHashStripe *stripe;
    while ((*table = SNL_LOAD(&map->table)) != NULL) {
        stripe = table_stripe(*table, hash);
        snl_lock(&stripe->lock);
        if (SNL_LOAD(&map->table) == *table)
            return stripe;
        snl_unlock(&stripe->lock);
    }
    return NULL;
}

/* Puts an element into the table of a container, which grows where it has to; gives the element that is there then,
 * or NULL without memory. */
SNL_FN char *
hash_insert(SnlTree *tree, int node, SnlHash *map, const int64_t *coord, int n, char *element)
{
    uint64_t hash = hash_coord(coord, n);
    for (;;) {
        SnlHashTable *table;
        SnlHashStripe *stripe = stripe_lock(map, hash, &table);
        if (stripe) {
            int64_t at = table_find(table, hash, coord, n);
            char *found = at >= 0 ? (char *)table->entries[at].element : NULL;
            if (!found && table_put(table, hash, element, SNL_HASH_FULL))
                found = element;
            snl_unlock(&stripe->lock);
            if (found)
                return found;
        }
        if (!table_grow(tree, node, map, table, 1))
            return NULL;
    }
}

SNL_CORE void *
snl_hash_activate(SnlTree *tree, int node, void *container, const int64_t *coord, int n)
{
    SnlNode *nd = &tree->nodes[node];
    char *element, *there;
    void *found = snl_hash_find(tree, node, container, coord, n);
    if (found)
        return found;
    element = (char *)snl_pool_take(tree->rt, &nd->cells);  /* not while others wait: it may be written */
    if (!element)
        return snl_node_out_of_memory(tree, node);
    memcpy(element, coord, (size_t)n * sizeof *coord);
    there = hash_insert(tree, node, (SnlHash *)container, coord, n, element);
    if (there == element)
        snl_node_changed(nd);
    else        /* another thread was first, or memory is short */
        snl_pool_untake(tree->rt, &nd->cells, element);
    return there ? there + nd->key_bytes : (char *)snl_node_out_of_memory(tree, node);
}

SNL_CORE void
snl_hash_deactivate(SnlTree *tree, int node, void *container, const int64_t *coord, int n)
{
    SnlNode *nd = &tree->nodes[node];
    uint64_t hash = hash_coord(coord, n);
    SnlHashTable *table;
    SnlHashStripe *stripe = stripe_lock((SnlHash *)container, hash, &table);
    void *element = NULL;
    int64_t at;
    if (!stripe)
        return;
    at = table_find(table, hash, coord, n);
    if (at >= 0) {
        element = SNL_EXCHANGE(&table->entries[at].element, (void *)NULL);
        stripe->live--;
    }
    snl_unlock(&stripe->lock);
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
    stripes_lock(table);
    SNL_STORE(&map->table, (SnlHashTable *)NULL);
    stripes_unlock(table);
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
