/* io_npz.c - NumPy's .npz files: a zip archive with one "NAME.npy" an array.
 *
 *     for every member   local header, name, [zip64 sizes], .npy
 *     for every member   central header, name, [zip64 sizes]
 *     [zip64 end and its locator], end
 *
 * Written without compression; the 64-bit fields appear only where 32 bits do not suffice.
 */
#include "io_stream.h"

#include <stdlib.h>

enum {
    LOCAL_BYTES = 30, CENTRAL_BYTES = 46, END_BYTES = 22, END64_BYTES = 56, LOCATOR_BYTES = 20,
    COMMENT_MAX = 65535, NAME_MAX_BYTES = 1024, ZIP64_EXTRA = 1, STORED = 0, DEFLATED = 8
};
#define SIGNATURE_LOCAL 0x04034b50u
#define SIGNATURE_CENTRAL 0x02014b50u
#define SIGNATURE_END 0x06054b50u
#define SIGNATURE_END64 0x06064b50u
#define SIGNATURE_LOCATOR 0x07064b50u
#define LIMIT_32 0xffffffffu

/* A member of the archive. */
typedef struct {
    char name[NAME_MAX_BYTES + 1];
    unsigned method, flags;
    uint32_t crc;
    uint64_t packed, bytes;     /* sizes in the file and after unpacking */
    uint64_t at;                /* offset of the local header */
    uint64_t entry;             /* offset of the central header */
} Member;

/* The list of members, at the end of the archive. */
typedef struct {
    uint64_t at, bytes, count;
} Directory;

/* ---- little-endian numbers ---- */

static unsigned char *
put(unsigned char *p, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; k++)
        *p++ = (unsigned char)(value >> (8 * k));
    return p;
}

static uint64_t
get(const unsigned char *p, int bytes)
{
    uint64_t value = 0;
    for (int k = 0; k < bytes; k++)
        value |= (uint64_t)p[k] << (8 * k);
    return value;
}

/* ---- writing ---- */

static uint64_t
limited(uint64_t value)
{
    return value < LIMIT_32 ? value : LIMIT_32;
}

/* The fields that local and central headers share, up to the length of the name. */
static unsigned char *
put_common(unsigned char *p, const Member *m, bool zip64)
{
    p = put(p, zip64 ? 45 : 20, 2);             /* version needed */
    p = put(p, 0, 2);                           /* flags */
    p = put(p, STORED, 2);
    p = put(p, 0, 2);                           /* time and date: 1980-01-01, so that the */
    p = put(p, 33, 2);                          /* same fields give the same file */
    p = put(p, m->crc, 4);
    p = put(p, zip64 ? LIMIT_32 : m->packed, 4);
    p = put(p, zip64 ? LIMIT_32 : m->bytes, 4);
    return put(p, strlen(m->name), 2);
}

static void
write_local(FILE *f, const Member *m)
{
    unsigned char h[LOCAL_BYTES + 20], *p = put(h, SIGNATURE_LOCAL, 4);
    bool zip64 = m->bytes >= LIMIT_32;
    p = put_common(p, m, zip64);
    put(p, zip64 ? 20 : 0, 2);
    fwrite(h, 1, LOCAL_BYTES, f);
    fwrite(m->name, 1, strlen(m->name), f);
    if (zip64) {
        p = put(h, ZIP64_EXTRA, 2);
        p = put(p, 16, 2);
        p = put(p, m->bytes, 8);
        put(p, m->packed, 8);
        fwrite(h, 1, 20, f);
    }
}

static void
write_central(FILE *f, const Member *m)
{
    unsigned char h[CENTRAL_BYTES], *p = put(h, SIGNATURE_CENTRAL, 4);
    bool zip64 = m->bytes >= LIMIT_32 || m->at >= LIMIT_32;
    p = put(p, zip64 ? 45 : 20, 2);             /* made by */
    p = put_common(p, m, zip64);
    p = put(p, zip64 ? 28 : 0, 2);
    p = put(p, 0, 2);                           /* comment */
    p = put(p, 0, 2);                           /* disk */
    p = put(p, 0, 2);                           /* internal attributes */
    p = put(p, 0100644u << 16, 4);              /* Unix mode of the extracted file */
    put(p, zip64 ? LIMIT_32 : m->at, 4);
    fwrite(h, 1, CENTRAL_BYTES, f);
    fwrite(m->name, 1, strlen(m->name), f);
    if (zip64) {
        p = put(h, ZIP64_EXTRA, 2);
        p = put(p, 24, 2);
        p = put(p, m->bytes, 8);
        p = put(p, m->packed, 8);
        put(p, m->at, 8);
        fwrite(h, 1, 28, f);
    }
}

