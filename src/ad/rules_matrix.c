/* Tangents of functions of vectors and matrices (Giles, Collected Matrix Derivative Results for
 * Forward and Reverse Mode Algorithmic Differentiation, 2008; of the singular value decomposition:
 * Papadopoulo and Lourakis, Estimating the Jacobian of the Singular Value Decomposition, 2000).
 * Where singular values or eigenvalues are equal, what is divided by their difference is left
 * out. */
#include "config.h"

#include <float.h>

#include "ad/inside.h"

static TExpr *
call(Rule *r, Builtin b, const Type *type, TExpr *x, TExpr *y)
{
    return new_call(r->f->ad, b, type, x, y);
}

static TExpr *
scalar_number(Rule *r, double value)
{
    return new_number(r->f->ad, scalar_of(r->f->ad, r->e->args.items[0]->type), value, r->e->span);
}

static TExpr *
matmul(Rule *r, const Type *type, TExpr *a, TExpr *b)
{
    TExpr *e = new_binary(r->f->ad, OP_MATMUL, a, b);
    e->type = type;
    return e;
}

static TExpr *
transposed(Rule *r, TExpr *m)
{
    const Type *t = m->type;
    return call(r, BUILTIN_TRANSPOSE,
                type_matrix(r->f->ad->p->types, t->scalar, t->cols, t->rows), m, NULL);
}

/* The sum of products of all components. */
static TExpr *
inner(Rule *r, TExpr *a, TExpr *b)
{
    Ad *ad = r->f->ad;
    if (a->type->kind == TYPE_VECTOR)
        return call(r, BUILTIN_DOT, scalar_of(ad, a->type), a, b);
    a = forward_keep(r->f, a);
    b = forward_keep(r->f, b);
    TExpr *sum = NULL;
    for (int i = 0; i < a->type->leaf_count; i++) {
        TExpr *x = new_component(ad, a, i), *y = new_component(ad, b, i);
        sum = sum ? new_fma(ad, x, y, sum) : new_product(ad, x, y);
    }
    return sum;
}

/* ---- vectors ---- */

/* The two terms of something linear in each of its arguments. */
static TExpr *
rule_bilinear(Rule *r)
{
    const Builtin b = r->e->builtin;
    TExpr *first = r->dx[0] ? call(r, b, r->e->type, r->dx[0], r->x[1]) : NULL,
          *second = r->dx[1] ? call(r, b, r->e->type, r->x[0], r->dx[1]) : NULL;
    return new_sum(r->f->ad, first, second);
}

/* dx . x / norm, 0 at 0 */
static TExpr *
rule_norm(Rule *r)
{
    Ad *ad = r->f->ad;
    TExpr *y = rule_result(r);
    TExpr *slope = new_binary(ad, OP_DIV, inner(r, r->dx[0], r->x[0]), y);
    return rule_choose(r->f, new_binary(ad, OP_GT, y, scalar_number(r, 0)), slope, NULL);
}

/* (dx - y (dx . y)) / norm, 0 at 0 */
static TExpr *
rule_normalize(Rule *r)
{
    Ad *ad = r->f->ad;
    const Type *scalar = scalar_of(ad, r->e->type);
    TExpr *y = rule_result(r), *dx = forward_keep(r->f, r->dx[0]);
    TExpr *norm = forward_keep(r->f, call(r, BUILTIN_NORM, scalar, r->x[0], NULL));
    TExpr *along = new_product(ad, inner(r, dx, y), y);
    TExpr *across = new_difference(ad, dx, along);
    return rule_choose(r->f, new_binary(ad, OP_GT, norm, scalar_number(r, 0)),
                       new_binary(ad, OP_DIV, across, new_splat(ad, across->type, norm)), NULL);
}

/* ---- determinant ---- */

/* An element that is determined by a remainder of indices. */
static TExpr *
element_around(Rule *r, int i, int j)
{
    const int n = r->x[0]->type->rows;
    return new_component(r->f->ad, r->x[0], i % n * n + j % n);
}

/* The cofactor of a matrix with 2 or 3 rows. */
static TExpr *
small_cofactor(Rule *r, int i, int j)
{
    Ad *ad = r->f->ad;
    if (r->x[0]->type->rows == 2) {
        TExpr *other = element_around(r, i + 1, j + 1);
        return (i + j) % 2 ? new_unary(ad, OP_NEG, other) : other;
    }
    TExpr *down = new_product(ad, element_around(r, i + 1, j + 1), element_around(r, i + 2, j + 2)),
          *up = new_product(ad, element_around(r, i + 1, j + 2), element_around(r, i + 2, j + 1));
    return new_difference(ad, down, up);
}

