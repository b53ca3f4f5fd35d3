/* Loops whose iterations go in the order of the cells that they reach (pass reorder), in C:
 *
 *     static void                  // finds a cell for each position from ... to-1
 *     add_loop1_keys(void *args, int64_t chunk, int64_t from, int64_t to)
 *         for (int64_t n = from; n < to; n++) {
 *             const int64_t p = snl_order_at(&in->order, n);
 *             ...
 *             snl_order_key(&in->order, n, number of the cell);
 *         }
 *     static void
 *     add_loop1(void *args, int64_t chunk, int64_t from, int64_t to)
 *         for (int64_t n = from; n < to; n++) {
 *             snl_order_fetch(&in->order, n, x_cells, sizeof(x_cell));
 *             const int64_t p = snl_order_at(&in->order, n);
 *             ...
 *
 * and in the kernel
 *     snl_order_begin(&self->rt, &args.order, iterations, 262144, add_loop1_keys, &args);
 *     snl_parallel_for(&self->rt, iterations, chunks, add_loop1, &args);
 *     snl_order_end(&self->rt, &args.order);
 *
 * A loop that is vectorised exists twice. add_loop1 goes through the iterations as they are.
 * add_loop1_ordered goes in order, and runs where `args.order.of` is not NULL. */
#include "config.h"

#include "emit/loop/parallel.h"

void
reorder_key(Emit *e, const Inst *key)
{
    Arena *a = e->c->arena;
    const char *number = NULL;
    const Node *level = NULL;
    for (int k = key->args.count - 1; k >= 0; k--) {
        level = key->node;
        for (int up = 0; up < k; up++)
            level = level->parent;
        const char *here = value_index(e, key->args.items[k], PREC_ADD);
        number =
            number ? arena_printf(a, "(%s) * %lld + %s", number, (long long)level->cell_count, here)
                   : arena_printf(a, "(int64_t)(%s)", here);
    }
    text_line(e->out, "snl_order_key(&in->order, %s, %s);", e->par.position, number);
}

static void
fetch_own(Emit *e, const Node *n, const char *base)
{
    const char *cells = place_top(e, n);
    if (base)
        cells = arena_printf(e->c->arena, "&%s[%s]", cells, base);
    text_line(e->out, "snl_order_fetch(&in->order, %s, %s, sizeof(%s));", e->par.position, cells,
              type_cell(e, n));
}

void
reorder_open(Emit *e, const char *i, const char *base, const char *from, const char *to)
{
    const Task *t = e->par.order;
    const char *n = e->par.position = name_new(e, "n");
    e->par.lane = base ? arena_printf(e->c->arena, "%s + %s", base, i) : i;
    text_open(e->out, "for (int64_t %s = %s; %s < %s; %s++) {", n, from, n, to, n);
    for (int k = 0; !e->par.finding && k < t->order_own.count; k++)
        fetch_own(e, t->order_own.items[k], base);
    declarations_maybe(e, i,
               arena_printf(e->c->arena, "const int64_t %s = snl_order_at(&in->order, %s);", i, n));
}

bool
reorder_has_version(const Task *t)
{
    return t->order && (t->simd || t->batches || t->stream);
}

const char *
reorder_own(Emit *e, const Field *f)
{
    const char *own = loop_cell_at_index(e, e->par.order, f->leaves[0].node, e->par.lane);
    return place_part_in_cell(e, own, f, 0, f->type);
}

void
reorder_begin(const LoopOut *k)
{
    int64_t cells = 1;
    for (const Node *n = k->t->order; n; n = n->parent)
        cells *= n->cell_count;
    text_line(k->e->out,
              "snl_order_begin(&self->rt, &args.order, iterations, %lld, %s_keys, &args);",
              (long long)cells, k->function);
}
