/* Files of fields, through the formats of the runtime; those of layouts are in tree_copy.c. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "interp/inside.h"
#include "program/snl_io.h"

/* ---- fields ---- */

/* What goes to a file or came from one: all elements, or those of `cells` cells. */
typedef struct {
    Field *f;
    SnlIoArray a;
    char *ambient;
    int64_t *coords; /* axis_count for each cell; NULL: all elements */
    char *data;
} Array;

/* The field that trees know of it: a member is part of one. */
static Field *
whole_field(Field *f)
{
    return f->member_of ? f->member_of : f;
}

/* A leaf of an element in memory. */
static char *
leaf_place(const Array *item, int64_t element, int leaf)
{
    const Type *t = item->f->type;
    return item->data + element * t->bytes + leaf * scalar_info(t->scalar)->bytes;
}

/* The index of element n of the array or list. */
static void
item_index(const Array *item, int64_t n, int64_t *index)
{
    int axes = item->a.index_axes;
    for (int i = axes - 1; i >= 0; i--) {
        if (item->coords) {
            index[i] = item->coords[n * axes + i];
            continue;
        }
        index[i] = item->a.offset[i] + n % item->a.shape[i];
        n /= item->a.shape[i];
    }
}

static int64_t
item_count(const Array *item)
{
    return item->coords ? item->a.cells : snl_io_elements(&item->a);
}

static Array
describe(Interp *in, Field *f)
{
    const Type *t = f->type;
    Array item = {.f = f,
                  .a = {.name = f->name,
                        .tag = (int)t->scalar,
                        .axes = f->axis_count,
                        .index_axes = f->axis_count,
                        .units = f->leaves[0].layout->units}};
    for (int i = 0; i < f->axis_count; i++) {
        item.a.shape[i] = shape_field_extent(in, f, i);
        item.a.offset[i] = f->offsets[i];
    }
    if (t->rows)
        item.a.shape[item.a.axes++] = t->rows;
    if (t->cols)
        item.a.shape[item.a.axes++] = t->cols;
    item.a.sparse = f->node && node_is_sparse(f->node);
    if (f->ambient) {
        item.ambient = arena_alloc(in->c->arena, (size_t)t->bytes);
        for (int leaf = 0; leaf < t->leaf_count; leaf++)
            leaf_store(t->scalar, item.ambient + leaf * scalar_info(t->scalar)->bytes,
                       f->ambient->leaves[leaf]);
        item.a.ambient = item.ambient;
    }
    return item;
}

/* Memory for so many elements; NULL without it. */
static void *
elements_alloc(int64_t count, int64_t bytes)
{
    int64_t total;
    return __builtin_mul_overflow(count, bytes, &total) ? NULL : malloc((size_t)total + 1);
}

/* Makes room for so many cells, or for all elements for -1. */
static void
item_room(Interp *in, Array *item, int64_t cells, const char *path, Span at)
{
    int64_t count = cells < 0 ? snl_io_elements(&item->a) : cells;
    SnlIoError error;
    if (cells < 0 && !snl_io_check_size(path, &item->a, &error))
        interp_fail(in, at, "%s", error.text);
    item->data = elements_alloc(count, item->f->type->bytes);
    if (cells >= 0) {
        item->a.coords = item->coords =
            elements_alloc(cells, item->a.index_axes * (int64_t)sizeof *item->coords);
        item->a.cells = cells;
    }
    if (!item->data || (cells >= 0 && !item->coords))
        interp_fail(in, at, "out of memory: field '%s' has %lld elements", item->f->name,
                    (long long)count);
}

static void
item_free(Array *item)
{
    free(item->data);
    free(item->coords);
}

/* Lists the active cells of a field. */
static void
item_cells(Interp *in, Array *item, const char *path, Span at)
{
    int axes = item->a.index_axes;
    int64_t coord[AXIS_MAX];
    Cells cells = {.count = 1};
    if (item->f->node)
        cells = tree_cells(in, item->f->node, at);
    item_room(in, item, cells.count, path, at);
    for (int64_t n = 0; n < cells.count && item->f->node; n++) {
        tree_cells_at(in, &cells, n, coord);
        memcpy(item->coords + n * axes, coord, sizeof *coord * (size_t)axes);
    }
    tree_cells_free(&cells);
}

