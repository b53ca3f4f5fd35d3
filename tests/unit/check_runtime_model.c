/* check_runtime_model.c - trees compared with a plain model under random operations.
 *
 * The seed is printed with every failure; SNL_TEST_SEED sets it.
 */
#include <stdio.h>

#include "runtime_model.h"

enum { OPERATIONS = 600 };
#ifdef __SANITIZE_THREAD__ /* which finds nothing where there is one thread */
enum { FEWEST_THREADS = 4 };
#else
enum { FEWEST_THREADS = 1 };
#endif

typedef struct {
    Model m;
    SnlInstance rt;
    SnlTree *tree;
} Fixture;

static uint64_t
test_seed(void)
{
    const char *text = getenv("SNL_TEST_SEED");
    return text ? strtoull(text, NULL, 10) : 12345;
}

static void
setup(Fixture *f, int layout, int threads)
{
    memset(f, 0, sizeof *f);
    printf("seed %llu, layout %s\n", (unsigned long long)test_seed(), model_layouts[layout]);
    model_open(&f->m, &f->rt, &f->tree, model_layouts[layout], threads);
    f->m.random = test_seed() + (uint64_t)layout;
}

static void
teardown(Fixture *f)
{
    model_close(&f->m, &f->rt, f->tree);
}

static void
write_one(Fixture *f)
{
    int leaf = (int)model_pick(&f->m, f->m.desc.leaf_count), node = f->m.leaves[leaf].node;
    int64_t at = model_pick(&f->m, f->m.cells[node]), coord[SNL_AXES];
    int32_t value = (int32_t)model_pick(&f->m, 1000);
    char *cell;
    model_coord(&f->m, node, at, coord);
    cell = (char *)snl_cell_at(f->tree, node, coord, SNL_ACTIVATE);
    *(int32_t *)(cell + f->m.leaves[leaf].offset) = value;
    model_activate(&f->m, node, at);
    f->m.value[leaf][at] = value;
}

static void
deactivate_one(Fixture *f)
{
    int node = model_sparse_node(&f->m);
    int64_t coord[SNL_AXES], at;
    if (node < 0)
        return;
    at = model_pick(&f->m, f->m.cells[node]);
    model_coord(&f->m, node, at, coord);
    snl_cell_deactivate(f->tree, node, coord);
    model_deactivate(&f->m, node, at);
}

static void
activate_one(Fixture *f)
{
    int node = model_sparse_node(&f->m);
    int64_t coord[SNL_AXES], at;
    if (node < 0)
        return;
    at = model_pick(&f->m, f->m.cells[node]);
    model_coord(&f->m, node, at, coord);
    snl_cell_at(f->tree, node, coord, SNL_ACTIVATE);
    model_activate(&f->m, node, at);
}

static void
append_one(Fixture *f)
{
    int node = model_sparse_node(&f->m);
    int64_t at, length, coord[SNL_AXES];
    void *list, *cell;
    if (node < 0 || f->m.nodes[node].kind != SNL_DYNAMIC)
        return;
    at = model_pick(&f->m, f->m.cells[node]);
    model_coord(&f->m, node, at, coord);
    length = model_length(&f->m, node, at);
    if (length == f->m.nodes[node].sizes[0])
        return;
    list = snl_container_at(f->tree, node, coord, SNL_ACTIVATE);
    ck_assert_int_eq(snl_dynamic_append(f->tree, node, list, &cell), length);
    model_activate(&f->m, node, model_list_cell(&f->m, node, at, length));
}

static void
step(Fixture *f)
{
    int64_t what = model_pick(&f->m, 100);
    if (what < 45)
        write_one(f);
    else if (what < 55)
        activate_one(f);
    else if (what < 65)
        append_one(f);
    else if (what < 85)
        deactivate_one(f);
    else if (what < 95)
        snl_tree_gc(f->tree);
    else if (what < 97)
        model_deactivate_all(&f->m, f->tree);
    else
        snl_tree_trim(f->tree);
}

