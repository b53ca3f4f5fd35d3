/* Known mistakes in the syntax: operators, conditions, loops, and what is missing. */
#include "config.h"

#include "grammar/mistakes.h"

#include <ctype.h>

#include "grammar/mistakes_inside.h"
#include "grammar/recover.h"

enum { POWERS_MAX = 8 };

/* ---- operators ---- */

/* The last token of what a `not` of Python before token i denies: comparisons too, up to `and` and
 * `or`; -1 where the end of the line leaves that open. */
static int
denied_end(const Mistake *m, int i)
{
    static const char *const joining[] = {"and", "or", NULL};
    static const int ends[] = {';', ',', ')', ']', '{', '}', '?', ':', '=', IF, ELSE, LAND, LOR};
    for (int at = i - 1;; at++) {
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
            if (kind(m, at + 1) == ends[k])
                return at;
        if (is_one_of(m, at + 1, joining))
            return at;
        if (at + 1 >= m->last || token(m, at + 1)->newlines)
            return -1;
        if (token(m, at + 1)->match > at)
            at = token(m, at + 1)->match - 1;
    }
}

/* not a == b, seen at a */
static bool
denial(const Mistake *m)
{
    int i = m->i;
    if (!is_word(m, i - 1, "not"))
        return false;
    int end = denied_end(m, i);
    Diag *d = REPORT(i - 1, i - 1, "'not' is written !");
    Span word = {token(m, i - 1)->span.from, token(m, i)->span.from};
    if (end < 0)
        diag_fix(d, "!(…)");
    else if (operand_end(m, i) == end)
        diag_edit(d, word, "!");
    else
        diag_edit(d, span_of(m, i - 1, end), "!(%s)", text_of(m, i, end));
    return true;
}

static bool
words_for_signs(const Mistake *m)
{
    static const char *const rows[][2] = {{"and", "&&"}, {"or", "||"}, {"xor", "^"},
                                          {"mod", "%"},  {"div", "/"}, {"is", "=="}};
    int i = m->i;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (!is_word(m, i, rows[r][0]) || !ends_operand(m, i - 1))
            continue;
        bool differs = is_word(m, i, "is") && is_word(m, i + 1, "not");
        const char *sign = differs ? "!=" : rows[r][1];
        int end = differs ? i + 1 : i;
        diag_edit(REPORT(i, end, "'%s' is written %s", text_of(m, i, end), sign),
                  span_of(m, i, end), "%s", sign);
        return true;
    }
    return denial(m);
}

/* Two signs that are one elsewhere: -> <> ===, seen at the second or behind it. */
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
    return false;
}

/* Is the name a float wherever these tokens declare it? 0 where they do not. */
static int
declared_float(const Mistake *m, const char *name, int from, int to)
{
    static const int words[] = {LET, VAR, FOR, AUTO, CONST, ']', IDENT, TYPE};
    int found = 0;
    for (int i = from; i < to; i++) {
        if (!is_word(m, i, name))
            continue;
        const char *type = type_at(m, i - 1);
        bool is_float = type && *type == 'f';
        int around = kind(m, bracket_around(m, i));
        if (kind(m, i - 1) == ',' && around != '(' && around != '[')
            return -1; /* of a list of names */
        for (size_t k = 0; k < sizeof words / sizeof *words && !is_float; k++)
            if (kind(m, i - 1) == words[k])
                return -1;
        found = is_float ? 1 : found;
    }
    return found;
}

/* The same of what the function around token i declares, or else the file. */
static bool
is_float_name(const Mistake *m, int i)
{
    const char *name = text_of(m, i, i);
    int open = outermost_bracket(m, i);
    int here = declared_float(m, name, statement_start(m, open), token(m, open)->match);
    return (here ? here : declared_float(m, name, 0, m->last)) > 0;
}

