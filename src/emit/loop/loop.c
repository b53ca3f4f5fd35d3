/* Loops: sequential ones, those that are instructions (pass lower_loops), and the innermost of
 * parallel ones. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "emit/loop/loops.h"

void
loop_begin(Emit *e, CLoop *loop, bool nested)
{
    *loop = (CLoop){.outer = e->fn.loop, .nested = nested};
    if (nested)
        loop->label = name_new(e, arena_printf(e->c->arena, "end%d", ++e->label_count));
    e->fn.loop = loop;
}

void
loop_end(Emit *e, CLoop *loop)
{
    e->fn.loop = loop->outer;
    if (loop->used)
        text_flush_left(e->out, "%s:;", loop->label);
}

/* ---- ranges ---- */

/* The step when it is known: 0 otherwise. */
static int64_t
known_step(const Inst *step)
{
    return step->kind == INST_CONST ? step->value.leaves[0].i : 0;
}

/* Does C need 64 bits for a loop variable? Where its step may pass the end, and where it numbers
 * cells: a sum of 32 bits might wrap, as far as C compilers know, and then has no plain stride. */
static bool
needs_wide(const Emit *e, const Var *v, int64_t by)
{
    return (by != 1 && by != -1) ||
           (e->fn.numbers[v->id] && v->type->scalar == SCALAR_I32 && !e->c->options.gpu);
}

static void
open_range(Emit *e, const Var *v, const char *from, const char *to, const Inst *step,
           const char *and_then)
{
    int64_t by = known_step(step);
    e->fn.wide[v->id] = needs_wide(e, v, by);
    const char *i = e->fn.var_text[v->id] = name_new(e, v->name),
               *type = e->fn.wide[v->id] ? "int64_t" : scalar_info(v->type->scalar)->ctype;
    /* the last number that 64 bits hold */
    bool may_pass = e->fn.wide[v->id] && scalar_info(v->type->scalar)->bytes == 8;
    const char *test, *next, *s = by ? NULL : value_text(e, step, PREC_COMPARE + 1);
    if (by) {
        test = arena_printf(e->c->arena, "%s %s %s", i, by > 0 ? "<" : ">", to);
        next = by == 1    ? arena_printf(e->c->arena, "%s++", i)
               : by == -1 ? arena_printf(e->c->arena, "%s--", i)
                          : arena_printf(e->c->arena, "%s += %lld", i, (long long)by);
    } else {
        test = arena_printf(e->c->arena, "%s > 0 ? %s < %s : %s > %s", s, i, to, i, to);
        next = arena_printf(e->c->arena, "%s += %s", i, s);
    }
    if (may_pass)
        next = arena_printf(e->c->arena, "%s = snl_range_next(%s, %s, %s)", i, i, to,
                            value_text(e, step, PREC_ASSIGN));
    text_open(e->out, "for (%s %s = %s; %s; %s%s) {", type, i, from, test, next, and_then);
}

void
loop_for(Emit *e, const Inst *i)
{
    CLoop loop;
    if (i->args.count == 4) {
        list_loops_walk(e, i);
        return;
    }
    ListRuns *runs = i->collects_runs ? list_loops_open_runs(e) : NULL;
    const char *bar = NULL, *graph = gpu_sync_graph_open(e, i);
    int count = i->vars.count;
    loop_begin(e, &loop, count > 1);
    if (i->progress) {
        const char *from = value_text(e, i->args.items[0], PREC_ASSIGN),
                   *to = value_text(e, i->args.items[1], PREC_ASSIGN);
        bar = name_new(e, "bar");
        text_line(e->out,
                  "SNL_PROGRESS(%s, self->progress ? &self->rt : NULL, snl_range_count(%s, %s, "
                  "%s));",
                  bar, from, to, value_text(e, i->args.items[2], PREC_ASSIGN));
    }
    for (int k = 0; k < count; k++) {
        const char *from = value_text(e, i->args.items[3 * k], PREC_ASSIGN),
                   *to = value_text(e, i->args.items[3 * k + 1], PREC_COMPARE + 1);
        e->fn.far[i->vars.items[k]->id] = value_begins_far(i->args.items[3 * k]);
        open_range(e, i->vars.items[k], from, to, i->args.items[3 * k + 2],
                   bar && !k ? arena_printf(e->c->arena, ", snl_progress_step(&%s)", bar) : "");
    }
    gpu_sync_graph_next(e, graph);
    stmt_write(e, i->blocks[0]);
    for (int k = 0; k < count; k++)
        text_close(e->out, "}");
    loop_end(e, &loop);
    if (bar)
        text_line(e->out, "snl_progress_end(&%s);", bar);
    gpu_sync_graph_close(e, graph);
    if (runs)
        list_loops_close_runs(e, runs);
}

