/* io_vtk_read.c - reading .vti and .vtu: tags, and arrays in all encodings that VTK writes. */
#include "io_vtk.h"

#include <errno.h>
#include <stdlib.h>
#ifdef SNL_HAVE_LZMA
#include <lzma.h>
#endif

#include "io_unpack.h"
#include "../core/locale_inside.h"

/* ---- tags ---- */

static bool
damaged(const SnlVtkFile *f, size_t at, const char *what)
{
    return snl_io_fail_at(f->error, f->map.path, at, "%s", what);
}

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next tag at or after *at; comments and declarations are passed over. */
static bool
next_tag(const SnlVtkFile *f, size_t *at, SnlVtkTag *tag)
{
    const char *text = (const char *)f->map.data;
    size_t n = f->text_bytes, k = *at, name;
    char quote = 0;
    while (k < n) {
        if (text[k] != '<') {
            k++;
        } else if (n - k >= 4 && memcmp(text + k, "<!--", 4) == 0) {
            for (k += 4; k + 3 <= n && memcmp(text + k, "-->", 3) != 0; k++)
                ;
        } else if (n - k >= 2 && (text[k + 1] == '?' || text[k + 1] == '!')) {
            k += 2;
        } else {
            break;
        }
    }
    if (k >= n)
        return false;
    tag->at = k++;
    tag->closing = k < n && text[k] == '/';
    name = k += tag->closing;
    while (k < n && !is_space(text[k]) && text[k] != '>' && text[k] != '/')
        k++;
    tag->name = text + name;
    tag->name_bytes = k - name;
    tag->attributes = text + k;
    for (; k < n && (quote || text[k] != '>'); k++) {
        if (quote ? text[k] == quote : text[k] == '"' || text[k] == '\'')
            quote = quote ? 0 : text[k];
    }
    tag->attribute_bytes = (size_t)(text + k - tag->attributes);
    tag->empty = tag->attribute_bytes > 0 && text[k - 1] == '/';
    tag->after = k < n ? k + 1 : n;
    *at = tag->after;
    return k < n;
}

static bool
is_named(const SnlVtkTag *tag, const char *name)
{
    return tag->name_bytes == strlen(name) && memcmp(tag->name, name, tag->name_bytes) == 0;
}

bool
snl_vtk_find(const SnlVtkFile *f, size_t from, const char *name, SnlVtkTag *tag)
{
    while (next_tag(f, &from, tag))
        if (!tag->closing && is_named(tag, name))
            return true;
    return false;
}

bool
snl_vtk_attribute(const SnlVtkTag *tag, const char *name, char *value, size_t size)
{
    const char *p = tag->attributes, *end = p + tag->attribute_bytes;
    size_t length = strlen(name);
    while (p < end) {
        const char *start, *stop;
        char quote;
        size_t n;
        while (p < end && (is_space(*p) || *p == '/'))
            p++;
        start = p;
        while (p < end && *p != '=' && !is_space(*p))
            p++;
        stop = p;
        while (p < end && *p != '"' && *p != '\'')
            p++;
        if (p == end)
            return false;
        quote = *p++;
        for (n = 0; p + n < end && p[n] != quote; n++)
            ;
        if ((size_t)(stop - start) == length && memcmp(start, name, length) == 0) {
            if (n >= size)
                return false;
            memcpy(value, p, n);
            value[n] = '\0';
            return true;
        }
        p += n + 1;
    }
    return false;
}

bool
snl_vtk_integers(const SnlVtkFile *f, const SnlVtkTag *tag, const char *name, int64_t *values,
                 int count)
{
    char text[256], *p = text, *end;
    if (!snl_vtk_attribute(tag, name, text, sizeof text))
        return damaged(f, tag->at, "a tag lacks an attribute");
    for (int k = 0; k < count; k++) {
        errno = 0;
        values[k] = strtoll(p, &end, 10);
        if (end == p || errno)
            return damaged(f, tag->at, "integers expected in a tag");
        p = end;
    }
    while (is_space(*p))
        p++;
    return *p == '\0' || damaged(f, tag->at, "too many numbers in a tag");
}

/* ---- packing ---- */

#ifdef SNL_HAVE_ZLIB
/* Unpacks what was deflated. */
static bool
inflate_block(const unsigned char *in, size_t packed, unsigned char *out, size_t bytes)
{
    uLongf n = (uLongf)bytes;
    return uncompress(out, &n, in, (uLong)packed) == Z_OK && n == bytes;
}
#else
#define inflate_block NULL
#endif

#ifdef SNL_HAVE_LZMA
/* Unpacks a stream as a file .xz has it; false for one that asks for more memory than those that
 * xz makes, too. */
