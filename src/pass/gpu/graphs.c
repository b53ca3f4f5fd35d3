/* Marks loops of host code whose iterations may start the same loops on a GPU each time. The
 * runtime records what an iteration starts. If the next one starts the same, it goes as one graph
 * (runtime/gpu/gpu_graph.h):
 *     for t in 0..$3 step $4 {                          for t in 0..$3 step $4 graph {
 *         $5 = call step()                      →           $5 = call step()
 *     }                                                 }
 * Only innermost loops are marked. Iterations of outer loops start different things. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"

typedef struct {
    const Ir *ir;
    bool *seen;         /* by Func id: host functions that were looked at */
    bool starts;        /* a kernel is called */
    bool inner;         /* a loop inside is marked */
} Search;

/* Does a function, which is no kernel, call one, itself or through others? */
static bool
calls_kernel(Search *s, const IrFunc *f)
{
    for (int i = 0; i < f->calls.count; i++) {
        const Func *g = f->calls.items[i];
        if (g->kind == FUNC_KERNEL)
            return true;
        if (g->kind != FUNC_HOST || s->seen[g->id])
            continue;
        s->seen[g->id] = true;
        if (calls_kernel(s, ir_func(s->ir, g)))
            return true;
    }
    return false;
}

static void
note_call(Inst *i, void *arg)
{
    Search *s = arg;
    s->inner = s->inner || i->graph;
    if (i->kind == INST_CALL && !s->starts)
        s->starts = i->func->kind == FUNC_KERNEL ||
                    (i->func->kind == FUNC_HOST && calls_kernel(s, ir_func(s->ir, i->func)));
}

/* Marks the loops of a block, from the innermost ones on. */
static void
mark_loops(Compile *c, const Ir *ir, Block *b)
{
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                mark_loops(c, ir, i->blocks[k]);
        if (i->kind != INST_FOR && i->kind != INST_WHILE)
            continue;
        Search s = {.ir = ir, .seen = ARENA_ARRAY(c->scratch, bool, ir->prog->funcs.count)};
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                block_walk(i->blocks[k], note_call, &s);
        i->graph = s.starts && !s.inner;
    }
}

void
pass_graphs(Compile *c, Ir *ir, IrFunc *f)
{
    if (f->body && f->func->kind != FUNC_DEVICE && f->func->kind != FUNC_KERNEL)
        mark_loops(c, ir, f->body);
}
