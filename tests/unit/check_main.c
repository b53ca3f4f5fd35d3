/* check_main.c - the command line of executables. */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/instance.h"
#include "program/snl_main.h"
#include "suite.h"

/* The parameters of the program under test. */
typedef struct {
    int32_t n;
    float scale;
    bool flag;
    uint8_t small;
    double wide[3];
    snl_f16 half;
    const char *file;
} Params;

/* What the program was started with. */
typedef struct {
    Params params;
    SnlMainOptions options;
} Program;

static Program seen;            /* filled by create, read by the tests */
static int status_of_run;

static void
set_defaults(void *params)
{
    Params p = { 4, 1.5f, false, 7, { 1, 2, 3 }, 0x3c00, "in.png" };
    memcpy(params, &p, sizeof p);
}

static int
create(const void *params, const SnlMainOptions *options, void **program)
{
    memcpy(&seen.params, params, sizeof seen.params);
    seen.options = *options;
    *program = &seen;
    return 0;
}

static void
destroy(void *program)
{
    (void)program;
}

static const char *
message(const void *program)
{
    (void)program;
    return "wave.snl:3: x is 5";
}

static int
run(void *program)
{
    (void)program;
    printf("ran\n");
    return status_of_run;
}

static int
run_good(void *program)
{
    (void)program;
    return 0;
}

static int
run_bad(void *program)
{
    (void)program;
    return 3;
}

static const SnlMainParam params[] = {
    { "n", SNL_I32, 0, 0, offsetof(Params, n), "4", NULL, NULL },
    { "scale", SNL_F32, 0, 0, offsetof(Params, scale), "1.5", NULL, NULL },
    { "flag", SNL_BOOL, 0, 0, offsetof(Params, flag), "false", "a switch", NULL },
    { "small", SNL_U8, 0, 0, offsetof(Params, small), "7", NULL, NULL },
    { "wide", SNL_F64, 3, 0, offsetof(Params, wide), "[1, 2, 3]", NULL, NULL },
    { "half", SNL_F16, 0, 0, offsetof(Params, half), "1.0", NULL, NULL },
    { "file", SNL_STRING, 0, 0, offsetof(Params, file), "in.png", NULL, NULL },
};

static const SnlMainTest tests[] = {
    { "good", NULL, run_good },
    { "bad", NULL, run_bad },
    { "fails as it must", "x is 5", run_bad },
    { "fails otherwise", "y is", run_bad },
    { "does not fail", "x is 5", run_good },
    { "fails in any way", "", run_bad },
};

static const SnlProgram program = {
    "wave", "wave 1.0", params, sizeof params / sizeof params[0], sizeof(Params), NULL,
    set_defaults, create, destroy, message, run, NULL, NULL, tests, sizeof tests / sizeof tests[0],
    false,
};

/* Runs the program with up to four arguments. */
static int
run_with(const char *a, const char *b, const char *c)
{
    const char *words[] = { "wave", a, b, c, NULL };
    char *argv[5];
    int argc = 1;
    memset(&seen, 0, sizeof seen);
    argv[0] = (char *)(uintptr_t)words[0];
    while (argc < 4 && words[argc]) {
        argv[argc] = (char *)(uintptr_t)words[argc];
        argc++;
    }
    argv[argc] = NULL;
    return snl_main(argc, argv, &program);
}

START_TEST(defaults_and_values)
{
    ck_assert_int_eq(run_with(NULL, NULL, NULL), 0);
    ck_assert_int_eq(seen.params.n, 4);
    ck_assert(seen.params.scale == 1.5f && !seen.params.flag && seen.options.threads == 0);
    ck_assert_int_eq(run_with("--n=-6", "--scale=2.5e0", "--flag"), 0);
    ck_assert(seen.params.n == -6 && seen.params.scale == 2.5f && seen.params.flag);
    ck_assert_int_eq(run_with("--n", "-6", "--flag=true"), 0);
    ck_assert(seen.params.n == -6 && seen.params.flag);
    ck_assert_int_eq(run_with("--flag", "false", "--n=0x10"), 0);
    ck_assert(seen.params.n == 16 && !seen.params.flag);
    ck_assert_int_eq(run_with("--wide=4,-5,6e3", "--half=0.1", "--n=1_000"), 0);
    ck_assert(seen.params.wide[1] == -5 && seen.params.wide[2] == 6000 && seen.params.n == 1000);
    ck_assert_uint_eq(seen.params.half, 0x2e66);
}
END_TEST

