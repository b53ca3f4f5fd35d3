/* check_runtime_short.c - what is left after memory ran out: lists are made later, what was deactivated can be had again, tables go
 * back, trim works at the limit. */
#include "snlrt.h"
#include "world.h"

/* A list that memory was short for is not taken for an empty one later, nor are those below it. */
START_TEST(lists_that_failed_are_made_later)
{
    static const char *const layouts[] = { "p i[300] { p i[4] { . } }", "h i[300] { d i[2] { b i[2] { . } } }",
                                           "p i[300] { y j[4] { . } }" };
    World w;
    int64_t coord[SNL_AXES] = { 0 };
    start(&w, layouts[_i]);
    for (int64_t i = 0; i < 300; i++) {
        coord[0] = _i < 2 ? 4 * i : i;
        *(int32_t *)snl_cell_at(w.tree, w.m.desc.node_count - 1, coord, SNL_ACTIVATE) = (int32_t)i;
    }
    ck_assert_str_eq(snl_message(&w.rt), "");
    for (int64_t left = 0; left < 6; left++) {
        snl_tree_trim(w.tree);          /* there are no lists now */
        w.budget.left = left;
        for (int node = w.m.desc.node_count - 1; node >= 0; node--)
            snl_tree_list(w.tree, node);
        ck_assert(left > 0 || snl_failed(&w.rt));
        w.budget.left = INT64_MAX;
        snl_clear_error(&w.rt);
        for (int node = w.m.desc.node_count - 1; node >= 0; node--)
            ck_assert_int_eq(snl_tree_list(w.tree, node)->count, w.m.nodes[node].kind == SNL_DENSE ? 600 : 300);
    }
    end(&w);
}
END_TEST

/* Everything was deactivated while there was no memory to note what: all of it can be had again at once. */
START_TEST(what_could_not_be_noted_is_free)
{
    enum { BLOCKS = 100000 };
    static const char *const layouts[] = { "p i[100000] { d j[16] { . } }", "h i[100000] { d j[16] { . } }",
                                           "p i[100000] { p j[16] { . } }", "p i[100000] { y j[16] { . } }",
                                           "d i[100000] { y j[16] { . } }", "p i[100000] { b j[16] { .5 } h k[9] { . } }" };
    World w;
    Budget *budget = &w.budget;
    uint64_t most;
    start(&w, layouts[_i % 6]);
    w.rt.threads = 1 + _i / 6;
    for (int round = 0; round < 3; round++) {
        for (int64_t i = 0; i < BLOCKS; i++) {
            int64_t coord[SNL_AXES] = { i, i % 16, i % 9 };
            for (int leaf = 0; leaf < w.m.desc.leaf_count; leaf++) {
                char *at = (char *)snl_cell_at(w.tree, w.m.leaves[leaf].node, coord, SNL_READ);
                ck_assert_int_eq(*(int32_t *)(void *)(at + w.m.leaves[leaf].offset), w.m.ambient[leaf]);
                at = (char *)snl_cell_at(w.tree, w.m.leaves[leaf].node, coord, SNL_ACTIVATE);
                ck_assert_int_eq(*(int32_t *)(void *)(at + w.m.leaves[leaf].offset), w.m.ambient[leaf]);
                *(int32_t *)(void *)(at + w.m.leaves[leaf].offset) = 77;
            }
        }
        ck_assert_str_eq(snl_message(&w.rt), "");
        most = round ? most : w.rt.bytes_used;
        ck_assert_uint_le(w.rt.bytes_used, most + most / 8);
        w.rt.memory_limit = w.rt.bytes_used;
        if (w.m.nodes[0].kind == SNL_DENSE)
            snl_tree_reset(w.tree);
        else
            snl_tree_deactivate_all(w.tree, 0);
        snl_tree_gc(w.tree);
        ck_assert_str_eq(snl_message(&w.rt), "");
        for (int node = 0; node < w.m.desc.node_count; node++) {
            ck_assert_int_eq(snl_pool_used(&w.tree->nodes[node].cells), 0);
            ck_assert_int_eq(snl_pool_used(&w.tree->nodes[node].blocks), 0);
        }
        w.rt.memory_limit = 0;
    }
    w.rt.memory_limit = w.rt.bytes_used;
    snl_tree_trim(w.tree);
    ck_assert_int_le(w.rt.bytes_used, (uint64_t)w.tree->nodes[0].desc.container_bytes + 65536);
    ck_assert_uint_eq(w.rt.bytes_used, (uint64_t)budget->bytes);
    end(&w);
}
END_TEST

/* At the limit, what is free can still be returned: what trim needs itself does not count. */
START_TEST(trim_works_at_the_limit)
{
    World w;
    uint64_t before;
    start(&w, "p i[2000] { d j[1024] { . } }");
    for (int64_t i = 0; i < 2000; i++)
        cell(&w, 0, i, SNL_ACTIVATE);
    for (int64_t i = 0; i < 1000; i++)
        deactivate(&w, 0, i);
    before = w.rt.bytes_used;
    w.rt.memory_limit = before;
    snl_tree_trim(w.tree);
    ck_assert_uint_lt(w.rt.bytes_used, before - 1000 * 1024 * 4 / 2);
    ck_assert_int_eq(snl_tree_active(w.tree, 0), 1000);
    end(&w);
}
END_TEST

/* Chunks of a list that were made for cells it did not get go with it. */
START_TEST(chunks_of_lists_go_back)
{
    World w;
    SnlPool *chunks;
    start(&w, "y i[16384]/512 { . . . . . . . . }");
    chunks = &w.tree->nodes[0].cells;
    cell(&w, 0, 20, SNL_ACTIVATE);
    for (int64_t left = 0; left < 3; left++) {
        w.budget.left = left;
        cell(&w, 0, 16383, SNL_ACTIVATE);       /* needs the gap too */
        ck_assert_int_eq(snl_dynamic_reserve(w.tree, 0, w.tree->root[0], 16000) < 0, true);
        ck_assert_int_eq(snl_status_of(&w.rt), SNL_ENOMEM);
        ck_assert_int_eq(snl_dynamic_length(w.tree, 0, w.tree->root[0]), 21);
        snl_clear_error(&w.rt);
    }
    w.budget.left = INT64_MAX;
    ck_assert_int_gt(snl_pool_used(chunks), 2);
    snl_tree_deactivate_all(w.tree, 0);
    snl_tree_gc(w.tree);
    ck_assert_int_eq(snl_pool_used(chunks), 0);
    for (int64_t i = 0; i < 16384; i++)
        ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, i, SNL_ACTIVATE), 0);
    end(&w);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("runtime, short of memory");
    TCase *t = tcase_create("short");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, lists_that_failed_are_made_later, 0, 3);
    tcase_add_loop_test(t, what_could_not_be_noted_is_free, 0, 12);
    tcase_add_test(t, trim_works_at_the_limit);
    tcase_add_test(t, chunks_of_lists_go_back);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
