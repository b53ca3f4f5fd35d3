/* float4.h - vectors of three or four f32 in one register of the processor, in loops that pass slp
 * marks (float4.c).
 *
 * The fourth lane of a vector of three holds any number, and nobody looks at it.
 */
#ifndef SNL_LOOP_FLOAT4_H
#define SNL_LOOP_FLOAT4_H

#include "../math/snl_atomic.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__ && !defined __CUDACC__
typedef float SnlQuadLanes __attribute__((vector_size(16)));
typedef float SnlQuadMemory __attribute__((vector_size(16), aligned(4), may_alias));
typedef struct {
    SnlQuadLanes v;
} SnlQuad;
#define SNL_QUAD_OP(name, op) \
    SNL_INLINE SnlQuad snl_quad_##name(SnlQuad a, SnlQuad b) \
    { \
        a.v = a.v op b.v; \
        return a; \
    }
#else
typedef struct {
    float v[4];
} SnlQuad;
#define SNL_QUAD_OP(name, op) \
    SNL_INLINE SnlQuad snl_quad_##name(SnlQuad a, SnlQuad b) \
    { \
        for (int k = 0; k < 4; k++) \
            a.v[k] = a.v[k] op b.v[k]; \
        return a; \
    }
#endif
SNL_QUAD_OP(add, +)
SNL_QUAD_OP(sub, -)
SNL_QUAD_OP(mul, *)
SNL_QUAD_OP(div, /)
#undef SNL_QUAD_OP

/* The same number in all lanes. */
SNL_INLINE SnlQuad snl_quad_splat(float x)
{
    SnlQuad r = {{x, x, x, x}};
    return r;
}

SNL_INLINE SnlQuad snl_quad_neg(SnlQuad a)
{
    for (int k = 0; k < 4; k++)
        a.v[k] = -a.v[k];
    return a;
}

/* Fuses four products and sums. Late versions of clang have lost the second function; gcc has not
 * got the first. */
#if defined __FMA__ && defined __GNUC__ && !defined __CUDACC__
#if defined __clang__ && __clang_major__ >= 20
#define SNL_QUAD_FMA(a, b, c) __builtin_elementwise_fma(a, b, c)
#else
#define SNL_QUAD_FMA(a, b, c) __builtin_ia32_vfmaddps(a, b, c)
#endif
#endif

/* a * b + c, as snl_muladd_f32. */
SNL_INLINE SnlQuad snl_quad_muladd(SnlQuad a, SnlQuad b, SnlQuad c)
{
#ifdef SNL_QUAD_FMA
    a.v = SNL_QUAD_FMA(a.v, b.v, c.v);
#else
    for (int k = 0; k < 4; k++)
        a.v[k] = snl_muladd_f32(a.v[k], b.v[k], c.v[k]);
#endif
    return a;
}

/* ---- memory ---- */

/* Three floats; nothing behind them is read. */
SNL_INLINE SnlQuad snl_quad_load3(const float *from)
{
    SnlQuad r = {{from[0], from[1], from[2], 0}};
    return r;
}

/* Four floats, or three where a float follows them: one that other threads write at the same time
 * does no harm, but tools that look for races do not know that. */
SNL_INLINE SnlQuad snl_quad_load(const float *from)
{
#if defined __GNUC__ && !defined __CUDACC__ && !defined __SANITIZE_THREAD__
    SnlQuad r = {*(const SnlQuadMemory *)from};
#else
    SnlQuad r = {{from[0], from[1], from[2], from[3]}};
#endif
    return r;
}

SNL_INLINE void snl_quad_store3(float *to, SnlQuad a)
{
    for (int k = 0; k < 3; k++)
        to[k] = a.v[k];
}

SNL_INLINE void snl_quad_store(float *to, SnlQuad a)
{
    for (int k = 0; k < 4; k++)
        to[k] = a.v[k];
}

/* Adds to three or four floats side by side, of which other threads may change each unless the
 * thread is alone with them. */
SNL_INLINE void snl_quad_update3(bool alone, float *to, SnlQuad a)
{
    for (int k = 0; k < 3; k++)
        snl_update_add_f32(alone, &to[k], a.v[k]);
}

SNL_INLINE void snl_quad_update(bool alone, float *to, SnlQuad a)
{
#if defined __GNUC__ && !defined __CUDACC__
    if (alone) {
        *(SnlQuadMemory *)to += a.v;
        return;
    }
#endif
    for (int k = 0; k < 4; k++)
        snl_update_add_f32(alone, &to[k], a.v[k]);
}

#ifdef __cplusplus
}
#endif

#endif
