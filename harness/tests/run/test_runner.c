/* SPDX-License-Identifier: MIT */
/* The program as a user calls it: which cases are run, how often, in which order, and when a run ends early. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/tests/program.h"

Suite *bc_test_runner(void);

#define REPORT "reports/reference-sm_90.xml"
#define RUN "run --device reference "

static double number(const char *expression)
{
	xmlDocPtr doc = bc_report(REPORT);
	const double n = bc_report_number(doc, expression);

	xmlFreeDoc(doc);
	return n;
}

/* --- wrong words -------------------------------------------------------------------------------------------------- */

static const struct {
	const char *words, *says;
} wrong[] = {
	{ "--shard 0/2", "--shard 0/2: I/N" },	     { "--shard 3/2", "--shard 3/2: I/N" },
	{ "--shard 2", "--shard 2: I/N" },	     { "--shard 1/0", "--shard 1/0: I/N" },
	{ "--shard 1/2/3", "--shard 1/2/3: I/N" },   { "--shard -1/2", "--shard -1/2: I/N" },
	{ "--shuffle x", "--shuffle x: a whole" },   { "--shuffle 4294967296", "--shuffle 4294967296: a whole" },
	{ "--isolate suite", "device or case" },     { "--repeat 0", "--repeat 0: a whole number, 1 to 1000" },
	{ "--retries -1", "--retries -1: a whole" }, { "--repeat 2 --retries 1", "exclude each other" },
	{ "--deadline 0", "--deadline 0: a whole" }, { "--rerun-failed nowhere", "nowhere" },
	{ "--retry-lost 1x", "--retry-lost 1x: a" }, { "--repeat 2 --retry-lost 1", "exclude each other" },
};

START_TEST(wrong_words_are_status_3)
{
	char words[200];

	(void)snprintf(words, sizeof(words), RUN "--filter meta/sound/1 %s", wrong[_i].words);
	bc_run_program(words);
	bc_expect_status(3, wrong[_i].says);
}
END_TEST

/* --- which cases -------------------------------------------------------------------------------------------------- */

START_TEST(shards_are_disjoint_balanced_and_whole)
{
	double most = 0, least = 1e9;

	bc_shell("mkdir all");
	for (unsigned i = 1; i <= 5; i++) {
		char words[200];
		double n;

		(void)snprintf(words, sizeof(words), RUN "--filter stride/ld_b32 --shard %u/5", i);
		bc_run_program(words);
		bc_expect_status(0, NULL);
		n = number("count(//testcase)");
		most = n > most ? n : most;
		least = n < least ? n : least;
		bc_shell("grep '^case=' " REPORT " >> all/ids");
	}
	ck_assert_double_le(most - least, 1);
	bc_run_program(RUN "--filter stride/ld_b32");
	bc_shell("grep '^case=' " REPORT
		 " | sort > all/want; sort all/ids > all/got; cmp all/want all/got && test -s all/want");
}
END_TEST

/* Shards of one run have the same selection, though each has its own plan; the report says which it is. */
START_TEST(a_report_says_of_which_run_it_is_which_shard)
{
	bc_run_program(RUN "--filter stride/ld_b32 --shard 2/3 --run-name night-7");
	bc_expect_status(0, NULL);
	ck_assert_double_eq(number("count(//property[@name='run_name'][@value='night-7'])"), 1);
	ck_assert_double_eq(number("count(//property[@name='shard'][@value='2/3'])"), 1);
	ck_assert_double_eq(number("count(//property[@name='complete'][@value='filtered, shard 2/3'])"), 1);
	bc_shell("grep -h 'name=\"selection_hash' " REPORT " > two; grep -h 'name=\"plan_hash' " REPORT " >> two.plan");
	bc_run_program("report reports/journal.tsv"); /* the journal has it all */
	ck_assert_double_eq(number("count(//property[@name='complete'][@value='filtered, shard 2/3'])"), 1);
	ck_assert_double_eq(number("count(//property[@name='run_name'][@value='night-7'])"), 1);
	bc_shell("grep -h 'name=\"selection_hash' " REPORT " | cmp - two");
	bc_run_program(RUN "--filter stride/ld_b32 --shard 1/3 --run-name night-7");
	bc_shell("grep -h 'name=\"selection_hash' " REPORT " | cmp - two; ! grep -h 'name=\"plan_hash' " REPORT
		 " | cmp -s - two.plan");
	bc_run_program(RUN "--filter stride/st_b32 --shard 2/3 --run-name night-7");
	bc_shell("! grep -h 'name=\"selection_hash' " REPORT " | cmp -s - two");
	bc_run_program(RUN "--filter stride/ld_b32 --run-name "
			   "0123456789012345678901234567890123456789012345678901234567890123");
	bc_expect_status(3, "--run-name 0123");
}
END_TEST

