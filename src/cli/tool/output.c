/* Output files and depfiles. */
#include "config.h"

#include "cli/tool/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/tool/signals.h"
#include "emit/emit.h"
#include "program/snl_io.h"

/* True when the file holds exactly these bytes already. */
static bool
file_equals(const char *path, const char *data, size_t bytes)
{
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode) || (size_t)st.st_size != bytes)
        return false;
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    char buffer[65536];
    size_t at = 0, n;
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0 && at + n <= bytes &&
           !memcmp(data + at, buffer, n))
        at += n;
    fclose(f);
    return at == bytes && n == 0;
}

static bool
write_all(int fd, const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, data, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* Files that are not plain (/dev/null, pipes) are written in place. */
static int
write_in_place(Cli *cli, const char *path, const char *data, size_t bytes)
{
    int fd = open(path, O_WRONLY);
    if (fd < 0) {
        cli_error(cli, E0802, "cannot write '%s': %s", path, strerror(errno));
        return EXIT_CANTCREAT;
    }
    bool fine = write_all(fd, data, bytes);
    if (close(fd) || !fine) {
        cli_error(cli, E0802, "cannot write '%s': %s", path, strerror(errno));
        return EXIT_IO;
    }
    return 0;
}

/* True for what is there and no plain file, and for links of the system such as /dev/stdout, which
 * may lead to one: it is written in place. */
static bool
is_special(const char *path)
{
    struct stat st;
    if (!lstat(path, &st) && S_ISLNK(st.st_mode) &&
        (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6)))
        return true;
    return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Where a path leads through symbolic links: a link in the place of an output stays one. */
static const char *
follow(Cli *cli, const char *path)
{
    char *real = snl_io_follow(path);
    const char *copy = real ? arena_strndup(cli->arena, real, strlen(real)) : path;
    free(real);
    return copy;
}

bool
output_is_stream(const char *path)
{
    return !strcmp(path, "-") || is_special(path);
}

/* What mkstemp makes the name of a new file beside `path` of, also where that is as long as names
 * may be. */
static char *
template_beside(Cli *cli, const char *path)
{
    const char *base = path_base(path);
    return arena_printf(cli->arena, "%.*s%.200s.XXXXXX", (int)(base - path), path, base);
}

/* A new file beside `path`: its descriptor, or -1 after a message. Signals are held back until
 * put_in_place or output_drop. */
static int
create_beside(Cli *cli, const char *path, char **temporary)
{
    *temporary = template_beside(cli, path);
    signals_hold(cli);
    int fd = mkstemp(*temporary);
    if (fd < 0) {
        cli_error(cli, E0802, "cannot create '%s': %s", path, strerror(errno));
        signals_release(cli);
    }
    return fd;
}

static int
close_and_rename(Cli *cli, const char *path, const char *temporary, int fd, int error)
{
    struct stat st;
    bool exists = !stat(path, &st);
    mode_t mask = umask(0);
    umask(mask);
    if (!error && fchmod(fd, exists ? st.st_mode & 0777 : 0666 & ~mask))
        error = errno;
    if (close(fd) && !error)
        error = errno;
    bool written = !error;
    if (written && !rename(temporary, path))
        return 0;
    if (written)
        error = errno;
    unlink(temporary);
    cli_error(cli, E0802, "cannot write '%s': %s", path, strerror(error));
    return written ? EXIT_CANTCREAT : EXIT_IO;
}

/* Closes a file of create_beside and gives it its name; `error`: of what was done to it before.
 * Returns like output_write. */
static int
put_in_place(Cli *cli, const char *path, const char *temporary, int fd, int error)
{
    int status = close_and_rename(cli, path, temporary, fd, error);
    signals_release(cli);
    return status;
}

int
output_write(Cli *cli, const char *path, const char *data, size_t bytes)
{
    if (!strcmp(path, "-")) {
        if (fwrite(data, 1, bytes, stdout) == bytes && !fflush(stdout))
            return 0;
        cli_error(cli, E0802, "cannot write standard output: %s", strerror(errno));
        return EXIT_IO;
    }
    if (is_special(path))
        return write_in_place(cli, path, data, bytes);
    if (file_equals(path, data, bytes))
        return 0;
    path = follow(cli, path);
    char *temporary;
    int fd = create_beside(cli, path, &temporary);
    if (fd < 0)
        return EXIT_CANTCREAT;
    return put_in_place(cli, path, temporary, fd, write_all(fd, data, bytes) ? 0 : errno);
}

/* True when the next bytes of the file that is there are these. */
static bool
goes_on_with(const Output *o, const char *s, size_t n)
{
    char buffer[65536];
    while (n > 0) {
        ssize_t got = read(o->old, buffer, n < sizeof buffer ? n : sizeof buffer);
        if (got <= 0 || memcmp(s, buffer, (size_t)got))
            return false;
        s += got;
        n -= (size_t)got;
    }
    return true;
}

/* The text is another than that of the file that is there: a new file begins with what they
 * share. */
static void
part_from_old(Output *o)
{
    char buffer[65536];
    o->fd = create_beside(o->cli, o->path, &o->temporary);
    for (size_t at = 0; at < o->same && o->fd >= 0 && !o->error;) {
        size_t most = o->same - at < sizeof buffer ? o->same - at : sizeof buffer;
        ssize_t n = pread(o->old, buffer, most, (off_t)at);
        if (n <= 0 || !write_all(o->fd, buffer, (size_t)n))
            o->error = errno ? errno : EIO;
        at += n > 0 ? (size_t)n : 0;
    }
}

static void
write_part(void *to, const char *s, size_t n)
{
    Output *o = to;
    if (!o->temporary && o->old >= 0 && goes_on_with(o, s, n)) {
        o->same += n;
        return;
    }
    if (!o->temporary)
        part_from_old(o);
    if (o->fd >= 0 && !o->error && !write_all(o->fd, s, n))
        o->error = errno ? errno : EIO;
}

void
output_start(Output *o, Cli *cli, const char *path, Text *t)
{
    *o = (Output){.cli = cli, .path = path, .fd = -1, .old = -1};
    if (output_is_stream(path))
        return;
    o->path = follow(cli, path);
    o->old = open(path, O_RDONLY);
    t->drain = write_part;
    t->to = o;
}

int
output_end(Output *o, const Text *rest)
{
    char more;
    int status = 0;
    if (!o->same && !o->temporary)
        status = output_text(o->cli, o->path, rest);
    else {
        write_part(o, rest->data, rest->count);
        if (!o->temporary && read(o->old, &more, 1) > 0)
            part_from_old(o);
        if (o->temporary)
            status = o->fd < 0 ? EXIT_CANTCREAT
                               : put_in_place(o->cli, o->path, o->temporary, o->fd, o->error);
    }
    if (o->old >= 0)
        close(o->old);
    return status;
}

void
output_drop(Output *o)
{
    if (o->old >= 0)
        close(o->old);
    if (o->fd < 0)
        return;
    close(o->fd);
    unlink(o->temporary);
    signals_release(o->cli);
}

/* Copies the bytes of one open file to another and closes both, also where one is -1 because it
 * could not be opened; false with errno set. */
static bool
copy_and_close(int in, int out)
{
    char buffer[65536];
    bool fine = in >= 0 && out >= 0;
    for (ssize_t n; fine && (n = read(in, buffer, sizeof buffer)) != 0;)
        fine = n > 0 && write_all(out, buffer, (size_t)n);
    int error = errno;
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) && fine) {
        fine = false;
        error = errno;
    }
    errno = error;
    return fine;
}

