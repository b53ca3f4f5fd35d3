/* io_ply.c - .ply: points with properties, for MeshLab, Blender and others.  Binary is written;
 * binary of either byte order and text are read.
 *
 *     ply
 *     format binary_little_endian 1.0
 *     comment points of FIELD             the field that the properties x, y, z are
 *     element vertex COUNT
 *     property float x ...
 *     end_header                          then one record a point
 */
#include "io_points.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "../core/locale_inside.h"

enum { PROPERTIES_MAX = 1024, NAME_MAX_BYTES = 128, WORDS_MAX = 5, LINE_MAX_BYTES = 512 };

/* ---- names ---- */

/* Fields whose components have names that other programs know. */
static const struct {
    const char *field;
    int tag, least, most;       /* of which type, with how many components */
    const char *names[4];
} known[] = {
    { "normal", SNL_F32, 3, 3, { "nx", "ny", "nz" } },
    { "color", SNL_U8, 3, 4, { "red", "green", "blue", "alpha" } },
    { "colour", SNL_U8, 3, 4, { "red", "green", "blue", "alpha" } },
};

/* The name of the property of a component. */
static void
property_name(char *out, const SnlIoArray *a, int64_t component, bool is_place)
{
    const int64_t count = snl_io_components(a);
    if (is_place) {
        snprintf(out, NAME_MAX_BYTES, "%c", "xyz"[component]);
        return;
    }
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (strcmp(a->name, known[k].field) == 0 && a->tag == known[k].tag
            && a->axes == a->index_axes + 1 && count >= known[k].least && count <= known[k].most) {
            snprintf(out, NAME_MAX_BYTES, "%s", known[k].names[component]);
            return;
        }
    snl_points_name(out, NAME_MAX_BYTES, a, component);
}

/* ---- types ---- */

/* The names of a type in a header, the older one first; NULL: a file has no such numbers. */
static const char *const type_names[SNL_SCALAR_COUNT][2] = {
    { "uchar", "uint8" }, { "char", "int8" }, { "short", "int16" }, { "int", "int32" },
    { NULL, NULL }, { "uchar", "uint8" }, { "ushort", "uint16" }, { "uint", "uint32" },
    { NULL, NULL }, { "float", "float32" }, { "float", "float32" }, { "double", "float64" }
};

/* The type of that name, or -1. */
static int
type_of(const char *name)
{
    static const int tags[] = { SNL_I8, SNL_I16, SNL_I32, SNL_U8, SNL_U16, SNL_U32, SNL_F32,
                                SNL_F64 };
    for (size_t k = 0; k < sizeof tags / sizeof tags[0]; k++)
        if (strcmp(name, type_names[tags[k]][0]) == 0 || strcmp(name, type_names[tags[k]][1]) == 0)
            return tags[k];
    return -1;
}

/* ---- writing ---- */

/* A property: the component of a field. */
typedef struct {
    char name[NAME_MAX_BYTES];
    int array;                  /* -1: z, which is 0 */
    int64_t component;
} Property;

/* Lists the properties; false, with a message, where two have one name. */
static int
list_properties(const char *path, int count, const SnlIoArray *arrays, Property *list,
                SnlIoError *error)
{
    int n = 0;
    for (int k = 0; k < count; k++) {
        const int64_t components = snl_io_components(&arrays[k]);
        for (int64_t c = 0; c < components || (k == 0 && c < 3); c++) {
            if (n == PROPERTIES_MAX)
                return snl_io_fail(error, "'%s': too many fields for one file", path);
            property_name(list[n].name, &arrays[k], c, k == 0);
            list[n].array = c < components ? k : -1;
            list[n].component = c;
            for (int other = 0; other < n; other++)
                if (strcmp(list[other].name, list[n].name) == 0)
                    return snl_io_fail(error, "'%s': field %s would be property '%s', which "
                                       "another is", path, arrays[k].name, list[n].name);
            n++;
        }
    }
    return n;
}

