/* Calls of small functions in parallel loops become their bodies, so that later passes see through
 * them: indices of elements that a function reads, stores that only the loop's own iteration makes,
 * loops that can be vectorised.
 *
 *     <f32> $6 = call mean__x($5)            <i32> $7 = const 1
 *                                     →      <i32> $8 = $5 - $7
 *                                            ...
 *                                            <f32> $6 = $15 * $16
 *
 * A function is taken in where its only return is its last statement, it calls nothing itself, and
 * gets its arguments by value. */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/pass.h"

enum { INSTS_MOST = 400 };

typedef struct {
    Compile *c;
    const Ir *ir;
    IrFunc *f;          /* gets the code */
    /* the call at hand */
    Inst *call;
    const IrFunc *from;
    const Inst *result; /* value that `from` returns, or NULL */
    Inst **insts;       /* by id in `from`: the copy */
    Var **vars;         /* by id in `from`: the copy */
    Inst **values;      /* by id in `from`: the argument that stands for a parameter, or NULL */
} Inliner;

/* ---- which functions ---- */

typedef struct {
    int insts, returns;
    bool fits;
} Size;

static void
note_size(Inst *i, void *arg)
{
    Size *s = arg;
    s->insts++;
    s->returns += i->kind == INST_RETURN;
    s->fits &= i->kind != INST_CALL || i->func->kind == FUNC_EXTERN;
}

static bool
is_param_load(const Inst *i)
{
    return i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR &&
           i->args.items[0]->var->kind == VAR_ARG;
}

static bool
can_inline(const IrFunc *f)
{
    Size s = {0, 0, true};
    if (!f || !f->body || !f->body->insts.count || f->uses_random || f->checks_races)
        return false;
    for (int k = 0; k < f->func->params.count; k++) {
        const Var *v = f->func->params.items[k];
        if (v->mode != PARAM_VALUE || v->type->kind == TYPE_ARRAY || v->type->kind == TYPE_EXTERN)
            return false;
    }
    block_walk(f->body, note_size, &s);
    const Inst *last = f->body->insts.items[f->body->insts.count - 1];
    bool ends = last->kind == INST_RETURN && s.returns == 1 &&
                (!last->args.count || !is_param_load(last->args.items[0]));
    return s.fits && s.insts <= INSTS_MOST &&
           (ends || (!s.returns && f->func->result->kind == TYPE_VOID));
}

/* ---- copies ---- */

static Var *
copy_var(Inliner *k, const Var *v)
{
    Var **copy = &k->vars[v->id];
    if (!*copy) {
        *copy = ARENA_NEW(k->c->arena, Var);
        **copy = *v;
        (*copy)->id = k->f->vars.count;
        (*copy)->kind = v->kind == VAR_ARG ? VAR_LOCAL : v->kind;
        vec_push(k->c->arena, &k->f->vars, *copy);
    }
    return *copy;
}

static Block *copy_block(Inliner *k, const Block *b);

static void
copy_operands(Inliner *k, const Inst *i, Inst *to)
{
    to->args = (Insts){0};
    for (int a = 0; a < i->args.count; a++)
        ir_arg(k->c, to, k->insts[i->args.items[a]->id]);
    for (int s = 0; s < 2; s++)
        to->blocks[s] = i->blocks[s] ? copy_block(k, i->blocks[s]) : NULL;
    if (i->kind == INST_VAR || i->kind == INST_CHECK_INIT)
        to->var = copy_var(k, i->var);
    if (i->kind == INST_FOR || i->kind == INST_FOR_CELLS) {
        to->vars.items = NULL;
        to->vars.count = to->vars.room = 0;
        for (int v = 0; v < i->vars.count; v++)
            vec_push(k->c->arena, &to->vars, copy_var(k, i->vars.items[v]));
    }
    if (i->kind == INST_ASSERT) {
        to->assert_args = (Insts){0};
        for (int a = 0; a < i->assert_args.count; a++)
            vec_push(k->c->arena, &to->assert_args, k->insts[i->assert_args.items[a]->id]);
    }
}

