/* snlc bench: every benchmark block in its own process, one after another; or two programs by
 * turns, or two files of results, beside each other. */
#include "config.h"

#include <string.h>

#include "cli/tool/bench.h"
#include "cli/tool/cache.h"
#include "cli/tool/output.h"

enum { REPEATS = 20, WARMUP = 2, ROUNDS = 12, ROUND_REPEATS = 5 };

/* Seconds that a benchmark is measured at least, unless a number of runs is asked for. */
static const double LEAST = 0.5;

/* A program that is compared. */
typedef struct {
    Drive drive;
    const char *executable;
} Side;

/* Builds a program with its benchmarks. */
static int
build_side(Cli *cli, Side *side, const char *file)
{
    const EmitOptions options = {.with_benchmarks = true};
    int status = driver_check(cli, &side->drive, file, 0);
    return status ? status : cache_executable(cli, &side->drive, &options, &side->executable);
}

/* The number of a benchmark among those of a program, -1: there is none of that title. */
static int
find_benchmark(const Prog *p, const char *title)
{
    int number = 0;
    for (int i = 0; i < p->tests.count; i++) {
        if (p->tests.items[i]->kind != FUNC_BENCHMARK)
            continue;
        if (!strcmp(p->tests.items[i]->title, title))
            return number;
        number++;
    }
    return -1;
}

/* Says that a benchmark failed. */
static int
fail_benchmark(Cli *cli, const BenchResult *r)
{
    if (cli->diagnostics == DIAGS_TEXT)
        fprintf(stderr, "snlc: benchmark \"%s\" failed: %s\n%s", r->title, r->failure, r->output);
    else
        cli_error(cli, E0803, "benchmark \"%s\" failed: %s: %s", r->title, r->failure, r->output);
    return EXIT_ERRORS;
}

/* One round of a benchmark: each program in a process of its own, the other one first the next
 * time. */
static int
measure_round(Cli *cli, Side *sides, BenchPair *pair, int round)
{
    double medians[2] = {0};
    for (int turn = 0; turn < 2; turn++) {
        const int which = (turn + round) % 2;
        const Prog *p = sides[which].drive.prog;
        BenchResult r = {.title = pair->title};
        const BenchJob job = {.executable = sides[which].executable,
                              .program = p->name,
                              .number = find_benchmark(p, pair->title),
                              .threads = pair->threads,
                              .repeats = cli->repeats ? cli->repeats : ROUND_REPEATS,
                              .warmup = cli->warmup >= 0 ? cli->warmup : WARMUP,
                              .least = cli->repeats ? 0 : LEAST / ROUNDS,
                              .timeout = cli->timeout};
        const int status = bench_run(cli, &job, &r);
        if (status || r.interrupted)
            return status;
        if (r.failure)
            return fail_benchmark(cli, &r);
        medians[which] = bench_summary(cli->arena, &r.samples).median;
    }
    if (medians[0] > 0 && medians[1] > 0) {
        vec_push(cli->arena, &pair->before, medians[0]);
        vec_push(cli->arena, &pair->after, medians[1]);
    }
    return 0;
}

/* All rounds of what the two programs have in common. */
static int
measure_pairs(Cli *cli, Side *sides, BenchPairs *pairs)
{
    int status = 0;
    for (int round = 0; round < ROUNDS && !status; round++)
        for (int i = 0; i < pairs->count && !status && !bench_interrupted(); i++)
            status = measure_round(cli, sides, &pairs->items[i], round);
    return status;
}

/* Lists the benchmarks that both programs have and that are wanted. */
static void
find_pairs(Cli *cli, const Side *sides, const BenchThreads *threads, BenchPairs *pairs)
{
    const Prog *p = sides[0].drive.prog;
    for (int i = 0; i < p->tests.count; i++) {
        const Func *f = p->tests.items[i];
        if (!bench_is_wanted(cli, f) || find_benchmark(sides[1].drive.prog, f->title) < 0)
            continue;
        for (int k = 0; k < threads->count; k++) {
            const BenchPair pair = {.title = f->title, .threads = threads->items[k]};
            vec_push(cli->arena, pairs, pair);
        }
    }
}

static int
compare_built(Cli *cli, Side *sides, const BenchThreads *threads)
{
    BenchPairs pairs = {0};
    Text out;
    find_pairs(cli, sides, threads, &pairs);
    if (!pairs.count) {
        cli_error(cli, E0804, "the two programs have no benchmark in common");
        return EXIT_ERRORS;
    }
    bench_catch_signals();
    const int status = measure_pairs(cli, sides, &pairs);
    if (status || bench_interrupted() || !pairs.items[0].before.count)
        return status;
    text_init(&out, cli->arena);
    bench_compare_pairs(cli->arena, &pairs, &out);
    fputs(out.data, stdout);
    return 0;
}

