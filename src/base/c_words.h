/* Words that C, C++, their headers and the runtime have already. */
#ifndef SNL_BASE_C_WORDS_H
#define SNL_BASE_C_WORDS_H

#include <stdbool.h>

/* Keywords, types and macros, which nothing else can be called; NULL behind the last. */
const char *c_word(int n);
/* Is it one of these, or as reserved: _Bool, __func__? */
bool c_has(const char *name);

/* Does C keep it for compilers (_Bool, __func__)? Is it a macro of headers, most of which come in
 * families (DBL_DIG)? A function of headers, a name of CUDA, an argument of the interface? */
bool c_is_of_compilers(const char *name);
bool c_is_of_headers(const char *name);
bool c_is_of_library(const char *name);

/* Is it a name of the runtime (snl_message, SNL_OK, SNLRT_TREE_H)? */
bool c_is_of_runtime(const char *name);

#endif
