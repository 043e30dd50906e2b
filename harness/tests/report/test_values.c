/* SPDX-License-Identifier: MIT */
#include "harness/report/values.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *bc_test_values(void);

static void read_keys(const char *lines, struct bc_key_values *k)
{
	struct bc_error err = { 0 };
	char text[600];

	(void)snprintf(text, sizeof(text), "format=1\n%s\n", lines);
	*k = (struct bc_key_values){ 0 };
	ck_assert_msg(bc_junit_keys(text, k, &err) == BC_OK, "%s", err.msg);
}

#define SAMPLES_8 "1,2,3,4,5,6,7,8,"
#define SAMPLES_32 "clock_samples=" SAMPLES_8 SAMPLES_8 SAMPLES_8 "1,2,3,4,5,6,7,4294967295"

static const struct {
	const char *lines, *damaged; /* NULL: all can be read */
} rows[] = {
	{ "case=s/r/v", NULL },
	{ "wavefronts=2..2\nconflicts=0..0.25\nclock_slope=-0.5..2\nrequests=unknown", NULL },
	{ "wavefronts=2", "wavefronts" },
	{ "conflicts=1..", "conflicts" },
	{ "sectors=4..3", "sectors" },
	{ "sectors=a..4", "sectors" },
	{ "clock_ratio=1,5..2", "clock_ratio" },
	{ "clock_slope=Unknown", "clock_slope" },
	{ "requests=1..2..3", "requests" },
	{ "counters=requests:8 wavefronts:16;requests:8 wavefronts:17 conflicts:9\nrequests_stated=8", NULL },
	{ "counters=requests:8 of_a_later_version:16", NULL },
	{ "counters=wavefronts:9007199254740992", NULL },
	{ "counters=wavefronts:9007199254740993", "counters" },
	{ "counters=wavefronts:99999999999999999999999", "counters" },
	{ "counters=wavefronts:1e3", "counters" },
	{ "counters=wavefronts:-1", "counters" },
	{ "counters=wavefronts", "counters" },
	{ "counters=wavefronts:", "counters" },
	{ "counters=wavefronts: 3", "counters" },
	{ "counters=wavefronts:1,conflicts:2", "counters" },
	{ "model=requests:1 wavefronts:x", "model" },
	{ "requests_stated=8x", "requests_stated" },
	{ "requests_stated=", "requests_stated" },
	{ "clock=31.5", NULL },
	{ "clock=nan", NULL },
	{ "clock=1e5", "clock" },
	{ SAMPLES_32, NULL },
	{ SAMPLES_32 ",1", "clock_samples" },
	{ "clock_samples=4294967296", "clock_samples" },
	{ "clock_samples=1,2,", "clock_samples" },
	{ "clock_samples=1;2", "clock_samples" },
	{ "clock_samples=", "clock_samples" },
};

START_TEST(a_damaged_value_is_named)
{
	struct bc_key_values k;
	const char *damaged;

	read_keys(rows[_i].lines, &k);
	damaged = bc_values_check(&k);
	ck_assert_msg((damaged == NULL) == (rows[_i].damaged == NULL) &&
			      (!damaged || strcmp(damaged, rows[_i].damaged) == 0),
		      "%s: %s", rows[_i].lines, damaged ? damaged : "nothing is damaged");
	bc_key_values_release(&k);
}
END_TEST

START_TEST(values_are_read)
{
	const char *list = "requests:8 wavefronts:16;conflicts:9;";
	struct bc_value_bounds b;
	struct bc_value_counts c;
	struct bc_key_values k;
	struct bc_samples s;
	bool more, has;
	double clock;
	uint64_t stated;

	read_keys("wavefronts=2..3.5\nconflicts=unknown\n" SAMPLES_32 "\nclock=2.02\nrequests_stated=64", &k);
	ck_assert(bc_values_bounds(&k, BC_Q_WAVEFRONTS, &b) && b.has && b.lo == 2 && b.hi == 3.5);
	ck_assert(bc_values_bounds(&k, BC_Q_CONFLICTS, &b) && !b.has);
	ck_assert(bc_values_bounds(&k, BC_Q_SECTORS, &b) && !b.has);
	ck_assert(bc_values_samples(&k, &s) && s.n == 32 && s.v[0] == 1 && s.v[31] == 4294967295u);
	ck_assert(bc_values_clock(&k, &has, &clock) && has && clock == 2.02);
	ck_assert(bc_values_stated(&k, &stated) && stated == 64);
	bc_key_values_release(&k);

	ck_assert(bc_values_attempt(&list, &c, &more) && more);
	ck_assert(c.has[BC_Q_REQUESTS] && c.total[BC_Q_REQUESTS] == 8 && c.total[BC_Q_WAVEFRONTS] == 16);
	ck_assert(!c.has[BC_Q_CONFLICTS] && c.total[BC_Q_CONFLICTS] == 0);
	ck_assert(bc_values_attempt(&list, &c, &more) && more && c.has[BC_Q_CONFLICTS] && !c.has[BC_Q_REQUESTS]);
	ck_assert(bc_values_attempt(&list, &c, &more) && !more);

	read_keys("case=s/r/v", &k);
	ck_assert(bc_values_samples(&k, &s) && s.n == 0);
	ck_assert(bc_values_clock(&k, &has, &clock) && !has);
	ck_assert(bc_values_stated(&k, &stated) && stated == 0);
	bc_key_values_release(&k);
}
END_TEST

Suite *bc_test_values(void)
{
	Suite *s = suite_create("values");
	TCase *t = tcase_create("values");

	tcase_add_loop_test(t, a_damaged_value_is_named, 0, (int)BC_ARRAY_LEN(rows));
	tcase_add_test(t, values_are_read);
	suite_add_tcase(s, t);
	return s;
}
