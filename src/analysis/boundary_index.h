/* Indices that are kept inside of the extents of a field, by its boundary mode or by the program
 * itself: x[max(i - 1, 0)], x[(i + 1) % n], x[(i + n - 1) & (n - 1)]. */
#ifndef SNL_ANALYSIS_BOUNDARY_INDEX_H
#define SNL_ANALYSIS_BOUNDARY_INDEX_H

#include "analysis/affine.h"

/* What an index of a field along an axis would be without that; *mode says what stands for indices
 * outside of the field: BOUNDARY_NONE where nothing keeps it inside, never BOUNDARY_AMBIENT.
 * Offsets are meant to be less than a block. */
Affine boundary_index_unbounded(const AffineFacts *x, const Task *t, const Inst *i,
                                const Field *field, int axis, Boundary *mode);

#endif
