/* Known mistakes of those who come from Python and Taichi: their files, fields, lists of values,
 * texts with values in them, and quotients. */
#include "config.h"

#include <ctype.h>

#include "grammar/mistakes_inside.h"

/* ---- files ---- */

/* import taichi as ti, from math import pi, def f(x): at the top of a file. */
static bool
file_of_python(const Mistake *m)
{
    const int i = m->i, before = kind(m, i - 1);
    const bool import = before == IMPORT && kind(m, i) == IDENT &&
                        (is_word(m, i + 1, "as") || token(m, i + 1)->newlines),
               from = is_word(m, i, "from") && kind(m, i + 1) == IDENT,
               def = is_word(m, i, "def") && kind(m, i + 1) == IDENT && kind(m, i + 2) == '(' &&
                     kind(m, token(m, i + 2)->match + 1) == ':';
    if (!import && !from && !def)
        return false;
    Diag *d = REPORT(import ? i - 1 : i, i, "this is Python, which snlc does not read");
    diag_fix(d, "functions are kernel f(f32 a) { … } with the types before the names, statements "
                "end in ';', host code stands in main { … }");
    return true;
}

/* ---- fields ---- */

/* The last token of the argument that starts at i. */
static int
argument_end(const Mistake *m, int i)
{
    const int comma = find_ahead(m, i, ',');
    if (comma >= 0)
        return comma - 1;
    for (;; i++) {
        if (token(m, i)->match > i)
            i = token(m, i)->match;
        if (i + 1 >= m->last || kind(m, i + 1) == ')')
            return i;
    }
}

/* The type that stands in tokens from .. to: f32, ti.f32, float; NULL for none. */
static const char *
scalar_of(const Mistake *m, int from, int to)
{
    return to == from || (to == from + 2 && kind(m, from + 1) == '.') ? type_at(m, to) : NULL;
}

/* The sizes in tokens from .. to, (8, 8) or 8, without parentheses; "" for (). */
static const char *
sizes_of(const Mistake *m, int from, int to)
{
    if (kind(m, from) != '(' || token(m, from)->match != to)
        return text_of(m, from, to);
    if (kind(m, to - 1) == ',')
        to--;
    return from + 1 > to - 1 ? "" : text_of(m, from + 1, to - 1);
}

/* The field that a call of Taichi makes, from its name to its last parenthesis, as it is declared
 * here; NULL where that is not known. */
static const char *
declared_field(const Mistake *m, int name, int open)
{
    const char *type = NULL, *sizes = NULL;
    const bool vector = is_word(m, open - 3, "Vector"), matrix = is_word(m, open - 3, "Matrix");
    const int counts = vector ? 1 : matrix ? 2 : 0;
    const char *shape = "";
    for (int i = open + 1, n = 0; i < token(m, open)->match; n++) {
        const bool named = kind(m, i + 1) == '=';
        const int from = named ? i + 2 : i, to = argument_end(m, from);
        if (named ? is_word(m, i, "n") || is_word(m, i, "m") : n < counts)
            shape = arena_printf(m->c->arena, "%sx%s", shape, text_of(m, from, to));
        else if (named ? is_word(m, i, "dtype") || is_word(m, i, "dt") : n == counts)
            type = scalar_of(m, from, to);
        else if (named ? is_word(m, i, "shape") : n == counts + 1)
            sizes = sizes_of(m, from, to);
        i = to + 2;
    }
    if (!type || !sizes || strspn(shape, "x0123456789") != strlen(shape))
        return NULL;
    return arena_printf(m->c->arena, "field %s%s %s[%s];", type, shape, text_of(m, name, name),
                        sizes);
}

/* x = ti.field(ti.f32, shape=(8, 8)), seen at x or at what stands behind it */
static bool
field_of_taichi(const Mistake *m)
{
    const int name = kind(m, m->i) == '=' ? m->i - 1 : m->i;
    int open = name + 2;
    if (kind(m, name) != IDENT || kind(m, name + 1) != '=' || kind(m, open) != IDENT)
        return false;
    while (kind(m, open) == IDENT && kind(m, open + 1) == '.')
        open += 2;
    open++;
    const int close = token(m, open)->match;
    if (kind(m, open - 1) != FIELD || kind(m, open - 2) != '.' || kind(m, open) != '(' ||
        close < open)
        return false;
    Diag *d = REPORT(name, close, "a field is declared with its type, its name and its sizes");
    map_put(&m->c->lost, intern_str(m->c->intern, text_of(m, name, name)), m->c);
    const char *here = declared_field(m, name, open);
    if (here)
        diag_edit(d, span_of(m, name, kind(m, close + 1) == ';' ? close + 1 : close), "%s", here);
    else
        diag_fix(d, "field f32 %s[8, 8];", text_of(m, name, name));
    return true;
}

