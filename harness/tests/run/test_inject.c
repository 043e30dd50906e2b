/* SPDX-License-Identifier: MIT */
/*
 * Runs in which one call fails, of the parent, of the child that becomes a worker, or of the worker: whatever fails, no
 * verdict is wrong or missing, no report is half, and what went wrong is said.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/tests/run/inject_run.h"

Suite *bc_test_inject(void);

#define REPORT "reports/reference-sm_90.xml"
#define JOURNAL "reports/journal.tsv"
#define CASES 6

/* The cases, in the order of a report, and what each is by the rules of suites/: meta/fails/ratio has a wrong
 * expectation. */
static const struct {
	const char *id, *verdict;
} cases[CASES] = {
	{ "atomic/one_word_atom32/2", "PASS" }, { "declare/refused/dynamic_64k", "PASS" },
	{ "stride/ld_b32/2", "PASS" },		{ "stride/st_b32/2", "PASS" },
	{ "meta/fails/ratio", "FAIL" },		{ "meta/skips/memory", "SKIP" },
};

/* The expectations of these cases and the kernels of their suites alone: fewer calls, and all kinds of them. */
#define EXPECTED " --expected " BC_TEST_TMP "/inject/expected"
#define PLACES "--kernels " BC_TEST_TMP "/inject/kernels" EXPECTED
#define SELECTION                                                                                             \
	"--device reference --filter atomic/one_word_atom32/2 --filter declare/refused/dynamic_64k --filter " \
	"stride/ld_b32/2 "                                                                                    \
	"--filter stride/st_b32/2 --filter meta/fails/ratio --filter meta/skips/memory " PLACES
#define RUN "run " SELECTION " --tap t.tap"
#define PREPARE                                                                                                       \
	"d='" BC_TEST_TMP "/inject' && rm -rf $d && mkdir -p $d/expected/common $d/expected/sm_90 $d/kernels/ptx && " \
	"cd '" BC_TEST_EXPECTED                                                                                       \
	"' && cp known.txt case-ids.txt $d/expected && cp sm_90/arch.txt $d/expected/sm_90 && "                       \
	"for s in atomic declare stride meta; do grep -E ' (atomic/one_word_atom32/2|declare/refused/dynamic_64k|"    \
	"stride/(ld|st)_b32/2|meta/fails/ratio|meta/skips/memory) ' common/$s.txt > $d/expected/common/$s.txt || "    \
	"exit 1; done && "                                                                                            \
	"cd '" BC_TEST_KERNELS                                                                                        \
	"/ptx' && cp pattern_atom.ptx declare.ptx pattern_ld.ptx pattern_st.ptx meta.ptx $d/kernels/ptx"

/* What an undisturbed run leaves, and what was there before. */
static struct {
	int status;
	struct bc_text out, report, tap, old_report, journal;
	char verdict[CASES][16];
} is;

/* @text without the value that follows each @before up to @end. */
static void blank(struct bc_text *text, const char *before, char end)
{
	for (char *at = text->data; (at = strstr(at, before));) {
		char *value = at + strlen(before), *stop = strchr(value, end);

		ck_assert_ptr_nonnull(stop);
		memmove(value, stop, strlen(stop) + 1);
		at = value;
	}
	text->len = strlen(text->data);
}

/* Times and the run's name differ from run to run; so does the hash of the images where one could not be read at once.
 */
static struct bc_text steady(struct bc_text text)
{
	static const char *const values[] = { " time=\"", " timestamp=\"", "\"run_id\" value=\"",
					      "\"run_seconds\" value=\"", "\"image_hash\" value=\"" };

	for (size_t i = 0; i < BC_ARRAY_LEN(values); i++)
		blank(&text, values[i], '"');
	blank(&text, "\ntime: ", '\n');
	return text;
}

static bool same_file(const char *name, const struct bc_text *was, bool as_it_is)
{
	struct bc_text now = bc_program_file(&bc_call, name);
	bool same;

	if (!as_it_is)
		now = steady(now);
	same = strcmp(now.data, was->data) == 0;
	bc_text_release(&now);
	return same;
}

/* The verdicts of a report that is valid by its schema. Return: false when a case is missing or there twice. */
static bool read_verdicts(const char *name, char verdict[CASES][16])
{
	xmlDocPtr doc = bc_report(name);
	bool all = bc_report_number(doc, "count(//testcase)") == CASES;

	for (size_t i = 0; i < CASES; i++) {
		static const char *const known[] = { "FAIL", "BROKEN", "LOST", "SKIP", "DISAGREE", "UNJUDGED" };
		const char *slash = strchr(cases[i].id, '/');
		char path[200];

		(void)snprintf(path, sizeof(path), "count(//testcase[@name='%s'][contains(@classname, '.%.*s')])",
			       slash + 1, (int)(slash - cases[i].id), cases[i].id);
		all = all && bc_report_number(doc, path) == 1;
		(void)bc_strlcpy(verdict[i], "PASS", sizeof(verdict[i]));
		for (size_t k = 0; k < BC_ARRAY_LEN(known); k++) {
			(void)snprintf(path, sizeof(path),
				       "count(//testcase[@name='%s'][contains(@classname, '.%.*s')]/*[@type='%s'])",
				       slash + 1, (int)(slash - cases[i].id), cases[i].id, known[k]);
			if (bc_report_number(doc, path) > 0)
				(void)bc_strlcpy(verdict[i], known[k], sizeof(verdict[i]));
		}
	}
	xmlFreeDoc(doc);
	return all;
}

