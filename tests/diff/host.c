/* host.c - what host code of random programs does with whole fields and layouts: copies, files,
 * pictures, tests. */
#include <stdio.h>
#include <string.h>

#include "snlsmith.h"

/* ---- files ---- */

/* True if files of this kind take the field. */
static bool
file_takes(const char *extension, const Field *f)
{
    Scalar s = f->type.scalar;
    bool cells = f->axes >= 1 && f->axes <= 3 && f->list_axis < 0;
    if (f->type.record || f->axes == 0)
        return false;
    if (strcmp(extension, "h5") == 0)
        return f->list_axis < 0;
    if (strcmp(extension, "vtu") == 0)
        return cells && !f->type.cols;
    if (f->wide)
        return strcmp(extension, "nvdb") == 0 && cells && s == S_F32 && !f->type.rows;
    if (strcmp(extension, "nvdb") == 0)
        return cells && !f->type.cols &&
               (f->type.rows
                    ? (s == S_F32 || s == S_F64) && (f->type.rows == 3 || f->type.rows == 4)
                    : s == S_BOOL || s == S_I16 || s == S_I32 || s == S_I64 || s == S_U32 ||
                          s >= S_F32);
    if (strcmp(extension, "vti") == 0)
        return cells && !f->type.cols;
    if (strcmp(extension, "png") == 0)
        return f->axes == 2 && f->list_axis < 0 && (s == S_U8 || s == S_U16) && f->type.rows <= 4 &&
               !f->type.cols;
    return f->list_axis < 0;
}

/* What is saved, changed and loaded again is as before. */
static bool
put_file(Gen *g, const Field *f)
{
    static const char *const kinds[] = { "npy", "npz", "png", "vti", "vtu", "nvdb", "h5" };
    const char *kind = kinds[pick(g, 7)];
    if (!file_takes(kind, f))
        return false;
    const Field *second = &g->field[pick(g, g->fields)];
    bool both = (strcmp(kind, "npz") == 0 || strcmp(kind, "h5") == 0) && second != f &&
                file_takes(kind, second);
    line(g);
    put(g, "save(\"own.%s\", %s%s%s);", kind, f->name, both ? ", " : "",
        both ? second->name : "");
    if (both)
        put(g, " load(\"own.%s\", %s);", kind, second->name);
    if (chance(g, 50)) {
        put(g, " fill(%s, ", f->name);
        put_expr(g, f->type, 1);
        put(g, ");");
    }
    put(g, " load(\"own.%s\", %s);", kind, f->name);
    return true;
}

/* A picture of a field, which is loaded into another one. */
static bool
put_picture(Gen *g, const Field *f)
{
    Scalar s = f->type.scalar;
    if (f->axes != 2 || f->type.rows || f->type.record || f->wide || f->list_axis >= 0 ||
        s == S_BOOL || g->pictures == PICTURES_MAX)
        return false;
    Picture *p = &g->picture[g->pictures++];
    new_name(g, p->name, "pic");
    p->size[0] = f->size[0];
    p->size[1] = f->size[1];
    line(g);
    int low = pick(g, 5) - 2;
    put(g, "image(\"image.png\", %s, %d, %d); load(\"image.png\", %s); print(\"%s {}\", sum_%s());",
        f->name, low, low + 1 + pick(g, 20), p->name, p->name, p->name);
    return true;
}

void
put_pictures(Gen *g)
{
    for (int i = 0; i < g->pictures; i++) {
        const Picture *p = &g->picture[i];
        put(g, "field u8 %s[%d, %d];\n", p->name, p->size[0], p->size[1]);
        put(g,
            "kernel i64 sum_%s() { i64 s = 0; for i, j in %s { s += i64(%s[i, j]) * (1 + i + 40 * "
            "j); } return s; }\n",
            p->name, p->name, p->name);
    }
}

/* ---- whole fields and layouts ---- */

void
put_whole_field(Gen *g)
{
    const Field *f = &g->field[pick(g, g->fields)];
    const Field *other = &g->field[pick(g, g->fields)];
    if (f->frozen)
        return;
    bool alike = same_type(f->type, other->type) && f->axes == other->axes && f != other &&
                 !f->wide && !other->wide;
    for (int a = 0; alike && a < f->axes; a++)
        alike = f->size[a] == other->size[a];
    if (chance(g, 30) && put_file(g, f))
        return;
    if (chance(g, 15) && put_picture(g, f))
        return;
    line(g);
    if (alike && f->list_axis < 0 && other->list_axis < 0) {
        if (!f->type.record && f->axes && chance(g, 40))
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

void
put_forgotten(Gen *g, int layout)
{
    put(g, "save(\"tree.snlt\", %s);", g->layout_name[layout]);
    for (int i = 0; i < g->labels; i++)
        if (g->label[i].layout == layout && !g->label[i].dense) {
            put(g, " deactivate_all(%s);", g->label[i].name);
            break;
        }
    put(g, " load(\"tree.snlt\", %s);", g->layout_name[layout]);
}

/* ---- tests ---- */

void
put_created(Gen *g)
{
    for (int i = 0; i < g->layouts; i++)
        if (g->manual[i]) {
            line(g);
            put(g, "create %s;", g->layout_name[i]);
        }
}

/* A kernel that is called some times; what the program computes then stands in the message of an
 * error, or is right. */
static void
put_benchmark(Gen *g)
{
    const Kernel *k = &g->kernel[pick(g, g->kernels)];
    const Field *f = &g->field[pick(g, g->fields)];
    if (k->array_axes)
        return;
    put(g, "benchmark \"benchmark\" {");
    g->indent++;
    put_created(g);
    line(g);
    put(g, "start();");
    line(g);
    put(g, "while (measure(%s)) { %s(", chance(g, 50) ? "" : "20", k->name);
    g->vars = g->globals;
    for (int i = 0; i < g->fields; i++)
        g->field[i].access = ACCESS_NONE;
    put_arguments(g, k->param, k->params);
    put(g, "); }");
    line(g);
    put(g, "assert(sum_%s() == 12345, \"{}\", sum_%s());", f->ident, f->ident);
    g->indent--;
    put(g, "\n}\n");
}

/* Blocks that `snlc test` runs; what they compute stands in the message of an error. */
void
put_tests(Gen *g)
{
    int count = 1 + pick(g, 2);
    for (int n = 0; n < count; n++) {
        const Kernel *k = &g->kernel[pick(g, g->kernels)];
        const Field *f = &g->field[pick(g, g->fields)];
        bool fails = chance(g, 40);
        put(g, "%s%stest \"test %d\" {", fails ? "@fails(\"sum of\") " : "",
            g->strict && chance(g, 30) ? "@check " : "", n);
        g->indent++;
        put_created(g);
        line(g);
        put(g, "start();");
        if (!k->array_axes) {
            g->vars = g->globals;
            for (int i = 0; i < g->fields; i++)
                g->field[i].access = ACCESS_NONE;
            line(g);
            put(g, "%s(", k->name);
            put_arguments(g, k->param, k->params);
            put(g, ");");
        }
        line(g);
        put(g, "assert(sum_%s() == 12345, \"{} {}\", \"sum of\", sum_%s());", f->ident, f->ident);
        g->indent--;
        put(g, "\n}\n");
    }
    if (chance(g, 30))
        put_benchmark(g);
}
