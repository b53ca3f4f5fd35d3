/* Known mistakes in the syntax of layouts and items. */
#include "config.h"

#include "grammar/mistakes_inside.h"

#include <stdlib.h>

#include "base/edit_distance.h"
#include "grammar/recover.h"

enum { LONG_WORD = 6 };

/* ---- layouts ---- */

static bool
no_place(const Mistake *m)
{
    int i = m->i;
    if ((kind(m, i) != ';' && kind(m, i) != ',') || kind(m, i - 1) != IDENT ||
        !starts_statement(m, i - 1) || !expects(m, ':'))
        return false;
    Span at = token(m, i - 1)->span;
    diag_edit(REPORT(i - 1, i - 1, "fields are placed with the word place"),
              (Span){at.from, at.from}, "place ");
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
    Diag *d = REPORT(
        i - 1, i - 1,
        "there is no kind of node '%s'; it is dense, bitmasked, pointer, dynamic or hash", word);
    nearest_suggest(&near, d, span_of(m, i - 1, i - 1));
    return true;
}

/* The head of a node, written as elsewhere: dense(i, 8), dense i,j[8, 8], dense i[8] j[8], dense
 * i[8] b: { … } */
static bool
head_of_node(const Mistake *m)
{
    int i = m->i, node = i - 1, close = token(m, i)->match;
    while (node > 0 && kind(m, node) != NODE && !starts_statement(m, node))
        node--;
    if (kind(m, node) != NODE)
        return false;
    const char *word = text_of(m, node, node), *axes = text_of(m, node + 1, node + 1);
    bool sized = kind(m, node + 2) == '[' && token(m, node + 2)->match == i - 1;
    if (kind(m, i) == '(' && node == i - 1 && kind(m, i + 1) == IDENT && kind(m, i + 2) == ',' &&
        close > i + 3) {
        Diag *d =
            REPORT(i, close,
                   "the sizes of a node stand in square brackets, behind the letters of its axes");
        diag_edit(d, span_of(m, node, close), "%s %s[%s]", word, text_of(m, i + 1, i + 1),
                  text_of(m, i + 3, close - 1));
    } else if (kind(m, i) == ',' && node == i - 2 && kind(m, i + 1) == IDENT &&
               kind(m, i + 2) == '[') {
        diag_edit(REPORT(node + 1, i + 1, "axes are letters without a comma"),
                  span_of(m, node + 1, i + 1), "%s%s", axes, text_of(m, i + 1, i + 1));
    } else if (sized && kind(m, i) == IDENT && kind(m, i + 1) == '[' &&
               token(m, i + 1)->match > i + 2) {
        int end = token(m, i + 1)->match;
        Diag *d = REPORT(node + 1, end, "all axes of a node stand before all sizes");
        diag_edit(d, span_of(m, node + 1, end), "%s%s[%s, %s]", axes, text_of(m, i, i),
                  text_of(m, node + 3, i - 2), text_of(m, i + 2, end - 1));
    } else if (sized && kind(m, i) == IDENT && (kind(m, i + 1) == ':' || kind(m, i + 1) == '{')) {
        Diag *d = REPORT(i, i, "a label stands before the kind of the node");
        diag_edit(d, span_of(m, node, kind(m, i + 1) == ':' ? i + 1 : i), "%s: %s",
                  text_of(m, i, i), text_of(m, node, i - 1));
    } else if (sized && kind(m, i) == '.' && kind(m, i + 1) == NODE) {
        diag_fix(REPORT(i, i + 1, "a node below another one stands in its braces"), "%s { %s … }",
                 text_of(m, node, i - 1), text_of(m, i + 1, i + 1));
    } else
        return false;
    return true;
}

