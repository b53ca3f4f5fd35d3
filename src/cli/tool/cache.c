/* The cache of executables. */
#include "config.h"

#include "cli/tool/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#elif defined __linux__
#include <sys/auxv.h>
#endif

#include "cli/tool/extern_headers.h"
#include "cli/tool/output.h"
#include "cli/tool/compiler.h"
#include "cli/tool/toolchain.h"

/* FNV-1a, 128 bits (Fowler, Noll, Vo). */
typedef unsigned __int128 Hash;
#define HASH_START (((Hash)0x6c62272e07bb0142 << 64) | 0x62b821756295c58d)

static Hash
hash_bytes(Hash h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    const Hash prime = ((Hash)1 << 88) + 0x13b;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * prime;
    return h;
}

static Hash
hash_text(Hash h, const char *s)
{
    return hash_bytes(h, s, strlen(s) + 1);
}

/* Size and time of a file stand for its contents. */
static Hash
hash_file_identity(Hash h, const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return h;
    const bool is_folder = S_ISDIR(st.st_mode); /* which changes with all that is beside */
    int64_t parts[] = {is_folder ? 0 : st.st_size, is_folder ? 0 : st.st_mtim.tv_sec,
                       is_folder ? 0 : st.st_mtim.tv_nsec, (int64_t)st.st_ino};
    return hash_bytes(h, parts, sizeof parts);
}

/* A folder for users without a home. Others can write beside it, so it counts only as one that they
 * cannot have put there. 0, or an errno. */
static int
try_private_folder(const char *path)
{
    struct stat st;
    if (mkdir(path, 0700) && errno != EEXIST)
        return errno;
    return lstat(path, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022)
               ? EPERM
               : 0;
}

/* The folder of the cache, made; else NULL, after a message where `tell` says so. */
static const char *
cache_folder(Cli *cli, bool tell)
{
    const char *asked = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *path = NULL;
    int error = ENOENT;
    if (asked && asked[0] == '/') {
        path = arena_printf(cli->arena, "%s/snlc", asked);
        error = path_try_folder(cli, path);
    } else {
        if (home && *home) {
            path = arena_printf(cli->arena, "%s/.cache/snlc", home);
            error = path_try_folder(cli, path);
        }
        if (error) {
            path =
                arena_printf(cli->arena, "%s/snlc-cache-%d", path_temporary_base(), (int)geteuid());
            error = try_private_folder(path);
        }
    }
    if (!error)
        return path;
    if (tell)
        cli_error(cli, E0802, "cannot use '%s' as the cache: %s; XDG_CACHE_HOME names another",
                  path, strerror(error));
    return NULL;
}

/* The processor that -march=native means: a home may be that of many machines. */
static Hash
hash_processor(Hash h)
{
#if defined __x86_64__ || defined __i386__
    for (unsigned leaf = 1; leaf <= 7; leaf += 6) { /* features stand in these two */
        unsigned a = 0, b = 0, c = 0, d = 0;
        if (!__get_cpuid_count(leaf, 0, &a, &b, &c, &d))
            break;
        unsigned parts[] = {a, leaf == 1 ? 0 : b, c, d}; /* b of 1: which core */
        h = hash_bytes(h, parts, sizeof parts);
    }
#elif defined __linux__
    unsigned long parts[] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    h = hash_bytes(h, parts, sizeof parts);
#endif
    return h;
}

/* What the build has besides the program: compiler command, what its words name, and runtime. */
static Hash
hash_toolchain(Cli *cli, Hash h)
{
    Commands commands = {0};
    Strings sources = {0}, files = {0};
    vec_push(cli->arena, &sources, "//source.c"); /* no file of anybody's */
    toolchain_commands(cli, KIND_EXE, &sources, 1, "//program", &(BuildFolders){"//", "."},
                       &commands);
    RuntimePlace place = toolchain_runtime(cli);
    const char *command = compiler_command_text(cli->arena, &commands.items[0].words);
    h = hash_bytes(h, command, strlen(command));
    h = hash_file_identity(h, arena_printf(cli->arena, "%s/libsnlrt.a", place.lib));
    extern_headers_files(cli, &commands.items[0].words, &files);
    for (int i = 0; i < files.count; i++)
        h = hash_file_identity(h, files.items[i]);
    if (!strcmp(cli->arch, "native"))
        h = hash_processor(h);
    return hash_file_identity(h, arena_printf(cli->arena, "%s/snl/snlrt.h", place.include));
}

