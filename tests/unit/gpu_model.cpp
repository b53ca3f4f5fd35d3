/* gpu_model.cpp - trees that lanes of a GPU work on, compared with a plain model under random operations.
 *
 * Compiled by tests/scripts/gpu-model.sh for the stand-in; every loop has another order of lanes.  SNL_TEST_SEED is the
 * first of the seeds, which are printed, SNL_TEST_OPERATIONS how many operations there are for all layouts together.
 */
#define SNL_GPU 1
#include "snlrt.h"

#include <stdio.h>

#include "runtime_model.h"

enum { BATCH = 96, SEEDS = 3 };

/* An operation of one lane. */
typedef struct {
    int64_t coord[SNL_AXES];
    int64_t offset;
    int32_t value;
    bool writes;
} Op;

typedef struct {
    SnlTree *tree;
    int node;
    const Op *ops;
} Args;

SNL_ON_GPU static void
activate_part(void *args, int64_t from, int64_t to, int64_t step)
{
    const Args *a = (const Args *)args;
    for (int64_t k = from; k < to; k += step) {
        const Op *op = &a->ops[k];
        char *cell = (char *)snl_cell_at(a->tree, a->node, op->coord, SNL_ACTIVATE);
        if (op->writes)
            *(int32_t *)(void *)(cell + op->offset) = op->value;
    }
}

SNL_ON_GPU static void
deactivate_part(void *args, int64_t from, int64_t to, int64_t step)
{
    const Args *a = (const Args *)args;
    for (int64_t k = from; k < to; k += step)
        snl_cell_deactivate(a->tree, a->node, a->ops[k].coord);
}

SNL_ON_GPU static void
append_part(void *args, int64_t from, int64_t to, int64_t step)
{
    const Args *a = (const Args *)args;
    for (int64_t k = from; k < to; k += step) {
        void *cell, *list = snl_container_at(a->tree, a->node, a->ops[k].coord, SNL_ACTIVATE);
        snl_dynamic_push(a->tree, a->node, list, a->tree->nodes[a->node].desc.chunk,
                         a->tree->nodes[a->node].desc.cell_bytes, false, &cell);
    }
}

typedef struct {
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    int64_t done;               /* operations of lanes and of the CPU */
    Op ops[BATCH];
} Fixture;

static Args
shared_ops(Fixture *f, int node, int count)
{
    f->done += count;
    return Args{f->tree, node, (const Op *)snl_gpu_share(&f->rt, f->ops, (uint64_t)count * sizeof(Op))};
}

/* Makes memory for any number of activations. */
static void
prepare(Fixture *f)
{
    const SnlNeed needs[] = {{f->tree, INT64_MAX, INT64_MAX, false}};
    snl_gpu_prepare(&f->rt, needs, 1);
}

/* Writes elements of a field, or only activates; neighbours meet in the same warps. */
static void
write_some(Fixture *f, bool writes)
{
    int leaf = (int)model_pick(&f->m, f->m.desc.leaf_count), node = f->m.leaves[leaf].node;
    int64_t cells = f->m.cells[node], at = model_pick(&f->m, cells), stride = 1 + model_pick(&f->m, 3);
    int count = (int)(1 + model_pick(&f->m, cells / stride < BATCH ? cells / stride : BATCH));
    for (int k = 0; k < count; k++) {
        int64_t number = (at + k * stride) % cells;
        if (k > 0 && number == at) {
            count = k;
            break;
        }
        f->ops[k] = Op{{}, f->m.leaves[leaf].offset, (int32_t)model_pick(&f->m, 1000), writes};
        model_coord(&f->m, node, number, f->ops[k].coord);
    }
    prepare(f);
    snl_gpu_for<activate_part, SNL_EACH_LANE, 64>(&f->rt, count, shared_ops(f, node, count));
    for (int k = 0; k < count; k++) {
        int64_t number = model_number(&f->m, node, f->ops[k].coord);
        model_activate(&f->m, node, number);
        if (writes)
            f->m.value[leaf][number] = f->ops[k].value;
    }
}

static void
deactivate_some(Fixture *f)
{
    int node = model_sparse_node(&f->m), count = (int)(1 + model_pick(&f->m, BATCH / 4));
    if (node < 0)
        return;
    for (int k = 0; k < count; k++)
        model_coord(&f->m, node, model_pick(&f->m, f->m.cells[node]), f->ops[k].coord);
    snl_gpu_room(&f->rt, f->tree);
    snl_gpu_for<deactivate_part, SNL_EACH_LANE, 64>(&f->rt, count, shared_ops(f, node, count));
    for (int k = 0; k < count; k++)
        model_deactivate(&f->m, node, model_number(&f->m, node, f->ops[k].coord));
}

