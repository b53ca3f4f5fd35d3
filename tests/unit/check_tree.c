/* check_tree.c - trees against a plain model, under random operations. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "snlrt.h"
#include "suite.h"

enum { LEVELS = 4, SIDE = 24, STEPS = 6000 };

/* One node of a path over two axes. */
typedef struct {
    int kind;
    int64_t size[2];
} Level;

typedef struct {
    const char *name;
    int count;
    Level level[LEVELS];
    bool column_major;
    float ambient;
} Shape;

static const Shape shapes[] = {
    { "dense", 1, { { SNL_DENSE, { 24, 24 } } }, false, 0 },
    { "dense ambient", 2, { { SNL_DENSE, { 3, 6 } }, { SNL_DENSE, { 8, 4 } } }, true, 2.5f },
    { "bitmasked", 1, { { SNL_BITMASKED, { 24, 24 } } }, false, 0 },
    { "pointer", 2, { { SNL_POINTER, { 6, 3 } }, { SNL_DENSE, { 4, 8 } } }, false, 1.5f },
    { "pointer of bitmasked", 3,
      { { SNL_POINTER, { 3, 2 } }, { SNL_POINTER, { 2, 3 } }, { SNL_BITMASKED, { 4, 4 } } },
      true, -1 },
    { "bitmasked of pointer", 3,
      { { SNL_BITMASKED, { 3, 3 } }, { SNL_POINTER, { 4, 4 } }, { SNL_DENSE, { 2, 2 } } },
      false, 0 },
    { "dense of pointer of dense", 4,
      { { SNL_DENSE, { 2, 2 } }, { SNL_POINTER, { 3, 3 } }, { SNL_DENSE, { 2, 2 } },
        { SNL_BITMASKED, { 2, 2 } } }, false, 7 },
    { "hash", 2, { { SNL_HASH, { 12, 8 } }, { SNL_DENSE, { 2, 3 } } }, false, 3 },
    { "hash of hash", 3,
      { { SNL_HASH, { 6, 3 } }, { SNL_HASH, { 2, 2 } }, { SNL_BITMASKED, { 2, 4 } } }, true, 0 },
    { "pointer of hash", 2, { { SNL_POINTER, { 3, 3 } }, { SNL_HASH, { 8, 8 } } }, false, 4 },
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* A tree and its descriptors. */
typedef struct {
    const Shape *shape;
    SnlNodeDesc nodes[LEVELS];
    SnlLeafDesc leaves[2];
    double ambient_y;
    SnlTreeDesc desc;
    SnlInstance rt;
    SnlTree *tree;
} Rig;

static int64_t
padded(int64_t size)
{
    int64_t p = 1;
    while (p < size)
        p *= 2;
    return p;
}

static int64_t
bytes_of(const SnlNodeDesc *d)
{
    switch (d->kind) {
    case SNL_POINTER: return d->cell_count * 8 + (d->cell_count + 63) / 64 * 8;
    case SNL_DYNAMIC: return SNL_DYNAMIC_BYTES;
    case SNL_HASH: return SNL_HASH_BYTES;
    case SNL_BITMASKED:
        return (d->cell_count * d->cell_bytes + 7) / 8 * 8 + (d->cell_count + 63) / 64 * 8;
    default: return d->cell_count * d->cell_bytes;
    }
}

static void
rig_start(Rig *r, const Shape *shape, int threads)
{
    memset(r, 0, sizeof *r);
    r->shape = shape;
    r->ambient_y = shape->ambient * 2.0;
    for (int k = shape->count - 1; k >= 0; k--) {
        SnlNodeDesc *d = &r->nodes[k];
        *d = (SnlNodeDesc){ .kind = shape->level[k].kind, .parent = k - 1, .name = "S",
                            .axis_count = 2, .chunk = 1 };
        d->cell_count = 1;
        for (int a = 0; a < 2; a++) {
            int axis = shape->column_major ? 1 - a : a;
            d->axes[a] = axis;
            d->sizes[a] = shape->level[k].size[axis];
            d->stored[a] = padded(d->sizes[a]);
            d->cell_count *= d->stored[a];
        }
        d->cell_bytes = k == shape->count - 1 ? 16 : r->nodes[k + 1].container_bytes;
        d->container_bytes = bytes_of(d);
    }
    r->leaves[0] = (SnlLeafDesc){ shape->count - 1, 0, SNL_F32, 1, "x", 0, &shape->ambient };
    r->leaves[1] = (SnlLeafDesc){ shape->count - 1, 8, SNL_F64, 1, "y", 0, &r->ambient_y };
    r->desc = (SnlTreeDesc){ shape->name, r->nodes, shape->count, r->leaves, 2, 0 };
    snl_instance_init(&r->rt, NULL, threads, 1, 0);
    ck_assert_int_eq(snl_tree_create(&r->rt, &r->desc, NULL, &r->tree), SNL_OK);
}

static void
rig_end(Rig *r)
{
    snl_tree_destroy(r->tree);
    ck_assert_uint_eq(r->rt.bytes_used, 0);
    snl_instance_free(&r->rt);
}

/* The plain model: for each level what is active, and the values. */
typedef struct {
    bool active[LEVELS][SIDE][SIDE];
    float x[SIDE][SIDE];
} Model;

/* Field cells along an axis that a cell of a level spans. */
static int64_t
span(const Shape *s, int level, int axis)
{
    int64_t n = 1;
    for (int k = level + 1; k < s->count; k++)
        n *= s->level[k].size[axis];
    return n;
}

static bool
model_active(const Model *m, const Shape *s, int level, int64_t i, int64_t j)
{
    for (int k = 0; k <= level; k++) {
        int64_t di = span(s, k, 0) / span(s, level, 0), dj = span(s, k, 1) / span(s, level, 1);
        if (s->level[k].kind != SNL_DENSE && !m->active[k][i / di][j / dj])
            return false;
    }
    return true;
}

static void
model_start(Model *m, const Shape *s)
{
    memset(m, 0, sizeof *m);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            m->x[i][j] = s->ambient;
}

/* Deactivates a cell of a level and what is below. */
static void
model_deactivate(Model *m, const Shape *s, int level, int64_t i, int64_t j)
{
    int64_t si = span(s, level, 0), sj = span(s, level, 1);
    if (s->level[level].kind == SNL_DENSE)
        return;
    for (int64_t a = i * si; a < (i + 1) * si; a++)
        for (int64_t b = j * sj; b < (j + 1) * sj; b++) {
            m->x[a][b] = s->ambient;
            for (int k = level; k < s->count; k++)
                m->active[k][a / span(s, k, 0)][b / span(s, k, 1)] = false;
        }
}

static void
model_activate(Model *m, const Shape *s, int level, int64_t i, int64_t j)
{
    for (int k = 0; k <= level; k++)
        m->active[k][i * span(s, level, 0) / span(s, k, 0)]
                 [j * span(s, level, 1) / span(s, k, 1)] = true;
}

static void
compare(Rig *r, const Model *m)
{
    const Shape *s = r->shape;
    for (int level = 0; level < s->count; level++) {
        int64_t ni = SIDE / span(s, level, 0), nj = SIDE / span(s, level, 1), active = 0;
        const SnlList *list;
        for (int64_t i = 0; i < ni; i++)
            for (int64_t j = 0; j < nj; j++) {
                int64_t coord[SNL_AXES] = { i, j };
                bool want = model_active(m, s, level, i, j);
                ck_assert_int_eq(snl_cell_is_active(r->tree, level, coord), want);
                active += want;
            }
        ck_assert_int_eq(snl_tree_active(r->tree, level), active);
        list = snl_tree_list(r->tree, level);
        ck_assert_int_eq(list->count, active);
        for (int64_t k = 0; k < list->count; k++) {
            const SnlListEntry *e = &list->entries[k];
            ck_assert(model_active(m, s, level, e->coord[0], e->coord[1]));
            ck_assert_ptr_eq(e->cell, snl_cell_at(r->tree, level, e->coord, SNL_READ));
        }
    }
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < SIDE; j++) {
            int64_t coord[SNL_AXES] = { i, j };
            char *cell = snl_cell_at(r->tree, s->count - 1, coord, SNL_READ);
            ck_assert_float_eq(*(float *)(void *)cell, m->x[i][j]);
            ck_assert_double_eq(*(double *)(void *)(cell + 8), 2.0 * (double)m->x[i][j]);
        }
}

