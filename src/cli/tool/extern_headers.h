/* Files that are no part of a program and decide what the C compiler makes of it. */
#ifndef SNL_CLI_TOOL_EXTERN_HEADERS_H
#define SNL_CLI_TOOL_EXTERN_HEADERS_H

#include "cli/cli.h"

/* The files that a command for the C compiler reads besides the generated source, as far as its
 * words and the environment tell: the tools, headers with those that they include, objects and
 * libraries. Those of the system are left out. Folders that words name are among them. */
void extern_headers_files(Cli *cli, const Strings *words, Strings *files);
/* Adds the headers of --include, and what they include but for headers of the system. */
void extern_headers_find(Cli *cli, Strings *files);

#endif
