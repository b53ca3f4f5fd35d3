/* check_runtime_memory.c - where memory runs out: errors instead of crashes, nothing lost, nothing
 * leaked; what a tree holds, gives back, and how it is aligned. */
#include <stdio.h>
#include <unistd.h>

#include "budget.h"
#include "loop/packed_lists.h"
#include "loop/reorder.h"
#include "runtime_model.h"
#include "loop/privatize.h"
#include "program/stats.h"

START_TEST(the_limit_holds)
{
    enum { LIMIT = 4 * 1024 * 1024 };
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    int64_t written = 0;
    model_init(&m, "p i[4096] { d j[256] { . . . . } }");
    snl_instance_init(&rt, NULL, 2, 1, LIMIT);
    ck_assert_int_eq(snl_tree_create(&rt, &m.desc, NULL, &tree), SNL_OK);
    for (int64_t i = 0; i < 4096 && !snl_failed(&rt); i++) {
        int64_t coord[SNL_AXES] = { i };
        memset(snl_cell_at(tree, 0, coord, SNL_ACTIVATE), 1, 4096);
        written += !snl_failed(&rt);
        ck_assert(rt.bytes_used <= LIMIT);
    }
    ck_assert_int_eq(snl_status_of(&rt), SNL_ENOMEM);
    ck_assert_ptr_nonnull(strstr(snl_message(&rt), "pointer"));
    ck_assert_ptr_nonnull(strstr(snl_message(&rt), "4194304"));
    ck_assert_int_ge(written, 400);     /* less than half of the limit is lost */
    snl_clear_error(&rt);
    ck_assert_int_eq(snl_tree_active(tree, 0), written);
    snl_tree_deactivate_all(tree, 0);
    snl_tree_gc(tree);
    for (int64_t i = 0; i < written; i++) {
        int64_t coord[SNL_AXES] = { 4095 - i };
        ck_assert_int_eq(*(int *)snl_cell_at(tree, 0, coord, SNL_ACTIVATE), 0);
    }
    ck_assert(!snl_failed(&rt));
    snl_tree_destroy(tree);
    ck_assert_int_eq(rt.bytes_used, 0);
    model_free(&m);
}
END_TEST

/* Far more than the machine has is refused when the tree is made, not when it is touched. */
START_TEST(what_no_machine_has_is_refused)
{
    static const int64_t sizes[] = { (int64_t)1 << 44, (int64_t)1 << 59, INT64_MAX / 4 };
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        SnlNodeDesc node = { .kind = SNL_DENSE, .parent = -1, .name = "S1dense", .axis_count = 1,
                             .axes = { 0 }, .cell_bytes = 4 };
        SnlLeafDesc leaf = { 0, 0, SNL_F32, 1, "x", 0, NULL };
        SnlTreeDesc desc = { "huge", &node, 1, &leaf, 1, 0 };
        int64_t top[SNL_AXES] = { sizes[k] };
        SnlInstance rt;
        SnlTree *tree;
        snl_instance_init(&rt, NULL, 1, 1, 0);
        ck_assert_int_ne(snl_tree_create(&rt, &desc, top, &tree), SNL_OK);
        ck_assert_ptr_null(tree);
        ck_assert_ptr_nonnull(strstr(snl_message(&rt), "huge"));
        ck_assert_int_eq(rt.bytes_used, 0);
        snl_instance_free(&rt);
    }
}
END_TEST

