/* check_runtime_pages.c - which thread touches a page first: the one that works on it.
 *
 * Pages are seen as minor faults of the thread that touches them (getrusage). Loops that are short
 * of a processor may be run by one thread alone, so what two threads share is tried until both had
 * a part. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE     /* RUSAGE_THREAD */
#endif
#include <sched.h>
#include <sys/resource.h>

#include "snlrt.h"
#include "suite.h"

enum { THREADS = 2, TRIES = 200, PAGE = 4096 };
enum { BLOCKS = 16384, MEGABYTES = 64 };        /* blocks of a page */
enum { FIRST = 4096 };          /* those for which pools have chunks of small pages */

/* A tree of blocks, dense or under pointers, with an ambient value or none. */
typedef struct {
    SnlNodeDesc node;
    SnlLeafDesc leaf;
    SnlTreeDesc desc;
    int32_t ambient[PAGE / 4];
    SnlInstance rt;
    SnlTree *tree;
    int64_t faults;             /* when it was made */
} Blocks;

static int64_t
faults(void)
{
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_minflt;
}

static void
start(Blocks *b, int kind, int32_t ambient)
{
    int64_t before;
    memset(b, 0, sizeof *b);
    for (int k = 0; k < PAGE / 4; k++)
        b->ambient[k] = ambient;
    b->node = (SnlNodeDesc){.kind = kind,
                            .parent = -1,
                            .name = "blocks",
                            .axis_count = 1,
                            .sizes = {BLOCKS},
                            .stored = {BLOCKS},
                            .cell_count = BLOCKS,
                            .cell_bytes = PAGE};
    b->leaf = (SnlLeafDesc){ 0, 0, SNL_I32, PAGE / 4, "x", 0, b->ambient };
    b->desc = (SnlTreeDesc){ "blocks", &b->node, 1, &b->leaf, 1, 0 };
    snl_instance_init(&b->rt, NULL, THREADS, 1, 0);
    before = faults();
    ck_assert_int_eq(snl_tree_create(&b->rt, &b->desc, NULL, &b->tree), SNL_OK);
    b->faults = faults() - before;
}

static void
end(Blocks *b)
{
    ck_assert_str_eq(snl_message(&b->rt), "");
    snl_tree_destroy(b->tree);
    ck_assert_uint_eq(b->rt.bytes_used, 0);
    snl_instance_free(&b->rt);
}

/* Work of a loop, and what its threads did. */
typedef struct {
    SnlTree *tree;
    void (*touch)(SnlTree *tree, int64_t block);
    int64_t first;
    struct {
        int64_t iterations, faults;
        char pad[112];
    } part[THREADS];
    int arrived;
} Work;

/* Waits a while for the other thread, so that the loop is not over before it has begun. */
static void
meet(Work *w)
{
    SNL_ADD(&w->arrived, 1);
    for (int k = 0; k < 20000 && SNL_LOAD(&w->arrived) < THREADS; k++)
        sched_yield();
}

/* Writes to a page of dense memory. */
static void
write_page(SnlTree *tree, int64_t i)
{
    tree->root[0][i * PAGE] = 1;
}

/* Activates a block and writes to it. */
static void
fill_block(SnlTree *tree, int64_t i)
{
    int64_t coord[SNL_AXES] = { i };
    *(char *)snl_cell_at(tree, 0, coord, SNL_ACTIVATE) = 1;
}

/* Touches blocks, from the first of the work on. */
static void
touch_blocks(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Work *w = (Work *)args;
    int thread = snl_thread_number();
    int64_t before;
    (void)chunk;
    if (w->part[thread].iterations == 0)
        meet(w);
    before = faults();
    for (int64_t i = from; i < to; i++)
        w->touch(w->tree, w->first + i);
    w->part[thread].faults += faults() - before;
    w->part[thread].iterations += to - from;
}

/* True if both threads had a quarter of the work at least, and each made the pages of what it did,
 * as near as pages of any size and chunks of pools allow. */
static bool
is_even(const Work *w)
{
    double work =
        (double)w->part[0].iterations / (double)(w->part[0].iterations + w->part[1].iterations);
    double made = (double)w->part[0].faults / (double)(w->part[0].faults + w->part[1].faults);
    return work > 0.25 && work < 0.75 && made > work - 0.2 && made < work + 0.2;
}

/* Dense memory is not touched when a tree is made; those who write to it first make its pages, and
 * no others do later. */
START_TEST(dense_memory_is_touched_by_its_writers)
{
    bool even = false;
    for (int n = 0; n < TRIES && !even; n++) {
        Blocks b;
        Work w = { .touch = write_page };
        int64_t total;
        start(&b, SNL_DENSE, 0);
        ck_assert_int_lt(b.faults, MEGABYTES / 2);
        w.tree = b.tree;
        snl_parallel_for(&b.rt, BLOCKS, snl_chunk_count(BLOCKS, 1), touch_blocks, &w);
        total = w.part[0].faults + w.part[1].faults;
        ck_assert_int_ge(total, MEGABYTES / 2);         /* which it is where all pages are huge */
        even = is_even(&w);
        w.part[0].faults = w.part[1].faults = 0;
        snl_parallel_for(&b.rt, BLOCKS, snl_chunk_count(BLOCKS, 1), touch_blocks, &w);
        ck_assert_int_le(w.part[0].faults + w.part[1].faults, total / 4);
        end(&b);
    }
    ck_assert(even);
}
END_TEST

