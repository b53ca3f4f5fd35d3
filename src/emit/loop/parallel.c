/* Parallel loops: what a loop captures, and what its function is given. The runtime calls the
 * function for parts of the iterations. */
#include "config.h"

#include <string.h>

#include "emit/loop/parallel.h"
#include "ir/inst_info.h"
#include "analysis/cost.h"

/* ---- what the body needs ---- */

static void
note_locals(Inst *i, void *arg)
{
    LoopOut *k = arg;
    if (i->kind == INST_STORE && i->defines)
        k->local[i->args.items[0]->var->id] = true;
    bool loop = i->kind == INST_FOR || i->kind == INST_FOR_CELLS;
    for (int v = 0; loop && v < i->vars.count; v++)
        k->local[i->vars.items[v]->id] = true;
    if (i->kind == INST_STORE || i->kind == INST_ATOMIC) {
        const Inst *root = inst_place_root(i->args.items[0]);
        if (root->kind == INST_VAR)
            k->written[root->var->id] = true;
    }
    for (int a = 0; i->kind == INST_CALL && a < i->args.count; a++) {
        const Inst *root = inst_place_root(i->args.items[a]);
        if (root->kind == INST_VAR)
            k->written[root->var->id] = true;
    }
    if (i->kind == INST_RANDOM || (i->kind == INST_CALL && i->func->kind == FUNC_DEVICE &&
                                   ir_func(k->e->ir, i->func)->uses_random))
        k->random = true;
    if (i->kind == INST_CHECK_RACE || (i->kind == INST_CALL && i->func->kind == FUNC_DEVICE &&
                                       ir_func(k->e->ir, i->func)->checks_races))
        k->races = true;
    bool calls = i->kind == INST_CALL && i->func->kind == FUNC_DEVICE &&
                 ir_func(k->e->ir, i->func)->may_fail;
    if (calls || inst_may_fail(i))
        k->may_fail = true;
    k->atomic = k->atomic || (i->kind == INST_ATOMIC && !i->plain) ||
                (i->kind == INST_APPEND && inst_has_container(i));
    if (i->kind == INST_APPEND && i->placed && !k->e->o->gpu)
        k->placed = i;
    k->atomic = k->atomic || (i->in_row && i->kind != INST_IS_ACTIVE && !k->t->planes);
    if (i->kind == INST_APPEND && k->t->fetches)
        k->appends = i;
    if (i->kind == INST_APPEND && i->owned && !k->e->o->gpu)
        k->owned = i;
    k->weight += i->kind == INST_CALL || i->kind == INST_BUILTIN ? 20 : 1;
    if (i->kind == INST_FOR || i->kind == INST_WHILE)
        k->weight += 100;
}

static bool
is_reduction(const LoopOut *k, const Var *v)
{
    for (int i = 0; i < k->t->reductions.count; i++)
        if (k->t->reductions.items[i].var == v)
            return true;
    return false;
}

static void
note_capture(Inst *i, void *arg)
{
    LoopOut *k = arg;
    if (i->kind != INST_VAR || k->local[i->var->id] || is_reduction(k, i->var))
        return;
    for (int n = 0; n < k->captures.count; n++)
        if (k->captures.items[n].var == i->var)
            return;
    Capture c = {.var = i->var, .outer = k->e->fn.var_text[i->var->id]};
    c.by_pointer = k->written[i->var->id] || i->var->type->kind == TYPE_ARRAY;
    if (i->var->type->kind == TYPE_EXTERN)
        c.by_pointer = false;
    vec_push(k->e->c->arena, &k->captures, c);
}

