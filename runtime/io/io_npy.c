/* io_npy.c - NumPy's .npy files: version 1.0 written, 1.0 to 3.0 read.
 *
 *     \x93NUMPY  major minor  bytes of the header  "{'descr': '<f4', ...}" padded  elements
 */
#include "io_stream.h"

#include <stdlib.h>

enum { SIGNATURE_BYTES = 6, PREFIX_BYTES = 10, HEADER_TEXT_MAX = 65536 };

/* ---- type codes ---- */

/* The two characters of NumPy for a type: kind and bytes. */
static const char *
type_code(int tag)
{
    static const char codes[][3] = { "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8",
                                     "f2", "f4", "f8" };
    return codes[tag];
}

/* The tag of a code such as "<f4"; SNL_SCALAR_COUNT where SNL has no such type. */
static int
tag_of_code(const char *code, bool *swapped)
{
    bool little = snl_io_little_endian();
    int tag = 0;
    *swapped = false;
    if (*code == '<' || *code == '>')
        *swapped = (*code == '<') != little;
    if (*code == '<' || *code == '>' || *code == '|' || *code == '=')
        code++;
    if (strcmp(code, "?") == 0)
        return SNL_BOOL;
    while (tag < SNL_SCALAR_COUNT && strcmp(code, type_code(tag)) != 0)
        tag++;
    return tag;
}

/* ---- writing ---- */

size_t
snl_npy_header(const SnlIoArray *a, char *out)
{
    char shape[256], text[SNL_NPY_HEADER_MAX];
    char order = snl_scalar_bytes(a->tag) == 1 ? '|' : snl_io_little_endian() ? '<' : '>';
    size_t n, total;
    snl_io_shape_text(shape, sizeof shape, a->axes, a->shape);
    n = (size_t)snprintf(text, sizeof text,
                         "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }", order,
                         type_code(a->tag), shape);
    total = (PREFIX_BYTES + n + 1 + 63) / 64 * 64;
    if (!out)
        return total;
    memset(out, ' ', total);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((total - PREFIX_BYTES) & 255);
    out[9] = (char)((total - PREFIX_BYTES) >> 8);
    memcpy(out + PREFIX_BYTES, text, n);
    out[total - 1] = '\n';
    return total;
}

bool
snl_npy_save(const char *path, const SnlIoArray *a, const void *data, SnlIoError *error)
{
    SnlIoWriter w;
    char header[SNL_NPY_HEADER_MAX];
    size_t n = snl_npy_header(a, header);
    if (!snl_io_create(&w, path, error))
        return false;
    fwrite(header, 1, n, w.file);
    fwrite(data, (size_t)snl_scalar_bytes(a->tag), (size_t)snl_io_count(a), w.file);
    return snl_io_finish(&w, error);
}

/* ---- the header ---- */

/* The text of a header being read, and what was found in it. */
typedef struct {
    const SnlIoReader *from;    /* which has just read the text */
    const char *text;           /* ends in 0 */
    size_t bytes, at;           /* of the text; position in it */
    char code[16];
    bool fortran;
    SnlIoArray *found;
} Header;

static bool
fail_at(const Header *h, const char *expected)
{
    return snl_io_fail_at(h->from->error, h->from->path, snl_io_offset(h->from, h->bytes - h->at),
                          "bad .npy header, %s expected", expected);
}

/* NumPy's records, whose type is a list: "[('a', '<f4'), ('b', '<i4')]". */
static bool
fail_records(const Header *h)
{
    return snl_io_fail_at(h->from->error, h->from->path,
                          snl_io_offset(h->from, h->bytes - h->at + 1),
                          "elements that are records, which SNL lacks,");
}

static void
skip_space(Header *h)
{
    while (h->text[h->at] == ' ' || h->text[h->at] == '\t' || h->text[h->at] == '\n')
        h->at++;
}

/* Skips the character if it comes next. */
static bool
accept(Header *h, char c)
{
    skip_space(h);
    if (h->text[h->at] != c)
        return false;
    h->at++;
    return true;
}

/* Reads a quoted string that fits. */
static bool
read_quoted(Header *h, char *out, size_t size)
{
    char quote;
    size_t n = 0;
    skip_space(h);
    quote = h->text[h->at];
    if (quote != '\'' && quote != '"')
        return fail_at(h, "a string");
    h->at++;
    while (h->text[h->at] && h->text[h->at] != quote) {
        if (n + 1 >= size)
            return fail_at(h, "a shorter string");
        out[n++] = h->text[h->at++];
    }
    out[n] = '\0';
    return accept(h, quote) || fail_at(h, "a quote");
}

static bool
read_extent(Header *h, int64_t *extent)
{
    int64_t v = 0;
    if (h->text[h->at] < '0' || h->text[h->at] > '9')
        return fail_at(h, "an extent");
    while (h->text[h->at] >= '0' && h->text[h->at] <= '9') {
        if (v > INT64_MAX / 10 - 10)
            return fail_at(h, "a smaller extent");
        v = v * 10 + (h->text[h->at++] - '0');
    }
    if (h->text[h->at] == 'L')
        h->at++;
    *extent = v;
    return true;
}

