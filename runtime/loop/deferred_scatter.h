/* deferred_scatter.h - what several iterations of a loop add to arrays. It is computed at once, and
 * then added iteration by iteration (defer_scatter.c).
 *
 * Sums are computed as vectors of iterations, `sums[k][lane]`. Four floats that lie side by side in
 * memory are added to as one vector, `rows[k][lane]`, so four lines of sums are transposed first.
 */
#ifndef SNL_LOOP_DEFERRED_SCATTER_H
#define SNL_LOOP_DEFERRED_SCATTER_H

#include "../core/platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Iterations that are computed at once. */
enum { SNL_BATCH = 16 };

/* Turns `count` times four lines of sums: those of one iteration then lie side by side. */
SNL_FN void snl_batch_turn(float (*rows)[SNL_BATCH][4], const float (*sums)[SNL_BATCH], int count)
{
    for (int k = 0; k < count; k++) {
        float (*const to)[4] = rows[k];
        const float *const from = sums[4 * k];
        SNL_SIMD
        for (int lane = 0; lane < SNL_BATCH; lane++) {
            to[lane][0] = from[lane];
            to[lane][1] = from[SNL_BATCH + lane];
            to[lane][2] = from[2 * SNL_BATCH + lane];
            to[lane][3] = from[3 * SNL_BATCH + lane];
        }
    }
}

/* Adds to four floats from `to` on. */
#if defined __GNUC__ && !defined __CUDACC__
typedef float SnlBatchRow __attribute__((vector_size(16), aligned(4), may_alias));
SNL_INLINE void snl_batch_add(float *to, const float *row)
{
    *(SnlBatchRow *)to += *(const SnlBatchRow *)row;
}
#else
SNL_INLINE void snl_batch_add(float *to, const float *row)
{
    for (int k = 0; k < 4; k++)
        to[k] += row[k];
}
#endif

#ifdef __cplusplus
}
#endif

#endif
