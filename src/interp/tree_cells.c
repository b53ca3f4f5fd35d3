/* Active cells of a node in memory order; pretended addresses. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "interp/inside.h"

typedef struct {
    int64_t order[AXIS_MAX * 8]; /* number of the cell in its container, level by level */
    int64_t coord[AXIS_MAX];     /* from 0, by axis */
} ListedCell;

typedef struct {
    ListedCell *cells;
    int64_t count, room;
} CellList;

static const int64_t *
sizes_of(const Interp *in, const Node *n)
{
    return in->trees[n->layout->id].stored[n->id - 1];
}

static void
list_add(Interp *in, CellList *l, const ListedCell *cell)
{
    if (l->count == l->room) {
        l->room = l->room ? l->room * 2 : 64;
        ListedCell *more = realloc(l->cells, sizeof *more * (size_t)l->room);
        if (!more)
            interp_fail(in, (Span){0, 0}, "out of memory");
        l->cells = more;
    }
    l->cells[l->count++] = *cell;
}

/* Fills in the numbers of the containers' cells for the levels of n and above; returns the number
 * of levels. */
static int
fill_order(Interp *in, const Node *n, ListedCell *cell)
{
    int64_t left[AXIS_MAX];
    int depth = n->depth;
    memcpy(left, cell->coord, sizeof left);
    for (const Node *m = n; m; m = m->parent) {
        const int64_t *sizes = sizes_of(in, m);
        int64_t number = 0, part[AXIS_MAX];
        for (int i = m->axis_count - 1; i >= 0; i--) {
            part[i] = left[m->axes[i]] % sizes[i];
            left[m->axes[i]] /= sizes[i];
        }
        for (int i = 0; i < m->axis_count; i++)
            number = number * sizes[i] + part[i];
        if (m->depth < AXIS_MAX * 8)
            cell->order[m->depth] = number;
    }
    return depth + 1;
}

static int
compare_cells(const void *a, const void *b)
{
    const ListedCell *x = a, *y = b;
    for (int i = 0; i < AXIS_MAX * 8; i++)
        if (x->order[i] != y->order[i])
            return x->order[i] < y->order[i] ? -1 : 1;
    return 0;
}

/* Cells of `n` in the cell `from` of its parent (NULL at the top): all of a dense node, in storage
 * order. */
static void
expand_dense(Interp *in, const Node *n, const CellList *from, CellList *to)
{
    const int64_t *sizes = sizes_of(in, n);
    int64_t total = 1;
    for (int i = 0; i < n->axis_count; i++)
        total *= sizes[i];
    for (int64_t c = 0; c < from->count; c++)
        for (int64_t k = 0; k < total; k++) {
            ListedCell cell = from->cells[c];
            int64_t rest = k;
            for (int i = n->axis_count - 1; i >= 0; i--) {
                cell.coord[n->axes[i]] = cell.coord[n->axes[i]] * sizes[i] + rest % sizes[i];
                rest /= sizes[i];
            }
            list_add(in, to, &cell);
        }
}

/* All active cells of a node with activity, sorted into memory order. */
static void
list_sparse(Interp *in, const Node *n, CellList *to)
{
    const KeyMap *set = &in->trees[n->layout->id].nodes[n->id - 1].active;
    int skip = n->kind == NODE_DYNAMIC ? n->axes[0] : -1;
    for (int64_t i = 0; i < set->room; i++) {
        ListedCell cell = {0};
        if (set->state[i] != 1)
            continue;
        tree_coords(in, n, set->keys[i], skip, cell.coord);
        for (int64_t k = 0; k < (skip < 0 ? 1 : set->words[i].i); k++) {
            if (skip >= 0)
                cell.coord[skip] = k;
            memset(cell.order, 0, sizeof cell.order);
            fill_order(in, n, &cell);
            list_add(in, to, &cell);
        }
    }
    if (to->count)
        qsort(to->cells, (size_t)to->count, sizeof *to->cells, compare_cells);
}

static void
list_cells(Interp *in, const Node *n, CellList *to)
{
    if (node_has_activity(n->kind)) {
        list_sparse(in, n, to);
        return;
    }
    CellList above = {0};
    ListedCell root = {0};
    if (n->parent)
        list_cells(in, n->parent, &above);
    else
        list_add(in, &above, &root);
    expand_dense(in, n, &above, to);
    free(above.cells);
}

int64_t
tree_cells(Interp *in, const Node *n, int64_t **coords, Span at)
{
    CellList l = {0};
    tree_require(in, n->layout, at);
    list_cells(in, n, &l);
    *coords = interp_memory((size_t)l.count + 1, sizeof(int64_t[AXIS_MAX]));
    for (int64_t i = 0; i < l.count; i++)
        for (int a = 0, k = 0; a < AXIS_MAX; a++)
            if (n->path_axes & 1 << a) {
                int64_t first = n->cell_extent[a] ? n->offset[a] / n->cell_extent[a] : 0;
                (*coords)[i * AXIS_MAX + k++] = l.cells[i].coord[a] + first;
            }
    free(l.cells);
    return l.count;
}

/* ---- addresses ---- */

static int64_t
stored_size(Interp *in, const Node *n, int i)
{
    return n->stored[i] ? n->stored[i] : sizes_of(in, n)[i];
}

/* Byte offset within the tree of the cell of n at coordinates c (from 0, by axis). Cells of
 * pointer, hash and dynamic nodes lie at a made-up place that depends on their number, so that
 * cells of one block are neighbours and blocks are far apart. */
static uint64_t
cell_offset(Interp *in, const Node *n, const int64_t *c)
{
    int64_t up[AXIS_MAX], part[AXIS_MAX], number = 0;
    const int64_t *sizes = sizes_of(in, n);
    memcpy(up, c, sizeof up);
    for (int i = n->axis_count - 1; i >= 0; i--) {
        part[i] = up[n->axes[i]] % sizes[i];
        up[n->axes[i]] /= sizes[i];
    }
    for (int i = 0; i < n->axis_count; i++)
        number = number * stored_size(in, n, i) + part[i];
    uint64_t base = n->parent ? cell_offset(in, n->parent, up) + (uint64_t)n->container_offset
                              : (uint64_t)n->root_index << 38;
    if (!node_is_inline(n->kind))
        base += (uint64_t)1 << 36;
    return base + (uint64_t)number * (uint64_t)n->cell_bytes;
}

int64_t
tree_address(Interp *in, const Field *f, int leaf, const int64_t *index)
{
    const LeafPlace *where = &f->leaves[leaf];
    int64_t c[AXIS_MAX] = {0};
    uint64_t base = in->trees[where->layout->id].base;
    for (int i = 0; i < f->axis_count; i++)
        c[f->axes[i]] = index[i] - f->offsets[i];
    if (!where->node)
        return (int64_t)(base + ((uint64_t)1 << 43) + (uint64_t)where->cell_offset);
    return (int64_t)(base + cell_offset(in, where->node, c) + (uint64_t)where->cell_offset);
}
