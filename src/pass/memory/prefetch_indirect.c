/* Indirect prefetching, of lists and of entries of hash tables. An iteration that appends to one of
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

#include "ir/inst_info.h"
#include "pass/memory/slice.h"

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
pass_prefetch_indirect(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        if (slice_fits(loops.items[n]))
            find_target(c, ir, f, loops.items[n]);
}
