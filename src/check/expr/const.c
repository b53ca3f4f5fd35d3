/* Compile-time values: untyped constants, conversion to types, evaluation of expressions. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "check/check.h"
#include "check/leaf.h"
#include "check/suggest.h"
#include "math/snl_scalar.h"

static const ScalarInfo *
info_of(Scalar s)
{
    return scalar_info(s);
}

bool
integer_fits(Scalar s, __int128 v)
{
    const ScalarInfo *t = info_of(s);
    if (t->kind == KIND_FLOAT)
        return true;
    if (t->kind == KIND_BOOL)
        return false;
    __int128 one = 1;
    if (t->kind == KIND_UINT)
        return v >= 0 && v < one << (8 * t->bytes);
    return v >= -(one << (8 * t->bytes - 1)) && v < one << (8 * t->bytes - 1);
}

bool
const_fits(Scalar s, const Const *v)
{
    const bool ones = v->is_bits && v->integer < 0 && info_of(s)->kind == KIND_UINT;
    return integer_fits(s, ones ? ~v->integer : v->integer);
}

const char *
integer_text(Checker *k, __int128 v)
{
    char digits[41], *p = digits + sizeof digits;
    *--p = 0;
    for (__int128 rest = v; rest || !*p; rest /= 10)
        *--p = (char)('0' + (int)(rest < 0 ? -(rest % 10) : rest % 10));
    return arena_printf(k->c->arena, "%s%s", v < 0 ? "-" : "", p);
}

static Const
const_int(__int128 v)
{
    return (Const){.kind = CONST_INT, .integer = v};
}

static Const
const_float(double v)
{
    return (Const){.kind = CONST_FLOAT, .number = v};
}

static double
const_number(const Const *v)
{
    return v->kind == CONST_INT ? (double)v->integer : v->number;
}

/* Constants of the language, unless a user's name hides them. */
static bool
language_constant(const char *name, Const *out)
{
    static const struct {
        const char *name;
        double value;
    } table[] = {{"PI", 3.14159265358979323846},
                 {"E", 2.71828182845904523536},
                 {"INF", INFINITY},
                 {"NAN", NAN}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name)) {
            *out = const_float(table[i].value);
            return true;
        }
    return false;
}

static bool
eval_name(Checker *k, Scope *s, const Expr *e, Const *out)
{
    if (e->name.number)
        return false;
    Symbol *sym = scope_find(s, e->name.text);
    if (!sym)
        return language_constant(e->name.text, out);
    if (sym->kind != SYM_CONST)
        return false;
    symbol_resolve(k, sym);
    if (sym->constant.kind == CONST_TYPED)
        return false;
    *out = sym->constant;
    out->inexact = NULL;
    return true;
}

/* A sign and 127 bits: integers and their negatives. */
static const __int128 EXACT_MOST = (__int128)(~(unsigned __int128)0 >> 1);
enum { EXACT_SHIFT_MOST = 126 };
static const char TOO_LONG[] = "a constant has at most 127 bits, this one has more";

/* The value of an operation that has none. */
static Const
const_lost(const Expr *e, const char *why)
{
    return (Const){.kind = CONST_INT, .lost = e, .lost_why = why};
}

/* a << b, or a >> b, where b is not negative; false where the result is too large. */
static bool
eval_shift(Op op, __int128 a, __int128 b, __int128 *out)
{
    const int count = b > EXACT_SHIFT_MOST ? EXACT_SHIFT_MOST : (int)b;
    if (op == OP_SHR && b > count)
        *out = a < 0 ? -1 : 0;
    else if (op == OP_SHR)
        *out = a >> count;
    else if (a)
        return b == count && !__builtin_mul_overflow(a, (__int128)1 << count, out);
    return true;
}

