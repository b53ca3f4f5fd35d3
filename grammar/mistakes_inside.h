/* What the functions of known mistakes share: the tokens around the unexpected one. Each function
 * looks at these and reports the mistake, or returns false. Each file
 * has a table of its functions. */
#ifndef SNL_GRAMMAR_MISTAKES_INSIDE_H
#define SNL_GRAMMAR_MISTAKES_INSIDE_H

#include <string.h>

#include "ast/foreign_words.h"
#include "grammar/mistakes.h"
#include "parse.h"

typedef struct {
    Compile *c;
    const Source *source;
    const Tokens *all;
    const Token *t; /* their items */
    int i, last;    /* the unexpected one; the last one, END */
    const Expected *expected;
} Mistake;

/* ---- tokens ---- */

/* Before the first one too it is END, which matches nothing. */
static inline const Token *
token(const Mistake *m, int i)
{
    return &m->t[i >= 0 && i < m->last ? i : m->last];
}

static inline int
kind(const Mistake *m, int i)
{
    return token(m, i)->kind;
}

static inline bool
is_word(const Mistake *m, int i, const char *text)
{
    return kind(m, i) == IDENT && token_is(token(m, i), text);
}

static inline bool
is_one_of(const Mistake *m, int i, const char *const *words)
{
    for (; *words; words++)
        if (is_word(m, i, *words))
            return true;
    return false;
}

/* True when nothing stands between the two tokens. */
static inline bool
is_adjacent(const Mistake *m, int i)
{
    return token(m, i)->span.to == token(m, i + 1)->span.from;
}

static inline Span
span_of(const Mistake *m, int from, int to)
{
    return (Span){token(m, from)->span.from, token(m, to)->span.to};
}

/* The text from one token to another. */
static inline const char *
text_of(const Mistake *m, int from, int to)
{
    Span s = span_of(m, from, to);
    return s.to <= s.from ? ""
                          : arena_strndup(m->c->arena, m->source->text + (s.from - m->source->base),
                                          s.to - s.from);
}

static inline bool
expects(const Mistake *m, char sign)
{
    return strchr(m->expected->signs, sign) != NULL;
}

static inline bool
ends_operand(const Mistake *m, int i)
{
    int k = kind(m, i);
    return k == IDENT || k == NODE || k == TYPE || k == NUMBER || k == STRING || k == TRUE ||
           k == FALSE || k == ')' || k == ']';
}

/* The first token of the operand that ends at i, such as f(x)[2].y. */
static inline int
operand_start(const Mistake *m, int i)
{
    while (i > 0) {
        int match = token(m, i)->match;
        if (match >= 0 && match < i) { /* brackets: of a call or an index, or around it all */
            i = match;
            if (!ends_operand(m, i - 1))
                return i;
            i--;
        } else if (kind(m, i - 1) == '.')
            i -= 2;
        else
            return i;
    }
    return 0;
}

/* The last token of the operand that starts at i. */
static inline int
operand_end(const Mistake *m, int i)
{
    while (kind(m, i) == '-' || kind(m, i) == '+' || kind(m, i) == '!')
        i++;
    if (token(m, i)->match > i)
        i = token(m, i)->match;
    for (;;) {
        int next = kind(m, i + 1);
        if (next == '.' && i + 2 < m->last)
            i += 2;
        else if ((next == '(' || next == '[') && token(m, i + 1)->match > i)
            i = token(m, i + 1)->match;
        else
            return i;
    }
}

/* The next token of a kind on the same level of brackets, -1 when there is none before the
 * statement ends. */
static inline int
find_ahead(const Mistake *m, int i, int wanted)
{
    for (; i < m->last; i++) {
        int k = kind(m, i);
        if (k == wanted)
            return i;
        if (k == ';' || k == '}' || k == ')' || k == ']')
            return -1;
        if (token(m, i)->match > i)
            i = token(m, i)->match;
    }
    return -1;
}

/* The last token of the statement that starts at i, -1 when it has no end, or statements in it more
 * than `depth` deep. */
