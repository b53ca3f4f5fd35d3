/* Executables kept in the user's cache: `snlc run` and `snlc test` build a program once. The key is
 * a hash of everything that decides the bytes of the executable: generated C, compiler command,
 * runtime library. */
#ifndef SNL_CLI_TOOL_CACHE_H
#define SNL_CLI_TOOL_CACHE_H

#include "cli/tool/driver.h"

/* The executable that `snlc run` made for the same command line from the same files, or NULL; *name
 * gets the program's name. */
const char *cache_recall(Cli *cli, const char **name);
/* Notes for cache_recall what came of a program. 0, or an exit status after a message. */
int cache_remember(Cli *cli, const Drive *d, const char *path);
/* Is something else asked for than the executable in the cache: -o, --header, --manifest, -MD,
 * --save-temps? */
bool cache_keeps(const Cli *cli);
/* The executable of a checked program, from the cache or newly built; what else is asked for is
 * written, but not for @check tests, which are in an executable of their own. *path gets its name.
 * 0, or an exit status after a message. */
int cache_executable(Cli *cli, Drive *d, const EmitOptions *options, const char **path);

#endif
