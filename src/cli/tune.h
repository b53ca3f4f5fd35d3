/* The layouts that snlc tune tries. What may differ from the layout as written is a list of dimensions, each with some options; number 0
 * is always what is written. A variant is one option of each dimension. All memory is that of the command line. */
#ifndef SNL_CLI_TUNE_H
#define SNL_CLI_TUNE_H

#include "cli/driver.h"

typedef enum { TUNE_SPLIT, TUNE_ORDER, TUNE_BLOCK, TUNE_PACKED, TUNE_KINDS } TuneKind;
/* Options of TUNE_SPLIT: fields in one cell, a node for each field at the top or inside of the blocks, a node for each component. */
typedef enum { SPLIT_WRITTEN, SPLIT_AOS, SPLIT_SOA, SPLIT_AOSOA, SPLIT_COMPONENTS } TuneSplit;

typedef struct {
    const Layout *layout;
    TuneKind kind;
    VEC(const char *) names; /* of the options: "as written", "soa", "order ji", "block 8" */
    VEC(int64_t) values;     /* split; number of a permutation; size of blocks, 0 for none */
} TuneDim;

typedef struct {
    Cli *cli;
    const Compile *c;           /* of the program as written */
    VEC(const Layout *) layouts; /* that are marked */
    VEC(TuneDim) dims;
} TunePlan;

/* Finds the dimensions of a checked program, which was read with keep_syntax. */
void tune_plan(Cli *cli, const Drive *d, TunePlan *out);
/* One layout of a variant as SNL, and all of them. */
void tune_layout_text(const TunePlan *p, const int *choice, const Layout *l, Text *out);
void tune_text(const TunePlan *p, const int *choice, Text *out);
/* "grid: soa, block 8", or "as written". */
const char *tune_name(const TunePlan *p, const int *choice);

#endif
