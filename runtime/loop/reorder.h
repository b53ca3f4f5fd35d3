/* reorder.h - the order in which a loop goes through its iterations.
 *
 * An iteration may reach many cells around one of a large array, as a particle does in a grid. Such
 * iterations wait least for memory if those that reach the same cells follow each other. A loop
 * whose iterations may have any order gets the order of the cells. It counts how many iterations
 * reach each of up to SNL_ORDER_KEYS parts of the array. The order is kept for the next time that
 * the loop runs, as long as samples say that it is still good: most particles stay in their part of
 * a grid for a while. Nothing is sorted where the iterations have a good order themselves.
 */
#ifndef SNL_LOOP_REORDER_H
#define SNL_LOOP_REORDER_H

#include "../core/parallel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SNL_ORDER_KEYS = 1 << 14, SNL_ORDER_AHEAD = 16 };

/* The order of the loop that runs. */
typedef struct {
    const uint32_t *of;         /* by position: the iteration; NULL: its own */
    uint32_t *keys;             /* by position, from `first` on: the part that the cell lies in */
    int64_t first, cells;
    int shift;                  /* so many bits of the number of a cell are below those of its
                                 * part */
} SnlOrder;

/* An order that is kept. */
typedef struct SnlKeptOrder {
    struct SnlKeptOrder *next;
    SnlLoopFn find;             /* says which loop has it */
    int64_t iterations;
    uint32_t *of;               /* NULL: none is needed */
    int64_t apart;              /* as snl_order_begin counted after it was made */
    bool taken;                 /* by the loop that runs */
} SnlKeptOrder;

/* Finds the order for a loop of so many iterations, each of which reaches one of `cells` cells and
 * those around; `find` calls snl_order_key for positions from ... to-1 of `order`, which `args`
 * hold. Where no memory can be spared iterations keep their own. */
void snl_order_begin(SnlInstance *rt, SnlOrder *order, int64_t iterations, int64_t cells,
                     SnlLoopFn find, void *args);

/* Ends the loop that had it. */
void snl_order_end(SnlInstance *rt, const SnlOrder *order);

/* The iteration at position n. */
SNL_FN int64_t snl_order_at(const SnlOrder *order, int64_t n)
{
    return order->of ? order->of[n] : n;
}

/* The iteration at position n reaches this cell; numbers that are none stand for the last. */
SNL_FN void snl_order_key(const SnlOrder *order, int64_t n, int64_t cell)
{
    if (cell < 0 || cell >= order->cells)
        cell = order->cells - 1;
    order->keys[n - order->first] = (uint32_t)(cell >> order->shift);
}

/* Lets the loop's own cell, of so many bytes, of the iteration a while after position n come into
 * the caches. */
SNL_FN void snl_order_fetch(const SnlOrder *order, int64_t n, const void *cells, uint64_t bytes)
{
    const uint64_t at = (uint64_t)snl_order_at(order, n + SNL_ORDER_AHEAD) * bytes;
    for (uint64_t k = 0; k < bytes + 63; k += 64)
        SNL_PREFETCH((const void *)((uintptr_t)cells + at + (k < bytes ? k : bytes - 1)), 1, 3);
}

#ifdef __cplusplus
}
#endif

#endif
