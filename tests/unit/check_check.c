/* check_check.c - the checker: types of expressions, constants, promotions, families, generics,
 * loops, error codes.
 */
#include "program.h"

/* The checked kernel k with these arguments and this body; fields of every sort are around it. */
static Prog *
check_kernel(Compile *c, const char *args, const char *body)
{
    static char text[20000];
    snprintf(text, sizeof text,
             "struct P { f32x3 at; i32 n; }\n"
             "const N = 4; const F = 2.5; const i32 T[3] = { 5, 6, 7 }; param i32 p = 3;\n"
             "field i32 x[16], n[]; field f32x3 v[16]; field f32x2x2 m[16]; field P s[16]; field "
             "f32 y[4, 4];\n"
             "kernel k(%s) { %s }\n",
             args, body);
    return check_text(c, text);
}

static const Func *
find_func(const Prog *p, const char *name)
{
    for (int i = 0; i < p->funcs.count; i++)
        if (!strcmp(p->funcs.items[i]->name, name))
            return p->funcs.items[i];
    return NULL;
}

static const Var *
find_var(const Func *f, const char *name)
{
    for (int i = 0; f && i < f->vars.count; i++)
        if (!strcmp(f->vars.items[i]->name, name))
            return f->vars.items[i];
    return NULL;
}

#define ALL_ARGS                                                                                   \
    "bool b, i8 i8_, i16 i16_, i32 i, i64 i64_, u8 u8_, u16 u16_, u32 u, u64 u64_, f16 h, f32 f, " \
    "f64 d, f32x3 w, f32x4 q, i32x2 z, f32x2x3 a23, f32x3x2 a32, boolx3 bb"

static const struct {
    const char *expr, *type;
} types_of_expressions_table[] = {
    {"1", "i32"},
    {"3000000000", "i64"},
    {"1.0", "f32"},
    {"1e-3", "f32"},
    {"7u8", "u8"},
    {"1.0f64", "f64"},
    {"true", "bool"},
    {"PI", "f32"},
    {"N", "i32"},
    {"F", "f32"},
    {"T[1]", "i32"},
    {"p", "i32"},
    {"i + 1", "i32"},
    {"i64_ + 1", "i64"},
    {"u8_ + u8_", "u8"},
    {"u8_ + u16_", "u16"},
    {"i8_ + i32(u8_)", "i32"},
    {"i + u8_", "i32"},
    {"i64_ + u", "i64"},
    {"i16_ * i8_", "i16"},
    {"i + f", "f32"},
    {"i64_ * f", "f32"},
    {"h + f", "f32"},
    {"f + d", "f64"},
    {"h + h", "f16"},
    {"h + i", "f16"},
    {"d * 0.5", "f64"},
    {"f * 0.5", "f32"},
    {"h * 0.5", "f16"},
    {"f * 2", "f32"},
    {"2 * d", "f64"},
    {"u8_ + 1", "u8"},
    {"-i8_", "i8"},
    {"~u", "u32"},
    {"!b", "bool"},
    {"i < 2", "bool"},
    {"f == 1.0", "bool"},
    {"b && i > 0", "bool"},
    {"i << u8_", "i32"},
    {"u8_ >> i64_", "u8"},
    {"b ? i : i64_", "i64"},
    {"b ? 1 : f", "f32"},
    {"b ? 1 : 2.0", "f32"},
    {"w + w", "f32x3"},
    {"w * 2", "f32x3"},
    {"2.0 * w", "f32x3"},
    {"w * d", "f64x3"},
    {"w < w", "boolx3"},
    {"w.x", "f32"},
    {"w.zyx", "f32x3"},
    {"w.xy", "f32x2"},
    {"w[i]", "f32"},
    {"q.wzyx", "f32x4"},
    {"a23[0, i]", "f32"},
    {"a23 @ a32", "f32x2x2"},
    {"a32 @ a23", "f32x3x3"},
    {"a23 @ w", "f32x2"},
    {"transpose(a23)", "f32x3x2"},
    {"dot(w, w)", "f32"},
    {"cross(w, w)", "f32x3"},
    {"norm(w)", "f32"},
    {"any(bb)", "bool"},
    {"all(w < w)", "bool"},
    {"min(i, i64_)", "i64"},
    {"max(f, 1)", "f32"},
    {"clamp(i, 0, 9)", "i32"},
    {"abs(w)", "f32x3"},
    {"sin(f)", "f32"},
    {"sqrt(d)", "f64"},
    {"popcount(u)", "i32"},
    {"isnan(w)", "boolx3"},
    {"floordiv(i, 2)", "i32"},
    {"i32(f)", "i32"},
    {"i32x2(z)", "i32x2"},
    {"f32x3(1)", "f32x3"},
    {"f32x3(1, i, f)", "f32x3"},
    {"f32x4(w, 1)", "f32x4"},
    {"f32x2x2(1, 2, 3, 4)", "f32x2x2"},
    {"bitcast_u32(f)", "u32"},
    {"bitcast_f64(i64_)", "f64"},
    {"x[i]", "i32"},
    {"n", "i32"},
    {"v[i]", "f32x3"},
    {"v[i].y", "f32"},
    {"m[i][0, 1]", "f32"},
    {"s[i]", "P"},
    {"s[i].at.x", "f32"},
    {"s[i].n", "i32"},
    {"P(w, i)", "P"},
    {"y[1, 2]", "f32"},
    {"y[z]", "f32"},
    {"extent(y, 1)", "i32"},
    {"address(x[i])", "i64"},
    {"random()", "f32"},
    {"random_f64()", "f64"},
    {"random_u32()", "u32"},
    {"i32.max", "i32"},
    {"u64.max", "u64"},
    {"f64.epsilon", "f64"},
    {"identity_f32x3x3()", "f32x3x3"},
    {"outer(w, w)", "f32x3x3"},
    {"atomic_add(n, 1)", "i32"},
    {"typeof(d)(1)", "f64"},
    {"w == w", "boolx3"},
    {"svd(f32x2x2(1)).S", "f32x2x2"},
    {"mix(w, w, f)", "f32x3"},
    {"f % 2", "f32"},
    {"solve(f32x2x2(1), f32x2(1))", "f32x2"},
};

