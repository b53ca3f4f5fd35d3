/* shapes.c - kernels of the shapes that passes look for, which hardly come about by chance:
 * neighbours in blocks, masks by rows, lists and the lists beside them, additions and reads at
 * computed indices. Each has fields of its own, which it fills, works on and sums up; what it adds
 * up are integers, or floats that are small whole numbers. */
#include <stdio.h>
#include <stdlib.h>

#include "shapes.h"

void
open_kernel(Gen *g)
{
    Kernel *k = &g->kernel[g->kernels++];
    *k = (Kernel){ .has_result = true, .result = scalar_type(S_I64) };
    new_name(g, k->name, "shape");
    put(g, "kernel i64 %s() {\n", k->name);
}

const char *
one_of(Gen *g, const char *const *texts, int count)
{
    return texts[pick(g, count)];
}

const char *
any_of(Gen *g, const char *const *texts, int count)
{
    g->shaping = true;
    const char *text = texts[pick(g, count)];
    g->shaping = false;
    return text;
}

void
put_any_layout(Gen *g, const char *fields, int size)
{
    g->shaping = true;
    int inner = chance(g, 35) ? 1 : 1 << (1 + pick(g, 3));
    bool packed = chance(g, 30);
    g->shaping = false;
    put(g, "%slayout { %s i[%d] {", packed ? "@packed " : "",
        ANY_OF(g, "dense", "dense", "dense", "pointer", "hash", "bitmasked"), size / inner);
    if (inner > 1)
        put(g, " %s i[%d] {", ANY_OF(g, "dense", "dense", "bitmasked"), inner);
    put(g, " place %s; }%s }\n", fields, inner > 1 ? " }" : "");
}

static const char *const sparse_kinds[] = { "pointer", "pointer", "bitmasked", "hash" };
static const char *const top_kinds[] = { "dense", "dense", "pointer", "hash" };
static const char *const mask_kinds[] = {"bitmasked", "bitmasked", "bitmasked", "pointer", "hash"};

/* ---- neighbours in blocks ---- */

/* Blocks of cells with two fields, `from` and `to`. */
typedef struct {
    char from[NAME_MAX_], to[NAME_MAX_], label[NAME_MAX_];
    Scalar scalar;
    int axes, block, size; /* of a block, of all */
    const char *boundary, *kind; /* of the cells in a block */
} Blocks;

static void
put_blocks(Gen *g, Blocks *b)
{
    static const Scalar scalars[] = { S_F32, S_F32, S_F32, S_F64, S_I32, S_I64, S_F16 };
    *b = (Blocks){ .scalar = scalars[pick(g, 7)], .axes = chance(g, 60) ? 2 : 1 + pick(g, 3) };
    b->block = b->axes == 3 ? 4 << pick(g, 2) : b->axes == 2 ? 4 << pick(g, 3) : 8 << pick(g, 3);
    b->size = b->block * (b->axes == 3 ? 2 : 2 + pick(g, 3));
    b->boundary = ONE_OF(g, "clamp", "periodic", "mirror", "ambient");
    new_name(g, b->from, "x");
    new_name(g, b->to, "x");
    new_name(g, b->label, "node");
    const char *letters = b->axes == 1 ? "i" : b->axes == 2 ? "ij" : "ijk";
    put(g, "@boundary(%s) field %s %s;\nfield %s %s;\n", b->boundary, scalar_name(b->scalar),
        b->from, scalar_name(b->scalar), b->to);
    put(g, "layout { %s: %s %s[", b->label, any_of(g, sparse_kinds, 4), letters);
    for (int a = 0; a < b->axes; a++)
        put(g, "%s%d", a ? ", " : "", b->size / b->block);
    put(g, "] {");
    g->shaping = true;
    bool apart = chance(g, 30), swapped = chance(g, 50);
    g->shaping = false;
    const char *one = swapped ? b->to : b->from, *other = swapped ? b->from : b->to;
    b->kind = ONE_OF(g, "dense", "dense", "dense", "bitmasked");
    apart = apart && b->kind[0] == 'd'; /* else other cells would be active */
    for (int part = 0; part < (apart ? 2 : 1); part++) {
        put(g, " %s %s[", b->kind, letters);
        for (int a = 0; a < b->axes; a++)
            put(g, "%s%d", a ? ", " : "", b->block);
        if (apart)
            put(g, "] { place %s; }", part ? other : one);
        else
            put(g, "] { place %s, %s; }", one, other);
    }
    put(g, " } }\n");
}

