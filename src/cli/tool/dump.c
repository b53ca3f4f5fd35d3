/* --emit and --print-ir: a look at one stage of the compilation, instead of what the command
 * does. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "check/prog.h"
#include "cli/tool/driver.h"
#include "cli/tool/output.h"
#include "ir/ir.h"
#include "pass/pass.h"

/* --emit=tokens and --emit=ast need no checking. */
static int
show_syntax(Cli *cli, const char *file, Text *out)
{
    Compile c;
    compile_init(&c);
    c.options = cli->options;
    errno = 0;
    const Source *s = source_read(&c.sources, file);
    int error = errno;
    if (!s) {
        cli_error(cli, error == EFBIG ? E0111 : E0801, "cannot read '%s': %s", file,
                  strerror(error));
        compile_free(&c);
        return EXIT_NOINPUT;
    }
    if (!strcmp(cli->emit, "tokens"))
        tokens_print(&c, s, out);
    else
        ast_print(parse_source(&c, s), out);
    driver_print_diags(cli, &c);
    int status = diag_error_count(&c) ? EXIT_ERRORS : EXIT_OK;
    compile_free(&c);
    return status;
}

/* Prints the program after the stage asked for. */
static int
show_stage(Cli *cli, Drive *d, const char *stage, Text *out)
{
    if (!strcmp(stage, "layout")) {
        layout_print(&d->c, (LayoutList){d->prog->layouts.items, d->prog->layouts.count},
                     LAYOUT_TEXT, out);
        return 0;
    }
    if (!strcmp(stage, "check") || !strcmp(stage, "ad")) {
        prog_print(d->prog, out);
        return 0;
    }
    Ir *ir = ir_lower(&d->c, d->prog);
    if (!strcmp(stage, "lower") || !strcmp(stage, "tasks"))
        ir_print(ir, out);
    else if (!strcmp(stage, "ir")) {
        passes_run(&d->c, ir, NULL, out);
        ir_print(ir, out);
    } else if (!strcmp(stage, "all") || pass_find(stage))
        passes_run(&d->c, ir, pass_find(stage) ? pass_find(stage) : "all", out);
    else
        return cli_usage(
            cli, "--print-ir knows check, ad, lower, all and the names of passes, not '%s'", stage);
    return 0;
}

static int
show(Cli *cli, const char *file)
{
    Text out;
    text_init(&out, cli->arena);
    int status;
    if (cli->emit && (!strcmp(cli->emit, "tokens") || !strcmp(cli->emit, "ast")))
        status = show_syntax(cli, file, &out);
    else if (cli->emit && strcmp(cli->emit, "layout") && strcmp(cli->emit, "ir") &&
             strcmp(cli->emit, "tasks"))
        return cli_usage(cli, "--emit must be tokens, ast, layout, ir or tasks, not '%s'",
                         cli->emit);
    else {
        Drive d;
        status = driver_check(cli, &d, file, 0);
        const char *stage = cli->emit             ? cli->emit
                            : cli->print_ir_stage ? cli->print_ir_stage
                                                  : "lower";
        if (!status)
            status = show_stage(cli, &d, stage, &out);
        status = driver_end(cli, &d, status);
    }
    int wrote = status == EXIT_USAGE ? 0 : output_text(cli, cli->output ? cli->output : "-", &out);
    return status ? status : wrote;
}

int
dump_files(Cli *cli)
{
    int worst = 0;
    if (!cli->files.count)
        return cli_usage(cli, "%s needs a file", cli->emit ? "--emit" : "--print-ir");
    if (cli->files.count > 1 && cli->output)
        return cli_usage(cli, "with several files, %s writes to standard output, not to -o",
                         cli->emit ? "--emit" : "--print-ir");
    for (int i = 0; i < cli->files.count; i++) {
        int status = show(cli, cli->files.items[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}
