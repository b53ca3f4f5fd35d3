/* Sums of a loop on a GPU into a field at its own indices plus constants (pass stage). The lanes of
 * a block add to a shared copy of the block with its halo. The copy is added to the field when the
 * lanes are through with the block:
 *
 *     SNL_SHARED(y_near, [10][10], float);
 *     snl_gpu_sums_clear((float *)y_near, 100, 1, 64);
 *     // blocks around that are added to
 *     SNL_SHARED(touched, [9], bool);
 *     ...
 *     snl_lane_barrier();
 *     for (…) {
 *         touched[(i_2 + 1 >= 8) * 3 + 4] = true;
 *         snl_atomic_add_f32(&y_near[i_2 + 1 + 1][j_2 + 1], …);
 *     }
 *     snl_lane_barrier();
 *     …                         // those are activated, a lane each
 *     snl_lane_barrier();
 *     for (…) snl_gpu_sums_add(&around[direction]->y_cells[…].y, &y_near[…][…], 1);
 *
 * A lane zeroes for the next block the elements that it has added to the field itself, so no
 * barrier is needed between these. */
#include "config.h"

#include "emit/loop/loops.h"

static bool
has_sums(const Task *t)
{
    for (int i = 0; i < t->halos.count; i++)
        if (t->halos.items[i]->sums)
            return true;
    return false;
}

/* May a sum be in a block that is not active? */
static bool
may_activate(const Halo *h)
{
    return h->sums && !h->in_box && node_is_sparse(h->node);
}

bool
gpu_stage_sums_activate(const Task *t)
{
    for (int i = 0; i < t->halos.count; i++)
        if (may_activate(t->halos.items[i]))
            return true;
    return false;
}

static const char *
scalar_type(const Halo *h)
{
    return scalar_info(h->type->scalar)->ctype;
}

static long long
cells_of(const Halo *h)
{
    long long cells = 1;
    for (int k = 0; k < h->node->axis_count; k++)
        cells *= (long long)h->extent[k];
    return cells;
}

void
gpu_stage_sums_begin(Emit *e, const Task *t, int lanes)
{
    const Halo *first = NULL;
    for (int i = 0; i < t->halos.count; i++) {
        const Halo *h = t->halos.items[i];
        if (!h->sums)
            continue;
        first = first ? first : h;
        text_line(e->out, "snl_gpu_sums_clear((%s *)%s, %lld, %d, %d);", scalar_type(h),
                  e->par.halos[i].name, cells_of(h), h->type->leaf_count, lanes);
    }
    if (!first)
        return;
    e->par.touched = NULL;
    if (!first->in_box) {
        const char *code = name_new(e, "direction");
        e->par.touched = name_new(e, "touched");
        text_line(e->out, "SNL_SHARED(%s, [%d], bool);", e->par.touched,
                  stage_halo_directions(first->node));
        text_line(e->out, "for (int %s = snl_lane_thread(); %s < %d; %s += %d)", code, code,
                  stage_halo_directions(first->node), code, lanes);
        text_line(e->out, "    %s[%s] = false;", e->par.touched, code);
    }
    text_line(e->out, "snl_lane_barrier();");
}

void
gpu_stage_sums_touch(Emit *e, const HaloPlace *p)
{
    const Node *n = p->halo->node;
    const char *text = NULL;
    int rest = 0, unit = stage_halo_directions(n) / 3;
    for (int k = 0; k < n->axis_count && e->par.touched; k++, unit /= 3) {
        int64_t offset = p->offset[n->axes[k]];
        const char *digit = e->par.nest->digit[e->par.nest->count - n->axis_count + k], *test;
        rest += offset < 0 ? 0 : unit;
        if (!offset)
            continue;
        if (offset < 0)
            test = arena_printf(e->c->arena, "(%s >= %lld)", digit, (long long)-offset);
        else
            test =
                arena_printf(e->c->arena, "(%s >= %lld)", digit, (long long)(n->sizes[k] - offset));
        text = arena_printf(e->c->arena, "%s%s%s * %d", text ? text : "", text ? " + " : "", test,
                            unit);
    }
    if (text)
        text_line(e->out, "%s[%s + %d] = true;", e->par.touched, text, rest);
}

/* Has the blocks around that were added to activated, a lane each, into an array by their
 * direction; NULL: outside of the field, or no memory. */
static const char *
activate_around(Emit *e, const Nest *nest, const Halo *h, int lanes)
{
    const Node *n = nest->to;
    Arena *a = e->c->arena;
    const char *around = name_new(e, "around"), *code = name_new(e, "direction"), *coord[AXIS_MAX];
    int codes = stage_halo_directions(n);
    text_line(e->out, "SNL_SHARED(%s, [%d], %s *);", around, codes, type_cell(e, n->parent));
    text_open(e->out, "for (int %s = snl_lane_thread(); %s < %d; %s += %d) {", code, code, codes,
              code, lanes);
    text_line(e->out, "%s[%s] = NULL;", around, code);
    text_line(e->out, "if (!%s[%s])", e->par.touched, code);
    text_line(e->out, "    continue;");
    for (int x = 0; x < AXIS_MAX; x++)
        coord[x] = nest->coord[x];
    for (int k = n->axis_count - 1, unit = 1; k >= 0; k--, unit *= 3) {
        int axis = n->axes[k];
        const char *digit = unit == 1 ? code : arena_printf(a, "%s / %d", code, unit);
        coord[axis] = name_new(e, arena_printf(a, "%c_around", 'i' + axis));
        text_line(e->out, "const int64_t %s = %s + %s %% 3 - 1;", coord[axis], nest->coord[axis],
                  digit);
        text_line(e->out, "if (%s < 0 || %s > %s)", coord[axis], coord[axis],
                  stage_halo_last_coordinate(e, n->parent, axis));
        text_line(e->out, "    continue;");
    }
    text_line(e->out, "%s[%s] = %s;", around, code,
              stage_halo_block(e, n->parent, coord, "block", may_activate(h)));
    text_close(e->out, "}");
    text_line(e->out, "snl_lane_barrier();");
    return around;
}

