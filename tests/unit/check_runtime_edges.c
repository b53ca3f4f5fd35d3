/* check_runtime_edges.c - pools, lists, collections and trees at their edges: memory that runs out
 * in the middle, chunks that are gone, ranges of addresses that end, nodes of any shape, nothing at
 * all. */
#include <stdio.h>

#include "snlrt.h"
#include "world.h"

enum { ELEMENT = 4096, SMALL = 32 };    /* elements of a small chunk */

/* ---- pools ---- */

START_TEST(elements_of_no_bytes)
{
    World w;
    SnlPool p;
    void *a, *b;
    start(&w, "d i[1] { . }");
    snl_pool_init(&p, 0, NULL, 0, 0, false);
    snl_pool_start_raw(&p);
    snl_pool_reserve(&w.rt, &p, 100);
    ck_assert_int_ge(snl_pool_elements(&p), 100);
    a = snl_pool_take(&w.rt, &p);
    b = snl_pool_take_raw(&w.rt, &p);
    ck_assert_int_eq(*(int64_t *)a, 0);
    ck_assert_ptr_eq((char *)a + 8, b);
    snl_pool_untake(&w.rt, &p, a);              /* kept by the run */
    snl_pool_untake(&w.rt, &p, b);              /* for which one is enough */
    ck_assert_int_eq(p.recycled.count, 1);
    ck_assert_int_eq(snl_pool_used(&p), 1);
    snl_pool_adopt(&w.rt, &p, snl_pool_make_room(&w.rt, &p));
    ck_assert_int_eq(snl_pool_used(&p), 0);
    snl_pool_trim(&w.rt, &p);
    ck_assert_int_eq(p.chunk_count, 0);
    snl_pool_free(&w.rt, &p);
    end(&w);
}
END_TEST

/* A chunk between others is given back, and stays away. */
START_TEST(a_chunk_is_gone)
{
    World w;
    start(&w, "p i[1000] { d j[1024] { . } }");
    for (int64_t i = 0; i < 3 * SMALL; i++)
        *(int32_t *)(void *)cell(&w, 0, i, SNL_ACTIVATE) = (int32_t)i;
    for (int64_t i = 0; i < SMALL; i++)
        deactivate(&w, 0, i);
    for (int round = 0; round < 2; round++) {
        snl_tree_trim(w.tree);
        ck_assert_ptr_null(snl_store_pointer(&w.tree->nodes[0].cells.chunks, 0));
        ck_assert_int_eq(w.tree->nodes[0].cells.gone, SMALL);
        ck_assert_int_eq(snl_pool_used(&w.tree->nodes[0].cells), 2 * SMALL);
    }
    for (int64_t i = SMALL; i < 3 * SMALL; i++)
        ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, i, SNL_READ), i);
    ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, 5, SNL_ACTIVATE), 0);
    snl_tree_deactivate_all(w.tree, 0);
    snl_tree_trim(w.tree);
    ck_assert_int_eq(w.tree->nodes[0].cells.chunk_count, 0);
    end(&w);
}
END_TEST

/* Trimming needs memory itself; where there is none, all stays as it is. */
START_TEST(trim_without_memory)
{
    World w;
    SnlPool *p;
    start(&w, "p i[1000] { d j[1024] { . } }");
    p = &w.tree->nodes[0].cells;
    cell(&w, 0, 1, SNL_ACTIVATE);
    snl_pool_untake(&w.rt, p, snl_pool_take(&w.rt, p));
    for (int64_t left = 0; left < 2; left++) {
        w.budget.left = left;
        snl_pool_trim(&w.rt, p);
        ck_assert_int_eq(p->chunk_count, 1);
        ck_assert_int_eq(snl_pool_used(p), 1);
        ck_assert_ptr_nonnull(p->runs[0].returned);
    }
    w.budget.left = INT64_MAX;
    deactivate(&w, 0, 1);
    snl_tree_trim(w.tree);
    ck_assert_int_eq(p->chunk_count, 0);
    end(&w);
}
END_TEST

/* An element that was handed out and given back belongs to nobody: its chunk goes. */
START_TEST(a_returned_element_goes_with_its_chunk)
{
    World w;
    SnlPool *p;
    start(&w, "p i[1000] { d j[1024] { . } }");
    p = &w.tree->nodes[0].cells;
    snl_pool_untake(&w.rt, p, snl_pool_take(&w.rt, p));
    ck_assert_ptr_nonnull(p->runs[0].returned);
    snl_pool_trim(&w.rt, p);
    ck_assert_int_eq(p->chunk_count, 0);
    ck_assert_ptr_null(p->runs[0].returned);
    ck_assert_int_eq(snl_pool_used(p), 0);
    *(int32_t *)(void *)cell(&w, 0, 3, SNL_ACTIVATE) = 5;
    ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, 3, SNL_READ), 5);
    ck_assert_int_eq(snl_pool_used(p), 1);
    end(&w);
}
END_TEST