/* list: @chunk(4) dynamic k[64] { … }, layout @packed grid { … } */
static bool
attribute_behind_label(const Mistake *m)
{
    int i = m->i, end = kind(m, i + 2) == '(' ? token(m, i + 2)->match : i + 1;
    bool label = kind(m, i - 1) == ':' && kind(m, i - 2) == IDENT;
    if (kind(m, i) != '@' || (!label && kind(m, i - 1) != LAYOUT) || kind(m, i + 1) != IDENT ||
        end < i)
        return false;
    int before = label ? i - 2 : i - 1;
    Diag *d = REPORT(i, end, "attributes stand before %s", label ? "the label" : "'layout'");
    diag_edit(d, span_of(m, before, end), "%s %s", text_of(m, i, end), text_of(m, before, i - 1));
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
        diag_edit(REPORT(i, i + 1, "there is no preprocessor; files are imported"),
                  span_of(m, i, i + 2), "import %s;", text_of(m, i + 2, i + 2));
    } else if (is_word(m, i + 1, "define") && end > i + 2 && kind(m, i + 2) == IDENT &&
               m->expected->item) {
        diag_edit(REPORT(i, i + 1, "there is no preprocessor; a constant is declared with const"),
                  span_of(m, i, end), "const %s = %s;", text_of(m, i + 2, i + 2),
                  text_of(m, i + 3, end));
    } else if (is_word(m, i + 1, "include") || is_word(m, i + 1, "define") ||
               is_word(m, i + 1, "pragma") || kind(m, i + 1) == IF) {
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
    bool is_static = kind(m, i - 1) == STATIC && bracket_around(m, i) < 0,
         outside = m->expected->item || is_static;
    if (outside && is_one_of(m, i, words)) {
        Diag *d = REPORT(i, i, "a function starts with func, kernel or host");
        diag_edit(d, span_of(m, is_static ? i - 1 : i, i), "func");
        return true;
    }
    if (outside && type_at(m, i) && kind(m, i + 1) == IDENT && kind(m, i + 2) == '(') {
        Diag *d = REPORT(i, i, "a function starts with func, kernel or host");
        uint32_t at = token(m, i)->span.from;
        diag_edit(d, (Span){is_static ? token(m, i - 1)->span.from : at, at}, "func ");
        return true;
    }
    if (outside && type_at(m, i) && kind(m, i + 1) == IDENT) {
        Diag *d = REPORT(i, i, "there are no variables outside of functions");
        diag_fix(d,
                 "const for a constant, param for a value set at the start, field %s %s[] for one "
                 "that changes",
                 type_at(m, i), text_of(m, i + 1, i + 1));
        return true;
    }
    if (kind(m, i) == ')' && is_word(m, i - 1, "void") && kind(m, i - 2) == '(') {
        diag_edit(REPORT(i - 1, i - 1, "a function without parameters is written with ()"),
                  span_of(m, i - 1, i - 1), "%s", "");
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
    diag_fix(REPORT(m->i, m->i, "types of generic functions have no names"), "func auto %s(auto a)",
             text_of(m, m->i - 1, m->i - 1));
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
    diag_edit(d, span_of(m, open - 1, i + 2), "%s %s", type_at(m, i + 2),
              text_of(m, open - 1, i - 1));
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
    bool has_suffix = is_word(m, end - 1, "snl") && kind(m, end - 2) == '.';
    for (int k = i; k < (has_suffix ? end - 2 : end); k++)
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

/* let a = 1, b = 2; param f32 a = 1, b = 2; */
static bool
second_value(const Mistake *m)
{
    int i = m->i, start = statement_start(m, i);
    if (kind(m, i) != ',' || kind(m, i + 1) != IDENT || kind(m, i + 2) != '=' || !expects(m, ';'))
        return false;
    int word = kind(m, start);
    if (word != LET && word != VAR && word != CONST && word != PARAM)
        return false;
    int name = find_ahead(m, start, '=') - 1;
    Diag *d = REPORT(i, i, "a '%s' names one value", text_of(m, start, start));
    diag_edit(d, span_of(m, i, i), "; %s", text_of(m, start, name - 1));
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
    diag_edit(REPORT(i, i, "main has no type and no parameters"), span_of(m, typed ? i : name, end),
              "main");
    return true;
}

static bool
is_keyword_text(const char *word)
{
    static const char *const words[] = {
#define KEYWORD(token, spelling) spelling,
#include "ast/keywords.def"
#undef KEYWORD
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], word))
            return true;
    return false;
}

