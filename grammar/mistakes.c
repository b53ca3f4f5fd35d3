/* Known mistakes in the syntax: operators, conditions, loops, and what is missing. */
#include "config.h"

#include "grammar/mistakes.h"

#include "grammar/mistakes_inside.h"
#include "grammar/recover.h"

enum { STATEMENT_DEPTH = 50 };

/* ---- operators ---- */

static bool
words_for_signs(const Mistake *m)
{
    static const char *const rows[][2] = {{"and", "&&"}, {"or", "||"}, {"xor", "^"}, {"mod", "%"},
                                          {"div", "/"},  {"not", "!"}, {"is", "=="}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        bool prefix = !strcmp(rows[r][1], "!");
        int at = prefix ? m->i - 1 : m->i;
        if (!is_word(m, at, rows[r][0]) || (!prefix && !ends_operand(m, m->i - 1)))
            continue;
        Span place = span_of(m, at, at);
        if (prefix)
            place.to = token(m, m->i)->span.from;
        diag_edit(REPORT(at, at, "'%s' is written %s", rows[r][0], rows[r][1]), place, "%s",
                  rows[r][1]);
        return true;
    }
    return false;
}

/* Two signs that are one elsewhere: -> ** <> === ++ --, seen at the second or behind it. */
static bool
joined_signs(const Mistake *m)
{
    int a = kind(m, m->i - 1), b = kind(m, m->i), i = m->i;
    if (!is_adjacent(m, i - 1))
        return false;
    if (a == '-' && b == '>' && ends_operand(m, i - 2)) {
        diag_edit(REPORT(i - 1, i, "members stand behind '.'; there are no pointers"),
                  span_of(m, i - 1, i), ".");
        return true;
    }
    if (a == '<' && b == '>') {
        diag_edit(REPORT(i - 1, i, "'not equal' is written !="), span_of(m, i - 1, i), "!=");
        return true;
    }
    if ((a == EQ || a == NE) && b == '=') {
        diag_edit(REPORT(i - 1, i, "'%s' has one '='", a == EQ ? "==" : "!="), span_of(m, i, i),
                  "%s", "");
        return true;
    }
    if (a != '*' || b != '*')
        return false;
    int from = operand_start(m, i - 2), to = operand_end(m, i + 1);
    diag_edit(REPORT(i - 1, i, "there is no operator '**'; powers are pow(x, y)"),
              span_of(m, from, to), "pow(%s, %s)", text_of(m, from, i - 2), text_of(m, i + 1, to));
    return true;
}

static bool
increment(const Mistake *m)
{
    int i = m->i, sign = kind(m, i - 1);
    if ((sign != '+' && sign != '-') || kind(m, i - 2) != sign || !is_adjacent(m, i - 2) ||
        !ends_operand(m, i - 3))
        return false;
    Diag *d = REPORT(i - 2, i - 1, "there is no operator '%c%c'", sign, sign);
    if (starts_statement(m, operand_start(m, i - 3)) && kind(m, i) == ';')
        diag_edit(d, span_of(m, i - 2, i - 1), " %c= 1", sign);
    else
        diag_fix(d, "%s %c= 1; as a statement of its own",
                 text_of(m, operand_start(m, i - 3), i - 3), sign);
    return true;
}

static bool
address_of(const Mistake *m)
{
    int k = kind(m, m->i);
    if ((k != '&' && k != '*') || ends_operand(m, m->i - 1))
        return false;
    Diag *d =
        REPORT(m->i, m->i, "there are no pointers; an inout argument is handed over as it is");
    diag_edit(d, span_of(m, m->i, m->i), "%s", "");
    return true;
}

/* f(f32* p) */
static bool
pointer_type(const Mistake *m)
{
    int i = m->i, before = kind(m, i - 2);
    if (kind(m, i) != '*' || !type_at(m, i - 1) || (before != '(' && before != ','))
        return false;
    Diag *d = REPORT(i - 1, i,
                     "there are no pointers; an array is %s[], a variable of the caller inout %s",
                     type_at(m, i - 1), type_at(m, i - 1));
    diag_edit(d, span_of(m, i - 1, i), "%s[]", type_at(m, i - 1));
    return true;
}

