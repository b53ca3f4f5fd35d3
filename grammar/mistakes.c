/* Known mistakes in the syntax. A function for each looks at the tokens around the unexpected one and reports it, or returns false. */
#include "config.h"

#include "grammar/mistakes.h"

#include <string.h>

#include "ast/elsewhere.h"
#include "base/near.h"
#include "grammar/recover.h"
#include "parse.h"

enum { STATEMENT_DEPTH = 50 };

typedef struct {
    Compile *c;
    const Source *source;
    const Token *t; /* all tokens */
    int i, last;    /* the unexpected one; the last one, END */
    const Expected *expected;
} Mistake;

/* ---- tokens ---- */

static const Token *
token(const Mistake *m, int i)
{
    return &m->t[i < 0 ? m->last : i < m->last ? i : m->last]; /* before the first one: END, which matches nothing either */
}

static int
kind(const Mistake *m, int i)
{
    return token(m, i)->kind;
}

static bool
is_word(const Mistake *m, int i, const char *text)
{
    return kind(m, i) == IDENT && token_is(token(m, i), text);
}

static bool
is_one_of(const Mistake *m, int i, const char *const *words)
{
    for (; *words; words++)
        if (is_word(m, i, *words))
            return true;
    return false;
}

/* True when nothing stands between the two tokens. */
static bool
is_adjacent(const Mistake *m, int i)
{
    return token(m, i)->span.to == token(m, i + 1)->span.from;
}

static Span
span_of(const Mistake *m, int from, int to)
{
    return (Span){token(m, from)->span.from, token(m, to)->span.to};
}

/* The text from one token to another. */
static const char *
text_of(const Mistake *m, int from, int to)
{
    Span s = span_of(m, from, to);
    return s.to <= s.from ? "" : arena_strndup(m->c->arena, m->source->text + (s.from - m->source->base), s.to - s.from);
}

static bool
expects(const Mistake *m, char sign)
{
    return strchr(m->expected->signs, sign) != NULL;
}

static bool
ends_operand(const Mistake *m, int i)
{
    int k = kind(m, i);
    return k == IDENT || k == NODE || k == TYPE || k == NUMBER || k == STRING || k == TRUE || k == FALSE || k == ')' || k == ']';
}

/* The first token of the operand that ends at i, such as f(x)[2].y. */
static int
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
static int
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

/* The next token of a kind on the same level of brackets, -1 when there is none before the statement ends. */
static int
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

/* The last token of the statement that starts at i, -1 when it has no end, or statements in it more than `depth` deep. */
static int
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
    if (k == FOR)
        at = find_ahead(m, i, '{');
    else if (kind(m, at) == '(' && token(m, at)->match > 0)
        at = token(m, at)->match + 1;
    int end = at < 0 || at >= m->last ? -1 : statement_end(m, at, depth - 1);
    if (end >= 0 && kind(m, end + 1) == ELSE)
        end = statement_end(m, end + 2, depth - 1);
    return end;
}

/* The opening bracket around token i, -1 when there is none. */
static int
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

static bool
starts_statement(const Mistake *m, int i)
{
    int before = i > 0 ? kind(m, i - 1) : ';';
    return before == ';' || before == '{' || before == '}';
}

/* The type that a token means here or elsewhere, NULL for none. */
static const char *
type_at(const Mistake *m, int i)
{
    if (kind(m, i) == TYPE)
        return text_of(m, i, i);
    return kind(m, i) == IDENT ? type_elsewhere(text_of(m, i, i)) : NULL;
}

#define REPORT(from, to, ...) diag(m->c, E0105, span_of(m, from, to), __VA_ARGS__)

/* ---- operators ---- */

