/* SPDX-License-Identifier: MIT */
#include "harness/compare/speed.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

Suite *bc_test_speed(void);

#define PAIRS 1000
#define CYCLES 912.0

static struct bc_error err;
static struct bc_speed_test test[PAIRS];

/* A generator of its own, so that the figures are the same on every machine. */
static uint64_t state;

static double uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* How samples spread about their middle, as a fraction of it. */
enum spread { NORMAL_SD, UNIFORM_RANGE, TAIL, NSPREADS };

static double noise(enum spread how, double amount)
{
	switch (how) {
	case NORMAL_SD: return amount * normal();
	case UNIFORM_RANGE: return amount * (uniform() - 0.5);
	default: return -amount * log(uniform()); /* a tail to the slow side, as interrupts make one */
	}
}

static void fill(struct bc_samples *s, unsigned n, double middle, enum spread how, double amount)
{
	s->n = n;
	for (unsigned i = 0; i < n; i++)
		s->v[i] = (uint32_t)lround(middle * (1 + noise(how, amount)));
}

static void fill_all(uint64_t seed, unsigned n, double ratio, enum spread how, double amount)
{
	state = seed;
	for (size_t i = 0; i < PAIRS; i++) {
		test[i] = (struct bc_speed_test){ .speed = BC_SPEED_NONE };
		fill(&test[i].old, n, CYCLES, how, amount);
		fill(&test[i].now, n, CYCLES * ratio, how, amount);
	}
}

static size_t judge_all(struct bc_speed_plan *plan, size_t count[BC_NSPEEDS])
{
	for (int i = 0; i < BC_NSPEEDS; i++)
		count[i] = 0;
	ck_assert_int_eq(bc_speed_judge(test, PAIRS, plan, &err), BC_OK);
	for (size_t i = 0; i < PAIRS; i++)
		count[test[i].speed]++;
	return count[BC_SPEED_SLOWER] + count[BC_SPEED_FASTER];
}

START_TEST(planted_3_percent_are_found)
{
	struct bc_speed_plan plan = { .tolerance = BC_SPEED_TOLERANCE, .alpha = BC_SPEED_ALPHA };
	size_t n[BC_NSPEEDS];

	fill_all(1, 32, 1.03, (enum spread)_i, 0.01);
	(void)judge_all(&plan, n);
	ck_assert_msg(n[BC_SPEED_SLOWER] == PAIRS, "spread %d: %zu of %d found, %zu undecided, %zu same", _i,
		      n[BC_SPEED_SLOWER], PAIRS, n[BC_SPEED_UNDECIDED], n[BC_SPEED_SAME]);
	fill_all(2, 32, 1 / 1.03, (enum spread)_i, 0.01);
	(void)judge_all(&plan, n);
	ck_assert_uint_eq(n[BC_SPEED_FASTER], PAIRS);
}
END_TEST

/* The stated rate: with chance 1 % one of all cases of a comparison is called changed. */
START_TEST(planted_0_percent_are_not_found)
{
	struct bc_speed_plan plan = { .tolerance = 0, .alpha = BC_SPEED_ALPHA };
	size_t n[BC_NSPEEDS];

	fill_all(3, 32, 1, (enum spread)_i, 0.01);
	ck_assert_uint_eq(judge_all(&plan, n), 0); /* the tolerance does not help */
	ck_assert_uint_eq(plan.tested, PAIRS);
	plan.tolerance = BC_SPEED_TOLERANCE;
	ck_assert_uint_eq(judge_all(&plan, n), 0);
	ck_assert_msg(n[BC_SPEED_SAME] > PAIRS * 9 / 10, "spread %d: only %zu are told to be the same", _i,
		      n[BC_SPEED_SAME]);
}
END_TEST

/* 1,000 comparisons of one case each: at most 1 % of them may be false alarms. Not without any, for a test that never
 * speaks would not either: with the tolerance off, some must be there. 10 is the mean. */
START_TEST(false_alarms_are_as_many_as_stated)
{
	size_t alarms = 0;

	fill_all(4, 32, 1, (enum spread)_i, 0.01);
	for (size_t i = 0; i < PAIRS; i++) {
		struct bc_speed_plan plan = { .tolerance = 0, .alpha = BC_SPEED_ALPHA };

		ck_assert_int_eq(bc_speed_judge(&test[i], 1, &plan, &err), BC_OK);
		alarms += test[i].speed == BC_SPEED_SLOWER || test[i].speed == BC_SPEED_FASTER;
	}
	ck_assert_msg(alarms >= 3 && alarms <= 20, "spread %d: %zu alarms", _i, alarms);
}
END_TEST

/* Fewer samples: 10 of a case cannot be significant among 1,000, 11 can. */
START_TEST(few_samples_are_said_to_be_few)
{
	struct bc_speed_plan plan = { .tolerance = BC_SPEED_TOLERANCE, .alpha = BC_SPEED_ALPHA };
	size_t n[BC_NSPEEDS];

	fill_all(5, 10, 1.03, UNIFORM_RANGE, 0.01);
	ck_assert_uint_eq(judge_all(&plan, n), 0);
	ck_assert_uint_eq(n[BC_SPEED_UNDECIDED], PAIRS);
	for (size_t i = 0; i < PAIRS; i++)
		ck_assert_int_eq(test[i].why, BC_FEW_SAMPLES);
	fill_all(6, 11, 1.03, UNIFORM_RANGE, 0.01);
	ck_assert_uint_eq(judge_all(&plan, n), PAIRS);
	ck_assert_uint_eq(bc_speed_samples_needed(PAIRS, BC_SPEED_ALPHA),
			  11); /* 2/C(22,11) = 2.8e-6; 2/C(20,10) = 1.1e-5 */
	ck_assert_uint_eq(bc_speed_samples_needed(0, BC_SPEED_ALPHA), 1);
	ck_assert_uint_eq(bc_speed_samples_needed(1, 0.01), 5); /* 2/C(10,5) = 0.0079; 2/C(8,4) = 0.029 */
}
END_TEST

