/* Places: variables, elements, fields whole and apart, boundaries, index checks. */
#include "config.h"

#include "ir/lower.h"

/* Does one place hold these leaves? */
static bool
lies_together(const LowPlace *p)
{
    if (p->scalars)
        return p->type->kind == TYPE_SCALAR;
    const Place *where = layout_place(p->field, p->leaf);
    return p->leaf + p->type->leaf_count <= where->first_leaf + where->leaf_count;
}

/* ---- indices ---- */

Inst *
lower_cell_count(Lower *l, const Node *n, int axis)
{
    if (n->coord_extent[axis])
        return lower_integer(l, SCALAR_I64, n->coord_extent[axis]);
    Inst *count = lower_integer(l, SCALAR_I64, 1);
    for (const Node *m = n; m; m = m->parent)
        for (int k = 0; k < m->axis_count; k++) {
            if (m->axes[k] != axis)
                continue;
            Inst *size = lower_integer(l, SCALAR_I64, m->sizes[k]);
            if (!m->sizes[k]) {
                size = lower_add(l, INST_EXTENT, lower_scalar(l, SCALAR_I64), NULL, NULL, NULL);
                size->node = (Node *)m;
                size->axis = k;
            }
            count = lower_binary(l, OP_MUL, count, size);
        }
    return count;
}

/* For an index of a field, whose layout has to exist. */
static Inst *
field_extent(Lower *l, Field *f, int i, Scalar s)
{
    if (f->extents[i])
        return lower_integer(l, s, f->extents[i]);
    if (f->node->layout->manual)
        return lower_cast(l, lower_cell_count(l, f->node, f->axes[i]), s);
    Inst *e = lower_add(l, INST_EXTENT, type_scalar(l->p->types, SCALAR_I64), NULL, NULL, NULL);
    e->field = f;
    e->axis = i;
    return lower_cast(l, e, s);
}

static Inst *
select_inst(Lower *l, Inst *cond, Inst *a, Inst *b)
{
    return lower_add(l, INST_SELECT, a->type, cond, a, b);
}

static Inst *
builtin2(Lower *l, Builtin b, Inst *x, Inst *y)
{
    Inst *i = lower_add(l, INST_BUILTIN, x->type, x, y, NULL);
    i->builtin = b;
    return i;
}

/* The u64 that an index was before it became an i64 by itself, or NULL. */
static Inst *
u64_of_index(const Inst *index)
{
    Inst *from = index->kind == INST_CAST ? index->args.items[0] : NULL;
    return from && from->type->scalar == SCALAR_U64 && from->span.from == index->span.from &&
                   from->span.to == index->span.to
               ? from
               : NULL;
}

Inst *
lower_check_index(Lower *l, const char *what, int axis, Inst *index, Inst *first, Inst *extent)
{
    Inst *i = lower_add(l, INST_CHECK_INDEX, index->type, index, first, extent);
    i->string = what;
    i->axis = axis;
    i->to = u64_of_index(index) ? SCALAR_U64 : SCALAR_I64;
    return i;
}

void
lower_check_coordinates(Lower *l, const Node *n, bool list, Inst **args)
{
    if (!(l->c->options.check & CHECK_BOUNDS))
        return;
    for (int axis = 0, k = 0; axis < AXIS_MAX; axis++) {
        if (!(n->path_axes & 1 << axis) || (list && axis == n->axes[0]))
            continue;
        const int64_t first = node_first(n, axis);
        Inst *index = lower_cast(l, args[k], SCALAR_I64),
             *from = lower_integer(l, SCALAR_I64, first);
        args[k] = lower_check_index(l, n->label ? n->label : "node", k, index, from,
                                    lower_cell_count(l, n, axis));
        k++;
    }
}