static void
write_end(FILE *f, const Directory *d)
{
    unsigned char h[END64_BYTES + LOCATOR_BYTES], *p;
    if (d->at >= LIMIT_32 || d->count >= 0xffff) {
        p = put(h, SIGNATURE_END64, 4);
        p = put(p, END64_BYTES - 12, 8);
        p = put(p, 45, 2);
        p = put(p, 45, 2);
        p = put(p, 0, 8);                       /* disks */
        p = put(p, d->count, 8);
        p = put(p, d->count, 8);
        p = put(p, d->bytes, 8);
        p = put(p, d->at, 8);
        p = put(p, SIGNATURE_LOCATOR, 4);
        p = put(p, 0, 4);
        p = put(p, d->at + d->bytes, 8);
        put(p, 1, 4);
        fwrite(h, 1, END64_BYTES + LOCATOR_BYTES, f);
    }
    p = put(h, SIGNATURE_END, 4);
    p = put(p, 0, 4);                           /* disks */
    p = put(p, d->count < 0xffff ? d->count : 0xffff, 2);
    p = put(p, d->count < 0xffff ? d->count : 0xffff, 2);
    p = put(p, limited(d->bytes), 4);
    p = put(p, limited(d->at), 4);
    put(p, 0, 2);                               /* comment */
    fwrite(h, 1, END_BYTES, f);
}

/* Writes one array; *at is where in the file. */
static void
write_member(FILE *f, Member *m, const SnlIoArray *a, const void *data, uint64_t *at)
{
    char header[SNL_NPY_HEADER_MAX];
    size_t n = snl_npy_header(a, header);
    size_t bytes = (size_t)snl_io_bytes(a);
    snprintf(m->name, sizeof m->name, "%s.npy", a->name);
    m->at = *at;
    m->bytes = m->packed = n + bytes;
    m->crc = snl_io_crc(snl_io_crc(0, header, n), data, bytes);
    write_local(f, m);
    fwrite(header, 1, n, f);
    fwrite(data, 1, bytes, f);
    *at += LOCAL_BYTES + strlen(m->name) + (m->bytes >= LIMIT_32 ? 20 : 0) + m->bytes;
}

bool
snl_npz_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
             SnlIoError *error)
{
    SnlIoWriter w;
    Directory d = { 0, 0, (uint64_t)count };
    Member *members;
    for (int k = 0; k < count; k++)
        if (strlen(arrays[k].name) + 4 > NAME_MAX_BYTES)
            return snl_io_fail(error, "cannot write '%s': a name is too long", path);
    members = (Member *)calloc((size_t)count + 1, sizeof *members);
    if (!members)
        return snl_io_fail_memory(error, "writing", path);
    if (!snl_io_create(&w, path, error)) {
        free(members);
        return false;
    }
    for (int k = 0; k < count; k++)
        write_member(w.file, &members[k], &arrays[k], data[k], &d.at);
    for (int k = 0; k < count; k++) {
        const Member *m = &members[k];
        bool zip64 = m->bytes >= LIMIT_32 || m->at >= LIMIT_32;
        write_central(w.file, m);
        d.bytes += CENTRAL_BYTES + strlen(m->name) + (zip64 ? 28 : 0);
    }
    write_end(w.file, &d);
    free(members);
    return snl_io_finish(&w, error);
}

/* ---- reading ---- */

static bool
damaged(SnlIoReader *r, const char *what, uint64_t at)
{
    return snl_io_fail_at(r->error, r->path, at, "%s", what);
}

