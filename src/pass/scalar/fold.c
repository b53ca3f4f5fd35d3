/* Constants and identities, keeping every bit: integers wrap, floats round as at run time, -0.0 and
 * NaN stay what they are.
 *     <i32> $3 = $1 + $2          (1 and 2)                 →    <i32> $3 = const 3
 *     <f32> $6 = $5 * $4          (1.0 in $4)               →    $5 in place of $6
 *     <i32> $8 = elem $7[0], load (of a vector that was     →    the component it was made of
 *                                  declared as make $1, $2)
 * What nobody uses any more is left to pass dce. */
#include "config.h"

#include "pass/pass.h"

#include <math.h>

#include "analysis/affine.h"
#include "check/leaf.h"
#include "ir/inst_info.h"
#include "pass/replace.h"

typedef struct {
    Compile *c;
    const AffineFacts *lets;
    Inst **replaced; /* by id: what stands in place of the instruction, or NULL */
} Fold;

static void fold_nested(Block *b, void *arg);

/* ---- constants ---- */

static bool
is_const(const Inst *i)
{
    return i->kind == INST_CONST;
}

static Inst *
become_const(Inst *i, Leaf *leaves)
{
    i->kind = INST_CONST;
    i->args = (Insts){0};
    i->blocks[0] = i->blocks[1] = NULL;
    i->value = (Value){i->type, leaves};
    return NULL;
}

static Inst *
become_integer(Fold *f, Inst *i, int64_t v)
{
    Leaf *leaves = ARENA_ARRAY(f->c->arena, Leaf, i->type->leaf_count);
    for (int k = 0; k < i->type->leaf_count; k++)
        leaves[k].i = v;
    return become_const(i, leaves);
}

/* True when every component of a constant is v; v is not negative, and -0.0 is not 0. */
static bool
is_all(const Inst *i, int64_t v)
{
    bool is_float = is_const(i) && type_is_float(i->type);
    if (!is_const(i) || !type_is_arith(i->type))
        return false;
    for (int k = 0; k < i->type->leaf_count; k++)
        if (is_float ? i->value.leaves[k].f != (double)v || signbit(i->value.leaves[k].f)
                     : i->value.leaves[k].i != v)
            return false;
    return true;
}

static bool
is_minus_zero(const Inst *i)
{
    if (!is_const(i) || !type_is_float(i->type))
        return false;
    for (int k = 0; k < i->type->leaf_count; k++)
        if (i->value.leaves[k].f != 0 || !signbit(i->value.leaves[k].f))
            return false;
    return true;
}

/* Functions whose result is exact on every machine. */
static bool
is_exact(Builtin b)
{
    switch (b) {
    case BUILTIN_FLOOR: case BUILTIN_CEIL: case BUILTIN_ROUND: case BUILTIN_TRUNC: case BUILTIN_ABS:
    case BUILTIN_SIGN: case BUILTIN_MIN: case BUILTIN_MAX: case BUILTIN_CLAMP:
    case BUILTIN_FLOORDIV: case BUILTIN_FLOORMOD: case BUILTIN_POPCOUNT: case BUILTIN_CLZ:
    case BUILTIN_CTZ: case BUILTIN_ISNAN: case BUILTIN_ISINF: return true;
    default: return false;
    }
}

/* Component k of the result of an operation on constants. */
static Leaf
fold_leaf(const Inst *i, int k)
{
    Inst *const *a = i->args.items;
    Scalar s = a[0]->type->scalar;
    Leaf x[3] = {{0}};
    for (int n = 0; n < i->args.count && n < 3; n++)
        x[n] = a[n]->value.leaves[i->kind == INST_SPLAT ? 0 : k];
    switch (i->kind) {
    case INST_UNARY: return leaf_unary(i->op, s, x[0]);
    case INST_BINARY: return leaf_binary(i->op, s, x[0], x[1], a[1]->type->scalar);
    case INST_CAST: return leaf_cast(s, i->type->scalar, x[0]);
    case INST_BITCAST: return leaf_bitcast(s, i->type->scalar, x[0]);
    case INST_FMA: return leaf_fma(s, x[0], x[1], x[2]);
    case INST_BUILTIN: return leaf_builtin(i->builtin, s, x);
    default: return x[0];
    }
}

static bool
is_nan(const Type *t, const Leaf *leaves)
{
    for (int k = 0; type_is_float(t) && k < t->leaf_count; k++)
        if (isnan(leaves[k].f))
            return true;
    return false;
}

