/* The canonical form of a source file. Tokens and comments stay as they are and in their order, so
 * the meaning cannot change; blanks and ends of lines are chosen here. What the author decides:
 *   - blank lines (at most one is kept) and comments;
 *   - whether a block that fits on a line stands on one: it does when it was written so;
 *   - rows of lists of values.
 * All else follows from the tokens: four spaces a level, lines of at most 100 columns, comments at
 * the ends of neighbouring lines under each other. */
#ifndef SNL_FMT_FORMAT_H
#define SNL_FMT_FORMAT_H

#include "ast/ast.h"

enum { FORMAT_COLUMNS = 100, FORMAT_INDENT = 4 };

/* Appends the canonical text of a source that was parsed without errors. False when the result
 * would not have the same tokens, which is an error of this module. */
bool format_source(Compile *c, const Source *source, Text *out);

/* Appends what changes from one text to another, as `diff -u` prints it; the name stands in the
 * heading. Nothing for equal texts. */
void format_diff(Arena *a, const char *name, const char *from, const char *to, Text *out);

#endif
