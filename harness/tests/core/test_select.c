/* SPDX-License-Identifier: MIT */
#include "harness/core/select.h"
#include "harness/tests/invented.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *bc_test_select(void);

START_TEST(glob_matches)
{
	static const struct {
		const char *glob, *id;
		bool want;
	} rows[] = {
		{ "alpha", "alpha/ld/1", true },
		{ "alpha", "alphabet/uniform/0", false },
		{ "alpha/ld", "alpha/ld/1", true },
		{ "alpha/l", "alpha/ld/1", false },
		{ "alpha/ld/1", "alpha/ld/1", true },
		{ "alpha/ld/1", "alpha/ld/12", false },
		{ "ld", "alpha/ld/1", false },
		{ "*", "alpha/ld/1", true },
		{ "alpha*", "alphabet/uniform/0", true },
		{ "alpha/*", "alpha/ld/1", true },
		{ "*/1", "alpha/ld/1", true },
		{ "*d/1", "alpha/ld/1", true },
		{ "*/ld/*", "alpha/ld/1", true },
		{ "alpha/ld/?", "alpha/ld/1", true },
		{ "alpha/ld/?", "alpha/ld/32", false },
		{ "alpha/ld/[12]", "alpha/ld/2", true },
		{ "alpha/ld/[!12]", "alpha/ld/2", false },
		{ "ALPHA", "alpha/ld/1", false },
		{ "", "alpha/ld/1", false },
		{ "alpha/", "alpha/ld/1", false },
		{ "alpha?ld?1", "alpha/ld/1", true },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++)
		ck_assert_msg(bc_glob_matches(rows[i].glob, rows[i].id) == rows[i].want, "'%s' and %s", rows[i].glob,
			      rows[i].id);
}
END_TEST

static const struct {
	const char *what, *filter[2], *exclude[2], *suite, *rule;
	const char *want; /* ids with a blank behind each; NULL: all */
} rows[] = {
	{ .what = "nothing said", .want = NULL },
	{ .what = "one suite", .filter = { "alphabet" }, .want = "alphabet/uniform/0 " },
	{ .what = "a suite, not one that begins alike",
	  .filter = { "alpha" },
	  .want = "alpha/ld/1 alpha/ld/2 alpha/ld/32 alpha/st/1 alpha/st/2 " },
	{ .what = "filters are or-ed",
	  .filter = { "alpha/st", "*/0" },
	  .want = "alpha/st/1 alpha/st/2 alphabet/uniform/0 " },
	{ .what = "filters that overlap", .filter = { "alpha/st", "*/st/1" }, .want = "alpha/st/1 alpha/st/2 " },
	{ .what = "exclude alone", .exclude = { "beta", "alpha*" }, .want = "" },
	{ .what = "exclude wins", .filter = { "alpha/ld" }, .exclude = { "*/2" }, .want = "alpha/ld/1 alpha/ld/32 " },
	{ .what = "exclude of what is not filtered",
	  .filter = { "alpha/ld/1" },
	  .exclude = { "beta" },
	  .want = "alpha/ld/1 " },
	{ .what = "only a suite", .suite = "alphabet", .want = "alphabet/uniform/0 " },
	{ .what = "only a rule", .rule = "st", .want = "alpha/st/1 alpha/st/2 " },
	{ .what = "both", .suite = "alpha", .rule = "ld", .want = "alpha/ld/1 alpha/ld/2 alpha/ld/32 " },
	{ .what = "both and a filter", .filter = { "*/2" }, .suite = "alpha", .rule = "ld", .want = "alpha/ld/2 " },
	{ .what = "a rule of another suite", .suite = "alphabet", .rule = "st", .want = "" },
};

static size_t length(const char *const list[2])
{
	return list[0] ? list[1] ? 2 : 1 : 0;
}

START_TEST(selection_takes_the_row)
{
	struct bc_catalog cat = bc_invented_catalog();
	const struct bc_selection s = { .filter = rows[_i].filter,
					.nfilter = length(rows[_i].filter),
					.exclude = rows[_i].exclude,
					.nexclude = length(rows[_i].exclude),
					.only_suite = rows[_i].suite,
					.only_rule = rows[_i].rule };
	struct bc_error err = { 0 };
	bool chosen[64];
	char got[1024] = "";
	size_t n = 99, counted = 0;

	ck_assert_uint_le(cat.n, BC_ARRAY_LEN(chosen));
	memset(chosen, 1, sizeof(chosen));
	ck_assert_msg(bc_select(&cat, &s, chosen, &n, &err) == BC_OK, "%s: %s", rows[_i].what, err.msg);
	for (size_t i = 0; i < cat.n; i++) {
		const size_t len = strlen(got);

		if (!chosen[i])
			continue;
		counted++;
		snprintf(got + len, sizeof(got) - len, "%s ", cat.cases[i].id);
	}
	ck_assert_msg(n == counted, "%s: says %zu, marks %zu", rows[_i].what, n, counted);
	if (rows[_i].want)
		ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: got %s", rows[_i].what, got);
	else
		ck_assert_uint_eq(n, cat.n);
	bc_catalog_release(&cat);
}
END_TEST