START_TEST(impossible_sizes_are_refused)
{
    static const int64_t sizes[] = { 0, -1, INT64_MIN };
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        SnlNodeDesc node = { .kind = SNL_POINTER, .parent = -1, .name = "S1pointer",
                             .axis_count = 2, .axes = { 0, 1 }, .sizes = { 0, 3 },
                             .stored = { 0, 3 }, .cell_bytes = 4 };
        SnlLeafDesc leaf = { 0, 0, SNL_F32, 1, "x", 0, NULL };
        SnlTreeDesc desc = { "odd", &node, 1, &leaf, 1, 0 };
        int64_t top[SNL_AXES] = { sizes[k] };
        SnlInstance rt;
        SnlTree *tree;
        snl_instance_init(&rt, NULL, 1, 1, 0);
        ck_assert_int_eq(snl_tree_create(&rt, &desc, top, &tree), SNL_EINVAL);
        ck_assert_ptr_null(tree);
        ck_assert_ptr_nonnull(strstr(snl_message(&rt), "odd"));
        snl_instance_free(&rt);
    }
}
END_TEST

START_TEST(trim_gives_back)
{
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    int64_t empty, full;
    model_init(&m, "p ij[64,64] { d ij[8,8] { .3 . } y k[64]/8 { . } h l[9] { . } }");
    snl_instance_init(&rt, NULL, 2, 1, 0);
    ck_assert_int_eq(snl_tree_create(&rt, &m.desc, NULL, &tree), SNL_OK);
    empty = snl_tree_memory(tree);
    for (int round = 0; round < 3; round++) {
        for (int64_t n = 0; n < 4096; n++) {
            int64_t coord[SNL_AXES] = { n / 64, n % 64, 33, n % 9 };
            snl_cell_at(tree, 0, coord, SNL_ACTIVATE);
            if (n % 3 == 0)
                snl_cell_at(tree, 2, coord, SNL_ACTIVATE);
            if (n % 4 == 0)
                snl_cell_at(tree, 3, coord, SNL_ACTIVATE);
        }
        ck_assert_int_eq(snl_tree_active(tree, 0), 4096);
        full = snl_tree_memory(tree);
        ck_assert_int_ge(full, empty + 4096 * 512);
        ck_assert_int_le(full, (int64_t)rt.bytes_used);
        snl_tree_deactivate_all(tree, 0);
        snl_tree_trim(tree);
        ck_assert_int_le(snl_tree_memory(tree), empty + 65536);
        ck_assert_int_le((int64_t)rt.bytes_used, full / 4);
    }
    snl_tree_destroy(tree);
    ck_assert_int_eq(rt.bytes_used, 0);
    model_free(&m);
}
END_TEST

/* Bytes of this process that are in memory, but for those of files: code comes in by pieces. */
static int64_t
resident_bytes(void)
{
    long pages = 0, resident = 0, of_files = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%ld %ld %ld", &pages, &resident, &of_files), 3);
    fclose(file);
    return (int64_t)(resident - of_files) * sysconf(_SC_PAGESIZE);
}

/* Activates and writes 4096 cells of 16 KiB, 64 MiB in all. */
static void
fill_blocks(SnlTree *tree)
{
    for (int64_t n = 0; n < 4096; n++) {
        int64_t coord[SNL_AXES] = { n };
        memset(snl_cell_at(tree, 0, coord, SNL_ACTIVATE), 1, 16384);
    }
}

START_TEST(resident_memory_goes_back)
{
    enum { MIB = 1024 * 1024 };
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    int64_t before;
    model_init(&m, _i ? "h i[4096] { d j[4096] { . } }" : "p i[4096] { d j[4096] { . } }");
    before = resident_bytes();
    snl_instance_init(&rt, NULL, 2, 1, 0);
    ck_assert_int_eq(snl_tree_create(&rt, &m.desc, NULL, &tree), SNL_OK);
    for (int round = 0; round < 2; round++) {
        fill_blocks(tree);
        ck_assert_int_ge(resident_bytes(), before + 64 * MIB);
        snl_tree_deactivate_all(tree, 0);
        snl_tree_trim(tree);
        ck_assert_int_le(resident_bytes(), before + 4 * MIB);
    }
    fill_blocks(tree);
    snl_tree_destroy(tree);
    ck_assert_int_le(resident_bytes(), before + 2 * MIB);
    ck_assert_int_eq(rt.bytes_used, 0);
    model_free(&m);
}
END_TEST

