/* Loops on a GPU that do nothing to small arrays but add to them (pass privatize). The lanes of a
 * block add to a copy in shared memory, which is added to the array at the end
 * (runtime/gpu/gpu_scatter.h):
 *
 *     SNL_SHARED(counts_own, [64], int32_t);
 *     counts_cell *const counts_cells =
 *         (counts_cell *)snl_gpu_apart(counts_own, 64, in->top_1_0, ..., 256);
 *     ...
 *     snl_gpu_join(counts_own, 64, counts_cells, in->top_1_0, 256);
 */
#include "config.h"

#include "emit/loop/parallel.h"

static int
scalars_in(const Node *n)
{
    return (int)(n->container_bytes / scalar_info(launch_scatter_scalar(n))->bytes);
}

void
gpu_privatize_begin(LoopOut *k)
{
    Emit *e = k->e;
    Arena *a = e->c->arena;
    const Nodes *tops = &k->t->scatter;
    k->own = ARENA_ARRAY(a, const char *, tops->count);
    for (int i = 0; e->o->gpu && i < tops->count; i++) {
        const Node *n = tops->items[i];
        const char *type = type_cell(e, n), *top = type_top_name(e, n),
                   *own = k->own[i] = name_new(e, arena_printf(a, "%s_own", top));
        declarations_add(e, own,
                     arena_printf(a, "SNL_SHARED(%s, [%d], %s);", own, scalars_in(n),
                                  scalar_info(launch_scatter_scalar(n))->ctype));
        declarations_add(
            e, top,
            arena_printf(
                a,
                "%s *const %s = (%s *)snl_gpu_apart(%s, %d, %s, (to + step - 1) / step * %d, %d);",
                type, top, type, own, scalars_in(n), place_top_container(e, n),
                k->lanes * k->t->updates, k->lanes));
    }
}

void
gpu_privatize_end(LoopOut *k)
{
    const Nodes *tops = &k->t->scatter;
    for (int i = 0; k->e->o->gpu && i < tops->count; i++)
        text_line(k->e->out, "snl_gpu_join(%s, %d, %s, %s, %d);", k->own[i],
                  scalars_in(tops->items[i]), type_top_name(k->e, tops->items[i]),
                  place_top_container(k->e, tops->items[i]), k->lanes);
}