static bool
unxz_block(const unsigned char *in, size_t packed, unsigned char *out, size_t bytes)
{
    uint64_t memory = (uint64_t)1 << 27;
    size_t taken = 0, given = 0;
    return lzma_stream_buffer_decode(&memory, 0, NULL, in, &taken, packed, out, &given, bytes)
               == LZMA_OK
           && taken == packed && given == bytes;
}
#else
#define unxz_block NULL
#endif

/* What packs blocks, in the order of SnlVtkPacking: the library that unpacks them, and the
 * function, NULL where this build lacks that library. */
static const struct {
    const char *compressor, *library;
    bool (*unpack)(const unsigned char *in, size_t packed, unsigned char *out, size_t bytes);
} packings[] = {
    { "", "", NULL },
    { "vtkZLibDataCompressor", "zlib", inflate_block },
    { "vtkLZ4DataCompressor", "", snl_lz4_unpack },
    { "vtkLZMADataCompressor", "liblzma", unxz_block },
};

/* ---- the top of a file ---- */

/* Whether the file ends as a whole one does; without that, what is missing at the end may not be
 * noticed. */
static bool
check_end(const SnlVtkFile *f)
{
    static const char end[] = "</VTKFile>";
    size_t n = f->map.bytes, length = sizeof end - 1;
    while (n > 0 && is_space((char)f->map.data[n - 1]))
        n--;
    return (n >= length && memcmp(f->map.data + n - length, end, length) == 0)
           || snl_io_fail(f->error, "'%s' is cut short: %s expected at offset %llu", f->map.path,
                          end, (unsigned long long)f->map.bytes);
}

/* False for a compressor that cannot be read. */
static bool
find_packing(SnlVtkFile *f, const char *compressor)
{
    for (size_t k = 1; k < sizeof packings / sizeof *packings; k++)
        if (strcmp(compressor, packings[k].compressor) == 0)
            f->packing = (SnlVtkPacking)k;
    return f->packing != SNL_VTK_PLAIN;
}

/* Reads how arrays are stored. */
static bool
read_top(SnlVtkFile *f, const char *type)
{
    SnlVtkTag tag;
    char value[64];
    bool little = true;
    if (!snl_vtk_find(f, 0, "VTKFile", &tag))
        return snl_io_fail(f->error, "'%s' is no VTK file: no tag VTKFile before offset %llu",
                           f->map.path, (unsigned long long)f->text_bytes);
    if (!snl_vtk_attribute(&tag, "type", value, sizeof value) || strcmp(value, type) != 0)
        return snl_io_fail_at(f->error, f->map.path, tag.at, "%s expected", type);
    if (snl_vtk_attribute(&tag, "byte_order", value, sizeof value))
        little = strcmp(value, "BigEndian") != 0;
    f->swapped = little != snl_io_little_endian();
    f->size_bytes = 4;
    if (snl_vtk_attribute(&tag, "header_type", value, sizeof value))
        f->size_bytes = strcmp(value, "UInt64") == 0 ? 8 : 4;
    if (snl_vtk_attribute(&tag, "compressor", value, sizeof value) && value[0]
        && !find_packing(f, value))
        return snl_io_fail(f->error,
                           "'%s' is compressed by '%s', says the tag at offset %llu; only "
                           "vtkZLibDataCompressor, vtkLZ4DataCompressor and "
                           "vtkLZMADataCompressor can be read",
                           f->map.path, value, (unsigned long long)tag.at);
    return check_end(f);
}

/* Finds the appended arrays, behind which there are no tags. */
static bool
find_appended(SnlVtkFile *f)
{
    SnlVtkTag tag;
    char value[16] = "";
    size_t at;
    if (!snl_vtk_find(f, 0, "AppendedData", &tag))
        return true;
    for (at = tag.after; at < f->map.bytes && is_space((char)f->map.data[at]); at++)
        ;
    if (at == f->map.bytes || f->map.data[at] != '_')
        return damaged(f, at, "'_' expected before appended data");
    snl_vtk_attribute(&tag, "encoding", value, sizeof value);
    f->appended_base64 = strcmp(value, "raw") != 0;
    f->appended = at + 1;
    f->text_bytes = tag.at;
    return true;
}

bool
snl_vtk_map(SnlVtkFile *f, const char *path, const char *type, SnlIoError *error)
{
    memset(f, 0, sizeof *f);
    f->error = error;
    if (!snl_io_map(&f->map, path, error))
        return false;
    f->text_bytes = f->map.bytes;
    if (read_top(f, type) && find_appended(f))
        return true;
    snl_io_unmap(&f->map);
    return false;
}

