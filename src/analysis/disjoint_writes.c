/* Finds the elements that each iteration of a loop has for itself. */
#include "config.h"

#include "analysis/disjoint_writes.h"

#include "ir/inst_info.h"

static ArrayUse *
find_array(DisjointWrites *o, const Var *v)
{
    for (int i = 0; i < o->arrays.count; i++)
        if (o->arrays.items[i].var == v)
            return &o->arrays.items[i];
    return NULL;
}

/* The index of an array that a place names first, or NULL: all of it. */
static const Inst *
first_element(const Inst *place, const Inst *base)
{
    while (place != base && place->args.items[0] != base)
        place = place->args.items[0];
    return place != base && place->kind == INST_ELEM ? place : NULL;
}

static Affine
element_index(const DisjointWrites *o, const Inst *element, int k)
{
    if (!element || k + 1 >= element->args.count)
        return (Affine){0};
    return affine_of(o->indices, o->task, element->args.items[k + 1]);
}

static void
note_write(DisjointWrites *o, Inst *place)
{
    const Inst *base = affine_place_base(place);
    if (base->kind != INST_VAR)
        return;
    const Inst *element = first_element(place, base);
    ArrayUse *use = find_array(o, base->var);
    bool first = !use;
    if (first) {
        vec_push(o->c->arena, &o->arrays, (ArrayUse){.var = base->var});
        o->external += base->var->type->kind == TYPE_EXTERN;
        use = &vec_last(&o->arrays);
    }
    for (int k = 0; k < AXIS_MAX; k++) {
        Affine at = element_index(o, element, k);
        bool own = at.known && at.var && at.min == at.max;
        if (first)
            use->at[k] = at;
        use->own[k] = own && (first || (use->own[k] && use->at[k].var == at.var &&
                                        use->at[k].min == at.min));
    }
}

static void
note_inst(Inst *i, void *arg)
{
    if (i->kind == INST_STORE || i->kind == INST_ATOMIC || i->kind == INST_REDUCE)
        note_write(arg, i->args.items[0]);
    for (int k = 0; i->kind == INST_CALL && k < i->args.count; k++)
        if (inst_info(i->args.items[k]->kind)->result == 'P')
            note_write(arg, i->args.items[k]);
}

static bool
array_is_own(DisjointWrites *o, const Var *v)
{
    const ArrayUse *use = find_array(o, v);
    unsigned variables = 0;
    if (!use || (v->type->kind == TYPE_EXTERN && o->external > 1))
        return false;
    for (int k = 0; k < AXIS_MAX; k++)
        for (int n = 0; use->own[k] && n < o->task->vars.count; n++)
            variables |= o->task->vars.items[n] == use->at[k].var ? 1u << n : 0;
    return variables == task_variables(o->task);
}

bool
disjoint_writes_has(DisjointWrites *o, const Inst *base)
{
    if (base->kind == INST_IN_CELL || base->kind == INST_ROOT_PLACE)
        return task_owns(o->task, base->field);
    return base->kind == INST_VAR && array_is_own(o, base->var);
}

DisjointWrites
disjoint_writes_of(Compile *c, const AffineFacts *indices, const Task *t)
{
    DisjointWrites o = {.c = c, .indices = indices, .task = t};
    block_walk(t->body, note_inst, &o);
    return o;
}