/* (int)x */
static bool
cast(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i - 1) != ')' || token(m, i - 1)->match != i - 3 || !type_at(m, i - 2))
        return false;
    int end = operand_end(m, i);
    bool wrapped = kind(m, i) == '(' && token(m, i)->match == end;
    Diag *d = REPORT(i - 3, i - 1, "a cast is written like a call: %s(…)", type_at(m, i - 2));
    diag_edit(d, span_of(m, i - 3, end), wrapped ? "%s%s" : "%s(%s)", type_at(m, i - 2),
              text_of(m, i, end));
    return true;
}

/* a if c else b */
static bool
conditional(const Mistake *m)
{
    int i = m->i, otherwise = kind(m, i) == IF ? find_ahead(m, i, ELSE) : -1;
    if (otherwise < 0 || !ends_operand(m, i - 1))
        return false;
    int from = i, to = otherwise + 1;
    while (from > 0 && kind(m, from - 1) != '=' && kind(m, from - 1) != RETURN &&
           kind(m, from - 1) != ',' && kind(m, from - 1) != '(' && kind(m, from - 1) != '[' &&
           !starts_statement(m, from))
        from = token(m, from - 1)->match >= 0 ? token(m, from - 1)->match : from - 1;
    while (to + 1 < m->last && kind(m, to + 1) != ';' && kind(m, to + 1) != ',' &&
           kind(m, to + 1) != ')' && kind(m, to + 1) != ']')
        to = token(m, to + 1)->match > to ? token(m, to + 1)->match : to + 1;
    Diag *d = REPORT(i, i, "a choice between values is written condition ? a : b");
    diag_edit(d, span_of(m, from, to), "%s ? %s : %s", text_of(m, i + 1, otherwise - 1),
              text_of(m, from, i - 1), text_of(m, otherwise + 1, to));
    return true;
}

/* for j in ti.static(range(3)), if ti.static(c): the word static stands before the statement. */
static bool
static_call(const Mistake *m)
{
    int i = m->i, close = token(m, i + 1)->match, start = i;
    if (kind(m, i) != STATIC || kind(m, i - 1) != '.' || kind(m, i + 1) != '(' || close < 0)
        return false;
    while (start > 0 && kind(m, start) != FOR && kind(m, start) != IF &&
           !starts_statement(m, start))
        start--;
    Diag *d = REPORT(i - 2, i, "'static' stands before the statement: static for, static if");
    const char *inner = text_of(m, i + 2, close - 1);
    if (kind(m, start) == FOR ||
        (kind(m, start) == IF && i - 2 <= start + 2 && close + 1 < m->last))
        diag_edit(d, span_of(m, start, close),
                  kind(m, i - 3) == IF    ? "static %s (%s)"
                  : kind(m, i - 3) == '(' ? "static %s%s"
                                          : "static %s %s",
                  text_of(m, start, i - 3), inner);
    return true;
}

/* step<<<blocks, threads>>>() */
static bool
launch_of_cuda(const Mistake *m)
{
    int i = m->i, end = i;
    if (kind(m, i) != '<' || kind(m, i - 1) != SHL || !is_adjacent(m, i - 1) ||
        !ends_operand(m, i - 2))
        return false;
    while (end < m->last && kind(m, end) != ';' &&
           !(kind(m, end) == SHR && kind(m, end + 1) == '>'))
        end++;
    Diag *d =
        REPORT(i - 1, i,
               "a kernel is called as a function is; its loops say how many iterations there are");
    if (kind(m, end) == SHR)
        diag_edit(d, span_of(m, i - 1, end + 1), "%s", "");
    return true;
}

/* std::max(a, b) */
static bool
name_space(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i) != ':' || !is_adjacent(m, i))
        return false;
    int first = kind(m, i + 1) == ':' ? i : i - 1;
    if (kind(m, first) != ':' || kind(m, first + 1) != ':' || kind(m, first - 1) != IDENT ||
        !is_adjacent(m, first - 1))
        return false;
    diag_edit(REPORT(first - 1, first + 1, "functions do not belong to modules"),
              span_of(m, first - 1, first + 1), "%s", "");
    return true;
}

/* static for l in range(3) { … }: elsewhere such a call is checked later, as fields may be called
 * range. */
