/* expr.c - expressions of random programs. */
#include <string.h>

#include "snlsmith.h"

/* ---- operators ---- */

/* A type that becomes `s` by itself. */
static Scalar
narrower(Gen *g, Scalar s)
{
    if (s == S_BOOL || chance(g, 75))
        return s;
    if (is_float(s))
        return chance(g, 50) ? (Scalar)(S_F16 + pick(g, s - S_F16 + 1))
                             : (Scalar)(S_I8 + pick(g, 8));
    if (s >= S_U8)
        return (Scalar)(S_U8 + pick(g, s - S_U8 + 1));
    int width = s - S_I8;
    if (width && chance(g, 40))
        return (Scalar)(S_U8 + pick(g, width));
    return (Scalar)(S_I8 + pick(g, width + 1));
}

static Type
narrower_type(Gen *g, Type t)
{
    t.scalar = narrower(g, t.scalar);
    return t;
}

void
put_open(Gen *g, Scalar s)
{
    if (is_float(s) && chance(g, 60))
        put(g, "%s", chance(g, 50) ? "0.5" : chance(g, 50) ? "2.25" : "1e-2");
    else if (chance(g, 20))
        put(g, "0x%x", pick(g, 0x80));
    else if (s < S_U8 && chance(g, 20))
        put(g, "-%d", 1 + pick(g, 20));
    else
        put(g, "%d", pick(g, 100));
}

/* The operands of an operator and ")": a literal without a type beside a variable or an element. */
static bool
put_beside_literal(Gen *g, const char *op, Type t, bool swap)
{
    size_t start = g->used;
    if (swap) {
        put_open(g, t.scalar);
        put(g, " %s ", op);
    }
    if (!put_read(g, t, 1)) {
        g->used = start;
        g->text[start] = '\0';
        return false;
    }
    if (!swap) {
        put(g, " %s ", op);
        put_open(g, t.scalar);
    }
    put(g, ")");
    return true;
}

/* Both operands of an operator: one of type t; the other may be narrower, or a scalar that is
 * spread. */
static void
put_operands(Gen *g, const char *op, Type t, int depth)
{
    Type other = narrower_type(g, t);
    if (t.rows && chance(g, 30))
        other = scalar_type(other.scalar);
    bool swap = chance(g, 50);
    put(g, "(");
    if (chance(g, 15) && t.scalar != S_BOOL && !t.record && put_beside_literal(g, op, t, swap))
        return;
    put_expr(g, swap ? other : t, depth - 1);
    put(g, " %s ", op);
    put_expr(g, swap ? t : other, depth - 1);
    put(g, ")");
}

/* A divisor of integers or a count of a shift that --check does not mind. */
void
put_harmless(Gen *g, Type t)
{
    put(g, "%d%s", 1 + pick(g, 7), scalar_name(t.scalar));
}

static void
put_arithmetic(Gen *g, Type t, int depth)
{
    static const char *const ops[] = {"+", "-", "*", "+", "-",  "*", "&",
                                      "|", "^", "/", "%", "<<", ">>"};
    bool harmless = g->strict || g->constant; /* a constant is not divided by 0 */
    if (harmless && is_int(t.scalar) && chance(g, 20)) {
        put(g, "(");
        put_expr(g, t, depth - 1);
        put(g, " %s ", ops[9 + pick(g, 4)]);
        put_harmless(g, t);
        put(g, ")");
        return;
    }
    if (!harmless && is_int(t.scalar) && chance(g, 12)) {
        put(g, "(");
        put_expr(g, t, depth - 1);
        put(g, chance(g, 50) ? " << " : " >> ");
        put_expr(g, t, depth - 1);
        put(g, ")");
        return;
    }
    if (is_int(t.scalar))
        put_operands(g, ops[pick(g, harmless ? 9 : 11)], t, depth);
    else
        put_operands(g, ops[chance(g, 25) ? 9 + pick(g, 2) : pick(g, 6)], t, depth);
}

static void
put_fused(Gen *g, Type t, int depth)
{
    put(g, "(");
    put_operands(g, "*", t, depth);
    put(g, chance(g, 50) ? " + " : " - ");
    put_operands(g, "*", t, depth - 1);
    put(g, ")");
}