/* ---- loops as instructions ---- */

/* The loop has a variable of 64 bits, whatever the program's index is. */
static const char *
name_index(Emit *e, const Var *v, const Inst *first)
{
    e->fn.wide[v->id] = true;
    e->fn.far[v->id] = first->kind != INST_CHUNK && value_begins_far(first);
    return e->fn.var_text[v->id] = name_new(e, v->name);
}

/* The part of a strip that is inside. */
typedef struct Peel {
    const Inst *inside;
    const char *begin, *end, *high; /* the inside, the strip's own end */
    const char *first;  /* number of the iteration that has lane 0, or NULL: 0 */
} Peel;

/* The INSIDE of a loop, or NULL. */
static const Inst *
inside_of(const Inst *loop)
{
    const Insts *all = &loop->blocks[0]->insts;
    for (int n = 0; n < all->count; n++)
        if (all->items[n]->kind == INST_INSIDE)
            return all->items[n];
    return NULL;
}

/* What of the inside lies between two numbers. */
static void
peel_strip(Emit *e, const char *from, const char *to)
{
    Peel *p = e->par.peel;
    const Inst *i = p->inside;
    p->begin = name_new(e, "begin");
    p->end = name_new(e, "end");
    p->high = to;
    text_line(e->out, "const int64_t %s = snl_larger(%s, %s);", p->begin,
              value_text(e, i->args.items[1], PREC_ASSIGN), from);
    text_line(e->out, "const int64_t %s = snl_smaller(%s, %s);", p->end,
              value_text(e, i->args.items[2], PREC_ASSIGN), to);
}

/* Iterations from one number to another, where these are constants; else 0. */
static int64_t
known_count(const Inst *from, const Inst *to)
{
    return from->kind == INST_CONST && to->kind == INST_CONST
               ? to->value.leaves[0].i - from->value.leaves[0].i
               : 0;
}

void
loop_write(Emit *e, const Inst *i)
{
    Inst *const *bounds = i->args.items;
    const char *from = value_text(e, bounds[0], PREC_ASSIGN),
               *to = value_text(e, bounds[1], PREC_COMPARE + 1),
               *name = name_index(e, i->var, bounds[0]);
    CellAt *const cells = e->fn.cells;
    Peel peel = {.inside = i->strips ? inside_of(i) : NULL};
    int loops = 1;
    if (i->strips) {
        e->par.peel = peel.inside ? &peel : NULL;
        e->par.simd = i->vector;
        loops = loop_open_inner(e, name, NULL, from, to, known_count(bounds[0], bounds[1]));
    } else {
        if (i->vector)
            loop_simd(e);
        e->par.simd = false;
        text_open(e->out, "for (int64_t %s = %s; %s < %s; %s++) {", name, from, name, to, name);
    }
    stmt_write(e, i->blocks[0]);
    loop_close(e, loops);
    e->fn.cells = cells;
    e->par.peel = NULL;
}

