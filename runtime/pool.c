/* pool.c - memory of the cells of one node. */
#include "pool.h"

#include <stdlib.h>

#include "parallel.h"

/* Small chunks have about so many bytes, runs at most. */
enum { SMALL_BYTES = 128 * 1024, RUN_BYTES = 16 * 1024, RUN_MAX = 64 };

void
snl_pool_init(SnlPool *p, int64_t element_bytes, const char *image, int64_t image_offset,
              int64_t image_bytes)
{
    memset(p, 0, sizeof *p);
    p->element_bytes = (element_bytes + 7) / 8 * 8;
    if (p->element_bytes == 0)
        p->element_bytes = 8;
    while (p->element_bytes << (p->shift + 1) <= SMALL_BYTES)
        p->shift++;
    p->large_shift = p->element_bytes > SMALL_BYTES ? 0 : p->shift + SNL_POOL_LARGE_SHIFT;
    p->run_elements = RUN_BYTES / p->element_bytes;
    if (p->run_elements > RUN_MAX)
        p->run_elements = RUN_MAX;
    if (p->run_elements < 1)
        p->run_elements = 1;
    p->image = image;
    p->image_offset = image_offset;
    p->image_bytes = image_bytes;
    snl_store_init(&p->chunks, sizeof(void *));
    snl_store_init(&p->free, sizeof(void *));
    snl_store_init(&p->spare, sizeof(void *));
    snl_store_init(&p->recycled, sizeof(void *));
}

/* Elements of a chunk. */
static int64_t
chunk_elements(const SnlPool *p, int64_t chunk)
{
    return (int64_t)1 << (chunk < SNL_POOL_SMALL_CHUNKS ? p->shift
                                                        : p->large_shift);
}

static size_t
chunk_bytes(const SnlPool *p, int64_t chunk)
{
    return (size_t)(chunk_elements(p, chunk) * p->element_bytes);
}

uint64_t
snl_pool_block_bytes(const SnlPool *p)
{
    return chunk_bytes(p, SNL_LOAD_RELAXED(&p->chunk_count));
}

/* The chunk of an element, and the number of the chunk's first element. */
static int64_t
chunk_of(const SnlPool *p, int64_t element, int64_t *first)
{
    int64_t small = (int64_t)SNL_POOL_SMALL_CHUNKS << p->shift;
    int64_t chunk;
    if (element < small) {
        chunk = element >> p->shift;
        *first = chunk << p->shift;
        return chunk;
    }
    chunk = (element - small) >> p->large_shift;
    *first = small + (chunk << p->large_shift);
    return SNL_POOL_SMALL_CHUNKS + chunk;
}

/* Makes the runs of threads; without memory there are none. */
static void
make_runs(SnlInstance *rt, SnlPool *p)
{
    if (rt->threads <= 1 || p->runs)
        return;
    p->runs = (SnlPoolRun *)snl_memory_get(rt, (size_t)rt->threads * sizeof *p->runs);
    if (p->runs)
        SNL_STORE(&p->run_count, rt->threads);
}

/* Makes chunks up to that one; false without memory. */
static bool
make_chunks(SnlInstance *rt, SnlPool *p, int64_t chunk)
{
    bool made = true;
    snl_lock(&p->chunk_lock);
    make_runs(rt, p);
    while (made && p->chunk_count <= chunk) {
        size_t bytes = chunk_bytes(p, p->chunk_count);
        void *block = snl_memory_get(rt, bytes);
        p->chunks.count = p->chunk_count;
        made = block && snl_store_push(rt, &p->chunks, block);
        if (made)
            SNL_STORE(&p->chunk_count, p->chunk_count + 1);
        else
            snl_memory_put(rt, block, bytes);
    }
    snl_unlock(&p->chunk_lock);
    return made;
}

/* Claims up to *count elements that were never handed out, one after the other in memory; gives
 * the first, or NULL, and how many they are. */
