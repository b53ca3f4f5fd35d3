/* Running the C compiler and the linker on generated C. */
#ifndef SNL_CLI_TOOL_TOOLCHAIN_H
#define SNL_CLI_TOOL_TOOLCHAIN_H

#include "cli/cli.h"

/* Where the runtime is: folders of snl/snlrt.h and libsnlrt.a, and that in which the standard
 * library is std/. SNLC_RUNTIME (a folder with include/, lib/ and share/) comes first, then the
 * stage/ of the tree in which snlc was built, then the installation around the running snlc, which
 * may have been moved, then the configured folders. */
typedef struct {
    const char *include, *lib, *library;
    const char *sources; /* the runtime in C, for snlc runtime --export */
} RuntimePlace;
RuntimePlace toolchain_runtime(Cli *cli);
/* The folder under which snlc is installed: the configured prefix, or where it was moved to. */
const char *toolchain_prefix(Cli *cli);

/* Where sources and intermediate files lie while a program is built, and where the sources are
 * kept, if they are: debug information names that folder. */
typedef struct {
    const char *temporary, *kept;
} BuildFolders;

/* The commands that turn the sources into `output`. Several sources make a library. A single one
 * may be compiled in parts, all at once. */
typedef struct {
    Strings words;
    bool beside; /* it may run while the one before does */
} Command;
typedef VEC(Command) Commands;
void toolchain_commands(Cli *cli, OutputKind kind, const Strings *sources, int parts,
                        const char *output, const BuildFolders *folders, Commands *out);

/* Runs the commands in order (prints them with -v, only prints with -###). 0,
 * EXIT_UNAVAILABLE when the tool is missing, EXIT_INTERNAL when it refuses the generated C, EXIT_IO
 * when it cannot be started. */
int toolchain_run(Cli *cli, const Commands *commands);

/* The file of a command, by PATH where its name has no slash; or NULL. */
const char *toolchain_find(Cli *cli, const char *name);
/* Flags for generated C and for linking, as `snlc config` prints them. */
void toolchain_cflags(Cli *cli, Strings *out);
void toolchain_libs(Cli *cli, Strings *out);
/* What a linker other than nvcc needs besides for CUDA. 0, or EXIT_UNAVAILABLE after a message. */
int toolchain_cuda_libs(Cli *cli, Strings *out);

#endif
