/* Fixes for methods and members of modules: p.append(v), x.length(), math.pi. What they become is
 * right as it stands; where that needs more than one change it is told in words. */
#include "config.h"

#include <string.h>

#include "ast/foreign_words.h"
#include "check/check_func.h"
#include "check/suggest.h"

static bool
is_any_of(const char *name, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(name, *words))
            return true;
    return false;
}

/* The source there, which may be empty. */
static const char *
text_at(Checker *k, Span at)
{
    return at.to > at.from ? source_text(k, at) : "";
}

/* The field that is named, with or without indices; NULL for anything else. */
static const Field *
field_of(Checker *k, Scope *s, const Expr *e)
{
    const Expr *base = e->kind == EXPR_INDEX ? e->a : e;
    const Symbol *sym =
        base->kind == EXPR_NAME && !base->name.number ? scope_find(s, base->name.text) : NULL;
    return sym && sym->kind == SYM_FIELD ? check_field_name(k, s, base->name) : NULL;
}

/* p.append(v), p[i].append(v) of a field p: the label of its node takes the place of the name. */
static void
suggest_label_call(Checker *k, const Expr *call, const char *word, const Field *f, Diag *d)
{
    const Expr *object = call->a->a;
    const Expr *base = object->kind == EXPR_INDEX ? object->a : object;
    const Node *node = f->node;
    const char *indices = text_at(k, (Span){base->span.to, object->span.to}),
               *rest = source_text(k, (Span){call->a->span.to, call->span.to});
    const bool is_list = node && node->kind == NODE_DYNAMIC;
    if (node && node->label && (is_list || strcmp(word, "append")))
        diag_edit(d, call->span, "%s(%s%s%s%s", word, node->label, indices,
                  call->args.count ? ", " : "", rest + 1);
    else if (is_list || strcmp(word, "append"))
        diag_fix(d, "a label before the node of '%s', as in cells: %s, then %s(cells%s%s%s",
                 f->name, node ? node_kind_name(node->kind) : "dynamic", word, indices,
                 call->args.count ? ", " : "", rest + 1);
    else
        diag_fix(d, "a field to append to is placed in a list: cells: dynamic i[64] { place %s; }",
                 f->name);
}

bool
suggest_method(Checker *k, Scope *s, const Expr *call)
{
    static const char *const of_labels[] = {"append",    "activate",       "deactivate",
                                            "is_active", "deactivate_all", NULL};
    static const char *const sizes[] = {"length", "len", "size", "count", NULL};
    const Expr *callee = call->a;
    if (callee->kind != EXPR_MEMBER)
        return false;
    const char *known = foreign_word(callee->name.text),
               *word = known ? known : callee->name.text;
    const bool is_size = is_any_of(word, sizes) && !call->args.count;
    const Field *f = is_size || is_any_of(word, of_labels) ? field_of(k, s, callee->a) : NULL;
    if (!f || (is_size && callee->a->kind == EXPR_INDEX &&
               !(f->node && f->node->kind == NODE_DYNAMIC)))
        return false;
    Diag *d = diag(k->c, E0205, callee->span, "there are no methods, only functions");
    if (!is_size)
        suggest_label_call(k, call, word, f, d);
    else if (f->node && f->node->kind == NODE_DYNAMIC)
        suggest_label_call(k, call, "length", f, d);
    else if (f->axis_count == 1)
        diag_edit(d, call->span, "extent(%s, 0)", f->name);
    else
        diag_fix(d, "extent(%s, 0) for the size along the first axis", f->name);
    return true;
}

bool
suggest_module_member(Checker *k, Scope *s, const Expr *e)
{
    const Expr *module = e->a;
    while (module->kind == EXPR_MEMBER) /* ti.math.pi */
        module = module->a;
    if (module->kind != EXPR_NAME || module->name.number || scope_find(s, module->name.text))
        return false;
    const char *name = e->name.text, *known = foreign_word(name),
               *word = known ? known : !strcmp(name, "e") ? "E" : NULL;
    static const char *const constants[] = {"PI", "E", "INF", "NAN", NULL};
    if (!word || !is_any_of(word, constants))
        return false;
    diag_edit(diag(k->c, E0205, e->span, "constants do not belong to modules"), e->span, "%s",
              word);
    return true;
}

void
warn_power(Checker *k, const Expr *e)
{
    enum { EXPONENTS = 63 };
    const Expr *base = e->a, *exponent = e->b;
    if (e->op != OP_XOR || base->kind != EXPR_INT || exponent->kind != EXPR_INT ||
        (base->integer != 2 && base->integer != 10) || exponent->integer >= EXPONENTS)
        return;
    const char *written = source_text(k, base->span), *power = source_text(k, exponent->span);
    if (strspn(written, "0123456789") != strlen(written) ||
        strspn(power, "0123456789") != strlen(power))
        return; /* hexadecimal and binary numbers are meant as bits */
    Diag *d = diag(k->c, W0306, e->span, "'^' is exclusive or: %s ^ %s is %llu, no power", written,
                   power, (unsigned long long)(base->integer ^ exponent->integer));
    if (base->integer == 2)
        diag_guess(d, e->span, "(1 << %s)", power);
    else
        diag_guess(d, e->span, "1e%s", power);
}
