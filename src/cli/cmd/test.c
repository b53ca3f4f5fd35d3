/* snlc test: every test block in its own process, several at a time; a summary, TAP or JUnit. Those
 * of a program for a GPU, which takes half a second to find it, are run by one process, one after
 * another, each in an instance of its own. An executable reads the numbers of its tests and says
 * how each ended, so that a test that ends the process fails; where others follow, they have a new
 * one.
 * Signals that end snlc wait until the tests that run are ended and the reports are written. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/tool/cache.h"
#include "cli/tool/output.h"
#include "cli/tool/signals.h"
#include "interp/interp.h"
#include "program/snl_main.h"

#define FILE_HAS_ERRORS "the file has errors"
#define INTERRUPTED     "interrupted"

enum { PIECE_BYTES = 4096 }; /* of what a test writes, at a time */

typedef struct {
    const char *file, *name;
    Func *func;
    Drive *drive;           /* of the build it belongs to */
    const char *executable; /* NULL: interpreted */
    int number;             /* among the tests of that executable */
    bool together;          /* one process runs all tests of the executable */
    pid_t pid;              /* 0: the process has ended */
    int input;              /* pipe to its standard input, -1: none */
    int output;             /* pipe of its standard output and error, -1 when closed */
    Text text;
    double started, seconds;
    bool done, passed;
} Test;

typedef struct {
    Cli *cli;
    VEC(Test *) tests;
    VEC(Drive *) drives;
    Strings failed_files; /* with errors */
} Tests;

static double
seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Does the build with --check, or the plain one, run this block? */
static bool
is_wanted(const Cli *cli, const Func *f, bool check_build)
{
    return f->check_build == check_build && (f->kind == FUNC_TEST || cli->benchmarks);
}

/* Checks one file, once plain and once with --check where it has @check tests, and adds its
 * tests. */
static int
add_build(Tests *all, const char *file, bool check_build)
{
    Cli *cli = all->cli;
    Drive *d = ARENA_NEW(cli->arena, Drive);
    int status = driver_check(cli, d, file, check_build ? CHECK_BOUNDS | CHECK_RACE : 0),
        wanted = 0;
    vec_push(cli->arena, &all->drives, d);
    if (status)
        return status;
    for (int i = 0; i < d->prog->tests.count; i++)
        wanted += is_wanted(cli, d->prog->tests.items[i], check_build);
    const char *path = NULL;
    EmitOptions options = {.with_tests = true,
                           .check_tests_only = check_build,
                           .with_benchmarks = cli->benchmarks && !check_build};
    if ((wanted || (!check_build && cache_keeps(cli))) && !cli->interpret)
        status = cache_executable(cli, d, &options, &path);
    if (status || cli->dry_run)
        return status;
    for (int i = 0, n = 0; i < d->prog->tests.count; i++) {
        Func *f = d->prog->tests.items[i];
        if (!is_wanted(cli, f, check_build))
            continue;
        Test *t = ARENA_NEW(cli->arena, Test);
        *t = (Test){.file = file,
                    .name = f->title,
                    .func = f,
                    .drive = d,
                    .executable = path,
                    .number = n++,
                    .together = path && cli->target != TARGET_C,
                    .input = -1,
                    .output = -1};
        text_init(&t->text, cli->arena);
        if (!cli->filter || strstr(f->title, cli->filter))
            vec_push(cli->arena, &all->tests, t);
    }
    return 0;
}

static bool
has_check_tests(const Prog *p)
{
    for (int i = 0; i < p->tests.count; i++)
        if (p->tests.items[i]->check_build)
            return true;
    return false;
}

/* The child: runs the test, or those that it is told to, and never returns. */
static void
run_child(Cli *cli, Test *t, int input, int output)
{
    signals_release(cli);
    if (input >= 0)
        dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (t->executable) {
        execl(t->executable, t->drive->prog->name, "--snl-tests", (char *)NULL);
        fprintf(stderr, "cannot run '%s': %s\n", t->executable, strerror(errno));
        _exit(EXIT_IO);
    }
    const char *message = NULL;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* what it prints before it crashes or hangs is shown */
    bool passed = interp_test(&t->drive->c, t->drive->prog, t->func, &message);
    fflush(stdout); /* what it printed comes first */
    if (!passed)
        fprintf(stderr, "%s\n", message ? message : "failed");
    fflush(NULL);
    _exit(passed ? 0 : 1);
}

