/* node_hash.h - verbs of hash nodes: as pointer nodes, for extents too large for a slot a cell.
 *
 * Included by tree.h. Cells are found by their n indices in the container, in storage order. A
 * table has stripes, by the hash of the indices. A thread that changes a stripe holds its lock, and
 * then looks whether the table is still that of the container. A thread that makes a larger table,
 * or takes the table away, holds the lock of the container and then the locks of all stripes.
 * Look-ups take no lock: an entry is one word, and an old table stays until the collection.
 */
#ifndef SNL_TREE_NODE_HASH_H
#define SNL_TREE_NODE_HASH_H

#ifdef __cplusplus
extern "C" {
#endif

/* Hash of indices: the place in a table is in its lower bits, what entries have of it in its upper
 * ones. */
SNL_FN uint64_t snl_hash_of(const int64_t *coord, int n)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int a = 0; a < n; a++) {
        h = (h ^ (uint64_t)coord[a]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

/* What entries have of a hash. */
SNL_FN uint64_t snl_hash_part(uint64_t hash)
{
    return (hash >> SNL_ADDRESS_BITS | 1) << SNL_ADDRESS_BITS;
}

/* True if an element has those indices. */
SNL_FN bool snl_hash_is_at(const void *element, const int64_t *coord, int n)
{
    const int64_t *own = (const int64_t *)element;
    bool same = true;
    for (int a = 0; a < n; a++)
        same = same && own[a] == coord[a];
    return same;
}

/* The rest of a search that has come to one entry of a stripe in vain. */
SNL_INLINE SnlHashEntry *
snl_hash_probe_on(const SnlHashTable *table, uint64_t hash, const int64_t *coord, int n, bool still,
                  char **element)
{
    const uint64_t part = snl_hash_part(hash);
    const int64_t mask = ((int64_t)1 << table->stripe_shift) - 1;
    int64_t at = (int64_t)hash & (table->capacity - 1);
    SnlHashEntry *const stripe = &table->entries[at & ~mask];
    SnlHashEntry *erased = NULL;
    for (at &= mask;; at = (at + 1) & mask) {
        const SnlHashEntry entry = still ? stripe[at] : SNL_LOAD(&stripe[at]);
        *element = (char *)(uintptr_t)(entry ^ part);
        if ((entry ^ part) >> SNL_ADDRESS_BITS == 0 && snl_hash_is_at(*element, coord, n))
            return &stripe[at];
        if (entry == 0) {
            *element = NULL;
            return erased ? erased : &stripe[at];
        }
        if (entry == SNL_HASH_ERASED && !erased)
            erased = &stripe[at];
    }
}

/* The entry with those indices; where there is none *element is NULL, and the entry is the first
 * that can take such an element. `still` where no thread changes the table. */
SNL_INLINE SnlHashEntry *
snl_hash_probe(const SnlHashTable *table, uint64_t hash, const int64_t *coord, int n, bool still,
               char **element)
{
    const uint64_t part = snl_hash_part(hash);
    SnlHashEntry *const first = &table->entries[(int64_t)hash & (table->capacity - 1)];
    const SnlHashEntry entry = still ? *first : SNL_LOAD(first);
    *element = (char *)(uintptr_t)(entry ^ part);
    if ((entry ^ part) >> SNL_ADDRESS_BITS == 0 && snl_hash_is_at(*element, coord, n))
        return first;
    if (entry == 0) {
        *element = NULL;
        return first;
    }
    return snl_hash_probe_on(table, hash, coord, n, still, element);
}

/* The same, where threads may change the table. */
SNL_FN SnlHashEntry *
snl_hash_seek(const SnlHashTable *table, uint64_t hash, const int64_t *coord, int n, char **element)
{
    return snl_hash_probe(table, hash, coord, n, false, element);
}

/* The cell with the indices of that hash, or NULL where it is not active. */
SNL_FN void *snl_hash_find_at(void *container, uint64_t hash, const int64_t *coord, int n)
{
    const SnlHashTable *table = SNL_LOAD(&((SnlHash *)container)->table);
    char *element = NULL;
    if (table)
        snl_hash_seek(table, hash, coord, n, &element);
    return element ? element + n * (int64_t)sizeof *coord : NULL;
}

/* The cell, or NULL where it is not active. */
SNL_FN void *snl_hash_find(void *container, const int64_t *coord, int n)
{
    return snl_hash_find_at(container, snl_hash_of(coord, n), coord, n);
}

/* What a loop does with cells whose entries it has fetched. */
typedef enum { SNL_HASH_READ, SNL_HASH_CHANGE, SNL_HASH_ADD } SnlHashUse;

/* Entries of the smallest tables whose cells are fetched: those that are going to be changed are
 * waited for even in the second cache, those that are read only behind it. */
enum { SNL_HASH_CHANGED_LEAST = 4096 };
#ifndef SNL_HASH_READ_LEAST /* tests have smaller tables */
#define SNL_HASH_READ_LEAST (1 << 18)
#endif

/* Entries that are fetched at once: whole strips of sums (SNL_LANES, SNL_TERMS); where there are no
 * sums, of those to be changed as many as the first cache keeps with all that comes with them.
 * Iterations that go without, where there was no need. */
enum { SNL_HASH_FETCHED = 128, SNL_HASH_FETCHED_TO_CHANGE = 32, SNL_HASH_UNFETCHED = 4096 };

/* Has the entry come into the caches at which the search for a cell begins, with what else is
 * changed there; NULL: there is no need. */
SNL_INLINE const SnlHashEntry *
snl_hash_fetch(const SnlHash *container, const int64_t *coord, int n, SnlHashUse use)
{
    const SnlHashTable *table = SNL_LOAD(&container->table);
    int64_t at;
    if (!table ||
        table->capacity < (use == SNL_HASH_READ ? SNL_HASH_READ_LEAST : SNL_HASH_CHANGED_LEAST))
        return NULL;
    at = (int64_t)snl_hash_of(coord, n) & (table->capacity - 1);
    if (use == SNL_HASH_READ) {
        snl_fetch(&table->entries[at], sizeof(SnlHashEntry));
        return &table->entries[at];
    }
    snl_fetch_to_write(&table->entries[at]);
    snl_fetch_to_write(&table->stripes[at >> table->stripe_shift]);
    return &table->entries[at];
}

/* Has the elements at such entries come; gives the number of iterations after which the next may
 * need that. */
SNL_INLINE int64_t
snl_hash_fetch_cells(const SnlHashEntry *const *entries, int64_t count, SnlHashUse use)
{
    bool any = false;
    if (use == SNL_HASH_ADD) return count;
    for (int64_t k = 0; k < count; k++)
        if (entries[k]) {
            const void *element = snl_hash_element(SNL_LOAD_RELAXED(entries[k]));
            /* NULL would be translated in vain */
            const void *at = element ? element : entries[k];
            any = true;
            if (use == SNL_HASH_READ)
                snl_fetch(at, 1);
            else
                snl_fetch_to_write(at);
        }
    return any ? count : (int64_t)SNL_HASH_UNFETCHED;
}

/* Makes room for more cells in a table, while nobody else uses it; false without memory. */
SNL_CORE bool snl_hash_make_room(SnlTree *tree, int node, SnlHash *map, int64_t more);

/* Activates a cell that was not active a moment ago, whose indices have that hash, and gives it;
 * `entry` could have taken it then, or is NULL. */
SNL_CORE void *snl_hash_make(SnlTree *tree, int node, void *container, uint64_t hash,
                             const int64_t *coord, int n, SnlHashEntry *entry);

/* Activates the cell and gives it. */
SNL_FN void *
snl_hash_activate(SnlTree *tree, int node, void *container, const int64_t *coord, int n)
{
    const uint64_t hash = snl_hash_of(coord, n);
    const SnlHashTable *table = SNL_LOAD(&((SnlHash *)container)->table);
    SnlHashEntry *entry = NULL;
    char *element = NULL;
    if (table)
        entry = snl_hash_seek(table, hash, coord, n, &element);
    return SNL_LIKELY(element != NULL)
               ? element + n * (int64_t)sizeof *coord
               : snl_hash_make(tree, node, container, hash, coord, n, entry);
}

/* Deactivates the cell; its memory goes to the collector. */
SNL_CORE void snl_hash_deactivate(SnlTree *tree, int node, void *container, const int64_t *coord,
                                  int n);

/* Puts a smaller table, with room for as many cells again, in the place of one, if that would do,
 * while nobody else uses the tree. Without memory it stays. */
SNL_CORE void snl_hash_shrink(SnlTree *tree, SnlHashTable *table);

/* Deactivates all cells. */
SNL_CORE void snl_hash_clear(SnlTree *tree, int node, void *container);

/* True if the cell is active. */
SNL_FN bool snl_hash_is_active(const SnlTree *tree, int node, void *container,
                               const int64_t *coord, int n)
{
    (void)tree;
    (void)node;
    return snl_hash_find(container, coord, n) != NULL;
}

/* The cell, to read; the ambient image where it is not active. */
SNL_FN void *snl_hash_lookup(const SnlTree *tree, int node, void *container,
                             const int64_t *coord, int n)
{
    void *found = snl_hash_find(container, coord, n);
    return found ? found : (void *)(uintptr_t)tree->nodes[node].ambient;
}

/* The same, where no thread changes activity: a GPU need not forget what it has read before. */
SNL_FN void *snl_hash_lookup_still(const SnlTree *tree, int node, void *container,
                                   const int64_t *coord, int n)
{
    const SnlHashTable *table = ((const SnlHash *)container)->table;
    char *element = NULL;
    if (table)
        snl_hash_probe(table, snl_hash_of(coord, n), coord, n, true, &element);
    return element ? element + n * (int64_t)sizeof *coord
                   : (void *)(uintptr_t)tree->nodes[node].ambient;
}

/* A cell that one place of a loop found. */
typedef struct {
    const void *container;      /* NULL: none so far */
    void *cell;                 /* its indices lie before it */
} SnlHashFound;

/* The two cells that it found last, as a loop over the cells of a block goes to and fro between it
 * and the next one. The loop deactivates nothing, so they are still there. */
typedef struct {
    SnlHashFound last, other;
} SnlHashNear;

/* True if that is the cell. */
SNL_FN bool
snl_hash_is_that(const SnlHashFound *found, const void *container, const int64_t *coord, int n)
{
    return found->container == container &&
           snl_hash_is_at((const int64_t *)found->cell - n, coord, n);
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
SNL_FN void *snl_hash_keep(SnlHashNear *near, const void *container, void *cell)
{
    near->other = near->last;
    near->last.container = container;
    near->last.cell = cell;
    return cell;
}

/* As snl_hash_lookup, for a place of a loop; an inactive cell is looked for again. */
SNL_FN void *
snl_hash_lookup_near(const SnlTree *tree, int node, void *container, const int64_t *coord, int n,
                     SnlHashNear *near)
{
    void *cell = snl_hash_recall(near, container, coord, n);
    if (SNL_LIKELY(cell != NULL))
        return cell;
    cell = snl_hash_find(container, coord, n);
    return cell ? snl_hash_keep(near, container, cell)
                : (void *)(uintptr_t)tree->nodes[node].ambient;
}

/* As snl_hash_activate, for a place of a loop. */
SNL_FN void *
snl_hash_activate_near(SnlTree *tree, int node, void *container, const int64_t *coord, int n,
                       SnlHashNear *near)
{
    void *cell = snl_hash_recall(near, container, coord, n);
    if (SNL_LIKELY(cell != NULL))
        return cell;
    cell = snl_hash_activate(tree, node, container, coord, n);
    return cell != tree->nodes[node].scratch ? snl_hash_keep(near, container, cell) : cell;
}

#ifdef __cplusplus
}
#endif

#endif
