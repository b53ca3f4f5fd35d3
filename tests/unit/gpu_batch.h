/* gpu_batch.h - a batch of operations of which each lane does some. */
#ifndef GPU_BATCH_H
#define GPU_BATCH_H

#include "model_batch.h"

typedef struct {
    SnlTree *tree;
    Op *ops;
} GpuBatch;

SNL_ON_GPU static void
gpu_run_part(void *args, int64_t from, int64_t to, int64_t step)
{
    const GpuBatch *a = (const GpuBatch *)args;
    for (int64_t k = from; k < to; k += step)
        op_run(a->tree, &a->ops[k]);
}

/* Makes memory for the batch and runs it; behind() may queue more before the CPU waits. */
template <typename Behind>
static void
gpu_run_batch(SnlInstance *rt, SnlTree *tree, Batch *b, Behind behind)
{
    const SnlNeed needs[] = {{tree, INT64_MAX, INT64_MAX, true}};
    const uint64_t bytes = (uint64_t)b->count * sizeof(Op);
    Op *shared;
    snl_gpu_prepare(rt, needs, 1);
    shared = (Op *)snl_gpu_share(rt, b->ops, bytes);
    snl_gpu_for<gpu_run_part, SNL_EACH_LANE, 64>(rt, b->count, GpuBatch{tree, shared});
    behind();
    snl_gpu_unshare(rt, b->ops, shared, bytes);
}

#endif
