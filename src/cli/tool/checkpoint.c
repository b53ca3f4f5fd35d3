/* A copy of this process from before the passes. */
#include "config.h"

#include "cli/tool/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

/* The copy, and the pipe that it reads. What a handler of signals uses is nowhere else. */
static pid_t copy;
static int to_copy = -1;

/* Reads what broke. False: nothing did, and the other end is closed. */
static bool
read_broken(int from, Broken *b)
{
    size_t have = 0;
    ssize_t n;
    while (have < sizeof *b && ((n = read(from, (char *)b + have, sizeof *b - have)) > 0 ||
                                (n < 0 && errno == EINTR)))
        have += n > 0 ? (size_t)n : 0;
    close(from);
    return have == sizeof *b;
}

bool
checkpoint_set(Broken *b)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return false;
    fflush(NULL); /* nothing is written twice */
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        copy = 0;
        to_copy = -1;
        if (!read_broken(ends[0], b))
            _exit(EXIT_OK);
        return true;
    }
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return false;
    }
    copy = pid;
    to_copy = ends[1];
    return false;
}

/* The status of the copy when it has ended. */
static int
await_copy(void)
{
    int status = 0;
    while (waitpid(copy, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_INTERNAL << 8;
    return status;
}

void
checkpoint_clear(void)
{
    if (to_copy < 0)
        return;
    close(to_copy);
    to_copy = -1;
    await_copy();
    copy = 0;
}

/* Ends this process by the signal. */
static void
end_by(int number)
{
    sigset_t set;
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

void
checkpoint_go_back(const Broken *b)
{
    if (to_copy < 0)
        return;
    signal(SIGPIPE, SIG_IGN); /* the copy may be gone */
    const bool told = write(to_copy, b, sizeof *b) == (ssize_t)sizeof *b;
    close(to_copy);
    to_copy = -1;
    const int status = await_copy();
    if (!told)
        return;
    if (WIFSIGNALED(status))
        end_by(WTERMSIG(status));
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_INTERNAL);
}
