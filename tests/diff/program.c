/* program.c - the text of a random program: its parts in order, and what it prints in the end. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snlsmith.h"

/* ---- text and random numbers ---- */

static uint32_t
next(Gen *g)
{
    uint64_t *state = g->shaping ? &g->shape : &g->state;
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

int
pick(Gen *g, int n)
{
    return (int)(next(g) % (uint32_t)n);
}

bool
chance(Gen *g, int percent)
{
    return pick(g, 100) < percent;
}

void
put(Gen *g, const char *format, ...)
{
    char piece[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof piece)
        abort();
    if (g->used + (size_t)n + 1 > g->room) {
        g->room = 2 * g->room + 4096;
        g->text = realloc(g->text, g->room);
        if (!g->text) {
            perror("snlsmith");
            exit(EXIT_FAILURE);
        }
    }
    memcpy(g->text + g->used, piece, (size_t)n + 1);
    g->used += (size_t)n;
}

void
line(Gen *g)
{
    put(g, "\n%*s", 4 * g->indent, "");
}

void
new_name(Gen *g, char *name, const char *prefix)
{
    if (g->shaping)
        snprintf(name, NAME_MAX_, "%s_%d", prefix, g->shape_names++);
    else
        snprintf(name, NAME_MAX_, "%s%d", prefix, g->names++);
}

/* ---- items ---- */

static void
put_records(Gen *g)
{
    int count = pick(g, RECORDS_MAX + 1);
    for (int r = 0; r < count; r++) {
        Record *record = &g->record[r];
        put(g, "struct S%d {", r);
        record->count = 2 + pick(g, MEMBERS_MAX - 1);
        for (int i = 0; i < record->count; i++) {
            record->type[i] = any_type(g);
            put(g, " ");
            put_type(g, record->type[i]);
            put(g, " m%d;", i);
        }
        put(g, " }\n");
        g->records++;
    }
}

static void
put_constants(Gen *g)
{
    for (int i = pick(g, 4); i > 0; i--) {
        Type t = chance(g, 70) ? scalar_type(any_number(g)) : vector_type(any_number(g), 2 + pick(g, 3));
        Var *v = add_var(g, "C", t);
        put(g, "const ");
        put_type(g, t);
        put(g, " %s = ", v->name);
        put_literal(g, t);
        put(g, ";\n");
    }
    for (int i = pick(g, 3); i > 0; i--) {
        Type t = scalar_type(any_number(g));
        Var *v = add_var(g, "T", t);
        v->count = 2 + pick(g, 6);
        put(g, "const ");
        put_type(g, t);
        put(g, " %s[%d] = { ", v->name, v->count);
        for (int k = 0; k < v->count; k++) {
            put(g, k ? ", " : "");
            put_literal(g, t);
        }
        put(g, " };\n");
    }
    for (int i = pick(g, 3); i > 0; i--) {
        Type t = scalar_type(any_number(g));
        Var *v = add_var(g, "Q", t);
        put(g, "param ");
        put_type(g, t);
        put(g, " %s = ", v->name);
        put_literal(g, t);
        put(g, ";\n");
    }
    for (int i = 0; i < g->vars; i++)
        g->var[i].fixed = true;
    g->globals = g->vars;
}

/* ---- checksums ---- */

/* Sums the parts of a value into `s`, each with a weight of its own. */
static void
put_sum(Gen *g, const char *value, Type t, int *weight)
{
    char part[200];
    if (t.record) {
        const Record *r = &g->record[t.record - 1];
        for (int i = 0; i < r->count; i++) {
            snprintf(part, sizeof part, "%s.m%d", value, i);
            put_sum(g, part, r->type[i], weight);
        }
        return;
    }
    int rows = t.rows ? t.rows : 1, cols = t.cols ? t.cols : 1;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            if (!t.rows)
                snprintf(part, sizeof part, "%s", value);
            else if (!t.cols)
                snprintf(part, sizeof part, "%s[%d]", value, r);
            else
                snprintf(part, sizeof part, "%s[%d, %d]", value, r, c);
            put(g, " s += hash_%s(%s) * (w + %d);", scalar_name(t.scalar), part, *weight);
            *weight += 2;
        }
}

/* Functions that give the bits of a number; all NaNs are one, and so are the zeros. */
static void
put_hashes(Gen *g)
{
    for (int s = 0; s < S_COUNT; s++) {
        put(g, "func i64 hash_%s(%s v) { ", scalar_name((Scalar)s), scalar_name((Scalar)s));
        if (is_float((Scalar)s))
            put(g, "if (isnan(v)) { return 77; } return i64(bitcast_i%d(v + 0.0)); }\n", 16 << (s - S_F16));
        else
            put(g, "return i64(v); }\n");
    }
}

