/* kernel.c - kernels and their parallel loops. */
#include <stdio.h>
#include <string.h>

#include "snlsmith.h"

/* ---- kernels for any field, label or family ---- */

/* Kernels that go through the levels of a family: each level is made of, or added to, the one
 * beside it. */
static void
put_levels(Gen *g, const Family *f)
{
    Kernel *k = &g->kernel[g->kernels++];
    *k = (Kernel){0};
    bool down = chance(g, 50);
    new_name(g, k->name, "level");
    put(g, "kernel %s() {\n    static for l in 0..%d {\n        for ", k->name, f->levels - 1);
    put(g, f->axes == 1 ? "i in 0..%d >> (l + 1)" : "i, j in 0..%d >> (l + 1), 0..%d >> (l + 1)",
        f->size, f->size);
    if (down && f->axes == 1)
        put(g, " { %s#(l + 1)[i] = %s#l[2 * i + 1]; }", f->name, f->name);
    else if (down)
        put(g, " { %s#(l + 1)[i, j] = %s#l[2 * i, 2 * j + 1]; }", f->name, f->name);
    else if (f->axes == 1)
        put(g, " { if (i > l) { %s#l[2 * i] = %s#(l + 1)[i]; } }", f->name, f->name);
    else
        put(g, " { if (i + j > l) { %s#l[2 * i, 2 * j] = %s#(l + 1)[i, j]; } }", f->name, f->name);
    put(g, "\n    }\n}\n");
}

/* One generic kernel for each type is made where it is called. */
static void
put_any_kernel(Gen *g)
{
    if (g->labels && chance(g, 40)) {
        new_name(g, g->size_of, "cells");
        put(g, "kernel i64 %s(node b) { i64 n = 0; for I in b { n += 1; } return n; }\n",
            g->size_of);
    }
    if (!chance(g, 50))
        return;
    new_name(g, g->add_all, "assign");
    for (int axes = 1; axes <= AXES_MAX; axes++) {
        bool host = chance(g, 30);
        put(g, "%s %s_%d(field auto[%.*s] x, auto v) { %s }\n", host ? "host" : "kernel",
            g->add_all, axes, axes - 1, ",,,,,,,",
            host ? "fill(x, v);" : "for I in x { x[I] = v; }");
    }
}

/* ---- parallel loops ---- */

/* Gives every iteration elements of its own, if the field has one for each. */
static bool
own_elements(Gen *g, const Domain *d, Field *f)
{
    int order[AXES_MAX];
    if (f->frozen || f->axes < d->axes || !d->axes)
        return false;
    for (int a = 0; a < f->axes; a++)
        order[a] = a;
    for (int a = f->axes - 1; a > 0 && chance(g, 30); a--) {
        int b = pick(g, a + 1), t = order[a];
        order[a] = order[b];
        order[b] = t;
    }
    char own[AXES_MAX][INDEX_MAX] = {{0}};
    for (int a = 0; a < f->axes; a++) {
        int from = order[a];
        if (from >= d->axes) {
            snprintf(own[a], sizeof own[a], "%d", f->lo[a] + pick(g, f->size[a]));
            continue;
        }
        if (d->size[from] > f->size[a])
            return false;
        int least = f->lo[a] - d->lo[from], most = least + f->size[a] - d->size[from];
        int shift =
            least <= 0 && most >= 0 && chance(g, 80) ? 0 : least + pick(g, most - least + 1);
        if (shift)
            snprintf(own[a], sizeof own[a], "%s %c %d", d->name[from], shift < 0 ? '-' : '+',
                     shift < 0 ? -shift : shift);
        else
            snprintf(own[a], sizeof own[a], "%s", d->name[from]);
    }
    memcpy(f->own, own, sizeof own);
    f->access = ACCESS_OWN;
    return true;
}

static void
lock(Gen *g, const Field *f)
{
    if (f->sparse)
        g->locked[f->layout] = true;
}

/* An operation whose result does not depend on the order. */
static Commuting
any_commuting(Gen *g, Scalar s)
{
    if (s == S_BOOL)
        return (Commuting)(OP_AND + pick(g, 3));
    return (Commuting)(is_int(s) ? pick(g, OP_COUNT) : OP_MIN + pick(g, 2));
}

/* What the iterations may do with each field. `main_field` is the one that the loop is about, or
 * -1. */
