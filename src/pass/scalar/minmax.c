/* Least and greatest of floats as one comparison. One operand, the limit, is known to be a number.
 * One of the two is known not to be the zero of one sign.
 *
 *     $4 = builtin norm_sqr $3                         $4 = builtin norm_sqr $3
 *     $6 = load best            → $6 is a number       $6 = load best
 *     $7 = builtin min $6, $4                    →     $7 = builtin min $6, $4 limit 0
 *     store best <- $7
 *
 * min and max of a NaN and a number give the number, and -0 is less than 0. `x < limit ? x : limit`
 * gives the limit where x is a NaN, and where both are zeros. That is min if the limit is no NaN,
 * and either the limit is no 0 or x is no -0. `x <= limit ? x : limit` gives x where both are
 * zeros. That is min if the limit is a number, and either the limit is no -0 or x is no 0.
 *
 * Other min and max are marked alone where C compilers do not vectorise (scalar_context.h). */
#include "config.h"

#include "pass/pass.h"

#include "analysis/float_class.h"
#include "analysis/scalar_context.h"
#include "ir/inst_info.h"

/* Is min(x, limit) the limit where x is a NaN, and where both are zeros? */
static bool
is_upper_limit(int x, int limit)
{
    return !(limit & MAY_BE_NAN) && !(x & MAY_BE_NEGATIVE_ZERO && limit & MAY_BE_ZERO);
}

static bool
is_lower_limit(int x, int limit)
{
    return !(limit & MAY_BE_NAN) && !(x & MAY_BE_ZERO && limit & MAY_BE_NEGATIVE_ZERO);
}

/* The operand of min (max: `upper` is false) that is the limit, or -1. `gives_other`: x where both
 * are zeros. */
static int
operand_limit(const Inst *i, const int *of, bool upper, bool gives_other)
{
    /* a constant is the better limit: it needs no register of its own */
    const int first = i->args.items[0]->kind == INST_CONST ? 0 : 1;
    for (int n = 0; n < 2; n++) {
        const int k = n ? 1 - first : first, limit = of[k], x = of[1 - k];
        if (upper != gives_other ? is_upper_limit(x, limit) : is_lower_limit(x, limit))
            return k;
    }
    return -1;
}

/* Finds how a min, max or clamp is one comparison. */
static Limit
limit_of(const unsigned char *floats, const Inst *i)
{
    int of[3] = {0};
    for (int a = 0; a < i->args.count; a++)
        of[a] = floats[i->args.items[a]->id];
    if (i->builtin == BUILTIN_CLAMP)
        return (Limit){.operand = is_lower_limit(of[0], of[1]) &&
                                          is_upper_limit(float_class_max(of[0], of[1]), of[2])
                                      ? 2
                                      : 0};
    const bool upper = i->builtin == BUILTIN_MIN;
    int k = operand_limit(i, of, upper, false);
    if (k >= 0)
        return (Limit){.operand = (unsigned char)(k + 1)};
    k = operand_limit(i, of, upper, true);
    return (Limit){.operand = (unsigned char)(k + 1), .gives_other = k >= 0};
}

static void
note_use(Inst *i, void *arg)
{
    *(bool *)arg |= float_class_takes_limit(i);
}

static void
note_use_in(Block *b, void *arg)
{
    block_walk(b, note_use, arg);
}

static void
find_limit(Inst *i, void *arg)
{
    if (float_class_takes_limit(i))
        i->limit = limit_of(arg, i);
}

static void
find_limits_in(Block *b, void *arg)
{
    block_walk(b, find_limit, arg);
}

/* ---- where there are no vectors ---- */

static void
mark_alone(Inst *i, bool alone, void *arg)
{
    (void)arg;
    if (float_class_takes_limit(i) && !i->limit.operand)
        i->limit.alone = alone;
}

/* ---- where what is read is fast ---- */

enum { ROUNDS = 16, TEST = 4 }; /* of a sequential loop; operations that asking for a float takes */

/* Of a task: what is expected of its loads. */
typedef struct {
    Compile *c;
    IrFunc *f;
    Task *t;
    const unsigned char *known; /* without that */
    unsigned char *floats;      /* NULL: that would take long to find */
    Insts loads;                /* of what may be fast floats */
    bool dropped;
} Expected;

/* The field that a load may see a change of; NULL for one of a copy. */
static const Field *
loaded_field(const Inst *load)
{
    const Inst *place = inst_place_root(load->args.items[0]);
    return place->kind == INST_HALO ? NULL : place->field;
}

static void
note_load(Inst *i, void *arg)
{
    Expected *u = arg;
    if (i->kind == INST_LOAD && i->fast_float)
        vec_push(u->c->scratch, &u->loads, i);
}

