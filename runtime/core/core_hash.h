/* core_hash.h - verbs of hash nodes, on either side; see core.h.
 */
#ifndef SNL_CORE_CORE_HASH_H
#define SNL_CORE_CORE_HASH_H

#include "core_node.h"

/* Entries of the first table; eighths of a stripe that are used at most, so that every search ends,
 * and in a new table, which thus has room. */
enum { SNL_HASH_FIRST = 16, SNL_HASH_FULL = 6, SNL_HASH_NEW = 5 };

/* Entries of the smallest tables that become smaller as their cells go. */
enum { SNL_HASH_SHRINK_LEAST = 4096 };

/* A table that has to grow gets at once the capacity that the container needed before, if that is
 * at most so many times as large. */
enum { SNL_HASH_LEAP = 16 };

/* Numbers of axes that the library has code of their own for: half of the instructions. */
#ifdef SNL_GPU
#define SNL_CONSTANT_AXES(n) 0
#else
#define SNL_CONSTANT_AXES(n) (n)
#endif

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
    snl_bytes_zero(table, (size_t)bytes);
    table->spare = spare;
    SNL_ADD(&spare->tables, 1);
    return table;
}

/* The same on the CPU, where its pages are made at once: cells come to all of them, in no order. */
static inline SnlHashTable *
own_table(SnlInstance *rt, size_t bytes)
{
    SnlHashTable *table = (SnlHashTable *)snl_memory_of_loops(rt, bytes, true);
    if (table)
        snl_memory_populate(rt, table, bytes);
    return table;
}