/* Starts the process of a test. */
static int
start_process(Cli *cli, Test *t)
{
    int in[2] = {-1, -1}, out[2];
    if (pipe2(out, O_CLOEXEC) || (t->executable && pipe2(in, O_CLOEXEC))) {
        cli_error(cli, E0803, "cannot start a test: %s", strerror(errno));
        return EXIT_IO;
    }
    fflush(NULL);
    t->pid = fork();
    if (t->pid == 0)
        run_child(cli, t, in[0], out[1]);
    close(out[1]);
    if (in[0] >= 0)
        close(in[0]);
    t->input = in[1];
    t->output = out[0];
    if (t->pid < 0) {
        cli_error(cli, E0803, "cannot start a test: %s", strerror(errno));
        return EXIT_IO;
    }
    return 0;
}

/* Starts a test, by the process that ran the one before it (or NULL) where that goes on. */
static int
start_test(Cli *cli, Test *t, const Test *before)
{
    t->started = seconds_now();
    if (before && before->pid) {
        t->pid = before->pid;
        t->input = before->input;
        t->output = before->output;
    } else if (start_process(cli, t)) {
        return EXIT_IO;
    }
    if (t->executable) { /* should it have ended meanwhile, that is seen; SIGPIPE, held, goes */
        dprintf(t->input, "%d\n", t->number);
        signal(SIGPIPE, signal(SIGPIPE, SIG_IGN));
    }
    if (t->executable && !t->together) { /* it is the only one */
        close(t->input);
        t->input = -1;
    }
    return 0;
}

static void
close_pipes(Test *t)
{
    if (t->input >= 0)
        close(t->input);
    if (t->output >= 0)
        close(t->output);
    t->output = t->input = -1;
}

