/* io_stream.c - files: complete-or-absent writing where folders allow it, bounded reading. */
#include "io_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../program/snl_format.h"

/* ---- messages ---- */

bool
snl_io_fail(SnlIoError *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    snl_format_message(error->text, sizeof error->text, format, args);
    va_end(args);
    error->other_layout = error->no_memory = false;
    return false;
}

bool
snl_io_fail_memory(SnlIoError *error, const char *verb, const char *path)
{
    snl_io_fail(error, "out of memory while %s '%s'", verb, path);
    error->no_memory = true;
    return false;
}

bool
snl_io_fail_at(SnlIoError *error, const char *path, uint64_t at, const char *format, ...)
{
    char what[SNL_IO_MESSAGE / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return snl_io_fail(error, "'%s': %s at offset %llu", path, what, (unsigned long long)at);
}

void
snl_io_list(char *list, size_t size, const char *name, size_t bytes)
{
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%.*s", used ? ", " : "", (int)(bytes < 200 ? bytes : 200),
             name);
}

bool
snl_io_fail_system(SnlIoError *error, const char *verb, const char *path, int code)
{
    char reason[128];
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    const char *text = strerror_r(code, reason, sizeof reason);
#else
    const char *text = strerror_r(code, reason, sizeof reason) == 0 ? reason : "unknown error";
#endif
    snl_io_fail(error, "cannot %s '%s': %s", verb, path, text);
    error->no_memory = code == ENOMEM;
    return false;
}

void
snl_io_shape_text(char *out, size_t size, int axes, const int64_t *shape)
{
    size_t n = (size_t)snprintf(out, size, "(");
    for (int k = 0; k < axes && n < size; k++)
        n += (size_t)snprintf(out + n, size - n, "%s%lld", k ? ", " : "", (long long)shape[k]);
    if (n < size)
        snprintf(out + n, size - n, axes == 1 ? ",)" : ")");
}

/* " at offset N", or nothing. */
static const char *
place_text(char out[40], uint64_t at)
{
    out[0] = '\0';
    if (at != SNL_IO_NOWHERE)
        snprintf(out, 40, " at offset %llu", (unsigned long long)at);
    return out;
}

bool
snl_io_check(const char *path, const SnlIoArray *file, const SnlIoArray *a, uint64_t at,
             SnlIoError *error)
{
    char has[256], needs[256], place[40];
    bool same = file->axes == a->axes;
    for (int k = 0; same && k < a->axes; k++)
        same = file->shape[k] == a->shape[k];
    if (!same) {
        snl_io_shape_text(has, sizeof has, file->axes, file->shape);
        snl_io_shape_text(needs, sizeof needs, a->axes, a->shape);
        return snl_io_fail(error, "'%s' has shape %s%s, field %s needs %s", path, has,
                           place_text(place, at), a->name, needs);
    }
    if (file->tag != a->tag)
        return snl_io_fail(error, "'%s' holds %s%s, field %s needs %s", path,
                           snl_scalar_name(file->tag), place_text(place, at), a->name,
                           snl_scalar_name(a->tag));
    return true;
}

bool
snl_io_check_cell(const char *path, const SnlIoArray *a, const int64_t *index, uint64_t at,
                  SnlIoError *error)
{
    char place[40];
    for (int k = 0; k < a->index_axes; k++)
        if (index[k] < a->offset[k] || index[k] - a->offset[k] >= a->shape[k])
            return snl_io_fail(error, "'%s': index %lld of a cell%s is outside of field %s, %lld "
                               "to %lld", path, (long long)index[k], place_text(place, at),
                               a->name, (long long)a->offset[k],
                               (long long)(a->offset[k] + a->shape[k] - 1));
    return true;
}

