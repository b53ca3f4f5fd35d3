/* Floats are accumulated in several places at once, by the number of the iteration in the innermost
 * loop, so that neither compilers nor processors wait for one sum after another. The order is the
 * same on every machine.
 *
 *   $0 = offloaded struct_for(S1dense) {      →     $0 = offloaded struct_for(S1dense) lanes { */
#include "config.h"

#include "pass/look.h"
#include "pass/pass.h"

enum { LEAVES_MOST = 16 }; /* of a variable: more would not stay in registers or near */

static void
find_lanes(Look *k, Task *t)
{
    bool floats = false, fits = !k->fails;
    for (int r = 0; r < t->reductions.count; r++) {
        const Type *type = t->reductions.items[r].var->type;
        floats |= type_is_float(type);
        fits &= type->leaf_count <= LEAVES_MOST;
    }
    t->lanes = floats && fits;
}

void
pass_lanes(Compile *c, Ir *ir, IrFunc *f)
{
    look_at_loops(c, ir, f, ENDS_IN_RANGE, find_lanes);
}
