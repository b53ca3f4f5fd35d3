/* Where C compilers make no vectors: in loops of which nobody knows how often they run, in those
 * around such, outside of loops, and in functions that are called nowhere else; and where each
 * round of a sequential loop waits for the one before. */
#ifndef SNL_ANALYSIS_SCALAR_CONTEXT_H
#define SNL_ANALYSIS_SCALAR_CONTEXT_H

#include "ir/ir.h"

/* Calls `fn` for each instruction of a function. `alone`: there are no vectors there. It may be
 * called again with true. */
void scalar_context_walk(Compile *c, Ir *ir, IrFunc *f, void (*fn)(Inst *i, bool alone, void *arg),
                void *arg);

#endif