/* An operation on integers from -EXACT_MOST to EXACT_MOST; false for one that they do not have. */
static bool
eval_integers(const Expr *e, __int128 a, __int128 b, Const *out)
{
    __int128 v = 0;
    bool lost = false;
    if ((e->op == OP_DIV || e->op == OP_MOD) && b == 0)
        return false;
    if ((e->op == OP_SHL || e->op == OP_SHR) && b < 0) {
        *out = const_lost(e, "a constant is shifted by a negative number");
        return true;
    }
    switch (e->op) {
    case OP_ADD: lost = __builtin_add_overflow(a, b, &v); break;
    case OP_SUB: lost = __builtin_sub_overflow(a, b, &v); break;
    case OP_MUL: lost = __builtin_mul_overflow(a, b, &v); break;
    case OP_DIV: v = a / b; break;
    case OP_MOD: v = a % b; break;
    case OP_AND: v = a & b; break;
    case OP_OR: v = a | b; break;
    case OP_XOR: v = a ^ b; break;
    case OP_SHL: case OP_SHR: lost = !eval_shift(e->op, a, b, &v); break;
    default: return false;
    }
    *out = lost || v < -EXACT_MOST ? const_lost(e, TOO_LONG) : const_int(v);
    return true;
}

static bool
eval_floats(Op op, double a, double b, Const *out)
{
    switch (op) {
    case OP_ADD: *out = const_float(a + b); return true;
    case OP_SUB: *out = const_float(a - b); return true;
    case OP_MUL: *out = const_float(a * b); return true;
    case OP_DIV: *out = const_float(a / b); return true;
    case OP_MOD: *out = const_float(fmod(a, b)); return true;
    default: return false;
    }
}

static bool
eval_unary(Checker *k, Scope *s, const Expr *e, Const *out)
{
    if (!const_eval_untyped(k, s, e->a, out))
        return false;
    if (e->op == OP_PLUS)
        return true;
    if (e->op == OP_NEG) {
        out->integer = -out->integer;
        out->number = -out->number;
        out->is_bits = false;
        return true;
    }
    if (e->op == OP_COMPL && out->kind == CONST_INT) {
        out->integer = ~out->integer;
        out->is_bits = true;
        if (out->integer < -EXACT_MOST)
            *out = const_lost(e, TOO_LONG);
        return true;
    }
    return false;
}

/* Are the bits of the result those that the operator finds, however many ones are on the left? */
static bool
keeps_bits(Op op, const Const *a, const Const *b)
{
    return op == OP_SHL                                  ? a->is_bits
           : op == OP_AND || op == OP_OR || op == OP_XOR ? a->is_bits || b->is_bits
                                                         : false;
}

static bool
eval_binary(Checker *k, Scope *s, const Expr *e, Const *out)
{
    Const a, b;
    if (!const_eval_untyped(k, s, e->a, &a) || !const_eval_untyped(k, s, e->b, &b))
        return false;
    if (a.lost || b.lost) {
        *out = a.lost ? a : b;
        return true;
    }
    warn_power(k, e);
    bool integers = a.kind == CONST_INT && b.kind == CONST_INT;
    if (!(integers ? eval_integers(e, a.integer, b.integer, out)
                   : eval_floats(e->op, const_number(&a), const_number(&b), out)))
        return false;
    out->is_bits = integers && keeps_bits(e->op, &a, &b);
    bool drops = integers && e->op == OP_DIV && a.integer % b.integer;
    out->inexact = drops ? e : a.inexact ? a.inexact : b.inexact;
    return true;
}

bool
const_eval_untyped(Checker *k, Scope *s, const Expr *e, Const *out)
{
    Const a, b;
    switch (e->kind) {
    case EXPR_INT: *out = const_int((__int128)e->integer); return e->suffix < 0;
    case EXPR_FLOAT: *out = const_float(e->number); return e->suffix < 0;
    case EXPR_NAME: return eval_name(k, s, e, out);
    case EXPR_UNARY: return eval_unary(k, s, e, out);
    case EXPR_BINARY: return eval_binary(k, s, e, out);
    case EXPR_COND: {
        bool yes;
        TExpr *cond;
        if (!const_eval_untyped(k, s, e->b, &a) || !const_eval_untyped(k, s, e->c, &b))
            return false;
        cond = check_expr(k, s, e->a, NULL);
        if (cond->kind != TX_CONST || !type_is_bool(cond->type))
            return false;
        yes = cond->value.leaves[0].i != 0;
        *out = yes ? a : b;
        if (a.kind != b.kind && !out->lost)
            *out = const_float(const_number(out));
        return true;
    }
    case EXPR_ERROR:
    case EXPR_BOOL:
    case EXPR_STRING:
    case EXPR_TYPE:
    case EXPR_CALL:
    case EXPR_INDEX:
    case EXPR_MEMBER:
    case EXPR_RANGE: return false;
    }
    return false;
}