static bool
read_shape(Header *h)
{
    SnlIoArray *found = h->found;
    if (!accept(h, '('))
        return fail_at(h, "'('");
    found->axes = 0;
    while (!accept(h, ')')) {
        if (found->axes == SNL_IO_AXES)
            return fail_at(h, "fewer axes");
        if (!read_extent(h, &found->shape[found->axes]))
            return false;
        found->axes++;
        if (!accept(h, ',')) {
            if (!accept(h, ')'))
                return fail_at(h, "')'");
            break;
        }
    }
    return true;
}

static bool
read_order(Header *h)
{
    skip_space(h);
    if (strncmp(h->text + h->at, "True", 4) == 0) {
        h->fortran = true;
        h->at += 4;
    } else if (strncmp(h->text + h->at, "False", 5) == 0) {
        h->fortran = false;
        h->at += 5;
    } else {
        return fail_at(h, "True or False");
    }
    return true;
}

/* Reads the dictionary of a header. */
static bool
read_dictionary(Header *h)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
    int seen = 0;
    if (!accept(h, '{'))
        return fail_at(h, "'{'");
    while (!accept(h, '}')) {
        char key[24];
        bool good;
        if (!read_quoted(h, key, sizeof key))
            return false;
        if (!accept(h, ':'))
            return fail_at(h, "':'");
        if (strcmp(key, "descr") == 0) {
            seen |= DESCR;
            if (accept(h, '['))
                return fail_records(h);
            good = read_quoted(h, h->code, sizeof h->code);
        } else if (strcmp(key, "fortran_order") == 0) {
            seen |= ORDER;
            good = read_order(h);
        } else if (strcmp(key, "shape") == 0) {
            seen |= SHAPE;
            good = read_shape(h);
        } else {
            good = fail_at(h, "descr, fortran_order or shape");
        }
        if (!good)
            return false;
        if (!accept(h, ',')) {
            if (!accept(h, '}'))
                return fail_at(h, "'}'");
            break;
        }
    }
    return seen == (DESCR | ORDER | SHAPE) || fail_at(h, "descr, fortran_order and shape");
}

/* Reads the bytes before the dictionary; *length gets the size of the rest of the header. */
static bool
read_prefix(SnlIoReader *r, size_t *length)
{
    unsigned char p[12];
    if (!snl_io_read(r, p, SIGNATURE_BYTES))
        return false;
    if (memcmp(p, "\x93NUMPY", SIGNATURE_BYTES) != 0)
        return snl_io_fail(r->error, "'%s' is no .npy file: bad signature at offset %llu", r->path,
                           (unsigned long long)snl_io_offset(r, SIGNATURE_BYTES));
    if (!snl_io_read(r, p + SIGNATURE_BYTES, PREFIX_BYTES - SIGNATURE_BYTES))
        return false;
    if (p[6] < 1 || p[6] > 3)
        return snl_io_fail_at(r->error, r->path, snl_io_offset(r, PREFIX_BYTES - SIGNATURE_BYTES),
                              "a version of .npy that cannot be read, %d.%d,", p[6], p[7]);
    *length = p[8] | (size_t)p[9] << 8;
    if (p[6] > 1) {
        if (!snl_io_read(r, p + PREFIX_BYTES, 2))
            return false;
        *length |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
    }
    if (*length > HEADER_TEXT_MAX)
        return snl_io_fail_at(r->error, r->path, snl_io_offset(r, 0),
                              "a .npy header of %llu bytes, which is too long,",
                              (unsigned long long)*length);
    return true;
}

/* ---- elements ---- */

/* Puts elements in column-major order into row-major order. */
static void
reorder(const SnlIoArray *a, const unsigned char *from, unsigned char *to, size_t bytes)
{
    int64_t index[SNL_IO_AXES] = { 0 }, stride[SNL_IO_AXES];
    int64_t count = snl_io_count(a), at = 0, step = 1;
    for (int k = a->axes - 1; k >= 0; k--) {
        stride[k] = step;
        step *= a->shape[k];
    }
    for (int64_t n = 0; n < count; n++) {
        memcpy(to + (size_t)at * bytes, from + (size_t)n * bytes, bytes);
        for (int k = 0; k < a->axes; k++) {
            at += stride[k];
            if (++index[k] < a->shape[k])
                break;
            at -= stride[k] * a->shape[k];
            index[k] = 0;
        }
    }
}

