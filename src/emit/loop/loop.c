/* Sequential loops over ranges, and nests over the cells of a node in memory order. Loop variables
 * of nests are 64-bit, so that the C compiler sees plain strides. They are narrowed where the
 * program uses their value. */
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

void
loop_write(Emit *e, const Inst *i)
{
    const char *from = value_text(e, i->args.items[0], PREC_ASSIGN),
               *to = value_text(e, i->args.items[1], PREC_COMPARE + 1),
               *name = name_index(e, i->var, i->args.items[0]);
    CellAt *const cells = e->fn.cells;
    if (i->vector)
        loop_simd(e);
    e->par.simd = false;
    text_open(e->out, "for (int64_t %s = %s; %s < %s; %s++) {", name, from, name, to, name);
    stmt_write(e, i->blocks[0]);
    text_close(e->out, "}");
    e->fn.cells = cells;
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

/* The cell with a number in the container that the loop is at; what others lie in has a name. */
static const char *
cell_text(Emit *e, const Node *n, const char *number)
{
    const char *text = arena_printf(e->c->arena, "%s[%s]", nest_container(e, n), number);
    if (!n->children.count && !n->parent)
        return text;
    const char *name = name_new(e, arena_printf(e->c->arena, "cell_%d", n->id));
    declarations_maybe(
        e, name,
        arena_printf(e->c->arena, "%s *const %s = &%s;", type_cell(e, n), name, text));
    return arena_printf(e->c->arena, "(*%s)", name);
}

void
loop_at_cell(Emit *e, const Inst *i)
{
    CellAt *at = ARENA_NEW(e->c->arena, CellAt);
    const char *number = value_text(e, i->args.items[0], PREC_ANY);
    *at = (CellAt){
        .outer = e->fn.cells,
        .node = i->node,
        .text = cell_text(e, i->node, number),
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

const char *
nest_container(Emit *e, const Node *n)
{
    Inst child = {.kind = INST_CHILD, .node = (Node *)n},
         at = {.kind = INST_LOOP_CELL, .node = n->parent}, *arg = &at;
    child.args.items = &arg;
    child.args.count = 1;
    return n->parent ? place_container(e, &child) : place_top(e, n);
}

bool
loop_bound_is_number(const char *text)
{
    return *text >= '0' && *text <= '9' && !text[strspn(text, "0123456789")];
}

/* The number of a cell of the row that the loop is at. */
static const char *
number_in_row(Emit *e, const Nest *nest, const char *in_row)
{
    const Node *n = nest->node[nest->count - 1];
    const char *number = NULL;
    for (int k = 0; k < n->axis_count; k++) {
        const char *digit =
            k == n->axis_count - 1 ? in_row : nest->digit[nest->count - n->axis_count + k];
        number = place_number(e, n, k, number, digit);
    }
    return number;
}

/* A row of the block that the loop is at goes to a small array, then between the elements of
 * another field; `from` and `to`: of the row. What the row has is in the array where some cells are
 * left out. */
static void
open_pairs(Emit *e, const char *from, const char *to)
{
    const Task *t = e->par.stream;
    const Node *n = t->node;
    const char *type = type_c(e, t->stream->type), *number = number_in_row(e, e->par.nest, from);
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

/* Takes the bits of a row of cells, where the loop goes through a mask by its rows. */
static void
take_row(Emit *e, Nest *nest)
{
    const Node *n = nest->node[nest->count - 1];
    const int64_t size = n->sizes[n->axis_count - 1];
    if (n->kind != NODE_BITMASKED || !e->par.halo_count)
        return;
    nest->row = name_new(e, arena_printf(e->c->arena, "row_%d", n->id));
    text_line(e->out, "const uint%d_t %s = snl_mask_bits_from(%s, %s, %lld);", size > 32 ? 64 : 32,
              nest->row, mask_loops_here(e, nest, n), number_in_row(e, nest, "0"), (long long)size);
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
    if (!e->par.lanes || e->par.stream)
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
    if (!strips && strip_tails_to_the_end(e, i, from, to)) {
        e->par.simd = false;
        return 2;
    }
    if (!strips && e->par.lanes && !e->par.strip_end)
        reductions_turn(e, count);
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

/* ---- nests over cells ---- */

void
nest_levels(Emit *e, Nest *nest, const Node *from, const Node *to)
{
    Arena *a = e->c->arena;
    int depth, levels = 0;
    Node **path = node_path(a, from, to, &depth);
    for (int i = 0; i < depth; i++)
        levels += path[i]->axis_count;
    *nest = (Nest){.from = from,
                   .to = to,
                   .node = ARENA_ARRAY(a, const Node *, levels),
                   .axis_at = ARENA_ARRAY(a, int, levels),
                   .digit = ARENA_ARRAY(a, const char *, levels),
                   .cells = ARENA_ARRAY(a, CellAt, depth + 1)};
    for (int i = 0; i < depth; i++)
        for (int k = 0; k < path[i]->axis_count; k++) {
            nest->node[nest->count] = path[i];
            nest->axis_at[nest->count++] = k;
        }
}

void
nest_start(Emit *e, Nest *nest, const Node *from, const Node *to, Var *const *vars)
{
    int rank = 0;
    nest_levels(e, nest, from, to);
    for (int axis = 0; axis < AXIS_MAX; axis++)
        if (to->path_axes & 1 << axis) {
            const Var *v = vars[rank++];
            nest->vars[axis] = v;
            e->fn.var_text[v->id] = name_new(e, v->name);
            e->fn.wide[v->id] = true;
        }
}

Nest
nest_copy(Emit *e, const Nest *nest)
{
    Nest copy = *nest;
    copy.digit = ARENA_ARRAY(e->c->arena, const char *, nest->count);
    if (nest->count)
        memcpy(copy.digit, nest->digit, sizeof *copy.digit * (size_t)nest->count);
    return copy;
}

const char *
nest_size(Emit *e, const Nest *nest, int level)
{
    const Node *n = nest->node[level];
    int k = nest->axis_at[level];
    return n->sizes[k] ? arena_printf(e->c->arena, "%lld", (long long)n->sizes[k])
                       : place_size(e, n, k);
}

static int
axis_of(const Nest *nest, int level)
{
    return nest->node[level]->axes[nest->axis_at[level]];
}

static bool
is_last(const Nest *nest, int level)
{
    for (int l = level + 1; l < nest->count; l++)
        if (axis_of(nest, l) == axis_of(nest, level))
            return false;
    return true;
}

/* No level before this one, nor the list, has the axis. */
static bool
is_first(const Nest *nest, int level)
{
    int axis = axis_of(nest, level);
    for (int l = 0; l < level; l++)
        if (axis_of(nest, l) == axis)
            return false;
    return !nest->from || !(nest->from->path_axes & 1 << axis);
}

const char *
nest_digit(Emit *e, Nest *nest, int level)
{
    int axis = axis_of(nest, level);
    if (is_first(nest, level) && is_last(nest, level) && !node_first(nest->to, axis))
        return e->fn.var_text[nest->vars[axis]->id];
    return name_new(e, arena_printf(e->c->arena, "%c_%d", 'i' + axis, nest->node[level]->id));
}

/* A coordinate with the offset of the node. */
static const char *
with_offset(Emit *e, const Nest *nest, int axis, const char *text)
{
    const int64_t offset = node_first(nest->to, axis);
    if (!offset)
        return text;
    return arena_printf(e->c->arena, "%s %c %lld", text, offset < 0 ? '-' : '+',
                        (long long)(offset < 0 ? -offset : offset));
}

/* Is the level gone through in parts, and the loop in one of them? */
static bool
is_in_part(const Nest *nest, int level)
{
    return nest->node[level] == nest->to && nest->part[nest->axis_at[level]];
}

const char *
nest_row_size(Emit *e, const Nest *nest)
{
    const int last = nest->count - 1;
    return is_in_part(nest, last)
               ? arena_printf(e->c->arena, "%lld",
                              (long long)nest->part_size[nest->axis_at[last]])
               : nest_size(e, nest, last);
}

const char *
nest_row_start(Emit *e, const Nest *nest)
{
    const int last = nest->count - 1, axis = axis_of(nest, last);
    const char *text = nest->coord[axis];
    text = text ? arena_printf(e->c->arena, "%s * %s", text, nest_size(e, nest, last)) : "0";
    if (is_in_part(nest, last))
        text = arena_printf(e->c->arena, "%s + %s", text, nest->part[nest->axis_at[last]]);
    return with_offset(e, nest, axis, text);
}

/* Indices of the field along the axis that a cell of a level spans, below the level. */
static int64_t
span_below(const Nest *nest, int level)
{
    int64_t span = 1;
    for (int l = level + 1; l < nest->count; l++)
        if (axis_of(nest, l) == axis_of(nest, level))
            span *= nest->node[l]->sizes[nest->axis_at[l]];
    return span;
}

const char *
nest_row_test(Emit *e, const Nest *nest, const char *start)
{
    const int last = nest->count - 1, axis = axis_of(nest, last);
    const char *low = nest->low[axis], *high = nest->high[axis];
    const char *before = low ? arena_printf(e->c->arena, "%s >= %s", start, low) : "",
               *after = high ? arena_printf(e->c->arena, "%s + %s <= %s", start,
                                            nest_row_size(e, nest), high) : "";
    return low || high ? arena_printf(e->c->arena, "%s%s%s", before, low && high ? " && " : "",
                                      after)
                       : NULL;
}

/* Is the bound a number that leaves out no cell of the level as a whole? */
static bool
is_in_all(const Nest *nest, int level, const char *bound, bool upper)
{
    const int axis = axis_of(nest, level);
    const int64_t span = span_below(nest, level), first = node_first(nest->to, axis),
                  extent = nest->to->coord_extent[axis];
    const bool number = loop_bound_is_number(*bound == '-' ? bound + 1 : bound);
    return number && (upper ? extent && strtoll(bound, NULL, 10) > first + extent - span
                            : strtoll(bound, NULL, 10) < first + span);
}

/* Goes on to the next cell of a level where the loop visits none of what it spans. */
static void
skip_outside(Emit *e, const Nest *nest, int level)
{
    const int axis = axis_of(nest, level);
    const int64_t span = span_below(nest, level);
    const char *low = nest->low[axis], *high = nest->high[axis], *coord = nest->coord[axis];
    const char *at = e->fn.var_text[nest->vars[axis]->id], *end = at;
    if (low && is_in_all(nest, level, low, false))
        low = NULL;
    if (high && is_in_all(nest, level, high, true))
        high = NULL;
    if (!low && !high)
        return;
    if (!is_last(nest, level)) {
        at = with_offset(e, nest, axis,
                         arena_printf(e->c->arena, "%s * %lld", coord, (long long)span));
        end = arena_printf(e->c->arena, "%s + %lld", at, (long long)span - 1);
    }
    const char *before = low ? arena_printf(e->c->arena, "%s < %s", end, low) : "",
               *after = high ? arena_printf(e->c->arena, "%s >= %s", at, high) : "";
    text_line(e->out, "if (%s%s%s)", before, low && high ? " || " : "", after);
    text_line(e->out, "    continue;");
}

/* Opens the innermost loop, over `i`, for those cells of a row that are visited. */
static void
open_part_of_row(Emit *e, Nest *nest, const char *i)
{
    const int last = nest->count - 1, axis = axis_of(nest, last);
    const char *low = nest->low[axis], *high = nest->high[axis], *from = "0",
               *to = nest_row_size(e, nest), *start = nest_row_start(e, nest);
    if (low) {
        from = name_new(e, "begin");
        text_line(e->out, "const int64_t %s = snl_larger(%s - (%s), 0);", from, low, start);
    }
    if (high) {
        const char *end = name_new(e, "end");
        text_line(e->out, "const int64_t %s = snl_smaller(%s - (%s), %s);", end, high, start, to);
        to = end;
    }
    nest->opened += loop_open_inner(e, i, NULL, from, to, 0);
}

/* The coordinate is complete: the user's variable gets it. */
static void
define_coord(Emit *e, Nest *nest, int axis)
{
    const Var *v = nest->vars[axis];
    const char *text = with_offset(e, nest, axis, nest->coord[axis]);
    if (text != e->fn.var_text[v->id])
        declarations_maybe(
            e, e->fn.var_text[v->id],
            arena_printf(e->c->arena, "const int64_t %s = %s;", e->fn.var_text[v->id], text));
    if (e->c->options.debug && !e->c->options.optimize) /* also where only a debugger asks */
        text_line(e->out, "(void)%s;", e->fn.var_text[v->id]);
}

static void
add_digit(Emit *e, Nest *nest, int level)
{
    int axis = axis_of(nest, level);
    const char *d = nest->digit[level];
    if (nest->coord[axis])
        nest->coord[axis] = arena_printf(e->c->arena, "%s * %s + %s", nest->coord[axis],
                                         nest_size(e, nest, level), d);
    else
        nest->coord[axis] = d;
    if (is_last(nest, level))
        define_coord(e, nest, axis);
    if (nest->coord[axis] != d) /* for what follows from it */
        nest->coord[axis] = arena_printf(e->c->arena, "(%s)", nest->coord[axis]);
}

static const char *
number_in_container(Emit *e, const Nest *nest, int last)
{
    const Node *n = nest->node[last];
    const char *text = NULL;
    for (int k = 0; k < n->axis_count; k++) {
        const char *d = nest->digit[last - n->axis_count + 1 + k];
        if (!text) {
            text = d;
            continue;
        }
        const char *size = n->stored[k] ? arena_printf(e->c->arena, "%lld", (long long)n->stored[k])
                                        : place_size(e, n, k);
        text = arena_printf(e->c->arena, k > 1 ? "(%s) * %s + %s" : "%s * %s + %s", text, size, d);
    }
    return text;
}

/* The loop is at that cell from now on. */
static void
push_cell(Emit *e, Nest *nest, const Node *n, const char *text)
{
    CellAt *at = &nest->cells[nest->cell_count++];
    *at = (CellAt){.outer = e->fn.cells, .node = n, .text = text};
    e->fn.cells = at;
}

/* The number of a cell in the container that the loop is at is known: the cell is. */
static void
enter_number(Emit *e, Nest *nest, const Node *n, const char *number)
{
    push_cell(e, nest, n, cell_text(e, n, number));
    e->fn.cells->number = number;
}

void
nest_enter(Emit *e, Nest *nest, int level, const char *number)
{
    const Node *n = nest->node[level];
    for (int k = 0; k < n->axis_count; k++)
        add_digit(e, nest, level + k);
    nest->reached = level + n->axis_count;
    enter_number(e, nest, n, number);
}

/* All axes of a node are known: its cell is. */
static void
enter_cell(Emit *e, Nest *nest, int last)
{
    const Node *n = nest->node[last];
    const char *number = number_in_container(e, nest, last);
    if (n->kind == NODE_BITMASKED) {
        if (n->axis_count > 1) {
            const char *name = name_new(e, arena_printf(e->c->arena, "n_%d", n->id));
            declarations_maybe(e, name,
                               arena_printf(e->c->arena, "const int64_t %s = %s;", name, number));
            number = name;
        }
        if (nest->row)
            text_line(e->out, "if (!(%s >> %s & 1))", nest->row, nest->digit[last]);
        else
            text_line(e->out, "if (!snl_bitmasked_is_active%s(%s, %d, %s, %s))",
                      place_still_verb(e, n), place_tree(e, n->layout), n->id - 1,
                      nest_container(e, n), number);
        text_line(e->out, "    continue;");
    }
    enter_number(e, nest, n, number);
}

/* The cells of a list, chunk by chunk: inside of a chunk they lie side by side. */
static void
open_list(Emit *e, Nest *nest, int level)
{
    const Node *n = nest->node[level];
    const char *where = nest_container(e, n), *type = type_cell(e, n);
    const char *begin = nest->list_begin,
               *length = name_new(e, arena_printf(e->c->arena, "length_%d", n->id));
    const char *cells = name_new(e, arena_printf(e->c->arena, "chunk_%d", n->id)),
               *d = name_new(e, arena_printf(e->c->arena, "n_%d", n->id));
    if (nest->ahead_lists)
        prefetch_list(e, n, where, number_in_container(e, nest, level - 1));
    text_line(e->out, "const int64_t %s = %s;", length,
              list_loops_length(e, n, e->par.packs_own, where));
    if (!begin) {
        begin = name_new(e, arena_printf(e->c->arena, "begin_%d", n->id));
        text_open(e->out, "for (int64_t %s = 0; %s < %s; %s) {", begin, begin, length,
                  list_loops_next(e, n, e->par.packs_own, length, begin));
        nest->opened++;
    }
    text_line(e->out, "%s *const %s = %s;", type, cells,
              list_loops_cells(e, n, e->par.packs_own, where, begin));
    const char *count = name_new(e, arena_printf(e->c->arena, "count_%d", n->id));
    text_line(e->out, "const int64_t %s = %s;", count,
              list_loops_count(e, n, e->par.packs_own, cells, length, begin));
    if (e->par.abreast_task) {
        outer_vector_open(e, nest->vars[axis_of(nest, level)], begin, cells, count);
        nest->opened++;
        push_cell(e, nest, n, NULL);
        outer_vector_at(e, e->fn.cells);
        return;
    }
    if (nest->list_place)
        text_open(e->out, "for (int64_t %s = %s; %s < %s; %s = %s) {", d, nest->list_place, d,
                  count, d, count);
    else
        text_open(e->out, "for (int64_t %s = 0; %s < %s; %s++) {", d, d, count, d);
    nest->opened++;
    nest->digit[level] = nest_digit(e, nest, level);
    declarations_maybe(
        e, nest->digit[level],
        arena_printf(e->c->arena, "const int64_t %s = %s + %s;", nest->digit[level], begin, d));
    add_digit(e, nest, level);
    push_cell(e, nest, n, arena_printf(e->c->arena, "%s[%s]", cells, d));
}

/* Opens the loop of a level, as far as the part of a block that the loop is at goes. */
static void
open_level(Emit *e, Nest *nest, int level)
{
    const int k = nest->axis_at[level];
    const bool in_part = is_in_part(nest, level);
    if (level == nest->count - 1)
        take_row(e, nest);
    const char *digit = nest->digit[level] = nest_digit(e, nest, level), *i = digit,
               *size = nest_size(e, nest, level);
    int64_t count = nest->node[level]->sizes[k];
    if (in_part) {
        i = nest->in_part[k] =
            name_new(e, arena_printf(e->c->arena, "%c_in_part", 'i' + axis_of(nest, level)));
        count = nest->part_size[k];
        size = arena_printf(e->c->arena, "%lld", (long long)count);
    }
    if (level == nest->count - 1 && !nest->whole_row && nest_row_test(e, nest, "0"))
        open_part_of_row(e, nest, i);
    else if (level == nest->count - 1)
        nest->opened += loop_open_inner(e, i, NULL, "0", size, count);
    else {
        if (nest->unrolls && level == nest->count - 2)
            text_line(e->out, "SNL_UNROLL");
        text_open(e->out, "for (int64_t %s = 0; %s < %s; %s++) {", i, i, size, i);
        nest->opened++;
    }
    if (in_part)
        text_line(e->out, "const int64_t %s = %s + %s;", digit, nest->part[k], i);
}

static void
open_levels(Emit *e, Nest *nest, int until)
{
    while (nest->reached < until) {
        int l = nest->reached;
        if (l + nest->node[l]->axis_count <= until && mask_loops_in_words(nest, l)) {
            mask_loops_open_words(e, nest, l);
            mask_loops_open_bits(e, nest, l);
            continue;
        }
        nest->reached++;
        if (nest->node[l]->kind == NODE_DYNAMIC) {
            open_list(e, nest, l);
            continue;
        }
        const bool loops = !nest->digit[l];
        if (loops)
            open_level(e, nest, l);
        add_digit(e, nest, l);
        if (!loops || l < nest->count - 1)
            skip_outside(e, nest, l);
        if (nest->axis_at[l] == nest->node[l]->axis_count - 1)
            enter_cell(e, nest, l);
    }
}

void
nest_open(Emit *e, Nest *nest)
{
    open_levels(e, nest, nest->count);
}

void
nest_open_outer(Emit *e, Nest *nest, int levels)
{
    open_levels(e, nest, nest->count - levels);
}

void
nest_close(Emit *e, Nest *nest)
{
    loop_close(e, nest->opened);
    nest->opened = 0;
    if (nest->cell_count)
        e->fn.cells = nest->cells[0].outer;
}

void
nest_from_entry(Emit *e, Nest *nest, const char *entry)
{
    const Node *n = nest->from ? nest->from : nest->to;
    for (int a = 0; a < AXIS_MAX; a++) {
        if (!(n->path_axes & 1 << a))
            continue;
        nest->coord[a] = nest->listed_coord[a] =
            arena_printf(e->c->arena, "%s.coord[%d]", entry, a);
        bool complete = true;
        for (int l = 0; l < nest->count; l++)
            complete = complete && axis_of(nest, l) != a;
        if (complete)
            define_coord(e, nest, a);
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
