/* transfer.c - between a fine grid in blocks and one of half as many cells along each axis, by
 * hand, block by block: each block that is needed is found once. What lies around a block is copied
 * first where it is needed, with the sums in the order of the formulas. Arguments: cube (blocks of
 * 8 x 8 x 8) or plane (16 x 16), 1 where blocks are found by a map of pointers, repeats. */
#include "bench.h"

enum { CUBE = 128, CB = 8, PLANE = 2048, PB = 16 };

/* A grid: n blocks along each axis, one behind the other, and where they are. */
typedef struct {
    int n;
    float *cells, **map;
} Grid;

static int by_map, planes;

/* The block at these coordinates: the nearest one where they lie outside. */
static inline float *
block_at(const Grid *g, long i, long j, long k)
{
    const long last = g->n - 1, bytes = planes ? PB * PB : CB * CB * CB;
    i = i < 0 ? 0 : i > last ? last : i;
    j = j < 0 ? 0 : j > last ? last : j;
    k = k < 0 ? 0 : k > last ? last : k;
    const long number = planes ? j * g->n + k : (i * g->n + j) * g->n + k;
    return by_map ? g->map[number] : g->cells + number * bytes;
}

static Grid
new_grid(int n)
{
    const long blocks = (planes ? 1L : n) * n * n, cells = planes ? PB * PB : CB * CB * CB;
    Grid g = {n, pages(4 * (size_t)(blocks * cells)), pages(sizeof(float *) * (size_t)blocks)};
    for (long b = 0; b < blocks; b++)
        g.map[b] = g.cells + b * cells;
    return g;
}

/* For each block (i, j, k) of a grid, shared by the threads; planes have i = 0 alone. */
#define EACH_BLOCK(g)                                                                           \
    _Pragma(                                                                                    \
        "omp parallel for schedule(static) collapse(3)") for (long i = 0;                       \
                                                              i < (planes ? 1 : (g)->n);        \
                                                              i++) for (long j = 0; j < (g)->n; \
                                                                        j++) for (long k = 0;   \
                                                                                  k < (g)->n; k++)

/* ---- blocks of 8 x 8 x 8 ---- */

static void
sum_octant(const float *f, float *c)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const float *r = f + 128 * i + 16 * j;
            for (int k = 0; k < 4; k++)
                c[64 * i + 8 * j + k] = r[2 * k] + r[2 * k + 1] + r[2 * k + 8] + r[2 * k + 9] +
                                        r[2 * k + 64] + r[2 * k + 65] + r[2 * k + 72] +
                                        r[2 * k + 73];
        }
}

static void
sum_cube(const Grid *fine, const Grid *coarse)
{
    EACH_BLOCK(coarse)
    {
        float *c = block_at(coarse, i, j, k);
        for (int q = 0; q < 8; q++)
            sum_octant(block_at(fine, 2 * i + q / 4, 2 * j + q / 2 % 2, 2 * k + q % 2),
                       c + 256 * (q / 4) + 32 * (q / 2 % 2) + 4 * (q % 2));
    }
}

/* The cells before, in, and after a block of the fine grid that a coarse one needs. */
static void
copy_cube(const Grid *fine, long I, long J, long K, float near[17][17][24])
{
    for (int i = -1; i < 16; i++)
        for (int j = -1; j < 16; j++) {
            const long q = 64 * (i & 7) + 8 * (j & 7);
            const long bi = 2 * I + (i >> 3), bj = 2 * J + (j >> 3);
            near[i + 1][j + 1][7] = block_at(fine, bi, bj, 2 * K - 1)[q + 7];
            memcpy(near[i + 1][j + 1] + 8, block_at(fine, bi, bj, 2 * K) + q, 32);
            memcpy(near[i + 1][j + 1] + 16, block_at(fine, bi, bj, 2 * K + 1) + q, 32);
        }
}

static void
weigh_cube(const Grid *fine, const Grid *coarse)
{
    EACH_BLOCK(coarse)
    {
        float near[17][17][24], *o = block_at(coarse, i, j, k);
        copy_cube(fine, i, j, k, near);
        for (int x = i ? 0 : 1; x < 8; x++)
            for (int y = j ? 0 : 1; y < 8; y++)
                for (int z = 0; z < 8; z++) {
                    float s = 0;
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 3; b++)
                            for (int c = 0; c < 3; c++)
                                s += near[2 * x + a][2 * y + b][2 * z + 7 + c] *
                                     (float)((1 + a % 2) * (1 + b % 2) * (1 + c % 2));
                    float *to = &o[64 * x + 8 * y + z];
                    *to = z || k ? s * (1.0f / 64) : *to;
                }
    }
}