static bool
words_for_signs(const Mistake *m)
{
    static const char *const rows[][2] = {{"and", "&&"}, {"or", "||"}, {"xor", "^"}, {"mod", "%"}, {"div", "/"}, {"not", "!"}, {"is", "=="}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        bool prefix = !strcmp(rows[r][1], "!");
        int at = prefix ? m->i - 1 : m->i;
        if (!is_word(m, at, rows[r][0]) || (!prefix && !ends_operand(m, m->i - 1)))
            continue;
        Span place = span_of(m, at, at);
        if (prefix)
            place.to = token(m, m->i)->span.from;
        diag_edit(REPORT(at, at, "'%s' is written %s", rows[r][0], rows[r][1]), place, "%s", rows[r][1]);
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
        diag_edit(REPORT(i - 1, i, "members stand behind '.'; there are no pointers"), span_of(m, i - 1, i), ".");
        return true;
    }
    if (a == '<' && b == '>') {
        diag_edit(REPORT(i - 1, i, "'not equal' is written !="), span_of(m, i - 1, i), "!=");
        return true;
    }
    if ((a == EQ || a == NE) && b == '=') {
        diag_edit(REPORT(i - 1, i, "'%s' has one '='", a == EQ ? "==" : "!="), span_of(m, i, i), "%s", "");
        return true;
    }
    if (a != '*' || b != '*')
        return false;
    int from = operand_start(m, i - 2), to = operand_end(m, i + 1);
    diag_edit(REPORT(i - 1, i, "there is no operator '**'; powers are pow(x, y)"), span_of(m, from, to), "pow(%s, %s)",
              text_of(m, from, i - 2), text_of(m, i + 1, to));
    return true;
}

static bool
increment(const Mistake *m)
{
    int i = m->i, sign = kind(m, i - 1);
    if ((sign != '+' && sign != '-') || kind(m, i - 2) != sign || !is_adjacent(m, i - 2) || !ends_operand(m, i - 3))
        return false;
    Diag *d = REPORT(i - 2, i - 1, "there is no operator '%c%c'", sign, sign);
    if (starts_statement(m, operand_start(m, i - 3)) && kind(m, i) == ';')
        diag_edit(d, span_of(m, i - 2, i - 1), " %c= 1", sign);
    else
        diag_fix(d, "%s %c= 1; as a statement of its own", text_of(m, operand_start(m, i - 3), i - 3), sign);
    return true;
}

static bool
address_of(const Mistake *m)
{
    int k = kind(m, m->i);
    if ((k != '&' && k != '*') || ends_operand(m, m->i - 1))
        return false;
    Diag *d = REPORT(m->i, m->i, "there are no pointers; an inout argument is handed over as it is");
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
    Diag *d = REPORT(i - 1, i, "there are no pointers; an array is %s[], a variable of the caller inout %s", type_at(m, i - 1), type_at(m, i - 1));
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
    diag_edit(d, span_of(m, i - 3, end), wrapped ? "%s%s" : "%s(%s)", type_at(m, i - 2), text_of(m, i, end));
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
    while (from > 0 && kind(m, from - 1) != '=' && kind(m, from - 1) != RETURN && kind(m, from - 1) != ',' &&
           kind(m, from - 1) != '(' && kind(m, from - 1) != '[' && !starts_statement(m, from))
        from = token(m, from - 1)->match >= 0 ? token(m, from - 1)->match : from - 1;
    while (to + 1 < m->last && kind(m, to + 1) != ';' && kind(m, to + 1) != ',' && kind(m, to + 1) != ')' && kind(m, to + 1) != ']')
        to = token(m, to + 1)->match > to ? token(m, to + 1)->match : to + 1;
    Diag *d = REPORT(i, i, "a choice between values is written condition ? a : b");
    diag_edit(d, span_of(m, from, to), "%s ? %s : %s", text_of(m, i + 1, otherwise - 1), text_of(m, from, i - 1),
              text_of(m, otherwise + 1, to));
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
    diag_edit(REPORT(m->i, m->i, "a condition compares with '=='; '=' assigns"), span_of(m, m->i, m->i), "==");
    return true;
}

