/* snlc help. */
#include "config.h"

#include <string.h>

#include "cli/cli.h"

int
cmd_help(Cli *cli)
{
    if (!cli->files.count) {
        cli_print_help(CMD_COUNT);
        return EXIT_OK;
    }
    for (int i = 0; i < CMD_COUNT; i++)
        if (!strcmp(cli->files.items[0], command_name((CommandId)i))) {
            cli_print_help((CommandId)i);
            return EXIT_OK;
        }
    return cli_unknown_command(cli, cli->files.items[0]);
}
