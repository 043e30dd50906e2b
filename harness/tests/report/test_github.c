/* SPDX-License-Identifier: MIT */
#include "harness/report/github.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tests/report/report_sample.h"

Suite *bc_test_github(void);

static struct bc_error err;
static struct bc_sample sample;
static struct bc_paths paths;
static struct bc_text text;
static char dir[BC_PATH_MAX];
static char *mem;
static size_t mem_len;
static FILE *out;

static void setup(void)
{
	bc_sample_init(&sample, 300);
	bc_sample_folder(dir);
	out = open_memstream(&mem, &mem_len);
	ck_assert_ptr_nonnull(out);
}

static void teardown(void)
{
	if (out)
		(void)fclose(out);
	free(mem);
	mem = NULL;
	bc_text_release(&text);
	bc_paths_release(&paths);
	bc_sample_release(&sample);
}

static size_t count(const char *in, const char *what)
{
	size_t n = 0;

	for (const char *p = strstr(in, what); p; p = strstr(p + 1, what))
		n++;
	return n;
}

static const struct {
	const char *set;
	bool wanted;
} environment[] = { { NULL, false }, { "", false }, { "true", true } };

START_TEST(github_is_known_by_its_variable)
{
	ck_assert_int_eq(
		environment[_i].set ? setenv("GITHUB_ACTIONS", environment[_i].set, 1) : unsetenv("GITHUB_ACTIONS"), 0);
	ck_assert_int_eq(bc_github_wanted(), environment[_i].wanted);
}
END_TEST

START_TEST(a_finding_is_one_command)
{
	bc_sample_set(&sample, 0, 0, BC_FAIL, "expected 2, measured: 100%\n::error::x\r\033");
	bc_sample_set(&sample, 0, 1, BC_SKIP, "no");
	bc_sample_set(&sample, 0, 2, BC_XFAIL, "no");
	(void)bc_strlcpy(sample.devices[0].dev, "a,b:c%\nd", sizeof(sample.devices[0].dev));
	ck_assert_int_eq(bc_github_annotate(&sample.run, out, &err), BC_OK);
	ck_assert_str_eq(mem, "::error title=FAIL a%2Cb%3Ac%25\\nd stride/ld_b32/0::"
			      "expected 2, measured: 100%25\\n::error::x\\r\\x1b"
			      "%0Arun again: bankcheck run --device cuda:0 --filter stride/ld_b32/0\n");
}
END_TEST

START_TEST(no_finding_no_command)
{
	bc_sample_set(&sample, 0, 1, BC_SKIP, "no");
	ck_assert_int_eq(bc_github_annotate(&sample.run, out, &err), BC_OK);
	ck_assert_int_eq(fflush(out), 0);
	ck_assert_str_eq(mem, "");
}
END_TEST

static const struct {
	size_t findings, lines;
	const char *last; /* how the last line begins */
} caps[] = {
	{ 1, 1, "::error title=LOST sm_90 stride/ld_b32/0::" },
	{ 10, 10, "::error title=LOST sm_90 stride/ld_b32/9::" },
	{ 11, 10, "::error title=bankcheck::2 more findings " },
	{ 300, 10, "::error title=bankcheck::291 more findings " },
};

START_TEST(annotations_are_capped)
{
	const char *last;

	for (size_t i = 0; i < caps[_i].findings; i++)
		bc_sample_set(&sample, 0, i, BC_LOST, "m");
	ck_assert_int_eq(bc_github_annotate(&sample.run, out, &err), BC_OK);
	ck_assert_uint_eq(count(mem, "\n"), caps[_i].lines);
	ck_assert_uint_eq(count(mem, "::error title="), caps[_i].lines);
	mem[mem_len - 1] = '\0';
	last = strrchr(mem, '\n');
	last = last ? last + 1 : mem;
	ck_assert_msg(strncmp(last, caps[_i].last, strlen(caps[_i].last)) == 0, "%s", last);
}
END_TEST