/* KERNEL k(), FOR i IN x { … } */
static bool
capital_word(const Mistake *m)
{
    const int places[] = {m->i, m->i - 1, statement_start(m, m->i)};
    for (size_t place = 0; place < sizeof places / sizeof *places; place++) {
        int i = places[place];
        if (kind(m, i) != IDENT)
            continue;
        char *word = arena_strndup(m->c->arena, token(m, i)->text, (size_t)token(m, i)->bytes);
        for (char *p = word; *p; p++)
            *p = (char)(*p >= 'A' && *p <= 'Z' ? *p + ('a' - 'A') : *p);
        if (!is_keyword_text(word) || token_is(token(m, i), word) ||
            (i < m->i && !starts_statement(m, i)))
            continue;
        diag_edit(REPORT(i, i, "the words of the language have small letters: %s", word),
                  span_of(m, i, i), "%s", word);
        return true;
    }
    return false;
}

/* The token that should be a word of the language, by the tokens around it, and the words that it
 * could be; NULL for none. */
static const char *const *
words_wanted(const Mistake *m, int *at)
{
    static const char *const items[] = {"import", "const", "param",     "struct", "field",
                                        "layout", "func",  "extern",    "kernel", "host",
                                        "main",   "test",  "benchmark", NULL};
    static const char *const conditions[] = {"if", "while", NULL}, *const loops[] = {"for", NULL},
                             *const otherwise[] = {"else", NULL};
    static const char *const places[] = {"place", NULL}, *const jumps[] = {"return", NULL};
    int i = m->i, start = statement_start(m, i), k = kind(m, i);
    *at = m->expected->item ? i : k == '{' || k == IN ? start : i - 1;
    if (m->expected->item)
        return items;
    if (kind(m, i - 2) == '}' && (k == '{' || k == IF)) {
        *at = i - 1;
        return otherwise;
    }
    if (k == '{' && kind(m, i - 1) == ')' && token(m, i - 1)->match == start + 1)
        return conditions;
    if (k == IN && kind(m, start + 1) == IDENT)
        return loops;
    if (start != i - 1)
        return NULL;
    if (k == IDENT && (kind(m, i + 1) == ';' || kind(m, i + 1) == ',') && expects(m, ':'))
        return places;
    return expects(m, ';') && (k == NUMBER || k == TYPE || k == TRUE || k == FALSE) ? jumps : NULL;
}

/* test adds { … }; benchmark is a name where no text follows it */
static bool
unquoted_name(const Mistake *m)
{
    const int word = kind(m, m->i) == IDENT && is_word(m, m->i, "benchmark") ? m->i : m->i - 1;
    const bool is_benchmark = word == m->i;
    if (kind(m, word + 1) != IDENT || kind(m, word + 2) != '{' ||
        (is_benchmark ? !m->expected->item : kind(m, word) != TEST))
        return false;
    Diag *d = REPORT(word + 1, word + 1, "the name of a %s stands in quotes",
                     is_benchmark ? "benchmark" : "test");
    diag_edit(d, span_of(m, word + 1, word + 1), "\"%s\"", text_of(m, word + 1, word + 1));
    return true;
}

/* feild f32 x[8]; fro i in x { … } */
static bool
misspelt_word(const Mistake *m)
{
    int at;
    const char *const *words = words_wanted(m, &at);
    if (!words || kind(m, at) != IDENT)
        return false;
    const char *found = text_of(m, at, at);
    Nearest near = nearest_to(found);
    if (strlen(found) < LONG_WORD && near.distance > 2)
        near.distance = 2;
    for (; *words; words++)
        nearest_try(&near, *words);
    if (!near.found || near.other)
        return false;
    nearest_suggest(
        &near, REPORT(at, at, "'%s' is not a word of the language; '%s' is", found, near.found),
        span_of(m, at, at));
    return true;
}

/* What stands before a declaration elsewhere: __global__ void f(), static const, inline func,
 * @ti.kernel */
