/* activate.c - blocks of 8 x 8 x 8 floats in a table of 64 x 64 x 64 pointers, by hand. Arguments:
 * what is timed, as in activate.snl; 1 for scattered order; repeats.
 *
 * Each thread takes blocks from huge pages of its own, or from its stack of free ones, and keeps a
 * list of the slots it filled. Blocks that were used before are zeroed when they are taken. */
#define _GNU_SOURCE
#include "bench.h"

#include <omp.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCKS = 32768, SLOTS = 64 * 64 * 64, CELLS = 512, THREADS_MAX = 64 };
enum { PAGE = 2 * 1024 * 1024, PAGE_BLOCKS = PAGE / (CELLS * 4) };

/* What belongs to one thread, in lines of the cache of its own. */
typedef struct {
    float *fresh;           /* blocks never used, up to the end of a huge page */
    long fresh_left;
    long free_count, active_count;
    float **free;           /* BLOCKS of each, so that any order of work fits */
    int *active;
    char pad[128 - 48];
} Thread;

static float **table;
static char *arena;
static long pages_taken;
static Thread threads[THREADS_MAX];

/* Memory of whole huge pages. */
static void *
huge_pages(size_t bytes)
{
    char *p = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    p = (char *)(((size_t)p + PAGE - 1) / PAGE * PAGE);
    madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

static size_t
arena_bytes(void)
{
    return (size_t)BLOCKS * CELLS * 4 + (size_t)omp_get_max_threads() * PAGE;
}

/* A zeroed block. */
static float *
take(Thread *t)
{
    float *block;
    if (t->free_count > 0)
        return memset(t->free[--t->free_count], 0, CELLS * 4);
    if (t->fresh_left == 0) {
        t->fresh = (float *)(arena + PAGE * __atomic_fetch_add(&pages_taken, 1, __ATOMIC_RELAXED));
        t->fresh_left = PAGE_BLOCKS;
    }
    block = t->fresh;
    t->fresh += CELLS;
    t->fresh_left--;
    return block;
}

/* Fills an empty slot, unless another thread is first. */
static float *
fill_slot(long slot)
{
    Thread *t = &threads[omp_get_thread_num()];
    float *made = take(t), *found = NULL;
    if (__atomic_compare_exchange_n(&table[slot], &found, made, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        t->active[t->active_count++] = (int)slot;
        return made;
    }
    t->free[t->free_count++] = made;
    return found;
}

static inline float *
block_at(long slot)
{
    float *found = __atomic_load_n(&table[slot], __ATOMIC_ACQUIRE);
    return __builtin_expect(found != NULL, 1) ? found : fill_slot(slot);
}

static void
touch(long scattered)
{
#pragma omp parallel for schedule(static)
    for (long b = 0; b < BLOCKS; b++) {
        long c = scattered ? (b * 40503) & (BLOCKS - 1) : b;
        block_at((c >> 9) * 4096 + (c >> 3 & 63) * 64 + (c & 7))[1 * 64 + 2 * 8 + 3] =
            (float)(c + 1);
    }
}

static void
write_all(void)
{
#pragma omp parallel for schedule(static)
    for (int I = 0; I < 64; I++)
        for (int J = 0; J < 64; J++)
            for (int K = 0; K < 8; K++) {
                float *block = block_at(I * 4096 + J * 64 + K);
                for (int i = 0; i < 8; i++)
                    for (int j = 0; j < 8; j++)
                        for (int k = 0; k < 8; k++)
                            block[i * 64 + j * 8 + k] = (float)(I * 8 + i + J * 8 + j + K * 8 + k);
            }
}

static void
deactivate_all(void)
{
#pragma omp parallel for schedule(static)
    for (int n = 0; n < omp_get_max_threads(); n++) {
        Thread *t = &threads[n];
        for (long k = 0; k < t->active_count; k++) {
            t->free[t->free_count++] = table[t->active[k]];
            table[t->active[k]] = NULL;
        }
        t->active_count = 0;
    }
}

static void
create(void)
{
    table = huge_pages(SLOTS * sizeof *table);
    memset(table, 0, SLOTS * sizeof *table);
    arena = huge_pages(arena_bytes());
    pages_taken = 0;
    for (int n = 0; n < omp_get_max_threads(); n++) {
        Thread *t = &threads[n];
        float **free_blocks = t->free ? t->free : pages(BLOCKS * sizeof *t->free);
        int *active = t->active ? t->active : pages(BLOCKS * sizeof *t->active);
        memset(free_blocks, 0, BLOCKS * sizeof *t->free);
        memset(active, 0, BLOCKS * sizeof *t->active);
        *t = (Thread){.free = free_blocks, .active = active};
    }
}

static void
destroy(void)
{
    munmap(table, SLOTS * sizeof *table);
    munmap(arena, arena_bytes());
}

int
main(int argc, char **argv)
{
    long what = argument(argc, argv, 1, 1), scattered = argument(argc, argv, 2, 0),
         repeats = argument(argc, argv, 3, 5);
    double sum = 0;
    create();
    touch(scattered);
    if (what != 0 && what != 2)
        deactivate_all();
    if (what == 6)
        write_all();
    for (long r = 0; r < repeats; r++) {
        if (what == 0) {
            destroy();
            create();
        }
        if (what == 3)
            touch(scattered);
        double begun = seconds();
        if (what < 3 || what == 4)
            touch(scattered);
        if (what == 3 || what == 4)
            deactivate_all();
        if (what > 4)
            write_all();
        printf("seconds %.9f\n", seconds() - begun);
        if (what == 1 || (what == 5 && r < repeats - 1))
            deactivate_all();
    }
    if (what != 0 && what != 2 && what < 5)
        touch(scattered);
    for (long slot = 0; slot < SLOTS; slot++)
        for (int k = 0; table[slot] && k < CELLS; k++)
            sum += table[slot][k];
    printf("checksum %.9e\n", sum);
    return 0;
}
