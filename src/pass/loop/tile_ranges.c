/* Loops over blocks that leave out cells before and after ranges of indices.
 *
 * A loop over ranges may name most elements of a field in blocks, each at its own indices. It
 * becomes a loop over the cells of the blocks. Neighbours can then be read from a copy or by rows
 * (pass stage), and no index is split for each element.
 *
 *     $0 = offloaded range_for(i32 i.0 in $1..$2) {      if $9 {    // $1 >= 0, $2 <= extent ...
 *         ...                                                $0 = offloaded struct_for(S2dense)
 *                                                    →               only(i $1..$2) {
 *                                                                ... (the same)
 *                                                        } else { (the loop as it was) }
 *
 * All nodes on the path are dense, so each element has a cell. The order of iterations must not
 * matter. Therefore the loop changes only its own element, and it neither prints, fails, draws
 * random numbers nor sums up. Where ranges or extents are known at run time only, the kernel asks
 * whether the ranges lie within the field. The ranges must hold most of the field, or going through
 * all blocks does not pay.
 *
 * A loop over the cells of blocks may do nothing outside of comparisons of its indices with values
 * that do not change in the loop. It leaves those cells out:
 *
 *     $0 = offloaded struct_for(S2dense) {          $0 = offloaded struct_for(S2dense)
 *         $2 = load i.0                                     only(i 1..$5) {
 *         $4 = $2 > 0                                   $5 = param n
 *         $6 = $2 < $5                       →      } do {
 *         $7 = $4 && $6                                 ... (without the condition)
 *         if $7 { ... }                             }
 */
#include "config.h"

#include "pass/pass.h"

#include <assert.h>
#include "analysis/affine.h"
#include "analysis/kernel_invariant.h"
#include "ir/inst_info.h"
#include "pass/clone.h"
#include "pass/guard.h"
#include "pass/runtime_check.h"

typedef struct {
    Compile *c;
    const Ir *ir;
    IrFunc *f;
    bool fails;
} Blocks;

/* ---- which loops ---- */

/* Does it matter where an iteration stands among the others, or may one end the loop? */
static void
look_at(Inst *i, void *arg)
{
    Blocks *b = arg;
    b->fails |= (inst_may_fail(i) && i->kind != INST_CELL) || i->kind == INST_PRINT ||
                guard_counts(b->ir, i) || i->kind == INST_REDUCE ||
                (i->kind == INST_CALL && !ir_is_arithmetic(b->ir, i->func));
    const bool changes = i->kind == INST_STORE || i->kind == INST_ATOMIC;
    const Inst *root = changes ? inst_place_root(i->args.items[0]) : NULL;
    if (root && root->kind == INST_VAR) /* arrays of the caller may overlap */
        b->fails |= root->var->type->kind == TYPE_EXTERN || root->var->kernel_level;
}

/* Is it computed from what no loop changes, before anything else? */
static bool
is_plain_setup(const Block *setup)
{
    for (int n = 0; setup && n < setup->insts.count; n++) {
        const Inst *i = setup->insts.items[n];
        if (!inst_is_pure(i) && i->kind != INST_REQUIRE &&
            (i->kind != INST_LOAD || i->args.items[0]->kind != INST_VAR))
            return false;
    }
    return true;
}

/* Are the field's indices the loop's own, in order? */
static bool
is_by_indices(const Footprint *p, const Task *t)
{
    bool own = p->own_index && p->field->axis_count == t->vars.count;
    for (int k = 0; own && k < t->vars.count; k++)
        own = p->own[k] && p->var[k] == k;
    return own;
}

static bool
is_own_element(const Footprint *p, const Task *t)
{
    bool own = is_by_indices(p, t);
    for (int k = 0; own && k < t->vars.count; k++)
        own = !p->offset_min[k] && !p->offset_max[k];
    return own;
}

static bool
changes_own_elements(const Task *t)
{
    const Footprints *all[] = {&t->effects.writes, &t->effects.accumulates};
    for (int l = 0; l < 2; l++)
        for (int n = 0; n < all[l]->count; n++)
            if (!is_own_element(&all[l]->items[n], t))
                return false;
    return !t->effects.may_activate.count && !t->effects.may_deactivate.count;
}

