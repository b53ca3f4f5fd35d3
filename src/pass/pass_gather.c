/* Allows elements at indices that are computed, which vectors are gathered of one by one, where
 * there is so much arithmetic that this is the smaller part.
 *
 *   $0 = offloaded struct_for(S1dense) {      →     $0 = offloaded struct_for(S1dense) gathers {
 *
 * Whole vectors and matrices are then loaded and stored by component, for C compilers do not make
 * vectors of structs. */
#include "config.h"

#include "pass/batch.h"
#include "pass/leaves.h"
#include "pass/pass.h"
#include "pass/simple.h"

static void
find_gathers(Look *k, Task *t)
{
    if (t->quads)
        return;
    const Weight w = look_weigh(k);
    t->gathers = w.gathered && !w.odd && w.work >= WORK_LEAST * w.gathered;
    if (t->gathers && simple_check(k)) {
        leaves_apart(k->c, k->ir, k->f, t->body);
        gather_share_numbers(k->c, k->ir, k->f, look_indices(k), t);
    }
}

void
pass_gather(Compile *c, Ir *ir, IrFunc *f)
{
    if (!c->options.gpu)
        look_at_loops(c, ir, f, ENDS_IN_RANGE, find_gathers);
}
