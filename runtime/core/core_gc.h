/* core_gc.h - what collections do with pools and cells, on either side; see core.h.
 *
 * gc.c runs the stages on the threads of the CPU, gpu_tree.h on a GPU.
 */
#ifndef SNL_CORE_CORE_GC_H
#define SNL_CORE_CORE_GC_H

#include "../tree/tree.h"

/* All lanes of a block come here before one goes on. */
#define SNL_MEET() SNL_SPLIT(snl_lane_barrier(), (void)0)

/* The run with the first free elements from `at` on, or NULL. */
SNL_FN SnlPoolRun *
next_run(SnlPool *p, int64_t at)
{
    SnlPoolRun *found = NULL;
    for (int t = 0; t < p->run_count; t++) {
        SnlPoolRun *run = &p->runs[t];
        if (run->free_next < run->free_end && run->free_next >= at
            && (!found || run->free_next < found->free_next))
            found = run;
    }
    return found;
}

/* First stage: what the runs have left moves down to the top of the stack, by so many lanes that
 * meet.  Where a part and its new place overlap, all have read before one writes; as the runs are
 * taken in their order, none is overwritten before it was moved. */
SNL_ONCE void
return_runs(SnlPool *p, int lane, int lanes)
{
    int64_t top = p->free_count;
    for (SnlPoolRun *run = next_run(p, 0); run; run = next_run(p, run->free_end))
        for (int64_t k = run->free_next; k < run->free_end; k += lanes) {
            int64_t count = run->free_end - k < lanes ? run->free_end - k : lanes;
            void *element = lane < count ? snl_store_pointer(&p->free, k + lane) : NULL;
            SNL_MEET();
            if (lane < count)
                *(void **)snl_store_at(&p->free, top + lane) = element;
            SNL_MEET();
            top += count;
        }
    SNL_MEET();
    for (int t = 0; lane == 0 && t < p->run_count; t++)
        p->runs[t].free_next = p->runs[t].free_end = 0;
    if (lane == 0)
        p->free_count = top;
}

/* Recycled elements from number `held` on, behind memory that could not be had. */
SNL_FN int64_t
count_behind(const SnlStore *s, int64_t held)
{
    int64_t count = 0;
    for (int chunk = 0; chunk < SNL_STORE_CHUNKS && snl_store_chunk_begin(chunk) < s->count;
         chunk++) {
        int64_t begin = snl_store_chunk_begin(chunk),
                length = snl_store_chunk_begin(chunk + 1) - begin;
        for (int64_t k = 0; begin >= held && s->chunks[chunk] && k < length && begin + k < s->count;
             k++)
            count += ((void **)(void *)s->chunks[chunk])[k] != NULL;
    }
    return count;
}

/* Moves the elements of a part of a store, from number `begin` on, up to number `to`; gives the
 * number behind them. Holes are few, and most of them near the end. */
SNL_FN int64_t
close_holes(SnlStore *s, int64_t to, void **part, int64_t begin, int64_t length)
{
    int64_t k = 0;
    if (to == begin)
        while (k < length && part[k])
            k++;
    for (to += k; k < length; k++)
        if (part[k])
            *(void **)snl_store_at(s, to++) = part[k];
    return to;
}

/* Fills the places that runs have left empty with the last elements of the first `count` places;
 * gives the number behind them. */
SNL_FN int64_t
fill_places(SnlPool *p, int64_t count)
{
    SnlStore *s = &p->recycled;
    for (int t = 0; t < p->run_count; t++) {
        SnlPoolRun *run = &p->runs[t];
        for (int64_t k = run->place; k < run->places_end; k++) {
            while (k < count && !snl_store_pointer(s, count - 1))
                count--;
            if (k < count)
                *(void **)snl_store_at(s, k) = snl_store_pointer(s, --count);
        }
        run->place = run->places_end = 0;
    }
    return count;
}

/* Number of recycled elements, behind which there are no holes. */
SNL_FN int64_t
count_recycled(SnlPool *p)
{
    int64_t held = snl_store_held(&p->recycled), count = 0;
    if (!p->has_holes)
        return p->recycled.count = fill_places(p, held);
    for (int64_t begin = 0, length; begin < held; begin += length) {
        void **part = (void **)snl_store_part(&p->recycled, begin, &length);
        length = length < held - begin ? length : held - begin;
        count = close_holes(&p->recycled, count, part, begin, length);
    }
    p->lost += count_behind(&p->recycled, held);
    for (int t = 0; t < p->run_count; t++)
        p->runs[t].place = p->runs[t].places_end = 0;
    p->has_holes = false;
    return p->recycled.count = count;
}

