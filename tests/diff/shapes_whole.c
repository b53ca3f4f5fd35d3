/* shapes_whole.c - loops that go over more than one element at a time: rows of small numbers that
 * end within a vector, cells of a mask that are those of another tree as well, and many components
 * that lie in one cell. */
#include <stdio.h>

#include "shapes.h"

/* ---- rows of small numbers ---- */

/* What is written: of elements of `from` around i, j. */
static void
put_small_value(Gen *g, const char *from, const char *type)
{
    const int last = pick(g, 3);
    put(g, "%s(", type);
    for (int n = 0; n <= last; n++) {
        static const char *const places[] = {"i, j",     "i - 1, j", "i + 1, j", "i, j - 1",
                                             "i, j + 1", "i, j - 2", "i, j + 2"};
        put(g, "%s%s[%s]", n ? ONE_OF(g, " + ", " - ", " * ", " ^ ") : "", from,
            places[pick(g, 7)]);
    }
    put(g, ")");
}

void
put_small_rows_shape(Gen *g)
{
    char from[NAME_MAX_], to[NAME_MAX_];
    const char *type = ONE_OF(g, "u8", "u8", "i8", "u16", "i16", "i32"),
               *kind = ONE_OF(g, type, type, "u8", "i16", "i32");
    const int rows = 6 + pick(g, 6), columns = 40 + pick(g, 180);
    new_name(g, from, "x");
    new_name(g, to, "x");
    put(g, "@boundary(%s) field %s %s;\nfield %s %s;\n", ONE_OF(g, "clamp", "periodic", "mirror"),
        type, from, kind, to);
    for (int n = 0; n < 2; n++)
        put(g, "%slayout { dense ij[%d, %d] { place %s; } }\n", ANY_OF(g, "", "@packed "), rows,
            columns, n ? to : from);
    open_kernel(g);
    put(g, "    for i, j in %s { %s[i, j] = %s((i * %d + j * %d + i * j) & 127); }\n", from, from,
        type, 1 + pick(g, 90), 1 + pick(g, 90));
    for (int n = 1 + pick(g, 2); n > 0; n--) {
        if (chance(g, 40))
            put(g, "    for i, j in %s {\n", to);
        else
            put(g, "    for i, j in %d..%d, %d..%d {\n", pick(g, 3), rows - pick(g, 3), pick(g, 9),
                columns - pick(g, 9));
        if (chance(g, 30))
            put(g, "        if (%s[i, j] > %s(%d)) { continue; }\n", from, type, pick(g, 127));
        put(g, "        %s[i, j] %s ", to, ONE_OF(g, "=", "=", "=", "+=", "^="));
        put_small_value(g, from, kind);
        put(g, ";\n    }\n");
    }
    put(g, "    i64 s = 0;\n    for i, j in %s { s += i64(%s[i, j]) * (1 + 7 * i + j); }\n", to,
        to);
    put(g, "    return s;\n}\n");
}

/* ---- cells of two trees ---- */

static void
put_twin_layouts(Gen *g, const char *one, const char *two, const char *label)
{
    g->shaping = true;
    const char *top = any_of(g, (const char *const[]){"pointer", "pointer", "dense", "hash"}, 4);
    const int inner = 4 << pick(g, 3);
    const bool alike = chance(g, 70), is_top = chance(g, 20);
    g->shaping = false;
    for (int n = 0; n < 2; n++) {
        const char *name = n ? two : one, *before = n ? label : "";
        if (is_top)
            put(g, "layout { %s bitmasked ij[32, 32] { place %s; } }\n", before, name);
        else
            put(g, "layout { %s ij[%d, %d] { %s %s ij[%d, %d] { place %s; } } }\n", top, 32 / inner,
                32 / inner, before, alike ? "bitmasked" : ANY_OF(g, "bitmasked", "pointer"), inner,
                inner, name);
    }
}

void
put_same_cells_shape(Gen *g)
{
    char one[NAME_MAX_], two[NAME_MAX_], node[NAME_MAX_], label[NAME_MAX_ + 1];
    const char *type = ONE_OF(g, "i32", "i64", "u8", "i16");
    new_name(g, one, "x");
    new_name(g, two, "x");
    put(g, "@boundary(%s) field %s %s;\nfield %s %s;\n", ONE_OF(g, "ambient", "clamp"), type, one,
        type, two);
    new_name(g, node, "node");
    snprintf(label, sizeof label, "%s:", node);
    put_twin_layouts(g, one, two, label);
    open_kernel(g);
    put(g,
        "    for i, j in 0..32, 0..32 {\n"
        "        if ((i * %d + j * %d) %% %d < 2) { %s[i, j] = %s((i * 5 + j) & 63); }\n"
        "        if ((i + j * %d) %% %d == 0) { %s[i, j] = %s(i & 31); }\n    }\n",
        1 + pick(g, 9), 1 + pick(g, 9), 2 + pick(g, 9), one, type, 1 + pick(g, 9), 3 + pick(g, 20),
        two, type);
    put(g, "    for i, j in %s {\n", one);
    if (chance(g, 30))
        put(g, "        if (%s[i, j] %s %s(%d)) { continue; }\n", one, ONE_OF(g, "==", ">"), type,
            pick(g, 63));
    put(g, "        %s[i, j] %s %s[i, j]", two, ONE_OF(g, "=", "=", "+="), one);
    if (chance(g, 60))
        put(g, " + %s[i%s, j%s]", one, ONE_OF(g, " + 1", " - 1", ""), ONE_OF(g, " + 1", " - 1"));
    put(g, ";\n");
    if (chance(g, 25))
        put(g, "        if (is_active(%s[i, j])) { %s[i, j] += %s(1); }\n", node, two, type);
    put(g,
        "    }\n    i64 s = 0;\n    for i, j in %s { s += (i64(%s[i, j]) + 1) * (1 + i + 32 * j); "
        "}\n    return s;\n}\n",
        two, two);
}

/* ---- components of one cell ---- */

void
put_together_shape(Gen *g)
{
    char from[NAME_MAX_], to[NAME_MAX_];
    const int count = ONE_OF(g, "8", "9")[0] - '0';
    const char *type = ONE_OF(g, "i32", "i64", "i16"), *at = ONE_OF(g, "i", "i + 1", "i - t");
    new_name(g, from, "x");
    new_name(g, to, "x");
    for (int n = 0; n < 2; n++)
        put(g, "%s%sfield %sx%d %s[64];\n", n ? "" : "@boundary(periodic) ",
            ANY_OF(g, "", "", "@soa "), type, count, n ? to : from);
    open_kernel(g);
    put(g,
        "    for i in %s { for k in 0..%d { %s[i][k] = %s((i * 7 + k * %d) %% 50); } }\n"
        "    for i in %s {\n        %sx%d p;\n        %s all = 0;\n",
        from, count, from, type, 1 + pick(g, 9), to, type, count, type);
    put(g,
        "        for k in 0..%d {\n            let t = (k * 5) %% 3;\n"
        "            p[k] = %s[%s][k] + %s(t);\n            all += p[k];\n        }\n",
        count, from, at, type);
    put(g, "        for k in %d..%d { %s[i][k] = p[k] * %s(%d) - all%s; }\n    }\n", pick(g, 2),
        count, to, type, 1 + pick(g, 5), ONE_OF(g, "", "", " + p[(k + 1) % 8]"));
    put(g,
        "    i64 s = 0;\n    for i in %s { for k in 0..%d { s += i64(%s[i][k]) * (i * 3 + k + 1); "
        "} "
        "}\n    return s;\n}\n",
        to, count, to);
}