static char *
claim_fresh(SnlInstance *rt, SnlPool *p, int64_t *count)
{
    int64_t element = SNL_LOAD_RELAXED(&p->fresh);
    int64_t chunk, first, left, taken;
    do {        /* an element is claimed only once its chunk is there */
        chunk = chunk_of(p, element, &first);
        if (SNL_LOAD(&p->chunk_count) <= chunk && !make_chunks(rt, p, chunk))
            return NULL;
        left = first + chunk_elements(p, chunk) - element;
        taken = *count < left ? *count : left;
    } while (!SNL_CAS(&p->fresh, &element, element + taken));
    *count = taken;
    return (char *)snl_store_pointer(&p->chunks, chunk) + (element - first) * p->element_bytes;
}

/* Claims up to *count elements of the free list; gives the number of the first, or -1. */
static int64_t
claim_free(SnlPool *p, int64_t *count)
{
    int64_t at = SNL_LOAD_RELAXED(&p->free_taken), taken;
    do {
        if (at >= p->free.count)
            return -1;
        taken = *count < p->free.count - at ? *count : p->free.count - at;
    } while (!SNL_CAS(&p->free_taken, &at, at + taken));
    *count = taken;
    return at;
}

/* An element that another thread gave back, or NULL. */
static void *
take_spare(SnlPool *p)
{
    void *element = NULL;
    snl_lock(&p->spare_lock);
    if (p->spare_count > 0) {
        element = snl_store_pointer(&p->spare, p->spare_count - 1);
        SNL_STORE_RELAXED(&p->spare_count, p->spare_count - 1);
        p->spare.count = p->spare_count;
    }
    snl_unlock(&p->spare_lock);
    return element;
}

/* Writes the image into an element that is zero. */
static void *
with_image(const SnlPool *p, char *element)
{
    if (element && p->image)
        memcpy(element + p->image_offset, p->image, (size_t)p->image_bytes);
    return element;
}

/* An element of the thread's own run, which is filled up first where it is empty. */
static void *
take_from_run(SnlInstance *rt, SnlPool *p, SnlPoolRun *run)
{
    int64_t count = p->run_elements;
    char *element;
    if (run->free_next >= run->free_end && SNL_LOAD_RELAXED(&p->free_taken) < p->free.count) {
        int64_t at = claim_free(p, &count);
        if (at >= 0) {
            run->free_next = at;
            run->free_end = at + count;
        }
    }
    if (run->free_next < run->free_end)
        return snl_store_pointer(&p->free, run->free_next++);
    if (run->fresh_left == 0) {
        count = p->run_elements;
        run->fresh = claim_fresh(rt, p, &count);
        run->fresh_left = run->fresh ? count : 0;
    }
    element = run->fresh;
    if (!element)
        return NULL;
    run->fresh_left--;
    run->fresh = run->fresh_left > 0 ? element + p->element_bytes : NULL;
    return with_image(p, element);
}

void *
snl_pool_take(SnlInstance *rt, SnlPool *p)
{
    int64_t one = 1, at;
    int run_count = SNL_LOAD(&p->run_count);
    if (SNL_UNLIKELY(SNL_LOAD_RELAXED(&p->spare_count) > 0)) {
        void *element = take_spare(p);
        if (element)
            return element;
    }
    if (run_count > 0) {
        int thread = snl_thread_number();
        if (thread < run_count)
            return take_from_run(rt, p, &p->runs[thread]);
    }
    at = claim_free(p, &one);
    if (at >= 0)
        return snl_store_pointer(&p->free, at);
    return with_image(p, claim_fresh(rt, p, &one));
}

void
snl_pool_untake(SnlInstance *rt, SnlPool *p, void *element)
{
    snl_lock(&p->spare_lock);
    p->spare.count = p->spare_count;
    if (snl_store_push(rt, &p->spare, element))
        SNL_STORE_RELAXED(&p->spare_count, p->spare_count + 1);
    p->spare.count = p->spare_count;
    snl_unlock(&p->spare_lock);
}

void
snl_pool_recycle(SnlInstance *rt, SnlPool *p, void *element)
{
    snl_store_push(rt, &p->recycled, element);  /* without memory it is lost until destroy */
}

/* Moves elements from ... to-1 of the free list down to `target`; returns the end. */
static int64_t
move_free(SnlPool *p, int64_t target, int64_t from, int64_t to)
{
    for (int64_t k = from; k < to; k++)     /* upwards: the target lies below the source */
        *(void **)snl_store_at(&p->free, target++) = snl_store_pointer(&p->free, k);
    return target;
}

