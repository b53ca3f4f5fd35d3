/* Extents that are known when a program runs, compared by the expressions of their sizes: params do
 * not change while trees exist. And what messages call what has extents. */
#include "config.h"

#include "check/prog.h"

const char *
var_unset_text(Arena *arena, const Var *v)
{
    return arena_printf(arena, "variable '%s' is used uninitialised: give it a value before%s",
                        v->name, v->mode == PARAM_INOUT ? " the call" : "");
}

const char *
texpr_indexed_name(const TExpr *base)
{
    return base->kind == TX_VAR     ? base->var->name
           : base->kind == TX_TABLE ? base->table->name
                                    : base->type->name;
}

bool
texpr_is_same(const TExpr *a, const TExpr *b)
{
    if (!a || !b || a->kind != b->kind || a->type != b->type || a->op != b->op ||
        a->param != b->param || a->builtin != b->builtin || a->args.count != b->args.count)
        return a == b;
    for (int i = 0; a->kind == TX_CONST && i < a->type->leaf_count; i++)
        if (a->value.leaves[i].u != b->value.leaves[i].u)
            return false;
    for (int i = 0; i < a->args.count; i++)
        if (!texpr_is_same(a->args.items[i], b->args.items[i]))
            return false;
    return texpr_is_same(a->a, b->a) && texpr_is_same(a->b, b->b) && texpr_is_same(a->c, b->c);
}

const TExpr *
node_runtime_size(const Node *n, int axis, int64_t *product)
{
    const TExpr *size = NULL;
    *product = 1;
    for (; n; n = n->parent)
        for (int i = 0; i < n->axis_count; i++)
            if (n->axes[i] == axis && n->size_expr[i])
                size = n->size_expr[i];
            else if (n->axes[i] == axis)
                *product *= n->sizes[i];
    return size;
}

bool
layouts_have_same_sizes(const Layout *a, const Layout *b)
{
    for (int n = 0; n < a->tops.count; n++)
        for (int k = 0; k < a->tops.items[n]->axis_count; k++)
            if (!texpr_is_same(a->tops.items[n]->size_expr[k], b->tops.items[n]->size_expr[k]))
                return false;
    return true;
}

/* What a signed integer was widened from. */
static const TExpr *
without_widening(const TExpr *e)
{
    while (e->kind == TX_CAST) {
        const ScalarInfo *from = scalar_info(e->a->type->scalar),
                         *to = scalar_info(e->type->scalar);
        if (from->kind != KIND_INT || to->kind != KIND_INT || to->bytes < from->bytes)
            break;
        e = e->a;
    }
    return e;
}

/* The run-time size that makes the extent of a field, as long as no tree of another size takes the
 * place of its own; or NULL. */
static const TExpr *
extent_size(const Field *f, int i, int64_t *product)
{
    const TExpr *size =
        f->extents[i] || !f->node ? NULL : node_runtime_size(f->node, f->axes[i], product);
    return size && !layout_first_twin(f->node->layout)->changes_size ? without_widening(size)
                                                                     : NULL;
}

bool
field_extents_are_same(const Field *f, int i, const Field *g, int k)
{
    int64_t first, other;
    const TExpr *a = extent_size(f, i, &first), *b = extent_size(g, k, &other);
    return a && b && first == other && f->offsets[i] == g->offsets[k] && texpr_is_same(a, b);
}

bool
texpr_is_within_extent(const TExpr *e, const Field *f, int i)
{
    int64_t product;
    const TExpr *size = extent_size(f, i, &product);
    e = without_widening(e);
    if (e->kind == TX_BINARY && e->op == OP_SUB && e->b->kind == TX_CONST &&
        e->b->value.leaves[0].i >= 0)
        e = without_widening(e->a);
    if (e->kind == TX_EXTENT && e->field)
        return field_extents_are_same(f, i, e->field, e->axis);
    return size && product == 1 && !f->offsets[i] && texpr_is_same(e, size);
}
