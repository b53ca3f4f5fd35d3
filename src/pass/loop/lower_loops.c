/* Tasks to loops: what the function of a parallel loop does with a chunk of its iterations, as
 * instructions. A loop over ranges on a CPU is one LOOP for each range; the outermost goes through
 * the chunk.
 *
 *     $0 = offloaded range_for(i32 i in …, i32 j in …) simd {
 *         body
 *     }
 *   →
 *     $0 = offloaded range_for(i32 i in …, i32 j in …) simd {
 *         $1 = chunk begin
 *         $2 = chunk end
 *         loop i64 n0 in $1..$2 {
 *             index i is (from + n0) from (from)
 *             $3 = const 0
 *             $4 = bound count of range 1
 *             loop i64 n1 in $3..$4 vector {
 *                 index j is (from + n1 * step) from (from)
 *                 body
 *             }
 *         }
 *     }
 *
 * A range that begins at 0 and goes by ones needs no number beside its index. The cells of an array
 * at the top of a layout are gone through alike, axis by axis as they lie in memory:
 *
 *     loop i32 i in $1..$2 {
 *         loop i32 j in 0..64 vector {
 *             at cell L0.S1dense[i * 64 + j]
 *             body
 *
 * The inside that pass partition has found runs in the loop over the row, which goes on behind it:
 *
 *     loop i32 j in 0..64 {
 *         inside 1..63 of j..64 vector {
 *             inside
 *         }
 *         body
 *
 * Loops over other cells, and those that are gone through in ways of their own, are left to the
 * emitter (is_lowered). */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"
#include "analysis/cost.h"

/* Loops of fewer rounds disappear: C compilers make vectors of those around them. */
enum { SHORT_LOOP = 8 };
/* Debuggers stop at the statements of the body. */
#define NOWHERE ((Span){0})

typedef struct {
    Compile *c;
    const Ir *ir;
    IrFunc *f;
    Task *t;
    const Type *i64;
    bool may_fail, random, races, own_way; /* what the body holds */
    Inst *begin, *end;  /* of the inside */
} Lower;

/* ---- which loops ---- */

static void
look_at_inst(Inst *i, void *arg)
{
    Lower *l = arg;
    const IrFunc *called =
        i->kind == INST_CALL && i->func->kind == FUNC_DEVICE ? ir_func(l->ir, i->func) : NULL;
    l->may_fail |= inst_may_fail(i) || (called && called->may_fail);
    l->random |= i->kind == INST_RANDOM || (called && called->uses_random);
    l->races |= i->kind == INST_CHECK_RACE || (called && called->checks_races);
    l->own_way |= i->kind == INST_APPEND && (i->placed || i->owned);
}

/* Does the loop go over the cells of an array at the top of a layout, the first axis of which is
 * enough for the threads? */
static bool
is_over_array(const Task *t)
{
    enum { ENOUGH = 64, SOME = 4 };
    const Node *n = t->node;
    if (t->kind != TASK_STRUCT_FOR || !n || n->kind != NODE_DENSE || n->parent ||
        task_is_bounded(t) || task_is_by_blocks(t) || t->ahead_in_array)
        return false;
    const int64_t first = n->sizes[0];
    return !first || n->axis_count == 1 || first >= ENOUGH || (first >= SOME && n->axis_count == 2);
}

/* Have all its axes lengths that are known? */
static bool
has_known_extents(const Node *n)
{
    for (int k = 0; k < n->axis_count; k++)
        if (!n->coord_extent[n->axes[k]])
            return false;
    return true;
}

/* Is the loop gone through iteration by iteration, each range from its first index to its last? */
static bool
is_lowered(Lower *l)
{
    const Task *t = l->t;
    if ((t->kind != TASK_RANGE_FOR && !is_over_array(t)) || t->rows || t->stride ||
        t->goes_abreast || t->batches || t->fetches || t->order || t->strip || t->stream ||
        t->adds_rows)
        return false;
    if (t->lanes && t->vars.count == 1 && !t->inside) /* whole strips first */
        return false;
    if (t->kind == TASK_RANGE_FOR && t->ahead_strips.count)
        return false;
    block_walk(t->before, look_at_inst, l);
    block_walk(t->body, look_at_inst, l);
    return !l->own_way && (t->kind == TASK_RANGE_FOR || !(l->random || l->races) ||
                           has_known_extents(t->node));
}

