/* Expressions: literals, operators, conditions. Literals and untyped constants take the type of
 * their context. */
#include "config.h"

#include <math.h>

#include "check/check_func.h"
#include "check/leaf.h"
#include "check/stmt/param.h"
#include "check/suggest.h"

/* ---- untyped constants ---- */

static bool
is_callable_open(Checker *k, Scope *s, const Expr *e)
{
    if (e->a->kind != EXPR_NAME || e->a->name.number || scope_find(s, e->a->name.text))
        return false;
    char class = builtin_class(e->a->name.text);
    if (class != 'F' && class != 'N')
        return false;
    for (int i = 0; i < e->args.count; i++)
        if (!expr_openness(k, s, e->args.items[i]))
            return false;
    return e->args.count > 0;
}

static int
lesser(int a, int b)
{
    return a < b ? a : b;
}

int
expr_openness(Checker *k, Scope *s, const Expr *e)
{
    Const ignored;
    switch (e->kind) {
    case EXPR_INT: case EXPR_FLOAT: return e->suffix < 0 ? 2 : 0;
    case EXPR_NAME: return const_eval_untyped(k, s, e, &ignored) ? 2 : 0;
    case EXPR_UNARY: return e->op == OP_NOT ? 0 : expr_openness(k, s, e->a);
    case EXPR_BINARY:
        if (e->op == OP_SHL || e->op == OP_SHR)
            return lesser(expr_openness(k, s, e->a), expr_openness(k, s, e->b) == 2 ? 2 : 1);
        if (e->op >= OP_EQ) /* comparisons, && || @ */
            return 0;
        int right = expr_openness(k, s, e->b); /* chains grow to the left */
        return right == 0 ? 0 : lesser(right, expr_openness(k, s, e->a));
    case EXPR_COND: return lesser(1, lesser(expr_openness(k, s, e->b), expr_openness(k, s, e->c)));
    case EXPR_CALL: return is_callable_open(k, s, e) ? 1 : 0;
    case EXPR_ERROR: case EXPR_BOOL: case EXPR_STRING: case EXPR_TYPE: case EXPR_INDEX:
    case EXPR_MEMBER: case EXPR_RANGE: return 0;
    }
    return 0;
}

/* The constant in the scalar type asked for, where it may take it; else in its default type. */
static TExpr *
untyped_constant(Checker *k, Span span, const Const *c, const Type *want)
{
    const Type *type = const_default_type(k, c);
    if (want && type_is_arith(want) && want->scalar != SCALAR_BOOL &&
        (c->kind == CONST_INT || type_is_float(want)))
        type = type_scalar(k->prog->types, want->scalar);
    Value v;
    return const_to_type(k, span, c, type, &v) ? tx_value(k, span, v) : tx_error(k, span);
}

/* The type an open operand takes beside one of type `other`; that of the whole, if it is an integer
 * that only this can hold. */
static const Type *
type_beside(Checker *k, Scope *s, const Expr *e, const Type *other, const Type *want)
{
    Const c;
    if (!type_is_arith(other))
        return want;
    bool open_float = want && type_is_float(want) && type_is_integer(other);
    if (!const_eval_untyped(k, s, e, &c) || c.kind == CONST_FLOAT)
        return open_float ? want : other;
    const bool only_whole = want && type_is_integer(want) && type_is_integer(other) &&
                            !const_fits(other->scalar, &c) && const_fits(want->scalar, &c);
    return only_whole ? want : other;
}

/* The wider of two context types. */
static const Type *
wider_context(Checker *k, const Type *a, const Type *b)
{
    Scalar common;
    if (!a || !type_is_arith(a))
        return b;
    if (!b || !type_is_arith(b) || !promote_scalars(a->scalar, b->scalar, &common))
        return a;
    return type_scalar(k->prog->types, common);
}

void
check_together(Checker *k, Scope *s, const Exprs *es, const Type *want, TExpr **out)
{
    const Type *context = NULL;
    for (int openness = 0; openness <= 2; openness++)
        for (int i = 0; i < es->count; i++) {
            const Expr *e = es->items[i];
            if (out[i] || expr_openness(k, s, e) != openness)
                continue;
            if (openness == 0 || !context)
                out[i] = check_expr(k, s, e, want);
            else
                out[i] = check_expr(k, s, e, type_beside(k, s, e, context, want));
            if (openness < 2 || !context)
                context = wider_context(k, context, out[i]->type);
        }
}

