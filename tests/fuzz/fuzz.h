/* fuzz.h - what the targets of libFuzzer and AFL++ share: a bound on the time of one input, in
 * processor seconds, so that a loaded machine does not matter. The sanitizers make programs about
 * three times as slow. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { FUZZ_SECONDS_MAX = 6, FUZZ_BYTES_MAX = 1 << 16 };

/* Called with each input; gives 0. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);
/* Called once, before. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Adds a byte to the file SNL_FUZZ_TIME for each tenth of a second that this process and those it
 * waited for computed: AFL++ kills its processes, so that nobody else counts their time. What a
 * process computes at its end, less than that, is not counted. */
static inline void
fuzz_count_time(void)
{
    static int file = -2;
    static long counted;
    struct timespec t;
    struct rusage children;
    if (file == -2)
        file = getenv("SNL_FUZZ_TIME")
                   ? open(getenv("SNL_FUZZ_TIME"), O_WRONLY | O_CREAT | O_APPEND, 0666)
                   : -1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    getrusage(RUSAGE_CHILDREN, &children);
    long micro = t.tv_nsec / 1000 + children.ru_utime.tv_usec + children.ru_stime.tv_usec;
    long seconds = (long)(t.tv_sec + children.ru_utime.tv_sec + children.ru_stime.tv_sec);
    for (long tenths = 10 * seconds + micro / 100000; file >= 0 && counted < tenths; counted++)
        if (write(file, ".", 1) != 1)
            abort();
}

/* An input that takes too long counts as a crash, so that it is kept. */
static inline void
fuzz_too_long(int signal_number)
{
    static const char what[] = "fuzz: the input takes too long\n";
    (void)signal_number;
    if (write(STDERR_FILENO, what, sizeof what - 1) < 0)
        _exit(70);
    abort();
}

/* From here on the process may compute for so many seconds, then it is aborted; 0: for ever. */
static inline void
fuzz_limit(int seconds)
{
    struct itimerval limit = { .it_value.tv_sec = seconds };
    signal(SIGPROF, fuzz_too_long);
    setitimer(ITIMER_PROF, &limit, NULL);
    if (!seconds)
        fuzz_count_time();
}

#endif
