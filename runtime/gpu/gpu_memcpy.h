/* gpu_memcpy.h - zeroing and copying memory on a GPU, whose compilers make loops over single bytes
 * of memset and memcpy; included by platform.h in programs for a GPU.
 */
#ifndef SNL_GPU_GPU_MEMCPY_H
#define SNL_GPU_GPU_MEMCPY_H

/* Copies bytes, or zeroes them where `from` is NULL, by words of W bytes, which all are multiples
 * of; the calling lane does every word whose number is `lane`, counted modulo `lanes`. */
template <int W>
SNL_ON_GPU static inline void
snl_gpu_words(char *to, const char *from, size_t bytes, int lane, int lanes)
{
    for (size_t at = (size_t)lane * W; at < bytes; at += (size_t)lanes * W) {
        void *const word = __builtin_assume_aligned(to + at, W);
        if (from)
            memcpy(word, __builtin_assume_aligned(from + at, W), W);
        else
            memset(word, 0, W);
    }
}

/* The same by the largest words that there are; it is the share of one lane. */
SNL_ON_GPU static inline void
snl_gpu_bytes(void *to, const void *from, size_t bytes, int lane, int lanes)
{
    const uintptr_t all = (uintptr_t)to | (uintptr_t)from | bytes;
    char *const t = (char *)to;
    const char *const f = (const char *)from;
    if (all % 16 == 0)
        snl_gpu_words<16>(t, f, bytes, lane, lanes);
    else if (all % 8 == 0)
        snl_gpu_words<8>(t, f, bytes, lane, lanes);
    else if (all % 4 == 0)
        snl_gpu_words<4>(t, f, bytes, lane, lanes);
    else
        snl_gpu_words<1>(t, f, bytes, lane, lanes);
}

#endif
