/* Benchmarks that are run: one process each, what it measured, and the statistics of that. `snlc
 * bench` and `snlc tune` share it. All memory is that of the command line. */
#ifndef SNL_CLI_TOOL_BENCH_H
#define SNL_CLI_TOOL_BENCH_H

#include "cli/tool/driver.h"

typedef struct {
    const char *name;
    long long calls;
    double seconds;
} BenchKernel;
typedef VEC(BenchKernel) BenchKernels;
typedef VEC(double) Samples;

/* How a benchmark is to be run. */
typedef struct {
    const char *executable, *program; /* the file, and the name it is called by */
    int number;                       /* among the blocks of the executable */
    int threads;                      /* 0: what the program chooses */
    int warmup, repeats;
    double limit;                     /* seconds: given up when the first two runs take longer; 0:
                                       * none */
    double least;                     /* seconds to measure at least: samples are means of runs; 0:
                                       * each is a run */
    double timeout;                   /* seconds for all of it */
    bool profile;
} BenchJob;

/* What came of it. */
typedef struct {
    const char *title;
    int threads;
    Samples samples;                  /* seconds of each run, in order */
    double items;                     /* that one run works on, 0: not said */
    unsigned long long bytes;         /* in use at the end of the runs */
    BenchKernels kernels;             /* of one run, by time */
    const char *output;               /* what it printed */
    const char *failure;              /* NULL: it ended well */
    bool interrupted;                 /* by a signal to snlc */
} BenchResult;

/* Least, quartiles and most of samples. spread: half of the distance between the quartiles, as a
 * share of the median. */
typedef struct {
    double least, lower, median, upper, most, mean, spread;
} BenchSummary;

/* The numbers of --threads; 0, the program's own choice, where none are given. 0, or EXIT_USAGE
 * after a message. */
typedef VEC(int) BenchThreads;
int bench_read_threads(Cli *cli, BenchThreads *out);
/* True for a benchmark that --filter lets through. */
bool bench_is_wanted(const Cli *cli, const Func *f);
/* Seconds of a clock that only goes forward. */
double bench_clock(void);
/* Runs a benchmark. 0, or an exit status after a message when it could not be started. */
int bench_run(Cli *cli, const BenchJob *job, BenchResult *out);
/* True once the user has asked to stop (SIGINT, SIGTERM); from bench_catch_signals on. */
bool bench_interrupted(void);
/* From here on SIGINT and SIGTERM end the benchmark that runs, and are remembered. */
void bench_catch_signals(void);
/* Ends the process by the signal that was caught. */
void bench_raise(void);
/* Statistics of at least one sample. */
BenchSummary bench_summary(Arena *a, const Samples *samples);
/* How likely it is that two lists of samples differ as much by chance alone (Mann and Whitney's
 * test). */
double bench_chance(Arena *a, const Samples *x, const Samples *y);
/* What is less likely than this is taken for a difference. */
#define BENCH_CHANCE 0.01
/* Can lists of so many samples differ by more than chance at all? */
bool bench_can_tell(int n, int m);
/* A time as people read it: "1.234 ms". */
const char *bench_time_text(Arena *a, double seconds);
/* A number with a prefix of thousands: "53.1 M". */
const char *bench_count_text(Arena *a, double count);

/* bench_report.c */
typedef VEC(BenchResult) BenchResults;
/* The table, with a line for each kernel where `kernels`. */
void bench_table(Arena *a, const BenchResults *all, bool kernels, Text *out);
/* The results as JSON, with every sample. */
void bench_json(const char *file, const BenchResults *all, Text *out);
/* The results as bars with their samples. */
void bench_svg(Arena *a, const char *file, const BenchResults *all, Text *out);
/* Reads what bench_json wrote. 0, or an exit status after a message. */
int bench_read(Cli *cli, const char *path, BenchResults *out);
/* "4" threads, or "auto". */
const char *bench_threads_text(Arena *a, int threads);

/* bench_compare.c */
/* What two lists have in common: ratios of times with their intervals, and whether they differ by
 * more than chance. Gives how many there are. */
int bench_compare(Arena *a, const BenchResults *before, const BenchResults *after, Text *out);
/* A benchmark of two programs whose processes took turns: the median of each round. */
typedef struct {
    const char *title;
    int threads;
    Samples before, after;
} BenchPair;
typedef VEC(BenchPair) BenchPairs;
/* The same for what was measured by turns. */
void bench_compare_pairs(Arena *a, const BenchPairs *pairs, Text *out);

#endif
