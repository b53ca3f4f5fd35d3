/* list.h - lists of the active cells of a node, and the store that never moves its elements.
 *
 * An SnlStore is a growable array in chunks, the first of `first` elements, each next one twice as
 * large; elements are zeroed and keep their address.  Reserving is safe from any thread; clearing
 * and freeing are not.  An SnlList belongs to its tree, which keeps it while nothing was activated
 * or deactivated.
 */
#ifndef SNL_CORE_LIST_H
#define SNL_CORE_LIST_H

#include "instance.h"
#include "../math/snl_math.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SNL_AXES = 8, SNL_STORE_CHUNKS = 48, SNL_STORE_FIRST_BITS = 6 };

/* An active cell. */
typedef struct {
    char *cell;
    int64_t coord[SNL_AXES];    /* by axis letter, in the node's own cells over the whole path */
} SnlListEntry;

/* Copies the coordinates of a cell; compilers for GPUs make single bytes of memcpy. */
SNL_FN void snl_coord_copy(int64_t *to, const int64_t *from)
{
#ifdef __CUDA_ARCH__
    SNL_UNROLL
    for (int axis = 0; axis < SNL_AXES; axis++)
        to[axis] = from[axis];
#else
    memcpy(to, from, SNL_AXES * sizeof *to);
#endif
}

/* The active cells of a node in memory order. */
typedef struct SnlList {
    int64_t count;
    SnlListEntry *entries;
    int64_t capacity;           /* entries allocated */
    int64_t stamp;              /* of the tree when it was made; 0: never */
    int64_t *firsts;            /* of pointer cells: number of the first in each cell of the
                                 * ancestor, then count; or NULL */
    int64_t firsts_room;
    void *work;                 /* memory for that, or NULL */
    size_t work_bytes;
} SnlList;

typedef struct {
    char *chunks[SNL_STORE_CHUNKS];
    int64_t count;
    int64_t element_bytes;
    int lock;                   /* of who makes a chunk */
} SnlStore;

/* Gives a list room for `capacity` entries, of which it keeps the first; false without memory. */
bool snl_list_resize(SnlInstance *rt, SnlList *list, int64_t capacity, int64_t kept);

/* Gives a list room for the firsts of so many cells; NULL without memory. */
int64_t *snl_list_firsts(SnlInstance *rt, SnlList *list, int64_t cells);

/* Puts entries of cells of a hash node, each with its n indices as coord and before the cell, in
 * order of these indices. */
void snl_entries_sort(SnlInstance *rt, SnlListEntry *entries, int64_t count, int n);

/* Releases the memory of a list, which becomes empty. */
void snl_list_free(SnlInstance *rt, SnlList *list);

/* Bytes of a chunk. */
SNL_FN size_t snl_store_chunk_bytes(const SnlStore *s, int chunk)
{
    return (size_t)s->element_bytes << (chunk + SNL_STORE_FIRST_BITS);
}

/* Number of the chunk of an element. */
SNL_FN int snl_store_chunk_of(int64_t index)
{
    uint64_t shifted = (uint64_t)index + (1u << SNL_STORE_FIRST_BITS);
    return 63 - snl_bits_clz(shifted) - SNL_STORE_FIRST_BITS;
}

/* Starts an empty store. */
void snl_store_init(SnlStore *s, int64_t element_bytes);

/* Number of the first of some new elements, or -1 without memory; their memory is there. */
SNL_CORE int64_t snl_store_reserve(SnlInstance *rt, SnlStore *s, int64_t count);

/* Makes memory for so many elements in all, as far as there is any; false if there is not for
 * all. */
bool snl_store_room(SnlInstance *rt, SnlStore *s, int64_t count);

/* Appends a pointer to a store of pointers; false without memory. */
SNL_CORE bool snl_store_push(SnlInstance *rt, SnlStore *s, void *pointer);

/* Number of elements whose memory is there; one that could not be had is zero or left out. */
SNL_FN int64_t snl_store_held(const SnlStore *s)
{
    int64_t held = 0;
    for (int chunk = 0; held < s->count && s->chunks[chunk]; chunk++)
        held += (int64_t)1 << (chunk + SNL_STORE_FIRST_BITS);
    return held < s->count ? held : s->count;
}

/* Bytes that it holds. */
int64_t snl_store_bytes(const SnlStore *s);

/* Empties the store; keeps its memory, which is not zeroed. */
void snl_store_clear(SnlStore *s);

/* Releases the memory that is not used. */
void snl_store_trim(SnlInstance *rt, SnlStore *s);

/* Releases the memory; the store is empty. */
void snl_store_free(SnlInstance *rt, SnlStore *s);

/* Number of the first element of a chunk. */
SNL_FN int64_t snl_store_chunk_begin(int chunk)
{
    return ((int64_t)1 << (chunk + SNL_STORE_FIRST_BITS)) - (1 << SNL_STORE_FIRST_BITS);
}

/* The element with that number, which must have been reserved. */
SNL_FN void *snl_store_at(const SnlStore *s, int64_t index)
{
    int chunk = snl_store_chunk_of(index);
    return SNL_LOAD(&s->chunks[chunk]) + (index - snl_store_chunk_begin(chunk)) * s->element_bytes;
}

/* The same, with the number of elements from there on that lie one after the other. */
SNL_FN void *snl_store_part(const SnlStore *s, int64_t index, int64_t *length)
{
    *length = snl_store_chunk_begin(snl_store_chunk_of(index) + 1) - index;
    return snl_store_at(s, index);
}

/* The pointer with that number of a store of pointers. */
SNL_FN void *snl_store_pointer(const SnlStore *s, int64_t index)
{
    return *(void **)snl_store_at(s, index);
}

#ifdef __cplusplus
}
#endif

#endif