static bool
goes_by_ones(const Task *t)
{
    for (int k = 0; k < t->vars.count; k++) {
        const Inst *step = t->step.items[k];
        if (step && (step->kind != INST_CONST || step->value.leaves[0].i != 1))
            return false;
    }
    return t->vars.count > 0;
}

/* ---- which field ---- */

/* Do the cells of a node lie in blocks, and are there cells for all elements? */
static bool
has_blocks(const Node *n)
{
    if (!n || n->kind != NODE_DENSE || !n->parent)
        return false;
    for (int k = 0; k < n->axis_count; k++)
        if (n->sizes[k] < 2 || !(n->parent->path_axes & 1 << n->axes[k]))
            return false;
    for (int a = 0; a < AXIS_MAX; a++)
        if ((n->path_axes & 1 << a) && n->cell_extent[a] != 1)
            return false;
    for (; n; n = n->parent)
        if (n->kind != NODE_DENSE)
            return false;
    return true;
}

/* The first field in blocks that the loop uses so, or NULL. */
static Field *
field_in(const Footprints *list, const Task *t)
{
    for (int n = 0; n < list->count; n++)
        if (is_by_indices(&list->items[n], t) && has_blocks(list->items[n].field->leaves[0].node))
            return list->items[n].field;
    return NULL;
}

static Field *
field_of(const Task *t)
{
    Field *f = field_in(&t->effects.writes, t);
    if (!f)
        f = field_in(&t->effects.accumulates, t);
    return f ? f : field_in(&t->effects.reads, t);
}

/* ---- are the ranges within the field, and most of it? ---- */

/* Cells of the block of a node along an axis; 1 where it has none. */
static int64_t
block_size(const Node *n, int axis)
{
    for (int k = 0; k < n->axis_count; k++)
        if (n->axes[k] == axis)
            return n->sizes[k];
    return 1;
}

/* A constant that may be doubled. */
static bool
is_fair(const Inst *i)
{
    const int64_t most = (int64_t)1 << 60;
    return i->kind == INST_CONST && i->value.leaves[0].i <= most && i->value.leaves[0].i >= -most;
}

/* Asks whether the k-th range lies within the field, is no shorter than a block, and half of what
 * there is; `bounds`: first, last. */
static void
ask_range(RuntimeCheck *q, const Insts *bounds, Field *f, int k)
{
    Inst *from = runtime_check_widen(q, bounds[0].items[k]),
         *to = runtime_check_widen(q, bounds[1].items[k]), *extent = runtime_check_extent(q, f, k),
         *first = runtime_check_number(q, f->offsets[k]);
    const bool constant = is_fair(from) && is_fair(to);
    runtime_check_ask(q, OP_LE, first, from);
    runtime_check_ask(q, OP_LE, to, extent->kind == INST_CONST
                                   ? runtime_check_number(q, f->offsets[k] + f->extents[k])
                                   : runtime_check_sum(q, OP_ADD, extent, first));
    Inst *count = constant
                      ? runtime_check_number(q, to->value.leaves[0].i - from->value.leaves[0].i)
                      : runtime_check_sum(q, OP_SUB, to, from);
    runtime_check_ask(q, OP_LE, runtime_check_number(q, block_size(f->leaves[0].node, f->axes[k])),
                      count);
    runtime_check_ask(q, OP_LE, extent,
                      constant ? runtime_check_number(q, 2 * count->value.leaves[0].i)
                               : runtime_check_sum(q, OP_ADD, count, count));
}

/* ---- the loop ---- */

static void
go_through_cells(Task *t, Field *f)
{
    t->kind = TASK_STRUCT_FOR;
    t->field = f;
    t->node = f->leaves[0].node;
    t->use_list = false;
}

/* A loop for each answer. */
static void
make_two(Blocks *b, Task *t, Block *setup, Field *f)
{
    Task *cells = clone_loop(b->c, b->f, t), *ranges = ARENA_NEW(b->c->arena, Task);
    *ranges = *t;
    *t = (Task){.kind = TASK_IF, .id = t->id, .span = t->span, .setup = setup};
    go_through_cells(cells, f);
    vec_push(b->c->arena, &t->tasks, cells);
    vec_push(b->c->arena, &t->orelse, ranges);
}