static TStmt *
block_of(Ad *ad, TStmts stmts, Span span)
{
    TStmt *block = new_stmt(ad, TS_BLOCK, span);
    block->stmts = stmts;
    return block;
}

/* A sequential loop over 0..n of the variables, around statements. */
static void
loop_over(Rule *r, Var **vars, int count, int n, TStmts body)
{
    Ad *ad = r->f->ad;
    TStmt *loop = new_stmt(ad, TS_RANGE, r->e->span);
    for (int i = 0; i < count; i++) {
        vec_push(ad->c->arena, &loop->vars, vars[i]);
        vec_push(ad->c->arena, &loop->from, new_integer(ad, 0, loop->span));
        vec_push(ad->c->arena, &loop->to, new_integer(ad, n, loop->span));
        vec_push(ad->c->arena, &loop->step, NULL);
    }
    loop->body = block_of(ad, body, loop->span);
    forward_emit(r->f, loop);
}

static Var *
declare(Rule *r, TExpr *value)
{
    Var *v = forward_var(r->f, VAR_LOCAL, "m", value->type, r->e->span);
    TStmt *decl = new_stmt(r->f->ad, TS_DECL, r->e->span);
    v->is_mutable = true;
    decl->var = v;
    decl->value = value;
    forward_emit(r->f, decl);
    return v;
}

/* The cofactors of a larger one: determinants of the matrix with a row that is 0 but for a 1. They
 * are right where the matrix has no inverse, too. */
static TExpr *
large_cofactors(Rule *r)
{
    Ad *ad = r->f->ad;
    Forward *f = r->f;
    const Type *t = r->x[0]->type;
    const Span span = r->e->span;
    const Type *index = type_scalar(ad->p->types, SCALAR_I32);
    Var *all = declare(r, new_zero(ad, t, span));
    TStmts *outer = f->out, body = {0}, clear = {0};
    f->out = &body;
    f->loops++;
    Var *ij[2] = {forward_var(f, VAR_INDEX, "i", index, span),
                  forward_var(f, VAR_INDEX, "j", index, span)},
        *k = forward_var(f, VAR_INDEX, "k", index, span);
    TExpr *i = new_use(ad, ij[0], span), *j = new_use(ad, ij[1], span);
    Var *m = declare(r, r->x[0]);
    f->out = &clear;
    forward_assign(f, new_element(ad, new_use(ad, m, span), i, new_use(ad, k, span)),
                   scalar_number(r, 0), span);
    f->out = &body;
    loop_over(r, &k, 1, t->cols, clear);
    forward_assign(f, new_element(ad, new_use(ad, m, span), i, j), scalar_number(r, 1), span);
    forward_assign(f, new_element(ad, new_use(ad, all, span), i, j),
                   call(r, BUILTIN_DETERMINANT, r->e->type, new_use(ad, m, span), NULL), span);
    f->loops--;
    f->out = outer;
    loop_over(r, ij, 2, t->rows, body);
    return new_use(ad, all, span);
}

static TExpr *
rule_determinant(Rule *r)
{
    Ad *ad = r->f->ad;
    const Type *t = r->x[0]->type;
    if (t->rows == 1)
        return new_component(ad, r->dx[0], 0);
    if (t->rows > 3)
        return inner(r, r->dx[0], large_cofactors(r));
    TExprs parts = {0};
    for (int i = 0; i < t->leaf_count; i++)
        vec_push(ad->c->arena, &parts, small_cofactor(r, i / t->cols, i % t->cols));
    return inner(r, r->dx[0], new_make(ad, t, parts, r->e->span));
}

/* ---- inverse and solve ---- */

static TExpr *
rule_inverse(Rule *r)
{
    const Type *t = r->e->type;
    TExpr *y = rule_result(r);
    return new_unary(r->f->ad, OP_NEG, matmul(r, t, matmul(r, t, y, r->dx[0]), y));
}

static TExpr *
rule_solve(Rule *r)
{
    TExpr *x = r->dx[0] ? rule_result(r) : NULL,
          *moved = x ? matmul(r, r->e->type, r->dx[0], x) : NULL;
    return call(r, BUILTIN_SOLVE, r->e->type, r->x[0],
                new_difference(r->f->ad, r->dx[1], moved));
}

/* ---- decompositions ---- */

/* Numbers that differ by a few roundings count as equal. */
static double
tolerance(const Type *t)
{
    return 4 * (t->scalar == SCALAR_F64   ? DBL_EPSILON
                : t->scalar == SCALAR_F32 ? (double)FLT_EPSILON
                                          : 0x1p-10);
}

