/* Loops that ask where their last index is, by a condition or by the boundary mode of a field, get a copy of their body for the
 * indices inside, where the answers are known; only the rim, at both ends, still asks.
 *   range_for(i32 i in 0..64, i32 j in 0..64) {         range_for(i32 i in 0..64, i32 j in 0..64) {
 *       $9 = $8 - $1                                        (the same)
 *       $10 = builtin max($9, $2)                  →    } inside 1..63 {
 *       $11 = load x[$10]                                   $29 = $28 - $1
 *   }                                                       $30 = load x[$29]
 *                                                       }
 * The inside begins and ends as far from the bounds of the loop as the body's largest offset from the index. */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/pass.h"

enum { OFFSET_MOST = 64, INSTS_MOST = 2000 };

/* What stands for an instruction inside, and between which numbers its value lies. */
typedef struct {
    Inst *copy;
    bool known;
    int64_t low, high;
} Inside;

typedef struct {
    Compile *c;
    const Ir *ir;
    const Var *index;
    int64_t low, high;  /* of the index inside */
    int64_t offset;     /* the largest from the index */
    Inside *inside;     /* by instruction */
    int simpler, insts; /* what is known; size of the body */
    bool asks, fails;   /* asks: something may be known inside */
} Split;

static void copy_block(Split *s, Block *out, const Block *b);

static bool
loads_index(const Split *s, const Inst *i)
{
    return i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR && i->args.items[0]->var == s->index;
}

/* What find a known answer begins with: comparisons, and functions of which an operand may be the value. */
static bool
may_be_known(const Inst *i)
{
    if (i->kind == INST_BINARY)
        return op_is_comparison(i->op);
    return i->kind == INST_BUILTIN && (i->builtin == BUILTIN_MAX || i->builtin == BUILTIN_MIN || i->builtin == BUILTIN_FLOORMOD);
}

static void
look_at(Inst *i, void *arg)
{
    Split *s = arg;
    s->insts++;
    s->asks |= may_be_known(i);
    s->fails |= i->kind == INST_ASSERT || i->kind == INST_RANDOM || i->kind == INST_CHECK_RACE || i->kind == INST_STREAM || i->kind == INST_APPEND;
    if (i->kind == INST_CALL && i->func->kind == FUNC_DEVICE) {
        const IrFunc *f = ir_func(s->ir, i->func);
        s->fails |= f->uses_random || f->checks_races;
    }
    if (i->kind != INST_BINARY || (i->op != OP_ADD && i->op != OP_SUB) || i->args.items[1]->kind != INST_CONST || !loads_index(s, i->args.items[0]))
        return;
    int64_t by = i->args.items[1]->value.leaves[0].i;
    by = by < 0 ? -by : by;
    s->offset = by > s->offset ? by : s->offset;
}

static Inside *
inside_of(Split *s, const Inst *i)
{
    return &s->inside[i->id];
}

/* ---- what is known ---- */

static bool
is_integer(const Inst *i)
{
    return i->type && i->type->kind == TYPE_SCALAR && (scalar_info(i->type->scalar)->kind == KIND_INT || scalar_info(i->type->scalar)->kind == KIND_BOOL);
}

/* 1 or 0 where the comparison is known, else -1. */
static int
compare(const Split *s, const Inst *i)
{
    const Inside *a = &s->inside[i->args.items[0]->id], *b = &s->inside[i->args.items[1]->id];
    bool known = a->known && b->known, equal = a->copy == b->copy && is_integer(i->args.items[0]);
    switch (i->op) {
    case OP_LT: return known && a->high < b->low ? 1 : known && a->low >= b->high ? 0 : -1;
    case OP_LE: return known && a->high <= b->low ? 1 : known && a->low > b->high ? 0 : -1;
    case OP_GT: return known && a->low > b->high ? 1 : known && a->high <= b->low ? 0 : -1;
    case OP_GE: return known && a->low >= b->high ? 1 : known && a->high < b->low ? 0 : -1;
    case OP_EQ: return equal ? 1 : known && (a->high < b->low || a->low > b->high) ? 0 : -1;
    case OP_NE: return equal ? 0 : known && (a->high < b->low || a->low > b->high) ? 1 : -1;
    default: return -1;
    }
}

