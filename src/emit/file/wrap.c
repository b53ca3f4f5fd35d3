/* Breaks long lines where people would: after a comma or an operator, and rather outside of
 * parentheses than inside. */
#include "config.h"

#include <string.h>

#include "emit/file/file.h"

enum { WIDTH = 100, DEEPER = 4, LEAST = 40, INDEX = 8 /* depth of an index */ };

/* The end of the string or character that starts at s, or s + 1. */
static const char *
after_literal(const char *s, const char *end)
{
    char quote = *s++;
    if (quote != '"' && quote != '\'')
        return s;
    for (; s < end && *s != quote; s++)
        if (*s == '\\')
            s++;
    return s < end ? s + 1 : end;
}

/* May a line end before the blank at s? */
static bool
is_break(const char *from, const char *s)
{
    return *s == ' ' && s > from && strchr(",&|+-*/?:", s[-1]) &&
           (s[-1] == ',' || s[-2] == ' ' || s[-2] == s[-1]);
}

/* Where to break a line that should not be wider than `width`: the blank that is least deep, the
 * last of these; else the one after =, else the first further right, or NULL. */
static const char *
find_break(const char *from, const char *end, int width)
{
    const char *best = NULL, *value = NULL;
    int depth = 0, best_depth = 0;
    for (const char *s = from; s < end && (s - from <= width || (!best && !value));) {
        if (*s == '(' || *s == '{' || *s == '[')
            depth += *s == '[' ? INDEX : 1;
        else if (*s == ')' || *s == '}' || *s == ']')
            depth -= *s == ']' ? INDEX : 1;
        if (depth == 0 && s[0] == ' ' && s > from && s[-1] == '=' && !value)
            value = s;
        if (s - from > LEAST && is_break(from, s) && (!best || depth <= best_depth)) {
            best = s;
            best_depth = depth;
        }
        s = after_literal(s, end);
    }
    return best && (best_depth < INDEX || !value) ? best : value;
}

/* Comments, directives and lines that end in a comment stay as they are. */
static bool
stays(const char *line, size_t n)
{
    return n <= WIDTH || line[0] == '#' || memmem(line, n, "/*", 2);
}

static void
add_line(Text *out, const char *line, size_t n)
{
    size_t indent = strspn(line, " ");
    const char *end = line + n;
    text_raw(out, line, indent);
    line += indent;
    for (int more = 0;; more = DEEPER) {
        int width = WIDTH - (int)indent - more;
        const char *at = end - line > width
                             ? find_break(line, end, width > 2 * LEAST ? width : 2 * LEAST)
                             : NULL;
        text_raw(out, line, (size_t)((at ? at : end) - line));
        if (!at)
            return;
        text_raw(out, "\n", 1);
        for (size_t i = 0; i < indent + DEEPER; i++)
            text_raw(out, " ", 1);
        line = at + 1;
    }
}

void
wrap_lines(Text *out, const Text *part)
{
    if (!part->count)
        return;
    /* from: of the lines that stay */
    const char *end = part->data + part->count, *from = part->data;
    for (const char *s = from; s < end;) {
        const char *line = s, *newline = memchr(s, '\n', (size_t)(end - s));
        s = newline ? newline + 1 : end;
        if (stays(line, (size_t)(s - line)))
            continue;
        text_raw(out, from, (size_t)(line - from));
        add_line(out, line, (size_t)(s - line));
        from = s;
    }
    text_raw(out, from, (size_t)(end - from));
}