/* The shards of a run, put together again, are the run. */
START_TEST(shards_of_a_named_run_are_one_run)
{
	for (unsigned i = 1; i <= 3; i++) {
		char words[200];

		(void)snprintf(words, sizeof(words), RUN "--filter stride/ld_b32 --shard %u/3 --run-name night-7", i);
		bc_run_program(words);
		bc_expect_status(0, NULL);
		(void)snprintf(words, sizeof(words), "mkdir -p s && cp " REPORT " s/%u.xml", i);
		bc_shell(words);
	}
	bc_run_program(RUN "--filter stride/ld_b32");
	bc_shell("cp " REPORT " whole.xml");
	bc_run_program("diff whole.xml s");
	bc_expect_status(0, NULL);
	bc_expect_output("not complete: filtered)");
	bc_expect_no_output("differs: complete");
	bc_expect_no_output("differs: plan hash");
	bc_expect_no_output("ABSENT");
	bc_run_program("html s -o page.html");
	bc_expect_status(0, NULL);
	bc_shell("! grep -q 'shard 1/3' page.html"); /* one device, not three */
	bc_run_program("merge s -o m.xml");
	bc_expect_status(0, NULL);
	bc_expect_output("m.xml: 3 reports, 1 device, 129 cases: 129 passed");
	bc_run_program("diff whole.xml m.xml");
	bc_expect_status(0, NULL);
	bc_expect_output("129 the same");
	bc_expect_no_output("differs: complete");
	bc_shell("grep -o 'classname=\"[^\"]*' m.xml | sort -u > got; grep -o 'classname=\"[^\"]*' whole.xml | sort -u "
		 "| "
		 "cmp - got");
	bc_run_program("history add s --db h.db");
	bc_expect_status(0, NULL);
	bc_expect_output("s/1.xml: 1 run added, 0 replaced, 0 already there; 129 cases");
	bc_run_program("history add s --db h.db");
	bc_expect_output("s/1.xml: 0 runs added, 0 replaced, 1 already there; 0 cases");
	bc_shell("cp s/2.xml s/4.xml");
	bc_run_program("diff whole.xml s");
	bc_expect_status(2, "shard 2/3 of the run night-7 is in s/2.xml as well: give each once");
	bc_shell("rm s/2.xml s/4.xml");
	bc_run_program("diff s whole.xml");
	bc_expect_status(2, "shard 2/3 of the run night-7 is missing: give the reports of all shards");
	bc_run_program("html s -o gap.html");
	bc_expect_status(2, "shard 2/3 of the run night-7 is missing");
	bc_shell("! test -e gap.html");
	bc_run_program("merge s -o gap.xml");
	bc_expect_status(2, "shard 2/3 of the run night-7 is missing");
	bc_shell("! test -e gap.xml");
	bc_run_program("history add s --db h2.db");
	bc_expect_status(2, "shard 2/3 of the run night-7 is missing");
	bc_run_program("history list --db h2.db");
	bc_expect_output("no runs yet");
}
END_TEST

START_TEST(an_empty_shard_is_status_0_with_a_note)
{
	bc_run_program(RUN "--filter stride/ld_b32/1 --shard 2/2");
	bc_expect_status(0, "note: the selection is empty");
	bc_report_holds(REPORT, 0, 0, 0, 0);
}
END_TEST

