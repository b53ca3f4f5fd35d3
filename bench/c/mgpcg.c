/* mgpcg.c - the Poisson equation on 128^3 cells by hand: conjugate gradients with a multigrid
 * preconditioner, on dense arrays with a rim of zeros whose rows are padded. The product with the
 * matrix and the updates are fused with the sums that follow them. Argument: repeats. */
#include "bench.h"

#include <math.h>

enum { N = 128, LEVELS = 4, OFFSET = 15, BOTTOM_SWEEPS = 50 };

/* The cells of one level: cell (i, j, k), 1 <= i, j, k <= n, is row(l, f, i, j)[k]. */
typedef struct {
    int n;
    long row, plane;
    float *r, *z;
} Level;

static Level level[LEVELS];
static float *x, *p, *product;

static float *
new_field(const Level *l)
{
    size_t bytes = sizeof(float) * ((size_t)(l->n + 2) * (size_t)l->plane + 64);
    return memset(pages(bytes), 0, bytes);
}

static inline float *
row(const Level *l, float *f, int i, int j)
{
    return f + i * l->plane + j * l->row + OFFSET;
}

/* The six neighbours of q[k]. */
static inline float
around(const float *q, long k, long s, long t)
{
    return q[k - 1] + q[k + 1] + q[k - s] + q[k + s] + q[k - t] + q[k + t];
}

static void
smooth(const Level *l, int phase)
{
#pragma omp parallel for schedule(static) if (l->n >= 32)
    for (int i = 1; i <= l->n; i++)
        for (int j = 1; j <= l->n; j++) {
            float *z = row(l, l->z, i, j);
            const float *r = row(l, l->r, i, j);
            int odd = (i + j + 1 + phase) & 1;
#pragma omp simd
            for (int k = 1; k <= l->n; k++) {
                float v = (r[k] + around(z, k, l->row, l->plane)) * (1.0f / 6);
                z[k] = (k & 1) == odd ? v : z[k];
            }
        }
}

static void
reduce(const Level *l, const Level *coarse)
{
#pragma omp parallel for schedule(static) if (l->n >= 32)
    for (int i = 1; i <= coarse->n; i++)
        for (int j = 1; j <= coarse->n; j++) {
            float sum[N + 2] = {0}, *to = row(coarse, coarse->r, i, j);
            for (int a = 0; a < 4; a++) {
                const float *z = row(l, l->z, 2 * i - 1 + a / 2, 2 * j - 1 + a % 2);
                const float *r = row(l, l->r, 2 * i - 1 + a / 2, 2 * j - 1 + a % 2);
#pragma omp simd
                for (int k = 1; k <= l->n; k++)
                    sum[k] += r[k] - (6 * z[k] - around(z, k, l->row, l->plane));
            }
            for (int k = 1; k <= coarse->n; k++)
                to[k] = 0.5f * (sum[2 * k - 1] + sum[2 * k]);
        }
}

static void
extend(const Level *l, const Level *coarse)
{
#pragma omp parallel for schedule(static) if (l->n >= 32)
    for (int i = 1; i <= l->n; i++)
        for (int j = 1; j <= l->n; j++) {
            float *z = row(l, l->z, i, j);
            const float *from = row(coarse, coarse->z, (i + 1) / 2, (j + 1) / 2);
            for (int k = 1; k <= coarse->n; k++)
                z[2 * k - 1] = z[2 * k] = from[k];
        }
}

static void
clear(const Level *l, float *f)
{
#pragma omp parallel for schedule(static) if (l->n >= 32)
    for (int i = 1; i <= l->n; i++)
        for (int j = 1; j <= l->n; j++)
            memset(row(l, f, i, j) + 1, 0, sizeof(float) * (size_t)l->n);
}