static void
write_header(FILE *f, const SnlIoArray *arrays, const Property *list, int n)
{
    fprintf(f, "ply\nformat binary_little_endian 1.0\ncomment points of %s\nelement vertex %lld\n",
            arrays[0].name, (long long)arrays[0].cells);
    for (int k = 0; k < n; k++)
        fprintf(f, "property %s %s\n",
                type_names[arrays[list[k].array < 0 ? 0 : list[k].array].tag][0], list[k].name);
    fputs("end_header\n", f);
}

/* Writes the component of one point. */
static void
write_value(FILE *f, const SnlIoArray *a, const void *data, int64_t at)
{
    size_t bytes = (size_t)snl_scalar_bytes(a->tag);
    char value[8] = { 0 };
    if (a->tag == SNL_F16) {
        const float wide = snl_f16_to_f32(((const snl_f16 *)data)[at]);
        bytes = sizeof wide;
        memcpy(value, &wide, bytes);
    } else if (at >= 0) {
        memcpy(value, (const char *)data + (size_t)at * bytes, bytes);
    }
    if (!snl_io_little_endian())
        snl_io_swap(value, 1, bytes);
    fwrite(value, 1, bytes, f);
}

bool
snl_ply_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
             SnlIoError *error)
{
    SnlIoWriter w;
    Property *list;
    int n;
    if (!snl_points_check(path, count, arrays, error))
        return false;
    list = (Property *)malloc(PROPERTIES_MAX * sizeof *list);
    if (!list)
        return snl_io_fail_memory(error, "writing", path);
    n = list_properties(path, count, arrays, list, error);
    if (n == 0 || !snl_io_create(&w, path, error)) {
        free(list);
        return false;
    }
    write_header(w.file, arrays, list, n);
    for (int64_t point = 0; point < arrays[0].cells; point++)
        for (int k = 0; k < n; k++) {
            const int from = list[k].array < 0 ? 0 : list[k].array;
            const int64_t at = list[k].array < 0 ? -1
                               : point * snl_io_components(&arrays[from]) + list[k].component;
            write_value(w.file, &arrays[from], data[from], at);
        }
    free(list);
    return snl_io_finish(&w, error);
}

/* ---- reading ---- */

enum { TEXT, LITTLE, BIG };

typedef struct {
    SnlIoMap map;
    SnlIoError *error;
    const SnlIoArray *a;
    size_t at;                  /* of the next byte */
    int format;
    char place[NAME_MAX_BYTES]; /* the field that x, y, z are */
    int64_t points;
    int count;                  /* of properties of a vertex */
    signed char tags[PROPERTIES_MAX];
    short components[PROPERTIES_MAX];   /* of the field, or -1 */
    int found;                  /* so many of them */
} File;

static bool
damaged(const File *f, size_t at, const char *what)
{
    return snl_io_fail_at(f->error, f->map.path, at, "%s", what);
}

/* Reads a line of the header into words; how many there are, or -1 after a message. */
static int
read_line(File *f, char *line, char **words)
{
    const char *text = (const char *)f->map.data + f->at;
    const size_t left = f->map.bytes - f->at;
    const char *end = left ? (const char *)memchr(text, '\n', left) : NULL;
    int n = 0;
    size_t bytes = end ? (size_t)(end - text) : 0;
    if (!end || bytes >= LINE_MAX_BYTES) {
        damaged(f, f->at, "a line of the header does not end");
        return -1;
    }
    memcpy(line, text, bytes);
    line[bytes] = '\0';
    for (char *p = line; n < WORDS_MAX;) {
        while (*p && isspace((unsigned char)*p))
            *p++ = '\0';
        if (!*p)
            break;
        words[n++] = p;
        while (*p && !isspace((unsigned char)*p))
            p++;
    }
    for (int k = n; k < WORDS_MAX; k++)
        words[k] = line + bytes;        /* "" */
    f->at += bytes + 1;
    return n;
}