static bool
can_fold(const Inst *i)
{
    switch (i->kind) {
    case INST_UNARY: case INST_CAST: case INST_BITCAST: case INST_FMA: case INST_SPLAT: break;
    case INST_BINARY:
        if (i->op == OP_MATMUL)
            return false;
        break;
    case INST_BUILTIN:
        if (!is_exact(i->builtin))
            return false;
        break;
    default: return false;
    }
    for (int k = 0; k < i->args.count; k++)
        if (!is_const(i->args.items[k]) || !type_is_arith(i->args.items[k]->type) ||
            is_nan(i->args.items[k]->type, i->args.items[k]->value.leaves))
            return false;
    return true;
}

/* An operation on constants. The bits of a NaN are left to run time. */
static bool
fold_operation(Fold *f, Inst *i)
{
    if (!can_fold(i))
        return false;
    int n = i->type->leaf_count;
    Leaf *leaves = ARENA_ARRAY(f->c->arena, Leaf, n);
    for (int k = 0; k < n; k++)
        leaves[k] = fold_leaf(i, k);
    if (is_nan(i->type, leaves))
        return false;
    become_const(i, leaves);
    return true;
}

static void
fold_make(Fold *f, Inst *i)
{
    int at = 0;
    for (int k = 0; k < i->args.count; k++)
        if (!is_const(i->args.items[k]))
            return;
    if (i->type->kind == TYPE_ARRAY)
        return;
    Leaf *leaves = ARENA_ARRAY(f->c->arena, Leaf, i->type->leaf_count);
    for (int k = 0; k < i->args.count; k++)
        for (int n = 0; n < i->args.items[k]->type->leaf_count; n++)
            leaves[at++] = i->args.items[k]->value.leaves[n];
    become_const(i, leaves);
}

/* ---- identities: the operand that an instruction is the same as, or NULL ---- */

static Inst *
same_integer(Fold *f, Inst *i, Inst *a, Inst *b)
{
    switch (i->op) {
    case OP_ADD: case OP_OR: case OP_XOR: return is_all(b, 0) ? a : is_all(a, 0) ? b : NULL;
    case OP_SUB: case OP_SHL: case OP_SHR: return is_all(b, 0) ? a : NULL;
    case OP_MUL:
        if (is_all(a, 0) || is_all(b, 0))
            return become_integer(f, i, 0);
        return is_all(b, 1) ? a : is_all(a, 1) ? b : NULL;
    case OP_DIV: return is_all(b, 1) ? a : NULL;
    case OP_MOD: return is_all(b, 1) ? become_integer(f, i, 0) : NULL;
    case OP_AND: return is_all(a, 0) || is_all(b, 0) ? become_integer(f, i, 0) : NULL;
    default: return NULL;
    }
}

static Inst *
same_float(const Inst *i, Inst *a, Inst *b)
{
    switch (i->op) {
    case OP_ADD: return is_minus_zero(b) ? a : is_minus_zero(a) ? b : NULL;
    case OP_SUB: return is_all(b, 0) ? a : NULL;
    case OP_MUL: return is_all(b, 1) ? a : is_all(a, 1) ? b : NULL;
    case OP_DIV: return is_all(b, 1) ? a : NULL;
    default: return NULL;
    }
}

static Inst *
same_binary(Fold *f, Inst *i)
{
    Inst *a = i->args.items[0], *b = i->args.items[1];
    const bool bools = type_is_bool(a->type);
    if (i->op == OP_LAND || (bools && i->op == OP_AND))
        return is_all(a, 1) ? b : is_all(b, 1) ? a : NULL;
    if (i->op == OP_LOR || (bools && i->op == OP_OR))
        return is_all(a, 0) ? b : is_all(b, 0) ? a : NULL;
    if (type_is_integer(a->type))
        return same_integer(f, i, a, b);
    return type_is_float(a->type) ? same_float(i, a, b) : NULL;
}

/* A cast there and back through a type that holds every value. */
static Inst *
same_cast(const Inst *i)
{
    Inst *a = i->args.items[0];
    if (a->type == i->type)
        return a;
    Inst *first = a->kind == INST_CAST ? a->args.items[0] : NULL;
    if (!first || first->type != i->type || !type_is_integer(i->type) || !type_is_integer(a->type))
        return NULL;
    bool narrow = scalar_info(a->type->scalar)->bytes < scalar_info(i->type->scalar)->bytes;
    return narrow ? NULL : first;
}