static void
choose_access(Gen *g, const Domain *d, int main_field)
{
    for (int i = 0; i < g->fields; i++)
        g->field[i].access = ACCESS_READ;
    if (main_field >= 0 && chance(g, 75) && own_elements(g, d, &g->field[main_field]))
        lock(g, &g->field[main_field]);
    for (int n = pick(g, 5); n > 0; n--) {
        Field *f = &g->field[pick(g, g->fields)];
        if (f->access == ACCESS_READ && own_elements(g, d, f))
            lock(g, f);
    }
    for (int n = pick(g, 3); n > 0; n--) {
        Field *f = &g->field[pick(g, g->fields)];
        if (f->frozen || f->access != ACCESS_READ || f->type.record)
            continue;
        f->access = ACCESS_ADD;
        f->op = any_commuting(g, f->type.scalar);
        lock(g, f);
    }
    if (g->layouts && chance(g, 20)) {
        int layout = pick(g, g->layouts);
        g->activating[layout] = g->locked[layout] = true;
    }
}

/* Kernel variables that the loop only accumulates into: sums of floats depend on the order of
 * iterations. */
static void
choose_reductions(Gen *g, bool in_order)
{
    for (int i = g->globals; i < g->vars; i++) {
        Var *v = &g->var[i];
        bool truth = v->type.scalar == S_BOOL && (v->type.rows || v->count);
        if (v->fixed || v->type.record || v->owned || truth || chance(g, 60))
            continue;
        v->op = any_commuting(g, v->type.scalar);
        if (v->count) {
            v->hidden = v->scattered = is_int(v->type.scalar) && !v->type.rows;
            continue;
        }
        v->hidden = v->reduction = true;
        if (is_float(v->type.scalar) && in_order && chance(g, 70))
            v->op = OP_ADD;
    }
}

static void
name_domain(Gen *g, Domain *d, const int *lo, const int *size, int axes)
{
    d->axes = axes;
    for (int a = 0; a < axes; a++) {
        d->lo[a] = lo[a];
        d->size[a] = size[a];
        new_name(g, d->name[a], "at");
    }
}

static void
put_names(Gen *g, const Domain *d)
{
    for (int a = 0; a < d->axes; a++)
        put(g, "%s%s", a ? ", " : "", d->name[a]);
}

/* "for I in" or "for i, j in", and what the components are then called. */
static void
put_for(Gen *g, Domain *d)
{
    const char *hint = chance(g, 8) ? "@block_dim(64) " : "";
    if (g->fields && chance(g, 5))
        put(g, "@block_local(%s) ", g->field[pick(g, g->fields)].name);
    put(g, "%sfor ", hint);
    if (d->axes > 1 && chance(g, 20)) {
        new_name(g, d->group, "I");
        put(g, "%s", d->group);
        for (int a = 0; a < d->axes; a++)
            snprintf(d->name[a], sizeof d->name[a], "%s[%d]", d->group, a);
    } else {
        put_names(g, d);
    }
    put(g, " in ");
}

static void
add_ranges(Gen *g, const Domain *d)
{
    for (int a = 0; a < d->axes; a++) {
        Var *v = add_named(g, d->name[a], scalar_type(S_I32));
        if (d->is_long >> a & 1)
            snprintf(v->name, sizeof v->name, "i32(%.10s)", d->name[a]);
        v->fixed = v->ranged = true;
        v->lo = d->lo[a];
        v->hi = d->lo[a] + d->size[a];
    }
}

/* Ranges over all or some of the domain, which becomes what is visited. */
static void
put_ranges(Gen *g, Domain *d, const Field *f)
{
    int margin = chance(g, 40) ? 1 + pick(g, 2) : 0;
    for (int a = 0; a < d->axes; a++) {
        int from = d->lo[a], to = d->lo[a] + d->size[a], full = d->size[a];
        if (d->size[a] > 2 * margin) {
            from += margin;
            to -= margin;
        }
        d->lo[a] = from;
        d->size[a] = to - from;
        put(g, a ? ", " : "");
        if (from == 0 && to == full && f && !f->wide && chance(g, 30))
            put(g, "0..extent(%s, %d)", f->name, a);
        else if (!d->group[0] && chance(g, 5)) {
            put(g, "%di64..%d", from, to);
            d->is_long |= 1u << a;
        } else if (!d->group[0] && put_far_range(g, from, to, d->name[a]))
            continue;
        else if (d->axes == 1 && chance(g, 15))
            put(g, "%d..%d step -1", to - 1, from - 1);
        else
            put(g, "%d..%d", from, to);
        if (d->axes == 1 && g->text[g->used - 1] != '1' && chance(g, 10))
            put(g, " step %d", 2 + pick(g, 2));
    }
}

