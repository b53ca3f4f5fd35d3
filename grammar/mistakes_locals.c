/* Known mistakes in the syntax of declarations in bodies, and of lists of values. */
#include "config.h"

#include "grammar/mistakes_inside.h"

#include <stdlib.h>
#include <string.h>

enum { COMPONENTS_MAX = 16 };

static bool
local_const(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i) != CONST || !m->expected->statement)
        return false;
    if (kind(m, i + 1) == IDENT && kind(m, i + 2) == '=') {
        diag_edit(REPORT(i, i, "a value that does not change is declared with let"),
                  span_of(m, i, i), "let");
    } else if (kind(m, i + 1) == IDENT && kind(m, i + 2) == '[') {
        diag_fix(REPORT(i, i, "a local array has a type, and no 'const'"), "f32 %s[2] = { … };",
                 text_of(m, i + 1, i + 1));
    } else {
        Span rest = {token(m, i)->span.from, token(m, i + 1)->span.from};
        diag_edit(REPORT(i, i, "'const' stands only outside of functions"), rest, "%s", "");
    }
    return true;
}

/* const A[2] = { 1, 2 }; */
static bool
table_without_type(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i) != '[' || kind(m, i - 1) != IDENT || kind(m, i - 2) != CONST)
        return false;
    diag_fix(REPORT(i - 1, i - 1, "a table has a type"), "const f32 %s[2] = { … };",
             text_of(m, i - 1, i - 1));
    return true;
}

/* struct P p; f(struct P p) */
static bool
struct_before_type(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i) != STRUCT || kind(m, i + 1) != IDENT || kind(m, i + 2) != IDENT)
        return false;
    Span rest = {token(m, i)->span.from, token(m, i + 1)->span.from};
    diag_edit(REPORT(i, i, "a type is named without 'struct'"), rest, "%s", "");
    return true;
}

/* static i32 n = 0; in a function */
static bool
static_variable(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i - 1) != STATIC || !type_at(m, i) || kind(m, i + 1) != IDENT ||
        bracket_around(m, i) < 0)
        return false;
    diag_fix(REPORT(i - 1, i - 1, "a variable of a function does not outlive its call"),
             "field %s %s[]; outside of functions", type_at(m, i), text_of(m, i + 1, i + 1));
    return true;
}

/* struct P { P *next; } */
static bool
pointer_member(const Mistake *m)
{
    int i = m->i, open = bracket_around(m, i);
    if (kind(m, i) != '*' || kind(m, i + 1) != IDENT || kind(m, open) != '{' ||
        kind(m, open - 2) != STRUCT)
        return false;
    diag_edit(REPORT(i, i, "there are no pointers; another element is named by its index"),
              span_of(m, i - 1, i), "i32 ");
    return true;
}

static bool
local_field(const Mistake *m)
{
    if (kind(m, m->i) != FIELD || !m->expected->statement)
        return false;
    Diag *d =
        REPORT(m->i, m->i, "fields stand outside of functions; in one there are local arrays");
    diag_edit(d, (Span){token(m, m->i)->span.from, token(m, m->i + 1)->span.from}, "%s", "");
    return true;
}

/* A function, type or layout inside a function: declared there, or it is the end of the function
 * that is missing. */
static bool
local_item(const Mistake *m)
{
    int i = m->i, open = i - 1;
    if (!m->expected->statement || !opens_item(kind(m, i)))
        return false;
    while (open >= 0 && !(kind(m, open) == '{' && token(m, open)->match < 0))
        open--;
    REPORT(i, i, open >= 0 ? "'}' is missing before '%s'" : "'%s' stands only outside of functions",
           text_of(m, i, i));
    return true;
}

/* let a: f32 = 1, f(a: f32), a := 1 */
static bool
type_behind(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i) != ':' || kind(m, i - 1) != IDENT)
        return false;
    if (kind(m, i + 1) == '=' && is_adjacent(m, i) &&
        (kind(m, i - 2) == LET || kind(m, i - 2) == VAR)) {
        diag_edit(REPORT(i, i + 1, "a variable gets its value by '='"), span_of(m, i, i + 1), "=");
        return true;
    }
    if (kind(m, i + 1) == '=' && is_adjacent(m, i) && starts_statement(m, i - 1)) {
        diag_edit(REPORT(i, i + 1, "a variable is declared with var, let or its type"),
                  span_of(m, i - 1, i + 1), "var %s =", text_of(m, i - 1, i - 1));
        return true;
    }
    bool declared = kind(m, i - 2) == LET || kind(m, i - 2) == VAR;
    bool param = kind(m, i - 2) == '(' || kind(m, i - 2) == ',' || kind(m, i - 2) == FIELD ||
                 kind(m, i - 2) == PARAM || kind(m, i - 2) == CONST;
    const char *type = type_at(m, i + 1);
    if (!type || (!declared && !param))
        return false;
    Diag *d = REPORT(i, i, "a type stands before the name");
    diag_edit(d, span_of(m, declared ? i - 2 : i - 1, i + 1), "%s %s", type,
              text_of(m, i - 1, i - 1));
    return true;
}

