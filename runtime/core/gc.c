/* gc.c - recycling what was deactivated, in three stages for each pool.
 *
 *   1. the free list gets back what the threads have taken from it but not used;
 *   2. room is made on it, and the recycled elements are counted;
 *   3. these are reset to ambient where something hangs below them, and become free, in parallel.
 * The free list is a stack, so its unused part always lies at its head; a list that is empty
 * changes places with the recycled one instead. Elements below which nothing is allocated are reset
 * when they are taken again. Parents come before their children, because resetting a cell recycles
 * what hangs below it.
 */
#include "core_gc.h"
#include "../program/program.h"
#include "../program/stats.h"

/* What the threads of a collection work on. */
typedef struct {
    SnlTree *tree;
    int node;
    int64_t parts;              /* of the notes of masked cells */
} Collect;

/* Elements that a chunk of a parallel loop has at least, and notes of masked cells. */
enum { CHUNK_MIN = 16, NOTES_MIN = 64 };

static void
reset_cells(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Collect *c = (const Collect *)args;
    (void)chunk;
    for (int64_t k = from; k < to; k++)
        reset_element_of(c->tree, c->node,
                         snl_store_pointer(&c->tree->nodes[c->node].cells.recycled, k));
}

static void
reset_blocks(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Collect *c = (const Collect *)args;
    (void)chunk;
    for (int64_t k = from; k < to; k++)
        reset_block(c->tree, c->node,
                    snl_store_pointer(&c->tree->nodes[c->node].blocks.recycled, k));
}

/* The part of so many that resets what a note names: the same for all notes of a word, of which
 * there may be several. */
static int64_t
part_of_note(const void *container, int64_t word, int64_t parts)
{
    const uint64_t at = (uint64_t)(uintptr_t)container / sizeof(uint64_t) + (uint64_t)word;
    return (int64_t)((at * 0x9e3779b97f4a7c15u >> 32) % (uint64_t)parts);
}

/* Parts from ... to-1 of the notes: each goes through all of them for its own. */
static void
reset_notes(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Collect *c = (const Collect *)args;
    const SnlStore *notes = &c->tree->nodes[c->node].resets;
    (void)chunk;
    for (int64_t part = from; part < to; part++)
        for (int64_t k = 0; k < notes->count; k++) {
            const SnlReset *r = snl_reset_note(notes, k);
            const void *container = r ? SNL_LOAD_RELAXED(&r->container) : NULL;
            if (container && part_of_note(container, r->word, c->parts) == part)
                reset_masked(c->tree, c->node, k);
        }
}

/* Resets the masked cells of one node that were noted; some may lie in cells that were deactivated
 * after that, whose pools are collected later. */
static void
collect_bitmasked(SnlTree *tree, int node)
{
    SnlStore *notes = &tree->nodes[node].resets;
    Collect c = { tree, node, 1 };
    if (snl_has_team(tree->rt))
        c.parts = snl_smaller(tree->rt->threads, notes->count / NOTES_MIN);
    if (c.parts > 1)
        snl_parallel_for(tree->rt, c.parts, c.parts, reset_notes, &c);
    else
        for (int64_t k = 0; k < notes->count; k++)
            reset_masked(tree, node, k);
    snl_store_clear(notes);
}

/* True for an element that a thread has taken from the fresh ones but not handed out. */
static bool
is_fresh(const SnlPool *pool, const char *element)
{
    bool found = false;
    for (int t = 0; t < pool->run_count; t++) {
        const SnlPoolRun *run = &pool->runs[t];
        uintptr_t behind = (uintptr_t)element - (uintptr_t)run->fresh;
        found = found || (run->fresh_left > 0 &&
                          behind < (uintptr_t)(run->fresh_left * pool->element_bytes));
    }
    return found;
}

/* Empties a pool where no element is in use, and some were lost: what hangs below them is
 * recycled. */
static void
empty_pool(SnlTree *tree, int node, SnlPool *pool, SnlLoopFn reset)
{
    int64_t left = pool->fresh;
    for (int64_t chunk = 0; reset && left > 0; chunk++) {
        int64_t count = snl_pool_chunk_elements(pool, chunk) < left
                            ? snl_pool_chunk_elements(pool, chunk)
                            : left;
        char *element = (char *)snl_store_pointer(&pool->chunks, chunk);
        for (int64_t k = 0; element && k < count; k++, element += pool->element_bytes) {
            if (is_fresh(pool, element))
                continue;
            if (reset == reset_cells)
                reset_element_of(tree, node, element);
            else
                reset_block(tree, node, element);
        }
        left -= count;
    }
    snl_pool_free(tree->rt, pool);
}

/* Collects one pool; reset may be NULL.  False if that has to be done again. */
static bool
collect_pool(SnlTree *tree, int node, SnlPool *pool, SnlLoopFn reset)
{
    Collect c = { tree, node, 1 };
    int64_t count = pool->lost > 0 ? count_recycled(pool) : 0;  /* may find that more are lost */
    if (pool->lost > 0 && snl_pool_used(pool) == count + pool->lost) {
        empty_pool(tree, node, pool, reset);
        return true;
    }
    if (pool->recycled.count == 0)
        return true;
    count = snl_pool_make_room(tree->rt, pool);
    if (count < 0)
        return false;
    if (reset)
        snl_parallel_for(tree->rt, count, snl_chunk_count(count, CHUNK_MIN), reset, &c);
    snl_pool_adopt(tree->rt, pool, count);
    return true;
}

