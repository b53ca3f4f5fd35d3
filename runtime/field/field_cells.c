/* field_cells.c - cell by cell: copying fields, lists of active cells. */
#include "field_inside.h"

#include <stdio.h>

/* The container of the cell that was written last, which those that follow mostly share. */
typedef struct {
    void *container;            /* NULL: none was */
    int64_t first[SNL_AXES], spans[SNL_AXES];   /* by letter: its cells, of the node's */
} Last;

/* What belongs together in two fields of one type; of a single field only `from` is set. */
typedef struct {
    SnlUnit to, from;
    bool from_here, to_here;    /* in the cell that is visited */
    Last last;                  /* of `from` */
} Pair;

/* A walk over the cells of a field. */
typedef struct {
    SnlInstance *rt;
    const SnlFieldDesc *to, *from;
    Pair *pairs;
    int pair_count;
    int64_t *coords;            /* where cells are listed: the next place */
    char *values;
    int64_t left;
} Cells;

static SnlUnit
unit_of(SnlTree *const *trees, const SnlFieldLeaf *leaf)
{
    SnlUnit u = { trees[leaf->tree], leaf->node, leaf->offset, leaf->at,
                  snl_scalar_bytes(leaf->tag) };
    return u;
}

/* True if the unit goes on with the leaf. */
static bool
goes_on(SnlTree *const *trees, const SnlUnit *u, const SnlFieldLeaf *leaf)
{
    return trees[leaf->tree] == u->tree && leaf->node == u->node
           && leaf->offset == u->offset + u->bytes && leaf->at == u->at + u->bytes;
}

/* True if the unit lies in the cells that are visited. */
static bool
is_here(SnlTree *const *trees, const SnlFieldDesc *visited, const SnlUnit *u)
{
    return u->tree == trees[visited->node_tree] && u->node == visited->node;
}

/* Makes the pairs of `from`, and of `to` where it is not NULL; false without memory. */
static bool
cells_begin(Cells *c, SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *to,
            const SnlFieldDesc *from)
{
    size_t bytes = (size_t)from->leaf_count * sizeof(Pair);
    *c = (Cells){ .rt = rt, .to = to, .from = from };
    c->pairs = (Pair *)snl_memory_get(rt, bytes);
    if (!c->pairs) {
        snl_fail_memory(rt, "the components of a field", bytes);
        return false;
    }
    for (int k = 0; k < from->leaf_count; c->pair_count++) {
        Pair *p = &c->pairs[c->pair_count];
        p->from = unit_of(trees, &from->leaves[k]);
        p->to = to ? unit_of(trees, &to->leaves[k]) : p->from;
        for (k++; k < from->leaf_count && goes_on(trees, &p->from, &from->leaves[k])
                  && (!to || goes_on(trees, &p->to, &to->leaves[k])); k++) {
            int64_t more = snl_scalar_bytes(from->leaves[k].tag);
            p->from.bytes += more;
            p->to.bytes += more;
        }
        p->from_here = is_here(trees, from, &p->from);
        p->to_here = is_here(trees, from, &p->to);
    }
    return true;
}

static void
cells_end(Cells *c)
{
    snl_memory_put(c->rt, c->pairs, (size_t)c->from->leaf_count * sizeof(Pair));
}

/* The address of a unit at coordinates by letter. */
static char *
unit_at(const SnlUnit *u, const int64_t *coord, int mode)
{
    char *cell = u->node < 0 ? u->tree->root_cell
                             : (char *)snl_cell_at(u->tree, u->node, coord, mode);
    return cell + u->offset;
}

/* ---- copy ---- */

/* Records why two fields cannot be copied, if they cannot. */
static bool
same_shape(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *to,
           const SnlFieldDesc *from)
{
    bool same = to->axis_count == from->axis_count && to->leaf_count == from->leaf_count
                && to->element_bytes == from->element_bytes;
    for (int k = 0; same && k < to->leaf_count; k++)
        same = to->leaves[k].tag == from->leaves[k].tag && to->leaves[k].at == from->leaves[k].at;
    if (!same) {
        snl_fail(rt, SNL_EINVAL, NULL, 0,
                 "fields '%s' and '%s' differ in type or number of indices", to->name, from->name);
        return false;
    }
    for (int k = 0; k < to->axis_count; k++) {
        int64_t a = snl_field_extent(trees, to, k), b = snl_field_extent(trees, from, k);
        if (a == b)
            continue;
        snl_fail(rt, SNL_EINVAL, NULL, 0,
                 "field '%s' has %lld elements along axis %d, field '%s' has %lld", to->name,
                 (long long)a, k, from->name, (long long)b);
        return false;
    }
    return true;
}

