/* The whole program to IR: functions, kernels as lists of tasks; what functions may do through
 * those they call. */
#include "config.h"

#include "ir/inst_info.h"
#include "ir/lower.h"

typedef VEC(Layout *) Layouts;

/* ---- kernels ---- */

static Task *
new_task(Lower *l, Tasks *out, TaskKind kind, Span span)
{
    Task *t = ARENA_NEW(l->c->arena, Task);
    t->kind = kind;
    t->span = span;
    vec_push(l->c->arena, out, t);
    return t;
}

/* Does the statement hold a parallel loop? */
static bool
has_parallel(const TStmt *s)
{
    if (!s)
        return false;
    if (s->kind == TS_RANGE || s->kind == TS_CELLS)
        return s->parallel;
    if (s->kind == TS_IF)
        return has_parallel(s->body) || has_parallel(s->orelse);
    for (int i = 0; s->kind == TS_BLOCK && i < s->stmts.count; i++)
        if (has_parallel(s->stmts.items[i]))
            return true;
    return false;
}

static Block *
block_of(Lower *l, const TStmt *s)
{
    Block *old, *b = lower_enter(l, &old);
    lower_stmt(l, s);
    lower_leave(l, old);
    return b;
}

static Block *
loop_body(Lower *l, const TStmt *s)
{
    l->parallel = s;
    Block *b = block_of(l, s->body);
    l->parallel = NULL;
    return b;
}

static void
loop_options(Lower *l, Task *t, const TStmt *s)
{
    for (int i = 0; i < s->vars.count; i++)
        vec_push(l->c->arena, &t->vars, s->vars.items[i]);
    for (int i = 0; i < s->block_local.count; i++)
        vec_push(l->c->arena, &t->block_local, s->block_local.items[i]);
    for (int i = 0; i < s->reductions.count; i++)
        vec_push(l->c->arena, &t->reductions, s->reductions.items[i]);
    t->block_dim = s->block_dim;
}

static void
range_task(Lower *l, Tasks *out, const TStmt *s)
{
    Block *old;
    Task *t = new_task(l, out, TASK_RANGE_FOR, s->span);
    t->setup = lower_enter(l, &old);
    lower_bounds(l, s, &t->from, &t->to, &t->step);
    lower_leave(l, old);
    loop_options(l, t, s);
    l->range = s;
    t->body = loop_body(l, s);
    l->range = NULL;
}

/* The lists of active cells from the top of the tree down to a node. */
static void
list_tasks(Lower *l, Tasks *out, Node *n, Span span)
{
    if (n->parent)
        list_tasks(l, out, n->parent, span);
    new_task(l, out, TASK_CLEAR_LIST, span)->node = n;
    new_task(l, out, TASK_LISTGEN, span)->node = n;
}

static void
cells_task(Lower *l, Tasks *out, const TStmt *s)
{
    if (s->node)
        list_tasks(l, out, s->node, s->span);
    Task *t = new_task(l, out, TASK_STRUCT_FOR, s->span);
    t->node = s->node;
    t->field = s->field;
    t->use_list = s->node && node_is_sparse(s->node);
    loop_options(l, t, s);
    l->cells = s;
    t->body = loop_body(l, s);
    l->cells = NULL;
}

static void lower_top(Lower *l, Tasks *out, const TStmt *s);

static void
if_task(Lower *l, Tasks *out, const TStmt *s)
{
    Block *old;
    Task *t = new_task(l, out, TASK_IF, s->span);
    Span outer = l->span;
    l->span = s->span;
    t->setup = lower_enter(l, &old);
    t->setup->result = lower_expr(l, s->value);
    lower_leave(l, old);
    l->span = outer;
    lower_top(l, &t->tasks, s->body);
    if (s->orelse)
        lower_top(l, &t->orelse, s->orelse);
}

/* A top-level statement of a kernel: a task of its own, or more of the serial one. */
static void
lower_top(Lower *l, Tasks *out, const TStmt *s)
{
    if ((s->kind == TS_RANGE || s->kind == TS_CELLS) && s->parallel) {
        if (s->kind == TS_RANGE)
            range_task(l, out, s);
        else
            cells_task(l, out, s);
    } else if (s->kind == TS_IF && has_parallel(s))
        if_task(l, out, s);
    else if (s->kind == TS_BLOCK)
        for (int i = 0; i < s->stmts.count; i++)
            lower_top(l, out, s->stmts.items[i]);
    else {
        Block *old;
        Task *t = out->count && vec_last(out)->kind == TASK_SERIAL
                      ? vec_last(out)
                      : new_task(l, out, TASK_SERIAL, s->span);
        if (!t->body)
            t->body = ARENA_NEW(l->c->arena, Block);
        old = l->block;
        l->block = t->body;
        lower_stmt(l, s);
        l->block = old;
    }
}

