/* Typed expressions: making them of others, converting them, taking vectors apart. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "check/check_func.h"
#include "check/leaf.h"
#include "check/suggest.h"

TExpr *
tx_integer(Checker *k, Span span, Scalar s, int64_t i)
{
    Value v = {type_scalar(k->prog->types, s), ARENA_NEW(k->c->arena, Leaf)};
    v.leaves[0] = leaf_from_integer(s, i);
    return tx_value(k, span, v);
}

TExpr *
tx_unary(Checker *k, Op op, TExpr *a)
{
    TExpr *e = tx_new(k, TX_UNARY, a->type, a->span);
    e->op = op;
    e->a = a;
    return fold(k, e);
}

TExpr *
tx_binary(Checker *k, Op op, const Type *type, TExpr *a, TExpr *b)
{
    TExpr *e = tx_new(k, TX_BINARY, type, span_join(a->span, b->span));
    e->op = op;
    e->a = a;
    e->b = b;
    return fold(k, e);
}

TExpr *
tx_cast(Checker *k, TExpr *e, const Type *type, Span span)
{
    if (e->type == type)
        return e;
    TExpr *cast = tx_new(k, TX_CAST, type, span);
    cast->a = e;
    return fold(k, cast);
}

TExpr *
tx_explicit_cast(Checker *k, TExpr *e, const Type *type, Span span)
{
    if (e->type != type)
        return tx_cast(k, e, type, span);
    e->span = span; /* nothing to do, but messages show the cast */
    e->is_value = true;
    return e;
}

TExpr *
tx_splat(Checker *k, TExpr *e, const Type *type)
{
    TExpr *splat = tx_new(k, TX_SPLAT, type, e->span);
    splat->a = e;
    return fold(k, splat);
}

TExpr *
tx_make(Checker *k, const Type *type, TExprs args, Span span)
{
    TExpr *e = tx_new(k, TX_MAKE, type, span);
    e->args = args;
    return fold(k, e);
}

/* ---- components ---- */

enum { CHEAP_DEPTH = 6 };

static bool
is_cheap(const TExpr *e, int depth)
{
    if (!e)
        return true;
    if (depth == 0)
        return false;
    switch (e->kind) {
    case TX_CONST: case TX_VAR: case TX_PARAM: case TX_TABLE: case TX_EXTENT: return true;
    case TX_BUILTIN:
        if (!builtin_is_componentwise(e->builtin))
            return false;
        break;
    case TX_FIELD: case TX_ELEM: case TX_MEMBER: case TX_SWIZZLE: case TX_UNARY: case TX_BINARY:
    case TX_COND: case TX_CAST:
    case TX_BITCAST: case TX_SPLAT: case TX_MAKE: case TX_FMA: break;
    case TX_ERROR: case TX_STRING: case TX_CALL: case TX_ATOMIC: case TX_IS_ACTIVE: case TX_LENGTH:
    case TX_APPEND: case TX_ADDRESS: case TX_CLOCK: case TX_TAKE: case TX_MEASURE: case TX_MEMORY:
    case TX_ACTIVE: case TX_FORMAT:
        return false;
    }
    bool cheap =
        is_cheap(e->a, depth - 1) && is_cheap(e->b, depth - 1) && is_cheap(e->c, depth - 1);
    for (int i = 0; i < e->args.count && cheap; i++)
        cheap = is_cheap(e->args.items[i], depth - 1);
    return cheap;
}

bool
tx_is_cheap(const TExpr *e)
{
    return is_cheap(e, CHEAP_DEPTH);
}

/* True when each component of a vector can be computed by itself. */
static bool
comes_apart(const TExpr *v)
{
    switch (v->kind) {
    case TX_CONST: case TX_VAR: case TX_PARAM: return true;
    case TX_MAKE: return true;
    case TX_SPLAT: return tx_is_cheap(v->a);
    case TX_BINARY:
        return v->op != OP_MATMUL && comes_apart(v->a) && comes_apart(v->b);
    case TX_UNARY: case TX_CAST: case TX_BITCAST: return comes_apart(v->a);
    case TX_FMA: return comes_apart(v->a) && comes_apart(v->b) && comes_apart(v->c);
    case TX_COND: return tx_is_cheap(v->a) && comes_apart(v->b) && comes_apart(v->c);
    case TX_BUILTIN: {
        bool apart = builtin_is_componentwise(v->builtin);
        for (int i = 0; i < v->args.count && apart; i++)
            apart = comes_apart(v->args.items[i]);
        return apart;
    }
    case TX_FIELD: case TX_ELEM: case TX_MEMBER: case TX_SWIZZLE: return tx_is_cheap(v);
    case TX_ERROR: case TX_STRING: case TX_TABLE: case TX_CALL: case TX_ATOMIC: case TX_IS_ACTIVE:
    case TX_LENGTH: case TX_APPEND: case TX_EXTENT: case TX_ADDRESS: case TX_CLOCK: case TX_TAKE:
    case TX_MEASURE: case TX_MEMORY: case TX_ACTIVE: case TX_FORMAT: return false;
    }
    return false;
}