START_TEST(types_of_expressions)
{
    Compile c;
    char body[300];
    snprintf(body, sizeof body, "let r = %s;", types_of_expressions_table[_i].expr);
    Prog *p = check_kernel(&c, ALL_ARGS, body);
    ck_assert_msg(diag_error_count(&c) == 0, "%s: %s", types_of_expressions_table[_i].expr,
                  codes_said(&c));
    const Var *r = find_var(find_func(p, "k"), "r");
    ck_assert_ptr_nonnull(r);
    ck_assert_msg(!strcmp(r->type->name, types_of_expressions_table[_i].type),
                  "%s has type %s, not %s", types_of_expressions_table[_i].expr, r->type->name,
                  types_of_expressions_table[_i].type);
    compile_free(&c);
}
END_TEST

static const struct {
    const char *expr, *codes;
} wrong_expressions_table[] = {
    {"i + u", "E0302"},
    {"b + 1", "E0302"},
    {"i64_ + u64_", "E0302"},
    {"f & 1", "E0302"},
    {"!i", "E0302"},
    {"-b", "E0302"},
    {"~f", "E0302"},
    {"f << 1", "E0302"},
    {"w + q", "E0303"},
    {"a23 @ a23", "E0303"},
    {"a23 + a32", "E0303"},
    {"w + z", "E0303"},
    {"i ? 1 : 2", "E0304"},
    {"b ? i : b", "E0302"},
    {"bb ? 1 : 2", "E0304"},
    {"missing", "E0201"},
    {"missing(1)", "E0201"},
    {"w.w", "E0204"},
    {"w.r", "E0204"},
    {"s[0].speed", "E0204"},
    {"i.x", "E0204"},
    {"w[1.5]", "E0306"},
    {"x[f]", "E0306"},
    {"x[1, 2]", "E0307"},
    {"y[1]", "E0307"},
    {"a23[0]", "E0307"},
    {"w[0, 1]", "E0307"},
    {"f32x3(1, 2)", "E0305"},
    {"P(w)", "E0305"},
    {"sin()", "E0305"},
    {"sin(1, 2)", "E0305"},
    {"i32(b, b)", "E0305"},
    {"norm(f)", "E0313"},
    {"cross(q, q)", "E0303"},
    {"any(i)", "E0313"},
    {"popcount(f)", "E0313"},
    {"dot(w, q)", "E0303"},
    {"300u8", "E0309"},
    {"k(1)", "E0503"},
    {"clock()", "E0503"},
    {"N[0]", "E0307"},
    {"f32", "E0205"},
    {"bitcast_u32(d)", "E0301"},
    {"determinant(a23)", "E0313"},
    {"extent(i, 0)", "E0313"},
    {"extent(y, 2)", "E0401"},
    {"address(i)", "E0313"},
    {"is_active(x[1])", "E0205"},
};