/* ---- values ---- */

static Inst *
integer(Lower *l, Block *b, int64_t value)
{
    Inst *i = ir_integer(l->c, l->i64, NOWHERE, value);
    block_add(l->c, b, i);
    return i;
}

static Inst *
binary(Lower *l, Block *b, Op op, Inst *x, Inst *y)
{
    Inst *i = ir_binary(l->c, op, l->i64, NOWHERE, x, y);
    block_add(l->c, b, i);
    return i;
}

static Inst *
load(Lower *l, Block *b, Var *v)
{
    Inst *place = ir_add(l->c, b, INST_VAR, v->type, NOWHERE, NULL, NULL);
    place->var = v;
    return ir_add(l->c, b, INST_LOAD, v->type, NOWHERE, place, NULL);
}

/* Something of a range: a number, or what the kernel found. */
static Inst *
bound(Lower *l, Block *b, BoundKind kind, int range)
{
    const Inst *known = kind == BOUND_FROM   ? l->t->from.items[range]
                        : kind == BOUND_STEP ? l->t->step.items[range]
                                             : NULL;
    if (known && known->kind == INST_CONST)
        return integer(l, b, known->value.leaves[0].i);
    Inst *i = ir_add(l->c, b, INST_BOUND, l->i64, NOWHERE, NULL, NULL);
    i->bound = kind;
    i->index = range;
    return i;
}

static Inst *
chunk(Lower *l, Block *b, int end)
{
    Inst *i = ir_add(l->c, b, INST_CHUNK, l->i64, NOWHERE, NULL, NULL);
    i->index = end;
    return i;
}

/* A number with 64 bits. */
static Inst *
wide(Lower *l, Block *b, Inst *value)
{
    return value->type == l->i64 ? value
                                 : ir_add(l->c, b, INST_CAST, l->i64, NOWHERE, value, NULL);
}

static bool
is_number(const Inst *i, int64_t value)
{
    return i->kind == INST_CONST && i->value.leaves[0].i == value;
}

/* ---- one range ---- */

/* How a LOOP goes through a range. */
typedef struct {
    Var *var;           /* of the LOOP */
    bool is_index;      /* which is that of the program */
    Inst *low, *high;
    bool vector;
} Level;

static Level
level_of(Lower *l, Block *b, int range)
{
    const Task *t = l->t;
    const Inst *from = t->from.items[range], *to = t->to.items[range];
    const bool by_ones = is_number(t->step.items[range], 1),
               known = from->kind == INST_CONST && to->kind == INST_CONST;
    Level level = {.is_index = by_ones && is_number(from, 0)};
    if (!range) {
        level.low = chunk(l, b, 0);
        level.high = chunk(l, b, 1);
    } else if (by_ones && known) {
        level.is_index = true;
        level.low = integer(l, b, from->value.leaves[0].i);
        level.high = integer(l, b, to->value.leaves[0].i);
    } else {
        level.low = integer(l, b, 0);
        level.high = bound(l, b, BOUND_COUNT, range);
    }
    level.var = t->vars.items[range];
    if (!level.is_index) {
        const char *name = arena_printf(l->c->arena, "n%d", range);
        level.var = ir_new_var(l->c, l->f, name, l->i64, NOWHERE);
        level.var->kind = VAR_INDEX;
    }
    const int64_t count = range ? cost_trip_count(from, to, t->step.items[range]) : -1;
    level.vector = t->simd && range == t->vars.count - 1 && !(count > 0 && count < SHORT_LOOP);
    return level;
}

/* The index of an iteration from its number in the range. */
static void
define_index(Lower *l, Block *b, const Level *level, int range)
{
    const Inst *step = l->t->step.items[range];
    Inst *first = bound(l, b, BOUND_FROM, range), *value = load(l, b, level->var);
    if (!is_number(step, 1))
        value = binary(l, b, OP_MUL, value, bound(l, b, BOUND_STEP, range));
    if (!is_number(first, 0))
        value = binary(l, b, OP_ADD, first, value);
    Inst *index = ir_add(l->c, b, INST_INDEX, NULL, NOWHERE, value, first);
    index->var = l->t->vars.items[range];
}

