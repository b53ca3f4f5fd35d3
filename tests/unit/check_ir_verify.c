/* check_ir_verify.c - the verifier of the IR, at every instruction of a program with nearly all
 * kinds: each is broken in many ways, most of which must be refused, and none may end the
 * process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/inst_info.h"
#include "ir/ir.h"
#include "pass/pass.h"
#include "suite.h"

static const char program[] =
    "param i32 size = 4;\n"
    "struct P { f32 a; i32x2 b; }\n"
    "field f32 x[8, 8]; field i32 n[8]; field f32x3 v[8]; field P p[8]; field f32 y, q, h, m0, a0, "
    "b0;\n"
    "layout A { dense i[8] { place a0; } }\n"
    "layout B { dense i[8] { place b0; } }\n"
    "layout { l: pointer i[8] { m: bitmasked i[4] { place y; } } }\n"
    "layout { dense i[4] { d: dynamic j[64] { place q; } } }\n"
    "layout { t: hash i[4096] { dense i[4] { place h; } } }\n"
    "@manual layout M { dense i[8] { place m0; } }\n"
    "func f32 f(inout f32 a, i32 n) { if (n < 1) { return a; } a = a + 1.0; return f(a, n - 1) * "
    "2.0; }\n"
    "kernel f32 k(f32[] e, i32 c) {\n"
    "    f32 s = 0; i32 most = 0;\n"
    "    for i in 0..c { s += e[i] * x[i, i]; atomic_max(most, i); }\n"
    "    for i in y { y[i] = fma(y[i - 1], 2.0, 1.0); if (y[i] > 3.0 && i > 2) { deactivate(m[i]); "
    "} }\n"
    "    for i in 0..4 { append(d[i], 1.5); for j in 0..length(d[i]) { q[i, j] += s; } }\n"
    "    for i in n { let old = atomic_cas(n[i], 1, 2); n[i] += old / (i + 1) + (old << i); "
    "h[n[i]] += 1.0; }\n"
    "    for i in p { p[i] = P(f32(i), i32x2(i, n[i])); p[i].b.y = i32(p[i].a); v[i] = f32x3(1, 2, "
    "i); }\n"
    "    if (c > 1) { for i in v { var w = v[i]; w[i % 3] = w.y > 1.0 ? dot(w, v[0]) : 0.5; v[i] = "
    "-w; } }\n"
    "    for i in 0..4 {\n"
    "        f32 w[3] = { 1, 2, 3 };\n"
    "        var a = 0.5;\n"
    "        while (a < 9.0) { a += w[i % 3]; if (a > 8.0) { break; } continue; }\n"
    "        f32 r = f(a, 3);\n"
    "        assert(r > 0.0, \"{} of {}\", r, f32(i));\n"
    "        print(\"{}\", bitcast_u32(r));\n"
    "        x[i, 0] = is_active(l[i]) ? r : random();\n"
    "    }\n"
    "    @serial for i in y { activate(t[i]); h[i] = f32(extent(e, 0)); }\n"
    "    deactivate_all(t);\n"
    "    return s + f32(most + size);\n"
    "}\n"
    "host i32 run() {\n"
    "    f32 e[8];\n"
    "    create M; fill(x, 1.0); copy(a0, b0); let s = k(e, 2); destroy M; trim A; swap(A, B);\n"
    "    save(\"x.npy\", x); load(format(\"{}.npy\", 1), x); image(\"x.png\", x, 0, 1);\n"
    "    print(\"{} {}\", s, memory(A) + i64(active(m)) + address(n[1]));\n"
    "    for i in progress(0..3) { n[i] = i; }\n"
    "    return length(d[1]);\n"
    "}\n";

typedef struct {
    Compile *c;
    IrFunc *f;
    Block *some;          /* a block of another instruction */
    const Type *other;    /* a type that nothing of the program has */
    int tried, refused;
} Breaker;

/* Verifies the function with an instruction as it is now; where that is sure, it has to be
 * refused. */
static void
verify(Breaker *b, const Inst *i, bool sure, const char *how)
{
    const char *error = ir_verify(b->c, b->f);
    b->tried++;
    b->refused += error != NULL;
    ck_assert_msg(error || !sure, "%s: nothing is wrong with '%s' of %s", how,
                  inst_info(i->kind)->text, b->f->func->name);
}

