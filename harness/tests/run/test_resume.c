/* SPDX-License-Identifier: MIT */
/* The program as a user calls it: runs that were cut off, gone on with or reported from their journal. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/tests/program.h"

Suite *bc_test_resume(void);

#define REPORT "reports/reference-sm_90.xml"
#define CASES                                                                                                         \
	"--filter meta/sound --exclude meta/sound/flood --filter meta/fails/data --filter meta/dies/exit_3 --filter " \
	"meta/skips"
#define SLOW "run --device reference --isolate case " CASES
#define RUN "run --device reference " CASES " --exclude meta/sound/late"
#define SUMMARY "7 cases: 4 PASS, 1 FAIL, 1 LOST, 1 SKIP\n"

static unsigned lines_of(const char *kind)
{
	struct bc_text t = bc_program_file(&bc_call, "reports/journal.tsv");
	unsigned n = 0;

	for (const char *at = t.data; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		n += strncmp(at, kind, strlen(kind)) == 0 && strchr(at, '\n');
	bc_text_release(&t);
	return n;
}

/* What came out of a run, without its times: to compare reports with. */
static void keep_results(const char *name)
{
	char words[200];

	(void)snprintf(words, sizeof(words),
		       "grep -E '^(case|verdict|tries|reason)=|<testcase|<failure|<error|<skipped' " REPORT
		       " | sed 's/ time=\"[^\"]*\"//' > %s",
		       name);
	bc_shell(words);
}

/* Start a run with a worker for each case, and kill it when so many results are on disk. */
static void kill_after(unsigned results)
{
	const struct timespec tick = { .tv_nsec = 5000000 };
	const pid_t pid = bc_program_launch(&bc_call, SLOW);

	for (unsigned i = 0; i < 4000 && lines_of("obs\t") < results; i++)
		(void)nanosleep(&tick, NULL);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	bc_program_end(&bc_call, pid);
	ck_assert_int_eq(bc_call.status, 128 + SIGKILL);
	ck_assert_uint_ge(lines_of("obs\t"), results);
}

START_TEST(the_plan_is_on_disk_before_a_case_starts)
{
	struct bc_text t;

	bc_run_program(RUN);
	t = bc_program_file(&bc_call, "reports/journal.tsv");
	ck_assert_ptr_nonnull(strstr(t.data, "\nobs\t"));
	for (const char *at = strstr(t.data, "\nobs\t"); at; at = strstr(at + 1, "\nplan\t"))
		ck_assert(strncmp(at, "\nobs\t", 5) == 0);
	ck_assert_uint_eq(lines_of("plan\t"), 7);
	ck_assert_uint_eq(lines_of("obs\t"), 7);
	bc_text_release(&t);
}
END_TEST

START_TEST(a_killed_run_goes_on)
{
	bc_run_program(SLOW);
	keep_results("whole");
	bc_shell("rm -r reports");
	kill_after(3);
	ck_assert_uint_lt(lines_of("obs\t"), 8);
	bc_run_program(SLOW " --resume");
	bc_expect_status(2, NULL);
	bc_expect_output("8 cases: 5 PASS, 1 FAIL, 1 LOST, 1 SKIP\n");
	ck_assert_uint_ge(lines_of("obs\t"), 8);
	ck_assert_uint_eq(lines_of("run\t"), 1);
	keep_results("resumed");
	bc_shell("cmp whole resumed");
}
END_TEST

START_TEST(a_killed_run_is_reported_from_its_journal)
{
	kill_after(2);
	bc_run_program("report reports/journal.tsv");
	bc_expect_status(2, NULL);
	bc_expect_output("meta/sound/late: no result in the journal: the run was cut off");
	bc_expect_output("8 cases: ");
	bc_report_holds(REPORT, 8, 0, 8 - lines_of("obs\t"), 1);
}
END_TEST

