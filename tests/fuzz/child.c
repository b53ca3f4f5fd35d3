/* child.c - inputs that are tried in a child process each, because a library crashes on some of
 * them: io_h5.c reads in a child for that reason. Here one child does all that is tried with an
 * input, in itself (in_process.h), and hands back what it has covered. That the library crashes is
 * no find. Built by tests/fuzz/run, without counters of its own. */
#include "config.h"

#include "child.h"

#include <errno.h>
#include <sanitizer/asan_interface.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "fuzz.h"

#define LIBRARY_NAME "libhdf5"

/* libFuzzer's counters of the edges that were taken; none with AFL++. */
extern char __start___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
extern char __stop___sancov_cntrs[] __attribute__((weak, visibility("hidden")));

static char *child_counters; /* shared with the child */
static FILE *child_report;   /* what the child says, for when it is a find */

/* The library's checksums are as the file says, so that changed bytes get past them: each stands
 * behind what it is of. */
uint32_t H5_checksum_metadata(const void *data, size_t bytes, uint32_t first);
uint32_t H5_checksum_fletcher32(const void *data, size_t bytes);

uint32_t
H5_checksum_metadata(const void *data, size_t bytes, uint32_t first)
{
    uint32_t sum;
    (void)first;
    memcpy(&sum, (const char *)data + bytes, sizeof sum);
    return sum;
}

uint32_t
H5_checksum_fletcher32(const void *data, size_t bytes)
{
    return H5_checksum_metadata(data, bytes, 0);
}

const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
    return "symbolize=0:handle_abort=0:allocator_may_return_null=1";
}

static size_t
counter_bytes(void)
{
    return (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs);
}

/* AFL++ has its counters where children share them: there is nothing to copy. */
static void
copy_counters(char *to, const char *from)
{
    if (counter_bytes() > 0)
        memcpy(to, from, counter_bytes());
}

static void
end_child(void)
{
    copy_counters(child_counters, __start___sancov_cntrs);
    fuzz_limit(0);
    _exit(0);
}

/* Takes note of what the sanitizer found. It is the library's where one of the innermost three
 * functions is, two of which may be the sanitizer's memcmp, or below one of the C library. */
static void
on_report(const char *report)
{
    const char *frame = strstr(report, "    #0 "), *next = frame ? strstr(frame, "    #1 ") : NULL,
               *libc = frame ? strstr(frame, "/libc.so") : NULL,
               *library = frame ? strstr(frame, LIBRARY_NAME) : NULL;
    const char *end =
        frame ? strstr(frame, libc && (!next || libc < next) ? "    #4 " : "    #3 ") : NULL;
    if (library && (!end || library < end))
        end_child();
}

void
child_begin(void (*try_input)(void))
{
    try_input(); /* loads the library, once for all children */
    child_counters =
        mmap(NULL, counter_bytes() + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    child_report = tmpfile();
    if (child_counters == MAP_FAILED || !child_report)
        abort();
}

/* Prints what the child has said, and how it ended, and ends. */
static void
tell_find(int status)
{
    int c;
    fprintf(stderr, "the child ended with %s %d\n", WIFSIGNALED(status) ? "signal" : "status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    rewind(child_report);
    while ((c = getc(child_report)) != EOF)
        putc(c, stderr);
    abort();
}

void
in_child(void (*try_input)(void))
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (ftruncate(fileno(child_report), 0) != 0 ||
            lseek(fileno(child_report), 0, SEEK_SET) != 0 ||
            dup2(fileno(child_report), STDERR_FILENO) < 0)
            abort();
        signal(SIGABRT, SIG_DFL);
        __asan_set_error_report_callback(on_report);
        fuzz_limit(FUZZ_SECONDS_MAX);
        try_input();
        end_child();
    }
    if (child < 0)
        abort();
    while (waitpid(child, &status, 0) != child)
        if (errno != EINTR) /* libFuzzer has a timer */
            abort();
    copy_counters(__start___sancov_cntrs, child_counters);
    if (status != 0)
        tell_find(status);
}
