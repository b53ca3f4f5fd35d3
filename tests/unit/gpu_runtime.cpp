/* gpu_runtime.cpp - what the runtime does for programs for a GPU besides trees, on the stand-in: graphs of launches, pools in ranges
 * of addresses.
 *
 * Compiled by tests/scripts/gpu-runtime.sh.
 */
#define SNL_GPU 1
#include "snlrt.h"

#include <signal.h>

#include "runtime_model.h"

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
    ck_assert_int_eq(f.rt.gpu->graph_starts, 9);     /* made when it comes for the second time */
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
    ck_assert_int_eq(f.rt.gpu->graph_starts, 12);
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
    ck_assert_int_eq(f.rt.gpu->graph_starts, 0);
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
    ck_assert_int_eq(f.rt.gpu->graph_starts, 4 + 6);
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
    ck_assert_int_eq(f.rt.gpu->graph_starts, 3 + 4 + 4);
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
    ck_assert_int_eq(f.rt.gpu->graph_starts, 0);
    f.rt.memory_limit = 0;
    end(&f);
}
END_TEST

/* ---- errors ---- */

/* Lanes that fail, of which each counts itself where it would go on; the cells count them. */
SNL_ON_GPU static void
fail_all(void *args, int64_t from, int64_t to, int64_t step)
{
    SnlInstance *rt = *(SnlInstance **)args;
    for (int64_t k = from; k < to; k += step) {
        snl_fail(rt, SNL_ERANGE, "a.snl", 7, "number %lld", (long long)k);
        if (!snl_failed(rt))
            SNL_ADD(&rt->bytes_used, (uint64_t)1);
    }
}

/* An instance that lanes see. */
static SnlInstance *
open_shared(uint64_t seed)
{
    SnlAllocator memory = {};
    const char *trouble = snl_gpu_memory(&memory, 0);
    SnlInstance *rt = (SnlInstance *)snl_instance_new(sizeof *rt, &memory);
    snl_instance_init(rt, &memory, 1, 1, 0);
    ck_assert_int_eq(snl_gpu_open(rt, 0, NULL, trouble), SNL_OK);
    rt->gpu->seed = seed;
    return rt;
}

static void
close_shared(SnlInstance *rt)
{
    const SnlAllocator memory = rt->allocator;
    snl_gpu_close(rt);
    snl_instance_free(rt);
    snl_instance_delete(rt, sizeof *rt, &memory);
}

START_TEST(lanes_that_failed_stop)
{
    for (uint64_t seed = 1; seed < 40; seed++) {
        SnlInstance *const rt = open_shared(seed);
        const uint64_t used = rt->bytes_used;
        snl_gpu_for<fail_all, SNL_EACH_LANE, 64>(rt, CELLS, rt);
        snl_gpu_wait(rt);
        ck_assert_uint_eq(rt->bytes_used, used);
        ck_assert_int_eq(snl_status_of(rt), SNL_ERANGE);
        ck_assert(!strncmp(snl_message(rt), "a.snl:7: number ", 16));
        close_shared(rt);
    }
}
END_TEST

/* One lane fails in line 1, and names it later; all others come to line 2. */
SNL_ON_GPU static void
fail_in_line_1(void *args, int64_t from, int64_t to, int64_t step)
{
    SnlInstance *rt = *(SnlInstance **)args;
    for (int64_t k = from; k < to; k += step) {
        if (k == 5)
            snl_fail(rt, SNL_ENOMEM, NULL, 0, "no memory");
        for (int turn = 0; turn < 20; turn++)
            (void)SNL_LOAD(&rt->error.status);
        snl_error_at(rt, "a.snl", k == 5 ? 1 : 2);
    }
}

START_TEST(errors_have_the_line_of_who_failed)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        SnlInstance *const rt = open_shared(seed);
        for (int round = 0; round < 2; round++) {       /* nothing is left of the one before */
            snl_gpu_for<fail_in_line_1, SNL_EACH_LANE, 64>(rt, CELLS, rt);
            snl_gpu_wait(rt);
            ck_assert_str_eq(snl_message(rt), "a.snl:1: no memory");
            snl_clear_error(rt);
        }
        close_shared(rt);
    }
}
END_TEST

#ifndef __CUDACC__

/* ---- shared memory ---- */

