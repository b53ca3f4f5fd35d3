/* snlc config: flags as pkg-config gives them. */
#include "config.h"

#include "cli/toolchain.h"

int
cmd_config(Cli *cli)
{
    if (cli->cuda_libs) {
        cli_error(cli, E0803, "this build of snlc has no CUDA runtime");
        return EXIT_UNAVAILABLE;
    }
    if (!cli->cflags && !cli->libs && !cli->install_prefix)
        return cli_usage(cli, "config needs --cflags, --libs, --prefix or --version");
    if (cli->install_prefix)
        puts(toolchain_prefix(cli));
    Strings words = {0};
    if (cli->cflags)
        toolchain_cflags(cli, &words);
    if (cli->libs)
        toolchain_libs(cli, &words);
    if (words.count)
        puts(command_text(cli->arena, &words));
    return EXIT_OK;
}
