/* check_runtime_short.c - what is left after memory ran out: lists are made later, what was
 * deactivated can be had again, tables go back, trim works at the limit; and what is made before
 * loops of a GPU, so that it does not run out. */
#include <stdio.h>

#include "loop/packed_lists.h"
#include "snlrt.h"
#include "world.h"

/* A list that memory was short for is not taken for an empty one later, nor are those below it. */
START_TEST(lists_that_failed_are_made_later)
{
    static const char *const layouts[] = {"p i[300] { p i[4] { . } }",
                                          "h i[300] { d i[2] { b i[2] { . } } }",
                                          "p i[300] { y j[4] { . } }"};
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
            ck_assert_int_eq(snl_tree_list(w.tree, node)->count,
                             w.m.nodes[node].kind == SNL_DENSE ? 600 : 300);
    }
    end(&w);
}
END_TEST

/* Nor is one that could not be made longer by some cells. */
START_TEST(lists_that_could_not_grow_are_made_later)
{
    enum { CONTAINERS = 300, CELLS = 100, GROWN = 6 };
    World w;
    start(&w, "p i[300] { p i[100] { . } }");
    for (int64_t i = 0; i < CONTAINERS; i++)
        cell(&w, 1, i * CELLS, SNL_ACTIVATE);
    ck_assert_int_eq(snl_tree_list(w.tree, 1)->count, CONTAINERS);
    for (int64_t i = 0; i < GROWN * CELLS; i++)
        cell(&w, 1, i, SNL_ACTIVATE);
    ck_assert_int_gt(CONTAINERS + GROWN * (CELLS - 1), w.tree->nodes[1].list.capacity);
    w.budget.left = 0;
    ck_assert_int_eq(snl_tree_list(w.tree, 1)->count, 0);
    ck_assert(snl_failed(&w.rt));
    w.budget.left = INT64_MAX;
    snl_clear_error(&w.rt);
    ck_assert_int_eq(snl_tree_list(w.tree, 1)->count, CONTAINERS + GROWN * (CELLS - 1));
    end(&w);
}
END_TEST

/* Copies of lists are made only where there is memory for the copy and for each cell: where several
 * threads append and memory runs out, cells without any are left. */
START_TEST(lists_that_cannot_be_copied)
{
    enum { CELLS = 64, CHUNK = 16 };
    World w;
    void *cell;
    SnlDynamic *list;
    start(&w, "d i[100] { y j[64]/16 { . } }");
    list = (SnlDynamic *)(void *)w.tree->root[0];
    for (int k = 0; k < CHUNK; k++)
        ck_assert_int_eq(snl_dynamic_append(w.tree, 1, list, &cell), k);
    w.budget.left = 0;
    ck_assert(!snl_line_up(w.tree, 1));
    w.budget.left = INT64_MAX;
    snl_clear_error(&w.rt);
    ck_assert(snl_line_up(w.tree, 1));
    ck_assert_int_eq(list->line_length, CHUNK);
    snl_line_end(&w.rt, true);
    list->block->length = CHUNK + 1;
    ck_assert(!snl_line_up(w.tree, 1));
    list->block->length = CELLS + 1; /* while one thread finds that the list is full */
    ck_assert(!snl_line_up(w.tree, 1));
    list->block->length = CHUNK;
    end(&w);
}
END_TEST

/* Bitmasked cells that are deactivated beside other threads are noted, to be reset again; they are
 * ambient without memory for that, too. */
START_TEST(masked_cells_without_notes)
{
    enum { CELLS = 70000, FEW = 500 };
    const int64_t changed = _i ? FEW : CELLS;   /* few are reset by one thread */
    World w;
    start(&w, "b i[70000] { .5 }");
    w.rt.threads = 2;
    for (int round = 0; round < 2; round++) {
        for (int64_t i = 0; i < changed; i += 9)
            *(int32_t *)(void *)cell(&w, 0, i, SNL_ACTIVATE) = 7;
        w.budget.left = round ? INT64_MAX : 0;
        for (int64_t i = 0; i < changed; i += 9)
            deactivate(&w, 0, i);
        snl_tree_gc(w.tree);
        w.budget.left = INT64_MAX;
        ck_assert_str_eq(snl_message(&w.rt), "");
        ck_assert_int_eq(snl_tree_active(w.tree, 0), 0);
        for (int64_t i = 0; i < CELLS; i++)
            ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, i, SNL_READ), 5);
    }
    w.rt.threads = 1;
    end(&w);
}
END_TEST

/* Cells of masks that wait for the collection lie in cells that go, with their memory, where there
 * was none to note these. */