TExpr *
tx_temporary(Checker *k, TExpr *e)
{
    Var *v = func_var(k, VAR_LOCAL, intern_str(k->c->intern, "t"), e->type, e->span);
    v->is_let = true;
    v->kernel_level = k->func->func->kind == FUNC_KERNEL && !k->func->loop;
    TStmt *decl = stmt_new(k, TS_DECL, e->span);
    decl->var = v;
    decl->value = e;
    stmt_add(k, decl);
    return tx_var(k, v, e->span);
}

TExpr *
tx_stable(Checker *k, TExpr *v)
{
    if (tx_is_error(v) || !k->func || comes_apart(v))
        return v;
    return tx_temporary(k, v);
}

/* The same operation on component i of each operand. */
static TExpr *
apply_to_component(Checker *k, TExpr *v, int i)
{
    TExpr *e = tx_new(k, v->kind, type_scalar(k->prog->types, v->type->scalar), v->span);
    e->op = v->op;
    e->builtin = v->builtin;
    e->a = v->a ? tx_component(k, v->a, i) : NULL;
    e->b = v->b ? tx_component(k, v->b, i) : NULL;
    e->c = v->c ? tx_component(k, v->c, i) : NULL;
    for (int n = 0; n < v->args.count; n++)
        vec_push(k->c->arena, &e->args, tx_component(k, v->args.items[n], i));
    return fold(k, e);
}

TExpr *
tx_component(Checker *k, TExpr *v, int i)
{
    Types *types = k->prog->types;
    if (v->type->kind == TYPE_SCALAR || tx_is_error(v))
        return v;
    switch (v->kind) {
    case TX_MAKE: return v->args.items[i];
    case TX_SPLAT: return v->a;
    case TX_COND: {
        TExpr *e = tx_new(k, TX_COND, type_scalar(types, v->type->scalar), v->span);
        e->a = v->a;
        e->b = tx_component(k, v->b, i);
        e->c = tx_component(k, v->c, i);
        return e;
    }
    case TX_BINARY:
        if (v->op == OP_MATMUL)
            break;
        return apply_to_component(k, v, i);
    case TX_UNARY: case TX_CAST: case TX_BITCAST: case TX_FMA: return apply_to_component(k, v, i);
    case TX_BUILTIN:
        if (!builtin_is_componentwise(v->builtin))
            break;
        return apply_to_component(k, v, i);
    default: break; /* everything else is indexed as a whole */
    }
    TExpr *e = tx_new(k, TX_ELEM, type_scalar(types, v->type->scalar), v->span);
    e->a = v;
    if (v->type->cols)
        vec_push(k->c->arena, &e->args, tx_integer(k, v->span, SCALAR_I32, i / v->type->cols));
    vec_push(k->c->arena, &e->args,
             tx_integer(k, v->span, SCALAR_I32, v->type->cols ? i % v->type->cols : i));
    return fold(k, e);
}

/* ---- conversion ---- */

bool
promote_scalars(Scalar a, Scalar b, Scalar *out)
{
    const ScalarInfo *x = scalar_info(a), *y = scalar_info(b);
    *out = a;
    if (a == b)
        return true;
    if (x->kind == KIND_BOOL || y->kind == KIND_BOOL)
        return false;
    if ((x->kind == KIND_FLOAT) != (y->kind == KIND_FLOAT)) {
        *out = x->kind == KIND_FLOAT ? a : b;
        return true;
    }
    *out = x->bytes >= y->bytes ? a : b;
    if (x->kind == y->kind)
        return true;
    const ScalarInfo *is_unsigned = x->kind == KIND_UINT ? x : y,
                     *is_signed = x->kind == KIND_UINT ? y : x;
    return is_unsigned->bytes < is_signed->bytes;
}

