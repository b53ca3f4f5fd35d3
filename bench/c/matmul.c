/* matmul.c - the product of two matrices by hand, along rows. Argument: repeats. */
#include "bench.h"

enum { N = 512 };

static void
multiply(const float (*restrict a)[N], const float (*restrict b)[N], float (*restrict c)[N])
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            c[i][j] = 0;
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i][j] += a[i][k] * b[k][j];
    }
}

int
main(int argc, char **argv)
{
    long repeats = argument(argc, argv, 1, 7);
    float(*a)[N] = pages(sizeof *a * N), (*b)[N] = pages(sizeof *b * N),
    (*c)[N] = pages(sizeof *c * N);
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (float)((i * 13 + j * 7) & 1023) / 1024;
            b[i][j] = (float)((i * 5 + j * 3) & 1023) / 1024;
        }
    for (long r = -1; r < repeats; r++) {
        double begun = seconds();
        multiply((const float(*)[N])a, (const float(*)[N])b, c);
        if (r >= 0)
            printf("seconds %.9f\n", seconds() - begun);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += (double)c[i][j] * c[i][j];
    printf("checksum %.9e\n", sum);
    return 0;
}
