/* funcs.c - functions of random programs. */
#include <stdio.h>
#include <string.h>

#include "snlsmith.h"

void
put_parameters(Gen *g, const Type *param, int count, int inout, bool more)
{
    for (int i = 0; i < count; i++) {
        Var *v = add_var(g, "a", param[i]);
        put(g, "%s%s", i || more ? ", " : "", inout >> i & 1 ? "inout " : "");
        put_type(g, param[i]);
        put(g, " %s", v->name);
    }
}

/* "return self(n - 1, ...) op ...;", for n down to 0. */
static void
put_recursion(Gen *g, const Func *f, const char *array, const char *depth)
{
    line(g);
    put(g, "if (%s <= 0) { return ", depth);
    put_expr(g, f->result, 2);
    put(g, "; }");
    put_body(g, 1 + pick(g, 2));
    line(g);
    put(g, "let below = %s(%s%s%s - 1", f->name, array, array[0] ? ", " : "", depth);
    for (int i = 0; i < f->params; i++) {
        put(g, ", ");
        put_expr(g, f->param[i], 2);
    }
    put(g, ");");
    add_named(g, "below", f->result)->fixed = true;
}

/* "if (n > 0) { ...; self(n - 1, ...); }", which gives what is inout on. */
static void
put_descent(Gen *g, const Func *f, const char *depth)
{
    const Var *own = &g->var[g->vars - f->params];
    line(g);
    put(g, "if (%s > 0) {", depth);
    put_body(g, 1 + pick(g, 2));
    line(g);
    put(g, "%s(%s - 1", f->name, depth);
    for (int i = 0; i < f->params; i++) {
        put(g, ", ");
        if (f->inout >> i & 1)
            put(g, "%s", own[i].name);
        else
            put_expr(g, f->param[i], 2);
    }
    put(g, "); }");
}

static void
put_func(Gen *g)
{
    Func *f = &g->func[g->funcs];
    *f = (Func){.has_result = chance(g, 75), .recursive = chance(g, 20)};
    new_name(g, f->name, "func");
    f->has_result |= f->recursive && chance(g, 60);
    f->result = any_type(g);
    f->params = 1 + pick(g, 3);
    for (int i = 0; i < f->params; i++)
        f->param[i] = any_type(g);
    if (!f->has_result || (!f->recursive && chance(g, 20)))
        f->inout = 1 << pick(g, f->params);
    f->takes_array = !f->inout && chance(g, 12);
    int vars = g->vars;
    put(g, "func ");
    if (f->has_result) {
        put_type(g, f->result);
        put(g, " ");
    }
    put(g, "%s(", f->name);
    char depth[INDEX_MAX] = "", array[NAME_MAX_] = "";
    if (f->takes_array) {
        Var *v = add_var(g, "arr", scalar_type(S_I32));
        v->count = 2;
        v->fixed = true;
        memcpy(array, v->name, sizeof array);
        put(g, "i32[] %s%s", v->name, f->recursive ? ", " : "");
    }
    if (f->recursive) {
        Var *v = add_var(g, "n", scalar_type(S_I32));
        v->fixed = true;
        snprintf(depth, sizeof depth, "%s", v->name);
        put(g, "i32 %s", v->name);
    }
    put_parameters(g, f->param, f->params, f->inout, f->recursive || f->takes_array);
    put(g, ") {");
    if (f->takes_array && !f->recursive) {
        g->indent = 1;
        line(g);
        Var *v = add_var(g, "_v", scalar_type(S_I32));
        put(g, "let %s = %s[extent(%s, 0) - 1];", v->name, array, array);
        v->fixed = true;
    }
    g->statements = 6;
    g->calls = 2;
    g->returns = f->has_result;
    g->result = f->result;
    g->indent = 1;
    if (f->recursive && f->has_result)
        put_recursion(g, f, array, depth);
    else if (f->recursive)
        put_descent(g, f, depth);
    g->indent = 0;
    put_body(g, 1 + pick(g, 4));
    g->indent = 1;
    if (f->has_result) {
        line(g);
        put(g, "return ");
        put_expr(g, f->result, 3);
        put(g, ";");
    }
    g->indent = 0;
    put(g, "\n}\n");
    g->vars = vars;
    g->returns = false;
    g->funcs++;
}

