/* check_runtime_lists.c - lists of active cells: of any shape, brought up to date, sorted, and
 * without memory.
 */
#include "world.h"

/* Each entry is the cell of its coordinates, and comes after the one before. */
static void
check_list(World *w, int node, int64_t count)
{
    const SnlList *list = snl_tree_list(w->tree, node);
    ck_assert_int_eq(list->count, count);
    ck_assert_int_eq(snl_tree_active(w->tree, node), count);
    for (int64_t k = 0; k < count; k++)
        ck_assert_ptr_eq(snl_cell_at(w->tree, node, list->entries[k].coord, SNL_READ),
                         list->entries[k].cell);
}

/* Activates all cells of a node. */
static void
fill(World *w, int node)
{
    for (int64_t k = 0; k < w->m.cells[node]; k++) {
        int64_t coord[SNL_AXES];
        model_coord(&w->m, node, k, coord);
        snl_cell_at(w->tree, node, coord, SNL_ACTIVATE);
    }
}

START_TEST(lists_of_any_shape)
{
    static const char *const layouts[] = {
        "p i[4] { p i[8] { . } }",
        "p ij[2,4] { p ij[8,2] { . } }",
        "p ijk[2,2,4] { p ijk[4,2,2] { . } }",
        "p ijkl[2,2,2,2] { p ijkl[2,2,2,2] { . } }",
        "p i[3] { p j[5] { . } }",
        "p i[4] { p jk[2,8] { . } }",
        "h i[9] { p i[8] { . } }",
        "y i[9]/1 { p j[16] { . } }",
    };
    World w;
    start(&w, layouts[_i]);
    for (int node = 0; node < 2; node++)
        fill(&w, node);
    for (int round = 0; round < 3; round++) {
        SnlNode *n = &w.tree->nodes[1];
        check_list(&w, 0, w.m.cells[0]);
        check_list(&w, 1, w.m.cells[1]);
        /* a bit that another thread set when the cell was gone already is no cell */
        snl_pointer_deactivate(w.tree, 1, w.tree->nodes[0].list.entries[0].cell, 1);
        snl_node_mask(n, w.tree->nodes[0].list.entries[0].cell)[0] |= 2;
        if (round > 0)      /* the list is made anew */
            n->touched.count = SNL_TOUCHED + 1;
        check_list(&w, 1, w.m.cells[1] - 1);
        snl_tree_gc(w.tree);
        fill(&w, 1);
    }
    snl_tree_deactivate_all(w.tree, 0);
    snl_tree_gc(w.tree);
    check_list(&w, 1, 0);
    end(&w);
}
END_TEST

/* Lists that two threads make, and what happens where they find no memory. */
START_TEST(long_lists_without_memory)
{
    enum { MANY = SNL_TOUCHED + 1 };
    World w;
    start(&w, "p i[1280] { p j[16] { . } }");
    fill(&w, 1);
    w.rt.threads = 2;
    check_list(&w, 1, 20480);
    for (int64_t i = 0; i < MANY; i++)          /* in so many containers that all are looked at */
        deactivate(&w, 1, i);
    w.rt.memory_limit = w.rt.bytes_used;
    ck_assert_int_eq(snl_tree_list(w.tree, 1)->count, 0);
    ck_assert_int_eq(snl_status_of(&w.rt), SNL_ENOMEM);
    ck_assert_ptr_nonnull(strstr(snl_message(&w.rt),
                                  "a list of the cells of 'pointer' in layout 'model' needs"));
    ck_assert_int_eq(snl_tree_active(w.tree, 1), 0);
    w.rt.memory_limit = 0;
    snl_clear_error(&w.rt);
    check_list(&w, 1, 20480 - MANY);
    /* few are left: the list becomes small, or stays as it is */
    for (int64_t i = 2; i < 1280; i++)
        deactivate(&w, 0, i);
    w.rt.memory_limit = w.rt.bytes_used;
    ck_assert_int_eq(snl_tree_list(w.tree, 0)->count, 2);
    check_list(&w, 1, 30);
    ck_assert_str_eq(snl_message(&w.rt), "");
    w.rt.memory_limit = 0;
    w.rt.threads = 1;
    end(&w);
}
END_TEST

/* The same list, made as if nobody knew what has changed. */
static const SnlList *
list_anew(SnlTree *tree, int node)
{
    tree->nodes[node].touched.count = SNL_TOUCHED + 1;
    tree->nodes[node].changed = 1;
    return snl_tree_list(tree, node);
}

