/* shapes_vast.c - fields of more than 2^32 elements along an axis, few of which are there: loop
 * variables and indices have 64 bits. */
#include <stdio.h>
#include <string.h>

#include "shapes.h"

/* What is made lies at multiples of BLOCK, and no node below the label spans more. */
enum { BLOCK = 4096, TEXT_MAX = 96 };

typedef struct {
    char value[NAME_MAX_], other[NAME_MAX_], label[NAME_MAX_], at[NAME_MAX_], to[NAME_MAX_];
    const char *type;
    int rows;           /* along a second axis; 0: there is none */
    int bits;           /* the field has 1 << bits elements along the first one */
    int shift;          /* a cell of the label has 1 << shift elements */
    int count;          /* of places */
    long long first, step; /* of the places */
} Vast;

/* Nodes that span i[1 << bits] and have a label where cells span 16 or more. */
static void
put_vast_nodes(Gen *g, Vast *v, bool negative)
{
    g->shaping = true;
    const int inner = 4 + pick(g, 5), middle = chance(g, 40) ? 1 + pick(g, 4) : 0,
              upper = chance(g, 30) ? 4 + pick(g, 6) : 0, left = v->bits - inner - middle - upper;
    const bool together = chance(g, 60), packed = chance(g, 40), reversed = chance(g, 50);
    const char *last = ANY_OF(g, "dense", "bitmasked"),
               *among = ANY_OF(g, "dense", "bitmasked", "pointer"),
               *lowest = ANY_OF(g, "pointer", "hash");
    g->shaping = false;
    v->shift = inner + middle;
    put(g, "%slayout { ", packed ? "@packed " : "");
    if (negative)
        put(g, "@offset(%lld%s) ", -(1LL << (v->bits - 1)), v->rows ? ", 0" : "");
    int closing = 1;
    if (upper) {
        put(g, "hash i[%lld] { %s: %s i[%d] { ", 1LL << left, v->label, lowest, 1 << upper);
        closing++;
    } else {
        put(g, "%s: hash i[%lld] { ", v->label, 1LL << left);
    }
    if (middle) {
        put(g, "%s i[%d] { ", among, 1 << middle);
        closing++;
    }
    const char *axes = !v->rows ? "i" : reversed ? "ji" : "ij";
    for (int part = 0; part < (together ? 1 : 2); part++) {
        put(g, "%s %s[", last, axes);
        if (v->rows && reversed)
            put(g, "%d, ", v->rows);
        put(g, "%d", 1 << inner);
        if (v->rows && !reversed)
            put(g, ", %d", v->rows);
        put(g, "] { place %s", part ? v->other : v->value);
        put(g, together ? ", %s; } " : "; } ", v->other);
    }
    while (closing-- > 0)
        put(g, "} ");
    put(g, "}\n");
}

static void
put_vast_fields(Gen *g, Vast *v)
{
    const bool negative = chance(g, 50);
    *v = (Vast){.type = ONE_OF(g, "i32", "i64", "f32", "u16"),
                .rows = chance(g, 35) ? 1 + pick(g, 6) : 0,
                .bits = 33 + pick(g, 12),
                .count = 20 + pick(g, 100)};
    v->step = (long long)BLOCK * (1 + pick(g, chance(g, 50) ? 4 : 1000000));
    const long long most = 1LL << v->bits;
    while (v->step * (v->count + 2) > most / 2)
        v->step = (v->step / 2 + BLOCK - 1) / BLOCK * BLOCK;
    v->first = BLOCK * (1 + (long long)pick(g, 1000000) % (most / 2 / BLOCK - 1));
    if (chance(g, 40)) /* around 2^32, or 2^31 */
        v->first = (1LL << (chance(g, 50) ? 32 : 31)) - v->step * pick(g, 8);
    if (v->first < BLOCK || v->first + v->step * (v->count + 1) > most - BLOCK)
        v->first = BLOCK;
    if (negative)
        v->first -= most / 2;
    new_name(g, v->value, "x");
    new_name(g, v->other, "x");
    new_name(g, v->label, "node");
    new_name(g, v->at, "x");
    new_name(g, v->to, "x");
    put(g, "field %s %s;\nfield i32 %s;\nfield i64 %s[%d];\nfield i64 %s[%d];\n", v->type, v->value,
        v->other, v->at, v->count, v->to, v->count);
    put_vast_nodes(g, v, negative);
}

/* "x[AT + 3, 1]" */
static void
put_vast(Gen *g, const Vast *v, const char *field, const char *at, int by)
{
    put(g, "%s[%s", field, at);
    if (by)
        put(g, " %c %d", by < 0 ? '-' : '+', by < 0 ? -by : by);
    if (v->rows)
        put(g, strcmp(at, "i") == 0 ? ", j" : ", %d", pick(g, v->rows));
    put(g, "]");
}