/* ---- functions ---- */

static IrFunc *
lower_func(Compile *c, Prog *p, Func *func)
{
    IrFunc *f = ARENA_NEW(c->arena, IrFunc);
    Lower l = {.c = c, .p = p, .f = f, .span = func->span};
    f->func = func;
    for (int i = 0; i < func->vars.count; i++)
        vec_push(c->arena, &f->vars, func->vars.items[i]);
    l.flag_count = func->vars.count;
    l.flags = ARENA_ARRAY(c->arena, Var *, l.flag_count);
    l.part_flags = ARENA_ARRAY(c->arena, Var *, l.flag_count);
    lower_take_flag_params(&l, func);
    lower_take_apart_params(&l, func);
    if (!func->body)
        return f;
    if (func->kind == FUNC_KERNEL)
        lower_top(&l, &f->tasks, func->body);
    else
        f->body = block_of(&l, func->body);
    stat_add(c, "codegen_statements", l.statement_count);
    return f;
}

/* ---- what a function may do ---- */

IrFunc *
ir_func(const Ir *ir, const Func *func)
{
    return ir->by_id[func->id];
}

enum { CALLS_MOST = 4 }; /* inside each other */

static void
note_deed(Inst *i, void *arg)
{
    bool *arithmetic = arg;
    const Inst *root =
        i->kind == INST_LOAD || i->kind == INST_STORE || i->kind == INST_ATOMIC
            ? inst_place_root(i->args.items[0])
            : NULL;
    switch (i->kind) {
    case INST_LOAD:
        *arithmetic &= root->kind == INST_VAR || root->kind == INST_TABLE;
        break;
    case INST_STORE: case INST_ATOMIC:
        *arithmetic &= root->kind == INST_VAR;
        break;
    case INST_CALL: case INST_IF: case INST_LOGIC: case INST_COND: case INST_RETURN:
        break;
    default:
        *arithmetic &= inst_info(i->kind)->effects == 'P';
    }
}

static bool
is_arithmetic(const Ir *ir, const Func *func, int depth)
{
    IrFunc *f = func->kind == FUNC_DEVICE && depth < CALLS_MOST ? ir_func(ir, func) : NULL;
    if (!f || !f->body)
        return false;
    if (!f->arithmetic) {
        bool arithmetic = true;
        block_walk(f->body, note_deed, &arithmetic);
        f->arithmetic = arithmetic ? 1 : -1;
    }
    bool all = f->arithmetic > 0;
    for (int n = 0; all && n < f->calls.count; n++)
        all = is_arithmetic(ir, f->calls.items[n], depth + 1);
    return all;
}

bool
ir_is_arithmetic(const Ir *ir, const Func *func)
{
    return is_arithmetic(ir, func, 0);
}

/* ---- from callees to callers ---- */


/* A function, and how many of its calls were followed. */
typedef struct {
    IrFunc *f;
    int followed;
} Follow;

/* All functions, each behind those that it calls, but for recursion: what is told of callees is
 * known of their callers at once. Calls may be as deep as there are functions, hence the list. */
static IrFuncs
callees_first(Compile *c, const Ir *ir)
{
    IrFuncs sorted = {0};
    VEC(Follow) open = {0};
    const int can_be_called = ir->prog->funcs.count;
    bool *met = ARENA_ARRAY(c->scratch, bool, can_be_called + 1);
    for (int i = 0; i < ir->funcs.count; i++) {
        IrFunc *f = ir->funcs.items[i];
        if (i >= can_be_called || !met[f->func->id])
            vec_push(c->scratch, &open, (Follow){f, 0});
        if (i < can_be_called)
            met[f->func->id] = true;
        while (open.count) {
            Follow *last = &vec_last(&open);
            if (last->followed == last->f->calls.count) {
                vec_push(c->scratch, &sorted, last->f);
                open.count--;
                continue;
            }
            const Func *callee = last->f->calls.items[last->followed++];
            if (!met[callee->id])
                vec_push(c->scratch, &open, (Follow){ir_func(ir, callee), 0});
            met[callee->id] = true;
        }
    }
    return sorted;
}

