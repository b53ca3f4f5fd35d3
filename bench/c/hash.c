/* hash.c - blocks of 4 x 4 floats in a hash table by hand. Arguments: what is timed, as in
 * hash.snl; repeats.
 *
 * The table has its final size from the start; entries are pointers, with 16 bits of the hash in
 * their unused top, put there by compare-and-swap. Each thread takes blocks from memory of its own,
 * or from its stack of free ones. */
#include "bench.h"

#include <omp.h>
#include <stdint.h>

enum { COUNT = 1 << 18, ENTRIES = 1 << 19, CELLS = 16, THREADS_MAX = 64 };

typedef struct {
    int64_t row, column;
    float x[CELLS];
} Block;

/* What belongs to one thread, in lines of the cache of its own. */
typedef struct {
    Block *fresh;               /* COUNT of them, so that any order of work fits */
    Block **free;
    long fresh_used, free_count;
    char pad[128 - 32];
} Thread;

static uint64_t *table;         /* 0: never used, ERASED, or a block and a part of its hash */
static Thread threads[THREADS_MAX];

enum { ERASED = 1 };

static uint64_t
hash_of(int64_t row, int64_t column)
{
    uint64_t h = ((uint64_t)row ^ 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    h = (h ^ h >> 32 ^ (uint64_t)column) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

static Block *
block_of(uint64_t entry)
{
    return (Block *)(uintptr_t)(entry & 0xffffffffffffu);
}

/* The number of the entry of a block, or of the empty one where it is not. */
static uint64_t
find(uint64_t hash, int64_t row, int64_t column)
{
    for (uint64_t at = hash;; at++) {
        uint64_t entry = __atomic_load_n(&table[at & (ENTRIES - 1)], __ATOMIC_ACQUIRE);
        if (entry == 0)
            return at & (ENTRIES - 1);
        if (entry != ERASED && entry >> 48 == hash >> 48 && block_of(entry)->row == row &&
            block_of(entry)->column == column)
            return at & (ENTRIES - 1);
    }
}

static Block *
take(Thread *t)
{
    Block *b = t->free_count > 0 ? t->free[--t->free_count] : &t->fresh[t->fresh_used++];
    return memset(b, 0, sizeof *b);
}

/* The block, made where it is not. */
static Block *
activate(int64_t row, int64_t column)
{
    uint64_t hash = hash_of(row, column), found;
    Thread *t;
    Block *made;
    uint64_t at = find(hash, row, column), entry = __atomic_load_n(&table[at], __ATOMIC_ACQUIRE);
    if (entry)
        return block_of(entry);
    t = &threads[omp_get_thread_num()];
    made = take(t);
    made->row = row;
    made->column = column;
    for (;; at = find(hash, row, column)) {
        found = 0;
        if (__atomic_compare_exchange_n(&table[at], &found,
                                        (uint64_t)(uintptr_t)made | hash >> 48 << 48, 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return made;
        if (block_of(found)->row == row && block_of(found)->column == column) {
            t->free[t->free_count++] = made;
            return block_of(found);
        }
    }
}

static int64_t scattered(int64_t n) { return (n * 40503) & (COUNT - 1); }
static int64_t row(int64_t n) { return (scattered(n) >> 9) * 1000003; }
static int64_t column(int64_t n) { return (scattered(n) & 511) * 77777777; }

static void
insert(void)
{
#pragma omp parallel for schedule(static)
    for (long n = 0; n < COUNT; n++)
        activate(row(n), column(n))->x[1 * 4 + 2] = (float)(n & 1023);
}

static double
find_all(void)
{
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (long n = 0; n < COUNT; n++) {
        uint64_t entry = table[find(hash_of(row(n), column(n)), row(n), column(n))];
        sum += entry ? (double)block_of(entry)->x[1 * 4 + 2] : 0;
    }
    return sum;
}

static void
erase(void)
{
#pragma omp parallel for schedule(static)
    for (long n = 0; n < COUNT; n++) {
        Thread *t = &threads[omp_get_thread_num()];
        uint64_t *entry = &table[find(hash_of(row(n), column(n)), row(n), column(n))];
        uint64_t old = __atomic_exchange_n(entry, ERASED, __ATOMIC_ACQ_REL);
        t->free[t->free_count++] = block_of(old);
    }
}

/* Every block is free; the memory stays. */
static void
clear(void)
{
#pragma omp parallel for schedule(static)
    for (long k = 0; k < ENTRIES; k++)
        table[k] = 0;
    for (int n = 0; n < omp_get_max_threads(); n++)
        threads[n].fresh_used = threads[n].free_count = 0;
}

static void
create(void)
{
    table = pages(ENTRIES * sizeof *table);
    memset(table, 0, ENTRIES * sizeof *table);
    for (int n = 0; n < omp_get_max_threads(); n++)
        threads[n] =
            (Thread){.fresh = pages(COUNT * sizeof(Block)), .free = pages(COUNT * sizeof(Block *))};
}

static void
destroy(void)
{
    free(table);
    for (int n = 0; n < omp_get_max_threads(); n++) {
        free(threads[n].fresh);
        free(threads[n].free);
    }
}

int
main(int argc, char **argv)
{
    long what = argument(argc, argv, 1, 0), repeats = argument(argc, argv, 2, 5);
    double sum;
    create();
    insert();
    sum = find_all();
    for (long r = 0; r < repeats; r++) {
        double begun;
        if (what == 0) {
            destroy();
            create();
        }
        if (what == 1)
            clear();
        if (what == 3) {
            clear();
            insert();
        }
        begun = seconds();
        if (what < 2)
            insert();
        if (what == 2)
            sum = find_all();
        if (what == 3)
            erase();
        printf("seconds %.9f\n", seconds() - begun);
    }
    if (what < 2)
        sum = find_all();
    printf("checksum %.9e\n", sum);
    destroy();
    return 0;
}
