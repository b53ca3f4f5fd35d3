/* check_runtime_threads.c - verbs of cells from several threads at once.
 *
 * Whatever the order of the threads, the state after a loop is known: writes to the same cell store
 * the same value, appends count, activation and deactivation go to different cells.
 */
#include <stdio.h>

#include "runtime_model.h"

enum { THREADS = 4, WRITES = 400, ROUNDS = 12 };

typedef struct {
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    uint64_t state;
} Fixture;

static int64_t
pick(Fixture *f, int64_t below)
{
    f->state = f->state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((f->state >> 33) % (uint64_t)below);
}

static void
setup(Fixture *f, const char *layout, int threads)
{
    memset(f, 0, sizeof *f);
    f->state = 99;
    model_init(&f->m, layout);
    snl_instance_init(&f->rt, NULL, threads, 1, 0);
    ck_assert_int_eq(snl_tree_create(&f->rt, &f->m.desc, NULL, &f->tree), SNL_OK);
}

static void
teardown(Fixture *f)
{
    ck_assert_str_eq(snl_message(&f->rt), "");
    snl_tree_destroy(f->tree);
    ck_assert_int_eq(f->rt.bytes_used, 0);
    snl_instance_free(&f->rt);
    model_free(&f->m);
}

/* Something to be done to one cell of a node; leaf -1: deactivate it. */
typedef struct {
    int node, leaf;
    int64_t at;
} Op;

static void
run_op(Fixture *f, const Op *op)
{
    int64_t coord[SNL_AXES];
    char *cell;
    model_coord(&f->m, op->node, op->at, coord);
    if (op->leaf < 0) {
        snl_cell_deactivate(f->tree, op->node, coord);
        return;
    }
    cell = (char *)snl_cell_at(f->tree, op->node, coord, SNL_ACTIVATE);
    SNL_STORE_RELAXED((int32_t *)(void *)(cell + f->m.leaves[op->leaf].offset),
                      (int32_t)(op->at % 97));
}

static void
run_all(Fixture *f, const Op *ops, int count)
{
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 3)
    for (int k = 0; k < count; k++)
        run_op(f, &ops[k]);
}

START_TEST(writes_everywhere)
{
    Fixture f;
    Op ops[WRITES];
    setup(&f, model_layouts[_i], THREADS);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < WRITES; k++) {
            int leaf = (int)pick(&f, f.m.desc.leaf_count), node = f.m.leaves[leaf].node;
            ops[k] = (Op){ node, leaf, pick(&f, f.m.cells[node]) };
            model_activate(&f.m, node, ops[k].at);
            f.m.value[leaf][ops[k].at] = (int32_t)(ops[k].at % 97);
        }
        run_all(&f, ops, WRITES);
        model_check(&f.m, f.tree);
        for (int node = 0; node < f.m.desc.node_count; node++) {
            int count = 0;
            if (f.m.nodes[node].kind == SNL_DENSE || node % 2 != round % 2)
                continue;
            for (int k = 0; k < WRITES / 4; k++) {
                ops[count++] = (Op){ node, -1, pick(&f, f.m.cells[node]) };
                model_deactivate(&f.m, node, ops[k].at);
            }
            run_all(&f, ops, count);
            snl_tree_gc(f.tree);
            model_check(&f.m, f.tree);
        }
    }
    teardown(&f);
}
END_TEST

START_TEST(appends_are_all_kept)
{
    enum { LISTS = 5, SIZE = 3000 };
    Fixture f;
    static bool seen[LISTS][SIZE];
    int failed = 0;
    setup(&f, "d i[5] { y j[3000]/7 { . } }", THREADS);
    for (int round = 0; round < 5; round++) {
        memset(seen, 0, sizeof seen);
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 5) reduction(+ : failed)
        for (int k = 0; k < LISTS * SIZE; k++) {
            int64_t coord[SNL_AXES] = { k % LISTS };
            void *list = snl_container_at(f.tree, 1, coord, SNL_ACTIVATE), *cell;
            int64_t index = snl_dynamic_append(f.tree, 1, list, &cell);
            int64_t length = snl_dynamic_length(f.tree, 1, list);
            failed += index < 0 || length <= index || length > SIZE;
            failed += *(int32_t *)cell != 0;
            *(int32_t *)cell = k / LISTS + 1;
            failed += snl_dynamic_lookup(f.tree, 1, list, index) != cell;
        }
        ck_assert_int_eq(failed, 0);
        for (int64_t i = 0; i < LISTS; i++)
            for (int64_t j = 0; j < SIZE; j++) {
                int64_t coord[SNL_AXES] = { i, j };
                int value = *(int32_t *)snl_cell_at(f.tree, 1, coord, SNL_READ) - 1;
                ck_assert(value >= 0 && value < SIZE && !seen[i][value]);
                seen[i][value] = true;
            }
        ck_assert_int_eq(snl_tree_active(f.tree, 1), LISTS * SIZE);
        snl_tree_deactivate_all(f.tree, 1);
        snl_tree_gc(f.tree);
        ck_assert_int_eq(snl_tree_active(f.tree, 1), 0);
    }
    teardown(&f);
}
END_TEST

