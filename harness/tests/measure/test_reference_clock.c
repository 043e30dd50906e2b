/* SPDX-License-Identifier: MIT */
/*
 * The clock witness from end to end, with no counters: the reference device has a clock, its known patterns are timed,
 * cases are placed on the lines, and judged. A sound device passes; one with another law is found.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/core/judge.h"
#include "harness/core/select.h"
#include "harness/device/device.h"
#include "harness/measure/measure.h"

Suite *bc_test_reference_clock(void);

static struct bc_catalog cat;
static struct bc_expect expect;
static struct bc_arch arch;
static struct bc_device *dev;
static struct bc_measure *measure;
static struct bc_error err;

static void open_device(const char *fault, uint32_t noise)
{
	const struct bc_open_options o = { .kernels_dir = BC_TEST_KERNELS,
					   .expected_dir = BC_TEST_EXPECTED,
					   .fault = fault,
					   .no_counters = true,
					   .reference_clock = true,
					   .reference_noise = noise };
	const struct bc_measure_options mo = { .clock = true };
	const struct bc_facts facts = { .arch = "sm_90" };

	ck_assert_msg(!bc_catalog_build(bc_suites, &cat, &err), "%s", err.msg);
	ck_assert_msg(!bc_expect_load(BC_TEST_EXPECTED, "sm_90", &cat, &expect, &err), "%s", err.msg);
	ck_assert_msg(!bc_arch_load(BC_TEST_EXPECTED, "sm_90", &arch, &err), "%s", err.msg);
	ck_assert_msg(!bc_device_reference.open(&o, &facts, &dev, &err), "%s", err.msg);
	ck_assert_msg(!bc_measure_open(&bc_device_reference, dev, &arch, &expect, &mo, &measure, &err), "%s", err.msg);
}

static void teardown(void)
{
	bc_measure_close(measure);
	bc_device_reference.close(dev);
	bc_expect_release(&expect);
	bc_catalog_release(&cat);
}

struct tally {
	unsigned pass, wrong, other; /* wrong: FAIL or DISAGREE */
	char first[BC_MESSAGE_MAX + BC_ID_MAX + 32];
};

static void judge_batch(const struct bc_case *const *c, size_t n, struct tally *t)
{
	static struct bc_observation obs[BC_BATCH_MAX];

	ck_assert_msg(!bc_measure_batch(measure, c, n, obs, &err), "%s", err.msg);
	for (size_t i = 0; i < n; i++) {
		struct bc_bounds bounds;
		const struct bc_judge_in in = { .c = c[i], .arch = &arch, .bounds = &bounds, .obs = &obs[i] };
		struct bc_judgement j;

		bc_expect_find(&expect, c[i]->id, &bounds);
		bc_judge(&in, &j);
		if (j.verdict == BC_PASS) {
			t->pass++;
			continue;
		}
		if (j.verdict == BC_FAIL || j.verdict == BC_DISAGREE)
			t->wrong++;
		else
			t->other++;
		if (!t->first[0])
			(void)snprintf(t->first, sizeof(t->first), "%s: %s: %s", c[i]->id, bc_verdict_name(j.verdict),
				       j.message);
	}
}

static bool chosen(const struct bc_case *c, const char *glob)
{
	char unmet[200];

	if (!bc_glob_matches(glob, c->id) || bc_case_unmet(c, &arch, unmet, sizeof(unmet)))
		return false;
	return bc_case_has_clock(c) && !(c->needs & BC_NEED_HARDWARE_CLOCK);
}

/* All cases that match and that a clock can judge. */
static struct tally judge(const char *glob)
{
	const struct bc_case *batch[BC_BATCH_MAX];
	struct tally t = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < cat.n; i++) {
		if (chosen(&cat.cases[i], glob))
			batch[n++] = &cat.cases[i];
		if (n == BC_BATCH_MAX || (n && i + 1 == cat.n)) {
			judge_batch(batch, n, &t);
			n = 0;
		}
	}
	return t;
}