START_TEST(masks_go_with_the_cells_around)
{
    enum { BLOCKS = 10000 };
    World w;
    start(&w, "p i[10000] { b j[16] { .5 } }");
    w.rt.threads = 2;
    for (int round = 0; round < 2; round++) {
        for (int64_t i = 0; i < BLOCKS; i++) {
            int64_t coord[SNL_AXES] = { i, i % 16 };
            *(int32_t *)(void *)snl_cell_at(w.tree, 1, coord, SNL_ACTIVATE) = 7;
            snl_cell_deactivate(w.tree, 1, coord);
        }
        ck_assert_int_ge(w.tree->nodes[1].resets.count, BLOCKS);
        w.budget.left = 0;
        for (int64_t i = 0; i < BLOCKS; i++)
            deactivate(&w, 0, i);
        snl_tree_gc(w.tree);
        w.budget.left = INT64_MAX;
        ck_assert_str_eq(snl_message(&w.rt), "");
        ck_assert_int_eq(w.tree->nodes[0].cells.chunk_count, 0);
        ck_assert_int_eq(snl_tree_active(w.tree, 0), 0);
    }
    w.rt.threads = 1;
    end(&w);
}
END_TEST

/* Everything was deactivated while there was no memory to note what: all of it can be had again at
 * once. */
START_TEST(what_could_not_be_noted_is_free)
{
    enum { BLOCKS = 10000 };
    static const char *const layouts[] = {
        "p i[10000] { d j[16] { . } }", "h i[10000] { d j[16] { . } }",
        "p i[10000] { p j[16] { . } }", "p i[10000] { y j[16] { . } }",
        "d i[10000] { y j[16] { . } }", "p i[10000] { b j[16] { .5 } h k[9] { . } }"};
    World w;
    Budget *budget = &w.budget;
    uint64_t most = 0;
    start(&w, layouts[_i % 6]);
    w.rt.threads = 1 + _i / 6;
    for (int round = 0; round < 3; round++) {
        for (int64_t i = 0; i < BLOCKS; i++) {
            int64_t coord[SNL_AXES] = { i, i % 16, i % 9 };
            for (int leaf = 0; leaf < w.m.desc.leaf_count; leaf++) {
                char *at = (char *)snl_cell_at(w.tree, w.m.leaves[leaf].node, coord, SNL_READ);
                ck_assert_int_eq(*(int32_t *)(void *)(at + w.m.leaves[leaf].offset),
                                 w.m.ambient[leaf]);
                at = (char *)snl_cell_at(w.tree, w.m.leaves[leaf].node, coord, SNL_ACTIVATE);
                ck_assert_int_eq(*(int32_t *)(void *)(at + w.m.leaves[leaf].offset),
                                 w.m.ambient[leaf]);
                *(int32_t *)(void *)(at + w.m.leaves[leaf].offset) = 77;
            }
        }
        ck_assert_str_eq(snl_message(&w.rt), "");
        most = round ? most : w.rt.bytes_used;
        ck_assert_uint_le(w.rt.bytes_used, most + most / 8);
        budget->left = 0;
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
        budget->left = INT64_MAX;
    }
    w.rt.memory_limit = w.rt.bytes_used;
    snl_tree_trim(w.tree);
    ck_assert_int_le(w.rt.bytes_used, (uint64_t)w.tree->nodes[0].desc.container_bytes + 65536);
    ck_assert_uint_eq(w.rt.bytes_used, (uint64_t)budget->bytes);
    end(&w);
}
END_TEST

static void
activate_all(void *world, int64_t chunk, int64_t from, int64_t to)
{
    World *w = (World *)world;
    (void)chunk;
    for (int64_t k = from; k < to; k++)
        *(int32_t *)cell(w, w->m.leaves[0].node, 16 * k, SNL_ACTIVATE) = 77;
}

static void
deactivate_all(void *world, int64_t chunk, int64_t from, int64_t to)
{
    World *w = (World *)world;
    (void)chunk;
    for (int64_t k = from; k < to; k++)
        snl_cell_deactivate(w->tree, 0, (int64_t[SNL_AXES]){ k });
}

