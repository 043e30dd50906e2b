/* SPDX-License-Identifier: MIT */
#include "harness/core/known.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/tests/invented.h"
#include "harness/tests/program.h"

Suite *bc_test_known(void);

static struct bc_error err;
static struct bc_catalog cat;
static struct bc_known_list list;

static void setup(void)
{
	cat = bc_invented_catalog();
	list = (struct bc_known_list){ 0 };
}

static void teardown(void)
{
	bc_known_release(&list);
	bc_catalog_release(&cat);
}

#define TAIL "\t2030-01-31\thttp://x/1\tdata\twhy"
#define GOOD "alpha/ld/1\t*\t*\t*" TAIL

static const struct {
	const char *what, *text, *words; /* words: of the error, NULL: it is taken */
} lines[] = {
	{ "nothing", "", NULL },
	{ "comments", "# one\n\n  # two\n", NULL },
	{ "a plain one", GOOD "\n", NULL },
	{ "no newline at the end", GOOD, NULL },
	{ "all ranges", "alpha/ld/1\tsm_80,sm_120\t580.65-580.95\t13.0-" TAIL, NULL },
	{ "open below", "alpha/ld/1\tsm_80\t-580.95\t-13" TAIL, NULL },
	{ "blanks between fields", "alpha/ld/1 * * * 2030-01-31 http://x/1 data why", "known.txt:1: too few fields" },
	{ "seven fields", "alpha/ld/1\t*\t*\t*\t2030-01-31\thttp://x/1\tdata", "known.txt:1: too few fields" },
	{ "nine fields", GOOD "\tmore", "known.txt:1: too many fields" },
	{ "two tabs", "alpha/ld/1\t\t*\t*" TAIL, "known.txt:1: `` is no architectures" },
	{ "no such case", "# one\nalpha/ld/3\t*\t*\t*" TAIL, "known.txt:2: there is no case `alpha/ld/3`" },
	{ "a glob", "alpha/ld/*\t*\t*\t*" TAIL, "there is no case `alpha/ld/*`" },
	{ "an architecture's name", "alpha/ld/1\tHopper\t*\t*" TAIL, "`Hopper` is no architectures" },
	{ "a comma at the end", "alpha/ld/1\tsm_90,\t*\t*" TAIL, "`sm_90,` is no architectures" },
	{ "no dash", "alpha/ld/1\t*\t580.65\t*" TAIL, "`580.65` is no driver range" },
	{ "a dash alone", "alpha/ld/1\t*\t-\t*" TAIL, "`-` is no driver range" },
	{ "a range the wrong way round", "alpha/ld/1\t*\t*\t13.1-13.0" TAIL, "`13.1-13.0` is no CUDA range" },
	{ "10 is more than 9", "alpha/ld/1\t*\t*\t12.9-12.10" TAIL, NULL },
	{ "a word as a version", "alpha/ld/1\t*\t*\tnew-" TAIL, "`new-` is no CUDA range" },
	{ "no expiry", "alpha/ld/1\t*\t*\t*\tnever\tx\tdata\twhy", "`never` is no expiry date" },
	{ "the 30th of February", "alpha/ld/1\t*\t*\t*\t2030-02-30\tx\tdata\twhy", "`2030-02-30` is no expiry date" },
	{ "the 29th in a leap year", "alpha/ld/1\t*\t*\t*\t2028-02-29\tx\tdata\twhy", NULL },
	{ "the 29th in 2100", "alpha/ld/1\t*\t*\t*\t2100-02-29\tx\tdata\twhy", "`2100-02-29` is no expiry date" },
	{ "month 13", "alpha/ld/1\t*\t*\t*\t2030-13-01\tx\tdata\twhy", "is no expiry date" },
	{ "no link", "alpha/ld/1\t*\t*\t*\t2030-01-31\t\tdata\twhy", "`` is no link" },
	{ "no outcome", "alpha/ld/1\t*\t*\t*\t2030-01-31\tx\tfails\twhy", "`fails` is no outcome" },
	{ "a ratio", "alpha/ld/1\t*\t*\t*\t2030-01-31\tx\tratio wavefronts=3\twhy", NULL },
	{ "the same twice", GOOD "\n" GOOD "\n", "known.txt:2: the same case, architectures and ranges as line 1" },
	{ "other architectures", GOOD "\nalpha/ld/1\tsm_90\t*\t*" TAIL, NULL },
};

START_TEST(a_line_is_taken_or_refused)
{
	const enum bc_status st = bc_known_parse(lines[_i].text, "known.txt", &cat, &list, &err);

	if (!lines[_i].words) {
		ck_assert_msg(st == BC_OK, "%s: %s", lines[_i].what, err.msg);
		return;
	}
	ck_assert_msg(st == BC_EDATA, "%s: %d", lines[_i].what, (int)st);
	ck_assert_msg(strstr(err.msg, lines[_i].words) != NULL, "%s: %s", lines[_i].what, err.msg);
	ck_assert_uint_eq(list.n, 0);
}
END_TEST

