/* Loop partitioning. Some loops ask where their last index is, by a condition or by the boundary
 * mode of a field. Such a loop gets a second body for the indices inside, where the answers are
 * known. Only the rim at both ends still asks.
 *   range_for(i32 i in 0..64, i32 j in 0..64) {         range_for(i32 i in 0..64, i32 j in 0..64) {
 *       $9 = $8 - $1                                        (the same)
 *       $10 = builtin max($9, $2)                  →    } inside 1..63 {
 *       $11 = load x[$10]                                   $29 = $28 - $1
 *   }                                                       $30 = load x[$29]
 *                                                       }
 * The inside begins and ends where all answers begin to be known (split_points.h). Where sizes are
 * known at run time only, the ends are too. Remainders that do not change in a row are marked in
 * all bodies, so that C compilers compute them once. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/split_points.h"
#include "ir/inst_info.h"
#include "pass/guard.h"
#include "pass/loop/split_index.h"

enum { INSTS_MOST = 4000, STEADY_MOST = 12, PERIOD_LEAST = 16 };

/* What stands for an instruction inside, what is known of its value, and of how many instructions
 * it is made if it does not change while the last index does (0: it may). */
typedef struct {
    Inst *copy;
    SplitRange range;
    int invariant;
} Inside;

/* A variable of the body: its range where it is a loop's, or what it keeps. */
typedef struct {
    bool local;
    SplitRange range;
    const Inst *value;
} Local;

typedef struct {
    Compile *c;
    const Ir *ir;
    const Task *t;
    const Var *index;
    SplitPoints cuts;
    Inside *inside;     /* by instruction */
    bool *indexes;      /* by instruction: it is a part of the index of a cell */
    Local *locals;      /* by variable */
    int simpler, insts; /* what is known; size of the body */
    bool asks, fails;   /* asks: something may be known inside */
    bool multiplies;    /* there are products, which may not wrap inside */
    bool is_plain;      /* no sequential loops, and no cells but those of arrays */
} Split;

static void copy_block(Split *s, Block *out, const Block *b);

/* A remainder of a sum, such as the index of a neighbour is. */
static bool
is_wrapped_sum(const Inst *i)
{
    const Inst *x = i->kind == INST_BINARY && i->op == OP_MOD ? i->args.items[0] : NULL;
    return x && x->kind == INST_BINARY && (x->op == OP_ADD || x->op == OP_SUB);
}

/* What finds a known answer begins with: comparisons, functions of which an operand may be the
 * value, and such remainders. */
static bool
may_be_known(const Inst *i)
{
    if (i->kind == INST_BINARY)
        return op_is_comparison(i->op) || is_wrapped_sum(i);
    return i->kind == INST_BUILTIN &&
           (i->builtin == BUILTIN_MAX || i->builtin == BUILTIN_MIN ||
            i->builtin == BUILTIN_CLAMP || i->builtin == BUILTIN_FLOORMOD);
}

/* Is it a multiple of a variable, which 32 bits need not hold? */
static bool
may_wrap(const Inst *i)
{
    return i->kind == INST_BINARY && i->op == OP_MUL && i->type->kind == TYPE_SCALAR &&
           i->type->scalar == SCALAR_I32 && i->args.items[0]->kind != i->args.items[1]->kind &&
           (i->args.items[0]->kind == INST_CONST || i->args.items[1]->kind == INST_CONST);
}

static void
look_at(Inst *i, void *arg)
{
    Split *s = arg;
    s->insts++;
    s->asks |= may_be_known(i);
    s->multiplies |= may_wrap(i);
    s->is_plain &= i->kind != INST_FOR && i->kind != INST_FOR_CELLS && i->kind != INST_WHILE &&
                   (i->kind != INST_LOOKUP || i->access == ACCESS_KNOWN);
    s->fails |= i->kind == INST_ASSERT || i->kind == INST_STREAM || guard_counts(s->ir, i);
}