START_TEST(wrong_expressions)
{
    Compile c;
    char body[300];
    snprintf(body, sizeof body, "let r = %s;", wrong_expressions_table[_i].expr);
    check_kernel(&c, ALL_ARGS, body);
    ck_assert_msg(!strcmp(codes_said(&c), wrong_expressions_table[_i].codes), "%s gave %s, not %s",
                  wrong_expressions_table[_i].expr, codes_said(&c),
                  wrong_expressions_table[_i].codes);
    compile_free(&c);
}
END_TEST

static const char *const conversion_names[] = {"b",    "i8_", "i16_", "i", "i64_", "u8_",
                                               "u16_", "u",   "u64_", "h", "f",    "d"};

/* "type = expression" for every implicit conversion: allowed or the code of the report. */
START_TEST(conversions)
{
    static const char *const types[] = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                        "u16",  "u32", "u64", "f16", "f32", "f64"};
    /* Rows: what is converted. Columns: to what; 1 where it happens by itself. */
    static const char *const allowed[] = {"100000000000", "011110000111", "001110000111",
                                          "000110000111", "000010000111", "001111111111",
                                          "000110111111", "000010011111", "000000001111",
                                          "000000000111", "000000000011", "000000000001"};
    for (int to = 0; to < 12; to++) {
        Compile c;
        char body[300];
        snprintf(body, sizeof body, "%s r = %s;", types[to], conversion_names[_i]);
        check_kernel(&c, ALL_ARGS, body);
        const char *want = allowed[_i][to] == '1' ? "W0201" : "E0301";
        ck_assert_msg(!strcmp(codes_said(&c), want), "%s = %s gave %s", types[to],
                      conversion_names[_i], codes_said(&c));
        compile_free(&c);
    }
}
END_TEST

/* Constants: their value as a static_assert sees it. */
static const char *const constants_are_folded_table[] = {
    "1 + 2 * 3 == 7",
    "7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1",
    "floordiv(-7, 2) == -4 && floormod(-7, 3) == 2",
    "1 << 4 == 16 && 256 >> 4 == 16",
    "(5 & 3) == 1 && (5 | 3) == 7 && (5 ^ 3) == 6 && ~5 == -6",
    "!(1 > 2) && (1 < 2 || 1 / 0 == 0)",
    "(1 > 2 ? 3 : 4) == 4",
    "min(3, 4) == 3 && max(3, 4) == 4 && abs(-3) == 3 && clamp(9, 0, 5) == 5",
    "sqrt(16.0) == 4.0 && floor(1.5) == 1.0 && pow(2.0, 10.0) == 1024.0",
    "i32(3.7) == 3 && i32(-3.7) == -3",
    "u8(255) + u8(1) == u8(0)",
    "i32.max + 1 == i32.min",
    "u32.max == 4294967295u32 && i8.min == -128i8 && i64.max == 9223372036854775807",
    "f32.max > 3e38 && f32.epsilon < 1e-6",
    "0xff == 255 && 0b101 == 5 && 1_000 == 1000",
    "9223372036854775807 > 0",
    "bitcast_u32(1.0f32) == 0x3f800000u32",
    "TABLE[2] == 30 && TABLE[0] + TABLE[1] == 30",
    "VEC.y == 2.0 && (VEC * 2.0).z == 6.0",
    "MAT[1, 0] == 3.0 && (MAT @ MAT)[0, 0] == 7.0",
    "extent(a, 0) == 6 && extent(a, 1) == 5",
    "SIZE == 3 && SIZE * SIZE == 9",
    "1.0 / 3.0 == 1.0f32 / 3.0f32",
    "SIZE == 3 || 10 / (SIZE - 3) > 2",
    "PI > 3.14159 && PI < 3.1416 && E > 2.718 && E < 2.719",
    "INF > f32.max && !(NAN == NAN)",
    "popcount(255) == 8 && clz(1) == 31 && ctz(8) == 3",
};

