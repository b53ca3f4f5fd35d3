/* field_nest.c - copying between trees and arrays by nests of loops.
 *
 * The sizes of all nodes on a path give loops with constant steps in memory, those of an array one
 * loop for each index.  Both are cut into common parts, put in order of memory, and merged where
 * one loop goes on where another ends: a dense field of one node ends up as a single block.
 */
#include "field_inside.h"

enum { ITEM = 16384, TILE = 64 };

int
snl_lowest_kind(const SnlTree *tree, int node, int kind)
{
    while (node >= 0 && tree->nodes[node].desc.kind < kind)
        node = tree->nodes[node].desc.parent;
    return node;
}

char *
snl_path_root(const SnlTree *tree, int node)
{
    while (tree->nodes[node].desc.parent >= 0)
        node = tree->nodes[node].desc.parent;
    return tree->root[node];
}

/* ---- sides ---- */

/* Appends a loop outside of the others; those of one iteration are left out. */
static void
side_add(SnlSide *s, int index, int64_t count, int64_t step)
{
    s->spans[index] *= count;
    if (count <= 1)
        return;
    s->loops[s->count].index = index;
    s->loops[s->count].count = count;
    s->loops[s->count++].step = step;
}

static void
side_start(SnlSide *s, int64_t offset)
{
    s->count = 0;
    s->offset = offset;
    for (int k = 0; k < SNL_AXES; k++)
        s->spans[k] = 1;
}

/* The index of a field that a letter belongs to. */
static int
index_of(const SnlFieldDesc *f, int axis)
{
    int k = 0;
    while (k < f->axis_count - 1 && f->axes[k] != axis)
        k++;
    return k;
}

void
snl_side_of_tree(SnlSide *side, const SnlFieldDesc *f, const SnlUnit *u, int above)
{
    side_start(side, u->offset);
    for (int node = u->node; node != above; node = u->tree->nodes[node].desc.parent) {
        const SnlNodeDesc *d = &u->tree->nodes[node].desc;
        int64_t step = d->cell_bytes;
        for (int a = d->axis_count - 1; a >= 0; a--) {
            side_add(side, index_of(f, d->axes[a]), d->sizes[a], step);
            step *= d->stored[a];
        }
        if (d->parent >= 0)
            side->offset += d->container_offset;
    }
}

void
snl_side_of_array(SnlSide *side, const SnlSide *tree, const SnlFieldDesc *f, const int64_t *steps,
                  int64_t at)
{
    side_start(side, at);
    for (int k = f->axis_count - 1; k >= 0; k--)
        side_add(side, k, tree->spans[k], steps[k]);
}

/* ---- making a nest ---- */

/* The loops of one index of a side, from the innermost on, cut off as they are used. */
typedef struct {
    const SnlSide *side;
    int index, at;
    int64_t count, step;        /* of what is left of the loop; count 1: none */
} Strand;

/* Goes on to the next loop where the last one is used up. */
static void
strand_fill(Strand *s)
{
    while (s->count == 1 && s->at < s->side->count) {
        int at = s->at++;
        if (s->side->loops[at].index != s->index)
            continue;
        s->count = s->side->loops[at].count;
        s->step = s->side->loops[at].step;
    }
}

/* Uses up so many iterations; false if they are no part of the loop. */
static bool
strand_cut(Strand *s, int64_t count)
{
    if (s->count % count)
        return false;
    s->count /= count;
    s->step *= count;
    return true;
}

/* Appends the common loops of one index; returns the new number of loops, or -1. */
static int
common_loops(SnlLoop *loops, int count, int index, const SnlSide *to, const SnlSide *from)
{
    Strand a = { to, index, 0, 1, 0 }, b = { from, index, 0, 1, 0 };
    for (;;) {
        int64_t n;
        strand_fill(&a);
        strand_fill(&b);
        if (a.count == 1 || b.count == 1)
            return a.count == b.count ? count : -1;
        n = b.count < a.count ? b.count : a.count;
        loops[count].count = n;
        loops[count].to = a.step;
        loops[count++].from = b.step;
        if (!strand_cut(&a, n) || !strand_cut(&b, n))
            return -1;
    }
}

/* Puts the outermost loop in memory first; merges those that go on where another ends. */
static int
order_loops(SnlLoop *loops, int count)
{
    int merged = 0;
    for (int k = 1; k < count; k++)
        for (int m = k; m > 0 && loops[m - 1].to < loops[m].to; m--) {
            SnlLoop kept = loops[m];
            loops[m] = loops[m - 1];
            loops[m - 1] = kept;
        }
    for (int k = 0; k < count; k++) {
        SnlLoop *last = merged ? &loops[merged - 1] : NULL;
        if (last && last->to == loops[k].to * loops[k].count
            && last->from == loops[k].from * loops[k].count) {
            last->count *= loops[k].count;
            last->to = loops[k].to;
            last->from = loops[k].from;
        } else {
            loops[merged++] = loops[k];
        }
    }
    return merged;
}

/* Chooses the two innermost loops and what is copied at a time.  Where one side is written along
 * its memory and the other read across, both are kept to tiles. */
