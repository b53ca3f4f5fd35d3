/* Passes over the IR: src/pass/passes.def is the pipeline; each can be switched off by -fno-NAME
 * and printed after by --print-ir=NAME. */
#ifndef SNL_PASS_PASS_H
#define SNL_PASS_PASS_H

#include "base/near.h"
#include "ir/ir.h"

/* Runs the pipeline on every function. `print_after` (a pass name, "all", or NULL) dumps to `out`.
 * Verifies after each pass in builds with assertions; counts statistics (codegen_*). */
void passes_run(Compile *c, Ir *ir, const char *print_after, Text *out);
/* True when a pass of that name exists. */
bool pass_exists(const char *name);
/* Looks for a name among those of all passes. */
void pass_names_try(Nearest *n);

#define PASS(name, text, function, required, reads, changes, what) \
    void function(Compile *c, Ir *ir, IrFunc *f);
#include "pass/passes.def"
#undef PASS
/* pass_fold.c: folds what follows from constants in the outermost block of a task. */
void block_fold(Compile *c, IrFunc *f, Block *b);
/* pass_dce.c: drops what nobody needs of the outermost block of a task. */
void block_dce(Compile *c, const IrFunc *f, Block *b);

#endif
