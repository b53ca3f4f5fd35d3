/* crash.c - a message before a signal ends the program. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE     /* sigaltstack */
#endif
#include "crash.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CRASH_STACK_BYTES = 64 << 10 };

static const struct {
    int number;
    const char *text;
} crashes[] = { { SIGSEGV, "SIGSEGV, an address outside of its memory" },
                { SIGBUS, "SIGBUS, an address outside of a file or of memory" },
                { SIGFPE, "SIGFPE, a division by zero" },
                { SIGILL, "SIGILL, an instruction that this processor does not have" },
                { SIGABRT, "SIGABRT" } };

/* A handler is given no argument of ours. */
static const SnlInstance *volatile watched;
static const char *volatile watched_name;
static volatile bool watched_checks;

static void say(const char *text)
{
    /* there is nobody to tell where this fails */
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

/* Calls nothing but what a handler may; then the signal ends the program as it would have. */
static void report(int number)
{
    const SnlInstance *rt = watched;
    const char *kernel = rt ? rt->kernel : NULL;
    say(watched_name);
    say(": crashed");
    if (kernel) {
        say(" in kernel '");
        say(kernel);
        say("'");
    } else if (rt) {
        say(" in host code");
    }
    say(": ");
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        if (crashes[i].number == number)
            say(crashes[i].text);
    if (number == SIGILL)
        say("; build for this processor, or with --arch=generic\n");
    else if (watched_checks)
        say("; --check found nothing before it: it does not look into extern functions, nor at "
            "recursion without end\n");
    else
        say("; run again with --check, which says where\n");
    raise(number);      /* it waits until this returns */
}

void snl_crash_watch(const SnlInstance *rt, const char *program, bool checked)
{
    static char *stack;     /* for a stack that is full; it stays as long as the process */
    struct sigaction action, old;
    watched = rt;
    watched_name = program;
    watched_checks = checked;
    if (stack || !rt)
        return;
    stack = (char *)malloc(CRASH_STACK_BYTES);
    if (!stack)
        return;
    stack_t other;
    memset(&other, 0, sizeof other);
    other.ss_sp = stack;
    other.ss_size = CRASH_STACK_BYTES;
    memset(&action, 0, sizeof action);
    action.sa_handler = report;
    action.sa_flags = (int)(SA_ONSTACK | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
        if (sigaction(crashes[i].number, NULL, &old) == 0 && old.sa_handler == SIG_DFL &&
            (i > 0 || sigaltstack(&other, NULL) == 0))
            sigaction(crashes[i].number, &action, NULL);
    }
}
