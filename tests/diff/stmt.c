/* stmt.c - statements of random programs. */
#include <stdio.h>

#include "snlsmith.h"

static void put_statement(Gen *g);

void
put_body(Gen *g, int count)
{
    int vars = g->vars;
    g->indent++;
    for (int i = 0; i < count; i++)
        put_statement(g);
    g->indent--;
    g->vars = vars;
}

/* The line that closes a block. */
static void
close_block(Gen *g)
{
    line(g);
    put(g, "}");
}

/* ---- variables and assignments ---- */

void
put_variable(Gen *g)
{
    Type t = any_type(g);
    bool fixed = chance(g, 30), typed = !fixed && chance(g, 60);
    if (g->vars >= VARS_MAX - 8)
        return;
    line(g);
    if (typed)
        put_type(g, t);
    else
        put(g, fixed ? "let" : "var");
    char name[NAME_MAX_];
    new_name(g, name, "_v");
    put(g, " %s = ", name);
    if (typed && chance(g, 15) && !t.record && !t.rows && t.scalar != S_BOOL)
        put_open(g, t.scalar);
    else
        put_expr(g, t, 3);
    if (typed && chance(g, 10)) { /* a second one */
        char second[NAME_MAX_];
        new_name(g, second, "_v");
        put(g, ", %s = ", second);
        put_expr(g, t, 2);
        add_named(g, second, t);
    }
    put(g, ";");
    Var *v = add_named(g, name, t);
    v->fixed = fixed;
}

/* What a matrix is made of, all of it in one variable. */
static void
put_factors(Gen *g)
{
    static const struct {
        const char *call, *member[3];
    } all[] = { { "svd(", { "U", "S", "V" } },
                { "polar(", { "R", "S" } },
                { "eig_sym(", { "values", "vectors" } } };
    int kind = pick(g, g->symmetric[0] ? 3 : 2), n = 2 + pick(g, 2);
    Type t = { .scalar = chance(g, 60) ? S_F32 : S_F64, .rows = n, .cols = n };
    char name[NAME_MAX_], member[2 * NAME_MAX_];
    if (g->vars >= VARS_MAX - 8)
        return;
    line(g);
    snprintf(name, sizeof name, "_d%d", g->names++);
    put(g, "let %s = %s%s%sclamp(", name, all[kind].call, kind == 2 ? g->symmetric : "",
        kind == 2 ? "(" : "");
    put_expr(g, t, 2);
    put(g, ", -50.0, 50.0)%s);", kind == 2 ? ")" : "");
    for (int i = 0; i < 3 && all[kind].member[i]; i++) {
        snprintf(member, sizeof member, "%s.%s", name, all[kind].member[i]);
        Var *v = add_named(g, member, kind == 2 && i == 0 ? vector_type(t.scalar, n) : t);
        v->fixed = true;
    }
}

static void
put_array(Gen *g)
{
    Type t = chance(g, 70) ? scalar_type(any_number(g)) : any_type(g);
    if (g->vars >= VARS_MAX - 8)
        return;
    line(g);
    int count = 2 + pick(g, 5), columns = chance(g, 30) ? 1 + pick(g, 4) : 0;
    bool filled = g->strict || chance(g, 50);
    char name[NAME_MAX_];
    new_name(g, name, "_a");
    put_type(g, t);
    put(g, " %s[%d", name, count);
    if (columns)
        put(g, ", %d", columns);
    put(g, "]%s", filled ? " = { " : ";");
    bool rows = columns && filled && chance(g, 50);
    for (int i = 0; i < count * (columns ? columns : 1) && filled; i++) {
        put(g, rows && i % columns == 0 ? i ? " }, { " : "{ " : i ? ", " : "");
        put_expr(g, t, 1);
    }
    if (filled)
        put(g, rows ? " } };" : " };");
    Var *v = add_named(g, name, t);
    v->count = count;
    v->columns = columns;
}

/* ".m1.x" or nothing: some part of a place; returns its type. */
static Type
put_some_part(Gen *g, Type t)
{
    if (t.record) {
        const Record *r = &g->record[t.record - 1];
        if (chance(g, 30))
            return t;
        int i = pick(g, r->count);
        put(g, ".m%d", i);
        return put_some_part(g, r->type[i]);
    }
    if (!t.rows || chance(g, 50))
        return t;
    Type part = scalar_type(t.scalar);
    put_part(g, t, part);
    return part;
}