static void
put_names_of(Gen *g, int axes)
{
    put(g, "%s", axes == 1 ? "i" : axes == 2 ? "i, j" : "i, j, k");
}

static void
put_whole_ranges(Gen *g, int axes, int from, int to)
{
    for (int a = 0; a < axes; a++)
        put(g, "%s%d..%d", a ? ", " : "", from, to);
}

/* An element beside the loop's own: in the field, beyond its ends, or held back from there by the
 * program. */
static void
put_neighbour(Gen *g, const Blocks *b, int reach)
{
    put(g, "%s[", b->from);
    for (int a = 0; a < b->axes; a++) {
        int by = chance(g, 50) ? 0 : pick(g, 2 * reach + 1) - reach;
        char name = "ijk"[a];
        put(g, a ? ", " : "");
        if (by == 0)
            put(g, "%c", name);
        else if (chance(g, 75))
            put(g, "%c %c %d", name, by < 0 ? '-' : '+', by < 0 ? -by : by);
        else if (chance(g, 50))
            put(g, by < 0 ? "max(%c - %d, 0)" : "min(%c + %d, %d)", name, by < 0 ? -by : by,
                b->size - 1);
        else
            put(g, "(%c + %d) %% %d", name, by < 0 ? b->size + by : by, b->size);
    }
    put(g, "]");
}

/* "2.5 * x[i - 1, j] - x[i, j]" */
static void
put_stencil(Gen *g, const Blocks *b, int reach)
{
    for (int n = 0, count = 2 + pick(g, 5); n < count; n++) {
        put(g, n ? chance(g, 60) ? " + " : " - " : "");
        if (chance(g, 40))
            put(g, "%s * ",
                is_float(b->scalar) ? ONE_OF(g, "0.25", "2.5", "3.0") : ONE_OF(g, "2", "3", "7"));
        put_neighbour(g, b, reach);
    }
}

/* Where some blocks are not active, a value that differs from element to element. */
static void
put_filled_blocks(Gen *g, const Blocks *b)
{
    int left_out = 2 + pick(g, 4);
    put(g, "    for ");
    put_names_of(g, b->axes);
    put(g, " in ");
    put_whole_ranges(g, b->axes, 0, b->size);
    put(g, " { if ((i / %d", b->block);
    for (int a = 1; a < b->axes; a++)
        put(g, " + %c / %d", "ijk"[a], b->block);
    put(g, ") %% %d != 1%s) { ", left_out, b->kind[0] == 'b' ? " && (i * 5 + i / 3) % 7 != 2" : "");
    put(g, "%s[", b->from);
    put_names_of(g, b->axes);
    put(g, "] = %s((i * %d", scalar_name(b->scalar), 1 + pick(g, 9));
    for (int a = 1; a < b->axes; a++)
        put(g, " + %c * %d", "ijk"[a], 1 + pick(g, 9));
    put(g, ") %% %d - %d); } }\n", 5 + pick(g, 20), pick(g, 4));
}

static void
put_sum_of(Gen *g, const char *field, Scalar s, int axes)
{
    put(g, "    i64 s = 0;\n    for ");
    put_names_of(g, axes);
    put(g, " in %s { s += hash_%s(%s[", field, scalar_name(s), field);
    put_names_of(g, axes);
    put(g, "]) * (1 + 3 * i%s%s); }\n    return s;\n}\n", axes > 1 ? " + 11 * j" : "",
        axes > 2 ? " + 101 * k" : "");
}

