/* What has no effect and is not used: values, stores to variables that nothing reads, branches and loops with nothing in
 * them, and what stands after a jump.
 *     <i32> $2 = const 1                                   →
 *     <i32> $3 = var n.0
 *     declare $3 <- $2              (n is never read)
 * Parallel loops stay: each has random numbers of its own. */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/index.h"
#include "pass/pass.h"

typedef struct {
    bool *read;   /* by variable: something but stores uses it */
    int count;
    bool changed;
} Dce;

/* ---- variables that are only written ---- */

static bool
is_jump(const Inst *i)
{
    return i->kind == INST_RETURN || i->kind == INST_BREAK || i->kind == INST_CONTINUE;
}

/* Cuts blocks off after a jump, and notes which variables are read. */
static void
note_inst(Inst *i, void *arg)
{
    Dce *d = arg;
    for (int k = 0; k < i->args.count; k++) {
        const Inst *base = place_base(i->args.items[k]);
        bool only_store = i->kind == INST_STORE && k == 0;
        bool on_the_way = i->kind == INST_ELEM || i->kind == INST_MEMBER;
        if (base->kind == INST_VAR && !only_store && !(on_the_way && k == 0))
            d->read[base->var->id] = true;
    }
}

static void
cut_block(Dce *d, Block *b)
{
    for (int k = 0; b && k < b->insts.count; k++) {
        Inst *i = b->insts.items[k];
        cut_block(d, i->blocks[0]);
        cut_block(d, i->blocks[1]);
        if (is_jump(i) && k + 1 < b->insts.count) {
            b->insts.count = k + 1;
            d->changed = true;
        }
    }
}

static void
note_block(Block *b, void *arg)
{
    cut_block(arg, b);
    block_walk(b, note_inst, arg);
}

static bool
is_dead_store(const Dce *d, const Inst *i)
{
    const Inst *base = i->kind == INST_STORE ? place_base(i->args.items[0]) : NULL;
    return base && base->kind == INST_VAR && base->var->kind == VAR_LOCAL &&
           !d->read[base->var->id];
}

/* ---- instructions ---- */

static bool
is_empty(const Block *b)
{
    return !b || !b->insts.count;
}

static bool
is_dead(const Dce *d, const Inst *i)
{
    switch (i->kind) {
    case INST_IF: case INST_FOR_CELLS: return is_empty(i->blocks[0]) && is_empty(i->blocks[1]);
    case INST_FOR: return is_empty(i->blocks[0]) && !i->progress;
    case INST_STORE: return is_dead_store(d, i);
    default: return inst_info(i->kind)->result != '-' && !i->uses && !inst_writes(i);
    }
}

static void
drop_use(Inst *i)
{
    if (i)
        i->uses--;
}

static void
drop_uses(Inst *i)
{
    for (int k = 0; k < i->args.count; k++)
        drop_use(i->args.items[k]);
    for (int s = 0; s < 2; s++) {
        Block *b = i->blocks[s];
        for (int k = 0; b && k < b->insts.count; k++)
            drop_uses(b->insts.items[k]);
        if (b)
            drop_use(b->result);
    }
}

/* From the end on, so that what only dead instructions use is dead when it is reached. */
static void
sweep_block(Dce *d, Block *b)
{
    int kept;
    if (!b)
        return;
    for (int k = kept = b->insts.count; k-- > 0;) {
        Inst *i = b->insts.items[k];
        if (!is_dead(d, i)) {
            sweep_block(d, i->blocks[1]);
            sweep_block(d, i->blocks[0]);
        }
        if (is_dead(d, i)) {
            drop_uses(i);
            d->changed = true;
        } else
            b->insts.items[--kept] = i;
    }
    b->insts.items += kept;
    b->insts.count -= kept;
    b->insts.room -= kept;
}

static void
sweep_outer(Block *b, void *arg)
{
    sweep_block(arg, b);
}

static void
drop_empty_tasks(Tasks *tasks)
{
    int kept = 0;
    for (int i = 0; i < tasks->count; i++) {
        Task *t = tasks->items[i];
        drop_empty_tasks(&t->tasks);
        drop_empty_tasks(&t->orelse);
        if (t->kind != TASK_SERIAL || t->body->insts.count)
            tasks->items[kept++] = t;
    }
    tasks->count = kept;
}

void
pass_dce(Compile *c, Ir *ir, IrFunc *f)
{
    Dce d = {0};
    (void)ir;
    for (int i = 0; i < f->vars.count; i++)
        d.count = f->vars.items[i]->id >= d.count ? f->vars.items[i]->id + 1 : d.count;
    do {
        d.read = ARENA_ARRAY(c->arena, bool, d.count);
        d.changed = false;
        ir_walk_blocks(f, note_block, &d);
        ir_number(f);
        ir_walk_blocks(f, sweep_outer, &d);
    } while (d.changed);
    drop_empty_tasks(&f->tasks);
}
