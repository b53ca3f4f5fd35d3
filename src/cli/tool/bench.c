/* Running benchmarks, and the statistics of their times. */
#include "config.h"

#include "cli/tool/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program/snl_main.h"

enum { OUTPUT_MAX = 1 << 20 };

/* ---- signals ---- */

/* The only mutable globals: a handler has nothing else. */
static volatile sig_atomic_t caught_signal, running_child;

static void
on_signal(int number)
{
    caught_signal = number;
    if (running_child > 0)
        kill((pid_t)running_child, SIGKILL);
}

bool
bench_interrupted(void)
{
    return caught_signal != 0;
}

void
bench_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void
bench_raise(void)
{
    fflush(NULL);
    signal(caught_signal, SIG_DFL);
    raise(caught_signal);
}

/* ---- what is asked for ---- */

int
bench_read_threads(Cli *cli, BenchThreads *out)
{
    const char *p = cli->threads ? cli->threads : "0";
    for (;;) {
        char *end;
        long n = strtol(p, &end, 10);
        if (end == p || (*end && *end != ',') || n < (cli->threads ? 1 : 0) || n > SNL_THREADS_MOST)
            return cli_usage(cli, "--threads needs numbers from 1 to %d between commas, not '%s'",
                             SNL_THREADS_MOST, cli->threads);
        vec_push(cli->arena, out, (int)n);
        if (!*end)
            return 0;
        p = end + 1;
    }
}

bool
bench_is_wanted(const Cli *cli, const Func *f)
{
    return f->kind == FUNC_BENCHMARK && (!cli->filter || strstr(f->title, cli->filter));
}

/* ---- the process ---- */

double
bench_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The child: never returns. */
static _Noreturn void
run_child(Cli *cli, const BenchJob *job, int output, int samples)
{
    Strings words = {0};
    vec_push(cli->arena, &words, job->program);
    vec_push(cli->arena, &words,
             (const char *)arena_printf(cli->arena, "--snl-test=%d", job->number));
    vec_push(cli->arena, &words,
             (const char *)arena_printf(cli->arena, "--snl-measure=%d,%d,%.9g,%.9g,%d,/dev/fd/%d",
                                        job->warmup, job->repeats, job->limit, job->least,
                                        job->profile, samples));
    if (job->threads)
        vec_push(cli->arena, &words,
                 (const char *)arena_printf(cli->arena, "--threads=%d", job->threads));
    for (int i = 0; i < cli->run_args.count; i++)
        vec_push(cli->arena, &words, cli->run_args.items[i]);
    char **argv = ARENA_ARRAY(cli->arena, char *, words.count + 1);
    for (int i = 0; i < words.count; i++)
        argv[i] = arena_strndup(cli->arena, words.items[i], strlen(words.items[i]));
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    fcntl(samples, F_SETFD, 0);
    execv(job->executable, argv);
    fprintf(stderr, "cannot run '%s': %s\n", job->executable, strerror(errno));
    _exit(EXIT_IO);
}

/* Takes what there is at a pipe; closes it at its end. */
static void
read_pipe(int *end, Text *t)
{
    char buffer[4096];
    ssize_t n = read(*end, buffer, sizeof buffer);
    if (n > 0 && t->count < OUTPUT_MAX * 16)
        text_raw(t, buffer, (size_t)n);
    if (n > 0 || (n < 0 && errno == EINTR))
        return;
    close(*end);
    *end = -1;
}

/* Reads both pipes until they end, or the child has had its time; then a little longer, for what is
 * still in them, but not until they end: the child may have children of its own. */
static bool
read_all(pid_t child, int ends[2], Text *texts, double until)
{
    bool late = false;
    while ((ends[0] >= 0 || ends[1] >= 0) && !(late && bench_clock() > until + 1)) {
        struct pollfd polls[2] = {{.fd = ends[0], .events = POLLIN},
                                  {.fd = ends[1], .events = POLLIN}};
        poll(polls, 2, 100);
        for (int i = 0; i < 2; i++)
            if (polls[i].revents)
                read_pipe(&ends[i], &texts[i]);
        if (!late && bench_clock() > until) {
            late = true;
            kill(child, SIGKILL);
            until = bench_clock();
        }
    }
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    return late;
}

/* One line of what the program measured; see runtime/program/bench_timer.h. */
static void
take_line(Arena *a, const char *line, size_t bytes, BenchResult *out)
{
    const char *text = arena_strndup(a, line, bytes);
    BenchKernel kernel = {0};
    double value;
    int at = 0;
    if (sscanf(text, "sample %lf", &value) == 1)
        vec_push(a, &out->samples, value);
    else if (sscanf(text, "items %lf", &value) == 1)
        out->items = value;
    else if (sscanf(text, "kernel %lld %lf %n", &kernel.calls, &kernel.seconds, &at) == 2 && at) {
        kernel.name = text + at;
        vec_push(a, &out->kernels, kernel);
    } else
        sscanf(text, "bytes %llu", &out->bytes);
}

static void
take_lines(Arena *a, const Text *t, BenchResult *out)
{
    const char *p = t->data ? t->data : "";
    while (*p) {
        size_t n = strcspn(p, "\n");
        take_line(a, p, n, out);
        p += n + (p[n] == '\n');
    }
}

