/* SPDX-License-Identifier: MIT */
#include "harness/report/reader.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/gzip.h"
#include "harness/report/junit.h"
#include "harness/tests/report/report_sample.h"

Suite *bc_test_reader(void);

#define NCASES 6

static struct bc_error err;
static struct bc_sample sample;
static struct bc_read_file file;
static char dir[BC_PATH_MAX], path[BC_PATH_MAX + 32];
static struct bc_text text;

static void setup(void)
{
	bc_sample_folder(dir);
	(void)snprintf(path, sizeof(path), "%s/sm_90.xml", dir);
	file = (struct bc_read_file){ 0 };
	text = (struct bc_text){ 0 };
	bc_sample_init(&sample, NCASES);
}

static void teardown(void)
{
	bc_report_release(&file);
	bc_text_release(&text);
	bc_sample_release(&sample);
}

static void put(const char *name, const char *bytes, size_t len)
{
	ck_assert_msg(bc_file_replace(&bc_file_system, dir, name, bytes, len, &err) == BC_OK, "%s", err.msg);
}

/* Write the sample run, as `run` does, and read it. */
static void write_and_read(void)
{
	ck_assert_msg(bc_junit_format(&sample.run, BC_JUNIT_FULL, "sm_90.xml", &text, &err) == BC_OK, "%s", err.msg);
	put("sm_90.xml", text.data, text.len);
	ck_assert_msg(bc_report_read(path, &file, &err) == BC_OK, "%s", err.msg);
}

START_TEST(what_was_written_is_read)
{
	const struct bc_read_device *d;
	const struct bc_read_case *c;

	bc_sample_set(&sample, 0, 1, BC_FAIL, "one line <with> & marks");
	bc_sample_set(&sample, 0, 2, BC_SKIP, "needs ldmatrix");
	write_and_read();
	ck_assert_str_eq(file.path, path);
	ck_assert_uint_eq(file.ndevices, 1);
	d = &file.devices[0];
	ck_assert_str_eq(d->dev, sample.devices[0].dev);
	ck_assert_str_eq(d->host, sample.run.host);
	ck_assert_str_eq(d->timestamp, sample.run.timestamp);
	ck_assert_str_eq(bc_read_property(d, "run_id"), sample.run.run_id);
	ck_assert_str_eq(bc_read_property(d, "driver"), sample.devices[0].facts.driver);
	ck_assert_str_eq(bc_read_property(d, "no_such"), "");
	ck_assert_uint_eq(d->ncases, NCASES);
	for (size_t i = 1; i < d->ncases; i++)
		ck_assert_int_lt(strcmp(d->cases[i - 1].id, d->cases[i].id), 0);
	c = bc_read_find(d, sample.cases[1].id);
	ck_assert_ptr_nonnull(c);
	ck_assert_int_eq(c->verdict, BC_FAIL);
	ck_assert_str_eq(c->message, "one line <with> & marks");
	ck_assert_uint_gt(c->line, 1);
	ck_assert_double_eq_tol(c->seconds, 0.001, 1e-9); /* case i took i milliseconds */
	ck_assert_int_eq(bc_read_find(d, sample.cases[2].id)->verdict, BC_SKIP);
	ck_assert_str_eq(bc_read_find(d, sample.cases[0].id)->message, "");
	ck_assert_ptr_nonnull(bc_key_get(&c->keys, "clock_samples"));
	ck_assert_ptr_null(bc_read_find(d, "stride/ld_b32/none"));
	ck_assert_ptr_null(bc_read_find(d, ""));
}
END_TEST

START_TEST(devices_of_one_file_are_kept_apart)
{
	(void)bc_sample_add(&sample, BC_DEVICE_CUDA, "sm_90", "sm_90_cuda1");
	bc_sample_set(&sample, 1, 0, BC_LOST, "gone");
	write_and_read();
	ck_assert_uint_eq(file.ndevices, 2);
	ck_assert_str_eq(file.devices[1].dev, "sm_90_cuda1");
	ck_assert_int_eq(bc_read_find(&file.devices[0], sample.cases[0].id)->verdict, BC_PASS);
	ck_assert_int_eq(bc_read_find(&file.devices[1], sample.cases[0].id)->verdict, BC_LOST);
}
END_TEST

