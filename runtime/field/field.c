/* field.c - extents, arrays, fill, views and single elements of whole fields. */
#include "field_inside.h"

#include <stdio.h>

/* ---- checks ---- */

/* Records that a layout does not exist. */
static snl_status
missing_tree(SnlInstance *rt, const SnlFieldDesc *f, int tree)
{
    const char *name = f->layouts ? f->layouts[tree] : NULL;
    if (name)
        return snl_fail(rt, SNL_ENOTREE, NULL, 0,
                        "layout '%s' of field '%s' does not exist; it must be made by create first",
                        name, f->name);
    return snl_fail(rt, SNL_ENOTREE, NULL, 0,
                    "the layout of field '%s' does not exist; it must be made by create first",
                    f->name);
}

/* The number of the first tree of the field that does not exist, or -1. */
static int
find_missing(SnlTree *const *trees, const SnlFieldDesc *f)
{
    for (int k = 0; k < f->leaf_count; k++)
        if (!trees[f->leaves[k].tree])
            return f->leaves[k].tree;
    return trees[f->node_tree] ? -1 : f->node_tree;
}

snl_status
snl_field_status(const SnlInstance *rt)
{
    return snl_failed(rt) ? snl_status_of(rt) : SNL_OK;
}

snl_status
snl_field_ready(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f)
{
    int missing = find_missing(trees, f);
    if (missing >= 0)
        return missing_tree(rt, f, missing);
    return snl_field_status(rt);
}

int64_t
snl_field_extent(SnlTree *const *trees, const SnlFieldDesc *f, int k)
{
    const SnlTree *tree = trees[f->node_tree];
    if (f->extents[k] > 0)
        return f->extents[k];
    return tree && f->node >= 0 ? tree->nodes[f->node].extent[f->axes[k]] : 0;
}

int64_t
snl_field_count(SnlTree *const *trees, const SnlFieldDesc *f)
{
    int64_t count = 1;
    for (int k = 0; k < f->axis_count; k++)
        if (__builtin_mul_overflow(count, snl_field_extent(trees, f, k), &count))
            return INT64_MAX;
    return count;
}

/* Checks an array of n elements. */
static snl_status
check_array(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, const void *data,
            int64_t n)
{
    snl_status status = snl_field_ready(rt, trees, f);
    int64_t count = snl_field_count(trees, f);
    if (status != SNL_OK)
        return status;
    if (count == INT64_MAX)
        return snl_fail(rt, SNL_EINVAL, NULL, 0,
                        "field '%s' has more elements than an array can have", f->name);
    if (n != count)
        return snl_fail(rt, SNL_EINVAL, NULL, 0,
                        "field '%s' has %lld elements, the array has %lld", f->name,
                        (long long)count, (long long)n);
    if (!data)
        return snl_fail(rt, SNL_EINVAL, NULL, 0, "no array is given for field '%s'", f->name);
    return SNL_OK;
}

SnlUnit
snl_unit_next(SnlTree *const *trees, const SnlFieldDesc *f, int *k)
{
    const SnlFieldLeaf *leaf = &f->leaves[(*k)++];
    SnlUnit u = { trees[leaf->tree], leaf->node, leaf->offset, leaf->at,
                  snl_scalar_bytes(leaf->tag) };
    for (; *k < f->leaf_count; (*k)++) {
        const SnlFieldLeaf *next = &f->leaves[*k];
        if (next->tree != leaf->tree || next->node != leaf->node
            || next->offset != u.offset + u.bytes || next->at != u.at + u.bytes)
            break;
        u.bytes += snl_scalar_bytes(next->tag);
    }
    return u;
}

/* ---- get, set, fill ---- */

typedef enum { GET, SET, FILL } Mode;

/* A unit of a field that is moved between the tree and an array or constant. */
typedef struct {
    Mode mode;
    SnlUnit unit;
    char *array;                /* GET: written, else only read */
    int64_t steps[SNL_AXES];    /* bytes in the array by index, 0 for a constant */
    int64_t weights[SNL_AXES];  /* by letter: bytes from one listed cell to the next */
    SnlNest nest;               /* below a listed cell */
} Move;