/* The run with the first free elements from `at` on, or NULL. */
static SnlPoolRun *
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

/* First stage: the free elements, those of runs too, move to the head of their list. */
static void
move_to_head(SnlPool *p)
{
    int64_t left = 0;
    for (SnlPoolRun *run = next_run(p, 0); run; run = next_run(p, run->free_end))
        left = move_free(p, left, run->free_next, run->free_end);
    for (int t = 0; t < p->run_count; t++)
        p->runs[t].free_next = p->runs[t].free_end = 0;
    p->free.count = move_free(p, left, p->free_taken, p->free.count);
    p->free_taken = 0;
}

int64_t
snl_pool_compact(SnlInstance *rt, SnlPool *p)
{
    int64_t room = snl_store_held(&p->recycled);
    int64_t left, count = 0;
    move_to_head(p);
    left = p->free.count;
    for (int64_t k = 0; k < room; k++) {
        void *element = snl_store_pointer(&p->recycled, k);
        if (element)
            *(void **)snl_store_at(&p->recycled, count++) = element;
    }
    for (int64_t k = 0; k < count; k++) {
        if (snl_store_reserve(rt, &p->free) < 0) {
            p->free.count = left;
            return -1;
        }
        *(void **)snl_store_at(&p->free, left + k) = snl_store_pointer(&p->recycled, k);
    }
    p->free.count = left;       /* the elements behind are adopted when they are reset */
    return count;
}

void
snl_pool_adopt(SnlPool *p, int64_t count)
{
    p->free.count += count;
    snl_store_clear(&p->recycled);
}

int64_t
snl_pool_used(const SnlPool *p)
{
    int64_t used = p->fresh - p->gone - (p->free.count - p->free_taken) - p->spare_count;
    for (int t = 0; t < p->run_count; t++)
        used -= p->runs[t].free_end - p->runs[t].free_next + p->runs[t].fresh_left;
    return used;
}

/* Bytes of the chunks of a store. */
static int64_t
store_bytes(const SnlStore *s)
{
    int64_t bytes = 0;
    for (int chunk = 0; chunk < SNL_STORE_CHUNKS; chunk++)
        if (s->chunks[chunk])
            bytes += s->element_bytes << (chunk + SNL_STORE_FIRST_BITS);
    return bytes;
}

int64_t
snl_pool_bytes(const SnlPool *p)
{
    int64_t bytes = store_bytes(&p->chunks) + store_bytes(&p->free) + store_bytes(&p->spare)
                    + store_bytes(&p->recycled) + p->run_count * (int64_t)sizeof *p->runs;
    for (int64_t chunk = 0; chunk < p->chunk_count; chunk++)
        if (snl_store_pointer(&p->chunks, chunk))
            bytes += (int64_t)chunk_bytes(p, chunk);
    return bytes;
}

/* A chunk while a pool is trimmed. */
typedef struct {
    char *start;
    int64_t number;
    int64_t idle;               /* elements that are free or were never handed out */
    bool released;
} TrimChunk;

static int
compare_chunks(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const TrimChunk *)a)->start;
    uintptr_t y = (uintptr_t)((const TrimChunk *)b)->start;
    return (x > y) - (x < y);
}

/* The chunk that an element lies in. */
static TrimChunk *
find_chunk(TrimChunk *chunks, int64_t count, const void *element)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if ((uintptr_t)chunks[middle].start <= (uintptr_t)element)
            low = middle;
        else
            high = middle;
    }
    return &chunks[low];
}

/* Makes the free list the only one: spare elements are as good as free ones. */
static void
merge_spare(SnlInstance *rt, SnlPool *p)
{
    while (p->spare_count > 0) {
        if (!snl_store_push(rt, &p->free, snl_store_pointer(&p->spare, p->spare_count - 1))) {
            p->free.count--;
            return;
        }
        p->spare_count--;
    }
    p->spare.count = p->spare_count;
}

