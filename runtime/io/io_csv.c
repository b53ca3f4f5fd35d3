/* io_csv.c - .csv: a line of names, then one line for each cell.  One column a component: "m" of a
 * number, "v.x" of a vector, "a[0][1]" of a matrix. */
#include "io_points.h"

#include <errno.h>
#include <stdlib.h>

#include "../core/locale_inside.h"

enum { NAME_MAX_BYTES = 128, COLUMNS_MAX = 65536 };

/* ---- writing ---- */

/* Writes a number so that the same is read. */
static void
write_number(FILE *f, int tag, const void *data, int64_t at)
{
    switch (tag) {
    case SNL_BOOL: fputs(((const bool *)data)[at] ? "1" : "0", f); break;
    case SNL_I8: fprintf(f, "%d", ((const int8_t *)data)[at]); break;
    case SNL_I16: fprintf(f, "%d", ((const int16_t *)data)[at]); break;
    case SNL_I32: fprintf(f, "%ld", (long)((const int32_t *)data)[at]); break;
    case SNL_I64: fprintf(f, "%lld", (long long)((const int64_t *)data)[at]); break;
    case SNL_U8: fprintf(f, "%u", ((const uint8_t *)data)[at]); break;
    case SNL_U16: fprintf(f, "%u", ((const uint16_t *)data)[at]); break;
    case SNL_U32: fprintf(f, "%lu", (unsigned long)((const uint32_t *)data)[at]); break;
    case SNL_U64: fprintf(f, "%llu", (unsigned long long)((const uint64_t *)data)[at]); break;
    case SNL_F16: fprintf(f, "%.5g", (double)snl_f16_to_f32(((const snl_f16 *)data)[at])); break;
    case SNL_F32: fprintf(f, "%.9g", (double)((const float *)data)[at]); break;
    default: fprintf(f, "%.17g", ((const double *)data)[at]); break;
    }
}

static void
write_lines(FILE *f, int count, const SnlIoArray *arrays, const void *const *data)
{
    char name[NAME_MAX_BYTES];
    for (int k = 0; k < count; k++)
        for (int64_t c = 0; c < snl_io_components(&arrays[k]); c++) {
            snl_points_name(name, sizeof name, &arrays[k], c);
            fprintf(f, "%s%s", k || c ? "," : "", name);
        }
    fputc('\n', f);
    for (int64_t point = 0; point < arrays[0].cells; point++) {
        for (int k = 0; k < count; k++) {
            const int64_t components = snl_io_components(&arrays[k]);
            for (int64_t c = 0; c < components; c++) {
                if (k || c)
                    fputc(',', f);
                write_number(f, arrays[k].tag, data[k], point * components + c);
            }
        }
        fputc('\n', f);
    }
}

bool
snl_csv_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
             SnlIoError *error)
{
    SnlIoWriter w;
    SnlCLocale locale;
    if (!snl_points_check(path, count, arrays, error) || !snl_io_create(&w, path, error))
        return false;
    locale = snl_c_locale();
    write_lines(w.file, count, arrays, data);
    snl_c_locale_end(&locale);
    return snl_io_finish(&w, error);
}

/* ---- reading ---- */

typedef struct {
    SnlIoMap map;
    SnlIoError *error;
    const SnlIoArray *a;
    size_t data_at;             /* offset of the first line of numbers */
    int columns;
    int *places;                /* of each component of the field: its column */
} File;

static bool
damaged(const File *f, size_t at, const char *what)
{
    return snl_io_fail_at(f->error, f->map.path, at, "%s", what);
}

/* Where the line ends that begins at `at`. */
static size_t
line_end(const File *f, size_t at)
{
    while (at < f->map.bytes && f->map.data[at] != '\n')
        at++;
    return at;
}

/* Is there nothing but blanks? */
static bool
is_blank(const File *f, size_t from, size_t to)
{
    while (from < to && (f->map.data[from] == ' ' || f->map.data[from] == '\t'
                         || f->map.data[from] == '\r'))
        from++;
    return from == to;
}

/* Copies what stands between commas at *at, without blanks and quotes around it, and goes behind
 * the comma; false after a message where it is too long. */
static bool
next_cell(const File *f, size_t *at, size_t end, char *out)
{
    size_t from = *at, to = from;
    while (to < end && f->map.data[to] != ',')
        to++;
    *at = to + 1;
    while (from < to && (f->map.data[from] == ' ' || f->map.data[from] == '"'))
        from++;
    while (to > from && (f->map.data[to - 1] == ' ' || f->map.data[to - 1] == '"'
                         || f->map.data[to - 1] == '\r'))
        to--;
    if (to - from >= NAME_MAX_BYTES)
        return damaged(f, from, "a cell is too long");
    if (to > from) /* an empty file is mapped nowhere */
        memcpy(out, f->map.data + from, to - from);
    out[to - from] = '\0';
    return true;
}

