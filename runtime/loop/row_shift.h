/* row_shift.h - rows of cells in vectors: a row moved along by one cell.
 *
 * snl_row_before_B(to, row, bytes, first) gives each cell what the cell before it in the row has,
 * and gives the first cell *first. snl_row_after_B(to, row, bytes, last) does the same with the
 * cell after it. Cells have B bytes. The row has 16 or 32 bytes, known where it is called. No
 * alignment is required, and the rows must not overlap.
 *
 * snl_row_twice_B(to, from, count) writes each of `count` cells of B bytes twice.
 *
 * snl_weave(cells, from, count, words, place) writes number `place` of the `words` numbers of 4
 * bytes in each of `count` cells, and nothing else of these cells. `words` is two or three, known
 * where it is called. snl_weave_whole does the same where nobody else uses these cells: vectors of
 * them are read and written as a whole.
 *
 * snl_pairs_get(to, cells, count, part) reads one part, 0 or 1, of `count` cells that are pairs of
 * 4 bytes each; snl_pairs_put(cells, from, count, part) writes it, and nothing of the other part.
 */
#ifndef SNL_LOOP_ROW_SHIFT_H
#define SNL_LOOP_ROW_SHIFT_H

#include "../core/platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the vectors in which a row is moved; the rest of a longer one is read where it lies. */
#ifdef __AVX2__
enum { SNL_VECTOR = 32 };
#else
enum { SNL_VECTOR = 16 };
#endif

#if defined __has_builtin && !defined __CUDACC__
#if __has_builtin(__builtin_shufflevector)
#define SNL_HAS_SHUFFLE
#endif
#endif

#ifdef SNL_HAS_SHUFFLE
/* The vector of that many bytes that has `edge` first, or last, and is else the row moved along. */
#define SNL_MOVE(BYTES, T, ...)                                                                    \
    typedef T Row __attribute__((vector_size(BYTES)));                                             \
    Row all, in = (Row){0} + edge;                                                                 \
    memcpy(&all, row, BYTES);                                                                      \
    all = __builtin_shufflevector(all, in, __VA_ARGS__);                                           \
    memcpy(to, &all, BYTES);
