/* Fixes for habits of other languages. */
#include "config.h"

#include "check/suggest.h"

#include <string.h>

#include "ast/foreign_words.h"
#include "base/diag_data.h"
#include "base/edit_distance.h"
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

/* Can e not be the label of a list: neither that nor a field in one, nor an unknown name? */
static bool
is_no_list(Checker *k, Scope *s, const Expr *e)
{
    const Expr *base = e->kind == EXPR_INDEX ? e->a : e;
    if (base->kind != EXPR_NAME)
        return true;
    const Symbol *sym = scope_find(s, base->name.text);
    if (sym && sym->kind == SYM_FIELD && e != base) {
        const Field *f = check_field_name(k, s, base->name);
        return f && f->node && f->node->kind != NODE_DYNAMIC;
    }
    return sym && (sym->kind == SYM_VAR || sym->kind == SYM_PARAM || sym->kind == SYM_CONST);
}

bool
suggest_norm(Checker *k, Scope *s, const Expr *call)
{
    if (!is_no_list(k, s, call->args.items[0]))
        return false;
    const TExpr *v = check_expr(k, s, call->args.items[0], NULL);
    if (tx_is_error(v))
        return true;
    if (v->type->kind != TYPE_VECTOR)
        return false;
    Diag *d = diag(k->c, E0205, call->a->span,
                   "'length' counts the cells of a list; the length of a vector is its norm");
    diag_edit(d, call->a->span, "norm");
    return true;
}

void
report_no_function(Checker *k, Scope *s, const Expr *call)
{
    const Expr *callee = call->a;
    bool is_member = callee->kind == EXPR_MEMBER;
    if (suggest_method(k, s, call))
        return;
    const char *name = is_member ? callee->name.text : "", *known = foreign_word(name),
               *rest = arguments_text(k, call);
    if (is_member && !strcmp(name, "length") && is_no_list(k, s, callee->a))
        known = "norm";
    if (is_member && callee->a->kind == EXPR_NAME && !scope_find(s, callee->a->name.text)) {
        Diag *d = diag(k->c, E0205, callee->span, "functions do not belong to modules");
        const char *type = foreign_type(name), *here = type ? type : known ? known : name;
        const Symbol *sym = scope_find(s, here);
        if (type || is_built_in(here) || (sym && sym->kind == SYM_FUNC))
            diag_edit(d, callee->span, "%s", here);
        return;
    }
    const char *word = known ? known : name;
    bool has_path = !strcmp(word, "save") || !strcmp(word, "load") || !strcmp(word, "image");
    Diag *d = diag(k->c, E0205, callee->span,
                   is_member ? "there are no methods, only functions" : "this is not a function");
    if (has_path && rest[0] == '(' && call->args.count) { /* the path comes first */
        Span path = call->args.items[0]->span;
        diag_edit(d, call->span, "%s(%s, %s%s", word, source_text(k, path),
                  source_text(k, callee->a->span), source_text(k, (Span){path.to, call->span.to}));
    } else if ((known || is_built_in(name)) && rest[0] == '(')
        diag_edit(d, call->span, "%s(%s%s%s", word, source_text(k, callee->a->span),
                  call->args.count ? ", " : "", rest + 1);
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
    Diag *d = diag(k->c, E0201, call->a->span,
                   "function 'len' is not declared; the size along an axis is extent(x, axis)");
    diag_edit(d, call->span, "extent(%s, 0)", source_text(k, call->args.items[0]->span));
    return true;
}

/* printf("%d\\n", n), whose format ends the line, as print does. */
static bool
suggest_print(Checker *k, const Expr *call)
{
    if (strcmp(call->a->name.text, "printf"))
        return false;
    Diag *d = diag(k->c, E0201, call->a->span,
                   "function 'printf' is not declared; print writes a format and ends the line");
    const Expr *format = call->args.count ? call->args.items[0] : NULL;
    bool ends_line = format && format->kind == EXPR_STRING && format->string_bytes &&
                     format->string[format->string_bytes - 1] == '\n';
    const char *here = ends_line ? format_of_c(k, format, &(int){0}) : NULL;
    if (here)
        diag_edit(d, (Span){call->span.from, format->span.to}, "print(%.*s\"",
                  (int)(strlen(here) - strlen("\\n\"")), here);
    else
        diag_fix(d, "print(\"{}\", …)");
    return true;
}