int
lower_loop_variable(const TStmt *loop, const Inst *index)
{
    if (!loop || index->kind != INST_LOAD)
        return -1;
    const Inst *place = index->args.items[0];
    const TStmt *first = loop->body->stmts.count ? loop->body->stmts.items[0] : NULL;
    const Var *v = place->kind == INST_VAR ? place->var : NULL;
    if (first && first->kind == TS_DECL && first->value && first->value->kind == TX_MAKE &&
        place->kind == INST_ELEM && place->args.items[0]->kind == INST_VAR &&
        place->args.items[0]->var == first->var && place->args.items[1]->kind == INST_CONST &&
        first->var->is_let) {
        const TExpr *part = first->value->args.items[place->args.items[1]->value.leaves[0].i];
        v = part->kind == TX_VAR ? part->var : NULL;
    }
    for (int k = 0; v && k < loop->vars.count; k++)
        if (loop->vars.items[k] == v)
            return k;
    return -1;
}

/* Are all numbers of a range indices of the field? */
static bool
range_is_inside(const TStmt *loop, int k, const Field *f, int i)
{
    const TExpr *from = loop->from.items[k], *to = loop->to.items[k],
                *step = k < loop->step.count ? loop->step.items[k] : NULL;
    if (from->kind != TX_CONST || (step && step->kind != TX_CONST))
        return false;
    if (!f->extents[i])
        return (!step || step->value.leaves[0].i > 0) && from->value.leaves[0].i >= 0 &&
               texpr_is_within_extent(to, f, i);
    if (to->kind != TX_CONST)
        return false;
    bool up = !step || step->value.leaves[0].i > 0;
    int64_t start = from->value.leaves[0].i, end = to->value.leaves[0].i, least = f->offsets[i],
            beyond = least + f->extents[i];
    return up ? start >= least && end <= beyond : start < beyond && end >= least - 1;
}

/* True for the index of a loop that has no index outside of this field: its own variable, plus
 * nothing. */
static bool
is_inside(const Lower *l, const Field *f, int i, const Inst *index)
{
    int k = lower_loop_variable(l->range, index);
    if (k >= 0)
        return range_is_inside(l->range, k, f, i);
    const Field *g = l->cells ? l->cells->field : NULL;
    k = g ? lower_loop_variable(l->cells, index) : -1;
    return k >= 0 && k < g->axis_count &&
           ((g == f && k == i) || field_extents_are_same(f, i, g, k) ||
            (g->extents[k] && f->extents[i] && g->offsets[k] >= f->offsets[i] &&
             g->offsets[k] + g->extents[k] <= f->offsets[i] + f->extents[i]));
}

/* ---- boundary modes ---- */

typedef struct {
    int64_t min, max;
} Bounds;

static Bounds
bounds_of_type(Scalar s)
{
    return s == SCALAR_I32 ? (Bounds){INT32_MIN, INT32_MAX} : (Bounds){INT64_MIN, INT64_MAX};
}

/* Bounds of a variable of the parallel loop around, over constants or over a field; false where it
 * is none. */
static bool
find_loop_bounds(const Lower *l, const Inst *index, Bounds *b)
{
    int k = lower_loop_variable(l->range, index);
    if (k >= 0) {
        const TExpr *from = l->range->from.items[k], *to = l->range->to.items[k];
        if (from->kind != TX_CONST || to->kind != TX_CONST)
            return false;
        const int64_t start = from->value.leaves[0].i, end = to->value.leaves[0].i;
        *b = start < end ? (Bounds){start, end} : (Bounds){end, start};
        return true;
    }
    const Field *g = l->cells ? l->cells->field : NULL;
    k = g ? lower_loop_variable(l->cells, index) : -1;
    if (k < 0 || k >= g->axis_count || !g->extents[k])
        return false;
    *b = (Bounds){g->offsets[k], g->offsets[k] + g->extents[k]};
    return true;
}

