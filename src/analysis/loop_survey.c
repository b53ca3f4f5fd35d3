/* Looks at a loop for the vector passes: its own variables, indices that follow from loop
 * variables, and how much it computes. */
#include "config.h"

#include "analysis/cost.h"
#include "analysis/loop_survey.h"

#include "ir/inst_info.h"

/* ---- the loops ---- */

static void
note_local(Inst *i, void *arg)
{
    LoopSurvey *k = arg;
    if (i->kind == INST_STORE && i->defines)
        k->local[i->args.items[0]->var->id] = k->loop;
    for (int v = 0; i->kind == INST_FOR && v < i->vars.count; v++)
        k->local[i->vars.items[v]->id] = k->loop;
    k->fails |= inst_may_fail(i);
    if (i->kind == INST_CALL && i->func->kind == FUNC_DEVICE)
        k->fails |= ir_func(k->ir, i->func)->may_fail;
}

/* The loop ends in one of consecutive indices: not in a list of cells. */
static bool
ends_in_range(const Task *t)
{
    return t->kind == TASK_RANGE_FOR ||
           (t->kind == TASK_STRUCT_FOR && t->node && t->node->kind == NODE_DENSE && !t->use_list);
}

/* Room for variables that passes have added. */
static void
count_variables(LoopSurvey *k)
{
    int ids = k->ids;
    for (; k->vars < k->f->vars.count; k->vars++)
        ids = k->f->vars.items[k->vars]->id >= ids ? k->f->vars.items[k->vars]->id + 1 : ids;
    if (ids <= k->ids)
        return;
    k->ids = 2 * ids;
    k->local = ARENA_ARRAY(k->c->scratch, int, k->ids);
}

static void
look_at_loop(LoopSurvey *k, Task *t)
{
    count_variables(k);
    k->t = t;
    k->loop++;
    k->fails = false;
    k->simple = true;
    block_walk(t->body, note_local, k);
}

void
loop_survey_each(Compile *c, Ir *ir, IrFunc *f, LoopEnd end, void (*fn)(LoopSurvey *k, Task *t))
{
    LoopSurvey k = {.c = c, .ir = ir, .f = f};
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++) {
        if (ends_in_range(loops.items[n]) != (end == ENDS_IN_RANGE))
            continue;
        look_at_loop(&k, loops.items[n]);
        fn(&k, loops.items[n]);
    }
}

/* ---- variables and indices ---- */

bool
loop_survey_is_local(const LoopSurvey *k, const Var *v)
{
    return k->local[v->id] == k->loop;
}

const AffineFacts *
loop_survey_affine(LoopSurvey *k)
{
    if (!k->indices)
        k->indices = affine_new(k->c, k->f);
    return k->indices;
}

/* Does an index follow from loop variables, without what is read from memory or changes from time
 * to time? */
static bool
is_plain_index(LoopSurvey *k, const Inst *i)
{
    if (i->kind == INST_LOAD) {
        const Inst *place = i->args.items[0];
        if (place->kind == INST_ELEM && affine_component(place) >= 0)
            place = place->args.items[0];
        if (place->kind != INST_VAR || place->var->kind == VAR_INDEX ||
            !loop_survey_is_local(k, place->var))
            return place->kind == INST_VAR;
        const Inst *value = affine_let(loop_survey_affine(k), place->var);
        return value && is_plain_index(k, value);
    }
    if (inst_info(i->kind)->effects != 'P')
        return false;
    for (int a = 0; a < i->args.count; a++)
        if (!is_plain_index(k, i->args.items[a]))
            return false;
    return true;
}

bool
loop_survey_has_plain_indices(LoopSurvey *k, const Inst *i)
{
    for (int a = 1; a < i->args.count; a++)
        if (!is_plain_index(k, i->args.items[a]))
            return false;
    return true;
}

bool
loop_survey_is_computed(LoopSurvey *k, const Inst *place)
{
    for (;;) {
        switch (place->kind) {
        case INST_LOOKUP:
            if (place->node->kind == NODE_DENSE && !loop_survey_has_plain_indices(k, place))
                return true;
            break;
        case INST_ELEM: case INST_MEMBER: case INST_IN_CELL: case INST_CHILD: break;
        default: return false;
        }
        place = place->args.items[0];
    }
}

bool
loop_survey_is_taken(const Task *t)
{
    return t->reductions.count || task_is_by_blocks(t) || t->inside || t->stream || t->rows;
}

/* ---- work ---- */

typedef struct {
    LoopSurvey *look;
    LoopWeight weight;
} Weighing;

static void
weigh(Inst *i, void *arg)
{
    LoopSurvey *k = ((Weighing *)arg)->look;
    LoopWeight *w = &((Weighing *)arg)->weight;
    switch (i->kind) {
    case INST_UNARY: case INST_BINARY: case INST_FMA: case INST_CAST: case INST_SELECT:
    case INST_BUILTIN: w->work += cost_operations(i); break;
    case INST_LOAD:
        if (loop_survey_is_computed(k, i->args.items[0])) {
            const Field *f = affine_place_base(i->args.items[0])->field;
            w->gathered += i->type->leaf_count;
            w->odd |= !f || task_changes(k->t, f);
        }
        break;
    case INST_STORE: case INST_ATOMIC: case INST_ADDRESS:
        w->odd |= loop_survey_is_computed(k, i->args.items[0]);
        break;
    default: break;
    }
}

LoopWeight
loop_survey_weigh(LoopSurvey *k)
{
    Weighing w = {.look = k};
    block_walk(k->t->body, weigh, &w);
    return w.weight;
}
