/* SPDX-License-Identifier: MIT */
#include "harness/base/textfile.h"

#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

Suite *bc_test_textfile(void);

static const struct {
	const char *text;
	bool ok;
	double want;
} numbers[] = {
	{ "0", true, 0 },
	{ "2", true, 2 },
	{ "-3", true, -3 },
	{ "3.51", true, 3.51 },
	{ "0.1", true, 0.1 },
	{ "-0.5", true, -0.5 },
	{ "007", true, 7 },
	{ "1.50", true, 1.5 },
	{ "123456789012345", true, 123456789012345.0 },
	{ "1234567890123456", false, 0 }, /* 16 digits */
	{ "", false, 0 },
	{ "-", false, 0 },
	{ ".", false, 0 },
	{ ".5", false, 0 },
	{ "5.", false, 0 },
	{ "1.2.3", false, 0 },
	{ "3,51", false, 0 },
	{ "1e3", false, 0 },
	{ "+1", false, 0 },
	{ "--1", false, 0 },
	{ "0x10", false, 0 },
	{ "nan", false, 0 },
	{ "inf", false, 0 },
	{ " 1", false, 0 },
	{ "1 ", false, 0 },
};

/* The numbers as read and written under a locale whose decimal sign is a comma. */
static void use_comma_locale(void)
{
	ck_assert_msg(setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "C"), "no locale at all");
}

static void use_c_locale(void)
{
	setlocale(LC_ALL, "C");
}

START_TEST(number_is_read)
{
	double v = 99;

	if (_i % 2)
		use_comma_locale();

	const size_t row = (size_t)_i / 2;

	ck_assert_msg(bc_number_parse(numbers[row].text, &v) == numbers[row].ok, "'%s'", numbers[row].text);
	if (numbers[row].ok)
		ck_assert_msg(v == numbers[row].want, "'%s': got %.17g", numbers[row].text, v);
	else
		ck_assert_msg(v == 99, "'%s' wrote a result", numbers[row].text);
}
END_TEST

START_TEST(u32_is_read)
{
	static const struct {
		const char *text;
		bool ok;
		uint32_t want;
	} rows[] = {
		{ "0", true, 0 },	    { "4294967295", true, UINT32_MAX },
		{ "4294967296", false, 0 }, { "99999999999999999999999", false, 0 },
		{ "", false, 0 },	    { "-1", false, 0 },
		{ "1.0", false, 0 },	    { "0x10", false, 0 },
		{ "12 ", false, 0 },	    { "0010", true, 10 },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		uint32_t v = 77;

		ck_assert_msg(bc_u32_parse(rows[i].text, &v) == rows[i].ok, "'%s'", rows[i].text);
		ck_assert_uint_eq(v, rows[i].ok ? rows[i].want : 77);
	}
}
END_TEST

START_TEST(number_is_written)
{
	static const struct {
		double v;
		const char *want;
	} rows[] = {
		{ 0, "0" },
		{ -0.0, "0" },
		{ 2, "2" },
		{ 31, "31" },
		{ 100, "100" },
		{ 3.51, "3.51" },
		{ 0.5, "0.5" },
		{ -0.5, "-0.5" },
		{ 1.0 / 3, "0.333333" },
		{ 2.0 / 3, "0.666667" },
		{ 0.9999999, "1" },
		{ -0.0000001, "0" },
		{ 1e12, "1000000000000" },
		{ 2e12, "over 1e12" },
		{ -2e12, "below -1e12" },
		{ 10.000001, "10.000001" },
	};
	char buf[BC_NUMBER_MAX];

	if (_i)
		use_comma_locale();
	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++)
		ck_assert_str_eq(bc_number_text(rows[i].v, buf), rows[i].want);
	ck_assert_str_eq(bc_number_text((double)NAN, buf), "nan");
	ck_assert_str_eq(bc_number_text((double)INFINITY, buf), "over 1e12");
}
END_TEST