/* A node that is never used costs little, however large its cells are, with an allocator of the
 * caller too; its ambient values take a cell where they are not zero, and that once. */
START_TEST(unused_nodes_cost_little)
{
    Budget budget = { INT64_MAX, false, 0, 0, 0 };
    const SnlAllocator allocator = budget_allocator(&budget);
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    int64_t before, resident;
    model_init(&m, "p i[4] { d j[1000000] { . } } "
                   "h i[9] { d j[1000000] { . } } b i[2] { p k[2] { d j[300000] { . } } }"
                   "h i[2] { d j[20000] { . } }"
                   "p i[2] { p j[2] { . } d j[300000] { . } }");
    snl_instance_init(&rt, _i ? &allocator : NULL, 1, 1, 0);
    before = (int64_t)rt.bytes_used;
    resident = resident_bytes();
    ck_assert_int_eq(snl_tree_create(&rt, &m.desc, NULL, &tree), SNL_OK);
    ck_assert_int_le((int64_t)rt.bytes_used - before, m.desc.node_count * 65536);
    ck_assert_int_le(snl_tree_memory(tree), m.desc.node_count * 65536);
    ck_assert_int_le(resident_bytes() - resident, m.desc.node_count * 65536);
    ck_assert_int_le(budget.bytes, m.desc.node_count * 65536);
    snl_tree_destroy(tree);
    ck_assert_uint_eq(rt.bytes_used, 0);
    model_free(&m);
    model_init(&m, "p i[4] { d j[1000000] { .7 } }");
    resident = resident_bytes();
    ck_assert_int_eq(snl_tree_create(&rt, &m.desc, NULL, &tree), SNL_OK);
    ck_assert_int_le(resident_bytes() - resident, 4000000 + 2 * 65536);
    snl_tree_destroy(tree);
    ck_assert_int_eq(budget.blocks, 0);
    ck_assert_uint_eq(rt.bytes_used, 0);
    snl_instance_free(&rt);
    model_free(&m);
}
END_TEST

/* What the nodes of a tree take is all that it takes, tables of hash nodes too. */
START_TEST(nodes_add_up)
{
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    int64_t coord[SNL_AXES] = { 0 }, sum = 0, empty;
    model_open(&m, &rt, &tree, "p i[4] { h j[60000] { . } } h k[50] { y l[9] { . } }", 1);
    empty = snl_tree_node_memory(tree, 1);
    for (int64_t j = 0; j < 30000; j++) {
        coord[1] = 2 * j;
        snl_cell_at(tree, 1, coord, SNL_ACTIVATE);
    }
    for (int node = 0; node < m.desc.node_count; node++)
        sum += snl_tree_node_memory(tree, node);
    ck_assert_int_eq(sum, snl_tree_memory(tree));
    ck_assert_int_ge(snl_tree_node_memory(tree, 1),
                     empty + 30000 * (int64_t)(sizeof(SnlHashEntry) + 12));
    ck_assert_int_lt(snl_tree_node_memory(tree, 2), 65536);
    snl_tree_deactivate_all(tree, 1);
    snl_tree_trim(tree);
    /* what its thread takes from */
    ck_assert_int_le(snl_tree_node_memory(tree, 1), empty + 64);
    model_close(&m, &rt, tree);
}
END_TEST

/* What another thread writes to a cell after it was deactivated is gone after the collection,
 * whether it is active again or not. */
