/* What a diagnostic is made of; for src/base only. */
#ifndef SNL_BASE_DIAG_DATA_H
#define SNL_BASE_DIAG_DATA_H

#include "base/diag.h"
#include "base/vec.h"

typedef struct {
    Span at;
    char *text;
} DiagNote;

struct Diag {
    Arena *arena;
    DiagCode code;
    Severity severity;
    Span at;
    char *text;
    VEC(DiagNote) notes;
    VEC(char *) fixes;
};

#endif
