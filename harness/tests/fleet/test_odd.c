/* SPDX-License-Identifier: MIT */
#include "harness/fleet/odd.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

Suite *bc_test_odd(void);

static const struct {
	size_t n, of;
	bool is;
} majorities[] = { { 4, 4, false }, { 5, 5, true }, { 3, 5, false }, { 4, 5, true }, { 4, 6, false }, { 5, 6, true } };

/* More than two thirds, of five at least. */
START_TEST(a_majority_is_more_than_two_thirds)
{
	ck_assert_int_eq(bc_is_majority(majorities[_i].n, majorities[_i].of, 5), majorities[_i].is);
}
END_TEST

static int by_value(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* As sorting gives it, for all orders that a small generator makes, with many equal ones. */
START_TEST(a_median_is_that_of_the_sorted)
{
	uint32_t x = 12345;

	for (unsigned round = 0; round < 2000; round++) {
		double v[40], sorted[40], want;
		const size_t n = 1 + round % 40;

		for (size_t i = 0; i < n; i++) {
			x = x * 1664525u + 1013904223u;
			v[i] = sorted[i] = x >> 24 & (round % 3 ? 7 : 255);
		}
		qsort(sorted, n, sizeof(*sorted), by_value);
		want = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
		ck_assert_double_eq(bc_median_of(v, n), want);
	}
	ck_assert(isnan(bc_median_of(NULL, 0)));
}
END_TEST

START_TEST(the_limit_is_the_floor_or_three_scaled_mads)
{
	static const double alike[] = { 1, 1, 1, 1, 1.2 }, spread[] = { 90, 95, 100, 105, 110 };
	double room[5];

	ck_assert_double_eq_tol(bc_odd_limit(alike, 5, 1, 0.01, room), 0.01, 1e-12); /* MAD 0 */
	ck_assert_double_eq_tol(bc_odd_limit(spread, 5, 100, 0.01, room), 3 * 1.4826 * 5, 1e-12);
}
END_TEST

Suite *bc_test_odd(void)
{
	Suite *s = suite_create("odd");
	TCase *tc = tcase_create("odd");

	tcase_add_loop_test(tc, a_majority_is_more_than_two_thirds, 0, (int)BC_ARRAY_LEN(majorities));
	tcase_add_test(tc, a_median_is_that_of_the_sorted);
	tcase_add_test(tc, the_limit_is_the_floor_or_three_scaled_mads);
	suite_add_tcase(s, tc);
	return s;
}
