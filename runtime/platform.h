/* platform.h - what differs between compilers: function qualifier, restrict, branch hints, atomics.
 *
 * Nothing else in the library tests for a compiler, except for what a single file needs.  Atomics
 * are macros over the builtins of gcc and clang; they work on plain variables, so that the same
 * structures can be read without them where only one thread runs.
 */
#ifndef SNL_PLATFORM_H
#define SNL_PLATFORM_H

#include <stdint.h>

#ifndef SNL_FN
#ifdef __CUDACC__
#define SNL_FN __host__ __device__ static inline
#else
#define SNL_FN static inline
#endif
#endif

#ifdef __CUDACC__
#define SNL_METHOD __host__ __device__ inline
#else
#define SNL_METHOD inline
#endif

#ifdef __cplusplus
#define SNL_RESTRICT __restrict__
#else
#define SNL_RESTRICT restrict
#endif

/* A pointer to the values given, which live as long as the statement, and one to coordinates, by axis
 * letter.  Generated code is C and C++, which has no array literals. */
#ifdef __cplusplus
template <typename T, int N>
struct SnlArray {
    T values[N];
    SNL_METHOD operator const T *() const { return values; }
};
template <typename T, typename... V>
SNL_METHOD SnlArray<T, (int)sizeof...(V)> snl_array(V... values)
{
    return {{(T)values...}};
}
#define SNL_ARRAY(type, ...) (snl_array<type>(__VA_ARGS__))
#define SNL_COORDS(...) (SnlArray<int64_t, 8>{{__VA_ARGS__}})
#else
#define SNL_ARRAY(type, ...) ((type const[]){__VA_ARGS__})
#define SNL_COORDS(...) ((const int64_t[8]){__VA_ARGS__})
#endif

/* Refuses to compile when the C compiler lays a struct out otherwise than the layout says. */
#ifdef __cplusplus
#define SNL_ASSERT_SIZE(type, bytes) static_assert(sizeof(type) == bytes, #type " as laid out")
#else
#define SNL_ASSERT_SIZE(type, bytes) _Static_assert(sizeof(type) == bytes, #type " as laid out")
#endif

/* Before a loop whose iterations depend on nothing of each other: it may be vectorised.  Where that fails it is none the worse. */
#ifdef _OPENMP
#define SNL_SIMD _Pragma("omp simd")
#else
#define SNL_SIMD
#endif
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/* A function that becomes part of its caller, where some of its arguments are constants. */
#define SNL_INLINE static inline __attribute__((always_inline))

#define SNL_LIKELY(x) __builtin_expect(!!(x), 1)
#define SNL_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SNL_PRINTF(at, first) __attribute__((format(printf, at, first)))
#define SNL_COLD __attribute__((cold, noinline))

/* Atomics on a pointer to an integer or pointer; LOAD and STORE order what was written before. */
#define SNL_LOAD(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define SNL_LOAD_RELAXED(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define SNL_STORE(p, value) __atomic_store_n(p, value, __ATOMIC_RELEASE)
#define SNL_STORE_RELAXED(p, value) __atomic_store_n(p, value, __ATOMIC_RELAXED)
#define SNL_ADD(p, value) __atomic_fetch_add(p, value, __ATOMIC_RELAXED)
#define SNL_SUB(p, value) __atomic_fetch_sub(p, value, __ATOMIC_RELAXED)
#define SNL_OR(p, value) __atomic_fetch_or(p, value, __ATOMIC_ACQ_REL)
#define SNL_AND(p, value) __atomic_fetch_and(p, value, __ATOMIC_ACQ_REL)
#define SNL_EXCHANGE(p, value) __atomic_exchange_n(p, value, __ATOMIC_ACQ_REL)
/* Stores `to` where *p is *from; else puts what it is into *from and gives false. */
#define SNL_CAS(p, from, to) \
    __atomic_compare_exchange_n(p, from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)

/* Takes a lock, an int that is 0 while free; meant for short sections. */
SNL_FN void snl_lock(int *lock)
{
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(lock, __ATOMIC_RELAXED))
            ;
}

/* Gives a lock back. */
SNL_FN void snl_unlock(int *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

#endif
