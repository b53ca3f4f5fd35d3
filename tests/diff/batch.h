/* batch.h - many programs that one run of tcc compiles: reading the headers of the runtime costs
 * more than most programs.
 *
 * The caller interprets a program, and adds the same or another variant of it with what must be
 * printed. When the batch is full, all are compiled and run; those that do not print the same are
 * then tried alone by the caller.
 */
#ifndef DIFF_BATCH_H
#define DIFF_BATCH_H

#include "inside.h"
#include "oracle.h"

enum { BATCH_MAX = 64 };

typedef struct {
    long seed;
    int variant;
    Trial trial;
    char given[COMMAND_MAX];    /* what it is run with, a blank before each */
    bool same;          /* it was compiled, ran, and printed what it must */
} BatchItem;

typedef struct {
    const Tools *tools;
    Words *words;       /* of all programs; read when the first one is added */
    int count;
    BatchItem item[BATCH_MAX];
} Batch;

/* Adds the program in file `path` if snlc compiles it; the file `want` of the folder says what it
 * prints. */
bool batch_add(Batch *b, const char *path, long seed, int variant, const Trial *trial);
/* Compiles and runs all, and sets `same`. False if they could not be compiled as one file. */
bool batch_run(Batch *b);

#endif