/* A collection that finds no room leaves everything recycled, and is done again. */
START_TEST(a_collection_without_memory)
{
    World w;
    start(&w, "p i[1000] { . }");
    for (int64_t i = 0; i < 101; i++)
        *(int32_t *)(void *)cell(&w, 0, i, SNL_ACTIVATE) = 7;
    for (int64_t i = 0; i < 60; i++)
        deactivate(&w, 0, i);
    snl_tree_gc(w.tree);
    ck_assert_int_eq(w.tree->nodes[0].cells.free_count, 60);
    for (int64_t i = 60; i < 100; i++)
        deactivate(&w, 0, i);
    for (int round = 0; round < 2; round++) {
        w.budget.left = 0;
        snl_tree_gc(w.tree);
        ck_assert_int_eq(w.tree->pending, 1);
        ck_assert_int_eq(w.tree->nodes[0].cells.free_count, 60);
        ck_assert_int_eq(w.tree->nodes[0].cells.recycled.count, 40);
        ck_assert_int_eq(snl_pool_used(&w.tree->nodes[0].cells), 41);
    }
    w.budget.left = INT64_MAX;
    snl_tree_gc(w.tree);
    ck_assert_int_eq(w.tree->pending, 0);
    ck_assert_int_eq(snl_pool_used(&w.tree->nodes[0].cells), 1);
    for (int64_t i = 0; i < 100; i++)
        ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, i, SNL_ACTIVATE), 0);
    ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, 100, SNL_READ), 7);
    end(&w);
}
END_TEST

/* What a thread took from the free list and did not use moves down, onto itself: no element is lost
 * or free twice. */
START_TEST(the_free_list_closes_up)
{
    enum { CELLS = 60 };
    World w;
    SnlPool *p;
    bool seen[CELLS + 1] = { false };
    char *first;
    start(&w, "p i[1000] { . . }");             /* elements of 8 bytes */
    p = &w.tree->nodes[0].cells;
    first = cell(&w, 0, CELLS, SNL_ACTIVATE);
    for (int64_t i = 0; i < CELLS; i++)
        cell(&w, 0, i, SNL_ACTIVATE);
    for (int64_t i = 0; i < CELLS; i++)
        deactivate(&w, 0, i);
    snl_tree_gc(w.tree);
    /* all are in the run of the thread, some are used */
    for (int64_t used = 1; used <= 7; used += 3) {
        for (int64_t i = 0; i < used; i++)
            cell(&w, 0, i, SNL_ACTIVATE);
        ck_assert_int_eq(p->free_count, 0);
        ck_assert_int_eq(p->runs[0].free_end - p->runs[0].free_next, CELLS - used);
        for (int64_t i = 0; i < used; i++)
            deactivate(&w, 0, i);
        snl_tree_gc(w.tree);
        ck_assert_int_eq(p->free_count, CELLS);
        ck_assert_int_eq(snl_pool_used(p), 1);
    }
    for (int64_t i = 0; i < CELLS; i++) {
        int64_t number = (cell(&w, 0, i, SNL_ACTIVATE) - first) / 8;
        ck_assert(number > 0 && number <= CELLS && !seen[number]);
        seen[number] = true;
    }
    end(&w);
}
END_TEST

/* True if the mapping of an address is marked for huge pages. */
static bool
is_marked_huge(FILE *smaps, const void *at)
{
    char line[512];
    bool inside = false;
    while (fgets(line, sizeof line, smaps)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            inside = (uintptr_t)at >= from && (uintptr_t)at < to;
        if (inside && strncmp(line, "VmFlags:", 8) == 0)
            return strstr(line, " hg") != NULL;
    }
    return false;
}

START_TEST(large_blocks_are_for_huge_pages)
{
    enum { HUGE = 2 * 1024 * 1024 };
    const size_t bytes = _i ? HUGE : 4 * HUGE;      /* blocks of one huge page are cut from larger
                                                     * ones */
    FILE *smaps = fopen("/proc/self/smaps", "r"),
         *offered = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    SnlInstance rt;
    void *block;
    snl_instance_init(&rt, NULL, 1, 1, 0);
    block = snl_memory_get(&rt, bytes);
    ck_assert_int_eq((uintptr_t)block % HUGE, 0);
    ck_assert_uint_eq(rt.bytes_used, bytes);
    if (smaps && offered)       /* else the system has none, or does not tell */
        ck_assert(is_marked_huge(smaps, block));
    snl_memory_put(&rt, block, bytes);
    ck_assert_uint_eq(rt.bytes_used, 0);
    if (smaps)
        fclose(smaps);
    if (offered)
        fclose(offered);
    snl_instance_free(&rt);
}
END_TEST