/* The operand that the value equals, or NULL. */
static const Inst *
equals_operand(const Split *s, const Inst *i)
{
    const Inst *x = i->args.items[0];
    if (i->args.count != 2 || !is_integer(i))
        return NULL;
    const Inside *a = &s->inside[x->id], *b = &s->inside[i->args.items[1]->id];
    if (!a->known || !b->known)
        return NULL;
    switch (i->builtin) {
    case BUILTIN_MAX: return a->low >= b->high ? x : b->low >= a->high ? i->args.items[1] : NULL;
    case BUILTIN_MIN: return a->high <= b->low ? x : b->high <= a->low ? i->args.items[1] : NULL;
    case BUILTIN_FLOORMOD: return a->low >= 0 && b->low == b->high && a->high < b->low ? x : NULL;
    default: return NULL;
    }
}

/* The range of a copied value. */
static void
find_range(Split *s, const Inst *i)
{
    Inside *x = inside_of(s, i);
    if (!is_integer(i))
        return;
    if (i->kind == INST_CONST)
        *x = (Inside){x->copy, true, i->value.leaves[0].i, i->value.leaves[0].i};
    else if (loads_index(s, i))
        *x = (Inside){x->copy, true, s->low, s->high - 1};
    else if (i->kind == INST_CAST) {
        const Inside *a = inside_of(s, i->args.items[0]);
        bool kept = a->known && is_integer(i->args.items[0]) && scalar_info(i->type->scalar)->bytes >= 4;
        *x = (Inside){x->copy, kept && a->low >= INT32_MIN && a->high <= INT32_MAX, a->low, a->high};
    } else if (i->kind == INST_BINARY && (i->op == OP_ADD || i->op == OP_SUB) && i->args.items[1]->kind == INST_CONST) {
        const Inside *a = inside_of(s, i->args.items[0]);
        int64_t by = i->args.items[1]->value.leaves[0].i;
        if (!a->known || by < -OFFSET_MOST || by > OFFSET_MOST)
            return;
        by = i->op == OP_ADD ? by : -by;
        *x = (Inside){x->copy, a->low + by >= INT32_MIN && a->high + by <= INT32_MAX, a->low + by, a->high + by};
    }
}

/* ---- the copy ---- */

static void
set_bool(Split *s, Block *out, const Inst *i, int64_t value)
{
    Inst *constant = ir_new(s->c, INST_CONST, i->type, i->span);
    constant->value = (Value){i->type, ARENA_ARRAY(s->c->arena, Leaf, 1)};
    constant->value.leaves[0].i = value;
    block_add(s->c, out, constant);
    *inside_of(s, i) = (Inside){constant, true, value, value};
    s->simpler++;
}

static void
stands_for(Split *s, const Inst *i, const Inst *operand)
{
    *inside_of(s, i) = *inside_of(s, operand);
}

/* Values and branches that are known; false for all others. */
static bool
copy_known(Split *s, Block *out, const Inst *i)
{
    const Inst *a = i->args.count ? i->args.items[0] : NULL;
    const Inside *first = a ? inside_of(s, a) : NULL;
    bool decided = a && first->known && first->low == first->high && type_is_bool(a->type) && a->type->kind == TYPE_SCALAR;
    if (i->kind == INST_BINARY && is_integer(a) && compare(s, i) >= 0) {
        set_bool(s, out, i, compare(s, i));
        return true;
    }
    if (i->kind == INST_BUILTIN && equals_operand(s, i)) {
        stands_for(s, i, equals_operand(s, i));
        s->simpler++;
        return true;
    }
    if (!decided)
        return false;
    bool yes = first->low != 0;
    switch (i->kind) {
    case INST_UNARY:
        if (i->op == OP_NOT)
            set_bool(s, out, i, !yes);
        return i->op == OP_NOT;
    case INST_SELECT: stands_for(s, i, i->args.items[yes ? 1 : 2]); return true;
    case INST_IF:
        if (i->blocks[!yes])
            copy_block(s, out, i->blocks[!yes]);
        return true;
    case INST_COND:
        copy_block(s, out, i->blocks[!yes]);
        stands_for(s, i, i->blocks[!yes]->result);
        return true;
    case INST_LOGIC:
        if (yes == (i->op == OP_LAND)) {
            copy_block(s, out, i->blocks[0]);
            stands_for(s, i, i->blocks[0]->result);
        } else
            set_bool(s, out, i, yes);
        return true;
    default: return false;
    }
}

/* && and || of which one side is known. */
static bool
copy_logic(Split *s, Block *out, const Inst *i)
{
    const Inst *a = i->args.items[0], *b = i->kind == INST_LOGIC ? i->blocks[0]->result : i->args.items[1];
    bool all = i->op == OP_LAND || i->op == OP_AND;
    if (i->kind == INST_LOGIC)
        copy_block(s, &(Block){0}, i->blocks[0]); /* is written again where it is needed */
    const Inside *left = inside_of(s, a), *right = inside_of(s, b);
    bool knows_left = left->known && left->low == left->high;
    if (!knows_left && !(right->known && right->low == right->high))
        return false;
    bool yes = (knows_left ? left : right)->low != 0;
    if (yes != all)
        set_bool(s, out, i, yes);
    else if (i->kind == INST_LOGIC && knows_left)
        return false;
    else
        stands_for(s, i, knows_left ? b : a);
    return true;
}

