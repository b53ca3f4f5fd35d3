/* stream_store.h - arrays larger than the caches: what is read is fetched early, and what is
 * written goes there in strips.
 *
 * Processors foresee such streams, but ask for too few lines at a time to use all that the memory
 * gives.
 *
 * A strip of an array that a loop writes and does not read is computed in a small array (pass
 * stream_stores). Then it is stored in one of two ways: through the caches, or past them, which
 * spares reading what is overwritten. The first way is faster where a core waits for its lines, the
 * second where the cores together use up the memory. No table says what a machine is like.
 * Therefore the first parts of loops, and some later ones, measure it. Both ways store the same
 * bits.
 */
#ifndef SNL_LOOP_STREAM_STORE_H
#define SNL_LOOP_STREAM_STORE_H

#include "../core/parallel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes from where a loop is to what it asks for. Processors of Intel keep up to 2 KB (a sum of
 * floats takes 1.5 times as long with 4 KB); those of AMD foresee streams well, and what they are
 * asked for only slows them down (a * x + y takes 0.85 of the time without, 0), but for lines of
 * masks of which some are left out. */
#if defined __znver1__ || defined __znver2__ || defined __znver3__ || defined __znver4__ || \
    defined __znver5__
enum { SNL_AHEAD = 0, SNL_AHEAD_IN_MASKS = 4096 };
#else
enum { SNL_AHEAD = 2048, SNL_AHEAD_IN_MASKS = 2048 };
#endif

/* Arrays that no cache holds have so many bytes; shorter rows are not worth strips of them. */
enum { SNL_LARGE_ARRAY = 32 << 20, SNL_LONG_ROW = 256 };

/* Blocks of lists that have fewer bytes together are in a cache: of those further on only the first
 * lines are asked for. */
enum { SNL_LARGE_LIST = 16 << 20, SNL_FETCH_FIRST = 256 };

/* Does a block further on not lie among so many bytes from this one on? */
SNL_FN bool snl_lies_apart(const void *block, const void *further, uint64_t bytes)
{
    return (uintptr_t)further - (uintptr_t)block > bytes;
}

/* Lets memory that a loop comes to soon into the caches, so many bytes further on, which need not
 * be in the array. */
SNL_FN void snl_fetch_further(const void *at, uint64_t bytes, uint64_t further)
{
    const uintptr_t ahead = (uintptr_t)at + further;
    for (uint64_t k = 0; k < bytes; k += 64)
        SNL_PREFETCH((const void *)(ahead + k), 0, 3);
}

/* The same, SNL_AHEAD further on. */
SNL_FN void snl_fetch_ahead(const void *at, uint64_t bytes)
{
    if (SNL_AHEAD > 0)
        snl_fetch_further(at, bytes, SNL_AHEAD);
}

/* The strips of a part of a loop. */
typedef struct {
    SnlStores *stores;
    SnlStoreWay way;
    int64_t bytes;              /* so far */
    int64_t start;              /* nanoseconds; -1: nobody wants to know */
} SnlStream;

/* Begins a part of a loop with that number, from 0 on, which goes the way that was faster, or is
 * measured; snl_stream_end ends it. */
SnlStream snl_stream_begin(SnlInstance *rt, int loop);
void snl_stream_end(const SnlStream *stream);

/* Notes that a way took so long for so many bytes; short parts tell nothing. */
void snl_stores_note(SnlStores *stores, SnlStoreWay way, int64_t bytes, int64_t nanoseconds);

/* The way that took less time a byte, or through the caches where one was not measured. */
SnlStoreWay snl_stores_faster(const SnlStores *stores);

/* End of the strip that begins with iteration `from` and is stored at `at`: the next one starts
 * with a line of the caches. */
SNL_FN int64_t snl_stream_strip(const void *at, uint64_t bytes, int64_t from, int64_t to)
{
    int64_t count = SNL_LANES - (int64_t)((uintptr_t)at % 64 / bytes);
    return to - from < count ? to : from + count;
}

#if defined __AVX512F__
enum { SNL_PAST_BYTES = 64 };
#elif defined __AVX__
enum { SNL_PAST_BYTES = 32 };
#else
enum { SNL_PAST_BYTES = 16 };
#endif

/* Stores a strip past the caches, but for what does not fill whole vectors. */
SNL_FN void snl_store_past(char *p, const char *q, int64_t bytes)
{
#if defined __SSE__ && defined __GNUC__ && !defined __CUDACC__
    typedef float Part __attribute__((vector_size(SNL_PAST_BYTES)));
    for (; bytes >= SNL_PAST_BYTES && (uintptr_t)p % SNL_PAST_BYTES == 0;
         p += SNL_PAST_BYTES, q += SNL_PAST_BYTES, bytes -= SNL_PAST_BYTES) {
        Part part;
        memcpy(&part, q, sizeof part);
#if defined __clang__
        __builtin_nontemporal_store(part, (Part *)(void *)p);
#elif defined __AVX512F__
        __builtin_ia32_movntps512((float *)(void *)p, part);
#elif defined __AVX__
        __builtin_ia32_movntps256((float *)(void *)p, part);
#else
        __builtin_ia32_movntps((float *)(void *)p, part);
#endif
    }
#endif
    memcpy(p, q, (size_t)bytes);
}

/* Stores a strip of `count` elements, mostly SNL_LANES. */
SNL_FN void
snl_stream(SnlStream *stream, void *to, const void *from, int64_t count, uint64_t element_bytes)
{
    const size_t bytes = (size_t)count * element_bytes;
    stream->bytes += (int64_t)bytes;
    if (stream->way == SNL_STORE_PAST) {
        snl_store_past((char *)to, (const char *)from, (int64_t)bytes);
        return;
    }
    snl_fetch_ahead(to, bytes);
    if (SNL_LIKELY(count == SNL_LANES))
        memcpy(to, from, SNL_LANES * element_bytes);
    else
        memcpy(to, from, bytes);
}

#ifdef __cplusplus
}
#endif

#endif
