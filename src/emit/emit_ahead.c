/* Blocks that come into the caches early (pass ahead), at the start of an iteration over the blocks
 * of a list:
 *
 *     if (n + 2 < to) {
 *         const SnlListEntry *const next = &in->entries[n + 2];
 *         const S1pointer *const ahead = (const S1pointer *)next->cell;
 *         snl_fetch(ahead->x_cells, sizeof ahead->x_cells);
 *         // the blocks around it, and their cells beside it
 *         S1pointer *const next_after_i = ...;
 *         snl_fetch(&next_after_i->x_cells[0], 64 * sizeof(x_cell));
 *     } */
#include "config.h"

#include <string.h>

#include "emit/inside.h"

/* Fetches those cells of a block in a direction that a halo of the block beside it has: rows that
 * lie side by side at once. */
static void
fetch_face(Emit *e, const Halo *h, int code, const char *block)
{
    const Node *n = h->node;
    const char *at = "";
    int64_t step = n->cell_count;
    int k = 0;
    for (; !halo_step(n, code, k); k++) {
        const char *i = name_new(e, arena_printf(e->c->arena, "%c_near", 'i' + n->axes[k]));
        step /= n->stored[k];
        text_open(e->out, "for (int64_t %s = 0; %s < %lld; %s++) {", i, i, (long long)n->sizes[k],
                  i);
        at = arena_printf(e->c->arena, "%s%s * %lld + ", at, i, (long long)step);
    }
    step /= n->stored[k];
    bool before = halo_step(n, code, k) < 0;
    int64_t cells = before ? h->low[n->axes[k]] : h->high[n->axes[k]],
            first = before ? n->sizes[k] - cells : 0;
    text_line(e->out, "snl_fetch(&%s->%s[%s%lld], %lld * sizeof(%s));", block, child_member(e, n),
              at, (long long)(first * step), (long long)(cells * step), cell_type(e, n));
    while (k-- > 0)
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

/* The faces of the blocks around the one that comes, whose coordinates `coming` has. */
static void
fetch_around(Emit *e, const Task *t, const Nest *coming)
{
    const char *blocks[HALO_CODES] = {NULL};
    if (!t->ahead_around)
        return;
    halo_blocks(e, coming, coming->to, t->ahead_around, "next_", blocks);
    for (int i = 0; i < t->halos.count; i++) {
        const Halo *h = t->halos.items[i];
        if (h->node->parent != coming->to->parent || is_fetched(t, i))
            continue;
        for (int code = 0; code < HALO_CODES; code++)
            if ((h->directions & t->ahead_around) >> code & 1)
                fetch_face(e, h, code, blocks[code]);
    }
}

static void
fetch_block(Emit *e, const Task *t, const char *cell)
{
    for (int i = 0; i < t->ahead.count; i++) {
        const char *member = child_member(e, t->ahead.items[i]);
        text_line(e->out, "snl_fetch(%s->%s, sizeof %s->%s);", cell, member, cell, member);
    }
}

void
emit_ahead(Emit *e, const Task *t, const Nest *nest, const char *n)
{
    if (!t->ahead.count || !t->ahead_by)
        return;
    Nest coming = nest_copy(e, nest);
    const char *next = name_new(e, "next"), *cell = name_new(e, "ahead"),
               *type = cell_type(e, t->ahead.items[0]->parent);
    text_open(e->out, "if (%s + %d < to) {", n, t->ahead_by);
    text_line(e->out, "const SnlListEntry *const %s = &in->entries[%s + %d];", next, n,
              t->ahead_by);
    text_line(e->out, "const %s *const %s = (const %s *)%s->cell;", type, cell, type, next);
    fetch_block(e, t, cell);
    for (int a = 0; a < AXIS_MAX; a++)
        if (nest->coord[a])
            coming.coord[a] = arena_printf(e->c->arena, "%s->coord[%d]", next, a);
    fetch_around(e, t, &coming);
    text_close(e->out, "}");
}

void
emit_ahead_in_mask(Emit *e, const Task *t, const Nest *nest)
{
    if (!t->ahead.count || t->ahead_by || !nest->bits)
        return;
    Nest coming = nest_copy(e, nest);
    Node *mask = t->ahead.items[0]->parent;
    const char *later = name_new(e, "later"), *next = name_new(e, "next"),
               *cell = name_new(e, "ahead"), *type = cell_type(e, mask);
    Inst at = {.kind = INST_LOOP_CELL, .node = mask->parent}, *arg = &at,
         child = {.kind = INST_CHILD, .node = mask};
    child.args.items = &arg;
    child.args.count = 1;
    text_line(e->out, "const uint64_t %s = %s & (%s - 1);", later, nest->bits, nest->bits);
    text_open(e->out, "if (%s) {", later);
    text_line(e->out, "const int64_t %s = %ssnl_first_bit(%s);", next, nest->bits_before, later);
    text_line(e->out, "const %s *const %s = &%s[%s];", type, cell, container(e, &child), next);
    fetch_block(e, t, cell);
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
    fetch_around(e, t, &coming);
    text_close(e->out, "}");
}

void
emit_ahead_list(Emit *e, const Node *list, const char *container, const char *number)
{
    const Node *n = list->parent;
    const char *left = arena_printf(e->c->arena, strchr(number, ' ') ? "%lld - (%s)" : "%lld - %s",
                                    (long long)n->cell_count, number);
    text_line(e->out, "snl_dynamic_fetch(%s, sizeof(%s), %s, %lld * sizeof(%s));", container,
              cell_type(e, n), left, (long long)list->chunk, cell_type(e, list));
}