static void
check_pair(Checker *k, Scope *s, const Expr *e, const Type *want, TExpr **a, TExpr **b)
{
    Expr *operands[2] = {e->a, e->b};
    Exprs list = {.items = operands, .count = 2, .room = 2};
    TExpr *out[2] = {NULL, NULL};
    check_together(k, s, &list, want, out);
    *a = out[0];
    *b = out[1];
}

/* ---- literals ---- */

static TExpr *
suffixed_literal(Checker *k, const Expr *e, bool negative)
{
    Scalar s = (Scalar)e->suffix;
    Value v = {type_scalar(k->prog->types, s), ARENA_NEW(k->c->arena, Leaf)};
    if (e->kind == EXPR_FLOAT) {
        v.leaves[0] = leaf_from_double(s, negative ? -e->number : e->number);
        if (isinf(v.leaves[0].f)) {
            diag(k->c, E0309, e->span, "%s does not fit in %s", source_text(k, e->span),
                 v.type->name);
            return tx_error(k, e->span);
        }
        return tx_value(k, e->span, v);
    }
    __int128 n = negative ? -(__int128)e->integer : (__int128)e->integer;
    if (!integer_fits(s, n) && !(negative && scalar_info(s)->kind == KIND_UINT)) {
        diag(k->c, E0309, e->span, "%s does not fit in %s", source_text(k, e->span), v.type->name);
        return tx_error(k, e->span);
    }
    v.leaves[0] = leaf_from_integer(s, n);
    return tx_value(k, e->span, v);
}

static TExpr *
check_bool_literal(Checker *k, const Expr *e)
{
    return tx_integer(k, e->span, SCALAR_BOOL, e->integer != 0);
}

static TExpr *
check_string(Checker *k, const Expr *e)
{
    TExpr *t = tx_new(k, TX_STRING, type_string(k->prog->types), e->span);
    t->string = e->string;
    t->string_bytes = e->string_bytes;
    return t;
}

/* ---- operators ---- */

/* What an operator takes: N numbers, I integers, B bools, C comparable, M product. */
static char
operand_class(Op op)
{
    switch (op) {
#define LETTER_N 'N'
#define LETTER_I 'I'
#define LETTER_L 'L'
#define LETTER_B 'B'
#define LETTER_C 'C'
#define LETTER_M 'M'
#define UNARY(name, text, operands) case OP_##name: return LETTER_##operands;
#define BINARY(name, text, operands) case OP_##name: return LETTER_##operands;
#include "ast/ops.def"
#undef UNARY
#undef BINARY
    case OP_COUNT: break;
    }
    return 'N';
}

static const char *
quoted(Checker *k, Op op)
{
    return arena_printf(k->c->arena, "'%s'", op_text(op));
}

bool
operator_takes(Checker *k, Op op, const TExpr *e)
{
    const Type *t = e->type;
    const char *needed = "numbers";
    bool fine = type_is_arith(t) && !type_is_bool(t);
    char class = operand_class(op);
    if (!has_value(k, e))
        return false;
    if (class == 'I') {
        fine = type_is_integer(t);
        needed = "integers";
    } else if (class == 'L') {
        fine = type_is_integer(t) || type_is_bool(t);
        needed = "integers and bools";
    } else if (class == 'B') {
        fine = type_is_bool(t);
        needed = "bools";
    } else if (class == 'C') {
        fine = fine || (type_is_bool(t) && (op == OP_EQ || op == OP_NE));
    }
    if (fine)
        return true;
    Diag *d =
        diag(k->c, E0302, e->span, "%s is for %s, this is %s", quoted(k, op), needed, t->name);
    if (class == 'B' && type_is_arith(t) && t->kind == TYPE_SCALAR)
        diag_edit(d, e->span, "(%s != 0)", source_text(k, e->span));
    else if (type_is_bool(t) && t->kind == TYPE_SCALAR && class == 'N')
        diag_edit(d, e->span, "i32(%s)", source_text(k, e->span));
    else if (op == OP_XOR && type_is_arith(t) && !type_is_bool(t))
        diag_fix(d, "pow(x, y) for powers");
    else if (t->kind == TYPE_STRUCT)
        diag_fix(d, "its members, one after the other");
    return false;
}