static void
look_at_ranges(Blocks *b, Task *t)
{
    if (t->kind != TASK_RANGE_FOR || t->reductions.count || !goes_by_ones(t) ||
        !changes_own_elements(t) || !is_plain_setup(t->setup))
        return;
    Field *f = field_of(t);
    b->fails = false;
    if (f)
        block_walk(t->body, look_at, b);
    if (!f || b->fails)
        return;
    Insts bounds[2];
    RuntimeCheck q = runtime_check_new(
        b->c, b->ir, clone_bounds(b->c, b->f, t, &bounds[0], &bounds[1]), t->span);
    for (int k = 0; k < t->vars.count && !q.never; k++)
        ask_range(&q, bounds, f, k);
    if (!q.never && !q.b->result)
        go_through_cells(t, f);
    else if (!q.never)
        make_two(b, t, q.b, f);
}

/* ---- conditions ---- */

/* The cells that a condition leaves, by loop variable, as the setup of the loop computes them: NULL
 * where it says nothing. */
typedef struct {
    const Task *t;
    RuntimeCheck q;                         /* computes them in the setup */
    Inst *from[AXIS_MAX], *to[AXIS_MAX];
} Only;

/* Does the loop go over blocks of dense cells that have all its axes? */
static bool
has_rows_of_blocks(const Task *t)
{
    const Node *n = t->kind == TASK_STRUCT_FOR && !t->use_list ? t->node : NULL;
    if (!n || n->kind != NODE_DENSE || !n->parent)
        return false;
    int axes = 0;
    for (int k = 0; k < n->axis_count; k++)
        axes |= 1 << n->axes[k];
    for (int a = 0; a < AXIS_MAX; a++)
        if ((n->path_axes & 1 << a) && n->cell_extent[a] < 1)
            return false;
    return axes == n->path_axes;
}

static const int64_t beyond = (int64_t)1 << 62; /* no index is that, or the same below zero */

/* The value, and `by` more, as a bound, from which the indices that begin a field, or a block, may
 * be taken away. */
static Inst *
moved_bound(RuntimeCheck *q, const Inst *value, int64_t by)
{
    if (value->kind == INST_CONST) {
        const int64_t n = value->value.leaves[0].i;
        return runtime_check_number(q, by + (n > beyond ? beyond : n < -beyond ? -beyond : n));
    }
    Inst *i = runtime_check_widen(q, runtime_check_repeat(q, value));
    if (value->type == q->number) {
        i = runtime_check_limit(q, BUILTIN_MIN, i, runtime_check_number(q, beyond));
        i = runtime_check_limit(q, BUILTIN_MAX, i, runtime_check_number(q, -beyond));
    }
    return by ? runtime_check_sum(q, OP_ADD, i, runtime_check_number(q, by)) : i;
}

/* Which end of the k-th axis a constant is, so that other indices are one range: 1 the first, 2 the
 * last, 0 neither. */
static int
end_at(const Only *o, int k, const Inst *value)
{
    const Node *n = o->t->node;
    int a = 0;
    for (int rank = 0; a < AXIS_MAX; a++)
        if ((n->path_axes & 1 << a) && rank++ == k)
            break;
    assert(a < AXIS_MAX);
    const int64_t first = n->offset[a] / n->cell_extent[a];
    if (value->kind != INST_CONST)
        return 0;
    return value->value.leaves[0].i == first                                              ? 1
           : n->coord_extent[a] && value->value.leaves[0].i == first + n->coord_extent[a] - 1 ? 2
                                                                                              : 0;
}

/* Leaves out the values of a variable for which a comparison does not give `wanted`; false where
 * the others are no range. */
