/* snlc test: every test block in its own process, several at a time; a summary, TAP or JUnit. Those
 * of a program for a GPU, which takes half a second to find it, are run by one process, one after
 * another, each in an instance of its own: it reads their numbers and says how they ended. A test
 * that ends the process fails, and the next has a new one. */
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

#include "cli/cache.h"
#include "cli/output.h"
#include "interp/interp.h"
#include "snl_main.h"

#define FILE_HAS_ERRORS "the file has errors"

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
    int status = drive_check(cli, d, file, check_build ? CHECK_BOUNDS | CHECK_RACE : 0), wanted = 0;
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
run_child(Test *t, int input, int output)
{
    if (input >= 0)
        dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (t->executable) {
        char number[32] = "--snl-tests";
        if (!t->together)
            snprintf(number, sizeof number, "--snl-test=%d", t->number);
        execl(t->executable, t->drive->prog->name, number, (char *)NULL);
        fprintf(stderr, "cannot run '%s': %s\n", t->executable, strerror(errno));
        _exit(EXIT_IO);
    }
    const char *message = NULL;
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
    if (pipe2(out, O_CLOEXEC) || (t->together && pipe2(in, O_CLOEXEC))) {
        cli_error(cli, E0803, "cannot start a test: %s", strerror(errno));
        return EXIT_IO;
    }
    fflush(NULL);
    t->pid = fork();
    if (t->pid == 0)
        run_child(t, in[0], out[1]);
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
    if (t->together) { /* should it have ended meanwhile, that is read */
        void (*const before_that)(int) = signal(SIGPIPE, SIG_IGN);
        dprintf(t->input, "%d\n", t->number);
        signal(SIGPIPE, before_that);
    }
    return 0;
}

/* Ends the process of a test; gives its status. */
static int
end_process(Test *t)
{
    int status;
    if (t->input >= 0)
        close(t->input);
    close(t->output);
    t->output = t->input = -1;
    while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    t->pid = 0;
    return status;
}

/* Has a test of several said that it has ended? That is the last line. */
static bool
says_end(Test *t)
{
    enum { LINE_MOST = 32 };
    const size_t length = strlen(SNL_TEST_ENDED), count = (size_t)t->text.count,
                 from = count > LINE_MOST ? count - LINE_MOST : 0;
    char *const end = memmem(t->text.data + from, count - from, SNL_TEST_ENDED, length);
    if (!end || t->text.data[count - 1] != '\n')
        return false;
    t->passed = atoi(end + length) == 0;
    *end = '\0';
    return true;
}

