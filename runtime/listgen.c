/* listgen.c - lists of active cells, level by level.
 *
 * The list of a node is made from that of its nearest ancestor whose cells are allocated one by
 * one (pointer, hash, dynamic), or from the root; between the two are dense and bitmasked nodes
 * only, which are walked.  An item of work is an ancestor's cell, or a slice of its first container
 * where there are few.  One thread goes through the items once; several go through all of them
 * twice, counting and filling.  So the order is that in memory for any number of threads.
 */
#include "stats.h"

#include <stdlib.h>

/* Lists that are made by one thread: from so many cells at most, of which so many are active. */
enum { SERIAL_CELLS = 1 << 22, SERIAL_ENTRIES = 1 << 14 };

/* As good as infinitely many. */
enum { MANY_CELLS = 1 << 30 };

/* How many items ahead of their use masks are fetched. */
enum { FETCH_AHEAD = 16 };

typedef enum { COUNT, FILL, CLEAR } Mode;

/* How the coordinates of a cell of a node come about, where sizes are powers of two: by axis of the
 * path, size * coordinate of the cell above + some bits of the cell's number. */
typedef struct {
    int count;                  /* of axes; 0: sizes are others */
    int axis[SNL_AXES];
    int low[SNL_AXES];
    int64_t mask[SNL_AXES], size[SNL_AXES];
} Digits;

/* What the threads work on. */
typedef struct {
    SnlTree *tree;
    const int *path;            /* nodes below the ancestor, down to the one that is listed */
    int length;
    const SnlListEntry *parents;        /* cells of the ancestor, or NULL for the root */
    int64_t slices;             /* of the first container of each */
    int64_t *counts;            /* by item; before filling, the index of its first entry */
    SnlListEntry *entries;
    bool pointers;              /* the first container is a pointer one, and thus the last */
    Digits digits;              /* then: of its node */
    Mode mode;
} Gather;

/* Coordinates of the first cell of a container from those of the cell it lies in. */
static void
first_coord(const SnlNode *n, const int64_t *parent, int64_t *coord)
{
    const SnlNodeDesc *d = &n->desc;
    memcpy(coord, parent, SNL_AXES * sizeof *coord);
    for (int a = 0; a < d->axis_count; a++)
        coord[d->axes[a]] *= d->sizes[a];
}

/* Coordinates of a cell from those of the first; false for padding. */
static bool
cell_coord(const SnlNode *n, int64_t cell, const int64_t *first, int64_t *coord)
{
    const SnlNodeDesc *d = &n->desc;
    memcpy(coord, first, SNL_AXES * sizeof *coord);
    for (int a = d->axis_count - 1; a >= 0; a--) {
        int64_t index;
        if (n->low_bit[0] >= 0) {
            index = cell >> n->low_bit[a] & (d->stored[a] - 1);
        } else {
            index = cell % d->stored[a];
            cell /= d->stored[a];
        }
        if (index >= d->sizes[a])
            return false;
        coord[d->axes[a]] += index;
    }
    return true;
}

/* Fills in the digits of a node. */
static void
init_digits(const SnlNode *n, Digits *d)
{
    memset(d, 0, sizeof *d);
    for (int axis = 0; n->low_bit[0] >= 0 && axis < SNL_AXES; axis++) {
        if (!(n->path_axes >> axis & 1))
            continue;
        d->axis[d->count] = axis;
        d->size[d->count] = 1;
        for (int a = 0; a < n->desc.axis_count; a++)
            if (n->desc.axes[a] == axis) {
                d->low[d->count] = n->low_bit[a];
                d->mask[d->count] = n->desc.stored[a] - 1;
                d->size[d->count] = n->desc.sizes[a];
            }
        d->count++;
    }
}

static int
compare_coord(const void *a, const void *b)
{
    const SnlListEntry *x = (const SnlListEntry *)a, *y = (const SnlListEntry *)b;
    for (int k = 0; k < SNL_AXES; k++)
        if (x->coord[k] != y->coord[k])
            return x->coord[k] < y->coord[k] ? -1 : 1;
    return 0;
}

