/* Scalar replacement of aggregates. Local vectors of integers become their components if each
 * component is named by a known number. Later passes then see what the indices of a cell are made
 * of.
 *
 *     $5 = var e                                    $9 = const 1
 *     declare $5 <- const i32x2(0, 0)
 *     $7 = elem $5[1]                       →
 *     store $7 <- const 1
 *     $12 = load elem $5[1]
 *     $14 = $13 + $12                               $14 = $13 + $9
 *
 * Everything assigned to the vector has components itself, in the block that declares the vector.
 * Each component is then one value at each place and needs no variable. A use of the whole vector
 * gets a vector made of them. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/affine.h"
#include "pass/replace.h"

enum { PARTS_MOST = 4 };

typedef struct {
    Inst *part[PARTS_MOST];
} Parts;

/* A local vector. */
typedef struct {
    const Block *home; /* declares it */
    bool stays;
    Parts now;         /* its components, where the code is at */
} Local;

typedef struct {
    Compile *c;
    Types *types;
    Local *locals;     /* by variable id */
    bool *known;       /* by id: has components */
    Parts **parts;     /* by id: these, or NULL */
    Inst **replaced;   /* by id: what stands in place of the instruction, or NULL */
    bool found, changed;
} Components;

static bool
is_index_vector(const Type *type)
{
    return type && type->kind == TYPE_VECTOR && type_is_integer(type) &&
           type->leaf_count <= PARTS_MOST;
}

/* The local vector that a place is, or is a component of, or NULL. */
static Local *
local_of(const Components *k, const Inst *place)
{
    const Inst *var = place->kind == INST_ELEM ? place->args.items[0] : place;
    return var->kind == INST_VAR && var->var->kind == VAR_LOCAL && is_index_vector(var->var->type)
               ? &k->locals[var->var->id]
               : NULL;
}

/* Is it declared in the loop, and becomes its components? */
static bool
goes(const Local *local)
{
    return local && local->home && !local->stays;
}

/* ---- which vectors ---- */

/* What else is done to a place than to load, store, or name a component of it? */
static void
look_at_operands(const Components *k, const Inst *i)
{
    for (int a = 0; a < i->args.count; a++) {
        const Inst *place = i->args.items[a];
        Local *local = local_of(k, place);
        const bool part = i->kind == INST_ELEM && place->kind == INST_VAR && a == 0 &&
                          affine_component(i) >= 0;
        if (local && i->kind != INST_LOAD && !(i->kind == INST_STORE && a == 0) && !part)
            local->stays = true;
    }
}

static void
look_at_block(Components *k, const Block *b)
{
    for (int n = 0; n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        look_at_operands(k, i);
        Local *local = i->kind == INST_STORE ? local_of(k, i->args.items[0]) : NULL;
        if (local && (i->defines ? local->home != NULL : local->home != b))
            local->stays = true;
        if (local && i->defines)
            local->home = b;
        for (int s = 0; s < 2; s++)
            if (i->blocks[s])
                look_at_block(k, i->blocks[s]);
    }
}

static bool
has_parts(const Components *k, const Inst *i)
{
    if (!is_index_vector(i->type))
        return false;
    Inst *const *a = i->args.items;
    const Local *local = i->kind == INST_LOAD ? local_of(k, a[0]) : NULL;
    switch (i->kind) {
    case INST_CONST: case INST_SPLAT: return true;
    case INST_MAKE: return i->args.count == i->type->leaf_count;
    case INST_LOAD: return goes(local);
    case INST_BINARY:
        return (i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL) && k->known[a[0]->id] &&
               k->known[a[1]->id];
    default: return false;
    }
}

static void
look_at_value(Inst *i, void *arg)
{
    Components *k = arg;
    k->known[i->id] = has_parts(k, i);
    Local *local = i->kind == INST_STORE ? local_of(k, i->args.items[0]) : NULL;
    if (!goes(local))
        return;
    if (i->args.items[0]->kind == INST_VAR && !k->known[i->args.items[1]->id])
        local->stays = k->changed = true;
    else
        k->found = true;
}

/* ---- their components ---- */

/* Component number n of a value; makes an instruction for it in the block where it has none. */
static Inst *
part_of(const Components *k, const Inst *i, int n, Block *to)
{
    const Type *type = type_scalar(k->types, i->type->scalar);
    Inst *part;
    if (i->kind == INST_MAKE)
        return i->args.items[n];
    if (i->kind == INST_SPLAT)
        return i->args.items[0];
    if (i->kind == INST_CONST) {
        part = ir_integer(k->c, type, i->span, i->value.leaves[n].i);
    } else {
        part = ir_binary(k->c, i->op, type, i->span, k->parts[i->args.items[0]->id]->part[n],
                         k->parts[i->args.items[1]->id]->part[n]);
    }
    block_add(k->c, to, part);
    return part;
}

static void
note_parts(Components *k, const Inst *i, Block *to)
{
    Parts *parts = k->parts[i->id] = ARENA_NEW(k->c->scratch, Parts);
    for (int n = 0; n < i->type->leaf_count; n++)
        parts->part[n] = part_of(k, i, n, to);
}

/* An instruction that has to do with a vector that goes: true if it goes too. */
static bool
take_apart(Components *k, Inst *i, const Inst *place, Local *local)
{
    const int n = place->kind == INST_ELEM ? affine_component(place) : -1;
    if (i->kind == INST_STORE && n < 0)
        local->now = *k->parts[i->args.items[1]->id];
    else if (i->kind == INST_STORE)
        local->now.part[n] = i->args.items[1];
    else if (i->kind == INST_LOAD && n >= 0)
        k->replaced[i->id] = local->now.part[n];
    if (i->kind != INST_LOAD || n >= 0)
        return true;
    i->kind = INST_MAKE;
    i->args = (Insts){0};
    for (int p = 0; p < i->type->leaf_count; p++)
        ir_arg(k->c, i, local->now.part[p]);
    return false;
}

static void
rewrite_block(Block *b, void *arg)
{
    Components *k = arg;
    Insts old = block_take(b);
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        replace_put(k->replaced, &i->args);
        replace_in_blocks(k->replaced, i, rewrite_block, k);
        const bool uses = i->kind == INST_LOAD || i->kind == INST_STORE;
        const Inst *place = uses ? i->args.items[0] : i;
        Local *local = local_of(k, place);
        if (goes(local) && take_apart(k, i, place, local))
            continue;
        if (k->known[i->id])
            note_parts(k, i, b);
        block_add(k->c, b, i);
    }
    insts_free(k->c, &old);
    b->result = replace_find(k->replaced, b->result);
}

/* ---- all loops ---- */

static void
take_in_loop(Components *k, Task *t)
{
    look_at_block(k, t->body);
    do {
        k->found = k->changed = false;
        block_walk(t->body, look_at_value, k);
    } while (k->changed);
    if (k->found)
        rewrite_block(t->body, k);
}

/* True if a vector is gone. */
void
pass_sroa(Compile *c, Ir *ir, IrFunc *f)
{
    const int insts = ir_number(f);
    Components k = {.c = c, .types = ir->prog->types};
    k.locals = ARENA_ARRAY(c->scratch, Local, ir_var_limit(f));
    k.known = ARENA_ARRAY(c->scratch, bool, insts);
    k.parts = ARENA_ARRAY(c->scratch, Parts *, insts);
    k.replaced = ARENA_ARRAY(c->scratch, Inst *, insts);
    bool any = false;
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++) {
        take_in_loop(&k, loops.items[n]);
        any |= k.found;
    }
    if (!any)
        return;
    pass_fold(c, ir, f);
    pass_dce(c, ir, f);
}
