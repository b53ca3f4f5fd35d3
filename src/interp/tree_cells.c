/* Active cells of a node in memory order; pretended addresses. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "interp/inside.h"

static const int64_t *
sizes_of(const Interp *in, const Node *n)
{
    return in->trees[n->layout->id].stored[n->id - 1];
}

/* Cells of a container of the node. */
static int64_t
size_of(const Interp *in, const Node *n)
{
    int64_t size = 1;
    for (int i = 0; i < n->axis_count; i++)
        size *= sizes_of(in, n)[i];
    return size;
}

/* The number of a cell in memory order: those in the containers, level by level. */
static Key
order_of(Interp *in, const Node *n, const int64_t *coord)
{
    int64_t left[AXIS_MAX];
    Key order = 0, below = 1;
    memcpy(left, coord, sizeof left);
    for (const Node *m = n; m; m = m->parent) {
        const int64_t *sizes = sizes_of(in, m);
        for (int i = m->axis_count - 1; i >= 0; i--) {
            order += below * (Key)(left[m->axes[i]] % sizes[i]);
            below *= (Key)sizes[i];
            left[m->axes[i]] /= sizes[i];
        }
    }
    return order;
}

static int
compare_cells(const void *a, const void *b)
{
    const ListedCell *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* How many cells of a node with activity are active. */
static int64_t
count_listed(const KeyMap *set, int own_axis)
{
    int64_t count = 0;
    for (int64_t i = 0; i < set->room; i++)
        if (set->state[i] == 1)
            count += own_axis < 0 ? 1 : set->words[i].i;
    return count;
}

/* All of them, sorted into memory order; gives their number. */
static int64_t
list_cells(Interp *in, const Node *n, ListedCell **cells, Span at)
{
    const KeyMap *set = &in->trees[n->layout->id].nodes[n->id - 1].active;
    const int own_axis = shape_own_axis(n);
    int64_t room = count_listed(set, own_axis), count = 0;
    *cells = calloc((size_t)room + 1, sizeof **cells);
    if (!*cells)
        interp_fail(in, at, "out of memory: a list of %lld cells", (long long)room);
    for (int64_t i = 0; i < set->room; i++)
        for (int64_t k = 0; set->state[i] == 1 && k < (own_axis < 0 ? 1 : set->words[i].i); k++) {
            ListedCell *cell = &(*cells)[count++];
            shape_coords(in, n, set->keys[i], own_axis, cell->coord);
            if (own_axis >= 0)
                cell->coord[own_axis] = k;
            cell->order = order_of(in, n, cell->coord);
        }
    qsort(*cells, (size_t)count, sizeof **cells, compare_cells);
    return count;
}

Cells
tree_cells(Interp *in, const Node *n, Span at)
{
    Cells c = {.node = n, .listed = n, .below = 1};
    tree_require(in, n->layout, at);
    for (; c.listed && !node_has_activity(c.listed->kind); c.listed = c.listed->parent)
        c.below *= size_of(in, c.listed);
    c.count = c.below * (c.listed ? list_cells(in, c.listed, &c.cells, at) : 1);
    return c;
}

void
tree_cells_at(Interp *in, const Cells *cells, int64_t i, int64_t *coord)
{
    const Node *n = cells->node;
    int64_t c[AXIS_MAX] = {0}, scale[AXIS_MAX], rest = i % cells->below;
    for (int a = 0; a < AXIS_MAX; a++)
        scale[a] = 1;
    for (const Node *m = n; m != cells->listed; m = m->parent)
        for (int k = m->axis_count - 1; k >= 0; k--) {
            const int64_t size = sizes_of(in, m)[k];
            c[m->axes[k]] += rest % size * scale[m->axes[k]];
            scale[m->axes[k]] *= size;
            rest /= size;
        }
    for (int a = 0, k = 0; a < AXIS_MAX; a++) {
        if (!(n->path_axes & 1 << a))
            continue;
        const int64_t up = cells->listed ? cells->cells[i / cells->below].coord[a] : 0;
        coord[k++] = up * scale[a] + c[a] + node_first(n, a);
    }
}

void
tree_cells_free(Cells *cells)
{
    free(cells->cells);
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
tree_cells_address(Interp *in, const Field *f, int leaf, const int64_t *index)
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
