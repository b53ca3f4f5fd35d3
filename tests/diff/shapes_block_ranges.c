/* shapes_block_ranges.c - kernels over cells in blocks that leave out those before and after ranges
 * of indices: where conditions say so, or the loop is one over ranges. */
#include <stdio.h>

#include "shapes.h"

/* Elements of an array that is large for passes; nothing of them is touched. */
enum { LARGE = 5 << 20 };

/* Two fields in blocks, and what indices are compared with. */
typedef struct {
    char from[NAME_MAX_], to[NAME_MAX_];
    char param[2][NAME_MAX_], local[NAME_MAX_], cell[NAME_MAX_]; /* cell: a 0-D field */
    Scalar scalar;
    int axes, low[3], size[3], block[3];
    int given[2], set; /* the values of params, of the local variable and the field */
    bool bounded, all; /* `from` may be read beyond its ends; all blocks are there */
    bool mask;         /* the cells of a block have one */
    int ballast;       /* numbers of another field in each block, which make it large, or 0 */
    char other[NAME_MAX_];
} Edges;

/* ---- fields ---- */

static void
put_edges_layout(Gen *g, const Edges *e)
{
    g->shaping = true;
    const bool packed = chance(g, 50), swapped = e->axes == 2 && chance(g, 30),
               apart = chance(g, 30) && !e->mask, deep = chance(g, 30);
    g->shaping = false;
    const char *letters = e->axes == 1 ? "i" : e->axes == 3 ? "ijk" : swapped ? "ji" : "ij";
    const char *kinds[] = {ANY_OF(g, "dense", "pointer", "hash"),
                           ANY_OF(g, "pointer", "bitmasked", "hash")};
    put(g, "%slayout {", packed ? "@packed " : "");
    for (int a = 0; a < e->axes && e->low[0]; a++)
        put(g, "%s%d%s", a ? ", " : " @offset(", e->low[a], a + 1 < e->axes ? "" : ")");
    for (int level = deep ? 0 : 1; level < 2; level++) {
        put(g, " %s %s[", e->all ? "dense" : kinds[level], letters);
        for (int n = 0; n < e->axes; n++) {
            const int a = swapped ? 1 - n : n, count = e->size[a] / e->block[a];
            /* a block is one of an outer cell, or a half of it */
            const int inner = count % 2 ? 1 : 2;
            put(g, "%s%d", n ? ", " : "", !deep ? count : level ? inner : count / inner);
        }
        put(g, "] {");
    }
    for (int part = 0; part < (apart ? 2 : 1); part++) {
        put(g, " %s %s[", e->mask ? "bitmasked" : "dense", letters);
        for (int n = 0; n < e->axes; n++)
            put(g, "%s%d", n ? ", " : "", e->block[swapped ? 1 - n : n]);
        if (apart)
            put(g, "] { place %s; }", part ? e->to : e->from);
        else
            put(g, "] { place %s, %s; }", e->from, e->to);
    }
    if (e->ballast)
        put(g, " dense l[%d] { place %s; }", e->ballast, e->other);
    put(g, " }%s }\n", deep ? " }" : "");
}

static void
put_edges_fields(Gen *g, Edges *e)
{
    static const Scalar scalars[] = {S_F32, S_F32, S_F64, S_I32, S_I64, S_I16};
    static const int blocks[] = {2, 3, 4, 4, 8, 8, 16};
    *e = (Edges){.scalar = scalars[pick(g, g->strict ? 5 : 6)],
                 .axes = chance(g, 60) ? 2 : 1 + pick(g, 3),
                 .bounded = chance(g, 60),
                 .all = chance(g, 50),
                 .mask = chance(g, 20)};
    const bool moved = chance(g, 40);
    int count = 1;
    for (int a = 0; a < e->axes; a++) {
        e->block[a] = blocks[pick(g, e->axes == 3 ? 4 : 7)];
        e->size[a] = e->block[a] * (1 + pick(g, 4));
        count *= e->size[a] / e->block[a];
        e->low[a] = moved ? (pick(g, 2) ? 1 + pick(g, 3) : -1 - pick(g, 3)) * e->block[a] : 0;
    }
    if (e->all && !moved && chance(g, 20))
        e->ballast = LARGE / count;
    for (int n = 0; n < 2; n++) {
        char value[24];
        new_name(g, e->param[n], "P");
        e->given[n] = pick(g, 20) - 8;
        snprintf(value, sizeof value, "%d", e->given[n]);
        put(g, "param %s %s = ", n ? "i64" : "i32", e->param[n]);
        put_given(g, e->param[n], true, value, "5");
        put(g, ";\n");
    }
    e->set = pick(g, 9);
    new_name(g, e->local, "b");
    new_name(g, e->cell, "x");
    new_name(g, e->from, "x");
    new_name(g, e->to, "x");
    const char *type = scalar_name(e->scalar);
    put(g, "field i32 %s[];\n", e->cell);
    if (e->bounded)
        put(g, "@boundary(%s) ", ONE_OF(g, "clamp", "periodic", "mirror", "ambient"));
    put(g, "field %s %s;\nfield %s %s;\n", type, e->from, type, e->to);
    if (e->ballast) {
        new_name(g, e->other, "x");
        put(g, "field f64 %s;\n", e->other);
    }
    put_edges_layout(g, e);
}