START_TEST(constants_are_folded)
{
    Compile c;
    static char text[2000];
    snprintf(text, sizeof text,
             "const SIZE = 3; const i32 TABLE[3] = { 10, 20, 30 }; const VEC = f32x3(1, 2, 3);\n"
             "const MAT = f32x2x2(1, 2, 3, 4); field f32 a[6, 5];\nstatic_assert(%s, \"no\");\n",
             constants_are_folded_table[_i]);
    check_text(&c, text);
    ck_assert_msg(diag_error_count(&c) == 0, "%s: %s %s", constants_are_folded_table[_i],
                  codes_said(&c), c.diags.count ? c.diags.items[0]->text : "");
    compile_free(&c);
}
END_TEST

static const struct {
    const char *value;
    int errors;
    int64_t size;
} definitions_override_constants_table[] = {{"8", 0, 8},   {"2 * 8 + 1", 0, 17},
                                            {"8 +", 1, 0}, {"missing", 1, 0},
                                            {"1.5", 1, 0}, {"M * 2", 0, 6}};

START_TEST(definitions_override_constants)
{
    FILE *f = fopen("defined.snl", "w");
    ck_assert_ptr_nonnull(f);
    fputs("const M = 3; const i32 N = 4; @packed field f32 x[N];", f);
    fclose(f);
    Compile c;
    compile_init(&c);
    vec_push(c.arena, &c.options.defines,
             ((Define){"N", definitions_override_constants_table[_i].value, false}));
    Prog *p = check_program(&c, "defined.snl");
    ck_assert_msg((diag_error_count(&c) > 0) ==
                      (definitions_override_constants_table[_i].errors > 0),
                  "%s: %s", definitions_override_constants_table[_i].value, codes_said(&c));
    ck_assert(c.options.defines.items[0].used);
    if (!definitions_override_constants_table[_i].errors)
        ck_assert_int_eq(p->fields.items[0]->extents[0],
                         definitions_override_constants_table[_i].size);
    compile_free(&c);
}
END_TEST

START_TEST(families)
{
    Compile c;
    Prog *p = check_text(
        &c,
        "field f32 r#3;\n"
        "static for l in 0..3 { layout lev#l { b#l: dense ij[8 >> l, 8 >> l] { place r#l; } } }\n"
        "func auto sum(field f32[,] f) { return f[0, 0] + f32(extent(f, 0)); }\n"
        "kernel f32 k() { f32 a = 0; static for l in 0..3 { a += sum(r#l); } return a; }");
    ck_assert_str_eq(codes_said(&c), "");
    ck_assert_int_eq(p->fields.count, 3);
    ck_assert_int_eq(p->layouts.count, 3);
    for (int l = 0; l < 3; l++)
        ck_assert_int_eq(p->fields.items[l]->extents[1], 8 >> l);
    int instances = 0;
    for (int i = 0; i < p->funcs.count; i++)
        instances += p->funcs.items[i]->is_generic;
    ck_assert_int_eq(instances, 3);
    compile_free(&c);
}
END_TEST

