/* Loops over several indices read what lies in one place for a whole row once, before the innermost
 * loop begins, where they change that field: C compilers cannot know that the row does not hold it.
 *
 *     range_for(i32 i in 0..64, i32 j in 0..64) {      range_for(...) {
 *         $5 = load d[i, $3]                               $5 = load d[i, $3]
 *         $8 = load d[$3, j]                      →    } row {
 *         store d[i, j] <- min($2, $5 + $8)                $8 = load d[$3, j]
 *     }                                                    store d[i, j] <- min($2, $5 + $8)
 *                                                      }
 *
 * No order holds between iterations, so what another one stores there may come later; what an
 * iteration stores itself is seen by what it reads after that, which stays. */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/motion.h"
#include "pass/pass.h"

typedef struct {
    Motion motion;     /* to before the innermost loop */
    const Task *t;
    const Var *last;   /* the variable of the innermost loop */
    bool *odd_vars;    /* by variable id: may change in the body, or is more than one value */
} Row;

static void
note_inside(Inst *i, void *arg)
{
    Row *r = arg;
    r->motion.inside[i->id] = true;
    for (int a = 0; i->kind != INST_LOAD && a < i->args.count; a++)
        if (i->args.items[a]->kind == INST_VAR)
            r->odd_vars[i->args.items[a]->var->id] = true;
    for (int v = 0; i->kind == INST_FOR && v < i->vars.count; v++)
        r->odd_vars[i->vars.items[v]->id] = true;
}

static bool
stays(const Inst *i, const void *arg)
{
    const Row *r = arg;
    if (i->kind == INST_VAR)
        return i->var != r->last && !r->odd_vars[i->var->id];
    return i->node->kind == NODE_DENSE;
}

/* A scalar of a field that the loop changes, too. */
static bool
reads_changed(const Row *r, const Inst *i)
{
    if (i->kind != INST_LOAD || i->type->kind != TYPE_SCALAR)
        return false;
    const Inst *base = inst_place_root(i->args.items[0]);
    return base->kind == INST_IN_CELL && task_changes(r->t, base->field);
}

/* May what follows not run, or see what this changes? */
static bool
ends_reads(const Inst *i)
{
    if (i->kind == INST_STORE)
        return inst_place_root(i->args.items[0])->kind != INST_VAR;
    return inst_writes(i) || i->kind == INST_IF || i->kind == INST_FOR || i->kind == INST_WHILE;
}

static void
choose(Row *r)
{
    const Insts *body = &r->t->body->insts;
    for (int n = 0; n < body->count && !ends_reads(body->items[n]); n++)
        if (reads_changed(r, body->items[n]) &&
            motion_is_steady(&r->motion, body->items[n]->args.items[0]))
            motion_take(&r->motion, body->items[n]);
}

static void
look_at_loop(Compile *c, IrFunc *f, Task *t)
{
    Row r = {.t = t, .last = t->vars.items[task_last_index(t)]};
    r.motion = motion_new(c, ir_number(f) + 1, stays, &r);
    r.odd_vars = ARENA_ARRAY(c->scratch, bool, f->vars.count);
    block_walk(t->body, note_inside, &r);
    choose(&r);
    if (!r.motion.out.count)
        return;
    motion_drop(&r.motion, t->body);
    t->before = ARENA_NEW(c->arena, Block);
    for (int n = 0; n < r.motion.out.count; n++)
        block_add(c, t->before, r.motion.out.items[n]);
}

/* Are there rows, each with a loop of its own? Loops over so few cells go through all by number. */
static bool
has_rows(const Task *t)
{
    enum { ROWS_LEAST = 4 };
    if (t->kind == TASK_RANGE_FOR)
        return t->vars.count > 1;
    int64_t rows = 1;
    for (int k = 0; k < t->node->axis_count - 1; k++)
        rows *= t->node->sizes[k] ? t->node->sizes[k] : ROWS_LEAST;
    return rows >= ROWS_LEAST;
}

static void
look_at_tasks(Compile *c, IrFunc *f, const Tasks *tasks)
{
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        look_at_tasks(c, f, &t->tasks);
        look_at_tasks(c, f, &t->orelse);
        if (task_is_plain(t) && has_rows(t) && t->simd && !t->inside && !t->batches)
            look_at_loop(c, f, t);
    }
}

void
pass_before(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    if (!c->options.gpu) /* each iteration has a thread of its own */
        look_at_tasks(c, f, &f->tasks);
}
