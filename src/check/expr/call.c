/* Calls: which kind of thing is called, constructors, casts, bit casts. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "check/check_func.h"
#include "check/leaf.h"
#include "check/suggest.h"

/* ---- casts ---- */

/* The type an open argument takes in a cast: the target where the literal is one of its values; a
 * float that becomes something else is a double until then. */
static const Type *
cast_context(Checker *k, Scope *s, const Expr *arg, const Type *type)
{
    Const c;
    if (!type_is_arith(type))
        return NULL;
    if (type_is_float(type))
        return type;
    if (!const_eval_untyped(k, s, arg, &c))
        return NULL;
    if (c.kind == CONST_FLOAT)
        return type_scalar(k->prog->types, SCALAR_F64);
    return !type_is_bool(type) && const_fits(type->scalar, &c) ? type : NULL;
}

/* Reports an untyped float that an integer type cannot hold. */
static bool
cast_holds(Checker *k, Scope *s, const Expr *arg, const Type *type)
{
    Const c;
    if (!const_eval_untyped(k, s, arg, &c) || c.kind != CONST_FLOAT ||
        leaf_cast_fits(SCALAR_F64, (Leaf){.f = c.number}, type->scalar))
        return true;
    diag(k->c, E0309, arg->span, "%s does not fit in %s", source_text(k, arg->span),
         scalar_info(type->scalar)->name);
    return false;
}

static TExpr *
report_cast(Checker *k, const Expr *e, const TExpr *a, const Type *type)
{
    bool shape = type_is_arith(a->type);
    diag(k->c, shape ? E0303 : E0301, e->span, "%s cannot become %s", a->type->name, type->name);
    return tx_error(k, e->span);
}

static TExpr *
cast_scalar(Checker *k, Scope *s, const Expr *e, const Type *type)
{
    if (!check_count(k, e, type->name, 1, 1))
        return tx_error(k, e->span);
    TExpr *a = check_expr(k, s, e->args.items[0], cast_context(k, s, e->args.items[0], type));
    if (!has_value(k, a))
        return tx_error(k, e->span);
    if (a->type->kind != TYPE_SCALAR)
        return report_cast(k, e, a, type);
    if (!cast_holds(k, s, e->args.items[0], type))
        return tx_error(k, e->span);
    return tx_explicit_cast(k, a, type, e->span);
}

/* ---- vectors and matrices ---- */

/* One value for all components, or the same shape with another component type. */
static TExpr *
construct_from_one(Checker *k, const Expr *e, TExpr *a, const Type *type)
{
    const Type *cast = type_with_scalar(k->prog->types, a->type, type->scalar);
    if (a->type->kind == TYPE_SCALAR) {
        TExpr *all = tx_splat(k, tx_cast(k, a, cast, e->span), type);
        all->span = e->span;
        return all;
    }
    if (a->type->rows == type->rows && a->type->cols == type->cols)
        return tx_explicit_cast(k, a, type, e->span);
    return NULL;
}

static TExpr *
construct_arith(Checker *k, Scope *s, const Expr *e, const Type *type)
{
    TExprs parts = {0};
    const Type *scalar = type_scalar(k->prog->types, type->scalar);
    bool fine = true, single = e->args.count == 1;
    int total = type->leaf_count;
    for (int i = 0; i < e->args.count; i++) {
        TExpr *a = check_expr(k, s, e->args.items[i],
                              single ? cast_context(k, s, e->args.items[i], type) : scalar);
        if (!has_value(k, a)) {
            fine = false;
            continue;
        }
        if (single && !cast_holds(k, s, e->args.items[i], type))
            return tx_error(k, e->span);
        TExpr *whole = single && type_is_arith(a->type) ? construct_from_one(k, e, a, type) : NULL;
        if (whole)
            return whole;
        if (type_is_arith(a->type) &&
            !converts_implicitly(a->type,
                                 type_with_scalar(k->prog->types, a->type, type->scalar)) &&
            single)
            a = tx_cast(k, a, type_with_scalar(k->prog->types, a->type, type->scalar), a->span);
        else
            a = convert(k, a,
                        type_is_arith(a->type)
                            ? type_with_scalar(k->prog->types, a->type, type->scalar)
                            : scalar,
                        "this component");
        fine = fine && !tx_is_error(a);
        a = tx_stable(k, a);
        for (int c = 0; fine && c < a->type->leaf_count; c++)
            vec_push(k->c->arena, &parts, tx_component(k, a, c));
    }
    if (!fine)
        return tx_error(k, e->span);
    if (parts.count == total)
        return tx_make(k, type, parts, e->span);
    diag(k->c, E0305, e->span, "%s is made of %d values, or of one for all, not of %d", type->name,
         total, parts.count);
    return tx_error(k, e->span);
}