static void
choose_rows(SnlNest *n, SnlLoop *loops, int count)
{
    SnlLoop one = { 1, 0, 0 };
    int row = count - 2;
    bool tiled = false;
    n->run = count ? loops[count - 1] : one;
    for (int k = 0; k < count - 1; k++)
        if (loops[k].from < n->run.from && (!tiled || loops[k].from < loops[row].from)) {
            row = k;
            tiled = true;
        }
    n->row = row >= 0 ? loops[row] : one;
    n->outer_count = 0;
    n->items = 1;
    for (int k = 0; k < count - 1; k++) {
        if (k == row)
            continue;
        n->outer[n->outer_count++] = loops[k];
        n->items *= loops[k].count;
    }
    n->run_length = ITEM;
    if (tiled)
        n->run_length = TILE;
    if (n->run_length > n->run.count)
        n->run_length = n->run.count;
    n->row_length = ITEM / n->run_length;
    if (tiled)
        n->row_length = TILE;
    if (n->row_length > n->row.count)
        n->row_length = n->row.count;
    n->run_items = (n->run.count + n->run_length - 1) / n->run_length;
    n->row_items = (n->row.count + n->row_length - 1) / n->row_length;
    n->items *= n->row_items * n->run_items;
    n->single = count == 0;
}

bool
snl_nest_make(SnlNest *n, const SnlSide *to, const SnlSide *from, int64_t bytes)
{
    SnlLoop loops[SNL_LOOPS];
    int count = 0;
    for (int k = 0; k < SNL_AXES && count >= 0; k++)
        count = common_loops(loops, count, k, to, from);
    if (count < 0)
        return false;
    n->to = to->offset;
    n->from = from->offset;
    n->bytes = bytes;
    choose_rows(n, loops, order_loops(loops, count));
    return true;
}

/* ---- running it ---- */

/* Copies n units of a size that the compiler knows. */
#define COPY_UNITS(size) \
    do { \
        if (from_step == 0) { \
            char value[size]; \
            memcpy(value, from, size); \
            for (int64_t k = 0; k < n; k++) \
                memcpy(to + k * to_step, value, size); \
        } else { \
            for (int64_t k = 0; k < n; k++) \
                memcpy(to + k * to_step, from + k * from_step, size); \
        } \
    } while (0)

/* Copies n units that lie in equal steps. */
static void
copy_run(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, int64_t bytes)
{
    if (to_step == bytes && from_step == bytes) {
        memcpy(to, from, (size_t)(n * bytes));
        return;
    }
    switch (bytes) {
    case 1: COPY_UNITS(1); break;
    case 2: COPY_UNITS(2); break;
    case 4: COPY_UNITS(4); break;
    case 8: COPY_UNITS(8); break;
    case 12: COPY_UNITS(12); break;
    case 16: COPY_UNITS(16); break;
    default:
        for (int64_t k = 0; k < n; k++)
            memcpy(to + k * to_step, from + k * from_step, (size_t)bytes);
    }
}

/* Copies a constant of so many bytes to places without gaps. */
static void
fill_run(char *to, const char *value, int64_t n, int64_t bytes)
{
    switch (bytes) {
    case 1: copy_run(to, 1, value, 0, n, 1); break;
    case 2: copy_run(to, 2, value, 0, n, 2); break;
    case 4: copy_run(to, 4, value, 0, n, 4); break;
    case 8: copy_run(to, 8, value, 0, n, 8); break;
    default: copy_run(to, bytes, value, 0, n, bytes);
    }
}

/* Copies an item. */
static void
run_item(const SnlNest *n, int64_t item, char *to, const char *from)
{
    int64_t run = item % n->run_items * n->run_length, row, rows, length;
    item /= n->run_items;
    row = item % n->row_items * n->row_length;
    item /= n->row_items;
    to += n->to + run * n->run.to + row * n->row.to;
    from += n->from + run * n->run.from + row * n->row.from;
    for (int k = n->outer_count - 1; k >= 0; k--) {
        int64_t i = item % n->outer[k].count;
        item /= n->outer[k].count;
        to += i * n->outer[k].to;
        from += i * n->outer[k].from;
    }
    rows = n->row.count - row < n->row_length ? n->row.count - row : n->row_length;
    length = n->run.count - run < n->run_length ? n->run.count - run : n->run_length;
    for (int64_t k = 0; k < rows; k++, to += n->row.to, from += n->row.from) {
        if (n->run.from == 0 && n->run.to == n->bytes)
            fill_run(to, from, length, n->bytes);
        else
            copy_run(to, n->run.to, from, n->run.from, length, n->bytes);
    }
}

void
snl_nest_run(const SnlNest *n, char *to, const char *from)
{
    if (n->single) {
        copy_run(to + n->to, 0, from + n->from, 0, 1, n->bytes);
        return;
    }
    for (int64_t item = 0; item < n->items; item++)
        run_item(n, item, to, from);
}

/* Arguments of run_items. */
typedef struct {
    const SnlNest *n;
    char *to;
    const char *from;
} Run;

static void
run_items(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Run *r = (const Run *)args;
    (void)chunk;
    for (int64_t item = from; item < to; item++)
        run_item(r->n, item, r->to, r->from);
}

static void
run_on_threads(SnlInstance *rt, const SnlNest *n, char *to, const char *from)
{
    Run r = { n, to, from };
    int64_t size = n->row_length * n->run_length;
    snl_parallel_for(rt, n->items, snl_chunk_count(n->items, ITEM / size), run_items, &r);
}

void
snl_nest_run_parallel(SnlInstance *rt, const SnlNest *n, char *to, const char *from,
                      SnlOutside outside)
{
    if (!rt->mover || !rt->mover(rt, n, to, from, outside))
        run_on_threads(rt, n, to, from);
}

void
snl_nest_fill(SnlInstance *rt, char *to, int64_t step, int64_t n, const char *value,
              int64_t bytes)
{
    SnlSide places, constant;
    SnlNest nest;
    side_start(&places, 0);
    side_add(&places, 0, n, step);
    side_start(&constant, 0);
    side_add(&constant, 0, n, 0);
    snl_nest_make(&nest, &places, &constant, bytes);
    run_on_threads(rt, &nest, to, value);
}
