/* Splits whole vectors and matrices in memory into their components. */
#include "config.h"

#include "pass/scalarize.h"

#include "analysis/affine.h"
#include "ir/inst_info.h"
#include "ir/lower.h"

enum { LEAVES_MOST = 16 };

/* A vector or matrix in a cell that is small enough. */
static bool
is_whole(Inst *place)
{
    const Type *t = place->type;
    return t && (t->kind == TYPE_VECTOR || t->kind == TYPE_MATRIX) &&
           t->leaf_count <= LEAVES_MOST && affine_place_base(place)->kind == INST_IN_CELL;
}

/* The place of component k of a place. */
static Inst *
component(Lower *l, Inst *place, int k)
{
    const Type *t = place->type;
    Inst *first = lower_integer(l, SCALAR_I32, t->kind == TYPE_MATRIX ? k / t->cols : k);
    Inst *second = t->kind == TYPE_MATRIX ? lower_integer(l, SCALAR_I32, k % t->cols) : NULL;
    return lower_add(l, INST_ELEM, lower_scalar(l, t->scalar), place, first, second);
}

static void
load_apart(Lower *l, Inst *load)
{
    Inst *place = load->args.items[0], *parts[LEAVES_MOST];
    const Type *scalar = lower_scalar(l, place->type->scalar);
    int count = place->type->leaf_count;
    for (int k = 0; k < count; k++)
        parts[k] = lower_add(l, INST_LOAD, scalar, component(l, place, k), NULL, NULL);
    load->kind = INST_MAKE;
    load->args = (Insts){0};
    for (int k = 0; k < count; k++)
        ir_arg(l->c, load, parts[k]);
    block_add(l->c, l->block, load);
}

static void
store_apart(Lower *l, const Inst *store)
{
    Inst *place = store->args.items[0], *value = store->args.items[1];
    for (int k = 0; k < place->type->leaf_count; k++) {
        Inst *part =
            lower_add(l, INST_GET, lower_scalar(l, place->type->scalar), value, NULL, NULL);
        part->index = k;
        lower_add(l, INST_STORE, NULL, component(l, place, k), part, NULL);
    }
}

/* Is a number made of loop variables alone? Then C compilers see which elements lie side by
 * side. */
static bool
is_of_indices(const Inst *i)
{
    if (i->kind == INST_LOAD)
        return i->args.items[0]->kind == INST_VAR && i->args.items[0]->var->kind == VAR_INDEX;
    bool only = inst_info(i->kind)->effects == 'P';
    for (int a = 0; a < i->args.count && only; a++)
        only = is_of_indices(i->args.items[a]);
    return only;
}

/* The number of a cell as an i32, where it is one: indices of a gather are then as wide as
 * floats. */
static void
narrow_number(Lower *l, Inst *lookup)
{
    Inst *number = lookup->args.items[1];
    const Node *n = lookup->node;
    if (n->kind != NODE_DENSE || !n->cell_count || n->cell_count > INT32_MAX ||
        number->kind == INST_CONST || number->type->scalar != SCALAR_I64 || is_of_indices(number))
        return;
    lookup->args.items[1] = lower_cast(l, lower_cast(l, number, SCALAR_I32), SCALAR_I64);
}

static void
take_apart(Lower *l, Block *b)
{
    Insts old = block_take(b);
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                take_apart(l, i->blocks[k]);
        l->block = b;
        l->span = i->span;
        if (i->kind == INST_LOOKUP)
            narrow_number(l, i);
        if (i->kind == INST_LOAD && is_whole(i->args.items[0]))
            load_apart(l, i);
        else if (i->kind == INST_STORE && is_whole(i->args.items[0]))
            store_apart(l, i);
        else
            block_add(l->c, b, i);
    }
    insts_free(l->c, &old);
}

void
scalarize_block(Compile *c, Ir *ir, IrFunc *f, Block *b)
{
    Lower l = {.c = c, .p = ir->prog, .f = f};
    take_apart(&l, b);
}
