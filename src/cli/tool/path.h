/* Paths, and the temporary folder of the process. */
#ifndef SNL_CLI_TOOL_PATH_H
#define SNL_CLI_TOOL_PATH_H

#include "cli/cli.h"

/* `path` with its suffix (from the last dot of the last component) replaced by `suffix` (".h"). */
const char *path_with_suffix(Arena *a, const char *path, const char *suffix);
/* Last component of a path. */
const char *path_base(const char *path);
/* True when `path` ends in `suffix`. */
bool path_ends(const char *path, const char *suffix);
/* Do two paths name one file, however they are spelt? It need not be there. */
bool path_is_same(Arena *a, const char *path, const char *other);
/* True when `path` is a folder. */
bool path_is_folder(const char *path);
/* Makes a folder and its parents, where they are missing. 0, or an errno, also when nothing can be
 * written there. */
int path_try_folder(Cli *cli, const char *path);
/* Where temporary files are: TMPDIR, or /tmp. */
const char *path_temporary_base(void);
/* A fresh private folder under TMPDIR (or /tmp), one at a time; NULL after a message. Signals are
 * held back until path_remove_folder. */
const char *path_temporary_folder(Cli *cli);
/* Removes that folder with the files in it. */
void path_remove_folder(Cli *cli);
/* The folder is that of this process from now on, which goes on for the one that made it. */
void path_take_folder(void);

#endif
