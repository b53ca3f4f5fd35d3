/* Calls everything that the C interface of lab.snl has; as C11 and as C++17. Prints what is wrong
 * and gives 1 then. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <snl/snl_meta.h>

#include "lab.h"

static int failures;

static void
check(bool holds, int line, const char *text)
{
    if (holds)
        return;
    failures++;
    fprintf(stderr, "main.c:%d: %s\n", line, text);
}
#define CHECK(condition) check((condition), __LINE__, #condition)

/* The message must begin with file and line of the program and hold the text. */
static bool
says(const lab *w, const char *place, const char *text)
{
    const char *message = lab_message(w);
    bool found = strstr(message, text) && (!place || strstr(message, place));
    if (!found || strcmp(message, snl_message(w)) != 0)
        fprintf(stderr, "the message is: %s\n", message);
    return found && strcmp(message, snl_message(w)) == 0;
}

static lab *
fresh(void)
{
    lab *w = NULL;
    CHECK(lab_create(NULL, &w) == SNL_OK);
    if (!w)
        exit(1);
    CHECK(strcmp(lab_message(w), "") == 0 && strcmp(lab_message(NULL), "") == 0);
    return w;
}

/* ---- params ---- */

static void
test_params(void)
{
    lab_params p = lab_params_default();
    lab *w = NULL;
    float s = 0;
    CHECK(p.n == 4 && p.scale == 2.0f && p.shift.v[0] == 1.0f && p.shift.v[1] == -1.0f &&
          p.strict && strcmp(p.name, "lab") == 0);
    p.n = 2;
    p.scale = 1.0f;
    CHECK(lab_create(&p, &w) == SNL_OK);
    CHECK(lab_init(w) == SNL_OK && lab_sum(w, &s) == SNL_OK && s == 15.0f);
    CHECK(lab_sum(w, NULL) == SNL_EINVAL && says(w, NULL, "result") && lab_sum(w, &s) == SNL_OK);
    CHECK(lab_create(NULL, NULL) == SNL_EINVAL);
    lab_destroy(w);
    p.n = -1;
    w = NULL;
    CHECK(lab_create(&p, &w) == SNL_EINVAL);
    if (w)
        CHECK(says(w, NULL, "-1"));
    lab_destroy(w);
    lab_destroy(NULL);
}

/* ---- kernels and host functions ---- */

static void
test_calls(void)
{
    lab *w = fresh();
    snl_f32x2 a = {{1, 2}}, b = {{3, 4}}, m, pairs[3] = {{{1, 2}}, {{3, 4}}, {{5, 6}}};
    lab_Body light = {{{0, 0}}, 1.5, 7}, heavy = {{{1, -1}}, 2.5, 8}, more;
    float values[12], sum;
    int32_t matrix[2][3] = {{1, 2, 3}, {4, 5, 6}}, done, next;
    int64_t trace;
    double total;
    uint8_t small;
    bool all;
    CHECK(lab_middle(w, a, b, &m) == SNL_OK && m.v[0] == 3.0f && m.v[1] == 2.0f);
    CHECK(lab_heavier(w, light, heavy, &more) == SNL_OK && more.id == 8 && more.mass == 2.5 &&
          more.pos.v[1] == -1.0f);
    for (int i = 0; i < 12; i++)
        values[i] = (float)i;
    CHECK(lab_copy_in(w, values, 12) == SNL_OK && lab_sum(w, &sum) == SNL_OK && sum == 66.0f);
    CHECK(lab_copy_in(w, values, 0) == SNL_OK && lab_copy_in(w, NULL, 0) == SNL_OK);
    CHECK(lab_copy_in(w, NULL, 1) == SNL_EINVAL && says(w, NULL, "NULL"));
    CHECK(lab_copy_in(w, values, -1) == SNL_EINVAL && says(w, NULL, "extent of -1"));
    CHECK(lab_copy_in(w, values, INT64_C(1) << 31) == SNL_EINVAL &&
          says(w, NULL, "extent of 2147483648"));
    CHECK(lab_trace(w, &matrix[0][0], 2, 3, &trace) == SNL_OK && trace == 6);
    CHECK(lab_trace(w, &matrix[0][0], 3, 2, &trace) == SNL_OK && trace == 5);
    CHECK(lab_twice(w, pairs, 3) == SNL_OK && pairs[2].v[1] == 12.0f && pairs[0].v[0] == 2.0f);
    CHECK(lab_all_set(w, &all) == SNL_OK && !all);
    CHECK(lab_touch(w, 3, &total) == SNL_OK && total == 3.0 && lab_touch(w, -1, &total) == SNL_OK &&
          total == 3.0);
    CHECK(lab_play(w, 3, &done) == SNL_OK && done == 3);
    /* 250 + 3 + 4 + 5 + 2 wraps */
    CHECK(lab_narrow(w, 250, 3, 4, 5, 0x4000, &small) == SNL_OK && small == 8);
    CHECK(lab_delete(w, 4, &next) == SNL_OK && next == 5);
    CHECK(lab_new(w) == SNL_OK);
    lab_destroy(w);
}

