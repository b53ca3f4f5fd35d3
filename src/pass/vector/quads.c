/* Vectors of three or four f32 in one register. A loop that computes with such vectors, and reads
 * or adds to them at computed indices, keeps each in a vector of the processor. That beats one
 * vector a component over many iterations, because nothing is gathered or transposed. Additions to
 * scalars side by side in a cell become the addition of a vector.
 *
 *     struct_for(x) scatter(S1dense) {          struct_for(x) quads scatter(S1dense) {
 *         $20 = atomic add $8 <- $5         →       $22 = make $5 $6 $7 $12
 *         $21 = atomic add $9 <- $6                 $23 = atomic row add $8 <- $22
 *         $22 = atomic add $10 <- $7
 *         $23 = atomic add $11 <- $12
 *
 * slp.c decides which loops are worth it; float4.c writes them. On a GPU four floats at a multiple
 * of 16 bytes are added at once. */
#include "config.h"

#include "pass/vector/quads.h"

#include "analysis/affine.h"
#include "check/leaf.h"
#include "ir/inst_info.h"
#include "ir/lower.h"

enum { LANES = 4, LEAST = 3, DEPTH_MOST = 24 };

bool
quads_are(const Type *t)
{
    return t && t->kind == TYPE_VECTOR && t->scalar == SCALAR_F32 && (t->rows == 3 || t->rows == 4);
}

bool
quads_are_aligned(const Inst *place)
{
    const Inst *base = affine_place_base((Inst *)(uintptr_t)place);
    int leaf = affine_place_leaf(place);
    const LeafPlace *at =
        base->kind == INST_IN_CELL && leaf >= 0 ? &base->field->leaves[leaf] : NULL;
    return at && at->node && at->node->cell_bytes % 16 == 0 && at->cell_offset % 16 == 0;
}

/* ---- what may stand in such a loop ---- */

/* Does it have such vectors in it? */
static bool
has_quads(const Type *t)
{
    if (!t || quads_are(t))
        return t;
    for (int m = 0; t->kind == TYPE_STRUCT && m < t->member_count; m++)
        if (has_quads(t->members[m].type))
            return true;
    return (t->kind == TYPE_ARRAY || t->kind == TYPE_EXTERN) && has_quads(t->elem);
}

/* Vectors that come from elsewhere are as in C, and so are those in structs. */
static bool
variable_fits(const Var *v, bool local)
{
    return !has_quads(v->type) ||
           (local &&
            (quads_are(v->type) || (v->type->kind == TYPE_ARRAY && quads_are(v->type->elem))));
}

/* Is the built-in function written out by component? Others take the address of a vector as it is
 * in memory. */
static bool
is_written_out(Builtin b)
{
    return builtin_is_componentwise(b) || b == BUILTIN_DOT || b == BUILTIN_NORM_SQR ||
           b == BUILTIN_OUTER;
}

bool
quads_fit(const Inst *i, bool local)
{
    bool has = has_quads(i->type), whole = has && i->type->kind == TYPE_STRUCT;
    switch (i->kind) {
    case INST_VAR: return variable_fits(i->var, local);
    case INST_IN_CELL: case INST_ROOT_PLACE: case INST_ELEM: case INST_MEMBER: return true;
    case INST_CONST: case INST_UNARY: case INST_BINARY: case INST_FMA: case INST_SPLAT:
    case INST_MAKE: case INST_GET: case INST_GET_AT:
    case INST_LOAD: case INST_STORE: case INST_CAST: case INST_SELECT: case INST_COND:
        return !whole;
    case INST_BUILTIN:
        if (is_written_out(i->builtin))
            return !whole;
        break;
    default: break;
    }
    for (int a = 0; a < i->args.count; a++)
        has |= has_quads(i->args.items[a]->type);
    return !has;
}

/* ---- sums side by side ---- */

/* Are two values the same, wherever both are known? */
static bool
is_same(const Inst *a, const Inst *b, int depth)
{
    if (a == b)
        return true;
    if (depth > DEPTH_MOST || !inst_is_alike(a, b))
        return false;
    if (a->kind == INST_LOAD) {
        const Inst *root = inst_place_root(a->args.items[0]);
        if (root->kind != INST_VAR || !var_is_fixed(root->var))
            return false;
    } else if (a->kind == INST_LOOKUP ? a->node->kind != NODE_DENSE
                                      : inst_info(a->kind)->effects != 'P')
        return false;
    for (int k = 0; k < a->args.count; k++)
        if (!is_same(a->args.items[k], b->args.items[k], depth + 1))
            return false;
    return true;
}

