/* replaced.h - what stands in place of instructions that a pass leaves out: an instruction for each
 * number of one, NULL where it stays. That may be replaced in turn. */
#ifndef SNL_PASS_REPLACE_H
#define SNL_PASS_REPLACE_H

#include "ir/ir.h"

/* What stands in the end in place of an instruction, itself where it stays; NULL for NULL. */
static inline Inst *
replace_find(Inst *const *replaced, Inst *i)
{
    while (i && replaced[i->id])
        i = replaced[i->id];
    return i;
}

/* Puts these in the list. */
static inline void
replace_put(Inst *const *replaced, Insts *list)
{
    for (int n = 0; n < list->count; n++)
        list->items[n] = replace_find(replaced, list->items[n]);
}

#endif
