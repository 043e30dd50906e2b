/* SPDX-License-Identifier: MIT */
/* Compact reports: what they have, that every reader takes them, and that none passes over what they lack. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/junit.h"
#include "harness/report/junit_limits.h"
#include "harness/report/reader.h"
#include "harness/tests/program.h"
#include "harness/tests/report/report_sample.h"

Suite *bc_test_compact(void);

#define NCASES 8

static struct bc_sample sample;
static struct bc_read_file file;
static struct bc_error err;

static void setup(void)
{
	bc_call_setup();
	bc_sample_init(&sample, NCASES);
	bc_sample_set(&sample, 0, 1, BC_FAIL, "ratio wavefronts=2");
	bc_sample_set(&sample, 0, 2, BC_SKIP, "needs ldmatrix");
	bc_sample_set(&sample, 0, 5, BC_XFAIL, "known");
	sample.devices[0].results[6].flaky = true;
}

static void teardown(void)
{
	bc_report_release(&file);
	bc_sample_release(&sample);
	bc_call_teardown();
}

static void put(const char *name, enum bc_junit_form form)
{
	struct bc_text text = { 0 };

	ck_assert_msg(bc_junit_format(&sample.run, form, "sm_90.xml", &text, &err) == BC_OK, "%s", err.msg);
	ck_assert_msg(bc_file_replace(&bc_file_system, bc_call.dir, name, text.data, text.len, &err) == BC_OK, "%s",
		      err.msg);
	bc_text_release(&text);
}

static enum bc_status read_report(const char *name)
{
	char path[BC_PATH_MAX + 64];

	(void)snprintf(path, sizeof(path), "%s/%s", bc_call.dir, name);
	bc_report_release(&file);
	return bc_report_read(path, &file, &err);
}

/* Values of findings and flaky cases only; of each other case its name, time and verdict. */
static void expect_compact(const char *name)
{
	const struct bc_read_device *d;

	bc_report_holds(name, NCASES, 1, 0, 2); /* valid by the schema, too */
	ck_assert_msg(read_report(name) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(file.ndevices, 1);
	d = &file.devices[0];
	ck_assert_uint_eq(d->ncases, NCASES);
	ck_assert_uint_eq(d->nverdict_only, NCASES - 2);
	ck_assert_str_eq(bc_read_property(d, "junit"), "compact");
	ck_assert_str_eq(bc_read_property(d, "run_id"), sample.run.run_id);
	for (size_t i = 0; i < NCASES; i++) {
		const struct bc_result *r = &sample.devices[0].results[i];
		const struct bc_read_case *c = bc_read_find(d, r->c->id);

		ck_assert_msg(c, "no %s", r->c->id);
		ck_assert_int_eq(c->verdict, r->judged.verdict);
		ck_assert_str_eq(c->message, r->judged.verdict == BC_PASS ? "" : r->judged.message);
		ck_assert_double_eq_tol(c->seconds, (double)i * 1e-3, 1e-9);
		ck_assert_int_eq(c->verdict_only, i != 1 && i != 6);
		ck_assert_int_eq(bc_key_get(&c->keys, "counters") != NULL, i == 1 || i == 6);
	}
}

START_TEST(a_compact_report_has_the_values_of_findings)
{
	put("c.xml", BC_JUNIT_COMPACT);
	expect_compact("c.xml");
	put("f.xml", BC_JUNIT_FULL);
	ck_assert_int_eq(read_report("f.xml"), BC_OK);
	ck_assert_uint_eq(file.devices[0].nverdict_only, 0);
	ck_assert_str_eq(bc_read_property(&file.devices[0], "junit"), "full");
}
END_TEST

START_TEST(merge_makes_a_report_compact)
{
	sample.devices[0].results[6].flaky = false; /* of a flaky case it wants the attempts */
	put("f.xml", BC_JUNIT_FULL);
	bc_run_program("merge f.xml -o c.xml --junit compact");
	bc_expect_status(0, NULL);
	bc_report_holds("c.xml", NCASES, 1, 0, 2);
	ck_assert_int_eq(read_report("c.xml"), BC_OK);
	ck_assert_uint_eq(file.devices[0].nverdict_only, NCASES - 1);
	bc_run_program("merge c.xml -o again.xml --junit compact");
	bc_shell("cmp c.xml again.xml");
	bc_run_program("merge c.xml -o full.xml"); /* what is gone is gone, and that is said */
	bc_expect_status(0, NULL);
	bc_expect_output("7 cases have their verdict alone: their reports are compact");
	bc_shell("cmp c.xml full.xml");
}
END_TEST

START_TEST(a_run_writes_a_compact_report)
{
	bc_run_program("run --junit compact --device reference --filter ways --reports c");
	bc_expect_status(0, NULL);
	bc_run_program("run --device reference --filter ways --reports f");
	bc_shell("test $(wc -c <c/reference-sm_90.xml) -lt $(($(wc -c <f/reference-sm_90.xml) / 5))");
	bc_run_program("report f/journal.tsv --junit compact --reports r");
	bc_expect_status(0, NULL);
	bc_shell("sed 's/ time=.*//; /run_/d' c/*.xml >a; sed 's/ time=.*//; /run_/d' r/*.xml >b; cmp a b");
}
END_TEST

#define CLASS "classname=\"bankcheck.sm_90.s\" name=\"r/a\""
#define PROPS \
	"<properties><property name=\"bankcheck\" value=\"0\"/><property name=\"run_id\" value=\"r\"/>%s</properties>"

static const struct {
	const char *what, *property, *testcase, *says;
} refused[] = {
	{ "not said to be compact", "", "<testcase " CLASS "/>", "the testcase has no system-out" },
	{ "a finding", "<property name=\"junit\" value=\"compact\"/>", "<testcase " CLASS "><failure/></testcase>",
	  "a finding without system-out" },
	{ "a skip that does not say how", "<property name=\"junit\" value=\"compact\"/>",
	  "<testcase " CLASS "><skipped/></testcase>", "unknown verdict" },
	{ "a verdict that is no skip", "<property name=\"junit\" value=\"compact\"/>",
	  "<testcase " CLASS "><skipped type=\"PASS\"/></testcase>", "the report contradicts itself" },
	{ "no suite", "<property name=\"junit\" value=\"compact\"/>", "<testcase classname=\"x\" name=\"r/a\"/>",
	  "a testcase that is not bankcheck.<device>.<suite>" },
	{ "no rule", "<property name=\"junit\" value=\"compact\"/>",
	  "<testcase classname=\"bankcheck.sm_90.s\" name=\"a\"/>",
	  "a testcase that is not bankcheck.<device>.<suite>" },
};

START_TEST(what_lacks_more_is_refused)
{
	char text[1000];

	(void)snprintf(text, sizeof(text),
		       "<testsuites>\n<testsuite name=\"bankcheck.sm_90.s\">\n" PROPS "\n%s</testsuite></testsuites>\n",
		       refused[_i].property, refused[_i].testcase);
	bc_write_file("x.xml", "w", text);
	ck_assert_msg(read_report("x.xml") == BC_EDATA, "%s", refused[_i].what);
	ck_assert_msg(strstr(err.msg, "x.xml:4: ") && strstr(err.msg, refused[_i].says), "%s: %s", refused[_i].what,
		      err.msg);
}
END_TEST

static const struct {
	const char *words, *has, *lacks;
} differences[] = {
	{ "diff f.xml c.xml", "6 of 8 cases are compared by their verdict alone: the new report is compact", "WORSE" },
	{ "diff c.xml f.xml", "the old report is compact (--junit compact) and has no data, counts or clocks of them",
	  "WORSE" },
	{ "diff c.xml c2.xml", "both reports are compact", "WORSE" },
	{ "diff f.xml c.xml", "compact reports: 6 of them by their verdict alone", "CHANGED" },
	{ "diff f.xml f2.xml", "clocks: 8 compared", "compact" },
	{ "diff f.xml c.xml --format markdown", "**6 of 8 cases are compared by their verdict alone", "WORSE" },
	{ "diff f.xml c.xml --format json", "\"verdict_only\": 6", "\"verdict_only\": 0" },
	{ "diff f.xml c.xml --format junit", "name=\"verdict_only\" value=\"6 of 8 cases", "<failure" },
	{ "html c.xml -o p.html", "8 verdicts", "compact" },
	{ "known c.xml --expected expected", "there are no known failures", "compact" },
};

/* What cannot be told is said; a value that is missing is no change. */
START_TEST(readers_say_what_is_missing)
{
	bc_shell("mkdir expected && cp '" BC_TEST_EXPECTED
		 "/known.txt' expected && sed -i '/^[^#]/d' expected/known.txt");
	put("c.xml", BC_JUNIT_COMPACT);
	put("c2.xml", BC_JUNIT_COMPACT);
	put("f.xml", BC_JUNIT_FULL);
	put("f2.xml", BC_JUNIT_FULL);
	bc_run_program(differences[_i].words);
	bc_expect_status(0, NULL);
	bc_expect_output(differences[_i].has);
	bc_expect_no_output(differences[_i].lacks);
}
END_TEST

/* How often the page of the last call has @words. */
static void page_has(const char *words, size_t times)
{
	struct bc_text page = bc_program_file(&bc_call, "p.html");
	size_t n = 0;

	for (const char *at = page.data; (at = strstr(at, words)); at++)
		n++;
	bc_text_release(&page);
	ck_assert_msg(n == times, "`%s` is %zu times in the page", words, n);
}

START_TEST(a_page_says_what_is_missing)
{
	put("c.xml", BC_JUNIT_COMPACT);
	put("f.xml", BC_JUNIT_FULL);
	bc_run_program("html c.xml -o p.html");
	page_has("6 of 8 verdicts are without expectation, values and picture: the report is compact", 1);
	page_has("<em>not in the report</em>", 6);
	page_has("of this case it has the verdict alone", 6);
	page_has("<span>nothing</span>", 0);
	bc_run_program("html f.xml c.xml -o p.html"); /* what one of them has is shown */
	page_has("6 of 16 verdicts are without", 1);
	page_has("not in the report", 0);
	bc_run_program("html f.xml -o p.html");
	page_has("compact", 0);
}
END_TEST

START_TEST(a_worse_verdict_is_seen_in_a_compact_report)
{
	put("old.xml", BC_JUNIT_COMPACT);
	bc_sample_set(&sample, 0, 3, BC_FAIL, "data: lane 3");
	bc_sample_set(&sample, 0, 2, BC_SKIP, "needs more");
	put("new.xml", BC_JUNIT_COMPACT);
	bc_run_program("diff old.xml new.xml");
	bc_expect_status(1, NULL);
	bc_expect_output("stride/ld_b32/3: PASS -> FAIL: data: lane 3\n");
	bc_expect_output("stride/ld_b32/2: SKIP with another reason: needs more (was: needs ldmatrix)\n");
	bc_expect_output("2 worse");
}
END_TEST

START_TEST(a_history_says_which_runs_have_no_values)
{
	put("c.xml", BC_JUNIT_COMPACT);
	put("f.xml", BC_JUNIT_FULL);
	bc_run_program("history add c.xml --db h.db");
	bc_expect_output("1 run added");
	bc_expect_output("6 of these cases have no values: the report is compact");
	bc_run_program("history trend stride/ld_b32/0 --db h.db");
	bc_expect_output("no values of 1 of 1 runs: their reports are compact");
	bc_run_program("history trend stride/ld_b32/1 --db h.db"); /* a finding has them */
	bc_expect_no_output("no values of");
	bc_run_program("history add c.xml --db h.db");
	bc_expect_output("1 already there");
	bc_run_program("history add f.xml --db h.db"); /* the same run, with all values */
	bc_expect_output("0 runs added, 1 replaced, 0 already there");
	bc_expect_no_output("no values");
	bc_run_program("history add c.xml --db h.db"); /* and they stay */
	bc_expect_output("1 already there");
	bc_run_program("history trend stride/ld_b32/0 --db h.db");
	bc_expect_no_output("no values of");
}
END_TEST

/* --- limits ---------------------------------------------------------------------------------------------------- */

static const struct {
	const char *text;
	size_t nodes;
} documents[] = {
	{ "<a/>", 1 },
	{ "<a b=\"1\" c='2>3'/>", 3 },
	{ "<?xml version=\"1.0\"?><a>text<b/>more</a>", 4 },
	{ "<a>\n<b/>\n</a>", 4 },
	{ "<a><b></b></a>", 2 },
	{ "<a b=\"x/>y\"></a>", 2 },
};

START_TEST(nodes_are_counted)
{
	struct bc_xml_size whole = { 0 }, pieces = { 0 };
	const char *text = documents[_i].text;

	bc_xml_size_add(&whole, text, strlen(text));
	for (size_t i = 0; text[i]; i++)
		bc_xml_size_add(&pieces, text + i, 1);
	ck_assert_uint_eq(whole.nodes, documents[_i].nodes);
	ck_assert_uint_eq(pieces.nodes, documents[_i].nodes);
	ck_assert_uint_eq(whole.bytes, strlen(text));
}
END_TEST

START_TEST(a_report_beyond_the_limits_is_told)
{
	char path[BC_PATH_MAX + 16], words[200] = "";

	(void)snprintf(path, sizeof(path), "%s/x.xml", bc_call.dir);
	bc_shell("{ echo '<a>'; yes '<b c=\"1\"/>' | head -83332; echo '</a>'; } > x.xml"); /* 3 each, and 4 */
	ck_assert_msg(!bc_junit_limits(path, words, sizeof(words)), "%s", words);
	bc_shell("sed -i 's,</a>,<b/><b/></a>,' x.xml");
	ck_assert(bc_junit_limits(path, words, sizeof(words)));
	ck_assert_str_eq(words, "250001 elements, attributes and texts; GitLab takes reports of up to 250000");
	bc_shell("truncate -s 30000000 x.xml");
	ck_assert(bc_junit_limits(path, words, sizeof(words)));
	ck_assert_str_eq(words, "30.0 MB; GitLab takes reports below 30 MB");
	ck_assert(!bc_junit_limits("/nonexistent", words, sizeof(words)));
}
END_TEST

/* merge says it, and what to do; the exit status is as without it. Many attempts make many elements of few cases. */
START_TEST(merge_warns_of_a_report_beyond_the_limits)
{
	static struct bc_attempt tries[8000];

	for (size_t i = 0; i < BC_ARRAY_LEN(tries); i++)
		tries[i].verdict = BC_FAIL;
	for (size_t i = 0; i < NCASES; i++) {
		struct bc_result *r = &sample.devices[0].results[i];

		bc_sample_set(&sample, 0, i, BC_PASS, "");
		r->flaky = true;
		r->tries = tries;
		r->ntries = BC_ARRAY_LEN(tries);
	}
	put("l.xml", BC_JUNIT_FULL);
	for (size_t i = 0; i < NCASES; i++) {
		sample.devices[0].results[i].tries = NULL;
		sample.devices[0].results[i].ntries = 0;
	}
	bc_run_program("merge l.xml -o m.xml");
	bc_expect_status(0, "note: m.xml has ");
	bc_expect_status(0, "GitLab takes reports");
	bc_expect_status(0, "--junit compact writes less (docs/ci.md)");
	bc_run_program("merge l.xml -o m.xml --junit compact");
	bc_expect_status(0, "give it the reports of each device by themselves");
	put("l.xml", BC_JUNIT_FULL);
	bc_run_program("merge l.xml -o m.xml");
	bc_expect_status(0, NULL);
	ck_assert_str_eq(bc_call.err.data, "");
}
END_TEST

Suite *bc_test_compact(void)
{
	Suite *s = suite_create("compact");
	TCase *tc = tcase_create("compact");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_compact_report_has_the_values_of_findings);
	tcase_add_test(tc, merge_makes_a_report_compact);
	tcase_add_test(tc, a_run_writes_a_compact_report);
	tcase_add_loop_test(tc, what_lacks_more_is_refused, 0, (int)BC_ARRAY_LEN(refused));
	tcase_add_loop_test(tc, readers_say_what_is_missing, 0, (int)BC_ARRAY_LEN(differences));
	tcase_add_test(tc, a_page_says_what_is_missing);
	tcase_add_test(tc, a_worse_verdict_is_seen_in_a_compact_report);
	tcase_add_test(tc, a_history_says_which_runs_have_no_values);
	tcase_add_loop_test(tc, nodes_are_counted, 0, (int)BC_ARRAY_LEN(documents));
	tcase_add_test(tc, a_report_beyond_the_limits_is_told);
	tcase_add_test(tc, merge_warns_of_a_report_beyond_the_limits);
	suite_add_tcase(s, tc);
	return s;
}
