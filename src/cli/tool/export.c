/* The runtime as C sources that build without snlc.
 *
 * The files of the installation are taken as they are, without those for GPUs and for kinds of
 * files that no program uses. Amalgamated, headers are written where they are included first:
 * snlrt.h is one header, and snlrt.c all sources one after another. Names that several sources have
 * for themselves are given the name of their file by macros. The sources are in the form that
 * .clang-format gives them: what begins a line is at file scope. */
#include "config.h"

#include "cli/tool/export.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"
#include "cli/option/option.h"
#include "cli/tool/output.h"
#include "cli/tool/toolchain.h"
#include "emit/emit.h"

/* One file of the runtime. */
typedef struct {
    const char *name; /* interned */
    const Source *source;
    Strings own;      /* names at file scope that are no part of the library, interned, */
    Strings macros;   /* and macros */
    bool is_source;
    bool has_guard;   /* it may be included again without effect */
    bool is_done;     /* it is in the header or the source already */
} Part;

typedef struct {
    const Export *e;
    Cli *cli;
    Arena *arena;
    Intern *names;
    Sources sources;
    VEC(Part *) parts; /* by name */
    Map by_name;
    Map owners;        /* of names at file scope: the Part, or &shared */
    Strings written;
} Writer;

/* Stands for several owners of a name. */
static Part shared;

static bool
begins(const char *s, const char *with)
{
    return !strncmp(s, with, strlen(with));
}

/* ---- which files ---- */

/* Does the name of a file begin with one of the words? */
static bool
is_of_words(Writer *w, const char *name, const char *words)
{
    Strings list = {0};
    words_split(w->cli, words, &list);
    for (int i = 0; i < list.count; i++)
        if (begins(name, list.items[i]))
            return true;
    return false;
}

/* Is it the file of a kind that is not used, nor needed by one that is? */
static bool
is_of_unused_kind(Writer *w, const char *name)
{
    bool of_kind = false;
    for (int k = 0; k < FILE_KIND_COUNT; k++) {
        const bool of_this = is_of_words(w, name, file_kind_info((FileKind)k)->files);
        if (of_this && w->e->kinds.has[k])
            return false;
        of_kind |= of_this;
    }
    return of_kind;
}

static bool
is_needed(Writer *w, const char *name)
{
    if (begins(name, "gpu") || begins(name, "sim_"))
        return false;
    if (!strcmp(name, "snl_main.c") && !w->e->has_main)
        return false;
    return path_ends(name, ".h") || !is_of_unused_kind(w, name);
}

/* Are files of a kind left out? */
static bool
is_absent(Writer *w, FileKind kind)
{
    const char *words = file_kind_info(kind)->files;
    const size_t n = strcspn(words, " ");
    for (int i = 0; i < w->parts.count; i++)
        if (w->parts.items[i]->is_source && !strncmp(w->parts.items[i]->name, words, n))
            return false;
    return true;
}

/* ---- names at file scope ---- */

static size_t
word_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_')
        n++;
    return n;
}

/* Notes a name that a source has for itself; one that begins with "_" is the compiler's. */
static void
add_own(Writer *w, Part *p, const char *s, size_t n)
{
    if (!n || !isalpha((unsigned char)*s) || (n > 4 && begins(s, "snl_")))
        return;
    const char *name = intern_strn(w->names, s, n);
    for (int i = 0; i < p->own.count; i++)
        if (p->own.items[i] == name)
            return;
    vec_push(w->arena, &p->own, name);
    map_put(&w->owners, name, map_get(&w->owners, name) ? &shared : p);
}

/* Notes the word that ends before `end`. */
static void
add_own_before(Writer *w, Part *p, const char *start, const char *end)
{
    const char *from = end;
    while (from > start && (isalnum((unsigned char)from[-1]) || from[-1] == '_'))
        from--;
    add_own(w, p, from, (size_t)(end - from));
}

/* Notes the constants of an enum, whose text begins behind "{". */
static void
add_constants(Writer *w, Part *p, const char *s)
{
    for (bool is_next = true; *s && *s != '}'; s++) {
        if (begins(s, "/*") && strstr(s, "*/"))
            s = strstr(s, "*/") + 1;
        else if (is_next && word_length(s)) {
            add_own(w, p, s, word_length(s));
            s += word_length(s) - 1;
            is_next = false;
        } else if (*s == ',')
            is_next = true;
    }
}

