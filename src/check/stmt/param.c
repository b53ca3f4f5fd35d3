/* Params whose values are words, and strings that are compared. A word is an i32, its place among
 * the words; of operators it takes only == and !=, beside a word of its own param or that param. */
#include "config.h"

#include "check/stmt/param.h"

#include <string.h>

#include "check/check_func.h"

typedef VEC(const Expr *) Words;

bool
param_is_enum(const Item *item)
{
    return item->type && item->type->kind == TE_NAME && item->type->name.text &&
           !strcmp(item->type->name.text, "enum");
}

/* The words of a | b | c, from the left; false where something else stands there. */
static bool
collect_words(Checker *k, const Expr *e, Words *out)
{
    if (e->kind == EXPR_BINARY && e->op == OP_OR)
        return collect_words(k, e->a, out) && collect_words(k, e->b, out);
    if (e->kind != EXPR_NAME || e->name.number)
        return false;
    vec_push(k->c->arena, out, e);
    return true;
}

void
declare_enum_words(Checker *k, Scope *s, Item *item)
{
    Words words = {0};
    if (!collect_words(k, item->expr, &words)) {
        if (item->expr->kind != EXPR_ERROR)
            diag(k->c, E0313, item->expr->span,
                 "the values of a param enum are words: sand | water; the first is the default");
        return;
    }
    const Type *type = type_scalar(k->prog->types, SCALAR_I32);
    for (int i = 0; i < words.count; i++) {
        const Expr *e = words.items[i];
        Symbol *sym = scope_declare(k, s, SYM_CONST, e->name.text, e->span);
        Leaf *leaf = ARENA_NEW(k->c->arena, Leaf);
        leaf->i = i;
        sym->state = SYM_DONE;
        sym->constant = (Const){.kind = CONST_TYPED, .value = {type, leaf}};
        sym->word_of = item;
    }
}

void
resolve_enum(Checker *k, const Item *item, Param *p)
{
    Words words = {0};
    p->type = type_scalar(k->prog->types, SCALAR_I32);
    p->value = (Value){p->type, ARENA_NEW(k->c->arena, Leaf)};
    collect_words(k, item->expr, &words);
    const char **names = ARENA_ARRAY(k->c->arena, const char *, words.count);
    for (int i = 0; i < words.count; i++)
        names[i] = words.items[i]->name.text;
    p->words = names;
    p->word_count = words.count;
}

/* The declaration of the param that an operand names, or of which it names a word; or NULL. */
static const Item *
enum_of(Scope *s, const Expr *e)
{
    const bool is_name = e->kind == EXPR_NAME && !e->name.number;
    const Symbol *sym = is_name ? scope_find(s, e->name.text) : NULL;
    if (!sym)
        return NULL;
    return sym->kind == SYM_PARAM && sym->item && param_is_enum(sym->item) ? sym->item
                                                                          : sym->word_of;
}

bool
check_enum_operands(Checker *k, Scope *s, const Expr *e)
{
    const Item *a = enum_of(s, e->a), *b = enum_of(s, e->b), *one = a ? a : b;
    if (!one || (a == b && (e->op == OP_EQ || e->op == OP_NE)))
        return true;
    Diag *d = diag(k->c, E0302, e->span,
                   "words of param '%s' are compared with each other by == and !=, "
                   "and nothing else",
                   one->name.text);
    diag_note(d, one->expr->span, "its words are these");
    return false;
}

bool
compares_strings(Checker *k, const Expr *e, const TExpr *a, const TExpr *b, bool *fine)
{
    *fine = true;
    if (a->type->kind != TYPE_STRING || b->type->kind != TYPE_STRING ||
        (e->op != OP_EQ && e->op != OP_NE))
        return false;
    *fine = require_host(k, e->span, "a comparison of strings");
    return true;
}
