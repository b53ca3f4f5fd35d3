/* gpu_atomic.h - atomics on values of any size, by nvcc; included by platform.h.
 *
 * GPUs have them for 32 and 64 bits: smaller values are changed together with the word they lie in.
 */
#ifndef SNL_GPU_GPU_ATOMIC_H
#define SNL_GPU_GPU_ATOMIC_H

#include <string.h>

#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1208
#error "programs for a GPU need nvcc of CUDA 12.8 or newer, which has __nv_atomic_load_n"
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "programs for a GPU need one of sm_70 or newer, whose lanes may wait for each other"
#endif

template <int bytes> struct SnlWord { typedef uint32_t type; };
template <> struct SnlWord<8> { typedef uint64_t type; };

/* The builtins as gcc has them: on pointers too, and on what cannot be changed. */
#define SNL_GPU_WORD(T) typename SnlWord<sizeof(T)>::type
/* a value is converted, not deduced */
template <typename T> struct SnlPlain { typedef T type; };

template <int order, typename T> __device__ inline T snl_gpu_load_n(const T *p)
{
    return (T)__nv_atomic_load_n((SNL_GPU_WORD(T) *)(uintptr_t)p, order, __NV_THREAD_SCOPE_DEVICE);
}

template <int order, typename T>
__device__ inline void snl_gpu_store_n(T *p, typename SnlPlain<T>::type value)
{
    __nv_atomic_store_n((SNL_GPU_WORD(T) *)p, (SNL_GPU_WORD(T))value, order,
                        __NV_THREAD_SCOPE_DEVICE);
}

template <int order, typename T>
__device__ inline T snl_gpu_exchange_n(T *p, typename SnlPlain<T>::type value)
{
    return (T)__nv_atomic_exchange_n((SNL_GPU_WORD(T) *)p, (SNL_GPU_WORD(T))value, order,
                                     __NV_THREAD_SCOPE_DEVICE);
}

template <int order, int otherwise, typename T>
__device__ inline bool snl_gpu_cas_n(T *p, T *from, typename SnlPlain<T>::type to)
{
    return __nv_atomic_compare_exchange_n((SNL_GPU_WORD(T) *)p, (SNL_GPU_WORD(T) *)from,
                                          (SNL_GPU_WORD(T))to, false, order, otherwise,
                                          __NV_THREAD_SCOPE_DEVICE);
}

/* Integers of 32 and 64 bits, by the types that the older functions know, which order nothing: of
 * these compilers find out that memory is that of the device, and whether the result is used. */
template <int bytes, bool has_sign = false> struct SnlInteger { typedef unsigned type; };
template <> struct SnlInteger<4, true> { typedef int type; };
template <> struct SnlInteger<8, false> { typedef unsigned long long type; };
template <> struct SnlInteger<8, true> { typedef long long type; };

#define SNL_GPU_FETCH(op, older, given) \
    template <int order, typename T> \
    __device__ inline T snl_gpu_fetch_##op(T *p, typename SnlPlain<T>::type value) \
    { \
        typedef typename SnlInteger<sizeof(T)>::type Integer; \
        if constexpr (order == __NV_ATOMIC_RELAXED) \
            return (T)older((Integer *)p, (Integer)(given)); \
        return (T)__nv_atomic_fetch_##op((SNL_GPU_WORD(T) *)p, (SNL_GPU_WORD(T))value, order, \
                                         __NV_THREAD_SCOPE_DEVICE); \
    }
SNL_GPU_FETCH(add, atomicAdd, value)
SNL_GPU_FETCH(sub, atomicAdd, 0 - (Integer)value)
SNL_GPU_FETCH(and, atomicAnd, value)
SNL_GPU_FETCH(or, atomicOr, value)
SNL_GPU_FETCH(xor, atomicXor, value)

#define SNL_GPU_LIMIT(op, older) \
    template <typename T> __device__ inline T snl_gpu_fetch_##op(T *p, T value) \
    { \
        typedef typename SnlInteger<sizeof(T), (T)-1 < (T)0>::type Integer; \
        return (T)older((Integer *)p, (Integer)value); \
    }