START_TEST(random_operations)
{
    for (int threads = FEWEST_THREADS; threads <= 4; threads += 3) {
        Fixture f;
        setup(&f, _i, threads);
        model_check(&f.m, f.tree);
        for (int k = 0; k < OPERATIONS; k++) {
            step(&f);
            if (k % 16 == 0)
                model_check(&f.m, f.tree);
        }
        model_check(&f.m, f.tree);
        teardown(&f);
    }
}
END_TEST

/* As many operations as SNL_TEST_OPERATIONS says, spread over the layouts. */
START_TEST(soak)
{
    const char *text = getenv("SNL_TEST_OPERATIONS");
    int64_t count = (text ? strtoll(text, NULL, 10) : 20000) / MODEL_LAYOUTS;
    Fixture f;
    setup(&f, _i, 2);
    for (int64_t k = 0; k < count; k++) {
        step(&f);
        if (k % (count / 100 + 1) == 0)
            model_check(&f.m, f.tree);
    }
    model_check(&f.m, f.tree);
    teardown(&f);
}
END_TEST

START_TEST(reset_empties_the_tree)
{
    Fixture f;
    setup(&f, _i, 2);
    for (int k = 0; k < 60; k++)
        write_one(&f);
    snl_tree_reset(f.tree);
    snl_tree_gc(f.tree);
    for (int node = 0; node < f.m.desc.node_count; node++)
        if (f.m.nodes[node].parent < 0)
            model_reset(&f.m, node, -1);
    model_check(&f.m, f.tree);
    for (int k = 0; k < 60; k++)
        write_one(&f);
    model_check(&f.m, f.tree);
    teardown(&f);
}
END_TEST

START_TEST(swap_exchanges_contents)
{
    Fixture f;
    Model empty;
    SnlTree *other;
    setup(&f, _i, 1);
    model_init(&empty, model_layouts[_i]);
    ck_assert_int_eq(snl_tree_create(&f.rt, &f.m.desc, NULL, &other), SNL_OK);
    for (int k = 0; k < 80; k++)
        write_one(&f);
    snl_tree_swap(f.tree, other);
    model_check(&empty, f.tree);
    model_check(&f.m, other);
    snl_tree_swap(f.tree, other);
    deactivate_one(&f);
    model_check(&f.m, f.tree);
    model_check(&empty, other);
    snl_tree_destroy(other);
    model_free(&empty);
    teardown(&f);
}
END_TEST

START_TEST(files_keep_everything)
{
    Fixture f;
    SnlTree *other;
    SnlIoError error = { .text = "" };
    char path[64];
    snprintf(path, sizeof path, "check_runtime_model_%d.snlt", _i);
    setup(&f, _i, 2);
    ck_assert_int_eq(snl_tree_create(&f.rt, &f.m.desc, NULL, &other), SNL_OK);
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 40 * round; k++)
            step(&f);
        ck_assert_msg(snl_tree_save(f.tree, path, &error), "%s", error.text);
        ck_assert_msg(snl_tree_load(other, path, &error), "%s", error.text);
        snl_tree_gc(other);
        model_check(&f.m, other);
    }
    remove(path);
    snl_tree_destroy(other);
    teardown(&f);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("runtime model");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 3600);
    tcase_add_loop_test(t, soak, 0, MODEL_LAYOUTS);
    tcase_add_loop_test(t, random_operations, 0, MODEL_LAYOUTS);
    tcase_add_loop_test(t, reset_empties_the_tree, 0, MODEL_LAYOUTS);
    tcase_add_loop_test(t, swap_exchanges_contents, 0, MODEL_LAYOUTS);
    tcase_add_loop_test(t, files_keep_everything, 0, MODEL_LAYOUTS);
    suite_add_tcase(s, t);
    return run_suite(s);
}