/* Is the operand surely a float? */
static bool
is_float_operand(const Mistake *m, int from, int to)
{
    while (kind(m, from) == '-' || kind(m, from) == '+')
        from++;
    bool ends = from == to, behind = token(m, from + 1)->match == to;
    if (kind(m, from) == NUMBER)
        return ends && strchr(text_of(m, from, from), '.');
    if (behind && kind(m, from + 1) == '(')
        return type_at(m, from) && *type_at(m, from) == 'f';
    return kind(m, from) == IDENT && (ends || (behind && kind(m, from + 1) == '[')) &&
           is_float_name(m, from);
}

/* x ** 2 with x from one token to another: x * x, for integers too. False for other exponents, and
 * where x calls something. */
static bool
suggest_small_power(const Mistake *m, Diag *d, int from, int to)
{
    static const int binds[] = {'*', '/', '%', '@', '!', '~'};
    const char *x = text_of(m, from, to), *exponent = text_of(m, to + 3, to + 3);
    bool square = !strcmp(exponent, "2"), apart = false;
    if ((!square && strcmp(exponent, "3")) || operand_end(m, to + 3) != to + 3)
        return false;
    for (int i = from; i < to; i++)
        if (kind(m, i + 1) == '(' && ends_operand(m, i))
            return false;
    for (size_t k = 0; k < sizeof binds / sizeof *binds; k++)
        apart = apart || kind(m, from - 1) == binds[k];
    const char *product = arena_printf(m->c->arena, square ? "%s * %s" : "%s * %s * %s", x, x, x);
    diag_edit(d, span_of(m, from, to + 3), apart ? "(%s)" : "%s", product);
    return true;
}

static bool
is_power(const Mistake *m, int i)
{
    return kind(m, i) == '*' && kind(m, i + 1) == '*' && is_adjacent(m, i);
}