/* Lists that are out of date and old hash tables make room for cells. */
START_TEST(what_is_old_makes_room)
{
    enum { CELLS = 20000 };
    World w;
    Model old;
    SnlTree *trees[2];
    SnlProgramDesc program = { 2, NULL, 0, NULL };
    int64_t coord[SNL_AXES] = { 0 };
    start(&w, "p i[4096] { . }");
    model_init(&old, _i == 0 ? "b i[20000] { . }" : "h i[20000] { . }");
    trees[0] = w.tree;
    ck_assert_int_eq(snl_tree_create(&w.rt, &old.desc, NULL, &trees[1]), SNL_OK);
    w.rt.program = &program;
    w.rt.trees = trees;
    for (; coord[0] < CELLS; coord[0]++)
        snl_cell_at(trees[1], 0, coord, SNL_ACTIVATE);
    coord[0] = 3;
    ck_assert_int_eq(snl_tree_list(trees[1], 0)->count, CELLS);
    snl_cell_deactivate(trees[1], 0, coord);
    w.rt.memory_limit = w.rt.bytes_used;
    w.rt.loops = 1;             /* as in a loop, which may read both */
    cell(&w, 0, 5, SNL_ACTIVATE);
    ck_assert_int_eq(snl_status_of(&w.rt), SNL_ENOMEM);
    snl_clear_error(&w.rt);
    w.rt.loops = 0;
    cell(&w, 0, 5, SNL_ACTIVATE);
    ck_assert_str_eq(snl_message(&w.rt), "");
    ck_assert_int_eq(trees[1]->nodes[0].list.capacity, 0);
    ck_assert_ptr_null(trees[1]->retired);
    w.rt.memory_limit = 0;
    ck_assert_int_eq(snl_tree_list(trees[1], 0)->count, CELLS - 1);
    snl_tree_destroy(trees[1]);
    model_free(&old);
    end(&w);
}
END_TEST

/* What is free in one tree of a program serves another, for cells and for lists. */
START_TEST(trees_share_the_limit)
{
    World w;
    SnlTree *other, *trees[3];
    SnlProgramDesc program = { 3, NULL, 0, NULL };
    int64_t coord[SNL_AXES] = { 0 };
    start(&w, "p i[4096] { d j[4096] { . } }");
    ck_assert_int_eq(snl_tree_create(&w.rt, &w.m.desc, NULL, &other), SNL_OK);
    trees[0] = w.tree, trees[1] = NULL, trees[2] = other;
    w.rt.program = &program;
    w.rt.trees = trees;
    for (int round = 0; round < 2; round++) {
        w.rt.memory_limit = w.rt.bytes_used + 8000000;
        for (int64_t i = 0; !snl_failed(&w.rt); i++)
            cell(&w, 0, i, SNL_ACTIVATE);
        ck_assert_int_eq(snl_status_of(&w.rt), SNL_ENOMEM);
        ck_assert_ptr_nonnull(strstr(snl_message(&w.rt), "out of memory"));
        snl_clear_error(&w.rt);
        snl_tree_deactivate_all(w.tree, 0);
        snl_tree_gc(w.tree);
        w.rt.memory_limit = w.rt.bytes_used;
        for (coord[0] = 0; coord[0] < 100; coord[0]++)
            *(int32_t *)snl_cell_at(other, 0, coord, SNL_ACTIVATE) = 3;
        ck_assert_str_eq(snl_message(&w.rt), "");
        w.rt.memory_limit = 0;
        cell(&w, 0, 0, SNL_ACTIVATE);
        deactivate(&w, 0, 0);
        snl_tree_gc(w.tree);
        w.rt.memory_limit = w.rt.bytes_used;
        ck_assert_int_eq(snl_tree_list(other, 0)->count, 100);
        ck_assert_str_eq(snl_message(&w.rt), "");
        w.rt.memory_limit = 0;
        snl_tree_deactivate_all(other, 0);
        snl_tree_trim(other);
    }
    snl_tree_destroy(other);
    end(&w);
}
END_TEST

/* ---- ranges of addresses ---- */

enum { GRANULE = 65536, RANGE = 64 * GRANULE };

/* A maker that counts bytes, up to a number of them. */
typedef struct {
    int64_t made, most;
    bool has_addresses;
} Maker;

static void *
maker_reserve(void *ctx, size_t bytes)
{
    return ((Maker *)ctx)->has_addresses ? aligned_alloc(GRANULE, bytes) : NULL;
}

static bool
maker_make(void *ctx, void *at, size_t bytes)
{
    Maker *m = (Maker *)ctx;
    if (m->made + (int64_t)bytes > m->most)
        return false;
    m->made += (int64_t)bytes;
    memset(at, 0xab, bytes);
    return true;
}

static void
maker_give_back(void *ctx, void *at, size_t bytes)
{
    ((Maker *)ctx)->made -= (int64_t)bytes;
    memset(at, 0xba, bytes);
}

static void
maker_release(void *ctx, void *at, size_t bytes)
{
    (void)ctx;
    (void)bytes;
    free(at);
}

static SnlRangeMaker
ranges_of(Maker *m)
{
    return (SnlRangeMaker){RANGE,           GRANULE,      m, maker_reserve, maker_make,
                           maker_give_back, maker_release};
}

static void
start_range_pool(World *w, SnlPool *p, const SnlRangeMaker *maker)
{
    start(w, "d i[1] { . }");
    w->rt.ranges = maker;
    snl_pool_init(p, ELEMENT, NULL, 0, ELEMENT, false);
    snl_pool_start_raw(p);
}

