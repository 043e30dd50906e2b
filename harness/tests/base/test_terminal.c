/* SPDX-License-Identifier: MIT */
#include "harness/base/terminal.h"

#include <check.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

Suite *bc_test_terminal(void);

static struct bc_text text;
static struct bc_out out;

static void setup(void)
{
	text = (struct bc_text){ 0 };
	out = (struct bc_out){ .to = &text };
}

static void teardown(void)
{
	bc_text_release(&text);
}

static const struct {
	const char *what, *text;
	unsigned indent, columns;
	bool utf8;
	const char *want;
} wraps[] = {
	{ "nothing", "", 2, 10, true, "" },
	{ "blanks alone", "   ", 2, 10, true, "" },
	{ "one line that is just full", "abc defg", 2, 10, true, "abc defg" },
	{ "one more does not fit", "abc defgh", 2, 10, true, "abc\n  defgh" },
	{ "blanks in a row are one, at the ends none", "  a   b ", 2, 10, true, "a b" },
	{ "a word of just a line", "12345678 x", 2, 10, true, "12345678\n  x" },
	{ "a wider word is cut", "a 1234567890 b", 2, 10, true, "a\n  12345678\n  90 b" },
	{ "no indent", "ab cd", 0, 2, true, "ab\ncd" },
	{ "a character of several bytes is one column", "\u00e4\u00e4\u00e4 \u20ac\u20ac\u20ac\u20ac", 2, 10, true,
	  "\u00e4\u00e4\u00e4 \u20ac\u20ac\u20ac\u20ac" },
	{ "a word is cut between characters", "\u20ac\u20ac\u20ac", 1, 3, true, "\u20ac\u20ac\n \u20ac" },
	{ "without UTF-8 a character is a question mark", "\u20ac\u20acx \u00e4", 2, 10, false, "??x ?" },
};

START_TEST(wraps_as_the_row_says)
{
	const struct bc_wrap wrap = { wraps[_i].indent, wraps[_i].columns, wraps[_i].utf8 };

	bc_put_wrapped(&out, &wrap, wraps[_i].text);
	ck_assert_int_eq(out.st, BC_OK);
	ck_assert_msg(strcmp(bc_out_text(&out), wraps[_i].want) == 0, "%s: got `%s`", wraps[_i].what,
		      bc_out_text(&out));
}
END_TEST

START_TEST(width_counts_characters)
{
	ck_assert_uint_eq(bc_text_width("", 0), 0);
	ck_assert_uint_eq(bc_text_width("abc", 2), 2);
	ck_assert_uint_eq(bc_text_width("\u00e4\u20acx", 6), 3);
}
END_TEST

/* The answer is that of the environment, and the program's own locale stays. */
START_TEST(locale_is_that_of_the_environment)
{
	ck_assert_int_eq(unsetenv("LC_CTYPE"), 0);
	ck_assert_int_eq(setenv("LC_ALL", "C", 1), 0);
	ck_assert(!bc_locale_is_utf8());
	ck_assert_int_eq(setenv("LC_ALL", "C.UTF-8", 1), 0);
	ck_assert(bc_locale_is_utf8());
	ck_assert_str_eq(setlocale(LC_CTYPE, NULL), "C");
	ck_assert_int_eq(setenv("LC_ALL", "no such locale", 1), 0);
	ck_assert(!bc_locale_is_utf8());
}
END_TEST

Suite *bc_test_terminal(void)
{
	Suite *s = suite_create("terminal");
	TCase *tc = tcase_create("terminal");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, wraps_as_the_row_says, 0, (int)BC_ARRAY_LEN(wraps));
	tcase_add_test(tc, width_counts_characters);
	tcase_add_test(tc, locale_is_that_of_the_environment);
	suite_add_tcase(s, tc);
	return s;
}
