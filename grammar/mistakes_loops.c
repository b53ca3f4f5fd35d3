/* Known mistakes in the heads of loops. */
#include "config.h"

#include "grammar/mistakes_inside.h"

/* The text of an expression that something is added to: in parentheses, unless it is one
 * operand. */
static const char *
text_of_term(const Mistake *m, int from, int to)
{
    const char *text = text_of(m, from, to);
    return operand_end(m, from) == to ? text : arena_printf(m->c->arena, "(%s)", text);
}

/* for (int i = 0; i < n; i++): the tokens of its parts. */
typedef struct {
    int open, close;   /* the head's parentheses */
    int name;          /* of the variable */
    int first, second; /* semicolons */
    int end;           /* of the body */
} LoopOfC;

/* May what token i names, or an element of it, get a new value there? */
static bool
may_change_at(const Mistake *m, int i)
{
    static const char *const harmless[] = {"min", "max", "abs", "print", "printf", NULL};
    int next = i + 1, before = kind(m, i - 1);
    while (kind(m, next) == '[' && token(m, next)->match > next)
        next = token(m, next)->match + 1;
    int after = kind(m, next);
    bool counts = (after == '+' || after == '-') && kind(m, next + 1) == after;
    bool counted = (before == '+' || before == '-') && kind(m, i - 2) == before;
    bool pointed = before == '&' && !ends_operand(m, i - 2);
    int call = bracket_around(m, i) - 1;
    bool given = (before == '(' || before == ',') && (after == ')' || after == ',') &&
                 kind(m, call) == IDENT && !is_one_of(m, call, harmless);
    return after == '=' || after == ASSIGN_OP || counts || counted || pointed || given;
}

static bool
may_change(const Mistake *m, const char *name, int from, int to)
{
    for (int i = from; i <= to; i++)
        if (is_word(m, i, name) && kind(m, i - 1) != '.' && may_change_at(m, i))
            return true;
    return false;
}

static bool
is_call(const Mistake *m, int i)
{
    return kind(m, i) == IDENT && kind(m, i + 1) == '(';
}

/* Is it an integer that is the same whenever the loop goes around? Then a range, which is computed
 * once, can have it. */
static bool
is_same_in_loop(const Mistake *m, const LoopOfC *l, int from, int to)
{
    static const int other[] = {LAND, LOR, '?', EQ, NE, '<', '>', LE, GE, '&', '|', '^', ','};
    static const char *const pure[] = {"min", "max", "extent", NULL};
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        int found = find_ahead(m, from, other[k]);
        if (found >= 0 && found <= to)
            return false;
    }
    for (int i = from; i <= to; i++) {
        if ((kind(m, i) == NUMBER && strchr(text_of(m, i, i), '.')) ||
            (is_call(m, i) && !is_one_of(m, i, pure)) ||
            (kind(m, i) == IDENT && may_change(m, text_of(m, i, i), l->first, l->end)))
            return false;
        for (int k = l->close; k <= l->end && kind(m, i) == '['; k++)
            if (is_call(m, k)) /* which may change the element */
                return false;
    }
    return true;
}

/* The end of the range for `i < n`, `i >= n`, or NULL. */
static const char *
loop_bound(const Mistake *m, const LoopOfC *l)
{
    int from = l->first + 3, to = l->second - 1, op = kind(m, l->first + 2);
    if (!is_word(m, l->first + 1, text_of(m, l->name, l->name)) || to < from ||
        !is_same_in_loop(m, l, from, to))
        return NULL;
    if (op == '<' || op == '>' || op == NE)
        return text_of(m, from, to);
    const char *bound = text_of_term(m, from, to);
    return op == LE   ? arena_printf(m->c->arena, "%s + 1", bound)
           : op == GE ? arena_printf(m->c->arena, "%s - 1", bound)
                      : NULL;
}

/* The step of `i++`, `i -= 2` …: its text, "" for 1, NULL when it is something else. */
static const char *
loop_step(const Mistake *m, const LoopOfC *l)
{
    int from = l->second + 1, to = l->close - 1;
    const char *name = text_of(m, l->name, l->name);
    int prefix = to == from + 2 && is_word(m, to, name), at = prefix ? from : from + 1;
    if (to == from + 2 && (prefix || is_word(m, from, name)) && kind(m, at) == kind(m, at + 1))
        return kind(m, at) == '+' ? "" : kind(m, at) == '-' ? " step -1" : NULL;
    if (!is_word(m, from, name) || kind(m, from + 1) != ASSIGN_OP || to < from + 2 ||
        !is_same_in_loop(m, l, from + 2, to))
        return NULL;
    const char *sign = token_is(token(m, from + 1), "+=")   ? ""
                       : token_is(token(m, from + 1), "-=") ? "-"
                                                            : NULL;
    return sign ? arena_printf(m->c->arena, " step %s%s", sign,
                               *sign ? text_of_term(m, from + 2, to) : text_of(m, from + 2, to))
                : NULL;
}

static bool
goes_down(const char *step)
{
    return !strncmp(step, " step -", strlen(" step -"));
}

/* The end of a loop at i with a variable of this name, whose first value is not its last one; -1
 * for other tokens. */
