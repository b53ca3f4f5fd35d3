/* Wording of fixes that checks no expressions: what suggest.c adds to is found by name alone. */
#include "config.h"

#include "check/suggest.h"

#include <string.h>

#include "check/check_func.h"

void
suggest_product(Checker *k, const TExpr *a, const TExpr *b, const char *op, Diag *d)
{
    const Type *x = a->type, *y = b->type;
    if (strcmp(op, "'*'") || x->kind != TYPE_MATRIX ||
        (y->kind != TYPE_MATRIX && y->kind != TYPE_VECTOR) || x->cols != y->rows)
        return;
    Span between = {a->span.to, b->span.from};
    if (between.to > between.from &&
        strspn(source_text(k, between), " *") == between.to - between.from)
        diag_edit(d, between, " @ ");
}

bool
suggest_other_way(Checker *k, const char *name, Span span)
{
    static const char *const rows[][3] = {
        {"__syncthreads", "loops at the top of a kernel follow each other",
         "a loop of its own for what comes after"},
        {"seed", "a run gets its seed when it starts",
         "./program --seed=3, or snlc run FILE -- --seed=3"},
        {"srand", "a run gets its seed when it starts",
         "./program --seed=3, or snlc run FILE -- --seed=3"},
        {"not", "the opposite of a bool has a sign", "!a"},
        {"fprintf", "print writes to the standard output", "print(\"{}\", x)"},
        {"check", "a test asserts", "assert(a == b)"},
        {"expect", "a test asserts", "assert(a == b)"},
        {"assert_eq", "a test asserts", "assert(a == b)"},
        {"rand", "random() is from 0 to below 1", "i32(random() * n) for 0 to n - 1"},
        {"randint", "random() is from 0 to below 1", "i32(random() * n) for 0 to n - 1"},
        {"fmod", "% is for floats too", "x % y"},
        {"mod", "% has the sign of x, floormod that of y", "floormod(x, y)"},
        {"sqr", "squares are products", "x * x"},
        {"square", "squares are products", "x * x"},
        {"hypot", "the length of a vector is its norm", "norm(f32x2(x, y))"},
        {"distance", "the length of a vector is its norm", "norm(a - b)"},
        {"mul", "the product of matrices is an operator", "a @ b"},
        {"matmul", "the product of matrices is an operator", "a @ b"},
        {"saturate", "bounds are arguments", "clamp(x, 0.0, 1.0)"},
        {"exp10", "the base is an argument", "pow(10.0, x)"},
        {"log1p", "the sum is an argument", "log(1.0 + x)"},
        {"expm1", "it is a difference", "exp(x) - 1.0"},
        {"rint", "round takes halves away from zero", "round(x)"},
        {"sizeof", "the name of a type says how many bits it has",
         "snlc layout FILE, for the bytes of cells"},
        {"time", "clock() gives seconds, of which differences count", "clock()"},
        {"exit", "main ends with its last statement",
         "return, or assert(false, \"why\") for an error"},
        {"malloc", "memory is that of fields and local arrays",
         "field f32 x[8]; outside of functions, f32 w[8]; in one"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(name, rows[i][0])) {
            diag_fix(diag(k->c, E0201, span, "there is no '%s': %s", name, rows[i][1]), "%s",
                     rows[i][2]);
            return true;
        }
    return false;
}

bool
suggest_loop_for_threads(Checker *k, const char *name, Span span)
{
    static const char *const numbers[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    bool known = false;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        known = known || !strcmp(name, numbers[i]);
    if (!known)
        return false;
    diag_fix(diag(k->c, E0201, span, "there is no '%s': a loop at the top of a kernel is parallel",
                  name),
             "for i in 0..n { … }");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        map_put(&k->c->lost, intern_str(k->c->intern, numbers[i]), k);
    return true;
}

void
suggest_limit(Diag *d, const Expr *e, const Type *t)
{
    static const char *const rows[][3] = {
        {"MAX", "max", ""},       {"MIN", "min", ""},      {"highest", "max", ""},
        {"lowest", "min", ""},    {"eps", "epsilon", "f"}, {"EPSILON", "epsilon", "f"},
        {"nan", "NAN", "."},      {"NAN", "NAN", "."},     {"inf", "INF", "."},
        {"infinity", "INF", "."}, {"INFINITY", "INF", "."}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows && t->kind == TYPE_SCALAR && !type_is_bool(t);
         i++)
        if (!strcmp(rows[i][0], e->name.text) && (!*rows[i][2] || type_is_float(t)))
            diag_edit(d, *rows[i][2] == '.' ? e->span : e->name.span, "%s", rows[i][1]);
}
