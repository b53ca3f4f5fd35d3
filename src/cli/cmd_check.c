/* snlc check: all diagnostics of every file, no output. */
#include "config.h"

#include "cli/driver.h"
#include "cli/fix.h"

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
        status = drive_check(cli, &d, cli->files.items[i], 0);
        status = drive_end(cli, &d, status);
        worst = status > worst ? status : worst;
    }
    return worst;
}