/* Replaces what the end record leaves out by the zip64 end record, whose locator stands before. */
static bool
read_end64(SnlIoReader *r, uint64_t end, uint64_t size, Directory *d)
{
    unsigned char h[END64_BYTES];
    uint64_t at;
    if (end < LOCATOR_BYTES)
        return damaged(r, "zip64 locator is missing", end);
    if (!snl_io_seek(r, end - LOCATOR_BYTES, LOCATOR_BYTES) || !snl_io_read(r, h, LOCATOR_BYTES))
        return false;
    at = get(h + 8, 8);
    if (get(h, 4) != SIGNATURE_LOCATOR || at > size || size - at < END64_BYTES)
        return damaged(r, "bad zip64 locator", end - LOCATOR_BYTES);
    if (!snl_io_seek(r, at, END64_BYTES) || !snl_io_read(r, h, END64_BYTES))
        return false;
    if (get(h, 4) != SIGNATURE_END64)
        return damaged(r, "bad zip64 end record", at);
    d->count = get(h + 32, 8);
    d->bytes = get(h + 40, 8);
    d->at = get(h + 48, 8);
    return true;
}

/* Finds the directory from the end record, which only a comment follows. */
static bool
find_directory(SnlIoReader *r, uint64_t size, Directory *d)
{
    uint64_t tail = size < END_BYTES + COMMENT_MAX ? size : END_BYTES + COMMENT_MAX;
    unsigned char *text = (unsigned char *)malloc((size_t)tail + 1);
    uint64_t start = 0;         /* of the end record, counted from where the tail begins */
    bool found = false;
    if (!text)
        return snl_io_fail_memory(r->error, "reading", r->path);
    if (!snl_io_seek(r, size - tail, tail) || !snl_io_read(r, text, (size_t)tail)) {
        free(text);
        return false;
    }
    for (uint64_t back = END_BYTES; !found && back <= tail; back++) {
        const unsigned char *p = text + tail - back;
        if (get(p, 4) == SIGNATURE_END && get(p + 20, 2) <= back - END_BYTES) {
            found = true;
            start = tail - back;
            d->count = get(p + 10, 2);
            d->bytes = get(p + 12, 4);
            d->at = get(p + 16, 4);
        }
    }
    free(text);
    if (!found)
        return snl_io_fail(r->error, "'%s' is no .npz file: no end record at offset %llu", r->path,
                           (unsigned long long)size);
    if (d->at == LIMIT_32 || d->bytes == LIMIT_32 || d->count == 0xffff)
        if (!read_end64(r, size - tail + start, size, d))
            return false;
    if (d->at > size || d->bytes > size - d->at)
        return damaged(r, "directory outside the file", size - tail + start);
    return true;
}

/* Takes the sizes that did not fit the central header from its zip64 field. */
static void
apply_extra(Member *m, const unsigned char *extra, size_t n)
{
    while (n >= 4) {
        size_t id = (size_t)get(extra, 2), bytes = (size_t)get(extra + 2, 2);
        const unsigned char *p = extra + 4;
        if (bytes > n - 4)
            return;
        if (id == ZIP64_EXTRA) {
            uint64_t *const fields[] = { &m->bytes, &m->packed, &m->at };
            for (int k = 0; k < 3; k++) {
                if (*fields[k] == LIMIT_32 && bytes >= 8) {
                    *fields[k] = get(p, 8);
                    p += 8;
                    bytes -= 8;
                }
            }
            return;
        }
        extra += 4 + bytes;
        n -= 4 + bytes;
    }
}

/* Reads the next entry of the directory. */
static bool
read_central(SnlIoReader *r, Member *m)
{
    unsigned char h[CENTRAL_BYTES], extra[256];
    size_t name, extras, comment, kept;
    m->entry = r->at;
    if (!snl_io_read(r, h, CENTRAL_BYTES))
        return false;
    if (get(h, 4) != SIGNATURE_CENTRAL)
        return damaged(r, "bad directory entry", m->entry);
    m->flags = (unsigned)get(h + 8, 2);
    m->method = (unsigned)get(h + 10, 2);
    m->crc = (uint32_t)get(h + 16, 4);
    m->packed = get(h + 20, 4);
    m->bytes = get(h + 24, 4);
    name = (size_t)get(h + 28, 2);
    extras = (size_t)get(h + 30, 2);
    comment = (size_t)get(h + 32, 2);
    m->at = get(h + 42, 4);
    if (name > NAME_MAX_BYTES)
        return damaged(r, "name too long", m->entry);
    if (!snl_io_read(r, m->name, name))
        return false;
    m->name[name] = '\0';
    kept = extras < sizeof extra ? extras : sizeof extra;
    if (!snl_io_read(r, extra, kept))
        return false;
    apply_extra(m, extra, kept);
    if (extras - kept + comment > r->left)
        return damaged(r, "bad directory entry", m->entry);
    return snl_io_seek(r, r->at + extras - kept + comment, r->left - (extras - kept + comment));
}

