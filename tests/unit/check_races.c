/* The table of stores that finds data races. */
#include <stdlib.h>

#include "snlrt.h"
#include "suite.h"

typedef struct {
    uint64_t address, iteration, bits;
} Given;

static SnlInstance rt;

static void
setup(void)
{
    snl_instance_init(&rt, NULL, 4, 0, 0);
    snl_races_begin(&rt);
}

static void
teardown(void)
{
    snl_instance_free(&rt);
    ck_assert_uint_eq(rt.bytes_used, 0);
}

static bool
note(const Given *g)
{
    uint64_t other;
    return snl_races_note(&rt, g->address, g->iteration, g->bits, &other);
}

/* Two iterations and two values make a race, in whatever order they come. */
static void
all_orders(const Given *given, int n, bool race)
{
    int order[4] = { 0, 1, 2, 3 };
    for (int code = 0; code < 256; code++) {
        bool found = false;
        int seen = 0;
        for (int k = 0; k < n; k++) {
            order[k] = code >> (2 * k) & 3;
            seen |= 1 << order[k];
        }
        if (seen != (1 << n) - 1)
            continue;
        snl_races_begin(&rt);
        for (int k = 0; k < n; k++)
            found |= note(&given[order[k]]);
        ck_assert_int_eq(found, race);
    }
}

START_TEST(two_iterations_and_two_values)
{
    const Given differ[] = { { 8, 1, 5 }, { 8, 2, 6 } };
    const Given same[] = { { 8, 1, 5 }, { 8, 2, 5 }, { 8, 3, 5 } };
    const Given alone[] = { { 8, 1, 5 }, { 8, 1, 6 }, { 8, 1, 5 } };
    const Given apart[] = { { 8, 1, 5 }, { 16, 2, 6 }, { 12, 3, 7 } };
    const Given back[] = { { 8, 1, 5 }, { 8, 1, 6 }, { 8, 2, 6 } };
    const Given late[] = { { 8, 1, 5 }, { 8, 2, 5 }, { 8, 1, 6 }, { 8, 1, 5 } };
    all_orders(differ, 2, true);
    all_orders(same, 3, false);
    all_orders(alone, 3, false);
    all_orders(apart, 3, false);
    all_orders(back, 3, true);
    all_orders(late, 4, true);
}
END_TEST

START_TEST(each_loop_starts_anew)
{
    for (uint64_t loop = 0; loop < 10; loop++) {
        for (uint64_t k = 0; k < 1000; k++)
            ck_assert(!note(&(Given){ 4 * k, loop, loop }));
        snl_races_begin(&rt);
    }
}
END_TEST

START_TEST(many_places)
{
    enum { MANY = 300000 };
    for (uint64_t k = 0; k < MANY; k++)
        ck_assert(!note(&(Given){ 0x7f0000000000u + 4 * k, k, k }));
    for (uint64_t k = 0; k < MANY; k++)
        ck_assert(note(&(Given){ 0x7f0000000000u + 4 * k, k + 1, k + 1 }));
}
END_TEST

/* More than the table takes: it says nothing wrong and does not grow on. */
START_TEST(too_many_places)
{
    enum { MANY = 6000000 };
    int found = 0; /* an assertion a store would take a minute */
    for (uint64_t k = 0; k < MANY; k++)
        found += note(&(Given){ 8 * k, k, k });
    for (uint64_t k = 0; k < MANY; k++)
        found += note(&(Given){ 8 * k, k, k });
    ck_assert_int_eq(found, 0);
    ck_assert(note(&(Given){ 0, 1, 1 }));
}
END_TEST

/* All iterations store to the same places. */
static void
store_all(void *args, int64_t chunk, int64_t from, int64_t to)
{
    static const int64_t index[] = { 3, 4 };
    float *place = args;
    (void)chunk;
    for (int64_t n = from; n < to; n++)
        for (int k = 0; k < 1000; k++) {
            float value = n == 77 && k == 500 ? 2.5f : 1.5f;
            snl_check_store(&rt, "a.snl", 7, (uint64_t)n, place + k, &value, SNL_F32, 1, "x", 2,
                            index);
        }
}

START_TEST(threads_find_the_only_race)
{
    static float places[1000];
    const char *found = "a.snl:7: data race: two iterations store to x[3, 4]";
    snl_parallel_for(&rt, 128, 64, store_all, places);
    /* the values follow where the second of the two stores still knows the first */
    ck_assert(!strncmp(snl_message(&rt), found, strlen(found)));
}
END_TEST

START_TEST(vectors_and_sequential_code)
{
    const double a[2] = { 1, 2 }, b[2] = { 1, 3 };
    static double place[2];
    snl_check_store(&rt, "a.snl", 7, SNL_SEQUENTIAL, place, b, SNL_F64, 2, "v", 0, NULL);
    snl_check_store(&rt, "a.snl", 7, 1, place, a, SNL_F64, 2, "v", 0, NULL);
    snl_check_store(&rt, "a.snl", 7, 2, place, a, SNL_F64, 2, "v", 0, NULL);
    snl_check_store(&rt, "a.snl", 7, SNL_SEQUENTIAL, place, b, SNL_F64, 2, "v", 0, NULL);
    ck_assert(!snl_failed(&rt));
    snl_check_store(&rt, "a.snl", 8, 3, place, b, SNL_F64, 2, "v", 0, NULL);
    ck_assert_str_eq(snl_message(&rt),
                     "a.snl:8: data race: two iterations store to v: 2.0 and 3.0");
}
END_TEST

/* Without memory for the table, or for its parts, nothing is found, and nothing breaks. */
START_TEST(without_memory)
{
    static const uint64_t limits[] = { 1, sizeof(SnlRaces) };
    SnlInstance poor;
    uint64_t other;
    snl_instance_init(&poor, NULL, 1, 0, limits[_i]);
    snl_races_begin(&poor);
    for (uint64_t k = 0; k < 100000; k++)
        ck_assert(!snl_races_note(&poor, 8 * k, k, k, &other));
    snl_instance_free(&poor);
    ck_assert_uint_eq(poor.bytes_used, 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("races");
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, two_iterations_and_two_values);
    tcase_add_test(c, each_loop_starts_anew);
    tcase_add_test(c, many_places);
    tcase_add_test(c, too_many_places);
    tcase_add_test(c, threads_find_the_only_race);
    tcase_add_test(c, vectors_and_sequential_code);
    tcase_add_loop_test(c, without_memory, 0, 2);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