/* An array that the kernel may change, or NULL. */
static const Var *
any_array(Gen *g)
{
    int first = g->vars > g->globals ? pick(g, g->vars - g->globals) : 0;
    for (int i = 0, count = g->vars - g->globals; i < count; i++) {
        const Var *v = &g->var[g->globals + (first + i) % count];
        if (v->count && !v->fixed)
            return v;
    }
    return NULL;
}

/* Gives every iteration an element of its own of arrays that have one for each. */
static void
own_arrays(Gen *g, const Domain *d)
{
    for (int i = g->globals; i < g->vars; i++) {
        Var *v = &g->var[i];
        int size[2] = { v->count, v->columns };
        v->owned = v->count && !v->fixed && d->axes == (v->columns ? 2 : 1) && chance(g, 60);
        for (int a = 0; a < d->axes && v->owned; a++)
            v->owned = d->lo[a] >= 0 && d->lo[a] + d->size[a] <= size[a];
    }
}

/* A field in the cells of a list, or NULL. */
static const Field *
list_field(const Gen *g, const Label *l)
{
    for (int i = 0; i < g->fields; i++)
        if (g->field[i].layout == l->layout && g->field[i].list_axis >= 0)
            return &g->field[i];
    return NULL;
}

/* The first line of a loop and its domain. Returns the field it is about, or -1. in_order: every
 * variant goes the same way. */
static int
put_head(Gen *g, Domain *d, bool *in_order)
{
    *in_order = true;
    int kind = pick(g, 10), at = pick(g, g->fields);
    const Field *f = &g->field[at];
    const Var *array = chance(g, 40) ? any_array(g) : NULL;
    line(g);
    if (array) {
        int lo[2] = {0}, size[2] = { array->count, array->columns };
        name_domain(g, d, lo, size, array->columns ? 2 : 1);
        put_for(g, d);
        put_ranges(g, d, NULL);
        put(g, " {");
        return -1;
    }
    if (kind < 2 && g->labels) {
        const Label *l = &g->label[pick(g, g->labels)];
        if (!l->list_size && l->axes) {
            name_domain(g, d, l->lo, l->size, l->axes);
            put_for(g, d);
            put(g, "%s {", l->name);
            *in_order = l->ordered;
            return -1;
        }
        const Field *cells = l->list_size ? list_field(g, l) : NULL;
        if (cells && !cells->shift[0][0]) {
            name_domain(g, d, cells->lo, cells->size, cells->axes);
            put_for(g, d);
            put(g, "%s {", l->name);
            *in_order = cells->ordered;
            return (int)(cells - g->field);
        }
    }
    if (!f->axes) {
        int lo = pick(g, 3) - 1, size = 1 + pick(g, 50);
        name_domain(g, d, &lo, &size, 1);
        put_for(g, d);
        put_ranges(g, d, NULL);
        put(g, " {");
        return -1;
    }
    name_domain(g, d, f->lo, f->size, f->axes);
    if (kind < 6 && !f->shift[0][0]) {
        put_for(g, d);
        put(g, "%s {", f->name);
        *in_order = f->ordered;
    } else if (f->axes == 2 && chance(g, 25)) { /* one variable that counts all elements */
        char count[NAME_MAX_];
        new_name(g, count, "c");
        put(g, "for %s in 0..%d {", count, f->size[0] * f->size[1]);
        g->indent++;
        line(g);
        put(g, "let %s = %s / %d%+d;", d->name[0], count, f->size[1], f->lo[0]);
        line(g);
        put(g, "let %s = %s %% %d%+d;", d->name[1], count, f->size[1], f->lo[1]);
        g->indent--;
    } else {
        put_for(g, d);
        put_ranges(g, d, f);
        put(g, " {");
    }
    return at;
}