static const char *
hash_hex(Arena *a, Hash h)
{
    return arena_printf(a, "%016llx%016llx", (unsigned long long)(h >> 64), (unsigned long long)h);
}

/* The first bytes of a file, which tell its format; 0 where there are none. */
static uint32_t
format_of(const char *path)
{
    uint32_t magic = 0;
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    if (fread(&magic, sizeof magic, 1, f) != 1)
        magic = 0;
    fclose(f);
    return magic;
}

/* A file of the cache may have lost its bytes when the machine stopped. */
static bool
is_executable(const char *path)
{
    const uint32_t own = format_of("/proc/self/exe"), is = access(path, X_OK) ? 0 : format_of(path);
    return is && (is == own || !own);
}

/* ---- what was run before ---- */

/* The file that says what came of this command line in this folder: a line with the executable, one
 * with the name of the program, and one for each file read. NULL where the running snlc cannot be
 * told from others. */
static const char *
record_name(Cli *cli)
{
    const char *cache = cache_folder(cli, false);
    char folder[4096];
    struct stat self;
    if (!cache || stat("/proc/self/exe", &self) || !getcwd(folder, sizeof folder))
        return NULL;
    Hash h = hash_toolchain(cli, hash_text(HASH_START, folder));
    h = hash_file_identity(h, "/proc/self/exe");
    for (int i = 0; i < cli->words.count; i++)
        h = hash_text(h, cli->words.items[i]);
    for (int i = 0; i < cli->options.import_dirs.count; i++)
        h = hash_text(h, cli->options.import_dirs.items[i]);
    return arena_printf(cli->arena, "%s/run-%s", cache, hash_hex(cli->arena, h));
}

enum { HEX_DIGITS = 32 };

/* "HASH PATH" of a file read. */
static const char *
source_text(Cli *cli, const Source *s)
{
    return arena_printf(cli->arena, "%s %s",
                        hash_hex(cli->arena, hash_bytes(HASH_START, s->text, s->bytes)), s->path);
}

/* Does the line say what is in the file now? */
static bool
is_unchanged(Cli *cli, const char *line)
{
    Sources files;
    sources_init(&files, cli->arena);
    const Source *s = strlen(line) > HEX_DIGITS ? source_read(&files, line + HEX_DIGITS + 1) : NULL;
    return s && !strcmp(line, source_text(cli, s));
}

const char *
cache_recall(Cli *cli, const char **name)
{
    Sources files;
    Strings lines = {0};
    sources_init(&files, cli->arena);
    const char *record = cli->save_temps || cli->dry_run ? NULL : record_name(cli);
    const Source *s = record ? source_read(&files, record) : NULL;
    for (int i = 1, bytes; s && i < s->line_count; i++) {
        const char *line = source_line(s, i, &bytes);
        vec_push(cli->arena, &lines, (const char *)arena_strndup(cli->arena, line, (size_t)bytes));
    }
    for (int i = 2; i < lines.count; i++)
        if (!is_unchanged(cli, lines.items[i]))
            return NULL;
    if (lines.count < 3 || !is_executable(lines.items[0]))
        return NULL;
    *name = lines.items[1];
    return lines.items[0];
}

bool
cache_keeps(const Cli *cli)
{
    return cli->output || cli->header || cli->manifest || cli->depfile || cli->save_temps;
}

/* Only of programs that would say and write nothing else a second time. */
int
cache_remember(Cli *cli, const Drive *d, const char *path)
{
    bool more = d->said || d->c.diags.count || d->prog->searched || cli->stats || cli->time_trace ||
                cache_keeps(cli) || cli->dry_run;
    const char *record = more ? NULL : record_name(cli);
    if (!record)
        return 0;
    Text t;
    text_init(&t, cli->arena);
    text_line(&t, "%s", path);
    text_line(&t, "%s", d->prog->name);
    text_line(&t, "%s", source_text(cli, d->prog->source));
    for (int i = 0; i < d->prog->imports.count; i++)
        text_line(&t, "%s", source_text(cli, d->prog->imports.items[i]));
    return output_text(cli, record, &t);
}

/* ---- building ---- */

/* Of the names of the files of a program: what is appended must have room in a name, too. */
static const char *
file_stem(Cli *cli, const Drive *d)
{
    return arena_printf(cli->arena, "%.100s", d->prog->name);
}

