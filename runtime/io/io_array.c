/* io_array.c - sizes of arrays, and which of them files can hold; the compiler asks as well. */
#include "io_stream.h"

#include <stdlib.h>

#include "../core/locale_inside.h"

/* ---- sizes ---- */

/* The product of some extents, at most INT64_MAX. */
static int64_t
product(const int64_t *extents, int from, int to)
{
    int64_t count = 1;
    for (int k = from; k < to; k++)
        if (__builtin_mul_overflow(count, extents[k], &count))
            return INT64_MAX;
    return count;
}

int64_t
snl_io_count(const SnlIoArray *a)
{
    return product(a->shape, 0, a->axes);
}

int64_t
snl_io_elements(const SnlIoArray *a)
{
    return product(a->shape, 0, a->index_axes);
}

int64_t
snl_io_components(const SnlIoArray *a)
{
    return product(a->shape, a->index_axes, a->axes);
}

int64_t
snl_io_bytes(const SnlIoArray *a)
{
    int64_t bytes;
    return __builtin_mul_overflow(snl_io_count(a), snl_scalar_bytes(a->tag), &bytes) ? INT64_MAX
                                                                                     : bytes;
}

bool
snl_io_check_size(const char *path, const SnlIoArray *a, SnlIoError *error)
{
    char shape[256];
    if (snl_io_bytes(a) < INT64_MAX)
        return true;
    snl_io_shape_text(shape, sizeof shape, a->axes, a->shape);
    return snl_io_fail(error, "'%s': field %s of shape %s is too large for such a file", path,
                       a->name, shape);
}

/* ---- units ---- */

double
snl_io_spacing(const SnlIoArray *a, int axis)
{
    return a->units ? a->units[axis] : 1;
}

double
snl_io_place(const SnlIoArray *a, int axis, double index)
{
    return a->units ? a->units[3 + axis] + a->units[axis] * index : index;
}

bool
snl_io_same_units(const SnlIoArray *a, const SnlIoArray *b)
{
    for (int k = 0; k < 3; k++)
        if (snl_io_spacing(a, k) != snl_io_spacing(b, k)
            || snl_io_place(a, k, 0) != snl_io_place(b, k, 0))
            return false;
    return true;
}

void
snl_io_three(char out[SNL_IO_NUMBERS], double x, double y, double z)
{
    const double all[3] = { x, y, z };
    const SnlCLocale locale = snl_c_locale();
    size_t n = 0;
    for (int k = 0; k < 3; k++) {
        char text[32];
        snprintf(text, sizeof text, "%.15g", all[k]);
        if (strtod(text, NULL) != all[k])
            snprintf(text, sizeof text, "%.17g", all[k]);
        n += (size_t)snprintf(out + n, SNL_IO_NUMBERS - n, "%s%s", k ? " " : "", text);
    }
    snl_c_locale_end(&locale);
}

/* ---- types ---- */

void
snl_io_type_text(char *out, size_t size, const SnlIoArray *a)
{
    size_t n = (size_t)snprintf(out, size, "%s", snl_scalar_name(a->tag));
    for (int k = a->index_axes; k < a->axes && n < size; k++)
        n += (size_t)snprintf(out + n, size - n, "x%lld", (long long)a->shape[k]);
}

unsigned
snl_nvdb_type(const SnlIoArray *a)
{
    /* the numbers of PNanoVDB.h by scalar type: of one number, of 3, of 4 */
    static const unsigned char types[SNL_SCALAR_COUNT][3] = {
        { 11, 0, 0 }, { 0, 0, 0 }, { 3, 0, 0 }, { 4, 0, 0 }, { 5, 0, 0 }, { 0, 0, 0 },
        { 0, 0, 0 }, { 10, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 1, 6, 17 }, { 2, 7, 18 }
    };
    int64_t components = snl_io_components(a);
    if (a->axes == a->index_axes)
        return types[a->tag][0];
    if (a->axes > a->index_axes + 1)
        return 0;
    return components == 3 ? types[a->tag][1] : components == 4 ? types[a->tag][2] : 0;
}

/* ---- fields ---- */

/* The same for files of points. */
static bool
fits_points(SnlFileKind kind, const SnlIoArray *a, SnlIoError *error)
{
    if (a->index_axes < 1)
        return snl_io_fail(error, "field %s has no indices; such a file holds points", a->name);
    return kind != SNL_FILE_PLY || (a->tag != SNL_I64 && a->tag != SNL_U64)
           || snl_io_fail(error, "a .ply has no integers of 64 bits; field %s is %s", a->name,
                          snl_scalar_name(a->tag));
}

/* Can a field say where points are? */
bool
snl_io_are_places(const SnlIoArray *a)
{
    const int64_t n = a->axes == a->index_axes + 1 ? a->shape[a->index_axes] : 0;
    return (a->tag == SNL_F32 || a->tag == SNL_F64) && (n == 2 || n == 3);
}

bool
snl_io_fits_first(SnlFileKind kind, const SnlIoArray *a, SnlIoError *error)
{
    char type[64];
    if ((kind != SNL_FILE_VTP && kind != SNL_FILE_PLY) || snl_io_are_places(a))
        return true;
    snl_io_type_text(type, sizeof type, a);
    return snl_io_fail(error, "the first field says where the points are: vectors of 2 or 3 f32 or "
                       "f64; field %s is %s", a->name, type);
}

bool
snl_io_fits(SnlFileKind kind, const SnlIoArray *a, SnlIoError *error)
{
    bool is_nvdb = kind == SNL_FILE_NVDB;
    char type[64];
    if (kind >= SNL_FILE_VTP && kind <= SNL_FILE_CSV)
        return fits_points(kind, a, error);
    if (!is_nvdb && kind != SNL_FILE_VTI && kind != SNL_FILE_VTU)
        return true;
    if (a->index_axes < 1 || a->index_axes > 3)
        return snl_io_fail(error, "field %s has %d indices; such a file takes 1 to 3", a->name,
                           a->index_axes);
    if (!is_nvdb || snl_nvdb_type(a))
        return true;
    snl_io_type_text(type, sizeof type, a);
    return snl_io_fail(error, "a .nvdb takes bool, i16, i32, i64, u32, f32, f64 and f32 or f64 "
                       "vectors of 3 or 4; field %s is %s", a->name, type);
}

bool
snl_io_check_fields(const char *path, int count, const SnlIoArray *arrays, SnlIoError *error)
{
    SnlIoError why;
    for (int n = 0; n < count; n++) {
        if (!snl_io_fits(snl_file_kind(path), &arrays[n], &why))
            return snl_io_fail(error, "'%s': %.*s", path, SNL_IO_MESSAGE / 2, why.text);
        for (int k = 0; k < n; k++)
            if (strcmp(arrays[k].name, arrays[n].name) == 0)
                return snl_io_fail(error, "'%s': field %s is given twice", path, arrays[n].name);
    }
    return true;
}