static void
note_index(Split *s, const Inst *i)
{
    s->indexes[i->id] = true;
    for (int a = 0; a < i->args.count && (i->kind == INST_BINARY || i->kind == INST_CAST); a++)
        note_index(s, i->args.items[a]);
}

/* Variables of the body, and all that it changes; indices. */
static void
note_local(Inst *i, void *arg)
{
    Split *s = arg;
    if (i->kind == INST_LOOKUP && s->is_plain)
        note_index(s, i->args.items[1]);
    for (int v = 0; (i->kind == INST_FOR || i->kind == INST_FOR_CELLS) && v < i->vars.count; v++)
        s->locals[i->vars.items[v]->id].local = true;
    for (int a = 0; (inst_writes(i) || i->kind == INST_CALL) && a < i->args.count; a++) {
        const Inst *root = inst_place_root(i->args.items[a]);
        if (root->kind == INST_VAR)
            s->locals[root->var->id].local = true;
    }
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
    return i->type && i->type->kind == TYPE_SCALAR &&
           (scalar_info(i->type->scalar)->kind == KIND_INT ||
            scalar_info(i->type->scalar)->kind == KIND_BOOL);
}

/* 1 or 0 where the comparison is known, else -1. */
static int
compare(Split *s, const Inst *i)
{
    const Inst *x = i->args.items[0], *y = i->args.items[1];
    const SplitRange *a = &inside_of(s, x)->range, *b = &inside_of(s, y)->range;
    if (!is_integer(x))
        return -1;
    if ((i->op == OP_EQ || i->op == OP_NE) && inside_of(s, x)->copy == inside_of(s, y)->copy)
        return i->op == OP_EQ;
    if (!a->known || !b->known || !split_points_fit(&s->cuts, a, x->type) ||
        !split_points_fit(&s->cuts, b, y->type))
        return -1;
    int less;
    switch (i->op) {
    case OP_LE: return split_points_compare(&s->cuts, a, b);
    case OP_GE: return split_points_compare(&s->cuts, b, a);
    case OP_LT: less = split_points_compare(&s->cuts, b, a); return less < 0 ? less : !less;
    case OP_GT: less = split_points_compare(&s->cuts, a, b); return less < 0 ? less : !less;
    case OP_EQ: return split_points_differ(&s->cuts, a, b) ? 0 : -1;
    case OP_NE: return split_points_differ(&s->cuts, a, b) ? 1 : -1;
    default: return -1;
    }
}

/* Does clamp leave its first operand as it is? */
static bool
is_between(Split *s, const Inst *clamp)
{
    const SplitRange *range[3];
    for (int a = 0; a < 3; a++) {
        const Inst *operand = clamp->args.items[a];
        range[a] = &inside_of(s, operand)->range;
        if (!range[a]->known || !split_points_fit(&s->cuts, range[a], operand->type))
            return false;
    }
    return split_points_compare(&s->cuts, range[1], range[0]) == 1 &&
           split_points_compare(&s->cuts, range[0], range[2]) == 1;
}

/* The operand that the value equals, or NULL. */
static const Inst *
equals_operand(Split *s, const Inst *i)
{
    const Inst *x = i->args.items[0], *y = i->args.count == 2 ? i->args.items[1] : NULL;
    if (is_integer(i) && i->builtin == BUILTIN_CLAMP)
        return is_between(s, i) ? x : NULL;
    if (!y || !is_integer(i))
        return NULL;
    const SplitRange *a = &inside_of(s, x)->range, *b = &inside_of(s, y)->range,
                     zero = split_range_number(0);
    if (!a->known || !b->known || !split_points_fit(&s->cuts, a, x->type) ||
        !split_points_fit(&s->cuts, b, y->type))
        return NULL;
    int known;
    switch (i->builtin) {
    case BUILTIN_MAX:
        known = split_points_compare(&s->cuts, b, a);
        return known < 0 ? NULL : known ? x : y;
    case BUILTIN_MIN:
        known = split_points_compare(&s->cuts, a, b);
        return known < 0 ? NULL : known ? x : y;
    case BUILTIN_FLOORMOD:
        return a->times && !b->times && split_points_compare(&s->cuts, &zero, a) == 1 &&
                       split_points_compare(&s->cuts, b, a) == 0
                   ? x
                   : NULL;
    default: return NULL;
    }
}

