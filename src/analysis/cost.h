/* How much work a block is. */
#ifndef SNL_ANALYSIS_COST_H
#define SNL_ANALYSIS_COST_H

#include "ir/ir.h"

/* The work of a block when it runs once, in instructions, roughly: those of loops count for
 * each iteration. No more than WORK_ENOUGH is counted. A chunk of a loop has CHUNK_WORK at
 * least. */
enum { CHUNK_WORK = 20000, WORK_ENOUGH = 1 << 30 };
int64_t cost_of_block(const Ir *ir, const Block *b);
/* Operations on scalars that an arithmetic instruction is. */
int cost_operations(const Inst *i);
/* Iterations from one constant to another; -1 where they are none. */
int64_t cost_trip_count(const Inst *from, const Inst *to, const Inst *step);

#endif
