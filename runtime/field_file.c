/* field_file.c - whole fields and files. */
#include "field_inside.h"

#include <stdio.h>

/* A field and the array that goes to a file. */
typedef struct {
    const SnlFieldDesc *f;
    SnlIoArray shape;
    int64_t count;
    size_t bytes;
    void *owned;                /* NULL where the field itself is the array */
    const void *data;
} Item;

/* Records what a file function said. */
static snl_status
io_failed(SnlInstance *rt, const SnlIoError *error)
{
    return snl_fail(rt, SNL_EIO, NULL, 0, "%s", error->text);
}

/* Describes the array of a field; false with the error recorded. */
static bool
item_describe(Item *item, SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f)
{
    int64_t bytes;
    char what[160];
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
    for (int k = 0; k < f->axis_count; k++)
        item->shape.shape[item->shape.axes++] = snl_field_extent(trees, f, k);
    if (f->rows > 0)
        item->shape.shape[item->shape.axes++] = f->rows;
    if (f->cols > 0)
        item->shape.shape[item->shape.axes++] = f->cols;
    if (!__builtin_mul_overflow(item->count, f->element_bytes, &bytes)) {
        item->bytes = (size_t)bytes;
        return true;
    }
    snprintf(what, sizeof what, "an array of field '%.100s'", f->name);
    snl_fail_memory(rt, what, UINT64_MAX);
    return false;
}

/* Allocates the array. */
static bool
item_room(Item *item, SnlInstance *rt)
{
    char what[160];
    item->owned = snl_memory_get(rt, item->bytes);
    item->data = item->owned;
    if (item->owned)
        return true;
    snprintf(what, sizeof what, "an array of field '%.100s'", item->f->name);
    snl_fail_memory(rt, what, item->bytes);
    return false;
}

static void
item_free(Item *item, SnlInstance *rt)
{
    snl_memory_put(rt, item->owned, item->bytes);
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

/* Makes the array of a field that is to be saved. */
static bool
item_get(Item *item, SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f)
{
    void *first;
    if (!item_describe(item, rt, trees, f))
        return false;
    if (is_array(trees, f, &first)) {
        item->data = first;
        return true;
    }
    return item_room(item, rt)
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
        io_failed(rt, &error);
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
        good = item_get(&items[k], rt, trees, fs[k]);
    if (good)
        save_items(rt, path, count, items, arrays, data);
    for (int k = 0; k < count && items; k++)
        item_free(&items[k], rt);
    snl_memory_put(rt, (void *)data, n * sizeof *data);
    snl_memory_put(rt, arrays, n * sizeof *arrays);
    snl_memory_put(rt, items, n * sizeof *items);
    return snl_field_status(rt);
}

snl_status
snl_field_load(SnlInstance *rt, SnlTree *const *trees, const char *path, const SnlFieldDesc *f)
{
    SnlIoError error;
    Item item;
    if (!item_describe(&item, rt, trees, f) || !item_room(&item, rt))
        return snl_status_of(rt);
    if (snl_io_load(path, &item.shape, item.owned, &error))
        snl_field_set(rt, trees, f, item.owned, item.count);
    else
        io_failed(rt, &error);
    item_free(&item, rt);
    return snl_field_status(rt);
}

snl_status
snl_field_image(SnlInstance *rt, SnlTree *const *trees, const char *path, const SnlFieldDesc *f,
                double lo, double hi)
{
    SnlIoError error;
    Item item;
    bool good = item_get(&item, rt, trees, f);
    if (good && !snl_image_save(path, &item.shape, item.data, lo, hi, &error))
        io_failed(rt, &error);
    item_free(&item, rt);
    return snl_field_status(rt);
}
