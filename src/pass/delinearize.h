/* Digits: indices of cells in the containers on a path, by the indices of a field. Where an index
 * is a sum of multiples of what a cell spans and of a rest below it, its digits are those parts: of
 * I * 8 + i, with i from 0 to 7, they are I and i, so that loops through the cells of a block look
 * it up once. A Digits belongs to the pass; what it makes goes to the block of `lower`. */
#ifndef SNL_PASS_DELINEARIZE_H
#define SNL_PASS_DELINEARIZE_H

#include "analysis/affine.h"
#include "ir/lower.h"

typedef struct {
    Lower lower;
    const Task *task;       /* around the code, or NULL */
    const Block *home;      /* the outermost block around it */
    const AffineFacts *indices; /* NULL: no node of the program has cells in blocks, or activity */
} Delinearizer;

/* Bounds of the values of an integer; false where they are not known. */
bool delinearize_bounds(const Delinearizer *d, const Inst *i, int64_t *min, int64_t *max);
/* Index of the cell of n along its k-th axis, in its container; `index` is a 64-bit one of cells of
 * `leaf`, from 0 on. */
Inst *delinearize_index(Delinearizer *d, const Node *n, const Node *leaf, int k, Inst *index);
/* Number of the cell in its container; the indices are by axis. */
Inst *delinearize_number(Delinearizer *d, const Node *n, const Node *leaf, Inst *const *index);

#endif
