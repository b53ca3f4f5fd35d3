/* Kernels: writes tasks one after another. */
#include "config.h"

#include <string.h>

#include "emit/code/code.h"
#include "ir/inst_info.h"

static void emit_tasks(Emit *e, const Tasks *tasks);

static void
emit_if_task(Emit *e, Task *t)
{
    stmt_write(e, t->setup);
    text_open(e->out, "if (%s) {", value_text(e, t->setup->result, PREC_ANY));
    emit_tasks(e, &t->tasks);
    if (t->orelse.count) {
        e->out->indent--;
        text_open(e->out, "} else {");
        emit_tasks(e, &t->orelse);
    }
    text_close(e->out, "}");
}

/* Asserts and checks leave at once; activation goes on with a scratch cell, so that the task is
 * looked at when it is done. */
static void
find_activation(Inst *i, void *arg)
{
    bool *found = arg;
    *found = *found || i->kind == INST_ACTIVATE || i->kind == INST_APPEND ||
             (inst_is_lookup(i) && i->access == ACCESS_ACTIVATE);
}

static void
emit_tasks(Emit *e, const Tasks *tasks)
{
    for (int i = 0; i < tasks->count; i++) {
        Task *t = tasks->items[i];
        switch (t->kind) {
        case TASK_SERIAL: {
            bool activates = false;
            e->fn.serial = t->body;
            stmt_write(e, t->body);
            e->fn.serial = NULL;
            block_walk(t->body, find_activation, &activates);
            if (activates)
                stmt_check(e);
            break;
        }
        case TASK_RANGE_FOR: case TASK_STRUCT_FOR:
            if (t->setup)
                stmt_write(e, t->setup);
            parallel_loop(e, t);
            break;
        case TASK_IF: emit_if_task(e, t); break;
        case TASK_GC: activity_collect(e, t->node->layout); break;
        case TASK_CLEAR_LIST: case TASK_LISTGEN:
            /* snl_tree_list keeps the lists of all levels up to date */
            break;
        case TASK_COUNT: break;
        }
    }
}

/* What statistics call the kernel: an instance of a generic one also by its arguments. */
static const char *
kernel_title(Emit *e, const Func *f)
{
    const char *title =
        f->doc_args ? arena_printf(e->c->arena, "%s(%s)", f->name, f->doc_args) : f->name;
    return value_string(e, title, strlen(title));
}

void
task_kernel(Emit *e, IrFunc *f)
{
    Text kernel;
    Body body;
    text_init(&kernel, e->c->arena);
    func_begin(e, f);
    e->fn.on_gpu = false;
    e->out = &kernel;
    e->fn.leave = LEAVE_STATUS;
    func_head(e, f);
    declarations_begin(e, &body);
    func_parameters(e, f);
    const char *title = kernel_title(e, f->func);
    stmt_note_kernel(e, f->func->span, title);
    text_line(e->out, "SNL_KERNEL(&self->rt, %s);", title);
    func_begin_errors(e, f->func);
    if (e->random)
        text_line(e->out, "%s++;", place_launch_number(e));
    if (f->uses_random) {
        text_line(e->out, "SnlRandom rng;");
        text_line(e->out, "snl_random_init(&rng, self->rt.seed, %s, UINT64_MAX);",
                  place_launch_number(e));
        e->fn.random_ref = "&rng";
    }
    emit_tasks(e, &f->tasks);
    const Task *last = f->tasks.count ? vec_last(&f->tasks) : NULL;
    stmt_last_return(e, last && last->kind == TASK_SERIAL ? last->body : NULL);
    declarations_end(e, &body);
    text_close(e->out, "}");
    text_newline(e->out);
    text_raw(&e->code, kernel.data, kernel.count);
    text_free(&kernel);
    e->out = &e->code;
}
