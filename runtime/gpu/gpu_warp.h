/* gpu_warp.h - what the lanes of a warp do together; included by platform.h in programs for a GPU.
 *
 * Lanes that meet by chance do one atomic operation, or allocate one cell, for all of them.
 */
#ifndef SNL_GPU_GPU_WARP_H
#define SNL_GPU_GPU_WARP_H

#ifdef __CUDACC__
/* The number of the lane in its warp. */
__device__ static inline int snl_warp_lane(void) { return (int)(threadIdx.x & 31); }

/* The lanes of the warp that are here as well, as bits. */
__device__ static inline uint32_t snl_warp_active(void) { return __activemask(); }

/* Those of the lanes, which all come here, that give the same value. */
__device__ static inline uint32_t snl_warp_match(uint32_t lanes, uint64_t value)
{
    return __match_any_sync(lanes, (unsigned long long)value);
}

/* Those of the lanes, which all come here, for which it is true. */
__device__ static inline uint32_t
snl_warp_vote(uint32_t lanes, bool yes)
{
    return __ballot_sync(lanes, yes);
}

/* What the lanes, which all come here, wrote before is seen by all of them after that; exchanges
 * promise nothing of memory. */
__device__ static inline void snl_warp_meet(uint32_t lanes) { __syncwarp(lanes); }

/* The value that one of the lanes, which all come here, gives. */
__device__ static inline uint64_t snl_warp_get(uint32_t lanes, uint64_t value, int from)
{
    return __shfl_sync(lanes, (unsigned long long)value, from);
}
#else
static inline int snl_warp_lane(void) { return snl_sim_place()->thread % SNL_SIM_WARP; }
static inline uint32_t snl_warp_active(void) { return snl_sim_active(); }

static inline uint32_t snl_warp_match(uint32_t lanes, uint64_t value)
{
    uint64_t values[SNL_SIM_WARP];
    uint32_t same = 0;
    snl_sim_exchange(lanes, value, values);
    for (int k = 0; k < SNL_SIM_WARP; k++)
        if ((lanes >> k & 1) && values[k] == value)
            same |= (uint32_t)1 << k;
    return same;
}

static inline uint32_t snl_warp_vote(uint32_t lanes, bool yes)
{
    uint64_t values[SNL_SIM_WARP];
    uint32_t voted = 0;
    snl_sim_exchange(lanes, yes, values);
    for (int k = 0; k < SNL_SIM_WARP; k++)
        voted |= (uint32_t)((lanes >> k & 1) && values[k]) << k;
    return voted;
}

static inline void snl_warp_meet(uint32_t lanes) { (void)snl_warp_vote(lanes, false); }

static inline uint64_t snl_warp_get(uint32_t lanes, uint64_t value, int from)
{
    uint64_t values[SNL_SIM_WARP];
    snl_sim_exchange(lanes, value, values);
    return values[from];
}
#endif

/* The number of lanes. */
SNL_ON_GPU static inline int snl_warp_count(uint32_t lanes)
{
#ifdef __CUDA_ARCH__
    return __popc(lanes);
#else
    return __builtin_popcount(lanes);
#endif
}

/* The first of some lanes, and how many stand before the calling one. */
SNL_ON_GPU static inline int snl_warp_first(uint32_t lanes)
{
    return snl_warp_count((lanes & -lanes) - 1);
}

SNL_ON_GPU static inline int snl_warp_rank(uint32_t lanes)
{
    return snl_warp_count(lanes & (((uint32_t)1 << snl_warp_lane()) - 1));
}

/* Adds 1 to *p and gives what it was, by one operation for the lanes that do the same. */
SNL_ON_GPU static inline int64_t snl_warp_increment(int64_t *p)
{
    uint32_t together = snl_warp_match(snl_warp_active(), (uint64_t)(uintptr_t)p);
    int first = snl_warp_first(together);
    uint64_t before = 0;
    if (snl_warp_lane() == first)
        before = (uint64_t)SNL_ADD(p, (int64_t)snl_warp_count(together));
    return (int64_t)snl_warp_get(together, before, first) + snl_warp_rank(together);
}

#endif
