/* Do two instructions give the same value? */
#ifndef SNL_ANALYSIS_EQUAL_VALUES_H
#define SNL_ANALYSIS_EQUAL_VALUES_H

#include "ir/ir.h"

/* By number of an instruction (ir_number): how many before it may change something, or begin
 * blocks; scratch memory. */
const int *equal_values_changes(Compile *c, IrFunc *f);
/* Do two values or places certainly agree? What they read is fixed (variables that keep their
 * values, cells of dense nodes), or nothing may have changed it between them; changes may be
 * NULL. */
bool equal_values(const int *changes, const Inst *a, const Inst *b);
/* The same in one iteration of a task, which may read fields that the task does not change. */
bool equal_values_in(const Task *t, const Inst *a, const Inst *b);

#endif
