/* shapes_rims.c - kernels that look around each element, whose fields have extents that are known
 * at run time, or when they are compiled: what lies beyond the ends is given by the field, held
 * back by the program, or left out. */
#include <stdio.h>

#include "shapes.h"

enum { RIM_BLOCK = 4 };

/* Two fields of the same extents: `near` has a boundary, `plain` has none and a layout of its own.
 * Params count their blocks. */
typedef struct {
    char near[NAME_MAX_], plain[NAME_MAX_], to[NAME_MAX_], blocks[2][NAME_MAX_];
    Scalar scalar;
} Rims;

/* Blocks in blocks, also with one cell along an axis, or without it. */
static void
put_rims_layout(Gen *g, const Rims *r, const char *fields, const int *blocks)
{
    static const char *const narrow[][2] = {{"ij[1, 4]", "j[4]"}, {"ij[4, 1]", "i[4]"}};
    g->shaping = true;
    const bool fixed = chance(g, 30), nested = chance(g, 50), whole = chance(g, 60);
    const int one = pick(g, 2), form = pick(g, 2);
    g->shaping = false;
    put(g, "layout { %s ij[", ANY_OF(g, "dense", "dense", "dense", "pointer", "bitmasked"));
    for (int a = 0; a < 2; a++) {
        const bool in_blocks = nested && (whole || a != one);
        if (fixed)
            put(g, "%s%d", a ? ", " : "", in_blocks ? blocks[a] : blocks[a] * RIM_BLOCK);
        else
            put(g, in_blocks ? "%s%s" : "%s%s * 4", a ? ", " : "", r->blocks[a]);
    }
    if (nested)
        put(g, "] { %s %s { place %s; } } }\n", ANY_OF(g, "dense", "dense", "bitmasked"),
            whole ? "ij[4, 4]" : narrow[one][form], fields);
    else
        put(g, "] { place %s; } }\n", fields);
}

static void
put_rims_fields(Gen *g, Rims *r)
{
    static const Scalar scalars[] = {S_F32, S_F32, S_I32, S_F64, S_I64};
    const int blocks[2] = {1 + pick(g, 9), 1 + pick(g, 12)};
    *r = (Rims){.scalar = scalars[pick(g, 5)]};
    new_name(g, r->near, "x");
    new_name(g, r->plain, "x");
    new_name(g, r->to, "x");
    for (int a = 0; a < 2; a++) {
        new_name(g, r->blocks[a], "P");
        char value[12];
        snprintf(value, sizeof value, "%d", blocks[a]);
        put(g, "param i32 %s = ", r->blocks[a]);
        put_given(g, r->blocks[a], true, value, "2");
        put(g, ";\n");
    }
    const char *type = scalar_name(r->scalar);
    put(g, "@boundary(%s) field %s %s;\nfield %s %s, %s;\n",
        ONE_OF(g, "clamp", "periodic", "mirror", "ambient"), type, r->near, type, r->plain, r->to);
    put_rims_layout(g, r, r->near, blocks);
    put_rims_layout(g, r, r->plain, blocks);
    put_rims_layout(g, r, r->to, blocks);
}

/* The extent of an axis, in one of the ways to say it. */
static void
put_rims_extent(Gen *g, const Rims *r, int axis)
{
    switch (pick(g, 4)) {
    case 0: put(g, "extent(%s, %d)", r->near, axis); break;
    case 1: put(g, "extent(%s, %d)", r->plain, axis); break;
    case 2: put(g, "extent(%s, %d)", r->to, axis); break;
    default: put(g, "%s * 4", r->blocks[axis]); break;
    }
}

/* An index that is held between the ends, or ends that the kernel has variables for. */
static void
put_held_back(Gen *g, const Rims *r, int axis)
{
    char name = "ij"[axis];
    int by = 1 + pick(g, 3);
    char most[8];
    snprintf(most, sizeof most, "most_%c", name);
    switch (pick(g, 10)) {
    case 5: put(g, "(%c + %s - %d) %% %s", name, most, by, most); break;
    case 6: put(g, "min(max(%c - %d, 0), %s - 1)", name, by, most); break;
    case 7: put(g, "max(min(%c + %d, %s - 1), 0)", name, by, most); break;
    case 8:
        put(g, "(%d + %c + ", -by, name);
        put_rims_extent(g, r, axis);
        put(g, ") %% (");
        put_rims_extent(g, r, axis);
        put(g, ")");
        break;
    case 9: put(g, "floormod(%c - %d, long_%c)", name, by, name); break;
    case 0: put(g, "max(%c - %d, 0)", name, by); break;
    case 1:
        put(g, "min(%c + %d, ", name, by);
        put_rims_extent(g, r, axis);
        put(g, " - 1)");
        break;
    case 2:
        put(g, "floormod(%c - %d, ", name, by);
        put_rims_extent(g, r, axis);
        put(g, ")");
        break;
    case 3:
        put(g, "(%c + %d) %% ", name, by);
        put_rims_extent(g, r, axis);
        break;
    default: put(g, "%c", name); break;
    }
}