/* Length of the name of the array in a member. */
static size_t
array_name_bytes(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".npy") == 0 ? n - 4 : n;
}

/* Finds the member that holds the array. */
static bool
find_member(SnlIoReader *r, const Directory *d, const char *name, Member *m)
{
    char names[256] = "";
    size_t n = strlen(name);
    if (!snl_io_seek(r, d->at, d->bytes))
        return false;
    for (uint64_t k = 0; k < d->count; k++) {
        if (!read_central(r, m))
            return false;
        if (strncmp(m->name, name, n) == 0 && strcmp(m->name + n, ".npy") == 0)
            return true;
        snl_io_list(names, sizeof names, m->name, array_name_bytes(m->name));
    }
    return snl_io_fail(r->error, "'%s' has no array '%s'; in its directory at offset %llu stand %s",
                       r->path, name, (unsigned long long)d->at, names[0] ? names : "none");
}

/* Goes to the bytes of the member and starts unpacking them. */
static bool
open_member(SnlIoReader *r, const Member *m, uint64_t size)
{
    unsigned char h[LOCAL_BYTES];
    uint64_t start;
    if (m->flags & 1)
        return damaged(r, "an encrypted member", m->entry);
    if (m->method != STORED && m->method != DEFLATED)
        return damaged(r, "a member that is compressed in an unknown way", m->entry);
    if (m->at > size || size - m->at < LOCAL_BYTES)
        return damaged(r, "member outside the file", m->entry);
    if (!snl_io_seek(r, m->at, LOCAL_BYTES) || !snl_io_read(r, h, LOCAL_BYTES))
        return false;
    start = m->at + LOCAL_BYTES + get(h + 26, 2) + get(h + 28, 2);
    if (get(h, 4) != SIGNATURE_LOCAL || start > size || m->packed > size - start)
        return damaged(r, "bad member", m->at);
    if (m->method == STORED && m->packed != m->bytes)
        return damaged(r, "sizes of a member differ", m->entry);
    if (!snl_io_seek(r, start, m->packed))
        return false;
    return m->method == STORED || snl_io_inflate(r);
}

/* Goes to the member with the array, and starts unpacking it. */
static bool
seek_array(SnlIoReader *r, const char *name, Member *m)
{
    Directory d = { 0, 0, 0 };
    uint64_t size = r->left;
    memset(m, 0, sizeof *m);
    return find_directory(r, size, &d) && find_member(r, &d, name, m) && open_member(r, m, size);
}

bool
snl_npz_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error)
{
    SnlIoReader r;
    SnlIoArray found;
    Member m;
    bool good, plain;
    if (!snl_io_open(&r, path, error))
        return false;
    good = seek_array(&r, a->name, &m) && snl_npy_read(&r, a, data, &found, &plain);
    if (good && m.method == STORED && r.left > 0)
        good = damaged(&r, "a member that is longer than its array", m.at);
    if (good && r.crc != m.crc)
        good = damaged(&r, "checksum of a member is wrong", m.at);
    snl_io_close(&r);
    return good;
}

bool
snl_npz_map(const char *path, const SnlIoArray *a, SnlIoMap *map, const void **data)
{
    SnlIoReader r;
    SnlIoArray found;
    SnlIoError error;
    Member m;
    uint64_t start = 0, at = 0, bytes = (uint64_t)snl_io_bytes(a);
    bool good, plain;
    if (!snl_io_open(&r, path, &error))
        return false;
    good = seek_array(&r, a->name, &m) && m.method == STORED;
    if (good) {
        start = r.at;
        good = snl_npy_read(&r, a, NULL, &found, &plain) && plain
               && snl_io_check(path, &found, a, SNL_IO_NOWHERE, &error);
        at = r.at;
    }
    snl_io_close(&r);
    if (!good || !snl_io_map(map, path, &error))
        return false;
    if (start + m.bytes <= map->bytes && at - start + bytes == m.bytes
        && snl_io_crc(0, map->data + start, (size_t)m.bytes) == m.crc) {
        *data = map->data + at;
        return true;
    }
    snl_io_unmap(map);
    return false;
}
