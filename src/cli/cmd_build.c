/* snlc build: compile, then run the C compiler; one executable, library or object. */
#include "config.h"

#include <string.h>

#include "cli/driver.h"
#include "cli/output.h"
#include "cli/toolchain.h"

/* What to make: --kind, else the output's suffix, else an executable when the program has a main. */
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
    return p->main ? KIND_EXE : KIND_STATIC;
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
    if (!cli->output)
        return name;
    if (path_is_folder(cli->output) || path_ends(cli->output, "/"))
        return arena_printf(a, "%s%s%s", cli->output, path_ends(cli->output, "/") ? "" : "/", name);
    return cli->output;
}

/* Builds into a temporary name beside the output and renames, so that a failed build leaves the old output. */
static int
run_tools(Cli *cli, OutputKind kind, const char *source, const char *output, const char *folder)
{
    Commands commands = {0};
    const char *made = cli->dry_run ? output : arena_printf(cli->arena, "%s/out%s", folder, path_base(output));
    toolchain_commands(cli, kind, source, made, folder, &commands);
    int status = toolchain_run(cli, &commands);
    if (status || cli->dry_run)
        return status;
    return output_move(cli, made, output);
}

static int
build(Cli *cli, Drive *d, const char *file, const char *folder)
{
    Arena *a = cli->arena;
    OutputKind kind = output_kind(cli, d->prog);
    const char *suffix = target_info(cli->target)->suffix;
    const char *output = output_name(cli, kind, file), *stem = path_with_suffix(a, path_base(file), "");
    if (kind == KIND_EXE && !d->prog->main) {
        cli_error(cli, E0804, "'%s' has no main; build a library (--kind=static) or add 'main { … }'", file);
        return EXIT_ERRORS;
    }
    const char *header_name = cli->header ? cli->header : arena_printf(a, "%s.h", stem);
    Text source, header;
    text_init(&source, a);
    text_init(&header, a);
    EmitOptions options = {.prefix = cli->prefix ? cli->prefix : d->prog->name,
                           .source_name = arena_printf(a, "%s%s", stem, suffix),
                           .header_name = path_base(header_name),
                           .with_main = kind == KIND_EXE};
    int status = drive_emit(cli, d, &options, &source, &header);
    const char *source_name = arena_printf(a, "%s/%s%s", folder, stem, suffix);
    if (!status)
        status = output_text(cli, source_name, &source);
    if (!status)
        status = output_text(cli, arena_printf(a, "%s/%s", folder, path_base(header_name)), &header);
    /* A library is of no use without its header: it goes beside it. */
    const char *slash = strrchr(output, '/');
    const char *beside = cli->header ? cli->header
                         : slash     ? arena_printf(a, "%.*s/%s", (int)(slash - output), output, header_name)
                                     : header_name;
    if (!status)
        status = run_tools(cli, kind, source_name, output, folder);
    if (!status && !cli->dry_run && (kind != KIND_EXE || cli->header))
        status = output_text(cli, beside, &header);
    if (!status && cli->save_temps)
        status = output_text(cli, path_with_suffix(a, output, suffix), &source);
    if (!status && cli->depfile) {
        Strings outputs = {0};
        vec_push(a, &outputs, output);
        status = output_depfile(cli, &outputs, &d->inputs, arena_printf(a, "%s.d", output));
    }
    return status;
}

int
cmd_build(Cli *cli)
{
    if (cli->files.count != 1)
        return cli_usage(cli, "build needs one file");
    Drive d;
    int status = drive_check(cli, &d, cli->files.items[0], 0);
    if (!status) {
        const char *folder = path_temporary_folder(cli);
        status = folder ? build(cli, &d, cli->files.items[0], folder) : EXIT_CANTCREAT;
        if (folder)
            path_remove_folder(folder);
    }
    return drive_end(cli, &d, status);
}
