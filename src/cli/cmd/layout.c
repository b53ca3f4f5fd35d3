/* snlc layout: the trees of a program, or the place of one element. */
#include "config.h"

#include <string.h>

#include "cli/tool/draw_active.h"
#include "cli/tool/driver.h"
#include "cli/tool/output.h"

static int
find_format(Cli *cli, LayoutFormat *format)
{
    static const char *const names[] = {"text", "json", "svg", "dot"};
    for (int i = 0; i < 4; i++)
        if (!cli->format || !strcmp(cli->format, names[i])) {
            *format = (LayoutFormat)i;
            return 0;
        }
    return cli_usage(cli, "--format must be text, json, svg or dot, not '%s'", cli->format);
}

int
cmd_layout(Cli *cli)
{
    LayoutFormat format = LAYOUT_TEXT;
    int status = find_format(cli, &format);
    if (status)
        return status;
    if (cli->files.count != 1)
        return cli_usage(cli, "layout needs one file");
    if (cli->active && (cli->at || (cli->format && format != LAYOUT_SVG)))
        return cli_usage(
            cli, "--active draws an svg, and goes with no other --format and not with --at");
    if (cli->at && format != LAYOUT_TEXT && format != LAYOUT_JSON)
        return cli_usage(cli, "--at prints text or json, not %s", cli->format);
    Drive d;
    Text out;
    text_init(&out, cli->arena);
    status = driver_check(cli, &d, cli->files.items[0], 0);
    LayoutList trees = {0};
    d.c.diags.count = 0; /* they are printed */
    if (!status)
        trees = (LayoutList){d.prog->layouts.items, d.prog->layouts.count};
    if (!status && cli->at && !layout_print_at(&d.c, trees, cli->at, format, &out)) {
        driver_print_diags(cli, &d.c);
        status = EXIT_ERRORS;
    }
    if (!status && cli->active)
        status = draw_active(cli, &d.c, trees, cli->active, &out);
    else if (!status && !cli->at)
        layout_print(&d.c, trees, format, &out);
    if (!status)
        status = output_text(cli, cli->output ? cli->output : "-", &out);
    return driver_end(cli, &d, status);
}
