/* What a diagnostic is made of; for src/base and for what hands diagnostics on: src/lsp, snlc check
 * --fix. */
#ifndef SNL_BASE_DIAG_DATA_H
#define SNL_BASE_DIAG_DATA_H

#include "base/diag.h"
#include "base/vec.h"

typedef struct {
    Span at;
    char *text;
} DiagNote;

typedef struct {
    char *text;   /* what to write, or a sentence */
    bool is_edit; /* the text takes the place of `at` */
    bool is_guess; /* so it does if the user says so, as editors ask */
    Span at;
} DiagFix;

struct Diag {
    Arena *arena;
    DiagCode code;
    Severity severity;
    Span at;
    char *text;
    VEC(DiagNote) notes;
    VEC(DiagFix) fixes;
};

/* A fix as it is shown: the text, or what to insert, remove or replace elsewhere. Lives in the
 * arena of the diagnostic. */
const char *diag_fix_text(const struct Compile *c, const Diag *d, const DiagFix *fix);

#endif
