/* Instructions that leave a loop: which may, in what order, and how they go. */
#ifndef SNL_PASS_CODE_MOTION_H
#define SNL_PASS_CODE_MOTION_H

#include "ir/ir.h"

/* Does a variable, or what a look-up finds for its operands, stay the same while the loop runs? */
typedef bool StaysFn(const Inst *i, const void *arg);

typedef struct {
    Compile *c;
    int ids;
    StaysFn *stays;
    const void *arg;    /* of stays */
    bool *inside;       /* by instruction id: in the loop; the caller notes it */
    bool *moves;        /* by instruction id: leaves it */
    Insts out;          /* these, operands first; belongs to the scratch arena */
} CodeMotion;

/* Of a loop in a function whose instructions and places have ids below `ids`. */
CodeMotion code_motion_new(Compile *c, int ids, StaysFn *stays, const void *arg);
/* Gives its memory back, but not what leaves, where a function may have thousands of loops. */
void code_motion_free(CodeMotion *m);
/* Is it arithmetic that C compilers leave in loops, for it has branches, or calls functions? */
bool code_motion_pays(const Inst *i);
/* Has the value or place the same operands in each round, all from outside? */
bool code_motion_is_invariant(const CodeMotion *m, const Inst *i);
/* Lets an instruction leave, after its operands. */
void code_motion_take(CodeMotion *m, Inst *i);
/* Puts a new instruction after those that leave. */
void code_motion_add(CodeMotion *m, Inst *i);
/* Drops from a block, and from those in it, what leaves; NULL is ignored. */
void code_motion_drop(const CodeMotion *m, Block *b);

#endif
