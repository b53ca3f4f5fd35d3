/* field_file.c - whole fields and files. */
#include "field_inside.h"

#include <stdio.h>

/* A field and the array or the cells that go to a file. */
typedef struct {
    const SnlFieldDesc *f;
    SnlIoArray shape;
    int64_t count;
    size_t bytes;               /* of `owned` */
    void *owned;                /* NULL where the field itself is the array */
    const void *data;
    int64_t *coords;            /* NULL: not cells */
    size_t coord_bytes;
    char *ambient;              /* one element */
} Item;

snl_status
snl_io_failed(SnlInstance *rt, const SnlIoError *error)
{
    return snl_fail(rt, error->no_memory ? SNL_ENOMEM : SNL_EIO, NULL, 0, "%s", error->text);
}

/* Records that there is no memory for the elements of a field. */
static bool
no_room(SnlInstance *rt, const SnlFieldDesc *f, size_t bytes)
{
    char what[160];
    snprintf(what, sizeof what, "an array of field '%.100s'", f->name);
    snl_fail_memory(rt, what, bytes);
    return false;
}

/* Notes what elements of a field are that are inactive, or of a dense field that no file has. */
static bool
item_ambient(Item *item, SnlInstance *rt, SnlTree *const *trees)
{
    const SnlFieldDesc *f = item->f;
    item->ambient = (char *)snl_memory_get(rt, (size_t)f->element_bytes);
    if (!item->ambient)
        return no_room(rt, f, (size_t)f->element_bytes);
    for (int k = 0; k < f->leaf_count; k++) {
        const SnlFieldLeaf *leaf = &f->leaves[k];
        memcpy(item->ambient + leaf->at,
               trees[leaf->tree]->nodes[leaf->node].ambient + leaf->offset,
               (size_t)snl_scalar_bytes(leaf->tag));
    }
    item->shape.ambient = item->ambient;
    return true;
}

/* Describes the array of a field; false with the error recorded. */
static bool
item_describe(Item *item, SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f)
{
    memset(item, 0, sizeof *item);
    if (snl_field_ready(rt, trees, f) != SNL_OK)
        return false;
    if (f->tag < 0) {
        snl_fail(rt, SNL_EINVAL, NULL, 0, "field '%s' holds structs, which files do not", f->name);
        return false;
    }
    item->f = f;
    item->count = snl_field_count(trees, f);
    item->shape.name = f->name;
    item->shape.tag = f->tag;
    item->shape.index_axes = f->axis_count;
    item->shape.units = f->units;
    for (int k = 0; k < f->axis_count; k++) {
        item->shape.offset[k] = f->offsets[k];
        item->shape.shape[item->shape.axes++] = snl_field_extent(trees, f, k);
    }
    if (f->rows > 0)
        item->shape.shape[item->shape.axes++] = f->rows;
    if (f->cols > 0)
        item->shape.shape[item->shape.axes++] = f->cols;
    item->shape.sparse = f->node >= 0
                         && snl_lowest_kind(trees[f->node_tree], f->node, SNL_BITMASKED) >= 0;
    return f->node < 0 || item_ambient(item, rt, trees);
}

/* False, with the error recorded, if all elements are too many. */
static bool
check_size(const Item *item, SnlInstance *rt, const char *path)
{
    SnlIoError error;
    if (snl_io_check_size(path, &item->shape, &error))
        return true;
    snl_io_failed(rt, &error);
    return false;
}

/* Allocates the elements: so many cells, or all for -1. */
static bool
item_room(Item *item, SnlInstance *rt, int64_t cells)
{
    int64_t count = cells < 0 ? item->count : cells, bytes, coords;
    if (__builtin_mul_overflow(count, item->f->element_bytes, &bytes)
        || __builtin_mul_overflow(count, 8 * (int64_t)item->f->axis_count, &coords))
        return no_room(rt, item->f, SIZE_MAX);
    item->bytes = (size_t)bytes + 8;    /* never none */
    item->data = item->owned = snl_memory_get(rt, item->bytes);
    if (!item->owned)
        return no_room(rt, item->f, item->bytes);
    if (cells < 0)
        return true;
    item->coord_bytes = (size_t)coords + 8;
    item->shape.coords = item->coords = (int64_t *)snl_memory_get(rt, item->coord_bytes);
    item->shape.cells = cells;
    return item->coords || no_room(rt, item->f, item->coord_bytes);
}

static void
item_free(Item *item, SnlInstance *rt)
{
    if (!item->f)
        return;
    snl_memory_put(rt, item->owned, item->bytes);
    snl_memory_put(rt, item->coords, item->coord_bytes);
    snl_memory_put(rt, item->ambient, (size_t)item->f->element_bytes);
}

