/* One copy of each string: interned strings are compared by pointer. Memory belongs to the
 * arena. */
#ifndef SNL_BASE_INTERN_H
#define SNL_BASE_INTERN_H

#include "base/arena.h"

typedef struct Intern Intern;

/* Makes an empty table in the arena. */
Intern *intern_new(Arena *a);
/* The one copy of the `n` bytes at `s`, NUL-terminated. */
const char *intern_strn(Intern *t, const char *s, size_t n);
/* The same, or NULL where there is no copy yet. */
const char *intern_find(const Intern *t, const char *s, size_t n);
/* The one copy of the NUL-terminated `s`. */
const char *intern_str(Intern *t, const char *s);

#endif
