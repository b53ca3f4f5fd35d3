/* snlc fmt: brings files into the canonical form, or says what would change. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tool/crash.h"
#include "cli/tool/driver.h"
#include "cli/tool/output.h"
#include "fmt/format.h"

/* All of standard input as a source. */
static Source *
read_input(Compile *c)
{
    Text t;
    char buffer[65536];
    size_t n;
    text_init(&t, c->arena);
    while ((n = fread(buffer, 1, sizeof buffer, stdin)) > 0)
        text_raw(&t, buffer, n);
    return ferror(stdin)
               ? NULL
               : source_add(&c->sources, "<standard input>", t.data ? t.data : "", t.count);
}

/* Writes or shows the result for one file; `real` is where the file is, behind links, or NULL for
 * standard input. */
static int
hand_out(Cli *cli, const Source *source, const Text *out, const char *real)
{
    const char *text = out->data ? out->data : "";
    bool same = out->count == source->bytes && !memcmp(text, source->text, out->count);
    if (cli->fmt_diff) {
        Text diff;
        text_init(&diff, cli->arena);
        if (!same)
            format_diff(cli->arena, source->path, source->text, text, &diff);
        int status = output_text(cli, "-", &diff);
        if (status)
            return status;
    } else if (cli->fmt_check && !same && !cli->options.quiet)
        printf("%s\n", source->path);
    if (cli->fmt_check || cli->fmt_diff)
        return same || !cli->fmt_check ? EXIT_OK : EXIT_ERRORS;
    return real && same ? EXIT_OK : output_write(cli, real ? real : "-", text, out->count);
}

static void
end_file(Compile *c)
{
    crash_watch(NULL, NULL);
    compile_free(c);
}

static int
format_file(Cli *cli, const char *file)
{
    Compile c;
    compile_init(&c);
    crash_watch(cli, &c);
    bool input = !strcmp(file, "-");
    errno = 0;
    Source *source = input ? read_input(&c) : source_read(&c.sources, file);
    int error = errno, status = EXIT_OK;
    if (!source) {
        cli_error(cli, error == EFBIG ? E0111 : E0801, "cannot read '%s': %s", file,
                  strerror(error ? error : EIO));
        end_file(&c);
        return EXIT_NOINPUT;
    }
    parse_source(&c, source);
    driver_print_diags(cli, &c);
    Text out;
    text_init(&out, c.arena);
    if (diag_error_count(&c))
        status = EXIT_ERRORS;
    else if (!format_source(&c, source, &out)) {
        const char *report = crash_report("formatting would change the program");
        cli_error(cli, E0803,
                  "internal error: formatting '%s' would change it; please report this with the "
                  "file '%s'",
                  file, report[0] ? report : file);
        status = EXIT_INTERNAL;
    } else
        status = hand_out(cli, source, &out, input ? NULL : source->real ? source->real : file);
    end_file(&c);
    return status;
}

int
cmd_fmt(Cli *cli)
{
    if (!cli->files.count)
        return cli_usage(cli, "fmt needs a file, or - for standard input");
    int worst = 0;
    for (int i = 0; i < cli->files.count; i++) {
        int status = format_file(cli, cli->files.items[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}
