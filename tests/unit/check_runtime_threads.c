/* check_runtime_threads.c - verbs of cells from several threads at once.
 *
 * Whatever the order of the threads, the state after a loop is known: writes to the same cell store
 * the same value, appends count, activation and deactivation go to different cells.
 */
#include <stdio.h>

#include "runtime_model.h"

enum { THREADS = 4, WRITES = 400, ROUNDS = 4 };
#ifdef __SANITIZE_THREAD__ /* which is ten times slower */
enum { RENEWALS = 20, GROW_ROUNDS = 1 };
#else
enum { RENEWALS = 60, GROW_ROUNDS = 4 };
#endif

static const int thread_counts[] = { 2, 3, 8 };
enum { THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0] };

/* Something to be done to one cell of a node; leaf -1: deactivate it. */
typedef struct {
    int node, leaf;
    int64_t at;
} Op;

typedef struct {
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    const Op *ops;              /* of the loop that runs */
    int wrong, kept, refused;   /* counted by loops */
} Fixture;

static void
setup(Fixture *f, const char *layout, int threads)
{
    memset(f, 0, sizeof *f);
    model_open(&f->m, &f->rt, &f->tree, layout, threads);
    f->m.random = 99;
}

static void
teardown(Fixture *f)
{
    model_close(&f->m, &f->rt, f->tree);
}

/* A loop over numbers. */
typedef struct {
    Fixture *f;
    int64_t n;
    void (*fn)(Fixture *f, int64_t k);
} Numbers;

static void
run_numbers(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Numbers *numbers = (const Numbers *)args;
    (void)chunk;
    for (int64_t k = from; k < to; k++)     /* neighbours go to different threads: 7919 is prime */
        numbers->fn(numbers->f, k * 7919 % numbers->n);
}

/* Calls fn for 0 ... n-1 on the threads of the instance. */
static void
on_threads(Fixture *f, int64_t n, void (*fn)(Fixture *f, int64_t k))
{
    Numbers numbers = { f, n, fn };
    snl_parallel_for(&f->rt, n, snl_chunk_count(n, 1), run_numbers, &numbers);
}

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
run_numbered(Fixture *f, int64_t k)
{
    run_op(f, &f->ops[k]);
}

static void
run_all(Fixture *f, const Op *ops, int count)
{
    f->ops = ops;
    on_threads(f, count, run_numbered);
}

