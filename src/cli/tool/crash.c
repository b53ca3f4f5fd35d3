/* A crash is an internal error with a status of its own. */
#include "config.h"

#include "cli/tool/crash.h"

#include <signal.h>
#include <unistd.h>

#include "cli/cli.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
/* Sanitizers say more. */
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

static void
say(const char *text)
{
    size_t bytes = 0;
    while (text[bytes])
        bytes++;
    (void)!write(STDERR_FILENO, text, bytes);
}

static void
report(int number)
{
    say("snlc: internal error: ");
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        if (crashes[i].number == number)
            say(crashes[i].name);
    say("; please report this with the program and the command that show it\n");
    _exit(EXIT_INTERNAL);
}

void
crash_catch(void *stack)
{
    const stack_t other = {.ss_sp = stack, .ss_size = CRASH_STACK_BYTES};
    struct sigaction action = {.sa_handler = report, .sa_flags = SA_ONSTACK | SA_RESETHAND};
    if (IS_SANITIZED || sigaltstack(&other, NULL))
        return;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i].number, &action, NULL);
}
