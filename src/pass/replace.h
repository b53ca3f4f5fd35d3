/* What stands in place of an instruction that a pass leaves out. A list has an entry for each
 * number of an instruction, NULL where it stays. A replacement may be replaced in turn. */
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

/* Goes into the blocks of an instruction by `visit`, and then puts these in what the blocks compute
 * for it: only then is it known what stands in place of that. Its operands come before. */
static inline void
replace_in_blocks(Inst *const *replaced, Inst *i, void (*visit)(Block *b, void *arg), void *arg)
{
    for (int k = 0; k < 2; k++)
        if (i->blocks[k])
            visit(i->blocks[k], arg);
    if (i->kind == INST_ASSERT)
        replace_put(replaced, &i->assert_args);
}

#endif