bool
snl_io_little_endian(void)
{
    uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

void
snl_io_swap(void *data, size_t count, size_t bytes)
{
    unsigned char *p = (unsigned char *)data;
    for (size_t k = 0; k < count; k++, p += bytes) {
        for (size_t b = 0; b < bytes / 2; b++) {
            unsigned char t = p[b];
            p[b] = p[bytes - 1 - b];
            p[bytes - 1 - b] = t;
        }
    }
}

/* ---- writing ---- */

/* Opens a file without a name in the folder of the target, which is gone with a process that is
 * killed; or returns -1. */
static int
open_unnamed(SnlIoWriter *w, size_t size)
{
#ifdef O_TMPFILE
    const char *slash = strrchr(w->target, '/');
    int fd;
    snprintf(w->temporary, size, "%.*s", slash ? (int)(slash + 1 - w->target) : 1,
             slash ? w->target : ".");
    fd = open(w->temporary, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    snprintf(w->temporary, size, "/proc/self/fd/%d", fd);
    w->unnamed = access(w->temporary, W_OK) == 0;
    if (w->unnamed)
        return fd;
    close(fd);
#else
    (void)w;
    (void)size;
#endif
    return -1;
}

/* Name k of a file beside the target: it ends in the process and a number. */
static void
name_temporary(const SnlIoWriter *w, char *name, size_t size, int k)
{
    const char *slash = strrchr(w->target, '/');
    int folder = slash ? (int)(slash + 1 - w->target) : 0;
    snprintf(name, size, "%.*s%.200s.%ld.%d.tmp", folder, w->target, w->target + folder,
             (long)getpid(), k);
}

/* Opens a new file for the target, under another name beside it or under none. */
static int
open_temporary(SnlIoWriter *w)
{
    size_t size = strlen(w->target) + 60;
    int fd = -1;
    w->temporary = (char *)malloc(size);
    if (!w->temporary) {
        errno = ENOMEM;
        return -1;
    }
    fd = open_unnamed(w, size);
    for (int k = 0; k < 10000 && fd < 0; k++) {
        name_temporary(w, w->temporary, size, k);
        fd = open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

/* Gives the file without a name one beside the target. */
static bool
link_temporary(SnlIoWriter *w)
{
    size_t size;
    char *name;
    bool linked = false;
    size = strlen(w->target) + 60;
    name = (char *)malloc(size);
    if (!name) {
        errno = ENOMEM;
        return false;
    }
    for (int k = 0; k < 10000 && !linked; k++) {
        name_temporary(w, name, size, k);
        linked = linkat(AT_FDCWD, w->temporary, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
        if (!linked && errno != EEXIST)
            break;
    }
    if (linked) {
        free(w->temporary);
        w->temporary = name;
        w->unnamed = false;
    } else {
        int code = errno;
        free(name);
        errno = code;
    }
    return linked;
}

const char *
snl_io_name(SnlIoWriter *w)
{
    if (w->unnamed && !link_temporary(w))
        return NULL;
    return w->temporary ? w->temporary : w->target;
}

/* Removes what was written. */
static void
drop_temporary(const SnlIoWriter *w)
{
    if (w->temporary && !w->unnamed)
        unlink(w->temporary);
}

static void
release_writer(SnlIoWriter *w)
{
    free(w->temporary);
    free(w->target);
    memset(w, 0, sizeof *w);
}

/* Where a link leads; allocated by malloc, NULL with errno set. */
static char *
link_target(const char *path)
{
    enum { LINK_BYTES = 4096 };
    char to[LINK_BYTES], *target;
    const char *slash = strrchr(path, '/');
    ssize_t n = readlink(path, to, sizeof to);
    size_t folder = n > 0 && to[0] != '/' && slash ? (size_t)(slash + 1 - path) : 0;
    if (n < 0)
        return NULL;
    target = (char *)malloc(folder + (size_t)n + 1);
    if (!target)
        return NULL;
    memcpy(target, path, folder);
    memcpy(target + folder, to, (size_t)n);
    target[folder + (size_t)n] = '\0';
    return target;
}

char *
snl_io_follow(const char *path)
{
    enum { MOST_LINKS = 40 };
    struct stat info;
    char *at = strdup(path);
    for (int k = 0; at && lstat(at, &info) == 0 && S_ISLNK(info.st_mode); k++) {
        char *next = k < MOST_LINKS ? link_target(at) : NULL;
        int code = k < MOST_LINKS ? errno : ELOOP;
        free(at);
        at = next;
        errno = code;
    }
    return at;
}

/* True where a file that is there may not be replaced, but perhaps written: its folder is another's
 * or read-only, or it is mounted there. */
static bool
is_fixed(int code)
{
    return code == EACCES || code == EPERM || code == EROFS || code == EBUSY || code == EXDEV;
}

/* Opens what takes the bytes of a file that is there or not; or returns -1. */
static int
open_target(SnlIoWriter *w, const struct stat *there)
{
    int fd;
    w->target = snl_io_follow(w->path);     /* a link stays a link */
    fd = w->target ? open_temporary(w) : -1;
    if (fd >= 0 && there)       /* who may read the old one may read the new one */
        (void)!fchmod(fd, there->st_mode & 0777);
    if (fd < 0 && there && w->target && is_fixed(errno)) {
        free(w->temporary);
        w->temporary = NULL;
        fd = open(w->target, O_WRONLY | O_TRUNC | O_CLOEXEC);
    }
    return fd;
}

bool
snl_io_create(SnlIoWriter *w, const char *path, SnlIoError *error)
{
    struct stat info;
    bool exists = stat(path, &info) == 0;
    int fd, code;
    memset(w, 0, sizeof *w);
    w->path = path;
    if (exists && !S_ISREG(info.st_mode))
        fd = open(path, O_WRONLY | O_CLOEXEC);
    else
        fd = open_target(w, exists ? &info : NULL);
    if (fd >= 0) {
        w->file = fdopen(fd, "wb");
        if (w->file) {
            errno = 0;          /* snl_io_finish looks at it */
            return true;
        }
        code = errno;
        close(fd);
        drop_temporary(w);
        errno = code;
    }
    code = errno;
    release_writer(w);
    return snl_io_fail_system(error, "write", path, code);
}

/* Copies what was written to the target, which stays the file that it is. */
static bool
copy_to_target(const SnlIoWriter *w)
{
    char bytes[65536];
    FILE *from = fopen(w->temporary, "rbe"), *to = from ? fopen(w->target, "r+be") : NULL;
    bool good = to && ftruncate(fileno(to), 0) == 0;
    int code;
    for (size_t n; good && (n = fread(bytes, 1, sizeof bytes, from)) > 0;)
        good = fwrite(bytes, 1, n, to) == n;
    good = good && !ferror(from);
    code = errno;
    if (to && fclose(to) != 0 && good) {
        code = errno;
        good = false;
    }
    if (from)
        fclose(from);
    errno = code;
    return good;
}

/* Gives the file its name. */
static bool
put_in_place(const SnlIoWriter *w)
{
    if (!w->temporary || rename(w->temporary, w->target) == 0)
        return true;
    if (!is_fixed(errno) || !copy_to_target(w))
        return false;
    drop_temporary(w);
    return true;
}

bool
snl_io_finish(SnlIoWriter *w, SnlIoError *error)
{
    bool good = ferror(w->file) == 0;
    const char *path = w->path;
    int code = good ? 0 : errno;        /* that of the write that failed */
    errno = 0;
    if (good && fflush(w->file) != 0)
        good = false;
    if (good && w->unnamed && !link_temporary(w))
        good = false;
    if (!good && !code)
        code = errno;
    if (fclose(w->file) != 0)
        good = false;
    good = good && put_in_place(w);
    if (!good) {
        code = code ? code : errno ? errno : EIO;
        drop_temporary(w);
    }
    release_writer(w);
    return good || snl_io_fail_system(error, "write", path, code);
}

void
snl_io_abandon(SnlIoWriter *w)
{
    fclose(w->file);
    drop_temporary(w);
    release_writer(w);
}

/* ---- reading ---- */

bool
snl_io_open(SnlIoReader *r, const char *path, SnlIoError *error)
{
    struct stat info;
    int fd, code;
    memset(r, 0, sizeof *r);
    r->path = path;
    r->error = error;
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);     /* waits for no writer of a FIFO */
    r->file = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (!r->file) {
        code = errno;
        if (fd >= 0)
            close(fd);
        return snl_io_fail_system(error, "read", path, code);
    }
    if (fstat(fileno(r->file), &info) != 0 || !S_ISREG(info.st_mode)) {
        fclose(r->file);
        return snl_io_fail(error, "cannot read '%s': not a regular file", path);
    }
    r->left = (uint64_t)info.st_size;
    return true;
}

/* Reads n bytes of the file as they are. */
static bool
read_plain(SnlIoReader *r, void *out, size_t n)
{
    if (n > r->left)
        return snl_io_fail(r->error, "'%s' is cut short: %llu bytes are missing at offset %llu",
                           r->path, (unsigned long long)(n - r->left),
                           (unsigned long long)(r->at + r->left));
    errno = 0;
    if (fread(out, 1, n, r->file) != n)
        return snl_io_fail_system(r->error, "read", r->path, errno ? errno : EIO);
    r->at += n;
    r->left -= n;
    return true;
}

#ifdef SNL_HAVE_ZLIB

/* Fills the buffer of packed bytes. */
static bool
refill(SnlIoReader *r)
{
    size_t n = r->left < sizeof r->packed ? (size_t)r->left : sizeof r->packed;
    if (n == 0)
        return snl_io_fail(r->error, "'%s': compressed data end early at offset %llu", r->path,
                           (unsigned long long)r->at);
    if (!read_plain(r, r->packed, n))
        return false;
    r->stream.next_in = r->packed;
    r->stream.avail_in = (uInt)n;
    return true;
}

static bool
read_packed(SnlIoReader *r, void *out, size_t n)
{
    const size_t at_once = (size_t)1 << 30;     /* zlib counts in unsigned int */
    unsigned char *to = (unsigned char *)out;
    while (n > 0) {
        size_t part = n < at_once ? n : at_once;
        int status;
        if (r->stream.avail_in == 0 && !refill(r))
            return false;
        r->stream.next_out = to;
        r->stream.avail_out = (uInt)part;
        status = inflate(&r->stream, Z_NO_FLUSH);
        part -= r->stream.avail_out;
        to += part;
        n -= part;
        if (n > 0 && status != Z_OK && status != Z_BUF_ERROR)
            return snl_io_fail(r->error, "'%s': damaged compressed data before offset %llu",
                               r->path, (unsigned long long)r->at);
    }
    return true;
}

bool
snl_io_inflate(SnlIoReader *r)
{
    memset(&r->stream, 0, sizeof r->stream);
    if (inflateInit2(&r->stream, -MAX_WBITS) != Z_OK)
        return snl_io_fail_memory(r->error, "reading", r->path);
    r->deflated = true;
    return true;
}

#else

static bool
read_packed(SnlIoReader *r, void *out, size_t n)
{
    (void)out;
    (void)n;
    return snl_io_inflate(r);
}

bool
snl_io_inflate(SnlIoReader *r)
{
    return snl_io_fail_at(r->error, r->path, r->start,
                          "this build of the runtime has no zlib for the compressed data");
}

#endif

bool
snl_io_read(SnlIoReader *r, void *out, size_t n)
{
    if (!(r->deflated ? read_packed(r, out, n) : read_plain(r, out, n)))
        return false;
    r->crc = snl_io_crc(r->crc, out, n);
    return true;
}

bool
snl_io_seek(SnlIoReader *r, uint64_t at, uint64_t left)
{
    if (at > (uint64_t)INT64_MAX || fseeko(r->file, (off_t)at, SEEK_SET) != 0)
        return snl_io_fail(r->error, "'%s': bad offset %llu", r->path, (unsigned long long)at);
    r->at = r->start = at;
    r->left = left;
    r->crc = 0;
    return true;
}

uint64_t
snl_io_offset(const SnlIoReader *r, uint64_t n)
{
    return r->deflated ? r->start : r->at - n;
}

void
snl_io_close(SnlIoReader *r)
{
#ifdef SNL_HAVE_ZLIB
    if (r->deflated)
        inflateEnd(&r->stream);
#endif
    fclose(r->file);
    r->file = NULL;
}

uint32_t
snl_io_crc(uint32_t crc, const void *data, size_t n)
{
#ifdef SNL_HAVE_ZLIB
    const unsigned char *p = (const unsigned char *)data;
    while (n > 0) {
        size_t part = n < 1u << 30 ? n : 1u << 30;
        crc = (uint32_t)crc32(crc, p, (uInt)part);
        p += part;
        n -= part;
    }
    return crc;
#else
    const unsigned char *p = (const unsigned char *)data;
    crc = ~crc;
    for (size_t k = 0; k < n; k++) {
        crc ^= p[k];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    return ~crc;
#endif
}

/* ---- files in memory ---- */

bool
snl_io_map(SnlIoMap *m, const char *path, SnlIoError *error)
{
    SnlIoReader r;
    void *data;
    if (!snl_io_open(&r, path, error))
        return false;
    m->path = path;
    m->data = NULL;
    m->bytes = (size_t)r.left;
    if (m->bytes > 0) {
        data = mmap(NULL, m->bytes, PROT_READ, MAP_PRIVATE, fileno(r.file), 0);
        if (data == MAP_FAILED) {
            int code = errno;
            snl_io_close(&r);
            return snl_io_fail_system(error, "read", path, code);
        }
        m->data = (const unsigned char *)data;
    }
    snl_io_close(&r);
    return true;
}

void
snl_io_unmap(SnlIoMap *m)
{
    if (m->data)
        munmap((void *)(uintptr_t)m->data, m->bytes);
    m->data = NULL;
}

const char *
snl_io_extension(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot : "";
}

bool
snl_io_unsupported(const char *path, SnlIoError *error)
{
    return snl_io_fail(error, "'%s': this build of the runtime has no support for '%s' files", path,
                       snl_io_extension(path));
}

/* Are they one word but for capitals? Whatever language the process speaks. */
static bool
is_word(const char *s, const char *lower)
{
    for (; *lower; s++, lower++)
        if (*s != *lower && !(*s >= 'A' && *s <= 'Z' && *s - 'A' + 'a' == *lower))
            return false;
    return !*s;
}

SnlFileKind
snl_file_kind(const char *path)
{
    static const char *const names[] = { ".npy", ".npz", ".png", ".snlt",
                                         ".h5", ".vti", ".vtu", ".nvdb",
                                         ".vtp", ".ply", ".csv" };
    const char *extension = snl_io_extension(path);
    for (int k = 0; k < SNL_FILE_OTHER; k++)
        if (is_word(extension, names[k]))
            return (SnlFileKind)k;
    return SNL_FILE_OTHER;
}