/* Moves what lies below a cell that is allocated on its own. */
static bool
move_cell(void *args, char *cell, const int64_t *coord)
{
    const Move *m = (const Move *)args;
    char *array = m->array;
    for (int a = 0; m->mode != FILL && a < SNL_AXES; a++)
        array += coord[a] * m->weights[a];
    if (m->mode == GET)
        snl_nest_run(&m->nest, array, cell);
    else
        snl_nest_run(&m->nest, cell, array);
    return true;
}

/* Makes the nest below the cells of the node `above`, and their weights. */
static void
move_prepare(Move *m, const SnlFieldDesc *f, int above)
{
    SnlSide tree, array;
    snl_side_of_tree(&tree, f, &m->unit, above);
    snl_side_of_array(&array, &tree, f, m->steps, m->unit.at);
    if (m->mode == GET)
        snl_nest_make(&m->nest, &array, &tree, m->unit.bytes);
    else
        snl_nest_make(&m->nest, &tree, &array, m->unit.bytes);
    memset(m->weights, 0, sizeof m->weights);
    for (int k = 0; k < f->axis_count; k++)
        m->weights[f->axes[k]] = tree.spans[k] * m->steps[k];
}

/* Before cells are read: all elements are ambient, unless every cell is active. */
static void
put_ambient(SnlInstance *rt, const Move *m, const SnlFieldDesc *f, int above, int64_t count)
{
    SnlTree *tree = m->unit.tree;
    if (snl_tree_active(tree, above) < snl_cell_total(tree, above))
        snl_nest_fill(rt, m->array + m->unit.at, f->element_bytes, count,
                      tree->nodes[m->unit.node].ambient + m->unit.offset, m->unit.bytes);
}

/* Moves one unit of all elements, or of the active cells where a constant is written. */
static void
move_unit(SnlInstance *rt, Move *m, const SnlFieldDesc *f, int64_t count)
{
    SnlTree *tree = m->unit.tree;
    int sparse = snl_lowest_kind(tree, m->unit.node, SNL_BITMASKED), above;
    char *base;
    snl_tree_gc(tree);          /* the memory of bitmasked cells is ambient where they are not
                                 * set */
    if (m->mode == SET && sparse >= 0)
        snl_walk_activate_all(tree, sparse);
    if (snl_failed(rt))
        return;
    above = snl_lowest_kind(tree, m->unit.node, SNL_POINTER);
    if (m->mode == FILL && above != sparse
        && snl_tree_active(tree, sparse) < snl_cell_total(tree, sparse))
        above = sparse;         /* bitmasked cells have memory that must stay ambient */
    move_prepare(m, f, above);
    if (above >= 0) {
        if (m->mode == GET)
            put_ambient(rt, m, f, above, count);
        snl_walk(tree, above, move_cell, m);
        return;
    }
    base = m->unit.node < 0 ? tree->root_cell : snl_path_root(tree, m->unit.node);
    if (m->mode == GET)
        snl_nest_run_parallel(rt, &m->nest, m->array, base, SNL_TO_SIDE);
    else
        snl_nest_run_parallel(rt, &m->nest, base, m->array, SNL_FROM_SIDE);
}

/* Moves all units. */
static snl_status
move_field(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, Mode mode, char *array)
{
    Move m = { .mode = mode, .array = array };
    int64_t step = f->element_bytes;
    for (int k = f->axis_count - 1; mode != FILL && k >= 0; k--) {
        m.steps[k] = step;
        step *= snl_field_extent(trees, f, k);
    }
    for (int leaf = 0; leaf < f->leaf_count && !snl_failed(rt);) {
        m.unit = snl_unit_next(trees, f, &leaf);
        move_unit(rt, &m, f, snl_field_count(trees, f));
    }
    return snl_field_status(rt);
}

snl_status
snl_field_get(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, void *out, int64_t n)
{
    snl_status status = check_array(rt, trees, f, out, n);
    return status == SNL_OK ? move_field(rt, trees, f, GET, (char *)out) : status;
}

snl_status
snl_field_set(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, const void *in,
              int64_t n)
{
    snl_status status = check_array(rt, trees, f, in, n);
    return status == SNL_OK ? move_field(rt, trees, f, SET, (char *)(uintptr_t)in) : status;
}

snl_status
snl_field_fill(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, const void *element)
{
    snl_status status = snl_field_ready(rt, trees, f);
    return status == SNL_OK ? move_field(rt, trees, f, FILL, (char *)(uintptr_t)element) : status;
}

