/* shapes_sums.c - kernels that sum up floats, whose order is that of the indices: under every
 * layout and for any number of threads. */
#include "shapes.h"

/* What is summed up, and what the loop goes through. */
typedef struct {
    char field[NAME_MAX_], other[NAME_MAX_];
    const char *type, *sum; /* of the fields, of sums of them */
    int axes, size[2];
} Sums;

static const char *
sums_indices(const Sums *s)
{
    return s->axes == 1 ? "i" : "i, j";
}

/* A layout of nodes of any kind, in any order of axes. */
static void
put_sums_layout(Gen *g, const Sums *s)
{
    g->shaping = true;
    int inner = 1 << pick(g, 4);
    bool turned = s->axes == 2 && chance(g, 40), apart = chance(g, 30);
    g->shaping = false;
    const char *letters = s->axes == 1 ? "i" : turned ? "ji" : "ij";
    int first = s->size[turned], second = s->size[!turned];
    put(g, "%slayout {", ANY_OF(g, "", "@packed "));
    for (int part = 0; part < (apart ? 2 : 1); part++) {
        const char *outer = ANY_OF(g, "dense", "dense", "pointer", "bitmasked", "hash");
        const char *leaf = ANY_OF(g, "dense", "dense", "bitmasked");
        if (s->axes == 1)
            put(g, " %s i[%d] { %s i[%d] { place ", outer, first / inner, leaf, inner);
        else
            put(g, " %s %s[%d, %d] { %s %s[%d, %d] { place ", outer, letters, first / inner,
                second / inner, leaf, letters, inner, inner);
        put(g, apart ? "%s; } }" : "%s, %s; } }", part ? s->other : s->field, s->other);
    }
    put(g, " }\n");
}

static void
put_sums_fields(Gen *g, Sums *s)
{
    *s = (Sums){ .type = ONE_OF(g, "f32", "f32", "f64", "f16"), .axes = 1 + pick(g, 2) };
    s->size[0] = s->axes == 1 ? 1024 << pick(g, 3) : 16 << pick(g, 3);
    s->size[1] = 16 * (1 + pick(g, 5));
    s->sum = chance(g, 40) ? "f64" : s->type;
    new_name(g, s->field, "x");
    new_name(g, s->other, "x");
    put(g, "field %s %s, %s;\n", s->type, s->field, s->other);
    put_sums_layout(g, s);
}

/* "x[i, j] * 0.25" and the like. */
static void
put_summand(Gen *g, const Sums *s)
{
    const char *field = chance(g, 60) ? s->field : s->other, *at = sums_indices(s);
    switch (pick(g, 6)) {
    case 0: put(g, "%s[%s]", field, at); break;
    case 1: put(g, "%s[%s] * %s[%s]", s->field, at, s->other, at); break;
    case 2: put(g, "(%s[%s] > 0.25 ? %s[%s] : 0.125)", field, at, s->other, at); break;
    case 3: put(g, "abs(%s[%s] - %s[%s])", s->field, at, s->other, at); break;
    case 4: put(g, "%s(i) * 0.0625 - %s[%s]", s->type, field, at); break;
    default: put(g, "%s[%s] / (1.5 + %s[%s])", field, at, s->other, at); break;
    }
}

static void
put_sums_loop(Gen *g, const Sums *s, int sums)
{
    put(g, "    for %s in ", sums_indices(s));
    if (chance(g, 50))
        put(g, "%s", chance(g, 50) ? s->field : s->other);
    else
        put(g, s->axes == 1 ? "%d..%d" : "%d..%d, 0..%d", pick(g, 5), s->size[0] - pick(g, 5),
            s->size[1]);
    put(g, " {\n");
    if (chance(g, 20))
        put(g, "        if (i %% %d == 1) { continue; }\n", 3 + pick(g, 9));
    for (int n = 1 + pick(g, 3); n > 0; n--) {
        bool some = chance(g, 25), inner = chance(g, 15);
        int at = pick(g, sums);
        put(g, "        %s%s", some ? "if (i % 4 != 2) { " : "", inner ? "for k in 0..3 { " : "");
        if (at == sums - 1) {
            put(g, "v += %sx3(", s->type);
            put_summand(g, s);
            put(g, ", %s[%s], 1);", s->field, sums_indices(s));
        } else {
            put(g, "s%d %s= %s(", at, ONE_OF(g, "+", "+", "-"), s->sum);
            put_summand(g, s);
            put(g, ");");
        }
        put(g, "%s%s\n", inner ? " }" : "", some ? " }" : "");
    }
    if (chance(g, 25))
        put(g, "        atomic_%s(m, %s[%s]);\n", ONE_OF(g, "max", "min"), s->other,
            sums_indices(s));
    if (chance(g, 20))
        put(g, "        %s[%s] += 0.5;\n", s->other, sums_indices(s));
    put(g, "    }\n");
}

static void
put_sums_start(Gen *g, const Sums *s)
{
    const char *at = sums_indices(s);
    put(g, s->axes == 1 ? "    for i in 0..%d {" : "    for i, j in 0..%d, 0..%d {", s->size[0],
        s->size[1]);
    put(g, " %s[%s] = %s(sin(f32(i * %d%s)));", s->field, at, s->type, 1 + pick(g, 9),
        s->axes == 1 ? "" : " + j");
    put(g, " %s[%s] = %s(i %% %d) * 0.375; }\n", s->other, at, s->type, 3 + pick(g, 9));
}

void
put_sums_shape(Gen *g)
{
    Sums s;
    int sums = 2 + pick(g, 2); /* the last one is of vectors */
    put_sums_fields(g, &s);
    open_kernel(g);
    put_sums_start(g, &s);
    put(g, "    %s m = 0;\n    %sx3 v = %sx3(0);\n", s.type, s.type, s.type);
    for (int n = 0; n < sums - 1; n++)
        put(g, "    %s s%d = %d;\n", s.sum, n, n);
    for (int n = 1 + pick(g, 3); n > 0; n--)
        put_sums_loop(g, &s, sums);
    put(g, "    i64 h = hash_%s(m) + hash_%s(v.x) * 3 + hash_%s(v.y) * 5 + hash_%s(v.z) * 7;\n",
        s.type, s.type, s.type, s.type);
    for (int n = 0; n < sums - 1; n++)
        put(g, "    h += hash_%s(s%d) * %d;\n", s.sum, n, 11 + 2 * n);
    put(g, "    return h;\n}\n");
}
