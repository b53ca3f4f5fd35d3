/* Streaming stores. A loop that writes all of a large array, one element an iteration, and reads
 * none of it, would wait for the lines that it overwrites. It writes strips of a small array
 * instead. The runtime stores these in the faster of two ways (stream_store.h). Stencils are faster
 * without.
 *
 *   $0 = offloaded struct_for(S1dense) {             $0 = offloaded struct_for(S1dense) stream(y) {
 *       ...                                              ...
 *       $8 = cell S1dense of y[$2] activate     →
 *       $9 = in cell $8 y                                $9 = stream y
 *       store $9 <- $7                                   store $9 <- $7
 *
 * If the size of the array is known at run time only, `stream(y if large)`, the loop has a version
 * for small arrays too.
 *
 * A loop with halos writes the rows of its own block so if the field lies in pairs with another. C
 * compilers would write such a row element by element. Likewise a loop over cells of two or three
 * numbers that changes one of them. Where it reads neighbours, each load would wait for recent
 * stores to the same line; where iterations keep to their own cells, cells are written whole. These
 * strips stay in the caches. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/affine.h"
#include "analysis/cost.h"
#include "analysis/strips.h"
#include "ir/inst_info.h"
#include "ir/lower.h"

enum { WOVEN_LEAST = 48, PAIRS_LEAST = 8, ROW_MOST = 64 };

typedef struct {
    Task *t;
    AffineFacts *indices;
    const Inst *store;
    const Field *field;
    int uses;           /* of the field's elements */
    int loads, others;  /* of elements of the field; uses of these, or of what the store gives, by
                         * anything else */
    bool leaves;        /* an iteration may end before its store, or does more than can be seen */
    bool computes;      /* in a loop, for longer than a store takes */
} Search;

/* A scalar field that has a dense array for itself, without an offset, which is large or may be.
 * Sums have no version for small ones. */
static bool
has_own_array(const Task *t, const Field *f)
{
    const Node *n = f->type->kind == TYPE_SCALAR ? f->leaves[0].node : NULL;
    if (!n || n->kind != NODE_DENSE || n->parent || n->has_offset ||
        (n->cell_count ? n->container_bytes < LARGE_ARRAY : t->reductions.count > 0))
        return false;
    return n->cell_bytes == f->type->bytes && (f->type->bytes == 4 || f->type->bytes == 8);
}

/* Is this the element of the loop's own indices, along which the innermost loop goes from one to
 * the next in memory? */
static bool
is_own_element(const Search *s, const Inst *place, int last)
{
    const Inst *at = place->args.items[0];
    const Node *n = at->node;
    if (at->kind != INST_CELL || at->args.count != s->t->vars.count)
        return false;
    for (int k = 0; k < at->args.count; k++) {
        Affine x = affine_of(s->indices, s->t, at->args.items[k]);
        if (!x.known || x.var != s->t->vars.items[k] || x.min || x.max)
            return false;
    }
    return strips_go_along(n, last);
}

/* Does it take longer than a store, or is that known at run time only? */
static bool
has_many_rounds(const Inst *loop)
{
    enum { ROUNDS_MOST = 32 };
    Inst *const *range = loop->args.items;
    const int64_t count =
        loop->args.count == 3 ? cost_trip_count(range[0], range[1], range[2]) : -1;
    return count < 0 || count > ROUNDS_MOST;
}

static void
count_uses(Inst *i, void *arg)
{
    Search *s = arg;
    s->uses += i->field == s->field;
    for (int a = 0; a < i->args.count; a++) {
        const Inst *x = i->args.items[a];
        bool element = x->kind == INST_IN_CELL && x->field == s->field;
        s->loads += element && i->kind == INST_LOAD;
        s->others += i != s->store && ((element && i->kind != INST_LOAD) || x == s->store);
    }
    s->computes |= i->kind == INST_FOR && has_many_rounds(i);
    s->leaves |= i->kind == INST_CALL || i->kind == INST_CONTINUE || i->kind == INST_FOR_CELLS ||
                 i->kind == INST_APPEND || (i->kind != INST_CELL && inst_may_fail(i));
}

/* Is the field one of two that lie in pairs in the block that the loop is at? A mask of one axis is
 * gone through by its words, not by rows. */
static bool
lies_in_pairs(const Task *t, const Inst *place)
{
    const Node *n = t->node;
    return t->kind == TASK_STRUCT_FOR && t->halos.count && !t->reductions.count &&
           (n->kind != NODE_BITMASKED || n->axis_count > 1) &&
           place->args.items[0]->node == n && place->field->type->kind == TYPE_SCALAR &&
           place->field->type->bytes == 4 && n->cell_bytes == 8 &&
           n->sizes[n->axis_count - 1] % PAIRS_LEAST == 0 &&
           n->sizes[n->axis_count - 1] <= ROW_MOST;
}

/* Does the loop read neighbours, in the cells of `n` or anywhere? Then it takes longer to compute
 * strips of an array than to load what it overwrites. */
static bool
reads_neighbours(const Task *t, const Node *n)
{
    for (int r = 0; r < t->effects.reads.count; r++) {
        const Footprint *p = &t->effects.reads.items[r];
        for (int k = 0; k < AXIS_MAX; k++)
            if (p->own[k] && p->offset_min[k] < p->offset_max[k] &&
                (!n || p->field->leaves[0].node == n))
                return true;
    }
    return false;
}

/* Is another field in the cells of a node changed? */
static bool
changes_more(const Task *t, const Node *n, const Field *f)
{
    const Footprints *lists[2] = {&t->effects.writes, &t->effects.accumulates};
    for (int l = 0; l < 2; l++)
        for (int k = 0; k < lists[l]->count; k++)
            if (lists[l]->items[k].field != f && lists[l]->items[k].field->leaves[0].node == n)
                return true;
    return false;
}