/* if c { … }, if (a) && (b) { … } */
static bool
condition_parentheses(const Mistake *m)
{
    int i = m->i, from = is_condition_word(m, i - 1) ? i : -1;
    if (kind(m, i - 1) == ')' && !ends_operand(m, i) && is_condition_word(m, token(m, i - 1)->match - 1) && kind(m, i) != '{')
        from = token(m, i - 1)->match;
    int brace = from < 0 ? -1 : find_ahead(m, from, '{');
    if (brace <= from || is_condition_word(m, i) || kind(m, i) == FOR)
        return false;
    Diag *d = REPORT(i, i, "a condition stands in parentheses");
    diag_edit(d, span_of(m, from, brace - 1), "(%s)", text_of(m, from, brace - 1));
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
        for (int k = i - 1; k > 0 && kind(m, k) != ';' && kind(m, k) != '{' && kind(m, k) != '}' && after < 0; k--)
            if (kind(m, k) == FOR)
                after = k;
    int end = after < 0 ? -1 : statement_end(m, i, STATEMENT_DEPTH);
    if (end < 0 || kind(m, i) == '(' || (!ends_operand(m, i) && !is_condition_word(m, i) && kind(m, i) != FOR &&
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

/* The text of an expression that something is added to: in parentheses, unless it is one operand. */
static const char *
text_of_term(const Mistake *m, int from, int to)
{
    const char *text = text_of(m, from, to);
    return operand_end(m, from) == to ? text : arena_printf(m->c->arena, "(%s)", text);
}

/* The bounds of `i < n`, `i >= n`: the text of the end of the range, NULL when it is another condition. */
static const char *
loop_bound(const Mistake *m, const char *name, int from, int to)
{
    int op = kind(m, from + 1);
    if (!is_word(m, from, name) || to < from + 2)
        return NULL;
    if (op == '<' || op == '>' || op == NE)
        return text_of(m, from + 2, to);
    const char *bound = text_of_term(m, from + 2, to);
    return op == LE ? arena_printf(m->c->arena, "%s + 1", bound) : op == GE ? arena_printf(m->c->arena, "%s - 1", bound) : NULL;
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
    const char *sign = token_is(token(m, from + 1), "+=") ? "" : token_is(token(m, from + 1), "-=") ? "-" : NULL;
    return sign ? arena_printf(m->c->arena, " step %s%s", sign, *sign ? text_of_term(m, from + 2, to) : text_of(m, from + 2, to)) : NULL;
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
    Diag *d = REPORT(open, open, "a loop is written: for i in from..to { … }, or with a step: for i in from..to step 2 { … }");
    if (end && step)
        diag_edit(d, span_of(m, open, close), "%s in %s..%s%s", word, text_of(m, name + 2, first - 1), end, step);
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

/* Words that open blocks elsewhere; they are read as calls or names. */
static bool
foreign_block(const Mistake *m)
{
    static const char *const elif[] = {"elif", "elseif", "elsif", NULL}, *const loop[] = {"do", "loop", "repeat", "forever", NULL};
    int i = m->i, word = kind(m, i - 1) == ')' && token(m, i - 1)->match > 0 ? token(m, i - 1)->match - 1 : i - 1;
    if (kind(m, i) == IN) /* foreach (i in x) */
        word = bracket_around(m, i) - 1;
    else if (kind(m, i) != '{')
        return false;
    if (ends_operand(m, word - 1) && !starts_statement(m, word)) /* match a { */
        word--;
    if (is_one_of(m, word, elif)) {
        diag_edit(REPORT(word, word, "'%s' is written else if", text_of(m, word, word)), span_of(m, word, word), "else if");
    } else if (is_one_of(m, word, loop)) {
        Diag *d = REPORT(word, word, "there is no '%s'", text_of(m, word, word));
        diag_fix(d, "while (true) { … if (!condition) { break; } }");
    } else if (is_word(m, word, "switch") || is_word(m, word, "match")) {
        diag_fix(REPORT(word, word, "there is no '%s'", text_of(m, word, word)), "if (n == 1) { … } else if (n == 2) { … }");
    } else if (is_word(m, word, "foreach")) {
        diag_fix(REPORT(word, word, "a loop is written: for i in x { … }"), "for");
    } else
        return false;
    return true;
}

/* ---- declarations in bodies ---- */

static bool
local_const(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i) != CONST || !m->expected->statement)
        return false;
    if (kind(m, i + 1) == IDENT && kind(m, i + 2) == '=') {
        diag_edit(REPORT(i, i, "a value that does not change is declared with let"), span_of(m, i, i), "let");
    } else {
        Span rest = {token(m, i)->span.from, token(m, i + 1)->span.from};
        diag_edit(REPORT(i, i, "'const' stands only outside of functions"), rest, "%s", "");
    }
    return true;
}

static bool
local_field(const Mistake *m)
{
    if (kind(m, m->i) != FIELD || !m->expected->statement)
        return false;
    Diag *d = REPORT(m->i, m->i, "fields stand outside of functions; in one there are local arrays");
    diag_edit(d, (Span){token(m, m->i)->span.from, token(m, m->i + 1)->span.from}, "%s", "");
    return true;
}

/* A function, type or layout inside a function: declared there, or it is the end of the function that is missing. */
static bool
local_item(const Mistake *m)
{
    int i = m->i, open = i - 1;
    if (!m->expected->statement || !opens_item(kind(m, i)))
        return false;
    while (open >= 0 && !(kind(m, open) == '{' && token(m, open)->match < 0))
        open--;
    REPORT(i, i, open >= 0 ? "'}' is missing before '%s'" : "'%s' stands only outside of functions", text_of(m, i, i));
    return true;
}

/* let a: f32 = 1, f(a: f32), a := 1 */
static bool
type_behind(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i) != ':' || kind(m, i - 1) != IDENT)
        return false;
    if (kind(m, i + 1) == '=' && is_adjacent(m, i) && starts_statement(m, i - 1)) {
        diag_edit(REPORT(i, i + 1, "a variable is declared with var, let or its type"), span_of(m, i - 1, i + 1), "var %s =",
                  text_of(m, i - 1, i - 1));
        return true;
    }
    bool declared = kind(m, i - 2) == LET || kind(m, i - 2) == VAR, param = kind(m, i - 2) == '(' || kind(m, i - 2) == ',';
    const char *type = type_at(m, i + 1);
    if (!type || (!declared && !param))
        return false;
    Diag *d = REPORT(i, i, "a type stands before the name");
    diag_edit(d, span_of(m, declared ? i - 2 : i - 1, i + 1), "%s %s", type, text_of(m, i - 1, i - 1));
    return true;
}

