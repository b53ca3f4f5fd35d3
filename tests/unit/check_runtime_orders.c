/* check_runtime_orders.c - a few operations of two or three threads in every order of their atomic
 * steps that a number of changes from one thread to another brings about.
 *
 * One thread works at a time; before each atomic step it may have to let another one go on. So an
 * order can be had again. Two threads are taken through all orders with two changes, or many of
 * them where there are too many, three through orders with some changes at random places. The idea
 * to bound the changes is that of Musuvathi and Qadeer, "Iterative context bounding for systematic
 * testing of multithreaded programs" (2007). What is left, and what a thread saw that listed cells
 * meanwhile, is compared with the model.
 *
 * SNL_TEST_SEED sets the first of the seeds, SNL_TEST_OPERATIONS how many operations there are in
 * all. With the seed that was printed last, and SNL_TEST_ORDERS=yes, the last order printed is that
 * of a failure.
 */
#include "config.h"

#include <sched.h>
#include <semaphore.h>
#include <stdio.h>

#include "model_batch.h"

enum { THREADS_MOST = 3, CHANGES_MOST = 6, OPS_MOST = 6 };

/* Before that step of the thread `from`, the thread `to` goes on. */
typedef struct {
    int from, to;
    int64_t step;
} Change;

/* An order: who begins, and the changes. Who ends or has to wait lets the next one go on. */
typedef struct {
    int first;
    Change changes[CHANGES_MOST];
    int count;
} Order;

/* What the threads that work one at a time share; only the one whose turn it is changes it. */
static struct {
    const Order *order;
    int threads, arrived;
    sem_t turn[THREADS_MOST];
    bool ended[THREADS_MOST];
    int64_t steps[THREADS_MOST];
    int64_t waits;              /* of all threads */
} control;

/* The number of the calling thread, or -1 where it is not under control. */
static __thread int self = -1;

typedef struct {
    Model m;
    SnlInstance rt;
    SnlTree *tree;
    Batch batch;
    int walked;                 /* the last thread lists the cells of this node instead; -1: not */
    bool *was;                  /* by cell of it: it was active before */
    SnlSnapshot seen;
} Fixture;

/* ---- one thread at a time ---- */

/* The thread after this one that has not ended; itself where there is none. */
static int
next_thread(int thread)
{
    for (int k = 1; k < control.threads; k++)
        if (!control.ended[(thread + k) % control.threads])
            return (thread + k) % control.threads;
    return thread;
}

static void
await_turn(void)
{
    while (sem_wait(&control.turn[self]) != 0) {
    }
}

static void
let_go_on(int thread)
{
    if (thread == self)
        return;
    sem_post(&control.turn[thread]);
    await_turn();
}

/* Comes before each atomic step of the runtime. */
void
snl_test_step(void)
{
    if (self < 0)
        return;
    const int64_t step = control.steps[self]++;
    for (int k = 0; k < control.order->count; k++) {
        const Change *c = &control.order->changes[k];
        if (c->from == self && c->step == step)
            let_go_on(control.ended[c->to] ? next_thread(self) : c->to);
    }
}

/* Comes where a thread waits for what another one does, whose turn it then is. */
void
snl_test_wait(void)
{
    enum { WAITS_MOST = 100000 };
    if (self < 0)
        return;
    ck_assert_msg(control.waits++ < WAITS_MOST, "the threads wait for each other");
    let_go_on(next_thread(self));
}

/* All threads meet here, then one works. */
static void
begin_control(int thread)
{
    SNL_ADD(&control.arrived, 1);
    while (SNL_LOAD(&control.arrived) < control.threads)
        snl_yield();
    self = thread;
    if (thread != control.order->first)
        await_turn();
}

static void
end_control(void)
{
    const int next = next_thread(self);
    control.ended[self] = true;
    if (next != self)
        sem_post(&control.turn[next]);
    self = -1;
}

static void
run_part(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Fixture *f = (Fixture *)args;
    (void)from;
    (void)to;
    const int working = control.threads - (f->walked >= 0);
    begin_control((int)chunk);
    if (chunk == working)
        f->seen = snl_snapshot(f->tree, f->walked);
    for (int k = (int)chunk; chunk < working && k < f->batch.count; k += working)
        op_run(f->tree, &f->batch.ops[k]);
    end_control();
}

