/* Places: variables, field elements and their parts. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "interp/inside.h"

Slot *
place_slot(Interp *in, const Var *v)
{
    return &in->frame->slots[v->id];
}

/* A place in `leaves`. Only fields have indices, so these are not set: an initializer would clear
 * them, for every place. */
static void
where_start(Where *out, Leaf *leaves)
{
    out->leaves = leaves;
    out->slot = NULL;
    out->field = NULL;
    out->outside = false;
    out->leaf = 0;
}

/* How far an index of a cycle lies behind `first`: from 0 on, below the cycle. */
static int64_t
place_in_cycle(int64_t index, int64_t first, int64_t cycle)
{
    int64_t n = index % cycle - first % cycle; /* the difference may be too large */
    return (n % cycle + cycle) % cycle;
}

/* The index after the boundary mode of the field; sets *outside for a read of the ambient value. */
static int64_t
bounded_index(Interp *in, const TExpr *e, int i, int64_t index, PlaceUse use, bool *outside)
{
    const Field *f = e->field;
    int64_t first = f->offsets[i], extent = shape_field_extent(in, f, i), end = first + extent;
    const bool is_far = interp_index_is_far(e->args.items[i], index);
    if (!is_far && index >= first && index < end)
        return index;
    const int64_t cycle = f->boundary == BOUNDARY_MIRROR ? 2 * extent : extent,
                  in_cycle = is_far ? (int64_t)((uint64_t)index % (uint64_t)cycle) : index;
    if (use == USE_READ)
        switch (f->boundary) {
        case BOUNDARY_AMBIENT: *outside = true; return first;
        case BOUNDARY_CLAMP: return index < first && !is_far ? first : end - 1;
        case BOUNDARY_PERIODIC: return first + place_in_cycle(in_cycle, first, cycle);
        case BOUNDARY_MIRROR: {
            int64_t n = place_in_cycle(in_cycle, first, cycle);
            return first + (n < extent ? n : cycle - 1 - n);
        }
        case BOUNDARY_NONE: break;
        }
    interp_fail_index(in, e->span, e->args.items[i], index, f->name, first, end - 1, i);
}

static void
find_field(Interp *in, const TExpr *e, PlaceUse use, Where *out)
{
    where_start(out, NULL);
    out->field = e->field;
    for (int i = 0; i < e->args.count; i++)
        out->index[i] = eval_integer(in, e->args.items[i]);
    if (e->field->node)
        tree_require(in, e->field->node->layout, e->span);
    for (int i = 0; i < e->args.count; i++)
        out->index[i] = bounded_index(in, e, i, out->index[i], use, &out->outside);
}

/* Size of dimension i of something that is indexed. */
static int64_t
dimension(const Type *t, int i)
{
    return t->kind == TYPE_ARRAY ? t->dims[i] : i ? t->cols : t->rows;
}

/* Leaves before the element with the indices of e. */
static int
element_offset(Interp *in, const TExpr *e, const Type *storage)
{
    int64_t at = 0;
    for (int i = 0; i < e->args.count; i++) {
        int64_t n = eval_integer(in, e->args.items[i]), size = dimension(storage, i);
        if (n < 0 || n >= size)
            interp_fail_index(in, e->span, e->args.items[i], n, texpr_indexed_name(e->a), 0,
                              size - 1, i);
        at = at * size + n;
    }
    return (int)at * e->type->leaf_count;
}

void
place_find(Interp *in, const TExpr *e, PlaceUse use, Where *out)
{
    switch (e->kind) {
    case TX_VAR: {
        Slot *s = place_slot(in, e->var);
        if (s->place)
            *out = *s->place;
        else {
            where_start(out, s->leaves);
            out->slot = s;
        }
        out->var = e->var;
        break;
    }
    case TX_FIELD: find_field(in, e, use, out); break;
    case TX_TABLE: where_start(out, e->table->value.leaves); break;
    case TX_ELEM: {
        place_find(in, e->a, use, out);
        const bool is_passed = e->a->type->kind == TYPE_EXTERN;
        assert(out->slot || !is_passed);
        const Type *storage = is_passed ? out->slot->type : e->a->type;
        out->leaf += element_offset(in, e, storage);
        break;
    }
    case TX_MEMBER:
        place_find(in, e->a, use, out);
        out->leaf += e->a->type->members[e->member].leaf;
        break;
    default: { /* a value: kept in scratch memory */
        Leaf *v = interp_take(in, e->type->leaf_count);
        eval(in, e, v);
        where_start(out, v);
        break;
    }
    }
    out->type = e->type;
}

/* The first of the flags that say whether the place was set, and their number. */
static unsigned char *
flags_of(const Where *p, size_t *count)
{
    const int leaves = type_leaves_of_flag(p->slot->type);
    *count = (size_t)((p->type->leaf_count + leaves - 1) / leaves);
    return p->slot->flags + p->leaf / leaves;
}

/* False for the local variable, or the part of one, that was not set, nor a part of it. */
static bool
is_set(const Where *p)
{
    if (!p->slot || p->slot->set)
        return true;
    if (!p->slot->flags)
        return false;
    size_t count;
    const unsigned char *flags = flags_of(p, &count);
    return memchr(flags, 1, count) != NULL;
}

static void
mark_set(const Where *p)
{
    if (!p->slot->flags || p->type == p->slot->type)
        p->slot->set = true;
    if (p->slot->set)
        return;
    size_t count;
    unsigned char *flags = flags_of(p, &count);
    memset(flags, 1, count);
}

void
place_load(Interp *in, const Where *p, Leaf *out, Span at)
{
    if ((in->c->options.check & CHECK_BOUNDS) && !is_set(p))
        interp_fail(in, at, "%s", var_unset_text(in->c->arena, p->var));
    place_load_any(in, p, out, at);
}

void
place_load_any(Interp *in, const Where *p, Leaf *out, Span at)
{
    int n = p->type->leaf_count;
    if (p->leaves) {
        leaves_copy(out, p->leaves + p->leaf, n);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (p->outside)
            out[i] = p->field->ambient ? p->field->ambient->leaves[p->leaf + i] : (Leaf){.i = 0};
        else
            out[i] = tree_read(in, p->field, p->leaf + i, p->index, at);
    }
}

void
place_store(Interp *in, const Where *p, const Leaf *v, Span at)
{
    int n = p->type->leaf_count;
    if (p->slot)
        mark_set(p);
    if (p->leaves) {
        leaves_copy(p->leaves + p->leaf, v, n);
        return;
    }
    for (int i = 0; i < n; i++)
        tree_write(in, p->field, p->leaf + i, p->index, v[i], at);
}
