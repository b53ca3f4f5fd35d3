/* mpm3d.c - MLS-MPM in three dimensions by hand: 128^3 nodes of four floats (momentum, mass), 1 M
 * particles. Particles are sorted by cell now and then. Each thread has a range of planes, and
 * scatters the particles in those next to the range of another thread when all have done the rest,
 * so that no atomics are needed. Only the box around the particles is cleared and updated. With
 * -DSORT_EVERY=0 particles are never sorted, and one thread scatters all. Arguments: substeps a
 * repeat, repeats. */
#include "bench.h"

#include <math.h>
#include <omp.h>

#ifndef SORT_EVERY
#define SORT_EVERY 4
#endif

enum { N = 128, PARTICLES = 1 << 20, WALL = 3, SEAM = 4 };

typedef float Four __attribute__((vector_size(16)));

typedef struct {
    float x[3], v[3], c[9], j;
} Particle;

typedef struct {
    Particle *now, *next;
    Four *node;
    int *key;
    long *count, plane[N + 1];      /* plane[i]: first sorted particle whose base has i or more */
    int low[3], high[3];            /* nodes that particles touch */
} State;

static const float dt = 8e-5f, dx = 1.0f / N, stiffness = 400, gravity = 9.8f,
                   mass = 0.125f / ((float)N * N * N);

static inline int
base(float x)
{
    return (int)(x * N - 0.5f);
}

static inline long
cell_of(const Particle *p)
{
    return ((long)base(p->x[0]) * N + base(p->x[1])) * N + base(p->x[2]);
}

static void
start(Particle *p)
{
    static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
#pragma omp parallel for schedule(static)
    for (long k = 0; k < PARTICLES; k++) {
        p[k] = (Particle){.j = 1};
        for (int d = 0; d < 3; d++) {
            double t = 0.5 + (double)k * step[d];
            p[k].x[d] = (float)((t - floor(t)) * 0.390625 + 0.2);
        }
    }
}

static void
sort(State *s)
{
    Particle *from = s->now;
    memset(s->count, 0, sizeof *s->count * ((size_t)N * N * N + 1));
#pragma omp parallel for schedule(static)
    for (long k = 0; k < PARTICLES; k++) {
        s->key[k] = (int)cell_of(&from[k]);
        __atomic_fetch_add(&s->count[s->key[k] + 1], 1, __ATOMIC_RELAXED);
    }
    for (long c = 0; c < (long)N * N * N; c++)
        s->count[c + 1] += s->count[c];
    for (long i = 0; i <= N; i++)
        s->plane[i] = s->count[i * N * N];
#pragma omp parallel for schedule(static)
    for (long k = 0; k < PARTICLES; k++)
        s->next[__atomic_fetch_add(&s->count[s->key[k]], 1, __ATOMIC_RELAXED)] = from[k];
    s->now = s->next;
    s->next = from;
}

static void
find_box(State *s)
{
    int l0 = N, l1 = N, l2 = N, h0 = 0, h1 = 0, h2 = 0;
#pragma omp parallel for schedule(static) reduction(min : l0, l1, l2) reduction(max : h0, h1, h2)
    for (long k = 0; k < PARTICLES; k++) {
        int a = base(s->now[k].x[0]), b = base(s->now[k].x[1]), c = base(s->now[k].x[2]);
        l0 = a < l0 ? a : l0;
        l1 = b < l1 ? b : l1;
        l2 = c < l2 ? c : l2;
        h0 = a > h0 ? a : h0;
        h1 = b > h1 ? b : h1;
        h2 = c > h2 ? c : h2;
    }
    memcpy(s->low, (int[]){l0, l1, l2}, sizeof s->low);
    memcpy(s->high, (int[]){h0 + 2, h1 + 2, h2 + 2}, sizeof s->high);
}

/* The first node of a particle, its distance from it and the weights along each axis. */
static inline long
weigh(const Particle *p, float *f, float w[3][3])
{
    for (int d = 0; d < 3; d++) {
        float t = f[d] = p->x[d] * N - (float)base(p->x[d]);
        w[0][d] = 0.5f * (1.5f - t) * (1.5f - t);
        w[1][d] = 0.75f - (t - 1) * (t - 1);
        w[2][d] = 0.5f * (t - 0.5f) * (t - 0.5f);
    }
    return cell_of(p);
}

static void
scatter(Four *node, const Particle *p)
{
    float f[3], w[3][3], s = -dt * 4 * stiffness * mass * (p->j - 1) * N * N;
    Four *first = node + weigh(p, f, w);
    const float *c = p->c;
    Four a = {s + mass * c[0], mass * c[3], mass * c[6], 0},
         b = {mass * c[1], s + mass * c[4], mass * c[7], 0};
    Four d = {mass * c[2], mass * c[5], s + mass * c[8], 0};
    Four m = (Four){mass * p->v[0], mass * p->v[1], mass * p->v[2], mass} -
             (a * f[0] + b * f[1] + d * f[2]) * dx;
    a *= dx;
    b *= dx;
    d *= dx;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Four *n = first + (i * N + j) * N, u = m + a * (float)i + b * (float)j;
            float both = w[i][0] * w[j][1];
            n[0] += u * (both * w[0][2]);
            n[1] += (u + d) * (both * w[1][2]);
            n[2] += (u + d + d) * (both * w[2][2]);
        }
}

