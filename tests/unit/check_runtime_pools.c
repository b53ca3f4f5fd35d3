/* check_runtime_pools.c - what threads put aside and take back: places among it that stay empty,
 * threads that the pool does not know, elements that are fetched before they are taken. */
#include <sched.h>

#include "snlrt.h"
#include "world.h"

enum { CELLS = 1000, THREADS = 4, EACH = 10 };

static void
activate_all(World *w)
{
    for (int64_t i = 0; i < CELLS; i++)
        *(int32_t *)(void *)cell(w, 0, i, SNL_ACTIVATE) = (int32_t)i;
}

static void
deactivate_part(void *world, int64_t chunk, int64_t from, int64_t to)
{
    (void)chunk;
    for (int64_t i = from; i < to; i++)
        deactivate((World *)world, 0, i);
}

/* The same by threads of which none goes on before all have begun. */
typedef struct {
    World *w;
    int begun;
} Together;

static void
deactivate_together(void *args, int64_t chunk, int64_t from, int64_t to)
{
    enum { TRIES = 10000000 };
    Together *t = (Together *)args;
    SNL_ADD(&t->begun, 1);
    for (int k = 0; k < TRIES && SNL_LOAD(&t->begun) < THREADS; k++)
        sched_yield();
    deactivate_part(t->w, chunk, from, to);
}

static void
run_together(World *w, int64_t cells)
{
    Together t = { w, 0 };
    w->rt.threads = THREADS;
    snl_parallel_for(&w->rt, cells, THREADS, deactivate_together, &t);
    ck_assert_int_eq(t.begun, THREADS);
}

/* Cells from ... to-1 are as new, and those behind them as they were. */
static void
check_cells(World *w, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        int32_t *value = (int32_t *)(void *)cell(w, 0, i, SNL_ACTIVATE);
        ck_assert_int_eq(*value, 0);
        *value = -1;
    }
    for (int64_t i = to; i < CELLS; i++)
        ck_assert_int_eq(*(int32_t *)(void *)cell(w, 0, i, SNL_READ), i);
}

/* Each thread has places of its own, most of which it leaves empty; then memory is short, so that
 * some places behind these are empty too. What was noted is free, and nothing is free twice. */
START_TEST(places_that_stay_empty)
{
    enum { NOTED = THREADS * EACH, MORE = 300 };
    World w;
    SnlPool *p;
    start(&w, "p i[1000] { . }");
    w.rt.threads = THREADS;
    p = &w.tree->nodes[0].cells;
    activate_all(&w);
    run_together(&w, NOTED);
    ck_assert_int_gt(p->recycled.count, THREADS * EACH);
    w.budget.left = 0;
    deactivate_part(&w, 0, NOTED, NOTED + MORE);
    ck_assert_int_eq(p->has_holes, 1);
    ck_assert_int_gt(p->lost, 0);
    w.budget.left = INT64_MAX;
    snl_clear_error(&w.rt);
    const int64_t lost = p->lost;
    snl_tree_gc(w.tree);
    ck_assert_int_eq(p->has_holes, 0);
    ck_assert_int_eq(p->lost, lost);
    ck_assert_int_eq(snl_pool_used(p), CELLS - NOTED - MORE + lost);
    check_cells(&w, 0, NOTED + MORE);
    snl_tree_deactivate_all(w.tree, 0);
    snl_tree_trim(w.tree);
    w.rt.threads = 1;
    end(&w);
}
END_TEST

/* Threads that came after the pool was made put aside one by one. */
START_TEST(threads_without_places)
{
    World w;
    SnlPool *p;
    start(&w, "p i[1000] { . }");
    p = &w.tree->nodes[0].cells;
    activate_all(&w);
    ck_assert_int_eq(p->run_count, 1);
    run_together(&w, CELLS / 2);
    snl_tree_gc(w.tree);
    ck_assert_int_eq(snl_pool_used(p), CELLS / 2);
    check_cells(&w, 0, CELLS / 2);
    w.rt.threads = 1;
    end(&w);
}
END_TEST

/* Chunks of lists are taken from the free list, with those some places on fetched before, or none;
 * they hold what new ones do. */
START_TEST(free_chunks_are_fetched)
{
    World w;
    SnlPool *p;
    start(&w, "y i[1000]/4 { .5 }");
    p = &w.tree->nodes[0].cells;
    p->ahead = _i ? 2 : INT64_MAX / 2;
    const int64_t own = snl_pool_used(p);
    for (int round = 0; round < 3; round++) {
        for (int64_t i = 0; i < CELLS; i++) {
            int32_t *value = (int32_t *)(void *)cell(&w, 0, i, SNL_ACTIVATE);
            ck_assert_int_eq(*value, 5);
            *value = 7;
        }
        /* one was put aside at the end of the round before */
        ck_assert_int_eq(snl_pool_used(p), own + CELLS / 4 + (round > 0));
        snl_tree_deactivate_all(w.tree, 0);
        *(int32_t *)(void *)cell(&w, 0, 0, SNL_ACTIVATE) = 7;   /* not all chunks are free */
        snl_tree_gc(w.tree);
        ck_assert_int_eq(snl_pool_used(p), own + 1);
        snl_tree_deactivate_all(w.tree, 0);
    }
    end(&w);
}
END_TEST

