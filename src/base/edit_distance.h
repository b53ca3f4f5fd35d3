/* The known word that is like one that is not known. */
#ifndef SNL_BASE_EDIT_DISTANCE_H
#define SNL_BASE_EDIT_DISTANCE_H

#include "base/diag.h"

typedef struct {
    const char *wanted, *found; /* NULL: none is near */
    const char *other;          /* as near as `found`, or NULL */
    int distance;               /* letters to insert, drop, change or exchange, of `found` or of
                                 * what is too far */
} Nearest;

/* A search for a word; short words must be nearer. */
Nearest nearest_to(const char *wanted);
/* Looks at one known word; of equally near ones the first stays. */
void nearest_try(Nearest *n, const char *known);
/* Adds what was found as the fix of what stands at `at`; only told, where two words are as near. */
void nearest_suggest(const Nearest *n, Diag *d, Span at);

/* The same of a name that anyone may have given: a guess, but where most letters agree, or all in
 * another order. */
void nearest_suggest_name(const Nearest *n, Diag *d, Span at);

#endif