/* Takes what a test has written; at the end, its status. */
static void
read_test(Cli *cli, Test *t)
{
    enum { TEXT_MOST = 1 << 20 }; /* of more what comes last is kept */
    char buffer[4096];
    ssize_t n = read(t->output, buffer, sizeof buffer);
    if (n > 0 && t->text.count >= TEXT_MOST)
        t->text.count = TEXT_MOST / 2;
    if (n > 0)
        text_raw(&t->text, buffer, (size_t)n);
    if (n < 0 && errno == EINTR)
        return;
    if (n > 0 && !(t->together && says_end(t)))
        return;
    t->seconds = seconds_now() - t->started;
    t->done = true;
    if (n > 0)
        return;
    const int status = end_process(t);
    t->passed = !t->together && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (t->together && WIFEXITED(status))
        text_add(&t->text, "ended the program with status %d\n", WEXITSTATUS(status));
    if (WIFSIGNALED(status))
        text_add(&t->text, "%s\n",
                 WTERMSIG(status) == SIGKILL && t->seconds >= cli->timeout
                     ? arena_printf(cli->arena, "ended after %d seconds", cli->timeout)
                     : arena_printf(cli->arena, "killed by signal %d (%s)%s", WTERMSIG(status),
                                    strsignal(WTERMSIG(status)),
                                    WTERMSIG(status) == SIGSEGV
                                        ? "; --check finds indices out of range"
                                        : ""));
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

/* Runs all tests, up to `jobs` at a time; reports in order. */
static int
run_tests(Tests *all, int jobs)
{
    Cli *cli = all->cli;
    int next = 0, running = 0, reported = 0, count = all->tests.count;
    struct pollfd *polls = ARENA_ARRAY(cli->arena, struct pollfd, jobs);
    Test **active = ARENA_ARRAY(cli->arena, Test *, jobs);
    while (reported < count) {
        while (running < jobs && next < count &&
               may_start(all->tests.items[next], active, running)) {
            if (start_test(cli, all->tests.items[next], NULL))
                return EXIT_IO;
            active[running++] = all->tests.items[next++];
        }
        for (int i = 0; i < running; i++)
            polls[i] = (struct pollfd){.fd = active[i]->output, .events = POLLIN};
        poll(polls, (nfds_t)running, 1000);
        for (int i = running - 1; i >= 0; i--) {
            Test *const t = active[i], *const after = next < count ? all->tests.items[next] : NULL;
            if (polls[i].revents)
                read_test(cli, t);
            else if (seconds_now() - t->started > cli->timeout)
                kill(t->pid, SIGKILL);
            if (!t->done)
                continue;
            if (after && goes_on(t, after)) {
                if (start_test(cli, after, t))
                    return EXIT_IO;
                active[i] = after;
                next++;
            } else {
                if (t->pid)
                    end_process(t);
                active[i] = active[--running];
            }
        }
        while (reported < next && all->tests.items[reported]->done)
            report(all, reported++);
    }
    return 0;
}

static int
write_junit(const Tests *all, int failed)
{
    Text t;
    text_init(&t, all->cli->arena);
    text_add(&t,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"snlc test\" "
             "tests=\"%d\" failures=\"%d\" errors=\"%d\">\n",
             all->tests.count + all->failed_files.count, failed, all->failed_files.count);
    for (int i = 0; i < all->tests.count; i++) {
        const Test *x = all->tests.items[i];
        text_add(&t, "  <testcase classname=\"");
        text_xml(&t, x->file);
        text_add(&t, "\" name=\"");
        text_xml(&t, x->name);
        text_add(&t, "\" time=\"%.3f\"", x->seconds);
        if (!x->passed) {
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

static int
count_failed(const Tests *all)
{
    int failed = 0;
    for (int i = 0; i < all->tests.count; i++)
        failed += !all->tests.items[i]->passed;
    return failed;
}

/* What stands below the results of the tests. */
static void
report_end(const Tests *all, int failed)
{
    const int tests = all->tests.count, files = all->failed_files.count;
    for (int i = 0; i < files && all->cli->tap; i++)
        print_tap(tests + i + 1, false, all->failed_files.items[i], FILE_HAS_ERRORS);
    if (!all->cli->tap && !all->cli->dry_run)
        printf("%d passed, %d failed\n", tests - failed, failed + files);
}

int
cmd_test(Cli *cli)
{
    int status = 0;
    if (!cli->files.count)
        return cli_usage(cli, "test needs a file");
    if (cli->interpret && cache_keeps(cli))
        return cli_usage(cli, "--interpret makes no files");
    if ((cache_keeps(cli) || cli->time_trace) && (status = drive_check_several(cli)))
        return status;
    Tests all = {.cli = cli};
    const int worst = add_files(&all);
    if (worst == EXIT_USAGE) /* an output that is read, for one */
        return worst;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (cli->tap)
        printf("1..%d\n", all.tests.count + all.failed_files.count);
    status = run_tests(&all, cli->jobs ? cli->jobs : cores > 0 ? (int)cores : 1);
    const int failed = count_failed(&all);
    report_end(&all, failed);
    if (!status && cli->junit)
        status = write_junit(&all, failed);
    for (int i = 0; i < all.drives.count; i++)
        drive_end(cli, all.drives.items[i], 0);
    if (status)
        return status;
    return worst ? worst : failed ? EXIT_ERRORS : EXIT_OK;
}
