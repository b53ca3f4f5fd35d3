/* Running the C compiler and the linker. */
#include "config.h"

#include "cli/tool/toolchain.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/tool/compiler.h"
#include "cli/option/option.h"
#include "cli/tool/crash.h"
#include "cli/tool/output.h"
#include "cli/tool/signals.h"

/* The first GPUs whose lanes may wait for each other; gpu_atomic.h asks for them too. */
enum { OLDEST_GPU = 70 };

/* Appends the words of a text, or of NULL (CC="ccache gcc", CFLAGS). */
static void
add_words(Cli *cli, Strings *out, const char *text)
{
    words_split(cli, text ? text : "", out);
}

static void
add(Cli *cli, Strings *out, const char *word)
{
    vec_push(cli->arena, out, word);
}

static void
add_all(Cli *cli, Strings *out, const Strings *words)
{
    for (int i = 0; i < words->count; i++)
        add(cli, out, words->items[i]);
}

/* The folder in which the running snlc lies, or NULL. */
static const char *
own_folder(Arena *a)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return NULL;
    self[n] = 0;
    char *slash = strrchr(self, '/');
    return slash ? arena_strndup(a, self, (size_t)(slash - self)) : NULL;
}

/* Where a configured folder is when the whole installation was moved and snlc now lies in `self`:
 * SNL_BINDIR and the folder have their first names in common, and what comes after those stays.
 * NULL when `self` does not end as SNL_BINDIR does. */
static const char *
moved_folder(Arena *a, const char *self, const char *folder)
{
    const char *bin = SNL_BINDIR;
    size_t common = 0;
    for (size_t i = 0;; i++) {
        if ((!bin[i] || bin[i] == '/') && (!folder[i] || folder[i] == '/'))
            common = i;
        if (!bin[i] || bin[i] != folder[i])
            break;
    }
    size_t tail = strlen(bin + common), n = strlen(self);
    if (n < tail || strcmp(self + n - tail, bin + common))
        return NULL;
    return arena_printf(a, "%.*s%s", (int)(n - tail), self, folder + common);
}

static bool
has_runtime(Arena *a, const char *include)
{
    struct stat st;
    return include && !stat(arena_printf(a, "%s/snl/snlrt.h", include), &st);
}

/* A folder in the form of an installation. */
static RuntimePlace
place_in(Arena *a, const char *folder)
{
    return (RuntimePlace){arena_printf(a, "%s/include", folder), arena_printf(a, "%s/lib", folder),
                          arena_printf(a, "%s/share/snl", folder),
                          arena_printf(a, "%s/share/snlc/runtime", folder)};
}

RuntimePlace
toolchain_runtime(Cli *cli)
{
    Arena *a = cli->arena;
    const char *given = getenv("SNLC_RUNTIME"), *self = own_folder(a);
    if (given && *given)
        return place_in(a, given);
    if (self) {
        const RuntimePlace stage = place_in(a, arena_printf(a, "%s/stage", self));
        const char *moved = moved_folder(a, self, SNL_INCLUDEDIR);
        if (has_runtime(a, stage.include)) /* the tree in which snlc was built */
            return stage;
        const char *lib = moved_folder(a, self, SNL_LIBDIR),
                   *share = moved_folder(a, self, SNL_DATADIR);
        if (lib && share && has_runtime(a, moved))
            return (RuntimePlace){moved, lib, arena_printf(a, "%s/snl", share),
                                  arena_printf(a, "%s/snlc/runtime", share)};
    }
    return (RuntimePlace){SNL_INCLUDEDIR, SNL_LIBDIR, SNL_DATADIR "/snl",
                          SNL_DATADIR "/snlc/runtime"};
}

const char *
toolchain_prefix(Cli *cli)
{
    const char *self = own_folder(cli->arena),
               *moved = self ? moved_folder(cli->arena, self, SNL_PREFIX) : NULL;
    return moved ? moved : SNL_PREFIX;
}

const char *
toolchain_find(Cli *cli, const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/'))
        return access(name, X_OK) ? NULL : name;
    while (path && *path) {
        size_t n = strcspn(path, ":");
        const char *file = arena_printf(cli->arena, "%.*s/%s", (int)n, path, name);
        if (n && !access(file, X_OK))
            return file;
        path += n + (path[n] == ':');
    }
    return NULL;
}

/* The zig of the Python package ziglang beside snlc, or one on the path: a C compiler with its own
 * library of C. NULL: there is none, or the runtime needs the OpenMP of another compiler. */