/* Copies a pair of units by loops; false where they are not dense or have no common loops. */
static bool
copy_dense(const Cells *c, const Pair *p)
{
    SnlSide to, from;
    SnlNest nest;
    if (p->to.node < 0 || p->from.node < 0
        || snl_lowest_kind(p->to.tree, p->to.node, SNL_BITMASKED) >= 0
        || snl_lowest_kind(p->from.tree, p->from.node, SNL_BITMASKED) >= 0)
        return false;
    snl_side_of_tree(&to, c->to, &p->to, -1);
    snl_side_of_tree(&from, c->from, &p->from, -1);
    if (!snl_nest_make(&nest, &to, &from, p->to.bytes))
        return false;
    snl_nest_run_parallel(c->rt, &nest, snl_path_root(p->to.tree, p->to.node),
                          snl_path_root(p->from.tree, p->from.node), SNL_NO_SIDE);
    return true;
}

/* Copies one element. */
static bool
copy_cell(void *args, char *cell, const int64_t *coord)
{
    const Cells *c = (const Cells *)args;
    int64_t target[SNL_AXES] = { 0 };
    for (int k = 0; k < c->to->axis_count; k++)
        target[c->to->axes[k]] = coord[c->from->axes[k]];
    for (int k = 0; k < c->pair_count; k++) {
        const Pair *p = &c->pairs[k];
        const char *from = p->from_here ? cell + p->from.offset
                                        : unit_at(&p->from, coord, SNL_READ);
        char *to = p->to_here ? cell + p->to.offset : unit_at(&p->to, target, SNL_ACTIVATE);
        memcpy(to, from, (size_t)p->to.bytes);
    }
    return !snl_failed(c->rt);
}

snl_status
snl_field_copy(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *to,
               const SnlFieldDesc *from)
{
    static const int64_t origin[SNL_AXES] = { 0 };
    SnlTree *tree;
    bool done = true;
    Cells c;
    if (snl_field_ready(rt, trees, to) != SNL_OK || snl_field_ready(rt, trees, from) != SNL_OK)
        return snl_status_of(rt);
    if (to == from)
        return SNL_OK;
    if (!same_shape(rt, trees, to, from) || !cells_begin(&c, rt, trees, to, from))
        return snl_status_of(rt);
    tree = trees[from->node_tree];
    for (int k = 0; k < c.pair_count && done; k++)
        done = copy_dense(&c, &c.pairs[k]);
    if (!done && from->node < 0)
        copy_cell(&c, tree->root_cell, origin);
    else if (!done)
        snl_walk(tree, from->node, copy_cell, &c);
    cells_end(&c);
    return snl_field_status(rt);
}

/* ---- lists ---- */

/* Puts a cell into the lists; false when they are full. */
static bool
list_cell(void *args, char *cell, const int64_t *coord)
{
    Cells *c = (Cells *)args;
    const SnlFieldDesc *f = c->from;
    for (int k = 0; c->coords && k < f->axis_count; k++)
        *c->coords++ = coord[f->axes[k]] + f->offsets[k];
    for (int k = 0; c->values && k < c->pair_count; k++) {
        const Pair *p = &c->pairs[k];
        memcpy(c->values + p->from.at,
               p->from_here ? cell + p->from.offset : unit_at(&p->from, coord, SNL_READ),
               (size_t)p->from.bytes);
    }
    if (c->values)
        c->values += f->element_bytes;
    return --c->left > 0;
}

snl_status
snl_field_cells(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, int64_t *coords,
                void *values, int64_t max, int64_t *count)
{
    static const int64_t origin[SNL_AXES] = { 0 };
    SnlTree *tree = trees[f->node_tree];
    int64_t active;
    Cells c;
    if (!count)
        return snl_fail(rt, SNL_EINVAL, NULL, 0,
                        "there is no place for the number of cells of field '%s'", f->name);
    *count = 0;
    if (snl_field_ready(rt, trees, f) != SNL_OK)
        return snl_status_of(rt);
    active = f->node < 0 ? 1 : snl_cell_active(tree, f->node);
    if (!snl_failed(rt) && max > 0 && (coords || values) && active > 0
        && cells_begin(&c, rt, trees, NULL, f)) {
        c.coords = coords;
        c.values = (char *)values;
        c.left = max;
        if (f->node < 0)
            list_cell(&c, tree->root_cell, origin);
        else
            snl_walk_in_order(tree, f->node, list_cell, &c);
        cells_end(&c);
    }
    *count = snl_failed(rt) ? 0 : active;
    return snl_field_status(rt);
}

