/* SPDX-License-Identifier: MIT */
#include "harness/base/out.h"

#include <check.h>
#include <string.h>

#include "harness/base/clock.h"

Suite *bc_test_out(void);

START_TEST(what_is_put_stands_in_order)
{
	struct bc_text t = { 0 };
	struct bc_error err = { 0 };
	struct bc_out o = { .to = &t, .err = &err };

	ck_assert_str_eq(bc_out_text(&o), "");
	bc_put(&o, "");
	ck_assert_str_eq(bc_out_text(&o), "");
	bc_put(&o, "a\n");
	bc_put_bytes(&o, "bcd", 2);
	bc_putf(&o, "%s=%d;", "x", 7);
	bc_put_line(&o, "l\n");
	bc_put_escaped(&o, BC_ESCAPE_VALUE, "\\");
	ck_assert_int_eq(o.st, BC_OK);
	ck_assert_str_eq(bc_out_text(&o), "a\nbcx=7;l\\n\\\\");
	bc_text_release(&t);
}
END_TEST

/* A printf of more bytes than any buffer of the writer has. */
START_TEST(a_long_text_is_put_whole)
{
	static char word[100001];
	struct bc_text t = { 0 };
	struct bc_out o = { .to = &t };

	memset(word, 'x', sizeof(word) - 1);
	bc_putf(&o, "<%s>", word);
	ck_assert_int_eq(o.st, BC_OK);
	ck_assert_uint_eq(t.len, sizeof(word) + 1);
	ck_assert_int_eq(t.data[0], '<');
	ck_assert_int_eq(t.data[t.len - 1], '>');
	bc_text_release(&t);
}
END_TEST

/* After a failure nothing is added, and the first reason stays. */
START_TEST(the_first_failure_is_kept)
{
	struct bc_text t = { 0 };
	struct bc_error err = { 0 };
	struct bc_out o = { .to = &t, .err = &err };

	bc_put(&o, "before");
	bc_put_bytes(&o, "", SIZE_MAX / 2); /* no memory holds it, so nothing is read */
	ck_assert_int_eq(o.st, BC_ENOMEM);
	ck_assert_ptr_nonnull(strstr(err.msg, "out of memory"));
	bc_fail(&err, BC_ENOMEM, "first");
	bc_put(&o, "a");
	bc_put_bytes(&o, "", SIZE_MAX / 2);
	bc_putf(&o, "b");
	bc_put_line(&o, "c");
	bc_put_escaped(&o, BC_ESCAPE_TEXT, "d");
	ck_assert_int_eq(o.st, BC_ENOMEM);
	ck_assert_str_eq(err.msg, "first");
	ck_assert_str_eq(bc_out_text(&o), "before");
	bc_text_release(&t);
}
END_TEST

START_TEST(nothing_in_markdown_formats)
{
	struct bc_text t = { 0 };
	struct bc_out o = { .to = &t };

	bc_put_markdown(&o, "a|b *c* <d>\n[e](f) \u00e4.:", ".()");
	ck_assert_int_eq(o.st, BC_OK);
	ck_assert_str_eq(bc_out_text(&o), "a&#124;b &#42;c&#42; &#60;d&#62;&#92;n&#91;e&#93;(f) \u00e4.&#58;");
	bc_text_release(&t);
}
END_TEST

/* A part writes elsewhere; the whole takes over its failure, and never loses one of its own. */
START_TEST(a_part_hands_its_failure_on)
{
	struct bc_text whole = { 0 }, piece = { 0 };
	struct bc_error err = { 0 };
	struct bc_out o = { .to = &whole, .err = &err }, part = bc_out_part(&o, &piece);

	bc_put(&part, "a");
	bc_out_join(&o, &part);
	bc_put(&o, bc_out_text(&part));
	bc_put(&o, "b");
	ck_assert_int_eq(o.st, BC_OK);
	ck_assert_str_eq(bc_out_text(&o), "ab");
	o.st = BC_EDATA;
	bc_out_join(&o, &part); /* the part went well, the whole did not meanwhile */
	ck_assert_int_eq(o.st, BC_EDATA);
	part = bc_out_part(&o, &piece);
	bc_put(&part, "c");
	ck_assert_str_eq(bc_out_text(&part), "a");
	o.st = BC_OK;
	bc_out_join(&o, &part);
	ck_assert_int_eq(o.st, BC_EDATA);
	bc_text_release(&whole);
	bc_text_release(&piece);
}
END_TEST

START_TEST(the_clock_goes_forward)
{
	const double before = bc_now();
	double after = before;

	ck_assert_double_gt(before, 0);
	while (after < before + 0.01) {
		const double t = bc_now();

		ck_assert_double_ge(t, after);
		after = t;
	}
	ck_assert_double_lt(after, before + 10);
}
END_TEST

Suite *bc_test_out(void)
{
	Suite *s = suite_create("out");
	TCase *tc = tcase_create("out");

	tcase_add_test(tc, what_is_put_stands_in_order);
	tcase_add_test(tc, a_long_text_is_put_whole);
	tcase_add_test(tc, the_first_failure_is_kept);
	tcase_add_test(tc, nothing_in_markdown_formats);
	tcase_add_test(tc, a_part_hands_its_failure_on);
	tcase_add_test(tc, the_clock_goes_forward);
	suite_add_tcase(s, tc);
	return s;
}