/* The same for cells that the iterations of a loop deactivate one by one. */
START_TEST(what_a_loop_could_not_note_is_free)
{
    enum { BLOCKS = 10000 };
    static const char *const layouts[] = {
        "p i[10000] { d i[16] { . } }", "h i[10000] { d i[16] { . } }",
        "p i[10000] { p i[16] { . } }", "p i[10000] { h i[16] { . } }"};
    World w;
    start(&w, layouts[_i % 4]);
    w.rt.threads = 1 + _i / 4;
    for (int round = 0; round < 3; round++) {
        snl_parallel_for(&w.rt, BLOCKS, snl_chunk_count(BLOCKS, 1), activate_all, &w);
        ck_assert_int_eq(snl_tree_active(w.tree, 0), BLOCKS);
        ck_assert_int_eq(*(int32_t *)cell(&w, w.m.leaves[0].node, 160, SNL_READ), 77);
        w.budget.left = 0;
        snl_parallel_for(&w.rt, BLOCKS, snl_chunk_count(BLOCKS, 1), deactivate_all, &w);
        ck_assert_str_eq(snl_message(&w.rt), "");
        w.budget.left = INT64_MAX;
        snl_tree_gc(w.tree);
        ck_assert_int_eq(snl_tree_active(w.tree, 0), 0);
        ck_assert_int_eq(*(int32_t *)cell(&w, w.m.leaves[0].node, 160, SNL_READ), 0);
        for (int node = 0; node < w.m.desc.node_count; node++) {
            ck_assert_int_eq(snl_pool_used(&w.tree->nodes[node].cells), 0);
            ck_assert_int_eq(snl_pool_used(&w.tree->nodes[node].blocks), 0);
        }
    }
    end(&w);
}
END_TEST

/* The message tells the bytes of what could not be had: a chunk of cells, blocks of lists, a
 * table. */
START_TEST(bytes_of_what_is_missing)
{
    enum { CHUNK, BLOCKS, TABLE, LARGER, TABLE_FULL = 12 };
    World w;
    char bytes[64];
    uint64_t wanted = 0;
    int64_t active = 0;
    start(&w, _i == CHUNK ? "p i[4] { d j[100] { . } }"
              : _i == BLOCKS ? "y i[1000]/1 { . }" : "h i[1000000] { . }");
    snl_pool_reserve(&w.rt, &w.tree->nodes[0].cells, 1);        /* there are runs and cells */
    if (_i == CHUNK)
        snl_pool_free(&w.rt, &w.tree->nodes[0].cells);
    for (; _i == LARGER && active < TABLE_FULL; active++)
        cell(&w, 0, active, SNL_ACTIVATE);
    w.budget.left = 0;
    cell(&w, 0, active, SNL_ACTIVATE);
    switch (_i) {
    case CHUNK: wanted = snl_pool_chunk_bytes(&w.tree->nodes[0].cells, 0); break;
    case BLOCKS: wanted = snl_pool_chunk_bytes(&w.tree->nodes[0].blocks, 0); break;
    case TABLE: wanted = snl_hash_table_bytes(16); break;
    default: wanted = snl_hash_table_bytes(32); break;
    }
    snprintf(bytes, sizeof bytes, "needs %llu bytes", (unsigned long long)wanted);
    ck_assert_msg(strstr(snl_message(&w.rt), bytes), "%s, but not in: %s", bytes,
                  snl_message(&w.rt));
    end(&w);
}
END_TEST

/* A table that does not grow, since one that was larger had a stripe that was too full and there
 * was no memory for the next, knows nothing of that one, which the collection frees: those who wait
 * for a lock would help to fill it. */
START_TEST(tables_that_were_made_in_vain)
{
    enum { CAPACITY = 1024, FULL = CAPACITY / 8 * 6 };
    World w;
    SnlHash *map;
    int64_t count = 0, i = 0;
    start(&w, "h i[1000000] { . }");
    map = (SnlHash *)(void *)w.tree->root[0];
    for (; count <= FULL; i++)
        if ((snl_hash_of(&i, 1) & CAPACITY) == 0) {     /* all in one stripe of two */
            w.budget.left = count == FULL ? 1 : INT64_MAX;
            cell(&w, 0, i, SNL_ACTIVATE);
            count++;
        }
    ck_assert_int_eq(snl_status_of(&w.rt), SNL_ENOMEM);
    ck_assert_int_eq(map->table->capacity, CAPACITY);
    ck_assert_ptr_nonnull(w.tree->retired);
    ck_assert_ptr_null(map->table->larger);
    w.budget.left = INT64_MAX;
    snl_clear_error(&w.rt);
    snl_tree_gc(w.tree);
    cell(&w, 0, i - 1, SNL_ACTIVATE);
    ck_assert_str_eq(snl_message(&w.rt), "");
    ck_assert_int_eq(snl_tree_active(w.tree, 0), FULL + 1);
    end(&w);
}
END_TEST

/* Nothing is made in a scratch cell, also while another thread has not yet told that memory is out:
 * it would not be found again. */
START_TEST(nothing_is_made_in_scratch_cells)
{
    World w;
    SnlNode *node;
    void *container, *made;
    int64_t index[SNL_AXES] = { 1 };
    start(&w, "p i[4] { y j[4] { . } p j[4] { . } h j[4] { . } }");
    for (int child = 1; child < 4; child++) {
        node = &w.tree->nodes[child];
        w.rt.error.taken = 1;           /* by the other one */
        container = (char *)w.tree->nodes[0].scratch + node->desc.container_offset;
        switch (node->desc.kind) {
        case SNL_DYNAMIC: made = snl_dynamic_activate(w.tree, child, container, 1); break;
        case SNL_POINTER: made = snl_pointer_activate(w.tree, child, container, 1); break;
        default: made = snl_hash_activate(w.tree, child, container, index, 1); break;
        }
        ck_assert_ptr_eq(made, node->scratch);
        ck_assert_int_eq(snl_pool_used(&node->cells) + snl_pool_used(&node->blocks), 0);
        w.rt.error.taken = 0;
    }
    end(&w);
}
END_TEST