/* Cells come and go in several containers at once, so that entries move up and down. */
START_TEST(renewed_lists_are_as_made_anew)
{
    enum { CONTAINERS = 900, CELLS = 8, ROUNDS = 200, CHANGES = 300 };
    World w;
    const SnlNode *n;
    start(&w, _i ? "p i[900] { p ij[2,4] { . } }" : "p i[900] { p i[8] { . } }");
    w.m.random = 5;
    n = &w.tree->nodes[1];
    for (int64_t i = 0; i < CONTAINERS; i++)
        cell(&w, 0, i, SNL_ACTIVATE);
    for (int round = 0; round < ROUNDS; round++) {
        static SnlListEntry entries[CONTAINERS * CELLS];
        int64_t changes = model_pick(&w.m, CHANGES), stamp = n->list.stamp, count;
        for (int64_t k = 0; k < changes; k++) {
            int64_t at = model_pick(&w.m, w.m.cells[1]), coord[SNL_AXES];
            model_coord(&w.m, 1, at, coord);
            if (model_pick(&w.m, 5) < (round % 64 < 32 ? 4 : 1))
                snl_cell_at(w.tree, 1, coord, SNL_ACTIVATE);
            else
                snl_cell_deactivate(w.tree, 1, coord);
        }
        if (stamp > 0)
            ck_assert_int_le(n->touched.count, SNL_TOUCHED);
        count = snl_tree_list(w.tree, 1)->count;
        ck_assert_int_le(count, CONTAINERS * CELLS);
        memcpy(entries, n->list.entries, (size_t)count * sizeof *entries);
        ck_assert_int_eq(list_anew(w.tree, 1)->count, count);
        ck_assert_mem_eq(entries, n->list.entries, (size_t)count * sizeof *entries);
        snl_tree_gc(w.tree);
    }
    end(&w);
}
END_TEST

/* Without memory for more entries the list is made anew, which says so. */
START_TEST(no_memory_to_renew)
{
    World w;
    start(&w, "p i[90] { p i[16] { . } }");
    for (int64_t i = 0; i < 90; i++)
        cell(&w, 1, 16 * i, SNL_ACTIVATE);
    check_list(&w, 1, 90);
    for (int64_t i = 0; i < 64; i++)
        for (int64_t k = 1; k < 16; k++)
            cell(&w, 1, 16 * i + k, SNL_ACTIVATE);
    w.budget.left = 0;
    ck_assert_int_eq(snl_tree_list(w.tree, 1)->count, 0);
    ck_assert_int_eq(snl_status_of(&w.rt), SNL_ENOMEM);
    w.budget.left = INT64_MAX;
    snl_clear_error(&w.rt);
    check_list(&w, 1, 90 + 64 * 15);
    end(&w);
}
END_TEST

/* What an iteration of a loop goes through is a list of its own, where the one of the tree is not
 * up to date; without memory for it, or for the one above, there are no cells. */
START_TEST(lists_of_iterations_without_memory)
{
    enum { NEEDED = 2 };        /* blocks: the list above, and the list */
    World w;
    start(&w, "p i[300] { p i[4] { . } }");
    fill(&w, 1);
    w.rt.loops = 1;
    for (int64_t left = 0; left <= NEEDED; left++) {
        w.budget.left = left;
        SnlSnapshot s = snl_snapshot(w.tree, 1);
        ck_assert_int_eq(s.count, left < NEEDED ? 0 : w.m.cells[1]);
        ck_assert_int_eq(snl_status_of(&w.rt), left < NEEDED ? SNL_ENOMEM : SNL_OK);
        snl_snapshot_end(&s);
        snl_clear_error(&w.rt);
        w.budget.left = INT64_MAX;
    }
    w.rt.loops = 0;
    end(&w);
}
END_TEST

/* An allocator that activates cells when it is asked for the first time. */
typedef struct {
    World world;
    int64_t from, to;           /* these */
} Meanwhile;

static void *
meanwhile_alloc(void *ctx, size_t bytes, size_t align)
{
    Meanwhile *m = (Meanwhile *)ctx;
    const int64_t from = m->from;
    m->from = m->to;
    for (int64_t i = from; i < m->to; i++)
        cell(&m->world, 0, i, SNL_ACTIVATE);
    return budget_alloc(&m->world.budget, bytes, align);
}

static void
meanwhile_release(void *ctx, void *ptr, size_t bytes)
{
    budget_release(&((Meanwhile *)ctx)->world.budget, ptr, bytes);
}

/* Cells come between the counting and the writing of such a list, in front of those that stay:
 * these are not left out. */
START_TEST(lists_that_get_full_are_made_again)
{
    enum { LAST = 4000, STAY = 96, MORE = 1000 };
    Meanwhile m = { .from = 0, .to = 0 };
    World *w = &m.world;
    start(w, "p i[4096] { . }");
    for (int64_t i = LAST; i < LAST + STAY; i++)
        cell(w, 0, i, SNL_ACTIVATE);
    w->rt.allocator = (SnlAllocator){ meanwhile_alloc, meanwhile_release, &m };
    m.to = MORE;
    w->rt.loops = 1;
    SnlSnapshot s = snl_snapshot(w->tree, 0);
    ck_assert_int_eq(m.from, MORE);
    ck_assert_int_eq(s.count, MORE + STAY);
    for (int64_t k = 0; k < s.count; k++)
        ck_assert_int_eq(s.entries[k].coord[0], k < MORE ? k : k - MORE + LAST);
    snl_snapshot_end(&s);
    w->rt.loops = 0;
    end(w);
}
END_TEST