/* Runs the operations, each thread that does not walk every so manieth. */
static void
run_threads(Fixture *f, const Order *order, int threads)
{
    control.order = order;
    control.threads = threads;
    control.arrived = 0;
    control.waits = 0;
    for (int t = 0; t < threads; t++) {
        control.ended[t] = false;
        control.steps[t] = 0;
    }
    snl_parallel_for(&f->rt, threads, threads, run_part, f);
}

/* ---- a batch in one order ---- */

/* What one thread does before, so that trees, pools and lists are in different states, and hash
 * tables are about to grow. */
static void
prepare(Fixture *f)
{
    for (int64_t rounds = model_pick(&f->m, 4); rounds > 0; rounds--) {
        batch_make(&f->batch, &f->m, model_pick(&f->m, 3) ? 12 : 80);
        for (int k = 0; k < f->batch.count; k++)
            op_run(f->tree, &f->batch.ops[k]);
        batch_apply(&f->batch, &f->m);
        if (model_pick(&f->m, 2))
            snl_tree_gc(f->tree);
        if (model_pick(&f->m, 4) == 0)
            model_deactivate_all(&f->m, f->tree);
        if (model_pick(&f->m, 2))
            snl_tree_list(f->tree, (int)model_pick(&f->m, f->m.desc.node_count));
    }
}

/* What the threads do: the operations, each thread every so manieth, and what is left of them. */
typedef struct {
    void (*make)(Fixture *f);
    void (*check)(Fixture *f);
} Deed;

static void
make_batch(Fixture *f)
{
    batch_make(&f->batch, &f->m, OPS_MOST);
}

static void
check_batch(Fixture *f)
{
    batch_apply(&f->batch, &f->m);
    model_check_whole(&f->m, f->tree);
}

/* Writes to a cell of a leaf, for an operation that the model learns of later. */
static Op
write_to(const Model *m, int leaf, int64_t at)
{
    Op op = { .kind = OP_WRITE, .node = m->leaves[leaf].node, .leaf = leaf, .value = 77, .at = at,
              .offset = m->leaves[leaf].offset };
    model_coord(m, op.node, at, op.coord);
    return op;
}

/* Both threads write below a cell and deactivate it; nothing where no node has activity. */
static void
make_fight(Fixture *f)
{
    Model *m = &f->m;
    const int leaf = (int)model_pick(m, m->desc.leaf_count);
    const int64_t at = model_pick(m, m->cells[m->leaves[leaf].node]);
    int above = -1;
    f->batch.count = 0;
    for (int n = m->leaves[leaf].node; n >= 0; n = m->nodes[n].parent)
        if (m->nodes[n].kind != SNL_DENSE && (above < 0 || model_pick(m, 2)))
            above = n;
    if (above < 0)
        return;
    Op *op = f->batch.ops, gone = { .kind = OP_DEACTIVATE, .node = above, .leaf = -1 };
    gone.at = model_above(m, m->leaves[leaf].node, at, above);
    model_coord(m, above, gone.at, gone.coord);
    op[0] = op[1] = write_to(m, leaf, at);
    for (int tries = 0; tries < 20; tries++) {
        const int64_t other = model_pick(m, m->cells[op->node]);
        if (model_above(m, op->node, other, above) == gone.at)
            op[1] = write_to(m, leaf, other);
    }
    op[2] = op[3] = gone;
    f->batch.count = 4;
}

/* Whatever the order, both deactivations come last; and what a thread wrote late is not there when
 * the cell is active again. */
static void
check_fight(Fixture *f)
{
    const Op *op = f->batch.ops;
    if (f->batch.count == 0)
        return;
    for (int k = 0; k < f->batch.count; k++)
        op_apply(&f->m, &op[k]);
    model_check_whole(&f->m, f->tree);
    snl_cell_at(f->tree, op[2].node, op[2].coord, SNL_ACTIVATE);
    model_activate(&f->m, op[2].node, op[2].at);
    model_check_whole(&f->m, f->tree);
}

/* One thread is to go through the cells of a node, of which the model knows the active ones. */
static void
walk(Fixture *f, int node)
{
    f->walked = node;
    f->was = (bool *)calloc((size_t)f->m.cells[node], sizeof *f->was);
    for (int64_t at = 0; at < f->m.cells[node]; at++)
        f->was[at] = model_is_active(&f->m, node, at);
}

/* Meanwhile the others change the tree. */
static void
make_walk(Fixture *f)
{
    make_batch(f);
    walk(f, (int)model_pick(&f->m, f->m.desc.node_count));
}