/* Every second element becomes the sum of those beside it. */
static void
put_chess_board(Gen *g, const Blocks *b)
{
    put(g, "if ((i%s%s) %% 2 == %d) { %s[", b->axes > 1 ? " + j" : "", b->axes > 2 ? " + k" : "",
        pick(g, 2), b->from);
    put_names_of(g, b->axes);
    put(g, "] = ");
    for (int a = 0; a < b->axes; a++)
        for (int by = -1; by <= 1; by += 2) {
            put(g, "%s%s[", a || by > 0 ? " + " : "", b->from);
            for (int other = 0; other < b->axes; other++)
                put(g, "%s%c%s", other ? ", " : "", "ijk"[other],
                    other != a ? ""
                    : by < 0   ? " - 1"
                               : " + 1");
            put(g, "]");
        }
    put(g, "; } }\n");
}

/* Each element becomes a sum of those around it in another field, or, as on a chess board, in its
 * own. */
static void
put_stencil_shape(Gen *g)
{
    Blocks b;
    put_blocks(g, &b);
    int reach = chance(g, 75) ? 1 : 2;
    bool in_place = chance(g, 15), ranges = chance(g, 30), guarded = !in_place && chance(g, 15);
    open_kernel(g);
    put_filled_blocks(g, &b);
    put(g, "    ");
    if (chance(g, 30))
        put(g, "@block_local(%s) ", chance(g, 50) ? b.from : b.to);
    put(g, "for ");
    put_names_of(g, b.axes);
    put(g, " in ");
    if (ranges)
        put_whole_ranges(g, b.axes, reach, b.size - reach);
    else
        put(g, "%s", chance(g, 50) ? b.from : b.to);
    put(g, " { ");
    if (in_place) {
        put_chess_board(g, &b);
    } else {
        if (guarded)
            put(g, "if (i > %d) { ", pick(g, b.size));
        put(g, "%s[", b.to);
        put_names_of(g, b.axes);
        put(g, "] = ");
        put_stencil(g, &b, reach);
        put(g, ";%s }\n", guarded ? " }" : "");
    }
    put_sum_of(g, in_place ? b.from : b.to, b.scalar, b.axes);
}

/* ---- masks by rows ---- */

/* "(is_active(a[i - 1, j]) ? 2 : 0)" */
static void
put_is_active(Gen *g, const char *label)
{
    int row = pick(g, 3) - 1, column = pick(g, 3) - 1;
    put(g, "is_active(%s[i%s, j%s])", label,
        row < 0 ? " - 1"
        : row   ? " + 1"
                : "",
        column < 0 ? " - 1"
        : column   ? " + 1"
                   : "");
}

/* A condition of cells around, and of their number `n`. */
static void
put_mask_condition(Gen *g, const char *label, int depth)
{
    static const char *const compare[] = { "<", "<=", ">", ">=", "==", "!=" };
    int kind = depth > 0 ? pick(g, 6) : 1 + pick(g, 2);
    if (kind == 0 || kind == 3) {
        put(g, "(");
        put_mask_condition(g, label, depth - 1);
        put(g, " %s ", ONE_OF(g, "&&", "||", "!=", "=="));
        put_mask_condition(g, label, depth - 1);
        put(g, ")");
    } else if (kind == 1) {
        put_is_active(g, label);
    } else if (kind == 4) {
        put(g, "!");
        put_is_active(g, label);
    } else if (kind == 5) {
        put(g, "(");
        put_is_active(g, label);
        put(g, " ? n %s %d : n %s %d)", compare[pick(g, 6)], pick(g, 5), compare[pick(g, 6)],
            pick(g, 5));
    } else {
        put(g, "(n %s %d)", compare[pick(g, 6)], pick(g, 7));
    }
}