static TExpr *
construct_struct(Checker *k, Scope *s, const Expr *e, const Type *type)
{
    TExprs values = {0};
    bool fine = check_count(k, e, arena_printf(k->c->arena, "'%s'", type->name), type->member_count,
                            type->member_count);
    for (int i = 0; fine && i < e->args.count; i++) {
        const Member *m = &type->members[i];
        TExpr *v = convert(k, check_expr(k, s, e->args.items[i], m->type), m->type,
                           arena_printf(k->c->arena, "member '%s'", m->name));
        fine = !tx_is_error(v);
        vec_push(k->c->arena, &values, v);
    }
    return fine ? tx_make(k, type, values, e->span) : tx_error(k, e->span);
}

static TExpr *
construct(Checker *k, Scope *s, const Expr *e, const Type *type)
{
    switch (type->kind) {
    case TYPE_SCALAR: return cast_scalar(k, s, e, type);
    case TYPE_VECTOR: case TYPE_MATRIX: return construct_arith(k, s, e, type);
    case TYPE_STRUCT: return construct_struct(k, s, e, type);
    case TYPE_ERROR: break;
    case TYPE_VOID: case TYPE_ARRAY: case TYPE_EXTERN: case TYPE_STRING:
        diag(k->c, E0205, e->a->span, "%s cannot be made like this",
             type->kind == TYPE_VOID ? "what has no value" : type->name);
        break;
    }
    return tx_error(k, e->span);
}

/* ---- names with a type in them ---- */

/* A size of a vector or matrix: a number from 1 to 16 after an x. */
static const char *
parse_size(const char *p, int *size)
{
    char *end;
    if (*p != 'x' || p[1] < '1' || p[1] > '9')
        return NULL;
    *size = (int)strtol(p + 1, &end, 10);
    return *size <= 16 && end - p <= 3 ? end : NULL;
}

const Type *
type_after(Checker *k, const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    if (strncmp(name, prefix, n))
        return NULL;
    for (int s = 0; s < SCALAR_COUNT; s++) {
        const char *spelling = scalar_info((Scalar)s)->name, *p = name + n;
        if (strncmp(p, spelling, strlen(spelling)))
            continue;
        int rows = 0, cols = 0;
        p += strlen(spelling);
        p = *p ? parse_size(p, &rows) : p;
        p = p && *p ? parse_size(p, &cols) : p;
        if (p && !*p)
            return type_shape(k->prog->types, (Scalar)s, rows, cols);
    }
    return NULL;
}

static const Type *
scalar_of_width(Checker *k, ScalarKind kind, int bytes)
{
    for (int s = 0; s < SCALAR_COUNT; s++)
        if (scalar_info((Scalar)s)->kind == kind && scalar_info((Scalar)s)->bytes == bytes)
            return type_scalar(k->prog->types, (Scalar)s);
    return NULL;
}