/* Is it one number, whatever the index? */
static bool
is_number(const SplitRange *a)
{
    return a->known && !a->times && !a->low.count && a->low.number == a->high.number;
}

/* The range of a sum, product or cast of signed integers; false: of another operation. */
static bool
range_of_operation(Split *s, const Inst *i, SplitRange *x)
{
    const SplitRange *a = &inside_of(s, i->args.items[0])->range,
                *b = i->args.count > 1 ? &inside_of(s, i->args.items[1])->range : NULL;
    if (i->kind == INST_CAST && is_integer(i->args.items[0])) {
        const Inst *from = i->args.items[0];
        bool keeps =
            a->known &&
            scalar_info(i->type->scalar)->bytes >= scalar_info(from->type->scalar)->bytes &&
            scalar_info(i->type->scalar)->bytes >= 4;
        if (keeps && split_points_fit(&s->cuts, a, from->type))
            *x = *a;
        return keeps;
    }
    if (i->kind != INST_BINARY || !a->known || !b->known || scalar_info(i->type->scalar)->bytes < 4)
        return false;
    if (i->op == OP_MUL && is_number(a)) {
        const SplitRange *number = a;
        a = b, b = number;
    }
    switch (i->op) {
    case OP_ADD: *x = split_range_add(a, b, 1); return true;
    case OP_SUB: *x = split_range_add(a, b, -1); return true;
    case OP_MUL:
        *x = is_number(b) ? split_range_times(a, b->low.number) : (SplitRange){0};
        return x->known;
    default: return false;
    }
}

/* Of how many instructions a pure value is made that does not change with the index; 0: it may. */
static int
invariant_insts(Split *s, const Inst *i)
{
    int count = 1;
    if (i->kind == INST_LOAD)
        return i->args.items[0]->kind == INST_VAR && i->args.items[0]->var != s->index &&
                       !s->locals[i->args.items[0]->var->id].local
                   ? 2
                   : 0;
    if (i->kind == INST_VAR
            ? i->var->type->kind != TYPE_EXTERN
            : inst_info(i->kind)->effects != 'P' || inst_info(i->kind)->result != 'V')
        return 0;
    for (int a = 0; a < i->args.count && count; a++) {
        const int more = inside_of(s, i->args.items[a])->invariant;
        count = more && count + more <= STEADY_MOST ? count + more : 0;
    }
    return count;
}

/* What is known of a value that was copied. */
static void
find_range(Split *s, const Inst *i)
{
    Inside *x = inside_of(s, i);
    const Inst *place = i->kind == INST_LOAD ? i->args.items[0] : NULL;
    x->invariant = invariant_insts(s, i);
    if (!is_integer(i))
        return;
    if (i->kind == INST_CONST)
        x->range = split_range_number(i->value.leaves[0].i);
    else if (place && place->kind == INST_VAR && place->var == s->index)
        x->range = split_range_index();
    else if (place && place->kind == INST_VAR && s->locals[place->var->id].local)
        x->range = s->locals[place->var->id].range;
    else if (x->invariant)
        x->range = split_range_invariant(x->copy); /* of which parts may be known inside */
    else if (i->args.count && i->args.count <= 2 && !range_of_operation(s, i, &x->range))
        x->range.known = false;
}

/* The ranges of the variables of a sequential loop. */
static void
note_loop(Split *s, const Inst *loop)
{
    for (int v = 0; v < loop->vars.count && loop->kind == INST_FOR; v++) {
        const Inst *const *args = (const Inst *const *)&loop->args.items[3 * v];
        const Inst *step = args[2];
        if (step->kind == INST_CONST && step->value.leaves[0].i > 0)
            s->locals[loop->vars.items[v]->id].range =
                split_range_between(&inside_of(s, args[0])->range, &inside_of(s, args[1])->range);
    }
}