/* Copies a file with its mode to a temporary name beside `to`, which it returns; or NULL after a
 * message, with the status that the command ends with. */
static const char *
copy_beside(Cli *cli, const char *from, const char *to, int *status)
{
    char *name = template_beside(cli, to);
    struct stat st;
    int in = open(from, O_RDONLY), out = in < 0 ? -1 : mkstemp(name);
    bool made = out >= 0, fine = made && !fstat(in, &st) && !fchmod(out, st.st_mode & 0777);
    int error = errno;
    if (!copy_and_close(in, out) && fine) {
        fine = false;
        error = errno;
    }
    if (fine)
        return name;
    if (made)
        unlink(name);
    cli_error(cli, E0802, "cannot write '%s': %s", to, strerror(error));
    *status = made ? EXIT_IO : EXIT_CANTCREAT;
    return NULL;
}

void
output_remove_all(const Strings *paths)
{
    for (int i = 0; i < paths->count; i++) {
        struct stat st;
        if (!lstat(paths->items[i], &st) && S_ISREG(st.st_mode))
            unlink(paths->items[i]);
    }
}

/* Writes the contents of a file to one that is not plain. */
static int
move_in_place(Cli *cli, const char *from, const char *to)
{
    bool fine = copy_and_close(open(from, O_RDONLY), open(to, O_WRONLY));
    int error = errno;
    unlink(from);
    if (fine)
        return 0;
    cli_error(cli, E0802, "cannot write '%s': %s", to, strerror(error));
    return EXIT_IO;
}