static bool
is_one_of(InstKind k, const InstKind *kinds, int count)
{
    for (int i = 0; i < count; i++)
        if (kinds[i] == k)
            return true;
    return false;
}
#define IS(k, ...)                                  \
    is_one_of((k), (const InstKind[]){__VA_ARGS__}, \
              (int)(sizeof((const InstKind[]){__VA_ARGS__}) / sizeof(InstKind)))

static void
break_operands(Breaker *b, Inst *i)
{
    for (int k = 0; k < i->args.count; k++) {
        Inst *old = i->args.items[k];
        const Type *type = old->type;
        i->args.items[k] = NULL;
        verify(b, i, true, "no operand");
        i->args.items[k] = i;
        verify(b, i, true, "the instruction as its own operand");
        i->args.items[k] = old;
        old->type = b->other;
        verify(b, i, false, "an operand of another type");
        old->type = type;
    }
    if (!i->args.count)
        return;
    i->args.count--;
    verify(b, i, inst_info(i->kind)->operands > 0 || i->kind == INST_CALL, "an operand less");
    i->args.count++;
}

static void
break_type(Breaker *b, Inst *i)
{
    const Type *type = i->type;
    i->type = NULL;
    verify(b, i, inst_info(i->kind)->result == 'V', "no type");
    i->type = b->other;
    verify(b, i, false, "another type");
    i->type = type;
}

static void
break_blocks(Breaker *b, Inst *i)
{
    for (int k = 0; k < 2; k++) {
        Block *old = i->blocks[k];
        bool needs = old && !IS(i->kind, INST_ASSERT) && !(i->kind == INST_IF && k == 1);
        i->blocks[k] = NULL;
        verify(b, i, needs, "no block");
        i->blocks[k] = b->some;
        verify(b, i, !old && !IS(i->kind, INST_ASSERT, INST_IF), "a block too many");
        i->blocks[k] = old;
    }
}

/* What instructions name: each in turn is missing. */
static void
break_names(Breaker *b, Inst *i)
{
    Inst old = *i;
    i->layout = NULL;
    verify(b, i,
           IS(i->kind, INST_REQUIRE, INST_MEMORY, INST_CREATE, INST_DESTROY, INST_TRIM, INST_SWAP),
           "no layout");
    *i = old;
    i->layout2 = NULL;
    verify(b, i, i->kind == INST_SWAP, "no second layout");
    *i = old;
    i->field = NULL;
    verify(b, i, IS(i->kind, INST_FILL, INST_COPY, INST_IN_CELL, INST_ROOT_PLACE), "no field");
    *i = old;
    i->field2 = NULL;
    verify(b, i, i->kind == INST_COPY, "no second field");
    *i = old;
    i->leaf = 99;
    verify(b, i, IS(i->kind, INST_IN_CELL, INST_ROOT_PLACE), "no such leaf");
    *i = old;
    i->leaf = -1;
    verify(b, i, IS(i->kind, INST_IN_CELL, INST_ROOT_PLACE), "no such leaf");
    *i = old;
    i->index = 99;
    verify(b, i, IS(i->kind, INST_GET, INST_MEMBER), "no such part");
    *i = old;
    i->index = -1;
    verify(b, i, IS(i->kind, INST_GET, INST_MEMBER), "no such part");
    *i = old;
    i->string = NULL;
    verify(b, i,
           IS(i->kind, INST_PRINT, INST_ASSERT, INST_FORMAT, INST_STRING, INST_CHECK_INDEX,
              INST_CHECK_RACE, INST_CHECK_INIT),
           "no text");
    *i = old;
    i->var = NULL;
    verify(b, i, i->kind == INST_VAR, "no variable");
    *i = old;
    i->param = NULL;
    verify(b, i, i->kind == INST_PARAM, "no param");
    *i = old;
    i->func = i->kind == INST_CALL ? NULL : i->func;
    i->args.count = i->func ? i->args.count : 0;
    verify(b, i, i->kind == INST_CALL, "no function");
    *i = old;
    if (!IS(i->kind, INST_LOOP_CELL))
        i->node = NULL;
    verify(b, i,
           IS(i->kind, INST_CELL, INST_LOOKUP, INST_CHILD, INST_ROOT, INST_ACTIVE,
              INST_DEACTIVATE_ALL, INST_FOR_CELLS, INST_ACTIVATE, INST_APPEND, INST_LENGTH,
              INST_IS_ACTIVE, INST_DEACTIVATE) &&
               old.node,
           "no node");
    *i = old;
    i->vars.count = 0;
    verify(b, i, IS(i->kind, INST_FOR, INST_FOR_CELLS), "no variables");
    *i = old;
    i->fields.count = 0;
    verify(b, i, IS(i->kind, INST_SAVE, INST_LOADFILE, INST_IMAGE) && !i->layout, "no fields");
    *i = old;
    i->atomic_op = i->atomic_op == ATOMIC_CAS ? ATOMIC_ADD : ATOMIC_CAS;
    verify(b, i, IS(i->kind, INST_ATOMIC, INST_REDUCE), "another operation");
    *i = old;
}

