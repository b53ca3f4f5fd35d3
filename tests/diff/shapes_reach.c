/* shapes_reach.c - kernels that reach cells of other trees than the one they go through: those
 * around particles, blocks at the same indices, cells of hash nodes that some iterations want. */
#include <stdio.h>

#include "shapes.h"

/* ---- cells around particles ---- */

enum { GRID = 16, PLACES = GRID - 4 };

typedef struct {
    char at[NAME_MAX_], moved[NAME_MAX_], flow[NAME_MAX_], mass[NAME_MAX_];
    int count, around;  /* particles; cells along each axis */
    int run;            /* so many particles are at one place */
    bool sparse;
} Particles;

/* Fields of f32x3 and f32 for indices from 0 to 15 along each axis, and more of sparse ones. */
static void
put_grid(Gen *g, const Particles *q)
{
    g->shaping = true;
    const int block = 4 << pick(g, 2), wide = 64 << pick(g, 2);
    const bool deep = chance(g, 30), apart = chance(g, 20);
    g->shaping = false;
    for (int part = 0; part < (apart ? 2 : 1); part++) {
        char fields[2 * NAME_MAX_ + 2];
        snprintf(fields, sizeof fields, apart ? "%s" : "%s, %s", part ? q->mass : q->flow, q->mass);
        if (!q->sparse) {
            put(g, "layout { dense ijk[%d, %1$d, %1$d] { place %s; } }\n", GRID, fields);
            continue;
        }
        const int outer = wide / block / (deep ? 2 : 1);
        put(g, "layout { @offset(-8, -8, -8) %s ijk[%d, %2$d, %2$d] {",
            ANY_OF(g, "pointer", "pointer", "pointer", "hash"), outer);
        if (deep)
            put(g, " %s ijk[2, 2, 2] {", ANY_OF(g, "pointer", "bitmasked"));
        put(g, " dense ijk[%d, %1$d, %1$d] { place %s; }%s } }\n", block, fields, deep ? " }" : "");
    }
}

static void
put_particles(Gen *g, Particles *q)
{
    *q = (Particles){.count = chance(g, 5) ? 4096 + pick(g, 900) : 60 + pick(g, 120),
                     .around = 2 + pick(g, 2),
                     .run = chance(g, 30) ? 66 + pick(g, 60) : 1,
                     .sparse = chance(g, 60)};
    if (q->run > 1 && q->count < 4096)
        q->count *= 3;
    new_name(g, q->at, "x");
    new_name(g, q->moved, "x");
    new_name(g, q->flow, "x");
    new_name(g, q->mass, "x");
    g->shaping = true;
    const bool together = chance(g, 50);
    g->shaping = false;
    put(g, "field f32x3 %s, %s;\n", q->at, q->moved);
    put(g,
        together ? "layout { dense i[%d] { place %s, %s; } }\n"
                 : "layout { dense i[%d] { place %s; } dense i[%1$d] { place %s; } }\n",
        q->count, q->at, q->moved);
    put(g, "field f32x3 %s;\nfield f32 %s;\n", q->flow, q->mass);
    put_grid(g, q);
}

/* May let a particle go to the place opposite of its own, where it also has cells around. */
static void
put_move(Gen *g, const Particles *q)
{
    if (chance(g, 20))
        put(g, "        %s[p] = f32x3(%d.5) - %s[p];\n", q->at, PLACES + 1, q->at);
}

/* Opens a loop over particles, some of which may be left out, and loops over the cells around. */
static void
open_around(Gen *g, const Particles *q, const char *before)
{
    put(g, "    for p in %s {\n", q->at);
    if (chance(g, 25))
        put(g, "        if (p %% %d == 1) { continue; }\n", 3 + pick(g, 4));
    put_move(g, q);
    put(g, "        let base = i32x3(%s[p])%s;\n        let fx = %s[p] - f32x3(base);\n%s", q->at,
        ONE_OF(g, "", " - 1", " + 1"), q->at, before);
    put(g, chance(g, 30) ? "        for a in 0..%d { for b in 0..%1$d { for c in 0..%1$d {\n"
                         : "        static for a in 0..%d { static for b in 0..%1$d { static for c "
                           "in 0..%1$d {\n",
        q->around);
    put(g, "            let at = base + i32x3(a, b, c);\n");
    if (chance(g, 15))
        put(g, "            if (fx.x > %d.25 && b == 1) { continue; }\n", pick(g, 2));
}

