/* Full unrolling. A short sequential loop between constants becomes its iterations, if its variable
 * says which component, element of a table or cell is meant. Later passes then know which one it
 * is.
 *
 *     for $1 from 0 to 2 by 1 k.3 {              $20 = elem x.1[0]
 *         $5 = load k.3                          store $20 <- $8
 *         $7 = elem x.1[$5]             →        $24 = elem x.1[1]
 *         store $7 <- $8                         store $24 <- $8
 *     }
 *
 * A loop over several ranges, of which the first are short, becomes a loop over the short ones
 * around one over the others. The code after a `continue` at the end of a branch moves to the other
 * branch. Inner loops come first, and their constants are folded before outer loops are looked at.
 * Each iteration has its own copies of the variables of the body. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/affine.h"
#include "analysis/cost.h"
#include "ir/inst_info.h"
#include "pass/clone.h"

enum {
    TIMES_MOST = 32,   /* iterations of a loop */
    INSTS_MOST = 4000, /* what one loop may become */
    GROWTH_MOST = 8000, /* what all of a parallel loop may, in a round */
    ROUNDS = 4,        /* loops inside of each other */
    TOGETHER_LEAST = 8, /* components side by side that make vectors by themselves */
};

typedef struct {
    Clone copy;
    bool unrolled;  /* one at least */
    /* the parallel loop at hand */
    int growth;
    bool together;  /* many components lie in one cell: its iterations do not become vectors */
    /* the loop at hand */
    Inst *loop;
    Inst *at[AXIS_MAX]; /* numbers that stand for its variables */
    bool *follows;  /* by id: computed from its variables */
    bool *keeps;    /* by variable: holds such a value */
    int64_t length; /* of its only range, or 0 */
    int insts, jumps; /* jumps: those that are not at the end of a branch of the body */
    bool fits, asks;
} Unroll;

/* ---- which loops ---- */

/* The number of the loop variable that is loaded, or -1. */
static int
loop_variable(const Unroll *u, const Inst *i)
{
    if (i->kind != INST_LOAD || i->args.items[0]->kind != INST_VAR)
        return -1;
    for (int v = 0; v < u->loop->vars.count; v++)
        if (u->loop->vars.items[v] == i->args.items[0]->var)
            return v;
    return -1;
}

/* `if (condition) { ...; continue; }` */
static bool
goes_on(const Inst *i)
{
    const Insts *then = i->kind == INST_IF && !i->blocks[1] ? &i->blocks[0]->insts : NULL;
    return then && then->count && then->items[then->count - 1]->kind == INST_CONTINUE;
}

/* May each iteration have an instruction of its own? */
static bool
can_copy(const Inst *i)
{
    switch (i->kind) {
    case INST_LOAD: case INST_STORE: case INST_ATOMIC: case INST_REDUCE: case INST_CELL:
    case INST_IF: case INST_LOGIC: case INST_COND: case INST_FOR: return true;
    default: return inst_info(i->kind)->effects == 'P';
    }
}

/* Adds numbers to an index, or keeps it inside of an axis, as boundary modes do? */
static bool
moves_index(const Inst *i)
{
    switch (i->kind) {
    case INST_BINARY: return i->op == OP_ADD || i->op == OP_SUB;
    case INST_BUILTIN:
        return i->builtin == BUILTIN_MIN || i->builtin == BUILTIN_MAX ||
               i->builtin == BUILTIN_FLOORMOD;
    default: return i->kind == INST_SELECT;
    }
}

/* Is an index made of a loop variable and numbers alone? */
static bool
is_along(const Unroll *u, const Inst *i)
{
    if (!moves_index(i))
        return loop_variable(u, i) >= 0;
    bool along = false;
    for (int a = i->kind == INST_SELECT; a < i->args.count; a++) {
        const Inst *part = i->args.items[a];
        if (part->kind != INST_CONST && !is_along(u, part))
            return false;
        along |= part->kind != INST_CONST;
    }
    return along;
}

/* Is it better to know the operand of such an instruction before the program runs? Loops along an
 * axis are good as they are, and so are those over components that make vectors, where the
 * iterations of the parallel loop cannot. */
static bool
asks_for(const Unroll *u, const Inst *i, int operand)
{
    const Inst *index = i->args.items[operand];
    switch (i->kind) {
    case INST_GET_AT: case INST_ELEM:
        return operand > 0 && !(loop_variable(u, index) >= 0 && u->together &&
                                u->length >= TOGETHER_LEAST);
    case INST_CELL: return i->access != ACCESS_ACTIVATE && !is_along(u, index);
    case INST_FOR: return true;
    default: return false;
    }
}