/* What a variable keeps. */
static void
note_value(Split *s, const Inst *store)
{
    const Inst *place = store->args.items[0];
    const SplitRange *value = &inside_of(s, store->args.items[1])->range;
    if (store->defines && place->kind == INST_VAR && var_is_fixed(place->var) && value->known)
        s->locals[place->var->id] =
            (Local){.local = true, .range = *value, .value = store->args.items[1]};
}

/* ---- the copy ---- */

static void
set_bool(Split *s, Block *out, const Inst *i, int64_t value)
{
    Inst *constant = ir_integer(s->c, i->type, i->span, value);
    block_add(s->c, out, constant);
    *inside_of(s, i) = (Inside){constant, split_range_number(value), 1};
    s->simpler++;
}

static void
stands_for(Split *s, const Inst *i, const Inst *operand)
{
    *inside_of(s, i) = *inside_of(s, operand);
}

/* Is a truth value known? */
static bool
is_decided(const Inst *i, const Inside *x)
{
    return is_number(&x->range) && type_is_bool(i->type) && i->type->kind == TYPE_SCALAR;
}

/* Is the number not negative, and below the other? */
static bool
is_rest(Split *s, const SplitRange *a, const SplitRange *by)
{
    const SplitRange zero = split_range_number(0);
    return a->known && a->times && split_points_compare(&s->cuts, &zero, a) == 1 &&
           split_points_compare(&s->cuts, by, a) == 0;
}

/* What a remainder leaves of an index: all of it, or that less one period, as of (j - 1 + n) % n;
 * false where neither is known. Short periods are for pass stride_guard. */
static bool
copy_rest(Split *s, Block *out, const Inst *i)
{
    if (!is_wrapped_sum(i) || !is_integer(i))
        return false;
    const Inst *x = i->args.items[0], *y = i->args.items[1];
    const SplitRange *a = &inside_of(s, x)->range, *by = &inside_of(s, y)->range;
    const bool is_short = y->kind == INST_CONST && y->value.leaves[0].i < PERIOD_LEAST;
    if (is_short || !a->known || !a->times || !by->known || by->times ||
        !split_points_fit(&s->cuts, a, x->type) || !split_points_fit(&s->cuts, by, y->type))
        return false;
    const SplitRange less = split_range_add(a, by, -1);
    if (is_rest(s, a, by)) {
        stands_for(s, i, x);
    } else if (is_rest(s, &less, by)) {
        Inst *rest = ir_binary(s->c, OP_SUB, i->type, i->span, inside_of(s, x)->copy,
                               inside_of(s, y)->copy);
        block_add(s->c, out, rest);
        *inside_of(s, i) = (Inside){.copy = rest, .range = less};
    } else
        return false;
    s->simpler++;
    return true;
}

/* Values and branches that are known; false for all others. */
static bool
copy_known(Split *s, Block *out, const Inst *i)
{
    const Inst *a = i->args.count ? i->args.items[0] : NULL;
    const Inside *first = a ? inside_of(s, a) : NULL;
    const int outcome = i->kind == INST_BINARY && op_is_comparison(i->op) ? compare(s, i) : -1;
    if (outcome >= 0) {
        set_bool(s, out, i, outcome);
        return true;
    }
    const Inst *operand = i->kind == INST_BUILTIN ? equals_operand(s, i) : NULL;
    if (operand) {
        stands_for(s, i, operand);
        s->simpler++;
        return true;
    }
    if (copy_rest(s, out, i))
        return true;
    if (!a || !is_decided(a, first))
        return false;
    bool yes = first->range.low.number != 0;
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
    const Inst *a = i->args.items[0],
               *b = i->kind == INST_LOGIC ? i->blocks[0]->result : i->args.items[1];
    bool all = i->op == OP_LAND || i->op == OP_AND;
    if (i->kind == INST_LOGIC)
        copy_block(s, &(Block){0}, i->blocks[0]); /* is written again where it is needed */
    const Inside *left = inside_of(s, a), *right = inside_of(s, b);
    bool knows_left = is_decided(a, left);
    if (!knows_left && !is_decided(b, right))
        return false;
    bool yes = (knows_left ? left : right)->range.low.number != 0;
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
    bool binary = i->kind == INST_BINARY &&
                  (i->op == OP_LAND || i->op == OP_LOR || i->op == OP_AND || i->op == OP_OR);
    return (i->kind == INST_LOGIC || binary) && type_is_bool(i->type) &&
           i->type->kind == TYPE_SCALAR;
}

