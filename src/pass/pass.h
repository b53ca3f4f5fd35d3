/* Passes over the IR: src/pass/passes.def is the pipeline; each can be switched off by -fno-NAME
 * and printed after by --print-ir=NAME. */
#ifndef SNL_PASS_PASS_H
#define SNL_PASS_PASS_H

#include "base/edit_distance.h"
#include "ir/ir.h"

/* Runs the pipeline on every function. `print_after` (a pass name, "all", or NULL) dumps to `out`.
 * Verifies after each pass in builds with assertions; counts statistics (codegen_*). */
void passes_run(Compile *c, Ir *ir, const char *print_after, Text *out);
/* The name of the pass that is called so: also with hyphens, or by its name before 0.2. NULL: there
 * is none. */
const char *pass_find(const char *name);
/* Looks for a name among those of all passes. */
void pass_names_try(Nearest *n);

#define PASS(name, required, side, reads, changes, what) \
    void pass_##name(Compile *c, Ir *ir, IrFunc *f);
#include "pass/passes.def"
#undef PASS
/* scalar/fold.c: folds what follows from constants in the outermost block of a task. */
void fold_block(Compile *c, IrFunc *f, Block *b);
/* scalar/dce.c: drops what nobody needs of the outermost block of a task. */
void dce_block(Compile *c, const IrFunc *f, Block *b);

#endif