typedef struct {
    Compile *c;
    IrFunc *f;
    bool changed;
} Closure;

/* The layout an instruction works on, or NULL. */
static Layout *
layout_of(const Inst *i)
{
    switch (i->kind) {
    case INST_CELL: case INST_ACTIVATE: case INST_DEACTIVATE: case INST_DEACTIVATE_ALL:
    case INST_IS_ACTIVE: case INST_LENGTH: case INST_APPEND:
    case INST_ACTIVE:
        return i->node->layout;
    case INST_FOR_CELLS: return i->node ? i->node->layout : i->field->leaves[0].layout;
    case INST_ROOT_PLACE: return i->field->leaves[i->leaf].layout;
    case INST_EXTENT: return i->node ? i->node->layout : NULL;
    default: return NULL;
    }
}

static void
note_inst(Inst *i, void *arg)
{
    Closure *k = arg;
    Layout *layout = layout_of(i);
    if (layout && layout->manual)
        lower_layouts_add(k->c->arena, &k->f->manual, layout);
    k->f->may_fail |= inst_may_fail(i);
    k->f->checks_races |= i->kind == INST_CHECK_RACE;
}

static void
note_block(Block *b, void *arg)
{
    block_walk(b, note_inst, arg);
}

/* What a function does itself. */
static void
note_func(Compile *c, IrFunc *f)
{
    Closure k = {.c = c, .f = f};
    ir_walk_blocks(f, note_block, &k);
    ir_note_calls(c, f);
}

/* What a function does through a call. */
static void
learn(Closure *k, const IrFunc *g)
{
    IrFunc *f = k->f;
    for (int n = 0; n < g->manual.count; n++)
        k->changed |= lower_layouts_add(k->c->arena, &f->manual, g->manual.items[n]);
    for (int n = 0; n < g->collect.count; n++)
        k->changed |= lower_layouts_add(k->c->arena, &f->collect, g->collect.items[n]);
    if ((g->may_fail && !f->may_fail) || (g->uses_random && !f->uses_random) ||
        (g->checks_races && !f->checks_races))
        k->changed = true;
    f->may_fail |= g->may_fail;
    f->checks_races |= g->checks_races;
    f->uses_random |= g->uses_random;
}

/* Goes on until no function learns anything more from those it calls. */
static void
close_all(Compile *c, Ir *ir, const IrFuncs *funcs)
{
    Closure k = {.c = c};
    do {
        k.changed = false;
        for (int i = 0; i < funcs->count; i++) {
            k.f = funcs->items[i];
            for (int n = 0; n < k.f->calls.count; n++)
                if (k.f->calls.items[n]->kind != FUNC_KERNEL)
                    learn(&k, ir_func(ir, k.f->calls.items[n]));
        }
    } while (k.changed);
    for (int i = 0; i < ir->funcs.count; i++)
        ir->uses_random |= ir->funcs.items[i]->uses_random;
}

/* ---- layouts that may not exist: REQUIRE before their use ---- */

typedef struct {
    Compile *c;
    const Ir *ir;
    Layouts found;
} Finding;

/* True for what host code does to layouts that exist; `save` and `load` of fields have none. */
static bool
takes_whole_layouts(const Inst *i)
{
    return i->kind == INST_TRIM || i->kind == INST_SWAP || i->kind == INST_SAVE ||
           i->kind == INST_LOADFILE;
}

static void
find_layouts(Inst *i, void *arg)
{
    Finding *k = arg;
    Layout *layout = layout_of(i);
    if (layout && layout->manual)
        lower_layouts_add(k->c->arena, &k->found, layout);
    if (takes_whole_layouts(i)) {
        if (i->layout && i->layout->manual)
            lower_layouts_add(k->c->arena, &k->found, i->layout);
        if (i->layout2 && i->layout2->manual)
            lower_layouts_add(k->c->arena, &k->found, i->layout2);
    }
    if (i->kind != INST_CALL || i->func->kind != FUNC_DEVICE)
        return;
    const IrFunc *g = ir_func(k->ir, i->func);
    for (int n = 0; n < g->manual.count; n++)
        lower_layouts_add(k->c->arena, &k->found, g->manual.items[n]);
}

