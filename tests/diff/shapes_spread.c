/* shapes_spread.c - kernels that add to what lies around each cell, and read what lies around: in
 * one array, which the lanes of a GPU go through in boxes, and in blocks, some of which become
 * active so. */
#include <stdio.h>

#include "shapes.h"

/* Fields along the same axes: numbers are read from one, and added to the others. */
typedef struct {
    char from[NAME_MAX_], to[NAME_MAX_], more[NAME_MAX_], label[NAME_MAX_], other[NAME_MAX_];
    Scalar scalar;
    int rows;                                       /* components of `to`; 1: it is a scalar */
    int axes, block[3], count[3], outer[3], low[3]; /* count: blocks along an axis, in so many
                                                     * outer cells */
    bool moved, given; /* there is an @offset; outer sizes are params, of these names */
    char size[3][NAME_MAX_];
    bool blocks, sparse, apart; /* apart: `to` has a tree of its own */
    bool bounded;               /* `from` may be read beyond its ends */
    bool inner;                 /* no block at an end of the field is active before the loop */
    const char *kind;           /* of the node of the blocks */
} Spread;

static int
size_along(const Spread *s, int a)
{
    return s->block[a] * s->count[a];
}

/* "i, j" or "ij" */
static void
put_axes(Gen *g, const Spread *s, const char *between)
{
    for (int a = 0; a < s->axes; a++)
        put(g, "%s%c", a ? between : "", "ijk"[a]);
}

/* ---- fields ---- */

static void
choose_sizes(Gen *g, Spread *s)
{
    static const int line[] = {7, 64, 700, 1023, 1024, 1025, 1500}, rows[] = {5, 15, 16, 17, 33},
                     columns[] = {9, 63, 64, 65, 70}, layers[] = {3, 4, 5, 9}, beds[] = {5, 8, 11},
                     cells[] = {7, 32, 33}, blocks[] = {2, 3, 4, 5, 8};
    for (int a = 0; a < s->axes; a++) {
        s->count[a] = s->outer[a] = 1;
        if (s->blocks) {
            s->block[a] = s->axes == 1 ? 4 << pick(g, 5) : blocks[pick(g, s->axes == 2 ? 5 : 3)];
            s->outer[a] = s->inner ? 3 : 1 + pick(g, 3);
            s->count[a] = s->outer[a] * (1 + pick(g, 2));
        } else if (s->axes == 1) {
            s->block[a] = line[pick(g, 7)];
        } else if (s->axes == 2) {
            s->block[a] = a ? columns[pick(g, 5)] : rows[pick(g, 5)];
        } else {
            s->block[a] = a == 0   ? layers[pick(g, 4)]
                          : a == 1 ? beds[pick(g, 3)]
                                   : cells[pick(g, 3)];
        }
        s->low[a] = 0;
    }
    s->moved = chance(g, 30);
    if (s->moved)
        for (int a = 0; a < s->axes; a++)
            s->low[a] = (pick(g, 7) - 3) * (s->blocks ? s->block[a] : 1);
}

/* Params for the sizes of the outermost node. */
static void
put_params(Gen *g, Spread *s)
{
    for (int a = 0; a < s->axes; a++) {
        char value[12];
        new_name(g, s->size[a], "P");
        snprintf(value, sizeof value, "%d", s->blocks ? s->outer[a] : s->block[a]);
        put(g, "param i32 %s = ", s->size[a]);
        put_given(g, s->size[a], true, value, "2");
        put(g, ";\n");
    }
}

/* The axes of a node in the order of storage, and its sizes, or how many there are for each of
 * `by`. */
