/* #line: which lines of the C source stand for which of the program. Emission marks the first line
 * of every statement, and as line 0 what belongs to none; here the others of the statement get its
 * number too, marks that are not needed go, and what belongs to no statement is given back to the C
 * source, so that no breakpoint ends up there.
 *
 *     #line 7 "a.snl"                       #line 7 "a.snl"
 *         x = 1;                                x = 1;
 *     #line 8 "a.snl"               ->          y = 2;
 *         y = 2;                            }
 *     }                                     #line 30 "a.c"
 *     return snl_status_of(...);            return snl_status_of(...);
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "emit/inside.h"

/* The numbering that is in force, or wanted. */
typedef struct {
    long line;
    const char *file; /* quoted; NULL: that of the C source itself */
    size_t file_bytes;
} Numbering;

static bool
same(const Numbering *a, const Numbering *b)
{
    return a->line == b->line && a->file_bytes == b->file_bytes &&
           (!a->file || !memcmp(a->file, b->file, a->file_bytes));
}

static int
indent_of(const char *s)
{
    int n = 0;
    while (s[n] == ' ')
        n++;
    return n;
}

/* True for a line that no instruction of the machine comes from: blank, a brace inside of a
 * function, a comment, a declaration. */
static bool
is_silent(const char *s, const char *end)
{
    const char *text = s + indent_of(s);
    if (text == end || (text > s && *text == '}' && text + 1 == end) || !strncmp(text, "/*", 2))
        return true;
    return text > s && end[-1] == ';' && strncmp(text, "return", 6) &&
           !memchr(s, '=', (size_t)(end - s)) && !memchr(s, '(', (size_t)(end - s));
}

void
emit_numbered(Text *out, const Text *code, const char *source)
{
    long number = text_line_number(out); /* of the line that is written next */
    Numbering now = {.line = number}, statement = {0};
    int indent = -1; /* of the statement; -1: none */
    bool marked = false;
    /* from: of the lines that are still to be written */
    const char *s = code->data, *all = s + code->count, *from = s;
    while (s < all) {
        const char *end = memchr(s, '\n', (size_t)(all - s));
        end = end ? end + 1 : all;
        if (*s == '#' && !strncmp(s, "#line ", 6)) {
            char *file;
            text_raw(out, from, (size_t)(s - from));
            from = end;
            statement.line = strtol(s + 6, &file, 10);
            statement.file = file + 1;
            statement.file_bytes = (size_t)(end - 1 - statement.file);
            marked = statement.line > 0;
            indent = -1;
            s = end;
            continue;
        }
        if (marked)
            indent = indent_of(s);
        else if (*s != '\n' && indent_of(s) < indent)
            indent = -1;
        marked = false;
        Numbering wanted = {.line = number};
        if (indent >= 0)
            wanted = statement;
        if (!same(&now, &wanted) && !is_silent(s, end - 1)) {
            number++;
            text_raw(out, from, (size_t)(s - from));
            from = s;
            if (wanted.file)
                text_flush_left(out, "#line %ld %.*s", wanted.line, (int)wanted.file_bytes,
                                wanted.file);
            else
                text_flush_left(out, "#line %ld %s", wanted.line = number, source);
            now = wanted;
        }
        now.line++;
        number++;
        if (indent == 0) { /* the head of a function: its lines are counted, up to the brace */
            statement.line++;
            indent = *s == '{' ? -1 : 0;
        }
        s = end;
    }
    if (from < all)
        text_raw(out, from, (size_t)(all - from));
    if (now.file) /* what follows */
        text_flush_left(out, "#line %ld %s", number + 1, source);
}