/* What is stored must be fast floats where loads of the field expect that: these may come later. */
static void
look_at_store(Inst *i, void *arg)
{
    Expected *u = arg;
    const Inst *place = i->kind == INST_STORE ? inst_place_root(i->args.items[0]) : NULL;
    if (!place || place->kind != INST_IN_CELL || !(u->floats[i->args.items[1]->id] & ~MAY_BE_USUAL))
        return;
    for (int n = 0; n < u->loads.count; n++)
        if (u->loads.items[n]->fast_float && loaded_field(u->loads.items[n]) == place->field) {
            u->loads.items[n]->fast_float = 0;
            u->dropped = true;
        }
}

static void
walk_task(Expected *u, void (*fn)(Inst *i, void *arg))
{
    block_walk(u->t->before, fn, u);
    block_walk(u->t->body, fn, u);
    block_walk(u->t->inside, fn, u);
}

/* What floats may be where what is marked is fast; takes marks from what may not stay so. */
static void
find_fast_floats(Expected *u)
{
    do {
        u->dropped = false;
        u->floats = float_class_find(u->c, u->f, ASSUME_USUAL);
        if (!u->floats)
            return;
        const int count = ir_number(u->f);
        for (int n = 0; n < count; n++)
            u->floats[n] &= u->known[n];
        walk_task(u, look_at_store);
    } while (u->dropped);
}

/* Operations of min, max and clamp that are spared. */
static int64_t
gain_of(const Expected *u, const Block *b)
{
    int64_t gain = 0;
    for (int n = 0; b && n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        const int rounds = i->kind == INST_FOR || i->kind == INST_WHILE ? ROUNDS : 1;
        if (float_class_takes_limit(i)) {
            const Limit l = limit_of(u->floats, i);
            const int spared = !l.operand || i->limit.operand ? 0 : l.gives_other ? 3 : 4;
            gain += (int64_t)spared * i->type->leaf_count * (i->builtin == BUILTIN_CLAMP ? 2 : 1);
        }
        for (int k = 0; k < 2; k++)
            gain += rounds * gain_of(u, i->blocks[k]);
    }
    return gain;
}

static int64_t
gain(Expected *u)
{
    find_fast_floats(u);
    return u->floats ? gain_of(u, u->t->inside ? u->t->inside : u->t->body) : 0;
}

/* Expects nothing of the array of this number any more, unless that makes the gain less. */
static void
try_without(Expected *u, int number, int64_t all)
{
    unsigned char *before = ARENA_ARRAY(u->c->scratch, unsigned char, u->loads.count + 1);
    for (int n = 0; n < u->loads.count; n++) {
        Inst *load = u->loads.items[n];
        before[n] = load->fast_float;
        load->fast_float = load->fast_float == number ? 0 : load->fast_float;
    }
    if (gain(u) == all)
        return;
    for (int n = 0; n < u->loads.count; n++)
        u->loads.items[n]->fast_float = before[n];
}

/* Operations that asking for all that is expected takes, for each iteration. */
static int64_t
cost(const Expected *u)
{
    int64_t sum = 0;
    for (int k = 0; k < u->t->fast_floats.count; k++) {
        const FastFloats *s = &u->t->fast_floats.items[k];
        sum += s->halo ? 2 * TEST : TEST * s->node->cell_bytes / scalar_info(s->scalar)->bytes;
    }
    return sum;
}

/* Leaves the arrays that loads still expect to be fast. */
static void
keep_expected(Expected *u)
{
    int kept = 0;
    for (int k = 0; k < u->t->fast_floats.count; k++) {
        bool expected = false;
        for (int n = 0; n < u->loads.count; n++)
            expected |= u->loads.items[n]->fast_float == k + 1;
        if (expected)
            u->t->fast_floats.items[kept++] = u->t->fast_floats.items[k];
    }
    u->t->fast_floats.count = kept;
}

static void
set_fast_limit(Inst *i, void *arg)
{
    const Expected *u = arg;
    if (float_class_takes_limit(i) && (!i->limit.operand || i->limit.gives_other))
        i->fast_limit = limit_of(u->floats, i);
}

static void
find_fast_limits(Expected *u)
{
    walk_task(u, note_load);
    const int64_t all = gain(u);
    for (int k = 0; all && k < u->t->fast_floats.count; k++)
        try_without(u, k + 1, all);
    keep_expected(u);
    u->t->has_fast_floats = gain(u) > cost(u);
    if (u->t->has_fast_floats)
        walk_task(u, set_fast_limit);
    else
        u->t->fast_floats.count = 0;
}

static void
look_at_loops(Compile *c, IrFunc *f, const unsigned char *known)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++) {
        Expected u = {.c = c, .f = f, .t = loops.items[n], .known = known};
        if (u.t->fast_floats.count)
            find_fast_limits(&u);
    }
}

void
pass_minmax(Compile *c, Ir *ir, IrFunc *f)
{
    bool any = false;
    ir_walk_blocks(f, note_use_in, &any);
    if (!any)
        return;
    unsigned char *floats = float_class_find(c, f, ASSUME_NOTHING);
    if (floats) {
        ir_walk_blocks(f, find_limits_in, floats);
        look_at_loops(c, f, floats);
    }
    if (!c->options.gpu)
        scalar_context_walk(c, ir, f, mark_alone, NULL);
}
