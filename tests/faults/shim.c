/* shim.c - makes calls of the C library fail. Loaded with LD_PRELOAD by tests/faults/calls.sh.
 *
 * FAULT_PROGRAM   name of the program in which calls fail; others are left alone
 * FAULT_CALL      the group of calls that fails: malloc, open, read, write, close, rename, fork,
 *                 exec or thread
 * FAULT_AT        the number of the call, from 1 on
 * FAULT_HOW       once; on: that call and all after it; short: it writes half of what it should;
 *                 kill, term: the process gets this signal instead
 * FAULT_EXCEPT    words in the names of libraries whose own calls for memory do not fail, separated
 *                 by blanks
 * FAULT_HIT       a file that is made when a call fails; it says "output" where a call failed that
 *                 wrote to a file or closed one that was written
 * FAULT_COUNTERS  when set, nothing fails once the program has called exit or writes its counters,
 *                 so that counters of `make coverage` are written whole
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int calls;
static int chosen = -1;         /* 1: this is the program */

static void
end(void)
{
    chosen = 0;
}

static bool
is_chosen(void)
{
    if (chosen < 0) {
        const char *name = getenv("FAULT_PROGRAM");
        chosen = name && strcmp(name, program_invocation_short_name) == 0 && getenv("FAULT_CALL") &&
                 getenv("FAULT_AT");
    }
    return chosen;
}

#define REAL(result, name, ...) ((result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static void
mark(const char *text)
{
    const char *hit = getenv("FAULT_HIT");
    int file = -1;
    if (hit)
        file = REAL(int, "open", const char *, int, ...)(hit, O_CREAT | O_APPEND | O_WRONLY, 0666);
    if (file < 0)
        return;
    (void)!REAL(ssize_t, "write", int, const void *, size_t)(file, text, strlen(text));
    REAL(int, "close", int)(file);
}

/* True for a plain file that is open for writing. One that has no name any more counts while it is
 * written only: it may get one yet, but nobody misses it once it is closed. */
static bool
is_output(const char *group, int file)
{
    struct stat st;
    int flags = file < 0 ? -1 : fcntl(file, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && !fstat(file, &st) &&
           S_ISREG(st.st_mode) && (st.st_nlink > 0 || strcmp(group, "close") != 0);
}

static bool
is_for(const char *group)
{
    const char *call = getenv("FAULT_CALL");
    return call && strcmp(group, call) == 0;
}

/* True if this call must fail, which is for a file unless that is -1. */
static bool
fails_on(int on_file, const char *group, int error)
{
    static __thread bool inside;
    if (inside || !is_chosen() || !is_for(group))
        return false;
    int number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED), at = atoi(getenv("FAULT_AT"));
    const char *how = getenv("FAULT_HOW");
    bool on = how && strcmp(how, "on") == 0;
    if (number < at || (number > at && !on))
        return false;
    inside = true;
    if (number == at && getenv("FAULT_COUNTERS"))
        atexit(end); /* comes before what was there at the start: libraries, counters */
    bool comes_back = on || !how || strcmp(how, "once") == 0; /* with an error */
    mark(comes_back && is_output(group, on_file) ? "output\n" : "");
    inside = false;
    if (how && strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (how && strcmp(how, "term") == 0) {
        raise(SIGTERM);
        return false;
    }
    errno = error;
    return true;
}

static bool
fails(const char *group, int error)
{
    return fails_on(-1, group, error);
}

/* ---- memory ---- */

/* True if this call for memory must fail, which comes from code at an address. */
static bool
lacks_memory(const void *caller)
{
    const char *word = is_chosen() ? getenv("FAULT_EXCEPT") : NULL;
    Dl_info from;
    while (word && *word && dladdr(caller, &from) && from.dli_fname) {
        size_t n = strcspn(word, " ");
        if (memmem(from.dli_fname, strlen(from.dli_fname), word, n))
            return false;
        word += n + strspn(word + n, " ");
    }
    return fails("malloc", ENOMEM);
}

#define NO_MEMORY lacks_memory(__builtin_return_address(0))

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);

