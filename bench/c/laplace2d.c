/* laplace2d.c - the 5-point Laplacian by hand. Arguments: N, order (0 rows, 1 columns, 2 blocks of
 * 16 x 16), repeats. By columns is by rows with the roles of i and j exchanged, which is the same
 * work. */
#include "bench.h"

#include <string.h>

enum { B = 16 };

static long
place(long n, long order, long i, long j)
{
    if (order == 0)
        return i * n + j;
    if (order == 1)
        return j * n + i;
    return ((i / B) * (n / B) + j / B) * B * B + (i % B) * B + j % B;
}

static void
by_rows(const float *restrict x, float *restrict y, long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 1; i < n - 1; i++) {
        const float *a = x + i * n;
        float *o = y + i * n;
        for (long j = 1; j < n - 1; j++)
            o[j] = 4 * a[j] - a[j - n] - a[j + n] - a[j - 1] - a[j + 1];
    }
}

/* One block with the rim of its neighbours around it, then the stencil on it. */
static void
by_blocks(const float *restrict x, float *restrict y, long n)
{
    long m = n / B;
#pragma omp parallel for schedule(static)
    for (long bi = 0; bi < m; bi++)
        for (long bj = 0; bj < m; bj++) {
            const float *a = x + (bi * m + bj) * B * B;
            float *o = y + (bi * m + bj) * B * B;
            float t[B + 2][B + 2];
            memset(t, 0, sizeof t);
            for (int r = 0; r < B; r++) {
                memcpy(&t[r + 1][1], a + r * B, sizeof(float) * B);
                t[r + 1][0] = bj > 0 ? a[r * B - B * B + B - 1] : 0;
                t[r + 1][B + 1] = bj < m - 1 ? a[r * B + B * B] : 0;
            }
            if (bi > 0)
                memcpy(&t[0][1], a - m * B * B + (B - 1) * B, sizeof(float) * B);
            if (bi < m - 1)
                memcpy(&t[B + 1][1], a + m * B * B, sizeof(float) * B);
            int r0 = bi == 0, r1 = bi == m - 1 ? B - 1 : B, s0 = bj == 0,
                s1 = bj == m - 1 ? B - 1 : B;
            for (int r = r0; r < r1; r++)
                for (int s = s0; s < s1; s++)
                    o[r * B + s] = 4 * t[r + 1][s + 1] - t[r][s + 1] - t[r + 2][s + 1] -
                                   t[r + 1][s] - t[r + 1][s + 2];
        }
}

int
main(int argc, char **argv)
{
    long n = argument(argc, argv, 1, 4096), order = argument(argc, argv, 2, 0);
    long repeats = argument(argc, argv, 3, 7);
    float *x = pages((size_t)(n * n) * 4), *y = pages((size_t)(n * n) * 4);
    double sum = 0;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            x[place(n, order, i, j)] = (float)((i * 13 + j * 7) & 1023) * (1.0f / 1024);
            y[place(n, order, i, j)] = 0;
        }
    for (long r = -2; r < repeats; r++) {
        double begun = seconds();
        if (order == 2)
            by_blocks(x, y, n);
        else
            by_rows(x, y, n);
        if (r >= 0)
            printf("seconds %.9f\n", seconds() - begun);
    }
    for (long k = 0; k < n * n; k++)
        sum += (double)y[k] * y[k];
    printf("checksum %.9e\n", sum);
    return 0;
}
