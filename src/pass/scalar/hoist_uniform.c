/* Loop-invariant code motion out of parallel loops, for values that cost more than a few
 * operations. C compilers move no branches out of loops, and most such functions have branches,
 * which keep the loop from being vectorised.
 *
 *     struct_for(S1dense) {                         serial {
 *         $5 = load in cell x                           $3 = builtin exp(param dt)
 *         $7 = builtin exp(param dt)          →         declare var exp <- $3
 *         $8 = $5 * $7                              }
 *         store in cell y <- $8                     struct_for(S1dense) {
 *     }                                                 $8 = $5 * load var exp
 *
 * A value is made of arguments, params, variables of the kernel that the loop leaves alone, and
 * local variables that are set once to such a value. It may lie under conditions and in sequential
 * loops, because it has no effects and cannot fail. Integers stay, because later passes read what
 * indices are made of. Plain arithmetic is left to the C compiler. On a GPU each lane computes its
 * own, because another task costs more. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"
#include "pass/code_motion.h"

#include <string.h>

typedef struct {
    Compile *c;
    const Ir *ir;
    IrFunc *f;
    int ids, vars;     /* more than any of these has */
    bool *changed;     /* by variable id: the loop does more than load it, and set it once */
    Inst **let;        /* by variable id: what it is set to in the loop, or NULL */
    bool *uniform;     /* by id: the same in all iterations */
    bool *costly;      /* by id: so is it, and it pays to compute it once */
    bool *leaves;      /* by id: is computed before the loop, for others than those that leave */
    bool any;          /* something in this loop */
    Inst **copy;       /* by id: in the new task, or NULL */
    Block *before;     /* of that */
} Uniform;

/* ---- what is uniform ---- */

/* Notes which variables the loop changes. */
static void
note_change(Inst *i, void *arg)
{
    Uniform *u = arg;
    for (int a = 0; i->kind != INST_LOAD && a < i->args.count; a++) {
        const Inst *place = i->args.items[a];
        if (place->kind != INST_VAR)
            continue;
        const int v = place->var->id;
        const bool sets = i->kind == INST_STORE && a == 0 && i->defines && !u->let[v];
        u->changed[v] |= !sets;
        if (sets)
            u->let[v] = i->args.items[1];
    }
}

static bool
is_uniform_load(const Uniform *u, const Inst *place)
{
    if (place->kind != INST_VAR || u->changed[place->var->id])
        return false;
    const Var *v = place->var;
    if (v->type->kind == TYPE_ARRAY || v->type->kind == TYPE_EXTERN || v->mode == PARAM_INOUT)
        return false;
    if (u->let[v->id])
        return u->uniform[u->let[v->id]->id];
    return v->kernel_level || v->kind == VAR_ARG;
}

/* Calls of functions that only compute; these get values, and change nothing. */
static bool
is_arithmetic_call(const Uniform *u, const Inst *i)
{
    if (!ir_is_arithmetic(u->ir, i->func) || ir_func(u->ir, i->func)->may_fail)
        return false;
    for (int p = 0; p < i->func->params.count; p++)
        if (i->func->params.items[p]->mode == PARAM_INOUT)
            return false;
    return true;
}

static bool
is_uniform(const Uniform *u, const Inst *i)
{
    switch (i->kind) {
    case INST_LOAD:
        return is_uniform_load(u, i->args.items[0]);
    case INST_CALL:
        if (!is_arithmetic_call(u, i))
            return false;
        break;
    case INST_COND: case INST_LOGIC: case INST_CONST: case INST_PARAM: case INST_EXTENT:
    case INST_UNARY: case INST_BINARY: case INST_CAST: case INST_BITCAST: case INST_SPLAT:
    case INST_MAKE: case INST_GET: case INST_FMA: case INST_BUILTIN: case INST_SELECT:
        break;
    default:
        return false;
    }
    for (int a = 0; a < i->args.count; a++)
        if (!u->uniform[i->args.items[a]->id])
            return false;
    for (int k = 0; k < 2 && i->blocks[k]; k++)
        for (int n = 0; n < i->blocks[k]->insts.count; n++) {
            const Inst *part = i->blocks[k]->insts.items[n];
            if (part->kind != INST_VAR && !u->uniform[part->id])
                return false;
        }
    return true;
}

