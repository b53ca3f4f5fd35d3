/* platform.h - what differs between compilers: function qualifier, restrict, branch hints, atomics.
 *
 * Nothing else in the library tests for a compiler, except for what a single file needs.  Atomics
 * are macros over the builtins of gcc and clang; they work on plain variables, so that the same
 * structures can be read without them where only one thread runs.
 */
#ifndef SNL_CORE_PLATFORM_H
#define SNL_CORE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Functions that run on both sides: the CPU, and the GPU where there is one (SNL_GPU: this is a
 * program for it; without nvcc, sim_lanes.h stands in). SNL_SPLIT(on the GPU, on the CPU) tells the
 * sides apart. */
#ifdef __CUDACC__
#define SNL_BOTH __host__ __device__
#define SNL_ON_GPU __device__
#else
#define SNL_BOTH
#define SNL_ON_GPU
#endif
#define SNL_FN SNL_BOTH static inline
/* A function of the core of the runtime, see core.h. */
#ifdef SNL_GPU
#define SNL_CORE SNL_BOTH static __attribute__((unused))
#else
#define SNL_CORE
#endif
#define SNL_METHOD SNL_BOTH inline
/* A larger function, of the core or not, that a program for a GPU shall have once: compilers for
 * GPUs make them part of each caller. */
#ifdef SNL_GPU
#define SNL_CORE_ONCE SNL_BOTH static __attribute__((noinline, unused))
#define SNL_ONCE SNL_CORE_ONCE
#else
#define SNL_CORE_ONCE
#define SNL_ONCE SNL_FN
#endif
/* Before each atomic operation on a place: in the stand-in others may run there, in the build for
 * tests of threads (make threads) the thread may wait there. STALL is where a thread waits for
 * another. */
#define SNL_STEP(place) (void)0
#define SNL_STALL (void)0
#define SNL_GPU_STACK_IS_LOW(rt, bytes) false
/* True for a variable of the calling lane, on which a GPU has no atomic operations. */
#define SNL_IS_LOCAL(place) false
#if defined(__CUDA_ARCH__)
#define SNL_SPLIT(on_gpu, on_cpu) on_gpu
#undef SNL_IS_LOCAL
#define SNL_IS_LOCAL(place) __isLocal(place)
#undef SNL_GPU_STACK_IS_LOW
#define SNL_GPU_STACK_IS_LOW(rt, bytes) (snl_gpu_stack_here() < (rt)->notes->stack_low + (bytes))
#elif defined(SNL_GPU) && !defined(__CUDACC__)
#include "../gpu/sim_lanes.h"
#define SNL_SPLIT(on_gpu, on_cpu) (snl_sim_place() ? (on_gpu) : (on_cpu))
#undef SNL_STEP
#undef SNL_GPU_STACK_IS_LOW
#undef SNL_IS_LOCAL
#define SNL_GPU_STACK_IS_LOW(rt, bytes) snl_sim_stack_is_low(bytes)
#define SNL_IS_LOCAL(place) snl_sim_is_local(place)
#define SNL_STEP(place) snl_sim_point(place)
#else
#define SNL_SPLIT(on_gpu, on_cpu) on_cpu
#endif
#ifdef SNL_TEST_THREADS
#undef SNL_STEP
#ifdef __cplusplus
extern "C"
#endif
void snl_test_step(void), snl_test_wait(void);
#define SNL_STEP(place) snl_test_step()
#undef SNL_STALL
#define SNL_STALL snl_test_wait()
#endif

#ifdef __cplusplus
#define SNL_RESTRICT __restrict__
#else
#define SNL_RESTRICT restrict
#endif

/* A pointer to the values given, which live as long as the statement, and one to coordinates, by
 * axis letter. Generated code is C and C++, which has no array literals. */
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

/* Before a loop whose iterations depend on nothing of each other: it may be vectorised. Where that
 * fails it is none the worse. */
#ifdef _OPENMP
#define SNL_SIMD _Pragma("omp simd")
#else
#define SNL_SIMD
#endif
/* The same before a loop with vectors and arrays of its own that are indexed by what is known at
 * run time only: clang has one place for those of all lanes (clang 14: wrong results). */
#ifdef __clang__
#define SNL_SIMD_INDEXED
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define SNL_SIMD_INDEXED SNL_SIMD
#endif

/* From here on C compilers do not know what a variable holds. */
#if defined __GNUC__ && !defined __CUDACC__ && !defined __TINYC__
#define SNL_UNKNOWN(variable) __asm__("" : "+m"(variable))
#else
#define SNL_UNKNOWN(variable) ((void)(variable))
#endif

/* A product that is rounded before something is subtracted from it. Where differences and sums of
 * the same take turns, gcc from 12 on makes vector instructions of them that do not round products,
 * whatever -ffp-contract says (addsub_pattern in tree-vect-slp-patterns.cc). */