/* Bounds of an index, if it is such a variable plus or minus a constant, else those of its type. */
static Bounds
index_bounds(const Lower *l, const Inst *index)
{
    const Bounds any = bounds_of_type(index->type->scalar);
    int64_t plus = 0;
    if (index->kind == INST_BINARY && (index->op == OP_ADD || index->op == OP_SUB) &&
        index->args.items[1]->kind == INST_CONST) {
        plus = index->args.items[1]->value.leaves[0].i;
        plus = index->op == OP_SUB && plus > INT64_MIN ? -plus : plus;
        index = index->args.items[0];
    }
    Bounds b;
    if (!find_loop_bounds(l, index, &b) || plus < INT32_MIN || plus > INT32_MAX ||
        __builtin_add_overflow(b.min, plus, &b.min) || __builtin_add_overflow(b.max, plus, &b.max))
        return any;
    return b.min >= any.min && b.max <= any.max ? b : any;
}

/* Can a type hold two numbers and all between? */
static bool
holds(Scalar s, int64_t min, int64_t max)
{
    const Bounds b = bounds_of_type(s);
    return b.min <= min && max <= b.max;
}

/* Can an index that is counted from the first one of the field be of its type still? */
static bool
can_count(const Lower *l, const Inst *index, int64_t first)
{
    const Bounds b = index_bounds(l, index);
    int64_t min, max;
    return !__builtin_sub_overflow(b.min, first, &min) &&
           !__builtin_sub_overflow(b.max, first, &max) && holds(index->type->scalar, min, max);
}

/* Can what a boundary mode computes be of the type of the index? */
static bool
can_bound(const Field *f, int i, Boundary mode, Scalar s)
{
    const int64_t first = f->offsets[i], extent = f->extents[i],
                  most = mode == BOUNDARY_MIRROR ? 2 * extent : extent;
    if (!extent)
        return s == SCALAR_I64 || mode == BOUNDARY_CLAMP || mode == BOUNDARY_AMBIENT;
    return holds(s, first, first + extent - 1) && holds(s, 0, most);
}

/* floormod(index - first, cycle). */
static Inst *
counted_index(Lower *l, Inst *index, Inst *first, Inst *cycle)
{
    if (!first)
        return builtin2(l, BUILTIN_FLOORMOD, index, cycle);
    if (can_count(l, index, first->value.leaves[0].i))
        return builtin2(l, BUILTIN_FLOORMOD, lower_binary(l, OP_SUB, index, first), cycle);
    Inst *n = builtin2(l, BUILTIN_FLOORMOD, index, cycle),
         *from = builtin2(l, BUILTIN_FLOORMOD, first, cycle);
    n = lower_binary(l, OP_SUB, n, from);
    Inst *next = lower_binary(l, OP_ADD, n, cycle),
         *zero = lower_integer(l, n->type->scalar, 0);
    return select_inst(l, lower_binary(l, OP_LT, n, zero), next, n);
}

/* The index of the element that stands in for one outside. */
static Inst *
cyclic_index(Lower *l, Field *f, int i, Inst *index)
{
    const Scalar s = index->type->scalar;
    Inst *extent = field_extent(l, f, i, s), *cycle = extent;
    if (f->boundary == BOUNDARY_MIRROR)
        cycle = lower_binary(l, OP_ADD, extent, extent);
    Inst *first = f->offsets[i] ? lower_integer(l, s, f->offsets[i]) : NULL,
         *n = counted_index(l, index, first, cycle);
    if (f->boundary == BOUNDARY_MIRROR) {
        Inst *last = lower_binary(l, OP_SUB, cycle, lower_integer(l, s, 1)),
             *back = lower_binary(l, OP_SUB, last, n);
        n = select_inst(l, lower_binary(l, OP_LT, n, extent), n, back);
    }
    return first ? lower_binary(l, OP_ADD, n, first) : n;
}

static Inst *
clamped_index(Lower *l, Field *f, int i, Inst *index)
{
    const Scalar s = index->type->scalar;
    const int64_t least = f->offsets[i];
    Inst *first = lower_integer(l, s, least), *last;
    if (f->extents[i])
        last = lower_integer(l, s, least + f->extents[i] - 1);
    else {
        Inst *extent = field_extent(l, f, i, SCALAR_I64);
        last = lower_binary(l, OP_SUB, extent, lower_integer(l, SCALAR_I64, 1 - least));
        if (s == SCALAR_I32)
            last = builtin2(l, BUILTIN_MIN, last, lower_integer(l, SCALAR_I64, INT32_MAX));
        last = lower_cast(l, last, s);
    }
    return builtin2(l, BUILTIN_MIN, builtin2(l, BUILTIN_MAX, index, first), last);
}