void
snl_vtk_close(SnlVtkFile *f)
{
    snl_io_unmap(&f->map);
}

bool
snl_vtk_find_piece(const SnlVtkFile *f, SnlVtkTag *tag)
{
    SnlVtkTag second;
    if (!snl_vtk_find(f, 0, "Piece", tag))
        return damaged(f, f->text_bytes, "no tag Piece before the end of the tags");
    return !snl_vtk_find(f, tag->after, "Piece", &second)
           || damaged(f, second.at, "more than one piece, the second");
}

bool
snl_vtk_find_array(const SnlVtkFile *f, const char *name, SnlVtkTag *tag, bool *of_points)
{
    size_t at = 0;
    bool inside = false;
    char value[256];
    *of_points = false;
    while (next_tag(f, &at, tag)) {
        if (is_named(tag, "CellData") || is_named(tag, "PointData")) {
            inside = !tag->closing && !tag->empty;
            *of_points = is_named(tag, "PointData");
        }
        if (inside && is_named(tag, "DataArray") && !tag->closing
            && snl_vtk_attribute(tag, "Name", value, sizeof value) && strcmp(value, name) == 0)
            return true;
    }
    return snl_io_fail(f->error, "'%s' has no array '%s' in its tags, which end at offset %llu",
                       f->map.path, name, (unsigned long long)f->text_bytes);
}

/* ---- types ---- */

static const char *const names[] = { "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16",
                                     "UInt32", "UInt64", "Float32", "Float64" };
static const int tags[] = { SNL_I8, SNL_I16, SNL_I32, SNL_I64, SNL_U8, SNL_U16, SNL_U32, SNL_U64,
                            SNL_F32, SNL_F64 };

/* The type of an array, or -1. */
static int
type_of(const SnlVtkTag *tag)
{
    char value[16];
    if (snl_vtk_attribute(tag, "type", value, sizeof value))
        for (size_t k = 0; k < sizeof tags / sizeof tags[0]; k++)
            if (strcmp(value, names[k]) == 0)
                return tags[k];
    return -1;
}

/* What scalars of a type are in a file: see snl_vtk_add. */
static int
stored_type(int tag)
{
    return tag == SNL_BOOL ? SNL_U8 : tag == SNL_F16 ? SNL_F32 : tag;
}

bool
snl_vtk_check(const SnlVtkFile *f, const SnlVtkTag *tag, const SnlIoArray *a,
              const int64_t shape[3])
{
    SnlIoArray found = *a;
    char value[16];
    int64_t components = 1;
    int type = type_of(tag);
    if (type < 0)
        return damaged(f, tag->at, "an array has a type that SNL lacks");
    if (snl_vtk_attribute(tag, "NumberOfComponents", value, sizeof value)
        && !snl_vtk_integers(f, tag, "NumberOfComponents", &components, 1))
        return false;
    if (components != snl_io_components(a)) {
        found.axes = a->index_axes + 1;
        found.shape[a->index_axes] = components;
    }
    for (int k = 0; shape && k < 3; k++) {
        if (k < a->index_axes)
            found.shape[k] = shape[k];
        else if (shape[k] != 1)     /* more axes than the field has */
            found.axes = SNL_IO_AXES;
    }
    if (shape && found.axes == SNL_IO_AXES) {
        found.axes = 3;
        memcpy(found.shape, shape, 3 * sizeof *shape);
    }
    found.tag = type == stored_type(a->tag) ? a->tag : type;
    return snl_io_check(f->map.path, &found, a, tag->at, f->error);
}

/* ---- bytes ---- */

/* Where bytes of an array come from. */
typedef struct {
    const SnlVtkFile *f;
    size_t at, end;             /* offsets in the file */
    bool base64;
    unsigned char left[3];      /* decoded but not taken */
    int left_count;
} Source;

