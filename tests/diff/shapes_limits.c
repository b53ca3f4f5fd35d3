/* shapes_limits.c - kernels with least and greatest numbers of floats, among which are NaN, both
 * zeros and infinities: in few rows and blocks, so that others have none. */
#include <stdio.h>

#include "shapes.h"

enum { LIMITS_BLOCK = 8, REACH = 2, DEPTH = 2 };

/* Two fields that are read, `near` beyond its ends too, and one for results. */
typedef struct {
    char near[NAME_MAX_], plain[NAME_MAX_], to[NAME_MAX_], sort[NAME_MAX_];
    const char *type;
    int size[2];
    bool own; /* the field of results may be read at the loop's own indices */
} Limits;

static void
put_limits_layout(Gen *g, const Limits *l, const char *fields, bool blocks)
{
    if (blocks)
        put(g, "layout { %s ij[%d, %d] { dense ij[8, 8] { place %s; } } }\n",
            ANY_OF(g, "dense", "dense", "pointer", "hash", "bitmasked"), l->size[0] / LIMITS_BLOCK,
            l->size[1] / LIMITS_BLOCK, fields);
    else
        put(g, "%slayout { dense %s; } }\n", ANY_OF(g, "", "@packed "), fields);
}

/* "ij[8, 16] { place x, y" */
static void
put_limits_array(Gen *g, const Limits *l, const char *fields)
{
    char text[4 * NAME_MAX_ + 40];
    g->shaping = true;
    const bool turned = chance(g, 25), blocks = chance(g, 40);
    g->shaping = false;
    if (blocks) {
        put_limits_layout(g, l, fields, true);
        return;
    }
    snprintf(text, sizeof text, "%s[%d, %d] { place %s", turned ? "ji" : "ij", l->size[turned],
             l->size[!turned], fields);
    put_limits_layout(g, l, text, false);
}

static void
put_limits_fields(Gen *g, Limits *l)
{
    char both[2 * NAME_MAX_ + 2];
    *l = (Limits){.type = ONE_OF(g, "f32", "f32", "f32", "f64"),
                  .size = {8 * (1 + pick(g, 4)), 8 * (2 + pick(g, 12))},
                  .own = chance(g, 40)};
    new_name(g, l->near, "x");
    new_name(g, l->plain, "x");
    new_name(g, l->to, "x");
    new_name(g, l->sort, "sort");
    put(g, "@boundary(%s) field %s %s;\nfield %s %s, %s;\n",
        ONE_OF(g, "clamp", "periodic", "mirror", "ambient"), l->type, l->near, l->type, l->plain,
        l->to);
    g->shaping = true;
    const int together = pick(g, 3);
    g->shaping = false;
    snprintf(both, sizeof both, "%s, %s", together == 1 ? l->near : l->to, l->plain);
    put_limits_array(g, l, together == 1 ? l->to : l->near);
    if (together == 2) {
        put_limits_array(g, l, l->plain);
        put_limits_array(g, l, l->to);
    } else {
        put_limits_array(g, l, both);
    }
    put(g, "func %s(inout %s a, inout %s b) { let t = min(a, b); b = max(a, b); a = t; }\n",
        l->sort, l->type, l->type);
}

/* Small numbers, and at few places, or nowhere, something else. */
static void
put_limits_start(Gen *g, const Limits *l)
{
    put(g,
        "    for i, j in 0..%d, 0..%d {\n        %s v = %s((i * %d + j * %d) %% 19 - 9) * 0.5 + "
        "%s;\n",
        l->size[0], l->size[1], l->type, l->type, 1 + pick(g, 40), 1 + pick(g, 40),
        chance(g, 70) ? "0.25" : "0.0");
    for (int n = pick(g, 3); n > 0; n--)
        put(g, "        if (i == %d && j %% %d == %d) { v = %s; }\n", pick(g, l->size[0]),
            1 + pick(g, 20), pick(g, 5), ONE_OF(g, "NAN", "-0.0", "0.0", "INF", "-INF", "-NAN"));
    put(g, "        %s[i, j] = v; %s[i, j] = %s; %s[i, j] = 1.0;\n    }\n", l->near, l->plain,
        ONE_OF(g, "v", "-v", "v + 1.0", "3.0 - v"), l->to);
    put(g, "    %s top = %s[%d, %d];\n", l->type, l->plain, pick(g, l->size[0]),
        pick(g, l->size[1]));
}

static void
put_limits_index(Gen *g, char name, int reach)
{
    const int by = chance(g, 40) ? 0 : pick(g, 2 * reach + 1) - reach;
    if (by)
        put(g, "%c %c %d", name, by < 0 ? '-' : '+', by < 0 ? -by : by);
    else
        put(g, "%c", name);
}