/* What a block finds in memory that it shares, before it writes there. */
static void
add_what_is_there(void *args, int64_t from, int64_t, int64_t)
{
    SNL_SHARED(there, [2], int64_t);
    int64_t *cells = *(int64_t **)args;
    snl_lane_barrier();
    if (snl_lane_thread() == 0)
        cells[from] = there[1];
    snl_lane_barrier();
    there[1] = 0;
}

START_TEST(nothing_is_known_of_shared_memory)
{
    Fixture f;
    start(&f);
    for (int round = 0; round < 2; round++) {
        snl_gpu_for<add_what_is_there, SNL_EACH_BLOCK, 32>(&f.rt, 5, f.cells);
        snl_gpu_wait(&f.rt);
        for (int k = 0; k < 5; k++) {
            ck_assert_int_ne(f.cells[k], 0);
            f.cells[k] = 0;
        }
    }
    end(&f);
}
END_TEST

/* ---- pools in ranges of addresses, which every stand-in has ---- */

enum { ELEMENT = 1000 };

static void
start_pool(Fixture *f, SnlPool *p)
{
    start(f);
    snl_pool_init(p, ELEMENT, NULL, 0, ELEMENT, true);
    snl_pool_start_raw(p);
}

static char *
chunk(const SnlPool *p, int64_t k)
{
    return (char *)snl_store_pointer(&p->chunks, k);
}

static void
end_pool(Fixture *f, SnlPool *p)
{
    snl_pool_free(&f->rt, p);
    end(f);
}

START_TEST(chunks_lie_side_by_side)
{
    Fixture f;
    SnlPool p;
    uint64_t before;
    start_pool(&f, &p);
    before = f.rt.bytes_used;
    snl_pool_reserve(&f.rt, &p, 20000);
    ck_assert_int_gt(p.chunk_count, 2 + SNL_POOL_SMALL_CHUNKS);
    for (int64_t k = 0; k < p.chunk_count; k++) {
        memset(chunk(&p, k), 1, snl_pool_chunk_bytes(&p, k));
        if (k > 0)
            ck_assert_ptr_eq(chunk(&p, k), chunk(&p, k - 1) + snl_pool_chunk_bytes(&p, k - 1));
    }
    ck_assert_uint_ge(f.rt.bytes_used - before, 20000 * ELEMENT);
    for (int k = 0; k < 3; k++) {       /* all is unused: memory goes, addresses stay */
        char *first = p.range.start;
        snl_pool_trim(&f.rt, &p);
        ck_assert_int_eq(p.chunk_count, 0);
        ck_assert_uint_lt(f.rt.bytes_used - before, 100000);
        snl_pool_reserve(&f.rt, &p, 3000);
        ck_assert_ptr_eq(chunk(&p, 0), first);
        memset(chunk(&p, p.chunk_count - 1), 2, snl_pool_chunk_bytes(&p, p.chunk_count - 1));
    }
    end_pool(&f, &p);
}
END_TEST

/* Ends by a signal. */
START_TEST(what_is_not_made_cannot_be_touched)
{
    Fixture f;
    SnlPool p;
    start_pool(&f, &p);
    snl_pool_reserve(&f.rt, &p, 3000);
    *(volatile char *)(chunk(&p, p.chunk_count - 1) + snl_pool_chunk_bytes(&p, p.chunk_count - 1) + 65536) = 1;
}
END_TEST

START_TEST(a_pool_keeps_to_the_limit)
{
    Fixture f;
    SnlPool p;
    start_pool(&f, &p);
    f.rt.memory_limit = f.rt.bytes_used + 1000000;
    snl_pool_reserve(&f.rt, &p, 20000);
    ck_assert_uint_le(f.rt.bytes_used, f.rt.memory_limit);
    ck_assert_int_gt(p.chunk_count, 0);
    ck_assert_int_lt(snl_pool_elements(&p), 1000);
    f.rt.memory_limit = 0;
    snl_pool_reserve(&f.rt, &p, 20000);
    ck_assert_int_ge(snl_pool_elements(&p), 20000);
    end_pool(&f, &p);
}
END_TEST

