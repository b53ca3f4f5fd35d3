/* mask_vector.h - loops that compute all cells of a word of a mask (pass mask_words).
 *
 * snl_word_put_B(cells, from, parts, part, count, word): part number `part` of the `parts` numbers
 * of B bytes in each of `count` cells, at most 64, gets its element of `from` where the bit of the
 * word is set. Cells lie side by side; all but `from` and the word are known where it is called.
 * `from` has 64 elements. No other thread may write these cells meanwhile, active or not: where no
 * store takes a mask, what is not active is written as it was.
 *
 * An array is `mixed` if others lie between its elements. Only processors with AVX-512 store to
 * such by a mask; with vectors of 16 bytes nothing is gained at all.
 */
#ifndef SNL_LOOP_MASK_VECTOR_H
#define SNL_LOOP_MASK_VECTOR_H

#include "row_shift.h"
#include "stream_store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the vectors that are stored; 0: none. */
#if !defined SNL_HAS_SHUFFLE || !defined __AVX2__
#define SNL_WORD_VECTOR 0
#elif defined __AVX512F__ && !defined __clang__
#define SNL_WORD_VECTOR 64
#else
#define SNL_WORD_VECTOR 32
#endif

/* Number of active cells of a word. */
SNL_FN int snl_word_count(uint64_t word)
{
    return __builtin_popcountll(word);
}

/* A word whose `cells` are all active has a plain loop, but where C compilers make no vectors of
 * stores that a mask makes. */
SNL_FN bool snl_word_is_full(uint64_t word, int cells, bool mixed)
{
    return word == UINT64_MAX >> (64 - cells) && !(mixed && SNL_WORD_VECTOR == 64);
}

/* Are so many active that all cells take less time as vectors than these one by one? The widest
 * numbers have so many bytes. */
SNL_FN bool snl_word_is_dense(uint64_t word, int bytes, bool mixed)
{
    return SNL_WORD_VECTOR > (mixed ? 32 : 0) && snl_word_count(word) > 3 * bytes;
}

/* Lets the cells of a word further on come into the caches, where most lines of this one have
 * active cells: at least four. */
SNL_FN void snl_word_fetch_ahead(uint64_t word, const void *cells, uint64_t bytes)
{
    for (int k = 0; k < 3; k++)
        word &= word - 1;
    if (word)
        snl_fetch_further(cells, bytes, SNL_AHEAD_IN_MASKS);
}

/* One bit after the other. */
SNL_INLINE void snl_word_put_bits(void *cells, const void *from, int bytes, int parts, int part,
                                  uint64_t word)
{
    for (; word; word &= word - 1) {
        const int k = __builtin_ctzll(word);
        memcpy((char *)cells + bytes * (parts * k + part), (const char *)from + bytes * k,
               (size_t)bytes);
    }
}

#if SNL_WORD_VECTOR == 64
typedef int32_t SnlWordLanes4 __attribute__((vector_size(64)));
typedef long long SnlWordLanes8 __attribute__((vector_size(64)));

/* Stores those lanes of a vector whose bit is set. */
SNL_INLINE void
snl_lanes_put_4(char *to, SnlWordLanes4 row, SnlWordLanes4 lane_bit, SnlWordLanes4 bits)
{
    typedef float Row __attribute__((vector_size(64)));
    const int mask = __builtin_ia32_ptestmd512(lane_bit, bits, (unsigned short)-1);
    __builtin_ia32_storeups512_mask((float *)(void *)to, (Row)row, (unsigned short)mask);
}

SNL_INLINE void
snl_lanes_put_8(char *to, SnlWordLanes8 row, SnlWordLanes8 lane_bit, SnlWordLanes8 bits)
{
    typedef double Row __attribute__((vector_size(64)));
    const int mask = __builtin_ia32_ptestmq512(lane_bit, bits, (unsigned char)-1);
    __builtin_ia32_storeupd512_mask((double *)(void *)to, (Row)row, (unsigned char)mask);
}
#define SNL_SPREAD(row, at) __builtin_shuffle(row, at)
enum { SNL_PARTS_MOST = 4 };
#elif SNL_WORD_VECTOR
typedef int32_t SnlWordLanes4 __attribute__((vector_size(32)));
typedef int64_t SnlWordLanes8 __attribute__((vector_size(32)));

