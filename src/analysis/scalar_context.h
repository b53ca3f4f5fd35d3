/* Where C compilers do not vectorise: in loops whose number of rounds nobody knows, in loops around
 * them, outside of loops, and in functions that are called from nowhere else. Also where each round
 * of a sequential loop waits for the one before. */
#ifndef SNL_ANALYSIS_SCALAR_CONTEXT_H
#define SNL_ANALYSIS_SCALAR_CONTEXT_H

#include "ir/ir.h"

/* Calls `fn` for each instruction of a function. `alone`: there are no vectors there. It may be
 * called again with true. */
void scalar_context_walk(Compile *c, Ir *ir, IrFunc *f, void (*fn)(Inst *i, bool alone, void *arg),
                void *arg);

#endif
