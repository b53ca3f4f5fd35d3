/* suite.h - what main of every unit test ends with. */
#ifndef SUITE_H
#define SUITE_H

#include <check.h>
#include <stdlib.h>

/* Check notes each assertion that holds in a file, by a call of the system; some tests make
 * millions. */
#define _mark_point(file, line) ((void)0)

/* Runs the tests of a suite, which it frees, and returns the status of the program. */
static inline int
run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
