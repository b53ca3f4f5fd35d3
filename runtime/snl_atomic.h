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
#ifndef SNL_ATOMIC_H
#define SNL_ATOMIC_H

#include "snl_math.h"

#define SNL_ATOMIC_SWAP(S, T) \
    SNL_FN T snl_atomic_exchange_##S(T *place, T value) \
    { \
        T old; \
        __atomic_exchange(place, &value, &old, __ATOMIC_ACQ_REL); \
        return old; \
    } \
    SNL_FN T snl_atomic_cas_##S(T *place, T expected, T value) \
    { \
        __atomic_compare_exchange(place, &expected, &value, 0, __ATOMIC_ACQ_REL, \
                                  __ATOMIC_ACQUIRE); \
        return expected; \
    }

/* old := the place's value; tries until nobody wrote in between. */
#define SNL_ATOMIC_TRY(T, op_value) \
    T old, next; \
    __atomic_load(place, &old, __ATOMIC_RELAXED); \
    do { \
        next = op_value; \
    } while (!__atomic_compare_exchange(place, &old, &next, 1, __ATOMIC_RELAXED, \
                                        __ATOMIC_RELAXED)); \
    return old;

/* The same, but ready as soon as the place holds the result, bit for bit. */
#define SNL_ATOMIC_LIMIT(S, T, op) \
    SNL_FN T snl_atomic_##op##_##S(T *place, T value) \
    { \
        T old, next; \
        __atomic_load(place, &old, __ATOMIC_RELAXED); \
        for (;;) { \
            next = snl_##op##_##S(old, value); \
            if (memcmp(&next, &old, sizeof old) == 0 \
                || __atomic_compare_exchange(place, &old, &next, 1, __ATOMIC_RELAXED, \
                                             __ATOMIC_RELAXED)) \
                return old; \
        } \
    }

#define SNL_ATOMIC_INTEGER(S, T, U, W, BITS) \
    SNL_FN T snl_atomic_add_##S(T *place, T value) \
    { \
        return __atomic_fetch_add(place, value, __ATOMIC_RELAXED); \
    } \
    SNL_FN T snl_atomic_sub_##S(T *place, T value) \
    { \
        return __atomic_fetch_sub(place, value, __ATOMIC_RELAXED); \
    } \
    SNL_FN T snl_atomic_and_##S(T *place, T value) \
    { \
        return __atomic_fetch_and(place, value, __ATOMIC_RELAXED); \
    } \
    SNL_FN T snl_atomic_or_##S(T *place, T value) \
    { \
        return __atomic_fetch_or(place, value, __ATOMIC_RELAXED); \
    } \
    SNL_FN T snl_atomic_xor_##S(T *place, T value) \
    { \
        return __atomic_fetch_xor(place, value, __ATOMIC_RELAXED); \
    } \
    SNL_ATOMIC_LIMIT(S, T, min) \
    SNL_ATOMIC_LIMIT(S, T, max) \
    SNL_ATOMIC_SWAP(S, T)
SNL_SIGNED_INTEGERS(SNL_ATOMIC_INTEGER)
SNL_UNSIGNED_INTEGERS(SNL_ATOMIC_INTEGER)

#define SNL_ATOMIC_FLOAT(S, T) \
    SNL_FN T snl_atomic_add_##S(T *place, T value) \
    { \
        SNL_ATOMIC_TRY(T, snl_add_##S(old, value)) \
    } \
    SNL_FN T snl_atomic_sub_##S(T *place, T value) \
    { \
        SNL_ATOMIC_TRY(T, snl_sub_##S(old, value)) \
    } \
    SNL_ATOMIC_LIMIT(S, T, min) \
    SNL_ATOMIC_LIMIT(S, T, max) \
    SNL_ATOMIC_SWAP(S, T)
SNL_ATOMIC_FLOAT(f16, snl_f16)
SNL_ATOMIC_FLOAT(f32, float)
SNL_ATOMIC_FLOAT(f64, double)

SNL_FN bool snl_atomic_and_bool(bool *place, bool value)
{
    return __atomic_fetch_and((unsigned char *)place, (unsigned char)value, __ATOMIC_RELAXED) != 0;
}

SNL_FN bool snl_atomic_or_bool(bool *place, bool value)
{
    return __atomic_fetch_or((unsigned char *)place, (unsigned char)value, __ATOMIC_RELAXED) != 0;
}

SNL_FN bool snl_atomic_xor_bool(bool *place, bool value)
{
    return __atomic_fetch_xor((unsigned char *)place, (unsigned char)value, __ATOMIC_RELAXED) != 0;
}

SNL_ATOMIC_SWAP(bool, bool)

#undef SNL_ATOMIC_SWAP
#undef SNL_ATOMIC_TRY
#undef SNL_ATOMIC_LIMIT
#undef SNL_ATOMIC_INTEGER
#undef SNL_ATOMIC_FLOAT

#endif
