/* Second bodies of loops, which find early what an iteration waits for (Task.fetches). */
#ifndef SNL_PASS_MEMORY_SLICE_H
#define SNL_PASS_MEMORY_SLICE_H

#include "analysis/affine.h"

/* A loop over one range, or over the cells of an array, that nothing else says how to write. */
bool slice_fits(const Task *t);

/* Gives the loop its second body, if the target may be found early: an append, what reaches a hash
 * cell, or a look-up, of which the numbers that lead to the cell are found, the last one first.
 * False: it may not, or follows the index of the loop. */
bool slice_target(Compile *c, const Ir *ir, IrFunc *f, Task *t, Inst *target);

/* Does an instruction let a cell of a hash node come or go, in a container that was found? */
bool slice_changes_hash_cell(const Inst *i);

/* Does one look a cell of a hash node up, in a container that was found? */
bool slice_reads_hash_cell(const Inst *i);

/* Does a function do arithmetic alone (ir_is_arithmetic), and change no arguments? */
bool slice_is_arithmetic(const Ir *ir, const Func *f);

#endif
