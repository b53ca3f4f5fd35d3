/* Decides which values are written where they are used, and which become variables. A value with
 * one use moves into the expression of its user, unless something between the two could change what
 * it reads. Places, constants and values that cannot change are written as often as they are used.
 * Everything else is a variable, in the order of the instructions. */
#include "config.h"

#include <string.h>

#include "emit/code/code.h"
#include "ir/inst_info.h"

Plan *
inline_plan_of(Emit *e, const Inst *i)
{
    return &e->fn.plans[i->id];
}

static bool
is_integer(const Inst *i)
{
    return i->type && i->type->kind == TYPE_SCALAR &&
           scalar_info(i->type->scalar)->kind != KIND_FLOAT;
}

/* Cheap index arithmetic on what cannot change. */
static bool
is_cheap(const Inst *i)
{
    if (i->kind == INST_CONST)
        return i->type->kind == TYPE_SCALAR;
    if (inst_is_fixed_load(i) || i->kind == INST_PARAM || i->kind == INST_EXTENT ||
        i->kind == INST_LOOP_NUMBER || i->kind == INST_CHUNK || i->kind == INST_BOUND)
        return i->type->kind == TYPE_SCALAR;
    if (i->kind == INST_CAST)
        return is_integer(i) && is_integer(i->args.items[0]) && is_cheap(i->args.items[0]);
    if (i->kind == INST_BINARY && (i->op == OP_ADD || i->op == OP_SUB) && is_integer(i))
        return is_cheap(i->args.items[0]) && i->args.items[1]->kind == INST_CONST;
    return false;
}

/* Written wherever it is used, any number of times. */
static bool
is_repeatable(const Inst *i)
{
    switch (i->kind) {
    case INST_VAR: case INST_TABLE: case INST_ELEM: case INST_MEMBER: case INST_IN_CELL:
    case INST_HALO: case INST_WINDOW_COPY: case INST_WINDOW: case INST_STREAM:
    case INST_ROOT_PLACE: case INST_STRING:
    case INST_LOOP_CELL: case INST_ROOT: case INST_CHILD: case INST_PATCH: case INST_FETCHED:
    case INST_PARAM:
        return true;
    case INST_EXTENT: return true;
    case INST_LOOKUP: return i->node->kind == NODE_DENSE;
    default: return is_cheap(i) || inst_is_fixed_load(i);
    }
}

/* ---- what lies between a value and its use ---- */

/* A local variable that nothing else can reach. */
static const Var *
own_var(const Inst *root)
{
    return root->kind == INST_VAR && root->var->mode != PARAM_INOUT &&
                   root->var->type->kind != TYPE_EXTERN
               ? root->var
               : NULL;
}

static bool
passes_var(const Inst *call, const Var *v)
{
    for (int a = 0; a < call->args.count; a++) {
        const Inst *root = inst_place_root(call->args.items[a]);
        if (root->kind == INST_VAR && root->var == v)
            return true;
    }
    return false;
}

/* May the instruction change what is read from the place? */
static bool
changes(const Inst *i, const Inst *place)
{
    if (!inst_writes(i))
        return false;
    const Inst *root = inst_place_root(place);
    const Var *v = own_var(root);
    if (i->kind == INST_STORE || i->kind == INST_REDUCE) {
        const Inst *target = inst_place_root(i->args.items[0]);
        const Var *w = own_var(target);
        if (v || w)
            return v == w;
        return target->kind == INST_VAR || root->kind == INST_VAR || !target->field ||
               !root->field || target->field == root->field;
    }
    if (v && (i->kind == INST_CALL || i->kind == INST_ATOMIC))
        return passes_var(i, v);
    if (v && !i->blocks[0] && !i->blocks[1])
        return false;
    return true;
}

/* Does the value read memory, itself or in what is written into it? */
typedef bool (*Conflict)(const Inst *between, const Inst *value);

