/* Finds what indices are made of: i, i + 1, I.x - 1, i + d with d from -1 to 1, 2 * i + 1, i / 2.
 */
#include "config.h"

#include "analysis/affine.h"

#include "ir/inst_info.h"

enum { DEPTH_MAX = 32, SHIFT_MOST = 8 };

/* What is known of a variable: by its number. */
typedef struct {
    Inst *value;       /* stored where it is declared */
    const Block *home; /* outermost block around that */
    bool other_change; /* stored to elsewhere, or given away as a place */
    Affine range;       /* variable of a sequential loop between constants */
} Known;

struct AffineFacts {
    Known *vars;
    int count;
    const Block *home; /* while a function is read: its outermost block */
};

Inst *
affine_place_base(Inst *place)
{
    while (place->kind == INST_ELEM || place->kind == INST_MEMBER)
        place = place->args.items[0];
    return place;
}

int64_t
affine_node_span(const Node *n, const Node *leaf, int axis)
{
    int64_t product = 1;
    for (; leaf && leaf != n; leaf = leaf->parent)
        for (int k = 0; k < leaf->axis_count; k++)
            if (leaf->axes[k] == axis)
                product *= leaf->sizes[k];
    return product;
}

/* ---- variables ---- */

/* Notes what an instruction does to the variables whose places it takes. */
static void
note_places(AffineFacts *x, Inst *i)
{
    for (int k = 0; k < i->args.count; k++) {
        Inst *base = affine_place_base(i->args.items[k]);
        if (base->kind != INST_VAR || base->var->id >= x->count)
            continue;
        Known *known = &x->vars[base->var->id];
        if (i->kind == INST_STORE && k == 0 && i->defines && base == i->args.items[0]) {
            known->other_change |= known->value != NULL;
            known->value = i->args.items[1];
            known->home = x->home;
        } else if (inst_info(i->args.items[k]->kind)->result == 'P' && i->kind != INST_LOAD &&
                   i->kind != INST_ELEM && i->kind != INST_MEMBER && i->kind != INST_EXTENT)
            known->other_change = true;
    }
}

static bool
is_const(const Inst *i)
{
    return i->kind == INST_CONST && i->type->kind == TYPE_SCALAR;
}

/* Variables of sequential loops between constants. */
static void
note_loop(AffineFacts *x, const Inst *i)
{
    for (int k = 0; k < i->vars.count; k++) {
        Inst *const *bounds = &i->args.items[3 * k];
        int id = i->vars.items[k]->id;
        if (id >= x->count || !is_const(bounds[0]) || !is_const(bounds[1]) || !is_const(bounds[2]))
            continue;
        int64_t from = bounds[0]->value.leaves[0].i, to = bounds[1]->value.leaves[0].i;
        bool up = bounds[2]->value.leaves[0].i > 0;
        if (up ? from < to : from > to)
            x->vars[id].range =
                (Affine){.known = true, .min = up ? from : to + 1, .max = up ? to - 1 : from};
    }
}

static void
note_inst(Inst *i, void *arg)
{
    note_places(arg, i);
    if (i->kind == INST_FOR)
        note_loop(arg, i);
}

static void
note_block(Block *b, void *arg)
{
    AffineFacts *x = arg;
    x->home = b;
    block_walk(b, note_inst, x);
}

AffineFacts *
affine_new(Compile *c, IrFunc *f)
{
    AffineFacts *x = ARENA_NEW(c->scratch, AffineFacts);
    x->count = ir_var_limit(f);
    x->vars = ARENA_ARRAY(c->scratch, Known, x->count);
    ir_walk_blocks(f, note_block, x);
    return x;
}

Inst *
affine_let(const AffineFacts *x, const Var *v)
{
    const Known *known = v->id < x->count ? &x->vars[v->id] : NULL;
    bool fixed = known && v->kind == VAR_LOCAL && !known->other_change;
    return fixed ? known->value : NULL;
}

