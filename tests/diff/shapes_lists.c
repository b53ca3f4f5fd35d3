/* shapes_lists.c - kernels that go through the cells of lists: those of several lists for each cell
 * of one, those of a list that may grow meanwhile, and those of lists that are filled one after
 * another. */
#include <stdio.h>

#include "shapes.h"

/* Lists with a vector, a number and two results in each cell. */
typedef struct {
    char at[NAME_MAX_], weight[NAME_MAX_], out[NAME_MAX_], far[NAME_MAX_], label[NAME_MAX_],
        turn[NAME_MAX_];              /* a function of two i32 */
    const char *vector, *part, *type; /* types of the vector, of its components, of the number */
    int lists, most;                  /* how many, and how many cells each may have */
} Lists;

static void
put_lists_layout(Gen *g, const Lists *l)
{
    g->shaping = true;
    const int chunk = 1 + pick(g, 20), kind = pick(g, 4);
    const bool packed = chance(g, 50);
    g->shaping = false;
    const char *outer = ANY_OF(g, "dense", "dense", "pointer", "bitmasked", "hash");
    put(g, "%slayout { ", packed ? "@packed " : "");
    if (kind == 0)
        put(g, "%s i[%d] { %s i[4] { ", outer, l->lists / 4, ANY_OF(g, "dense", "bitmasked"));
    else
        put(g, "%s i[%d] { ", outer, l->lists);
    put(g, "@chunk(%d) %s: dynamic j[%d] { place %s, %s, %s, %s; } }%s }\n", chunk, l->label,
        l->most, l->at, l->weight, l->out, l->far, kind == 0 ? " }" : "");
}

static void
put_lists(Gen *g, Lists *l)
{
    *l = (Lists){.vector = ONE_OF(g, "f32x3", "f32x2", "i32x2", "i32x4", "f64x2"),
                 .type = ONE_OF(g, "f32", "f32", "f64", "i32", "i64", "i16", "u8"),
                 .lists = 4 * (1 + pick(g, 4)),
                 .most = 1 + pick(g, chance(g, 70) ? 40 : 100)};
    l->part = l->vector[0] == 'i' ? "i32" : l->vector[1] == '6' ? "f64" : "f32";
    new_name(g, l->at, "x");
    new_name(g, l->weight, "x");
    new_name(g, l->out, "x");
    new_name(g, l->far, "x");
    new_name(g, l->label, "node");
    new_name(g, l->turn, "turn");
    put(g, "field %s %s, %s;\nfield %s %s, %s;\n", l->vector, l->at, l->far, l->type, l->weight,
        l->out);
    put_lists_layout(g, l);
    put(g,
        "func i32 %s(i32 a, i32 b) { i32 s = a; if (b > %d) { s += b; } s = s * 3 - a; return s; "
        "}\n",
        l->turn, pick(g, 9));
}

static void
put_lists_start(Gen *g, const Lists *l)
{
    put(g,
        "    deactivate_all(%s);\n    for i in 0..%d { for j in 0..(i * %d + %d) %% %d { "
        "append(%1$s[i], %s(%s((i * 7 + j * %d) %% 11)), %s((i + j * %d) %% 13), %s(0), %s(0)); } "
        "}\n",
        l->label, l->lists, pick(g, 30), pick(g, 50), l->most + 1, l->vector, l->part,
        1 + pick(g, 9), l->type, 1 + pick(g, 9), l->type, l->vector);
}

static void
put_lists_sum(Gen *g, const Lists *l)
{
    put(g,
        "    i64 s = 0;\n    for i, j in %s { s += (hash_%s(%s[i, j]) + hash_%s(%s[i, j].y) * 3) * "
        "(1 + i * 101 + j); }\n    return s;\n}\n",
        l->label, l->type, l->out, l->part, l->far);
}

/* ---- cells that go through loops together ---- */

/* A number of the type of the cells, near 0, in a loop over other cells r, n. */
static void
put_walk_value(Gen *g, const Lists *l)
{
    switch (pick(g, 9)) {
    case 0: put(g, "%s[r, n]", l->weight); break;
    case 1: put(g, "(%s[r, n] - %s[i, j])", l->weight, l->weight); break;
    case 2: put(g, "%s(i32(%s[r, n].x - p.y))", l->type, l->at); break;
    case 3: put(g, "%s(j & 7)", l->type); break;
    case 4: put(g, "%s(c & 3)", l->type); break;
    case 5: put(g, "%s(u & 15)", l->type); break;
    case 6: put(g, "%s(i32((p.x + p.y) * (p.x + p.y)))", l->type); break;
    case 7: put(g, "(t > 9 ? t - 5 : %s[r, n])", l->weight); break;
    default: put(g, "%s(%d)", l->type, pick(g, 9)); break;
    }
}

