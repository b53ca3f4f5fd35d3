/* The layouts that snlc tune tries. What may differ from the layout as written is a list of
 * dimensions, each with some options; number 0 is always what is written. A variant is one option
 * of each dimension. All memory is that of the command line. */
#ifndef SNL_CLI_TOOL_TUNE_H
#define SNL_CLI_TOOL_TUNE_H

#include "cli/tool/driver.h"

typedef enum { TUNE_SPLIT, TUNE_ORDER, TUNE_BLOCK, TUNE_PACKED, TUNE_KINDS } TuneKind;
/* Options of TUNE_SPLIT: fields in one cell, a node for each field at the top or inside of the
 * blocks, a node for each component. */
typedef enum { SPLIT_WRITTEN, SPLIT_AOS, SPLIT_SOA, SPLIT_AOSOA, SPLIT_COMPONENTS } TuneSplit;

typedef struct {
    const Layout *layout;    /* and those that are swapped with it: they change alike */
    const char *title;       /* their names */
    TuneKind kind;
    VEC(const char *) names; /* of the options: "as written", "soa", "order ji", "block 8" */
    VEC(int64_t) values;     /* split; number of a permutation; size of blocks, 0 for none */
} TuneDim;

typedef struct {
    Cli *cli;
    const Compile *c;           /* of the program as written */
    VEC(Layout *) layouts;      /* that are marked */
    VEC(TuneDim) dims;
    VEC(const char *) remarks;  /* what cannot change, and why */
} TunePlan;

/* Finds the dimensions of a checked program, which was read with keep_syntax. */
void tune_plan(Cli *cli, const Drive *d, TunePlan *out);
/* The layouts of a variant as SNL: those that change alike with one, or all where it is NULL. */
void tune_text(const TunePlan *p, const int *choice, const Layout *alike, Text *out);
/* "grid: soa, block 8", or "as written". */
const char *tune_name(const TunePlan *p, const int *choice);

#endif