/* "for k in max(i - 2, 0)..min(i + 3, extent(x, 0)) { t += x[k, j]; }" */
static void
put_rims_window(Gen *g, const Rims *r)
{
    int axis = pick(g, 2);
    char name = "ij"[axis];
    put(g, "        for k in max(%c - %d, 0)..min(%c + %d, ", name, pick(g, 4), name,
        1 + pick(g, 4));
    put_rims_extent(g, r, axis);
    put(g, axis ? ") { t += %s[i, k]%s; }\n" : ") { t += %s[k, j]%s; }\n",
        chance(g, 50) ? r->near : r->plain, ONE_OF(g, "", " * 2", " - 1"));
}

/* All elements around that there are. */
static void
put_rims_around(Gen *g, const Rims *r)
{
    put(g, "        for k, l in -1..2, -1..2 { if (i + k >= 0 && i + k < ");
    put_rims_extent(g, r, 0);
    put(g, " && j + l >= 0 && j + l < ");
    put_rims_extent(g, r, 1);
    put(g, ") { t += %s[i + k, j + l]; } }\n", r->plain);
}

/* One element beside it, if there is one. */
static void
put_rims_beside(Gen *g, const Rims *r)
{
    const int by[2] = {pick(g, 5) - 2, pick(g, 5) - 2};
    put(g, "        if (");
    for (int a = 0; a < 2; a++) {
        put(g, "%s%c + %d >= 0 && %c + %d < ", a ? " && " : "", "ij"[a], by[a], "ij"[a], by[a]);
        put_rims_extent(g, r, a);
    }
    put(g, ") { t += %s[i + %d, j + %d]; }\n", r->plain, by[0], by[1]);
}

static void
put_rims_term(Gen *g, const Rims *r)
{
    static const char *const beyond[] = {"", "", " - 1", " + 1", " - 2", " + 2", " + 9"};
    switch (pick(g, 6)) {
    case 0: put_rims_window(g, r); break;
    case 1: put_rims_around(g, r); break;
    case 3: put_rims_beside(g, r); break;
    case 2:
        put(g, "        t %s %s[", ONE_OF(g, "+=", "-="), r->plain);
        put_held_back(g, r, 0);
        put(g, ", ");
        put_held_back(g, r, 1);
        put(g, "];\n");
        break;
    default:
        put(g, "        t %s %s[i%s, j%s];\n", ONE_OF(g, "+=", "-="), r->near, beyond[pick(g, 7)],
            beyond[pick(g, 7)]);
        break;
    }
}

static void
put_rims_ranges(Gen *g, const Rims *r)
{
    put(g, "0..");
    put_rims_extent(g, r, 0);
    put(g, ", 0..");
    put_rims_extent(g, r, 1);
}

void
put_rim_shape(Gen *g)
{
    Rims r;
    put_rims_fields(g, &r);
    const char *type = scalar_name(r.scalar);
    open_kernel(g);
    put(g, "    for i, j in ");
    put_rims_ranges(g, &r);
    put(g, " { %s[i, j] = %s((i * %d + j) %% 23); %s[i, j] = %s((i + j * %d) %% 19); }\n", r.near,
        type, 1 + pick(g, 9), r.plain, type, 1 + pick(g, 9));
    put(g, "    i32 none = 0;\n    for i in 0..2 { atomic_max(none, i - 1); }\n");
    put(g, "    let zero = none;\n");
    for (int axis = 0; axis < 2; axis++) {
        /* the extent, or less */
        const int less = chance(g, 70) ? 0 : 1;
        put(g, "    i32 most_%c = ", "ij"[axis]);
        put_rims_extent(g, &r, axis);
        put(g, chance(g, 40) ? " - zero" : "");
        put(g, " - %d;\n    let long_%c = i64(%s * 4 - %d);\n", less, "ij"[axis], r.blocks[axis],
            pick(g, 10) ? less : 1);
    }
    put(g, "    for i, j in ");
    if (chance(g, 50))
        put(g, "%s", chance(g, 50) ? r.near : r.plain);
    else
        put_rims_ranges(g, &r);
    put(g, " {\n        %s t = 0;\n", type);
    for (int n = 1 + pick(g, 5); n > 0; n--)
        put_rims_term(g, &r);
    put(g,
        "        %s[i, j] = t;\n    }\n    i64 s = 0;\n    for i, j in %s { s += hash_%s(%s[i, j]) "
        "* (1 + i * 101 + j); }\n    return s;\n}\n",
        r.to, r.to, type, r.to);
}

/* ---- conditions of the index ---- */

/* "P * 4 - 3", "e / 2", "7": about an end of a loop, or somewhere else. */
static void
put_near_end(Gen *g, const Rims *r, int axis)
{
    switch (pick(g, 6)) {
    case 0: put(g, "%d", pick(g, 12)); break;
    case 1: put(g, "e %c %d", "+-"[pick(g, 2)], pick(g, 6)); break;
    case 2: put(g, "h"); break;
    case 3: put(g, "e / %d", 1 + pick(g, 3)); break;
    default:
        put(g, "(");
        put_rims_extent(g, r, axis);
        put(g, " %c %d)", "+-"[pick(g, 2)], pick(g, 7));
        break;
    }
}

