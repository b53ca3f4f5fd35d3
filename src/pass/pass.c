/* The pipeline: passes.def from top to bottom, each pass over all functions; then the statistics of what is left. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO, YES };

typedef struct {
    const char *name;
    void (*run)(Compile *c, Ir *ir, IrFunc *f);
    bool required;
} Pass;

static const Pass passes[] = {
#define PASS(name, text, function, required, what) {text, function, required},
#include "pass/passes.def"
#undef PASS
};
enum { PASS_COUNT = sizeof passes / sizeof *passes };

bool
pass_exists(const char *name)
{
    for (int i = 0; i < PASS_COUNT; i++)
        if (!strcmp(passes[i].name, name))
            return true;
    return false;
}

static bool
is_on(const Compile *c, const Pass *p)
{
    if (p->required)
        return true;
    for (int i = 0; i < c->options.passes_off.count; i++)
        if (!strcmp(c->options.passes_off.items[i], p->name))
            return false;
    return c->options.optimize > 0;
}

/* ---- verification ---- */

/* Programs of more statements are verified at the end only, not after each pass. */
enum { STATEMENTS_SMALL = 20000 };

static bool
is_small(Compile *c)
{
    const double *statements = map_get(&c->stats, intern_str(c->intern, "codegen_statements"));
    return !statements || *statements <= STATEMENTS_SMALL;
}

#ifndef NDEBUG
/* A broken IR is a mistake in snlc: nothing that follows could be trusted. */
static void
verify_all(Compile *c, Ir *ir, const char *stage)
{
    for (int i = 0; i < ir->funcs.count; i++) {
        if (!ir_verify(c, ir->funcs.items[i]))
            continue;
        ir_number(ir->funcs.items[i]);
        const char *error = ir_verify(c, ir->funcs.items[i]);
        Text dump;
        text_init(&dump, c->arena);
        ir_print_func(ir, ir->funcs.items[i], &dump);
        fprintf(stderr, "%s\nsnlc: internal error: broken IR after %s: %s\n"
                        "snlc: please report this with the program that shows it\n",
                dump.data, stage, error);
        exit(70);
    }
}
#else
static void
verify_all(Compile *c, Ir *ir, const char *stage)
{
    (void)c, (void)ir, (void)stage;
}
#endif

/* ---- statistics ---- */

typedef struct {
    int all, plain, by_kind[INST_COUNT];
} Counts;

static void
count_inst(Inst *i, void *arg)
{
    Counts *counts = arg;
    counts->all++;
    counts->by_kind[i->kind]++;
    counts->plain += i->kind == INST_ATOMIC && i->plain;
}

static void
count_block(Block *b, void *arg)
{
    block_walk(b, count_inst, arg);
}

static void
count_tasks(Compile *c, const Tasks *tasks)
{
    static const char *const names[] = {
#define TASK(name, text) "codegen_" text,
#include "ir/tasks.def"
#undef TASK
    };
    for (int i = 0; i < tasks->count; i++) {
        const Task *t = tasks->items[i];
        stat_add(c, names[t->kind], 1);
        if (t->kind != TASK_IF)
            stat_add(c, "codegen_offloaded_tasks", 1);
        count_tasks(c, &t->tasks);
        count_tasks(c, &t->orelse);
    }
}

static void
count_all(Compile *c, Ir *ir)
{
    Counts n = {0};
    for (int i = 0; i < ir->funcs.count; i++) {
        IrFunc *f = ir->funcs.items[i];
        stat_add(c, f->func->kind == FUNC_KERNEL ? "codegen_kernels" : "codegen_functions", 1);
        count_tasks(c, &f->tasks);
        ir_walk_blocks(f, count_block, &n);
    }
    stat_add(c, "codegen_instructions", n.all);
    stat_add(c, "codegen_loads", n.by_kind[INST_LOAD]);
    stat_add(c, "codegen_stores", n.by_kind[INST_STORE]);
    stat_add(c, "codegen_lookups", n.by_kind[INST_LOOKUP] + n.by_kind[INST_LOOKUP_HASH]);
    stat_add(c, "codegen_atomics", n.by_kind[INST_ATOMIC] - n.plain);
    stat_add(c, "codegen_plain_atomics", n.plain);
}

/* ---- the loop ---- */

void
passes_run(Compile *c, Ir *ir, const char *print_after, Text *out)
{
    bool all = print_after && !strcmp(print_after, "all");
    bool small = is_small(c);
    if (small)
        verify_all(c, ir, "lowering");
    for (int p = 0; p < PASS_COUNT; p++) {
        if (is_on(c, &passes[p])) {
            for (int i = 0; i < ir->funcs.count; i++)
                passes[p].run(c, ir, ir->funcs.items[i]);
            if (small)
                verify_all(c, ir, passes[p].name);
        }
        if (!all && !(print_after && !strcmp(print_after, passes[p].name)))
            continue;
        if (all)
            text_line(out, "%s// after %s", p ? "\n" : "", passes[p].name);
        ir_print(ir, out);
    }
    if (!small)
        verify_all(c, ir, "the passes");
    for (int i = 0; i < ir->funcs.count; i++)
        ir_number(ir->funcs.items[i]);
    count_all(c, ir);
}