/* Collects the pools of one node; false if that has to be done again. */
static bool
collect_node(SnlTree *tree, int node)
{
    SnlNode *n = &tree->nodes[node];
    switch (n->desc.kind) {
    case SNL_POINTER:
    case SNL_HASH:
        return collect_pool(tree, node, &n->cells, n->flat ? NULL : reset_cells);
    case SNL_DYNAMIC:
        return collect_pool(tree, node, &n->blocks, reset_blocks)
               && collect_pool(tree, node, &n->cells, NULL);
    default:
        return true;
    }
}

/* Entries for each cell from which on a collection makes a table smaller, where cells may soon come
 * back; and from which on trim does, which is asked for memory. */
enum { ENTRIES_TO_COLLECT = 64, ENTRIES_TO_TRIM = 8 };

/* Makes tables smaller that have so many entries for each cell or more; a GPU keeps its own. */
static void
shrink_tables(SnlTree *tree, int64_t entries, bool all)
{
    SnlHashTable *next;
    for (SnlHashTable *t = tree->rt->gpu ? NULL : tree->tables; t; t = next) {
        next = t->next;
        if ((all || t->is_thin) && snl_hash_live(t) * entries <= t->capacity)
            snl_hash_shrink(tree, t);
        t->is_thin = false;
    }
    tree->has_thin = false;
}

void
snl_tree_gc(SnlTree *tree)
{
    bool done = true;
    double start;
    if (SNL_LIKELY(!tree->pending))
        return;
    start = snl_event_begin(tree->rt);
    tree->pending = 0;
    for (int node = 0; node < tree->node_count; node++)     /* while the memory of all is there */
        if (tree->nodes[node].desc.kind == SNL_BITMASKED)
            collect_bitmasked(tree, node);
    for (int node = 0; node < tree->node_count; node++)
        done = collect_node(tree, node) && done;
    if (tree->has_thin)
        shrink_tables(tree, ENTRIES_TO_COLLECT, false);
    snl_hash_tables_drop(tree);
    tree->pending = !done;
    snl_event_end(tree->rt, SNL_EVENT_GC, "collection", 0, start);
}

/* Returns the memory of cells that is not used, but for those of one pool, which may be NULL. */
static void
trim_pools(SnlTree *tree, const SnlPool *but)
{
    for (int node = 0; node < tree->node_count; node++) {
        SnlNode *n = &tree->nodes[node];
        if (n->desc.kind >= SNL_POINTER && &n->cells != but)
            snl_pool_trim(tree->rt, &n->cells);
        if (n->desc.kind == SNL_DYNAMIC && &n->blocks != but)
            snl_pool_trim(tree->rt, &n->blocks);
    }
}

bool
snl_find_memory(SnlInstance *rt, const SnlPool *but)
{
    const bool loop = rt->loops > 0 || rt->gpu; /* may look at lists and at old tables */
    uint64_t before = rt->bytes_used;
    if (!rt->program || snl_in_loop(rt))
        return false;
    for (int k = 0; k < rt->program->layout_count; k++) {
        if (!rt->trees[k])
            continue;
        trim_pools(rt->trees[k], but);
        if (loop)
            continue;
        snl_lists_drop(rt->trees[k]);
        snl_hash_tables_drop(rt->trees[k]);
    }
    return rt->bytes_used < before;
}

void
snl_tree_trim(SnlTree *tree)
{
    tree->pending = 1;
    snl_tree_gc(tree);
    shrink_tables(tree, ENTRIES_TO_TRIM, true);
    snl_hash_tables_drop(tree);
    trim_pools(tree, NULL);
    snl_spare_trim(tree);
    snl_copies_free(tree->rt);
    for (int node = 0; node < tree->node_count; node++) {
        snl_list_free(tree->rt, &tree->nodes[node].list);
        snl_store_free(tree->rt, &tree->nodes[node].resets);
    }
}

void
snl_tree_reset(SnlTree *tree)
{
    for (int node = 0; node < tree->node_count; node++)
        if (tree->root[node])
            snl_container_clear(tree, node, tree->root[node]);
    snl_tree_gc(tree);
    for (int k = 0; tree->root_cell && k < tree->desc->leaf_count; k++) {
        const SnlLeafDesc *leaf = &tree->desc->leaves[k];
        size_t bytes = (size_t)(leaf->count * snl_scalar_bytes(leaf->tag));
        if (leaf->node < 0 && leaf->ambient)
            memcpy(tree->root_cell + leaf->offset, leaf->ambient, bytes);
        else if (leaf->node < 0)
            memset(tree->root_cell + leaf->offset, 0, bytes);
    }
}

int64_t
snl_tree_node_memory(const SnlTree *tree, int node)
{
    const SnlNode *n = &tree->nodes[node];
    int64_t bytes = tree->root[node] ? n->desc.container_bytes : 0;
    bytes += snl_pool_bytes(&n->cells) + snl_pool_bytes(&n->blocks);
    for (const SnlHashTable *t = tree->tables; t; t = t->next)
        bytes += t->node == node && !t->spare ? (int64_t)snl_hash_table_bytes(t->capacity) : 0;
    bytes += snl_store_bytes(&n->resets) + (int64_t)n->list.work_bytes;
    bytes += n->list.firsts_room * (int64_t)sizeof *n->list.firsts;
    return bytes + n->list.capacity * (int64_t)sizeof(SnlListEntry);
}

int64_t
snl_tree_memory(const SnlTree *tree)
{
    int64_t bytes = tree->desc->root_bytes;
    for (int node = 0; node < tree->node_count; node++)
        bytes += snl_tree_node_memory(tree, node);
    for (const SnlSpare *spare = tree->spare; spare; spare = spare->next)
        bytes += spare->bytes;
    return bytes;
}