START_TEST(a_device_without_results_is_read)
{
	sample.devices[0].nresults = 0;
	write_and_read();
	ck_assert_uint_eq(file.ndevices, 1);
	ck_assert_uint_eq(file.devices[0].ncases, 0);
	ck_assert_ptr_null(bc_read_find(&file.devices[0], sample.cases[0].id));
	sample.devices[0].nresults = NCASES;
}
END_TEST

#define HEAD "<testsuites>\n<testsuite name=\"bankcheck.sm_90.s\">\n"
#define PROPS \
	"<properties><property name=\"bankcheck\" value=\"0\"/><property name=\"run_id\" value=\"r\"/></properties>\n"
#define TAIL "</testsuite></testsuites>\n"
#define SUMS(root, suite)                                                                                              \
	"<testsuites " root ">\n<testsuite name=\"bankcheck.sm_90.s\" " suite ">\n" PROPS FOUND("r/a", "PASS", "")     \
		FOUND("r/b", "FAIL", "<failure/>") FOUND("r/c", "LOST", "<error/>") FOUND("r/d", "SKIP", "<skipped/>") \
			TAIL
#define FOUND(id, verdict, child)                                                                  \
	"<testcase name=\"" id "\">" child "<system-out>format=1\ncase=s/" id "\nverdict=" verdict \
	"\n</system-out></testcase>\n"
#define CASE(out) "<testcase name=\"a\"><system-out>" out "</system-out></testcase>\n"

static const struct {
	const char *what, *text;
	enum bc_status st;
	const char *says; /* after the path */
} refused[] = {
	{ "an empty file", "", BC_EDATA, ": an empty file is no report" },
	{ "no XML", "PASS\n", BC_EDATA, ":1: not well-formed XML" },
	{ "cut short", HEAD PROPS CASE("format=1\ncase=s/r/a\nverdict=PASS\n"), BC_EDATA, ": not well-formed XML" },
	{ "another root", "<html/>", BC_EDATA, ":1: the root element is not testsuites" },
	{ "no testsuite", "<testsuites/>", BC_EDATA, ":1: no testsuite" },
	{ "another tool's testsuite", "<testsuites>\n<testsuite name=\"pytest\"/></testsuites>", BC_EDATA,
	  ":2: a testsuite whose name is not bankcheck." },
	{ "a name with nothing in it", "<testsuites>\n<testsuite name=\"bankcheck.\"/></testsuites>", BC_EDATA,
	  ":2: " },
	{ "no properties", HEAD TAIL, BC_EDATA, ":2: the testsuite lacks the properties" },
	{ "no run_id", HEAD "<properties><property name=\"bankcheck\" value=\"0\"/></properties>" TAIL, BC_EDATA,
	  ":2: the testsuite lacks" },
	{ "a testcase without system-out", HEAD PROPS "<testcase name=\"a\"/>" TAIL, BC_EDATA,
	  ":4: the testcase has no system-out" },
	{ "a later format", HEAD PROPS CASE("format=2\ncase=s/r/a\nverdict=PASS\n") TAIL, BC_EDATA,
	  ":4: system-out line 1" },
	{ "a line that is no key", HEAD PROPS CASE("format=1\ncase\n") TAIL, BC_EDATA, ":4: system-out line 2" },
	{ "no case", HEAD PROPS CASE("format=1\nverdict=PASS\n") TAIL, BC_EDATA, ":4: " },
	{ "no verdict", HEAD PROPS CASE("format=1\ncase=s/r/a\n") TAIL, BC_EDATA, ":4: " },
	{ "an unknown verdict", HEAD PROPS CASE("format=1\ncase=s/r/a\nverdict=MAYBE\n") TAIL, BC_EDATA,
	  ":4: unknown verdict" },
	{ "a case twice",
	  HEAD PROPS CASE("format=1\ncase=s/r/a\nverdict=PASS\n") FOUND("r/a", "FAIL", "<failure/>") TAIL, BC_EDATA,
	  "the case s/r/a is there twice for sm_90" },
	{ "an entity that would grow without end",
	  "<!DOCTYPE a [<!ENTITY b \"bbbbbbbbbb\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">"
	  "<!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\">]>\n" HEAD PROPS "&d;" TAIL,
	  BC_EDATA, ":1: a document type definition" },
	{ "a declared encoding is not believed", "<?xml version=\"1.0\" encoding=\"UTF-7\"?>+ADw-html/+AD4-", BC_EDATA,
	  ": not well-formed" },
	{ "the least that is a report", HEAD PROPS CASE("format=1\ncase=s/r/a\nverdict=PASS\n") TAIL, BC_OK, NULL },
	{ "sums that add up", SUMS("tests=\"4\" failures=\"1\" errors=\"1\"", "tests=\"4\" skipped=\"1\""), BC_OK,
	  NULL },
	{ "another number of tests", SUMS("", "tests=\"9999\""), BC_EDATA,
	  ":2: tests=\"9999\", and its testcases make 4: the report contradicts itself" },
	{ "another number of failures", SUMS("", "tests=\"4\" failures=\"0\""), BC_EDATA, ":2: failures=\"0\"" },
	{ "another number of errors", SUMS("", "errors=\"2\""), BC_EDATA, ":2: errors=\"2\"" },
	{ "another number of skipped ones", SUMS("", "skipped=\"0\""), BC_EDATA, ":2: skipped=\"0\"" },
	{ "no number", SUMS("", "tests=\"4.0\""), BC_EDATA, ":2: tests=\"4.0\"" },
	{ "a testsuite gone", SUMS("tests=\"5\"", "tests=\"4\""), BC_EDATA, ":1: tests=\"5\"" },
	{ "PASS beside a failure", HEAD PROPS FOUND("r/a", "PASS", "<failure/>") TAIL, BC_EDATA,
	  ":4: s/r/a: verdict=PASS beside the element failure" },
	{ "LOST beside a failure", HEAD PROPS FOUND("r/a", "LOST", "<failure/>") TAIL, BC_EDATA,
	  ":4: s/r/a: verdict=LOST beside the element failure" },
	{ "FAIL without a failure", HEAD PROPS FOUND("r/a", "FAIL", "") TAIL, BC_EDATA,
	  ":4: s/r/a: verdict=FAIL, and no element failure" },
	{ "two failures", HEAD PROPS FOUND("r/a", "FAIL", "<failure/><failure/>") TAIL, BC_EDATA,
	  ":4: s/r/a: verdict=FAIL, and more than one element failure" },
	{ "a failure of another type", HEAD PROPS FOUND("r/a", "FAIL", "<failure type=\"DISAGREE\"/>") TAIL, BC_EDATA,
	  ":4: s/r/a: verdict=FAIL, and its failure is of type DISAGREE" },
	{ "an attempt that failed is no contradiction", HEAD PROPS FOUND("r/a", "PASS", "<flakyFailure/>") TAIL, BC_OK,
	  NULL },
	{ "the keys of a later version",
	  HEAD PROPS CASE("format=1\ncase=s/r/a\nverdict=PASS\nnew_key=1\n\nfree text") TAIL, BC_OK, NULL },
};