static const struct {
	const char *what, *archs, *driver, *cuda, *expires;
	const char *arch, *has_driver, *has_cuda;
	bool applies, expired;
} matches[] = {
	{ "any", "*", "*", "*", "2030-01-31", "sm_90", "580.95.05", "13.0", true, false },
	{ "the reference device has no driver", "*", "*", "*", "2030-01-31", "sm_90", "", "", true, false },
	{ "its last day", "*", "*", "*", "2026-11-29", "sm_90", "1", "1", true, false },
	{ "the day after", "*", "*", "*", "2026-11-28", "sm_90", "1", "1", false, true },
	{ "its architecture", "sm_80,sm_90", "*", "*", "2030-01-31", "sm_90", "1", "1", true, false },
	{ "another", "sm_80", "*", "*", "2030-01-31", "sm_90", "1", "1", false, false },
	{ "one that begins alike", "sm_120", "*", "*", "2030-01-31", "sm_12", "1", "1", false, false },
	{ "one that ends alike, then itself", "sm_120,sm_12", "*", "*", "2030-01-31", "sm_12", "1", "1", true, false },
	{ "at the lower end", "*", "580.65-580.95", "*", "2030-01-31", "sm_90", "580.65.06", "1", true, false },
	{ "below it", "*", "580.65-580.95", "*", "2030-01-31", "sm_90", "580.9", "1", false, false },
	{ "within the upper end", "*", "580.65-580.95", "*", "2030-01-31", "sm_90", "580.95.05", "1", true, false },
	{ "above it", "*", "580.65-580.95", "*", "2030-01-31", "sm_90", "580.96", "1", false, false },
	{ "a later branch", "*", "580.65-", "*", "2030-01-31", "sm_90", "1000.1", "1", true, false },
	{ "no driver, and a range", "*", "580.65-", "*", "2030-01-31", "sm_90", "", "1", false, false },
	{ "CUDA 12.10 is not before 12.9", "*", "*", "-12.9", "2030-01-31", "sm_90", "1", "12.10", false, false },
	{ "of another CUDA and expired", "*", "*", "14-", "2020-01-31", "sm_90", "1", "13.0", false, false },
};

START_TEST(an_entry_applies_where_it_says)
{
	struct bc_facts f = { 0 };
	struct bc_known k;
	char text[300];

	(void)snprintf(text, sizeof(text),
		       "alpha/ld/2\t*\t*\t*" TAIL "\nalpha/ld/1\t%s\t%s\t%s\t%s\thttp://x/2\tdata\tbug",
		       matches[_i].archs, matches[_i].driver, matches[_i].cuda, matches[_i].expires);
	ck_assert_msg(bc_known_parse(text, "dir/known.txt", &cat, &list, &err) == BC_OK, "%s", err.msg);
	(void)bc_strlcpy(f.driver, matches[_i].has_driver, sizeof(f.driver));
	(void)bc_strlcpy(f.cuda, matches[_i].has_cuda, sizeof(f.cuda));
	bc_known_find(&list, "alpha/ld/1", matches[_i].arch, &f, "2026-11-29", &k);
	ck_assert_msg(k.applies == matches[_i].applies && k.expired == matches[_i].expired, "%s", matches[_i].what);
	if (k.applies || k.expired) {
		ck_assert_str_eq(k.link, "http://x/2");
		ck_assert_str_eq(k.where, "dir/known.txt:2");
	}
}
END_TEST

/* An entry that applies comes before one that has expired, wherever it stands. */
START_TEST(one_that_applies_wins)
{
	struct bc_facts f = { 0 };
	struct bc_known k;

	ck_assert_int_eq(
		bc_known_parse("alpha/ld/1\t*\t*\t*\t2020-01-01\tx\tdata\told\nalpha/ld/1\tsm_90\t*\t*\t2030-01-01\tx\t"
			       "data\tnew\n",
			       "known.txt", &cat, &list, &err),
		BC_OK);
	bc_known_find(&list, "alpha/ld/1", "sm_90", &f, "2026-11-29", &k);
	ck_assert(k.applies && !k.expired);
	ck_assert_str_eq(k.reason, "new");
}
END_TEST

/* --- the program -------------------------------------------------------------------------------------------------- */

#define ONE(id) "run --device reference --expected expected --filter " id