/* Instances of a generic function: one for each distinct use. */
static const struct {
    const char *uses;
    int instances;
} generics_table[] = {{"", 0},
                      {"let a = twice(1);", 1},
                      {"let a = twice(1) + twice(2);", 1},
                      {"let a = twice(1); let b = twice(1.0);", 2},
                      {"let a = twice(1); let b = twice(1i64); let c = twice(f32x2(1));", 3},
                      {"let a = twice(twice(1));", 1},
                      {"let a = first(x);", 1},
                      {"let a = first(x) + first(x);", 1},
                      {"let a = first(x) + first(y);", 2},
                      {"let a = count(b1); let b = count(b2); let c = count(b1);", 2}};

START_TEST(generics)
{
    static char text[2000];
    Compile c;
    snprintf(text, sizeof text,
             "func auto twice(auto a) { return a + a; }\nfunc auto first(field auto[] f) { return "
             "f[0]; }\n"
             "func i32 count(node b) { i32 n = 0; if (is_active(b[0])) { n += 1; } return n; }\n"
             "field i32 x[4], y[8]; field f32 p, q;\n"
             "layout { b1: pointer i[4] { place p; } }\nlayout { b2: pointer i[4] { place q; } "
             "}\nkernel k() { %s }\n",
             generics_table[_i].uses);
    Prog *p = check_text(&c, text);
    ck_assert_int_eq(diag_error_count(&c), 0);
    int instances = 0;
    for (int i = 0; i < p->funcs.count; i++)
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(p->funcs.items[i]->unique, p->funcs.items[j]->unique);
    for (int i = 0; i < p->funcs.count; i++)
        instances += p->funcs.items[i]->is_generic;
    ck_assert_int_eq(instances, generics_table[_i].instances);
    compile_free(&c);
}
END_TEST

/* The first loop among the statements, also in blocks and conditions. */
static const TStmt *
find_loop(const TStmt *s)
{
    if (!s || s->kind == TS_RANGE || s->kind == TS_CELLS)
        return s;
    for (int i = 0; i < s->stmts.count; i++) {
        const TStmt *loop = find_loop(s->stmts.items[i]);
        if (loop)
            return loop;
    }
    const TStmt *loop = find_loop(s->body);
    return loop ? loop : find_loop(s->orelse);
}

static const struct {
    const char *body;
    TStmtKind kind;
    int parallel, vars;
} loops_in_kernels_table[] = {
    {"for j in 0..9 { x[j] = 1; }", TS_RANGE, 1, 1},
    {"for j, l in 0..9, 0..i { x[j] = l; }", TS_RANGE, 1, 2},
    {"for j in x { x[j] = 1; }", TS_CELLS, 1, 1},
    {"for a, b in y { y[a, b] = 1; }", TS_CELLS, 1, 2},
    {"@serial for j in x { x[j] = 1; }", TS_CELLS, 0, 1},
    {"@serial for j in 0..9 { x[j] = 1; }", TS_RANGE, 0, 1},
    {"if (i > 0) { for j in x { x[j] = 1; } }", TS_CELLS, 1, 1},
    {"if (p > 0 && i < N) { for j in 0..9 { x[j] = 1; } }", TS_RANGE, 1, 1},
    {"if (n > 0) { for j in 0..9 { x[j] = 1; } }", TS_RANGE, 0, 1},
    {"static if (N == 4) { for j in 0..9 { x[j] = 1; } }", TS_RANGE, 1, 1},
    {"while (n > 0) { for j in 0..9 { x[j] = 1; } }", TS_RANGE, 0, 1},
    {"{ for j in 0..9 { x[j] = 1; } }", TS_RANGE, -1, 1}};

