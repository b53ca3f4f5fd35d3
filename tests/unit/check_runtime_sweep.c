/* check_runtime_sweep.c - every allocation of a tree that one or two threads change fails. */
#include "model_sweep.h"

enum { ONE_THREAD, TWO_THREADS, SIDES };

static void
open_threads(Sweep *s, int threads)
{
    SnlAllocator allocator = budget_allocator(&s->budget);
    snl_instance_init(&s->rt, &allocator, threads, 1, 0);
}

static bool
open_one(Sweep *s)
{
    open_threads(s, 1);
    return true;
}

static bool
open_two(Sweep *s)
{
    open_threads(s, 2);
    return true;
}

static void
close_instance(Sweep *s)
{
    snl_instance_free(&s->rt);
}

static void
run_part(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Sweep *s = (Sweep *)args;
    (void)chunk;
    for (int64_t k = from; k < to; k++)
        op_run(s->tree, &s->batch.ops[k]);
}

static void
run_batch(Sweep *s)
{
    snl_parallel_for(&s->rt, s->batch.count, snl_chunk_count(s->batch.count, 1), run_part, s);
}

static void
make_list(Sweep *s, int node)
{
    snl_tree_list(s->tree, node);
}

static void
collect(Sweep *s)
{
    snl_tree_gc(s->tree);
}

static void
deactivate_all(Sweep *s, int node)
{
    snl_tree_deactivate_all(s->tree, node);
}

static const SweepSide sides[SIDES] = {
    { open_one, close_instance, run_batch, make_list, collect, deactivate_all },
    { open_two, close_instance, run_batch, make_list, collect, deactivate_all },
};

START_TEST(every_allocation_beside_threads)
{
    sweep_numbered(sides, SIDES, _i, 2);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("runtime sweep");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, every_allocation_beside_threads, 0, MODEL_LAYOUTS * SIDES * 2);
    suite_add_tcase(s, t);
    return run_suite(s);
}
