/* check_parse.c - tokens to syntax: precedence, every construct as ast_print shows it, spans,
 * recovery.
 */
#include "program.h"

/* The syntax of a text, as --emit=ast prints it. */
static const char *
printed(Compile *c, const char *text)
{
    Text out;
    Module *m = parse_text(c, text);
    text_init(&out, c->arena);
    ast_print(m, &out);
    return out.data ? out.data : "";
}

static const struct {
    const char *text, *full;
} precedence_table[] = {
    {"a + b * c", "(a + (b * c))"},
    {"a * b + c", "((a * b) + c)"},
    {"a - b - c", "((a - b) - c)"},
    {"a / b * c % d", "(((a / b) * c) % d)"},
    {"a @ b * c", "((a @ b) * c)"},
    {"a << b + c", "(a << (b + c))"},
    {"a < b << c", "(a < (b << c))"},
    {"a == b < c", "(a == (b < c))"},
    {"a & b == c", "(a & (b == c))"},
    {"a ^ b & c", "(a ^ (b & c))"},
    {"a | b ^ c", "(a | (b ^ c))"},
    {"a && b | c", "(a && (b | c))"},
    {"a || b && c", "(a || (b && c))"},
    {"a ? b : c ? d : e", "(a ? b : (c ? d : e))"},
    {"a ? b ? c : d : e", "(a ? (b ? c : d) : e)"},
    {"a || b ? c : d", "((a || b) ? c : d)"},
    {"-a * b", "((-a) * b)"},
    {"-a.x", "(-a.x)"},
    {"!a && b", "((!a) && b)"},
    {"- - a", "(-(-a))"},
    {"~a & b", "((~a) & b)"},
    {"a - -b", "(a - (-b))"},
    {"a + +b", "(a + (+b))"},
    {"(a + b) * c", "((a + b) * c)"},
    {"((a))", "a"},
    {"f(a, b + c)[i].x", "f(a, (b + c))[i].x"},
    {"x[i, j][k]", "x[i, j][k]"},
    {"x[]", "x[]"},
    {"f()", "f()"},
    {"r#2[i]", "r#2[i]"},
    {"r#(l + 1)[i]", "r#(l + 1)[i]"},
    {"r#l.x", "r#l.x"},
    {"f32x3(1, 2, 3).xy", "f32x3(1, 2, 3).xy"},
    {"f32.max", "f32.max"},
    {"typeof(a + b)(c)", "typeof((a + b))(c)"},
    {"a != b", "(a != b)"},
    {"a >= b", "(a >= b)"},
    {"a > b", "(a > b)"},
    {"a <= b", "(a <= b)"},
    {"a >> b >> c", "((a >> b) >> c)"},
    {"true", "true"},
    {"2.0", "2"},
    {"7u8", "7u8"},
    {"\"a\\n\"", "\"a\\n\""},
};

START_TEST(precedence)
{
    Compile c;
    char program[200], wanted[200];
    snprintf(program, sizeof program, "const A = %s;", precedence_table[_i].text);
    snprintf(wanted, sizeof wanted, "const A = %s\n", precedence_table[_i].full);
    ck_assert_str_eq(printed(&c, program), wanted);
    ck_assert_int_eq(diag_error_count(&c), 0);
    compile_free(&c);
}
END_TEST

/* What is printed is a program again where it has no blocks: the same syntax comes out of it. */
static const char *const printed_expressions_parse_alike_table[] = {
    "a + b * c - d / e % f @ g", "a ? b : c ? d : e || f && g | h ^ i & j == k < l << m + n",
    "-f(a)[b, c].d#2", "!(~a + +b)", "x[r#(2 * l)[i], typeof(y)(3)]"};