/* The place of a parameter that its argument stands for is not copied, and its value is the
 * argument. */
static bool
is_argument(Inliner *k, const Inst *i)
{
    if (i->kind == INST_VAR && i->var->kind == VAR_ARG && k->values[i->var->id])
        return true;
    if (!is_param_load(i) || !k->values[i->args.items[0]->var->id])
        return false;
    k->insts[i->id] = k->values[i->args.items[0]->var->id];
    return true;
}

static void
copy_inst(Inliner *k, const Inst *i, Block *to)
{
    if (i->kind == INST_RETURN || is_argument(k, i))
        return;
    Inst *copy = i == k->result ? k->call : ARENA_NEW(k->c->arena, Inst);
    *copy = *i;
    k->insts[i->id] = copy;
    copy_operands(k, i, copy);
    block_add(k->c, to, copy);
}

static Block *
copy_block(Inliner *k, const Block *b)
{
    Block *copy = ARENA_NEW(k->c->arena, Block);
    for (int n = 0; n < b->insts.count; n++)
        copy_inst(k, b->insts.items[n], copy);
    copy->result = b->result ? k->insts[b->result->id] : NULL;
    return copy;
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

/* Gives each parameter its argument: as a value where it is only read as a whole, else as a
 * variable. */
static void
bind_arguments(Inliner *k, const Insts *args, Block *to)
{
    bool *places = ARENA_ARRAY(k->c->scratch, bool, k->from->vars.count);
    block_walk(k->from->body, note_other_use, places);
    for (int a = 0; a < args->count; a++) {
        const Var *v = k->from->func->params.items[a];
        if (!places[v->id]) {
            k->values[v->id] = args->items[a];
            continue;
        }
        Inst *place = ir_new(k->c, INST_VAR, v->type, k->call->span),
             *store = ir_new(k->c, INST_STORE, NULL, k->call->span);
        place->var = copy_var(k, v);
        store->declares = true;
        ir_arg(k->c, store, place);
        ir_arg(k->c, store, args->items[a]);
        block_add(k->c, to, place);
        block_add(k->c, to, store);
    }
}

static void
take_in(Inliner *k, Inst *call, IrFunc *from, Block *to)
{
    int count = ir_number(from);
    const Inst *last = from->body->insts.items[from->body->insts.count - 1];
    Insts args = call->args;
    k->call = call;
    k->from = from;
    k->result = last->kind == INST_RETURN && last->args.count ? last->args.items[0] : NULL;
    k->insts = ARENA_ARRAY(k->c->scratch, Inst *, count);
    k->vars = ARENA_ARRAY(k->c->scratch, Var *, from->vars.count);
    k->values = ARENA_ARRAY(k->c->scratch, Inst *, from->vars.count);
    bind_arguments(k, &args, to);
    for (int n = 0; n < from->body->insts.count; n++)
        copy_inst(k, from->body->insts.items[n], to);
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
        IrFunc *from =
            i->kind == INST_CALL && i->func->kind == FUNC_DEVICE ? ir_func(k->ir, i->func) : NULL;
        if (can_inline(from))
            take_in(k, i, from, b);
        else
            block_add(k->c, b, i);
    }
    insts_free(k->c, &old);
}

static void
inline_tasks(Inliner *k, const Tasks *tasks)
{
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        if (t->kind == TASK_RANGE_FOR || t->kind == TASK_STRUCT_FOR)
            inline_block(k, t->body);
        inline_tasks(k, &t->tasks);
        inline_tasks(k, &t->orelse);
    }
}

void
pass_inline(Compile *c, Ir *ir, IrFunc *f)
{
    Inliner k = {.c = c, .ir = ir, .f = f};
    inline_tasks(&k, &f->tasks);
}
