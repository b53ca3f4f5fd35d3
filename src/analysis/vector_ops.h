/* Which arithmetic C compilers vectorise, if the loops around it allow that. */
#ifndef SNL_ANALYSIS_VECTOR_OPS_H
#define SNL_ANALYSIS_VECTOR_OPS_H

#include "ir/ir.h"

/* Is an operation, a cast or a function on scalars a vector operation, or a few, on all
 * processors? */
bool vector_ops_have(const Inst *i);
/* Is it a call of the C library everywhere? */
bool vector_ops_lack(const Inst *i);

#endif