/* Cells of a hash container, in order of their indices as stored.  While they are sorted, coord
 * holds these indices. */
static int64_t
hash_entries(const SnlNode *n, void *container, const int64_t *parent, SnlListEntry *out)
{
    const SnlHashTable *table = ((const SnlHash *)container)->table;
    const SnlNodeDesc *d = &n->desc;
    int64_t count = 0;
    if (!table || !out)
        return table ? table->live : 0;
    for (int64_t k = 0; k < table->capacity; k++) {
        char *element = (char *)table->entries[k].element;
        if (!element)
            continue;
        memset(&out[count], 0, sizeof out[count]);
        memcpy(out[count].coord, element, (size_t)n->key_bytes);
        out[count++].cell = element + n->key_bytes;
    }
    qsort(out, (size_t)count, sizeof *out, compare_coord);
    for (int64_t k = 0; k < count; k++) {
        int64_t index[SNL_AXES];
        memcpy(index, out[k].coord, sizeof index);
        memcpy(out[k].coord, parent, sizeof index);
        for (int a = 0; a < d->axis_count; a++)
            out[k].coord[d->axes[a]] = parent[d->axes[a]] * d->sizes[a] + index[a];
    }
    return count;
}

/* Cells of a dynamic container. */
static int64_t
dynamic_entries(const SnlNode *n, void *container, const int64_t *parent, SnlListEntry *out)
{
    const SnlDynamicBlock *block = ((const SnlDynamic *)container)->block;
    const SnlNodeDesc *d = &n->desc;
    int64_t first[SNL_AXES], count = 0;
    first_coord(n, parent, first);
    for (int64_t k = 0; block && k < block->length; k++) {
        char *chunk = (char *)block->chunks[k / d->chunk];
        if (!chunk) {
            k = (k / d->chunk + 1) * d->chunk - 1;      /* memory could not be had */
            continue;
        }
        if (out) {
            cell_coord(n, k, first, out[count].coord);
            out[count].cell = chunk + k % d->chunk * d->cell_bytes;
        }
        count++;
    }
    return count;
}

/* True for nodes whose containers are gone through in parts. */
static bool
is_sliced(const SnlNode *n)
{
    return n->desc.kind <= SNL_POINTER;
}

static int64_t visit(const Gather *g, int level, char *container, const int64_t *parent,
                     int64_t from, int64_t to, SnlListEntry *out);

/* A cell on the way: an entry at the last level, else what lies below. */
static int64_t
visit_cell(const Gather *g, int level, char *cell, const int64_t *coord, SnlListEntry *out)
{
    const SnlNode *below;
    if (level == g->length - 1) {
        if (out) {
            out->cell = cell;
            memcpy(out->coord, coord, sizeof out->coord);
        }
        return 1;
    }
    below = &g->tree->nodes[g->path[level + 1]];
    return visit(g, level + 1, cell + below->desc.container_offset, coord, 0,
                 below->desc.cell_count, out);
}

/* The first of some mask words that is not zero, or end. */
static inline const uint64_t *
next_word(const uint64_t *mask, const uint64_t *end)
{
    while (end - mask >= 4 && !(mask[0] | mask[1] | mask[2] | mask[3]))
        mask += 4;
    while (mask < end && !*mask)
        mask++;
    return mask;
}

/* Cells from ... to-1 of a pointer container, which is always the last; from is a multiple of 64.
 * Of an entry only the axes of the path are written: the others stay zero. */
