/* shapes_stores.c - kernels whose iterations change elements of their own where a condition on
 * these says so (pass if_convert_stores), among reads before and after, and changes that come
 * whatever it says. */
#include <stdio.h>

#include "shapes.h"

enum { OWN_MOST = 3 };

/* Fields of one type and shape, and one that is only read. */
typedef struct {
    char own[OWN_MOST][NAME_MAX_], from[NAME_MAX_];
    int count, axes, size[2];
    const char *type, *at;
} Kept;

static void
put_kept_fields(Gen *g, Kept *m)
{
    m->count = 2 + pick(g, OWN_MOST - 1);
    m->axes = 1 + pick(g, 2);
    m->at = m->axes == 1 ? "i" : "i, j";
    m->type = g->strict ? ONE_OF(g, "f32", "f64") /* integers would be too large */
                        : ONE_OF(g, "i32", "f32", "f64", "u8", "i16", "i64", "u32");
    m->size[0] = 20 + pick(g, 60);
    m->size[1] = 4 + pick(g, 20);
    put(g, "field %s ", m->type);
    for (int n = 0; n < m->count; n++) {
        new_name(g, m->own[n], "x");
        put(g, "%s%s", n ? ", " : "", m->own[n]);
    }
    put(g, ";\n@boundary(clamp) field %s ", m->type);
    new_name(g, m->from, "x");
    put(g, m->axes == 1 ? "%s[%d];\n" : "%s[%d, %d];\n", m->from, m->size[0], m->size[1]);
    g->shaping = true;
    const char *kind = ONE_OF(g, "dense", "dense", "dense", "bitmasked", "pointer", "hash");
    const bool apart = chance(g, 60), packed = chance(g, 30);
    g->shaping = false;
    for (int n = 0; n < m->count; n++) {
        if (n == 0 || apart) {
            put(g, "%slayout { %s ", packed ? "@packed " : "", kind);
            put(g, m->axes == 1 ? "i[%d] { place " : "ij[%d, %d] { place ", m->size[0], m->size[1]);
        }
        put(g, "%s", m->own[n]);
        put(g, apart || n == m->count - 1 ? "; } }\n" : ", ");
    }
}

/* One of the elements that belong to the iteration. */
static void
put_own(Gen *g, const Kept *m)
{
    put(g, "%s[%s]", m->own[pick(g, m->count)], m->at);
}

static void
put_operand(Gen *g, const Kept *m)
{
    switch (pick(g, 5)) {
    case 0: put(g, "%s(%d)", m->type, pick(g, 60)); break;
    case 1: put(g, "v"); break;
    case 2:
        put(g, m->axes == 1 ? "%s[i + %d]" : "%s[i + %d, j]", m->from, pick(g, 3));
        break;
    default: put_own(g, m);
    }
}

/* Something that changes an element or the variable v. */
static void
put_kept_change(Gen *g, const Kept *m)
{
    if (chance(g, 15))
        put(g, "v");
    else
        put_own(g, m);
    put(g, " %s ", ONE_OF(g, "=", "=", "=", "+=", "-="));
    put_operand(g, m);
    if (chance(g, 30)) {
        put(g, " %s ", ONE_OF(g, "+", "-", "*"));
        put_operand(g, m);
    }
    put(g, "; ");
}

static void
put_kept_condition(Gen *g, const Kept *m, int depth)
{
    put(g, "if (");
    put_operand(g, m);
    put(g, " %s ", ONE_OF(g, "<", ">", "<=", "!=", "=="));
    put_operand(g, m);
    put(g, ") { ");
    for (int n = 1 + pick(g, 3); n > 0; n--)
        if (depth > 0 && chance(g, 20))
            put_kept_condition(g, m, depth - 1);
        else
            put_kept_change(g, m);
    if (chance(g, 6))
        put(g, "continue; ");
    put(g, "} ");
    if (chance(g, 15)) {
        put(g, "else { ");
        put_kept_change(g, m);
        put(g, "} ");
    }
}

static void
put_kept_loop(Gen *g, const Kept *m)
{
    const int last = m->size[m->axes - 1];
    if (chance(g, 60))
        put(g, "    for %s in %s {\n", m->at, m->own[pick(g, m->count)]);
    else if (m->axes == 1)
        put(g, "    for i in %d..%d {\n", pick(g, 5), last - pick(g, 5));
    else
        put(g, "    for i, j in 0..%d, %d..%d {\n", m->size[0], pick(g, 2), last - pick(g, 2));
    put(g, "        var v = %s[%s];\n        ", m->from, m->at);
    for (int n = 1 + pick(g, 4); n > 0; n--)
        if (chance(g, 25))
            put_kept_change(g, m);
        else
            put_kept_condition(g, m, 1);
    put(g, "\n    }\n");
}

void
put_conditional_stores_shape(Gen *g)
{
    Kept m;
    put_kept_fields(g, &m);
    open_kernel(g);
    const char *number = m.axes == 1 ? "i" : "(i * 7 + j)";
    put(g, "    for %s in %s { %s[%s] = %s(%s * %d %% 61); }\n", m.at, m.from, m.from, m.at, m.type,
        number, 1 + pick(g, 50));
    for (int n = 0; n < m.count; n++)
        put(g, "    for %s in %s { %s[%s] = %s(%s * %d %% %d); }\n", m.at, m.from, m.own[n], m.at,
            m.type, number, 1 + pick(g, 50), 2 + pick(g, 60));
    for (int n = 1 + pick(g, 3); n > 0; n--)
        put_kept_loop(g, &m);
    put(g, "    i64 s = 0;\n");
    for (int n = 0; n < m.count; n++)
        put(g, "    for %s in %s { s += hash_%s(%s[%s]) * (1 + i); }\n", m.at, m.own[n], m.type,
            m.own[n], m.at);
    put(g, "    return s;\n}\n");
}
