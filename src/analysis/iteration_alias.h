/* Elements that an iteration changes and also reaches by another expression. A C compiler that is
 * told to vectorise without further proof may change the order of two accesses to one element, if
 * it does not know that they are to the same one. It does so even within one iteration. */
#ifndef SNL_ANALYSIS_ITERATION_ALIAS_H
#define SNL_ANALYSIS_ITERATION_ALIAS_H

#include "analysis/affine.h"

/* The access that may be to an element which the iteration reaches by another expression, where one
 * of the two changes it; NULL: there is none. The loop looks up cells of dense nodes alone. */
const Inst *iteration_alias_find(Compile *c, const AffineFacts *x, const Task *t);

/* Is all that the loop changes reached at its last index alone, which is the one along the rows?
 * Then iterations of different last indices do not meet. */
bool iteration_alias_has_columns(const Task *t);

#endif
