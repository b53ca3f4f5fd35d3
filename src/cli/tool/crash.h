/* crash.h - What is said when the compiler itself breaks, by a signal, an assertion or broken IR: a
 * file to report, and a way round. No memory but what is lent. */
#ifndef SNL_CLI_TOOL_CRASH_H
#define SNL_CLI_TOOL_CRASH_H

#include <stddef.h>

#include "cli/cli.h"

enum { CRASH_STACK_BYTES = 1 << 16 };
/* From now on a signal for a broken program writes a report, says so, and ends the process with
 * EXIT_INTERNAL; after a pass that can be left out the process goes back to its checkpoint, if it
 * has one. `stack`, of CRASH_STACK_BYTES and there until the end, serves where the other one is
 * used up. */
void crash_catch(void *stack, char *const *argv);
/* Whose command line and sources a report has from now on; NULL: none. */
void crash_watch(const Cli *cli, const Compile *c);
/* Writes a report on what went wrong. Its path, or "" where no file can be made. */
const char *crash_report(const char *what);

#endif