static const char *
find_zig(Cli *cli)
{
    const char *self = own_folder(cli->arena), *found = NULL;
    glob_t files = {0};
    if (*SNL_OPENMP)
        return NULL;
    if (self && !glob(arena_printf(cli->arena, "%s/../lib/python3*/site-packages/ziglang/zig",
                                   self),
                      0, NULL, &files))
        found = arena_strndup(cli->arena, files.gl_pathv[0], strlen(files.gl_pathv[0]));
    globfree(&files);
    return found ? found : toolchain_find(cli, "zig");
}

/* The C compiler: --cc, $CC, cc (but another when the runtime only links with that, see
 * configure.ac); zig where there is no cc. */
static void
add_compiler(Cli *cli, Strings *out)
{
    const char *cc = cli->cc ? cli->cc : getenv("CC");
    const char *zig = (cc && *cc) || toolchain_find(cli, SNL_DEFAULT_CC) ? NULL : find_zig(cli);
    if (zig) {
        add(cli, out, zig);
        add(cli, out, "cc");
    } else
        add_words(cli, out, cc && *cc ? cc : SNL_DEFAULT_CC);
}

/* What generated C is compiled with. */
static void
add_generated_flags(Cli *cli, Strings *out, const Strings *compiler)
{
    const bool clang = compiler_is_clang(compiler);
    Strings flags = {0};
    add(cli, out, arena_printf(cli->arena, "-I%s", toolchain_runtime(cli).include));
    add_words(cli, &flags, SNL_GENERATED_CFLAGS);
    for (int i = 0; i < flags.count; i++)
        if (!clang || strncmp(flags.items[i], "--param", 7))
            add(cli, out, flags.items[i]);
    if (compiler_gets_wide_constants_wrong(cli, compiler))
        add_words(cli, out, SNL_NARROW_CFLAGS);
    if (clang)
        add(cli, out, "-fbracket-depth=8192"); /* of itself 256; the checker's limit is 1000 */
    add_words(cli, out, SNL_OPENMP); /* SNL_SIMD needs it */
}

void
toolchain_cflags(Cli *cli, Strings *out)
{
    Strings compiler = {0};
    add_compiler(cli, &compiler);
    add_generated_flags(cli, out, &compiler);
}

void
toolchain_libs(Cli *cli, Strings *out)
{
    add(cli, out, arena_printf(cli->arena, "-L%s", toolchain_runtime(cli).lib));
    add(cli, out, "-lsnlrt");
    add_words(cli, out, cli->target == TARGET_CUDA ? SNL_PLAIN_LIBS : SNL_RUNTIME_LIBS);
}

/* The command of nvcc, which may have several words. */
static const char *
nvcc_command(const Cli *cli)
{
    const char *nvcc = cli->nvcc ? cli->nvcc : getenv("NVCC");
    return nvcc && *nvcc ? nvcc : "nvcc";
}

static const char *
missing_advice(Target target)
{
    switch (target) {
    case TARGET_CUDA: return "; install the CUDA toolkit, or name its compiler with --nvcc or NVCC";
    case TARGET_CUDA_SIM: return "; install a C++ compiler, or name one with --cc or CXX";
    default:
        return *SNL_OPENMP ? "; install a C compiler, or name one with --cc or CC"
                           : "; install a C compiler, or ziglang with pip, or name one with --cc "
                             "or CC";
    }
}

int
toolchain_cuda_libs(Cli *cli, Strings *out)
{
    static const char *const folders[] = {"lib64", "targets/x86_64-linux/lib", "lib"};
    Strings words = {0};
    add_words(cli, &words, nvcc_command(cli));
    const char *name = words.count ? words.items[0] : "", *file = toolchain_find(cli, name);
    char *real = file ? realpath(file, NULL) : NULL;
    if (!real) {
        cli_error(cli, E0803, "cannot find '%s'%s", name, missing_advice(TARGET_CUDA));
        return EXIT_UNAVAILABLE;
    }
    const char *root =
        arena_printf(cli->arena, "%.*s", (int)(strlen(real) - strlen("/bin/nvcc")), real);
    bool in_bin = path_ends(real, "/bin/nvcc");
    free(real);
    for (size_t i = 0; i < sizeof folders / sizeof *folders && in_bin; i++) {
        const char *folder = arena_printf(cli->arena, "%s/%s", root, folders[i]);
        if (!access(arena_printf(cli->arena, "%s/libcudart_static.a", folder), R_OK)) {
            add(cli, out, arena_printf(cli->arena, "-L%s", folder));
            break;
        }
    }
    add_words(cli, out, "-lcudart_static -lstdc++ -lpthread -ldl -lrt");
    return 0;
}

