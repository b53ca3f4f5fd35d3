/* The stand-in for a GPU: every lane runs once, barriers and exchanges hold, and lanes
 * interleave. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/sim_lanes.h"
#include "suite.h"

enum { SEEDS = 20 };

typedef struct {
    int64_t blocks;
    int threads;
    int *runs;                  /* by lane */
    int shared[SNL_SIM_BLOCK_MAX];
    int wrong;
    int counter, most;
} Grid;

static int64_t
lane_number(void)
{
    const SnlSimPlace *p = snl_sim_place();
    return p->block * p->threads + p->thread;
}

static void
count_lane(void *arg)
{
    Grid *g = arg;
    snl_sim_point(NULL);
    g->runs[lane_number()]++;
}

START_TEST(every_lane_runs_once)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Grid g = {.blocks = 1 + (int64_t)seed % 5, .threads = 1 + 37 * (int)seed % 300};
        int64_t lanes = g.blocks * g.threads;
        g.runs = calloc((size_t)lanes, sizeof *g.runs);
        ck_assert(snl_sim_run(seed, g.blocks, g.threads, count_lane, &g));
        for (int64_t k = 0; k < lanes; k++)
            ck_assert_msg(g.runs[k] == 1, "seed %d: lane %d ran %d times", (int)seed, (int)k,
                          g.runs[k]);
        free(g.runs);
    }
    ck_assert_ptr_null(snl_sim_place());
}
END_TEST

/* A sum over the block, as a tree in shared memory. */
static void
add_up(void *arg)
{
    Grid *g = arg;
    int thread = snl_sim_place()->thread, threads = snl_sim_place()->threads;
    g->shared[thread] = thread + 1;
    for (int other = threads / 2; other > 0; other /= 2) {
        snl_sim_barrier(1);
        if (thread < other) {
            int sum = g->shared[thread];
            snl_sim_point(NULL);
            g->shared[thread] = sum + g->shared[thread + other];
        }
    }
    snl_sim_barrier(2);
    g->wrong += g->shared[0] != threads * (threads + 1) / 2;
}

START_TEST(barriers_hold_back)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Grid g = {.blocks = 2, .threads = 256};
        ck_assert(snl_sim_run(seed, g.blocks, g.threads, add_up, &g));
        ck_assert_msg(g.wrong == 0, "seed %d", (int)seed);
    }
}
END_TEST

/* Half of a warp exchanges its numbers; the other half does not take part. */
static void
exchange(void *arg)
{
    Grid *g = arg;
    uint64_t out[SNL_SIM_WARP];
    int lane = snl_sim_place()->thread % SNL_SIM_WARP;
    snl_sim_point(NULL);
    if (lane >= 16)
        return;
    snl_sim_exchange(0xffff, (uint64_t)lane_number() * 3, out);
    for (int k = 0; k < SNL_SIM_WARP; k++) {
        uint64_t want = k < 16 ? (uint64_t)(lane_number() - lane + k) * 3 : 0;
        g->wrong += out[k] != want;
    }
}

START_TEST(exchanges_bring_what_lanes_gave)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Grid g = {0};
        ck_assert(snl_sim_run(seed, 3, 96, exchange, &g));
        ck_assert_msg(g.wrong == 0, "seed %d", (int)seed);
    }
}
END_TEST

/* Lanes that are active together agree on who they are. */
static void
agree(void *arg)
{
    Grid *g = arg;
    uint64_t out[SNL_SIM_WARP];
    int lane = snl_sim_place()->thread % SNL_SIM_WARP;
    uint32_t active;
    if (lane % 3 == 1)
        return;
    active = snl_sim_active();
    g->wrong += !(active >> lane & 1);
    snl_sim_exchange(active, active, out);
    for (int k = 0; k < SNL_SIM_WARP; k++)
        g->wrong += (active >> k & 1) && out[k] != active;
}

START_TEST(active_lanes_agree)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Grid g = {0};
        ck_assert(snl_sim_run(seed, 2, 64, agree, &g));
        ck_assert_msg(g.wrong == 0, "seed %d", (int)seed);
    }
}
END_TEST

/* A lock that is none: two lanes may be inside. */
static void
race(void *arg)
{
    Grid *g = arg;
    int before = g->counter;
    snl_sim_point(NULL);
    g->counter = before + 1;
}

