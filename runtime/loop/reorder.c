/* Orders of iterations; see reorder.h. */
#include "reorder.h"

enum {
    ITERATIONS_LEAST = 4096,    /* fewer reach too little for it to matter */
    SAMPLES = 16,               /* at most so many are taken, of */
    SAMPLE = 64,                /* iterations each */
    SHARE_LEAST = 1 << 16       /* iterations of a thread that counts */
};

/* Bits of the number of a cell below those of its part: parts are reached by several iterations,
 * so that most of those that follow each other in a good order reach the same or the next. */
static int
part_bits(int64_t iterations, int64_t cells)
{
    enum { REACHED_BY = 4 };
    const int64_t most = iterations / REACHED_BY;
    int bits = 0;
    while ((cells - 1) >> bits >= (most < SNL_ORDER_KEYS ? most : SNL_ORDER_KEYS))
        bits++;
    return bits;
}

/* ---- samples ---- */

static int64_t
sample_count(int64_t iterations)
{
    enum { FOR_EACH = 1024 };
    const int64_t count = iterations / FOR_EACH;
    return count < SAMPLES ? count : SAMPLES;
}

/* In samples of the order: how many iterations reach a part of the array that is neither that of
 * the one before nor beside it. */
static int64_t
count_apart(SnlOrder *order, int64_t iterations, SnlLoopFn find, void *args)
{
    const int64_t samples = sample_count(iterations);
    uint32_t keys[SAMPLE];
    int64_t apart = 0;
    order->keys = keys;
    for (int64_t s = 0; s < samples; s++) {
        order->first = snl_chunk_start(iterations - SAMPLE, samples, s);
        memset(keys, 0, sizeof keys);
        find(args, 0, order->first, order->first + SAMPLE);
        for (int k = 1; k < SAMPLE; k++)
            apart += keys[k] - keys[k - 1] + 1 > 2;
    }
    order->keys = NULL;
    return apart;
}

/* ---- sorting ---- */

/* Iterations by part, counted by each thread for its share of them, then where those of its share
 * come. */
typedef struct {
    const uint32_t *keys;
    uint32_t *of;
    uint32_t *counts;           /* by share and part */
} Sort;

static void
count_keys(void *args, int64_t share, int64_t from, int64_t to)
{
    const Sort *s = (const Sort *)args;
    uint32_t *counts = &s->counts[share * SNL_ORDER_KEYS];
    for (int64_t n = from; n < to; n++)
        counts[s->keys[n]]++;
}

static void
place_iterations(void *args, int64_t share, int64_t from, int64_t to)
{
    const Sort *s = (const Sort *)args;
    uint32_t *places = &s->counts[share * SNL_ORDER_KEYS];
    for (int64_t n = from; n < to; n++)
        s->of[places[s->keys[n]]++] = (uint32_t)n;
}

/* Makes counts the place of the first of them. */
static void
sum_up(uint32_t *counts, int64_t shares)
{
    uint32_t place = 0;
    for (int key = 0; key < SNL_ORDER_KEYS; key++)
        for (int64_t share = 0; share < shares; share++) {
            uint32_t *count = &counts[share * SNL_ORDER_KEYS + key], here = *count;
            *count = place;
            place += here;
        }
}

/* Bytes of an order, with places behind its end for snl_order_fetch. */
static size_t
order_bytes(int64_t iterations)
{
    return (size_t)(iterations + SNL_ORDER_AHEAD) * sizeof(uint32_t);
}

/* Sorts the iterations by parts, those of a part by number, so the order is the same for any number
 * of threads; false without memory. */
