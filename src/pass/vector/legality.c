/* Tells C compilers which parallel loops may be vectorised whatever memory their pointers name, and
 * across sequential loops in their bodies, for no iteration depends on another.
 *
 *   $0 = offloaded struct_for(S1dense) {            $0 = offloaded struct_for(S1dense) simd {
 *       <f32> $1 = var i.0                    →         (the same)
 *       ...
 *
 * A loop is `simd` where it is simple (simple.h), and does not reach what it changes by indices of
 * which a C compiler does not know whether they are the same (overlap.h). -Wperf tells of the
 * others. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/iteration_alias.h"
#include "analysis/vector_legality.h"

static const Why overlaps = {"it may reach an element that it changes by another index too",
                             "keep the new value in a variable, and use that"};

static void
find_simd(LoopSurvey *k, Task *t)
{
    if (t->quads)
        return;
    const Inst *overlap =
        vector_legality_check(k) ? iteration_alias_find(k->c, loop_survey_affine(k), t) : NULL;
    t->columns = overlap && !k->fails && task_is_plain(t) && iteration_alias_has_columns(t);
    if (overlap && !t->columns)
        vector_legality_break(k, overlap, &overlaps);
    t->simd = k->simple && !t->columns && !k->fails && (t->lanes || !t->reductions.count);
    vector_legality_report(k);
}

/* Loops that end in a list of cells or in a mask are not told to C compilers, but what keeps them
 * slow is the same. */
static void
look_at_list(LoopSurvey *k, Task *t)
{
    if (!t->goes_abreast && !t->rows) {
        vector_legality_check(k);
        vector_legality_report(k);
    }
}

void
pass_legality(Compile *c, Ir *ir, IrFunc *f)
{
    loop_survey_each(c, ir, f, ENDS_IN_RANGE, find_simd);
    if (c->options.perf)
        loop_survey_each(c, ir, f, ENDS_IN_LIST, look_at_list);
}
