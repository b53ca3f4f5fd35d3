/* items.c - structs, constants, params and functions of C of random programs. */
#include <stdio.h>
#include <string.h>

#include "snlsmith.h"

void
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

/* ---- constants and params ---- */

/* A number that the command line may give. */
static void
put_plain_value(Gen *g, const char *name, bool is_param, Scalar s)
{
    static const char *const reals[] = {"0.1", "2.5", "1e-3", "-0.75", "3", "-12.625"};
    char number[20];
    bool negative = s >= S_I8 && s <= S_I64 && chance(g, 30);
    snprintf(number, sizeof number, "%s%d", negative ? "-" : "", pick(g, 100));
    put_given(g, name, is_param, is_float(s) ? reals[pick(g, 6)] : number,
              is_float(s) ? "77.5" : "101");
}

/* "const i32 C1 = 4;", or the same as a param, of which the compiler knows nothing. */
static void
put_constant(Gen *g)
{
    Type t =
        chance(g, 70) ? scalar_type(any_number(g)) : vector_type(any_number(g), 2 + pick(g, 3));
    Var *v = add_var(g, "C", t);
    put(g, "%s ", g->unfolded ? "param" : "const");
    put_type(g, t);
    put(g, " %s = ", v->name);
    if (!t.rows && chance(g, 50))
        put_plain_value(g, v->name, g->unfolded, t.scalar);
    else
        put_literal(g, t);
    put(g, ";\n");
}

/* A constant made of those before, or a function that computes it. */
static void
put_made_constant(Gen *g)
{
    char name[NAME_MAX_];
    Type t =
        chance(g, 80) ? scalar_type(any_number(g)) : vector_type(any_number(g), 2 + pick(g, 3));
    new_name(g, name, "M");
    put(g, "%s ", g->unfolded ? "func" : "const");
    put_type(g, t);
    put(g, g->unfolded ? " %s() { return " : " %s = ", name);
    g->constant = true;
    put_expr(g, t, 3);
    g->constant = false;
    put(g, g->unfolded ? "; }\n" : ";\n");
    Var *v = add_named(g, name, t);
    if (g->unfolded)
        snprintf(v->name, sizeof v->name, "%.12s()", name);
}

static void
put_table(Gen *g)
{
    Type t = chance(g, 60) ? scalar_type(any_number(g)) : any_type(g);
    while (t.record || t.rows * t.cols > 16)
        t = any_type(g);
    Var *v = add_var(g, "T", t);
    v->count = 2 + pick(g, 6);
    v->columns = chance(g, 25) ? 1 + pick(g, 4) : 0;
    int count = v->count * (v->columns ? v->columns : 1);
    put(g, "const ");
    put_type(g, t);
    put(g, " %s[%d", v->name, v->count);
    if (v->columns)
        put(g, ", %d", v->columns);
    put(g, "] = { ");
    bool rows = v->columns && chance(g, 50);
    for (int k = 0; k < count; k++) {
        bool first = rows && k % v->columns == 0;
        put(g, first ? k ? " }, { " : "{ " : k ? ", " : "");
        put_literal(g, t);
    }
    put(g, "%s%s };\n", rows ? " }" : "", chance(g, 10) ? "," : "");
}

static void
put_param(Gen *g)
{
    Type t = chance(g, 80) ? scalar_type(any_number(g)) : any_type(g);
    while (t.record)
        t = any_type(g);
    Var *v = add_var(g, "Q", t);
    put(g, "param ");
    put_type(g, t);
    put(g, " %s = ", v->name);
    if (!t.rows && t.scalar != S_BOOL && chance(g, 50))
        put_plain_value(g, v->name, true, t.scalar);
    else
        put_literal(g, t);
    put(g, ";\n");
}

/* ---- items that are chosen ---- */