/* An i64 that a boundary mode takes as it takes a u64, of which 2^63 and more are not below 0. */
static Inst *
index_of_u64(Lower *l, Field *f, int i, Inst *u64)
{
    if (f->boundary == BOUNDARY_PERIODIC || f->boundary == BOUNDARY_MIRROR) {
        Inst *cycle = field_extent(l, f, i, SCALAR_U64);
        if (f->boundary == BOUNDARY_MIRROR)
            cycle = lower_binary(l, OP_ADD, cycle, cycle);
        return lower_cast(l, lower_binary(l, OP_MOD, u64, cycle), SCALAR_I64);
    }
    Inst *most = lower_integer(l, SCALAR_U64, INT64_MAX);
    return lower_cast(l, builtin2(l, BUILTIN_MIN, u64, most), SCALAR_I64);
}

/* One index of a field: boundary mode, check. *inside collects the test of an ambient boundary. */
static Inst *
field_index(Lower *l, Field *f, int i, Inst *index, Access access, Inst **inside)
{
    const Boundary mode = access != ACCESS_ACTIVATE ? f->boundary : BOUNDARY_NONE;
    if ((mode == BOUNDARY_NONE && !(l->c->options.check & CHECK_BOUNDS)) ||
        is_inside(l, f, i, index))
        return index;
    Inst *u64 = u64_of_index(index);
    if (u64 && mode != BOUNDARY_NONE)
        index = index_of_u64(l, f, i, u64);
    if (!can_bound(f, i, mode, index->type->scalar))
        index = lower_cast(l, index, SCALAR_I64);
    const Scalar s = index->type->scalar;
    if (mode == BOUNDARY_NONE) {
        Inst *first = lower_integer(l, s, f->offsets[i]), *extent = field_extent(l, f, i, s);
        return lower_check_index(l, f->name, i, index, first, extent);
    }
    if (mode == BOUNDARY_PERIODIC || mode == BOUNDARY_MIRROR)
        return cyclic_index(l, f, i, index);
    Inst *bound = clamped_index(l, f, i, index);
    if (mode == BOUNDARY_AMBIENT) {
        Inst *same = lower_binary(l, OP_EQ, bound, index);
        *inside = *inside ? lower_binary(l, OP_AND, *inside, same) : same;
    }
    return bound;
}

static LowPlace
field_place(Lower *l, const TExpr *e, Access access)
{
    LowPlace p = {.field = e->field, .type = e->field->type, .access = access};
    for (int i = 0; i < e->args.count; i++)
        p.index[i] = lower_expr(l, e->args.items[i]);
    for (int i = 0; i < e->args.count; i++)
        p.index[i] = field_index(l, e->field, i, p.index[i], access, &p.inside);
    return p;
}

/* ---- parts ---- */

/* The instruction for a run of leaves that lies together. */
static Inst *
run_inst(Lower *l, const LowPlace *p)
{
    if (p->scalars)
        return lower_var(l, p->scalars[p->leaf]);
    const LeafPlace *where = &p->field->leaves[p->leaf];
    Inst *i;
    if (!where->node)
        i = lower_add(l, INST_ROOT_PLACE, p->type, NULL, NULL, NULL);
    else {
        Inst *cell = ir_new(l->c, INST_CELL, NULL, l->span);
        cell->node = where->node;
        cell->field = p->field;
        cell->access = p->access;
        for (int a = 0; a < p->field->axis_count; a++)
            ir_arg(l->c, cell, p->index[a]);
        block_add(l->c, l->block, cell);
        i = lower_add(l, INST_IN_CELL, p->type, cell, NULL, NULL);
    }
    i->field = p->field;
    i->leaf = p->leaf;
    return i;
}

Inst *
lower_place_inst(Lower *l, const LowPlace *p)
{
    if (p->place)
        return p->place;
    return p->component || p->inside || !lies_together(p)
               ? NULL
               : run_inst(l, p);
}

