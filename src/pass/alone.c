/* Where C compilers make no vectors. */
#include "config.h"

#include "pass/alone.h"

typedef struct {
    void (*fn)(Inst *i, bool alone, void *arg);
    void *arg;
} Walk;

static void
find_exit(Inst *i, void *arg)
{
    *(bool *)arg |= i->kind == INST_WHILE || i->kind == INST_BREAK;
}

static void
find_return(Inst *i, void *arg)
{
    *(bool *)arg |= i->kind == INST_RETURN;
}

/* Is something in the block a loop that may end at any time? */
static bool
has_exit(Block *b)
{
    bool found = false;
    block_walk(b, find_exit, &found);
    return found;
}

/* Does a sequential loop end at any time, or has such a loop inside? */
static bool
may_end(const Inst *loop)
{
    bool found = loop->kind == INST_WHILE;
    for (int k = 0; k < 2 && loop->blocks[k] && !found; k++) {
        block_walk(loop->blocks[k], find_exit, &found);
        block_walk(loop->blocks[k], find_return, &found);
    }
    return found;
}

static void
walk_block(const Walk *w, Block *b, bool alone)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        const bool inside = inst_is_loop(i) ? may_end(i) : alone;
        w->fn(i, alone, w->arg);
        for (int k = 0; k < 2; k++)
            walk_block(w, i->blocks[k], inside);
    }
}

static void
walk_tasks(const Walk *w, const Tasks *tasks)
{
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        Block *parts[] = {t->before, t->entry, t->fetches};
        for (int k = 0; k < 3; k++)
            walk_block(w, parts[k], false);
        Block *bodies[] = {t->body, t->inside};
        for (int k = 0; k < 2; k++)
            if (bodies[k])
                walk_block(w, bodies[k],
                           t->kind == TASK_SERIAL || (!t->goes_abreast && has_exit(bodies[k])));
        walk_tasks(w, &t->tasks);
        walk_tasks(w, &t->orelse);
    }
}

static void
walk(const Walk *w, IrFunc *f)
{
    if (f->body)
        walk_block(w, f->body, !f->in_vectors || has_exit(f->body));
    walk_tasks(w, &f->tasks);
}

/* ---- functions ---- */

typedef struct {
    Compile *c;
    const Ir *ir;
    VEC(IrFunc *) found; /* functions that loops with vectors call */
} Search;

static void
note_call(Inst *i, bool alone, void *arg)
{
    Search *s = arg;
    IrFunc *called =
        i->kind == INST_CALL && i->func->kind == FUNC_DEVICE ? ir_func(s->ir, i->func) : NULL;
    if (alone || !called || called->in_vectors)
        return;
    called->in_vectors = true;
    vec_push(s->c->arena, &s->found, called);
}

/* Finds the functions that loops with vectors call, and those that these call. */
static void
find_functions(Compile *c, Ir *ir)
{
    Search s = {.c = c, .ir = ir};
    const Walk w = {note_call, &s};
    for (int n = 0; n < ir->funcs.count; n++)
        walk(&w, ir->funcs.items[n]);
    for (int n = 0; n < s.found.count; n++)
        walk(&w, s.found.items[n]);
}

void
alone_walk(Compile *c, Ir *ir, IrFunc *f, void (*fn)(Inst *i, bool alone, void *arg), void *arg)
{
    const Walk w = {fn, arg};
    if (!ir->knows_vectors)
        find_functions(c, ir);
    ir->knows_vectors = true;
    walk(&w, f);
}
