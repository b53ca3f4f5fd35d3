/* read.c - literals, indices, and what expressions read: variables, elements, and their parts. */
#include <stdio.h>
#include <string.h>

#include "snlsmith.h"

/* ---- literals ---- */

static void
put_integer(Gen *g, Scalar s)
{
    int kind = pick(g, 20), bits = 8 << ((s - S_I8) % 4);
    const char *name = scalar_name(s);
    if (kind == 0)
        put(g, "%s.%s", name, chance(g, 50) ? "min" : "max");
    else if (kind == 2 && bits > 8)
        put(g, chance(g, 50) ? "0b1%d%d_01%s" : "1_0%d%d%s", pick(g, 2), pick(g, 2), name);
    else if (kind == 1)
        put(g, "0x%x%s",
            bits == 8    ? pick(g, 0x80)
            : bits == 16 ? pick(g, 0x8000)
                         : pick(g, 0x7fffffff),
            name);
    else if (kind < 6 && s <= S_I64)
        put(g, "(-%d%s)", 1 + pick(g, 20), name);
    else
        put(g, "%d%s", pick(g, kind < 10 ? 4 : 100), name);
}

static void
put_real(Gen *g, Scalar s)
{
    static const char *const values[] = {"0.0",  "1.0",  "0.5",  "2.0",    "1.25",  "3.0", "0.1",
                                         "1e-3", "10.0", "7.75", "0.3333", "100.0", ".25", "1.5"};
    static const char *const named[] = { "PI", "E", "INF", "NAN" };
    const char *value = values[pick(g, (int)(sizeof values / sizeof values[0]))];
    if (chance(g, 3)) {
        put(g, "%s(%s)", scalar_name(s), named[pick(g, 4)]);
        return;
    }
    if (chance(g, 2)) {
        put(g, "%s.%s", scalar_name(s), chance(g, 50) ? "epsilon" : "max");
        return;
    }
    if (chance(g, 20))
        put(g, "(-%s%s)", value, scalar_name(s));
    else
        put(g, "%s%s", value, scalar_name(s));
}

void
put_literal(Gen *g, Type t)
{
    if (t.rows || t.record) {
        int count = t.rows * (t.cols ? t.cols : 1);
        if (t.record)
            count = g->record[t.record - 1].count;
        put_type(g, t);
        put(g, "(");
        for (int i = 0; i < count; i++) {
            put(g, i ? ", " : "");
            put_literal(g, t.record ? g->record[t.record - 1].type[i] : scalar_type(t.scalar));
        }
        put(g, ")");
    } else if (t.scalar == S_BOOL) {
        put(g, chance(g, 50) ? "true" : "false");
    } else if (is_int(t.scalar)) {
        put_integer(g, t.scalar);
    } else {
        put_real(g, t.scalar);
    }
}

/* ---- variables ---- */

Var *
add_named(Gen *g, const char *name, Type t)
{
    Var *v = &g->var[g->vars++];
    *v = (Var){.type = t};
    snprintf(v->name, sizeof v->name, "%s", name);
    return v;
}

Var *
add_var(Gen *g, const char *prefix, Type t)
{
    char name[NAME_MAX_];
    new_name(g, name, prefix);
    return add_named(g, name, t);
}

static bool
fits(const Var *v, int lo, int size, int shift)
{
    return v->ranged && v->lo + shift >= lo && v->hi + shift <= lo + size;
}

static void
put_shifted(Gen *g, const char *name, int shift)
{
    if (shift)
        put(g, "%s %c %d", name, shift < 0 ? '-' : '+', shift < 0 ? -shift : shift);
    else
        put(g, "%s", name);
}

/* A variable of a loop that fits, perhaps after an addition. */
static bool
put_loop_index(Gen *g, int lo, int size)
{
    for (int tries = 0; tries < 12 && g->vars > g->globals; tries++) {
        const Var *v = &g->var[g->globals + pick(g, g->vars - g->globals)];
        int shift = chance(g, 50) ? 0 : pick(g, 5) - 2;
        if (fits(v, lo, size, shift)) {
            put_shifted(g, v->name, shift);
            return true;
        }
    }
    return false;
}