LowPlace
lower_part(Lower *l, const LowPlace *p, int part, const Type *type)
{
    const int leaf = p->type->kind == TYPE_STRUCT ? p->type->members[part].leaf : part;
    LowPlace out = *p;
    out.type = type;
    if (!p->place) {
        out.leaf += leaf;
        return out;
    }
    out.flag_leaf += leaf;
    if (p->type->kind == TYPE_STRUCT) {
        out.place = lower_add(l, INST_MEMBER, type, p->place, NULL, NULL);
        out.place->index = part;
        return out;
    }
    int cols = p->type->cols;
    Inst *row = lower_integer(l, SCALAR_I32, cols ? part / cols : part);
    Inst *column = cols ? lower_integer(l, SCALAR_I32, part % cols) : NULL;
    out.place = lower_add(l, INST_ELEM, type, p->place, row, column);
    return out;
}

int
lower_part_count(const Type *t)
{
    return t->kind == TYPE_STRUCT ? t->member_count : t->leaf_count;
}

const Type *
lower_part_type(Lower *l, const Type *t, int part)
{
    return t->kind == TYPE_STRUCT ? t->members[part].type : type_scalar(l->p->types, t->scalar);
}

/* ---- elements ---- */

/* Size of dimension i of what is indexed; 0: known at run time only. */
static int64_t
known_dimension(const Type *t, int i)
{
    if (t->kind == TYPE_EXTERN)
        return 0;
    return t->kind == TYPE_ARRAY ? t->dims[i] : i ? t->cols : t->rows;
}

/* The same as i64, also where it is known at run time only. */
static Inst *
dimension(Lower *l, const TExpr *base, Inst *place, int i)
{
    if (base->type->kind != TYPE_EXTERN)
        return lower_integer(l, SCALAR_I64, known_dimension(base->type, i));
    Inst *e = lower_add(l, INST_EXTENT, type_scalar(l->p->types, SCALAR_I64), place, NULL, NULL);
    e->axis = i;
    return e;
}

/* Is index i of an element a constant that is in range? */
static bool
index_is_inside(const TExpr *e, int i)
{
    const TExpr *index = e->args.items[i];
    return index->kind == TX_CONST && index->value.leaves[0].i >= 0 &&
           index->value.leaves[0].i < known_dimension(e->a->type, i);
}

void
lower_element_indices(Lower *l, const TExpr *e, Inst *place, Inst **out)
{
    for (int i = 0; i < e->args.count; i++) {
        out[i] = lower_expr(l, e->args.items[i]);
        if ((l->c->options.check & CHECK_BOUNDS) && !index_is_inside(e, i)) {
            const Scalar s = out[i]->type->scalar;
            Inst *count = lower_cast(l, dimension(l, e->a, place, i), s);
            out[i] = lower_check_index(l, texpr_indexed_name(e->a), i, out[i],
                                       lower_integer(l, s, 0), count);
        }
    }
}

static Inst *
times(Lower *l, Inst *n, int64_t factor)
{
    return factor == 1 ? n : lower_binary(l, OP_MUL, n, lower_integer(l, SCALAR_I64, factor));
}

/* --check: number of the first flag of the element of `base` with these indices. */
static Inst *
flag_of_element(Lower *l, const TExpr *e, const LowPlace *base, Inst **indices)
{
    const int64_t leaves = type_leaves_of_flag(base->var->type);
    if (e->type->leaf_count < leaves && e->a->type->kind != TYPE_ARRAY)
        return base->flag; /* one for all components */
    Inst *n = lower_cast(l, indices[0], SCALAR_I64);
    for (int i = 1; i < e->args.count; i++)
        n = lower_binary(l, OP_ADD, times(l, n, known_dimension(e->a->type, i)),
                         lower_cast(l, indices[i], SCALAR_I64));
    n = times(l, n, e->type->leaf_count / leaves);
    return base->flag ? lower_binary(l, OP_ADD, base->flag, n) : n;
}