static int64_t
pointer_entries(const SnlNode *n, const Digits *d, char *container, const int64_t *parent,
                int64_t from, int64_t to, SnlListEntry *out)
{
    char *const *slots = (char *const *)(void *)container;
    const uint64_t *start = snl_node_mask(n, container), *end = start + (to + 63) / 64;
    const uint64_t *at = next_word(start + from / 64, end);
    int64_t first[SNL_AXES], count = 0;
    if (d->count == 0)
        first_coord(n, parent, first);
    for (int a = 0; a < d->count; a++)
        first[a] = parent[d->axis[a]] * d->size[a];
    for (; at < end; at = next_word(at + 1, end))
        for (uint64_t bits = *at; bits; bits &= bits - 1) {
            int64_t k = (at - start) * 64 + __builtin_ctzll(bits);
            char *cell = slots[k];
            if (!cell)
                continue;
            if (out) {
                out[count].cell = cell;
                for (int a = 0; a < d->count; a++)
                    out[count].coord[d->axis[a]] = first[a] + (k >> d->low[a] & d->mask[a]);
                if (d->count == 0)
                    cell_coord(n, k, first, out[count].coord);
            }
            count++;
        }
    return count;
}

/* Visits the active cells from ... to-1 of a bitmasked container; from is a multiple of 64. */
static int64_t
visit_bitmasked(const Gather *g, int level, char *container, const int64_t *parent, int64_t from,
                int64_t to, SnlListEntry *out)
{
    int node = g->path[level];
    const SnlNode *n = &g->tree->nodes[node];
    const uint64_t *mask = snl_bitmasked_mask(g->tree, node, container);
    int64_t coord[SNL_AXES], start[SNL_AXES], count = 0;
    first_coord(n, parent, start);
    for (int64_t w = from / 64; w * 64 < to; w++) {
        if (!out && level == g->length - 1) {
            count += __builtin_popcountll(mask[w]);
            continue;
        }
        for (uint64_t bits = mask[w]; bits; bits &= bits - 1) {
            int64_t cell = w * 64 + __builtin_ctzll(bits);
            if (cell_coord(n, cell, start, coord))
                count += visit_cell(g, level, container + cell * n->desc.cell_bytes, coord,
                                    out ? out + count : NULL);
        }
    }
    return count;
}

/* Visits the cells from ... to-1 of a dense container. */
static int64_t
visit_dense(const Gather *g, int level, char *container, const int64_t *parent, int64_t from,
            int64_t to, SnlListEntry *out)
{
    const SnlNode *n = &g->tree->nodes[g->path[level]];
    int64_t coord[SNL_AXES], start[SNL_AXES], count = 0;
    first_coord(n, parent, start);
    for (int64_t cell = from; cell < to; cell++)
        if (cell_coord(n, cell, start, coord))
            count += visit_cell(g, level, container + cell * n->desc.cell_bytes, coord,
                                out ? out + count : NULL);
    return count;
}

/* Visits the cells from ... to-1 of a container; returns how many entries there are below, which
 * are written where out is not NULL. */
static int64_t
visit(const Gather *g, int level, char *container, const int64_t *parent, int64_t from, int64_t to,
      SnlListEntry *out)
{
    static const Digits no_digits = { 0 };
    int node = g->path[level];
    const SnlNode *n = &g->tree->nodes[node];
    if (g->mode == CLEAR && level == g->length - 1) {
        if (n->desc.kind == SNL_BITMASKED || n->desc.kind == SNL_POINTER)
            snl_container_clear_part(g->tree, node, container, from, to);
        else
            snl_container_clear(g->tree, node, container);
        return 0;
    }
    switch (n->desc.kind) {
    case SNL_HASH:
        return hash_entries(n, container, parent, out);
    case SNL_DYNAMIC:
        return dynamic_entries(n, container, parent, out);
    case SNL_POINTER:
        return pointer_entries(n, level == 0 ? &g->digits : &no_digits, container, parent, from, to,
                               out);
    case SNL_BITMASKED:
        return visit_bitmasked(g, level, container, parent, from, to, out);
    default:
        return visit_dense(g, level, container, parent, from, to, out);
    }
}