/* ---- what indices are compared with ---- */

/* An expression for a number. */
static void
put_known(Gen *g, const Edges *e, int value)
{
    const int kind = pick(g, 7), by = kind < 2   ? value - e->given[kind]
                                      : kind < 4 ? value - e->set
                                                 : value - e->size[0];
    if (kind > 4) {
        put(g, "%d", value);
        return;
    }
    put(g, "(");
    if (kind < 3)
        put(g, "%s", kind < 2 ? e->param[kind] : e->local);
    else
        put(g, kind == 3 ? "%s[]" : "extent(%s, 0)", kind == 3 ? e->cell : e->to);
    put(g, by < 0 ? " - %d)" : " + %d)", by < 0 ? -by : by);
}

/* "i < 7": of an index, with a number near the ends of its axis, or far beyond them. */
static void
put_edge(Gen *g, const Edges *e)
{
    const int a = pick(g, e->axes), last = e->low[a] + e->size[a] - 1;
    const char *op = ONE_OF(g, "<", "<=", ">", ">=", "!=", "!=", "=="), *letter = &"i\0j\0k"[2 * a];
    const int far = pick(g, 12);
    int value = pick(g, 2) ? e->low[a] + pick(g, 4) - 1 : last + 2 - pick(g, 4);
    if (chance(g, 20))
        value = e->low[a] + pick(g, e->size[a]);
    if (chance(g, 15)) {
        put_known(g, e, value);
        put(g, " %s %s", op, letter);
        return;
    }
    put(g, chance(g, 20) ? "i64(%s) %s " : "%s %s ", letter, op);
    if (far < 3)
        put(g, "%s",
            ONE_OF(g, "i32.max", "i64.max", "i32.min", "i64.min", "(i64.max - 1)", "(i32.min + 1)",
                   "least", "most"));
    else
        put_known(g, e, value);
}

/* A condition of such, and of others. */
static void
put_edge_condition(Gen *g, const Edges *e, int depth)
{
    const int kind = depth > 0 ? pick(g, 12) : 9;
    if (kind < 6) {
        put(g, "(");
        put_edge_condition(g, e, depth - 1);
        put(g, " %s ", kind < 4 ? "&&" : kind == 4 ? "||" : ONE_OF(g, "&", "|", "==", "^"));
        put_edge_condition(g, e, depth - 1);
        put(g, ")");
    } else if (kind == 6) {
        put(g, "!(");
        put_edge_condition(g, e, depth - 1);
        put(g, ")");
    } else if (kind == 7) {
        put(g, "%s",
            ONE_OF(g, "(i % 2 == 0)", "(i + 1 < 9)", "(i * i > 5)", "true", "(i8(i) < 3)"));
    } else {
        put(g, "(");
        put_edge(g, e);
        put(g, ")");
    }
}

/* ---- loops ---- */

static void
put_edges_names(Gen *g, const Edges *e)
{
    put(g, "%s", e->axes == 1 ? "i" : e->axes == 2 ? "i, j" : "i, j, k");
}

/* Opens a loop over all cells, or over ranges within the field, which may be empty or reversed. */
static void
put_edges_loop(Gen *g, const Edges *e, bool cells)
{
    put(g, "    for ");
    put_edges_names(g, e);
    put(g, " in ");
    if (cells) {
        put(g, "%s {\n", chance(g, 50) ? e->to : e->from);
        return;
    }
    for (int a = 0; a < e->axes; a++) {
        const int end = e->low[a] + e->size[a], room = e->size[a] < 3 ? e->size[a] : 3;
        put(g, a ? ", " : "");
        put_known(g, e, chance(g, 50) ? e->low[a] : e->low[a] + pick(g, room));
        put(g, "..");
        put_known(g, e, chance(g, 50) ? end : end - pick(g, room));
    }
    put(g, " {\n");
}

