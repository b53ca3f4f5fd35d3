/* Guards become strides. A loop may do something only where a sum of its indices leaves one
 * remainder, such as a loop over the red cells of a board. It goes along rows by that stride.
 *
 *     range_for(i32 i in 1..63, i32 j in 1..63) {     range_for(i32 i in 1..63, i32 j in 1..63) {
 *         $5 = $2 + $4                                    (the same)
 *         $7 = $5 % 2                                 } inside sum { ... yield $5
 *         $10 = $7 == $9                              } inside rest { ... yield $9
 *         if $10 { ... }                        →     } inside .. stride 2 growth 1 {
 *     }                                                   ...
 *                                                     }
 *
 * Other conditions may stand beside the guard or around it, and stay. The sum grows or falls by 1
 * from one index to the next, up to multiples of the stride. The inside is the one of pass
 * partition, or the whole row. Rows keep the body where the sum wraps, or where it is negative and
 * % would give a negative remainder. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"
#include "pass/clone.h"
#include "pass/guard.h"

enum { DEPTH_MOST = 16, STRIDE_MOST = 64, GROWTH_MOST = 1 << 20 };

/* How much a value grows from one last index to the next; VARIES: not always as much. */
typedef int64_t Growth;
#define VARIES INT64_MIN

typedef struct {
    Compile *c;
    const Ir *ir;
    const Task *t;
    const Var *last;
    bool counts;    /* the number of an iteration matters */
} Strides;

/* Where a stride is asked for, and the outcome of that on its way. */
typedef struct {
    const Stride *stride;
    Inst *where;
    bool wanted;
} Test;

static void
find_count(Inst *i, void *arg)
{
    Strides *s = arg;
    s->counts |= guard_counts(s->ir, i);
}

static bool
is_whole_number(const Inst *i)
{
    return i->type && type_is_integer(i->type) && i->type->kind == TYPE_SCALAR &&
           scalar_info(i->type->scalar)->bytes >= 4;
}

static Growth growth_of(const Strides *s, const Inst *i, int depth);

static bool
is_small(Growth growth)
{
    return growth >= -GROWTH_MOST && growth <= GROWTH_MOST;
}

static Growth
growth_of_operation(const Inst *i, Growth a, Growth b)
{
    if (!is_small(a) || !is_small(b))
        return VARIES;
    switch (i->op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL:
        if (i->args.items[1]->kind != INST_CONST)
            return VARIES;
        b = i->args.items[1]->value.leaves[0].i;
        return is_small(b) ? a * b : VARIES;
    default: return VARIES;
    }
}

static Growth
growth_of(const Strides *s, const Inst *i, int depth)
{
    bool invariant = inst_info(i->kind)->effects == 'P';
    if (depth > DEPTH_MOST || !is_whole_number(i))
        return VARIES;
    if (i->kind == INST_LOAD) {
        const Inst *place = i->args.items[0];
        if (place->kind != INST_VAR || place->var->type->kind != TYPE_SCALAR)
            return VARIES;
        return place->var == s->last;
    }
    Growth growth[2] = {0, 0};
    for (int a = 0; a < i->args.count; a++) {
        const Growth one = growth_of(s, i->args.items[a], depth + 1);
        invariant &= one == 0;
        if (a < 2)
            growth[a] = one;
    }
    if (invariant)
        return 0;
    if (i->kind == INST_CAST && i->args.items[0]->kind == INST_LOAD &&
        scalar_info(i->args.items[0]->type->scalar)->bytes <= scalar_info(i->type->scalar)->bytes)
        return growth[0];
    return i->kind == INST_BINARY ? growth_of_operation(i, growth[0], growth[1]) : VARIES;
}

/* The sum and the stride of `sum % stride`; 0: it is no such thing. */
static int64_t
stride_of(const Inst *i, Inst **sum, bool *floors)
{
    const Inst *by = i->args.count == 2 ? i->args.items[1] : NULL;
    if (!by || by->kind != INST_CONST || !is_whole_number(i))
        return 0;
    const int64_t value = by->value.leaves[0].i;
    const bool masks = i->kind == INST_BINARY && i->op == OP_AND,
               divides = i->kind == INST_BINARY && i->op == OP_MOD;
    *sum = i->args.items[0];
    *floors = !divides;
    if (masks)
        return value > 0 && value < STRIDE_MOST && !(value & (value + 1)) ? value + 1 : 0;
    if (!divides && (i->kind != INST_BUILTIN || i->builtin != BUILTIN_FLOORMOD))
        return 0;
    return value > 1 && value <= STRIDE_MOST ? value : 0;
}