/* The container that an item lies in; *coord are those of the cell around it. */
static char *
item_container(const Gather *g, int64_t item, const int64_t **coord)
{
    static const int64_t origin[SNL_AXES] = { 0 };
    const SnlListEntry *parent;
    *coord = origin;
    if (!g->parents)
        return g->tree->root[g->path[0]];
    parent = &g->parents[g->slices == 1 ? item : item / g->slices];
    *coord = parent->coord;
    return parent->cell + g->tree->nodes[g->path[0]].desc.container_offset;
}

/* Goes through an item; gives the number of entries, which are written where out is not NULL. */
static int64_t
gather_item(const Gather *g, int64_t item, SnlListEntry *out)
{
    int64_t cells = g->tree->nodes[g->path[0]].desc.cell_count, words = (cells + 63) / 64;
    int64_t from = 0, to = cells;
    const int64_t *coord;
    char *container = item_container(g, item, &coord);
    if (g->slices > 1) {
        from = snl_chunk_start(words, g->slices, item % g->slices) * 64;
        to = snl_chunk_start(words, g->slices, item % g->slices + 1) * 64;
        to = to < cells ? to : cells;
    }
    return visit(g, 0, container, coord, from, to, out);
}

/* Has the masks of an item fetched that comes later: they lie apart, so that the cache has no other
 * hint. */
static void
fetch_item(const Gather *g, int64_t item, int64_t items)
{
    const int64_t *coord;
    if (g->pointers && g->slices == 1 && item + FETCH_AHEAD < items)
        __builtin_prefetch(snl_node_mask(&g->tree->nodes[g->path[0]],
                                         item_container(g, item + FETCH_AHEAD, &coord)));
}

/* Items of work from ... to-1. */
static void
gather_items(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Gather *g = (const Gather *)args;
    (void)chunk;
    for (int64_t item = from; item < to; item++) {
        int64_t count;
        fetch_item(g, item, to);
        count = gather_item(g, item, g->mode == FILL ? g->entries + g->counts[item] : NULL);
        if (g->mode == COUNT)
            g->counts[item] = count;
    }
}

/* Slices of the first container, so that there is work for all threads. */
static int64_t
slice_count(const SnlTree *tree, const Gather *g, int64_t parents)
{
    const SnlNode *first = &tree->nodes[g->path[0]];
    int64_t words = (first->desc.cell_count + 63) / 64, wanted;
    if (!is_sliced(first) || parents == 0)
        return 1;
    wanted = (SNL_CHUNKS_MAX + parents - 1) / parents;
    return wanted < words ? wanted : words;
}

/* Runs a pass over all items. */
static void
gather_run(Gather *g, int64_t items, Mode mode)
{
    g->mode = mode;
    snl_parallel_for(g->tree->rt, items, snl_chunk_count(items, 1), gather_items, g);
}

/* Prepares the path; returns the number of the ancestor's cells, 1 for the root. */
static int64_t
gather_begin(SnlTree *tree, int node, Gather *g)
{
    const SnlList *list = NULL;
    int at = node, ancestor = tree->nodes[node].desc.parent, length = 1;
    for (; ancestor >= 0 && tree->nodes[ancestor].desc.kind < SNL_POINTER; length++)
        ancestor = tree->nodes[ancestor].desc.parent;
    if (ancestor >= 0)
        list = snl_tree_list(tree, ancestor);
    for (int k = length - 1; k >= 0; k--, at = tree->nodes[at].desc.parent)
        tree->path[k] = at;
    *g = (Gather){ .tree = tree, .path = tree->path, .length = length, .slices = 1,
                   .parents = list ? list->entries : NULL,
                   .pointers = tree->nodes[tree->path[0]].desc.kind == SNL_POINTER };
    if (g->pointers)
        init_digits(&tree->nodes[tree->path[0]], &g->digits);
    return list ? list->count : 1;
}

