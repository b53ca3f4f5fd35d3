/* Dead code elimination. Dropped are unused values, variables that only they themselves are
 * computed from, empty branches and loops, code after a jump, and copies of blocks that nothing
 * reads.
 *     <i32> $2 = const 1                                   →
 *     <i32> $3 = var n.0
 *     declare $3 <- $2              (n is never read)
 * Parallel loops stay, because each has random numbers of its own. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/affine.h"
#include "ir/inst_info.h"

#include <string.h>

typedef struct {
    bool *live;     /* by instruction */
    Inst **parent;  /* by instruction: whose block it stands in, or NULL */
    bool *read;     /* by variable: a live instruction needs its value */
    bool *passed;   /* by variable: a store to it was taken for one without effect */
    bool missed;    /* which it has */
} Dce;

/* ---- what stands after a jump ---- */

static void
cut_block(Block *b)
{
    for (int k = 0; b && k < b->insts.count; k++) {
        const Inst *i = b->insts.items[k];
        cut_block(i->blocks[0]);
        cut_block(i->blocks[1]);
        if (i->kind == INST_RETURN || i->kind == INST_BREAK || i->kind == INST_CONTINUE)
            b->insts.count = k + 1;
    }
}

static bool
returns(const Task *t)
{
    if (t->kind != TASK_SERIAL)
        return false;
    const Insts *insts = &t->body->insts;
    return insts->count && insts->items[insts->count - 1]->kind == INST_RETURN;
}

/* Tasks after one that surely returns: the variables that they use may have stood behind the
 * jump. And bodies that fetched what did. */
static void
cut_tasks(Tasks *tasks)
{
    for (int i = 0; i < tasks->count; i++) {
        Task *t = tasks->items[i];
        cut_tasks(&t->tasks);
        cut_tasks(&t->orelse);
        if (!task_fetch(t))
            t->fetches = NULL;
        if (returns(t))
            tasks->count = i + 1;
    }
}

static void
cut_outer(Block *b, void *arg)
{
    (void)arg;
    cut_block(b);
}

/* ---- what is needed ---- */

static void
note_parents(Dce *d, Block *b, Inst *parent)
{
    for (int k = 0; b && k < b->insts.count; k++) {
        Inst *i = b->insts.items[k];
        d->parent[i->id] = parent;
        note_parents(d, i->blocks[0], i);
        note_parents(d, i->blocks[1], i);
    }
}

static void
note_outer(Block *b, void *arg)
{
    note_parents(arg, b, NULL);
}

static void mark_all(Dce *d, const Insts *list);

static void
mark_read(Dce *d, const Var *v)
{
    d->missed |= d->passed[v->id] && !d->read[v->id];
    d->read[v->id] = true;
}

/* Whatever makes an instruction run, and what it takes. */
static void
mark(Dce *d, Inst *i)
{
    if (!i || d->live[i->id])
        return;
    d->live[i->id] = true;
    mark(d, d->parent[i->id]);
    mark_all(d, &i->args);
    if (i->kind == INST_ASSERT)
        mark_all(d, &i->assert_args);
    for (int s = 0; s < 2; s++)
        if (i->blocks[s])
            mark(d, i->blocks[s]->result);
    for (int k = 0; k < i->args.count; k++) {
        const Inst *base = affine_place_base(i->args.items[k]);
        bool way = i->kind == INST_ELEM || i->kind == INST_MEMBER;
        if (base->kind == INST_VAR && !((way || i->kind == INST_STORE) && k == 0))
            mark_read(d, base->var);
    }
}

static void
mark_all(Dce *d, const Insts *list)
{
    for (int k = 0; k < list->count; k++)
        mark(d, list->items[k]);
}

/* Nobody else sees what is stored in the variable. */
static bool
is_own(const Var *v)
{
    return v->kind == VAR_LOCAL ||
           (v->kind == VAR_ARG && v->mode == PARAM_VALUE && v->type->kind != TYPE_EXTERN);
}

/* Does it do more than give a value? */
static bool
has_effect(Dce *d, const Inst *i)
{
    const Inst *base = i->kind == INST_STORE || i->kind == INST_ATOMIC
                           ? affine_place_base(i->args.items[0])
                           : NULL;
    if (base && base->kind == INST_VAR && is_own(base->var)) {
        d->passed[base->var->id] = true;
        return d->read[base->var->id];
    }
    switch (i->kind) {
    case INST_WHILE: case INST_BREAK: case INST_CONTINUE: case INST_RETURN: return true;
    case INST_FOR: return i->progress;
    case INST_IF: case INST_FOR_CELLS: case INST_COND: case INST_LOGIC: return false;
    default: return inst_writes(i);
    }
}