void *malloc(size_t n) { return NO_MEMORY ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return NO_MEMORY ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return NO_MEMORY ? NULL : __libc_realloc(p, n); }
void *aligned_alloc(size_t align, size_t n) { return NO_MEMORY ? NULL : __libc_memalign(align, n); }

/* Its caller is not the C library, as that of its call of malloc would be. */
char *
strdup(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = NO_MEMORY ? NULL : __libc_malloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

int
posix_memalign(void **p, size_t align, size_t n)
{
    if (NO_MEMORY)
        return ENOMEM;
    *p = __libc_memalign(align, n);
    return *p ? 0 : ENOMEM;
}

void *
mmap(void *at, size_t n, int protection, int flags, int file, off_t offset)
{
    /* A file that is mapped is read so. */
    if (file >= 0 ? fails("read", EIO) : NO_MEMORY)
        return MAP_FAILED;
    return REAL(void *, "mmap", void *, size_t, int, int, int, off_t)(at, n, protection, flags,
                                                                      file, offset);
}

/* ---- files ---- */

int
open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    const char *extension = getenv("FAULT_COUNTERS") ? strrchr(path, '.') : NULL;
    if (extension && strcmp(extension, ".gcda") == 0 && !is_for("exec"))
        end(); /* counters are written before exec is called, too */
    return fails("open", EACCES) ? -1
                                 : REAL(int, "open", const char *, int, ...)(path, flags, mode);
}

FILE *
fopen(const char *path, const char *mode)
{
    return fails("open", EACCES) ? NULL
                                 : REAL(FILE *, "fopen", const char *, const char *)(path, mode);
}

int mkstemp(char *path) { return fails("open", EACCES) ? -1 : REAL(int, "mkstemp", char *)(path); }
FILE *
fdopen(int file, const char *mode)
{
    return fails("open", ENOMEM) ? NULL : REAL(FILE *, "fdopen", int, const char *)(file, mode);
}
int
mkdir(const char *path, mode_t mode)
{
    return fails("open", EACCES) ? -1 : REAL(int, "mkdir", const char *, mode_t)(path, mode);
}
char *
mkdtemp(char *path)
{
    return fails("open", EACCES) ? NULL : REAL(char *, "mkdtemp", char *)(path);
}

FILE *tmpfile(void) { return fails("open", EACCES) ? NULL : REAL(FILE *, "tmpfile", void)(); }
DIR *
opendir(const char *path)
{
    return fails("open", EACCES) ? NULL : REAL(DIR *, "opendir", const char *)(path);
}

/* How many of n bytes a call may write that is chosen: none, which is an error, or half of them. */
static size_t
least_written(size_t n)
{
    const char *how = getenv("FAULT_HOW");
    return how && strcmp(how, "short") == 0 ? n - n / 2 : 0;
}

ssize_t
write(int file, const void *from, size_t n)
{
    if (file > 2 && fails_on(file, "write", ENOSPC) && (n = least_written(n)) == 0)
        return -1;
    return REAL(ssize_t, "write", int, const void *, size_t)(file, from, n);
}

/* HDF5 writes and reads so. */
ssize_t
pwrite(int file, const void *from, size_t n, off_t at)
{
    if (fails_on(file, "write", ENOSPC) && (n = least_written(n)) == 0)
        return -1;
    return REAL(ssize_t, "pwrite", int, const void *, size_t, off_t)(file, from, n, at);
}

ssize_t
pread(int file, void *to, size_t n, off_t at)
{
    return fails("read", EIO) ? -1
                              : REAL(ssize_t, "pread", int, void *, size_t, off_t)(file, to, n, at);
}

/* What makes ferror true. */
static void
set_error(FILE *file)
{
#ifdef __GLIBC__
    file->_flags |= 0x20;
#else
    (void)file;
#endif
}