Inst *
affine_let_in(const AffineFacts *x, const Var *v, const Block *home)
{
    Inst *value = affine_let(x, v);
    return value && x->vars[v->id].home == home ? value : NULL;
}

const Inst *
affine_plain(const AffineFacts *x, const Inst *i, const Block *home, bool casts)
{
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        const Inst *from = i->args.count ? i->args.items[0] : NULL, *next = NULL;
        if (i->kind == INST_LOAD && from->kind == INST_VAR)
            next = home ? affine_let_in(x, from->var, home) : affine_let(x, from->var);
        else if (casts && i->kind == INST_CAST && affine_keeps_value(from->type, i->type))
            next = from;
        if (!next || next->type->kind != TYPE_SCALAR)
            break;
        i = next;
    }
    return i;
}

/* ---- bounds ---- */

/* Bounds of the cells of a node along an axis. A program does not start with sizes of run time by
 * which indices of 32 bits would not be enough. */
static bool
cell_bounds(const Node *n, int axis, const Type *type, int64_t *min, int64_t *max)
{
    const int64_t span = n->cell_extent[axis];
    *min = span ? n->offset[axis] / span : 0;
    *max = *min + n->coord_extent[axis] - 1;
    if (n->coord_extent[axis] > 0)
        return true;
    *max = span ? INT32_MAX / span - 1 : -1;
    return span && n->offset[axis] <= 0 && type->scalar == SCALAR_I32;
}

bool
affine_bounds(const Task *t, const Var *v, int64_t *min, int64_t *max)
{
    for (int k = 0, axis = -1; k < t->vars.count; k++) {
        if (t->kind == TASK_STRUCT_FOR)
            do axis++; while (!(t->node->path_axes & 1 << axis));
        if (t->vars.items[k] != v)
            continue;
        if (t->kind == TASK_STRUCT_FOR)
            return cell_bounds(t->node, axis, v->type, min, max);
        const Inst *from = t->from.items[k], *to = t->to.items[k], *step = t->step.items[k];
        if (from->kind != INST_CONST || to->kind != INST_CONST ||
            (step && (step->kind != INST_CONST || step->value.leaves[0].i < 1)))
            return false;
        *min = from->value.leaves[0].i;
        *max = to->value.leaves[0].i - 1;
        return true;
    }
    return false;
}

bool
affine_fits(const Type *type, int64_t min, int64_t max)
{
    const ScalarInfo *s = scalar_info(type->scalar);
    int bits = 8 * s->bytes - (s->kind == KIND_INT);
    return (s->kind == KIND_INT ? min >= -((int64_t)1 << (bits < 62 ? bits : 62)) : min >= 0) &&
           (bits >= 63 || max >> bits == 0 || max < 0);
}

/* ---- values ---- */

static Affine
constant(int64_t v)
{
    return (Affine){.known = true, .min = v, .max = v};
}

static int64_t
times_of(const Affine *x)
{
    return !x->var ? 0 : x->times ? x->times : 1;
}

/* What the bounds would be before the quotient is taken. */
static bool
widen(Affine *x, int shift)
{
    const int64_t by = (int64_t)1 << shift;
    return !__builtin_mul_overflow(x->min, by, &x->min) &&
           !__builtin_mul_overflow(x->max, by, &x->max);
}

/* a + b, or a - b. */
static Affine
combine(Op op, Affine a, Affine b)
{
    Affine sum = {.known = a.known && b.known,
                 .var = a.var ? a.var : b.var,
                 .shift = a.shift + b.shift,
                 .scaled = a.scaled || b.scaled,
                 .truncates = a.truncates || b.truncates};
    bool minus = op == OP_SUB;
    if ((a.var && b.var && (a.var != b.var || sum.shift)) || (minus && b.var))
        sum.known = false;
    sum.scaled |= a.var && b.var;
    sum.times = times_of(&a) + times_of(&b);
    if ((a.shift && !widen(&b, a.shift)) || (b.shift && !widen(&a, b.shift)))
        sum.known = false;
    if (__builtin_add_overflow(a.min, minus ? -b.max : b.min, &sum.min) ||
        __builtin_add_overflow(a.max, minus ? -b.min : b.max, &sum.max) || b.min == INT64_MIN)
        sum.known = false;
    sum.shift = sum.known ? sum.shift : 0;
    return sum;
}