/* The same of two operands; one complaint where the second took the type of the first. */
static bool
operator_takes_both(Checker *k, Op op, const TExpr *a, const TExpr *b)
{
    bool fine = operator_takes(k, op, a);
    if (!fine && a->type == b->type)
        return false;
    return operator_takes(k, op, b) && fine;
}

void
check_second_operand(Checker *k, Op op, const Type *type, const TExpr *b)
{
    bool divides = (op == OP_DIV || op == OP_MOD) && type_is_integer(type),
         shifts = op == OP_SHL || op == OP_SHR;
    if (b->kind != TX_CONST || !(divides || shifts) || !k->func || k->func->never ||
        k->func->func->fails)
        return;
    const ScalarInfo *scalar = scalar_info(type->scalar);
    int bits = 8 * scalar->bytes;
    for (int i = 0; i < b->type->leaf_count; i++) {
        int64_t n = b->value.leaves[i].i;
        if (divides && !n)
            diag(k->c, W0302, b->span,
                 "division by zero, which gives 0, and is an error under --check");
        else if (shifts && (n < 0 || n >= bits))
            diag(k->c, W0302, b->span,
                 "%s is shifted by 0 to %d: %lld counts as %lld, and is an error under --check",
                 scalar->name, bits - 1, (long long)n, (long long)(n & (bits - 1)));
        else
            continue;
        return;
    }
}

static TExpr *
check_unary(Checker *k, Scope *s, const Expr *e, const Type *want)
{
    bool number = e->a->kind == EXPR_INT || e->a->kind == EXPR_FLOAT;
    if (e->op == OP_NEG && number && e->a->suffix >= 0)
        return suffixed_literal(k, e->a, true);
    TExpr *a = check_expr(k, s, e->a, want);
    if (!operator_takes(k, e->op, a))
        return tx_error(k, e->span);
    if (e->op == OP_PLUS)
        return tx_explicit_cast(k, a, a->type, e->span);
    TExpr *t = tx_new(k, TX_UNARY, a->type, e->span);
    t->op = e->op;
    t->a = a;
    return fold(k, t);
}

/* Result of a && b where computing b needs statements of its own: a temporary that they may set. */
static TExpr *
choose_by_statements(Checker *k, TExpr *cond, TStmts *then, TExpr *yes, TStmts *orelse, TExpr *no)
{
    Var *v = func_var(k, VAR_LOCAL, intern_str(k->c->intern, "t"), yes->type, yes->span);
    v->is_mutable = true;
    v->kernel_level = k->func->func->kind == FUNC_KERNEL && !k->func->loop;
    TStmt *decl = stmt_new(k, TS_DECL, yes->span);
    decl->var = v;
    stmt_add(k, decl);
    TStmt *choice = stmt_new(k, TS_IF, yes->span);
    choice->value = cond;
    for (int side = 0; side < 2; side++) {
        TStmts *list = side ? orelse : then;
        TStmt *set = stmt_new(k, TS_ASSIGN, yes->span);
        set->target = tx_var(k, v, yes->span);
        set->value = side ? no : yes;
        set->op = OP_NONE;
        vec_push(k->c->arena, list, set);
        *(side ? &choice->orelse : &choice->body) = stmt_block(k, yes->span, *list);
    }
    stmt_add(k, choice);
    return tx_var(k, v, yes->span);
}

bool
is_never(const TExpr *cond, bool value)
{
    return cond->kind == TX_CONST && type_is_bool(cond->type) && cond->type->kind == TYPE_SCALAR &&
           !cond->value.leaves[0].i == value;
}

TExpr *
check_aside(Checker *k, Scope *s, const Expr *e, const Type *want, TStmts *own, bool never)
{
    FuncState *fs = k->func;
    if (!fs)
        return check_expr(k, s, e, want);
    TStmts *out = fs->out;
    bool outer = fs->never;
    fs->out = own;
    fs->never = outer || never;
    TExpr *t = check_expr(k, s, e, want);
    fs->out = out;
    fs->never = outer;
    return t;
}