static void
write_cell(Rig *r, int64_t i, int64_t j, float value)
{
    int64_t coord[SNL_AXES] = { i, j };
    char *cell = snl_cell_at(r->tree, r->shape->count - 1, coord, SNL_ACTIVATE);
    *(float *)(void *)cell = value;
    *(double *)(void *)(cell + 8) = 2.0 * (double)value;
}

/* One random operation on both. */
static void
random_step(Rig *r, Model *m, SnlRandom *random)
{
    const Shape *s = r->shape;
    int level = (int)(snl_random_u32(random) % (unsigned)s->count);
    int64_t i = snl_random_u32(random) % SIDE, j = snl_random_u32(random) % SIDE;
    int64_t coord[SNL_AXES] = { i / span(s, level, 0), j / span(s, level, 1) };
    uint32_t what = snl_random_u32(random) % 100;
    if (what < 55) {
        m->x[i][j] = snl_random_f32(random);
        model_activate(m, s, s->count - 1, i, j);
        write_cell(r, i, j, m->x[i][j]);
    } else if (what < 65) {
        model_activate(m, s, level, coord[0], coord[1]);
        snl_cell_at(r->tree, level, coord, SNL_ACTIVATE);
    } else if (what < 90) {
        model_deactivate(m, s, level, coord[0], coord[1]);
        snl_cell_deactivate(r->tree, level, coord);
    } else if (what < 96) {
        snl_tree_gc(r->tree);
    } else if (what < 98) {
        snl_tree_trim(r->tree);
    } else if (what == 99 && s->level[level].kind != SNL_DENSE) {
        for (int64_t a = 0; a < SIDE / span(s, level, 0); a++)
            for (int64_t b = 0; b < SIDE / span(s, level, 1); b++)
                model_deactivate(m, s, level, a, b);
        snl_tree_deactivate_all(r->tree, level);
    }
}

