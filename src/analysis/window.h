/* What lies in a window (ir.h): the pieces of blocks that it is made of, the form of its copy. */
#ifndef SNL_ANALYSIS_WINDOW_H
#define SNL_ANALYSIS_WINDOW_H

#include "ir/ir.h"

/* Cells of the loop's part of a block along an axis. */
int64_t window_part(const Window *w, int axis);
/* The first and the last cell that is reached along an axis, from the first one that belongs to the
 * part. */
void window_range(const Window *w, int axis, int64_t *first, int64_t *last);
/* Cells along the k-th axis of the node, from a multiple of that many on, that always lie in one
 * block; the numbers of such pieces, from that of the first cell that belongs to the part on. */
int64_t window_piece(const Window *w, int k);
void window_pieces(const Window *w, int k, int64_t *first, int64_t *end);
/* The extents of a copy, and how many: the cells that are reached along all axes but the last; of
 * those along that, as many rows as the indices are multiplied by; elements of a row, in which
 * those of neighbouring iterations lie side by side: at half of the indices a cell is there
 * twice. */
int window_extents(const Window *w, int64_t *extent);
/* The element that such a row begins with, counted by iterations. */
int64_t window_row_first(const Window *w);
/* Which of the rows an offset along the last axis is in, and where there the first iteration
 * finds its own. */
void window_element(const Window *w, int64_t offset, int64_t *row, int64_t *shift);

#endif
