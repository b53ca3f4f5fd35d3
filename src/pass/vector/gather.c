/* Allows elements at indices that are computed, which vectors are gathered of one by one, where
 * there is so much arithmetic that this is the smaller part.
 *
 *   $0 = offloaded struct_for(S1dense) {      →     $0 = offloaded struct_for(S1dense) gathers {
 *
 * Whole vectors and matrices are then loaded and stored by component, for C compilers do not make
 * vectors of structs. */
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
    if (!c->options.gpu)
        loop_survey_each(c, ir, f, ENDS_IN_RANGE, find_gathers);
}