static void
analyse(LoopOut *k)
{
    Emit *e = k->e;
    k->local = e->fn.loop_local;
    k->written = e->fn.loop_written;
    for (int v = 0; v < k->t->vars.count; v++)
        k->local[k->t->vars.items[v]->id] = true;
    for (int v = 0; v < k->t->abreast.count; v++)
        k->local[k->t->abreast.items[v]->id] = true;
    block_walk(k->t->entry, note_locals, k);
    block_walk(k->t->before, note_locals, k);
    block_walk(k->t->body, note_locals, k);
    block_walk(k->t->fetches, note_locals, k);
    k->may_fail |= gpu_stage_sums_activate(k->t) || stage_scaled_activates(k->t);
    k->work = cost_of_block(e->ir, k->t->body);
    block_walk(k->t->entry, note_capture, k);
    block_walk(k->t->before, note_capture, k);
    block_walk(k->t->body, note_capture, k);
    block_walk(k->t->fetches, note_capture, k);
    if (k->t->kind == TASK_STRUCT_FOR && k->t->node && node_is_sparse(k->t->node))
        k->listed = task_listed(k->t);
}

/* The loop's function has names of its own for its variables. */
static void
save_text(LoopOut *k, const Var *v)
{
    vec_push(k->e->c->arena, &k->outer_texts, (OuterText){v->id, k->e->fn.var_text[v->id]});
}

static void
save_mentioned(Inst *i, void *arg)
{
    if (i->kind == INST_VAR)
        save_text(arg, i->var);
    for (int v = 0; (i->kind == INST_FOR || i->kind == INST_FOR_CELLS) && v < i->vars.count; v++)
        save_text(arg, i->vars.items[v]);
}

static void
save_texts(LoopOut *k)
{
    const Task *t = k->t;
    for (int v = 0; v < t->vars.count; v++)
        save_text(k, t->vars.items[v]);
    for (int v = 0; v < t->abreast.count; v++)
        save_text(k, t->abreast.items[v]);
    for (int r = 0; r < t->reductions.count; r++)
        save_text(k, t->reductions.items[r].var);
    block_walk(t->entry, save_mentioned, k);
    block_walk(t->before, save_mentioned, k);
    block_walk(t->body, save_mentioned, k);
    block_walk(t->inside, save_mentioned, k);
    block_walk(t->fetches, save_mentioned, k);
}

static void
restore_texts(LoopOut *k)
{
    for (int n = 0; n < k->outer_texts.count; n++)
        k->e->fn.var_text[k->outer_texts.items[n].id] = k->outer_texts.items[n].text;
}

/* The tables by variable serve the next loop. */
static void
end_analysis(LoopOut *k)
{
    for (int n = 0; n < k->outer_texts.count; n++)
        k->local[k->outer_texts.items[n].id] = k->written[k->outer_texts.items[n].id] = false;
}

/* ---- arguments of the loop's function ---- */

/* "*name", in parentheses where a pointer to an array is declared. */
static const char *
pointer_declarator(Emit *e, const Type *t, const char *star, const char *name)
{
    return arena_printf(e->c->arena, t->kind == TYPE_ARRAY ? "(%s%s)" : "%s%s", star, name);
}

static void
declare_args(LoopOut *k, Text *t)
{
    Emit *e = k->e;
    text_open(t, "typedef struct {");
    /* in C++ a member may have the name of the program */
    text_line(t, "struct %s *self;", e->prefix);
    if (k->listed)
        text_line(t, "const SnlListEntry *entries;");
    if (k->t->masks)
        text_line(t, "const uint64_t *masks;    /* as they were when the loop started */");
    if (k->listed && prefetch_by_size(k->t))
        text_line(t, "bool far;");
    if (k->random)
        text_line(t, "uint64_t launch;");
    for (int v = 0; v < k->t->from.count; v++) {
        const bool is_range = k->t->kind == TASK_RANGE_FOR;
        if (k->t->from.items[v]->kind != INST_CONST)
            text_line(t, "int64_t from%d;", v);
        if (is_range && k->t->step.items[v]->kind != INST_CONST)
            text_line(t, "int64_t step%d;", v);
        if (is_range)
            text_line(t, "int64_t count%d;", v);
        else if (k->t->to.items[v]->kind != INST_CONST)
            text_line(t, "int64_t to%d;", v);
    }
    for (int i = 0; i < k->captures.count; i++) {
        Capture *c = &k->captures.items[i];
        const Type *type = c->var->type;
        c->name = name_new(e, c->var->name);
        if (c->by_pointer)
            text_line(t, "%s;", type_decl(e, type, pointer_declarator(e, type, "*", c->name)));
        else
            text_line(t, "%s;", type_var_decl(e, c->var, c->name));
        for (int d = 0; type->kind == TYPE_EXTERN && d < type->dim_count; d++)
            text_line(t, "int64_t %s_n%d;", c->name, d);
    }
    if (k->placed)
        text_line(t, "int64_t first;    /* index of what the first iteration appends */");
    if (k->t->scatter.count && !e->o->gpu)
        text_line(t, "SnlScatter *apart;    /* copies that the threads add to, or NULL */");
    if (k->t->order)
        text_line(t, "SnlOrder order;    /* of the iterations */");
    if (k->t->packed)
        text_line(t, "bool lined;    /* the cells of the lists lie in line */");
    reductions_members(e, t);
}