/* let f32 x = 1, let P p = q, let const x = 1, let mut x = 1 */
static bool
word_behind_let(const Mistake *m)
{
    int first = kind(m, m->i - 1) == IDENT && kind(m, m->i) == IDENT ? m->i - 2 : m->i - 1,
        word = first + 1;
    if (kind(m, first) != LET && kind(m, first) != VAR)
        return false;
    bool is_mut = is_word(m, word, "mut");
    if (is_mut || kind(m, word) == CONST) {
        Diag *d =
            REPORT(word, word, "'let' keeps its value, 'var' is a variable: '%s' has no place",
                   text_of(m, word, word));
        diag_edit(d, span_of(m, first, word), is_mut ? "var" : "let");
        return true;
    }
    if ((kind(m, word) != TYPE && kind(m, word) != IDENT) || kind(m, word + 1) != IDENT)
        return false;
    Diag *d = REPORT(first, word, "a type or '%s' stands before the name, not both",
                     text_of(m, first, first));
    diag_edit(d, span_of(m, first, word), "%s",
              type_at(m, word) ? type_at(m, word) : text_of(m, word, word));
    return true;
}

/* unsigned int n */
static bool
two_word_type(const Mistake *m)
{
    static const char *const rows[][3] = {
        {"unsigned", "char", "u8"},  {"unsigned", "short", "u16"}, {"unsigned", "int", "u32"},
        {"unsigned", "long", "u64"}, {"signed", "char", "i8"},     {"signed", "int", "i32"},
        {"short", "int", "i16"},     {"long", "int", "i64"},       {"long", "long", "i64"},
        {"long", "double", "f64"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (!is_word(m, m->i - 2, rows[r][0]) || !is_word(m, m->i - 1, rows[r][1]))
            continue;
        diag_edit(REPORT(m->i - 2, m->i - 1, "the type is called %s", rows[r][2]),
                  span_of(m, m->i - 2, m->i - 1), "%s", rows[r][2]);
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
    diag_edit(REPORT(open, i - 1, "the size of an array stands behind its name"),
              span_of(m, open, i), " %s%s", text_of(m, i, i), text_of(m, open, i - 1));
    return true;
}

/* f32 w[2][3]: the sizes of an array or a field. */
static bool
sizes_apart(const Mistake *m)
{
    int i = m->i, first = kind(m, i - 1) == ']' ? token(m, i - 1)->match : -1, end = i - 1;
    if (kind(m, i) != '[' || first < 1 || kind(m, first - 1) != IDENT || !expects(m, ';'))
        return false;
    Text sizes;
    text_init(&sizes, m->c->arena);
    for (int open = first; kind(m, open) == '['; open = end + 1) {
        end = token(m, open)->match;
        if (end < open + 2)
            return false;
        text_add(&sizes, "%s%s", open > first ? ", " : "", text_of(m, open + 1, end - 1));
    }
    Diag *d = REPORT(i, end, "all sizes stand in one pair of brackets");
    diag_edit(d, span_of(m, first, end), "[%s]", sizes.data);
    return true;
}

/* f32 w[] = { 1, 2 }; */
static bool
no_size(const Mistake *m)
{
    int i = m->i, open = i + 2, close = token(m, open)->match, count = 0;
    if (kind(m, i) != ']' || kind(m, i - 1) != '[' || kind(m, i + 1) != '=' ||
        kind(m, open) != '{' || close < open)
        return false;
    Diag *d = REPORT(i - 1, i, "an array has a size");
    for (int at = open + 1, end; at < close; at = end + 1, count++) {
        if (kind(m, at) == '{')
            return true;
        end = find_ahead(m, at, ',');
        end = end < 0 || end > close ? close : end;
    }
    if (count)
        diag_edit(d, span_of(m, i - 1, i), "[%d]", count);
    return true;
}

/* What is put for an array where only a value may stand: a vector in place of `type`, `name` and
 * the brackets at i. */
static void
suggest_vector(const Mistake *m, Diag *d, int type, int i)
{
    int close = token(m, i)->match,
        size = close == i + 2 && kind(m, i + 1) == NUMBER ? atoi(text_of(m, i + 1, i + 1)) : 0;
    const char *scalar = text_of(m, type, type),
               *name = type == i - 1 ? "" : text_of(m, i - 1, i - 1);
    if (size >= 2 && size <= COMPONENTS_MAX && !strchr(scalar, 'x'))
        diag_edit(d, span_of(m, type, close), "%sx%d%s%s", scalar, size, *name ? " " : "", name);
    else
        diag_fix(d, "a vector of 2 to %d components, such as f32x3; many values are a field",
                 COMPONENTS_MAX);
}

/* param f32 a[3] = …; struct P { f32 a[3]; } func f32[3] f() */
static bool
array_for_value(const Mistake *m)
{
    int i = m->i, open = bracket_around(m, i), first = kind(m, i - 2), head = kind(m, i - 3);
    bool result = kind(m, i - 1) == TYPE && is_function(first);
    bool named = kind(m, i - 1) == IDENT && first == TYPE,
         member = kind(m, open) == '{' && kind(m, open - 2) == STRUCT;
    if (kind(m, i) != '[' || token(m, i)->match < i ||
        !(result || (named && (head == PARAM || member))))
        return false;
    Diag *d = REPORT(i, token(m, i)->match, "%s cannot be an array",
                     result   ? "the result of a function"
                     : member ? "a member of a struct"
                              : "a param");
    suggest_vector(m, d, result ? i - 1 : i - 2, i);
    return true;
}

/* func f(f32[3] a) */
static bool
size_of_argument(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i - 1) != '[' || kind(m, i - 2) != TYPE || token(m, i - 1)->match != i + 1 ||
        kind(m, i + 2) != IDENT || !expects(m, ']'))
        return false;
    diag_edit(REPORT(i, i, "an array that is an argument has the size of what is given"),
              span_of(m, i, i), "%s", "");
    return true;
}

