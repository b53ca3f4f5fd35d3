/* Loop normalisation. A sequential loop through the cells of a block, from a sum to that sum plus a
 * number, counts from 0:
 *
 *     for $1 from I * 8 to I * 8 + 8 by 1 x {        for $1 from 0 to 8 by 1 x.1 {
 *                                                        store x <- I * 8 + load x.1
 *         $5 = cell S2dense of d[load x]       →         $5 = cell S2dense of d[load x]
 *
 * Pass lower_access then sees which digits of the index are the loop's, and looks the block up
 * once. The sum must not wrap, which the bounds of I tell. Loops that reach no blocks stay. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/linear.h"
#include "pass/delinearize.h"

enum { TIMES_MOST = 1 << 12 };

typedef struct {
    Compile *c;
    IrFunc *f;
    Delinearizer digits;      /* of the parallel loop at hand */
} Origin;

/* How far the end of a range is from its beginning, where that is one number above 0, and neither
 * is a sum that wraps; else 0. */
static int64_t
length_of(const Origin *o, const Inst *from, const Inst *to)
{
    const Delinearizer *d = &o->digits;
    const Linear first = linear_of(d->indices, d->task, from),
                 end = linear_of(d->indices, d->task, to);
    const int64_t length = end.constant - first.constant;
    int64_t min, max;
    return first.fits && end.fits && linear_has_same_terms(&first, &end) && length > 0 &&
                   length <= TIMES_MOST && delinearize_bounds(d, from, &min, &max) &&
                   delinearize_bounds(d, to, &min, &max)
               ? length
               : 0;
}

/* ---- loops ---- */

static void
find_block(Inst *i, void *arg)
{
    bool *found = arg;
    *found |= i->kind == INST_CELL && i->node->parent;
}

static Inst *
place_of(const Origin *o, Var *v, Span span, Block *to)
{
    Inst *place = ir_new(o->c, INST_VAR, v->type, span);
    place->var = v;
    block_add(o->c, to, place);
    return place;
}

static Inst *
load_of(const Origin *o, Var *v, Span span, Block *to)
{
    Inst *load = ir_new(o->c, INST_LOAD, v->type, span);
    ir_arg(o->c, load, place_of(o, v, span, to));
    block_add(o->c, to, load);
    return load;
}

/* The variable of the loop becomes one of its body; another one, from 0 on, takes its place. */
static void
count_from_zero(Origin *o, Inst *loop, int v, int64_t length, Block *home)
{
    Inst **range = &loop->args.items[3 * v], *from = range[0];
    Var *old = loop->vars.items[v],
        *counter = ir_new_var(o->c, o->f, old->name, old->type, old->span);
    counter->kind = old->kind;
    old->kind = VAR_LOCAL;
    loop->vars.items[v] = counter;
    Block *body = loop->blocks[0];
    Insts rest = block_take(body);
    Inst *value = load_of(o, counter, loop->span, body);
    value = ir_binary(o->c, OP_ADD, old->type, loop->span, from, value);
    block_add(o->c, body, value);
    Inst *store = ir_new(o->c, INST_STORE, NULL, loop->span);
    store->defines = true;
    ir_arg(o->c, store, place_of(o, old, loop->span, body));
    ir_arg(o->c, store, value);
    block_add(o->c, body, store);
    for (int n = 0; n < rest.count; n++)
        block_add(o->c, body, rest.items[n]);
    insts_free(o->c, &rest);
    for (int k = 0; k < 2; k++) {
        range[k] = ir_integer(o->c, from->type, loop->span, k ? length : 0);
        block_add(o->c, home, range[k]);
    }
}

static void
look_at_loop(Origin *o, Inst *loop, Block *home)
{
    bool found = false;
    if (loop->args.count != 3 * loop->vars.count)
        return;
    block_walk(loop->blocks[0], find_block, &found);
    for (int v = 0; found && v < loop->vars.count; v++) {
        Inst *const *range = &loop->args.items[3 * v];
        const bool plain = range[2]->kind == INST_CONST && range[2]->value.leaves[0].i == 1 &&
                           range[0]->kind != INST_CONST;
        const int64_t length = plain ? length_of(o, range[0], range[1]) : 0;
        if (length)
            count_from_zero(o, loop, v, length, home);
    }
}

static void
look_at_block(Origin *o, Block *b)
{
    Insts old = block_take(b);
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        for (int s = 0; s < 2; s++)
            if (i->blocks[s])
                look_at_block(o, i->blocks[s]);
        if (i->kind == INST_FOR)
            look_at_loop(o, i, b);
        block_add(o->c, b, i);
    }
    insts_free(o->c, &old);
}

static void
normalize_in(Origin *o, Task *t)
{
    o->digits.task = t;
    o->digits.home = t->body;
    look_at_block(o, t->body);
}

void
pass_normalize(Compile *c, Ir *ir, IrFunc *f)
{
    if (!ir->needs_indices || !f->tasks.count)
        return;
    Origin o = {.c = c, .f = f};
    o.digits.indices = affine_new(c, f);
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        normalize_in(&o, loops.items[n]);
}
