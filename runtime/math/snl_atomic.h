/* snl_atomic.h - atomic operations on single elements: snl_atomic_<op>_<type>(place, value).
 *
 *   all numbers   add sub min max exchange cas
 *   integers      and or xor
 *   bool          and or xor exchange cas
 *
 * Every function gives what the place held before.  snl_atomic_cas_<type>(place, expected, value)
 * stores the value only where the place holds the expected bits.  They own no memory.  Integers
 * wrap; floats are rounded as by the plain operator.  min and max write nothing where the place
 * already holds the result.  Additions and the like order nothing but the place itself; exchange
 * and cas also order what was written before them.
 */
#ifndef SNL_MATH_SNL_ATOMIC_H
#define SNL_MATH_SNL_ATOMIC_H

#include "snl_math.h"

#define SNL_ATOMIC_SWAP(S, T) \
    SNL_FN T snl_atomic_exchange_##S(T *place, T value) \
    { \
        T old; \
        SNL_ANY_EXCHANGE(place, &value, &old); \
        return old; \
    } \
    SNL_FN T snl_atomic_cas_##S(T *place, T expected, T value) \
    { \
        (void)SNL_ANY_CAS(place, &expected, &value); \
        return expected; \
    }

/* old := the place's value; tries until nobody wrote in between. */
#define SNL_ATOMIC_TRY(T, op_value) \
    T old, next; \
    SNL_ANY_LOAD(place, &old); \
    do { \
        next = op_value; \
    } while (!SNL_ANY_TRY(place, &old, &next)); \
    return old;

/* The same by one instruction where there is one for the size. */
#if defined(__CUDA_ARCH__)
#define SNL_ATOMIC_FETCH(op, T, op_value) \
    if (sizeof(T) >= 4) \
        return (T)snl_gpu_fetch_##op<__NV_ATOMIC_RELAXED>((SNL_GPU_WORD(T) *)place, \
                                                          (SNL_GPU_WORD(T))value); \
    SNL_ATOMIC_TRY(T, op_value)
