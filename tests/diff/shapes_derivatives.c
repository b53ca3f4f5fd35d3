/* shapes_derivatives.c - derivatives of functions with branches, loops and calls, some of which
 * they are given as parameters, by numbers and vectors, in parallel loops over cells of any
 * layout. */
#include <stdio.h>

#include "shapes.h"

typedef struct {
    char from[NAME_MAX_], to[NAME_MAX_], inner[NAME_MAX_], outer[NAME_MAX_], twice[NAME_MAX_];
    const char *real, *type; /* of the numbers; of what the functions take and give */
    bool is_vector;
    int size;
} Derived;

static void
put_derived_fields(Gen *g, Derived *d)
{
    static const char *const types[2][3] = {{"f32", "f32x2", "f32x3"}, {"f64", "f64x2", "f64x3"}};
    const int wide = pick(g, 2), lanes = chance(g, 60) ? 0 : 1 + pick(g, 2);
    *d = (Derived){.real = types[wide][0], .type = types[wide][lanes], .is_vector = lanes > 0,
                   .size = 32 << pick(g, 3)};
    new_name(g, d->from, "x");
    new_name(g, d->to, "x");
    new_name(g, d->inner, "inner");
    new_name(g, d->outer, "outer");
    new_name(g, d->twice, "twice");
    put(g, "field %s %s, %s;\n", d->type, d->from, d->to);
    char both[2 * NAME_MAX_ + 4];
    snprintf(both, sizeof both, "%s, %s", d->from, d->to);
    put_any_layout(g, both, d->size);
}

/* A value made of a and b, which are of the type, and of k. */
static const char *
derived_value(Gen *g)
{
    return ONE_OF(g, "a * b - 0.5 * a", "a / (1.0 + b * b)", "sqrt(1.0 + a * a) * b",
                  "min(a, 0.75 * b) + a * a", "max(a * 0.5, b) - b * a",
                  "abs(a - 0.25) * (b + 1.0)",
                  "a * a * a * 0.125 + b", "clamp(a, -1.0, 2.0) * b", "mix(a, b, 0.25) * a",
                  "a * stop(b) + 0.5 * b", "fract(a * 0.375) + a * b", "floor(b) * a * 0.25");
}

static const char *
derived_test(Gen *g, const Derived *d)
{
    return d->is_vector ? ONE_OF(g, "a.x > 0.5", "k % 2 == 1", "a.y * b.x < 1.0", "a.x > b.y")
                        : ONE_OF(g, "a > 0.5", "k % 2 == 1", "a * b < 1.0", "a > b", "b < -0.25");
}

/* A function with a way of its own for some values. */
static void
put_inner(Gen *g, const Derived *d)
{
    put(g, "func %s %s(%s a, %s b, i32 k) {\n", d->type, d->inner, d->type, d->type);
    if (chance(g, 60))
        put(g, "    if (%s) { return %s; }\n", derived_test(g, d), derived_value(g));
    put(g, "    return %s;\n}\n", derived_value(g));
}

/* A function that is given another, which it calls on what that gave. */
static void
put_twice(Gen *g, const Derived *d)
{
    put(g, "func auto %s(auto a, auto b, i32 k, func auto of) {\n", d->twice);
    put(g, "    let c = of(a, b, k);\n    return of(%s, k) * 0.5;\n}\n",
        ONE_OF(g, "c * 0.25, b", "b, c * 0.25", "a, a", "a - b, 0.125 * c"));
}

/* A number that comes of a loop. */
static void
put_outer(Gen *g, const Derived *d)
{
    put(g, "func %s %s(%s p, %s q, i32 n) {\n    %s a = p;\n    %s b = q;\n    %s s = 0.0;\n",
        d->real, d->outer, d->type, d->type, d->type, d->type, d->real);
    put(g, "    for k in 0..%s {\n", ONE_OF(g, "3", "n % 4", "2 + n % 2", "5"));
    for (int n = 1 + pick(g, 3); n > 0; n--)
        switch (pick(g, 6)) {
        case 0:
            put(g, "        if (%s) { %s; }\n", derived_test(g, d), ONE_OF(g, "continue", "break"));
            break;
        case 1:
            put(g, "        if (%s) { b = %s; }\n", derived_test(g, d), derived_value(g));
            break;
        case 2: put(g, "        a = 0.5 * %s(a, b, k);\n", d->inner); break;
        case 3: put(g, "        b = %s(a, b, k, %s);\n", d->twice, d->inner); break;
        default: put(g, "        a = clamp(%s, -3.0, 3.0);\n", derived_value(g)); break;
        }
    put(g, "        s += %s;\n    }\n    return s + %s;\n}\n",
        d->is_vector ? ONE_OF(g, "dot(a, b)", "a.x * b.y", "norm_sqr(a - b)") : "a * b",
        d->is_vector ? "dot(a, p)" : "a * p");
}

void
put_derivatives_shape(Gen *g)
{
    Derived d;
    put_derived_fields(g, &d);
    put_inner(g, &d);
    put_twice(g, &d);
    put_outer(g, &d);
    open_kernel(g);
    put(g, "    i64 s = 0;\n    for i in 0..%d { %s[i] = %s(%s(i * %d %% 37) * 0.125 - 2.0); }\n",
        d.size, d.from, d.type, d.real, 1 + pick(g, 30));
    put(g, "    for i in 0..%d {\n        %s p = %s[i];\n", d.size, d.type, d.from);
    put(g, "        %s q = %s(%s(i %% 5) * 0.5 - 1.0);\n", d.type, d.type, d.real);
    put(g, "        %s[i] = diff(%s(p, q, i), p) - 0.5 * diff(%s(%s, i), %s);\n", d.to, d.outer,
        d.outer, ONE_OF(g, "p, q", "q, p * q", "p * p, q"), ONE_OF(g, "p", "q"));
    if (!d.is_vector && chance(g, 40))
        put(g, "        %s[i] += diff(diff(%s(p, q, i), q), %s);\n", d.to, d.outer,
            ONE_OF(g, "p", "q"));
    put(g, "    }\n    for i in 0..%d { s += hash_%s(%s[i]%s) * (2 * i + 1); }\n    return s;\n}\n",
        d.size, d.real, d.to, d.is_vector ? ONE_OF(g, ".x", ".y") : "");
}