/* Copies elements out of the field, or into it. */
static void
item_read(Interp *in, Array *item, Span at)
{
    int64_t count = item_count(item), index[AXIS_MAX] = {0};
    for (int64_t n = 0; n < count; n++) {
        item_index(item, n, index);
        for (int leaf = 0; leaf < item->f->type->leaf_count; leaf++)
            leaf_store(item->f->type->scalar, leaf_place(item, n, leaf),
                       tree_read(in, whole_field(item->f), item->f->first_leaf + leaf, index, at));
    }
}

static void
item_write(Interp *in, Array *item, Span at)
{
    int64_t count = item_count(item), index[AXIS_MAX] = {0};
    for (int64_t n = 0; n < count; n++) {
        item_index(item, n, index);
        for (int leaf = 0; leaf < item->f->type->leaf_count; leaf++)
            tree_write(in, whole_field(item->f), item->f->first_leaf + leaf, index,
                       leaf_load(item->f->type->scalar, leaf_place(item, n, leaf)), at);
    }
}

static void
save_fields(Interp *in, const TStmt *s, const char *path)
{
    int count = s->fields.count;
    Array *items = ARENA_ARRAY(in->c->arena, Array, count);
    SnlIoArray *arrays = ARENA_ARRAY(in->c->arena, SnlIoArray, count);
    const void **data = ARENA_ARRAY(in->c->arena, const void *, count);
    SnlIoError error;
    for (int i = 0; i < count; i++) {
        tree_require_field(in, s->fields.items[i], s->span);
        items[i] = describe(in, s->fields.items[i]);
        if (s->kind == TS_SAVE && snl_io_takes_cells(path, &items[i].a))
            item_cells(in, &items[i], path, s->span);
        else
            item_room(in, &items[i], -1, path, s->span);
        item_read(in, &items[i], s->span);
        arrays[i] = items[i].a;
        data[i] = items[i].data;
    }
    bool fine = s->kind == TS_IMAGE ? true : snl_io_save(path, count, arrays, data, &error);
    if (s->kind == TS_IMAGE) {
        Leaf low, high;
        eval(in, s->from.items[0], &low);
        eval(in, s->to.items[0], &high);
        low = leaf_cast(s->from.items[0]->type->scalar, SCALAR_F64, low);
        high = leaf_cast(s->to.items[0]->type->scalar, SCALAR_F64, high);
        fine = snl_image_save(path, &arrays[0], data[0], low.f, high.f, &error);
    }
    for (int i = 0; i < count; i++)
        item_free(&items[i]);
    if (!fine)
        interp_fail(in, s->span, "%s", error.text);
}

/* Active cells that a file of cells lacks become ambient; they stay active, because other fields
 * may share them. */
static void
clear_field(Interp *in, Field *f, Span at)
{
    int64_t coord[AXIS_MAX];
    Cells cells = {.count = 0};
    if (f->node)
        cells = tree_cells(in, f->node, at);
    for (int64_t n = 0; n < cells.count; n++) {
        tree_cells_at(in, &cells, n, coord);
        for (int leaf = 0; leaf < f->type->leaf_count; leaf++)
            tree_write(in, whole_field(f), f->first_leaf + leaf, coord,
                       f->ambient ? f->ambient->leaves[leaf] : (Leaf){.i = 0}, at);
    }
    tree_cells_free(&cells);
}

static void
load_field(Interp *in, const TStmt *s, const char *path)
{
    tree_require_field(in, s->fields.items[0], s->span);
    Array item = describe(in, s->fields.items[0]);
    SnlIoError error;
    int64_t cells;
    if (!snl_io_find_cells(path, &item.a, &cells, &error))
        interp_fail(in, s->span, "%s", error.text);
    item_room(in, &item, cells, path, s->span);
    bool fine = cells < 0 ? snl_io_load(path, &item.a, item.data, &error)
                          : snl_io_load_cells(path, &item.a, item.coords, item.data, &error);
    if (fine && cells >= 0)
        clear_field(in, item.f, s->span);
    if (fine)
        item_write(in, &item, s->span);
    item_free(&item);
    if (!fine)
        interp_fail(in, s->span, "%s", error.text);
}

void
files_exec(Interp *in, const TStmt *s)
{
    const char *path = eval_string(in, s->path);
    if (s->kind == TS_IMAGE || (s->kind == TS_SAVE && !s->layout))
        save_fields(in, s, path);
    else if (s->kind == TS_SAVE)
        tree_copy_save(in, s->layout, path, s->span);
    else if (s->layout)
        tree_copy_load(in, s->layout, path, s->span);
    else
        load_field(in, s, path);
}
