/* io_vtp.c - .vtp: points of VTK, for ParaView.  The first field says where they are, the others
 * are arrays of the points.
 *
 *     <Points> the first field, with z = 0 for vectors of 2 </Points>
 *     <Verts>  one vertex for each point, so that it is drawn </Verts>
 *     <PointData> the other fields </PointData>
 */
#include "io_vtk.h"

#include <stdlib.h>

#include "io_points.h"

/* What VTK calls the points of a file that has no better name for them. */
static const char plain_name[] = "Points";

static bool
no_memory(const char *verb, const char *path, SnlIoError *error)
{
    return snl_io_fail_memory(error, verb, path);
}

/* ---- writing ---- */

/* Packs where the points are: three numbers each. */
static bool
add_places(SnlVtkWriter *w, const SnlIoArray *a, const void *data)
{
    const size_t bytes = (size_t)snl_scalar_bytes(a->tag), given = (size_t)snl_io_components(a);
    char *all;
    bool good;
    if (given == 3)
        return snl_vtk_add(w, a->name, a->tag, 3, data, 3 * a->cells);
    all = (char *)calloc((size_t)a->cells + 1, 3 * bytes);
    good = all || no_memory("writing", w->path, w->error);
    for (int64_t k = 0; all && k < a->cells; k++)
        memcpy(all + (size_t)k * 3 * bytes, (const char *)data + (size_t)k * given * bytes,
               given * bytes);
    good = good && snl_vtk_add(w, a->name, a->tag, 3, all, 3 * a->cells);
    free(all);
    return good;
}

/* Packs one vertex for each point: its number, and where the list of its numbers ends. */
static bool
add_vertices(SnlVtkWriter *w, int64_t points)
{
    int64_t *numbers = (int64_t *)malloc(((size_t)points + 1) * sizeof *numbers);
    bool good = numbers || no_memory("writing", w->path, w->error);
    for (int64_t k = 0; numbers && k <= points; k++)
        numbers[k] = k;
    good = good && snl_vtk_add(w, "connectivity", SNL_I64, 1, numbers, points)
           && snl_vtk_add(w, "offsets", SNL_I64, 1, numbers + 1, points);
    free(numbers);
    return good;
}

static void
write_tags(SnlVtkWriter *w, int64_t points)
{
    FILE *f = w->out.file;
    fprintf(f, "<PolyData>\n<Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"%lld\" "
            "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<Points>\n",
            (long long)points, (long long)points);
    snl_vtk_array(w, 0);
    fputs("</Points>\n<Verts>\n", f);
    snl_vtk_array(w, 1);
    snl_vtk_array(w, 2);
    fputs("</Verts>\n<PointData>\n", f);
    for (int k = 3; k < w->count; k++)
        snl_vtk_array(w, k);
    fputs("</PointData>\n</Piece>\n</PolyData>\n", f);
}

bool
snl_vtp_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
             SnlIoError *error)
{
    SnlVtkWriter w;
    bool good;
    if (!snl_points_check(path, count, arrays, error))
        return false;
    snl_vtk_begin(&w, path, error);
    good = add_places(&w, &arrays[0], data[0]) && add_vertices(&w, arrays[0].cells);
    for (int k = 1; k < count && good; k++) {
        int64_t components = snl_io_components(&arrays[k]);
        good = snl_vtk_add(&w, arrays[k].name, arrays[k].tag, components, data[k],
                           components * arrays[k].cells);
    }
    good = good && snl_vtk_open(&w, "PolyData");
    if (good)
        write_tags(&w, arrays[0].cells);
    return snl_vtk_end(&w, good);
}

/* ---- reading ---- */

/* Is the field where the points of the file are? Those without a name of a field go to one called
 * points. */
