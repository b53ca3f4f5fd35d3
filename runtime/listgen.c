/* listgen.c - lists of active cells, level by level.
 *
 * The list of a node is made from that of its nearest ancestor whose cells are allocated one by
 * one (pointer, hash, dynamic), or from the root; between the two are dense and bitmasked nodes
 * only, which are walked.  Two passes, counting and filling, give memory order for any number of
 * threads: an item of work is an ancestor's cell, or a slice of its first container where there
 * are few.
 */
#include "tree.h"

#include <stdlib.h>

typedef enum { COUNT, FILL, CLEAR } Mode;

/* What the threads work on. */
typedef struct {
    SnlTree *tree;
    const int *path;            /* nodes below the ancestor, down to the one that is listed */
    int length;
    const SnlListEntry *parents;        /* cells of the ancestor, or NULL for the root */
    int64_t slices;             /* of the first container of each */
    int64_t *counts;            /* by item; before filling, the index of its first entry */
    SnlListEntry *entries;
    Mode mode;
} Gather;

/* Coordinates of a cell from those of its parent; false for padding. */
static bool
cell_coord(const SnlNode *n, int64_t cell, const int64_t *parent, int64_t *coord)
{
    const SnlNodeDesc *d = &n->desc;
    memcpy(coord, parent, SNL_AXES * sizeof *coord);
    for (int a = d->axis_count - 1; a >= 0; a--) {
        int shift = n->shift[a];
        int64_t index = shift >= 0 ? cell & (d->stored[a] - 1) : cell % d->stored[a];
        cell = shift >= 0 ? cell >> shift : cell / d->stored[a];
        if (index >= d->sizes[a])
            return false;
        coord[d->axes[a]] += parent[d->axes[a]] * (d->sizes[a] - 1) + index;
    }
    return true;
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
    int64_t count = 0;
    for (int64_t k = 0; block && k < block->length; k++) {
        char *chunk = (char *)block->chunks[k / d->chunk];
        if (!chunk) {
            k = (k / d->chunk + 1) * d->chunk - 1;      /* memory could not be had */
            continue;
        }
        if (out) {
            cell_coord(n, k, parent, out[count].coord);
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

/* Cells from ... to-1 of a pointer container, which is always the last; from is a multiple of 64. */
static int64_t
pointer_entries(const SnlNode *n, char *container, const int64_t *parent, int64_t from, int64_t to,
                SnlListEntry *out)
{
    char *const *slots = (char *const *)(void *)container;
    const uint64_t *mask = snl_node_mask(n, container);
    int64_t count = 0;
    for (int64_t w = from / 64; w * 64 < to; w++)
        for (uint64_t bits = mask[w]; bits; bits &= bits - 1) {
            int64_t k = w * 64 + __builtin_ctzll(bits);
            if (slots[k] && out) {
                cell_coord(n, k, parent, out[count].coord);
                out[count].cell = slots[k];
            }
            count += slots[k] != NULL;
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
    int64_t coord[SNL_AXES], count = 0;
    for (int64_t w = from / 64; w * 64 < to; w++) {
        if (!out && level == g->length - 1) {
            count += __builtin_popcountll(mask[w]);
            continue;
        }
        for (uint64_t bits = mask[w]; bits; bits &= bits - 1) {
            int64_t cell = w * 64 + __builtin_ctzll(bits);
            if (cell_coord(n, cell, parent, coord))
                count += visit_cell(g, level, container + cell * n->desc.cell_bytes, coord,
                                    out ? out + count : NULL);
        }
    }
    return count;
}

/* Visits the cells from ... to-1 of a container; returns how many entries there are below, which
 * are written where out is not NULL. */
static int64_t
visit(const Gather *g, int level, char *container, const int64_t *parent, int64_t from, int64_t to,
      SnlListEntry *out)
{
    int node = g->path[level];
    const SnlNode *n = &g->tree->nodes[node];
    int64_t coord[SNL_AXES], count = 0;
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
        return pointer_entries(n, container, parent, from, to, out);
    case SNL_BITMASKED:
        return visit_bitmasked(g, level, container, parent, from, to, out);
    default:
        break;
    }
    for (int64_t cell = from; cell < to; cell++)
        if (cell_coord(n, cell, parent, coord))
            count += visit_cell(g, level, container + cell * n->desc.cell_bytes, coord,
                                out ? out + count : NULL);
    return count;
}

/* Items of work from ... to-1. */
static void
gather_items(void *args, int64_t chunk, int64_t from, int64_t to)
{
    static const int64_t origin[SNL_AXES] = { 0 };
    const Gather *g = (const Gather *)args;
    const SnlNode *first = &g->tree->nodes[g->path[0]];
    bool sliced = is_sliced(first);
    int64_t words = sliced ? (first->desc.cell_count + 63) / 64 : 1;
    (void)chunk;
    for (int64_t item = from; item < to; item++) {
        const SnlListEntry *parent = g->parents ? &g->parents[item / g->slices] : NULL;
        char *container = parent ? parent->cell + first->desc.container_offset
                                 : g->tree->root[g->path[0]];
        int64_t slice = item % g->slices;
        int64_t start = snl_chunk_start(words, g->slices, slice) * 64;
        int64_t end = snl_chunk_start(words, g->slices, slice + 1) * 64;
        int64_t count;
        if (sliced && end > first->desc.cell_count)
            end = first->desc.cell_count;
        count = visit(g, 0, container, parent ? parent->coord : origin, start, end,
                      g->mode == FILL ? g->entries + g->counts[item] : NULL);
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
                   .parents = list ? list->entries : NULL };
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

/* Makes room for entries; false without memory. */
static bool
list_room(SnlTree *tree, SnlList *list, int64_t count)
{
    SnlListEntry *entries;
    if (count <= list->capacity && count >= list->capacity / 8)
        return true;
    snl_memory_put(tree->rt, list->entries, (size_t)list->capacity * sizeof *entries);
    list->entries = NULL;
    list->capacity = 0;
    entries = (SnlListEntry *)snl_memory_get(tree->rt, (size_t)count * sizeof *entries);
    if (!entries)
        return false;
    list->entries = entries;
    list->capacity = count;
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

const SnlList *
snl_tree_list(SnlTree *tree, int node)
{
    SnlList *list = &tree->nodes[node].list;
    int64_t stamp = path_stamp(tree, node);
    int64_t parents, items, total;
    Gather g;
    if (list->stamp >= stamp)
        return list;
    list->count = 0;
    list->stamp = 0;
    parents = gather_begin(tree, node, &g);
    g.slices = slice_count(tree, &g, parents);
    items = parents * g.slices;
    total = items > 0 ? gather_count(tree, &g, items) : 0;
    if (total > 0 && !list_room(tree, list, total)) {
        snl_fail_memory(tree->rt, "a list of cells", (uint64_t)total * sizeof(SnlListEntry));
        total = -1;
    }
    g.entries = list->entries;
    if (total > 0)
        gather_run(&g, items, FILL);
    snl_memory_put(tree->rt, g.counts, (size_t)items * sizeof *g.counts);
    if (total < 0)
        return list;
    list->count = total;
    list->stamp = stamp;
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