/* A constant and a function, in one branch of a static if; those in the others are not right. */
static void
put_chosen_items(Gen *g)
{
    static const char *const conditions[] = {"%s == 1", "%s == 2 && %1$s != 3",
                                             "%s > 4 || %1$s == 3"};
    char chooser[NAME_MAX_], number[12];
    Func *f = &g->func[g->funcs++];
    *f = (Func){.result = scalar_type(any_integer(g)), .params = 2, .has_result = true};
    f->param[0] = f->param[1] = f->result;
    new_name(g, f->name, "f");
    new_name(g, chooser, "K");
    Var *v = add_var(g, "C", scalar_type(S_I32));
    const char *type = scalar_name(f->result.scalar), *op = chance(g, 50) ? "^" : "+";
    int value = pick(g, 100), by = pick(g, 50);
    g->shaping = true;
    int branches = 2 + pick(g, 3), chosen = pick(g, branches);
    g->shaping = false;
    put(g, "const i32 %s = ", chooser);
    snprintf(number, sizeof number, "%d", chosen + 1 == branches ? 0 : chosen + 1);
    put_given(g, chooser, false, number, "9");
    put(g, ";\n");
    for (int n = 0; n < branches; n++) {
        put(g, n ? "} else " : "");
        if (n + 1 < branches) {
            put(g, "%sif (", n ? "" : "static ");
            put(g, conditions[n], chooser);
            put(g, ") {\n");
        } else {
            put(g, "{\n");
        }
        bool right = n == chosen;
        put(g, "    const i32 %s = %d;\n    func %s %s(%s a, %s b) { return (a %s b) + %d; }\n",
            v->name, right ? value : value + 1, type, f->name, type, type, right ? op : "|",
            by + !right);
    }
    put(g, "}\n");
}

void
put_constants(Gen *g)
{
    g->shaping = true;
    g->unfolded = chance(g, 50);
    g->shaping = false;
    for (int i = pick(g, 4); i > 0; i--)
        put_constant(g);
    for (int i = pick(g, 3); i > 0; i--)
        put_table(g);
    for (int i = pick(g, 4); i > 0; i--)
        put_made_constant(g);
    for (int i = pick(g, 3); i > 0; i--)
        put_param(g);
    if (chance(g, 30))
        put_chosen_items(g);
    for (int i = 0; i < g->vars; i++)
        g->var[i].fixed = true;
    g->globals = g->vars;
    if (chance(g, 30)) {
        put(g, "param string Z = \"z \\\\ {} \\x7a\";\n");
        g->has_string = true;
    }
    put(g, "static_assert(%d < %d, \"wrong\");\n", pick(g, 9), 9 + pick(g, 9));
}

/* ---- functions of C ---- */

/* The functions of extern.h: heads, and bodies for the interpreter, which cannot call them. */
static const struct {
    const char *head, *body;
    Func func;
} natives[] = {
    {"i32 ext_mix(i32 a, i32 b)",
     "return a * 31 + b;",
     {.name = "ext_mix",
      .has_result = true,
      .result = {.scalar = S_I32},
      .params = 2,
      .param = {{.scalar = S_I32}, {.scalar = S_I32}}}},
    {"u8 ext_wrap(u8 a, i8 b)",
     "return a + u8(b);",
     {.name = "ext_wrap",
      .has_result = true,
      .result = {.scalar = S_U8},
      .params = 2,
      .param = {{.scalar = S_U8}, {.scalar = S_I8}}}},
    {"f64 ext_scale(f64 x, i64 n)",
     "return x * f64(n);",
     {.name = "ext_scale",
      .has_result = true,
      .result = {.scalar = S_F64},
      .params = 2,
      .param = {{.scalar = S_F64}, {.scalar = S_I64}}}},
    {"bool ext_more(u64 a, u64 b)",
     "return a > b;",
     {.name = "ext_more",
      .has_result = true,
      .result = {.scalar = S_BOOL},
      .params = 2,
      .param = {{.scalar = S_U64}, {.scalar = S_U64}}}},
    {"i32 ext_last(i32[] a, i32 b)",
     "return a[extent(a, 0) - 1] ^ b;",
     {.name = "ext_last",
      .has_result = true,
      .takes_array = true,
      .result = {.scalar = S_I32},
      .params = 1,
      .param = {{.scalar = S_I32}}}},
    {"ext_bump(inout u32 n, f32 x)",
     "n += u32(x > 0.5) + 1;",
     {.name = "ext_bump",
      .inout = 1,
      .params = 2,
      .param = {{.scalar = S_U32}, {.scalar = S_F32}}}},
};

void
put_natives(Gen *g)
{
    int count = (int)(sizeof natives / sizeof natives[0]), first = pick(g, count),
        used = 1 + pick(g, 3);
    put(g, "const NATIVE = 0;\n");
    if (!chance(g, 25))
        return;
    for (int side = 0; side < 2; side++) {
        put(g, side ? "} else {\n" : "static if (NATIVE == 1) {\n");
        for (int i = 0; i < used; i++) {
            int at = (first + i) % count;
            put(g, side ? "    func %s { %s }\n" : "    extern func %s;\n", natives[at].head,
                natives[at].body);
        }
    }
    put(g, "}\n");
    for (int i = 0; i < used; i++)
        g->func[g->funcs++] = natives[(first + i) % count].func;
}
