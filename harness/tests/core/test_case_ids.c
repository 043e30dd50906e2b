/* SPDX-License-Identifier: MIT */
#include "harness/core/case_ids.h"
#include "harness/base/file.h"
#include "harness/tests/invented.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

Suite *bc_test_case_ids(void);

#define DIR BC_TEST_TMP "/test_case_ids"

static struct bc_catalog cat;

static void set_up(void)
{
	cat = bc_invented_catalog();
	(void)mkdir(DIR, 0777);
}

static void tear_down(void)
{
	bc_catalog_release(&cat);
}

/* Write the list: @head, then every id of the catalogue but number @without (cat.n: none is left out). */
static void write_list(const char *head, size_t without)
{
	FILE *f = fopen(DIR "/case-ids.txt", "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(head, f), 0);
	for (size_t i = 0; i < cat.n; i++)
		if (i != without)
			ck_assert_int_ge(fprintf(f, "%s\n", cat.cases[i].id), 0);
	ck_assert_int_eq(fclose(f), 0);
}

START_TEST(the_whole_list_is_right)
{
	struct bc_error err = { 0 };

	write_list("# a comment\n\n", cat.n);
	ck_assert_msg(bc_case_ids_check(DIR, &cat, &err) == BC_OK, "%s", err.msg);
}
END_TEST

/* Whichever case is new, it is told. */
START_TEST(a_case_that_is_not_listed)
{
	for (size_t i = 0; i < cat.n; i++) {
		struct bc_error err = { 0 };
		char want[BC_ID_MAX + 64];

		write_list("", i);
		ck_assert_int_eq(bc_case_ids_check(DIR, &cat, &err), BC_EDATA);
		(void)snprintf(want, sizeof(want), "/case-ids.txt: the case %s is in this program and not in the list",
			       cat.cases[i].id);
		ck_assert_msg(strstr(err.msg, want) != NULL, "%s", err.msg);
	}
}
END_TEST

static const struct {
	const char *head, *want;
} bad[] = {
	{ "# c\nalpha/gone/1\n", "/case-ids.txt:2: the case alpha/gone/1 is in the list and not in this program" },
	{ "alpha/ld/1 too\n", "/case-ids.txt:1: a line is one case id" },
	{ "alpha/ld/1\nalpha/ld/1\n", "/case-ids.txt:2: the case alpha/ld/1 is listed twice" },
};

START_TEST(a_bad_line_is_named)
{
	struct bc_error err = { 0 };

	write_list(bad[_i].head, cat.n);
	ck_assert_int_eq(bc_case_ids_check(DIR, &cat, &err), BC_EDATA);
	ck_assert_msg(strstr(err.msg, bad[_i].want) != NULL, "%s", err.msg);
}
END_TEST

START_TEST(no_list)
{
	struct bc_error err = { 0 };

	ck_assert_int_eq(bc_case_ids_check(DIR "/nowhere", &cat, &err), BC_EREAD);
	ck_assert_ptr_nonnull(strstr(err.msg, "/nowhere/case-ids.txt"));
}
END_TEST

Suite *bc_test_case_ids(void)
{
	Suite *s = suite_create("case_ids");
	TCase *t = tcase_create("list");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, the_whole_list_is_right);
	tcase_add_test(t, a_case_that_is_not_listed);
	tcase_add_loop_test(t, a_bad_line_is_named, 0, (int)BC_ARRAY_LEN(bad));
	tcase_add_test(t, no_list);
	suite_add_tcase(s, t);
	return s;
}
