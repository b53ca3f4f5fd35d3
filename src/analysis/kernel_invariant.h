/* Values that are the same before a loop of a kernel and in all its iterations. A kernel may
 * compute them once, to choose between versions of the loop. */
#ifndef SNL_ANALYSIS_KERNEL_INVARIANT_H
#define SNL_ANALYSIS_KERNEL_INVARIANT_H

#include "ir/ir.h"

/* Is the value the same before a loop of the kernel and in it? */
bool kernel_invariant(const Inst *i);
/* Are two such values computed in the same way? */
bool kernel_invariant_is_same(const Inst *a, const Inst *b);

#endif
