/* snlc bench: every benchmark block in its own process, one after another; or two files of results
 * beside each other. */
#include "config.h"

#include "cli/tool/bench.h"
#include "cli/tool/cache.h"
#include "cli/tool/output.h"

enum { REPEATS = 20, WARMUP = 2 };

static int
compare(Cli *cli)
{
    BenchResults results[2] = {0};
    Text out;
    if (cli->files.count != 2)
        return cli_usage(cli, "--compare takes two files that --json wrote: before and after");
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
    if (r.failure) {
        if (cli->diagnostics == DIAGS_TEXT)
            fprintf(stderr, "snlc: benchmark \"%s\" failed: %s\n%s", f->title, r.failure, r.output);
        else
            cli_error(cli, E0803, "benchmark \"%s\" failed: %s: %s", f->title, r.failure, r.output);
        return EXIT_ERRORS;
    }
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
    int count = 0, status = drive_check(cli, d, file, 0);
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
        return compare(cli);
    if (cli->files.count != 1)
        return cli_usage(cli, cli->files.count
                                  ? "bench takes one file; arguments of the program stand after --"
                                  : "bench needs a file");
    status = bench_file(cli, &d, cli->files.items[0], &threads);
    status = drive_end(cli, &d, status);
    if (bench_interrupted())
        bench_raise();
    return status;
}