/* A kernel over all elements, and for sparse fields one over the active elements. */
static void
put_checksum(Gen *g, const Field *f)
{
    static const char *const letter[] = { "i", "j", "k", "l" };
    for (int active = 0; active < (f->axes ? 2 : 1); active++) {
        put(g, "kernel i64 %s_%s() { i64 s = 0;", active ? "active" : "sum", f->ident);
        bool shifted = active && f->axes && f->shift[0][0];
        for (int a = 0; a < f->axes; a++)
            put(g, "%s%s%s", a ? ", " : " for ", shifted ? "at_" : "", letter[a]);
        if (active)
            put(g, " in %s", f->name);
        else
            for (int a = 0; a < f->axes; a++)
                put(g, "%s%d..%d", a ? ", " : " in ", f->lo[a], f->lo[a] + f->size[a]);
        put(g, "%s", f->axes ? " {" : "");
        for (int a = 0; a < f->axes && shifted; a++)
            put(g, " let %s = at_%s - %s;", letter[a], letter[a], f->shift[a]);
        put(g, " let w = 1i64");
        for (int a = 0; a < f->axes; a++)
            put(g, " + %d * i64(%s)", 1 << (5 * a + 3), letter[a]);
        put(g, "; let v = %s[", f->name);
        for (int a = 0; a < f->axes; a++) {
            put(g, "%s%s", a ? ", " : "", letter[a]);
            put_shift(g, f, a);
        }
        put(g, "];");
        int weight = 0;
        put_sum(g, "v", f->type, &weight);
        put(g, "%s return s; }\n", f->axes ? " }" : "");
    }
}

/* ---- host part ---- */

/* Prints a value, part by part if it is a struct. */
static void
put_print(Gen *g, const char *value, Type t)
{
    if (!t.record) {
        static const char *const formats[] = { "{:10}", "{:<9}|", "{:+}", "{:.3f}", "{:.4e}", "{:12.5g}" };
        bool given = t.scalar != S_BOOL && chance(g, 15);
        line(g);
        put(g, "print(\"%s %s\", %s);", value, given ? formats[pick(g, is_float(t.scalar) ? 6 : 3)] : "{}", value);
        return;
    }
    const Record *r = &g->record[t.record - 1];
    for (int i = 0; i < r->count; i++) {
        char part[200];
        snprintf(part, sizeof part, "%.180s.m%d", value, i);
        put_print(g, part, r->type[i]);
    }
}

static void
put_report(Gen *g)
{
    for (int i = 0; i < g->fields; i++) {
        const Field *f = &g->field[i];
        line(g);
        if (f->axes)
            put(g, "print(\"%s {} {}\", sum_%s(), active_%s());", f->name, f->ident, f->ident);
        else
            put(g, "print(\"%s {}\", sum_%s());", f->name, f->ident);
        char element[100];
        int n = snprintf(element, sizeof element, "%s[", f->name);
        for (int a = 0; a < f->axes; a++)
            n += snprintf(element + n, sizeof element - (size_t)n, "%s%d%s%s", a ? ", " : "", f->lo[a] + pick(g, f->size[a]),
                          f->shift[a][0] ? " + " : "", f->shift[a]);
        snprintf(element + n, sizeof element - (size_t)n, "]");
        put_print(g, element, f->type);
    }
    for (int i = 0; i < g->labels; i++) {
        if (g->label[i].dense)
            continue;
        line(g);
        put(g, "print(\"%s {}\", active(%s));", g->label[i].name, g->label[i].name);
        if (g->size_of[0] && !g->label[i].list_size && g->label[i].axes) {
            line(g);
            put(g, "print(\"%s {}\", %s(%s));", g->label[i].name, g->size_of, g->label[i].name);
        }
    }
}

static void
put_kernel_call(Gen *g, const Kernel *k)
{
    line(g);
    char result[NAME_MAX_], array[NAME_MAX_];
    new_name(g, result, "r");
    if (k->array) {
        new_name(g, array, "h");
        put(g, "i32 %s[%d] = { 3, -1, %d, 0, 7, 100 };", array, ARRAY_COUNT, pick(g, 50));
        line(g);
    }
    if (k->has_result)
        put(g, "let %s = ", result);
    put(g, "%s(", k->name);
    put_arguments(g, k->param, k->params);
    if (k->array)
        put(g, "%s%s", k->params ? ", " : "", array);
    put(g, ");");
    if (k->array) {
        line(g);
        put(g, "print(\"%s {} {}\", %s[0], %s[5]);", array, array, array);
    }
    if (k->has_result)
        put_print(g, result, k->result);
}