START_TEST(only_our_reports_are_taken)
{
	enum bc_status st;

	put("sm_90.xml", refused[_i].text, strlen(refused[_i].text));
	st = bc_report_read(path, &file, &err);
	ck_assert_msg(st == refused[_i].st, "%s: %d: %s", refused[_i].what, (int)st, st ? err.msg : "");
	if (!st)
		return;
	ck_assert_msg(strncmp(err.msg, path, strlen(path)) == 0, "%s: the path comes first: %s", refused[_i].what,
		      err.msg);
	ck_assert_msg(strstr(err.msg, refused[_i].says), "%s: %s", refused[_i].what, err.msg);
	ck_assert_uint_eq(file.ndevices, 0);
}
END_TEST

/* libxml2 finds UTF-16 out for itself, and in it a DTD has other bytes. */
START_TEST(another_encoding_is_refused)
{
	static const char plain[] = "<!DOCTYPE a [<!ENTITY b \"bb\">]>\n<testsuites name=\"&b;\"/>\n";
	char wide[2 + 2 * sizeof(plain)] = { 0 };
	const bool big = _i & 1, mark = _i & 2;
	size_t n = 0;

	if (mark) {
		wide[n++] = (char)(big ? 0xfe : 0xff);
		wide[n++] = (char)(big ? 0xff : 0xfe);
	}
	for (const char *at = plain; *at; at++, n += 2)
		wide[n + big] = *at;
	put("sm_90.xml", wide, n);
	ck_assert_int_eq(bc_report_read(path, &file, &err), BC_EDATA);
	ck_assert_msg(strstr(err.msg, "/sm_90.xml:1: not UTF-8") != NULL, "%s", err.msg);
	ck_assert_uint_eq(file.ndevices, 0);
}
END_TEST

