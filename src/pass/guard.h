/* guard.h - the condition under which alone the iterations of a loop do something. */
#ifndef SNL_PASS_GUARD_H
#define SNL_PASS_GUARD_H

#include "ir/ir.h"

/* The body does nothing but where the condition is as `wanted` says. */
typedef struct {
    const Inst *condition;
    bool wanted;
    int at;     /* of the branch in the body */
} Guard;

/* `{ continue; }` */
bool guard_only_continues(const Block *b);
/* Finds it, before all else in the body: `if (condition) { ... }`, with nothing after it, or
 * `if (condition) { continue; }`. */
bool guard_find(const Block *body, Guard *g);
/* Does the instruction ask which iteration of how many it is in? */
bool guard_counts(const Ir *ir, const Inst *i);
/* Drops it: the body does what it does where the condition holds. */
void guard_drop(Compile *c, Block *body, const Guard *g);

#endif
