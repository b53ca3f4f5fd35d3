/* check_ir_repeats.c - conditions, assertions and prints whose operands repeat what was computed
 * before: look-ups, elements, linear algebra, and values that nested blocks compute. The IR is
 * verified after each pass, with all passes and without each in turn. */
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"
#include "pass/pass.h"
#include "program.h"

static const char items[] =
    "param f64 c = 2.0;\n"
    "const f64 t[3] = { 1, 2, 3 };\n"
    "field f64x2x2 a[8]; field f64 x[8], y, h, q[8]; field i32 n[8];\n"
    "layout { p: pointer i[8] { mask: bitmasked i[4] { place y; } } }\n"
    "layout { o: hash i[4096] { dense i[4] { place h; } } }\n"
    "layout { dense i[8] { d: dynamic j[16] { place l; } } }\n"
    "field f64 l;\n"
    "func f64 half(f64 v) { return v > 1.0 ? 0.5 * v : v; }\n";

/* What is repeated: numbers, of `m`, `v`, and the index `i`. */
static const char *const values[] = {
    "determinant(m)",
    "inverse(m)[0, 1]",
    "solve(m, f64x2(1, 2)).x",
    "norm(inverse(m) @ v)",
    "polar(m).R[0, 1]",
    "y[i]",
    "y[i + 3]",
    "h[n[i]]",
    "a[i][1, 0]",
    "f64(n[n[i] & 7])",
    "l[i, 0]",
    "f64(length(d[i]))",
    "half(x[i])",
    "t[i % 3]",
    "(x[i] > c && y[i] < c ? determinant(m) : y[i + 1])",
    "(is_active(mask[i]) ? y[i] : 0.5)",
    "f64((i32x2(i, 3) * 2 - i32x2(1, n[i])).x)",
};

/* How it is repeated: # stands for it. */
static const char *const shapes[] = {
    "assert(# > 0.0, \"{}\", #);",
    "assert(# > 0.0 || x[i] < 1.0, \"{} {}\", #, # + x[i]);",
    "let b = #; assert(b == #, \"{} is not {}\", #, b);",
    "assert(# > 0.0); assert(# < 9.0, \"{}\", #);",
    "print(\"{} {}\", #, # * 2.0);",
    "if (# > 1.0) { x[i] = #; print(\"{}\", #); } else { x[i] = -#; }",
    "if (# > 1.0 && # < 5.0 || # == 7.0) { x[i] += #; }",
    "f64 b = 0.0; while (b < # && b < 9.0) { b += abs(#) + 1.0; } x[i] = b;",
    "x[i] = # > 1.0 ? # : # > 0.0 ? x[i] - # : 0.0;",
    "x[i] = # > 1.0 && (# < 3.0 || # > 4.0) ? 1.0 : #;",
    "for k in 0..3 { if (# > f64(k)) { continue; } assert(# > 0.0, \"{} {}\", #, k); x[i] += #; }",
    "if (x[i] > 1.0) { assert(# > 0.0, \"{}\", #); } assert(# > 1.0, \"{}\", # > 2.0 ? # : x[i]);",
    "y[i] = #; assert(# > 0.0, \"{}\", #); y[i + 1] = #; print(\"{}\", #);",
};

/* Where it stands: # stands for the statements. */
static const char *const homes[] = {
    "kernel k() { for i in x { let m = a[i]; let v = f64x2(x[i], c); # } }",
    "kernel k() { for i in 0..8 { let m = f64x2x2(c, 1, 2, x[i]); let v = f64x2(m[0, 1], c); # } }",
    "kernel k() { for i in y { let m = f64x2x2(c, y[i], 2, 3); let v = f64x2(1, 2); # } }",
    "kernel k(i32 i) { let m = a[i]; let v = f64x2(x[i], c); # }",
    "func part(i32 i) { let m = a[i]; let v = f64x2(x[i], c); # }\n"
    "kernel k() { for i in 0..8 { part(i); } }",
    "func part(f64x2x2 m, f64x2 v, i32 i) { # }\n"
    "kernel k() { for i in x { part(a[i], f64x2(x[i], c), i); part(a[0], f64x2(c), i); } }",
    "kernel k() { for i in x { for r in 0..4 { let m = a[r] * c; let v = f64x2(x[i], c); # } } }",
    "kernel k() { for i in h { let m = a[i & 7]; let v = f64x2(h[i - 1], h[i + 1]); # } }",
    "kernel k() { for i, j in l { let m = a[j & 7]; let v = f64x2(l[i, j], c); # } }",
    "host run(i32 i) { let m = a[i]; let v = f64x2(x[i], c); # }",
};

enum {
    VALUES = sizeof values / sizeof *values,
    SHAPES = sizeof shapes / sizeof *shapes,
    HOMES = sizeof homes / sizeof *homes,
    TEXT_MOST = 1 << 16
};

/* Appends `text` with `with` in place of each #. */
static void
fill_in(char *to, const char *text, const char *with)
{
    for (to += strlen(to); *text; text++)
        to += *text == '#' ? sprintf(to, "%s", with) : sprintf(to, "%c", *text);
}

/* A program with all shapes of one value in one home, each in a block of its own. */
static void
write_program(char *to, const char *value, const char *home)
{
    static char all[TEXT_MOST];
    all[0] = '\0';
    for (int s = 0; s < SHAPES; s++) {
        strcat(all, "\n    if (c > 0.0) { ");
        fill_in(all, shapes[s], value);
        strcat(all, " }");
    }
    strcpy(to, items);
    fill_in(to, home, all);
}

/* Through all passes but one; `gpu`: as for a target with lanes. */
static void
compile(const char *text, unsigned check, bool gpu, const char *off)
{
    Compile c;
    Prog *prog = check_text(&c, text);
    if (diag_error_count(&c))
        diag_print_all(&c, stderr, DIAGS_TEXT, false, NULL);
    ck_assert_int_eq(diag_error_count(&c), 0);
    c.options.check = check;
    c.options.gpu = gpu;
    if (off)
        vec_push(c.arena, &c.options.passes_off, off);
    Ir *ir = ir_lower(&c, prog);
    Text out;
    text_init(&out, c.arena);
    passes_run(&c, ir, NULL, &out);
    compile_free(&c);
}

START_TEST(ir_holds_where_operands_repeat)
{
    static char text[TEXT_MOST];
    static const unsigned checks[] = {0, CHECK_BOUNDS | CHECK_OVERFLOW | CHECK_RACE};
    write_program(text, values[_i / HOMES], homes[_i % HOMES]);
    for (int n = 0; n < 2 * COUNT(checks); n++)
        compile(text, checks[n % 2], n / 2, NULL);
}
END_TEST

static const char *const optional[] = {
#define PASS(name, required, side, reads, changes, what) #name,
#include "pass/passes.def"
#undef PASS
};

START_TEST(without_each_pass)
{
    static char text[TEXT_MOST];
    for (int v = _i; v < VALUES * HOMES; v += COUNT(optional) / 4) {
        write_program(text, values[v / HOMES], homes[v % HOMES]);
        compile(text, 0, false, optional[_i]);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("operands that repeat");
    TCase *group = tcase_create("all");
    tcase_add_loop_test(group, ir_holds_where_operands_repeat, 0, VALUES * HOMES);
    tcase_add_loop_test(group, without_each_pass, 0, COUNT(optional));
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