/* Notes the name of a typedef without a body: "typedef int A;", "typedef void B(int);",
 * "typedef void (*C)(int);". */
static void
add_typedef(Writer *w, Part *p, const char *line, size_t n)
{
    const char *pointer = strstr(line, "(*"), *end = line + strcspn(line, "(;");
    if (pointer == end)
        add_own(w, p, pointer + 2, word_length(pointer + 2));
    else if (end < line + n)
        add_own_before(w, p, line, end);
}

/* Notes the names of one line at file scope, which may go on behind its end. */
static void
add_names_of_line(Writer *w, Part *p, const char *line, size_t n)
{
    static const char *const qualifiers[] = {"static ", "const ", "SNL_"};
    bool is_variable = false;
    if (begins(line, "#define ") && line[8] != '_')
        vec_push(w->arena, &p->macros, intern_strn(w->names, line + 8, word_length(line + 8)));
    else if (begins(line, "} "))
        add_own(w, p, line + 2, word_length(line + 2));
    else if (begins(line, "struct ") || begins(line, "enum ") || begins(line, "typedef ")) {
        const char *brace = memchr(line, '{', n);
        if (brace && (begins(line, "enum ") || begins(line, "typedef enum ")))
            add_constants(w, p, brace + 1);
        if (begins(line, "struct "))
            add_own(w, p, line + 7, word_length(line + 7));
        else if (begins(line, "typedef ") && !brace)
            add_typedef(w, p, line, n);
    } else if (memchr(line, '(', n) == line + word_length(line))
        add_own(w, p, line, word_length(line));
    else {
        for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
            is_variable |= begins(line, qualifiers[i]);
        const size_t before = strcspn(line, "([=;\n");
        const char *stop = line + before;
        while (stop > line && stop[-1] == ' ')
            stop--;
        if (is_variable && before < n)
            add_own_before(w, p, line, stop);
    }
}

static void
find_own_names(Writer *w, Part *p)
{
    for (int i = 1; i <= p->source->line_count; i++) {
        int n;
        const char *line = source_line(p->source, i, &n);
        if (n && (isalpha((unsigned char)*line) || *line == '_' || *line == '#' || *line == '}'))
            add_names_of_line(w, p, line, (size_t)n);
    }
}

/* ---- reading ---- */