/* The number of the iteration in its range, from 0 on. */
static Inst *
number_in_range(Lower *l, Block *b, const Level *level, int range)
{
    Inst *value = wide(l, b, load(l, b, level->var));
    const Inst *from = l->t->from.items[range];
    if (!level->is_index || is_number(from, 0))
        return value;
    return binary(l, b, OP_SUB, value, integer(l, b, from->value.leaves[0].i));
}

/* The row-major number of an iteration. */
static Inst *
iteration_number(Lower *l, Block *b, const Level *levels)
{
    Inst *number = number_in_range(l, b, &levels[0], 0);
    for (int range = 1; range < l->t->vars.count; range++) {
        Inst *before = binary(l, b, OP_MUL, number, bound(l, b, BOUND_COUNT, range));
        number = binary(l, b, OP_ADD, before, number_in_range(l, b, &levels[range], range));
    }
    return number;
}

static void
begin_iteration(Lower *l, Block *b, Inst *number)
{
    Inst *begin = ir_add(l->c, b, INST_ITERATION, NULL, NOWHERE, number, NULL);
    begin->index = (l->random ? ITERATION_RANDOM : 0) | (l->races ? ITERATION_RACES : 0);
}

/* ---- the nest ---- */

static void
append_insts(Lower *l, Block *to, const Block *from)
{
    for (int n = 0; from && n < from->insts.count; n++)
        block_add(l->c, to, from->insts.items[n]);
}

/* What is read before a row, which must have iterations then. */
static void
read_before(Lower *l, Block *b, const Level *level)
{
    if (!l->t->before)
        return;
    if (level->low->kind != INST_CONST || level->high->kind != INST_CONST ||
        level->low->value.leaves[0].i >= level->high->value.leaves[0].i) {
        Inst *none = ir_binary(l->c, OP_GE, type_scalar(l->ir->prog->types, SCALAR_BOOL), NOWHERE,
                               level->low, level->high);
        block_add(l->c, b, none);
        Inst *skip = ir_add(l->c, b, INST_IF, NULL, NOWHERE, none, NULL);
        skip->blocks[0] = ARENA_NEW(l->c->arena, Block);
        ir_add(l->c, skip->blocks[0], INST_CONTINUE, NULL, NOWHERE, NULL, NULL);
    }
    append_insts(l, b, l->t->before);
}

static bool
goes_by_strips(const Task *t)
{
    return t->lanes || t->ahead_strips.count;
}

/* The larger of two numbers, or the smaller, as a constant or a variable that is called so. */
static Inst *
between(Lower *l, Block *b, bool larger, Inst *x, Inst *y, const char *name)
{
    if (x->kind == INST_CONST && y->kind == INST_CONST) {
        const int64_t p = x->value.leaves[0].i, q = y->value.leaves[0].i;
        return (p > q) == larger ? x : y;
    }
    Inst *value = ir_new(l->c, INST_BUILTIN, l->i64, NOWHERE);
    value->builtin = larger ? BUILTIN_MAX : BUILTIN_MIN;
    ir_arg(l->c, value, x);
    ir_arg(l->c, value, y);
    block_add(l->c, b, value);
    Var *v = ir_new_var(l->c, l->f, name, l->i64, NOWHERE);
    v->is_mutable = false;
    Inst *place = ir_add(l->c, b, INST_VAR, l->i64, NOWHERE, NULL, NULL);
    place->var = v;
    ir_add(l->c, b, INST_STORE, NULL, NOWHERE, place, value)->defines = true;
    return load(l, b, v);
}

/* An end of the inside, as a number of the loop, whose index 0 is `first`; NULL: none. */
static Inst *
inside_end(Lower *l, Block *b, const Block *computes, Inst *first)
{
    if (!computes)
        return NULL;
    if (computes->result->kind == INST_CONST && (!first || first->kind == INST_CONST))
        return integer(l, b, computes->result->value.leaves[0].i -
                                 (first ? first->value.leaves[0].i : 0));
    append_insts(l, b, computes);
    return first ? binary(l, b, OP_SUB, computes->result, first) : computes->result;
}

