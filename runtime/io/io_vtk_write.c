/* io_vtk_write.c - the arrays of .vti and .vtu files: packing and writing. */
#include "io_vtk.h"

#include <stdlib.h>

enum { BLOCK_BYTES = 1 << 20 };

/* VTK's name of what a type is written as: it has no f16. */
static const char *
type_name(int tag)
{
    static const char *const names[] = { "UInt8", "Int8", "Int16", "Int32", "Int64", "UInt8",
                                         "UInt16", "UInt32", "UInt64", "Float32", "Float32",
                                         "Float64" };
    return names[tag];
}

void
snl_vtk_begin(SnlVtkWriter *w, const char *path, SnlIoError *error)
{
    memset(w, 0, sizeof *w);
    w->path = path;
    w->error = error;
}

static bool
no_memory(const SnlVtkWriter *w)
{
    return snl_io_fail_memory(w->error, "writing", w->path);
}

#ifdef SNL_HAVE_ZLIB

/* Deflates block after block, behind room for their sizes. */
static unsigned char *
pack(const unsigned char *data, size_t bytes, size_t *packed_bytes)
{
    size_t blocks = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES, head = (3 + blocks) * 8;
    size_t room = head + blocks * compressBound(BLOCK_BYTES), at = head;
    unsigned char *out = (unsigned char *)malloc(room), *smaller;
    uint64_t size = blocks;
    if (!out)
        return NULL;
    memcpy(out, &size, 8);
    size = BLOCK_BYTES;
    memcpy(out + 8, &size, 8);
    size = bytes % BLOCK_BYTES;
    memcpy(out + 16, &size, 8);
    for (size_t k = 0; k < blocks; k++) {
        size_t part = k + 1 < blocks || size == 0 ? (size_t)BLOCK_BYTES : (size_t)size;
        uLongf packed = (uLongf)(room - at);
        uint64_t packed_size;
        /* the fastest level: the others take far longer and gain little on floating-point data */
        if (compress2(out + at, &packed, data + k * BLOCK_BYTES, (uLong)part, 1) != Z_OK) {
            free(out);
            return NULL;
        }
        packed_size = packed;
        memcpy(out + (3 + k) * 8, &packed_size, 8);
        at += packed;
    }
    *packed_bytes = at;
    smaller = (unsigned char *)realloc(out, at);
    return smaller ? smaller : out;
}

static const char compressor[] = " compressor=\"vtkZLibDataCompressor\"";

#else

/* Puts the size before the bytes. */
static unsigned char *
pack(const unsigned char *data, size_t bytes, size_t *packed_bytes)
{
    unsigned char *out = (unsigned char *)malloc(bytes + 8);
    uint64_t size = bytes;
    if (!out)
        return NULL;
    memcpy(out, &size, 8);
    memcpy(out + 8, data, bytes);
    *packed_bytes = bytes + 8;
    return out;
}

static const char compressor[] = "";

#endif

bool
snl_vtk_add(SnlVtkWriter *w, const char *name, int tag, int64_t components, const void *data,
            int64_t count)
{
    const unsigned char *bytes = (const unsigned char *)data;
    size_t n = (size_t)count * (size_t)snl_scalar_bytes(tag);
    float *wide = NULL;
    int k = w->count;
    if (k == SNL_VTK_ARRAYS)
        return snl_io_fail(w->error, "'%s': too many fields for one file", w->path);
    if (components > 1 << 16)
        return snl_io_fail(w->error, "'%s': field %s has too many components", w->path, name);
    if (tag == SNL_F16) {
        n = (size_t)count * sizeof *wide;
        wide = (float *)malloc(n + 1);
        if (!wide)
            return no_memory(w);
        for (int64_t i = 0; i < count; i++)
            wide[i] = snl_f16_to_f32(((const snl_f16 *)data)[i]);
        bytes = (const unsigned char *)wide;
    }
    w->arrays[k].name = strdup(name);
    w->arrays[k].tag = tag;
    w->arrays[k].components = (int)components;
    w->arrays[k].packed = pack(bytes, n, &w->arrays[k].bytes);
    w->count++;
    free(wide);
    return (w->arrays[k].name && w->arrays[k].packed) || no_memory(w);
}

bool
snl_vtk_open(SnlVtkWriter *w, const char *type)
{
    if (!snl_io_create(&w->out, w->path, w->error))
        return false;
    fprintf(w->out.file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
            "byte_order=\"%s\" header_type=\"UInt64\"%s>\n", type,
            snl_io_little_endian() ? "LittleEndian" : "BigEndian", compressor);
    return true;
}

void
snl_vtk_array(SnlVtkWriter *w, int k)
{
    size_t offset = 0;
    for (int i = 0; i < k; i++)
        offset += w->arrays[i].bytes;
    fprintf(w->out.file, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
            "format=\"appended\" offset=\"%zu\"/>\n", type_name(w->arrays[k].tag),
            w->arrays[k].name, w->arrays[k].components, offset);
}

bool
snl_vtk_end(SnlVtkWriter *w, bool good)
{
    if (good) {
        fputs("<AppendedData encoding=\"raw\">\n_", w->out.file);
        for (int k = 0; k < w->count; k++)
            fwrite(w->arrays[k].packed, 1, w->arrays[k].bytes, w->out.file);
        fputs("\n</AppendedData>\n</VTKFile>\n", w->out.file);
        good = snl_io_finish(&w->out, w->error);
    } else if (w->out.file) {
        snl_io_abandon(&w->out);
    }
    for (int k = 0; k < w->count; k++) {
        free(w->arrays[k].name);
        free(w->arrays[k].packed);
    }
    return good;
}