/* Activates and deactivates in loops where an allocation fails after so many, alone or with all
 * that follow in the first loop; gives whether there was one. */
static bool
loops_fail_at(const char *layout, int64_t left, bool once)
{
    enum { BLOCKS = 400 };
    World w;
    start(&w, layout);
    w.rt.threads = 2;
    w.budget.left = left;
    w.budget.once = once;
    snl_parallel_for(&w.rt, BLOCKS, snl_chunk_count(BLOCKS, 1), activate_all, &w);
    w.budget.left = INT64_MAX;
    if (snl_failed(&w.rt))
        ck_assert_int_eq(snl_status_of(&w.rt), SNL_ENOMEM);
    else
        ck_assert_int_eq(snl_tree_active(w.tree, 0), BLOCKS);
    snl_clear_error(&w.rt);
    snl_parallel_for(&w.rt, BLOCKS, snl_chunk_count(BLOCKS, 1), deactivate_all, &w);
    snl_tree_gc(w.tree);
    ck_assert_str_eq(snl_message(&w.rt), "");
    ck_assert_int_eq(snl_tree_active(w.tree, 0), 0);
    for (int node = 0; node < w.m.desc.node_count; node++) {
        ck_assert_int_eq(snl_pool_used(&w.tree->nodes[node].cells), 0);
        ck_assert_int_eq(snl_pool_used(&w.tree->nodes[node].blocks), 0);
    }
    end(&w);
    return w.budget.refused > 0;
}

/* Each allocation of a loop of two threads fails: what was activated goes as it came. */
START_TEST(allocations_of_loops_fail)
{
    static const char *const layouts[] = {
        "p i[400] { p i[16] { . } }", "h i[400] { d i[16] { . } }", "h i[400] { h i[16] { . } }",
        "p i[400] { d i[4] { h i[4] { . } } }", "p i[400] { d i[16] { y j[4] { . } } }"};
    const int step = fault_step(1);
    int64_t left = _i % step;
    while (loops_fail_at(layouts[_i / 2], left, _i % 2))
        left += step;
    ck_assert_int_gt(left, 3);
}
END_TEST

/* What is deactivated where the limit is reached can be had again, though others stay active: lists
 * of free cells go above it. */
START_TEST(cells_are_not_lost_at_the_limit)
{
    enum { BLOCKS = 4000 };
    static const char *const layouts[] = {"p i[4000] { d j[16] { . } }",
                                          "h i[4000] { d j[16] { . } }",
                                          "p i[4000] { y j[16] { . } }"};
    World w;
    start(&w, layouts[_i % 3]);
    w.rt.threads = 1 + _i / 3;
    for (int64_t i = 0; i < BLOCKS; i++)
        cell(&w, 1, i, SNL_ACTIVATE);
    w.rt.memory_limit = w.rt.bytes_used;
    for (int round = 0; round < 3; round++) {
        for (int64_t i = round % 2; i < BLOCKS; i += 2)
            deactivate(&w, 0, i);
        snl_tree_gc(w.tree);
        w.rt.memory_limit = w.rt.bytes_used;
        ck_assert_int_eq(snl_pool_used(&w.tree->nodes[0].cells), BLOCKS / 2);
        for (int64_t i = round % 2; i < BLOCKS; i += 2) {
            ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 1, i, SNL_READ), 0);
            *(int32_t *)(void *)cell(&w, 1, i, SNL_ACTIVATE) = 5;
        }
        ck_assert_str_eq(snl_message(&w.rt), "");
    }
    w.rt.memory_limit = 0;
    ck_assert_int_eq(snl_tree_active(w.tree, 0), BLOCKS);
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

/* ---- lists that cannot grow ---- */

enum { LIST_CELLS = 100000, LIST_CHUNK = 16, FOR_SOME = 6 /* allocations for some cells */ };

static const char list_layout[] = "y i[100000]/16 { .3 }";

/* The ways to append to a list, the last three as programs do that know its chunks. */
enum { APPEND, PUSH, PUSH_ALONE, FOLLOW, WAYS };

