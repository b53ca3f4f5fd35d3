/* Loop trimming. A loop that does nothing at the ends of its ranges becomes a loop over the indices
 * between them.
 *
 *     $0 = offloaded struct_for(S1dense) {          $0 = offloaded range_for(i32 i.0 in 1..63) {
 *         $2 = load i.0                                 ... (the same)
 *         $4 = $2 > 0
 *         $6 = $2 < 63                          →
 *         $7 = $4 && $6
 *         if $7 { ... }
 *     }                                             }
 *
 * Pass tile_ranges does the same for loops over the cells of blocks. The condition is a conjunction
 * of comparisons of loop variables with constants. It may also be a `continue` where one such
 * comparison holds. Loops with sums, random numbers or checks for races stay, because these depend
 * on the number of the iteration. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"
#include "pass/guard.h"
#include "pass/range_loop.h"

/* Of a loop over several ranges the outermost is shared by threads: it has to be as long as
 * this. */
enum { OUTER_LEAST = 32 };

typedef struct {
    const Ir *ir;
    const Task *t;
    RangeLoop r;
    bool counts;    /* the number of an iteration matters */
} Narrow;

/* The number of the loop variable that is loaded, or -1. */
static int
loop_variable(const Narrow *w, const Inst *i)
{
    return i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR
               ? task_var_number(w->t, i->args.items[0]->var)
               : -1;
}

/* Leaves out the values of a variable for which a comparison with a constant does not give
 * `wanted`; false where these are not at an end. */
static bool
narrow_by(Narrow *w, int k, Op op, int64_t by, bool wanted)
{
    int64_t *from = &w->r.from[k], *to = &w->r.to[k];
    const int64_t after = by < INT64_MAX ? by + 1 : by;     /* no loop gets to the last number */
    if (!wanted)
        op = op_negated(op);
    switch (op) {
    case OP_LT: *to = by < *to ? by : *to; return true;
    case OP_LE: *to = after < *to ? after : *to; return true;
    case OP_GT: *from = after > *from ? after : *from; return true;
    case OP_GE: *from = by > *from ? by : *from; return true;
    case OP_NE:
        if (by != *from && by != *to - 1)
            return by < *from || by >= *to;
        *from += by == *from;
        *to -= by == *to - 1 && *to > *from;
        return true;
    default: return false;
    }
}

/* The same for a condition. */
static bool
narrow_to(Narrow *w, const Inst *i, bool wanted)
{
    const Inst *a = i->args.count ? i->args.items[0] : NULL;
    if (!a)
        return false;
    if (i->kind == INST_LOGIC && i->op == (wanted ? OP_LAND : OP_LOR))
        return narrow_to(w, a, wanted) && narrow_to(w, i->blocks[0]->result, wanted);
    if (i->kind == INST_UNARY && i->op == OP_NOT)
        return narrow_to(w, a, !wanted);
    if (i->kind != INST_BINARY)
        return false;
    const Inst *b = i->args.items[1];
    if (type_is_bool(a->type) && a->type->kind == TYPE_SCALAR)
        return (i->op == (wanted ? OP_LAND : OP_LOR) || i->op == (wanted ? OP_AND : OP_OR)) &&
               narrow_to(w, a, wanted) && narrow_to(w, b, wanted);
    int k = loop_variable(w, a);
    return k >= 0 && b->kind == INST_CONST && op_is_comparison(i->op) &&
           narrow_by(w, k, i->op, b->value.leaves[0].i, wanted);
}

static void
find_count(Inst *i, void *arg)
{
    Narrow *w = arg;
    w->counts |= guard_counts(w->ir, i);
}

static void
narrow_task(Compile *c, const Ir *ir, Task *t)
{
    Narrow w = {.ir = ir, .t = t};
    Guard guard;
    if (t->reductions.count || !t->vars.count)
        return;
    const bool ranges = range_loop_find(t, &w.r);
    if (!ranges || !guard_find(t->body, &guard))
        return;
    block_walk(t->body, find_count, &w);
    if (w.counts || !narrow_to(&w, guard.condition, guard.wanted))
        return;
    if (t->vars.count > 1 && w.r.to[0] - w.r.from[0] < OUTER_LEAST)
        return;
    range_loop_set(c, t, &w.r, 0, 1);
    guard_drop(c, t->body, &guard);
}

void
pass_trim(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        narrow_task(c, ir, loops.items[n]);
}
