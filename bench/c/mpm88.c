/* mpm88.c - MLS-MPM in two dimensions by hand. Each thread scatters its particles to a grid of its
 * own, so no atomics are needed; the update adds the grids up (-DSIZE=N -DCOUNT=PARTICLES -DDT=T
 * for another size). Only rows that hold particles are cleared and updated. Arguments: substeps a
 * repeat, repeats. */
#include "bench.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#ifndef SIZE
#define SIZE 128
#define COUNT 8192
#define DT 2e-4f
#endif
enum { N = SIZE, PARTICLES = COUNT, WALL = 3, THREADS_MAX = 64 };

typedef float Four __attribute__((vector_size(16)));     /* velocity x and y, mass, nothing */

typedef struct {
    float x, y, vx, vy;
    float c00, c01, c10, c11;       /* gradient of the velocity */
    float j, spare[3];
} Particle;

/* The part of the work that a thread has of its own. */
typedef struct {
    Four (*cell)[N];
    int low, high;                  /* rows written: low <= i < high */
} Grid;

static const float dt = DT, dx = 1.0f / N, stiffness = 400, gravity = 9.8f;
static const float mass = 0.25f / (N * N);

static float
part_of_sequence(long k, double step)
{
    double t = 0.5 + (double)k * step;
    return (float)((t - floor(t)) * 0.4 + 0.2);
}

static void
start(Particle *p)
{
    for (long k = 0; k < PARTICLES; k++)
        p[k] = (Particle){.x = part_of_sequence(k, 0.7548776662466927),
                          .y = part_of_sequence(k, 0.5698402909980532), .vy = -1, .j = 1};
}

/* Weights of the three nodes nearest to a point; f is its distance from the first. */
static inline void
weights(float f, float *w)
{
    w[0] = 0.5f * (1.5f - f) * (1.5f - f);
    w[1] = 0.75f - (f - 1) * (f - 1);
    w[2] = 0.5f * (f - 0.5f) * (f - 0.5f);
}

static void
scatter(const Particle *p, Grid *g)
{
    float px = p->x * N, py = p->y * N, wx[3], wy[3];
    int bx = (int)(px - 0.5f), by = (int)(py - 0.5f);
    float fx = px - (float)bx, fy = py - (float)by;
    float s = -dt * 4 * stiffness * mass * (p->j - 1) * N * N;
    Four along_x = {(s + mass * p->c00) * dx, mass * p->c10 * dx, 0, 0};
    Four along_y = {mass * p->c01 * dx, (s + mass * p->c11) * dx, 0, 0};
    Four first = (Four){mass * p->vx, mass * p->vy, mass, 0} - along_x * fx - along_y * fy;
    weights(fx, wx);
    weights(fy, wy);
    for (int i = 0; i < 3; i++) {
        Four *row = &g->cell[bx + i][by];
        Four a = first + along_x * (float)i;
        row[0] += a * (wx[i] * wy[0]);
        row[1] += (a + along_y) * (wx[i] * wy[1]);
        row[2] += (a + along_y + along_y) * (wx[i] * wy[2]);
    }
}

static void
gather(Particle *p, Four (*cell)[N])
{
    float px = p->x * N, py = p->y * N, wx[3], wy[3];
    int bx = (int)(px - 0.5f), by = (int)(py - 0.5f);
    float fx = px - (float)bx, fy = py - (float)by;
    Four v = {0}, cx = {0}, cy = {0};
    weights(fx, wx);
    weights(fy, wy);
    for (int i = 0; i < 3; i++) {
        const Four *row = &cell[bx + i][by];
        Four a = row[0] * wy[0], b = row[1] * wy[1], c = row[2] * wy[2], sum = (a + b + c) * wx[i];
        v += sum;
        cx += sum * ((float)i - fx);
        cy += (a * (0 - fy) + b * (1 - fy) + c * (2 - fy)) * wx[i];
    }
    cx *= 4.0f * N;
    cy *= 4.0f * N;
    p->vx = v[0];
    p->vy = v[1];
    p->x += dt * v[0];
    p->y += dt * v[1];
    p->c00 = cx[0];
    p->c10 = cx[1];
    p->c01 = cy[0];
    p->c11 = cy[1];
    p->j *= 1 + dt * (cx[0] + cy[1]);
}

/* Rows a thread's particles touch. */
static void
find_rows(const Particle *p, long lo, long hi, Grid *g)
{
    float least = 1, most = 0;
    for (long k = lo; k < hi; k++) {
        least = p[k].x < least ? p[k].x : least;
        most = p[k].x > most ? p[k].x : most;
    }
    g->low = (int)(least * N - 0.5f);
    g->high = (int)(most * N - 0.5f) + 3;
}

static inline float
clip(int i, float v)
{
    return (i < WALL && v < 0) || (i > N - WALL && v > 0) ? 0 : v;
}

/* Adds up row i of all grids into the first and makes velocities of it. */
static void
update_row(Grid *grids, int threads, int i)
{
    Four sum[N];
    memset(sum, 0, sizeof sum);
    for (int t = 0; t < threads; t++)
        if (i >= grids[t].low && i < grids[t].high)
            for (int j = 0; j < N; j++)
                sum[j] += grids[t].cell[i][j];
    for (int j = 0; j < N; j++) {
        float m = sum[j][2], r = m > 0 ? 1 / m : 0;
        grids[0].cell[i][j] =
            (Four){clip(i, sum[j][0] * r), clip(j, sum[j][1] * r - dt * gravity), m, 0};
    }
}

static void
substep(Particle *p, Grid *grids, int id, int threads)
{
    Grid *g = &grids[id];
    long lo = (long)PARTICLES * id / threads, hi = (long)PARTICLES * (id + 1) / threads;
    int low = N, high = 0;
    find_rows(p, lo, hi, g);
    for (int i = g->low; i < g->high; i++)
        memset(g->cell[i], 0, sizeof g->cell[i]);
    for (long k = lo; k < hi; k++)
        scatter(&p[k], g);
#pragma omp barrier
    for (int t = 0; t < threads; t++) {
        low = grids[t].low < low ? grids[t].low : low;
        high = grids[t].high > high ? grids[t].high : high;
    }
#pragma omp for schedule(static)
    for (int i = low; i < high; i++)
        update_row(grids, threads, i);
    for (long k = lo; k < hi; k++)
        gather(&p[k], grids[0].cell);
#pragma omp barrier
}

int
main(int argc, char **argv)
{
    long steps = argument(argc, argv, 1, 200), repeats = argument(argc, argv, 2, 5);
    Particle *p = pages(sizeof *p * PARTICLES);
    Grid grids[THREADS_MAX];
    double sum = 0;
    int most = omp_get_max_threads() < THREADS_MAX ? omp_get_max_threads() : THREADS_MAX;
    for (int t = 0; t < most; t++)
        grids[t].cell = pages(sizeof(Four) * N * N);
    for (long r = -1; r < repeats; r++) {
        start(p);
        double begun = seconds();
#pragma omp parallel num_threads(most)
        for (long s = 0; s < steps; s++)
            substep(p, grids, omp_get_thread_num(), omp_get_num_threads());
        if (r >= 0)
            printf("seconds %.9f\n", seconds() - begun);
    }
    for (long k = 0; k < PARTICLES; k++)
        sum += (double)p[k].x + p[k].y;
    printf("checksum %.9e\n", sum);
    return 0;
}