/* Appends a cell with that value; false where it got no memory. */
static bool
append_value(World *w, int way, SnlDynamicEnd *last, int32_t value)
{
    void *list = w->tree->root[0], *made;
    const int64_t bytes = w->m.nodes[0].cell_bytes;
    bool has_index = true;
    if (way == APPEND)
        has_index = snl_dynamic_append(w->tree, 0, list, &made) >= 0;
    else if (way == FOLLOW) {
        made = snl_dynamic_follow(list, bytes, last);
        if (!made)
            made = snl_dynamic_lead(w->tree, 0, list, LIST_CHUNK, bytes, true, last);
        has_index = made != w->tree->nodes[0].scratch;
    } else
        has_index = snl_dynamic_push(w->tree, 0, list, LIST_CHUNK, bytes, way == PUSH_ALONE,
                                     &made) >= 0;
    ck_assert(has_index == (made != w->tree->nodes[0].scratch));
    *(int32_t *)made = value;
    return has_index;
}

/* The list has so many cells, each with its number, and is ambient behind them. */
static void
check_numbers(World *w, int64_t count)
{
    ck_assert_int_eq(snl_dynamic_length(w->tree, 0, w->tree->root[0]), count);
    for (int64_t i = 0; i < count; i++)
        ck_assert_int_eq(*(int32_t *)(void *)cell(w, 0, i, SNL_READ), i);
    if (count < LIST_CELLS)
        ck_assert_int_eq(*(int32_t *)(void *)cell(w, 0, count, SNL_READ), 3);
}

/* A list that could not grow is as long as it was, and grows from there when there is memory. */
START_TEST(lists_that_could_not_grow_stay)
{
    enum { STEPS = 4, IN_VAIN = 3 * LIST_CHUNK };
    const int way = _i;
    World w;
    SnlDynamicEnd last = { .list = NULL };
    int64_t length = 0;
    start(&w, list_layout);
    for (int step = 0; step < STEPS; step++) {
        w.budget.left = step;           /* first there is not even a block */
        while (append_value(&w, way, &last, (int32_t)length))
            length++;
        ck_assert_int_eq(snl_status_of(&w.rt), SNL_ENOMEM);
        for (int k = 0; k < IN_VAIN; k++)
            ck_assert(!append_value(&w, way, &last, -1));
        cell(&w, 0, LIST_CELLS - 1, SNL_ACTIVATE);
        check_numbers(&w, length);
        snl_clear_error(&w.rt);
        w.budget.left = INT64_MAX;
        ck_assert_int_eq(snl_tree_list(w.tree, 0)->count, length);
    }
    ck_assert(length > 0 && length < LIST_CELLS);
    for (; length < LIST_CELLS; length++)
        ck_assert(append_value(&w, way, &last, (int32_t)length));
    ck_assert_str_eq(snl_message(&w.rt), "");
    ck_assert(!append_value(&w, way, &last, -1));
    ck_assert_int_eq(snl_status_of(&w.rt), SNL_EFULL);
    check_numbers(&w, LIST_CELLS);
    snl_clear_error(&w.rt);
    ck_assert_int_eq(snl_tree_list(w.tree, 0)->count, LIST_CELLS);
    end(&w);
}
END_TEST

/* Two threads have taken the next two cells of a list, and neither gets memory: the cell of the one
 * who finds that first is left, without any, where it is not the last. */
START_TEST(two_that_could_not_append)
{
    const int64_t first = _i;           /* of the two: who comes first */
    World w;
    SnlDynamicBlock *block;
    SnlDynamicEnd last = { .list = NULL };
    void *made;
    int64_t length = 0;
    start(&w, list_layout);
    w.budget.left = FOR_SOME;
    while (append_value(&w, APPEND, &last, (int32_t)length))
        length++;
    ck_assert_int_gt(length, 0);
    snl_clear_error(&w.rt);
    block = ((SnlDynamic *)(void *)w.tree->root[0])->block;
    block->length += 2;
    for (int k = 0; k < 2; k++) {
        const int64_t at = length + (k == 0 ? first : 1 - first);
        ck_assert_int_eq(snl_dynamic_append_at(w.tree, 0, block, at, &made), -1);
        ck_assert_ptr_eq(made, w.tree->nodes[0].scratch);
    }
    ck_assert_int_eq(block->length, length + (first == 0));
    ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, length, SNL_READ), 3);
    w.budget.left = INT64_MAX;
    snl_clear_error(&w.rt);
    ck_assert_int_eq(snl_tree_list(w.tree, 0)->count, length);
    if (first == 0)                     /* what was left can be written */
        *(int32_t *)(void *)cell(&w, 0, length, SNL_ACTIVATE) = (int32_t)length;
    length += first == 0;
    ck_assert(append_value(&w, APPEND, &last, (int32_t)length));
    check_numbers(&w, length + 1);
    ck_assert_int_eq(snl_tree_list(w.tree, 0)->count, length + 1);
    ck_assert_str_eq(snl_message(&w.rt), "");
    end(&w);
}
END_TEST

