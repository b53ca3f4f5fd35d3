/* check_runtime_sweep.c - every allocation of a tree that threads change fails once, or from it on.
 *
 * What was done before stays, an error says what memory was short for, and all works again when
 * there is some; nothing is lost.
 */
#include "budget.h"
#include "model_short.h"

enum { ROUNDS = 3, THREADS_MOST = 2, KINDS = 2 * THREADS_MOST, POINTS_MOST = 1000 };

typedef struct {
    Budget budget;
    Model m, before;
    SnlInstance rt;
    SnlTree *tree;
    Batch batch;
} Fixture;

static void
run_part(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Fixture *f = (Fixture *)args;
    (void)chunk;
    for (int64_t k = from; k < to; k++)
        op_run(f->tree, &f->batch.ops[k]);
}

static void
run_batch(Fixture *f)
{
    batch_make(&f->batch, &f->m, BATCH_MOST);
    snl_parallel_for(&f->rt, f->batch.count, snl_chunk_count(f->batch.count, 1), run_part, f);
}

/* What follows is compared with the model as it is now. */
static void
remember(Fixture *f, const char *layout)
{
    model_free(&f->before);
    model_copy(&f->before, &f->m, layout);
}

/* Changes the tree and makes its lists, until memory is short; gives whether it was. */
static bool
change_tree(Fixture *f, const char *layout)
{
    for (int round = 0; round < ROUNDS; round++) {
        int node = round % f->m.desc.node_count;
        remember(f, layout);
        run_batch(f);
        if (snl_failed(&f->rt)) {
            batch_apply_short(&f->batch, &f->m);
            return true;
        }
        batch_apply(&f->batch, &f->m);
        remember(f, layout);
        for (int k = 0; k < f->m.desc.node_count && !snl_failed(&f->rt); k++)
            snl_tree_list(f->tree, k);
        snl_tree_gc(f->tree);
        if (f->m.nodes[node].kind != SNL_DENSE && !snl_failed(&f->rt)) {
            snl_tree_deactivate_all(f->tree, node);
            model_reset(&f->m, node, -1);
        }
        if (snl_failed(&f->rt))
            return true;
        if (round == 1)
            snl_tree_trim(f->tree);
    }
    return false;
}

/* As long as memory is short, lists may be wanted in vain, and what was deactivated is collected or
 * waits. */
static void
go_on(Fixture *f)
{
    for (int node = 0; node < f->m.desc.node_count; node++) {
        snl_clear_error(&f->rt);
        snl_tree_list(f->tree, node);
    }
    snl_tree_gc(f->tree);
    snl_tree_trim(f->tree);
    snl_clear_error(&f->rt);
}

/* There is memory again: nothing was lost, and everything works. */
static void
recover(Fixture *f)
{
    f->budget.left = INT64_MAX;
    check_between(&f->batch, &f->before, &f->m, f->tree);
    snl_tree_reset(f->tree);
    model_reset_all(&f->m);
    model_check(&f->m, f->tree);
    run_batch(f);
    ck_assert_str_eq(snl_message(&f->rt), "");
    batch_apply(&f->batch, &f->m);
    model_check(&f->m, f->tree);
    f->tree->pending = 1;
    snl_tree_gc(f->tree);
    model_check_pools(&f->m, f->tree);
}

/* Everything, where an allocation fails after so many, alone or with all that follow; gives whether
 * there was one. */
static bool
fails_at(Fixture *f, const char *layout, int threads, int64_t left, bool once)
{
    SnlAllocator allocator;
    memset(f, 0, sizeof *f);
    f->budget = (Budget){ left, once, 0, 0, 0 };
    allocator = budget_allocator(&f->budget);
    model_init(&f->m, layout);
    model_init(&f->before, layout);
    batch_init(&f->batch, &f->m);
    f->m.random = 7;
    snl_instance_init(&f->rt, &allocator, threads, 1, 0);
    if (snl_tree_create(&f->rt, &f->m.desc, NULL, &f->tree) != SNL_OK) {
        ck_assert_ptr_null(f->tree);
        check_short(&f->rt, &f->m);
    } else {
        if (change_tree(f, layout))
            check_short(&f->rt, &f->m);
        go_on(f);
        recover(f);
    }
    snl_tree_destroy(f->tree);
    snl_instance_free(&f->rt);
    ck_assert_int_eq(f->budget.blocks, 0);
    ck_assert_int_eq(f->budget.bytes, 0);
    ck_assert_uint_eq(f->rt.bytes_used, 0);
    batch_free(&f->batch);
    model_free(&f->before);
    model_free(&f->m);
    return f->budget.refused > 0;
}

START_TEST(every_allocation_beside_threads)
{
    static Fixture f;
    int64_t left = 0;
    while (fails_at(&f, model_layouts[_i / KINDS], 1 + _i % KINDS / 2, left, _i % 2))
        left++;
    ck_assert_int_gt(left, 3);
    ck_assert_int_lt(left, POINTS_MOST);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("runtime sweep");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, every_allocation_beside_threads, 0, MODEL_LAYOUTS * KINDS);
    suite_add_tcase(s, t);
    return run_suite(s);
}
