/* core_pool.h - taking elements of a pool and putting them aside, on either side; see core.h.
 */
#ifndef SNL_CORE_CORE_POOL_H
#define SNL_CORE_CORE_POOL_H

#include "core_store.h"
#include "parallel.h"
#include "pool.h"

SNL_CORE uint64_t
snl_pool_block_bytes(const SnlPool *p)
{
    return snl_pool_chunk_bytes(p, SNL_LOAD_RELAXED(&p->chunk_count));
}

/* Claims up to *count fresh elements, one after the other in memory, all used before or none; gives
 * the first, or NULL, and how many they are. */
SNL_FN char *
claim_fresh(SnlInstance *rt, SnlPool *p, int64_t *count, int64_t *used)
{
    int64_t element = SNL_LOAD_RELAXED(&p->fresh);
    int64_t chunk, first, left, taken;
    do {        /* an element is claimed only once its chunk is there */
        chunk = snl_pool_chunk_of(p, element, &first);
        if (SNL_LOAD(&p->chunk_count) <= chunk && !SNL_SPLIT(false, snl_pool_grow(rt, p, chunk)))
            return NULL;
        left = first + snl_pool_chunk_elements(p, chunk) - element;
        *used = element < p->used_before;
        if (*used && left > p->used_before - element)
            left = p->used_before - element;
        taken = *count < left ? *count : left;
    } while (!SNL_CAS(&p->fresh, &element, element + taken));
    *count = taken;
    return (char *)snl_store_pointer(&p->chunks, chunk) + (element - first) * p->element_bytes;
}

/* Claims up to *count elements from the top of the free list; gives the number of the first, or
 * -1. */
SNL_FN int64_t
claim_free(SnlPool *p, int64_t *count)
{
    int64_t top = SNL_LOAD_RELAXED(&p->free_count), taken;
    do
        taken = *count < top ? *count : top;
    while (taken > 0 && !SNL_CAS(&p->free_count, &top, top - taken));
    *count = taken > 0 ? taken : *count;
    return taken > 0 ? top - taken : -1;
}

/* Sets an element that was used before to the image. */
SNL_FN void *
reset_element(const SnlPool *p, char *element)
{
    if (p->image)
        snl_bytes_copy(element + p->image_offset, p->image, (size_t)p->image_bytes);
    else
        snl_bytes_zero(element + p->image_offset, (size_t)p->image_bytes);
    return element;
}

/* Fresh elements for a run: of a pool that has grown, half of a thread's share in it, and soon a
 * large chunk, so that the threads touch different pages first: where two touch one huge page, both
 * make and clear one. */
SNL_FN int64_t
fresh_wanted(const SnlPool *p)
{
    int64_t share = SNL_LOAD_RELAXED(&p->fresh) / (2 * (SNL_LOAD_RELAXED(&p->run_count) + 1));
    if (share >= p->large_elements / 4)
        return share > p->large_elements ? share : p->large_elements;
    return share > p->run_elements ? share : p->run_elements;
}

/* Lets a run that has no free elements claim some, if there are any. */
SNL_FN void
claim_free_run(SnlPool *p, SnlPoolRun *run, int64_t most)
{
    int64_t at = claim_free(p, &most);
    if (at >= 0) {
        run->free_next = at;
        run->free_end = at + most;
    }
}

/* Lets a run that has no fresh elements claim some; it has none after that where there is no
 * memory. */
SNL_FN void
claim_fresh_run(SnlInstance *rt, SnlPool *p, SnlPoolRun *run, int64_t most)
{
    run->fresh = claim_fresh(rt, p, &most, &run->fresh_used);
    run->fresh_left = run->fresh ? most : 0;
}

/* Lets an element that is taken soon, and reset then, come into the caches: processors foresee the
 * lines of the one that is reset now, but not where the next begins. */
SNL_FN void
fetch_coming(const SnlPool *p, const char *element)
{
    enum { FORESEEN = 4096 };   /* from there on they do */
    const int64_t bytes = p->image_bytes < FORESEEN ? p->image_bytes : FORESEEN;
    for (int64_t at = 0; at < bytes; at += 64)
        snl_fetch_to_write(element + at);
}

/* The next of the fresh elements of a run that has more than one; *stale: it does not hold the
 * image. */
SNL_INLINE char *
take_fresh(const SnlPool *p, SnlPoolRun *run, bool *stale)
{
    char *element = run->fresh;
    run->fresh_left--;
    run->fresh = element + p->element_bytes;
    *stale = p->image || (p->reset_taken && run->fresh_used);
    if (*stale && run->fresh_left > p->ahead)
        fetch_coming(p, element + p->ahead * p->element_bytes);
    return element;
}

/* An element of a run, which is filled up first where it is empty, a `single` one for this element
 * alone; *stale: it does not hold the image. */
