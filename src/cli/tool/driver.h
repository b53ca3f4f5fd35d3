/* One compilation from file to text: front end, lowering, passes, emission. The steps every command
 * shares. */
#ifndef SNL_CLI_TOOL_DRIVER_H
#define SNL_CLI_TOOL_DRIVER_H

#include "check/prog.h"
#include "cli/cli.h"
#include "emit/emit.h"

typedef struct {
    Compile c;
    Prog *prog;            /* NULL when the file cannot be read */
    Strings inputs;        /* files read, main file first */
    double started, stage; /* seconds, for --time-trace */
    Text trace;
    int parts;          /* in which the C compiler can take the source */
    bool said;          /* there were diagnostics before lowering */
} Drive;

/* Front end on one file; prints all diagnostics. Returns 0, EXIT_ERRORS or EXIT_NOINPUT. Always
 * ends with driver_end. */
int driver_check(Cli *cli, Drive *d, const char *file, unsigned check_kinds);
/* Prints the diagnostics of a compilation on standard error, as the command line asks. */
void driver_print_diags(const Cli *cli, const Compile *c);
/* The text of an error that was found, copied. */
const char *driver_first_error(const Drive *d, Arena *a);
/* Lowers, runs the passes and emits C source and header. */
int driver_emit(Cli *cli, Drive *d, const EmitOptions *options, Text *source, Text *header);
/* Marks the end of a named stage in the time trace. */
void driver_stage(Drive *d, const char *name);
/* Does `one` for each file, for up to -j of them at a time, each in a process of its own then. The
 * highest status wins. */
int driver_files(Cli *cli, int (*one)(Cli *cli, const char *file));
/* Is an output that options name, or one of `more` (some may be NULL), a file that was
 * read, a header of extern functions, or another output? 0, or EXIT_USAGE after a message. */
int driver_check_outputs(Cli *cli, Drive *d, const char *const *more, size_t count);
/* Can several files have one output with the other options? 0, or EXIT_USAGE after a message. */
int driver_check_names(Cli *cli);
/* Can several files have outputs of their own with the other options? 0, or EXIT_USAGE after a
 * message. */
int driver_check_several(Cli *cli);
/* Writes --time-trace and --stats when asked for, frees everything. Returns `status`, or that of a
 * failed write. */
int driver_end(Cli *cli, Drive *d, int status);

#endif