/* Finds the columns of the field in the first line. */
static bool
find_columns(File *f)
{
    const size_t end = line_end(f, 0);
    const int64_t components = snl_io_components(f->a);
    char name[NAME_MAX_BYTES], cell[NAME_MAX_BYTES];
    int64_t found = 0;
    if (components > COLUMNS_MAX)
        return snl_io_fail(f->error, "'%s': field %s has too many components", f->map.path,
                           f->a->name);
    f->places = (int *)malloc((size_t)components * sizeof *f->places + 1);
    if (!f->places)
        return snl_io_fail_memory(f->error, "reading", f->map.path);
    for (int64_t c = 0; c < components; c++)
        f->places[c] = -1;
    for (size_t at = 0; at <= end; f->columns++) {
        if (!next_cell(f, &at, end, cell))
            return false;
        for (int64_t c = 0; c < components; c++) {
            snl_points_name(name, sizeof name, f->a, c);
            if (f->places[c] < 0 && strcmp(name, cell) == 0) {
                f->places[c] = f->columns;
                found++;
            }
        }
    }
    for (int64_t c = 0; c < components && found < components; c++)
        if (f->places[c] < 0) {
            snl_points_name(name, sizeof name, f->a, c);
            return snl_io_fail(f->error, "'%s' has no column '%s' in its first line, which ends at "
                               "offset %zu", f->map.path, name, end);
        }
    f->data_at = end + 1;
    return true;
}

static void
close_file(File *f)
{
    free(f->places);
    snl_io_unmap(&f->map);
}

static bool
open_file(File *f, const char *path, const SnlIoArray *a, SnlIoError *error)
{
    memset(f, 0, sizeof *f);
    f->error = error;
    f->a = a;
    if (!snl_io_map(&f->map, path, error))
        return false;
    if (find_columns(f))
        return true;
    close_file(f);
    return false;
}

/* Number of lines with numbers. */
static int64_t
count_lines(const File *f)
{
    int64_t lines = 0;
    for (size_t at = f->data_at; at < f->map.bytes;) {
        const size_t end = line_end(f, at);
        lines += !is_blank(f, at, end);
        at = end + 1;
    }
    return lines;
}

bool
snl_csv_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error)
{
    File f;
    bool good;
    if (!snl_points_take(path, a, error) || !open_file(&f, path, a, error))
        return false;
    *cells = count_lines(&f);
    good = snl_points_have_room(path, a, *cells, f.map.bytes, error);
    close_file(&f);
    return good;
}

/* Stores a number that is written out; false where it is none, or the type has none such. */
static bool
store_number(int tag, void *data, int64_t at, const char *text)
{
    char *end;
    errno = 0;
    if (tag == SNL_I64 && !strpbrk(text, ".eE")) {
        ((int64_t *)data)[at] = strtoll(text, &end, 10);
        return end != text && !*end && !errno;
    }
    if (tag == SNL_U64 && !strpbrk(text, "-.eE")) {
        ((uint64_t *)data)[at] = strtoull(text, &end, 10);
        return end != text && !*end && !errno;
    }
    const double value = strtod(text, &end);
    return end != text && !*end && snl_points_put(tag, data, at, value);
}

/* Reads a line of numbers, the components of point n among them. */
static bool
read_line(const File *f, size_t at, size_t end, int64_t n, void *data)
{
    const int64_t components = snl_io_components(f->a);
    const size_t start = at;
    char cell[NAME_MAX_BYTES];
    int column = 0;
    for (; at <= end; column++) {
        const size_t from = at;
        if (!next_cell(f, &at, end, cell))
            return false;
        for (int64_t c = 0; c < components; c++)
            if (f->places[c] == column
                && !store_number(f->a->tag, data, n * components + c, cell))
                return snl_io_fail_at(f->error, f->map.path, from, "'%.40s', which is no %s,", cell,
                                      snl_scalar_name(f->a->tag));
    }
    return column == f->columns
           || snl_io_fail_at(f->error, f->map.path, start, "a line of %d cells, not %d as the "
                             "first,", column, f->columns);
}

bool
snl_csv_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                   SnlIoError *error)
{
    File f;
    SnlCLocale locale;
    int64_t n = 0;
    bool good = true;
    if (!open_file(&f, path, a, error))
        return false;
    snl_points_number(a, coords);
    locale = snl_c_locale();
    for (size_t at = f.data_at; good && at < f.map.bytes;) {
        const size_t end = line_end(&f, at);
        if (!is_blank(&f, at, end)) {
            good = (n < a->cells || snl_io_fail(error, "'%s' was changed while it was read", path))
                   && read_line(&f, at, end, n, data);
            n++;
        }
        at = end + 1;
    }
    if (good && n < a->cells)
        good = snl_io_fail(error, "'%s' was changed while it was read", path);
    snl_c_locale_end(&locale);
    close_file(&f);
    return good;
}
