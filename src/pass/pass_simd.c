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

#include "pass/overlap.h"
#include "pass/pass.h"
#include "pass/simple.h"

static const Why overlaps = {"it may reach an element that it changes by another index too",
                             "keep the new value in a variable, and use that"};

/* Is a field reached at the last index of the loop alone, which is the one along its rows? */
static bool
is_column(const Task *t, const Field *f)
{
    const Footprints *lists[] = {&t->effects.reads, &t->effects.writes, &t->effects.accumulates};
    const Node *n = f->leaves[0].node;
    if (!f->axis_count || n->kind != NODE_DENSE || n->parent)
        return false;
    const int row = node_axis_rank(n, n->axes[n->axis_count - 1]), last = task_last_index(t);
    for (int k = 0; k < 3; k++) {
        const Footprint *p = footprint_of(lists[k], f);
        if (p && (!p->own[row] || p->var[row] != last || p->offset_min[row] ||
                  p->offset_max[row]))
            return false;
    }
    return true;
}

/* Is everything that the loop changes? */
static bool
has_columns(const Task *t)
{
    const Footprints *lists[] = {&t->effects.writes, &t->effects.accumulates};
    for (int k = 0; k < 2; k++)
        for (int n = 0; n < lists[k]->count; n++)
            if (!is_column(t, lists[k]->items[n].field))
                return false;
    return true;
}

static void
find_simd(Look *k, Task *t)
{
    if (t->quads)
        return;
    const Inst *overlap = simple_check(k) ? overlap_find(k->c, look_indices(k), t) : NULL;
    t->columns = overlap && !k->fails && task_is_plain(t) && has_columns(t);
    if (overlap && !t->columns)
        simple_break(k, overlap, &overlaps);
    t->simd = k->simple && !t->columns && !k->fails && (t->lanes || !t->reductions.count);
    simple_report(k);
}

/* Loops that end in a list of cells or in a mask are not told to C compilers, but what keeps them
 * slow is the same. */
static void
look_at_list(Look *k, Task *t)
{
    if (!t->goes_abreast && !t->rows) {
        simple_check(k);
        simple_report(k);
    }
}

void
pass_simd(Compile *c, Ir *ir, IrFunc *f)
{
    look_at_loops(c, ir, f, ENDS_IN_RANGE, find_simd);
    if (c->options.perf)
        look_at_loops(c, ir, f, ENDS_IN_LIST, look_at_list);
}
