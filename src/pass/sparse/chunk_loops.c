/* Strip-mining by chunks. A sequential loop over all cells of a list goes through the list chunk by
 * chunk:
 *     $9 = length S2dynamic[$8]                         $9 = length S2dynamic[$8]
 *     for k in 0..$9 {                                  for k in 0..$9 cells of $8 {
 *         $12 = lookup S2dynamic $8[$11] read    →          $12 = loop cell S2dynamic of k
 *         $13 = load in cell x $12                          $13 = load in cell x $12
 *     }                                                 }
 * The task changes neither the list nor anything above it, so the length holds in all rounds. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"

typedef struct {
    Compile *c;
    const Task *task;
    Inst *loop, *container;
    bool found;
} Walk;

/* Are the two computed alike from what does not change? */
static bool
same_value(const Inst *a, const Inst *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->type != b->type || a->args.count != b->args.count ||
        a->op != b->op || a->node != b->node || a->blocks[0])
        return false;
    switch (a->kind) {
    case INST_CONST:
        for (int k = 0; k < a->type->leaf_count; k++)
            if (a->value.leaves[k].u != b->value.leaves[k].u)
                return false;
        return true;
    case INST_VAR: return a->var == b->var && var_is_fixed(a->var);
    case INST_GET:
        if (a->index != b->index)
            return false;
        break;
    case INST_LOAD: case INST_ELEM: case INST_UNARY: case INST_BINARY: case INST_CAST:
    case INST_ROOT: case INST_CHILD: break;
    case INST_LOOKUP: case INST_LOOKUP_HASH:
        if (a->access == ACCESS_ACTIVATE || b->access == ACCESS_ACTIVATE)
            return false;
        break;
    default: return false;
    }
    for (int k = 0; k < a->args.count; k++)
        if (!same_value(a->args.items[k], b->args.items[k]))
            return false;
    return true;
}

static bool
is_loop_variable(const Inst *i, const Var *v)
{
    while (i->kind == INST_CAST)
        i = i->args.items[0];
    return i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR && i->args.items[0]->var == v;
}

/* The look-ups of the loop's own cell need no more looking up. */
static void
use_own_cell(Inst *i, void *arg)
{
    Walk *w = arg;
    const Var *v = w->loop->vars.items[0];
    if (i->kind != INST_LOOKUP || i->node != w->container->node || i->access == ACCESS_ACTIVATE)
        return;
    if (!is_loop_variable(i->args.items[1], v) || !same_value(i->args.items[0], w->container))
        return;
    i->kind = INST_LOOP_CELL;
    i->args = (Insts){0};
    i->var = (Var *)v;
    w->found = true;
}

static bool
is_number(const Inst *i, int64_t n)
{
    return i->kind == INST_CONST && i->value.leaves[0].i == n;
}

static void
walk_loop(Inst *i, void *arg)
{
    Walk *w = arg;
    if (i->kind != INST_FOR || i->vars.count != 1 || i->progress ||
        !is_number(i->args.items[0], 0) || !is_number(i->args.items[2], 1))
        return;
    const Inst *length = i->args.items[1];
    if (length->kind != INST_LENGTH || !inst_has_container(length) ||
        !task_leaves(w->task, length->node))
        return;
    w->loop = i;
    w->container = length->args.items[0];
    w->found = false;
    block_walk(i->blocks[0], use_own_cell, w);
    if (w->found)
        ir_arg(w->c, i, w->container);
}

void
pass_chunk_loops(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    const Tasks tasks = ir_tasks(c, f);
    for (int n = 0; n < tasks.count; n++) {
        Walk w = {.c = c, .task = tasks.items[n]};
        block_walk(w.task->body, walk_loop, &w);
    }
}