START_TEST(full_lists_stay_full)
{
    Fixture f;
    int kept = 0, refused = 0, over = 0;
    setup(&f, "y i[100]/9 { . }", THREADS);
#pragma omp parallel for num_threads(THREADS) reduction(+ : kept, refused, over)
    for (int k = 0; k < 1000; k++) {
        void *list = f.tree->root[0], *cell;
        if (snl_dynamic_append(f.tree, 0, list, &cell) < 0)
            refused++;
        else
            kept++;
        *(int32_t *)cell = k;
        over += snl_dynamic_length(f.tree, 0, list) > 100;
    }
    ck_assert_int_eq(kept, 100);
    ck_assert_int_eq(refused, 900);
    ck_assert_int_eq(over, 0);
    ck_assert_int_eq(snl_status_of(&f.rt), SNL_EFULL);
    ck_assert_ptr_nonnull(strstr(snl_message(&f.rt), "full"));
    ck_assert_ptr_nonnull(strstr(snl_message(&f.rt), "100"));
    snl_clear_error(&f.rt);
    ck_assert_int_eq(snl_dynamic_length(f.tree, 0, f.tree->root[0]), 100);
    teardown(&f);
}
END_TEST

/* Threads fight over a few cells: each ends active or not, and its values are those of one. */
START_TEST(fights_end_in_one_of_two_states)
{
    static const char *const layouts[] = {
        "p i[8] { d j[16] { .5 } }", "b i[8] { d j[16] { .5 } }", "h i[8] { d j[16] { .5 } }",
        "p i[8] { b j[16] { .5 } }", "h i[8] { p j[16] { .5 } }",
    };
    Fixture f;
    setup(&f, layouts[_i], THREADS);
    for (int round = 0; round < 60; round++) {
        int wrong = 0;
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 1) reduction(+ : wrong)
        for (int k = 0; k < 256; k++) {
            int64_t coord[SNL_AXES] = { k % 8, k / 8 % 16 };
            if (k % 5 == 4) {
                snl_cell_deactivate(f.tree, 0, coord);
            } else {
                char *cell = (char *)snl_cell_at(f.tree, 1, coord, SNL_ACTIVATE);
                SNL_STORE_RELAXED((int32_t *)(void *)cell, 7);
            }
            const int32_t *read = (const int32_t *)snl_cell_at(f.tree, 1, coord, SNL_READ);
            int32_t value = SNL_LOAD_RELAXED(read);
            wrong += value != 5 && value != 7;
        }
        ck_assert_int_eq(wrong, 0);
        snl_tree_gc(f.tree);
        for (int64_t k = 0; k < 128; k++) {
            int64_t coord[SNL_AXES] = { k % 8, k / 8 };
            int32_t value = *(int32_t *)snl_cell_at(f.tree, 1, coord, SNL_READ);
            ck_assert(value == 5 || (value == 7 && snl_cell_is_active(f.tree, 0, coord)));
        }
        snl_tree_deactivate_all(f.tree, 0);
        snl_tree_gc(f.tree);
        ck_assert_int_eq(snl_tree_active(f.tree, 0), 0);
        ck_assert_int_eq(snl_tree_active(f.tree, 1), 0);
        for (int64_t k = 0; k < 128; k++) {
            int64_t coord[SNL_AXES] = { k % 8, k / 8 };
            ck_assert_int_eq(*(int32_t *)snl_cell_at(f.tree, 1, coord, SNL_READ), 5);
        }
    }
    teardown(&f);
}
END_TEST

START_TEST(lists_do_not_depend_on_threads)
{
    Fixture one, four;
    setup(&one, model_layouts[_i], 1);
    setup(&four, model_layouts[_i], THREADS);
    for (int k = 0; k < 100; k++) {
        int leaf = (int)pick(&one, one.m.desc.leaf_count), node = one.m.leaves[leaf].node;
        Op op = { node, leaf, pick(&one, one.m.cells[node]) };
        run_op(&one, &op);
        run_op(&four, &op);
    }
    for (int node = 0; node < one.m.desc.node_count; node++) {
        const SnlList *a = snl_tree_list(one.tree, node), *b = snl_tree_list(four.tree, node);
        ck_assert_int_eq(a->count, b->count);
        for (int64_t k = 0; k < a->count; k++)
            ck_assert_mem_eq(a->entries[k].coord, b->entries[k].coord,
                             sizeof a->entries[k].coord);
    }
    teardown(&one);
    teardown(&four);
}
END_TEST

/* Instances share nothing: each thread runs its own. */
START_TEST(instances_on_threads)
{
    int failed = 0;
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 1) reduction(+ : failed)
    for (int k = 0; k < 8; k++) {
        Fixture f;
        setup(&f, "p i[9] { d j[7] { .3 } }", 2);
        for (int64_t n = 0; n < 63; n++) {
            Op op = { 1, 0, n };
            run_op(&f, &op);
        }
        failed += snl_tree_active(f.tree, 1) != 63;
        snl_tree_deactivate_all(f.tree, 0);
        snl_tree_gc(f.tree);
        failed += snl_tree_active(f.tree, 0) != 0;
        teardown(&f);
    }
    ck_assert_int_eq(failed, 0);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("runtime threads");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, writes_everywhere, 0, MODEL_LAYOUTS);
    tcase_add_test(t, appends_are_all_kept);
    tcase_add_test(t, full_lists_stay_full);
    tcase_add_loop_test(t, fights_end_in_one_of_two_states, 0, 5);
    tcase_add_loop_test(t, lists_do_not_depend_on_threads, 0, MODEL_LAYOUTS);
    tcase_add_test(t, instances_on_threads);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