/* Wherever the journal ends, a report can be made of it and a run goes on from it to the same end. */
START_TEST(a_torn_journal_is_good_as_far_as_it_goes)
{
	struct bc_text t;
	size_t head, at;

	bc_run_program(RUN);
	keep_results("whole");
	bc_shell("cp reports/journal.tsv whole.tsv");
	t = bc_program_file(&bc_call, "whole.tsv");
	head = (size_t)(strstr(t.data, "\nobs\t") + 1 - t.data);
	at = head + (t.len - head) * (size_t)_i / 9;
	bc_text_release(&t);
	{
		char words[200];

		(void)snprintf(words, sizeof(words), "head -c %zu whole.tsv > reports/journal.tsv", at);
		bc_shell(words);
	}
	bc_run_program("report reports/journal.tsv --reports other");
	ck_assert_int_eq(bc_call.status, 2);
	bc_expect_output("7 cases: ");
	bc_run_program(RUN " --resume");
	bc_expect_status(2, NULL);
	bc_expect_output(SUMMARY);
	keep_results("resumed");
	bc_shell("cmp whole resumed");
	bc_run_program("report reports/journal.tsv");
	bc_expect_status(2, NULL);
	keep_results("reported");
	bc_shell("cmp whole reported");
}
END_TEST

static const struct {
	const char *what, *change, *words, *says;
} other[] = {
	{ "other options", "true", RUN " --retries 1",
	  "journal.tsv:1: the journal is of a run with other options (--retries not given, now 1): run without "
	  "--resume" },
	{ "an older format", "sed -i '1s/\\tformat=2//' reports/journal.tsv", RUN,
	  "journal.tsv:1: a journal of format 1, written by an older bankcheck" },
	{ "other cases", "true", "run --device reference --filter meta/sound", "the journal is of another plan" },
	{ "another device", "true", "run --device reference:sm_80 " CASES, "the journal is of another set of devices" },
	{ "other expectations", "sed -i '/meta.sound.2 /s/wavefronts=1/wavefronts=1..2/' expected/common/meta.txt", RUN,
	  "another set of expectations" },
	{ "a known failure more",
	  "printf 'meta/fails/data\\t*\\t*\\t*\\t2099-01-01\\tx\\tdata\\twhy\\n' >> expected/known.txt", RUN,
	  "another set of expectations" },
	{ "another program", "sed -i '1s/binary_hash=./binary_hash=x/' reports/journal.tsv", RUN, "another program" },
	{ "other kernels", "sed -i '1s/kernels_hash=./kernels_hash=x/' reports/journal.tsv", RUN,
	  "another set of kernel images" },
	{ "something else", "echo hello > reports/journal.tsv", RUN, "reports/journal.tsv:1: not a journal" },
	{ "a line that makes no sense", "sed -i '3s/=/:/g' reports/journal.tsv", RUN, "reports/journal.tsv:3: " },
	{ "a result of no case", "sed -i '$s/id=meta/id=mata/' reports/journal.tsv", RUN, "which is not in the plan" },
};

START_TEST(the_journal_of_another_run_is_refused)
{
	char words[400];

	bc_copy_expected();
	bc_run_program(RUN " --expected expected");
	bc_shell(other[_i].change);
	bc_shell("cp reports/journal.tsv before 2>/dev/null || : > before");
	(void)snprintf(words, sizeof(words), "%s --expected expected --resume", other[_i].words);
	bc_run_program(words);
	bc_expect_status(3, other[_i].says);
	bc_shell("touch reports/journal.tsv && cmp before reports/journal.tsv");
}
END_TEST

