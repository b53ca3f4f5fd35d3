/* The command line: what the user asked for, and the pieces the subcommands share. One Cli for the
 * process, passed first. */
#ifndef SNL_CLI_CLI_H
#define SNL_CLI_CLI_H

#include <signal.h>

#include "base/compile.h"
#include "base/edit_distance.h"

/* Exit statuses of CLI programs (sysexits.h numbers). */
enum {
    EXIT_OK = 0,
    EXIT_ERRORS = 1,
    EXIT_USAGE = 64,
    EXIT_NOINPUT = 66,
    EXIT_UNAVAILABLE = 69,
    EXIT_INTERNAL = 70,
    EXIT_NOMEM = 71,
    EXIT_CANTCREAT = 73,
    EXIT_IO = 74
};

typedef enum {
#define COMMAND(id, letter, name, function, arguments, summary) CMD_##id,
#include "cli/option/commands.def"
#undef COMMAND
    CMD_COUNT
} CommandId;

typedef enum {
#define TARGET(id, name, suffix, gpu) TARGET_##id,
#include "cli/option/targets.def"
#undef TARGET
    TARGET_COUNT
} Target;
typedef struct {
    const char *name, *suffix;
    bool gpu;
} TargetInfo;
typedef enum { KIND_AUTO, KIND_EXE, KIND_STATIC, KIND_SHARED, KIND_OBJECT } OutputKind;
typedef VEC(const char *) Strings;

typedef struct {
    Arena *arena;
    CommandId command;
    const char *program;     /* argv[0] */
    Strings files, run_args; /* run_args: after -- */
    Strings words;           /* all others of the command line, as expanded, and of SNLC_FLAGS */
    Options options;         /* handed to every compilation */
    bool help, version, verbose;
    bool keeps_diags;        /* diagnostics are not printed */
    Sarif *sarif;            /* the document, with --diagnostics=sarif */
    int held;                /* signals are held back, so often (signals.h); */
    sigset_t mask;           /* these before that */
    DiagFormat diagnostics;
    int color;               /* -1 auto, 0 never, 1 always */
    const char *output, *header, *hpp, *manifest, *prefix;
    Target target;
    OutputKind kind;
    bool keeps_main;         /* compile: for an executable */
    bool debug;
    bool print_ir;
    const char *print_ir_stage; /* NULL: lower */
    bool stats;
    const char *time_trace, *emit;
    bool depfile, depfile_phony;
    const char *depfile_name;
    Strings depfile_targets;
    int jobs;
    const char *cc, *nvcc, *arch;
    Strings cc_args, nvcc_args, linker_args;
    Strings extern_headers, given_headers; /* where they lie, and as they were given */
    bool has_foreign;        /* the program calls functions that are not its own */
    bool save_temps, dry_run, interpret;
    const char *filter, *junit;
    bool tap, benchmarks;
    int timeout;
    const char *threads; /* numbers between commas, or NULL */
    int repeats, warmup; /* 0, -1: not said */
    const char *bench_json, *plot;
    const char *export_folder;
    bool amalgamate;
    bool compare, plan, all;
    int budget;          /* seconds */
    const char *format, *at, *active;
    bool fix, fmt_check, fmt_diff;
    bool list, cflags, libs, cuda_libs, install_prefix, json;
} Cli;

/* One function a subcommand: does the work, returns the exit status. */
#define COMMAND(id, letter, name, function, arguments, summary) int function(Cli *cli);
#include "cli/option/commands.def"
#undef COMMAND

/* Does what --emit and --print-ir ask for, with each file. */
int dump_files(Cli *cli);

/* Parses the whole command line (response files, SNLC_FLAGS). Returns 0, or an exit status after a
 * message. */
int cli_parse(Cli *cli, int argc, char **argv);
/* Name of a command. */
const char *command_name(CommandId id);
/* Help of one command, or of snlc itself (CMD_COUNT), on standard output. */
void cli_print_help(CommandId id);
/* An error without a place, "snlc: …" on standard error; with --diagnostics=json or sarif as a
 * diagnostic object. */
void cli_error(const Cli *cli, DiagCode code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Where goes what is no diagnostic, such as the commands of -v: standard error, if there is nothing
 * else on it. */
FILE *cli_side(const Cli *cli);
/* What is said on standard error ends here: with --diagnostics=sarif it is a document. */
void cli_end_diags(Cli *cli);
/* A usage error: message, hint, EXIT_USAGE. */
int cli_usage(const Cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The question whether a word that is near to one is meant, for the end of a message; "" where none
 * is. */
const char *cli_did_you_mean(const Cli *cli, const Nearest *n, const char *dashes);
/* The usage error for a word that is no command; asks for one that is like it. */
int cli_unknown_command(const Cli *cli, const char *name);
/* Name, suffix and kind of a target. */
const TargetInfo *target_info(Target t);

#endif
