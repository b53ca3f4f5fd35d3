/* Several iterations of a parallel loop go through a block together. They take each step of its
 * sequential loops at once, so that C compilers vectorise the steps, although each iteration adds
 * up in its own order. */
#ifndef SNL_PASS_VECTOR_OUTER_VECTOR_H
#define SNL_PASS_VECTOR_OUTER_VECTOR_H

#include "ir/ir.h"

/* Lets iterations of a task go through `body`, of which it is made, together; neighbours differ in
 * the index `last`. False, and nothing is changed, where sequential loops do not run alike for all
 * of them, where there is none, or where the task reads what it writes. */
bool outer_vector_make(Compile *c, const Ir *ir, IrFunc *f, Task *t, Block *body, const Var *last);

#endif