/* mat3(1.0), mat2(a, b, c, d): GLSL counts the columns first, and its * is our @, so no tool can
 * repair what is done with them. */
static bool
suggest_matrix(Checker *k, const Expr *call)
{
    const char *name = call->a->name.text, *type = foreign_type(name);
    if (!type || strncmp(name, "mat", 3))
        return false;
    int count = call->args.count, columns = name[3] - '0';
    Diag *d = diag(k->c, E0201, call->a->span,
                   "function '%s' is not declared; %s is stored by rows, and '@' is the product",
                   name, type);
    const char *first = count ? source_text(k, call->args.items[0]->span) : "";
    if (count == 1 && (!strcmp(first, "1.0") || !strcmp(first, "1") || !strcmp(first, "1.")))
        diag_fix(d, "identity_%s()", type);
    else if (count == columns || count == columns * columns)
        diag_fix(d, "transpose(%s%s)", type, arguments_text(k, call));
    else
        diag_fix(d, "x * identity_%s() for the diagonal, or all rows", type);
    return true;
}

/* not (a), which denies a comparison that follows, too. */
static bool
suggest_not(Checker *k, const Expr *call)
{
    if (strcmp(call->a->name.text, "not") || call->args.count != 1)
        return false;
    const Source *source = source_find(&k->c->sources, call->span.to);
    const char *behind = source ? source->text + (call->span.to - source->base) : "";
    behind += strspn(behind, " \t\n");
    Diag *d = diag(k->c, E0201, call->a->span, "'not' is written !");
    if (*behind && strchr(");,&|?:]}", *behind))
        diag_edit(d, (Span){call->a->span.from, call->args.items[0]->span.from - 1}, "!");
    else
        diag_fix(d, "!(…)");
    return true;
}

bool
suggest_call(Checker *k, const Expr *call)
{
    return suggest_print(k, call) || suggest_matrix(k, call) || suggest_not(k, call);
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
    if (node && node->kind == NODE_DYNAMIC) { /* what is asked of a list, no node around it does */
        diag_fix(d, "a label before the node of '%s', as in cells: %s", f->name,
                 node_kind_name(node->kind));
        return;
    }
    while (node && !node->label)
        node = node->parent;
    if (node)
        diag_fix(d, "%s, the label of its node, with indices of that node's cells", node->label);
    else
        diag_fix(d, "a label before the kind of the node, as in name: pointer i[8]");
}

bool
suggest_float_variable(Checker *k, const TExpr *target, const TExpr *value)
{
    if (target->kind != TX_VAR || target->type->kind != TYPE_SCALAR ||
        value->type->kind != TYPE_SCALAR)
        return false;
    const Var *v = target->var;
    Span word = {v->span.from - 4, v->span.from - 1};
    if (scalar_info(target->type->scalar)->kind == KIND_FLOAT ||
        scalar_info(value->type->scalar)->kind != KIND_FLOAT)
        return false;
    if (v->span.from <= 4 || strcmp(source_text(k, word), "var"))
        return false;
    Diag *d =
        diag(k->c, E0301, value->span, "the value is %s, but '%s' is %s because of its first value",
             value->type->name, v->name, target->type->name);
    diag_note(d, v->span, "'%s' is declared here", v->name);
    diag_edit(d, word, "%s", value->type->name);
    return true;
}

