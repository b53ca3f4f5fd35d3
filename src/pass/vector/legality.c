/* Vectorisation legality: tells C compilers which parallel loops they may vectorise, whatever
 * memory their pointers name and across sequential loops in their bodies. No iteration depends on
 * another.
 *
 *   $0 = offloaded struct_for(S1dense) {            $0 = offloaded struct_for(S1dense) simd {
 *       <f32> $1 = var i.0                    →         (the same)
 *       ...
 *
 * A loop is `simd` if it is simple (vector_legality.h), and does not reach an element that it
 * changes by two indices which a C compiler cannot compare (iteration_alias.h). -Wperf tells of the
 * other loops. */
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
    t->columns = overlap && !k->fails && task_is_plain(t) && !t->reductions.count &&
                 iteration_alias_has_columns(t);
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
