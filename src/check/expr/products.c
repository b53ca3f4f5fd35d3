/* Products of integer vectors and matrices under --check=overflow: taken apart, so that each
 * product and sum of components is looked at by itself. */
#include "config.h"

#include "check/check_func.h"

enum { PRODUCTS_MOST = 512 }; /* of more, as in products of large matrices, nothing is looked at */

bool
products_are_checked(const Checker *k, const Type *t, int products)
{
    return (k->c->options.check & CHECK_OVERFLOW) && k->func && type_is_integer(t) &&
           scalar_info(t->scalar)->kind == KIND_INT && products <= PRODUCTS_MOST;
}

static TExpr *
times(Checker *k, TExpr *a, int i, TExpr *b, int j)
{
    TExpr *x = tx_component(k, a, i), *y = tx_component(k, b, j);
    return tx_binary(k, OP_MUL, x->type, x, y);
}

/* The sum of a[i + n * di] * b[j + n * dj], for `count` n. */
static TExpr *
sum_of_products(Checker *k, int count, TExpr *a, int i, int di, TExpr *b, int j, int dj)
{
    TExpr *sum = times(k, a, i, b, j);
    for (int n = 1; n < count; n++)
        sum = tx_binary(k, OP_ADD, sum->type, sum, times(k, a, i + n * di, b, j + n * dj));
    return sum;
}

TExpr *
tx_dot(Checker *k, TExpr *a, TExpr *b)
{
    a = tx_stable(k, a);
    b = b ? tx_stable(k, b) : a;
    return sum_of_products(k, a->type->leaf_count, a, 0, 1, b, 0, 1);
}

TExpr *
tx_cross(Checker *k, TExpr *a, TExpr *b)
{
    TExprs parts = {0};
    a = tx_stable(k, a);
    b = tx_stable(k, b);
    for (int n = 0; n < 3; n++) {
        const int i = (n + 1) % 3, j = (n + 2) % 3;
        TExpr *x = times(k, a, i, b, j), *y = times(k, a, j, b, i);
        vec_push(k->c->arena, &parts, tx_binary(k, OP_SUB, x->type, x, y));
    }
    return tx_make(k, a->type, parts, a->span);
}

TExpr *
tx_outer(Checker *k, const Type *type, TExpr *a, TExpr *b)
{
    TExprs parts = {0};
    a = tx_stable(k, a);
    b = tx_stable(k, b);
    for (int i = 0; i < type->rows; i++)
        for (int j = 0; j < type->cols; j++)
            vec_push(k->c->arena, &parts, times(k, a, i, b, j));
    return tx_make(k, type, parts, a->span);
}

TExpr *
tx_trace(Checker *k, TExpr *a)
{
    a = tx_stable(k, a);
    TExpr *sum = tx_component(k, a, 0);
    for (int i = 1; i < a->type->rows; i++)
        sum = tx_binary(k, OP_ADD, sum->type, sum, tx_component(k, a, i * (a->type->cols + 1)));
    return sum;
}

TExpr *
tx_product(Checker *k, const Type *type, TExpr *a, TExpr *b)
{
    TExprs parts = {0};
    const int inner = a->type->cols, columns = type->cols ? type->cols : 1;
    a = tx_stable(k, a);
    b = tx_stable(k, b);
    for (int i = 0; i < type->rows; i++)
        for (int j = 0; j < columns; j++)
            vec_push(k->c->arena, &parts,
                     sum_of_products(k, inner, a, i * inner, 1, b, j, columns));
    return tx_make(k, type, parts, a->span);
}
