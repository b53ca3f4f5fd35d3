/* Tangents of operators and of functions of components. A rule is a sum of tangents, each times a
 * value: the tangent stands first. At kinks the branch that was taken counts, at ties the first
 * operand. */
#include "config.h"

#include <math.h>

#include "ad/inside.h"

TExpr *
rule_result(Rule *r)
{
    return r->value = forward_keep(r->f, r->value);
}

/* ---- choices ---- */

static TExpr *
or_zero(Ad *ad, TExpr *e, const Type *type, Span span)
{
    return e ? e : new_zero(ad, type, span);
}

TExpr *
rule_choose(Forward *f, TExpr *cond, TExpr *a, TExpr *b)
{
    Ad *ad = f->ad;
    if (!a && !b)
        return NULL;
    const Type *type = a ? a->type : b->type;
    a = or_zero(ad, a, type, cond->span);
    b = or_zero(ad, b, type, cond->span);
    if (cond->type->kind == TYPE_SCALAR)
        return new_choice(ad, cond, a, b);
    TExprs parts = {0};
    cond = forward_keep(f, cond);
    a = forward_keep(f, a);
    b = forward_keep(f, b);
    for (int i = 0; i < type->leaf_count; i++)
        vec_push(ad->c->arena, &parts,
                 new_choice(ad, new_component(ad, cond, i), new_component(ad, a, i),
                            new_component(ad, b, i)));
    return new_make(ad, type, parts, cond->span);
}

/* Is a the one of two numbers that min (OP_LE) or max (OP_GE) gives? */
static TExpr *
takes_first(Ad *ad, Op op, TExpr *a, TExpr *b)
{
    return new_binary(ad, OP_LOR, new_binary(ad, op, a, b), new_binary(ad, OP_NE, b, b));
}

/* ---- operators ---- */

/* da * b + db * a */
static TExpr *
product_rule(Forward *f, Dual *a, Dual *b)
{
    if (a->tangent)
        b->value = forward_keep(f, b->value);
    if (b->tangent)
        a->value = forward_keep(f, a->value);
    if (!a->tangent)
        return new_product(f->ad, b->tangent, a->value);
    if (!b->tangent)
        return new_product(f->ad, a->tangent, b->value);
    return new_fma(f->ad, a->tangent, b->value, new_product(f->ad, b->tangent, a->value));
}

/* (da - db * q) / b, where q is the quotient. */
static TExpr *
quotient_rule(Forward *f, Dual *a, Dual *b, TExpr **value)
{
    Ad *ad = f->ad;
    b->value = forward_keep(f, b->value);
    TExpr *top = a->tangent;
    if (b->tangent) {
        (*value)->a = a->value;
        (*value)->b = b->value;
        TExpr *q = *value = forward_keep(f, *value), *down = new_unary(ad, OP_NEG, b->tangent);
        top = top ? new_fma(ad, down, q, top) : new_product(ad, down, q);
    }
    return new_binary(ad, OP_DIV, top, b->value);
}

/* da - db * the whole number of times that b goes into a. */
static TExpr *
remainder_rule(Ad *ad, TExpr *da, TExpr *db, TExpr *times)
{
    return db ? new_difference(ad, da, new_product(ad, db, times)) : da;
}

static TExpr *
matrix_product(Ad *ad, const Type *type, TExpr *a, TExpr *b)
{
    TExpr *e = new_binary(ad, OP_MATMUL, a, b);
    e->type = type;
    return e;
}

TExpr *
rule_binary(Forward *f, const TExpr *e, Dual *a, Dual *b, TExpr **value)
{
    Ad *ad = f->ad;
    switch ((int)e->op) {
    case OP_ADD: return new_sum(ad, a->tangent, b->tangent);
    case OP_SUB: return new_difference(ad, a->tangent, b->tangent);
    case OP_MUL: return product_rule(f, a, b);
    case OP_DIV: return quotient_rule(f, a, b, value);
    case OP_MOD: {
        a->value = forward_keep(f, a->value);
        b->value = forward_keep(f, b->value);
        TExpr *q = new_binary(ad, OP_DIV, a->value, b->value);
        return remainder_rule(ad, a->tangent, b->tangent,
                              new_call(ad, BUILTIN_TRUNC, q->type, q, NULL));
    }
    case OP_MATMUL:
        a->value = b->tangent ? forward_keep(f, a->value) : a->value;
        b->value = a->tangent ? forward_keep(f, b->value) : b->value;
        return new_sum(ad, a->tangent ? matrix_product(ad, e->type, a->tangent, b->value) : NULL,
                       b->tangent ? matrix_product(ad, e->type, a->value, b->tangent) : NULL);
    default: return NULL;
    }
}