/* Waits for the end of a process that gets no more tests. */
static void
end_process(Test *t)
{
    close_pipes(t);
    while (waitpid(t->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    t->pid = 0;
}

/* Takes what an executable says when a test has ended out of the text, of which only what begins at
 * `from` is looked at; false where it has not said that. */
static bool
take_end(Test *t, size_t from, int *status)
{
    if (!t->text.data)
        return false;
    const size_t length = strlen(SNL_TEST_ENDED);
    char *const all = t->text.data + t->text.count, *last = NULL;
    for (char *p = t->text.data + from; (p = memmem(p, (size_t)(all - p), SNL_TEST_ENDED, length));
         p += length)
        last = p;
    char *const line = last ? memchr(last, '\n', (size_t)(all - last)) : NULL;
    if (!line)
        return false;
    *status = atoi(last + length);
    memmove(last, line + 1, (size_t)(all - line - 1));
    text_cut(&t->text, t->text.count - (size_t)(line + 1 - last));
    return true;
}

/* Takes a piece of what a test has written; closes the pipe at its end. */
static void
read_output(Test *t)
{
    enum { TEXT_MOST = 1 << 20 }; /* of more what comes last is kept */
    char buffer[PIECE_BYTES];
    ssize_t n = read(t->output, buffer, sizeof buffer);
    if (n > 0 && t->text.count >= TEXT_MOST)
        t->text.count = TEXT_MOST / 2;
    if (n > 0)
        text_raw(&t->text, buffer, (size_t)n);
    if (n > 0 || (n < 0 && errno == EINTR))
        return;
    close(t->output);
    t->output = -1;
}

/* The process has ended: takes what is still in its pipe. That may have no end, when the test has
 * left a process of its own behind. */
static void
read_rest(Test *t)
{
    enum { PIPE_BYTES = 1 << 16 };
    const size_t most = t->text.count + PIPE_BYTES;
    struct pollfd rest = {.fd = t->output, .events = POLLIN};
    while (t->output >= 0 && t->text.count < most && poll(&rest, 1, 0) > 0)
        read_output(t);
}

/* Judges a test by the status of its process. */
static void
take_status(Cli *cli, Test *t, int status)
{
    int said = 0;
    const bool is_said = t->executable && take_end(t, 0, &said),
               exited = WIFEXITED(status) && (is_said || !t->executable);
    t->passed = exited && WEXITSTATUS(status) == 0 && said == 0;
    if (WIFEXITED(status) && !exited)
        text_add(&t->text, "ended the program with status %d\n", WEXITSTATUS(status));
    if (WIFSIGNALED(status))
        text_add(&t->text, "%s\n",
                 WTERMSIG(status) == SIGKILL && t->seconds >= cli->timeout
                     ? arena_printf(cli->arena, "ended after %d seconds", cli->timeout)
                     : arena_printf(cli->arena, "killed by signal %d (%s)", WTERMSIG(status),
                                    strsignal(WTERMSIG(status))));
}

/* Looks how far a test has come. Its process has ended when waitpid(2) says so: a process that the
 * test has left behind may keep the pipe open. */
static void
follow_test(Cli *cli, Test *t, bool is_readable)
{
    enum { NEW_MOST = PIECE_BYTES + 32 };
    int status;
    if (is_readable)
        read_output(t);
    t->seconds = seconds_now() - t->started;
    const size_t count = t->text.count;
    if (t->together && take_end(t, count > NEW_MOST ? count - NEW_MOST : 0, &status)) {
        t->passed = status == 0;
        t->done = true;
    } else if (waitpid(t->pid, &status, WNOHANG) == t->pid) {
        read_rest(t);
        close_pipes(t);
        t->pid = 0;
        take_status(cli, t, status);
        t->done = true;
    } else if (t->seconds > cli->timeout) {
        kill(t->pid, SIGKILL);
    }
}

static void
print_text(const Test *t, const char *indent)
{
    const char *p = t->text.data ? t->text.data : "";
    while (*p) {
        size_t n = strcspn(p, "\n");
        printf("%s%.*s\n", indent, (int)n, p);
        p += n + (p[n] == '\n');
    }
}

/* A line of the Test Anything Protocol, in which # begins a directive. */
static void
print_tap(int number, bool passed, const char *file, const char *name)
{
    const char *const words[] = {file, ": ", name};
    printf("%s %d - ", passed ? "ok" : "not ok", number);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *p = words[i]; *p; p++)
            if (*p == '#' || *p == '\\')
                printf("\\%c", *p);
            else
                putchar(*p == '\n' ? ' ' : *p);
    putchar('\n');
}

static void
report(const Tests *all, int number)
{
    const Test *t = all->tests.items[number];
    if (all->cli->tap) {
        print_tap(number + 1, t->passed, t->file, t->name);
        if (!t->passed)
            print_text(t, "# ");
        return;
    }
    if (t->passed && !all->cli->verbose)
        return;
    if (t->passed && all->cli->options.quiet)
        return;
    printf("%s  %s: %s (%.2f s)\n", t->passed ? "ok  " : "FAIL", t->file, t->name, t->seconds);
    if (!t->passed)
        print_text(t, "      ");
}

/* Is the next test one of those that a process runs one after another? */
static bool
goes_on(const Test *before, const Test *next)
{
    return before->together && next->executable == before->executable;
}

/* May a test start while others run? */
static bool
may_start(const Test *t, Test *const *active, int running)
{
    for (int i = 0; i < running; i++)
        if (goes_on(active[i], t))
            return false;
    return true;
}

/* The tests that run; those before `next` have been started. */
typedef struct {
    Test **active;
    struct pollfd *polls;
    int jobs, running, next;
} Runner;

/* Waits until there is something to look at. The end of a process whose pipe is closed, or stays
 * open, is seen a moment later. */
static void
wait_for_tests(Runner *r)
{
    int moment = 50; /* milliseconds */
    for (int i = 0; i < r->running; i++) {
        r->polls[i] = (struct pollfd){.fd = r->active[i]->output, .events = POLLIN};
        if (r->active[i]->output < 0)
            moment = 1;
    }
    if (poll(r->polls, (nfds_t)r->running, moment) <= 0)
        for (int i = 0; i < r->running; i++)
            r->polls[i].revents = 0;
}

/* Starts as many as may run. */
static int
start_tests(Tests *all, Runner *r)
{
    while (r->running < r->jobs && r->next < all->tests.count &&
           may_start(all->tests.items[r->next], r->active, r->running)) {
        if (start_test(all->cli, all->tests.items[r->next], NULL))
            return EXIT_IO;
        r->active[r->running++] = all->tests.items[r->next++];
    }
    return 0;
}

/* Looks at those that run; has the process of one that has ended go on with the next, if it can. */
static int
follow_tests(Tests *all, Runner *r)
{
    for (int i = r->running - 1; i >= 0; i--) {
        Test *const t = r->active[i],
                    *const after = r->next < all->tests.count ? all->tests.items[r->next] : NULL;
        follow_test(all->cli, t, r->polls[i].revents != 0);
        if (!t->done)
            continue;
        if (after && goes_on(t, after)) {
            if (start_test(all->cli, after, t))
                return EXIT_IO;
            r->active[i] = after;
            r->next++;
        } else {
            if (t->pid)
                end_process(t);
            r->active[i] = r->active[--r->running];
        }
    }
    return 0;
}

/* Runs all tests, up to `jobs` at a time, until a signal comes; reports in order. */
static int
run_tests(Tests *all, int jobs)
{
    Cli *cli = all->cli;
    int status = 0, reported = 0;
    const int count = all->tests.count;
    Runner r = {.active = ARENA_ARRAY(cli->arena, Test *, jobs),
                .polls = ARENA_ARRAY(cli->arena, struct pollfd, jobs),
                .jobs = jobs};
    while (reported < count && !status && !signals_caught()) {
        if (!(status = start_tests(all, &r))) {
            wait_for_tests(&r);
            if (!signals_caught()) /* which ends them, too, when it is for the group */
                status = follow_tests(all, &r);
        }
        for (; reported < r.next && all->tests.items[reported]->done; reported++)
            report(all, reported);
    }
    for (int i = 0; i < r.running; i++) {
        kill(r.active[i]->pid, SIGKILL);
        end_process(r.active[i]);
    }
    for (; reported < r.next; reported++)
        if (all->tests.items[reported]->done)
            report(all, reported);
    return status;
}

static int
write_junit(const Tests *all, int failed, int left)
{
    Text t;
    text_init(&t, all->cli->arena);
    text_add(&t,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"snlc test\" "
             "tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n",
             all->tests.count + all->failed_files.count, failed, all->failed_files.count, left);
    for (int i = 0; i < all->tests.count; i++) {
        const Test *x = all->tests.items[i];
        text_add(&t, "  <testcase classname=\"");
        text_xml(&t, x->file);
        text_add(&t, "\" name=\"");
        text_xml(&t, x->name);
        text_add(&t, "\" time=\"%.3f\"", x->seconds);
        if (!x->done)
            text_add(&t, "><skipped message=\"" INTERRUPTED "\"/></testcase>\n");
        else if (!x->passed) {
            text_add(&t, "><failure>");
            text_xml(&t, x->text.data ? x->text.data : "");
            text_add(&t, "</failure></testcase>\n");
        } else
            text_add(&t, "/>\n");
    }
    for (int i = 0; i < all->failed_files.count; i++) {
        text_add(&t, "  <testcase classname=\"");
        text_xml(&t, all->failed_files.items[i]);
        text_add(&t, "\" name=\"build\"><error>" FILE_HAS_ERRORS "</error></testcase>\n");
    }
    text_add(&t, "</testsuite>\n");
    return output_text(all->cli, all->cli->junit, &t);
}

/* Checks and builds the files, and adds their tests; gives the worst status. */
static int
add_files(Tests *all)
{
    Cli *cli = all->cli;
    int worst = 0;
    for (int i = 0; i < cli->files.count; i++) {
        int status = add_build(all, cli->files.items[i], false);
        if (!status && has_check_tests(vec_last(&all->drives)->prog))
            status = add_build(all, cli->files.items[i], true);
        worst = status > worst ? status : worst;
        if (status)
            vec_push(cli->arena, &all->failed_files, cli->files.items[i]);
    }
    if (!cli->filter || all->tests.count || worst || cli->dry_run)
        return worst;
    cli_error(cli, E0804, "no test has a name that contains '%s'", cli->filter);
    return EXIT_ERRORS;
}

/* How many have failed, and how many a signal left without an end. */
static void
count_results(const Tests *all, int *failed, int *left)
{
    *failed = *left = 0;
    for (int i = 0; i < all->tests.count; i++) {
        const Test *t = all->tests.items[i];
        *failed += t->done && !t->passed;
        *left += !t->done;
    }
}

/* What stands below the results of the tests. */
static void
report_end(const Tests *all, int failed, int left)
{
    const int tests = all->tests.count, files = all->failed_files.count;
    for (int i = 0; i < files && all->cli->tap; i++)
        print_tap(tests + i + 1, false, all->failed_files.items[i], FILE_HAS_ERRORS);
    if (all->cli->tap && left)
        puts("Bail out! " INTERRUPTED);
    if (all->cli->tap || all->cli->dry_run)
        return;
    printf("%d passed, %d failed", tests - left - failed, failed + files);
    if (left)
        printf(", %d without a result: " INTERRUPTED, left);
    putchar('\n');
}

/* Runs the tests, writes what is said of them, and counts those that failed. */
static int
run_and_report(Tests *all, int *failed)
{
    Cli *cli = all->cli;
    int left;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int status = run_tests(all, cli->jobs ? cli->jobs : cores > 0 ? (int)cores : 1);
    count_results(all, failed, &left);
    report_end(all, *failed, left);
    return !status && cli->junit ? write_junit(all, *failed, left) : status;
}

int
cmd_test(Cli *cli)
{
    int status = 0;
    if (!cli->files.count)
        return cli_usage(cli, "test needs a file");
    if (cli->interpret && cache_keeps(cli))
        return cli_usage(cli, "--interpret makes no files");
    if ((cache_keeps(cli) || cli->time_trace) && (status = driver_check_several(cli)))
        return status;
    Tests all = {.cli = cli};
    const int worst = add_files(&all);
    if (worst == EXIT_USAGE) /* an output that is read, for one */
        return worst;
    if (cli->tap)
        printf("1..%d\n", all.tests.count + all.failed_files.count);
    signals_hold(cli);
    int failed = 0;
    status = run_and_report(&all, &failed);
    for (int i = 0; i < all.drives.count; i++)
        driver_end(cli, all.drives.items[i], 0);
    fflush(stdout);
    signals_release(cli); /* where a signal has come, this is the end */
    if (status)
        return status;
    return worst ? worst : failed ? EXIT_ERRORS : EXIT_OK;
}