static const struct {
	const char *what, *id, *line; /* line: after the id */
	int status;
	const char *said;
} runs[] = {
	{ "fails as written", "meta/fails/data", "\t*\t*\t*\t2099-01-31\thttp://x/1\tdata\tdriver bug", 0,
	  "1 case: 1 XFAIL\n" },
	{ "fails otherwise", "meta/fails/data", "\t*\t*\t*\t2099-01-31\thttp://x/1\tratio wavefronts=3\tdriver bug", 1,
	  "not the known failure 'ratio wavefronts=3'" },
	{ "by its ratio", "meta/fails/ratio",
	  "\tsm_90\t*\t*\t2099-01-31\thttp://x/1\tratio wavefronts=1 conflicts=0\tbug", 0, "1 case: 1 XFAIL\n" },
	{ "of another architecture", "meta/fails/data", "\tsm_80\t*\t*\t2099-01-31\thttp://x/1\tdata\tdriver bug", 1,
	  "1 case: 1 FAIL\n" },
	{ "of a driver", "meta/fails/data", "\t*\t500-\t*\t2099-01-31\thttp://x/1\tdata\tdriver bug", 1,
	  "1 case: 1 FAIL\n" },
	{ "expired", "meta/fails/data", "\t*\t*\t*\t2020-01-31\thttp://x/1\tdata\tdriver bug", 1,
	  "the known failure 'data' has expired (driver bug, http://x/1)" },
	{ "passes", "meta/sound/1", "\t*\t*\t*\t2099-01-31\thttp://x/1\tdata\tdriver bug", 1,
	  "XPASS    reference_sm_90 meta/sound/1: passes, but is known to fail with 'data' (driver bug, http://x/1): "
	  "delete its "
	  "line in known.txt (expected/known.txt:" },
	{ "is lost", "meta/dies/kill", "\t*\t*\t*\t2099-01-31\thttp://x/1\tdata\tdriver bug", 2, "1 case: 1 LOST\n" },
	{ "is skipped", "meta/skips/memory", "\t*\t*\t*\t2099-01-31\thttp://x/1\tdata\tdriver bug", 4,
	  "1 case: 1 SKIP" },
};

START_TEST(a_known_failure_is_no_failure)
{
	char text[400];

	bc_copy_expected();
	(void)snprintf(text, sizeof(text), "%s%s\n", runs[_i].id, runs[_i].line);
	bc_write_file("expected/known.txt", "a", text);
	(void)snprintf(text, sizeof(text), ONE("%s"), runs[_i].id);
	bc_run_program(text);
	bc_expect_status(runs[_i].status, NULL);
	bc_expect_output(runs[_i].said);
}
END_TEST

START_TEST(a_case_that_does_not_exist_is_status_3)
{
	bc_copy_expected();
	bc_write_file("expected/known.txt", "w", "meta/sound/1000\t*\t*\t*" TAIL "\n");
	bc_run_program(ONE("meta/sound/1"));
	bc_expect_status(3, "expected/known.txt:1: there is no case `meta/sound/1000`");
	bc_run_program("known --expected expected");
	bc_expect_status(3, "expected/known.txt:1: there is no case `meta/sound/1000`");
}
END_TEST

START_TEST(they_are_listed_with_what_reports_say)
{
	bc_copy_expected();
	bc_run_program("known --expected expected");
	bc_expect_status(0, NULL);
	bc_expect_output("there are no known failures\n");
	bc_write_file("expected/known.txt", "w",
		      "meta/fails/data\t*\t*\t13.0-\t2099-01-31\thttp://x/1\tdata\tdriver bug\n"
		      "meta/sound/1\tsm_90\t*\t*\t2020-01-31\thttp://x/2\tdata\tother bug\n");
	bc_run_program("known --expected expected");
	bc_expect_status(0, NULL);
	bc_expect_output("meta/fails/data on *: data\n  driver bug, http://x/1\n  CUDA 13.0-\n  counts until "
			 "2099-01-31, expected/known.txt:1\n"
			 "  no report contains it\n");
	bc_expect_output("meta/sound/1 on sm_90: data\n  other bug, http://x/2\n  expired: counted until 2020-01-31, "
			 "expected/known.txt:2\n"
			 "  no report contains it\n");
	bc_run_program(ONE("meta/fails/data"));
	bc_run_program("known --expected expected");
	bc_expect_status(0, NULL);
	bc_expect_output(" reference_sm_90 (reports/reference-sm_90.xml): FAIL: data: lane 5");
	bc_run_program("known --expected expected nowhere");
	bc_expect_status(3, "nowhere");
}
END_TEST

Suite *bc_test_known(void)
{
	Suite *s = suite_create("known");
	TCase *pure = tcase_create("file"), *program = tcase_create("program");

	tcase_add_checked_fixture(pure, setup, teardown);
	tcase_add_loop_test(pure, a_line_is_taken_or_refused, 0, (int)BC_ARRAY_LEN(lines));
	tcase_add_loop_test(pure, an_entry_applies_where_it_says, 0, (int)BC_ARRAY_LEN(matches));
	tcase_add_test(pure, one_that_applies_wins);
	suite_add_tcase(s, pure);
	tcase_add_checked_fixture(program, bc_call_setup, bc_call_teardown);
	tcase_set_timeout(program, 120);
	tcase_add_loop_test(program, a_known_failure_is_no_failure, 0, (int)BC_ARRAY_LEN(runs));
	tcase_add_test(program, a_case_that_does_not_exist_is_status_3);
	tcase_add_test(program, they_are_listed_with_what_reports_say);
	suite_add_tcase(s, program);
	return s;
}
