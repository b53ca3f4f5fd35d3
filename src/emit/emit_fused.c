/* Products that are fused with a sum, and what becomes of them: gcc makes one instruction of such a
 * value and its negation, -(a * b) - c, which gives 0 where the program's -(a * b + c) is -0. So
 * what may be one is negated by a function (snl_negate_f32), by its bits. */
#include "config.h"

#include "check/leaf.h"
#include "emit/inside.h"
#include "ir/inst_info.h"

/* Does an iteration, or the function, keep it in a variable that may hold such a value? */
static bool
is_in_variable(const Emit *e, const Inst *place)
{
    const Inst *root = inst_place_root(place);
    return root->kind == INST_VAR &&
           (e->fn.fused[root->var->id] ||
            (root->var->kind == VAR_ARG && e->fn.f->func->kind == FUNC_DEVICE));
}

bool
may_be_fused(const Emit *e, const Inst *i)
{
    bool may = false;
    switch (i->kind) {
    case INST_FMA: case INST_CALL: return true;
    case INST_BUILTIN: return !builtin_is_componentwise(i->builtin) || i->builtin == BUILTIN_FMA ||
                              i->builtin == BUILTIN_MIX;
    case INST_LOAD: return is_in_variable(e, i->args.items[0]);
    case INST_COND:
        return may_be_fused(e, i->blocks[0]->result) || may_be_fused(e, i->blocks[1]->result);
    case INST_SELECT: case INST_MAKE: case INST_SPLAT: case INST_GET: case INST_GET_AT: break;
    default: return false;
    }
    for (int a = 0; a < i->args.count && !may; a++)
        may = may_be_fused(e, i->args.items[a]);
    return may;
}

typedef struct {
    Emit *e;
    bool more;
} Noting;

static void
note(Inst *i, void *arg)
{
    Noting *n = arg;
    for (int a = 0; (inst_writes(i) || i->kind == INST_CALL) && a < i->args.count; a++) {
        const Inst *root = inst_place_root(i->args.items[a]);
        const bool holds = root->kind == INST_VAR && !n->e->fn.fused[root->var->id] &&
                           (i->kind != INST_STORE || may_be_fused(n->e, i->args.items[1]));
        if (holds)
            n->e->fn.fused[root->var->id] = n->more = true;
    }
}

static void
note_in(Block *b, void *arg)
{
    block_walk(b, note, arg);
}

void
note_fused(Emit *e, IrFunc *f)
{
    Noting n = {.e = e};
    e->fn.fused = ARENA_ARRAY(e->c->arena, bool, f->vars.count);
    do {
        n.more = false;
        ir_walk_blocks(f, note_in, &n);
    } while (n.more);
}