static void
put_parallel(Gen *g)
{
    Domain d = {0};
    int vars = g->vars, writable = g->writable;
    bool in_order;
    int at = put_head(g, &d, &in_order);
    choose_access(g, &d, at);
    own_arrays(g, &d);
    choose_reductions(g, in_order);
    g->place = IN_PARALLEL;
    g->writable = g->vars;
    add_ranges(g, &d);
    g->domain = &d;
    put_body(g, 2 + pick(g, 4));
    g->domain = NULL;
    line(g);
    put(g, "}");
    g->place = IN_KERNEL;
    g->vars = vars;
    g->writable = writable;
    for (int i = 0; i < g->vars; i++)
        g->var[i].hidden = g->var[i].reduction = g->var[i].scattered = g->var[i].owned = false;
    memset(g->locked, 0, sizeof g->locked);
    memset(g->activating, 0, sizeof g->activating);
    for (int i = 0; i < g->fields; i++)
        g->field[i].access = g->field[i].frozen ? ACCESS_READ : ACCESS_ANY;
}

/* A list is emptied, and then each iteration of a loop appends the same to it. */
static void
put_shared_list(Gen *g, const Label *l)
{
    char cell[200] = "", value[4][NAME_MAX_];
    size_t from = g->used;
    put_cell(g, l, 0);
    if (g->used - from < sizeof cell)
        memcpy(cell, g->text + from, g->used - from + 1);
    g->used = from;
    g->text[from] = '\0';
    for (int i = 0; i < l->fields; i++) {
        new_name(g, value[i], "_v");
        line(g);
        put(g, "let %s = ", value[i]);
        put_expr(g, l->value[i], 1);
        put(g, ";");
    }
    line(g);
    put(g, "deactivate(%s%s);", l->name, cell);
    line(g);
    Domain d = {0};
    int lo = pick(g, 3) - 1, size = l->list_size < 20 ? l->list_size : 20;
    name_domain(g, &d, &lo, &size, 1);
    put(g, "for %s in %d..%d { ", d.name[0], lo, lo + size);
    bool some = chance(g, 50);
    if (some)
        put(g, "if (%s %% 3 != 1) { ", d.name[0]);
    put(g, "append(%s%s", l->name, cell);
    for (int i = 0; i < l->fields; i++)
        put(g, ", %s", value[i]);
    put(g, ");%s }", some ? " }" : "");
}

/* A loop in which each iteration deactivates a cell of its own, or appends to a list of its own. */
static void
put_own_cells(Gen *g)
{
    const Label *l = &g->label[pick(g, g->labels)];
    Domain d = {0};
    if (l->list_size && chance(g, 40)) {
        put_shared_list(g, l);
        return;
    }
    if (l->dense || !l->axes) {
        put_parallel(g);
        return;
    }
    int vars = g->vars, writable = g->writable;
    name_domain(g, &d, l->lo, l->size, l->axes);
    line(g);
    put_for(g, &d);
    if (l->list_size || chance(g, 30))
        put_ranges(g, &d, NULL);
    else
        put(g, "%s", l->name);
    put(g, " {");
    for (int i = 0; i < g->fields; i++)
        g->field[i].access = g->field[i].layout == l->layout ? ACCESS_NONE : ACCESS_READ;
    g->locked[l->layout] = true;
    g->place = IN_PARALLEL;
    g->writable = g->vars;
    g->indent++;
    add_ranges(g, &d);
    line(g);
    put(g, "if (");
    put_expr(g, scalar_type(S_BOOL), 3);
    bool append = l->list_size && chance(g, 75);
    if (append) {
        put(g, " && length(%s[", l->name);
        put_names(g, &d);
        put(g, "]) < %d", l->list_size);
    }
    put(g, ") { %s(%s[", append ? "append" : "deactivate", l->name);
    put_names(g, &d);
    put(g, "]");
    for (int i = 0; i < l->fields && append; i++) {
        put(g, ", ");
        put_expr(g, l->value[i], 2);
    }
    put(g, "); }");
    g->indent--;
    line(g);
    put(g, "}");
    g->place = IN_KERNEL;
    g->vars = vars;
    g->writable = writable;
    memset(g->locked, 0, sizeof g->locked);
    for (int i = 0; i < g->fields; i++)
        g->field[i].access = g->field[i].frozen ? ACCESS_READ : ACCESS_ANY;
}

/* ---- loops that look around ---- */