/* True if the table of a hash container has to grow for a cell: there would be more entries in a
 * stripe than SNL_HASH_FULL says. */
static bool
is_full(const SnlHashTable *table, const SnlNodeDesc *d, const int64_t *coord)
{
    enum { EIGHTHS = 6 };
    const int64_t at = (int64_t)snl_hash_of(coord, d->axis_count) & (table->capacity - 1);
    const SnlHashStripe *stripe = &table->stripes[at >> table->stripe_shift];
    return (stripe->used + 1) * 8 > (int64_t)EIGHTHS << table->stripe_shift;
}

/* Meanwhile another one adds a cell to the only node, a hash node, whose table has to grow for
 * it. */
static void
make_growth(Fixture *f)
{
    Model *m = &f->m;
    Op *op = f->batch.ops;
    const SnlHash *map = (const SnlHash *)(const void *)f->tree->root[0];
    f->batch.count = 0;
    for (int64_t tries = 0; f->batch.count == 0 && tries < m->cells[0]; tries++) {
        *op = write_to(m, 0, model_pick(m, m->cells[0]));
        if (model_is_active(m, 0, op->at))
            continue;
        if (map->table && is_full(map->table, &m->nodes[0], op->coord)) {
            f->batch.count = 1;
        } else {
            op_run(f->tree, op);
            op_apply(m, op);
        }
    }
    ck_assert_int_eq(f->batch.count, 1);
    walk(f, 0);
}

/* It sees the cells that stay, some of those that come or go, and no others, in memory order. */
static void
check_walk(Fixture *f)
{
    const int node = f->walked;
    int64_t coord[SNL_AXES] = { 0 }, at = 0;
    batch_apply(&f->batch, &f->m);
    do {
        const int64_t number = model_number(&f->m, node, coord);
        const bool is = model_is_active(&f->m, node, number), was = f->was[number];
        const SnlListEntry *e = at < f->seen.count ? &f->seen.entries[at] : NULL;
        if (e && model_number(&f->m, node, e->coord) == number) {
            ck_assert(was || is);
            if (was && is)
                ck_assert_ptr_eq(e->cell, snl_cell_at(f->tree, node, coord, SNL_READ));
            at++;
        } else
            ck_assert(!was || !is);
    } while (model_next(&f->m, node, coord));
    ck_assert_int_eq(at, f->seen.count);
    snl_snapshot_end(&f->seen);
    model_check_whole(&f->m, f->tree);
    free(f->was);
}

/* Prints an order, if that is wanted. */
static void
print_order(const Order *o)
{
    if (!getenv("SNL_TEST_ORDERS"))
        return;
    printf("first %d", o->first);
    for (int k = 0; k < o->count; k++)
        printf(", %d to %d before step %lld", o->changes[k].from, o->changes[k].to,
               (long long)o->changes[k].step);
    printf("\n");
    fflush(stdout);
}

/* ---- many orders ---- */

typedef struct {
    uint64_t random;
    const char *layout;
    uint64_t seed;
    const Deed *deed;
    int64_t tried;
} Search;

/* Runs what the seed brings about in one order. */
static void
try_order(Search *s, const Order *order, int threads)
{
    static Fixture f;
    print_order(order);
    model_open(&f.m, &f.rt, &f.tree, s->layout, threads);
    batch_init(&f.batch, &f.m);
    f.m.random = s->seed * UINT64_C(0x9e3779b97f4a7c15);
    prepare(&f);
    f.walked = -1;
    s->deed->make(&f);
    run_threads(&f, order, threads);
    s->deed->check(&f);
    s->tried++;
    batch_free(&f.batch);
    model_close(&f.m, &f.rt, f.tree);
}

static int64_t
pick(Search *s, int64_t below)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((s->random >> 33) % (uint64_t)below);
}

/* All orders of two threads where the first is left once and comes back once; a share of them where
 * there are more than `most`. */
static void
two_threads(Search *s, int64_t most)
{
    int64_t steps[2];
    const Order one_by_one = { .first = 0 };
    try_order(s, &one_by_one, 2);
    memcpy(steps, control.steps, sizeof steps);
    const int64_t orders = 2 * (steps[0] + 1) * (steps[1] + 1);
    for (int first = 0; first < 2; first++)
        for (int64_t a = 0; a <= steps[first]; a++)
            for (int64_t b = 1; b <= steps[1 - first] + 1; b++) {
                const Order o = { first, { { first, 1 - first, a }, { 1 - first, first, b } }, 2 };
                if (orders > most && pick(s, orders) >= most)
                    continue;
                try_order(s, &o, 2);
            }
}