/* Before the innermost loop: finds what of it is inside. */
static void
find_inside(Lower *l, Block *b, const Level *level, Inst *first)
{
    Task *t = l->t;
    if (!t->inside)
        return;
    Inst *low = inside_end(l, b, t->inside_from, first),
         *high = inside_end(l, b, t->inside_to, first);
    l->begin = low ? between(l, b, true, low, level->low, "begin") : level->low;
    l->end = high ? between(l, b, false, high, level->high, "end") : level->high;
}

/* In it: the loop over the inside, whose block is given back; NULL: there is none. */
static Block *
open_inside(Lower *l, Block *b, const Level *level, Inst *at, Var *var)
{
    if (!l->t->inside)
        return NULL;
    Inst *inside = ir_add(l->c, b, INST_INSIDE, NULL, NOWHERE, at, l->begin);
    ir_arg(l->c, inside, l->end);
    ir_arg(l->c, inside, level->high);
    inside->var = var;
    inside->vector = l->t->simd;
    return inside->blocks[0] = ARENA_NEW(l->c->arena, Block);
}

/* Gives the block of the loop. */
static Block *
open_loop(Lower *l, Block *b, const Level *level, bool last)
{
    Inst *loop = ir_add(l->c, b, INST_LOOP, NULL, NOWHERE, level->low, level->high);
    loop->var = level->var;
    loop->strips = last && goes_by_strips(l->t);
    loop->vector = level->vector && !(last && l->t->inside);
    return loop->blocks[0] = ARENA_NEW(l->c->arena, Block);
}

static void
inside_of_range(Lower *l, Block *b, const Level *level, int range)
{
    if (!l->t->inside)
        return;
    Level inner = *level;
    if (!level->is_index) {
        inner.var = ir_new_var(l->c, l->f, "n", l->i64, NOWHERE);
        inner.var->kind = VAR_INDEX;
    }
    b = open_inside(l, b, level, wide(l, b, load(l, b, level->var)), inner.var);
    if (!level->is_index)
        define_index(l, b, &inner, range);
    append_insts(l, b, l->t->inside);
}

static void
lower_ranges(Lower *l)
{
    Task *t = l->t;
    const int count = t->vars.count;
    Level *levels = ARENA_ARRAY(l->c->scratch, Level, count);
    Block *b = t->code = ARENA_NEW(l->c->arena, Block);
    for (int range = 0; range < count; range++) {
        Level *level = &levels[range];
        *level = level_of(l, b, range);
        const bool last = range == count - 1;
        if (last) {
            read_before(l, b, level);
            find_inside(l, b, level, level->is_index ? NULL : bound(l, b, BOUND_FROM, range));
        }
        b = open_loop(l, b, level, last);
        if (last)
            inside_of_range(l, b, level, range);
        if (!level->is_index)
            define_index(l, b, level, range);
        if (!range && l->may_fail)
            ir_add(l->c, b, INST_STOP, NULL, NOWHERE, NULL, NULL);
    }
    if (l->random || l->races)
        begin_iteration(l, b, iteration_number(l, b, levels));
    append_insts(l, b, t->body);
}

/* ---- arrays ---- */

/* What an axis of an array is to its loop: the variable of its LOOP, its index in the program. */
typedef struct {
    Var *digit, *index;
    int64_t first;      /* of the indices */
} Axis;

static Axis
axis_of(Lower *l, int k)
{
    const Node *n = l->t->node;
    const int axis = n->axes[k];
    Axis a = {.index = l->t->vars.items[node_axis_rank(n, axis)], .first = node_first(n, axis)};
    a.digit = a.index;
    if (a.first) {
        const char *name = arena_printf(l->c->arena, "%c_%d", AXIS_LETTERS[axis], n->id);
        a.digit = ir_new_var(l->c, l->f, name, l->i64, NOWHERE);
        a.digit->kind = VAR_INDEX;
    }
    return a;
}