/* ---- lists of values ---- */

/* The type of the result of the function around token i, NULL where it has none. */
static const char *
result_around(const Mistake *m, int i)
{
    const int open = outermost_bracket(m, i), start = statement_start(m, open);
    return is_function(kind(m, start)) ? type_at(m, start + 1) : NULL;
}

/* Numbers of values in the list at token i, by rows and in each row; 0 where rows differ. */
static void
count_values(const Mistake *m, int i, int *rows, int *columns, bool *is_float)
{
    const int close = token(m, i)->match;
    int values = 0;
    *rows = *columns = 0;
    for (int at = i + 1; at < close; at++) {
        if (kind(m, at) == '[' && !ends_operand(m, at - 1)) {
            int none, inner;
            count_values(m, at, &none, &inner, is_float);
            *columns = *rows && inner != *columns ? -1 : inner;
            ++*rows;
        } else if (kind(m, at) == NUMBER && strchr(text_of(m, at, at), '.'))
            *is_float = true;
        if (token(m, at)->match > at)
            at = token(m, at)->match;
        if (at + 1 == close || kind(m, at + 1) == ',') {
            values++;
            at++;
        }
    }
    if (!*rows)
        *columns = values;
    else if (values != *rows)
        *columns = -1;
}

/* The values of the list at token i without its brackets, nor those of its rows. */
static const char *
values_of(const Mistake *m, int i)
{
    Text t;
    text_init(&t, m->c->arena);
    const int close = token(m, i)->match;
    uint32_t at = token(m, i)->span.to;
    for (int k = i + 1; k <= close; k++) {
        const bool bracket = k == close || (kind(m, k) == '[' && !ends_operand(m, k - 1)) ||
                             (kind(m, k) == ']' && !ends_operand(m, token(m, k)->match - 1));
        if (!bracket)
            continue;
        text_raw(&t, m->source->text + (at - m->source->base), token(m, k)->span.from - at);
        at = token(m, k)->span.to;
    }
    return text_end(&t);
}

/* return [0, 0]; v = ti.Vector([1.0, 2.0]); seen at the bracket */
bool
mistake_in_list(const Mistake *m)
{
    int i = m->i, rows, columns, from = i, to = token(m, i)->match;
    bool is_float = false;
    if (kind(m, i) != '[' || ends_operand(m, i - 1) || !m->expected->expression || to < i)
        return false;
    const bool called = kind(m, i - 1) == '(' && token(m, i - 1)->match == to + 1 &&
                        kind(m, i - 3) == '.' &&
                        (is_word(m, i - 2, "Vector") || is_word(m, i - 2, "Matrix"));
    if (called) {
        from = operand_start(m, i - 2);
        to++;
    }
    count_values(m, i, &rows, &columns, &is_float);
    Diag *d = REPORT(from, to, "a %s is made by the name of its type", rows ? "matrix" : "vector");
    const char *type = kind(m, from - 1) == RETURN ? result_around(m, i) : NULL;
    if (!type && columns > 1 && columns <= 16)
        type = rows ? arena_printf(m->c->arena, "f32x%dx%d", rows, columns)
                    : arena_printf(m->c->arena, "%sx%d", is_float ? "f32" : "i32", columns);
    if (type && columns > 1 && (is_float || rows || kind(m, from - 1) == RETURN))
        diag_edit(d, span_of(m, from, to), "%s(%s)", type, values_of(m, i));
    else
        diag_fix(d, "%s(%s), or f32x%d", type ? type : "f32x3", values_of(m, i),
                 columns > 1 ? columns : 3);
    return true;
}

/* ti.f32(x), seen at the type */
static bool
type_of_module(const Mistake *m)
{
    const int i = m->i;
    if (kind(m, i) != TYPE || kind(m, i - 1) != '.' || kind(m, i - 2) != IDENT)
        return false;
    const int from = operand_start(m, i - 2);
    diag_edit(REPORT(from, i, "types do not belong to modules"), span_of(m, from, i), "%s",
              text_of(m, i, i));
    return true;
}

