/* pool.c - memory of the cells of one node. */
#include "pool.h"

#include <stdlib.h>
#if defined __x86_64__ || defined __i386__
#define SNL_CPUID
#include <cpuid.h>
#endif

#include "core_gc.h"
#include "parallel.h"

/* Small chunks have at most so many bytes; large ones are huge pages, as few as possible, up to so
 * many; the first runs have at most so many. */
enum { SMALL_BYTES = 128 * 1024, HUGE_BYTES = 2 * 1024 * 1024, HUGE_PAGES = 4 };
enum { RUN_BYTES = 64 * 1024, RUN_MAX = 64 };

/* Elements are fetched about so far from the one that is taken; or none is. */
enum { AHEAD_BYTES = 2048 };
static const int64_t never_ahead = INT64_MAX / 2;

/* Elements that a thread moves at least. */
enum { MOVE_MIN = 8192 };

/* The size of large chunks: at most a sixteenth of their huge pages is left over, or elements are
 * too large for that. */
static void
init_large(SnlPool *p)
{
    for (int64_t bytes = HUGE_BYTES; bytes <= HUGE_PAGES * HUGE_BYTES; bytes += HUGE_BYTES) {
        p->large_elements = bytes / p->element_bytes;
        p->large_bytes = bytes;
        if (bytes - p->large_elements * p->element_bytes <= bytes / 16)
            return;
    }
    p->large_elements = (HUGE_BYTES + p->element_bytes - 1) / p->element_bytes;
    p->large_bytes = p->large_elements * p->element_bytes;
}

/* Does the processor write whole lines without reading them first, unless they were asked for?
 * Those of AMD do: elements of 2 KB, 64 MB of them, took 1.3 to 1.5 times as long with fetches. */
static bool
writes_unread(void)
{
#ifdef SNL_CPUID
    enum { UNKNOWN, NO, YES };
    static int answer;          /* virtual machines take microseconds for it */
    unsigned a, b = 0, c, d;
    if (SNL_LOAD_RELAXED(&answer) == UNKNOWN)
        SNL_STORE_RELAXED(
            &answer, __get_cpuid(0, &a, &b, &c, &d) && b == signature_AMD_ebx ? YES : NO);
    return SNL_LOAD_RELAXED(&answer) == YES;
#else
    return false;
#endif
}

void
snl_pool_init(SnlPool *p, int64_t element_bytes, const char *image, int64_t image_offset,
              int64_t image_bytes, bool reset_taken)
{
    memset(p, 0, sizeof *p);
    p->element_bytes = (element_bytes + 7) / 8 * 8;
    if (p->element_bytes == 0)
        p->element_bytes = 8;
    while (p->element_bytes << (p->shift + 1) <= SMALL_BYTES)
        p->shift++;
    init_large(p);
    p->run_elements = RUN_BYTES / p->element_bytes;
    if (p->run_elements > RUN_MAX)
        p->run_elements = RUN_MAX;
    if (p->run_elements < 1)
        p->run_elements = 1;
    p->ahead = writes_unread() ? never_ahead : 1 + AHEAD_BYTES / p->element_bytes;
    p->image = image;
    p->image_offset = image_offset;
    p->image_bytes = image_bytes;
    p->reset_taken = reset_taken;
    snl_store_init(&p->chunks, sizeof(void *));
    snl_store_init(&p->free, sizeof(void *));
    snl_store_init(&p->recycled, sizeof(void *));
}

void
snl_pool_start_raw(SnlPool *p)
{
    p->raw = p->reset_taken = true;
    p->used_before = INT64_MAX;
    if (p->image_bytes == 0)
        p->image_bytes = p->element_bytes;
}

void
snl_pool_reserve(SnlInstance *rt, SnlPool *p, int64_t count)
{
    int64_t left = p->free_count + snl_pool_elements(p) - p->fresh;
    while (left < count && snl_pool_grow(rt, p, p->chunk_count))
        left += snl_pool_chunk_elements(p, p->chunk_count - 1);
}

int64_t
snl_pool_elements(const SnlPool *p)
{
    int64_t elements = 0;
    for (int64_t chunk = 0; chunk < p->chunk_count; chunk++)
        elements += snl_pool_chunk_elements(p, chunk);
    return elements;
}

/* Makes the runs of threads; without memory there are none. */
static void
make_runs(SnlInstance *rt, SnlPool *p)
{
    if (p->runs)
        return;
    p->runs = (SnlPoolRun *)snl_memory_get(rt, (size_t)rt->threads * sizeof *p->runs);
    if (p->runs)
        SNL_STORE(&p->run_count, rt->threads);
}