/* unsigned int n */
static bool
two_word_type(const Mistake *m)
{
    static const char *const rows[][3] = {
        {"unsigned", "char", "u8"}, {"unsigned", "short", "u16"}, {"unsigned", "int", "u32"}, {"unsigned", "long", "u64"},
        {"signed", "char", "i8"},   {"signed", "int", "i32"},     {"short", "int", "i16"},    {"long", "int", "i64"},
        {"long", "long", "i64"},    {"long", "double", "f64"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (!is_word(m, m->i - 2, rows[r][0]) || !is_word(m, m->i - 1, rows[r][1]))
            continue;
        diag_edit(REPORT(m->i - 2, m->i - 1, "the type is called %s", rows[r][2]), span_of(m, m->i - 2, m->i - 1), "%s", rows[r][2]);
        return true;
    }
    return false;
}

/* f32[3] w */
static bool
size_behind_type(const Mistake *m)
{
    int i = m->i, open = kind(m, i - 1) == ']' ? token(m, i - 1)->match : -1;
    if (kind(m, i) != IDENT || open < 1 || !type_at(m, open - 1))
        return false;
    diag_edit(REPORT(open, i - 1, "the size of an array stands behind its name"), span_of(m, open, i), " %s%s", text_of(m, i, i),
              text_of(m, open, i - 1));
    return true;
}

/* True in a declaration such as `f32 w[2] = …`. */
static bool
is_declaration(const Mistake *m, int i)
{
    while (i > 0 && !starts_statement(m, i))
        i--;
    return kind(m, i) == TYPE || kind(m, i) == CONST || (kind(m, i) == IDENT && kind(m, i + 1) == IDENT);
}

/* v = [1, 2], v = { 1, 2 } */
static bool
list_as_value(const Mistake *m)
{
    int i = m->i, match = token(m, i)->match, count = 1;
    if ((kind(m, i) != '[' && kind(m, i) != '{') || kind(m, i - 1) != '=' || match <= i + 1 || is_declaration(m, i - 1))
        return false;
    for (int at = find_ahead(m, i + 1, ','); at > 0 && at < match; at = find_ahead(m, at + 1, ','))
        count++;
    diag_fix(REPORT(i, match, "a vector or struct is made by its type"), "f32x%d(%s)", count, text_of(m, i + 1, match - 1));
    return true;
}

/* = [1, 2], P{1, 2}, x(8), dense i(8) */
static bool
wrong_brackets(const Mistake *m)
{
    int i = m->i, match = token(m, i)->match;
    if (match < i)
        return false;
    const char *inner = match > i + 1 ? text_of(m, i + 1, match - 1) : "";
    if (kind(m, i) == '[' && kind(m, i - 1) == '=')
        diag_edit(REPORT(i, i, "a list of values stands in braces"), span_of(m, i, match), "{ %s }", inner);
    else if (kind(m, i) == '(' && kind(m, match + 1) == '{' && expects(m, ';'))
        REPORT(i - 1, i - 1, "functions stand outside of functions");
    else if (kind(m, i) == '(' && expects(m, '[') && kind(m, i - 1) == IDENT)
        diag_edit(REPORT(i, i, "sizes stand in square brackets"), span_of(m, i, match), "[%s]", inner);
    else if (kind(m, i) == '{' && kind(m, i - 1) == IDENT && expects(m, ';') && !starts_statement(m, i - 1))
        diag_edit(REPORT(i, i, "a struct is made with parentheses"), span_of(m, i, match), "(%s)", inner);
    else
        return false;
    return true;
}

/* ---- layouts ---- */

static bool
no_place(const Mistake *m)
{
    int i = m->i;
    if ((kind(m, i) != ';' && kind(m, i) != ',') || kind(m, i - 1) != IDENT || !starts_statement(m, i - 1) || !expects(m, ':'))
        return false;
    Span at = token(m, i - 1)->span;
    diag_edit(REPORT(i - 1, i - 1, "fields are placed with the word place"), (Span){at.from, at.from}, "place ");
    return true;
}

static bool
unknown_node(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i) != IDENT || kind(m, i - 1) != IDENT || kind(m, i + 1) != '[' || !expects(m, ':'))
        return false;
    const char *word = text_of(m, i - 1, i - 1);
    Nearest near = nearest_to(word);
    near.distance++; /* there are few kinds: bitmask is one */
    for (int k = 0; k < NODE_KIND_COUNT; k++)
        nearest_try(&near, node_kind_name((NodeKind)k));
    Diag *d = REPORT(i - 1, i - 1, "there is no kind of node '%s'; it is dense, bitmasked, pointer, dynamic or hash", word);
    if (near.found)
        diag_edit(d, span_of(m, i - 1, i - 1), "%s", near.found);
    return true;
}

