/* Loops over a mask that deactivate the cells they are at. */
#ifndef SNL_ANALYSIS_SELF_DEACTIVATE_H
#define SNL_ANALYSIS_SELF_DEACTIVATE_H

#include "analysis/affine.h"

/* Is the task a loop over a mask whose iterations deactivate nothing in its layout but their own
 * cells, each as the last thing that it does there? */
bool self_deactivate_only(const Ir *ir, const AffineFacts *indices, const Task *t);

#endif
