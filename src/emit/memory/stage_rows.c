/* Neighbours in rows of blocks (pass stage), where the cells of a row are one vector. Before the
 * innermost loop, each row that it reads has a pointer. A row that is read at an offset along
 * itself has an array, with the row moved:
 *
 *     const x_cell *const x_row = cell_1->x_cells + i * 8;
 *     const x_cell *const x_row_i_before =
 *         (i >= 1 ? cell_1->x_cells : before_i->x_cells) + ((i + 7) & 7) * 8;
 *     float x_row_j_before[8];
 *     snl_row_before_4(x_row_j_before, x_row, sizeof x_row_j_before,
 *                      &before_j->x_cells[i * 8 + 7].x);
 *
 * If other fields lie between the elements, stage_halo.c has copied the rows of the block and the
 * rows beside it:
 *
 *     const float *const x_row_i_before = x_near[i][j + 1];
 *
 * The blocks around have been looked up there. */
#include "config.h"

#include <string.h>

#include "emit/loop/loops.h"

typedef struct {
    Emit *e;
    HaloName *h;
    const char *digit[AXIS_MAX];    /* the loop's own index in the block, by place of the axis in
                                     * the node */
} Rows;

static int
last_of(const Halo *h)
{
    return h->node->axis_count - 1;
}

/* Which block holds a row: of those in all directions, chosen by the loop's own indices; code is
 * that of the axes before k. */
static const char *
pick_block(const Rows *r, const int64_t *offset, int last_step, int k, int code)
{
    const Node *n = r->h->halo->node;
    if (k == last_of(r->h->halo))
        return r->h->cells[3 * code + 1 + last_step];
    const char *same = pick_block(r, offset, last_step, k + 1, 3 * code + 1);
    int64_t o = offset[n->axes[k]];
    if (!o)
        return same;
    const char *other = pick_block(r, offset, last_step, k + 1, 3 * code + (o < 0 ? 0 : 2));
    return arena_printf(r->e->c->arena, "(%s %s %lld ? %s : %s)", r->digit[k], o < 0 ? ">=" : "<",
                        (long long)(o < 0 ? -o : n->sizes[k] - o), same, other);
}

/* Number of a cell of that row in its block; the row's first one where `at` is 0. */
static const char *
cell_number(const Rows *r, const int64_t *offset, int64_t at)
{
    Arena *a = r->e->c->arena;
    const Node *n = r->h->halo->node;
    const char *text = NULL;
    for (int k = 0; k < last_of(r->h->halo); k++) {
        int64_t o = offset[n->axes[k]], size = n->sizes[k];
        const char *digit = r->digit[k];
        if (o)
            digit = (size & (size - 1)) == 0
                        ? arena_printf(a, "((%s + %lld) & %lld)", digit,
                                       (long long)((o + size) % size), (long long)size - 1)
                        : arena_printf(a, "(%s + %lld) %% %lld", digit,
                                       (long long)((o + size) % size), (long long)size);
        text = place_number(r->e, n, k, text, digit);
    }
    if (!text)
        return arena_printf(a, "%lld", (long long)at);
    text = arena_printf(a, last_of(r->h->halo) > 1 ? "(%s) * %lld" : "%s * %lld", text,
                        (long long)n->stored[last_of(r->h->halo)]);
    return at ? arena_printf(a, "%s + %lld", text, (long long)at) : text;
}

/* A row of the copy. */
static const char *
copied_row(const Rows *r, const int64_t *offset)
{
    const Halo *h = r->h->halo;
    const char *text = r->h->name;
    for (int k = 0; k < last_of(h); k++) {
        const int axis = h->node->axes[k];
        const int64_t at = h->low[axis] + offset[axis];
        text = arena_printf(r->e->c->arena, at ? "%s[%s + %lld]" : "%s[%s]", text, r->digit[k],
                            (long long)at);
    }
    return text;
}