bool
converts_implicitly(const Type *from, const Type *to)
{
    Scalar common;
    if (from == to || from->kind == TYPE_ERROR || to->kind == TYPE_ERROR)
        return true;
    if (!type_is_arith(from) || !type_is_arith(to) || from->rows != to->rows ||
        from->cols != to->cols)
        return false;
    return promote_scalars(from->scalar, to->scalar, &common) && common == to->scalar;
}

TExpr *
convert(Checker *k, TExpr *e, const Type *type, const char *what)
{
    if (e->type == type || type->kind == TYPE_ERROR)
        return e;
    if (!has_value(k, e))
        return tx_error(k, e->span);
    if (converts_implicitly(e->type, type))
        return tx_cast(k, e, type, e->span);
    bool shapes = type_is_arith(e->type) && type_is_arith(type) &&
                  (e->type->rows != type->rows || e->type->cols != type->cols);
    Diag *d = diag(k->c, shapes ? E0303 : E0301, e->span, "%s is %s, but %s is needed", what,
                   e->type->name, type->name);
    const char *text = source_text(k, e->span);
    bool fraction = e->kind == TX_CONST && type_is_integer(type) &&
                    strtod(text, NULL) != floor(strtod(text, NULL));
    bool casts = !fraction && type_is_arith(e->type) && type_is_arith(type) &&
                 (!shapes || e->type->kind == TYPE_SCALAR);
    if (casts)
        diag_edit(d, e->span, "%s(%s)", type->name, text);
    else if (type_is_bool(e->type) && type_is_bool(type) && type->kind == TYPE_SCALAR)
        diag_edit(d, e->span, "all(%s)", text);
    return tx_error(k, e->span);
}

/* The scalar type to cast to where two do not mix: the number, the one that is asked for, the wider
 * one, or the signed one. */
static Scalar
suggested_cast(Scalar a, Scalar b, const Type *want)
{
    const ScalarInfo *x = scalar_info(a), *y = scalar_info(b);
    if (x->kind == KIND_BOOL || y->kind == KIND_BOOL)
        return x->kind == KIND_BOOL ? b : a;
    if (want && type_is_arith(want) && (want->scalar == a || want->scalar == b))
        return want->scalar;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? a : b;
    return x->kind == KIND_INT ? a : b;
}

static void
report_mix(Checker *k, Span at, const char *op, const TExpr *a, const TExpr *b, const Type *want)
{
    Diag *d = diag(k->c, E0302, at, "%s does not take %s and %s", op, a->type->name, b->type->name);
    if (!type_is_arith(a->type) || !type_is_arith(b->type))
        return;
    Scalar to = suggested_cast(a->type->scalar, b->type->scalar, want);
    const TExpr *change = a->type->scalar == to ? b : a;
    diag_edit(d, change->span, "%s(%s)", type_with_scalar(k->prog->types, change->type, to)->name,
              source_text(k, change->span));
}

bool
spread(Checker *k, Span at, const char *op, TExpr **a, TExpr **b)
{
    Types *types = k->prog->types;
    const Type *x = (*a)->type, *y = (*b)->type;
    if (x->rows == y->rows && x->cols == y->cols)
        return true;
    if (x->kind == TYPE_SCALAR) {
        *a = tx_splat(k, *a, type_with_scalar(types, y, x->scalar));
        return true;
    }
    if (y->kind == TYPE_SCALAR) {
        *b = tx_splat(k, *b, type_with_scalar(types, x, y->scalar));
        return true;
    }
    suggest_product(
        k, *a, *b, op,
        diag(k->c, E0303, at, "%s needs equal shapes, not %s and %s", op, x->name, y->name));
    return false;
}

bool
promote(Checker *k, Span at, const char *op, const Type *want, TExpr **a, TExpr **b)
{
    Types *types = k->prog->types;
    Scalar common;
    if (!has_value(k, *a) || !has_value(k, *b))
        return false;
    if (!type_is_arith((*a)->type) || !type_is_arith((*b)->type) ||
        !promote_scalars((*a)->type->scalar, (*b)->type->scalar, &common)) {
        report_mix(k, at, op, *a, *b, want);
        return false;
    }
    *a = tx_cast(k, *a, type_with_scalar(types, (*a)->type, common), (*a)->span);
    *b = tx_cast(k, *b, type_with_scalar(types, (*b)->type, common), (*b)->span);
    return spread(k, at, op, a, b);
}