/* Cells are activated as the cells of another mask say that lie around. */
static void
put_mask_shape(Gen *g)
{
    static const int rows[] = { 8, 16, 4, 16 }, columns[] = { 8, 16, 16, 4 };
    char field[2][NAME_MAX_], label[2][NAME_MAX_];
    int shape = pick(g, 4), times = 2 + pick(g, 2), row = rows[shape], column = columns[shape];
    for (int m = 0; m < 2; m++) {
        new_name(g, field[m], "x");
        new_name(g, label[m], "node");
        put(g, "field i8 %s;\nlayout { %s ij[%d, %d] { %s: %s ij[%d, %d] { place %s; } } }\n",
            field[m], any_of(g, top_kinds, 4), times, times, label[m], any_of(g, mask_kinds, 5),
            row, column, field[m]);
    }
    open_kernel(g);
    int high = row * times, wide = column * times, each = 2 + pick(g, 6);
    put(g,
        "    for i, j in 0..%d, 0..%d { if ((i * %d + j * j) %% %d < %d) { activate(%s[i, j]); } "
        "else { deactivate(%s[i, j]); } }\n",
        high, wide, 1 + pick(g, 9), each + 1, 1 + pick(g, each), label[0], label[0]);
    put(g, "    for i, j in 1..%d, 1..%d {\n        i32 n = 0;\n", high - 1, wide - 1);
    for (int n = 1 + pick(g, 8); n > 0; n--) {
        put(g, "        ");
        if (chance(g, 30)) {
            put(g, "if (");
            put_is_active(g, label[0]);
            put(g, ") { n += %d; }\n", 1 + pick(g, 2));
        } else {
            put(g, "n += ");
            put_is_active(g, label[0]);
            put(g, " ? %d : %d;\n", 1 + pick(g, 2), chance(g, 20));
        }
    }
    put(g, "        if (");
    put_mask_condition(g, label[0], 2);
    put(g, ") { activate(%s[i, j]); }", label[1]);
    if (chance(g, 50))
        put(g, " else { deactivate(%s[i, j]); }", label[1]);
    put(g,
        "\n    }\n    i64 s = 0;\n    for i, j in %s { s += 1 + i * %d + j; }\n    return s;\n}\n",
        label[1], 1 + pick(g, 100));
}

/* ---- lists and the lists beside them ---- */

/* Lists that all iterations append to, and each of whose cells looks at all cells of some lists. */
static void
put_list_shape(Gen *g)
{
    char key[NAME_MAX_], weight[NAME_MAX_], sum[NAME_MAX_], label[NAME_MAX_];
    int lists = 3 + pick(g, 8), length = 2 + pick(g, 10), count = lists * length;
    new_name(g, key, "x");
    new_name(g, weight, "x");
    new_name(g, sum, "x");
    new_name(g, label, "node");
    g->shaping = true;
    int chunk = 1 << pick(g, 6);
    const char *const kinds[] = {"dense", "dense", "pointer", "bitmasked", "hash"},
                      *kind = kinds[pick(g, 5)];
    g->shaping = false;
    put(g,
        "field i32 %s;\nfield f32 %s, %s;\nlayout { %s i[%d] { @chunk(%d) %s: dynamic j[%d] { "
        "place %s, %s, %s; } } }\n",
        key, weight, sum, kind, lists, chunk, label, count, key, weight, sum);
    open_kernel(g);
    put(g, "    deactivate_all(%s);\n    for p in 0..%d {\n", label, count);
    bool some = chance(g, 30);
    put(g, "        %sappend(%s[p * %d %% %d], p, f32(p %% %d), 0.0);%s\n    }\n",
        some ? "if (p % 3 != 1) { " : "", label, 1 + pick(g, 5), lists, 2 + pick(g, 9),
        some ? " }" : "");
    char at[40];
    bool several = chance(g, 30);
    snprintf(at, sizeof at, several ? "c" : ONE_OF(g, "i", "%d - i", "(i + %d) %% %d"), lists - 1,
             lists);
    put(g, "    for i, j in %s {\n        f32 t = %s;\n", label, ONE_OF(g, "0", "1", "3"));
    if (several)
        put(g, "        for c in max(i - 1, 0)..min(i + 2, %d) {\n", lists);
    put(g, "        for k in 0..length(%s[%s]) { ", label, at);
    int limit = pick(g, 4);
    if (limit == 0)
        put(g, "if (%s[%s, k] < %s[i, j]) { t += %s[%s, k]; }", weight, at, weight, weight, at);
    else if (limit == 1)
        put(g, "let d = %s[%s, k] - %s[i, j]; t += d * d < 4.0 ? d : %s[i, j];", weight, at, weight,
            weight);
    else if (limit == 2)
        put(g, "if (%s[%s, k] == %s[i, j]) { continue; } t += %s[%s, k] * 2.0 - %s[i, j];", key, at,
            key, weight, at, weight);
    else
        put(g, "t = max(t, %s[%s, k] * %s[i, j]);", weight, at, weight);
    put(g, " }\n%s        %s[i, j] = t;\n    }\n", several ? "        }\n" : "", sum);
    put(g,
        "    i64 s = 0;\n    for i, j in %s { s += hash_f32(%s[i, j]) * (1 + i64(%s[i, j])); }\n   "
        " return s;\n}\n",
        label, sum, key);
}

