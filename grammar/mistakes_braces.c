/* Known mistakes in braces: one that is missing, one too many. */
#include "config.h"

#include "grammar/mistakes_inside.h"
#include "grammar/recover.h"

/* Columns of white space before the line of a token. */
static int
indent_of(const Mistake *m, int i)
{
    const char *text = m->source->text, *line = text + (token(m, i)->span.from - m->source->base);
    while (line > text && line[-1] != '\n')
        line--;
    return (int)strspn(line, " \t");
}

/* The last brace in tokens from .. to that is not closed there, -1 for none. Where braces were
 * taken for others, the indentation tells which one it is. */
static int
unclosed_brace(const Mistake *m, int from, int to)
{
    int open = -1;
    for (int i = from; i < to; i++) {
        int match = token(m, i)->match;
        bool ends_line = match > i && token(m, match)->newlines;
        if (kind(m, i) == '{' &&
            (match < 0 || match >= to || (ends_line && indent_of(m, match) < indent_of(m, i))))
            open = i;
    }
    return open;
}

/* The end of the file in a block. */
static bool
missing_at_end(const Mistake *m)
{
    int open = kind(m, m->i) == END ? unclosed_brace(m, 0, m->last) : -1;
    if (open < 0)
        return false;
    REPORT(open, open, "this '{' is not closed: a '}' is missing");
    return true;
}

/* A word in braces that only begins an item. */
static bool
missing_before_item(const Mistake *m)
{
    int i = m->i, open = unclosed_brace(m, recover_item_start(m->all, i - 1), i);
    if (!m->expected->unclosed || open < 0)
        return false;
    Diag *d = REPORT(i, i, "'}' is missing before '%s'", text_of(m, i, i));
    diag_note(d, span_of(m, open, open), "this '{' is not closed");
    return true;
}

/* Notes the first brace after token i that ends a line's block in another column than it began. */
static void
note_misplaced(const Mistake *m, Diag *d, int i)
{
    for (; i < m->i; i++) {
        int match = token(m, i)->match;
        if (kind(m, i) == '}' && match >= 0 && token(m, i)->newlines &&
            indent_of(m, i) != indent_of(m, match)) {
            diag_note(d, span_of(m, i, i), "this '}' ends a block that begins in another column");
            return;
        }
    }
}

/* A brace that nothing opens, or a statement after the end of its function. */
static bool
one_too_many(const Mistake *m)
{
    int i = m->i;
    bool is_brace = kind(m, i) == '}';
    if (!m->expected->item || !(is_brace || (m->expected->stray && !opens_item(kind(m, i)))))
        return false;
    Diag *d = is_brace ? REPORT(i, i, "this '}' has no '{'")
                       : REPORT(i, i,
                                "'%s' stands outside of functions: before it a '}' is too many, "
                                "or a '{' is missing",
                                text_of(m, i, i));
    note_misplaced(m, d, recover_item_start(m->all, i));
    return true;
}

bool
mistake_in_braces(const Mistake *m)
{
    static bool (*const known[])(const Mistake *) = {
        missing_at_end,
        missing_before_item,
        one_too_many,
        NULL,
    };
    return mistake_any(m, known);
}
