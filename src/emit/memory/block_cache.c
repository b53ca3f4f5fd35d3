/* Copies of a block and the cells after it (pass block_cache), for loops that go in the order of
 * the cells they reach.
 *
 *     y_cell patch_cells[1000];
 *     char patch_firsts[1000];
 *     SnlPatch patch = snl_patch_begin(y_tree, 1, block_cells, SNL_ARRAY(int64_t, 10, 10, 10),
 *                                      patch_cells);
 *     snl_patch_sums(&patch, in->apart, 0, SNL_F32, patch_firsts);
 *     for (int64_t n = from; n < to; n++) {
 *         ...
 *         if (snl_patch_at(&patch, t1)) {
 *             patch_firsts[t5] = 1;
 *             patch_cells[t5].y += ...
 *         } else {
 *             block_cell *const cell6 = snl_scatter_cell(...);
 *             ...
 *     }
 *     snl_patch_end(&patch);
 */
#include "config.h"

#include "emit/loop/parallel.h"

void
block_cache_begin(LoopOut *k)
{
    Emit *e = k->e;
    const Patch *p = k->t->patch;
    if (!p || k->ordering)
        return;
    const Node *n = p->node, *top = n->parent;
    const char *extents = "";
    long long cells = 1;
    for (int a = 0; a < n->axis_count; a++) {
        extents = arena_printf(e->c->arena, "%s, %lld", extents, (long long)p->extent[a]);
        cells *= p->extent[a];
    }
    e->par.patch = name_new(e, "patch");
    e->par.patch_cells = name_new(e, "patch_cells");
    text_line(e->out, "%s %s[%lld];", type_cell(e, n), e->par.patch_cells, cells);
    text_line(e->out, "SnlPatch %s = snl_patch_begin(%s, %d, %s, SNL_ARRAY(int64_t%s), %s);",
              e->par.patch, place_tree(e, n->layout), n->id - 1, place_top(e, top), extents,
              e->par.patch_cells);
    if (!p->adds)
        return;
    e->par.patch_firsts = name_new(e, "patch_firsts");
    text_line(e->out, "char %s[%lld];", e->par.patch_firsts, cells);
    text_line(e->out, "snl_patch_sums(&%s, in->apart, %d, %s, %s);", e->par.patch,
              place_copies(e, top), scalar_tag(launch_scatter_scalar(n)), e->par.patch_firsts);
}

void
block_cache_end(LoopOut *k)
{
    if (k->t->patch && k->t->patch->adds && !k->ordering)
        text_line(k->e->out, "snl_patch_end(&%s);", k->e->par.patch);
}

const char *
block_cache_at(Emit *e, const Inst *i)
{
    return arena_printf(e->c->arena, "snl_patch_at(&%s, %s)", e->par.patch,
                        value_index(e, i->args.items[0], PREC_ASSIGN));
}

void
block_cache_note(Emit *e, const Inst *i)
{
    text_line(e->out, "%s[%s] = 1;", e->par.patch_firsts,
              value_index(e, i->args.items[0], PREC_ANY));
}
