/* Elements that an iteration changes and reaches by another expression too. C compilers that are
 * told to vectorise a loop without further proof change the order of what they do not know to be
 * the same element, even within one iteration. */
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
