/* What is known of C compilers by their names and versions. */
#ifndef SNL_CLI_TOOL_COMPILER_H
#define SNL_CLI_TOOL_COMPILER_H

#include "cli/cli.h"

/* The words of a command as one line for the shell. */
const char *compiler_command_text(Arena *a, const Strings *command);
/* Is it clang that the words of a command call, or zig, which is clang? Its name has to tell. */
bool compiler_is_clang(const Strings *command);
/* Does the compiler make programs for another processor than this one? Its name has to tell
 * (aarch64-linux-gnu-gcc), or a word -target. */
bool compiler_is_cross(const Strings *command);
/* Does the compiler need SNL_NARROW_CFLAGS? gcc 12.1 and 12.2 for x86 do; configure.ac says why.
 * The default compiler is what configure found. Another whose name says that it is gcc is asked: it
 * may be older, or one for other processors, and not know these options. */
bool compiler_gets_wide_constants_wrong(Cli *cli, const Strings *command);
/* Does the compiler of the host that nvcc calls, with these options? */
bool compiler_of_nvcc_gets_wide_constants_wrong(Cli *cli, const Strings *nvcc);

#endif
