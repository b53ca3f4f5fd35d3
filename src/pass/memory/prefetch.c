/* Software prefetching. A loop over listed blocks would wait for the first lines of each block. The
 * processor foresees that a block is read from start to end, but not which block is next. Each
 * iteration therefore asks for the parts that it uses of a block further on in the list.
 *
 *   $0 = offloaded struct_for(S2dense) {  →  $0 = offloaded struct_for(S2dense) ahead 2 (S2dense) {
 *
 * If blocks are cells of a mask below the list, the block further on in the mask is asked for:
 * `ahead 3 in mask (S2dense)`. Loops with halos ask row by row of their own block, `ahead 3 by
 * rows`. A processor waits for few lines at a time, and what the loop needs now must not queue
 * behind what it needs later. A part is a container in the listed cell that has a field which the
 * loop reads or writes at its own cell. Loops with halos also ask for the cells of other blocks,
 * `around(3)` of them: of the blocks after, and of the one before along the first axis. Other
 * neighbours were read shortly before, or are next.
 *
 * Blocks of arrays that no cache holds are asked for likewise, row by row: `ahead 2 in array by
 * rows`. A loop that uses one of several fields skips every other part of the memory.
 *
 * Dynamic lists in the cells of a dense node lie side by side, but their blocks and cells do not.
 * Blocks and cells of a list further on are asked for too: `ahead lists`.
 *
 * Arrays that no cache holds may be read element by element. The processor foresees the next lines,
 * but not far enough. Lines some way on are asked for, strip by strip of the innermost loop. Arrays
 * that the loop only writes are left alone.
 *
 *     struct_for(S1dense) {      →        struct_for(S1dense) ahead strips (S1dense) {
 *
 * Cells of masks in such an array are asked for word by word: `ahead words`.
 *
 * Indirect prefetching, of lists and of entries of hash tables. An iteration that appends to one of
 * many lists waits for the list's container, then for the block that the container names, then for
 * the cell at the end. The loop gets a second body that only finds the list. It runs for a strip of
 * iterations, the lists of the strip are fetched, and then the strip runs.
 *     range_for(i32 p in 0..1000) {                         range_for(i32 p in 0..1000) {
 *         $8 = load home[$7]                                    $8 = fetched container S2dynamic
 *         $12 = child S2dynamic of $11                 →        $13 = append $8 <- ($7)
 *         $13 = append $12 <- ($7)                          } fetches {
 *     }                                                         $18 = load home[$17]
 *                                                               $22 = child S2dynamic of $21
 *                                                               fetch $22
 *                                                           }
 * If cells of a hash node are activated, deactivated or looked up, the second body has `fetch` with
 * the container and the indices, and the first body stays as it is. The code that finds the list
 * must be arithmetic on values that the loop does not change, and activate nothing. Lists that
 * follow each other need no fetching. If the number of the list is the iteration's number divided,
 * iterations append to one list in runs. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/strips.h"
#include "ir/inst_info.h"
#include "pass/memory/slice.h"

enum {
    BYTES_LEAST = 512,
    BYTES_MOST = 16 << 10,
    AHEAD_BYTES = 8 << 10,
    AHEAD_LEAST = 2,
    AHEAD_MOST = 16,
    ROWS_BYTES = 12 << 10,
    ARRAY_BYTES = 4 << 10,
    IN_MASK = 3
};

/* The container in a cell of `listed` that holds all of a node's cells in it, or NULL: none of
 * dense nodes. */
static Node *
part_of(Node *n, const Node *listed)
{
    for (; n && n->kind == NODE_DENSE; n = n->parent)
        if (n->parent == listed)
            return n;
    return NULL;
}

static void
add_parts(Compile *c, Task *t, const Node *listed, const Footprints *uses)
{
    for (int i = 0; i < uses->count; i++) {
        const Field *f = uses->items[i].field;
        for (int leaf = 0; leaf < f->type->leaf_count; leaf++) {
            Node *part = part_of(f->leaves[leaf].node, listed);
            if (part && !nodes_have(&t->ahead, part))
                vec_push(c->arena, &t->ahead, part);
        }
    }
}

