/* gpu_field_copy.h - whole dense fields got, set, filled and copied on the GPU, so that their
 * memory stays there.
 *
 * Included by gpu.h. Host code has waited for the GPU; what is started here has ended when it goes
 * on. Arrays and constants of the CPU go through memory of the device, as one block.
 */
#ifndef SNL_GPU_GPU_FIELD_COPY_H
#define SNL_GPU_GPU_FIELD_COPY_H

#include "../field/copy_nest.h"

/* Copies the units of a nest, a lane each in turn. */
struct SnlGpuNest {
    enum { THREADS = 256 };
    SnlNest n;
    char *to;
    const char *from;
    int64_t units;
    int64_t
    blocks() const
    {
        return snl_gpu_blocks(SNL_EACH_LANE, THREADS, SNL_GPU_LANES_FREE, units);
    }

    SNL_ON_GPU void copy(int64_t unit) const
    {
        int64_t k = unit % n.run.count;
        char *t = to + n.to + k * n.run.to;
        const char *f = from + n.from + k * n.run.from;
        unit /= n.run.count;
        k = unit % n.row.count;
        t += k * n.row.to;
        f += k * n.row.from;
        unit /= n.row.count;
        for (int level = n.outer_count - 1; level >= 0; level--) {
            k = unit % n.outer[level].count;
            unit /= n.outer[level].count;
            t += k * n.outer[level].to;
            f += k * n.outer[level].from;
        }
        if ((((uintptr_t)t | (uintptr_t)f | (uintptr_t)n.bytes) & 3) == 0)
            for (int64_t b = 0; b < n.bytes; b += 4)
                *(uint32_t *)(void *)(t + b) = *(const uint32_t *)(const void *)(f + b);
        else
            for (int64_t b = 0; b < n.bytes; b++)
                t[b] = f[b];
    }

    SNL_ON_GPU void operator()() const
    {
        int64_t lanes = snl_lane_blocks() * THREADS;
        for (int64_t unit = snl_lane_block() * THREADS + snl_lane_thread(); unit < units;
             unit += lanes)
            copy(unit);
    }
};

/* It is no part of a graph, and gcc 12 zeroes what follows an array of structs with the padding. */
static inline void snl_gpu_clear_padding(SnlGpuNest *) {}

/* Bytes from the first of a side to behind its last. */
static inline int64_t snl_gpu_nest_span(const SnlNest *n, bool to)
{
    int64_t span = n->bytes;
    span += (n->run.count - 1) * (to ? n->run.to : n->run.from) +
            (n->row.count - 1) * (to ? n->row.to : n->row.from);
    for (int level = 0; level < n->outer_count; level++)
        span += (n->outer[level].count - 1) * (to ? n->outer[level].to : n->outer[level].from);
    return span;
}

/* Units of a nest. */
static inline int64_t snl_gpu_nest_units(const SnlNest *n)
{
    int64_t units = n->run.count * n->row.count;
    for (int level = 0; level < n->outer_count; level++)
        units *= n->outer[level].count;
    return units;
}

/* Runs the nest, with the side outside of trees in `apart`, memory of the device. */
static inline bool
snl_gpu_move_apart(SnlInstance *rt, SnlGpuNest move, SnlOutside outside, char *apart, int64_t span)
{
    char *array =
        outside == SNL_TO_SIDE ? move.to + move.n.to : (char *)(uintptr_t)move.from + move.n.from;
    bool has_gaps = span != move.units * move.n.bytes;
    if ((outside == SNL_FROM_SIDE || has_gaps) &&
        !snl_gpu_copy_in(rt->gpu, apart, array, (size_t)span))
        return false;
    if (outside == SNL_TO_SIDE) {
        move.to = apart;
        move.n.to = 0;
    } else {
        move.from = apart;
        move.n.from = 0;
    }
    snl_gpu_run(rt, move);
    snl_gpu_finish(rt);
    return outside == SNL_FROM_SIDE || snl_failed(rt) ||
           snl_gpu_copy_out(rt->gpu, array, apart, (size_t)span);
}

/* The mover of an instance; false where threads of the CPU shall do it: for little, or without
 * memory. */
static inline bool
snl_gpu_move(SnlInstance *rt, const SnlNest *n, char *to, const char *from, SnlOutside outside)
{
    SnlGpuNest move = {*n, to, from, snl_gpu_nest_units(n)};
    int64_t span = snl_gpu_nest_span(n, outside == SNL_TO_SIDE);
    char *apart;
    bool done;
    if (move.units * n->bytes < SNL_GPU_MOVE_LEAST || snl_failed(rt) ||
        !snl_gpu_may_start(rt))
        return false;
    if (outside == SNL_NO_SIDE) {
        snl_gpu_run(rt, move);
        snl_gpu_finish(rt);
        return true;
    }
    apart = (char *)snl_gpu_block_get(rt->gpu->device, (size_t)span);
    done = apart && snl_gpu_move_apart(rt, move, outside, apart, span);
    snl_gpu_block_put(rt->gpu->device, apart, (size_t)span);
    return done;
}

#endif
