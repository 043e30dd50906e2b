/* SPDX-License-Identifier: MIT */
#include "harness/compare/rank.h"
#include "harness/base/stats.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

Suite *bc_test_rank(void);

static struct bc_error err;

#define LIST(...)                                                       \
	{                                                               \
		sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), \
		{                                                       \
			__VA_ARGS__                                     \
		}                                                       \
	}
#define NONE              \
	{                 \
		0,        \
		{         \
			0 \
		}         \
	}

/* Exact two-sided p-values: twice the number of choices with so small a rank sum, over all choices. */
static const struct {
	const char *what;
	struct bc_samples old, now;
	double p;
} tests[] = {
	{ "no sample on one side", NONE, LIST(1, 2, 3), 1 },
	{ "one sample each", LIST(1), LIST(2), 1 },
	{ "3 and 3 apart: 2 of C(6,3) = 20", LIST(1, 2, 3), LIST(4, 5, 6), 2.0 / 20 },
	{ "the same, the other way", LIST(4, 5, 6), LIST(1, 2, 3), 2.0 / 20 },
	{ "one pair the wrong way round: U = 1, 2 x 2 of 20", LIST(1, 2, 4), LIST(3, 5, 6), 4.0 / 20 },
	{ "U = 2: 2 x 4 of 20", LIST(1, 2, 5), LIST(3, 4, 6), 8.0 / 20 },
	{ "all equal", LIST(7, 7, 7, 7), LIST(7, 7, 7, 7), 1 },
	{ "unequal lengths apart: 2 of C(7,2) = 21", LIST(1, 2, 3, 4, 5), LIST(8, 9), 2.0 / 21 },
	/* ranks 1, 2.5, 2.5, 4: the sums of two are 3.5 3.5 5 5 6.5 6.5; seen: 6.5, 2 of 6 as large */
	{ "a tie across the lists", LIST(1, 2), LIST(2, 3), 2 * 2.0 / 6 },
	/* ranks 2 2 2 4.5 4.5 6: the sum of the last three is 15, only one of 20 is as large */
	{ "ties within the lists, apart", LIST(1, 1, 1), LIST(2, 2, 3), 2.0 / 20 },
};

START_TEST(p_is_exact)
{
	double p = -1, back = -1;

	ck_assert_int_eq(bc_rank_test(&tests[_i].old, &tests[_i].now, &p, &err), BC_OK);
	ck_assert_msg(fabs(p - tests[_i].p) < 1e-12, "%s: %.9f, not %.9f", tests[_i].what, p, tests[_i].p);
	ck_assert_int_eq(bc_rank_test(&tests[_i].now, &tests[_i].old, &back, &err), BC_OK);
	ck_assert_msg(fabs(p - back) < 1e-12, "%s: swapped %.9f", tests[_i].what, back);
}
END_TEST

/* Twice the smaller tail over all 2^n choices of k ranks, by counting them. */
static double by_counting(const struct bc_samples *old, const struct bc_samples *now)
{
	uint32_t v[16];
	double rank[16], seen = 0;
	const unsigned n = old->n + now->n;
	unsigned all = 0, low = 0, high = 0;

	for (unsigned i = 0; i < n; i++)
		v[i] = i < old->n ? old->v[i] : now->v[i - old->n];
	for (unsigned i = 0; i < n; i++) {
		rank[i] = 0.5;
		for (unsigned k = 0; k < n; k++)
			rank[i] += v[k] < v[i] ? 1 : v[k] == v[i] ? 0.5 : 0;
		seen += i >= old->n ? rank[i] : 0;
	}
	for (unsigned mask = 0; mask < 1u << n; mask++) {
		double sum = 0;

		if ((unsigned)__builtin_popcount(mask) != now->n)
			continue;
		for (unsigned i = 0; i < n; i++)
			sum += mask >> i & 1 ? rank[i] : 0;
		all++;
		low += sum <= seen + 1e-9;
		high += sum >= seen - 1e-9;
	}
	return fmin(1, 2.0 * (low < high ? low : high) / all);
}