/* The cell that an f32 is added to which others may add to as well, and where in it that lies;
 * NULL: it is something else. */
static const Inst *
cell_of(const Inst *sum, int64_t *byte)
{
    if (sum->kind != INST_ATOMIC || sum->plain || sum->joined || sum->uses ||
        sum->atomic_op != ATOMIC_ADD || sum->type->kind != TYPE_SCALAR ||
        sum->type->scalar != SCALAR_F32)
        return NULL;
    const Inst *in_cell = affine_place_base(sum->args.items[0]);
    int leaf = affine_place_leaf(sum->args.items[0]);
    if (in_cell->kind != INST_IN_CELL || leaf < 0)
        return NULL;
    *byte = in_cell->field->leaves[leaf].cell_offset;
    return in_cell->args.items[0];
}

/* May a sum be put off until after the instruction? */
static bool
can_pass(const Task *t, const Inst *i)
{
    if (inst_info(i->kind)->effects == 'P' || inst_is_lookup(i))
        return true;
    if (i->kind != INST_LOAD && i->kind != INST_STORE)
        return false;
    const Inst *base = affine_place_base(i->args.items[0]);
    return base->kind == INST_VAR ||
           (i->kind == INST_LOAD && base->kind == INST_IN_CELL && !task_changes(t, base->field));
}

static void
finish(Compile *c, QuadSum *s, QuadSums *list)
{
    if (s->count >= LEAST)
        vec_push(c->arena, list, *s);
    s->count = 0;
}

void
quads_find_sums(Compile *c, const Task *t, Block *b, QuadSums *list)
{
    QuadSum now = {.count = 0};
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        int64_t byte = 0, first = 0;
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                quads_find_sums(c, t, i->blocks[k], list);
        const Inst *cell = cell_of(i, &byte);
        if (!cell && can_pass(t, i))
            continue;
        bool follows = cell && now.count && is_same(cell_of(now.sums[0], &first), cell, 0) &&
                       byte == first + now.count * 4;
        if (!follows || now.count == LANES)
            finish(c, &now, list);
        if (cell)
            now.sums[now.count++] = i;
    }
    finish(c, &now, list);
}

/* The vector that the values of the sums make. */
static Inst *
value_of(Lower *l, const QuadSum *s, const Type *type)
{
    const Inst *get = s->sums[0]->args.items[1];
    bool whole = get->kind == INST_GET && get->args.items[0]->type == type;
    for (int k = 0; k < s->count && whole; k++) {
        const Inst *part = s->sums[k]->args.items[1];
        whole =
            part->kind == INST_GET && part->args.items[0] == get->args.items[0] && part->index == k;
    }
    if (whole)
        return get->args.items[0];
    Inst *make = lower_add(l, INST_MAKE, type, NULL, NULL, NULL);
    for (int k = 0; k < s->count; k++)
        ir_arg(l->c, make, s->sums[k]->args.items[1]);
    return make;
}

static void
join(Lower *l, const QuadSum *s, Inst *last)
{
    const Type *type = type_vector(l->p->types, SCALAR_F32, s->count);
    l->span = s->sums[0]->span;
    Inst *value = value_of(l, s, type);
    last->type = type;
    last->joined = true;
    last->args.items[0] = s->sums[0]->args.items[0];
    last->args.items[1] = value;
}

static void
join_in_block(Lower *l, Block *b, const QuadSums *list, int *at)
{
    Insts old = block_take(b);
    int of = 0;     /* sums of the next in the list that stand before */
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                join_in_block(l, i->blocks[k], list, at);
        l->block = b;
        if (*at < list->count && i == list->items[*at].sums[of]) {
            if (++of < list->items[*at].count)
                continue;
            join(l, &list->items[(*at)++], i);
            of = 0;
        }
        block_add(l->c, b, i);
    }
    insts_free(l->c, &old);
}

void
quads_join_sums(Compile *c, Ir *ir, Block *b, const QuadSums *list)
{
    Lower l = {.c = c, .p = ir->prog};
    int at = 0;
    join_in_block(&l, b, list, &at);
}
