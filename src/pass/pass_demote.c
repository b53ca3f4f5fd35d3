/* Atomic operations on elements that no other iteration of the loop writes become plain ones:
 * wherever the loop writes the field or array, some indices are loop variables plus one and the
 * same constant, and all loop variables are among them.
 *   for i, j in x { x[j, i + 1] += 1.0; for k in 0..9 { h[i, j, k] += 1; } }
 *       <f32> $9 = atomic add $8 <- $7       →       <f32> $9 = plain add $8 <- $7
 * Checks for races of plain stores to such elements are dropped.
 * Elements of two fields are never the same memory. External arrays may be: where a loop writes
 * two, both stay atomic. */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/index.h"
#include "pass/pass.h"

/* How a task writes an array: index k, where `own[k]`, is always the same. */
typedef struct {
    const Var *var;
    int count;
    bool own[AXIS_MAX];
    Index at[AXIS_MAX];
} ArrayUse;

typedef struct {
    Compile *c;
    const Indices *indices;
    const Task *task;
    VEC(ArrayUse) arrays;
    int external; /* external arrays written */
} Demote;

/* ---- arrays ---- */

static ArrayUse *
find_array(Demote *d, const Var *v)
{
    for (int i = 0; i < d->arrays.count; i++)
        if (d->arrays.items[i].var == v)
            return &d->arrays.items[i];
    return NULL;
}

/* The index of an array that a place names first, or NULL: all of it. */
static const Inst *
first_element(const Inst *place, const Inst *base)
{
    while (place != base && place->args.items[0] != base)
        place = place->args.items[0];
    return place != base && place->kind == INST_ELEM ? place : NULL;
}

static Index
element_index(const Demote *d, const Inst *element, int k)
{
    if (!element || k + 1 >= element->args.count)
        return (Index){0};
    return indices_of(d->indices, d->task, element->args.items[k + 1]);
}

static void
note_write(Demote *d, Inst *place)
{
    const Inst *base = place_base(place);
    if (base->kind != INST_VAR)
        return;
    const Inst *element = first_element(place, base);
    ArrayUse *use = find_array(d, base->var);
    bool first = !use;
    if (first) {
        vec_push(d->c->arena, &d->arrays, (ArrayUse){.var = base->var});
        d->external += base->var->type->kind == TYPE_EXTERN;
        use = &vec_last(&d->arrays);
    }
    for (int k = 0; k < AXIS_MAX; k++) {
        Index at = element_index(d, element, k);
        bool own = at.known && at.var && at.min == at.max;
        if (first)
            use->at[k] = at;
        use->own[k] = own && (first || (use->own[k] && use->at[k].var == at.var &&
                                        use->at[k].min == at.min));
    }
}

static void
note_inst(Inst *i, void *arg)
{
    if (i->kind == INST_STORE || i->kind == INST_ATOMIC || i->kind == INST_REDUCE)
        note_write(arg, i->args.items[0]);
    for (int k = 0; i->kind == INST_CALL && k < i->args.count; k++)
        if (inst_info(i->args.items[k]->kind)->result == 'P')
            note_write(arg, i->args.items[k]);
}

static bool
array_is_own(Demote *d, const Var *v)
{
    const ArrayUse *use = find_array(d, v);
    unsigned variables = 0;
    if (!use || (v->type->kind == TYPE_EXTERN && d->external > 1))
        return false;
    for (int k = 0; k < AXIS_MAX; k++)
        for (int n = 0; use->own[k] && n < d->task->vars.count; n++)
            variables |= d->task->vars.items[n] == use->at[k].var ? 1u << n : 0;
    return variables == task_variables(d->task);
}

/* ---- tasks ---- */

/* No two iterations write the same element of what the place lies in. */
static bool
is_own(Demote *d, const Inst *base)
{
    if (base->kind == INST_IN_CELL || base->kind == INST_ROOT_PLACE)
        return task_owns(d->task, base->field);
    return base->kind == INST_VAR && array_is_own(d, base->var);
}

static void
demote_inst(Inst *i, void *arg)
{
    Demote *d = arg;
    if (i->kind == INST_ATOMIC && !i->plain)
        i->plain = is_own(d, place_base(i->args.items[0]));
}

/* Drops checks for races that cannot be. */
static void
drop_checks(Demote *d, Block *b)
{
    int kept = 0;
    for (int k = 0; b && k < b->insts.count; k++) {
        Inst *i = b->insts.items[k];
        drop_checks(d, i->blocks[0]);
        drop_checks(d, i->blocks[1]);
        if (i->kind != INST_CHECK_RACE || !is_own(d, place_base(i->args.items[0])))
            b->insts.items[kept++] = i;
    }
    if (b)
        b->insts.count = kept;
}

