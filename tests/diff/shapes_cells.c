/* shapes_cells.c - kernels that change cells: lists of many, numbers beside others, cells that come
 * back, structs beyond the ends. */
#include <stdio.h>

#include "shapes.h"

/* ---- one of many lists ---- */

/* What may end an iteration, or change what the list follows from, before it is looked up. */
static void
put_before_append(Gen *g, const char *home)
{
    switch (pick(g, 6)) {
    case 0: put(g, "        if (p %% %d == 2) { continue; }\n", 3 + pick(g, 5)); break;
    case 1:
        put(g,
            "        if (%s[p] %% 5 == 1) { h += %d; } else { if (p %% 7 == 3) { continue; } h -= "
            "1; }\n",
            home, 1 + pick(g, 9));
        break;
    case 2:
        put(g, "        h += p > %d && %s[p] < 200 ? %s[p / 2] : 3;\n", pick(g, 100), home, home);
        break;
    case 3: put(g, "        for k in 0..p %% 3 { h += k + 1; }\n"); break;
    default: break;
    }
}

/* "h & 127" or "(h >> 5) & 3, h & 31" */
static void
put_list_index(Gen *g, int axes, int lists)
{
    if (axes == 1)
        put(g, "h & %d", lists - 1);
    else
        put(g, "(h >> 5) & %d, h & 31", lists / 32 - 1);
}

static void
put_many_lists(Gen *g, int axes, int lists, const char *label, const char *fields)
{
    const char *kind = ANY_OF(g, "dense", "dense", "dense", "pointer", "bitmasked", "hash");
    g->shaping = true;
    int chunk = 1 << pick(g, 5), inner = chance(g, 30) ? 8 : 1;
    g->shaping = false;
    if (axes == 1)
        put(g, "layout { %s i[%d] {", kind, lists / inner);
    else
        put(g, "layout { %s ij[%d, %d] {", kind, lists / 32, 32 / inner);
    if (inner > 1)
        put(g, " %s %c[8] {", ANY_OF(g, "dense", "pointer"), axes == 1 ? 'i' : 'j');
    put(g, " @chunk(%d) %s: dynamic k[512] { place %s; } }%s }\n", chunk, label, fields,
        inner > 1 ? " }" : "");
}

void
put_home_shape(Gen *g)
{
    char home[NAME_MAX_], key[NAME_MAX_], weight[NAME_MAX_], label[NAME_MAX_],
        fields[2 * NAME_MAX_ + 2];
    int axes = 1 + pick(g, 2), lists = chance(g, 70) ? 1024 : 128;
    new_name(g, home, "x");
    new_name(g, key, "x");
    new_name(g, weight, "x");
    new_name(g, label, "node");
    snprintf(fields, sizeof fields, "%s, %s", key, weight);
    put(g, "field i32 %s;\n", home);
    put_any_layout(g, home, 512);
    put(g, "field i32 %s;\nfield f32 %s;\n", key, weight);
    put_many_lists(g, axes, lists, label, fields);
    open_kernel(g);
    put(g, "    deactivate_all(%s);\n    for i in 0..512 { %s[i] = (i * %d + i / 7) %% %d; }\n",
        label, home, 1 + 2 * pick(g, 300), lists / 2 + pick(g, 100));
    put(g, "    for p in 0..%d {\n        i32 h = %s[p];\n", 100 + pick(g, 400), home);
    put_before_append(g, home);
    bool some = chance(g, 30);
    put(g, "        %sappend(%s[", some ? "if (h % 3 != 1) { " : "", label);
    put_list_index(g, axes, lists);
    put(g, "], p, f32(p) * 0.5);%s\n%s    }\n    i64 s = 0;\n", some ? " }" : "",
        chance(g, 30) ? "        h = 7;\n" : "");
    const char *own = axes == 1 ? "i, k" : "i, j, k";
    put(g,
        "    for %s in %s { s += i64(%s[%s] * 7 + i32(%s[%s])) * (1 + i%s); }\n    return s;\n}\n",
        own, label, key, own, weight, own, axes == 1 ? "" : " * 32 + j");
}

