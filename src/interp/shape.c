/* The sizes of nodes and fields, and the numbers of their cells. */
#include "config.h"

#include "interp/inside.h"

int64_t
shape_node_extent(Interp *in, const Node *n, int axis)
{
    return in->trees[n->layout->id].extents[n->id - 1][axis];
}

int64_t
shape_field_extent(Interp *in, const Field *f, int index)
{
    return f->extents[index] ? f->extents[index] : shape_node_extent(in, f->node, f->axes[index]);
}

int
shape_own_axis(const Node *n)
{
    return n->kind == NODE_DYNAMIC ? n->axes[0] : -1;
}

void
shape_coords_above(Interp *in, const Node *n, const int64_t *c, const Node *up, int64_t *out)
{
    for (int a = 0; a < AXIS_MAX; a++) {
        int64_t cells = shape_node_extent(in, n, a), cells_above = shape_node_extent(in, up, a);
        out[a] = cells == cells_above ? c[a] : c[a] / (cells / cells_above);
    }
}

Key
shape_key(Interp *in, const Node *n, const int64_t *c, int skip)
{
    Key key = 0;
    for (int a = 0; a < AXIS_MAX; a++)
        if ((n->path_axes & 1 << a) && a != skip)
            key = key * (Key)shape_node_extent(in, n, a) + (Key)c[a];
    return key;
}

void
shape_coords(Interp *in, const Node *n, Key key, int skip, int64_t *c)
{
    for (int a = AXIS_MAX - 1; a >= 0; a--) {
        c[a] = 0;
        if (!(n->path_axes & 1 << a) || a == skip)
            continue;
        Key extent = (Key)shape_node_extent(in, n, a);
        c[a] = (int64_t)(key % extent);
        key /= extent;
    }
}

uint64_t
shape_number(Interp *in, const Field *f, const int64_t *index)
{
    uint64_t number = 0;
    for (int i = 0; i < f->axis_count; i++)
        number =
            number * (uint64_t)shape_field_extent(in, f, i) + (uint64_t)(index[i] - f->offsets[i]);
    return number;
}
