/* Pass effects: notes on each task of a kernel what it reads, writes, adds to and may activate. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/effects.h"

void
pass_effects(Compile *c, Ir *ir, IrFunc *f)
{
    effects_find(c, ir, f);
}
