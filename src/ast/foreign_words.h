/* What words of other languages are called here, for messages and fixes. */
#ifndef SNL_AST_FOREIGN_WORDS_H
#define SNL_AST_FOREIGN_WORDS_H

/* The type that the word means elsewhere ("float" is f32); NULL for others. */
const char *foreign_type(const char *word);
/* The value or function that the word means elsewhere ("fabs" is abs); NULL for others. */
const char *foreign_word(const char *word);

#endif
