/* Adjoints: the fields that @grad makes, and grad(x), which names them. */
#include "config.h"

#include <string.h>

#include "check/check_func.h"

/* ---- declarations ---- */

static bool
holds_f16(const Type *t)
{
    for (int i = 0; i < t->leaf_count; i++)
        if (type_leaf(t, i, NULL) == SCALAR_F16)
            return true;
    return false;
}

/* Can values of the type have an adjoint? */
static bool
may_have_adjoint(Checker *k, const Type *t, const char *name, Span at)
{
    bool has_float = type_is_float(t);
    for (int i = 0; t->kind == TYPE_STRUCT && i < t->leaf_count; i++)
        has_float =
            has_float || scalar_info(type_leaf(t, i, NULL))->kind == KIND_FLOAT;
    if (t->kind == TYPE_ERROR)
        return false;
    if (!has_float)
        diag(k->c, E0704, at, "'%s' is %s, which has no derivative: @grad is for floats", name,
             t->name);
    else if (t->kind == TYPE_STRUCT && holds_f16(t))
        diag(k->c, E0704, at, "'%s' holds f16 in a struct, which has no adjoint: f32 has", name);
    else
        return true;
    return false;
}

/* The name that the adjoint has in C and in files is free, and so is `grad`. */
static bool
is_name_free(Checker *k, const char *name, Span at)
{
    const Symbol *grad = scope_find(k->globals, intern_str(k->c->intern, "grad"));
    const char *own = intern_str(k->c->intern, arena_printf(k->c->arena, "grad_%s", name));
    const Symbol *other = grad ? grad : scope_find(k->globals, own);
    if (!other)
        return true;
    Diag *d = grad ? diag(k->c, E0704, at,
                          "'grad' is a name of the program; grad(%s) is the adjoint of '%s'", name,
                          name)
                   : diag(k->c, E0704, at, "'%s' is the name of the adjoint of '%s' in C and in "
                                           "files, and of something else",
                          own, name);
    diag_note(d, other->span, "'%s' is declared here", other->name);
    return false;
}

static Field *
new_adjoint(Checker *k, const char *name, const Type *type, Span span)
{
    Field *g = ARENA_NEW(k->c->arena, Field);
    g->name = intern_str(k->c->intern, arena_printf(k->c->arena, "grad_%s", name));
    g->id = k->prog->fields.count;
    g->type = layout_adjoint_type(k->prog->types, type);
    g->span = span;
    g->leaves = ARENA_ARRAY(k->c->arena, LeafPlace, g->type->leaf_count);
    vec_push(k->c->arena, &k->prog->fields, g);
    return g;
}

void
declare_adjoint(Checker *k, const Symbol *s, Field *f)
{
    if (!find_attribute(&s->item->attrs, "grad") ||
        !may_have_adjoint(k, f->type, s->name, s->span) || !is_name_free(k, s->name, s->span))
        return;
    f->adjoint = new_adjoint(k, f->name, f->type, f->span);
    f->adjoint->primal = f;
    f->adjoint->boundary = f->boundary;
}

void
declare_param_adjoint(Checker *k, const Symbol *s, Param *p)
{
    if (!find_attribute(&s->item->attrs, "grad") || !p->type ||
        (p->type->kind != TYPE_STRING && !may_have_adjoint(k, p->type, s->name, s->span)))
        return;
    if (p->type->kind == TYPE_STRING) {
        diag(k->c, E0704, s->span, "'%s' is a string, which has no derivative: @grad is for floats",
             s->name);
        return;
    }
    if (!is_name_free(k, s->name, s->span))
        return;
    Field *g = p->adjoint = new_adjoint(k, s->name, p->type, s->span);
    Layout *l = layout_new(k, NULL, s->span);
    g->short_form = true;
    vec_push(k->c->arena, &l->places,
             ((Place){.field = g, .leaf_count = g->type->leaf_count, .type = g->type,
                      .span = s->span}));
    vec_push(k->c->arena, &l->fields, g);
    layout_build(k->c, l);
}

/* ---- uses ---- */