/* Is it a remainder, and has its copy, which may be the same, branches and a division that C
 * compilers could not take out of the loop? They can where % is by a number, or floormod by a power
 * of two, or by a number that is not above 0. */
static bool
is_row_invariant_modulo(Split *s, const Inst *i, const Inst *copy)
{
    const bool floors = i->kind == INST_BUILTIN && i->builtin == BUILTIN_FLOORMOD;
    if ((!floors && (i->kind != INST_BINARY || i->op != OP_MOD)) || !is_integer(i) ||
        scalar_info(i->type->scalar)->bytes < 4 || !inside_of(s, i)->invariant)
        return false;
    const Inst *by = copy->args.items[1];
    const int64_t number = by->kind == INST_CONST ? by->value.leaves[0].i : 0;
    return by->kind != INST_CONST || (floors && number > 0 && (number & (number - 1)) != 0);
}

/* The copy of an index of 32 bits, computed with 64 but for what does not change. */
static Inst *
copy_wide(Split *s, Block *out, const Inst *i, const Type *wide)
{
    const Inside *known = inside_of(s, i);
    const Inst *place = i->kind == INST_LOAD ? i->args.items[0] : NULL;
    const Inst *value =
        place && place->kind == INST_VAR ? s->locals[place->var->id].value : NULL;
    if (value)
        return copy_wide(s, out, value, wide);
    Inst *copy;
    if (i->kind == INST_CONST) {
        copy = ir_integer(s->c, wide, i->span, i->value.leaves[0].i);
    } else if (!known->invariant && i->kind == INST_BINARY &&
               (i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL)) {
        Inst *a = copy_wide(s, out, i->args.items[0], wide),
             *b = copy_wide(s, out, i->args.items[1], wide);
        copy = ir_binary(s->c, i->op, wide, i->span, a, b);
    } else {
        return ir_add(s->c, out, INST_CAST, wide, i->span, known->copy, NULL);
    }
    block_add(s->c, out, copy);
    return copy;
}

/* An index with multiples of that of the loop, which does not wrap inside. C compilers see then at
 * which stride the loop goes along the array; where its bounds are numbers they do anyway. */
static bool
copy_index(Split *s, Block *out, const Inst *i)
{
    const Inst *x = i->kind == INST_CAST && s->indexes[i->id] ? i->args.items[0] : NULL;
    const SplitRange *range = x ? &inside_of(s, x)->range : NULL;
    const bool is_multiple = range && x->type->scalar == SCALAR_I32 && range->known &&
                             !range->exact && (range->times < -1 || range->times > 1);
    if (!is_multiple || (s->cuts.has_from && s->cuts.has_to) ||
        !split_points_fit(&s->cuts, range, x->type))
        return false;
    const SplitRange kept = *range;
    *inside_of(s, i) = (Inside){.copy = copy_wide(s, out, x, i->type), .range = kept};
    s->simpler++;
    return true;
}

