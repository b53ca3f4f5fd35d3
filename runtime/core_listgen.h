/* core_listgen.h - going through the active cells of a node, on either side; see core.h.
 *
 * The cells of a node are found from those of its nearest ancestor whose cells are allocated one by
 * one (pointer, hash, dynamic), or from the root; between the two are dense and bitmasked nodes
 * only, which are walked.  An item of work is an ancestor's cell, or a slice of its first container
 * where there are few.  Items stand in order of memory.  listgen.c and gpu_list.h make lists with it.
 */
#ifndef SNL_CORE_LISTGEN_H
#define SNL_CORE_LISTGEN_H

#include <stdlib.h>

#include "tree.h"

typedef enum { SNL_COUNT, SNL_FILL, SNL_CLEAR } SnlGatherMode;

/* How the coordinates of a cell of a node come about, where sizes are powers of two: by axis of the
 * path, size * coordinate of the cell above + some bits of the cell's number. */
typedef struct {
    int count;                  /* of axes; 0: sizes are others */
    int axis[SNL_AXES];
    int low[SNL_AXES];
    int64_t mask[SNL_AXES], size[SNL_AXES];
} SnlDigits;

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
    SnlDigits digits;           /* of the node that is listed, where it is a pointer one */
    SnlGatherMode mode;
    int64_t origin[SNL_AXES];   /* zeros */
} SnlGather;

/* Coordinates of the first cell of a container from those of the cell it lies in. */
SNL_FN void
first_coord(const SnlNode *n, const int64_t *parent, int64_t *coord)
{
    const SnlNodeDesc *d = &n->desc;
    memcpy(coord, parent, SNL_AXES * sizeof *coord);
    for (int a = 0; a < d->axis_count; a++)
        coord[d->axes[a]] *= d->sizes[a];
}

/* Coordinates of a cell from those of the first; false for padding. */
SNL_FN bool
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
SNL_FN void
init_digits(const SnlNode *n, SnlDigits *d)
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

/* Order of cells of one hash container by their indices. */
static inline int
compare_coord(const void *a, const void *b)
{
    const SnlListEntry *x = (const SnlListEntry *)a, *y = (const SnlListEntry *)b;
    for (int k = 0; k < SNL_AXES; k++)
        if (x->coord[k] != y->coord[k])
            return x->coord[k] < y->coord[k] ? -1 : 1;
    return 0;
}

/* Cells from ... to-1 of the table of a hash container.  On the CPU they are put in order of their
 * indices as stored; while they are sorted, coord holds these indices.  On a GPU the whole list is
 * sorted later. */
SNL_ONCE int64_t
hash_entries(const SnlNode *n, void *container, const int64_t *parent, int64_t from, int64_t to,
             SnlListEntry *out)
{
    const SnlHashTable *table = ((const SnlHash *)container)->table;
    const SnlNodeDesc *d = &n->desc;
    int64_t count = 0;
    if (!table)
        return 0;
    if (!out && from == 0 && to >= table->capacity)
        return snl_hash_live(table);
    for (int64_t k = from; k < to && k < table->capacity; k++) {
        char *element = (char *)table->entries[k].element;
        if (element && out) {
            memset(&out[count], 0, sizeof out[count]);
            memcpy(out[count].coord, element, (size_t)n->key_bytes);
            out[count].cell = element + n->key_bytes;
        }
        count += element != NULL;
    }
    if (!out)
        return count;
    SNL_SPLIT((void)0, qsort(out, (size_t)count, sizeof *out, compare_coord));
    for (int64_t k = 0; k < count; k++) {
        int64_t index[SNL_AXES];
        memcpy(index, out[k].coord, sizeof index);
        memcpy(out[k].coord, parent, sizeof index);
        for (int a = 0; a < d->axis_count; a++)
            out[k].coord[d->axes[a]] = parent[d->axes[a]] * d->sizes[a] + index[a];
    }
    return count;
}