START_TEST(late_writes_to_masks_are_gone)
{
    enum { CELLS = 300 };
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    int64_t coord[SNL_AXES] = { 0 };
    int32_t *cells[CELLS];
    model_open(&m, &rt, &tree, "b i[300] { .7 }", 2);
    for (int round = 0; round < 2; round++) {
        for (coord[0] = 0; coord[0] < CELLS; coord[0]++)
            cells[coord[0]] = (int32_t *)snl_cell_at(tree, 0, coord, SNL_ACTIVATE);
        for (int64_t k = 0; k < CELLS; k++) {   /* from both ends */
            coord[0] = k % 2 ? CELLS - 1 - k / 2 : k / 2;
            snl_cell_deactivate(tree, 0, coord);
        }
        coord[0] = 5;
        snl_cell_at(tree, 0, coord, SNL_ACTIVATE);
        for (int64_t k = 0; k < CELLS; k++)
            *cells[k] = 1;
        snl_tree_gc(tree);
        for (coord[0] = 0; coord[0] < CELLS; coord[0]++)
            ck_assert_int_eq(*(int32_t *)snl_cell_at(tree, 0, coord, SNL_ACTIVATE),
                             coord[0] == 5 ? 1 : 7);
    }
    model_close(&m, &rt, tree);
}
END_TEST

/* True if what was recorded has a loop of that name. */
static bool
has_loop(SnlInstance *rt, const char *name)
{
    char *text = NULL, quoted[64];
    size_t bytes = 0;
    bool found;
    FILE *out = open_memstream(&text, &bytes);
    ck_assert_ptr_nonnull(out);
    snl_trace_write(rt, "test", NULL, 0, out);
    fclose(out);
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    found = strstr(text, quoted) != NULL;
    free(text);
    return found;
}

/* Many masked cells that were deactivated beside other threads are reset by all threads, some of
 * them noted twice and in cells with something below; few by one. */
START_TEST(masked_cells_are_reset_by_all_threads)
{
    enum { CELLS = 40000, FEW = 50 };
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    int64_t coord[SNL_AXES] = { 0 };
    int32_t *cells[CELLS];
    const int64_t count = _i ? CELLS : FEW;
    model_open(&m, &rt, &tree, "b i[40000] { .7 p j[2] { . } }", 4);
    snl_stats_begin(&rt, true);
    for (int64_t k = 0; k < 2 * count; k++) {   /* neighbours are in different words */
        coord[0] = k % count * 977 % CELLS;
        coord[1] = k % 2;
        snl_cell_at(tree, 1, coord, SNL_ACTIVATE);
        cells[k % count] = (int32_t *)snl_cell_at(tree, 0, coord, SNL_ACTIVATE);
        snl_cell_deactivate(tree, 0, coord);
    }
    for (int64_t k = 0; k < count; k++)
        *cells[k] = 1;                          /* another thread was late */
    snl_tree_gc(tree);
    ck_assert_int_eq(has_loop(&rt, "reset_notes"), _i);
    ck_assert_int_eq(tree->nodes[0].resets.count, 0);
    for (int64_t k = 0; k < count; k++)
        ck_assert_int_eq(*cells[k], 7);
    ck_assert_int_eq(snl_tree_active(tree, 1), 0);
    ck_assert_int_eq(snl_pool_used(&tree->nodes[1].cells), 0);
    snl_stats_free(&rt);
    model_close(&m, &rt, tree);
}
END_TEST

/* What is kept for the collection of bitmasked cells is counted, and goes when it is not needed. */
START_TEST(notes_of_masks_are_counted)
{
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    int64_t coord[SNL_AXES] = { 0 }, before, most;
    uint64_t used;
    model_open(&m, &rt, &tree, "b i[5000] { . }", 2);
    before = snl_tree_memory(tree);
    used = rt.bytes_used;
    for (; coord[0] < 5000; coord[0]++) {
        snl_cell_at(tree, 0, coord, SNL_ACTIVATE);
        snl_cell_deactivate(tree, 0, coord);
    }
    most = snl_tree_memory(tree);
    ck_assert_int_ge(most, before + 5000 / 64 * (int64_t)sizeof(SnlReset));
    ck_assert_int_le(most, before + 5000);      /* a note is of 64 cells */
    ck_assert_uint_ge(rt.bytes_used - used, (uint64_t)(most - before));
    snl_tree_trim(tree);
    ck_assert_int_eq(snl_tree_memory(tree), before);
    ck_assert_uint_eq(rt.bytes_used, used);
    model_close(&m, &rt, tree);
}
END_TEST