static LowPlace
element_place(Lower *l, const TExpr *e, Access access)
{
    LowPlace base = lower_place(l, e->a, access), out = base;
    const Type *t = e->a->type;
    Inst *indices[AXIS_MAX];
    out.type = e->type;
    if (!base.place && index_is_inside(e, 0) && (e->args.count < 2 || index_is_inside(e, 1))) {
        int64_t n = e->args.items[0]->value.leaves[0].i;
        out.leaf +=
            (int)(e->args.count > 1 ? n * t->cols + e->args.items[1]->value.leaves[0].i : n);
        return out;
    }
    base.place = lower_place_inst(l, &base);
    lower_element_indices(l, e, base.place, indices);
    /* a vector whose components lie apart, or a bounded read, with a run-time index */
    if (!base.place) {
        out.component = indices[0];
        if (e->args.count > 1) {
            const Scalar s = indices[0]->type->scalar;
            Inst *column = lower_cast(l, indices[1], s);
            Inst *row = lower_binary(l, OP_MUL, indices[0], lower_integer(l, s, t->cols));
            out.component = lower_binary(l, OP_ADD, row, column);
        }
        out.whole = t;
        return out;
    }
    out = (LowPlace){
        .type = e->type, .access = access, .var = base.var, .flag_leaf = base.flag_leaf};
    out.place = lower_add(l, INST_ELEM, e->type, base.place, NULL, NULL);
    for (int i = 0; i < e->args.count; i++)
        ir_arg(l->c, out.place, indices[i]);
    if (base.var && l->part_flags[base.var->id])
        out.flag = flag_of_element(l, e, &base, indices);
    return out;
}

bool
lower_is_reached(const TExpr *place)
{
    while (place->kind == TX_ELEM || place->kind == TX_MEMBER)
        place = place->a;
    return place->kind != TX_VAR || place->var->mode != PARAM_INOUT || place->var->is_reached;
}

static LowPlace
value_place(Lower *l, const TExpr *e)
{
    Var *v = lower_temp(l, "value", e->type);
    lower_declare(l, v, lower_expr(l, e));
    return (LowPlace){.place = lower_var(l, v), .type = e->type};
}

LowPlace
lower_place(Lower *l, const TExpr *e, Access access)
{
    switch (e->kind) {
    case TX_VAR: {
        LowPlace p = {.type = e->type, .access = access};
        p.scalars = e->var->id < l->flag_count ? l->apart[e->var->id] : NULL;
        if (p.scalars)
            return p;
        p.place = lower_var(l, e->var);
        p.var = e->var->id < l->flag_count && l->flags[e->var->id] ? e->var : NULL;
        return p;
    }
    case TX_TABLE: {
        LowPlace p = {.type = e->type, .access = access};
        p.place = lower_add(l, INST_TABLE, e->type, NULL, NULL, NULL);
        p.place->table = e->table;
        return p;
    }
    case TX_FIELD: return field_place(l, e, access);
    case TX_ELEM: return element_place(l, e, access);
    case TX_MEMBER: {
        LowPlace base = lower_place(l, e->a, access);
        return lower_part(l, &base, e->member, e->type);
    }
    default: return value_place(l, e);
    }
}

/* ---- load and store ---- */

static Inst *
load_parts(Lower *l, const LowPlace *p)
{
    if (lies_together(p))
        return lower_add(l, INST_LOAD, p->type, run_inst(l, p), NULL, NULL);
    Inst *make = ir_new(l->c, INST_MAKE, p->type, l->span);
    for (int i = 0; i < lower_part_count(p->type); i++) {
        LowPlace part = lower_part(l, p, i, lower_part_type(l, p->type, i));
        ir_arg(l->c, make, load_parts(l, &part));
    }
    block_add(l->c, l->block, make);
    return make;
}

static Inst *
ambient_value(Lower *l, const LowPlace *p)
{
    Leaf *leaves = ARENA_ARRAY(l->c->arena, Leaf, p->type->leaf_count);
    for (int i = 0; p->field->ambient && i < p->type->leaf_count; i++)
        leaves[i] = p->field->ambient->leaves[p->leaf + i];
    return lower_value(l, (Value){p->type, leaves});
}

