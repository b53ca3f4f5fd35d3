/* Parallel loops as loops over ranges of numbers. */
#ifndef SNL_PASS_RANGES_H
#define SNL_PASS_RANGES_H

#include "ir/ir.h"

/* By loop variable: indices from `from` to before `to`. */
typedef struct {
    int64_t from[AXIS_MAX], to[AXIS_MAX];
} Ranges;

/* The ranges of a loop over such, by ones, or over the cells of a dense array of constant size, if
 * it goes through it as loops over ranges do; false where they are not known. */
bool ranges_find(const Task *t, Ranges *r);
/* Makes it a loop over these, whose variable number `strided` goes by `step`. */
void ranges_set(Compile *c, Task *t, const Ranges *r, int strided, int64_t step);

#endif
