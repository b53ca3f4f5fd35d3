/* shapes_ranges.c - kernels whose loops go through rows in steps, do something at some of their
 * elements, or go through blocks from a number of their own on. */
#include <stdio.h>

#include "shapes.h"

/* Two fields of rows, `from` and `to`, and numbers of rows that nothing is known of. */
typedef struct {
    char from[NAME_MAX_], to[NAME_MAX_], row[NAME_MAX_];
    const char *type;
    int rows, columns;
} Rows;

static void
put_rows_layout(Gen *g, const Rows *r, const char *fields)
{
    g->shaping = true;
    const int kind = pick(g, 6);
    g->shaping = false;
    put(g, "%slayout {", ANY_OF(g, "", "@packed ", "@packed "));
    switch (kind) {
    case 0: put(g, " dense ij[%d, %d] { place %s; } }\n", r->rows, r->columns, fields); break;
    case 1: put(g, " dense ji[%d, %d] { place %s; } }\n", r->columns, r->rows, fields); break;
    case 2:
        put(g, " %s j[%d] { %s i[%d] { place %s; } } }\n", ANY_OF(g, "dense", "pointer", "hash"),
            r->columns, ANY_OF(g, "dense", "bitmasked"), r->rows, fields);
        break;
    case 3:
        put(g, " %s ij[%d, 2] { dense ij[2, %d] { place %s; } } }\n",
            ANY_OF(g, "dense", "pointer", "bitmasked"), r->rows / 2, r->columns / 2, fields);
        break;
    default:
        put(g, " %s i[%d] { %s j[%d] { place %s; } } }\n",
            ANY_OF(g, "dense", "dense", "pointer", "hash"), r->rows,
            ANY_OF(g, "dense", "dense", "dense", "bitmasked"), r->columns, fields);
        break;
    }
}

static void
put_rows_items(Gen *g, Rows *r)
{
    *r = (Rows){.type = ONE_OF(g, "f32", "f32", "f32", "f64", "i32", "i64", "i16"),
                .rows = 2 * (2 + pick(g, 8)),
                .columns = 2 * (8 + pick(g, chance(g, 25) ? 20 : 200))};
    new_name(g, r->from, "x");
    new_name(g, r->to, "x");
    new_name(g, r->row, "x");
    put(g, "field %s %s, %s;\nfield i32 %s[%d];\n", r->type, r->from, r->to, r->row, r->columns);
    put_rows_layout(g, r, r->from);
    put_rows_layout(g, r, r->to);
}

static void
put_rows_start(Gen *g, const Rows *r)
{
    put(g, "    for i in %s { %s[i] = i * %d %% %d; }\n", r->row, r->row, 1 + pick(g, 9), r->rows);
    put(g, "    for i, j in 0..%d, 0..%d { ", r->rows, r->columns);
    if (chance(g, 30))
        put(g, "if (i %% %d != 1) { ", 2 + pick(g, 4));
    else
        put(g, "{ ");
    put(g, "%s[i, j] = %s((i * %d + j * %d) %% %d - %d); } %s[i, j] = 1; }\n", r->from, r->type,
        1 + pick(g, 9), 1 + pick(g, 9), 5 + pick(g, 90), pick(g, 9), r->to);
    put(g, "    i32 one = %s[0] + 1;\n    i32 few = %s[1] %% 3 + 1;\n", r->row, r->row);
}

/* Numbers between two bounds, the second one left out, in some order and by some step; in *least
 * and *most what they may be, where there are any. */
static void
put_stepped(Gen *g, int lo, int hi, int *least, int *most)
{
    *least = lo, *most = hi - 1;
    switch (pick(g, 9)) {
    case 0: put(g, "%d..%d step %d", lo, hi, 2 + pick(g, 5)); break;
    case 1: put(g, "%d..%d step -%d", hi - 1, lo - 1, 1 + pick(g, 3)); break;
    case 2: put(g, "%d..%d step few", lo, hi); break;
    case 3: put(g, "%d..%d step -one", hi - 1, lo - 1); break;
    case 4: put(g, "one + %d..%d", lo - 1, hi); break;
    case 5: put(g, "%d..%d - few + %d", lo, hi, pick(g, 2)); break;
    case 6:
        *least = hi - lo > 12 ? lo + 1 + pick(g, 4) : lo + 1, *most = hi - 1 - *least;
        put(g, "%d..%d", *least, *most + 1);
        break;
    default: put(g, "%d..%d", lo, hi); break;
    }
}

