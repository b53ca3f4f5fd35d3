/* Sums of parallel loops. Those of floats are in double-double (two-sum: Knuth, TAOCP 2, 4.2.2).
 * Signed integers under --check=overflow are whole + wraps * 2^64: what counts is that the sum
 * fits, not what is added first. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "interp/inside.h"

static Sum *
find_sum(Interp *in, const Var *v)
{
    for (int i = 0; in->sums && i < in->sums->count; i++)
        if (in->sums->items[i].var == v)
            return &in->sums->items[i];
    return NULL;
}

static void
sum_add(Sum *s, int i, double x)
{
    double t = s->high[i] + x, back = t - s->high[i];
    s->low[i] += (s->high[i] - (t - back)) + (x - back);
    s->high[i] = t;
}

static void
whole_add(Sum *s, int i, Op op, Leaf x)
{
    Leaf old = s->whole[i];
    if (leaf_overflows(op, SCALAR_I64, old, x))
        s->wraps[i] += old.i < 0 ? -1 : 1;
    s->whole[i] = leaf_binary(op, SCALAR_I64, old, x, SCALAR_I64);
}

/* The nearest double; what is left over of infinity is a NaN. */
static double
sum_value(const Sum *s, int i)
{
    return isnan(s->low[i]) ? s->high[i] : s->high[i] + s->low[i];
}

bool
sums_add(Interp *in, const TExpr *place, const Leaf *by, bool negate)
{
    Sum *s = find_sum(in, place->kind == TX_ELEM ? place->a->var : place->var);
    if (!s)
        return false;
    Where where;
    place_find(in, place, USE_WRITE, &where);
    for (int i = 0; i < place->type->leaf_count; i++)
        if (s->whole)
            whole_add(s, where.leaf + i, negate ? OP_SUB : OP_ADD, by[i]);
        else
            sum_add(s, where.leaf + i, negate ? -by[i].f : by[i].f);
    return true;
}

void
sums_start(Interp *in, Sums *sums, const TStmt *loop)
{
    sums->outer = in->sums;
    sums->count = 0;
    sums->items =
        (Sum *)interp_take(in, (int64_t)(sizeof(Sum) / sizeof(Leaf) + 1) * loop->reductions.count);
    for (int i = 0; i < loop->reductions.count; i++) {
        const Var *v = loop->reductions.items[i].var;
        const bool is_float = type_is_float(v->type);
        const bool is_checked = (in->c->options.check & CHECK_OVERFLOW) &&
                                scalar_info(v->type->scalar)->kind == KIND_INT;
        if (loop->reductions.items[i].op != ATOMIC_ADD || (!is_float && !is_checked))
            continue;
        const int n = v->type->leaf_count;
        Leaf *memory = interp_take(in, 2 * n);
        memset(memory, 0, sizeof(Leaf) * 2 * (size_t)n);
        Sum sum = {.var = v};
        if (is_float) {
            sum.high = (double *)memory;
            sum.low = sum.high + n;
        } else {
            sum.whole = memory;
            sum.wraps = (int64_t *)(memory + n);
        }
        sums->items[sums->count++] = sum;
    }
    in->sums = sums;
}

/* The value of a component after the loop, from that of before it. */
static Leaf
sum_end(Interp *in, Sum *s, int i, Leaf before, Span at)
{
    Scalar type = s->var->type->scalar;
    if (!s->whole) {
        sum_add(s, i, before.f);
        return leaf_cast(SCALAR_F64, type, (Leaf){.f = sum_value(s, i)});
    }
    whole_add(s, i, OP_ADD, before);
    if (s->wraps[i] || leaf_cast(SCALAR_I64, type, s->whole[i]).i != s->whole[i].i)
        interp_fail(in, at, "signed overflow: the sum %s does not fit in %s", s->var->name,
                    scalar_info(type)->name);
    return s->whole[i];
}

void
sums_end(Interp *in, Sums *sums, Span at)
{
    for (int k = 0; k < sums->count; k++) {
        Sum *s = &sums->items[k];
        Slot *slot = place_slot(in, s->var);
        for (int i = 0; i < s->var->type->leaf_count; i++)
            slot->leaves[i] = sum_end(in, s, i, slot->leaves[i], at);
        slot->set = true;
    }
    in->sums = sums->outer;
}