/* top / bottom, 0 where the bottom is hardly more than `scale` rounded. */
static TExpr *
quotient_or_zero(Rule *r, TExpr *top, TExpr *bottom, TExpr *scale)
{
    Ad *ad = r->f->ad;
    bottom = forward_keep(r->f, bottom);
    TExpr *size = call(r, BUILTIN_ABS, bottom->type, bottom, NULL),
          *least = new_product(ad, scale, scalar_number(r, tolerance(bottom->type)));
    return rule_choose(r->f, new_binary(ad, OP_GT, size, least),
                       new_binary(ad, OP_DIV, top, bottom), NULL);
}

/* An antisymmetric matrix of what is above its diagonal, by number of element. */
static TExpr *
antisymmetric(Rule *r, const Type *t, TExpr *const *above)
{
    Ad *ad = r->f->ad;
    TExprs parts = {0};
    for (int i = 0; i < t->leaf_count; i++) {
        const int row = i / t->cols, column = i % t->cols, mirrored = column * t->cols + row;
        vec_push(ad->c->arena, &parts,
                 row == column  ? scalar_number(r, 0)
                 : row < column ? above[i]
                                : new_unary(ad, OP_NEG, above[mirrored]));
    }
    return new_make(ad, t, parts, r->e->span);
}

/* A struct of the same members as that of the result, of type `t`. */
static TExpr *
struct_of(Rule *r, const Type *t, TExpr *const *members)
{
    TExprs parts = {0};
    for (int i = 0; i < t->member_count; i++)
        vec_push(r->f->ad->c->arena, &parts, members[i]);
    return new_make(r->f->ad, t, parts, r->e->span);
}

/* The decomposition of a matrix, and what its tangent is made of. */
typedef struct {
    TExpr *u, *v;
    TExpr *p;                 /* transpose(u) @ dm @ v */
    TExpr *turn[9], *twist[9]; /* above the diagonal: of u and v together, and against each other */
} Svd;

/* m = u @ s @ transpose(v) given as a struct that may be used several times. With
 * P = transpose(u) @ dm @ v, and A and B for what turns u and v: P = A s + ds - s B, so above the
 * diagonal A + B = (P + transpose(P)) / (s_j - s_i), A - B = (P - transpose(P)) / (s_i + s_j). */
static Svd
svd_parts(Rule *r, TExpr *whole)
{
    Ad *ad = r->f->ad;
    const Type *t = r->x[0]->type;
    Svd d = {.u = new_member(ad, whole, 0), .v = new_member(ad, whole, 2)};
    TExpr *s = new_member(ad, whole, 1);
    d.p = forward_keep(r->f, matmul(r, t, matmul(r, t, transposed(r, d.u), r->dx[0]), d.v));
    for (int i = 0; i < t->rows; i++)
        for (int j = i + 1; j < t->cols; j++) {
            const int above = i * t->cols + j, below = j * t->cols + i;
            TExpr *si = new_component(ad, s, i * (t->cols + 1)),
                  *sj = new_component(ad, s, j * (t->cols + 1));
            TExpr *a = new_component(ad, d.p, above), *b = new_component(ad, d.p, below);
            TExpr *sum = forward_keep(r->f, new_sum(ad, si, sj));
            d.turn[above] = forward_keep(
                r->f, quotient_or_zero(r, new_sum(ad, a, b), new_difference(ad, sj, si), sum));
            d.twist[above] = forward_keep(
                r->f, quotient_or_zero(r, new_difference(ad, a, b), sum, scalar_number(r, 0)));
        }
    return d;
}

/* The diagonal of a matrix, as a matrix or as a vector. */
static TExpr *
diagonal(Rule *r, const Type *t, TExpr *m)
{
    Ad *ad = r->f->ad;
    TExprs parts = {0};
    for (int i = 0; i < t->leaf_count; i++) {
        const bool is_there = t->kind == TYPE_VECTOR || i % (t->cols + 1) == 0;
        const int at = t->kind == TYPE_VECTOR ? i * (t->rows + 1) : i;
        vec_push(ad->c->arena, &parts,
                 is_there ? new_component(ad, m, at) : scalar_number(r, 0));
    }
    return new_make(ad, t, parts, r->e->span);
}

static TExpr *
half(Rule *r, TExpr *e)
{
    return new_product(r->f->ad, e, scalar_number(r, 0.5));
}

