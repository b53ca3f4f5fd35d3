/* Signals wait while there are temporary files or processes that must end with this one. */
#include "config.h"

#include "cli/tool/signals.h"

#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const int ending[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE,
                             SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};

/* SIGCHLD is among those held back, so that its coming can be waited for. */
void
signals_hold(Cli *cli)
{
    sigset_t set;
    if (cli->held++)
        return;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;
        if (!sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN) /* as nohup(1) asks */
            sigaddset(&set, ending[i]);
    }
    sigprocmask(SIG_BLOCK, &set, &cli->mask);
}

void
signals_release(Cli *cli)
{
    if (!--cli->held)
        sigprocmask(SIG_SETMASK, &cli->mask, NULL);
}

bool
signals_caught(void)
{
    sigset_t set;
    sigpending(&set);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigismember(&set, ending[i]) > 0)
            return true;
    return false;
}

int
signals_spawn(const Cli *cli, pid_t *pid, char **argv, int said)
{
    posix_spawnattr_t how;
    posix_spawn_file_actions_t files;
    int error = posix_spawnattr_init(&how);
    if (error)
        return error;
    error = posix_spawn_file_actions_init(&files);
    if (error) {
        posix_spawnattr_destroy(&how);
        return error;
    }
    if (said >= 0)
        error = posix_spawn_file_actions_adddup2(&files, said, STDERR_FILENO);
    if (!error && cli->held && !(error = posix_spawnattr_setsigmask(&how, &cli->mask)))
        error = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    if (!error)
        error = posix_spawnp(pid, argv[0], &files, &how, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return error;
}

pid_t
signals_wait(const Cli *cli, const pid_t *pids, int count, int *status)
{
    static const struct timespec moment = {.tv_nsec = 50000000};
    const pid_t any = count == 1 ? pids[0] : -1;
    pid_t ended;
    sigset_t child;
    bool told = false;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    while ((ended = waitpid(any, status, cli->held ? WNOHANG : 0)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        if (!told && signals_caught()) { /* it may have come to us alone */
            for (int i = 0; i < count; i++)
                kill(pids[i], SIGTERM);
            told = true;
        }
        if (!ended)
            sigtimedwait(&child, NULL, &moment);
    }
    return ended;
}