size_t
fwrite(const void *from, size_t size, size_t n, FILE *out)
{
    if (fileno(out) > 2 && fails_on(fileno(out), "write", ENOSPC)) {
        set_error(out);
        return 0;
    }
    return REAL(size_t, "fwrite", const void *, size_t, size_t, FILE *)(from, size, n, out);
}

int
fputs(const char *text, FILE *out)
{
    if (fileno(out) > 2 && fails_on(fileno(out), "write", ENOSPC)) {
        set_error(out);
        return EOF;
    }
    return REAL(int, "fputs", const char *, FILE *)(text, out);
}

int
fflush(FILE *out)
{
    if (out && fileno(out) > 2 && fails_on(fileno(out), "write", ENOSPC)) {
        set_error(out);
        return EOF;
    }
    return REAL(int, "fflush", FILE *)(out);
}

int
close(int file)
{
    bool failed = file > 2 && fails_on(file, "close", EIO);
    int status = REAL(int, "close", int)(file);
    if (failed)
        errno = EIO;
    return failed ? -1 : status;
}

int
fclose(FILE *out)
{
    bool failed = fileno(out) > 2 && fails_on(fileno(out), "close", ENOSPC);
    int status = REAL(int, "fclose", FILE *)(out);
    if (failed)
        errno = ENOSPC;
    return failed ? EOF : status;
}

ssize_t
read(int file, void *to, size_t n)
{
    return fails("read", EIO) ? -1 : REAL(ssize_t, "read", int, void *, size_t)(file, to, n);
}

size_t
fread(void *to, size_t size, size_t n, FILE *in)
{
    if (fails("read", EIO)) {
        set_error(in);
        return 0;
    }
    return REAL(size_t, "fread", void *, size_t, size_t, FILE *)(to, size, n, in);
}

int
rename(const char *a, const char *b)
{
    return fails("rename", EACCES) ? -1 : REAL(int, "rename", const char *, const char *)(a, b);
}

int
linkat(int from, const char *a, int to, const char *b, int flags)
{
    return fails("rename", EACCES)
               ? -1
               : REAL(int, "linkat", int, const char *, int, const char *, int)(from, a, to, b,
                                                                                flags);
}

/* ---- processes ---- */

pid_t fork(void) { return fails("fork", EAGAIN) ? -1 : REAL(pid_t, "fork", void)(); }
int pipe(int ends[2]) { return fails("fork", EMFILE) ? -1 : REAL(int, "pipe", int *)(ends); }
int
pipe2(int ends[2], int flags)
{
    return fails("fork", EMFILE) ? -1 : REAL(int, "pipe2", int *, int)(ends, flags);
}

int
posix_spawnp(pid_t *child, const char *file, const posix_spawn_file_actions_t *actions,
             const posix_spawnattr_t *attributes, char *const args[], char *const environment[])
{
    if (fails("fork", EAGAIN))
        return EAGAIN;
    return REAL(int, "posix_spawnp", pid_t *, const char *, const posix_spawn_file_actions_t *,
                const posix_spawnattr_t *, char *const *,
                char *const *)(child, file, actions, attributes, args, environment);
}

int
execv(const char *file, char *const *args)
{
    return fails("exec", EACCES) ? -1 : REAL(int, "execv", const char *, char *const *)(file, args);
}

int
execvp(const char *file, char *const *args)
{
    return fails("exec", EACCES) ? -1
                                 : REAL(int, "execvp", const char *, char *const *)(file, args);
}

int
execl(const char *file, const char *first, ...)
{
    enum { MOST = 16 };
    const char *args[MOST] = {first};
    va_list more;
    va_start(more, first);
    for (int k = 1; args[k - 1] && k < MOST - 1; k++)
        args[k] = va_arg(more, const char *);
    va_end(more);
    return execv(file, (char *const *)args);
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*fn)(void *), void *arg)
{
    if (fails("thread", EAGAIN))
        return EAGAIN;
    return REAL(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *),
                void *)(thread, attributes, fn, arg);
}