/* "func f32 near(field f32[,] f, i32 i, i32 j) { ... }", for every field of that type. */
static void
put_generic(Gen *g)
{
    const Field *like = &g->field[pick(g, g->fields)];
    Func *f = &g->func[g->funcs];
    if (like->type.record || like->wide || like->shift[0][0])
        return;
    *f = (Func){.result = like->type,
                .has_result = true,
                .takes_field = true,
                .field_axes = like->axes,
                .field_type = like->type,
                .params = like->axes};
    new_name(g, f->name, "near");
    put(g, "func ");
    put_type(g, f->result);
    put(g, " %s(field ", f->name);
    put_type(g, f->result);
    if (like->axes)
        put(g, "[%.*s]", like->axes - 1, ",,,,,,,");
    put(g, " f");
    for (int a = 0; a < like->axes; a++) {
        f->param[a] = scalar_type(S_I32);
        put(g, ", i32 a%d", a);
    }
    put(g, ") { return f%s", like->axes ? "[" : "");
    for (int a = 0; a < like->axes; a++)
        put(g, "%sfloormod(a%d, extent(f, %d))", a ? ", " : "", a, a);
    put(g, "%s%s; }\n", like->axes ? "]" : "",
        like->type.scalar == S_BOOL  ? ""
        : like->type.scalar >= S_F16 ? " * 0.5"
                                     : " + 1");
    g->funcs++;
}

/* Functions that take values of any type, any label, or any field. */
static void
put_any(Gen *g)
{
    if (chance(g, 40)) {
        new_name(g, g->blend, "blend");
        put(g, "func auto %s(auto a, auto b) { typeof(a) c = a + b; return c * b; }\n", g->blend);
    }
    if (chance(g, 60)) {
        new_name(g, g->symmetric, "even");
        put(g, "func auto %s(auto m) { return m + transpose(m); }\n", g->symmetric);
    }
    if (chance(g, 60)) {
        static const char *const ops[] = {"+", "&", "|", "^"};
        new_name(g, g->join, "join");
        for (int op = 0; op < 4; op++)
            put(g, "func %s_%d(inout auto a, auto v, i32 n) { %sa %s= v; }\n", g->join, op,
                chance(g, 50) ? "if (n < 0) { return; } " : "", ops[op]);
    }
    if (chance(g, 40)) {
        g->bump_type = scalar_type(chance(g, 50) ? S_I32 : any_number(g));
        new_name(g, g->bump, "bump");
        put(g, "func %s(", g->bump);
        put_type(g, g->bump_type);
        put(g, "[] a, i32 n, ");
        put_type(g, g->bump_type);
        put(g, " v) { a[n] = v; if (n %s) { a[%s] %s a[0]; } }\n",
            chance(g, 50) ? "> 0" : "+ 1 < extent(a, 0)", chance(g, 50) ? "0" : "n",
            chance(g, 50) ? "+=" : "-=");
    }
    if (g->labels && chance(g, 50)) {
        new_name(g, g->active_in, "has");
        put(g, "func bool %s1(node b, i32 i) { return is_active(b[i]); }\n", g->active_in);
        put(g,
            "func bool %s2(node b, i32 i, i32 j) { if (is_active(b[i, j])) { return true; } return "
            "false; }\n",
            g->active_in);
    }
}

void
put_funcs(Gen *g)
{
    put_any(g);
    for (int n = pick(g, 3); n > 0; n--)
        put_generic(g);
    for (int i = 0; i < g->fields; i++)
        g->field[i].access = g->field[i].frozen ? ACCESS_READ : ACCESS_NONE;
    g->place = IN_FUNC;
    for (int n = g->shapely ? 0 : pick(g, 6); n > 0; n--)
        put_func(g);
}
