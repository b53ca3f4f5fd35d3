/* What every task does to memory: fields it reads, writes and accumulates into, with the constant
 * offsets from the loop's indices, and the activity it may change, through the functions it calls
 * too. Changes no instruction.
 *
 *   for i, j in x { y[i, j] = x[i - 1, j] + x[i + 1, j]; z[idx[i, j]] += 1; }
 *       // reads x[i-1..i+1, j]
 *       // reads idx[i, j]
 *       // writes y[i, j]
 *       // accumulates z[*]             by an index that is not the loop's
 *       // may activate S1pointer       of y, where it is not the tree that the loop runs over */
#include "config.h"

#include "analysis/effects.h"

#include "analysis/affine.h"
#include "analysis/self_deactivate.h"
#include "ir/inst_info.h"

typedef enum { READ, WRITE, ACCUMULATE } Use;

typedef struct {
    Compile *c;
    const Ir *ir;
    const AffineFacts *indices;
    const Task *task;         /* NULL in a function, whose indices mean nothing to a task */
    Effects *effects;
    Nodes own;                /* nodes activated at the loop's own coordinates */
} Walk;

/* ---- fields ---- */

/* Adds an access to the ones of its field. */
static void
merge(Footprint *into, const Footprint *from)
{
    into->spreads |= from->spreads;
    for (int k = 0; k < into->field->axis_count; k++) {
        into->own[k] &= from->own[k] && from->var[k] == into->var[k];
        into->own_index &= into->own[k];
        if (from->offset_min[k] < into->offset_min[k])
            into->offset_min[k] = from->offset_min[k];
        if (from->offset_max[k] > into->offset_max[k])
            into->offset_max[k] = from->offset_max[k];
    }
}

static void
add_footprint(Compile *c, Footprints *list, const Footprint *new)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].field == new->field) {
            merge(&list->items[i], new);
            return;
        }
    vec_push(c->arena, list, *new);
}

static Footprints *
footprints(Walk *w, Use use)
{
    Effects *e = w->effects;
    return use == READ ? &e->reads : use == WRITE ? &e->writes : &e->accumulates;
}

static int
loop_variable(const Task *t, const Var *v)
{
    int k = 0;
    while (k + 1 < t->vars.count && t->vars.items[k] != v)
        k++;
    return k;
}

/* The element of a place that lies in a field. */
static void
use_place(Walk *w, Inst *place, Use use)
{
    const Inst *base = affine_place_base(place);
    if (base->kind != INST_IN_CELL && base->kind != INST_ROOT_PLACE)
        return;
    Footprint f = {.field = base->field, .own_index = true};
    const Inst *cell = base->kind == INST_IN_CELL ? base->args.items[0] : NULL;
    for (int k = 0; k < f.field->axis_count; k++) {
        Affine at = {0};
        if (cell && cell->kind == INST_CELL && w->task)
            at = affine_of(w->indices, w->task, cell->args.items[k]);
        f.own[k] = at.known && at.var;
        f.own_index &= f.own[k];
        f.spreads |= at.min != at.max;
        f.var[k] = at.var ? loop_variable(w->task, at.var) : 0;
        f.offset_min[k] = at.min;
        f.offset_max[k] = at.max;
    }
    add_footprint(w->c, footprints(w, use), &f);
}

static void
use_somewhere(Walk *w, Field *field, Use use)
{
    Footprint f = {.field = field, .own_index = field->axis_count == 0};
    add_footprint(w->c, footprints(w, use), &f);
}

/* ---- activity ---- */

static void
add_node(Arena *arena, Nodes *nodes, Node *n)
{
    if (!nodes_have(nodes, n))
        vec_push(arena, nodes, n);
}

/* Are these the coordinates of the cell of n that the loop is at? */
static bool
is_own_cell(const Walk *w, const Node *n, const Inst *cell)
{
    const Task *t = w->task;
    if (!t || t->kind != TASK_STRUCT_FOR || !node_is_within(t->node, n) ||
        cell->kind != INST_CELL || !cell->field)
        return false;
    for (int k = 0; k < cell->field->axis_count; k++) {
        int axis = cell->field->axes[k];
        if (!(n->path_axes >> axis & 1))
            continue;
        Affine at = affine_of(w->indices, t, cell->args.items[k]);
        if (!at.known || at.var != t->vars.items[node_axis_rank(t->node, axis)] || at.min ||
            at.max || affine_node_span(n, cell->node, axis) != affine_node_span(n, t->node, axis))
            return false;
    }
    return true;
}

static void
activate(Walk *w, Node *n, const Inst *cell)
{
    if (n->parent)
        activate(w, n->parent, cell);
    if (!node_has_activity(n->kind))
        return;
    if (cell && is_own_cell(w, n, cell))
        add_node(w->c->arena, &w->own, n);
    else
        add_node(w->c->arena, &w->effects->may_activate, n);
}

/* Of the node, and of everything below. */
static void
deactivate(Walk *w, Node *n)
{
    if (node_has_activity(n->kind))
        add_node(w->c->arena, &w->effects->may_deactivate, n);
    for (int i = 0; i < n->children.count; i++)
        deactivate(w, n->children.items[i]);
}

/* ---- two tasks ---- */

static void
add_footprints(Compile *c, Footprints *to, const Footprints *from)
{
    for (int i = 0; i < from->count; i++)
        add_footprint(c, to, &from->items[i]);
}