static const struct {
	const char *what, *change, *words, *says;
} unreported[] = {
	{ "which one", "true", "report", "report: it takes one journal, not 0" },
	{ "none", "true", "report nowhere.tsv", "nowhere.tsv" },
	{ "a report", "true", "report " REPORT, "reference-sm_90.xml:1: " },
	{ "other expectations", "echo 'row meta/fails/unjudged data=1 rule x' >> expected/common/meta.txt",
	  "report reports/journal.tsv", "the expectations differ from those of the journal's run" },
	{ "a case that is gone", "sed -i '/^plan/s/sound.1/sound\\/0/' reports/journal.tsv",
	  "report reports/journal.tsv", "there is no case `meta/sound/0` in this version" },
	{ "an older format", "sed -i '1s/\\tformat=2//' reports/journal.tsv", "report reports/journal.tsv",
	  "journal.tsv:1: a journal of format 1, written by an older bankcheck" },
	{ "an option that cannot be", "sed -i '1s/option_repeat=1/option_repeat=0/' reports/journal.tsv",
	  "report reports/journal.tsv", "journal.tsv:1: option_repeat=0 is not valid" },
	{ "an empty one", ": > reports/journal.tsv", "report reports/journal.tsv",
	  "reports/journal.tsv:1: an empty journal" },
	{ "a device that is none", "sed -i '/^plan/s/dev=[^\\t]*/dev=sm_1/' reports/journal.tsv",
	  "report reports/journal.tsv", "a plan for sm_1, which is not a device of the run" },
};

START_TEST(what_is_no_journal_is_not_reported)
{
	char words[200];

	bc_copy_expected();
	bc_run_program(RUN " --expected expected");
	bc_shell(unreported[_i].change);
	(void)snprintf(words, sizeof(words), "%s --expected expected", unreported[_i].words);
	bc_run_program(words);
	bc_expect_status(3, unreported[_i].says);
}
END_TEST

/* `run || run --resume` holds from the first moment on: a run that was killed before it had a journal is begun anew,
 * and what the run before left is not taken for its own. */
START_TEST(a_run_that_was_killed_early_starts_anew)
{
	bc_run_program(RUN);
	bc_expect_status(2, NULL);
	keep_results("whole");
	bc_shell("mv reports/journal.tsv reports/journal.tsv.last && echo x > reports/reference-sm_12.xml");
	bc_shell("sed -i '/^device/{p;s/report=[^\\t]*/report=reference-sm_12.xml/}' reports/journal.tsv.last");
	bc_run_program(RUN " --resume");
	bc_expect_status(2, "note: --resume: there is no reports/journal.tsv to continue from: the run starts anew");
	bc_expect_output(SUMMARY);
	keep_results("anew");
	bc_shell("cmp whole anew");
	ck_assert(!bc_file_exists("reports/reference-sm_12.xml"));
	ck_assert(!bc_file_exists("reports/journal.tsv.last"));
}
END_TEST

/* A host that goes down may leave a journal without its content. */
START_TEST(an_empty_journal_is_begun_anew)
{
	static const char *const left[] = { "", "run\tformat=2\trun_id=x" };

	bc_run_program(RUN);
	keep_results("whole");
	for (size_t i = 0; i < BC_ARRAY_LEN(left); i++) {
		bc_write_file("reports/journal.tsv", "w", left[i]);
		bc_run_program(RUN " --resume");
		bc_expect_status(2, "note: --resume: reports/journal.tsv is empty: the run starts anew");
		bc_expect_output(SUMMARY);
		keep_results("anew");
		bc_shell("cmp whole anew");
	}
	bc_write_file("reports/journal.tsv", "w", "something else\n");
	bc_run_program(RUN " --resume");
	bc_expect_status(3, "reports/journal.tsv:1: ");
}
END_TEST

/* Killed while it reads what is expected (from a pipe that nobody fills), a run is not continued from the journal of
 * the run before. */
START_TEST(the_journal_of_the_run_before_is_not_resumed)
{
	const char *words = "run --device reference --filter stride/ld_b32/1 --expected expected";
	const struct timespec tick = { .tv_nsec = 2000000 };
	char again[200];
	pid_t pid;

	bc_copy_expected();
	bc_run_program(words);
	bc_shell("cp reports/journal.tsv old && mv expected/known.txt k && mkfifo expected/known.txt");
	pid = bc_program_launch(&bc_call, words);
	for (unsigned i = 0; i < 500 && !bc_file_exists("reports/journal.tsv.last"); i++)
		(void)nanosleep(&tick, NULL);
	(void)kill(pid, SIGKILL);
	bc_program_end(&bc_call, pid);
	bc_shell("mv k expected/known.txt");
	(void)snprintf(again, sizeof(again), "%s --resume", words);
	bc_run_program(again);
	bc_expect_status(0, "there is no reports/journal.tsv to continue from: the run starts anew");
	bc_shell("! cmp -s old reports/journal.tsv");
}
END_TEST