/* Nothing but the file itself is read. */
START_TEST(external_entities_are_refused)
{
	char doc[4000];

	put("secret.txt", "stolen", 6);
	(void)snprintf(doc, sizeof(doc),
		       "<!DOCTYPE a [<!ENTITY x SYSTEM \"file://%s/secret.txt\">]>\n" HEAD PROPS CASE(
			       "format=1\ncase=s/r/a\nverdict=PASS\nreason=&x;\n") TAIL,
		       dir);
	put("sm_90.xml", doc, strlen(doc));
	ck_assert_int_eq(bc_report_read(path, &file, &err), BC_EDATA);
	ck_assert_ptr_nonnull(strstr(err.msg, "/sm_90.xml:1: a document type definition"));
}
END_TEST

START_TEST(what_is_not_there_cannot_be_read)
{
	ck_assert_int_eq(bc_report_read(path, &file, &err), BC_EREAD);
	ck_assert_ptr_nonnull(strstr(err.msg, path));
	ck_assert_int_eq(bc_report_read(dir, &file, &err), BC_EREAD);
}
END_TEST

/* A file cut anywhere is refused, never half taken, and never brings the program down. */
START_TEST(a_file_cut_anywhere_is_refused)
{
	size_t last;

	write_and_read();
	last = text.len;
	while (last && strchr("\n ", text.data[last - 1]))
		last--;
	for (size_t n = 0; n < last; n += 1 + n / 40) {
		struct bc_read_file cut = { 0 };

		put("cut.xml", text.data, n);
		(void)snprintf(path, sizeof(path), "%s/cut.xml", dir);
		ck_assert_msg(bc_report_read(path, &cut, &err) == BC_EDATA, "cut at %zu", n);
		ck_assert_uint_eq(cut.ndevices, 0);
	}
}
END_TEST

static void release_paths(char **paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
}

