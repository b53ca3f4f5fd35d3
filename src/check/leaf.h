/* Arithmetic on scalars, and functions of vectors and matrices, at compile time, exactly as at run
 * time: integers wrap, division by zero gives 0, f32 and f16 are rounded after every operation.
 * Used to fold constants, and by the interpreter. */
#ifndef SNL_CHECK_LEAF_H
#define SNL_CHECK_LEAF_H

#include "check/prog.h"

/* a op b of one scalar type; comparisons give a bool. For shifts b has type `count_type`. */
Leaf leaf_binary(Op op, Scalar s, Leaf a, Leaf b, Scalar count_type);
/* Does a op b of a signed integer type not fit in it? Quotients and remainders by -1 of the least
 * number do not. */
bool leaf_overflows(Op op, Scalar s, Leaf a, Leaf b);
/* op a. */
Leaf leaf_unary(Op op, Scalar s, Leaf a);
/* Conversion as by a cast. */
Leaf leaf_cast(Scalar from, Scalar to, Leaf v);
/* False where a float has no value in the integer type. */
bool leaf_cast_fits(Scalar from, Leaf v, Scalar to);
/* The bits of one type as another of the same size. */
Leaf leaf_bitcast(Scalar from, Scalar to, Leaf v);
/* a * b + c, rounded once. */
Leaf leaf_fma(Scalar s, Leaf a, Leaf b, Leaf c);
/* T.min, T.max, T.epsilon, T.bits, T.components, T.is_float, T.is_signed, and the type of that:
 * false when the type has no such member. */
bool leaf_limit(Scalar s, const char *name, Scalar *of, Leaf *v);
/* True for built-in functions that work on each component. */
bool builtin_is_componentwise(Builtin b);
/* One component of such a function; the arguments have scalar type s. */
Leaf leaf_builtin(Builtin b, Scalar s, const Leaf *args);
/* The matrix product of values of types a and b; a vector is a row on the left and a column on the
 * right. */
void leaf_matmul(const Type *a, const Type *b, const Leaf *x, const Leaf *y, Leaf *out);
/* Any other built-in function of one or two values, y is NULL for one; the results of several
 * members lie one after another. */
void leaf_vector_builtin(const TExpr *e, const Leaf *x, const Leaf *y, Leaf *out);
/* Reads and writes a scalar in its C representation. */
Leaf leaf_load(Scalar s, const void *from);
void leaf_store(Scalar s, void *to, Leaf v);
/* A double or an integer as a leaf of a scalar type, rounded or wrapped. */
Leaf leaf_from_double(Scalar s, double v);
Leaf leaf_from_integer(Scalar s, __int128 v);

#endif