/* Reports go where the journal is, whatever folder one stands in. */
START_TEST(reports_are_written_beside_their_journal)
{
	bc_run_program(RUN " --reports far/away");
	bc_run_program(RUN);
	bc_shell("mv far/away/reference-sm_90.xml there && cp " REPORT " here");
	bc_run_program("report far/away/journal.tsv");
	bc_expect_status(2, NULL);
	bc_expect_output("report: far/away/reference-sm_90.xml\n");
	bc_shell("cmp here " REPORT);
	bc_shell("cp far/away/journal.tsv .");
	bc_run_program("report journal.tsv");
	bc_expect_output("report: ./reference-sm_90.xml\n");
	bc_run_program("report journal.tsv --reports chosen");
	bc_expect_output("report: chosen/reference-sm_90.xml\n");
}
END_TEST

/* Attempts that were made before the run was cut off count. */
START_TEST(a_retry_goes_on)
{
	bc_run_program("run --device reference --filter meta/once --retries 1 --retry-lost 1");
	bc_expect_status(1, NULL);
	keep_results("whole");
	bc_shell("grep -n '^obs' reports/journal.tsv | head -2 | tail -1 | cut -d: -f1 > last && head -$(cat last) "
		 "reports/journal.tsv > j && "
		 "mv j reports/journal.tsv");
	ck_assert_uint_eq(lines_of("obs\t"), 2);
	bc_run_program("run --device reference --filter meta/once --retries 1 --retry-lost 1 --resume");
	bc_expect_status(1, NULL);
	bc_expect_output("2 cases: 2 PASS; 2 flaky\n");
	keep_results("resumed");
	bc_shell("cmp whole resumed");
	ck_assert_uint_eq(lines_of("obs\t"), 4);
}
END_TEST

/* A run that was stopped leaves what had no chance for the next. */
START_TEST(an_interrupted_run_goes_on)
{
	bc_run_program(RUN " --fail-fast --isolate case");
	ck_assert_uint_lt(lines_of("obs\t"), 7);
	bc_run_program(RUN " --resume");
	bc_expect_status(2, NULL);
	bc_expect_output(SUMMARY);
}
END_TEST

Suite *bc_test_resume(void)
{
	Suite *s = suite_create("resume");
	TCase *tc = tcase_create("journal");

	tcase_add_checked_fixture(tc, bc_call_setup, bc_call_teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, the_plan_is_on_disk_before_a_case_starts);
	tcase_add_test(tc, a_killed_run_goes_on);
	tcase_add_test(tc, a_killed_run_is_reported_from_its_journal);
	tcase_add_loop_test(tc, a_torn_journal_is_good_as_far_as_it_goes, 0, 9);
	tcase_add_loop_test(tc, the_journal_of_another_run_is_refused, 0, (int)BC_ARRAY_LEN(other));
	tcase_add_loop_test(tc, what_is_no_journal_is_not_reported, 0, (int)BC_ARRAY_LEN(unreported));
	tcase_add_test(tc, a_run_that_was_killed_early_starts_anew);
	tcase_add_test(tc, an_empty_journal_is_begun_anew);
	tcase_add_test(tc, the_journal_of_the_run_before_is_not_resumed);
	tcase_add_test(tc, reports_are_written_beside_their_journal);
	tcase_add_test(tc, a_retry_goes_on);
	tcase_add_test(tc, an_interrupted_run_goes_on);
	suite_add_tcase(s, tc);
	return s;
}
