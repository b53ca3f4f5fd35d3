/* The IR as text: a kernel is its list of tasks, every other function a body.
 *
 *   kernel step
 *   $0 = offloaded clear_list S1dense
 *   $1 = offloaded listgen S0root->S1dense
 *   $2 = offloaded struct_for(S1dense) block_dim=0 {
 *       // for i32 i.0 in field x
 *       <i32> $3 = var i.0
 *       …
 *   }
 * A node of a program with several layouts has its layout before it: grid.S1dense, L2.S1dense. */
#include "config.h"

#include <string.h>

#include "ir/print.h"

static void
print_head(Printer *p, const IrFunc *f)
{
    static const char *const words[] = {"func", "extern func", "kernel",   "host",
                                        "main", "test",        "benchmark"};
    const Func *fn = f->func;
    text_add(p->out, "%s", words[fn->kind]);
    if (fn->result && fn->result->kind != TYPE_VOID)
        text_add(p->out, " %s", fn->result->name);
    if (fn->title) {
        text_add(p->out, " ");
        string_print(fn->title, strlen(fn->title), p->out);
    } else if (fn->kind != FUNC_MAIN)
        text_add(p->out, " %s", fn->unique);
    if (fn->params.count) {
        text_add(p->out, "(");
        print_vars(p, fn->params.items, fn->params.count);
        text_add(p->out, ")");
    }
}

static void
print_properties(Printer *p, const IrFunc *f)
{
    if (f->func->doc_args)
        text_line(p->out, "// %s", f->func->doc_args);
    for (int i = 0; i < f->manual.count; i++) {
        text_add(p->out, "%s", i ? ", " : "// needs ");
        print_layout(p, f->manual.items[i]);
    }
    if (f->manual.count)
        text_newline(p->out);
    for (int i = 0; i < f->collect.count; i++) {
        text_add(p->out, "%s", i ? ", " : "// deactivates in ");
        print_layout(p, f->collect.items[i]);
    }
    if (f->collect.count)
        text_newline(p->out);
    if (f->may_fail)
        text_line(p->out, "// may fail");
    if (f->large)
        text_line(p->out, "// large");
}

void
ir_print_func(const Ir *ir, const IrFunc *f, Text *out)
{
    Printer p = {ir, out};
    print_head(&p, f);
    if (f->func->kind == FUNC_KERNEL) {
        text_newline(out);
        print_properties(&p, f);
        print_tasks(&p, &f->tasks);
    } else if (f->body) {
        text_open(out, " {");
        print_properties(&p, f);
        print_block(&p, f->body);
        text_close(out, "}");
    } else
        text_newline(out);
}

void
ir_print(const Ir *ir, Text *out)
{
    for (int i = 0; i < ir->funcs.count; i++) {
        if (i)
            text_newline(out);
        ir_number(ir->funcs.items[i]);
        ir_print_func(ir, ir->funcs.items[i], out);
    }
}