START_TEST(a_folder_names_its_reports)
{
	char **paths = NULL, below[BC_PATH_MAX + 16];
	size_t n = 0;

	ck_assert_int_eq(bc_report_paths(dir, &paths, &n, &err), BC_EDATA); /* nothing in it */
	ck_assert_uint_eq(n, 0);
	put("sm_90.xml", "x", 1);
	put("sm_80.xml", "x", 1);
	put("journal.tsv", "x", 1);
	put(".hidden.xml", "x", 1);
	put(".xml", "x", 1);
	(void)snprintf(below, sizeof(below), "%s/below", dir);
	ck_assert_int_eq(mkdir(below, 0777), 0);
	ck_assert_msg(bc_report_paths(dir, &paths, &n, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(n, 2);
	ck_assert_ptr_nonnull(strstr(paths[0], "/sm_80.xml"));
	ck_assert_ptr_nonnull(strstr(paths[1], "/sm_90.xml"));
	ck_assert_int_eq(bc_report_paths(path, &paths, &n, &err), BC_OK); /* a file, appended */
	ck_assert_uint_eq(n, 3);
	ck_assert_str_eq(paths[2], path);
	(void)snprintf(below, sizeof(below), "%s/none", dir);
	ck_assert_int_eq(bc_report_paths(below, &paths, &n, &err), BC_EREAD);
	ck_assert_uint_eq(n, 3);
	release_paths(paths, n);
}
END_TEST

START_TEST(a_folder_names_what_is_below_it)
{
	static const char *const folders[] = { "b", "b/c", ".hidden", "x.xml" };
	static const char *const files[] = { "a.xml",	      "b/c/1.xml.gz", "b/2.xml",
					     ".hidden/3.xml", "x.xml/4.xml",  "b/5.gz" };
	static const char *const want[] = { "/a.xml", "/b/2.xml", "/b/c/1.xml.gz", "/x.xml/4.xml" };
	char **paths = NULL, name[BC_PATH_MAX + 32];
	size_t n = 0;

	for (size_t i = 0; i < BC_ARRAY_LEN(folders); i++) {
		(void)snprintf(name, sizeof(name), "%s/%s", dir, folders[i]);
		ck_assert_int_eq(mkdir(name, 0777), 0);
	}
	ck_assert_int_eq(bc_report_paths_below(dir, &paths, &n, &err), BC_EDATA);
	ck_assert_ptr_nonnull(strstr(err.msg, "no *.xml and no *.xml.gz in this folder, nor below it"));
	for (size_t i = 0; i < BC_ARRAY_LEN(files); i++) {
		FILE *f;

		(void)snprintf(name, sizeof(name), "%s/%s", dir, files[i]);
		f = fopen(name, "w");
		ck_assert(f && fclose(f) == 0);
	}
	(void)snprintf(name, sizeof(name), "%s/b/circle", dir);
	ck_assert_int_eq(symlink(dir, name), 0);
	ck_assert_msg(bc_report_paths_below(dir, &paths, &n, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(n, BC_ARRAY_LEN(want));
	for (size_t i = 0; i < n; i++)
		ck_assert_str_eq(paths[i] + strlen(dir), want[i]);
	release_paths(paths, n);
}
END_TEST

/* A compressed report reads as it did before, lines and all; one that is cut anywhere, or has a byte changed, never. */
START_TEST(a_compressed_report_is_read)
{
	struct bc_text zip = { 0 }, twice = { 0 }, other = { 0 };
	char gz[BC_PATH_MAX + 32];
	unsigned line;

	write_and_read();
	line = file.devices[0].cases[3].line;
	bc_report_release(&file);
	(void)snprintf(gz, sizeof(gz), "%s/r.xml.gz", dir);
	ck_assert_int_eq(bc_gzip(text.data, text.len, &zip, &err), BC_OK);
	ck_assert_uint_lt(zip.len, text.len / 2);
	put("r.xml.gz", zip.data, zip.len);
	ck_assert_msg(bc_report_read(gz, &file, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(file.devices[0].ncases, NCASES);
	ck_assert_uint_eq(file.devices[0].cases[3].line, line);
	for (size_t cut = 2; cut < zip.len; cut += 1 + zip.len / 40) {
		put("r.xml.gz", zip.data, cut);
		bc_report_release(&file);
		ck_assert_int_eq(bc_report_read(gz, &file, &err), BC_EDATA);
		ck_assert_msg(strstr(err.msg, "r.xml.gz: the gzip file is cut short") != NULL, "%zu: %s", cut, err.msg);
	}
	for (size_t at = 20; at < zip.len - 4; at += 1 + zip.len / 20) {
		zip.data[at] = (char)(zip.data[at] ^ 0x10);
		put("r.xml.gz", zip.data, zip.len);
		ck_assert_msg(bc_report_read(gz, &file, &err) == BC_EDATA, "byte %zu changed", at);
		zip.data[at] = (char)(zip.data[at] ^ 0x10);
	}
	/* two members are one text, other bytes behind are damage, and there is a limit */
	ck_assert_int_eq(bc_text_add(&twice, zip.data, zip.len, &err), BC_OK);
	ck_assert_int_eq(bc_text_add(&twice, zip.data, zip.len, &err), BC_OK);
	ck_assert_msg(bc_gunzip(&twice, "x", 1 << 20, &other, &err) == BC_OK, "%s", err.msg);
	ck_assert_uint_eq(other.len, 2 * text.len);
	bc_text_release(&other);
	ck_assert_int_eq(bc_gunzip(&twice, "x", 2 * text.len, &other, &err), BC_OK);
	bc_text_release(&other);
	ck_assert_int_eq(bc_gunzip(&twice, "x", 2 * text.len - 1, &other, &err), BC_EDATA);
	ck_assert_ptr_nonnull(strstr(err.msg, "x: holds more than "));
	ck_assert_int_eq(bc_text_add(&twice, "tail", 4, &err), BC_OK);
	ck_assert_int_eq(bc_gunzip(&twice, "x", 1 << 20, &other, &err), BC_EDATA);
	bc_text_release(&zip);
	bc_text_release(&twice);
}
END_TEST

Suite *bc_test_reader(void)
{
	Suite *s = suite_create("reader");
	TCase *tc = tcase_create("reader");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_was_written_is_read);
	tcase_add_test(tc, devices_of_one_file_are_kept_apart);
	tcase_add_test(tc, a_device_without_results_is_read);
	tcase_add_loop_test(tc, only_our_reports_are_taken, 0, (int)BC_ARRAY_LEN(refused));
	tcase_add_loop_test(tc, another_encoding_is_refused, 0, 4);
	tcase_add_test(tc, external_entities_are_refused);
	tcase_add_test(tc, what_is_not_there_cannot_be_read);
	tcase_add_test(tc, a_file_cut_anywhere_is_refused);
	tcase_add_test(tc, a_folder_names_its_reports);
	tcase_add_test(tc, a_folder_names_what_is_below_it);
	tcase_add_test(tc, a_compressed_report_is_read);
	suite_add_tcase(s, tc);
	return s;
}
