/* Nests of loops over the cells of a node, in memory order. Their variables have 64 bits, so that C
 * compilers see plain strides; they are narrowed where the program uses their value. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "emit/loop/loops.h"

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

const char *
nest_container(Emit *e, const Node *n)
{
    Inst child = {.kind = INST_CHILD, .node = (Node *)n},
         at = {.kind = INST_LOOP_CELL, .node = n->parent}, *arg = &at;
    child.args.items = &arg;
    child.args.count = 1;
    return n->parent ? place_container(e, &child) : place_top(e, n);
}

const char *
nest_cell(Emit *e, const Node *n, const char *number)
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

const char *
nest_number_in_row(Emit *e, const Nest *nest, const char *in_row)
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

/* The number of a cell in the container that the loop is at is known: the cell is. */
static void
enter_number(Emit *e, Nest *nest, const Node *n, const char *number)
{
    push_cell(e, nest, n, nest_cell(e, n, number));
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
              nest->row, mask_loops_here(e, nest, n), nest_number_in_row(e, nest, "0"),
              (long long)size);
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
