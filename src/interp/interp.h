/* The reference interpreter: runs the checked program directly, slowly and in the plainest way,
 * with its own model of the trees. It shares no code with lowering or emission, so that it can be
 * the judge of both. Values live in the interpreter's own heap, freed when it returns. */
#ifndef SNL_INTERP_INTERP_H
#define SNL_INTERP_INTERP_H

#include "check/prog.h"

/* Runs `main` with the command line of an executable (argv[0] is the program; --NAME=VALUE sets
 * params, --seed=N …). Prints to standard output, errors to standard error. Returns the exit
 * status. */
int interp_main(Compile *c, Prog *p, int argc, char **argv);

/* Runs one test block on a fresh instance. Returns true when it passes (with @fails: when it ends
 * in a run-time error that holds the text); else *message gets the reason, in the arena. */
bool interp_test(Compile *c, Prog *p, Func *test, const char **message);

#endif