/* ---- items ---- */

/* What stands behind # up to the end of the line. */
static bool
preprocessor(const Mistake *m)
{
    int i = m->i, end = i;
    if (kind(m, i) != '#' || (!m->expected->item && !m->expected->statement))
        return false;
    while (end + 1 < m->last && !token(m, end + 1)->newlines)
        end++;
    if (is_word(m, i + 1, "include") && kind(m, i + 2) == STRING) {
        diag_edit(REPORT(i, i + 1, "there is no preprocessor; files are imported"), span_of(m, i, i + 2), "import %s;", text_of(m, i + 2, i + 2));
    } else if (is_word(m, i + 1, "define") && end > i + 2 && kind(m, i + 2) == IDENT && m->expected->item) {
        diag_edit(REPORT(i, i + 1, "there is no preprocessor; a constant is declared with const"), span_of(m, i, end), "const %s = %s;",
                  text_of(m, i + 2, i + 2), text_of(m, i + 3, end));
    } else if (is_word(m, i + 1, "include") || is_word(m, i + 1, "define") || is_word(m, i + 1, "pragma") || kind(m, i + 1) == IF) {
        diag_fix(REPORT(i, i + 1, "there is no preprocessor"), "import, const, static if");
    } else if (token(m, i)->newlines || i == 0)
        diag_edit(REPORT(i, i, "a comment starts with //"), span_of(m, i, i), "//");
    else
        return false;
    return true;
}

