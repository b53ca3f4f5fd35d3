/* Entries of the interpreter: main with its command line, and one test. */
#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/comment.h"
#include "interp/inside.h"
#include "program/snl_main.h"

/* Recursion in programs is recursion of the evaluator: it gets a C stack of its own, of which
 * memory is used only as needed. */
enum {
    STACK_LEAVES = 1 << 24,
    THREAD_STACK = 512 << 20,
    THREAD_STACK_USED = 448 << 20, /* the rest is for what a call cannot see: deep expressions and
                                    * blocks */
    OWN_STACK_USED = 4 << 20       /* of the process, where there is no thread */
};

static Interp *
interp_start(Compile *c, Prog *p)
{
    Interp *in = interp_memory(1, sizeof *in);
    in->stack = malloc(sizeof(Leaf) * STACK_LEAVES); /* most of it is never touched */
    if (!in->stack)
        arena_out_of_memory();
    in->c = c;
    in->p = p;
    in->stack_room = STACK_LEAVES;
    snl_instance_init(&in->memory, NULL, 1, 0, 0);
    snl_instance_init(&in->ledgers, NULL, 1, 0, 0);
    in->params = ARENA_ARRAY(c->arena, Leaf *, p->params.count);
    in->texts = ARENA_ARRAY(c->arena, const char *, p->params.count);
    for (int i = 0; i < p->params.count; i++) {
        in->params[i] = p->params.items[i]->value.leaves;
        in->texts[i] = p->params.items[i]->text;
    }
    return in;
}

static void
interp_end(Interp *in)
{
    snl_instance_free(&in->memory);
    tape_free(in);
    if (in->trees)
        tree_end(in);
    snl_instance_free(&in->ledgers);
    free(in->stack);
    free(in);
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
    tree_create_all(r->in);
    call_run(r->in, r->func);
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
    uint64_t limit = 0;
    const char *wrong = snl_main_memory_limit(&limit);
    if (wrong) {
        *message = arena_printf(c->arena, "bad value '%s' of SNL_MEMORY_LIMIT", wrong);
        return false;
    }
    Interp *in = interp_start(c, p);
    in->ledgers.memory_limit = limit;
    bool fine = run_block(in, test);
    *message = NULL;
    if (!fine)
        *message = arena_strndup(c->arena, in->error, strlen(in->error));
    interp_end(in);
    if (!test->fails)
        return fine;
    if (fine)
        *message = arena_printf(
            c->arena, "expected a run-time error containing \"%s\", but the test ended well",
            test->fails);
    else if (!strstr(*message, test->fails))
        *message = arena_printf(c->arena, "expected a run-time error containing \"%s\", got: %s",
                                test->fails, *message);
    else
        return true;
    return false;
}

/* ---- the command line ---- */

/* The block of params: the interpreter, then the values as an executable keeps them. */
typedef struct {
    Interp *in;
    char values[];
} Params;

/* Says where in the block each param lies; gives the bytes of the block. */
static size_t
place_params(const Prog *p, SnlMainParam *list)
{
    size_t at = sizeof(Params);
    for (int i = 0; i < p->params.count; i++) {
        const Param *param = p->params.items[i];
        const Type *t = param->type;
        size_t bytes = param->text ? sizeof param->text : (size_t)t->bytes;
        list[i] =
            (SnlMainParam){.name = param->name, .rows = t->rows, .cols = t->cols, .offset = at};
        list[i].tag = param->text ? SNL_STRING : (int)t->scalar;
        list[i].default_text = param_default_text(p, param);
        list[i].words = param_words_text(p, param);
        list[i].doc = comment_of(p->c->arena, &p->c->sources, param->span);
        at += (bytes + 7) / 8 * 8;
    }
    return at;
}

/* The block with the defaults. */
static Params *
default_params(Interp *in, const SnlMainParam *list, size_t bytes)
{
    Params *block = arena_alloc(in->c->arena, bytes);
    block->in = in;
    for (int i = 0; i < in->p->params.count; i++) {
        const Param *p = in->p->params.items[i];
        char *place = (char *)block + list[i].offset;
        if (p->text)
            memcpy(place, &p->text, sizeof p->text);
        for (int k = 0; k < p->type->leaf_count; k++)
            leaf_store(p->type->scalar, place + k * scalar_info(p->type->scalar)->bytes,
                       p->value.leaves[k]);
    }
    return block;
}

/* Takes the values from the block. */
static int
take_params(const void *params, const SnlMainOptions *options, void **program)
{
    Interp *in = ((const Params *)params)->in;
    int count = in->p->params.count;
    SnlMainParam *list = ARENA_ARRAY(in->c->arena, SnlMainParam, count);
    place_params(in->p, list);
    for (int i = 0; i < count; i++) {
        const Type *t = in->p->params.items[i]->type;
        const char *place = (const char *)params + list[i].offset;
        in->params[i] = ARENA_ARRAY(in->c->arena, Leaf, t->leaf_count);
        for (int k = 0; k < t->leaf_count; k++)
            in->params[i][k] = leaf_load(t->scalar, place + k * scalar_info(t->scalar)->bytes);
        if (list[i].tag == SNL_STRING)
            memcpy(&in->texts[i], place, sizeof in->texts[i]);
    }
    in->seed = options->seed;
    in->ledgers.memory_limit = options->memory_limit;
    if (options->stats || options->trace)
        snl_stats_begin(&in->memory, options->trace);
    *program = in;
    return 0;
}

static int
run_main(void *program)
{
    Interp *in = program;
    return run_block(in, in->p->main) ? 0 : 1;
}

static const char *
last_error(const void *program)
{
    return ((const Interp *)program)->error;
}

/* Trees have no memory here that would say anything of executables. */
static void
write_stats(void *program, FILE *out)
{
    snl_stats_write(&((Interp *)program)->memory, NULL, NULL, 0, out);
}

static void
write_trace(void *program, FILE *out)
{
    Interp *in = program;
    const int count = in->p->funcs.count;
    SnlEventPlace *places = ARENA_ARRAY(in->c->arena, SnlEventPlace, count);
    for (int i = 0; i < count; i++) {
        const Func *f = in->p->funcs.items[i];
        places[i] = (SnlEventPlace){f->unique ? f->unique : f->name, NULL,
                                    span_path(&in->c->sources, f->span),
                                    span_line(&in->c->sources, f->span)};
    }
    snl_trace_write(&in->memory, in->p->name, places, count, out);
}

/* The interpreter lives longer than the run. */
static void
keep_program(void *program)
{
    (void)program;
}

int
interp_main(Compile *c, Prog *p, int argc, char **argv)
{
    Interp *in = interp_start(c, p);
    SnlMainParam *list = ARENA_ARRAY(c->arena, SnlMainParam, p->params.count);
    size_t bytes = place_params(p, list);
    SnlProgram program = {
        .name = p->name, .version = p->name, .params = list, .param_count = p->params.count};
    program.params_bytes = bytes;
    program.params_start = default_params(in, list, bytes);
    program.create = take_params;
    program.destroy = keep_program;
    program.message = last_error;
    program.run = run_main;
    program.write_stats = write_stats;
    program.write_trace = write_trace;
    int status = snl_main(argc, argv, &program);
    interp_end(in);
    return status;
}