/* Threads that append to one list: which values got a cell. */
typedef struct {
    World *w;
    int way;
    int64_t made, missed;
    bool has_cell[LIST_CELLS];
} Appending;

static void
append_some(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Appending *a = (Appending *)args;
    SnlDynamicEnd last = { .list = NULL };
    (void)chunk;
    for (int64_t k = from; k < to; k++) {
        a->has_cell[k] = append_value(a->w, a->way, &last, (int32_t)k);
        SNL_ADD(a->has_cell[k] ? &a->made : &a->missed, 1);
    }
}

/* Several threads append until memory is out, and go on: each value that got a cell is in the list
 * once, and it is not as long as if all had got one. What is left without memory can be had
 * later. */
START_TEST(threads_that_could_not_append)
{
    enum { ROUNDS = 20 };
    static Appending a;
    int64_t most = 0;
    for (int round = 0; round < ROUNDS; round++) {
        World w;
        SnlDynamicEnd last = { .list = NULL };
        int64_t length, found = 0;
        memset(&a, 0, sizeof a);
        a.w = &w;
        a.way = _i / 3;
        start(&w, list_layout);
        w.rt.threads = 2 + _i % 3;
        w.budget.left = FOR_SOME + round % 2;
        snl_parallel_for(&w.rt, LIST_CELLS, w.rt.threads, append_some, &a);
        ck_assert_int_eq(snl_status_of(&w.rt), SNL_ENOMEM);
        snl_clear_error(&w.rt);
        length = snl_dynamic_length(w.tree, 0, w.tree->root[0]);
        most = most < a.made ? a.made : most;
        ck_assert_int_ge(length, a.made);
        ck_assert_int_lt(length, a.made + a.missed);
        w.rt.threads = 1;
        while (append_value(&w, PUSH_ALONE, &last, 3))      /* a chunk that was had twice is left */
            length++;
        ck_assert_int_eq(snl_dynamic_length(w.tree, 0, w.tree->root[0]), length);
        snl_clear_error(&w.rt);
        w.budget.left = INT64_MAX;
        ck_assert(append_value(&w, a.way, &last, 3));
        ck_assert_int_eq(snl_dynamic_length(w.tree, 0, w.tree->root[0]), length + 1);
        a.has_cell[3] = true;           /* as what is ambient */
        for (int64_t i = 0; i < length; i++) {
            const int32_t value = *(int32_t *)(void *)cell(&w, 0, i, SNL_READ);
            ck_assert(a.has_cell[value]);
            found += value != 3;
            if (value != 3)
                a.has_cell[value] = false;
            cell(&w, 0, i, SNL_ACTIVATE);
        }
        ck_assert_int_ge(found, a.made - 1);
        ck_assert_int_eq(snl_tree_list(w.tree, 0)->count, length + 1);
        ck_assert_str_eq(snl_message(&w.rt), "");
        end(&w);
    }
    ck_assert_int_gt(most, 0);
}
END_TEST

/* ---- memory that is made before loops of a GPU ---- */

enum { TREES = 3, BLOCK = 4096 };

/* Some trees of a program for a GPU, of which each cell takes a block. */
typedef struct {
    char gpu;
    SnlInstance rt;
    Model m[TREES];
    SnlTree *trees[TREES];
    SnlProgramDesc program;
} Device;

static void
start_device(Device *d, const char *const *layouts)
{
    memset(d, 0, sizeof *d);
    d->program.layout_count = TREES;
    snl_instance_init(&d->rt, NULL, 1, 1, 0);
    d->rt.gpu = (struct SnlGpu *)(void *)&d->gpu;       /* only asked whether it is there */
    d->rt.lanes = 1024;
    d->rt.program = &d->program;
    d->rt.trees = d->trees;
    for (int k = 0; k < TREES; k++) {
        model_init(&d->m[k], layouts[k]);
        ck_assert_int_eq(snl_tree_create(&d->rt, &d->m[k].desc, NULL, &d->trees[k]), SNL_OK);
    }
}

static void
end_device(Device *d)
{
    ck_assert_str_eq(snl_message(&d->rt), "");
    for (int k = 0; k < TREES; k++) {
        snl_tree_destroy(d->trees[k]);
        model_free(&d->m[k]);
    }
    ck_assert_uint_eq(d->rt.bytes_used, 0);
    snl_instance_free(&d->rt);
}

/* Activates cells without any more memory. */
static void
activate_prepared(Device *d, int tree, int64_t count)
{
    uint64_t limit = d->rt.memory_limit;
    d->rt.memory_limit = d->rt.bytes_used;
    for (int64_t i = 0; i < count; i++) {
        int64_t coord[SNL_AXES] = { i };
        *(int32_t *)snl_cell_at(d->trees[tree], 0, coord, SNL_ACTIVATE) = (int32_t)i;
    }
    ck_assert_str_eq(snl_message(&d->rt), "");
    d->rt.memory_limit = limit;
}

