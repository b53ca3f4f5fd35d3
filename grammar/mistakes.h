/* Syntax errors that people bring from other languages: the loop of C, `and`, brackets for each
 * index … Each is reported in its own words, with the fix that a tool can make. */
#ifndef SNL_GRAMMAR_MISTAKES_H
#define SNL_GRAMMAR_MISTAKES_H

#include "grammar/tokens.h"

/* What could stand where an unexpected token was found. */
typedef struct {
    const char *signs; /* of one character, such as ; and { */
    bool item, statement, expression;
    bool unclosed; /* braces around it are not closed */
    bool stray;    /* nothing opens the brace that ends what stands here */
} Expected;

/* Reports the syntax error at a token of the file when it is a known mistake. */
bool mistake_report(Compile *c, const Source *source, const Tokens *t, Span at,
                    const Expected *expected);

#endif