/* Entries of tables with one to four axes go one by one. */
START_TEST(entries_go)
{
    static const char *const layouts[] = { "h i[8] { . }", "h ij[8,8] { . }", "h ijk[8,8,8] { . }",
                                           "h ijkl[8,8,8,8] { . }" };
    World w;
    start(&w, layouts[_i]);
    for (int64_t k = 0; k < 8; k++) {
        int64_t coord[SNL_AXES] = { k, k, 7 - k, k };
        *(int32_t *)(void *)snl_cell_at(w.tree, 0, coord, SNL_ACTIVATE) = (int32_t)k + 1;
    }
    for (int64_t k = 0; k < 8; k += 3) {
        int64_t coord[SNL_AXES] = { k, k, 7 - k, k };
        snl_cell_deactivate(w.tree, 0, coord);
    }
    ck_assert_int_eq(snl_tree_active(w.tree, 0), 5);
    snl_tree_gc(w.tree);
    for (int64_t k = 0; k < 8; k++) {
        int64_t coord[SNL_AXES] = { k, k, 7 - k, k };
        ck_assert_int_eq(snl_cell_is_active(w.tree, 0, coord), k % 3 != 0);
        ck_assert_int_eq(*(int32_t *)(void *)snl_cell_at(w.tree, 0, coord, SNL_READ),
                         k % 3 ? k + 1 : 0);
    }
    end(&w);
}
END_TEST

/* Two threads that do the same at the same time, step by step. */
typedef struct {
    World *w;
    int come;
} Both;

enum { STEPS = 5000 };

static void
do_both(void *args, int64_t chunk, int64_t from, int64_t to)
{
    enum { TRIES = 1000000 };
    Both *b = (Both *)args;
    (void)chunk;
    (void)from;
    (void)to;
    for (int step = 0; step < STEPS; step++) {
        int64_t coord[SNL_AXES] = { step, 0 };
        SNL_ADD(&b->come, 1);
        for (int k = 0; k < TRIES && SNL_LOAD(&b->come) < 2 * (step + 1); k++)
            if (k % 100 == 99)
                sched_yield();
        if (b->w->m.nodes[0].kind == SNL_DENSE)
            snl_cell_at(b->w->tree, 1, coord, SNL_ACTIVATE);
        else
            snl_cell_deactivate(b->w->tree, 0, coord);
    }
}

/* A cell that two threads deactivate is put aside once, and a list that both begin has one block.
 */
START_TEST(what_two_do_is_done_once)
{
    static const char *const layouts[] = {
        "p i[5000] { p j[4] { . } }", "h i[5000] { h j[4] { . } }", "d i[5000] { y j[8]/2 { . } }"};
    World w;
    start(&w, layouts[_i]);
    w.rt.threads = 2;
    for (int64_t i = 0; i < STEPS && _i < 2; i++)
        cell(&w, 1, i, SNL_ACTIVATE);
    Both both = { &w, 0 };
    snl_parallel_for(&w.rt, 2, 2, do_both, &both);
    ck_assert_int_eq(both.come, 2 * STEPS);
    snl_tree_gc(w.tree);
    if (_i < 2) {
        ck_assert_int_eq(snl_tree_active(w.tree, 0), 0);
        ck_assert_int_eq(snl_pool_used(&w.tree->nodes[0].cells), 0);
        ck_assert_int_eq(snl_pool_used(&w.tree->nodes[1].cells), 0);
    } else {
        ck_assert_int_eq(snl_tree_active(w.tree, 1), STEPS);
        ck_assert_int_eq(snl_pool_used(&w.tree->nodes[1].cells), STEPS);
        ck_assert_int_eq(snl_pool_used(&w.tree->nodes[1].blocks), STEPS);
    }
    w.rt.threads = 1;
    end(&w);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("runtime, pools");
    TCase *t = tcase_create("pools");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, places_that_stay_empty);
    tcase_add_test(t, threads_without_places);
    tcase_add_loop_test(t, free_chunks_are_fetched, 0, 2);
    tcase_add_loop_test(t, entries_go, 0, 4);
    tcase_add_loop_test(t, what_two_do_is_done_once, 0, 3);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
