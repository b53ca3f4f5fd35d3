/* Integers as sums of unknown terms, each with a factor, and a constant. The numbers of two cells
 * that differ by a constant have the same terms. */
#ifndef SNL_ANALYSIS_LINEAR_H
#define SNL_ANALYSIS_LINEAR_H

#include "analysis/affine.h"

enum { LINEAR_TERMS_MOST = 8 };

/* Something that is not known, so many times: a component of a variable that keeps its value, or of
 * an instruction. */
typedef struct {
    const Var *var; /* or NULL */
    const Inst *inst;
    int component;
    int64_t times;
} LinearTerm;

/* A number; `fits`: nothing of it was left out. */
typedef struct {
    const Task *task; /* elements of fields that it does not change are the same wherever they are
                       * read, or NULL */
    LinearTerm terms[LINEAR_TERMS_MOST];
    int count;
    int64_t constant;
    bool fits;
} Linear;

/* What an integer is made of inside the task. */
Linear linear_of(const AffineFacts *x, const Task *t, const Inst *number);
/* The same where C compilers shall see it: what is read from memory twice may be two things. */
Linear linear_as_seen(const AffineFacts *x, const Task *t, const Inst *number);
/* Do two numbers differ by a constant alone? */
bool linear_has_same_terms(const Linear *a, const Linear *b);

#endif