START_TEST(a_full_output_is_an_error)
{
	(void)fclose(out);
	out = fopen("/dev/full", "w");
	ck_assert_ptr_nonnull(out);
	bc_sample_set(&sample, 0, 0, BC_FAIL, "m");
	ck_assert_int_eq(bc_github_annotate(&sample.run, out, &err), BC_EWRITE);
	ck_assert_ptr_nonnull(strstr(err.msg, "No space left"));
}
END_TEST

START_TEST(the_summary_has_devices_and_findings)
{
	bc_sample_set(&sample, 0, 0, BC_FAIL, "measured 31");
	bc_sample_set(&sample, 0, 1, BC_SKIP, "m");
	(void)bc_sample_add(&sample, BC_DEVICE_REFERENCE, "sm_80", "reference_sm_80");
	ck_assert_int_eq(bc_paths_add(&paths, "reports/sm_90.xml", &err), BC_OK);
	ck_assert_int_eq(bc_github_summary(&sample.run, &paths, &text, &err), BC_OK);
	ck_assert_str_eq(
		text.data,
		"### bankcheck: 1 finding\n"
		"\n"
		"| device | GPU | driver | expectations | PASS | FAIL | DISAGREE | BROKEN | LOST | SKIP | UNJUDGED "
		"| XFAIL | XPASS |\n"
		"|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
		"| <code>sm&#95;90</code> | NVIDIA H200 | 580&#46;159&#46;04 | confirmed NVIDIA H200, "
		"580&#46;159&#46;04, 2026-11 | 298 | 1 | 0 | 0 | 0 | 1 | 0 | 0 | 0 |\n"
		"| <code>reference&#95;sm&#95;80</code> | reference device, not hardware |  | unconfirmed "
		"| 300 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |\n"
		"\n"
		"| verdict | device | case | message | run again |\n"
		"|---|---|---|---|---|\n"
		"| FAIL | <code>sm&#95;90</code> | <code>stride/ld&#95;b32/0</code> | measured 31 "
		"| <code>bankcheck run --device cuda&#58;0 --filter stride/ld&#95;b32/0</code> |\n"
		"\n"
		"Wall time 12.346 s. Reports: <code>reports/sm&#95;90&#46;xml</code>\n"
		"\n");
}
END_TEST

/* Nothing from outside ends a cell, opens a tag, links or formats: of ASCII punctuation only what cannot is left. */
START_TEST(the_summary_cannot_be_formatted)
{
	static const char hostile[] = "|x|<script>`a`[l](http://x)\n# h\n![i](j)*b*_c_~d~&amp;@me\033\\|\xff$e$";
	static const char safe[] = "&#124;x&#124;&#60;script&#62;&#96;a&#96;&#91;l&#93;(http&#58;//x)&#92;n&#35; h"
				   "&#92;n&#33;&#91;i&#93;(j)&#42;b&#42;&#95;c&#95;&#126;d&#126;&#38;amp&#59;&#64;me"
				   "&#92;x1b&#92;&#124;&#92;xff&#36;e&#36; | <code>";
	const char *row;

	bc_sample_set(&sample, 0, 0, BC_FAIL, hostile);
	(void)bc_strlcpy(sample.devices[0].facts.name, hostile, sizeof(sample.devices[0].facts.name));
	ck_assert_int_eq(bc_github_summary(&sample.run, &paths, &text, &err), BC_OK);
	row = strstr(text.data, "| FAIL | <code>sm&#95;90</code> | <code>stride/ld&#95;b32/0</code> | ");
	ck_assert_ptr_nonnull(row);
	row = strchr(strstr(row, "ld&#95;b32/0"), '|') + 2;
	ck_assert_msg(strncmp(row, safe, strlen(safe)) == 0, "%.300s", row);
	ck_assert_uint_eq(count(text.data, "<script>"), 0);
}
END_TEST

