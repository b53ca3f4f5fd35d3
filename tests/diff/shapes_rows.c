/* shapes_rows.c - loops that change the rows or columns of an array, and read elements of it that
 * are the same for the whole row. Each iteration changes a row or a column of its own, and what it
 * reads of others is not changed. */
#include <stdio.h>

#include "shapes.h"

enum { TEXT_MAX = 48 };

/* A field that loops change, and one beside it that they only read, with rows i and columns j. */
typedef struct {
    char field[NAME_MAX_], other[NAME_MAX_];
    Scalar scalar;
    int rows, columns;
    char row[NAME_MAX_], column[NAME_MAX_]; /* of elements that are the same for a whole row */
} Rows;

static void
put_rows_layout(Gen *g, const Rows *r)
{
    g->shaping = true;
    const bool apart = chance(g, 50), turned = chance(g, 20), blocks = chance(g, 20);
    g->shaping = false;
    const char *inner = blocks ? ANY_OF(g, "dense ij[4, 4] {", "dense ij[2, 8] {") : "",
               *end = blocks ? " }" : "";
    const int high = blocks ? inner[9] - '0' : 1, wide = blocks ? inner[12] - '0' : 1,
              rows = (r->rows + high - 1) / high, columns = (r->columns + wide - 1) / wide;
    for (int n = 0; n < (apart ? 2 : 1); n++) {
        put(g, "%slayout { dense %s[%d, %d] { %s place %s", ANY_OF(g, "", "@packed "),
            turned ? "ji" : "ij", turned ? columns : rows, turned ? rows : columns, inner,
            n ? r->other : r->field);
        put(g, apart ? "; }%s }\n" : ", %2$s; }%1$s }\n", end, r->other);
    }
}

/* Fills both fields; names the row and the column that are read. */
static void
open_rows_kernel(Gen *g, Rows *r)
{
    static const Scalar scalars[] = { S_F32, S_F32, S_F64, S_I32, S_I32, S_I64, S_I16 };
    *r = (Rows){ .scalar = scalars[pick(g, 7)], .rows = 30 + pick(g, 16) };
    r->columns = 36 + pick(g, 60);
    const char *type = scalar_name(r->scalar);
    new_name(g, r->field, "x");
    new_name(g, r->other, "x");
    put(g, "field %s %s, %s;\n", type, r->field, r->other);
    put_rows_layout(g, r);
    open_kernel(g);
    put(g,
        "    for i, j in 0..%d, 0..%d { %s[i, j] = %s((i * %d + j * %d) %% 23); %s[i, j] = %s((i + "
        "j * j) %% 9); }\n",
        r->rows, r->columns, r->field, type, 1 + pick(g, 9), 1 + pick(g, 9), r->other, type);
    const int row = pick(g, r->rows), column = pick(g, r->columns);
    const bool known = chance(g, 30);
    snprintf(r->row, NAME_MAX_, known ? "%d" : "k", row);
    snprintf(r->column, NAME_MAX_, known ? "%d" : "l", column);
    put(g, "    i32 k = %d;\n    i32 l = %d;\n", row, column);
    if (chance(g, 50))
        put(g, "    if (%s[0, 0] == %s(99)) { k = 0; l = 1; }\n", r->other, type);
}

/* The checksum, of all elements. */
static void
put_rows_sum(Gen *g, const Rows *r)
{
    put(g,
        "    i64 s = 0;\n    for i, j in 0..%d, 0..%d { s += hash_%s(%s[i, j]) * (1 + 3 * i + j); "
        "}\n    return s;\n}\n",
        r->rows, r->columns, scalar_name(r->scalar), r->field);
}

/* "min(%s, %s)": a value that stays small. */
static const char *
small_form(Gen *g, const Rows *r)
{
    if (is_float(r->scalar))
        return ONE_OF(g, "min(%s, %s + 1.0)", "%s * 0.5 + %s * 0.25", "%s - 0.5 * %s",
                      "max(%s, %s - 2.0)", "%s > %s ? 1.5 : 0.25");
    return ONE_OF(g, "min(%s, %s)", "(%s & 15) + (%s & 31)", "(%s ^ %s) & 63", "max(%s, %s)",
                  "(%s & 7) * (%s & 3)");
}

static void
put_small_value(Gen *g, const Rows *r, const char *one, const char *other)
{
    const bool swapped = chance(g, 30);
    put(g, r->scalar == S_I16 ? "i16(" : "");
    put(g, small_form(g, r), swapped ? other : one, swapped ? one : other);
    put(g, r->scalar == S_I16 ? ")" : "");
}

/* ---- along a row, an element of it ---- */

/* An element that a statement for x[i, j] reads; rows but the iteration's own only of row k. */
static void
make_read(Gen *g, const Rows *r, char *text)
{
    const char *field = chance(g, 75) ? r->field : r->other;
    switch (pick(g, 4)) {
    case 0: snprintf(text, TEXT_MAX, "%s[i, j]", field); break;
    case 1: snprintf(text, TEXT_MAX, "%s[%s, j]", field, r->row); break;
    default: snprintf(text, TEXT_MAX, "%s[i, %s]", field, r->column);
    }
}

static void
put_row_change(Gen *g, const Rows *r)
{
    char one[TEXT_MAX], other[TEXT_MAX];
    make_read(g, r, one);
    snprintf(other, TEXT_MAX, "%s[i, %s]", r->field, r->column);
    put(g, "%s[i, j] = ", r->field);
    put_small_value(g, r, one, other);
    put(g, ";");
}