void
put_index(Gen *g, int lo, int size, int depth)
{
    int kind = pick(g, 10);
    if (kind < 7 && put_loop_index(g, lo, size))
        return;
    if (kind < 3 || depth <= 0) {
        put(g, "%d", lo + pick(g, size));
    } else if (kind < 8) {
        put(g, "floormod(");
        put_expr(g, scalar_type(S_I32), depth - 1);
        put(g, ", %d)", size);
        if (lo)
            put(g, " %c %d", lo < 0 ? '-' : '+', lo < 0 ? -lo : lo);
    } else {
        put(g, "clamp(");
        put_expr(g, scalar_type(S_I32), depth - 1);
        put(g, ", %d, %d)", lo, lo + size - 1);
    }
}

/* An index that may lie outside, for a field with a boundary mode. */
static void
put_wide_index(Gen *g, int lo, int size, int depth)
{
    for (int tries = 0; tries < 8 && g->vars > g->globals; tries++) {
        const Var *v = &g->var[g->globals + pick(g, g->vars - g->globals)];
        if (v->ranged) {
            put_shifted(g, v->name, pick(g, 7) - 3);
            return;
        }
    }
    if (depth > 0 && chance(g, 40)) {
        put(g, "(");
        put_expr(g, scalar_type(S_I32), depth - 1);
        put(g, " & 31) - 8");
    } else {
        put(g, "%d", lo - 2 + pick(g, size + 4));
    }
}

bool
put_far_range(Gen *g, int lo, int hi, char name[INDEX_MAX])
{
    enum { FAR = 2147483000 }; /* 2 * FAR + 1296 is 2^32 */
    if (g->strict || !chance(g, 4))
        return false;
    bool least = chance(g, 30), given = chance(g, 60);
    const int by = least ? -FAR : FAR;
    char was[NAME_MAX_];
    snprintf(was, sizeof was, "%.10s", name);
    if (given) {
        put(g, "clamp(");
        put_expr(g, scalar_type(S_I32), 1);
        put(g, ", %d, %d)..%d", by + lo, by + lo, by + hi);
    } else {
        put(g, "%d..%d", by + lo, by + hi);
    }
    switch (pick(g, 3)) {
    case 0: snprintf(name, INDEX_MAX, "(%.10s - %d)", was, by); break;
    case 1: snprintf(name, INDEX_MAX, "(%.10s + %d %c 1296)", was, by, least ? '-' : '+'); break;
    default: snprintf(name, INDEX_MAX, "(%d + 2 * %.10s - %.10s)", -by, was, was); break;
    }
    return true;
}

void
put_shift(Gen *g, const Field *f, int axis)
{
    if (f->shift[axis][0])
        put(g, " + %s", f->shift[axis]);
}

/* Indices next to those of the loop. False if they may lie outside. */
static bool
put_neighbour(Gen *g, const Field *f, bool wide)
{
    const Domain *d = g->domain;
    int shift[AXES_MAX] = {0};
    if (!d || d->axes != f->axes || f->access == ACCESS_OWN || f->axes == 0)
        return false;
    for (int n = 1 + chance(g, 40); n > 0; n--)
        shift[pick(g, f->axes)] = chance(g, 70) ? 1 - 2 * pick(g, 2) : pick(g, 7) - 3;
    for (int a = 0; a < f->axes && !wide; a++)
        if (d->lo[a] + shift[a] < f->lo[a] ||
            d->lo[a] + d->size[a] + shift[a] > f->lo[a] + f->size[a])
            return false;
    if (d->group[0] && !f->shift[0][0] && chance(g, 70)) {
        put(g, "[%s + i32x%d(", d->group, f->axes);
        for (int a = 0; a < f->axes; a++)
            put(g, "%s%d", a ? ", " : "", shift[a]);
        put(g, ")]");
        return true;
    }
    put(g, "[");
    for (int a = 0; a < f->axes; a++) {
        put(g, a ? ", " : "");
        put_shifted(g, d->name[a], shift[a]);
        put_shift(g, f, a);
    }
    put(g, "]");
    return true;
}

/* The number of axes whose indices are together the loop's variable. */
static int
group_axes(const Gen *g, const Field *f)
{
    const Domain *d = g->domain;
    if (!d || !d->group[0] || f->shift[0][0])
        return 0;
    for (int a = 0; a < d->axes; a++)
        if (strcmp(f->own[a], d->name[a]) != 0)
            return 0;
    return d->axes;
}

