/* SPDX-License-Identifier: MIT */
/* harness/tests/main.c - runs every unit test suite. No arguments: Check's environment variables choose
 * (CK_RUN_SUITE, CK_RUN_CASE, CK_FORK, CK_VERBOSITY ...). Exit status 0 when all passed. */
#include "harness/tests/tests.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	SRunner *runner = srunner_create(NULL);
	int run, failed;

	for (size_t i = 0; bc_tests[i]; i++)
		srunner_add_suite(runner, bc_tests[i]());
	srunner_run_all(runner, CK_ENV);
	run = srunner_ntests_run(runner);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	if (run == 0)
		fprintf(stderr, "no test was run\n");
	return run > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
