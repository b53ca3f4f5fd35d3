/* gpu_runtime.cpp - what the runtime does for programs for a GPU besides trees, on the stand-in: graphs of launches.
 *
 * Compiled by tests/scripts/gpu-runtime.sh.
 */
#define SNL_GPU 1
#include "snlrt.h"

#include "suite.h"

enum { CELLS = 100 };

typedef struct {
    SnlInstance rt;
    int64_t *cells;
} Fixture;

typedef struct {
    int64_t *cells;
    int8_t by;                  /* with padding behind it */
    int64_t times;
} Args;

/* Neither order nor number can be mistaken. */
SNL_ON_GPU static void
add_part(void *args, int64_t from, int64_t to, int64_t step)
{
    const Args *a = (const Args *)args;
    for (int64_t k = from; k < to; k += step)
        a->cells[k] = a->cells[k] * a->times + a->by;
}

static void
start(Fixture *f)
{
    SnlAllocator memory = {};
    const char *trouble = snl_gpu_memory(&memory, 0);
    memset((void *)f, 0, sizeof *f);
    snl_instance_init(&f->rt, &memory, 1, 1, 0);
    ck_assert_int_eq(snl_gpu_open(&f->rt, 0, NULL, trouble), SNL_OK);
    f->cells = (int64_t *)snl_memory_get(&f->rt, CELLS * sizeof(int64_t));
}

static void
end(Fixture *f)
{
    snl_gpu_wait(&f->rt);
    ck_assert_str_eq(snl_message(&f->rt), "");
    snl_memory_put(&f->rt, f->cells, CELLS * sizeof(int64_t));
    snl_gpu_close(&f->rt);
    ck_assert_int_eq(f->rt.bytes_used, 0);
    snl_instance_free(&f->rt);
}

static void
add(Fixture *f, int8_t by, int64_t times)
{
    Args args;
    memset((void *)&args, rand(), sizeof args);  /* what lies between the members is no part of them */
    args.cells = f->cells;
    args.by = by;
    args.times = times;
    snl_gpu_for<add_part, SNL_EACH_LANE, 64>(&f->rt, CELLS, args);
}

/* What a cell holds after all that was started. */
static int64_t
cell(Fixture *f)
{
    snl_gpu_wait(&f->rt);
    for (int k = 1; k < CELLS; k++)
        ck_assert_int_eq(f->cells[k], f->cells[0]);
    return f->cells[0];
}

START_TEST(the_same_is_started_as_a_graph)
{
    Fixture f;
    int64_t want = 0;
    start(&f);
    {
        const SnlGpuRepeat repeat(&f.rt, 0);
        for (int k = 0; k < 10; k++) {
            repeat.next();
            add(&f, 1, 3);
            add(&f, 5, 1);
            want = want * 3 + 6;
        }
    }
    ck_assert_int_eq(cell(&f), want);
    ck_assert_int_eq(f.rt.graph_starts, 9);     /* made when it comes for the second time */
    {   /* the loop is known from the last time */
        const SnlGpuRepeat repeat(&f.rt, 0);
        for (int k = 0; k < 3; k++) {
            repeat.next();
            add(&f, 1, 3);
            add(&f, 5, 1);
            want = want * 3 + 6;
        }
    }
    ck_assert_int_eq(cell(&f), want);
    ck_assert_int_eq(f.rt.graph_starts, 12);
    end(&f);
}
END_TEST

START_TEST(what_changes_is_started_alone)
{
    Fixture f;
    int64_t want = 0;
    start(&f);
    {
        const SnlGpuRepeat repeat(&f.rt, 0);
        for (int k = 0; k < 10; k++) {
            repeat.next();
            add(&f, (int8_t)k, 2);
            add(&f, 1, 1);
            want = want * 2 + k + 1;
        }
    }
    ck_assert_int_eq(cell(&f), want);
    {
        const SnlGpuRepeat repeat(&f.rt, 1);
        for (int k = 0; k < 10; k++) {          /* one more each time, and none */
            repeat.next();
            for (int l = 0; l < k; l++) {
                add(&f, 3, 2);
                want = want * 2 + 3;
            }
        }
    }
    ck_assert_int_eq(cell(&f), want);
    ck_assert_int_eq(f.rt.graph_starts, 0);
    end(&f);
}
END_TEST