static inline int
statement_end(const Mistake *m, int i, int depth)
{
    int k = kind(m, i);
    if (depth == 0)
        return -1;
    if (k == '{')
        return token(m, i)->match;
    if (k != IF && k != WHILE && k != FOR)
        return find_ahead(m, i, ';');
    int at = i + 1;
    if (kind(m, at) == '(' && token(m, at)->match > 0)
        at = token(m, at)->match + 1;
    else if (k == FOR)
        at = find_ahead(m, i, '{');
    int end = at < 0 || at >= m->last ? -1 : statement_end(m, at, depth - 1);
    if (end >= 0 && kind(m, end + 1) == ELSE)
        end = statement_end(m, end + 2, depth - 1);
    return end;
}

/* The opening bracket around token i, -1 when there is none. */
static inline int
bracket_around(const Mistake *m, int i)
{
    for (i--; i >= 0; i--) {
        if (token(m, i)->match > i)
            return i;
        if (token(m, i)->match >= 0)
            i = token(m, i)->match;
    }
    return -1;
}

static inline bool
starts_statement(const Mistake *m, int i)
{
    int before = i > 0 ? kind(m, i - 1) : ';';
    return before == ';' || before == '{' || before == '}';
}

/* The first token of the declaration or statement of token i. */
static inline int
statement_start(const Mistake *m, int i)
{
    while (i > 0 && !starts_statement(m, i))
        i--;
    return i;
}

/* The bracket around token i that nothing is around, i when there is none. */
static inline int
outermost_bracket(const Mistake *m, int i)
{
    for (int around = i; (around = bracket_around(m, around)) >= 0;)
        i = around;
    return i;
}

static inline bool
is_function(int token)
{
    return token == FUNC || token == KERNEL || token == HOST;
}

/* Does token i stand in the arguments of a func, kernel or host function that is declared? */
static inline bool
among_arguments(const Mistake *m, int i)
{
    int open = bracket_around(m, i), word = open - 2;
    if (open < 0 || kind(m, open) != '(' || kind(m, open - 1) != IDENT)
        return false;
    if (kind(m, word) == TYPE || kind(m, word) == IDENT || kind(m, word) == AUTO)
        word--;
    return is_function(kind(m, word));
}

/* The type that a token means here or elsewhere, NULL for none. */
static inline const char *
type_at(const Mistake *m, int i)
{
    if (kind(m, i) == TYPE)
        return text_of(m, i, i);
    return kind(m, i) == IDENT ? foreign_type(text_of(m, i, i)) : NULL;
}

/* True in a declaration such as `f32 w[2] = …`. */
static inline bool
is_declaration(const Mistake *m, int i)
{
    i = statement_start(m, i);
    return kind(m, i) == TYPE || kind(m, i) == CONST || kind(m, i) == FIELD ||
           (kind(m, i) == IDENT && kind(m, i + 1) == IDENT);
}

enum { STATEMENT_DEPTH = 50 };

#define REPORT(from, to, ...) diag(m->c, E0105, span_of(m, from, to), __VA_ARGS__)

/* Reports the first mistake of a list that it is; the list ends in NULL. */
static inline bool
mistake_any(const Mistake *m, bool (*const known[])(const Mistake *))
{
    for (; *known; known++)
        if ((*known)(m))
            return true;
    return false;
}

/* A known mistake in the head of a loop. */
bool mistake_in_loop(const Mistake *m);
/* A brace that is missing, or one too many. */
bool mistake_in_braces(const Mistake *m);
/* A known mistake in the arguments of a function that is declared. */
bool mistake_in_argument(const Mistake *m);
/* A known mistake in declarations in bodies, or in lists of values. */
bool mistake_in_declaration(const Mistake *m);
/* A known mistake of those who come from Python. */
bool mistake_of_python(const Mistake *m);
/* Values in brackets where one is expected. */
bool mistake_in_list(const Mistake *m);
/* A known mistake in layouts or items. */
bool mistake_in_item(const Mistake *m);

#endif