#define SNL_LANES_PUT(B)                                                                           \
    SNL_INLINE void snl_lanes_put_##B(char *to, SnlWordLanes##B row, SnlWordLanes##B lane_bit,     \
                                      SnlWordLanes##B bits)                                        \
    {                                                                                              \
        const SnlWordLanes##B takes = (lane_bit & bits) != 0;                                      \
        SnlWordLanes##B old;                                                                       \
        memcpy(&old, to, sizeof old);                                                              \
        old = (row & takes) | (old & ~takes);                                                      \
        memcpy(to, &old, sizeof old);                                                              \
    }
SNL_LANES_PUT(4)
SNL_LANES_PUT(8)
#define SNL_SPREAD(row, at) ((void)(at), (row))
enum { SNL_PARTS_MOST = 1 };
#endif

#if SNL_WORD_VECTOR
#define SNL_WORD_PUT(B)                                                                            \
    SNL_INLINE void snl_word_put_##B(void *cells, const void *from, int parts, int part,           \
                                     int count, uint64_t word)                                     \
    {                                                                                              \
        enum { LANES = sizeof(SnlWordLanes##B) / B };                                              \
        if (parts > SNL_PARTS_MOST || count % LANES) {                                             \
            snl_word_put_bits(cells, from, B, parts, part, word);                                  \
            return;                                                                                \
        }                                                                                          \
        for (int k = 0; k < count; k += LANES) {                                                   \
            const int32_t here = (int32_t)(word >> k & 0xffff);                                    \
            SnlWordLanes##B row, bits = (SnlWordLanes##B){0} + here;                               \
            memcpy(&row, (const char *)from + B * k, sizeof row);                                  \
            _Pragma("GCC unroll 4") for (int v = 0; v < parts; v++)                                \
            {                                                                                      \
                SnlWordLanes##B at, lane_bit;                                                      \
                _Pragma("GCC unroll 16") for (int n = 0; n < LANES; n++)                           \
                {                                                                                  \
                    at[n] = (LANES * v + n) / parts;                                               \
                    lane_bit[n] = (LANES * v + n) % parts == part ? 1 << at[n] : 0;                \
                }                                                                                  \
                snl_lanes_put_##B((char *)cells + B * (parts * k + LANES * v),                     \
                                  parts > 1 ? SNL_SPREAD(row, at) : row, lane_bit, bits);          \
            }                                                                                      \
        }                                                                                          \
    }
#endif

#define SNL_WORD_PUT_BITS(B)                                                                      \
    SNL_INLINE void snl_word_put_##B(void *cells, const void *from, int parts, int part,           \
                                     int count, uint64_t word)                                     \
    {                                                                                              \
        (void)count;                                                                               \
        snl_word_put_bits(cells, from, B, parts, part, word);                                      \
    }

#if SNL_WORD_VECTOR == 64 && defined __AVX512BW__
/* The word is the mask of the store. */
SNL_INLINE void
snl_word_put_1(void *cells, const void *from, int parts, int part, int count, uint64_t word)
{
    typedef char Row __attribute__((vector_size(64)));
    Row row;
    if (parts > 1 || count < 64) {
        snl_word_put_bits(cells, from, 1, parts, part, word);
        return;
    }
    memcpy(&row, from, sizeof row);
    __builtin_ia32_storedquqi512_mask((char *)cells, row, word);
}

SNL_INLINE void
snl_word_put_2(void *cells, const void *from, int parts, int part, int count, uint64_t word)
{
    typedef short Row __attribute__((vector_size(64)));
    Row rows[2];
    if (parts > 1 || count < 64) {
        snl_word_put_bits(cells, from, 2, parts, part, word);
        return;
    }
    memcpy(rows, from, sizeof rows);
    __builtin_ia32_storedquhi512_mask((short *)cells, rows[0], (uint32_t)word);
    __builtin_ia32_storedquhi512_mask((short *)cells + 32, rows[1], (uint32_t)(word >> 32));
}
#else
SNL_WORD_PUT_BITS(1)
SNL_WORD_PUT_BITS(2)
#endif
#if SNL_WORD_VECTOR
SNL_WORD_PUT(4)
SNL_WORD_PUT(8)
#else
SNL_WORD_PUT_BITS(4)
SNL_WORD_PUT_BITS(8)
#endif

#ifdef __cplusplus
}
#endif

#endif