/* Copies of lists that loops made go when a tree is trimmed or destroyed. */
START_TEST(copies_go_with_trees)
{
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    int64_t coord[SNL_AXES] = { 0 };
    uint64_t used;
    model_open(&m, &rt, &tree, "d i[100] { y j[64]/16 { . } }", 1);
    for (coord[0] = 0; coord[0] < 100; coord[0]++) {
        coord[1] = coord[0] % 64;
        snl_cell_at(tree, 1, coord, SNL_ACTIVATE);
    }
    used = rt.bytes_used;
    ck_assert(snl_line_up(tree, 1));
    ck_assert_uint_gt(rt.bytes_used, used);
    snl_line_end(&rt, true);
    if (_i == 0) {
        snl_tree_trim(tree);
        ck_assert_uint_le(rt.bytes_used, used);
        ck_assert(snl_line_up(tree, 1));
        snl_line_end(&rt, true);
    }
    snl_tree_destroy(tree);
    ck_assert_uint_eq(rt.bytes_used, 0);
    snl_instance_free(&rt);
    model_free(&m);
}
END_TEST

/* Lists that are all empty have no copy, and nothing of theirs stays. */
START_TEST(empty_lists_leave_nothing)
{
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    model_open(&m, &rt, &tree, "d i[100] { y j[64]/16 { . } }", 1);
    ck_assert(!snl_line_up(tree, 1));
    snl_line_end(&rt, false);
    snl_tree_destroy(tree);
    ck_assert_uint_eq(rt.bytes_used, 0);
    snl_instance_free(&rt);
    model_free(&m);
}
END_TEST

/* True if there is a block that the limit leaves no room for, because something gives way. */
static bool
something_gives_way(SnlInstance *rt)
{
    enum { BYTES = 4096 };
    void *block;
    rt->memory_limit = rt->bytes_used;
    block = snl_memory_get(rt, BYTES);
    rt->memory_limit = 0;
    snl_memory_put(rt, block, BYTES);
    return block != NULL;
}

/* Copies of lists give way where memory is short, but not to the loop that reads them. */
START_TEST(copies_of_lists_give_way)
{
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    int64_t coord[SNL_AXES] = { 0 };
    const SnlDynamic *first;
    model_open(&m, &rt, &tree, "d i[100] { y j[64]/16 { . } }", 1);
    for (coord[0] = 0; coord[0] < 100; coord[0]++) {
        coord[1] = 63;
        *(int32_t *)snl_cell_at(tree, 1, coord, SNL_ACTIVATE) = (int32_t)coord[0] + 5;
    }
    ck_assert(snl_line_up(tree, 1));
    ck_assert(!something_gives_way(&rt));
    first = (const SnlDynamic *)(const void *)tree->root[0];
    ck_assert_int_eq(((const int32_t *)(const void *)first[7].line)[63], 12);
    snl_line_end(&rt, true);
    ck_assert(something_gives_way(&rt));
    ck_assert(!something_gives_way(&rt));
    ck_assert(snl_line_up(tree, 1));
    snl_line_end(&rt, true);
    model_close(&m, &rt, tree);
}
END_TEST

