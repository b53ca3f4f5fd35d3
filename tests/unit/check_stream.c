/* Strips of large arrays: both ways of storing them, and the choice between these. */
#include <stdlib.h>
#include <string.h>

#include "snlrt.h"
#include "suite.h"

enum { MEGABYTE = 1 << 20, LENGTH = 1000 };

static SnlInstance rt;

static void
setup(void)
{
    snl_instance_init(&rt, NULL, 2, 0, 0);
}

static void
teardown(void)
{
    snl_instance_free(&rt);
}

/* Stores elements from ... to-1 of an array as emitted loops do. */
static void
store(SnlStoreWay way, float *array, int64_t from, int64_t to)
{
    SnlStream stream = {NULL, way, 0, -1};
    for (int64_t strip = from, end; strip < to; strip = end) {
        float part[SNL_LANES];
        end = snl_stream_strip(&array[strip], sizeof *array, strip, to);
        for (int64_t i = strip; i < end; i++)
            part[i - strip] = (float)i;
        snl_stream(&stream, &array[strip], part, end - strip, sizeof *array);
    }
    snl_stream_end(&stream);
    ck_assert_int_eq(stream.bytes, (to - from) * (int64_t)sizeof *array);
}

START_TEST(both_ways_store_the_same)
{
    float *array = aligned_alloc(64, (LENGTH * sizeof *array + 63) / 64 * 64);
    for (int way = 0; way < SNL_STORE_WAYS; way++)
        for (int64_t from = 0; from < 70; from++)
            for (int64_t to = from; to < LENGTH; to += 37) {
                memset(array, 0, LENGTH * sizeof *array);
                store((SnlStoreWay)way, array, from, to);
                int wrong = 0;
                for (int64_t i = 0; i < LENGTH; i++)
                    wrong += array[i] != (i >= from && i < to ? (float)i : 0);
                ck_assert_int_eq(wrong, 0);
            }
    free(array);
}
END_TEST

START_TEST(the_faster_way_wins)
{
    SnlStores stores = {0};
    ck_assert_int_eq(snl_stores_faster(&stores), SNL_STORE_THROUGH);
    snl_stores_note(&stores, SNL_STORE_PAST, MEGABYTE, 100000);
    ck_assert_int_eq(snl_stores_faster(&stores), SNL_STORE_THROUGH);
    snl_stores_note(&stores, SNL_STORE_THROUGH, 2 * MEGABYTE, 240000);
    ck_assert_int_eq(snl_stores_faster(&stores), SNL_STORE_PAST);
    snl_stores_note(&stores, SNL_STORE_THROUGH, MEGABYTE, 90000);
    ck_assert_int_eq(snl_stores_faster(&stores), SNL_STORE_THROUGH);
    snl_stores_note(&stores, SNL_STORE_THROUGH, MEGABYTE, 500000); /* something else ran */
    ck_assert_int_eq(snl_stores_faster(&stores), SNL_STORE_THROUGH);
    snl_stores_note(&stores, SNL_STORE_PAST, 1000, 1); /* too short to tell */
    ck_assert_int_eq(snl_stores_faster(&stores), SNL_STORE_THROUGH);
}
END_TEST

/* How many parts of `count` of a loop went past the caches, and were measured. */
static int
begin_parts(int loop, int count, int *measured)
{
    int past = 0;
    *measured = 0;
    for (int k = 0; k < count; k++) {
        SnlStream stream = snl_stream_begin(&rt, loop);
        past += stream.way == SNL_STORE_PAST;
        *measured += stream.start >= 0;
    }
    return past;
}

START_TEST(a_few_parts_are_measured)
{
    int measured;
    ck_assert_int_eq(begin_parts(3, 16, &measured), 8);
    ck_assert_int_eq(measured, 16);
    snl_stores_note(&rt.stores[3], SNL_STORE_THROUGH, MEGABYTE, 100);
    snl_stores_note(&rt.stores[3], SNL_STORE_PAST, MEGABYTE, 200);
    ck_assert_int_eq(begin_parts(3, 240, &measured), 0);
    ck_assert_int_eq(measured, 0);
    snl_stores_note(&rt.stores[3], SNL_STORE_PAST, MEGABYTE, 50);
    ck_assert_int_eq(begin_parts(3, 8, &measured), 4);
    ck_assert_int_eq(begin_parts(3, 248, &measured), 248);
    ck_assert_int_eq(measured, 0);
    ck_assert_int_eq(begin_parts(4, 17, &measured), 8); /* another loop knows nothing of it */
    ck_assert_int_eq(measured, 16);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("stream");
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, both_ways_store_the_same);
    tcase_add_test(c, the_faster_way_wins);
    tcase_add_test(c, a_few_parts_are_measured);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