/* ---- functions of components ---- */

static TExpr *
number(Rule *r, double value)
{
    return new_number(r->f->ad, r->e->type, value, r->e->span);
}

static TExpr *
call(Rule *r, Builtin b, TExpr *x)
{
    return new_call(r->f->ad, b, x->type, x, NULL);
}

static TExpr *
times(Rule *r, TExpr *dx, TExpr *by)
{
    return dx ? new_product(r->f->ad, dx, by) : NULL;
}

static TExpr *
over(Rule *r, TExpr *dx, TExpr *by)
{
    return dx ? new_binary(r->f->ad, OP_DIV, dx, by) : NULL;
}

static TExpr *
add(Rule *r, TExpr *a, TExpr *b)
{
    return new_binary(r->f->ad, OP_ADD, a, b);
}

static TExpr *
subtract(Rule *r, TExpr *a, TExpr *b)
{
    return new_binary(r->f->ad, OP_SUB, a, b);
}

static TExpr *
multiply(Rule *r, TExpr *a, TExpr *b)
{
    return new_binary(r->f->ad, OP_MUL, a, b);
}

static TExpr *
negative(Rule *r, TExpr *a)
{
    return new_unary(r->f->ad, OP_NEG, a);
}

/* sqrt(1 - x^2), which keeps its digits near 1 and -1 */
static TExpr *
co_root(Rule *r, TExpr *x)
{
    TExpr *one = number(r, 1);
    return call(r, BUILTIN_SQRT, multiply(r, subtract(r, one, x), add(r, one, x)));
}

/* 1 + x^2 */
static TExpr *
one_and_square(Rule *r, TExpr *x)
{
    return new_fma(r->f->ad, x, x, number(r, 1));
}

static TExpr *
rule_atan2(Rule *r)
{
    Ad *ad = r->f->ad;
    TExpr *y = r->x[0], *x = r->x[1];
    TExpr *square = add(r, multiply(r, y, y), multiply(r, x, x));
    return over(r, new_difference(ad, times(r, r->dx[0], x), times(r, r->dx[1], y)), square);
}

/* da * b * a^(b - 1), where b is not 0; db * a^b * log(a), where a is positive. */
static TExpr *
rule_pow(Rule *r)
{
    Ad *ad = r->f->ad;
    TExpr *a = r->x[0], *b = r->x[1], *zero = number(r, 0), *base = NULL, *exponent = NULL;
    if (r->dx[0]) {
        TExpr *power =
            new_call(ad, BUILTIN_POW, a->type, a, subtract(r, b, number(r, 1)));
        base = rule_choose(r->f, new_binary(ad, OP_EQ, b, zero), NULL,
                           times(r, r->dx[0], multiply(r, b, power)));
    }
    if (r->dx[1])
        exponent =
            rule_choose(r->f, new_binary(ad, OP_GT, a, zero),
                        times(r, r->dx[1], multiply(r, rule_result(r), call(r, BUILTIN_LOG, a))),
                        NULL);
    return new_sum(ad, base, exponent);
}

static TExpr *
rule_mix(Rule *r)
{
    Ad *ad = r->f->ad;
    TExpr *a = r->x[0], *b = r->x[1], *t = r->x[2];
    TExpr *ends = new_sum(ad, times(r, r->dx[0], subtract(r, number(r, 1), t)),
                          times(r, r->dx[1], t));
    return new_sum(ad, ends, times(r, r->dx[2], subtract(r, b, a)));
}

/* Between lo and hi: 6 t (1 - t) / (hi - lo) * (dx - dlo - t * (dhi - dlo)) */
static TExpr *
rule_smoothstep(Rule *r)
{
    Ad *ad = r->f->ad;
    TExpr *lo = r->x[0], *hi = r->x[1], *x = r->x[2], *zero = number(r, 0), *one = number(r, 1);
    TExpr *width = forward_keep(r->f, subtract(r, hi, lo));
    TExpr *t = forward_keep(r->f, new_binary(ad, OP_DIV, subtract(r, x, lo), width));
    TExpr *slope = multiply(r, multiply(r, number(r, 6), t), subtract(r, one, t));
    TExpr *moved = new_difference(ad, r->dx[2], times(r, r->dx[0], subtract(r, one, t)));
    moved = new_difference(ad, moved, times(r, r->dx[1], t));
    TExpr *inside = new_binary(ad, OP_LAND, new_binary(ad, OP_GT, t, zero),
                               new_binary(ad, OP_LT, t, one));
    return rule_choose(r->f, inside,
                       times(r, moved, new_binary(ad, OP_DIV, slope, width)), NULL);
}