/* A number of a row: that of the loop, which goes by rows or has one alone, another one, or one
 * that differs along the row. */
static void
put_row_number(Gen *g, const Rows *r, bool alone)
{
    switch (pick(g, 9)) {
    case 0: put(g, "%s[j]", r->row); break;
    case 1: put(g, "j %% %d", r->rows); break;
    case 2: put(g, "%d", pick(g, r->rows)); break;
    case 3: put(g, "one"); break;
    case 4: put(g, "j & 1"); break;
    case 5: put(g, alone ? "%d - one" : "%d - i", r->rows - 1); break;
    default: put(g, alone ? "few" : "i"); break;
    }
}

/* A number of a column, where j is between two numbers. */
static void
put_column_number(Gen *g, const Rows *r, int least, int most)
{
    switch (pick(g, 16)) {
    case 0: put(g, "%d - j", r->columns - 1); break;
    case 1: put(g, "2 * j - j"); break;
    case 2: put(g, "j / 2"); break;
    case 3: put(g, "j * %d %% %d", 3 + pick(g, 4), r->columns); break;
    case 4: put(g, "j - %d", pick(g, least + 1)); break;
    case 5: put(g, "j + %d", pick(g, r->columns - most)); break;
    case 6: put(g, "j + (few - few)"); break;
    case 7: put(g, "j + 2147483640 - 2147483640"); break;
    default: put(g, "j"); break;
    }
}

static void
put_row_element(Gen *g, const Rows *r, bool alone, int least, int most)
{
    put(g, "%s[", r->from);
    put_row_number(g, r, alone);
    put(g, ", ");
    put_column_number(g, r, least, most);
    put(g, "]");
}

/* Sums of rows. */
void
put_steps_shape(Gen *g)
{
    Rows r;
    put_rows_items(g, &r);
    const bool wide = r.type[0] == 'f' && r.type[1] == '3' ? chance(g, 75) : chance(g, 20);
    const char *sum = wide ? "f64" : r.type;
    const int sums = 1 + pick(g, 2);
    open_kernel(g);
    put_rows_start(g, &r);
    for (int n = 0; n < sums; n++)
        put(g, "    %s s%d = %d;\n", sum, n, n);
    for (int loops = 1 + pick(g, 3); loops > 0; loops--) {
        int least, most;
        const bool alone = chance(g, 25);
        if (alone) {
            put(g, "    for j in ");
        } else {
            put(g, "    for i, j in ");
            put_stepped(g, 0, r.rows, &least, &most);
            put(g, ", ");
        }
        put_stepped(g, 0, r.columns, &least, &most);
        put(g, " {");
        for (int n = chance(g, 85) ? 1 : 2; n > 0; n--) {
            put(g, " s%d += %s(", pick(g, sums), sum);
            put_row_element(g, &r, alone, least, most);
            put(g, ")%s;", chance(g, 90) ? "" : " * 2");
        }
        put(g, " }\n");
    }
    put(g, "    i64 h = 0;\n");
    for (int n = 0; n < sums; n++)
        put(g, "    h += hash_%s(s%d) * %d;\n", sum, n, 1 + 2 * n);
    put(g, "    return h;\n}\n");
}

/* ---- at some elements of a row ---- */

/* "(3 * i - j + one)": a sum of 32 or 64 bits that grows evenly along a row, or nearly so. */
static void
put_even_sum(Gen *g, const char *type)
{
    const bool plain = type[0] == 'i' && type[1] == '3';
    put(g, "(");
    for (int n = 0, count = 1 + pick(g, 4); n < count; n++) {
        /* numbers alone would be added up as such, which may not fit */
        const char *term =
            n == 0 ? ONE_OF(g, "j", "j", "i", "few", "i * 5", "j * 3", "j * 2", "7 * j", "j * i")
                   : ONE_OF(g, "j", "i", "few", "i * 5", "j * 3", "7 * j", "j * j", "j / 2",
                            "2147483640", "13", "-5", "i * j * 2");
        put(g, n ? ONE_OF(g, " + ", " + ", " - ") : "");
        if (plain)
            put(g, "%s", term);
        else
            put(g, "%s(%s)", type, term);
    }
    put(g, ")");
}