#define LIST(...)                                                       \
	{                                                               \
		sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), \
		{                                                       \
			__VA_ARGS__                                     \
		}                                                       \
	}
#define TEN(x) LIST(x, x, x, x, x, x, x, x, x, x)
#define AND(x, y) LIST(x, x, x, x, x, x, x, x, x, y)

static const struct {
	const char *what;
	struct bc_samples old, now;
	double tolerance;
	enum bc_speed want;
	bool exact;
} rows[] = {
	{ "no spread, equal", TEN(912), TEN(912), 0.01, BC_SPEED_SAME, true },
	{ "no spread, one cycle more of 744", TEN(744), TEN(745), 0.01, BC_SPEED_SAME, true },
	{ "no spread, within the tolerance: 7 of 744 are 0.94 %", TEN(744), TEN(751), 0.01, BC_SPEED_SAME, true },
	{ "no spread, over it: 8 of 744 are 1.08 %", TEN(744), TEN(752), 0.01, BC_SPEED_SLOWER, true },
	{ "no spread, the tolerance itself: 10 of 1000", TEN(1000), TEN(1010), 0.01, BC_SPEED_SLOWER, true },
	{ "no spread, tolerance 0: two cycles count", TEN(744), TEN(746), 0, BC_SPEED_SLOWER, true },
	{ "no spread, tolerance 0: one is the clock's own step", TEN(744), TEN(745), 0, BC_SPEED_UNDECIDED, true },
	{ "no spread, one cycle of a short section: 2 %", TEN(50), TEN(51), 0.01, BC_SPEED_UNDECIDED, true },
	{ "no spread, two cycles of a short section", TEN(50), TEN(52), 0.01, BC_SPEED_SLOWER, true },
	{ "no spread, other numbers of samples", TEN(912), LIST(912, 912, 912, 912, 912, 912, 912, 912, 912, 912, 912),
	  0.01, BC_SPEED_SAME, true },
	{ "one sample off: within the tolerance", TEN(912), AND(912, 950), 0.01, BC_SPEED_SAME, false },
	{ "9 equal samples are too few to know that there is no spread",
	  LIST(912, 912, 912, 912, 912, 912, 912, 912, 912), LIST(913, 913, 913, 913, 913, 913, 913, 913, 913), 0.01,
	  BC_SPEED_SAME, false },
	{ "a significant change below the tolerance", TEN(912), AND(914, 915), 0.01, BC_SPEED_SAME, false },
	{ "the same with a smaller tolerance", TEN(912), AND(914, 915), 0.001, BC_SPEED_SLOWER, false },
	{ "one sample each tells nothing", LIST(912), LIST(912), 0.01, BC_SPEED_UNDECIDED, false },
	{ "a sample of 0", TEN(912), TEN(0), 0.01, BC_SPEED_UNDECIDED, false },
	{ "tolerance 0 with equal spread: no interval is a point", AND(912, 913), AND(912, 913), 0, BC_SPEED_SAME,
	  false },
	{ "the largest cycles", TEN(UINT32_MAX), TEN(1), 0.01, BC_SPEED_FASTER, true },
};

static enum bc_speed mirrored(enum bc_speed s)
{
	return s == BC_SPEED_SLOWER ? BC_SPEED_FASTER : s == BC_SPEED_FASTER ? BC_SPEED_SLOWER : s;
}

START_TEST(one_case_is_judged)
{
	struct bc_speed_test t = { .old = rows[_i].old, .now = rows[_i].now };
	struct bc_speed_test back = { .old = rows[_i].now, .now = rows[_i].old };
	struct bc_speed_plan plan = { .tolerance = rows[_i].tolerance, .alpha = BC_SPEED_ALPHA };

	ck_assert_int_eq(bc_speed_judge(&t, 1, &plan, &err), BC_OK);
	ck_assert_msg(t.speed == rows[_i].want, "%s: %s", rows[_i].what, bc_speed_name(t.speed));
	ck_assert_msg(t.exact == rows[_i].exact, "%s: exact %d", rows[_i].what, t.exact);
	ck_assert_int_eq(bc_speed_judge(&back, 1, &plan, &err), BC_OK);
	ck_assert_msg(back.speed == mirrored(rows[_i].want), "%s, swapped: %s", rows[_i].what,
		      bc_speed_name(back.speed));
	ck_assert_msg((t.speed == BC_SPEED_UNDECIDED) == (t.why != BC_DECIDED), "%s: a reason", rows[_i].what);
}
END_TEST

START_TEST(nothing_to_judge_is_allowed)
{
	struct bc_speed_plan plan = { .tolerance = 0.01, .alpha = 0.01, .tested = 99 };

	ck_assert_int_eq(bc_speed_judge(NULL, 0, &plan, &err), BC_OK);
	ck_assert_uint_eq(plan.tested, 0);
}
END_TEST

Suite *bc_test_speed(void)
{
	Suite *s = suite_create("speed");
	TCase *tc = tcase_create("speed");

	tcase_add_loop_test(tc, planted_3_percent_are_found, 0, NSPREADS);
	tcase_add_loop_test(tc, planted_0_percent_are_not_found, 0, NSPREADS);
	tcase_add_loop_test(tc, false_alarms_are_as_many_as_stated, 0, NSPREADS);
	tcase_add_test(tc, few_samples_are_said_to_be_few);
	tcase_add_loop_test(tc, one_case_is_judged, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_test(tc, nothing_to_judge_is_allowed);
	suite_add_tcase(s, tc);
	return s;
}
