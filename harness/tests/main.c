/* SPDX-License-Identifier: MIT */
/* harness/tests/main.c - runs every unit test suite. Check's environment variables choose (CK_RUN_SUITE, CK_RUN_CASE,
 * CK_FORK, CK_VERBOSITY ...). Exit status 0 when all passed.
 *
 * --list: the suites' names, one a line, and nothing is run (tools/run-tests.sh runs several at a time). */
#include "harness/tests/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int list_suites(void)
{
	for (size_t i = 0; bc_tests[i].name; i++)
		if (puts(bc_tests[i].name) == EOF)
			return EXIT_FAILURE;
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	SRunner *runner;
	int run, failed;

	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return list_suites();
	if (argc != 1) {
		fprintf(stderr, "usage: %s [--list]; CK_RUN_SUITE=NAME in the environment runs one suite\n", argv[0]);
		return EXIT_FAILURE;
	}
	runner = srunner_create(NULL);
	for (size_t i = 0; bc_tests[i].name; i++)
		srunner_add_suite(runner, bc_tests[i].make());
	srunner_run_all(runner, CK_ENV);
	run = srunner_ntests_run(runner);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	if (run == 0)
		fprintf(stderr, "no test was run\n");
	return run > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
