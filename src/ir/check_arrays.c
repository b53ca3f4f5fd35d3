/* Local arrays of what runs on a GPU, where no memory but that of a lane can hold them. */
#include "config.h"

#include "ir/ir.h"

typedef struct {
    Compile *c;
    bool *seen;         /* functions, by id */
    VEC(Func *) called; /* these, in order */
} Room;

static void
look_at_inst(Inst *i, void *arg)
{
    Room *r = arg;
    if (inst_takes_memory(i)) {
        const Var *v = i->args.items[0]->var;
        Diag *d = diag(r->c, E0508, v->span,
                       "array '%s' takes %lld bytes; in what runs on a GPU it may take %d", v->name,
                       (long long)v->type->bytes, (int)STACK_ARRAY_BYTES);
        diag_fix(d, "a field, which has an axis more for the iterations");
    }
    if (i->kind != INST_CALL || i->func->kind != FUNC_DEVICE || r->seen[i->func->id])
        return;
    r->seen[i->func->id] = true;
    vec_push(r->c->arena, &r->called, i->func);
}

static void
look_at_task(Task *t, void *arg)
{
    if (task_is_loop(t))
        block_walk(t->body, look_at_inst, arg);
}

void
ir_check_arrays(Compile *c, const Ir *ir)
{
    Room r = {.c = c, .seen = ARENA_ARRAY(c->arena, bool, ir->prog->funcs.count)};
    for (int i = 0; i < ir->funcs.count; i++)
        tasks_walk(&ir->funcs.items[i]->tasks, look_at_task, &r);
    for (int i = 0; i < r.called.count; i++)
        block_walk(ir_func(ir, r.called.items[i])->body, look_at_inst, &r);
}
