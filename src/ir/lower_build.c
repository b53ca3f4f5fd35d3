/* Small constructors of lowering: an instruction at the end of the block that is being filled. */
#include "config.h"

#include "ir/lower.h"

const Type *
lower_scalar(Lower *l, Scalar s)
{
    return type_scalar(l->p->types, s);
}

Inst *
lower_add(Lower *l, InstKind kind, const Type *type, Inst *a, Inst *b, Inst *c)
{
    Inst *i = ir_new(l->c, kind, type, l->span);
    if (a)
        ir_arg(l->c, i, a);
    if (b)
        ir_arg(l->c, i, b);
    if (c)
        ir_arg(l->c, i, c);
    block_add(l->c, l->block, i);
    return i;
}

Inst *
lower_value(Lower *l, Value v)
{
    Inst *i = lower_add(l, INST_CONST, v.type, NULL, NULL, NULL);
    i->value = v;
    return i;
}

Inst *
lower_integer(Lower *l, Scalar s, int64_t v)
{
    Leaf *leaf = ARENA_NEW(l->c->arena, Leaf);
    leaf->i = v;
    return lower_value(l, (Value){lower_scalar(l, s), leaf});
}

Inst *
lower_bool(Lower *l, bool v)
{
    return lower_integer(l, SCALAR_BOOL, v);
}

Inst *
lower_zero(Lower *l, const Type *t)
{
    return lower_value(l, (Value){t, ARENA_ARRAY(l->c->arena, Leaf, t->leaf_count)});
}

Inst *
lower_binary(Lower *l, Op op, Inst *a, Inst *b)
{
    bool compares = op >= OP_EQ && op <= OP_GE;
    const Type *type = compares ? type_with_scalar(l->p->types, a->type, SCALAR_BOOL) : a->type;
    Inst *i = lower_add(l, INST_BINARY, type, a, b, NULL);
    i->op = op;
    return i;
}

Inst *
lower_cast(Lower *l, Inst *v, Scalar to)
{
    if (v->type->scalar == to)
        return v;
    return lower_add(l, INST_CAST, type_with_scalar(l->p->types, v->type, to), v, NULL, NULL);
}

Block *
lower_enter(Lower *l, Block **old)
{
    *old = l->block;
    return l->block = ARENA_NEW(l->c->arena, Block);
}

void
lower_leave(Lower *l, Block *old)
{
    l->block = old;
}

Var *
lower_temp(Lower *l, const char *name, const Type *type)
{
    return ir_new_var(l->c, l->f, name, type, l->span);
}

Inst *
lower_var(Lower *l, Var *v)
{
    Inst *i = lower_add(l, INST_VAR, v->type, NULL, NULL, NULL);
    i->var = v;
    return i;
}

void
lower_declare(Lower *l, Var *v, Inst *value)
{
    Inst *i = lower_add(l, INST_STORE, NULL, lower_var(l, v), value, NULL);
    i->defines = true;
}

bool
lower_layouts_add(Arena *arena, void *set, Layout *layout)
{
    VEC(Layout *) *layouts = set;
    for (int i = 0; i < layouts->count; i++)
        if (layouts->items[i] == layout)
            return false;
    vec_push(arena, layouts, layout);
    return true;
}

Var *
lower_add_param(Compile *c, Func *func, const Var *of, const char *suffix, const Type *type)
{
    Var *v = ARENA_NEW(c->arena, Var);
    *v = (Var){.kind = VAR_ARG,
               .name = arena_printf(c->arena, "%s_%s", of->name, suffix),
               .type = type,
               .id = func->vars.count,
               .span = of->span,
               .mode = type->kind == TYPE_EXTERN ? PARAM_VALUE : PARAM_INOUT,
               .is_mutable = true,
               .is_stored = type->kind == TYPE_EXTERN};
    vec_push(c->arena, &func->vars, v);
    vec_push(c->arena, &func->params, v);
    return v;
}
