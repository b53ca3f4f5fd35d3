/* Strips of known length. Loops that accumulate floats in lanes and do little else go through whole
 * strips first. C compilers know the number of iterations of these, and keep the lanes in
 * registers:
 *     const int64_t rest = to - (to - from) % SNL_LANES;
 *     for (int64_t strip = from; strip < rest; strip += SNL_LANES) {
 *         SNL_SIMD
 *         for (int64_t lane = 0; lane < SNL_LANES; lane++) { body, for strip + lane }
 *     }
 *     for (int64_t strip = rest; strip < to; strip += SNL_LANES) { as far as it goes }
 * Rows of small numbers have nothing left over (pass overlap_tail):
 *     for (int64_t strip = 1; strip < 511; strip += 64) {
 *         const int64_t first = snl_smaller(strip, 511 - 64);
 *         SNL_SIMD
 *         for (int64_t lane = 0; lane < 64; lane++) { body, for first + lane }
 *     }
 */
#include "config.h"

#include <stdlib.h>

#include "emit/loop/parallel.h"

bool
strip_tails_go_first(const LoopOut *k)
{
    enum { WEIGHT_MOST = 60 };
    return k->t->lanes && k->e->par.lanes && !k->t->stream && !k->batching &&
           k->weight < WEIGHT_MOST;
}

void
strip_tails_then_rest(LoopOut *k, const char *from, const char *to, LoopFn *iterations)
{
    Emit *e = k->e;
    const bool simd = e->par.simd;
    const Task *strips = e->par.strips;
    const char *rest = name_new(e, "rest");
    text_line(e->out, "const int64_t %s = %s - (%s - %s) %% %s;", rest, to, to, from,
              loop_strip_kind(e)->name);
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

bool
strip_tails_to_the_end(Emit *e, const char *i, const char *from, const char *to)
{
    const int length = e->par.loop ? e->par.loop->strip : 0;
    if (!e->par.simd || !length || !loop_bound_is_number(from) || !loop_bound_is_number(to))
        return false;
    const long long count = strtoll(to, NULL, 10) - strtoll(from, NULL, 10);
    if (count < length || count % length == 0)
        return false;
    const char *strip = name_new(e, "strip"), *first = name_new(e, "first"),
               *lane = name_new(e, "lane");
    text_open(e->out, "for (int64_t %s = %s; %s < %s; %s += %d) {", strip, from, strip, to, strip,
              length);
    text_line(e->out, "const int64_t %s = snl_smaller(%s, %s - %d);", first, strip, to, length);
    loop_simd(e);
    text_open(e->out, "for (int64_t %s = 0; %s < %d; %s++) {", lane, lane, length, lane);
    text_line(e->out, "const int64_t %s = %s + %s;", i, first, lane);
    return true;
}