static bool
is_logic(const Inst *i)
{
    bool binary = i->kind == INST_BINARY && (i->op == OP_LAND || i->op == OP_LOR || i->op == OP_AND || i->op == OP_OR);
    return (i->kind == INST_LOGIC || binary) && type_is_bool(i->type) && i->type->kind == TYPE_SCALAR;
}

static void
copy_inst(Split *s, Block *out, const Inst *i)
{
    if (copy_known(s, out, i) || (is_logic(i) && copy_logic(s, out, i)))
        return;
    Inst *copy = ARENA_NEW(s->c->arena, Inst);
    *copy = *i;
    copy->args = (Insts){0};
    for (int a = 0; a < i->args.count; a++)
        ir_arg(s->c, copy, inside_of(s, i->args.items[a])->copy);
    for (int k = 0; k < 2; k++)
        if (i->blocks[k]) {
            copy->blocks[k] = ARENA_NEW(s->c->arena, Block);
            copy_block(s, copy->blocks[k], i->blocks[k]);
            if (i->blocks[k]->result)
                copy->blocks[k]->result = inside_of(s, i->blocks[k]->result)->copy;
        }
    block_add(s->c, out, copy);
    *inside_of(s, i) = (Inside){.copy = copy};
    find_range(s, i);
}

static void
copy_block(Split *s, Block *out, const Block *b)
{
    for (int n = 0; n < b->insts.count; n++)
        copy_inst(s, out, b->insts.items[n]);
}

/* The simpler body, in an arena. */
static Block *
copy_body(Split *s, IrFunc *f, const Block *body, Arena *arena)
{
    Arena *lasting = s->c->arena;
    s->c->arena = arena;
    s->inside = ARENA_ARRAY(s->c->scratch, Inside, ir_number(f));
    Block *copy = ARENA_NEW(arena, Block);
    copy_block(s, copy, body);
    s->c->arena = lasting;
    return copy;
}

/* ---- the pass ---- */

/* The range of the last index, where it is known and the loop goes through it one by one. */
static bool
range_of_last(const Task *t, const Var **index, int64_t *from, int64_t *to)
{
    int last = t->vars.count - 1;
    if (t->kind == TASK_RANGE_FOR) {
        const Inst *step = t->step.items[last];
        if (t->from.items[last]->kind != INST_CONST || t->to.items[last]->kind != INST_CONST || (step && (step->kind != INST_CONST || step->value.leaves[0].i != 1)))
            return false;
        *from = t->from.items[last]->value.leaves[0].i, *to = t->to.items[last]->value.leaves[0].i;
    } else {
        const Node *n = t->node; /* cells by rows */
        if (t->kind != TASK_STRUCT_FOR || !n || n->kind != NODE_DENSE || n->parent || t->use_list || n->has_offset)
            return false;
        last = node_axis_rank(n, n->axes[n->axis_count - 1]);
        *from = 0, *to = n->sizes[n->axis_count - 1];
    }
    *index = t->vars.items[last];
    return *to > *from && *from >= INT32_MIN && *to <= INT32_MAX;
}

static void
split_tasks(Compile *c, const Ir *ir, IrFunc *f, const Tasks *tasks)
{
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        int64_t from, to;
        Split s = {.c = c, .ir = ir, .offset = 1};
        split_tasks(c, ir, f, &t->tasks);
        split_tasks(c, ir, f, &t->orelse);
        if (!t->body || t->reductions.count || t->rows || t->stream || t->halos.count || !t->vars.count || !range_of_last(t, &s.index, &from, &to))
            continue;
        block_walk(t->body, look_at, &s);
        s.low = from + s.offset, s.high = to - s.offset;
        if (!s.asks || s.fails || s.offset > OFFSET_MOST || s.insts > INSTS_MOST || s.high - s.low < 2 * s.offset)
            continue;
        copy_body(&s, f, t->body, c->scratch); /* most are no simpler: those take no lasting memory */
        if (s.simpler)
            t->inside = copy_body(&s, f, t->body, c->arena), t->inside_from = s.low, t->inside_to = s.high;
    }
}

void
pass_split(Compile *c, Ir *ir, IrFunc *f)
{
    if (!c->options.gpu) /* each iteration has a thread of its own */
        split_tasks(c, ir, f, &f->tasks);
}
