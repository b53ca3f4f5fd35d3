/* check_interp.c - the reference interpreter as the judge of the C target: values, trees, errors,
 * the command line of programs. Whole features are in tests/cases; here is what those cannot say.
 */
#include "interp/interp.h"
#include "program.h"

/* The program "main { BODY }" under the items; gives its status and its output. */
static int
run(const char *items, const char *body, int argc, char **argv, const char **output)
{
    static char text[20000], out[100000];
    Compile c;
    snprintf(text, sizeof text, "%s\nmain {\n%s\n}\n", items, body);
    Prog *p = check_text(&c, text);
    ck_assert_msg(diag_error_count(&c) == 0, "%s", c.diags.count ? c.diags.items[0]->text : "");
    fflush(stdout);
    fflush(stderr);
    ck_assert_ptr_nonnull(freopen("out.txt", "w", stdout));
    ck_assert_ptr_nonnull(freopen("err.txt", "w", stderr));
    int status = interp_main(&c, p, argc, argv);
    fflush(stdout);
    fflush(stderr);
    FILE *f = fopen("out.txt", "r");
    out[fread(out, 1, sizeof out - 1, f)] = 0;
    fclose(f);
    *output = out;
    compile_free(&c);
    return status;
}

static const char *
errors(void)
{
    static char text[5000];
    FILE *f = fopen("err.txt", "r");
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

static const struct {
    const char *items, *body, *output;
} programs_table[] = {
    {"", "print(\"hello {}\", 1 + 2);", "hello 3\n"},
    {"", "for i in 5..0 step -2 { print(\"{}\", i); }", "5\n3\n1\n"},
    {"",
     "i32 n = 0; while (true) { n += 1; if (n == 3) { continue; } if (n > 4) { break; } "
     "print(\"{}\", n); }",
     "1\n2\n4\n"},
    {"func i32 f(i32 n) { if (n < 2) { return n; } return f(n - 1) + f(n - 2); }",
     "print(\"{}\", f(15));", "610\n"},
    {"func g(inout i32 a, inout f32x2 v) { a += 1; v.y = 5; }",
     "i32 a = 1; f32x2 v = f32x2(1); g(a, v); print(\"{} {}\", a, v);", "2 [1.0, 5.0]\n"},
    {"field i32 x[4]; kernel k() { for i in x { x[i] = i * i; } }",
     "k(); print(\"{} {} {} {}\", x[0], x[1], x[2], x[3]);", "0 1 4 9\n"},
    {"field i32 x; layout { b: pointer i[8] { dense i[2] { place x; } } }\nkernel i32 sum() { i32 "
     "s = 0; for i in x { s += i; } return s; }",
     "x[3] = 1; x[8] = 1; print(\"{} {} {}\", active(b), sum(), x[15]); deactivate(b[1]); "
     "print(\"{} {}\", active(b), x[3]);",
     "2 22 0\n1 0\n"},
    {"field i32 x; layout { l: dynamic i[5] { place x; } }",
     "print(\"{} {} {}\", append(l, 7), append(l, 8), length(l)); x[4] = 9; print(\"{} {} {}\", "
     "length(l), x[2], x[4]);",
     "0 1 2\n5 0 9\n"},
    {"@ambient(2.5) field f32 x; layout { h: hash i[1000000] { place x; } }",
     "x[999999] = 1; print(\"{} {} {}\", x[5], x[999999], active(h));", "2.5 1.0 1\n"},
    {"field f32 x[3]; @boundary(clamp) field f32 y[3]; @boundary(periodic) field f32 z[3]; "
     "@boundary(mirror) field f32 w[3];",
     "for i in 0..3 { y[i] = f32(i); z[i] = f32(i); w[i] = f32(i); } print(\"{} {} {} {} {}\", "
     "y[-5], y[7], z[-1], w[-1], w[3]);",
     "0.0 2.0 2.0 0.0 2.0\n"},
    {"struct P { f32x2 at; i32 n; } field P s[2];",
     "s[1] = P(f32x2(1, 2), 3); print(\"{} {}\", s[1].at, s[1].n + s[0].n);", "[1.0, 2.0] 3\n"},
    {"field f32 a[2]; @manual layout m { dense i[4] { place b; } } field f32 b;",
     "create m; b[3] = 1; destroy m; create m; print(\"{} {}\", b[3], memory(m));", "0.0 16\n"},
    {"field i32 a, b; layout A { dense i[2] { place a; } } layout B { dense i[2] { place b; } }",
     "a[1] = 3; swap(A, B); print(\"{} {}\", a[1], b[1]); copy(a, b); print(\"{}\", a[1]); fill(a, "
     "8); print(\"{}\", a[0]);",
     "0 3\n3\n8\n"},
    {"",
     "u8 a = 255; a += 1; i8 b = -128; b -= 1; i32 c = i32.max; c += 1; print(\"{} {} {}\", a, b, "
     "c);",
     "0 127 -2147483648\n"},
    {"", "print(\"{} {} {}\", -7 / 2, -7 % 2, floormod(-7, 2));", "-3 -1 1\n"},
    {"", "f32 a = 0.1; f64 b = 0.1; print(\"{} {}\", f64(a) == b, f64(a) - b < 1e-8);",
     "false true\n"},
    {"", "f32 w[3] = { 1, 2, 3 }; f32 s = 0; for i in 0..3 { s += w[i]; } print(\"{:.1f}\", s);",
     "6.0\n"},
    {"kernel total(i32[] a, i32[,] b) { for i in 0..extent(a, 0) { a[i] += b[i, 1]; } }",
     "i32 a[2] = { 1, 2 }; i32 b[2, 2] = { 10, 20, 30, 40 }; total(a, b); print(\"{} {}\", a[0], "
     "a[1]);",
     "21 42\n"},
    {"param i32 n = 3; field f32 x; layout { dense ij[n, 2 * n] { place x; } }",
     "print(\"{} {}\", extent(x, 0), extent(x, 1));", "3 6\n"},
};

START_TEST(programs)
{
    const char *output;
    char *argv[] = {(char *)"test", NULL};
    int status = run(programs_table[_i].items, programs_table[_i].body, 1, argv, &output);
    ck_assert_msg(status == 0, "%s", errors());
    ck_assert_str_eq(output, programs_table[_i].output);
    ck_assert_str_eq(errors(), "");
}
END_TEST

static const struct {
    const char *items, *body, *text;
    int line;
} run_time_errors_table[] = {
    {"", "assert(1 > 2, \"one is {}\", 1);", "one is 1", 3},
    {"field i32 x; layout { l: dynamic i[2] { place x; } }",
     "append(l, 1);\nappend(l, 1);\nappend(l, 1);", "full", 5},
    {"field i32 x; @manual layout m { dense i[4] { place x; } }", "x[1] = 2;", "'m'", 3},
    {"field i32 x[4];", "load(\"missing.npy\", x);", "missing.npy", 3},
    {"func i32 f(i32 n) { return f(n + 1) + 1; }", "print(\"{}\", f(0));", "stack is full", 1},
    {"func f32 f(i32 n) { f32 x[65536]; x[n] = f(n + 1); return x[0]; }", "print(\"{}\", f(0));",
     "recursion in 'f'", 1},
    {"func i32 f() { i32 x[20000000]; x[0] = 1; return x[0]; }", "print(\"{}\", f());",
     "variables are too large", 1},
    {"field i32 x[4];", "var k = 4; x[k] = 1;", "4", 3},
};

START_TEST(run_time_errors)
{
    const char *output;
    char place[50], *argv[] = {(char *)"test", NULL};
    static char body[1000];
    snprintf(body, sizeof body, "print(\"before\");%s\nprint(\"after\");",
             run_time_errors_table[_i].body);
    int status = run(run_time_errors_table[_i].items, body, 1, argv, &output);
    snprintf(place, sizeof place, "test.snl:%d: ", run_time_errors_table[_i].line);
    ck_assert_int_eq(status, 1);
    ck_assert_str_eq(output, "before\n");
    ck_assert_msg(!strncmp(errors(), place, strlen(place)), "%s", errors());
    ck_assert_msg(strstr(errors(), run_time_errors_table[_i].text) != NULL, "%s", errors());
}
END_TEST

static const struct {
    const char *args[4];
    int status;
    const char *output;
} command_lines_table[] = {
    {{NULL}, 0, "4 0.5 [1, 2] true\n"},
    {{"--n=7"}, 0, "7 0.5 [1, 2] true\n"},
    {{"--n=-7", "--dt=1e-2", "--on=false"}, 0, "-7 0.01 [1, 2] false\n"},
    {{"--v=3,4"}, 0, "4 0.5 [3, 4] true\n"},
    {{"--n=1", "--n=2"}, 0, "2 0.5 [1, 2] true\n"},
    {{"--seed=5", "--threads=2"}, 0, "4 0.5 [1, 2] true\n"},
    {{"--n"}, 64, ""},
    {{"--n=x"}, 64, ""},
    {{"--n=1.5"}, 64, ""},
    {{"--n=99999999999"}, 64, ""},
    {{"--v=1"}, 64, ""},
    {{"--on=maybe"}, 64, ""},
    {{"--frob=1"}, 64, ""},
    {{"file"}, 64, ""},
};

START_TEST(command_lines)
{
    const char *output;
    char *argv[6] = {(char *)"test"};
    int argc = 1;
    while (argc < 5 && command_lines_table[_i].args[argc - 1]) {
        argv[argc] = (char *)command_lines_table[_i].args[argc - 1];
        argc++;
    }
    int status = run(
        "param i32 n = 4; param f32 dt = 0.5; param i32x2 v = i32x2(1, 2); param bool on = true;",
        "print(\"{} {} {} {}\", n, dt, v, on);", argc, argv, &output);
    ck_assert_msg(status == command_lines_table[_i].status, "%d: %s", status, errors());
    ck_assert_str_eq(output, command_lines_table[_i].output);
    ck_assert_int_eq(*errors() != 0, status != 0);
}
END_TEST

START_TEST(seeds_decide_random_numbers)
{
    const char *output;
    char first[100], *seed5[] = {(char *)"test", (char *)"--seed=5", NULL},
                     *seed6[] = {(char *)"test", (char *)"--seed=6", NULL};
    const char *items = "field f32 x[4]; kernel k() { for i in x { x[i] = random(); } }";
    const char *body = "k(); print(\"{} {} {}\", x[0], x[3], random());";
    ck_assert_int_eq(run(items, body, 2, seed5, &output), 0);
    snprintf(first, sizeof first, "%s", output);
    ck_assert_int_eq(run(items, body, 2, seed5, &output), 0);
    ck_assert_str_eq(output, first);
    ck_assert_int_eq(run(items, body, 2, seed6, &output), 0);
    ck_assert_str_ne(output, first);
}
END_TEST

static const struct {
    const char *body, *text; /* NULL: no race */
} races_table[] = {
    {"for i in 0..100 { x[i % 10] = i; }", "x[0]: 0 and 10"},
    {"for i in 0..100 { x[i % 10] = 7; }", NULL},
    {"for i in 0..100 { x[i % 10] += i; }", NULL},
    {"for i in 0..10 { x[i] = i; x[i] = i + 1; } for i in 0..10 { x[9 - i] = i; }", NULL},
    {"@serial for i in 0..100 { x[i % 10] = i; }", NULL},
    {"i32 t = 0; for i in x { t = i; } x[0] = t;", "t: 0 and 1"},
    {"for i in x { i32 t = i; t = i + 1; x[i] = t; }", NULL},
    {"for i in 0..4 { y[1, 2].y = f32(i); }", "y[1, 2]: 0.0 and 1.0"},
    {"for i in 0..4 { y[i / 3, 2] = f32x2(1, i / 2); }", "y[0, 2]: 0.0 and 1.0"},
    {"for i in 0..4 { put(i); }", "x[0]: 0 and 1"},
};

START_TEST(races)
{
    Compile c;
    static char text[2000];
    snprintf(text, sizeof text,
             "field i32 x[10]; field f32x2 y[4, 4]; func put(i32 i) { x[0] = i; }\n"
             "kernel k() { %s }\ntest \"t\" { k(); }",
             races_table[_i].body);
    Prog *p = check_text(&c, text);
    ck_assert_msg(diag_error_count(&c) == 0, "%s", codes_said(&c));
    const char *message = NULL;
    ck_assert(interp_test(&c, p, p->tests.items[0], &message)); /* without --check nobody looks */
    c.options.check = CHECK_RACE;
    bool passed = interp_test(&c, p, p->tests.items[0], &message);
    ck_assert_int_eq(passed, races_table[_i].text == NULL);
    if (races_table[_i].text)
        ck_assert_msg(strstr(message, races_table[_i].text) != NULL, "%s", message);
    compile_free(&c);
}
END_TEST

/* Each test block starts with fresh trees, whatever ran before it. */
START_TEST(tests_start_afresh)
{
    static const bool passes[] = {true, true, false, true, false};
    Compile c;
    Prog *p = check_text(&c, "field i32 x[4]; param i32 n = 3;\n"
                             "test \"one\" { assert(x[0] == 0); x[0] = n; }\n"
                             "test \"two\" { assert(x[0] == 0); x[0] = 5; }\n"
                             "test \"three\" { assert(x[0] == 5, \"x is {}\", x[0]); }\n"
                             "@fails(\"boom\") test \"four\" { assert(false, \"boom\"); }\n"
                             "@fails(\"boom\") test \"five\" { x[1] = 1; }\n");
    ck_assert_int_eq(p->tests.count, 5);
    for (int i = 0; i < 5; i++) {
        const char *message = NULL;
        ck_assert_int_eq(interp_test(&c, p, p->tests.items[i], &message), passes[i]);
        if (i == 2)
            ck_assert_str_eq(message, "test.snl:4: x is 0");
        if (i == 4)
            ck_assert_ptr_nonnull(strstr(message, "boom"));
    }
    compile_free(&c);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("interp");
    TCase *group = tcase_create("all");
    tcase_set_timeout(group, 60);
    tcase_add_loop_test(group, programs, 0, COUNT(programs_table));
    tcase_add_loop_test(group, run_time_errors, 0, COUNT(run_time_errors_table));
    tcase_add_loop_test(group, command_lines, 0, COUNT(command_lines_table));
    tcase_add_loop_test(group, races, 0, COUNT(races_table));
    tcase_add_test(group, seeds_decide_random_numbers);
    tcase_add_test(group, tests_start_afresh);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