static TExpr *
check_logic(Checker *k, Scope *s, const Expr *e)
{
    TStmts own = {0};
    TExpr *a = check_expr(k, s, e->a, NULL),
          *b = check_aside(k, s, e->b, NULL, &own, is_never(a, e->op == OP_LAND));
    if (!operator_takes_both(k, e->op, a, b) || !spread(k, e->span, quoted(k, e->op), &a, &b))
        return tx_error(k, e->span);
    if (own.count && a->type->kind == TYPE_SCALAR) {
        TStmts other = {0};
        TExpr *known = tx_integer(k, e->span, SCALAR_BOOL, e->op == OP_LOR);
        return e->op == OP_LAND ? choose_by_statements(k, a, &own, b, &other, known)
                                : choose_by_statements(k, a, &other, known, &own, b);
    }
    for (int i = 0; i < own.count; i++)
        stmt_add(k, own.items[i]);
    return tx_binary(k, e->op, a->type, a, b);
}

static TExpr *
check_shift(Checker *k, Scope *s, const Expr *e, const Type *want)
{
    TExpr *a = check_expr(k, s, e->a, want && type_is_integer(want) ? want : NULL),
          *b = check_expr(k, s, e->b, NULL);
    if (!operator_takes_both(k, e->op, a, b) || !spread(k, e->span, quoted(k, e->op), &a, &b))
        return tx_error(k, e->span);
    check_second_operand(k, e->op, a->type, b);
    return tx_binary(k, e->op, a->type, a, b);
}

static TExpr *
check_product(Checker *k, Scope *s, const Expr *e, const Type *want)
{
    Types *types = k->prog->types;
    TExpr *a = check_expr(k, s, e->a, want), *b = check_expr(k, s, e->b, want);
    Scalar common;
    if (!has_value(k, a) || !has_value(k, b))
        return tx_error(k, e->span);
    if (a->type->kind != TYPE_MATRIX ||
        (b->type->kind != TYPE_MATRIX && b->type->kind != TYPE_VECTOR)) {
        Diag *d = diag(k->c, E0302, e->span,
                       "'@' multiplies a matrix by a matrix or vector, not %s by %s", a->type->name,
                       b->type->name);
        if (a->type->kind == TYPE_VECTOR && b->type->kind == TYPE_MATRIX)
            diag_edit(d, e->span, "transpose(%s) @ %s", source_text(k, b->span),
                      source_text(k, a->span));
        return tx_error(k, e->span);
    }
    if (a->type->cols != b->type->rows) {
        diag(k->c, E0303, e->span, "'@' of %s and %s: %d columns meet %d rows", a->type->name,
             b->type->name, a->type->cols, b->type->rows);
        return tx_error(k, e->span);
    }
    if (type_is_bool(a->type) || type_is_bool(b->type) ||
        !promote_scalars(a->type->scalar, b->type->scalar, &common)) {
        diag(k->c, E0302, e->span, "'@' does not take %s and %s", a->type->name, b->type->name);
        return tx_error(k, e->span);
    }
    a = tx_cast(k, a, type_with_scalar(types, a->type, common), a->span);
    b = tx_cast(k, b, type_with_scalar(types, b->type, common), b->span);
    const Type *type = type_shape(types, common, a->type->rows, b->type->cols);
    return products_are_checked(k, type, type->leaf_count * a->type->cols)
               ? tx_product(k, type, a, b)
               : tx_binary(k, OP_MATMUL, type, a, b);
}

/* Both sides untyped: compared exactly. */
static TExpr *
compare_untyped(Checker *k, const Expr *e, const Const *a, const Const *b)
{
    bool less, equal;
    if (a->kind == CONST_INT && b->kind == CONST_INT) {
        less = a->integer < b->integer;
        equal = a->integer == b->integer;
    } else {
        double x = a->kind == CONST_INT ? (double)a->integer : a->number,
               y = b->kind == CONST_INT ? (double)b->integer : b->number;
        if (x != x || y != y)
            return tx_integer(k, e->span, SCALAR_BOOL, e->op == OP_NE);
        less = x < y;
        equal = x == y;
    }
    bool result = e->op == OP_EQ   ? equal
                  : e->op == OP_NE ? !equal
                  : e->op == OP_LT ? less
                  : e->op == OP_LE ? less || equal
                  : e->op == OP_GT ? !less && !equal
                                   : !less;
    return tx_integer(k, e->span, SCALAR_BOOL, result);
}