/* Behind the members, now that the body is known: the containers that it names. */
static void
end_args(LoopOut *k, Text *t)
{
    for (int i = 0; i < k->tops.count; i++)
        text_line(t, "void *top_%d_%d;", k->tops.items[i]->layout->id, k->tops.items[i]->id - 1);
    text_close(t, "} %s;", k->args_type);
    text_newline(t);
}

const char *
parallel_next_iteration(const LoopOut *k, const char *i)
{
    return arena_printf(k->e->c->arena, k->e->o->gpu ? "%s += step" : "%s++", i);
}

void
parallel_unpack_args(LoopOut *k)
{
    Emit *e = k->e;
    Arena *arena = e->c->arena;
    declarations_parameter(e, "args");
    if (!e->o->gpu)
        declarations_parameter(e, "chunk");
    declarations_add(
        e, "in",
        arena_printf(arena, "const %s *const in = (const %s *)args;", k->args_type, k->args_type));
    declarations_add(e, "self", arena_printf(arena, "%s *const self = in->self;", e->prefix));
    for (int i = 0; i < k->captures.count; i++) {
        const Capture *c = &k->captures.items[i];
        const Type *type = c->var->type;
        if (c->by_pointer) {
            const char *pointer =
                type_decl(e, type, pointer_declarator(e, type, "*const ", c->name));
            declarations_add(e, c->name, arena_printf(arena, "%s = in->%s;", pointer, c->name));
            e->fn.var_text[c->var->id] = arena_printf(arena, "(*%s)", c->name);
        } else {
            const char *plain =
                type->kind == TYPE_EXTERN
                    ? type_var_decl(e, c->var, arena_printf(arena, "const %s", c->name))
                    : arena_printf(arena, "const %s", type_decl(e, type, c->name));
            declarations_add(e, c->name, arena_printf(arena, "%s = in->%s;", plain, c->name));
            e->fn.var_text[c->var->id] = c->name;
        }
        for (int d = 0; type->kind == TYPE_EXTERN && d < type->dim_count; d++) {
            const char *extent = arena_printf(arena, "%s_n%d", c->name, d);
            declarations_add(e, extent,
                         arena_printf(arena, "const int64_t %s = in->%s;", extent, extent));
        }
    }
}

/* ---- the loop's function ---- */

void
parallel_start_iteration(LoopOut *k, const char *number)
{
    loop_start_iteration(
        k->e, (k->random ? ITERATION_RANDOM : 0) | (k->races ? ITERATION_RACES : 0), number);
}

void
parallel_stop_when_failed(LoopOut *k)
{
    const bool meets_inside = k->e->o->gpu && k->t->halos.count;
    if (k->may_fail && !meets_inside && !k->e->par.list_end)     /* else each run asks */
        stmt_check(k->e);
}

/* ---- the loop as a whole ---- */

/* How many of the outermost levels make up the parallel loop: enough iterations for the threads,
 * inner loops, lists and blocks left whole. */