/* Debug information names no folder that is gone when the compiler ends and another each time. */
static void
add_debug_flags(Cli *cli, Strings *out, const BuildFolders *folders)
{
    add(cli, out, "-g");
    for (int i = 0; i < cli->options.prefix_maps.count; i++)
        add(cli, out,
            arena_printf(cli->arena, "-fdebug-prefix-map=%s", cli->options.prefix_maps.items[i]));
    add(cli, out,
        arena_printf(cli->arena, "-fdebug-prefix-map=%s=%s", folders->temporary, folders->kept));
}

/* C and C++ compilers take the same flags. */
static void
add_host_flags(Cli *cli, Strings *out, const BuildFolders *folders)
{
    add(cli, out,
        cli->options.optimize == 2 ? "-O3"
                                   : arena_printf(cli->arena, "-O%d", cli->options.optimize));
    const bool native = !strcmp(cli->arch, "native");
    if (strcmp(cli->arch, "generic") && !(native && compiler_is_cross(out)))
        add(cli, out, arena_printf(cli->arena, "-march=%s", cli->arch));
    if (cli->debug)
        add_debug_flags(cli, out, folders);
    if (cli->options.fast) /* NaN and infinities stay; the macro, which then is not set, gives gcc
                            * vector functions of the C library */
        add_words(cli, out, "-ffast-math -fno-finite-math-only -D__FAST_MATH__");
    add_words(cli, out, getenv("CFLAGS"));
    add_all(cli, out, &cli->cc_args);
}

/* What the compiler of the host needs that this nvcc calls. */
static void
add_narrow_flags_of_host(Cli *cli, Strings *out)
{
    Strings nvcc = {0}, narrow = {0};
    add_words(cli, &nvcc, nvcc_command(cli));
    add_words(cli, &nvcc, getenv("NVCCFLAGS"));
    add_all(cli, &nvcc, &cli->nvcc_args);
    if (!compiler_of_nvcc_gets_wide_constants_wrong(cli, &nvcc))
        return;
    add_words(cli, &narrow, SNL_NARROW_CFLAGS);
    for (int i = 0; i < narrow.count; i++)
        add(cli, out, arena_printf(cli->arena, "-Xcompiler=%s", narrow.items[i]));
}

/* For nvcc, which hands flags of the host's compiler on. */
static void
add_cuda_flags(Cli *cli, Strings *out)
{
    static const char *const fixed[] = {
        "-std=c++17",          "--fmad=false", "--expt-relaxed-constexpr",
        "--diag-suppress=550", "-Xcompiler",   SNL_COMMA_CFLAGS};
    add(cli, out, arena_printf(cli->arena, "-I%s", toolchain_runtime(cli).include));
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add(cli, out, fixed[i]);
    add_narrow_flags_of_host(cli, out);
    add(cli, out,
        cli->options.optimize == 2 ? "-O3"
                                   : arena_printf(cli->arena, "-O%d", cli->options.optimize));
    if (*SNL_OPENMP)
        add(cli, out, "-Xcompiler=" SNL_OPENMP);
    if (!strcmp(cli->arch, "native"))
        add(cli, out, "-Xcompiler=-march=native");
    if (strcmp(cli->arch, "generic"))
        add(cli, out, arena_printf(cli->arena, "-arch=%s", cli->arch));
    else /* "all-major" of CUDA 12 has some that are too old */
        add_words(cli, out,
                  "-gencode=arch=compute_75,code=sm_75 -gencode=arch=compute_80,code=sm_80 "
                  "-gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90");
    if (cli->debug)
        add(cli, out, "-lineinfo");
    if (cli->options.fast)
        add(cli, out, "--use_fast_math");
    add_words(cli, out, getenv("NVCCFLAGS"));
    add_all(cli, out, &cli->nvcc_args);
}

/* The compiler of the target with its flags, and what tells it the language of the source. */
static void
add_compiler_and_flags(Cli *cli, Strings *out, const BuildFolders *folders)
{
    const char *cxx = cli->cc ? cli->cc : getenv("CXX");
    switch (cli->target) {
    case TARGET_CUDA:
        add_words(cli, out, nvcc_command(cli));
        add_cuda_flags(cli, out);
        break;
    case TARGET_CUDA_SIM:
        add_words(cli, out, cxx && *cxx ? cxx : "c++");
        add(cli, out, "-std=gnu++17");
        add_generated_flags(cli, out, out);
        add_host_flags(cli, out, folders);
        break;
    default:
        add_compiler(cli, out);
        add(cli, out, "-std=gnu11");
        toolchain_cflags(cli, out);
        add_host_flags(cli, out, folders);
    }
}