/* A list that all iterations append to, and that other loops go through. */
static void
put_append_shape(Gen *g)
{
    char key[NAME_MAX_], weight[NAME_MAX_], label[NAME_MAX_], count[NAME_MAX_];
    int size = 20 + pick(g, 200), first = pick(g, 3) - 1;
    new_name(g, key, "x");
    new_name(g, weight, "x");
    new_name(g, label, "node");
    new_name(g, count, "x");
    g->shaping = true;
    int chunk = 1 << pick(g, 8);
    g->shaping = false;
    put(g,
        "field i32 %s;\nfield f32x2 %s;\nfield i32 %s[%d];\nlayout { @chunk(%d) %s: dynamic i[%d] "
        "{ place %s, %s; } }\n",
        key, weight, count, size, chunk, label, 2 * size, key, weight);
    open_kernel(g);
    put(g, "    deactivate_all(%s);\n", label);
    for (int loops = 1 + pick(g, 2); loops > 0; loops--) {
        bool some = chance(g, 25);
        put(g, "    for p in %d..%d { %sappend(%s, p, f32x2(f32(p %% 7), 1.5));%s%s }\n", first,
            first + size, some ? "if (p % 3 != 1) { " : "", label, some ? " }" : "",
            chance(g, 30) ? " let q = p * p;" : "");
    }
    put(g,
        "    for i in 0..%d { %s[i] = 0; }\n    for i in %s { %s[%s[i] %c %d] += i32(%s[i].x) + "
        "%s; }\n",
        size, count, label, count, key, "+-"[first > 0], abs(first), weight,
        ONE_OF(g, "1", "2", "-3"));
    put(g, "    i64 s = length(%s);\n    for i in %s { s += %s[i] * (1 + i); }\n    return s;\n}\n",
        label, count, count);
}

/* ---- computed indices ---- */

/* A value of small whole numbers, made of those of `value`, with much arithmetic in it. */
static void
put_much(Gen *g, const char *value)
{
    for (int n = 0, count = 1 + pick(g, 6); n < count; n++)
        put(g, "%s(%s %c %d.0) * (%s %c %d.0)", n ? chance(g, 60) ? " + " : " - " : "", value,
            "+-"[pick(g, 2)], pick(g, 3), value, "+-"[pick(g, 2)], pick(g, 3));
}