/* Finds the container of a cell. */
static void
find_container(Last *last, const SnlFieldDesc *f, const SnlUnit *u, const int64_t *coord)
{
    const SnlNodeDesc *d = &u->tree->nodes[u->node].desc;
    for (int letter = 0; letter < SNL_AXES; letter++)
        last->spans[letter] = 1;
    for (int a = 0; a < d->axis_count; a++)
        last->spans[d->axes[a]] = d->sizes[a];
    for (int k = 0; k < f->axis_count; k++) {
        const int letter = f->axes[k];
        last->first[letter] = coord[letter] - coord[letter] % last->spans[letter];
    }
    last->container = snl_container_at(u->tree, u->node, coord, SNL_ACTIVATE);
}

/* The address of a unit to write, whose coordinates by letter are in range. */
static char *
unit_to_write(Pair *p, const SnlFieldDesc *f, const int64_t *coord)
{
    const SnlUnit *u = &p->from;
    Last *last = &p->last;
    const SnlNodeDesc *d;
    int64_t index[SNL_AXES];
    bool same = last->container != NULL;
    if (u->node < 0)
        return u->tree->root_cell + u->offset;
    for (int k = 0; same && k < f->axis_count; k++) {
        const int letter = f->axes[k];
        same = (uint64_t)coord[letter] - (uint64_t)last->first[letter] <
               (uint64_t)last->spans[letter];
    }
    if (!same)
        find_container(last, f, u, coord);
    d = &u->tree->nodes[u->node].desc;
    for (int a = 0; a < d->axis_count; a++)
        index[a] = coord[d->axes[a]] - last->first[d->axes[a]];
    return (char *)snl_cell_in(u->tree, u->node, last->container, index, SNL_ACTIVATE) + u->offset;
}

/* Elements that are written together: what has just been stored cannot be loaded by vectors before
 * the stores of elements, which wait for memory, are done; so all coordinates are stored first. */
enum { TOGETHER = 64 };

/* Writes up to TOGETHER elements. */
static void
set_cells(const Cells *c, const int64_t *index, const char *value, int64_t n)
{
    const SnlFieldDesc *f = c->from;
    int64_t coords[TOGETHER][SNL_AXES] = { { 0 } };
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < f->axis_count; k++)
            coords[i][f->axes[k]] = *index++ - f->offsets[k];
    for (int64_t i = 0; i < n && !snl_failed(c->rt); i++, value += f->element_bytes)
        for (int k = 0; k < c->pair_count; k++) {
            Pair *p = &c->pairs[k];
            memcpy(unit_to_write(p, f, coords[i]), value + p->from.at, (size_t)p->from.bytes);
        }
}

/* True if all indices are in range, else the error is recorded. */
static bool
are_in_range(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, const int64_t *coords,
             int64_t n)
{
    const int count = f->axis_count;
    int64_t extents[SNL_AXES];
    for (int k = 0; k < count; k++)
        extents[k] = snl_field_extent(trees, f, k);
    for (int64_t i = 0; i < n; i++, coords += count) {
        bool all = true;
        for (int k = 0; k < count; k++)
            all &= (uint64_t)coords[k] - (uint64_t)f->offsets[k] < (uint64_t)extents[k];
        if (!all)
            return snl_field_in_range(rt, trees, f, coords);
    }
    return true;
}

snl_status
snl_field_set_cells(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f,
                    const int64_t *coords, const void *values, int64_t n)
{
    Cells c;
    if (snl_field_ready(rt, trees, f) != SNL_OK)
        return snl_status_of(rt);
    if (n < 0 || (n > 0 && (!values || (!coords && f->axis_count > 0))))
        return snl_fail(rt, SNL_EINVAL, NULL, 0, "%s for field '%s'",
                        n < 0 ? "the number of cells is negative"
                              : "no array of indices or values is given", f->name);
    if (!are_in_range(rt, trees, f, coords, n) || !cells_begin(&c, rt, trees, NULL, f))
        return snl_status_of(rt);
    for (int64_t k = 0; k < n && !snl_failed(rt); k += TOGETHER)
        set_cells(&c, coords + k * f->axis_count, (const char *)values + k * f->element_bytes,
                  snl_smaller(n - k, TOGETHER));
    cells_end(&c);
    return snl_field_status(rt);
}