/* Stamp of the last change on the path of a node. */
static int64_t
path_stamp(SnlTree *tree, int node)
{
    int64_t stamp = 0;
    for (; node >= 0; node = tree->nodes[node].desc.parent) {
        SnlNode *n = &tree->nodes[node];
        if (n->changed) {
            n->changed = 0;
            n->stamp = ++tree->stamp;
        }
        if (n->stamp > stamp)
            stamp = n->stamp;
    }
    return stamp;
}

/* Gives the list room for `capacity` entries, of which it keeps the first; false without memory. */
static bool
list_resize(SnlTree *tree, SnlList *list, int64_t capacity, int64_t kept)
{
    SnlListEntry *entries = NULL;
    if (capacity > 0) {
        entries = (SnlListEntry *)snl_memory_get(tree->rt, (size_t)capacity * sizeof *entries);
        if (!entries) {
            snl_fail_memory(tree->rt, "a list of cells", (uint64_t)capacity * sizeof *entries);
            return false;
        }
    }
    if (kept > 0)
        memcpy(entries, list->entries, (size_t)kept * sizeof *entries);
    snl_memory_put(tree->rt, list->entries, (size_t)list->capacity * sizeof *entries);
    list->entries = entries;
    list->capacity = capacity;
    return true;
}

/* Counts the entries of each item, sums them up; returns the total, or -1 without memory for the
 * counts, which the caller releases. */
static int64_t
gather_count(SnlTree *tree, Gather *g, int64_t items)
{
    int64_t total = 0;
    g->counts = (int64_t *)snl_memory_get(tree->rt, (size_t)items * sizeof *g->counts);
    if (!g->counts) {
        snl_fail_memory(tree->rt, "a list of cells", (uint64_t)items * sizeof *g->counts);
        return -1;
    }
    gather_run(g, items, COUNT);
    for (int64_t k = 0; k < items; k++) {
        int64_t count = g->counts[k];
        g->counts[k] = total;
        total += count;
    }
    return total;
}

/* Makes the list with all threads; gives the number of entries, or -1 without memory. */
static int64_t
list_parallel(SnlTree *tree, Gather *g, SnlList *list, int64_t parents)
{
    int64_t items, total;
    g->slices = slice_count(tree, g, parents);
    items = parents * g->slices;
    total = gather_count(tree, g, items);
    if (total > list->capacity || (total >= 0 && total < list->capacity / 8))
        total = list_resize(tree, list, total, 0) ? total : -1;
    g->entries = list->entries;
    if (total > 0)
        gather_run(g, items, FILL);
    snl_memory_put(tree->rt, g->counts, (size_t)items * sizeof *g->counts);
    return total;
}

/* At most so many cells are below a cell of the ancestor, at the level that is listed. */
static int64_t
cells_below(const SnlTree *tree, const Gather *g)
{
    int64_t cells = 1;
    for (int k = 0; k < g->length; k++) {
        const SnlNodeDesc *d = &tree->nodes[g->path[k]].desc;
        int64_t count = d->kind == SNL_HASH ? MANY_CELLS : d->cell_count;
        cells = cells < MANY_CELLS / count ? cells * count : MANY_CELLS;
    }
    return cells;
}

/* The same as list_serial for pointer containers right below the cells of the ancestor, as long as
 * there is room without asking; gives the item where it stopped. */
static int64_t
pointers_serial(const Gather *g, SnlList *list, int64_t item, int64_t parents, int64_t below,
                int64_t most, int64_t *total)
{
    const SnlNode *n = &g->tree->nodes[g->path[0]];
    int64_t offset = n->desc.container_offset, cells = n->desc.cell_count, done = *total;
    if (most > list->capacity - below)
        most = list->capacity - below;
    for (; item < parents && done <= most; item++) {
        const SnlListEntry *parent = &g->parents[item];
        if (item + FETCH_AHEAD < parents)
            __builtin_prefetch(snl_node_mask(n, parent[FETCH_AHEAD].cell + offset));
        done += pointer_entries(n, &g->digits, parent->cell + offset, parent->coord, 0, cells,
                                list->entries + done);
    }
    *total = done;
    return item;
}