/* A change in the middle: the graph of before must not be started again, that of after may be. */
START_TEST(a_change_ends_a_graph)
{
    Fixture f;
    int64_t want = 0;
    start(&f);
    {
        const SnlGpuRepeat repeat(&f.rt, 0);
        for (int k = 0; k < 12; k++) {
            int8_t by = k < 5 ? 1 : 2;
            repeat.next();
            add(&f, by, 2);
            add(&f, 4, 1);
            want = want * 2 + by + 4;
        }
    }
    ck_assert_int_eq(cell(&f), want);
    ck_assert_int_eq(f.rt.graph_starts, 4 + 6);
    end(&f);
}
END_TEST

START_TEST(the_cpu_waits_inside)
{
    Fixture f;
    int64_t want = 0;
    start(&f);
    {
        const SnlGpuRepeat repeat(&f.rt, 0);
        for (int k = 0; k < 8; k++) {
            repeat.next();
            add(&f, 1, 2);
            add(&f, 1, 2);
            want = (want * 2 + 1) * 2 + 1;
            ck_assert_int_eq(cell(&f), want);
            for (int c = 0; c < CELLS; c++)     /* what is queued later sees what the CPU writes */
                f.cells[c] = k;
            want = k;
            add(&f, 7, 3);
            want = want * 3 + 7;
        }
    }
    ck_assert_int_eq(cell(&f), want);
    end(&f);
}
END_TEST

START_TEST(loops_inside_loops)
{
    Fixture f;
    int64_t want = 0;
    start(&f);
    {
        const SnlGpuRepeat outer(&f.rt, 0);
        for (int k = 0; k < 3; k++) {
            outer.next();
            add(&f, 9, 1);
            want = want + 9;
            {
                const SnlGpuRepeat inner(&f.rt, 1);
                for (int l = 0; l < 4; l++) {
                    inner.next();
                    add(&f, 1, 2);
                    add(&f, 2, 1);
                    want = want * 2 + 3;
                }
            }
            add(&f, 3, 2);
            want = want * 2 + 3;
        }
    }
    ck_assert_int_eq(cell(&f), want);
    ck_assert_int_eq(f.rt.graph_starts, 3 + 4 + 4);
    end(&f);
}
END_TEST

START_TEST(more_than_the_queue_holds)
{
    Fixture f;
    uint64_t want = 0;
    start(&f);
    {
        const SnlGpuRepeat repeat(&f.rt, 0);
        for (int k = 0; k < 3; k++) {
            repeat.next();
            for (int l = 0; l < 700; l++) {
                add(&f, (int8_t)(l % 100), 3);
                want = want * 3 + (uint64_t)(l % 100);
            }
        }
    }
    ck_assert_int_eq(cell(&f), (int64_t)want);
    end(&f);
}
END_TEST

START_TEST(without_memory_nothing_is_queued)
{
    Fixture f;
    start(&f);
    f.rt.memory_limit = f.rt.bytes_used + 1024;
    {
        const SnlGpuRepeat repeat(&f.rt, 0);
        for (int k = 0; k < 4; k++) {
            repeat.next();
            add(&f, 1, 1);
            add(&f, 1, 1);
        }
    }
    ck_assert_int_eq(cell(&f), 8);
    ck_assert_int_eq(f.rt.graph_starts, 0);
    f.rt.memory_limit = 0;
    end(&f);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("gpu runtime");
    TCase *t = tcase_create("graphs");
    tcase_add_test(t, the_same_is_started_as_a_graph);
    tcase_add_test(t, what_changes_is_started_alone);
    tcase_add_test(t, a_change_ends_a_graph);
    tcase_add_test(t, the_cpu_waits_inside);
    tcase_add_test(t, loops_inside_loops);
    tcase_add_test(t, more_than_the_queue_holds);
    tcase_add_test(t, without_memory_nothing_is_queued);
    suite_add_tcase(s, t);
    return run_suite(s);
}