static bool
range_call(const Mistake *m)
{
    int open = kind(m, m->i - 1) == ')' ? token(m, m->i - 1)->match : -1;
    if (kind(m, m->i) != '{' || open < 2 || !is_word(m, open - 1, "range") || m->i - 1 < open + 2)
        return false;
    int close = m->i - 1, from = operand_start(m, open - 1), comma = find_ahead(m, open + 1, ','),
        second = comma < 0 ? -1 : find_ahead(m, comma + 1, ',');
    Diag *d = REPORT(from, close, "a range is written from..to");
    if (comma < 0)
        diag_edit(d, span_of(m, from, close), "0..%s", text_of(m, open + 1, close - 1));
    else
        diag_edit(d, span_of(m, from, close), second < 0 ? "%s..%s" : "%s..%s step %s",
                  text_of(m, open + 1, comma - 1),
                  text_of(m, comma + 1, (second < 0 ? close : second) - 1),
                  second < 0 ? "" : text_of(m, second + 1, close - 1));
    return true;
}

/* assert x == 1; print "done"; */
static bool
call_without_parentheses(const Mistake *m)
{
    static const char *const words[] = {"assert", "print", "activate", "deactivate", NULL};
    int start = m->i - 1, end;
    while (start > 0 && !starts_statement(m, start))
        start--;
    if (!is_one_of(m, start, words) || kind(m, start + 1) == '(' ||
        (end = find_ahead(m, start, ';')) < start + 2)
        return false;
    Diag *d = REPORT(start, start, "'%s' is called with parentheses", text_of(m, start, start));
    diag_edit(d, span_of(m, start, end - 1), "%s(%s)", text_of(m, start, start),
              text_of(m, start + 1, end - 1));
    return true;
}

/* create(S); */
static bool
call_of_statement(const Mistake *m)
{
    int i = m->i, word = kind(m, i - 1);
    if ((word != CREATE && word != DESTROY && word != TRIM) || kind(m, i) != '(' ||
        kind(m, i + 1) != IDENT || kind(m, i + 2) != ')')
        return false;
    Diag *d = REPORT(i, i + 2, "'%s' stands before its layout without parentheses",
                     text_of(m, i - 1, i - 1));
    diag_edit(d, (Span){token(m, i - 1)->span.to, token(m, i + 2)->span.to}, " %s",
              text_of(m, i + 1, i + 1));
    return true;
}

/* activate(b, [i, j]) */
static bool
indices_apart(const Mistake *m)
{
    int i = m->i, close = token(m, i)->match;
    if (kind(m, i) != '[' || kind(m, i - 1) != ',' || kind(m, i - 2) != IDENT ||
        kind(m, i - 3) != '(' || close < 0 || kind(m, close + 1) != ')')
        return false;
    diag_edit(REPORT(i, close, "indices stand behind the name: %s[…]", text_of(m, i - 2, i - 2)),
              span_of(m, i - 1, close), "%s", text_of(m, i, close));
    return true;
}

/* The name of a loop over what a slice from one token to another asks for: a letter that is not
 * there. */
