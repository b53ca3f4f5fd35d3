/* shapes_inner.c - kernels over all elements but those at the ends of fields, whose extents are
 * known at run time, or when they are compiled. Axes that are gone through whole are closed to
 * rings by the remainder of the index. There may be no element at all. */
#include <stdio.h>

#include "shapes.h"

/* Three fields of the same extents, which params give. */
typedef struct {
    char from[NAME_MAX_], to[NAME_MAX_], weight[NAME_MAX_], size[2][NAME_MAX_];
    Scalar scalar;
    int axes, reach;
    bool ring[2];       /* the index is taken modulo the extent */
} Inner;

static void
put_inner_layout(Gen *g, const Inner *r, const char *fields, const char *more, const int *size)
{
    g->shaping = true;
    bool fixed = chance(g, 25), swapped = chance(g, 30) && r->axes == 2, packed = chance(g, 30);
    g->shaping = false;
    put(g, "%slayout { %s %s[", packed ? "@packed " : "",
        ANY_OF(g, "dense", "dense", "dense", "pointer", "bitmasked"),
        swapped        ? "ji"
        : r->axes == 2 ? "ij"
                       : "i");
    for (int n = 0; n < r->axes; n++) {
        int a = swapped ? 1 - n : n;
        put(g, n ? ", " : "");
        if (fixed)
            put(g, "%d", size[a]);
        else
            put(g, "%s", r->size[a]);
    }
    put(g, "] { place %s%s%s; } }\n", fields, more ? ", " : "", more ? more : "");
}

static void
put_inner_fields(Gen *g, Inner *r)
{
    static const Scalar scalars[] = {S_F32, S_F32, S_I32, S_F64, S_I64, S_U8};
    static const int sizes[] = {1, 2, 3, 4, 5, 8, 16, 17, 24, 31, 33, 40};
    const int size[2] = {sizes[pick(g, 12)], sizes[pick(g, 12)]};
    *r = (Inner){.scalar = scalars[pick(g, g->strict ? 5 : 6)],
                 .axes = 1 + chance(g, 60),
                 .reach = 1 + pick(g, 2)};
    new_name(g, r->from, "x");
    new_name(g, r->to, "x");
    new_name(g, r->weight, "x");
    for (int a = 0; a < r->axes; a++) {
        char value[12];
        new_name(g, r->size[a], "P");
        snprintf(value, sizeof value, "%d", size[a]);
        put(g, "param i32 %s = ", r->size[a]);
        put_given(g, r->size[a], true, value, "6");
        put(g, ";\n");
        r->ring[a] = chance(g, 35);
    }
    put(g, "field %s %s, %s, %s;\n", scalar_name(r->scalar), r->from, r->to, r->weight);
    g->shaping = true;
    int together = pick(g, 3);
    g->shaping = false;
    put_inner_layout(g, r, r->from, together == 1 ? r->to : NULL, size);
    if (together != 1)
        put_inner_layout(g, r, r->to, together == 2 ? r->weight : NULL, size);
    if (together != 2)
        put_inner_layout(g, r, r->weight, NULL, size);
}

/* The extent of an axis, in one of the ways to say it. */
static void
put_inner_extent(Gen *g, const Inner *r, int axis)
{
    switch (pick(g, 4)) {
    case 0: put(g, "extent(%s, %d)", r->from, axis); break;
    case 1: put(g, "extent(%s, %d)", r->to, axis); break;
    case 2: put(g, "n%d", axis); break;
    default: put(g, "%s", r->size[axis]); break;
    }
}

