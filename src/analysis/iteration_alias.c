/* Finds accesses of an iteration that may be to one element without a C compiler seeing it. */
#include "config.h"

#include "analysis/iteration_alias.h"

#include "analysis/linear.h"
#include "ir/inst_info.h"

/* A cell of a field, or an element of an array of the caller. */
typedef struct {
    const Inst *inst;
    const void *owner; /* that field or array */
    bool changes;
    int first_change, last_read;   /* by order in the body */
} Reach;

typedef struct {
    Compile *c;
    const Task *t;
    VEC(Reach) list;
    int order;  /* of the access that is looked at */
    bool loops; /* what comes later in the body may come before, in the next round */
} Reaches;

/* Is the field only reached at the loop's own indices plus constants? Those follow from each
 * other. */
static bool
is_near(const Task *t, const Field *f)
{
    const Footprints *lists[] = {&t->effects.reads, &t->effects.writes, &t->effects.accumulates};
    const Footprint *first = NULL;
    for (int n = 0; n < 3; n++) {
        const Footprint *p = footprint_of(lists[n], f);
        if (!p)
            continue;
        if (!p->own_index || p->spreads)
            return false;
        for (int k = 0; first && k < f->axis_count; k++)
            if (p->var[k] != first->var[k])
                return false;
        first = p;
    }
    return true;
}

/* The element of an array of the caller that a place begins with, or NULL. */
static const Inst *
array_element(const Inst *place)
{
    while (place->kind == INST_MEMBER ||
           (place->kind == INST_ELEM && place->args.items[0]->kind != INST_VAR))
        place = place->args.items[0];
    bool is_array =
        place->kind == INST_ELEM && place->args.items[0]->var->type->kind == TYPE_EXTERN;
    return is_array ? place : NULL;
}

/* The same cell or element once more. */
static void
note_again(Reach *known, const Reach *new)
{
    known->changes |= new->changes;
    if (!known->first_change)
        known->first_change = new->first_change;
    if (new->last_read)
        known->last_read = new->last_read;
}

static void
note_reach(Inst *i, void *arg)
{
    Reaches *a = arg;
    a->loops |= i->kind == INST_FOR || i->kind == INST_WHILE;
    a->order++;
    if (i->kind != INST_LOAD && i->kind != INST_STORE && i->kind != INST_ATOMIC)
        return;
    Inst *place = i->args.items[0];
    const Inst *base = affine_place_base(place), *element = array_element(place);
    Reach new = {.changes = i->kind != INST_LOAD};
    if (new.changes)
        new.first_change = a->order;
    else
        new.last_read = a->order;
    if (element) {
        new.inst = element;
        new.owner = element->args.items[0]->var;
    } else if (base->kind == INST_IN_CELL && task_changes(a->t, base->field) &&
               !is_near(a->t, base->field)) {
        new.inst = base->args.items[0];
        new.owner = base->field;
    } else {
        return;
    }
    for (int n = 0; n < a->list.count; n++)
        if (a->list.items[n].inst == new.inst) {
            note_again(&a->list.items[n], &new);
            return;
        }
    vec_push(a->c->scratch, &a->list, new);
}

/* Is nothing read through `p` after a change through `q`? C compilers put what they load, for
 * several iterations, before what they store, so that order they keep. */
static bool
reads_first(const Reaches *a, const Reach *p, const Reach *q)
{
    return !a->loops && !p->changes && p->last_read < q->first_change;
}

/* Does the difference between two numbers follow from their expressions? */
static bool
differ_by_constant(const AffineFacts *x, const Task *t, const Inst *a, const Inst *b)
{
    const Linear left = linear_as_seen(x, t, a), right = linear_as_seen(x, t, b);
    return left.fits && right.fits && linear_has_same_terms(&left, &right);
}

/* Does it follow from the expressions where one cell or element lies from the other? */
static bool
is_distance_known(const AffineFacts *x, const Task *t, const Inst *a, const Inst *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind)
        return false;
    if (a->kind == INST_WINDOW)
        return a->window->window == b->window->window;
    bool is_element = a->kind == INST_ELEM;
    if (!is_element && a->node != b->node)
        return false;
    if (!is_element && a->kind != INST_LOOKUP && a->kind != INST_CHILD)
        return true;
    for (int k = 1; k < a->args.count; k++)
        if (!differ_by_constant(x, t, a->args.items[k], b->args.items[k]))
            return false;
    return is_element || is_distance_known(x, t, a->args.items[0], b->args.items[0]);
}

const Inst *
iteration_alias_find(Compile *c, const AffineFacts *x, const Task *t)
{
    Reaches a = {.c = c, .t = t};
    block_walk(t->body, note_reach, &a);
    for (int n = 0; n < a.list.count; n++)
        for (int k = 0; k < n; k++) {
            const Reach *p = &a.list.items[n], *q = &a.list.items[k];
            if ((p->changes || q->changes) && p->owner == q->owner && !reads_first(&a, p, q) &&
                !reads_first(&a, q, p) && !is_distance_known(x, t, p->inst, q->inst))
                return p->inst;
        }
    return NULL;
}

/* Is a field reached at the last index of the loop alone, which is the one along its rows? */
static bool
is_column(const Task *t, const Field *f)
{
    const Footprints *lists[] = {&t->effects.reads, &t->effects.writes, &t->effects.accumulates};
    const Node *n = f->leaves[0].node;
    if (!f->axis_count || n->kind != NODE_DENSE || n->parent)
        return false;
    const int row = node_axis_rank(n, n->axes[n->axis_count - 1]), last = task_last_index(t);
    for (int k = 0; k < 3; k++) {
        const Footprint *p = footprint_of(lists[k], f);
        if (p && (!p->own[row] || p->var[row] != last || p->offset_min[row] ||
                  p->offset_max[row]))
            return false;
    }
    return true;
}

bool
iteration_alias_has_columns(const Task *t)
{
    const Footprints *lists[] = {&t->effects.writes, &t->effects.accumulates};
    for (int k = 0; k < 2; k++)
        for (int n = 0; n < lists[k]->count; n++)
            if (!is_column(t, lists[k]->items[n].field))
                return false;
    return true;
}
