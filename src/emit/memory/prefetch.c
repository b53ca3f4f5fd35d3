/* Prefetching of blocks (pass prefetch), at the start of an iteration over the blocks of a list:
 *
 *     if (n + 2 < to) {
 *         const SnlListEntry *const next = &in->entries[n + 2];
 *         const S1pointer *const ahead = (const S1pointer *)next->cell;
 *         const bool all =
 *             in->far && snl_lies_apart(in->entries[n].cell, ahead, 4 * sizeof(S1pointer));
 *         snl_fetch(ahead->x_cells, all ? sizeof ahead->x_cells : (size_t)SNL_FETCH_FIRST);
 *     }
 *
 * All of a block is fetched only if the processor does not foresee the rest in time: the list has
 * more than the caches hold, and the block lies elsewhere in memory. Over blocks of a large array:
 *
 *     const S1dense *const ahead = (const S1dense *)((uintptr_t)&s1[n] + 2 * sizeof(S1dense));
 *     for (int64_t i = 0; i < 8; i++) {
 *         snl_fetch_part(ahead->x_cells, sizeof ahead->x_cells, i, 8);
 *
 * In loops with halos, with the blocks around, and in parts:
 *
 *     const SnlListEntry *const next = &in->entries[n + 3 < to ? n + 3 : n];
 *     const S1pointer *const ahead = (const S1pointer *)next->cell;
 *     S1pointer *const next_after_i = ...;
 *     for (int64_t i = 0; i < 8; i++) {    // the rows of the block that the loop is at
 *         snl_fetch_part(ahead->x_cells, sizeof ahead->x_cells, i, 8);
 *         // the cells beside it
 *         snl_fetch_part(&next_after_i->x_cells[0], 64 * sizeof(x_cell), i, 8);
 */
#include "config.h"

#include <string.h>

#include "emit/loop/loops.h"

enum { FETCH_FIRST = 256 }; /* SNL_FETCH_FIRST of stream.h */

/* Fetches those cells of a block in a direction that a halo of the block beside it has: rows that
 * lie side by side at once. `row`: only a part of them, of so many as the first axis has; else
 * NULL. */
static void
fetch_face(Emit *e, const Halo *h, int code, const char *block, const char *row)
{
    const Node *n = h->node;
    const char *at = "", *what;
    int64_t step = n->cell_count;
    int k = 0, loops = 0;
    for (; !stage_halo_step(n, code, k); k++) {
        const char *i = k == 0 && row
                            ? row
                            : name_new(e, arena_printf(e->c->arena, "%c_near", 'i' + n->axes[k]));
        step /= n->stored[k];
        if (i != row) {
            text_open(e->out, "for (int64_t %s = 0; %s < %lld; %s++) {", i, i,
                      (long long)n->sizes[k], i);
            loops++;
        }
        at = arena_printf(e->c->arena, "%s%s * %lld + ", at, i, (long long)step);
    }
    step /= n->stored[k];
    bool before = stage_halo_step(n, code, k) < 0;
    int64_t cells = before ? h->low[n->axes[k]] : h->high[n->axes[k]],
            first = before ? n->sizes[k] - cells : 0;
    what = arena_printf(e->c->arena, "&%s->%s[%s%lld], %lld * sizeof(%s)", block,
                        type_child_member(e, n), at, (long long)(first * step),
                        (long long)(cells * step), type_cell(e, n));
    if (k == 0 && row)
        text_line(e->out, "snl_fetch_part(%s, %s, %lld);", what, row, (long long)n->sizes[0]);
    else
        text_line(e->out, "snl_fetch(%s);", what);
    while (loops-- > 0)
        text_close(e->out, "}");
}

/* Has an earlier halo the same cells? */
static bool
is_fetched(const Task *t, int halo)
{
    for (int i = 0; i < halo; i++)
        if (t->halos.items[i]->node == t->halos.items[halo]->node)
            return true;
    return false;
}

bool
prefetch_by_size(const Task *t)
{
    bool has_large = false;
    for (int i = 0; i < t->ahead.count; i++)
        has_large |= t->ahead.items[i]->container_bytes > FETCH_FIRST;
    return has_large && !t->ahead_by_rows && !t->ahead_in_mask && !t->ahead_in_array;
}

int64_t
prefetch_bytes(const Task *t)
{
    int64_t bytes = 0;
    for (int i = 0; i < t->ahead.count; i++)
        bytes += t->ahead.items[i]->container_bytes;
    return bytes;
}

/* The block that comes and the faces of those around it; or a part of all of that. */
static void
fetch(Emit *e, const Task *t, const PrefetchTarget *coming, const char *row)
{
    for (int i = 0; i < t->ahead.count; i++) {
        const char *member = type_child_member(e, t->ahead.items[i]);
        if (row)
            text_line(e->out, "snl_fetch_part(%s->%s, sizeof %s->%s, %s, %lld);", coming->cell,
                      member, coming->cell, member, row, (long long)t->node->sizes[0]);
        else if (prefetch_by_size(t) && t->ahead.items[i]->container_bytes > FETCH_FIRST)
            text_line(e->out, "snl_fetch(%s->%s, %s ? sizeof %s->%s : (size_t)SNL_FETCH_FIRST);",
                      coming->cell, member, coming->all, coming->cell, member);
        else
            text_line(e->out, "snl_fetch(%s->%s, sizeof %s->%s);", coming->cell, member,
                      coming->cell, member);
    }
    for (int i = 0; i < t->halos.count && t->ahead_around; i++) {
        const Halo *h = t->halos.items[i];
        if (h->node->parent != t->node->parent || is_fetched(t, i))
            continue;
        for (int code = 0; code < HALO_CODES; code++)
            if ((h->directions & t->ahead_around) >> code & 1)
                fetch_face(e, h, code, coming->around[code], row);
    }
}