/* A condition that differs between cells. */
static void
put_walk_condition(Gen *g, const Lists *l)
{
    switch (pick(g, 7)) {
    case 0: put(g, "%s[r, n] %s %s[i, j]", l->weight, ONE_OF(g, "<", "==", ">="), l->weight); break;
    case 1: put(g, "(j + n) %% 3 == %d", pick(g, 3)); break;
    case 2: put(g, "c > u || b"); break;
    case 3: put(g, "p.x < %s[r, n].x && c < %d", l->at, pick(g, 9)); break;
    case 4: put(g, "t > %d", pick(g, 9)); break;
    case 5: put(g, "v.y == p.x"); break;
    default: put(g, "n != j"); break;
    }
}

/* One that is the same for all. */
static const char *
steady_condition(Gen *g)
{
    return ONE_OF(g, "n % 4 == 2", "u > 20", "r == 2", "n > 10", "(u & 1) == 1");
}

/* A value that differs, before and after something that is the same for all: a change of a
 * variable, a function with variables of its own. */
static void
put_walk_twice(Gen *g, const Lists *l)
{
    const char *steady = ONE_OF(g, "1", "n", "r");
    switch (pick(g, 5)) {
    case 0:
        put(g, "v += %s[r, n] - p; u += %s; v -= (%s[r, n] - p) * 2;", l->at, steady, l->at);
        break;
    case 1:
        put(g, "c = %s %s(%s);", ONE_OF(g, "c * 3 +", "j -", "i32(u8(j)) ^"), l->turn,
            ONE_OF(g, "n, u", "u, n", "r, 5", "n, j"));
        break;
    case 2:
        put(g, "v = (%s[r, n] - p) * %s(%s(n, %s) & 3);", l->at, l->part, l->turn, steady);
        break;
    case 3: put(g, "b = (%s > j) == (%s(u, n) > 4);", steady, l->turn); break;
    default:
        put(g, "t = max(t, %s(i64(j) + %s(n, u) & 15)); u += %s;", l->type, l->turn, steady);
        break;
    }
}

static void
put_walk_statement(Gen *g, const Lists *l, int depth)
{
    const char *half = l->type[0] == 'f' ? " * 0.5" : "";
    switch (pick(g, depth > 0 ? 14 : 9)) {
    case 0:
        put(g, "t = t%s + ", half);
        put_walk_value(g, l);
        put(g, ";");
        break;
    case 1:
        put(g, "t = max(t, ");
        put_walk_value(g, l);
        put(g, ");");
        break;
    case 2: put(g, "v += %s[r, n] - p;", l->at); break;
    case 3: put(g, "v.%s -= %s;", ONE_OF(g, "x", "y"), ONE_OF(g, "p.x", "1", "2", "v.y")); break;
    case 4:
        put(g, "c = c * 3 + %s;", ONE_OF(g, "n", "u", "j", "i32(p.x)", "i32(b)", "c & 1"));
        break;
    case 5: put(g, "u += %s;", ONE_OF(g, "1", "n", "r", "n & 3")); break;
    case 6:
        put(g, "b = b %s (", ONE_OF(g, "==", "!="));
        put_walk_condition(g, l);
        put(g, ");");
        break;
    case 7:
        put(g, "m[%d, %d] %s %s(c & 7);", pick(g, 2), pick(g, 2), ONE_OF(g, "+=", "-=", "="),
            "f32");
        break;
    case 8: put(g, "v[%d] = %s(j) - v.x;", pick(g, 2), l->part); break;
    case 9:
    case 11: put_walk_twice(g, l); break;
    case 10:
        put(g, "v = %s(p.y, v.x%s);", l->vector,
            l->vector[4] == '2'   ? ""
            : l->vector[4] == '3' ? ", 1"
                                  : ", 1, 2");
        break;
    default:
        put(g, "if (");
        if (chance(g, 75))
            put_walk_condition(g, l);
        else
            put(g, "%s", steady_condition(g));
        put(g, ") { ");
        put_walk_statement(g, l, depth - 1);
        if (chance(g, 50)) {
            put(g, " } else { ");
            put_walk_statement(g, l, depth - 1);
            put_walk_statement(g, l, depth - 1);
        }
        put(g, " }");
        break;
    }
    put(g, " ");
}