/* Values come before what uses them, and those of blocks before what has the block. */
static void
find_uniform(Uniform *u, const Block *b)
{
    for (int n = 0; n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                find_uniform(u, i->blocks[k]);
        if (!is_uniform(u, i))
            continue;
        u->uniform[i->id] = true;
        u->costly[i->id] = code_motion_pays(i) || i->blocks[0] || i->kind == INST_CALL;
        for (int a = 0; i->kind != INST_LOAD && a < i->args.count; a++)
            u->costly[i->id] |= u->costly[i->args.items[a]->id];
    }
}

/* ---- what leaves ---- */

static bool
can_be_captured(const Type *type)
{
    return type && type->kind != TYPE_ARRAY && !type_is_integer(type) && !type_is_bool(type);
}

/* Lets a value leave that something else needs; of a value that stays, those that it is made of. */
static void
take_value(Uniform *u, const Inst *i)
{
    if (!u->costly[i->id])
        return;
    if (can_be_captured(i->type)) {
        u->leaves[i->id] = u->any = true;
        return;
    }
    for (int a = 0; a < i->args.count; a++)
        take_value(u, i->args.items[a]);
}

static void
find_leaving(Uniform *u, const Block *b)
{
    if (b->result)
        take_value(u, b->result);
    for (int n = 0; n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        if (u->uniform[i->id])
            continue;
        for (int a = 0; a < i->args.count; a++)
            take_value(u, i->args.items[a]);
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                find_leaving(u, i->blocks[k]);
    }
}

/* ---- the new task ---- */

static Inst *copy_value(Uniform *u, Block *to, const Inst *i);

static Block *
copy_block(Uniform *u, const Block *b)
{
    Block *copy = ARENA_NEW(u->c->arena, Block);
    for (int n = 0; n < b->insts.count; n++)
        if (b->insts.items[n]->kind != INST_VAR)
            copy_value(u, copy, b->insts.items[n]);
    copy->result = copy_value(u, copy, b->result);
    return copy;
}

/* What a block uses from around it is computed there, for what follows uses it too. */
static void
copy_outer(Uniform *u, Block *to, const Block *b, bool *own)
{
    for (int n = 0; n < b->insts.count; n++)
        own[b->insts.items[n]->id] = true;
    for (int n = 0; n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        if (i->kind == INST_LOAD && u->let[i->args.items[0]->var->id]) {
            const Inst *value = u->let[i->args.items[0]->var->id];
            if (!own[value->id])
                copy_value(u, to, value);
        }
        for (int a = 0; i->kind != INST_LOAD && a < i->args.count; a++)
            if (!own[i->args.items[a]->id])
                copy_value(u, to, i->args.items[a]);
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                copy_outer(u, to, i->blocks[k], own);
    }
    if (b->result && !own[b->result->id])
        copy_value(u, to, b->result);
}

/* A value in the new task, or the variable of a load, after all that it is made of: each once. */
static Inst *
copy_value(Uniform *u, Block *to, const Inst *i)
{
    if (u->copy[i->id])
        return u->copy[i->id];
    if (i->kind == INST_LOAD && u->let[i->args.items[0]->var->id])
        return u->copy[i->id] = copy_value(u, to, u->let[i->args.items[0]->var->id]);
    Inst *copy = ARENA_NEW(u->c->arena, Inst);
    *copy = *i;
    copy->args = (Insts){0};
    for (int a = 0; a < i->args.count; a++)
        ir_arg(u->c, copy, copy_value(u, to, i->args.items[a]));
    bool *own = i->blocks[0] ? ARENA_ARRAY(u->c->scratch, bool, u->ids) : NULL;
    for (int k = 0; k < 2 && i->blocks[k]; k++)
        copy_outer(u, to, i->blocks[k], own);
    for (int k = 0; k < 2 && i->blocks[k]; k++)
        copy->blocks[k] = copy_block(u, i->blocks[k]);
    block_add(u->c, to, copy);
    return u->copy[i->id] = copy;
}

