/* The comment that belongs to a declaration: right before it, or behind it on its line. */
#ifndef SNL_BASE_COMMENT_H
#define SNL_BASE_COMMENT_H

#include "base/source.h"

/* The text of that comment, its lines ended by newlines but the last, or NULL. `at` lies in the
 * first line of the declaration behind its attributes. */
const char *comment_of(Arena *a, const Sources *sources, Span at);

#endif
