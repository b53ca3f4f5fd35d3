/* A crash is an internal error with a status and a report of its own. All of this may run in a
 * handler of signals, when memory is damaged: it allocates nothing and prints by write(2). */
#include "config.h"

#include "cli/tool/crash.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/tool/checkpoint.h"
#include "cli/tool/output.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
/* Sanitizers say more of signals. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ ||         \
    __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer)
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

static const struct {
    int number;
    const char *name;
} crashes[] = {{SIGSEGV, "SIGSEGV"},
               {SIGBUS, "SIGBUS"},
               {SIGFPE, "SIGFPE"},
               {SIGILL, "SIGILL"},
               {SIGABRT, "SIGABRT"}};

/* What the report has; and how often the handler was entered, because the report may crash too. */
static struct {
    char *const *argv;
    const Cli *cli;
    const Compile *c;
    char path[sizeof((Broken *)0)->report];
    volatile sig_atomic_t depth;
} watched;

static void
put_bytes(int fd, const char *text, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t n = write(fd, text, bytes);
        if (n <= 0 && errno != EINTR)
            return;
        text += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
}

static void
put(int fd, const char *text)
{
    put_bytes(fd, text, strlen(text));
}

/* Appends what fits. */
static void
append(char *to, size_t room, const char *text)
{
    size_t at = strlen(to);
    while (*text && at + 1 < room)
        to[at++] = *text++;
    to[at] = '\0';
}

static void
append_number(char *to, size_t room, long number)
{
    char digits[24], *d = digits + sizeof digits;
    *--d = '\0';
    do
        *--d = (char)('0' + number % 10);
    while (number /= 10);
    append(to, room, d);
}

/* ---- the report ---- */

static void
put_words(int fd, const char *title, const char *const *words, int count)
{
    put(fd, title);
    for (int i = 0; i < count; i++) {
        put(fd, "\n    ");
        put(fd, words[i]);
    }
    put(fd, "\n");
}

static void
put_sources(int fd, const Compile *c)
{
    for (int i = 0; i < c->sources.files.count; i++) {
        const Source *s = c->sources.files.items[i];
        put(fd, "\n==== ");
        put(fd, s->path);
        put(fd, "\n");
        put_bytes(fd, s->text, s->bytes);
    }
}

static void
put_report(int fd, const char *what)
{
    static const char *const variables[] = {"SNLC_FLAGS", "SNLC_PATH", "CC", "CFLAGS"};
    int words = 0;
    while (watched.argv && watched.argv[words])
        words++;
    put(fd, "snlc " PACKAGE_VERSION ": internal error: ");
    put(fd, what);
    put_words(fd, "\ncommand:", (const char *const *)watched.argv, words);
    if (watched.cli)
        put_words(fd, "options:", watched.cli->words.items, watched.cli->words.count);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value)
            put_words(fd, variables[i], &value, 1);
    }
    if (watched.c && watched.c->stage.dump)
        put_words(fd, "IR:", &watched.c->stage.dump, 1);
    if (watched.c)
        put_sources(fd, watched.c);
}

const char *
crash_report(const char *what)
{
    enum { TRIES = 100 };
    int fd = -1;
    for (int n = 0; n < TRIES && fd < 0; n++) {
        watched.path[0] = '\0';
        append(watched.path, sizeof watched.path, path_temporary_base());
        append(watched.path, sizeof watched.path, "/snlc-report-");
        append_number(watched.path, sizeof watched.path, (long)getpid());
        append(watched.path, sizeof watched.path, "-");
        append_number(watched.path, sizeof watched.path, n);
        append(watched.path, sizeof watched.path, ".txt");
        fd = open(watched.path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        watched.path[0] = '\0';
    else {
        put_report(fd, what);
        close(fd);
    }
    return watched.path;
}

/* ---- what is said ---- */

static void
describe(Broken *b, int number)
{
    const Stage *stage = watched.c ? &watched.c->stage : NULL;
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        if (crashes[i].number == number)
            append(b->error, sizeof b->error, crashes[i].name);
    if (stage && stage->error) {
        b->error[0] = '\0';
        append(b->error, sizeof b->error, stage->error);
    }
    if (stage && stage->name && stage->is_pass)
        append(b->pass, sizeof b->pass, stage->name);
}

static void
say(const Broken *b)
{
    const Stage *stage = watched.c ? &watched.c->stage : NULL;
    char text[1024] = "snlc: internal error: ";
    append(text, sizeof text, b->error);
    if (stage && stage->name) {
        append(text, sizeof text, stage->is_pass ? " in pass " : " in ");
        append(text, sizeof text, stage->name);
    }
    append(text, sizeof text, "; please report this with ");
    append(text, sizeof text,
           b->report[0] ? "the file '" : "the program and the command that show it");
    append(text, sizeof text, b->report);
    append(text, sizeof text, b->report[0] ? "', which has the program and the options\n" : "\n");
    if (stage && stage->name) {
        append(text, sizeof text, "snlc: ways round: ");
        append(text, sizeof text, stage->is_optional ? "-fno-" : "-O0");
        append(text, sizeof text, stage->is_optional ? stage->name : "");
        append(text, sizeof text, ", and --interpret for run and test\n");
    }
    put(STDERR_FILENO, text);
}

static void
report(int number)
{
    static Broken broken;
    const int depth = watched.depth++;
    if (depth == 0) {
        describe(&broken, number);
        append(broken.report, sizeof broken.report, crash_report(broken.error));
    }
    if (depth <= 1 && watched.c && watched.c->stage.is_optional)
        checkpoint_go_back(&broken);
    if (depth <= 2)
        say(&broken);
    _exit(EXIT_INTERNAL);
}

void
crash_watch(const Cli *cli, const Compile *c)
{
    watched.cli = cli;
    watched.c = c;
}

void
crash_catch(void *stack, char *const *argv)
{
    const stack_t other = {.ss_sp = stack, .ss_size = CRASH_STACK_BYTES};
    struct sigaction action = {.sa_handler = report, .sa_flags = SA_ONSTACK | SA_NODEFER};
    watched.argv = argv;
    sigemptyset(&action.sa_mask);
    if (!IS_SANITIZED && sigaltstack(&other, NULL))
        return;
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        if (!IS_SANITIZED || crashes[i].number == SIGABRT)
            sigaction(crashes[i].number, &action, NULL);
}
