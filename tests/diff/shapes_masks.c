/* shapes_masks.c - loops over cells, active one by one, that change nothing but their own cell:
 * what lies beside them in a word of a mask may be computed, but not kept. */
#include "shapes.h"

enum { FIELDS = 3 };

typedef struct {
    char field[FIELDS][NAME_MAX_];
    Scalar scalar[FIELDS];
    int axes, size;  /* along each axis */
    const char *at;  /* the indices of the loop */
} Words;

static void
put_words_layout(Gen *g, const Words *w)
{
    g->shaping = true;
    int inner = w->axes == 1 ? 8 << pick(g, 4) : 4 << pick(g, 3);
    bool apart = chance(g, 20);
    g->shaping = false;
    const char *letters = w->axes == 1 ? "i" : ANY_OF(g, "ij", "ij", "ji"), *second;
    for (int n = 0; n < (apart ? FIELDS : 1); n++) {
        put(g, "layout { %s %s[%d", ANY_OF(g, "dense", "dense", "pointer", "hash"), letters,
            w->size / inner);
        put(g, w->axes == 1 ? "] {" : ", %d] {", w->size / inner);
        second = ANY_OF(g, "bitmasked", "bitmasked", "bitmasked", "pointer", "hash");
        put(g, w->axes == 1 ? " %s %s[%d] { place " : " %s %s[%d, %d] { place ", second, letters,
            inner, inner);
        if (apart)
            put(g, "%s; } } }\n", w->field[n]);
        else
            put(g, "%s, %s, %s; } } }\n", w->field[0], w->field[1], w->field[2]);
    }
}

static void
put_words_fields(Gen *g, Words *w)
{
    static const Scalar scalars[] = { S_F32, S_F32, S_F64, S_I32, S_I32, S_I64, S_I16, S_U8 };
    *w = (Words){ .axes = 1 + pick(g, 2) };
    w->size = w->axes == 1 ? 256 : 32;
    w->at = w->axes == 1 ? "i" : "i, j";
    const Scalar one = scalars[pick(g, 8)];
    const bool alike = chance(g, 60);
    for (int n = 0; n < FIELDS; n++) {
        w->scalar[n] = alike ? one : scalars[pick(g, 8)];
        new_name(g, w->field[n], "x");
        put(g, "field %s %s;\n", scalar_name(w->scalar[n]), w->field[n]);
    }
    put_words_layout(g, w);
}

/* Cells far apart, half of them, or all but a few; in some places whole words. */
static void
put_chosen_cells(Gen *g, const Words *w)
{
    put(g, w->axes == 1 ? "    for i in 0..%d {\n" : "    for i, j in 0..%d, 0..%d {\n", w->size,
        w->size);
    put(g, "        let c = i * %d%s;\n", 1 + pick(g, 40), w->axes == 1 ? "" : " + j * 11");
    put(g, "        if (c %% %d %s %d", 2 + pick(g, 30), ONE_OF(g, "==", "!=", "<", ">"),
        pick(g, 4));
    if (chance(g, 60))
        put(g, " || i / 8 %% %d == 1", 2 + pick(g, 3));
    put(g, ") {\n");
    for (int n = 0; n < FIELDS; n++) /* else other cells are active where they lie apart */
        put(g, "            %s[%s] = %s(c %% %d);\n", w->field[n], w->at,
            scalar_name(w->scalar[n]), 3 + pick(g, 30));
    put(g, "        }\n    }\n");
}

/* A number of the type of field `to`; integers are from 0 to 15. */
static void
put_number(Gen *g, const Words *w, int to)
{
    const char *type = scalar_name(w->scalar[to]);
    const int from = pick(g, FIELDS);
    const bool floats = is_float(w->scalar[to]), fits = floats == is_float(w->scalar[from]);
    const int kind = pick(g, 8);
    if (kind == 0)
        put(g, "%s(%d)", type, 1 + pick(g, 9));
    else if (kind == 1)
        put(g, "%s(%s & 7)", type, w->axes == 1 ? "i" : ONE_OF(g, "i", "j"));
    else if (kind == 2)
        put(g, "%s(q)", type);
    else if (!fits)
        put(g, floats ? "%s[%s] * 0.5" : "%s[%s] & 15", w->field[to], w->at);
    else
        put(g, floats ? "%s(%s[%s])" : "%s(%s[%s] & 15)", type, w->field[from], w->at);
}

/* "x[i] > 3" and the like. */
static void
put_condition(Gen *g, const Words *w)
{
    const int n = pick(g, FIELDS);
    if (chance(g, 25))
        put(g, ONE_OF(g, "(i & 1) == %d", "i < 2%d", "(i & 6) != %d"), pick(g, 2));
    else
        put(g, "%s[%s] %s %d", w->field[n], w->at, ONE_OF(g, "<", ">", "<=", "!="), pick(g, 9));
    if (chance(g, 25)) {
        put(g, ONE_OF(g, " && ", " || "));
        put_condition(g, w);
    }
}

