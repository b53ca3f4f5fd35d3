/* Functions whose inout arguments lie apart in memory, such as vectors with @soa: in one made for
 * such arguments, each of their scalars is an inout parameter of its own. What a function adds to
 * these is then atomic where it is, as it is to an argument that lies together.
 *
 *     func add(inout i32x2 a, i32 n)     →     add_apart(inout i32 a_0, inout i32 a_1, i32 n)
 */
#include "config.h"

#include <string.h>

#include "ir/lower.h"

enum { PARAMS_MOST = 64 }; /* that may be apart: bits of Func.apart */

/* ---- functions ---- */

static bool
is_apart(const Func *func, int param)
{
    return param < PARAMS_MOST && func->apart >> param & 1;
}

static int
add_scalars(Lower *l, Func *func, const Var *of, int leaf, const Type *type)
{
    if (type->kind == TYPE_SCALAR) {
        const char *number = arena_printf(l->c->arena, "%d", leaf);
        lower_add_param(l->c, func, of, number, type)->is_reached = of->is_reached;
        return leaf + 1;
    }
    for (int i = 0; i < lower_part_count(type); i++)
        leaf = add_scalars(l, func, of, leaf, lower_part_type(l, type, i));
    return leaf;
}

/* Is it a hidden parameter with the flags of one that lies apart? Such a place has none. */
static bool
is_flag_of_apart(const Func *func, const Var *v)
{
    for (int i = 0; i < func->whole->params.count; i++) {
        const Var *of = func->whole->params.items[i];
        if (is_apart(func, i) && (of->set == v || of->parts_set == v))
            return true;
    }
    return false;
}

static const char *
unique_name(const Lower *l, const Func *whole)
{
    const char *name = NULL;
    for (int n = 0; !name; n++) {
        name = arena_printf(l->c->arena, n ? "%s_apart%d" : "%s_apart", whole->unique, n);
        for (int i = 0; name && i < l->p->funcs.count; i++)
            if (strcmp(l->p->funcs.items[i]->unique, name) == 0)
                name = NULL;
    }
    return name;
}

Func *
lower_apart_func(Lower *l, Func *whole, uint64_t apart)
{
    for (int i = 0; i < l->p->funcs.count; i++) {
        Func *func = l->p->funcs.items[i];
        if (func->whole == whole && func->apart == apart)
            return func;
    }
    Func *func = ARENA_NEW(l->c->arena, Func);
    *func = *whole;
    func->whole = whole;
    func->apart = apart;
    func->unique = unique_name(l, whole);
    func->id = l->p->funcs.count;
    memset(&func->params, 0, sizeof func->params);
    memset(&func->vars, 0, sizeof func->vars);
    for (int i = 0; i < whole->vars.count; i++)
        vec_push(l->c->arena, &func->vars, whole->vars.items[i]);
    for (int i = 0; i < whole->params.count; i++) {
        Var *v = whole->params.items[i];
        if (is_apart(func, i))
            add_scalars(l, func, v, 0, v->type);
        else if (!is_flag_of_apart(func, v))
            vec_push(l->c->arena, &func->params, v);
    }
    vec_push(l->c->arena, &l->p->funcs, func);
    return func;
}

void
lower_take_apart_params(Lower *l, const Func *func)
{
    l->apart = ARENA_ARRAY(l->c->arena, Var *const *, func->vars.count);
    if (!func->whole)
        return;
    Var *const *scalars = func->vars.items + func->whole->vars.count; /* behind all others */
    for (int i = 0; i < func->whole->params.count; i++) {
        const Var *v = func->whole->params.items[i];
        if (is_apart(func, i)) {
            l->apart[v->id] = scalars;
            scalars += v->type->leaf_count;
        }
    }
}

/* ---- calls ---- */

/* Is it an element, or a part of one, at the indices of the parallel loop around, where no other
 * iteration comes? */
static bool
is_own(const Lower *l, const LowPlace *p)
{
    const int count = l->parallel->vars.count;
    int met = 0;
    for (int i = 0; p->field && i < count; i++) {
        int a = 0;
        while (a < p->field->axis_count && lower_loop_variable(l->parallel, p->index[a]) != i)
            a++;
        met += a < p->field->axis_count;
    }
    return count > 0 && met == count;
}

bool
lower_is_given_apart(const Lower *l, const Func *to, int param, const LowPlace *p)
{
    return to->kind == FUNC_DEVICE && param < PARAMS_MOST && !(l->parallel && is_own(l, p));
}

void
lower_note_given(Lower *l, const Inst *call)
{
    const Func *whole = l->f->func->whole;
    for (int k = 0; whole && k < call->func->params.count; k++) {
        Var *to = call->func->params.items[k];
        const Inst *root = to->mode == PARAM_INOUT ? inst_place_root(call->args.items[k]) : NULL;
        if (root && root->kind == INST_VAR && root->var->kind == VAR_ARG &&
            root->var->id >= whole->vars.count)
            vec_push(l->c->arena, &root->var->given_to, to);
    }
}

void
lower_give_apart(Lower *l, const LowPlace *p, Insts *args)
{
    if (p->type->kind == TYPE_SCALAR) {
        vec_push(l->c->arena, args, lower_place_inst(l, p));
        return;
    }
    for (int i = 0; i < lower_part_count(p->type); i++) {
        const LowPlace part = lower_part(l, p, i, lower_part_type(l, p->type, i));
        lower_give_apart(l, &part, args);
    }
}
