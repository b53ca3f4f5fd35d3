/* tcc.c - the functions of tcc.h, compiled by a compiler that has these operations. */
#include "tcc.h"

#include <stdint.h>
#include <string.h>

/* Expands CASE(type) for the type of n bytes. */
#define BY_SIZE(n, CASE) \
    switch (n) { \
    case 1: CASE(uint8_t); break; \
    case 2: CASE(uint16_t); break; \
    case 4: CASE(uint32_t); break; \
    default: CASE(uint64_t); break; \
    }

void
tcc_load(int n, const volatile void *p, void *to)
{
#define LOAD(T) { T v = __atomic_load_n((const volatile T *)p, __ATOMIC_SEQ_CST); memcpy(to, &v, sizeof v); }
    BY_SIZE(n, LOAD)
}

void
tcc_store(int n, volatile void *p, const void *from)
{
#define STORE(T) { T v; memcpy(&v, from, sizeof v); __atomic_store_n((volatile T *)p, v, __ATOMIC_SEQ_CST); }
    BY_SIZE(n, STORE)
}

void
tcc_exchange(int n, volatile void *p, const void *from, void *old)
{
#define EXCHANGE(T) { T v; memcpy(&v, from, sizeof v); v = __atomic_exchange_n((volatile T *)p, v, __ATOMIC_SEQ_CST); memcpy(old, &v, sizeof v); }
    BY_SIZE(n, EXCHANGE)
}

_Bool
tcc_cas(int n, volatile void *p, void *expected, const void *value)
{
    _Bool done;
#define CAS(T) \
    { \
        T e, v; \
        memcpy(&e, expected, sizeof e); \
        memcpy(&v, value, sizeof v); \
        done = __atomic_compare_exchange_n((volatile T *)p, &e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        memcpy(expected, &e, sizeof e); \
    }
    BY_SIZE(n, CAS)
    return done;
}

static uint64_t
apply(uint64_t old, uint64_t value, int op)
{
    return op == '+' ? old + value : op == '-' ? old - value : op == '&' ? (old & value) : op == '|' ? (old | value) : old ^ value;
}

long long
tcc_update(int n, volatile void *p, long long value, int op)
{
    long long old;
#define UPDATE(T) \
    { \
        T e = __atomic_load_n((volatile T *)p, __ATOMIC_SEQ_CST); \
        while (!__atomic_compare_exchange_n((volatile T *)p, &e, (T)apply(e, (uint64_t)value, op), 0, __ATOMIC_SEQ_CST, \
                                            __ATOMIC_SEQ_CST)) {} \
        old = (long long)e; \
    }
    BY_SIZE(n, UPDATE)
    return old;
}

int
tcc_clz(unsigned long long x)
{
    return __builtin_clzll(x);
}

int
tcc_ctz(unsigned long long x)
{
    return __builtin_ctzll(x);
}

int
tcc_popcount(unsigned long long x)
{
    return __builtin_popcountll(x);
}