static void
check_random(const Shape *shape, int threads)
{
    Rig r;
    Model *m = malloc(sizeof *m);
    SnlRandom random;
    rig_start(&r, shape, threads);
    model_start(m, shape);
    snl_random_init(&random, 42, (uint64_t)threads, 0);
    for (int step = 0; step < STEPS; step++) {
        random_step(&r, m, &random);
        if (step % 200 == 0)
            compare(&r, m);
    }
    compare(&r, m);
    ck_assert(!snl_failed(&r.rt));
    free(m);
    rig_end(&r);
}

START_TEST(random_operations_serial) { check_random(&shapes[_i], 1); }
END_TEST

START_TEST(random_operations_threads) { check_random(&shapes[_i], 4); }
END_TEST

static void
write_all(void *args, int64_t chunk, int64_t from, int64_t to)
{
    (void)chunk;
    for (int64_t k = from; k < to; k++) {
        int64_t at = k * 7919 % (SIDE * SIDE);
        write_cell(args, at / SIDE, at % SIDE, (float)at);
    }
}

static void
drop_some(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Rig *r = args;
    (void)chunk;
    for (int64_t k = from; k < to; k++) {
        int64_t coord[SNL_AXES] = { k / 2 % 2, 0 };
        snl_cell_deactivate(r->tree, 0, coord);
        if (k % 5 == 0)
            write_cell(r, SIDE - 1, k % SIDE, 1);
    }
}

START_TEST(threads_activate_and_deactivate)
{
    const Shape *s = &shapes[_i];
    Model *m = malloc(sizeof *m);
    Rig r;
    uint64_t bytes = 0;
    rig_start(&r, s, 4);
    for (int round = 0; round < 60; round++) {
        model_start(m, s);
        snl_parallel_for(&r.rt, SIDE * SIDE, 64, write_all, &r);
        for (int64_t at = 0; at < SIDE * SIDE; at++) {
            m->x[at / SIDE][at % SIDE] = (float)at;
            model_activate(m, s, s->count - 1, at / SIDE, at % SIDE);
        }
        compare(&r, m);
        snl_parallel_for(&r.rt, 400, 64, drop_some, &r);
        snl_tree_gc(r.tree);
        for (int64_t k = 0; k < SIDE; k++)
            m->x[SIDE - 1][k] = 1;
        for (int64_t k = 0; k < 2; k++)
            model_deactivate(m, s, 0, k, 0);
        compare(&r, m);
        if (round == 10)
            bytes = r.rt.bytes_used;
    }
    ck_assert_uint_le(r.rt.bytes_used, bytes + bytes / 2);
    ck_assert(!snl_failed(&r.rt));
    free(m);
    rig_end(&r);
}
END_TEST