static void
put_limits_element(Gen *g, const Limits *l)
{
    switch (pick(g, 10)) {
    case 0: put(g, "top"); break;
    case 1: put(g, "%s", ONE_OF(g, "0.5", "0.0", "-0.0", "-2.0", "1.0")); break;
    case 2: put(g, "%s[i, 0]", l->plain); break;
    case 3: put(g, l->own ? "%s[i, j]" : "p", l->to); break;
    case 4: put(g, "p"); break;
    case 5: put(g, "%s[i, (j + %d) %% %d]", l->plain, 1 + pick(g, 5), l->size[1]); break;
    case 6: put(g, "%s[i, j]", l->plain); break;
    default:
        put(g, "%s[", l->near);
        put_limits_index(g, 'i', REACH);
        put(g, ", ");
        put_limits_index(g, 'j', REACH);
        put(g, "]");
        break;
    }
}

static void
put_limits_value(Gen *g, const Limits *l, int depth)
{
    const int kind = depth > 0 ? pick(g, 9) : 8;
    switch (kind) {
    case 0:
        put(g, "clamp(");
        put_limits_value(g, l, depth - 1);
        put(g, ", ");
        put(g, "%s)", ONE_OF(g, "-1.0, 2.0", "0.0, 1.5", "-0.0, 0.0", "top, top + 1.0"));
        break;
    case 1:
        put(g, "%s(", ONE_OF(g, "abs", "-", "floor", "-abs"));
        put_limits_value(g, l, depth - 1);
        put(g, ")");
        break;
    case 2:
        put(g, "(");
        put_limits_value(g, l, depth - 1);
        put(g, " %s ", ONE_OF(g, "+", "-", "*"));
        put_limits_element(g, l);
        put(g, ")");
        break;
    case 8: put_limits_element(g, l); break;
    default:
        put(g, "%s(", kind % 2 ? "min" : "max");
        put_limits_value(g, l, depth - 1);
        put(g, ", ");
        put_limits_value(g, l, depth - 1);
        put(g, ")");
        break;
    }
}

static void
put_limits_ranges(Gen *g, const Limits *l)
{
    switch (pick(g, 6)) {
    case 0: put(g, "%s", l->near); break;
    case 1: put(g, "%s", l->plain); break;
    case 4: put(g, "one..%d, 0..%d - one", l->size[0], l->size[1]); break;
    case 2: put(g, "1..%d - 1, 2..%d", l->size[0], l->size[1] - 2); break;
    case 3: put(g, "0..%d step 2, 0..%d", l->size[0], l->size[1]); break;
    default: put(g, "0..%d, 0..%d", l->size[0], l->size[1]); break;
    }
}

static void
put_limits_loop(Gen *g, const Limits *l)
{
    const bool rows = chance(g, 15);
    put(g, "    for ");
    if (rows) {
        put(g, "i in 0..%d { for j in 0..%d {", l->size[0], l->size[1]);
    } else {
        put(g, "i, j in ");
        put_limits_ranges(g, l);
        put(g, " {");
    }
    put(g, "\n        %s p = %s[i, j];\n", l->type, l->plain);
    for (int n = 1 + pick(g, 3); n > 0; n--)
        switch (pick(g, 6)) {
        case 0:
            put(g, "        { %s q = ", l->type);
            put_limits_element(g, l);
            put(g, "; %s(p, q); }\n", l->sort);
            break;
        case 1:
            put(g, "        if (");
            put_limits_value(g, l, 1);
            put(g, " > p) { p = ");
            put_limits_value(g, l, DEPTH);
            put(g, "; }\n");
            break;
        default:
            put(g, "        p = ");
            put_limits_value(g, l, DEPTH);
            put(g, ";\n");
            break;
        }
    if (chance(g, 25))
        put(g, "        atomic_%s(low, p);\n", chance(g, 50) ? "min" : "max");
    put(g, "        %s[i, j] = p;\n", l->to);
    if (l->own && chance(g, 40)) {
        put(g, "        %s[i, j] = ", l->to);
        put_limits_value(g, l, DEPTH);
        put(g, ";\n");
    }
    put(g, rows ? "    } }\n" : "    }\n");
}

void
put_limits_shape(Gen *g)
{
    Limits l;
    put_limits_fields(g, &l);
    open_kernel(g);
    put_limits_start(g, &l);
    put(g, "    %s low = top;\n    i32 one = 0;\n    for i in 0..2 { atomic_max(one, i); }\n",
        l.type);
    for (int n = 1 + pick(g, 2); n > 0; n--)
        put_limits_loop(g, &l);
    put(g,
        "    i64 s = hash_%s(low);\n    for i, j in %s { s += hash_%s(%s[i, j]) * (1 + i * 101 + "
        "j); }\n    return s;\n}\n",
        l.type, l.to, l.type, l.to);
}