bool
const_is_exact(Checker *k, const Const *v)
{
    const Expr *e = v->lost;
    if (!e)
        return true;
    diag(k->c, E0603, e->span, "%s", v->lost_why);
    return false;
}

const Type *
const_default_type(Checker *k, const Const *v)
{
    Types *t = k->prog->types;
    if (v->kind == CONST_TYPED)
        return v->value.type;
    if (v->kind == CONST_FLOAT)
        return type_scalar(t, SCALAR_F32);
    if (integer_fits(SCALAR_I32, v->integer))
        return type_scalar(t, SCALAR_I32);
    return type_scalar(t, v->integer <= INT64_MAX ? SCALAR_I64 : SCALAR_U64);
}

/* Says so where a division of integers loses the fraction that a float would hold. */
static void
warn_inexact(Checker *k, const Expr *division)
{
    Diag *d = diag(k->c, W0303, division->span,
                   "%s is a division of integers, which drops the fraction",
                   source_text(k, division->span));
    const Expr *number = division->a->kind == EXPR_INT ? division->a : division->b;
    if (number->kind == EXPR_INT)
        diag_guess(d, number->span, "%llu.0", (unsigned long long)number->integer);
    else
        diag_guess(d, number->span, "f32(%s)", source_text(k, number->span));
}

/* An untyped constant in every component of a type. */
static bool
untyped_to_type(Checker *k, Span at, const Const *from, const Type *type, Value *out)
{
    const ScalarInfo *t = info_of(type->scalar);
    Leaf leaf;
    if (!const_is_exact(k, from))
        return false;
    if (from->inexact && t->kind == KIND_FLOAT)
        warn_inexact(k, from->inexact);
    if (from->kind == CONST_INT) {
        if (t->kind == KIND_BOOL) {
            diag_edit(diag(k->c, E0301, at, "a number is not a bool"), at, "bool(%s)",
                      source_text(k, at));
            return false;
        }
        if (!const_fits(type->scalar, from)) {
            Diag *d = diag(k->c, E0309, at, "%s does not fit in %s",
                           integer_text(k, from->integer), t->name);
            if (from->integer == -1)
                diag_fix(d, "%s.max, or ~0 for all bits", t->name);
            return false;
        }
        leaf = leaf_from_integer(type->scalar, from->integer);
    } else {
        if (t->kind != KIND_FLOAT) {
            diag_edit(diag(k->c, E0301, at, "a float does not become %s by itself", t->name), at,
                      "%s(%s)", t->name, source_text(k, at));
            return false;
        }
        leaf = leaf_from_double(type->scalar, from->number);
    }
    if (t->kind == KIND_FLOAT && isinf(leaf.f) &&
        !(from->kind == CONST_FLOAT && isinf(from->number))) {
        diag_fix(diag(k->c, E0309, at, "%s does not fit in %s", source_text(k, at), t->name),
                 "%s.max, INF", t->name);
        return false;
    }
    out->type = type;
    out->leaves = ARENA_ARRAY(k->c->arena, Leaf, type->leaf_count);
    for (int i = 0; i < type->leaf_count; i++)
        out->leaves[i] = leaf;
    return true;
}

bool
const_to_type(Checker *k, Span at, const Const *from, const Type *type, Value *out)
{
    if (type->kind == TYPE_ERROR)
        return false;
    if (from->kind != CONST_TYPED && type_is_arith(type))
        return untyped_to_type(k, at, from, type, out);
    if (from->kind == CONST_TYPED && from->value.type == type) {
        *out = from->value;
        return true;
    }
    TExpr *e = ARENA_NEW(k->checked, TExpr);
    e->kind = TX_CONST;
    e->span = at;
    if (from->kind == CONST_TYPED)
        e->value = from->value;
    else if (!untyped_to_type(k, at, from, const_default_type(k, from), &e->value))
        return false;
    e->type = e->value.type;
    e = fold(k, convert(k, e, type, "this value"));
    if (e->kind != TX_CONST)
        return false;
    *out = e->value;
    return true;
}

/* The first name in e that has no value at compile time, or NULL. */
static const Expr *
find_unknown(Checker *k, Scope *s, const Expr *e)
{
    if (!e)
        return NULL;
    if (e->kind == EXPR_NAME) {
        Symbol *sym = scope_find(s, e->name.text);
        return sym && sym->kind != SYM_CONST && sym->kind != SYM_TABLE && sym->kind != SYM_STRUCT &&
                       sym->kind != SYM_FUNC
                   ? e
                   : NULL;
    }
    const Expr *found = find_unknown(k, s, e->a);
    found = found ? found : find_unknown(k, s, e->b);
    found = found ? found : find_unknown(k, s, e->c);
    for (int i = 0; i < e->args.count && !found; i++)
        found = find_unknown(k, s, e->args.items[i]);
    return found;
}