START_TEST(printed_expressions_parse_alike)
{
    Compile c, again;
    const char *first =
        arena_printf(arena_new(), "%s",
                     printed(&c, arena_printf(arena_new(), "const A = %s;",
                                              printed_expressions_parse_alike_table[_i])));
    char program[600];
    snprintf(program, sizeof program, "%.*s;", (int)strcspn(first, "\n"), first);
    ck_assert_str_eq(printed(&again, program), first);
    ck_assert_int_eq(diag_error_count(&again), 0);
}
END_TEST

static const struct {
    const char *text, *full;
} items_table[] = {
    {"import \"a/b.snl\";", "import \"a/b.snl\"\n"},
    {"const N = 4;", "const N = 4\n"},
    {"const i32 T[2] = { 1, 2, };", "const i32 T[2] = { 1, 2 }\n"},
    {"const i32 T[2, 2] = { { 1, 2 }, { 3, 4 } };", "const i32 T[2, 2] = { 1, 2, 3, 4 }\n"},
    {"param f32 dt = 1.5;", "param f32 dt = 1.5\n"},
    {"struct P { f32x3 pos; i32 a, b; }", "struct P\n    f32x3 pos\n    i32 a\n    i32 b\n"},
    {"field f32 x, y[4], z[2, 3], w[];", "field f32 x, y[4], z[2, 3], w[]\n"},
    {"@soa @ambient(1.0) field f32x2 v[4];", "@soa @ambient(1) field f32x2 v[4]\n"},
    {"field f32 r#4;", "field f32 r#4\n"},
    {"layout { dense ij[2, 3] { place x, v.y, r#2; } }",
     "layout\n    dense ij[2, 3]\n        place x, v.y, r#2\n"},
    {"@packed layout g { b: pointer i[4] { @chunk(8) l: dynamic j[9] { place x; } hash k[2] { "
     "} } }",
     "@packed layout g\n    b: pointer i[4]\n        @chunk(8) l: dynamic j[9]\n            "
     "place x\n"
     "        hash k[2]\n"},
    {"layout lev#l { b#l: bitmasked i[4] { } }", "layout lev#l\n    b#l: bitmasked i[4]\n"},
    {"func f32 f(f32 a, inout i32 b, field f32[,] g, node n, auto c, f32[] d, field auto h) { "
     "}",
     "func f32 f(f32 a, inout i32 b, field f32[,] g, node n, auto c, f32[] d, field auto h)\n  "
     "  block\n"},
    {"extern func f64 j0(f64 a);", "extern func f64 j0(f64 a)\n"},
    {"extern func log(i32 a);", "extern func log(i32 a)\n"},
    {"kernel k() { }", "kernel k()\n    block\n"},
    {"host i32 h() { return 1; }", "host i32 h()\n    block\n        return 1\n"},
    {"main { }", "main\n    block\n"},
    {"@fails(\"x\") @check test \"t\" { }", "@fails(\"x\") @check test \"t\"\n    block\n"},
    {"static_assert(a > b, \"m\");", "static_assert (a > b), \"m\"\n"},
    {"static_assert(a);", "static_assert a\n"},
    {"static if (a) { const B = 1; } else { const C = 2; }",
     "static if a\n    const B = 1\nelse\n    const C = 2\n"},
    {";;", ""},
};

START_TEST(items)
{
    Compile c;
    ck_assert_str_eq(printed(&c, items_table[_i].text), items_table[_i].full);
    ck_assert_int_eq(diag_error_count(&c), 0);
    compile_free(&c);
}
END_TEST