/* Where a chunk begins in the range. */
static int64_t
chunk_start(const SnlPool *p, int64_t chunk)
{
    const int64_t small = chunk < SNL_POOL_SMALL_CHUNKS ? chunk : SNL_POOL_SMALL_CHUNKS;
    return (small * p->element_bytes << p->shift) + (chunk - small) * p->large_bytes;
}

/* Memory for a chunk, or NULL. */
static void *
get_chunk(SnlInstance *rt, SnlPool *p, int64_t chunk)
{
    size_t bytes = snl_pool_chunk_bytes(p, chunk);
    int64_t start = chunk_start(p, chunk);
    bool short_of = false;
    void *block;
    if (!p->raw)
        return snl_memory_of_loops(rt, bytes, true);
    block = snl_range_make(rt, &p->range, start, start + (int64_t)bytes, &short_of);
    return block || short_of ? block : snl_memory_of_loops(rt, bytes, false);
}

static void
put_chunk(SnlInstance *rt, SnlPool *p, int64_t chunk, void *block)
{
    size_t bytes = snl_pool_chunk_bytes(p, chunk);
    int64_t start = chunk_start(p, chunk);
    if (snl_range_has(rt, &p->range, block))
        snl_range_give_back(rt, &p->range, start, start + (int64_t)bytes);
    else
        snl_memory_put(rt, block, bytes);
}

/* Room to recycle the elements of a chunk too, which a GPU cannot make; false without memory. */
static bool
make_room_for(SnlInstance *rt, SnlPool *p, int64_t chunk)
{
    int64_t elements = snl_pool_elements(p) + snl_pool_chunk_elements(p, chunk);
    return !p->raw ||
           (snl_store_room(rt, &p->recycled, elements) && snl_store_room(rt, &p->free, elements));
}

/* Memory for the next chunk, if need be from other pools; NULL without. */
static void *
find_chunk_memory(SnlInstance *rt, SnlPool *p)
{
    void *block = NULL;
    if (make_room_for(rt, p, p->chunk_count))
        block = get_chunk(rt, p, p->chunk_count);
    if (!block && rt->finder && rt->finder(rt, p) && make_room_for(rt, p, p->chunk_count))
        block = get_chunk(rt, p, p->chunk_count);
    return block;
}

bool
snl_pool_grow(SnlInstance *rt, SnlPool *p, int64_t chunk)
{
    bool made = true;
    snl_lock(&p->chunk_lock);
    make_runs(rt, p);
    while (made && p->chunk_count <= chunk) {
        size_t bytes = snl_pool_chunk_bytes(p, p->chunk_count);
        void *block = find_chunk_memory(rt, p);
        p->chunks.count = p->chunk_count;
        made = block && snl_store_push(rt, &p->chunks, block);
        if (made && p->chunk_count > 0 && p->chunk_count < SNL_POOL_SMALL_CHUNKS && !p->raw)
            snl_memory_populate(rt, block, bytes);
        if (made)
            SNL_STORE(&p->chunk_count, p->chunk_count + 1);
        else
            put_chunk(rt, p, p->chunk_count, block);
    }
    snl_unlock(&p->chunk_lock);
    return made;
}

int64_t
snl_pool_make_room(SnlInstance *rt, SnlPool *p)
{
    return_runs(p, 0, 1);
    return pool_make_room(rt, p);
}

/* Moves a part of the recycled elements. */
static void
move_part(void *args, int64_t chunk, int64_t from, int64_t to)
{
    (void)chunk;
    move_recycled((SnlPool *)args, from, to);
}

int64_t
snl_pool_used(const SnlPool *p)
{
    return pool_used(p);
}

void
snl_pool_adopt(SnlInstance *rt, SnlPool *p, int64_t count)
{
    bool rewind = can_rewind(p, count);
    if (!rewind && p->free_count > 0)
        snl_parallel_for(rt, count, snl_chunk_count(count, MOVE_MIN), move_part, p);
    pool_adopt(p, count, rewind);
}