static void
push_require(Compile *c, Insts *out, Layout *layout, Span span)
{
    Inst *r = ir_new(c, INST_REQUIRE, NULL, span);
    r->layout = layout;
    vec_push(c->arena, out, r);
}

/* Before every instruction that uses such a layout; what `required` holds was seen to exist in this
 * block. */
static void
require_in_block(Compile *c, const Ir *ir, Block *b)
{
    Insts out = {0};
    Layouts required = {0};
    for (int n = 0; b && n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        Finding k = {.c = c, .ir = ir};
        find_layouts(i, &k);
        if (i->kind == INST_FOR || i->kind == INST_IF || i->kind == INST_WHILE ||
            i->kind == INST_FOR_CELLS || i->kind == INST_COND || i->kind == INST_LOGIC ||
            i->kind == INST_ASSERT) {
            require_in_block(c, ir, i->blocks[0]);
            require_in_block(c, ir, i->blocks[1]);
        }
        for (int l = 0; l < k.found.count; l++)
            if (lower_layouts_add(c->arena, &required, k.found.items[l]))
                push_require(c, &out, k.found.items[l], i->span);
        if (inst_writes(i)) /* may destroy it */
            required.count = 0;
        vec_push(c->arena, &out, i);
    }
    if (b)
        b->insts = out;
}

static void
require_in_tasks(Compile *c, const Ir *ir, const Tasks *tasks)
{
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        require_in_tasks(c, ir, &t->tasks);
        require_in_tasks(c, ir, &t->orelse);
        require_in_block(c, ir, t->setup);
        if (t->kind == TASK_SERIAL)
            require_in_block(c, ir, t->body);
        if (!task_is_loop(t))
            continue;
        Finding k = {.c = c, .ir = ir};
        block_walk(t->body, find_layouts, &k);
        Layout *own = t->kind == TASK_STRUCT_FOR
                          ? t->node ? t->node->layout : t->field->leaves[0].layout
                          : NULL;
        if (own && own->manual)
            lower_layouts_add(c->arena, &k.found, own);
        if (k.found.count && !t->setup)
            t->setup = ARENA_NEW(c->arena, Block);
        for (int l = 0; l < k.found.count; l++)
            push_require(c, &t->setup->insts, k.found.items[l], t->span);
    }
}

/* ---- collection after tasks that deactivate ---- */

static void
find_collect(Inst *i, void *arg)
{
    Finding *k = arg;
    if (i->kind == INST_DEACTIVATE || i->kind == INST_DEACTIVATE_ALL)
        lower_layouts_add(k->c->arena, &k->found, i->node->layout);
    if (i->kind != INST_CALL)
        return;
    const IrFunc *g = ir_func(k->ir, i->func);
    for (int n = 0; n < g->collect.count; n++)
        lower_layouts_add(k->c->arena, &k->found, g->collect.items[n]);
}

bool
ir_deactivates(Compile *c, const Ir *ir, Block *b, const Layout *layout)
{
    Finding k = {.c = c, .ir = ir};
    block_walk(b, find_collect, &k);
    for (int i = 0; i < k.found.count; i++)
        if (k.found.items[i] == layout)
            return true;
    return false;
}

static void
collect_after(Compile *c, const Ir *ir, Tasks *tasks)
{
    Tasks out = {0};
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        Finding k = {.c = c, .ir = ir};
        collect_after(c, ir, &t->tasks);
        collect_after(c, ir, &t->orelse);
        block_walk(t->body, find_collect, &k);
        vec_push(c->arena, &out, t);
        for (int l = 0; l < k.found.count; l++) {
            Task *gc = ARENA_NEW(c->arena, Task);
            gc->kind = TASK_GC;
            gc->span = t->span;
            gc->node = k.found.items[l]->tops.items[0];
            vec_push(c->arena, &out, gc);
        }
    }
    *tasks = out;
}

/* ---- arrays of C's ---- */

/* What a function does with an array, the one that gives it to the function does. */
static void
note_array_arguments(Inst *i, void *arg)
{
    bool *changed = arg;
    for (int k = 0; i->kind == INST_CALL && k < i->args.count; k++) {
        const Var *to = i->func->params.items[k];
        Var *from = i->args.items[k]->var;
        if (to->type->kind != TYPE_EXTERN || from->type->kind != TYPE_EXTERN)
            continue;
        *changed = *changed || (to->is_stored && !from->is_stored) ||
                   (to->is_measured && !from->is_measured);
        from->is_stored = from->is_stored || to->is_stored;
        from->is_measured = from->is_measured || to->is_measured;
    }
}

