/* Fixes for habits of other languages. */
#include "config.h"

#include "check/suggest.h"

#include <string.h>

#include "ast/elsewhere.h"
#include "check/check_func.h"

static bool
is_built_in(const char *name)
{
    for (const char *const *word = built_in_words(); *word; word++)
        if (!strcmp(*word, name))
            return true;
    return false;
}

/* The text of a call behind what is called: "(a, b)". */
static const char *
arguments_text(Checker *k, const Expr *call)
{
    return source_text(k, (Span){call->a->span.to, call->span.to});
}

void
report_no_function(Checker *k, Scope *s, const Expr *call)
{
    const Expr *callee = call->a;
    bool is_member = callee->kind == EXPR_MEMBER;
    const char *name = is_member ? callee->name.text : "", *known = word_elsewhere(name), *rest = arguments_text(k, call);
    if (is_member && callee->a->kind == EXPR_NAME && !scope_find(s, callee->a->name.text)) {
        diag_edit(diag(k->c, E0205, callee->span, "functions do not belong to modules"), callee->span, "%s", name);
        return;
    }
    const char *word = known ? known : name;
    bool has_path = !strcmp(word, "save") || !strcmp(word, "load") || !strcmp(word, "image");
    Diag *d = diag(k->c, E0205, callee->span, is_member ? "there are no methods, only functions" : "this is not a function");
    if (has_path && rest[0] == '(' && call->args.count) { /* the path comes first */
        Span path = call->args.items[0]->span;
        diag_edit(d, call->span, "%s(%s, %s%s", word, source_text(k, path), source_text(k, callee->a->span),
                  source_text(k, (Span){path.to, call->span.to}));
    } else if ((known || is_built_in(name)) && rest[0] == '(')
        diag_edit(d, call->span, "%s(%s%s%s", word, source_text(k, callee->a->span), call->args.count ? ", " : "", rest + 1);
}

void
suggest_index(Checker *k, const Expr *call, Diag *d)
{
    const char *text = arguments_text(k, call);
    size_t length = strlen(text);
    if (length > 2 && text[0] == '(')
        diag_edit(d, call->span, "%s[%.*s]", call->a->name.text, (int)length - 2, text + 1);
}

bool
suggest_extent(Checker *k, const Expr *call)
{
    if (strcmp(call->a->name.text, "len") || call->args.count != 1)
        return false;
    Diag *d = diag(k->c, E0201, call->a->span, "function 'len' is not declared; the size along an axis is extent(x, axis)");
    diag_edit(d, call->span, "extent(%s, 0)", source_text(k, call->args.items[0]->span));
    return true;
}

void
suggest_label(Checker *k, Scope *s, Name name, Diag *d)
{
    const Field *f = name.number ? NULL : check_field_name(k, s, name);
    const Node *node = f ? f->node : NULL;
    if (node && node->label) {
        diag_edit(d, name.span, "%s", node->label);
        return;
    }
    while (node && !node->label)
        node = node->parent;
    if (node)
        diag_fix(d, "%s, the label of its node, with indices of that node's cells", node->label);
    else
        diag_fix(d, "a label before the kind of the node, as in name: pointer i[8]");
}

void
suggest_product(Checker *k, const TExpr *a, const TExpr *b, const char *op, Diag *d)
{
    const Type *x = a->type, *y = b->type;
    if (strcmp(op, "'*'") || x->kind != TYPE_MATRIX || (y->kind != TYPE_MATRIX && y->kind != TYPE_VECTOR) || x->cols != y->rows)
        return;
    Span between = {a->span.to, b->span.from};
    if (between.to > between.from && strspn(source_text(k, between), " *") == between.to - between.from)
        diag_edit(d, between, " @ ");
}

bool
suggest_float_variable(Checker *k, const TExpr *target, const TExpr *value)
{
    if (target->kind != TX_VAR || target->type->kind != TYPE_SCALAR || value->type->kind != TYPE_SCALAR)
        return false;
    const Var *v = target->var;
    Span word = {v->span.from - 4, v->span.from - 1};
    if (scalar_info(target->type->scalar)->kind == KIND_FLOAT || scalar_info(value->type->scalar)->kind != KIND_FLOAT)
        return false;
    if (v->span.from <= 4 || strcmp(source_text(k, word), "var"))
        return false;
    Diag *d = diag(k->c, E0301, value->span, "the value is %s, but '%s' is %s because of its first value", value->type->name, v->name,
                   target->type->name);
    diag_note(d, v->span, "'%s' is declared here", v->name);
    diag_edit(d, word, "%s", value->type->name);
    return true;
}

bool
suggest_whole_field(Checker *k, Scope *s, const Stmt *st)
{
    if (st->target->kind != EXPR_NAME || st->target->name.number || st->op != OP_NONE || !in_host(k))
        return false;
    const Symbol *sym = scope_find(s, st->target->name.text);
    const Field *f = sym && sym->kind == SYM_FIELD ? check_field_name(k, s, st->target->name) : NULL;
    if (!f || !f->axis_count)
        return false;
    const Symbol *from = st->expr->kind == EXPR_NAME ? scope_find(s, st->expr->name.text) : NULL;
    const char *name = from && from->kind == SYM_FIELD ? "copy" : "fill";
    Diag *d = diag(k->c, E0307, st->target->span, "a whole field is not assigned with '='; %s does it", name);
    diag_edit(d, (Span){st->target->span.from, st->expr->span.to}, "%s(%s, %s)", name, f->name, source_text(k, st->expr->span));
    return true;
}
