/* Atomic operations on elements that no other iteration of the loop writes become plain ones: every write to the field in
 * the loop is at the loop's own indices, each with one constant offset, and all loop variables take part.
 *   for i, j in x { x[j, i + 1] += 1.0; }
 *       <f32> $9 = atomic add $8 <- $7       →       <f32> $9 = plain add $8 <- $7
 * Elements of two fields are never the same memory. */
#include "config.h"

#include "pass/index.h"
#include "pass/pass.h"

static const Footprint *
footprint_of(const Footprints *list, const Field *f)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].field == f)
            return &list->items[i];
    return NULL;
}

/* Do two iterations always use two elements? */
static bool
is_injective(const Task *t, const Footprint *f)
{
    unsigned used = 0;
    if (!f->own_index)
        return false;
    for (int k = 0; k < f->field->axis_count; k++) {
        if (f->offset_min[k] != f->offset_max[k])
            return false;
        used |= 1u << f->var[k];
    }
    return used == (1u << t->vars.count) - 1;
}

static bool
same_element(const Footprint *a, const Footprint *b)
{
    for (int k = 0; k < a->field->axis_count; k++)
        if (a->var[k] != b->var[k] || a->offset_min[k] != b->offset_min[k])
            return false;
    return true;
}

static bool
is_written_by_one(const Task *t, const Field *f)
{
    const Footprint *added = footprint_of(&t->effects.accumulates, f);
    const Footprint *written = footprint_of(&t->effects.writes, f);
    if ((added && !is_injective(t, added)) || (written && !is_injective(t, written)))
        return false;
    return !added || !written || same_element(added, written);
}

static void
demote_inst(Inst *i, void *arg)
{
    const Inst *base = i->kind == INST_ATOMIC ? place_base(i->args.items[0]) : NULL;
    if (base && (base->kind == INST_IN_CELL || base->kind == INST_ROOT_PLACE))
        i->plain = i->plain || is_written_by_one(arg, base->field);
}

static void
demote_tasks(const Tasks *tasks)
{
    for (int i = 0; i < tasks->count; i++) {
        Task *t = tasks->items[i];
        if (t->kind == TASK_RANGE_FOR || t->kind == TASK_STRUCT_FOR)
            block_walk(t->body, demote_inst, t);
        demote_tasks(&t->tasks);
        demote_tasks(&t->orelse);
    }
}

void
pass_demote(Compile *c, Ir *ir, IrFunc *f)
{
    (void)c, (void)ir;
    demote_tasks(&f->tasks);
}
