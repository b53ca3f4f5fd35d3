/* Params whose values are words: param enum mode = sand | water; */
#ifndef SNL_CHECK_STMT_PARAM_H
#define SNL_CHECK_STMT_PARAM_H

#include "check/check.h"

/* Is it declared so? */
bool param_is_enum(const Item *item);
/* Declares the words as constants. */
void declare_enum_words(Checker *k, Scope *s, Item *item);
/* The type, the words and the default of such a param. */
void resolve_enum(Checker *k, const Item *item, Param *p);
/* False, with a message, where an operation takes a word, or a param that is one, for a number. */
bool check_enum_operands(Checker *k, Scope *s, const Expr *e);
/* Is it a string, which == and != compare in host code? After a message *fine is false. */
bool compares_strings(Checker *k, const Expr *e, const TExpr *a, const TExpr *b, bool *fine);

#endif
