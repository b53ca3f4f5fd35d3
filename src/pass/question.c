/* What a kernel asks before a loop, and computes for it. */
#include "config.h"

#include "pass/question.h"

#include "ir/inst_info.h"
#include "pass/copy.h"
#include "pass/index.h"

Question
question_new(Compile *c, const Ir *ir, Block *b, Span span)
{
    Types *types = ir->prog->types;
    return (Question){c, b, type_scalar(types, SCALAR_I64), type_scalar(types, SCALAR_BOOL), span,
                      false};
}

static Inst *
added(Question *q, Inst *i)
{
    block_add(q->c, q->b, i);
    return i;
}

Inst *
question_number(Question *q, int64_t n)
{
    return added(q, ir_integer(q->c, q->number, q->span, n));
}

Inst *
question_extent(Question *q, Field *f, int k)
{
    if (f->extents[k])
        return question_number(q, f->extents[k]);
    Inst *e = added(q, ir_new(q->c, INST_EXTENT, q->number, q->span));
    e->field = f;
    e->axis = k;
    return e;
}

Inst *
question_sum(Question *q, Op op, Inst *a, Inst *b)
{
    return added(q, ir_binary(q->c, op, q->number, q->span, a, b));
}

Inst *
question_limit(Question *q, Builtin which, Inst *a, Inst *b)
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
question_widen(Question *q, Inst *i)
{
    if (i->kind == INST_CONST)
        return question_number(q, i->value.leaves[0].i);
    if (i->type == q->number)
        return i;
    Inst *cast = added(q, ir_new(q->c, INST_CAST, q->number, q->span));
    ir_arg(q->c, cast, i);
    return cast;
}

Inst *
question_repeat(Question *q, const Inst *i)
{
    return copy_of_value(q->c, q->b, i);
}

void
question_ask(Question *q, Op op, Inst *a, Inst *b)
{
    if (a->kind == INST_CONST && b->kind == INST_CONST) {
        const int64_t x = a->value.leaves[0].i, y = b->value.leaves[0].i;
        q->never |= op == OP_LE ? x > y : x != y;
        return;
    }
    Inst *i = added(q, ir_binary(q->c, op, q->truth, q->span, a, b)), *all = q->b->result;
    q->b->result = all ? added(q, ir_binary(q->c, OP_LAND, q->truth, q->span, all, i)) : i;
}

bool
value_is_steady(const Inst *i)
{
    if (i->kind == INST_LOAD) {
        const Inst *place = i->args.items[0];
        return inst_is_fixed_load(i) && place->kind == INST_VAR &&
               (place->var->kernel_level || place->var->kind == VAR_ARG);
    }
    if (!inst_is_pure(i) || i->blocks[0] || i->kind == INST_VAR)
        return false;
    for (int a = 0; a < i->args.count; a++)
        if (!value_is_steady(i->args.items[a]))
            return false;
    return true;
}

bool
value_is_same(const Inst *a, const Inst *b)
{
    if (a == b)
        return true;
    if (!inst_is_alike(a, b))
        return false;
    for (int n = 0; n < a->args.count; n++)
        if (!value_is_same(a->args.items[n], b->args.items[n]))
            return false;
    return true;
}

int
task_variable(const Task *t, const Inst *i)
{
    while (i->kind == INST_CAST && index_keeps_value(i->args.items[0]->type, i->type))
        i = i->args.items[0];
    return i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR
               ? task_var_number(t, i->args.items[0]->var)
               : -1;
}
