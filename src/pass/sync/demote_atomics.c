/* Atomic operations on elements that no other iteration of the loop writes (disjoint_writes.h)
 * become plain operations.
 *   for i, j in x { x[j, i + 1] += 1.0; for k in 0..9 { h[i, j, k] += 1; } }
 *       <f32> $9 = atomic add $8 <- $7       →       <f32> $9 = plain add $8 <- $7
 * Checks for races of plain stores to such elements are dropped. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/disjoint_writes.h"

static void
demote_inst(Inst *i, void *arg)
{
    DisjointWrites *o = arg;
    if (i->kind == INST_ATOMIC && !i->plain)
        i->plain = disjoint_writes_has(o, affine_place_base(i->args.items[0]));
}

/* Drops checks for races that cannot be. */
static void
drop_checks(DisjointWrites *o, Block *b)
{
    int kept = 0;
    for (int k = 0; b && k < b->insts.count; k++) {
        Inst *i = b->insts.items[k];
        drop_checks(o, i->blocks[0]);
        drop_checks(o, i->blocks[1]);
        if (i->kind != INST_CHECK_RACE ||
            !disjoint_writes_has(o, affine_place_base(i->args.items[0])))
            b->insts.items[kept++] = i;
    }
    if (b)
        b->insts.count = kept;
}

static void
demote_in(Compile *c, const AffineFacts *indices, Task *t)
{
    DisjointWrites o = disjoint_writes_of(c, indices, t);
    block_walk(t->body, demote_inst, &o);
    drop_checks(&o, t->body);
}

void
pass_demote_atomics(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    const Tasks loops = ir_loops(c, f);
    const AffineFacts *indices = loops.count ? affine_new(c, f) : NULL;
    for (int n = 0; n < loops.count; n++)
        demote_in(c, indices, loops.items[n]);
}