static void
put_sizes(Gen *g, const Spread *s, const int *size, const int *by, bool outermost)
{
    g->shaping = true;
    const int turn = chance(g, 60) ? 0 : pick(g, s->axes);
    g->shaping = false;
    for (int n = 0; n < s->axes; n++)
        put(g, "%c", "ijk"[(n + turn) % s->axes]);
    for (int n = 0; n < s->axes; n++) {
        const int a = (n + turn) % s->axes;
        put(g, n ? ", " : "[");
        if (outermost && s->given && s->blocks && size != s->outer)
            put(g, "%s * %d", s->size[a], size[a] / s->outer[a]);
        else if (outermost && s->given)
            put(g, "%s", s->size[a]);
        else
            put(g, "%d", by ? size[a] / by[a] : size[a]);
    }
    put(g, "]");
}

static void
put_offset(Gen *g, const Spread *s)
{
    for (int a = 0; a < s->axes && s->moved; a++)
        put(g, "%s%d%s", a ? ", " : " @offset(", s->low[a], a + 1 < s->axes ? "" : ")");
}

/* A tree with one set of fields, or two beside each other. */
static void
put_tree(Gen *g, const Spread *s, const char *label, const char *fields, const char *others)
{
    g->shaping = true;
    const bool packed = chance(g, 50), deep = s->blocks && chance(g, 40);
    g->shaping = false;
    put(g, "%slayout {", packed ? "@packed " : "");
    if (s->blocks)
        put_offset(g, s);
    if (deep) {
        put(g, " %s ", s->sparse ? ANY_OF(g, "dense", "pointer", "hash", "bitmasked") : "dense");
        put_sizes(g, s, s->outer, NULL, true);
        put(g, " {");
    }
    if (s->blocks) {
        put(g, " %s: %s ", label, s->kind);
        put_sizes(g, s, s->count, deep ? s->outer : NULL, !deep);
        put(g, " {");
    }
    for (int part = 0; part < (others ? 2 : 1); part++) {
        if (!s->blocks)
            put_offset(g, s);
        put(g, " dense ");
        put_sizes(g, s, s->block, NULL, !s->blocks);
        put(g, " { place %s; }", part ? others : fields);
    }
    put(g, "%s%s }\n", s->blocks ? " }" : "", deep ? " }" : "");
}

static void
put_spread_fields(Gen *g, Spread *s)
{
    static const Scalar scalars[] = {S_F32, S_F32, S_F64, S_I32, S_I64, S_U32,
                                     S_U64, S_F32, S_I32, S_I16, S_U8};
    *s = (Spread){.scalar = scalars[pick(g, g->strict ? 9 : 11)],
                  .rows = chance(g, 70) ? 1 : 2 + pick(g, 3),
                  .axes = chance(g, 50) ? 2 : 1 + pick(g, 3),
                  .blocks = chance(g, 55),
                  .apart = chance(g, 25),
                  .bounded = chance(g, 50),
                  .given = chance(g, 15)};
    s->kind = ONE_OF(g, "pointer", "pointer", "hash", "bitmasked", "dense");
    s->sparse = s->blocks && s->kind[1] != 'e';
    s->inner = s->sparse && chance(g, 40);
    choose_sizes(g, s);
    if (s->given)
        put_params(g, s);
    new_name(g, s->from, "x");
    new_name(g, s->to, "x");
    new_name(g, s->more, "x");
    new_name(g, s->label, "node");
    new_name(g, s->other, "node");
    const char *type = scalar_name(s->scalar);
    if (s->bounded)
        put(g, "@boundary(%s) ", ONE_OF(g, "clamp", "periodic", "mirror", "ambient"));
    if (chance(g, 20))
        put(g, "@ambient(%d) ", 1 + pick(g, 5));
    put(g, "field %s %s;\n", type, s->from);
    if (chance(g, 30))
        put(g, "@ambient(%d) ", 1 + pick(g, 5));
    put(g, "field %s", type);
    if (s->rows > 1)
        put(g, "x%d", s->rows);
    put(g, " %s;\nfield %s %s;\n", s->to, type, s->more);
    g->shaping = true;
    const int place = pick(g, 3);
    g->shaping = false;
    char fields[4 * NAME_MAX_];
    if (s->apart) {
        snprintf(fields, sizeof fields, "%s, %s", s->from, s->more);
        put_tree(g, s, s->label, fields, NULL);
        put_tree(g, s, s->other, s->to, NULL);
        return;
    }
    snprintf(fields, sizeof fields, place == 2 ? "%s, %s, %s" : "%s, %s",
             place == 1 ? s->to : s->from, s->more, s->to);
    put_tree(g, s, s->label, fields, place == 2 ? NULL : place == 1 ? s->from : s->to);
}

