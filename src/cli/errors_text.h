/* The entries of doc/errors.md; errors_text.c is made from it by build-aux/errors-to-c.awk. */
#ifndef SNL_CLI_ERRORS_TEXT_H
#define SNL_CLI_ERRORS_TEXT_H

typedef struct {
    const char *code, *text;
} ErrorText;

extern const ErrorText errors_text[];
extern const int errors_text_count;

#endif