START_TEST(ranges_end)
{
    Maker m = { 0, INT64_MAX, true };
    SnlRangeMaker maker = ranges_of(&m);
    World w;
    SnlPool p;
    int64_t inside = 0;
    char *last;
    start_range_pool(&w, &p, &maker);
    snl_pool_reserve(&w.rt, &p, RANGE / ELEMENT + 1);
    for (int64_t chunk = 0; chunk < p.chunk_count - 1; chunk++)
        inside += (int64_t)snl_pool_chunk_bytes(&p, chunk);
    ck_assert_int_eq(m.made, inside);
    last = (char *)snl_store_pointer(&p.chunks, p.chunk_count - 1);
    ck_assert(snl_range_has(&w.rt, &p.range, snl_store_pointer(&p.chunks, p.chunk_count - 2)));
    ck_assert(!snl_range_has(&w.rt, &p.range, last));
    for (int64_t k = 0; k < RANGE / ELEMENT + 1; k++) {
        char *element = (char *)snl_pool_take(&w.rt, &p);
        ck_assert_int_eq(element[0] | element[ELEMENT - 1], 0);
    }
    snl_pool_trim(&w.rt, &p);
    ck_assert_int_eq(m.made, inside);
    snl_pool_free(&w.rt, &p);
    ck_assert_int_eq(m.made, 0);
    end(&w);
}
END_TEST

START_TEST(ranges_without_memory)
{
    Maker m = { 0, 3 * GRANULE, true };         /* a chunk and a half */
    SnlRangeMaker maker = ranges_of(&m);
    World w;
    SnlPool p;
    start_range_pool(&w, &p, &maker);
    snl_pool_reserve(&w.rt, &p, 1000);
    ck_assert_int_eq(p.chunk_count, 1);
    ck_assert_int_eq(m.made, 2 * GRANULE);
    snl_pool_trim(&w.rt, &p);
    ck_assert_int_eq(m.made, 0);
    w.rt.memory_limit = w.rt.bytes_used + 4 * ELEMENT;  /* not for a granule */
    snl_pool_reserve(&w.rt, &p, 1000);
    ck_assert_int_eq(p.chunk_count, 0);
    w.rt.memory_limit = 0;
    snl_pool_free(&w.rt, &p);
    m.has_addresses = false;
    snl_pool_reserve(&w.rt, &p, 1000);
    ck_assert_int_ge(snl_pool_elements(&p), 1000);
    ck_assert_ptr_null(p.range.start);
    snl_pool_free(&w.rt, &p);
    w.budget.left = 0;                          /* nor to note what is made */
    snl_pool_reserve(&w.rt, &p, 1);
    ck_assert_int_eq(p.chunk_count, 0);
    w.budget.left = INT64_MAX;
    snl_pool_free(&w.rt, &p);
    end(&w);
}
END_TEST

/* Parts that share a granule, and no memory to note what is made. */
START_TEST(parts_of_a_range)
{
    Maker m = { 0, INT64_MAX, true };
    SnlRangeMaker maker = ranges_of(&m);
    World w;
    SnlRange range = { 0 };
    bool short_of;
    char *first;
    start(&w, "d i[1] { . }");
    w.rt.ranges = &maker;
    w.budget.left = 0;
    ck_assert_ptr_null(snl_range_make(&w.rt, &range, 0, 100, &short_of));
    ck_assert(!short_of);
    w.budget.left = INT64_MAX;
    snl_range_free(&w.rt, &range);
    first = (char *)snl_range_make(&w.rt, &range, 0, GRANULE / 2, &short_of);
    ck_assert_ptr_eq(snl_range_make(&w.rt, &range, GRANULE / 2, GRANULE + 1, &short_of),
                     first + GRANULE / 2);
    ck_assert_int_eq(m.made, 2 * GRANULE);
    snl_range_give_back(&w.rt, &range, 1, 2 * GRANULE);         /* the first one is shared */
    ck_assert_int_eq(m.made, GRANULE);
    snl_range_free(&w.rt, &range);
    ck_assert_int_eq(m.made, 0);
    end(&w);
}
END_TEST

/* ---- hash tables ---- */

/* Cells whose hashes fall into every other stripe of a table: it grows until none of these is too
 * full. */
START_TEST(hashes_that_meet)
{
    enum { CELLS = 20000, MASK = 2047, PART = 1024 };
    World all, w;
    const SnlHashTable *table;
    int64_t chosen[CELLS], count = 0;
    start(&all, "h i[1000000] { . }");
    for (int64_t i = 0; i < CELLS; i++)
        cell(&all, 0, i, SNL_ACTIVATE);
    table = ((const SnlHash *)(const void *)all.tree->root[0])->table;
    for (int64_t k = 0; k < table->capacity; k++)
        if (snl_hash_element(table->entries[k])) {
            memcpy(&chosen[count], snl_hash_element(table->entries[k]), sizeof chosen[0]);
            count += (snl_hash_of(&chosen[count], 1) & MASK) < PART;
        }
    end(&all);
    ck_assert_int_gt(count, CELLS / 3);
    start(&w, "h i[1000000] { . }");
    for (int64_t k = 0; k < count; k++)
        *(int32_t *)(void *)cell(&w, 0, chosen[k], SNL_ACTIVATE) = (int32_t)k;
    for (int64_t k = 0; k < count; k++)
        ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, chosen[k], SNL_READ), k);
    table = ((const SnlHash *)(const void *)w.tree->root[0])->table;
    for (int64_t k = 0; k < table->stripe_count; k++)
        ck_assert_int_le(8 * table->stripes[k].used, 6 << table->stripe_shift);
    ck_assert_int_eq(snl_tree_active(w.tree, 0), count);
    end(&w);
}
END_TEST