START_TEST(p_is_that_of_counting)
{
	struct bc_samples old = { .n = 1 + (unsigned)_i % 7 }, now = { .n = 1 + (unsigned)_i % 6 };
	uint32_t x = (uint32_t)_i * 2654435761u + 1;
	double p;

	for (unsigned i = 0; i < old.n; i++)
		old.v[i] = (x = x * 1664525u + 1013904223u) >> 29; /* 0..7: many ties */
	for (unsigned i = 0; i < now.n; i++)
		now.v[i] = ((x = x * 1664525u + 1013904223u) >> 29) + (unsigned)_i % 4;
	ck_assert_int_eq(bc_rank_test(&old, &now, &p, &err), BC_OK);
	ck_assert_msg(fabs(p - by_counting(&old, &now)) < 1e-9, "%d: %.9f, not %.9f", _i, p, by_counting(&old, &now));
}
END_TEST

/* Lists of 10 and more with p over 5 %: the normal approximation, corrected for ties and for continuity. By hand:
 * variance = old now / 12 (n + 1 - sum(t^3 - t) / (n (n - 1))), z = (|ranks of now - now (n + 1) / 2| - 1/2) / its
 * root; p is the normal distribution's two tails beyond z. */
static const struct {
	const char *what;
	struct bc_samples old, now;
	double p;
} approximated[] = {
	/* ranks of now 2 4 ... 20: 110, expected 105; variance 175; z = 4.5 / 13.2288 = 0.340168 */
	{ "no ties", LIST(1, 3, 5, 7, 9, 11, 13, 15, 17, 19), LIST(2, 4, 6, 8, 10, 12, 14, 16, 18, 20), 0.733730 },
	/* nine ranks of 5, eleven of 15: now 4 x 5 + 6 x 15 = 110; ties 720 + 1320; variance 130.263; z = 0.394277 */
	{ "two values only", LIST(1, 1, 1, 1, 1, 2, 2, 2, 2, 2), LIST(1, 1, 1, 1, 2, 2, 2, 2, 2, 2), 0.693376 },
};

START_TEST(p_over_5_percent_is_approximated)
{
	double p = -1;

	ck_assert_int_eq(bc_rank_test(&approximated[_i].old, &approximated[_i].now, &p, &err), BC_OK);
	ck_assert_msg(fabs(p - approximated[_i].p) < 1e-5, "%s: %.9f, not %.6f", approximated[_i].what, p,
		      approximated[_i].p);
}
END_TEST

START_TEST(full_lists_do_not_overflow)
{
	struct bc_samples old = { .n = BC_SAMPLES_MAX }, now = { .n = BC_SAMPLES_MAX };
	double p;

	for (unsigned i = 0; i < BC_SAMPLES_MAX; i++) {
		old.v[i] = i;
		now.v[i] = UINT32_MAX - i;
	}
	ck_assert_int_eq(bc_rank_test(&old, &now, &p, &err), BC_OK);
	/* C(64,32) = 1832624140942590534 */
	ck_assert_msg(fabs(p / (2 / 1832624140942590534.0) - 1) < 1e-9, "%g", p);
	ck_assert_msg(fabs(bc_rank_smallest_p(BC_SAMPLES_MAX, BC_SAMPLES_MAX) / p - 1) < 1e-9, "the smallest possible");
}
END_TEST

static const struct {
	const char *what;
	struct bc_samples old, now;
	double ratio, lo, hi;
} shifts[] = {
	{ "one sample each: no interval", LIST(100), LIST(103), 1.03, 0, INFINITY },
	{ "3 and 3: P(U = 0) = 1/20 is over 2.5 %", LIST(100, 100, 100), LIST(103, 103, 103), 1.03, 0, INFINITY },
	/* between 1.02 and 1.04: their geometric mean, the root of 1.0608 */
	{ "4 and 4: P(U = 0) = 1/70, all ratios", LIST(100, 100, 100, 100), LIST(101, 102, 104, 105), 1.0299514552,
	  1.01, 1.05 },
	/* P(U <= 2) = 4/252, P(U <= 3) = 7/252: the third of the 25 ratios, of which 5 are equal */
	{ "5 and 5: the third from either end", LIST(100, 100, 100, 100, 100), LIST(101, 102, 103, 104, 105), 1.03,
	  1.01, 1.05 },
	/* ratios 0.5 1 1 2 and so on: 1/2 (x4), 1 (x8), 2 (x4): the median is 1 */
	{ "symmetric", LIST(1, 1, 2, 2), LIST(1, 1, 2, 2), 1, 0.5, 2 },
};

