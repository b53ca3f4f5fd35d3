/* sph.c - densities of particles by hand: a counting sort by cell that gathers the positions, then
 * for each particle three times three runs of neighbouring cells, vectorised. Argument: repeats. */
#include "bench.h"

#include <math.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { N = 100000, G = 24, CELLS = G * G * G };

static float x[N], y[N], z[N], sx[N], sy[N], sz[N], density[N];
static int first[CELLS + 1], next[CELLS], cell[N], id[N];

static float
part_of_sequence(long k, double step)
{
    double t = 0.5 + (double)k * step;
    return (float)(t - floor(t));
}

static void
bin(void)
{
    memset(next, 0, sizeof next);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++) {
        cell[i] = ((int)(x[i] * G) * G + (int)(y[i] * G)) * G + (int)(z[i] * G);
        __atomic_fetch_add(&next[cell[i]], 1, __ATOMIC_RELAXED);
    }
    for (int c = 0, all = 0; c < CELLS; c++) {
        first[c] = all;
        all += next[c];
        next[c] = first[c];
        first[c + 1] = all;
    }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++) {
        int k = __atomic_fetch_add(&next[cell[i]], 1, __ATOMIC_RELAXED);
        id[k] = i;
        sx[k] = x[i];
        sy[k] = y[i];
        sz[k] = z[i];
    }
}

#ifdef __AVX512F__

/* Sixteen neighbours at a time; those past the end of the run count as too far away. */
static inline __m512
add_run(__m512 sum, int p, int from, int to)
{
    const __m512 px = _mm512_set1_ps(sx[p]), py = _mm512_set1_ps(sy[p]), pz = _mm512_set1_ps(sz[p]);
    for (int k = from; k < to; k += 16) {
        const __mmask16 some = to - k < 16 ? (__mmask16)((1u << (to - k)) - 1) : (__mmask16)0xffff;
        const __m512 dx = _mm512_sub_ps(_mm512_maskz_loadu_ps(some, sx + k), px),
                     dy = _mm512_sub_ps(_mm512_maskz_loadu_ps(some, sy + k), py),
                     dz = _mm512_sub_ps(_mm512_maskz_loadu_ps(some, sz + k), pz);
        const __m512 square =
            _mm512_fmadd_ps(dx, dx, _mm512_fmadd_ps(dy, dy, _mm512_mul_ps(dz, dz)));
        const __m512 t = _mm512_fnmadd_ps(square, _mm512_set1_ps(G * G), _mm512_set1_ps(1)),
                     near = _mm512_maskz_max_ps(some, t, _mm512_setzero_ps());
        sum = _mm512_fmadd_ps(_mm512_mul_ps(near, near), near, sum);
    }
    return sum;
}

typedef __m512 Sum;
#define NOTHING _mm512_setzero_ps()
#define TOTAL(sum) _mm512_reduce_add_ps(sum)

#else

static inline float
add_run(float s, int p, int from, int to)
{
    float px = sx[p], py = sy[p], pz = sz[p];
    for (int k = from; k < to; k++) {
        float dx = sx[k] - px, dy = sy[k] - py, dz = sz[k] - pz;
        float t = 1 - (dx * dx + (dy * dy + dz * dz)) * (G * G);
        t = t > 0 ? t : 0;
        s += t * t * t;
    }
    return s;
}

typedef float Sum;
#define NOTHING 0
#define TOTAL(sum) (sum)

#endif

static void
find_density_of_cell(int a, int b, int c)
{
    int here = (a * G + b) * G + c, low = c > 0 ? -1 : 0, high = c < G - 1 ? 2 : 1;
    for (int p = first[here]; p < first[here + 1]; p++) {
        Sum s = NOTHING;
        for (int i = a > 0 ? a - 1 : 0; i <= a + 1 && i < G; i++)
            for (int j = b > 0 ? b - 1 : 0; j <= b + 1 && j < G; j++) {
                int row = (i * G + j) * G + c;
                s = add_run(s, p, first[row + low], first[row + high]);
            }
        density[id[p]] = TOTAL(s);
    }
}

static void
find_density(void)
{
#pragma omp parallel for collapse(2) schedule(dynamic, 8)
    for (int a = 0; a < G; a++)
        for (int b = 0; b < G; b++)
            for (int c = 0; c < G; c++)
                find_density_of_cell(a, b, c);
}

int
main(int argc, char **argv)
{
    long repeats = argument(argc, argv, 1, 5);
    double sum = 0;
    for (long i = 0; i < N; i++) {
        x[i] = part_of_sequence(i, 0.8191725133961645);
        y[i] = part_of_sequence(i, 0.6710436067037893);
        z[i] = part_of_sequence(i, 0.5497004779019703);
    }
    MEASURE(1, repeats, "bin")
        bin();
    MEASURE(1, repeats, "density")
        find_density();
    for (int i = 0; i < N; i++)
        sum += density[i];
    printf("checksum %.9e density\n", sum);
    return 0;
}