static const char *
slice_letter(const Mistake *m, int from, int to)
{
    static const char *const letters[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
    size_t n = 0;
    for (int t = from; t <= to && n + 1 < sizeof letters / sizeof *letters; t++)
        if (is_word(m, t, letters[n])) {
            n++;
            t = from - 1;
        }
    return letters[n];
}

/* x[1, :], x[2:4], x[...] */
static bool
slice(const Mistake *m)
{
    int i = m->i, open = bracket_around(m, i), name = operand_start(m, open - 1);
    if ((kind(m, i) != ':' && kind(m, i) != DOTDOT) || kind(m, open) != '[' ||
        kind(m, open - 1) == TYPE || !ends_operand(m, open - 1) || kind(m, name - 1) == NODE ||
        kind(m, name - 1) == TYPE)
        return false;
    int from = open + 1, axis = 0, close = token(m, open)->match;
    for (int comma; (comma = find_ahead(m, from, ',')) >= 0 && comma < i; axis++)
        from = comma + 1;
    int comma = find_ahead(m, from, ','), to = (comma < 0 ? close : comma) - 1;
    Diag *d = REPORT(i, i, "an index names one element; there are no slices");
    if (close < 0 || kind(m, i) != ':' || find_ahead(m, i + 1, ':') >= 0)
        return true;
    const char *letter = slice_letter(m, name, close);
    const char *extent =
        arena_printf(m->c->arena, "extent(%s, %d)", text_of(m, name, open - 1), axis);
    const char *end = i == to ? extent
                      : kind(m, i + 1) == '-'
                          ? arena_printf(m->c->arena, "%s - %s", extent, text_of(m, i + 2, to))
                          : text_of(m, i + 1, to);
    diag_fix(d, "for %s in %s..%s { … %s%s%s%s … }", letter,
             i > from ? text_of(m, from, i - 1) : "0", end, text_of(m, name, from - 1),
             axis ? " " : "", letter, text_of(m, to + 1, close));
    return true;
}

/* for i, j in ndrange((1, n), (1, n)) */
static bool
pairs_of_bounds(const Mistake *m)
{
    int open = bracket_around(m, m->i), call = open < 0 ? -1 : bracket_around(m, open);
    if (kind(m, m->i) != ',' || kind(m, open) != '(' || call < 2 ||
        !is_word(m, call - 1, "ndrange") || token(m, call)->match < 0)
        return false;
    int from = operand_start(m, call - 1), at = call + 1, close = token(m, call)->match;
    Text ranges;
    text_init(&ranges, m->c->arena);
    while (at < close) {
        int comma = find_ahead(m, at, ','), end = comma < 0 ? close : comma;
        int middle =
            kind(m, at) == '(' && token(m, at)->match == end - 1 ? find_ahead(m, at + 1, ',') : -1;
        text_add(&ranges, "%s", at > call + 1 ? ", " : "");
        if (middle > 0)
            text_add(&ranges, "%s..%s", text_of(m, at + 1, middle - 1),
                     text_of(m, middle + 1, end - 2));
        else
            text_add(&ranges, "0..%s", text_of(m, at, end - 1));
        at = end + 1;
    }
    diag_edit(REPORT(call - 1, call - 1, "ranges are written from..to"), span_of(m, from, close),
              "%s", ranges.data);
    return true;
}

/* ---- conditions and loops ---- */

static bool
is_condition_word(const Mistake *m, int i)
{
    return kind(m, i) == IF || kind(m, i) == WHILE;
}

static bool
assignment_in_condition(const Mistake *m)
{
    int around = kind(m, m->i) == '=' ? bracket_around(m, m->i) : -1;
    if (around < 1 || !is_condition_word(m, around - 1))
        return false;
    diag_edit(REPORT(m->i, m->i, "a condition compares with '=='; '=' assigns"),
              span_of(m, m->i, m->i), "==");
    return true;
}

/* if c { … }, if (a) && (b) { … } */
static bool
condition_parentheses(const Mistake *m)
{
    int i = m->i, from = is_condition_word(m, i - 1) ? i : -1;
    if (kind(m, i - 1) == ')' && !ends_operand(m, i) &&
        is_condition_word(m, token(m, i - 1)->match - 1) && kind(m, i) != '{')
        from = token(m, i - 1)->match;
    int brace = from < 0 ? -1 : find_ahead(m, from, '{');
    if (brace <= from || is_condition_word(m, i) || kind(m, i) == FOR)
        return false;
    Diag *d = REPORT(i, i, "a condition stands in parentheses");
    diag_edit(d, span_of(m, from, brace - 1), "(%s)", text_of(m, from, brace - 1));
    return true;
}

/* while n < 3: */
static bool
condition_of_python(const Mistake *m)
{
    int i = m->i, from = is_condition_word(m, i - 1) ? i : -1,
        colon = from < 0 ? -1 : find_ahead(m, from, ':');
    if (colon <= from)
        return false;
    Diag *d = REPORT(i, i, "a condition stands in parentheses, and what belongs to it in braces");
    diag_fix(d, "%s (%s) { … }", text_of(m, i - 1, i - 1), text_of(m, from, colon - 1));
    return true;
}

/* for i in 0:8 { … } */
static bool
range_with_colon(const Mistake *m)
{
    int i = m->i, start = i;
    if (kind(m, i) != ':' || token(m, i + 1)->newlines || find_ahead(m, i + 1, '{') < i + 2)
        return false;
    while (start > 0 && kind(m, start) != IN && !starts_statement(m, start))
        start--;
    if (kind(m, start) != IN)
        return false;
    diag_edit(REPORT(i, i, "a range is written from..to"), span_of(m, i, i), "..");
    return true;
}

/* A statement where a block is needed: after if (…), while (…), else, for … in … */
static bool
no_braces(const Mistake *m)
{
    int i = m->i, before = kind(m, i - 1), after = -1;
    if (!expects(m, '{'))
        return false;
    if (before == ELSE)
        after = i - 1;
    else if (before == ')' && is_condition_word(m, token(m, i - 1)->match - 1))
        after = token(m, i - 1)->match - 1;
    else
        for (int k = i - 1;
             k > 0 && kind(m, k) != ';' && kind(m, k) != '{' && kind(m, k) != '}' && after < 0; k--)
            if (kind(m, k) == FOR)
                after = k;
    int end = after < 0 ? -1 : statement_end(m, i, STATEMENT_DEPTH);
    if (end < 0 || kind(m, i) == '(' ||
        (!ends_operand(m, i) && !is_condition_word(m, i) && kind(m, i) != FOR &&
         kind(m, i) != BREAK && kind(m, i) != CONTINUE && kind(m, i) != RETURN))
        return false;
    Diag *d = REPORT(i, i, "what belongs to '%s' stands in braces", text_of(m, after, after));
    diag_edit(d, span_of(m, i, end), "{ %s }", text_of(m, i, end));
    return true;
}

/* The else behind such a statement of an if, which is reported already. */
static bool
else_behind(const Mistake *m)
{
    int start = m->i - 1;
    if (kind(m, m->i) != ELSE || kind(m, start) != ';')
        return false;
    while (start > 0 && (start == m->i - 1 || !starts_statement(m, start)))
        start--;
    return (kind(m, start) == IF || kind(m, start) == ELSE) && diag_error_count(m->c) > 0;
}

/* The text of an expression that something is added to: in parentheses, unless it is one
 * operand. */
static const char *
text_of_term(const Mistake *m, int from, int to)
{
    const char *text = text_of(m, from, to);
    return operand_end(m, from) == to ? text : arena_printf(m->c->arena, "(%s)", text);
}

/* The bounds of `i < n`, `i >= n`: the text of the end of the range, NULL when it is another
 * condition. */
static const char *
loop_bound(const Mistake *m, const char *name, int from, int to)
{
    int op = kind(m, from + 1);
    if (!is_word(m, from, name) || to < from + 2)
        return NULL;
    if (op == '<' || op == '>' || op == NE)
        return text_of(m, from + 2, to);
    const char *bound = text_of_term(m, from + 2, to);
    return op == LE   ? arena_printf(m->c->arena, "%s + 1", bound)
           : op == GE ? arena_printf(m->c->arena, "%s - 1", bound)
                      : NULL;
}

/* The step of `i++`, `i -= 2` …: its text, "" for 1, NULL when it is something else. */
static const char *
loop_step(const Mistake *m, const char *name, int from, int to)
{
    int prefix = to == from + 2 && is_word(m, to, name), at = prefix ? from : from + 1;
    if (to == from + 2 && (prefix || is_word(m, from, name)) && kind(m, at) == kind(m, at + 1))
        return kind(m, at) == '+' ? "" : kind(m, at) == '-' ? " step -1" : NULL;
    if (!is_word(m, from, name) || kind(m, from + 1) != ASSIGN_OP || to < from + 2)
        return NULL;
    const char *sign = token_is(token(m, from + 1), "+=")   ? ""
                       : token_is(token(m, from + 1), "-=") ? "-"
                                                            : NULL;
    return sign ? arena_printf(m->c->arena, " step %s%s", sign,
                               *sign ? text_of_term(m, from + 2, to) : text_of(m, from + 2, to))
                : NULL;
}

/* for (int i = 0; i < n; i++), for (i in 0..n) */
static bool
loop_of_c(const Mistake *m)
{
    int open = m->i, close = token(m, open)->match;
    if (kind(m, open - 1) != FOR || kind(m, open) != '(' || close < 0)
        return false;
    int name = open + 1, first = find_ahead(m, open + 1, ';');
    if (first < 0) {
        Diag *d = REPORT(open, open, "a loop is written: for i in from..to { … }");
        if (find_ahead(m, open + 1, IN) > 0)
            diag_edit(d, span_of(m, open, close), "%s", text_of(m, open + 1, close - 1));
        return true;
    }
    while (name < first && kind(m, name + 1) != '=')
        name++;
    int second = find_ahead(m, first + 1, ';');
    const char *word = text_of(m, name, name), *end = NULL, *step = NULL;
    if (second > 0 && name + 1 < first) {
        end = loop_bound(m, word, first + 1, second - 1);
        step = loop_step(m, word, second + 1, close - 1);
    }
    Diag *d = REPORT(open, open,
                     "a loop is written: for i in from..to { … }, or with a step: for i in "
                     "from..to step 2 { … }");
    if (end && step)
        diag_edit(d, span_of(m, open, close), "%s in %s..%s%s", word,
                  text_of(m, name + 2, first - 1), end, step);
    return true;
}

/* 0..=7 */
static bool
inclusive_range(const Mistake *m)
{
    if (kind(m, m->i) != '=' || kind(m, m->i - 1) != DOTDOT)
        return false;
    int end = operand_end(m, m->i + 1);
    Diag *d = REPORT(m->i - 1, m->i, "the end of a range is not part of it");
    diag_edit(d, span_of(m, m->i, end), "%s + 1", text_of(m, m->i + 1, end));
    return true;
}

/* 0..8..2 */
static bool
second_range(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i) != DOTDOT || !expects(m, '{') || !ends_operand(m, i - 1))
        return false;
    Diag *d = REPORT(i, i, "a range with a step is written from..to step 2");
    diag_edit(d, span_of(m, i - 1, i + 1), "%s step %s", text_of(m, i - 1, i - 1),
              text_of(m, i + 1, i + 1));
    return true;
}

