/* What a kernel asks before a loop, and computes for it: integers of 64 bits, in a block. */
#ifndef SNL_PASS_QUESTION_H
#define SNL_PASS_QUESTION_H

#include "ir/ir.h"

/* The block's result is true where all that was asked for holds; NULL: nothing was to be asked. */
typedef struct {
    Compile *c;
    Block *b;
    const Type *number, *truth;
    Span span;
    bool never;         /* it is known not to hold */
} Question;

/* One that begins with what a block computes. */
Question question_new(Compile *c, const Ir *ir, Block *b, Span span);
Inst *question_number(Question *q, int64_t n);
/* Of a field along its k-th axis. */
Inst *question_extent(Question *q, Field *f, int k);
Inst *question_sum(Question *q, Op op, Inst *a, Inst *b);
/* The larger or the smaller of two; of one where the other is NULL. */
Inst *question_limit(Question *q, Builtin which, Inst *a, Inst *b);
/* A signed integer of the block with 64 bits. */
Inst *question_widen(Question *q, Inst *i);
/* Computes a steady value again. */
Inst *question_repeat(Question *q, const Inst *i);
/* Asks for a <= b, or a == b, as well. */
void question_ask(Question *q, Op op, Inst *a, Inst *b);

/* Is the value the same before a loop of the kernel and in it? */
bool value_is_steady(const Inst *i);
/* Are two steady values computed in the same way? */
bool value_is_same(const Inst *a, const Inst *b);
/* The number of the loop variable that is loaded, widened perhaps, or -1. */
int task_variable(const Task *t, const Inst *i);

#endif
