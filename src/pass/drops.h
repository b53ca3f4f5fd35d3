/* Loops over a mask that deactivate the cells they are at. */
#ifndef SNL_PASS_DROPS_H
#define SNL_PASS_DROPS_H

#include "pass/index.h"

/* Is the task a loop over a mask whose iterations deactivate nothing in its layout but their own
 * cells, each as the last thing that it does there? */
bool drops_own_cells(const Ir *ir, const Indices *indices, const Task *t);

#endif