#define SNL_ATOMIC_SIGN_add(value) (value)
#define SNL_ATOMIC_SIGN_sub(value) (-(value))
#define SNL_ATOMIC_FETCH_FLOAT(op, T, op_value) \
    return atomicAdd(place, SNL_ATOMIC_SIGN_##op(value));
#else
#define SNL_ATOMIC_FETCH(op, T, op_value) return SNL_ATOMIC(fetch_##op, RELAXED, place, value);
#define SNL_ATOMIC_FETCH_FLOAT(op, T, op_value) SNL_ATOMIC_TRY(T, op_value)
#endif

/* The same, but ready as soon as the place holds the result, bit for bit. */
#if defined(__CUDA_ARCH__)
#define SNL_ATOMIC_BY_LIMIT(op, T) \
    if constexpr (sizeof(T) >= 4 && (T)0.5 == 0) \
        return snl_gpu_fetch_##op(place, value);
#else
#define SNL_ATOMIC_BY_LIMIT(op, T)
#endif
#define SNL_ATOMIC_LIMIT(S, T, op) \
    SNL_FN T snl_atomic_##op##_##S(T *place, T value) \
    { \
        T old, next; \
        SNL_ATOMIC_BY_LIMIT(op, T) \
        SNL_ANY_LOAD(place, &old); \
        for (;;) { \
            next = snl_##op##_##S(old, value); \
            if (snl_same(&next, &old, sizeof old) \
                || SNL_ANY_TRY(place, &old, &next)) \
                return old; \
        } \
    }

#define SNL_ATOMIC_INTEGER(S, T, U, W, BITS) \
    SNL_FN T snl_atomic_add_##S(T *place, T value) \
    { \
        SNL_ATOMIC_FETCH(add, T, snl_add_##S(old, value)) \
    } \
    SNL_FN T snl_atomic_sub_##S(T *place, T value) \
    { \
        SNL_ATOMIC_FETCH(sub, T, snl_sub_##S(old, value)) \
    } \
    SNL_FN T snl_atomic_and_##S(T *place, T value) \
    { \
        SNL_ATOMIC_FETCH(and, T, (T)(old & value)) \
    } \
    SNL_FN T snl_atomic_or_##S(T *place, T value) \
    { \
        SNL_ATOMIC_FETCH(or, T, (T)(old | value)) \
    } \
    SNL_FN T snl_atomic_xor_##S(T *place, T value) \
    { \
        SNL_ATOMIC_FETCH(xor, T, (T)(old ^ value)) \
    } \
    SNL_ATOMIC_LIMIT(S, T, min) \
    SNL_ATOMIC_LIMIT(S, T, max) \
    SNL_ATOMIC_SWAP(S, T)
SNL_SIGNED_INTEGERS(SNL_ATOMIC_INTEGER)
SNL_UNSIGNED_INTEGERS(SNL_ATOMIC_INTEGER)

#define SNL_ATOMIC_FLOAT(S, T, FETCH) \
    SNL_FN T snl_atomic_add_##S(T *place, T value) \
    { \
        FETCH(add, T, snl_add_##S(old, value)) \
    } \
    SNL_FN T snl_atomic_sub_##S(T *place, T value) \
    { \
        FETCH(sub, T, snl_sub_##S(old, value)) \
    } \
    SNL_ATOMIC_LIMIT(S, T, min) \
    SNL_ATOMIC_LIMIT(S, T, max) \
    SNL_ATOMIC_SWAP(S, T)
#define SNL_ATOMIC_FETCH_F16(op, T, op_value) SNL_ATOMIC_TRY(T, op_value)
SNL_ATOMIC_FLOAT(f16, snl_f16, SNL_ATOMIC_FETCH_F16)
SNL_ATOMIC_FLOAT(f32, float, SNL_ATOMIC_FETCH_FLOAT)
SNL_ATOMIC_FLOAT(f64, double, SNL_ATOMIC_FETCH_FLOAT)

SNL_FN bool snl_atomic_and_bool(bool *place, bool value)
{
    SNL_ATOMIC_TRY(bool, old && value)
}

SNL_FN bool snl_atomic_or_bool(bool *place, bool value)
{
    SNL_ATOMIC_TRY(bool, old || value)
}

SNL_FN bool snl_atomic_xor_bool(bool *place, bool value)
{
    SNL_ATOMIC_TRY(bool, old != value)
}

SNL_ATOMIC_SWAP(bool, bool)

/* nvcc warns of atomic operations on variables of a lane, also where they are never run: it does
 * not see that the place is one. */
#if defined(__CUDA_ARCH__)
#define SNL_HIDE(place) asm("" : "+l"(place))
#else
#define SNL_HIDE(place) (void)0
#endif

/* The same operations for code that may be alone on the data: snl_update_<op>_<type>(alone, …). */
#define SNL_UPDATE(op, S, T, result) \
    SNL_INLINE T snl_update_##op##_##S(bool alone, T *place, T value) \
    { \
        T old; \
        if (!alone) { \
            SNL_HIDE(place); \
            return snl_atomic_##op##_##S(place, value); \
        } \
        old = *place; \
        *place = result; \
        return old; \
    }
#define SNL_UPDATE_CAS(S, T) \
    SNL_FN T snl_update_cas_##S(bool alone, T *place, T expected, T value) \
    { \
        T old; \
        if (!alone) { \
            SNL_HIDE(place); \
            return snl_atomic_cas_##S(place, expected, value); \
        } \
        old = *place; \
        if (snl_same(&old, &expected, sizeof old)) \
            *place = value; \
        return old; \
    }
#define SNL_UPDATE_NUMBER(S, T) \
    SNL_UPDATE(add, S, T, snl_add_##S(old, value)) \
    SNL_UPDATE(sub, S, T, snl_sub_##S(old, value)) \
    SNL_UPDATE(min, S, T, snl_min_##S(old, value)) \
    SNL_UPDATE(max, S, T, snl_max_##S(old, value)) \
    SNL_UPDATE(exchange, S, T, value) \
    SNL_UPDATE_CAS(S, T)
#define SNL_UPDATE_INTEGER(S, T, U, W, BITS) \
    SNL_UPDATE_NUMBER(S, T) \
    SNL_UPDATE(and, S, T, (T)(old & value)) \
    SNL_UPDATE(or, S, T, (T)(old | value)) \
    SNL_UPDATE(xor, S, T, (T)(old ^ value))
SNL_SIGNED_INTEGERS(SNL_UPDATE_INTEGER)
SNL_UNSIGNED_INTEGERS(SNL_UPDATE_INTEGER)
SNL_UPDATE_NUMBER(f16, snl_f16)
SNL_UPDATE_NUMBER(f32, float)
SNL_UPDATE_NUMBER(f64, double)
SNL_UPDATE(and, bool, bool, old && value)
SNL_UPDATE(or, bool, bool, old || value)
SNL_UPDATE(xor, bool, bool, old != value)
SNL_UPDATE(exchange, bool, bool, value)   /* not from within a macro: bool is one, too */
SNL_UPDATE_CAS(bool, bool)

#undef SNL_UPDATE
#undef SNL_UPDATE_CAS
#undef SNL_UPDATE_NUMBER
#undef SNL_UPDATE_INTEGER
#undef SNL_ATOMIC_SWAP
#undef SNL_ATOMIC_TRY
#undef SNL_ATOMIC_FETCH
#undef SNL_ATOMIC_FETCH_FLOAT
#undef SNL_ATOMIC_SIGN_add
#undef SNL_ATOMIC_SIGN_sub
#undef SNL_ATOMIC_FETCH_F16
#undef SNL_ATOMIC_LIMIT
#undef SNL_ATOMIC_BY_LIMIT
#undef SNL_ATOMIC_INTEGER
#undef SNL_ATOMIC_FLOAT

#endif