SNL_GPU_LIMIT(min, atomicMin)
SNL_GPU_LIMIT(max, atomicMax)

/* A value of 1, 2, 4 or 8 bytes as an integer without sign, and back. */
template <int bytes> struct SnlBits { typedef uint32_t type; };
template <> struct SnlBits<1> { typedef uint8_t type; };
template <> struct SnlBits<2> { typedef uint16_t type; };
template <> struct SnlBits<8> { typedef uint64_t type; };
#define SNL_GPU_BITS(T) typename SnlBits<sizeof(T)>::type

template <typename T> __device__ inline SNL_GPU_BITS(T) snl_gpu_bits(const T *value)
{
    SNL_GPU_BITS(T) bits;
    memcpy(&bits, value, sizeof bits);
    return bits;
}

template <typename T> __device__ inline void snl_gpu_from_bits(T *value, SNL_GPU_BITS(T) bits)
{
    memcpy(value, &bits, sizeof bits);
}

/* The word that a value lies in, and the number of its lowest bit there: 0 of one that fills it. */
template <typename T>
__device__ inline SNL_GPU_WORD(T) *snl_gpu_word(const T *p, int *shift)
{
    typedef SNL_GPU_WORD(T) Word;
    const uintptr_t inside = sizeof(T) == sizeof(Word) ? 0 : (uintptr_t)p % sizeof(Word);
    *shift = (int)(8 * inside);
    return (Word *)((uintptr_t)p - inside);
}

/* Stores the bits of *to in *p where it holds those of *from; else puts what it is into *from. */
template <int order, int otherwise, typename T>
__device__ inline bool snl_gpu_cas(T *p, T *from, const T *to)
{
    typedef SNL_GPU_WORD(T) Word;
    typedef SNL_GPU_BITS(T) Bits;
    int shift;
    Word *const word = snl_gpu_word(p, &shift);
    const Bits wanted = snl_gpu_bits(from);
    const Word mask = (Word)(Bits)-1 << shift, given = (Word)snl_gpu_bits(to) << shift;
    Word old = wanted;
    if (sizeof(T) < sizeof(Word))
        old = __nv_atomic_load_n(word, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    for (;;) {
        if ((Bits)(old >> shift) != wanted)
            break;
        const Word next = (old & ~mask) | given;
        if constexpr (order == __NV_ATOMIC_RELAXED) {
            typedef typename SnlInteger<sizeof(Word)>::type Integer;
            const Word had = (Word)atomicCAS((Integer *)word, (Integer)old, (Integer)next);
            if (had == old)
                return true;
            old = had;
        } else if (__nv_atomic_compare_exchange_n(word, &old, next, false, order, otherwise,
                                                  __NV_THREAD_SCOPE_DEVICE))
            return true;
    }
    snl_gpu_from_bits(from, (Bits)(old >> shift));
    return false;
}

/* Puts *p into *value. */
template <typename T>
__device__ inline void snl_gpu_load(const T *p, T *value)
{
    int shift;
    const SNL_GPU_WORD(T) word = __nv_atomic_load_n(snl_gpu_word(p, &shift), __NV_ATOMIC_RELAXED,
                                                    __NV_THREAD_SCOPE_DEVICE);
    snl_gpu_from_bits(value, (SNL_GPU_BITS(T))(word >> shift));
}

/* Stores *value in *p and puts what it held into *old. */
template <typename T>
__device__ inline void snl_gpu_exchange(T *p, const T *value, T *old)
{
    if (sizeof(T) == sizeof(SNL_GPU_WORD(T))) {
        snl_gpu_from_bits(old, (SNL_GPU_BITS(T))snl_gpu_exchange_n<__NV_ATOMIC_ACQ_REL>(
                                   (SNL_GPU_WORD(T) *)p, snl_gpu_bits(value)));
        return;
    }
    snl_gpu_load(p, old);
    while (!snl_gpu_cas<__NV_ATOMIC_ACQ_REL, __NV_ATOMIC_ACQUIRE>(p, old, value))
        ;
}

#endif