/* Removes the free elements of released chunks, and those of runs. */
static void
drop_released(SnlPool *p, TrimChunk *chunks, int64_t count)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < p->free.count; k++) {
        void *element = snl_store_pointer(&p->free, k);
        if (!find_chunk(chunks, count, element)->released)
            *(void **)snl_store_at(&p->free, kept++) = element;
    }
    p->free.count = kept;
    for (int t = 0; t < p->run_count; t++) {
        SnlPoolRun *run = &p->runs[t];
        if (run->fresh_left > 0 && find_chunk(chunks, count, run->fresh)->released) {
            run->fresh = NULL;
            run->fresh_left = 0;
        }
    }
}

/* Puts the counters right after chunks were released: those at the end are made again when they
 * are needed, those before are gone. */
static void
forget_released(SnlPool *p)
{
    int64_t first;
    while (p->chunk_count > 0 && !snl_store_pointer(&p->chunks, p->chunk_count - 1))
        p->chunk_count--;
    p->chunks.count = p->chunk_count;
    p->gone = first = 0;
    for (int64_t k = 0; k < p->chunk_count; k++) {
        first += chunk_elements(p, k);
        if (!snl_store_pointer(&p->chunks, k))
            p->gone += chunk_elements(p, k);
    }
    if (p->fresh > first)
        p->fresh = first;
}

/* Releases the memory of the lists that are empty. */
static void
release_stores(SnlInstance *rt, SnlPool *p)
{
    if (p->free.count == 0)
        snl_store_free(rt, &p->free);
    if (p->spare_count == 0)
        snl_store_free(rt, &p->spare);
    if (p->recycled.count == 0)
        snl_store_free(rt, &p->recycled);
    if (p->chunk_count == 0)
        snl_store_free(rt, &p->chunks);
}

void
snl_pool_trim(SnlInstance *rt, SnlPool *p)
{
    size_t bytes = (size_t)(p->chunk_count + 1) * sizeof(TrimChunk);
    TrimChunk *chunks = (TrimChunk *)snl_memory_get(rt, bytes);
    int64_t count = 0, first, last;
    if (!chunks)
        return;
    snl_pool_compact(rt, p);
    merge_spare(rt, p);
    last = chunk_of(p, p->fresh, &first);
    for (int64_t k = 0; k < p->chunk_count; k++) {
        char *start = (char *)snl_store_pointer(&p->chunks, k);
        int64_t idle = k > last ? chunk_elements(p, k)
                                : k == last ? chunk_elements(p, k) - (p->fresh - first) : 0;
        if (start)
            chunks[count++] = (TrimChunk){ start, k, idle, false };
    }
    qsort(chunks, (size_t)count, sizeof *chunks, compare_chunks);
    for (int64_t k = 0; k < p->free.count; k++)
        find_chunk(chunks, count, snl_store_pointer(&p->free, k))->idle++;
    for (int t = 0; t < p->run_count; t++)
        if (p->runs[t].fresh_left > 0)
            find_chunk(chunks, count, p->runs[t].fresh)->idle += p->runs[t].fresh_left;
    for (int64_t k = 0; k < count; k++)
        chunks[k].released = chunks[k].idle == chunk_elements(p, chunks[k].number);
    drop_released(p, chunks, count);
    for (int64_t k = 0; k < count; k++) {
        if (!chunks[k].released)
            continue;
        snl_memory_put(rt, chunks[k].start, chunk_bytes(p, chunks[k].number));
        *(void **)snl_store_at(&p->chunks, chunks[k].number) = NULL;
    }
    forget_released(p);
    release_stores(rt, p);
    snl_memory_put(rt, chunks, bytes);
}

void
snl_pool_free(SnlInstance *rt, SnlPool *p)
{
    for (int64_t chunk = 0; chunk < p->chunk_count; chunk++)
        snl_memory_put(rt, snl_store_pointer(&p->chunks, chunk), chunk_bytes(p, chunk));
    snl_store_free(rt, &p->chunks);
    snl_store_free(rt, &p->free);
    snl_store_free(rt, &p->spare);
    snl_store_free(rt, &p->recycled);
    snl_memory_put(rt, p->runs, (size_t)p->run_count * sizeof *p->runs);
    p->runs = NULL;
    p->run_count = 0;
    p->fresh = p->gone = p->free_taken = p->spare_count = p->chunk_count = 0;
}