/* Cells from ... to-1 of a dynamic container. */
SNL_ONCE int64_t
dynamic_entries(const SnlNode *n, void *container, const int64_t *parent, int64_t from, int64_t to,
                SnlListEntry *out)
{
    const SnlDynamicBlock *block = ((const SnlDynamic *)container)->block;
    const SnlNodeDesc *d = &n->desc;
    int64_t first[SNL_AXES], count = 0;
    if (!block)
        return 0;
    if (to > block->length)
        to = block->length;
    first_coord(n, parent, first);
    for (int64_t k = from; k < to; k++) {
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

SNL_ONCE int64_t visit(const SnlGather *g, int level, char *container, const int64_t *parent,
                     int64_t from, int64_t to, SnlListEntry *out);

/* Places of a container that are gone through: cells, or entries of a table. */
SNL_FN int64_t
places_in(const SnlNode *n, const char *container)
{
    const SnlHashTable *table;
    if (n->desc.kind != SNL_HASH)
        return n->desc.cell_count;
    table = ((const SnlHash *)(const void *)container)->table;
    return table ? table->capacity : 0;
}

/* A cell on the way: an entry at the last level, else what lies below. */
SNL_FN int64_t
visit_cell(const SnlGather *g, int level, char *cell, const int64_t *coord, SnlListEntry *out)
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
    cell += below->desc.container_offset;
    return visit(g, level + 1, cell, coord, 0, places_in(below, cell), out);
}

/* The first of some mask words that is not zero, or end. */
SNL_FN const uint64_t *
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
SNL_ONCE int64_t
pointer_entries(const SnlNode *n, const SnlDigits *d, char *container, const int64_t *parent,
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
            int64_t k = (at - start) * 64 + snl_bits_ctz(bits);
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
SNL_FN int64_t
visit_bitmasked(const SnlGather *g, int level, char *container, const int64_t *parent, int64_t from,
                int64_t to, SnlListEntry *out)
{
    int node = g->path[level];
    const SnlNode *n = &g->tree->nodes[node];
    const uint64_t *mask = snl_bitmasked_mask(g->tree, node, container);
    int64_t coord[SNL_AXES], start[SNL_AXES], count = 0;
    first_coord(n, parent, start);
    for (int64_t w = from / 64; w * 64 < to; w++) {
        if (!out && level == g->length - 1) {
            count += snl_bits_popcount(mask[w]);
            continue;
        }
        for (uint64_t bits = mask[w]; bits; bits &= bits - 1) {
            int64_t cell = w * 64 + snl_bits_ctz(bits);
            if (cell_coord(n, cell, start, coord))
                count += visit_cell(g, level, container + cell * n->desc.cell_bytes, coord,
                                    out ? out + count : NULL);
        }
    }
    return count;
}

/* Visits the cells from ... to-1 of a dense container. */
SNL_FN int64_t
visit_dense(const SnlGather *g, int level, char *container, const int64_t *parent, int64_t from,
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
SNL_ONCE int64_t
visit(const SnlGather *g, int level, char *container, const int64_t *parent, int64_t from, int64_t to,
      SnlListEntry *out)
{
    int node = g->path[level];
    const SnlNode *n = &g->tree->nodes[node];
    if (g->mode == SNL_CLEAR && level == g->length - 1) {
        if (n->desc.kind == SNL_BITMASKED || n->desc.kind == SNL_POINTER)
            snl_container_clear_part(g->tree, node, container, from, to);
        else
            snl_container_clear(g->tree, node, container);
        return 0;
    }
    switch (n->desc.kind) {
    case SNL_HASH:
        return hash_entries(n, container, parent, from, to, out);
    case SNL_DYNAMIC:
        return dynamic_entries(n, container, parent, from, to, out);
    case SNL_POINTER:
        return pointer_entries(n, &g->digits, container, parent, from, to, out);
    case SNL_BITMASKED:
        return visit_bitmasked(g, level, container, parent, from, to, out);
    default:
        return visit_dense(g, level, container, parent, from, to, out);
    }
}

/* The container that an item lies in; *coord are those of the cell around it. */
SNL_FN char *
item_container(const SnlGather *g, int64_t item, const int64_t **coord)
{
    const SnlListEntry *parent;
    *coord = g->origin;
    if (!g->parents)
        return g->tree->root[g->path[0]];
    parent = &g->parents[g->slices == 1 ? item : item / g->slices];
    *coord = parent->coord;
    return parent->cell + g->tree->nodes[g->path[0]].desc.container_offset;
}

/* Goes through an item; gives the number of entries, which are written where out is not NULL. */
SNL_ONCE int64_t
gather_item(const SnlGather *g, int64_t item, SnlListEntry *out)
{
    const int64_t *coord;
    char *container = item_container(g, item, &coord);
    int64_t places = places_in(&g->tree->nodes[g->path[0]], container), words = (places + 63) / 64;
    int64_t from = 0, to = places;
    if (g->slices > 1) {
        from = snl_chunk_start(words, g->slices, item % g->slices) * 64;
        to = snl_chunk_start(words, g->slices, item % g->slices + 1) * 64;
        to = to < places ? to : places;
    }
    return visit(g, 0, container, coord, from, to, out);
}

/* Stamp of the last change on the path of a node. */
SNL_FN int64_t
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

/* What a node is listed by; parents and slices are filled in by the caller. */
SNL_FN void
gather_init(SnlTree *tree, int node, SnlGather *g)
{
    const SnlNode *n = &tree->nodes[node];
    memset(g, 0, sizeof *g);
    g->tree = tree;
    g->path = n->path;
    g->length = n->path_length;
    g->slices = 1;
    g->pointers = tree->nodes[n->path[0]].desc.kind == SNL_POINTER;
    if (n->desc.kind == SNL_POINTER)
        init_digits(n, &g->digits);
}

#endif
