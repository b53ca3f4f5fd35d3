/* snlc build: compile, then run the C compiler: executables, libraries and objects. */
#include "config.h"

#include <string.h>

#include "cli/tool/driver.h"
#include "cli/tool/extern_headers.h"
#include "cli/tool/output.h"
#include "cli/tool/toolchain.h"

/* What to make: --kind, else the output's suffix, else an executable when the program has a main
 * (no program: several). */
static OutputKind
output_kind(const Cli *cli, const Prog *p)
{
    if (cli->kind != KIND_AUTO)
        return cli->kind;
    if (cli->output && path_ends(cli->output, ".a"))
        return KIND_STATIC;
    if (cli->output && path_ends(cli->output, ".so"))
        return KIND_SHARED;
    if (cli->output && path_ends(cli->output, ".o"))
        return KIND_OBJECT;
    return !p || p->main ? KIND_EXE : KIND_STATIC;
}

static const char *
output_name(Cli *cli, OutputKind kind, const char *file)
{
    Arena *a = cli->arena;
    const char *stem = path_with_suffix(a, path_base(file), ""), *name = stem;
    if (kind == KIND_STATIC || kind == KIND_SHARED)
        name = arena_printf(a, "lib%s%s", stem, kind == KIND_STATIC ? ".a" : ".so");
    else if (kind == KIND_OBJECT)
        name = arena_printf(a, "%s.o", stem);
    return output_place(cli, name);
}

/* A text for a file, which is written when the C compiler had no complaint. */
typedef struct {
    const char *path;
    Text text;
} Later;

/* One run of the C compiler: what goes into it, and what is written. */
typedef struct {
    Cli *cli;
    OutputKind kind;
    const char *output, *folder; /* folder: for temporary files */
    Strings sources, inputs;     /* sources: of C, in that folder; inputs: of SNL */
    Strings names;               /* of the programs in C */
    int parts;                   /* in which the only source is compiled */
    bool joins;                  /* several files */
    VEC(Later) later;
} Build;

/* `name` in the folder of the output; here, where that is a device. */
static const char *
beside_output(const Build *b, const char *name)
{
    const char *slash = strrchr(b->output, '/');
    return slash && !output_is_stream(b->output)
               ? arena_printf(b->cli->arena, "%.*s/%s", (int)(slash - b->output), b->output, name)
               : name;
}

/* Notes the name of a program in C, which no other of the library has: a-b and a_b have one. 0, or
 * EXIT_USAGE after a message. */
static int
add_name(Build *b, const char *name, const char *file)
{
    for (int i = 0; i < b->names.count; i++)
        if (!strcmp(b->names.items[i], name))
            return cli_usage(b->cli,
                             "'%s' and '%s' would have the same names in C, %s_...; they cannot be "
                             "in one library",
                             b->cli->files.items[i], file, name);
    vec_push(b->cli->arena, &b->names,
             (const char *)arena_strndup(b->cli->arena, name, strlen(name)));
    return 0;
}

static const char *
depfile_name(const Build *b)
{
    return beside_output(b, arena_printf(b->cli->arena, "%s.d", path_base(b->output)));
}

/* Where the header goes, and the source that is kept; NULL where they do not stay. A library, or a
 * source that is kept, is of no use without its header: it goes beside. */
static const char *
header_place(const Build *b, const char *name)
{
    const Cli *cli = b->cli;
    const bool has_use = b->kind != KIND_EXE && !output_is_stream(b->output);
    return cli->header ? cli->header : has_use || cli->save_temps ? beside_output(b, name) : NULL;
}

static const char *
source_place(const Build *b, const char *name)
{
    return b->cli->save_temps ? beside_output(b, name) : NULL;
}

/* May the outputs be written? 0, or EXIT_USAGE after a message. */
static int
check_outputs(Build *b, Drive *d, const char *source_name, const char *header_name)
{
    Cli *cli = b->cli;
    const char *const names[] = {b->output, source_place(b, source_name),
                                 header_place(b, header_name),
                                 cli->depfile && !cli->depfile_name ? depfile_name(b) : NULL};
    if (!strcmp(source_name, path_base(header_name))) /* in the temporary folder */
        return cli_usage(cli, "'%s' cannot be source and header", source_name);
    int status = driver_check_outputs(cli, d, names, sizeof names / sizeof *names);
    if (!status && names[1])
        status = output_spare(cli, names[1]);
    if (!status && names[2] && !cli->header)
        status = output_spare(cli, names[2]);
    return status;
}

