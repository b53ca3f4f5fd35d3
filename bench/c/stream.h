/* stream.h - stores that go past the caches, for arrays larger than these; ordinary stores where
 * the processor has none.
 *
 * STREAM_WIDTH floats are stored at once, at an address that is a multiple of their size.
 */
#ifndef STREAM_H
#define STREAM_H

#if defined __AVX512F__ || defined __AVX__
#include <immintrin.h>
#endif

#if defined __AVX512F__
enum { STREAM_WIDTH = 16 };
typedef __m512 Lanes;
#elif defined __AVX__
enum { STREAM_WIDTH = 8 };
typedef __m256 Lanes;
#else
enum { STREAM_WIDTH = 4 };
typedef float Lanes __attribute__((vector_size(16)));
#endif

/* The same with the alignment of one float, for loads beside the aligned place. */
typedef float LooseLanes __attribute__((vector_size(sizeof(Lanes)), aligned(4)));

static inline Lanes
load(const float *p)
{
    return *(const Lanes *)p;
}

static inline Lanes
load_loose(const float *p)
{
    return (Lanes) *(const LooseLanes *)p;
}

static inline void
stream(float *p, Lanes v)
{
#if defined __AVX512F__
    _mm512_stream_ps(p, v);
#elif defined __AVX__
    _mm256_stream_ps(p, v);
#else
    *(Lanes *)p = v;
#endif
}

/* Makes streamed stores visible to other threads. */
static inline void
stream_end(void)
{
#if defined __AVX__
    _mm_sfence();
#endif
}

#endif