static bool
load_conflict(const Inst *between, const Inst *value)
{
    return changes(between, value->args.items[0]);
}

static bool
any_conflict(const Inst *between, const Inst *value)
{
    (void)value;
    return inst_writes(between);
}

static bool
is_free(const Block *b, int from, int to, Conflict conflict, const Inst *value)
{
    for (int n = from + 1; n < to && n < b->insts.count; n++)
        if (conflict(b->insts.items[n], value))
            return false;
    return true;
}

/* ---- planning ---- */

static void
note_block(Emit *e, Block *b)
{
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        Plan *plan = inline_plan_of(e, i);
        *plan = (Plan){.home = b, .at = n, .root = n};
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                note_block(e, i->blocks[k]);
    }
}

/* Uses, counted as often as their text is written; goes backwards, so that users are decided before
 * what they use. */
static void
use(Emit *e, const Inst *value, const Inst *user, const Block *b, int times)
{
    Plan *plan = inline_plan_of(e, value);
    plan->uses += times;
    plan->user = user;
    plan->used_in = plan->used_in && plan->used_in != b ? NULL : b;
}

static bool plan_block(Emit *e, Block *b);

/* Does C evaluate this with everything else of the statement in one go: the value of an assignment
 * to a variable? */
static bool
ends_in(const Inst *user, const Inst *i)
{
    if (user->kind == INST_RETURN)
        return true;
    return user->kind == INST_STORE && user->args.items[1] == i &&
           user->args.items[0]->kind == INST_VAR;
}

static bool
only_repeatable_between(const Block *b, int from, int to)
{
    for (int n = from + 1; n < to; n++)
        if (!is_repeatable(b->insts.items[n]))
            return false;
    return true;
}

/* One use, in the same block: where its statement stands; -1 otherwise. */
static int
single_root(Emit *e, const Inst *i)
{
    Plan *plan = inline_plan_of(e, i);
    if (plan->uses != 1 || plan->used_in != plan->home)
        return -1;
    const Inst *user = plan->user;
    if (!user) /* the result of the block */
        return plan->home->insts.count;
    Plan *up = inline_plan_of(e, user);
    return up->is_inline ? up->root : up->at;
}

/* What may change what is active must not lie between a value and its use. An append stores its
 * arguments after it has made room for them. */
static bool
keeps_activity(const Block *b, int from, int root, const Inst *value)
{
    bool appended = root < b->insts.count && b->insts.items[root]->kind == INST_APPEND;
    return is_free(b, from, appended ? root + 1 : root, any_conflict, value);
}

static bool
is_function_of_status(const Inst *i)
{
    return i->kind == INST_CALL && i->func->kind != FUNC_DEVICE && i->func->kind != FUNC_EXTERN;
}

static void
decide(Emit *e, Inst *i, bool nested_inline)
{
    Plan *plan = inline_plan_of(e, i);
    const Block *b = plan->home;
    int root = single_root(e, i);
    const InstInfo *info = inst_info(i->kind);
    plan->is_inline = false;
    if (info->result == '-')
        return;
    if (!plan->uses) { /* written nowhere, unless it does something */
        plan->is_inline = info->effects == 'P' || i->kind == INST_LOAD || is_repeatable(i);
        return;
    }
    if (is_repeatable(i)) {
        plan->is_inline = true;
        plan->root = root < 0 ? plan->at : root;
        return;
    }
    if (root < 0 || is_function_of_status(i))
        return;
    if (i->kind == INST_LOAD)
        plan->is_inline =
            i->type->kind != TYPE_ARRAY && is_free(b, plan->at, root, load_conflict, i);
    else if (i->kind == INST_LOGIC || i->kind == INST_COND)
        plan->is_inline = nested_inline && keeps_activity(b, plan->at, root, i);
    else if (info->effects == 'P')
        plan->is_inline =
            i->kind != INST_MAKE || i->type->kind != TYPE_ARRAY || ends_in(plan->user, i);
    else if (i->kind == INST_LENGTH || i->kind == INST_IS_ACTIVE)
        plan->is_inline = keeps_activity(b, plan->at, root, i);
    else if (i->kind == INST_CALL || i->kind == INST_RANDOM || i->kind == INST_PATCH_AT)
        plan->is_inline = plan->user && root == inline_plan_of(e, plan->user)->at &&
                          ends_in(plan->user, i) && only_repeatable_between(b, plan->at, root);
    if (plan->is_inline)
        plan->root = root;
}