/* Some orders of three threads. */
static void
three_threads(Search *s, int64_t most)
{
    int64_t steps[3];
    const Order one_by_one = { .first = 0 };
    try_order(s, &one_by_one, 3);
    memcpy(steps, control.steps, sizeof steps);
    for (int64_t k = 0; k < most; k++) {
        Order o = { .first = (int)pick(s, 3), .count = (int)(1 + pick(s, CHANGES_MOST)) };
        for (int c = 0; c < o.count; c++) {
            const int from = (int)pick(s, 3);
            o.changes[c].from = from;
            o.changes[c].to = (from + 1 + (int)pick(s, 2)) % 3;
            o.changes[c].step = pick(s, steps[from] + 1);
        }
        try_order(s, &o, 3);
    }
}

/* Threads that work one at a time hand over sooner on one processor. */
static void
use_one_processor(void)
{
#ifdef __linux__
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
#endif
}

static void
begin(void)
{
    use_one_processor();
    for (int t = 0; t < THREADS_MOST; t++)
        ck_assert_int_eq(sem_init(&control.turn[t], 0, 0), 0);
}

/* A search through orders of what the seed brings about, which is printed. */
static Search
search_for(uint64_t seed, const char *layout, const Deed *deed)
{
    printf("seed %llu, layout %s\n", (unsigned long long)seed, layout);
    fflush(stdout);
    return (Search){ .random = seed, .layout = layout, .seed = seed, .deed = deed };
}

/* Orders of two and of three threads, for each seed of a layout; a set of operations counts as
 * 1,000 of those that a run has. */
static void
search_layout(int layout, const Deed *deed, int64_t operations)
{
    enum { ORDERS_MOST = 400, OPERATIONS_OF_SET = 1000 };
    const int64_t sets = operations_of_run(operations, MODEL_LAYOUTS * OPERATIONS_OF_SET);
    begin();
    for (int64_t k = 0; k < sets; k++) {
        Search s = search_for(first_seed() + (uint64_t)k, model_layouts[layout], deed);
        two_threads(&s, ORDERS_MOST);
        three_threads(&s, ORDERS_MOST / 4);
        printf("%lld orders of steps\n", (long long)s.tried);
    }
}

START_TEST(orders_of_steps)
{
    static const Deed deed = { make_batch, check_batch };
    search_layout(_i, &deed, 300000);
}
END_TEST

START_TEST(orders_of_fights)
{
    enum { OPERATIONS = 200000, ORDERS_MOST = 800, OPERATIONS_OF_FIGHT = 2000 };
    static const Deed deed = { make_fight, check_fight };
    const int64_t fights = operations_of_run(OPERATIONS, MODEL_LAYOUTS * OPERATIONS_OF_FIGHT);
    begin();
    for (int64_t k = 0; k < fights; k++) {
        Search s = search_for(first_seed() + (uint64_t)k, model_layouts[_i], &deed);
        two_threads(&s, ORDERS_MOST);
        printf("%lld orders of steps\n", (long long)s.tried);
    }
}
END_TEST

START_TEST(orders_of_walks)
{
    static const Deed deed = { make_walk, check_walk };
    search_layout(_i, &deed, 150000);
}
END_TEST

START_TEST(orders_of_growth)
{
    enum { SETS = 20, ORDERS_MOST = 400 };
    static const Deed deed = { make_growth, check_walk };
    begin();
    for (uint64_t k = 0; k < SETS; k++) {
        Search s = search_for(first_seed() + k, "h ij[20,30] { . }", &deed);
        two_threads(&s, ORDERS_MOST);
        printf("%lld orders of steps\n", (long long)s.tried);
    }
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("runtime orders");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 3600);
    tcase_add_loop_test(t, orders_of_steps, 0, MODEL_LAYOUTS);
    tcase_add_loop_test(t, orders_of_fights, 0, MODEL_LAYOUTS);
    tcase_add_loop_test(t, orders_of_walks, 0, MODEL_LAYOUTS);
    tcase_add_test(t, orders_of_growth);
    suite_add_tcase(s, t);
    return run_suite(s);
}
