/* Loop fusion. Two parallel loops over the same indices become one. What both use is read once, and
 * the threads are started once.
 *
 *     struct_for(S1dense) { y[i] = x[i] }
 *     serial { s = 0.0 }                        serial { s = 0.0 }
 *     struct_for(S1dense) { s += y[i] }    →    struct_for(S1dense) { y[i] = x[i]; s += y[i] }
 *
 * The second loop may follow the first iteration by iteration under one condition. Each element
 * that one loop changes and the other uses belongs to the same iteration in both. Only loops of
 * plain arithmetic that share a field are fused, because other passes do more for the other loops.
 * Declarations of variables between the two loops move before them. */
#include "config.h"

#include "pass/pass.h"

#include <string.h>

#include "analysis/effects.h"
#include "ir/inst_info.h"

enum { INSTS_MOST = 200 };     /* of a fused body: longer ones need more registers than there are */
enum { MASKED_MOST = 40 };      /* the same in loops over bitmasked cells, which go by whole words
                                 * of the mask where they are short */

typedef struct {
    const Var *var;
    bool changed;
} Use;

typedef struct {
    Compile *c;
    VEC(Use) uses;  /* of variables, each once */
    int insts;
    bool plain;     /* arithmetic on elements and variables alone */
    bool leaves;    /* ends iterations early */
} Side;

/* ---- one loop ---- */

static Use *
use_of(Side *s, const Var *v)
{
    for (int n = 0; n < s->uses.count; n++)
        if (s->uses.items[n].var == v)
            return &s->uses.items[n];
    vec_push(s->c->scratch, &s->uses, (Use){.var = v});
    return &vec_last(&s->uses);
}

static void
note_inst(Inst *i, void *arg)
{
    Side *s = arg;
    if (++s->insts > INSTS_MOST)
        return;
    switch (i->kind) {
    case INST_VAR:
        use_of(s, i->var);
        s->plain &= i->var->type->kind != TYPE_EXTERN; /* arrays of the caller may overlap */
        return;
    case INST_STORE: case INST_ATOMIC: case INST_REDUCE: {
        const Inst *root = inst_place_root(i->args.items[0]);
        if (root->kind == INST_VAR)
            use_of(s, root->var)->changed = true;
        return;
    }
    case INST_CONTINUE:
        s->leaves = true;
        return;
    case INST_LOAD: case INST_CELL: case INST_IF: case INST_LOGIC: case INST_COND:
        return;
    default:
        s->plain &= inst_info(i->kind)->effects == 'P';
    }
}

/* Are all indices those of the loop? Neighbours in blocks are read best by a loop of their own. */
static bool
has_own_indices(const Task *t, const Footprints *uses)
{
    for (int n = 0; n < uses->count; n++) {
        const Footprint *f = &uses->items[n];
        if (!f->own_index)
            return false;
        for (int k = 0; t->node && t->node->parent && k < f->field->axis_count; k++)
            if (f->offset_min[k] || f->offset_max[k])
                return false;
    }
    return true;
}

static Side
side_of(Compile *c, const Task *t)
{
    const Effects *e = &t->effects;
    Side s = {.c = c, .plain = true};
    block_walk(t->setup, note_inst, &s);
    block_walk(t->body, note_inst, &s);
    s.plain &= !e->may_activate.count && !e->may_deactivate.count && !e->random && !e->prints &&
               !e->asserts;
    s.plain &= has_own_indices(t, &e->reads) && has_own_indices(t, &e->writes) &&
               has_own_indices(t, &e->accumulates);
    return s;
}

/* ---- two loops ---- */

static bool
same_value(const Inst *a, const Inst *b)
{
    if (!a || !b || a->kind != b->kind || a->type != b->type)
        return a == b;
    if (a->kind == INST_CONST)
        return a->type->kind == TYPE_SCALAR && a->value.leaves[0].i == b->value.leaves[0].i;
    return inst_is_fixed_load(a) && inst_is_fixed_load(b) &&
           a->args.items[0]->var == b->args.items[0]->var;
}

static bool
same_values(const Insts *a, const Insts *b)
{
    for (int n = 0; n < a->count; n++)
        if (!same_value(a->items[n], b->items[n]))
            return false;
    return true;
}

/* Are cells of both nodes gone through in the same order, with the same indices? */
static bool
same_cells(const Task *a, const Task *b)
{
    const Node *m = a->node, *n = b->node;
    if (!m || !n || a->use_list != b->use_list)
        return false;
    if (m == n)
        return a->field == b->field || !m->has_offset;
    if (m->parent || n->parent || m->kind != NODE_DENSE || n->kind != NODE_DENSE ||
        m->axis_count != n->axis_count || m->has_offset || n->has_offset)
        return false;
    for (int k = 0; k < m->axis_count; k++)
        if (m->axes[k] != n->axes[k] || !m->sizes[k] || m->sizes[k] != n->sizes[k])
            return false;
    return true;
}

static bool
same_iterations(const Task *a, const Task *b)
{
    if (a->kind != b->kind || a->vars.count != b->vars.count || a->block_dim != b->block_dim ||
        a->block_local.count || b->block_local.count)
        return false;
    for (int v = 0; v < a->vars.count; v++)
        if (a->vars.items[v]->type != b->vars.items[v]->type)
            return false;
    if (a->kind == TASK_STRUCT_FOR)
        return same_cells(a, b);
    return same_values(&a->from, &b->from) && same_values(&a->to, &b->to) &&
           same_values(&a->step, &b->step);
}

