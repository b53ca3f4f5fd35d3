/* Finds the condition that comes first in a loop and guards all of it. */
#include "config.h"

#include "pass/guard.h"

bool
guard_only_continues(const Block *b)
{
    return b->insts.count == 1 && b->insts.items[0]->kind == INST_CONTINUE;
}

/* Does an instruction change nothing, and read nothing but variables? */
static bool
is_harmless(const Inst *i)
{
    return inst_is_pure(i) || (i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR) ||
           (i->kind == INST_LOGIC && !inst_writes(i));
}

bool
guard_find(const Block *body, Guard *g)
{
    int n = 0;
    while (n < body->insts.count && body->insts.items[n]->kind != INST_IF &&
           is_harmless(body->insts.items[n]))
        n++;
    const Inst *branch = n < body->insts.count ? body->insts.items[n] : NULL;
    if (!branch || branch->kind != INST_IF || branch->blocks[1])
        return false;
    *g = (Guard){branch->args.items[0], !guard_only_continues(branch->blocks[0]), n};
    return !g->wanted || n == body->insts.count - 1;
}

bool
guard_counts(const Ir *ir, const Inst *i)
{
    if (i->kind == INST_CALL && i->func->kind == FUNC_DEVICE) {
        const IrFunc *f = ir_func(ir, i->func);
        return f->uses_random || f->checks_races;
    }
    return i->kind == INST_RANDOM || i->kind == INST_CHECK_RACE || i->kind == INST_APPEND;
}

void
guard_drop(Compile *c, Block *body, const Guard *g)
{
    Insts old = block_take(body);
    for (int n = 0; n < old.count; n++) {
        const Inst *i = old.items[n];
        if (n != g->at)
            block_add(c, body, old.items[n]);
        for (int m = 0; n == g->at && g->wanted && m < i->blocks[0]->insts.count; m++)
            block_add(c, body, i->blocks[0]->insts.items[m]);
    }
    insts_free(c, &old);
}