/* True if the field lies in memory as the array would; the address goes to *first. */
static bool
is_array(SnlTree *const *trees, const SnlFieldDesc *f, void **first)
{
    int64_t strides[SNL_AXES], step = f->element_bytes;
    if (snl_field_view(trees, f, first, strides) != SNL_OK)
        return false;
    for (int k = f->axis_count - 1; k >= 0; k--) {
        if (strides[k] != step)
            return false;
        step *= snl_field_extent(trees, f, k);
    }
    return true;
}

/* Lists the active cells of a field that is to be saved. */
static bool
item_cells(Item *item, SnlInstance *rt, SnlTree *const *trees)
{
    const SnlFieldDesc *f = item->f;
    int64_t cells;
    return snl_field_cells(rt, trees, f, NULL, NULL, 0, &cells) == SNL_OK
           && item_room(item, rt, cells)
           && snl_field_cells(rt, trees, f, item->coords, item->owned, cells, &cells) == SNL_OK;
}

/* Makes what of a field is to be saved under a path. */
static bool
item_get(Item *item, SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f,
         const char *path)
{
    void *first;
    if (!item_describe(item, rt, trees, f))
        return false;
    if (snl_io_takes_cells(path, &item->shape))
        return item_cells(item, rt, trees);
    if (is_array(trees, f, &first)) {
        item->data = first;
        return true;
    }
    return check_size(item, rt, path) && item_room(item, rt, -1)
           && snl_field_get(rt, trees, f, item->owned, item->count) == SNL_OK;
}

/* Saves the items. */
static void
save_items(SnlInstance *rt, const char *path, int count, const Item *items, SnlIoArray *arrays,
           const void **data)
{
    SnlIoError error;
    for (int k = 0; k < count; k++) {
        arrays[k] = items[k].shape;
        data[k] = items[k].data;
    }
    if (!snl_io_save(path, count, arrays, data, &error))
        snl_io_failed(rt, &error);
}

snl_status
snl_field_save(SnlInstance *rt, SnlTree *const *trees, const char *path, int count,
               const SnlFieldDesc *const *fs)
{
    size_t n = count > 0 ? (size_t)count : 1;
    Item *items = (Item *)snl_memory_get(rt, n * sizeof *items);
    SnlIoArray *arrays = (SnlIoArray *)snl_memory_get(rt, n * sizeof *arrays);
    const void **data = (const void **)snl_memory_get(rt, n * sizeof *data);
    bool good = items && arrays && data;
    if (!good)
        snl_fail_memory(rt, "a list of fields", n * sizeof *items);
    for (int k = 0; k < count && good; k++)
        good = item_get(&items[k], rt, trees, fs[k], path);
    if (good)
        save_items(rt, path, count, items, arrays, data);
    for (int k = 0; k < count && items; k++)
        item_free(&items[k], rt);
    snl_memory_put(rt, (void *)data, n * sizeof *data);
    snl_memory_put(rt, arrays, n * sizeof *arrays);
    snl_memory_put(rt, items, n * sizeof *items);
    return snl_field_status(rt);
}

/* Sets the field to what was loaded.  Cells that a file of cells lacks read as ambient then, those
 * of dense fields too; those of them that are active stay so, because other fields may share
 * them. */
static void
item_set(const Item *item, SnlInstance *rt, SnlTree *const *trees)
{
    const SnlFieldDesc *f = item->f;
    if (!item->coords)
        snl_field_set(rt, trees, f, item->owned, item->count);
    else if (snl_field_fill(rt, trees, f, item->ambient) == SNL_OK)
        snl_field_set_cells(rt, trees, f, item->coords, item->owned, item->shape.cells);
}

snl_status
snl_field_load(SnlInstance *rt, SnlTree *const *trees, const char *path, const SnlFieldDesc *f)
{
    SnlIoError error;
    SnlIoMap map;
    Item item;
    const void *data = NULL;
    int64_t cells;
    bool good = item_describe(&item, rt, trees, f);
    if (good && snl_io_map_array(path, &item.shape, &map, &data)) {
        snl_field_set(rt, trees, f, data, item.count);
        snl_io_unmap(&map);
    } else if (good && !snl_io_find_cells(path, &item.shape, &cells, &error)) {
        snl_io_failed(rt, &error);
    } else if (good && (cells >= 0 || check_size(&item, rt, path)) && item_room(&item, rt, cells)) {
        if (cells < 0 ? snl_io_load(path, &item.shape, item.owned, &error)
                      : snl_io_load_cells(path, &item.shape, item.coords, item.owned, &error))
            item_set(&item, rt, trees);
        else
            snl_io_failed(rt, &error);
    }
    item_free(&item, rt);
    return snl_field_status(rt);
}

snl_status
snl_field_image(SnlInstance *rt, SnlTree *const *trees, const char *path, const SnlFieldDesc *f,
                double lo, double hi)
{
    SnlIoError error;
    Item item;
    bool good = item_get(&item, rt, trees, f, path);
    if (good && !snl_image_save(path, &item.shape, item.data, lo, hi, &error))
        snl_io_failed(rt, &error);
    item_free(&item, rt);
    return snl_field_status(rt);
}