/* The order is the journal's, and only the seed decides it; the report keeps the catalogue's. */
START_TEST(a_seed_decides_the_order)
{
	static const char *const seeds[] = { "1", "1", "2" };

	for (size_t i = 0; i < BC_ARRAY_LEN(seeds); i++) {
		char words[200];

		(void)snprintf(words, sizeof(words), RUN "--filter stride/ld_b32 --shuffle %s", seeds[i]);
		bc_run_program(words);
		bc_expect_status(0, NULL);
		(void)snprintf(words, sizeof(words), "  shuffled with seed %s\n", seeds[i]);
		bc_expect_output(words);
		(void)snprintf(words, sizeof(words),
			       "grep '^obs' reports/journal.tsv | cut -f3 > order%zu; grep '^case=' " REPORT
			       " > report%zu",
			       i, i);
		bc_shell(words);
	}
	bc_shell("cmp order0 order1 && ! cmp -s order0 order2 && sort order0 > a && sort order2 > b && cmp a b && cmp "
		 "report0 report2");
}
END_TEST

/* Counters that one pass reads stay set up: in whatever order, loads, atomics and copies do not alternate. */
START_TEST(shuffled_cases_keep_their_counters_together)
{
	bc_run_program(RUN "--filter stride/ld_b32 --filter atomic/one_word_atom32 --filter async/one_word_cpa4 "
			   "--shuffle 3");
	bc_expect_status(0, NULL);
	bc_shell("grep '^obs' reports/journal.tsv | cut -f3 >order && test $(cut -d/ -f1 order | uniq | wc -l) = 3");
	bc_shell("grep ^id=stride order >a && test -s a && sort -V a >b && ! cmp -s a b");
}
END_TEST

START_TEST(what_failed_is_run_again)
{
	bc_run_program(RUN "--filter meta/sound/1 --filter meta/fails --filter meta/dies/kill --filter meta/skips");
	bc_expect_status(2, NULL);
	bc_shell("cp -r reports old");
	bc_run_program(RUN "--filter meta --rerun-failed old");
	bc_expect_status(2, NULL);
	bc_expect_output("6 cases: 3 FAIL, 1 BROKEN, 1 LOST, 1 UNJUDGED\n");
	bc_run_program(RUN "--filter meta/fails --rerun-failed old/reference-sm_90.xml");
	bc_expect_status(2, NULL);
	bc_expect_output("5 cases: ");
	bc_run_program(RUN "--filter meta/sound/1");
	bc_run_program(RUN "--filter meta --rerun-failed reports --reports new");
	bc_expect_status(0, "note: the report of --rerun-failed has no finding, so no case was run");
	bc_shell("cp " REPORT " before");
	bc_run_program(RUN "--filter meta --rerun-failed reports");
	bc_expect_status(0, "note: the report of --rerun-failed has no finding, so no case was run");
	bc_shell("cmp before " REPORT);
	bc_run_program(RUN "--filter meta/sound/1 --rerun-failed old"); /* findings, and none of them selected */
	bc_expect_status(4, "the selection is empty");
	bc_shell("cmp before " REPORT);
}
END_TEST

/* What was to be repeated and was not has no verdict of its own, however well it began. */
START_TEST(repeats_that_a_deadline_cuts_short_are_lost)
{
	bc_run_program(RUN "--filter meta/sound/1 --repeat 1000 --isolate case --deadline 2");
	bc_expect_status(2, NULL);
	bc_expect_output("LOST     reference_sm_90 meta/sound/1: ");
	bc_expect_output(" of 1000 repeats, the worst PASS: the deadline of the run, 2 s, has passed");
	bc_expect_output("1 case: 1 LOST\n");
	bc_report_holds(REPORT, 1, 0, 1, 0);
	bc_run_program("report reports/journal.tsv"); /* its journal says the same */
	bc_expect_status(2, NULL);
	bc_expect_output(" of 1000 repeats, the worst PASS: no more in the journal: the run was cut off");
	bc_run_program(RUN "--filter meta/fails/data --repeat 1000 --isolate case --deadline 2");
	bc_expect_status(1, NULL); /* a finding stays one */
	bc_expect_output("1 case: 1 FAIL\n");
	bc_run_program(RUN "--filter meta/sound/1 --repeat 3");
	bc_expect_status(0, NULL);
}
END_TEST

