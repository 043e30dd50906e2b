/* SPDX-License-Identifier: MIT */
#include "harness/report/junit.h"

#include <check.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <libxml/parser.h>
#include <libxml/xmlschemas.h>

#include "harness/report/keys.h"
#include "harness/tests/report/report_sample.h"

Suite *bc_test_junit(void);

static struct bc_error err;
static struct bc_sample sample;
static struct bc_text text;
static xmlDocPtr doc;
static xmlNodePtr root;

static void release(void)
{
	(void)setlocale(LC_ALL, "C");
	xmlFreeDoc(doc);
	doc = NULL;
	bc_text_release(&text);
	bc_sample_release(&sample);
}

/* Errors of libxml2, collected for a failing test's message. */
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

static void check_schema(void)
{
	xmlSchemaParserCtxtPtr parser = xmlSchemaNewParserCtxt(BC_TEST_DATA "/report/junit-10.xsd");
	xmlSchemaPtr schema;
	xmlSchemaValidCtxtPtr valid;

	ck_assert_ptr_nonnull(parser);
	schema = xmlSchemaParse(parser);
	ck_assert_msg(schema, BC_TEST_DATA "/report/junit-10.xsd cannot be read");
	valid = xmlSchemaNewValidCtxt(schema);
	ck_assert_ptr_nonnull(valid);
	complaints[0] = '\0';
	xmlSchemaSetValidErrors(valid, complain, complain, NULL);
	ck_assert_msg(xmlSchemaValidateDoc(valid, doc) == 0, "not valid by the schema: %s", complaints);
	xmlSchemaFreeValidCtxt(valid);
	xmlSchemaFree(schema);
	xmlSchemaFreeParserCtxt(parser);
}

