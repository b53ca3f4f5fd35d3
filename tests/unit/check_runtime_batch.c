/* check_runtime_batch.c - trees that several threads change at once, compared with a plain model.
 *
 * SNL_TEST_SEED sets the first of the seeds, which are printed, SNL_TEST_OPERATIONS how many
 * operations there are in all.
 */
#include <stdio.h>

#include "model_batch.h"

static const int thread_counts[] = { 1, 2, 4, 8 };
enum { THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0] };
enum { RUNS = MODEL_LAYOUTS * THREAD_COUNTS };
#ifdef __SANITIZE_THREAD__ /* which is ten times slower */
enum { OPERATIONS = 60000, CHECK_EVERY = 24 };
#else
enum { OPERATIONS = 300000, CHECK_EVERY = 12 };
#endif

typedef struct {
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    Batch batch;
    int arrived;                /* threads that have a part of the batch */
    int64_t done;
} Fixture;

/* Waits until all threads have come, or for a moment, so that they work at the same time. */
static void
meet(Fixture *f)
{
    enum { MOMENTS = 1000 };
    SNL_ADD(&f->arrived, 1);
    for (int k = 0; k < MOMENTS && SNL_LOAD(&f->arrived) < f->rt.threads; k++)
        snl_yield();
}

static void
run_part(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Fixture *f = (Fixture *)args;
    (void)chunk;
    meet(f);
    for (int64_t k = from; k < to; k++)
        op_run(f->tree, &f->batch.ops[k]);
}

static void
run_batch(Fixture *f)
{
    batch_make(&f->batch, &f->m, BATCH_MOST);
    f->arrived = 0;
    snl_parallel_for(&f->rt, f->batch.count, f->rt.threads, run_part, f);
    batch_apply(&f->batch, &f->m);
    f->done += f->batch.count;
}

/* What is free in pools, and whether lists are there, differs from one batch to the next. */
static void
step(Fixture *f)
{
    int64_t what = model_pick(&f->m, 100);
    f->done++;
    if (what < 70)
        run_batch(f);
    else if (what < 85)
        snl_tree_gc(f->tree);
    else if (what < 93)
        model_check_list(&f->m, f->tree, (int)model_pick(&f->m, f->m.desc.node_count));
    else if (what < 97)
        model_deactivate_all(&f->m, f->tree);
    else
        snl_tree_trim(f->tree);
}

START_TEST(threads_change_trees)
{
    const char *layout = model_layouts[_i / THREAD_COUNTS];
    const int threads = thread_counts[_i % THREAD_COUNTS];
    const uint64_t seed = first_seed() + (uint64_t)_i;
    const int64_t operations = operations_of_run(OPERATIONS, RUNS);
    static Fixture f;
    printf("seed %llu, %d threads, layout %s\n", (unsigned long long)seed, threads, layout);
    fflush(stdout);
    memset(&f, 0, sizeof f);
    model_open(&f.m, &f.rt, &f.tree, layout, threads);
    batch_init(&f.batch, &f.m);
    f.m.random = seed;
    for (int64_t k = 0; f.done < operations; k++) {
        step(&f);
        if (k % (CHECK_EVERY + operations / 50000) == 0)
            model_check_whole(&f.m, f.tree);
    }
    model_check_whole(&f.m, f.tree);
    batch_free(&f.batch);
    model_close(&f.m, &f.rt, f.tree);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("runtime batch");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 3600);
    tcase_add_loop_test(t, threads_change_trees, 0, RUNS);
    suite_add_tcase(s, t);
    return run_suite(s);
}