/* What is made is bounded by the cells that are not active, and by the lanes that may want one at a
 * time. */
START_TEST(few_cells_need_little)
{
    static const char *const layouts[] = {"p i[16] { d j[1024] { . } }",
                                          "h i[16] { d j[1024] { . } }",
                                          "y i[16]/1 { d j[1024] { . } }"};
    Device d;
    start_device(&d, layouts);
    for (int k = 0; k < TREES; k++) {
        uint64_t before = d.rt.bytes_used;
        int64_t elements;
        snl_trees_prepare(&d.rt, &(SnlNeed){ d.trees[k], INT64_MAX, INT64_MAX, false }, 1);
        ck_assert_uint_ge(d.rt.bytes_used - before, 16 * BLOCK);
        ck_assert_uint_le(d.rt.bytes_used - before,
                          (16 * 1024 + 512) * (uint64_t)(BLOCK + 64 + 32) + 4000000);
        activate_prepared(&d, k, 16);
        elements = snl_pool_elements(&d.trees[k]->nodes[0].cells);
        snl_trees_prepare(&d.rt, &(SnlNeed){ d.trees[k], INT64_MAX, INT64_MAX, false }, 1);
        ck_assert_int_eq(snl_pool_elements(&d.trees[k]->nodes[0].cells), elements);
        snl_tree_trim(d.trees[k]);
        before = d.rt.bytes_used;
        /* all are active */
        snl_trees_prepare(&d.rt, &(SnlNeed){ d.trees[k], INT64_MAX, INT64_MAX, false }, 1);
        ck_assert_uint_le(d.rt.bytes_used - before, k == 1 ? 2000000 : 65536);
    }
    end_device(&d);
}
END_TEST

/* Near the limit a small need is met as a whole, before a large one takes the rest; both orders. */
START_TEST(small_needs_come_first)
{
    static const char *const layouts[] = {"p i[5000] { d j[1024] { . } }",
                                          "p i[200] { d j[1024] { . } }", "d i[1] { . }"};
    Device d;
    start_device(&d, layouts);
    d.rt.lanes = 1;
    d.rt.memory_limit = d.rt.bytes_used + 16000000;
    {
        const SnlNeed large = {d.trees[0], INT64_MAX, INT64_MAX, false},
                      small = {d.trees[1], 200, 200, false},
                      none = {NULL, 1, 1, false};
        const SnlNeed needs[2][3] = { { large, none, small }, { small, large, none } };
        snl_trees_prepare(&d.rt, needs[_i], 3);
    }
    ck_assert_uint_le(d.rt.bytes_used, d.rt.memory_limit);
    activate_prepared(&d, 1, 200);
    activate_prepared(&d, 0, 2000);     /* which is about half of the limit */
    end_device(&d);
}
END_TEST

/* Two needs that fit are both met, though each is more than half of what there is left after the
 * other; and memory that another tree does not use is taken where they do not. */
START_TEST(needs_that_fit_are_met)
{
    static const char *const layouts[] = {"p i[1500] { d j[1024] { . } }",
                                          "p i[1500] { d j[1024] { . } }",
                                          "p i[3000] { d j[1024] { . } }"};
    Device d;
    start_device(&d, layouts);
    d.rt.lanes = 1;
    for (int round = 0; round < 2; round++) {
        const SnlNeed needs[] = { { d.trees[0], INT64_MAX, INT64_MAX, false },
                                  { d.trees[1], 1500, 1500, false } };
        if (round == 0) {       /* the third tree holds memory that it does not use */
            snl_pool_reserve(&d.rt, &d.trees[2]->nodes[0].cells, 3000);
            d.rt.memory_limit = d.rt.bytes_used + 7000000;
        } else
            d.rt.memory_limit = d.rt.bytes_used + 19000000;
        snl_trees_prepare(&d.rt, needs, 2);
        activate_prepared(&d, 0, 1500);
        activate_prepared(&d, 1, 1500);
        d.rt.memory_limit = 0;
        for (int k = 0; k < 3; k++) {
            snl_tree_deactivate_all(d.trees[k], 0);
            snl_tree_trim(d.trees[k]);
        }
    }
    end_device(&d);
}
END_TEST

/* To deactivate all cells below others takes a list of these: without memory it is an error, and
 * all stay. */