START_TEST(lines_are_counted_and_trimmed)
{
	struct bc_lines l;
	bool more;

	bc_lines_start(&l, "# one\n\n \t# three\n\t four five \r\n\nsix#no comment", "f");
	ck_assert_int_eq(bc_lines_next(&l, &more, NULL), BC_OK);
	ck_assert(more);
	ck_assert_str_eq(l.text, "four five");
	ck_assert_uint_eq(l.number, 4);
	ck_assert_int_eq(bc_lines_next(&l, &more, NULL), BC_OK);
	ck_assert(more);
	ck_assert_str_eq(l.text, "six#no comment");
	ck_assert_uint_eq(l.number, 6);
	ck_assert_int_eq(bc_lines_next(&l, &more, NULL), BC_OK);
	ck_assert(!more);
	bc_lines_start(&l, "", "f");
	ck_assert_int_eq(bc_lines_next(&l, &more, NULL), BC_OK);
	ck_assert(!more);
}
END_TEST

START_TEST(bad_lines_are_named)
{
	struct bc_lines l;
	struct bc_error err = { 0 };
	char text[BC_LINE_MAX + 3];
	bool more;

	bc_lines_start(&l, "ok\nbell \a\n", "dir/f.txt");
	ck_assert_int_eq(bc_lines_next(&l, &more, &err), BC_OK);
	ck_assert_int_eq(bc_lines_next(&l, &more, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "dir/f.txt:2: control character 0x07: remove it");

	memset(text, 'x', sizeof(text));
	text[0] = '\n';
	text[BC_LINE_MAX] = '\0'; /* 1023 characters in line 2 */
	bc_lines_start(&l, text, "f");
	ck_assert_int_eq(bc_lines_next(&l, &more, &err), BC_OK);
	ck_assert_uint_eq(strlen(l.text), BC_LINE_MAX - 1);
	text[BC_LINE_MAX] = 'x';
	text[BC_LINE_MAX + 1] = '\0'; /* one more */
	bc_lines_start(&l, text, "f");
	ck_assert_int_eq(bc_lines_next(&l, &more, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, "f:2: a line of 1024 bytes: at most 1023 are allowed");
}
END_TEST

START_TEST(fields_are_cut_at_blanks)
{
	char text[] = "row  a\tb \t rest of it";
	char *cursor = text;

	ck_assert_str_eq(bc_field(&cursor), "row");
	ck_assert_str_eq(bc_field(&cursor), "a");
	ck_assert_str_eq(bc_field(&cursor), "b");
	ck_assert_str_eq(bc_rest(&cursor), "rest of it");
	ck_assert_ptr_null(bc_rest(&cursor));
	ck_assert_ptr_null(bc_field(&cursor));

	char blank[] = "  ";

	cursor = blank;
	ck_assert_ptr_null(bc_field(&cursor));
	ck_assert_ptr_null(bc_rest(&cursor));
}
END_TEST

START_TEST(nul_bytes_are_refused)
{
	static const char *const path = BC_TEST_TMP "/test_textfile.txt";
	struct bc_text t = { 0 };
	struct bc_error err = { 0 };
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite("one\ntwo\0three\n", 1, 14, f), 14);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(bc_textfile_read(path, &t, &err), BC_EDATA);
	ck_assert_str_eq(err.msg, BC_TEST_TMP "/test_textfile.txt:2: a NUL byte: this is not a text file");
	ck_assert_ptr_null(t.data);
	ck_assert_int_eq(remove(path), 0);
	ck_assert_int_eq(bc_textfile_read(path, &t, &err), BC_EREAD);
}
END_TEST

Suite *bc_test_textfile(void)
{
	Suite *s = suite_create("textfile");
	TCase *n = tcase_create("numbers"), *l = tcase_create("lines");

	tcase_add_checked_fixture(n, NULL, use_c_locale);
	tcase_add_loop_test(n, number_is_read, 0, (int)BC_ARRAY_LEN(numbers) * 2);
	tcase_add_loop_test(n, number_is_written, 0, 2);
	tcase_add_test(n, u32_is_read);
	suite_add_tcase(s, n);
	tcase_add_test(l, lines_are_counted_and_trimmed);
	tcase_add_test(l, bad_lines_are_named);
	tcase_add_test(l, fields_are_cut_at_blanks);
	tcase_add_test(l, nul_bytes_are_refused);
	suite_add_tcase(s, l);
	return s;
}
