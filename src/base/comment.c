/* The comment that belongs to a declaration: lines of comments right before it and its attributes,
 * or one behind it on its line. */
#include "config.h"

#include "base/comment.h"

#include <string.h>

#include "base/text.h"

/* A line without blanks at its ends. */
typedef struct {
    const char *s;
    int n;
} Line;

static Line
trimmed(const char *s, int n)
{
    while (n && (*s == ' ' || *s == '\t')) {
        s++;
        n--;
    }
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r'))
        n--;
    return (Line){s, n};
}

static Line
line_of(const Source *f, int number)
{
    int n;
    const char *s = source_line(f, number, &n);
    return trimmed(s, n);
}

static bool
begins(Line l, const char *with)
{
    return l.n >= (int)strlen(with) && !strncmp(l.s, with, strlen(with));
}

static bool
ends(Line l, const char *with)
{
    const int n = (int)strlen(with);
    return l.n >= n && !strncmp(l.s + l.n - n, with, (size_t)n);
}

/* Is all of a line a comment that tells people something? Tests and tools have comments with a
 * mark. */
static bool
is_line_comment(Line l)
{
    return begins(l, "//") && !begins(l, "//!") && !begins(l, "//~");
}

/* The first line of the block comment that ends with line `last`, or 0. */
static int
block_start(const Source *f, int last)
{
    if (!ends(line_of(f, last), "*/"))
        return 0;
    for (int i = last; i >= 1; i--) {
        const Line l = line_of(f, i);
        if (begins(l, "/*"))
            return i;
        for (int k = 0; k + 1 < l.n; k++)
            if (!strncmp(l.s + k, "/*", 2) || (i < last && !strncmp(l.s + k, "*/", 2)))
                return 0; /* it begins behind something else */
    }
    return 0;
}

/* Adds the text of a line of a comment, without the marks. */
static void
add_line(Text *out, Line l)
{
    if (begins(l, "//") || begins(l, "/*"))
        l = (Line){l.s + 2, l.n - 2};
    if (ends(l, "*/"))
        l.n -= 2;
    if (begins(l, "*"))
        l = (Line){l.s + 1, l.n - 1};
    if (begins(l, " "))
        l = (Line){l.s + 1, l.n - 1};
    while (l.n && l.s[l.n - 1] == ' ')
        l.n--;
    if (l.n || out->count)
        text_add(out, "%s%.*s", out->count ? "\n" : "", l.n, l.s);
}

/* Adds the comment that ends before a line. */
static void
add_before(const Source *f, int line, Text *out)
{
    int first = line;
    while (first > 1 && begins(line_of(f, first - 1), "@"))
        first--;
    const int last = first - 1, block = last >= 1 ? block_start(f, last) : 0;
    if (block)
        first = block;
    while (!block && first > 1 && is_line_comment(line_of(f, first - 1)))
        first--;
    for (; first <= last; first++)
        add_line(out, line_of(f, first));
}

/* Adds the comment behind the declaration, where it ends on its line. */
static void
add_behind(const char *s, const char *end, Text *out)
{
    char quote = 0;
    for (; s < end && (quote || *s != ';'); s++) {
        if (*s == '\\' && quote)
            s++;
        else if (*s == quote)
            quote = 0;
        else if (!quote && *s == '"')
            quote = *s;
        else if (!quote && *s == '/' && s + 1 < end && s[1] == '/')
            return;
    }
    if (s >= end)
        return;
    const Line rest = trimmed(s + 1, (int)(end - s - 1));
    if (is_line_comment(rest) ||
        (begins(rest, "/*") && ends(rest, "*/") && rest.n >= 4))
        add_line(out, rest);
}

const char *
comment_of(Arena *a, const Sources *sources, Span at)
{
    const Source *f = source_find(sources, at.from);
    int line, column, n;
    Text out;
    if (!f)
        return NULL;
    text_init(&out, a);
    source_position(f, at.from, &line, &column);
    const char *s = source_line(f, line, &n);
    const bool is_first = !memchr(s, ';', (size_t)(column - 1)) &&
                          !memchr(s, '}', (size_t)(column - 1)) &&
                          !memchr(s, '{', (size_t)(column - 1));
    if (is_first)
        add_before(f, line, &out);
    if (!out.count)
        add_behind(s + column - 1, s + n, &out);
    return out.count ? text_end(&out) : NULL;
}