START_TEST(loops_in_kernels)
{
    Compile c;
    Prog *p = check_kernel(&c, "i32 i", loops_in_kernels_table[_i].body);
    ck_assert_int_eq(diag_error_count(&c), 0);
    const TStmt *loop = find_loop(find_func(p, "k")->body);
    ck_assert_ptr_nonnull(loop);
    ck_assert_int_eq(loop->kind, loops_in_kernels_table[_i].kind);
    if (loops_in_kernels_table[_i].parallel >= 0)
        ck_assert_int_eq(loop->parallel, loops_in_kernels_table[_i].parallel);
    ck_assert_int_eq(loop->vars.count, loops_in_kernels_table[_i].vars);
    compile_free(&c);
}
END_TEST

static const struct {
    const char *body;
    int count;
    AtomicOp op;
} reductions_are_found_table[] = {
    {"i32 t = 0; for j in x { t += x[j]; } n = t;", 1, ATOMIC_ADD},
    {"i32 t = 0; for j in x { t -= x[j]; } n = t;", 1, ATOMIC_ADD},
    {"i32 t = 0; for j in x { atomic_max(t, x[j]); } n = t;", 1, ATOMIC_MAX},
    {"i32 t = 0; for j in x { atomic_min(t, x[j]); } n = t;", 1, ATOMIC_MIN},
    {"i32 t = 0; i32 u = 0; for j in x { t += 1; atomic_max(u, j); } n = t + u;", 2, ATOMIC_ADD},
    {"f32x3 t = f32x3(0); for j in v { t += v[j]; } n = i32(t.x);", 1, ATOMIC_ADD},
    {"i32 t = 0; for j in x { n += x[j]; } n = t;", 0, ATOMIC_ADD},
    {"i32 t = 0; @serial for j in x { t += x[j]; } n = t;", 0, ATOMIC_ADD},
    {"for j in x { i32 t = 0; t += x[j]; n = t; }", 0, ATOMIC_ADD}};

START_TEST(reductions_are_found)
{
    Compile c;
    Prog *p = check_kernel(&c, "", reductions_are_found_table[_i].body);
    ck_assert_int_eq(diag_error_count(&c), 0);
    const TStmt *loop = find_loop(find_func(p, "k")->body);
    ck_assert_int_eq(loop->reductions.count, reductions_are_found_table[_i].count);
    if (reductions_are_found_table[_i].count)
        ck_assert_int_eq(loop->reductions.items[0].op, reductions_are_found_table[_i].op);
    compile_free(&c);
}
END_TEST

static const struct {
    const char *expr;
    bool no_fma, fused;
} fused_products_table[] = {
    {"f * g + h", false, true},  {"h + f * g", false, true},  {"f * g - h", false, true},
    {"h - f * g", false, true},  {"f * g + h", true, false},  {"f * g * h", false, false},
    {"f + g + h", false, false}, {"i * i + i", false, false}, {"f / g + h", false, false}};

START_TEST(fused_products)
{
    FILE *out = fopen("fma.snl", "w");
    ck_assert_ptr_nonnull(out);
    fprintf(out, "field f32 x[]; kernel k(f32 f, f32 g, f32 h, i32 i) { x = f32(%s); }",
            fused_products_table[_i].expr);
    fclose(out);
    Compile c;
    Text t;
    compile_init(&c);
    c.options.no_fma = fused_products_table[_i].no_fma;
    Prog *p = check_program(&c, "fma.snl");
    ck_assert_int_eq(diag_error_count(&c), 0);
    text_init(&t, c.arena);
    prog_print(p, &t);
    ck_assert_msg((strstr(t.data, "fma") != NULL) == fused_products_table[_i].fused, "%s: %s",
                  fused_products_table[_i].expr, t.data);
    compile_free(&c);
}
END_TEST

START_TEST(imports_are_read_once)
{
    static const struct {
        const char *name, *text;
    } files[] = {
        {"main.snl", "import \"a.snl\"; import \"b.snl\"; import \"./a.snl\"; const M = A + B;"},
        {"a.snl", "import \"b.snl\"; const A = B + 1;"},
        {"b.snl", "const B = 1;"}};
    for (int i = 0; i < 3; i++) {
        FILE *f = fopen(files[i].name, "w");
        ck_assert_ptr_nonnull(f);
        fputs(files[i].text, f);
        fclose(f);
    }
    Compile c;
    compile_init(&c);
    Prog *p = check_program(&c, "main.snl");
    ck_assert_str_eq(codes_said(&c), "");
    ck_assert_int_eq(p->imports.count, 2);
    ck_assert_str_eq(p->imports.items[0]->path, "a.snl");
    ck_assert_str_eq(p->imports.items[1]->path, "b.snl");
    ck_assert_ptr_null(check_program(&c, "missing.snl"));
    compile_free(&c);
}
END_TEST

