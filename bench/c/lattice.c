/* lattice.c - a step of a lattice Boltzmann method (D2Q9) by hand. Arguments: layout (0: an array
 * for each direction, 1: the nine of a cell together), repeats. */
#include "bench.h"

enum { N = 1024, Q = 9 };

static const float weight[Q] = {0.44444445f,  0.11111111f,  0.11111111f,  0.11111111f, 0.11111111f,
                                0.027777778f, 0.027777778f, 0.027777778f, 0.027777778f};
static const int di[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dj[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

/* What a cell becomes: q goes from the populations that came to those that leave. */
static inline void
collide(float q[Q], float rate)
{
    float density = 0, x = 0, y = 0;
    for (int k = 0; k < Q; k++) {
        density += q[k];
        x += q[k] * (float)di[k];
        y += q[k] * (float)dj[k];
    }
    x /= density, y /= density;
    for (int k = 0; k < Q; k++) {
        float along = x * (float)di[k] + y * (float)dj[k];
        float rest =
            weight[k] * density * (1 + 3 * along + 4.5f * along * along - 1.5f * (x * x + y * y));
        q[k] += rate * (rest - q[k]);
    }
}

/* Objects of their own, which C compilers know not to overlap, in threads too. */
static _Alignas(64) float f[N * N * Q], g[N * N * Q];

static inline int
apart(int i, int j, int k)
{
    return (k * N + i) * N + j;
}

static inline int
together(int i, int j, int k)
{
    return (i * N + j) * Q + k;
}

static void
step_apart(float rate)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float q[Q];
            for (int k = 0; k < Q; k++)
                q[k] = f[apart((i - di[k]) & (N - 1), (j - dj[k]) & (N - 1), k)];
            collide(q, rate);
            for (int k = 0; k < Q; k++)
                g[apart(i, j, k)] = q[k];
        }
}

static void
step_together(float rate)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float q[Q];
            for (int k = 0; k < Q; k++)
                q[k] = f[together((i - di[k]) & (N - 1), (j - dj[k]) & (N - 1), k)];
            collide(q, rate);
            for (int k = 0; k < Q; k++)
                g[together(i, j, k)] = q[k];
        }
}

int
main(int argc, char **argv)
{
    int (*const place)(int, int, int) = argument(argc, argv, 1, 0) ? together : apart;
    long repeats = argument(argc, argv, 2, 7);
    double sum = 0;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < Q; k++) {
                int at = place(i, j, k);
                f[at] = weight[k] * (1 + (float)((i * 13 + j * 7 + k * 5) & 1023) / 8192);
                g[at] = 0;
            }
    for (long r = -1; r < repeats; r++) {
        double begun = seconds();
        if (place == together)
            step_together(1.2f);
        else
            step_apart(1.2f);
        if (r >= 0)
            printf("seconds %.9f\n", seconds() - begun);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < Q; k++) {
                double q = g[place(i, j, k)];
                sum += q * q * (k + 1);
            }
    printf("checksum %.9e\n", sum);
    return 0;
}
