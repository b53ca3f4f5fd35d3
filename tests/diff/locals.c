/* locals.c - programs of many functions that work on matrices, vectors and local arrays alone: what
 * C compilers turn into vectors, fold and copy in pieces. Their elements are constants, often zeros
 * and ones in a row, params, or some of both, so that a C compiler knows all, some or nothing of
 * them. Each function gives a checksum for two arguments. */
#include <stdio.h>
#include <stdlib.h>

#include "shapes.h"

/* How much of the elements is known when the program is compiled. */
typedef enum { ALL_KNOWN, SOME_KNOWN, NOTHING_KNOWN, KNOWLEDGE_COUNT } Knowledge;

/* ---- elements ---- */

static const Scalar reals[] = {S_F64, S_F64, S_F64, S_F32, S_F32, S_F16};
static const Scalar numbers[] = {S_F64, S_F64, S_F32, S_F32, S_F16, S_I8, S_I16,
                                 S_I32, S_I64, S_U8,  S_U16, S_U32, S_U64};
#define SCALAR_OF(g, table) (table)[pick(g, (int)(sizeof(table) / sizeof *(table)))]

/* Params of all types, of which a C compiler knows nothing, and functions that change arrays. */
static void
put_unknowns(Gen *g)
{
    static const char *const values[] = {"0", "1", "2", "3", "1", "0"};
    for (int s = S_I8; s < S_COUNT; s++)
        for (int n = 0; n < 3; n++) {
            char name[NAME_MAX_];
            snprintf(name, sizeof name, "%s_%d", scalar_name((Scalar)s), n);
            put(g, "param %s %s = %s%s;\n", scalar_name((Scalar)s), name, values[pick(g, 6)],
                s >= S_F16 && chance(g, 50) ? ".5" : "");
            if (!g->shapes)
                add_named(g, name, scalar_type((Scalar)s))->fixed = true;
        }
    g->globals = g->vars;
    for (int s = S_I8; s < S_COUNT; s++)
        put(g, "func change_%s(%s[] a, i32 k, %s v) { a[k] = v; a[extent(a, 0) - 1] = a[0]; }\n",
            scalar_name((Scalar)s), scalar_name((Scalar)s), scalar_name((Scalar)s));
}

static void
put_known(Gen *g, Scalar s)
{
    static const char *const real[] = {"0",  "1",   "1",    "0",    "2", "-1",
                                       "-2", "0.5", "0.25", "-0.0", "3", "1e-3"};
    static const char *const odd[] = {"1e-20", "-1e-20", "1e20"};
    if (s >= S_F32 && chance(g, 4))
        put(g, "%s", odd[pick(g, 3)]);
    else if (is_float(s))
        put(g, "%s", real[pick(g, 12)]);
    else if (s <= S_I64 && chance(g, 20))
        put(g, "-%d", 1 + pick(g, 3));
    else
        put(g, "%d", chance(g, 70) ? pick(g, 2) : pick(g, 100));
}

static void
put_unknown(Gen *g, Scalar s)
{
    if (chance(g, 25))
        put(g, "%s(n)", scalar_name(s));
    else
        put(g, "%s_%d", scalar_name(s), pick(g, 3));
}

/* So many elements: each by itself, with runs of the same among those that are known, or rows of
 * the same one before zeros. */
static void
put_elements(Gen *g, Scalar s, int count, Knowledge knows)
{
    const int unknown = knows == ALL_KNOWN       ? 0
                        : knows == NOTHING_KNOWN ? 100
                                                 : 10 + pick(g, 60),
              row = !chance(g, 60)  ? 0
                    : chance(g, 60) ? 4
                                    : 2 << pick(g, 4);
    int lead = 0;
    char last[32] = "0";
    for (int i = 0; i < count; i++) {
        put(g, i ? ", " : "");
        if (chance(g, unknown)) {
            put_unknown(g, s);
            continue;
        }
        if (row && i % row == 0)
            lead = pick(g, row + 1);
        if (row && i % row >= lead) {
            put(g, "0");
        } else if (chance(g, 50) && (!row || i % row)) {
            put(g, "%s", last);
        } else {
            const size_t from = g->used;
            put_known(g, s);
            snprintf(last, sizeof last, "%s", g->text + from);
        }
    }
}

/* Half of what is made is known as a whole. */
static Knowledge
any_knowledge(Gen *g)
{
    return chance(g, 30) ? ALL_KNOWN : (Knowledge)pick(g, KNOWLEDGE_COUNT);
}

/* ---- places: an array of rows, or a matrix or vector, whose elements are named alike ---- */

