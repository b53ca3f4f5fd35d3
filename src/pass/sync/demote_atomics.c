/* Atomic operations on elements that no other iteration of the loop writes (disjoint_writes.h)
 * become plain operations.
 *   for i, j in x { x[j, i + 1] += 1.0; for k in 0..9 { h[i, j, k] += 1; } }
 *       <f32> $9 = atomic add $8 <- $7       →       <f32> $9 = plain add $8 <- $7
 * Checks for races of plain stores to such elements are dropped.
 *
 * Atomic operations of functions on inout parameters become plain operations, if no parallel loop
 * gives the parameter an element that other iterations reach. The checker knows coarsely which
 * parameters may get one (Var.is_reached): any element of a field. Here elements that each
 * iteration has for itself (disjoint_writes.h) are told apart.
 *   func add(inout f32 a) { ... a += 1.0; ... }
 *   kernel k() { for i in x { add(x[i]); } }
 *       <f32> $9 = atomic add $8 <- $7       →       <f32> $9 = plain add $8 <- $7
 */
#include "config.h"

#include "pass/pass.h"

#include "analysis/disjoint_writes.h"
#include "ir/inst_info.h"

static bool
is_inout(const Var *v)
{
    return v->mode == PARAM_INOUT && v->type->kind != TYPE_EXTERN;
}

/* ---- which inout parameters other iterations reach ---- */

typedef struct {
    DisjointWrites *loop;    /* the parallel loop around; NULL: none */
    bool in_function;        /* which loops may call */
} Search;

/* Marks the parameters that the call gives what other iterations may reach; what it gives on of its
 * own parameters, Var.given_to tells. */
static void
note_call(Inst *i, void *arg)
{
    const Search *s = arg;
    for (int a = 0; i->kind == INST_CALL && a < i->args.count; a++) {
        Var *to = i->func->params.items[a];
        if (!is_inout(to))
            continue;
        const Inst *base = affine_place_base(i->args.items[a]);
        const Var *v =
            base->kind == INST_VAR && base->var->type->kind != TYPE_EXTERN ? base->var : NULL;
        if (!v || (v->mode != PARAM_INOUT && !var_is_own(v)))
            to->is_reached |= s->in_function || (s->loop && !disjoint_writes_has(s->loop, base));
    }
}

static void
note_calls_in_block(Block *b, void *arg)
{
    block_walk(b, note_call, arg);
}

static void
note_calls_in_loops(Compile *c, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    const AffineFacts *indices = loops.count ? affine_new(c, f) : NULL;
    for (int n = 0; n < loops.count; n++) {
        DisjointWrites o = disjoint_writes_of(c, indices, loops.items[n]);
        block_walk(loops.items[n]->body, note_call, &(Search){.loop = &o});
    }
}

/* Sets Var.is_reached of all inout parameters anew. */
static void
find_reached(Compile *c, Ir *ir)
{
    Search in_function = {.in_function = true};
    for (int i = 0; i < ir->funcs.count; i++)
        for (int k = 0; k < ir->funcs.items[i]->func->params.count; k++)
            ir->funcs.items[i]->func->params.items[k]->is_reached = false;
    for (int i = 0; i < ir->funcs.count; i++) {
        IrFunc *f = ir->funcs.items[i];
        if (f->func->kind == FUNC_DEVICE)
            ir_walk_blocks(f, note_calls_in_block, &in_function);
        else
            note_calls_in_loops(c, f);
    }
    prog_spread_reached(c, ir->prog);
    ir->knows_reached = true;
}

static bool
has_reached(const Func *f)
{
    for (int k = 0; k < f->params.count; k++)
        if (f->params.items[k]->is_reached)
            return true;
    return false;
}

/* ---- what becomes plain ---- */

/* Is the element that a place begins with one that no other iteration of the loop writes, or, in
 * functions, reaches? */
static bool
is_own(DisjointWrites *loop, const Inst *base)
{
    if (loop)
        return disjoint_writes_has(loop, base);
    return base->kind == INST_VAR && is_inout(base->var) && !base->var->is_reached;
}

static void
demote_inst(Inst *i, void *arg)
{
    if (i->kind == INST_ATOMIC && !i->plain)
        i->plain = is_own(arg, affine_place_base(i->args.items[0]));
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
        if (i->kind != INST_CHECK_RACE || !is_own(o, affine_place_base(i->args.items[0])))
            b->insts.items[kept++] = i;
    }
    if (b)
        b->insts.count = kept;
}

void
pass_demote_atomics(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    const AffineFacts *indices = loops.count ? affine_new(c, f) : NULL;
    for (int n = 0; n < loops.count; n++) {
        DisjointWrites o = disjoint_writes_of(c, indices, loops.items[n]);
        block_walk(loops.items[n]->body, demote_inst, &o);
        drop_checks(&o, loops.items[n]->body);
    }
    if (f->func->kind != FUNC_DEVICE || (!ir->knows_reached && !has_reached(f->func)))
        return;
    if (!ir->knows_reached)
        find_reached(c, ir);
    block_walk(f->body, demote_inst, NULL);
}
