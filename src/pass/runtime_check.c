/* Builds what a kernel asks before a loop, and what it computes for the loop. */
#include "config.h"

#include "pass/runtime_check.h"

#include "ir/inst_info.h"
#include "pass/clone.h"

RuntimeCheck
runtime_check_new(Compile *c, const Ir *ir, Block *b, Span span)
{
    Types *types = ir->prog->types;
    return (RuntimeCheck){
        c, b, type_scalar(types, SCALAR_I64), type_scalar(types, SCALAR_BOOL), span, false};
}

static Inst *
added(RuntimeCheck *q, Inst *i)
{
    block_add(q->c, q->b, i);
    return i;
}

Inst *
runtime_check_number(RuntimeCheck *q, int64_t n)
{
    return added(q, ir_integer(q->c, q->number, q->span, n));
}

Inst *
runtime_check_extent(RuntimeCheck *q, Field *f, int k)
{
    if (f->extents[k])
        return runtime_check_number(q, f->extents[k]);
    Inst *e = added(q, ir_new(q->c, INST_EXTENT, q->number, q->span));
    e->field = f;
    e->axis = k;
    return e;
}

Inst *
runtime_check_sum(RuntimeCheck *q, Op op, Inst *a, Inst *b)
{
    return added(q, ir_binary(q->c, op, q->number, q->span, a, b));
}

Inst *
runtime_check_limit(RuntimeCheck *q, Builtin which, Inst *a, Inst *b)
{
    if (!a || !b)
        return a ? a : b;
    Inst *i = added(q, ir_new(q->c, INST_BUILTIN, q->number, q->span));
    i->builtin = which;
    ir_arg(q->c, i, a);
    ir_arg(q->c, i, b);
    return i;
}

Inst *
runtime_check_widen(RuntimeCheck *q, Inst *i)
{
    if (i->kind == INST_CONST)
        return runtime_check_number(q, i->value.leaves[0].i);
    if (i->type == q->number)
        return i;
    Inst *cast = added(q, ir_new(q->c, INST_CAST, q->number, q->span));
    ir_arg(q->c, cast, i);
    return cast;
}

Inst *
runtime_check_repeat(RuntimeCheck *q, const Inst *i)
{
    return clone_value(q->c, q->b, i);
}

void
runtime_check_ask(RuntimeCheck *q, Op op, Inst *a, Inst *b)
{
    if (a->kind == INST_CONST && b->kind == INST_CONST) {
        const int64_t x = a->value.leaves[0].i, y = b->value.leaves[0].i;
        q->never |= op == OP_LE ? x > y : x != y;
        return;
    }
    Inst *i = added(q, ir_binary(q->c, op, q->truth, q->span, a, b)), *all = q->b->result;
    q->b->result = all ? added(q, ir_binary(q->c, OP_LAND, q->truth, q->span, all, i)) : i;
}