/* ---- texts ---- */

/* print(f"n = {n}"), seen at the text */
static bool
text_with_prefix(const Mistake *m)
{
    const int i = m->i;
    if (kind(m, i) != STRING || !is_word(m, i - 1, "f") || !is_adjacent(m, i - 1))
        return false;
    Diag *d = REPORT(i - 1, i, "values stand behind the text; {} is the place of one");
    const char *here = format_elsewhere(m->c->arena, text_of(m, i, i));
    if (here)
        diag_edit(d, span_of(m, i - 1, i), "%s", here);
    else
        diag_fix(d, "print(\"n = {}\", n)");
    return true;
}

/* ---- loops ---- */

/* for (i, j) in x, seen at the first parenthesis */
static bool
variables_in_parentheses(const Mistake *m)
{
    int open = m->i;
    if (kind(m, open) != '(')
        open = bracket_around(m, open);
    const int close = open < 0 ? -1 : token(m, open)->match;
    if (close < open + 2 || kind(m, open) != '(' || kind(m, open - 1) != FOR ||
        kind(m, close + 1) != IN)
        return false;
    Diag *d = REPORT(open, close, "the variables of a loop stand without parentheses");
    diag_edit(d, span_of(m, open, close), "%s", text_of(m, open + 1, close - 1));
    return true;
}

/* ---- quotients ---- */

/* The length of the divisor with which the comment `// 2] = 1;` goes on, if it is code: an operand,
 * a sign behind it, and at the end what ends a statement or begins a block. 0: it is none. */
static int
divisor_in(const Comment *comment, const char **by)
{
    const char *text = comment->text, *end = text + comment->bytes, *at = text + 2;
    while (at < end && *at == ' ')
        at++;
    *by = at;
    while (at < end && (isalnum((unsigned char)*at) || *at == '_' || *at == '.'))
        at++;
    const char *sign = at;
    while (sign < end && *sign == ' ')
        sign++;
    const bool is_code = at > *by && sign < end && strchr("])};,=<>!+-*/%&|?", *sign) &&
                         strchr(";{}", end[-1]);
    if (!is_code)
        return 0;
    return (int)(at - *by);
}

/* The token behind the first quotient of Python in tokens from .. to, -1 for none. */
static int
find_quotient(const Mistake *m, int from, int to)
{
    const char *by;
    for (int i = from; i <= to; i++) {
        const Token *t = &m->t[i];
        const Comment *comment = t->comments.count ? &t->comments.items[0] : NULL;
        if (comment && comment->is_line && !comment->newlines && ends_operand(m, i - 1) &&
            divisor_in(comment, &by))
            return i;
    }
    return -1;
}

/* x[i // 2] = 1.0; whose brackets are not closed then */
static bool
quotient_of_python(const Mistake *m)
{
    const char *by;
    int i = m->i;
    const bool at_end = kind(m, i) == END && m->expected->unclosed;
    i = at_end ? find_quotient(m, 1, m->last) : find_quotient(m, i, i);
    if (i < 0)
        return false;
    const Comment *comment = &m->t[i].comments.items[0];
    const int bytes = divisor_in(comment, &by);
    int from = operand_start(m, i - 1);
    while (kind(m, from - 1) == '*' || kind(m, from - 1) == '/' || kind(m, from - 1) == '%')
        from = operand_start(m, from - 2);
    if (kind(m, from - 1) == '-' && !ends_operand(m, from - 2))
        from--;
    Diag *d = diag(m->c, E0105, (Span){comment->span.from, comment->span.from + 2},
                   "'//' starts a comment; the quotient that is rounded down is floordiv(a, b)");
    diag_edit(d,
              (Span){token(m, from)->span.from,
                     comment->span.from + (uint32_t)(by + bytes - comment->text)},
              "floordiv(%s, %.*s)", text_of(m, from, i - 1), bytes, by);
    return true;
}

bool
mistake_of_python(const Mistake *m)
{
    static bool (*const known[])(const Mistake *) = {
        file_of_python,           field_of_taichi,    text_with_prefix,
        variables_in_parentheses, quotient_of_python, type_of_module,
        NULL,
    };
    return mistake_any(m, known);
}
