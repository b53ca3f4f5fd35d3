/* snlc explain: the long text of a diagnostic, from doc/errors.md (made into a table by the
 * build). */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/errors_text.h"

static void
list_codes(void)
{
    for (int i = 0; i < DIAG_COUNT; i++) {
        const DiagInfo *d = diag_info((DiagCode)i);
        printf("%s  %-7s  %s\n", d->name, d->severity == DIAG_ERROR ? "error" : "warning",
               d->title);
    }
}

static int
explain(const Cli *cli, const char *given)
{
    char *name = arena_strndup(cli->arena, given, strlen(given));
    for (char *p = name; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    DiagCode code = diag_find(name);
    if (code == DIAG_COUNT) {
        cli_error(cli, E0804, "there is no diagnostic '%s' (see snlc explain --list)", given);
        return EXIT_ERRORS;
    }
    printf("%s: %s\n\n", name, diag_info(code)->title);
    for (int i = 0; i < errors_text_count; i++)
        if (!strcmp(errors_text[i].code, name))
            printf("%s", errors_text[i].text);
    return EXIT_OK;
}

int
cmd_explain(Cli *cli)
{
    if (cli->list) {
        list_codes();
        return EXIT_OK;
    }
    if (!cli->files.count)
        return cli_usage(cli, "explain needs a code such as E0403");
    int worst = 0;
    for (int i = 0; i < cli->files.count; i++) {
        if (i)
            putchar('\n');
        int status = explain(cli, cli->files.items[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}