/* = [] */
static bool
empty_list(const Mistake *m)
{
    int i = m->i;
    if (kind(m, i) != '[' || kind(m, i - 1) != '=' || token(m, i)->match != i + 1)
        return false;
    Diag *d = REPORT(i, i + 1, "there are no empty lists");
    if (kind(m, i - 2) == ']')
        diag_edit(d, (Span){token(m, i - 2)->span.to, token(m, i + 1)->span.to}, "%s", "");
    else
        diag_fix(d,
                 "an array has a size: f32 w[8]; a list that grows is a dynamic node of a layout");
    return true;
}

/* The type that a name is declared with at a token, NULL where it is not, or not with one of so
 * many components. Structs are taken to have as many members. */
static const char *
type_declared_at(const Mistake *m, int i, const char *name, int count)
{
    if (!is_word(m, i, name))
        return NULL;
    int type = i - 1;
    while (kind(m, type) == ',') /* of a list of names, which may have sizes */
        type = (kind(m, type - 1) == ']' ? token(m, type - 1)->match : type) - 2;
    const char *text = text_of(m, type, type), *rows = strchr(text, 'x'),
               *columns = rows ? strchr(rows + 1, 'x') : NULL;
    if (kind(m, type) == IDENT)
        return text;
    int components = rows ? atoi(rows + 1) * (columns ? atoi(columns + 1) : 1) : 0;
    return kind(m, type) == TYPE && components == count ? text : NULL;
}

/* The type of a list of so many values that stands behind `c =`, `c[i] =` or `p.c =`: the one that
 * was written last before it, or else anywhere. One of floats where none is. */
static const char *
type_of_list(const Mistake *m, int count)
{
    int at = m->i - 2;
    if (kind(m, at) == ']' && token(m, at)->match > 0)
        at = token(m, at)->match - 1;
    const char *name = text_of(m, at, at), *type = NULL;
    for (int i = at - 1; i > 0 && !type; i--)
        type = type_declared_at(m, i, name, count);
    for (int i = at + 1; i < m->last && !type; i++)
        type = type_declared_at(m, i, name, count);
    return type ? type : arena_printf(m->c->arena, "f32x%d", count);
}

/* v = [1, 2], v = { 1, 2 } */
static bool
list_as_value(const Mistake *m)
{
    int i = m->i, match = token(m, i)->match, count = 1;
    if ((kind(m, i) != '[' && kind(m, i) != '{') || kind(m, i - 1) != '=' || match <= i + 1 ||
        is_declaration(m, i - 1))
        return false;
    for (int at = find_ahead(m, i + 1, ','); at > 0 && at < match; at = find_ahead(m, at + 1, ','))
        count++;
    const char *values = text_of(m, i + 1, match - 1);
    if (count == 1)
        diag_fix(REPORT(i, match, "one value stands without brackets"), "%s", values);
    else if (count > COMPONENTS_MAX)
        diag_fix(REPORT(i, match, "so many values are an array, which has a type and a size"),
                 "f32 w[%d] = { … };", count);
    else
        diag_fix(REPORT(i, match, "a vector or struct is made by its type"), "%s(%s)",
                 type_of_list(m, count), values);
    return true;
}

