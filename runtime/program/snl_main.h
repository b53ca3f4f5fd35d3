/* snl_main.h - the command line of an executable made from a program, and its progress bars.
 *
 * The compiler emits one constant SnlProgram and a main that calls snl_main.  The functions in it
 * take the program's instance as void *, so that other runners of programs, such as the
 * interpreter, can use the same command line.  snl_main owns the block of parameters and the
 * instance while it runs.  Only this module prints to standard error.
 */
#ifndef SNL_PROGRAM_SNL_MAIN_H
#define SNL_PROGRAM_SNL_MAIN_H

#include <stdio.h>

#include "snl_format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A parameter: rows = cols = 0 is a scalar, rows = n, cols = 0 a vector, else a matrix.  A string
 * is a const char * in the block of parameters; those that snl_main sets point into its argv. */
typedef struct {
    const char *name;
    int tag;                    /* of a scalar type, or SNL_STRING */
    int rows, cols;
    size_t offset;              /* in the block of parameters */
    const char *default_text;   /* for --help */
    const char *doc;            /* or NULL */
    const char *words;          /* "sand|water" of an i32 whose values are words, or NULL */
} SnlMainParam;

/* A test block or a benchmark. */
typedef struct {
    const char *name;
    const char *fails;          /* text of the run-time error it must end in, or NULL */
    int (*run)(void *program);  /* 0, or the status of a run-time error */
} SnlMainTest;

/* What the command line and the environment ask of the run. */
typedef struct {
    int threads;                /* 0: as many as there are processors */
    uint64_t seed;
    uint64_t memory_limit;      /* bytes, 0: none */
    bool stats, trace;          /* statistics or events have to be collected */
    bool progress;              /* progress bars may be shown */
    int device;                 /* number of the GPU */
    struct SnlMeasure *measure; /* what a benchmark fills in, or NULL */
} SnlMainOptions;

/* A program; functions that may be missing are NULL. */
typedef struct {
    const char *name;
    const char *version;        /* text of --version */
    const SnlMainParam *params;
    int param_count;
    size_t params_bytes;
    const void *params_start;   /* what the block begins as, or NULL: zeros */
    void (*params_default)(void *params);               /* changes it, or NULL */
    /* Makes the instance.  Returns 0 or a status; *program may be set even then, for message. */
    int (*create)(const void *params, const SnlMainOptions *options, void **program);
    void (*destroy)(void *program);
    const char *(*message)(const void *program);        /* "file:line: text" of the last error */
    int (*run)(void *program);                          /* main; NULL: the program has none */
    void (*write_stats)(void *program, FILE *out);      /* or NULL */
    void (*write_trace)(void *program, FILE *out);      /* or NULL */
    const SnlMainTest *tests;
    int test_count;
    bool gpu;                   /* it runs on a GPU, which --device chooses */
} SnlProgram;

/* The most threads that may be asked for. */
enum { SNL_THREADS_MOST = 65536 };

/* Exit statuses. */
enum {
    SNL_EXIT_ERROR = 1,
    SNL_EXIT_USAGE = 64,
    SNL_EXIT_DEVICE = 69,
    SNL_EXIT_MEMORY = 71,
    SNL_EXIT_IO = 74
};

/* What a program that runs several tests writes after each, before its exit status. */
#define SNL_TEST_ENDED "\036snl-test "

/* Runs the program as its command line says; returns the exit status. */
int snl_main(int argc, char **argv, const SnlProgram *p);

/* Takes the limit of memory that SNL_MEMORY_LIMIT gives into *bytes, which stays where it is not
 * set. Returns NULL, or the value where it is no number of bytes. */
const char *snl_main_memory_limit(uint64_t *bytes);

/* Reads a value of a parameter from text into its place: a number, true or false, components
 * separated by commas; a string is the text itself, which is not copied.  Returns NULL or what is
 * wrong with it. */
const char *snl_param_parse(const SnlMainParam *param, const char *text, void *params);

/* The progress bar of one loop; a value that the loop owns. */
typedef struct SnlProgress {
    int64_t total, done;
    double started, shown;      /* seconds; shown is 0 while it was not drawn */
    bool visible;
    struct SnlInstance *rt;     /* whose lines stand above it, while it is visible */
    struct SnlProgress *outer;  /* of the loop around */
} SnlProgress;

/* Declares a bar, which ends where its scope is left. */
#define SNL_PROGRESS(bar, rt, total) \
    SnlProgress bar __attribute__((cleanup(snl_progress_end))); \
    snl_progress_begin(&bar, rt, total)

/* Starts a bar for total steps; it stays hidden where rt is NULL or standard error no terminal. */
void snl_progress_begin(SnlProgress *bar, struct SnlInstance *rt, int64_t total);

/* Counts a step; redraws the bar at most ten times a second. */
void snl_progress_step(SnlProgress *bar);

/* Prints a line above the bar; an SnlPrintSink. */
void snl_progress_print(void *bar, const char *line, size_t bytes);

/* Draws the last state and ends the line, once. */
void snl_progress_end(SnlProgress *bar);

#ifdef __cplusplus
}
#endif

#endif
