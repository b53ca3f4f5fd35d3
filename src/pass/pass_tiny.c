/* Loops that are too small to be shared by threads: so few iterations, of so little, that they are one chunk in any case. The kernel
 * calls their function itself, which C compilers then make part of it, with the number of iterations as a constant.
 *
 *     $0 = offloaded struct_for(S1dense) {      →        $0 = offloaded struct_for(S1dense) tiny {
 *         $1 = loop cell S1dense                             (the same)
 *
 * Runs when the bodies are as they are emitted, because their weight counts. */
#include "config.h"

#include "pass/pass.h"

/* A quarter of what a chunk has at least. */
enum { WORK_MOST = CHUNK_WORK / 4 };

typedef struct {
    int weight;
    bool appends;   /* such loops have versions for appends */
} Size;

static void
add_weight(Inst *i, void *arg)
{
    Size *s = arg;
    s->weight += inst_weight(i);
    s->appends |= i->kind == INST_APPEND;
}

/* Iterations of a range between constants; 0 where it is none, or has too many. */
static int64_t
range_count(const Task *t, int v)
{
    const Inst *bounds[] = {t->from.items[v], t->to.items[v], t->step.items[v]};
    for (int b = 0; b < 3; b++)
        if (bounds[b]->kind != INST_CONST)
            return 0;
    int64_t from = bounds[0]->value.leaves[0].i, to = bounds[1]->value.leaves[0].i, step = bounds[2]->value.leaves[0].i;
    bool small = from >= -WORK_MOST && from <= WORK_MOST && to >= -WORK_MOST && to <= WORK_MOST && step >= -WORK_MOST && step <= WORK_MOST;
    if (!small || !step)
        return 0;
    return step > 0 ? from < to ? (to - from + step - 1) / step : 0 : from > to ? (from - to - step - 1) / -step : 0;
}

/* The product of factors, 0 where one is not known or it is too large. */
static int64_t
times(int64_t product, int64_t factor)
{
    return factor > 0 && factor <= WORK_MOST && product <= WORK_MOST ? product * factor : 0;
}

static int64_t
iteration_count(const Task *t)
{
    int64_t count = 1;
    for (int v = 0; t->kind == TASK_RANGE_FOR && v < t->vars.count; v++)
        count = times(count, range_count(t, v));
    for (const Node *n = t->node; n; n = n->parent) {
        if (n->kind != NODE_DENSE)
            return 0;
        for (int k = 0; k < n->axis_count; k++)
            count = times(count, n->sizes[k]);
    }
    return count;
}

static void
find_tiny(const Tasks *tasks)
{
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        find_tiny(&t->tasks);
        find_tiny(&t->orelse);
        if ((t->kind != TASK_RANGE_FOR && t->kind != TASK_STRUCT_FOR) || t->scatter.count)
            continue;
        int64_t count = iteration_count(t);
        Size size = {.weight = 1};
        if (count)
            block_walk(t->body, add_weight, &size);
        t->tiny = !size.appends && times(count, size.weight) > 0 && count * size.weight <= WORK_MOST;
    }
}

void
pass_tiny(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    if (!c->options.gpu)
        find_tiny(&f->tasks);
}
