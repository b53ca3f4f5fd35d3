/* check_ir.c - the IR: what the lowering makes, what the verifier refuses, what each pass does to
 * small programs, as the printer shows it.  Larger ones: tests/cases/ir.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/affine.h"
#include "analysis/cell_use.h"
#include "analysis/cost.h"
#include "ir/inst_info.h"
#include "ir/ir.h"
#include "pass/pass.h"
#include "suite.h"

/* A compilation of a program given as text. */
typedef struct {
    Compile c;
    Ir *ir;
} Program;

static void
program_init(Program *p, const char *text, unsigned check)
{
    FILE *f = fopen("program.snl", "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
    compile_init(&p->c);
    p->c.options.check = check;
    Prog *prog = check_program(&p->c, "program.snl");
    if (diag_error_count(&p->c))
        diag_print_all(&p->c, stderr, DIAGS_TEXT, false, NULL);
    ck_assert_int_eq(diag_error_count(&p->c), 0);
    p->ir = ir_lower(&p->c, prog);
}

/* The function or kernel number n, from 0. */
static IrFunc *
nth(const Program *p, int n)
{
    ck_assert_int_lt(n, p->ir->funcs.count);
    return p->ir->funcs.items[n];
}

static void
find_kind(Inst *i, void *arg)
{
    Inst **found = arg;
    if (!found[1] && i->kind == found[0]->kind)
        found[1] = i;
}

static void
find_in_block(Block *b, void *arg)
{
    block_walk(b, find_kind, arg);
}

/* The first instruction of a kind. */
static Inst *
find(IrFunc *f, InstKind kind)
{
    Inst wanted = {.kind = kind}, *pair[2] = {&wanted, NULL};
    ir_walk_blocks(f, find_in_block, pair);
    ck_assert_ptr_nonnull(pair[1]);
    return pair[1];
}

/* ---- the verifier ---- */

static const char broken_program[] =
    "field f32 x[8];\n"
    "kernel f32 k(i32 n) {\n"
    "    f32 s = 0;\n"
    "    for i in 0..n { s += x[i] * 2.0; if (x[i] > 1.0) { x[i + 1] = sqrt(x[i]); } }\n"
    "    return s;\n"
    "}\n";

static Inst *
first_of_body(IrFunc *f, int task)
{
    return f->tasks.items[task]->body->insts.items[0];
}

/* Breaks the IR of broken_program in one way. */
static void
break_ir(Program *p, IrFunc *f, int way)
{
    Inst *i;
    Task *loop = f->tasks.items[1];
    switch (way) {
    case 0: break; /* not at all */
    case 1: find(f, INST_BINARY)->args.count = 1; break;
    case 2: find(f, INST_BINARY)->args.items[1] = find(f, INST_VAR); break;
    case 3: find(f, INST_STORE)->args.items[1] = ir_new(&p->c, INST_CONST, NULL, (Span){0}); break;
    case 4: find(f, INST_BINARY)->args.items[0] = first_of_body(f, 0); break;
    case 5: find(f, INST_LOAD)->type = type_scalar(p->ir->prog->types, SCALAR_U8); break;
    case 6: find(f, INST_IF)->blocks[0] = NULL; break;
    case 7: find(f, INST_BINARY)->blocks[0] = find(f, INST_IF)->blocks[0]; break;
    case 8: find(f, INST_CELL)->args.count = 0; break;
    case 9: find(f, INST_CELL)->node = NULL; break;
    case 10: find(f, INST_REDUCE)->atomic_op = ATOMIC_MIN; break;
    case 11: find(f, INST_VAR)->var = ARENA_NEW(p->c.arena, Var); break;
    case 12: find(f, INST_IN_CELL)->leaf = 1; break;
    case 13: loop->to.count = 0; break;
    case 14: loop->from.items[0] = first_of_body(f, 0); break;
    case 15: loop->body = NULL; break;
    case 16: find(f, INST_IF)->kind = INST_BREAK; break;
    case 17:
        i = ir_new(&p->c, INST_BREAK, NULL, (Span){0});
        block_add(&p->c, loop->body, i);
        break;
    case 18: block_add(&p->c, loop->body, loop->body->insts.items[0]); break;
    case 19: vec_last(&loop->body->insts)->blocks[0]->result = find(f, INST_BINARY); break;
    case 20:
        i = ir_new(&p->c, INST_LOOP_CELL, NULL, (Span){0});
        i->node = find(f, INST_CELL)->node;
        block_add(&p->c, loop->body, i);
        break;
    case 21:
        i = ir_new(&p->c, INST_RETURN, NULL, (Span){0});
        ir_arg(&p->c, i, loop->body->insts.items[0]);
        block_add(&p->c, loop->body, i);
        break;
    case 22:
        find(f, INST_BUILTIN)->type = NULL;
        break;
    case 23: f->body = loop->body; break;
    }
}

START_TEST(broken_ir_is_refused)
{
    Program p;
    program_init(&p, broken_program, 0);
    IrFunc *f = nth(&p, 0);
    break_ir(&p, f, _i);
    ir_number(f);
    const char *error = ir_verify(&p.c, f);
    if (_i == 0)
        ck_assert_ptr_null(error);
    else
        ck_assert_ptr_nonnull(error);
    compile_free(&p.c);
}
END_TEST

/* ---- what passes do, as printed ---- */

#define WANTS 6

typedef struct {
    const char *program, *pass; /* pass: print after it; "lower": before all */
    const char *wanted[WANTS];  /* in this order */
    const char *refused[2];     /* nowhere */
} Printed;

/* Layouts of the programs below. */
#define DENSE "field f32 x, y; field i32 n; layout { dense i[16] { place x, y, n; } }\n"
#define SPARSE "field f32 x; layout { b: pointer i[4] { m: bitmasked i[8] { place x; } } }\n"

static const Printed printed[] = {
    /* lowering */
    {DENSE "kernel k() { for i in x { x[i] = 1.0; } }",
     "lower",
     {"kernel k\n", "offloaded clear_list S1dense\n", "offloaded listgen S0root->S1dense\n",
      "offloaded struct_for(S1dense) block_dim=0 {\n", "= cell S1dense of x[$", "store $"},
     {"use_list"}},
    {SPARSE "kernel k() { for i in x { x[i] = 1.0; } }",
     "lower",
     {"clear_list S1pointer\n", "listgen S0root->S1pointer\n", "clear_list S2bitmasked\n",
      "listgen S1pointer->S2bitmasked\n", "struct_for(S2bitmasked) block_dim=0 use_list {"},
     {0}},
    {DENSE "kernel f32 k() { f32 s = 0; for i in 0..9 { s -= x[i]; } return s; }",
     "lower",
     {"serial {", "define $", "range_for(i32 i.1 in 0..9) block_dim=0 reduce(add s.0) {", "= -$",
      "reduce add $", "return $"},
     {"atomic"}},
    {DENSE "kernel k(i32 a) { if (a > 0) { for i in x { x[i] = 1.0; } } else { x[0] = 2.0; } }",
     "lower",
     {"offloaded if {", "yield $", "} then {", "struct_for", "} else {", "serial {"},
     {0}},
    {SPARSE "kernel k() { for i in b { deactivate(b[i]); } }",
     "lower",
     {"// deactivates in L0", "struct_for(S1pointer)", "deactivate S1pointer[$", "gc S1pointer"},
     {0}},
    {DENSE "func i32 f(i32 a) { if (a > 0 && n[a] > 1) { return 1; } return a < 0 ? 2 : 3; }\n"
           "kernel k() { for i in n { n[i] = f(i); } }",
     "lower",
     {"func i32 f(i32 a.0) {", "= $3 && {", "yield $", "if $", "= cond $", "call f($"},
     {0}},

    /* fold */
    {DENSE "kernel k() { for i in n { let a = 3; n[i] = 2 * a + 4; let b = 0.5; x[i] = b + 0.25; }"
           "}",
     "fold",
     {"= const 10\n", "= const 0.75\n"},
     {" * ", " + "}},
    {DENSE "kernel k() { for i in x { x[i] = y[i] + 0.0; } }", "fold", {" + "}, {0}},
    {DENSE "kernel k() { for i in x { x[i] = y[i] - 0.0; } }", "fold", {"store $"}, {" - "}},
    {DENSE "kernel k() { for i in x { x[i] = y[i] * 1.0; } }", "fold", {"store $"}, {" * "}},
    {DENSE "kernel k() { for i in x { x[i] = y[i] * 0.0; } }", "fold", {" * "}, {0}},
    {DENSE "kernel k() { for i in n { n[i] = n[i] * 0; } }", "fold", {"= const 0\n"}, {" * "}},
    {DENSE "kernel k() { for i in x { let z = 0.0; x[i] = z / z; } }", "fold", {" / "}, {0}},
    {DENSE "kernel k() { for i in x { let z = 0.5; x[i] = sin(z) + floor(z + 1.0); } }",
     "fold",
     {"builtin sin($", "const 1.0\n"},
     {"floor"}},
    {DENSE "kernel k() { for i in n { n[i] = i32(i64(n[i])); } }", "fold", {"store $"}, {0}},
    {DENSE "kernel k() { for I in n { let J = I; n[J] = 1; } }", "dce", {"loop cell"}, {"var J"}},
    {DENSE "kernel k() { for i in n { if (false) { n[i] = 1; } else { n[i] = 2; } } }",
     "fold",
     {"= const 2\n", "store $"},
     {"if $"}},
    {DENSE "kernel k() { for i in n { n[i] = true || n[i] > 3 ? 1 : n[i]; } }",
     "dce",
     {"= const 1\n", "store $"},
     {"cond", "||"}},

    /* dce */
    {DENSE "kernel k() { for i in n { var a = x[i]; a += 1.0; n[i] = 1; } }",
     "dce",
     {"store $"},
     {"var a", "define"}},
    {DENSE "kernel k() { for i in n { for j in 0..3 { var a = x[j]; a *= 2.0; } } }",
     "dce",
     {"struct_for"},
     {"for i32 j"}},
    {DENSE "kernel k() { for i in n { var r = random(); r *= 2.0; } }",
     "dce",
     {"random random"},
     {"store $"}},
    {DENSE "func i32 f(i32 a) { if (a > 0) { return 1; } return a; }\n"
           "kernel k() { for i in n { f(i); } }",
     "dce",
     {"call f($"},
     {0}},
    {DENSE "func i32 f(i32 a) { if (true) { return 1; } n[a] = 2; return 3; }\n"
           "kernel k() { for i in n { n[i] = f(i); } }",
     "dce",
     {"func i32 f", "return $", "kernel k"},
     {"const 3"}},

    /* footprint */
    {DENSE "kernel k() { for i in x { y[i] = x[i - 1] + x[i + 2]; } }",
     "effects",
     {"// reads x[i-1..i+2]\n", "// writes y[i]\n"},
     {"accumulates"}},
    {DENSE "kernel k() { for i in x { y[n[i]] += 1.0; print(\"{}\", i); } }",
     "effects",
     {"// reads n[i]\n", "// accumulates y[*]\n", "// prints\n"},
     {"writes"}},
    {DENSE "kernel k() { for I in x { let a = I + 1; for d in -2..1 { y[a + d] = 1.0; } } }",
     "effects",
     {"// writes y[I-1..I+1]\n"},
     {0}},
    {SPARSE "kernel k() { for i in x { x[i] += 1.0; } }",
     "effects",
     {"// accumulates x[i]\n"},
     {"may activate"}},
    {SPARSE "kernel k() { for i in x { x[i / 2] = 1.0; } }",
     "effects",
     {"// may activate S1pointer, S2bitmasked\n"},
     {0}},
    {SPARSE "func f(i32 i) { deactivate(b[i]); }\nkernel k() { for i in 0..4 { f(i); } }",
     "effects",
     {"kernel k", "// may deactivate S1pointer, S2bitmasked\n"},
     {0}},
    {SPARSE "kernel k() { for i in x { deactivate(m[i]); x[i] = 1.0; } }",
     "effects",
     {"// may activate S2bitmasked\n", "// may deactivate S2bitmasked\n"},
     {0}},

    /* lists */
    {DENSE "kernel k() { for i in x { x[i] = 1.0; } }", "prune_lists", {"struct_for"}, {"listgen"}},
    {SPARSE "kernel k() { for i in x { x[i] = 1.0; } }",
     "prune_lists",
     {"listgen S0root->S1pointer", "struct_for(S2bitmasked) block_dim=0 {"},
     {"use_list", "->S2bitmasked"}},
    {SPARSE "kernel k() { for i in x { x[i + 1] = 1.0; } }",
     "prune_lists",
     {"listgen S0root->S1pointer", "use_masks"},
     {"->S2bitmasked"}},
    {"field f32 x; layout { bitmasked i[4] { bitmasked i[8] { place x; } } }\n"
     "kernel k() { for i in x { x[i + 1] = 1.0; } }",
     "prune_lists",
     {"listgen S1bitmasked->S2bitmasked", "use_list"},
     {0}},

    /* demote */
    {DENSE "kernel k() { for i in x { y[i + 1] += x[i]; } }",
     "demote_atomics",
     {"plain add"},
     {"atomic"}},
    {DENSE "kernel k() { for i in x { y[i + 1] += x[i]; y[i] -= 1.0; } }",
     "demote_atomics",
     {"atomic add", "atomic sub"},
     {"plain"}},
    {DENSE "kernel k() { for i, j in 0..4, 0..4 { y[i] += 1.0; } }",
     "demote_atomics",
     {"atomic"},
     {"plain"}},
    {DENSE "kernel k() { for i in 0..4 { atomic_max(y[i], 1.0); y[i] = 2.0; } }",
     "demote_atomics",
     {"plain max"},
     {"atomic"}},
    {DENSE "kernel k() { for i in x { atomic_add(y[i], 1.0); y[0] = 1.0; } }",
     "demote_atomics",
     {"atomic add"},
     {"plain"}},
};

static void
print_after(Program *p, const char *pass, Text *out)
{
    text_init(out, p->c.arena);
    if (!strcmp(pass, "lower"))
        ir_print(p->ir, out);
    else
        passes_run(&p->c, p->ir, pass, out);
}

START_TEST(printed_as_expected)
{
    const Printed *t = &printed[_i];
    Program p;
    Text out;
    program_init(&p, t->program, 0);
    print_after(&p, t->pass, &out);
    const char *at = out.data;
    for (int k = 0; k < WANTS && t->wanted[k]; k++) {
        const char *found = strstr(at, t->wanted[k]);
        ck_assert_msg(found, "no \"%s\" after %s in\n%s", t->wanted[k], t->pass, out.data);
        at = found + strlen(t->wanted[k]);
    }
    for (int k = 0; k < 2 && t->refused[k]; k++)
        ck_assert_msg(!strstr(out.data, t->refused[k]), "\"%s\" after %s in\n%s", t->refused[k],
                      t->pass, out.data);
    compile_free(&p.c);
}
END_TEST

/* ---- the driver ---- */

START_TEST(passes_can_be_switched_off)
{
    Program p;
    Text out;
    program_init(&p, DENSE "kernel k() { for i in n { n[i] = n[i] * 1; } }", 0);
    if (_i == 0)
        p.c.options.optimize = 0;
    else
        vec_push(p.c.arena, &p.c.options.passes_off, "fold");
    print_after(&p, "fold", &out);
    ck_assert_ptr_nonnull(strstr(out.data, " * "));
    ck_assert_ptr_null(strstr(out.data, "cell S1dense[")); /* required passes run */
    compile_free(&p.c);
}
END_TEST

START_TEST(names_of_passes)
{
    ck_assert_str_eq(pass_find("fold"), "fold");
    ck_assert_str_eq(pass_find("lower_access"), "lower_access");
    ck_assert_str_eq(pass_find("lower-access"), "lower_access");
    ck_assert_str_eq(pass_find("access"), "lower_access"); /* before 0.2 */
    ck_assert_ptr_null(pass_find("unfold"));
    ck_assert_ptr_null(pass_find("lower-access-"));
    ck_assert_ptr_null(pass_find(""));
}
END_TEST

static double
counter(Program *p, const char *name)
{
    double *v = map_get(&p->c.stats, intern_str(p->c.intern, name));
    return v ? *v : 0;
}

START_TEST(statistics)
{
    Program p;
    Text out;
    program_init(&p, SPARSE "kernel k() { for i in x { x[i] += 1.0; } }\n"
                            "kernel l() { for i in 0..3 { x[i] += 1.0; x[0] = 1.0; } }", 0);
    text_init(&out, p.c.arena);
    passes_run(&p.c, p.ir, NULL, &out);
    ck_assert_ptr_null(out.data);
    ck_assert_double_eq(counter(&p, "codegen_kernels"), 2);
    ck_assert_double_eq(counter(&p, "codegen_offloaded_tasks"), 4);
    ck_assert_double_eq(counter(&p, "codegen_listgen"), 1);
    ck_assert_double_eq(counter(&p, "codegen_struct_for"), 1);
    ck_assert_double_eq(counter(&p, "codegen_range_for"), 1);
    ck_assert_double_eq(counter(&p, "codegen_plain_atomics"), 1);
    ck_assert_double_eq(counter(&p, "codegen_atomics"), 1);
    ck_assert_double_gt(counter(&p, "codegen_instructions"), 10);
    compile_free(&p.c);
}
END_TEST

/* ---- indices ---- */

START_TEST(indices_of_a_loop)
{
    static const struct {
        const char *index;
        bool known;
        int64_t min, max;
    } table[] = {{"i", true, 0, 0},        {"i + 3", true, 3, 3},  {"7 + i - 2", true, 5, 5},
                 {"i - d", true, -2, 1},   {"plus", true, 1, 1},   {"V.y", true, 4, 4},
                 {"2 * i", false, 0, 0},   {"3 - i", false, 0, 0}, {"changed", false, 0, 0},
                 {"i + i", false, 0, 0},   {"n[i]", false, 0, 0},  {"i + i32(i64(1))", true, 1, 1}};
    static const char text[] = DENSE
        "kernel k() { for i in 0..16 { let plus = i + 1; let V = i32x2(i, i + 4);\n"
        "var changed = i; changed += 1;\n"
        "for d in -1..3 { x[%s] = f32(changed + V.x + plus); } } }";
    Program p;
    char program[1024];
    snprintf(program, sizeof program, text, table[_i].index);
    program_init(&p, program, 0);
    IrFunc *f = nth(&p, 0);
    const Task *t = f->tasks.items[0];
    Inst *cell = NULL;
    const Block *body = find(f, INST_FOR)->blocks[0];
    for (int k = 0; k < body->insts.count; k++)
        if (body->insts.items[k]->kind == INST_CELL)
            cell = body->insts.items[k]; /* the last one: what is stored to */
    ck_assert_ptr_nonnull(cell);
    Affine at = affine_of(affine_new(&p.c, f), t, cell->args.items[0]);
    ck_assert_int_eq(at.known && at.var == t->vars.items[0], table[_i].known);
    if (table[_i].known) {
        ck_assert_int_eq(at.min, table[_i].min);
        ck_assert_int_eq(at.max, table[_i].max);
    }
    compile_free(&p.c);
}
END_TEST

/* The work of one iteration of the first loop of a program. */
static int64_t
work_of(const char *text)
{
    Program p;
    program_init(&p, text, 0);
    const Tasks *tasks = &nth(&p, p.ir->funcs.count - 1)->tasks;
    ck_assert_int_eq(tasks->items[0]->kind, TASK_RANGE_FOR);
    int64_t work = cost_of_block(p.ir, tasks->items[0]->body);
    compile_free(&p.c);
    return work;
}

START_TEST(work_of_loops)
{
    const int64_t once = work_of(DENSE "kernel k() { for i in 0..9 { x[i] += 1.0; } }");
    ck_assert_int_gt(once, 0);
    ck_assert_int_lt(once, 20);
    const int64_t often = work_of(
        DENSE "kernel k() { for i in 0..9 { for j, l in 0..10, 5..-5 step -2 { x[i] += 1.0; } } }");
    ck_assert_int_ge(often, 50 * once);
    ck_assert_int_lt(often, 100 * once);
    ck_assert_int_lt(
        work_of(DENSE "kernel k() { for i in 0..9 { for j in 5..5 { x[i] += 1.0; } } }"),
        once + 10);
    /* what is not known is long, also in functions; and the work of endless calls has an end */
    ck_assert_int_gt(
        work_of(DENSE "kernel k(i32 n) { for i in 0..9 { for j in 0..n { x[i] += 1.0; } } }"),
        CHUNK_WORK);
    ck_assert_int_gt(
        work_of(DENSE "kernel k(f32 e) { for i in 0..9 { while (x[i] < e) { x[i] += 1.0; } } }"),
        CHUNK_WORK);
    static const char call[] =
        DENSE "func f32 g(f32 a) { f32 s = a; for j in 0..1000 { s = s * s + a; } return s; } "
              "kernel k() { for i in 0..9 { x[i] = g(1.0); } }";
    ck_assert_int_gt(work_of(call), 3000);
    static const char endless[] = DENSE "func i32 h(i32 a) { return a < 2 ? a : h(a - 1) + h(a - "
                                        "2); } kernel k() { for i in 0..9 { x[i] = f32(h(i)); } }";
    ck_assert_int_gt(work_of(endless), 100);
    ck_assert_int_le(work_of(DENSE "kernel k() { for i in 0..9 { for j in 0..2000000000 { for l in "
                                   "0..2000000000 { x[i] += 1.0; } } } }"),
                     WORK_ENOUGH);
}
END_TEST

/* Does a program change what cells of the mask `a` hold, which has the fields one and two? */
static bool
writes_cells(const char *text)
{
    static const char start[] =
        "field f32 one, two, three;\n"
        "layout A { a: bitmasked ij[16, 16] { place one, two; } }\n"
        "layout B { b: bitmasked ij[16, 16] { place three; } }\n"
        "layout C { bitmasked ij[16, 16] { place four, five; } }\n"
        "field f32 four, five;\n";
    Program p;
    char all[1024];
    snprintf(all, sizeof all, "%s%s", start, text);
    program_init(&p, all, 0);
    const bool writes = cell_use_writes(p.ir, p.ir->prog->layouts.items[0]->tops.items[0]);
    compile_free(&p.c);
    return writes;
}

START_TEST(cells_that_are_written)
{
    ck_assert(!writes_cells("kernel k() { for i, j in a { deactivate(a[i, j]); } for i, j in 0..9, "
                            "0..9 { activate(a[i, j]); } }"));
    ck_assert(!writes_cells("kernel k() { for i, j in one { three[i, j] = is_active(a[j, i]) ? 1.0 "
                            ": 2.0; } } main { save(\"a.snlt\", A); }"));
    ck_assert(!writes_cells("main { deactivate_all(a); fill(three, 1.0); load(\"three.npy\", "
                            "three); print(\"{}\", active(a)); }"));
    ck_assert(writes_cells("kernel k() { for i, j in a { two[i, j] = 1.0; } }"));
    ck_assert(writes_cells(
        "func set(field f32[,] f) { f[1, 1] = 1.0; } kernel k() { for i in 0..1 { set(one); } }"));
    ck_assert(writes_cells("main { one[3, 3] = 1.0; }"));
    ck_assert(writes_cells("main { fill(one, 1.0); }"));
    ck_assert(writes_cells("main { copy(two, three); }"));
    ck_assert(writes_cells("main { swap(C, A); }"));
    ck_assert(writes_cells("main { swap(A, C); }"));
    ck_assert(writes_cells("main { load(\"one.npy\", one); }"));
    ck_assert(writes_cells("main { load(\"all.snlt\", A); }"));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("ir");
    TCase *group = tcase_create("all");
    tcase_add_loop_test(group, broken_ir_is_refused, 0, 24);
    tcase_add_loop_test(group, printed_as_expected, 0, (int)(sizeof printed / sizeof *printed));
    tcase_add_loop_test(group, passes_can_be_switched_off, 0, 2);
    tcase_add_test(group, names_of_passes);
    tcase_add_test(group, statistics);
    tcase_add_loop_test(group, indices_of_a_loop, 0, 12);
    tcase_add_test(group, work_of_loops);
    tcase_add_test(group, cells_that_are_written);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