/* Sums of elements around. */
static void
put_edges_value(Gen *g, const Edges *e)
{
    for (int n = 0, count = 1 + pick(g, 4); n < count; n++) {
        put(g, "%s%s[", n ? ONE_OF(g, " + ", " - ") : "", e->from);
        for (int a = 0; a < e->axes; a++) {
            const int by = e->bounded && chance(g, 50) ? pick(g, 5) - 2 : 0;
            put(g, "%s%c", a ? ", " : "", "ijk"[a]);
            if (by)
                put(g, by < 0 ? " - %d" : " + %d", by < 0 ? -by : by);
        }
        put(g, "]%s", ONE_OF(g, "", "", " * 3"));
    }
    put(g, ";");
}

/* Changes the loop's own element where a condition holds: all of the body is in it, or goes on
 * where it does not hold, or something stands beside it. */
static void
put_edges_body(Gen *g, const Edges *e, bool counts)
{
    const int kind = pick(g, 10);
    if (chance(g, 25)) {
        put(g, "        let v = ");
        put_edges_value(g, e);
        put(g, "\n");
    }
    put(g, "        if (");
    put_edge_condition(g, e, 2);
    put(g, kind < 3 ? ") { continue; }\n        " : ") { ");
    put(g, "%s[", e->to);
    put_edges_names(g, e);
    put(g, "] %s ", ONE_OF(g, "=", "=", "+="));
    put_edges_value(g, e);
    put(g, kind < 3 ? "\n" : " }\n");
    if (kind == 9) {
        put(g, "        else { %s[", e->to);
        put_edges_names(g, e);
        put(g, "] = 7; }\n");
    }
    if (counts)
        put(g, "        s += 1;\n");
    if (kind == 8) {
        put(g, "        %s[", e->to);
        put_edges_names(g, e);
        put(g, "] -= 1;\n");
    }
    put(g, "    }\n");
}

static void
put_edges_filled(Gen *g, const Edges *e)
{
    const char *type = scalar_name(e->scalar);
    put(g, "    for ");
    put_edges_names(g, e);
    put(g, " in ");
    for (int a = 0; a < e->axes; a++)
        put(g, "%s%d..%d", a ? ", " : "", e->low[a], e->low[a] + e->size[a]);
    put(g, " {\n        if (%s) {", e->all && !e->mask ? "true" : "i * 3 % 7 < 5");
    for (int f = 0; f < 2; f++) {
        put(g, " %s[", f ? e->to : e->from);
        put_edges_names(g, e);
        put(g, "] = %s((i * %d", type, 1 + pick(g, 9));
        for (int a = 1; a < e->axes; a++)
            put(g, " + %c * %d", "ijk"[a], 1 + pick(g, 9));
        put(g, ") %% %d);", 5 + pick(g, 18));
    }
    put(g, " }\n    }\n");
}

void
put_block_ranges_shape(Gen *g)
{
    Edges e;
    put_edges_fields(g, &e);
    open_kernel(g);
    const bool counts = chance(g, 15);
    put(g, "    i64 s = 0;\n    %s %s = %d;\n    %s[] = %d;\n", ONE_OF(g, "let", "i32", "i64"),
        e.local, e.set, e.cell, e.set);
    put(g,
        "    let least = i64(%s[]) + (i64.min - %d);\n    let most = i64.max - i64(%s[] - %d);\n",
        e.cell, e.set, e.cell, e.set);
    put_edges_filled(g, &e);
    for (int n = 1 + pick(g, 3); n > 0; n--) {
        put_edges_loop(g, &e, chance(g, 65));
        put_edges_body(g, &e, counts && n == 1);
    }
    put(g, "    for ");
    put_edges_names(g, &e);
    put(g, " in %s { s += hash_%s(%s[", e.to, scalar_name(e.scalar), e.to);
    put_edges_names(g, &e);
    put(g, "]) * (1 + 3 * i%s%s); }\n    return s;\n}\n", e.axes > 1 ? " + 11 * j" : "",
        e.axes > 2 ? " + 101 * k" : "");
}
