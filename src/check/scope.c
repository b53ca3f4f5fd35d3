/* Scopes and symbols. */
#include "config.h"

#include <string.h>

#include "ast/foreign_words.h"
#include "base/edit_distance.h"
#include "check/check.h"
#include "check/check_func.h"
#include "check/suggest.h"

Scope *
scope_new(Checker *k, Scope *parent)
{
    Scope *s = ARENA_NEW(k->c->syntax, Scope);
    s->parent = parent;
    map_init(&s->names, k->c->syntax);
    return s;
}

Symbol *
scope_declare(Checker *k, Scope *s, SymKind kind, const char *name, Span span)
{
    Symbol *sym = ARENA_NEW(k->c->syntax, Symbol);
    sym->kind = kind;
    sym->name = name;
    sym->span = span;
    sym->scope = s;
    Symbol *old = map_get(&s->names, name);
    if (old) {
        Diag *d = diag(k->c, E0202, span, "'%s' is declared twice", name);
        diag_note(d, old->span, "the first declaration of '%s' is here", name);
        return sym;
    }
    map_put(&s->names, name, sym);
    return sym;
}

Symbol *
scope_find(const Scope *s, const char *name)
{
    for (; s; s = s->parent) {
        Symbol *sym = map_get(&s->names, name);
        if (sym) {
            sym->used = true;
            return sym;
        }
    }
    return NULL;
}

const char *const *
built_in_words(void)
{
    static const char *const words[] = {
#define BUILTIN(NAME, spelling, class, arguments) spelling,
#include "check/builtins.def"
#undef BUILTIN
#define SPECIAL(spelling, function, arguments) spelling,
#include "check/specials.def"
#undef SPECIAL
        NULL};
    return words;
}

const char *
built_in_call(const char *name)
{
    static const struct {
        const char *name, *call;
    } calls[] = {
#define BUILTIN(NAME, spelling, class, arguments) {spelling, spelling "(" arguments ")"},
#include "check/builtins.def"
#undef BUILTIN
#define SPECIAL(spelling, function, arguments) {spelling, spelling "(" arguments ")"},
#include "check/specials.def"
#undef SPECIAL
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].name, name))
            return calls[i].call;
    return NULL;
}

const char *const *
built_in_members(const char *name)
{
    static const char *const svd[] = {"U", "S", "V", NULL}, *const polar[] = {"R", "S", NULL},
                             *const eig_sym[] = {"values", "vectors", NULL};
    return !strcmp(name, "svd")       ? svd
           : !strcmp(name, "polar")   ? polar
           : !strcmp(name, "eig_sym") ? eig_sym
                                      : NULL;
}

/* "sqrt" for "sqrtf". */
static const char *
without_f(const char *name)
{
    size_t n = strlen(name);
    for (const char *const *word = built_in_words(); n > 2 && name[n - 1] == 'f' && *word; word++)
        if (strlen(*word) == n - 1 && !strncmp(*word, name, n - 1))
            return *word;
    return NULL;
}

static bool
has_name(const Names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (names->items[i].text == name)
            return true;
    return false;
}

void
scope_report_unknown(Checker *k, const Scope *s, const char *name, Span span, const char *what)
{
    if (map_get(&k->c->lost, name) || suggest_loop_for_threads(k, name, span) ||
        suggest_other_way(k, name, span))
        return;
    Diag *d = diag(k->c, E0201, span, "%s '%s' is not declared", what, name);
    if (k->func && k->func->bounding && has_name(k->func->bounding, name)) {
        diag_note(d, span, "the ranges of one loop cannot use its own variables: write two loops, "
                           "one in the other");
        return;
    }
    bool function = !strcmp(what, "function");
    const char *known =
        function && foreign_type(name) ? foreign_type(name) : foreign_word(name);
    if (!known && function)
        known = without_f(name);
    Nearest nearest = nearest_to(name);
    for (; s && !known; s = s->parent)
        for (int i = 0; i < s->names.count; i++)
            nearest_try(&nearest, s->names.entries[i].key);
    for (const char *const *word = built_in_words(); function && *word; word++)
        nearest_try(&nearest, *word);
    if (!strcmp(name, "None") && span.from &&
        !strcmp(source_text(k, (Span){span.from - 1, span.to + 1}), "[None]"))
        diag_edit(d, span, "%s", ""); /* x[None]: the element of a field without axes */
    else if (known)
        diag_edit(d, span, "%s", known);
    else if (foreign_type(name)) /* (float)-x */
        diag_fix(d, "%s(…), as a cast is written", foreign_type(name));
    else
        nearest_suggest_name(&nearest, d, span);
}