static bool
function_words(const Mistake *m)
{
    static const char *const words[] = {"void", "function", "fn", "def", "fun", "proc", NULL};
    int i = m->i;
    if (m->expected->item && is_one_of(m, i, words)) {
        Diag *d = REPORT(i, i, "a function starts with func, kernel or host");
        diag_edit(d, span_of(m, i, i), "func");
        return true;
    }
    if (m->expected->item && type_at(m, i) && kind(m, i + 1) == IDENT && kind(m, i + 2) == '(') {
        Diag *d = REPORT(i, i, "a function starts with func, kernel or host");
        diag_edit(d, (Span){token(m, i)->span.from, token(m, i)->span.from}, "func ");
        return true;
    }
    if (m->expected->item && type_at(m, i) && kind(m, i + 1) == IDENT) {
        Diag *d = REPORT(i, i, "there are no variables outside of functions");
        diag_fix(d, "const for a constant, param for a value set at the start, field %s %s[] for one that changes", type_at(m, i),
                 text_of(m, i + 1, i + 1));
        return true;
    }
    if (kind(m, i) == ')' && is_word(m, i - 1, "void") && kind(m, i - 2) == '(') {
        diag_edit(REPORT(i - 1, i - 1, "a function without parameters is written with ()"), span_of(m, i - 1, i - 1), "%s", "");
        return true;
    }
    return false;
}

/* func T f<T>(T a) */
static bool
type_parameter(const Mistake *m)
{
    if (kind(m, m->i) != '<' || kind(m, m->i - 1) != IDENT || !expects(m, '('))
        return false;
    diag_fix(REPORT(m->i, m->i, "types of generic functions have no names"), "func auto %s(auto a)", text_of(m, m->i - 1, m->i - 1));
    return true;
}

/* func f(f32 a) -> f32 { … } */
static bool
result_behind(const Mistake *m)
{
    int i = m->i, open = kind(m, i - 1) == ')' ? token(m, i - 1)->match : -1;
    if (kind(m, i) != '-' || kind(m, i + 1) != '>' || open < 1 || !type_at(m, i + 2))
        return false;
    Diag *d = REPORT(i, i + 1, "the type of the result stands before the name");
    diag_edit(d, span_of(m, open - 1, i + 2), "%s %s", type_at(m, i + 2), text_of(m, open - 1, i - 1));
    return true;
}

/* import parts.shapes; */
static bool
import_of_name(const Mistake *m)
{
    int i = m->i, end = find_ahead(m, i, ';');
    if (kind(m, i) != IDENT || kind(m, i - 1) != IMPORT || end < 0)
        return false;
    Text path;
    text_init(&path, m->c->arena);
    for (int k = i; k < end; k++)
        text_add(&path, "%s", kind(m, k) == '.' ? "/" : text_of(m, k, k));
    Diag *d = REPORT(i, end - 1, "what is imported is a file: a name in quotes");
    diag_edit(d, span_of(m, i, end - 1), "\"%s.snl\"", path.data);
    return true;
}

/* kernel f(): */
static bool
colon_for_braces(const Mistake *m)
{
    if (kind(m, m->i) != ':' || !expects(m, '{'))
        return false;
    diag_fix(REPORT(m->i, m->i, "a block stands in braces"), "{ … }");
    return true;
}

/* let a = 1, b = 2; */
static bool
second_let(const Mistake *m)
{
    int i = m->i, start = i;
    if (kind(m, i) != ',' || kind(m, i + 1) != IDENT || kind(m, i + 2) != '=' || !expects(m, ';'))
        return false;
    while (start > 0 && !starts_statement(m, start))
        start--;
    if (kind(m, start) != LET && kind(m, start) != VAR)
        return false;
    const char *word = text_of(m, start, start);
    diag_edit(REPORT(i, i, "a '%s' names one value", word), span_of(m, i, i), "; %s", word);
    return true;
}

/* int main() */
static bool
main_of_c(const Mistake *m)
{
    int i = m->i;
    bool typed = (kind(m, i) == IDENT || kind(m, i) == TYPE) && kind(m, i + 1) == MAIN;
    int name = typed ? i + 1 : i - 1;
    if (!(typed && m->expected->item) && !(kind(m, i) == '(' && kind(m, name) == MAIN))
        return false;
    int end = kind(m, name + 1) == '(' ? token(m, name + 1)->match : name;
    if (end < name)
        return false;
    diag_edit(REPORT(i, i, "main has no type and no parameters"), span_of(m, typed ? i : name, end), "main");
    return true;
}

static bool
is_keyword(int token)
{
    switch (token) {
#define KEYWORD(token, spelling) case token:
#include "ast/keywords.def"
#undef KEYWORD
        return true;
    default: return false;
    }
}