/* What the number of a cell is made of. */
static void
note_numbers(Emit *e, const Inst *i)
{
    const bool lookup = i->kind == INST_LOOKUP && i->node->kind == NODE_DENSE;
    const bool part =
        inline_plan_of(e, i)->numbers && (i->kind == INST_BINARY || i->kind == INST_CAST);
    for (int a = lookup ? 1 : 0; (lookup || part) && a < i->args.count; a++)
        inline_plan_of(e, i->args.items[a])->numbers = true;
    if (inline_plan_of(e, i)->numbers && i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR)
        e->fn.numbers[i->args.items[0]->var->id] = true;
    if (i->kind == INST_STORE && i->defines && e->fn.numbers[i->args.items[0]->var->id])
        inline_plan_of(e, i->args.items[1])->numbers = true;
}

/* From the last instruction to the first. True when the block is nothing but its result. */
static bool
plan_block(Emit *e, Block *b)
{
    bool expression = b->result != NULL;
    if (b->result)
        use(e, b->result, NULL, b, 1);
    for (int n = b->insts.count - 1; n >= 0; n--) {
        Inst *i = b->insts.items[n];
        Plan *plan = inline_plan_of(e, i);
        bool nested = true;
        note_numbers(e, i);
        for (int k = 0; i->kind == INST_ASSERT && k < i->assert_args.count; k++)
            use(e, i->assert_args.items[k], NULL, i->blocks[0], 1); /* at the end of it */
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                nested = plan_block(e, i->blocks[k]) && nested;
        decide(e, i, nested);
        expression = expression && plan->is_inline;
        int times = plan->is_inline ? plan->uses : 1;
        for (int a = 0; a < i->args.count; a++)
            use(e, i->args.items[a], i, b, times + (i->kind == INST_FOR && a % 3 != 0 ? 1 : 0));
    }
    return expression;
}

/* The outermost blocks of a function. */
typedef struct {
    Emit *e;
    VEC(Block *) list;
} Blocks;

static void
note_outer(Block *b, void *arg)
{
    Blocks *blocks = arg;
    note_block(blocks->e, b);
    vec_push(blocks->e->arena, &blocks->list, b);
}

/* Bounds of a task are used outside of its setup block. */
static void
plan_bounds(Task *t, void *arg)
{
    const Insts *lists[] = {&t->from, &t->to, &t->step};
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < lists[k]->count; a++)
            if (lists[k]->items[a])
                use(arg, lists[k]->items[a], NULL, NULL, 2);
}

void
inline_plan_func(Emit *e, IrFunc *f)
{
    e->fn.plan_count = ir_number(f);
    if (e->fn.plan_count > e->fn.plan_room) {
        e->fn.plan_room = e->fn.plan_count;
        e->fn.plans = ARENA_ARRAY(e->arena, Plan, e->fn.plan_room);
    } else if (e->fn.plan_count > 0)
        memset(e->fn.plans, 0, sizeof *e->fn.plans * (size_t)e->fn.plan_count);
    Blocks blocks = {.e = e};
    ir_walk_blocks(f, note_outer, &blocks);
    tasks_walk(&f->tasks, plan_bounds, e);
    for (int n = blocks.list.count - 1; n >= 0; n--) /* users before what they use */
        plan_block(e, blocks.list.items[n]);
}