static const struct {
    const char *text, *full;
} statements_table[] = {
    {"i32 a = 1, b, c[3] = { 1, 2, 3 };",
     "declare i32 a = 1\ndeclare i32 b\ndeclare i32 c[3] = { 1, 2, 3 }\n"},
    {"let a = 1; var b = a;", "declare let a = 1\ndeclare var b = a\n"},
    {"x[i] = 1; x += 2; x <<= 3;", "x[i] = 1\nx += 2\nx <<= 3\n"},
    {"f(1);", "do f(1)\n"},
    {"break; continue; return; return 1;", "break\ncontinue\nreturn\nreturn 1\n"},
    {"create a; destroy b#1; trim c;", "create a\ndestroy b#1\ntrim c\n"},
    {"{ ; }", "block\n"},
    {"while (a) { b = 1; }", "while a\n    block\n        b = 1\n"},
    {"for i in 0..n { }", "for i in 0..n\n    block\n"},
    {"for i in n - 1..-1 step -1 { }", "for i in (n - 1)..(-1) step (-1)\n    block\n"},
    {"for i, j in 0..n, 0..m { }", "for i, j in 0..n, 0..m\n    block\n"},
    {"@serial @block_dim(64) for I in x { }", "@serial @block_dim(64) for I in x\n    block\n"},
    {"static for l in 0..4 { }", "static for l in 0..4\n    block\n"},
    {"for s in progress(0..9) { }", "for s in progress(0..9)\n    block\n"},
};

START_TEST(statements)
{
    Compile c;
    Text wanted;
    char program[300];
    snprintf(program, sizeof program, "kernel k() { %s }", statements_table[_i].text);
    const char *is = printed(&c, program);
    text_init(&wanted, c.arena);
    text_add(&wanted, "kernel k()\n    block\n");
    for (const char *p = statements_table[_i].full; *p; p = strchr(p, '\n') + 1)
        text_raw(&wanted, "        ", 8), text_raw(&wanted, p, strcspn(p, "\n") + 1);
    ck_assert_str_eq(is, wanted.data);
    ck_assert_int_eq(diag_error_count(&c), 0);
    compile_free(&c);
}
END_TEST

START_TEST(dangling_else)
{
    Compile c;
    Module *m =
        parse_text(&c, "kernel k() { if (a) { if (b) { } else { } } else if (c) { } else { d; } }");
    const Stmt *outer = m->items.items[0]->body->stmts.items[0];
    ck_assert_int_eq(outer->kind, STMT_IF);
    ck_assert_int_eq(outer->body->stmts.items[0]->orelse->kind, STMT_BLOCK);
    ck_assert_int_eq(outer->orelse->kind, STMT_IF);
    ck_assert_str_eq(outer->orelse->expr->name.text, "c");
    ck_assert_int_eq(outer->orelse->orelse->stmts.count, 1);
    compile_free(&c);
}
END_TEST

static const struct {
    const char *text, *whole, *left, *right;
} spans_table[] = {{"a + b * c", "a + b * c", "a", "b * c"},
                   {"(a + b) * c", "(a + b) * c", "a + b", "c"},
                   {"a[1, 2] < f(3)", "a[1, 2] < f(3)", "a[1, 2]", "f(3)"},
                   {"r#2 - v.xy", "r#2 - v.xy", "r#2", "v.xy"},
                   {"1.5f32 + \"s\"", "1.5f32 + \"s\"", "1.5f32", "\"s\""}};

START_TEST(spans)
{
    Compile c;
    const Expr *e = parse_expr(&c, spans_table[_i].text);
    ck_assert_int_eq(e->kind, EXPR_BINARY);
    ck_assert_str_eq(span_text(&c, e->span), spans_table[_i].whole);
    ck_assert_str_eq(span_text(&c, e->a->span), spans_table[_i].left);
    ck_assert_str_eq(span_text(&c, e->b->span), spans_table[_i].right);
    compile_free(&c);
}
END_TEST

