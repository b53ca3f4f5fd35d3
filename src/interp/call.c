/* Calls: a frame with a slot for every variable. */
#include "config.h"

#include <string.h>

#include "interp/inside.h"

/* Memory of the frame of a function that is not the one that runs yet. */
static Leaf *
take(Interp *in, const Func *func, int64_t n)
{
    if (in->stack_used + n > in->stack_room)
        interp_stack_is_full(in, func);
    return interp_take(in, n);
}

static void
frame_start(Interp *in, Frame *f, const Func *func)
{
    *f = (Frame){.caller = in->frame, .func = func};
    size_t bytes = sizeof(Slot) * (size_t)(func->vars.count + 1);
    f->slots = (Slot *)take(in, func, (int64_t)(bytes / sizeof(Leaf) + 1));
    memset(f->slots, 0, bytes);
    for (int i = 0; i < func->vars.count; i++) {
        const Var *v = func->vars.items[i];
        f->slots[i].type = v->type;
        if (v->type->kind != TYPE_EXTERN) {
            f->slots[i].leaves = take(in, func, v->type->leaf_count);
            memset(f->slots[i].leaves, 0, sizeof(Leaf) * (size_t)v->type->leaf_count);
        }
        const int64_t flags = type_flag_count(v->type);
        if (v->type->kind != TYPE_EXTERN && (in->c->options.check & CHECK_BOUNDS) && flags > 1)
            f->slots[i].flags =
                (unsigned char *)take(in, func, flags / (int64_t)sizeof(Leaf) + 1);
    }
    f->result = take(in, func, func->result->leaf_count + 1);
    memset(f->result, 0, sizeof(Leaf) * (size_t)(func->result->leaf_count + 1));
}

_Static_assert(_Alignof(Slot) <= _Alignof(Leaf) && _Alignof(Where) <= _Alignof(Leaf),
               "slots and places lie among leaves");

/* Values go into the slots of the new frame; an inout argument is the place itself, which is active
 * from here on, and of a host function set. */
static void
pass_arguments(Interp *in, Frame *f, const TExpr *e, Where *places)
{
    for (int i = 0; i < e->args.count; i++) {
        const Var *v = f->func->params.items[i];
        Slot *s = &f->slots[v->id];
        s->set = true;
        if (v->type->kind == TYPE_EXTERN) {
            Slot *from = place_slot(in, e->args.items[i]->var);
            s->leaves = from->leaves;
            s->type = from->type;
            s->borrowed = true;
            from->set = true;
        } else if (v->mode == PARAM_INOUT) {
            place_find(in, e->args.items[i], USE_WRITE, &places[i]);
            if (!places[i].slot || f->func->kind != FUNC_DEVICE) {
                place_load_any(in, &places[i], s->leaves, e->args.items[i]->span);
                place_store(in, &places[i], s->leaves, e->args.items[i]->span);
            }
            s->place = &places[i];
        } else
            eval(in, e->args.items[i], s->leaves);
    }
}

void
call_eval(Interp *in, const TExpr *e, Leaf *out)
{
    const Func *func = e->func;
    Frame f;
    SnlRandom serial;
    Sums *sums = in->sums;
    if (func->kind == FUNC_EXTERN)
        interp_fail(in, e->span, "the interpreter cannot call the C function '%s'", func->name);
    interp_check_stack(in, func);
    Where *places =
        (Where *)interp_take(in, (int64_t)(sizeof(Where) / sizeof(Leaf) + 1) * e->args.count);
    frame_start(in, &f, func);
    f.random = in->frame->random;
    if (func->kind == FUNC_KERNEL) {
        snl_random_init(&serial, in->seed, ++in->launch, UINT64_MAX);
        f.random = &serial;
    }
    pass_arguments(in, &f, e, places);
    in->frame = &f;
    if (func->kind == FUNC_KERNEL) {
        in->sums = NULL;
        in->call = snl_call_begin(&in->memory, func->unique);
    }
    exec(in, func->body);
    if (func->kind == FUNC_KERNEL)
        interp_end_call(in);
    in->sums = sums;
    in->frame = f.caller;
    memcpy(out, f.result, sizeof(Leaf) * (size_t)func->result->leaf_count);
}

void
call_run(Interp *in, const Func *func)
{
    Frame f;
    frame_start(in, &f, func);
    f.random = &in->host_random;
    in->frame = &f;
    exec(in, func->body);
    in->frame = f.caller;
}
