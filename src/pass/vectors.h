/* vectors.h - which arithmetic C compilers make vectors of, where loops around it allow that. */
#ifndef SNL_PASS_VECTORS_H
#define SNL_PASS_VECTORS_H

#include "ir/ir.h"

/* Is an operation, a cast or a function on scalars a vector operation, or a few, on all
 * processors? */
bool vectors_have(const Inst *i);
/* Is it a call of the C library everywhere? */
bool vectors_lack(const Inst *i);

#endif