bool
suggest_whole_field(Checker *k, Scope *s, const Stmt *st)
{
    if (st->target->kind != EXPR_NAME || st->target->name.number || st->op != OP_NONE ||
        !in_host(k))
        return false;
    const Symbol *sym = scope_find(s, st->target->name.text);
    const Field *f =
        sym && sym->kind == SYM_FIELD ? check_field_name(k, s, st->target->name) : NULL;
    if (!f || !f->axis_count)
        return false;
    const Symbol *from = st->expr->kind == EXPR_NAME ? scope_find(s, st->expr->name.text) : NULL;
    const char *name = from && from->kind == SYM_FIELD ? "copy" : "fill";
    Diag *d = diag(k->c, E0307, st->target->span,
                   "a whole field is not assigned with '='; %s does it", name);
    diag_edit(d, (Span){st->target->span.from, st->expr->span.to}, "%s(%s, %s)", name, f->name,
              source_text(k, st->expr->span));
    return true;
}

bool
suggest_declaration(Checker *k, Scope *s, const Stmt *st)
{
    const Expr *name = st->target;
    if (name->kind != EXPR_NAME || name->name.number || st->op != OP_NONE ||
        scope_find(s, name->name.text))
        return false;
    int told = k->c->diags.count;
    scope_report_unknown(k, s, name->name.text, name->span, "name");
    Diag *d = k->c->diags.count > told ? vec_last(&k->c->diags) : NULL;
    TExpr *value = check_expr(k, s, st->expr, NULL);
    if (!d || d->fixes.count)
        return true;
    diag_edit(d, (Span){name->span.from, name->span.from}, "var ");
    if (type_is_arith(value->type) || value->type->kind == TYPE_STRUCT)
        declare_var(k, s, VAR_LOCAL, name->name, value->type)->is_mutable = true;
    return true;
}

static bool
is_named(const Expr *e, const char *name)
{
    return e->kind == EXPR_NAME && !strcmp(e->name.text, name);
}

/* m = max(m, x): atomic_max(m, x); false for anything else. */
static bool
suggest_atomic(Checker *k, const char *name, const Expr *call, Span whole, Diag *d)
{
    bool two = call->kind == EXPR_CALL && call->a->kind == EXPR_NAME && call->args.count == 2;
    if (!two || (strcmp(call->a->name.text, "max") && strcmp(call->a->name.text, "min")))
        return false;
    for (int i = 0; i < 2; i++)
        if (is_named(call->args.items[i], name)) {
            diag_edit(d, whole, "atomic_%s(%s, %s)", call->a->name.text, name,
                      source_text(k, call->args.items[1 - i]->span));
            return true;
        }
    return false;
}

/* The source there without these characters at its ends. */
static const char *
trimmed(Checker *k, Span at, const char *characters)
{
    const char *text = source_text(k, at);
    text += strspn(text, characters);
    size_t n = strlen(text);
    while (n > 0 && strchr(characters, text[n - 1]))
        n--;
    return arena_strndup(k->c->arena, text, n);
}

/* s = s + x, or s = x + s: s += x; false for anything else. */
static bool
suggest_sum(Checker *k, const char *name, const Expr *sum, Span whole, Diag *d)
{
    uint32_t behind_name = whole.from + (uint32_t)strlen(name);
    const char *added;
    if (sum->kind != EXPR_BINARY || sum->op != OP_ADD)
        return false;
    /* no brackets */
    if (is_named(sum->a, name) &&
        !strcmp(trimmed(k, (Span){behind_name, sum->a->span.from}, " "), "="))
        added = trimmed(k, (Span){sum->a->span.to, whole.to}, " +");
    else if (is_named(sum->b, name))
        added = trimmed(k, (Span){behind_name, sum->b->span.from}, " =+");
    else
        return false;
    diag_edit(d, whole, "%s += %s", name, added);
    return true;
}