/* An empty table that is not on the list of the tree, or NULL without memory. */
SNL_FN SnlHashTable *
table_make(SnlTree *tree, int node, int64_t capacity)
{
    size_t bytes = snl_hash_table_bytes(capacity);
    SnlHashTable *table =
        SNL_SPLIT(spare_table(tree, (int64_t)bytes), own_table(tree->rt, bytes));
    if (!table)
        return NULL;
    table->node = node;
    table->capacity = capacity;
    table->stripe_count = snl_hash_stripe_count(capacity);
    table->stripe_shift = snl_bits_ctz((uint64_t)(capacity / table->stripe_count));
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

/* The stripe of a hash. */
SNL_FN SnlHashStripe *
table_stripe(SnlHashTable *table, uint64_t hash)
{
    return &table->stripes[((int64_t)hash & (table->capacity - 1)) >> table->stripe_shift];
}

/* Puts an element into an entry without one; false if the stripe would be fuller than so many
 * eighths. */
SNL_INLINE bool
table_put(SnlHashTable *table, SnlHashStripe *stripe, SnlHashEntry *entry, uint64_t hash,
          const void *element, int eighths)
{
    if (*entry != SNL_HASH_ERASED) {
        if ((stripe->used + 1) * 8 > (int64_t)eighths << table->stripe_shift)
            return false;
        stripe->used++;
    }
    SNL_STORE(entry, snl_hash_part(hash) | (uint64_t)(uintptr_t)element);
    SNL_STORE_RELAXED(&stripe->live, stripe->live + 1);
    return true;
}

/* The first empty entry for a hash, of a table where nothing was erased. */
SNL_FN SnlHashEntry *
table_empty(const SnlHashTable *table, uint64_t hash)
{
    const int64_t mask = ((int64_t)1 << table->stripe_shift) - 1;
    int64_t at = (int64_t)hash & (table->capacity - 1);
    while (table->entries[at])
        at = (at & ~mask) | ((at + 1) & mask);
    return &table->entries[at];
}

/* Collects the elements of at most SNL_HASH_STRIP entries of a table, lets them come into the
 * caches, as their indices say where they go in another table, and the places where they can go.
 * Gives their number. */
SNL_FN int
table_collect(const SnlHashTable *from, const SnlHashTable *table, int64_t begin, int64_t end,
              char **elements)
{
    enum { LINE = 64 / sizeof(SnlHashEntry) };
    const int count = snl_hash_elements(from, begin, end, elements);
    for (int64_t k = begin; k < end; k += LINE)
        for (int64_t at = k & (table->capacity - 1); at < table->capacity; at += from->capacity)
            snl_fetch_to_write(&table->entries[at]);
    for (int k = 0; k < count; k++)
        snl_fetch(elements[k], 1);
    return count;
}

/* Puts elements into a table that nobody sees yet; false if a stripe would be too full. */
SNL_INLINE bool
table_add(SnlHashTable *table, char *const *elements, int count, int n)
{
    bool fits = true;
    for (int k = 0; fits && k < count; k++) {
        uint64_t hash = snl_hash_of((const int64_t *)(const void *)elements[k], n);
        fits = table_put(table, table_stripe(table, hash), table_empty(table, hash), hash,
                         elements[k], SNL_HASH_NEW);
    }
    return fits;
}

/* Puts the cells of entries of another table, one by one, into one that nobody sees yet; false if a
 * stripe would be too full. */
SNL_FN bool
table_fill_simply(SnlHashTable *table, int64_t begin, int64_t end, int n)
{
    bool fits = true;
    for (int64_t k = begin; fits && k < end; k++) {
        const uint64_t address = snl_hash_address(table->from->entries[k]);
        char *const element = (char *)(uintptr_t)address;
        if (address > SNL_HASH_ERASED)
            fits = table_add(table, &element, 1, n);
    }
    return fits;
}

/* The same by strips, where there are any; lanes of a GPU would have these in memory. */
SNL_FN bool
table_fill(SnlHashTable *table, int64_t begin, int64_t end, int n)
{
    if (SNL_HASH_STRIP == 1)
        return table_fill_simply(table, begin, end, n);
    char *elements[2][SNL_HASH_STRIP];  /* those that are moved now, and those that come next */
    int count = 0, coming, part = 0;
    for (int64_t k = begin; k < end || count > 0; k += SNL_HASH_STRIP, part = !part) {
        const int64_t next = snl_smaller(k + SNL_HASH_STRIP, end);
        bool fits;
        coming = table_collect(table->from, table, k, next, elements[part]);
        switch (SNL_CONSTANT_AXES(n)) {
        case 2: fits = table_add(table, elements[!part], count, 2); break;
        case 3: fits = table_add(table, elements[!part], count, 3); break;
        default: fits = table_add(table, elements[!part], count, n); break;
        }
        if (!fits)
            return false;
        count = coming;
    }
    return true;
}

/* Entries of the smaller of two tables. */
SNL_FN int64_t
least_capacity(const SnlHashTable *from, const SnlHashTable *table)
{
    return snl_smaller(from->capacity, table->capacity);
}

/* Entries of each part of a table that is put into another one: whole stripes of both, so that no
 * other part has cells for the same stripe. Where the other one is smaller, a part has those
 * entries again after each of its capacity. */
SNL_FN int64_t
part_entries(const SnlHashTable *from, const SnlHashTable *table)
{
    const int shift = from->stripe_shift > table->stripe_shift ? from->stripe_shift
                                                               : table->stripe_shift;
    return snl_smaller((int64_t)1 << shift, least_capacity(from, table));
}

/* Puts a part of another table into one, from that entry on; false if a stripe would be too
 * full. */
SNL_FN bool
table_fill_part(SnlHashTable *table, int64_t begin, int64_t entries, int n)
{
    for (int64_t at = begin; at < table->from->capacity; at += table->capacity)
        if (!table_fill(table, at, at + entries, n))
            return false;
    return true;
}

/* Puts parts of another table into one, as long as there are any that no thread has begun. */
SNL_FN void
table_fill_parts(SnlHashTable *table, int n)
{
    const int64_t part = part_entries(table->from, table), end = least_capacity(table->from, table);
    for (int64_t at; (at = SNL_ADD(&table->parts_begun, 1) * part) < end;) {
        if (!SNL_LOAD_RELAXED(&table->crowded) && !table_fill_part(table, at, part, n))
            SNL_STORE_RELAXED(&table->crowded, true);
        SNL_ADD_RELEASE(&table->parts_done, 1);
    }
}

/* Puts all cells of another table, whose stripes are locked, into one that nobody sees yet; those
 * who wait for the locks help. False if a stripe would be too full. */
SNL_FN bool
table_fill_from(SnlHashTable *table, SnlHashTable *from, int n)
{
    const int64_t parts = least_capacity(from, table) / part_entries(from, table);
    int moments = 0;
    table->from = from;
    SNL_STORE(&from->larger, table);
    table_fill_parts(table, n);
    while (SNL_LOAD(&table->parts_done) < parts)
        snl_wait(&moments);
    return !SNL_LOAD_RELAXED(&table->crowded);
}

/* Takes a lock that those have who put a larger table in the place of that one, or NULL; until then
 * helps them. */
SNL_SELDOM void
table_wait(SnlHashTable *table, int *lock, int n)
{
    int moments = 0;
    do {
        SnlHashTable *larger = table ? SNL_LOAD(&table->larger) : NULL;
        if (larger)
            table_fill_parts(larger, n);
        snl_wait(&moments);
    } while (!snl_try_lock(lock));
}

SNL_INLINE void
table_lock(SnlHashTable *table, int *lock, int n)
{
    if (SNL_UNLIKELY(!snl_try_lock(lock)))
        table_wait(table, lock, n);
}

/* A table of at least that capacity with the cells of another, or NULL without memory. One that was
 * made in vain is kept until the collection, as others may still look whether they can help. */
SNL_FN SnlHashTable *
table_copy(SnlTree *tree, int node, SnlHashTable *from, int64_t capacity)
{
    for (;; capacity *= 2) {
        SnlHashTable *table = table_make(tree, node, capacity);
        if (!table && from) /* nobody shall look for one that was made in vain and is gone then */
            SNL_STORE(&from->larger, (SnlHashTable *)NULL);
        if (!table)
            return NULL;
        table_link(tree, table);
        if (!from || table_fill_from(table, from, tree->nodes[node].desc.axis_count))
            return table;
        table_retire(tree, table);
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

/* The capacity to grow to, where it has to be `least` at least. Containers that are emptied are
 * often filled as before. Those that grow often go on growing: the next table is skipped unless it
 * would take more memory than the cells. */
SNL_FN int64_t
likely_capacity(const SnlTree *tree, int node, const SnlHash *map, int64_t least)
{
    /* a GPU has memory for what is needed */
    const int64_t past = SNL_SPLIT((int64_t)0, (int64_t)1 << map->past_bits);
    const int64_t cells = snl_hash_live(map->table) * tree->nodes[node].cells.element_bytes;
    if (past > least && past / SNL_HASH_LEAP <= least)
        return past;
    return SNL_SPLIT(false, least * 2 * (int64_t)sizeof(SnlHashEntry) <= cells) ? least * 2 : least;
}

/* Puts a table with room for more cells in the place of one that has too little, unless another
 * thread was first; false without memory, where *missing becomes the bytes of the smallest that
 * would do. */
SNL_SELDOM bool
table_grow(SnlTree *tree, int node, SnlHash *map, SnlHashTable *full, int64_t more,
           uint64_t *missing)
{
    SnlHashTable *larger = NULL;
    int64_t capacity = SNL_HASH_FIRST;
    bool first;
    table_lock(full, &map->lock, tree->nodes[node].desc.axis_count);
    first = map->table == full;
    if (first) {
        stripes_lock(full);
        while ((snl_hash_live(full) + more) * 2 > capacity)
            capacity *= 2;
        larger = table_copy(tree, node, full, likely_capacity(tree, node, map, capacity));
        if (!larger)
            larger = table_copy(tree, node, full, capacity);
        if (larger) {
            larger->map = map;
            SNL_STORE(&map->table, larger);
        } else {
            *missing = snl_hash_table_bytes(capacity);
        }
        stripes_unlock(full);
    }
    snl_unlock(&map->lock);
    if (larger && full)
        table_retire(tree, full);
    return !first || larger;
}

SNL_CORE_ONCE void
snl_hash_shrink(SnlTree *tree, SnlHashTable *table)
{
    enum { ROOM = 4 };
    const int64_t live = snl_hash_live(table);
    int64_t capacity = SNL_HASH_FIRST;
    SnlHashTable *smaller;
    while (live * ROOM > capacity)
        capacity *= 2;
    if (capacity >= table->capacity || table->map->table != table)
        return;
    smaller = table_copy(tree, table->node, table, capacity);
    if (!smaller)
        return;
    smaller->map = table->map;
    table->map->table = smaller;
    table->map->past_bits = snl_bits_ctz((uint64_t)table->capacity);
    table_retire(tree, table);
}

SNL_CORE bool
snl_hash_make_room(SnlTree *tree, int node, SnlHash *map, int64_t more)
{
    int64_t used = 0;
    uint64_t missing = 0;
    for (int64_t s = 0; map->table && s < map->table->stripe_count; s++)
        used += map->table->stripes[s].used;
    return (map->table && (used + more) * 2 <= map->table->capacity)
           || table_grow(tree, node, map, map->table, more, &missing);
}

/* The stripe of a hash in the table of a container, with its lock, and the table; NULL where there
 * is no table. */
SNL_INLINE SnlHashStripe *
stripe_lock(SnlHash *map, uint64_t hash, int n, SnlHashTable **table, bool alone)
{
    SnlHashStripe *stripe;
    while ((*table = SNL_LOAD(&map->table)) != NULL) {
        stripe = table_stripe(*table, hash);
        if (alone)
            return stripe;
        table_lock(*table, &stripe->lock, n);
        if (SNL_LOAD(&map->table) == *table)
            return stripe;
        snl_unlock(&stripe->lock);
    }
    return NULL;
}

SNL_FN void
stripe_unlock(SnlHashStripe *stripe, bool alone)
{
    if (!alone)
        snl_unlock(&stripe->lock);
}

/* Puts an element into the table of a container, which grows where it has to; gives the element
 * that is there then, or NULL without memory, of which *missing bytes could not be had. `entry` can
 * take it, if no other thread has changed the table since; NULL: there was no table. */
SNL_INLINE char *
hash_insert(SnlTree *tree, int node, SnlHash *map, uint64_t hash, const int64_t *coord, int n,
            SnlHashEntry *entry, char *element, uint64_t *missing)
{
    const bool alone = is_alone(tree);
    for (;;) {
        SnlHashTable *table;
        SnlHashStripe *stripe = stripe_lock(map, hash, n, &table, alone);
        if (stripe) {
            char *found = NULL;
            if (!alone || !entry)
                entry = snl_hash_seek(table, hash, coord, n, &found);
            if (!found && table_put(table, stripe, entry, hash, element, SNL_HASH_FULL))
                found = element;
            stripe_unlock(stripe, alone);
            if (SNL_LIKELY(found != NULL))
                return found;
        }
        entry = NULL;
        if (!table_grow(tree, node, map, table, 1, missing))
            return NULL;
    }
}

/* As snl_hash_make, where the number of axes may be a constant. */
SNL_INLINE void *
hash_make(SnlTree *tree, int node, void *container, uint64_t hash, const int64_t *coord, int n,
          SnlHashEntry *entry)
{
    SnlNode *nd = &tree->nodes[node];
    uint64_t missing = 0;
    char *element, *there;
    if (is_scratch(tree, node, container))
        return nd->scratch;
    element = (char *)pool_take(tree->rt, &nd->cells);  /* not while others wait: it may be
                                                             * written */
    if (!element || (uintptr_t)element >> SNL_ADDRESS_BITS)     /* no system of today has such */
        return snl_node_out_of_memory(tree, node, snl_pool_block_bytes(&nd->cells));
    for (int a = 0; a < n; a++)
        ((int64_t *)(void *)element)[a] = coord[a];
    there = hash_insert(tree, node, (SnlHash *)container, hash, coord, n, entry, element, &missing);
    if (there == element)
        snl_node_changed(nd);
    else        /* another thread was first, or memory is short */
        snl_pool_untake(tree->rt, &nd->cells, element);
    return there ? there + nd->key_bytes
                 : (char *)snl_node_out_of_memory(tree, node, missing);
}

/* Has the next collection look whether a table is much too large. */
SNL_FN void
note_thin(SnlTree *tree, SnlHashTable *table)
{
    SNL_STORE_RELAXED(&table->is_thin, true);
    SNL_STORE_RELAXED(&tree->has_thin, true);
}

/* As snl_hash_deactivate, where the number of axes may be a constant. */
SNL_INLINE void
hash_deactivate(SnlTree *tree, int node, void *container, const int64_t *coord, int n)
{
    SnlNode *nd = &tree->nodes[node];
    const uint64_t hash = snl_hash_of(coord, n);
    const bool alone = is_alone(tree);
    SnlHashTable *table;
    SnlHashStripe *stripe = stripe_lock((SnlHash *)container, hash, n, &table, alone);
    SnlHashEntry *entry;
    char *element;
    if (!stripe)
        return;
    entry = snl_hash_seek(table, hash, coord, n, &element);
    if (element) {
        SNL_STORE(entry, (SnlHashEntry)SNL_HASH_ERASED);
        SNL_STORE_RELAXED(&stripe->live, stripe->live - 1);
        if (stripe->live == 0 && table->capacity >= SNL_HASH_SHRINK_LEAST)
            note_thin(tree, table);
    }
    stripe_unlock(stripe, alone);
    if (!element)
        return;
    snl_node_changed(nd);
    recycle(tree, &nd->cells, element);
}

SNL_CORE void *
snl_hash_make(SnlTree *tree, int node, void *container, uint64_t hash, const int64_t *coord, int n,
              SnlHashEntry *entry)
{
    switch (SNL_CONSTANT_AXES(n)) {
    case 2: return hash_make(tree, node, container, hash, coord, 2, entry);
    case 3: return hash_make(tree, node, container, hash, coord, 3, entry);
    default: return hash_make(tree, node, container, hash, coord, n, entry);
    }
}

SNL_CORE void
snl_hash_deactivate(SnlTree *tree, int node, void *container, const int64_t *coord, int n)
{
    switch (SNL_CONSTANT_AXES(n)) {
    case 2: hash_deactivate(tree, node, container, coord, 2); break;
    case 3: hash_deactivate(tree, node, container, coord, 3); break;
    default: hash_deactivate(tree, node, container, coord, n); break;
    }
}

SNL_CORE_ONCE void
snl_hash_clear(SnlTree *tree, int node, void *container)
{
    SnlNode *n = &tree->nodes[node];
    SnlHash *map = (SnlHash *)container;
    SnlHashTable *table;
    Aside aside;
    if (!SNL_LOAD(&map->table))
        return;
    snl_lock(&map->lock);
    table = map->table;
    stripes_lock(table);
    if (table)
        map->past_bits = snl_bits_ctz((uint64_t)table->capacity);
    SNL_STORE(&map->table, (SnlHashTable *)NULL);
    stripes_unlock(table);
    snl_unlock(&map->lock);
    if (!table)
        return;
    aside_begin(&aside, tree, &n->cells);
    for (int64_t k = 0; k < table->capacity; k += SNL_HASH_STRIP) {
        char *elements[SNL_HASH_STRIP];
        const int64_t end = snl_smaller(k + SNL_HASH_STRIP, table->capacity);
        const int count = snl_hash_elements(table, k, end, elements);
        for (int at = 0; at < count; at++)
            aside_put(&aside, elements[at]);
    }
    aside_end(&aside);
    table_retire(tree, table);
    snl_node_changed(n);
}

#endif
