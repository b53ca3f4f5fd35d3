/* shapes_products.c - products of matrices and their like: loops over rows and columns that go
 * through the rows or columns of two other arrays. What they add up are small whole numbers. */
#include "shapes.h"

typedef struct {
    char left[NAME_MAX_], right[NAME_MAX_], out[NAME_MAX_];
    const char *type;
    int rows, between, columns;
    bool turned; /* the right one lies by its columns */
} Product;

/* "field f32 x; layout { ... }": rows i and columns j, which all layouts cut alike. */
static void
put_matrix(Gen *g, const char *type, const char *name, int rows, int columns)
{
    g->shaping = true;
    const bool turned = chance(g, 25), blocks = chance(g, 25);
    g->shaping = false;
    const char *kind = ANY_OF(g, "dense", "dense", "dense", "dense", "dense", "pointer", "hash");
    const int cut = blocks ? 4 : 1, high = (rows + cut - 1) / cut, wide = (columns + cut - 1) / cut;
    put(g, "field %s %s;\n%slayout { %s %s[%d, %d] {%s place %s; }%s }\n", type, name,
        ANY_OF(g, "", "@packed "), kind, turned ? "ji" : "ij", turned ? wide : high,
        turned ? high : wide, blocks ? " dense ij[4, 4] {" : "", name, blocks ? " }" : "");
}

static void
put_matrices(Gen *g, Product *p)
{
    *p = (Product){ .type = ONE_OF(g, "f32", "f32", "f64", "i32", "i64", "u8"),
                    .rows = chance(g, 80) ? 64 + 4 * pick(g, 6) : 60 + pick(g, 12),
                    .between = 6 + pick(g, 9),
                    .columns = 5 + pick(g, 40),
                    .turned = chance(g, 25) };
    new_name(g, p->left, "x");
    new_name(g, p->right, "x");
    new_name(g, p->out, "x");
    put_matrix(g, p->type, p->left, p->rows, p->between);
    put_matrix(g, p->type, p->right, p->turned ? p->columns : p->between,
               p->turned ? p->between : p->columns);
    put_matrix(g, p->type, p->out, p->rows, p->columns);
}

static void
put_filling(Gen *g, const Product *p)
{
    put(g, "    for i, j in 0..%d, 0..%d { %s[i, j] = %s((i * %d + j * %d) %% 11); }\n", p->rows,
        p->between, p->left, p->type, 1 + pick(g, 9), 1 + pick(g, 9));
    put(g, "    for i, j in 0..%d, 0..%d { %s[%s] = %s((i * %d + j) %% 7); }\n", p->between,
        p->columns, p->right, p->turned ? "j, i" : "i, j", p->type, 1 + pick(g, 9));
    if (chance(g, 50))
        put(g, "    for i, j in 0..%d, 0..%d { %s[i, j] = %s((i + j) %% 5); }\n", p->rows,
            p->columns, p->out, p->type);
}

/* What one step of the inner loop adds. */
static void
put_step(Gen *g, const Product *p, const char *sum)
{
    const char *at = p->turned ? "j, k" : "k, j", *left = p->left, *right = p->right;
    switch (pick(g, 7)) {
    case 0:
        put(g, "if (%s[i, k] != %s(3)) { %s += %s[%s]; }", left, p->type, sum, right, at);
        break;
    case 1:
        put(g, "let a = %s[i, k]; %s += a * a * %s[%s];", left, sum, right, at);
        break;
    case 2: put(g, "%s = max(%s, %s[i, k] + %s[%s]);", sum, sum, left, right, at); break;
    case 3:
        put(g, "%s += (k %% 3 == i %% 3 ? %s[i, k] : %s(2)) * %s[%s];", sum, left, p->type, right,
            at);
        break;
    case 4:
        put(g, "for l in 0..%d { %s += %s[i, (k + l) %% %d] * %s[%s]; }", 2 + pick(g, 3), sum, left,
            p->between, right, at);
        break;
    default: put(g, "%s += %s[i, k] * %s[%s];", sum, left, right, at); break;
    }
}

static void
put_inner_loop(Gen *g, const Product *p, const char *sum)
{
    const char *from = chance(g, 20) ? "i % 2" : chance(g, 20) ? "1" : "0";
    put(g, "        for k in %s..%d { ", from, p->between);
    put_step(g, p, sum);
    put(g, " }\n");
}

/* What is done with the sum. */
static void
put_result(Gen *g, const Product *p, bool two)
{
    const char *sum = two ? "s - t" : "s";
    switch (pick(g, 4)) {
    case 0: put(g, "        %s[i, j] += %s;\n", p->out, sum); break;
    case 1: put(g, "        %s[i, j] = %s[i, j] + %s;\n", p->out, p->out, sum); break;
    case 2:
        put(g, "        if (i %% %d != 0) { %s[i, j] = %s; }\n", 2 + pick(g, 4), p->out, sum);
        break;
    default: put(g, "        %s[i, j] = %s;\n", p->out, sum); break;
    }
}

void
put_product_shape(Gen *g)
{
    Product p;
    put_matrices(g, &p);
    open_kernel(g);
    put_filling(g, &p);
    const int first = chance(g, 25) ? 4 : 0, last = p.rows - (chance(g, 25) ? 2 : 0);
    const bool two = chance(g, 25);
    put(g, "    for i, j in %d..%d, %d..%d {\n", first, last, chance(g, 25), p.columns);
    put(g, "        %s s = %s(%d);\n", p.type, p.type, pick(g, 3));
    if (two)
        put(g, "        %s t = %s(i %% 4);\n", p.type, p.type);
    put_inner_loop(g, &p, "s");
    if (two)
        put_inner_loop(g, &p, "t");
    put_result(g, &p, two);
    put(g,
        "    }\n    i64 all = 0;\n    for i, j in 0..%d, 0..%d { all += i64(%s[i, j]) * (1 + i * "
        "3 + j); }\n    return all;\n}\n",
        p.rows, p.columns, p.out);
}