/* 0 < a < 3 */
static bool
report_chain(Checker *k, const Expr *e, const TExpr *first)
{
    const Expr *a = e->a;
    bool order = e->op == OP_LT || e->op == OP_LE || e->op == OP_GT || e->op == OP_GE;
    if (!order || a->kind != EXPR_BINARY || operand_class(a->op) != 'C' ||
        !type_is_bool(first->type))
        return false;
    Diag *d = diag(k->c, E0302, e->span, "comparisons do not follow each other; '&&' joins two");
    diag_edit(d, (Span){a->span.to, a->span.to}, " && %s", source_text(k, a->b->span));
    return true;
}

static TExpr *
check_comparison(Checker *k, Scope *s, const Expr *e)
{
    Const x, y;
    TExpr *a, *b;
    if (const_eval_untyped(k, s, e->a, &x) && const_eval_untyped(k, s, e->b, &y))
        return const_is_exact(k, &x) && const_is_exact(k, &y) ? compare_untyped(k, e, &x, &y)
                                                              : tx_error(k, e->span);
    check_pair(k, s, e, NULL, &a, &b);
    bool fine;
    if (compares_strings(k, e, a, b, &fine))
        return fine ? tx_binary(k, e->op, type_scalar(k->prog->types, SCALAR_BOOL), a, b)
                    : tx_error(k, e->span);
    if (report_chain(k, e, a) || !operator_takes_both(k, e->op, a, b) ||
        !promote(k, e->span, quoted(k, e->op), NULL, &a, &b))
        return tx_error(k, e->span);
    return tx_binary(k, e->op, type_with_scalar(k->prog->types, a->type, SCALAR_BOOL), a, b);
}

static bool
is_comparison(const Expr *e)
{
    return e->kind == EXPR_BINARY && operand_class(e->op) == 'C';
}

/* x & 1 == c, c == x & 1: the comparison comes first, as in C, which nobody means. */
static bool
report_mask(Checker *k, const Expr *e, const TExpr *a, const TExpr *b)
{
    bool left = is_comparison(e->a) && e->a->span.from == e->span.from && type_is_integer(b->type),
         right = is_comparison(e->b) && e->b->span.to == e->span.to && type_is_integer(a->type);
    if (operand_class(e->op) != 'L' || left == right)
        return false;
    const Expr *comparison = left ? e->a : e->b, *masked = left ? comparison->b : comparison->a;
    Span mask =
        left ? (Span){masked->span.from, e->span.to} : (Span){e->span.from, masked->span.to};
    Diag *d =
        diag(k->c, E0302, e->span, "%s binds tighter than %s, as in C: parentheses are missing",
             quoted(k, comparison->op), quoted(k, e->op));
    bool is_bare =
        left ? masked->span.to == comparison->span.to : masked->span.from == comparison->span.from;
    if (is_bare)
        diag_edit(d, mask, "(%s)", source_text(k, mask));
    return true;
}

static TExpr *
check_arithmetic(Checker *k, Scope *s, const Expr *e, const Type *want)
{
    TExpr *a, *b;
    check_pair(k, s, e, want, &a, &b);
    if (!operator_takes_both(k, e->op, a, b) || report_mask(k, e, a, b) ||
        !promote(k, e->span, quoted(k, e->op), want, &a, &b))
        return tx_error(k, e->span);
    check_second_operand(k, e->op, a->type, b);
    TExpr *plain = tx_new(k, TX_BINARY, a->type, e->span);
    plain->op = e->op;
    plain->a = a;
    plain->b = b;
    TExpr *folded = is_fused(k, e->op, a->type, a, b) ? plain : fold(k, plain);
    return folded->kind == TX_CONST ? folded : fuse(k, e->op, a->type, a, b);
}

static TExpr *
check_operation(Checker *k, Scope *s, const Expr *e, const Type *want)
{
    if (!check_enum_operands(k, s, e))
        return tx_error(k, e->span);
    switch (operand_class(e->op)) {
    case 'B': return check_logic(k, s, e);
    case 'C': return check_comparison(k, s, e);
    case 'M': return check_product(k, s, e, want);
    default: break;
    }
    if (e->op == OP_SHL || e->op == OP_SHR)
        return check_shift(k, s, e, want);
    return check_arithmetic(k, s, e, want);
}

/* Operands know nothing of the parentheses around them, so what is made of both gets its place from
 * the syntax tree. */
static TExpr *
check_binary(Checker *k, Scope *s, const Expr *e, const Type *want)
{
    TExpr *made = check_operation(k, s, e, want);
    made->span = e->span;
    return made;
}

