/* Fixes for what people bring from other languages, in the errors of the checker: they add to a
 * diagnostic, or report one. */
#ifndef SNL_CHECK_SUGGEST_H
#define SNL_CHECK_SUGGEST_H

#include "check/check.h"

/* Reports a call of something that is no function: x.fill(1.0), v.norm(), ti.sqrt(a). */
void report_no_function(Checker *k, Scope *s, const Expr *call);
/* A method of a field that is a function of its label or its size: p.append(v), x.length(). Reports
 * it, or returns false. */
bool suggest_method(Checker *k, Scope *s, const Expr *call);
/* A constant of a module that is none here: math.pi. Reports it, or returns false. */
bool suggest_module_member(Checker *k, Scope *s, const Expr *e);
/* Warns of 2 ^ 8, whose sign is meant as that of a power. */
void warn_power(Checker *k, const Expr *e);
/* length(v) of a vector. Reports it, or returns false. */
bool suggest_norm(Checker *k, Scope *s, const Expr *call);
/* For a call of a field: x(i, j). */
void suggest_index(Checker *k, const Expr *call, Diag *d);
/* For a function that nobody knows: len(x). Reports it, or returns false. */
bool suggest_extent(Checker *k, const Expr *call);
/* A call of other languages whose arguments differ here: printf, mat3, not. Reports it, or returns
 * false. */
bool suggest_call(Checker *k, const Expr *call);
/* For the name of a field where that of a label is needed. */
void suggest_label(Checker *k, Scope *s, Name name, Diag *d);
/* For operands of different shapes: the product of a matrix and a vector. */
void suggest_product(Checker *k, const TExpr *a, const TExpr *b, const char *op, Diag *d);
/* A float assigned to a variable that is an integer because of its first value. Reports it, or
 * returns false. */
bool suggest_float_variable(Checker *k, const TExpr *target, const TExpr *value);
/* A whole field assigned in host code. Reports it, or returns false. */
bool suggest_whole_field(Checker *k, Scope *s, const Stmt *st);
/* n = 0; where there is no n: reports it and declares the variable that was meant, or returns
 * false. */
bool suggest_declaration(Checker *k, Scope *s, const Stmt *st);
/* m = max(m, x); in a parallel loop, which loses values: what keeps them. */
void suggest_reduction(Checker *k, const Stmt *assign, Diag *d);
/* For the name of a type that there is not: void f(), float, F32, a struct with a letter wrong. */
void suggest_type(Checker *k, Scope *s, const TypeExpr *t, Diag *d);
/* Indices that are arguments: deactivate(b, i, j). Reports it, or returns false. */
bool suggest_cell(Checker *k, const Expr *call, const char *name);
/* A statement that is nothing but a name, like that of a jump: retrun; Reports it, or returns
 * false. */
bool suggest_jump(Checker *k, const Scope *s, const Expr *e);
/* For a limit that a type does not have: f32.nan, i32.MAX. */
void suggest_limit(Diag *d, const Expr *e, const Type *t);
/* The number of one of so many members of a family, which has been reported as not known at compile
 * time. */
void suggest_static_for(Checker *k, int members);
/* A function of other languages that is no function here. Reports it, or returns false. */
bool suggest_other_way(Checker *k, const char *name, Span span);
/* The numbers of threads of CUDA, once. Reports them, or returns false. */
bool suggest_loop_for_threads(Checker *k, const char *name, Span span);

#endif
