/* SPDX-License-Identifier: MIT */
/* `bankcheck diff` on the recorded pairs of data/compare/diff/, in all its formats; see the README.md there. */
#include "harness/compare/print.h"

#include <check.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/xmlschemas.h>

#include "harness/report/junit.h"
#include "harness/tests/program.h"
#include "harness/tests/report/report_sample.h"

Suite *bc_test_diff(void);

static struct bc_error err;
static struct bc_program_call call;
static struct bc_text want;

static const char *const pairs[] = {
	"driver_slows_suite", "duplicate_ids", "flaky_case",  "many_changes",	"one_cycle",
	"other_architecture", "other_tool",    "provisional", "same_driver",	"throttled",
	"truncated",	      "two_gpus",      "undecided",   "vanished_suite",
};

static void setup(void)
{
	bc_program_init(&call);
	want = (struct bc_text){ 0 };
}

static void teardown(void)
{
	bc_program_release(&call);
	bc_text_release(&want);
}

/* The line of want.txt that starts with @key; what follows it. */
static const char *wanted(const char *key)
{
	const char *at = want.data;

	while (at && strncmp(at, key, strlen(key)) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	ck_assert_msg(at, "want.txt lacks `%s`", key);
	return at + strlen(key);
}

static void read_want(const char *pair)
{
	char path[600];

	(void)snprintf(path, sizeof(path), BC_TEST_DATA "/compare/diff/%s/want.txt", pair);
	ck_assert_msg(bc_file_read(path, 100000, &want, &err) == BC_OK, "%s", err.msg);
}

static void diff(const char *pair, const char *options)
{
	char words[2000];

	(void)snprintf(words, sizeof(words),
		       "diff %s%s" BC_TEST_DATA "/compare/diff/%s/old.xml " BC_TEST_DATA "/compare/diff/%s/new.xml",
		       options, options[0] ? " " : "", pair, pair);
	bc_program_run(&call, words);
}

/* Does a line of the output tell of a difference or a change? */
static bool tells(const char *line)
{
	static const char *const heads[] = { "WORSE",	"BETTER",	    "CHANGED",	    "UNDECIDED",
					     "differs", "nothing recorded", "a change may", "CANNOT BE" };

	for (size_t i = 0; i < BC_ARRAY_LEN(heads); i++)
		if (strncmp(line, heads[i], strlen(heads[i])) == 0)
			return true;
	return false;
}

/* @line without blanks in front, and with one where the columns have several. */
static void squeeze(char *line)
{
	char *to = line;

	for (const char *from = line + strspn(line, " "); *from; from++)
		if (from[0] != ' ' || from[1] != ' ')
			*to++ = *from;
	*to = '\0';
}

static bool alike(const char *pattern, const char *line)
{
	char quoted[2000];
	size_t n = 0;

	for (; *pattern && n + 2 < sizeof(quoted); pattern++) {
		if (strchr("[]?\\", *pattern))
			quoted[n++] = '\\';
		quoted[n++] = *pattern;
	}
	quoted[n] = '\0';
	return fnmatch(quoted, line, 0) == 0;
}

/* The lines that tell, and want.txt's from the third on, must be the same. */
static void check_lines(const char *pair)
{
	char *out = call.out.data, *line, *expected = want.data, *pattern;

	(void)strsep(&expected, "\n");
	(void)strsep(&expected, "\n");
	while ((line = strsep(&out, "\n"))) {
		squeeze(line);
		if (!tells(line))
			continue;
		pattern = strsep(&expected, "\n");
		ck_assert_msg(pattern && alike(pattern, line), "%s: `%s` was printed, wanted is `%s`", pair, line,
			      pattern ? pattern : "nothing");
	}
	ck_assert_msg(!expected || !*expected, "%s: not printed: %s", pair, expected);
}

START_TEST(a_pair_is_told_of)
{
	const char *pair = pairs[_i];

	read_want(pair);
	diff(pair, "");
	ck_assert_msg(call.status == atoi(wanted("exit ")), "%s: exit status %d: %s", pair, call.status, call.err.data);
	if (call.status == 3) {
		const char *text = wanted("error ");
		char pattern[600];

		(void)snprintf(pattern, sizeof(pattern), "bankcheck: *%.*s*", (int)strcspn(text, "\n"), text);
		ck_assert_msg(alike(pattern, call.err.data), "%s: %s", pair, call.err.data);
		ck_assert_uint_eq(call.out.len, 0);
		return;
	}
	ck_assert_msg(strstr(call.out.data, "tolerance 1 %") || strstr(call.out.data, "none compared"),
		      "the tolerance is printed");
	check_lines(pair);
}
END_TEST

START_TEST(strict_takes_undecided_for_worse)
{
	read_want(pairs[_i]);
	diff(pairs[_i], "--strict");
	ck_assert_msg(call.status == atoi(wanted("strict ")), "%s: exit status %d", pairs[_i], call.status);
}
END_TEST

static char complaints[2000];

static void complain(void *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void complain(void *ctx, const char *fmt, ...)
{
	const size_t len = strlen(complaints);
	va_list ap;

	(void)ctx;
	va_start(ap, fmt);
	(void)vsnprintf(complaints + len, sizeof(complaints) - len, fmt, ap);
	va_end(ap);
}

static void check_schema(xmlDocPtr doc)
{
	xmlSchemaParserCtxtPtr parser = xmlSchemaNewParserCtxt(BC_TEST_DATA "/report/junit-10.xsd");
	xmlSchemaPtr schema = xmlSchemaParse(parser);
	xmlSchemaValidCtxtPtr valid = xmlSchemaNewValidCtxt(schema);

	ck_assert_ptr_nonnull(valid);
	xmlSchemaSetValidErrors(valid, complain, complain, NULL);
	ck_assert_msg(xmlSchemaValidateDoc(valid, doc) == 0, "not valid by the schema: %s", complaints);
	xmlSchemaFreeValidCtxt(valid);
	xmlSchemaFree(schema);
	xmlSchemaFreeParserCtxt(parser);
}

static unsigned attribute(xmlNodePtr n, const char *name)
{
	xmlChar *v = xmlGetProp(n, BAD_CAST name);
	const unsigned u = v ? (unsigned)strtoul((const char *)v, NULL, 10) : 0;

	xmlFree(v);
	return u;
}

static unsigned elements(xmlNodePtr n, const char *name)
{
	unsigned found = 0;

	for (xmlNodePtr k = n->children; k; k = k->next)
		found += k->type == XML_ELEMENT_NODE ? strcmp((const char *)k->name, name) == 0 ? 1 : elements(k, name)
						     : 0;
	return found;
}

/* A failure for each case that is worse, and counts that add up, in a document that CI servers read. */
START_TEST(junit_is_valid_and_adds_up)
{
	xmlDocPtr doc;
	xmlNodePtr root;
	unsigned failures = 0, errors = 0;

	read_want(pairs[_i]);
	if (atoi(wanted("exit ")) == 3)
		return;
	diff(pairs[_i], "");
	for (const char *at = call.out.data; (at = strstr(at, "  WORSE ")); at++)
		failures += strstr(at, "whole suite is ABSENT: 4 cases") && strstr(at, "whole suite") < strchr(at, '\n')
				    ? 4
				    : 1;
	for (const char *at = call.out.data; (at = strstr(at, "CANNOT BE")); at++)
		errors++;
	diff(pairs[_i], "--format junit");
	doc = xmlReadMemory(call.out.data, (int)call.out.len, "diff", NULL, XML_PARSE_NONET);
	ck_assert_ptr_nonnull(doc);
	check_schema(doc);
	root = xmlDocGetRootElement(doc);
	ck_assert_uint_eq(attribute(root, "failures"), failures);
	ck_assert_uint_eq(elements(root, "failure"), failures);
	ck_assert_uint_eq(attribute(root, "errors"), errors);
	ck_assert_uint_eq(elements(root, "error"), errors);
	ck_assert_uint_eq(attribute(root, "tests"), elements(root, "testcase"));
	xmlFreeDoc(doc);
}
END_TEST

static json_int_t integer(const json_t *root, const char *a, const char *b)
{
	const json_t *v = json_object_get(json_object_get(root, a), b);

	ck_assert_msg(json_is_integer(v), "%s.%s is no whole number", a, b);
	return json_integer_value(v);
}

START_TEST(json_says_the_same)
{
	json_t *root;
	json_error_t why;
	int status;

	read_want(pairs[_i]);
	status = atoi(wanted("exit "));
	if (status == 3)
		return;
	diff(pairs[_i], "--format json");
	ck_assert_int_eq(call.status, status);
	root = json_loads(call.out.data, 0, &why);
	ck_assert_msg(root, "%s: line %d: %s", pairs[_i], why.line, why.text);
	ck_assert_str_eq(json_string_value(json_object_get(root, "schema")), "bankcheck-diff-1");
	ck_assert_int_eq(json_integer_value(json_object_get(root, "exit_status")), status);
	ck_assert_int_eq(integer(root, "sums", "cases"),
			 integer(root, "sums", "same") + integer(root, "sums", "worse") +
				 integer(root, "sums", "better") + integer(root, "sums", "other"));
	ck_assert_int_eq(integer(root, "clocks", "compared"),
			 integer(root, "clocks", "same") + integer(root, "clocks", "slower") +
				 integer(root, "clocks", "faster") + integer(root, "clocks", "undecided"));
	ck_assert_int_eq(integer(root, "sums", "worse") > 0, status == 1);
	json_decref(root);
}
END_TEST

START_TEST(markdown_cannot_be_formatted_from_outside)
{
	diff("driver_slows_suite", "--format markdown");
	ck_assert_int_eq(call.status, 1);
	ck_assert_ptr_nonnull(strstr(call.out.data, "\n| driver | 580.159.04 | 590.10 | yes |\n"));
	ck_assert_ptr_nonnull(strstr(call.out.data, "\n| WORSE | stride/ld&#95;b32/33 | SLOWER by "));
}
END_TEST

/* The tolerance holds where no sample spreads, and a single cycle is never called. The method's line says what it
 * assumes. */
START_TEST(a_cycle_of_912_is_no_change)
{
	static const struct {
		const char *options;
		int status;
		const char *want;
	} rows[] = {
		{ "", 0, "0 SLOWER, 0 FASTER, 0 UNDECIDED" },
		{ "--strict", 0, "0 SLOWER, 0 FASTER, 0 UNDECIDED" },
		{ "--tolerance 0.2", 0, "0 SLOWER, 1 FASTER, 0 UNDECIDED" },
		{ "--tolerance 0.3", 0, "0 SLOWER, 0 FASTER, 0 UNDECIDED" },
		{ "--tolerance 0.1", 0, "0 SLOWER, 1 FASTER, 1 UNDECIDED" },
		{ "--tolerance 0 --strict", 1, "0 SLOWER, 1 FASTER, 1 UNDECIDED" },
		{ "", 0, "if the samples of a run are independent" },
		{ "--format markdown", 0, "if the samples of a run are independent" },
		{ "--format json", 0, "\"assumes\": \"the samples of a run are independent\"" },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		diff("one_cycle", rows[i].options);
		ck_assert_msg(call.status == rows[i].status, "%s: exit %d", rows[i].options, call.status);
		ck_assert_msg(strstr(call.out.data, rows[i].want), "%s: no `%s` in:\n%s", rows[i].options, rows[i].want,
			      call.out.data);
	}
}
END_TEST

/* Swapped runs: what was worse is better; what was ABSENT is new. */
START_TEST(the_comparison_looks_both_ways)
{
	bc_program_run(&call, "diff --format json --tolerance 0.1 " BC_TEST_DATA
			      "/compare/diff/one_cycle/new.xml " BC_TEST_DATA "/compare/diff/one_cycle/old.xml");
	ck_assert_int_eq(call.status, 1);
	ck_assert_ptr_nonnull(strstr(call.out.data, "SLOWER by 0.22 % (no spread), 910 -> 912 cycles"));
	ck_assert_ptr_nonnull(strstr(
		call.out.data, "UNDECIDED, one cycle, the step of the clock itself (no spread), 913 -> 912 cycles"));
	bc_program_run(&call, "diff " BC_TEST_DATA "/compare/diff/vanished_suite/new.xml " BC_TEST_DATA
			      "/compare/diff/vanished_suite/old.xml");
	ck_assert_int_eq(call.status, 0);
	ck_assert_ptr_nonnull(strstr(call.out.data, "stride/: the whole suite is new: 4 cases"));
	bc_program_run(&call, "diff " BC_TEST_DATA "/compare/diff/driver_slows_suite/new.xml " BC_TEST_DATA
			      "/compare/diff/driver_slows_suite/old.xml");
	ck_assert_int_eq(call.status, 0);
	ck_assert_ptr_nonnull(strstr(call.out.data, "7 SAME, 0 SLOWER, 4 FASTER, 0 UNDECIDED"));
}
END_TEST

/* What is left out is neither compared nor missed. */
START_TEST(cases_are_chosen_on_both_sides)
{
	diff("vanished_suite", "--exclude stride --exclude ways/*/2");
	ck_assert_int_eq(call.status, 0);
	ck_assert_ptr_null(strstr(call.out.data, "stride/"));
	diff("vanished_suite", "--filter stride --filter width/stride_ld_b64");
	ck_assert_int_eq(call.status, 1);
	ck_assert_ptr_nonnull(strstr(call.out.data, "stride/: the whole suite is ABSENT: 4 cases"));
	ck_assert_ptr_null(strstr(call.out.data, "ways/"));
	diff("vanished_suite", "--filter strides");
	ck_assert_int_eq(call.status, 3);
	ck_assert_ptr_nonnull(strstr(call.err.data, "leave no case of either report"));
}
END_TEST

START_TEST(the_tolerance_is_taken)
{
	diff("driver_slows_suite", "--tolerance 5");
	ck_assert_int_eq(call.status, 0);
	ck_assert_ptr_nonnull(strstr(call.out.data, "11 SAME"));
	ck_assert_ptr_nonnull(strstr(call.out.data, "tolerance 5 %"));
	diff("driver_slows_suite", "--tolerance 0.5");
	ck_assert_int_eq(call.status, 1);
}
END_TEST

static const struct {
	const char *what, *words, *says;
} wrong[] = {
	{ "no report", "diff", "not 0" },
	{ "one report", "diff a.xml", "not 1" },
	{ "three", "diff a.xml b.xml c.xml", "not 3" },
	{ "no such file", "diff a.xml b.xml", "a.xml: No such file" },
	{ "an empty folder", "diff . .", "no *.xml" },
	{ "an unknown format", "diff --format yaml a b", "text, markdown, json or junit" },
	{ "a negative tolerance", "diff --tolerance -1 a b", "percent" },
	{ "a tolerance in words", "diff --tolerance much a b", "percent" },
};

START_TEST(wrong_usage_is_3)
{
	bc_program_run(&call, wrong[_i].words);
	ck_assert_msg(call.status == 3, "%s: %d", wrong[_i].what, call.status);
	ck_assert_msg(strstr(call.err.data, wrong[_i].says), "%s: %s", wrong[_i].what, call.err.data);
}
END_TEST

START_TEST(folders_are_compared)
{
	bc_program_run(&call, "diff " BC_TEST_DATA "/compare/diff/same_driver " BC_TEST_DATA
			      "/compare/diff/same_driver/new.xml");
	ck_assert_int_eq(call.status, 3); /* old.xml and new.xml are two runs of one device */
	ck_assert_ptr_nonnull(strstr(call.err.data, "give one run a side"));
}
END_TEST

/* Two runs alike in one folder, one that is slower in another: 3 pairs, 4 cases SLOWER in each of the 2 across; these
 * cases' samples spread, so they are rank-tested in all 3. */
START_TEST(pairs_of_runs_are_counted)
{
	static const char *const lines[] = {
		": runs 3, folders 2",
		"within a folder        1       11           4      0      0         0      0      0              0",
		"across folders         2       22           8      8      0         0      8      0              2",
		"stride/ld_b32/33: WORSE in 2 pairs across",
	};
	struct bc_text out;

	(void)snprintf(bc_call.dir, sizeof(bc_call.dir), "%s", call.dir);
	bc_shell("mkdir -p a/1 a/2 b && for to in a/1 a/2; do cp '" BC_TEST_DATA
		 "/compare/diff/driver_slows_suite/old.xml' $to/sm_90.xml; done && cp '" BC_TEST_DATA
		 "/compare/diff/driver_slows_suite/new.xml' b/sm_90.xml");
	bc_shell("{ BANKCHECK='" BC_TEST_BINARY "' '" BC_TEST_DATA
		 "/../../../tools/false-alarms.sh' a b >out; test $? = 1; } && { BANKCHECK='" BC_TEST_BINARY
		 "' '" BC_TEST_DATA "/../../../tools/false-alarms.sh' a >>out; test $? = 0; } && { '" BC_TEST_DATA
		 "/../../../tools/false-alarms.sh' b 2>>out; test $? = 3; }");
	out = bc_program_file(&call, "out");
	for (size_t i = 0; i < BC_ARRAY_LEN(lines); i++)
		ck_assert_msg(strstr(out.data, lines[i]) != NULL, "no line '%s':\n%s", lines[i], out.data);
	bc_text_release(&out);
}
END_TEST

/* 10,000 cases, of which the last takes 10 cycles of 900 more, within seconds. */
START_TEST(ten_thousand_cases_are_compared)
{
	struct bc_sample s;
	struct bc_text text = { 0 };
	char words[3 * BC_PATH_MAX];

	bc_sample_init(&s, 10000);
	for (unsigned i = 0; i < 10000; i++)
		for (unsigned k = 0; k < s.devices[0].results[i].obs.nsamples; k++)
			s.devices[0].results[i].obs.samples[k] = 900;
	ck_assert_int_eq(bc_junit_format(&s.run, BC_JUNIT_FULL, "sm_90.xml", &text, &err), BC_OK);
	ck_assert_int_eq(bc_file_replace(&bc_file_system, call.dir, "old.xml", text.data, text.len, &err), BC_OK);
	for (unsigned k = 0; k < s.devices[0].results[9999].obs.nsamples; k++)
		s.devices[0].results[9999].obs.samples[k] = 910;
	text.len = 0;
	ck_assert_int_eq(bc_junit_format(&s.run, BC_JUNIT_FULL, "sm_90.xml", &text, &err), BC_OK);
	ck_assert_int_eq(bc_file_replace(&bc_file_system, call.dir, "new.xml", text.data, text.len, &err), BC_OK);
	(void)snprintf(words, sizeof(words), "diff %s/old.xml %s/new.xml", call.dir, call.dir);
	bc_program_run(&call, words);
	ck_assert_msg(call.status == 1, "%s", call.err.data);
	ck_assert_ptr_nonnull(strstr(call.out.data, "10000 cases: 9999 the same, 1 worse, 0 better"));
	bc_text_release(&text);
	bc_sample_release(&s);
}
END_TEST

Suite *bc_test_diff(void)
{
	Suite *s = suite_create("diff");
	TCase *tc = tcase_create("diff");
	const int n = (int)BC_ARRAY_LEN(pairs);

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_pair_is_told_of, 0, n);
	tcase_add_loop_test(tc, strict_takes_undecided_for_worse, 0, n);
	tcase_add_loop_test(tc, junit_is_valid_and_adds_up, 0, n);
	tcase_add_loop_test(tc, json_says_the_same, 0, n);
	tcase_add_test(tc, markdown_cannot_be_formatted_from_outside);
	tcase_add_test(tc, a_cycle_of_912_is_no_change);
	tcase_add_test(tc, the_comparison_looks_both_ways);
	tcase_add_test(tc, cases_are_chosen_on_both_sides);
	tcase_add_test(tc, the_tolerance_is_taken);
	tcase_add_loop_test(tc, wrong_usage_is_3, 0, (int)BC_ARRAY_LEN(wrong));
	tcase_add_test(tc, folders_are_compared);
	tcase_add_test(tc, pairs_of_runs_are_counted);
	tcase_add_test(tc, ten_thousand_cases_are_compared);
	suite_add_tcase(s, tc);
	return s;
}
