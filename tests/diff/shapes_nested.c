/* shapes_nested.c - kernels that look around each element of trees of up to four levels, in which
 * an axis may have any share of its extent at each level, or be missing there. */
#include <stdio.h>

#include "shapes.h"

enum { AXES_MOST = 3, LEVELS_MOST = 4 };

/* Three fields of the same extents, each with a layout of its own: `near` has a boundary. */
typedef struct {
    char near[NAME_MAX_], plain[NAME_MAX_], to[NAME_MAX_];
    int axes, extent[AXES_MOST];
    Scalar scalar;
} Nested;

/* ---- layouts ---- */

/* Cells along each axis at each level; 0: the level lacks the axis. */
typedef int Shares[LEVELS_MOST][AXES_MOST];

/* Spreads an extent over the levels, down to a random one. */
static void
share_out(Gen *g, int extent, int levels, int axis, Shares shares)
{
    const int lowest = pick(g, levels);
    for (int l = 0; l < levels; l++) {
        int share = l == lowest ? extent : 1;
        while (l < lowest && (share = 1 + pick(g, extent), extent % share != 0))
            ;
        extent /= share;
        shares[l][axis] = share == 1 && l != lowest && chance(g, 50) ? 0 : share;
    }
}

/* "ij[4, 1]", with the axes in any order. */
static void
put_shares(Gen *g, const int *share, int axes)
{
    int order[AXES_MOST] = {0, 1, 2}, count = 0;
    for (int a = axes - 1; a > 0; a--) {
        const int b = pick(g, a + 1), t = order[a];
        order[a] = order[b];
        order[b] = t;
    }
    for (int a = 0; a < axes; a++)
        if (share[order[a]])
            put(g, "%c", "ijk"[order[a]]);
    for (int a = 0; a < axes; a++)
        if (share[order[a]])
            put(g, "%s%d", count++ ? ", " : "[", share[order[a]]);
    put(g, "]");
}

static bool
has_axes(const int *share, int axes)
{
    bool any = false;
    for (int a = 0; a < axes; a++)
        any = any || share[a];
    return any;
}

static void
put_nested_layout(Gen *g, const Nested *n, const char *field)
{
    Shares shares;
    int opened = 0;
    g->shaping = true;
    const int levels = 1 + pick(g, LEVELS_MOST);
    for (int a = 0; a < n->axes; a++)
        share_out(g, n->extent[a], levels, a, shares);
    put(g, chance(g, 50) ? "@packed layout {" : "layout {");
    for (int l = 0; l < levels; l++) {
        if (!has_axes(shares[l], n->axes))
            continue;
        put(g, " %s ",
            l + 1 < levels ? ONE_OF(g, "pointer", "pointer", "hash", "bitmasked", "dense")
                           : ONE_OF(g, "dense", "dense", "bitmasked", "bitmasked", "pointer"));
        put_shares(g, shares[l], n->axes);
        put(g, " {");
        opened++;
    }
    put(g, " place %s;", field);
    while (opened-- > 0)
        put(g, " }");
    put(g, " }\n");
    g->shaping = false;
}

static void
put_nested_fields(Gen *g, Nested *n)
{
    static const Scalar scalars[] = {S_F32, S_F32, S_I32, S_F64, S_I64, S_I16};
    static const int extents[2][6] = {{6, 8, 12, 16, 24, 40}, {2, 4, 4, 6, 8, 12}};
    *n = (Nested){.axes = 2 + chance(g, 40), .scalar = scalars[pick(g, 6)]};
    for (int a = 0; a < n->axes; a++)
        n->extent[a] = extents[n->axes == 3][pick(g, 6)];
    new_name(g, n->near, "x");
    new_name(g, n->plain, "x");
    new_name(g, n->to, "x");
    const char *type = scalar_name(n->scalar);
    put(g, "@boundary(%s) field %s %s;\nfield %s %s, %s;\n",
        ONE_OF(g, "clamp", "periodic", "mirror", "ambient"), type, n->near, type, n->plain, n->to);
    put_nested_layout(g, n, n->near);
    put_nested_layout(g, n, n->plain);
    put_nested_layout(g, n, n->to);
}

/* ---- kernels ---- */

static const char *
names_of(const Nested *n)
{
    return n->axes == 3 ? "i, j, k" : "i, j";
}

static void
put_nested_ranges(Gen *g, const Nested *n)
{
    put(g, "for %s in ", names_of(n));
    for (int a = 0; a < n->axes; a++)
        put(g, "%s0..%d", a ? ", " : "", n->extent[a]);
}

/* How an index is kept between the ends. */
typedef enum { AS_IT_IS, HELD_BACK, AROUND } Keep;