START_TEST(a_long_summary_is_capped)
{
	char message[BC_MESSAGE_MAX];
	size_t rows;

	memset(message, '|', sizeof(message) - 1); /* 6 bytes each */
	message[sizeof(message) - 1] = '\0';
	for (size_t i = 0; i < 300; i++)
		bc_sample_set(&sample, 0, i, BC_FAIL, _i > 0 ? message : "m");
	if (_i == 2) /* so long that the bytes count, not the rows */
		memset(sample.run.rerun, '|', sizeof(sample.run.rerun) - 1);
	ck_assert_int_eq(bc_text_add(&text, "before", 6, &err), BC_OK);
	ck_assert_int_eq(bc_github_summary(&sample.run, &paths, &text, &err), BC_OK);
	rows = count(text.data, "\n| FAIL |");
	if (_i < 2)
		ck_assert_uint_eq(rows, BC_GITHUB_ROWS);
	else
		ck_assert_msg(rows < BC_GITHUB_ROWS && text.len + 16384 > BC_GITHUB_SUMMARY_MAX, "%zu rows", rows);
	ck_assert_uint_le(text.len, BC_GITHUB_SUMMARY_MAX + 6);
	(void)snprintf(message, sizeof(message), "\n%zu more findings are not shown here; see the report.\n",
		       300 - rows);
	ck_assert_ptr_nonnull(strstr(text.data, message));
}
END_TEST

START_TEST(the_summary_is_appended)
{
	char path[BC_PATH_MAX + 16];
	struct bc_text file = { 0 };

	(void)snprintf(path, sizeof(path), "%s/summary", dir);
	ck_assert_int_eq(setenv("GITHUB_STEP_SUMMARY", path, 1), 0);
	bc_sample_set(&sample, 0, 0, BC_FAIL, "m");
	ck_assert_int_eq(bc_github_summary(&sample.run, &paths, &text, &err), BC_OK);
	for (size_t times = 1; times <= 2; times++) {
		ck_assert_msg(bc_github_report(&sample.run, &paths, out, &err) == BC_OK, "%s", err.msg);
		bc_text_release(&file);
		ck_assert_int_eq(bc_file_read(path, 1 << 20, &file, &err), BC_OK);
		ck_assert_uint_eq(file.len, times * text.len);
		ck_assert_int_eq(strncmp(file.data, text.data, text.len), 0);
	}
	ck_assert_uint_eq(count(mem, "::error title=FAIL"), 2);
	bc_text_release(&file);
}
END_TEST

START_TEST(an_unwritable_summary_is_an_error)
{
	const char *path = _i == 0 ? "/dev/full" : "/dev/null/summary";

	ck_assert_int_eq(setenv("GITHUB_STEP_SUMMARY", path, 1), 0);
	ck_assert_int_eq(bc_github_report(&sample.run, &paths, out, &err), BC_EWRITE);
	ck_assert_ptr_nonnull(strstr(err.msg, path));
}
END_TEST

START_TEST(no_summary_is_no_error)
{
	ck_assert_int_eq(_i == 0 ? unsetenv("GITHUB_STEP_SUMMARY") : setenv("GITHUB_STEP_SUMMARY", "", 1), 0);
	ck_assert_int_eq(bc_github_report(&sample.run, &paths, out, &err), BC_OK);
}
END_TEST

Suite *bc_test_github(void)
{
	Suite *s = suite_create("github");
	TCase *tc = tcase_create("github");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, github_is_known_by_its_variable, 0, (int)BC_ARRAY_LEN(environment));
	tcase_add_test(tc, a_finding_is_one_command);
	tcase_add_test(tc, no_finding_no_command);
	tcase_add_loop_test(tc, annotations_are_capped, 0, (int)BC_ARRAY_LEN(caps));
	tcase_add_test(tc, a_full_output_is_an_error);
	tcase_add_test(tc, the_summary_has_devices_and_findings);
	tcase_add_test(tc, the_summary_cannot_be_formatted);
	tcase_add_loop_test(tc, a_long_summary_is_capped, 0, 3);
	tcase_add_test(tc, the_summary_is_appended);
	tcase_add_loop_test(tc, an_unwritable_summary_is_an_error, 0, 2);
	tcase_add_loop_test(tc, no_summary_is_no_error, 0, 2);
	suite_add_tcase(s, tc);
	return s;
}
