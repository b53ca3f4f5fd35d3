/* snlc config: flags as pkg-config gives them. */
#include "config.h"

#include "cli/tool/compiler.h"
#include "cli/tool/toolchain.h"

int
cmd_config(Cli *cli)
{
    if (!cli->cflags && !cli->libs && !cli->cuda_libs && !cli->install_prefix)
        return cli_usage(cli, "config needs --cflags, --libs, --cuda-libs, --prefix or --version");
    if (cli->install_prefix)
        puts(toolchain_prefix(cli));
    Strings words = {0};
    if (cli->cflags)
        toolchain_cflags(cli, &words);
    if (cli->libs)
        toolchain_libs(cli, &words);
    if (cli->cuda_libs) {
        int status = toolchain_cuda_libs(cli, &words);
        if (status)
            return status;
    }
    if (words.count)
        puts(compiler_command_text(cli->arena, &words));
    return EXIT_OK;
}