/* So do copies that threads add to. */
START_TEST(copies_of_sums_give_way)
{
    enum { COUNT = 5000 };
    static float sums[COUNT];
    const SnlScatterArray array = { sums, sizeof sums, SNL_F32, NULL, 0 };
    SnlInstance rt;
    SnlScatter *s;
    snl_instance_init(&rt, NULL, 2, 1, 0);
    for (int round = 0; round < 2; round++) {
        s = snl_scatter_begin(&rt, &array, 1, 1e6);
        ck_assert_ptr_nonnull(s);
        ck_assert(!something_gives_way(&rt));
        ck_assert_float_eq(((const float *)s->copies[0]->of[1])[COUNT - 1], 0);
        snl_scatter_end(&rt, s);
        ck_assert(something_gives_way(&rt));
        ck_assert_uint_eq(rt.bytes_used, 0);
    }
    snl_instance_free(&rt);
}
END_TEST

/* A loop whose iterations reach cells of an array of a million. */
typedef struct {
    SnlOrder order;
    int64_t cell[5000];
    int64_t found;
} Reaching;

enum { REACHED = 1 << 20 };

static void
find_cells(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Reaching *r = args;
    (void)chunk;
    SNL_ADD(&r->found, to - from);
    for (int64_t n = from; n < to; n++)
        snl_order_key(&r->order, n, r->cell[snl_order_at(&r->order, n)]);
}

/* Begins the loop; gives the number of cells that were asked for. */
static int64_t
begin_in_order(SnlInstance *rt, Reaching *r, int64_t iterations)
{
    r->found = 0;
    snl_order_begin(rt, &r->order, iterations, REACHED, find_cells, r);
    return r->found;
}

static void
assert_sorted(const Reaching *r, int64_t iterations)
{
    ck_assert_ptr_nonnull(r->order.of);
    for (int64_t n = 1; n < iterations; n++) {
        const uint32_t here = r->order.of[n], before = r->order.of[n - 1];
        const int64_t here_part = r->cell[here] >> r->order.shift,
                      before_part = r->cell[before] >> r->order.shift;
        ck_assert(before_part < here_part || (before_part == here_part && before < here));
    }
}

/* Iterations that jump about go by parts of what they reach, until that has changed; orders give
 * way, but not to the loop that has one. */
START_TEST(orders_are_kept)
{
    enum { COUNT = 5000 };
    Reaching r = { .found = 0 };
    SnlInstance rt;
    snl_instance_init(&rt, NULL, 1 + _i, 1, 0);
    for (int64_t n = 0; n < COUNT; n++)
        r.cell[n] = n * 7919 * 64 % REACHED;
    ck_assert_int_ge(begin_in_order(&rt, &r, COUNT), COUNT);
    assert_sorted(&r, COUNT);
    ck_assert(!something_gives_way(&rt));
    snl_order_end(&rt, &r.order);
    for (int64_t n = 0; n < COUNT; n++)
        r.cell[n] ^= 1;
    ck_assert_int_lt(begin_in_order(&rt, &r, COUNT), COUNT);
    assert_sorted(&r, COUNT);
    snl_order_end(&rt, &r.order);
    for (int64_t n = 0; n < COUNT; n++)
        r.cell[n] = n % 20 == 0 ? -1 : n % 10 == 0 ? REACHED : n * (n + 7) * 832 % REACHED;
    begin_in_order(&rt, &r, COUNT);
    for (int64_t n = 0; n < COUNT; n++)     /* numbers that are none stand for the last */
        r.cell[n] = r.cell[n] < 0 || r.cell[n] == REACHED ? REACHED - 1 : r.cell[n];
    assert_sorted(&r, COUNT);
    snl_order_end(&rt, &r.order);
    begin_in_order(&rt, &r, COUNT - 100);   /* more and fewer of them */
    assert_sorted(&r, COUNT - 100);
    snl_order_end(&rt, &r.order);
    ck_assert(something_gives_way(&rt));
    ck_assert_uint_eq(rt.bytes_used, 0);
    snl_instance_free(&rt);
}
END_TEST

/* What follows each other in any case, is short, or would need memory that nobody can spare, has no
 * order. */