static void
demote_tasks(Compile *c, const Indices *indices, const Tasks *tasks)
{
    for (int i = 0; i < tasks->count; i++) {
        Task *t = tasks->items[i];
        Demote d = {.c = c, .indices = indices, .task = t};
        if (t->kind == TASK_RANGE_FOR || t->kind == TASK_STRUCT_FOR) {
            block_walk(t->body, note_inst, &d);
            block_walk(t->body, demote_inst, &d);
            drop_checks(&d, t->body);
        }
        demote_tasks(c, indices, &t->tasks);
        demote_tasks(c, indices, &t->orelse);
    }
}

void
pass_demote(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    if (f->tasks.count)
        demote_tasks(c, indices_new(c, f), &f->tasks);
}

/* ---- inout parameters ---- */

/* A parameter that gets what another one is. */
typedef struct {
    const Var *from;
    Var *to;
} Passed;

typedef struct {
    Demote *loop;            /* the parallel loop around; NULL: none */
    bool in_function;        /* which loops may call */
    Compile *c;
    VEC(Passed) passed;
} Search;

/* Marks the parameters that the call gives what other iterations may reach. */
static void
note_call(Inst *i, void *arg)
{
    Search *s = arg;
    for (int a = 0; i->kind == INST_CALL && a < i->args.count; a++) {
        Var *to = i->func->params.items[a];
        if (to->mode != PARAM_INOUT || to->type->kind == TYPE_EXTERN)
            continue;
        const Inst *base = place_base(i->args.items[a]);
        const Var *v = base->kind == INST_VAR ? base->var : NULL;
        if (v && v->mode == PARAM_INOUT && v->type->kind != TYPE_EXTERN)
            vec_push(s->c->scratch, &s->passed, (Passed){v, to});
        else if (v && v->kind == VAR_LOCAL && !v->shared)
            continue;
        else
            to->is_reached |= s->in_function || (s->loop && !is_own(s->loop, base));
    }
}

static void
note_calls_in_block(Block *b, void *arg)
{
    block_walk(b, note_call, arg);
}

static void
note_calls_in_tasks(Search *s, const Indices *indices, const Tasks *tasks)
{
    for (int i = 0; i < tasks->count; i++) {
        Task *t = tasks->items[i];
        Demote d = {.c = s->c, .indices = indices, .task = t};
        if (t->kind == TASK_RANGE_FOR || t->kind == TASK_STRUCT_FOR) {
            block_walk(t->body, note_inst, &d);
            s->loop = &d;
            block_walk(t->body, note_call, s);
            s->loop = NULL;
        }
        note_calls_in_tasks(s, indices, &t->tasks);
        note_calls_in_tasks(s, indices, &t->orelse);
    }
}

/* Sets Var.is_reached of all inout parameters anew, now that it is known which elements the
 * iterations of a loop have each for itself. */
static void
find_reached(Compile *c, Ir *ir)
{
    Search s = {.c = c};
    for (int i = 0; i < ir->funcs.count; i++)
        for (int k = 0; k < ir->funcs.items[i]->func->params.count; k++)
            ir->funcs.items[i]->func->params.items[k]->is_reached = false;
    for (int i = 0; i < ir->funcs.count; i++) {
        IrFunc *f = ir->funcs.items[i];
        s.in_function = f->func->kind == FUNC_DEVICE;
        if (s.in_function)
            ir_walk_blocks(f, note_calls_in_block, &s);
        else if (f->tasks.count)
            note_calls_in_tasks(&s, indices_new(c, f), &f->tasks);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < s.passed.count; i++) {
            const Passed *p = &s.passed.items[i];
            changed |= p->from->is_reached && !p->to->is_reached;
            p->to->is_reached |= p->from->is_reached;
        }
    }
    ir->knows_reached = true;
}

static bool
has_reached(const Func *f)
{
    for (int k = 0; k < f->params.count; k++)
        if (f->params.items[k]->is_reached)
            return true;
    return false;
}

static void
settle_atomic(Inst *i, void *arg)
{
    (void)arg;
    if (i->kind != INST_ATOMIC || i->plain)
        return;
    const Inst *base = place_base(i->args.items[0]);
    i->plain = base->kind == INST_VAR && base->var->mode == PARAM_INOUT &&
               base->var->type->kind != TYPE_EXTERN && !base->var->is_reached;
}

void
pass_inouts(Compile *c, Ir *ir, IrFunc *f)
{
    if (f->func->kind != FUNC_DEVICE || (!ir->knows_reached && !has_reached(f->func)))
        return;
    if (!ir->knows_reached)
        find_reached(c, ir);
    block_walk(f->body, settle_atomic, NULL);
}
