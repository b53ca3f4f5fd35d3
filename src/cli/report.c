/* What snlc says of itself: errors without a place, and hints. */
#include "config.h"

#include "cli/cli.h"

#include <stdarg.h>

void
cli_error(const Cli *cli, DiagCode code, const char *fmt, ...)
{
    char text[4096];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (cli->diagnostics == DIAGS_TEXT) {
        if (code == E0804) /* says enough by itself */
            fprintf(stderr, "snlc: %s\n", text);
        else
            fprintf(stderr, "snlc: %s [%s]\n", text, diag_info(code)->name);
        return;
    }
    Compile c;
    compile_init(&c);
    diag(&c, code, (Span){0, 0}, "%s", text);
    diag_print_all(&c, stderr, cli->diagnostics, false, cli->sarif);
    compile_free(&c);
}

FILE *
cli_side(const Cli *cli)
{
    return cli->diagnostics == DIAGS_TEXT ? stderr : stdout;
}

void
cli_end_diags(Cli *cli)
{
    if (cli->diagnostics == DIAGS_SARIF && cli->command != CMD_LSP)
        diag_end_sarif(cli->sarif, cli->arena, stderr);
    cli->diagnostics = DIAGS_TEXT;
}

int
cli_usage(const Cli *cli, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    cli_error(cli, E0804, "%s", text);
    if (cli->diagnostics == DIAGS_TEXT)
        fprintf(stderr, "Try 'snlc help%s%s'.\n", cli->command < CMD_COUNT ? " " : "",
                cli->command < CMD_COUNT ? command_name(cli->command) : "");
    return EXIT_USAGE;
}

const char *
cli_did_you_mean(const Cli *cli, const Nearest *n, const char *dashes)
{
    if (!n->found)
        return "";
    if (!n->other)
        return arena_printf(cli->arena, "; did you mean %s%s?", dashes, n->found);
    return arena_printf(cli->arena, "; did you mean %s%s or %s%s?", dashes, n->found, dashes,
                        n->other);
}