static bool
are_places(const SnlVtkFile *f, const SnlIoArray *a, SnlVtkTag *values)
{
    SnlVtkTag points;
    char name[256];
    if (!snl_vtk_find(f, 0, "Points", &points)
        || !snl_vtk_find(f, points.after, "DataArray", values)
        || !snl_vtk_attribute(values, "Name", name, sizeof name))
        return false;
    return strcmp(name, a->name) == 0
           || (strcmp(name, plain_name) == 0 && strcmp(a->name, "points") == 0);
}

/* The array as the file has it: places have three components. */
static SnlIoArray
as_stored(const SnlIoArray *a, bool is_place)
{
    SnlIoArray stored = *a;
    if (is_place && snl_io_are_places(a))
        stored.shape[a->index_axes] = 3;
    return stored;
}

/* Reads the number of points and finds the array of the field. */
static bool
find_array(const SnlVtkFile *f, const SnlIoArray *a, int64_t *points, SnlVtkTag *values,
           bool *is_place)
{
    SnlVtkTag piece;
    SnlIoArray stored;
    bool of_points;
    if (!snl_vtk_find_piece(f, &piece) || !snl_vtk_integers(f, &piece, "NumberOfPoints", points, 1))
        return false;
    *is_place = are_places(f, a, values);
    if (!*is_place && !snl_vtk_find_array(f, a->name, values, &of_points))
        return false;
    if (!*is_place && !of_points)
        return snl_io_fail_at(f->error, f->map.path, values->at, "an array of cells, not points,");
    /* zlib packs to a thousandth at best */
    if (*points < 0 || (uint64_t)*points / 1100 > f->map.bytes)
        return snl_io_fail_at(f->error, f->map.path, piece.at,
                              "%lld points, which cannot be in a file of %llu bytes,",
                              (long long)*points, (unsigned long long)f->map.bytes);
    stored = as_stored(a, *is_place);
    return snl_points_have_room(f->map.path, a, *points, piece.at, f->error)
           && snl_vtk_check(f, values, &stored, NULL);
}

bool
snl_vtp_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error)
{
    SnlVtkFile f;
    SnlVtkTag values;
    bool good, is_place;
    if (!snl_points_take(path, a, error) || !snl_vtk_map(&f, path, "PolyData", error))
        return false;
    good = find_array(&f, a, cells, &values, &is_place);
    snl_vtk_close(&f);
    return good;
}

/* Reads places into vectors of 2: z must be 0. */
static bool
read_flat(const SnlVtkFile *f, SnlVtkTag *values, const SnlIoArray *a, char *data)
{
    static const char zero[8] = { 0 };
    const size_t bytes = (size_t)snl_scalar_bytes(a->tag), points = (size_t)a->cells;
    char *all = (char *)malloc(points * 3 * bytes + 1);
    bool good = all ? snl_vtk_read(f, values, a->tag, all, 3 * a->cells)
                    : no_memory("reading", f->map.path, f->error);
    for (size_t k = 0; good && k < points; k++) {
        memcpy(data + k * 2 * bytes, all + k * 3 * bytes, 2 * bytes);
        if (memcmp(all + (k * 3 + 2) * bytes, zero, bytes) != 0)
            good = snl_io_fail(f->error, "'%s': point %zu is not at z = 0; field %s has 2 "
                               "components, and its array begins at offset %zu", f->map.path, k,
                               a->name, values->data_at);
    }
    free(all);
    return good;
}

bool
snl_vtp_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                   SnlIoError *error)
{
    SnlVtkFile f;
    SnlVtkTag values;
    int64_t points;
    bool good, is_place;
    if (!snl_vtk_map(&f, path, "PolyData", error))
        return false;
    snl_points_number(a, coords);
    good = find_array(&f, a, &points, &values, &is_place)
           && (points == a->cells
               || snl_io_fail(error, "'%s' was changed while it was read", path));
    if (good && is_place && snl_io_components(a) == 2)
        good = read_flat(&f, &values, a, (char *)data);
    else if (good)
        good = snl_vtk_read(&f, &values, a->tag, data, points * snl_io_components(a));
    snl_vtk_close(&f);
    return good;
}
