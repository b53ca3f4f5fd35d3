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

/* The code that was meant: small letters, the first zero and the letter E may be left out. */
static DiagCode
find_code(const Cli *cli, const char *given)
{
    const char letter = isalpha((unsigned char)*given) ? (char)toupper((unsigned char)*given) : 'E';
    const char *digits = given + (isalpha((unsigned char)*given) ? 1 : 0);
    Text name;
    text_init(&name, cli->arena);
    text_add(&name, "%c%s%s", letter, strlen(digits) == 3 ? "0" : "", digits);
    return diag_find(text_end(&name));
}

static int
explain(const Cli *cli, const char *given)
{
    const DiagCode code = find_code(cli, given);
    if (code == DIAG_COUNT) {
        cli_error(cli, E0804, "there is no diagnostic '%s' (see snlc explain --list)", given);
        return EXIT_ERRORS;
    }
    const char *name = diag_info(code)->name;
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
