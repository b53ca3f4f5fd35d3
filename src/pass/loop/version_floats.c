/* Loop versioning on floats. A *fast* float is neither NaN nor -0. If the elements that a loop
 * reads are all fast, min and max of them are one comparison each (pass minmax). Such a loop has a
 * second version, which runs when all elements that it may read are fast.
 *
 *     range_for(i32 i in 1..63, i32 j in 0..64) {       range_for(...) fast floats(S1dense) {
 *         $4 = load x[$3]                          →        $4 = load x[$3] fast
 *         ...
 *     }
 *
 * A slice is what lies at one index of the outermost axis of an array. An iteration may read any
 * element of the slices around its own, up to a given distance. An iteration changes only its own
 * slice, and pass minmax makes sure that what it stores is fast again. Loops over blocks ask the
 * staged copies instead (pass stage). */
#include "config.h"

#include "pass/pass.h"

#include "analysis/boundary_index.h"
#include "analysis/float_class.h"
#include "ir/inst_info.h"

enum { ARRAYS_MOST = 4, AWAY_MOST = 8 };

typedef struct {
    Compile *c;
    const AffineFacts *indices;
    Task *t;
    int first;   /* the variable whose values the threads share */
    bool any;    /* a min or max of floats is taken */
} Search;

/* The one type of floats that the cells of a node are made of, or SCALAR_BOOL. */
static Scalar
cell_floats(const Node *n)
{
    Scalar all = SCALAR_BOOL;
    int64_t bytes = 0;
    for (int p = 0; p < n->places.count; p++) {
        const Type *type = n->places.items[p].type;
        const Scalar s = type->kind == TYPE_STRUCT ? SCALAR_BOOL : type->scalar;
        if ((s != SCALAR_F32 && s != SCALAR_F64) || (p && s != all))
            return SCALAR_BOOL;
        all = s;
        bytes += type->leaf_count * scalar_info(s)->bytes;
    }
    return n->children.count || bytes != n->cell_bytes ? SCALAR_BOOL : all;
}

/* Is it an array at the top of a layout, of floats alone? */
static bool
is_array(const Node *n)
{
    return n->kind == NODE_DENSE && !n->parent && !n->has_offset && n->axis_count &&
           cell_floats(n) != SCALAR_BOOL;
}

/* Does the loop change a field nowhere but in the slice of the iteration? */
static bool
changes_own_slice(const Search *u, const Field *f, int k)
{
    const Effects *e = &u->t->effects;
    const Footprint *p = footprint_of(&e->writes, f);
    return p && !footprint_of(&e->accumulates, f) && p->own[k] && p->var[k] == u->first &&
           !p->offset_min[k] && !p->offset_max[k];
}

/* Are the loop's own indices along an axis known to be those of a field? */
static bool
stays_in(const Search *u, const Field *f, int k)
{
    const Task *t = u->t;
    if (t->kind == TASK_STRUCT_FOR)
        return t->field && t->field->axis_count == f->axis_count && u->first == k &&
               field_extents_are_same(t->field, k, f, k);
    const Inst *from = t->from.items[0], *to = t->to.items[0];
    return from->kind == INST_CONST && to->kind == INST_CONST && from->value.leaves[0].i >= 0 &&
           to->value.leaves[0].i <= f->extents[k];
}

/* How far the slice is in which an element lies; false where that is not known, or where another
 * iteration may change it. */
static bool
find_slice(const Search *u, const Inst *place, int64_t *low, int64_t *high)
{
    const Inst *cell = place->args.items[0];
    const int k = node_axis_rank(cell->node, cell->node->axes[0]);
    const bool changes = task_changes(u->t, place->field);
    Boundary beyond = BOUNDARY_NONE;
    const Affine x = changes ? affine_of(u->indices, u->t, cell->args.items[k])
                             : boundary_index_unbounded(u->indices, u->t, cell->args.items[k],
                                                        place->field, k, &beyond);
    if (!x.known || x.var != u->t->vars.items[u->first] || beyond == BOUNDARY_PERIODIC ||
        x.min < -AWAY_MOST || x.max > AWAY_MOST)
        return false;
    *low = x.min;
    *high = x.max;
    if (beyond == BOUNDARY_MIRROR) { /* index -1 is index 0, index -2 is index 1 */
        if (!stays_in(u, place->field, k))
            return false;
        *low = -x.max < *low ? -x.max : *low;
        *high = -x.min > *high ? -x.min : *high;
    }
    return !changes || (!x.min && !x.max && changes_own_slice(u, place->field, k));
}

/* Adds what is read to what has to be fast: 1 + its number there, or 0. */
static unsigned char
add(Search *u, FastFloats what)
{
    int k = 0;
    while (k < u->t->fast_floats.count && (u->t->fast_floats.items[k].node != what.node ||
                                           u->t->fast_floats.items[k].halo != what.halo))
        k++;
    if (k == ARRAYS_MOST)
        return 0;
    if (k == u->t->fast_floats.count)
        vec_push(u->c->arena, &u->t->fast_floats,
                 ((FastFloats){.node = what.node, .scalar = what.scalar, .halo = what.halo}));
    FastFloats *s = &u->t->fast_floats.items[k];
    s->low = what.low < s->low ? what.low : s->low;
    s->high = what.high > s->high ? what.high : s->high;
    return (unsigned char)(k + 1);
}

static void
look_at(Inst *i, void *arg)
{
    Search *u = arg;
    u->any |= float_class_takes_limit(i);
    const Inst *place = i->kind == INST_LOAD ? inst_place_root(i->args.items[0]) : NULL;
    if (!place || !type_is_float(i->type) || i->type->scalar == SCALAR_F16)
        return;
    FastFloats what = {.scalar = i->type->scalar};
    if (place->kind == INST_HALO) {
        what.halo = place->halo->halo;
        what.node = what.halo->node;
        if (!what.halo->by_rows && !what.halo->sums && what.halo->type->kind != TYPE_STRUCT)
            i->fast_float = add(u, what);
    } else if (u->first >= 0 && place->kind == INST_IN_CELL &&
               place->args.items[0]->kind == INST_CELL && is_array(place->args.items[0]->node)) {
        what.node = place->args.items[0]->node;
        if (find_slice(u, place, &what.low, &what.high))
            i->fast_float = add(u, what);
    }
}

/* The number of the variable whose values the threads share, or -1. */
static int
first_variable(const Task *t)
{
    const Node *n = t->node;
    if (t->kind == TASK_RANGE_FOR) {
        const Inst *step = t->vars.count ? t->step.items[0] : NULL;
        const bool by_ones = !step || (step->kind == INST_CONST && step->value.leaves[0].i == 1);
        return t->vars.count && by_ones ? 0 : -1;
    }
    const bool fits = t->kind == TASK_STRUCT_FOR && n && n->kind == NODE_DENSE && !n->parent &&
                      !n->has_offset && !t->from.count && n->axis_count;
    return fits ? node_axis_rank(n, n->axes[0]) : -1;
}

static void
look_at_loop(Compile *c, const AffineFacts *indices, Task *t)
{
    Search u = {.c = c, .indices = indices, .t = t, .first = first_variable(t)};
    if ((u.first < 0 && !t->halos.count) || t->use_list)
        return;
    block_walk(t->body, look_at, &u);
    if (!u.any)
        t->fast_floats.count = 0;
}

void
pass_version_floats(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    const Tasks loops = ir_loops(c, f);
    if (!loops.count)
        return;
    const AffineFacts *indices = affine_new(c, f);
    for (int n = 0; n < loops.count; n++)
        look_at_loop(c, indices, loops.items[n]);
}