static const char *
failure_text(Arena *a, int status, bool late, double timeout)
{
    if (late)
        return arena_printf(a, "ended after %.0f seconds", timeout);
    if (WIFSIGNALED(status))
        return arena_printf(a, "killed by signal %d (%s)", WTERMSIG(status),
                            strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status) ? arena_printf(a, "ended with status %d", WEXITSTATUS(status))
                               : NULL;
}

static int
cannot_start(Cli *cli)
{
    cli_error(cli, E0803, "cannot start a benchmark: %s", strerror(errno));
    return EXIT_IO;
}

int
bench_run(Cli *cli, const BenchJob *job, BenchResult *out)
{
    int output[2], samples[2], status = 0;
    if (pipe2(output, O_CLOEXEC))
        return cannot_start(cli);
    if (pipe2(samples, O_CLOEXEC)) {
        close(output[0]);
        close(output[1]);
        return cannot_start(cli);
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        run_child(cli, job, output[1], samples[1]);
    close(output[1]);
    close(samples[1]);
    running_child = (sig_atomic_t)child;
    Text texts[2];
    text_init(&texts[0], cli->arena);
    text_init(&texts[1], cli->arena);
    int ends[2] = {output[0], samples[0]};
    if (caught_signal && child > 0)
        kill(child, SIGKILL);
    bool late = read_all(child, ends, texts, child > 0 ? bench_clock() + job->timeout : INFINITY);
    if (child < 0)
        return cannot_start(cli);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    running_child = 0;
    out->threads = job->threads;
    out->output = texts[0].data ? texts[0].data : "";
    out->failure = failure_text(cli->arena, status, late, job->timeout);
    out->interrupted = bench_interrupted();
    take_lines(cli->arena, &texts[1], out);
    if (!out->failure && !out->samples.count)
        out->failure = "it ended before its loop did";
    return 0;
}

/* ---- statistics ---- */

static int
by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The value at a share of a sorted list, between two where it falls between them. */
static double
quantile(const double *sorted, int count, double share)
{
    double at = share * (count - 1);
    int below = (int)at;
    double rest = at - below;
    return below + 1 < count ? sorted[below] * (1 - rest) + sorted[below + 1] * rest
                             : sorted[below];
}

BenchSummary
bench_summary(Arena *a, const Samples *samples)
{
    int n = samples->count;
    double *sorted = ARENA_ARRAY(a, double, n), sum = 0;
    for (int i = 0; i < n; i++)
        sum += sorted[i] = samples->items[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    BenchSummary s = {.least = sorted[0], .most = sorted[n - 1], .mean = sum / n};
    s.lower = quantile(sorted, n, 0.25);
    s.median = quantile(sorted, n, 0.5);
    s.upper = quantile(sorted, n, 0.75);
    s.spread = s.median > 0 ? (s.upper - s.lower) / 2 / s.median : 0;
    return s;
}

/* Two lists of n and m samples, all different, of which each order is as likely: how likely is it
 * that at most `wins` of the n m pairs, or all but so many, have the less in the first? The orders
 * with so many wins are counted by the coefficients of (1 - q^(n+1)) ... (1 - q^(n+m)) divided by
 * (1 - q) ... (1 - q^m), which are whole numbers all the way. */
static double
exact_chance(Arena *a, int n, int m, int wins)
{
    const int most = n * m;
    double *orders = ARENA_ARRAY(a, double, most + 1), all = 0, part = 0;
    orders[0] = 1;
    for (int i = 1; i <= m; i++) {
        for (int k = most; k >= n + i; k--)
            orders[k] -= orders[k - n - i];
        for (int k = i; k <= most; k++)
            orders[k] += orders[k - i];
    }
    for (int k = 0; k <= most; k++) {
        all += orders[k];
        part += k <= wins ? orders[k] : 0;
    }
    return fmin(1, 2 * part / all);
}

double
bench_chance(Arena *a, const Samples *x, const Samples *y)
{
    enum { EXACT_MOST = 20 * 20 }; /* beyond that the normal distribution is near enough */
    double n = x->count, m = y->count, wins = 0;
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < y->count; k++)
            wins += x->items[i] < y->items[k] ? 1 : x->items[i] > y->items[k] ? 0 : 0.5;
    if (n * m <= EXACT_MOST)
        return exact_chance(a, x->count, y->count, (int)ceil(fmin(wins, n * m - wins)));
    double deviation = sqrt(n * m * (n + m + 1) / 12), distance = fabs(wins - n * m / 2) - 0.5;
    return distance <= 0 ? 1 : erfc(distance / deviation / sqrt(2));
}

bool
bench_can_tell(int n, int m)
{
    double orders = 1;
    for (int i = 1; i <= m && orders < 2 / BENCH_CHANCE; i++)
        orders *= (double)(n + i) / i;
    return 2 / orders <= BENCH_CHANCE;
}

/* ---- numbers for people ---- */

const char *
bench_time_text(Arena *a, double seconds)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    int k = 0;
    while (k < 3 && seconds < units[k].unit)
        k++;
    double v = seconds / units[k].unit;
    return arena_printf(a, "%.*f %s", v < 10 ? 3 : v < 100 ? 2 : 1, v, units[k].name);
}

const char *
bench_count_text(Arena *a, double count)
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T", " P"};
    int k = 0;
    while (k < 5 && count >= 1000) {
        count /= 1000;
        k++;
    }
    return arena_printf(a, "%.*f%s",
                        k == 0 && count == floor(count) ? 0
                        : count < 10                    ? 2
                        : count < 100                   ? 1
                                                        : 0,
                        count, prefixes[k]);
}
