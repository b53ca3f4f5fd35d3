/* Takes indices of cells apart into the digits of each level of a tree. */
#include "config.h"

#include "pass/delinearize.h"

#include "ir/inst_info.h"

enum { TERMS_MAX = 16, DEPTH_MAX = 32 };

static bool
is_power(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static int
log2_of(int64_t n)
{
    return 63 - __builtin_clzll((unsigned long long)n);
}

static Inst *
i64(Lower *l, int64_t v)
{
    return lower_integer(l, SCALAR_I64, v);
}

/* ---- bounds ---- */

/* The constant operand of an operation, and in *other the other one; else -1. Constants below 0 do
 * not count. */
static int64_t
constant_of(const Inst *i, Inst **other)
{
    if (i->kind != INST_BINARY)
        return -1;
    bool left = i->args.items[0]->kind == INST_CONST && (i->op == OP_MUL || i->op == OP_AND);
    const Inst *c = i->args.items[left ? 0 : 1];
    *other = i->args.items[left ? 1 : 0];
    return c->kind == INST_CONST && c->type->kind == TYPE_SCALAR && c->value.leaves[0].i >= 0
               ? c->value.leaves[0].i
               : -1;
}

/* What an integer, then in *value, is multiplied with, if that is a constant above 0; else 0. */
static int64_t
factor_of(const Inst *i, Inst **value)
{
    int64_t c = constant_of(i, value);
    if (c > 0 && i->op == OP_MUL)
        return c;
    return c >= 0 && c < 31 && i->op == OP_SHL && c < 8 * scalar_info(i->type->scalar)->bytes
               ? (int64_t)1 << c
               : 0;
}

static bool
range_of(const Delinearizer *d, Inst *i, int64_t *min, int64_t *max, int depth)
{
    static const Task none;
    if (depth > DEPTH_MAX || !d->indices || !type_is_integer(i->type) ||
        i->type->kind != TYPE_SCALAR)
        return false;
    Affine x = affine_of(d->indices, d->task ? d->task : &none, i);
    int64_t low = 0, high = 0, other_low, other_high, factor;
    Inst *value;
    if (x.known) {
        if (x.var && !affine_bounds(d->task, x.var, &low, &high))
            return false;
        return !__builtin_add_overflow(low, x.min, min) &&
               !__builtin_add_overflow(high, x.max, max) && affine_fits(i->type, *min, *max);
    }
    i = (Inst *)affine_plain(d->indices, i, d->home, true);
    if ((factor = factor_of(i, &value)) > 0)
        return range_of(d, value, &low, &high, depth + 1) &&
               !__builtin_mul_overflow(low, factor, min) &&
               !__builtin_mul_overflow(high, factor, max) && affine_fits(i->type, *min, *max);
    if ((factor = constant_of(i, &value)) > 0 && (i->op == OP_AND || i->op == OP_MOD)) {
        *min = 0;
        *max = i->op == OP_AND ? factor : factor - 1;
        return i->op == OP_AND || (range_of(d, value, &low, &high, depth + 1) && low >= 0);
    }
    if (factor > 0 && (i->op == OP_DIV || (i->op == OP_SHR && factor < 31))) {
        const int64_t by = i->op == OP_DIV ? factor : (int64_t)1 << factor;
        if (!range_of(d, value, &low, &high, depth + 1) || low < 0)
            return false;
        *min = low / by;
        *max = high / by;
        return true;
    }
    if (i->kind != INST_BINARY || i->op != OP_ADD)
        return false;
    return range_of(d, i->args.items[0], &low, &high, depth + 1) &&
           range_of(d, i->args.items[1], &other_low, &other_high, depth + 1) &&
           !__builtin_add_overflow(low, other_low, min) &&
           !__builtin_add_overflow(high, other_high, max) && affine_fits(i->type, *min, *max);
}

bool
delinearize_bounds(const Delinearizer *d, const Inst *i, int64_t *min, int64_t *max)
{
    return range_of(d, (Inst *)i, min, max, 0);
}

/* ---- sums ---- */

/* An index as a sum, of multiples of a number and of what is left, which is not negative and below
 * that number. */
typedef struct {
    Inst *multiples[TERMS_MAX], *rest[TERMS_MAX];
    int multiple_count, rest_count;
    int room;           /* terms that may still be taken apart */
    const Type *type;   /* of the terms */
    bool exact;         /* the multiples have a sum that does not wrap */
} Sum;

static bool
is_multiple(const Inst *i, int64_t by)
{
    Inst *value;
    int64_t n = i->kind == INST_CONST ? i->value.leaves[0].i : factor_of(i, &value);
    return n % by == 0 && (n > 0 || i->kind == INST_CONST);
}

static void
take_apart(const Delinearizer *d, Sum *s, Inst *i, int64_t by)
{
    i = (Inst *)affine_plain(d->indices, i, d->home, false);
    if (is_multiple(i, by))
        s->multiples[s->multiple_count++] = i;
    else if (i->kind == INST_BINARY && i->op == OP_ADD && s->room > 0) {
        s->room--;
        take_apart(d, s, i->args.items[0], by);
        take_apart(d, s, i->args.items[1], by);
    } else
        s->rest[s->rest_count++] = i;
}

/* Bounds of a sum of terms that does not wrap. */
static bool
sum_range(const Delinearizer *d, Inst *const *terms, int count, int64_t *min, int64_t *max)
{
    *min = *max = 0;
    for (int k = 0; k < count; k++) {
        int64_t low, high;
        if (!delinearize_bounds(d, terms[k], &low, &high) ||
            __builtin_add_overflow(*min, low, min) || __builtin_add_overflow(*max, high, max))
            return false;
    }
    return true;
}

/* An index by multiples of a number; false where it is no such sum. Multiples of a power of two are
 * such even where they wrap. */
static bool
find_sum(const Delinearizer *d, Inst *index, int64_t by, Sum *s)
{
    int64_t min, max;
    if (!d->indices)
        return false;
    index = (Inst *)affine_plain(d->indices, index, d->home, true);
    *s = (Sum){.room = TERMS_MAX - 1, .type = index->type};
    take_apart(d, s, index, by);
    if (!sum_range(d, s->rest, s->rest_count, &min, &max) || min < 0 || max >= by)
        return false;
    s->exact = sum_range(d, s->multiples, s->multiple_count, &min, &max) &&
               affine_fits(index->type, min, max);
    return s->exact || is_power(by);
}

static Inst *
add_up(Lower *l, Inst *const *terms, int count, const Type *type)
{
    Inst *sum = count ? terms[0] : lower_integer(l, type->scalar, 0);
    for (int k = 1; k < count; k++)
        sum = lower_binary(l, OP_ADD, sum, terms[k]);
    return lower_cast(l, sum, SCALAR_I64);
}

/* A multiple divided. */
static Inst *
divided(Lower *l, Inst *multiple, int64_t by)
{
    if (multiple->kind == INST_CONST)
        return lower_integer(l, multiple->type->scalar, multiple->value.leaves[0].i / by);
    Inst *value;
    int64_t factor = factor_of(multiple, &value) / by;
    return factor == 1
               ? value
               : lower_binary(l, OP_MUL, value, lower_integer(l, multiple->type->scalar, factor));
}

/* ---- digits ---- */

/* x / by of an index that is not negative. */
static Inst *
quotient(Delinearizer *d, Inst *x, int64_t by)
{
    Lower *l = &d->lower;
    Sum s;
    if (by == 1)
        return x;
    if (find_sum(d, x, by, &s)) {
        for (int k = 0; s.exact && k < s.multiple_count; k++)
            s.multiples[k] = divided(l, s.multiples[k], by);
        x = add_up(l, s.multiples, s.multiple_count, s.type);
        if (s.exact)
            return x;
    }
    return is_power(by) ? lower_binary(l, OP_SHR, x, i64(l, log2_of(by)))
                        : lower_binary(l, OP_DIV, x, i64(l, by));
}

/* x % by of an index that is not negative. */
static Inst *
remainder_of(Delinearizer *d, Inst *x, int64_t by)
{
    Lower *l = &d->lower;
    Sum s;
    if (find_sum(d, x, by, &s))
        return add_up(l, s.rest, s.rest_count, s.type);
    return is_power(by) ? lower_binary(l, OP_AND, x, i64(l, by - 1))
                        : lower_binary(l, OP_MOD, x, i64(l, by));
}

Inst *
delinearize_index(Delinearizer *d, const Node *n, const Node *leaf, int k, Inst *index)
{
    int axis = n->axes[k];
    Inst *x = quotient(d, index, affine_node_span(n, leaf, axis));
    return n->parent && (n->parent->path_axes & 1 << axis) ? remainder_of(d, x, n->sizes[k]) : x;
}

static Inst *
stored_size(Lower *l, const Node *n, int k)
{
    if (n->stored[k])
        return i64(l, n->stored[k]);
    Inst *e = lower_add(l, INST_EXTENT, type_scalar(l->p->types, SCALAR_I64), NULL, NULL, NULL);
    e->node = (Node *)n;
    e->axis = k;
    return e;
}

Inst *
delinearize_number(Delinearizer *d, const Node *n, const Node *leaf, Inst *const *index)
{
    Lower *l = &d->lower;
    Inst *sum = NULL;
    for (int k = 0; k < n->axis_count; k++) {
        Inst *digit = delinearize_index(d, n, leaf, k, index[n->axes[k]]);
        if (sum)
            sum = lower_binary(l, OP_MUL, sum, stored_size(l, n, k));
        sum = sum ? lower_binary(l, OP_ADD, sum, digit) : digit;
    }
    return sum;
}
