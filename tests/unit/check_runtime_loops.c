/* check_runtime_loops.c - parallel loops: each iteration runs once, by chunks that depend on the
 * loop alone, and long ones begin with a line of the cache. */
#include <stdlib.h>

#include "core/parallel.h"
#include "suite.h"

enum { MOST = 70000, CHUNKS = SNL_CHUNKS_MAX };

typedef struct {
    int64_t n;
    unsigned char ran[MOST];
    int64_t from[CHUNKS], to[CHUNKS];
} Trace;

static void
note_chunk(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Trace *t = (Trace *)args;
    ck_assert(from >= 0 && from < to && to <= t->n && chunk >= 0 && chunk < CHUNKS);
    t->from[chunk] = from;
    t->to[chunk] = to;
    for (int64_t i = from; i < to; i++)
        t->ran[i]++;
}

/* Runs a loop; each iteration once, each chunk where the one before it ends. */
static void
run_loop(SnlInstance *rt, Trace *t, int64_t first, int64_t n, int64_t chunks)
{
    int64_t at = 0;
    ck_assert_ptr_nonnull(t);
    memset(t, 0, sizeof *t);
    t->n = n;
    snl_parallel_for_from(rt, first, n, chunks, note_chunk, t);
    for (int64_t i = 0; i < n; i++)
        ck_assert_int_eq(t->ran[i], 1);
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
        if (t->to[chunk] == 0)
            continue; /* an empty one */
        ck_assert_int_eq(t->from[chunk], at);
        at = t->to[chunk];
        if (chunk > 0 && n / chunks >= 1024)
            ck_assert_int_eq((t->from[chunk] + first) % 64, 0);
    }
    ck_assert_int_eq(at, n);
}

START_TEST(each_iteration_once)
{
    static const int64_t counts[] = {1, 2, 63, 64, 1000, 1023, 2048, 4099, 65535, MOST},
                         firsts[] = {0, 1, 63, 64, 1000003, -1, -77, INT64_MAX - MOST,
                                     INT64_MIN, INT64_MIN + 5},
                         chunks[] = {1, 2, 3, 7, 16, CHUNKS};
    Trace *one = malloc(sizeof *one), *several = malloc(sizeof *several);
    SnlInstance alone, team;
    snl_instance_init(&alone, NULL, 1, 1, 0);
    snl_instance_init(&team, NULL, 3, 1, 0);
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++)
            for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
                run_loop(&alone, one, firsts[f], counts[n], chunks[c]);
                run_loop(&team, several, firsts[f], counts[n], chunks[c]);
                ck_assert_mem_eq(one, several, sizeof *one);
            }
    snl_instance_free(&alone);
    snl_instance_free(&team);
    free(one);
    free(several);
}
END_TEST

START_TEST(no_iterations)
{
    SnlInstance rt;
    Trace *t = calloc(1, sizeof *t);
    snl_instance_init(&rt, NULL, 2, 1, 0);
    snl_parallel_for(&rt, 0, 1, note_chunk, t);
    snl_parallel_for(&rt, -3, 4, note_chunk, t);
    snl_parallel_for(&rt, 5, 0, note_chunk, t);
    snl_instance_free(&rt);
    free(t);
}
END_TEST

START_TEST(counts_of_chunks)
{
    ck_assert_int_eq(snl_chunk_count(0, 10), 0);
    ck_assert_int_eq(snl_chunk_count(-1, 10), 0);
    ck_assert_int_eq(snl_chunk_count(1, 10), 1);
    ck_assert_int_eq(snl_chunk_count(19, 10), 1);
    ck_assert_int_eq(snl_chunk_count(20, 10), 2);
    ck_assert_int_eq(snl_chunk_count(29, 10), 2);
    ck_assert_int_eq(snl_chunk_count(3, 0), 3);
    ck_assert_int_eq(snl_chunk_count(3, 1), 3);
    ck_assert_int_eq(snl_chunk_count(INT64_MAX, 1), SNL_CHUNKS_MAX);
    ck_assert_int_eq(snl_chunk_count(INT64_MAX, INT64_MAX), 1);
    ck_assert_int_eq(snl_even_chunk_count(0, 10), 0);
    ck_assert_int_eq(snl_even_chunk_count(79, 10), 4);
    ck_assert_int_eq(snl_even_chunk_count(80, 10), 8);
}
END_TEST

START_TEST(counts_of_chunks_of_columns)
{
    const SnlInstance one = {.threads = 1}, eight = {.threads = 8};
    ck_assert_int_eq(snl_column_chunk_count(&one, 0, 32), 0);
    ck_assert_int_eq(snl_column_chunk_count(&one, 100, 32), 1);
    ck_assert_int_eq(snl_column_chunk_count(&one, 512, 32), 512 / SNL_COLUMNS);
    ck_assert_int_eq(snl_column_chunk_count(&one, 512, 256), 2);
    ck_assert_int_eq(snl_column_chunk_count(&eight, 512, 32), 8);
    ck_assert_int_eq(snl_column_chunk_count(&eight, 128, 32), 4);
}
END_TEST

/* Waits until the other thread of a loop has come to a step; not for ever, where there is none. */
static void
await_step(int *at, int step)
{
    for (long turn = 0; SNL_LOAD(at) < step && turn < 10000000; turn++)
        snl_yield();
}

typedef struct {
    SnlInstance *rt;
    int step;
} Meeting;

/* One thread fails in a function that knows no place; before it names its own, the other comes. */
static void
fail_apart(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Meeting *m = (Meeting *)args;
    (void)from;
    (void)to;
    if (chunk == 0) {
        snl_fail(m->rt, SNL_EIO, NULL, 0, "of one");
        SNL_STORE(&m->step, 1);
        await_step(&m->step, 2);
        snl_error_at(m->rt, "one.snl", 1);
    } else {
        await_step(&m->step, 1);
        snl_error_at(m->rt, "other.snl", 2);
        SNL_STORE(&m->step, 2);
    }
}

START_TEST(errors_have_the_place_of_their_thread)
{
    SnlInstance rt;
    Meeting m = {&rt, 0};
    snl_instance_init(&rt, NULL, 2, 1, 0);
    snl_parallel_for(&rt, 2, 2, fail_apart, &m);
    ck_assert_str_eq(snl_message(&rt), "one.snl:1: of one");
    snl_forget_error(&rt);
    snl_fail(&rt, SNL_EIO, NULL, 0, "of the host");
    snl_error_at(&rt, "host.snl", 3);
    snl_error_at(&rt, "later.snl", 4);
    ck_assert_str_eq(snl_message(&rt), "host.snl:3: of the host");
    snl_instance_free(&rt);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("runtime loops");
    TCase *t = tcase_create("all");
    tcase_add_test(t, each_iteration_once);
    tcase_add_test(t, no_iterations);
    tcase_add_test(t, counts_of_chunks);
    tcase_add_test(t, counts_of_chunks_of_columns);
    tcase_add_test(t, errors_have_the_place_of_their_thread);
    suite_add_tcase(s, t);
    return run_suite(s);
}
