/* Loops whose iterations go in the order of the cells that they reach (pass order), in C:
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
 *     snl_order_end(&self->rt, &args.order); */
#include "config.h"

#include "emit/parallel.h"

void
order_key(Emit *e, const Inst *key)
{
    Arena *a = e->c->arena;
    const char *number = NULL;
    const Node *level = NULL;
    for (int k = key->args.count - 1; k >= 0; k--) {
        level = key->node;
        for (int up = 0; up < k; up++)
            level = level->parent;
        const char *here = index_value(e, key->args.items[k], PREC_ADD);
        number =
            number ? arena_printf(a, "(%s) * %lld + %s", number, (long long)level->cell_count, here)
                   : arena_printf(a, "(int64_t)(%s)", here);
    }
    text_line(e->out, "snl_order_key(&in->order, %s, %s);", e->par.position, number);
}

void
order_open(Emit *e, const char *i, const char *from, const char *to)
{
    const Nodes *own = &e->par.order->ahead_strips;
    const char *n = e->par.position = name_new(e, "n");
    text_open(e->out, "for (int64_t %s = %s; %s < %s; %s++) {", n, from, n, to, n);
    for (int k = 0; !e->par.finding && k < own->count; k++)
        text_line(e->out, "snl_order_fetch(&in->order, %s, %s, sizeof(%s));", n,
                  top_ref(e, own->items[k]), cell_type(e, own->items[k]));
    body_maybe(e, i,
               arena_printf(e->c->arena, "const int64_t %s = snl_order_at(&in->order, %s);", i, n));
}

void
order_begin(const LoopOut *k)
{
    int64_t cells = 1;
    for (const Node *n = k->t->order; n; n = n->parent)
        cells *= n->cell_count;
    text_line(k->e->out,
              "snl_order_begin(&self->rt, &args.order, iterations, %lld, %s_keys, &args);",
              (long long)cells, k->function);
}
