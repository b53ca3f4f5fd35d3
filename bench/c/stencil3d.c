/* stencil3d.c - the 7-point stencil by hand: on a dense cube of 256^3 with stores past the caches,
 * or ("sparse") on blocks of 8^3 that a spherical shell touches in 512^3, kept one behind the other
 * with a map of all places of blocks. Arguments: dense or sparse, repeats. */
#include "bench.h"
#include "stream.h"

enum { N = 256, B = 8, CELLS = B * B * B, M = 64 };

static inline float
start_value(long i, long j, long k)
{
    return (float)((i * 13 + j * 7 + k * 3) & 1023) * (1.0f / 1024);
}

static inline float
at_point(const float *a)
{
    return 0.4f * a[0] + 0.1f * (a[-N * N] + a[N * N] + a[-N] + a[N] + a[-1] + a[1]);
}

/* One row; all but its ends is stored past the caches. */
static void
sweep_row(const float *a, float *o)
{
    long k = 1;
    for (; k < STREAM_WIDTH; k++)
        o[k] = at_point(a + k);
    for (; k < N - STREAM_WIDTH; k += STREAM_WIDTH) {
        Lanes s = load(a + k - N * N) + load(a + k + N * N) + (load(a + k - N) + load(a + k + N));
        s += load_loose(a + k - 1) + load_loose(a + k + 1);
        stream(o + k, load(a + k) * 0.4f + s * 0.1f);
    }
    for (; k < N - 1; k++)
        o[k] = at_point(a + k);
}

static void
sweep_cube(const float *x, float *y)
{
#pragma omp parallel
    {
#pragma omp for schedule(static) collapse(2)
        for (long i = 1; i < N - 1; i++)
            for (long j = 1; j < N - 1; j++)
                sweep_row(x + (i * N + j) * N, y + (i * N + j) * N);
        stream_end();
    }
}

static int
run_dense(long repeats)
{
    float *x = pages(4L * N * N * N), *y = pages(4L * N * N * N);
    double sum = 0;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < N; i++)
        for (long j = 0; j < N; j++)
            for (long k = 0; k < N; k++) {
                x[(i * N + j) * N + k] = start_value(i, j, k);
                y[(i * N + j) * N + k] = 0;
            }
    printf("work %g copy\n", 8e-9 * N * N * N);
    MEASURE(2, repeats, "")
        sweep_cube(x, y);
    sweep_cube(y, x);
    for (long k = 0; k < (long)N * N * N; k++)
        sum += (double)x[k] * x[k];
    printf("checksum %.9e\n", sum);
    return 0;
}

/* Numbers of blocks, with a rim of one; number 0 is a block of zeros. */
static int map[M + 2][M + 2][M + 2];

typedef struct {
    short i, j, k;
} Place;

static int
in_shell(long i, long j, long k)
{
    long a = i - 256, b = j - 256, c = k - 256, r2 = a * a + b * b + c * c;
    return r2 >= 158 * 158 && r2 <= 162 * 162;
}

static int
block_touches_shell(int i, int j, int k)
{
    for (int q = 0; q < CELLS; q++)
        if (in_shell(i * B + q / 64, j * B + q / 8 % 8, k * B + q % 8))
            return 1;
    return 0;
}

static int
find_blocks(Place *at)
{
    int count = 1;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < M; k++)
                if (block_touches_shell(i, j, k)) {
                    at[count] = (Place){(short)i, (short)j, (short)k};
                    map[i + 1][j + 1][k + 1] = count++;
                }
    return count;
}

typedef float Row __attribute__((vector_size(4 * B)));

/* A block with its six neighbours: a row of eight cells at a time. */
static void
sweep_block(const float *x, Place at, float *o)
{
    const int(*m)[M + 2][M + 2] = &map[at.i];
    int J = at.j + 1, K = at.k + 1;
    const float *c = x + (long)m[1][J][K] * CELLS, *before = x + (long)m[1][J][K - 1] * CELLS;
    const float *after = x + (long)m[1][J][K + 1] * CELLS;
    const float *im = x + (long)m[0][J][K] * CELLS, *ip = x + (long)m[2][J][K] * CELLS;
    const float *jm = x + (long)m[1][J - 1][K] * CELLS, *jp = x + (long)m[1][J + 1][K] * CELLS;
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++) {
            int q = i * 64 + j * 8;
            Row center = *(const Row *)(c + q), left = *(const Row *)(before + q),
                right = *(const Row *)(after + q);
            Row s = *(const Row *)(i > 0 ? c + q - 64 : im + 448 + j * 8) +
                    *(const Row *)(i < 7 ? c + q + 64 : ip + j * 8);
            s += *(const Row *)(j > 0 ? c + q - 8 : jm + q + 56) +
                 *(const Row *)(j < 7 ? c + q + 8 : jp + q - 56);
            s += __builtin_shufflevector(left, center, 7, 8, 9, 10, 11, 12, 13, 14);
            s += __builtin_shufflevector(center, right, 1, 2, 3, 4, 5, 6, 7, 8);
            *(Row *)(o + q) = center * 0.4f + s * 0.1f;
        }
}

static void
sweep_blocks(const float *x, float *y, const Place *at, int count)
{
#pragma omp parallel for schedule(static)
    for (int n = 1; n < count; n++)
        sweep_block(x, at[n], y + (long)n * CELLS);
}

static int
run_sparse(long repeats)
{
    static Place at[40000];
    int count = find_blocks(at);
    float *x = pages(4L * count * CELLS), *y = pages(4L * count * CELLS);
    double sum = 0;
    memset(x, 0, 4L * count * CELLS);
    memset(y, 0, 4L * count * CELLS);
    for (long n = 1; n < count; n++)
        for (long q = 0; q < CELLS; q++) {
            long i = at[n].i * B + q / 64, j = at[n].j * B + q / 8 % 8, k = at[n].k * B + q % 8;
            x[n * CELLS + q] = in_shell(i, j, k) ? start_value(i, j, k) : 0;
        }
    printf("work %g copy\n", 8e-9 * (count - 1) * CELLS);
    MEASURE(2, repeats, "")
        sweep_blocks(x, y, at, count);
    sweep_blocks(y, x, at, count);
    for (long q = CELLS; q < (long)count * CELLS; q++)
        sum += (double)x[q] * x[q];
    printf("checksum %.9e\n", sum);
    return 0;
}

int
main(int argc, char **argv)
{
    long repeats = argument(argc, argv, 2, 7);
    return strcmp(word(argc, argv, 1, "dense"), "dense") == 0 ? run_dense(repeats)
                                                              : run_sparse(repeats);
}