/* for i in (0..8) */
static bool
range_in_parentheses(const Mistake *m)
{
    int open = bracket_around(m, m->i), close = open < 0 ? -1 : token(m, open)->match;
    if (kind(m, m->i) != DOTDOT || kind(m, open) != '(' || kind(m, open - 1) != IN)
        return false;
    Diag *d = REPORT(open, open, "a range stands without parentheses");
    diag_edit(d, span_of(m, open, close), "%s", text_of(m, open + 1, close - 1));
    return true;
}

/* for i in x step 2 */
static bool
step_of_cells(const Mistake *m)
{
    int i = m->i;
    if (!is_word(m, i, "step") || !ends_operand(m, i - 1) ||
        kind(m, operand_start(m, i - 1) - 1) != IN)
        return false;
    Diag *d = REPORT(i, i, "a step belongs to a range; a loop over cells visits each of them");
    diag_fix(d, "0..extent(%s, 0) step %s", text_of(m, operand_start(m, i - 1), i - 1),
             text_of(m, i + 1, operand_end(m, i + 1)));
    return true;
}

/* let a = x[i] += 1; a = b = 3; */
static bool
assignment_as_value(const Mistake *m)
{
    int i = m->i, first = i - 1;
    if ((kind(m, i) != '=' && kind(m, i) != ASSIGN_OP) || !ends_operand(m, i - 1))
        return false;
    while (!starts_statement(m, first) && kind(m, first) != '=' && kind(m, first) != ASSIGN_OP)
        first--;
    if (starts_statement(m, first))
        return false;
    Diag *d = REPORT(i, i, "an assignment is a statement of its own and has no value");
    int from = operand_start(m, i - 1), to = operand_end(m, i + 1);
    const char *sign = text_of(m, i, i);
    if (!strcmp(sign, "+=") || !strcmp(sign, "-="))
        diag_edit(d, span_of(m, from, to), "atomic_%s(%s, %s)", *sign == '+' ? "add" : "sub",
                  text_of(m, from, i - 1), text_of(m, i + 1, to));
    else
        diag_fix(d, "%s %s %s; first", text_of(m, from, i - 1), sign, text_of(m, i + 1, to));
    return true;
}