static int64_t
capacity_of(const World *w)
{
    return ((const SnlHash *)(const void *)w->tree->root[0])->table->capacity;
}

/* A table that is filled again gets its size sooner, but not for few cells, nor where there is no
 * memory for it. */
START_TEST(tables_leap)
{
    enum { CELLS = 20000, SOME = 3000, FEW = 100 };
    World w;
    int64_t most;
    start(&w, "h i[1000000] { . }");
    for (int64_t i = 0; i < CELLS; i++)
        cell(&w, 0, i, SNL_ACTIVATE);
    most = capacity_of(&w);
    for (int round = 0; round < 3; round++) {
        snl_tree_deactivate_all(w.tree, 0);
        snl_tree_gc(w.tree);
        for (int64_t i = 0; i < FEW; i++)
            cell(&w, 0, i, SNL_ACTIVATE);
        ck_assert_int_le(capacity_of(&w), 4 * FEW);
        w.rt.memory_limit = round == 1 ? w.rt.bytes_used + 200000 : 0;
        for (int64_t i = FEW; i < SOME; i++)
            cell(&w, 0, i, SNL_ACTIVATE);
        ck_assert_str_eq(snl_message(&w.rt), "");
        if (round == 1)
            ck_assert_int_le(capacity_of(&w), 4 * SOME);
        else
            ck_assert_int_eq(capacity_of(&w), most);
        w.rt.memory_limit = 0;
        for (int64_t i = SOME; i < CELLS; i++)
            cell(&w, 0, i, SNL_ACTIVATE);
        ck_assert_int_eq(capacity_of(&w), most);
        ck_assert_int_eq(snl_tree_active(w.tree, 0), CELLS);
    }
    end(&w);
}
END_TEST

/* A table in spare memory, where a GPU makes them. */
static SnlHashTable *
spare_table(World *w, SnlSpare *spare)
{
    SnlHashTable *table = (SnlHashTable *)(void *)((char *)spare + spare->used);
    memset(table, 0, sizeof *table);
    spare->used += (int64_t)snl_hash_table_bytes(16);
    spare->tables++;
    table->spare = spare;
    table->next = w->tree->tables;
    if (table->next)
        table->next->prev = table;
    return w->tree->tables = table;
}

static SnlSpare *
new_spare(World *w)
{
    SnlSpare *spare = (SnlSpare *)snl_memory_raw(&w->rt, 8192);
    *spare = (SnlSpare){ w->tree->spare, 8192, SNL_SPARE_HEAD, 0 };
    return w->tree->spare = spare;
}

/* Spare memory is used again after its last table, or released where there is a newer one. */
START_TEST(spare_memory_is_used_again)
{
    World w;
    SnlSpare *spare[3];
    SnlHashTable *table[4];
    int64_t blocks;
    start(&w, "p i[4] { h j[100] { . } }");
    for (int k = 0; k < 3; k++) {
        spare[k] = new_spare(&w);
        table[k] = spare_table(&w, spare[k]);
    }
    table[3] = spare_table(&w, spare[0]);
    blocks = w.budget.blocks;
    snl_hash_table_free(w.tree, table[2]);
    ck_assert_ptr_eq(w.tree->spare, spare[2]);
    ck_assert_int_eq(spare[2]->used, SNL_SPARE_HEAD);
    snl_hash_table_free(w.tree, table[0]);
    ck_assert_int_eq(w.budget.blocks, blocks);
    snl_hash_table_free(w.tree, table[3]);
    ck_assert_int_eq(w.budget.blocks, blocks - 1);
    ck_assert_ptr_eq(spare[1]->next, NULL);
    ck_assert_int_ge(snl_tree_memory(w.tree), spare[1]->bytes + spare[2]->bytes);
    snl_tree_trim(w.tree);      /* the one with a table stays */
    ck_assert_ptr_eq(w.tree->spare, spare[1]);
    ck_assert_ptr_eq(spare[1]->next, NULL);
    end(&w);                    /* with the table that is left */
}
END_TEST

/* ---- dynamic nodes ---- */