static void
put_weight(Gen *g)
{
    put(g, "%s",
        ONE_OF(g, "f32(a + 1)", "fx.x", "(fx.y + f32(b))", "(f32(c) - fx.z) * f32(1 + a * b)"));
}

static void
put_additions(Gen *g, const Particles *q)
{
    open_around(g, q, "");
    put(g, "            %s[at] %s ", q->flow, ONE_OF(g, "+=", "+=", "-="));
    put_weight(g);
    put(g, " * %s;\n", ONE_OF(g, "fx", "(fx + f32x3(f32(a), f32(b), f32(c)))", "f32x3(fx.z)"));
    if (chance(g, 70)) {
        put(g, "            %s[at] += ", q->mass);
        put_weight(g);
        put(g, ";\n");
    }
    put(g, "        } } }\n");
    put_move(g, q);
    put(g, "    }\n");
}

static void
put_reads(Gen *g, const Particles *q)
{
    open_around(g, q, "        f32x3 sum = f32x3(0.0);\n");
    put(g, "            sum += %s[at] * ", q->flow);
    put_weight(g);
    if (chance(g, 50))
        put(g, " + f32x3(%s[at])", q->mass);
    put(g, ";\n        } } }\n        %s[p] %s sum;\n", q->moved, ONE_OF(g, "=", "+="));
    if (chance(g, 25))
        put(g, "        %s[p] += 0.0 * sum;\n", q->at);
    put(g, "    }\n");
}

void
put_reach_shape(Gen *g)
{
    Particles q;
    put_particles(g, &q);
    open_kernel(g);
    put(g, "    for p in %s {\n        %s[p] = f32x3(", q.at, q.at);
    for (int a = 0; a < 3; a++)
        put(g, "%sf32(1 + p / %d %c %d %% %d)", a ? ", " : "", q.run, "*/"[chance(g, 30)],
            1 + pick(g, 8000), PLACES);
    put(g, ") + f32(p %% 3) * 0.25;\n        %s[p] = f32x3(f32(p %% 5));\n    }\n", q.moved);
    put(g, "    for I in %s { %s[I] = 0.0; }\n    for I in %s { %s[I] = f32x3(0.0); }\n", q.mass,
        q.mass, q.flow, q.flow);
    for (int n = 1 + pick(g, 2); n > 0; n--)
        put_additions(g, &q);
    put_reads(g, &q);
    put(g,
        "    i64 s = 0;\n    for p in %s { s += (hash_f32(%s[p].x) + 3 * hash_f32(%s[p].y + 2.0 * "
        "%s[p].z)) * (1 + p); }\n",
        q.moved, q.moved, q.moved, q.moved);
    put(g,
        "    for i, j, k in %s { s += i64(%s[i, j, k] * 4.0) * (1 + i + 3 * j + 7 * k); }\n"
        "    return s;\n}\n",
        q.mass, q.mass);
}

/* ---- blocks of other trees ---- */

enum { BLOCK_FIELDS = 4, PLANE = 32 };

/* Fields of i32: that of the loop, those of other trees, and one with fewer indices. */
typedef struct {
    char loop[NAME_MAX_], other[BLOCK_FIELDS][NAME_MAX_], label[BLOCK_FIELDS][NAME_MAX_];
    char few[NAME_MAX_];
    int block;
} Planes;

static void
put_plane(Gen *g, const char *field, const char *label, int block, int size)
{
    const char *order = ANY_OF(g, "ij", "ij", "ij", "ji");
    put(g, "layout { %s: %s %s[%d, %4$d] { dense %3$s[%5$d, %5$d] { place %6$s; } } }\n", label,
        ANY_OF(g, "pointer", "pointer", "bitmasked", "hash"), order, size / block, block, field);
}

