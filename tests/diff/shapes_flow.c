/* shapes_flow.c - parallel loops whose iterations go ways of their own: loops that go on as long as
 * the data says, breaks, continues and early returns in functions inside functions, and asserts
 * that tell what they have computed. */
#include <stdio.h>

#include "shapes.h"

typedef struct {
    char count[NAME_MAX_], value[NAME_MAX_], step[NAME_MAX_], walk[NAME_MAX_];
    const char *type;
    bool real;
    int size;
} Flow;

static void
put_flow_fields(Gen *g, Flow *f)
{
    *f = (Flow){.type = ONE_OF(g, "f32", "f32", "f64", "i32", "i64"), .size = 32 << pick(g, 3)};
    f->real = f->type[0] == 'f';
    new_name(g, f->count, "x");
    new_name(g, f->value, "x");
    new_name(g, f->step, "step");
    new_name(g, f->walk, "walk");
    put(g, "field i32 %s;\nfield %s %s;\n", f->count, f->type, f->value);
    char both[2 * NAME_MAX_ + 4];
    snprintf(both, sizeof both, "%s, %s", f->count, f->value);
    put_any_layout(g, both, f->size);
}

/* A value that is made of v, k and n, which stays small. */
static const char *
one_value(Gen *g, const Flow *f)
{
    return f->real ? ONE_OF(g, "v * 0.5 + 1.0", "v - 0.25", "1.5 - v * 0.125", "abs(v) * 0.75",
                            "min(v, 8.0) + 0.5", "v / (1.0 + abs(v))")
                   : ONE_OF(g, "v / 2 + 1", "v - 3", "7 - v / 4", "v % 11 + 2", "min(v, 8) + 5",
                            "(v ^ 5) & 63");
}

static const char *
one_test(Gen *g)
{
    return ONE_OF(g, "v > 3", "(k + n) % 3 == 1", "v < 1", "k * 2 > n", "(k & n) == 2",
                  "n % 4 == 0");
}

/* A function that leaves by several ways. */
static void
put_flow_step(Gen *g, const Flow *f)
{
    put(g, "func %s %s(%s a, i32 n) {\n    %s v = a;\n", f->type, f->step, f->type, f->type);
    put(g, "    for k in 0..%s {\n", ONE_OF(g, "n", "n % 5", "6", "n % 3 + 2"));
    for (int n = 1 + pick(g, 3); n > 0; n--) {
        const char *test = one_test(g);
        switch (pick(g, 4)) {
        case 0: put(g, "        if (%s) { return %s; }\n", test, one_value(g, f)); break;
        case 1: put(g, "        if (%s) { continue; }\n", test); break;
        case 2: put(g, "        if (%s) { break; }\n", test); break;
        default: put(g, "        if (%s) { v = %s; }\n", test, one_value(g, f)); break;
        }
        put(g, "        v = %s;\n", one_value(g, f));
    }
    put(g, "    }\n    return v;\n}\n");
}

/* A function that calls it as long as its data says. */
static void
put_flow_walk(Gen *g, const Flow *f)
{
    put(g, "func i32 %s(inout %s v, i32 n) {\n    i32 k = 0;\n    while (k < %d && %s(v) > %s) {\n",
        f->walk, f->type, 5 + pick(g, 20), f->type, f->real ? "0.75" : "1");
    put(g, "        k += 1;\n        v = %s(v, n %s k);\n", f->step, ONE_OF(g, "+", "-", "^"));
    if (chance(g, 60))
        put(g, "        if (%s) { %s }\n", one_test(g),
            ONE_OF(g, "break;", "return -k;", "continue;"));
    put(g, "        v = %s;\n    }\n    return k;\n}\n", one_value(g, f));
}

static void
put_flow_body(Gen *g, const Flow *f)
{
    put(g, "        let n = %s[i];\n        let k = i %% %d;\n        %s v = %s(n);\n", f->count,
        2 + pick(g, 6), f->type, f->type);
    if (chance(g, 50))
        put(g, "        if (%s) { %s[i] = %s(k); continue; }\n", one_test(g), f->value, f->type);
    put(g, "        let steps = %s(v, n);\n", f->walk);
    if (chance(g, 50)) {
        put(g, "        for j in 0..n {\n            if ((j * k) %% 7 == 6) { break; }\n");
        put(g, "            for l in j..%d { if (l == k) { %s; } v = %s; }\n", 2 + pick(g, 5),
            ONE_OF(g, "break", "continue"), one_value(g, f));
        put(g, "        }\n");
    }
    if (chance(g, 60))
        put(g, "        assert(steps * 2 < %d, \"{} of {}: {} {}\", steps * 2, i, v + %s(1), n);\n",
            60 + pick(g, 40), f->type);
    put(g, "        %s[i] = %s;\n        s += hash_%s(v) * (i + 1) + steps;\n", f->value,
        ONE_OF(g, "v", "v + v", "steps > 2 ? v : -v"), f->type);
}

void
put_flow_shape(Gen *g)
{
    Flow f;
    put_flow_fields(g, &f);
    put_flow_step(g, &f);
    put_flow_walk(g, &f);
    open_kernel(g);
    put(g, "    i64 s = 0;\n    for i in 0..%d { %s[i] = i * %d %% %d; %s[i] = 0; }\n", f.size,
        f.count, 1 + pick(g, 30), 3 + pick(g, 30), f.value);
    put(g, "    for i in 0..%d {\n", f.size);
    put_flow_body(g, &f);
    put(g, "    }\n    for i in 0..%d { s += hash_%s(%s[i]) * (2 * i + 1); }\n    return s;\n}\n",
        f.size, f.type, f.value);
}
