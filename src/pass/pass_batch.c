/* Finds the loops that add to elements of arrays, or gather them, with so much arithmetic that what
 * several iterations add is computed before it is added; see batch.c.
 *
 *   $0 = offloaded struct_for(x) scatter(S1dense) {   →   $0 = offloaded struct_for(x) batch(27)
 *                                                             scatter(S1dense) { */
#include "config.h"

#include "pass/batch.h"
#include "pass/leaves.h"
#include "pass/pass.h"
#include "pass/simple.h"

enum { NUMBERS = 8 }; /* operations that the numbers of cells may take */

/* Do C compilers lack vectors of what lies side by side in the loop's own cells? */
static bool
has_odd_cells(const Task *t)
{
    return t->node && !t->node->children.count && (t->node->cell_bytes & (t->node->cell_bytes - 1));
}

static void
find_batch(Look *k, Task *t)
{
    bool one_loop = t->kind == TASK_RANGE_FOR
                        ? t->vars.count == 1
                        : t->node && !t->node->parent && t->node->axis_count == 1;
    if (!one_loop || look_is_taken(t) || t->quads || k->fails)
        return;
    if (t->scatter.count)
        batch_find(k->c, look_indices(k), t);
    const Weight w = look_weigh(k);
    const bool pays = t->scatter.count ? w.work >= WORK_LEAST * t->batch.count + NUMBERS
                                       : t->gathers && has_odd_cells(t);
    t->batches = simple_check(k) && pays;
    if (!t->batches) {
        t->batch.count = 0;
        return;
    }
    if (!t->gathers)
        leaves_apart(k->c, k->ir, k->f, t->body);
    batch_share_numbers(k->c, k->ir, k->f, t);
}

void
pass_batch(Compile *c, Ir *ir, IrFunc *f)
{
    if (!c->options.gpu)
        look_at_loops(c, ir, f, ENDS_IN_RANGE, find_batch);
}
