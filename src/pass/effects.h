/* Effects of tasks, which pass footprint finds, where passes make one task of two. */
#ifndef SNL_PASS_EFFECTS_H
#define SNL_PASS_EFFECTS_H

#include "ir/ir.h"

/* Adds what another loop over the same indices does, whose variables have the same order. */
void effects_add(Compile *c, Effects *to, const Effects *from);

/* What a function does, through those that it calls too. */
const Effects *effects_of_func(Compile *c, const Ir *ir, const Func *func);

#endif