int64_t
snl_pool_bytes(const SnlPool *p)
{
    int64_t bytes = snl_store_bytes(&p->chunks) + snl_store_bytes(&p->free)
                    + snl_store_bytes(&p->recycled) + p->run_count * (int64_t)sizeof *p->runs;
    for (int64_t chunk = 0; chunk < p->chunk_count; chunk++)
        if (snl_store_pointer(&p->chunks, chunk))
            bytes += (int64_t)snl_pool_chunk_bytes(p, chunk);
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

/* Removes the free elements of released chunks, and those of runs. */
static void
drop_released(SnlPool *p, TrimChunk *chunks, int64_t count)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < p->free_count; k++) {
        void *element = snl_store_pointer(&p->free, k);
        if (!find_chunk(chunks, count, element)->released)
            *(void **)snl_store_at(&p->free, kept++) = element;
    }
    p->free_count = p->free.count = kept;
    for (int t = 0; t < p->run_count; t++) {
        SnlPoolRun *run = &p->runs[t];
        if (run->fresh_left > 0 && find_chunk(chunks, count, run->fresh)->released) {
            run->fresh = NULL;
            run->fresh_left = 0;
        }
        if (run->returned && find_chunk(chunks, count, run->returned)->released)
            run->returned = NULL;
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
        first += snl_pool_chunk_elements(p, k);
        if (!snl_store_pointer(&p->chunks, k))
            p->gone += snl_pool_chunk_elements(p, k);
    }
    if (p->fresh > first)
        p->fresh = first;
    if (p->used_before > first && !p->raw)
        p->used_before = first;
}

/* Releases the memory of the lists that is not used, but for the room that a GPU needs. */
static void
trim_stores(SnlInstance *rt, SnlPool *p)
{
    p->free.count = p->free_count;
    if (!p->raw || p->chunk_count == 0) {
        snl_store_trim(rt, &p->free);
        snl_store_trim(rt, &p->recycled);
    }
    snl_store_trim(rt, &p->chunks);
}

void
snl_pool_trim(SnlInstance *rt, SnlPool *p)
{
    size_t bytes = (size_t)(p->chunk_count + 1) * sizeof(TrimChunk);
    TrimChunk *chunks = (TrimChunk *)snl_memory_above(rt, bytes);
    int64_t count = 0, first, last;
    if (!chunks && pool_used(p) == 0 && p->recycled.count == 0)
        snl_pool_free(rt, p);   /* which needs no memory */
    if (!chunks)
        return;
    return_runs(p, 0, 1);
    last = snl_pool_chunk_of(p, p->fresh, &first);
    for (int64_t k = 0; k < p->chunk_count; k++) {
        char *start = (char *)snl_store_pointer(&p->chunks, k);
        int64_t idle = k > last    ? snl_pool_chunk_elements(p, k)
                       : k == last ? snl_pool_chunk_elements(p, k) - (p->fresh - first)
                                   : 0;
        if (start)
            chunks[count++] = (TrimChunk){ start, k, idle, false };
    }
    qsort(chunks, (size_t)count, sizeof *chunks, compare_chunks);
    for (int64_t k = 0; k < p->free_count; k++)
        find_chunk(chunks, count, snl_store_pointer(&p->free, k))->idle++;
    for (int t = 0; t < p->run_count; t++) {
        const SnlPoolRun *run = &p->runs[t];
        if (run->fresh_left > 0)
            find_chunk(chunks, count, run->fresh)->idle += run->fresh_left;
        if (run->returned)
            find_chunk(chunks, count, run->returned)->idle++;
    }
    for (int64_t k = 0; k < count; k++)
        chunks[k].released = chunks[k].idle == snl_pool_chunk_elements(p, chunks[k].number);
    drop_released(p, chunks, count);
    for (int64_t k = 0; k < count; k++) {
        if (!chunks[k].released)
            continue;
        put_chunk(rt, p, chunks[k].number, chunks[k].start);
        *(void **)snl_store_at(&p->chunks, chunks[k].number) = NULL;
    }
    forget_released(p);
    if (p->range.start)         /* with what chunks that are gone shared */
        snl_range_give_back(rt, &p->range, chunk_start(p, p->chunk_count), rt->ranges->range_bytes);
    trim_stores(rt, p);
    snl_memory_put(rt, chunks, bytes);
}

void
snl_pool_free(SnlInstance *rt, SnlPool *p)
{
    for (int64_t chunk = 0; chunk < p->chunk_count; chunk++)
        put_chunk(rt, p, chunk, snl_store_pointer(&p->chunks, chunk));
    snl_range_free(rt, &p->range);
    snl_store_free(rt, &p->chunks);
    snl_store_free(rt, &p->free);
    snl_store_free(rt, &p->recycled);
    snl_memory_put(rt, p->runs, (size_t)p->run_count * sizeof *p->runs);
    p->runs = NULL;
    p->run_count = 0;
    p->fresh = p->gone = p->free_count = p->chunk_count = p->lost = 0;
    p->has_holes = false;
    p->used_before = p->raw ? INT64_MAX : 0;
}
