/* Copies of code: of a function that is taken in, of the body of a loop for each of its iterations.
 * Where something else stands for an instruction or a variable, the copy has that. */
#ifndef SNL_PASS_COPY_H
#define SNL_PASS_COPY_H

#include "ir/ir.h"

typedef struct {
    Compile *c;
    IrFunc *f;         /* gets the copies */
    Inst **insts;      /* by id of the original: what stands for it; NULL: it itself, or its copy */
    Var **vars;        /* by id of the original, in the same way */
    bool renames;      /* variables get copies too, as those of another function */
    const Inst *moved; /* not copied but made anew in place of `into`, or NULL */
    Inst *into;
} Copy;

/* Copies of code of the function, for which nothing else stands yet; numbers its instructions. */
Copy copy_begin(Compile *c, IrFunc *f);
/* A new variable of the function that is like another. */
Var *copy_var(Copy *k, const Var *v);
/* What stands for an instruction. */
Inst *copy_of(const Copy *k, Inst *i);
/* Copies an instruction and what it holds to the end of a block. */
void copy_inst(Copy *k, const Inst *i, Block *to);
/* A value or place again, with all that it is computed from, which has no effects and reads what is
 * fixed: at the end of a block. */
Inst *copy_of_value(Compile *c, Block *to, const Inst *i);
/* The outermost block of a task again, with the same variables. */
Block *copy_of_block(Compile *c, IrFunc *f, const Block *b);
/* A parallel loop again, with loop variables and variables of its body of its own. */
Task *copy_of_loop(Compile *c, IrFunc *f, const Task *t);
/* What computes the bounds of a loop over ranges again: sets these. */
Block *copy_of_bounds(Compile *c, IrFunc *f, const Task *t, Insts *from, Insts *to);

#endif