/* Does a header begin with #ifndef, so that it may be included again? */
static bool
has_guard(const Source *f)
{
    for (int i = 1; i <= f->line_count; i++) {
        int n;
        const char *line = source_line(f, i, &n);
        if (*line == '#')
            return begins(line, "#ifndef ");
    }
    return false;
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What stands in a folder: its C files, or its folders, in the order of their names. */
enum { C_FILES, FOLDERS };
static int
list_folder(Writer *w, const char *folder, int kind, Strings *out)
{
    DIR *d = opendir(folder);
    if (!d) {
        cli_error(w->cli, E0801, "cannot read '%s', where the runtime is: %s", folder,
                  strerror(errno));
        return EXIT_NOINPUT;
    }
    for (struct dirent *entry; (entry = readdir(d));)
        if (kind == FOLDERS ? !strchr(entry->d_name, '.')
                            : path_ends(entry->d_name, ".c") || path_ends(entry->d_name, ".h"))
            vec_push(w->arena, out,
                     (const char *)arena_strndup(w->arena, entry->d_name, strlen(entry->d_name)));
    closedir(d);
    if (out->count)
        qsort(out->items, (size_t)out->count, sizeof *out->items, by_text);
    return 0;
}

/* Reads the files of a folder that are needed. */
static int
read_folder(Writer *w, const char *folder)
{
    Strings files = {0};
    int status = list_folder(w, folder, C_FILES, &files);
    for (int i = 0; i < files.count && !status; i++) {
        if (!is_needed(w, files.items[i]))
            continue;
        Part *p = arena_alloc(w->arena, sizeof *p);
        const char *path = arena_printf(w->arena, "%s/%s", folder, files.items[i]);
        p->name = intern_str(w->names, files.items[i]);
        p->source = source_read(&w->sources, path);
        if (!p->source) {
            cli_error(w->cli, E0801, "cannot read '%s': %s", path, strerror(errno));
            return EXIT_NOINPUT;
        }
        p->is_source = path_ends(p->name, ".c");
        p->has_guard = has_guard(p->source);
        find_own_names(w, p);
        vec_push(w->arena, &w->parts, p);
        map_put(&w->by_name, p->name, p);
    }
    return status;
}

/* Reads the headers, which stand in rooms, and the sources, which do not; no two have one name. */
static int
read_runtime(Writer *w)
{
    const RuntimePlace place = toolchain_runtime(w->cli);
    const char *headers = arena_printf(w->arena, "%s/snl", place.include);
    Strings rooms = {0};
    int status = list_folder(w, headers, FOLDERS, &rooms);
    if (!status)
        status = read_folder(w, headers);
    for (int i = 0; i < rooms.count && !status; i++)
        status = read_folder(w, arena_printf(w->arena, "%s/%s", headers, rooms.items[i]));
    return status ? status : read_folder(w, place.sources);
}

/* ---- writing ---- */

/* The name that a line includes in quotes, without folders; or NULL. */
static const char *
included_name(Writer *w, const char *line, int n)
{
    static const char start[] = "#include \"";
    if (n <= (int)sizeof start || !begins(line, start))
        return NULL;
    const char *from = line + sizeof start - 1, *end = memchr(from, '"', (size_t)n);
    if (!end)
        return NULL;
    for (const char *s = from; s < end; s++)
        if (*s == '/')
            from = s + 1;
    return intern_strn(w->names, from, (size_t)(end - from));
}

/* Before the code of a source, behind what it includes: names at file scope that others have too
 * are made its own. */
static void
rename_own(Writer *w, const Part *p, Text *out)
{
    const int stem = (int)strcspn(p->name, ".");
    for (int i = 0; i < p->own.count; i++)
        if (map_get(&w->owners, p->own.items[i]) == &shared)
            text_add(out, "#define %s %.*s_%s\n", p->own.items[i], stem, p->name,
                     p->own.items[i]);
}

/* Behind it. */
static void
forget_own(Writer *w, const Part *p, Text *out)
{
    for (int i = 0; i < p->own.count; i++)
        if (map_get(&w->owners, p->own.items[i]) == &shared)
            text_add(out, "#undef %s\n", p->own.items[i]);
    for (int i = 0; i < p->macros.count; i++)
        text_add(out, "#undef %s\n", p->macros.items[i]);
}

/* Does code begin with a line, after comments and what is included? */
static bool
is_code(const char *line)
{
    return isalpha((unsigned char)*line) || *line == '_' ||
           (begins(line, "#define ") && line[8] != '_');
}

/* Writes a file with what it includes. */
static void
join_part(Writer *w, Part *p, Text *out)
{
    bool in_code = !p->is_source;
    p->is_done = true;
    text_add(out, "\n/* ======== %s ======== */\n\n", p->name);
    for (int i = 1; i <= p->source->line_count; i++) {
        int n;
        const char *line = source_line(p->source, i, &n);
        const char *name = included_name(w, line, n);
        if (!in_code && is_code(line)) {
            rename_own(w, p, out);
            in_code = true;
        }
        Part *other = name ? map_get(&w->by_name, name) : NULL;
        if (other && !(other->is_done && other->has_guard))
            join_part(w, other, out);
        else if (name && !other)
            text_add(out, "#error \"%s is for a GPU; link with the whole runtime\"\n", name);
        else if (!name) {
            text_raw(out, line, (size_t)n);
            text_raw(out, "\n", 1);
        }
    }
    if (p->is_source)
        forget_own(w, p, out);
}

/* The flags that generated C and the runtime need, behind each other; clang does not know the
 * parameters of gcc. */
static const char *
needed_flags(const Export *e, bool clang)
{
    Strings flags = {0};
    Text t;
    text_init(&t, e->cli->arena);
    words_split(e->cli, SNL_GENERATED_CFLAGS, &flags);
    for (int i = 0; i < flags.count; i++)
        if (!clang || begins(flags.items[i], "-f"))
            text_add(&t, "%s%s", t.count ? " " : "", flags.items[i]);
    return text_end(&t);
}

/* What the kinds of files that are used ask of the compiler: only with the words that begin so. */
static void
add_kind_flags(const Export *e, const char *start, Text *t)
{
    for (int k = 0; k < FILE_KIND_COUNT; k++) {
        Strings flags = {0};
        words_split(e->cli, file_kind_info((FileKind)k)->flags, &flags);
        for (int i = 0; i < flags.count && e->kinds.has[k]; i++)
            if (begins(flags.items[i], start))
                text_add(t, " %s", flags.items[i]);
    }
}

const char *
export_line(const Export *e, const char *compiler)
{
    Text t;
    text_init(&t, e->cli->arena);
    text_add(&t, "%s -std=gnu11 -O3 %s -I%s", compiler,
             needed_flags(e, strstr(compiler, "clang") != NULL), e->folder);
    add_kind_flags(e, "-D", &t);
    text_add(&t, " %s %s/snl/%s", e->has_main ? "NAME.c" : "main.c NAME.c", e->folder,
             e->is_amalgamated ? "snlrt.c" : "*.c");
    add_kind_flags(e, "-l", &t);
    text_add(&t, " -lm -lpthread -ldl");
    return text_end(&t);
}

/* Writes one file into the folder, unless one is there that is not ours. */
static int
write_file(Writer *w, const char *name, const Text *t)
{
    const char *path = arena_printf(w->arena, "%s/%s", w->e->folder, name);
    int status = output_spare(w->cli, path);
    if (!status)
        status = output_text(w->cli, path, t);
    vec_push(w->arena, &w->written, path);
    return status;
}

static void
start_file(Writer *w, Text *t, const char *what)
{
    text_init(t, w->arena);
    text_add(t, EMIT_MADE_BY "runtime --export: %s. */\n", what);
}

/* Macros for what the source of kinds of files that are left out is compiled to. */
static void
add_absent(Writer *w, Text *t)
{
    for (int k = 0; k < FILE_KIND_COUNT; k++)
        if (is_absent(w, (FileKind)k))
            text_add(t, "#define SNL_WITHOUT_%s\n", file_kind_info((FileKind)k)->name);
}

static int
write_header(Writer *w, const char *name)
{
    Text t;
    start_file(w, &t, "the runtime of SNL programs");
    join_part(w, map_get(&w->by_name, intern_str(w->names, name)), &t);
    return write_file(w, arena_printf(w->arena, "snl/%s", name), &t);
}

/* What headers of programs include, in C and C++, stay headers of their own. */
static int
write_amalgamated(Writer *w)
{
    Text t;
    static const char *const headers[] = {"snl_api.h", "snl_cpp.h", "snlrt.h"};
    int status = 0;
    for (size_t h = 0; h < sizeof headers / sizeof *headers && !status; h++) {
        for (int i = 0; i < w->parts.count; i++)
            w->parts.items[i]->is_done = false;
        status = write_header(w, headers[h]);
    }
    start_file(w, &t, "the runtime of SNL programs");
    text_add(&t, "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n");
    add_absent(w, &t);
    text_add(&t, "#if defined __GNUC__\n#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
                 "#endif\n#include \"snlrt.h\"\n");
    for (int i = 0; i < w->parts.count; i++)
        if (w->parts.items[i]->is_source)
            join_part(w, w->parts.items[i], &t);
    return status ? status : write_file(w, "snl/snlrt.c", &t);
}

/* The files as they are. */
static int
write_files(Writer *w)
{
    int status = 0;
    for (int i = 0; i < w->parts.count && !status; i++) {
        const Part *p = w->parts.items[i];
        Text t;
        start_file(w, &t, "a part of the runtime of SNL programs");
        if (p->is_source)
            text_add(&t, "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n");
        if (!strcmp(p->name, "io_absent.c"))
            add_absent(w, &t);
        for (int k = 1; k <= p->source->line_count; k++) {
            int n;
            const char *line = source_line(p->source, k, &n);
            const char *name = included_name(w, line, n);
            if (name && !map_get(&w->by_name, name))
                text_add(&t, "#error \"%s is for a GPU; link with the whole runtime\"\n", name);
            else if (name)
                text_add(&t, "#include \"%s\"\n", name);
            else
                text_add(&t, "%.*s\n", n, line);
        }
        status = write_file(w, arena_printf(w->arena, "snl/%s", p->name), &t);
    }
    return status;
}

/* A target for CMake, and what the folder is. */
static int
write_cmake(Writer *w)
{
    Text t;
    text_init(&t, w->arena);
    text_add(&t, "# Made by snlc runtime --export. In a project:\n#\n#     add_subdirectory(%s)\n"
                 "#     target_link_libraries(PROGRAM PRIVATE snlrt)\n#\n# By hand:\n#\n"
                 "#     %s\n#     %s\n",
             path_base(w->e->folder), export_line(w->e, "gcc"), export_line(w->e, "clang"));
    text_add(&t, "cmake_minimum_required(VERSION 3.13)\nproject(snlrt C)\n"
                 "file(GLOB sources CONFIGURE_DEPENDS \"${CMAKE_CURRENT_LIST_DIR}/snl/*.c\")\n"
                 "add_library(snlrt STATIC ${sources})\n"
                 "target_include_directories(snlrt PUBLIC \"${CMAKE_CURRENT_LIST_DIR}\")\n"
                 "target_compile_options(snlrt PRIVATE -fvisibility=hidden)\n"
                 "target_compile_options(snlrt PUBLIC -std=gnu11 -O3\n"
                 "    \"$<IF:$<C_COMPILER_ID:Clang,AppleClang>,SHELL:%s,SHELL:%s>\")\n",
             needed_flags(w->e, true), needed_flags(w->e, false));
    Text flags;
    text_init(&flags, w->arena);
    add_kind_flags(w->e, "-D", &flags);
    if (flags.count)
        text_add(&t, "target_compile_options(snlrt PRIVATE \"SHELL:%s\")\n", flags.data + 1);
    text_init(&flags, w->arena);
    add_kind_flags(w->e, "-l", &flags);
    text_add(&t, "find_package(Threads REQUIRED)\n"
                 "target_link_libraries(snlrt PUBLIC Threads::Threads ${CMAKE_DL_LIBS} m%s)\n"
                 "find_package(OpenMP)  # without it loops run on one thread\n"
                 "if(OpenMP_C_FOUND)\n"
                 "    target_link_libraries(snlrt PUBLIC OpenMP::OpenMP_C)\n"
                 "endif()\n",
             flags.count ? flags.data : "");
    const char *path = arena_printf(w->arena, "%s/CMakeLists.txt", w->e->folder);
    return output_text(w->cli, path, &t);
}

/* Removes files of an earlier export that this one does not have. */
static int
remove_others(Writer *w)
{
    Strings files = {0};
    const char *folder = arena_printf(w->arena, "%s/snl", w->e->folder);
    int status = list_folder(w, folder, C_FILES, &files);
    for (int i = 0; i < files.count && !status; i++) {
        const char *path = arena_printf(w->arena, "%s/%s", folder, files.items[i]);
        bool stays = false;
        for (int k = 0; k < w->written.count; k++)
            stays |= !strcmp(w->written.items[k], path);
        if (stays)
            continue;
        status = output_spare(w->cli, path); /* another's would be compiled with ours */
        if (!status && unlink(path)) {
            cli_error(w->cli, E0802, "cannot remove '%s': %s", path, strerror(errno));
            status = EXIT_CANTCREAT;
        }
    }
    return status;
}

int
export_write(const Export *e)
{
    Arena *a = e->cli->arena;
    Writer w = {.e = e, .cli = e->cli, .arena = a, .names = intern_new(a)};
    sources_init(&w.sources, a);
    map_init(&w.by_name, a);
    map_init(&w.owners, a);
    int status = read_runtime(&w);
    if (status)
        return status;
    const char *folder = arena_printf(a, "%s/snl", e->folder);
    const int error = path_try_folder(e->cli, folder);
    if (error) {
        cli_error(e->cli, E0802, "cannot write into '%s': %s", folder, strerror(error));
        return EXIT_CANTCREAT;
    }
    status = e->is_amalgamated ? write_amalgamated(&w) : write_files(&w);
    if (!status)
        status = write_cmake(&w);
    return status ? status : remove_others(&w);
}