/* The source file; a C++ compiler does not know the suffix of CUDA. */
static void
add_source(Cli *cli, Strings *out, const char *source)
{
    bool tell = cli->target == TARGET_CUDA_SIM;
    if (tell)
        add(cli, out, "-xc++");
    add(cli, out, source);
    if (tell)
        add(cli, out, "-xnone");
}

static void
add_linker_arg(Cli *cli, Strings *out, const char *word)
{
    add(cli, out,
        arena_printf(cli->arena, cli->target == TARGET_CUDA ? "-Xlinker=%s" : "-Wl,%s", word));
}

/* Does debug information stay? With -g; where the compiler gets -ggdb or its like from elsewhere;
 * and with tcc, which links without the options of linkers. Its name has to
 * tell: to ask the compiler takes a process more for every program; -g helps under another name. */
static bool
keeps_debug(const Cli *cli, const Strings *words)
{
    if (cli->debug)
        return true;
    for (int i = 0; i < words->count; i++)
        if (!strncmp(words->items[i], "-g", 2) || !strcmp(path_base(words->items[i]), "tcc"))
            return true;
    return false;
}

static void
add_link_flags(Cli *cli, OutputKind kind, Strings *out)
{
    if (!keeps_debug(cli, out)) /* that of the runtime takes linkers longer than all else of it */
        add_linker_arg(cli, out, "-S");
    if (kind == KIND_SHARED) {
        /* who loads it can ask what snl_meta.h tells; snl.py does */
        add_linker_arg(cli, out, "--undefined=snl_meta_get_field");
        /* the runtime of another library in the process may be of another version */
        add_linker_arg(cli, out, "-Bsymbolic");
    }
    for (int i = 0; i < cli->linker_args.count; i++)
        add_linker_arg(cli, out, cli->linker_args.items[i]);
    add_words(cli, out, getenv("LDFLAGS"));
    toolchain_libs(cli, out);
    add_words(cli, out, getenv("LIBS"));
}

/* The command that compiles one source; returns the object. */
static const char *
add_object(Cli *cli, OutputKind kind, const char *source, const char *output,
           const BuildFolders *folders, Commands *out)
{
    Command compile = {0};
    const char *object = kind == KIND_OBJECT
                             ? output
                             : arena_printf(cli->arena, "%s/%s", folders->temporary,
                                            path_base(path_with_suffix(cli->arena, source, ".o")));
    add_compiler_and_flags(cli, &compile.words, folders);
    if (kind == KIND_SHARED)
        add(cli, &compile.words, cli->target == TARGET_CUDA ? "-Xcompiler=-fPIC" : "-fPIC");
    add(cli, &compile.words, "-c");
    add_source(cli, &compile.words, source);
    add(cli, &compile.words, "-o");
    add(cli, &compile.words, object);
    vec_push(cli->arena, out, compile);
    return object;
}

/* The commands that compile a source of an executable in parts; the objects become words of the
 * last one. */
static void
add_parts(Cli *cli, const char *source, int parts, const BuildFolders *folders, Commands *out,
          Command *last)
{
    for (int p = 1; p <= parts; p++) {
        Command compile = {.beside = p > 1};
        const char *object = arena_printf(cli->arena, "%s/part%d.o", folders->temporary, p);
        add_compiler_and_flags(cli, &compile.words, folders);
        add(cli, &compile.words, arena_printf(cli->arena, "-DSNL_PART=%d", p));
        add(cli, &compile.words, "-c");
        add(cli, &compile.words, source);
        add(cli, &compile.words, "-o");
        add(cli, &compile.words, object);
        vec_push(cli->arena, out, compile);
        add(cli, &last->words, object);
    }
}

