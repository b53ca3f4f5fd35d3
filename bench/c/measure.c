/* measure.c - runs a command several times: measure WHAT COUNT COMMAND [ARGUMENT...]. WHAT is
 * "seconds": prints the line "seconds S" for each run; or "peak": prints the best and the median
 * time from start to end in milliseconds and the peak of memory in MB. Ends with status 1 when the
 * command fails. */
#include "bench.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs the command without its output; returns the seconds it took, below 0 if it failed. */
static double
run(char **command, long *kilobytes)
{
    struct rusage usage;
    int status = 1;
    double begun = seconds();
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        execvp(command[0], command);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
        return -1;
    if (usage.ru_maxrss > *kilobytes)
        *kilobytes = usage.ru_maxrss;
    return seconds() - begun;
}

int
main(int argc, char **argv)
{
    long count = argument(argc, argv, 2, 0), kilobytes = 0;
    double *times = count > 0 && argc > 3 ? calloc((size_t)count, sizeof *times) : NULL;
    if (!times) {
        fputs("usage: measure seconds|peak COUNT COMMAND [ARGUMENT...]\n", stderr);
        return 64;
    }
    for (long k = 0; k < count; k++) {
        times[k] = run(argv + 3, &kilobytes);
        if (times[k] < 0) {
            fprintf(stderr, "measure: %s failed\n", argv[3]);
            return 1;
        }
        if (strcmp(argv[1], "seconds") == 0)
            printf("seconds %.9f\n", times[k]);
    }
    qsort(times, (size_t)count, sizeof *times, compare);
    if (strcmp(argv[1], "peak") == 0)
        printf("%.2f %.2f %.1f\n", 1e3 * times[0], 1e3 * times[count / 2],
               (double)kilobytes / 1024);
    free(times);
    return 0;
}