/* Emits one file into the temporary folder; notes the header and what else was asked for. */
static int
add_program(Build *b, Drive *d, const char *file)
{
    Cli *cli = b->cli;
    Arena *a = cli->arena;
    const char *suffix = target_info(cli->target)->suffix,
               *stem = path_with_suffix(a, path_base(file), ""),
               *kept = b->joins ? stem : path_with_suffix(a, path_base(b->output), ""),
               *source_name = arena_printf(a, "%s%s", cli->save_temps ? kept : stem, suffix);
    const char *header_name = cli->header ? cli->header : arena_printf(a, "%s.h", stem);
    Text source, header;
    text_init(&source, a);
    text_init(&header, a);
    EmitOptions options = {.prefix = cli->prefix ? cli->prefix : d->prog->name,
                           .source_name = source_name,
                           .header_name = path_base(header_name),
                           .with_main = b->kind == KIND_EXE};
    int status = add_name(b, options.prefix, file);
    if (!status)
        status = check_outputs(b, d, source_name, header_name);
    if (!status)
        status = driver_emit(cli, d, &options, &source, &header);
    b->parts = b->joins ? 1 : d->parts;
    vec_push(a, &b->sources, (const char *)arena_printf(a, "%s/%s", b->folder, source_name));
    if (!status)
        status = output_text(cli, vec_last(&b->sources), &source);
    if (!status)
        status =
            output_text(cli, arena_printf(a, "%s/%s", b->folder, path_base(header_name)), &header);
    for (int i = 0; i < d->inputs.count; i++)
        vec_push(a, &b->inputs,
                 (const char *)arena_strndup(a, d->inputs.items[i], strlen(d->inputs.items[i])));
    if (header_place(b, header_name))
        vec_push(a, &b->later, (Later){header_place(b, header_name), header});
    if (source_place(b, source_name))
        vec_push(a, &b->later, (Later){source_place(b, source_name), source});
    return status;
}

/* Builds into a temporary name beside the output and renames, so that a failed build leaves the old
 * output. */
static int
run_tools(Build *b)
{
    Cli *cli = b->cli;
    Commands commands = {0};
    const char *made = cli->dry_run
                           ? b->output
                           : arena_printf(cli->arena, "%s/out%.200s", b->folder,
                                          path_base(b->output));
    const BuildFolders folders = {b->folder, beside_output(b, ".")};
    toolchain_commands(cli, b->kind, &b->sources, b->parts, made, &folders, &commands);
    int status = toolchain_run(cli, &commands);
    if (status || cli->dry_run)
        return status;
    return output_move(cli, made, b->output);
}

/* Runs the tools on what was added, and writes the rest; what there is without the rest is
 * removed. */
static int
finish(Build *b)
{
    Cli *cli = b->cli;
    Strings outputs = {0};
    int status = run_tools(b);
    if (status || cli->dry_run)
        return status;
    vec_push(cli->arena, &outputs, b->output);
    for (int i = 0; i < b->later.count && !status; i++) {
        vec_push(cli->arena, &outputs, b->later.items[i].path);
        status = output_text(cli, b->later.items[i].path, &b->later.items[i].text);
    }
    if (cli->hpp)
        vec_push(cli->arena, &outputs, cli->hpp);
    if (cli->manifest)
        vec_push(cli->arena, &outputs, cli->manifest);
    if (!status && cli->depfile) {
        extern_headers_find(cli, &b->inputs);
        status = output_depfile(cli, &outputs, &b->inputs, depfile_name(b));
    }
    if (status)
        output_remove_all(&outputs);
    return status;
}

/* An output of its own from one file. */
static int
build_file(Cli *cli, const char *file)
{
    Drive d;
    int status = driver_check(cli, &d, file, 0);
    if (status)
        return driver_end(cli, &d, status);
    Build b = {.cli = cli, .kind = output_kind(cli, d.prog)};
    b.output = output_name(cli, b.kind, file);
    if (b.kind == KIND_EXE && !d.prog->main) {
        cli_error(cli, E0804,
                  "'%s' has no main; build a library (--kind=static) or add 'main { … }'", file);
        return driver_end(cli, &d, EXIT_ERRORS);
    }
    b.folder = path_temporary_folder(cli);
    status = b.folder ? add_program(&b, &d, file) : EXIT_CANTCREAT;
    if (!status)
        status = finish(&b);
    if (b.folder)
        path_remove_folder(cli);
    return driver_end(cli, &d, status);
}

/* One library from all files. */
static int
build_library(Cli *cli, OutputKind kind)
{
    Build b = {.cli = cli, .kind = kind, .output = cli->output, .joins = true};
    int status = driver_check_names(cli);
    if (status)
        return status;
    b.folder = path_temporary_folder(cli);
    if (!b.folder)
        return EXIT_CANTCREAT;
    for (int i = 0; i < cli->files.count; i++) {
        Drive d;
        int one = driver_check(cli, &d, cli->files.items[i], 0);
        one = driver_end(cli, &d, one ? one : add_program(&b, &d, cli->files.items[i]));
        status = one > status ? one : status;
    }
    if (!status)
        status = finish(&b);
    path_remove_folder(cli);
    return status;
}

int
cmd_build(Cli *cli)
{
    if (!cli->files.count)
        return cli_usage(cli, "build needs a file");
    if (cli->files.count == 1 || !cli->output || path_is_folder(cli->output))
        return driver_files(cli, build_file);
    OutputKind kind = output_kind(cli, NULL);
    if (kind != KIND_STATIC && kind != KIND_SHARED)
        return cli_usage(cli, "with several files, -o must be a folder or a library");
    return build_library(cli, kind);
}