static TExpr *
check_bitcast(Checker *k, Scope *s, const Expr *e, const Type *type)
{
    Const c;
    const Type *want = NULL;
    int bytes = scalar_info(type->scalar)->bytes;
    if (!check_count(k, e, arena_printf(k->c->arena, "'%s'", e->a->name.text), 1, 1))
        return tx_error(k, e->span);
    if (const_eval_untyped(k, s, e->args.items[0], &c))
        want = scalar_of_width(k,
                               c.kind == CONST_FLOAT ? KIND_FLOAT
                               : c.integer < 0       ? KIND_INT
                                                     : KIND_UINT,
                               bytes);
    TExpr *a = check_expr(k, s, e->args.items[0], want);
    if (!has_value(k, a))
        return tx_error(k, e->span);
    bool shape =
        type_is_arith(a->type) &&
        (type->kind == TYPE_SCALAR || (type->rows == a->type->rows && type->cols == a->type->cols));
    if (!shape || type_is_bool(a->type) || type_is_bool(type) ||
        scalar_info(a->type->scalar)->bytes != bytes) {
        diag(k->c, E0301, e->span, "the bits of %s cannot be read as %s", a->type->name,
             type->name);
        return tx_error(k, e->span);
    }
    TExpr *t =
        tx_new(k, TX_BITCAST, type_with_scalar(k->prog->types, a->type, type->scalar), e->span);
    t->a = a;
    return fold(k, t);
}

static TExpr *
check_identity(Checker *k, const Expr *e, const Type *type)
{
    if (!check_count(k, e, arena_printf(k->c->arena, "'%s'", e->a->name.text), 0, 0))
        return tx_error(k, e->span);
    if (type->kind != TYPE_MATRIX || type->rows != type->cols || type_is_bool(type)) {
        diag(k->c, E0303, e->span, "an identity is a square matrix of numbers, not %s", type->name);
        return tx_error(k, e->span);
    }
    Value v = {type, ARENA_ARRAY(k->c->arena, Leaf, type->leaf_count)};
    for (int i = 0; i < type->leaf_count; i++)
        v.leaves[i] = leaf_from_integer(type->scalar, i % (type->cols + 1) == 0);
    return tx_value(k, e->span, v);
}

/* ---- entry ---- */

static TExpr *
check_built_in_call(Checker *k, Scope *s, const Expr *e, const Type *want)
{
    const char *name = e->a->name.text;
    TExpr *t = check_special(k, s, e, name);
    if (!t)
        t = check_builtin(k, s, e, name, want);
    if (t)
        return t;
    const Type *type = type_after(k, name, "bitcast_");
    if (type)
        return check_bitcast(k, s, e, type);
    type = type_after(k, name, "identity_");
    return type ? check_identity(k, e, type) : NULL;
}

TExpr *
check_call(Checker *k, Scope *s, const Expr *e, const Type *want)
{
    const Expr *callee = e->a;
    if (callee->kind == EXPR_TYPE)
        return construct(k, s, e, check_type(k, s, callee->type));
    if (callee->kind == EXPR_ERROR)
        return tx_error(k, e->span);
    if (callee->kind != EXPR_NAME || callee->name.number) {
        report_no_function(k, s, e);
        return tx_error(k, e->span);
    }
    Symbol *sym = scope_find(s, callee->name.text);
    if (sym && sym->kind == SYM_FUNC)
        return check_user_call(k, s, e, sym);
    if (sym && (sym->kind == SYM_STRUCT || sym->kind == SYM_TYPE)) {
        symbol_resolve(k, sym);
        return construct(k, s, e, sym->type ? sym->type : type_error(k->prog->types));
    }
    if (!sym && map_get(&k->c->lost, callee->name.text))
        return tx_error(k, e->span);
    TExpr *t = check_built_in_call(k, s, e, want);
    if (t)
        return t;
    if (sym) {
        Diag *d = diag(k->c, E0205, callee->span, "'%s' is not a function", callee->name.text);
        diag_note(d, sym->span, "'%s' is declared here", callee->name.text);
        if (sym->kind == SYM_FIELD || sym->kind == SYM_FIELD_ARG)
            suggest_index(k, e, d);
    } else if (!suggest_extent(k, e) && !suggest_call(k, e)) {
        scope_report_unknown(k, s, callee->name.text, callee->span, "function");
    }
    return tx_error(k, e->span);
}