void
loop_inside(Emit *e, const Inst *i)
{
    Inst *const *a = i->args.items;
    const Peel *strip = e->par.peel;
    const char *const outer = e->fn.var_text[i->var->id], *const lane = e->par.lane;
    CellAt *const cells = e->fn.cells;
    const bool known = !strip && a[1]->kind == INST_CONST && a[2]->kind == INST_CONST;
    const char *at = value_text(e, a[0], PREC_COMPARE + 1),
               *begin = strip ? strip->begin : value_text(e, a[1], PREC_COMPARE + 1),
               *end = strip ? strip->end : value_text(e, a[2], PREC_COMPARE + 1),
               *high = strip ? strip->high : value_text(e, a[3], PREC_COMPARE + 1);
    if (known)
        text_open(e->out, "if (%s == %s) {    /* inside */", at, begin);
    else
        text_open(e->out, "if (%s == %s && %s < %s) {    /* inside */", at, begin, begin, end);
    const char *inner = e->fn.var_text[i->var->id] = name_new(e, i->var->name);
    if (strip)
        e->par.lane = strip->first ? arena_printf(e->c->arena, "%s - %s", inner, strip->first)
                                   : inner;
    if (i->vector)
        loop_simd(e);
    text_open(e->out, "for (int64_t %s = %s; %s < %s; %s++) {", inner, begin, inner, end, inner);
    stmt_write(e, i->blocks[0]);
    text_close(e->out, "}");
    text_line(e->out, "%s = %s;", at, end);
    if (!known || a[3]->kind != INST_CONST ||
        a[2]->value.leaves[0].i == a[3]->value.leaves[0].i) {
        text_line(e->out, "if (%s == %s)", at, high);
        text_line(e->out, "    break;");
    }
    text_close(e->out, "}");
    e->fn.var_text[i->var->id] = outer;
    e->fn.cells = cells;
    e->par.lane = lane;
}

void
loop_index(Emit *e, const Inst *i)
{
    const char *value = value_text(e, i->args.items[0], PREC_ASSIGN),
               *name = name_index(e, i->var, i->args.items[1]);
    declarations_maybe(e, name, arena_printf(e->c->arena, "const int64_t %s = %s;", name, value));
    if (e->c->options.debug && !e->c->options.optimize) /* also where only a debugger asks */
        text_line(e->out, "(void)%s;", name);
}

void
loop_at_cell(Emit *e, const Inst *i)
{
    CellAt *at = ARENA_NEW(e->c->arena, CellAt);
    const char *number = value_text(e, i->args.items[0], PREC_ANY);
    *at = (CellAt){
        .outer = e->fn.cells,
        .node = i->node,
        .text = nest_cell(e, i->node, number),
        .number = number,
    };
    e->fn.cells = at;
}

void
loop_start_iteration(Emit *e, int asks, const char *number)
{
    if (asks & ITERATION_RACES) {
        text_line(e->out, "const uint64_t iteration = (uint64_t)(%s);", number);
        e->fn.iteration_ref = "iteration";
    }
    if (!(asks & ITERATION_RANDOM))
        return;
    text_line(e->out, "SnlRandom rng;");
    text_line(e->out, "snl_random_init(&rng, self->rt.seed, in->launch, (uint64_t)(%s));", number);
    e->fn.random_ref = "&rng";
}

/* ---- the innermost loop ---- */

/* Loops of fewer rounds disappear: the C compiler vectorises those around them. */
enum { SHORT_LOOP = 8 };

const char *
loop_cell_at_index(Emit *e, const Task *t, const Node *n, const char *last)
{
    const char *text = NULL;
    for (int k = 0; k < n->axis_count; k++) {
        const char *i = k == n->axis_count - 1
                            ? last
                            : e->fn.var_text[t->vars.items[node_axis_rank(n, n->axes[k])]->id];
        text = place_number(e, n, k, text, i);
    }
    return arena_printf(e->c->arena, "%s[%s]", place_top(e, n), text);
}

