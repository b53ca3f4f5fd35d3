/* gpu_model.cpp - trees that lanes of a GPU work on, compared with a plain model under random operations.
 *
 * Compiled by tests/scripts/gpu-model.sh for the stand-in; every loop has another order of lanes.  SNL_TEST_SEED is the
 * first of the seeds, which are printed, SNL_TEST_OPERATIONS how many operations there are for all layouts together.
 */
#define SNL_GPU 1
#include "snlrt.h"

#include <stdio.h>

#include "gpu_batch.h"

enum { SEEDS = 3 };

typedef struct {
    Model m;
    SnlInstance *rt;            /* where lanes see it */
    SnlTree *tree;
    Batch batch;
    int64_t done;               /* operations of lanes and of the CPU */
} Fixture;

static void
make_lists(Fixture *f)
{
    for (int node = 0; node < f->m.desc.node_count; node++)
        snl_gpu_list(f->rt, f->tree, node);
}

/* Each lane does an operation of its own; neighbours meet in the same warps.  A collection and lists may be queued behind it. */
static void
run_batch(Fixture *f)
{
    batch_make(&f->batch, &f->m, BATCH_MOST / 2);
    gpu_run_batch(f->rt, f->tree, &f->batch, [f] {
        if (model_pick(&f->m, 2))
            snl_gpu_gc(f->rt, f->tree);
        if (model_pick(&f->m, 4) == 0)
            make_lists(f);
    });
    ck_assert_str_eq(snl_message(f->rt), "");
    batch_apply(&f->batch, &f->m);
    f->done += f->batch.count;
}

/* The CPU has its turn: what it takes and gives back meets what the GPU does. */
static void
on_cpu(Fixture *f)
{
    int node = model_sparse_node(&f->m);
    int64_t coord[SNL_AXES], at;
    snl_gpu_wait(f->rt);
    if (node < 0)
        return;
    at = model_pick(&f->m, f->m.cells[node]);
    model_coord(&f->m, node, at, coord);
    if (model_pick(&f->m, 2)) {
        snl_cell_at(f->tree, node, coord, SNL_ACTIVATE);
        model_activate(&f->m, node, at);
    } else {
        snl_cell_deactivate(f->tree, node, coord);
        model_deactivate(&f->m, node, at);
        if (model_pick(&f->m, 2))
            snl_tree_gc(f->tree);
    }
    if (model_pick(&f->m, 8) == 0)
        snl_tree_trim(f->tree);
}

static void
step(Fixture *f)
{
    int64_t what = model_pick(&f->m, 100);
    f->done++;
    if (what < 65)
        run_batch(f);
    else if (what < 80)
        snl_gpu_gc(f->rt, f->tree);
    else if (what < 85) {
        int node = model_sparse_node(&f->m);
        if (node < 0)
            return;
        snl_gpu_deactivate_all(f->rt, f->tree, node);
        model_reset(&f->m, node, -1);
    } else if (what < 95)
        on_cpu(f);
    else
        make_lists(f);
}

/* The lists are made by the GPU, then compared. */
static void
compare(Fixture *f)
{
    make_lists(f);
    snl_gpu_wait(f->rt);
    ck_assert_str_eq(snl_message(f->rt), "");
    for (int node = 0; node < f->m.desc.node_count; node++)
        ck_assert(f->tree->nodes[node].list.stamp >= path_stamp(f->tree, node));
    model_check(&f->m, f->tree);
}

/* After a collection; what lanes took in vain may wait for the next. */
static void
nothing_is_lost(Fixture *f)
{
    snl_gpu_gc(f->rt, f->tree);
    snl_gpu_wait(f->rt);
    model_check_pools(&f->m, f->tree);
}

/* Every fourth seed has the traps of the stand-in (gpu_trap.h), which take most of the time and are for one thread; gives how many
 * there are. */
static int
set_traps(uint64_t seed)
{
    const bool has_traps = seed % 4 == 1;
    if (has_traps)
        setenv("SNL_SIM_TRAP", "yes", 1);
    else
        unsetenv("SNL_SIM_TRAP");
    return has_traps ? 1 : 2;
}

static void
run(int layout, uint64_t seed, int64_t operations)
{
    static Fixture f;
    const int threads = set_traps(seed);
    SnlAllocator memory = {};
    const char *trouble = snl_gpu_memory(&memory, 0);
    printf("seed %llu, layout %s\n", (unsigned long long)seed, model_layouts[layout]);
    fflush(stdout);
    memset((void *)&f, 0, sizeof f);
    model_init(&f.m, model_layouts[layout]);
    batch_init(&f.batch, &f.m);
    f.m.random = seed + (uint64_t)layout;
    f.rt = (SnlInstance *)snl_instance_new(sizeof *f.rt, &memory);
    snl_instance_init(f.rt, &memory, threads, 1, 0);
    ck_assert_int_eq(snl_gpu_open(f.rt, 0, NULL, trouble), SNL_OK);
    f.rt->gpu->seed = seed;
    ck_assert_int_eq(snl_tree_create(f.rt, &f.m.desc, NULL, &f.tree), SNL_OK);
    for (int64_t k = 0; f.done < operations; k++) {
        step(&f);
        if (k % (operations / 5000 + 8) == 0)
            compare(&f);
    }
    compare(&f);
    nothing_is_lost(&f);
    snl_tree_destroy(f.tree);
    snl_gpu_close(f.rt);
    ck_assert_int_eq(f.rt->bytes_used, 0);
    snl_instance_free(f.rt);
    snl_instance_delete(f.rt, sizeof *f.rt, &memory);
    batch_free(&f.batch);
    model_free(&f.m);
}

START_TEST(lanes_change_trees)
{
    for (uint64_t k = 0; k < SEEDS; k++)
        run(_i, first_seed() + k, operations_of_run(80000, SEEDS * MODEL_LAYOUTS));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("gpu model");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 3600);
    tcase_add_loop_test(t, lanes_change_trees, 0, MODEL_LAYOUTS);
    suite_add_tcase(s, t);
    return run_suite(s);
}