static bool
leave_by(Only *o, int k, Op op, const Inst *value, bool wanted)
{
    RuntimeCheck *q = &o->q;
    if (!wanted)
        op = op_negated(op);
    const int end = op == OP_NE ? end_at(o, k, value) : 0;
    const bool starts = op == OP_GT || op == OP_GE || op == OP_EQ || end == 1,
               ends = op == OP_LT || op == OP_LE || op == OP_EQ || end == 2;
    if (starts)
        o->from[k] = runtime_check_limit(q, BUILTIN_MAX, o->from[k],
                                    moved_bound(q, value, op == OP_GT || op == OP_NE));
    if (ends)
        o->to[k] = runtime_check_limit(q, BUILTIN_MIN, o->to[k],
                                  moved_bound(q, value, op == OP_LE || op == OP_EQ));
    return starts || ends;
}

/* The same for a condition. Of one that is made of several those before the first that is none of
 * an index leave out cells, too. */
static bool
leave_to(Only *o, const Inst *i, bool wanted)
{
    const Inst *a = i->args.count ? i->args.items[0] : NULL;
    if (!a || (i->kind == INST_UNARY && i->op == OP_NOT))
        return a && leave_to(o, a, !wanted);
    if (i->kind == INST_LOGIC)
        return i->op == (wanted ? OP_LAND : OP_LOR) && leave_to(o, a, wanted) &&
               leave_to(o, i->blocks[0]->result, wanted);
    if (i->kind != INST_BINARY || a->type->kind != TYPE_SCALAR)
        return false;
    const Inst *b = i->args.items[1];
    if (type_is_bool(a->type))
        return (i->op == (wanted ? OP_LAND : OP_LOR) || i->op == (wanted ? OP_AND : OP_OR)) &&
               leave_to(o, a, wanted) && leave_to(o, b, wanted);
    if (!op_is_comparison(i->op) || scalar_info(a->type->scalar)->kind != KIND_INT)
        return false;
    const int k = affine_loop_variable(o->t, a), m = affine_loop_variable(o->t, b);
    if (k >= 0 && kernel_invariant(b))
        return leave_by(o, k, i->op, b, wanted);
    return m >= 0 && kernel_invariant(a) && leave_by(o, m, op_swapped(i->op), a, wanted);
}

static bool
says_something(const Only *o)
{
    for (int k = 0; k < o->t->vars.count; k++)
        if (o->from[k] || o->to[k])
            return true;
    return false;
}

static void
find_count(Inst *i, void *arg)
{
    Blocks *b = arg;
    b->fails |= guard_counts(b->ir, i);
}

/* Loops with sums, random numbers and checks for races ask which iteration of how many it is. */
static void
look_at_condition(Blocks *b, Task *t)
{
    Guard guard;
    if (!has_rows_of_blocks(t) || task_is_bounded(t) || t->reductions.count ||
        !guard_find(t->body, &guard))
        return;
    b->fails = false;
    block_walk(t->body, find_count, b);
    Block *setup = ARENA_NEW(b->c->arena, Block);
    for (int n = 0; t->setup && n < t->setup->insts.count; n++)
        block_add(b->c, setup, t->setup->insts.items[n]);
    Only o = {.t = t, .q = runtime_check_new(b->c, b->ir, setup, t->span)};
    const bool all = !b->fails && leave_to(&o, guard.condition, guard.wanted);
    if (b->fails || !says_something(&o))
        return;
    for (int k = 0; k < t->vars.count; k++) {
        vec_push(b->c->arena, &t->from,
                 o.from[k] ? o.from[k] : runtime_check_number(&o.q, -beyond));
        vec_push(b->c->arena, &t->to, o.to[k] ? o.to[k] : runtime_check_number(&o.q, beyond));
        vec_push(b->c->arena, &t->step, NULL);
    }
    t->setup = setup;
    if (all)
        guard_drop(b->c, t->body, &guard);
}

static void
look_at_loop(Blocks *b, Task *t)
{
    look_at_ranges(b, t);
    look_at_condition(b, t);
}

void
pass_tile_ranges(Compile *c, Ir *ir, IrFunc *f)
{
    Blocks b = {.c = c, .ir = ir, .f = f};
    if (!ir->needs_indices)
        return;
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        look_at_loop(&b, loops.items[n]);
}
