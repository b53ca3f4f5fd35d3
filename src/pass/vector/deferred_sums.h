/* The additions of a loop to elements of arrays, as a list, for pass defer_scatter. The list
 * belongs to the task. */
#ifndef SNL_PASS_VECTOR_DEFERRED_SUMS_H
#define SNL_PASS_VECTOR_DEFERRED_SUMS_H

#include "analysis/affine.h"

/* Lists the additions of a loop that adds to arrays, in order of address where that is known; lists
 * none where one of them cannot be put off to the end of the iteration. */
void deferred_sums_find(Compile *c, const AffineFacts *x, Task *t);

/* The first addition of an iteration among those of a base: the others count from the number of its
 * cell. */
const BatchSum *deferred_sums_first(const Task *t, int base);

/* Makes the numbers of cells sums of one of them and a constant, where they are. */
void deferred_sums_share_numbers(Compile *c, Ir *ir, IrFunc *f, Task *t);

/* The same for the numbers of cells at the top of trees that a loop reaches at computed indices. */
void deferred_sums_share_gathered(Compile *c, Ir *ir, IrFunc *f, const AffineFacts *x, Task *t);

#endif