static TExpr *
rule_clamp(Rule *r)
{
    Ad *ad = r->f->ad;
    TExpr *x = r->x[0], *lo = r->x[1], *hi = r->x[2];
    TExpr *inner = forward_keep(r->f, new_call(ad, BUILTIN_MAX, x->type, x, lo));
    TExpr *tangent = rule_choose(r->f, takes_first(ad, OP_GE, x, lo), r->dx[0], r->dx[1]);
    return rule_choose(r->f, takes_first(ad, OP_LE, inner, hi), tangent, r->dx[2]);
}

static TExpr *
rule_of_two(Rule *r)
{
    Ad *ad = r->f->ad;
    TExpr *a = r->x[0], *b = r->x[1];
    switch ((int)r->e->builtin) {
    case BUILTIN_ATAN2: return rule_atan2(r);
    case BUILTIN_POW: return rule_pow(r);
    case BUILTIN_MIN:
        return rule_choose(r->f, takes_first(ad, OP_LE, a, b), r->dx[0], r->dx[1]);
    case BUILTIN_MAX:
        return rule_choose(r->f, takes_first(ad, OP_GE, a, b), r->dx[0], r->dx[1]);
    case BUILTIN_FLOORMOD:
        return remainder_rule(ad, r->dx[0], r->dx[1],
                              new_call(ad, BUILTIN_FLOORDIV, a->type, a, b));
    default: return NULL; /* steps */
    }
}

static TExpr *
rule_of_one(Rule *r)
{
    TExpr *x = r->x[0], *dx = r->dx[0];
    switch ((int)r->e->builtin) {
    case BUILTIN_SIN: return times(r, dx, call(r, BUILTIN_COS, x));
    case BUILTIN_COS: return times(r, dx, negative(r, call(r, BUILTIN_SIN, x)));
    case BUILTIN_TAN: return times(r, dx, one_and_square(r, rule_result(r)));
    case BUILTIN_ASIN: return over(r, dx, co_root(r, x));
    case BUILTIN_ACOS: return over(r, dx, negative(r, co_root(r, x)));
    case BUILTIN_ATAN: return over(r, dx, one_and_square(r, x));
    case BUILTIN_SINH: return times(r, dx, call(r, BUILTIN_COSH, x));
    case BUILTIN_COSH: return times(r, dx, call(r, BUILTIN_SINH, x));
    case BUILTIN_TANH: {
        TExpr *y = rule_result(r);
        return times(r, dx, multiply(r, subtract(r, number(r, 1), y), add(r, number(r, 1), y)));
    }
    case BUILTIN_EXP: return times(r, dx, rule_result(r));
    case BUILTIN_EXP2: return times(r, dx, multiply(r, rule_result(r), number(r, M_LN2)));
    case BUILTIN_LOG: return over(r, dx, x);
    case BUILTIN_LOG2: return over(r, dx, multiply(r, x, number(r, M_LN2)));
    case BUILTIN_LOG10: return over(r, dx, multiply(r, x, number(r, M_LN10)));
    case BUILTIN_SQRT: return over(r, dx, multiply(r, number(r, 2), rule_result(r)));
    case BUILTIN_RSQRT:
        return times(r, dx, new_binary(r->f->ad, OP_DIV,
                                       multiply(r, number(r, -0.5), rule_result(r)), x));
    case BUILTIN_CBRT: {
        TExpr *y = rule_result(r);
        return over(r, dx, multiply(r, number(r, 3), multiply(r, y, y)));
    }
    case BUILTIN_FRACT: return dx;
    case BUILTIN_ABS: return times(r, dx, call(r, BUILTIN_SIGN, x));
    default: return NULL; /* steps */
    }
}

TExpr *
rule_builtin(Rule *r)
{
    Ad *ad = r->f->ad;
    if (r->e->builtin >= BUILTIN_ANY)
        return rule_matrix(r);
    switch ((int)r->e->builtin) {
    case BUILTIN_FMA: {
        TExpr *sum = new_sum(ad, times(r, r->dx[0], r->x[1]), times(r, r->dx[1], r->x[0]));
        return new_sum(ad, sum, r->dx[2]);
    }
    case BUILTIN_MIX: return rule_mix(r);
    case BUILTIN_SMOOTHSTEP: return rule_smoothstep(r);
    case BUILTIN_CLAMP: return rule_clamp(r);
    default: return r->e->args.count == 2 ? rule_of_two(r) : rule_of_one(r);
    }
}
