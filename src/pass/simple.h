/* simple.h - loops that C compilers can make vectors of: iterations are nothing but arithmetic,
 * elements at indices that follow from loop variables, or are gathered, and sequential loops whose
 * bounds are the same for all of them. */
#ifndef SNL_PASS_SIMPLE_H
#define SNL_PASS_SIMPLE_H

#include "pass/look.h"

/* Is the loop at hand simple, and was so far? Keeps the first reason against it. */
bool simple_check(Look *k);
/* Notes another reason against it. */
void simple_break(Look *k, const Inst *i, const Why *why);
/* With -Wperf: says why a loop is not simple, if its author may change that and it is not over in a
 * moment. */
void simple_report(const Look *k);

#endif