static bool
word_before_item(const Mistake *m)
{
    static const char *const drop[] = {"inline", "public",  "private",  "export", "global",
                                       "pub",    "virtual", "__host__", NULL};
    int i = m->i;
    if (kind(m, i) == CONST && kind(m, i - 1) == STATIC) {
        diag_edit(REPORT(i - 1, i - 1, "a const needs no 'static'"),
                  (Span){token(m, i - 1)->span.from, token(m, i)->span.from}, "%s", "");
        return true;
    }
    if (kind(m, i) == '.' && kind(m, i - 2) == '@' && kind(m, i + 1) != END) {
        Diag *d = REPORT(i - 2, i + 1, "kernel and func are words before the name, not attributes");
        diag_edit(d, span_of(m, i - 2, i + 1), "%s", "");
        return true;
    }
    if (!m->expected->item)
        return false;
    bool global = is_word(m, i, "__global__"), device = is_word(m, i, "__device__");
    if (global || device) {
        int end = is_word(m, i + 1, "void") ? i + 1 : i, open = find_ahead(m, i, '(');
        Diag *d = REPORT(i, i, "a function for the GPU is a %s", global ? "kernel" : "func");
        if (opens_item(kind(m, i + 1)))
            diag_edit(d, (Span){token(m, i)->span.from, token(m, i + 1)->span.from}, "%s", "");
        else if (open > 0 && find_ahead(m, i, '=') < 0)
            diag_edit(d, span_of(m, i, end), global ? "kernel" : "func");
        return true;
    }
    if (is_word(m, i, "constexpr")) {
        diag_edit(REPORT(i, i, "'constexpr' is written const"), span_of(m, i, i), "const");
        return true;
    }
    if (!is_one_of(m, i, drop))
        return false;
    diag_edit(REPORT(i, i, "there is no '%s'", text_of(m, i, i)),
              (Span){token(m, i)->span.from, token(m, i + 1)->span.from}, "%s", "");
    return true;
}

/* enum Kind { A, B }; typedef f32 real; */
static bool
foreign_item(const Mistake *m)
{
    int i = m->i, open = i + 1;
    if (!m->expected->item)
        return false;
    if (is_word(m, i, "typedef") || is_word(m, i, "using")) {
        diag_fix(REPORT(i, i, "types have no other names"),
                 "const for a value, struct for a type with members");
        return true;
    }
    if (kind(m, i) == IDENT && kind(m, i + 1) == '.' && kind(m, i + 2) == NODE) {
        diag_fix(REPORT(i, i + 2, "a tree is declared by a layout"),
                 "layout { %s i[8] { place x; } }", text_of(m, i + 2, i + 2));
        return true;
    }
    if (!is_word(m, i, "enum"))
        return false;
    while (open < i + 4 && kind(m, open) != '{')
        open++;
    int close = kind(m, open) == '{' ? token(m, open)->match : -1, value = 0;
    Diag *d = REPORT(i, i, "there is no 'enum'; numbers have names by const");
    const char *before = NULL; /* the last one, where a value was given */
    Text constants;
    text_init(&constants, m->c->arena);
    for (int at = open + 1, end; at < close; at = end + 1, value++) {
        end = find_ahead(m, at, ',');
        end = end < 0 || end > close ? close : end;
        bool is_given = kind(m, at + 1) == '=' && end > at + 2;
        const char *name = text_of(m, at, at), *blank = value ? " " : "";
        if (kind(m, at) != IDENT || (at + 1 < end && !is_given))
            return true;
        if (is_given)
            text_add(&constants, "%sconst %s = %s;", blank, name, text_of(m, at + 2, end - 1));
        else if (before)
            text_add(&constants, "%sconst %s = %s + 1;", blank, name, before);
        else
            text_add(&constants, "%sconst %s = %d;", blank, name, value);
        before = is_given || before ? name : NULL;
    }
    if (value)
        diag_edit(d, span_of(m, i, kind(m, close + 1) == ';' ? close + 1 : close), "%s",
                  constants.data);
    return true;
}

/* struct P { x: f32, y: f32 } */
static bool
members_of_rust(const Mistake *m)
{
    int open = bracket_around(m, m->i), close = open < 0 ? -1 : token(m, open)->match,
        at = open + 1;
    if (kind(m, m->i) != ':' || kind(m, open) != '{' || kind(m, open - 2) != STRUCT || close < 0)
        return false;
    Diag *d = REPORT(m->i, m->i, "a type stands before the name");
    Text members;
    text_init(&members, m->c->arena);
    for (; at < close; at += 4) {
        bool ends = at + 3 == close || kind(m, at + 3) == ',' || kind(m, at + 3) == ';';
        if (kind(m, at) != IDENT || kind(m, at + 1) != ':' || !type_at(m, at + 2) || !ends)
            return true;
        text_add(&members, "%s %s; ", type_at(m, at + 2), text_of(m, at, at));
    }
    diag_edit(d, span_of(m, open, close), "{ %s}", members.data);
    return true;
}

