/* Finds which loops and arrays allow strips of innermost loops. */
#include "config.h"

#include "analysis/strips.h"

enum { ROWS_LEAST = 64 };

bool
strips_fit(const Task *t, int64_t row_least, int *last)
{
    const Node *n = t->node;
    if (t->kind == TASK_RANGE_FOR) {
        for (int k = 0; k < t->vars.count; k++)
            if (t->step.items[k] &&
                (t->step.items[k]->kind != INST_CONST || t->step.items[k]->value.leaves[0].i != 1))
                return false;
        *last = t->vars.count - 1;
        return true;
    }
    if (t->kind != TASK_STRUCT_FOR || !n || n->kind != NODE_DENSE || n->parent || n->has_offset)
        return false;
    const int64_t row = n->sizes[n->axis_count - 1];
    if (row && row < row_least)
        return false;
    int64_t rows = 1;
    for (int k = 0; k < n->axis_count - 1 && rows < ROWS_LEAST; k++)
        rows *= n->sizes[k] ? n->sizes[k] : ROWS_LEAST; /* known at run time only */
    if (n->axis_count > 1 && rows < ROWS_LEAST)
        return false;
    *last = node_axis_rank(n, n->axes[n->axis_count - 1]);
    return true;
}

bool
strips_go_along(const Node *n, int last)
{
    return node_axis_rank(n, n->axes[n->axis_count - 1]) == last;
}

bool
strips_own(const Task *t, const Footprint *p, int last)
{
    if (p->field->axis_count != t->vars.count)
        return false;
    for (int k = 0; k < t->vars.count; k++)
        if (!p->own[k] || p->var[k] != k || (k != last && (p->offset_min[k] || p->offset_max[k])))
            return false;
    return true;
}