static void
clone_inst(Split *s, Block *out, const Inst *i)
{
    if (copy_index(s, out, i))
        return;
    if (copy_known(s, out, i) || (is_logic(i) && copy_logic(s, out, i)))
        return;
    Inst *copy = ARENA_NEW(s->c->arena, Inst);
    *copy = *i;
    copy->args = (Insts){0};
    for (int a = 0; a < i->args.count; a++)
        ir_arg(s->c, copy, inside_of(s, i->args.items[a])->copy);
    note_loop(s, i);
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
    copy->row_invariant = is_row_invariant_modulo(s, i, copy);
    if (i->kind == INST_STORE)
        note_value(s, i);
}

static void
copy_block(Split *s, Block *out, const Block *b)
{
    for (int n = 0; n < b->insts.count; n++)
        clone_inst(s, out, b->insts.items[n]);
}

/* The simpler body, in an arena. */
static Block *
copy_body(Split *s, IrFunc *f, int last, Arena *arena)
{
    Arena *lasting = s->c->arena;
    s->c->arena = arena;
    s->inside = ARENA_ARRAY(s->c->scratch, Inside, ir_number(f));
    s->locals = ARENA_ARRAY(s->c->scratch, Local, ir_var_limit(f));
    s->indexes = ARENA_ARRAY(s->c->scratch, bool, ir_number(f));
    split_points_begin(&s->cuts, s->c, s->t, last);
    block_walk(s->t->body, note_local, s);
    Block *copy = ARENA_NEW(arena, Block);
    copy_block(s, copy, s->t->body);
    s->c->arena = lasting;
    return copy;
}

/* ---- the pass ---- */

static void
mark_row_invariant_number(Inst *i, void *arg)
{
    i->row_invariant = is_row_invariant_modulo(arg, i, i) && i->args.items[1]->kind == INST_CONST;
}

/* Remainders leave the body, too: those by numbers in any case, others where each iteration comes
 * to them, because C compilers take no calls out of conditions. */
static void
mark_row_invariant(Split *s)
{
    const Insts *all = &s->t->body->insts;
    block_walk(s->t->body, mark_row_invariant_number, s);
    for (int n = 0; n < all->count && all->items[n]->kind != INST_IF; n++)
        all->items[n]->row_invariant = is_row_invariant_modulo(s, all->items[n], all->items[n]);
}

/* The number of the index of the innermost loop; -1: it has none. */
static int
inner_index(const Task *t)
{
    const Node *n = t->kind == TASK_STRUCT_FOR ? t->node : NULL;
    if (!n || n->kind != NODE_DENSE)
        return t->kind == TASK_RANGE_FOR ? t->vars.count - 1 : -1;
    const int axis = n->axes[n->axis_count - 1];
    return !n->parent || (n->coord_extent[axis] > 0 && n->cell_extent[axis] > 0)
               ? node_axis_rank(n, axis)
               : -1;
}

static void
split_task(Compile *c, const Ir *ir, IrFunc *f, Task *t)
{
    const int last = inner_index(t);
    Split s = {.c = c, .ir = ir, .t = t, .is_plain = !c->options.check};
    if (last < 0)
        return;
    block_walk(t->body, look_at, &s);
    if (!s.asks && !(s.multiplies && s.is_plain))
        return;
    s.index = t->vars.items[last];
    copy_body(&s, f, last, c->scratch); /* most are no simpler: those take no lasting memory */
    mark_row_invariant(&s);
    const bool sums_in_blocks = task_sums_floats(t) && task_is_by_blocks(t);
    if (s.fails || sums_in_blocks || s.insts > INSTS_MOST || !s.simpler ||
        !split_points_leave_most(&s.cuts) ||
        last != (task_is_plain(t) ? task_last_index(t) : task_row_index(t)))
        return;
    t->inside = copy_body(&s, f, last, c->arena);
    dce_block(c, f, t->inside); /* of what known answers were computed from */
    t->inside_from = split_index_block(c, ir, &s.cuts, false, t->span);
    t->inside_to = split_index_block(c, ir, &s.cuts, true, t->span);
}

void
pass_partition(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        split_task(c, ir, f, loops.items[n]);
}