/* Where the n-th place is. */
static const char *
place_of(Gen *g, const Vast *v, char *text)
{
    switch (pick(g, 4)) {
    case 0: snprintf(text, TEXT_MAX, "%s[n]", v->at); break;
    case 1: snprintf(text, TEXT_MAX, "%lld + i64(n) * %lld", v->first, v->step); break;
    case 2:
        snprintf(text, TEXT_MAX, "(i64(n) * %lld + %lld) * %d", v->step / BLOCK, v->first / BLOCK,
                 BLOCK);
        break;
    default: snprintf(text, TEXT_MAX, "p"); break;
    }
    return text;
}

static void
open_places(Gen *g, const Vast *v)
{
    put(g, "    for n in 0..%d { let p = %s[n]; ", v->count, v->at);
}

static void
put_vast_read(Gen *g, const Vast *v)
{
    char text[TEXT_MAX];
    open_places(g, v);
    put(g, "%s[n] += i64(", v->to);
    put_vast(g, v, v->value, place_of(g, v, text), pick(g, 7) - 2);
    put(g, ") * 3 + i64(");
    put_vast(g, v, v->other, place_of(g, v, text), pick(g, 3));
    put(g, "); }\n");
}

static void
put_vast_write(Gen *g, const Vast *v)
{
    char text[TEXT_MAX];
    open_places(g, v);
    if (chance(g, 50))
        put(g, "if (n %% %d == 1) { ", 2 + pick(g, 4));
    else
        put(g, "{ ");
    put_vast(g, v, v->value, place_of(g, v, text), pick(g, 6));
    put(g, " = %s(n %% 50 + 1); } }\n", v->type);
}

static void
put_vast_cells(Gen *g, const Vast *v)
{
    const char *where = ONE_OF(g, "i % 1009", "i / 4096 % 100", "(i & 1023)", "(i >> 12) % 77",
                               "i % 64 - 3", "floormod(i, 1000)");
    put(g, "    for i%s in %s { if (%s[i%s] != 0", v->rows ? ", j" : "", v->value, v->value,
        v->rows ? ", j" : "");
    if (chance(g, 30))
        put(g, " && i %s %lld", ONE_OF(g, "<", ">=", "!="), v->first + v->step * pick(g, v->count));
    put(g, ") { ");
    put_vast(g, v, v->other, "i", 0);
    put(g, " %s i32(%s)", ONE_OF(g, "=", "+="), where);
    for (int n = pick(g, 3); n > 0; n--) {
        put(g, " + i32(");
        put_vast(g, v, v->value, "i", pick(g, 5) - 2);
        put(g, ")");
    }
    put(g, "; } }\n");
}

static void
put_vast_activity(Gen *g, const Vast *v)
{
    char text[TEXT_MAX];
    open_places(g, v);
    if (chance(g, 50)) {
        put(g, "if (is_active(%s[(%s) >> %d])) { %s[n] += 7; } }\n", v->label,
            place_of(g, v, text), v->shift, v->to);
        return;
    }
    put(g, "if (n %% %d == 0) { deactivate(%s[(%s) >> %d]); } }\n", 2 + pick(g, 5), v->label,
        place_of(g, v, text), v->shift);
}

void
put_vast_shape(Gen *g)
{
    Vast v;
    put_vast_fields(g, &v);
    open_kernel(g);
    put(g, "    deactivate_all(%s);\n", v.label);
    put(g, "    for n in 0..%d { %s[n] = %lld + i64(n) * %lld; %s[n] = 0; }\n",
        v.count, v.at, v.first, v.step, v.to);
    put_vast_write(g, &v);
    for (int n = 2 + pick(g, 5); n > 0; n--)
        switch (pick(g, 4)) {
        case 0: put_vast_read(g, &v); break;
        case 1: put_vast_write(g, &v); break;
        case 2: put_vast_cells(g, &v); break;
        default: put_vast_activity(g, &v); break;
        }
    put(g, "    i64 s = 0;\n    for n in %s { s += %s[n] * (1 + n); }\n", v.to, v.to);
    const char *rows = v.rows ? ", j" : "";
    put(g, "    for i%s in %s { if (%s[i%s] != 0) { s += i64(%s[i%s]) * (i %% 1000003 + 5)", rows,
        v.value, v.value, rows, v.value, rows);
    put(g, " + i64(%s[i%s]); } }\n    return s;\n}\n", v.other, rows);
}
