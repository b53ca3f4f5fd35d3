/* The words of a text, and of response files. */
#include "config.h"

#include "cli/option/option.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

void
words_split(Cli *cli, const char *p, Strings *out)
{
    while (*p) {
        while (isspace((unsigned char)*p))
            p++;
        if (!*p)
            return;
        char *word = arena_alloc(cli->arena, strlen(p) + 1), *w = word, quote = 0;
        for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
            if (quote ? *p == quote : (*p == '\'' || *p == '"'))
                quote = quote ? 0 : *p;
            else if (*p == '\\' && quote != '\'' && p[1])
                *w++ = *++p;
            else
                *w++ = *p;
        }
        vec_push(cli->arena, out, (const char *)word);
    }
}

static int
cannot_read(const Cli *cli, const char *path, const char *why)
{
    cli_error(cli, E0801, "cannot read response file '%s': %s", path, why);
    return EXIT_NOINPUT;
}

int
words_expand(Cli *cli, const char *word, Strings *out, int depth)
{
    if (word[0] != '@' || !word[1]) {
        vec_push(cli->arena, out, word);
        return 0;
    }
    FILE *f = depth < 10 ? fopen(word + 1, "rb") : NULL;
    if (!f)
        return cannot_read(cli, word + 1, depth < 10 ? strerror(errno) : "too deeply nested");
    Text t;
    text_init(&t, cli->arena);
    char buffer[4096];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
        text_raw(&t, buffer, n);
    const int error = ferror(f) ? errno : 0; /* of a folder, for one */
    fclose(f);
    if (error)
        return cannot_read(cli, word + 1, strerror(error));
    Strings words = {0};
    words_split(cli, t.data ? t.data : "", &words);
    int status = 0;
    for (int i = 0; i < words.count && !status; i++)
        status = words_expand(cli, words.items[i], out, depth + 1);
    return status;
}