/* A number of the axis, from 0 on. */
static Inst *
digit(Lower *l, Block *b, const Axis *a)
{
    return wide(l, b, load(l, b, a->digit));
}

static Inst *
extent(Lower *l, Block *b, int k, int64_t known)
{
    if (known)
        return integer(l, b, known);
    Inst *i = ir_add(l->c, b, INST_EXTENT, l->i64, NOWHERE, NULL, NULL);
    i->node = l->t->node;
    i->axis = k;
    return i;
}

/* The row-major number of a cell; with the extents that cells have in memory, or those that
 * the program sees, by ascending axis. */
static Inst *
cell_number(Lower *l, Block *b, const Axis *axes, bool stored)
{
    const Node *n = l->t->node;
    Inst *number = NULL;
    for (int m = 0; m < n->axis_count; m++) {
        int k = m;
        for (int x = 0; !stored && x < n->axis_count; x++)
            if (node_axis_rank(n, n->axes[x]) == m)
                k = x;
        Inst *d = digit(l, b, &axes[k]);
        if (number) {
            Inst *size =
                extent(l, b, k, stored ? n->stored[k] : n->coord_extent[n->axes[k]]);
            number = binary(l, b, OP_MUL, number, size);
        }
        number = number ? binary(l, b, OP_ADD, number, d) : d;
    }
    return number;
}

/* The index of an axis that does not begin at 0. */
static void
define_coordinate(Lower *l, Block *b, const Axis *a)
{
    if (!a->first)
        return;
    Inst *first = integer(l, b, a->first), *value = digit(l, b, a);
    Inst *sum = binary(l, b, OP_ADD, value, first);
    ir_add(l->c, b, INST_INDEX, NULL, NOWHERE, sum, first)->var = a->index;
}

static void
enter_cell(Lower *l, Block *b, const Axis *axes)
{
    Inst *number = cell_number(l, b, axes, true);
    ir_add(l->c, b, INST_AT_CELL, NULL, NOWHERE, number, NULL)->node = l->t->node;
}

static void
lower_array(Lower *l)
{
    Task *t = l->t;
    const Node *n = t->node;
    const int count = n->axis_count;
    Axis *axes = ARENA_ARRAY(l->c->scratch, Axis, count);
    Block *b = t->code = ARENA_NEW(l->c->arena, Block), *inside = NULL;
    for (int k = 0; k < count; k++) {
        Axis *axis = &axes[k];
        *axis = axis_of(l, k);
        const bool last = k == count - 1, is_short = k && n->sizes[k] && n->sizes[k] < SHORT_LOOP;
        Level level = {.var = axis->digit, .vector = t->simd && last && !is_short};
        level.low = k ? integer(l, b, 0) : chunk(l, b, 0);
        level.high = k ? extent(l, b, k, n->sizes[k]) : chunk(l, b, 1);
        if (last) {
            read_before(l, b, &level);
            find_inside(l, b, &level, NULL);
        }
        b = open_loop(l, b, &level, last);
        if (last)
            inside = open_inside(l, b, &level, digit(l, b, axis), axis->digit);
        if (!k && l->may_fail)
            ir_add(l->c, b, INST_STOP, NULL, NOWHERE, NULL, NULL);
        if (last && inside)
            define_coordinate(l, inside, axis);
        define_coordinate(l, b, axis);
    }
    if (inside) {
        enter_cell(l, inside, axes);
        append_insts(l, inside, t->inside);
    }
    enter_cell(l, b, axes);
    if (l->random || l->races)
        begin_iteration(l, b, cell_number(l, b, axes, false));
    append_insts(l, b, t->body);
}

void
pass_lower_loops(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++) {
        Lower l = {.c = c, .ir = ir, .f = f, .i64 = type_scalar(ir->prog->types, SCALAR_I64),
                   .t = loops.items[n]};
        if (!is_lowered(&l)) {
            if (task_sums_floats(l.t)) /* whose accumulators the emitter counts by rows */
                l.t->inside = NULL;
            continue;
        }
        if (l.t->kind == TASK_RANGE_FOR)
            lower_ranges(&l);
        else
            lower_array(&l);
    }
}