void
suggest_reduction(Checker *k, const Stmt *assign, Diag *d)
{
    const Expr *target = assign->target, *value = assign->expr;
    Span whole = {target->span.from, value->span.to};
    bool plain = assign->op == OP_NONE && target->kind == EXPR_NAME;
    if (!plain || (!suggest_atomic(k, target->name.text, value, whole, d) &&
                   !suggest_sum(k, target->name.text, value, whole, d)))
        diag_note(d, target->span,
                  "+=, &=, |=, ^=, atomic_min and atomic_max take the values of all iterations; "
                  "@serial makes the loop sequential");
}

void
suggest_type(Checker *k, Scope *s, const TypeExpr *t, Diag *d)
{
    const char *name = t->name.text, *fix = foreign_type(name);
    if (!strcmp(name, "void")) {
        diag_edit(d, (Span){t->span.from, t->span.to + 1}, "%s", ""); /* and the blank behind it */
        return;
    }
    char *small = arena_strndup(k->c->arena, name, strlen(name));
    for (char *p = small; *p; p++)
        *p = (char)(*p >= 'A' && *p <= 'Z' ? *p + ('a' - 'A') : *p);
    /* lte a = 1; retrun a; */
    static const char *const declaring[] = {"let", "var", "create", "destroy", "trim", "return"};
    Nearest near = nearest_to(name);
    for (size_t i = 0; i < sizeof declaring / sizeof *declaring; i++)
        nearest_try(&near, declaring[i]);
    for (int i = 0; i < SCALAR_COUNT && !fix; i++) {
        const char *scalar = scalar_info((Scalar)i)->name;
        if (!strncmp(small, scalar, strlen(scalar)) &&
            strspn(small + strlen(scalar), "x0123456789") == strlen(small) - strlen(scalar) &&
            strcmp(small, name))
            fix = small;
        nearest_try(&near, scalar);
    }
    for (; s && !fix; s = s->parent)
        for (int i = 0; i < s->names.count; i++) {
            const Symbol *sym = s->names.entries[i].value;
            if (sym->kind == SYM_STRUCT)
                nearest_try(&near, s->names.entries[i].key);
        }
    if (!strcmp(name, "real")) /* of Fortran, and of others */
        diag_fix(d, "f32 or f64");
    else if (fix && !strncmp(name, "mat", 3)) /* whose first index is the column */
        diag_fix(d, "%s, where m[i, j] is in row i and column j", fix);
    else if (fix)
        diag_edit(d, t->span, "%s", fix);
    else
        nearest_suggest(&near, d, t->span);
}

bool
suggest_jump(Checker *k, const Scope *s, const Expr *e)
{
    static const char *const words[] = {"return", "break", "continue"};
    if (e->kind != EXPR_NAME || scope_find(s, e->name.text))
        return false;
    Nearest near = nearest_to(e->name.text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        nearest_try(&near, words[i]);
    if (!near.found)
        return false;
    nearest_suggest(&near, diag(k->c, E0201, e->span, "name '%s' is not declared", e->name.text),
                    e->span);
    return true;
}

bool
suggest_cell(Checker *k, const Expr *call, const char *name)
{
    if (call->args.count < 2 || call->args.items[0]->kind != EXPR_NAME)
        return false;
    Span label = call->args.items[0]->span,
         rest = {call->args.items[1]->span.from, vec_last(&call->args)->span.to};
    Diag *d = diag(k->c, E0305, call->span,
                   "'%s' takes 1 argument, not %d; indices stand behind the label", name,
                   call->args.count);
    diag_edit(d, (Span){label.to, rest.to}, "[%s]", source_text(k, rest));
    return true;
}

/* The message just given that something is not known at compile time, if it has no fix yet; else
 * NULL. */
static Diag *
last_unknown(Checker *k)
{
    Diag *last = k->c->diags.count ? vec_last(&k->c->diags) : NULL;
    return last && last->code == E0601 && last->fixes.count == 0 ? last : NULL;
}

void
suggest_static_for(Checker *k, int members)
{
    Diag *last = last_unknown(k);
    if (last)
        diag_fix(last, "static for l in 0..%d { … }, which the compiler unrolls", members);
}