void
toolchain_commands(Cli *cli, OutputKind kind, const Strings *sources, int parts, const char *output,
                   const BuildFolders *folders, Commands *out)
{
    Command last = {0};
    assert(parts == 1 || (kind == KIND_EXE && sources->count == 1));
    if (kind == KIND_OBJECT) {
        add_object(cli, kind, sources->items[0], output, folders, out);
        return;
    }
    if (kind == KIND_STATIC) {
        add(cli, &last.words, "ar");
        add(cli, &last.words, "rcsD");
        add(cli, &last.words, output);
    } else {
        add_compiler_and_flags(cli, &last.words, folders);
        if (kind == KIND_SHARED) {
            add(cli, &last.words, cli->target == TARGET_CUDA ? "-Xcompiler=-fPIC" : "-fPIC");
            add(cli, &last.words, "-shared");
        }
    }
    for (int i = 0; i < sources->count; i++)
        if (parts > 1)
            add_parts(cli, sources->items[i], parts, folders, out, &last);
        else if (kind == KIND_STATIC || sources->count > 1)
            add(cli, &last.words, add_object(cli, kind, sources->items[i], output, folders, out));
        else
            add_source(cli, &last.words, sources->items[i]);
    if (kind != KIND_STATIC) {
        add(cli, &last.words, "-o");
        add(cli, &last.words, output);
        add_link_flags(cli, kind, &last.words);
    }
    vec_push(cli->arena, out, last);
}

/* Does --arch name a GPU whose lanes cannot wait for each other? */
static bool
gpu_is_too_old(const Cli *cli)
{
    const char *number = strchr(cli->arch, '_');
    return cli->target == TARGET_CUDA && number && isdigit((unsigned char)number[1]) &&
           strtol(number + 1, NULL, 10) < OLDEST_GPU;
}

/* Did nvcc fail because it makes no code for the GPU that --arch names? */
static bool
gpu_is_unknown(const Cli *cli)
{
    const char *arch = cli->arch;
    if (cli->target != TARGET_CUDA || !strcmp(arch, "generic") || !strcmp(arch, "native"))
        return false;
    if (arch[strspn(arch, "abcdefghijklmnopqrstuvwxyz0123456789_-")])
        return true;
    return system(arena_printf(cli->arena,
                               "%s -arch=%s --dryrun -E -x cu /dev/null >/dev/null 2>&1",
                               nvcc_command(cli), arch)) != 0;
}

/* Does the compiler refuse its options, whatever the program? */
static bool
options_are_refused(Cli *cli)
{
    static const char *const languages[] = {
        [TARGET_C] = "c", [TARGET_CUDA] = "cu", [TARGET_CUDA_SIM] = "c++"};
    Strings words = {0};
    add_compiler_and_flags(cli, &words, &(BuildFolders){"/", "."});
    return system(arena_printf(cli->arena, "%s -E -x %s /dev/null >/dev/null 2>&1",
                               compiler_command_text(cli->arena, &words),
                               languages[cli->target])) != 0;
}

/* Does the C compiler get anything that was not written by us? */
static bool
has_foreign_input(const Cli *cli)
{
    static const char *const flags[] = {"CFLAGS", "NVCCFLAGS", "LDFLAGS", "LIBS"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const char *given = getenv(flags[i]);
        if (given && *given)
            return true;
    }
    return cli->has_foreign || cli->cc_args.count || cli->nvcc_args.count ||
           cli->linker_args.count || cli->extern_headers.count;
}

/* Is next to nothing left where temporary files are? What the compiler could not write is gone
 * again. */
static bool
is_full(void)
{
    struct statvfs at;
    return !statvfs(path_temporary_base(), &at) &&
           (double)at.f_bavail * (double)at.f_frsize < 1 << 20;
}

/* What a tool has written on its standard error, where that went into a file: as part of a
 * message. */
static const char *
read_said(Cli *cli, FILE *said)
{
    char text[1500];
    if (!said)
        return "";
    rewind(said);
    size_t bytes = fread(text, 1, sizeof text - 1, said);
    while (bytes && text[bytes - 1] == '\n')
        bytes--;
    text[bytes] = 0;
    return bytes ? arena_printf(cli->arena, ": %s", text) : "";
}

/* What to do where the compiler of that name refuses C that snlc wrote. */
static const char *
refusal_advice(Cli *cli, const char *name)
{
    const char *report = crash_report(arena_printf(cli->arena, "'%s' failed", name));
    const char *with = report[0] ? arena_printf(cli->arena, "the file '%s', which has it", report)
                                 : "the program";
    return arena_printf(cli->arena,
                        "; if that is no fault of the compiler, please report this with %s", with);
}

/* The compiler has ended with that status, after saying this: complains, and returns what it means
 * for us. */