static void
put_whole_field(Gen *g)
{
    const Field *f = &g->field[pick(g, g->fields)];
    const Field *other = &g->field[pick(g, g->fields)];
    if (f->frozen)
        return;
    bool alike = same_type(f->type, other->type) && f->axes == other->axes && f != other && !f->wide && !other->wide;
    for (int a = 0; alike && a < f->axes; a++)
        alike = f->size[a] == other->size[a];
    line(g);
    if (f->axes && f->list_axis < 0 && !f->wide && !f->type.record && chance(g, 15)) { /* saved and loaded it is the same */
        put(g, "save(\"own.%s\", %s); load(\"own.%s\", %s);", "npz", f->name, "npz", f->name);
        return;
    }
    if (alike && f->list_axis < 0 && other->list_axis < 0) {
        bool file = !f->type.record && chance(g, 40);
        if (file)
            put(g, "save(\"part.npy\", %s); load(\"part.npy\", %s);", other->name, f->name);
        else
            put(g, "copy(%s, %s);", f->name, other->name);
        return;
    }
    if (g->add_all[0] && f->axes && chance(g, 50)) {
        put(g, "%s_%d(%s, ", g->add_all, f->axes, f->name);
        put_expr(g, f->type, 1);
        put(g, ");");
        return;
    }
    put(g, "fill(%s, ", f->name);
    put_expr(g, f->type, 1);
    put(g, ");");
}

/* What is saved, changed and loaded again is as before. */
static void
put_forgotten(Gen *g, int layout)
{
    put(g, "save(\"tree.snlt\", L%d);", layout);
    for (int i = 0; i < g->labels; i++)
        if (g->label[i].layout == layout && !g->label[i].dense) {
            put(g, " deactivate_all(%s);", g->label[i].name);
            break;
        }
    put(g, " load(\"tree.snlt\", L%d);", layout);
}

static void
put_main(Gen *g)
{
    put(g, "\nmain {");
    g->indent++;
    g->place = IN_HOST;
    for (int i = 0; i < g->fields; i++)
        g->field[i].access = g->field[i].frozen ? ACCESS_READ : ACCESS_ANY;
    for (int i = 0; i < g->layouts; i++)
        if (g->manual[i]) {
            line(g);
            put(g, "create L%d;", i);
        }
    line(g);
    put(g, "start();");
    g->statements = 14;
    g->calls = 4;
    for (int i = 0; i < g->kernels; i++) {
        put_kernel_call(g, &g->kernel[i]);
        if (chance(g, 30))
            put_body(g, 1 + pick(g, 2));
        if (chance(g, 20) && g->fields)
            put_whole_field(g);
        const Label *label = g->labels && chance(g, 15) ? &g->label[pick(g, g->labels)] : NULL;
        if (label && !label->dense) {
            line(g);
            put(g, "deactivate_all(%s);", label->name);
        }
        if (i > 0 && chance(g, 40))
            put_kernel_call(g, &g->kernel[pick(g, i)]);
        for (int n = 0; n < g->layouts; n++) {
            if (g->twin[n] && chance(g, 50)) {
                line(g);
                put(g, "swap(L%d, L%d);", n, g->twin[n]);
            }
            if (g->manual[n] && chance(g, 15)) {
                line(g);
                put(g, "destroy L%d;", n);
                line(g);
                put(g, "create L%d;", n);
            }
        }
        int named = g->layouts ? pick(g, g->layouts) : 0;
        if (chance(g, 20) && g->layouts && !g->unnamed[named]) {
            line(g);
            if (chance(g, 50))
                put(g, "trim L%d;", named);
            else if (chance(g, 50))
                put(g, "save(\"tree.snlt\", L%d); load(\"tree.snlt\", L%d);", named, named);
            else
                put_forgotten(g, named);
        }
        if (chance(g, 10)) {
            line(g);
            put(g, "for s%d in progress(0..%d) {", g->names++, 1 + pick(g, 3));
            g->indent++;
            put_kernel_call(g, &g->kernel[i]);
            g->indent--;
            line(g);
            put(g, "}");
        }
    }
    put_report(g);
    g->indent--;
    put(g, "\n}\n");
}

bool
program_is_strict(uint64_t seed)
{
    return seed % 3 == 0;
}

char *
program_text(uint64_t seed, int variant)
{
    Gen *g = calloc(1, sizeof *g);
    if (!g) {
        perror("snlsmith");
        exit(EXIT_FAILURE);
    }
    g->state = seed * 0x2545f4914f6cdd1du + 1;
    g->shape = (seed + 1) * 0x9e3779b97f4a7c15u + (uint64_t)variant;
    g->strict = program_is_strict(seed);
    put(g, "// Made by snlsmith %llu %d.\n", (unsigned long long)seed, variant);
    put_records(g);
    put_constants(g);
    put_layouts(g);
    put_hashes(g);
    put_funcs(g);
    put_kernels(g);
    for (int i = 0; i < g->fields; i++)
        put_checksum(g, &g->field[i]);
    put_main(g);
    char *text = g->text;
    free(g);
    return text;
}