/* Is the field where the points are? Those of a file that does not say go to one called points. */
static bool
are_places(const File *f)
{
    return snl_io_are_places(f->a) && strcmp(f->place[0] ? f->place : "points", f->a->name) == 0;
}

/* Notes a property of a vertex. */
static bool
add_property(File *f, size_t at, char **words)
{
    const bool is_place = are_places(f);
    const int64_t components = snl_io_components(f->a);
    const int tag = type_of(words[1]);
    if (strcmp(words[1], "list") == 0)
        return damaged(f, at, "points with lists are not read; such a property");
    if (tag < 0 || f->count == PROPERTIES_MAX)
        return damaged(f, at, tag < 0 ? "a property of an unknown type" : "too many properties");
    f->tags[f->count] = (signed char)tag;
    f->components[f->count] = -1;
    for (int64_t c = 0; c < (is_place ? 3 : components); c++) {
        char name[NAME_MAX_BYTES];
        property_name(name, f->a, c, is_place);
        if (strcmp(name, words[2]) == 0) {
            f->components[f->count] = (short)c;
            f->found += c < components;
        }
    }
    f->count++;
    return true;
}

static bool
read_format(File *f, size_t at, char **words)
{
    static const char *const names[] = { "ascii", "binary_little_endian", "binary_big_endian" };
    for (int k = 0; k < 3; k++)
        if (strcmp(words[1], names[k]) == 0) {
            f->format = k;
            return true;
        }
    return damaged(f, at, "an unknown format");
}

/* Reads "element vertex COUNT"; points must come first. */
static bool
read_element(File *f, size_t at, char **words, bool *is_vertex)
{
    char *end;
    *is_vertex = strcmp(words[1], "vertex") == 0;
    if (!*is_vertex)
        return f->points >= 0 || damaged(f, at, "an element before the vertices");
    errno = 0;
    if (f->points >= 0)
        return damaged(f, at, "vertices for the second time");
    f->points = strtoll(words[2], &end, 10);
    if (end == words[2] || *end || errno || f->points < 0)
        return damaged(f, at, "a bad number of vertices");
    return true;
}

/* Reads the header, and finds the components of the field. */
static bool
read_header(File *f)
{
    char line[LINE_MAX_BYTES], *words[WORDS_MAX];
    bool is_vertex = false, is_good = true;
    f->points = -1;
    if (read_line(f, line, words) < 0)
        return false;
    if (strcmp(words[0], "ply") != 0)
        return snl_io_fail(f->error, "'%s' is no .ply file: 'ply' expected at offset 0",
                           f->map.path);
    while (is_good) {
        const size_t at = f->at;
        if (read_line(f, line, words) < 0)
            return false;
        if (strcmp(words[0], "end_header") == 0)
            break;
        if (strcmp(words[0], "format") == 0)
            is_good = read_format(f, at, words);
        else if (strcmp(words[0], "element") == 0)
            is_good = read_element(f, at, words, &is_vertex);
        else if (strcmp(words[0], "property") == 0 && is_vertex)
            is_good = add_property(f, at, words);
        else if (strcmp(words[0], "comment") == 0 && strcmp(words[1], "points") == 0
                 && strcmp(words[2], "of") == 0)
            snprintf(f->place, sizeof f->place, "%.100s", words[3]);
    }
    return is_good && (f->points >= 0 || damaged(f, f->at, "no vertices in the header"));
}

