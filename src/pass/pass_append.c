/* Appends whose places are known before the loop starts:
 *     range_for(i32 p in 0..1000) {                     range_for(i32 p in 0..1000) {
 *         $9 = append S1dynamic[$8] <- ($7)      →          $9 = append S1dynamic[$8] placed <- ($7)
 *     }                                                 }
 * Where each iteration appends to the same list once, whatever else it does, and nothing in the loop looks at that list, the value
 * of iteration number n gets index length + n: room for all is made at once, threads do not meet at the length, and the list is in
 * the order of the iterations. That needs a loop in which nothing else can fail, since each iteration must come to its end. */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/pass.h"

enum { DEPTH_MAX = 16 };

typedef struct {
    const Ir *ir;
    const Inst *append;
    int depth;
    bool fits;
} Search;

static void
look_for_conflict(Inst *i, void *arg)
{
    Search *s = arg;
    if (i == s->append)
        return;
    bool touches = i->node && i->node == s->append->node && i->kind != INST_ROOT && i->kind != INST_CHILD;
    bool other = i->kind == INST_DEACTIVATE || i->kind == INST_DEACTIVATE_ALL || i->kind == INST_PRINT || (i->kind == INST_ATOMIC && !i->plain);
    if (touches || other || inst_may_fail(i))
        s->fits = false;
    if (i->kind != INST_CALL || !s->fits)
        return;
    if (i->func->kind != FUNC_DEVICE || ++s->depth > DEPTH_MAX) {
        s->fits = false;
        return;
    }
    block_walk(ir_func(s->ir, i->func)->body, look_for_conflict, s);
    s->depth--;
}

/* The only append that every iteration comes to, or NULL. */
static Inst *
sure_append(const Block *b)
{
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        if (i->kind == INST_APPEND)
            return inst_has_container(i) && i->args.items[0]->kind == INST_ROOT && i->args.count > i->arg_split ? i : NULL;
        if (i->kind == INST_IF || i->kind == INST_RETURN || i->kind == INST_CONTINUE) /* may leave the iteration */
            return NULL;
    }
    return NULL;
}

static void
place_in(const Ir *ir, const Tasks *tasks)
{
    for (int k = 0; k < tasks->count; k++) {
        Task *t = tasks->items[k];
        Inst *append = t->kind == TASK_RANGE_FOR && t->vars.count == 1 ? sure_append(t->body) : NULL;
        Search s = {.ir = ir, .append = append, .fits = append != NULL};
        if (append)
            block_walk(t->body, look_for_conflict, &s);
        if (s.fits)
            append->placed = true;
        place_in(ir, &t->tasks);
        place_in(ir, &t->orelse);
    }
}

void
pass_append(Compile *c, Ir *ir, IrFunc *f)
{
    (void)c;
    place_in(ir, &f->tasks);
}
