/* Atomic operations on elements that no other iteration of the loop writes become plain ones: wherever the loop writes the
 * field, some indices are loop variables plus one and the same constant, and all loop variables are among them.
 *   for i, j in x { x[j, i + 1] += 1.0; for k in 0..9 { h[i, j, k] += 1; } }
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

/* The loop variables that an index gives back: the same in all accesses, which are `f` and those of `g` (or NULL). */
static unsigned
fixed_variables(const Footprint *f, const Footprint *g)
{
    unsigned variables = 0;
    for (int k = 0; k < f->field->axis_count; k++) {
        bool fixed = f->own[k] && f->offset_min[k] == f->offset_max[k];
        if (g)
            fixed = fixed && g->own[k] && g->var[k] == f->var[k] &&
                    g->offset_min[k] == f->offset_min[k] && g->offset_max[k] == f->offset_min[k];
        if (fixed)
            variables |= 1u << f->var[k];
    }
    return variables;
}

/* Do two iterations always write two elements? */
static bool
is_written_by_one(const Task *t, const Field *f)
{
    const Footprint *added = footprint_of(&t->effects.accumulates, f);
    const Footprint *written = footprint_of(&t->effects.writes, f);
    const Footprint *first = added ? added : written;
    return first && fixed_variables(first, added ? written : NULL) == (1u << t->vars.count) - 1;
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