bool
is_grad_call(const Scope *s, const Expr *e)
{
    return e->kind == EXPR_CALL && e->a->kind == EXPR_NAME && !e->a->name.number &&
           !strcmp(e->a->name.text, "grad") && !scope_find(s, e->a->name.text);
}

static void
report_no_adjoint(Checker *k, const Expr *e, const char *name, Span declared)
{
    Diag *d = diag(k->c, E0704, e->span, "'%s' has no adjoint", name);
    diag_note(d, declared, "'%s' is declared here", name);
    diag_fix(d, "@grad before its declaration");
}

Field *
field_of_grad(Checker *k, Scope *s, const Expr *e, bool *failed)
{
    *failed = true;
    if (!check_count(k, e, "'grad'", 1, 1))
        return NULL;
    if (k->func && k->func->derive) {
        diag_note(diag(k->c, E0705, e->span, "a block of derivatives names no adjoints"),
                  k->func->derive->span, "the block begins here");
        return NULL;
    }
    const Expr *of = e->args.items[0];
    Symbol *sym = named_symbol(k, s, of);
    if (sym && sym->kind == SYM_PARAM && sym->param) {
        if (!sym->param->adjoint)
            report_no_adjoint(k, e, sym->name, sym->span);
        *failed = !sym->param->adjoint;
        return sym->param->adjoint;
    }
    if (!sym && of->kind == EXPR_NAME) {
        scope_report_unknown(k, s, of->name.text, of->span, "field or param");
        return NULL;
    }
    Field *f = named_field(k, s, of, failed);
    if (!f && !*failed && of->kind != EXPR_ERROR)
        diag_fix(diag(k->c, E0704, e->span, "'grad' takes the name of a field or param"),
                 "indices stand behind: grad(x)[i]");
    else if (f && f->primal)
        diag(k->c, E0704, e->span, "'%s' is an adjoint, which has none itself", f->name);
    else if (f && !f->adjoint)
        report_no_adjoint(k, e, f->name, f->span);
    *failed = !f || !f->adjoint;
    return *failed ? NULL : f->adjoint;
}

TExpr *
check_grad(Checker *k, Scope *s, const Expr *e)
{
    bool failed;
    Field *f = field_of_grad(k, s, e, &failed);
    return f ? field_without_index(k, e, f) : tx_error(k, e->span);
}

/* ---- places ---- */

Field *
placed_adjoint(Checker *k, Scope *s, const Expr *e)
{
    const Name name = e->args.items[0]->name;
    if (!is_grad_call(s, e)) {
        diag(k->c, E0410, e->span, "a field is placed, or an adjoint: place grad(x)");
        return NULL;
    }
    Field *f = check_field_name(k, s, name);
    if (f && !f->adjoint && f->type->kind != TYPE_ERROR)
        report_no_adjoint(k, e, f->name, f->span);
    if (!f || !f->adjoint)
        return NULL;
    f->adjoint->by_hand = true;
    return f->adjoint;
}

/* Is an adjoint active whenever its field is: in its cell, or in a dense node beside its dense
 * one? */
static bool
lies_beside(const LeafPlace *of, const LeafPlace *adjoint)
{
    const Node *n = of->node, *m = adjoint->node;
    if (of->layout != adjoint->layout || n == m)
        return of->layout == adjoint->layout;
    return n && m && n->kind == NODE_DENSE && m->kind == NODE_DENSE && n->parent == m->parent;
}

void
check_adjoint_place(Checker *k, const Field *adjoint)
{
    const Field *f = adjoint->primal;
    if (!f || !adjoint->by_hand || f->type->kind == TYPE_ERROR)
        return;
    for (int i = 0; i < f->type->leaf_count; i++) {
        if (!f->leaves[i].layout || lies_beside(&f->leaves[i], &adjoint->leaves[i]))
            continue;
        Diag *d = diag(k->c, E0704, layout_place(adjoint, i)->span,
                       "the adjoint of '%s' lies in the cell of '%s', or in a dense node beside "
                       "that of '%s'",
                       f->name, f->name, f->name);
        diag_note(d, layout_place(f, i)->span, "'%s' is placed here", f->name);
        return;
    }
}
