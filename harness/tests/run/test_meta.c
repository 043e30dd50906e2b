/* SPDX-License-Identifier: MIT */
/* The suite of cases that misbehave, run by the real binary: each gets the verdict it must get, its neighbours theirs.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/tests/program.h"

Suite *bc_test_meta(void);

#define REPORT "reports/reference-sm_90.xml"
#define RUN "run --device reference --filter "

static const struct {
	const char *name; /* rule/variant */
	const char *verdict, *words;
	int status;
} rows[] = {
	{ "sound/late", "PASS", NULL, 0 },
	{ "sound/flood", "PASS", NULL, 0 },
	{ "fails/data", "FAIL", "data: lane 5", 1 },
	{ "fails/ratio", "FAIL", "ratio wavefronts=1 conflicts=0; expected wavefronts=2 conflicts=1", 1 },
	{ "fails/counters", "FAIL", "ratio wavefronts=1 conflicts=1", 1 },
	{ "fails/unjudged", "UNJUDGED", "no expectation for sm_90", 1 },
	{ "fails/refused", "BROKEN", "blocks (2048,1,1) is not possible", 2 }, /* the device is well */
	{ "skips/memory", "SKIP", "16777216 bytes of shared memory", 0 },
	{ "dies/illegal_address", "LOST", "unmapped address", 2 },
	{ "dies/trap", "LOST", "trap, executed by lanes 0xffffffff", 2 },
	{ "dies/exit_0", "LOST", "exit status 0", 2 },
	{ "dies/exit_3", "LOST", "exit status 3", 2 },
	{ "dies/abort", "LOST", "signal SIGABRT", 2 },
	{ "dies/segv", "LOST", "signal SIGSEGV", 2 },
	{ "dies/kill", "LOST", "signal SIGKILL", 2 },
	{ "dies/nonsense", "LOST", "this is no message", 2 },
	{ "hangs/spin", "LOST", "hang: instruction budget used up", 2 }, /* a GPU has no budget: after its time limit */
	{ "hangs/sleep", "LOST", "hung: no result within the limit of 2 s", 2 },
	{ "once/counters", "FAIL", "conflicts=1", 1 },
	{ "once/exit", "LOST", "exit status 3", 2 },
};

/* With two sound neighbours in its batch on each side of it, by the catalogue's order. */
START_TEST(a_case_gets_the_verdict_it_must_get)
{
	char words[400], path[200];
	xmlDocPtr doc;

	(void)snprintf(words, sizeof(words), RUN "meta/%s --filter meta/sound/1 --filter meta/sound/2%s", rows[_i].name,
		       strcmp(rows[_i].name, "hangs/sleep") == 0 ? " --timeout 2"
		       : bc_emulated()				 ? " --timeout 900"
								 : " --timeout 60");
	bc_run_program(words);
	ck_assert_msg(bc_call.status == rows[_i].status, "%s: exit status %d\n%s", rows[_i].name, bc_call.status,
		      bc_call.out.data);
	if (strcmp(rows[_i].verdict, "PASS") == 0)
		bc_expect_output("3 cases: 3 PASS\n");
	else
		bc_expect_output("3 cases: 2 PASS, 1 ");
	doc = bc_report(REPORT);
	(void)snprintf(path, sizeof(path), "count(//testcase[@name='%s'][contains(system-out, 'verdict=%s')])",
		       rows[_i].name, rows[_i].verdict);
	ck_assert_msg((int)bc_report_number(doc, path) == 1, "%s is not %s\n%s", rows[_i].name, rows[_i].verdict,
		      bc_call.out.data);
	if (rows[_i].words) {
		(void)snprintf(path, sizeof(path), "count(//testcase[@name='%s']/*[contains(@message, '%s')])",
			       rows[_i].name, rows[_i].words);
		ck_assert_msg((int)bc_report_number(doc, path) == 1, "%s: no `%s`\n%s", rows[_i].name, rows[_i].words,
			      bc_call.out.data);
	}
	xmlFreeDoc(doc);
}
END_TEST

START_TEST(it_is_run_only_when_named)
{
	static const struct {
		const char *words;
		bool taken;
	} ways[] = { { "list", false },
		     { "list --filter *", false },
		     { "list --filter */sound/*", false },
		     { "list --filter meta", true },
		     { "list --filter meta/sound", true },
		     { "list --filter meta/sound/1", true },
		     { "list --filter meta/*", true },
		     { "list --filter stride --filter meta", true } };

	for (size_t i = 0; i < BC_ARRAY_LEN(ways); i++) {
		if (strcmp(ways[i].words, "list --filter */sound/*") == 0) {
			bc_run_program(ways[i].words);
			bc_expect_status(3, "matches no case");
			continue;
		}
		bc_run_program(ways[i].words);
		bc_expect_status(0, NULL);
		ck_assert_msg((strstr(bc_call.out.data, "meta/sound/1\n") != NULL) == ways[i].taken, "%s",
			      ways[i].words);
	}
	bc_run_program("list --filter meta --exclude meta/sound");
	bc_expect_status(0, NULL);
	bc_expect_no_output("meta/sound");
	bc_expect_output("meta/dies/trap\n");
	bc_run_program("list --filter meta/sund/1");
	bc_expect_status(3, "the nearest is 'meta/sound/1'");
}
END_TEST

/* What a worker writes to its standard output goes nowhere, and what it writes to standard error is no report. */
START_TEST(a_flood_drowns_nothing)
{
	bc_run_program(RUN "meta/sound/flood");
	ck_assert_int_eq(bc_call.status, 0);
	bc_expect_no_output("xxxx");
	bc_expect_output("1 case: 1 PASS\n");
	ck_assert_uint_ge(bc_call.err.len, 1u << 16);
	bc_report_holds(REPORT, 1, 0, 0, 0);
}
END_TEST

Suite *bc_test_meta(void)
{
	Suite *s = suite_create("meta");
	TCase *tc = tcase_create("verdicts");

	tcase_add_checked_fixture(tc, bc_call_setup, bc_call_teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, a_case_gets_the_verdict_it_must_get, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_test(tc, it_is_run_only_when_named);
	tcase_add_test(tc, a_flood_drowns_nothing);
	suite_add_tcase(s, tc);
	return s;
}
