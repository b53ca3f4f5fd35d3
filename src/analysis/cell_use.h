/* What a program does to the cells of a node. */
#ifndef SNL_ANALYSIS_CELL_USE_H
#define SNL_ANALYSIS_CELL_USE_H

#include "ir/ir.h"

/* Could code of the program, but not C that calls it, change what the cells of a node
 * hold? Their activity is something else. */
bool cell_use_writes(const Ir *ir, const Node *n);

#endif