/* The exponent of a power of two, or -1. */
static int
exponent_of(const Affine *x)
{
    const bool power = x->known && !x->var && x->min == x->max && x->min > 0 &&
                       (x->min & (x->min - 1)) == 0;
    return power ? __builtin_ctzll((unsigned long long)x->min) : -1;
}

/* a << by */
static Affine
multiply(Affine a, int by)
{
    Affine product = a;
    product.scaled = true;
    product.known = a.known && by >= 0 && by <= SHIFT_MOST && !a.shift && widen(&product, by);
    product.times = times_of(&a) << (product.known ? by : 0);
    return product;
}

/* a >> by */
static Affine
divide(Affine a, int by)
{
    Affine quotient = a;
    quotient.scaled = true;
    quotient.known = a.known && a.var && by >= 0 && a.shift + by <= SHIFT_MOST;
    quotient.shift += quotient.known ? by : 0;
    return quotient;
}

bool
affine_keeps_value(const Type *from, const Type *to)
{
    const ScalarInfo *a = scalar_info(from->scalar), *b = scalar_info(to->scalar);
    bool integers = (a->kind == KIND_INT || a->kind == KIND_UINT) && b->kind == KIND_INT;
    return integers && (a->kind == KIND_INT ? b->bytes >= a->bytes : b->bytes > a->bytes);
}

/* Could the value have wrapped in a type of fewer bits? Where the bounds of the loop are not known,
 * nobody asks for those of the value, and an index that did is outside of the array. */
static bool
may_have_wrapped(const Task *t, const Affine *value, const Type *type)
{
    int64_t low = 0, high = 0, min, max;
    if (value->var && !affine_bounds(t, value->var, &low, &high))
        return false;
    return __builtin_add_overflow(low, value->min, &min) ||
           __builtin_add_overflow(high, value->max, &max) || !affine_fits(type, min, max);
}

static Affine part(const AffineFacts *x, const Task *t, const Inst *i, int component, int depth);

/* A number that is made wider. */
static Affine
widened(const AffineFacts *x, const Task *t, const Inst *cast, int component, int depth)
{
    const Type *from = cast->args.items[0]->type;
    const Affine value = part(x, t, cast->args.items[0], component, depth);
    const bool same =
        affine_keeps_value(from, cast->type) && !may_have_wrapped(t, &value, from);
    return same ? value : (Affine){0};
}

/* A variable that is read. */
static Affine
variable(const AffineFacts *x, const Task *t, const Var *v, int component, int depth)
{
    for (int k = 0; k < t->vars.count; k++)
        if (t->vars.items[k] == v)
            return (Affine){.known = true, .var = v};
    if (v->id < x->count && x->vars[v->id].range.known)
        return x->vars[v->id].range;
    const Inst *value = affine_let(x, v);
    return value ? part(x, t, value, component, depth) : (Affine){0};
}

int
affine_component(const Inst *elem)
{
    const Type *t = elem->args.items[0]->type;
    int64_t index = 0;
    if (!t || (t->kind != TYPE_VECTOR && t->kind != TYPE_MATRIX))
        return -1;
    for (int k = 1; k < elem->args.count; k++) {
        const Inst *i = elem->args.items[k];
        if (i->kind != INST_CONST)
            return -1;
        index = index * (k > 1 ? t->cols : 1) + i->value.leaves[0].i;
    }
    return index >= 0 && index < t->leaf_count ? (int)index : -1;
}