/* "x_row_i_before" */
static const char *
name_of(const Rows *r, const int64_t *offset)
{
    const Halo *h = r->h->halo;
    const char *name = arena_printf(r->e->c->arena, "%s_row", name_plain(r->e, h->field->name));
    for (int k = 0; k < h->node->axis_count; k++) {
        int axis = h->node->axes[k];
        int64_t o = offset[axis], far = o < 0 ? -o : o;
        if (o)
            name = arena_printf(r->e->c->arena, "%s_%c_%s", name, 'i' + axis,
                                o < 0 ? "before" : "after");
        if (far > 1)
            name = arena_printf(r->e->c->arena, "%s%lld", name, (long long)far);
    }
    return name_new(r->e, name);
}

static const HaloRow *
find_row(const HaloName *h, const int64_t *offset)
{
    for (int i = 0; i < h->rows.count; i++)
        if (!memcmp(h->rows.items[i].offset, offset, sizeof h->rows.items[i].offset))
            return &h->rows.items[i];
    return NULL;
}

/* Declares the row at an offset, and what it is made of. */
static const char *
need_row(const Rows *r, const int64_t *offset)
{
    Emit *e = r->e;
    const Halo *h = r->h->halo;
    const Node *n = h->node;
    int axis = n->axes[last_of(h)];
    int64_t moved = offset[axis], size = n->sizes[last_of(h)];
    HaloRow row = {.name = NULL};
    const HaloRow *found = find_row(r->h, offset);
    if (found)
        return found->name;
    memcpy(row.offset, offset, sizeof row.offset);
    if (!moved && !h->in_place) {
        row.name = name_of(r, offset);
        text_line(e->out, "const %s *const %s = %s;", type_c(e, h->type), row.name,
                  copied_row(r, offset));
    } else if (!moved) {
        row.name = name_of(r, offset);
        text_line(e->out, "const %s *const %s = %s + %s;", type_cell(e, n), row.name,
                  pick_block(r, offset, 0, 0, 0), cell_number(r, offset, 0));
    } else {
        int step = moved < 0 ? -1 : 1;
        int64_t nearer[AXIS_MAX];
        memcpy(nearer, offset, sizeof nearer);
        nearer[axis] -= step;
        const char *from = need_row(r, nearer);
        const char *edge =
            arena_printf(e->c->arena, "%s[%s]", pick_block(r, offset, step, 0, 0),
                         cell_number(r, offset, step < 0 ? size + moved : moved - 1));
        row.name = name_of(r, offset);
        text_line(e->out, "%s;",
                  type_decl(e, h->type,
                            arena_printf(e->c->arena, "%s[%lld]", row.name, (long long)size)));
        text_line(e->out, "snl_row_%s_%lld(%s, %s, sizeof %s, &%s);", step < 0 ? "before" : "after",
                  (long long)h->type->bytes, row.name, from, row.name,
                  place_part_in_cell(e, edge, h->field, h->leaf, h->type));
    }
    vec_push(e->c->arena, &r->h->rows, row);
    return row.name;
}

static void
need_place(Inst *i, void *arg)
{
    const Rows *r = arg;
    if (i->kind == INST_HALO && i->halo->halo == r->h->halo)
        need_row(r, i->halo->offset);
}

void
stage_rows(Emit *e, const Task *t, const Nest *nest)
{
    for (int i = 0; i < e->par.halo_count; i++) {
        Rows r = {.e = e, .h = &e->par.halos[i]};
        const Halo *h = r.h->halo;
        for (int k = 0; h->by_rows && k < last_of(h); k++)
            r.digit[k] = nest->digit[nest->count - h->node->axis_count + k];
        r.h->rows.count = 0; /* those of another version of the loop are not seen here */
        if (h->by_rows)
            block_walk(t->body, need_place, &r);
    }
}

const char *
stage_rows_place(Emit *e, const HaloName *h, const int64_t *offset)
{
    const HaloRow *row = find_row(h, offset);
    const char *digit = e->par.nest->digit[e->par.nest->count - 1];
    const char *text =
        arena_printf(e->c->arena, "%s[%s]", row ? row->name : "/* no such row */ 0", digit);
    bool moved = offset[h->halo->node->axes[last_of(h->halo)]] != 0;
    return moved || !h->halo->in_place
               ? text
               : place_part_in_cell(e, text, h->halo->field, h->halo->leaf, h->halo->type);
}
