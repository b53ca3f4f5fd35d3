/* tcc.h - what tcc lacks to compile generated code: atomic operations and bit counts. See tcc.c. */
#ifndef DIFF_TCC_H
#define DIFF_TCC_H

#ifndef __ATOMIC_SEQ_CST
#define __ATOMIC_RELAXED 0
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_RELEASE 3
#define __ATOMIC_ACQ_REL 4
#define __ATOMIC_SEQ_CST 5
#endif

/* Each works on n bytes: 1, 2, 4 or 8. */
/* Copies the value at p. */
void tcc_load(int n, const volatile void *p, void *to);
/* Stores a value at p. */
void tcc_store(int n, volatile void *p, const void *from);
/* Stores a value at p and gives the old one. */
void tcc_exchange(int n, volatile void *p, const void *from, void *old);
/* Stores a value at p if the expected one is there, else gives what is there as the expected
 * one. */
_Bool tcc_cas(int n, volatile void *p, void *expected, const void *value);
/* Adds, subtracts, or combines bit by bit: op is one of + - & | ^. Returns the old value. */
long long tcc_update(int n, volatile void *p, long long value, int op);
/* Counts of bits; x is not 0. */
int tcc_clz(unsigned long long x);
int tcc_ctz(unsigned long long x);
int tcc_popcount(unsigned long long x);

/* What a program says that does not give back all memory of an instance. */
#define TCC_LEAK "memory is left"

/* main of a program. */
typedef int TccMain(int argc, char **argv);
/* Runs many programs one after the other, each in a process of its own that prints to the file
 * out.NUMBER. The arguments are their numbers of threads, and behind a blank
 * what else they are run with. Prints what each ended with: its exit
 * status, or 128 and the number of a signal. */
int tcc_many(TccMain *const *mains, int argc, char **argv);

#ifdef __TINYC__
/* Programs are asked whether they give back what they take. */
#define snl_instance_free(rt) tcc_instance_free(rt)
#define __builtin_clzll tcc_clz
#define __builtin_ctzll tcc_ctz
#define __builtin_popcountll tcc_popcount
#define __atomic_load_n(p, order)            \
    ({                                       \
        __typeof__(*(p)) v_;                 \
        tcc_load(sizeof v_, p, (void *)&v_); \
        v_;                                  \
    })
#define __atomic_store_n(p, x, order)               \
    ({                                              \
        __typeof__(*(p)) v_ = (x);                  \
        tcc_store(sizeof v_, p, (const void *)&v_); \
    })
#define __atomic_exchange_n(p, x, order)                            \
    ({                                                              \
        __typeof__(*(p)) v_ = (x), w_;                              \
        tcc_exchange(sizeof v_, p, (const void *)&v_, (void *)&w_); \
        w_;                                                         \
    })
#define __atomic_compare_exchange_n(p, e, x, weak, order, failed) \
    ({ __typeof__(*(p)) v_ = (x); tcc_cas(sizeof v_, p, e, (const void *)&v_); })
#define __atomic_load(p, to, order) tcc_load(sizeof *(p), p, to)
#define __atomic_exchange(p, x, old, order) tcc_exchange(sizeof *(p), p, x, old)
#define __atomic_compare_exchange(p, e, x, weak, order, failed) tcc_cas(sizeof *(p), p, e, x)
#define TCC_UPDATE(p, x, op) ((__typeof__(*(p)))tcc_update(sizeof *(p), p, (long long)(x), op))
#define __atomic_fetch_add(p, x, order) TCC_UPDATE(p, x, '+')
#define __atomic_fetch_sub(p, x, order) TCC_UPDATE(p, x, '-')
#define __atomic_fetch_and(p, x, order) TCC_UPDATE(p, x, '&')
#define __atomic_fetch_or(p, x, order) TCC_UPDATE(p, x, '|')
#define __atomic_fetch_xor(p, x, order) TCC_UPDATE(p, x, '^')
#endif

#endif