/* field f32 x[8], i32 y[8]; f(f32 a, b); f(a) */
static bool
type_in_list(const Mistake *m)
{
    int i = m->i, start = statement_start(m, i), before = kind(m, i - 2);
    if (kind(m, start) == FIELD && kind(m, i - 1) == ',' && type_at(m, i) &&
        kind(m, i + 1) == IDENT) {
        diag_edit(REPORT(i, i, "each type has a declaration of its own"),
                  (Span){token(m, i - 1)->span.from, token(m, i)->span.to}, "; field %s",
                  type_at(m, i));
        return true;
    }
    bool in_head = is_function(kind(m, start)) || kind(m, start) == EXTERN;
    if (!in_head || (kind(m, i) != ')' && kind(m, i) != ',') || kind(m, i - 1) != IDENT ||
        (before != ',' && before != '(') || bracket_around(m, i) < start)
        return false;
    Diag *d =
        REPORT(i - 1, i - 1, "a parameter has a type of its own: f32 %s", text_of(m, i - 1, i - 1));
    if (before == ',' && kind(m, i - 3) == IDENT && type_at(m, i - 4))
        diag_edit(d, (Span){token(m, i - 1)->span.from, token(m, i - 1)->span.from}, "%s ",
                  type_at(m, i - 4));
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

/* Is the word at i the type of what is declared behind it? A name is one by what stands before. */
static bool
is_type_of_name(const Mistake *m, int i)
{
    int before = kind(m, i - 1);
    if (kind(m, i) != IDENT)
        return kind(m, i) == TYPE;
    if (before == '(' || before == ',')
        return among_arguments(m, i);
    return before == FIELD || before == PARAM || before == CONST || before == INOUT ||
           is_function(before) || (starts_statement(m, i) && !token(m, i + 1)->newlines);
}

/* Do the tokens around i make it a name that is declared? */
static bool
is_declared_at(const Mistake *m, int i)
{
    int before = kind(m, i - 1), next = kind(m, i + 1);
    int type = before == ']' ? token(m, i - 1)->match - 1 : i - 1;
    bool function = is_function(before);
    if (is_type_of_name(m, type))
        return next == '('
                   ? is_function(kind(m, type - 1))
                   : next == '=' || next == ';' || next == ',' || next == '[' || next == ')';
    if (before == ',')
        return (next == ';' || next == ',' || next == '[' || next == '=') &&
               is_declaration(m, i - 1);
    return (function && next == '(') || ((before == LET || before == VAR) && next == '=') ||
           ((before == STRUCT || before == LAYOUT) && next == '{') ||
           (before == CONST && next == '=') || (before == FOR && (next == IN || next == ','));
}

/* Is the word at i an operand, or what is assigned? An 'in' is only where it could be nothing
 * else. */
static bool
is_used_at(const Mistake *m, int i)
{
    int next = kind(m, i + 1);
    bool is_part = next == '[' || next == '.';
    if (starts_statement(m, i))
        return is_part || next == '=' || next == ASSIGN_OP;
    if (kind(m, i) == IN && !is_part && next != ')' && next != ';' && next != ',')
        return false;
    return m->expected->expression && next != STRING && next != IDENT && next != TYPE &&
           next != '(' && next != '{';
}

/* i32 place = 1; n += place; */
static bool
keyword_for_name(const Mistake *m)
{
    int i = m->i;
    if (!is_keyword(kind(m, i)) || (!is_used_at(m, i) && !is_declared_at(m, i)))
        return false;
    const char *word = text_of(m, i, i);
    diag_edit(REPORT(i, i, "'%s' is a word of the language and cannot be a name", word),
              span_of(m, i, i), "%s_", word);
    return true;
}

/* func i32 f32(i32 a), let i8 = 1; and kernel i8(), whose type is taken for that of the result. */
static bool
type_for_name(const Mistake *m)
{
    int i = m->i, before = kind(m, i - 2);
    bool result = kind(m, i) == '(' && is_declared_at(m, i - 1),
         constant = kind(m, i) == '=' && before == CONST;
    if (kind(m, i - 1) == TYPE && (result || constant))
        i--;
    else if (kind(m, i) != TYPE || !is_declared_at(m, i))
        return false;
    const char *word = text_of(m, i, i);
    diag_edit(REPORT(i, i, "'%s' is a type and cannot be a name", word), span_of(m, i, i), "%s_",
              word);
    map_put(&m->c->lost, intern_str(m->c->intern, word), m->c);
    return true;
}

/* static if (a) { … } else static if (b) { … } */
static bool
else_static_if(const Mistake *m)
{
    int i = m->i, at = i - 1;
    if (kind(m, i) != STATIC || kind(m, i + 1) != IF || kind(m, at) != ELSE)
        return false;
    while (kind(m, at) == ELSE) { /* to the first if */
        int condition = token(m, at - 1)->match - 1;
        at = kind(m, at - 1) == '}' && kind(m, condition) == ')' ? token(m, condition)->match - 2
                                                                 : -1;
    }
    if (kind(m, at) == STATIC)
        diag_edit(REPORT(i, i + 1, "behind a static if each else if is static by itself"),
                  span_of(m, i, i + 1), "if");
    else
        diag_fix(REPORT(i, i + 1, "a static if behind an else stands in braces"),
                 "else { static if (…) { … } }");
    return true;
}

/* func f32 f(f32 a); before a function that has a body */
static bool
prototype(const Mistake *m)
{
    int i = m->i, start = statement_start(m, i - 1), open = token(m, i - 1)->match, k = start;
    bool function = is_function(kind(m, k));
    if (kind(m, i) != ';' || kind(m, i - 1) != ')' || !function || open < start + 2)
        return false;
    Diag *d =
        REPORT(start, i, "functions may stand in any order; none is declared before its body");
    const char *name = text_of(m, open - 1, open - 1);
    for (k = 0; k < m->last; k++) {
        int end = is_word(m, k, name) && kind(m, k + 1) == '(' ? token(m, k + 1)->match : -1;
        if (end > k && kind(m, end + 1) == '{') {
            diag_edit(d, span_of(m, start, i), "%s", "");
            break;
        }
    }
    return true;
}

/* What a declaration cannot be: field f32 x = 0; let n; dense i[4][4] */
static bool
no_such_declaration(const Mistake *m)
{
    int i = m->i, start = statement_start(m, i);
    int first = kind(m, start);
    bool no_type = i == start + 2 && kind(m, i - 1) == IDENT && !type_at(m, i - 1);
    if (no_type &&
        ((first == FIELD && kind(m, i) == '[') || (first == PARAM && kind(m, i) == '='))) {
        const char *word = text_of(m, start, start);
        diag_fix(REPORT(i - 1, i - 1, "a %s has a type", word), "%s f32 %s", word,
                 text_of(m, i - 1, i - 1));
    } else if (first == FIELD && kind(m, i) == '=') {
        diag_fix(REPORT(i, i, "a field is given no value where it is declared"),
                 "fill(field, value) in host code, or @ambient(value) before it for cells that are "
                 "not active");
    } else if ((first == LET || first == VAR) && kind(m, i) == ';' && i == start + 2) {
        diag_fix(
            REPORT(i, i, "a '%s' needs a value, which gives it its type", text_of(m, start, start)),
            "with a type instead: i32 %s;", text_of(m, i - 1, i - 1));
    } else if (kind(m, i) == '[' && kind(m, i - 1) == ']' && expects(m, '{')) {
        diag_fix(
            REPORT(i, i,
                   "all sizes of a node stand in one pair of brackets, with a letter for each"),
            "dense ij[4, 8] { … }");
    } else {
        return false;
    }
    return true;
}

bool
mistake_in_item(const Mistake *m)
{
    static bool (*const known[])(const Mistake *) = {
        attribute_behind_label,
        members_of_rust,
        word_before_item,
        head_of_node,
        no_place,
        unknown_node,
        preprocessor,
        result_behind,
        main_of_c,
        function_words,
        import_of_name,
        colon_for_braces,
        type_parameter,
        second_value,
        type_in_list,
        capital_word,
        unquoted_name,
        misspelt_word,
        keyword_for_name,
        type_for_name,
        else_static_if,
        prototype,
        no_such_declaration,
        foreign_item,
        NULL,
    };
    return mistake_any(m, known);
}
