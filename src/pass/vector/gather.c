/* Gather vectorisation: lets a loop read elements at computed indices, from which vectors are
 * gathered one by one. The loop must have so much arithmetic that gathering is the smaller part.
 *
 *   $0 = offloaded struct_for(S1dense) {      →     $0 = offloaded struct_for(S1dense) gathers {
 *
 * Whole vectors and matrices are then loaded and stored by component, because C compilers do not
 * vectorise structs. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/vector_legality.h"
#include "pass/scalarize.h"
#include "pass/vector/deferred_sums.h"

static void
find_gathers(LoopSurvey *k, Task *t)
{
    if (t->quads)
        return;
    const LoopWeight w = loop_survey_weigh(k);
    t->gathers = w.gathered && !w.odd && w.work >= WORK_LEAST * w.gathered;
    if (t->gathers && vector_legality_check(k)) {
        scalarize_block(k->c, k->ir, k->f, t->body);
        deferred_sums_share_gathered(k->c, k->ir, k->f, loop_survey_affine(k), t);
    }
}

void
pass_gather(Compile *c, Ir *ir, IrFunc *f)
{
    loop_survey_each(c, ir, f, ENDS_IN_RANGE, find_gathers);
}
