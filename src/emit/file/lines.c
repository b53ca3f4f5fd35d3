/* #line: which lines of the C source stand for which lines of the program. Emission marks the first
 * line of every statement, and marks as line 0 what belongs to no statement. This file gives the
 * other lines of a statement its number, and drops marks that are not needed. What belongs to no
 * statement goes back to the C source, so that no breakpoint ends up there. So does the brace that
 * opens a function. Debuggers take its line for everything before the first statement, and would
 * stop before `self` is there.
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

#include "emit/file/file.h"

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

/* The C source while it is read. */
typedef struct {
    Text *out;
    const char *source; /* the name of the C source, quoted */
    long number;        /* of the line of it that is written next */
    Numbering now, statement;
    int indent;       /* of the statement; -1: none */
    bool marked;      /* the next line begins it */
    const char *from; /* the first line that is still to be written */
} Lines;

static void
write_up_to(Lines *l, const char *s)
{
    text_raw(l->out, l->from, (size_t)(s - l->from));
    l->from = s;
}

/* A mark, which is not written itself. */
static void
read_mark(Lines *l, const char *s, const char *end)
{
    char *file;
    write_up_to(l, s);
    l->from = end;
    l->statement.line = strtol(s + 6, &file, 10);
    l->statement.file = file + 1;
    l->statement.file_bytes = (size_t)(end - 1 - l->statement.file);
    l->marked = l->statement.line > 0;
    l->indent = -1;
}

/* Writes a #line before the line s. */
static void
change_numbering(Lines *l, const char *s, Numbering wanted)
{
    l->number++;
    write_up_to(l, s);
    if (wanted.file)
        text_flush_left(l->out, "#line %ld %.*s", wanted.line, (int)wanted.file_bytes, wanted.file);
    else
        text_flush_left(l->out, "#line %ld %s", wanted.line = l->number, l->source);
    l->now = wanted;
}

static void
read_line(Lines *l, const char *s, const char *end)
{
    if (l->marked)
        l->indent = indent_of(s);
    else if (*s == '{' || (*s != '\n' && indent_of(s) < l->indent))
        l->indent = -1;
    l->marked = false;
    const Numbering own = {.line = l->number}, wanted = l->indent >= 0 ? l->statement : own;
    if (!same(&l->now, &wanted) && !is_silent(s, end - 1))
        change_numbering(l, s, wanted);
    l->now.line++;
    l->number++;
    if (l->indent == 0) /* the head of a function: its lines are counted */
        l->statement.line++;
}

void
lines_number(Text *out, const Text *code, const char *source)
{
    const long number = text_line_number(out);
    const char *s = code->data, *all = s + code->count;
    Lines l = {.out = out,
               .source = source,
               .number = number,
               .now.line = number,
               .indent = -1,
               .from = s};
    while (s < all) {
        const char *end = memchr(s, '\n', (size_t)(all - s));
        end = end ? end + 1 : all;
        if (!strncmp(s, "#line ", 6))
            read_mark(&l, s, end);
        else
            read_line(&l, s, end);
        s = end;
    }
    if (l.from < all)
        write_up_to(&l, all);
    if (l.now.file) /* what follows */
        text_flush_left(out, "#line %ld %s", l.number + 1, source);
}