/* ---- loops ---- */

/* Nothing is left of what the kernel did before. */
static void
put_spread_cleared(Gen *g, const Spread *s)
{
    const char *const fields[] = {s->from, s->to, s->more};
    if (s->sparse) {
        put(g, "    deactivate_all(%s);\n", s->label);
        if (s->apart)
            put(g, "    deactivate_all(%s);\n", s->other);
        return;
    }
    for (int f = 0; f < 3; f++) {
        put(g, "    for I in %s { %s[I] = %s", fields[f], fields[f], scalar_name(s->scalar));
        if (f == 1 && s->rows > 1)
            put(g, "x%d", s->rows);
        put(g, "(0); }\n");
    }
}

/* All indices, of which those of some blocks have a number. */
static void
put_spread_filled(Gen *g, const Spread *s)
{
    const int left_out = chance(g, 5) ? 1 : 2 + pick(g, 4);
    put(g, "    for ");
    put_axes(g, s, ", ");
    put(g, " in ");
    for (int a = 0; a < s->axes; a++)
        put(g, "%s%d..%d", a ? ", " : "", s->low[a], s->low[a] + size_along(s, a));
    put(g, " { if ((");
    for (int a = 0; a < s->axes; a++)
        put(g, "%s(%c + %d) / %d", a ? " + " : "", "ijk"[a], -s->low[a],
            s->blocks ? s->block[a] : 3);
    put(g, ") %% %d != %d", left_out, left_out == 1 ? 0 : pick(g, left_out));
    for (int a = 0; a < s->axes && s->inner; a++)
        put(g, " && %c >= %d && %c < %d", "ijk"[a], s->low[a] + s->block[a], "ijk"[a],
            s->low[a] + size_along(s, a) - s->block[a]);
    put(g, ") { %s[", s->from);
    put_axes(g, s, ", ");
    put(g, "] = %s((", scalar_name(s->scalar));
    for (int a = 0; a < s->axes; a++)
        put(g, "%s(%c + %d) * %d", a ? " + " : "", "ijk"[a], -s->low[a], 1 + pick(g, 9));
    put(g, ") %% %d); } }\n", 3 + pick(g, 9));
}

/* "i - 1, j", with the offsets. */
static void
put_away(Gen *g, const Spread *s, const int *by)
{
    for (int a = 0; a < s->axes; a++) {
        put(g, "%s%c", a ? ", " : "", "ijk"[a]);
        if (by[a])
            put(g, " %c %d", by[a] < 0 ? '-' : '+', by[a] < 0 ? -by[a] : by[a]);
    }
}

/* Offsets, most of which are small; up to a whole block, and seldom one more where conditions keep
 * them inside. */
static void
choose_away(Gen *g, const Spread *s, int *by)
{
    for (int a = 0; a < s->axes; a++) {
        const int most = chance(g, 85) ? 1 : chance(g, 70) ? 2 : s->block[a] > 9 ? 9 : s->block[a];
        by[a] = chance(g, 45) ? 0 : pick(g, 2 * most + 1) - most;
        if (by[a] && !s->inner && chance(g, 3))
            by[a] += by[a] < 0 ? -1 : 1;
    }
}

