/* Types as written, and names of fields, layouts and nodes with their family numbers. */
#include "config.h"

#include <string.h>

#include "ast/foreign_words.h"
#include "check/check.h"
#include "check/suggest.h"

bool
type_is_string(const Scope *s, const TypeExpr *t)
{
    const Symbol *sym;
    if (t->kind != TE_NAME || strcmp(t->name.text, "string"))
        return false;
    sym = scope_find(s, t->name.text);
    return !sym || (sym->kind != SYM_STRUCT && sym->kind != SYM_TYPE);
}

/* The type of a value, or of the elements of a field; a string cannot be kept anywhere. */
static const Type *
check_typeof(Checker *k, Scope *s, const TypeExpr *t)
{
    const Symbol *sym = t->of->kind == EXPR_NAME ? scope_find(s, t->of->name.text) : NULL;
    if (sym && (sym->kind == SYM_FIELD || sym->kind == SYM_FIELD_ARG)) {
        const Field *f = check_field_name(k, s, t->of->name);
        return f ? f->type : type_error(k->prog->types);
    }
    const Type *type = check_expr(k, s, t->of, NULL)->type;
    if (type->kind != TYPE_STRING)
        return type;
    diag(k->c, E0203, t->span, "only a param can be a string");
    return type_error(k->prog->types);
}

const Type *
check_type(Checker *k, Scope *s, const TypeExpr *t)
{
    Types *types = k->prog->types;
    switch (t->kind) {
    case TE_BUILTIN: return type_shape(types, t->scalar, t->rows, t->cols);
    case TE_AUTO:
        diag(k->c, E0315, t->span,
             "'auto' stands only for the type of a parameter or the result of a function");
        return type_error(types);
    case TE_TYPEOF: return check_typeof(k, s, t);
    case TE_NAME: break;
    }
    if (type_is_string(s, t)) {
        diag(k->c, E0203, t->span, "only a param can be a string");
        return type_error(types);
    }
    Symbol *sym = scope_find(s, t->name.text);
    if (!sym && map_get(&k->c->lost, t->name.text))
        return type_error(types);
    if (!sym) {
        Diag *d = diag(k->c, E0203, t->span, "there is no type '%s'", t->name.text);
        suggest_type(k, s, t, d);
        return type_error(types);
    }
    symbol_resolve(k, sym);
    if (sym->kind == SYM_TYPE || sym->kind == SYM_STRUCT)
        return sym->type ? sym->type : type_error(types);
    Diag *d = diag(k->c, E0203, t->span, "'%s' is not a type", t->name.text);
    diag_note(d, sym->span, "'%s' is declared here", t->name.text);
    return type_error(types);
}

/* The thing a possibly numbered name means among the members of a symbol; NULL after a report. */
static void *
find_member(Checker *k, Scope *s, Symbol *sym, Name name)
{
    int64_t number = -1;
    if (name.number && !check_const_int(k, s, name.number, &number)) {
        suggest_static_for(k, sym->members.count);
        return NULL;
    }
    if (sym->is_family && !name.number) {
        Diag *d = diag(k->c, E0206, name.span, "'%s' is a family; a number must say which member",
                       name.text);
        diag_fix(d, "%s#0", name.text);
        return NULL;
    }
    if (!sym->is_family && name.number) {
        diag_edit(diag(k->c, E0206, name.span, "'%s' is not a family", name.text), name.span, "%s",
                  name.text);
        return NULL;
    }
    for (int i = 0; i < sym->members.count; i++)
        if (sym->members.items[i].number == number)
            return sym->members.items[i].thing;
    if (name.number) {
        Diag *d =
            diag(k->c, E0206, name.span, "there is no '%s#%lld'", name.text, (long long)number);
        diag_note(d, sym->span, "'%s' has %d members", name.text, sym->members.count);
    }
    return NULL;
}

/* The symbol of a name that must be of one of two kinds; NULL after a report. */
static Symbol *
find_kind(Checker *k, Scope *s, Name name, SymKind kind, SymKind argument, const char *what)
{
    Symbol *sym = scope_find(s, name.text);
    if (!sym) {
        scope_report_unknown(k, s, name.text, name.span, what);
        return NULL;
    }
    if (sym->kind == kind || sym->kind == argument) {
        symbol_resolve(k, sym);
        return sym;
    }
    Diag *d = diag(k->c, E0205, name.span, "'%s' is not a %s", name.text, what);
    diag_note(d, sym->span, "'%s' is declared here", name.text);
    if (kind == SYM_LABEL && sym->kind == SYM_FIELD)
        suggest_label(k, s, name, d);
    if (kind == SYM_LAYOUT && sym->kind == SYM_FIELD)
        diag_fix(d, "the name of the layout that places it: layout NAME { … place %s; … }",
                 name.text);
    return NULL;
}

Field *
check_field_name(Checker *k, Scope *s, Name name)
{
    Symbol *sym = find_kind(k, s, name, SYM_FIELD, SYM_FIELD_ARG, "field");
    return sym ? find_member(k, s, sym, name) : NULL;
}

Layout *
check_layout_name(Checker *k, Scope *s, Name name)
{
    Symbol *sym = find_kind(k, s, name, SYM_LAYOUT, SYM_LAYOUT, "layout");
    return sym ? find_member(k, s, sym, name) : NULL;
}

Node *
check_node_name(Checker *k, Scope *s, Name name)
{
    Symbol *sym = find_kind(k, s, name, SYM_LABEL, SYM_NODE_ARG, "label");
    return sym ? find_member(k, s, sym, name) : NULL;
}