/* Each iteration adds to elements whose indices it computes. */
static void
put_scatter_shape(Gen *g)
{
    char at[NAME_MAX_], cell[NAME_MAX_], vector[NAME_MAX_], mass[NAME_MAX_];
    int rows = 1 + pick(g, 4), axes = 1 + pick(g, 2), size = axes == 1 ? 64 : 16,
        count = 50 + pick(g, 200);
    const char *type = rows == 1   ? ""
                       : rows == 2 ? "x2"
                       : rows == 3 ? "x3"
                                   : "x4",
               *letters = axes == 1 ? "i" : "ij", *base = axes == 1 ? "" : "x2";
    new_name(g, at, "x");
    new_name(g, cell, "x");
    new_name(g, vector, "x");
    new_name(g, mass, "x");
    g->shaping = true;
    bool packed = chance(g, 50), apart = chance(g, 25), blocks = chance(g, 25),
         together = chance(g, 30);
    int block = 4 << pick(g, 2);
    g->shaping = false;
    put(g, "field f32%s %s;\nfield i32%s %s;\n", type, at, base, cell);
    put(g,
        together ? "layout { dense i[%d] { place %s, %s; } }\n"
                 : "layout { dense i[%d] { place %s; } dense i[%1$d] { place %s; } }\n",
        count, at, cell);
    put(g, "field f32%s %s;\nfield f32 %s;\n%slayout {", type, vector, mass,
        packed ? "@packed " : "");
    for (int part = 0; part < (apart ? 2 : 1); part++) {
        char fields[80];
        snprintf(fields, sizeof fields, apart ? "%s" : "%s, %s", part ? mass : vector, mass);
        int inner = blocks ? block : 1, outer = size / inner;
        put(g, axes == 1 ? " dense %s[%d] {" : " dense %s[%d, %2$d] {", letters, outer);
        if (blocks)
            put(g, axes == 1 ? " dense %s[%d] { place %s; }" : " dense %s[%d, %2$d] { place %s; }",
                letters, inner, fields);
        else
            put(g, " place %s;", fields);
        put(g, " }");
    }
    put(g, " }\n");
    open_kernel(g);
    put(g, "    for p in %s { %s[p] = f32%s(f32(p * %d %% 4)); %s[p] = ", at, at, type,
        1 + pick(g, 5), cell);
    put(g, axes == 1 ? "p * %d %% %d" : "i32x2(p * %d %% %d, p / 16 %% %2$d)", 1 + pick(g, 7),
        size - 2);
    put(g,
        "; }\n    for I in %s { %s[I] = f32%s(0.0); %s[I] = 0.0; }\n    for p in %s {\n        let "
        "base = %s[p];\n        let v = %s[p];\n",
        mass, vector, type, mass, at, cell, at);
    put(g, "        let w = ");
    put_much(g, "v");
    put(g, ";\n");
    bool whole = chance(g, 60);
    for (int n = 1 + pick(g, 3); n > 0; n--)
        put(g, "        %s[base%s] %s= %sw;\n", vector, ONE_OF(g, "", " + 1", " + 2"),
            chance(g, 80) ? "+" : "-", ONE_OF(g, "", "2.0 * ", "3.0 * "));
    if (whole)
        put(g, "        %s[base%s] += %s + 1.0;\n", mass, ONE_OF(g, "", " + 1"),
            rows == 1 ? "w" : "w.x * 2.0 - w.y");
    put(g,
        "    }\n    i64 s = 0;\n    for %s in %s { s += hash_f32(%s[%s]) + hash_f32(%s[%s]%s) * (1 "
        "+ i%s); }\n    return s;\n}\n",
        axes == 1 ? "i" : "i, j", mass, mass, axes == 1 ? "i" : "i, j", vector,
        axes == 1 ? "i" : "i, j",
        rows == 1   ? ""
        : rows == 2 ? ".y"
                    : ".z",
        axes == 1 ? "" : " + 7 * j");
}

