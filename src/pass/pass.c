/* The pipeline: passes.def from top to bottom; then the statistics of what is left. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO, YES, LOOPS = NO, CODE = YES };
typedef enum { ALL, CPU, GPU } Side;

typedef struct {
    const char *name;
    void (*run)(Compile *c, Ir *ir, IrFunc *f);
    bool required;
    Side side;
    bool reads, changes_code;
} Pass;

static const Pass passes[] = {
#define PASS(name, required, side, reads, changes, what) \
    {#name, pass_##name, required, side, reads, changes},
#include "pass/passes.def"
#undef PASS
};
enum { PASS_COUNT = sizeof passes / sizeof *passes };

static const struct {
    const char *old, *name;
} aliases[] = {
#define ALIAS(old, name) {#old, #name},
#include "pass/aliases.def"
#undef ALIAS
};

/* Are two names the same, where `given` may have hyphens in place of underscores? */
static bool
name_is(const char *name, const char *given)
{
    for (; *name && (*name == *given || (*name == '_' && *given == '-')); name++)
        given++;
    return *name == *given;
}

const char *
pass_find(const char *name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (!strcmp(aliases[i].old, name))
            name = aliases[i].name;
    for (int i = 0; i < PASS_COUNT; i++)
        if (name_is(passes[i].name, name))
            return passes[i].name;
    return NULL;
}

void
pass_names_try(Nearest *n)
{
    for (int i = 0; i < PASS_COUNT; i++)
        nearest_try(n, passes[i].name);
}

static bool
is_on(const Compile *c, const Pass *p)
{
    if (p->side != ALL && (p->side == GPU) != c->options.gpu)
        return false;
    if (p->required)
        return true;
    for (int i = 0; i < c->options.passes_off.count; i++)
        if (!strcmp(c->options.passes_off.items[i], p->name))
            return false;
    return c->options.optimize > 0;
}

/* ---- verification ---- */

/* Programs of more statements are not verified: what could break them breaks small ones, which the
 * tests are made of. */
enum { STATEMENTS_SMALL = 4000 };

static bool
is_small(Compile *c)
{
    const double *statements = map_get(&c->stats, intern_str(c->intern, "codegen_statements"));
    return !statements || *statements <= STATEMENTS_SMALL;
}

#ifndef NDEBUG
/* A broken IR is a mistake in snlc: nothing that follows could be trusted. What ends the process
 * has the error and the function. */
static void
verify(Compile *c, Ir *ir, IrFunc *f, const char *stage)
{
    if (!ir_verify(c, f))
        return;
    ir_number(f);
    const char *error = ir_verify(c, f);
    Text dump;
    text_init(&dump, c->arena);
    ir_print_func(ir, f, &dump);
    c->stage.error = arena_printf(c->arena, "broken IR after %s: %s", stage, error);
    c->stage.dump = dump.data;
    abort();
}
#else
static void
verify(Compile *c, Ir *ir, IrFunc *f, const char *stage)
{
    (void)c, (void)ir, (void)f, (void)stage;
}
#endif

/* ---- statistics ---- */

typedef struct {
    int kernels, functions, tasks[TASK_COUNT];
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
count_task(Task *t, void *arg)
{
    ((Counts *)arg)->tasks[t->kind]++;
}

static void
count_func(IrFunc *f, Counts *n)
{
    (*(f->func->kind == FUNC_KERNEL ? &n->kernels : &n->functions))++;
    tasks_walk(&f->tasks, count_task, n);
    ir_walk_blocks(f, count_block, n);
}

static void
add_counts(Compile *c, const Counts *n)
{
    static const char *const names[] = {
#define TASK(name, text) "codegen_" text,
#include "ir/tasks.def"
#undef TASK
    };
    int offloaded = 0;
    for (int k = 0; k < TASK_COUNT; k++)
        offloaded += k == TASK_IF ? 0 : n->tasks[k];
    stat_add(c, "codegen_kernels", n->kernels);
    stat_add(c, "codegen_functions", n->functions);
    stat_add(c, "codegen_offloaded_tasks", offloaded);
    for (int k = 0; k < TASK_COUNT; k++)
        if (n->tasks[k])
            stat_add(c, names[k], n->tasks[k]);
    stat_add(c, "codegen_instructions", n->all);
    stat_add(c, "codegen_loads", n->by_kind[INST_LOAD]);
    stat_add(c, "codegen_stores", n->by_kind[INST_STORE]);
    stat_add(c, "codegen_lookups", n->by_kind[INST_LOOKUP] + n->by_kind[INST_LOOKUP_HASH]);
    stat_add(c, "codegen_atomics", n->by_kind[INST_ATOMIC] - n->plain);
    stat_add(c, "codegen_plain_atomics", n->plain);
}

/* ---- the loop ---- */

typedef struct {
    Compile *c;
    Ir *ir;
    bool small;
    Counts counts;
} Run;

/* The end of the passes from `first` on that can follow each other function by function. */
static int
end_of_group(int first)
{
    bool reads = false, changes = false;
    int end = first;
    for (; end < PASS_COUNT; end++) {
        reads |= passes[end].reads;
        changes |= passes[end].changes_code;
        if (reads && changes && end > first)
            break;
    }
    return end;
}

/* Passes from `first` to before `end` on one function, and what follows the last. */
static void
run_passes(Run *r, IrFunc *f, int first, int end)
{
    for (int p = first; p < end; p++) {
        if (!is_on(r->c, &passes[p]))
            continue;
        r->c->stage = (Stage){passes[p].name, true, !passes[p].required, NULL, NULL};
        passes[p].run(r->c, r->ir, f);
        arena_reset(r->c->scratch);
        if (r->small)
            verify(r->c, r->ir, f, passes[p].name);
    }
    r->c->stage = (Stage){0};
    if (end < PASS_COUNT)
        return;
    ir_number(f);
    ir_note_calls(r->c, f);
    count_func(f, &r->counts);
}

void
passes_run(Compile *c, Ir *ir, const char *print_after, Text *out)
{
    bool all = print_after && !strcmp(print_after, "all");
    Run r = {.c = c, .ir = ir, .small = is_small(c)};
    for (int i = 0; i < ir->funcs.count && r.small; i++)
        verify(c, ir, ir->funcs.items[i], "lowering");
    for (int p = 0, end; p < PASS_COUNT; p = end) {
        end = print_after ? p + 1 : end_of_group(p);
        for (int i = 0; i < ir->funcs.count; i++)
            run_passes(&r, ir->funcs.items[i], p, end);
        if (!all && !(print_after && !strcmp(print_after, passes[p].name)))
            continue;
        if (all)
            text_line(out, "%s// after %s", p ? "\n" : "", passes[p].name);
        ir_print(ir, out);
    }
    ir_count_stack(c, ir); /* functions have become parts of others */
    add_counts(c, &r.counts);
}