int
affine_place_leaf(const Inst *place)
{
    if (place->kind == INST_IN_CELL)
        return place->leaf;
    if (place->kind != INST_ELEM && place->kind != INST_MEMBER)
        return -1;
    const Inst *whole = place->args.items[0];
    int part = place->kind == INST_ELEM ? affine_component(place)
                                        : whole->type->members[place->index].leaf,
        first = affine_place_leaf(whole);
    return part < 0 || first < 0 ? -1 : first + part;
}

/* What an operation on two integers gives. */
static Affine
operation(const Inst *i, Affine a, Affine b)
{
    const int shift = b.known && !b.var && b.min == b.max && b.min >= 0 && b.min <= SHIFT_MOST
                          ? (int)b.min : -1;
    switch (i->op) {
    case OP_ADD: case OP_SUB: return combine(i->op, a, b);
    case OP_MUL: return exponent_of(&a) >= 0 ? multiply(b, exponent_of(&a))
                                             : multiply(a, exponent_of(&b));
    case OP_SHL: return multiply(a, shift);
    case OP_SHR: return divide(a, shift);
    case OP_DIV:
        a.truncates = true;
        return a.min >= 0 ? divide(a, exponent_of(&b)) : (Affine){0};
    default: return (Affine){0};
    }
}

/* Component of a value: 0 of a scalar. */
static Affine
part(const AffineFacts *x, const Task *t, const Inst *i, int component, int depth)
{
    Inst *const *a = i->args.items;
    Affine index;
    if (depth > DEPTH_MAX || !i->type || !type_is_integer(i->type))
        return (Affine){0};
    depth++;
    switch (i->kind) {
    case INST_CONST: return constant(i->value.leaves[component].i);
    case INST_LOAD:
        if (a[0]->kind == INST_ELEM)
            component = affine_component(a[0]);
        a = a[0]->kind == INST_ELEM ? a[0]->args.items : a;
        return component >= 0 && a[0]->kind == INST_VAR
                   ? variable(x, t, a[0]->var, component, depth) : (Affine){0};
    case INST_BINARY:
        if (scalar_info(i->type->scalar)->kind != KIND_INT)
            return (Affine){0};
        return operation(i, part(x, t, a[0], component, depth),
                         part(x, t, a[1], component, depth));
    case INST_BUILTIN:
        if (i->builtin != BUILTIN_FLOORDIV || scalar_info(i->type->scalar)->kind != KIND_INT)
            return (Affine){0};
        index = part(x, t, a[1], component, depth);
        return divide(part(x, t, a[0], component, depth), exponent_of(&index));
    case INST_UNARY:
        if (i->op != OP_NEG)
            return (Affine){0};
        return combine(OP_SUB, constant(0), part(x, t, a[0], component, depth));
    case INST_CAST: return widened(x, t, i, component, depth);
    case INST_CHECK_INDEX: return part(x, t, a[0], component, depth);
    case INST_SPLAT: return part(x, t, a[0], 0, depth);
    case INST_MAKE: return part(x, t, a[component], 0, depth);
    case INST_GET: return part(x, t, a[0], i->index, depth);
    default: return (Affine){0};
    }
}

Affine
affine_of(const AffineFacts *x, const Task *t, const Inst *i)
{
    const Affine index = part(x, t, i, 0, 0);
    return index.scaled ? (Affine){0} : index;
}

Affine
affine_scaled(const AffineFacts *x, const Task *t, const Inst *i)
{
    Affine index = part(x, t, i, 0, 0);
    index.times = times_of(&index);
    return index;
}

int
affine_loop_variable(const Task *t, const Inst *i)
{
    while (i->kind == INST_CAST && affine_keeps_value(i->args.items[0]->type, i->type))
        i = i->args.items[0];
    return i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR
               ? task_var_number(t, i->args.items[0]->var)
               : -1;
}