static void
put_walk_statements(Gen *g, const Lists *l)
{
    for (int n = 1 + pick(g, 4); n > 0; n--)
        put_walk_statement(g, l, 2);
    put(g, "\n");
}

/* A sequential loop of each cell, mostly over those of some lists. */
static void
put_walk_loop(Gen *g, const Lists *l)
{
    const bool jumps = chance(g, 25);
    put(g, "        ");
    switch (pick(g, 5)) {
    case 0: put(g, "for r in i..i + 1 { "); break;
    case 1: put(g, "for r in %d..%d { ", pick(g, 2), 1 + pick(g, 3)); break;
    case 2: put(g, "for r in i..%d step 2 { ", l->lists); break;
    default: put(g, "for r in max(i - 1, 0)..min(i + 2, %d) { ", l->lists); break;
    }
    if (chance(g, 20))
        put(g, "if (r %% 3 == %d) { continue; } ", pick(g, 3));
    if (chance(g, 30))
        put(g, "let n = 0; if (length(%s[r]) > 0) { ", l->label), put_walk_statement(g, l, 1),
            put(g, "} ");
    switch (pick(g, 6)) {
    case 0: put(g, "for n in 0..min(length(%s[r]), %d) { ", l->label, 1 + pick(g, 6)); break;
    case 1: put(g, "for n in length(%s[r]) - 1..-1 step -1 { ", l->label); break;
    default: put(g, "for n in 0..length(%s[r]) { ", l->label); break;
    }
    if (jumps)
        put(g, "if (%s) { %s; } ", steady_condition(g), chance(g, 50) ? "continue" : "break");
    put_walk_statements(g, l);
    put(g, "        } }\n");
}

void
put_inner_loops_shape(Gen *g)
{
    Lists l;
    put_lists(g, &l);
    open_kernel(g);
    put_lists_start(g, &l);
    put(g,
        "    for i, j in %s {\n        let p = %s[i, j];\n        %s t = %s[i, j];\n        %s v = "
        "%s(0);\n        i32 c = j;\n        i32 u = i;\n        bool b = false;\n        f32x2x2 "
        "m = f32x2x2(1, 0, 0, 1);\n",
        l.label, l.at, l.type, l.weight, l.vector, l.vector);
    if (chance(g, 20))
        put(g, "        if (%s) { continue; }\n",
            ONE_OF(g, "j % 3 == 1", "p.x > 5", "i == 1", "t == 2"));
    for (int n = 1 + pick(g, 2); n > 0; n--)
        put_walk_loop(g, &l);
    put(g, "        %s[i, j] = t + %s(c & 63) + %s(u & 31) + %s(i32(m[0, 1] - m[1, 1])) + %s(b);\n",
        l.out, l.type, l.type, l.type, l.type);
    if (chance(g, 30))
        put(g, "        if (%s) { ", ONE_OF(g, "b", "c > 4", "u > 9", "v.x > 0"));
    else
        put(g, "        { ");
    put(g, "%s[i, j] = v; }\n    }\n", l.far);
    put_lists_sum(g, &l);
}

/* ---- lists that loops go through ---- */