/* The values between two brackets, without the names that other languages give them: .a = 1,
 * b: 2 */
static const char *
unnamed_values(const Mistake *m, int open, int close)
{
    Text values;
    text_init(&values, m->c->arena);
    for (int at = open + 1, end; at < close; at = end + 1) {
        int name = kind(m, at) == '.' ? at + 1 : at;
        bool named =
            kind(m, name) == IDENT && (kind(m, name + 1) == ':' || kind(m, name + 1) == '=');
        end = find_ahead(m, at, ',');
        if (end < 0 || end > close)
            end = close;
        text_add(&values, "%s%s", at > open + 1 ? ", " : "",
                 text_of(m, named ? name + 2 : at, end - 1));
    }
    return values.data ? values.data : "";
}

/* P(.a = 1.0, .b = 2.0), f(a = 1.0) */
static bool
named_values(const Mistake *m)
{
    int i = m->i, open = bracket_around(m, i), name = kind(m, i) == '.' ? i + 1 : i - 1,
        before = kind(m, name == i - 1 ? i - 2 : i - 1);
    if (kind(m, open) != '(' || kind(m, name) != IDENT || kind(m, name + 1) != '=' ||
        (before != '(' && before != ','))
        return false;
    if (kind(m, open - 1) != IDENT && kind(m, open - 1) != TYPE)
        return false;
    int close = token(m, open)->match;
    Diag *d = REPORT(i, i, "values stand in their order, without names");
    diag_edit(d, span_of(m, open, close), "(%s)", unnamed_values(m, open, close));
    return true;
}

/* f32 x(3.0); f32x3 v(1.0, 2.0, 3.0); which could be arrays of Fortran; call f(); */
static bool
value_in_parentheses(const Mistake *m)
{
    int i = m->i, close = token(m, i)->match;
    if (kind(m, i) != '(' || close < i || kind(m, i - 1) != IDENT || !starts_statement(m, i - 2) ||
        kind(m, close + 1) != ';' || (kind(m, i - 2) != TYPE && kind(m, i - 2) != IDENT))
        return false;
    if (is_word(m, i - 2, "call")) {
        diag_edit(REPORT(i - 2, i - 2, "a function is called by its name"),
                  (Span){token(m, i - 2)->span.from, token(m, i - 1)->span.from}, "%s", "");
        return true;
    }
    const char *type = type_at(m, i - 2), *value = text_of(m, i + 1, close - 1);
    bool is_vector = type && strchr(type, 'x') && find_ahead(m, i + 1, ',') > 0,
         is_float = close == i + 2 && kind(m, i + 1) == NUMBER && strchr(value, '.');
    Diag *d = REPORT(i, i, "a value stands behind '=', the size of an array in square brackets");
    if (is_vector)
        diag_edit(d, span_of(m, i, close), " = %s(%s)", type, value);
    else if (is_float)
        diag_edit(d, span_of(m, i, close), " = %s", value);
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
        diag_edit(REPORT(i, i, "a list of values stands in braces"), span_of(m, i, match), "{ %s }",
                  inner);
    else if (kind(m, i) == '(' && kind(m, match + 1) == '{' && expects(m, ';'))
        REPORT(i - 1, i - 1, "functions stand outside of functions");
    else if (kind(m, i) == '(' && expects(m, '[') && kind(m, i - 1) == IDENT)
        diag_edit(REPORT(i, i, "sizes stand in square brackets"), span_of(m, i, match), "[%s]",
                  inner);
    else if (kind(m, i) == '{' && kind(m, i - 1) == IDENT && expects(m, ';') &&
             !starts_statement(m, i - 1))
        diag_edit(REPORT(i, i, "a struct is made with parentheses"), span_of(m, i, match), "(%s)",
                  unnamed_values(m, i, match));
    else
        return false;
    return true;
}

bool
mistake_in_declaration(const Mistake *m)
{
    static bool (*const known[])(const Mistake *) = {
        two_word_type,
        size_behind_type,
        array_for_value,
        sizes_apart,
        no_size,
        size_of_argument,
        named_values,
        local_const,
        table_without_type,
        struct_before_type,
        static_variable,
        pointer_member,
        local_field,
        local_item,
        type_behind,
        word_behind_let,
        empty_list,
        list_as_value,
        value_in_parentheses,
        wrong_brackets,
        NULL,
    };
    return mistake_any(m, known);
}
