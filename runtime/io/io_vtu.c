/* io_vtu.c - .vtu: unstructured grids of VTK, for ParaView.  The active cells of fields.
 *
 * Cell (i, j, k) is a cube of side 1 with its lowest corner there; a square or a line for fields of
 * two indices or one.  Neighbours share corners, so that ParaView finds the surface.  The array
 * "index" has the indices of the cells, from which the file is loaded.
 */
#include "io_vtk.h"

#include <stdlib.h>

enum { VTK_LINE = 3, VTK_PIXEL = 8, VTK_VOXEL = 11 };

/* The corners of all cells. */
typedef struct {
    int axes;
    int64_t low[3], points[3];  /* of the box around all cells: its lowest corner, corners */
    int64_t *numbers;           /* row-major in the box, ascending, each once */
    int64_t count;
} Corners;

static bool
no_memory(const char *path, SnlIoError *error)
{
    return snl_io_fail_memory(error, "writing", path);
}

static int
ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The number of the corner of a cell; bit k of `corner` is set on its far side along axis k. */
static int64_t
number_of(const Corners *c, const int64_t *index, int corner)
{
    int64_t number = 0;
    for (int k = 0; k < c->axes; k++)
        number = number * c->points[k] + index[k] - c->low[k] + (corner >> k & 1);
    return number;
}

/* Finds the corners. */
static bool
find_corners(Corners *c, const SnlIoArray *a, const char *path, SnlIoError *error)
{
    int64_t high[3] = { 0, 0, 0 }, total = 1, all;
    int each = 1 << a->index_axes;
    memset(c, 0, sizeof *c);
    c->axes = a->index_axes;
    for (int64_t n = 0; n < a->cells; n++)
        for (int k = 0; k < c->axes; k++) {
            int64_t at = a->coords[n * c->axes + k];
            c->low[k] = n == 0 || at < c->low[k] ? at : c->low[k];
            high[k] = n == 0 || at > high[k] ? at : high[k];
        }
    for (int k = 0; k < c->axes; k++) {
        c->points[k] = high[k] - c->low[k] + 2;
        if (__builtin_mul_overflow(total, c->points[k], &total))
            return snl_io_fail(error,
                               "'%s': the active cells of field %s are too far apart for this kind "
                               "of file; .h5 and .nvdb take them",
                               path, a->name);
    }
    if (__builtin_mul_overflow(a->cells, (int64_t)each * 8, &all))
        return no_memory(path, error);
    c->numbers = (int64_t *)malloc((size_t)all + 1);
    if (!c->numbers)
        return no_memory(path, error);
    for (int64_t n = 0; n < a->cells; n++)
        for (int corner = 0; corner < each; corner++)
            c->numbers[n * each + corner] = number_of(c, a->coords + n * c->axes, corner);
    all = a->cells * each;
    qsort(c->numbers, (size_t)all, sizeof *c->numbers, ascending);
    for (int64_t n = 0; n < all; n++)
        if (n == 0 || c->numbers[n] != c->numbers[n - 1])
            c->numbers[c->count++] = c->numbers[n];
    return true;
}

