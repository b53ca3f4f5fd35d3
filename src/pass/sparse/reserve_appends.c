/* Slot reservation: appends whose places are known before the loop starts:
 *    range_for(i32 p in 0..1000) {                     range_for(i32 p in 0..1000) {
 *        $9 = append S1dynamic[$8] <- ($7)      →          $9 = append S1dynamic[$8] placed <- ($7)
 *    }                                                 }
 * Each iteration appends to the same list once, whatever else it does, and nothing in the loop
 * looks at that list. The value of iteration number n then gets index length + n. Room for all is
 * made at once, threads do not meet at the length, and the list is in the order of the iterations.
 * Nothing else in the loop may fail, because each iteration must come to its end.
 *
 * A loop that only appends to one of many lists is `owned`. Each thread can run all of it and
 * append only to lists of its own. Threads then never meet, which pays while the rest of an
 * iteration is cheap. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"

enum { DEPTH_MAX = 16, LISTS_LEAST = 64, INSTS_MOST = 100 };

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
    bool touches = i->node && i->node == s->append->node && i->kind != INST_ROOT &&
                   i->kind != INST_CHILD && i->kind != INST_FETCHED;
    if (touches || inst_may_fail(i))
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
            return inst_has_container(i) && i->args.items[0]->kind == INST_ROOT &&
                           i->args.count > i->arg_split
                       ? i
                       : NULL;
        /* may leave the iteration */
        if (i->kind == INST_IF || i->kind == INST_RETURN || i->kind == INST_CONTINUE)
            return NULL;
    }
    return NULL;
}

/* ---- loops that only append ---- */

typedef struct {
    Inst *append;
    int appends, insts;
    bool only;
    bool *own;          /* by variable id: declared in the loop */
} Only;

static void
look_at_inst(Inst *i, void *arg)
{
    Only *o = arg;
    o->insts++;
    switch (i->kind) {
    case INST_APPEND:
        o->append = i;
        o->appends++;
        break;
    case INST_STORE: {
        const Inst *root = inst_place_root(i->args.items[0]);
        if (root->kind == INST_VAR && i->defines)
            o->own[root->var->id] = true;
        o->only = o->only && root->kind == INST_VAR && o->own[root->var->id];
        break;
    }
    case INST_LOOKUP:
        o->only = o->only && (i->access != ACCESS_ACTIVATE || i->node->kind == NODE_DENSE);
        break;
    case INST_IF: case INST_LOGIC: case INST_COND: case INST_CONTINUE: break;
    default:
        o->only = o->only && inst_info(i->kind)->effects != 'W' &&
                  inst_info(i->kind)->effects != 'X' && inst_info(i->kind)->effects != 'F';
        break;
    }
}

/* Is the list that of a cell of a dense node at the top, so that its number says whose it is? */
static bool
is_one_of_many(const Task *t, const Inst *append)
{
    const Inst *list = inst_has_container(append) ? task_list(t, append) : NULL;
    const Inst *cell = list && list->kind == INST_CHILD ? list->args.items[0] : NULL;
    return cell && cell->kind == INST_LOOKUP && cell->node->kind == NODE_DENSE &&
           !cell->node->parent && cell->node->cell_count >= LISTS_LEAST;
}

static bool
is_owned(Compile *c, const Ir *ir, const IrFunc *f, const Task *t, Inst **append)
{
    Only o = {.only = task_has_one_index(t) && !t->reductions.count};
    if (!o.only)
        return false;
    o.own = ARENA_ARRAY(c->scratch, bool, f->vars.count);
    block_walk(t->body, look_at_inst, &o);
    arena_release(c->scratch, o.own, (size_t)f->vars.count); /* there may be thousands of loops */
    *append = o.append;
    if (!o.only || o.appends != 1 || o.append->uses || o.insts > INSTS_MOST ||
        !is_one_of_many(t, o.append))
        return false;
    Search s = {.ir = ir, .append = o.append, .fits = true};
    block_walk(t->body, look_for_conflict, &s);
    return s.fits;
}

static void
place_in(Compile *c, const Ir *ir, const IrFunc *f, const Task *t)
{
    Inst *append = t->kind == TASK_RANGE_FOR && t->vars.count == 1 ? sure_append(t->body) : NULL;
    Search s = {.ir = ir, .append = append, .fits = append != NULL};
    if (append)
        block_walk(t->body, look_for_conflict, &s);
    if (s.fits)
        append->placed = true;
    else if (is_owned(c, ir, f, t, &append))
        append->owned = true;
}

void
pass_reserve_appends(Compile *c, Ir *ir, IrFunc *f)
{
    if (!f->tasks.count)
        return;
    ir_number(f);
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        place_in(c, ir, f, loops.items[n]);
}
