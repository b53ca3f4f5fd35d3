/* Names that are told apart by numbers. */
#ifndef SNL_BASE_UNIQUE_NAMES_H
#define SNL_BASE_UNIQUE_NAMES_H

#include <stdbool.h>

#include "base/intern.h"
#include "base/map.h"

typedef struct {
    Map taken;          /* the names */
    Map numbers;        /* by name that was taken already: the last number behind it (int *) */
} Unique;

/* Initialises a set without names. */
void unique_init(Unique *u, Arena *a);
/* Is the interned name taken? */
bool unique_has(const Unique *u, const char *name);
/* Takes a name and returns it, interned; where it is taken, the name with "_2" behind it, or the
 * next number whose name is not. */
const char *unique_take(Unique *u, Intern *t, const char *name);

#endif