/* Appends to some lists of a node, as far as there is room. */
static void
append_some(Fixture *f)
{
    int node = model_sparse_node(&f->m), count = 0;
    if (node < 0 || f->m.nodes[node].kind != SNL_DYNAMIC)
        return;
    for (int tries = 0; tries < BATCH; tries++) {
        int64_t at = model_pick(&f->m, f->m.cells[node]), length = model_length(&f->m, node, at);
        if (length == f->m.nodes[node].sizes[0])
            continue;
        model_coord(&f->m, node, at, f->ops[count++].coord);
        model_activate(&f->m, node, model_list_cell(&f->m, node, at, length));
    }
    prepare(f);
    snl_gpu_for<append_part, SNL_EACH_LANE, 64>(&f->rt, count, shared_ops(f, node, count));
}

/* The CPU has its turn: what it takes and gives back meets what the GPU does. */
static void
on_cpu(Fixture *f)
{
    int node = model_sparse_node(&f->m);
    int64_t coord[SNL_AXES], at;
    snl_gpu_wait(&f->rt);
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
    if (what < 35)
        write_some(f, model_pick(&f->m, 4) > 0);
    else if (what < 50)
        append_some(f);
    else if (what < 65)
        deactivate_some(f);
    else if (what < 80)
        snl_gpu_gc(&f->rt, f->tree);
    else if (what < 85) {
        int node = model_sparse_node(&f->m);
        if (node < 0)
            return;
        snl_gpu_deactivate_all(&f->rt, f->tree, node);
        model_reset(&f->m, node, -1);
    } else if (what < 95)
        on_cpu(f);
    else
        for (int node = 0; node < f->m.desc.node_count; node++)
            snl_gpu_list(&f->rt, f->tree, node);
}

/* The lists are made by the GPU, then compared. */
static void
compare(Fixture *f)
{
    for (int node = 0; node < f->m.desc.node_count; node++)
        snl_gpu_list(&f->rt, f->tree, node);
    snl_gpu_wait(&f->rt);
    ck_assert_str_eq(snl_message(&f->rt), "");
    for (int node = 0; node < f->m.desc.node_count; node++)
        ck_assert(f->tree->nodes[node].list.stamp >= path_stamp(f->tree, node));
    model_check(&f->m, f->tree);
}

/* After a collection as many cells are in use as are active; what lanes took in vain may wait for the next. */
static void
nothing_is_lost(Fixture *f)
{
    snl_gpu_gc(&f->rt, f->tree);
    snl_gpu_wait(&f->rt);
    for (int node = 0; node < f->m.desc.node_count; node++)
        if (f->m.nodes[node].kind == SNL_POINTER || f->m.nodes[node].kind == SNL_HASH)
            ck_assert_int_eq(snl_pool_used(&f->tree->nodes[node].cells) - f->tree->nodes[node].cells.recycled.count,
                             model_count(&f->m, node));
}

static void
run(int layout, uint64_t seed, int64_t operations)
{
    static Fixture f;
    SnlAllocator memory = {};
    const char *trouble = snl_gpu_memory(&memory, 0);
    printf("seed %llu, layout %s\n", (unsigned long long)seed, model_layouts[layout]);
    fflush(stdout);
    memset((void *)&f, 0, sizeof f);
    model_init(&f.m, model_layouts[layout]);
    f.m.random = seed + (uint64_t)layout;
    snl_instance_init(&f.rt, &memory, 2, 1, 0);
    ck_assert_int_eq(snl_gpu_open(&f.rt, 0, NULL, trouble), SNL_OK);
    f.rt.gpu->seed = seed;
    ck_assert_int_eq(snl_tree_create(&f.rt, &f.m.desc, NULL, &f.tree), SNL_OK);
    for (int64_t k = 0; f.done < operations; k++) {
        step(&f);
        if (k % (operations / 5000 + 8) == 0)
            compare(&f);
    }
    compare(&f);
    nothing_is_lost(&f);
    snl_tree_destroy(f.tree);
    snl_gpu_close(&f.rt);
    ck_assert_int_eq(f.rt.bytes_used, 0);
    snl_instance_free(&f.rt);
    model_free(&f.m);
}

START_TEST(lanes_change_trees)
{
    const char *seed = getenv("SNL_TEST_SEED"), *all = getenv("SNL_TEST_OPERATIONS");
    int64_t operations = (all ? strtoll(all, NULL, 10) : 40000) / (SEEDS * MODEL_LAYOUTS);
    for (uint64_t k = 0; k < SEEDS; k++)
        run(_i, (seed ? strtoull(seed, NULL, 10) : 1) + k, operations);
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