/* A tree  dense i[4] { dynamic j[size] { x } }. */
static void
list_start(Rig *r, int64_t size, int64_t chunk, int threads)
{
    static const Shape shape = { "lists", 2, { { SNL_DENSE, { 0, 0 } } }, false, 9.0f };
    memset(r, 0, sizeof *r);
    r->shape = &shape;
    r->nodes[0] = (SnlNodeDesc){ SNL_DENSE, -1, "S1dense", NULL, 1, { 0 }, { 4 }, { 4 }, 4,
                                 SNL_DYNAMIC_BYTES, 4 * SNL_DYNAMIC_BYTES, 0, 0, { 0 } };
    r->nodes[1] = (SnlNodeDesc){ SNL_DYNAMIC, 0, "S2dynamic", "list", 1, { 1 }, { size }, { size },
                                 size, 4, SNL_DYNAMIC_BYTES, 0, chunk, { 0 } };
    r->leaves[0] = (SnlLeafDesc){ 1, 0, SNL_F32, 1, "x", 0, &shape.ambient };
    r->desc = (SnlTreeDesc){ "lists", r->nodes, 2, r->leaves, 1, 0 };
    snl_instance_init(&r->rt, NULL, threads, 1, 0);
    ck_assert_int_eq(snl_tree_create(&r->rt, &r->desc, NULL, &r->tree), SNL_OK);
}

static void *
list_of(Rig *r, int64_t i)
{
    return r->tree->root[0] + i * SNL_DYNAMIC_BYTES;
}

START_TEST(dynamic_lists)
{
    static const int threads[] = { 1, 4 };
    Rig r;
    float model[4][50];
    int64_t length[4] = { 0 };
    SnlRandom random;
    snl_random_init(&random, 7, 0, 0);
    list_start(&r, 50, 8, threads[_i]);
    for (int step = 0; step < 20000; step++) {
        int64_t i = snl_random_u32(&random) % 4, at = snl_random_u32(&random) % 50;
        uint32_t what = snl_random_u32(&random) % 64;
        void *cell;
        if (what < 40 && length[i] < 50) {
            ck_assert_int_eq(snl_dynamic_append(r.tree, 1, list_of(&r, i), &cell), length[i]);
            ck_assert_float_eq(*(float *)cell, 9.0f);
            *(float *)cell = model[i][length[i]++] = (float)step;
        } else if (what < 50) {
            cell = snl_dynamic_activate(r.tree, 1, list_of(&r, i), at);
            while (length[i] <= at)
                model[i][length[i]++] = 9.0f;
            *(float *)cell = model[i][at] = (float)-step;
        } else if (what < 53) {
            snl_dynamic_deactivate(r.tree, 1, list_of(&r, i));
            length[i] = 0;
        } else if (what < 54) {
            snl_tree_gc(r.tree);
        } else if (what < 55) {
            snl_tree_trim(r.tree);
        }
        ck_assert_int_eq(snl_dynamic_length(r.tree, 1, list_of(&r, i)), length[i]);
        cell = snl_dynamic_lookup(r.tree, 1, list_of(&r, i), at);
        ck_assert_float_eq(*(float *)cell, at < length[i] ? model[i][at] : 9.0f);
        if (step % 100 == 0) {
            const SnlList *list = snl_tree_list(r.tree, 1);
            ck_assert_int_eq(list->count, length[0] + length[1] + length[2] + length[3]);
            for (int64_t k = 0; k < list->count; k++) {
                const SnlListEntry *e = &list->entries[k];
                ck_assert_float_eq(*(float *)(void *)e->cell, model[e->coord[0]][e->coord[1]]);
            }
        }
    }
    ck_assert(!snl_failed(&r.rt));
    rig_end(&r);
}
END_TEST

START_TEST(full_list_is_an_error)
{
    Rig r;
    void *cell;
    list_start(&r, 10, 4, 1);
    for (int64_t k = 0; k < 10; k++)
        ck_assert_int_eq(snl_dynamic_append(r.tree, 1, list_of(&r, 2), &cell), k);
    ck_assert_int_eq(snl_dynamic_append(r.tree, 1, list_of(&r, 2), &cell), -1);
    *(float *)cell = 1;
    ck_assert_int_eq(snl_status_of(&r.rt), SNL_EFULL);
    snl_error_at(&r.rt, "a.snl", 12);
    ck_assert_str_eq(snl_message(&r.rt),
                     "a.snl:12: list 'list' is full: it holds at most 10 cells");
    snl_clear_error(&r.rt);
    ck_assert_int_eq(snl_dynamic_length(r.tree, 1, list_of(&r, 2)), 10);
    rig_end(&r);
}
END_TEST

