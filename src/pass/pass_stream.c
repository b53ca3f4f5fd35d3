/* Stores that go past the caches. A loop that writes all of a large array, one element an iteration, and reads none of it, would
 * first load what it overwrites. It writes strips of a small array instead, which are then copied by stores that do not. Stencils are
 * faster without.
 *
 *     $0 = offloaded struct_for(S1dense) {               $0 = offloaded struct_for(S1dense) stream(y) {
 *         ...                                                ...
 *         $8 = cell S1dense of y[$2] activate       →
 *         $9 = in cell $8 y                                  $9 = stream y
 *         store $9 <- $7                                     store $9 <- $7
 *
 * A loop with halos does the same to the rows of its own block where the field lies beside another one, in pairs: C compilers would
 * write such a row element by element. So does a loop over cells of two or three numbers in a large array, of which it writes one, where
 * it reads neighbours: else each of its loads would wait for stores of a moment ago to the same line. These strips stay in the caches. */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/index.h"
#include "pass/pass.h"

enum { BYTES_LEAST = 32 << 20, ROW_LEAST = 256, WOVEN_LEAST = 48, ROWS_LEAST = 64, PAIRS_LEAST = 8, ROW_MOST = 64 };

typedef struct {
    Task *t;
    Indices *indices;
    const Field *field;
    int uses;           /* of the field's elements */
    int places, loads;  /* of elements of the field */
    bool leaves;        /* an iteration may end before its store, or does more than can be seen */
} Search;

/* A scalar field that has a dense array of constant size for itself, without an offset. */
static bool
has_own_array(const Field *f)
{
    const Node *n = f->type->kind == TYPE_SCALAR ? f->leaves[0].node : NULL;
    if (!n || n->kind != NODE_DENSE || n->parent || n->has_offset || n->container_bytes < BYTES_LEAST)
        return false;
    return n->cell_bytes == f->type->bytes && (f->type->bytes == 4 || f->type->bytes == 8);
}

/* Does the innermost loop go along one axis, in long rows? `last` becomes the number of its variable. False where there are several
 * levels of nodes, offsets or steps. */
static bool
is_plain_loop(const Task *t, int64_t row_least, int *last)
{
    const Node *n = t->node;
    if (t->kind == TASK_RANGE_FOR) {
        for (int k = 0; k < t->vars.count; k++)
            if (t->step.items[k] && (t->step.items[k]->kind != INST_CONST || t->step.items[k]->value.leaves[0].i != 1))
                return false;
        *last = t->vars.count - 1;
        return true;
    }
    if (t->kind != TASK_STRUCT_FOR || !n || n->kind != NODE_DENSE || n->parent || n->has_offset || n->sizes[n->axis_count - 1] < row_least)
        return false;
    int64_t rows = 1;
    for (int k = 0; k < n->axis_count - 1 && rows < ROWS_LEAST; k++)
        rows *= n->sizes[k];
    if (n->axis_count > 1 && rows < ROWS_LEAST)
        return false;
    *last = node_axis_rank(n, n->axes[n->axis_count - 1]);
    return true;
}

/* Is this the element of the loop's own indices, along which the innermost loop goes from one to the next in memory? */
static bool
is_own_element(const Search *s, const Inst *place, int last)
{
    const Inst *at = place->args.items[0];
    const Node *n = at->node;
    if (at->kind != INST_CELL || at->args.count != s->t->vars.count)
        return false;
    for (int k = 0; k < at->args.count; k++) {
        Index x = indices_of(s->indices, s->t, at->args.items[k]);
        if (!x.known || x.var != s->t->vars.items[k] || x.min || x.max)
            return false;
    }
    return node_axis_rank(n, n->axes[n->axis_count - 1]) == last;
}

static void
count_uses(Inst *i, void *arg)
{
    Search *s = arg;
    s->uses += i->field == s->field;
    s->places += i->kind == INST_IN_CELL && i->field == s->field;
    s->loads += i->kind == INST_LOAD && i->args.items[0]->kind == INST_IN_CELL && i->args.items[0]->field == s->field;
    s->leaves |= i->kind == INST_CALL || i->kind == INST_CONTINUE || i->kind == INST_FOR_CELLS || i->kind == INST_APPEND ||
                 (i->kind != INST_CELL && inst_may_fail(i));
}

