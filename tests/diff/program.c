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
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        abort();
    if (g->used + (size_t)n + 1 > g->room) {
        g->room = 2 * g->room + (size_t)n + 4096;
        g->text = realloc(g->text, g->room);
        if (!g->text) {
            perror("snlsmith");
            exit(EXIT_FAILURE);
        }
    }
    va_start(args, format);
    vsnprintf(g->text + g->used, (size_t)n + 1, format, args);
    va_end(args);
    g->used += (size_t)n;
}

void
line(Gen *g)
{
    put(g, "\n%*s", 4 * g->indent, "");
}

/* Words that mean something to a C compiler, the C library, or the runtime. */
static const char *const odd_names[] = {
    "int",    "double",  "signed",   "unsigned", "register", "restrict", "switch",  "default",
    "goto",   "typedef", "union",    "enum",     "volatile", "inline",   "sizeof",  "errno",
    "stdin",  "NULL",    "printf",   "malloc",   "free",     "tree",     "args",    "self",
    "this",   "class",   "template", "delete",   "operator", "signal",   "y0",      "gamma",
    "exit",   "abort",   "index",    "complex",  "I_",       "_Bool",    "asm",     "typeof_",
    "size_t", "int32_t", "bool_",    "snl_rt",   "SNL_FN",   "memcpy",   "M_PI",    "float4",
    "dim3",   "uint",    "assert_",  "fputs", "linux",    "unix",     "stdout",  "environ"};

void
new_name(Gen *g, char *name, const char *prefix)
{
    int count = (int)(sizeof odd_names / sizeof odd_names[0]);
    if (!g->shaping && chance(g, 3) && g->odd_names < count) {
        snprintf(name, NAME_MAX_, "%s", odd_names[(g->first_odd + g->odd_names++) % count]);
        return;
    }
    if (g->shaping)
        snprintf(name, NAME_MAX_, "%s_%d", prefix, g->shape_names++);
    else
        snprintf(name, NAME_MAX_, "%s%d", prefix, g->names++);
}

void
put_given(Gen *g, const char *name, bool is_param, const char *value, const char *other)
{
    size_t used = strlen(g->with);
    bool shaping = g->shaping;
    g->shaping = true;
    bool given = chance(g, 20) && used + strlen(name) + strlen(value) + 8 < sizeof g->with;
    g->shaping = shaping;
    if (given)
        snprintf(g->with + used, sizeof g->with - used, "%s%s%s=%s", used ? " " : "",
                 is_param ? "--" : "-D", name, value);
    put(g, "%s", given ? other : value);
}

/* ---- checksums ---- */