/* The strip's loop, in which the elements go to a small array first. */
static const char *
open_stream(Emit *e, const char *strip, const char *first_index, const char *to)
{
    const Field *f = e->par.stream->stream;
    const char *name = name_plain(e, f->name), *type = type_c(e, f->type),
               *end = name_new(e, "strip_end");
    const char *first = loop_cell_at_index(e, e->par.stream, f->leaves[0].node, first_index);
    e->par.strip = name_new(e, arena_printf(e->c->arena, "%s_strip", name));
    if (e->par.stream->weaves) {
        text_line(e->out, "%s %s[SNL_WOVEN];", type, e->par.strip);
        text_line(e->out, "const int64_t %s = snl_smaller(%s + SNL_WOVEN, %s);", end, strip, to);
        e->par.strip_end = arena_printf(
            e->c->arena, "snl_weave%s(&%s, %s, %s - %s, %d, %d);",
            e->par.stream->weaves == WEAVE_WHOLE ? "_whole" : "", first, e->par.strip, end, strip,
            (int)(f->leaves[0].node->cell_bytes / 4), (int)(f->leaves[0].cell_offset / 4));
        return end;
    }
    const char *target = name_new(e, arena_printf(e->c->arena, "%s_target", name));
    text_line(e->out, "%s *const %s = &%s;", type, target,
              place_part_in_cell(e, first, f, 0, f->type));
    text_line(e->out, "%s %s[SNL_LANES];", type, e->par.strip);
    text_line(e->out, "const int64_t %s = snl_stream_strip(%s, sizeof *%s, %s, %s);", end, target,
              target, strip, to);
    e->par.strip_end = arena_printf(e->c->arena, "snl_stream(&%s, %s, %s, %s - %s, sizeof *%s);",
                                    e->par.stores, target, e->par.strip, end, strip, target);
    return end;
}

bool
loop_bound_is_number(const char *text)
{
    return *text >= '0' && *text <= '9' && !text[strspn(text, "0123456789")];
}

/* A row of the block that the loop is at goes to a small array, then between the elements of
 * another field; `from` and `to`: of the row. What the row has is in the array where some cells are
 * left out. */
static void
open_pairs(Emit *e, const char *from, const char *to)
{
    const Task *t = e->par.stream;
    const Node *n = t->node;
    const char *type = type_c(e, t->stream->type),
               *number = nest_number_in_row(e, e->par.nest, from);
    const long long size = (long long)n->sizes[n->axis_count - 1];
    const int at = t->stream->leaves[0].cell_offset ? 1 : 0;
    e->par.strip = name_new(e, arena_printf(e->c->arena, "%s_row", name_plain(e, t->stream->name)));
    text_line(e->out, "%s %s[%lld];", type, e->par.strip, size);
    const bool part = strcmp(from, "0") || !loop_bound_is_number(to);
    const char *begin = part ? arena_printf(e->c->arena, " + %s", from) : "",
               *count = part ? arena_printf(e->c->arena, "(int)(%s - %s)", to, from) : to;
    e->par.strip_end =
        arena_printf(e->c->arena, "snl_pairs_put(&%s[%s], %s%s, %s, %d);", nest_container(e, n),
                     number, e->par.strip, begin, count, at);
    if (n->kind == NODE_BITMASKED)
        text_line(e->out, "snl_pairs_get(%s%s, &%s[%s], %s, %d);", e->par.strip, begin,
                  nest_container(e, n), number, count, at);
}

/* Asks for what the loop comes to a while after this strip. */
static void
fetch_ahead(Emit *e, const char *first, const char *length)
{
    for (int n = 0; e->par.strips && n < e->par.strips->ahead_strips.count; n++) {
        const Node *array = e->par.strips->ahead_strips.items[n];
        text_line(e->out, "snl_fetch_ahead(&%s, %s * sizeof(%s));",
                  loop_cell_at_index(e, e->par.strips, array, first), length, type_cell(e, array));
    }
}

/* Has an array that it asks for rows of a length that is known at run time only? */
static bool
rows_may_be_short(const Task *t)
{
    for (int i = 0; i < t->ahead_strips.count; i++) {
        const Node *n = t->ahead_strips.items[i];
        if (n->axis_count > 1 && !n->sizes[n->axis_count - 1])
            return true;
    }
    return false;
}

const StripKind *
loop_strip_kind(const Emit *e)
{
    static const StripKind lanes = {SUM_LANES, "SNL_LANES", "snl_strip_end"},
                           terms = {128, "SNL_TERMS", "snl_terms_end"},
                           rows = {256, "SNL_ROW_TERMS", "snl_row_terms_end"};
    if (!e->par.lanes || !reductions_only_floats(e))
        return &lanes;
    return e->par.loop->adds_rows ? &rows : &terms;
}

