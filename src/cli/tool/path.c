/* Paths, and the temporary folder of the process. */
#include "config.h"

#include "cli/tool/path.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/tool/signals.h"

const char *
path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *
path_with_suffix(Arena *a, const char *path, const char *suffix)
{
    const char *dot = strrchr(path_base(path), '.');
    size_t stem = dot && dot != path_base(path) ? (size_t)(dot - path) : strlen(path);
    return arena_printf(a, "%.*s%s", (int)stem, path, suffix);
}

bool
path_ends(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);
    return n >= m && !strcmp(path + n - m, suffix);
}

/* Looks at the folder of a file. */
static bool
stat_folder(Arena *a, const char *path, struct stat *st)
{
    return !stat(arena_printf(a, "%.*s.", (int)(path_base(path) - path), path), st);
}

bool
path_is_same(Arena *a, const char *path, const char *other)
{
    struct stat one, two;
    if (strcmp(path_base(path), path_base(other)) != 0)
        return false;
    return !strcmp(path, other) || (stat_folder(a, path, &one) && stat_folder(a, other, &two) &&
                                    one.st_dev == two.st_dev && one.st_ino == two.st_ino);
}

bool
path_is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int
path_try_folder(Cli *cli, const char *path)
{
    char *p = arena_strndup(cli->arena, path, strlen(path));
    for (char *s = p + 1;; s++) {
        if (*s && *s != '/')
            continue;
        char end = *s;
        *s = 0;
        if (mkdir(p, 0777) && errno != EEXIST)
            return errno;
        *s = end;
        if (!end)
            return access(path, W_OK) ? errno : 0;
    }
}

const char *
path_temporary_base(void)
{
    const char *base = getenv("TMPDIR");
    return base && *base ? base : "/tmp";
}

/* The temporary folder that there is. It stays open, so that it can be removed where no memory is
 * left; and a process that gets none ends wherever it is, so exit() has to know it. */
static struct {
    DIR *files; /* NULL: there is none */
    const char *path;
    pid_t process; /* whose it is: who was forked leaves it alone */
    bool awaited;  /* exit() removes it */
} temporary;

static void
remove_temporary(void)
{
    if (!temporary.files || temporary.process != getpid())
        return;
    rewinddir(temporary.files);
    for (struct dirent *e; (e = readdir(temporary.files));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            unlinkat(dirfd(temporary.files), e->d_name, 0);
    closedir(temporary.files);
    temporary.files = NULL;
    rmdir(temporary.path);
}

const char *
path_temporary_folder(Cli *cli)
{
    char *path = arena_printf(cli->arena, "%s/snlc-XXXXXX", path_temporary_base());
    assert(!temporary.files);
    signals_hold(cli);
    temporary.path = mkdtemp(path);
    temporary.files = temporary.path ? opendir(path) : NULL;
    int error = errno;
    temporary.process = getpid();
    if (!temporary.awaited)
        temporary.awaited = !atexit(remove_temporary);
    if (temporary.files)
        return path;
    if (temporary.path)
        rmdir(path);
    signals_release(cli);
    cli_error(cli, E0802, "cannot create a temporary folder '%s': %s", path, strerror(error));
    return NULL;
}

void
path_take_folder(void)
{
    temporary.process = getpid();
}

void
path_remove_folder(Cli *cli)
{
    remove_temporary();
    signals_release(cli);
}
