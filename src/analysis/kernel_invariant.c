/* Finds values that are the same before a loop of a kernel and in all its iterations. */
#include "config.h"

#include "analysis/kernel_invariant.h"

#include "ir/inst_info.h"

bool
kernel_invariant(const Inst *i)
{
    if (i->kind == INST_LOAD) {
        const Inst *place = i->args.items[0];
        return inst_is_fixed_load(i) && place->kind == INST_VAR &&
               (place->var->kernel_level || place->var->kind == VAR_ARG);
    }
    if (!inst_is_pure(i) || i->blocks[0] || i->kind == INST_VAR)
        return false;
    for (int a = 0; a < i->args.count; a++)
        if (!kernel_invariant(i->args.items[a]))
            return false;
    return true;
}

bool
kernel_invariant_is_same(const Inst *a, const Inst *b)
{
    if (a == b)
        return true;
    if (!inst_is_alike(a, b))
        return false;
    for (int n = 0; n < a->args.count; n++)
        if (!kernel_invariant_is_same(a->args.items[n], b->args.items[n]))
            return false;
    return true;
}
