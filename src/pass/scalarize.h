/* Splits whole vectors and matrices in memory into their components, so that C compilers vectorise
 * across many iterations. */
#ifndef SNL_PASS_SCALARIZE_H
#define SNL_PASS_SCALARIZE_H

#include "ir/ir.h"

/* Loads and stores vectors and matrices in cells component by component, in a block and those
 * inside it; numbers of cells become i32 where they fit. */
void scalarize_block(Compile *c, Ir *ir, IrFunc *f, Block *b);

#endif