static void
put_planes(Gen *g, Planes *p)
{
    *p = (Planes){.block = 4 << pick(g, 2)};
    char label[NAME_MAX_];
    new_name(g, p->loop, "x");
    new_name(g, label, "node");
    put(g, "field i32 %s;\n", p->loop);
    put_plane(g, p->loop, label, p->block, PLANE);
    for (int n = 0; n < BLOCK_FIELDS; n++) {
        new_name(g, p->other[n], "x");
        new_name(g, p->label[n], "node");
        put(g, "field i32 %s;\n", p->other[n]);
        put_plane(g, p->other[n], p->label[n], chance(g, 80) ? p->block : 2, PLANE);
    }
    new_name(g, p->few, "x");
    new_name(g, label, "node");
    put(g, "field i32 %s;\n", p->few);
    put_plane(g, p->few, label, p->block, PLANE / 2);
}

/* "x[i, j]" of one of the other trees. */
static void
put_other(Gen *g, const Planes *p)
{
    put(g, "%s[i, j]", p->other[pick(g, BLOCK_FIELDS)]);
}

static void
put_plane_statement(Gen *g, const Planes *p)
{
    put(g, "        ");
    switch (pick(g, 7)) {
    case 0: put(g, "if (j %% %d == 1) { continue; }\n", 2 + pick(g, 9)); return;
    case 1: put(g, "if (i / 8 == %d) { continue; }\n", pick(g, 4)); return;
    case 2: put(g, "if (i < 16 && j < 16) { %s[i, j] -= %s[i, j]; }\n", p->loop, p->few); return;
    case 3:
        put(g, "%s[i, j] += j < 16 && i < 16 && %s[i, j] > 2 ? %s[i, j] : 1;\n", p->loop, p->few,
            p->few);
        return;
    case 4:
        put(g, "if (%s[i, j] %% %d == 0) { ", p->loop, 2 + pick(g, 5));
        put_other(g, p);
        put(g, " += 3; }\n");
        return;
    case 5:
        put(g, "%s[i, j] += ", p->loop);
        put_other(g, p);
        break;
    default:
        put_other(g, p);
        put(g, " %s %s[i, j] - ", ONE_OF(g, "=", "+="), p->loop);
        put_other(g, p);
    }
    put(g, ";\n");
}

void
put_blocks_at_index_shape(Gen *g)
{
    Planes p;
    put_planes(g, &p);
    open_kernel(g);
    const int left_out = 2 + pick(g, 4);
    put(g,
        "    for i, j in 0..%d, 0..%1$d { if ((i / 8 + j / 8) %% %d != 1) { %s[i, j] = i * %d + j; "
        "} }\n",
        PLANE, left_out, p.loop, 1 + pick(g, 40));
    put(g, "    for i, j in 0..%d, 0..16 { if (j < %d) { %s[i, j] = i - j; } }\n", 4 + pick(g, 13),
        4 + pick(g, 13), p.few);
    for (int loops = 1 + pick(g, 3); loops > 0; loops--) {
        put(g, "    for i, j in %s {\n", p.loop);
        for (int n = 1 + pick(g, 5); n > 0; n--)
            put_plane_statement(g, &p);
        put(g, "    }\n");
    }
    put(g, "    i64 s = 0;\n    for i, j in %s { s += %s[i, j] * (1 + i + 5 * j); }\n", p.loop,
        p.loop);
    for (int n = 0; n < BLOCK_FIELDS; n++)
        put(g, "    for i, j in %s { s += (1 + %s[i, j]) * (%d + 3 * i + j); }\n", p.label[n],
            p.other[n], 2 + n);
    put(g, "    return s;\n}\n");
}

/* ---- cells of hash nodes ---- */

enum { FOUND = 4096 };

typedef struct {
    char cell[NAME_MAX_], label[NAME_MAX_], from[NAME_MAX_], to[NAME_MAX_];
    bool wide;          /* indices have 64 bits */
    int factor, count;  /* of what the indices are made; iterations */
} Found;

static void
put_found_fields(Gen *g, Found *f)
{
    *f = (Found){.wide = chance(g, 40), .factor = 1 + 2 * pick(g, 2000), .count = 100};
    f->count += pick(g, chance(g, 10) ? 3000 : 200);
    new_name(g, f->cell, "x");
    new_name(g, f->label, "node");
    new_name(g, f->from, "x");
    new_name(g, f->to, "x");
    const char *kind = f->wide ? "hash" : ANY_OF(g, "hash", "hash", "pointer", "bitmasked");
    put(g, "field i32 %s;\nlayout { %s: %s i[%lld] { place %s; } }\nfield i32 %s[%d], %s[%7$d];\n",
        f->cell, f->label, kind, f->wide ? 1LL << 40 : (long long)FOUND, f->cell, f->from, f->count,
        f->to);
}