static int
other_loop_end(const Mistake *m, int i, const char *name)
{
    int at = kind(m, i + 1) == '(' ? i + 2 : i + 1;
    if (kind(m, i) != FOR)
        return -1;
    if (kind(m, at + 1) == IDENT || kind(m, at) == TYPE)
        at++;
    if (!is_word(m, at, name))
        return -1;
    for (int k = at + 1; k < m->last && kind(m, k) != ';' && kind(m, k) != '{'; k++)
        if (is_word(m, k, name))
            return -1;
    return statement_end(m, i, STATEMENT_DEPTH);
}

/* The type of the variable of a loop, if that can be its own: declared in its head, or used in such
 * loops only. NULL where it lives on. */
static const char *
loop_type(const Mistake *m, const LoopOfC *l)
{
    const char *name = text_of(m, l->name, l->name), *type = "i32";
    int word = l->name - 1, open = outermost_bracket(m, l->open);
    if (word > l->open)
        return word == l->open + 1 && type_at(m, word) ? type_at(m, word)
               : kind(m, word) == AUTO || kind(m, word) == LET || kind(m, word) == VAR ? type
                                                                                       : NULL;
    for (int i = open + 1; i < token(m, open)->match; i++) {
        int end = other_loop_end(m, i, name);
        if (end > i) {
            i = end;
            continue;
        }
        if (!is_word(m, i, name) || kind(m, i - 1) == '.')
            continue;
        int start = statement_start(m, i - 1); /* i32 i, j; */
        if (!type_at(m, start) || (kind(m, i + 1) != ';' && kind(m, i + 1) != ','))
            return NULL;
        type = type_at(m, start);
    }
    return type;
}

/* for (int i = 0; i < n; i++) as a range, if it surely is one; else NULL. */
static const char *
range_of_loop(const Mistake *m, LoopOfC *l)
{
    l->end = statement_end(m, l->close + 1, STATEMENT_DEPTH);
    const char *name = text_of(m, l->name, l->name), *type = loop_type(m, l);
    if (l->second < 0 || l->name + 1 >= l->first || l->end < 0 || !type ||
        (*type != 'i' && *type != 'u') || may_change(m, name, l->close, l->end) ||
        !is_same_in_loop(m, l, l->name + 2, l->first - 1))
        return NULL;
    const char *to = loop_bound(m, l), *step = loop_step(m, l);
    int op = kind(m, l->first + 2);
    if (!to || !step || (op != NE && goes_down(step) != (op == '>' || op == GE)))
        return NULL;
    if (strcmp(type, "i32")) /* the variable has the type of the bounds */
        to = arena_printf(m->c->arena, "%s(%s)", type, to);
    bool converted = strcmp(type, "i32") && kind(m, l->name + 2) != NUMBER;
    return arena_printf(m->c->arena, converted ? "%s in %s(%s)..%s%s" : "%s in %.0s%s..%s%s", name,
                        type, text_of(m, l->name + 2, l->first - 1), to, step);
}

/* for (int i = 0; i < n; i++), for (i in 0..n) */
static bool
loop_of_c(const Mistake *m)
{
    int open = m->i, close = token(m, open)->match;
    if (kind(m, open - 1) != FOR || kind(m, open) != '(' || close < 0)
        return false;
    LoopOfC l = {.open = open, .close = close, .name = open + 1};
    l.first = find_ahead(m, open + 1, ';');
    if (l.first < 0) {
        Diag *d = REPORT(open, open, "a loop is written: for i in from..to { … }");
        if (find_ahead(m, open + 1, IN) > 0)
            diag_edit(d, span_of(m, open, close), "%s", text_of(m, open + 1, close - 1));
        return true;
    }
    while (l.name < l.first && kind(m, l.name + 1) != '=')
        l.name++;
    l.second = find_ahead(m, l.first + 1, ';');
    Diag *d = REPORT(open, open,
                     "a loop is written: for i in from..to { … }, or with a step: for i in "
                     "from..to step 2 { … }");
    const char *range = range_of_loop(m, &l);
    if (range)
        diag_edit(d, span_of(m, open, close), "%s", range);
    else if (l.second > l.first + 1 && l.first > open + 1)
        diag_fix(d, "%s; while (%s) { … %s; }", text_of(m, open + 1, l.first - 1),
                 text_of(m, l.first + 1, l.second - 1), text_of(m, l.second + 1, close - 1));
    return true;
}

/* 0..=7 */
static bool
inclusive_range(const Mistake *m)
{
    if (kind(m, m->i) != '=' || kind(m, m->i - 1) != DOTDOT)
        return false;
    int end = operand_end(m, m->i + 1), next = kind(m, end + 1);
    Diag *d = REPORT(m->i - 1, m->i, "the end of a range is not part of it");
    if (next == '{' || next == ',' || next == '+' || next == '-' || next == IDENT)
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

bool
mistake_in_loop(const Mistake *m)
{
    static bool (*const known[])(const Mistake *) = {
        loop_of_c, inclusive_range, second_range, range_in_parentheses, step_of_cells, NULL,
    };
    return mistake_any(m, known);
}