Inst *
lower_load(Lower *l, const LowPlace *p)
{
    if (p->place)
        return lower_add(l, INST_LOAD, p->type, p->place, NULL, NULL);
    if (p->component) {
        LowPlace whole = *p;
        whole.type = p->whole;
        whole.component = NULL;
        return lower_add(l, INST_GET_AT, p->type, lower_load(l, &whole), p->component, NULL);
    }
    if (!p->inside)
        return load_parts(l, p);
    Block *old, *then = lower_enter(l, &old);
    then->result = load_parts(l, p);
    lower_leave(l, old);
    Block *orelse = lower_enter(l, &old);
    orelse->result = ambient_value(l, p);
    lower_leave(l, old);
    Inst *cond = lower_add(l, INST_COND, p->type, p->inside, NULL, NULL);
    cond->blocks[0] = then;
    cond->blocks[1] = orelse;
    return cond;
}

static Inst *
part_of_value(Lower *l, Inst *v, int part)
{
    Inst *get = lower_add(l, INST_GET, lower_part_type(l, v->type, part), v, NULL, NULL);
    get->index = part;
    return get;
}

/* Can iterations of a parallel loop store to the variable or field at the same time? What a
 * function gets as an array may be an array of the iteration. */
static bool
is_reachable(const Lower *l, const Inst *base)
{
    FuncKind kind = l->f->func->kind;
    if (base->kind != INST_VAR)
        return base->field && (l->parallel || kind == FUNC_DEVICE);
    return l->parallel && (base->var->shared || base->var->type->kind == TYPE_EXTERN);
}

void
lower_check_race(Lower *l, Inst *place, Inst *value)
{
    const Inst *base = place, *above = NULL;
    while (base->kind == INST_ELEM || base->kind == INST_MEMBER) {
        above = base;
        base = base->args.items[0];
    }
    if (!(l->c->options.check & CHECK_RACE) || !is_reachable(l, base))
        return;
    Inst *i = lower_add(l, INST_CHECK_RACE, NULL, place, value, NULL);
    i->string = base->kind == INST_VAR ? base->var->name : base->field->name;
    if (base->kind == INST_IN_CELL)
        for (int k = 0; k < base->args.items[0]->args.count; k++)
            ir_arg(l->c, i, base->args.items[0]->args.items[k]);
    else if (base->kind == INST_VAR && above && above->kind == INST_ELEM)
        for (int k = 1; k < above->args.count; k++)
            ir_arg(l->c, i, above->args.items[k]);
}

void
lower_each_component(Lower *l, const LowPlace *p,
                     void (*fn)(Lower *l, const LowPlace *part, void *arg), void *arg)
{
    for (int k = 0; k < p->whole->leaf_count; k++) {
        LowPlace part = *p;
        part.component = NULL;
        part.leaf += k;
        Inst *is =
            lower_binary(l, OP_EQ, p->component, lower_integer(l, p->component->type->scalar, k));
        Inst *test = lower_add(l, INST_IF, NULL, is, NULL, NULL);
        Block *outer;
        test->blocks[0] = lower_enter(l, &outer);
        fn(l, &part, arg);
        lower_leave(l, outer);
    }
}

static void
store_component(Lower *l, const LowPlace *part, void *value)
{
    lower_store(l, part, value);
}

void
lower_store(Lower *l, const LowPlace *p, Inst *v)
{
    Inst *place = lower_place_inst(l, p);
    if (place) {
        lower_check_race(l, place, v);
        lower_add(l, INST_STORE, NULL, place, v, NULL);
        return;
    }
    if (!p->component) {
        for (int i = 0; i < lower_part_count(p->type); i++) {
            LowPlace part = lower_part(l, p, i, lower_part_type(l, p->type, i));
            lower_store(l, &part, part_of_value(l, v, i));
        }
        return;
    }
    lower_each_component(l, p, store_component, v);
}