/* "a + b" and the like, of two numbers. */
static void
put_pair(Gen *g, const Words *w, int to)
{
    typedef struct {
        const char *before, *between, *after;
    } Form;
    static const Form floats[] = { { "", " + ", "" },      { "", " - ", "" },
                                   { "", " * 0.25 + ", "" }, { "", " / (1.5 + abs(", "))" },
                                   { "min(", ", ", ")" },  { "sin(", ") + ", "" },
                                   { "max(", ", ", ")" },  { "floor(", ") - ", "" } },
                      integers[] = { { "", " + ", "" }, { "", " | ", "" },
                                     { "", " ^ ", "" },     { "", " * ", "" },
                                     { "min(", ", ", ")" }, { "max(", ", ", ")" } };
    const Form *form = is_float(w->scalar[to]) ? &floats[pick(g, 8)] : &integers[pick(g, 6)];
    put(g, "%s", form->before);
    put_number(g, w, to);
    put(g, "%s", form->between);
    put_number(g, w, to);
    put(g, "%s", form->after);
}

/* A value that field `to` is set to. */
static void
put_value(Gen *g, const Words *w, int to)
{
    if (chance(g, 80)) {
        put_pair(g, w, to);
        return;
    }
    put(g, "(");
    put_condition(g, w);
    put(g, ") ? ");
    put_number(g, w, to);
    put(g, " : ");
    put_number(g, w, to);
}

static void
put_change(Gen *g, const Words *w)
{
    const int to = pick(g, FIELDS);
    const bool adds = chance(g, 20) && is_float(w->scalar[to]);
    put(g, "%s[%s] %s ", w->field[to], w->at, adds ? "+=" : "=");
    if (chance(g, 10) && !adds)
        put(g, "%s(t)", scalar_name(w->scalar[to]));
    else
        put_value(g, w, to);
    put(g, "; ");
}

/* What the whole loop adds up: numbers that are exact. */
static void
put_total(Gen *g, const Words *w)
{
    const int of = pick(g, FIELDS);
    const bool floats = is_float(w->scalar[of]);
    switch (pick(g, 4)) {
    case 0: put(g, "n += %d; ", 1 + pick(g, 3)); break;
    case 1: put(g, "f += f32(i & 15) * 0.5; "); break;
    case 2:
        put(g, floats ? "f += %s[%s] > 2.0 ? 1.5 : 0.25; " : "s += i64(%s[%s]); ", w->field[of],
            w->at);
        break;
    default:
        put(g, floats ? "atomic_min(low, f64(%s[%s])); " : "atomic_xor(bits, i32(%s[%s] & 63)); ",
            w->field[of], w->at);
    }
}

static void
put_words_loop(Gen *g, const Words *w)
{
    put(g, "    for %s in %s {\n        i32 t = q + %d;\n", w->at, w->field[pick(g, FIELDS)],
        pick(g, 5));
    for (int n = 1 + pick(g, 4); n > 0; n--) {
        const bool guarded = chance(g, 40);
        put(g, "        ");
        if (guarded) {
            put(g, "if (");
            put_condition(g, w);
            put(g, ") { ");
        }
        put_change(g, w);
        if (chance(g, 25))
            put_total(g, w);
        if (guarded && chance(g, 30))
            put(g, "t = i & 7; ");
        if (guarded)
            put(g, "} ");
        if (guarded && chance(g, 50)) {
            put(g, "else { ");
            put_change(g, w);
            put(g, "} ");
        }
        put(g, "\n");
    }
    if (chance(g, 10))
        put(g, "        if (i %% 5 == 2) { continue; }\n");
    put(g, "        ");
    put_change(g, w);
    put(g, "n += t & 3;\n    }\n");
}

void
put_masked_cells_shape(Gen *g)
{
    Words w;
    put_words_fields(g, &w);
    open_kernel(g);
    put_chosen_cells(g, &w);
    put(g,
        "    let q = %d;\n    i64 s = 0;\n    i32 n = 0;\n    i32 bits = 0;\n    f32 f = 0;\n"
        "    f64 low = 100;\n",
        1 + pick(g, 9));
    for (int n = 1 + pick(g, 3); n > 0; n--)
        put_words_loop(g, &w);
    put(g, "    s += n + bits + hash_f32(f) + hash_f64(low);\n");
    put(g, w.axes == 1 ? "    for i in 0..%d {" : "    for i, j in 0..%d, 0..%d {", w.size, w.size);
    for (int n = 0; n < FIELDS; n++)
        put(g, " s += hash_%s(%s[%s]) * (%d + i%s);", scalar_name(w.scalar[n]), w.field[n], w.at,
            1 + 2 * n, w.axes == 1 ? "" : " + 7 * j");
    put(g, " }\n    return s;\n}\n");
}
