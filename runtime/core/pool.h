/* pool.h - memory of the cells of one node: allocated in runs, recycled after the loop.
 *
 * An SnlPool owns its chunks, which lie in a range of addresses if the instance has ranges.
 * Elements are aligned to 8 bytes and hold the ambient value of their node when they are handed
 * out. New memory is zero, and an image that is not zero is copied into it.
 *   fresh     elements not handed out: a counter over the chunks
 *   free      a stack of elements that were used before
 *   recycled  elements deactivated since the last collection; not to be touched before it
 * A collection that finds no element in use sets the counter back instead of making a free list, so
 * that elements are handed out in order of their addresses again. Elements for which a list had no
 * memory are lost until no other element is in use; then the collection empties the pool. A pool
 * with `reset_taken` sets a used element to the image when it is handed out. The memory is then
 * written once, by the thread that works on it. In any other pool elements are reset before they
 * become free. Each thread takes runs of fresh or free elements. Threads then do not meet at the
 * counters for every element, and neighbours in time are neighbours in memory. Taking and recycling
 * are safe from any thread; collecting, trimming and freeing are not.
 */
#ifndef SNL_CORE_POOL_H
#define SNL_CORE_POOL_H

#include "list.h"
#include "address_space.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first chunks are small, the others large. */
enum { SNL_POOL_SMALL_CHUNKS = 4 };

/* What a thread has taken but not handed out; a line of the cache for each. */
typedef struct {
    int64_t free_next, free_end;        /* in the free list */
    char *fresh;
    int64_t fresh_left;         /* elements from there on */
    int64_t fresh_used;         /* is not 0 where these were used before */
    void *returned;             /* an element as it was handed out, or NULL */
    int64_t place, places_end;  /* among the recycled elements: empty so far */
} SnlPoolRun;

typedef struct SnlPool {
    int64_t element_bytes;
    int shift;                  /* a small chunk has 1 << shift elements */
    int64_t large_elements;     /* and a large one so many, */
    int64_t large_bytes;        /* which fill huge pages but for a little */
    const char *image;          /* of a new element, or NULL for zeros */
    int64_t image_offset;       /* where the image goes in the element */
    int64_t image_bytes;
    bool reset_taken;
    bool raw;                   /* new memory is not zero: all elements count as used before */
    bool has_holes;             /* memory was short: NULL among the recycled, not only in places
                                 * that a run has left */
    int64_t lost;               /* elements that memory was short to recycle: they count as used */
    SnlRange range;             /* of the first chunks, or none */
    SnlStore chunks;            /* void *, NULL: not there */
    int64_t chunk_count;        /* published when a chunk is there */
    int chunk_lock;
    int64_t gone;               /* elements of chunks before that were trimmed */
    int64_t run_elements;       /* of a run at least */
    int64_t ahead;              /* so many elements on from the one that is taken one is fetched */
    SnlPoolRun *runs;           /* by thread */
    int run_count;              /* published when the runs are there */
    char pad_before[64];
    int64_t fresh;              /* elements of the chunks handed out */
    int64_t used_before;        /* elements from number 0 on that may hold old values */
    int64_t free_count;         /* of the stack */
    int64_t collected;          /* elements that a GPU collects, -1: none can be */
    bool rewinds;               /* and whether it sets the counter back */
    char pad_after[24];
    SnlStore free;              /* void * */
    SnlStore recycled;          /* void * */
} SnlPool;

/* Elements of a chunk. */
SNL_FN int64_t snl_pool_chunk_elements(const SnlPool *p, int64_t chunk)
{
    return chunk < SNL_POOL_SMALL_CHUNKS ? (int64_t)1 << p->shift : p->large_elements;
}

SNL_FN size_t snl_pool_chunk_bytes(const SnlPool *p, int64_t chunk)
{
    return (size_t)(chunk < SNL_POOL_SMALL_CHUNKS ? p->element_bytes << p->shift : p->large_bytes);
}

/* The chunk of an element, and the number of the chunk's first element. */
SNL_FN int64_t snl_pool_chunk_of(const SnlPool *p, int64_t element, int64_t *first)
{
    int64_t small = (int64_t)SNL_POOL_SMALL_CHUNKS << p->shift;
    int64_t chunk;
    if (element < small) {
        chunk = element >> p->shift;
        *first = chunk << p->shift;
        return chunk;
    }
    chunk = (element - small) / p->large_elements;
    *first = small + chunk * p->large_elements;
    return SNL_POOL_SMALL_CHUNKS + chunk;
}

/* Starts an empty pool; image may be NULL. */
void snl_pool_init(SnlPool *p, int64_t element_bytes, const char *image, int64_t image_offset,
                   int64_t image_bytes, bool reset_taken);

/* Lets the memory of an empty pool be what it is: a GPU clears it when it is handed out. */
void snl_pool_start_raw(SnlPool *p);

/* Elements that there are chunks for. */
int64_t snl_pool_elements(const SnlPool *p);

/* Makes chunks for so many elements that were not handed out, as far as there is memory. */
void snl_pool_reserve(SnlInstance *rt, SnlPool *p, int64_t count);

/* An element that holds the image, or NULL without memory. */
SNL_CORE void *snl_pool_take(SnlInstance *rt, SnlPool *p);

/* An element that holds anything, or NULL without memory. */
SNL_CORE void *snl_pool_take_raw(SnlInstance *rt, SnlPool *p);

/* Gives back an element that nobody else has seen and that was not changed. */
SNL_CORE void snl_pool_untake(SnlInstance *rt, SnlPool *p, void *element);

/* Puts elements aside until the next collection. */
SNL_CORE void snl_pool_recycle(SnlInstance *rt, SnlPool *p, void *const *elements, int64_t count);

/* First two stages of a collection: the free list gets back what threads did not use, and room for
 * the recycled elements; returns how many these are, or -1 without memory, when they stay
 * recycled. */
int64_t snl_pool_make_room(SnlInstance *rt, SnlPool *p);

/* Last stage: the recycled elements, which the caller has reset unless reset_taken, are free. */
void snl_pool_adopt(SnlInstance *rt, SnlPool *p, int64_t count);

/* Makes chunks up to that one, and for a GPU the room to recycle their elements; false without
 * memory. */
bool snl_pool_grow(SnlInstance *rt, SnlPool *p, int64_t chunk);

/* Elements in use; recycled ones count. */
int64_t snl_pool_used(const SnlPool *p);

/* Bytes the pool holds. */
int64_t snl_pool_bytes(const SnlPool *p);

/* Bytes of the chunk that it allocates next. */
SNL_CORE uint64_t snl_pool_block_bytes(const SnlPool *p);

/* Returns chunks without elements in use; recycled ones count. */
void snl_pool_trim(SnlInstance *rt, SnlPool *p);

/* Releases everything. */
void snl_pool_free(SnlInstance *rt, SnlPool *p);

#ifdef __cplusplus
}
#endif

#endif
