/* field_walk.c - visiting the active cells of a node without a list of them.
 *
 * The nearest ancestor whose cells are allocated one by one is listed; below it the containers are
 * walked down to the node.  An item of work is a cell of that ancestor, or a slice of its first
 * container where there are few.  Cells of hash nodes come from the list of the node itself.
 */
#include "field_inside.h"

typedef struct {
    SnlTree *tree;
    const int *path;            /* nodes below the ancestor, down to the one that is visited */
    int length;
    const SnlListEntry *parents;        /* cells of the ancestor, or NULL for the root */
    int64_t parent_count;
    int64_t slices;             /* of the first container of each */
    SnlVisit visit;
    void *args;
} Walk;

/* The last digit of a number to the base n, which is cut off; mostly a power of two. */
static int64_t
last_digit(int64_t *number, int64_t n)
{
    int64_t all = *number;
    if ((n & (n - 1)) == 0) {
        *number = all >> __builtin_ctzll((uint64_t)n);
        return all & (n - 1);
    }
    if (all <= UINT32_MAX && n <= UINT32_MAX) {
        *number = (uint32_t)all / (uint32_t)n;
        return (uint32_t)all % (uint32_t)n;
    }
    *number = all / n;
    return all % n;
}

/* Coordinates of a cell from those of its parent; false for padding. */
static bool
cell_coord(const SnlNodeDesc *d, int64_t cell, const int64_t *parent, int64_t *coord)
{
    memcpy(coord, parent, SNL_AXES * sizeof *coord);
    for (int a = d->axis_count - 1; a >= 0; a--) {
        int64_t index = last_digit(&cell, d->stored[a]);
        if (index >= d->sizes[a])
            return false;
        coord[d->axes[a]] = parent[d->axes[a]] * d->sizes[a] + index;
    }
    return true;
}

/* Number of cells of a container, or of places for them. */
static int64_t
place_count(const SnlTree *tree, int node, char *container)
{
    const SnlNodeDesc *d = &tree->nodes[node].desc;
    return d->kind == SNL_DYNAMIC ? snl_dynamic_length(tree, node, container) : d->cell_count;
}

/* The next place from `cell` on, before `end`, whose cell is active; `end` where there is none. */
static int64_t
next_active(const SnlTree *tree, int node, char *container, int64_t cell, int64_t end)
{
    int kind = tree->nodes[node].desc.kind;
    if (kind == SNL_POINTER)
        while (cell < end && !((void **)(void *)container)[cell])
            cell++;
    while (kind == SNL_BITMASKED && cell < end) {
        uint64_t bits = snl_bitmasked_mask(tree, node, container)[cell >> 6] >> (cell & 63);
        if (bits) {
            cell += __builtin_ctzll(bits);
            break;
        }
        cell = (cell | 63) + 1;
    }
    return cell < end ? cell : end;
}

/* A cell that is active; NULL where memory for it could not be had. */
static char *
cell_of(const SnlTree *tree, int node, char *container, int64_t cell)
{
    const SnlNodeDesc *d = &tree->nodes[node].desc;
    char *chunk;
    switch (d->kind) {
    case SNL_POINTER:
        return ((char **)(void *)container)[cell];
    case SNL_DYNAMIC:
        chunk = (char *)snl_dynamic_chunk(tree, node, container, cell / d->chunk);
        return chunk ? chunk + cell % d->chunk * d->cell_bytes : NULL;
    default:
        return container + cell * d->cell_bytes;
    }
}

/* Visits the places from ... to-1 of a container; false when the walk has to end. */
static bool
visit_places(const Walk *w, int level, char *container, const int64_t *parent, int64_t from,
             int64_t to)
{
    int node = w->path[level];
    const SnlNodeDesc *d = &w->tree->nodes[node].desc;
    int64_t coord[SNL_AXES];
    for (int64_t k = next_active(w->tree, node, container, from, to); k < to;
         k = next_active(w->tree, node, container, k + 1, to)) {
        char *cell = cell_of(w->tree, node, container, k), *below;
        int next;
        if (!cell || !cell_coord(d, k, parent, coord))
            continue;
        if (level == w->length - 1) {
            if (!w->visit(w->args, cell, coord))
                return false;
            continue;
        }
        next = w->path[level + 1];
        below = cell + w->tree->nodes[next].desc.container_offset;
        if (!visit_places(w, level + 1, below, coord, 0, place_count(w->tree, next, below)))
            return false;
    }
    return true;
}

/* Visits what belongs to an item. */
static bool
visit_item(const Walk *w, int64_t item)
{
    static const int64_t origin[SNL_AXES] = { 0 };
    const SnlListEntry *parent = w->parents ? &w->parents[item / w->slices] : NULL;
    const int64_t *coord = parent ? parent->coord : origin;
    int64_t slice = item % w->slices, places, words, from, to;
    char *container;
    if (w->length == 0)
        return w->visit(w->args, parent->cell, coord);
    container = parent ? parent->cell + w->tree->nodes[w->path[0]].desc.container_offset
                       : w->tree->root[w->path[0]];
    places = place_count(w->tree, w->path[0], container);
    words = (places + 63) / 64;
    from = snl_chunk_start(words, w->slices, slice) * 64;
    to = snl_chunk_start(words, w->slices, slice + 1) * 64;
    return visit_places(w, 0, container, coord, from, to < places ? to : places);
}