static bool
read_elements(SnlIoReader *r, const SnlIoArray *a, bool fortran, bool swapped, void *data)
{
    size_t bytes = (size_t)snl_scalar_bytes(a->tag);
    size_t count = (size_t)snl_io_count(a);
    unsigned char *to = (unsigned char *)data;
    bool good;
    if (fortran && a->axes > 1) {
        to = (unsigned char *)malloc(count * bytes + 1);
        if (!to)
            return snl_io_fail_memory(r->error, "reading", r->path);
    }
    good = snl_io_read(r, to, count * bytes);
    if (good && swapped)
        snl_io_swap(to, count, bytes);
    if (good && a->tag == SNL_BOOL)
        for (size_t k = 0; k < count; k++)
            to[k] = to[k] != 0;
    if (to != (unsigned char *)data) {
        if (good)
            reorder(a, to, (unsigned char *)data, bytes);
        free(to);
    }
    return good;
}

static bool
is_float(int tag)
{
    return tag == SNL_F16 || tag == SNL_F32 || tag == SNL_F64;
}

/* Rounds floats of one type to another. */
static void
convert_floats(int from_tag, const void *from, int tag, void *to, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        const double v = from_tag == SNL_F16 ? snl_f16_to_f64(((const snl_f16 *)from)[k])
                         : from_tag == SNL_F32 ? (double)((const float *)from)[k]
                                               : ((const double *)from)[k];
        if (tag == SNL_F16)
            ((snl_f16 *)to)[k] = snl_f64_to_f16(v);
        else if (tag == SNL_F32)
            ((float *)to)[k] = (float)v;
        else
            ((double *)to)[k] = v;
    }
}

/* Reads elements that the file has in another type of floats. */
static bool
read_converted(SnlIoReader *r, const SnlIoArray *stored, const SnlIoArray *a, bool fortran,
               bool swapped, void *data)
{
    const size_t bytes = (size_t)snl_io_count(stored) * (size_t)snl_scalar_bytes(stored->tag);
    void *from = malloc(bytes + 1);
    const bool good = from ? read_elements(r, stored, fortran, swapped, from)
                           : snl_io_fail_memory(r->error, "reading", r->path);
    if (good)
        convert_floats(stored->tag, from, a->tag, data, snl_io_count(a));
    free(from);
    return good;
}

bool
snl_npy_read(SnlIoReader *r, const SnlIoArray *a, void *data, SnlIoArray *found, bool *plain)
{
    Header h = { r, NULL, 0, 0, "", false, found };
    SnlIoArray stored;
    size_t length = 0;
    bool swapped = false, good;
    char *text;
    memset(found, 0, sizeof *found);
    if (!read_prefix(r, &length))
        return false;
    text = (char *)malloc(length + 1);
    if (!text)
        return snl_io_fail_memory(r->error, "reading", r->path);
    text[length] = '\0';
    h.text = text;
    h.bytes = length;
    good = snl_io_read(r, text, length) && read_dictionary(&h);
    free(text);
    if (!good)
        return false;
    found->tag = tag_of_code(h.code, &swapped);
    if (found->tag == SNL_SCALAR_COUNT)
        return snl_io_fail_at(r->error, r->path, snl_io_offset(r, length),
                              "elements of NumPy type '%s', which SNL lacks,", h.code);
    *plain = !swapped && (!h.fortran || found->axes <= 1) && found->tag != SNL_BOOL;
    if (!data)
        return true;
    stored = *a;
    if (is_float(found->tag) && is_float(a->tag))
        stored.tag = found->tag;
    if (!snl_io_check(r->path, found, &stored, snl_io_offset(r, length), r->error))
        return false;
    return stored.tag == a->tag ? read_elements(r, a, h.fortran, swapped, data)
                                : read_converted(r, &stored, a, h.fortran, swapped, data);
}

bool
snl_npy_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error)
{
    SnlIoReader r;
    SnlIoArray found;
    bool good, plain;
    if (!snl_io_open(&r, path, error))
        return false;
    good = snl_npy_read(&r, a, data, &found, &plain);
    snl_io_close(&r);
    return good;
}

bool
snl_npy_probe(const char *path, SnlIoArray *a, SnlIoError *error)
{
    SnlIoReader r;
    bool good, plain;
    if (!snl_io_open(&r, path, error))
        return false;
    good = snl_npy_read(&r, NULL, NULL, a, &plain);
    snl_io_close(&r);
    return good;
}

bool
snl_npy_map(const char *path, const SnlIoArray *a, SnlIoMap *m, const void **data)
{
    SnlIoReader r;
    SnlIoArray found;
    SnlIoError error;
    uint64_t bytes = (uint64_t)snl_io_bytes(a), at;
    bool good, plain;
    if (!snl_io_open(&r, path, &error))
        return false;
    good = snl_npy_read(&r, a, NULL, &found, &plain) && plain
           && snl_io_check(path, &found, a, SNL_IO_NOWHERE, &error);
    at = r.at;
    snl_io_close(&r);
    if (!good || !snl_io_map(m, path, &error))
        return false;
    if (at <= m->bytes && bytes <= m->bytes - at) {
        *data = m->data + at;
        return true;
    }
    snl_io_unmap(m);
    return false;
}
