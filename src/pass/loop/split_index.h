/* Split points of a loop as code. */
#ifndef SNL_PASS_LOOP_SPLIT_INDEX_H
#define SNL_PASS_LOOP_SPLIT_INDEX_H

#include "analysis/split_points.h"

/* A block whose result is the first index inside, or the one after the last, i64; NULL: that of the
 * loop. */
Block *split_index_block(Compile *c, const Ir *ir, const SplitPoints *s, bool upper, Span span);

#endif
