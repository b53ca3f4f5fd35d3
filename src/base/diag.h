/* Diagnostics: everything said to the user about the input. Collected, sorted stably by position
 * within the order of files, printed at the end as text, JSON Lines or SARIF. At most 100 errors
 * are kept; the same code at the same place is said once. */
#ifndef SNL_BASE_DIAG_H
#define SNL_BASE_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/source.h"

typedef enum { DIAG_ERROR, DIAG_WARNING } Severity;

typedef enum {
#define DIAG(code, severity, title) code,
#include "base/diags.def"
#undef DIAG
    DIAG_COUNT
} DiagCode;

typedef struct Diag Diag;
struct Compile;

/* Reports; the text says what the user did and what was expected. Never returns NULL. */
Diag *diag(struct Compile *c, DiagCode code, Span at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a note at another place (or nowhere: Span {0,0}). */
void diag_note(Diag *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds a suggested fix that a person must think about: a text with gaps, or a sentence. */
void diag_fix(Diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds a fix that a tool can make (snlc check --fix, editors): the text in place of `at`. An empty
 * span inserts, an empty text removes. */
void diag_edit(Diag *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds one that only a person can choose, in an editor. */
void diag_guess(Diag *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Is the code an error by itself, or by the options? */
bool diag_is_error(const struct Compile *c, DiagCode code);
/* Number of errors so far. */
int diag_error_count(const struct Compile *c);

typedef enum { DIAGS_TEXT, DIAGS_JSON, DIAGS_SARIF } DiagFormat;
/* A document of SARIF, which may hold what several compilations report. */
typedef struct {
    bool begun;
    int results;
} Sarif;
/* Prints everything collected, at once, for other processes may print too; colour only for
 * DIAGS_TEXT. With DIAGS_SARIF it goes on with the document, which diag_end_sarif ends. */
void diag_print_all(const struct Compile *c, FILE *to, DiagFormat format, bool colour,
                    Sarif *sarif);
/* Ends a document; one without results is whole too. */
void diag_end_sarif(Sarif *sarif, Arena *a, FILE *to);

typedef struct {
    const char *name; /* "E0403" or "W0401" */
    Severity severity;
    const char *title;
} DiagInfo;
/* The row of a code. */
const DiagInfo *diag_info(DiagCode code);
/* Finds a code by its name, DIAG_COUNT when unknown. */
DiagCode diag_find(const char *name);

#endif