static int
complain(Cli *cli, const Command *command, int status, const char *said)
{
    const char *advice = "";
    const char *name = command->words.items[0];
    int meaning = EXIT_FAILURE;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        cli_error(cli, E0803, "cannot run '%s'", name);
        return EXIT_UNAVAILABLE;
    }
    if (gpu_is_too_old(cli))
        return cli_usage(cli, "--arch=%s: programs need a GPU of sm_%d or newer", cli->arch,
                         OLDEST_GPU);
    if (gpu_is_unknown(cli))
        return cli_usage(
            cli,
            "--arch=%s: '%s' knows no such GPU; with --list-gpu-code it lists those that it knows",
            cli->arch, nvcc_command(cli));
    if (is_full()) {
        advice = arena_printf(cli->arena,
                              "; almost no space is left in '%s', the folder of temporary files; "
                              "TMPDIR names another",
                              path_temporary_base());
        meaning = EXIT_IO;
    } else if (options_are_refused(cli)) {
        advice = "; it refuses its options for an empty program, too: see --arch and the name of "
                 "the compiler";
    } else if (!has_foreign_input(cli)) {
        advice = refusal_advice(cli, name);
        meaning = EXIT_INTERNAL;
    }
    cli_error(cli, E0803, "'%s' failed (%s %d)%s%s; the command was: %s", name,
              WIFEXITED(status) ? "status" : "signal",
              WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), said, advice,
              compiler_command_text(cli->arena, &command->words));
    return meaning;
}

/* A command that runs. What it says goes to `said`, or to our standard error where that is NULL:
 * where diagnostics are not text, nothing else is there, and it becomes part of one. */
typedef struct {
    const Command *command;
    pid_t pid;
    FILE *said;
} Running;

static int
start_command(Cli *cli, const Command *command, Running *r)
{
    const Strings *w = &command->words;
    char **argv = ARENA_ARRAY(cli->arena, char *, w->count + 1);
    for (int i = 0; i < w->count; i++)
        argv[i] = arena_strndup(cli->arena, w->items[i], strlen(w->items[i]));
    r->command = command;
    r->said = cli->diagnostics == DIAGS_TEXT ? NULL : tmpfile();
    fflush(stdout);
    int error = signals_spawn(cli, &r->pid, argv, r->said ? fileno(r->said) : -1);
    if (!error)
        return 0;
    if (r->said)
        fclose(r->said);
    cli_error(cli, E0803, "cannot run '%s': %s%s", argv[0], strerror(error),
              error == ENOENT ? missing_advice(cli->target) : "");
    return error == ENOENT || error == EACCES ? EXIT_UNAVAILABLE : EXIT_IO;
}

/* Waits for its end; complains if it failed and `tells`. */
static int
end_command(Cli *cli, const Running *r, bool tells)
{
    int result, status = 0;
    if (signals_wait(cli, &r->pid, 1, &result) < 0)
        status = EXIT_IO;
    else if (!WIFEXITED(result) || WEXITSTATUS(result))
        status = signals_caught() || !tells /* the signal was for all of us */
                     ? EXIT_FAILURE
                     : complain(cli, r->command, result, read_said(cli, r->said));
    if (r->said)
        fclose(r->said);
    return status;
}

/* Runs commands at the same time. The status is that of the first that fails. */
static int
run_together(Cli *cli, const Command *commands, int count)
{
    Running *running = ARENA_ARRAY(cli->arena, Running, count);
    int started = 0, status = 0;
    while (started < count && !(status = start_command(cli, &commands[started], &running[started])))
        started++;
    for (int i = 0; i < started; i++) {
        int one = end_command(cli, &running[i], !status);
        status = status ? status : one;
    }
    return status;
}

int
toolchain_run(Cli *cli, const Commands *commands)
{
    const char *include = toolchain_runtime(cli).include;
    if (!cli->dry_run && !has_runtime(cli->arena, include)) {
        cli_error(cli, E0803,
                  "the runtime is missing: there is no '%s/snl/snlrt.h'; install snlc again, or "
                  "set SNLC_RUNTIME",
                  include);
        return EXIT_UNAVAILABLE;
    }
    int status = 0;
    for (int i = 0, next; i < commands->count && !status; i = next) {
        for (next = i; next == i || (next < commands->count && commands->items[next].beside);
             next++)
            if (cli->verbose || cli->dry_run)
                fprintf(cli_side(cli), "%s\n",
                        compiler_command_text(cli->arena, &commands->items[next].words));
        if (!cli->dry_run)
            status = run_together(cli, &commands->items[i], next - i);
    }
    return status;
}
