/* Warns of fields that @block_local names and that a loop on a GPU keeps neither as a halo nor as
 * an array that it only adds to, and says why. Such fields are not in the fast memory of a block of
 * lanes. Changes nothing. */
#include "config.h"

#include "pass/pass.h"

static bool
has_halo(const Task *t, const Field *f)
{
    for (int i = 0; i < t->halos.count; i++)
        if (t->halos.items[i]->field == f)
            return true;
    return false;
}

/* Is the field in an array that lanes add to a copy of? */
static bool
is_added_apart(const Task *t, const Field *f)
{
    const Node *n = node_top(f->leaves[0].node);
    return n && nodes_have(&t->scatter, n);
}

static const char *
reason(const Task *t, const Field *f)
{
    const Effects *did = &t->effects;
    if (!footprint_of(&did->reads, f) && !footprint_of(&did->accumulates, f))
        return footprint_of(&did->writes, f) ? "the loop only writes it"
                                             : "the loop does not use it";
    if (footprint_of(&did->accumulates, f))
        return "what a loop adds to must be two elements or more around its own cell, or, where it "
               "stages no neighbours that it reads, an array of at most 16 KiB with nothing in it "
               "but scalars of one type; and the loop neither reads nor writes it otherwise";
    if (t->unstaged)
        return t->unstaged;
    return "the loop does not read it at its own indices plus constants, or writes it, or all that "
           "it stages takes more than 32 KiB";
}

static void
look_at_task(Compile *c, const Task *t)
{
    Diag *d = NULL;
    for (int k = 0; k < t->block_local.count; k++) {
        const Field *f = t->block_local.items[k];
        if (has_halo(t, f) || is_added_apart(t, f))
            continue;
        if (!d)
            d = diag(c, W0602, t->span, "not all that @block_local names is staged");
        diag_note(d, f->span, "'%s' is not: %s", f->name, reason(t, f));
    }
}

void
pass_unstaged(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        look_at_task(c, loops.items[n]);
}
