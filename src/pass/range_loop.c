/* Writes parallel loops as loops over ranges of numbers. */
#include "config.h"

#include "pass/range_loop.h"

static bool
find_ranges(const Task *t, RangeLoop *r)
{
    for (int k = 0; k < t->vars.count; k++) {
        const Inst *from = t->from.items[k], *to = t->to.items[k], *step = t->step.items[k];
        if (from->kind != INST_CONST || to->kind != INST_CONST ||
            (step && (step->kind != INST_CONST || step->value.leaves[0].i != 1)))
            return false;
        r->from[k] = from->value.leaves[0].i, r->to[k] = to->value.leaves[0].i;
    }
    return true;
}

static bool
find_cells(const Task *t, RangeLoop *r)
{
    const Node *n = task_rows(t);
    for (int k = 0; n && k < n->axis_count; k++) {
        if (!n->sizes[k] || node_axis_rank(n, n->axes[k]) != k)
            return false;
        r->from[k] = 0, r->to[k] = n->sizes[k];
    }
    return n;
}

bool
range_loop_find(const Task *t, RangeLoop *r)
{
    return t->kind == TASK_RANGE_FOR ? find_ranges(t, r) : find_cells(t, r);
}

void
range_loop_set(Compile *c, Task *t, const RangeLoop *r, int strided, int64_t step)
{
    if (t->kind == TASK_STRUCT_FOR)
        t->setup = ARENA_NEW(c->arena, Block);
    t->kind = TASK_RANGE_FOR;
    t->node = NULL;
    t->field = NULL;
    t->from = t->to = t->step = (Insts){0};
    for (int k = 0; k < t->vars.count; k++) {
        const int64_t values[3] = {r->from[k], r->to[k], k == strided ? step : 1};
        Insts *lists[3] = {&t->from, &t->to, &t->step};
        for (int n = 0; n < 3; n++) {
            Inst *constant = ir_integer(c, t->vars.items[k]->type, t->span, values[n]);
            block_add(c, t->setup, constant);
            vec_push(c->arena, lists[n], constant);
        }
    }
}