static void
look_at(Inst *i, void *arg)
{
    Unroll *u = arg;
    bool *follows = &u->follows[i->id];
    u->insts++;
    u->jumps += i->kind == INST_CONTINUE;
    u->fits &= can_copy(i) || i->kind == INST_CONTINUE;
    *follows = loop_variable(u, i) >= 0 ||
               (i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR &&
                u->keeps[i->args.items[0]->var->id]);
    for (int a = 0; a < i->args.count; a++) {
        if (!u->follows[i->args.items[a]->id])
            continue;
        u->asks |= asks_for(u, i, a);
        *follows |= inst_is_pure(i) || i->kind == INST_LOAD;
        if (i->kind == INST_STORE && i->defines)
            u->keeps[i->args.items[0]->var->id] = true;
    }
}

/* How many of its first ranges together have few rounds, which are known; how many these are. */
static int
short_ranges(const Inst *loop, int64_t *rounds)
{
    int v = 0;
    *rounds = 1;
    for (; v < loop->vars.count && loop->args.count == 3 * loop->vars.count; v++) {
        Inst *const *range = &loop->args.items[3 * v];
        const int64_t count = cost_trip_count(range[0], range[1], range[2]);
        if (count <= 0 || count > TIMES_MOST || *rounds * count > TIMES_MOST)
            break;
        *rounds *= count;
    }
    return v;
}

/* How often it runs, if that is known and not often; or 0. */
static int64_t
times(const Inst *loop)
{
    int64_t rounds;
    const int count = short_ranges(loop, &rounds);
    return count == loop->vars.count && count <= AXIS_MAX ? rounds : 0;
}

static void
note_short(Inst *i, void *arg)
{
    *(bool *)arg |= i->kind == INST_FOR && times(i);
}

static void
note_short_in(Block *b, void *arg)
{
    block_walk(b, note_short, arg);
}

static bool
is_worth_it(Unroll *u, Inst *loop)
{
    const int64_t count = times(loop);
    if (!count)
        return false;
    u->loop = loop;
    u->length = loop->vars.count == 1 ? count : 0;
    u->insts = 0;
    u->fits = true;
    u->asks = false;
    u->jumps = 0;
    block_walk(loop->blocks[0], look_at, u);
    for (int n = 0; n < loop->blocks[0]->insts.count; n++)
        u->jumps -= goes_on(loop->blocks[0]->insts.items[n]);
    if (!u->fits || u->jumps || !u->asks || u->insts * count > INSTS_MOST ||
        u->growth + u->insts * count > GROWTH_MOST)
        return false;
    u->growth += (int)(u->insts * count);
    return true;
}

/* ---- loops over several ranges ---- */

static void
note_parts(Inst *i, void *arg)
{
    int64_t rounds;
    const int head = i->kind == INST_FOR ? short_ranges(i, &rounds) : 0;
    *(bool *)arg |= head && head < i->vars.count;
}

static void
note_parts_in(Block *b, void *arg)
{
    block_walk(b, note_parts, arg);
}

static void
note_break(Inst *i, void *arg)
{
    *(bool *)arg |= i->kind == INST_BREAK;
}

/* Is something asked of the variables from number v on? */
static bool
asks_from(Unroll *u, const Inst *loop, int v)
{
    Inst *const before = u->loop, rest = *loop;
    rest.vars.items += v;
    rest.vars.count -= v;
    u->loop = &rest;
    u->length = 0;
    u->asks = false;
    block_walk(loop->blocks[0], look_at, u);
    u->loop = before;
    return u->asks;
}

/* Takes its ranges after those that are short to a loop in it, which stays. */
static void
part(Inst *loop, void *arg)
{
    Unroll *u = arg;
    Compile *c = u->copy.c;
    int64_t rounds;
    bool breaks = false; /* which leaves both */
    const int head = loop->kind == INST_FOR ? short_ranges(loop, &rounds) : 0;
    if (!head || head == loop->vars.count)
        return;
    block_walk(loop->blocks[0], note_break, &breaks);
    if (breaks || asks_from(u, loop, head))
        return;
    Inst *inner = ir_new(c, INST_FOR, NULL, loop->span);
    for (int v = head; v < loop->vars.count; v++)
        vec_push(c->arena, &inner->vars, loop->vars.items[v]);
    for (int a = 3 * head; a < loop->args.count; a++)
        ir_arg(c, inner, loop->args.items[a]);
    inner->blocks[0] = loop->blocks[0];
    loop->blocks[0] = ARENA_NEW(c->arena, Block);
    block_add(c, loop->blocks[0], inner);
    loop->vars.count = head;
    loop->args.count = 3 * head;
}

/* ---- iterations ---- */

