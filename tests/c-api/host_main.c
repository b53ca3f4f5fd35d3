/* What a host of host.snl does with threads, a locale and signals of its own: `host_main team`,
 * `limit`, `print`, `locale`, `fork`, `crash`. Prints what is wrong and gives 1 then. */
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

enum { ELEMENTS = 1000000, THREADS = 4 };

static int
fails(const char *what, const host *w)
{
    fprintf(stderr, "%s: %s\n", what, host_message(w));
    return 1;
}

static host *
make(snl_options o)
{
    host *w = NULL;
    if (host_create_with(NULL, &o, &w) != SNL_OK)
        exit(fails("create", w));
    return w;
}

/* Memory that one layout gave up is found for another, within the limit. */
static int
take_turns(int threads)
{
    snl_options o = {.threads = threads, .memory_limit = 10 << 20};
    host *w = make(o);
    int failed = host_turns(w, 1000) != SNL_OK && fails("turns", w);
    host_destroy(w);
    return failed;
}

/* Instances in a parallel region of the host. */
static int
test_team(void)
{
    int failed = take_turns(1) + take_turns(2);
#pragma omp parallel for num_threads(2) reduction(+ : failed)
    for (int k = 0; k < 2; k++)
        failed += take_turns(1 + k);
    return failed;
}

static int
count_up(host *w)
{
    int64_t sum = 0;
    if (host_count(w) != SNL_OK || host_sum(w, &sum) != SNL_OK ||
        sum != (int64_t)ELEMENTS * (ELEMENTS - 1) / 2)
        return fails("sum", w);
    return 0;
}

/* Kernels where the system makes no thread more. */
static int
test_limit(void)
{
    struct rlimit one = {1, 1};
    snl_options o = {.threads = THREADS};
    host *w = make(o), *automatic = make((snl_options){.threads = 0});
    if (setrlimit(RLIMIT_NPROC, &one) != 0 || (geteuid() == 0 && setuid(65534) != 0))
        return fails("setrlimit", w);
    for (int k = 0; k < 20; k++)
        if (count_up(w) || count_up(automatic))
            return 1;
    host_destroy(w);
    host_destroy(automatic);
    return 0;
}

typedef struct {
    host *program;
    int inside, met, lines;
} Prints;

/* Is not to be entered by two threads at once. */
static void
take_line(void *context, const char *text, size_t bytes)
{
    Prints *p = context;
    p->met += __atomic_fetch_add(&p->inside, 1, __ATOMIC_RELAXED) > 0;
    sched_yield();
    p->lines++;
    if (bytes == 5 && !strncmp(text, "once\n", 5))
        host_tell(p->program, 100); /* 2 lines more, for which it waits */
    __atomic_fetch_sub(&p->inside, 1, __ATOMIC_RELAXED);
}

static int
test_print(void)
{
    Prints prints = {NULL, 0, 0, 0};
    snl_options o = {.threads = THREADS, .print = take_line, .print_context = &prints};
    host *w = prints.program = make(o);
    int failed = host_tell(w, 100000) != SNL_OK && fails("tell", w);
    if (prints.lines != 2000 || prints.met > 0)
        failed = fprintf(stderr, "%d lines, %d at once\n", prints.lines, prints.met) > 0;
    prints.lines = 0;
    failed |= host_tell_once(w) != SNL_OK && fails("tell_once", w);
    if (prints.lines != 3)
        failed = fprintf(stderr, "%d lines of 3\n", prints.lines) > 0;
    host_destroy(w);
    return failed;
}

/* Fails where a line is not the next of those that are expected. */
static void
expect_line(void *context, const char *text, size_t bytes)
{
    const char **expected = context;
    if (strncmp(text, *expected, bytes) != 0) {
        fprintf(stderr, "%.*swhere it should be\n%s", (int)bytes, text, *expected);
        exit(1);
    }
    *expected += bytes;
}

/* Does C write numbers with a comma now? */
static int
has_comma(void)
{
    char text[32];
    snprintf(text, sizeof text, "%g", 1.5);
    return !strcmp(text, "1,5");
}

/* Numbers have a point in a host whose locale has a comma: those that are printed, and those of
 * text.vti. */
static int
test_locale(void)
{
    const char *expected = "0.1 2.500 1.234568e+04 0.3\n0.25 -1.5 1000.0\n";
    snl_options o = {.print = expect_line, .print_context = &expected};
    host *w = make(o);
    if (!setlocale(LC_ALL, "comma") || !has_comma())
        return fails("setlocale", w);
    if (host_say_numbers(w) != SNL_OK || host_read_text(w) != SNL_OK)
        return fails("numbers", w);
    if (!has_comma())
        return fails("the locale of the host is another now", w);
    host_destroy(w);
    return *expected != '\0';
}

/* A child of a process in which kernels have run on several threads, with the object that it has of
 * it and one of its own. */
static int
test_fork(void)
{
    snl_options o = {.threads = THREADS};
    host *w = make(o);
    int status = 1, failed = count_up(w);
    const pid_t child = fork();
    if (child == 0) {
        host *own = make(o);
        _exit(count_up(w) || count_up(own));
    }
    failed |= waitpid(child, &status, 0) != child || status != 0 || count_up(w);
    host_destroy(w);
    return failed;
}

/* Where HDF5 is, it reads by this function; in a process that it is given for that, it crashes. */
static pid_t own_process;

ssize_t pread64(int file, void *data, size_t bytes, int64_t at);

ssize_t
pread64(int file, void *data, size_t bytes, int64_t at)
{
    if (own_process && getpid() != own_process)
        raise(SIGSEGV);
    return syscall(SYS_pread64, file, data, bytes, at);
}

ssize_t
pread(int file, void *data, size_t bytes, off_t at)
{
    return pread64(file, data, bytes, at);
}

/* Crashes that the host was told of, in whatever process. */
static int *crashes;

static void
take_crash(int number)
{
    *crashes = number;
    _exit(3);
}

/* A crash of the HDF5 library is an error that the host is told; its own handlers do not run in
 * another process, and that nobody waits for that one but the system is no harm. */
static int
test_crash(void)
{
    host *w = make((snl_options){.threads = 1});
    crashes = mmap(NULL, sizeof *crashes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                   0);
    signal(SIGCHLD, SIG_IGN);
    if (host_write_h5(w) != SNL_OK || host_read_h5(w) != SNL_OK)
        return fails("a file as it is", w);
    signal(SIGSEGV, take_crash);
    own_process = getpid();
    if (host_read_h5(w) != SNL_EIO || !strstr(host_message(w), "the HDF5 library fails on it"))
        return fails("after a crash", w);
    host_destroy(w);
    return *crashes;
}

int
main(int count, char **words)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } tests[] = {{"team", test_team},     {"limit", test_limit}, {"print", test_print},
                 {"locale", test_locale}, {"fork", test_fork},   {"crash", test_crash}};
    for (size_t k = 0; count > 1 && k < sizeof tests / sizeof tests[0]; k++)
        if (!strcmp(words[1], tests[k].name))
            return tests[k].run() != 0;
    fprintf(stderr, "which of the tests?\n");
    return 1;
}