#if defined __has_builtin && defined __FMA__ && !defined __FAST_MATH__ && !defined __CUDACC__
#if __has_builtin(__builtin_assoc_barrier)
#define SNL_ROUNDED(...) __builtin_assoc_barrier((__VA_ARGS__)) /* it may hold commas */
#endif
#endif
#ifndef SNL_ROUNDED
#define SNL_ROUNDED(...) (__VA_ARGS__)
#endif

/* Lets the line of an address, which may be any, come into the caches: to be written (1) or read
 * (0); kept in all of them (3) or from the second on (2). */
#if defined __GNUC__ && !defined __CUDACC__
#define SNL_PREFETCH(at, written, kept) __builtin_prefetch(at, written, kept)
#else
#define SNL_PREFETCH(at, written, kept) ((void)(at))
#endif

/* Before a short loop of a known number of iterations: all of them are written out. */
#if defined __clang__ || defined __CUDACC__
#define SNL_UNROLL _Pragma("unroll")
#elif defined __GNUC__ && !defined __TINYC__
#define SNL_UNROLL _Pragma("GCC unroll 16")
#else
#define SNL_UNROLL
#endif

/* A function that calls itself and has large arrays: one in each frame. */
#define SNL_FRAME __attribute__((noinline))

/* A function that is seldom called: it shall not become part of its callers, whose registers it
 * would take. */
#ifdef SNL_GPU
#define SNL_SELDOM SNL_FN
#else
#define SNL_SELDOM static __attribute__((noinline, unused))
#endif

/* A function that becomes part of its caller, where some of its arguments are constants. */
#define SNL_INLINE SNL_BOTH static inline __attribute__((always_inline))

#define SNL_LIKELY(x) __builtin_expect(!!(x), 1)
#define SNL_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SNL_PRINTF(at, first) __attribute__((format(printf, at, first)))
#define SNL_COLD __attribute__((cold, noinline))

/* A function whose loops are vectorised with the widest vectors of the processor. */
#if defined __AVX512F__ && __GNUC__ >= 8 && !defined __clang__ && !defined __CUDACC__
#define SNL_WIDE __attribute__((target("prefer-vector-width=512")))
#else
#define SNL_WIDE
#endif

/* A function that is compiled as with -O1, because it is so large that gcc would take minutes for
 * more; -ftree-pta takes them there, too. The flags that keep its arithmetic stand here because gcc
 * dropped those of the command line before version 12. */
#if defined __GNUC__ && !defined __clang__ && !defined __CUDACC__
#define SNL_LARGE \
    __attribute__(( \
        optimize("O1", "-fno-tree-pta", "-fwrapv", "-ffp-contract=off", "-fno-math-errno", \
                 "-fno-trapping-math")))
#else
#define SNL_LARGE
#endif

/* Which part of a program is compiled, where C compilers work on several at once: 0 is all of it.
 * A part does not use all that it has. */
#ifndef SNL_PART
#define SNL_PART 0
#endif
#if SNL_PART
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#endif
#define SNL_IN_PART(part) (SNL_PART == 0 || SNL_PART == (part))
#define SNL_PARTED __attribute__((visibility("hidden")))

/* True if the bytes are the same. */
SNL_FN bool snl_same(const void *a, const void *b, size_t bytes)
{
#ifdef __CUDA_ARCH__
    const char *x = (const char *)a, *y = (const char *)b;
    for (size_t k = 0; k < bytes; k++)
        if (x[k] != y[k])
            return false;
    return true;
#else
    return memcmp(a, b, bytes) == 0;
#endif
}

/* The atomic builtins: SNL_ATOMIC(fetch_add, RELAXED, p, value), and the form with places for
 * values. */
#ifdef __CUDACC__
#include "../gpu/gpu_atomic.h"
#endif
#if defined(__CUDA_ARCH__)
#define SNL_ATOMIC(what, order, ...) snl_gpu_##what<__NV_ATOMIC_##order>(__VA_ARGS__)
#define SNL_ATOMIC_CAS(p, from, to, order, otherwise) \
    snl_gpu_cas_n<__NV_ATOMIC_##order, __NV_ATOMIC_##otherwise>(p, from, to)