static void
append_all(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Rig *r = args;
    (void)chunk;
    for (int64_t k = from; k < to; k++) {
        void *cell;
        snl_dynamic_append(r->tree, 1, list_of(r, k % 4), &cell);
        *(float *)cell = (float)k;
    }
}

START_TEST(threads_append)
{
    Rig r;
    list_start(&r, 100000, 32, 4);
    for (int round = 0; round < 5; round++) {
        double sum = 0;
        const SnlList *list;
        snl_parallel_for(&r.rt, 100000, 64, append_all, &r);
        list = snl_tree_list(r.tree, 1);
        ck_assert_int_eq(list->count, 100000);
        for (int64_t k = 0; k < list->count; k++)
            sum += *(float *)(void *)list->entries[k].cell;
        ck_assert_double_eq(sum, 99999.0 * 100000.0 / 2);
        snl_tree_deactivate_all(r.tree, 1);
        snl_tree_gc(r.tree);
        ck_assert_int_eq(snl_tree_active(r.tree, 1), 0);
    }
    rig_end(&r);
}
END_TEST

/* Allocator that fails after a number of calls. */
static void *
failing_alloc(void *ctx, size_t bytes, size_t align)
{
    return --*(int *)ctx < 0 ? NULL : aligned_alloc(align, bytes);
}

static void
failing_release(void *ctx, void *ptr, size_t bytes)
{
    (void)ctx;
    (void)bytes;
    free(ptr);
}

START_TEST(out_of_memory)
{
    Rig r;
    rig_start(&r, &shapes[_i], 1);
    snl_tree_destroy(r.tree);
    for (int allowed = 0; allowed < 60; allowed++) {
        int left = allowed;
        SnlAllocator allocator = { failing_alloc, failing_release, &left };
        snl_instance_init(&r.rt, &allocator, 1, 1, 0);
        if (snl_tree_create(&r.rt, &r.desc, NULL, &r.tree) == SNL_OK) {
            for (int64_t k = 0; k < SIDE * SIDE; k++)
                write_cell(&r, k / SIDE, k % SIDE, 1);
            snl_tree_list(r.tree, r.shape->count - 1);
            snl_tree_deactivate_all(r.tree, 0);
            snl_tree_gc(r.tree);
            snl_tree_trim(r.tree);
        } else {
            ck_assert_int_eq(snl_status_of(&r.rt), SNL_ENOMEM);
            ck_assert(strstr(snl_message(&r.rt), "out of memory") != NULL);
        }
        rig_end(&r);
        r.tree = NULL;
    }
}
END_TEST

START_TEST(memory_limit_and_swap)
{
    Rig a, b;
    Model *m = malloc(sizeof *m);
    SnlTree *second, *none;
    int64_t coord[SNL_AXES] = { 5, 6 };
    rig_start(&a, &shapes[3], 1);
    model_start(m, &shapes[3]);
    ck_assert_int_eq(snl_tree_create(&a.rt, &a.desc, NULL, &second), SNL_OK);
    write_cell(&a, 5, 6, 8);
    snl_tree_swap(a.tree, second);
    compare(&a, m);
    ck_assert_float_eq(*(float *)snl_cell_at(second, 1, coord, SNL_READ), 8);
    snl_tree_destroy(second);
    rig_end(&a);
    rig_start(&b, &shapes[0], 1);
    b.rt.memory_limit = 4096;
    ck_assert_int_eq(snl_tree_create(&b.rt, &b.desc, NULL, &none), SNL_ENOMEM);
    ck_assert_ptr_null(none);
    rig_end(&b);
    free(m);
}
END_TEST

/* Changes or shortens a copy of a file. */
static void
spoil(const char *from, const char *to, long at, bool cut)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    int c;
    ck_assert(in && out);
    for (long k = 0; (c = getc(in)) != EOF && !(cut && k == at); k++)
        putc(k == at ? c ^ 0x10 : c, out);
    fclose(in);
    fclose(out);
}

static long
file_bytes(const char *path)
{
    FILE *in = fopen(path, "rb");
    long bytes;
    ck_assert(in != NULL);
    fseek(in, 0, SEEK_END);
    bytes = ftell(in);
    fclose(in);
    return bytes;
}

