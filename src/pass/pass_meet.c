/* Sums at computed indices on a GPU. Where a loop does nothing to a field that @block_local names
 * but add to elements of it, the lanes of a block add in memory that they share first: additions to
 * one element meet there, and the field gets their sum (runtime/gpu_meet.h).
 *
 *     range_for(i32 p in 0..1000) block_local(y) {      range_for(…) block_local(y) meet(y) {
 *         $9 = atomic add $8 <- $7                  →       $9 = meeting add $8 <- $7
 *
 * Any index is right, so nothing has to be known of where additions go; that pays where iterations
 * that follow each other add to the same elements, as particles that are sorted by cells do, which
 * only the program knows. What is added to elements around the loop's own cells has copies of
 * blocks (pass halo), what is added to small arrays copies of these (pass scatter). */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/pass.h"

enum { DEPTH_MAX = 16 };

typedef struct {
    Compile *c;
    const Ir *ir;
    Task *t;
    bool fits;
    int depth;          /* of calls */
} Search;

static bool
is_sum(const Inst *i)
{
    const bool adds = i->atomic_op == ATOMIC_ADD || i->atomic_op == ATOMIC_SUB;
    return adds && !i->uses && i->type->kind == TYPE_SCALAR &&
           scalar_can_be_summed(i->type->scalar);
}

static void
drop(Task *t, const Field *f)
{
    int kept = 0;
    for (int k = 0; k < t->meets.count; k++)
        if (t->meets.items[k] != f)
            t->meets.items[kept++] = t->meets.items[k];
    t->meets.count = kept;
}

/* Lanes meet at barriers, so none may leave the loop; what is done to a field otherwise, or by
 * functions, would not see the sums. */
static void
look_at(Inst *i, void *arg)
{
    Search *s = arg;
    if (inst_may_fail(i) && i->kind != INST_CELL && !inst_is_lookup(i))
        s->fits = false;
    if (i->kind == INST_ATOMIC && (s->depth || !is_sum(i)))
        drop(s->t, inst_place_field(i->args.items[0]));
    if (i->kind != INST_CALL || i->func->kind != FUNC_DEVICE || !s->fits)
        return;
    const IrFunc *called = ir_func(s->ir, i->func);
    s->fits = !called->may_fail && s->depth < DEPTH_MAX;
    s->depth++;
    if (s->fits)
        block_walk(called->body, look_at, s);
    s->depth--;
}

/* Is the field in a container that has a copy? */
static bool
has_copy(const Task *t, const Field *f)
{
    for (int l = 0; l < f->type->leaf_count; l++) {
        const Node *n = node_top(f->leaves[l].node);
        if (n && nodes_have(&t->scatter, n))
            return true;
    }
    return false;
}

static void
mark(Inst *i, void *arg)
{
    const Task *t = arg;
    if (i->kind == INST_ATOMIC && !i->plain)
        i->meets = fields_have(t->meets.items, t->meets.count, inst_place_field(i->args.items[0]));
}

static void
look_at_task(Compile *c, const Ir *ir, Task *t)
{
    const Effects *did = &t->effects;
    Search s = {.c = c, .ir = ir, .t = t, .fits = !did->may_deactivate.count && !t->halos.count};
    for (int k = 0; k < t->block_local.count && s.fits; k++) {
        Field *f = t->block_local.items[k];
        if (footprint_of(&did->accumulates, f) && !footprint_of(&did->reads, f) &&
            !footprint_of(&did->writes, f) && !has_copy(t, f))
            vec_push(c->arena, &t->meets, f);
    }
    if (!t->meets.count)
        return;
    block_walk(t->body, look_at, &s);
    if (!s.fits)
        t->meets.count = 0;
    block_walk(t->body, mark, t);
}

static void
look_at_tasks(Compile *c, const Ir *ir, const Tasks *tasks)
{
    for (int k = 0; k < tasks->count; k++) {
        Task *t = tasks->items[k];
        if (t->kind == TASK_RANGE_FOR || t->kind == TASK_STRUCT_FOR)
            look_at_task(c, ir, t);
        look_at_tasks(c, ir, &t->tasks);
        look_at_tasks(c, ir, &t->orelse);
    }
}

void
pass_meet(Compile *c, Ir *ir, IrFunc *f)
{
    if (!c->options.gpu || !f->tasks.count)
        return;
    ir_number(f);
    look_at_tasks(c, ir, &f->tasks);
}