static void
gather(const Four *node, Particle *p)
{
    float f[3], w[3][3];
    const Four *first = node + weigh(p, f, w);
    Four v = {0}, a = {0}, b = {0}, c = {0};
    for (int i = 0; i < 3; i++) {
        Four row = {0}, row_b = {0};
        for (int j = 0; j < 3; j++) {
            const Four *n = first + (i * N + j) * N;
            Four p0 = n[0] * w[0][2], p1 = n[1] * w[1][2], p2 = n[2] * w[2][2];
            float both = w[i][0] * w[j][1];
            Four sum = (p0 + p1 + p2) * both;
            row += sum;
            row_b += sum * ((float)j - f[1]);
            c += (p0 * (0 - f[2]) + p1 * (1 - f[2]) + p2 * (2 - f[2])) * both;
        }
        v += row;
        a += row * ((float)i - f[0]);
        b += row_b;
    }
    a *= 4.0f * N;
    b *= 4.0f * N;
    c *= 4.0f * N;
    for (int d = 0; d < 3; d++) {
        p->v[d] = v[d];
        p->x[d] += dt * v[d];
        p->c[3 * d] = a[d];
        p->c[3 * d + 1] = b[d];
        p->c[3 * d + 2] = c[d];
    }
    p->j *= 1 + dt * (a[0] + b[1] + c[2]);
}

static inline float
clip(int i, float v)
{
    return (i < WALL && v < 0) || (i > N - WALL && v > 0) ? 0 : v;
}

static void
update(Four *n, int i, int j, int k)
{
    float m = (*n)[3], r = m > 0 ? 1 / m : 1;
    Four u = *n * r;
    *n = (Four){clip(i, u[0]), clip(j, u[1] - dt * gravity), clip(k, u[2]), m};
}

/* All threads: the particles of the planes of each, those near its first plane last. */
static void
scatter_all(State *s, int id, int threads)
{
    int from = 0, to = 0;
    while (from < N && s->plane[from] < (long)PARTICLES * id / threads)
        from++;
    while (to < N && s->plane[to] < (long)PARTICLES * (id + 1) / threads)
        to++;
    from = id == 0 ? 0 : from;
    to = id == threads - 1 ? N : to;
    int seam = id == 0 ? from : from + SEAM < to ? from + SEAM : to;
    for (long k = s->plane[seam]; k < s->plane[to]; k++)
        scatter(s->node, &s->now[k]);
#pragma omp barrier
    for (long k = s->plane[from]; k < s->plane[seam]; k++)
        scatter(s->node, &s->now[k]);
#pragma omp barrier
}

static void
substep(State *s)
{
    find_box(s);
    const int *low = s->low, *high = s->high;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int i = low[0]; i <= high[0]; i++)
            for (int j = low[1]; j <= high[1]; j++)
                memset(&s->node[((long)i * N + j) * N + low[2]], 0,
                       sizeof(Four) * (size_t)(high[2] - low[2] + 1));
        scatter_all(s, omp_get_thread_num(), omp_get_num_threads());
#pragma omp for schedule(static)
        for (int i = low[0]; i <= high[0]; i++)
            for (int j = low[1]; j <= high[1]; j++)
                for (int k = low[2]; k <= high[2]; k++)
                    update(&s->node[((long)i * N + j) * N + k], i, j, k);
#pragma omp for schedule(static)
        for (long k = 0; k < PARTICLES; k++)
            gather(s->node, &s->now[k]);
    }
}

int
main(int argc, char **argv)
{
    long steps = argument(argc, argv, 1, 12), repeats = argument(argc, argv, 2, 3);
    State s = {.now = pages(sizeof(Particle) * PARTICLES),
               .next = pages(sizeof(Particle) * PARTICLES),
               .node = pages(sizeof(Four) * N * N * N),
               .key = pages(4L * PARTICLES),
               .count = pages(8L * (N * N * N + 1))};
    double sum = 0;
    s.plane[N] = PARTICLES;
    for (long r = -1; r < repeats; r++) {
        start(s.now);
        double begun = seconds();
        for (long k = 0; k < steps; k++) {
            if (SORT_EVERY && k % (SORT_EVERY ? SORT_EVERY : 1) == 0)
                sort(&s);
            substep(&s);
        }
        if (r >= 0)
            printf("seconds %.9f\n", seconds() - begun);
    }
    for (long k = 0; k < PARTICLES; k++)
        sum += (double)s.now[k].x[0] + s.now[k].x[1] + s.now[k].x[2];
    printf("checksum %.9e\n", sum);
    return 0;
}
