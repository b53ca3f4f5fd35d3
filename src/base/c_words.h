/* Words that C, C++, their headers and the runtime have already. */
#ifndef SNL_BASE_C_WORDS_H
#define SNL_BASE_C_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Is it a keyword, a type, a macro in small letters, which nothing else can be called? */
bool c_is_word(const char *name);
/* Is it one of these, a macro in capitals, or as reserved: _Bool, __func__? */
bool c_has(const char *name);

/* Does C keep it for compilers (_Bool, __func__)? Is it a macro of headers, or would it become
 * one? A function of headers, a name of CUDA, an argument of the interface? */
bool c_is_of_compilers(const char *name);
bool c_is_of_headers(const char *name);
bool c_is_of_library(const char *name);
/* Is it one of the macros of headers (c_macros.c)? */
bool c_is_macro(const char *name);
/* Is it among the words of a list of `size` bytes, in order and with a blank between them? */
bool c_is_among(const char *list, size_t size, const char *name);

/* Is it a name of the runtime (snl_message, SNL_OK, SNLRT_TREE_H)? */
bool c_is_of_runtime(const char *name);

#endif