/* Are the points in the file, with all components of the field? */
static bool
check_header(const File *f)
{
    const SnlIoArray *a = f->a;
    uint64_t bytes = 0;
    for (int k = 0; k < f->count; k++)
        bytes += f->format == TEXT ? 2 : (uint64_t)snl_scalar_bytes(f->tags[k]);
    if (f->found != snl_io_components(a)) {
        char type[64];
        snl_io_type_text(type, sizeof type, a);
        return snl_io_fail(f->error, "'%s' has no properties for field %s of type %s in its "
                           "header, which ends at offset %zu", f->map.path, a->name, type, f->at);
    }
    if (bytes && (uint64_t)f->points > (f->map.bytes + 1 - f->at) / bytes)
        return snl_io_fail_at(f->error, f->map.path, f->map.bytes, "cut short: %lld vertices "
                              "expected, but the file ends", (long long)f->points);
    return snl_points_have_room(f->map.path, a, f->points, f->at, f->error);
}

static bool
open_file(File *f, const char *path, const SnlIoArray *a, SnlIoError *error)
{
    memset(f, 0, sizeof *f);
    f->error = error;
    f->a = a;
    if (!snl_io_map(&f->map, path, error))
        return false;
    if (read_header(f) && check_header(f))
        return true;
    snl_io_unmap(&f->map);
    return false;
}

bool
snl_ply_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error)
{
    File *f = (File *)malloc(sizeof *f);
    bool good;
    if (!f)
        return snl_io_fail_memory(error, "reading", path);
    good = snl_points_take(path, a, error) && open_file(f, path, a, error);
    if (good) {
        *cells = f->points;
        snl_io_unmap(&f->map);
    }
    free(f);
    return good;
}

/* The next number, which a property of the type has. */
static bool
read_number(File *f, int tag, double *value)
{
    const size_t bytes = (size_t)snl_scalar_bytes(tag);
    char text[64], *end;
    size_t n = 0;
    if (f->format != TEXT) {
        if (bytes > f->map.bytes - f->at)
            return damaged(f, f->map.bytes, "cut short: a vertex expected");
        memcpy(text, f->map.data + f->at, bytes);
        if ((f->format == LITTLE) != snl_io_little_endian())
            snl_io_swap(text, 1, bytes);
        f->at += bytes;
        *value = snl_points_get(tag, text);
        return true;
    }
    while (f->at < f->map.bytes && isspace(f->map.data[f->at]))
        f->at++;
    while (f->at + n < f->map.bytes && n + 1 < sizeof text && !isspace(f->map.data[f->at + n])) {
        text[n] = (char)f->map.data[f->at + n];
        n++;
    }
    text[n] = '\0';
    *value = strtod(text, &end);
    if (end == text || *end)
        return damaged(f, f->at, n ? "a bad number" : "cut short: a vertex expected");
    f->at += n;
    return true;
}

/* Reads all vertices. */
static bool
read_vertices(File *f, void *data)
{
    const int64_t components = snl_io_components(f->a);
    for (int64_t point = 0; point < f->points; point++)
        for (int k = 0; k < f->count; k++) {
            const size_t at = f->at;
            const int c = f->components[k];
            double value = 0;
            if (!read_number(f, f->tags[k], &value))
                return false;
            if (c >= components && value != 0)
                return snl_io_fail_at(f->error, f->map.path, at, "a point that is not at z = 0, as "
                                      "field %s with 2 components needs it,", f->a->name);
            if (c >= 0 && c < components
                && !snl_points_put(f->a->tag, data, point * components + c, value))
                return snl_io_fail_at(f->error, f->map.path, at, "%g, which %s has no place for,",
                                      value, snl_scalar_name(f->a->tag));
        }
    return true;
}

bool
snl_ply_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                   SnlIoError *error)
{
    File *f = (File *)malloc(sizeof *f);
    bool good = f || snl_io_fail_memory(error, "reading", path);
    if (good && open_file(f, path, a, error)) {
        const SnlCLocale locale = snl_c_locale();
        snl_points_number(a, coords);
        good = (f->points == a->cells
                || snl_io_fail(error, "'%s' was changed while it was read", path))
               && read_vertices(f, data);
        snl_c_locale_end(&locale);
        snl_io_unmap(&f->map);
    } else {
        good = false;
    }
    free(f);
    return good;
}