START_TEST(spans_of_items_and_statements)
{
    Compile c;
    Module *m =
        parse_text(&c, "@soa field f32 x;\nkernel f32 k(i32 a) { x[0] = 1; while (a > 0) { } }");
    const Item *field = m->items.items[0], *kernel = m->items.items[1];
    ck_assert_str_eq(span_text(&c, field->span), "@soa field f32 x;");
    ck_assert_str_eq(span_text(&c, field->attrs.items[0].span), "@soa");
    ck_assert_str_eq(span_text(&c, field->fields.items[0].name.span), "x");
    ck_assert_str_eq(span_text(&c, kernel->span), "kernel f32 k(i32 a)");
    ck_assert_str_eq(span_text(&c, kernel->name.span), "k");
    ck_assert_str_eq(span_text(&c, kernel->params.items[0].span), "i32 a");
    ck_assert_str_eq(span_text(&c, kernel->body->stmts.items[0]->span), "x[0] = 1;");
    ck_assert_str_eq(span_text(&c, kernel->body->stmts.items[1]->span), "while (a > 0)");
    compile_free(&c);
}
END_TEST

/* How many items and errors come of a text. */
static const struct {
    const char *text;
    int items, errors;
} recovery_table[] = {{"const A = 1", 0, 1},
                      {"const A 1; const B = 2;", 1, 1},
                      {"kernel a() { x = 1 } kernel b() { }", 2, 1},
                      {"kernel a() { x = ; y = 1; z = ; } kernel b() { }", 2, 2},
                      {"kernel a( { } kernel b() { }", 1, 1},
                      {"struct P { f32 a } const A = 1;", 2, 1},
                      {"struct P { f32; f32 b; } const A = 1;", 2, 1},
                      {"layout { dense i[4] { place x } } const A = 1;", 2, 1},
                      {"layout { dense i[ { place x; } } const A = 1;", 2, 1},
                      {"layout { dense { place x; } dense i[4] { } } const A = 1;", 2, 1},
                      {"kernel a() { if x > 1 { } else { } y = 1; } kernel b() { }", 2, 1},
                      {"kernel a() { for (i = 0; i < 4; i++) { } y = 1; } kernel b() { }", 2, 1},
                      {"kernel a() { while x { } y = 1; } kernel b() { }", 2, 1},
                      {"main { { { x = 1 } } } const A = 1;", 2, 1},
                      {"} const A = 1;", 1, 1},
                      {"kernel; kernel b() { }", 1, 1},
                      {"field f32; field f32 x;", 1, 1},
                      {"import a; import \"b.snl\";", 1, 1},
                      {"test { } test \"b\" { }", 1, 1},
                      {"foo bar baz; const A = 1;", 1, 1},
                      {"const A = (1; const B = 2;", 1, 1},
                      {"const A = 1 +* 2; const B = 2;", 1, 1},
                      {"const A = 1 2; const B = 2;", 1, 1},
                      {"const A = 1; kernel f() { for i in } main { }", 1, 2},
                      {"static for i in 0..2 { const A = 1; } const B = 2; layout {", 2, 1},
                      {"static for i in 0..2 { const A = 1; const B = 2;", 2, 1},
                      {"@", 0, 1}};

START_TEST(recovery)
{
    Compile c;
    Module *m = parse_text(&c, recovery_table[_i].text);
    ck_assert_msg(m->items.count == recovery_table[_i].items &&
                      diag_error_count(&c) == recovery_table[_i].errors,
                  "%s: %d items, %d errors", recovery_table[_i].text, m->items.count,
                  diag_error_count(&c));
    ck_assert_int_eq(count_code(&c, E0105), recovery_table[_i].errors);
    compile_free(&c);
}
END_TEST

static const struct {
    const char *text, *found, *expected;
} errors_say_what_was_expected_table[] = {
    {"const A = 1 const B = 2;", "missing", "';'"},
    {"const i32 3 = 1;", "'3'", "a name"},
    {"layout { q dense i[4] { } }", "'dense'", "':'"},
    {"test { }", "'{'", "a string"},
    {"kernel k() { if x { } }", "condition", "parentheses"},
    {"struct P { f32 a }", "missing", "';'"},
    {"kernel k() { x = 1 }", "missing", "';'"},
    {"kernel k() { x++; }", "'++'", NULL},
    {"kernel k() { x +; }", "';'", "an expression"},
    {"kernel k() { else }", "'else'", "a statement"},
    {"void f() { }", "a function", "func"},
    {"when f() { }", "'when'", "an item"},
    {"kernel k() { for i in x y = 1; }", "'for'", "braces"},
    {"kernel k() { for i in x const }", "'const'", "',' or '{'"},
    {"kernel k(", "end of file", NULL}};

