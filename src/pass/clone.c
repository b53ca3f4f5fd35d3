/* Copies code: blocks, loops, variables. */
#include "config.h"

#include "pass/clone.h"

#include "ir/inst_info.h"

Var *
clone_var(Clone *k, const Var *v)
{
    Var *copy = ARENA_NEW(k->c->arena, Var);
    *copy = *v;
    copy->id = k->f->vars.count;
    copy->kind = v->kind == VAR_ARG ? VAR_LOCAL : v->kind;
    vec_push(k->c->arena, &k->f->vars, copy);
    return copy;
}

static Var *
var_of(Clone *k, Var *v)
{
    if (k->renames && !k->vars[v->id])
        k->vars[v->id] = clone_var(k, v);
    return k->vars[v->id] ? k->vars[v->id] : v;
}

Inst *
clone_of(const Clone *k, Inst *i)
{
    return k->insts[i->id] ? k->insts[i->id] : i;
}

static Block *copy_block(Clone *k, const Block *b);

static void
copy_operands(Clone *k, const Inst *i, Inst *to)
{
    to->args = (Insts){0};
    for (int a = 0; a < i->args.count; a++)
        ir_arg(k->c, to, clone_of(k, i->args.items[a]));
    for (int s = 0; s < 2; s++)
        to->blocks[s] = i->blocks[s] ? copy_block(k, i->blocks[s]) : NULL;
    if (i->kind == INST_VAR)
        to->var = var_of(k, i->var);
    if (i->kind == INST_FOR || i->kind == INST_FOR_CELLS) {
        to->vars.items = NULL;
        to->vars.count = to->vars.room = 0;
        for (int v = 0; v < i->vars.count; v++)
            vec_push(k->c->arena, &to->vars, var_of(k, i->vars.items[v]));
    }
    if (i->kind == INST_ASSERT) {
        to->assert_args = (Insts){0};
        for (int a = 0; a < i->assert_args.count; a++)
            vec_push(k->c->arena, &to->assert_args, clone_of(k, i->assert_args.items[a]));
    }
}

/* A variable of the iteration, or a part of it. */
static bool
is_own(const Inst *place)
{
    const Inst *root = inst_place_root(place);
    return root->kind == INST_VAR && var_is_own(root->var);
}

/* An atomic update of an inout parameter that is a variable of the iteration now: an operation and
 * a store. False where it is none. */
static bool
copy_update(Clone *k, const Inst *i, Block *to)
{
    const Op op = i->kind == INST_ATOMIC ? atomic_operator(i->atomic_op) : OP_NONE;
    if (op == OP_NONE || i->uses)
        return false;
    Inst *place = clone_of(k, i->args.items[0]), *by = clone_of(k, i->args.items[1]);
    if (!is_own(place))
        return false;
    Inst *old = ir_add(k->c, to, INST_LOAD, i->type, i->span, place, NULL);
    Inst *value = ir_binary(k->c, op, i->type, i->span, old, by);
    block_add(k->c, to, value);
    k->insts[i->id] = ir_add(k->c, to, INST_STORE, NULL, i->span, place, value);
    return true;
}

void
clone_inst(Clone *k, const Inst *i, Block *to)
{
    if (k->insts[i->id] || (k->renames && copy_update(k, i, to)))
        return;
    Inst *copy = i == k->moved ? k->into : ARENA_NEW(k->c->arena, Inst);
    *copy = *i;
    k->insts[i->id] = copy;
    copy_operands(k, i, copy);
    copy->plain |= k->renames && i->kind == INST_ATOMIC && is_own(copy->args.items[0]);
    block_add(k->c, to, copy);
}

static Block *
copy_block(Clone *k, const Block *b)
{
    Block *copy = ARENA_NEW(k->c->arena, Block);
    for (int n = 0; n < b->insts.count; n++)
        clone_inst(k, b->insts.items[n], copy);
    copy->result = b->result ? clone_of(k, b->result) : NULL;
    return copy;
}

Inst *
clone_value(Compile *c, Block *to, const Inst *i)
{
    Inst *copy = ARENA_NEW(c->arena, Inst);
    *copy = *i;
    copy->args = (Insts){0};
    for (int a = 0; a < i->args.count; a++)
        ir_arg(c, copy, clone_value(c, to, i->args.items[a]));
    block_add(c, to, copy);
    return copy;
}

Clone
clone_begin(Compile *c, IrFunc *f)
{
    Clone k = {.c = c, .f = f};
    k.insts = ARENA_ARRAY(c->scratch, Inst *, ir_number(f));
    k.vars = ARENA_ARRAY(c->scratch, Var *, ir_var_limit(f));
    return k;
}

Block *
clone_block(Compile *c, IrFunc *f, const Block *b)
{
    Clone k = clone_begin(c, f);
    return copy_block(&k, b);
}

/* ---- loops ---- */

typedef struct {
    Clone copy;
    const Block *body;
} LoopCopy;

static void
keep_var(Inst *i, void *arg)
{
    Clone *k = arg;
    if (i->kind == INST_VAR)
        k->vars[i->var->id] = i->var;
    for (int v = 0; (i->kind == INST_FOR || i->kind == INST_FOR_CELLS) && v < i->vars.count; v++)
        k->vars[i->vars.items[v]->id] = i->vars.items[v];
}

static void
keep_outer_var(Inst *i, void *arg)
{
    if (i->kind == INST_VAR && (i->var->kernel_level || i->var->kind == VAR_ARG))
        keep_var(i, arg);
}

/* Variables that are used elsewhere too, or may be, stay as they are. */
static void
keep_vars(Block *b, void *arg)
{
    LoopCopy *k = arg;
    block_walk(b, b == k->body ? keep_outer_var : keep_var, &k->copy);
}

static void
copy_bounds(Clone *k, const Insts *list, Insts *out)
{
    *out = (Insts){0};
    for (int n = 0; n < list->count; n++)
        vec_push(k->c->arena, out, list->items[n] ? clone_of(k, list->items[n]) : NULL);
}

Task *
clone_loop(Compile *c, IrFunc *f, const Task *t)
{
    LoopCopy k = {clone_begin(c, f), t->body};
    Task *copy = ARENA_NEW(c->arena, Task);
    *copy = *t;
    ir_walk_blocks(f, keep_vars, &k);
    k.copy.renames = true;
    copy->vars.items = NULL;
    copy->vars.count = copy->vars.room = 0;
    for (int v = 0; v < t->vars.count; v++)
        vec_push(c->arena, &copy->vars, var_of(&k.copy, t->vars.items[v]));
    copy->setup = t->setup ? copy_block(&k.copy, t->setup) : NULL;
    copy_bounds(&k.copy, &t->from, &copy->from);
    copy_bounds(&k.copy, &t->to, &copy->to);
    copy_bounds(&k.copy, &t->step, &copy->step);
    copy->body = copy_block(&k.copy, t->body);
    return copy;
}

Block *
clone_bounds(Compile *c, IrFunc *f, const Task *t, Insts *from, Insts *to)
{
    Clone k = clone_begin(c, f);
    Block *b = t->setup ? copy_block(&k, t->setup) : ARENA_NEW(c->arena, Block);
    copy_bounds(&k, &t->from, from);
    copy_bounds(&k, &t->to, to);
    return b;
}
