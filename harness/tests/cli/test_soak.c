/* SPDX-License-Identifier: MIT */
/* run --soak: rounds until the time is over, what they came to, and which round is reported. */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/soak.h"
#include "harness/tests/program.h"

Suite *bc_test_soak(void);

static struct bc_program_call call;

static void setup(void)
{
	bc_program_init(&call);
}

static void teardown(void)
{
	bc_program_release(&call);
}

#define CASES "--device reference --filter stride/ld_b32/? --reports reports "

static void run(const char *words, int status)
{
	bc_program_run(&call, words);
	ck_assert_msg(call.status == status, "%s: exit status %d\n%s\n%s", words, call.status, call.out.data,
		      call.err.data);
}

/* A number of soak.json. */
static long long number(const char *key)
{
	struct bc_text file = bc_program_file(&call, "reports/" BC_SOAK_FILE);
	json_error_t why;
	json_t *j = json_loads(file.data, 0, &why);
	long long n;

	ck_assert_msg(j != NULL, "%s", why.text);
	ck_assert_msg(json_is_integer(json_object_get(j, key)), "%s in %s", key, file.data);
	n = json_integer_value(json_object_get(j, key));
	json_decref(j);
	bc_text_release(&file);
	return n;
}

START_TEST(rounds_follow_one_another_until_the_time_is_over)
{
	char said[200];
	struct bc_text report;

	run("run " CASES "--soak 2 --shuffle 41", 0);
	ck_assert_int_ge(number("rounds"), 2);
	ck_assert_int_eq(number("cases"), 10 * number("rounds"));
	/* 32 words from each of two launches of 10 cases. */
	ck_assert_int_eq(number("bytes"), 2 * 128 * number("cases"));
	ck_assert_int_eq(number("findings"), 0);
	ck_assert_int_eq(number("reported_round"), number("rounds"));
	(void)snprintf(said, sizeof(said), " s: %lld rounds, %lld cases, ", number("rounds"), number("cases"));
	ck_assert_msg(strstr(call.out.data, "\nsoak: ") && strstr(call.out.data, said), "%s", call.out.data);
	(void)snprintf(said, sizeof(said), "shuffled with seed %lld", 40 + number("rounds"));
	report = bc_program_file(&call, "reports/reference-sm_90.xml");
	ck_assert_msg(strstr(report.data, said) != NULL, "no `%s`: the rounds have the same order", said);
	bc_text_release(&report);
}
END_TEST

START_TEST(a_finding_is_reported_and_the_soak_goes_on)
{
	run("run " CASES "--soak 2 --fault load-neighbour", 1);
	ck_assert_int_ge(number("rounds"), 2);
	ck_assert_int_eq(number("reported_round"), 1);
	ck_assert_int_eq(number("findings"), 9 * number("rounds")); /* all but the one with one word for all */
}
END_TEST

START_TEST(fail_fast_ends_it_at_the_first_finding)
{
	run("run " CASES "--soak 60 --fault load-neighbour --fail-fast", 1);
	ck_assert_int_eq(number("rounds"), 1);
}
END_TEST

START_TEST(it_cannot_be_resumed)
{
	run("run " CASES "--soak 2 --resume", 3);
	ck_assert_ptr_nonnull(strstr(call.err.data, "--soak and --resume exclude each other"));
	run("run " CASES "--soak 0", 3);
}
END_TEST

START_TEST(its_words)
{
	const struct bc_soak one = { .seconds = 59.6, .rounds = 1, .cases = 10, .bytes = 1234567890, .findings = 1 };
	const struct bc_soak many = { .seconds = 3600, .rounds = 900, .cases = 3080700, .bytes = 0 };
	char text[160];

	bc_soak_text(&one, text, sizeof(text));
	ck_assert_str_eq(text, "60 s: 1 round, 10 cases, 1.23 GB compared, 1 finding");
	bc_soak_text(&many, text, sizeof(text));
	ck_assert_str_eq(text, "3600 s: 900 rounds, 3080700 cases, 0 GB compared, no finding");
}
END_TEST

Suite *bc_test_soak(void)
{
	Suite *s = suite_create("soak");
	TCase *tc = tcase_create("soak");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, rounds_follow_one_another_until_the_time_is_over);
	tcase_add_test(tc, a_finding_is_reported_and_the_soak_goes_on);
	tcase_add_test(tc, fail_fast_ends_it_at_the_first_finding);
	tcase_add_test(tc, it_cannot_be_resumed);
	tcase_add_test(tc, its_words);
	suite_add_tcase(s, tc);
	return s;
}
