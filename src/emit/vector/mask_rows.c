/* Loops that read and set bitmasked cells by rows of a block (pass mask_rows):
 *     for (int64_t j_row = 0; j_row < 63; j_row += 16) {
 *         // bit n + 1 is that of cell j_row + n
 *         const uint32_t a_up = snl_mask_row(...), a_0 = ..., a_1 = ...;
 *         uint32_t on = 0, off = 0;
 *         for (int n = 0; n < 16; n++) { ... }
 *         snl_mask_put(...);
 *     } */
#include "config.h"

#include "emit/loop/loops.h"

/* The row of a node so many rows below that of the loop. */
struct Row {
    const Node *node;
    int shift;
    const char *name;
};

static const char *
name_of_row(Emit *e, const Node *n, int shift)
{
    for (int k = 0; k < e->par.row_count; k++)
        if (e->par.rows[k].node == n && e->par.rows[k].shift == shift)
            return e->par.rows[k].name;
    return NULL;
}

const char *
mask_rows_bit(Emit *e, const Inst *i)
{
    int column = i->column + 1; /* the row begins with the cell before it */
    const char *row = name_of_row(e, i->node, i->row);
    if (!column)
        return arena_printf(e->c->arena, "(%s >> %s & 1u)", row, e->par.row_number);
    return arena_printf(e->c->arena, "(%s >> (%s + %d) & 1u)", row, e->par.row_number, column);
}

void
mask_rows_set(Emit *e, const Inst *i)
{
    text_line(e->out, "%s |= (uint32_t)1 << %s;",
              i->kind == INST_ACTIVATE ? e->par.row_on : e->par.row_off, e->par.row_number);
}

const char *
mask_rows_shape(Emit *e, const Node *n)
{
    const Node *up = n->parent;
    const char *type = type_cell(e, up);
    return arena_printf(e->c->arena, "%s, sizeof(%s), offsetof(%s, snl_mask%d), %lld, %lld, %lld",
                        place_top(e, up), type, type, n->id, (long long)up->stored[1],
                        (long long)n->sizes[0], (long long)n->sizes[1]);
}

typedef struct {
    Emit *e;
    const char *row, *first;
} Load;

static void
load_row(Inst *i, void *arg)
{
    Load *l = arg;
    Emit *e = l->e;
    if (i->kind != INST_IS_ACTIVE || !i->in_row || name_of_row(e, i->node, i->row))
        return;
    int shift = i->row;
    const char *name = name_new(e, i->node->label ? arena_printf(e->c->arena, "%s_row",
                                                                 name_plain(e, i->node->label))
                                                  : "row"),
               *at = l->row;
    if (shift)
        at = arena_printf(e->c->arena, "%s %c %d", at, shift < 0 ? '-' : '+',
                          shift < 0 ? -shift : shift);
    e->par.rows[e->par.row_count++] = (struct Row){i->node, shift, name};
    text_line(e->out, "const uint32_t %s = snl_mask_row(%s, %lld, %s, %s);", name,
              mask_rows_shape(e, i->node), (long long)i->node->coord_extent[i->node->axes[1]], at,
              l->first);
}

void
mask_rows_loop(Emit *e, const Task *t, const char *row)
{
    const Node *n = t->rows;
    struct Row rows[TASK_ROWS_MOST];
    const Var *v = t->vars.items[1];
    long long size = (long long)n->sizes[1], from = (long long)t->from.items[1]->value.leaves[0].i,
              to = (long long)t->to.items[1]->value.leaves[0].i;
    const char *first = name_new(e, arena_printf(e->c->arena, "%s_row", v->name)),
               *k = e->par.row_number = name_new(e, "n");
    e->par.rows = rows;
    e->par.row_count = 0;
    text_open(e->out, "for (int64_t %s = %lld; %s < %lld; %s += %lld) {", first, from / size * size,
              first, to, first, size);
    block_walk(t->body, load_row, &(Load){e, row, first});
    e->par.row_on = name_new(e, "on"), e->par.row_off = name_new(e, "off");
    text_line(e->out, "uint32_t %s = 0, %s = 0;", e->par.row_on, e->par.row_off);
    text_open(e->out, "for (int32_t %s = 0; %s < %lld; %s++) {", k, k, size, k);
    e->fn.wide[v->id] = true;
    e->fn.var_text[v->id] = name_new(e, v->name);
    declarations_maybe(
        e, e->fn.var_text[v->id],
        arena_printf(e->c->arena, "const int64_t %s = %s + %s;", e->fn.var_text[v->id], first, k));
    stmt_write(e, t->body);
    text_close(e->out, "}");
    text_line(e->out, "const uint32_t in_range = snl_row_part(%s, %lld, %lld, %lld);", first, size,
              from, to);
    text_line(e->out, "snl_mask_put(%s, %d, %s, %s, %s, %s & in_range, %s & in_range, %s);",
              place_tree(e, n->layout), n->id - 1, mask_rows_shape(e, n), row, first, e->par.row_on,
              e->par.row_off, e->par.alone_known ? "alone" : "false");
    text_close(e->out, "}");
    e->par.rows = NULL;
}