static const char *
name_of(const Inst *i)
{
    return i->kind == INST_BUILTIN ? builtin_name(i->builtin)
           : i->kind == INST_CALL  ? i->func->name
                                   : "uniform";
}

/* Computes a value before the loop, into a new variable, which it becomes a load of; gives the
 * place that is loaded. */
static Inst *
leave(Uniform *u, Inst *i)
{
    Compile *c = u->c;
    Inst *value = copy_value(u, u->before, i), *place[2];
    Var *v = ir_new_var(c, u->f, name_of(i), i->type, i->span);
    v->kernel_level = true;
    v->is_mutable = false;
    v->is_let = true;
    for (int k = 0; k < 2; k++) {
        place[k] = ir_new(c, INST_VAR, i->type, i->span);
        place[k]->var = v;
    }
    block_add(c, u->before, place[0]);
    ir_add(c, u->before, INST_STORE, NULL, i->span, place[0], value)->defines = true;
    *i = (Inst){.kind = INST_LOAD, .id = i->id, .span = i->span, .type = i->type};
    ir_arg(c, i, place[1]);
    return place[1];
}

static void
rewrite_block(Uniform *u, Block *b)
{
    Insts out = {0};
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        if (u->leaves[i->id])
            vec_push(u->c->arena, &out, leave(u, i));
        vec_push(u->c->arena, &out, i);
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                rewrite_block(u, i->blocks[k]);
    }
    b->insts = out;
}

/* ---- loops ---- */

/* Computes before the loop what leaves it; gives the task that does so, or NULL. */
static Task *
hoist_from(Uniform *u, const Task *t)
{
    memset(u->changed, 0, (size_t)u->vars * sizeof *u->changed);
    u->any = false;
    block_walk(t->body, note_change, u);
    find_uniform(u, t->body);
    find_leaving(u, t->body);
    if (!u->any)
        return NULL;
    u->before = ARENA_NEW(u->c->arena, Block);
    rewrite_block(u, t->body);
    Task *before = ARENA_NEW(u->c->arena, Task);
    *before = (Task){.kind = TASK_SERIAL, .span = t->span, .body = u->before};
    return before;
}

static void
look_at_tasks(Uniform *u, Tasks *tasks)
{
    Tasks out = {0};
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        look_at_tasks(u, &t->tasks);
        look_at_tasks(u, &t->orelse);
        const bool loop = t->kind == TASK_RANGE_FOR || t->kind == TASK_STRUCT_FOR;
        Task *before = loop ? hoist_from(u, t) : NULL;
        if (before)
            vec_push(u->c->arena, &out, before);
        vec_push(u->c->arena, &out, t);
    }
    *tasks = out;
}

static void
find_cost(Inst *i, void *arg)
{
    bool *found = arg;
    *found |= code_motion_pays(i) || i->kind == INST_COND || i->kind == INST_CALL;
}

static void
find_cost_in(Block *b, void *arg)
{
    block_walk(b, find_cost, arg);
}

void
pass_hoist_uniform(Compile *c, Ir *ir, IrFunc *f)
{
    bool found = false;
    ir_walk_blocks(f, find_cost_in, &found);
    if (!found || !f->tasks.count)
        return;
    Uniform u = {.c = c, .ir = ir, .f = f, .ids = ir_number(f) + 1, .vars = ir_var_limit(f)};
    u.changed = ARENA_ARRAY(c->scratch, bool, u.vars);
    u.let = ARENA_ARRAY(c->scratch, Inst *, u.vars);
    u.uniform = ARENA_ARRAY(c->scratch, bool, u.ids);
    u.costly = ARENA_ARRAY(c->scratch, bool, u.ids);
    u.leaves = ARENA_ARRAY(c->scratch, bool, u.ids);
    u.copy = ARENA_ARRAY(c->scratch, Inst *, u.ids);
    look_at_tasks(&u, &f->tasks);
}
