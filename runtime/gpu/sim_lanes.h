/* sim_lanes.h - a stand-in for the CUDA execution model on the CPU: blocks of lanes, warps of 32.
 *
 * It runs the code of kernels without a GPU, to test it. The lanes of a block are coroutines of the
 * calling thread; blocks, warps and lanes take turns in an order that depends on a seed, and may
 * change at every atomic operation, so that races show. Nothing here is fast; nothing but stacks of
 * the calling thread is kept beyond a call of snl_sim_run.
 */
#ifndef SNL_GPU_SIM_LANES_H
#define SNL_GPU_SIM_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SNL_SIM_WARP = 32, SNL_SIM_BLOCK_MAX = 1024, SNL_SIM_SHARED = 48 << 10 };

/* Where the calling lane stands. */
typedef struct {
    int64_t block, blocks;
    int thread, threads;        /* in the block */
} SnlSimPlace;

/* Runs lane(arg) for every lane of a grid. False without memory, or where lanes wait for each other
 * for ever, or at a barrier that not all lanes of the block come to, or share more memory than
 * SNL_SIM_SHARED bytes. */
bool snl_sim_run(uint64_t seed, int64_t blocks, int threads, void (*lane)(void *), void *arg);

/* The same with a copy of the argument, while stack and heap of the process cannot be touched: a
 * GPU does not see them. For processes of one thread. */
bool snl_sim_run_alone(uint64_t seed, int64_t blocks, int threads, void (*lane)(void *),
                       const void *arg, size_t bytes);

/* The place of the calling lane, NULL outside of snl_sim_run. */
const SnlSimPlace *snl_sim_place(void);

/* Notes memory that the lanes of a block share; true for the first of them that comes here. *block
 * is 0 at first, and belongs to this function. */
bool snl_sim_share(uint64_t *block, size_t bytes);

/* Other lanes may run here: before every atomic operation on a place. A GPU has none on variables
 * of a lane: there the process ends, with a message. */
void snl_sim_point(const void *place);

/* True if little more than that many bytes is left of the stack that the calling lane runs on. */
bool snl_sim_stack_is_low(size_t bytes);

/* True if the place is on the stack of the calling lane. */
bool snl_sim_is_local(const void *place);

/* Waits for all lanes of the block, which have to come to this barrier, of that number: as on a
 * GPU, where else nothing is promised. */
void snl_sim_barrier(int number);

/* The lanes of the warp that are here as well. */
uint32_t snl_sim_active(void);

/* Gives the value of each lane of the mask, which must all call it, in out. */
void snl_sim_exchange(uint32_t mask, uint64_t value, uint64_t out[SNL_SIM_WARP]);

#ifdef __cplusplus
}
#endif

#endif