static void
precondition(void)
{
    clear(&level[0], level[0].z);
    for (int l = 0; l < LEVELS - 1; l++) {
        for (int s = 0; s < 4 << l; s++)
            smooth(&level[l], s & 1);
        clear(&level[l + 1], level[l + 1].z);
        reduce(&level[l], &level[l + 1]);
    }
    for (int s = 0; s < 2 * BOTTOM_SWEEPS; s++)
        smooth(&level[LEVELS - 1], s & 1);
    for (int l = LEVELS - 2; l >= 0; l--) {
        extend(&level[l], &level[l + 1]);
        for (int s = 0; s < 4 << l; s++)
            smooth(&level[l], ~s & 1);
    }
}

static double
dot(float *a, float *b)
{
    const Level *l = &level[0];
    double sum = 0;
#pragma omp parallel for schedule(static) collapse(2) reduction(+ : sum)
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
            const float *u = row(l, a, i, j), *v = row(l, b, i, j);
            double s = 0;
#pragma omp simd reduction(+ : s)
            for (int k = 1; k <= N; k++)
                s += u[k] * v[k];
            sum += s;
        }
    return sum;
}

static void
search(float beta)
{
    const Level *l = &level[0];
#pragma omp parallel for schedule(static) collapse(2)
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
            float *u = row(l, p, i, j);
            const float *z = row(l, l->z, i, j);
#pragma omp simd
            for (int k = 1; k <= N; k++)
                u[k] = z[k] + beta * u[k];
        }
}

/* product = A p; gives p . A p. */
static double
multiply(void)
{
    const Level *l = &level[0];
    double sum = 0;
#pragma omp parallel for schedule(static) collapse(2) reduction(+ : sum)
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
            const float *q = row(l, p, i, j);
            float *o = row(l, product, i, j), s = 0;
#pragma omp simd reduction(+ : s)
            for (int k = 1; k <= N; k++) {
                o[k] = 6 * q[k] - around(q, k, l->row, l->plane);
                s += o[k] * q[k];
            }
            sum += s;
        }
    return sum;
}

/* Goes along p; gives r . r. */
static double
advance(float alpha)
{
    const Level *l = &level[0];
    double sum = 0;
#pragma omp parallel for schedule(static) collapse(2) reduction(+ : sum)
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
            const float *q = row(l, p, i, j), *o = row(l, product, i, j);
            float *u = row(l, x, i, j), *r = row(l, l->r, i, j), s = 0;
#pragma omp simd reduction(+ : s)
            for (int k = 1; k <= N; k++) {
                u[k] += alpha * q[k];
                r[k] -= alpha * o[k];
                s += r[k] * r[k];
            }
            sum += s;
        }
    return sum;
}

static void
start(void)
{
    const Level *l = &level[0];
    const float w = (float)(5 * 3.14159265358979323846 / N);
    clear(l, x);
    clear(l, p);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                row(l, l->r, i + 1, j + 1)[k + 1] =
                    5 * cosf(w * (float)i) * cosf(w * (float)j) * cosf(w * (float)k);
}

static int
solve(void)
{
    double first = dot(level[0].r, level[0].r);
    precondition();
    search(0);
    double old = dot(level[0].z, level[0].r);
    for (int n = 1; n <= 100; n++) {
        if (advance((float)(old / multiply())) < first * 1e-12)
            return n;
        precondition();
        double now = dot(level[0].z, level[0].r);
        search((float)(now / old));
        old = now;
    }
    return -1;
}

int
main(int argc, char **argv)
{
    long repeats = argument(argc, argv, 1, 3);
    for (int l = 0; l < LEVELS; l++) {
        int n = N >> l;
        level[l] = (Level){.n = n, .row = (n + 15) / 16 * 16 + 32};
        level[l].plane = level[l].row * (n + 2);
        level[l].r = new_field(&level[l]);
        level[l].z = new_field(&level[l]);
    }
    x = new_field(&level[0]);
    p = new_field(&level[0]);
    product = new_field(&level[0]);
    for (long n = -1; n < repeats; n++) {
        start();
        double begun = seconds();
        int steps = solve();
        if (n >= 0)
            printf("seconds %.9f\n", seconds() - begun);
        if (steps != 8)
            return 1;
    }
    printf("checksum %.9e\n", dot(x, x));
    return 0;
}