void
put_list_cells_shape(Gen *g)
{
    Lists l;
    put_lists(g, &l);
    char sum[NAME_MAX_];
    new_name(g, sum, "x");
    put(g, "field i64 %s[%d];\n", sum, l.lists);
    open_kernel(g);
    put_lists_start(g, &l);
    for (int loops = 1 + pick(g, 2); loops > 0; loops--) {
        const bool own = chance(g, 60);
        const char *of = own ? ONE_OF(g, "i", "i", "q") : ONE_OF(g, "other", "q", "i / 2");
        char at[40];
        if (of[0] == 'o')
            snprintf(at, sizeof at, "(i * 3 + 1) %% %d", l.lists);
        else
            snprintf(at, sizeof at, "%s", of);
        put(g, "    for i in 0..%d {\n        let q = %s;\n        i64 t = 0;\n", l.lists,
            own ? "i" : ONE_OF(g, "i / 2", "i ^ 1"));
        put(g, "        for k in 0..length(%s[%s]) {", l.label, at);
        for (int n = 1 + pick(g, 3); n > 0; n--)
            switch (pick(g, 8)) {
            case 0:
                put(g, " if (%s[%s, k] > %d) { %s; }", l.weight, at, 2 + pick(g, 9),
                    chance(g, 50) ? "continue" : "break");
                break;
            case 1:
                put(g,
                    " for m in 0..length(%s[%s]) { if (m > k) { break; } t += hash_%s(%s[%s, m]) - "
                    "hash_%s(%s[%s, k]); }",
                    l.label, at, l.type, l.weight, at, l.type, l.weight, at);
                break;
            case 2:
                if (own)
                    put(g,
                        " if (length(%s[i]) < %d && k < 5) { append(%s[i], %s(1), %s(k), %s(2), "
                        "%s(3)); }",
                        l.label, l.most, l.label, l.vector, l.type, l.type, l.vector);
                break;
            case 3:
                if (own)
                    put(g, " %s[%s, k] += %s(k);", l.out, at, l.type);
                break;
            case 4:
                if (own && chance(g, 30))
                    put(g, " if (k == %d) { deactivate(%s[i]); }", pick(g, 9), l.label);
                break;
            case 5:
                put(g, " if (k > 0) { t += hash_%s(%s[%s, k - 1]); }", l.type, l.weight, at);
                break;
            default:
                put(g, " t = t * 3 + hash_%s(%s[%s, k]%s) + hash_%s(%s[%s, %s]);", l.part, l.at, at,
                    ONE_OF(g, ".x", ".y"), l.type, l.weight, at, ONE_OF(g, "k", "k", "k / 2"));
                break;
            }
        put(g, " }\n        %s[i] %s t;\n    }\n", sum, loops == 1 ? "=" : "+=");
    }
    put(g,
        "    i64 s0 = 0;\n    for i in %s { s0 += %s[i] * (1 + i); }\n    if (s0 == 7) { return 0; "
        "}\n",
        sum, sum);
    put_lists_sum(g, &l);
}

/* ---- lists that are filled one after another ---- */

void
put_runs_shape(Gen *g)
{
    char key[NAME_MAX_], weight[NAME_MAX_], label[NAME_MAX_], seen[NAME_MAX_];
    const int lists = chance(g, 70) ? 1024 : 64 << pick(g, 3), each = 1 + pick(g, 30),
              loops = 1 + pick(g, 2);
    const char *type = ONE_OF(g, "i32", "f32", "i64", "u8");
    new_name(g, key, "x");
    new_name(g, weight, "x");
    new_name(g, label, "node");
    new_name(g, seen, "x");
    g->shaping = true;
    const int chunk = 1 + pick(g, 12);
    const bool two = chance(g, 30);
    g->shaping = false;
    put(g, "field i32 %s;\nfield %s %s;\nfield i64 %s[];\n", key, type, weight, seen);
    put(g,
        two ? "layout { %s i[%d] { dense i[8] { @chunk(%d) %s: dynamic j[%d] { place %s, %s; } } } "
              "}\n"
            : "layout { %s i[%d] { @chunk(%d) %s: dynamic j[%d] { place %s, %s; } } }\n",
        ANY_OF(g, "dense", "dense", "dense", "pointer", "bitmasked"), two ? lists / 8 : lists,
        chunk, label, 40 * loops, key, weight);
    open_kernel(g);
    put(g, "    deactivate_all(%s);\n    %s = 0;\n", label, seen);
    for (int n = 0; n < loops; n++) {
        const int first = pick(g, 3) * 5, shift = pick(g, 6), room = lists * each - 20,
                  wanted = 40 + pick(g, 2000), count = wanted < room ? wanted : room;
        const bool some = chance(g, 35);
        const int most = lists - 1;
        put(g, "    for p in %d..%d { ", first, first + count);
        if (some)
            put(g, "if (p %% %d %s 1) { ", 2 + pick(g, 5), chance(g, 50) ? "!=" : "==");
        if (chance(g, 25))
            put(g, "%s += ", seen);
        if (lists < 1024 || chance(g, 50))
            put(g, "append(%s[(p + %d) / %d & %d], p, %s(p & 63));", label, shift, each, most,
                type);
        else
            put(g, "append(%s[min(p >> %d, %d)], p, %s(p & 31));", label, 3 + pick(g, 2), most,
                type);
        put(g, "%s }\n", some ? " }" : "");
    }
    put(g,
        "    i64 s = %s * 7;\n    for i, j in %s { s += (i64(%s[i, j]) * 3 + hash_%s(%s[i, j])) * "
        "(1 + i); }\n    for i in 0..%d { s += length(%s[i]) * (i %% 17); }\n    return s;\n}\n",
        seen, label, key, type, weight, lists, label);
}