#else
#define SNL_FIRST(first, ...) first
#define SNL_ATOMIC(what, order, ...) \
    (SNL_STEP(SNL_FIRST(__VA_ARGS__, 0)), __atomic_##what(__VA_ARGS__, __ATOMIC_##order))
#define SNL_ATOMIC_CAS(p, from, to, order, otherwise) \
    (SNL_STEP(p), __atomic_compare_exchange_n(p, from, to, 0, __ATOMIC_##order, \
                                                __ATOMIC_##otherwise))
#endif

/* The same on values of any type, which are handed over by address; TRY orders nothing but the
 * place where that is cheaper. */
#if defined(__CUDA_ARCH__)
#define SNL_ANY_LOAD(p, value) snl_gpu_load(p, value)
#define SNL_ANY_EXCHANGE(p, value, old) snl_gpu_exchange(p, value, old)
#define SNL_ANY_CAS(p, from, to) \
    snl_gpu_cas<__NV_ATOMIC_ACQ_REL, __NV_ATOMIC_ACQUIRE>(p, from, to)
#define SNL_ANY_TRY(p, from, to) \
    snl_gpu_cas<__NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED>(p, from, to)
#else
#define SNL_ANY_LOAD(p, value) SNL_ATOMIC(load, RELAXED, p, value)
#define SNL_ANY_EXCHANGE(p, value, old) SNL_ATOMIC(exchange, ACQ_REL, p, value, old)
#define SNL_ANY_CAS(p, from, to) \
    (SNL_STEP(p), \
     __atomic_compare_exchange(p, from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
#define SNL_ANY_TRY(p, from, to) SNL_ANY_CAS(p, from, to)
#endif

/* Atomics on a pointer to an integer or pointer; LOAD and STORE order what was written before. */
#define SNL_LOAD(p) SNL_ATOMIC(load_n, ACQUIRE, p)
#define SNL_LOAD_RELAXED(p) SNL_ATOMIC(load_n, RELAXED, p)
/* Loads of what some iterations of a loop may change while others make lists of their own, which
 * none does on a GPU. What was loaded relaxed can be followed behind the fence, of which the thread
 * sanitizer does not know. */
#define SNL_LOAD_MEANWHILE(p) SNL_SPLIT(*(p), SNL_LOAD(p))
#ifdef __SANITIZE_THREAD__
#define SNL_LOAD_RELAXED_MEANWHILE(p) SNL_LOAD_MEANWHILE(p)
#define SNL_FENCE ((void)0)
#else
#define SNL_LOAD_RELAXED_MEANWHILE(p) SNL_SPLIT(*(p), SNL_LOAD_RELAXED(p))
#define SNL_FENCE __atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif
#define SNL_STORE(p, value) SNL_ATOMIC(store_n, RELEASE, p, value)
#define SNL_STORE_RELAXED(p, value) SNL_ATOMIC(store_n, RELAXED, p, value)
#define SNL_ADD(p, value) SNL_ATOMIC(fetch_add, RELAXED, p, value)
#define SNL_ADD_RELEASE(p, value) SNL_ATOMIC(fetch_add, RELEASE, p, value)
#define SNL_SUB(p, value) SNL_ATOMIC(fetch_sub, RELAXED, p, value)
#define SNL_OR(p, value) SNL_ATOMIC(fetch_or, ACQ_REL, p, value)
#define SNL_AND(p, value) SNL_ATOMIC(fetch_and, ACQ_REL, p, value)
#define SNL_EXCHANGE(p, value) SNL_ATOMIC(exchange_n, ACQ_REL, p, value)
/* Stores `to` where *p is *from; else puts what it is into *from and gives false. */
#define SNL_CAS(p, from, to) SNL_ATOMIC_CAS(p, from, to, ACQ_REL, ACQUIRE)

/* Lets another thread run. */
#ifdef __cplusplus
extern "C"
#endif
void snl_yield(void);

/* A moment of a loop that waits, which then lets a thread go on that shares the core; on a GPU some
 * nanoseconds for the other lanes of the warp, one of which may have the lock. */
#if defined(__CUDA_ARCH__)
#define SNL_PAUSE() __nanosleep(32)
#elif (defined __x86_64__ || defined __i386__) && !defined __CUDACC__
#define SNL_PAUSE() __asm__ volatile("pause")
#else
#define SNL_PAUSE() ((void)0)
#endif

/* Waits for a moment. Who waits for longer than short sections take lets others run, for the one
 * that holds the lock may have lost its processor; *moments is 0 at first. */
SNL_FN void snl_wait(int *moments)
{
    enum { SHORT = 64 };
    SNL_PAUSE();
    SNL_STALL;
    if (++*moments > SHORT)
        SNL_SPLIT((void)0, snl_yield());
}

/* Takes a lock, an int that is 0 while free, if it is. */
SNL_FN bool snl_try_lock(int *lock) { return !SNL_ATOMIC(exchange_n, ACQUIRE, lock, 1); }

/* Takes a lock; meant for short sections. */
SNL_FN void snl_lock(int *lock)
{
    int moments = 0;
    while (!snl_try_lock(lock))
        while (SNL_ATOMIC(load_n, RELAXED, lock))
            snl_wait(&moments);
}

/* Gives a lock back. */
SNL_FN void snl_unlock(int *lock) { SNL_STORE(lock, 0); }

#ifdef SNL_GPU
#include "../gpu/gpu_memcpy.h"
#include "../gpu/gpu_warp.h"
#endif

/* memset to zero and memcpy, on either side. */
SNL_FN void snl_bytes_zero(void *to, size_t bytes)
{
    SNL_SPLIT(snl_gpu_bytes(to, NULL, bytes, 0, 1), (void)memset(to, 0, bytes));
}

SNL_FN void snl_bytes_copy(void *to, const void *from, size_t bytes)
{
    SNL_SPLIT(snl_gpu_bytes(to, from, bytes, 0, 1), (void)memcpy(to, from, bytes));
}

#endif