/* "i > 0 && j + 1 < 20": are all elements between these offsets in the field? */
static void
put_inside(Gen *g, const Spread *s, const int *least, const int *most)
{
    bool some = false;
    for (int a = 0; a < s->axes; a++)
        for (int end = 0; end < 2; end++) {
            const int by = end ? most[a] : least[a], last = s->low[a] + size_along(s, a);
            if (end ? by <= 0 : by >= 0)
                continue;
            put(g, some ? " && " : "");
            if (end && chance(g, 50))
                put(g, "%c + %d < %d", "ijk"[a], by, last);
            else if (end)
                put(g, "%c < %d", "ijk"[a], last - by);
            else if (chance(g, 50))
                put(g, "%c >= %d", "ijk"[a], s->low[a] - by);
            else
                put(g, "%c > %d", "ijk"[a], s->low[a] - by - 1);
            some = true;
        }
    if (!some)
        put(g, "v == v");
}

/* A number of the cell, or of one beside it where that may be outside. */
static void
put_number(Gen *g, const Spread *s, const char *from)
{
    int by[3] = {0};
    if ((s->bounded || s->inner) && from == s->from && chance(g, 60))
        choose_away(g, s, by);
    put(g, "%s[", from);
    put_away(g, s, by);
    put(g, "]");
}

static void
put_addition(Gen *g, const Spread *s, const char *to, const int *by)
{
    const bool vector = s->rows > 1 && to == s->to, part = vector && chance(g, 15),
               call = !vector && chance(g, 5);
    const char *value = ONE_OF(g, "v", "v * 2", "3", "v + 1");
    put(g, call ? "atomic_add(%s[" : "%s[", to);
    put_away(g, s, by);
    put(g, "]%s%s", part ? ".y" : "", call ? ", " : ONE_OF(g, " += ", " += ", " -= "));
    if (vector && !part)
        put(g, "%sx%d(%s);", scalar_name(s->scalar), s->rows, value);
    else
        put(g, "%s%s;", value, call ? ")" : "");
}

/* Additions, in one condition that keeps all of them inside, or one each. */
static void
put_additions(Gen *g, const Spread *s, const char *to)
{
    int by[4][3] = {{0}}, least[3] = {0}, most[3] = {0};
    const int count = 1 + pick(g, 4);
    const bool whole = s->inner || chance(g, 50);
    for (int n = 0; n < count; n++) {
        choose_away(g, s, by[n]);
        for (int a = 0; a < s->axes; a++) {
            least[a] = by[n][a] < least[a] ? by[n][a] : least[a];
            most[a] = by[n][a] > most[a] ? by[n][a] : most[a];
        }
    }
    if (whole && !s->inner) {
        put(g, "        if (");
        put_inside(g, s, least, most);
        put(g, ") {\n");
    }
    for (int n = 0; n < count; n++) {
        put(g, "        ");
        const bool some = chance(g, 20);
        if (some)
            put(g, "if (%s) { ", ONE_OF(g, "v > 2", "i % 2 == 0", "v < 3", "v > 99"));
        if (!whole) {
            put(g, "if (");
            put_inside(g, s, by[n], by[n]);
            put(g, ") { ");
        }
        put_addition(g, s, to, by[n]);
        put(g, "%s%s\n", some ? " }" : "", whole ? "" : " }");
    }
    if (whole && !s->inner)
        put(g, "        }\n");
}

/* The loop may do more: count, change its own element of a third field, or add where constants do
 * not tell. */
static void
put_beside(Gen *g, const Spread *s, const char *to)
{
    const int none[3] = {0};
    const char *last = s->axes == 1 ? "i" : s->axes == 2 ? "j" : "k";
    if (chance(g, 30))
        put(g, "        n += %s;\n", ONE_OF(g, "1", "i", "2"));
    if (chance(g, 30)) {
        put(g, "        %s[", s->more);
        put_away(g, s, none);
        put(g, "] %s v;\n", ONE_OF(g, "=", "+="));
    }
    if (chance(g, 10)) {
        put(g, "        for q in 0..2 { if (%s + q < %d) { %s[", last,
            s->low[s->axes - 1] + size_along(s, s->axes - 1), to);
        for (int a = 0; a < s->axes; a++)
            put(g, "%s%c%s", a ? ", " : "", "ijk"[a], a + 1 == s->axes ? " + q" : "");
        put(g, s->rows > 1 && to == s->to ? "].x += v; } }\n" : "] += v; } }\n");
    }
}