/* "(i + j) % 2 == 1" */
static void
put_even_condition(Gen *g, bool turned)
{
    const char *type = ONE_OF(g, "i32", "i32", "i32", "i64", "u32", "u64");
    const int by = 2 + pick(g, 6), kind = pick(g, 4);
    if (kind == 0) {
        put(g, "floormod(");
        put_even_sum(g, type);
        put(g, ", %d)", by);
    } else {
        put(g, "(");
        put_even_sum(g, type);
        put(g, kind == 1 ? " & %d)" : " %% %d)", kind == 1 ? (2 << pick(g, 3)) - 1 : by);
    }
    put(g, " %s %s(%s)", turned ? "!=" : "==", type,
        ONE_OF(g, "0", "1", "1", "-1", "few", "one - 1", "i % 2", "few * few", "j % 2", "9"));
}

void
put_some_shape(Gen *g)
{
    Rows r;
    put_rows_items(g, &r);
    open_kernel(g);
    put_rows_start(g, &r);
    for (int loops = 1 + pick(g, 3); loops > 0; loops--) {
        const bool goes_on = chance(g, 25), apart = chance(g, 60), everywhere = chance(g, 25);
        int least = 0, most = r.columns - 1;
        put(g, "    for i, j in ");
        if (chance(g, 40)) {
            put(g, "%s", r.to);
        } else {
            put_stepped(g, 0, r.rows, &least, &most);
            put(g, ", ");
            put_stepped(g, 0, r.columns, &least, &most);
        }
        put(g, " { ");
        if (everywhere) {
            put(g, goes_on ? "" : "{ ");
        } else {
            put(g, "if (");
            put_even_condition(g, goes_on);
            put(g, goes_on ? ") { continue; } " : ") { ");
        }
        put(g, "%s[i, j] = %s[i, j] * 3 + ", r.to, r.to);
        if (apart)
            put_row_element(g, &r, false, least, most);
        else
            put(g, "%d", 1 + pick(g, 9));
        put(g, ";%s }\n", goes_on ? "" : " }");
        if (chance(g, 40))
            put(g, "    few += 1;\n");
    }
    put(g,
        "    i64 s = 0;\n    for i, j in %s { s += hash_%s(%s[i, j]) * (1 + i * 101 + j); }\n    "
        "return s;\n}\n",
        r.to, r.type, r.to);
}

/* ---- blocks, from a number of their own on ---- */

typedef struct {
    char from[NAME_MAX_], to[NAME_MAX_], sum[NAME_MAX_];
    const char *type;
    int block, blocks[2]; /* elements of a block along an axis, blocks along each */
} Blocks;

static void
put_origin_layout(Gen *g, const Blocks *b, const char *fields)
{
    const char *outer = ANY_OF(g, "dense", "dense", "pointer", "hash", "bitmasked"),
               *inner = ANY_OF(g, "dense", "dense", "dense", "bitmasked");
    g->shaping = true;
    const bool turned = chance(g, 25);
    const int block = chance(g, 70) ? b->block : 2;
    g->shaping = false;
    const int high = b->blocks[0] * b->block / block, wide = b->blocks[1] * b->block / block;
    put(g, "layout { %s %s[%d, %d] { %s ij[%d, %d] { place %s; } } }\n", outer,
        turned ? "ji" : "ij", turned ? wide : high, turned ? high : wide, inner, block, block,
        fields);
}

/* A range of one axis of the block; `own`: those of the block, no others. In *shift what its
 * numbers are above those meant. */
static void
put_origin_range(Gen *g, const Blocks *b, int axis, bool own, int *shift)
{
    const char name = "ij"[axis];
    const int size = b->block;
    *shift = 0;
    switch (own ? 5 + pick(g, 4) : pick(g, 10)) {
    case 0: put(g, "%c * %d - %d..%c * %d + %d", name, size, pick(g, 2), name, size, size); break;
    case 1:
        put(g, "%c * %d + %d..%c * %d + %d", name, size, pick(g, 3), name, size,
            size - 1 + pick(g, 4));
        break;
    case 2: put(g, "%c * %d..%c * %d + few", name, size, name, size); break;
    case 3:
        *shift = 2147483640; /* wraps for some blocks */
        put(g, "%c * %d + %d..%c * %d + %d + %d", name, size, *shift, name, size, *shift, size);
        break;
    case 4:
        *shift = 5;
        put(g, "5 + a%c..a%c + %d", name, name, size + 5);
        break;
    case 5: put(g, "%c * %d..(%c + 1) * %d", name, size, name, size); break;
    case 6: put(g, "a%c..a%c + %d", name, name, size); break;
    case 7: put(g, "a%c..b%c", name, name); break;
    default: put(g, "%c * %d..%c * %d + %d", name, size, name, size, size); break;
    }
}

