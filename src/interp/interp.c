/* Entries of the interpreter: main with its command line, and one test. */
#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "interp/inside.h"
#include "snl_main.h"

/* Recursion in programs is recursion of the evaluator: it gets a C stack of its own, of which memory is used only as needed. */
enum {
    STACK_LEAVES = 1 << 24,
    THREAD_STACK = 512 << 20,
    THREAD_STACK_USED = 448 << 20, /* the rest is for what a call cannot see: deep expressions and blocks */
    OWN_STACK_USED = 4 << 20       /* of the process, where there is no thread */
};

void
interp_fail(Interp *in, Span at, const char *fmt, ...)
{
    char text[1536];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(in->error, sizeof in->error, "%s:%d: %s", span_path(&in->c->sources, at), span_line(&in->c->sources, at), text);
    longjmp(in->on_error, 1);
}

static Interp *
interp_start(Compile *c, Prog *p)
{
    Interp *in = calloc(1, sizeof *in);
    if (in)
        in->stack = malloc(sizeof(Leaf) * STACK_LEAVES);
    if (!in || !in->stack) {
        fputs("snlc: out of memory\n", stderr);
        exit(71);
    }
    in->c = c;
    in->p = p;
    in->stack_room = STACK_LEAVES;
    in->params = ARENA_ARRAY(c->arena, Leaf *, p->params.count);
    for (int i = 0; i < p->params.count; i++)
        in->params[i] = p->params.items[i]->value.leaves;
    return in;
}

static void
interp_end(Interp *in)
{
    if (in->trees)
        tree_end(in);
    free(in->stack);
    free(in);
}

void
interp_check_stack(Interp *in, const Func *func, Span at)
{
    char here;
    size_t used = in->c_stack > &here ? (size_t)(in->c_stack - &here) : (size_t)(&here - in->c_stack);
    if (used > in->c_stack_bytes)
        interp_fail(in, at, "the stack is full: recursion in '%s' is too deep", func->name);
}

typedef struct {
    Interp *in;
    const Func *func;
    bool fine;
} Run;

static void *
run_on_stack(void *data)
{
    Run *r = data;
    char here;
    r->in->c_stack = &here;
    if (setjmp(r->in->on_error))
        return NULL;
    tree_start(r->in);
    interp_run(r->in, r->func);
    r->fine = true;
    return NULL;
}

/* Makes the trees and runs a block; false with in->error set after a run-time error. */
static bool
run_block(Interp *in, const Func *f)
{
    Run r = {.in = in, .func = f};
    pthread_attr_t attr;
    pthread_t thread;
    snl_random_init(&in->host_random, in->seed, 0, UINT64_MAX);
    in->c_stack_bytes = THREAD_STACK_USED;
    bool with_attr = !pthread_attr_init(&attr);
    if (with_attr && !pthread_attr_setstacksize(&attr, THREAD_STACK) &&
        !pthread_create(&thread, &attr, run_on_stack, &r))
        pthread_join(thread, NULL);
    else {
        in->c_stack_bytes = OWN_STACK_USED;
        run_on_stack(&r);
    }
    if (with_attr)
        pthread_attr_destroy(&attr);
    return r.fine;
}

bool
interp_test(Compile *c, Prog *p, Func *test, const char **message)
{
    Interp *in = interp_start(c, p);
    bool fine = run_block(in, test);
    *message = NULL;
    if (!fine)
        *message = arena_strndup(c->arena, in->error, strlen(in->error));
    interp_end(in);
    if (!test->fails)
        return fine;
    if (fine)
        *message = arena_printf(c->arena, "expected a run-time error containing '%s', but there was none", test->fails);
    else if (!strstr(*message, test->fails))
        *message = arena_printf(c->arena, "expected a run-time error containing '%s', but it was: %s", test->fails, *message);
    else
        return true;
    return false;
}

/* Sets a param from --NAME=VALUE; NULL or what is wrong. */
static const char *
set_param(Interp *in, const Param *p, const char *text)
{
    SnlMainParam param = {.name = p->name, .tag = (int)p->type->scalar, .rows = p->type->rows, .cols = p->type->cols};
    char *memory = arena_alloc(in->c->arena, (size_t)p->type->bytes + 16);
    const char *wrong = snl_param_parse(&param, text, memory);
    Leaf *leaves = ARENA_ARRAY(in->c->arena, Leaf, p->type->leaf_count);
    for (int i = 0; i < p->type->leaf_count; i++)
        leaves[i] = leaf_load(p->type->scalar, memory + i * scalar_info(p->type->scalar)->bytes);
    in->params[p->id] = leaves;
    return wrong;
}

/* One word of the command line. 0, or SNL_EXIT_USAGE after a message. */
static int
take_option(Interp *in, const char *word)
{
    const char *eq = strchr(word, '='), *name = word + 2;
    size_t n = eq ? (size_t)(eq - name) : strlen(name);
    if (strncmp(word, "--", 2) || !n) {
        fprintf(stderr, "%s: unexpected argument '%s'\n", in->p->name, word);
        return SNL_EXIT_USAGE;
    }
    for (int i = 0; i < in->p->params.count; i++) {
        const Param *p = in->p->params.items[i];
        if (strlen(p->name) != n || strncmp(p->name, name, n))
            continue;
        const char *wrong = set_param(in, p, eq ? eq + 1 : "true");
        if (wrong)
            fprintf(stderr, "%s: --%s: %s\n", in->p->name, p->name, wrong);
        return wrong ? SNL_EXIT_USAGE : 0;
    }
    if (eq && !strncmp(name, "seed", n)) {
        in->seed = strtoull(eq + 1, NULL, 0);
        return 0;
    }
    static const char *const ignored[] = {"threads", "memory-limit", "progress", "stats", "trace"};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (strlen(ignored[i]) == n && !strncmp(ignored[i], name, n))
            return 0;
    fprintf(stderr, "%s: unknown option '%s'\n", in->p->name, word);
    return SNL_EXIT_USAGE;
}

int
interp_main(Compile *c, Prog *p, int argc, char **argv)
{
    Interp *in = interp_start(c, p);
    int status = 0;
    for (int i = 1; i < argc && !status; i++)
        status = take_option(in, argv[i]);
    if (!status && !run_block(in, p->main)) {
        fflush(stdout);
        fprintf(stderr, "%s\n", in->error);
        status = SNL_EXIT_ERROR;
    }
    interp_end(in);
    return status;
}
