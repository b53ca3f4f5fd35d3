/* The effects of tasks, and how they are joined when a pass makes one task of two. */
#ifndef SNL_ANALYSIS_EFFECTS_H
#define SNL_ANALYSIS_EFFECTS_H

#include "ir/ir.h"

/* Sets the effects of the tasks of a kernel. */
void effects_find(Compile *c, Ir *ir, IrFunc *f);

/* Adds what another loop over the same indices does, whose variables have the same order. */
void effects_add(Compile *c, Effects *to, const Effects *from);

/* What a function does, through those that it calls too. */
const Effects *effects_of_func(Compile *c, const Ir *ir, const Func *func);

#endif
