/* Loops whose innermost loop may go in strips, along one axis of arrays, from one element to the
 * next. */
#ifndef SNL_ANALYSIS_STRIPS_H
#define SNL_ANALYSIS_STRIPS_H

#include "ir/ir.h"

/* Bytes of arrays that no cache holds, and elements of rows that are worth strips: as
 * SNL_LARGE_ARRAY and SNL_LONG_ROW. */
enum { LARGE_ARRAY = 32 << 20, LONG_ROW = 256 };

/* Does the innermost loop go along one axis, in rows of at least so many, or of a size known at run
 * time? `last` becomes the number of its variable. False where there are several levels of nodes,
 * offsets or steps. */
bool strips_fit(const Task *t, int64_t row_least, int *last);
/* Do the cells of a node lie side by side along that variable? */
bool strips_go_along(const Node *n, int last);
/* Is a field used at the loop's own indices alone, but for some elements before and after along
 * variable `last` (-1: none)? */
bool strips_own(const Task *t, const Footprint *p, int last);

#endif