/* Blocks that two threads activate lie in pages of their own. */
START_TEST(blocks_are_touched_by_those_who_activate_them)
{
    bool even = false;
    for (int n = 0; n < TRIES && !even; n++) {
        Blocks b;
        Work w = { .touch = fill_block, .first = FIRST };
        start(&b, SNL_POINTER, 0);
        w.tree = b.tree;
        for (int64_t i = 0; i < FIRST; i++)
            fill_block(b.tree, i);
        snl_parallel_for(&b.rt, BLOCKS - FIRST, snl_chunk_count(BLOCKS - FIRST, 1), touch_blocks,
                         &w);
        even = is_even(&w);
        end(&b);
    }
    ck_assert(even);
}
END_TEST

#ifdef _OPENMP
/* Notes the faults of each thread so far. */
static void
note_faults(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Work *w = (Work *)args;
    int thread = snl_thread_number();
    (void)chunk;
    (void)from;
    (void)to;
    if (w->part[thread].iterations == 0)
        meet(w);
    w->part[thread].faults = faults();
    w->part[thread].iterations++;
}

/* Chunks of pools that have grown are whole huge pages, nearly full, and follow each other. */
START_TEST(large_chunks_are_huge_pages)
{
    static const int64_t sizes[] = { 8, 80, 2048, 4160, 131080, 300000, 786432, 2097152, 3000000 };
    enum { HUGE = 2 * 1024 * 1024, CHUNKS = SNL_POOL_SMALL_CHUNKS + 3 };
    const int64_t size = sizes[_i];
    SnlPool p;
    int64_t element = 0;
    snl_pool_init(&p, size, NULL, 0, size, false);
    for (int64_t chunk = 0; chunk < CHUNKS; chunk++) {
        int64_t bytes = (int64_t)snl_pool_chunk_bytes(&p, chunk),
                elements = snl_pool_chunk_elements(&p, chunk), first;
        ck_assert_int_ge(bytes, elements * size);
        ck_assert_int_eq(snl_pool_chunk_of(&p, element, &first), chunk);
        ck_assert_int_eq(first, element);
        element += elements;
        ck_assert_int_eq(snl_pool_chunk_of(&p, element - 1, &first), chunk);
        if (chunk < SNL_POOL_SMALL_CHUNKS)
            continue;
        ck_assert_int_eq(bytes % HUGE, 0);
        ck_assert_int_le(bytes, 4 * HUGE);
        ck_assert_int_le(bytes - elements * size, bytes / 16);
    }
}
END_TEST

/* Elements of which no few huge pages are nearly full: nothing is left over, and at least the first
 * page is huge. */
START_TEST(large_elements_leave_nothing_over)
{
    static const int64_t sizes[] = { 1400000, 9000000 }, elements[] = { 2, 1 };
    SnlPool p;
    snl_pool_init(&p, sizes[_i], NULL, 0, sizes[_i], false);
    ck_assert_int_eq(snl_pool_chunk_elements(&p, SNL_POOL_SMALL_CHUNKS), elements[_i]);
    ck_assert_uint_eq(snl_pool_chunk_bytes(&p, SNL_POOL_SMALL_CHUNKS), elements[_i] * sizes[_i]);
}
END_TEST

/* Values that are not zero are written when a tree is made, by all threads. */
START_TEST(ambient_values_are_written_by_all_threads)
{
    bool even = false;
    for (int n = 0; n < TRIES && !even; n++) {
        Blocks b;
        Work before = { 0 }, after = { 0 };
        SnlInstance rt;
        snl_instance_init(&rt, NULL, THREADS, 1, 0);
        snl_parallel_for(&rt, THREADS, THREADS, note_faults, &before);
        start(&b, SNL_DENSE, 7);
        snl_parallel_for(&rt, THREADS, THREADS, note_faults, &after);
        even = true;
        for (int t = 0; t < THREADS; t++)
            even = even && before.part[t].iterations && after.part[t].iterations
                   && after.part[t].faults - before.part[t].faults >= MEGABYTES / 8;
        end(&b);
        snl_instance_free(&rt);
    }
    ck_assert(even);
}
END_TEST
#endif

int
main(void)
{
    Suite *suite = suite_create("runtime pages");
    TCase *t = tcase_create("pages");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, dense_memory_is_touched_by_its_writers);
    tcase_add_test(t, blocks_are_touched_by_those_who_activate_them);
    tcase_add_loop_test(t, large_chunks_are_huge_pages, 0, 9);
    tcase_add_loop_test(t, large_elements_leave_nothing_over, 0, 2);
#ifdef _OPENMP
    tcase_add_test(t, ambient_values_are_written_by_all_threads);
#endif
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