#define SNL_MOVES(B, T)                                                                            \
    SNL_FN void snl_move_before_##B(char *to, const char *row, int bytes, T edge)                  \
    {                                                                                              \
        if (bytes == 32) {                                                                         \
            SNL_MOVE(32, T, SNL_BEFORE_##B##_32)                                                   \
        } else {                                                                                   \
            SNL_MOVE(16, T, SNL_BEFORE_##B##_16)                                                   \
        }                                                                                          \
    }                                                                                              \
    SNL_FN void snl_move_after_##B(char *to, const char *row, int bytes, T edge)                   \
    {                                                                                              \
        if (bytes == 32) {                                                                         \
            SNL_MOVE(32, T, SNL_AFTER_##B##_32)                                                    \
        } else {                                                                                   \
            SNL_MOVE(16, T, SNL_AFTER_##B##_16)                                                    \
        }                                                                                          \
    }
#define SNL_BEFORE_4_16 4, 0, 1, 2
#define SNL_BEFORE_4_32 8, 0, 1, 2, 3, 4, 5, 6
#define SNL_AFTER_4_16 1, 2, 3, 4
#define SNL_AFTER_4_32 1, 2, 3, 4, 5, 6, 7, 8
#define SNL_BEFORE_8_16 2, 0
#define SNL_BEFORE_8_32 4, 0, 1, 2
#define SNL_AFTER_8_16 1, 2
#define SNL_AFTER_8_32 1, 2, 3, 4
#else
#define SNL_MOVES(B, T)                                                                            \
    SNL_FN void snl_move_before_##B(char *to, const char *row, int bytes, T edge)                  \
    {                                                                                              \
        memcpy(to + B, row, (size_t)bytes - B);                                                    \
        memcpy(to, &edge, B);                                                                      \
    }                                                                                              \
    SNL_FN void snl_move_after_##B(char *to, const char *row, int bytes, T edge)                   \
    {                                                                                              \
        memcpy(to, row + B, (size_t)bytes - B);                                                    \
        memcpy(to + bytes - B, &edge, B);                                                          \
    }
#endif

#define SNL_ROWS(B, T)                                                                             \
    SNL_MOVES(B, T)                                                                                \
    SNL_INLINE void snl_row_before_##B(void *to, const void *row, int bytes, const void *first)    \
    {                                                                                              \
        const int part = bytes < SNL_VECTOR ? bytes : SNL_VECTOR;                                  \
        T edge;                                                                                    \
        memcpy(&edge, first, B);                                                                   \
        snl_move_before_##B((char *)to, (const char *)row, part, edge);                            \
        for (int at = part; at < bytes; at += part)                                                \
            memcpy((char *)to + at, (const char *)row + at - B, (size_t)part);                     \
    }                                                                                              \
    SNL_INLINE void snl_row_after_##B(void *to, const void *row, int bytes, const void *last)      \
    {                                                                                              \
        const int part = bytes < SNL_VECTOR ? bytes : SNL_VECTOR;                                  \
        T edge;                                                                                    \
        memcpy(&edge, last, B);                                                                    \
        for (int at = 0; at < bytes - part; at += part)                                            \
            memcpy((char *)to + at, (const char *)row + at + B, (size_t)part);                     \
        snl_move_after_##B((char *)to + bytes - part, (const char *)row + bytes - part, part,      \
                           edge);                                                                  \
    }

#ifdef SNL_HAS_SHUFFLE
/* Of N cells at a time, as far as they go; begins at k. */
#define SNL_TWICE(T, N, ...)                                                                       \
    typedef T Row __attribute__((vector_size(16)));                                                \
    typedef T Rows __attribute__((vector_size(32)));                                               \
    for (; k + N <= count; k += N) {                                                               \
        Row row;                                                                                   \
        memcpy(&row, (const char *)from + 16 / N * k, 16);                                         \
        const Rows rows = __builtin_shufflevector(row, row, __VA_ARGS__);                          \
        memcpy((char *)to + 32 / N * k, &rows, 32);                                                \
    }
#else
#define SNL_TWICE(T, N, ...)
#endif

#define SNL_ROW_TWICE(B, T, N, ...)                                                                \
    SNL_INLINE void snl_row_twice_##B(void *to, const void *from, int count)                       \
    {                                                                                              \
        int k = 0;                                                                                 \
        SNL_TWICE(T, N, __VA_ARGS__)                                                               \
        for (; k < count; k++) {                                                                   \
            memcpy((char *)to + 2 * B * k, (const char *)from + B * k, B);                         \
            memcpy((char *)to + 2 * B * k + B, (const char *)from + B * k, B);                     \
        }                                                                                          \
    }

/* Here vectors read both parts; a check for races must not see that. */
#if defined SNL_HAS_SHUFFLE && !defined __SANITIZE_THREAD__
#define SNL_PAIRS_IN_VECTORS
#endif

SNL_INLINE void snl_pairs_get(void *to, const void *cells, int count, int part)
{
    int k = 0;
#if defined SNL_PAIRS_IN_VECTORS && defined __AVX2__
    typedef uint32_t Half __attribute__((vector_size(32)));
    for (; k + 8 <= count; k += 8) {
#ifdef __AVX512F__
        typedef uint32_t All __attribute__((vector_size(64)));
        All first, second;
        memcpy(&first, (const char *)cells + 8 * k, 64);
        second = first;
#else
        Half first, second;
        memcpy(&first, (const char *)cells + 8 * k, 32);
        memcpy(&second, (const char *)cells + 8 * k + 32, 32);
#endif
        const Half half = part ? __builtin_shufflevector(first, second, 1, 3, 5, 7, 9, 11, 13, 15)
                               : __builtin_shufflevector(first, second, 0, 2, 4, 6, 8, 10, 12, 14);
        memcpy((char *)to + 4 * k, &half, 32);
    }
#endif
#ifdef SNL_PAIRS_IN_VECTORS
    typedef uint32_t Row __attribute__((vector_size(16)));
    for (; k + 4 <= count; k += 4) {
        Row first, second;
        memcpy(&first, (const char *)cells + 8 * k, 16);
        memcpy(&second, (const char *)cells + 8 * k + 16, 16);
        first = part ? __builtin_shufflevector(first, second, 1, 3, 5, 7)
                     : __builtin_shufflevector(first, second, 0, 2, 4, 6);
        memcpy((char *)to + 4 * k, &first, 16);
    }
#endif
    for (; k < count; k++)
        memcpy((char *)to + 4 * k, (const char *)cells + 8 * k + 4 * part, 4);
}

SNL_INLINE void snl_pairs_put(void *cells, const void *from, int count, int part)
{
    int k = 0;
#if defined SNL_PAIRS_IN_VECTORS && defined __AVX512F__ && !defined __clang__
    typedef float Row __attribute__((vector_size(32)));
    for (; k + 8 <= count; k += 8) {
        Row row;
        memcpy(&row, (const char *)from + 4 * k, 32);
        __builtin_ia32_storeups512_mask((float *)(void *)((char *)cells + 8 * k),
            __builtin_shufflevector(row, row, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7),
            (unsigned short)(part ? 0xaaaa : 0x5555));
    }
#endif
    for (; k < count; k++)
        memcpy((char *)cells + 8 * k + 4 * part, (const char *)from + 4 * k, 4);
}

#if defined SNL_PAIRS_IN_VECTORS && defined __AVX512F__ && !defined __clang__
typedef float SnlRow16 __attribute__((vector_size(64)));
typedef int32_t SnlIndex16 __attribute__((vector_size(64)));
#endif

/* What is woven at once: so much that no line is read soon after it was written. */
enum { SNL_WOVEN = 128 };

SNL_INLINE void snl_weave(void *cells, const void *from, int64_t count, int words, int place)
{
    int64_t k = 0;
#if defined SNL_PAIRS_IN_VECTORS && defined __AVX512F__ && !defined __clang__
    for (; k + 16 <= count; k += 16) {
        SnlRow16 row;
        memcpy(&row, (const char *)from + 4 * k, 64);
#pragma GCC unroll 3
        for (int part = 0; part < words; part++) {
            SnlIndex16 at;
            unsigned mask = 0;
#pragma GCC unroll 16
            for (int n = 0; n < 16; n++) {
                at[n] = (16 * part + n) / words;
                mask |= (16 * part + n) % words == place ? 1u << n : 0;
            }
            __builtin_ia32_storeups512_mask(
                (float *)(void *)((char *)cells + 4 * words * k + 64 * part),
                __builtin_shuffle(row, at), (unsigned short)mask);
        }
    }
#endif
    for (; k < count; k++)
        memcpy((char *)cells + 4 * (words * k + place), (const char *)from + 4 * k, 4);
}

SNL_INLINE void snl_weave_whole(void *cells, const void *from, int64_t count, int words, int place)
{
    int64_t k = 0;
#if defined SNL_PAIRS_IN_VECTORS && defined __AVX512F__ && !defined __clang__
    for (; k + 16 <= count; k += 16) {
        SnlRow16 row, whole;
        memcpy(&row, (const char *)from + 4 * k, 64);
#pragma GCC unroll 3
        for (int part = 0; part < words; part++) {
            char *to = (char *)cells + 4 * words * k + 64 * part;
            SnlIndex16 at;
#pragma GCC unroll 16
            for (int n = 0; n < 16; n++)
                at[n] = (16 * part + n) % words == place ? (16 * part + n) / words : 16 + n;
            memcpy(&whole, to, 64);
            whole = __builtin_shuffle(row, whole, at);
            memcpy(to, &whole, 64);
        }
    }
#endif
    for (; k < count; k++)
        memcpy((char *)cells + 4 * (words * k + place), (const char *)from + 4 * k, 4);
}

SNL_ROWS(4, uint32_t)
SNL_ROWS(8, uint64_t)
SNL_ROW_TWICE(4, uint32_t, 4, 0, 0, 1, 1, 2, 2, 3, 3)
SNL_ROW_TWICE(8, uint64_t, 2, 0, 0, 1, 1)

#ifdef __cplusplus
}
#endif

#endif
