/* State of the scanner of one file. */
#ifndef SNL_GRAMMAR_SCAN_STATE_H
#define SNL_GRAMMAR_SCAN_STATE_H

#include "ast/ast.h"

#ifndef YY_TYPEDEF_YY_SCANNER_T
#define YY_TYPEDEF_YY_SCANNER_T
typedef void *yyscan_t;
#endif

typedef struct {
    Compile *c;
    const Source *source;
    uint32_t offset; /* of the next byte */
    Span comment;    /* start of the comment being read */
    Map words;       /* keywords and kinds of nodes, to their rows in the table of the scanner */
} ScanState;

/* Starts on the source of the state; NULL when out of memory. */
yyscan_t scan_start(ScanState *s);
/* Frees the scanner. */
void scan_end(yyscan_t scanner);

#endif