static int
digit_of(unsigned char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes four characters into at most three bytes. */
static bool
decode(Source *s)
{
    unsigned word = 0;
    int digits = 0, pads = 0;
    for (; digits + pads < 4; s->at++) {
        int digit;
        if (s->at >= s->end)
            return damaged(s->f, s->at, "an array ends early");
        if (is_space((char)s->f->map.data[s->at]))
            continue;
        digit = digit_of(s->f->map.data[s->at]);
        if (s->f->map.data[s->at] == '=' && digits >= 2) {
            pads++;
        } else if (digit < 0 || pads > 0) {
            return damaged(s->f, s->at, "bad base64");
        } else {
            word |= (unsigned)digit << (18 - 6 * digits);
            digits++;
        }
    }
    s->left_count = 3 - pads;
    for (int k = 0; k < s->left_count; k++)
        s->left[k] = (unsigned char)(word >> (16 - 8 * k));
    return true;
}

/* Takes n bytes. */
static bool
take(Source *s, void *data, size_t n)
{
    unsigned char *out = (unsigned char *)data;
    if (!s->base64) {
        if (n > s->end - s->at)
            return damaged(s->f, s->end, "an array ends early");
        memcpy(out, s->f->map.data + s->at, n);
        s->at += n;
        return true;
    }
    while (n > 0) {
        size_t part;
        if (s->left_count == 0 && !decode(s))
            return false;
        part = n < (size_t)s->left_count ? n : (size_t)s->left_count;
        memcpy(out, s->left, part);
        s->left_count -= (int)part;
        memmove(s->left, s->left + part, (size_t)s->left_count);
        out += part;
        n -= part;
    }
    return true;
}

/* Takes a size. */
static bool
take_size(Source *s, uint64_t *size)
{
    unsigned char bytes[8];
    uint32_t half;
    if (!take(s, bytes, (size_t)s->f->size_bytes))
        return false;
    if (s->f->swapped)
        snl_io_swap(bytes, 1, (size_t)s->f->size_bytes);
    if (s->f->size_bytes == 8) {
        memcpy(size, bytes, 8);
    } else {
        memcpy(&half, bytes, 4);
        *size = half;
    }
    return true;
}

/* Unpacks a block of so many bytes from `packed` ones. */
static bool
take_block(Source *s, unsigned char *out, size_t bytes, uint64_t packed)
{
    size_t at = s->at;
    const unsigned char *from = s->f->map.data + s->at;
    unsigned char *decoded = NULL;
    bool good;
    if (packed > s->end - s->at)
        return damaged(s->f, s->end, "an array ends early");
    if (s->base64) {
        decoded = (unsigned char *)malloc((size_t)packed + 1);
        if (!decoded)
            return snl_io_fail_memory(s->f->error, "reading", s->f->map.path);
        from = decoded;
        if (!take(s, decoded, (size_t)packed)) {
            free(decoded);
            return false;
        }
    } else {
        s->at += (size_t)packed;
    }
    good = packings[s->f->packing].unpack(from, (size_t)packed, out, bytes);
    free(decoded);
    return good || damaged(s->f, at, "damaged compressed data");
}

/* Takes an array of so many bytes, packed in blocks. */
static bool
take_packed(Source *s, unsigned char *out, uint64_t bytes)
{
    uint64_t blocks, block, last, *packed;
    size_t start = s->at;
    bool good = true;
    if (!packings[s->f->packing].unpack)
        return snl_io_fail_at(s->f->error, s->f->map.path, s->at,
                              "this build of the runtime has no %s for the compressed array",
                              packings[s->f->packing].library);
    if (!take_size(s, &blocks) || !take_size(s, &block) || !take_size(s, &last))
        return false;
    if (blocks > (s->end - start) / 4 || (blocks > 0 && (block == 0 || last > block))
        || (blocks == 0 && bytes > 0))
        return damaged(s->f, start, "damaged sizes of an array");
    last = last ? last : block;
    if (blocks > 0 && ((bytes < last) || blocks - 1 != (bytes - last) / block
                       || (bytes - last) % block != 0))
        return damaged(s->f, start, "an array of another size");
    packed = (uint64_t *)malloc((size_t)blocks * sizeof *packed + 1);
    if (!packed)
        return snl_io_fail_memory(s->f->error, "reading", s->f->map.path);
    for (uint64_t k = 0; good && k < blocks; k++)
        good = take_size(s, &packed[k]);
    s->left_count = 0;          /* in base64 the blocks are padded apart from their sizes */
    for (uint64_t k = 0; good && k < blocks; k++)
        good = take_block(s, out + k * block, (size_t)(k + 1 < blocks ? block : last), packed[k]);
    free(packed);
    return good;
}

/* Writes the integer in a word; false where it is none of that type. */
static bool
read_integer(const char *word, int type, unsigned char *out)
{
    const bool is_signed = type <= SNL_I64;
    const int bytes = snl_scalar_bytes(type);
    char *stop;
    errno = 0;
    int64_t whole = is_signed ? strtoll(word, &stop, 10) : (int64_t)strtoull(word, &stop, 10);
    if (*stop || errno || (!is_signed && word[0] == '-'))
        return false;
    if (bytes < 8 && (whole < (is_signed ? -((int64_t)1 << (8 * bytes - 1)) : 0)
                      || whole >= (int64_t)1 << (8 * bytes - is_signed)))
        return false;
    if (!snl_io_little_endian())
        whole = (int64_t)((uint64_t)whole << (64 - 8 * bytes));
    memcpy(out, &whole, (size_t)bytes);
    return true;
}

/* Writes the number in a word; false where it is none of that type. */
static bool
read_number(const char *word, int type, unsigned char *out)
{
    char *stop;
    switch (type) {
    case SNL_F32: *(float *)(void *)out = strtof(word, &stop); break;
    case SNL_F64: *(double *)(void *)out = strtod(word, &stop); break;
    default: return read_integer(word, type, out);
    }
    return !*stop;
}

static void
skip_spaces(Source *s)
{
    while (s->at < s->end && is_space((char)s->f->map.data[s->at]))
        s->at++;
}

/* Takes numbers in decimal, behind which the array ends. */
static bool
take_text(Source *s, int type, unsigned char *out, int64_t count)
{
    const unsigned char *data = s->f->map.data;
    const int each = snl_scalar_bytes(type);
    char word[64];
    for (int64_t k = 0; k < count; k++) {
        size_t n = 0, start;
        skip_spaces(s);
        start = s->at;
        while (s->at < s->end && n + 1 < sizeof word && !is_space((char)data[s->at])
               && data[s->at] != '<')
            word[n++] = (char)data[s->at++];
        word[n] = '\0';
        if (n == 0 || !read_number(word, type, out + k * each))
            return damaged(s->f, start, "a number expected");
    }
    skip_spaces(s);
    return s->at == s->end || data[s->at] == '<'
           || damaged(s->f, s->at, "an array of another size");
}

/* Finds out where the bytes of an array are; *text: they are decimal numbers. */
static bool
source_of(Source *s, const SnlVtkFile *f, const SnlVtkTag *tag, bool *text)
{
    char format[16] = "ascii";
    int64_t offset;
    memset(s, 0, sizeof *s);
    s->f = f;
    snl_vtk_attribute(tag, "format", format, sizeof format);
    *text = strcmp(format, "ascii") == 0;
    if (strcmp(format, "appended") != 0) {
        s->at = tag->after;
        s->end = f->text_bytes;
        s->base64 = !*text;
        return true;
    }
    if (!snl_vtk_integers(f, tag, "offset", &offset, 1))
        return false;
    if (!f->appended || offset < 0 || (uint64_t)offset > f->map.bytes - f->appended)
        return damaged(f, tag->at, "an array lies outside of the file");
    s->at = f->appended + (size_t)offset;
    s->end = f->map.bytes;
    s->base64 = f->appended_base64;
    return true;
}

/* Reads scalars of the type that the file has. */
static bool
read_stored(const SnlVtkFile *f, SnlVtkTag *tag, int type, void *data, int64_t count)
{
    size_t each = (size_t)snl_scalar_bytes(type);
    uint64_t bytes = (uint64_t)count * each, size;
    Source s;
    bool text;
    if (!source_of(&s, f, tag, &text))
        return false;
    tag->data_at = s.at;
    if (text) {
        const SnlCLocale locale = snl_c_locale();
        const bool good = take_text(&s, type, (unsigned char *)data, count);
        snl_c_locale_end(&locale);
        return good;
    }
    if (f->packing != SNL_VTK_PLAIN) {
        if (!take_packed(&s, (unsigned char *)data, bytes))
            return false;
    } else {
        size_t start = s.at;
        if (!take_size(&s, &size))
            return false;
        if (size != bytes)
            return damaged(f, start, "an array of another size");
        if (!take(&s, data, (size_t)bytes))
            return false;
    }
    if (f->swapped)
        snl_io_swap(data, (size_t)count, each);
    return true;
}

bool
snl_vtk_read(const SnlVtkFile *f, SnlVtkTag *tag, int type, void *data, int64_t count)
{
    if (type_of(tag) != stored_type(type))
        return damaged(f, tag->at, "an array has another type");
    if (type == SNL_F16) {
        float *wide = (float *)malloc((size_t)count * sizeof *wide + 1);
        bool good = wide ? read_stored(f, tag, SNL_F32, wide, count)
                         : snl_io_fail_memory(f->error, "reading", f->map.path);
        for (int64_t k = 0; good && k < count; k++)
            ((snl_f16 *)data)[k] = snl_f32_to_f16(wide[k]);
        free(wide);
        return good;
    }
    if (!read_stored(f, tag, stored_type(type), data, count))
        return false;
    for (int64_t k = 0; type == SNL_BOOL && k < count; k++)
        ((unsigned char *)data)[k] = ((unsigned char *)data)[k] != 0;
    return true;
}