SNL_FN char *
take_from_run(SnlInstance *rt, SnlPool *p, SnlPoolRun *run, bool single, bool *stale)
{
    char *element = (char *)run->returned;
    *stale = false;
    if (SNL_UNLIKELY(element != NULL)) {
        run->returned = NULL;
        return element;
    }
    if (run->free_next >= run->free_end && SNL_LOAD_RELAXED(&p->free_count) > 0)
        claim_free_run(p, run, single ? 1 : p->run_elements);
    if (run->free_next < run->free_end) {
        *stale = p->reset_taken;
        if (*stale && run->free_next + p->ahead < run->free_end)
            fetch_coming(p, (const char *)snl_store_pointer(&p->free, run->free_next + p->ahead));
        return (char *)snl_store_pointer(&p->free, run->free_next++);
    }
    if (run->fresh_left == 0)
        claim_fresh_run(rt, p, run, single ? 1 : fresh_wanted(p));
    if (!run->fresh)
        return NULL;
    element = take_fresh(p, run, stale);
    if (run->fresh_left == 0)
        run->fresh = NULL;
    return element;
}

/* Is a fresh element of the run, which has others, the next one to take? */
SNL_FN bool
goes_on_fresh(const SnlPool *p, const SnlPoolRun *run)
{
    return run->fresh_left > 1 && run->free_next >= run->free_end && !run->returned &&
           SNL_LOAD_RELAXED(&p->free_count) <= 0;
}

/* The run of the calling thread, or NULL: it is not one of the instance, or memory was short. */
SNL_FN SnlPoolRun *
own_run(const SnlInstance *rt, const SnlPool *p)
{
    int thread = SNL_SPLIT(INT32_MAX, snl_alone(rt) ? 0 : snl_thread_number());
    (void)rt;
    return thread < SNL_LOAD(&p->run_count) ? &p->runs[thread] : NULL;
}

/* An element that is not the next of the fresh ones of a run; of no run (NULL): for this element
 * alone. */
SNL_SELDOM char *
take_slowly(SnlInstance *rt, SnlPool *p, SnlPoolRun *run, bool *stale)
{
    SnlPoolRun one = { 0 };
    return take_from_run(rt, p, run ? run : &one, !run, stale);
}

/* The same, which holds the image. */
SNL_SELDOM void *
take_slowly_reset(SnlInstance *rt, SnlPool *p, SnlPoolRun *run)
{
    bool stale;
    char *element = take_slowly(rt, p, run, &stale);
    return element && stale ? reset_element(p, element) : element;
}

#ifdef SNL_GPU
/* Elements that a warp has claimed: from the free list, and then fresh ones, by number. */
typedef struct {
    int64_t free_at, free_count, fresh_at;
} Claimed;

/* Claims `wanted` elements for a lane of a GPU. Thousands come here at a time, of which all but one
 * would fail to compare and swap, so each adds what it wants and then gives back what was not
 * there: meanwhile both counters show less than there is to no one, for what is added too much lies
 * behind the last element, or below the first. While lanes run, nobody frees elements or makes
 * chunks. */
SNL_ON_GPU static inline Claimed
claim_by_adding(SnlPool *p, int64_t wanted)
{
    Claimed c = { 0, 0, 0 };
    if (SNL_LOAD_RELAXED(&p->free_count) > 0) {
        const int64_t top = SNL_ADD(&p->free_count, -wanted);
        c.free_count = top < 0 ? 0 : top < wanted ? top : wanted;
        c.free_at = top - c.free_count;
        if (c.free_count < wanted)
            SNL_ADD(&p->free_count, wanted - c.free_count);
    }
    if (c.free_count < wanted)
        c.fresh_at = SNL_ADD(&p->fresh, wanted - c.free_count);
    return c;
}

/* The element of that number among those claimed, or NULL: there is no memory for it. */
SNL_ON_GPU static inline char *
claimed_element(const SnlPool *p, const Claimed *c, int64_t k)
{
    const int64_t element = c->fresh_at + k - c->free_count;
    int64_t first, chunk;
    if (k < c->free_count)
        return (char *)snl_store_pointer(&p->free, c->free_at + k);
    chunk = snl_pool_chunk_of(p, element, &first);
    if (SNL_LOAD(&p->chunk_count) <= chunk)
        return NULL;
    return (char *)snl_store_pointer(&p->chunks, chunk) + (element - first) * p->element_bytes;
}

/* An element, or NULL, for each of the takers among some lanes of a warp, which come here together:
 * one of them takes for all, and all set what was taken to the image. NULL for the others. */
SNL_ON_GPU static inline char *
take_together(SnlPool *p, uint32_t lanes, uint32_t takers)
{
    const int first = snl_warp_first(takers);
    const bool takes = takers >> snl_warp_lane() & 1;
    Claimed c = { 0, 0, 0 };
    char *own = NULL;
    uint32_t without;
    if (!takers)
        return NULL;
    if (snl_warp_lane() == first)
        c = claim_by_adding(p, snl_warp_count(takers));
    c.free_at = (int64_t)snl_warp_get(lanes, (uint64_t)c.free_at, first);
    c.free_count = (int64_t)snl_warp_get(lanes, (uint64_t)c.free_count, first);
    c.fresh_at = (int64_t)snl_warp_get(lanes, (uint64_t)c.fresh_at, first);
    if (takes)
        own = claimed_element(p, &c, snl_warp_rank(takers));
    without = snl_warp_vote(lanes, takes && !own);
    if (without && snl_warp_lane() == first)
        SNL_SUB(&p->fresh, (int64_t)snl_warp_count(without));
    for (uint32_t left = takers & ~without; left; left &= left - 1) {
        char *const element =
            (char *)(uintptr_t)snl_warp_get(lanes, (uint64_t)(uintptr_t)own, snl_warp_first(left));
        snl_gpu_bytes(element + p->image_offset, p->image, (size_t)p->image_bytes,
                      snl_warp_rank(lanes), snl_warp_count(lanes));
    }
    snl_warp_meet(lanes);       /* whoever publishes it has seen all of it */
    return own;
}

