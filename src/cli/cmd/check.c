/* snlc check: all diagnostics of every file, no output. */
#include "config.h"

#include "cli/tool/driver.h"
#include "cli/tool/fix.h"

/* What is found only where C is made: the loops that -Wperf tells of. */
static int
check_loops(Cli *cli, Drive *d)
{
    Text source, header;
    text_init(&source, cli->arena);
    text_init(&header, cli->arena);
    EmitOptions options = {.prefix = d->prog->name, .source_name = "", .header_name = ""};
    return driver_emit(cli, d, &options, &source, &header);
}

int
cmd_check(Cli *cli)
{
    if (!cli->files.count)
        return cli_usage(cli, "check needs a file");
    int worst = 0;
    for (int i = 0; i < cli->files.count; i++) {
        int status = cli->fix ? fix_file(cli, cli->files.items[i]) : EXIT_OK;
        worst = status > worst ? status : worst;
        Drive d;
        status = driver_check(cli, &d, cli->files.items[i], 0);
        if (!status && d.c.options.perf)
            status = check_loops(cli, &d);
        status = driver_end(cli, &d, status);
        worst = status > worst ? status : worst;
    }
    return worst;
}
