/* Vectors of three or four f32 that a loop keeps in one register each, for pass slp. Lists belong
 * to the arena. */
#ifndef SNL_PASS_VECTOR_QUADS_H
#define SNL_PASS_VECTOR_QUADS_H

#include "ir/ir.h"

/* Additions to three or four scalars side by side in a cell. */
typedef struct {
    Inst *sums[4];
    int count;
} QuadSum;

typedef VEC(QuadSum) QuadSums;

/* Is a value of the type kept so? */
bool quads_are(const Type *t);

/* Does the place lie in cells at a multiple of 16 bytes, if these do? */
bool quads_are_aligned(const Inst *place);

/* May the instruction stand in a loop that does? local: it names a variable that is declared in its
 * body. */
bool quads_fit(const Inst *i, bool local);

/* Adds to the list the additions that can be done as vectors. */
void quads_find_sums(Compile *c, const Task *t, Block *b, QuadSums *list);

/* Makes one addition of a vector of each in the list. */
void quads_join_sums(Compile *c, Ir *ir, Block *b, const QuadSums *list);

#endif
