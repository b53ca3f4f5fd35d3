/* Copies of code: of a function that is taken in, of the body of a loop for each of its iterations.
 * Where something else stands for an instruction or a variable, the copy has that. */
#ifndef SNL_PASS_CLONE_H
#define SNL_PASS_CLONE_H

#include "ir/ir.h"

typedef struct {
    Compile *c;
    IrFunc *f;         /* gets the copies */
    Inst **insts;      /* by id of the original: what stands for it; NULL: it itself, or its copy */
    Var **vars;        /* by id of the original, in the same way */
    bool renames;      /* variables get copies too, as those of another function */
    const Inst *moved; /* not copied but made anew in place of `into`, or NULL */
    Inst *into;
} Clone;

/* Copies of code of the function, for which nothing else stands yet; numbers its instructions. */
Clone clone_begin(Compile *c, IrFunc *f);
/* A new variable of the function that is like another. */
Var *clone_var(Clone *k, const Var *v);
/* What stands for an instruction. */
Inst *clone_of(const Clone *k, Inst *i);
/* Copies an instruction and what it holds to the end of a block. */
void clone_inst(Clone *k, const Inst *i, Block *to);
/* A value or place again, with all that it is computed from, which has no effects and reads what is
 * fixed: at the end of a block. */
Inst *clone_value(Compile *c, Block *to, const Inst *i);
/* The outermost block of a task again, with the same variables. */
Block *clone_block(Compile *c, IrFunc *f, const Block *b);
/* A parallel loop again, with loop variables and variables of its body of its own. */
Task *clone_loop(Compile *c, IrFunc *f, const Task *t);
/* What computes the bounds of a loop over ranges again: sets these. */
Block *clone_bounds(Compile *c, IrFunc *f, const Task *t, Insts *from, Insts *to);

#endif