START_TEST(races_show)
{
    int lost = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Grid g = {0};
        ck_assert(snl_sim_run(seed, 1, 128, race, &g));
        lost += g.counter < 128;
    }
    ck_assert_int_gt(lost, SEEDS / 2);
}
END_TEST

static void
locked(void *arg)
{
    Grid *g = arg;
    static int lock;
    int before;
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        snl_sim_point(NULL);
    before = g->counter;
    snl_sim_point(NULL);
    g->counter = before + 1;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

START_TEST(locks_keep_lanes_apart)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Grid g = {0};
        ck_assert(snl_sim_run(seed, 2, 64, locked, &g));
        ck_assert_int_eq(g.counter, 128);
    }
}
END_TEST

/* One lane waits for another that has ended. */
static void
wait_for_ever(void *arg)
{
    uint64_t out[SNL_SIM_WARP];
    (void)arg;
    if (snl_sim_place()->thread == 3)
        return;
    snl_sim_exchange(0xff, 1, out);
}

START_TEST(a_deadlock_is_told)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Grid g = {0};
        ck_assert(!snl_sim_run(seed, 2, 8, wait_for_ever, &g));
        ck_assert(snl_sim_run(seed, 2, 64, locked, &g));
    }
}
END_TEST

/* A lane that has ended does not come to the barrier; nor do those at another one. */
static void
end_before_others(void *arg)
{
    (void)arg;
    if (snl_sim_place()->thread != 3)
        snl_sim_barrier(1);
}

static void
part_at_barriers(void *arg)
{
    (void)arg;
    if (snl_sim_place()->thread < 3)
        snl_sim_barrier(1);
    else
        snl_sim_barrier(2);
}

START_TEST(barriers_are_for_all_lanes)
{
    Grid g = {0};
    ck_assert(!snl_sim_run(1, 2, 64, end_before_others, &g));
    ck_assert(!snl_sim_run(1, 2, 64, part_at_barriers, &g));
}
END_TEST

/* Each block has its own share of the memory. */
static void
share(void *arg)
{
    Grid *g = arg;
    static uint64_t first, second;
    g->counter += snl_sim_share(&first, SNL_SIM_SHARED / 2);
    g->counter += snl_sim_share(&second, SNL_SIM_SHARED / 2 + (size_t)g->most);
}

START_TEST(shared_memory_has_an_end)
{
    Grid g = {0};
    ck_assert(snl_sim_run(1, 3, 64, share, &g));
    ck_assert_int_eq(g.counter, 6);
    g.most = 1;
    ck_assert(!snl_sim_run(1, 3, 64, share, &g));
}
END_TEST

/* Atomic operations end the process on what lies on the stack of the lane, and only there. */
static void
tell_local(void *arg)
{
    Grid *g = arg;
    int own[100] = {0};
    g->wrong += !snl_sim_is_local(own) + !snl_sim_is_local(own + 99) + snl_sim_is_local(g) +
                snl_sim_is_local(g->shared);
    snl_sim_point(g);
    if (g->most)
        snl_sim_point(own + lane_number() % 100);
}

START_TEST(variables_of_a_lane_are_told)
{
    Grid g = {0};
    int outside = 0;
    ck_assert(snl_sim_run(1, 3, 64, tell_local, &g));
    ck_assert_int_eq(g.wrong, 0);
    ck_assert(!snl_sim_is_local(&outside));
}
END_TEST

START_TEST(variables_of_a_lane_have_no_atomics)
{
    Grid g = {.most = 1};
    snl_sim_run(1, 1, 32, tell_local, &g);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("gpu_sim");
    TCase *c = tcase_create("lanes");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, every_lane_runs_once);
    tcase_add_test(c, barriers_hold_back);
    tcase_add_test(c, exchanges_bring_what_lanes_gave);
    tcase_add_test(c, active_lanes_agree);
    tcase_add_test(c, races_show);
    tcase_add_test(c, locks_keep_lanes_apart);
    tcase_add_test(c, a_deadlock_is_told);
    tcase_add_test(c, barriers_are_for_all_lanes);
    tcase_add_test(c, shared_memory_has_an_end);
    tcase_add_test(c, variables_of_a_lane_are_told);
    tcase_add_test_raise_signal(c, variables_of_a_lane_have_no_atomics, SIGABRT);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
