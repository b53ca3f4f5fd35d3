/* io_vti.c - .vti: images of VTK, for ParaView.  Fields of 1 to 3 indices, one element a cell.
 *
 * The first index is x: element (i, j, k) is the cell between the points (i, j, k) and
 * (i + 1, j + 1, k + 1), offsets of fields included.  Arrays have x innermost.
 */
#include "io_vtk.h"

#include <stdlib.h>

/* Copies elements between index order, with the last index innermost, and VTK's. */
static void
turn(const SnlIoArray *a, const unsigned char *from, unsigned char *to, bool to_vtk)
{
    enum { TILE = 32 };         /* elements of a tile stay in the cache in both orders */
    int64_t n[3] = { 1, 1, 1 };
    size_t bytes = (size_t)(snl_scalar_bytes(a->tag) * snl_io_components(a));
    for (int k = 0; k < a->index_axes; k++)
        n[k] = a->shape[k];
    for (int64_t j = 0; j < n[1]; j++)
        for (int64_t i0 = 0; i0 < n[0]; i0 += TILE)
            for (int64_t k0 = 0; k0 < n[2]; k0 += TILE)
                for (int64_t i = i0; i < n[0] && i < i0 + TILE; i++)
                    for (int64_t k = k0; k < n[2] && k < k0 + TILE; k++) {
                        size_t index = (size_t)((i * n[1] + j) * n[2] + k);
                        size_t vtk = (size_t)((k * n[1] + j) * n[0] + i);
                        memcpy(to + (to_vtk ? vtk : index) * bytes,
                               from + (to_vtk ? index : vtk) * bytes, bytes);
                    }
}

/* True if both orders are one. */
static bool
is_line(const SnlIoArray *a)
{
    int longer = 0;
    for (int k = 0; k < a->index_axes; k++)
        longer += a->shape[k] != 1;
    return longer <= 1;
}

static bool
no_memory(const char *verb, const char *path, SnlIoError *error)
{
    return snl_io_fail_memory(error, verb, path);
}

/* Packs one field. */
static bool
add_field(SnlVtkWriter *w, const SnlIoArray *a, const void *data)
{
    size_t bytes = (size_t)snl_io_bytes(a);
    unsigned char *turned = is_line(a) ? NULL : (unsigned char *)malloc(bytes + 1);
    bool good = turned || is_line(a) || no_memory("writing", w->path, w->error);
    if (good && turned)
        turn(a, (const unsigned char *)data, turned, true);
    good = good && snl_vtk_add(w, a->name, a->tag, snl_io_components(a), turned ? turned : data,
                               snl_io_count(a));
    free(turned);
    return good;
}

/* False, with a message, unless the fields have one shape. */
static bool
check_shapes(const char *path, int count, const SnlIoArray *arrays, SnlIoError *error)
{
    for (int n = 0; n < count; n++) {
        bool same = arrays[n].index_axes == arrays[0].index_axes;
        for (int k = 0; same && k < arrays[0].index_axes; k++)
            same = arrays[n].shape[k] == arrays[0].shape[k]
                   && arrays[n].offset[k] == arrays[0].offset[k];
        if (!same)
            return snl_io_fail(error, "'%s': fields %s and %s differ in shape; a .vti holds one",
                               path, arrays[0].name, arrays[n].name);
        if (!snl_io_same_units(&arrays[0], &arrays[n]))
            return snl_io_fail(error, "'%s': fields %s and %s differ in spacing or origin", path,
                               arrays[0].name, arrays[n].name);
    }
    return true;
}

bool
snl_vti_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
             SnlIoError *error)
{
    SnlVtkWriter w;
    char extent[160] = "";
    size_t at = 0;
    bool good;
    if (!check_shapes(path, count, arrays, error))
        return false;
    for (int k = 0; k < 3; k++) {
        bool used = k < arrays[0].index_axes;
        int64_t first = used ? arrays[0].offset[k] : 0, n = used ? arrays[0].shape[k] : 0;
        at += (size_t)snprintf(extent + at, sizeof extent - at, "%s%lld %lld", k ? " " : "",
                               (long long)first, (long long)(first + n));
    }
    snl_vtk_begin(&w, path, error);
    good = true;
    for (int k = 0; k < count && good; k++)
        good = add_field(&w, &arrays[k], data[k]);
    good = good && snl_vtk_open(&w, "ImageData");
    if (good) {
        char origin[SNL_IO_NUMBERS], spacing[SNL_IO_NUMBERS];
        const SnlIoArray *a = &arrays[0];
        snl_io_three(origin, snl_io_place(a, 0, 0), snl_io_place(a, 1, 0), snl_io_place(a, 2, 0));
        snl_io_three(spacing, snl_io_spacing(a, 0), snl_io_spacing(a, 1), snl_io_spacing(a, 2));
        fprintf(w.out.file, "<ImageData WholeExtent=\"%s\" Origin=\"%s\" Spacing=\"%s\">\n"
                "<Piece Extent=\"%s\">\n<CellData>\n", extent, origin, spacing, extent);
        for (int k = 0; k < count; k++)
            snl_vtk_array(&w, k);
        fputs("</CellData>\n</Piece>\n</ImageData>\n", w.out.file);
    }
    return snl_vtk_end(&w, good);
}

/* Reads the field from an open file. */
static bool
read_field(const SnlVtkFile *f, const SnlIoArray *a, unsigned char *data)
{
    SnlVtkTag piece, tag;
    int64_t extent[6], shape[3];
    bool of_points, good;
    unsigned char *turned;
    if (!snl_vtk_find_piece(f, &piece) || !snl_vtk_integers(f, &piece, "Extent", extent, 6)
        || !snl_vtk_find_array(f, a->name, &tag, &of_points))
        return false;
    for (int k = 0; k < 3; k++) {
        if (__builtin_sub_overflow(extent[2 * k + 1], extent[2 * k], &shape[k]) || shape[k] < 0)
            return snl_io_fail_at(f->error, f->map.path, piece.at, "bad extent of the piece");
        shape[k] += of_points || shape[k] == 0;
    }
    if (!snl_vtk_check(f, &tag, a, shape))
        return false;
    if (is_line(a))
        return snl_vtk_read(f, &tag, a->tag, data, snl_io_count(a));
    turned = (unsigned char *)malloc((size_t)snl_io_bytes(a) + 1);
    good = turned ? snl_vtk_read(f, &tag, a->tag, turned, snl_io_count(a))
                  : no_memory("reading", f->map.path, f->error);
    if (good)
        turn(a, turned, data, false);
    free(turned);
    return good;
}

bool
snl_vti_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error)
{
    SnlVtkFile f;
    bool good;
    if (!snl_vtk_map(&f, path, "ImageData", error))
        return false;
    good = read_field(&f, a, (unsigned char *)data);
    snl_vtk_close(&f);
    return good;
}