START_TEST(deactivate_all_without_memory)
{
    World w;
    start(&w, "p i[100] { p j[100] { . } }");
    for (int64_t i = 0; i < 100; i++) {
        int64_t coord[SNL_AXES] = { i, i };
        *(int32_t *)(void *)snl_cell_at(w.tree, 1, coord, SNL_ACTIVATE) = 7;
    }
    w.budget.left = 0;
    snl_tree_deactivate_all(w.tree, 1);
    ck_assert_str_ne(snl_message(&w.rt), "");
    snl_clear_error(&w.rt);
    w.budget.left = INT64_MAX;
    ck_assert_int_eq(snl_tree_active(w.tree, 1), 100);
    snl_tree_deactivate_all(w.tree, 1);
    ck_assert_int_eq(snl_tree_active(w.tree, 1), 0);
    end(&w);
}
END_TEST

/* Where the list of what is recycled could not grow, what was noted behind the gap is lost until
 * all is given back. */
START_TEST(recycled_behind_a_gap)
{
    World w;
    SnlPool *p;
    int64_t gap = snl_store_chunk_begin(1), more = 20;
    start(&w, "p i[10000] { . }");
    p = &w.tree->nodes[0].cells;
    for (int64_t i = 0; i < gap + more + 1; i++)
        *(int32_t *)(void *)cell(&w, 0, i, SNL_ACTIVATE) = (int32_t)i;
    w.budget.left = 0;
    for (int64_t i = 0; i < gap; i++)
        deactivate(&w, 0, i);
    ck_assert_int_eq(p->has_holes, 1);
    w.budget.left = INT64_MAX;
    for (int64_t i = gap; i < gap + more; i++)
        deactivate(&w, 0, i);
    snl_clear_error(&w.rt);
    snl_tree_gc(w.tree);
    ck_assert_int_eq(p->has_holes, 0);
    ck_assert_int_ge(p->lost, more);
    ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, gap + more, SNL_READ), gap + more);
    for (int64_t i = 0; i < gap + more; i++)
        ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, i, SNL_ACTIVATE), 0);
    snl_tree_deactivate_all(w.tree, 0);
    snl_tree_trim(w.tree);
    end(&w);
}
END_TEST

/* A table that lost most of its cells stays as it is without memory for a smaller one. */
START_TEST(tables_that_cannot_shrink)
{
    enum { CELLS = 20000, LEFT = 10 };
    World w;
    size_t before = 0;
    start(&w, "h i[100000] { . }");
    for (int64_t i = 0; i < CELLS; i++)
        *(int32_t *)(void *)cell(&w, 0, 5 * i, SNL_ACTIVATE) = (int32_t)i;
    for (int64_t i = LEFT; i < CELLS; i++)
        deactivate(&w, 0, 5 * i);
    for (int round = 0; round < 2; round++) {
        w.budget.left = round ? INT64_MAX : 0;
        snl_tree_trim(w.tree);
        w.budget.left = INT64_MAX;
        ck_assert_str_eq(snl_message(&w.rt), "");
        ck_assert_int_eq(snl_tree_active(w.tree, 0), LEFT);
        for (int64_t i = 0; i < LEFT; i++)
            ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, 5 * i, SNL_READ), i);
        ck_assert(round == 0 || w.rt.bytes_used < before / 2);
        before = w.rt.bytes_used;
    }
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
    tcase_add_test(t, lists_that_could_not_grow_are_made_later);
    tcase_add_test(t, lists_that_cannot_be_copied);
    tcase_add_loop_test(t, masked_cells_without_notes, 0, 2);
    tcase_add_test(t, masks_go_with_the_cells_around);
    tcase_add_loop_test(t, what_could_not_be_noted_is_free, 0, 12);
    tcase_add_loop_test(t, what_a_loop_could_not_note_is_free, 0, 8);
    tcase_add_loop_test(t, bytes_of_what_is_missing, 0, 4);
    tcase_add_test(t, tables_that_were_made_in_vain);
    tcase_add_test(t, tables_that_cannot_shrink);
    tcase_add_test(t, nothing_is_made_in_scratch_cells);
    tcase_add_loop_test(t, allocations_of_loops_fail, 0, 10);
    tcase_add_loop_test(t, cells_are_not_lost_at_the_limit, 0, 6);
    tcase_add_test(t, deactivate_all_without_memory);
    tcase_add_test(t, recycled_behind_a_gap);
    tcase_add_test(t, trim_works_at_the_limit);
    tcase_add_test(t, chunks_of_lists_go_back);
    tcase_add_test(t, few_cells_need_little);
    tcase_add_loop_test(t, small_needs_come_first, 0, 2);
    tcase_add_test(t, needs_that_fit_are_met);
    suite_add_tcase(suite, t);
    t = tcase_create("lists");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, lists_that_could_not_grow_stay, 0, WAYS);
    tcase_add_loop_test(t, two_that_could_not_append, 0, 2);
    tcase_add_loop_test(t, threads_that_could_not_append, 0, 6);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
