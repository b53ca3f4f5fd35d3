/* What all of the interpreter stands on: errors, memory, the check of the C stack. */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>

#include "interp/inside.h"

void *
interp_memory(size_t count, size_t bytes)
{
    void *p = calloc(count, bytes);
    if (!p)
        arena_out_of_memory();
    return p;
}

void
interp_fail(Interp *in, Span at, const char *fmt, ...)
{
    char text[SNL_MESSAGE];
    va_list ap;
    va_start(ap, fmt);
    snl_format_message(text, sizeof text, fmt, ap);
    va_end(ap);
    interp_end_call(in);
    if (at.from)
        snprintf(in->error, sizeof in->error, "%s:%d: %s", span_path(&in->c->sources, at),
                 span_line(&in->c->sources, at), text);
    else
        snprintf(in->error, sizeof in->error, "%s", text); /* no statement is at fault */
    longjmp(in->on_error, 1);
}

void
interp_stack_is_full(Interp *in, const Func *func)
{
    interp_fail(in, func->span,
                "the stack is full: recursion in '%s' is too deep, or its variables are too large",
                func->name);
}

void
interp_check_stack(Interp *in, const Func *func)
{
    char here;
    size_t used =
        in->c_stack > &here ? (size_t)(in->c_stack - &here) : (size_t)(&here - in->c_stack);
    if (used > in->c_stack_bytes)
        interp_stack_is_full(in, func);
}

void
interp_end_call(Interp *in)
{
    if (in->call.rt)
        snl_call_end(&in->call);
    in->call.rt = NULL;
}

Leaf *
interp_take(Interp *in, int64_t n)
{
    if (in->stack_used + n > in->stack_room)
        interp_stack_is_full(in, in->frame->func);
    Leaf *p = in->stack + in->stack_used;
    in->stack_used += n;
    return p;
}

bool
interp_index_is_far(const TExpr *index, int64_t n)
{
    return n < 0 && texpr_is_from_u64(index);
}

void
interp_fail_index(Interp *in, Span at, const TExpr *index, int64_t n, const char *what,
                  int64_t first, int64_t last, int axis)
{
    static const char message[] = "index %s is out of range: %s has %lld to %lld along axis %d";
    const char *text = texpr_is_from_u64(index)
                           ? arena_printf(in->c->arena, "%llu", (unsigned long long)n)
                           : arena_printf(in->c->arena, "%lld", (long long)n);
    interp_fail(in, at, message, text, what, (long long)first, (long long)last, axis);
}