/* Make the document of @name, valid by the schema, and read it. */
static void make(const char *name)
{
	ck_assert_msg(bc_junit_format(&sample.run, BC_JUNIT_FULL, name, &text, &err) == BC_OK, "%s", err.msg);
	doc = xmlReadMemory(text.data, (int)text.len, name, NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
	ck_assert_msg(doc, "not well-formed: %s", text.data);
	root = xmlDocGetRootElement(doc);
	ck_assert_str_eq((const char *)root->name, "testsuites");
	check_schema();
}

/* Attribute of @n in a static buffer, NULL when it is not there. Four may be in use at a time. */
static const char *get(xmlNodePtr n, const char *name)
{
	static char bufs[4][8192];
	static unsigned next;
	char *buf = bufs[next++ % 4];
	xmlChar *value = xmlGetNoNsProp(n, BAD_CAST name);

	if (!value)
		return NULL;
	(void)bc_strlcpy(buf, (const char *)value, sizeof(bufs[0]));
	xmlFree(value);
	return buf;
}

static unsigned long number(xmlNodePtr n, const char *name)
{
	const char *s = get(n, name);

	ck_assert_msg(s && s[0] && strspn(s, "0123456789") == strlen(s), "%s of %s is %s", name, (const char *)n->name,
		      s ? s : "not there");
	return strtoul(s, NULL, 10);
}

/* First child element called @name, or any with NULL; from @after on when it is not NULL. */
static xmlNodePtr child(xmlNodePtr n, xmlNodePtr after, const char *name)
{
	xmlNodePtr c = after ? xmlNextElementSibling(after) : xmlFirstElementChild(n);

	while (c && name && strcmp((const char *)c->name, name) != 0)
		c = xmlNextElementSibling(c);
	return c;
}

/* Text content; the caller frees it with xmlFree. */
static char *content(xmlNodePtr n)
{
	char *s = (char *)xmlNodeGetContent(n);

	ck_assert_ptr_nonnull(s);
	return s;
}

/* Value of a property of the testsuite @suite. */
static const char *property(xmlNodePtr suite, const char *name)
{
	const xmlNodePtr list = child(suite, NULL, "properties");

	for (xmlNodePtr p = child(list, NULL, NULL); p; p = child(list, p, NULL))
		if (strcmp(get(p, "name"), name) == 0)
			return get(p, "value");
	ck_abort_msg("no property %s", name);
	return NULL;
}

static void check_property(xmlNodePtr suite, const char *name, const char *want)
{
	const char *value = property(suite, name);

	ck_assert_msg(strcmp(value, want) == 0, "%s is %s, expected %s", name, value, want);
}

/* ------------------------------------------------------------------------------------ verdicts and counts */

static const struct {
	enum bc_verdict v;
	const char *name, *element;
	bool body; /* the element has text: a finding */
} verdicts[] = {
	{ BC_PASS, "PASS", NULL, false },
	{ BC_FAIL, "FAIL", "failure", true },
	{ BC_DISAGREE, "DISAGREE", "failure", true },
	{ BC_XPASS, "XPASS", "failure", true },
	{ BC_BROKEN, "BROKEN", "error", true },
	{ BC_LOST, "LOST", "error", true },
	{ BC_UNJUDGED, "UNJUDGED", "error", true },
	{ BC_SKIP, "SKIP", "skipped", false },
	{ BC_XFAIL, "XFAIL", "skipped", false },
};

START_TEST(a_verdict_has_its_element)
{
	xmlNodePtr suite, tc, el;

	bc_sample_init(&sample, 1);
	bc_sample_set(&sample, 0, 0, verdicts[_i].v, _i == 0 ? "" : "expected <2>, measured \"31\"");
	make("sm_90.xml");
	suite = child(root, NULL, "testsuite");
	tc = child(suite, NULL, "testcase");
	el = child(tc, NULL, NULL);
	if (!verdicts[_i].element) {
		ck_assert_str_eq((const char *)el->name, "system-out");
		return;
	}
	ck_assert_str_eq((const char *)el->name, verdicts[_i].element);
	ck_assert_str_eq(get(tc, "classname"), "bankcheck.sm_90.stride");
	ck_assert_str_eq(get(tc, "name"), "ld_b32/0");
	ck_assert_str_eq(get(el, "type"), verdicts[_i].name);
	ck_assert_str_eq(get(el, "message"), "expected <2>, measured \"31\"");
	ck_assert_int_eq(number(suite, "failures") == 1, strcmp(verdicts[_i].element, "failure") == 0);
	ck_assert_int_eq(number(suite, "errors") == 1, strcmp(verdicts[_i].element, "error") == 0);
	ck_assert_int_eq(number(suite, "skipped") == 1, strcmp(verdicts[_i].element, "skipped") == 0);
	ck_assert_int_eq(el->children != NULL, verdicts[_i].body);
	ck_assert_str_eq((const char *)child(tc, el, NULL)->name, "system-out");
	ck_assert_ptr_null(child(tc, child(tc, el, NULL), NULL));
}
END_TEST

START_TEST(a_failure_says_where_and_how_to_run_it)
{
	char *body;

	bc_sample_init(&sample, 1);
	bc_sample_set(&sample, 0, 0, BC_FAIL, "measured 31");
	make("sm_90.xml");
	body = content(child(child(child(root, NULL, "testsuite"), NULL, "testcase"), NULL, "failure"));
	ck_assert_str_eq(body, "FAIL: measured 31\n"
			       "expected: wavefronts 1.5..2.5 (published: two \\ words a bank), "
			       "expected/common/stride.txt:12\n"
			       "rule: gcd(s, 32) wavefronts & no more\n"
			       "run again: bankcheck run --device cuda:0 --filter stride/ld_b32/0");
	xmlFree(body);
}
END_TEST

START_TEST(a_message_is_never_empty)
{
	bc_sample_init(&sample, 1);
	bc_sample_set(&sample, 0, 0, BC_LOST, "");
	make("sm_90.xml");
	ck_assert_str_eq(get(child(child(child(root, NULL, "testsuite"), NULL, "testcase"), NULL, "error"), "message"),
			 "LOST");
}
END_TEST

/* Attempts at a case that differ: each finding but the one that is the case's own verdict, whatever passed between. */
START_TEST(every_attempt_that_found_something_is_told)
{
	static struct bc_attempt tries[] = {
		{ BC_PASS, "", 0.1 }, { BC_FAIL, "ratio wavefronts=3", 0.1 }, { BC_PASS, "", 0.1 },
		{ BC_LOST, "", 0.1 }, { BC_FAIL, "ratio wavefronts=2", 0.1 },
	};
	xmlNodePtr tc, one;

	bc_sample_init(&sample, 1);
	bc_sample_set(&sample, 0, 0, BC_FAIL, "ratio wavefronts=2");
	sample.devices[0].results[0].tries = tries;
	sample.devices[0].results[0].ntries = BC_ARRAY_LEN(tries);
	make("sm_90.xml");
	sample.devices[0].results[0].tries = NULL;
	tc = child(child(root, NULL, "testsuite"), NULL, "testcase");
	one = child(tc, NULL, "rerunFailure");
	ck_assert_ptr_nonnull(one);
	ck_assert_str_eq(get(one, "message"), "ratio wavefronts=3");
	ck_assert_ptr_null(child(tc, one, "rerunFailure"));
	one = child(tc, NULL, "rerunError");
	ck_assert_ptr_nonnull(one);
	ck_assert_str_eq(get(one, "message"), "LOST");
	ck_assert_ptr_null(child(tc, one, "rerunError"));
}
END_TEST

/* Of many workers that died the first 20 are told, and how many there are. */
START_TEST(not_all_of_many_deaths_are_told)
{
	static const struct {
		size_t deaths;
		unsigned told;
		const char *end;
	} rows[] = { { 1, 1, "its end 0" },
		     { 20, 20, "its end 19" },
		     { 21, 20, " | and 1 more, each in the journal" } };
	static struct bc_death deaths[21];
	const char *value;
	unsigned told = 0;

	for (size_t i = 0; i < BC_ARRAY_LEN(deaths); i++)
		(void)snprintf(deaths[i].reason, sizeof(deaths[i].reason), "its end %zu", i);
	bc_sample_init(&sample, 1);
	sample.devices[0].deaths = deaths;
	sample.devices[0].ndeaths = rows[_i].deaths;
	make("sm_90.xml");
	sample.devices[0].deaths = NULL;
	value = property(child(root, NULL, "testsuite"), "deaths");
	ck_assert_ptr_nonnull(value);
	ck_assert_uint_eq(strtoul(value, NULL, 10), rows[_i].deaths);
	for (const char *at = strstr(value, "its end"); at; at = strstr(at + 1, "its end"))
		told++;
	ck_assert_uint_eq(told, rows[_i].told);
	ck_assert_msg(strstr(value, rows[_i].end) != NULL, "%s", value);
}
END_TEST

/* Sums of a testsuite as its testcases give them. */
struct seen {
	unsigned long tests, failures, errors, skipped, ms;
};

static unsigned long milliseconds(xmlNodePtr n)
{
	const char *s = get(n, "time");
	char *end;
	const unsigned long sec = strtoul(s, &end, 10);

	ck_assert_msg(end > s && *end == '.' && strlen(end) == 4, "time=\"%s\"", s);
	return sec * 1000 + strtoul(end + 1, NULL, 10);
}

static void count_suite(xmlNodePtr suite, struct seen *s)
{
	for (xmlNodePtr tc = child(suite, NULL, "testcase"); tc; tc = child(suite, tc, "testcase")) {
		s->tests++;
		s->failures += child(tc, NULL, "failure") != NULL;
		s->errors += child(tc, NULL, "error") != NULL;
		s->skipped += child(tc, NULL, "skipped") != NULL;
		s->ms += milliseconds(tc);
	}
}

static void check_sums(xmlNodePtr n, const struct seen *s)
{
	ck_assert_uint_eq(number(n, "tests"), s->tests);
	ck_assert_uint_eq(number(n, "failures"), s->failures);
	ck_assert_uint_eq(number(n, "errors"), s->errors);
	ck_assert_uint_eq(milliseconds(n), s->ms);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* No two testcases of the document share class name and name; dots separate the class name's three parts only. */
static void check_names(size_t expected)
{
	char **names = calloc(expected + 1, sizeof(*names));
	size_t n = 0;

	ck_assert_ptr_nonnull(names);
	for (xmlNodePtr suite = child(root, NULL, NULL); suite; suite = child(root, suite, NULL))
		for (xmlNodePtr tc = child(suite, NULL, "testcase"); tc; tc = child(suite, tc, "testcase")) {
			const char *class = get(tc, "classname"), *name = get(tc, "name");
			unsigned dots = 0;

			for (const char *p = class; *p; p++)
				dots += *p == '.';
			ck_assert_msg(dots == 2 && strncmp(class, "bankcheck.", 10) == 0, "class name %s", class);
			ck_assert_msg(!strchr(name, '.') && strchr(name, '/'), "name %s", name);
			ck_assert_str_eq(class, get(suite, "name"));
			ck_assert_uint_lt(n, expected);
			names[n] = malloc(strlen(class) + strlen(name) + 2);
			ck_assert_ptr_nonnull(names[n]);
			(void)sprintf(names[n++], "%s %s", class, name);
		}
	ck_assert_uint_eq(n, expected);
	qsort(names, n, sizeof(*names), by_text);
	for (size_t i = 1; i < n; i++)
		ck_assert_str_ne(names[i - 1], names[i]);
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static const size_t case_counts[] = { 0, 1, 2, 9, 1200 };

START_TEST(counts_add_up)
{
	const size_t n = case_counts[_i];
	struct seen all = { 0 };
	size_t want[4] = { 0 }; /* none, failure, error, skipped */
	size_t suites = 0;

	bc_sample_init(&sample, n);
	(void)bc_sample_add(&sample, BC_DEVICE_CUDA, "sm_90", "sm_90_cuda1");
	for (size_t d = 0; d < 2; d++)
		for (size_t i = 0; i < n; i++) {
			const char *el = verdicts[(i + d) % 9].element;

			bc_sample_set(&sample, d, i, verdicts[(i + d) % 9].v, "m");
			want[!el ? 0 : el[0] == 'f' ? 1 : el[0] == 'e' ? 2 : 3]++;
		}
	make("sm_90.xml");
	for (xmlNodePtr suite = child(root, NULL, NULL); suite; suite = child(root, suite, NULL), suites++) {
		struct seen s = { 0 };

		ck_assert_str_eq((const char *)suite->name, "testsuite");
		count_suite(suite, &s);
		check_sums(suite, &s);
		ck_assert_uint_eq(number(suite, "skipped"), s.skipped);
		ck_assert_str_eq(get(suite, "timestamp"), "2026-11-29T21:30:00");
		all.tests += s.tests;
		all.failures += s.failures;
		all.errors += s.errors;
		all.skipped += s.skipped;
		all.ms += s.ms;
	}
	check_sums(root, &all);
	ck_assert_ptr_null(get(root, "skipped"));
	ck_assert_ptr_null(get(root, "timestamp"));
	ck_assert_uint_eq(all.tests, want[0] + want[1] + want[2] + want[3]);
	ck_assert_uint_eq(all.tests, 2 * n);
	ck_assert_uint_eq(all.failures, want[1]);
	ck_assert_uint_eq(all.errors, want[2]);
	ck_assert_uint_eq(all.skipped, want[3]);
	ck_assert_uint_eq(suites, n < 2 ? 2 : 4); /* device x suite; the facts of a device without any */
	check_names(2 * n);
}
END_TEST

/* Results that are not in order of suite still make one testsuite a suite. */
START_TEST(a_suite_is_one_testsuite)
{
	struct bc_result swap;

	bc_sample_init(&sample, 4);
	swap = sample.devices[0].results[0];
	sample.devices[0].results[0] = sample.devices[0].results[3];
	sample.devices[0].results[3] = swap;
	make("sm_90.xml");
	ck_assert_uint_eq(xmlChildElementCount(root), 2);
	check_names(4);
}
END_TEST

/* ------------------------------------------------------------------------------------ devices and files */

START_TEST(properties_tell_the_device)
{
	xmlNodePtr suite;

	bc_sample_init(&sample, 1);
	(void)bc_strlcpy(sample.devices[0].events, "Xid 31 (GPU memory page fault)", sizeof(sample.devices[0].events));
	make("sm_90.xml");
	suite = child(root, NULL, "testsuite");
	ck_assert_str_eq(get(suite, "hostname"), "host");
	check_property(suite, "events", "Xid 31 (GPU memory page fault)");
	check_property(suite, "device", "cuda:0");
	check_property(suite, "hardware", "yes");
	check_property(suite, "gpu", "NVIDIA H200");
	check_property(suite, "uuid", "GPU-00-11");
	check_property(suite, "driver", "580.159.04");
	check_property(suite, "cuda", "13.0");
	check_property(suite, "cupti", "13.0.85");
	check_property(suite, "clock", "1980000 kHz");
	check_property(suite, "memory_clock", "unknown");
	check_property(suite, "ecc", "on");
	check_property(suite, "standing", "confirmed NVIDIA H200, 580.159.04, 2026-11");
	check_property(suite, "image_hash", "0000000000001234");
	check_property(suite, "expectations_hash", "0000000000005678");
	check_property(suite, "plan_hash", "000000000000abcd");
	check_property(suite, "run_id", "20261129T213000Z-host-77");
	check_property(suite, "run_seconds", "12.346");
	check_property(suite, "host", "host");
	check_property(suite, "complete", "yes");
	check_property(suite, "bankcheck", BC_VERSION);
}
END_TEST

START_TEST(the_reference_device_is_not_hardware)
{
	xmlNodePtr suite;

	bc_sample_init(&sample, 1);
	(void)bc_sample_add(&sample, BC_DEVICE_REFERENCE, "sm_90", "reference_sm_90");
	make("reference-sm_90.xml");
	suite = child(root, NULL, "testsuite");
	ck_assert_uint_eq(xmlChildElementCount(root), 1);
	ck_assert_str_eq(get(suite, "name"), "bankcheck.reference_sm_90.stride");
	check_property(suite, "device", "reference:sm_90");
	check_property(suite, "hardware", "no: this is the reference device; its counters are the bank laws");
	check_property(suite, "counters_by", "model");
	check_property(suite, "standing", "unconfirmed");
	check_property(suite, "complete", "no");
	check_property(suite, "ecc", "unknown");
	check_property(suite, "driver", "none");
}
END_TEST

static const struct {
	enum bc_device_kind kind;
	const char *facts_arch, *arch, *want;
} names[] = {
	{ BC_DEVICE_CUDA, "sm_90", "sm_90", "sm_90.xml" },
	{ BC_DEVICE_REFERENCE, "sm_120", "sm_120", "reference-sm_120.xml" },
	{ BC_DEVICE_CUDA, "", "sm_80", "sm_80.xml" },
	{ BC_DEVICE_CUDA, "", "", "unknown.xml" },
	{ BC_DEVICE_CUDA, "../x/.y", "sm_90", "___x__y.xml" },
};

START_TEST(a_file_is_called_by_its_architecture)
{
	struct bc_device_run d = { .facts.kind = names[_i].kind };
	char buf[BC_JUNIT_NAME_MAX];

	(void)bc_strlcpy(d.facts.arch, names[_i].facts_arch, sizeof(d.facts.arch));
	(void)bc_strlcpy(d.arch.name, names[_i].arch, sizeof(d.arch.name));
	bc_junit_name(&d, buf);
	ck_assert_str_eq(buf, names[_i].want);
}
END_TEST

static bool file_is(const char *dir, const char *name, const char *want)
{
	char path[BC_PATH_MAX + 64];
	struct bc_text got = { 0 };
	bool same;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_msg(bc_file_read(path, 64 << 20, &got, &err) == BC_OK, "%s", err.msg);
	same = strcmp(got.data, want) == 0;
	bc_text_release(&got);
	return same;
}

static void put_file(const char *dir, const char *name, const char *data)
{
	char path[BC_PATH_MAX + 64];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(data, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

START_TEST(equal_architectures_share_a_file)
{
	char dir[BC_PATH_MAX], path[BC_PATH_MAX + 32];
	struct bc_paths paths = { 0 };

	bc_sample_init(&sample, 3);
	(void)bc_sample_add(&sample, BC_DEVICE_REFERENCE, "sm_90", "reference_sm_90");
	(void)bc_sample_add(&sample, BC_DEVICE_CUDA, "sm_90", "sm_90_cuda1");
	(void)bc_sample_add(&sample, BC_DEVICE_CUDA, "sm_80", "sm_80");
	bc_sample_folder(dir);
	put_file(dir, "sm_90.xml", "old");
	put_file(dir, ".sm_90.xml.tmp", "left by a killed run");
	ck_assert_msg(bc_junit_write(&sample.run, BC_JUNIT_FULL, dir, &paths, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(bc_sample_entries(dir), 3);
	ck_assert_uint_eq(paths.n, 3);
	(void)snprintf(path, sizeof(path), "%s/sm_90.xml", dir);
	ck_assert_str_eq(paths.path[0], path);
	(void)snprintf(path, sizeof(path), "%s/reference-sm_90.xml", dir);
	ck_assert_str_eq(paths.path[1], path);
	(void)snprintf(path, sizeof(path), "%s/sm_80.xml", dir);
	ck_assert_str_eq(paths.path[2], path);
	make("sm_90.xml");
	ck_assert_uint_eq(number(root, "tests"), 6);
	check_names(6);
	ck_assert(file_is(dir, "sm_90.xml", text.data));
	bc_paths_release(&paths);
}
END_TEST

START_TEST(a_device_name_cannot_break_the_class_name)
{
	bc_sample_init(&sample, 1);
	(void)bc_strlcpy(sample.devices[0].dev, "MIG 1g.5gb\n/\xff", sizeof(sample.devices[0].dev));
	make("sm_90.xml");
	ck_assert_str_eq(get(child(root, NULL, "testsuite"), "name"), "bankcheck.____1g_5gb_._.stride");
}
END_TEST

START_TEST(equal_names_are_refused)
{
	char dir[BC_PATH_MAX];
	struct bc_paths paths = { 0 };

	bc_sample_init(&sample, 2);
	(void)bc_sample_add(&sample, BC_DEVICE_CUDA, "sm_90", _i == 0 ? "sm_90" : "sm_90_cuda1");
	if (_i == 1)
		sample.devices[1].results[1].c = sample.devices[1].results[0].c;
	bc_sample_folder(dir);
	put_file(dir, "sm_90.xml", "old");
	ck_assert_int_eq(bc_junit_write(&sample.run, BC_JUNIT_FULL, dir, &paths, &err), BC_EWRITE);
	ck_assert_ptr_nonnull(strstr(err.msg, _i == 0 ? "bankcheck.sm_90" : "stride/ld_b32/0"));
	ck_assert(file_is(dir, "sm_90.xml", "old"));
	ck_assert_uint_eq(paths.n, 0);
}
END_TEST

/* ------------------------------------------------------------------------------------ hostile text, locale */

START_TEST(foreign_text_is_escaped)
{
	static const char hostile[] = "a\033[1m\001\x7f\n<&>\"']]>\xff\xef\xbf\xbe\xed\xa0\x80\xc3\xbc";
	static const char seen[] = "a\\x1b[1m\\x01\\x7f\\n<&>\"']]>\\xff\\ufffe\\ud800\xc3\xbc";
	struct bc_device_run *d;
	struct bc_key_values k = { 0 };
	xmlNodePtr suite, tc;
	char *out;

	bc_sample_init(&sample, 1);
	d = &sample.devices[0];
	(void)bc_strlcpy(d->facts.name, hostile, sizeof(d->facts.name));
	(void)bc_strlcpy(sample.run.host, hostile, sizeof(sample.run.host));
	(void)bc_strlcpy(d->note, hostile, sizeof(d->note));
	(void)bc_strlcpy(d->results[0].obs.reason, hostile, sizeof(d->results[0].obs.reason));
	(void)bc_strlcpy(sample.row.basis, hostile, sizeof(sample.row.basis));
	bc_sample_set(&sample, 0, 0, BC_BROKEN, hostile);
	make("sm_90.xml");
	suite = child(root, NULL, "testsuite");
	tc = child(suite, NULL, "testcase");
	check_property(suite, "gpu", seen);
	check_property(suite, "note", seen);
	ck_assert_str_eq(get(suite, "hostname"), seen);
	ck_assert_str_eq(get(child(tc, NULL, "error"), "message"), seen);
	out = content(child(tc, NULL, "error"));
	ck_assert_int_eq(strncmp(out, "BROKEN: a\\x1b[1m\\x01\\x7f\n<&>\"']]>\\xff\\ufffe\\ud800\xc3\xbc\n", 50), 0);
	xmlFree(out);
	out = content(child(tc, NULL, "system-out"));
	ck_assert_msg(bc_junit_keys(out, &k, &err) == BC_OK, "%s", err.msg);
	ck_assert_str_eq(bc_key_get(&k, "reason"), hostile);
	ck_assert_str_eq(bc_key_get(&k, "wavefronts_basis"), hostile);
	ck_assert_str_eq(k.free_text, "a\\x1b[1m\\x01\\x7f\n<&>\"']]>\\xff\\ufffe\\ud800\xc3\xbc");
	xmlFree(out);
	bc_key_values_release(&k);
}
END_TEST

START_TEST(a_german_locale_changes_nothing)
{
	struct bc_text c = { 0 };
	char buf[16];

	bc_sample_init(&sample, 9);
	for (size_t i = 0; i < 9; i++)
		bc_sample_set(&sample, 0, i, verdicts[i].v, "m");
	sample.devices[0].results[0].obs.seconds = 1234.5678;
	ck_assert_int_eq(bc_junit_format(&sample.run, BC_JUNIT_FULL, "sm_90.xml", &c, &err), BC_OK);
	ck_assert_msg(setlocale(LC_ALL, "de_DE.UTF-8"), "no locale de_DE.UTF-8: build it with `localedef "
							"-i de_DE -f UTF-8 DIR/de_DE.UTF-8` and set LOCPATH=DIR");
	(void)snprintf(buf, sizeof(buf), "%.1f", 0.5);
	ck_assert_str_eq(buf, "0,5"); /* the locale is a real one */
	make("sm_90.xml");
	ck_assert_str_eq(text.data, c.data);
	ck_assert_ptr_nonnull(strstr(text.data, "time=\"1234.568\""));
	ck_assert_ptr_nonnull(strstr(text.data, "wavefronts=1.5..2.5\n"));
	ck_assert_ptr_nonnull(strstr(text.data, "clock=2.5\n"));
	bc_text_release(&c);
}
END_TEST

/* ------------------------------------------------------------------------------------ failures */

START_TEST(one_bad_file_does_not_cost_the_others)
{
	char dir[BC_PATH_MAX], path[BC_PATH_MAX + 32];
	struct bc_paths paths = { 0 };

	bc_sample_init(&sample, 2);
	(void)bc_sample_add(&sample, BC_DEVICE_CUDA, "sm_80", "sm_80");
	bc_sample_folder(dir);
	(void)snprintf(path, sizeof(path), "%s/sm_90.xml", dir);
	ck_assert_int_eq(mkdir(path, 0777), 0); /* a folder cannot be replaced by a file */
	ck_assert_int_eq(bc_junit_write(&sample.run, BC_JUNIT_FULL, dir, &paths, &err), BC_EWRITE);
	ck_assert_ptr_nonnull(strstr(err.msg, "sm_90.xml"));
	ck_assert_uint_eq(paths.n, 1);
	ck_assert_ptr_nonnull(strstr(paths.path[0], "/sm_80.xml"));
	make("sm_80.xml");
	ck_assert(file_is(dir, "sm_80.xml", text.data));
	ck_assert_uint_eq(bc_sample_entries(dir), 2);
	bc_paths_release(&paths);
}
END_TEST

START_TEST(the_first_failure_is_told)
{
	char dir[BC_PATH_MAX], path[BC_PATH_MAX + 32];
	struct bc_paths paths = { 0 };

	bc_sample_init(&sample, 1);
	(void)bc_sample_add(&sample, BC_DEVICE_CUDA, "sm_80", "sm_80");
	bc_sample_folder(dir);
	(void)snprintf(path, sizeof(path), "%s/sm_80.xml", dir);
	ck_assert_int_eq(mkdir(path, 0777), 0);
	(void)snprintf(path, sizeof(path), "%s/sm_90.xml", dir);
	ck_assert_int_eq(mkdir(path, 0777), 0);
	ck_assert_int_eq(bc_junit_write(&sample.run, BC_JUNIT_FULL, dir, &paths, &err), BC_EWRITE);
	ck_assert_msg(strstr(err.msg, path), "%s", err.msg);
	ck_assert_uint_eq(paths.n, 0);
}
END_TEST

Suite *bc_test_junit(void)
{
	Suite *s = suite_create("junit");
	TCase *tc = tcase_create("junit");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, NULL, release);
	tcase_add_loop_test(tc, a_verdict_has_its_element, 0, (int)BC_ARRAY_LEN(verdicts));
	tcase_add_test(tc, a_failure_says_where_and_how_to_run_it);
	tcase_add_test(tc, a_message_is_never_empty);
	tcase_add_test(tc, every_attempt_that_found_something_is_told);
	tcase_add_loop_test(tc, not_all_of_many_deaths_are_told, 0, 3);
	tcase_add_loop_test(tc, counts_add_up, 0, (int)BC_ARRAY_LEN(case_counts));
	tcase_add_test(tc, a_suite_is_one_testsuite);
	tcase_add_test(tc, properties_tell_the_device);
	tcase_add_test(tc, the_reference_device_is_not_hardware);
	tcase_add_loop_test(tc, a_file_is_called_by_its_architecture, 0, (int)BC_ARRAY_LEN(names));
	tcase_add_test(tc, equal_architectures_share_a_file);
	tcase_add_test(tc, a_device_name_cannot_break_the_class_name);
	tcase_add_loop_test(tc, equal_names_are_refused, 0, 2);
	tcase_add_test(tc, foreign_text_is_escaped);
	tcase_add_test(tc, a_german_locale_changes_nothing);
	tcase_add_test(tc, one_bad_file_does_not_cost_the_others);
	tcase_add_test(tc, the_first_failure_is_told);
	suite_add_tcase(s, tc);
	return s;
}
