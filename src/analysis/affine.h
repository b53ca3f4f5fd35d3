/* Indices: what is known of an integer inside a parallel loop, as loop variable + constant. Looks
 * through variables that are set once. An AffineFacts belongs to the scratch arena and is good
 * until the function is changed. */
#ifndef SNL_ANALYSIS_AFFINE_H
#define SNL_ANALYSIS_AFFINE_H

#include "ir/ir.h"

/* `known`: var (NULL: none) + something from min to max. Scaled ones: (var x times + something) >>
 * shift. */
typedef struct {
    bool known;
    const Var *var;
    int64_t min, max;
    int64_t times; /* 0: 1 */
    int shift;
    bool truncates; /* a quotient of C, which is none of >> where the index is negative */
    bool scaled;   /* with a product or quotient on the way; min and max need not be reached */
} Affine;

typedef struct AffineFacts AffineFacts;

/* Reads a function. */
AffineFacts *affine_new(Compile *c, IrFunc *f);
/* The value stored where a variable is declared, if nothing else ever changes it; else NULL. */
Inst *affine_let(const AffineFacts *x, const Var *v);
/* The same, if it can be an operand in `home`, the outermost block of a task or function. */
Inst *affine_let_in(const AffineFacts *x, const Var *v, const Block *home);
/* What an integer is made of: the value of a variable, where affine_let_in gives one (home NULL:
 * affine_let), and with `casts` what was cast to a type that has all its values. */
const Inst *affine_plain(const AffineFacts *x, const Inst *i, const Block *home, bool casts);
/* What `i` is inside the task; `var` is one of its loop variables. */
Affine affine_of(const AffineFacts *x, const Task *t, const Inst *i);
/* The same with products and quotients by powers of two. */
Affine affine_scaled(const AffineFacts *x, const Task *t, const Inst *i);
/* The instruction a place begins with: IN_CELL, ROOT_PLACE, VAR or TABLE. */
Inst *affine_place_base(Inst *place);
/* Number of the component that an ELEM of a vector or matrix names; -1 when it is known at run time
 * only, or of an array. */
int affine_component(const Inst *elem);
/* The leaf of its field that a place in a cell is, or begins with; -1 when it is known at run time
 * only, or elsewhere. */
int affine_place_leaf(const Inst *place);
/* Is every value of an integer type one of the other type, which has a sign? */
bool affine_keeps_value(const Type *from, const Type *to);
/* Bounds of a variable of the loop around; false where they are not known. */
bool affine_bounds(const Task *t, const Var *v, int64_t *min, int64_t *max);
/* Are numbers between these of the type? */
bool affine_fits(const Type *type, int64_t min, int64_t max);
/* Field indices along an axis that a cell of n spans, down to `leaf`, which lies below it; declared
 * sizes. */
int64_t affine_node_span(const Node *n, const Node *leaf, int axis);
/* The number of the loop variable that is loaded, widened perhaps, or -1. */
int affine_loop_variable(const Task *t, const Inst *i);

#endif