static int
build_into(Cli *cli, const Drive *d, const Text *source, const Text *header, const char *folder,
           const char *path)
{
    const char *stem = file_stem(cli, d);
    const char *source_name =
        arena_printf(cli->arena, "%s/%s%s", folder, stem, target_info(cli->target)->suffix);
    const char *header_name = arena_printf(cli->arena, "%s/%s.h", folder, stem);
    const char *made = arena_printf(cli->arena, "%s/%s.exe", folder, stem);
    int status = output_text(cli, source_name, source);
    if (!status)
        status = output_text(cli, header_name, header);
    if (status)
        return status;
    Commands commands = {0};
    Strings sources = {0};
    vec_push(cli->arena, &sources, source_name);
    toolchain_commands(cli, KIND_EXE, &sources, d->parts, made, &(BuildFolders){folder, "."},
                       &commands);
    status = toolchain_run(cli, &commands);
    if (!status && !cli->dry_run)
        status = output_move(cli, made, path);
    if (!status && cli->save_temps)
        status = output_text(cli, path_base(source_name), source);
    if (!status && cli->save_temps)
        status = output_text(cli, path_base(header_name), header);
    return status;
}

/* May what is to be kept be written? 0, or EXIT_USAGE after a message. */
static int
check_kept(Cli *cli, Drive *d)
{
    const char *stem = file_stem(cli, d), *name = output_place(cli, d->prog->name);
    const char *const names[] = {
        cli->output ? name : NULL,
        cli->depfile && !cli->depfile_name ? arena_printf(cli->arena, "%s.d", name) : NULL,
        cli->save_temps ? arena_printf(cli->arena, "%s%s", stem, target_info(cli->target)->suffix)
                        : NULL,
        cli->save_temps ? arena_printf(cli->arena, "%s.h", stem) : NULL};
    int status = driver_check_outputs(cli, d, names, sizeof names / sizeof *names);
    for (int i = 2; i < 4 && !status && names[i]; i++)
        status = output_spare(cli, names[i]);
    return status;
}

/* What is to be kept beside the cache: a copy of the executable, the header, the depfile. The
 * manifest is there already. */
static int
keep(Cli *cli, const Drive *d, const char *executable, const Text *header)
{
    Strings made = {0}, executable_alone = {0};
    const char *name = output_place(cli, d->prog->name);
    int status = 0;
    vec_push(cli->arena, &executable_alone, name);
    if (cli->output) {
        vec_push(cli->arena, &made, name);
        status = output_copy(cli, executable, name);
    }
    if (cli->header) {
        vec_push(cli->arena, &made, cli->header);
        status = status ? status : output_text(cli, cli->header, header);
    }
    if (cli->manifest)
        vec_push(cli->arena, &made, cli->manifest);
    if (!status && cli->depfile) {
        Strings inputs = {0};
        for (int i = 0; i < d->inputs.count; i++)
            vec_push(cli->arena, &inputs, d->inputs.items[i]);
        extern_headers_find(cli, &inputs);
        status = output_depfile(cli, made.count ? &made : &executable_alone, &inputs,
                                arena_printf(cli->arena, "%s.d", name));
    }
    if (status)
        output_remove_all(&made);
    return status;
}

int
cache_executable(Cli *cli, Drive *d, const EmitOptions *options, const char **path)
{
    Text source, header;
    text_init(&source, cli->arena);
    text_init(&header, cli->arena);
    EmitOptions emit = *options;
    const char *stem = file_stem(cli, d);
    emit.prefix = cli->prefix ? cli->prefix : d->prog->name;
    emit.source_name = arena_printf(cli->arena, "%s%s", stem, target_info(cli->target)->suffix);
    emit.header_name = arena_printf(cli->arena, "%s.h", stem);
    int status = check_kept(cli, d);
    if (!status)
        status = driver_emit(cli, d, &emit, &source, &header);
    if (status)
        return status;
    const char *folder = cache_folder(cli, true);
    if (!folder)
        return EXIT_CANTCREAT;
    Hash h = hash_bytes(HASH_START, source.data, source.count);
    h = hash_toolchain(cli, hash_bytes(h, header.data, header.count));
    *path = arena_printf(cli->arena, "%s/%s-%s", folder, stem, hash_hex(cli->arena, h));
    if (!is_executable(*path) || cli->save_temps || cli->dry_run) {
        const char *temporary = path_temporary_folder(cli);
        if (!temporary)
            return EXIT_CANTCREAT;
        status = build_into(cli, d, &source, &header, temporary, *path);
        path_remove_folder(cli);
    }
    return status || cli->dry_run || options->check_tests_only ? status
                                                               : keep(cli, d, *path, &header);
}
