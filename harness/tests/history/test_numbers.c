/* SPDX-License-Identifier: MIT */
/* Measured numbers, packed and unpacked: the same bits, whatever they are. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/gzip.h"
#include "harness/history/profile.h"

Suite *bc_test_numbers(void);

#define N 200

static struct bc_kept_case run_cases[N], base_cases[N];
static struct bc_kept run = { run_cases, N }, base = { base_cases, N };

/* Numbers as reports have them, and such as none has. */
static double number(unsigned i)
{
	static const double odd[] = {
		0,	   -0.0,	 1e-7,	   1.0 / 3, 4503599627370496.0, 1e300,	     INFINITY,
		-INFINITY, 2147483648.5, 0.000001, -1.5,    9007199254740993.0, 4294967295.0
	};

	if (i % 5 == 0)
		return odd[i / 5 % BC_ARRAY_LEN(odd)];
	if (i % 7 == 0)
		return (double)NAN;
	return i % 2 ? i * 1.000003 : i * 0.5;
}

static void fill(unsigned shift)
{
	for (unsigned i = 0; i < N; i++)
		for (unsigned w = 0; w < BC_KEPT_NUMBERS; w++) {
			run_cases[i].case_id = 3 * i + 1;
			run_cases[i].number[w] = number(i + w);
			base_cases[i].case_id = 3 * i + (i % 10 ? 1 : 2); /* every tenth is not the run's */
			base_cases[i].number[w] = number(i + w + (i % 3 ? 0 : shift));
		}
}

static void same(const struct bc_kept_case *a, const struct bc_kept_case *b)
{
	for (unsigned i = 0; i < N; i++)
		for (unsigned w = 0; w < BC_KEPT_NUMBERS; w++)
			ck_assert_msg(memcmp(&a[i].number[w], &b[i].number[w], sizeof(double)) == 0 ||
					      (isnan(a[i].number[w]) && isnan(b[i].number[w])),
				      "case %u, number %u: %g, %g", i, w, a[i].number[w], b[i].number[w]);
}

START_TEST(numbers_come_back_bit_by_bit)
{
	static struct bc_kept_case back_cases[N];
	struct bc_kept back = { back_cases, N };
	struct bc_text blob = { 0 };
	struct bc_error err;

	fill((unsigned)_i);
	memcpy(back_cases, run_cases, sizeof(back_cases));
	for (unsigned i = 0; i < N; i++)
		back_cases[i].number[0] = back_cases[i].number[1] = 77;
	if (_i == 4)
		base.n = 0;
	ck_assert_int_eq(bc_numbers_pack(&run, &base, &blob, &err), BC_OK);
	ck_assert_msg(bc_numbers_unpack(&blob, &back, &base, &err) == BC_OK, "%s", err.msg);
	same(run_cases, back_cases);
	bc_text_release(&blob);
	base.n = N;
}
END_TEST

/* Where runs agree, a case takes next to nothing. */
START_TEST(what_is_as_the_base_is_small)
{
	struct bc_text blob = { 0 };
	struct bc_error err;

	fill(0);
	memcpy(base_cases, run_cases, sizeof(base_cases));
	ck_assert_int_eq(bc_numbers_pack(&run, &base, &blob, &err), BC_OK);
	ck_assert_uint_le(blob.len, 40);
	bc_text_release(&blob);
}
END_TEST

START_TEST(damaged_bytes_are_refused)
{
	struct bc_text blob = { 0 }, plain = { 0 }, cut = { 0 };
	struct bc_error err;

	fill(1);
	ck_assert_int_eq(bc_numbers_pack(&run, &base, &blob, &err), BC_OK);
	ck_assert_int_eq(bc_gunzip(&blob, "x", 1 << 20, &plain, &err), BC_OK);
	for (size_t n = 0; n < plain.len; n += 7) {
		ck_assert_int_eq(bc_gzip(plain.data, n, &cut, &err), BC_OK);
		ck_assert_int_eq(bc_numbers_unpack(&cut, &run, &base, &err), BC_EDATA);
		bc_text_release(&cut);
	}
	ck_assert_int_eq(bc_text_add(&plain, "\0", 1, &err), BC_OK); /* more than there are cases */
	ck_assert_int_eq(bc_gzip(plain.data, plain.len, &cut, &err), BC_OK);
	ck_assert_int_eq(bc_numbers_unpack(&cut, &run, &base, &err), BC_EDATA);
	bc_text_release(&cut);
	ck_assert_int_eq(bc_numbers_unpack(&plain, &run, &base, &err), BC_EDATA); /* not compressed */
	bc_text_release(&blob);
	bc_text_release(&plain);
}
END_TEST

Suite *bc_test_numbers(void)
{
	Suite *s = suite_create("numbers");
	TCase *tc = tcase_create("numbers");

	tcase_add_loop_test(tc, numbers_come_back_bit_by_bit, 0, 5);
	tcase_add_test(tc, what_is_as_the_base_is_small);
	tcase_add_test(tc, damaged_bytes_are_refused);
	suite_add_tcase(s, tc);
	return s;
}