/* The index of a cell; each number below FOUND gives another. */
static void
put_place(Gen *g, const Found *f, const char *number)
{
    put(g, f->wide ? "i64(%s) * %d & %d" : "%s * %d & %d", number, f->factor, FOUND - 1);
}

/* "x[m * 4051 & 4095]" or whether there is one. */
static void
put_look_up(Gen *g, const Found *f, bool value)
{
    put(g, value ? "%s[" : "is_active(%s[", value ? f->cell : f->label);
    put_place(g, f, ONE_OF(g, "n", "(n + 1)", "(n / 2)", "m"));
    put(g, value ? "]" : "])");
}

static void
put_condition(Gen *g, const Found *f)
{
    put(g, "n %% %d %s %d", 2 + pick(g, 5), ONE_OF(g, "==", "!=", "<"), pick(g, 3));
    if (chance(g, 40)) {
        put(g, "%s", ONE_OF(g, " && ", " || "));
        const bool value = chance(g, 60);
        put_look_up(g, f, value);
        if (value)
            put(g, " %% 3 == %d", pick(g, 3));
    }
}

static void
put_found_read(Gen *g, const Found *f)
{
    put(g, "    for n in 0..%d {\n        let m = %s[n];\n", f->count, f->from);
    if (chance(g, 30))
        put(g, "        if (n %% %d == 2) { continue; }\n", 3 + pick(g, 5));
    put(g, "        ");
    switch (pick(g, 4)) {
    case 0:
        put(g, "if (");
        put_condition(g, f);
        put(g, ") { %s[n] += ", f->to);
        put_look_up(g, f, true);
        put(g, "; }\n");
        break;
    case 1:
        put(g, "%s[n] += ", f->to);
        put_condition(g, f);
        put(g, " ? ");
        put_look_up(g, f, true);
        put(g, " : %s;\n", ONE_OF(g, "n", "m", "-1"));
        break;
    case 2:
        put(g, "%s[n] -= ", f->to);
        put_condition(g, f);
        put(g, " ? n : ");
        put_look_up(g, f, true);
        put(g, ";\n");
        break;
    default:
        put(g, "%s[n] += (", f->to);
        put_condition(g, f);
        put(g, ") || ");
        put_look_up(g, f, false);
        put(g, " ? 3 : 4;\n");
    }
    put(g, "    }\n");
}

/* Each iteration changes cells of its own, or adds to any. */
static void
put_found_change(Gen *g, const Found *f)
{
    put(g, "    for n in 0..%d {\n        let m = %s[n];\n        if (", f->count, f->from);
    put(g, "%s %% %d == %d", ONE_OF(g, "n", "m"), 2 + pick(g, 4), pick(g, 2));
    put(g, ") { ");
    const int kind = pick(g, 3);
    put(g, kind == 0 ? "%s[" : kind == 1 ? "deactivate(%s[" : "activate(%s[",
        kind == 0 ? f->cell : f->label);
    put_place(g, f, kind == 0 ? ONE_OF(g, "n", "m", "(n / 2)") : ONE_OF(g, "n", "m"));
    put(g, kind == 0 ? "] += n; }\n    }\n" : "]); }\n    }\n");
}

void
put_found_shape(Gen *g)
{
    Found f;
    put_found_fields(g, &f);
    open_kernel(g);
    put(g, "    for n in 0..%d { %s[n] = n * %d %% %d; %s[n] = 0; }\n", f.count, f.from,
        1 + pick(g, 50), f.count, f.to);
    put(g, "    for n in 0..%d { if (n %% %d != 1) { %s[", f.count, 2 + pick(g, 4), f.cell);
    put_place(g, &f, "n");
    put(g, "] = n; } }\n");
    for (int n = 2 + pick(g, 4); n > 0; n--)
        (chance(g, 65) ? put_found_read : put_found_change)(g, &f);
    put(g, "    i64 s = 0;\n    for n in %s { s += %s[n] * (1 + n); }\n", f.to, f.to);
    put(g, "    for i in %s { s += (3 + i64(%s[i])) * (1 + i); }\n    return s;\n}\n", f.label,
        f.cell);
}
