/* Copies of code. */
#include "config.h"

#include "pass/copy.h"

Var *
copy_var(Copy *k, const Var *v)
{
    Var *copy = ARENA_NEW(k->c->arena, Var);
    *copy = *v;
    copy->id = k->f->vars.count;
    copy->kind = v->kind == VAR_ARG ? VAR_LOCAL : v->kind;
    vec_push(k->c->arena, &k->f->vars, copy);
    return copy;
}

static Var *
var_of(Copy *k, Var *v)
{
    if (k->renames && !k->vars[v->id])
        k->vars[v->id] = copy_var(k, v);
    return k->vars[v->id] ? k->vars[v->id] : v;
}

Inst *
copy_of(const Copy *k, Inst *i)
{
    return k->insts[i->id] ? k->insts[i->id] : i;
}

static Block *copy_block(Copy *k, const Block *b);

static void
copy_operands(Copy *k, const Inst *i, Inst *to)
{
    to->args = (Insts){0};
    for (int a = 0; a < i->args.count; a++)
        ir_arg(k->c, to, copy_of(k, i->args.items[a]));
    for (int s = 0; s < 2; s++)
        to->blocks[s] = i->blocks[s] ? copy_block(k, i->blocks[s]) : NULL;
    if (i->kind == INST_VAR || i->kind == INST_CHECK_INIT)
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
            vec_push(k->c->arena, &to->assert_args, copy_of(k, i->assert_args.items[a]));
    }
}

void
copy_inst(Copy *k, const Inst *i, Block *to)
{
    if (k->insts[i->id])
        return;
    Inst *copy = i == k->moved ? k->into : ARENA_NEW(k->c->arena, Inst);
    *copy = *i;
    k->insts[i->id] = copy;
    copy_operands(k, i, copy);
    block_add(k->c, to, copy);
}

static Block *
copy_block(Copy *k, const Block *b)
{
    Block *copy = ARENA_NEW(k->c->arena, Block);
    for (int n = 0; n < b->insts.count; n++)
        copy_inst(k, b->insts.items[n], copy);
    copy->result = b->result ? copy_of(k, b->result) : NULL;
    return copy;
}

Block *
copy_of_block(Compile *c, IrFunc *f, const Block *b)
{
    Copy k = {.c = c, .f = f};
    k.insts = ARENA_ARRAY(c->scratch, Inst *, ir_number(f));
    k.vars = ARENA_ARRAY(c->scratch, Var *, ir_var_limit(f));
    return copy_block(&k, b);
}
