/* block_cache.h - a copy of a block and of the cells after it, for iterations that follow each
 * other.
 *
 * Iterations in the order of the cells that they reach (reorder.h) mostly reach the same block of a
 * tree as the iteration before. The blocks are dense and lie under a pointer node at the top. A
 * loop that only reads their cells, or only adds to them, does so in a patch. A patch holds the
 * cells of the block of the first cell, and as many cells after it along each axis as an iteration
 * reaches. All of them lie in one array, so no block is looked up. A patch to read holds what the
 * blocks hold. A patch for sums is neutral, as the copies of privatize.h are, and is added to the
 * blocks when another one takes its place.
 *
 *     +-----------------+---+
 *     |                 |   |    cells of one block, and of those
 *     |   the block     |   |    after it along one axis or more
 *     |                 |   |
 *     +-----------------+---+
 *     |                 |   |
 *     +-----------------+---+
 *
 * An iteration elsewhere looks its blocks up. The patch goes to another block after
 * SNL_PATCH_PATIENCE iterations in a row there. An iteration that strays costs little, and
 * iterations in no order cost next to nothing.
 */
#ifndef SNL_LOOP_BLOCK_CACHE_H
#define SNL_LOOP_BLOCK_CACHE_H

#include "privatize.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SNL_PATCH_AXES = 3, SNL_PATCH_PATIENCE = 64 };

/* A loop's own patch; arrays are in storage order, the last axes count. */
typedef struct {
    int64_t block;              /* its number, -1: none */
    int64_t next;               /* the block that the last iterations elsewhere were in */
    int times;                  /* so many of them */
    SnlTree *tree;
    int node;                   /* of the cells */
    void **slots;               /* of the node around it, or of the thread's copy */
    char *cells;
    int64_t size[SNL_PATCH_AXES];       /* cells of a block */
    int64_t extent[SNL_PATCH_AXES];     /* of the patch */
    int64_t blocks[SNL_PATCH_AXES];
    char *firsts;               /* sums: by cell, 1: an iteration added from it on; NULL: the loop
                                 * reads */
    const SnlScatter *apart;    /* sums: copies, or NULL */
    int array;                  /* sums: number of the array there */
    int tag;                    /* sums: of the scalars */
} SnlPatch;

/* Begins a part of a loop, which reads. `node` has up to SNL_PATCH_AXES axes, and the sizes of its
 * blocks are powers of two; `extent` has one number an axis, no more than twice such a size;
 * `cells` is memory for so many cells. */
SnlPatch snl_patch_begin(SnlTree *tree, int node, void **slots, const int64_t *extent,
                         void *cells);

/* The loop adds instead: to cells that are made of scalars with this tag, of array number `array`
 * of `apart`, if there are copies. `firsts` is memory for a number for each cell; an iteration in
 * the patch makes that of the first cell it reaches 1, and adds to all corners of a box from there
 * on. */
void snl_patch_sums(SnlPatch *p, const SnlScatter *apart, int array, int tag, char *firsts);

/* Adds the sums to the blocks, which are activated. */
void snl_patch_end(SnlPatch *p);

/* An iteration is elsewhere; true if the patch goes there. */
bool snl_patch_elsewhere(SnlPatch *p, int64_t block);

/* Is the patch for the block with this number? */
SNL_FN bool snl_patch_at(SnlPatch *p, int64_t block)
{
    return SNL_LIKELY(block == p->block) || snl_patch_elsewhere(p, block);
}

#ifdef __cplusplus
}
#endif

#endif
