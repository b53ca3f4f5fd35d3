/* --check: variables that must be set before use. One that is declared without a value has a flag,
 * a variable of its own that says that the whole was set, and flags for its parts. An inout
 * parameter of a device function has those of what it is given, which are hidden parameters. */
#include "config.h"

#include <string.h>

#include "ir/lower.h"

/* ---- flags ---- */

static Inst *
flag_of(Lower *l, const Var *v)
{
    return lower_var(l, l->flags[v->id]);
}

static Inst *
load_flag(Lower *l, Inst *place)
{
    return lower_add(l, INST_LOAD, lower_scalar(l, SCALAR_BOOL), place, NULL, NULL);
}

static void
store_flag(Lower *l, Inst *place, Inst *value)
{
    lower_add(l, INST_STORE, NULL, place, value, NULL);
}

void
lower_declare_flags(Lower *l, const Var *v)
{
    const int64_t count = type_flag_count(v->type);
    if (!(l->c->options.check & CHECK_BOUNDS) || v->id >= l->flag_count)
        return;
    const Type *boolean = lower_scalar(l, SCALAR_BOOL);
    l->flags[v->id] = lower_temp(l, arena_printf(l->c->arena, "%s_set", v->name), boolean);
    l->flags[v->id]->shared = v->shared;
    lower_declare(l, l->flags[v->id], lower_bool(l, false));
    if (count < 2)
        return;
    const Type *flags = type_array(l->p->types, boolean, 1, &count);
    l->part_flags[v->id] = lower_temp(l, arena_printf(l->c->arena, "%s_parts_set", v->name), flags);
    l->part_flags[v->id]->shared = v->shared;
    lower_declare(l, l->part_flags[v->id], lower_zero(l, flags));
}

/* How many flags the place has, beside that of its whole variable. */
static int
flag_count(Lower *l, const LowPlace *p)
{
    if (!l->part_flags[p->var->id] || p->type->kind == TYPE_ARRAY)
        return 0;
    const int64_t leaves = type_leaves_of_flag(p->var->type);
    return (int)((p->type->leaf_count + leaves - 1) / leaves);
}

static Inst *
flag_place(Lower *l, const LowPlace *p, int n)
{
    const int64_t after = p->flag_leaf / type_leaves_of_flag(p->var->type) + n;
    Inst *index = p->flag;
    if (!index || after) {
        Inst *constant = lower_integer(l, SCALAR_I64, after);
        index = index ? lower_binary(l, OP_ADD, index, constant) : constant;
    }
    return lower_add(l, INST_ELEM, lower_scalar(l, SCALAR_BOOL),
                     lower_var(l, l->part_flags[p->var->id]), index, NULL);
}

/* ---- uses and stores ---- */

void
lower_check_init(Lower *l, const LowPlace *p)
{
    if (!p->var)
        return;
    Inst *is_set = load_flag(l, flag_of(l, p->var));
    for (int i = 0; i < flag_count(l, p); i++)
        is_set = lower_binary(l, OP_OR, is_set, load_flag(l, flag_place(l, p, i)));
    Inst *check = lower_add(l, INST_CHECK_INIT, NULL, is_set, NULL, NULL);
    check->string = var_unset_text(l->c->arena, p->var);
    check->string_bytes = strlen(check->string);
}

void
lower_set_flag(Lower *l, const LowPlace *p)
{
    if (!p->var)
        return;
    const int count = p->type == p->var->type ? 0 : flag_count(l, p);
    if (count == 0)
        store_flag(l, flag_of(l, p->var), lower_bool(l, true));
    for (int i = 0; i < count; i++)
        store_flag(l, flag_place(l, p, i), lower_bool(l, true));
}

/* ---- arguments ---- */