void
effects_add(Compile *c, Effects *to, const Effects *from)
{
    add_footprints(c, &to->reads, &from->reads);
    add_footprints(c, &to->writes, &from->writes);
    add_footprints(c, &to->accumulates, &from->accumulates);
    for (int i = 0; i < from->may_activate.count; i++)
        add_node(c->arena, &to->may_activate, from->may_activate.items[i]);
    for (int i = 0; i < from->may_deactivate.count; i++)
        add_node(c->arena, &to->may_deactivate, from->may_deactivate.items[i]);
    for (int i = 0; i < from->walks.count; i++)
        add_node(c->arena, &to->walks, from->walks.items[i]);
    to->prints |= from->prints;
    to->asserts |= from->asserts;
    to->random |= from->random;
}

/* ---- instructions ---- */

static void
walk_call(Walk *w, const Inst *i)
{
    for (int k = 0; k < i->args.count; k++)
        if (inst_info(i->args.items[k]->kind)->result == 'P') {
            use_place(w, i->args.items[k], READ);
            use_place(w, i->args.items[k], WRITE);
        }
    if (w->task)
        effects_add(w->c, w->effects, effects_of_func(w->c, w->ir, i->func));
}

static void
walk_append(Walk *w, const Inst *i)
{
    activate(w, i->node, NULL);
    for (int k = 0; k < i->node->places.count; k++)
        use_somewhere(w, i->node->places.items[k].field, WRITE);
}

static void
walk_inst(Inst *i, void *arg)
{
    Walk *w = arg;
    Effects *e = w->effects;
    bool swaps = i->atomic_op == ATOMIC_EXCHANGE || i->atomic_op == ATOMIC_CAS;
    switch (i->kind) {
    case INST_LOAD: use_place(w, i->args.items[0], READ); break;
    case INST_STORE: use_place(w, i->args.items[0], WRITE); break;
    case INST_ATOMIC:
        if (swaps || i->uses)
            use_place(w, i->args.items[0], READ);
        use_place(w, i->args.items[0], swaps ? WRITE : ACCUMULATE);
        break;
    case INST_CELL:
        if (i->access == ACCESS_ACTIVATE)
            activate(w, i->node, i);
        break;
    case INST_ACTIVATE: activate(w, i->node, NULL); break;
    case INST_APPEND: walk_append(w, i); break;
    case INST_DEACTIVATE: case INST_DEACTIVATE_ALL: deactivate(w, i->node); break;
    case INST_FOR_CELLS:
        if (i->node && node_is_sparse(i->node))
            add_node(w->c->arena, &e->walks, i->node);
        break;
    case INST_CALL: walk_call(w, i); break;
    case INST_PRINT: e->prints = true; break;
    case INST_ASSERT: e->asserts = true; break;
    case INST_RANDOM: e->random = true; break;
    default: break;
    }
}

/* What a function does itself. */
static const Effects *
own_effects(Compile *c, const Ir *ir, IrFunc *f)
{
    if (!f->own_effects) {
        f->own_effects = ARENA_NEW(c->arena, Effects);
        Walk w = {.c = c, .ir = ir, .effects = f->own_effects};
        block_walk(f->body, walk_inst, &w);
    }
    return f->own_effects;
}

const Effects *
effects_of_func(Compile *c, const Ir *ir, const Func *func)
{
    IrFunc *f = ir_func(ir, func);
    if (f->effects)
        return f->effects;
    Effects *const all = ARENA_NEW(c->arena, Effects);
    VEC(IrFunc *) met = {0};
    bool *is_met = ARENA_ARRAY(c->scratch, bool, ir->prog->funcs.count);
    vec_push(c->scratch, &met, f);
    is_met[func->id] = true;
    for (int n = 0; n < met.count; n++) {
        IrFunc *g = met.items[n];
        effects_add(c, all, g->effects ? g->effects : own_effects(c, ir, g));
        for (int k = 0; k < g->calls.count && !g->effects; k++) {
            Func *callee = g->calls.items[k];
            if (!is_met[callee->id])
                vec_push(c->scratch, &met, ir_func(ir, callee));
            is_met[callee->id] = true;
        }
    }
    return f->effects = all;
}

/* ---- tasks ---- */

/* What the loop activates at its own coordinates is active, unless it deactivates there too. */
static void
finish_activity(Walk *w)
{
    Effects *e = w->effects;
    for (int i = 0; i < w->own.count; i++)
        for (int k = 0; k < e->may_deactivate.count; k++)
            if (e->may_deactivate.items[k] == w->own.items[i])
                add_node(w->c->arena, &e->may_activate, w->own.items[i]);
}

static void
find_in(Compile *c, const Ir *ir, const AffineFacts *indices, Task *t)
{
    Walk w = {.c = c, .ir = ir, .indices = indices, .task = t, .effects = &t->effects};
    t->effects = (Effects){0};
    block_walk(t->body, walk_inst, &w);
    t->drops_own = self_deactivate_only(ir, indices, t);
    if (!t->drops_own)
        finish_activity(&w);
}

void
effects_find(Compile *c, Ir *ir, IrFunc *f)
{
    if (!f->tasks.count)
        return;
    ir_number(f);
    const Tasks tasks = ir_tasks(c, f);
    const AffineFacts *indices = affine_new(c, f);
    for (int n = 0; n < tasks.count; n++)
        find_in(c, ir, indices, tasks.items[n]);
}
