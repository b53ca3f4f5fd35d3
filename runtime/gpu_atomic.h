/* gpu_atomic.h - atomics on values of any size, by nvcc; included by platform.h.
 *
 * GPUs have them for 32 and 64 bits: smaller values are changed together with the word they lie in.
 */
#ifndef SNL_GPU_ATOMIC_H
#define SNL_GPU_ATOMIC_H

#include <string.h>

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

#define SNL_GPU_FETCH(op) \
    template <int order, typename T> \
    __device__ inline T snl_gpu_fetch_##op(T *p, typename SnlPlain<T>::type value) \
    { \
        return (T)__nv_atomic_fetch_##op((SNL_GPU_WORD(T) *)p, (SNL_GPU_WORD(T))value, order, \
                                         __NV_THREAD_SCOPE_DEVICE); \
    }
SNL_GPU_FETCH(add)
SNL_GPU_FETCH(sub)
SNL_GPU_FETCH(and)
SNL_GPU_FETCH(or)
SNL_GPU_FETCH(xor)

/* Stores the bits of *to in *p where it holds those of *from; else puts what it is into *from. */
template <typename T>
__device__ inline bool snl_gpu_cas(T *p, T *from, const T *to)
{
    typedef typename SnlWord<sizeof(T)>::type Word;
    uintptr_t inside = (uintptr_t)p % sizeof(Word);
    Word *word = (Word *)((uintptr_t)p - inside), old, next;
    old = __nv_atomic_load_n(word, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    do {
        if (!snl_same((char *)&old + inside, from, sizeof(T))) {
            memcpy(from, (char *)&old + inside, sizeof(T));
            return false;
        }
        next = old;
        memcpy((char *)&next + inside, to, sizeof(T));
    } while (!__nv_atomic_compare_exchange_n(word, &old, next, false, __NV_ATOMIC_ACQ_REL,
                                             __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE));
    return true;
}

/* Puts *p into *value. */
template <typename T>
__device__ inline void snl_gpu_load(const T *p, T *value)
{
    typedef typename SnlWord<sizeof(T)>::type Word;
    uintptr_t inside = (uintptr_t)p % sizeof(Word);
    Word word = __nv_atomic_load_n((Word *)((uintptr_t)p - inside), __NV_ATOMIC_ACQUIRE,
                                   __NV_THREAD_SCOPE_DEVICE);
    memcpy(value, (char *)&word + inside, sizeof(T));
}

/* Stores *value in *p and puts what it held into *old. */
template <typename T>
__device__ inline void snl_gpu_exchange(T *p, const T *value, T *old)
{
    snl_gpu_load(p, old);
    while (!snl_gpu_cas(p, old, value))
        ;
}

#endif