/* Declares it with elements; 0 columns: one axis. */
static void
put_place_of(Gen *g, const char *name, Scalar s, int rows, int columns, Knowledge knows)
{
    bool array = rows > 16 || columns > 16 || rows < 2 || columns == 1 || chance(g, 60);
    int count = rows * (columns ? columns : 1);
    line(g);
    if (array)
        put(g, columns ? "%s %s[%d, %d] = { " : "%s %s[%d] = { ", scalar_name(s), name, rows,
            columns);
    else if (columns)
        put(g, "var %s = %sx%dx%d(", name, scalar_name(s), rows, columns);
    else
        put(g, "var %s = %sx%d(", name, scalar_name(s), rows);
    put_elements(g, s, count, knows);
    put(g, array ? " };" : ");");
}

/* Adds all of it to the sum. */
static void
put_sum_of(Gen *g, const char *name, Scalar s, int rows, int columns)
{
    const char *from = chance(g, 50) ? "n" : "0"; /* known, or not: then it lies in memory */
    line(g);
    if (columns)
        put(g, "for i, j in %s..%d, 0..%d { s = s * 31 + hash_%s(%s[i, j]); }", from, rows, columns,
            scalar_name(s), name);
    else if (rows)
        put(g, "for i in %s..%d { s = s * 31 + hash_%s(%s[i]); }", from, rows, scalar_name(s),
            name);
    else
        put(g, "s = s * 31 + hash_%s(%s);", scalar_name(s), name);
}

/* ---- functions ---- */

/* inverse, solve, determinant and what else there is for matrices. */
static void
put_algebra(Gen *g, Knowledge knows)
{
    Scalar s = SCALAR_OF(g, reals);
    int n = chance(g, 60) ? 4 : chance(g, 80) ? 2 + pick(g, 5) : 7 + pick(g, 3);
    const char *t = scalar_name(s);
    line(g);
    put(g, "let m = %sx%dx%d(", t, n, n);
    put_elements(g, s, n * n, knows);
    put(g, ");");
    line(g);
    switch (pick(g, n <= 3 ? 7 : 5)) {
    case 0:
        put(g, "let x = determinant(m%s);", chance(g, 30) ? " @ m" : "");
        put_sum_of(g, "x", s, 0, 0);
        break;
    case 1:
    case 2:
        put(g, chance(g, 70) ? "let x = inverse(m);" : "let x = transpose(inverse(m)) @ m;");
        put_sum_of(g, "x", s, n, n);
        break;
    case 3:
        put(g, "let v = %sx%d(", t, n);
        put_elements(g, s, n, any_knowledge(g));
        put(g, ");");
        line(g);
        put(g, "let x = solve(m, v)%s;", chance(g, 30) ? " - m @ v" : "");
        put_sum_of(g, "x", s, n, 0);
        break;
    case 4:
        put(g, "let x = outer(m @ %sx%d(1), %sx%d(", t, n, t, n);
        put_elements(g, s, n, SOME_KNOWN);
        put(g, ")) %s m;", chance(g, 50) ? "-" : "@");
        put_sum_of(g, "x", s, n, n);
        break;
    case 5:
        put(g, "let x = svd(m).%s;", chance(g, 50) ? "U" : "S");
        put_sum_of(g, "x", s, n, n);
        break;
    default:
        put(g, "let x = eig_sym(m + transpose(m)).vectors;");
        put_sum_of(g, "x", s, n, n);
        break;
    }
}

/* Exchanges two rows, or elements where there are no columns. */
static void
put_exchange(Gen *g, const char *name, int columns, const char *one, const char *other)
{
    line(g);
    if (columns)
        put(g, "    for c in 0..%d { let t = %s[%s, c]; %s[%s, c] = %s[%s, c]; %s[%s, c] = t; }",
            columns, name, one, name, one, name, other, name, other);
    else
        put(g, "    let u = %s[%s]; %s[%s] = %s[%s]; %s[%s] = u;", name, one, name, one, name,
            other, name, other);
}

