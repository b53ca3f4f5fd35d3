/* privatize.h - sums that several threads add up in the same places of an array.
 *
 * A loop that does nothing to an array but add to elements of it runs with copies. Thread 0 adds to
 * the array itself, and each other thread to a copy that is neutral everywhere. After the loop the
 * copies are added to the array, in order of the threads, and made neutral again. No addition is
 * atomic. The neutral element of floats is -0.0, which leaves every number as it is. Copies belong
 * to the instance and are kept for the next loop.
 *
 * An array in blocks is a pointer node at the top with nothing but scalars in its cells. A copy of
 * it is a table of slots and the blocks to which the thread adds. Joining activates the cells of
 * these blocks.
 */
#ifndef SNL_LOOP_PRIVATIZE_H
#define SNL_LOOP_PRIVATIZE_H

#include "../core/parallel.h"
#include "../tree/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SNL_SCATTER_ARRAYS = 4 };

/* An array of scalars that a loop adds to. */
typedef struct {
    void *array;
    int64_t bytes;
    int tag;                    /* of the scalars: 4 or 8 bytes */
    SnlTree *tree;              /* in blocks: its tree and node, else NULL */
    int node;
} SnlScatterArray;

/* Blocks that a thread has; the first `used` are in use, for these cells. */
typedef struct {
    void **blocks;
    int64_t *cells;
    int64_t used, made, room;
} SnlScatterBlocks;

/* Copies of an array, all neutral between loops. */
typedef struct SnlCopies {
    struct SnlCopies *next;
    int64_t bytes;
    int64_t block_bytes;        /* 0: not in blocks */
    int tag;
    int rest;                   /* so many loops are run without: blocks had few additions each */
    bool taken;                 /* by the loop that runs */
    void *of[SNL_CHUNKS_MAX];   /* by thread; that of thread 0 is NULL; in blocks: a slot for each
                                 * cell */
    SnlScatterBlocks *blocks[SNL_CHUNKS_MAX];
    bool used[SNL_CHUNKS_MAX];
} SnlCopies;

/* The loop that runs with copies. */
typedef struct SnlScatter {
    SnlCopies *all;
    bool taken;                 /* from snl_scatter_begin to snl_scatter_end */
    int count;
    double additions;
    SnlScatterArray arrays[SNL_SCATTER_ARRAYS];
    SnlCopies *copies[SNL_SCATTER_ARRAYS];
} SnlScatter;

/* Makes copies ready for a loop with so many additions; NULL where the loop is to add to the
 * arrays: it has one thread, or copies cost more than they save, or there is no memory for them. */
SnlScatter *snl_scatter_begin(SnlInstance *rt, const SnlScatterArray *arrays, int count,
                              double additions);

/* Adds what the threads have added up to the arrays; s may be NULL. */
void snl_scatter_end(SnlInstance *rt, SnlScatter *s);

/* Makes a copy of 32-bit or 64-bit scalars the neutral element everywhere. */
void snl_scatter_make_neutral(int tag, void *copy, int64_t bytes);

/* Rows of an array, and those of a copy that belong there; each has so many bytes, and begins a
 * step after the one before. */
typedef struct {
    char *array, *copy;
    int64_t rows, bytes, array_step, copy_step;
} SnlRows;

/* Adds rows of 32-bit or 64-bit scalars, most of which are not neutral, to those of the array, and
 * makes them neutral. `alone`: no other thread adds to the array meanwhile. */
void snl_scatter_add(int tag, bool alone, const SnlRows *r);

/* Where the calling thread adds to array number k, which is `array` without copies. */
SNL_FN void *snl_scatter_array(const SnlScatter *s, int k, void *array)
{
    int thread = s ? snl_thread_number() : 0;
    if (thread <= 0)
        return array;
    s->copies[k]->used[thread] = true;
    return s->copies[k]->of[thread];
}

/* The cell of an empty slot: of the tree, or of the thread's copy. */
void *snl_scatter_fill(const SnlScatter *s, int k, SnlTree *tree, int node, void **slots,
                       int64_t cell) SNL_COLD;

/* The cell that the calling thread adds to, of array number k, which is in blocks; activates it. */
SNL_FN void *
snl_scatter_cell(const SnlScatter *s, int k, SnlTree *tree, int node, void **slots, int64_t cell)
{
    void *found = SNL_LOAD(&slots[cell]);
    return SNL_LIKELY(found != NULL) ? found : snl_scatter_fill(s, k, tree, node, slots, cell);
}

#ifdef __cplusplus
}
#endif

#endif