START_TEST(errors_say_what_was_expected)
{
    Compile c;
    parse_text(&c, errors_say_what_was_expected_table[_i].text);
    ck_assert_int_ge(c.diags.count, 1);
    const char *text = c.diags.items[0]->text;
    ck_assert_msg(strstr(text, errors_say_what_was_expected_table[_i].found) != NULL, "%s", text);
    if (errors_say_what_was_expected_table[_i].expected)
        ck_assert_msg(strstr(text, errors_say_what_was_expected_table[_i].expected) != NULL, "%s",
                      text);
    compile_free(&c);
}
END_TEST

/* Nests an expression: open, then 1, then close. */
static int
errors_of_nest(int depth, const char *open, const char *close)
{
    Compile c;
    Text t;
    Arena *a = arena_new();
    text_init(&t, a);
    text_raw(&t, "const A = ", 10);
    for (int i = 0; i < depth; i++)
        text_raw(&t, open, strlen(open));
    text_raw(&t, "1", 1);
    for (int i = 0; i < depth; i++)
        text_raw(&t, close, strlen(close));
    text_raw(&t, ";", 1);
    parse_text(&c, t.data);
    int errors = count_code(&c, E0106);
    ck_assert_int_eq(errors, diag_error_count(&c));
    compile_free(&c);
    arena_free(a);
    return errors;
}

static const struct {
    const char *open, *close;
    int fine, too_deep;
} depth_has_a_limit_table[] = {{"-", "", EXPR_DEPTH_MAX - 1, EXPR_DEPTH_MAX},
                               {"abs(", ")", EXPR_DEPTH_MAX - 2, EXPR_DEPTH_MAX},
                               {"1+", "", EXPR_DEPTH_MAX - 1, EXPR_DEPTH_MAX},
                               {"true?1:", "", EXPR_DEPTH_MAX - 1, EXPR_DEPTH_MAX},
                               {"(", ")", 5000, 20000}};

START_TEST(depth_has_a_limit)
{
    ck_assert_int_eq(errors_of_nest(depth_has_a_limit_table[_i].fine,
                                    depth_has_a_limit_table[_i].open,
                                    depth_has_a_limit_table[_i].close),
                     0);
    ck_assert_int_eq(errors_of_nest(depth_has_a_limit_table[_i].too_deep,
                                    depth_has_a_limit_table[_i].open,
                                    depth_has_a_limit_table[_i].close),
                     1);
    ck_assert_int_eq(
        errors_of_nest(100000, depth_has_a_limit_table[_i].open, depth_has_a_limit_table[_i].close),
        1);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("parse");
    TCase *group = tcase_create("all");
    tcase_add_loop_test(group, precedence, 0, COUNT(precedence_table));
    tcase_add_loop_test(group, printed_expressions_parse_alike, 0,
                        COUNT(printed_expressions_parse_alike_table));
    tcase_add_loop_test(group, items, 0, COUNT(items_table));
    tcase_add_loop_test(group, statements, 0, COUNT(statements_table));
    tcase_add_test(group, dangling_else);
    tcase_add_loop_test(group, spans, 0, COUNT(spans_table));
    tcase_add_test(group, spans_of_items_and_statements);
    tcase_add_loop_test(group, recovery, 0, COUNT(recovery_table));
    tcase_add_loop_test(group, errors_say_what_was_expected, 0,
                        COUNT(errors_say_what_was_expected_table));
    tcase_add_loop_test(group, depth_has_a_limit, 0, COUNT(depth_has_a_limit_table));
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
