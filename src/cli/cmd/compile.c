/* snlc compile: .snl files to C source and header, depfile, manifest. */
#include "config.h"

#include <string.h>

#include "check/prog.h"
#include "cli/tool/driver.h"
#include "cli/tool/output.h"

/* Names of the outputs for one file: -o FILE.c, -o FOLDER, or beside nothing: the current
 * folder. */
static void
output_names(Cli *cli, const char *file, const char **source, const char **header)
{
    Arena *a = cli->arena;
    const char *base = path_with_suffix(a, path_base(file), target_info(cli->target)->suffix);
    *source = output_place(cli, base);
    *header = cli->header                 ? cli->header
              : output_is_stream(*source) ? path_with_suffix(a, base, ".h")
                                          : path_with_suffix(a, *source, ".h");
}

/* May they be written? What the command line does not name, but in a folder, must be no file of
 * the user's own. */
static int
check_outputs(Cli *cli, Drive *d, const char *source, const char *header, const char *depfile)
{
    const char *names[] = {source, header, depfile};
    int status = driver_check_outputs(cli, d, names, 3);
    const bool named = cli->output && !strcmp(source, cli->output);
    if (!status && !named)
        status = output_spare(cli, source);
    if (!status && !named && header && !cli->header)
        status = output_spare(cli, header);
    return status;
}

static int
write_outputs(Cli *cli, Drive *d, const char *file)
{
    const char *source_name, *header_name;
    output_names(cli, file, &source_name, &header_name);
    const bool beside = !output_is_stream(source_name);
    const bool has_header = cli->header || beside;
    const char *depfile =
        path_with_suffix(cli->arena, beside ? source_name : header_name, ".d");
    Strings outputs = {0};
    vec_push(cli->arena, &outputs, source_name);
    if (has_header)
        vec_push(cli->arena, &outputs, header_name);
    int status = check_outputs(cli, d, source_name, has_header ? header_name : NULL,
                               cli->depfile && !cli->depfile_name ? depfile : NULL);
    if (status)
        return status;
    Text source, header;
    text_init(&source, cli->arena);
    text_init(&header, cli->arena);
    EmitOptions options = {.prefix = cli->prefix ? cli->prefix : d->prog->name,
                           .source_name = beside ? source_name : path_base(source_name),
                           .header_name = path_base(header_name),
                           .with_main = cli->keeps_main};
    Output output;
    output_start(&output, cli, source_name, &source);
    status = driver_emit(cli, d, &options, &source, &header);
    if (cli->hpp)
        vec_push(cli->arena, &outputs, cli->hpp);
    if (cli->manifest)
        vec_push(cli->arena, &outputs, cli->manifest);
    if (!status && has_header)
        status = output_text(cli, header_name, &header);
    if (status)
        output_drop(&output);
    else
        status = output_end(&output, &source);
    bool made = !status;
    if (made && cli->depfile)
        status = output_depfile(cli, &outputs, &d->inputs, depfile);
    /* without a depfile make would take them for new */
    if (status && beside && (made || status != EXIT_CANTCREAT))
        output_remove_all(&outputs);
    driver_stage(d, "write");
    return status;
}

static int
compile_file(Cli *cli, const char *file)
{
    Drive d;
    int status = driver_check(cli, &d, file, 0);
    if (!status && cli->keeps_main && !d.prog->main) {
        cli_error(cli, E0804, "'%s' has no main for --kind=exe; add 'main { … }'", file);
        status = EXIT_ERRORS;
    }
    if (!status && !cli->dry_run)
        status = write_outputs(cli, &d, file);
    return driver_end(cli, &d, status);
}

int
cmd_compile(Cli *cli)
{
    if (!cli->files.count)
        return cli_usage(cli, "compile needs a file");
    return driver_files(cli, compile_file);
}