/* Is the last strip of `count` iterations (0: not known) as long as the others? */
static bool
strips_are_whole(const Emit *e, int64_t count)
{
    if (!e->par.lanes || e->par.stream || e->par.peel)
        return false;
    return e->par.whole_strips || (count > 0 && count % loop_strip_kind(e)->length == 0);
}

/* A loop over strips; gives the variable that holds the end of one, or the length of `whole`
 * ones. */
static const char *
open_strip(Emit *e, const char *strip, const char *base, const char *from, const char *to,
           bool whole)
{
    const char *first = base ? arena_printf(e->c->arena, "%s + %s", base, strip) : strip;
    if (e->par.stream) {
        const char *next = name_new(e, "next");
        text_open(e->out, "for (int64_t %s = %s, %s; %s < %s; %s = %s) {", strip, from, next, strip,
                  to, strip, next);
        fetch_ahead(e, first, e->par.stream->weaves ? "SNL_WOVEN" : "SNL_LANES");
        const char *end = open_stream(e, strip, first, to);
        text_line(e->out, "%s = %s;", next, end);
        return end;
    }
    const char *end = name_new(e, "strip_end");
    const StripKind *kind = loop_strip_kind(e);
    const char *length = kind->name;
    text_open(e->out, "for (int64_t %s = %s; %s < %s; %s += %s) {", strip, from, strip, to, strip,
              length);
    const bool short_rows = e->par.strips && rows_may_be_short(e->par.strips);
    if (whole || !short_rows)
        fetch_ahead(e, first, length);
    if (whole)
        return length;
    text_line(e->out, "const int64_t %s = %s(%s, %s);", end, kind->end, strip, to);
    if (short_rows)
        fetch_ahead(e, first, arena_printf(e->c->arena, "(uint64_t)(%s - %s)", end, strip));
    return end;
}

void
loop_simd(Emit *e)
{
    text_line(e->out, e->par.indexes ? "SNL_SIMD_INDEXED" : "SNL_SIMD");
}

/* The loop over the lanes of a whole strip: C compilers know how many there are. */
static void
open_lanes(Emit *e, const char *i, const char *strip, const char *length)
{
    const char *lane = e->par.lane = name_new(e, "lane");
    if (e->par.simd)
        loop_simd(e);
    text_open(e->out, "for (int64_t %s = 0; %s < %s; %s++) {", lane, lane, length, lane);
    declarations_maybe(e, i,
               arena_printf(e->c->arena, "const int64_t %s = %s + %s;", i, strip, lane));
}

/* What is read once for all iterations, where there are any. */
static void
read_before(Emit *e, const char *from, const char *to)
{
    const bool known = loop_bound_is_number(from) && loop_bound_is_number(to);
    if (!known || strtoll(from, NULL, 10) >= strtoll(to, NULL, 10)) {
        text_line(e->out, "if (%s >= %s)", from, to);
        text_line(e->out, "    continue;");
    }
    stmt_write(e, e->par.before);
    e->par.before = NULL;
}