/* Is every element one of a single iteration, which is the same in both? */
static bool
same_element(const Task *t, const Footprint *a, const Footprint *b)
{
    unsigned vars = 0;
    for (int k = 0; k < a->field->axis_count; k++) {
        if (a->var[k] != b->var[k] || a->offset_min[k] != a->offset_max[k] ||
            b->offset_min[k] != b->offset_max[k] || a->offset_min[k] != b->offset_min[k])
            return false;
        vars |= 1u << a->var[k];
    }
    return vars == (1u << t->vars.count) - 1;
}

/* May what one list of uses does to fields and what the other one does happen iteration by
 * iteration? */
static bool
uses_agree(const Task *t, const Footprints *one, const Footprints *other)
{
    for (int n = 0; n < one->count; n++) {
        const Footprint *f = footprint_of(other, one->items[n].field);
        if (f && !same_element(t, &one->items[n], f))
            return false;
    }
    return true;
}

static bool
changes_agree(const Task *t, const Effects *a, const Effects *b)
{
    return uses_agree(t, &a->writes, &b->reads) && uses_agree(t, &a->writes, &b->writes) &&
           uses_agree(t, &a->writes, &b->accumulates) &&
           uses_agree(t, &a->accumulates, &b->reads) &&
           uses_agree(t, &a->accumulates, &b->writes) &&
           uses_agree(t, &a->accumulates, &b->accumulates) &&
           uses_agree(t, &a->reads, &b->writes) && uses_agree(t, &a->reads, &b->accumulates);
}

static bool
shares_field(const Footprints *a, const Effects *b)
{
    for (int n = 0; n < a->count; n++) {
        const Field *f = a->items[n].field;
        if (f->axis_count && (footprint_of(&b->reads, f) || footprint_of(&b->writes, f) ||
                              footprint_of(&b->accumulates, f)))
            return true;
    }
    return false;
}

/* Does neither change a variable of the kernel that the other mentions? */
static bool
variables_agree(const Side *a, const Side *b)
{
    for (int m = 0; m < a->uses.count; m++)
        for (int n = 0; n < b->uses.count; n++) {
            const Use *x = &a->uses.items[m], *y = &b->uses.items[n];
            if (x->var == y->var && (x->changed || y->changed))
                return false;
        }
    return true;
}

static bool
may_fuse(Compile *c, const Task *first, const Task *second)
{
    if (!same_iterations(first, second))
        return false;
    const Effects *a = &first->effects, *b = &second->effects;
    if (!shares_field(&a->reads, b) && !shares_field(&a->writes, b) &&
        !shares_field(&a->accumulates, b))
        return false;
    const Side x = side_of(c, first), y = side_of(c, second);
    int most = first->node && first->node->kind == NODE_BITMASKED ? MASKED_MOST : INSTS_MOST;
    return x.plain && y.plain && !x.leaves && x.insts + y.insts <= most &&
           changes_agree(first, a, b) && variables_agree(&x, &y);
}

/* ---- fusing ---- */

typedef struct {
    const Task *from, *to;
} Renaming;

static void
rename_var(Inst *i, void *arg)
{
    const Renaming *r = arg;
    for (int v = 0; i->kind == INST_VAR && v < r->from->vars.count; v++)
        if (i->var == r->from->vars.items[v]) {
            i->var = r->to->vars.items[v];
            return;
        }
}

static void
append_block(Compile *c, Block **to, const Block *from)
{
    if (from && !*to)
        *to = ARENA_NEW(c->arena, Block);
    for (int n = 0; from && n < from->insts.count; n++)
        block_add(c, *to, from->insts.items[n]);
}

static void
fuse(Compile *c, Task *first, Task *second)
{
    Renaming r = {second, first};
    block_walk(second->body, rename_var, &r);
    append_block(c, &first->setup, second->setup);
    append_block(c, &first->body, second->body);
    for (int n = 0; n < second->reductions.count; n++)
        vec_push(c->arena, &first->reductions, second->reductions.items[n]);
    effects_add(c, &first->effects, &second->effects);
}

/* A task between two loops that may go before the first: it has to do with variables alone, and not
 * with those of the loop. */
static bool
goes_before(Compile *c, const Task *between, const Task *loop)
{
    if (between->kind != TASK_SERIAL)
        return between->kind == TASK_CLEAR_LIST || between->kind == TASK_LISTGEN;
    const Side b = side_of(c, between);
    const Side l = side_of(c, loop);
    const Effects *e = &between->effects;
    return b.plain && !b.leaves && !e->reads.count && !e->writes.count && !e->accumulates.count &&
           !e->may_activate.count && !e->may_deactivate.count && variables_agree(&b, &l);
}

/* Moves the tasks after number `loop` before it. */
static void
move_before(Tasks *tasks, int loop)
{
    Task *t = tasks->items[loop];
    for (int n = loop; n + 1 < tasks->count; n++)
        tasks->items[n] = tasks->items[n + 1];
    tasks->items[tasks->count - 1] = t;
}

static void
fuse_tasks(Compile *c, Tasks *tasks)
{
    Tasks out = {0};
    int last = -1; /* number of the loop in `out` that the next one may be fused with, or -1 */
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        fuse_tasks(c, &t->tasks);
        fuse_tasks(c, &t->orelse);
        bool loop = t->kind == TASK_STRUCT_FOR || t->kind == TASK_RANGE_FOR;
        if (loop && last >= 0 && may_fuse(c, out.items[last], t)) {
            fuse(c, out.items[last], t);
            move_before(&out, last);
            last = out.count - 1;
            continue;
        }
        vec_push(c->arena, &out, t);
        if (loop)
            last = out.count - 1;
        else if (last >= 0 && !goes_before(c, t, out.items[last]))
            last = -1;
    }
    *tasks = out;
}

void
pass_fuse(Compile *c, Ir *ir, IrFunc *f)
{
    if (!f->checks_races && !ir->uses_random) /* each loop has random numbers of its own */
        fuse_tasks(c, &f->tasks);
}
