/* snlc check: all diagnostics of every file, no output. */
#include "config.h"

#include "cli/driver.h"

int
cmd_check(Cli *cli)
{
    if (!cli->files.count)
        return cli_usage(cli, "check needs a file");
    int worst = 0;
    for (int i = 0; i < cli->files.count; i++) {
        Drive d;
        int status = drive_check(cli, &d, cli->files.items[i], 0);
        status = drive_end(cli, &d, status);
        worst = status > worst ? status : worst;
    }
    return worst;
}