/* --- how often ---------------------------------------------------------------------------------------------------- */

START_TEST(the_worst_of_several_runs_counts)
{
	bc_run_program(RUN "--filter meta/once --filter meta/sound/1 --filter meta/skips --repeat 3");
	bc_expect_status(2, NULL);
	bc_expect_output("4 cases: 1 PASS, 1 FAIL, 1 LOST, 1 SKIP\n");
	bc_report_holds(REPORT, 4, 1, 1, 1);
	ck_assert_double_eq(number("count(//testcase[contains(system-out, 'tries=FAIL,PASS,PASS')])"), 1);
	ck_assert_double_eq(number("count(//testcase[contains(system-out, 'tries=LOST,PASS,PASS')])"), 1);
	ck_assert_double_eq(number("count(//testcase[contains(system-out, 'tries=PASS,PASS,PASS')])"), 1);
	ck_assert_double_eq(
		number("count(//testcase[contains(system-out, 'attempt 1: LOST: the worker ended: exit status 3')])"),
		1);
	ck_assert_double_eq(number("count(//testcase[contains(system-out, 'attempt 3: PASS')])"), 3);
}
END_TEST

static const struct {
	const char *what, *words;
	int status;
	const char *said;
	double flaky_failures, flaky_errors, reruns;
} retries[] = {
	{ "counters, not retried", "--filter meta/once/counters --retry-lost 2", 1, "1 case: 1 FAIL\n", 0, 0, 0 },
	{ "counters", "--filter meta/once/counters --retries 1", 1, "1 case: 1 PASS; 1 flaky\n", 1, 0, 0 },
	{ "flaky, and that is fine", "--filter meta/once/counters --retries 1 --flaky-ok", 0,
	  "1 case: 1 PASS; 1 flaky\n", 1, 0, 0 },
	{ "lost, not retried", "--filter meta/once/exit --retries 2", 2, "1 case: 1 LOST\n", 0, 0, 0 },
	{ "lost", "--filter meta/once/exit --retry-lost 1", 1, "1 case: 1 PASS; 1 flaky\n", 0, 1, 0 },
	{ "both", "--filter meta/once --retries 3 --retry-lost 3", 1, "2 cases: 2 PASS; 2 flaky\n", 1, 1, 0 },
	{ "no flake", "--filter meta/fails/counters --retries 2", 1, "1 case: 1 FAIL\n", 0, 0, 2 },
	{ "by its ratio", "--filter meta/fails/ratio --retries 1", 1, "1 case: 1 FAIL\n", 0, 0, 1 },
	{ "wrong data is not retried", "--filter meta/fails/data --retries 2", 1, "1 case: 1 FAIL\n", 0, 0, 0 },
	{ "lost again and again", "--filter meta/dies/kill --retry-lost 2", 2, "1 case: 1 LOST\n", 0, 0, 2 },
	{ "lost with its context", "--filter meta/dies/trap --retries 1 --retry-lost 2", 2, "1 case: 1 LOST\n", 0, 0,
	  2 },
	{ "a broken case is not retried", "--filter meta/fails/refused --retries 2 --retry-lost 2", 2,
	  "1 case: 1 BROKEN\n", 0, 0, 0 },
	{ "a sound case once", "--filter meta/sound/1 --retries 2 --retry-lost 2", 0, "1 case: 1 PASS\n", 0, 0, 0 },
};

START_TEST(what_fails_is_tried_again)
{
	char words[200];

	(void)snprintf(words, sizeof(words), RUN "%s", retries[_i].words);
	bc_run_program(words);
	ck_assert_msg(bc_call.status == retries[_i].status, "%s: exit status %d\n%s", retries[_i].what, bc_call.status,
		      bc_call.out.data);
	bc_expect_output(retries[_i].said);
	ck_assert_msg((int)number("count(//flakyFailure[@type and @message])") == (int)retries[_i].flaky_failures, "%s",
		      retries[_i].what);
	ck_assert_msg((int)number("count(//flakyError[@type='LOST'])") == (int)retries[_i].flaky_errors, "%s",
		      retries[_i].what);
	ck_assert_msg((int)number("count(//rerunFailure | //rerunError)") == (int)retries[_i].reruns, "%s",
		      retries[_i].what);
	ck_assert_msg((int)number("count(//testcase[contains(system-out, 'flaky=yes')])") ==
			      (int)(retries[_i].flaky_failures + retries[_i].flaky_errors),
		      "%s", retries[_i].what);
}
END_TEST