static void
put_call(Gen *g, const char *name, Type t, int args, int depth)
{
    put(g, "%s(", name);
    /* one argument may be of another type */
    int other = args > 1 && !is_float(t.scalar) ? pick(g, args) : -1;
    for (int i = 0; i < args; i++) {
        put(g, i ? ", " : "");
        put_expr(g, i == other ? narrower_type(g, t) : t, depth - 1);
    }
    put(g, ")");
}

typedef struct {
    const char *name;
    int args;
} Builtin;

/* True where the functions of mathematics have the same bits interpreted and compiled. */
static bool
functions_are_exact(void)
{
#if defined __x86_64__
    return __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/* Functions whose last bits may differ between compilers, rounded there. */
static void
put_rounded(Gen *g, Type t, int depth)
{
    static const char *const names[] = {"sin",  "cos",  "tan",  "atan", "sinh",  "tanh",
                                        "exp",  "exp2", "log",  "log2", "log10", "cbrt",
                                        "asin", "acos", "cosh", "pow",  "atan2"};
    int at = pick(g, 17);
    while (g->shadow && strcmp(names[at], g->shadow) == 0)
        at = (at + 1) % 17;
    bool exact = chance(g, 50) && functions_are_exact(); /* any arguments then, and all bits */
    put(g, exact ? "%s(" : "round(%s(clamp(", names[at]);
    put_expr(g, t, depth - 1);
    put(g, exact ? "" : ", 0.125, 0.875)");
    if (at >= 15) {
        put(g, exact ? ", " : ", clamp(");
        put_expr(g, t, depth - 1);
        put(g, exact ? "" : ", 0.125, 0.875)");
    }
    put(g, exact ? ")" : ") * 64.0)");
}

static void
put_builtin(Gen *g, Type t, int depth)
{
    if (is_float(t.scalar) && !t.cols && !g->constant && chance(g, 15)) {
        put_rounded(g, t, depth);
        return;
    }
    if (g->blend[0] && g->calls > 0 && g->place != IN_FUNC && chance(g, 10)) {
        g->calls--;
        put(g, "%s(", g->blend);
        put_expr(g, t, depth - 1);
        put(g, ", ");
        put_expr(g, t, depth - 1);
        put(g, ")");
        return;
    }
    static const Builtin number[] = {{"abs", 1},   {"sign", 1},     {"min", 2},     {"max", 2},
                                     {"clamp", 3}, {"floordiv", 2}, {"floormod", 2}};
    static const Builtin real[] = {{"sqrt", 1},  {"rsqrt", 1}, {"floor", 1},     {"ceil", 1},
                                   {"round", 1}, {"trunc", 1}, {"fract", 1},     {"fma", 3},
                                   {"mix", 3},   {"step", 2},  {"smoothstep", 3}};
    const Builtin *b =
        is_float(t.scalar) && chance(g, 65) ? &real[pick(g, 11)] : &number[pick(g, 7)];
    if ((g->strict || g->constant) && is_int(t.scalar) && strncmp(b->name, "floor", 5) == 0) {
        put(g, "%s(", b->name);
        put_expr(g, t, depth - 1);
        put(g, ", ");
        put_harmless(g, t);
        put(g, ")");
        return;
    }
    put_call(g, b->name, t, b->args, depth);
}

static void
put_cast(Gen *g, Type t, int depth)
{
    Type from = t;
    from.scalar = chance(g, 10) ? S_BOOL : any_number(g);
    /* A float that does not fit gives any value. */
    bool bound = is_float(from.scalar) && is_int(t.scalar);
    put_type(g, t);
    put(g, bound ? "(clamp(" : "(");
    put_expr(g, from, depth - 1);
    if (bound)
        put(g, ", %s, 100.0)", t.scalar >= S_U8 ? "0.0" : "-100.0");
    put(g, ")");
}

static void
put_choice(Gen *g, Type t, int depth)
{
    put(g, "(");
    put_expr(g, scalar_type(S_BOOL), depth - 1);
    put(g, " ? ");
    put_expr(g, t, depth - 1);
    put(g, " : ");
    put_expr(g, t, depth - 1);
    put(g, ")");
}

/* ---- by type ---- */

/* The first argument of a generic function: a field that starts at 0 and may be read everywhere. */
static const Field *
field_argument(Gen *g, const Func *f)
{
    int first = pick(g, g->fields);
    for (int n = 0; n < g->fields; n++) {
        const Field *a = &g->field[(first + n) % g->fields];
        bool fits_here = a->axes == f->field_axes && !a->wide && !a->shift[0][0] &&
                         same_type(a->type, f->field_type) &&
                         (a->access == ACCESS_READ || a->access == ACCESS_ANY);
        for (int k = 0; fits_here && k < a->axes; k++)
            fits_here = a->lo[k] == 0;
        if (fits_here)
            return a;
    }
    return NULL;
}

/* An array of i32 in scope. */
static const Var *
array_argument(Gen *g)
{
    for (int i = g->vars - 1; i >= g->globals; i--) {
        const Var *v = &g->var[i];
        if (v->count > 1 && !v->columns && !v->hidden && !v->owned &&
            same_type(v->type, scalar_type(S_I32)))
            return v;
    }
    return NULL;
}

static bool
put_function(Gen *g, Type t, int depth)
{
    if (g->calls <= 0 || !g->funcs)
        return false;
    for (int tries = 0; tries < 6; tries++) {
        const Func *f = &g->func[pick(g, g->funcs)];
        const Field *field = f->takes_field ? field_argument(g, f) : NULL;
        const Var *array = f->takes_array ? array_argument(g) : NULL;
        if (!f->has_result || f->inout || !reaches(g, f->result, t) || (f->takes_field && !field) ||
            (f->takes_array && !array))
            continue;
        g->calls--;
        put(g, "%s(", f->name);
        if (field || array)
            put(g, "%s%s", field ? field->name : array->name,
                f->params || f->recursive ? ", " : "");
        if (f->recursive) {
            put_index(g, 0, 6, depth - 1);
            put(g, f->params ? ", " : "");
        }
        for (int i = 0; i < f->params; i++) {
            put(g, i ? ", " : "");
            put_expr(g, f->param[i], depth - 1);
        }
        put(g, ")");
        put_part(g, f->result, t);
        return true;
    }
    return false;
}

/* "(address(x[3]) - address(x[1]))", of a field that lies in memory in the same way in each
 * variant. */
static bool
put_distance(Gen *g)
{
    for (int i = 0; i < g->fields; i++) {
        const Field *f = &g->field[i];
        if (!f->plain || f->axes != 1 || !readable(f))
            continue;
        for (int n = 0; n < 2; n++) {
            put(g, n ? " - address(%s[" : "(address(%s[", f->name);
            put_index(g, f->lo[0], f->size[0], 1);
            put(g, "])");
        }
        put(g, ")");
        return true;
    }
    return false;
}

/* What only some scalar types have. */
static bool
put_special(Gen *g, Type t, int depth)
{
    static const char *const counts[] = { "popcount", "clz", "ctz" };
    int kind = pick(g, 6);
    if (g->constant)
        return false;
    if (t.scalar == S_I32 && kind == 0) {
        put(g, "%s(", counts[pick(g, 3)]);
        put_expr(g, scalar_type(any_integer(g)), depth - 1);
        put(g, ")");
    } else if (t.scalar == S_I64 && kind == 1) {
        return put_distance(g);
    } else if (t.scalar == S_I32 && kind == 1 && g->fields) {
        const Field *f = &g->field[pick(g, g->fields)];
        if (!f->axes || f->wide)
            return false;
        put(g, "extent(%s, %d)", f->name, pick(g, f->axes));
    } else if (t.scalar == S_I32 && kind == 2 && g->labels && g->place != IN_FUNC) {
        const Label *l = &g->label[pick(g, g->labels)];
        if (!l->list_size || g->locked[l->layout])
            return false;
        put(g, "length(%s", l->name);
        put_cell(g, l, depth - 1);
        put(g, ")");
    } else if ((t.scalar == S_I32 || t.scalar == S_U32) && kind == 3) {
        put(g, "random_%s()", scalar_name(t.scalar));
    } else if ((t.scalar == S_F32 || t.scalar == S_F64) && kind == 4) {
        put(g, t.scalar == S_F64 ? "random_f64()" : chance(g, 70) ? "random()" : "randn()");
    } else if (t.scalar != S_BOOL && kind == 5) {
        static const Scalar of_width[4][2] = {
            {S_I8, S_U8}, {S_I16, S_U16}, {S_I32, S_U32}, {S_I64, S_U64}};
        int width = is_float(t.scalar) ? t.scalar - S_F16 + 1 : (t.scalar - S_I8) % 4;
        put(g, "bitcast_%s(", scalar_name(t.scalar));
        put_expr(g, scalar_type(of_width[width][pick(g, 2)]), depth - 1);
        put(g, ")");
    } else {
        return false;
    }
    return true;
}

static void
put_bool(Gen *g, int depth)
{
    static const char *const compare[] = { "==", "!=", "<", "<=", ">", ">=" };
    static const char *const logic[] = { "&&", "||", "&&", "||", "&", "|", "^" };
    int kind = pick(g, 20);
    if (kind < 8 && chance(g, 5)) {
        put_operands(g, compare[pick(g, 2)], scalar_type(S_BOOL), depth);
    } else if (kind < 8) {
        put_operands(g, compare[pick(g, 6)], scalar_type(any_number(g)), depth);
    } else if (kind < 11) {
        put(g, "(");
        put_bool(g, depth - 1);
        put(g, " %s ", logic[pick(g, 7)]);
        put_bool(g, depth - 1);
        put(g, ")");
    } else if (kind < 12) {
        put(g, "!");
        put_bool(g, depth - 1);
    } else if (kind < 13 && g->place == IN_HOST && chance(g, 30)) {
        if (g->layouts && g->layout_name[g->layouts - 1][0] && !g->manual[g->layouts - 1] &&
            chance(g, 50))
            put(g, "(memory(%s) > 0)", g->layout_name[g->layouts - 1]);
        else
            put(g, "(clock() >= 0.0)");
    } else if (kind < 13 && !g->constant) {
        put(g, chance(g, 50) ? "any(" : "all(");
        int count = chance(g, 8) ? 5 + pick(g, 12) : 2 + pick(g, 3);
        put_expr(g, vector_type(S_BOOL, count), depth - 1);
        put(g, ")");
    } else if (kind < 14) {
        put(g, chance(g, 50) ? "isnan(" : "isinf(");
        put_expr(g, scalar_type(any_float(g)), depth - 1);
        put(g, ")");
    } else if (kind < 16 && g->labels && g->place != IN_FUNC) {
        const Label *l = &g->label[pick(g, g->labels)];
        if (g->locked[l->layout] || l->list_size || l->dense) {
            put_leaf(g, scalar_type(S_BOOL), depth);
            return;
        }
        if (g->active_in[0] && l->axes && l->axes < 3 && chance(g, 25)) {
            put(g, "%s%d(%s", g->active_in, l->axes, l->name);
            for (int a = 0; a < l->axes; a++) {
                put(g, ", ");
                put_index(g, l->lo[a], l->size[a], 0);
            }
            put(g, ")");
            return;
        }
        put(g, "is_active(%s", l->name);
        put_cell(g, l, depth - 1);
        put(g, ")");
    } else if (depth <= 0 || kind < 18) {
        put_leaf(g, scalar_type(S_BOOL), depth);
    } else {
        put_cast(g, scalar_type(S_BOOL), depth);
    }
}

static void
put_reduced(Gen *g, Type t, int depth)
{
    int n = chance(g, 8) ? 4 + pick(g, 5) : 2 + pick(g, 2), kind = pick(g, 5);
    Type v = vector_type(t.scalar, 2 + pick(g, 3)), m = {.scalar = t.scalar, .rows = n, .cols = n};
    if (chance(g, 2)) { /* of as many rows as there may be */
        n = 9 + pick(g, 8);
        put(g, "determinant(identity_%sx%dx%d() * ", scalar_name(t.scalar), n, n);
        put_expr(g, t, depth - 1);
        put(g, " + %sx%dx%d(0.25))", scalar_name(t.scalar), n, n);
    } else if (kind == 0)
        put_call(g, "dot", v, 2, depth);
    else if (kind == 1)
        put_call(g, chance(g, 50) ? "norm" : "norm_sqr", v, 1, depth);
    else
        put_call(g, kind == 2 ? "trace" : kind == 3 ? "determinant" : "norm_sqr", m, 1, depth);
}

static void
put_scalar(Gen *g, Type t, int depth)
{
    int kind = pick(g, 100);
    if (t.scalar == S_BOOL)
        put_bool(g, depth);
    else if (kind < 20)
        put_leaf(g, t, depth);
    else if (kind < 45)
        put_arithmetic(g, t, depth);
    else if (kind < 52 && is_float(t.scalar))
        put_fused(g, t, depth);
    else if (kind < 62)
        put_builtin(g, t, depth);
    else if (kind < 70)
        put_cast(g, t, depth);
    else if (kind < 77)
        put_choice(g, t, depth);
    else if (kind < 82) {
        put(g, is_int(t.scalar) && chance(g, 50) ? "(~" : chance(g, 15) ? "(+" : "(-");
        put_expr(g, t, depth - 1);
        put(g, ")");
    } else if (kind < 88 && put_function(g, t, depth)) {
    } else if (kind < 95 && put_special(g, t, depth)) {
    } else if (is_float(t.scalar) && !g->constant)
        put_reduced(g, t, depth);
    else
        put_arithmetic(g, t, depth);
}

static void
put_compared(Gen *g, Type t, int depth)
{
    static const char *const compare[] = { "==", "!=", "<", "<=", ">", ">=" };
    if (chance(g, 15)) {
        static const char *const logic[] = { "isnan(", "isinf(", "!" };
        int kind = pick(g, 3);
        if (kind < 2)
            t.scalar = any_float(g);
        put(g, "%s", logic[kind]);
        put_expr(g, t, depth - 1);
        put(g, kind < 2 ? ")" : "");
        return;
    }
    t.scalar = any_number(g);
    put_operands(g, compare[pick(g, 6)], t, depth);
}

/* Solutions of equations and parts of factorisations, of numbers that are not too large: their
 * steps are the same everywhere. */
static bool
put_factor(Gen *g, Type t, int depth)
{
    static const char *const part[] = {"svd(%s).U", "svd(%s).S", "svd(%s).V", "polar(%s).R",
                                       "polar(%s).S"};
    Type square = { .scalar = t.scalar, .rows = t.rows, .cols = t.rows };
    if (t.scalar == S_F16 || (t.cols && t.cols != t.rows))
        return false;
    if (!t.cols && t.rows < 4 && g->symmetric[0] && chance(g, 40)) {
        put(g, "eig_sym(%s(clamp(", g->symmetric);
        put_expr(g, square, depth - 1);
        put(g, ", -50.0, 50.0))).values");
        return true;
    }
    if (!t.cols) {
        put(g, "solve(");
        put_expr(g, square, depth - 1);
        put(g, ", ");
        put_expr(g, t, depth - 1);
        put(g, ")");
        return true;
    }
    if (chance(g, 30)) {
        put(g, "identity_%sx%dx%d()", scalar_name(t.scalar), t.rows, t.rows);
        return true;
    }
    if (t.rows > 3)
        return false;
    if (g->symmetric[0] && chance(g, 25)) {
        put(g, "eig_sym(%s(clamp(", g->symmetric);
        put_expr(g, t, depth - 1);
        put(g, ", -50.0, 50.0))).vectors");
        return true;
    }
    const char *p = part[pick(g, 5)];
    put(g, "%.*sclamp(", (int)(strchr(p, '%') - p), p);
    put_expr(g, t, depth - 1);
    put(g, ", -50.0, 50.0)%s", strchr(p, ')'));
    return true;
}

/* Products and other functions of whole vectors and matrices of floats. */
static bool
put_linear(Gen *g, Type t, int depth)
{
    int inner = 2 + pick(g, 2), kind = pick(g, 4);
    Type left = { .scalar = t.scalar, .rows = t.rows, .cols = inner };
    if (!is_float(t.scalar) || (t.rows > 3 && !t.cols) || g->constant)
        return false;
    if (chance(g, 25) && put_factor(g, t, depth))
        return true;
    if (kind < 2) {
        Type right = t.cols ? (Type){.scalar = t.scalar, .rows = inner, .cols = t.cols}
                            : vector_type(t.scalar, inner);
        put(g, "(");
        put_expr(g, left, depth - 1);
        put(g, " @ ");
        put_expr(g, right, depth - 1);
        put(g, ")");
    } else if (!t.cols) {
        if (t.rows == 3 && kind == 2)
            put_call(g, "cross", t, 2, depth);
        else
            put_call(g, "normalize", t, 1, depth);
    } else if (kind == 2) {
        put_call(g, "transpose", (Type){.scalar = t.scalar, .rows = t.cols, .cols = t.rows}, 1,
                 depth);
    } else if (t.rows == t.cols) {
        put_call(g, "inverse", t, 1, depth);
    } else {
        put(g, "outer(");
        put_expr(g, vector_type(t.scalar, t.rows), depth - 1);
        put(g, ", ");
        put_expr(g, vector_type(t.scalar, t.cols), depth - 1);
        put(g, ")");
    }
    return true;
}

static void
put_made(Gen *g, Type t, int depth)
{
    int count = t.rows * (t.cols ? t.cols : 1);
    Type part = scalar_type(t.scalar);
    put_type(g, t);
    put(g, "(");
    if (t.cols && chance(g, 50)) {
        part = vector_type(t.scalar, t.cols);
        count = t.rows;
    } else if (!t.cols && t.rows > 2 && chance(g, 40)) {
        put_expr(g, vector_type(t.scalar, 2), depth - 1);
        put(g, ", ");
        count = t.rows - 2;
    } else if (chance(g, 25)) {
        count = 1;
    }
    for (int i = 0; i < count; i++) {
        put(g, i ? ", " : "");
        put_expr(g, part, count > 4 ? 0 : depth - 1);
    }
    put(g, ")");
}

/* "rescale(x, b, i32x2(3, 4))": the cell of a label that an element lies in. */
static bool
put_rescaled(Gen *g, Type t)
{
    const Label *l = g->labels ? &g->label[pick(g, g->labels)] : NULL;
    if (t.scalar != S_I32 || t.cols || !l || l->list_size || l->wide || l->axes != t.rows)
        return false;
    for (int i = 0; i < g->fields; i++) {
        const Field *f = &g->field[i];
        if (f->layout != l->layout || f->letters != l->letters || f->list_axis >= 0 ||
            f->shift[0][0])
            continue;
        bool up = chance(g, 70);
        put(g, "rescale(%s, %s, i32x%d(", up ? f->name : l->name, up ? l->name : f->name, t.rows);
        for (int a = 0; a < f->axes; a++) {
            put(g, a ? ", " : "");
            if (up)
                put_index(g, f->lo[a], f->size[a], 1);
            else
                put_index(g, l->lo[a], l->size[a], 1);
        }
        put(g, "))");
        return true;
    }
    return false;
}

static void
put_vector(Gen *g, Type t, int depth)
{
    int kind = pick(g, 100);
    if (chance(g, 4) && put_rescaled(g, t))
        return;
    if (kind < 20)
        put_leaf(g, t, depth);
    else if (kind < 40)
        put_made(g, t, depth);
    else if (t.scalar == S_BOOL && !t.cols)
        put_compared(g, t, depth);
    else if (t.scalar == S_BOOL)
        put_leaf(g, t, depth);
    else if (kind < 60)
        put_arithmetic(g, t, depth);
    else if (kind < 67 && is_float(t.scalar))
        put_fused(g, t, depth);
    else if (kind < 75)
        put_builtin(g, t, depth);
    else if (is_int(t.scalar) && !t.cols && t.scalar == S_I32 && kind < 77 && !g->constant) {
        static const char *const counts[] = { "popcount", "clz", "ctz" };
        put(g, "%s(", counts[pick(g, 3)]);
        t.scalar = any_integer(g);
        put_expr(g, t, depth - 1);
        put(g, ")");
    } else if (kind < 82)
        put_cast(g, t, depth);
    else if (kind < 88)
        put_choice(g, t, depth);
    else if (kind < 92 && put_function(g, t, depth)) {
    } else if (!put_linear(g, t, depth)) {
        put(g, "(-");
        put_expr(g, t, depth - 1);
        put(g, ")");
    }
}

static void
put_struct(Gen *g, Type t, int depth)
{
    const Record *r = &g->record[t.record - 1];
    if (chance(g, 50) && put_read(g, t, depth))
        return;
    if (chance(g, 20) && put_function(g, t, depth))
        return;
    put_type(g, t);
    put(g, "(");
    for (int i = 0; i < r->count; i++) {
        put(g, i ? ", " : "");
        put_expr(g, r->type[i], depth - 1);
    }
    put(g, ")");
}

void
put_expr(Gen *g, Type t, int depth)
{
    if (depth <= 0)
        put_leaf(g, t, 0);
    else if (t.record)
        put_struct(g, t, depth);
    else if (t.rows)
        put_vector(g, t, depth);
    else
        put_scalar(g, t, depth);
}
