/* Unroll-and-jam. A loop over rows and columns may go through the rows of another array, as
 * products of matrices do. It takes several of its own rows at a time, so each element that is read
 * is used several times.
 *
 *     range_for(i32 i in 0..64, i32 j in 0..64) {     range_for(i32 i in 0..64 step 4, ...) {
 *         declare s <- 0                                  declare s.0 <- 0, ..., declare s.3 <- 0
 *         for k from 0 to 64 {                            for k from 0 to 64 {
 *             $5 = load a[i, k]                               $5 = load b[k, j]
 *             $6 = load b[k, j]                 →             $6 = load a[i, k]
 *             store s <- fma($5, $6, s)                       store s.0 <- fma($6, $5, s.0), ...
 *         }                                               }
 *         store c[i, j] <- s                              store c[i, j] <- s.0, ...
 *     }                                               }
 *
 * Code that is the same for all rows is done once. No iteration reads what another one writes, so
 * the order does not matter. The number of rows is a multiple. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/affine.h"
#include "analysis/cost.h"
#include "ir/inst_info.h"
#include "pass/clone.h"
#include "pass/range_loop.h"

enum { ROWS = 4, TIMES_LEAST = 8, STRIPS_LEAST = 16, INSTS_MOST = 100 };

typedef struct {
    Compile *c;
    IrFunc *f;
    bool *differs; /* by id: not the same for all rows */
    bool *along;   /* by id: depends on the last loop variable */
    bool *own;     /* by variable: declared in the body */
    /* the loop at hand */
    Task *t;
    int row; /* number of the loop variable that is taken several times */
    VEC(Field *) reads, writes, away; /* away: elsewhere than in the cell of the iteration */
    int insts;
    bool fits, shares; /* shares: elements that all rows read, in a loop that is long enough */
    Clone rows[ROWS];
    Inst *numbers[ROWS]; /* the loop variable in each */
} Jam;

/* ---- which loops ---- */

static void
note_own(Inst *i, void *arg)
{
    Jam *k = arg;
    if (i->kind == INST_STORE && i->defines)
        k->own[i->args.items[0]->var->id] = true;
}

/* What is written is an element of a dense array, or a variable of the iteration. */
static bool
can_store(Jam *k, const Inst *store)
{
    const Inst *base = affine_place_base(store->args.items[0]);
    if (base->kind == INST_VAR)
        return k->own[base->var->id];
    if (base->kind != INST_IN_CELL)
        return false;
    vec_push(k->c->arena, &k->writes, base->field);
    const Node *n = base->args.items[0]->node;
    while (n && n->kind == NODE_DENSE)
        n = n->parent;
    return !n;
}

/* Is it the cell of the iteration? */
static bool
is_at_home(const Task *t, const Inst *cell)
{
    if (cell->args.count != t->vars.count)
        return false;
    for (int v = 0; v < t->vars.count; v++) {
        const Inst *i = cell->args.items[v];
        if (i->kind != INST_LOAD || i->args.items[0]->kind != INST_VAR ||
            i->args.items[0]->var != t->vars.items[v])
            return false;
    }
    return true;
}

/* All rows go through each loop together, but for those in branches: its bounds are the same for
 * all. */
static bool
can_take(Jam *k, const Inst *i)
{
    const bool reads = i->kind == INST_LOAD || i->kind == INST_ATOMIC;
    Field *f = reads ? affine_place_base(i->args.items[0])->field : NULL;
    if (f)
        vec_push(k->c->arena, &k->reads, f);
    switch (i->kind) {
    case INST_STORE: case INST_ATOMIC: return can_store(k, i);
    case INST_CELL:
        if (!is_at_home(k->t, i))
            vec_push(k->c->arena, &k->away, i->field);
        return true;
    case INST_FOR: return !k->differs[i->id];
    case INST_IF: case INST_LOGIC: case INST_COND: case INST_LOAD: return true;
    default: return inst_info(i->kind)->effects == 'P';
    }
}

static void
look_at(Inst *i, void *arg)
{
    Jam *k = arg;
    const Task *t = k->t;
    const Var *v = i->kind == INST_VAR ? i->var : NULL;
    bool differs = inst_info(i->kind)->effects == 'W' || i->kind == INST_IF ||
                   i->kind == INST_LOGIC || i->kind == INST_COND ||
                   (v && (v == t->vars.items[k->row] || k->own[v->id]));
    bool along = v && v == t->vars.items[t->vars.count - 1];
    for (int a = 0; a < i->args.count; a++) {
        differs |= k->differs[i->args.items[a]->id];
        along |= k->along[i->args.items[a]->id];
    }
    k->differs[i->id] = differs;
    k->along[i->id] = along;
    k->insts++;
    k->fits = k->fits && k->insts <= INSTS_MOST && can_take(k, i);
}

static void
find_shared(Inst *i, void *arg)
{
    Jam *k = arg;
    k->shares |= i->kind == INST_LOAD &&
                 affine_place_base(i->args.items[0])->kind == INST_IN_CELL && k->along[i->id] &&
                 !k->differs[i->id];
}

static bool
is_long(const Inst *loop)
{
    if (loop->kind != INST_FOR || loop->args.count != 3)
        return false;
    const int64_t count =
        cost_trip_count(loop->args.items[0], loop->args.items[1], loop->args.items[2]);
    return count < 0 || count >= TIMES_LEAST;
}

