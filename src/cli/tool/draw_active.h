/* Drawing what is active in a saved layout, a .snlt file of a compiled program. */
#ifndef SNL_CLI_TOOL_DRAW_ACTIVE_H
#define SNL_CLI_TOOL_DRAW_ACTIVE_H

#include "cli/cli.h"
#include "cli/tool/driver.h"

/* Writes an SVG of the active cells that the file has of one of the layouts; 0, or an exit status
 * after a message. */
int draw_active(Cli *cli, Compile *c, LayoutList trees, const char *path, Text *out);

#endif