/* Each iteration reads elements whose indices it looks up. */
static void
put_gather_shape(Gen *g)
{
    char at[NAME_MAX_], from[NAME_MAX_], to[NAME_MAX_];
    int rows = 1 + pick(g, 4), count = 40 + pick(g, 100);
    const char *type = rows == 1 ? "" : rows == 2 ? "x2" : rows == 3 ? "x3" : "x4";
    new_name(g, at, "x");
    new_name(g, from, "x");
    new_name(g, to, "x");
    g->shaping = true;
    bool apart = chance(g, 40);
    g->shaping = false;
    put(g, "field i32 %s[%d];\nfield f32%s %s, %s;\n", at, count, type, from, to);
    put(g,
        apart ? "layout { dense i[%d] { place %s; } dense i[%1$d] { place %s; } }\n"
              : "layout { dense i[%d] { place %s, %s; } }\n",
        count, from, to);
    open_kernel(g);
    put(g,
        "    for i in %s { %s[i] = i * %d %% %d; %s[i] = f32%s(f32(i %% 13) * 0.5 + 0.25); }\n    "
        "for i in %s {\n        let a = %s[%s[i]];\n",
        at, at, 1 + pick(g, 9), count - 1, from, type, to, from, at);
    if (chance(g, 40))
        put(g, "        let b = %s[%s[i] + 1];\n        %s[i] = (a + b * b) * (b - 0.5) + ", from,
            at, to);
    else
        put(g, "        %s[i] = ", to);
    put(g, "%s;\n    }\n",
        ONE_OF(g, "a * a * a + sqrt(a) * (a - 2.0) * a + a / (a + 1.0)", "2.0 * a",
               "min(a, 3.0) * (a + 1.0) * (a - 0.5) * a / (a * a + 1.0) - sqrt(a + 2.0)",
               "abs(a - 2.0) * a + floor(a * 1.5) * a * a + max(a, 1.0) * (a + 0.125)"));
    put(g,
        "    i64 s = 0;\n    for i in %s { s += hash_f32(%s[i]%s) * (1 + i); }\n    return s;\n}\n",
        to, to, rows == 1 ? "" : ".y");
}

void
put_shapes(Gen *g)
{
    static void (*const shapes[])(Gen *) = {
        put_stencil_shape, put_stencil_shape, put_mask_shape, put_mask_shape, put_list_shape,
        put_append_shape, put_scatter_shape, put_gather_shape, put_home_shape, put_woven_shape,
        put_revival_shape, put_boundary_shape, put_wrapped_shape, put_group_shape,
        put_distance_shape, put_sums_shape, put_sums_shape, put_rim_shape, put_rim_shape,
        put_cut_shape, put_cut_shape, put_masked_cells_shape, put_masked_cells_shape,
        put_row_element_shape, put_columns_shape, put_cross_shape, put_parts_shape,
        put_parts_shape, put_product_shape, put_reach_shape, put_blocks_at_index_shape,
        put_found_shape, put_called_shape, put_called_shape, put_inner_shape, put_inner_shape,
        put_steps_shape, put_steps_shape, put_some_shape, put_block_start_shape,
        put_inner_loops_shape, put_inner_loops_shape, put_list_cells_shape, put_runs_shape,
        put_limits_shape, put_limits_shape, put_counts_shape, put_counts_shape, put_grids_shape,
        put_grids_shape, put_small_rows_shape, put_same_cells_shape, put_together_shape,
        put_spread_shape, put_spread_shape, put_block_ranges_shape, put_block_ranges_shape,
        put_appends_shape, put_particles_shape, put_vast_shape, put_vast_shape,
        put_deactivation_shape, put_deactivation_shape, put_multiples_shape,
        put_multiples_shape, put_nested_shape, put_nested_shape, put_nested_shape,
        put_nested_shape, put_grow_shape, put_grow_shape, put_grow_shape,
        put_conditional_stores_shape, put_conditional_stores_shape, put_flow_shape,
        put_flow_shape, put_flow_shape, put_local_shape, put_local_shape, put_local_shape,
        put_derivatives_shape, put_derivatives_shape, put_derivatives_shape};
    g->shapes = true;
    for (int n = g->shapely ? 8 : pick(g, 4); n > 0; n--) {
        start_section(g);
        shapes[pick(g, (int)(sizeof shapes / sizeof shapes[0]))](g);
    }
}