static Inst *
same_get(Fold *f, Inst *i)
{
    Inst *a = i->args.items[0];
    if (a->kind == INST_MAKE)
        return a->args.items[i->index];
    if (a->kind == INST_SPLAT)
        return a->args.items[0];
    if (is_const(a)) {
        int first = a->type->kind == TYPE_STRUCT ? a->type->members[i->index].leaf : i->index;
        Leaf *leaves = ARENA_ARRAY(f->c->arena, Leaf, i->type->leaf_count);
        for (int k = 0; k < i->type->leaf_count; k++)
            leaves[k] = a->value.leaves[first + k];
        return become_const(i, leaves);
    }
    return NULL;
}

/* A component that is known now. */
static Inst *
same_get_at(Fold *f, Inst *i)
{
    const int component = affine_component(i);
    if (component < 0)
        return NULL;
    i->kind = INST_GET;
    i->index = component;
    i->args.count = 1;
    return same_get(f, i);
}

/* A value that was just taken apart and put together again. */
static Inst *
same_make(const Inst *i)
{
    Inst *first = i->args.count ? i->args.items[0] : NULL;
    Inst *whole = first && first->kind == INST_GET ? first->args.items[0] : NULL;
    if (!whole || whole->type != i->type)
        return NULL;
    for (int k = 0; k < i->args.count; k++) {
        const Inst *a = i->args.items[k];
        if (a->kind != INST_GET || a->args.items[0] != whole || a->index != k)
            return NULL;
    }
    return whole;
}

/* Checks of constants that pass. */
static Inst *
passed_check(const Inst *i)
{
    Inst *a = i->args.items[0];
    if (!is_const(a) || a->type->kind != TYPE_SCALAR)
        return NULL;
    int64_t v = a->value.leaves[0].i;
    if (i->kind == INST_CHECK_DIV)
        return v ? a : NULL;
    if (i->kind == INST_CHECK_SHIFT)
        return v >= 0 && v < i->index ? a : NULL;
    const Inst *first = i->args.items[1], *extent = i->args.items[2];
    if (!is_const(first) || !is_const(extent))
        return NULL;
    int64_t from = first->value.leaves[0].i;
    return v >= from && v - from < extent->value.leaves[0].i ? a : NULL;
}

/* ---- tables, and variables that are set once ---- */

/* Constants and loop variables may stand wherever the variable does; others would lose its name. */
static bool
is_plain_index(const Inst *i)
{
    return i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR &&
           i->args.items[0]->var->kind == VAR_INDEX;
}

/* The number of an element in an array; -1 where it is known at run time only, or is none. */
static int64_t
constant_element(const Inst *elem)
{
    const Type *t = elem->args.items[0]->type;
    int64_t at = 0;
    for (int k = 0; k < t->dim_count; k++) {
        const Inst *i = elem->args.items[k + 1];
        if (!is_const(i) || i->value.leaves[0].i < 0 || i->value.leaves[0].i >= t->dims[k])
            return -1;
        at = at * t->dims[k] + i->value.leaves[0].i;
    }
    return at;
}

/* The first leaf of a part of a table; -1 where it is known at run time only. */
static int64_t
table_leaf(const Inst *place)
{
    if (place->kind == INST_TABLE)
        return 0;
    const Inst *whole = place->args.items[0];
    const int64_t first = table_leaf(whole);
    int64_t part = -1;
    if (place->kind == INST_MEMBER)
        part = whole->type->members[place->index].leaf;
    else if (whole->type->kind == TYPE_ARRAY)
        part = constant_element(place);
    else
        part = affine_component(place);
    if (whole->type->kind == TYPE_ARRAY && part > 0)
        part *= place->type->leaf_count;
    return first < 0 || part < 0 ? -1 : first + part;
}

static Inst *
same_table_load(Inst *i)
{
    const int64_t leaf = type_is_arith(i->type) ? table_leaf(i->args.items[0]) : -1;
    if (leaf >= 0)
        become_const(i, &affine_place_base(i->args.items[0])->table->value.leaves[leaf]);
    return NULL;
}

static Inst *
same_load(Fold *f, Inst *i)
{
    Inst *place = i->args.items[0], *base = affine_place_base(place);
    Inst *value = base->kind == INST_VAR ? affine_let(f->lets, base->var) : NULL;
    int component = 0;
    if (base->kind == INST_TABLE)
        return same_table_load(i);
    if (!value || (place != base && place->kind != INST_ELEM))
        return NULL;
    value = replace_find(f->replaced, value);
    if (place != base) {
        component = place->args.items[0] == base ? affine_component(place) : -1;
        if (component < 0)
            return NULL;
        if (value->kind == INST_MAKE)
            value = replace_find(f->replaced, value->args.items[component]);
        else if (!is_const(value))
            return NULL;
    }
    if (is_const(value) && value->type == i->type)
        return become_const(i, value->value.leaves);
    if (is_const(value))
        return type_is_arith(value->type) ? become_const(i, &value->value.leaves[component]) : NULL;
    return is_plain_index(value) && value->in_scope ? value : NULL;
}