/* Which of the corners has the number. */
static int64_t
place_of(const Corners *c, int64_t number)
{
    int64_t from = 0, to = c->count;
    while (to - from > 1) {
        int64_t middle = from + (to - from) / 2;
        if (c->numbers[middle] <= number)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* Packs the coordinates of all corners. */
static bool
add_points(SnlVtkWriter *w, const Corners *c, const SnlIoArray *a)
{
    double *points = (double *)calloc((size_t)c->count + 1, 3 * sizeof *points);
    bool good = points || no_memory(w->path, w->error);
    for (int64_t n = 0; points && n < c->count; n++) {
        int64_t number = c->numbers[n];
        for (int k = c->axes - 1; k >= 0; k--) {
            points[3 * n + k] = snl_io_place(a, k, (double)(c->low[k] + number % c->points[k]));
            number /= c->points[k];
        }
    }
    good = good && snl_vtk_add(w, "points", SNL_F64, 3, points, 3 * c->count);
    free(points);
    return good;
}

/* Packs what each cell is made of: its corners, where they end, and its shape. */
static bool
add_shapes(SnlVtkWriter *w, const Corners *c, const SnlIoArray *a)
{
    static const unsigned char shapes[] = { 0, VTK_LINE, VTK_PIXEL, VTK_VOXEL };
    int each = 1 << c->axes;
    size_t n = (size_t)a->cells;
    int64_t *numbers = (int64_t *)malloc(n * (size_t)each * sizeof *numbers + 1);
    unsigned char *types = (unsigned char *)malloc(n + 1);
    bool good = (numbers && types) || no_memory(w->path, w->error);
    if (good) {
        for (int64_t k = 0; k < a->cells; k++)
            for (int corner = 0; corner < each; corner++)
                numbers[k * each + corner] = place_of(c, number_of(c, a->coords + k * c->axes,
                                                                   corner));
        good = snl_vtk_add(w, "connectivity", SNL_I64, 1, numbers, a->cells * each);
        for (int64_t k = 0; k < a->cells; k++)
            numbers[k] = (k + 1) * each;
        memset(types, shapes[c->axes], n);
    }
    good = good && snl_vtk_add(w, "offsets", SNL_I64, 1, numbers, a->cells)
           && snl_vtk_add(w, "types", SNL_U8, 1, types, a->cells);
    free(numbers);
    free(types);
    return good;
}

/* False, with a message, unless all fields have the same cells. */
static bool
check_cells(const char *path, int count, const SnlIoArray *arrays, SnlIoError *error)
{
    for (int n = 0; n < count; n++) {
        const SnlIoArray *a = &arrays[0], *b = &arrays[n];
        if (a->index_axes != b->index_axes || a->cells != b->cells
            || memcmp(a->coords, b->coords,
                      (size_t)(a->cells * a->index_axes) * sizeof *a->coords) != 0)
            return snl_io_fail(error, "'%s': fields %s and %s differ in their active cells; a .vtu "
                               "holds one set of cells", path, a->name, b->name);
        if (!snl_io_same_units(a, b))
            return snl_io_fail(error, "'%s': fields %s and %s differ in spacing or origin", path,
                               a->name, b->name);
    }
    return true;
}

/* Writes the tags. */
static void
write_tags(SnlVtkWriter *w, const Corners *c, const SnlIoArray *a)
{
    FILE *f = w->out.file;
    fprintf(f, "<UnstructuredGrid>\n<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n"
            "<Points>\n", (long long)c->count, (long long)a->cells);
    snl_vtk_array(w, 0);
    fputs("</Points>\n<Cells>\n", f);
    for (int k = 1; k < 4; k++)
        snl_vtk_array(w, k);
    fputs("</Cells>\n<CellData>\n", f);
    for (int k = 4; k < w->count; k++)
        snl_vtk_array(w, k);
    fputs("</CellData>\n</Piece>\n</UnstructuredGrid>\n", f);
}

bool
snl_vtu_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
             SnlIoError *error)
{
    const SnlIoArray *a = &arrays[0];
    SnlVtkWriter w;
    Corners c;
    bool good;
    if (!check_cells(path, count, arrays, error))
        return false;
    snl_vtk_begin(&w, path, error);
    good = find_corners(&c, a, path, error) && add_points(&w, &c, a) && add_shapes(&w, &c, a)
           && snl_vtk_add(&w, "index", SNL_I64, a->index_axes, a->coords,
                          a->cells * a->index_axes);
    for (int k = 0; k < count && good; k++) {
        int64_t components = snl_io_components(&arrays[k]);
        good = snl_vtk_add(&w, arrays[k].name, arrays[k].tag, components, data[k],
                           components * a->cells);
    }
    good = good && snl_vtk_open(&w, "UnstructuredGrid");
    if (good)
        write_tags(&w, &c, a);
    free(c.numbers);
    return snl_vtk_end(&w, good);
}

/* Reads the number of cells, and finds the arrays of the indices and of the field. */
static bool
find_arrays(const SnlVtkFile *f, const SnlIoArray *a, int64_t *cells, SnlVtkTag *index,
            SnlVtkTag *values)
{
    SnlVtkTag piece;
    int64_t components;
    bool of_points;
    if (!snl_vtk_find_piece(f, &piece) || !snl_vtk_integers(f, &piece, "NumberOfCells", cells, 1)
        || !snl_vtk_find_array(f, "index", index, &of_points)
        || !snl_vtk_integers(f, index, "NumberOfComponents", &components, 1)
        || !snl_vtk_find_array(f, a->name, values, &of_points)
        || !snl_vtk_check(f, values, a, NULL))
        return false;
    /* zlib packs to a thousandth at best */
    if (*cells < 0 || (uint64_t)*cells / 1100 > f->map.bytes)
        return snl_io_fail_at(f->error, f->map.path, piece.at,
                              "%lld cells, which cannot be in a file of %llu bytes,",
                              (long long)*cells, (unsigned long long)f->map.bytes);
    if (components != a->index_axes)
        return snl_io_fail(f->error,
                           "'%s' has cells of %lld indices at offset %llu, field %s needs "
                           "%d",
                           f->map.path, (long long)components, (unsigned long long)index->at,
                           a->name, a->index_axes);
    return true;
}

bool
snl_vtu_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error)
{
    SnlVtkFile f;
    SnlVtkTag index, values;
    bool good;
    if (!snl_vtk_map(&f, path, "UnstructuredGrid", error))
        return false;
    good = find_arrays(&f, a, cells, &index, &values);
    snl_vtk_close(&f);
    return good;
}

bool
snl_vtu_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                   SnlIoError *error)
{
    SnlVtkFile f;
    SnlVtkTag index, values;
    int64_t cells;
    bool good;
    if (!snl_vtk_map(&f, path, "UnstructuredGrid", error))
        return false;
    good = find_arrays(&f, a, &cells, &index, &values)
           && (cells == a->cells || snl_io_fail(error, "'%s' was changed while it was read", path))
           && snl_vtk_read(&f, &index, SNL_I64, coords, cells * a->index_axes)
           && snl_vtk_read(&f, &values, a->tag, data, cells * snl_io_components(a));
    for (int64_t k = 0; good && k < cells; k++)
        good = snl_io_check_cell(path, a, coords + k * a->index_axes, index.data_at, error);
    snl_vtk_close(&f);
    return good;
}