static int
flat_levels(const Nest *nest, bool by_blocks)
{
    int64_t product = 1;
    int levels = 0, most = nest->count;
    if (nest->to->kind == NODE_DYNAMIC)
        most--;
    if (by_blocks)
        most -= nest->to->axis_count;
    if (most == 0)
        return 0;
    do {
        if (levels && product >= 4 && mask_loops_in_words(nest, levels))
            return levels;
        const Node *n = nest->node[levels];
        int64_t size = n->sizes[nest->axis_at[levels]];
        if (!size)
            return levels + 1;
        product *= size;
        levels++;
    } while (levels < most && (product < 4 || (product < 64 && levels < nest->count - 1)));
    return levels;
}

static const char *
title_of(Emit *e, const Task *t)
{
    const char *names = "";
    for (int i = 0; i < t->vars.count; i++)
        names = arena_printf(e->c->arena, "%s%s%s", names, i ? ", " : " ", t->vars.items[i]->name);
    const char *over = t->kind == TASK_RANGE_FOR   ? "range"
                       : t->field                  ? t->field->name
                       : t->node && t->node->label ? t->node->label
                                                   : "cells";
    return arena_printf(e->c->arena, "%s  for%s in %s", stmt_comment_place(e, t->span), names,
                        over);
}

/* Words of a mask at the top that make enough work for the threads. */
enum { WORDS_LEAST = 16 };

void
parallel_loop(Emit *e, Task *t)
{
    LoopOut k = {.e = e, .t = t, .body = t->body};
    Text body, *const out = e->out;
    k.function =
        name_global(e, arena_printf(e->c->arena, "%s_loop%d", e->fn.name, ++e->loop_count));
    k.args_type = name_global(e, arena_printf(e->c->arena, "%s_args", k.function));
    stmt_note_loop(e, t->span, k.function);
    analyse(&k);
    /* the loop's function has names of its own */
    const FuncState kernel = e->fn;
    save_texts(&k);
    unique_init(&e->fn.taken, e->c->arena);
    e->fn.leave = LEAVE_VOID;
    e->fn.loop = NULL;
    e->fn.cells = NULL;
    e->par = (ParState){
        .loop = t,
        .task = e->o->gpu ? t : NULL,
        .lanes = t->lanes && !e->o->gpu,
        .stream = t->stream && !t->stream_by_size ? t : NULL,
        .direct = t->stream_by_size ? t : NULL,
        .strips = t->ahead_strips.count ? t : NULL,
        .before = t->code ? NULL : t->before,
        .abreast_task = t->goes_abreast ? t : NULL,
        .packs_own = t->packs_own,
        .scatter = t->scatter.count ? t : NULL,
        .tops = e->o->gpu ? &k.tops : NULL,
    };
    reductions_start(e, t);
    e->par.lanes &= !t->words; /* those of a word */
    k.reductions = e->par.reduce;
    k.reduction_count = e->par.reduce_count;
    declare_args(&k, &e->code);
    text_init(&body, e->c->arena);
    e->out = &body;
    if (t->kind == TASK_STRUCT_FOR && t->node) {
        if (t->code)
            nest_levels(e, &k.nest, k.listed, t->node);
        else
            nest_start(e, &k.nest, k.listed, t->node, t->vars.items);
        k.one_mask = !e->o->gpu && !k.listed && mask_loops_in_words(&k.nest, 0) &&
                     mask_loops_words(k.nest.node[0]) >= WORDS_LEAST;
        k.flat = k.listed || k.one_mask
                     ? 0
                     : flat_levels(&k.nest, task_is_by_blocks(t) || t->ahead_in_array);
    }
    if (e->o->gpu)
        gpu_tiles_choose(&k);
    versions_write(&k, title_of(e, t));
    end_args(&k, &e->code);
    if (parts_has(&k))
        parts_open(&k, &e->code);
    text_raw(&e->code, body.data, body.count);
    if (parts_has(&k))
        parts_close(&k, &e->code);
    const size_t bytes = body.count;
    text_free(&body);
    e->fn = kernel;
    e->par = (ParState){0};
    e->out = out;
    if (parts_has(&k))
        parts_note(e, k.function, bytes);
    restore_texts(&k);
    launch_loop(&k);
    end_analysis(&k);
}
