/* Derivatives: checked program to checked program. What a program says with `diff` becomes
 * functions and statements of the kinds that all programs are made of, so interpreter, lowering and
 * every target run derivatives without knowing of them.
 *
 * The method is forward mode by source transformation (Griewank and Walther, Evaluating
 * Derivatives, 2nd edition, chapters 3 and 6): beside each active float is a second one, its
 * tangent, and each statement is preceded by the one that computes the tangent of its result. */
#ifndef SNL_AD_AD_H
#define SNL_AD_AD_H

#include "check/prog.h"

/* Takes apart every derivative of a program without errors; reports what has none. */
void ad_expand(Compile *c, Prog *p);

#endif