/* Words that open blocks elsewhere; they are read as calls or names. */
static bool
foreign_block(const Mistake *m)
{
    static const char *const elif[] = {"elif", "elseif", "elsif", NULL}, *const loop[] = {
                                                                             "do", "loop", "repeat",
                                                                             "forever", NULL};
    int i = m->i, word = kind(m, i - 1) == ')' && token(m, i - 1)->match > 0
                             ? token(m, i - 1)->match - 1
                             : i - 1;
    if (kind(m, i) == IN) /* foreach (i in x) */
        word = bracket_around(m, i) - 1;
    else if (kind(m, i) != '{')
        return false;
    if (ends_operand(m, word - 1) && !starts_statement(m, word)) /* match a { */
        word--;
    if (is_one_of(m, word, elif)) {
        diag_edit(REPORT(word, word, "'%s' is written else if", text_of(m, word, word)),
                  span_of(m, word, word), "else if");
    } else if (is_one_of(m, word, loop)) {
        Diag *d = REPORT(word, word, "there is no '%s'", text_of(m, word, word));
        diag_fix(d, "while (true) { … if (!condition) { break; } }");
    } else if (is_word(m, word, "switch") || is_word(m, word, "match")) {
        diag_fix(REPORT(word, word, "there is no '%s'", text_of(m, word, word)),
                 "if (n == 1) { … } else if (n == 2) { … }");
    } else if (is_word(m, word, "foreach")) {
        diag_fix(REPORT(word, word, "a loop is written: for i in x { … }"), "for");
    } else
        return false;
    return true;
}