/* ---- all of them ---- */

/* Makes an instruction simpler; gives the value that stands in its place, or NULL. */
static Inst *
simplify(Fold *f, Inst *i)
{
    Inst *const *a = i->args.items;
    if (fold_operation(f, i))
        return NULL;
    switch (i->kind) {
    case INST_UNARY:
        return a[0]->kind == INST_UNARY && a[0]->op == i->op ? a[0]->args.items[0] : NULL;
    case INST_BINARY: return i->op == OP_MATMUL ? NULL : same_binary(f, i);
    case INST_CAST: return same_cast(i);
    case INST_GET: return same_get(f, i);
    case INST_GET_AT: return same_get_at(f, i);
    case INST_MAKE: {
        Inst *whole = same_make(i);
        if (!whole)
            fold_make(f, i);
        return whole;
    }
    case INST_SELECT:
        if (is_const(a[0]))
            return a[0]->value.leaves[0].i ? a[1] : a[2];
        return a[1] == a[2] ? a[1] : NULL;
    case INST_LOGIC: {
        const Block *b = i->blocks[0];
        const bool is_and = i->op == OP_LAND,
                   is_constant = !b->insts.count ||
                                 (b->insts.count == 1 && b->insts.items[0] == b->result);
        if (is_all(a[0], !is_and) || (is_constant && is_all(b->result, !is_and)))
            return become_integer(f, i, !is_and);
        return is_constant && is_all(b->result, is_and) ? a[0] : NULL;
    }
    case INST_CHECK_DIV: case INST_CHECK_SHIFT: case INST_CHECK_INDEX: return passed_check(i);
    case INST_LOAD: return same_load(f, i);
    default: return NULL;
    }
}

/* The block that certainly runs where the instruction stands, or NULL. */
static Block *
certain_block(Fold *f, const Inst *i)
{
    const Inst *condition = i->args.count ? i->args.items[0] : NULL;
    if (!condition || !is_const(condition))
        return NULL;
    bool yes = condition->value.leaves[0].i != 0;
    Block *b = NULL;
    if (i->kind == INST_COND || i->kind == INST_IF)
        b = i->blocks[yes ? 0 : 1];
    if (i->kind == INST_IF && !b)
        return ARENA_NEW(f->c->arena, Block);
    if (i->kind == INST_LOGIC)
        b = yes == (i->op == OP_LAND) ? i->blocks[0] : NULL;
    return b;
}

static void
fold_insts(Fold *f, Block *out, const Insts *insts)
{
    for (int k = 0; k < insts->count; k++) {
        Inst *i = insts->items[k];
        replace_put(f->replaced, &i->args);
        Block *certain = certain_block(f, i);
        if (certain) {
            fold_insts(f, out, &certain->insts);
            f->replaced[i->id] = replace_find(f->replaced, certain->result);
            continue;
        }
        replace_in_blocks(f->replaced, i, fold_nested, f);
        if (i->kind == INST_ASSERT && is_all(i->args.items[0], 1))
            continue;
        f->replaced[i->id] = simplify(f, i);
        if (f->replaced[i->id])
            continue;
        i->in_scope = true;
        block_add(f->c, out, i);
    }
}

static void
fold_nested(Block *b, void *arg)
{
    Fold *f = arg;
    Insts old = block_take(b);
    fold_insts(f, b, &old);
    insts_free(f->c, &old);
    b->result = replace_find(f->replaced, b->result);
    for (int k = 0; k < b->insts.count; k++)
        b->insts.items[k]->in_scope = false;
}

static void
resolve_bounds(Task *t, void *arg)
{
    const Fold *f = arg;
    replace_put(f->replaced, &t->from);
    replace_put(f->replaced, &t->to);
    replace_put(f->replaced, &t->step);
}

static Fold
fold_begin(Compile *c, IrFunc *f)
{
    const int count = ir_number(f);
    return (Fold){.c = c,
                  .lets = affine_new(c, f),
                  .replaced = ARENA_ARRAY(c->scratch, Inst *, count)};
}

void
fold_block(Compile *c, IrFunc *f, Block *b)
{
    Fold fold = fold_begin(c, f);
    fold_nested(b, &fold);
}

void
pass_fold(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    Fold fold = fold_begin(c, f);
    ir_walk_blocks(f, fold_nested, &fold);
    tasks_walk(&f->tasks, resolve_bounds, &fold);
}