/* Do the tokens around i make it a name that is declared? */
static bool
is_declared_at(const Mistake *m, int i)
{
    int before = kind(m, i - 1), next = kind(m, i + 1);
    bool function = before == KERNEL || before == FUNC || before == HOST;
    if (before == TYPE) {
        before = kind(m, i - 2);
        function = before == KERNEL || before == FUNC || before == HOST;
        return next == '(' ? function : next == '=' || next == ';' || next == ',' || next == '[' || next == ')';
    }
    if (before == ',')
        return (next == ';' || next == ',' || next == '[' || next == '=') && is_declaration(m, i - 1);
    return (function && next == '(') || ((before == LET || before == VAR) && next == '=') || (before == STRUCT && next == '{') ||
           (before == FOR && (next == IN || next == ','));
}

/* i32 place = 1; n += place; */
static bool
keyword_for_name(const Mistake *m)
{
    int i = m->i, next = kind(m, i + 1);
    if (!is_keyword(kind(m, i)))
        return false;
    bool used = m->expected->expression && !starts_statement(m, i) && kind(m, i) != IN && next != STRING && next != IDENT && next != TYPE &&
                next != '(' && next != '{';
    if (!used && !(starts_statement(m, i) && next == '=') && !is_declared_at(m, i))
        return false;
    const char *word = text_of(m, i, i);
    diag_edit(REPORT(i, i, "'%s' is a word of the language and cannot be a name", word), span_of(m, i, i), "%s_", word);
    return true;
}

/* What a declaration cannot be: field f32 x = 0; let n; dense i[4][4] */
static bool
no_such_declaration(const Mistake *m)
{
    int i = m->i, start = i;
    while (start > 0 && !starts_statement(m, start))
        start--;
    int first = kind(m, start);
    if (first == FIELD && kind(m, i) == '=') {
        diag_fix(REPORT(i, i, "a field is given no value where it is declared"),
                 "fill(field, value) in host code, or @ambient(value) before it for cells that are not active");
    } else if ((first == LET || first == VAR) && kind(m, i) == ';' && i == start + 2) {
        diag_fix(REPORT(i, i, "a '%s' needs a value, which gives it its type", text_of(m, start, start)), "with a type instead: i32 %s;",
                 text_of(m, i - 1, i - 1));
    } else if (kind(m, i) == '[' && kind(m, i - 1) == ']' && expects(m, '{')) {
        diag_fix(REPORT(i, i, "all sizes of a node stand in one pair of brackets, with a letter for each"), "dense ij[4, 8] { … }");
    } else {
        return false;
    }
    return true;
}

/* ---- what is missing ---- */

static bool
no_semicolon(const Mistake *m)
{
    int i = m->i;
    int before = kind(m, i - 1);
    bool ends = ends_operand(m, i - 1) || before == BREAK || before == CONTINUE || before == RETURN;
    if (!ends || !expects(m, ';') || (!token(m, i)->newlines && token(m, i)->comments.count == 0 && kind(m, i) != '}'))
        return false;
    const Token *t = token(m, i);
    const Comment *comment = t->comments.count ? &t->comments.items[0] : NULL;
    Span end = token(m, i - 1)->span;
    if (comment && comment->is_line && !comment->newlines && memchr(comment->text, ';', (size_t)comment->bytes) &&
        ends_operand(m, i - 1)) {
        Span slashes = {comment->span.from, comment->span.from + 2};
        Diag *d = diag(m->c, E0105, slashes, "'//' starts a comment; integers are divided with '/', floordiv rounds down");
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
    static bool (*const known[])(const Mistake *) = {
        words_for_signs, joined_signs, increment, conditional, cast, assignment_in_condition, loop_of_c, inclusive_range, foreign_block,
        two_word_type, size_behind_type, local_const, local_field, local_item, type_behind, list_as_value, wrong_brackets, no_place, unknown_node,
        preprocessor, result_behind, main_of_c, function_words, import_of_name, condition_parentheses, no_braces, else_behind, colon_for_braces, type_parameter,
        pointer_type, address_of, second_let, keyword_for_name,
        no_such_declaration, no_semicolon,
    };
    Mistake m = {.c = c, .source = source, .t = t->items, .i = tokens_at(t, at.from), .last = t->count - 1, .expected = expected};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i](&m))
            return true;
    return false;
}
