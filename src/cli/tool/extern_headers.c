/* What the C compiler reads besides what was generated. */
#include "config.h"

#include "cli/tool/extern_headers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/option/option.h"
#include "cli/tool/output.h"
#include "cli/tool/toolchain.h"

typedef struct {
    Cli *cli;
    Strings *files;            /* found */
    Strings includes, libraries; /* folders to look in */
} Foreign;

static bool
is_file(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool
is_listed(const Strings *list, const char *path)
{
    for (int i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], path))
            return true;
    return false;
}

static void
add_file(Foreign *f, const char *path)
{
    if (!is_listed(f->files, path))
        vec_push(f->cli->arena, f->files, path);
}

/* A word, or what stands in it behind two letters, = or commas, may be the name of something. */
static void
add_named(Foreign *f, const char *word)
{
    Strings parts = {0};
    size_t n;
    vec_push(f->cli->arena, &parts, word);
    if (word[0] == '@')
        vec_push(f->cli->arena, &parts, word + 1);
    if (word[0] == '-' && word[1] && word[2])
        vec_push(f->cli->arena, &parts, word + 2);
    for (const char *p = word + strcspn(word, "=,"); *p; p += n) {
        n = strcspn(++p, "=,");
        if (n)
            vec_push(f->cli->arena, &parts, (const char *)arena_strndup(f->cli->arena, p, n));
    }
    for (int i = 0; i < parts.count; i++)
        if (is_file(parts.items[i]) || path_is_folder(parts.items[i]))
            add_file(f, parts.items[i]);
}

/* The folder that word i names, which begins with an option or is followed by its argument; or
 * NULL. */
static const char *
folder_of(const Strings *words, int i, const char *option)
{
    size_t n = strlen(option);
    if (strncmp(words->items[i], option, n) != 0)
        return NULL;
    if (words->items[i][n])
        return words->items[i] + n;
    return i + 1 < words->count ? words->items[i + 1] : NULL;
}

static void
find_folders(Foreign *f, const Strings *words)
{
    static const char *const options[] = {"-I", "-iquote", "-isystem", "-idirafter"};
    static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH"};
    const char *own = toolchain_runtime(f->cli).include, *folder;
    for (int i = 0; i < words->count; i++) {
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            if ((folder = folder_of(words, i, options[k])) && strcmp(folder, own) != 0)
                vec_push(f->cli->arena, &f->includes, folder);
        if ((folder = folder_of(words, i, "-L")))
            vec_push(f->cli->arena, &f->libraries, folder);
    }
    for (size_t k = 0; k < sizeof variables / sizeof *variables; k++)
        for (const char *p = getenv(variables[k]); p && *p;) {
            size_t n = strcspn(p, ":");
            folder = arena_strndup(f->cli->arena, n ? p : ".", n ? n : 1);
            vec_push(f->cli->arena, k < 2 ? &f->includes : &f->libraries, folder);
            p += n + (p[n] == ':');
        }
}

static void
add_library(Foreign *f, const char *name)
{
    static const char *const suffixes[] = {"so", "a"};
    for (int i = 0; i < f->libraries.count; i++)
        for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++) {
            const char *path = arena_printf(f->cli->arena, "%s/lib%s.%s", f->libraries.items[i],
                                            name, suffixes[k]);
            if (is_file(path))
                add_file(f, path);
        }
}

/* The file that #include "name" or <name> means in a file; those of the system are not looked
 * for. */
static void
add_included(Foreign *f, const char *includer, const char *name, bool quoted)
{
    Arena *a = f->cli->arena;
    if (quoted) {
        const char *path = name[0] == '/' ? name
                                          : arena_printf(a, "%.*s%s",
                                                         (int)(path_base(includer) - includer),
                                                         includer, name);
        if (is_file(path)) {
            add_file(f, path);
            return;
        }
    }
    for (int i = 0; i < f->includes.count; i++) {
        const char *path = arena_printf(a, "%s/%s", f->includes.items[i], name);
        if (is_file(path)) {
            add_file(f, path);
            return;
        }
    }
}

/* What a file of C includes: also where a condition or a comment makes that nothing. */
static void
scan(Foreign *f, const char *path)
{
    Sources sources;
    sources_init(&sources, f->cli->arena);
    const Source *s = source_read(&sources, path);
    int bytes;
    for (int i = 1; s && i <= s->line_count; i++) {
        const char *line = source_line(s, i, &bytes), *end = line + bytes;
        while (line < end && isspace((unsigned char)*line))
            line++;
        if (line == end || *line++ != '#')
            continue;
        while (line < end && isspace((unsigned char)*line))
            line++;
        if (end - line < 7 || strncmp(line, "include", 7) != 0)
            continue;
        line += 7;
        while (line < end && isspace((unsigned char)*line))
            line++;
        const char closing = line == end ? 0 : *line == '"' ? '"' : *line == '<' ? '>' : 0;
        const char *stop =
            closing ? memchr(line + 1, closing, (size_t)(end - line - 1)) : NULL;
        if (stop)
            add_included(f, path,
                         arena_strndup(f->cli->arena, line + 1, (size_t)(stop - line - 1)),
                         closing == '"');
    }
}

/* Is it C, by its name? */
static bool
is_c(const char *path)
{
    static const char *const suffixes[] = {".h",  ".hh",  ".hpp", ".hxx", ".inc", ".c",
                                           ".cc", ".cpp", ".cxx", ".cu",  ".cuh", ".inl"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (path_ends(path, suffixes[i]))
            return true;
    return false;
}

/* Adds what the files from the first on include, which makes them more. */
static void
scan_all(Foreign *f, int first, const Strings *headers)
{
    for (int i = first; i < f->files->count; i++)
        if (is_c(f->files->items[i]) || is_listed(headers, f->files->items[i]))
            scan(f, f->files->items[i]);
}

void
extern_headers_find(Cli *cli, Strings *files)
{
    Foreign f = {.cli = cli, .files = files};
    Strings words = {0};
    const char *flags = getenv("CFLAGS");
    const int first = files->count;
    words_split(cli, flags ? flags : "", &words);
    for (int i = 0; i < cli->cc_args.count; i++)
        vec_push(cli->arena, &words, cli->cc_args.items[i]);
    find_folders(&f, &words);
    for (int i = 0; i < cli->given_headers.count; i++)
        add_file(&f, cli->given_headers.items[i]);
    scan_all(&f, first, &cli->given_headers);
}

void
extern_headers_files(Cli *cli, const Strings *words, Strings *files)
{
    Foreign f = {.cli = cli, .files = files};
    bool tools = true; /* env and ccache may stand before the compiler */
    find_folders(&f, words);
    for (int i = 0; i < words->count; i++) {
        const char *w = words->items[i], *tool;
        tools = tools && w[0] != '-';
        if (tools && (tool = toolchain_find(cli, w)))
            add_file(&f, tool);
        add_named(&f, w);
        if (!strncmp(w, "-l", 2))
            add_library(&f, w + 2);
    }
    for (int i = 0; i < cli->extern_headers.count; i++)
        add_file(&f, cli->extern_headers.items[i]);
    scan_all(&f, 0, &cli->extern_headers);
}
