/* tcc.c - the functions of tcc.h, compiled by a compiler that has the operations that tcc lacks. */
#include "tcc.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snl/snlrt.h>

enum { SECONDS_MAX = 3, WORDS_MAX = 1100, ARGS_MAX = 40 };

/* Expands CASE(type) for the type of n bytes. */
#define BY_SIZE(n, CASE) \
    switch (n) { \
    case 1: CASE(uint8_t); break; \
    case 2: CASE(uint16_t); break; \
    case 4: CASE(uint32_t); break; \
    default: CASE(uint64_t); break; \
    }

/* In place of snl_instance_free: ends a program by an error if memory of its instance is left. */
void tcc_instance_free(SnlInstance *rt);

void
tcc_instance_free(SnlInstance *rt)
{
    snl_instance_free(rt);
    if (!rt->bytes_used)
        return;
    fputs(TCC_LEAK "\n", stderr);
    exit(EXIT_FAILURE);
}

void
tcc_load(int n, const volatile void *p, void *to)
{
#define LOAD(T)                                                         \
    {                                                                   \
        T v = __atomic_load_n((const volatile T *)p, __ATOMIC_SEQ_CST); \
        memcpy(to, &v, sizeof v);                                       \
    }
    BY_SIZE(n, LOAD)
}

void
tcc_store(int n, volatile void *p, const void *from)
{
#define STORE(T)                                                \
    {                                                           \
        T v;                                                    \
        memcpy(&v, from, sizeof v);                             \
        __atomic_store_n((volatile T *)p, v, __ATOMIC_SEQ_CST); \
    }
    BY_SIZE(n, STORE)
}

void
tcc_exchange(int n, volatile void *p, const void *from, void *old){
#define EXCHANGE(T)                                                    \
    {                                                                  \
        T v;                                                           \
        memcpy(&v, from, sizeof v);                                    \
        v = __atomic_exchange_n((volatile T *)p, v, __ATOMIC_SEQ_CST); \
        memcpy(old, &v, sizeof v);                                     \
    }
    BY_SIZE(n, EXCHANGE)}

_Bool tcc_cas(int n, volatile void *p, void *expected, const void *value)
{
    _Bool done;
#define CAS(T)                                                                          \
    {                                                                                   \
        T e, v;                                                                         \
        memcpy(&e, expected, sizeof e);                                                 \
        memcpy(&v, value, sizeof v);                                                    \
        done = __atomic_compare_exchange_n((volatile T *)p, &e, v, 0, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST);                           \
        memcpy(expected, &e, sizeof e);                                                 \
    }
    BY_SIZE(n, CAS)
    return done;
}

static uint64_t
apply(uint64_t old, uint64_t value, int op)
{
    return op == '+'   ? old + value
           : op == '-' ? old - value
           : op == '&' ? (old & value)
           : op == '|' ? (old | value)
                       : old ^ value;
}

long long
tcc_update(int n, volatile void *p, long long value, int op)
{
    long long old;
#define UPDATE(T)                                                                                  \
    {                                                                                              \
        T e = __atomic_load_n((volatile T *)p, __ATOMIC_SEQ_CST);                                  \
        while (!__atomic_compare_exchange_n((volatile T *)p, &e, (T)apply(e, (uint64_t)value, op), \
                                            0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {              \
        }                                                                                          \
        old = (long long)e;                                                                        \
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

/* In a child: the program, whose output goes to a file. The arguments are words. */
static void
run_program(TccMain *program, int number, const char *words)
{
    struct rlimit limit = { SECONDS_MAX, SECONDS_MAX + 1 };
    char out[40], options[WORDS_MAX], *argv[ARGS_MAX] = { (char[]){ "program" } }, *save;
    int argc = 1;
    setrlimit(RLIMIT_CPU, &limit);
    alarm(20 * SECONDS_MAX);
    snprintf(out, sizeof out, "out.%d", number);
    snprintf(options, sizeof options, "--threads=%s", words);
    for (char *word = strtok_r(options, " ", &save); word && argc + 1 < ARGS_MAX;
         word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    argv[argc] = NULL;
    int file = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0)
        _exit(126);
    exit(program(argc, argv));
}

int
tcc_many(TccMain *const *mains, int argc, char **argv)
{
    for (int i = 0; i + 1 < argc; i++) {
        int status;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            run_program(mains[i], i, argv[i + 1]);
        if (child < 0 || waitpid(child, &status, 0) < 0)
            return 1;
        printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    return 0;
}
