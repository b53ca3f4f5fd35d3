/* Walks the code that C compilers do not vectorise. */
#include "config.h"

#include "analysis/cost.h"
#include "analysis/scalar_context.h"

typedef struct {
    void (*fn)(Inst *i, bool alone, void *arg);
    void *arg;
    int loops; /* one by one so far, see goes_one_by_one */
    int *home; /* by id of a variable: number of that in which it is declared, 0: in none; or
                * NULL */
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

/* Do rounds of a sequential loop in which each waits for the one before run one by one? C compilers
 * make no vectors across loops of rounds that nobody knows. */
static bool
goes_one_by_one(const Inst *loop, bool alone)
{
    bool known = loop->kind == INST_FOR && loop->args.count == 3 * loop->vars.count;
    for (int v = 0; known && v < loop->vars.count; v++) {
        Inst *const *range = &loop->args.items[3 * v];
        known = cost_trip_count(range[0], range[1], range[2]) >= 0;
    }
    return alone || !known;
}

enum { CHAIN_MOST = 4 };

/* Calls the function for operations by which a value comes from a variable, if it does so by a few:
 * they stand alone. */
static bool
follow_chain(Walk *w, Inst *i, const Var *v, int most)
{
    bool found = false;
    if (i->kind == INST_LOAD)
        return i->args.items[0]->kind == INST_VAR && i->args.items[0]->var == v;
    for (int k = 0; i->kind == INST_BUILTIN && most && k < i->args.count; k++)
        found |= follow_chain(w, i->args.items[k], v, most - 1);
    if (found)
        w->fn(i, true, w->arg);
    return found;
}

/* A store to a variable, in the loop of that number: does the next round wait for it? */
static void
look_at_store(Walk *w, const Inst *store, int loop)
{
    const Inst *place = store->args.items[0];
    if (!w->home || place->kind != INST_VAR)
        return;
    if (store->defines)
        w->home[place->var->id] = loop;
    else if (w->home[place->var->id] < loop)
        follow_chain(w, store->args.items[1], place->var, CHAIN_MOST);
}

/* loop: the number of that one by one around, 0: there is none. */
static void
walk_block(Walk *w, Block *b, bool alone, int loop)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        const bool inside = inst_is_loop(i) ? may_end(i) : alone;
        int own = i->kind == INST_ABREAST ? 0 : loop;
        if (inst_is_loop(i) && goes_one_by_one(i, alone))
            own = ++w->loops;
        w->fn(i, alone, w->arg);
        if (i->kind == INST_STORE)
            look_at_store(w, i, loop);
        for (int k = 0; k < 2; k++)
            walk_block(w, i->blocks[k], inside, own);
    }
}

static void
walk_task(Task *t, void *arg)
{
    Block *parts[] = {t->before, t->entry, t->fetches};
    for (int k = 0; k < 3; k++)
        walk_block(arg, parts[k], false, 0);
    Block *bodies[] = {t->body, t->inside};
    for (int k = 0; k < 2; k++)
        if (bodies[k])
            walk_block(arg, bodies[k],
                       t->kind == TASK_SERIAL || (!t->goes_abreast && has_exit(bodies[k])), 0);
}

static void
walk(Walk *w, IrFunc *f)
{
    if (f->body)
        walk_block(w, f->body, !f->in_vectors || has_exit(f->body), 0);
    tasks_walk(&f->tasks, walk_task, w);
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
    Walk w = {note_call, &s, 0, NULL};
    for (int n = 0; n < ir->funcs.count; n++)
        walk(&w, ir->funcs.items[n]);
    for (int n = 0; n < s.found.count; n++)
        walk(&w, s.found.items[n]);
}

void
scalar_context_walk(Compile *c, Ir *ir, IrFunc *f, void (*fn)(Inst *i, bool alone, void *arg),
                    void *arg)
{
    Walk w = {fn, arg, 0, ARENA_ARRAY(c->scratch, int, ir_var_limit(f) + 1)};
    if (!ir->knows_vectors)
        find_functions(c, ir);
    ir->knows_vectors = true;
    walk(&w, f);
}