static void
break_inst(Inst *i, void *arg)
{
    Breaker *b = arg;
    break_operands(b, i);
    break_type(b, i);
    break_blocks(b, i);
    break_names(b, i);
}

/* Tasks: without what they need, and with what they must not have. */
static void
break_task(Breaker *b, Task *t)
{
    Task old = *t;
    bool listed = t->kind == TASK_CLEAR_LIST || t->kind == TASK_LISTGEN || t->kind == TASK_GC;
    t->node = NULL;
    const char *error = ir_verify(b->c, b->f);
    ck_assert(error || (!listed && t->kind != TASK_STRUCT_FOR));
    *t = old;
    t->body = t->body ? NULL : b->some;
    ck_assert_ptr_nonnull(ir_verify(b->c, b->f));
    *t = old;
    t->setup = NULL;
    error = ir_verify(b->c, b->f);
    ck_assert(error || (t->kind != TASK_RANGE_FOR && t->kind != TASK_IF));
    *t = old;
    t->vars.count = 0;
    error = ir_verify(b->c, b->f);
    ck_assert(error || (t->kind != TASK_RANGE_FOR && t->kind != TASK_STRUCT_FOR));
    *t = old;
    for (int k = 0; k < t->tasks.count; k++)
        break_task(b, t->tasks.items[k]);
    for (int k = 0; k < t->orelse.count; k++)
        break_task(b, t->orelse.items[k]);
}

static void
find_block(Inst *i, void *arg)
{
    Breaker *b = arg;
    for (int k = 0; k < 2 && !b->some; k++)
        b->some = i->kind == INST_WHILE || i->kind == INST_IF ? i->blocks[k] : NULL;
}

static void
in_block(Block *block, void *arg)
{
    block_walk(block, break_inst, arg);
}

static void
look_in_block(Block *block, void *arg)
{
    block_walk(block, find_block, arg);
}

/* As lowered, then after all passes; with and without the checks of --check. */
START_TEST(every_instruction)
{
    Compile c;
    Text out;
    FILE *f = fopen("verified.snl", "w");
    ck_assert_ptr_nonnull(f);
    fputs(program, f);
    fclose(f);
    compile_init(&c);
    c.options.check = _i & 1 ? CHECK_BOUNDS | CHECK_OVERFLOW | CHECK_RACE : 0;
    Prog *prog = check_program(&c, "verified.snl");
    if (diag_error_count(&c))
        diag_print_all(&c, stderr, DIAGS_TEXT, false, NULL);
    ck_assert_int_eq(diag_error_count(&c), 0);
    Ir *ir = ir_lower(&c, prog);
    if (_i & 2) {
        text_init(&out, c.arena);
        passes_run(&c, ir, NULL, &out);
    }
    Breaker b = {.c = &c, .other = type_shape(prog->types, SCALAR_BOOL, 7, 5)};
    for (int n = 0; n < ir->funcs.count; n++)
        ir_walk_blocks(ir->funcs.items[n], look_in_block, &b);
    ck_assert_ptr_nonnull(b.some);
    for (int n = 0; n < ir->funcs.count; n++) {
        b.f = ir->funcs.items[n];
        ir_number(b.f);
        ck_assert_ptr_null(ir_verify(&c, b.f));
        ir_walk_blocks(b.f, in_block, &b);
        for (int t = 0; t < b.f->tasks.count; t++)
            break_task(&b, b.f->tasks.items[t]);
        ck_assert_ptr_null(ir_verify(&c, b.f));
    }
    ck_assert_int_gt(b.tried, 5000);
    ck_assert_int_gt(b.refused, b.tried / 8);
    compile_free(&c);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("ir_verify");
    TCase *group = tcase_create("all");
    tcase_add_loop_test(group, every_instruction, 0, 4);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