/* Does an iteration use no cells of a node but its own? */
static bool
keeps_to_own_cells(const Task *t, const Node *n)
{
    const Footprints *lists[3] = {&t->effects.reads, &t->effects.writes, &t->effects.accumulates};
    for (int l = 0; l < 3; l++)
        for (int k = 0; k < lists[l]->count; k++)
            if (layout_field_lies_in(lists[l]->items[k].field, n->layout) &&
                !strips_own(t, &lists[l]->items[k], -1))
                return false;
    return true;
}

/* How the strip of a field goes between what else lies in the cells of an array, of which the loop
 * changes nothing. What it reads of the field itself has to be read before. */
static Weave
weave_in_cells(const Task *t, const Inst *store, int at)
{
    const Node *n = store->args.items[0]->args.items[0]->node;
    const Field *f = store->args.items[0]->field;
    if (n->kind != NODE_DENSE || n->parent || n->has_offset || f->type->kind != TYPE_SCALAR ||
        f->type->bytes != 4 || t->reductions.count)
        return WEAVE_NONE;
    for (int k = 0; k < n->axis_count; k++)
        if (!n->stored[k])
            return WEAVE_NONE;
    if ((n->cell_bytes != 8 && n->cell_bytes != 12) || changes_more(t, n, f))
        return WEAVE_NONE;
    Search before = {.field = f, .store = store}, all = before;
    Block start = *t->body;
    start.insts.count = at;
    block_walk(&start, count_uses, &before);
    block_walk(t->body, count_uses, &all);
    if (all.loads != before.loads || all.others)
        return WEAVE_NONE;
    if (keeps_to_own_cells(t, n))
        return WEAVE_WHOLE;
    bool pays = reads_neighbours(t, n) || (n->cell_bytes == 8 && !all.loads);
    return pays ? WEAVE_CELLS : WEAVE_NONE;
}

/* The number of the loop variable that goes along the rows of a node. */
static int
last_variable(const Node *n)
{
    int last = 0;
    for (int a = 0; a < n->axes[n->axis_count - 1]; a++)
        last += n->path_axes >> a & 1;
    return last;
}

/* Does it store one element, or add to it what no other iteration does? */
static bool
is_store(const Inst *i)
{
    bool adds = i->kind == INST_ATOMIC && i->plain && !i->joined &&
                (i->atomic_op == ATOMIC_ADD || i->atomic_op == ATOMIC_SUB);
    return (i->kind == INST_STORE || adds) && i->args.items[0]->kind == INST_IN_CELL;
}

/* The store goes to the strip. */
static void
store_in_strip(Compile *c, Ir *ir, IrFunc *f, Block *b, const Inst *store)
{
    Lower l = {.c = c, .p = ir->prog, .f = f, .block = b, .span = store->span};
    Inst *place = store->args.items[0], *value = store->args.items[1];
    if (store->kind == INST_ATOMIC)
        value = lower_binary(&l, store->atomic_op == ATOMIC_ADD ? OP_ADD : OP_SUB,
                             lower_add(&l, INST_LOAD, place->type, place, NULL, NULL), value);
    Inst *strip = lower_add(&l, INST_STREAM, place->type, NULL, NULL, NULL);
    strip->field = place->field;
    strip->leaf = place->leaf;
    lower_add(&l, INST_STORE, NULL, strip, value, NULL);
}

static void
replace_store(Compile *c, Ir *ir, IrFunc *f, Block *b, const Inst *store)
{
    Insts old = block_take(b);
    for (int n = 0; n < old.count; n++)
        if (old.items[n] == store)
            store_in_strip(c, ir, f, b, store);
        else
            block_add(c, b, old.items[n]);
    insts_free(c, &old);
}

/* Turns the place of one store into that of a strip. */
static void
find_stream(Compile *c, Ir *ir, IrFunc *f, AffineFacts **indices, Task *t)
{
    int last = 0;
    if (!t->body || t->use_list)
        return;
    bool plain = strips_fit(t, LONG_ROW, &last), rows = strips_fit(t, WOVEN_LEAST, &last);
    for (int n = 0; n < t->body->insts.count; n++) {
        const Inst *store = t->body->insts.items[n],
                   *place = is_store(store) ? store->args.items[0] : NULL;
        if (!place)
            continue;
        Weave weaves = lies_in_pairs(t, place) ? WEAVE_ROWS
                       : rows                  ? weave_in_cells(t, store, n)
                                               : WEAVE_NONE;
        if (!weaves && (!plain || !has_own_array(t, place->field) || reads_neighbours(t, NULL)))
            continue;
        if (!*indices)
            *indices = affine_new(c, f);
        Search s = {.t = t, .store = store, .indices = *indices, .field = place->field};
        /* then it has a cell and a place, and nothing else */
        const bool once = weaves != WEAVE_CELLS && weaves != WEAVE_WHOLE;
        block_walk(t->body, count_uses, &s);
        if (s.leaves || s.computes ||
            (once && (s.uses > 2 || s.loads || s.others || store->kind != INST_STORE)) ||
            !is_own_element(&s, place, weaves == WEAVE_ROWS ? last_variable(t->node) : last))
            continue;
        t->stream = place->field;
        t->weaves = weaves;
        t->stream_by_size = !weaves && !place->field->leaves[0].node->cell_count;
        replace_store(c, ir, f, t->body, store);
        return;
    }
}

void
pass_stream_stores(Compile *c, Ir *ir, IrFunc *f)
{
    AffineFacts *indices = NULL;
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        find_stream(c, ir, f, &indices, loops.items[n]);
}