typedef float Four __attribute__((vector_size(16), aligned(4)));
typedef float Eight __attribute__((vector_size(32), aligned(4)));

/* Four cells, each of them twice. */
static inline Eight
doubled(const float *c)
{
    const Four v = *(const Four *)c;
    return __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3);
}

static void
extend_cube(const Grid *fine, const Grid *coarse)
{
    EACH_BLOCK(fine)
    {
        const float *c =
            block_at(coarse, i / 2, j / 2, k / 2) + 256 * (i % 2) + 32 * (j % 2) + 4 * (k % 2);
        float *f = block_at(fine, i, j, k);
        for (int q = 0; q < 16; q++) {
            const Eight row = doubled(c + 64 * (q / 4) + 8 * (q % 4));
            for (int r = 0; r < 4; r++)
                *(Eight *)(f + 64 * (q / 4 * 2 + r / 2) + 8 * (q % 4 * 2 + r % 2)) += row;
        }
    }
}

/* Of a row of coarse cells, what lies above each fine cell of a row, and above the next one. */
typedef struct {
    Eight at, after;
} Above;

/* `next`: the cell after the four. */
static inline Above
above(const float *c, float next)
{
    const Eight at = doubled(c), last = {next};
    return (Above){at, __builtin_shufflevector(at, last, 1, 2, 3, 4, 5, 6, 7, 8)};
}

static inline Eight
sum_above(Above a, Above b, Above c, Above d)
{
    return 0.0f + a.at + a.after + b.at + b.after + c.at + c.after + d.at + d.after;
}

/* Adds to a row of the fine grid, but not to the last cell of the grid. */
static inline void
add_row(float *f, Eight v, int is_last)
{
    if (is_last)
        v[7] = 0;
    *(Eight *)f += v;
}

static void
blend_cube(const Grid *fine, const Grid *coarse)
{
    EACH_BLOCK(fine)
    {
        const int n = fine->n - 1;
        float *f = block_at(fine, i, j, k);
        Above near[5][5];
        for (int x = 0; x < 5; x++)
            for (int y = 0; y < 5; y++) {
                const long X = 4 * i + x, Y = 4 * j + y, q = 64 * (X % 8) + 8 * (Y % 8);
                near[x][y] =
                    above(block_at(coarse, X / 8, Y / 8, k / 2) + q + 4 * (k % 2),
                          block_at(coarse, X / 8, Y / 8, (k + 1) / 2)[q + 4 * ((k + 1) % 2)]);
            }
        for (int x = 0; x < (i < n ? 8 : 7); x++)
            for (int y = 0; y < (j < n ? 8 : 7); y++)
                add_row(f + 64 * x + 8 * y,
                        0.125f * sum_above(near[x / 2][y / 2], near[x / 2][(y + 1) / 2],
                                           near[(x + 1) / 2][y / 2],
                                           near[(x + 1) / 2][(y + 1) / 2]),
                        k == n);
    }
}

/* ---- blocks of 16 x 16 ---- */

static void
sum_plane(const Grid *fine, const Grid *coarse)
{
    EACH_BLOCK(coarse)
    {
        float *c = block_at(coarse, 0, j, k);
        for (int q = 0; q < 4; q++) {
            const float *f = block_at(fine, 0, 2 * j + q / 2, 2 * k + q % 2);
            float *to = c + 128 * (q / 2) + 8 * (q % 2);
            for (int y = 0; y < 8; y++)
                for (int z = 0; z < 8; z++) {
                    const float *r = f + 32 * y + 2 * z;
                    to[16 * y + z] = r[0] + r[1] + r[16] + r[17];
                }
        }
    }
}

static void
weigh_plane(const Grid *fine, const Grid *coarse)
{
    EACH_BLOCK(coarse)
    {
        float near[33][48], *o = block_at(coarse, 0, j, k);
        for (int y = -1; y < 32; y++) {
            const long q = 16 * (y & 15), J = 2 * j + (y >> 4);
            near[y + 1][15] = block_at(fine, 0, J, 2 * k - 1)[q + 15];
            memcpy(near[y + 1] + 16, block_at(fine, 0, J, 2 * k) + q, 64);
            memcpy(near[y + 1] + 32, block_at(fine, 0, J, 2 * k + 1) + q, 64);
        }
        for (int y = j ? 0 : 1; y < 16; y++)
            for (int z = 0; z < 16; z++) {
                float s = 0;
                for (int b = 0; b < 3; b++)
                    for (int c = 0; c < 3; c++)
                        s += near[2 * y + b][2 * z + 15 + c] * (float)((1 + b % 2) * (1 + c % 2));
                o[16 * y + z] = z || k ? s * (1.0f / 16) : o[16 * y + z];
            }
    }
}

