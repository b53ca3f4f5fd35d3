/* shapes_runs.c - loops whose iterations append to one of many lists, mostly to the one that the
 * iteration before has appended to. */
#include <stdio.h>
#include <string.h>

#include "shapes.h"

typedef struct {
    char key[NAME_MAX_], weight[NAME_MAX_], own[NAME_MAX_], label[NAME_MAX_];
    const char *type; /* of weight */
    int lists, count; /* count: of iterations */
    bool two;         /* there is a weight */
} Runs;

static void
put_runs_fields(Gen *g, Runs *r)
{
    *r = (Runs){.type = ONE_OF(g, "f32", "i64", "u8", "f64x2"),
                .lists = chance(g, 75) ? 1024 << pick(g, 2) : 100,
                .count = 30 + pick(g, 900),
                .two = chance(g, 60)};
    new_name(g, r->key, "x");
    new_name(g, r->weight, "x");
    new_name(g, r->own, "x");
    new_name(g, r->label, "node");
    g->shaping = true;
    const int chunk = 1 << pick(g, 6), inner = chance(g, 20) ? 4 : 1;
    const bool packed = chance(g, 40), apart = chance(g, 40);
    g->shaping = false;
    put(g, "field i32 %s;\nfield i32 %s[%d];\n", r->key, r->own, r->count + 8);
    if (r->two)
        put(g, "field %s %s;\n", r->type, r->weight);
    put(g, "%slayout { %s i[%d] {", packed ? "@packed " : "",
        ANY_OF(g, "dense", "dense", "dense", "dense", "pointer", "hash"), r->lists / inner);
    if (inner > 1)
        put(g, " %s i[%d] {", ANY_OF(g, "dense", "bitmasked"), inner);
    put(g, " @chunk(%d) %s: dynamic j[%d] { place %s", chunk, r->label, 4 * r->count, r->key);
    if (r->two)
        put(g, apart ? "; place %s" : ", %s", r->weight);
    put(g, "; } }%s }\n", inner > 1 ? " }" : "");
}

/* The number of a list, by that of the iteration. */
static void
put_run_index(Gen *g, const Runs *r)
{
    const int length = 1 + pick(g, 40), bits = 1 + pick(g, 5);
    switch (pick(g, 8)) {
    case 0: put(g, "p / %d %% %d", length, r->lists); break;
    case 1: put(g, "(p >> %d) %% %d", bits, r->lists); break;
    case 2: put(g, "(p + %d) / %d %% %d", pick(g, 50), length, r->lists); break;
    case 3: put(g, "(%d - p) / %d %% %d", r->count + 8, length, r->lists); break;
    case 4: put(g, "(p / %d + p %% 2) %% %d", length, r->lists); break;
    case 5: put(g, "(p & %d) / %d", 63 >> pick(g, 2), 1 + length / 8); break;
    case 6: put(g, "i64(p) * %d / %d %% %d", 1 + pick(g, 3), length, r->lists); break;
    default: put(g, "(p / %d * %d + %d) %% %d", length, 1 + pick(g, 90), pick(g, 9), r->lists);
    }
}

static void
put_run_loop(Gen *g, const Runs *r)
{
    const int from = pick(g, 3) * pick(g, 20), step = chance(g, 15) ? 2 : 1;
    const bool some = chance(g, 30);
    put(g, "    %sfor p in %d..%d", chance(g, 10) ? "@serial " : "", from,
        from < r->count ? r->count : from + 1);
    put(g, step > 1 ? " step 2 { " : " { ");
    if (some)
        put(g, "if (%s) { ", ONE_OF(g, "p % 3 != 0", "p % 50 < 20", "p > 9", "p < 0"));
    else if (chance(g, 15))
        put(g, "if (p %% %d == 1) { continue; } ", 2 + pick(g, 9));
    if (chance(g, 15))
        put(g, "let at = append(%s[", r->label);
    else
        put(g, "append(%s[", r->label);
    put_run_index(g, r);
    put(g, "], p");
    if (r->two)
        put(g, ", %s(p %% 100)", r->type);
    put(g, ");%s", some ? " }" : "");
    if (chance(g, 25))
        put(g, " %s[p] += p;", r->own);
    put(g, " }\n");
}

/* Lists become shorter, or longer by cells that hold nothing. */
static void
put_run_change(Gen *g, const Runs *r)
{
    if (chance(g, 50))
        put(g, "    for i in 0..%d { if (i %% 3 == 1) { deactivate(%s[i]); } }\n", r->lists / 4,
            r->label);
    else
        put(g, "    for i in 0..%d { %s[i, length(%s[i]) + %d] = i; }\n", 1 + pick(g, 40), r->key,
            r->label, pick(g, 40));
}

void
put_appends_shape(Gen *g)
{
    Runs r;
    put_runs_fields(g, &r);
    open_kernel(g);
    put(g, "    deactivate_all(%s);\n    for i in %s { %s[i] = 0; }\n", r.label, r.own, r.own);
    for (int n = 1 + pick(g, 3); n > 0; n--) {
        put_run_loop(g, &r);
        if (n > 1 && chance(g, 40))
            put_run_change(g, &r);
    }
    put(g, "    i64 s = 0;\n    for i, j in %s { s += i64(%s[i, j]) * (1 + i)", r.label, r.key);
    if (r.two)
        put(g, " + i64(%s[i, j]%s) * 3", r.weight, strchr(r.type, 'x') ? ".y" : "");
    put(g, "; }\n    for i in 0..%d { s += i64(length(%s[i])) * (7 + i); }\n", r.lists, r.label);
    put(g, "    for i in %s { s += i64(%s[i]) * (2 + i); }\n    return s;\n}\n", r.own, r.own);
}
