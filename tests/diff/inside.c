/* inside.c - commands of snlc that the calling process runs itself. */
#include "config.h"

#include "inside.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tool/driver.h"
#include "oracle.h"

static int (*const commands[])(Cli *) = {
#define COMMAND(id, letter, name, function, arguments, summary) function,
#include "cli/option/commands.def"
#undef COMMAND
};

int
inside_run(int argc, char **argv)
{
    Cli cli = { .arena = arena_new(), .program = "snlc" };
    int status = cli_parse(&cli, argc, argv);
    if (!status && cli.command == CMD_COUNT)
        status = EXIT_USAGE;
    if (!status)
        status = cli.emit ? dump_files(&cli) : commands[cli.command](&cli);
    return fflush(stdout) || ferror(stdout) ? EXIT_IO : status;
}

/* ---- names ---- */

enum { SLOTS = 1 << 16 };

/* Words between lines, in a hash table. */
struct Words {
    const char *start[SLOTS];
    size_t length[SLOTS];
};

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The slot of a word: where it is or would be. */
static unsigned
find_word(const Words *w, const char *text, size_t n)
{
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    unsigned at = (hash ^ hash >> 15) % SLOTS;
    while (w->start[at] && (w->length[at] != n || memcmp(w->start[at], text, n) != 0))
        at = (at + 1) % SLOTS;
    return at;
}

Words *
inside_words(const char *path)
{
    char *text = file_text(path);
    Words *w = calloc(1, sizeof *w);
    int count = 0;
    for (char *from = text; from && w && *from && count < SLOTS / 2; count++) {
        size_t n = strcspn(from, "\n");
        unsigned at = find_word(w, from, n);
        w->start[at] = from;
        w->length[at] = n;
        from += n + (from[n] == '\n');
    }
    if (text && w && count < SLOTS / 2)
        return w;
    free(text);
    free(w);
    return NULL;
}

/* The end of what is copied as it is: a text, a character, a comment, a directive, and its line if
 * that has no names. Or `from`. */
static const char *
skip_fixed(const char *from)
{
    if (*from == '"' || *from == '\'') {
        const char *at = from + 1;
        while (*at && *at != *from)
            at += *at == '\\' && at[1] ? 2 : 1;
        return *at ? at + 1 : at;
    }
    if (strncmp(from, "/*", 2) == 0) {
        const char *end = strstr(from, "*/");
        return end ? end + 2 : from + strlen(from);
    }
    if (strncmp(from, "#include", 8) == 0 || strncmp(from, "#pragma", 7) == 0 ||
        strncmp(from, "#line", 5) == 0)
        return from + strcspn(from, "\n");
    if (*from == '#')
        return from + 1 + strspn(from + 1, "abcdefghijklmnopqrstuvwxyz");
    return from;
}

/* Copies C text, with `number` behind all words that are not known. The inclusion of a header that
 * is no system's is left out. */
static void
rename_words(const Words *known, const char *from, int number, FILE *out)
{
    while (*from) {
        const char *end = skip_fixed(from);
        bool left_out = strncmp(from, "#include \"", 10) == 0;
        if (end > from || !is_word(*from)) {
            if (!left_out)
                fwrite(from, 1, end > from ? (size_t)(end - from) : 1, out);
            from = end > from ? end : from + 1;
            continue;
        }
        size_t n = 1;
        while (is_word(from[n]) || (isdigit((unsigned char)*from) && from[n] == '.'))
            n++;
        fwrite(from, 1, n, out);
        if (!isdigit((unsigned char)*from) && strncmp(from, "__", 2) != 0 &&
            !known->start[find_word(known, from, n)])
            fprintf(out, "__%d", number);
        from += n;
    }
}

int
inside_emit(int argc, char **argv, const Words *known, int number, const char *output)
{
    Cli cli = { .arena = arena_new(), .program = "snlc" };
    Drive d;
    Text source, header;
    if (cli_parse(&cli, argc, argv) || driver_check(&cli, &d, cli.files.items[0], 0))
        return EXIT_ERRORS;
    text_init(&source, cli.arena);
    text_init(&header, cli.arena);
    EmitOptions options = {.prefix = d.prog->name,
                           .source_name = "program.c",
                           .header_name = "program.h",
                           .with_main = true};
    int status = driver_emit(&cli, &d, &options, &source, &header);
    FILE *out = status ? NULL : fopen(output, "w");
    if (!out)
        return status ? status : EXIT_IO;
    rename_words(known, header.data, number, out);
    rename_words(known, source.data, number, out);
    return fclose(out) ? EXIT_IO : 0;
}