/* "i + 1, j, clamp(k - 2, 0, 7)". */
static void
put_beside(Gen *g, const Nested *n, const int *by, Keep keep)
{
    for (int a = 0; a < n->axes; a++) {
        put(g, "%s", a ? ", " : "");
        if (!by[a])
            put(g, "%c", "ijk"[a]);
        else if (keep == HELD_BACK)
            put(g, "clamp(%c + %d, 0, %d)", "ijk"[a], by[a], n->extent[a] - 1);
        else if (keep == AROUND)
            put(g, "floormod(%c + %d, %d)", "ijk"[a], by[a], n->extent[a]);
        else
            put(g, "%c %c %d", "ijk"[a], by[a] < 0 ? '-' : '+', by[a] < 0 ? -by[a] : by[a]);
    }
}

/* "i >= 1 && j < 7": the element at that distance is there. */
static void
put_is_there(Gen *g, const Nested *n, const int *by)
{
    bool any = false;
    for (int a = 0; a < n->axes; a++) {
        if (!by[a])
            continue;
        put(g, "%s%c ", any ? " && " : "", "ijk"[a]);
        if (by[a] < 0)
            put(g, ">= %d", -by[a]);
        else
            put(g, "< %d", n->extent[a] - by[a]);
        any = true;
    }
    put(g, any ? "" : "true");
}

static void
put_distances(Gen *g, const Nested *n, int *by)
{
    const int reach = 1 + pick(g, 2);
    for (int a = 0; a < n->axes; a++)
        by[a] = chance(g, 60) ? pick(g, 2 * reach + 1) - reach : 0;
}

/* One element around the loop's own, of either field. */
static void
put_nested_term(Gen *g, const Nested *n)
{
    const char *const type = scalar_name(n->scalar), *const op = ONE_OF(g, "+=", "-=");
    int by[AXES_MOST];
    put_distances(g, n, by);
    switch (pick(g, 5)) {
    case 0:
        put(g, "        if (");
        put_is_there(g, n, by);
        put(g, ") { t %s %s[", op, n->plain);
        put_beside(g, n, by, AS_IT_IS);
        put(g, "]; }\n");
        return;
    case 1:
        put(g, "        t %s ", op);
        put_is_there(g, n, by);
        put(g, " ? %s[", n->plain);
        put_beside(g, n, by, AS_IT_IS);
        put(g, "] : %s(%d);\n", type, pick(g, 5));
        return;
    case 2:
        put(g, "        t %s %s[", op, n->plain);
        put_beside(g, n, by, chance(g, 50) ? HELD_BACK : AROUND);
        put(g, "];\n");
        return;
    default:
        put(g, "        t %s %s[", op, n->near);
        put_beside(g, n, by, AS_IT_IS);
        put(g, "];\n");
    }
}

/* Sets the loop's own element, or adds to one beside it. */
static void
put_nested_result(Gen *g, const Nested *n)
{
    int by[AXES_MOST];
    if (chance(g, 60)) {
        put(g, "        %s[%s] = t;\n", n->to, names_of(n));
        return;
    }
    put_distances(g, n, by);
    put(g, "        if (");
    put_is_there(g, n, by);
    put(g, ") { %s[", n->to);
    put_beside(g, n, by, AS_IT_IS);
    put(g, "] += t; }\n");
}

void
put_nested_shape(Gen *g)
{
    static const char *const weighed[] = {"1 + i * 101 + j", "1 + i * 101 + j * 7 + k"};
    Nested n;
    put_nested_fields(g, &n);
    const char *type = scalar_name(n.scalar), *names = names_of(&n);
    open_kernel(g);
    put(g, "    ");
    put_nested_ranges(g, &n);
    put(g, " {\n        let n = %s;\n", weighed[n.axes == 3]);
    put(g, "        %s[%s] = %s(n * %d %% 23);\n        %s[%s] = %s(n * %d %% 19);\n", n.near,
        names, type, 1 + pick(g, 9), n.plain, names, type, 1 + pick(g, 9));
    put(g, "        %s[%s] = 0;\n    }\n    ", n.to, names);
    switch (pick(g, 3)) {
    case 0: put_nested_ranges(g, &n); break;
    default: put(g, "for %s in %s", names, ONE_OF(g, n.near, n.plain, n.to)); break;
    }
    put(g, " {\n        %s t = 0;\n", type);
    for (int terms = 1 + pick(g, 6); terms > 0; terms--)
        put_nested_term(g, &n);
    put_nested_result(g, &n);
    put(g,
        "    }\n    i64 s = 0;\n    for %s in %s { s += hash_%s(%s[%s]) * (%s); }\n    return "
        "s;\n}\n",
        names, n.to, type, n.to, names, weighed[n.axes == 3]);
}
