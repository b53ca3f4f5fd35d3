/* core_cell.h - cells by their coordinates, on either side; see core.h.
 */
#ifndef SNL_CORE_CORE_CELL_H
#define SNL_CORE_CORE_CELL_H

#include "core_dynamic.h"
#include "core_hash.h"

/* Makes coordinates of a node's cells those of the parent's, and gives the indices in the
 * container. */
SNL_FN void
split_coord(const SnlNode *n, int64_t *coord, int64_t *index)
{
    for (int a = n->desc.axis_count - 1; a >= 0; a--) {
        int axis = n->desc.axes[a];
        int64_t size = n->desc.sizes[a];
        index[a] = coord[axis] % size;
        coord[axis] /= size;
    }
}

/* True if the cells of the node have that coordinate. */
SNL_FN bool
in_range(const SnlNode *n, const int64_t *coord)
{
    for (int a = 0; a < SNL_AXES; a++)
        if (n->path_axes >> a & 1 && (coord[a] < 0 || coord[a] >= n->extent[a]))
            return false;
    return true;
}

/* A cell in its container. */
SNL_FN void *
cell_in(SnlTree *tree, int node, void *container, const int64_t *index, int mode)
{
    SnlNode *n = &tree->nodes[node];
    int64_t cell = n->desc.kind == SNL_HASH ? 0 : snl_node_linear(n, index);
    bool make = mode == SNL_ACTIVATE;
    switch (n->desc.kind) {
    case SNL_DENSE:
        return snl_dense_lookup(tree, node, container, cell);
    case SNL_BITMASKED:
        return make ? snl_bitmasked_activate(tree, node, container, cell)
                    : snl_bitmasked_lookup(tree, node, container, cell);
    case SNL_POINTER:
        return make ? snl_pointer_activate(tree, node, container, cell)
                    : snl_pointer_lookup(tree, node, container, cell);
    case SNL_DYNAMIC:
        return make ? snl_dynamic_activate(tree, node, container, cell)
                    : snl_dynamic_lookup(tree, node, container, cell);
    default:
        return make ? snl_hash_activate(tree, node, container, index, n->desc.axis_count)
                    : snl_hash_lookup(tree, node, container, index, n->desc.axis_count);
    }
}

/* The container and the indices in it; the coordinates are in range. */
#ifdef SNL_GPU
/* The index in its container that the cell around a node's cell has along an axis. */
SNL_FN int64_t
index_around(const SnlTree *tree, int around, int node, int axis, int64_t coord)
{
    for (;; node = tree->nodes[node].desc.parent) {
        const SnlNodeDesc *d = &tree->nodes[node].desc;
        for (int a = 0; a < d->axis_count; a++) {
            if (d->axes[a] != axis)
                continue;
            if (node == around)
                return coord % d->sizes[a];
            coord /= d->sizes[a];
        }
    }
}

/* From the top down, once for each node: the stack of a lane is no place for functions that call
 * themselves. */
SNL_FN void *
locate(SnlTree *tree, int node, const int64_t *coord, int mode, int64_t *index)
{
    char *container = NULL;
    for (int at = -1; at != node;) {
        const SnlNodeDesc *d;
        int next = node;
        while (tree->nodes[next].desc.parent != at)
            next = tree->nodes[next].desc.parent;
        d = &tree->nodes[next].desc;
        container = at < 0
                        ? tree->root[next]
                        : (char *)cell_in(tree, at, container, index, mode) + d->container_offset;
        for (int a = 0; a < d->axis_count; a++)
            index[a] = index_around(tree, next, node, d->axes[a], coord[d->axes[a]]);
        at = next;
    }
    return container;
}
#else
/* Changes the coordinates: to copy them for each level would take long, for vectors wait for what
 * was just stored number by number. */
SNL_FN void *
locate_above(SnlTree *tree, int node, int64_t *coord, int mode, int64_t *index)
{
    const SnlNode *n = &tree->nodes[node];
    int64_t parent_index[SNL_AXES];
    int parent = n->desc.parent;
    void *container;
    split_coord(n, coord, index);
    if (parent < 0)
        return tree->root[node];
    container = locate_above(tree, parent, coord, mode, parent_index);
    return (char *)cell_in(tree, parent, container, parent_index, mode)
           + n->desc.container_offset;
}