START_TEST(cells_are_reserved)
{
    World w;
    void *list;
    SnlList *all;
    start(&w, _i ? "y i[100]/4 { .5 }" : "y i[100]/4 { . }");
    list = w.tree->root[0];
    ck_assert_int_eq(snl_dynamic_reserve(w.tree, 0, list, 0), 0);
    ck_assert_int_eq(snl_dynamic_reserve(w.tree, 0, list, 101), -1);
    ck_assert_int_eq(snl_dynamic_reserve(w.tree, 0, list, 6), 0);
    ck_assert_int_eq(snl_dynamic_reserve(w.tree, 0, list, 1), 6);
    ck_assert_int_eq(snl_dynamic_reserve(w.tree, 0, list, 94), -1);
    ck_assert_int_eq(snl_dynamic_length(w.tree, 0, list), 7);
    /* behind what was reserved */
    ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, 7, SNL_ACTIVATE), _i ? 5 : 0);
    all = (SnlList *)(uintptr_t)snl_tree_list(w.tree, 0);
    ck_assert_int_eq(all->count, 8);
    ck_assert_ptr_eq(snl_dynamic_activate(w.tree, 0, list, 100), w.tree->nodes[0].scratch);
    ck_assert_int_eq(snl_status_of(&w.rt), SNL_ERANGE);
    ck_assert_ptr_nonnull(strstr(snl_message(&w.rt), "index 100 is out of range"));
    snl_clear_error(&w.rt);
    snl_list_empty(w.tree, 0, (int64_t[SNL_AXES]){ 0 });
    snl_tree_gc(w.tree);
    snl_list_empty(w.tree, 0, (int64_t[SNL_AXES]){ 0 });
    ck_assert_int_eq(snl_dynamic_length(w.tree, 0, list), 0);
    end(&w);
}
END_TEST

/* What is reserved is reserved as a whole, or nothing is. */
START_TEST(cells_are_reserved_without_memory)
{
    World w;
    void *list, *at;
    start(&w, "y i[200000]/2048 { .5 }");       /* a few chunks of the list are one of the pool */
    list = w.tree->root[0];
    w.budget.left = 0;
    ck_assert_int_eq(snl_dynamic_reserve(w.tree, 0, list, 5), -1);
    ck_assert_int_eq(snl_dynamic_append(w.tree, 0, list, &at), -1);
    ck_assert_ptr_eq(at, w.tree->nodes[0].scratch);
    snl_clear_error(&w.rt);
    w.budget.left = INT64_MAX;
    ck_assert_int_eq(snl_dynamic_reserve(w.tree, 0, list, 5), 0);
    w.budget.left = 0;
    ck_assert_int_eq(snl_dynamic_reserve(w.tree, 0, list, 190000), -1);
    ck_assert_int_eq(snl_dynamic_length(w.tree, 0, list), 5);
    /* has memory now, which must hold the ambient value */
    for (int64_t i = 5; i < 4096; i++)
        ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, i, SNL_ACTIVATE), 5);
    w.budget.left = INT64_MAX;
    end(&w);
}
END_TEST

/* An append that found no memory, while others came after it, leaves a cell without any. */
START_TEST(a_cell_without_memory)
{
    World w;
    SnlDynamicBlock *block;
    void *at;
    start(&w, "y i[100000]/1 { . }");
    for (int k = 0; k < 4; k++)
        ck_assert_int_eq(snl_dynamic_append(w.tree, 0, w.tree->root[0], &at), k);
    block = ((SnlDynamic *)(void *)w.tree->root[0])->block;
    while (w.tree->nodes[0].cells.fresh < snl_pool_elements(&w.tree->nodes[0].cells)
           || w.tree->nodes[0].cells.runs[0].fresh_left > 0)
        snl_pool_take(&w.rt, &w.tree->nodes[0].cells);          /* lost, until the tree goes */
    block->length = 6;
    w.budget.left = 0;
    ck_assert_int_eq(snl_dynamic_append_at(w.tree, 0, block, 4, &at), -1);
    ck_assert_ptr_eq(at, w.tree->nodes[0].scratch);
    w.budget.left = INT64_MAX;
    snl_clear_error(&w.rt);
    ck_assert_int_eq(snl_dynamic_append_at(w.tree, 0, block, 5, &at), 5);
    ck_assert_int_eq(snl_tree_list(w.tree, 0)->count, 5);
    ck_assert_int_eq(snl_tree_list(w.tree, 0)->entries[4].coord[0], 5);
    end(&w);
}
END_TEST

/* ---- trees ---- */

START_TEST(indices_out_of_range)
{
    World w;
    int64_t far[SNL_AXES] = { 1000 };
    start(&w, "p i[4] { .3 } d j[2] { . }");
    ck_assert(!snl_cell_is_active(w.tree, 0, far));
    snl_cell_deactivate(w.tree, 0, far);
    ck_assert_int_eq(*(int32_t *)snl_cell_at(w.tree, 0, far, SNL_READ), 3);
    ck_assert_int_eq(snl_status_of(&w.rt), SNL_OK);
    ck_assert_ptr_eq(snl_cell_at(w.tree, 0, far, SNL_ACTIVATE), w.tree->nodes[0].scratch);
    ck_assert_int_eq(snl_status_of(&w.rt), SNL_ERANGE);
    snl_clear_error(&w.rt);
    far[1] = 2;                                 /* no cell of a dense node is scratch */
    ck_assert_ptr_eq(snl_cell_at(w.tree, 1, far, SNL_ACTIVATE), w.tree->root[1]);
    ck_assert_int_eq(snl_status_of(&w.rt), SNL_ERANGE);
    snl_clear_error(&w.rt);
    end(&w);
}
END_TEST