/* Makes the list with one thread, unless it gets longer than `most`; gives the number of entries,
 * more than `most` where it stopped, or -1 without memory. */
static int64_t
list_serial(SnlTree *tree, Gather *g, SnlList *list, int64_t parents, int64_t most)
{
    int64_t below = cells_below(tree, g), total = 0;
    for (int64_t item = 0; item < parents && total <= most; item++) {
        if (g->pointers && g->parents && list->capacity - total >= below) {
            item = pointers_serial(g, list, item, parents, below, most, &total) - 1;
            continue;
        }
        if (list->capacity - total < below) {
            g->mode = COUNT;
            int64_t count = gather_item(g, item, NULL);
            if (list->capacity - total < count
                && !list_resize(tree, list, 2 * (total + count), total))
                return -1;
            g->mode = FILL;
        }
        total += gather_item(g, item, list->entries + total);
    }
    if (total < list->capacity / 8 && !list_resize(tree, list, total, total))
        return -1;
    return total;
}

const SnlList *
snl_tree_list(SnlTree *tree, int node)
{
    SnlList *list = &tree->nodes[node].list;
    int64_t stamp = path_stamp(tree, node), most = SERIAL_ENTRIES, parents, total;
    double start;
    Gather g;
    if (list->stamp >= stamp)
        return list;
    start = snl_event_begin(tree->rt);
    list->count = 0;
    list->stamp = 0;
    parents = gather_begin(tree, node, &g);
    if (tree->rt->threads <= 1)
        most = INT64_MAX;
    g.mode = FILL;
    total = most == INT64_MAX || parents < SERIAL_CELLS / cells_below(tree, &g)
            ? list_serial(tree, &g, list, parents, most) : most + 1;
    if (total > most)
        total = list_parallel(tree, &g, list, parents);
    if (total < 0)
        return list;
    list->count = total;
    list->stamp = stamp;
    snl_event_end(tree->rt, SNL_EVENT_LIST, tree->nodes[node].desc.name, total, start);
    return list;
}

SnlSnapshot
snl_snapshot(SnlTree *tree, int node)
{
    const SnlList *list = snl_tree_list(tree, node);
    SnlSnapshot s = {tree->rt, 0, NULL};
    size_t bytes = (size_t)list->count * sizeof *list->entries;
    if (list->count == 0)
        return s;
    s.entries = (SnlListEntry *)snl_memory_get(tree->rt, bytes);
    if (!s.entries) {
        snl_fail_memory(tree->rt, "a copy of a list of cells", bytes);
        return s;
    }
    memcpy(s.entries, list->entries, bytes);
    s.count = list->count;
    return s;
}

void
snl_snapshot_end(SnlSnapshot *s)
{
    snl_memory_put(s->rt, s->entries, (size_t)s->count * sizeof *s->entries);
}

int64_t
snl_tree_active(SnlTree *tree, int node)
{
    const SnlList *list = &tree->nodes[node].list;
    int64_t parents, items, total;
    Gather g;
    if (list->stamp >= path_stamp(tree, node))
        return list->count;
    parents = gather_begin(tree, node, &g);
    g.slices = slice_count(tree, &g, parents);
    items = parents * g.slices;
    if (items == 0)
        return 0;
    total = gather_count(tree, &g, items);
    snl_memory_put(tree->rt, g.counts, (size_t)items * sizeof *g.counts);
    return total < 0 ? 0 : total;
}

void
snl_tree_deactivate_all(SnlTree *tree, int node)
{
    Gather g;
    int64_t parents = gather_begin(tree, node, &g);
    g.mode = CLEAR;
    g.slices = slice_count(tree, &g, parents);
    gather_run(&g, parents * g.slices, CLEAR);
}
