/* Writes the split points of a loop as code: the first index inside, and the one after the last. */
#include "config.h"

#include "pass/loop/split_index.h"

#include "ir/inst_info.h"
#include "pass/clone.h"

typedef struct {
    Compile *c;
    Block *b;
    const Type *type;
    Span span;
} Builder;

static Inst *
number(const Builder *k, int64_t n)
{
    Inst *i = ir_integer(k->c, k->type, k->span, n);
    block_add(k->c, k->b, i);
    return i;
}

static Inst *
operation(const Builder *k, InstKind kind, Inst *a, Inst *b)
{
    Inst *i = ir_new(k->c, kind, k->type, k->span);
    ir_arg(k->c, i, a);
    if (b)
        ir_arg(k->c, i, b);
    block_add(k->c, k->b, i);
    return i;
}

static Inst *
binary(const Builder *k, Op op, Inst *a, Inst *b)
{
    Inst *i = operation(k, INST_BINARY, a, b);
    i->op = op;
    return i;
}

static Inst *
builtin(const Builder *k, Builtin name, Inst *a, Inst *b)
{
    Inst *i = operation(k, INST_BUILTIN, a, b);
    i->builtin = name;
    return i;
}

/* sum + times x term */
static Inst *
plus(const Builder *k, Inst *sum, const InvariantTerm *term)
{
    Inst *x = clone_value(k->c, k->b, term->what);
    const int64_t times = term->times < 0 ? -term->times : term->times;
    if (split_points_may_wrap(x)) /* the end of the loop: what is added to it must not wrap */
        x = builtin(k, BUILTIN_MAX, x, number(k, SPLIT_END_LEAST));
    else if (x->type != k->type)
        x = operation(k, INST_CAST, x, NULL);
    if (times != 1)
        x = binary(k, OP_MUL, x, number(k, times));
    return sum ? binary(k, term->times < 0 ? OP_SUB : OP_ADD, sum, x) : x;
}

/* The first index inside of the cut, or the one after the last. */
static Inst *
index_at(const Builder *k, const SplitPoint *cut)
{
    int64_t rest = cut->at.number + (cut->upper ? cut->times : cut->times - 1);
    const InvariantSum *at = &cut->at;
    Inst *sum = NULL;
    for (int n = 0; n < at->count; n++)   /* begins with what is added */
        if (at->terms[n].times > 0)
            sum = plus(k, sum, &at->terms[n]);
    if (!sum)
        sum = number(k, rest), rest = 0;
    for (int n = 0; n < at->count; n++)
        if (at->terms[n].times < 0)
            sum = plus(k, sum, &at->terms[n]);
    if (rest)
        sum = binary(k, rest < 0 ? OP_SUB : OP_ADD, sum, number(k, rest < 0 ? -rest : rest));
    return cut->times == 1 ? sum : builtin(k, BUILTIN_FLOORDIV, sum, number(k, cut->times));
}

Block *
split_index_block(Compile *c, const Ir *ir, const SplitPoints *s, bool upper, Span span)
{
    Block *b = ARENA_NEW(c->arena, Block);
    const Builder k = {c, b, type_scalar(ir->prog->types, SCALAR_I64), span};
    if (upper ? s->has_high : s->has_low)
        b->result = number(&k, upper ? s->high + 1 : s->low);
    for (int n = 0; n < s->list.count; n++) {
        const SplitPoint *cut = &s->list.items[n];
        if (cut->upper != upper)
            continue;
        Inst *at = index_at(&k, cut);
        b->result = b->result ? builtin(&k, upper ? BUILTIN_MIN : BUILTIN_MAX, b->result, at) : at;
    }
    return b->result ? b : NULL;
}