/* The directions of blocks around one in the list whose faces are not in the cache yet. */
static unsigned
faces_around(const Task *t, const Node *listed)
{
    const Node *n = t->node;
    unsigned some = 0, all = 0;
    int unit = 1, middle = 0;
    for (int k = 0; k < n->axis_count; k++)
        middle = 3 * middle + 1;
    for (int k = n->axis_count - 1; k >= 0; k--, unit *= 3) {
        if (k < n->axis_count - 1)
            some |= 1u << (middle + unit);
        if (k == 0)
            some |= 1u << (middle - unit);
    }
    for (int i = 0; n->parent == listed && i < t->halos.count; i++)
        if (t->halos.items[i]->node->parent == listed)
            all |= t->halos.items[i]->directions;
    return some & all;
}

/* The node whose cells are blocks: that of the list, or a mask in its cells where the loop has
 * halos. */
static const Node *
blocks_of(const Task *t, const Node *listed)
{
    const Node *mask = t->node->parent;
    if (t->halos.count && mask && mask != listed && mask->kind == NODE_BITMASKED &&
        mask->parent == listed && mask->cell_count)
        return mask;
    return listed;
}

/* Does the loop go through lists one after the other that lie in cells of one dense container? */
static bool
goes_through_lists(const Task *t)
{
    const Node *n = t->kind == TASK_STRUCT_FOR && !t->use_list ? t->node : NULL;
    return n && n->kind == NODE_DYNAMIC && n->parent && n->parent->kind == NODE_DENSE &&
           n->parent->cell_count > 1;
}

/* Finds the parts in the cells of a node that the loop uses; gives their bytes, or 0 where these
 * are too few or too many. */
static int64_t
find_parts(Compile *c, Task *t, const Node *n)
{
    int64_t bytes = 0;
    add_parts(c, t, n, &t->effects.reads);
    add_parts(c, t, n, &t->effects.writes);
    add_parts(c, t, n, &t->effects.accumulates);
    for (int i = 0; i < t->ahead.count; i++)
        bytes += t->ahead.items[i]->container_bytes;
    if (bytes >= BYTES_LEAST && bytes <= BYTES_MOST)
        return bytes;
    t->ahead.count = 0;
    return 0;
}

/* Blocks of a large array, one after the other. */
static void
find_blocks_of_array(Compile *c, Task *t)
{
    const Node *n = t->kind == TASK_STRUCT_FOR && !t->use_list ? t->node : NULL;
    if (!n || n->kind != NODE_DENSE || n->axis_count < 2 || !n->cell_count ||
        !n->parent || n->parent->kind != NODE_DENSE || node_list_ancestor(n) ||
        node_top(n)->container_bytes < LARGE_ARRAY)
        return;
    const int64_t bytes = find_parts(c, t, n->parent);
    if (bytes == 0)
        return;
    t->ahead_in_array = t->ahead_by_rows = true;
    t->ahead_by = bytes < ARRAY_BYTES ? (int)(ARRAY_BYTES / bytes) : 1;
}

static void
find_blocks(Compile *c, Task *t)
{
    const Node *above =
        t->kind == TASK_STRUCT_FOR && !t->use_list ? node_list_ancestor(t->node) : NULL;
    const Node *listed = above ? blocks_of(t, above) : NULL;
    t->ahead_lists = goes_through_lists(t);
    if (!listed || !part_of(t->node, listed))
        return;
    const int64_t bytes = find_parts(c, t, listed);
    if (bytes == 0)
        return;
    t->ahead_around = faces_around(t, listed);
    t->ahead_by_rows = t->halos.count && t->node->axis_count > 1;
    t->ahead_by = (int)((t->ahead_by_rows ? ROWS_BYTES : AHEAD_BYTES) / bytes);
    t->ahead_by = t->ahead_by < AHEAD_LEAST  ? AHEAD_LEAST
                  : t->ahead_by > AHEAD_MOST ? AHEAD_MOST
                                             : t->ahead_by;
    t->ahead_in_mask = listed != above;
    if (t->ahead_in_mask)
        t->ahead_by = IN_MASK;
}