/* Sums the parts of a value into `s`, each with a weight of its own. */
static void
put_sum(Gen *g, const char *value, Type t, int *weight)
{
    char part[300];
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

/* A function for indices, and those that give the bits of a number, or what they leave divided by a
 * prime, so that few sums of them overflow; all NaNs are one. */
void
put_helpers(Gen *g)
{
    /* an index below 0 is one of 2^63 and more then */
    put(g, "func u64 high(i64 v) { return u64(v); }\n");
    for (int s = 0; s < S_COUNT; s++) {
        put(g, "func i64 hash_%s(%s v) { ", scalar_name((Scalar)s), scalar_name((Scalar)s));
        const char *rest = s == S_I64 || s == S_U64 || s == S_F64 ? " % 2147483629" : "";
        if (is_float((Scalar)s))
            put(g, "if (isnan(v)) { return 77; } return i64(bitcast_i%d(v))%s; }\n",
                16 << (s - S_F16), rest);
        else
            put(g, "return i64(v)%s; }\n", rest);
    }
}

/* A kernel over all elements, and for sparse fields one over the active elements. */
static void
put_checksum(Gen *g, const Field *f)
{
    static const char *const letter[] = { "i", "j", "k", "l", "m", "n", "o", "p" };
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
            put(g, " + %ld * i64(%s)", 1L << (5 * a + 3), letter[a]);
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

static void
put_checksums(Gen *g)
{
    for (int i = 0; i < g->fields; i++)
        put_checksum(g, &g->field[i]);
}

/* ---- host part ---- */

/* Prints a value, part by part if it is a struct. */
static void
put_print(Gen *g, const char *value, Type t)
{
    if (!t.record) {
        static const char *const formats[] = {"{:10}",  "{:<9}|", "{:+}",
                                              "{:.3f}", "{:.4e}", "{:12.5g}"};
        bool given = t.scalar != S_BOOL && chance(g, 15);
        line(g);
        put(g, "print(\"%s %s\", %s);", value,
            given ? formats[pick(g, is_float(t.scalar) ? 6 : 3)] : "{}", value);
        return;
    }
    const Record *r = &g->record[t.record - 1];
    for (int i = 0; i < r->count; i++) {
        char part[300];
        snprintf(part, sizeof part, "%.280s.m%d", value, i);
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
        char element[200];
        int n = snprintf(element, sizeof element, "%s[", f->name);
        for (int a = 0; a < f->axes; a++)
            n += snprintf(element + n, sizeof element - (size_t)n, "%s%d%s%s", a ? ", " : "",
                          f->lo[a] + pick(g, f->size[a]), f->shift[a][0] ? " + " : "", f->shift[a]);
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

/* An array that a kernel takes. */
static void
put_host_array(Gen *g, const Kernel *k, const char *name)
{
    int columns = k->array_axes == 2 ? k->columns : 0, count = k->rows * (columns ? columns : 1);
    put_type(g, k->array_type);
    put(g, " %s[%d", name, k->rows);
    if (columns)
        put(g, ", %d", columns);
    put(g, "] = { ");
    for (int i = 0; i < count; i++) {
        put(g, i ? ", " : "");
        put_literal(g, k->array_type);
    }
    put(g, " };");
}

/* Prints its elements. */
static void
put_array_elements(Gen *g, const Kernel *k, const char *name)
{
    char element[100];
    int columns = k->array_axes == 2 ? k->columns : 0, count = k->rows * (columns ? columns : 1),
        at = pick(g, count);
    for (int n = 0; n < 3; n++, at = (at + 1 + count / 3) % count) {
        if (columns)
            snprintf(element, sizeof element, "%s[%d, %d]", name, at / columns, at % columns);
        else
            snprintf(element, sizeof element, "%s[%d]", name, at);
        put_print(g, element, k->array_type);
    }
}

static void
put_kernel_call(Gen *g, const Kernel *k)
{
    line(g);
    char result[NAME_MAX_], array[NAME_MAX_];
    new_name(g, result, "r");
    if (k->array_axes) {
        new_name(g, array, "h");
        put_host_array(g, k, array);
        line(g);
    }
    if (k->has_result)
        put(g, "let %s = ", result);
    put(g, "%s(", k->name);
    put_arguments(g, k->param, k->params);
    if (k->array_axes)
        put(g, "%s%s", k->params ? ", " : "", array);
    put(g, ");");
    if (k->array_axes)
        put_array_elements(g, k, array);
    if (k->has_result)
        put_print(g, result, k->result);
}

static void
put_main(Gen *g)
{
    put(g, "\nmain {");
    g->indent++;
    g->place = IN_HOST;
    for (int i = 0; i < g->fields; i++)
        g->field[i].access = g->field[i].frozen ? ACCESS_READ : ACCESS_ANY;
    put_created(g);
    line(g);
    put(g, "start();");
    if (g->has_string) {
        line(g);
        put(g, "print(\"{:>12}|\", Z);");
    }
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
                put(g, "swap(%s, %s);", g->layout_name[n], g->layout_name[g->twin[n]]);
            }
            if (g->manual[n] && chance(g, 15)) {
                line(g);
                put(g, "destroy %s;", g->layout_name[n]);
                line(g);
                put(g, "create %s;", g->layout_name[n]);
            }
        }
        int named = g->layouts ? pick(g, g->layouts) : 0;
        const char *name = g->layout_name[named];
        if (chance(g, 20) && g->layouts && name[0]) {
            line(g);
            if (chance(g, 50))
                put(g, "trim %s;", name);
            else if (chance(g, 50))
                put(g, "save(\"tree.snlt\", %s); load(\"tree.snlt\", %s);", name, name);
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

/* ---- the order of items ---- */

void
start_section(Gen *g)
{
    if (g->sections < SECTIONS_MAX)
        g->section[g->sections++] = g->used;
}

/* Appends a section to a text that has room. */
static char *
add_section(const Gen *g, int at, char *to)
{
    size_t from = g->section[at], end = at + 1 < g->sections ? g->section[at + 1] : g->used;
    memcpy(to, g->text + from, end - from);
    return to + (end - from);
}

/* The sections in the order and the files that the shape says: items may be used before they are
 * declared. */
static char *
arrange(Gen *g, uint64_t seed, int variant)
{
    int order[SECTIONS_MAX], from = g->sections;
    char *text = calloc(1, g->used + 1000), *end = text;
    if (!text) {
        perror("snlsmith");
        exit(EXIT_FAILURE);
    }
    g->shaping = true;
    bool mixed = chance(g, 40), split = chance(g, 25);
    for (int i = 0; i < g->sections; i++)
        order[i] = i;
    for (int i = g->sections - 1; i > 0 && mixed; i--) {
        int j = pick(g, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    end += sprintf(end, "// Made by snlsmith %llu %d.\n", (unsigned long long)seed, variant);
    if (g->with[0])
        end += sprintf(end, WITH_MARK "%s\n", g->with);
    if (split) {
        from = pick(g, g->sections);
        end += sprintf(end, "import \"part-%llu-%d.snl\";\n", (unsigned long long)seed, variant);
    }
    for (int i = 0; i < from; i++)
        end = add_section(g, order[i], end);
    if (split)
        end += sprintf(end, PART_MARK "part-%llu-%d.snl\n", (unsigned long long)seed, variant);
    for (int i = from; i < g->sections; i++)
        end = add_section(g, order[i], end);
    *end = '\0';
    return text;
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
    g->shapely = seed % 4 == 2;
    g->first_odd = pick(g, 1000);
    void (*const parts[])(Gen *) = {put_records,   put_constants, put_natives,  put_layouts,
                                    put_helpers,   put_funcs,     put_kernels,  put_shapes,
                                    put_checksums, put_main,      put_pictures, put_tests};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        start_section(g);
        parts[i](g);
    }
    char *text = arrange(g, seed, variant);
    free(g->text);
    free(g);
    return text;
}
