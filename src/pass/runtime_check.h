/* What a kernel asks before a loop, and computes for it: integers of 64 bits, in a block. */
#ifndef SNL_PASS_RUNTIME_CHECK_H
#define SNL_PASS_RUNTIME_CHECK_H

#include "ir/ir.h"

/* The block's result is true where all that was asked for holds; NULL: nothing was to be asked. */
typedef struct {
    Compile *c;
    Block *b;
    const Type *number, *truth;
    Span span;
    bool never;         /* it is known not to hold */
} RuntimeCheck;

/* One that begins with what a block computes. */
RuntimeCheck runtime_check_new(Compile *c, const Ir *ir, Block *b, Span span);
Inst *runtime_check_number(RuntimeCheck *q, int64_t n);
/* Of a field along its k-th axis. */
Inst *runtime_check_extent(RuntimeCheck *q, Field *f, int k);
Inst *runtime_check_sum(RuntimeCheck *q, Op op, Inst *a, Inst *b);
/* The larger or the smaller of two; of one where the other is NULL. */
Inst *runtime_check_limit(RuntimeCheck *q, Builtin which, Inst *a, Inst *b);
/* A signed integer of the block with 64 bits. */
Inst *runtime_check_widen(RuntimeCheck *q, Inst *i);
/* Computes a kernel-invariant value again. */
Inst *runtime_check_repeat(RuntimeCheck *q, const Inst *i);
/* Asks for a <= b, or a == b, as well. */
void runtime_check_ask(RuntimeCheck *q, Op op, Inst *a, Inst *b);

#endif