/* A string is taken as it stands, whatever is in it. */
START_TEST(strings)
{
    static const char *const values[] = {"a.png", "", "1,2", "a=b", "--n=3", " \"x\" ", "\xc3\xbc"};
    char word[40];
    ck_assert_int_eq(run_with(NULL, NULL, NULL), 0);
    ck_assert_str_eq(seen.params.file, "in.png");
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        snprintf(word, sizeof word, "--file=%s", values[k]);
        ck_assert_int_eq(run_with(word, "--n=5", NULL), 0);
        ck_assert_str_eq(seen.params.file, values[k]);
        ck_assert_int_eq(seen.params.n, 5);
        ck_assert_int_eq(run_with("--file", values[k], NULL), 0);
        ck_assert_str_eq(seen.params.file, values[k]);
    }
    ck_assert_int_eq(run_with("--file=a", "--file=b", NULL), 0);
    ck_assert_str_eq(seen.params.file, "b");
    ck_assert_int_eq(run_with("--file", NULL, NULL), SNL_EXIT_USAGE);
}
END_TEST

/* The block of parameters may start as a copy of another one. */
START_TEST(first_values)
{
    static const Params start = {.n = 11, .flag = true, .file = "start"};
    SnlProgram other = program;
    char *argv[] = {(char *)(uintptr_t) "wave", (char *)(uintptr_t) "--scale=2", NULL};
    other.params_start = &start;
    other.params_default = NULL;
    ck_assert_int_eq(snl_main(2, argv, &other), 0);
    ck_assert(seen.params.n == 11 && seen.params.flag && seen.params.scale == 2.0f);
    ck_assert_str_eq(seen.params.file, "start");
}
END_TEST