/* ---- numbers beside others ---- */

/* Two or three fields of 32 bits in one array of cells. */
typedef struct {
    char name[3][NAME_MAX_];
    const char *type;
    int axes, count, size[2]; /* count: of the fields */
} Woven;

static const char *
woven_indices(const Woven *w)
{
    return w->axes == 1 ? "i" : "i, j";
}

static void
put_woven_fields(Gen *g, Woven *w)
{
    *w = (Woven){.type = ONE_OF(g, "f32", "f32", "i32", "u32"),
                 .axes = 1 + pick(g, 2),
                 .count = 2 + pick(g, 2)};
    w->size[0] = 64 + 8 * pick(g, 5);
    w->size[1] = 48 + 8 * pick(g, 5);
    for (int n = 0; n < w->count; n++) {
        new_name(g, w->name[n], "x");
        put(g, "field %s %s;\n", w->type, w->name[n]);
    }
    const char *order = w->axes == 1 ? "i" : ANY_OF(g, "ij", "ij", "ij", "ji");
    put(g, "%slayout { dense %s[%d", ANY_OF(g, "", "@packed "), order, w->size[order[0] - 'i']);
    if (w->axes == 2)
        put(g, ", %d", w->size[order[1] - 'i']);
    put(g, "] { place %s, %s%s%s; } }\n", w->name[0], w->name[1], w->count == 3 ? ", " : "",
        w->count == 3 ? w->name[2] : "");
}

/* "x[i - 1, j]", one or none away in each axis. */
static void
put_woven_element(Gen *g, const Woven *w, int field, bool own)
{
    put(g, "%s[i%s", w->name[field], own ? "" : ONE_OF(g, "", " + 1", " - 1"));
    if (w->axes == 2)
        put(g, ", j%s", own ? "" : ONE_OF(g, "", " + 1", " - 1"));
    put(g, "]");
}

/* A loop that changes one of the fields; of this one it reads its own element at most. */
static void
put_woven_loop(Gen *g, const Woven *w)
{
    int changed = pick(g, w->count);
    bool whole = chance(g, 40), guarded = chance(g, 15);
    put(g, "    for %s in ", woven_indices(w));
    if (whole)
        put(g, "%s {\n", w->name[changed]);
    else
        put(g, w->axes == 1 ? "1..%d {\n" : "1..%d, 1..%d {\n", w->size[0] - 1, w->size[1] - 1);
    if (chance(g, 10))
        put(g, "        if (i %% 4 == 1) { continue; }\n");
    put(g, "        %s", guarded ? "if (i % 3 != 0) { " : "");
    put_woven_element(g, w, changed, true);
    put(g, " %s ", ONE_OF(g, "=", "=", "=", "+=", "-="));
    for (int n = 0, count = 1 + pick(g, 4); n < count; n++) {
        int field = pick(g, w->count);
        put(g, "%s%s", n ? ONE_OF(g, " + ", " - ") : "", ONE_OF(g, "", "", "2 * ", "3 * "));
        put_woven_element(g, w, field, whole || field == changed);
    }
    put(g, ";%s\n    }\n", guarded ? " }" : "");
}

void
put_woven_shape(Gen *g)
{
    Woven w;
    put_woven_fields(g, &w);
    open_kernel(g);
    for (int n = 0; n < w.count; n++)
        put(g, "    for %s in %s { %s[%s] = %s((i * %d%s) %% 17); }\n", woven_indices(&w),
            w.name[n], w.name[n], woven_indices(&w), w.type, 1 + pick(g, 9),
            w.axes == 1 ? "" : " + j * 3");
    for (int n = 1 + pick(g, 4); n > 0; n--)
        put_woven_loop(g, &w);
    put(g, "    i64 s = 0;\n");
    for (int n = 0; n < w.count; n++)
        put(g, "    for %s in %s { s += hash_%s(%s[%s]) * (%d + i%s); }\n", woven_indices(&w),
            w.name[n], w.type, w.name[n], woven_indices(&w), 1 + n, w.axes == 1 ? "" : " * 7 + j");
    put(g, "    return s;\n}\n");
}

