/* Atomic operations of functions on inout parameters become plain operations, if no parallel loop
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

typedef struct {
    DisjointWrites *loop;             /* the parallel loop around; NULL: none */
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
        if (to->mode != PARAM_INOUT || to->type->kind == TYPE_EXTERN)
            continue;
        const Inst *base = affine_place_base(i->args.items[a]);
        const Var *v =
            base->kind == INST_VAR && base->var->type->kind != TYPE_EXTERN ? base->var : NULL;
        const bool is_own = v && (v->mode == PARAM_INOUT || var_is_own(v));
        if (!is_own)
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
        Search s = {.loop = &o};
        block_walk(loops.items[n]->body, note_call, &s);
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

static void
settle_atomic(Inst *i, void *arg)
{
    (void)arg;
    if (i->kind != INST_ATOMIC || i->plain)
        return;
    const Inst *base = affine_place_base(i->args.items[0]);
    i->plain = base->kind == INST_VAR && base->var->mode == PARAM_INOUT &&
               base->var->type->kind != TYPE_EXTERN && !base->var->is_reached;
}

void
pass_demote_inouts(Compile *c, Ir *ir, IrFunc *f)
{
    if (f->func->kind != FUNC_DEVICE || (!ir->knows_reached && !has_reached(f->func)))
        return;
    if (!ir->knows_reached)
        find_reached(c, ir);
    block_walk(f->body, settle_atomic, NULL);
}
