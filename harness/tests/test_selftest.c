/* SPDX-License-Identifier: MIT */
/* Planted faults through the program: run --fault, and selftest with one fault, told right and made to go wrong. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/program.h"

Suite *bc_test_selftest(void);

static struct bc_program_call call;

static void setup(void)
{
	bc_program_init(&call);
}

static void teardown(void)
{
	bc_program_release(&call);
}

static const struct {
	const char *words;
	int status;
	const char *said[3]; /* on standard output, or for status 3 on standard error */
} runs[] = {
	{ "run --fault banks-16 --filter mapping/distance/16",
	  1,
	  { "DISAGREE", "counters wavefronts=2 conflicts=1; model wavefronts=1 conflicts=0" } },
	{ "run --fault banks-16 --filter mapping/distance/16 --device reference:sm_75",
	  1,
	  { "reference_sm_75", "DISAGREE" } },
	{ "run --fault load-neighbour --filter stride/ld_b32/1", 1, { "FAIL", "data: lane 9" } },
	{ "run --fault counters-zero --filter stride/ld_b32/1", 2, { "BROKEN", "canary" } },
	{ "run --fault counters-st-zero --filter stride/ld_b32/1", 0, { "1 PASS" } },
	{ "run --fault banks-16 --filter mapping/distance/1", 0, { "1 PASS" } },
	{ "run --fault no-such", 3, { "no such fault", "banks-16", "counters-off-by-one" } },
	{ "run --fault banks-16 --device cuda:0", 3, { "reference device only" } },
	{ "run --fault banks-16 --device reference,all", 3, { "reference device only" } },
	{ "selftest --fault no-such", 3, { "no such fault" } },
	{ "selftest --arch sm_01", 3, { "sm_01" } },
	{ "selftest --filter stride", 3, { "no such option" } },
	{ "selftest --fault pair-rule-wide", 0, { "pair-rule-wide        law", "every fault is caught", "2 runs" } },
	{ "selftest --fault matrix-row --arch sm_70", 0, { "cannot have the fault matrix-row", "no finding" } },
	{ "selftest --fault pair-rule-wide --kernels nowhere",
	  1,
	  { "missed: pair-rule-wide", "wrong finding: on the sound device", "NOT as it should be" } },
};

START_TEST(faults_come_out_as_the_row_says)
{
	bc_program_run(&call, runs[_i].words);
	ck_assert_msg(call.status == runs[_i].status, "%s: exit status %d\n%s\n%s", runs[_i].words, call.status,
		      call.out.data, call.err.data);
	for (size_t k = 0; k < BC_ARRAY_LEN(runs[_i].said) && runs[_i].said[k]; k++)
		ck_assert_msg(strstr(runs[_i].status == 3 ? call.err.data : call.out.data, runs[_i].said[k]) != NULL,
			      "%s: no `%s` in:\n%s\n%s", runs[_i].words, runs[_i].said[k], call.out.data,
			      call.err.data);
}
END_TEST

/* Expectations that let everything pass catch no law: selftest must say so. */
START_TEST(a_missed_fault_is_said)
{
	char words[2 * BC_PATH_MAX], command[4 * BC_PATH_MAX];

	ck_assert_int_lt(snprintf(command, sizeof(command),
				  "cp -r '%s' '%s/expected' && sed -i -E 's/^(row +[^ ]+ +"
				  "(wavefronts|conflicts|sectors) +)[^ ]+ +[^ ]+/\\10 1000000/' '%s'/expected/*/*.txt",
				  BC_TEST_EXPECTED, call.dir, call.dir),
			 (int)sizeof(command));
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_lt(
		snprintf(words, sizeof(words), "selftest --fault pair-rule-wide --expected %s/expected", call.dir),
		(int)sizeof(words));
	bc_program_run(&call, words);
	ck_assert_msg(call.status == 1, "exit status %d\n%s\n%s", call.status, call.out.data, call.err.data);
	ck_assert_msg(strstr(call.out.data, "MISSED") != NULL, "%s", call.out.data);
	ck_assert_msg(strstr(call.out.data, "missed: pair-rule-wide (") != NULL, "%s", call.out.data);
	ck_assert_msg(strstr(call.out.data, "wrong finding:") == NULL, "%s", call.out.data);
}
END_TEST

Suite *bc_test_selftest(void)
{
	Suite *s = suite_create("selftest");
	TCase *tc = tcase_create("program");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, faults_come_out_as_the_row_says, 0, (int)BC_ARRAY_LEN(runs));
	tcase_add_test(tc, a_missed_fault_is_said);
	suite_add_tcase(s, tc);
	return s;
}