/* A place that may be assigned here. False if there is none. */
static bool
put_place(Gen *g, Type *type)
{
    int total = g->vars + g->fields, first = pick(g, total + 1);
    for (int n = 0; n < total; n++) {
        int at = (first + n) % total;
        if (at < g->vars) {
            const Var *v = &g->var[at];
            if (v->fixed || v->hidden || (at < g->writable && !v->owned) || at < g->globals)
                continue;
            put(g, "%s", v->name);
            put_array_index(g, v, 1);
            *type = put_some_part(g, v->type);
            return true;
        }
        const Field *f = &g->field[at - g->vars];
        if (f->access == ACCESS_OWN || f->access == ACCESS_ANY) {
            put_element(g, f, 1);
            *type = put_some_part(g, f->type);
            return true;
        }
    }
    return false;
}

static void
put_assignment(Gen *g)
{
    static const char *const ops[] = {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    size_t start = g->used;
    Type t;
    line(g);
    if (!put_place(g, &t)) {
        g->used = start;
        g->text[start] = '\0';
        put_variable(g);
        return;
    }
    int op = t.scalar == S_BOOL ? 5 + pick(g, 3) : pick(g, is_int(t.scalar) ? 10 : 5);
    if (t.record || chance(g, 50))
        op = -1;
    put(g, " %s ", op < 0 ? "=" : ops[op]);
    bool divides = op == 3 || op == 4 || op >= 8;
    if (g->strict && divides && is_int(t.scalar))
        put_harmless(g, t);
    else if (!divides && chance(g, 10) && !t.record && !t.rows && t.scalar != S_BOOL)
        put_open(g, t.scalar);
    else
        put_expr(g, t, 3);
    put(g, ";");
}

/* A function with an inout argument, or an atomic operation on a place that nobody else uses. */
static void
put_update(Gen *g)
{
    static const char *const ops[] = { "add", "sub", "min", "max", "and", "or", "xor", "exchange" };
    size_t start = g->used;
    Type t;
    line(g);
    if (g->place == IN_PARALLEL || g->place == IN_KERNEL) {
        char name[NAME_MAX_];
        new_name(g, name, "_v");
        bool cas = chance(g, 15);
        int op = pick(g, 8);
        put(g, "let %s = atomic_%s(", name, cas ? "cas" : ops[op]);
        bool fine = put_place(g, &t) && !t.record && !t.cols && !(cas && t.rows);
        if (fine && (is_int(t.scalar) || (t.scalar == S_BOOL && (cas || op >= 4)))) {
            put(g, ", ");
            if (cas) {
                put_expr(g, t, 1);
                put(g, ", ");
            }
            put_expr(g, t, 2);
            put(g, ");");
            Var *v = add_named(g, name, t);
            v->fixed = true;
            return;
        }
    }
    g->used = start;
    g->text[start] = '\0';
    put_assignment(g);
}

/* A function that changes an array, if there is one that may be changed here. */
static bool
put_bump(Gen *g)
{
    for (int at = g->vars - 1; at >= g->globals && at >= g->writable && g->bump[0]; at--) {
        const Var *v = &g->var[at];
        if (v->count < 2 || v->columns || v->fixed || v->hidden ||
            !same_type(v->type, g->bump_type))
            continue;
        line(g);
        put(g, "%s(%s, ", g->bump, v->name);
        put_index(g, 0, v->count, 1);
        put(g, ", ");
        put_expr(g, v->type, 2);
        put(g, ");");
        return true;
    }
    return false;
}

static void
put_inout_call(Gen *g)
{
    if (chance(g, 50) && put_bump(g))
        return;
    for (int tries = 0; tries < 8 && g->funcs && g->calls > 0; tries++) {
        const Func *f = &g->func[pick(g, g->funcs)];
        size_t start = g->used;
        if (!f->inout || (f->recursive && f->has_result))
            continue;
        line(g);
        put(g, "%s(", f->name);
        if (f->recursive)
            put(g, "%d, ", pick(g, 5));
        bool fine = true;
        for (int i = 0; i < f->params && fine; i++) {
            put(g, i ? ", " : "");
            if (!(f->inout >> i & 1)) {
                put_expr(g, f->param[i], 2);
                continue;
            }
            Type t = {0};
            fine = false;
            for (int k = 0; k < 10 && !fine; k++) {
                size_t before = g->used;
                fine = put_place(g, &t) && same_type(t, f->param[i]);
                if (!fine) {
                    g->used = before;
                    g->text[before] = '\0';
                }
            }
        }
        put(g, ");");
        if (fine) {
            g->calls--;
            return;
        }
        g->used = start;
        g->text[start] = '\0';
    }
    put_assignment(g);
}

/* ---- accumulation in parallel loops ---- */

static void
put_commuting(Gen *g, Commuting op)
{
    static const char *const ops[] = { "+=", "&=", "|=", "^=" };
    if (op == OP_ADD && chance(g, 30))
        put(g, " -= ");
    else
        put(g, " %s ", ops[op]);
}

static const char *const atomic_names[] = { "add", "and", "or", "xor", "min", "max" };

/* Shall a function do it? What it does to floats would depend on the order. */
static bool
joins(Gen *g, Commuting op, Type t)
{
    return g->join[0] && op < OP_MIN && !is_float(t.scalar) && chance(g, 50);
}

static void
put_joined(Gen *g, Type t)
{
    put(g, ", ");
    put_type(g, t);
    put(g, "(");
    put_expr(g, t, 2);
    put(g, "), %d);", pick(g, 4));
}

static void
put_reduction(Gen *g)
{
    for (int tries = 0; tries < 20; tries++) {
        const Var *v = &g->var[pick(g, g->vars)];
        if (!v->reduction)
            continue;
        line(g);
        if (v->op >= OP_MIN || (chance(g, 20) && !v->type.rows)) {
            put(g, "atomic_%s(%s, ", atomic_names[v->op], v->name);
            put_expr(g, v->type, 2);
            put(g, ");");
            return;
        }
        if (joins(g, v->op, v->type)) {
            put(g, "%s_%d(%s", g->join, v->op, v->name);
            put_joined(g, v->type);
            return;
        }
        put(g, "%s", v->name);
        put_commuting(g, v->op);
        put_expr(g, v->type, 3);
        put(g, ";");
        return;
    }
    put_assignment(g);
}

/* Adds to an element of an array that all iterations share. */
static void
put_into_array(Gen *g, const Var *v)
{
    line(g);
    bool call = v->op >= OP_MIN || chance(g, 30), join = !call && joins(g, v->op, v->type);
    if (join)
        put(g, "%s_%d(", g->join, v->op);
    if (call)
        put(g, "atomic_%s(", atomic_names[v->op]);
    put(g, "%s", v->name);
    put_array_index(g, v, 2);
    if (join) {
        put_joined(g, v->type);
        return;
    }
    if (call)
        put(g, ", ");
    else
        put_commuting(g, v->op);
    put_expr(g, v->type, 2);
    put(g, call ? ");" : ";");
}

static void
put_scattered(Gen *g)
{
    for (int i = g->globals; i < g->vars; i++)
        if (g->var[i].scattered && chance(g, 50)) {
            put_into_array(g, &g->var[i]);
            return;
        }
    for (int tries = 0; tries < 20; tries++) {
        const Field *f = &g->field[pick(g, g->fields)];
        if (f->access != ACCESS_ADD)
            continue;
        line(g);
        bool call = f->op >= OP_MIN || chance(g, 30), join = !call && joins(g, f->op, f->type);
        if (join)
            put(g, "%s_%d(", g->join, f->op);
        if (call)
            put(g, "atomic_%s(", atomic_names[f->op]);
        put_element(g, f, 2);
        Type t = f->type;
        if (t.rows && (call || chance(g, 50))) {
            put_part(g, t, scalar_type(t.scalar));
            t = scalar_type(t.scalar);
        }
        if (join) {
            put_joined(g, t);
            return;
        }
        if (call)
            put(g, ", ");
        else
            put_commuting(g, f->op);
        put_expr(g, t, 2);
        /* no zeros with a sign, of which it would matter which came first */
        put(g, "%s%s;", is_float(t.scalar) ? " + 0.0" : "", call ? ")" : "");
        return;
    }
    put_assignment(g);
}

/* ---- activity ---- */

static void
put_activity(Gen *g)
{
    if (!g->labels || g->place == IN_FUNC) {
        put_assignment(g);
        return;
    }
    const Label *l = &g->label[pick(g, g->labels)];
    bool sequential = g->place != IN_PARALLEL;
    if (l->dense || (!sequential && !g->activating[l->layout])) {
        put_assignment(g);
        return;
    }
    if (l->list_size && sequential && chance(g, 75)) {
        char name[NAME_MAX_];
        new_name(g, name, "_n");
        /* The same cell for both, so the list is not full. */
        line(g);
        put(g, "if (length(%s", l->name);
        size_t from = g->used;
        put_cell(g, l, 0);
        char cell[200];
        size_t n = g->used - from;
        if (n < sizeof cell) {
            for (size_t i = 0; i <= n; i++)
                cell[i] = g->text[from + i];
            put(g, ") < %d) { let %s = append(%s%s", l->list_size, name, l->name, cell);
            bool given = chance(g, 80); /* else ambient values */
            for (int i = 0; i < l->fields && given; i++) {
                put(g, ", ");
                put_expr(g, l->value[i], 2);
            }
            put(g, ");");
            if (chance(g, 50))
                put(g, " assert(%s >= 0 && %s < %d);", name, name, l->list_size);
            put(g, " }");
        }
        return;
    }
    if (l->list_size && !sequential) {
        put_assignment(g);
        return;
    }
    line(g);
    put(g, "%s(%s", sequential && (l->list_size || chance(g, 40)) ? "deactivate" : "activate",
        l->name);
    put_cell(g, l, 2);
    put(g, ");");
}

/* ---- control ---- */

static void
put_if(Gen *g)
{
    line(g);
    put(g, "if (");
    put_expr(g, scalar_type(S_BOOL), 2);
    put(g, ") {");
    put_body(g, 1 + pick(g, 2));
    close_block(g);
    if (chance(g, 25)) {
        put(g, " else if (");
        put_expr(g, scalar_type(S_BOOL), 2);
        put(g, ") {");
        put_body(g, 1 + pick(g, 2));
        close_block(g);
    }
    if (chance(g, 40)) {
        put(g, " else {");
        put_body(g, 1 + pick(g, 2));
        close_block(g);
    }
}

/* "if (i > 0 && i < 7) { }" around statements that then read neighbours. */
static void
put_guard(Gen *g)
{
    const Domain *outer = g->domain;
    Domain inner;
    Var saved[AXES_MAX];
    if (!outer) {
        put_if(g);
        return;
    }
    inner = *outer;
    int margin = 1 + pick(g, 2), first = g->writable;
    line(g);
    put(g, "if (");
    for (int a = 0; a < inner.axes; a++) {
        saved[a] = g->var[first + a];
        if (inner.size[a] <= 2 * margin)
            put(g, "%s%s >= %d", a ? " && " : "", inner.name[a], inner.lo[a]);
        else {
            inner.lo[a] += margin;
            inner.size[a] -= 2 * margin;
            put(g, "%s%s >= %d && %s < %d", a ? " && " : "", inner.name[a], inner.lo[a],
                inner.name[a], inner.lo[a] + inner.size[a]);
            g->var[first + a].lo = inner.lo[a];
            g->var[first + a].hi = inner.lo[a] + inner.size[a];
        }
    }
    put(g, ") {");
    g->domain = &inner;
    put_body(g, 1 + pick(g, 3));
    g->domain = outer;
    for (int a = 0; a < inner.axes; a++)
        g->var[first + a] = saved[a];
    close_block(g);
}

/* A variable of a loop. */
static void
add_loop_var(Gen *g, int lo, int hi)
{
    Var *v = &g->var[g->vars - 1];
    v->fixed = true;
    v->ranged = true;
    v->lo = lo;
    v->hi = hi;
}

static void
put_range(Gen *g, int *lo, int *hi, bool step)
{
    *lo = pick(g, 5) - 2;
    *hi = *lo + 1 + pick(g, 4);
    if (step && chance(g, 25))
        put(g, "%d..%d step -%d", *hi - 1, *lo - 1, 1 + pick(g, 2));
    else if (step && chance(g, 20))
        put(g, "%d..%d step %d", *lo, *hi, 2 + pick(g, 2));
    else if (step && chance(g, 20)) {
        bool down = chance(g, 50);
        put(g, "%d..%d step %sclamp(", down ? *hi - 1 : *lo, down ? *lo - 1 : *hi, down ? "-" : "");
        put_expr(g, scalar_type(S_I32), 1);
        put(g, ", 1, 3)");
    }
    else if (chance(g, 30)) {
        *lo = 0;
        put(g, "0..");
        put_index(g, 0, *hi > 0 ? *hi : 1, 2);
        *hi = *hi > 0 ? *hi : 1;
    } else
        put(g, "%d..%d", *lo, *hi);
}

/* The statements of a loop and its end; the variables and what `break` leaves are as before it. */
static void
put_loop_body(Gen *g, int vars, int breakable)
{
    g->loops++;
    g->breakable = 1;
    put_body(g, 1 + pick(g, 3));
    g->loops--;
    g->breakable = breakable;
    g->vars = vars;
    close_block(g);
}

/* A loop over the cells of a field, in the order of memory. */
static bool
put_cell_loop(Gen *g)
{
    if (!g->fields)
        return false;
    const Field *f = &g->field[pick(g, g->fields)];
    int cells = 1, vars = g->vars, breakable = g->breakable;
    for (int a = 0; a < f->axes; a++)
        cells *= f->size[a];
    if (!f->axes || !f->ordered || cells > 200 || g->loops > 0 ||
        (g->place != IN_HOST && g->place != IN_KERNEL))
        return false;
    line(g);
    put(g, g->place == IN_KERNEL ? "@serial for " : "for ");
    for (int a = 0; a < f->axes; a++) {
        Var *v = add_var(g, "_i", scalar_type(S_I32));
        v->fixed = v->ranged = true;
        v->lo = f->lo[a];
        v->hi = f->lo[a] + f->size[a];
        put(g, "%s%s", a ? ", " : "", v->name);
    }
    put(g, " in %s {", f->name);
    put_loop_body(g, vars, breakable);
    return true;
}

static void
put_loop(Gen *g)
{
    int vars = g->vars, breakable = g->breakable, count = chance(g, 25) ? 2 : 1, lo[2], hi[2];
    if (chance(g, 30) && put_cell_loop(g))
        return;
    if (g->loops >= 2 || g->vars >= VARS_MAX - 8) {
        put_assignment(g);
        return;
    }
    line(g);
    put(g, g->place == IN_KERNEL && g->loops == 0 ? "@serial for " : "for ");
    char name[2][INDEX_MAX];
    for (int i = 0; i < count; i++) {
        new_name(g, name[i], "_i");
        put(g, "%s%s", i ? ", " : "", name[i]);
    }
    put(g, " in ");
    bool is_long = count == 1 && chance(g, 12);
    if (is_long) {
        lo[0] = pick(g, 5) - 2;
        hi[0] = lo[0] + 1 + pick(g, 4);
        put(g, "%di64..%d", lo[0], hi[0]);
    }
    for (int i = 0; i < count && !is_long; i++) {
        put(g, i ? ", " : "");
        lo[i] = pick(g, 5) - 2;
        hi[i] = lo[i] + 1 + pick(g, 4);
        if (!put_far_range(g, lo[i], hi[i], name[i]))
            put_range(g, &lo[i], &hi[i], count == 1);
    }
    for (int i = 0; i < count; i++) {
        Var *v = add_named(g, name[i], scalar_type(S_I32));
        if (is_long)
            snprintf(v->name, sizeof v->name, "i32(%.10s)", name[i]);
        add_loop_var(g, lo[i], hi[i]);
    }
    put(g, " {");
    put_loop_body(g, vars, breakable);
}

static void
put_while(Gen *g)
{
    int vars = g->vars, breakable = g->breakable;
    if (g->loops >= 2 || g->vars >= VARS_MAX - 8) {
        put_assignment(g);
        return;
    }
    line(g);
    Var *v = add_var(g, "w", scalar_type(S_I32));
    v->fixed = true;
    put(g, "i32 %s = 0;", v->name);
    line(g);
    const char *name = v->name;
    put(g, "while (%s < %d && ", name, 1 + pick(g, 5));
    put_expr(g, scalar_type(S_BOOL), 2);
    put(g, ") {");
    g->indent++;
    line(g);
    put(g, "%s += 1;", name);
    g->indent--;
    put_loop_body(g, vars, breakable);
}

static void
put_leave(Gen *g)
{
    bool may_return = g->returns && g->place != IN_PARALLEL;
    bool may_continue = g->breakable || g->place == IN_PARALLEL;
    if (!may_return && !may_continue) {
        put_assignment(g);
        return;
    }
    line(g);
    put(g, "if (");
    put_expr(g, scalar_type(S_BOOL), 2);
    put(g, ") { ");
    if (may_return && (!may_continue || chance(g, 50))) {
        put(g, "return ");
        put_expr(g, g->result, 2);
        put(g, "; }");
    } else {
        put(g, g->breakable && chance(g, 50) ? "break; }" : "continue; }");
    }
}

static void
put_static(Gen *g)
{
    int vars = g->vars;
    line(g);
    if (chance(g, 50)) {
        Var *v = add_var(g, "l", scalar_type(S_I32));
        int n = 1 + pick(g, 3);
        char name[INDEX_MAX];
        snprintf(name, sizeof name, "%s", v->name);
        put(g, "static for %s in 0..%d {", name, n);
        snprintf(v->name, sizeof v->name, "i32(%.10s)", name);
        add_loop_var(g, 0, n);
    } else {
        put(g, "static if (%d < %d) {", pick(g, 10), pick(g, 10));
    }
    int breakable = g->breakable;
    g->breakable = 0;
    put_body(g, 1 + pick(g, 2));
    g->breakable = breakable;
    g->vars = vars;
    close_block(g);
}

/* A block of its own. */
static void
put_block(Gen *g)
{
    line(g);
    put(g, "{");
    if (chance(g, 20))
        put(g, ";");
    put_body(g, 1 + pick(g, 2));
    close_block(g);
}

static void
put_assert(Gen *g)
{
    line(g);
    put(g, "assert(");
    put_expr(g, scalar_type(S_BOOL), 2);
    put(g, " || %s, \"{}\", ", chance(g, 50) ? "true" : "1 < 2");
    put_expr(g, scalar_type(any_number(g)), 1);
    put(g, ");");
}

static void
put_print(Gen *g)
{
    Type t = any_type(g);
    if ((g->place != IN_KERNEL && g->place != IN_HOST) || t.record || g->loops > 1) {
        put_assignment(g);
        return;
    }
    line(g);
    if (g->place == IN_HOST && chance(g, 20)) {
        put(g, "print(\"{}\", format(\"\\tp\\x41\\\"%d {:>12}\\\\{{}}\", ", g->names++);
        put_expr(g, t, 2);
        put(g, "));");
        return;
    }
    bool second = chance(g, 15);
    put(g, "print(\"p%d %s\", ", g->names++,
        second          ? "{1} {0}"
        : chance(g, 20) ? "{0}{{\\'{0}"
                        : "{}");
    put_expr(g, t, 2);
    if (second) {
        put(g, ", ");
        put_expr(g, scalar_type(any_number(g)), 2);
    }
    put(g, ");");
}

/* A kernel that host code calls, perhaps in a loop. */
static bool
put_launch(Gen *g)
{
    const Kernel *k = g->kernels ? &g->kernel[pick(g, g->kernels)] : NULL;
    if (!k || k->array_axes || k->host || g->calls <= 0)
        return false;
    g->calls--;
    line(g);
    put(g, "%s(", k->name);
    put_arguments(g, k->param, k->params);
    put(g, ");");
    return true;
}

static void
put_statement(Gen *g)
{
    int kind = pick(g, 100);
    if (g->place == IN_HOST && chance(g, 15) && put_launch(g))
        return;
    if (g->statements-- <= 0)
        kind = pick(g, 30);
    if (chance(g, 2)) {
        line(g);
        put(g, chance(g, 50) ? "/* nothing */" : "// nothing");
    }
    if (g->place == IN_PARALLEL && chance(g, 30)) {
        if (chance(g, 50))
            put_reduction(g);
        else
            put_scattered(g);
    } else if (kind == 0 && chance(g, 50))
        put_factors(g);
    else if (kind < 15)
        put_variable(g);
    else if (kind < 45)
        put_assignment(g);
    else if (kind < 50)
        put_update(g);
    else if (kind < 55)
        put_inout_call(g);
    else if (kind < 60)
        put_guard(g);
    else if (kind < 68)
        put_if(g);
    else if (kind < 78)
        put_loop(g);
    else if (kind < 82)
        put_while(g);
    else if (kind < 87)
        put_leave(g);
    else if (kind < 90)
        put_array(g);
    else if (kind < 92 && chance(g, 25))
        put_block(g);
    else if (kind < 92)
        put_static(g);
    else if (kind < 93)
        put_print(g);
    else if (kind < 94)
        put_assert(g);
    else
        put_activity(g);
}
