/* io_points.c - what .vtp, .ply and .csv share: which fields they take, and names of components. */
#include "io_points.h"

bool
snl_points_check(const char *path, int count, const SnlIoArray *arrays, SnlIoError *error)
{
    for (int n = 0; n < count; n++) {
        const SnlIoArray *a = &arrays[0], *b = &arrays[n];
        if (a->index_axes != b->index_axes || a->cells != b->cells
            || memcmp(a->coords, b->coords,
                      (size_t)(a->cells * a->index_axes) * sizeof *a->coords) != 0)
            return snl_io_fail(error, "'%s': fields %s and %s differ in their active cells; such a "
                               "file holds one set of cells", path, a->name, b->name);
    }
    return true;
}

bool
snl_points_take(const char *path, const SnlIoArray *a, SnlIoError *error)
{
    return a->index_axes == 1
           || snl_io_fail(error, "'%s': points are loaded into fields of 1 index; field %s has %d",
                          path, a->name, a->index_axes);
}

bool
snl_points_have_room(const char *path, const SnlIoArray *a, int64_t points, uint64_t at,
                     SnlIoError *error)
{
    return points <= a->shape[0]
           || snl_io_fail_at(error, path, at, "%lld points, but field %s has %lld elements;",
                             (long long)points, a->name, (long long)a->shape[0]);
}

void
snl_points_number(const SnlIoArray *a, int64_t *coords)
{
    for (int64_t k = 0; k < a->cells; k++)
        coords[k] = a->offset[0] + k;
}

double
snl_points_get(int tag, const void *value)
{
#define NUMBER(type) \
    { \
        type v; \
        memcpy(&v, value, sizeof v); \
        return (double)v; \
    }
    switch (tag) {
    case SNL_I8: NUMBER(int8_t)
    case SNL_I16: NUMBER(int16_t)
    case SNL_I32: NUMBER(int32_t)
    case SNL_U8: NUMBER(uint8_t)
    case SNL_U16: NUMBER(uint16_t)
    case SNL_U32: NUMBER(uint32_t)
    case SNL_F32: NUMBER(float)
    default: NUMBER(double)
    }
#undef NUMBER
}

/* An integer of a type; false where the double is none of these. */
static bool
put_integer(int tag, void *data, int64_t at, double v)
{
    const int bytes = snl_scalar_bytes(tag);
    const bool is_signed = snl_scalar_is_signed(tag);
    const double high = is_signed ? (double)(1ull << (8 * bytes - 1))
                                  : 2.0 * (double)(1ull << (8 * bytes - 1));
    int64_t whole;
    if (!(v >= (is_signed ? -high : 0.0) && v < high))
        return false;
    whole = tag == SNL_U64 ? (int64_t)(uint64_t)v : (int64_t)v;
    if (tag == SNL_U64 ? (double)(uint64_t)whole != v : (double)whole != v)
        return false;
    if (!snl_io_little_endian())
        whole = (int64_t)((uint64_t)whole << (64 - 8 * bytes));
    memcpy((char *)data + at * bytes, &whole, (size_t)bytes);
    return true;
}

bool
snl_points_put(int tag, void *data, int64_t at, double value)
{
    switch (tag) {
    case SNL_F16: ((snl_f16 *)data)[at] = snl_f64_to_f16(value); return true;
    case SNL_F32: ((float *)data)[at] = (float)value; return true;
    case SNL_F64: ((double *)data)[at] = value; return true;
    case SNL_BOOL:
        ((unsigned char *)data)[at] = value != 0;
        return value == 0 || value == 1;
    default: return put_integer(tag, data, at, value);
    }
}

void
snl_points_name(char *out, size_t size, const SnlIoArray *a, int64_t component)
{
    const int extra = a->axes - a->index_axes;
    const int64_t columns = extra == 2 ? a->shape[a->axes - 1] : 1;
    if (extra == 0)
        snprintf(out, size, "%s", a->name);
    else if (extra == 2)
        snprintf(out, size, "%s[%lld][%lld]", a->name, (long long)(component / columns),
                 (long long)(component % columns));
    else if (a->shape[a->index_axes] <= 4)
        snprintf(out, size, "%s.%c", a->name, "xyzw"[component]);
    else
        snprintf(out, size, "%s[%lld]", a->name, (long long)component);
}
