/* Vectorisation with deferred scatter: finds loops that add to elements of arrays, or gather them,
 * with enough arithmetic. Several iterations are computed as vectors before anything is added
 * (deferred_sums.c).
 *
 *   $0 = offloaded struct_for(x) scatter(S1dense) {   →   $0 = offloaded struct_for(x) batch(27)
 *                                                             scatter(S1dense) {
 */
#include "config.h"

#include "pass/pass.h"

#include "analysis/vector_legality.h"
#include "pass/scalarize.h"
#include "pass/vector/deferred_sums.h"

enum { NUMBERS = 8 }; /* operations that the numbers of cells may take */

/* Do C compilers lack vectors of what lies side by side in the loop's own cells? */
static bool
has_odd_cells(const Task *t)
{
    return t->node && !t->node->children.count && (t->node->cell_bytes & (t->node->cell_bytes - 1));
}

static void
find_batch(LoopSurvey *k, Task *t)
{
    bool one_loop = t->kind == TASK_RANGE_FOR
                        ? t->vars.count == 1
                        : t->node && !t->node->parent && t->node->axis_count == 1;
    if (!one_loop || loop_survey_is_taken(t) || t->quads || k->fails)
        return;
    if (t->scatter.count)
        deferred_sums_find(k->c, loop_survey_affine(k), t);
    const LoopWeight w = loop_survey_weigh(k);
    const bool pays = t->scatter.count ? w.work >= WORK_LEAST * t->batch.count + NUMBERS
                                       : t->gathers && has_odd_cells(t);
    t->batches = vector_legality_check(k) && pays;
    if (!t->batches) {
        t->batch.count = 0;
        return;
    }
    if (!t->gathers)
        scalarize_block(k->c, k->ir, k->f, t->body);
    deferred_sums_share_numbers(k->c, k->ir, k->f, t);
}

void
pass_defer_scatter(Compile *c, Ir *ir, IrFunc *f)
{
    loop_survey_each(c, ir, f, ENDS_IN_RANGE, find_batch);
}
