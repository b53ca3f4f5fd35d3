/* What the vector passes know of a loop: slp, split_reductions, gather, defer_scatter, legality. A
 * LoopSurvey belongs to the scratch arena and serves all loops of a function. */
#ifndef SNL_ANALYSIS_LOOP_SURVEY_H
#define SNL_ANALYSIS_LOOP_SURVEY_H

#include "analysis/affine.h"

/* Why a loop is not simple, as -Wperf says it, and what to do about it; NULL: nothing, so nothing
 * is said. */
typedef struct {
    const char *text, *advice;
} Why;

typedef struct {
    Compile *c;
    Ir *ir;
    IrFunc *f;
    const Task *t;     /* the loop */
    int *local, loop;  /* by variable id: number of the last loop whose body declares it; number of
                        * this one */
    int vars, ids;     /* variables of the function that were counted, room for their ids */
    AffineFacts *indices;  /* of the function; NULL: not needed yet */
    bool fails;        /* may end with an error */
    bool simple;       /* see vector_legality.h */
    const Why *why;    /* it is not: the first reason */
    Span where;        /* of that */
} LoopSurvey;

/* What a loop computes. */
typedef struct {
    int gathered, work; /* scalars at computed indices, and operations on scalars */
    bool odd;           /* what is gathered is written, or it is not only read */
} LoopWeight;

/* Operations for each scalar that is gathered or scattered, from which on vectors pay. */
enum { WORK_LEAST = 4 };

/* Which loops: those that end in one of consecutive indices, or in a list of cells or a mask. */
typedef enum { ENDS_IN_RANGE, ENDS_IN_LIST } LoopEnd;
/* Calls fn for each such parallel loop of a function, inner tasks first. */
void loop_survey_each(Compile *c, Ir *ir, IrFunc *f, LoopEnd end,
                      void (*fn)(LoopSurvey *k, Task *t));

/* Is the variable declared in the body of the loop? */
bool loop_survey_is_local(const LoopSurvey *k, const Var *v);
/* What is known of the indices of the function. */
const AffineFacts *loop_survey_affine(LoopSurvey *k);
/* Do all indices of an element follow from loop variables, without what is read from memory or
 * changes from time to time? */
bool loop_survey_has_plain_indices(LoopSurvey *k, const Inst *i);
/* Is the place in a cell of a dense node that has a computed number? */
bool loop_survey_is_computed(LoopSurvey *k, const Inst *place);
/* Does another pass say how the loop is written? */
bool loop_survey_is_taken(const Task *t);
/* Weighs the body of the loop. */
LoopWeight loop_survey_weigh(LoopSurvey *k);

#endif