static void
put_spread_loop(Gen *g, const Spread *s, const char *from, const char *to)
{
    put(g, "    ");
    if (chance(g, 25))
        put(g, "@block_dim(%d) ", 32 << pick(g, 4));
    if (chance(g, 50))
        put(g, "@block_local(%s) ", chance(g, 70) ? from : to);
    put(g, "for ");
    put_axes(g, s, ", ");
    put(g, " in %s {\n        let v = ", s->apart || chance(g, 50) ? from : s->more);
    for (int n = 0, count = 1 + pick(g, 3); n < count; n++) {
        put(g, n ? " + " : "");
        put_number(g, s, from);
        put(g, "%s%s", from == s->to && s->rows > 1 ? ".x" : "", chance(g, 20) ? " * 2" : "");
    }
    put(g, ";\n");
    if (chance(g, 50))
        put_beside(g, s, to);
    for (int n = 1 + chance(g, 30); n > 0; n--)
        put_additions(g, s, to);
    put(g, "    }\n");
}

/* Blocks leave, some or all. */
static void
put_fewer_blocks(Gen *g, const Spread *s)
{
    if (chance(g, 40)) {
        put(g, "    deactivate_all(%s);\n", s->label);
        return;
    }
    put(g, "    for ");
    put_axes(g, s, ", ");
    put(g, " in %s { if ((", s->label);
    put_axes(g, s, " + ");
    put(g, ") %% 3 == %d) { deactivate(%s[", pick(g, 3) - 1, s->label);
    put_axes(g, s, ", ");
    put(g, "]); } }\n");
}

static void
put_spread_sum(Gen *g, const Spread *s)
{
    const char *const fields[] = {s->from, s->to, s->more};
    for (int f = 0; f < 3; f++)
        for (int row = 0; row < (f == 1 ? s->rows : 1); row++) {
            put(g, "    for ");
            put_axes(g, s, ", ");
            put(g, " in %s { n += hash_%s(%s[", fields[f], scalar_name(s->scalar), fields[f]);
            put_axes(g, s, ", ");
            put(g, f == 1 && s->rows > 1 ? "][%d]" : "]%.0d", row);
            put(g, ") * (%d", 1 + 2 * f);
            for (int a = 0; a < s->axes; a++)
                put(g, " + %c * %d", "ijk"[a], a == 0 ? 3 : a == 1 ? 11 : 101);
            put(g, "); }\n");
        }
    if (s->sparse) {
        put(g, "    for ");
        put_axes(g, s, ", ");
        put(g, " in %s { n += 1000 * (7", s->label);
        for (int a = 0; a < s->axes; a++)
            put(g, " + %c * %d", "ijk"[a], 1 + 4 * a);
        put(g, "); }\n");
    }
    put(g, "    return n;\n}\n");
}

void
put_spread_shape(Gen *g)
{
    Spread s;
    put_spread_fields(g, &s);
    open_kernel(g);
    put(g, "    i64 n = 0;\n");
    put_spread_cleared(g, &s);
    put_spread_filled(g, &s);
    for (int loops = s.inner ? 1 : 1 + pick(g, 3); loops > 0; loops--) {
        const bool back = loops == 1 && !s.inner && chance(g, 40);
        put_spread_loop(g, &s, back && !s.apart ? s.to : s.from, back && !s.apart ? s.from : s.to);
        if (s.sparse && chance(g, 20))
            put_fewer_blocks(g, &s);
    }
    put_spread_sum(g, &s);
}
