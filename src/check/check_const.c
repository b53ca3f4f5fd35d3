/* Compile-time values: untyped constants, conversion to types, evaluation of expressions. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "check/check.h"
#include "snl_scalar.h"

static const ScalarInfo *
info_of(Scalar s)
{
    return scalar_info(s);
}

Leaf
leaf_from_double(Scalar s, double v)
{
    Leaf leaf = {.f = v};
    if (s == SCALAR_F32)
        leaf.f = (double)(float)v;
    else if (s == SCALAR_F16)
        leaf.f = snl_f16_to_f64(snl_f64_to_f16(v));
    return leaf;
}

Leaf
leaf_from_integer(Scalar s, __int128 v)
{
    Leaf leaf = {.i = (int64_t)v};
    switch (s) {
    case SCALAR_BOOL: leaf.i = v != 0; break;
    case SCALAR_I8: leaf.i = (int8_t)leaf.i; break;
    case SCALAR_I16: leaf.i = (int16_t)leaf.i; break;
    case SCALAR_I32: leaf.i = (int32_t)leaf.i; break;
    case SCALAR_U8: leaf.u = (uint8_t)leaf.u; break;
    case SCALAR_U16: leaf.u = (uint16_t)leaf.u; break;
    case SCALAR_U32: leaf.u = (uint32_t)leaf.u; break;
    case SCALAR_I64:
    case SCALAR_U64: break;
    case SCALAR_F32: leaf.f = (double)(float)v; break;
    case SCALAR_F16:
    case SCALAR_F64: leaf = leaf_from_double(s, (double)v); break;
    case SCALAR_COUNT: break;
    }
    return leaf;
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

static bool
eval_integers(Op op, __int128 a, __int128 b, Const *out)
{
    __int128 product = 0;
    if ((op == OP_DIV || op == OP_MOD) && b == 0)
        return false;
    if (op == OP_MUL && __builtin_mul_overflow(a, b, &product))
        return false;
    if ((op == OP_SHL || op == OP_SHR) && (b < 0 || b > 63))
        return false;
    switch (op) {
    case OP_ADD: *out = const_int(a + b); break;
    case OP_SUB: *out = const_int(a - b); break;
    case OP_MUL: *out = const_int(product); break;
    case OP_DIV: *out = const_int(a / b); break;
    case OP_MOD: *out = const_int(a % b); break;
    case OP_AND: *out = const_int(a & b); break;
    case OP_OR: *out = const_int(a | b); break;
    case OP_XOR: *out = const_int(a ^ b); break;
    case OP_SHL: *out = const_int(a * ((__int128)1 << b)); break;
    case OP_SHR: *out = const_int(a >> b); break;
    default: return false;
    }
    __int128 limit = (__int128)1 << 64;
    return out->integer > -limit && out->integer < limit;
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
        return true;
    }
    if (e->op == OP_COMPL && out->kind == CONST_INT) {
        out->integer = ~out->integer;
        return true;
    }
    return false;
}

static bool
eval_binary(Checker *k, Scope *s, const Expr *e, Const *out)
{
    Const a, b;
    if (!const_eval_untyped(k, s, e->a, &a) || !const_eval_untyped(k, s, e->b, &b))
        return false;
    bool integers = a.kind == CONST_INT && b.kind == CONST_INT;
    if (!(integers ? eval_integers(e->op, a.integer, b.integer, out)
                   : eval_floats(e->op, const_number(&a), const_number(&b), out)))
        return false;
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
        if (a.kind != b.kind)
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
    return type_scalar(t, integer_fits(SCALAR_I64, v->integer) ? SCALAR_I64 : SCALAR_U64);
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
        diag_edit(d, number->span, "%llu.0", (unsigned long long)number->integer);
    else
        diag_edit(d, number->span, "f32(%s)", source_text(k, number->span));
}

/* An untyped constant in every component of a type. */
static bool
untyped_to_type(Checker *k, Span at, const Const *from, const Type *type, Value *out)
{
    const ScalarInfo *t = info_of(type->scalar);
    Leaf leaf;
    if (from->inexact && t->kind == KIND_FLOAT)
        warn_inexact(k, from->inexact);
    if (from->kind == CONST_INT) {
        if (t->kind == KIND_BOOL) {
            diag_edit(diag(k->c, E0301, at, "a number is not a bool"), at, "bool(%s)",
                      source_text(k, at));
            return false;
        }
        if (!integer_fits(type->scalar, from->integer)) {
            diag(k->c, E0309, at, "%s%llu does not fit in %s", from->integer < 0 ? "-" : "",
                 (unsigned long long)(from->integer < 0 ? -from->integer : from->integer), t->name);
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

/* A division of untyped integers by zero within e, or NULL. */
static const Expr *
find_zero_division(Checker *k, Scope *s, const Expr *e)
{
    Const a, b;
    if (!e || (e->kind != EXPR_BINARY && e->kind != EXPR_UNARY))
        return NULL;
    if ((e->op == OP_DIV || e->op == OP_MOD) && const_eval_untyped(k, s, e->a, &a) &&
        const_eval_untyped(k, s, e->b, &b) && a.kind == CONST_INT && b.kind == CONST_INT &&
        b.integer == 0)
        return e;
    const Expr *found = find_zero_division(k, s, e->a);
    return found ? found : find_zero_division(k, s, e->b);
}

bool
check_const(Checker *k, Scope *s, const Expr *e, Const *out)
{
    if (const_eval_untyped(k, s, e, out))
        return true;
    TExpr *t = check_expr(k, s, e, NULL);
    if (t->type->kind == TYPE_ERROR)
        return false;
    t = fold(k, t);
    if (t->kind == TX_CONST) {
        *out = (Const){.kind = CONST_TYPED, .value = t->value};
        return true;
    }
    const Expr *zero = find_zero_division(k, s, e);
    if (zero) {
        diag(k->c, E0603, zero->b->span, "division by zero");
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
    if (v.kind == CONST_INT && integer_fits(SCALAR_I64, v.integer)) {
        *out = (int64_t)v.integer;
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