/* ---- whole fields ---- */

#define ROUND_TRIP(field, name, type, count)                                                 \
    do {                                                                                     \
        type in[count], out[count];                                                          \
        memset(in, 0, sizeof in);                                                            \
        memset(out, 0, sizeof out);                                                          \
        for (size_t i = 0; i < count; i++)                                                   \
            fill_##field(&in[i], (int)i);                                                    \
        CHECK(lab_set_##field(w, in, count) == SNL_OK);                                      \
        CHECK(lab_get_##field(w, out, count) == SNL_OK);                                     \
        CHECK(memcmp(in, out, sizeof in) == 0);                                              \
        CHECK(lab_get_##field(w, out, count - 1) == SNL_EINVAL && says(w, NULL, name));      \
        CHECK(lab_set_##field(w, in, count + 1) == SNL_EINVAL && says(w, NULL, name));       \
        CHECK(lab_get_##field(w, out, -1) == SNL_EINVAL);                                    \
    } while (0)

static void fill_total(double *v, int i) { *v = 1.5 + i; }
static void fill_x(float *v, int i) { *v = 0.5f * (float)i; }
static void fill_v(snl_f32x2 *v, int i) { v->v[0] = (float)i, v->v[1] = (float)-i; }
static void fill_w(snl_f32x2 *v, int i) { fill_v(v, i + 10); }
static void
fill_bodies(lab_Body *v, int i)
{
    v->pos.v[0] = (float)i, v->pos.v[1] = 1.0f, v->mass = 0.1 * i, v->id = 100 + i;
}
static void fill_grid(int32_t *v, int i) { *v = 10 * i; }
static void fill_small(int16_t *v, int i) { *v = (int16_t)(-300 * i); }
static void fill_half(snl_f16 *v, int i) { *v = (snl_f16)(0x3c00 + i); }
static void fill_wide(uint64_t *v, int i) { *v = UINT64_MAX - (uint64_t)i; }
static void fill_flags(bool *v, int i) { *v = i != 1; }
static void fill_cloud(float *v, int i) { *v = (float)(i % 97); }
static void fill_queue(int32_t *v, int i) { *v = i + 1; }
static void fill_centred(float *v, int i) { *v = (float)(i * i); }
static void fill_r_0(float *v, int i) { *v = (float)i; }
static void fill_r_1(float *v, int i) { *v = (float)-i; }

static void
test_fields(void)
{
    lab *w = fresh();
    ROUND_TRIP(total, "total", double, 1);
    ROUND_TRIP(x, "x", float, 12);
    ROUND_TRIP(v, "v", snl_f32x2, 5);
    ROUND_TRIP(w, "w", snl_f32x2, 5);
    ROUND_TRIP(bodies, "bodies", lab_Body, 3);
    ROUND_TRIP(grid, "grid", int32_t, 6);
    ROUND_TRIP(small, "small", int16_t, 4);
    ROUND_TRIP(half, "half", snl_f16, 2);
    ROUND_TRIP(wide, "wide", uint64_t, 2);
    ROUND_TRIP(flags, "flags", bool, 3);
    ROUND_TRIP(cloud, "cloud", float, 1024);
    ROUND_TRIP(queue, "queue", int32_t, 16);
    ROUND_TRIP(centred, "centred", float, 8);
    ROUND_TRIP(r_0, "r#0", float, 4);
    ROUND_TRIP(r_1, "r#1", float, 2);
    lab_destroy(w);
}

static void
test_views(void)
{
    lab *w = fresh();
    float *x, *centred, *cloud;
    snl_f32x2 *v, *apart;
    int32_t *grid, *queue;
    double *total;
    lab_Body *bodies;
    size_t s[2] = {0, 0};
    CHECK(lab_init(w) == SNL_OK);
    CHECK(lab_view_x(w, &x, s) == SNL_OK);
    CHECK(*(float *)((char *)x + 3 * s[0] + 2 * s[1]) == 22.0f);
    CHECK(lab_view_grid(w, &grid, s) == SNL_OK && s[0] == 4 && s[1] == 8);
    grid[3] = 5;    /* grid[1, 1] */
    int32_t all[6];
    CHECK(lab_get_grid(w, all, 6) == SNL_OK && all[4] == 5);
    CHECK(lab_view_v(w, &v, s) == SNL_OK && s[0] == 8);
    CHECK(lab_view_v(w, NULL, s) == SNL_OK && lab_view_v(w, &v, NULL) == SNL_OK);
    CHECK(lab_view_bodies(w, &bodies, s) == SNL_OK && s[0] == sizeof(lab_Body));
    CHECK(lab_view_centred(w, &centred, s) == SNL_OK && s[0] == 4);
    CHECK(lab_view_total(w, &total, s) == SNL_OK && *total == 0.0);
    CHECK(lab_view_w(w, &apart, s) == SNL_EINVAL && says(w, NULL, "'w'"));
    CHECK(lab_view_cloud(w, &cloud, s) == SNL_EINVAL && lab_view_queue(w, &queue, s) == SNL_EINVAL);
    lab_destroy(w);
}

static void
test_sparse(void)
{
    lab *w = fresh();
    int64_t at[6] = {0, 0, 31, 31, 5, 6}, coords[64], bad[2] = {32, 0}, count = -1;
    float in[3] = {1, 2, 3}, out[32], all[1024];
    CHECK(lab_cells_cloud(w, NULL, NULL, 0, &count) == SNL_OK && count == 0);
    CHECK(lab_cells_cloud(w, NULL, NULL, 0, NULL) == SNL_EINVAL && says(w, NULL, "cloud"));
    CHECK(lab_set_cells_cloud(w, at, in, 3) == SNL_OK);
    CHECK(lab_cells_cloud(w, NULL, NULL, 0, &count) == SNL_OK && count == 48);  /* three blocks */
    CHECK(lab_get_cloud(w, all, 1024) == SNL_OK);
    CHECK(all[0] == 1.0f && all[1023] == 2.0f && all[5 * 32 + 6] == 3.0f && all[1] == -1.0f &&
          all[500] == -1.0f);
    CHECK(lab_cells_cloud(w, coords, out, 32, &count) == SNL_OK && count == 48);
    CHECK(coords[0] == 0 && coords[1] == 0 && out[0] == 1.0f && coords[2] == 0 && coords[3] == 1 &&
          out[1] == -1.0f);
    CHECK(lab_set_cells_cloud(w, bad, in, 1) == SNL_ERANGE && says(w, NULL, "32"));
    CHECK(lab_cells_cloud(w, NULL, NULL, 0, &count) == SNL_OK && count == 48);
    CHECK(lab_paint(w, 4) == SNL_OK && lab_get_cloud(w, all, 1024) == SNL_OK && all[33] == 1.0f);
    at[0] = -4;     /* the first index of 'centred' */
    CHECK(lab_set_cells_centred(w, at, in, 1) == SNL_OK && lab_get_centred(w, all, 8) == SNL_OK &&
          all[0] == 1.0f);
    CHECK(lab_cells_centred(w, coords, NULL, 64, &count) == SNL_OK && count == 8 &&
          coords[0] == -4 && coords[7] == 3);
    lab_destroy(w);
}

static void
test_lists(void)
{
    lab *w = fresh();
    int64_t coords[16], count;
    int32_t values[16];
    lab_set_threads(w, 1);
    CHECK(lab_push(w, 5) == SNL_OK && lab_cells_queue(w, coords, values, 16, &count) == SNL_OK &&
          count == 5);
    CHECK(coords[4] == 4 && values[0] + values[1] + values[2] + values[3] + values[4] == 10);
    CHECK(lab_push(w, 20) == SNL_EFULL && says(w, "lab.snl:46: ", "full"));
    CHECK(lab_cells_queue(w, coords, values, 16, &count) == SNL_OK && count == 16);
    lab_destroy(w);
}

static void
test_manual(void)
{
    lab *w = fresh();
    static float values[4000];
    size_t stride;
    float *first;
    CHECK(lab_work(w) == SNL_ENOTREE && says(w, NULL, "Work"));
    CHECK(lab_get_scratch(w, values, 4000) != SNL_OK &&
          lab_view_scratch(w, &first, &stride) != SNL_OK);
    CHECK(lab_destroy_Work(w) != SNL_OK);
    for (int k = 0; k < 3; k++) {
        CHECK(lab_create_Work(w) == SNL_OK && lab_create_Work(w) == SNL_EINVAL);
        CHECK(lab_get_scratch(w, values, 4000) == SNL_OK && values[3999] == 0.0f);
        CHECK(lab_work(w) == SNL_OK && lab_get_scratch(w, values, 4000) == SNL_OK &&
              values[3999] == 3999.0f);
        CHECK(lab_destroy_Work(w) == SNL_OK);
    }
    CHECK(lab_create_Work(w) == SNL_OK);    /* ends with the program */
    lab_destroy(w);
}

/* ---- errors ---- */

static void
test_asserts(void)
{
    lab *w = fresh();
    lab_params p = lab_params_default();
    float sum;
    CHECK(lab_init(w) == SNL_OK && lab_check_sum(w, 9) == SNL_OK);
    CHECK(lab_check_sum(w, 20) == SNL_EASSERT);
    CHECK(says(w, "lab.snl:49: ", "the sum is 20.5"));
    CHECK(lab_sum(w, &sum) == SNL_OK && sum == 132.0f && strcmp(lab_message(w), "") == 0);
    lab_destroy(w);
    p.strict = false;
    CHECK(lab_create(&p, &w) == SNL_OK && lab_check_sum(w, 20) == SNL_OK);
    lab_destroy(w);
}

/* ---- memory ---- */

/* Counts what is taken; gives nothing once `left` blocks were given. */
typedef struct {
    pthread_mutex_t lock;
    long left, blocks;
    size_t bytes;
} Counted;

static void *
counted_alloc(void *context, size_t bytes, size_t align)
{
    Counted *c = (Counted *)context;
    void *block = NULL;
    pthread_mutex_lock(&c->lock);
    if (c->left > 0 &&
        posix_memalign(&block, align < sizeof(void *) ? sizeof(void *) : align, bytes) == 0) {
        memset(block, 0xa5, bytes);
        c->left--;
        c->blocks++;
        c->bytes += bytes;
    }
    pthread_mutex_unlock(&c->lock);
    return block;
}

static void
counted_release(void *context, void *block, size_t bytes)
{
    Counted *c = (Counted *)context;
    pthread_mutex_lock(&c->lock);
    c->blocks--;
    c->bytes -= bytes;
    pthread_mutex_unlock(&c->lock);
    free(block);
}

/* Blocks of memory that a sum takes: one on a GPU. */
#ifndef SUM_BLOCKS
#define SUM_BLOCKS 0
#endif

static snl_options
options_of(Counted *c)
{
    snl_options o;
    memset(&o, 0, sizeof o);
    o.allocator.alloc = counted_alloc;
    o.allocator.release = counted_release;
    o.allocator.ctx = c;
    return o;
}

/* With room for one block more each time until all goes well: every failure is SNL_ENOMEM and
 * nothing is lost. */
static void
test_allocator(void)
{
    Counted c = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0};
    snl_options o = options_of(&c);
    lab *w = NULL;
    long room = 0;
    for (snl_status s = SNL_ENOMEM; s != SNL_OK && room < 1000; room++) {
        c.left = room;
        s = lab_create_with(NULL, &o, &w);
        CHECK(s == SNL_OK || s == SNL_ENOMEM);
        CHECK(s == SNL_OK || !w || says(w, NULL, "memory"));
        lab_destroy(w);
        CHECK(c.blocks == 0 && c.bytes == 0);
    }
    CHECK(room > 5 && room < 1000);
    c.left = room;
    CHECK(lab_create_with(NULL, &o, &w) == SNL_OK);
    for (int k = 0; k < 3; k++) {
        float all[1024], sum;
        int64_t count;
        c.left = SUM_BLOCKS;
        CHECK(lab_init(w) == SNL_OK && lab_sum(w, &sum) == SNL_OK && sum == 132.0f);
        c.left = 0;
        CHECK(lab_paint(w, 32) == SNL_ENOMEM && says(w, NULL, "memory"));
        CHECK(lab_create_Work(w) == SNL_ENOMEM && says(w, NULL, "memory"));
        CHECK(lab_work(w) == SNL_ENOTREE);
        c.left = 100;
        CHECK(lab_cells_cloud(w, NULL, NULL, 0, &count) == SNL_OK);
        CHECK(lab_sum(w, &sum) == SNL_OK && sum == 132.0f);
        if (k < 2)
            continue;
        CHECK(lab_paint(w, 32) == SNL_OK && lab_get_cloud(w, all, 1024) == SNL_OK &&
              all[33 * 31] == 31.0f);
        CHECK(lab_create_Work(w) == SNL_OK && lab_work(w) == SNL_OK);
    }
    lab_destroy(w);
    CHECK(c.blocks == 0 && c.bytes == 0);
}

static void
test_memory_limit(void)
{
    snl_options o;
    lab_params p = lab_params_default();
    lab *w = NULL;
    float sum;
    memset(&o, 0, sizeof o);
    o.memory_limit = 100;
    CHECK(lab_create_with(NULL, &o, &w) == SNL_ENOMEM);
    if (w)
        CHECK(says(w, NULL, "memory"));
    lab_destroy(w);
    o.memory_limit = 8 << 20;
    p.n = 4000;     /* the manual layout takes 16 MB */
    CHECK(lab_create_with(&p, &o, &w) == SNL_OK);
    CHECK(lab_create_Work(w) == SNL_ENOMEM && says(w, NULL, "memory"));
    CHECK(lab_init(w) == SNL_OK && lab_sum(w, &sum) == SNL_OK && sum > 0);
    lab_destroy(w);
}

/* ---- several instances ---- */

static void *
run_one(void *argument)
{
    int number = *(int *)argument;
    lab_params p = lab_params_default();
    lab *w = NULL;
    float sum = 0, *result = (float *)malloc(sizeof *result);
    p.n = 10 + number;
    p.scale = 1.0f;
    if (lab_create(&p, &w) == SNL_OK)
        for (int k = 0; k < 20; k++) {
            lab_set_threads(w, 1 + k % 3);
            if (lab_init(w) != SNL_OK || lab_paint(w, k) != SNL_OK ||
                lab_check_sum(w, 100) != SNL_EASSERT || lab_sum(w, &sum) != SNL_OK)
                sum = -1;
        }
    lab_destroy(w);
    if (result)
        *result = sum;
    return result;
}

static void
test_threads(void)
{
    pthread_t threads[4];
    int numbers[4];
    for (int k = 0; k < 4; k++) {
        numbers[k] = k;
        CHECK(pthread_create(&threads[k], NULL, run_one, &numbers[k]) == 0);
    }
    for (int k = 0; k < 4; k++) {
        void *result = NULL;
        int cells = 3 * (10 + k);
        CHECK(pthread_join(threads[k], &result) == 0);
        CHECK(result && *(float *)result == (float)(cells * (cells - 1) / 2));
        free(result);
    }
}

/* ---- print, seed ---- */

typedef struct {
    char text[200];
    int calls;
} Lines;

static void
keep_line(void *context, const char *text, size_t bytes)
{
    Lines *l = (Lines *)context;
    size_t used = strlen(l->text);
    if (used + bytes < sizeof l->text)
        memcpy(l->text + used, text, bytes);
    l->calls++;
}

static void
test_print(void)
{
    Lines lines;
    snl_options o;
    lab_params p = lab_params_default();
    char name[] = "bench";
    lab *w = NULL;
    memset(&lines, 0, sizeof lines);
    memset(&o, 0, sizeof o);
    o.print = keep_line;
    o.print_context = &lines;
    p.name = name;
    CHECK(lab_create_with(&p, &o, &w) == SNL_OK);
    name[0] = 'w';  /* the instance has a copy */
    CHECK(lab_say(w, 1) == SNL_OK && lab_say(w, 22) == SNL_OK);
    CHECK(lines.calls == 2 &&
          strcmp(lines.text, "bench says 1 and 2.0\nbench says 22 and 2.0\n") == 0);
    lab_destroy(w);
}

static void
test_seed(void)
{
    snl_options o;
    lab *w = NULL;
    float first[1000], again[1000];
    memset(&o, 0, sizeof o);
    o.seed = 42;
    o.threads = 1;
    CHECK(lab_create_with(NULL, &o, &w) == SNL_OK && lab_noise(w, first, 1000) == SNL_OK);
    CHECK(lab_noise(w, again, 1000) == SNL_OK && memcmp(first, again, sizeof first) != 0);
    lab_destroy(w);
    o.threads = 4;
    CHECK(lab_create_with(NULL, &o, &w) == SNL_OK && lab_noise(w, again, 1000) == SNL_OK);
    CHECK(memcmp(first, again, sizeof first) == 0);
    lab_set_seed(w, 43);
    CHECK(lab_noise(w, again, 1000) == SNL_OK && memcmp(first, again, sizeof first) != 0);
    for (int i = 0; i < 1000; i++)
        CHECK(again[i] >= 0 && again[i] < 1);
    lab_destroy(w);
}

/* ---- what is there ---- */

static void
test_meta(void)
{
    lab *w = fresh();
    snl_meta_layout layout;
    snl_meta_node node;
    snl_meta_field field;
    int64_t coord[2] = {0, 0}, before;
    int number = snl_meta_find_field(w, "cloud"), blocks, work = snl_meta_find_layout(w, "Work");
    CHECK(snl_meta_get_field(w, number, &field) == SNL_OK && strcmp(field.name, "cloud") == 0 &&
          strcmp(field.scalar, "f32") == 0);
    CHECK(field.indices == 2 && field.extent[0] == 32 && field.extent[1] == 32 &&
          field.first[0] == 0 && field.element_bytes == 4);
    blocks = snl_meta_find_node(w, field.layout, "blocks");
    CHECK(snl_meta_get_node(w, field.layout, blocks, &node) == SNL_OK &&
          strcmp(node.kind, "pointer") == 0 && node.parent == -1);
    CHECK(node.axes == 2 && node.letter[0] == 'i' && node.letter[1] == 'j' && node.size[0] == 8 &&
          node.stored[1] == 8);
    CHECK(node.cell_bytes == 64 && strcmp(node.label, "blocks") == 0 &&
          node.container_bytes == 64 * 8 + 8);
    before = node.bytes;
    CHECK(snl_meta_get_node(w, field.layout, field.node, &node) == SNL_OK &&
          node.parent == blocks && node.label == NULL);
    CHECK(snl_meta_active(w, field.layout, blocks) == 0 &&
          !snl_meta_is_active(w, field.layout, blocks, coord));
    CHECK(lab_paint(w, 9) == SNL_OK);
    CHECK(snl_meta_active(w, field.layout, blocks) == 3 &&
          snl_meta_is_active(w, field.layout, blocks, coord));
    coord[1] = 1;
    CHECK(!snl_meta_is_active(w, field.layout, blocks, coord));
    CHECK(snl_meta_get_node(w, field.layout, blocks, &node) == SNL_OK && node.bytes > before);
    CHECK(snl_meta_get_layout(w, field.layout, &layout) == SNL_OK && layout.name == NULL &&
          layout.nodes == 2 && layout.exists);
    CHECK(layout.bytes >= node.bytes && snl_meta_bytes(w) >= (uint64_t)layout.bytes &&
          snl_meta_limit(w) == 0);
    CHECK(snl_meta_get_layout(w, work, &layout) == SNL_OK && strcmp(layout.name, "Work") == 0 &&
          !layout.exists && layout.bytes == 0);
    CHECK(snl_meta_get_field(w, snl_meta_find_field(w, "scratch"), &field) == SNL_OK &&
          field.layout == work && field.extent[0] == 0);
    CHECK(lab_create_Work(w) == SNL_OK);
    CHECK(snl_meta_get_field(w, snl_meta_find_field(w, "scratch"), &field) == SNL_OK &&
          field.extent[0] == 4000);
    CHECK(snl_meta_get_layout(w, work, &layout) == SNL_OK && layout.exists &&
          layout.bytes >= 16000);
    CHECK(snl_meta_get_field(w, snl_meta_find_field(w, "bodies"), &field) == SNL_OK &&
          field.scalar == NULL && field.element_bytes == sizeof(lab_Body));
    CHECK(snl_meta_get_field(w, snl_meta_find_field(w, "v"), &field) == SNL_OK && field.rows == 2 &&
          field.columns == 0);
    CHECK(snl_meta_get_field(w, snl_meta_find_field(w, "total"), &field) == SNL_OK &&
          field.indices == 0 && field.node == -1);
    CHECK(snl_meta_get_field(w, snl_meta_find_field(w, "centred"), &field) == SNL_OK &&
          field.first[0] == -4 && field.extent[0] == 8);
    CHECK(snl_meta_find_field(w, "r#1") >= 0 && snl_meta_find_field(w, "none") == -1 &&
          snl_meta_find_node(w, 0, "none") == -1);
    CHECK(snl_meta_get_layout(w, snl_meta_layouts(w), &layout) == SNL_EINVAL &&
          snl_meta_get_layout(w, -1, &layout) == SNL_EINVAL);
    CHECK(snl_meta_get_node(w, 0, 99, &node) == SNL_EINVAL &&
          snl_meta_get_field(w, snl_meta_fields(w), &field) == SNL_EINVAL);
    CHECK(snl_meta_active(w, -1, 0) == -1 && strcmp(lab_message(w), "") == 0);
    lab_destroy(w);
}

int
main(void)
{
    test_meta();
    test_params();
    test_calls();
    test_fields();
    test_views();
    test_sparse();
    test_lists();
    test_manual();
    test_asserts();
    test_allocator();
    test_memory_limit();
    test_threads();
    test_print();
    test_seed();
    printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
