/* coverage.h - for builds with counters, in front of each source: what ends by _exit writes them first. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* before the first header, as config.h has it */
#endif
#include <unistd.h>

void __gcov_dump(void);
#define _exit(status) (__gcov_dump(), _exit(status))