static bool
sort(SnlInstance *rt, SnlOrder *order, uint32_t *of, int64_t iterations, SnlLoopFn find, void *args)
{
    const int64_t shares = snl_chunk_count(iterations,
                                           SHARE_LEAST + iterations / (2 * rt->threads));
    const size_t key_bytes = (size_t)iterations * sizeof(uint32_t),
                 count_bytes = (size_t)shares * SNL_ORDER_KEYS * sizeof(uint32_t);
    uint32_t *keys = (uint32_t *)snl_memory_get(rt, key_bytes);
    Sort s = {keys, of, (uint32_t *)snl_memory_get(rt, count_bytes)};
    if (keys && s.counts) {
        order->of = NULL;
        order->keys = keys;
        order->first = 0;
        snl_parallel_for_named(rt, 0, iterations, snl_chunk_count(iterations, ITERATIONS_LEAST),
                               find, args, "order");
        snl_parallel_for_named(rt, 0, iterations, shares, count_keys, &s, "order");
        sum_up(s.counts, shares);
        snl_parallel_for_named(rt, 0, iterations, shares, place_iterations, &s, "order");
    }
    const bool done = keys && s.counts;
    snl_memory_put(rt, keys, key_bytes);
    snl_memory_put(rt, s.counts, count_bytes);
    return done;
}

/* ---- orders that are kept ---- */

static void
drop(SnlInstance *rt, SnlKeptOrder *k)
{
    snl_memory_put(rt, k->of, order_bytes(k->iterations));
    k->of = NULL;
}

/* Gives all orders back unless a loop has one; true if there were any. */
static bool
give_back(SnlInstance *rt)
{
    bool any = false;
    for (SnlKeptOrder **at = &rt->orders, *k; (k = *at) != NULL;) {
        if (k->taken) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        drop(rt, k);
        snl_memory_put(rt, k, sizeof *k);
        any = true;
    }
    return any;
}

static SnlKeptOrder *
kept_order(SnlInstance *rt, SnlLoopFn find, int64_t iterations)
{
    static const SnlOwner owner = {give_back, NULL};
    SnlKeptOrder *k = rt->orders;
    while (k && k->find != find)
        k = k->next;
    if (!k) {
        k = (SnlKeptOrder *)snl_memory_get(rt, sizeof *k);
        if (!k)
            return NULL;
        *k = (SnlKeptOrder){.next = rt->orders, .find = find};
        rt->orders = k;
        snl_own(rt, &owner);
    }
    if (k->iterations != iterations)
        drop(rt, k);
    k->iterations = iterations;
    return k;
}

/* Is the kept order still about as good as it was? */
static bool
is_still_good(const SnlKeptOrder *k, SnlOrder *order, SnlLoopFn find, void *args)
{
    order->of = k->of;
    return k->of && count_apart(order, k->iterations, find, args) <=
                        k->apart + sample_count(k->iterations) * SAMPLE / 8;
}

/* Have iterations a good order themselves? */
static bool
needs_none(const SnlKeptOrder *k, SnlOrder *order, SnlLoopFn find, void *args)
{
    order->of = NULL;
    return 4 * count_apart(order, k->iterations, find, args) <
           sample_count(k->iterations) * SAMPLE;
}

static void
make_order(SnlInstance *rt, SnlKeptOrder *k, SnlOrder *order, SnlLoopFn find, void *args)
{
    const size_t bytes = order_bytes(k->iterations);
    if (!k->of && snl_can_spare(rt, 2.0 * (double)bytes))
        k->of = (uint32_t *)snl_memory_get(rt, bytes);
    if (!k->of)
        return;
    if (!sort(rt, order, k->of, k->iterations, find, args)) {
        drop(rt, k);
        return;
    }
    order->of = k->of;
    k->apart = count_apart(order, k->iterations, find, args);
}

void
snl_order_begin(SnlInstance *rt, SnlOrder *order, int64_t iterations, int64_t cells,
                SnlLoopFn find, void *args)
{
    *order = (SnlOrder){.cells = cells};
    if (iterations < ITERATIONS_LEAST || iterations > UINT32_MAX || snl_failed(rt))
        return;
    SnlKeptOrder *k = kept_order(rt, find, iterations);
    if (!k)
        return;
    order->shift = part_bits(iterations, cells);
    k->taken = true;
    if (!is_still_good(k, order, find, args)) {
        if (needs_none(k, order, find, args))
            drop(rt, k);
        else
            make_order(rt, k, order, find, args);
    }
    k->taken = order->of != NULL;
}

void
snl_order_end(SnlInstance *rt, const SnlOrder *order)
{
    for (SnlKeptOrder *k = rt->orders; order->of && k; k = k->next)
        k->taken &= k->of != order->of;
}
