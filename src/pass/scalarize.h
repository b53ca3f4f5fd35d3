/* leaves.h - whole vectors and matrices in memory as their components, which C compilers make
 * vectors of many iterations of. */
#ifndef SNL_PASS_SCALARIZE_H
#define SNL_PASS_SCALARIZE_H

#include "ir/ir.h"

/* Loads and stores vectors and matrices in cells component by component, in a block and those
 * inside it; numbers of cells become i32 where they fit. */
void scalarize_block(Compile *c, Ir *ir, IrFunc *f, Block *b);

#endif