/* A field of a list with few cells, of which not everything is a struct, or NULL. */
static const Field *
field_of_list(const Gen *g, const Label *l)
{
    int cells = l->list_size;
    for (int a = 0; a < l->axes; a++)
        cells *= l->size[a];
    for (int i = 0; i < g->fields && cells <= (l->axes < 3 ? 2000 : 600) && l->axes &&
                    l->axes <= 3 && !l->wide;
         i++) {
        const Field *f = &g->field[i];
        if (f->layout == l->layout && f->list_axis >= 0 && f->axes == l->axes + 1 &&
            !f->type.record && !f->shift[0][0])
            for (int k = 0; k < l->fields; k++)
                if (same_type(l->value[k], f->type))
                    return f;
    }
    return NULL;
}

/* A scalar field that a kernel may set at the first of its elements, or NULL. */
static const Field *
field_for_sum(const Gen *g, int layout)
{
    for (int i = 0; i < g->fields; i++) {
        const Field *f = &g->field[i];
        if (f->layout != layout && f->axes && f->list_axis < 0 && !f->frozen && !f->shift[0][0] &&
            !f->type.rows && !f->type.record && is_int(f->type.scalar))
            return f;
    }
    return NULL;
}

/* Each cell of the lists looks at those of the lists around its own. A sum of integers, so that it
 * does not matter who goes first. */
static bool
put_around(Gen *g)
{
    const Label *l = NULL;
    const Field *f = NULL;
    for (int first = pick(g, g->labels), i = 0; i < g->labels && !f && !g->strict; i++) {
        l = &g->label[(first + i) % g->labels];
        f = l->list_size ? field_of_list(g, l) : NULL;
    }
    const Field *to = f ? field_for_sum(g, l->layout) : NULL;
    if (!to)
        return false;
    char sum[NAME_MAX_], n[NAME_MAX_], near[AXES_MAX][NAME_MAX_];
    Domain d = {0};
    bool more = chance(g, 25), ends = chance(g, 25), by_lists = chance(g, 15);
    int reach = 1 + chance(g, 20);
    new_name(g, sum, "_v");
    new_name(g, n, "n");
    line(g);
    put(g, "i64 %s = 0;", sum);
    name_domain(g, &d, f->lo, f->size, f->axes);
    line(g);
    if (by_lists) { /* one iteration a list */
        put(g, "for ");
        for (int k = 0; k < l->axes; k++)
            put(g, "%s%s", k ? ", " : "", d.name[k + (k >= f->list_axis)]);
        put(g, " in ");
        for (int k = 0; k < l->axes; k++)
            put(g, "%s%d..%d", k ? ", " : "", l->lo[k], l->lo[k] + l->size[k]);
    } else {
        put_for(g, &d);
        put(g, "%s", f->name);
    }
    put(g, " {");
    for (int k = 0; k < l->axes; k++) {
        g->indent++;
        line(g);
        new_name(g, near[k], "_n");
        put(g, "for %s in max(%s - %d, %d)..min(%s + %d, %d) {", near[k],
            d.name[k + (k >= f->list_axis)], reach, l->lo[k], d.name[k + (k >= f->list_axis)],
            reach + 1, l->lo[k] + l->size[k]);
    }
    g->indent++;
    line(g);
    if (more)
        put(g, "%s += 1; ", sum);
    put(g, "for %s in 0..length(%s[", n, l->name);
    for (int k = 0; k < l->axes; k++)
        put(g, "%s%s", k ? ", " : "", near[k]);
    put(g, "]) { ");
    if (ends)
        put(g, "if (%s == 2) { break; } ", n);
    put(g, "%s += hash_%s(%s[", sum, scalar_name(f->type.scalar), f->name);
    for (int a = 0; a < f->axes; a++)
        put(g, "%s%s", a ? ", " : "", a == f->list_axis ? n : near[a - (a > f->list_axis)]);
    put(g, "]%s)%s; }",
        f->type.cols   ? "[0, 0]"
        : f->type.rows ? "[1]"
                       : "",
        ends || more ? " * 3" : "");
    for (int k = 0; k <= l->axes; k++) {
        g->indent--;
        line(g);
        put(g, "}");
    }
    line(g);
    put(g, "%s[", to->name);
    for (int a = 0; a < to->axes; a++)
        put(g, "%s%d", a ? ", " : "", to->lo[a]);
    put(g, "] = %s(%s);", scalar_name(to->type.scalar), sum);
    return true;
}

/* All of a field is copied from one that may lie beside it, or from its neighbours, without the
 * rim. */