/* Opens the loop of a lane over the cells of a copy; their numbers along each axis go to `at`, `to`
 * is the element. */
static const char *
open_cells(Emit *e, const HaloName *made, int lanes, const char **at)
{
    const Halo *h = made->halo;
    const Node *n = h->node;
    Arena *a = e->c->arena;
    const char *number = name_new(e, "summed"), *rest = number, *element = made->name;
    text_open(e->out, "for (uint32_t %s = (uint32_t)snl_lane_thread(); %s < %lld; %s += %d) {",
              number, number, cells_of(h), number, lanes);
    for (int k = n->axis_count - 1; k >= 0; k--) {
        const char *extent = arena_printf(a, "%lld", (long long)h->extent[k]);
        at[k] = name_new(e, arena_printf(a, "%c_sum", 'i' + n->axes[k]));
        text_line(e->out, "const int32_t %s = (int32_t)(%s);", at[k],
                  stage_halo_next_index(e, &rest, extent, k == 0));
    }
    for (int k = 0; k < n->axis_count; k++)
        element = arena_printf(a, "%s[%s]", element, at[k]);
    return element;
}

/* Adds an element of the copy to that of the cell. */
static void
add_element(Emit *e, const Halo *h, const char *cell, const char *element)
{
    const char *to = place_part_in_cell(e, cell, h->field, h->leaf, h->type);
    text_line(e->out, "snl_gpu_sums_add((%s *)&%s, (const %s *)&%s, %d);", scalar_type(h), to,
              scalar_type(h), element, h->type->leaf_count);
}

/* The cells' indices in the container, from their numbers in the copy; those outside of it are
 * passed over. */
static void
add_box(Emit *e, const HaloName *made, int lanes)
{
    const Halo *h = made->halo;
    const Node *n = h->node;
    Arena *a = e->c->arena;
    const char *at[AXIS_MAX], *element = open_cells(e, made, lanes, at), *cell = NULL;
    for (int k = 0; k < n->axis_count; k++) {
        const char *index = name_new(e, arena_printf(a, "%c_near", 'i' + n->axes[k]));
        text_line(e->out, "const int64_t %s = (int64_t)%s + %s - %lld;", index, made->first[k],
                  at[k], (long long)h->low[n->axes[k]]);
        text_line(e->out, "if (%s < 0 || %s >= %lld)", index, index, (long long)n->sizes[k]);
        text_line(e->out, "    continue;");
        cell = place_number(e, n, k, cell, index);
    }
    add_element(e, h, arena_printf(a, "%s[%s]", place_top(e, n), cell), element);
    text_close(e->out, "}");
}

/* The same for cells of a block and of those around it. */
static void
add_blocks(Emit *e, const HaloName *made, const char *around, int lanes)
{
    const Halo *h = made->halo;
    const Node *n = h->node;
    Arena *a = e->c->arena;
    const char *at[AXIS_MAX], *element = open_cells(e, made, lanes, at), *number = NULL;
    const char *code = name_new(e, "direction"), *cells = name_new(e, "cells"),
               *type = type_cell(e, n);
    int codes = stage_halo_directions(n), unit = codes / 3;
    text_line(e->out, "int %s = 0;", code);
    for (int k = 0; k < n->axis_count; k++, unit /= 3) {
        long long low = (long long)h->low[n->axes[k]], size = (long long)n->sizes[k];
        const char *index = name_new(e, arena_printf(a, "%c_near", 'i' + n->axes[k])),
                   *step = name_new(e, arena_printf(a, "%c_step", 'i' + n->axes[k]));
        text_line(e->out, "const int32_t %s = (%s >= %lld) + (%s >= %lld);", step, at[k], low,
                  at[k], low + size);
        text_line(e->out, "const int32_t %s = %s - %lld - (%s - 1) * %lld;", index, at[k], low,
                  step, size);
        text_line(e->out, "%s += %s * %d;", code, step, unit);
        number = place_number(e, n, k, number, index);
    }
    text_line(e->out, "%s *%s = %s;", type, cells, stage_halo_cells(e, h, NULL));
    text_open(e->out, "if (%s != %d) {", code, codes / 2);
    text_line(e->out, "if (!%s[%s])", around, code);
    text_line(e->out, "    continue;");
    text_line(e->out, "%s = %s;", cells,
              stage_halo_cells(e, h, arena_printf(a, "%s[%s]", around, code)));
    text_close(e->out, "}");
    add_element(e, h, arena_printf(a, "%s[%s]", cells, number), element);
    text_close(e->out, "}");
}

void
gpu_stage_sums_end(Emit *e, const Task *t, const Nest *nest, int lanes)
{
    const char *around = NULL;
    if (!has_sums(t))
        return;
    text_line(e->out, "snl_lane_barrier();");
    for (int i = 0; i < t->halos.count; i++) {
        const HaloName *made = &e->par.halos[i];
        if (!made->halo->sums)
            continue;
        if (made->first) {
            add_box(e, made, lanes);
            continue;
        }
        if (!around)
            around = activate_around(e, nest, made->halo, lanes);
        add_blocks(e, made, around, lanes);
    }
}