static void
visit_items(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Walk *w = (const Walk *)args;
    (void)chunk;
    for (int64_t item = from; item < to; item++)
        if (snl_failed(w->tree->rt) || !visit_item(w, item))
            return;
}

/* Finds the ancestor and lists its cells; false without memory.  The path is to be released. */
static bool
walk_begin(Walk *w, SnlTree *tree, int node, SnlVisit visit, void *args)
{
    int above = tree->nodes[node].desc.kind == SNL_HASH ? node : tree->nodes[node].desc.parent;
    const SnlList *list;
    int *path;
    *w = (Walk){ tree, NULL, 0, NULL, 1, 1, visit, args };
    above = snl_lowest_kind(tree, above, SNL_POINTER);
    if (above >= 0) {
        list = snl_tree_list(tree, above);
        w->parents = list->entries;
        w->parent_count = list->count;
    }
    for (int at = node; at != above; at = tree->nodes[at].desc.parent)
        w->length++;
    if (w->length == 0 || w->parent_count == 0)
        return !snl_failed(tree->rt);
    path = (int *)snl_memory_get(tree->rt, (size_t)w->length * sizeof *path);
    if (!path) {
        snl_fail_memory(tree->rt, "a walk over cells", (uint64_t)w->length * sizeof *path);
        return false;
    }
    for (int k = w->length - 1, at = node; k >= 0; k--, at = tree->nodes[at].desc.parent)
        path[k] = at;
    w->path = path;
    return !snl_failed(tree->rt);
}

static void
walk_end(Walk *w)
{
    snl_memory_put(w->tree->rt, (void *)(uintptr_t)w->path, (size_t)w->length * sizeof *w->path);
}

void
snl_walk(SnlTree *tree, int node, SnlVisit visit, void *args)
{
    Walk w;
    if (walk_begin(&w, tree, node, visit, args) && w.parent_count > 0) {
        if (w.length > 0 && w.parent_count < SNL_CHUNKS_MAX)
            w.slices = (SNL_CHUNKS_MAX + w.parent_count - 1) / w.parent_count;
        snl_parallel_for(tree->rt, w.parent_count * w.slices,
                         snl_chunk_count(w.parent_count * w.slices, 1), visit_items, &w);
    }
    walk_end(&w);
}

void
snl_walk_in_order(SnlTree *tree, int node, SnlVisit visit, void *args)
{
    Walk w;
    if (walk_begin(&w, tree, node, visit, args))
        for (int64_t item = 0; item < w.parent_count; item++)
            if (!visit_item(&w, item))
                break;
    walk_end(&w);
}

/* ---- all cells ---- */

int64_t
snl_cell_total(const SnlTree *tree, int node)
{
    int64_t total = 1;
    for (int a = 0; a < SNL_AXES; a++)
        if (tree->nodes[node].path_axes >> a & 1
            && __builtin_mul_overflow(total, tree->nodes[node].extent[a], &total))
            return INT64_MAX;
    return total;
}

int64_t
snl_cell_active(SnlTree *tree, int node)
{
    int listed = snl_lowest_kind(tree, node, SNL_BITMASKED);
    int64_t count = listed < 0 ? 1 : snl_tree_active(tree, listed);
    for (; node != listed; node = tree->nodes[node].desc.parent)
        for (int a = 0; a < tree->nodes[node].desc.axis_count; a++)
            count *= tree->nodes[node].desc.sizes[a];
    return count;
}

/* Arguments of activate_cells. */
typedef struct {
    SnlTree *tree;
    int node;
} Activate;

static void
activate_cells(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Activate *a = (const Activate *)args;
    const SnlNode *n = &a->tree->nodes[a->node];
    (void)chunk;
    for (int64_t cell = from; cell < to && !snl_failed(a->tree->rt); cell++) {
        int64_t coord[SNL_AXES] = { 0 }, rest = cell;
        for (int axis = SNL_AXES - 1; axis >= 0; axis--) {
            if (!(n->path_axes >> axis & 1))
                continue;
            coord[axis] = rest % n->extent[axis];
            rest /= n->extent[axis];
        }
        snl_cell_at(a->tree, a->node, coord, SNL_ACTIVATE);
    }
}

void
snl_walk_activate_all(SnlTree *tree, int node)
{
    Activate a = { tree, node };
    int64_t total = snl_cell_total(tree, node);
    if (snl_tree_active(tree, node) < total)
        snl_parallel_for(tree->rt, total, snl_chunk_count(total, 1024), activate_cells, &a);
}