static void
put_indices(Gen *g, const Field *f, bool wide, int depth)
{
    if (chance(g, 60) && put_neighbour(g, f, wide))
        return;
    put(g, "[");
    int first = f->access == ACCESS_OWN && chance(g, 50) ? group_axes(g, f) : 0;
    if (first)
        put(g, "%s", g->domain->group);
    for (int a = first; a < f->axes; a++) {
        /* where all variants have the same first index, so that it is the same indices */
        const bool high = wide && !g->strict && !f->shift[a][0] && chance(g, 10);
        put(g, a ? ", " : "");
        put(g, high ? "high(" : "");
        if (f->access == ACCESS_OWN)
            put(g, "%s", f->own[a]);
        else if (wide)
            put_wide_index(g, f->lo[a], f->size[a], depth);
        else
            put_index(g, f->lo[a], f->size[a], depth);
        put_shift(g, f, a);
        put(g, high ? ")" : "");
    }
    put(g, "]");
}

void
put_element(Gen *g, const Field *f, int depth)
{
    put(g, "%s", f->name);
    if (f->axes || chance(g, 50))
        put_indices(g, f, false, depth);
}

void
put_cell(Gen *g, const Label *l, int depth)
{
    if (!l->axes && chance(g, 50))
        return;
    put(g, "[");
    for (int a = 0; a < l->axes; a++) {
        put(g, a ? ", " : "");
        put_index(g, l->lo[a], l->size[a], depth);
    }
    put(g, "]");
}

/* ---- parts of values ---- */

static void
put_letters(Gen *g, int count, int of)
{
    put(g, ".");
    for (int i = 0; i < count; i++)
        put(g, "%c", "xyzw"[pick(g, of)]);
}

void
put_part(Gen *g, Type from, Type want)
{
    if (same_type(from, want))
        return;
    if (from.record) {
        const Record *r = &g->record[from.record - 1];
        int i = pick(g, r->count);
        while (!reaches(g, r->type[i], want))
            i = (i + 1) % r->count;
        put(g, ".m%d", i);
        put_part(g, r->type[i], want);
    } else if (from.cols) {
        put(g, "[");
        put_index(g, 0, from.rows, chance(g, 20));
        put(g, ", ");
        put_index(g, 0, from.cols, chance(g, 20));
        put(g, "]");
    } else if (want.rows && want.rows <= 4) {
        put_letters(g, want.rows, from.rows < 4 ? from.rows : 4);
    } else if (chance(g, 60)) {
        put_letters(g, 1, from.rows < 4 ? from.rows : 4);
    } else {
        put(g, "[");
        put_index(g, 0, from.rows, chance(g, 30));
        put(g, "]");
    }
}

void
put_array_index(Gen *g, const Var *v, int depth)
{
    if (!v->count)
        return;
    if (v->owned) {
        put(g, v->columns ? "[%s, %s]" : "[%s]", g->domain->name[0], g->domain->name[1]);
        return;
    }
    put(g, "[");
    put_index(g, 0, v->count, depth);
    if (v->columns) {
        put(g, ", ");
        put_index(g, 0, v->columns, depth);
    }
    put(g, "]");
}

bool
readable(const Field *f)
{
    return f->access == ACCESS_READ || f->access == ACCESS_OWN || f->access == ACCESS_ANY;
}

static void
put_field(Gen *g, const Field *f, Type want, int depth)
{
    bool wide = f->boundary && f->access != ACCESS_OWN && chance(g, 70);
    put(g, "%s", f->name);
    if (f->axes || chance(g, 50))
        put_indices(g, f, wide, depth);
    put_part(g, f->type, want);
}

bool
put_read(Gen *g, Type want, int depth)
{
    int first = pick(g, g->vars + g->fields + 1);
    int total = g->vars + g->fields;
    /* neighbours of the loop's cell, where there are any */
    for (int n = 0; g->domain && n < g->fields && first % 3; n++) {
        const Field *f = &g->field[(first + n) % g->fields];
        if (readable(f) && f->access != ACCESS_OWN && f->axes == g->domain->axes &&
            reaches(g, f->type, want)) {
            put_field(g, f, want, depth);
            return true;
        }
    }
    for (int n = 0; n < total; n++) {
        int at = (first + n) % total;
        if (at < g->vars) {
            const Var *v = &g->var[at];
            if (v->hidden || !reaches(g, v->type, want))
                continue;
            put(g, "%s", v->name);
            put_array_index(g, v, depth);
            put_part(g, v->type, want);
            return true;
        }
        const Field *f = &g->field[at - g->vars];
        if (readable(f) && reaches(g, f->type, want)) {
            put_field(g, f, want, depth);
            return true;
        }
    }
    return false;
}

void
put_leaf(Gen *g, Type t, int depth)
{
    if (chance(g, 15) || !put_read(g, t, depth))
        put_literal(g, t);
}