/* Fetches the block `cell`, whose coordinates `nest` has, all of it where `all` says so at run
 * time; or lets its parts be fetched by rows. */
static void
begin(Emit *e, const Task *t, const Nest *nest, const char *cell, const char *all)
{
    PrefetchTarget *coming = ARENA_NEW(e->c->arena, PrefetchTarget);
    coming->cell = cell;
    coming->all = all;
    if (t->ahead_around)
        stage_halo_blocks(e, nest, nest->to, t->ahead_around, "next_", coming->around);
    e->par.coming = t->ahead_by_rows ? coming : NULL;
    if (!t->ahead_by_rows)
        fetch(e, t, coming, NULL);
}

void
prefetch_block(Emit *e, const Task *t, const Nest *nest, const char *n)
{
    if (!t->ahead.count || t->ahead_in_mask)
        return;
    Nest coming = nest_copy(e, nest);
    const char *next = name_new(e, "next"), *cell = name_new(e, "ahead"),
               *type = type_cell(e, t->ahead.items[0]->parent),
               *at = arena_printf(e->c->arena, "%s + %d", n, t->ahead_by);
    if (t->ahead_by_rows)
        at = arena_printf(e->c->arena, "%s < to ? %s : %s", at, at, n);
    else
        text_open(e->out, "if (%s < to) {", at);
    text_line(e->out, "const SnlListEntry *const %s = &in->entries[%s];", next, at);
    text_line(e->out, "const %s *const %s = (const %s *)%s->cell;", type, cell, type, next);
    for (int a = 0; a < AXIS_MAX; a++)
        if (nest->coord[a])
            coming.coord[a] = arena_printf(e->c->arena, "%s->coord[%d]", next, a);
    const char *all = prefetch_by_size(t) ? name_new(e, "all") : NULL;
    if (all)
        text_line(e->out,
                  "const bool %s = in->far && snl_lies_apart(in->entries[%s].cell, %s, "
                  "%d * sizeof(%s));",
                  all, n, cell, 2 * t->ahead_by, type);
    begin(e, t, &coming, cell, all);
    if (!t->ahead_by_rows)
        text_close(e->out, "}");
}

void
prefetch_in_mask(Emit *e, const Task *t, const Nest *nest)
{
    if (!t->ahead.count || !t->ahead_in_mask || !nest->bits)
        return;
    Nest coming = nest_copy(e, nest);
    Node *mask = t->ahead.items[0]->parent;
    const char *next = name_new(e, "next"), *cell = name_new(e, "ahead"),
               *type = type_cell(e, mask);
    Inst at = {.kind = INST_LOOP_CELL, .node = mask->parent}, *arg = &at,
         child = {.kind = INST_CHILD, .node = mask};
    child.args.items = &arg;
    child.args.count = 1;
    text_line(e->out, "const int64_t %s = snl_mask_ahead(%s, %s, %d);", next, nest->bits_of,
              nest->bits, t->ahead_by);
    text_line(e->out, "const %s *const %s = &%s[%s];", type, cell, place_container(e, &child),
              next);
    int64_t unit = mask->cell_count;
    for (int k = 0; k < mask->axis_count && t->ahead_around; k++) {
        int axis = mask->axes[k];
        unit /= mask->stored[k];
        const char *listed = nest->listed_coord[axis],
                   *digit = unit > 1 ? arena_printf(e->c->arena, "%s / %lld", next, (long long)unit)
                                     : next;
        if (k > 0)
            digit = arena_printf(e->c->arena, "%s %% %lld", digit, (long long)mask->stored[k]);
        coming.coord[axis] = name_new(e, arena_printf(e->c->arena, "%c_next", 'i' + axis));
        if (listed)
            digit = arena_printf(e->c->arena, "%s * %lld + %s", listed, (long long)mask->sizes[k],
                                 digit);
        text_line(e->out, "const int64_t %s = %s;", coming.coord[axis], digit);
    }
    begin(e, t, &coming, cell, NULL);
}

void
prefetch_in_array(Emit *e, const Task *t, const Nest *nest)
{
    const Inst at = {.kind = INST_LOOP_CELL, .node = t->node->parent};
    const char *ahead = name_new(e, "ahead"), *type = type_cell(e, at.node);
    text_line(e->out, "const %s *const %s = (const %s *)((uintptr_t)&%s + %d * sizeof(%s));", type,
              ahead, type, place_cell(e, &at), t->ahead_by, type);
    begin(e, t, nest, ahead, NULL);
}

void
prefetch_rows(Emit *e, const Task *t, Nest *nest)
{
    if (!e->par.coming)
        return;
    const int first = nest->count - t->node->axis_count;
    nest_open_outer(e, nest, t->node->axis_count - 1);
    fetch(e, t, e->par.coming, nest->digit[first]);
    e->par.coming = NULL;
}

void
prefetch_list(Emit *e, const Node *list, const char *container, const char *number)
{
    const Node *n = list->parent;
    const char *left = arena_printf(e->c->arena, strchr(number, ' ') ? "%lld - (%s)" : "%lld - %s",
                                    (long long)n->cell_count, number);
    text_line(e->out, "snl_dynamic_fetch(%s, sizeof(%s), %s, %lld * sizeof(%s));", container,
              type_cell(e, n), left, (long long)list->chunk, type_cell(e, list));
}
