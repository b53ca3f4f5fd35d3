/* fetch.h - second bodies of loops, which find early what an iteration waits for (Task.fetches). */
#ifndef SNL_PASS_FETCH_H
#define SNL_PASS_FETCH_H

#include "pass/index.h"

/* A loop over one range, or over the cells of an array, that nothing else says how to write. */
bool fetch_fits(const Task *t);

/* Gives the loop its second body, if the target may be found early: an append, what reaches a hash
 * cell, or a look-up, of which the numbers that lead to the cell are found, the last one first.
 * False: it may not, or follows the index of the loop. */
bool fetch_target(Compile *c, const Ir *ir, IrFunc *f, Task *t, Inst *target);

/* Does a function do arithmetic alone (ir_is_arithmetic), and change no arguments? */
bool fetch_is_arithmetic(const Ir *ir, const Func *f);

#endif