/* A value of another type than i32, with the cast that mends it: of the whole expression. */
static const struct {
    const char *expr, *fix;
} casts_that_are_proposed_table[] = {
    {"f", "i32(f)"},
    {"f32(f)", "i32(f32(f))"},
    {"f32(2.5)", "i32(f32(2.5))"},
    {"f32(CONSTANT)", "i32(f32(CONSTANT))"},
    {"+f", "i32(+f)"},
    {"f32(f) * 2.0", "i32(f32(f) * 2.0)"},
    {"f32(w.x)", "i32(f32(w.x))"},
    {"2.0 * f32(CONSTANT)", "i32(2.0 * f32(CONSTANT))"},
    {"f64(f)", "i32(f64(f))"},
    {"f32(y[0, 0])", "i32(f32(y[0, 0]))"},
};

START_TEST(casts_that_are_proposed)
{
    Compile c;
    char text[300];
    snprintf(text, sizeof text,
             "const f32 CONSTANT = 2.0; field f32 y[4, 4];\n"
             "kernel k(f32 f, f32x3 w) { i32 r = %s; }\n",
             casts_that_are_proposed_table[_i].expr);
    check_text(&c, text);
    ck_assert_str_eq(codes_said(&c), "E0301");
    ck_assert_int_eq(c.diags.items[0]->fixes.count, 1);
    ck_assert_str_eq(c.diags.items[0]->fixes.items[0].text, casts_that_are_proposed_table[_i].fix);
    compile_free(&c);
}
END_TEST

static const struct {
    const char *file, *name;
} names_of_programs_table[] = {{"wave.snl", "wave"},
                               {"heat-2d.snl", "heat_2d"},
                               {"2d.snl", "p_2d"},
                               {"a.b.snl", "a_b"},
                               {"noending", "noending"}};

START_TEST(names_of_programs)
{
    FILE *f = fopen(names_of_programs_table[_i].file, "w");
    ck_assert_ptr_nonnull(f);
    fputs("const A = 1;", f);
    fclose(f);
    Compile c;
    compile_init(&c);
    Prog *p = check_program(&c, names_of_programs_table[_i].file);
    ck_assert_str_eq(p->name, names_of_programs_table[_i].name);
    compile_free(&c);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("check");
    TCase *group = tcase_create("all");
    tcase_set_timeout(group, 60);
    tcase_add_loop_test(group, types_of_expressions, 0, COUNT(types_of_expressions_table));
    tcase_add_loop_test(group, wrong_expressions, 0, COUNT(wrong_expressions_table));
    tcase_add_loop_test(group, conversions, 0, COUNT(conversion_names));
    tcase_add_loop_test(group, constants_are_folded, 0, COUNT(constants_are_folded_table));
    tcase_add_loop_test(group, definitions_override_constants, 0,
                        COUNT(definitions_override_constants_table));
    tcase_add_test(group, families);
    tcase_add_loop_test(group, generics, 0, COUNT(generics_table));
    tcase_add_loop_test(group, loops_in_kernels, 0, COUNT(loops_in_kernels_table));
    tcase_add_loop_test(group, reductions_are_found, 0, COUNT(reductions_are_found_table));
    tcase_add_loop_test(group, fused_products, 0, COUNT(fused_products_table));
    tcase_add_test(group, imports_are_read_once);
    tcase_add_loop_test(group, casts_that_are_proposed, 0, COUNT(casts_that_are_proposed_table));
    tcase_add_loop_test(group, names_of_programs, 0, COUNT(names_of_programs_table));
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
