/* Warns of loops over cells inside an iteration on a GPU. A lane visits the cells that were active
 * when the parallel loop began, whatever the iteration did before. Changes nothing. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/effects.h"

typedef struct {
    Compile *c;
    const Ir *ir;
    const Task *task;
    Nodes changed;          /* cells of these the iteration may have changed so far */
    int *seen;              /* 1 + how many these were when a function was looked at, by id */
    VEC(const Inst *) told;
} LoopSurvey;

/* Has the iteration changed which cells of a node are active? Its own cells, in which it writes,
 * are active anyway. */
static bool
may_have_changed(const LoopSurvey *l, const Node *n)
{
    const Effects *e = &l->task->effects;
    bool before = false, ever = false;
    for (int k = 0; k < l->changed.count; k++)
        before |= node_is_within(n, l->changed.items[k]) || node_is_within(l->changed.items[k], n);
    for (const Node *up = n; up; up = up->parent)
        ever |= nodes_have(&e->may_activate, up) || nodes_have(&e->may_deactivate, up);
    return before && ever;
}

static void
note(LoopSurvey *l, Node *n)
{
    if (!nodes_have(&l->changed, n))
        vec_push(l->c->arena, &l->changed, n);
}

static void
tell(LoopSurvey *l, const Inst *loop)
{
    for (int k = 0; k < l->told.count; k++)
        if (l->told.items[k]->span.from == loop->span.from) /* of another copy */
            return;
    vec_push(l->c->arena, &l->told, loop);
    Diag *d = diag(l->c, W0603, loop->span,
                   "on a GPU this loop visits the cells that were active when the parallel loop "
                   "around it began");
    diag_note(d, l->task->span, "its iterations activate or deactivate such cells before");
    diag_fix(d, "a parallel loop that does this, and another one for the rest");
}

static void look_at_block(LoopSurvey *l, const Block *b);

static void
look_at_call(LoopSurvey *l, const Inst *i)
{
    const Effects *e = effects_of_func(l->c, l->ir, i->func);
    int *const seen = &l->seen[i->func->id];
    if (e->walks.count && *seen != l->changed.count + 1) {
        *seen = l->changed.count + 1;
        look_at_block(l, ir_func(l->ir, i->func)->body);
    }
    for (int k = 0; k < e->may_activate.count; k++)
        note(l, e->may_activate.items[k]);
    for (int k = 0; k < e->may_deactivate.count; k++)
        note(l, e->may_deactivate.items[k]);
}

/* What one round of a loop changes is before the next. */
static void
look_at_loop(LoopSurvey *l, const Inst *i)
{
    int before;
    do {
        before = l->changed.count;
        for (int k = 0; k < 2; k++)
            look_at_block(l, i->blocks[k]);
    } while (l->changed.count > before);
}

static void
look_at_inst(LoopSurvey *l, const Inst *i)
{
    switch (i->kind) {
    case INST_FOR_CELLS:
        if (i->node && node_is_sparse(i->node) && may_have_changed(l, i->node))
            tell(l, i);
        look_at_loop(l, i);
        break;
    case INST_FOR: case INST_WHILE: look_at_loop(l, i); break;
    case INST_CALL: look_at_call(l, i); break;
    case INST_CELL:
        if (i->access == ACCESS_ACTIVATE)
            note(l, i->node);
        break;
    case INST_ACTIVATE: case INST_APPEND: case INST_DEACTIVATE: note(l, i->node); break;
    default:
        for (int k = 0; k < 2; k++)
            look_at_block(l, i->blocks[k]);
    }
}

static void
look_at_block(LoopSurvey *l, const Block *b)
{
    for (int n = 0; b && n < b->insts.count; n++)
        look_at_inst(l, b->insts.items[n]);
}

static void
look_at_task(LoopSurvey *l, const Task *t)
{
    if (!t->effects.walks.count)
        return;
    l->task = t;
    l->changed.count = 0;
    l->seen = ARENA_ARRAY(l->c->scratch, int, l->ir->prog->funcs.count);
    look_at_block(l, t->body);
}

void
pass_stale_cells(Compile *c, Ir *ir, IrFunc *f)
{
    LoopSurvey l = { .c = c, .ir = ir };
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        look_at_task(&l, loops.items[n]);
}