/* ---- views ---- */

/* True if all scalars lie in the cell as in the element. */
static bool
is_whole(const SnlFieldDesc *f)
{
    const SnlFieldLeaf *first = &f->leaves[0];
    for (int k = 1; k < f->leaf_count; k++) {
        const SnlFieldLeaf *leaf = &f->leaves[k];
        if (leaf->tree != first->tree || leaf->node != first->node
            || leaf->offset - first->offset != leaf->at - first->at)
            return false;
    }
    return true;
}

/* The step of the loops of one index of a side, which must go on where the one inside ends; 0
 * where they do not, `otherwise` where there are none. */
static int64_t
single_step(const SnlSide *side, int index, int64_t otherwise)
{
    int64_t step = 0, next = 0;
    for (int k = 0; k < side->count; k++) {
        if (side->loops[k].index != index)
            continue;
        if (step && side->loops[k].step != next)
            return 0;
        step = step ? step : side->loops[k].step;
        next = side->loops[k].step * side->loops[k].count;
    }
    return step ? step : otherwise;
}

snl_status
snl_field_view(SnlTree *const *trees, const SnlFieldDesc *f, void **first,
               int64_t strides[SNL_AXES])
{
    int64_t otherwise = f->element_bytes;
    SnlSide side;
    SnlUnit u;
    int leaf = 0;
    *first = NULL;
    if (find_missing(trees, f) >= 0)
        return SNL_ENOTREE;
    if (f->leaf_count == 0 || !is_whole(f))
        return SNL_EINVAL;
    u = snl_unit_next(trees, f, &leaf);
    if (snl_lowest_kind(u.tree, u.node, SNL_BITMASKED) >= 0)
        return SNL_EINVAL;
    snl_side_of_tree(&side, f, &u, -1);
    for (int k = f->axis_count - 1; k >= 0; k--) {
        strides[k] = single_step(&side, k, otherwise);
        if (strides[k] == 0)
            return SNL_EINVAL;
        otherwise = strides[k] * snl_field_extent(trees, f, k);
    }
    *first = (u.node < 0 ? u.tree->root_cell : snl_path_root(u.tree, u.node)) + side.offset - u.at;
    return SNL_OK;
}

snl_status
snl_field_strides(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, void **first,
                  size_t *strides)
{
    int64_t steps[SNL_AXES];
    snl_status status = snl_field_ready(rt, trees, f);
    *first = NULL;
    if (status != SNL_OK)
        return status;
    status = snl_field_view(trees, f, first, steps);
    if (status != SNL_OK)
        return snl_fail(rt, status, NULL, 0,
                        "the elements of field '%s' do not lie at constant strides", f->name);
    for (int k = 0; strides && k < f->axis_count; k++)
        strides[k] = (size_t)steps[k];
    return SNL_OK;
}

/* ---- single elements ---- */

bool
snl_field_in_range(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f,
                   const int64_t *index)
{
    for (int k = 0; k < f->axis_count; k++) {
        int64_t extent = snl_field_extent(trees, f, k), first = f->offsets[k];
        if (index[k] >= first && (uint64_t)index[k] - (uint64_t)first < (uint64_t)extent)
            continue;
        snl_fail(rt, SNL_ERANGE, NULL, 0,
                 "index %lld is out of range: %s has %lld to %lld along axis %d",
                 (long long)index[k], f->name, (long long)first, (long long)(first + extent - 1),
                 k);
        return false;
    }
    return true;
}

void *
snl_field_at(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, int leaf,
             const int64_t *index, int mode)
{
    const SnlFieldLeaf *l = &f->leaves[leaf];
    int64_t coord[SNL_AXES] = { 0 };
    if (!trees[l->tree]) {
        missing_tree(rt, f, l->tree);
        return NULL;
    }
    if (l->node < 0)
        return trees[l->tree]->root_cell + l->offset;
    if (!snl_field_in_range(rt, trees, f, index))
        return NULL;
    for (int k = 0; k < f->axis_count; k++)
        coord[f->axes[k]] = index[k] - f->offsets[k];
    return (char *)snl_cell_at(trees[l->tree], l->node, coord, mode) + l->offset;
}