/* From the last to the first, so that what is read is known before what is stored. */
static void
mark_block(Dce *d, Block *b)
{
    for (int k = b->insts.count - 1; k >= 0; k--) {
        Inst *i = b->insts.items[k];
        for (int s = 1; s >= 0; s--)
            if (i->blocks[s])
                mark_block(d, i->blocks[s]);
        if (!d->live[i->id] && has_effect(d, i))
            mark(d, i);
    }
}

static void
mark_outer(Block *b, void *arg)
{
    mark(arg, b->result);
    mark_block(arg, b);
}

static void
mark_bounds(Task *t, void *arg)
{
    Dce *d = arg;
    mark_all(d, &t->from);
    mark_all(d, &t->to);
    mark_all(d, &t->step);
    /* even if nothing accumulates any more: the loop sets the variable */
    for (int r = 0; r < t->reductions.count; r++)
        mark_read(d, t->reductions.items[r].var);
}

/* ---- the rest goes ---- */

static void
sweep_block(const Dce *d, Block *b)
{
    int kept = 0;
    for (int k = 0; b && k < b->insts.count; k++) {
        Inst *i = b->insts.items[k];
        if (!d->live[i->id])
            continue;
        sweep_block(d, i->blocks[0]);
        sweep_block(d, i->blocks[1]);
        b->insts.items[kept++] = i;
    }
    if (b)
        b->insts.count = kept;
}

static void
sweep_outer(Block *b, void *arg)
{
    sweep_block(arg, b);
}

/* Looks for the reads of a halo. */
typedef struct {
    const Halo *halo;
    bool read;
} HaloReads;

static void
find_read(Inst *i, void *arg)
{
    HaloReads *r = arg;
    r->read |= i->kind == INST_HALO && i->halo->halo == r->halo;
}

/* A loop that had halos, and has none any more, asks for no blocks as one with halos does. */
static void
drop_unread_halos(Task *t)
{
    const bool had = t->halos.count > 0;
    int kept = 0;
    for (int k = 0; k < t->halos.count; k++) {
        HaloReads r = {t->halos.items[k], t->halos.items[k]->sums > 0};
        block_walk(t->body, find_read, &r);
        if (r.read)
            t->halos.items[kept++] = t->halos.items[k];
    }
    t->halos.count = kept;
    if (!had || kept)
        return;
    t->ahead_around = 0;
    if (!t->ahead_in_array)
        t->ahead.count = 0;
}

static void
drop_empty_tasks(Tasks *tasks)
{
    int kept = 0;
    for (int i = 0; i < tasks->count; i++) {
        Task *t = tasks->items[i];
        drop_empty_tasks(&t->tasks);
        drop_empty_tasks(&t->orelse);
        drop_unread_halos(t);
        if (t->kind != TASK_SERIAL || t->body->insts.count)
            tasks->items[kept++] = t;
    }
    tasks->count = kept;
}

static Dce
dce_begin(Compile *c, const IrFunc *f, int insts)
{
    const int vars = ir_var_limit(f);
    return (Dce){.live = ARENA_ARRAY(c->scratch, bool, insts),
                 .parent = ARENA_ARRAY(c->scratch, Inst *, insts),
                 .read = ARENA_ARRAY(c->scratch, bool, vars),
                 .passed = ARENA_ARRAY(c->scratch, bool, vars)};
}

static void
note_declared(Inst *i, void *arg)
{
    bool *read = arg;
    const Inst *place = i->kind == INST_STORE && i->defines ? i->args.items[0] : NULL;
    if (place && place->kind == INST_VAR)
        read[place->var->id] = false;
}

void
dce_block(Compile *c, const IrFunc *f, Block *b)
{
    cut_block(b);
    Dce d = dce_begin(c, f, block_number(b));
    memset(d.read, true, sizeof *d.read * ir_var_limit(f)); /* all but its own may be elsewhere */
    block_walk(b, note_declared, d.read);
    note_parents(&d, b, NULL);
    do {
        d.missed = false;
        mark_outer(b, &d);
    } while (d.missed);
    sweep_block(&d, b);
}

void
pass_dce(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    ir_walk_blocks(f, cut_outer, NULL);
    cut_tasks(&f->tasks);
    Dce d = dce_begin(c, f, ir_number(f));
    ir_walk_blocks(f, note_outer, &d);
    tasks_walk(&f->tasks, mark_bounds, &d);
    do {
        d.missed = false;
        ir_walk_blocks(f, mark_outer, &d);
    } while (d.missed);
    ir_walk_blocks(f, sweep_outer, &d);
    drop_empty_tasks(&f->tasks);
}