static void
note_arrays_in(Block *b, void *arg)
{
    block_walk(b, note_array_arguments, arg);
}

static bool
has_array_argument(const Func *f)
{
    for (int k = 0; k < f->params.count; k++)
        if (f->params.items[k]->type->kind == TYPE_EXTERN)
            return true;
    return false;
}

static void
note_arrays(Ir *ir, const IrFuncs *funcs)
{
    for (int i = 0; i < ir->funcs.count; i++) {
        const Func *f = ir->funcs.items[i]->func;
        for (int k = 0; f->kind == FUNC_EXTERN && k < f->params.count; k++)
            f->params.items[k]->is_stored = true; /* it may be, as far as we know */
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < funcs->count; i++)
            if (has_array_argument(funcs->items[i]->func))
                ir_walk_blocks(funcs->items[i], note_arrays_in, &changed);
    }
}

/* ---- the program ---- */

static void
add_func(Compile *c, Ir *ir, IrFunc *f)
{
    vec_push(c->arena, &ir->funcs, f);
    note_func(c, f);
    ir_number(f);
}

static bool
has_manual(const Prog *p)
{
    for (int i = 0; i < p->layouts.count; i++)
        if (p->layouts.items[i]->manual)
            return true;
    return false;
}

/* What depends on the facts of all functions: collections and REQUIREs. */
static void
finish_func(Compile *c, const Ir *ir, IrFunc *f, bool manual)
{
    if (f->collect.count)
        collect_after(c, ir, &f->tasks);
    if (manual)
        require_in_tasks(c, ir, &f->tasks);
    if (manual && f->func->kind != FUNC_DEVICE && f->func->kind != FUNC_KERNEL)
        require_in_block(c, ir, f->body);
    if (manual || f->collect.count)
        ir_number(f);
}

/* Does a node have activity, or divide an axis of the one around it? */
static bool
needs_indices(const Prog *p)
{
    for (int l = 0; l < p->layouts.count; l++)
        for (int k = 0; k < p->layouts.items[l]->nodes.count; k++) {
            const Node *n = p->layouts.items[l]->nodes.items[k];
            bool divides = false;
            for (int a = 0; n->parent && a < n->axis_count; a++)
                divides = divides || (n->parent->path_axes & 1 << n->axes[a]);
            if (divides || node_has_activity(n->kind))
                return true;
        }
    return false;
}

/* Lowers all functions: those that can be called first, of which the others may make more. */
static void
add_funcs(Compile *c, Ir *ir)
{
    const Prog *p = ir->prog;
    IrFuncs starts = {0};
    if (p->main)
        vec_push(c->arena, &starts, lower_func(c, ir->prog, p->main));
    for (int i = 0; i < p->tests.count; i++)
        vec_push(c->arena, &starts, lower_func(c, ir->prog, p->tests.items[i]));
    for (int i = 0; i < p->funcs.count; i++)
        add_func(c, ir, lower_func(c, ir->prog, p->funcs.items[i]));
    ir->by_id = ARENA_ARRAY(c->arena, IrFunc *, p->funcs.count);
    for (int i = 0; i < p->funcs.count; i++)
        ir->by_id[p->funcs.items[i]->id] = ir->funcs.items[i];
    for (int i = 0; i < starts.count; i++)
        add_func(c, ir, starts.items[i]);
}

Ir *
ir_lower(Compile *c, Prog *p)
{
    Ir *ir = ARENA_NEW(c->arena, Ir);
    ir->prog = p;
    if (c->options.check & CHECK_BOUNDS)
        lower_add_flag_params(c, p);
    add_funcs(c, ir);
    ir->needs_indices = needs_indices(p);
    const IrFuncs funcs = callees_first(c, ir);
    ir_check_recursion(c, ir, &funcs);
    close_all(c, ir, &funcs);
    note_arrays(ir, &funcs);
    bool manual = has_manual(p);
    for (int i = 0; i < ir->funcs.count; i++)
        finish_func(c, ir, ir->funcs.items[i], manual);
    return ir;
}