START_TEST(writes_everywhere)
{
    Fixture f;
    Op ops[WRITES];
    setup(&f, model_layouts[_i / THREAD_COUNTS], thread_counts[_i % THREAD_COUNTS]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < WRITES; k++) {
            int leaf = (int)model_pick(&f.m, f.m.desc.leaf_count), node = f.m.leaves[leaf].node;
            ops[k] = (Op){ node, leaf, model_pick(&f.m, f.m.cells[node]) };
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
                ops[count++] = (Op){ node, -1, model_pick(&f.m, f.m.cells[node]) };
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

enum { LISTS = 5, SIZE = 3000 };

static void
append_number(Fixture *f, int64_t k)
{
    int64_t coord[SNL_AXES] = { k % LISTS };
    void *list = snl_container_at(f->tree, 1, coord, SNL_ACTIVATE), *cell;
    int64_t index = snl_dynamic_append(f->tree, 1, list, &cell);
    int64_t length = snl_dynamic_length(f->tree, 1, list);
    int wrong = index < 0 || length <= index || length > SIZE;
    wrong += *(int32_t *)cell != 0;
    *(int32_t *)cell = (int32_t)(k / LISTS + 1);
    wrong += snl_dynamic_lookup(f->tree, 1, list, index) != cell;
    SNL_ADD(&f->wrong, wrong);
}

START_TEST(appends_are_all_kept)
{
    Fixture f;
    static bool seen[LISTS][SIZE];
    setup(&f, "d i[5] { y j[3000]/7 { . } }", thread_counts[_i]);
    for (int round = 0; round < 3; round++) {
        memset(seen, 0, sizeof seen);
        on_threads(&f, LISTS * SIZE, append_number);
        ck_assert_int_eq(f.wrong, 0);
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

static void
append_to_full(Fixture *f, int64_t k)
{
    void *list = f->tree->root[0], *cell;
    int64_t index = snl_dynamic_append(f->tree, 0, list, &cell);
    if (index < 0)
        SNL_ADD(&f->refused, 1);
    else
        SNL_ADD(&f->kept, 1);
    SNL_STORE_RELAXED((int32_t *)cell, (int32_t)k);
    SNL_ADD(&f->wrong, snl_dynamic_length(f->tree, 0, list) > 100);
}

START_TEST(full_lists_stay_full)
{
    Fixture f;
    setup(&f, "y i[100]/9 { . }", THREADS);
    on_threads(&f, 1000, append_to_full);
    ck_assert_int_eq(f.kept, 100);
    ck_assert_int_eq(f.refused, 900);
    ck_assert_int_eq(f.wrong, 0);
    ck_assert_int_eq(snl_status_of(&f.rt), SNL_EFULL);
    ck_assert_ptr_nonnull(strstr(snl_message(&f.rt), "full"));
    ck_assert_ptr_nonnull(strstr(snl_message(&f.rt), "100"));
    snl_clear_error(&f.rt);
    ck_assert_int_eq(snl_dynamic_length(f.tree, 0, f.tree->root[0]), 100);
    teardown(&f);
}
END_TEST

static void
fight(Fixture *f, int64_t k)
{
    int64_t coord[SNL_AXES] = { k % 8, k / 8 % 16 };
    const int32_t *read;
    int32_t value;
    if (k % 5 == 4) {
        snl_cell_deactivate(f->tree, 0, coord);
    } else {
        char *cell = (char *)snl_cell_at(f->tree, 1, coord, SNL_ACTIVATE);
        SNL_STORE_RELAXED((int32_t *)(void *)cell, 7);
    }
    read = (const int32_t *)snl_cell_at(f->tree, 1, coord, SNL_READ);
    value = SNL_LOAD_RELAXED(read);
    SNL_ADD(&f->wrong, value != 5 && value != 7);
}

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
        on_threads(&f, 256, fight);
        ck_assert_int_eq(f.wrong, 0);
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

/* A list is made anew only after activity on its path changed. */
START_TEST(lists_are_kept)
{
    Fixture f;
    Op op = { 1, 0, 5 };
    int64_t stamp;
    setup(&f, "p i[8] { d j[16] { . } } p i[4] { d j[4] { . } }", thread_counts[_i]);
    run_op(&f, &op);
    stamp = snl_tree_list(f.tree, 0)->stamp;
    ck_assert_int_eq(f.tree->nodes[0].list.count, 1);
    for (int64_t k = 0; k < 16; k++) {
        Op same = { 1, 0, k }, other = { 3, 1, k };
        run_op(&f, &same);
        run_op(&f, &other);
        ck_assert_int_eq(snl_tree_list(f.tree, 0)->stamp, stamp);
    }
    op.at = 16;
    run_op(&f, &op);
    ck_assert_int_gt(snl_tree_list(f.tree, 0)->stamp, stamp);
    ck_assert_int_eq(f.tree->nodes[0].list.count, 2);
    ck_assert_int_eq(f.tree->nodes[1].list.capacity, 0);    /* dense: never listed */
    teardown(&f);
}
END_TEST

/* Lists of cells of which few came or went since they were made. */
static const char *const renewed_layouts[] = {
    "p i[40] { p j[70] { . } }",
    "h i[40] { p j[70] { . } }",
    "p i[5] { p j[6] { p k[9] { . } } }",
    "p ij[3,5] { p j[7] { .3 } ~p i[3] { . } }",
};
enum { RENEWED_LAYOUTS = sizeof renewed_layouts / sizeof renewed_layouts[0] };

START_TEST(lists_are_renewed)
{
    Fixture f;
    setup(&f, renewed_layouts[_i % RENEWED_LAYOUTS], thread_counts[_i / RENEWED_LAYOUTS]);
    model_check(&f.m, f.tree);
    for (int round = 0; round < RENEWALS; round++) {
        Op ops[16];
        int count = 1 + (int)model_pick(&f.m, 16),
            leaf = (int)model_pick(&f.m, f.m.desc.leaf_count);
        int node = f.m.leaves[leaf].node;
        for (int k = 0; k < count; k++) {
            ops[k] = (Op){ node, round % 3 == 2 ? -1 : leaf, model_pick(&f.m, f.m.cells[node]) };
            if (ops[k].leaf < 0) {
                model_deactivate(&f.m, node, ops[k].at);
                continue;
            }
            model_activate(&f.m, node, ops[k].at);
            f.m.value[leaf][ops[k].at] = (int32_t)(ops[k].at % 97);
        }
        run_all(&f, ops, count);
        if (round % 4 == 3)
            snl_tree_gc(f.tree);
        if (round % 20 == 19) {
            snl_tree_deactivate_all(f.tree, node);
            for (int64_t at = 0; at < f.m.cells[node]; at++)
                model_deactivate(&f.m, node, at);
        }
        model_check(&f.m, f.tree);
    }
    teardown(&f);
}
END_TEST

/* One cell that comes, and one that goes: nobody looks at the containers of others, for a wrong
 * coordinate stays where it is. */
START_TEST(only_what_changed_is_renewed)
{
    enum { CELLS = 3000, COUNT = CELLS / 2 };
    static const int64_t wrong = 12345;
    Fixture f;
    SnlListEntry *entries;
    Op come = { 1, 0, 1 }, go = { 1, -1, 200 };
    setup(&f, "p i[300] { p j[10] { . } }", thread_counts[_i]);
    for (int64_t k = 0; k < CELLS; k += 2) {
        Op op = { 1, 0, k };
        run_op(&f, &op);
    }
    entries = snl_tree_list(f.tree, 1)->entries;
    entries[50].coord[1] = wrong;
    run_op(&f, &come);
    ck_assert_int_eq(snl_tree_list(f.tree, 1)->count, COUNT + 1);
    ck_assert_int_eq(model_number(&f.m, 1, entries[1].coord), 1);
    ck_assert_int_eq(model_number(&f.m, 1, entries[2].coord), 2);
    ck_assert_int_eq(entries[51].coord[1], wrong);
    run_op(&f, &go);
    ck_assert_int_eq(snl_tree_list(f.tree, 1)->count, COUNT);
    ck_assert_int_eq(entries[51].coord[1], wrong);
    ck_assert_int_eq(model_number(&f.m, 1, entries[100].coord), 198);
    ck_assert_int_eq(model_number(&f.m, 1, entries[101].coord), 202);
    ck_assert_int_eq(model_number(&f.m, 1, entries[COUNT - 1].coord), CELLS - 2);
    teardown(&f);
}
END_TEST

START_TEST(lists_do_not_depend_on_threads)
{
    Fixture one, four;
    setup(&one, model_layouts[_i], 1);
    setup(&four, model_layouts[_i], THREADS);
    for (int k = 0; k < 100; k++) {
        int leaf = (int)model_pick(&one.m, one.m.desc.leaf_count), node = one.m.leaves[leaf].node;
        Op op = { node, leaf, model_pick(&one.m, one.m.cells[node]) };
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

static void
use_instance(Fixture *outer, int64_t k)
{
    Fixture f;
    (void)k;
    setup(&f, "p i[9] { d j[7] { .3 } }", 2);
    for (int64_t n = 0; n < 63; n++) {
        Op op = { 1, 0, n };
        run_op(&f, &op);
    }
    SNL_ADD(&outer->wrong, snl_tree_active(f.tree, 1) != 63);
    snl_tree_deactivate_all(f.tree, 0);
    snl_tree_gc(f.tree);
    SNL_ADD(&outer->wrong, snl_tree_active(f.tree, 0) != 0);
    teardown(&f);
}

/* Long lists of every kind of node, which several threads make in two passes, are those of one
 * thread, in the order of memory. */
static const char *const long_layouts[] = {
    "p i[40000] { . }",
    "h i[40000] { . }",
    "b ij[200,250] { . }",
    "p i[1000] { b j[50] { . } }",
    "h i[1000] { p j[50] { . } }",
    "p i[2000] { y j[25]/4 { . } }",
    "d i[300] { b j[60] { p k[3] { . } } }",
    "h i[30] { h j[1500] { . } }",
    "b i[50] { h j[900] { . } }",
};
enum { LONG_LAYOUTS = sizeof long_layouts / sizeof long_layouts[0] };

static void
touch_two_thirds(Fixture *f, int64_t k)
{
    Op op = { f->m.desc.node_count - 1, 0, k };
    if (k % 3 != 1)
        run_op(f, &op);
}

START_TEST(long_lists_do_not_depend_on_threads)
{
    Fixture f;
    const SnlList *list;
    SnlListEntry *first;
    int64_t count;
    int node;
    setup(&f, long_layouts[_i], 1);
    node = f.m.desc.node_count - 1;
    on_threads(&f, f.m.cells[node], touch_two_thirds);
    list = snl_tree_list(f.tree, node);
    count = list->count;
    ck_assert_int_ge(count, 20000);
    first = (SnlListEntry *)malloc((size_t)count * sizeof *first);
    ck_assert_ptr_nonnull(first);
    memcpy(first, list->entries, (size_t)count * sizeof *first);
    for (int64_t k = 1; k < count; k++)
        ck_assert_int_lt(model_number(&f.m, node, first[k - 1].coord),
                         model_number(&f.m, node, first[k].coord));
    for (int k = 0; k < THREAD_COUNTS; k++) {
        snl_tree_trim(f.tree);          /* there are no lists now */
        f.rt.threads = thread_counts[k];
        list = snl_tree_list(f.tree, node);
        ck_assert_int_eq(list->count, count);
        ck_assert_mem_eq(list->entries, first, (size_t)count * sizeof *first);
        snl_tree_trim(f.tree);
        ck_assert_int_eq(snl_tree_active(f.tree, node), count);
    }
    free(first);
    teardown(&f);
}
END_TEST

/* Instances share nothing: each thread runs its own. */
START_TEST(instances_on_threads)
{
    Fixture f = { 0 };
    snl_instance_init(&f.rt, NULL, THREADS, 1, 0);
    on_threads(&f, 8, use_instance);
    ck_assert_int_eq(f.wrong, 0);
    snl_instance_free(&f.rt);
}
END_TEST

enum { HASHED = 40000 };

/* The cell of a number; those from HASHED on have the same again. */
static int64_t
hashed_coord(int64_t k)
{
    return k % HASHED * 2;
}

static void
touch_hashed(Fixture *f, int64_t k)
{
    int64_t coord[SNL_AXES] = { hashed_coord(k) };
    char *cell = (char *)snl_cell_at(f->tree, 0, coord, SNL_ACTIVATE);
    int32_t before = SNL_EXCHANGE((int32_t *)(void *)cell, (int32_t)(k % HASHED + 1));
    SNL_ADD(&f->wrong, before != 0 && before != k % HASHED + 1);
    SNL_ADD(&f->wrong, snl_cell_at(f->tree, 0, coord, SNL_READ) != cell);
}

static void
drop_hashed(Fixture *f, int64_t k)
{
    int64_t coord[SNL_AXES] = { hashed_coord(k) };
    snl_cell_deactivate(f->tree, 0, coord);
}

/* Even numbers come, odd ones go. */
static void
touch_or_drop(Fixture *f, int64_t k)
{
    if (k % 2)
        drop_hashed(f, k);
    else
        touch_hashed(f, k);
}

/* The cells whose numbers are a multiple of `step` are active, none for 0, and no element is
 * lost. */
static void
check_hashed(Fixture *f, int step)
{
    int count = step ? HASHED / step : 0;
    snl_tree_gc(f->tree);
    ck_assert_int_eq(f->wrong, 0);
    ck_assert_int_eq(snl_tree_list(f->tree, 0)->count, count);
    ck_assert_int_eq(snl_pool_used(&f->tree->nodes[0].cells), count);
    for (int64_t k = 0; k < HASHED; k++) {
        int64_t coord[SNL_AXES] = { hashed_coord(k) };
        ck_assert_int_eq(*(int32_t *)snl_cell_at(f->tree, 0, coord, SNL_READ),
                         step && k % step == 0 ? k + 1 : 0);
    }
}

/* Tables with many stripes grow, and are rid of what was erased, while threads come for the same
 * cells. */
START_TEST(hash_tables_grow)
{
    Fixture f;
    setup(&f, "h i[80000] { . }", thread_counts[_i]);
    on_threads(&f, 2 * HASHED, touch_hashed);
    check_hashed(&f, 1);
    ck_assert_int_eq(((SnlHash *)(void *)f.tree->root[0])->table->stripe_count, 64);
    for (int round = 0; round < GROW_ROUNDS; round++) {
        on_threads(&f, HASHED, touch_or_drop);
        check_hashed(&f, 2);
        on_threads(&f, 2 * HASHED, touch_hashed);
        check_hashed(&f, 1);
    }
    on_threads(&f, HASHED, drop_hashed);
    check_hashed(&f, 0);
    teardown(&f);
}
END_TEST

static void
fill_or_empty(Fixture *f, int64_t k)
{
    const int64_t coord[SNL_AXES] = { k % 3 / 2, k % 300 };
    if (k % 4 == 3)
        snl_cell_deactivate(f->tree, 0, coord);
    else
        snl_cell_at(f->tree, 1, coord, SNL_ACTIVATE);
}

/* Threads that empty the same tables, which others fill: each cell goes to the collector once. */
START_TEST(hash_tables_are_emptied_by_many)
{
    Fixture f;
    setup(&f, "b i[2] { h j[300] { .3 } }", thread_counts[_i]);
    for (int round = 0; round < GROW_ROUNDS; round++) {
        on_threads(&f, 20000, fill_or_empty);
        for (int64_t i = 0; i < 2; i++) {
            int64_t coord[SNL_AXES] = { i };
            snl_cell_at(f.tree, 0, coord, SNL_ACTIVATE);
        }
        ck_assert_int_eq(snl_tree_list(f.tree, 1)->count, snl_tree_active(f.tree, 1));
        snl_tree_deactivate_all(f.tree, 0);
        snl_tree_gc(f.tree);
        ck_assert_int_eq(snl_pool_used(&f.tree->nodes[1].cells), 0);
        model_check(&f.m, f.tree);
    }
    teardown(&f);
}
END_TEST

/* Both threads fail at about the same time; what goes on after that is counted. */
static void
fail_at_length(Fixture *f, int64_t k)
{
    static const char text[SNL_MESSAGE] = { 'x' };
    SNL_ADD(&f->kept, 1);
    for (int turn = 0; turn < 10000 && SNL_LOAD(&f->kept) < 2; turn++)
        SNL_PAUSE();
    snl_fail(&f->rt, SNL_ERANGE, NULL, 0, "%lld %*s", (long long)k, (int)sizeof text, text);
    if (!snl_failed(&f->rt))
        SNL_ADD(&f->wrong, 1);
}

START_TEST(who_failed_stops)
{
    enum { FAILURES = 2000 };
    Fixture f;
    setup(&f, "d i[4] { .1 }", 2);
    for (int round = 0; round < FAILURES; round++) {
        f.kept = 0;
        on_threads(&f, 2, fail_at_length);
        ck_assert_int_eq(snl_status_of(&f.rt), SNL_ERANGE);
        snl_clear_error(&f.rt);
    }
    ck_assert_int_eq(f.wrong, 0);
    teardown(&f);
}
END_TEST

/* Waits for the other thread, which may be none, or late. */
static void
wait_for(const int *word)
{
    for (int k = 0; k < 1000 && !SNL_LOAD(word); k++)
        snl_yield();
}

/* One thread fails in line 1; before it names the line, the other one, which did not fail, comes
 * to line 2. */
static void
fail_in_line_1(Fixture *f, int64_t k)
{
    if (k == 0) {
        snl_fail(&f->rt, SNL_ENOMEM, NULL, 0, "no memory");
        wait_for(&f->kept);
        snl_error_at(&f->rt, "a.snl", 1);
        return;
    }
    wait_for(&f->rt.error.status);
    snl_error_at(&f->rt, "a.snl", 2);
    SNL_STORE(&f->kept, 1);
}

START_TEST(errors_have_the_line_of_who_failed)
{
    Fixture f;
    setup(&f, "d i[4] { .1 }", 2);
    for (int round = 0; round < 20; round++) {
        f.kept = 0;
        on_threads(&f, 2, fail_in_line_1);
        ck_assert_str_eq(snl_message(&f.rt), "a.snl:1: no memory");
        snl_clear_error(&f.rt);
    }
    teardown(&f);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("runtime threads");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, writes_everywhere, 0, MODEL_LAYOUTS * THREAD_COUNTS);
    tcase_add_loop_test(t, appends_are_all_kept, 0, THREAD_COUNTS);
    tcase_add_test(t, full_lists_stay_full);
    tcase_add_loop_test(t, fights_end_in_one_of_two_states, 0, 5);
    tcase_add_loop_test(t, lists_are_kept, 0, THREAD_COUNTS);
    tcase_add_loop_test(t, lists_are_renewed, 0, RENEWED_LAYOUTS * THREAD_COUNTS);
    tcase_add_loop_test(t, only_what_changed_is_renewed, 0, THREAD_COUNTS);
    tcase_add_loop_test(t, lists_do_not_depend_on_threads, 0, MODEL_LAYOUTS);
    tcase_add_loop_test(t, long_lists_do_not_depend_on_threads, 0, LONG_LAYOUTS);
    tcase_add_loop_test(t, hash_tables_grow, 0, THREAD_COUNTS);
    tcase_add_loop_test(t, hash_tables_are_emptied_by_many, 0, THREAD_COUNTS);
    tcase_add_test(t, instances_on_threads);
    tcase_add_test(t, who_failed_stops);
    tcase_add_test(t, errors_have_the_line_of_who_failed);
    suite_add_tcase(s, t);
    return run_suite(s);
}