/* a ** b ** c, which is a ** (b ** c); seen at the second sign */
static bool
power(const Mistake *m)
{
    int i = m->i - 1, ends[POWERS_MAX + 1], count = 0, end = i - 1;
    if (!is_power(m, i) || !ends_operand(m, i - 1))
        return false;
    int from = operand_start(m, i - 1);
    Diag *d = REPORT(i, i + 1, "there is no operator '**'; powers are pow(x, y)");
    bool fine = true;
    ends[count++] = end;
    while (is_power(m, end + 1) && count <= POWERS_MAX) {
        bool has_sign = !ends_operand(m, end + 3) && kind(m, end + 3) != '(';
        end = ends[count++] = operand_end(m, end + 3);
        fine = fine && !(has_sign && is_power(m, end + 1)); /* -b ** c is -(b ** c) */
    }
    if (count == 2 && suggest_small_power(m, d, from, i - 1))
        return true;
    const char *text = text_of(m, ends[count - 2] + 3, end);
    fine = fine && !is_power(m, end + 1) &&
           (is_float_operand(m, ends[count - 2] + 3, end) ||
            is_float_operand(m, count > 2 ? ends[count - 3] + 3 : from, ends[count - 2]));
    for (int k = count - 2; k >= 0; k--)
        text = arena_printf(m->c->arena, "pow(%s, %s)",
                            text_of(m, k ? ends[k - 1] + 3 : from, ends[k]), text);
    if (fine)
        diag_edit(d, span_of(m, from, end), "%s", text);
    else
        diag_fix(d, "pow(x, y) for floats, a product such as n * n for integers");
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
    diag_edit(d, span_of(m, i - 1, i), "%s[]%s", type_at(m, i - 1), is_adjacent(m, i) ? " " : "");
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

/* a if c else b: what stands behind `else` stays. */
static bool
conditional(const Mistake *m)
{
    static const int starts[] = {'=', ASSIGN_OP, RETURN, ',', '(', '[', ':', IN, DOTDOT};
    int i = m->i, otherwise = kind(m, i) == IF ? find_ahead(m, i, ELSE) : -1, from = i;
    bool starts_value = false;
    if (otherwise < 0 || !ends_operand(m, i - 1) || find_ahead(m, i, '{') > 0)
        return false;
    while (!starts_value && !starts_statement(m, from)) {
        for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
            starts_value = starts_value || kind(m, from - 1) == starts[k];
        if (!starts_value)
            from = token(m, from - 1)->match >= 0 ? token(m, from - 1)->match : from - 1;
    }
    Diag *d = REPORT(i, i, "a choice between values is written condition ? a : b");
    int second = find_ahead(m, i + 1, IF);
    if (starts_value && (second < 0 || second > otherwise))
        diag_edit(d, span_of(m, from, otherwise), "%s ? %s :", text_of(m, i + 1, otherwise - 1),
                  text_of(m, from, i - 1));
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
    int start = statement_start(m, m->i - 1), end;
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
    Diag *d = REPORT(m->i, m->i, "a condition compares with '=='; '=' assigns");
    bool compares = true;
    for (int i = m->i; i < token(m, around)->match; i++)
        compares = compares && kind(m, i) != '('; /* if ((n = f()) > 0) means what it says */
    if (compares)
        diag_edit(d, span_of(m, m->i, m->i), "==");
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
    diag_fix(REPORT(i, i, "a range is written from..to, and its end is not part of it"), "..");
    return true;
}

/* Reports that the statement at `from` behind the word at `after` needs braces; false when it is
 * none. */
static bool
report_no_braces(const Mistake *m, int after, int from)
{
    int k = kind(m, from), end = after < 0 ? -1 : statement_end(m, from, STATEMENT_DEPTH);
    if (end < m->i || k == '(' ||
        (!ends_operand(m, from) && !is_condition_word(m, from) && k != FOR && k != BREAK &&
         k != CONTINUE && k != RETURN))
        return false;
    Diag *d = REPORT(from, from, "what belongs to '%s' stands in braces", text_of(m, after, after));
    diag_edit(d, span_of(m, from, end), "{ %s }", text_of(m, from, end));
    return true;
}

/* The `for` in whose head token i may stand, -1 when there is none. */
static int
loop_before(const Mistake *m, int i)
{
    while (i > 0 && kind(m, i) != ';' && kind(m, i) != '{' && kind(m, i) != '}' &&
           kind(m, i) != FOR)
        i--;
    return kind(m, i) == FOR ? i : -1;
}

/* A statement where a block is needed: after if (…), while (…), else, for … in … */
static bool
no_braces(const Mistake *m)
{
    int i = m->i, before = kind(m, i - 1), after;
    if (!expects(m, '{'))
        return false;
    if (before == ELSE)
        after = i - 1;
    else if (before == ')' && is_condition_word(m, token(m, i - 1)->match - 1))
        after = token(m, i - 1)->match - 1;
    else
        after = loop_before(m, i - 1);
    return report_no_braces(m, after, i);
}

/* for i in 0..n x[i] = 1.0; whose x is taken for the word step */
static bool
no_braces_behind_range(const Mistake *m)
{
    int after = loop_before(m, m->i - 1), dots = after < 0 ? -1 : find_ahead(m, after, DOTDOT);
    for (int at = dots + 2; dots > 0 && at < m->last && at <= m->i; at++) {
        if (token(m, at - 1)->match >= at)
            at = token(m, at - 1)->match + 1;
        if (kind(m, at) == IDENT && ends_operand(m, at - 1))
            return at < m->i && !is_word(m, at, "step") && report_no_braces(m, after, at);
    }
    return false;
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
        diag_fix(d, "%s %s %s; first, or atomic_%s(%s, %s), which gives the value before",
                 text_of(m, from, i - 1), sign, text_of(m, i + 1, to), *sign == '+' ? "add" : "sub",
                 text_of(m, from, i - 1), text_of(m, i + 1, to));
    else
        diag_fix(d, "%s %s %s; first", text_of(m, from, i - 1), sign, text_of(m, i + 1, to));
    return true;
}

/* parallel for i in x { … }, foreach i in x { … }, for i = 0..8 { … } */
static bool
word_of_loop(const Mistake *m)
{
    static const char *const drop[] = {"parallel", "sequential", NULL};
    int i = m->i, start = statement_start(m, i);
    if (kind(m, i) == FOR && is_one_of(m, i - 1, drop) && starts_statement(m, i - 1)) {
        Diag *d = REPORT(i - 1, i - 1, "a loop at the top of a kernel is parallel, others are not");
        if (is_word(m, i - 1, "parallel"))
            diag_edit(d, (Span){token(m, i - 1)->span.from, token(m, i)->span.from}, "%s", "");
        else
            diag_fix(d, "@serial for");
    } else if (kind(m, i) == IN && is_word(m, start, "foreach") && kind(m, start + 1) == IDENT) {
        diag_edit(REPORT(start, start, "a loop is written: for i in x { … }"),
                  span_of(m, start, start), "for");
    } else if (kind(m, i) == '=' && kind(m, i - 2) == FOR) {
        Diag *d = REPORT(i, i, "a loop is written: for i in from..to { … }");
        if (find_ahead(m, i, DOTDOT) > 0)
            diag_edit(d, span_of(m, i, i), "in");
    } else if ((kind(m, i) == FOR || kind(m, i) == IF) && m->expected->item) {
        const char *word = text_of(m, i, i);
        diag_fix(REPORT(i, i, "outside of functions stands a static %s", word), "static %s", word);
    } else
        return false;
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

/* n // 2; of Python, whose divisor is taken for a comment before token i */
static bool
floor_division(const Mistake *m, int i)
{
    const Token *t = token(m, i);
    const Comment *comment = t->comments.count ? &t->comments.items[0] : NULL;
    if (!comment || !comment->is_line || comment->newlines || !ends_operand(m, i - 1) ||
        !memchr(comment->text, ';', (size_t)comment->bytes))
        return false;
    const char *text = arena_strndup(m->c->arena, comment->text, (size_t)comment->bytes),
               *by = text + strspn(text, "/ ");
    size_t word = 0;
    while (isalnum((unsigned char)by[word]) || by[word] == '_' || by[word] == '.')
        word++;
    int from = operand_start(m, i - 1);
    while (kind(m, from - 1) == '*' || kind(m, from - 1) == '/' || kind(m, from - 1) == '%')
        from = operand_start(m, from - 2);
    if (kind(m, from - 1) == '-' && !ends_operand(m, from - 2))
        from--;
    Diag *d = diag(m->c, E0105, (Span){comment->span.from, comment->span.from + 2},
                   "'//' starts a comment; the quotient that is rounded down is floordiv(a, b)");
    const char *rest = by + word + (by[word] == ';');
    rest += strspn(rest, " ");
    uint32_t end = comment->span.from + (uint32_t)(by + word + 1 - text);
    if (word && by[word] == ';' && (!*rest || !strncmp(rest, "//", 2)))
        diag_edit(d, (Span){token(m, from)->span.from, end}, "floordiv(%s, %.*s);",
                  text_of(m, from, i - 1), (int)word, by);
    return true;
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
    if (floor_division(m, i))
        return true;
    Span end = token(m, i - 1)->span;
    Diag *d = diag(m->c, E0105, (Span){end.to, end.to}, "';' is missing");
    diag_edit(d, (Span){end.to, end.to}, ";");
    return true;
}

bool
mistake_report(Compile *c, const Source *source, const Tokens *t, Span at, const Expected *expected)
{
    static bool (*const first[])(const Mistake *) = {
        no_braces_behind_range,
        words_for_signs,
        joined_signs,
        power,
        increment,
        static_call,
        launch_of_cuda,
        name_space,
        conditional,
        cast,
        assignment_in_condition,
        mistake_in_loop,
        assignment_as_value,
        word_of_loop,
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
    return mistake_of_python(&m) || mistake_in_braces(&m) || mistake_any(&m, first) ||
           mistake_in_argument(&m) || mistake_in_declaration(&m) || mistake_in_item(&m) ||
           mistake_in_list(&m) || mistake_any(&m, last);
}
