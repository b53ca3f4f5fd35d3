/* processor.c - a clock that stands while other programs run: preloaded, it gives programs that ask
 * what time it is the time of the processor that they have used. For one thread, on a machine that
 * does other work (CLOCK=processor of bench/run). */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
clock_gettime(clockid_t id, struct timespec *t)
{
    return (int)syscall(SYS_clock_gettime, id == CLOCK_MONOTONIC ? CLOCK_PROCESS_CPUTIME_ID : id,
                        t);
}
