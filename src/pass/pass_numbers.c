/* Least and greatest of floats of which one is known to be a number, and not to be a zero that the
 * order of signs takes out of the way, are one comparison.
 *
 *     $4 = builtin norm_sqr $3                         $4 = builtin norm_sqr $3
 *     $6 = load best            → $6 is a number       $6 = load best
 *     $7 = builtin min $6, $4                    →     $7 = builtin min $6, $4 limit 0
 *     store best <- $7
 *
 * The result of min and max of a NaN and a number is the number, and -0 is less than 0; `x < limit
 * ? x : limit` gives the limit where x is a NaN, and where both are zeros. That is min where the
 * limit is no NaN, and where it is no 0 or x is no -0. `x <= limit ? x : limit` gives x where both
 * are zeros: min where the limit is a number, and no -0 or x no 0. */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/floats.h"
#include "pass/pass.h"

static bool
takes_limits(const Inst *i)
{
    const Builtin b = i->builtin;
    return i->kind == INST_BUILTIN && type_is_float(i->type) && i->type->scalar != SCALAR_F16 &&
           (b == BUILTIN_MIN || b == BUILTIN_MAX || b == BUILTIN_CLAMP);
}

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
        return (Limit){is_lower_limit(of[0], of[1]) &&
                               is_upper_limit(floats_max(of[0], of[1]), of[2])
                           ? 2
                           : 0,
                       false};
    const bool upper = i->builtin == BUILTIN_MIN;
    int k = operand_limit(i, of, upper, false);
    if (k >= 0)
        return (Limit){k + 1, false};
    k = operand_limit(i, of, upper, true);
    return (Limit){k + 1, k >= 0};
}

static void
note_use(Inst *i, void *arg)
{
    *(bool *)arg |= takes_limits(i);
}

static void
note_use_in(Block *b, void *arg)
{
    block_walk(b, note_use, arg);
}

static void
find_limit(Inst *i, void *arg)
{
    if (takes_limits(i))
        i->limit = limit_of(arg, i);
}

static void
find_limits_in(Block *b, void *arg)
{
    block_walk(b, find_limit, arg);
}

void
pass_numbers(Compile *c, Ir *ir, IrFunc *f)
{
    bool any = false;
    (void)ir;
    ir_walk_blocks(f, note_use_in, &any);
    const unsigned char *floats = any ? floats_find(c, f) : NULL;
    if (floats)
        ir_walk_blocks(f, find_limits_in, (void *)floats);
}
