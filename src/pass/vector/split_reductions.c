/* Reduction splitting. Floats are accumulated in several places, by the number of the iteration in
 * the innermost loop. Neither compilers nor processors then wait for one sum after another. The
 * order is the same on every machine.
 *
 *   $0 = offloaded struct_for(S1dense) {      →     $0 = offloaded struct_for(S1dense) lanes {
 *
 * If a float gets only the f32 of rows of an array, they are not collected first, but added where
 * they lie. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/linear.h"
#include "analysis/loop_survey.h"
#include "ir/inst_info.h"

enum { LEAVES_MOST = 16 }; /* of a variable: more would not stay in registers or near */

/* Is the number of a cell that of the innermost loop, but for what stays the same there? */
static bool
goes_by_ones(LoopSurvey *k, const Task *t, const Inst *number)
{
    const Linear sum = linear_of(loop_survey_affine(k), t, number);
    const Var *last = t->vars.items[t->vars.count - 1];
    int64_t times = 0;
    for (int n = 0; n < sum.count; n++) {
        int v = 0;
        while (v < t->vars.count && sum.terms[n].var != t->vars.items[v])
            v++;
        if (v == t->vars.count)
            return false;
        if (sum.terms[n].var == last)
            times += sum.terms[n].times;
    }
    return sum.fits && times == 1;
}

/* Is a container the same one in all iterations of the innermost loop? */
static bool
stays_in_row(LoopSurvey *k, const Task *t, const Inst *i)
{
    if (i->kind == INST_LOAD) {
        const Inst *place = i->args.items[0];
        const Var *v = place->kind == INST_VAR ? place->var : NULL;
        if (!v || v == t->vars.items[t->vars.count - 1])
            return false;
        const Inst *let = loop_survey_is_local(k, v) ? affine_let(loop_survey_affine(k), v) : NULL;
        return let ? stays_in_row(k, t, let) : !loop_survey_is_local(k, v);
    }
    if (inst_info(i->kind)->effects != 'P' && i->kind != INST_LOOKUP)
        return false;
    for (int a = 0; a < i->args.count; a++)
        if (!stays_in_row(k, t, i->args.items[a]))
            return false;
    return true;
}

/* Is it an element of an array of single f32, the next one in each iteration of the innermost
 * loop? */
static bool
is_of_row(LoopSurvey *k, const Task *t, const Inst *load)
{
    const Inst *place = load->kind == INST_LOAD ? load->args.items[0] : NULL;
    const Inst *cell = place && place->kind == INST_IN_CELL ? place->args.items[0] : NULL;
    if (!cell || !cell->node || cell->node->kind != NODE_DENSE || cell->node->cell_bytes != 4)
        return false;
    if (t->kind == TASK_STRUCT_FOR)
        return cell->kind == INST_LOOP_CELL && cell->node == t->node && !cell->var;
    return cell->kind == INST_LOOKUP && task_last_index(t) >= 0 &&
           stays_in_row(k, t, cell->args.items[0]) && goes_by_ones(k, t, cell->args.items[1]);
}

/* Does the loop do nothing but add one f32 of a row to a float? */
static bool
adds_rows(LoopSurvey *k, const Task *t)
{
    const Inst *sum = NULL;
    for (int n = 0; n < t->body->insts.count; n++) {
        const Inst *i = t->body->insts.items[n];
        const char effects = inst_info(i->kind)->effects;
        if (i->kind == INST_REDUCE && !sum)
            sum = i;
        else if (effects != 'P' && effects != 'R')
            return false;
    }
    const Inst *added = sum ? inst_as_f32(sum->args.items[1]) : NULL;
    return added && sum->args.items[0]->kind == INST_VAR && sum->atomic_op == ATOMIC_ADD &&
           is_of_row(k, t, added);
}

static void
find_lanes(LoopSurvey *k, Task *t)
{
    bool floats = false, fits = !k->fails;
    for (int r = 0; r < t->reductions.count; r++) {
        const Type *type = t->reductions.items[r].var->type;
        floats |= type_is_float(type);
        fits &= type->leaf_count <= LEAVES_MOST;
    }
    t->lanes = floats && fits;
    t->adds_rows = t->lanes && t->reductions.count == 1 && adds_rows(k, t);
}

void
pass_split_reductions(Compile *c, Ir *ir, IrFunc *f)
{
    loop_survey_each(c, ir, f, ENDS_IN_RANGE, find_lanes);
}
