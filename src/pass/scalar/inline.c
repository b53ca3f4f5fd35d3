/* Inlining of small functions, in loops and in functions that are too large to be inlined
 * themselves. Later passes then see the indices of elements that a function reads, stores that only
 * one iteration makes, and loops that can be vectorised.
 *
 *     <f32> $6 = call mean__x($5)            <i32> $7 = const 1
 *                                     →      <i32> $8 = $5 - $7
 *                                            ...
 *                                            <f32> $6 = $15 * $16
 *
 * A function is inlined if its only return is its last statement, it changes through its arguments
 * only variables, and its own calls can be inlined. What it computes from constants is then folded.
 */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"
#include "pass/clone.h"

enum { INSTS_MOST = 400, GROWN_MOST = 4000, DEPTH_MOST = 4 };

typedef struct {
    Compile *c;
    const Ir *ir;
    IrFunc *f; /* gets the code */
    bool changed;
} Inliner;

/* ---- which functions ---- */

typedef struct {
    const Ir *ir;
    const IrFunc *into; /* that gets the code: half of its own may be there only */
    int depth; /* of calls */
    int insts, returns;
    bool fits;
} Size;

static int size_of(const Ir *ir, const IrFunc *into, const IrFunc *f, int depth);

/* Is all that the function may change through its arguments in variables? */
static bool
changes_variables(const Inst *call)
{
    for (int a = 0; a < call->args.count; a++)
        if (call->func->params.items[a]->mode != PARAM_VALUE &&
            inst_place_root(call->args.items[a])->kind != INST_VAR)
            return false;
    return true;
}

/* The instructions of the function that is called, if it can be taken in; else 0. */
static int
size_of_called(const Ir *ir, const IrFunc *into, const Inst *call, int depth)
{
    const bool fits = call->kind == INST_CALL && call->func->kind == FUNC_DEVICE &&
                      changes_variables(call);
    return fits ? size_of(ir, into, ir_func(ir, call->func), depth) : 0;
}

static void
note_size(Inst *i, void *arg)
{
    Size *s = arg;
    s->insts++;
    s->returns += i->kind == INST_RETURN;
    if (i->kind == INST_CALL && i->func->kind != FUNC_EXTERN) {
        const int called = size_of_called(s->ir, s->into, i, s->depth + 1);
        s->insts += called;
        s->fits &= called > 0;
    }
}

static bool
is_param_load(const Inst *i)
{
    return i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR &&
           i->args.items[0]->var->kind == VAR_ARG;
}

/* The instructions of a function and of those that it calls, if it can be taken in; else 0. */
static int
size_of(const Ir *ir, const IrFunc *into, const IrFunc *f, int depth)
{
    Size s = {.ir = ir, .into = into, .depth = depth, .fits = true};
    if (depth == DEPTH_MOST || !f || f == into || !f->body || !f->body->insts.count ||
        f->inst_count > INSTS_MOST || f->uses_random || f->checks_races)
        return 0;
    for (int k = 0; k < f->func->params.count; k++) {
        const Var *v = f->func->params.items[k];
        if (v->type->kind == TYPE_ARRAY || v->type->kind == TYPE_EXTERN)
            return 0;
    }
    block_walk(f->body, note_size, &s);
    const Inst *last = f->body->insts.items[f->body->insts.count - 1];
    bool ends = last->kind == INST_RETURN && s.returns == 1 &&
                (!last->args.count || !is_param_load(last->args.items[0]) ||
                 type_is_arith(f->func->result));
    return s.fits && s.insts <= INSTS_MOST &&
                   (ends || (!s.returns && f->func->result->kind == TYPE_VOID))
               ? s.insts
               : 0;
}

/* ---- calls ---- */

static void
note_other_use(Inst *i, void *arg)
{
    bool *places = arg;
    for (int a = 0; a < i->args.count; a++)
        if (i->args.items[a]->kind == INST_VAR && i->kind != INST_LOAD)
            places[i->args.items[a]->var->id] = true;
}

typedef struct {
    Inst **insts;  /* by id: what stands for an instruction of the function */
    Inst **values; /* by variable: the argument, where that is a parameter which is only read as a
                    * whole, or a place; or NULL */
} Arguments;

static void
put_argument(Inst *i, void *arg)
{
    const Arguments *k = arg;
    const Inst *place = is_param_load(i) && i->args.items[0]->var->mode == PARAM_VALUE
                            ? i->args.items[0]
                            : i;
    if (place->kind == INST_VAR)
        k->insts[i->id] = k->values[place->var->id];
}

