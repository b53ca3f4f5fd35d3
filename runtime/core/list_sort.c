/* list_sort.c - entries of hash cells in order of their indices.
 *
 * The leading 64 bits of the indices, of which only those count in which cells differ, are sorted
 * byte by byte, the lowest first; what is equal after that is compared.
 */
#include <stdlib.h>

#include "list.h"

/* Fewer entries are compared: no memory is needed then. */
enum { SORTED_LEAST = 256 };

enum { BYTE_VALUES = 256, KEY_BYTES = 8, KEY_BITS = 64 };

/* How many cells ahead of their use indices are fetched. */
enum { FETCH_AHEAD = 16 };

/* What is moved in place of an entry. */
typedef struct {
    uint64_t key;
    char *cell;
} SortKey;

/* Where the bits of each index stand in a key. */
typedef struct {
    int64_t least[SNL_AXES];
    int dropped[SNL_AXES];      /* bits of the index that a key has no room for */
    int low[SNL_AXES];          /* and the place of the others */
    int axes;                   /* that there is room for */
    bool exact;                 /* keys have all bits */
} KeyPlan;

static int
compare_coord(const void *a, const void *b)
{
    const SnlListEntry *x = (const SnlListEntry *)a, *y = (const SnlListEntry *)b;
    int k = 0;
    while (k < SNL_AXES - 1 && x->coord[k] == y->coord[k])
        k++;
    return (x->coord[k] > y->coord[k]) - (x->coord[k] < y->coord[k]);
}

/* Bits in which the indices along an axis differ from the least of them. */
static int
index_bits(const SnlListEntry *entries, int64_t count, int axis, int64_t *least)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int64_t k = 0; k < count; k++) {
        int64_t index = entries[k].coord[axis];
        low = index < low ? index : low;
        high = index > high ? index : high;
    }
    *least = low;
    return high == low ? 0 : KEY_BITS - snl_bits_clz((uint64_t)high - (uint64_t)low);
}

static KeyPlan
plan_keys(const SnlListEntry *entries, int64_t count, int n)
{
    KeyPlan plan = {.exact = true};
    int room = KEY_BITS;
    for (int a = 0; a < n; a++) {
        int bits = index_bits(entries, count, a, &plan.least[a]);
        int kept = bits < room ? bits : room;
        plan.exact = plan.exact && kept == bits;
        plan.dropped[a] = bits - kept;
        room -= kept;
        plan.low[a] = room % KEY_BITS;
        if (kept > 0)
            plan.axes = a + 1;
    }
    return plan;
}

static uint64_t
key_of(const KeyPlan *plan, const SnlListEntry *entry)
{
    uint64_t key = 0;
    for (int a = 0; a < plan->axes; a++)
        key |= ((uint64_t)entry->coord[a] - (uint64_t)plan->least[a]) >> plan->dropped[a]
               << plan->low[a];
    return key;
}

/* Sorts keys by a byte of which there are so many of each value; `to` has room for all. */
static void
sort_byte(const SortKey *from, SortKey *to, int64_t count, int byte, const int64_t *counts)
{
    int64_t next[BYTE_VALUES], total = 0;
    for (int v = 0; v < BYTE_VALUES; v++) {
        next[v] = total;
        total += counts[v];
    }
    for (int64_t k = 0; k < count; k++)
        to[next[from[k].key >> 8 * byte & (BYTE_VALUES - 1)]++] = from[k];
}

/* Sorts keys; gives where they are then: in `keys`, or behind these, where there is room too. */
static SortKey *
sort_keys(SortKey *keys, int64_t count)
{
    int64_t counts[KEY_BYTES][BYTE_VALUES] = {{0}};
    SortKey *from = keys, *to = keys + count;
    for (int64_t k = 0; k < count; k++)
        for (int byte = 0; byte < KEY_BYTES; byte++)
            counts[byte][keys[k].key >> 8 * byte & (BYTE_VALUES - 1)]++;
    for (int byte = 0; byte < KEY_BYTES; byte++) {
        SortKey *other = from;
        if (counts[byte][keys[0].key >> 8 * byte & (BYTE_VALUES - 1)] == count)
            continue;
        sort_byte(from, to, count, byte, counts[byte]);
        from = to;
        to = other;
    }
    return from;
}

/* Compares entries whose keys are equal. */
static void
sort_equal(SnlListEntry *entries, const SortKey *keys, int64_t count)
{
    for (int64_t k = 0, end; k < count; k = end) {
        for (end = k + 1; end < count && keys[end].key == keys[k].key;)
            end++;
        if (end > k + 1)
            qsort(&entries[k], (size_t)(end - k), sizeof *entries, compare_coord);
    }
}

void
snl_entries_sort(SnlInstance *rt, SnlListEntry *entries, int64_t count, int n)
{
    const size_t bytes = (size_t)(2 * count) * sizeof(SortKey);
    SortKey *keys = NULL, *sorted;
    KeyPlan plan;
    if (count >= SORTED_LEAST)
        keys = (SortKey *)snl_memory_raw(rt, bytes);
    if (!keys) {
        qsort(entries, (size_t)count, sizeof *entries, compare_coord);
        return;
    }
    plan = plan_keys(entries, count, n);
    for (int64_t k = 0; k < count; k++)
        keys[k] = (SortKey){key_of(&plan, &entries[k]), entries[k].cell};
    sorted = sort_keys(keys, count);
    for (int64_t k = 0; k < count; k++) {
        const int64_t *indices = (const int64_t *)(const void *)sorted[k].cell - n;
        if (k + FETCH_AHEAD < count)
            SNL_PREFETCH(sorted[k + FETCH_AHEAD].cell - 1, 0, 3);
        entries[k].cell = sorted[k].cell;
        for (int a = 0; a < n; a++)
            entries[k].coord[a] = indices[a];
    }
    if (!plan.exact)
        sort_equal(entries, sorted, count);
    snl_memory_put(rt, keys, bytes);
}
