/* Serialisation of small loops. A loop with few iterations of little work is one chunk in any case.
 * The kernel calls its function itself. C compilers then inline it, with the number of iterations
 * as a constant.
 *
 *     $0 = offloaded struct_for(S1dense) {      →        $0 = offloaded struct_for(S1dense) tiny {
 *         $1 = loop cell S1dense                             (the same)
 *
 * Runs when the bodies are as they are emitted, because their weight counts. */
#include "config.h"

#include "pass/pass.h"
#include "analysis/cost.h"

/* A quarter of what a chunk has at least. */
enum { WORK_MOST = CHUNK_WORK / 4 };

static void
find_append(Inst *i, void *arg)
{
    bool *appends = arg;
    *appends |= i->kind == INST_APPEND;
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
        count = times(count, cost_trip_count(t->from.items[v], t->to.items[v], t->step.items[v]));
    for (const Node *n = t->node; n; n = n->parent) {
        if (n->kind != NODE_DENSE)
            return 0;
        for (int k = 0; k < n->axis_count; k++)
            count = times(count, n->sizes[k]);
    }
    return count;
}

static void
find_tiny(const Ir *ir, Task *t)
{
    bool appends = false; /* such loops have versions for appends */
    const int64_t count = t->scatter.count ? 0 : iteration_count(t);
    if (!count)
        return;
    block_walk(t->body, find_append, &appends);
    int64_t work = times(count, 1 + cost_of_block(ir, t->body));
    t->tiny = !appends && work > 0 && work <= WORK_MOST;
}

void
pass_serialize(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        find_tiny(ir, loops.items[n]);
}
