/* What floats may be: no NaN, no zero of one sign, nothing below zero. A fact holds for each
 * component of a vector or matrix, each element of an array and each member of a struct. */
#ifndef SNL_ANALYSIS_FLOAT_CLASS_H
#define SNL_ANALYSIS_FLOAT_CLASS_H

#include "ir/ir.h"

enum {
    MAY_BE_NAN = 1,
    MAY_BE_NEGATIVE_ZERO = 2,
    MAY_BE_ZERO = 4,     /* of the other sign */
    MAY_BE_NEGATIVE = 8, /* and no zero */
    MAY_BE_POSITIVE = 16,
    MAY_BE_ANY = 31,
    MAY_BE_USUAL = MAY_BE_ANY & ~(MAY_BE_NAN | MAY_BE_NEGATIVE_ZERO)
};

/* Of which elements more is assumed: none, or those that Inst.fast_float marks are fast. */
typedef enum { ASSUME_NOTHING, ASSUME_USUAL } Assume;

/* What each instruction of a function may give, by number (ir_number); in scratch memory. NULL if
 * that would take long to find. */
unsigned char *float_class_find(Compile *c, IrFunc *f, Assume assume);
/* Is it a min, max or clamp that may be one comparison with a limit? */
bool float_class_takes_limit(const Inst *i);
/* What max (or min) of two such floats may be. */
int float_class_max(int a, int b);
int float_class_min(int a, int b);

#endif