/* ---- what is missing ---- */

/* Does token i start something new on the line of what stands before: a word of the language, or a
 * name behind a call? */
static bool
starts_anew(const Mistake *m, int i)
{
    int k = kind(m, i), open = kind(m, i - 1) == ')' ? token(m, i - 1)->match : -1;
    if (opens_item(k) || k == CONST || k == LET || k == VAR || k == FOR || k == RETURN ||
        k == BREAK || k == CONTINUE)
        return true;
    if (k == IF || k == WHILE)
        return kind(m, i + 1) == '(';
    return (k == IDENT || k == TYPE) && open > 0 && kind(m, open - 1) == IDENT &&
           starts_statement(m, operand_start(m, i - 1));
}

/* The first token of the attribute on a line of its own that ends before token i; else i. Its sign
 * was taken for an operator. */
static int
attribute_before(const Mistake *m, int i)
{
    int sign = operand_start(m, i - 1) - 1;
    return kind(m, sign) == '@' && token(m, sign)->newlines ? sign : i;
}

static bool
no_semicolon(const Mistake *m)
{
    int i = attribute_before(m, m->i);
    int before = kind(m, i - 1);
    bool ends = ends_operand(m, i - 1) || before == BREAK || before == CONTINUE || before == RETURN;
    bool apart = token(m, i)->newlines || token(m, i)->comments.count || kind(m, i) == '}' ||
                 starts_anew(m, i);
    if (!ends || !expects(m, ';') || !apart)
        return false;
    const Token *t = token(m, i);
    const Comment *comment = t->comments.count ? &t->comments.items[0] : NULL;
    Span end = token(m, i - 1)->span;
    if (comment && comment->is_line && !comment->newlines &&
        memchr(comment->text, ';', (size_t)comment->bytes) && ends_operand(m, i - 1)) {
        Span slashes = {comment->span.from, comment->span.from + 2};
        Diag *d =
            diag(m->c, E0105, slashes,
                 "'//' starts a comment; integers are divided with '/', floordiv rounds down");
        diag_edit(d, slashes, "/");
        return true;
    }
    Diag *d = diag(m->c, E0105, (Span){end.to, end.to}, "';' is missing");
    diag_edit(d, (Span){end.to, end.to}, ";");
    return true;
}

bool
mistake_report(Compile *c, const Source *source, const Tokens *t, Span at, const Expected *expected)
{
    static bool (*const first[])(const Mistake *) = {
        words_for_signs,
        joined_signs,
        increment,
        static_call,
        launch_of_cuda,
        name_space,
        conditional,
        cast,
        assignment_in_condition,
        loop_of_c,
        inclusive_range,
        second_range,
        range_in_parentheses,
        step_of_cells,
        assignment_as_value,
        foreign_block,
        call_of_statement,
        indices_apart,
        slice,
        pairs_of_bounds,
        range_call,
        range_with_colon,
        NULL,
    };
    static bool (*const last[])(const Mistake *) = {
        condition_parentheses,
        condition_of_python,
        no_braces,
        else_behind,
        pointer_type,
        address_of,
        call_without_parentheses,
        no_semicolon,
        NULL,
    };
    Mistake m = {.c = c,
                 .source = source,
                 .all = t,
                 .t = t->items,
                 .i = tokens_at(t, at.from),
                 .last = t->count - 1,
                 .expected = expected};
    return mistake_in_braces(&m) || mistake_any(&m, first) || mistake_in_argument(&m) ||
           mistake_in_declaration(&m) || mistake_in_item(&m) || mistake_any(&m, last);
}
