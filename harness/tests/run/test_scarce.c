/* SPDX-License-Identifier: MIT */
/* Runs that have too little of something: each ends with a status and words, however far it came, until one passes. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/tests/program.h"

Suite *bc_test_scarce(void);

/* $1: the ulimit option; $2: the first value; $3: the step; $4: the last. Prints the value that passed. A run that
 * cannot even be started by the loader (127) counts for nothing. A run may fail, but neither by a signal nor with a
 * wrong verdict. */
#define SCRIPT                                                                                   \
	"unset CK_RUN_SUITE CK_RUN_CASE\n"                                                       \
	"n=$2; failed=0\n"                                                                       \
	"while [ $n -le $4 ]; do\n"                                                              \
	"\t( ulimit -c 0; ulimit $1 $n; exec " BC_TEST_BINARY                                    \
	" --version ) >/dev/null 2>&1 || { n=$((n + $3)); continue; }\n"                         \
	"\t( ulimit -c 0; ulimit $1 $n; exec " BC_TEST_BINARY                                    \
	" run --device reference --filter stride/ld_b32/2 ) >out 2>err\n"                        \
	"\ts=$?\n"                                                                               \
	"\tcase $s in\n"                                                                         \
	"\t0) grep -q '1 case: 1 PASS' out || exit 9; echo \"$n $failed\" > passed; exit 0 ;;\n" \
	"\t2 | 3) test -s err || grep -q -E 'BROKEN|LOST' out || exit 8 ;;\n"                    \
	"\t4) ;;\n"                                                                              \
	"\t*) echo \"ulimit $1 $n: status $s\"; cat out err; exit 7 ;;\n"                        \
	"\tesac\n"                                                                               \
	"\tfailed=$((failed + 1)); n=$((n + $3))\n"                                              \
	"done\n"                                                                                 \
	"echo none passed; exit 6\n"

static void scarce(const char *words)
{
	char command[200];

	bc_write_file("scarce", "w", SCRIPT);
	(void)snprintf(command, sizeof(command), "sh scarce %s", words);
	bc_shell(command);
}

START_TEST(too_few_descriptors)
{
	scarce("-n 3 1 40");
	bc_shell("read n failed < passed && test $failed -ge 3"); /* pipes, journal and reports each failed once */
}
END_TEST

START_TEST(too_little_memory)
{
#ifdef __SANITIZE_ADDRESS__
	return; /* its shadow needs more than any such limit */
#else
	if (bc_leave_to_hardware("the limit of memory is the emulator's own, which needs 128 MB for itself"))
		return;
	scarce("-v 4096 512 400000");
	bc_shell("read n failed < passed && test $failed -ge 3");
#endif
}
END_TEST

/* Files that may not grow: the journal first, then the report. */
START_TEST(files_that_are_cut)
{
	unsigned failed = 0;

	for (rlim_t limit = 1;; limit += 211) {
		bc_call.file_limit = limit;
		bc_run_program("run --device reference --filter stride/ld_b32/2");
		if (bc_call.status == 0)
			break;
		ck_assert_msg(bc_call.status == 2 || bc_call.status == 3, "limit %lu: status %d\n%s",
			      (unsigned long)limit, bc_call.status, bc_call.err.data);
		failed++;
		ck_assert_uint_lt(limit, 1u << 20);
	}
	ck_assert_uint_ge(failed, 5);
	bc_call.file_limit = 0;
	bc_report_holds("reports/reference-sm_90.xml", 1, 0, 0, 0);
}
END_TEST

Suite *bc_test_scarce(void)
{
	Suite *s = suite_create("scarce");
	TCase *tc = tcase_create("limits");

	tcase_add_checked_fixture(tc, bc_call_setup, bc_call_teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, too_few_descriptors);
	tcase_add_test(tc, too_little_memory);
	tcase_add_test(tc, files_that_are_cut);
	suite_add_tcase(s, tc);
	return s;
}