/* Behind the end of a range, and without ranges, memory is that of the allocator. */
START_TEST(a_range_has_an_end)
{
    Fixture f;
    SnlPool p;
    SnlRangeMaker small;
    start_pool(&f, &p);
    small = *f.rt.ranges;
    small.range_bytes = 40 * small.granule;
    f.rt.ranges = &small;
    snl_pool_reserve(&f.rt, &p, 20000);
    ck_assert_int_ge(snl_pool_elements(&p), 20000);
    ck_assert(snl_range_has(&f.rt, &p.range, chunk(&p, 0)));
    ck_assert(!snl_range_has(&f.rt, &p.range, chunk(&p, p.chunk_count - 1)));
    memset(chunk(&p, p.chunk_count - 1), 1, snl_pool_chunk_bytes(&p, p.chunk_count - 1));
    snl_pool_trim(&f.rt, &p);
    snl_pool_reserve(&f.rt, &p, 5000);
    snl_pool_free(&f.rt, &p);
    f.rt.ranges = NULL;
    snl_pool_reserve(&f.rt, &p, 5000);
    ck_assert_int_ge(snl_pool_elements(&p), 5000);
    ck_assert_ptr_null(p.range.start);
    end_pool(&f, &p);
}
END_TEST

static bool
make_nothing(void *, void *, size_t)
{
    return false;
}

static void *
reserve_nothing(void *, size_t)
{
    return NULL;
}

START_TEST(a_device_without_memory)
{
    Fixture f;
    SnlPool p;
    SnlRangeMaker poor;
    uint64_t before;
    start_pool(&f, &p);
    poor = *f.rt.ranges;
    poor.make = make_nothing;
    f.rt.ranges = &poor;
    before = f.rt.bytes_used;
    snl_pool_reserve(&f.rt, &p, 100);
    ck_assert_int_eq(p.chunk_count, 0);
    snl_pool_free(&f.rt, &p);
    poor.reserve = reserve_nothing;             /* nor addresses: as without ranges */
    snl_pool_reserve(&f.rt, &p, 100);
    ck_assert_int_ge(snl_pool_elements(&p), 100);
    snl_pool_free(&f.rt, &p);
    ck_assert_uint_eq(f.rt.bytes_used, before);
    end_pool(&f, &p);
}
END_TEST

/* ---- trees that are not used ---- */

/* On a GPU a layout takes an image of zeros as large as its largest cell, and a scratch cell that its nodes share where nothing hangs
 * below. */
START_TEST(unused_nodes_share)
{
    enum { CELL = 4000000, NODES = 6 };
    Fixture f;
    Model m;
    SnlTree *tree;
    uint64_t before;
    start(&f);
    before = f.rt.bytes_used;
    model_init(&m, "p i[4] { d j[1000000] { . } } h i[4] { d j[1000000] { . } } y i[4]/1 { d j[1000000] { . } }");
    ck_assert_int_eq(m.desc.node_count, NODES);
    ck_assert_int_eq(snl_tree_create(&f.rt, &m.desc, NULL, &tree), SNL_OK);
    ck_assert_uint_le(f.rt.bytes_used - before, 2 * CELL + NODES * 65536);
    snl_tree_destroy(tree);
    ck_assert_uint_eq(f.rt.bytes_used, before);
    model_free(&m);
    end(&f);
}
END_TEST

/* ---- nests ---- */

enum { RUN = 10, ROWS = 3, OUTER = 4, UNITS = RUN * ROWS * OUTER };

/* Units of 4 bytes: `to` has gaps of 4 bytes, `from` none. */
static SnlNest
nest_with_gaps(void)
{
    SnlNest n;
    memset((void *)&n, 0, sizeof n);
    n.bytes = 4;
    n.to = 4;
    n.run = SnlLoop{RUN, 8, 4};
    n.row = SnlLoop{ROWS, 8 * RUN, 4 * RUN};
    n.outer_count = 1;
    n.outer[0] = SnlLoop{OUTER, 8 * RUN * ROWS, 4 * RUN * ROWS};
    return n;
}

/* Bytes of an array go through memory of the device, and what lies between the units stays. */
START_TEST(nests_are_run_by_lanes)
{
    const SnlOutside sides[] = {SNL_TO_SIDE, SNL_FROM_SIDE, SNL_NO_SIDE};
    Fixture f;
    start(&f);
    ck_assert(f.rt.mover == snl_gpu_move);
    for (SnlOutside outside : sides) {
        int32_t from[UNITS], to[2 * UNITS + 1];
        const SnlNest n = nest_with_gaps();
        for (int k = 0; k < UNITS; k++)
            from[k] = k * 7;
        for (int k = 0; k < 2 * UNITS + 1; k++)
            to[k] = -1;
        ck_assert(f.rt.mover(&f.rt, &n, (char *)to, (const char *)from, outside));
        for (int k = 0; k < UNITS; k++) {
            ck_assert_int_eq(to[2 * k], -1);
            ck_assert_int_eq(to[2 * k + 1], k * 7);
        }
        ck_assert_int_eq(to[2 * UNITS], -1);
    }
    end(&f);
}
END_TEST