/* Some rows are changed from one end to the other, one element after another. */
void
put_row_element_shape(Gen *g)
{
    Rows r;
    open_rows_kernel(g, &r);
    for (int loops = 1 + pick(g, 2); loops > 0; loops--) {
        put(g, "    for i in 0..%d {\n", r.rows);
        const bool braces = chance(g, 20);
        put(g, braces ? "        if (i != %s) {\n" : "        if (i == %s) { continue; }\n", r.row);
        if (chance(g, 30)) {
            put(g, "        let m = (i * %d + l) %% %d;\n", pick(g, 9), r.columns);
            snprintf(r.column, NAME_MAX_, "m");
        }
        put(g, "        for j in %s%d..%s%d {", chance(g, 20) ? "k % 3 + " : "",
            chance(g, 40) ? pick(g, 40) : 0, chance(g, 20) ? "k * 0 + " : "",
            chance(g, 70) ? r.columns : 30 + pick(g, r.columns - 30));
        if (chance(g, 20))
            put(g, " if (%s[i, j] == %s(%d)) { continue; }", chance(g, 50) ? r.field : r.other,
                scalar_name(r.scalar), pick(g, 9));
        const bool guarded = chance(g, 20);
        put(g, guarded ? " if (j != %s) { " : " ", r.column);
        put_row_change(g, &r);
        put(g, guarded ? " }" : "");
        if (chance(g, 10)) {
            put(g, " ");
            put_row_change(g, &r);
        }
        put(g, " }\n%s    }\n", braces ? "        }\n" : "");
        snprintf(r.column, NAME_MAX_, "l");
    }
    put_rows_sum(g, &r);
}

/* ---- down the columns ---- */

/* A sequential loop down column j, which goes on from what it has just changed. */
static void
put_way_down(Gen *g, const Rows *r)
{
    static const char *const ways[] = { "1..%d", "%d - 2..-1 step -1", "1..%d step 2" };
    const int way = pick(g, 3);
    char one[TEXT_MAX], other[TEXT_MAX];
    const char *const before = way == 1 ? "i + 1" : "i - 1";
    snprintf(one, TEXT_MAX, "%s[%s, j]", r->field, before);
    snprintf(other, TEXT_MAX, "%s[%s, j]", chance(g, 50) ? r->field : r->other,
             ONE_OF(g, "i", "i", "0", "k"));
    put(g, "        for i in ");
    put(g, ways[way], r->rows);
    put(g, " { ");
    if (chance(g, 25))
        put(g, "c = ");
    else
        put(g, "%s[i, j] = ", r->field);
    put_small_value(g, r, one, other);
    put(g, ";");
    if (chance(g, 30))
        put(g, " %s[i, j] = max(c, %s[i, j]);", r->field, r->field);
    put(g, " }\n");
}

/* Each column is changed from one end to the other. */
void
put_columns_shape(Gen *g)
{
    Rows r;
    open_rows_kernel(g, &r);
    put(g, "    for j in ");
    if (chance(g, 30))
        put(g, "k * 0 + ");
    put(g, "%d..%d {\n        %s c = 3;\n", chance(g, 50) ? pick(g, 30) : 0,
        chance(g, 60) ? r.columns : 30 + pick(g, r.columns - 30), scalar_name(r.scalar));
    if (chance(g, 10))
        put(g, "        if (j %% 7 == 3) { continue; }\n");
    for (int n = 1 + pick(g, 2); n > 0; n--)
        put_way_down(g, &r);
    put(g, "        %s[%s, j] = c;\n    }\n", r.field, ONE_OF(g, "0", "k", "2"));
    put_rows_sum(g, &r);
}

/* ---- an element of a row that the loop changes ---- */

/* All elements but those of one row and one column are changed, by what lies in these. */
void
put_cross_shape(Gen *g)
{
    Rows r;
    open_rows_kernel(g, &r);
    for (int loops = 1 + pick(g, 2); loops > 0; loops--) {
        char own[TEXT_MAX], down[TEXT_MAX];
        const int by = pick(g, 4);
        snprintf(own, TEXT_MAX, "%s[i, %s]", chance(g, 80) ? r.field : r.other, r.column);
        snprintf(down, TEXT_MAX, "%s[%s, j]", chance(g, 80) ? r.field : r.other, r.row);
        put(g, "    for i, j in %d..%d, %d..%d {\n        if (i != %s && j != %s", pick(g, 3),
            r.rows - pick(g, 3), pick(g, 9), r.columns - pick(g, 9), r.row, r.column);
        if (chance(g, 30))
            put(g, " && %s[%s, j] > %s(%d)", r.other, r.row, scalar_name(r.scalar), pick(g, 5));
        const bool right = chance(g, 50), beyond = chance(g, 40);
        if (beyond) /* there may be no such row, or column */
            put(g, right ? " && l + %d < %d" : " && i + %d < %d", by, right ? r.columns : r.rows);
        put(g, ") {\n            %s[i, j] = ", r.field);
        put_small_value(g, &r, own, down);
        put(g, ";\n");
        if (beyond) {
            put(g, right ? "            %s[i, j] += %s[i, l + %d];\n"
                         : "            %s[i, j] += %s[i + %3$d, l];\n", r.field, r.other, by);
        }
        put(g, "        }\n    }\n");
    }
    put_rows_sum(g, &r);
}