static bool
put_copy(Gen *g)
{
    int first = pick(g, g->fields);
    for (int n = 0; n < g->fields * g->fields; n++) {
        const Field *f = &g->field[(first + n / g->fields) % g->fields],
                    *from = &g->field[n % g->fields];
        Domain d = {0};
        bool alike = f != from && f->layout == from->layout && f->layout >= 0 &&
                     f->axes == from->axes && f->axes && f->letters == from->letters &&
                     same_type(f->type, from->type) && !f->type.rows && !f->type.record &&
                     f->list_axis < 0 && from->list_axis < 0 && !f->shift[0][0] &&
                     !from->shift[0][0] && !f->frozen;
        for (int a = 0; alike && a < f->axes; a++)
            alike = f->lo[a] == from->lo[a] && f->size[a] == from->size[a] && f->size[a] > 2;
        if (!alike)
            continue;
        int near = pick(g, 3) - 1, axis = pick(g, f->axes);
        name_domain(g, &d, f->lo, f->size, f->axes);
        line(g);
        put_for(g, &d);
        for (int a = 0; a < f->axes; a++)
            put(g, "%s%d..%d", a ? ", " : "", f->lo[a] + (near != 0),
                f->lo[a] + f->size[a] - (near != 0));
        put(g, " { %s[", f->name);
        put_names(g, &d);
        put(g, "] = %s[", from->name);
        for (int a = 0; a < f->axes; a++)
            put(g, "%s%s%s", a ? ", " : "", d.name[a],
                a != axis || !near ? ""
                : near < 0         ? " - 1"
                                   : " + 1");
        put(g, "]; }");
        return true;
    }
    return false;
}

/* ---- kernels ---- */

/* A condition of arguments, params and constants alone. */
static void
put_uniform(Gen *g, const Kernel *k, int first)
{
    static const char *const compare[] = { "<", ">=", "==", "!=" };
    for (int i = 0; i < k->params; i++)
        if (!k->param[i].rows && !k->param[i].record && k->param[i].scalar != S_BOOL) {
            put(g, "%s %s ", g->var[first + i].name, compare[pick(g, 4)]);
            put_literal(g, k->param[i]);
            return;
        }
    put(g, "%d < %d", pick(g, 5), pick(g, 9));
}

/* A parallel loop under a condition, or several times, which is known to the compiler. */
static void
put_static_parallel(Gen *g)
{
    line(g);
    bool times = chance(g, 50), other = chance(g, 50);
    int vars = g->vars;
    if (times) {
        int n = 1 + pick(g, 3);
        Var *v = add_var(g, "l", scalar_type(S_I32));
        v->fixed = v->ranged = true;
        v->hi = n;
        put(g, "static for %s in 0..%d {", v->name, n);
        char name[NAME_MAX_];
        memcpy(name, v->name, sizeof name);
        snprintf(v->name, sizeof v->name, "i32(%.10s)", name);
    } else {
        put(g, "static if (%d < %d) {", pick(g, 9), pick(g, 9));
    }
    for (int i = 0; i < (!times && other ? 2 : 1); i++) {
        put(g, i ? " else {" : "");
        g->indent++;
        put_parallel(g);
        g->indent--;
        line(g);
        put(g, "}");
    }
    g->vars = vars;
}

static void
put_top(Gen *g, const Kernel *k, int first)
{
    int kind = pick(g, 13);
    if (kind == 12 && g->fields) {
        put_static_parallel(g);
        return;
    }
    if (g->labels && chance(g, 30) && put_around(g))
        return;
    if (kind > 9 && g->fields && put_copy(g))
        return;
    if (kind < 6 || kind > 9) {
        put_parallel(g);
    } else if (kind < 7 && g->labels) {
        put_own_cells(g);
    } else if (kind < 8) {
        line(g);
        put(g, "if (");
        put_uniform(g, k, first);
        put(g, ") {");
        g->indent++;
        put_parallel(g);
        g->indent--;
        line(g);
        put(g, "}");
    } else {
        g->indent--;
        g->statements = 5;
        int vars = g->vars;
        g->returns = k->has_result;
        put_body(g, 1 + pick(g, 3));
        g->returns = false;
        g->vars = vars;
        g->indent++;
    }
}