static void
extend_plane(const Grid *fine, const Grid *coarse)
{
    EACH_BLOCK(fine)
    {
        const float *c = block_at(coarse, 0, j / 2, k / 2) + 128 * (j % 2) + 8 * (k % 2);
        float *f = block_at(fine, 0, j, k);
        for (int q = 0; q < 16; q++) {
            const Eight row = doubled(c + 16 * (q / 2) + 4 * (q % 2));
            for (int r = 0; r < 2; r++)
                *(Eight *)(f + 32 * (q / 2) + 16 * r + 8 * (q % 2)) += row;
        }
    }
}

static void
blend_plane(const Grid *fine, const Grid *coarse)
{
    EACH_BLOCK(fine)
    {
        const int n = fine->n - 1;
        float *f = block_at(fine, 0, j, k);
        Above near[9][2];
        for (int y = 0; y < 9; y++) {
            const long Y = 8 * j + y, q = 16 * (Y % 16);
            const float *c = block_at(coarse, 0, Y / 16, k / 2) + q + 8 * (k % 2);
            near[y][0] = above(c, c[4]);
            near[y][1] =
                above(c + 4, block_at(coarse, 0, Y / 16, (k + 1) / 2)[q + 8 * ((k + 1) % 2)]);
        }
        for (int y = 0; y < (j < n ? 16 : 15); y++)
            for (int h = 0; h < 2; h++) {
                const Above a = near[y / 2][h], b = near[(y + 1) / 2][h];
                add_row(f + 16 * y + 8 * h, 0.25f * (a.at + a.after + b.at + b.after), h && k == n);
            }
    }
}

/* ---- what is measured ---- */

static double
squares(const Grid *g)
{
    const long n = g->n, cells = planes ? n * n * PB * PB : n * n * n * CB * CB * CB;
    double s = 0;
    for (long q = 0; q < cells; q++)
        s += (double)g->cells[q] * g->cells[q];
    return s;
}

static void
start(const Grid *fine)
{
    if (planes) {
        for (long i = 0; i < PLANE; i++)
            for (long j = 0; j < PLANE; j++)
                block_at(fine, 0, i / PB, j / PB)[i % PB * PB + j % PB] =
                    (float)((i * 13 + j * 7) & 1023) * (1.0f / 1024);
        return;
    }
    for (long i = 0; i < CUBE; i++)
        for (long j = 0; j < CUBE; j++)
            for (long k = 0; k < CUBE; k++)
                block_at(fine, i / CB, j / CB, k / CB)[(i % CB * CB + j % CB) * CB + k % CB] =
                    (float)((i * 13 + j * 7 + k * 3) & 1023) * (1.0f / 1024);
}

typedef void Transfer(const Grid *fine, const Grid *coarse);

static void
measure(Transfer *way, const Grid *fine, const Grid *coarse, const Grid *changed, long repeats,
        const char *name)
{
    MEASURE(2, repeats, name)
    way(fine, coarse);
    printf("checksum %.9e %s\n", squares(changed), name);
}

int
main(int argc, char **argv)
{
    planes = strcmp(word(argc, argv, 1, "cube"), "plane") == 0;
    by_map = argument(argc, argv, 2, 0) != 0;
    const long repeats = argument(argc, argv, 3, 7);
    const Grid fine = new_grid(planes ? PLANE / PB : CUBE / CB), coarse = new_grid(fine.n / 2);
    start(&fine);
    measure(planes ? sum_plane : sum_cube, &fine, &coarse, &coarse, repeats, "sum");
    const long cells = planes ? (long)coarse.n * coarse.n * PB * PB
                              : (long)coarse.n * coarse.n * coarse.n * CB * CB * CB;
    memset(coarse.cells, 0, 4 * (size_t)cells);
    measure(planes ? weigh_plane : weigh_cube, &fine, &coarse, &coarse, repeats, "weigh");
    measure(planes ? extend_plane : extend_cube, &fine, &coarse, &fine, repeats, "extend");
    measure(planes ? blend_plane : blend_cube, &fine, &coarse, &fine, repeats, "blend");
    return 0;
}
