/* check_bench.c - what a comparison by turns says of ratios that are given: intervals of the sign
 * test, and words that are no more certain.
 */
#include <string.h>

#include "cli/tool/bench.h"
#include "suite.h"

/* The line for rounds whose ratios are `middle` but for a growing share of `away`, by turns up and
 * down. */
static const char *
compared(Arena *a, int rounds, double middle, double away)
{
    BenchPairs pairs = {0};
    BenchPair pair = {.title = "work", .threads = 1};
    Text out;
    for (int i = 0; i < rounds; i++) {
        const double noise = 1 + i % 3; /* of the machine: meets both */
        vec_push(a, &pair.before, noise);
        vec_push(a, &pair.after, noise * middle * (1 + (i % 2 ? away : -away) * i / rounds));
    }
    vec_push(a, &pairs, pair);
    text_init(&out, a);
    bench_compare_pairs(a, &pairs, &out);
    return strchr(out.data, '\n') + 1;
}

static const struct {
    int rounds;
    double middle, away;
    const char *end;
} comparisons[] = {
    {12, 3, 0, "3.000  3.000 to 3.000  slower\n"},
    {12, 0.5, 0, "0.500  0.500 to 0.500  faster\n"},
    {12, 1.01, 0, "1.010  1.010 to 1.010  the same\n"},
    {12, 1.1, 0.9, "the same\n"},
    {12, 3, 0.1, "slower\n"},
    {5, 3, 0, "3.000  3.000 to 3.000  slower\n"},
};

START_TEST(words_follow_the_interval)
{
    Arena *a = arena_new();
    const char *line = compared(a, comparisons[_i].rounds, comparisons[_i].middle,
                                comparisons[_i].away),
               *end = comparisons[_i].end;
    ck_assert_msg(strlen(line) > strlen(end) && !strcmp(line + strlen(line) - strlen(end), end),
                  "'%s' does not end in '%s'", line, end);
    arena_free(a);
}
END_TEST

/* Of 12 rounds one that lies far off at either end is not in the interval; two are. */
START_TEST(the_interval_leaves_out_the_ends)
{
    Arena *a = arena_new();
    BenchPairs pairs = {0};
    BenchPair pair = {.title = "work", .threads = 1};
    Text out;
    for (int i = 0; i < 12; i++) {
        vec_push(a, &pair.before, 1.0);
        vec_push(a, &pair.after, i < _i ? 0.01 : i >= 12 - _i ? 50.0 : 2.0);
    }
    vec_push(a, &pairs, pair);
    text_init(&out, a);
    bench_compare_pairs(a, &pairs, &out);
    ck_assert_int_eq(strstr(out.data, "2.000 to 2.000  slower") != NULL, _i <= 1);
    ck_assert_int_eq(strstr(out.data, "0.010 to 50.000  the same") != NULL, _i > 1);
    arena_free(a);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("bench");
    TCase *group = tcase_create("all");
    tcase_add_loop_test(group, words_follow_the_interval, 0,
                        (int)(sizeof comparisons / sizeof *comparisons));
    tcase_add_loop_test(group, the_interval_leaves_out_the_ends, 0, 3);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