/* What a copy of the body has instead of its own: numbers, and variables. */
static void
begin_copy(Inst *i, void *arg)
{
    Unroll *u = arg;
    const int index = loop_variable(u, i);
    u->copy.insts[i->id] = index < 0 ? NULL : u->at[index];
    if (i->kind == INST_STORE && i->defines)
        u->copy.vars[i->args.items[0]->var->id] = clone_var(&u->copy, i->args.items[0]->var);
    for (int v = 0; (i->kind == INST_FOR || i->kind == INST_FOR_CELLS) && v < i->vars.count; v++)
        u->copy.vars[i->vars.items[v]->id] = clone_var(&u->copy, i->vars.items[v]);
}

/* `if (condition) { ...; continue; }`: what stands after it is its other branch. */
static Block *
copy_continue(Unroll *u, const Inst *i, Block *to)
{
    Inst *copy = ir_new(u->copy.c, INST_IF, NULL, i->span);
    const Insts *before = &i->blocks[0]->insts;
    ir_arg(u->copy.c, copy, clone_of(&u->copy, i->args.items[0]));
    for (int b = 0; b < 2; b++)
        copy->blocks[b] = ARENA_NEW(u->copy.c->arena, Block);
    for (int n = 0; n < before->count - 1; n++)
        clone_inst(&u->copy, before->items[n], copy->blocks[0]);
    block_add(u->copy.c, to, copy);
    return copy->blocks[1];
}

static void
add_iteration(Unroll *u, Block *to)
{
    const Insts *body = &u->loop->blocks[0]->insts;
    block_walk(u->loop->blocks[0], begin_copy, u);
    for (int n = 0; n < body->count; n++) {
        if (goes_on(body->items[n]))
            to = copy_continue(u, body->items[n], to);
        else
            clone_inst(&u->copy, body->items[n], to);
    }
}

/* The iterations for all values of the variables from number v on. */
static void
add_iterations(Unroll *u, int v, Block *to)
{
    if (v == u->loop->vars.count) {
        add_iteration(u, to);
        return;
    }
    Inst *const *range = &u->loop->args.items[3 * v];
    const int64_t step = range[2]->value.leaves[0].i,
                  count = cost_trip_count(range[0], range[1], range[2]);
    for (int64_t n = 0; n < count; n++) {
        u->at[v] = ir_integer(u->copy.c, range[0]->type, range[0]->span,
                              range[0]->value.leaves[0].i + n * step);
        block_add(u->copy.c, to, u->at[v]);
        add_iterations(u, v + 1, to);
    }
}

/* True if a loop in the block was unrolled. */
static bool
unroll_block(Unroll *u, Block *b)
{
    bool any = false;
    Insts old = block_take(b);
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        bool inner = false;
        for (int s = 0; s < 2; s++)
            inner |= i->blocks[s] && unroll_block(u, i->blocks[s]);
        any |= inner;
        if (inner || i->kind != INST_FOR || !is_worth_it(u, i)) {
            block_add(u->copy.c, b, i);
            continue;
        }
        any = true;
        add_iterations(u, 0, b);
    }
    insts_free(u->copy.c, &old);
    return any;
}

static void
note_together(Inst *i, void *arg)
{
    *(bool *)arg |= i->kind == INST_IN_CELL && i->type->leaf_count >= TOGETHER_LEAST;
}

static void
unroll_in(Unroll *u, Task *t)
{
    u->growth = 0;
    u->together = false;
    block_walk(t->body, note_together, &u->together);
    u->unrolled |= unroll_block(u, t->body);
}

static Unroll
start(Compile *c, IrFunc *f)
{
    const int insts = ir_number(f), vars = ir_var_limit(f);
    Unroll u = {.copy = {.c = c, .f = f}};
    u.copy.insts = ARENA_ARRAY(c->scratch, Inst *, insts);
    u.copy.vars = ARENA_ARRAY(c->scratch, Var *, vars);
    u.follows = ARENA_ARRAY(c->scratch, bool, insts);
    u.keeps = ARENA_ARRAY(c->scratch, bool, vars);
    return u;
}

/* One round; false if no loop was unrolled. */
static bool
unroll(Compile *c, IrFunc *f)
{
    bool has_short = false;
    ir_walk_blocks(f, note_short_in, &has_short);
    if (!has_short)
        return false;
    Unroll u = start(c, f);
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        unroll_in(&u, loops.items[n]);
    return u.unrolled;
}

static void
part_loops(Compile *c, IrFunc *f)
{
    bool has_parts = false;
    ir_walk_blocks(f, note_parts_in, &has_parts);
    if (!has_parts)
        return;
    Unroll u = start(c, f);
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        block_walk(loops.items[n]->body, part, &u);
}

void
pass_unroll(Compile *c, Ir *ir, IrFunc *f)
{
    part_loops(c, f);
    for (int round = 0; round < ROUNDS && unroll(c, f); round++) {
        pass_fold(c, ir, f);
        pass_dce(c, ir, f);
    }
}