START_TEST(files)
{
    char path[64], bad[64];
    Rig a, b;
    Model *m = malloc(sizeof *m);
    SnlRandom random;
    SnlIoError error;
    long bytes;
    snprintf(path, sizeof path, "check_tree_%d.snlt", (int)getpid());
    snprintf(bad, sizeof bad, "check_tree_%d.bad.snlt", (int)getpid());
    rig_start(&a, &shapes[_i], 1);
    rig_start(&b, &shapes[_i], 1);
    model_start(m, &shapes[_i]);
    snl_random_init(&random, 5, 0, (uint64_t)_i);
    for (int step = 0; step < 300; step++)
        random_step(&a, m, &random);
    ck_assert_msg(snl_tree_save(a.tree, path, &error), "%s", error.text);
    write_cell(&b, 1, 1, 77);
    bytes = file_bytes(path);
    for (long at = 0; at < bytes; at += 1 + bytes / 150) {
        int64_t coord[SNL_AXES] = { 1, 1 };
        int last = shapes[_i].count - 1;
        spoil(path, bad, at, at & 1);
        ck_assert(!snl_tree_load(b.tree, bad, &error));
        ck_assert_float_eq(*(float *)snl_cell_at(b.tree, last, coord, SNL_READ), 77);
    }
    ck_assert_msg(snl_tree_load(b.tree, path, &error), "%s", error.text);
    compare(&b, m);
    for (int step = 0; step < 300; step++)
        random_step(&b, m, &random);
    compare(&b, m);
    remove(path);
    remove(bad);
    free(m);
    rig_end(&a);
    rig_end(&b);
}
END_TEST

START_TEST(file_of_another_layout)
{
    Rig a, b;
    char path[64];
    SnlIoError error;
    snprintf(path, sizeof path, "check_tree_%d.other.snlt", (int)getpid());
    rig_start(&a, &shapes[0], 1);
    rig_start(&b, &shapes[3], 1);
    ck_assert(snl_tree_save(a.tree, path, &error));
    ck_assert(!snl_tree_load(b.tree, path, &error));
    ck_assert(strstr(error.text, "saved from another layout") != NULL);
    ck_assert(!snl_tree_load(b.tree, "no/such/file.snlt", &error));
    remove(path);
    rig_end(&a);
    rig_end(&b);
}
END_TEST

START_TEST(sizes_of_the_run_and_root_cell)
{
    static const int32_t start = 5;
    static const float one = 1;
    static const SnlNodeDesc nodes[] = {
        { SNL_DENSE, -1, "S1dense", NULL, 2, { 0, 1 }, { 0, 0 }, { 0, 0 }, 0, 24, 0, 0, 0, { 0 } },
        { SNL_BITMASKED, 0, "S2bitmasked", NULL, 1, { 1 }, { 3 }, { 4 }, 4, 4, 24, 0, 0, { 0 } },
        { SNL_POINTER, -1, "S3pointer", NULL, 1, { 0 }, { 0 }, { 0 }, 0, 4, 0, 0, 0, { 0 } },
    };
    static const SnlLeafDesc leaves[] = {
        { 1, 0, SNL_F32, 1, "x", 0, &one },
        { 2, 0, SNL_F32, 1, "y", 0, NULL },
        { -1, 8, SNL_I32, 1, "n", 0, &start },
    };
    static const SnlTreeDesc desc = { "sized", nodes, 3, leaves, 3, 16 };
    int64_t sizes[3 * SNL_AXES] = { 5, 7, [2 * SNL_AXES] = 9 };
    int64_t coord[SNL_AXES] = { 4, 20 }, outside[SNL_AXES] = { 4, 21 };
    SnlInstance rt;
    SnlTree *tree;
    snl_instance_init(&rt, NULL, 2, 1, 0);
    ck_assert_int_eq(snl_tree_create(&rt, &desc, sizes, &tree), SNL_OK);
    ck_assert_int_eq(*(int32_t *)(void *)(tree->root_cell + 8), 5);
    ck_assert_int_eq(snl_tree_active(tree, 0), 35);
    ck_assert_float_eq(*(float *)snl_cell_at(tree, 1, coord, SNL_READ), 1);
    *(float *)snl_cell_at(tree, 1, coord, SNL_ACTIVATE) = 3;
    ck_assert_int_eq(snl_tree_active(tree, 1), 1);
    ck_assert_int_eq(snl_tree_list(tree, 1)->entries[0].coord[1], 20);
    ck_assert_float_eq(*(float *)snl_cell_at(tree, 1, outside, SNL_READ), 1);
    ck_assert(!snl_failed(&rt));
    snl_cell_at(tree, 1, outside, SNL_ACTIVATE);
    ck_assert_int_eq(snl_status_of(&rt), SNL_ERANGE);
    snl_clear_error(&rt);
    *(int32_t *)(void *)(tree->root_cell + 8) = 6;
    snl_tree_reset(tree);
    ck_assert_int_eq(*(int32_t *)(void *)(tree->root_cell + 8), 5);
    ck_assert_float_eq(*(float *)snl_cell_at(tree, 1, coord, SNL_READ), 1);
    ck_assert_int_eq(snl_tree_active(tree, 1), 0);
    snl_tree_destroy(tree);
    sizes[1] = 0;
    ck_assert_int_eq(snl_tree_create(&rt, &desc, sizes, &tree), SNL_EINVAL);
    snl_clear_error(&rt);
    sizes[1] = INT64_MAX / 8;
    ck_assert_int_eq(snl_tree_create(&rt, &desc, sizes, &tree), SNL_EINVAL);
    snl_clear_error(&rt);
    sizes[1] = (int64_t)1 << 44;
    ck_assert_int_eq(snl_tree_create(&rt, &desc, sizes, &tree), SNL_ENOMEM);
    ck_assert_uint_eq(rt.bytes_used, 0);
    snl_instance_free(&rt);
}
END_TEST

