/* snlc check --fix: makes the fixes that diagnostics offer. */
#ifndef SNL_CLI_TOOL_FIX_H
#define SNL_CLI_TOOL_FIX_H

#include "cli/cli.h"

/* Makes the fixes of the errors and warnings in a file, until none is left, and replaces it in one
 * step. Says how many it made. What cannot be read is left to the check that follows. */
int fix_file(Cli *cli, const char *file);

#endif