static Inst *
copy_value(const Strides *s, Block *out, const Inst *i)
{
    Inst *copy = ARENA_NEW(s->c->arena, Inst);
    *copy = *i;
    copy->args = (Insts){0};
    for (int a = 0; a < i->args.count; a++)
        ir_arg(s->c, copy, copy_value(s, out, i->args.items[a]));
    block_add(s->c, out, copy);
    return copy;
}

static Block *
block_of(const Strides *s, const Inst *value)
{
    Block *b = ARENA_NEW(s->c->arena, Block);
    b->result = copy_value(s, b, value);
    return b;
}

/* The stride of a comparison that is as `wanted` only where the sum leaves the rest, or NULL. */
static const Stride *
stride_of_test(const Strides *s, const Inst *i, bool wanted)
{
    Inst *sum = NULL;
    bool floors = false;
    if (i->kind != INST_BINARY || i->op != (wanted ? OP_EQ : OP_NE))
        return NULL;
    const int64_t by = stride_of(i->args.items[0], &sum, &floors);
    if (!by || growth_of(s, i->args.items[1], 0))
        return NULL;
    const Growth growth = growth_of(s, sum, 0);
    if (!is_small(growth) || ((growth - 1) % by && (growth + 1) % by))
        return NULL;
    Stride *stride = ARENA_NEW(s->c->arena, Stride);
    *stride = (Stride){.by = by, .growth = growth, .floors = floors};
    stride->sum = block_of(s, sum);
    stride->rest = block_of(s, i->args.items[1]);
    return stride;
}

/* Looks for one among what a condition that is as `wanted` is made of. */
static Test
find_in_condition(const Strides *s, Inst *i, bool wanted, int depth)
{
    const Op op = wanted ? OP_LAND : OP_LOR, bits = wanted ? OP_AND : OP_OR;
    const Stride *stride = stride_of_test(s, i, wanted);
    const bool joins = i->kind == INST_LOGIC
                           ? i->op == op
                           : i->kind == INST_BINARY && (i->op == op || i->op == bits);
    if (stride || !joins || !type_is_bool(i->type) || depth > DEPTH_MOST)
        return (Test){stride, i, wanted};
    const Test first = find_in_condition(s, i->args.items[0], wanted, depth + 1);
    if (first.stride)
        return first;
    Inst *second = i->kind == INST_LOGIC ? i->blocks[0]->result : i->args.items[1];
    return find_in_condition(s, second, wanted, depth + 1);
}

/* Does an instruction change nothing, nor end anything? */
static bool
is_harmless(const Inst *i)
{
    const bool decides = i->kind == INST_LOGIC || i->kind == INST_COND;
    return !inst_writes(i) && (decides || inst_info(i->kind)->effects != 'F') &&
           !(inst_is_lookup(i) && i->access == ACCESS_ACTIVATE);
}

/* Looks for one in the conditions without which the block does nothing. */
static Test
find_in_block(const Strides *s, const Block *b)
{
    for (int n = 0; n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        const bool goes_on = i->kind == INST_IF && guard_only_continues(i->blocks[0]);
        if (i->kind == INST_IF && !i->blocks[1] && (goes_on || n == b->insts.count - 1)) {
            const Test test = find_in_condition(s, i->args.items[0], !goes_on, 0);
            if (test.stride || !goes_on)
                return test.stride ? test : find_in_block(s, i->blocks[0]);
        } else if (!is_harmless(i))
            break;
    }
    return (Test){0};
}

static void
strides_task(Compile *c, const Ir *ir, IrFunc *f, Task *t)
{
    if (!task_is_plain(t) || task_sums_floats(t) || t->ahead_strips.count)
        return;
    Strides s = {.c = c, .ir = ir, .t = t, .last = t->vars.items[task_last_index(t)]};
    Block *inside = t->inside ? t->inside : t->body;
    block_walk(inside, find_count, &s);
    if (s.counts || !find_in_block(&s, inside).stride)
        return;
    if (!t->inside)
        t->inside = clone_block(c, f, t->body);
    const Test test = find_in_block(&s, t->inside);
    t->stride = test.stride;
    *test.where = *ir_integer(c, test.where->type, test.where->span, test.wanted);
    fold_block(c, f, t->inside);
    dce_block(c, f, t->inside);
}

void
pass_stride_guard(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        strides_task(c, ir, f, loops.items[n]);
}