static void
mark(void *args, int64_t chunk, int64_t from, int64_t to)
{
    int *marks = args;
    for (int64_t k = from; k < to; k++)
        marks[k] += (int)chunk + 1;
}

START_TEST(loops_run_each_iteration_once)
{
    static const int64_t counts[] = { 0, 1, 63, 64, 65, 1000 };
    SnlInstance rt;
    for (int threads = 1; threads <= 5; threads += 2)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            int marks[1000] = { 0 };
            int64_t n = counts[c], chunks = snl_chunk_count(n, 3);
            snl_instance_init(&rt, NULL, threads, 1, 0);
            snl_parallel_for(&rt, n, chunks, mark, marks);
            for (int64_t chunk = 0, k = 0; k < n; k++) {
                while (k >= snl_chunk_start(n, chunks, chunk + 1))
                    chunk++;
                ck_assert_int_eq(marks[k], chunk + 1);
            }
            snl_instance_free(&rt);
        }
}
END_TEST

START_TEST(even_chunks_are_powers_of_two)
{
    static const int64_t wanted[][3] = {{-1, 3, 0},  {0, 3, 0},   {1, 3, 1},
                                        {11, 3, 2},  {12, 3, 4},  {200000, 11637, 16},
                                        {63, 1, 32}, {64, 0, 64}, {INT64_MAX, 1, 64}};
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++)
        ck_assert_int_eq(snl_even_chunk_count(wanted[k][0], wanted[k][1]), wanted[k][2]);
}
END_TEST

static Suite *
tree_suite(void)
{
    Suite *suite = suite_create("tree");
    TCase *random = tcase_create("random"), *lists = tcase_create("lists"),
          *memory = tcase_create("memory");
    tcase_set_timeout(random, 120);
    tcase_set_timeout(lists, 120);
    tcase_add_loop_test(random, random_operations_serial, 0, SHAPES);
    tcase_add_loop_test(random, random_operations_threads, 0, SHAPES);
    tcase_add_loop_test(random, threads_activate_and_deactivate, 0, SHAPES);
    tcase_add_loop_test(lists, dynamic_lists, 0, 2);
    tcase_add_test(lists, full_list_is_an_error);
    tcase_add_test(lists, threads_append);
    tcase_add_loop_test(memory, out_of_memory, 0, SHAPES);
    tcase_add_test(lists, even_chunks_are_powers_of_two);
    tcase_add_test(memory, memory_limit_and_swap);
    tcase_add_loop_test(memory, files, 0, SHAPES);
    tcase_add_test(memory, file_of_another_layout);
    tcase_add_test(memory, sizes_of_the_run_and_root_cell);
    tcase_add_test(lists, loops_run_each_iteration_once);
    suite_add_tcase(suite, random);
    suite_add_tcase(suite, lists);
    suite_add_tcase(suite, memory);
    return suite;
}

int
main(void)
{
    return run_suite(tree_suite());
}