/* Elimination with row exchanges, as people write it. */
static void
put_elimination(Gen *g, Knowledge knows)
{
    Scalar s = SCALAR_OF(g, reals);
    int n = chance(g, 60) ? 4 : 2 + pick(g, 6), columns = chance(g, 50) ? 0 : 1 + pick(g, n);
    const char *at = columns ? ", c]" : "]", *each = columns ? "for c in 0..%d { " : "",
               *end = columns ? " }" : "";
    put_place_of(g, "a", s, n, n, knows);
    put_place_of(g, "b", s, n, columns, any_knowledge(g));
    line(g);
    put(g, "for k in 0..%d {", n);
    if (chance(g, 85)) {
        line(g);
        put(g, "    i32 p = k;");
        line(g);
        put(g, "    for r in k + 1..%d { if (abs(a[r, k]) > abs(a[p, k])) { p = r; } }", n);
        line(g);
        put(g, chance(g, 70) ? "    if (p != k) {" : "    {");
        put_exchange(g, "a", n, "k", "p");
        put_exchange(g, "b", columns, "k", "p");
        line(g);
        put(g, "    }");
    }
    line(g);
    put(g, "    for r in %s..%d {%s", chance(g, 80) ? "k + 1" : "0", n,
        chance(g, 30) ? " if (r == k) { continue; }" : "");
    line(g);
    put(g, "        let f = a[r, k] / a[k, k];%s",
        chance(g, 30) ? " if (f == 0) { continue; }" : "");
    line(g);
    put(g, "        for c in %s..%d { a[r, c] -= f * a[k, c]; }", chance(g, 50) ? "0" : "k", n);
    line(g);
    put(g, "        ");
    put(g, each, columns);
    put(g, "b[r%s -= f * b[k%s;%s", at, at, end);
    line(g);
    put(g, "    }");
    line(g);
    put(g, "}");
    if (chance(g, 70)) {
        line(g);
        put(g, "for r in %d..-1 step -1 {", n - 1);
        line(g);
        put(g, "    for q in r + 1..%d { ", n);
        put(g, each, columns);
        put(g, "b[r%s -= a[r, q] * b[q%s;%s }", at, at, end);
        line(g);
        put(g, "    ");
        put(g, each, columns);
        put(g, "b[r%s /= a[r, r];%s", at, end);
        line(g);
        put(g, "}");
    }
    put_sum_of(g, "b", s, n, columns);
    if (chance(g, 50))
        put_sum_of(g, "a", s, n, n);
}

/* One step on the arrays a and b of `size` elements. */
static void
put_step(Gen *g, Scalar s, int size)
{
    const char *t = scalar_name(s);
    line(g);
    switch (pick(g, 13)) {
    case 10:
    case 11: put(g, "for i in 0..%d { b[i] = a[i]; }", size); break;
    case 12: put(g, "for i in 0..%d { a[i] = b[i]; } b[n] = %s(%d);", size, t, pick(g, 3)); break;
    case 0:
        put(g, "for i in 0..%d { b[i] = a[(i + %d) %% %d]; }", size, pick(g, size), size);
        break;
    case 1: put(g, "for i in 0..%d { a[i] = b[%d - i]; }", size, size - 1); break;
    case 2: put(g, "for i in 1..%d { a[i] += a[i - 1]; }", size); break;
    case 3: put(g, "for i in 0..%d { b[i] -= a[i] * a[%d]; }", size, pick(g, size)); break;
    case 4:
        put(g, "{ let t = a[%d]; a[%d] = a[n]; a[n] = t; }", pick(g, size), pick(g, size));
        break;
    case 5: put(g, "a[n] = %s_%d;", t, pick(g, 3)); break;
    case 6:
        put(g, "for i in 0..%d { if (a[i] > b[i]) { let t = a[i]; a[i] = b[i]; b[i] = t; } }",
            size);
        break;
    case 7:
        put(g, "for i in 0..%d { if (a[i] == %s(%d)) { %s; } b[i] = a[i]; }", size, t, pick(g, 3),
            chance(g, 50) ? "break" : "continue");
        break;
    case 8: put(g, "change_%s(%s, n, b[%d]);", t, chance(g, 50) ? "a" : "b", pick(g, size)); break;
    default:
        put(g, "for i in 0..%d { a[i] = i < %d ? %s(%d) : %s(%d); }", size, pick(g, size + 1), t,
            pick(g, 3), t, pick(g, 2));
        break;
    }
}

/* Arrays that are filled, copied, shifted and changed. */
static void
put_arrays(Gen *g, Knowledge knows)
{
    static const int sizes[] = {4, 4, 8, 8, 16, 32, 64, 5, 7};
    Scalar s = SCALAR_OF(g, numbers);
    int size = sizes[pick(g, 9)];
    line(g);
    put(g, "%s a[%d] = { ", scalar_name(s), size);
    put_elements(g, s, size, knows);
    put(g, " }, b[%d] = { ", size);
    put_elements(g, s, size, any_knowledge(g));
    put(g, " };");
    for (int steps = 1 + pick(g, 5); steps > 0; steps--)
        put_step(g, s, size);
    put_sum_of(g, "a", s, size, 0);
    put_sum_of(g, "b", s, size, 0);
}