START_TEST(constants_are_written_by_lanes)
{
    const int32_t value = 42;
    int32_t to[2 * UNITS + 1] = {0};
    SnlNest n = nest_with_gaps();
    Fixture f;
    start(&f);
    n.run.from = n.row.from = n.outer[0].from = 0;
    ck_assert(f.rt.mover(&f.rt, &n, (char *)to, (const char *)&value, SNL_FROM_SIDE));
    for (int k = 0; k < 2 * UNITS + 1; k++)
        ck_assert_int_eq(to[k], k % 2 ? 42 : 0);
    n.outer_count = 0;          /* not worth it */
    n.row.count = 1;
    ck_assert(!f.rt.mover(&f.rt, &n, (char *)to, (const char *)&value, SNL_FROM_SIDE));
    end(&f);
}
END_TEST

/* ---- memory of loops ---- */

/* A CPU that takes results of loop after loop, without a wait for anything else, needs memory for
 * one of them alone. */
START_TEST(results_take_the_place_of_those_before)
{
    Fixture f;
    uint64_t used = 0;
    start(&f);
    for (int k = 0; k < 200; k++) {
        int64_t *scratch = (int64_t *)snl_gpu_scratch(&f.rt, 3000);
        int64_t *few = (int64_t *)snl_gpu_results(&f.rt, 5 * sizeof *few);
        int64_t *many = (int64_t *)snl_gpu_results(&f.rt, SNL_GPU_RESULTS);
        Args args[] = {{scratch, 3, 1}, {few, 5, 1}, {many, 7, 1}};
        ck_assert(scratch && few && many && many != few);
        for (int a = 0; a < 3; a++)
            snl_gpu_for<add_part, SNL_EACH_LANE, 32>(&f.rt, 5, args[a]);
        snl_gpu_finish(&f.rt);
        for (int c = 0; c < 5; c++)
            ck_assert(scratch[c] == 3 && few[c] == 5 && many[c] == 7);
        if (k == 0)
            used = f.rt.bytes_used;
        ck_assert_uint_eq(f.rt.bytes_used, used);
    }
    end(&f);
}
END_TEST

/* Copies of arrays of the CPU have the blocks of those before, once these are through; two of one
 * loop have two, and large ones are in memory that both sides see. */
START_TEST(copies_of_arrays_are_kept)
{
    enum { MANY = 5000 };
    Fixture f;
    static int64_t few[5], many[MANY];
    const uint64_t large = SNL_GPU_KEPT + 8;
    char *huge = (char *)calloc(large, 1);
    const void *first[2] = {NULL};
    start(&f);
    for (int k = 0; k < 20; k++) {
        int64_t *copies[] = {(int64_t *)snl_gpu_share(&f.rt, few, sizeof few),
                             (int64_t *)snl_gpu_share(&f.rt, many, sizeof many)};
        few[0] = 1000;          /* the caller's again */
        for (int a = 0; a < 2; a++) {
            ck_assert(copies[a] && copies[a] != few && copies[a] != many);
            snl_gpu_for<add_part, SNL_EACH_LANE, 32>(&f.rt, 5, Args{copies[a], (int8_t)(1 + a), 1});
            first[a] = k ? first[a] : copies[a];
            ck_assert(copies[a] == first[a]);
        }
        snl_gpu_unshare(&f.rt, few, copies[0], sizeof few);
        snl_gpu_unshare(&f.rt, many, copies[1], sizeof many);
        ck_assert(few[0] == k + 1 && few[4] == k + 1 && many[4] == 2 * (k + 1) && many[5] == 0);
        ck_assert_uint_eq(f.rt.gpu->array_bytes, 0);
    }
    for (int k = 0; k < 3; k++) {       /* not waited for */
        int64_t *copy = (int64_t *)snl_gpu_share(&f.rt, many, sizeof many);
        ck_assert(copy && (const void *)copy != first[0]);
    }
    char *copy = (char *)snl_gpu_share(&f.rt, huge, large);
    ck_assert(copy && f.rt.bytes_used > large && copy[large - 1] == 0);
    snl_gpu_unshare(&f.rt, huge, copy, large);
    free(huge);
    end(&f);
}
END_TEST

