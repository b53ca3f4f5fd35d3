/* io_xdmf.c - the .xdmf beside a .h5: XML that tells ParaView what the data sets are.
 *
 * A dense field of 1 to 3 indices is a grid of cells, whose last index is x, as the format has it
 * for row-major data; a sparse one is the points at its active cells, with the first index as x.
 * Sparse fields of one index, as lists are, have points where the first of them that can says so.
 */
#include "io_h5.h"

#ifdef SNL_HAVE_HDF5

#include <stdlib.h>

/* The attributes of a scalar type: NumberType and Precision. */
static void
write_type(FILE *f, int tag)
{
    static const char *const kinds[] = { "Char", "Char", "Int", "Int", "Int", "UChar", "UInt",
                                         "UInt", "UInt", "Float", "Float", "Float" };
    fprintf(f, "NumberType=\"%s\" Precision=\"%d\"", kinds[tag], snl_scalar_bytes(tag));
}

/* A reference to a data set of so many elements, then components. */
static void
write_item(FILE *f, const char *h5, const SnlIoArray *a, const char *part, int64_t elements)
{
    fputs("<DataItem Format=\"HDF\" ", f);
    write_type(f, a->tag);
    fputs(" Dimensions=\"", f);
    if (elements >= 0)
        fprintf(f, "%lld", (long long)elements);
    for (int k = elements >= 0 ? a->index_axes : 0; k < a->axes; k++)
        fprintf(f, "%s%lld", k > 0 ? " " : "", (long long)a->shape[k]);
    fprintf(f, "\">%s:/%s%s</DataItem>\n", h5, a->name, part);
}

static void
write_values(FILE *f, const char *h5, const SnlIoArray *a)
{
    int64_t components = snl_io_components(a);
    const char *kind = a->axes == a->index_axes ? "Scalar" : components == 3 ? "Vector"
                       : components == 9 ? "Tensor" : "Matrix";
    fprintf(f, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">\n", a->name, kind,
            a->coords ? "Node" : "Cell");
    write_item(f, h5, a, a->coords ? "/values" : "", a->coords ? a->cells : -1);
    fputs("</Attribute>\n", f);
}

/* Three numbers, z first; axes that the field lacks come first. */
static void
write_three(FILE *f, const SnlIoArray *a, const int64_t *numbers, int64_t more, int64_t missing)
{
    for (int k = 0; k < 3; k++) {
        int axis = k - (3 - a->index_axes);
        fprintf(f, "%s%lld", k ? " " : "", (long long)(axis < 0 ? missing : numbers[axis] + more));
    }
}

/* Where the first element of a dense field lies, and the distances, z first. */
static void
write_units(FILE *f, const SnlIoArray *a)
{
    char text[SNL_IO_NUMBERS];
    double origin[3] = { 0, 0, 0 }, spacing[3] = { 1, 1, 1 };
    for (int k = 0; k < a->index_axes; k++) {
        origin[3 - a->index_axes + k] = snl_io_place(a, k, (double)a->offset[k]);
        spacing[3 - a->index_axes + k] = snl_io_spacing(a, k);
    }
    snl_io_three(text, origin[0], origin[1], origin[2]);
    fprintf(f, "%s</DataItem>\n<DataItem Format=\"XML\" Dimensions=\"3\">", text);
    snl_io_three(text, spacing[0], spacing[1], spacing[2]);
    fprintf(f, "%s</DataItem>\n</Geometry>\n", text);
}

/* The head of a grid of points, which are the elements of a data set. */
static void
write_points(FILE *f, const char *h5, const SnlIoArray *a, const char *part, const char *axes)
{
    fprintf(f, "<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%lld\"/>\n"
            "<Geometry GeometryType=\"%s\">\n", (long long)a->cells, axes);
    write_item(f, h5, a, part, a->cells);
    fputs("</Geometry>\n", f);
}

static void
write_grid(FILE *f, const char *h5, const SnlIoArray *a)
{
    fprintf(f, "<Grid Name=\"%s\" GridType=\"Uniform\">\n", a->name);
    if (a->coords) {
        SnlIoArray index = *a;
        index.tag = a->units ? SNL_F64 : SNL_I64;
        index.axes = a->index_axes + 1;
        index.shape[a->index_axes] = a->index_axes;
        write_points(f, h5, &index, a->units ? "/places" : "/coords",
                     a->index_axes == 3 ? "XYZ" : "XY");
        return;
    }
    fputs("<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"", f);
    write_three(f, a, a->shape, 1, 2);
    fputs("\"/>\n<Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
          "<DataItem Format=\"XML\" Dimensions=\"3\">", f);
    write_units(f, a);
}

/* True if both fields have one grid. */
static bool
same_grid(const SnlIoArray *a, const SnlIoArray *b)
{
    bool same = a->index_axes == b->index_axes && !a->coords && !b->coords
                && snl_io_same_units(a, b);
    for (int k = 0; same && k < a->index_axes; k++)
        same = a->shape[k] == b->shape[k] && a->offset[k] == b->offset[k];
    return same;
}

/* Has a field cells along one index, as lists have? */
static bool
is_list(const SnlIoArray *a)
{
    return a->coords && a->index_axes == 1;
}

/* Writes one grid for the fields of lists that have the cells of the first one which says where
 * points are. */
static void
write_lists(FILE *f, const char *h5, int count, const SnlIoArray *arrays)
{
    const SnlIoArray *places = NULL;
    for (int k = 0; k < count && !places; k++)
        places = is_list(&arrays[k]) && snl_io_are_places(&arrays[k]) ? &arrays[k] : NULL;
    if (!places)
        return;
    fprintf(f, "<Grid Name=\"%s\" GridType=\"Uniform\">\n", places->name);
    write_points(f, h5, places, "/values", snl_io_components(places) == 3 ? "XYZ" : "XY");
    for (int k = 0; k < count; k++) {
        const SnlIoArray *a = &arrays[k];
        if (a != places && is_list(a) && a->cells == places->cells
            && memcmp(a->coords, places->coords, (size_t)a->cells * sizeof *a->coords) == 0)
            write_values(f, h5, a);
    }
    fputs("</Grid>\n", f);
}

/* True if the format can show the field. */
static bool
has_place(const SnlIoArray *a)
{
    return a->index_axes <= 3 && a->index_axes >= (a->coords ? 2 : 1);
}

bool
snl_xdmf_save(const char *path, int count, const SnlIoArray *arrays, SnlIoError *error)
{
    const char *slash = strrchr(path, '/'), *h5 = slash ? slash + 1 : path;
    const SnlIoArray *last = NULL;
    size_t stem = strlen(path) - strlen(".h5");
    char *name = (char *)malloc(stem + sizeof ".xdmf");
    SnlIoWriter w;
    bool good;
    if (!name)
        return snl_io_fail_memory(error, "writing", path);
    memcpy(name, path, stem);
    memcpy(name + stem, ".xdmf", sizeof ".xdmf");
    good = snl_io_create(&w, name, error);
    if (good) {
        fputs("<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n", w.file);
        write_lists(w.file, h5, count, arrays);
        for (int k = 0; k < count; k++) {
            if (!has_place(&arrays[k]))
                continue;
            if (!last || !same_grid(last, &arrays[k])) {
                if (last)
                    fputs("</Grid>\n", w.file);
                write_grid(w.file, h5, &arrays[k]);
            }
            last = &arrays[k];
            write_values(w.file, h5, last);
        }
        if (last)
            fputs("</Grid>\n", w.file);
        fputs("</Domain>\n</Xdmf>\n", w.file);
        good = snl_io_finish(&w, error);
    }
    free(name);
    return good;
}

#endif