static bool no_result(const char *verdict)
{
	return strcmp(verdict, "BROKEN") == 0 || strcmp(verdict, "LOST") == 0;
}

/* A report, if it is there and not the old one: whole, and each verdict the right one or none. */
static void check_report(const struct bc_injection *i, const char *name)
{
	char verdict[CASES][16];

	if (!bc_file_exists(name) || same_file(name, &is.old_report, true))
		return;
	bc_inject_assert(read_verdicts(name, verdict), i, "a case is missing in the report");
	for (size_t k = 0; k < CASES; k++)
		bc_inject_assert(strcmp(verdict[k], cases[k].verdict) == 0 || no_result(verdict[k]), i, cases[k].id);
}

/* The message names what failed: by the error's own words, or by these. */
static bool is_named(const struct bc_injection *i)
{
	static const char *const others[] = { "memory",
					      "malloc",
					      "could not be started",
					      "the worker ended",
					      "/proc/self/exe",
					      "standard output",
					      "Unable to create temporary file" /* Check */ };
	const char *words = strstr(i->fired, ": ");
	bool named = i->for_good &&
		     (bc_call.err.len || strstr(bc_call.out.data, "BROKEN") || strstr(bc_call.out.data, "LOST"));

	named = named || (words && (strstr(bc_call.err.data, words + 2) || strstr(bc_call.out.data, words + 2)));
	for (size_t k = 0; k < BC_ARRAY_LEN(others); k++)
		named = named || strstr(bc_call.err.data, others[k]) || strstr(bc_call.out.data, others[k]);
	return named;
}

/* Nothing of the failure is to be seen, so all must be as if there had been none. */
static void check_same(const struct bc_injection *i)
{
	bc_call.out = steady(bc_call.out);
	bc_inject_assert(bc_call.status == is.status, i, "the status differs");
	bc_inject_assert(bc_call.err.len == 0, i, "something is said");
	bc_inject_assert(strcmp(bc_call.out.data, is.out.data) == 0, i, "the output differs");
	bc_inject_assert(same_file(REPORT, &is.report, false), i, "the report differs");
	bc_inject_assert(same_file("t.tap", &is.tap, false), i, "the TAP log differs");
}

/* What the journal has serves to go on: `report` shows it, and `run --resume` adds the rest. */
static void check_journal(const struct bc_injection *i)
{
	char before[CASES][16], now[CASES][16];
	bool had = bc_file_exists(REPORT) && !same_file(REPORT, &is.old_report, true);

	if (had)
		had = read_verdicts(REPORT, before);
	bc_call.set[0][1] = "mem:0";
	bc_inject_none("report " JOURNAL " --reports again" EXPECTED);
	bc_inject_assert(bc_call.status < 3 && bc_file_exists("again/reference-sm_90.xml"), i,
			 "the journal cannot be reported");
	check_report(i, "again/reference-sm_90.xml");
	bc_inject_none("run --resume " SELECTION);
	bc_inject_assert(bc_call.status < 3 && read_verdicts(REPORT, now), i, "the journal cannot be gone on from");
	for (size_t k = 0; k < CASES; k++) /* what the run itself found out stands */
		bc_inject_assert(strcmp(now[k], cases[k].verdict) == 0 || (had && strcmp(now[k], before[k]) == 0), i,
				 cases[k].id);
}

static bool follow_up(const struct bc_injection *i)
{
	const bool many = strcmp(i->class, "mem") == 0 || strcmp(i->class, "xml") == 0 || strcmp(i->class, "read") == 0;

	return bc_inject_whole() || (!i->harmless && i->n % (many ? 16 : 2) == 0);
}

static void after(const struct bc_injection *i)
{
	static const char *const keep[] = { "journal.tsv", ".lock", "reference-sm_90.xml", NULL };
	const bool unlinking = strncmp(i->fired, "unlink", 6) == 0 || (i->for_good && strcmp(i->class, "dir") == 0);
	const bool unseen = bc_call.err.len == 0 && bc_call.status == is.status;
	/* a worker that the failure took down, and whose cases the next one ran: that is told, and no other difference
	 */
	const bool survived = i->fired[0] && !i->harmless && bc_call.status == 1 &&
			      strstr(bc_call.out.data, ": a worker died or hung: ") &&
			      !strstr(bc_call.out.data, "BROKEN") && !strstr(bc_call.out.data, "LOST");

	if (!survived &&
	    (!i->fired[0] || i->harmless || (unseen && !strstr(bc_call.out.data, "BROKEN")) || bc_call.status < 2))
		check_same(i);
	else
		bc_inject_assert(is_named(i), i, "what failed is not named");
	check_report(i, REPORT);
	bc_inject_assert(bc_inject_sweep_out("reports", keep) == 0 || unlinking, i, "a temporary file is left");
	if (i->fired[0] && !i->for_good && bc_file_exists(JOURNAL) && !is.journal.data && follow_up(i))
		check_journal(i);
}