/* A condition of 64 bits, of numbers that may be far from the loop, so that sums with them wrap. */
static void
put_wide_cut(Gen *g, char name)
{
    static const char *const ends[] = {"far",          "-far",    "i64(e)",
                                       "far - i64(h)", "i64.max", "i64.min"};
    put(g, "%s * i64(%c) %c %s ", ONE_OF(g, "1", "2", "-1"), name, "+-"[pick(g, 2)],
        ends[pick(g, 6)]);
    put(g, "%s %s", ONE_OF(g, "<", "<=", ">", ">=", "==", "!="), ends[pick(g, 6)]);
}

/* "2 * j - 3 < P * 4", and several of these. */
static void
put_cut(Gen *g, const Rims *r, int depth)
{
    static const char *const compare[] = {"<", "<=", ">", ">=", "==", "!="};
    int axis = chance(g, 70);
    char name = "ij"[axis];
    switch (depth > 0 ? pick(g, 9) : 3 + pick(g, 6)) {
    case 8: put_wide_cut(g, name); break;
    case 0:
    case 1:
        put(g, "(");
        put_cut(g, r, depth - 1);
        put(g, " %s ", ONE_OF(g, "&&", "||"));
        put_cut(g, r, depth - 1);
        put(g, ")");
        break;
    case 2:
        put(g, "!(");
        put_cut(g, r, depth - 1);
        put(g, ")");
        break;
    case 3:
        put(g, "abs(%c - ", name);
        put_near_end(g, r, axis);
        put(g, ") %s %d", compare[pick(g, 4)], pick(g, 5));
        break;
    case 4:
        put(g, "%c + %d %s ", name, 2147483600 + pick(g, 40), compare[pick(g, 4)]); /* wraps */
        put_near_end(g, r, axis);
        break;
    case 5:
        put_near_end(g, r, axis);
        put(g, " - %c %s %d", name, compare[pick(g, 6)], pick(g, 4));
        break;
    default:
        put(g, "%s%c %c %d %s ", ONE_OF(g, "", "", "2 * ", "-", "3 * "), name, "+-"[pick(g, 2)],
            pick(g, 5), compare[pick(g, 6)]);
        put_near_end(g, r, axis);
        break;
    }
}

static void
put_cut_statement(Gen *g, const Rims *r)
{
    static const char *const ends[] = {"j", "j + 2",         "2 * j",         "e - j",
                                       "h", "min(j + 3, e)", "max(j - 2, 0)", "clamp(j, 2, h)"};
    put(g, "        ");
    switch (pick(g, 5)) {
    case 0:
        put(g, "if (");
        put_cut(g, r, 1);
        put(g, ") { continue; }\n");
        break;
    case 1:
        put(g, "for k in %s..%s { t += %s(k * 3 + j) - %d; }\n", ends[pick(g, 8)], ends[pick(g, 8)],
            scalar_name(r->scalar), pick(g, 9));
        break;
    case 2:
        put(g, "t += ");
        put_cut(g, r, 1);
        put(g, " ? %s[i, j] : %d;\n", r->plain, pick(g, 9));
        break;
    default:
        put(g, "if (");
        put_cut(g, r, 2);
        put(g, ") { t += %s[i, j - %d]; } else { t -= %d; }\n", r->near, pick(g, 3), pick(g, 5));
        break;
    }
}

void
put_cut_shape(Gen *g)
{
    Rims r;
    put_rims_fields(g, &r);
    const char *type = scalar_name(r.scalar);
    open_kernel(g);
    put(g, "    i32 e = %s * 4 - %d;\n    let h = extent(%s, 1) / 2 + %d;\n    for i, j in ",
        r.blocks[1], pick(g, 5), r.plain, pick(g, 4));
    put_rims_ranges(g, &r);
    put(g,
        " { %s[i, j] = %s((i * %d + j) %% 23); %s[i, j] = %s((i + j * %d) %% 19); %s[i, j] = 1; "
        "}\n",
        r.near, type, 1 + pick(g, 9), r.plain, type, 1 + pick(g, 9), r.to);
    put(g, "    i64 far = i64(h) * %s;\n    for i, j in ",
        ONE_OF(g, "1", "1", "1000000007", "5000000000", "1152921504606846976"));
    if (chance(g, 40))
        put(g, "%s", r.plain);
    else if (chance(g, 30))
        put(g, "0..%s * 4, %di64..i64(e)", r.blocks[0], pick(g, 3));
    else if (chance(g, 50))
        put_rims_ranges(g, &r);
    else
        put(g, "0..%s * 4, %d..e", r.blocks[0], pick(g, 3));
    put(g, " {\n        %s t = 0;\n", type);
    for (int n = 1 + pick(g, 4); n > 0; n--)
        put_cut_statement(g, &r);
    put(g,
        "        %s[i, j] += t;\n    }\n    i64 s = 0;\n    for i, j in %s { s += hash_%s(%s[i, "
        "j]) * (1 + i * 101 + j); }\n    return s;\n}\n",
        r.to, r.to, type, r.to);
}