/* Whole vectors and matrices: copies, parts, choices. */
static void
put_wholes(Gen *g, Knowledge knows)
{
    Scalar s = SCALAR_OF(g, numbers);
    int rows = chance(g, 60) ? 4 : 2 + pick(g, 7), columns = chance(g, 50)   ? 0
                                                             : chance(g, 70) ? rows
                                                                             : 2 + pick(g, 3);
    char type[48];
    snprintf(type, sizeof type, columns ? "%sx%dx%d" : "%sx%d", scalar_name(s), rows, columns);
    const char *at = columns ? "n, 1" : "n", *other = columns ? "1, n % 2" : "n % 2";
    for (int v = 0; v < 2; v++) {
        line(g);
        put(g, "var %s = %s(", v ? "w" : "v", type);
        put_elements(g, s, rows * (columns ? columns : 1), knows);
        put(g, ");");
        knows = any_knowledge(g);
    }
    for (int steps = 1 + pick(g, 5); steps > 0; steps--) {
        line(g);
        switch (pick(g, 7)) {
        case 0: put(g, "v[%s] = w[%s];", at, other); break;
        case 1: put(g, "{ let t = v; v = w; w = t; }"); break;
        case 2: put(g, "v = n > %d ? w : v;", pick(g, 3)); break;
        case 3: put(g, "w = min(v, w) - %s(%d);", scalar_name(s), pick(g, 3)); break;
        case 4: put(g, "if (w[%s] == v[%s]) { v = %s(1); }", at, other, type); break;
        case 5:
            put(g, "for i in 0..n { w += v; v[%s] = w[%s]; }", columns ? "i, 0" : "i", at);
            break;
        default: put(g, "v += w * v[%s];", at); break;
        }
    }
    put_sum_of(g, "v", s, rows, columns);
    put_sum_of(g, "w", s, rows, columns);
}

/* Any statements around variables that are arrays or matrices. */
static void
put_anything(Gen *g, Knowledge knows)
{
    Scalar s = SCALAR_OF(g, numbers);
    int size = chance(g, 50) ? 4 : 2 + pick(g, 7), vars = g->vars;
    put_place_of(g, "a", s, size, 0, knows);
    Var *v = add_named(g, "a", scalar_type(s));
    v->count = size;
    line(g);
    put(g, "var m = %sx4x4(", scalar_name(s));
    put_elements(g, s, 16, knows);
    put(g, ");");
    add_named(g, "m", (Type){.scalar = s, .rows = 4, .cols = 4});
    g->statements = 8;
    g->calls = 2;
    g->indent--;
    put_body(g, 2 + pick(g, 3));
    g->indent++;
    g->vars = vars;
    put_sum_of(g, "a", s, size, 0);
    put_sum_of(g, "m", s, 4, 4);
}

/* A function of a number from 0 to 1; where `all`, of any kind. */
static void
put_local_function(Gen *g, const char *name, bool all)
{
    static void (*const bodies[])(Gen *, Knowledge) = {
        put_algebra, put_algebra, put_algebra, put_elimination, put_elimination,
        put_arrays,  put_arrays,  put_wholes,  put_anything};
    int vars = g->vars;
    put(g, "func i64 %s(i32 n) {", name);
    Var *n = add_named(g, "n", scalar_type(S_I32));
    n->fixed = n->ranged = true;
    n->hi = 2;
    g->indent = 1;
    line(g);
    put(g, "i64 s = 0;");
    bodies[pick(g, all ? 9 : 8)](g, any_knowledge(g));
    line(g);
    put(g, "return s;\n}\n");
    g->indent = 0;
    g->vars = vars;
}

void
put_local_shape(Gen *g)
{
    char name[NAME_MAX_];
    if (!g->has_unknowns)
        put_unknowns(g);
    g->has_unknowns = true;
    new_name(g, name, "local");
    put_local_function(g, name, false);
    open_kernel(g);
    put(g, "    i64 s = 0;\n    for i in 0..%d { s += %s(%s) * (i + 1); }\n    return s;\n}\n",
        4 + pick(g, 40), name, ONE_OF(g, "i % 2", "1", "(i * i + i / 3) % 2"));
}

char *
locals_text(uint64_t seed, int functions)
{
    Gen *g = calloc(1, sizeof *g);
    if (!g) {
        perror("snlsmith");
        exit(EXIT_FAILURE);
    }
    g->state = seed * 0x9e3779b97f4a7c15u + 77;
    g->strict = true;
    g->place = IN_FUNC;
    put(g, "// Made by snlsmith --locals=%d %llu.\n", functions, (unsigned long long)seed);
    put_helpers(g);
    put_unknowns(g);
    for (int i = 0; i < functions; i++) {
        char name[32];
        snprintf(name, sizeof name, "local_%d", i);
        put_local_function(g, name, true);
        put(g, "kernel i64 try_%d(i32 n) { return local_%d(n); }\n", i, i);
    }
    put(g, "main {\n");
    for (int i = 0; i < functions; i++)
        put(g, "    print(\"%d {} {}\", try_%d(0), try_%d(1));\n", i, i, i);
    put(g, "}\n");
    char *text = g->text;
    free(g);
    return text;
}