START_TEST(orders_are_not_made)
{
    enum { COUNT = 5000 };
    Reaching r = { .found = 0 };
    SnlInstance rt;
    snl_instance_init(&rt, NULL, 1, 1, 0);
    for (int64_t n = 0; n < COUNT; n++)
        r.cell[n] = n * 100;
    ck_assert_int_lt(begin_in_order(&rt, &r, COUNT), COUNT);
    ck_assert_ptr_null(r.order.of);
    snl_order_end(&rt, &r.order);
    for (int64_t n = 0; n < COUNT; n++)
        r.cell[n] = n * 7919 * 64 % REACHED;
    ck_assert_int_eq(begin_in_order(&rt, &r, 1000), 0);
    ck_assert_ptr_null(r.order.of);
    rt.memory_limit = 1000;
    begin_in_order(&rt, &r, COUNT);
    ck_assert_ptr_null(r.order.of);
    ck_assert(!snl_failed(&rt));
    snl_order_end(&rt, &r.order);
    rt.memory_limit = 0;
    snl_fail(&rt, SNL_EINVAL, NULL, 0, "before");
    ck_assert_int_eq(begin_in_order(&rt, &r, COUNT), 0);
    ck_assert_ptr_null(r.order.of);
    snl_order_end(&rt, &r.order);
    snl_clear_error(&rt);
    begin_in_order(&rt, &r, COUNT);
    assert_sorted(&r, COUNT);
    snl_order_end(&rt, &r.order);
    snl_instance_free(&rt);
    ck_assert_uint_eq(rt.bytes_used, 0);
}
END_TEST

/* Wherever memory runs out, iterations keep their own order, and have one when there is memory
 * again. */
START_TEST(orders_without_memory)
{
    enum { COUNT = 5000 };
    Reaching r = { .found = 0 };
    bool clean = false;
    for (int64_t n = 0; n < COUNT; n++)
        r.cell[n] = n * 7919 * 64 % REACHED;
    for (int64_t left = 0; !clean; left++) {
        Budget budget = { left, false, 0, 0, 0 };
        SnlAllocator allocator = budget_allocator(&budget);
        SnlInstance rt;
        snl_instance_init(&rt, &allocator, 2, 1, 0);
        begin_in_order(&rt, &r, COUNT);
        clean = r.order.of != NULL;
        ck_assert(!snl_failed(&rt));
        snl_order_end(&rt, &r.order);
        begin_in_order(&rt, &r, COUNT);
        snl_order_end(&rt, &r.order);
        budget.left = INT64_MAX;
        begin_in_order(&rt, &r, COUNT);
        assert_sorted(&r, COUNT);
        snl_order_end(&rt, &r.order);
        ck_assert(!snl_failed(&rt));
        snl_instance_free(&rt);
        ck_assert_int_eq(budget.blocks, 0);
    }
}
END_TEST

/* A copy of a list stays as it was while cells come and go; without memory it is empty, which is an
 * error. */
START_TEST(snapshots_stay)
{
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    SnlSnapshot all, none;
    int64_t coord[SNL_AXES] = { 0 };
    model_open(&m, &rt, &tree, "p i[9000] { . }", 1);
    none = snl_snapshot(tree, 0);
    ck_assert_int_eq(none.count, 0);
    snl_snapshot_end(&none);
    for (coord[0] = 0; coord[0] < 9000; coord[0] += 3)
        snl_cell_at(tree, 0, coord, SNL_ACTIVATE);
    all = snl_snapshot(tree, 0);
    snl_tree_list(tree, 0);
    rt.memory_limit = rt.bytes_used;
    none = snl_snapshot(tree, 0);
    ck_assert_int_eq(none.count, 0);
    ck_assert_int_eq(rt.error.status, SNL_ENOMEM);
    snl_clear_error(&rt);
    rt.memory_limit = 0;
    snl_snapshot_end(&none);
    snl_tree_deactivate_all(tree, 0);
    snl_tree_gc(tree);
    ck_assert_int_eq(snl_tree_list(tree, 0)->count, 0);
    ck_assert_int_eq(all.count, 3000);
    for (int64_t k = 0; k < all.count; k++)
        ck_assert_int_eq(all.entries[k].coord[0], 3 * k);
    snl_snapshot_end(&all);
    model_close(&m, &rt, tree);
}
END_TEST