enum { CELL_MOST = 64, ARRAYS_MOST = 8 };

/* Is it an array at the top that no cache holds, whose cells a strip asks for in a few lines?
 * Streams see to their own. Where the size is known at run time only, a sum, which goes in strips
 * in any case, loses little if the array is small; streams have another version for that. */
static bool
is_large_array(const Task *t, const Node *n)
{
    if (!n || n->kind != NODE_DENSE || n->parent || n->has_offset || n->cell_bytes > CELL_MOST)
        return false;
    if (t->stream && t->weaves == WEAVE_NONE && t->stream->leaves[0].node == n)
        return false;
    return n->cell_count ? n->container_bytes >= LARGE_ARRAY
                         : t->reductions.count > 0 || t->stream_by_size;
}

static void
add_arrays(Compile *c, Task *t, int last, const Footprints *uses)
{
    for (int i = 0; i < uses->count; i++) {
        const Field *f = uses->items[i].field;
        for (int leaf = 0; leaf < f->type->leaf_count; leaf++) {
            Node *n = f->leaves[leaf].node;
            if (is_large_array(t, n) && strips_go_along(n, last) &&
                strips_own(t, &uses->items[i], last) && !nodes_have(&t->ahead_strips, n) &&
                t->ahead_strips.count < ARRAYS_MOST)
                vec_push(c->arena, &t->ahead_strips, n);
        }
    }
}

/* Does the loop go through masks that lie in the cells of a large array? */
static bool
goes_through_masks(const Task *t)
{
    const Node *n = t->kind == TASK_STRUCT_FOR && !t->use_list ? t->node : NULL;
    return n && n->kind == NODE_BITMASKED && !node_list_ancestor(n) &&
           node_top(n)->container_bytes >= LARGE_ARRAY && n->cell_bytes <= CELL_MOST;
}

static void
find_arrays(Compile *c, Task *t)
{
    int last;
    t->ahead_words = goes_through_masks(t);
    if (!strips_fit(t, LONG_ROW, &last))
        return;
    add_arrays(c, t, last, &t->effects.reads);
    add_arrays(c, t, last, &t->effects.accumulates);
}

/* ---- lists to append to, and hash cells ---- */

enum { LISTS_LEAST = 1024 };

/* What a loop may have fetched. */
typedef struct {
    Inst *append, *change, *read; /* of a list; the first of a hash cell */
    int appends;
} Targets;

static void
note_targets(Inst *i, void *arg)
{
    Targets *t = arg;
    if (i->kind == INST_APPEND) {
        t->append = i;
        t->appends++;
    } else if (slice_changes_hash_cell(i) && !t->change) {
        t->change = i;
    } else if (slice_reads_hash_cell(i) && !t->read) {
        t->read = i;
    }
}

/* One of so many lists that the caches may not hold them. */
static bool
is_one_of_many(const Inst *append)
{
    int64_t lists = 1;
    if (append->placed || !inst_has_container(append) || append->args.items[0]->kind != INST_CHILD)
        return false;
    for (const Node *n = append->node->parent; n && lists < LISTS_LEAST; n = n->parent)
        /* a size that is known at run time, or none */
        lists *= n->cell_count ? n->cell_count : LISTS_LEAST;
    return lists >= LISTS_LEAST;
}

/* Appends and sums of one loop do not go by the same strips. */
static void
find_target(Compile *c, const Ir *ir, IrFunc *f, Task *t)
{
    Targets found = {0};
    block_walk(t->body, note_targets, &found);
    if (found.appends) {
        if (found.appends == 1 && is_one_of_many(found.append) && !t->reductions.count)
            slice_target(c, ir, f, t, found.append);
        return;
    }
    if (found.change && slice_target(c, ir, f, t, found.change))
        return;
    if (found.read)
        slice_target(c, ir, f, t, found.read);
}

void
pass_prefetch(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++) {
        Task *t = loops.items[n];
        find_blocks(c, t);
        find_blocks_of_array(c, t);
        find_arrays(c, t);
        if (slice_fits(t))
            find_target(c, ir, f, t);
    }
}
