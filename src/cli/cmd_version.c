/* snlc version. */
#include "config.h"

#include "cli/cli.h"

int
cmd_version(Cli *cli)
{
    if (cli->json)
        printf("{\"name\": \"snlc\", \"version\": \"%s\", \"language\": 1, \"targets\": [\"c\"]}\n", PACKAGE_VERSION);
    else if (cli->command == CMD_CONFIG)
        puts(PACKAGE_VERSION);
    else
        printf("snlc %s\n", PACKAGE_VERSION);
    return EXIT_OK;
}