START_TEST(shift_is_between_order_statistics)
{
	struct bc_shift s, back;

	bc_rank_shift(&shifts[_i].old, &shifts[_i].now, 0.05, &s);
	ck_assert_msg(fabs(s.ratio - shifts[_i].ratio) < 1e-9, "%s: ratio %g", shifts[_i].what, s.ratio);
	ck_assert_msg(fabs(s.lo - shifts[_i].lo) < 1e-9, "%s: lo %g", shifts[_i].what, s.lo);
	ck_assert_msg(isinf(shifts[_i].hi) ? isinf(s.hi) != 0 : fabs(s.hi - shifts[_i].hi) < 1e-9, "%s: hi %g",
		      shifts[_i].what, s.hi);
	bc_rank_shift(&shifts[_i].now, &shifts[_i].old, 0.05, &back);
	ck_assert_msg(fabs(back.ratio * s.ratio - 1) < 1e-12, "%s: swapped", shifts[_i].what);
	ck_assert_msg(isinf(s.hi) ? back.lo <= 0 : fabs(back.lo * s.hi - 1) < 1e-12, "%s: swapped interval",
		      shifts[_i].what);
}
END_TEST

static const struct {
	const char *what;
	size_t n;
	double p[5];
	bool want[5];
} holms[] = {
	{ "none", 0, { 0 }, { false } },
	{ "one test is not corrected", 1, { 0.05 }, { true } },
	{ "one test over the level", 1, { 0.0501 }, { false } },
	/* 0.05/4 = 0.0125, 0.05/3 = 0.0167, 0.05/2 = 0.025 */
	{ "steps down and stops", 4, { 0.03, 0.005, 0.04, 0.015 }, { false, true, false, true } },
	{ "one that fails stops all that come after it", 3, { 0.02, 0.02, 0.001 }, { true, true, true } },
	{ "nothing passes the first step", 3, { 0.02, 0.02, 0.02 }, { false, false, false } },
};

START_TEST(holm_steps_down)
{
	bool got[5] = { true, true, true, true, true };

	ck_assert_int_eq(bc_holm(holms[_i].p, holms[_i].n, 0.05, got, &err), BC_OK);
	for (size_t i = 0; i < holms[_i].n; i++)
		ck_assert_msg(got[i] == holms[_i].want[i], "%s: the test %zu", holms[_i].what, i);
}
END_TEST

START_TEST(median_and_range)
{
	static const struct {
		struct bc_samples s;
		double median;
		uint32_t min, max;
	} rows[] = {
		{ NONE, 0, 0, 0 },
		{ LIST(5), 5, 5, 5 },
		{ LIST(9, 1), 5, 1, 9 },
		{ LIST(3, 1, 2), 2, 1, 3 },
		{ LIST(UINT32_MAX, UINT32_MAX), 4294967295.0, UINT32_MAX, UINT32_MAX },
	};

	for (size_t i = 0; i < BC_ARRAY_LEN(rows); i++) {
		uint32_t min, max;

		bc_samples_range(&rows[i].s, &min, &max);
		ck_assert_msg(fabs(bc_median(rows[i].s.v, rows[i].s.n) - rows[i].median) < 1e-9, "row %zu", i);
		ck_assert_uint_eq(min, rows[i].min);
		ck_assert_uint_eq(max, rows[i].max);
	}
}
END_TEST

Suite *bc_test_rank(void)
{
	Suite *s = suite_create("rank");
	TCase *tc = tcase_create("rank");

	tcase_add_loop_test(tc, p_is_exact, 0, (int)BC_ARRAY_LEN(tests));
	tcase_add_loop_test(tc, p_is_that_of_counting, 0, 60);
	tcase_add_loop_test(tc, p_over_5_percent_is_approximated, 0, (int)BC_ARRAY_LEN(approximated));
	tcase_add_test(tc, full_lists_do_not_overflow);
	tcase_add_loop_test(tc, shift_is_between_order_statistics, 0, (int)BC_ARRAY_LEN(shifts));
	tcase_add_loop_test(tc, holm_steps_down, 0, (int)BC_ARRAY_LEN(holms));
	tcase_add_test(tc, median_and_range);
	suite_add_tcase(s, tc);
	return s;
}