/* Second stage: room for the recycled elements on the free list; how many they are, or -1 without
 * memory, when they stay recycled. */
SNL_ONCE int64_t
pool_make_room(SnlInstance *rt, SnlPool *p)
{
    int64_t count = count_recycled(p);
    p->free.count = p->free_count;
    if (p->free_count > 0 && count > 0 && snl_store_reserve(rt, &p->free, count) < 0) {
        p->free.count = p->free_count;
        return -1;
    }
    return count;
}

/* Elements in use; recycled ones count. */
SNL_FN int64_t
pool_used(const SnlPool *p)
{
    int64_t used = p->fresh - p->gone - p->free_count;
    for (int t = 0; t < p->run_count; t++) {
        const SnlPoolRun *run = &p->runs[t];
        used -= run->free_end - run->free_next + run->fresh_left + (run->returned != NULL);
    }
    return used;
}

/* True if no element is in use but the recycled ones, and the counter may be set back: what runs
 * had not handed out must not need its image. */
SNL_FN bool
can_rewind(const SnlPool *p, int64_t recycled)
{
    return p->gone == 0 && (p->reset_taken || !p->image) && pool_used(p) == recycled;
}

/* Sets the counter back, where no element is in use. */
SNL_FN void
rewind_pool(SnlPool *p)
{
    if (p->used_before < p->fresh)
        p->used_before = p->fresh;
    p->fresh = p->free_count = 0;
    for (int t = 0; t < p->run_count; t++)
        p->runs[t] = (SnlPoolRun){ 0 };
}

/* Moves the recycled elements from ... to-1 to the free list. */
SNL_ONCE void
move_recycled(SnlPool *p, int64_t from, int64_t to)
{
    for (int64_t k = from, length, room; k < to; k += length) {
        void *source = snl_store_part(&p->recycled, k, &length);
        void *target = snl_store_part(&p->free, p->free_count + k, &room);
        length = length < room ? length : room;
        length = length < to - k ? length : to - k;
        snl_bytes_copy(target, source, (size_t)length * sizeof(void *));
    }
}

/* End of the last stage: the recycled elements, which were moved if there are free ones, are
 * free. */
SNL_FN void
pool_adopt(SnlPool *p, int64_t count, bool rewind)
{
    if (rewind) {
        rewind_pool(p);
        count = 0;
    } else if (p->free_count == 0) {       /* nothing was moved: the lists change places */
        SnlStore recycled = p->recycled;
        p->recycled = p->free;
        p->free = recycled;
    }
    p->free_count += count;
    p->free.count = p->free_count;
    p->recycled.count = 0;
}

/* Sets the cell in an element to ambient; what hangs below it is recycled. */
SNL_ONCE void
reset_element_of(SnlTree *tree, int node, void *element)
{
    snl_cell_reset(tree, node, (char *)element + tree->nodes[node].key_bytes);
}

/* Empties a block of a dynamic node; its chunks are recycled, and those made for cells that it did
 * not get. */
SNL_ONCE void
reset_block(SnlTree *tree, int node, void *element)
{
    SnlNode *n = &tree->nodes[node];
    SnlDynamicBlock *block = (SnlDynamicBlock *)element;
    int64_t used = (block->length + n->desc.chunk - 1) / n->desc.chunk;
    int64_t most = (n->desc.sizes[0] + n->desc.chunk - 1) / n->desc.chunk;
    for (int64_t at = 0; at < most && (at < used || block->chunks[at]); at++) {
        if (block->chunks[at])
            snl_pool_recycle(tree->rt, &n->cells, &block->chunks[at], 1);
        block->chunks[at] = NULL;
    }
    block->length = 0;
}

/* Resets bitmasked cells that another thread may have written after they were deactivated, and
 * empties their note. */
SNL_ONCE void
reset_masked(SnlTree *tree, int node, int64_t k)
{
    SnlNode *n = &tree->nodes[node];
    SnlReset *r = snl_reset_note(&n->resets, k);
    uint64_t bits;
    if (!r || !r->container)
        return;
    bits = r->bits & ~SNL_LOAD(&snl_bitmasked_mask(tree, node, r->container)[r->word]);
    for (; bits; bits &= bits - 1)
        snl_cell_reset(tree, node,
                       (char *)r->container +
                           (r->word * 64 + snl_bits_ctz(bits)) * n->desc.cell_bytes);
    r->bits = 0;
    SNL_STORE_RELAXED(&r->container, (void *)NULL);     /* others may look whose note it is */
}

#endif
