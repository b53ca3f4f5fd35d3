/* Compile: the state of one compilation, passed first to every stage. Owns (through the arena) all
 * memory but nothing global. */
#ifndef SNL_BASE_COMPILE_H
#define SNL_BASE_COMPILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/source.h"
#include "base/text.h"
#include "base/unique_names.h"
#include "base/vec.h"

/* bounds: index, division, shift, uninitialised, cast */
typedef enum { CHECK_BOUNDS = 1, CHECK_OVERFLOW = 2, CHECK_RACE = 4 } CheckKind;
/* What is always looked at in the sizes of nodes. */
enum { CHECK_SIZES = CHECK_BOUNDS | CHECK_OVERFLOW };

typedef struct {
    const char *name, *value; /* -D NAME=value: value is SNL expression text */
    bool used;
} Define;

typedef struct {
    VEC(const char *) import_dirs; /* -I and SNLC_PATH */
    const char *library;           /* the folder that imports of "std/…" are found in at last, or
                                    * NULL */
    VEC(Define) defines;
    bool packed;                   /* --packed */
    unsigned check;                /* CheckKind bits of --check */
    bool no_assert;
    bool no_fma;                   /* -fno-fma */
    bool fast;                     /* -ffast */
    bool keep_syntax;              /* the AST stays after the check */
    bool no_warnings;
    bool quiet;                    /* -q: only errors are told */
    const char *tuned;             /* text of @tuned layouts in place of those of the program, or
                                    * NULL */
    bool no_line;                  /* --no-line */
    bool debug;                    /* -g: with -O0, names that only a debugger asks for stay */
    bool gpu;                      /* --target is one for GPUs: each cell of a loop has a thread of
                                    * its own */
    int optimize;                  /* -O */
    VEC(const char *) passes_off;  /* -fno-PASS */
    bool werror;
    bool perf;                     /* -Wperf: says which loops could not be made fast */
    VEC(const char *) warnings_off, warnings_error; /* -Wno-NAME, -Werror=NAME: codes such as
                                                     * W0401 */
    VEC(const char *) prefix_maps; /* -ffile-prefix-map=A=B */
} Options;

/* What the compiler is at, and what it found wrong with itself there: for who reports that. */
typedef struct {
    const char *name;  /* "cse", "lowering"; NULL: nothing that is known */
    bool is_pass;
    bool is_optional;  /* -fno-NAME leaves this pass out */
    const char *error; /* what the verifier says, or NULL */
    const char *dump;  /* the function that it says that of */
} Stage;

typedef struct Compile {
    Arena *arena;
    Arena *syntax; /* what only parser and checker use: the AST, scopes; emptied when a program is
                    * checked */
    Arena *bodies; /* checked expressions and statements of functions; emptied when there is IR to
                    * emit */
    Arena *scratch; /* what ends with the function that a pass or an emitter is at; they empty it */
    Intern *intern;
    Sources sources;
    Options options;
    VEC(Diag *) diags;
    Diag *dropped; /* stands for every diagnostic that is not kept */
    int error_count, warning_count;
    bool syntax_errors; /* parts of the program were skipped: what seems unused may be used there */
    Map lost;      /* names in these parts: that they are not declared is no other mistake */
    bool too_many; /* errors beyond the limit were dropped */
    Stage stage;
    Map stats;     /* counter name -> double *, see stat_add */
} Compile;

/* Initialises a compilation with default options (-O2, checks off, asserts on, FMA on). */
void compile_init(Compile *c);
/* Frees everything. */
void compile_free(Compile *c);
/* Adds to a named statistics counter ("codegen_offloaded_tasks", …). */
void stat_add(Compile *c, const char *name, double by);

#endif