/* A tree of fields without indices has no node. */
START_TEST(trees_without_nodes)
{
    int32_t five = 5;
    SnlLeafDesc leaves[2] = {{-1, 0, SNL_I32, 1, "a", 0, NULL}, {-1, 4, SNL_I32, 1, "b", 0, &five}};
    SnlTreeDesc desc = { 0 };
    int64_t left = 0;
    desc.leaf_count = 2;
    desc.leaves = leaves;
    desc.root_bytes = 8;
    for (bool made = false; !made; left++) {
        Budget budget = { left, false, 0, 0, 0 };
        SnlAllocator allocator = budget_allocator(&budget);
        SnlInstance rt;
        SnlTree *tree;
        snl_instance_init(&rt, &allocator, 1, 1, 0);
        made = snl_tree_create(&rt, &desc, NULL, &tree) == SNL_OK;
        ck_assert_int_eq(made, tree != NULL);
        if (made) {
            int32_t *values = (int32_t *)(void *)tree->root_cell;
            ck_assert_int_eq(values[0], 0);
            ck_assert_int_eq(values[1], 5);
            values[0] = values[1] = 9;
            snl_tree_reset(tree);
            ck_assert_int_eq(values[0], 0);
            ck_assert_int_eq(values[1], 5);
            snl_tree_destroy(tree);
        } else {
            ck_assert_ptr_nonnull(strstr(snl_message(&rt), "a"));
            ck_assert_int_eq(snl_status_of(&rt), SNL_ENOMEM);
        }
        snl_instance_free(&rt);
        ck_assert_int_eq(budget.blocks, 0);
    }
    ck_assert_int_gt(left, 3);
}
END_TEST

START_TEST(layouts_have_titles)
{
    SnlLeafDesc leaf = { -1, 0, SNL_I32, 1, "heat", 0, NULL };
    SnlTreeDesc desc = { 0 };
    char text[160];
    ck_assert_str_eq(snl_layout_title(&desc, text, sizeof text), "a layout");
    desc.leaves = &leaf;
    desc.leaf_count = 1;
    ck_assert_str_eq(snl_layout_title(&desc, text, sizeof text), "the layout of field 'heat'");
    desc.name = "grid";
    ck_assert_str_eq(snl_layout_title(&desc, text, sizeof text), "layout 'grid'");
}
END_TEST

/* A field without ambient value beside one that has, in a list without a size of chunks. */
START_TEST(zero_beside_ambient)
{
    World w;
    Model m;
    SnlTree *tree;
    start(&w, "d i[1] { . }");
    model_init(&m, "y i[10] { .3 .5 }");
    m.nodes[0].chunk = 0;
    m.leaves[1].ambient = NULL;
    ck_assert_int_eq(snl_tree_create(&w.rt, &m.desc, NULL, &tree), SNL_OK);
    for (int64_t i = 0; i < 3; i++) {
        int64_t coord[SNL_AXES] = { i };
        const int32_t *at = (const int32_t *)snl_cell_at(tree, 0, coord, SNL_READ);
        ck_assert_int_eq(at[0], 3);
        ck_assert_int_eq(at[1], 0);
        at = (const int32_t *)snl_cell_at(tree, 0, coord, SNL_ACTIVATE);
        ck_assert_int_eq(at[0], 3);
        ck_assert_int_eq(at[1], 0);
    }
    snl_tree_destroy(tree);
    model_free(&m);
    end(&w);
}
END_TEST

/* ---- what the CPU does for loops on a GPU ---- */

enum { LAYOUT_NODES = 7 };

/* A tree whose cells loops on a GPU would activate. */
static void
start_gpu(World *w, char *gpu)
{
    SnlAllocator allocator;
    w->budget = (Budget){ INT64_MAX, false, 0, 0, 0 };
    allocator = budget_allocator(&w->budget);
    snl_instance_init(&w->rt, &allocator, 1, 1, 0);
    w->rt.gpu = (struct SnlGpu *)(void *)gpu;   /* only asked whether it is there */
    model_init(&w->m, "p i[512] { .4 } h i[1000] { . } y i[60]/4 { . } p j[16] { h k[600] { . } } "
                      "b i[100] { . } d i[9] { . }");
    ck_assert_int_eq(w->m.desc.node_count, LAYOUT_NODES);
    w->m.desc.name = NULL;
    ck_assert_int_eq(snl_tree_create(&w->rt, &w->m.desc, NULL, &w->tree), SNL_OK);
}

START_TEST(prepared_memory_is_enough)
{
    World w;
    char gpu = 0;
    start_gpu(&w, &gpu);
    snl_trees_prepare(&w.rt, &(SnlNeed){ NULL, 5, 5, true }, 1);
    snl_tree_room(NULL);
    for (int round = 0; round < 3; round++) {
        w.rt.memory_limit = 0;
        snl_trees_prepare(&w.rt, &(SnlNeed){ w.tree, 50, 50, true }, 1);
        w.rt.memory_limit = w.rt.bytes_used;
        for (int64_t i = 0; i < 50; i++)
            for (int node = 0; node < 3; node++)
                *(int32_t *)(void *)cell(&w, node, i, SNL_ACTIVATE) += 1;
        for (int64_t i = 0; i < 50; i++) {
            ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 0, i, SNL_READ), 5);
            ck_assert_int_eq(*(int32_t *)(void *)cell(&w, 1, i, SNL_READ), 1);
        }
        for (int64_t i = 0; i < 50; i++)
            for (int node = 0; node < 2; node++)
                deactivate(&w, node, i);
        deactivate(&w, 2, 0);
        snl_tree_gc(w.tree);
        ck_assert_str_eq(snl_message(&w.rt), "");
    }
    for (int node = 0; node < LAYOUT_NODES; node++) {
        ck_assert_int_le(snl_tree_most(w.tree, node), w.m.cells[node]);
        ck_assert_int_ge(snl_tree_most(w.tree, node), node == 4 ? 50 : node == 6 ? 9 : 16);
    }
    w.rt.memory_limit = 0;
    end(&w);
}
END_TEST