TExpr *
check_condition(Checker *k, Scope *s, const Expr *e)
{
    TExpr *cond = check_expr(k, s, e, NULL);
    if (!has_value(k, cond))
        return tx_error(k, e->span);
    if (cond->type->kind == TYPE_SCALAR && cond->type->scalar == SCALAR_BOOL)
        return cond;
    Diag *d =
        diag(k->c, E0304, e->span, "a condition must be a bool, this is %s", cond->type->name);
    const char *text = source_text(k, e->span);
    if (type_is_bool(cond->type))
        diag_edit(d, e->span, "all(%s)", text);
    else if (cond->type->kind == TYPE_SCALAR)
        diag_edit(d, e->span,
                  e->kind == EXPR_BINARY || e->kind == EXPR_COND ? "(%s) != 0" : "%s != 0", text);
    return tx_error(k, e->span);
}

/* The type of a branch that is open beside the other one, which is not. */
static const Type *
branch_context(Checker *k, Scope *s, const Expr *open, const Expr *other, const TExpr *checked,
               const Type *want)
{
    if (expr_openness(k, s, open) <= expr_openness(k, s, other))
        return want;
    return type_beside(k, s, open, checked->type, want);
}

static TExpr *
check_cond(Checker *k, Scope *s, const Expr *e, const Type *want)
{
    TStmts then = {0}, orelse = {0};
    TExpr *cond = check_condition(k, s, e->a), *b, *c;
    bool never = is_never(cond, true), ever = is_never(cond, false);
    if (expr_openness(k, s, e->b) > expr_openness(k, s, e->c)) {
        c = check_aside(k, s, e->c, want, &orelse, ever);
        b = check_aside(k, s, e->b, branch_context(k, s, e->b, e->c, c, want), &then, never);
    } else {
        b = check_aside(k, s, e->b, want, &then, never);
        c = check_aside(k, s, e->c, branch_context(k, s, e->c, e->b, b, want), &orelse, ever);
    }
    if (tx_is_error(cond) || !has_value(k, b) || !has_value(k, c))
        return tx_error(k, e->span);
    if (b->type->kind == TYPE_STRING || c->type->kind == TYPE_STRING) {
        diag(k->c, E0302, e->span, "'?:' does not take strings");
        return tx_error(k, e->span);
    }
    if (b->type != c->type && !promote(k, e->span, "'?:'", want, &b, &c))
        return tx_error(k, e->span);
    if (then.count || orelse.count)
        return choose_by_statements(k, cond, &then, b, &orelse, c);
    TExpr *t = tx_new(k, TX_COND, b->type, e->span);
    t->a = cond;
    t->b = b;
    t->c = c;
    return fold(k, t);
}

/* ---- entry ---- */

TExpr *
check_expr(Checker *k, Scope *s, const Expr *e, const Type *want)
{
    Const c;
    if (expr_openness(k, s, e) == 2 && const_eval_untyped(k, s, e, &c))
        return untyped_constant(k, e->span, &c, want);
    switch (e->kind) {
    case EXPR_INT: case EXPR_FLOAT: return suffixed_literal(k, e, false);
    case EXPR_BOOL: return check_bool_literal(k, e);
    case EXPR_STRING: return check_string(k, e);
    case EXPR_NAME: return check_name(k, s, e, want);
    case EXPR_TYPE:
        if (!map_get(&k->c->lost, intern_str(k->c->intern, source_text(k, e->span))))
            diag(k->c, E0205, e->span, "a type is not a value; %s(…) makes one",
                 source_text(k, e->span));
        break;
    case EXPR_UNARY: return check_unary(k, s, e, want);
    case EXPR_BINARY: return check_binary(k, s, e, want);
    case EXPR_COND: return check_cond(k, s, e, want);
    case EXPR_CALL: return check_call(k, s, e, want);
    case EXPR_INDEX: return check_index(k, s, e);
    case EXPR_MEMBER: return check_member(k, s, e);
    case EXPR_RANGE:
        diag(k->c, E0205, e->span, "a range stands only in a loop");
        break;
    case EXPR_ERROR: break;
    }
    return tx_error(k, e->span);
}

TExpr *
check_expr_as(Checker *k, Scope *s, const Expr *e, const Type *type)
{
    return convert(k, check_expr(k, s, e, type), type, "this value");
}
