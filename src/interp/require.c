/* Layouts that do not exist: a parallel loop asks for all that it names, also through functions
 * that it calls, before it starts, as the compiled one does. */
#include "config.h"

#include <stdlib.h>

#include "interp/inside.h"

/* What a loop names. */
typedef struct {
    const Layout *missing; /* the first that does not exist, or NULL */
    Interp *in;
    bool *seen;            /* functions, by id */
} Named;

static void walk_exprs(Named *k, const TExprs *list);
static void walk_stmt(Named *k, const TStmt *s);

static void
name_layout(Named *k, const Layout *l)
{
    if (!k->missing && !k->in->trees[l->id].exists)
        k->missing = l;
}

/* Elements of a field that lies in several layouts may be of any of these: it names none. */
static void
name_field(Named *k, const Field *f)
{
    const Layout *l = f->leaves[0].layout;
    for (int leaf = 1; leaf < f->type->leaf_count; leaf++)
        if (f->leaves[leaf].layout != l)
            return;
    name_layout(k, l);
}

static void
walk_expr(Named *k, const TExpr *e)
{
    if (!e)
        return;
    walk_expr(k, e->a);
    walk_expr(k, e->b);
    walk_expr(k, e->c);
    walk_exprs(k, &e->args);
    switch (e->kind) {
    case TX_FIELD: name_field(k, e->field); break;
    case TX_IS_ACTIVE: case TX_LENGTH: name_layout(k, e->node->layout); break;
    case TX_EXTENT:
        if (e->node)
            name_layout(k, e->node->layout);
        break;
    case TX_APPEND:
        walk_exprs(k, &e->values);
        name_layout(k, e->node->layout);
        break;
    case TX_CALL:
        if (e->func->kind == FUNC_DEVICE && !k->seen[e->func->id]) {
            k->seen[e->func->id] = true;
            walk_stmt(k, e->func->body);
        }
        break;
    default: break;
    }
}

static void
walk_exprs(Named *k, const TExprs *list)
{
    for (int i = 0; i < list->count; i++)
        walk_expr(k, list->items[i]);
}

static void
walk_stmt(Named *k, const TStmt *s)
{
    if (!s)
        return;
    if (s->kind == TS_CELLS && s->field)
        name_field(k, s->field);
    if (s->node)
        name_layout(k, s->node->layout);
    walk_expr(k, s->target);
    walk_expr(k, s->value);
    walk_exprs(k, &s->from);
    walk_exprs(k, &s->to);
    walk_exprs(k, &s->step);
    walk_exprs(k, &s->args);
    for (int i = 0; i < s->stmts.count; i++)
        walk_stmt(k, s->stmts.items[i]);
    walk_stmt(k, s->body);
    walk_stmt(k, s->orelse);
}

void
require_named(Interp *in, const TStmt *loop)
{
    Named k = {.in = in};
    bool all = true;
    for (int l = 0; l < in->p->layouts.count; l++)
        all = all && in->trees[l].exists;
    if (all)
        return;
    k.seen = interp_memory((size_t)in->p->funcs.count, sizeof *k.seen);
    walk_stmt(&k, loop);
    free(k.seen);
    if (k.missing)
        tree_require(in, k.missing, loop->span);
}
