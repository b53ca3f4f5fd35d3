/* Questions about a node: where it stands, its indices. */
#include "config.h"

#include "layout/layout.h"

int64_t
node_limited_product(int64_t a, int64_t b)
{
    int64_t p;
    return __builtin_mul_overflow(a, b, &p) || p > LAYOUT_LARGEST ? LAYOUT_LARGEST : p;
}

const char *
node_name(Compile *c, const Node *n)
{
    return arena_printf(c->arena, "S%d%s", n->id, node_kind_name(n->kind));
}

bool
node_is_within(const Node *n, const Node *top)
{
    while (n && n != top)
        n = n->parent;
    return n != NULL;
}

bool
node_is_sparse(const Node *n)
{
    for (; n; n = n->parent)
        if (node_has_activity(n->kind))
            return true;
    return false;
}

bool
node_is_walked(const Node *n)
{
    return node_is_inline(n->kind) || n->kind == NODE_DYNAMIC;
}

const Node *
node_list_ancestor(const Node *n)
{
    while (n && node_is_walked(n))
        n = n->parent;
    return n;
}

bool
node_has_runtime_size(const Node *n)
{
    for (; n; n = n->parent)
        for (int i = 0; i < n->axis_count; i++)
            if (!n->sizes[i])
                return true;
    return false;
}

bool
node_is_wide(const Node *n, int axis)
{
    for (; n; n = n->parent)
        for (int i = 0; i < n->axis_count; i++)
            if (n->axes[i] == axis && n->size_is_wide[i])
                return true;
    return false;
}

int64_t
node_first(const Node *n, int axis)
{
    return n->cell_extent[axis] ? n->offset[axis] / n->cell_extent[axis] : 0;
}

/* Most cells along an axis that one cell of the node holds. */
static int64_t
cells_below(const Node *n, int axis)
{
    int64_t most = 1;
    for (int i = 0; i < n->children.count; i++) {
        const Node *child = n->children.items[i];
        int64_t count = cells_below(child, axis);
        for (int a = 0; a < child->axis_count; a++)
            if (child->axes[a] == axis)
                count = node_limited_product(count, child->sizes[a]);
        most = count > most ? count : most;
    }
    return most;
}

int64_t
node_size_max(const Node *n, int k)
{
    int64_t first = n->has_offset && n->offset[n->axes[k]] > 0 ? n->offset[n->axes[k]] : 0;
    if (n->size_is_wide[k] || first > INT32_MAX)
        return INT64_MAX;
    return (INT32_MAX - first) / cells_below(n, n->axes[k]);
}

Node **
node_path(Arena *a, const Node *from, const Node *to, int *count)
{
    int n = 0;
    for (const Node *at = to; at != from; at = at->parent)
        n++;
    Node **path = ARENA_ARRAY(a, Node *, n);
    *count = n;
    for (Node *at = (Node *)to; at != from; at = at->parent)
        path[--n] = at;
    return path;
}

const Node *
node_top(const Node *n)
{
    while (n && n->parent)
        n = n->parent;
    return n;
}

int
node_axis_rank(const Node *n, int axis)
{
    int rank = 0;
    for (int a = 0; a < axis; a++)
        rank += n->path_axes >> a & 1;
    return rank;
}