/* With hardly any memory it makes do, and what is missing is told by those who need it. */
START_TEST(prepared_with_little_memory)
{
    char gpu = 0;
    for (int64_t more = 0; more < 8000000; more = 4 * more + 70000) {
        World w;
        start_gpu(&w, &gpu);
        w.rt.memory_limit = w.rt.bytes_used + (uint64_t)more;
        snl_trees_prepare(&w.rt, &(SnlNeed){ w.tree, 1000000000000, 1000000000000, true }, 1);
        ck_assert_uint_le(w.rt.bytes_used, w.rt.memory_limit);
        ck_assert_str_eq(snl_message(&w.rt), "");
        w.rt.memory_limit = 0;
        w.rt.machine_bytes = w.rt.bytes_used;
        for (int64_t i = 0; i < 512 && !snl_failed(&w.rt); i++)
            cell(&w, 0, i, SNL_ACTIVATE);
        if (more == 0)
            ck_assert_ptr_nonnull(strstr(snl_message(&w.rt), "of the GPU are in use"));
        snl_clear_error(&w.rt);
        w.rt.machine_bytes = 0;
        end(&w);
    }
}
END_TEST

/* What an earlier loop did not use serves the next one. */
START_TEST(spare_memory_stays)
{
    World w;
    char gpu = 0;
    const SnlSpare *spare;
    start_gpu(&w, &gpu);
    w.rt.machine_bytes = w.rt.bytes_used + 4000000;
    snl_trees_prepare(&w.rt, &(SnlNeed){ w.tree, 1000000000000, 1000000000000, false }, 1);
    spare = w.tree->spare;
    ck_assert_ptr_nonnull(spare);
    w.budget.left = 0;          /* nothing else is to be had */
    snl_trees_prepare(&w.rt, &(SnlNeed){ w.tree, 1000000000000, 1000000000000, false }, 1);
    ck_assert_ptr_eq(w.tree->spare, spare);
    ck_assert_str_eq(snl_message(&w.rt), "");
    w.rt.machine_bytes = 0;
    end(&w);
}
END_TEST

/* A description that cannot be copied. */
START_TEST(no_memory_for_the_description)
{
    char gpu = 0;
    Model m;
    model_init(&m, "p i[4] { . }");
    for (int64_t left = 0; left < 4; left++) {
        Budget budget = { left, false, 0, 0, 0 };
        SnlAllocator allocator = budget_allocator(&budget);
        SnlInstance rt;
        SnlTree *tree;
        snl_instance_init(&rt, &allocator, 1, 1, 0);
        rt.gpu = (struct SnlGpu *)(void *)&gpu;
        ck_assert_int_eq(snl_tree_create(&rt, &m.desc, NULL, &tree), SNL_ENOMEM);
        snl_instance_free(&rt);
        ck_assert_int_eq(budget.blocks, 0);
    }
    model_free(&m);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("runtime edges");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, elements_of_no_bytes);
    tcase_add_test(t, a_chunk_is_gone);
    tcase_add_test(t, trim_without_memory);
    tcase_add_test(t, a_returned_element_goes_with_its_chunk);
    tcase_add_test(t, a_collection_without_memory);
    tcase_add_test(t, the_free_list_closes_up);
    tcase_add_loop_test(t, large_blocks_are_for_huge_pages, 0, 2);
    tcase_add_loop_test(t, what_is_old_makes_room, 0, 2);
    tcase_add_test(t, trees_share_the_limit);
    tcase_add_test(t, ranges_end);
    tcase_add_test(t, ranges_without_memory);
    tcase_add_test(t, parts_of_a_range);
    tcase_add_test(t, hashes_that_meet);
    tcase_add_test(t, tables_leap);
    tcase_add_test(t, spare_memory_is_used_again);
    tcase_add_loop_test(t, cells_are_reserved, 0, 2);
    tcase_add_test(t, cells_are_reserved_without_memory);
    tcase_add_test(t, a_cell_without_memory);
    tcase_add_test(t, indices_out_of_range);
    tcase_add_test(t, trees_without_nodes);
    tcase_add_test(t, layouts_have_titles);
    tcase_add_test(t, zero_beside_ambient);
    tcase_add_test(t, prepared_memory_is_enough);
    tcase_add_test(t, prepared_with_little_memory);
    tcase_add_test(t, spare_memory_stays);
    tcase_add_test(t, no_memory_for_the_description);
    suite_add_tcase(s, t);
    return run_suite(s);
}
