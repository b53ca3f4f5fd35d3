/* Loops that C compilers can vectorise. Their iterations consist of arithmetic, of elements whose
 * indices follow from loop variables or are gathered, and of sequential loops whose bounds are the
 * same for all iterations. */
#ifndef SNL_ANALYSIS_VECTOR_LEGALITY_H
#define SNL_ANALYSIS_VECTOR_LEGALITY_H

#include "analysis/loop_survey.h"

/* Is the loop at hand simple, and was so far? Keeps the first reason against it. */
bool vector_legality_check(LoopSurvey *k);
/* Notes another reason against it. */
void vector_legality_break(LoopSurvey *k, const Inst *i, const Why *why);
/* With -Wperf: says why a loop is not simple, if its author may change that and it is not over in a
 * moment. */
void vector_legality_report(const LoopSurvey *k);

#endif
