/* Moves instructions out of a loop, operands first. */
#include "config.h"

#include "pass/code_motion.h"

#include "ir/inst_info.h"

CodeMotion
code_motion_new(Compile *c, int ids, StaysFn *stays, const void *arg)
{
    CodeMotion m = {.c = c, .ids = ids, .stays = stays, .arg = arg};
    m.inside = ARENA_ARRAY(c->scratch, bool, ids);
    m.moves = ARENA_ARRAY(c->scratch, bool, ids);
    return m;
}

void
code_motion_free(CodeMotion *m)
{
    arena_release(m->c->scratch, m->inside, (size_t)m->ids);
    arena_release(m->c->scratch, m->moves, (size_t)m->ids);
    m->inside = m->moves = NULL;
}

static bool
is_costly_builtin(const Inst *i)
{
    const bool elementary = i->builtin <= BUILTIN_CBRT;
    const bool linear = i->builtin >= BUILTIN_NORM && i->builtin <= BUILTIN_EIG_SYM;
    return elementary || (linear && i->builtin != BUILTIN_NORM_SQR) ||
           (i->builtin == BUILTIN_FLOORMOD && type_is_float(i->type));
}

bool
code_motion_pays(const Inst *i)
{
    if (i->kind == INST_BINARY)
        return i->op == OP_MATMUL || (i->op == OP_MOD && type_is_float(i->type));
    return i->kind == INST_BUILTIN && is_costly_builtin(i);
}

bool
code_motion_is_invariant(const CodeMotion *m, const Inst *i)
{
    if (!m->inside[i->id] || m->moves[i->id])
        return true;
    if (i->kind == INST_VAR)
        return m->stays(i, m->arg);
    const bool reads = i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR;
    const bool looks = inst_is_lookup(i) && m->stays(i, m->arg);
    if (!reads && !looks &&
        (inst_info(i->kind)->effects != 'P' || i->kind == INST_LOOP_CELL || i->blocks[0]))
        return false;
    for (int a = 0; a < i->args.count; a++)
        if (!code_motion_is_invariant(m, i->args.items[a]))
            return false;
    return true;
}

void
code_motion_add(CodeMotion *m, Inst *i)
{
    vec_push(m->c->scratch, &m->out, i);
}

void
code_motion_take(CodeMotion *m, Inst *i)
{
    if (!m->inside[i->id] || m->moves[i->id])
        return;
    for (int a = 0; a < i->args.count; a++)
        code_motion_take(m, i->args.items[a]);
    m->moves[i->id] = true;
    code_motion_add(m, i);
}

void
code_motion_drop(const CodeMotion *m, Block *b)
{
    int kept = 0;
    for (int n = 0; b && n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        if (m->moves[i->id])
            continue;
        code_motion_drop(m, i->blocks[0]);
        code_motion_drop(m, i->blocks[1]);
        b->insts.items[kept++] = i;
    }
    if (b)
        b->insts.count = kept;
}
