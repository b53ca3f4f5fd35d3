/* bitmasked.c - cells with a bit of activity each, by hand. Arguments: percentage of active cells,
 * or 0 for the game of life, and repeats. Blocks of 16 x 16 cells have a row of the mask for each
 * row of cells; the game of life is on bytes. */
#include "bench.h"

#include <stdint.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { N = 4096, B = 16, M = 2048 };

typedef struct {
    uint16_t mask[B];
    float x[B * B], y[B * B];
} Block;

static int
is_chosen(unsigned i, unsigned j, unsigned percent)
{
    unsigned h = i * 73856093u ^ j * 19349663u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return (h >> 16) % 100u < percent;
}

/* One row of a block: its mask is that of a vector. */
static void
axpy_row(unsigned mask, const float *restrict x, float *restrict y)
{
#ifdef __AVX512F__
    __m512 a = _mm512_maskz_loadu_ps((__mmask16)mask, x),
           b = _mm512_maskz_loadu_ps((__mmask16)mask, y);
    _mm512_mask_storeu_ps(y, (__mmask16)mask, _mm512_fmadd_ps(_mm512_set1_ps(0.5f), a, b));
#else
    for (int k = 0; k < B; k++)
        y[k] = mask >> k & 1 ? 0.5f * x[k] + y[k] : y[k];
#endif
}

static void
axpy(Block *blocks)
{
#pragma omp parallel for schedule(static)
    for (long b = 0; b < (long)(N / B) * (N / B); b++)
        for (int r = 0; r < B; r++)
            if (blocks[b].mask[r])
                axpy_row(blocks[b].mask[r], blocks[b].x + r * B, blocks[b].y + r * B);
}

static void
run_blocks(unsigned percent, long repeats)
{
    long count = (long)(N / B) * (N / B);
    Block *blocks = pages((size_t)count * sizeof *blocks);
    double sum = 0;
    memset(blocks, 0, (size_t)count * sizeof *blocks);
    for (unsigned i = 0; i < N; i++)
        for (unsigned j = 0; j < N; j++)
            if (is_chosen(i, j, percent)) {
                Block *b = &blocks[i / B * (N / B) + j / B];
                b->mask[i % B] |= (uint16_t)(1u << j % B);
                b->x[i % B * B + j % B] = (float)((i * 13 + j * 7) & 1023) * (1.0f / 1024);
            }
    for (long r = -2; r < repeats; r++) {
        double begun = seconds();
        axpy(blocks);
        if (r >= 0)
            printf("seconds %.9f\n", seconds() - begun);
    }
    for (long b = 0; b < count; b++)
        for (int k = 0; k < B * B; k++)
            sum += (double)blocks[b].y[k];
    printf("checksum %.9e\n", sum);
}

static uint8_t a[M][M], b[M][M];

static void
step(uint8_t (*restrict from)[M], uint8_t (*restrict to)[M])
{
#pragma omp parallel for schedule(static)
    for (int i = 1; i < M - 1; i++)
#pragma omp simd
        for (int j = 1; j < M - 1; j++) {
            uint8_t n = from[i - 1][j - 1] + from[i - 1][j] + from[i - 1][j + 1] + from[i][j - 1] +
                        from[i][j + 1] + from[i + 1][j - 1] + from[i + 1][j] + from[i + 1][j + 1];
            to[i][j] = (uint8_t)((n | from[i][j]) == 3);
        }
}

static void
run_life(long repeats)
{
    long alive = 0;
    for (long r = -2; r < repeats; r++) {
        for (unsigned i = 0; i < M; i++)
            for (unsigned j = 0; j < M; j++) {
                a[i][j] = (uint8_t)is_chosen(i, j, 30);
                b[i][j] = 0;
            }
        double begun = seconds();
        for (int g = 0; g < 5; g++) {
            step(a, b);
            step(b, a);
        }
        if (r >= 0)
            printf("seconds %.9f\n", seconds() - begun);
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            alive += a[i][j];
    printf("checksum %ld\n", alive);
}

int
main(int argc, char **argv)
{
    long percent = argument(argc, argv, 1, 10), repeats = argument(argc, argv, 2, 7);
    if (percent)
        run_blocks((unsigned)percent, repeats);
    else
        run_life(repeats);
    return 0;
}