/* An element for a lane, with others that want one of the same pool. */
SNL_ON_GPU static inline char *
take_with_others(SnlPool *p)
{
    const uint32_t lanes = snl_warp_match(snl_warp_active(), (uint64_t)(uintptr_t)p);
    return take_together(p, lanes, lanes);
}
#endif

/* An element for a thread of the CPU, by its run where it has one. */
SNL_INLINE void *
take_alone(SnlInstance *rt, SnlPool *p)
{
    SnlPoolRun *run = own_run(rt, p);
    bool stale;
    char *element;
    if (!SNL_LIKELY(run && goes_on_fresh(p, run)))
        return take_slowly_reset(rt, p, run);
    element = take_fresh(p, run, &stale);
    return stale ? reset_element(p, element) : element;
}

/* As snl_pool_take. */
SNL_INLINE void *
pool_take(SnlInstance *rt, SnlPool *p)
{
    return SNL_SPLIT((void *)take_with_others(p), take_alone(rt, p));
}

SNL_CORE void *
snl_pool_take(SnlInstance *rt, SnlPool *p)
{
    return pool_take(rt, p);
}

SNL_CORE void *
snl_pool_take_raw(SnlInstance *rt, SnlPool *p)
{
    SnlPoolRun *run = own_run(rt, p);
    bool stale;
    return run && goes_on_fresh(p, run) ? take_fresh(p, run, &stale)
                                        : take_slowly(rt, p, run, &stale);
}

SNL_CORE void
snl_pool_untake(SnlInstance *rt, SnlPool *p, void *element)
{
    SnlPoolRun *run = own_run(rt, p);
    if (run && !run->returned)
        run->returned = element;
    else
        snl_pool_recycle(rt, p, &element, 1);
}

/* Counts elements that cannot be put aside for want of memory. */
SNL_FN void
lose(SnlPool *p, int64_t count)
{
    SNL_STORE_RELAXED(&p->has_holes, true);
    SNL_ADD(&p->lost, count);
}

/* Places among the recycled elements that a thread takes together. */
enum { RECYCLED_PLACES = 64 };

/* The next place among the recycled elements for a run, whose places are empty until then; -1
 * without memory. */
SNL_FN int64_t
place_of_run(SnlInstance *rt, SnlPool *p, SnlPoolRun *run)
{
    if (run->place == run->places_end) {
        int64_t at = snl_store_reserve(rt, &p->recycled, RECYCLED_PLACES);
        if (at < 0)
            return -1;
        for (int64_t k = at; k < at + RECYCLED_PLACES; k++)
            *(void **)snl_store_at(&p->recycled, k) = NULL;
        run->place = at;
        run->places_end = at + RECYCLED_PLACES;
    }
    return run->place++;
}

/* A place among the recycled elements, or -1 without memory; `alone` where no other thread takes
 * one. On a GPU the lanes of a warp that want one in the same pool take theirs together. */
SNL_FN int64_t
recycled_place(SnlInstance *rt, SnlPool *p, bool alone)
{
    int64_t *count = &p->recycled.count, at;
    SnlPoolRun *run = alone || p->raw ? NULL : own_run(rt, p);
    if (run)
        return place_of_run(rt, p, run);
    if (alone)
        at = (*count)++;
    else
        at = SNL_SPLIT(snl_warp_increment(count), SNL_ADD(count, 1));
    return store_has_room(rt, &p->recycled, at, 1) ? at : -1;
}

SNL_FN void
pool_recycle_one(SnlInstance *rt, SnlPool *p, void *element, bool alone)
{
    enum { AHEAD = 64 };        /* places; where they begin a line they are fetched */
    int64_t at = recycled_place(rt, p, alone);
    if (at >= 0) {
        void **place = (void **)snl_store_at(&p->recycled, at);
        *place = element;
        if (at % (64 / (int64_t)sizeof *place) == 0)
            snl_fetch_to_write(place + AHEAD);
    } else {
        lose(p, 1);
    }
}

SNL_CORE_ONCE void
snl_pool_recycle(SnlInstance *rt, SnlPool *p, void *const *elements, int64_t count)
{
    int64_t at = snl_store_reserve(rt, &p->recycled, count);
    if (at < 0) {
        lose(p, count);
        return;
    }
    for (int64_t k = 0; k < count;) {
        int64_t length;
        void **to = (void **)snl_store_part(&p->recycled, at + k, &length);
        for (int64_t end = length < count - k ? k + length : count; k < end; k++)
            *to++ = elements[k];
    }
}

#endif