/* Do two files have the same bytes and permissions? */
static bool
are_same(const char *a, const char *b)
{
    char x[65536], y[sizeof x];
    struct stat of_a, of_b;
    FILE *f = fopen(a, "rb"), *g = f ? fopen(b, "rb") : NULL;
    bool same = g && !fstat(fileno(f), &of_a) && !fstat(fileno(g), &of_b) &&
                of_a.st_size == of_b.st_size && of_a.st_mode == of_b.st_mode;
    for (size_t n = 1; same && n > 0;) {
        n = fread(x, 1, sizeof x, f);
        same = fread(y, 1, sizeof y, g) == n && !memcmp(x, y, n);
    }
    same = same && !ferror(f) && !ferror(g);
    if (g)
        fclose(g);
    if (f)
        fclose(f);
    return same;
}

int
output_move(Cli *cli, const char *from, const char *to)
{
    struct stat st;
    if (!stat(to, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return move_in_place(cli, from, to);
    to = follow(cli, to);
    if (are_same(from, to)) {
        unlink(from);
        return 0;
    }
    if (!rename(from, to))
        return 0;
    const char *copy = NULL;
    if (errno == EXDEV) {
        int status = 0;
        copy = copy_beside(cli, from, to, &status);
        if (!copy)
            return status;
        if (!rename(copy, to))
            return 0;
    }
    cli_error(cli, E0802, "cannot write '%s': %s", to, strerror(errno));
    if (copy)
        unlink(copy);
    return EXIT_CANTCREAT;
}

int
output_copy(Cli *cli, const char *from, const char *to)
{
    signals_hold(cli);
    int status = 0;
    const char *copy = copy_beside(cli, from, follow(cli, to), &status);
    if (copy && (status = output_move(cli, copy, to)))
        unlink(copy);
    signals_release(cli);
    return status;
}

int
output_spare(Cli *cli, const char *path)
{
    char start[sizeof EMIT_MADE_BY - 1];
    struct stat st;
    FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    size_t n = f ? fread(start, 1, sizeof start, f) : 0;
    if (f)
        fclose(f);
    if (!n || (n == sizeof start && !memcmp(start, EMIT_MADE_BY, n)))
        return 0;
    cli_error(cli, E0802,
              "'%s' is there and was not made by snlc; -o and --header name what is replaced",
              path);
    return EXIT_CANTCREAT;
}

const char *
output_place(Cli *cli, const char *name)
{
    if (!cli->output)
        return name;
    bool slash = path_ends(cli->output, "/");
    return slash || path_is_folder(cli->output)
               ? arena_printf(cli->arena, "%s%s%s", cli->output, slash ? "" : "/", name)
               : cli->output;
}

int
output_text(Cli *cli, const char *path, const Text *t)
{
    return output_write(cli, path, t->data ? t->data : "", t->count);
}

/* Escapes a file name for make as gcc does: blanks, #, $ and backslashes before blanks. */
static void
add_escaped(Text *t, const char *path)
{
    for (const char *p = path; *p; p++) {
        if (*p == '$')
            text_add(t, "$$");
        else if (*p == '#')
            text_add(t, "\\#");
        else if (*p == ' ' || *p == '\t') {
            for (const char *q = p; q > path && q[-1] == '\\'; q--)
                text_add(t, "\\");
            text_add(t, "\\%c", *p);
        } else
            text_add(t, "%c", *p);
    }
}

int
output_depfile(Cli *cli, const Strings *outputs, const Strings *inputs, const char *default_name)
{
    Text t;
    text_init(&t, cli->arena);
    const Strings *targets = cli->depfile_targets.count ? &cli->depfile_targets : outputs;
    for (int i = 0; i < targets->count; i++) {
        text_add(&t, "%s", i ? " " : "");
        add_escaped(&t, targets->items[i]);
    }
    text_add(&t, ":");
    for (int i = 0; i < inputs->count; i++) {
        text_add(&t, " \\\n  ");
        add_escaped(&t, inputs->items[i]);
    }
    text_add(&t, "\n");
    for (int i = 1; i < inputs->count && cli->depfile_phony; i++) {
        add_escaped(&t, inputs->items[i]);
        text_add(&t, ":\n");
    }
    return output_text(cli, cli->depfile_name ? cli->depfile_name : default_name, &t);
}