START_TEST(a_sound_device_passes)
{
	struct tally t;

	open_device(NULL, 0);
	t = judge("*");
	ck_assert_msg(t.pass > 1400 && !t.wrong && !t.other, "%u pass, %u are wrong, %u are not judged: %s", t.pass,
		      t.wrong, t.other, t.first);
	teardown();
}
END_TEST

/* Reads that are late by up to 12 cycles of some 750 are no finding: medians of 32 samples are compared. */
START_TEST(noise_is_no_finding)
{
	struct tally t;

	open_device(NULL, 12);
	t = judge("stride/*");
	ck_assert_msg(t.pass > 100 && !t.wrong && !t.other, "%u pass, %u are wrong, %u are not judged: %s", t.pass,
		      t.wrong, t.other, t.first);
	teardown();
}
END_TEST

/* Devices with another law, and cases that must find it by time alone. Wrong are at least so many. */
static const struct {
	const char *fault, *glob;
	unsigned least;
} faults[] = {
	{ "banks-16", "stride/ld_b32/*", 5 },
	{ "banks-16", "stride/st_b32/*", 5 },
	{ "banks-64", "stride/ld_b32/*", 5 },
	{ "banks-64", "stride/st_b32/*", 5 },
	{ "banks-8-byte", "stride/ld_b32/*", 5 },
	{ "banks-8-byte", "stride/st_b32/*", 5 },
	{ "banks-hashed", "mapping/*", 10 },
	{ "broadcast-none", "broadcast/*ld*", 10 },
	{ "broadcast-whole-warp", "broadcast/*ld*", 10 },
	{ "broadcast-none-stores", "broadcast/*st*", 10 },
	{ "pair-rule-missing", "width/pair_ld*", 3 },
	{ "pair-rule-wide", "width/*ld*", 4 },
	{ "groups-8-byte", "width/*", 5 },
	{ "groups-16-byte", "width/*", 5 },
	{ "subword-conflict", "broadcast/*", 5 },
	{ "inactive-counted", "ways/inactive*", 10 },
	{ "inactive-paired", "ways/inactive*", 5 },
	{ "line-conflict", "mapping/*", 1 },
};

START_TEST(a_device_with_another_law_is_found_by_time_alone)
{
	struct tally t;

	open_device(faults[_i].fault, 0);
	t = judge(faults[_i].glob);
	ck_assert_msg(t.wrong >= faults[_i].least, "%s: %u of %s are found (%u pass, %u are not judged)",
		      faults[_i].fault, t.wrong, faults[_i].glob, t.pass, t.other);
	ck_assert_msg(!t.other, "%s: %s", faults[_i].fault, t.first);
	teardown();
}
END_TEST

/* No published law gives the cost of a barrier or holds blocks on an SM: the clock says so, and guesses nothing. */
START_TEST(times_without_a_law_are_absent)
{
	static const char *const ids[] = { "sync/cost/64", "declare/resident/two_padded_tiles" };

	open_device(NULL, 0);
	for (size_t i = 0; i < BC_ARRAY_LEN(ids); i++) {
		const struct bc_case *c = bc_catalog_find(&cat, ids[i]);
		struct bc_observation obs;

		ck_assert_msg(!bc_measure_batch(measure, &c, 1, &obs, &err), "%s", err.msg);
		ck_assert(obs.data_ok && !obs.clock_value_has);
		ck_assert_msg(strstr(obs.clock_absent, "only hardware has this time"), "%s", obs.clock_absent);
	}
	teardown();
}
END_TEST

Suite *bc_test_reference_clock(void)
{
	Suite *s = suite_create("reference_clock");
	TCase *tc = tcase_create("clock");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_sound_device_passes);
	tcase_add_test(tc, noise_is_no_finding);
	tcase_add_loop_test(tc, a_device_with_another_law_is_found_by_time_alone, 0, (int)BC_ARRAY_LEN(faults));
	tcase_add_test(tc, times_without_a_law_are_absent);
	suite_add_tcase(s, tc);
	return s;
}