/* What is kept has an end. */
START_TEST(too_many_copies_of_arrays_go_back)
{
    enum { BYTES = SNL_GPU_KEPT / 2 + 4096 };
    Fixture f;
    char *array = (char *)calloc(BYTES, 1);
    start(&f);
    for (int k = 0; k < 3; k++) {
        ck_assert(snl_gpu_share(&f.rt, array, BYTES) && snl_gpu_share(&f.rt, array, 10));
        snl_gpu_finish(&f.rt);
    }
    ck_assert(snl_gpu_share(&f.rt, array, BYTES / 8));
    ck_assert_uint_le(f.rt.gpu->free_array_bytes, SNL_GPU_KEPT);
    ck_assert(snl_gpu_share(&f.rt, array, BYTES - 8));
    snl_gpu_finish(&f.rt);
    ck_assert(snl_gpu_share(&f.rt, array, 0));
    ck_assert_uint_le(f.rt.gpu->free_array_bytes, SNL_GPU_KEPT);
    free(array);
    end(&f);
}
END_TEST

/* A table of that capacity, as far as it says where elements go. */
static SnlHashTable
table_without_entries(int capacity_bits)
{
    SnlHashTable table = {};
    table.capacity = (int64_t)1 << capacity_bits;
    table.stripe_count = snl_hash_stripe_count(table.capacity);
    table.stripe_shift = snl_bits_ctz((uint64_t)(table.capacity / table.stripe_count));
    return table;
}

/* Threads put different parts of a table into a larger one, without locks. */
START_TEST(no_two_parts_go_to_one_stripe)
{
    enum { HASHES = 4096, STRIPES_MOST = 1024 };
    for (int bits = 4; bits < 24; bits++)
        for (int larger_bits = bits + 1; larger_bits < bits + 5; larger_bits++) {
            const SnlHashTable from = table_without_entries(bits), to = table_without_entries(larger_bits);
            int64_t part_of[STRIPES_MOST];
            for (int s = 0; s < STRIPES_MOST; s++)
                part_of[s] = -1;
            for (int64_t k = 0; k < HASHES; k++) {
                const uint64_t hash = snl_hash_of(&k, 1);
                const int64_t part = ((int64_t)hash & (from.capacity - 1)) / part_entries(&from, &to);
                int64_t *there = &part_of[((int64_t)hash & (to.capacity - 1)) >> to.stripe_shift];
                ck_assert(*there == -1 || *there == part);
                *there = part;
            }
        }
}
END_TEST

#endif

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
    t = tcase_create("errors");
    tcase_add_test(t, lanes_that_failed_stop);
    tcase_add_test(t, errors_have_the_line_of_who_failed);
    suite_add_tcase(s, t);
#ifndef __CUDACC__              /* its trees are no arrays of the CPU */
    t = tcase_create("shared memory");
    tcase_add_test(t, nothing_is_known_of_shared_memory);
    suite_add_tcase(s, t);
    t = tcase_create("nests");
    tcase_add_test(t, nests_are_run_by_lanes);
    tcase_add_test(t, constants_are_written_by_lanes);
    suite_add_tcase(s, t);
    t = tcase_create("ranges");
    tcase_add_test(t, chunks_lie_side_by_side);
    tcase_add_test_raise_signal(t, what_is_not_made_cannot_be_touched, SIGSEGV);
    tcase_add_test(t, a_pool_keeps_to_the_limit);
    tcase_add_test(t, a_range_has_an_end);
    tcase_add_test(t, a_device_without_memory);
    tcase_add_test(t, unused_nodes_share);
    suite_add_tcase(s, t);
    t = tcase_create("tables");
    tcase_add_test(t, results_take_the_place_of_those_before);
    tcase_add_test(t, copies_of_arrays_are_kept);
    tcase_add_test(t, too_many_copies_of_arrays_go_back);
    tcase_add_test(t, no_two_parts_go_to_one_stripe);
    suite_add_tcase(s, t);
#endif
    return run_suite(s);
}
