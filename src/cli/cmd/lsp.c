/* snlc lsp: the language server. */
#include "config.h"

#include "cli/cli.h"

#ifdef SNL_HAVE_JANSSON
#include "lsp/lsp.h"
#endif

int
cmd_lsp(Cli *cli)
{
    if (cli->files.count)
        return cli_usage(cli, "lsp takes no file: the editor names them");
#ifdef SNL_HAVE_JANSSON
    return lsp_serve(&cli->options);
#else
    cli_error(cli, E0803, "this snlc was built without jansson, which the language server needs");
    return EXIT_UNAVAILABLE;
#endif
}