/* The divisor of a division of constant integers by zero within e, or NULL. */
static const TExpr *
find_zero_divisor(const TExpr *e)
{
    if (!e)
        return NULL;
    const bool divides = e->kind == TX_BINARY && (e->op == OP_DIV || e->op == OP_MOD),
               floors = e->kind == TX_BUILTIN &&
                        (e->builtin == BUILTIN_FLOORDIV || e->builtin == BUILTIN_FLOORMOD);
    const TExpr *a = divides ? e->a : floors ? e->args.items[0] : NULL,
                *b = divides ? e->b : floors ? e->args.items[1] : NULL;
    if (a && a->kind == TX_CONST && b->kind == TX_CONST && type_is_integer(b->type))
        for (int i = 0; i < b->type->leaf_count; i++)
            if (!b->value.leaves[i].i)
                return b;
    const TExpr *found = find_zero_divisor(e->a);
    found = found ? found : find_zero_divisor(e->b);
    found = found ? found : find_zero_divisor(e->c);
    for (int i = 0; i < e->args.count && !found; i++)
        found = find_zero_divisor(e->args.items[i]);
    return found;
}

bool
check_const(Checker *k, Scope *s, const Expr *e, Const *out)
{
    if (is_too_large(k, e->span))
        return false;
    if (const_eval_untyped(k, s, e, out))
        return const_is_exact(k, out);
    TExpr *t = check_expr(k, s, e, NULL);
    if (t->type->kind == TYPE_ERROR)
        return false;
    t = fold(k, t);
    if (t->kind == TX_CONST) {
        *out = (Const){.kind = CONST_TYPED, .value = t->value};
        return true;
    }
    const TExpr *zero = find_zero_divisor(t);
    if (zero) {
        diag(k->c, E0603, zero->span, "division by zero");
        return false;
    }
    if (t->type->kind == TYPE_STRING) {
        diag(k->c, E0601, e->span, "a string is no constant; only a param can keep one");
        return false;
    }
    Diag *d = diag(k->c, E0601, e->span, "this must be known at compile time");
    const Expr *unknown = find_unknown(k, s, e);
    if (unknown)
        diag_note(d, unknown->span, "'%s' is known only when the program runs", unknown->name.text);
    return false;
}

bool
check_const_as(Checker *k, Scope *s, const Expr *e, const Type *type, Value *out)
{
    Const v;
    if (const_eval_untyped(k, s, e, &v))
        return const_to_type(k, e->span, &v, type, out);
    TExpr *t = check_expr_as(k, s, e, type);
    if (t->type->kind == TYPE_ERROR)
        return false;
    t = fold(k, t);
    if (t->kind == TX_CONST) {
        *out = t->value;
        return true;
    }
    return check_const(k, s, e, &v) && const_to_type(k, e->span, &v, type, out);
}

bool
check_const_int(Checker *k, Scope *s, const Expr *e, int64_t *out)
{
    Const v;
    if (!check_const(k, s, e, &v))
        return false;
    if (v.kind == CONST_INT) {
        Value value;
        if (!const_to_type(k, e->span, &v, type_scalar(k->prog->types, SCALAR_I64), &value))
            return false;
        *out = value.leaves[0].i;
        return true;
    }
    if (v.kind == CONST_TYPED && v.value.type->kind == TYPE_SCALAR &&
        type_is_integer(v.value.type)) {
        *out = v.value.leaves[0].i;
        return true;
    }
    diag(k->c, E0306, e->span, "an integer is needed here");
    return false;
}

bool
check_const_bool(Checker *k, Scope *s, const Expr *e, bool *out)
{
    Const v;
    if (!check_const(k, s, e, &v))
        return false;
    if (v.kind == CONST_TYPED && v.value.type->kind == TYPE_SCALAR && type_is_bool(v.value.type)) {
        *out = v.value.leaves[0].i != 0;
        return true;
    }
    diag(k->c, E0304, e->span, "a condition must be a bool");
    return false;
}