static TExpr *
rule_svd(Rule *r)
{
    Ad *ad = r->f->ad;
    const Type *t = r->x[0]->type;
    Svd d = svd_parts(r, rule_result(r));
    TExpr *a[9] = {NULL}, *b[9] = {NULL};
    for (int i = 0; i < t->leaf_count; i++)
        if (d.turn[i]) {
            a[i] = half(r, new_sum(ad, d.turn[i], d.twist[i]));
            b[i] = half(r, new_difference(ad, d.turn[i], d.twist[i]));
        }
    TExpr *members[] = {matmul(r, t, d.u, antisymmetric(r, t, a)), diagonal(r, t, d.p),
                        matmul(r, t, d.v, antisymmetric(r, t, b))};
    return struct_of(r, r->e->type, members);
}

/* m = R @ S, R = u @ transpose(v): dR = u @ (A - B) @ transpose(v), dS = transpose(R) @ (dm - dR @
 * S) */
static TExpr *
rule_polar(Rule *r)
{
    Ad *ad = r->f->ad;
    const Type *t = r->x[0]->type;
    const Type *parts = prog_parts_type(ad->c, ad->p, BUILTIN_SVD, t);
    TExpr *y = rule_result(r);
    TExpr *whole = forward_keep(r->f, call(r, BUILTIN_SVD, parts, r->x[0], NULL));
    r->dx[0] = forward_keep(r->f, r->dx[0]);
    Svd d = svd_parts(r, whole);
    TExpr *twist = matmul(r, t, d.u, antisymmetric(r, t, d.twist));
    TExpr *turned = forward_keep(r->f, matmul(r, t, twist, transposed(r, d.v)));
    TExpr *rest = new_difference(ad, r->dx[0], matmul(r, t, turned, new_member(ad, y, 1)));
    TExpr *members[] = {turned, matmul(r, t, transposed(r, new_member(ad, y, 0)), rest)};
    return struct_of(r, r->e->type, members);
}

/* Eigenvectors turn by P_ij / (value_j - value_i), where P is dm, symmetric, between them. */
static TExpr *
rule_eig_sym(Rule *r)
{
    Ad *ad = r->f->ad;
    const Type *t = r->x[0]->type;
    TExpr *y = rule_result(r), *values = new_member(ad, y, 0), *vectors = new_member(ad, y, 1);
    TExpr *dm = forward_keep(r->f, r->dx[0]);
    dm = new_product(ad, new_sum(ad, dm, transposed(r, dm)), scalar_number(r, 0.5));
    TExpr *p = forward_keep(
        r->f, matmul(r, t, matmul(r, t, transposed(r, vectors), dm), vectors));
    TExpr *turn[9] = {NULL};
    for (int i = 0; i < t->rows; i++)
        for (int j = i + 1; j < t->cols; j++) {
            TExpr *vi = new_component(ad, values, i), *vj = new_component(ad, values, j);
            TExpr *scale = new_sum(ad, call(r, BUILTIN_ABS, vi->type, vi, NULL),
                                   call(r, BUILTIN_ABS, vj->type, vj, NULL));
            turn[i * t->cols + j] = forward_keep(
                r->f, quotient_or_zero(r, new_component(ad, p, i * t->cols + j),
                                       new_difference(ad, vj, vi), scale));
        }
    TExpr *members[] = {diagonal(r, values->type, p),
                        matmul(r, t, vectors, antisymmetric(r, t, turn))};
    return struct_of(r, r->e->type, members);
}

TExpr *
rule_matrix(Rule *r)
{
    Ad *ad = r->f->ad;
    switch ((int)r->e->builtin) {
    case BUILTIN_DOT: case BUILTIN_CROSS: case BUILTIN_OUTER: return rule_bilinear(r);
    case BUILTIN_NORM: return rule_norm(r);
    case BUILTIN_NORM_SQR:
        return new_product(ad, inner(r, r->dx[0], r->x[0]), scalar_number(r, 2));
    case BUILTIN_NORMALIZE: return rule_normalize(r);
    case BUILTIN_TRANSPOSE: case BUILTIN_TRACE:
        return call(r, r->e->builtin, r->e->type, r->dx[0], NULL);
    case BUILTIN_DETERMINANT: return rule_determinant(r);
    case BUILTIN_INVERSE: return rule_inverse(r);
    case BUILTIN_SOLVE: return rule_solve(r);
    case BUILTIN_SVD: return rule_svd(r);
    case BUILTIN_POLAR: return rule_polar(r);
    case BUILTIN_EIG_SYM: return rule_eig_sym(r);
    default: return NULL;
    }
}
