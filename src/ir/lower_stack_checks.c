/* How much of the stack functions that call themselves need: CHECK_STACK at their start asks for
 * it. A frame is there before its function can ask, so that it asks for the next one, too. */
#include "config.h"

#include "ir/ir.h"

/* ---- CHECK_STACK in functions that may call themselves, through others too ---- */

/* True if the function calls one that is not `ended`. */
static bool
calls_on(const IrFunc *f, const bool *ended)
{
    for (int n = 0; n < f->calls.count; n++)
        if (!ended[f->calls.items[n]->id])
            return true;
    return false;
}

/* These are those that are left when functions that only call ended ones have ended, again and
 * again. */
void
ir_check_recursion(Compile *c, Ir *ir, const IrFuncs *funcs)
{
    const int can_be_called = ir->prog->funcs.count;
    bool *ended = ARENA_ARRAY(c->scratch, bool, can_be_called + 1);
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < can_be_called; i++) {
            const IrFunc *f = funcs->items[i];
            if (ended[f->func->id] || (f->func->kind != FUNC_EXTERN && calls_on(f, ended)))
                continue;
            more = ended[f->func->id] = true;
        }
    }
    for (int i = 0; i < can_be_called; i++) {
        IrFunc *f = ir->by_id[i];
        Insts body = {0};
        if (ended[i] || f->func->kind == FUNC_KERNEL || !f->body)
            continue;
        Inst *check = ir_new(c, INST_CHECK_STACK, NULL, f->func->span);
        vec_push(c->arena, &body, check);
        for (int n = 0; n < f->body->insts.count; n++)
            vec_push(c->arena, &body, f->body->insts.items[n]);
        f->body->insts = body;
        f->may_fail = true;
        ir_number(f);
    }
}

/* ---- how many bytes it asks for ---- */

Inst *
ir_stack_check(const IrFunc *f)
{
    Inst *first = f->body && f->body->insts.count ? f->body->insts.items[0] : NULL;
    return first && first->kind == INST_CHECK_STACK ? first : NULL;
}

static void
add_array(Inst *i, void *arg)
{
    const Inst *to = i->kind == INST_STORE && i->defines ? i->args.items[0] : NULL;
    int64_t *bytes = arg;
    if (to && to->kind == INST_VAR && to->var->type->kind == TYPE_ARRAY && !inst_takes_memory(i))
        *bytes += to->var->type->bytes;
}

/* The largest of `bytes` among the functions that a function calls and that ask, or do not. */
static int64_t
most_of_called(const Ir *ir, const IrFunc *f, const int64_t *bytes, bool asks)
{
    int64_t most = 0;
    for (int n = 0; n < f->calls.count; n++) {
        const int id = f->calls.items[n]->id;
        if ((ir_stack_check(ir->by_id[id]) != NULL) == asks && bytes[id] > most)
            most = bytes[id];
    }
    return most;
}

static bool
calls_unknown(const Ir *ir, const IrFunc *f, const bool *known)
{
    for (int n = 0; n < f->calls.count; n++) {
        const int id = f->calls.items[n]->id;
        if (!known[id] && !ir_stack_check(ir->by_id[id]))
            return true;
    }
    return false;
}

void
ir_count_stack(Compile *c, const Ir *ir)
{
    const int count = ir->prog->funcs.count;
    bool *known = ARENA_ARRAY(c->scratch, bool, count + 1);
    int64_t *bytes = ARENA_ARRAY(c->scratch, int64_t, count + 1); /* with what they call */
    bool any = false, more = true;
    for (int i = 0; i < count; i++)
        any |= ir_stack_check(ir->by_id[i]) != NULL;
    while (any && more) {
        more = false;
        for (int i = 0; i < count; i++) {
            const IrFunc *f = ir->by_id[i];
            if (known[i] || calls_unknown(ir, f, known))
                continue;
            if (f->body)
                block_walk(f->body, add_array, &bytes[i]);
            bytes[i] += most_of_called(ir, f, bytes, false);
            more = known[i] = true;
        }
    }
    for (int i = 0; i < count; i++) {
        Inst *check = ir_stack_check(ir->by_id[i]);
        if (check)
            check->stack_bytes = bytes[i] + most_of_called(ir, ir->by_id[i], bytes, true);
    }
}