/* An index at a distance: the loop leaves out what would be beyond the ends, or it is a ring. */
static void
put_inner_index(Gen *g, const Inner *r, int axis, int by)
{
    char name = "ij"[axis];
    if (!by) {
        put(g, "%c", name);
    } else if (!r->ring[axis]) {
        put(g, "%c %c %d", name, by < 0 ? '-' : '+', by < 0 ? -by : by);
    } else if (by > 0 && chance(g, 50)) {
        put(g, "(%c + %d) %% ", name, by);
        put_inner_extent(g, r, axis);
    } else if (by < 0 && chance(g, 30)) {
        /* of an extent of 1, two before it is below zero */
        put(g, "(%c + 2 * ", name);
        put_inner_extent(g, r, axis);
        put(g, " - %d) %% ", -by);
        put_inner_extent(g, r, axis);
    } else {
        put(g, "floormod(%c %c %d, ", name, by < 0 ? '-' : '+', by < 0 ? -by : by);
        put_inner_extent(g, r, axis);
        put(g, ")");
    }
}

static void
put_inner_element(Gen *g, const Inner *r, const char *field, bool away)
{
    put(g, "%s[", field);
    for (int a = 0; a < r->axes; a++) {
        put(g, a ? ", " : "");
        put_inner_index(g, r, a, away ? pick(g, 2 * r->reach + 1) - r->reach : 0);
    }
    put(g, "]");
}

/* "for i, j in 1..n0 - 1, 0..n1" */
static void
put_inner_ranges(Gen *g, const Inner *r)
{
    put(g, "    %sfor %s in ", chance(g, 10) ? "@serial " : "", r->axes == 1 ? "i" : "i, j");
    for (int a = 0; a < r->axes; a++) {
        put(g, a ? ", %d.." : "%d..", r->ring[a] ? 0 : r->reach);
        put_inner_extent(g, r, a);
        if (!r->ring[a])
            put(g, " - %d", r->reach);
    }
}

/* Elements of `to` become sums of those around them in `from`. */
static void
put_inner_loop(Gen *g, const Inner *r, const char *from, const char *to)
{
    put_inner_ranges(g, r);
    put(g, " { ");
    put_inner_element(g, r, to, false);
    put(g, " %s ", ONE_OF(g, "=", "=", "+=", "-="));
    for (int n = 0, count = 2 + pick(g, 4); n < count; n++) {
        put(g, n ? ONE_OF(g, " + ", " - ") : "");
        put_inner_element(g, r, chance(g, 80) ? from : r->weight, true);
        put(g, "%s", ONE_OF(g, "", "", " * 2", " * 3"));
    }
    put(g, "; }\n");
}

/* All elements are set. */
static void
put_inner_filled(Gen *g, const Inner *r)
{
    const char *names = r->axes == 1 ? "i" : "i, j", *type = scalar_name(r->scalar),
               *fields[] = {r->from, r->to, r->weight};
    put(g, r->axes == 1 ? "    for i in 0..n0 {" : "    for i, j in 0..n0, 0..n1 {");
    for (int k = 0; k < 3; k++)
        put(g, " %s[%s] = %s((i * %d%s) %% %d);", fields[k], names, type, 1 + pick(g, 9),
            r->axes == 1 ? "" : " + j", 5 + pick(g, 18));
    put(g, " }\n");
}

void
put_inner_shape(Gen *g)
{
    Inner r;
    put_inner_fields(g, &r);
    const char *names = r.axes == 1 ? "i" : "i, j", *type = scalar_name(r.scalar),
               *place = r.axes == 1 ? "i * 7" : "i * 101 + j";
    open_kernel(g);
    for (int a = 0; a < r.axes; a++)
        put(g, "    %s n%d = extent(%s, %d);\n", ONE_OF(g, "let", "i32", "var"), a, r.weight, a);
    put_inner_filled(g, &r);
    for (int n = 1 + pick(g, 3); n > 0; n--)
        put_inner_loop(g, &r, n % 2 ? r.from : r.to, n % 2 ? r.to : r.from);
    put(g, "    i64 s = 0;\n    for %s in %s { s += hash_%s(%s[%s]) * (1 + %s); }\n", names, r.to,
        type, r.to, names, place);
    put(g, "    for %s in %s { s += hash_%s(%s[%s]) * (3 + %s); }\n    return s;\n}\n", names,
        r.from, type, r.from, names, place);
}