/* Could an iteration read what another one writes? */
static bool
is_exchanging(const Jam *k)
{
    for (int w = 0; w < k->writes.count; w++) {
        const Field *f = k->writes.items[w];
        if (fields_have(k->reads.items, k->reads.count, f) &&
            fields_have(k->away.items, k->away.count, f))
            return true;
    }
    return false;
}

static bool
has_long_loop(const Block *body)
{
    for (int n = 0; n < body->insts.count; n++)
        if (is_long(body->insts.items[n]))
            return true;
    return false;
}

static bool
is_worth_it(Jam *k)
{
    const Insts *body = &k->t->body->insts;
    block_walk(k->t->body, note_own, k);
    block_walk(k->t->body, look_at, k);
    if (!k->fits || !k->writes.count || is_exchanging(k))
        return false;
    for (int n = 0; n < body->count; n++)
        if (is_long(body->items[n]))
            block_walk(body->items[n]->blocks[0], find_shared, k);
    return k->shares;
}

/* ---- the body for several rows ---- */

static void take_block(Jam *k, const Block *from, Block *to);

static void
take_loop(Jam *k, const Inst *loop, Block *to)
{
    Inst *copy = ir_new(k->c, INST_FOR, NULL, loop->span);
    *copy = *loop;
    copy->args = (Insts){0};
    for (int a = 0; a < loop->args.count; a++)
        ir_arg(k->c, copy, k->rows[0].insts[loop->args.items[a]->id]);
    copy->blocks[0] = ARENA_NEW(k->c->arena, Block);
    take_block(k, loop->blocks[0], copy->blocks[0]);
    block_add(k->c, to, copy);
}

static void
take_block(Jam *k, const Block *from, Block *to)
{
    for (int n = 0; n < from->insts.count; n++) {
        const Inst *i = from->insts.items[n];
        if (i->kind == INST_FOR) {
            take_loop(k, i, to);
            continue;
        }
        for (int r = 0; r < ROWS; r++) {
            if (r && !k->differs[i->id])
                k->rows[r].insts[i->id] = k->rows[0].insts[i->id];
            clone_inst(&k->rows[r], i, to);
        }
    }
}

/* What a row has of its own: the number, and variables. */
static void
begin_rows(Inst *i, void *arg)
{
    Jam *k = arg;
    i->plain |= i->kind == INST_ATOMIC; /* in the cell of the iteration */
    const Inst *place = i->kind == INST_LOAD || i->kind == INST_STORE ? i->args.items[0] : NULL;
    const bool numbers = i->kind == INST_LOAD && place->kind == INST_VAR &&
                         place->var == k->t->vars.items[k->row];
    for (int r = 0; r < ROWS; r++) {
        Clone *row = &k->rows[r];
        if (numbers)
            row->insts[i->id] = k->numbers[r];
        if (r && i->kind == INST_STORE && i->defines)
            row->vars[place->var->id] = clone_var(row, place->var);
    }
}

/* The numbers of the rows: that of the loop variable, and those after it. */
static void
add_numbers(Jam *k, Block *to)
{
    const Var *v = k->t->vars.items[k->row];
    Inst *place = ir_new(k->c, INST_VAR, v->type, k->t->span),
         *first = ir_new(k->c, INST_LOAD, v->type, k->t->span);
    place->var = k->t->vars.items[k->row];
    ir_arg(k->c, first, place);
    block_add(k->c, to, place);
    block_add(k->c, to, first);
    k->numbers[0] = first;
    for (int r = 1; r < ROWS; r++) {
        Inst *offset = ir_integer(k->c, v->type, k->t->span, r),
             *sum = ir_binary(k->c, OP_ADD, v->type, k->t->span, first, offset);
        block_add(k->c, to, offset);
        block_add(k->c, to, sum);
        k->numbers[r] = sum;
    }
}

static void
take_rows(Jam *k)
{
    Block *body = ARENA_NEW(k->c->arena, Block);
    add_numbers(k, body);
    block_walk(k->t->body, begin_rows, k);
    take_block(k, k->t->body, body);
    k->t->body = body;
}

/* ---- all loops ---- */

/* Room for what is noted of the instructions and variables of the function. */
static void
begin(Jam *k)
{
    Arena *a = k->c->scratch;
    const int insts = ir_number(k->f), vars = ir_var_limit(k->f);
    k->differs = ARENA_ARRAY(a, bool, insts);
    k->along = ARENA_ARRAY(a, bool, insts);
    k->own = ARENA_ARRAY(a, bool, vars);
    for (int r = 0; r < ROWS; r++) {
        k->rows[r] = (Clone){.c = k->c, .f = k->f};
        k->rows[r].insts = ARENA_ARRAY(a, Inst *, insts);
        k->rows[r].vars = ARENA_ARRAY(a, Var *, vars);
    }
}

static void
jam_task(Jam *k, Task *t)
{
    RangeLoop r;
    const int row = t->vars.count - 2;
    if (row < 0 || t->reductions.count || !range_loop_find(t, &r))
        return;
    const int64_t count = r.to[row] - r.from[row];
    if (count % ROWS || count < ROWS * STRIPS_LEAST || !has_long_loop(t->body))
        return;
    if (!k->differs)
        begin(k);
    k->t = t;
    k->row = row;
    k->reads.count = k->writes.count = k->away.count = k->insts = 0;
    k->fits = true;
    k->shares = false;
    if (!is_worth_it(k))
        return;
    take_rows(k);
    range_loop_set(k->c, t, &r, row, ROWS);
}

void
pass_unroll_jam(Compile *c, Ir *ir, IrFunc *f)
{
    Jam k = {.c = c, .f = f};
    (void)ir;
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        jam_task(&k, loops.items[n]);
}
