/* launch.c - small loops by hand. Arguments: what is timed, as in launch.snl; blocks; repeats.
 *
 * The tree has a bit for each slot that is filled, so that the list of blocks is made from words of
 * bits; 6 keeps it. */
#include "bench.h"

#include <stdint.h>
#include <string.h>

enum { CELLS = 64, OUTER = 16 * 16 * 16, INNER = 8 * 8 * 8 };

typedef struct {
    uint64_t filled[INNER / 64];
    float *block[INNER];
} Inner;

static int a[16];
static uint64_t filled[OUTER / 64];
static Inner *outer[OUTER];
static float *list[OUTER * 2];
static long listed;
static float (*plain)[CELLS];

#define BARRIER __asm__ volatile("" ::: "memory")

static void
activate(int x, int y, int z)
{
    int at = (x >> 3) * 256 + (y >> 3) * 16 + (z >> 3), in = (x & 7) * 64 + (y & 7) * 8 + (z & 7);
    if (!outer[at]) {
        outer[at] = calloc(1, sizeof *outer[at]);
        filled[at >> 6] |= UINT64_C(1) << (at & 63);
    }
    if (outer[at]->block[in])
        return;
    outer[at]->block[in] = calloc(CELLS, sizeof(float));
    outer[at]->filled[in >> 6] |= UINT64_C(1) << (in & 63);
}

static void
make_list(void)
{
    listed = 0;
    for (int v = 0; v < OUTER / 64; v++)
        for (uint64_t p = filled[v]; p; p &= p - 1) {
            const Inner *inner = outer[v * 64 + __builtin_ctzll(p)];
            for (int w = 0; w < INNER / 64; w++)
                for (uint64_t q = inner->filled[w]; q; q &= q - 1)
                    list[listed++] = inner->block[w * 64 + __builtin_ctzll(q)];
        }
}

static void
add_to_list(void)
{
#pragma omp parallel for schedule(static) if (listed >= 256)
    for (long n = 0; n < listed; n++)
        for (int k = 0; k < CELLS; k++)
            list[n][k] += 1;
}

static void
add_to_plain(long blocks)
{
#pragma omp parallel for schedule(static) if (blocks >= 256)
    for (long n = 0; n < blocks; n++)
        for (int k = 0; k < CELLS; k++)
            plain[n][k] += 1;
}

static void
launch(long what, long blocks)
{
    switch (what) {
    case 1:
    case 2: a[0] = 1; break;
    case 3:
        for (int i = 0; i < 64; i++)
            a[i & 15] = 1;
        break;
    case 4:
        for (int i = 0; i < 16; i++)
            a[i] += 1;
        break;
    case 5:
        for (int l = 1; l <= 10; l++)
            for (int i = 0; i < 16; i++)
                a[i] += l;
        break;
    case 9:
    case 10: case 11: make_list(); break;
    case 7: make_list();        /* fall through */
    case 6: add_to_list(); break;
    case 8: add_to_plain(blocks); break;
    default: break;
    }
    BARRIER;
}

int
main(int argc, char **argv)
{
    long what = argument(argc, argv, 1, 0), blocks = argument(argc, argv, 2, 64),
         repeats = argument(argc, argv, 3, 7);
    long launches = what == 5 ? 1000 : what < 5 ? 5000 : blocks > 64 ? 500 : 20000;
    double sum = 0;
    plain = pages((size_t)blocks * sizeof *plain);
    memset(plain, 0, (size_t)blocks * sizeof *plain);
    for (long c = 0; what >= 6 && what != 8 && c < blocks; c++) {
        long h = (long)((uint32_t)c * 2654435u & 0x3ffff);
        activate((int)(h & 63) * 2, (int)(h >> 6 & 63) * 2, (int)(h >> 12) * 2);
        outer[((h & 63) >> 2) * 256 + ((h >> 6 & 63) >> 2) * 16 + (h >> 14)]
            ->block[((h & 3) * 64 + (h >> 6 & 3) * 8 + (h >> 12 & 3)) * 2][0] = 1;
    }
    make_list();
    for (long n = 0; n < launches; n++)
        launch(what, blocks);
    for (long r = 0; r < repeats; r++) {
        double begun = seconds();
        for (long n = 0; n < launches; n++)
            launch(what, blocks);
        printf("seconds %.12f\n", (seconds() - begun) / (double)launches);
    }
    for (int i = 0; i < 16; i++)
        sum += a[i];
    for (long n = 0; n < listed; n++)
        for (int k = 0; k < CELLS; k++)
            sum += list[n][k];
    for (long n = 0; n < blocks; n++)
        for (int k = 0; k < CELLS; k++)
            sum += plain[n][k];
    printf("checksum %.9e\n", sum);
    return 0;
}