/* Is the field one of two that lie in pairs in the block that the loop is at? */
static bool
lies_in_pairs(const Task *t, const Inst *place)
{
    const Node *n = t->node;
    return t->kind == TASK_STRUCT_FOR && t->halos.count && !t->reductions.count && place->args.items[0]->node == n &&
           place->field->type->kind == TYPE_SCALAR && place->field->type->bytes == 4 && n->cell_bytes == 8 &&
           n->sizes[n->axis_count - 1] % PAIRS_LEAST == 0 && n->sizes[n->axis_count - 1] <= ROW_MOST;
}

/* Does the loop read neighbours, in the cells of `n` or anywhere? Then it takes longer to compute strips of an array than to load what
 * it overwrites. */
static bool
reads_neighbours(const Task *t, const Node *n)
{
    for (int r = 0; r < t->effects.reads.count; r++) {
        const Footprint *p = &t->effects.reads.items[r];
        for (int k = 0; k < AXIS_MAX; k++)
            if (p->own[k] && p->offset_min[k] < p->offset_max[k] && (!n || p->field->leaves[0].node == n))
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

/* Is the field one of two or three in the cells of an array, of which the loop reads neighbours and changes nothing else? What it reads of
 * the field itself has to be read before, and of its own cell. */
static bool
lies_in_cells(const Task *t, const Inst *place, int at)
{
    const Node *n = place->args.items[0]->node;
    const Field *f = place->field;
    if (n->kind != NODE_DENSE || n->parent || n->has_offset || f->type->kind != TYPE_SCALAR || f->type->bytes != 4 || t->reductions.count)
        return false;
    for (int k = 0; k < n->axis_count; k++)
        if (!n->stored[k])
            return false;
    if ((n->cell_bytes != 8 && n->cell_bytes != 12) || changes_more(t, n, f))
        return false;
    const Footprint *own = footprint_of(&t->effects.reads, f);
    for (int k = 0; own && k < t->vars.count; k++)
        if (!own->own[k] || own->var[k] != k || own->offset_min[k] || own->offset_max[k])
            return false;
    Search before = {.field = f}, all = {.field = f};
    Block start = *t->body;
    start.insts.count = at;
    block_walk(&start, count_uses, &before);
    block_walk(t->body, count_uses, &all);
    if (all.uses != before.uses || all.places != all.loads + 1)
        return false;
    return reads_neighbours(t, n) || (n->cell_bytes == 8 && !all.loads);
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

/* Turns the place of one store into that of a strip. */
static void
find_stream(Compile *c, IrFunc *f, Indices **indices, Task *t)
{
    int last = 0;
    if (!t->body || t->use_list)
        return;
    bool plain = is_plain_loop(t, ROW_LEAST, &last), rows = is_plain_loop(t, WOVEN_LEAST, &last);
    for (int n = 0; n < t->body->insts.count; n++) {
        Inst *store = t->body->insts.items[n], *place = store->kind == INST_STORE ? store->args.items[0] : NULL;
        if (!place || place->kind != INST_IN_CELL)
            continue;
        Weave weaves = lies_in_pairs(t, place) ? WEAVE_ROWS : rows && lies_in_cells(t, place, n) ? WEAVE_CELLS : WEAVE_NONE;
        if (!weaves && (!plain || !has_own_array(place->field) || reads_neighbours(t, NULL)))
            continue;
        if (!*indices)
            *indices = indices_new(c, f);
        Search s = {.t = t, .indices = *indices, .field = place->field};
        block_walk(t->body, count_uses, &s);
        if (s.leaves || (s.uses > 2 && weaves != WEAVE_CELLS) || /* its cell and its place */
            !is_own_element(&s, place, weaves == WEAVE_ROWS ? last_variable(t->node) : last))
            continue;
        place->kind = INST_STREAM;
        place->args = (Insts){0};
        t->stream = place->field;
        t->weaves = weaves;
        return;
    }
}

static void
find_streams(Compile *c, IrFunc *f, Indices **indices, const Tasks *tasks)
{
    for (int n = 0; n < tasks->count; n++) {
        find_streams(c, f, indices, &tasks->items[n]->tasks);
        find_streams(c, f, indices, &tasks->items[n]->orelse);
        find_stream(c, f, indices, tasks->items[n]);
    }
}

void
pass_stream(Compile *c, Ir *ir, IrFunc *f)
{
    Indices *indices = NULL;
    (void)ir;
    if (!c->options.gpu)
        find_streams(c, f, &indices, &f->tasks);
}