/* --- when it ends ------------------------------------------------------------------------------------------------- */

START_TEST(the_first_finding_ends_a_fail_fast_run)
{
	bc_run_program(RUN "--filter meta/sound --filter meta/fails/data --filter meta/dies --exclude meta/sound/flood "
			   "--isolate case "
			   "--fail-fast");
	bc_expect_status(1, NULL);
	bc_expect_output(" 1 FAIL, ");
	bc_expect_no_output("LOST");
	ck_assert_double_ge(number("count(//testcase/skipped[@message='not run: fail-fast'])"), 7);
	ck_assert_double_eq(number("count(//property[@name='complete'][@value='filtered, fail-fast'])"), 1);
	ck_assert_double_eq(number("count(//property[@name='complete'][@value='yes'])"), 0);
}
END_TEST

START_TEST(a_deadline_ends_a_run)
{
	bc_run_program(RUN "--filter meta/sound/1 --filter meta/hangs/sleep --isolate case --deadline 1 --timeout 100");
	bc_expect_status(2, NULL);
	bc_expect_output("LOST     reference_sm_90 meta/hangs/sleep: the deadline of the run, 1 s, has passed");
	bc_report_holds(REPORT, 2, 0, 1, 0);
	ck_assert_double_eq(number("count(//property[@name='complete'][@value='filtered, deadline'])"), 1);
}
END_TEST

/* Five cases that end their worker: three in a row would end the device, but each has sound ones between. */
START_TEST(a_worker_for_each_case)
{
	bc_run_program(RUN "--filter meta/sound/1 --filter meta/sound/2 --filter meta/dies/kill --filter "
			   "meta/dies/segv --isolate case");
	bc_expect_status(2, NULL);
	bc_expect_output("4 cases: 2 PASS, 2 LOST\n");
	bc_expect_output("meta/dies/segv: the worker ended: signal SIGSEGV");
}
END_TEST

Suite *bc_test_runner(void)
{
	Suite *s = suite_create("runner");
	TCase *words = tcase_create("words"), *which = tcase_create("which"), *often = tcase_create("often"),
	      *ends = tcase_create("ends");
	TCase *all[] = { words, which, often, ends };

	for (size_t i = 0; i < BC_ARRAY_LEN(all); i++) {
		tcase_add_checked_fixture(all[i], bc_call_setup, bc_call_teardown);
		tcase_set_timeout(all[i], 120);
		suite_add_tcase(s, all[i]);
	}
	tcase_add_loop_test(words, wrong_words_are_status_3, 0, (int)BC_ARRAY_LEN(wrong));
	tcase_add_test(which, shards_are_disjoint_balanced_and_whole);
	tcase_add_test(which, a_report_says_of_which_run_it_is_which_shard);
	tcase_add_test(which, shards_of_a_named_run_are_one_run);
	tcase_add_test(which, an_empty_shard_is_status_0_with_a_note);
	tcase_add_test(which, repeats_that_a_deadline_cuts_short_are_lost);
	tcase_add_test(which, a_seed_decides_the_order);
	tcase_add_test(which, shuffled_cases_keep_their_counters_together);
	tcase_add_test(which, what_failed_is_run_again);
	tcase_add_test(often, the_worst_of_several_runs_counts);
	tcase_add_loop_test(often, what_fails_is_tried_again, 0, (int)BC_ARRAY_LEN(retries));
	tcase_add_test(ends, the_first_finding_ends_a_fail_fast_run);
	tcase_add_test(ends, a_deadline_ends_a_run);
	tcase_add_test(ends, a_worker_for_each_case);
	return s;
}