START_TEST(glob_without_a_match_is_refused)
{
	static const struct {
		const char *glob, *want;
	} globs[] = {
		{ "alhpa", "'alhpa' matches no case; the nearest is 'alpha' (`bankcheck list` prints all ids)" },
		{ "alpha/lx", "'alpha/lx' matches no case; the nearest is 'alpha/ld' (" },
		{ "alpha/ld/3", "'alpha/ld/3' matches no case; the nearest is 'alpha/ld/1' (" }, /* of three */
		{ "alpha/ld/33", "'alpha/ld/33' matches no case; the nearest is 'alpha/ld/32' (" },
		{ "", "'' matches no case; the nearest is 'beta' (" },
		{ "alphabets", "'alphabets' matches no case; the nearest is 'alphabet' (" },
	};
	struct bc_catalog cat = bc_invented_catalog();
	bool chosen[64];
	size_t n;

	for (size_t i = 0; i < BC_ARRAY_LEN(globs); i++) {
		const char *const two[] = { "alpha", globs[i].glob };
		const struct bc_selection f = { .filter = two, .nfilter = 2 }, x = { .exclude = two, .nexclude = 2 };
		struct bc_error err = { 0 };

		ck_assert_int_eq(bc_select(&cat, &f, chosen, &n, &err), BC_EUSAGE);
		ck_assert_msg(strncmp(err.msg, "--filter ", 9) == 0, "%s", err.msg);
		ck_assert_msg(strncmp(err.msg + 9, globs[i].want, strlen(globs[i].want)) == 0, "%s", err.msg);
		ck_assert_int_eq(bc_select(&cat, &x, chosen, &n, &err), BC_EUSAGE);
		ck_assert_msg(strncmp(err.msg, "--exclude ", 10) == 0, "%s", err.msg);
		ck_assert_msg(strncmp(err.msg + 10, globs[i].want, strlen(globs[i].want)) == 0, "%s", err.msg);
	}
	bc_catalog_release(&cat);
}
END_TEST

/* What is in the environment by mistake is no empty run: the names are those of suites and rules, no globs. */
START_TEST(only_what_is_there)
{
	static const struct {
		const char *suite, *rule, *want;
	} only[] = {
		{ "gamma", NULL, "CK_RUN_SUITE='gamma', which is no suite" },
		{ "alpha*", NULL, "CK_RUN_SUITE='alpha*', which is no suite" },
		{ "", NULL, "CK_RUN_SUITE='', which is no suite" },
		{ "alpha/ld", "ld", "CK_RUN_SUITE='alpha/ld', which is no suite" },
		{ NULL, "alpha", "CK_RUN_CASE='alpha', which is no rule" },
		{ "alpha", "1", "CK_RUN_CASE='1', which is no rule" },
	};
	struct bc_catalog cat = bc_invented_catalog();
	bool chosen[64];
	size_t n;

	for (size_t i = 0; i < BC_ARRAY_LEN(only); i++) {
		const struct bc_selection s = { .only_suite = only[i].suite, .only_rule = only[i].rule };
		struct bc_error err = { 0 };

		ck_assert_int_eq(bc_select(&cat, &s, chosen, &n, &err), BC_EUSAGE);
		ck_assert_msg(strstr(err.msg, only[i].want) && strstr(err.msg, "unset it"), "%s", err.msg);
	}
	bc_catalog_release(&cat);
}
END_TEST

START_TEST(extremes_of_globs)
{
	const struct bc_catalog none = { 0 };
	struct bc_catalog cat = bc_invented_catalog();
	struct bc_error err = { 0 };
	char longest[5000];
	const char *const glob[] = { longest };
	const struct bc_selection s = { .filter = glob, .nfilter = 1 };
	bool chosen[64];
	size_t n;

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ck_assert_int_eq(bc_select(&cat, &s, chosen, &n, &err), BC_EUSAGE);
	bc_strlcpy(longest, "alpha", sizeof(longest));
	ck_assert_int_eq(bc_select(&none, &s, chosen, &n, &err), BC_EUSAGE);
	ck_assert_str_eq(err.msg, "--filter 'alpha' matches no case: there are none");
	bc_catalog_release(&cat);
}
END_TEST

/* Of the real catalogue. */
static size_t chosen_sms(const char *filter, bool every_sm, size_t *all)
{
	const struct bc_selection s = { .filter = &filter, .nfilter = filter != NULL, .every_sm = every_sm };
	struct bc_catalog cat;
	struct bc_error err;
	bool *chosen;
	size_t n = 0;

	ck_assert(!bc_catalog_build(bc_suites, &cat, &err));
	chosen = calloc(cat.n + cat.nhidden, sizeof(*chosen));
	ck_assert(chosen && !bc_select(&cat, &s, chosen, all, &err));
	for (size_t i = 0; i < cat.n + cat.nhidden; i++) {
		n += chosen[i] && strcmp(cat.cases[i].suite->name, "sms") == 0;
		ck_assert(!chosen[i] || strcmp(cat.cases[i].suite->name, "meta") != 0);
	}
	free(chosen);
	bc_catalog_release(&cat);
	return n;
}

START_TEST(a_suite_of_every_sm_is_there_when_it_is_asked_for)
{
	size_t plain, every, ignored;

	ck_assert_uint_eq(chosen_sms(NULL, false, &plain), 0);
	ck_assert_uint_gt(chosen_sms(NULL, true, &every), 200);
	ck_assert_uint_eq(every - plain, chosen_sms("sms", false, &ignored));
	ck_assert_uint_eq(chosen_sms("*/ld_b32/*", true, &ignored), 0);
	ck_assert_uint_eq(chosen_sms("*/ld_b32", true, &ignored), 2); /* of stride and stride_clock */
}
END_TEST

Suite *bc_test_select(void)
{
	Suite *s = suite_create("select");
	TCase *g = tcase_create("globs");

	tcase_add_test(g, glob_matches);
	tcase_add_loop_test(g, selection_takes_the_row, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_test(g, glob_without_a_match_is_refused);
	tcase_add_test(g, only_what_is_there);
	tcase_add_test(g, a_suite_of_every_sm_is_there_when_it_is_asked_for);
	tcase_add_test(g, extremes_of_globs);
	suite_add_tcase(s, g);
	return s;
}