/* Gives each parameter its argument: as a value where it is only read as a whole, as the place that
 * it is, or as a variable. */
static void
bind_arguments(Clone *k, const IrFunc *from, const Insts *args, Block *to)
{
    bool *places = ARENA_ARRAY(k->c->scratch, bool, from->vars.count);
    Arguments arguments = {k->insts, ARENA_ARRAY(k->c->scratch, Inst *, from->vars.count)};
    block_walk(from->body, note_other_use, places);
    for (int a = 0; a < args->count; a++) {
        const Var *v = from->func->params.items[a];
        if (!places[v->id] || v->mode != PARAM_VALUE) {
            arguments.values[v->id] = args->items[a];
            continue;
        }
        Inst *place = ir_new(k->c, INST_VAR, v->type, k->into->span),
             *store = ir_new(k->c, INST_STORE, NULL, k->into->span);
        place->var = k->vars[v->id] = clone_var(k, v);
        store->defines = true;
        ir_arg(k->c, store, place);
        ir_arg(k->c, store, args->items[a]);
        block_add(k->c, to, place);
        block_add(k->c, to, store);
    }
    block_walk(from->body, put_argument, &arguments);
}

/* Makes a call the value that the function was given, which it returns as it is. */
static void
become(Inliner *k, Inst *call, Inst *given, Block *to)
{
    call->kind = INST_CAST; /* to its own type, which pass_fold takes away */
    call->func = NULL;
    call->args = (Insts){0};
    ir_arg(k->c, call, given);
    block_add(k->c, to, call);
}

static void
take_in(Inliner *k, Inst *call, IrFunc *from, Block *to)
{
    Compile *c = k->c;
    const int count = ir_number(from);
    const Insts *body = &from->body->insts, args = call->args;
    const Inst *last = body->items[body->count - 1];
    const bool returns = last->kind == INST_RETURN;
    Clone copy = {.c = c, .f = k->f, .renames = true, .into = call};
    copy.moved = returns && last->args.count ? last->args.items[0] : NULL;
    copy.insts = ARENA_ARRAY(c->scratch, Inst *, count);
    copy.vars = ARENA_ARRAY(c->scratch, Var *, from->vars.count);
    bind_arguments(&copy, from, &args, to);
    for (int n = 0; n < body->count - returns; n++)
        clone_inst(&copy, body->items[n], to);
    Inst *given = copy.moved ? copy.insts[copy.moved->id] : NULL;
    if (given && given != call)
        become(k, call, given, to);
}

static void
inline_block(Inliner *k, Block *b)
{
    Insts old = block_take(b);
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        for (int s = 0; s < 2; s++)
            if (i->blocks[s])
                inline_block(k, i->blocks[s]);
        if (size_of_called(k->ir, k->f, i, 0)) {
            take_in(k, i, ir_func(k->ir, i->func), b);
            k->changed = true;
        } else
            block_add(k->c, b, i);
    }
    insts_free(k->c, &old);
}

/* Only in the loops of a block. */
static void
inline_loops(Inliner *k, Block *b)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        for (int s = 0; s < 2; s++)
            if (inst_is_loop(i) && i->blocks[s])
                inline_block(k, i->blocks[s]);
            else
                inline_loops(k, i->blocks[s]);
    }
}

static void
inline_task(Task *t, void *arg)
{
    if (task_is_loop(t))
        inline_block(arg, t->body);
    else if (t->kind == TASK_SERIAL)
        inline_loops(arg, t->body);
}

/* Is it a function that loops may call, and that is not taken in itself, so that others need not
 * know its size? It does not grow without end. */
static bool
is_taker(const Ir *ir, const IrFunc *f)
{
    Size s = {.ir = ir};
    if (f->func->kind != FUNC_DEVICE || size_of(ir, NULL, f, 0))
        return false;
    block_walk(f->body, note_size, &s);
    return s.insts <= GROWN_MOST;
}

void
pass_inline(Compile *c, Ir *ir, IrFunc *f)
{
    Inliner k = {.c = c, .ir = ir, .f = f, .changed = true};
    int depth = 0;
    const bool takes = is_taker(ir, f);
    for (; k.changed; depth++) { /* what was taken in may have calls, too */
        k.changed = false;
        tasks_walk(&f->tasks, inline_task, &k);
        if (takes)
            inline_block(&k, f->body);
    }
    if (depth > 1)
        pass_fold(c, ir, f);
}
