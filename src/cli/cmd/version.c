/* snlc version. */
#include "config.h"

#include "cli/cli.h"

static void
print_json(void)
{
    printf("{\"name\": \"snlc\", \"version\": \"%s\", \"language\": 1, \"targets\": [",
           PACKAGE_VERSION);
    for (Target t = 0; t < TARGET_COUNT; t++)
        printf("%s\"%s\"", t ? ", " : "", target_info(t)->name);
    puts("]}");
}

int
cmd_version(Cli *cli)
{
    if (cli->json)
        print_json();
    else if (cli->command == CMD_CONFIG)
        puts(PACKAGE_VERSION);
    else
        printf("snlc %s\n", PACKAGE_VERSION);
    return EXIT_OK;
}
