/* SPDX-License-Identifier: MIT */
/* harness/tests/tests.h - the list of unit test suites that main.c runs. */
#ifndef BC_TESTS_TESTS_H
#define BC_TESTS_TESTS_H

#include <check.h>

/* A suite, named as its topic is, and the function that makes it. */
struct bc_test {
	const char *name;
	Suite *(*make)(void);
};

/* One bc_test_<topic> for each file test_<topic>.c below harness/tests/, by name; the last has no name. Generated at
 * build time. */
extern const struct bc_test bc_tests[];

#endif