START_TEST(bad_values)
{
    static const char *const bad[] = {
        "--n=", "--n=1.5", "--n=2147483648", "--n=-2147483649", "--n=x", "--n=99999999999999999999",
        "--small=256", "--small=-1", "--scale=1e39", "--scale=1x", "--scale= 1", "--scale=",
        "--flag=2", "--wide=1,2", "--wide=1,2,3,4", "--wide=1,,3", "--half=70000", "--m=1", "--n",
        "--threads=0", "--threads=x", "--threads=65537", "--seed=-1", "--memory-limit=3X",
        "--memory-limit=", "--progress=always", "--stats=1", "--snl-test=6", "word", "-n",
        "--trace=",
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        ck_assert_msg(run_with(bad[k], NULL, NULL) == SNL_EXIT_USAGE, "%s", bad[k]);
    ck_assert_int_eq(run_with("--", "x", NULL), SNL_EXIT_USAGE);
    ck_assert_int_eq(run_with("--n=2147483647", "--small=255", "--"), 0);
    ck_assert_int_eq(run_with("--n=-2147483648", "--scale=inf", NULL), 0);
    ck_assert(seen.params.n == INT32_MIN && seen.params.scale == INFINITY);
}
END_TEST

START_TEST(options_and_environment)
{
    ck_assert_int_eq(run_with("--threads=3", "--seed=18446744073709551615", "--memory-limit=2G"),
                     0);
    ck_assert_int_eq(seen.options.threads, 3);
    ck_assert_uint_eq(seen.options.seed, UINT64_MAX);
    ck_assert_uint_eq(seen.options.memory_limit, 1ull << 31);
    ck_assert(seen.options.progress && !seen.options.stats);
    ck_assert_int_eq(run_with("--progress=never", "--stats", "--memory-limit=10k"), 0);
    ck_assert(!seen.options.progress && seen.options.stats);
    ck_assert_uint_eq(seen.options.memory_limit, 10240);
    setenv("OMP_NUM_THREADS", "5,2", 1); /* for OpenMP itself: still as many as pay */
    ck_assert_int_eq(run_with(NULL, NULL, NULL), 0);
    ck_assert_int_eq(seen.options.threads, 0);
    setenv("SNL_NUM_THREADS", "6", 1);
    setenv("SNL_MEMORY_LIMIT", "1M", 1);
    ck_assert_int_eq(run_with(NULL, NULL, NULL), 0);
    ck_assert(seen.options.threads == 6 && seen.options.memory_limit == 1 << 20);
    ck_assert_int_eq(run_with("--threads=2", NULL, NULL), 0);
    ck_assert_int_eq(seen.options.threads, 2);
    setenv("SNL_NUM_THREADS", "many", 1);
    ck_assert_int_eq(run_with(NULL, NULL, NULL), SNL_EXIT_USAGE);
    ck_assert_int_eq(run_with("--help", NULL, NULL), SNL_EXIT_USAGE);
    unsetenv("SNL_NUM_THREADS");
    ck_assert_int_eq(run_with("--help", "--n=x", NULL), 0);
    ck_assert_int_eq(run_with("--version", NULL, NULL), 0);
    ck_assert_int_eq(run_with("--snl-list-tests", NULL, NULL), 0);
}
END_TEST

START_TEST(tests_and_errors)
{
    static const int expected[] = { 0, 1, 0, 1, 1, 0 };
    for (int k = 0; k < 6; k++) {
        char option[32];
        snprintf(option, sizeof option, "--snl-test=%d", k);
        ck_assert_int_eq(run_with(option, NULL, NULL), expected[k]);
    }
    status_of_run = 2;
    ck_assert_int_eq(run_with(NULL, NULL, NULL), SNL_EXIT_ERROR);
}
END_TEST

START_TEST(hidden_progress_counts)
{
    SnlProgress bar;
    snl_progress_begin(&bar, NULL, 3);
    snl_progress_step(&bar);
    snl_progress_step(&bar);
    snl_progress_end(&bar);
    ck_assert(bar.done == 2 && !bar.visible);
}
END_TEST

/* On a terminal the bar has counts, the rate and the time left, then the time in all; elsewhere it
 * is silent although wanted. */
START_TEST(progress_on_a_terminal)
{
    char text[4096];
    SnlProgress bar;
    SnlInstance rt = {0};
    int master = posix_openpt(O_RDWR | O_NOCTTY), terminal, before = dup(STDERR_FILENO);
    ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    ck_assert(terminal >= 0 && dup2(terminal, STDERR_FILENO) >= 0);
    snl_progress_begin(&bar, &rt, 4);
    snl_progress_step(&bar);
    ck_assert(rt.bar == &bar);
    bar.done = 4;
    snl_progress_end(&bar);
    ck_assert_ptr_null(rt.bar);
    ck_assert(dup2(before, STDERR_FILENO) >= 0);
    size_t bytes = 0;
    do { /* one read may give a part of it */
        ssize_t n = read(master, text + bytes, sizeof text - 1 - bytes);
        ck_assert(n > 0);
        bytes += (size_t)n;
        text[bytes] = '\0';
    } while (!strstr(text, " in all"));
    ck_assert_ptr_nonnull(strstr(text, "25%  1/4  "));
    ck_assert_ptr_nonnull(strstr(text, "/s  "));
    ck_assert_ptr_nonnull(strstr(text, " left"));
    ck_assert_ptr_nonnull(strstr(text, "100%  4/4  "));
    ck_assert_ptr_nonnull(strstr(text, " in all"));
    snl_progress_begin(&bar, &rt, 4);
    ck_assert(!bar.visible);
    close(terminal);
    close(master);
    close(before);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("main");
    TCase *group = tcase_create("all");
    tcase_add_test(group, defaults_and_values);
    tcase_add_test(group, strings);
    tcase_add_test(group, first_values);
    tcase_add_test(group, bad_values);
    tcase_add_test(group, options_and_environment);
    tcase_add_test(group, tests_and_errors);
    tcase_add_test(group, hidden_progress_counts);
    tcase_add_test(group, progress_on_a_terminal);
    suite_add_tcase(suite, group);
    unsetenv("OMP_NUM_THREADS");
    unsetenv("SNL_NUM_THREADS");
    unsetenv("SNL_MEMORY_LIMIT");
    if (!freopen("/dev/null", "w", stderr))
        return EXIT_FAILURE;
    return run_suite(suite);
}
