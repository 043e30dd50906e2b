/* SPDX-License-Identifier: MIT */
#include "harness/report/cause.h"

#include <check.h>
#include <string.h>

#include "harness/base/base.h"

Suite *bc_test_cause(void);

static const struct {
	const char *what, *message, *want;
} rows[] = {
	{ "one number instead of another",
	  "ratio wavefronts=2 conflicts=1; expected wavefronts=1 conflicts=0 (expected/common/stride.txt:14); counters "
	  "wavefronts=2 conflicts=1; model wavefronts=1 conflicts=0 (other than the law)",
	  "2 instead of 1 wavefronts" },
	{ "the first quantity that is wrong",
	  "ratio wavefronts=1.25 conflicts=1; expected wavefronts=1..1.5 conflicts=0 (x.txt:1)",
	  "1 instead of 0 conflicts" },
	{ "a range", "ratio clock_slope=3; expected clock_slope=1..1.5 (x.txt:1)", "3 instead of 1..1.5 clock slope" },
	{ "witnesses that differ",
	  "disagree counters wavefronts=2 conflicts=1; clock wavefronts=1; expected wavefronts=1 conflicts=0 (x:1)",
	  "counters 2, clock 1 instead of 1 wavefronts" },
	{ "both inside, and not the same",
	  "disagree counters wavefronts=2; clock wavefronts=1; expected wavefronts=1..2 (x:1)",
	  "counters 2, clock 1 instead of 1..2 wavefronts" },
	{ "a clock without a whole number",
	  "disagree counters wavefronts=1; clock=fraction (1.5 wavefronts); expected wavefronts=1 (x:1)",
	  "counters 1, clock fraction instead of 1 wavefronts" },
	{ "no numbers", "data: lane 3 read 0x1 instead of 0x2; expected", "data" },
	{ "no numbers at all", "worker lost (signal SIGSEGV)", "worker lost" },
	{ "nothing to cut", "passes", "passes" },
	{ "nothing", "", "" },
	{ "all as expected: no cause in numbers", "ratio wavefronts=1; expected wavefronts=1 (x:1)",
	  "ratio wavefronts=1" },
	{ "an end where a number should be", "ratio wavefronts=; expected wavefronts=1", " instead of 1 wavefronts" },
};

START_TEST(the_cause_is_in_the_message)
{
	char got[BC_CAUSE_MAX];

	bc_cause_text(rows[_i].message, got);
	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s: `%s`, want `%s`", rows[_i].what, got, rows[_i].want);
}
END_TEST

START_TEST(a_long_message_is_cut)
{
	char long_message[1000], got[BC_CAUSE_MAX];

	memset(long_message, 'a', sizeof(long_message));
	long_message[sizeof(long_message) - 1] = '\0';
	bc_cause_text(long_message, got);
	ck_assert_uint_eq(strlen(got), BC_CAUSE_MAX - 1);
	memcpy(long_message, "x=1; expected x=2 ", 18);
	bc_cause_text(long_message, got);
	ck_assert_uint_lt(strlen(got), BC_CAUSE_MAX);
}
END_TEST

Suite *bc_test_cause(void)
{
	Suite *s = suite_create("cause");
	TCase *tc = tcase_create("cause");

	tcase_add_loop_test(tc, the_cause_is_in_the_message, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_test(tc, a_long_message_is_cut);
	suite_add_tcase(s, tc);
	return s;
}
