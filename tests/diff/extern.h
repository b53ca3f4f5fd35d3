/* extern.h - functions that random programs declare as extern where NATIVE is 1; items.c has the
 * same in SNL. */
#ifndef DIFF_EXTERN_H
#define DIFF_EXTERN_H

#include <snl/snlrt.h>

static inline int32_t
ext_mix(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a * 31u + (uint32_t)b);
}
static inline uint8_t ext_wrap(uint8_t a, int8_t b) { return (uint8_t)(a + (uint8_t)b); }
static inline double ext_scale(double x, int64_t n) { return x * (double)n; }
static inline bool ext_more(uint64_t a, uint64_t b) { return a > b; }
static inline int32_t ext_last(int32_t *a, int64_t n, int32_t b) { return a[n - 1] ^ b; }
static inline void ext_bump(uint32_t *n, float x) { *n += (uint32_t)(x > 0.5f) + 1u; }

#endif