static int
compare_programs(Cli *cli, const BenchThreads *threads)
{
    Side sides[2] = {0};
    int status = build_side(cli, &sides[0], cli->files.items[0]);
    if (!status) {
        status = build_side(cli, &sides[1], cli->files.items[1]);
        if (!status && !cli->dry_run)
            status = compare_built(cli, sides, threads);
        status = driver_end(cli, &sides[1].drive, status);
    }
    status = driver_end(cli, &sides[0].drive, status);
    if (bench_interrupted())
        bench_raise();
    return status;
}

static bool
is_program(const char *path)
{
    const size_t n = strlen(path);
    return n > 4 && !strcmp(path + n - 4, ".snl");
}

static int
compare(Cli *cli, const BenchThreads *threads)
{
    BenchResults results[2] = {0};
    Text out;
    if (cli->files.count != 2)
        return cli_usage(cli, "--compare takes two programs, or two files that --json wrote: "
                              "before and after");
    if (is_program(cli->files.items[0]) && is_program(cli->files.items[1]))
        return compare_programs(cli, threads);
    for (int i = 0; i < 2; i++) {
        int status = bench_read(cli, cli->files.items[i], &results[i]);
        if (status)
            return status;
    }
    text_init(&out, cli->arena);
    if (!bench_compare(cli->arena, &results[0], &results[1], &out)) {
        cli_error(cli, E0804, "the two files have no benchmark in common");
        return EXIT_ERRORS;
    }
    fputs(out.data, stdout);
    return 0;
}

/* Runs one benchmark with one number of threads and says how it ended. */
static int
measure(Cli *cli, const BenchJob *job, const Func *f, BenchResults *all)
{
    BenchResult r = {.title = f->title};
    int status = bench_run(cli, job, &r);
    if (status)
        return status;
    if (r.interrupted)
        return 0;
    if (r.failure)
        return fail_benchmark(cli, &r);
    if (cli->verbose)
        fputs(r.output, stdout);
    vec_push(cli->arena, all, r);
    return 0;
}

/* Runs those that are wanted. The worst status; what was measured is reported in any case. */
static int
measure_all(Cli *cli, const Prog *p, const char *executable, const BenchThreads *threads,
            BenchResults *all)
{
    int worst = 0;
    BenchJob job = {.executable = executable,
                    .program = p->name,
                    .repeats = cli->repeats ? cli->repeats : REPEATS,
                    .warmup = cli->warmup >= 0 ? cli->warmup : WARMUP,
                    .least = cli->repeats ? 0 : LEAST,
                    .timeout = cli->timeout,
                    .profile = true,
                    .number = -1};
    for (int i = 0; i < p->tests.count; i++) {
        const Func *f = p->tests.items[i];
        if (f->kind != FUNC_BENCHMARK)
            continue;
        job.number++;
        for (int k = 0; bench_is_wanted(cli, f) && k < threads->count && !bench_interrupted();
             k++) {
            job.threads = threads->items[k];
            int status = measure(cli, &job, f, all);
            worst = status > worst ? status : worst;
        }
    }
    return worst;
}

static int
report(Cli *cli, const char *file, const BenchResults *all)
{
    Text out;
    int status = 0;
    text_init(&out, cli->arena);
    bench_table(cli->arena, all, !cli->options.quiet, &out);
    fputs(out.data, stdout);
    if (cli->bench_json) {
        text_cut(&out, 0);
        bench_json(file, all, &out);
        status = output_text(cli, cli->bench_json, &out);
    }
    if (cli->plot && !status) {
        text_cut(&out, 0);
        bench_svg(cli->arena, path_base(file), all, &out);
        status = output_text(cli, cli->plot, &out);
    }
    return status;
}

static int
bench_file(Cli *cli, Drive *d, const char *file, const BenchThreads *threads)
{
    const char *executable = NULL;
    EmitOptions options = {.with_benchmarks = true};
    BenchResults all = {0};
    int count = 0, status = driver_check(cli, d, file, 0);
    for (int i = 0; !status && i < d->prog->tests.count; i++)
        count += bench_is_wanted(cli, d->prog->tests.items[i]);
    if (!status && !count) {
        cli_error(cli, E0804, "'%s' has no benchmark%s%s", file,
                  cli->filter ? " whose name contains " : "", cli->filter ? cli->filter : "");
        status = EXIT_ERRORS;
    }
    if (!status)
        status = cache_executable(cli, d, &options, &executable);
    if (status || cli->dry_run)
        return status;
    bench_catch_signals();
    status = measure_all(cli, d->prog, executable, threads, &all);
    int written = all.count ? report(cli, file, &all) : 0;
    return status ? status : written;
}

int
cmd_bench(Cli *cli)
{
    Drive d;
    BenchThreads threads = {0};
    int status = bench_read_threads(cli, &threads);
    if (status)
        return status;
    if (cli->compare)
        return compare(cli, &threads);
    if (cli->files.count != 1)
        return cli_usage(cli, cli->files.count
                                  ? "bench takes one file; arguments of the program stand after --"
                                  : "bench needs a file");
    status = bench_file(cli, &d, cli->files.items[0], &threads);
    status = driver_end(cli, &d, status);
    if (bench_interrupted())
        bench_raise();
    return status;
}
