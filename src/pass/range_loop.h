/* Parallel loops as loops over ranges of numbers. */
#ifndef SNL_PASS_RANGE_LOOP_H
#define SNL_PASS_RANGE_LOOP_H

#include "ir/ir.h"

/* By loop variable: indices from `from` to before `to`. */
typedef struct {
    int64_t from[AXIS_MAX], to[AXIS_MAX];
} RangeLoop;

/* The ranges of a loop over such, by ones, or over the cells of a dense array of constant size, if
 * it goes through it as loops over ranges do; false where they are not known. */
bool range_loop_find(const Task *t, RangeLoop *r);
/* Makes it a loop over these, whose variable number `strided` goes by `step`. */
void range_loop_set(Compile *c, Task *t, const RangeLoop *r, int strided, int64_t step);

#endif
