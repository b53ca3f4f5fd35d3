/* Scopes and symbols. */
#include "config.h"

#include <string.h>

#include "check/check.h"

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

/* Edit distance with insertions, deletions and replacements, cut off at 3 (Levenshtein). */
static int
distance(const char *a, const char *b)
{
    int n = (int)strlen(a), m = (int)strlen(b), row[33];
    if (n > 32 || m > 32 || n - m > 2 || m - n > 2)
        return 3;
    for (int j = 0; j <= m; j++)
        row[j] = j;
    for (int i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[m];
}

static const char *const built_in[] = {
#define BUILTIN(NAME, spelling, class) spelling,
#include "check/builtins.def"
#undef BUILTIN
#define SPECIAL(spelling, function) spelling,
#include "check/specials.def"
#undef SPECIAL
};

/* The declared name that is like one that is not. */
typedef struct {
    const char *wanted, *found; /* NULL: none is */
    int distance;
} Nearest;

static void
try_name(Nearest *n, const char *name)
{
    int d = distance(n->wanted, name);
    if (d < n->distance) {
        n->distance = d;
        n->found = name;
    }
}

void
scope_report_unknown(Checker *k, const Scope *s, const char *name, Span span, const char *what)
{
    Diag *d = diag(k->c, E0201, span, "%s '%s' is not declared", what, name);
    Nearest nearest = {.wanted = name, .distance = strlen(name) < 2 ? 1 : strlen(name) < 4 ? 2 : 3};
    for (; s; s = s->parent)
        for (int i = 0; i < s->names.count; i++)
            try_name(&nearest, s->names.entries[i].key);
    for (size_t i = 0; !strcmp(what, "function") && i < sizeof built_in / sizeof *built_in; i++)
        try_name(&nearest, built_in[i]);
    if (nearest.found)
        diag_fix(d, "%s", nearest.found);
}
