/* What words of other languages are called here, for messages and fixes. */
#ifndef SNL_AST_FOREIGN_WORDS_H
#define SNL_AST_FOREIGN_WORDS_H

#include "base/arena.h"

/* The type that the word means elsewhere ("float" is f32); NULL for others. */
const char *foreign_type(const char *word);
/* The value or function that the word means elsewhere ("fabs" is abs); NULL for others. */
const char *foreign_word(const char *word);

/* The text of Python "n = {n:.2f}", in quotes, as a format and its values: "n = {:.2f}", n. NULL
 * where no brace of it holds more than the number of a value, or where it is harder. */
const char *format_elsewhere(Arena *a, const char *text);

#endif
