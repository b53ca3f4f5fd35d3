/* core.h - what the core of the runtime needs. The core is the part that programs for a GPU run
 * there as well.
 *
 * Files called core_*.h hold code, not just declarations. The library compiles them once, in
 * core.c. A program for a GPU includes them, and SNL_CORE makes all functions static ones of both
 * sides. A GPU cannot allocate memory. What may be needed is made before a loop starts
 * (snl_trees_prepare), and code that finds none ends with an error.
 */
#ifndef SNL_CORE_CORE_H
#define SNL_CORE_CORE_H

#include "instance.h"
#include "../math/snl_math.h"

/* snl_memory_above where there is memory to be had, else NULL: without what notes that a cell is
 * not in use it would be lost. */
SNL_FN void *snl_core_above(SnlInstance *rt, size_t bytes)
{
    (void)rt;
    (void)bytes;
    return SNL_SPLIT((void *)NULL, snl_memory_above(rt, bytes));
}

#endif