/* An older report is there, and the journal that is gone on from, if any. */
static void before(void)
{
	static const char *const none[] = { NULL };

	(void)bc_inject_sweep_out("again", none);
	if (!bc_inject_sweep_out("reports", none) && !bc_file_exists("reports"))
		bc_shell("mkdir reports");
	bc_write_file("t.tap", "w", "");
	bc_write_file(REPORT, "w", is.old_report.data);
	if (is.journal.data)
		bc_write_file(JOURNAL, "w", is.journal.data);
}

static void learn(const char *words)
{
	before();
	bc_call.set[0][0] = "BC_INJECT";
	bc_call.set[0][1] = "mem:0";
	bc_inject_none(words);
	ck_assert_msg(bc_call.err.len == 0 && bc_call.status < 3, "%s", bc_call.err.data);
	bc_text_release(&is.out);
	bc_text_release(&is.report);
	bc_text_release(&is.tap);
	is.status = bc_call.status;
	is.out = steady(bc_call.out);
	bc_call.out = (struct bc_text){ 0 };
	is.report = steady(bc_program_file(&bc_call, REPORT));
	is.tap = steady(bc_program_file(&bc_call, "t.tap"));
}

/* Folders, an older report, and a run in which nothing fails: its verdicts are what the rules say. */
static void setup(void)
{
	char verdict[CASES][16];

	memset(&is, 0, sizeof(is));
	bc_call_setup();
	ck_assert_int_eq(system(PREPARE), 0);
	bc_inject_none("run --device reference --filter stride/ld_b32/2 " PLACES);
	bc_expect_status(0, NULL);
	is.old_report = bc_program_file(&bc_call, REPORT);
	learn(RUN);
	ck_assert_int_eq(is.status, 1);
	ck_assert(read_verdicts(REPORT, verdict));
	for (size_t i = 0; i < CASES; i++)
		ck_assert_str_eq(verdict[i], cases[i].verdict);
}

/* The journal of that run, cut off in its last result. */
static void cut_journal(void)
{
	struct bc_text journal = bc_program_file(&bc_call, JOURNAL);
	char *last = NULL;

	for (char *at = journal.data; (at = strstr(at, "\nobs\t")); at++)
		last = at;
	ck_assert_ptr_nonnull(last);
	last[10] = '\0';
	is.journal = journal;
}

static const struct bc_injected a_run = { .words = RUN, .first = 200, .more = 20, .before = before, .after = after };
static const char *const for_good[] = { "mem",	 "xml",	 "read", "write", "epipe", "open",
					"close", "sync", "dir",	 "stat",  "proc",  NULL };
static const char *const none[] = { NULL };

START_TEST(calls_of_the_parent)
{
	bc_inject_all(&a_run, "parent", for_good);
}
END_TEST

START_TEST(calls_between_fork_and_exec)
{
	bc_inject_all(&a_run, "child", for_good);
}
END_TEST

START_TEST(calls_of_the_worker)
{
	bc_inject_all(&a_run, "worker", for_good);
}
END_TEST

START_TEST(calls_of_a_run_that_goes_on)
{
	static const struct bc_injected resumed = {
		.words = RUN " --resume", .first = 40, .more = 10, .before = before, .after = after
	};

	cut_journal();
	learn(resumed.words);
	ck_assert_int_eq(is.status, 1);
	bc_inject_all(&resumed, "parent", none);
}
END_TEST

START_TEST(calls_of_a_report_from_a_journal)
{
	static const struct bc_injected reported = { .words = "report " JOURNAL " --tap t.tap" EXPECTED,
						     .first = 40,
						     .more = 10,
						     .before = before,
						     .after = after };

	cut_journal();
	learn(reported.words);
	ck_assert_int_eq(is.status, 2); /* the last one is LOST */
	bc_inject_all(&reported, "parent", none);
}
END_TEST

Suite *bc_test_inject(void)
{
	Suite *s = suite_create("inject");
	TCase *tc = tcase_create("run");

	tcase_add_checked_fixture(tc, setup, bc_call_teardown);
	tcase_set_timeout(tc, bc_inject_whole() ? 3600 : 600);
	tcase_add_test(tc, calls_of_the_parent);
	tcase_add_test(tc, calls_between_fork_and_exec);
	tcase_add_test(tc, calls_of_the_worker);
	tcase_add_test(tc, calls_of_a_run_that_goes_on);
	tcase_add_test(tc, calls_of_a_report_from_a_journal);
	suite_add_tcase(s, tc);
	return s;
}