/* Where room was made, cells come and go without another byte. */
START_TEST(room_is_enough)
{
    enum { CELLS = 5000 };
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    int64_t coord[SNL_AXES] = { 0 };
    model_open(&m, &rt, &tree, "h i[100000] { .4 }", 1);
    coord[0] = 1;
    snl_cell_at(tree, 0, coord, SNL_ACTIVATE);
    snl_hash_make_room(tree, 0, (SnlHash *)(void *)tree->root[0], CELLS);
    snl_pool_reserve(&rt, &tree->nodes[0].cells, CELLS);
    ck_assert_int_ge(snl_pool_elements(&tree->nodes[0].cells), CELLS + 1);
    rt.memory_limit = rt.bytes_used;
    for (coord[0] = 10; coord[0] < 10 + CELLS; coord[0]++)
        *(int32_t *)snl_cell_at(tree, 0, coord, SNL_ACTIVATE) = 7;
    ck_assert_int_eq(snl_hash_live(((SnlHash *)(void *)tree->root[0])->table), CELLS + 1);
    for (coord[0] = 10; coord[0] < 10 + CELLS; coord[0]++)
        snl_cell_deactivate(tree, 0, coord);
    ck_assert_str_eq(snl_message(&rt), "");
    rt.memory_limit = 0;
    ck_assert_int_eq(snl_tree_active(tree, 0), 1);
    model_close(&m, &rt, tree);
}
END_TEST

START_TEST(cells_are_aligned)
{
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    model_init(&m, "p i[50] { d j[16] { . } } d i[100] { . }");
    snl_instance_init(&rt, NULL, 1, 1, 0);
    ck_assert_int_eq(snl_tree_create(&rt, &m.desc, NULL, &tree), SNL_OK);
    ck_assert_int_eq((uintptr_t)tree->root[2] % 64, 0);
    for (int64_t i = 0; i < 50; i++) {
        int64_t coord[SNL_AXES] = { i };
        ck_assert_int_eq((uintptr_t)snl_cell_at(tree, 0, coord, SNL_ACTIVATE) % 64, 0);
    }
    snl_tree_destroy(tree);
    model_free(&m);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("runtime memory");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 120);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what is free */
    tcase_add_loop_test(t, resident_memory_goes_back, 0, 2);
#else
    (void)resident_memory_goes_back;
#endif
    tcase_add_test(t, the_limit_holds);
    tcase_add_test(t, what_no_machine_has_is_refused);
    tcase_add_test(t, impossible_sizes_are_refused);
    tcase_add_test(t, trim_gives_back);
    tcase_add_loop_test(t, unused_nodes_cost_little, 0, 2);
    tcase_add_test(t, nodes_add_up);
    tcase_add_test(t, late_writes_to_masks_are_gone);
    tcase_add_loop_test(t, masked_cells_are_reset_by_all_threads, 0, 2);
    tcase_add_test(t, notes_of_masks_are_counted);
    tcase_add_loop_test(t, copies_go_with_trees, 0, 2);
    tcase_add_test(t, empty_lists_leave_nothing);
    tcase_add_test(t, copies_of_lists_give_way);
    tcase_add_test(t, copies_of_sums_give_way);
    tcase_add_loop_test(t, orders_are_kept, 0, 2);
    tcase_add_test(t, orders_are_not_made);
    tcase_add_test(t, orders_without_memory);
    tcase_add_test(t, snapshots_stay);
    tcase_add_test(t, room_is_enough);
    tcase_add_test(t, cells_are_aligned);
    suite_add_tcase(s, t);
    return run_suite(s);
}