int
loop_open_inner(Emit *e, const char *i, const char *base, const char *from, const char *to,
                int64_t count)
{
    if (e->par.batch_task) {
        defer_scatter_open(e, i, from, to);
        e->par.batch_task = NULL;
        e->par.lanes = e->par.simd = false;
        return 1;
    }
    if (e->par.order) {
        reorder_open(e, i, base, from, to);
        return 1;
    }
    if (prefetch_indirect_has_mine(e)) {
        prefetch_indirect_open_mine(e, i);
        return 1;
    }
    const bool pairs = e->par.stream && e->par.stream->weaves == WEAVE_ROWS;
    const bool strips = (e->par.stream && !pairs) || e->par.strips ||
                        (e->par.lanes && !(count > 0 && count <= SUM_LANES));
    /* lanes count from 0, where a row of few iterations may begin anywhere */
    e->par.lane =
        e->par.lanes && strcmp(from, "0") ? arena_printf(e->c->arena, "%s - (%s)", i, from) : i;
    if (e->par.before)
        read_before(e, from, to);
    if (pairs)
        open_pairs(e, from, to);
    if (strips) {
        const char *strip = name_new(e, "strip");
        const bool whole = strips_are_whole(e, count);
        to = open_strip(e, strip, base, from, to, whole);
        e->par.strip_count = whole ? to : arena_printf(e->c->arena, "%s - %s", to, strip);
        e->par.adds_rows = e->par.loop->adds_rows && reductions_only_floats(e);
        if (e->par.adds_rows) {
            declarations_maybe(e, i, arena_printf(e->c->arena, "const int64_t %s = %s;", i, strip));
            e->par.lanes = e->par.simd = false;
            e->par.strips = NULL;
            return 1;
        }
        reductions_open_strip(e);
        if (whole) {
            open_lanes(e, i, strip, to);
            e->par.lanes = e->par.simd = false;
            e->par.strips = NULL;
            return 2;
        }
        e->par.lane = arena_printf(e->c->arena, "%s - %s", i, strip);
        from = strip;
    }
    if (!strips && !e->par.peel && strip_tails_to_the_end(e, i, from, to)) {
        e->par.simd = false;
        return 2;
    }
    if (!strips && e->par.lanes && !e->par.strip_end)
        reductions_turn(e, count);
    if (e->par.peel) {
        peel_strip(e, from, to);
        e->par.peel->first = strips || strcmp(from, "0") ? from : NULL;
    }
    bool unrolls = count > 0 && count < SHORT_LOOP;
    if (e->par.simd && !unrolls)
        loop_simd(e);
    text_open(e->out, "for (int64_t %s = %s; %s < %s; %s++) {", i, from, i, to, i);
    e->par.lanes = e->par.simd = false; /* the loops inside are others */
    e->par.stream = e->par.strips = NULL;
    return strips ? 2 : 1;
}

void
loop_close(Emit *e, int loops)
{
    while (loops-- > 0) {
        if (e->par.batch) {
            defer_scatter_close(e);
            continue;
        }
        text_close(e->out, "}");
        if (e->par.strip_end)
            text_line(e->out, "%s", e->par.strip_end);
        e->par.strip_end = NULL;
        e->par.adds_rows = false;
        reductions_close_strip(e);
    }
}

/* ---- loops over cells, one after another ---- */

static void
cells_of_snapshot(Emit *e, const Inst *i)
{
    CLoop loop;
    Nest nest;
    const Node *n = i->node;
    const char *cells = name_new(e, "cells"), *at = name_new(e, "n");
    text_open(e->out, "{");
    text_line(e->out, "SNL_SNAPSHOT(%s, %s, %d);", cells, place_tree(e, n->layout), n->id - 1);
    activity_place_error(e, i->span);
    loop_begin(e, &loop, false);
    text_open(e->out, "for (int64_t %s = 0; %s < %s.count; %s++) {", at, at, cells, at);
    nest_start(e, &nest, n, n, i->vars.items);
    nest_from_entry(e, &nest, arena_printf(e->c->arena, "%s.entries[%s]", cells, at));
    CellAt here = {.outer = e->fn.cells,
                   .node = n,
                   .text = arena_printf(e->c->arena, "(*(%s *)%s.entries[%s].cell)",
                                        type_cell(e, n), cells, at)};
    e->fn.cells = &here;
    stmt_write(e, i->blocks[0]);
    e->fn.cells = here.outer;
    text_close(e->out, "}");
    loop_end(e, &loop);
    text_close(e->out, "}");
}

void
loop_for_cells(Emit *e, const Inst *i)
{
    CLoop loop;
    Nest nest;
    if (i->node && node_is_sparse(i->node)) {
        cells_of_snapshot(e, i);
        return;
    }
    loop_begin(e, &loop, i->node != NULL);
    if (!i->node) {
        text_open(e->out, "do {");
        stmt_write(e, i->blocks[0]);
        text_close(e->out, "} while (0);");
    } else {
        nest_start(e, &nest, NULL, i->node, i->vars.items);
        nest_open(e, &nest);
        stmt_write(e, i->blocks[0]);
        nest_close(e, &nest);
    }
    loop_end(e, &loop);
}
