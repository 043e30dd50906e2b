/* SPDX-License-Identifier: MIT */
/* harness/tests/tests.h - the list of unit test suites that main.c runs. */
#ifndef BC_TESTS_TESTS_H
#define BC_TESTS_TESTS_H

#include <check.h>

typedef Suite *bc_test_maker(void);

/* One bc_test_<topic> for each harness/tests/test_<topic>.c, by name, NULL-terminated. Generated at build time. */
extern bc_test_maker *const bc_tests[];

#endif
