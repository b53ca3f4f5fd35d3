/* Loops that accumulate floats in lanes and do little else go through whole strips first, of a
 * number of iterations that C compilers know, so that they keep the lanes in registers:
 *     const int64_t rest = to - (to - from) % SNL_LANES;
 *     for (int64_t strip = from; strip < rest; strip += SNL_LANES) {
 *         SNL_SIMD
 *         for (int64_t lane = 0; lane < SNL_LANES; lane++) { body, for strip + lane }
 *     }
 *     for (int64_t strip = rest; strip < to; strip += SNL_LANES) { as far as it goes } */
#include "config.h"

#include "emit/parallel.h"

bool
strips_go_first(const LoopOut *k)
{
    enum { WEIGHT_MOST = 60 };
    return k->t->lanes && k->e->par.lanes && !k->t->stream && !k->batching &&
           k->weight < WEIGHT_MOST;
}

void
strips_then_rest(LoopOut *k, const char *from, const char *to, LoopFn *iterations)
{
    Emit *e = k->e;
    const bool simd = e->par.simd;
    const Task *strips = e->par.strips;
    const char *rest = name_new(e, "rest");
    text_line(e->out, "const int64_t %s = %s - (%s - %s) %% %s;", rest, to, to, from,
              strip_kind(e)->name);
    const Nest nest = nest_copy(e, &k->nest);
    e->par.whole_strips = true;
    iterations(k, from, rest);
    e->par.whole_strips = false;
    k->nest = nest;
    e->par.lanes = true;
    e->par.simd = simd;
    e->par.strips = strips;
    for (int v = 0; v < k->t->vars.count; v++) /* each of the two has its own */
        e->fn.var_text[k->t->vars.items[v]->id] = name_new(e, k->t->vars.items[v]->name);
    iterations(k, rest, to);
}