void
lower_add_flag_params(Compile *c, const Prog *p)
{
    const Type *boolean = type_scalar(p->types, SCALAR_BOOL);
    for (int i = 0; i < p->funcs.count; i++) {
        Func *func = p->funcs.items[i];
        const int count = func->params.count;
        for (int k = 0; func->kind == FUNC_DEVICE && k < count; k++) {
            Var *v = func->params.items[k];
            if (v->mode != PARAM_INOUT || v->set)
                continue;
            v->set = lower_add_param(c, func, v, "set", boolean);
            if (type_flag_count(v->type) > 1)
                v->parts_set =
                    lower_add_param(c, func, v, "parts_set", type_extern(p->types, boolean, 1));
        }
    }
}

void
lower_take_flag_params(Lower *l, const Func *func)
{
    for (int i = 0; i < func->params.count; i++) {
        const Var *v = func->params.items[i];
        l->flags[v->id] = v->set;
        l->part_flags[v->id] = v->parts_set;
    }
}

/* The flag of a place of which there is one: that of the whole variable if it has no others. */
static Inst *
only_flag(Lower *l, const LowPlace *p)
{
    if (flag_count(l, p) == 0)
        return flag_of(l, p->var);
    Inst *flag = flag_place(l, p, 0), *whole = load_flag(l, flag_of(l, p->var));
    store_flag(l, flag, lower_binary(l, OP_OR, load_flag(l, flag), whole));
    return flag;
}

static Inst *
copied_flag(Lower *l, const FlagCopy *copy, int n)
{
    return lower_add(l, INST_ELEM, lower_scalar(l, SCALAR_BOOL), lower_var(l, copy->parts),
                     lower_integer(l, SCALAR_I64, n), NULL);
}

/* The flags of a place, or of one that is always set, in variables of their own: those of a part
 * lie among others. */
static void
copy_flags(Lower *l, const LowPlace *p, FlagCopy *out)
{
    const int64_t count = type_flag_count(p->type);
    const Type *boolean = lower_scalar(l, SCALAR_BOOL);
    const Type *flags = type_array(l->p->types, boolean, 1, &count);
    out->set = lower_temp(l, "set", boolean);
    lower_declare(l, out->set, p->var ? load_flag(l, flag_of(l, p->var)) : lower_bool(l, true));
    out->parts = lower_temp(l, "parts_set", flags);
    lower_declare(l, out->parts, lower_zero(l, flags));
    out->count = (int)count;
    const int from = p->var ? flag_count(l, p) : 0;
    for (int n = 0; from > 0 && n < out->count; n++)
        store_flag(l, copied_flag(l, out, n),
                   load_flag(l, flag_place(l, p, from < out->count ? 0 : n)));
}

void
lower_give_flags(Lower *l, Inst *call, const Var *param, const LowPlace *p, FlagCopy *copy)
{
    if (!param->set)
        return;
    const bool is_whole = p->var && p->type == p->var->type;
    if (is_whole || (p->var && !param->parts_set)) {
        ir_arg(l->c, call, is_whole ? flag_of(l, p->var) : only_flag(l, p));
        if (param->parts_set)
            ir_arg(l->c, call, lower_var(l, l->part_flags[p->var->id]));
        return;
    }
    copy_flags(l, p, copy);
    ir_arg(l->c, call, lower_var(l, copy->set));
    if (param->parts_set)
        ir_arg(l->c, call, lower_var(l, copy->parts));
}

/* The place of the argument is set where its copy is: other stores of the function may have set it
 * too. */
void
lower_take_flags(Lower *l, const Var *param, const LowPlace *p, const FlagCopy *copy)
{
    if (!param->set) {
        lower_set_flag(l, p);
        return;
    }
    const int to = p->var ? flag_count(l, p) : 0;
    for (int n = 0; p->var && n < copy->count; n++) {
        Inst *flag = to == 0 ? flag_of(l, p->var) : flag_place(l, p, to < copy->count ? 0 : n);
        Inst *is_set = lower_binary(l, OP_OR, load_flag(l, lower_var(l, copy->set)),
                                    load_flag(l, copied_flag(l, copy, n)));
        store_flag(l, flag, lower_binary(l, OP_OR, load_flag(l, flag), is_set));
    }
}