/* ---- cells that come back ---- */

enum { REVIVED = 256, REVIVED_BLOCKS = 16 };

typedef struct {
    char value[NAME_MAX_], count[NAME_MAX_], block[NAME_MAX_], cell[NAME_MAX_], driver[NAME_MAX_];
} Revived;

void
put_sparse_blocks(Gen *g, const char *block, int blocks, const char *cell, int cells,
                  const char *value, const char *pair)
{
    put(g,
        "@ambient(%d) field i32 %s;\nfield f32x2 %s;\nlayout { %s: %s i[%d] { %s: %s i[%d] { place "
        "%s, %s; } } }\n",
        pick(g, 9) - 4, value, pair, block, ANY_OF(g, "pointer", "pointer", "bitmasked", "hash"),
        blocks, cell, ANY_OF(g, "bitmasked", "bitmasked", "pointer", "hash"), cells, value, pair);
}

static void
put_revived_fields(Gen *g, Revived *r)
{
    new_name(g, r->value, "x");
    new_name(g, r->count, "x");
    new_name(g, r->block, "node");
    new_name(g, r->cell, "node");
    new_name(g, r->driver, "x");
    put_sparse_blocks(g, r->block, REVIVED_BLOCKS, r->cell, REVIVED / REVIVED_BLOCKS, r->value,
                      r->count);
    put(g, "field i32 %s;\n", r->driver);
    put_any_layout(g, r->driver, REVIVED);
}

/* A loop whose iterations each change one cell, or one block, of their own. */
static void
put_revival_loop(Gen *g, const Revived *r)
{
    int odd = 1 + 2 * pick(g, 50), part = 2 + pick(g, 4);
    if (chance(g, 30)) {
        put(g,
            "    for b in 0..%d { if ((b * %d) %% %d == 1) { deactivate(%s[b]); } else if (b %% %d "
            "== 0) { activate(%s[b]); } }\n",
            REVIVED_BLOCKS, 1 + pick(g, 9), part, r->block, 3 + pick(g, 3), r->block);
        return;
    }
    put(g, "    for i in %s {\n        let c = (i * %d + %d) %% %d;\n",
        chance(g, 70) ? r->driver : "0..256", odd, pick(g, 99), REVIVED);
    put(g, "        if (%s[i] %% %d == 0) { deactivate(%s[c]); }\n", r->driver, part, r->cell);
    put(g, "        else if (%s[i] %% %d == 1) { %s[c] %s; }\n", r->driver, part + 1, r->value,
        ONE_OF(g, "= i", "+= 3", "-= i"));
    if (chance(g, 50))
        put(g, "        else if (i %% 5 == 1) { activate(%s[c]); }\n", r->cell);
    if (chance(g, 40))
        put(g, "        %s[i] += %d;\n", r->driver, 1 + pick(g, 9));
    put(g, "    }\n");
}

static void
put_revived_sum(Gen *g, const Revived *r)
{
    put(g,
        "    for i in 0..%d { s += %s[i] * (1 + i) + i64(%s[i].y) * 5 + (is_active(%s[i]) ? i : "
        "0); }\n",
        REVIVED, r->value, r->count, r->cell);
    put(g, "    for i in %s { s += %s[i] * (7 + i); }\n    for b in %s { s += 1000 * b; }\n",
        r->cell, r->value, r->block);
}

void
put_revival_shape(Gen *g)
{
    Revived r;
    put_revived_fields(g, &r);
    open_kernel(g);
    put(g, "    i64 s = 0;\n    for i in 0..%d { %s[i] = (i * %d) %% 31; }\n", REVIVED, r.driver,
        1 + pick(g, 30));
    for (int n = 2 + pick(g, 4); n > 0; n--) {
        put_revival_loop(g, &r);
        if (chance(g, 40))
            put(g, "    for i in %s { %s[i].y += f32(i); }\n", r.cell, r.count);
        if (chance(g, 50))
            put_revived_sum(g, &r);
    }
    put_revived_sum(g, &r);
    put(g, "    return s;\n}\n");
}

