/* bench_timer.h - the loop of a benchmark: `while (measure()) { ... }`.
 *
 * The command line of executables makes an SnlMeasure, which the instance borrows.  An instance
 * without one runs the loop once, which shows that the benchmark works.
 */
#ifndef SNL_PROGRAM_BENCH_TIMER_H
#define SNL_PROGRAM_BENCH_TIMER_H

#include <stdio.h>

#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnlMeasure {
    int warmup, repeats;        /* runs that are not counted, then runs that are, at least 1 */
    double limit;               /* seconds: ends early when the first two took longer; 0: none */
    double least;               /* seconds that the counted runs take together: each sample is the
                                 * mean of as many runs as that needs; 0: of one */
    bool profile;               /* one more run tells the kernels apart */
    double *samples;            /* seconds of each counted run, room for all */
    FILE *out;                  /* what was measured is written here when the loop ends */
    int runs, count;            /* that have ended: all, counted */
    int batch, in_batch;        /* runs of a sample; those that the next one has so far */
    double quickest;            /* seconds of a run that was not counted */
    double start;               /* of the sample that goes on */
    bool begun, ended;
} SnlMeasure;

/* Ends the last run and says whether there is another one; items is how much one run works on.  At
 * the end it writes, a line each: "items N", "bytes N" in use, "sample S" for each sample in
 * seconds of a run, and "kernel CALLS SECONDS NAME" for each kernel that one run calls. */
bool snl_measure(SnlInstance *rt, double items);

#ifdef __cplusplus
}
#endif

#endif
