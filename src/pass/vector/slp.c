/* SLP vectorisation: finds loops that keep vectors of three or four f32 in one register each. Such
 * loops read or add to these vectors at computed indices, and compute with little else (quads.c).
 */
#include "config.h"

#include "pass/pass.h"

#include "analysis/cost.h"
#include "analysis/loop_survey.h"
#include "pass/vector/deferred_sums.h"
#include "pass/vector/quads.h"

enum { PART_OF_QUADS = 2 }; /* operations on such vectors for each other one of floats */

/* What is compared. */
typedef struct {
    LoopSurvey *look;
    int quads, others;  /* operations on components of such vectors, and on other floats */
    int rows, gathered; /* such vectors at computed indices, and other scalars */
    bool fits;
} Weighing;

static void
weigh(Inst *i, void *arg)
{
    Weighing *w = arg;
    LoopSurvey *k = w->look;
    w->fits &= quads_fit(i, i->kind == INST_VAR && loop_survey_is_local(k, i->var));
    switch (i->kind) {
    case INST_UNARY: case INST_BINARY: case INST_FMA: case INST_SELECT: case INST_BUILTIN:
        if (quads_are(i->type) && i->op != OP_MATMUL && i->kind != INST_BUILTIN)
            w->quads += i->type->leaf_count;
        else if (type_is_float(i->type))
            w->others += cost_operations(i);
        break;
    case INST_LOAD:
        if (loop_survey_is_computed(k, i->args.items[0])) {
            w->rows += quads_are(i->type);
            w->gathered += quads_are(i->type) ? 0 : i->type->leaf_count;
        }
        break;
    case INST_ATOMIC: w->gathered += !i->plain; break;
    default: break;
    }
}

static void
find_quads(LoopSurvey *k, Task *t)
{
    QuadSums sums = {0};
    Weighing w = {.look = k, .fits = true};
    if (loop_survey_is_taken(t))
        return;
    block_walk(t->body, weigh, &w);
    quads_find_sums(k->c, t, t->body, &sums);
    for (int n = 0; n < sums.count; n++) {
        w.rows++;
        w.gathered -= sums.items[n].count;
    }
    t->quads = w.fits && w.rows > w.gathered && w.quads >= PART_OF_QUADS * w.others;
    if (!t->quads)
        return;
    quads_join_sums(k->c, k->ir, t->body, &sums);
    deferred_sums_share_gathered(k->c, k->ir, k->f, loop_survey_affine(k), t);
}

/* A GPU adds four floats side by side at once where they begin at a multiple of 16 bytes, and needs
 * no vectors for that. */
static void
find_sums_of_four(LoopSurvey *k, Task *t)
{
    QuadSums sums = {0}, four = {0};
    if (t->scatter.count)
        return;
    quads_find_sums(k->c, t, t->body, &sums);
    for (int n = 0; n < sums.count; n++)
        if (sums.items[n].count == 4 && quads_are_aligned(sums.items[n].sums[0]->args.items[0]))
            vec_push(k->c->arena, &four, sums.items[n]);
    if (four.count)
        quads_join_sums(k->c, k->ir, t->body, &four);
}

void
pass_slp(Compile *c, Ir *ir, IrFunc *f)
{
    loop_survey_each(c, ir, f, ENDS_IN_RANGE, c->options.gpu ? find_sums_of_four : find_quads);
}