static void
put_kernel(Gen *g)
{
    Kernel *k = &g->kernel[g->kernels];
    bool host = g->kernels > 0 && chance(g, 15);
    *k = (Kernel){.has_result = chance(g, 60),
                  .params = pick(g, 3),
                  .host = host,
                  .rows = 2 + pick(g, 6),
                  .columns = 1 + pick(g, 5)};
    new_name(g, k->name, host ? "host" : "kernel");
    if (chance(g, 25)) {
        k->array_axes = 1 + chance(g, 50);
        k->array_type = chance(g, 50) ? scalar_type(S_I32) : any_type(g);
    }
    k->result = any_type(g);
    for (int i = 0; i < k->params; i++)
        k->param[i] = any_type(g);
    int first = g->vars;
    put(g, host ? "host " : "kernel ");
    if (k->has_result) {
        put_type(g, k->result);
        put(g, " ");
    }
    put(g, "%s(", k->name);
    put_parameters(g, k->param, k->params, 0, false);
    for (int i = first; i < g->vars; i++)
        g->var[i].fixed = true;
    if (k->array_axes) {
        Var *v = add_var(g, "arr", k->array_type);
        v->count = k->rows;
        v->columns = k->array_axes == 2 ? k->columns : 0;
        put(g, "%s", k->params ? ", " : "");
        put_type(g, k->array_type);
        put(g, "[%s] %s", v->columns ? "," : "", v->name);
    }
    put(g, ") {");
    for (int i = 0; i < g->fields; i++)
        g->field[i].access = g->field[i].frozen ? ACCESS_READ : ACCESS_ANY;
    g->place = host ? IN_HOST : IN_KERNEL;
    g->indent = 1;
    g->calls = 4;
    g->statements = 0;
    for (int n = pick(g, 4); n > 0; n--)
        put_variable(g);
    g->returns = host && k->has_result;
    g->result = k->result;
    if (host) {
        g->statements = 12;
        g->indent = 0;
        put_body(g, 2 + pick(g, 4));
        g->indent = 1;
    }
    g->returns = false;
    for (int n = 1 + pick(g, 3); n > 0 && !host; n--) {
        g->statements = 12;
        put_top(g, k, first);
    }
    if (k->has_result) {
        line(g);
        put(g, "return ");
        put_expr(g, k->result, 3);
        put(g, ";");
    }
    g->indent = 0;
    put(g, "\n}\n");
    g->vars = first;
    g->writable = 0;
    g->kernels++;
}

/* Gives every field something to begin with. */
static void
put_start(Gen *g)
{
    put(g, "kernel start() {");
    g->place = IN_PARALLEL;
    g->indent = 1;
    for (int i = 0; i < g->fields; i++)
        g->field[i].access = ACCESS_NONE;
    for (int i = 0; i < g->fields; i++) {
        Field *f = &g->field[i];
        Domain d = {0};
        if (!f->frozen && !f->active && chance(g, 30))
            continue;
        int vars = g->vars;
        lock(g, f);
        line(g);
        name_domain(g, &d, f->lo, f->size, f->axes);
        if (f->axes) {
            put_for(g, &d);
            for (int a = 0; a < d.axes; a++)
                put(g, "%s%d..%d", a ? ", " : "", d.lo[a], d.lo[a] + d.size[a]);
            put(g, " { ");
        }
        add_ranges(g, &d);
        if (f->sparse) {
            put(g, "if (");
            put_expr(g, scalar_type(S_BOOL), 2);
            put(g, ") { ");
        }
        put(g, "%s[", f->name);
        for (int a = 0; a < d.axes; a++) {
            put(g, "%s%s", a ? ", " : "", d.name[a]);
            put_shift(g, f, a);
        }
        put(g, "] = ");
        put_expr(g, f->type, 2);
        put(g, ";%s%s", f->sparse ? " }" : "", f->axes ? " }" : "");
        g->vars = vars;
        memset(g->locked, 0, sizeof g->locked);
    }
    put(g, "\n}\n");
    g->indent = 0;
}

void
put_kernels(Gen *g)
{
    g->calls = 0;
    put_start(g);
    put_any_kernel(g);
    for (int i = 0; i < g->families; i++)
        if (chance(g, 70))
            put_levels(g, &g->family[i]);
    for (int n = g->shapely ? 0 : 2 + pick(g, 4); n > 0; n--) {
        start_section(g);
        put_kernel(g);
    }
}

void
put_arguments(Gen *g, const Type *param, int count)
{
    for (int i = 0; i < count; i++) {
        put(g, i ? ", " : "");
        put_expr(g, param[i], 2);
    }
}