/* ---- structs beyond the ends ---- */

/* "i - 2", "4 * i - 9", "i + at": also beyond the ends of 16 elements. */
static void
put_beyond(Gen *g, char axis)
{
    switch (pick(g, 5)) {
    case 0: put(g, "%c", axis); break;
    case 1: put(g, "%c %c %d", axis, "+-"[pick(g, 2)], 1 + pick(g, 3)); break;
    case 2: put(g, "%c %c %d", axis, "+-"[pick(g, 2)], 1 + pick(g, 40)); break;
    case 3: put(g, "%d * %c - %d", 2 + pick(g, 3), axis, pick(g, 20)); break;
    default: put(g, "%d - i64(%c)", pick(g, 40), axis); break;
    }
}

/* The members of the struct together, or each in nodes of its own. */
static void
put_struct_layout(Gen *g, const char *field)
{
    g->shaping = true;
    int inner = 1 << pick(g, 4), parts = 1 + pick(g, 3);
    bool packed = chance(g, 30), swapped = chance(g, 30);
    g->shaping = false;
    const char *members[3] = { ".v", ".n", ".m" };
    put(g, "%slayout {", packed ? "@packed " : "");
    for (int part = 0; part < (parts == 3 ? 3 : 1); part++) {
        put(g, " %s %s[%d, %d] {", ANY_OF(g, "dense", "dense", "pointer", "bitmasked", "hash"),
            swapped ? "ji" : "ij", 16 / inner, 16 / inner);
        if (inner > 1)
            put(g, " %s %s[%d, %d] {", ANY_OF(g, "dense", "dense", "bitmasked"),
                swapped ? "ji" : "ij", inner, inner);
        if (parts == 3)
            put(g, " place %s%s;", field, members[part]);
        else if (parts == 2)
            put(g, " place %s.m, %s.v, %s.n;", field, field, field);
        else
            put(g, " place %s;", field);
        put(g, " }%s", inner > 1 ? " }" : "");
    }
    put(g, " }\n");
}

void
put_boundary_shape(Gen *g)
{
    char type[NAME_MAX_], from[NAME_MAX_], to[NAME_MAX_];
    new_name(g, type, "Near");
    new_name(g, from, "x");
    new_name(g, to, "x");
    const char *kind = ONE_OF(g, "f32", "f64", "i32"),
               *mode = ONE_OF(g, "clamp", "periodic", "mirror", "ambient");
    const char *number = ONE_OF(g, "u8", "i32", "i64");
    put(g, "struct %s { %sx2 v; %s n; %s m; }\n@boundary(%s) field %s %s;\n", type, kind, number,
        kind, mode, type, from);
    put_struct_layout(g, from);
    put(g, "field %s %s[16, 16];\n", kind, to);
    open_kernel(g);
    put(g,
        "    for i, j in 0..16, 0..16 { %s[i, j] = %s(%sx2(%s(i), %s(j * 3)), %s(i + j), %s(i * "
        "j)); }\n",
        from, type, kind, kind, kind, number, kind);
    put(g, "    for i, j in %s {\n        %s t = 0;\n", to, kind);
    for (int n = 1 + pick(g, 4); n > 0; n--) {
        put(g, "        t %s ", ONE_OF(g, "+=", "-="));
        bool whole = chance(g, 20);
        if (whole)
            put(g, "%s(", kind);
        put(g, "%s[", from);
        put_beyond(g, 'i');
        put(g, ", ");
        put_beyond(g, 'j');
        put(g, "]%s;\n", whole ? ".n)" : ONE_OF(g, ".v.x", ".v.y", ".m"));
    }
    put(g,
        "        %s[i, j] = t;\n    }\n    i64 s = 0;\n    for i, j in %s { s += hash_%s(%s[i, j]) "
        "* (1 + i * 16 + j); }\n    return s;\n}\n",
        to, to, kind, to);
}