SNL_FN void *
locate(SnlTree *tree, int node, const int64_t *coord, int mode, int64_t *index)
{
    int64_t own[SNL_AXES];
    snl_coord_copy(own, coord);
    return locate_above(tree, node, own, mode, index);
}

#endif

SNL_CORE void *
snl_cell_at(SnlTree *tree, int node, const int64_t *coord, int mode)
{
    SnlNode *n = &tree->nodes[node];
    const int64_t first[SNL_AXES] = { 0 };
    int64_t index[SNL_AXES];
    void *container;
    if (!in_range(n, coord)) {
        if (mode == SNL_READ)
            return (void *)(uintptr_t)n->ambient;
        snl_fail(tree->rt, SNL_ERANGE, NULL, 0, "index out of range in node '%s' of layout '%s'",
                 n->desc.name, tree->desc->name ? tree->desc->name : "");
        if (n->scratch)
            return n->scratch;
        coord = first;
    }
    container = locate(tree, node, coord, mode, index);
    return cell_in(tree, node, container, index, mode);
}

SNL_CORE void *
snl_cell_in(SnlTree *tree, int node, void *container, const int64_t *index, int mode)
{
    return cell_in(tree, node, container, index, mode);
}

SNL_CORE void *
snl_container_at(SnlTree *tree, int node, const int64_t *coord, int mode)
{
    int64_t index[SNL_AXES];
    return locate(tree, node, coord, mode, index);
}

SNL_CORE bool
snl_cell_is_active(SnlTree *tree, int node, const int64_t *coord)
{
    SnlNode *n = &tree->nodes[node];
    int64_t index[SNL_AXES], around[SNL_AXES], cell;
    void *container;
    if (!in_range(n, coord))
        return false;
    snl_coord_copy(around, coord);
    /* those are as active as the cell around them */
    for (; n->desc.kind == SNL_DENSE; n = &tree->nodes[node]) {
        if (n->desc.parent < 0)
            return true;
        for (int a = 0; a < n->desc.axis_count; a++)
            around[n->desc.axes[a]] /= n->desc.sizes[a];
        node = n->desc.parent;
    }
    container = locate(tree, node, around, SNL_READ, index);
    cell = n->desc.kind == SNL_HASH ? 0 : snl_node_linear(n, index);
    switch (n->desc.kind) {
    case SNL_BITMASKED: return snl_bitmasked_is_active(tree, node, container, cell);
    case SNL_POINTER: return snl_pointer_is_active(tree, node, container, cell);
    case SNL_DYNAMIC: return snl_dynamic_is_active(tree, node, container, cell);
    default: return snl_hash_is_active(tree, node, container, index, n->desc.axis_count);
    }
}

SNL_CORE void
snl_cell_deactivate(SnlTree *tree, int node, const int64_t *coord)
{
    SnlNode *n = &tree->nodes[node];
    int64_t index[SNL_AXES], cell;
    void *container;
    if (!in_range(n, coord))
        return;
    container = locate(tree, node, coord, SNL_READ, index);
    cell = n->desc.kind == SNL_HASH ? 0 : snl_node_linear(n, index);
    switch (n->desc.kind) {
    case SNL_DENSE: break;
    case SNL_BITMASKED: snl_bitmasked_deactivate(tree, node, container, cell); break;
    case SNL_POINTER: snl_pointer_deactivate(tree, node, container, cell); break;
    case SNL_DYNAMIC: snl_dynamic_deactivate(tree, node, container); break;
    default: snl_hash_deactivate(tree, node, container, index, n->desc.axis_count); break;
    }
}

SNL_CORE void
snl_list_empty(SnlTree *tree, int node, const int64_t *coord)
{
    void *container = snl_container_at(tree, node, coord, SNL_READ);
    if (snl_dynamic_length(tree, node, container) > 0)
        snl_dynamic_deactivate(tree, node, container);
}

#endif
