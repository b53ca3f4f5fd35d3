/* Windows (pass stage_scaled): the cells that a loop over blocks reaches in blocks of other sizes,
 * at twice or half of its own indices:
 *
 *     // where the window of this part begins, and its block, looked up once
 *     const int64_t c_i = (i_1 * 8) >> 1;
 *     L1_S1pointer_cell *const c_block = (...)snl_pointer_lookup(…, c_i >> 3);
 *     L1_S2dense_cell *const c_window = &c_block->S2dense[c_i & 7];
 *     ... c_window[i_2 >> 1].c
 *
 * A copy is made row by row. Each piece of a row lies in one block, and all blocks are looked up
 * before. */
#include "config.h"

#include <string.h>

#include "emit/loop/loops.h"
#include "analysis/window.h"

/* A window where the loop is at one of its parts. */
struct WindowName {
    const Window *window;
    const char *base[AXIS_MAX]; /* by axis: index of the first cell that belongs to the part */
    const char *name;           /* pointer to that cell, or the copy */
};

static bool
is_power(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* The text as an operand of a sum or quotient. */
static const char *
operand(Emit *e, const char *text)
{
    return text[strcspn(text, " ")] ? arena_printf(e->c->arena, "(%s)", text) : text;
}

static const char *
divided(Emit *e, const char *text, int64_t by)
{
    if (by == 1)
        return text;
    text = operand(e, text);
    return is_power(by) ? arena_printf(e->c->arena, "%s >> %d", text,
                                       __builtin_ctzll((unsigned long long)by))
                        : arena_printf(e->c->arena, "%s / %lld", text, (long long)by);
}

/* The rest of an index that is not below -`by`. */
static const char *
rest_of(Emit *e, const char *text, int64_t by, bool below)
{
    if (is_power(by))
        return arena_printf(e->c->arena, "(%s & %lld)", operand(e, text), (long long)by - 1);
    return below ? arena_printf(e->c->arena, "((%s + %lld) %% %lld)", text, (long long)by,
                                (long long)by)
                 : arena_printf(e->c->arena, "(%s %% %lld)", operand(e, text), (long long)by);
}

void
stage_scaled_begin(Emit *e, const Task *t)
{
    e->par.windows = ARENA_ARRAY(e->c->arena, WindowName, t->windows.count);
    e->par.window_count = t->windows.count;
    for (int n = 0; n < t->windows.count; n++) {
        e->par.windows[n].window = t->windows.items[n];
        place_cache_path(e, t->windows.items[n]->node);
    }
}

bool
stage_scaled_activates(const Task *t)
{
    for (int n = 0; n < t->windows.count; n++)
        if (t->windows.items[n]->activates && node_is_sparse(t->windows.items[n]->node))
            return true;
    return false;
}

/* ---- parts ---- */

void
stage_scaled_open_parts(Emit *e, const Task *t, Nest *nest)
{
    const Node *n = nest->to;
    for (int k = 0; t->windows.count && k < n->axis_count; k++) {
        if (!t->part[k])
            continue;
        const char *part = name_new(e, arena_printf(e->c->arena, "%c_part", 'i' + n->axes[k]));
        text_open(e->out, "for (int64_t %s = 0; %s < %lld; %s += %lld) {", part, part,
                  (long long)n->sizes[k], part, (long long)t->part[k]);
        nest->opened++;
        nest->part[k] = part;
        nest->part_size[k] = t->part[k];
    }
}

/* Index of the first cell of the part along an axis. */
static const char *
part_begin(Emit *e, const Nest *nest, int k)
{
    const Node *n = nest->to;
    const char *begin =
        arena_printf(e->c->arena, "%s * %lld", nest->coord[n->axes[k]], (long long)n->sizes[k]);
    return nest->part[k] ? arena_printf(e->c->arena, "%s + %s", begin, nest->part[k]) : begin;
}

static const char *
name_of(Emit *e, const Window *w)
{
    const Field *f = w->field ? w->field : w->node->places.items[0].field;
    return name_plain(e, f->name);
}

/* Declares where the window begins. */
static void
declare_base(Emit *e, const Nest *nest, WindowName *made)
{
    const Window *w = made->window;
    for (int k = 0; k < w->node->axis_count; k++) {
        const int axis = w->node->axes[k];
        const char *begin = part_begin(e, nest, k),
                   *name =
                       name_new(e, arena_printf(e->c->arena, "%s_%c", name_of(e, w), 'i' + axis));
        if (w->times[axis] > 1)
            begin = arena_printf(e->c->arena, "(%s) * %lld", begin, (long long)w->times[axis]);
        text_line(e->out, "const int64_t %s = %s;", name,
                  divided(e, begin, (int64_t)1 << w->shift[axis]));
        made->base[axis] = name;
    }
}

/* The coordinate of the block at an index, which may lie outside. */
static const char *
block_coordinate(Emit *e, const Window *w, int k, const char *index)
{
    const int axis = w->node->axes[k];
    const char *at = divided(e, index, w->node->sizes[k]);
    if (!w->outside)
        return at;
    return arena_printf(e->c->arena, "snl_min_i64(snl_max_i64(%s, 0), %s)", at,
                        stage_halo_last_coordinate(e, w->node->parent, axis));
}

/* Declares the block at the coordinates; gives its container of cells. */
static const char *
find_block(Emit *e, const Window *w, const char *const *index)
{
    const char *coord[AXIS_MAX] = {NULL};
    for (int k = 0; k < w->node->axis_count; k++) {
        const int axis = w->node->axes[k];
        coord[axis] = name_new(e, arena_printf(e->c->arena, "%s_at_%c", name_of(e, w), 'i' + axis));
        text_line(e->out, "const int64_t %s = %s;", coord[axis],
                  block_coordinate(e, w, k, index[axis]));
    }
    const char *block = stage_halo_block(e, w->node->parent, coord,
                                         arena_printf(e->c->arena, "%s_block", name_of(e, w)),
                                         w->activates && node_is_sparse(w->node));
    return arena_printf(e->c->arena, "%s->%s", block, type_child_member(e, w->node));
}

/* Index in its block of the cell at `index` along the k-th axis. */
static const char *
digit_at(Emit *e, const Window *w, int k, const char *index, bool below)
{
    return rest_of(e, index, w->node->sizes[k], below);
}

static void
reach_block(Emit *e, WindowName *made)
{
    const Window *w = made->window;
    const char *cells = find_block(e, w, made->base), *number = NULL;
    for (int k = 0; k < w->node->axis_count; k++)
        number = place_number(e, w->node, k, number,
                             digit_at(e, w, k, made->base[w->node->axes[k]], false));
    made->name = name_new(e, arena_printf(e->c->arena, "%s_window", name_of(e, w)));
    text_line(e->out, "%s *const %s = &%s[%s];", type_cell(e, w->node), made->name, cells, number);
}

/* ---- copies ---- */

/* Looks all blocks up that pieces of the copy lie in; gives the array of their cells. */
static const char *
find_blocks(Emit *e, const WindowName *made)
{
    const Window *w = made->window;
    const Node *n = w->node;
    Arena *a = e->c->arena;
    const char *array = name_new(e, arena_printf(a, "%s_blocks", name_of(e, w))), *at = array,
               *extents = "", *index[AXIS_MAX] = {NULL};
    int64_t first, end;
    for (int k = 0; k < n->axis_count; k++) {
        window_pieces(w, k, &first, &end);
        extents = arena_printf(a, "%s[%lld]", extents, (long long)(end - first));
    }
    text_line(e->out, "const %s *%s%s;", type_cell(e, n), array, extents);
    for (int k = 0; k < n->axis_count; k++) {
        const int axis = n->axes[k];
        const char *piece = name_new(e, arena_printf(a, "%c_piece", 'i' + axis));
        window_pieces(w, k, &first, &end);
        text_open(e->out, "for (int64_t %s = 0; %s < %lld; %s++) {", piece, piece,
                  (long long)(end - first), piece);
        index[axis] = stage_halo_plus(e,
                           arena_printf(a, "%s + %s * %lld", made->base[axis], piece,
                                        (long long)window_piece(w, k)),
                           first * window_piece(w, k));
        at = arena_printf(a, "%s[%s]", at, piece);
    }
    const char *cells = find_block(e, w, index);
    text_line(e->out, "%s = %s;", at, cells);
    for (int k = 0; k < n->axis_count; k++)
        text_close(e->out, "}");
    return array;
}

/* n / by, rounded up. */
static int64_t
ceil_div(int64_t n, int64_t by)
{
    return n / by + (n % by > 0);
}

/* row[to] = cells[from], of the window's field. */
static void
copy_element(Emit *e, const Window *w, const char *row, const char *to, const char *cells,
             const char *from)
{
    text_line(e->out, "%s[%s] = %s;", row, to,
              place_part_in_cell(e, arena_printf(e->c->arena, "%s[%s]", cells, from), w->field,
                                 w->leaf, w->type));
}

/* Opens a loop over numbers; false where there is none. */
static const char *
open_numbers(Emit *e, const char *like, int64_t from, int64_t to)
{
    if (from >= to)
        return NULL;
    const char *i = name_new(e, like);
    text_open(e->out, "for (int64_t %s = %lld; %s < %lld; %s++) {", i, (long long)from, i,
              (long long)to, i);
    return i;
}

/* Do such cells hold nothing but numbers of so many bytes? */
static bool
holds_numbers(const Window *w, int64_t bytes)
{
    return w->type->kind == TYPE_SCALAR && w->type->bytes == bytes && w->node->cell_bytes == bytes;
}

enum { VECTOR_LEAST = 4 };

/* The same for a range of cells, each of which two iterations reach, as vectors: false where there
 * are none. */
static bool
copy_twice(Emit *e, const Window *w, const char *row, int64_t to, const char *cells, int64_t from,
           int64_t count)
{
    if (count < VECTOR_LEAST || !(holds_numbers(w, 4) || holds_numbers(w, 8)))
        return false;
    text_line(e->out, "snl_row_twice_%d(&%s[%lld], &%s[%lld], %lld);", (int)w->type->bytes, row,
              (long long)to, cells, (long long)from, (long long)count);
    return true;
}

/* Copies the cells of a row from one to before another, each for all iterations that reach it. */
static void
copy_repeated(Emit *e, const Window *w, const char *row, const char *cells, int64_t begin,
              int64_t end)
{
    const int last = w->node->axis_count - 1;
    const int64_t by = (int64_t)1 << w->shift[w->node->axes[last]], first = window_row_first(w);
    Arena *a = e->c->arena;
    int64_t extent[AXIS_MAX + 1];
    window_extents(w, extent);
    const int64_t from = first > begin * by ? first : begin * by, limit = first + extent[last + 1],
                  to = limit < end * by ? limit : end * by, whole = ceil_div(from, by),
                  after = to / by;
    for (int64_t n = from; n < to && (n < whole * by || whole > after); n++)
        copy_element(e, w, row, arena_printf(a, "%lld", (long long)(n - first)), cells,
                     arena_printf(a, "%lld", (long long)(n / by - (n % by < 0) - begin)));
    const bool twice =
        by == 2 && copy_twice(e, w, row, whole * by - first, cells, whole - begin, after - whole);
    const char *i = twice ? NULL : open_numbers(e, "d", whole, after);
    for (int64_t n = 0; i && n < by; n++)
        copy_element(e, w, row,
                     stage_halo_plus(e, arena_printf(a, "%lld * %s", (long long)by, i), n - first),
                     cells, stage_halo_plus(e, i, -begin));
    if (i)
        text_close(e->out, "}");
    for (int64_t n = after * by; n < to && whole <= after; n++)
        copy_element(e, w, row, arena_printf(a, "%lld", (long long)(n - first)), cells,
                     arena_printf(a, "%lld", (long long)(after - begin)));
}

/* Copies the cells of a row from one to before another, to the row of those that leave the same
 * rest. */
static void
copy_piece(Emit *e, const Window *w, const char *rows, const char *cells, int64_t begin,
           int64_t end)
{
    const int last = w->node->axis_count - 1, axis = w->node->axes[last];
    const int64_t times = w->times[axis], first = window_row_first(w);
    Arena *a = e->c->arena;
    int64_t extent[AXIS_MAX + 1];
    window_extents(w, extent);
    for (int64_t rest = 0; rest < times; rest++) {
        const char *row = arena_printf(a, "%s[%lld]", rows, (long long)rest);
        int64_t from = ceil_div(begin - rest, times), to = ceil_div(end - rest, times);
        from = from < first ? first : from;
        to = to < first + extent[last + 1] ? to : first + extent[last + 1];
        if (times == 2 && begin % 2 == 0 && to - from >= VECTOR_LEAST && holds_numbers(w, 4)) {
            text_line(e->out, "snl_pairs_get(&%s[%lld], &%s[%lld], %lld, %d);", row,
                      (long long)(from - first), cells, (long long)(2 * from - begin),
                      (long long)(to - from), (int)rest);
            continue;
        }
        const char *i = open_numbers(e, "d", from, to);
        if (!i)
            continue;
        copy_element(
            e, w, row, stage_halo_plus(e, i, -first), cells,
            stage_halo_plus(e, times > 1 ? arena_printf(a, "%lld * %s", (long long)times, i) : i,
                            rest - begin));
        text_close(e->out, "}");
    }
}

/* Copies a row: the pieces of it, of which the last index of `blocks` is the number. */
static void
copy_row(Emit *e, const WindowName *made, const char *rows, const char *blocks, const char *number)
{
    const Window *w = made->window;
    const int last = w->node->axis_count - 1, axis = w->node->axes[last];
    const int64_t piece = window_piece(w, last), size = w->node->sizes[last];
    int64_t first, end;
    window_pieces(w, last, &first, &end);
    for (int64_t p = first; p < end; p++) {
        const char *cells = name_new(e, "cells"),
                   *digit = w->size[axis] % size == 0 && p * piece % size == 0
                                ? "0"
                                : digit_at(e, w, last,
                                           stage_halo_plus(e, made->base[axis], p * piece), p < 0);
        text_open(e->out, "{");
        text_line(e->out, "const %s *const %s = &%s[%lld][%s];", type_cell(e, w->node), cells,
                  blocks, (long long)(p - first), place_number(e, w->node, last, number, digit));
        if (w->shift[axis])
            copy_repeated(e, w, arena_printf(e->c->arena, "%s[0]", rows), cells, p * piece,
                          (p + 1) * piece);
        else
            copy_piece(e, w, rows, cells, p * piece, (p + 1) * piece);
        text_close(e->out, "}");
    }
}

static void
copy_window(Emit *e, WindowName *made)
{
    const Window *w = made->window;
    const Node *n = w->node;
    Arena *a = e->c->arena;
    const char *blocks = find_blocks(e, made), *array, *rows, *number = NULL;
    int64_t extent[AXIS_MAX + 1], first, last, piece, end;
    const int count = window_extents(w, extent);
    array = made->name = name_new(e, arena_printf(a, "%s_near", name_of(e, w)));
    for (int k = 0; k < count; k++)
        array = arena_printf(a, "%s[%lld]", array, (long long)extent[k]);
    text_line(e->out, "%s;", type_decl(e, w->type, array));
    rows = made->name;
    for (int k = 0; k < n->axis_count - 1; k++) {
        const int axis = n->axes[k];
        const char *i = name_new(e, arena_printf(a, "%c_near", 'i' + axis));
        window_range(w, axis, &first, &last);
        window_pieces(w, k, &piece, &end);
        text_open(e->out, "for (int64_t %s = %lld; %s <= %lld; %s++) {", i, (long long)first, i,
                  (long long)last, i);
        rows = arena_printf(a, "%s[%s]", rows, stage_halo_plus(e, i, -first));
        blocks = arena_printf(
            a, "%s[%s]", blocks,
            divided(e, stage_halo_plus(e, i, -piece * window_piece(w, k)), window_piece(w, k)));
        number = place_number(
            e, n, k, number,
            digit_at(e, w, k, arena_printf(a, "%s + %s", made->base[axis], i), first < 0));
    }
    copy_row(e, made, rows, blocks, number);
    for (int k = 0; k < n->axis_count - 1; k++)
        text_close(e->out, "}");
}

void
stage_scaled_make(Emit *e, const Task *t, const Nest *nest)
{
    for (int n = 0; n < t->windows.count; n++) {
        WindowName *made = &e->par.windows[n];
        declare_base(e, nest, made);
        if (made->window->field)
            copy_window(e, made);
        else
            reach_block(e, made);
    }
}

/* ---- what lies in them ---- */

static const WindowName *
made_of(const Emit *e, const Window *w)
{
    const WindowName *made = e->par.windows;
    while (made->window != w)
        made++;
    return made;
}

/* The index of the loop in its part, along the k-th axis. */
static const char *
own_digit(Emit *e, int k)
{
    const Nest *nest = e->par.nest;
    return nest->part[k] ? nest->in_part[k] : nest->digit[nest->count - nest->to->axis_count + k];
}

/* The cell along the k-th axis, from the first that belongs to the part. */
static const char *
cell_along(Emit *e, const WindowPlace *p, int k)
{
    const Window *w = p->window;
    const int axis = w->node->axes[k];
    Arena *a = e->c->arena;
    const char *d = own_digit(e, k);
    if (w->times[axis] > 1)
        d = arena_printf(a, "%lld * %s", (long long)w->times[axis], d);
    d = stage_halo_plus(e, d, p->offset[axis]);
    return operand(e, divided(e, d, (int64_t)1 << w->shift[axis]));
}

const char *
stage_scaled_cell(Emit *e, const WindowPlace *p)
{
    const char *number = NULL;
    for (int k = 0; k < p->window->node->axis_count; k++)
        number = place_number(e, p->window->node, k, number, cell_along(e, p, k));
    return arena_printf(e->c->arena, "%s[%s]", made_of(e, p->window)->name, number);
}

const char *
stage_scaled_copied(Emit *e, const WindowPlace *p)
{
    const Window *w = p->window;
    const int last = w->node->axis_count - 1;
    const char *text = made_of(e, w)->name;
    int64_t row, shift;
    for (int k = 0; k < last; k++) {
        int64_t first, end;
        window_range(w, w->node->axes[k], &first, &end);
        text = arena_printf(e->c->arena, "%s[%s]", text,
                            stage_halo_plus(e, cell_along(e, p, k), -first));
    }
    window_element(w, p->offset[w->node->axes[last]], &row, &shift);
    return arena_printf(e->c->arena, "%s[%lld][%s]", text, (long long)row,
                        stage_halo_plus(e, own_digit(e, last), shift));
}