/* Copies of masks: of no cells, of some, and without memory. */
START_TEST(copies_of_masks)
{
    enum { BLOCKS = 3 };
    World w;
    const uint64_t *masks;
    start(&w, "p i[300] { b i[64] { . } }");
    ck_assert_ptr_null(snl_masks_copy(w.tree, 1, snl_tree_list(w.tree, 0)));
    ck_assert_str_eq(snl_message(&w.rt), "");
    for (int64_t i = 0; i < BLOCKS; i++)
        cell(&w, 1, 65 * i, SNL_ACTIVATE);
    const SnlList *above = snl_tree_list(w.tree, 0);
    masks = snl_masks_copy(w.tree, 1, above);
    for (int64_t i = 0; i < BLOCKS; i++)
        ck_assert_uint_eq(masks[i], (uint64_t)1 << i);
    snl_masks_drop(w.tree, 1, masks, above->count);
    w.budget.left = 0;
    ck_assert_ptr_null(snl_masks_copy(w.tree, 1, above));
    ck_assert_int_eq(snl_status_of(&w.rt), SNL_ENOMEM);
    w.budget.left = INT64_MAX;
    end(&w);
}
END_TEST

/* Indices of cells of a hash node, with n in each: they differ in few bits, in more than a key has,
 * in those that a key has no room for alone, and in none of an axis. */
static int64_t
scattered_index(int kind, int64_t k, int axis)
{
    const uint64_t random = ((uint64_t)k + 1) * 0x9e3779b97f4a7c15u >> 8;
    switch (kind) {
    case 0: return axis == 0 ? (int64_t)(random & 0xff) : k;
    case 1: return (int64_t)(random >> 4 * axis) - ((int64_t)1 << 50);
    case 2: return axis == 2 ? (int64_t)(random & 0xffff) : k % 3 == 0 ? (int64_t)1 << 47 : 0;
    default: return axis == 1 ? -7 : (int64_t)(random & 0xfffff);
    }
}

static int
compare_indices(const int64_t *a, const int64_t *b, int n)
{
    int k = 0;
    while (k < n - 1 && a[k] == b[k])
        k++;
    return (a[k] > b[k]) - (a[k] < b[k]);
}

START_TEST(entries_of_hash_cells_are_sorted)
{
    enum { MOST = 5000, AXES = 3 };
    static const int64_t counts[] = {0, 1, 2, 255, 256, MOST};
    static int64_t elements[MOST][AXES + 1];    /* the cell behind the indices: its number */
    static SnlListEntry entries[MOST];
    for (int turn = 0; turn < 12; turn++) {
        const int64_t count = counts[turn % 6];
        static bool seen[MOST];
        World w;
        start(&w, "d i[1] { . }");
        memset(seen, 0, sizeof seen);
        memset(entries, 0, sizeof entries);
        for (int64_t k = 0; k < count; k++) {
            for (int a = 0; a < AXES; a++)
                entries[k].coord[a] = elements[k][a] = scattered_index(_i, k, a);
            elements[k][AXES] = k;
            entries[k].cell = (char *)&elements[k][AXES];
        }
        if (turn >= 6)
            w.budget.left = 0;
        snl_entries_sort(&w.rt, entries, count, AXES);
        for (int64_t k = 0; k < count; k++) {
            const int64_t *element = (const int64_t *)(const void *)entries[k].cell - AXES;
            ck_assert(!seen[element[AXES]]);
            seen[element[AXES]] = true;
            ck_assert_mem_eq(entries[k].coord, element, AXES * sizeof *element);
            ck_assert_int_eq(entries[k].coord[AXES], 0);
            if (k > 0)
                ck_assert_int_le(compare_indices(entries[k - 1].coord, element, AXES), 0);
        }
        end(&w);
    }
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("runtime lists");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, lists_of_any_shape, 0, 8);
    tcase_add_test(t, long_lists_without_memory);
    tcase_add_loop_test(t, renewed_lists_are_as_made_anew, 0, 2);
    tcase_add_test(t, no_memory_to_renew);
    tcase_add_test(t, lists_of_iterations_without_memory);
    tcase_add_test(t, lists_that_get_full_are_made_again);
    tcase_add_test(t, copies_of_masks);
    tcase_add_loop_test(t, entries_of_hash_cells_are_sorted, 0, 4);
    suite_add_tcase(s, t);
    return run_suite(s);
}