/* "for k in .. { for l in .. {" or "for k, l in .., .. {" */
static void
put_origin_loops(Gen *g, const Blocks *b, bool own, bool nested, int *shift)
{
    put(g, nested ? "        for k in " : "        for k, l in ");
    put_origin_range(g, b, 0, own, &shift[0]);
    put(g, nested ? " { for l in " : ", ");
    put_origin_range(g, b, 1, own, &shift[1]);
    put(g, " { ");
    if (chance(g, 15))
        put(g, "if ((k + l) %% 5 == 2) { %s; } ", chance(g, 50) ? "continue" : "break");
}

static void
put_origin_element(Gen *g, const Blocks *b, const int *shift)
{
    put(g, "%s[k", b->from);
    put(g, shift[0] ? " - %d" : "", shift[0]);
    put(g, "%s, l", ONE_OF(g, "", "", " + 1", " - 1", " - i + 1"));
    put(g, shift[1] ? " - %d" : "", shift[1]);
    put(g, "%s]", ONE_OF(g, "", "", " + 1", " - 2", " * 1"));
}

void
put_block_start_shape(Gen *g)
{
    Blocks b = {.type = ONE_OF(g, "f32", "i32", "i64", "u8"),
                .block = 4 << pick(g, 2),
                .blocks = {2 + pick(g, 3), 2 + pick(g, 3)}};
    new_name(g, b.from, "x");
    new_name(g, b.to, "x");
    new_name(g, b.sum, "x");
    put(g, "@boundary(%s) field %s %s;\nfield %s %s;\nfield %s %s[%d, %d];\n",
        ONE_OF(g, "clamp", "periodic", "ambient", "mirror"), b.type, b.from, b.type, b.to, b.type,
        b.sum, b.blocks[0], b.blocks[1]);
    put_origin_layout(g, &b, b.from);
    put_origin_layout(g, &b, b.to);
    open_kernel(g);
    put(g,
        "    for i, j in 0..%d, 0..%d { if ((i / 4 + j / 4) %% %d != 1) { %s[i, j] = %s((i * %d + "
        "j) %% 23); } %s[i, j] = %s(i & 3); }\n",
        b.blocks[0] * b.block, b.blocks[1] * b.block, 2 + pick(g, 5), b.from, b.type,
        1 + pick(g, 9), b.to, b.type);
    put(g, "    %s[0, 1] = 0;\n    i32 few = i32(%s[0, 1]) + %d;\n    for i, j in 0..%d, 0..%d {\n",
        b.sum, b.sum, pick(g, 4), b.blocks[0], b.blocks[1]);
    put(g,
        "        let ai = i * %d;\n        let aj = j * %d;\n        let bi = ai + %1$d;\n        "
        "let bj = aj + %2$d;\n        %s t = 0;\n",
        b.block, b.block, b.type);
    for (int n = 1 + pick(g, 3); n > 0; n--) {
        const bool own = chance(g, 50), nested = chance(g, 50);
        int shift[2];
        put_origin_loops(g, &b, own, nested, shift);
        if (own) {
            put(g, "%s[k, l] = %s[k, l] * 3 + ", b.to, b.to);
            put_origin_element(g, &b, shift);
            put(g, "; ");
            if (chance(g, 40))
                put(g, "if (l > aj) { %s[k, l] += %s[k, l - 1]; } ", b.to, b.to);
        } else {
            put(g, "t += ");
            put_origin_element(g, &b, shift);
            put(g, "; ");
        }
        put(g, nested ? "} }\n" : "}\n");
    }
    put(g,
        "        %s[i, j] = t;\n    }\n    i64 s = 0;\n    for i, j in %s { s += hash_%s(%s[i, j]) "
        "* (1 + i * 101 + j); }\n    for i, j in %s { s += hash_%s(%s[i, j]) * (1 + i * 11 + j); "
        "}\n"
        "    return s;\n}\n",
        b.sum, b.to, b.type, b.to, b.sum, b.type, b.sum);
}
