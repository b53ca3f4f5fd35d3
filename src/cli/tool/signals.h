/* Signals that end a process wait while there are temporary files, which are removed or get their
 * names, or processes that must end with this one; then the signal does what it does. No memory. */
#ifndef SNL_CLI_TOOL_SIGNALS_H
#define SNL_CLI_TOOL_SIGNALS_H

#include <sys/types.h>

#include "cli/cli.h"

/* Holds back the signals that people, terminals, pipes, timers and limits send to end a process;
 * what is held twice must be released twice. */
void signals_hold(Cli *cli);
/* Lets them through again. */
void signals_release(Cli *cli);
/* Has one of them come? */
bool signals_caught(void);
/* Starts a program, to which nothing is held back; `said`: where its standard error goes, -1 to
 * ours. 0, or an errno. */
int signals_spawn(const Cli *cli, pid_t *pid, char **argv, int said);
/* Waits for the end of one of these processes, which are all that there are where they are several;
 * ends them when a signal has come that is held back. As waitpid. */
pid_t signals_wait(const Cli *cli, const pid_t *pids, int count, int *status);

#endif
